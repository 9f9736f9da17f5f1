/* Runs a probe: edits the lists of passes, compiles, runs, compares.
 *
 *   request mlir = 2:   inline | canonicalize | cse     | ... | convert-triton-to-tritongpu | tritongpu-coalesce | ...
 *                       runs   | runs         | omitted | ... | runs: required              | omitted            | ...
 *
 * A prefix of the passes with the required ones after it compiles to a correct kernel, unless a pass of the prefix, or
 * a required one, is wrong. */
#include "tools/nereid/bisect/probe.h"

#include "base/file.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/run/compare.h"

#include <ctype.h>
#include <mlir-c/IR.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct probe {
  const tool_case_t *subject;
  const tool_probe_request_t *request;
  tool_outcome_t *outcome;
  nereid_arena_t arena;
  tool_plan_t plan;
  size_t done; /* number of finished passes of MLIR */
  bool began;
  nereid_text_builder_t ir; /* IR for INTERPRET and DUMP */
  bool stopped;             /* compilation stopped, with its IR in `ir` */
  nereid_pipeline_t stage;  /* stage of the IR */
  size_t wrong;             /* number of the tensor with a wrong element */
} probe_t;

tool_outcome_t *tool_outcome_create(void) {
  void *memory = mmap(NULL, sizeof(tool_outcome_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void tool_outcome_destroy(tool_outcome_t *outcome) {
  if (outcome)
    munmap(outcome, sizeof *outcome);
}

static void conclude(probe_t *it, tool_verdict_t verdict, const char *format, ...) NEREID_PRINTF(3, 4);

static void conclude(probe_t *it, tool_verdict_t verdict, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  it->outcome->verdict = verdict;
  vsnprintf(it->outcome->text, sizeof it->outcome->text, format, arguments);
  va_end(arguments);
}

/* --- hooks --- */

static void add_name(tool_outcome_t *outcome, const char *name) {
  const size_t size = strlen(name);
  if (outcome->names_size + size + 2 > sizeof outcome->names)
    return;
  memcpy(outcome->names + outcome->names_size, name, size);
  outcome->names_size += size;
  outcome->names[outcome->names_size++] = '\n';
}

static bool keep(void *user_data, const char *pass) {
  probe_t *it = user_data;
  const size_t index = it->outcome->n_mlir++;
  return index + 1 != it->request->omitted && (index < it->request->mlir || tool_pass_is_required(pass));
}

static const char *const *edit(void *user_data, nereid_pipeline_t stage, const char *const *passes) {
  return tool_plan_edit(&((probe_t *)user_data)->plan, stage, passes);
}

static void print_ir(probe_t *it, MlirOperation module) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  it->ir.arena = &it->arena;
  mlirOperationPrintWithFlags(module, flags, nereid_text_builder_append, &it->ir);
  mlirOpPrintingFlagsDestroy(flags);
}

static bool checkpoint(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position) {
  probe_t *it = user_data;
  const bool stops = it->request->mode == TOOL_PROBE_INTERPRET || it->request->mode == TOOL_PROBE_DUMP;
  if (position->stage > NEREID_PIPELINE_LLVM)
    return true;
  it->done += it->began;
  it->began = position->pass != NULL;
  if (stops && it->done == it->request->mlir) {
    print_ir(it, module);
    it->stopped = true;
    it->stage = position->stage;
    return false;
  }
  if (!position->pass)
    return true;
  ++it->outcome->n_began;
  add_name(it->outcome, position->pass);
  snprintf(it->outcome->last_pass, sizeof it->outcome->last_pass, "%s", position->pass);
  return true;
}

/* The optimizer replaces __nvvm_reflect and inlines the functions of libdevice, which PTX cannot contain. */
static bool select_llvm(void *user_data, const char *name) {
  static const char *const needed[] = {"nvvm-reflect", "always-inline", "globaldce"};
  probe_t *it = user_data;
  bool runs = it->outcome->n_llvm < it->request->llvm;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i)
    runs |= strcmp(needed[i], name) == 0;
  add_name(it->outcome, name);
  ++it->outcome->n_llvm;
  it->outcome->in_llvm = true;
  if (runs)
    snprintf(it->outcome->last_pass, sizeof it->outcome->last_pass, "%s", name);
  return runs;
}

/* --- judgements --- */

static void judge_numbers(probe_t *it, const tool_job_t *job) {
  const tool_job_t *expected = it->subject->expected;
  if (job->n_tensors != expected->n_tensors) {
    conclude(it, TOOL_VERDICT_UNKNOWN, "the kernel has other parameters than the input");
    return;
  }
  for (size_t i = 0; i < job->n_tensors; ++i) {
    const tool_difference_t found = tool_compare(&job->tensors[i], &expected->tensors[i], it->subject->tolerance);
    if (!found.beyond)
      continue;
    const size_t size = nereid_element_size(job->tensors[i].element);
    const double got = nereid_element_read(job->tensors[i].element, (char *)job->tensors[i].data + found.worst * size);
    const double want =
        nereid_element_read(job->tensors[i].element, (char *)expected->tensors[i].data + found.worst * size);
    it->outcome->has_element = true;
    it->outcome->element = found.worst;
    it->outcome->got = got;
    it->outcome->expected = want;
    it->wrong = i;
    snprintf(it->outcome->tensor, sizeof it->outcome->tensor, "%s", expected->tensor_names[i]);
    conclude(it, TOOL_VERDICT_SHOWN,
             "%zu of %zu elements of %s differ by more than %.3g, element %zu most: %.9g instead of %.9g", found.beyond,
             job->tensors[i].count, expected->tensor_names[i], found.tolerance, found.worst, got, want);
    return;
  }
  conclude(it, TOOL_VERDICT_CLEAN, "all tensors agree with the interpreter's");
}

static void judge_counter(probe_t *it, const char *json) {
  const tool_property_t *property = &it->subject->property;
  double *value = &it->outcome->value;
  if (!tool_property_counter(json, property->counter, value)) {
    conclude(it, TOOL_VERDICT_UNKNOWN,
             "the emulator has no counter '%s'; nereid run --counters prints those that it has", property->counter);
    return;
  }
  const bool holds = property->relation == '<' ? *value < property->limit : *value > property->limit;
  conclude(it, property->relation && holds ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_CLEAN, "%s is %.10g", property->counter,
           *value);
}

static void judge(probe_t *it, const tool_job_t *job, const char *printed) {
  switch (it->subject->property.kind) {
  case TOOL_PROPERTY_NUMBERS:
    judge_numbers(it, job);
    return;
  case TOOL_PROPERTY_RACE:
    conclude(it, job->races ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_CLEAN, "%llu races", (unsigned long long)job->races);
    break;
  case TOOL_PROPERTY_FAULT:
    conclude(it, job->overwrites || job->violations ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_CLEAN,
             job->overwrites || job->violations ? "a rule is violated" : "the run succeeds");
    break;
  case TOOL_PROPERTY_COUNTER:
    judge_counter(it, printed);
    return;
  default:
    conclude(it, TOOL_VERDICT_CLEAN, "the kernel compiles and runs");
    return;
  }
  if (it->outcome->verdict == TOOL_VERDICT_SHOWN)
    snprintf(it->outcome->detail, sizeof it->outcome->detail, "%s", printed);
}

/* Concludes from a failed call. A wrong program is a compile error; everything else is a crash. */
static void judge_failure(probe_t *it, const char *call, nereid_status_t status, const nereid_message_t *message) {
  const tool_property_kind_t kind = it->subject->property.kind;
  const bool ran = strcmp(call, "run") == 0;
  const bool shown = ran ? kind == TOOL_PROPERTY_FAULT && status == NEREID_ERROR_PROGRAM
                         : (kind == TOOL_PROPERTY_COMPILE_ERROR && status == NEREID_ERROR_PROGRAM) ||
                               (kind == TOOL_PROPERTY_CRASH && status == NEREID_ERROR_INTERNAL);
  const char *reason = message->text[0] ? message->text : nereid_status_string(status);
  conclude(it, shown ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_UNKNOWN, ran ? "the run fails: %s" : "it does not compile: %s",
           reason);
}

/* --- the process --- */

/* Reads what the process wrote to a file since its start. */
static const char *read_back(nereid_arena_t *arena, FILE *file) {
  const off_t size = lseek(fileno(file), 0, SEEK_END);
  char *text = size > 0 ? nereid_arena_allocate(arena, (size_t)size + 1, 1) : NULL;
  return text && pread(fileno(file), text, (size_t)size, 0) == size ? text : "";
}

/* Runs a job and judges it; `printed` is where its output went. */
static void execute(probe_t *it, const tool_engine_t *engine, tool_job_t *job, FILE *printed) {
  nereid_message_t message = {""};
  void *state = NULL;
  nereid_status_t status = engine->open(&state, &message);
  if (!status) {
    status = engine->run(state, job, &message);
    engine->close(state);
  }
  it->outcome->instructions = job->instructions;
  fflush(stdout);
  if (status)
    judge_failure(it, "run", status, &message);
  else
    judge(it, job, read_back(&it->arena, printed));
}

/* Replaces the case of the probe by one with the results of the interpreter; false when the input itself is wrong. */
static bool expect(probe_t *it) {
  nereid_message_t message = {""};
  tool_case_t *subject = nereid_arena_new(&it->arena, tool_case_t, 1);
  if (!subject)
    return false;
  *subject = *it->subject;
  const nereid_status_t status = tool_case_expect(&it->arena, subject, &message);
  if (status)
    conclude(it, TOOL_VERDICT_UNKNOWN, "the interpreter rejects the input: %s",
             message.text[0] ? message.text : nereid_status_string(status));
  it->outcome->rejected = status != NEREID_OK;
  it->subject = subject;
  return status == NEREID_OK;
}

/* Runs a copy of the job, of its tensors before the run, for the thread that writes the wrong element. */
static void explain(probe_t *it, tool_job_t *copy) {
  tool_outcome_t *outcome = it->outcome;
  if (!outcome->has_element || !tool_writer_find(copy, it->wrong, outcome->element, &outcome->writer))
    return;
  outcome->has_writer = true;
  tool_writer_print(&outcome->writer, outcome->detail, sizeof outcome->detail);
}

static void emulate(probe_t *it, const run_settings_t *settings, FILE *printed) {
  nereid_message_t message = {""};
  tool_job_t job = {0}, copy = {0};
  double tolerance;
  const tool_property_kind_t kind = it->subject->property.kind;
  const bool runs = it->request->mode == TOOL_PROBE_EMULATE;
  nereid_status_t status = tool_job_configure(settings, &job, &tolerance, &message);
  if (!status)
    status = tool_job_load(&it->arena, settings, it->subject->path, it->subject->input, NEREID_STAGE_PTX, "sm_90a",
                           &job, &message);
  if (!status)
    status = tool_plan_check(&it->plan, &message);
  if (status) {
    judge_failure(it, "compilation", status, &message);
    return;
  }
  conclude(it, TOOL_VERDICT_CLEAN, "the kernel compiles");
  if (!runs)
    return;
  if (it->subject->expects && !expect(it))
    return;
  status = tool_job_prepare(&it->arena, settings, &job, &message);
  job.racecheck = kind == TOOL_PROPERTY_RACE;
  job.count = kind == TOOL_PROPERTY_COUNTER;
  if (!status && it->request->explains)
    status = tool_job_copy(&it->arena, &job, &copy, &message);
  it->outcome->ran = !status;
  if (status)
    conclude(it, TOOL_VERDICT_UNKNOWN, "%s", message.text);
  else
    execute(it, tool_engine_find("emulator"), &job, printed);
  if (!status && it->request->explains)
    explain(it, &copy);
}

/* Writes the IR; the observation is its path. */
static void write_ir(probe_t *it, nereid_view_t ir) {
  static const char *const suffixes[] = {".ttir", ".ttgir", ".ttgir", ".llvm"};
  nereid_message_t message = {""};
  const char *path =
      nereid_arena_format(&it->arena, "%s%s", it->request->dump, it->request->adds_suffix ? suffixes[it->stage] : "");
  const nereid_status_t status = path ? nereid_file_write(path, ir, &message) : NEREID_ERROR_MEMORY;
  conclude(it, status ? TOOL_VERDICT_UNKNOWN : TOOL_VERDICT_CLEAN, "%s", status ? message.text : path);
}

/* Runs the passes up to the position, which stops the compilation, and interprets or writes the IR. */
static void take_ir(probe_t *it, const run_settings_t *settings, FILE *printed) {
  nereid_message_t message = {""};
  tool_job_t job = {0};
  double tolerance;
  nereid_status_t status = tool_job_configure(settings, &job, &tolerance, &message);
  if (!status)
    status = tool_job_load(&it->arena, settings, it->subject->path, it->subject->input, NEREID_STAGE_PTX, "sm_90a",
                           &job, &message);
  if (!it->stopped || it->arena.failed) {
    judge_failure(it, "compilation", status ? status : NEREID_ERROR_NOT_FOUND, &message);
    return;
  }
  const nereid_view_t ir = nereid_view_of(it->ir.data, it->ir.size);
  if (it->request->mode == TOOL_PROBE_DUMP) {
    write_ir(it, ir);
    return;
  }
  message.text[0] = 0;
  status = tool_job_copy(&it->arena, it->subject->expected, &job, &message);
  job.n_tensors = 0; /* bound again: the copy has the results of the interpreter, not its arguments */
  if (!status)
    status = tool_job_prepare(&it->arena, settings, &job, &message);
  job.source = ir;
  job.source_name = "the IR after the pass";
  if (status)
    conclude(it, TOOL_VERDICT_UNKNOWN, "%s", message.text);
  else
    execute(it, tool_engine_find("interpreter"), &job, printed);
}

/* Stores the first error of the diagnostics, which says more than a status. */
static void take_diagnostics(probe_t *it, FILE *diagnostics) {
  fflush(stderr);
  const char *text = read_back(&it->arena, diagnostics), *error = strstr(text, "error: ");
  tool_outcome_t *outcome = it->outcome;
  if (!error)
    return;
  while (error > text && error[-1] != '\n')
    --error;
  if (!outcome->detail[0])
    snprintf(outcome->detail, sizeof outcome->detail, "%s", error);
}

void tool_probe_judge(const tool_case_t *subject, const tool_probe_request_t *request, tool_outcome_t *outcome) {
  probe_t it = {.subject = subject, .request = request, .outcome = outcome};
  run_settings_t settings = subject->settings;
  nereid_message_t message = {""};
  const nereid_session_hooks_t hooks = {.pipeline = {.checkpoint = checkpoint, .edit = edit, .user_data = &it},
                                        .llvm_pass = select_llvm};
  FILE *printed = tmpfile(), *diagnostics = tmpfile();
  if (!printed || !diagnostics || dup2(fileno(printed), STDOUT_FILENO) < 0 ||
      dup2(fileno(diagnostics), STDERR_FILENO) < 0)
    _exit(2);
  nereid_arena_initialize(&it.arena);
  settings.hooks = &hooks;
  if (tool_plan_initialize(&it.plan, &subject->plan, &it.arena, &message)) {
    conclude(&it, TOOL_VERDICT_UNKNOWN, "%s", message.text);
    _exit(0);
  }
  it.plan.keep = keep;
  it.plan.keep_data = &it;
  if (request->mode == TOOL_PROBE_INTERPRET || request->mode == TOOL_PROBE_DUMP)
    take_ir(&it, &settings, printed);
  else
    emulate(&it, &settings, printed);
  take_diagnostics(&it, diagnostics);
  _exit(0);
}

static void judge_end(const tool_case_t *subject, tool_outcome_t *outcome, int status, bool in_time) {
  if (in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return;
  const bool crashed = in_time && WIFSIGNALED(status);
  outcome->timed_out = !in_time;
  outcome->verdict =
      crashed && subject->property.kind == TOOL_PROPERTY_CRASH ? TOOL_VERDICT_SHOWN : TOOL_VERDICT_UNKNOWN;
  if (!in_time && tool_interrupt_is_caught())
    snprintf(outcome->text, sizeof outcome->text, "interrupted");
  else if (!in_time)
    snprintf(outcome->text, sizeof outcome->text,
             "it takes more than %lld s (--timeout); with --steps N an endless loop is a fault",
             (long long)subject->time_limit);
  else
    snprintf(outcome->text, sizeof outcome->text, "the compiler crashes: %s",
             crashed ? strsignal(WTERMSIG(status)) : "it exits"); /* NOLINT(concurrency-mt-unsafe) */
}

typedef struct work {
  const tool_case_t *subject;
  const tool_probe_request_t *request;
  tool_outcome_t *outcome;
} work_t;

void tool_outcome_clear(tool_outcome_t *outcome) {
  memset(outcome, 0, offsetof(tool_outcome_t, names));
  outcome->verdict = TOOL_VERDICT_UNKNOWN;
}

static void probe(void *user_data) {
  const work_t *work = user_data;
  tool_probe_judge(work->subject, work->request, work->outcome);
}

void tool_probe_finish(const tool_case_t *subject, tool_process_t *process, tool_outcome_t *outcome) {
  int status;
  const bool started = process->child > 0, in_time = tool_process_wait(process, &status);
  if (started)
    judge_end(subject, outcome, status, in_time);
}

void tool_probe_run(const tool_case_t *subject, const tool_probe_request_t *request, tool_outcome_t *out_outcome) {
  work_t work = {subject, request, out_outcome};
  tool_outcome_clear(out_outcome);
  tool_process_t process = tool_process_start(probe, &work, subject->time_limit);
  tool_probe_finish(subject, &process, out_outcome);
}

/* --- the expected results --- */

nereid_status_t tool_case_check_input(const char *path, nereid_view_t text, nereid_message_t *message) {
  static const char word[] = ".version";
  const char *at = text.data, *end = text.data + text.size;
  while (at < end && (isspace((unsigned char)*at) || *at == '/')) {
    const char *next = *at == '/' ? memchr(at, '\n', (size_t)(end - at)) : at + 1;
    at = next ? next : end;
  }
  if ((size_t)(end - at) < sizeof word - 1 || memcmp(at, word, sizeof word - 1) != 0)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                            "'%s' is PTX, on which no pass runs; nereid run --racecheck and nereid report examine it",
                            path);
}

nereid_status_t tool_case_expect(nereid_arena_t *arena, tool_case_t *subject, nereid_message_t *message) {
  const tool_engine_t *engine = tool_engine_find("interpreter");
  tool_job_t *job = nereid_arena_new(arena, tool_job_t, 1);
  void *state = NULL;
  if (!job)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_status_t status = tool_job_configure(&subject->settings, job, &subject->tolerance, message);
  if (!status)
    status =
        tool_job_load(arena, &subject->settings, subject->path, subject->input, NEREID_STAGE_TTIR, NULL, job, message);
  if (!status)
    status = tool_job_prepare(arena, &subject->settings, job, message);
  if (!status)
    status = engine->open(&state, message);
  if (status)
    return status;
  status = engine->run(state, job, message);
  engine->close(state);
  subject->expected = job;
  return status;
}
