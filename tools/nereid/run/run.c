/* nereid run: binds arguments, runs a kernel on an engine, reports results.
 *
 *   $ nereid run vector_add.ttir --grid 64 --arg x=f32[65536]:rand --arg y=f32[65536]:rand \
 *                --arg out=f32[65536]:zeros --arg n=65536 --out out=out.npy --bench
 *
 * The program and the command line are checked first, also on a machine without an engine: a missing engine is reported
 * last. */
#include "tools/nereid/run/run.h"

#include "base/file.h"
#include "python-free-bindings/launch/kernel.h"
#include "tools/nereid/results.h"
#include "tools/nereid/run/bind.h"

#include <stdio.h>
#include <stdlib.h>

static const tool_option_t options[] = {
    TOOL_JOB_OPTIONS,
    TOOL_PLAN_OPTIONS(run_settings_t, plan),
    {"--block", "X[,Y[,Z]]", "threads per CTA, for PTX without .reqntid", TOOL_TEXT, offsetof(run_settings_t, block)},
    {"--abi", "ABI",
     "ABI of PTX without metadata: triton, with two scratch pointers after the arguments, or ptx, without (default: "
     "triton "
     "if the IR is next to it, else ptx)",
     TOOL_TEXT, offsetof(run_settings_t, abi)},
    {"--on", "ENGINE", "gpu, emulator or interpreter (default: the first available one)", TOOL_TEXT,
     offsetof(run_settings_t, engine)},
    {"--check", "ENGINE", "also run on this engine and compare every tensor", TOOL_TEXT,
     offsetof(run_settings_t, check)},
    {"--check-axis", NULL, "check every value in the interpreter against the facts of the axis analysis", TOOL_FLAG,
     offsetof(run_settings_t, check_axis)},
    {"--out", "NAME=FILE.npy", "write a tensor to a file after the run", TOOL_LIST, offsetof(run_settings_t, outputs)},
    {"--bench", NULL, "time 100 more runs, with the L2 cache flushed before each", TOOL_FLAG,
     offsetof(run_settings_t, bench)},
    {"--counters", NULL, "print the emulator's counters: instructions, sectors, wavefronts, barriers (JSON)", TOOL_FLAG,
     offsetof(run_settings_t, counters)},
    {"--initcheck", NULL, "track uninitialized bits in the emulator, and fail when they affect the result", TOOL_FLAG,
     offsetof(run_settings_t, initcheck)},
    {"--stop-on", "RULES",
     "stop the emulator at the first violation of these rules, separated by commas, or all: docs/emulator.md lists "
     "them (default: report violations and continue)",
     TOOL_TEXT, offsetof(run_settings_t, stop_on)},
    {"--racecheck", NULL, "detect races in the emulator; exit status 1 when there are any", TOOL_FLAG,
     offsetof(run_settings_t, racecheck)},
    {"--races", "FILE", "write the races to a file as JSON, one object per line; implies --racecheck", TOOL_TEXT,
     offsetof(run_settings_t, races)},
    {"--timeline", "FILE",
     "write the steps of each warp of the emulator as a trace for Perfetto or chrome://tracing; the default of "
     "--landing is then wait",
     TOOL_TEXT, offsetof(run_settings_t, timeline)},
    {"--timeline-ctas", "FIRST[-LAST]",
     "the CTAs of the timeline, by number in the grid, x fastest (default: those of the first cluster)", TOOL_TEXT,
     offsetof(run_settings_t, timeline_ctas)},
    {"--timeline-events", "N", "limit on the events of the timeline (default: 200000)", TOOL_INTEGER,
     offsetof(run_settings_t, timeline_events)},
    {"--lineinfo", NULL, "keep source lines when compiling; for the emulator they are always kept", TOOL_FLAG,
     offsetof(run_settings_t, lineinfo)},
    {"--record", "DIR",
     "keep the kernel, its options, arguments and results in a directory that nereid run, bisect, reduce and report "
     "read (docs/recording.md)",
     TOOL_TEXT, offsetof(run_settings_t, record)},
    {"--dump-dir", "D", "write every stage to D/0-ttir/KERNEL.ttir, D/1-ttgir/KERNEL.ttgir … when compiling", TOOL_TEXT,
     offsetof(run_settings_t, dump_dir)},
    {"--ptxas-options", "S", "additional arguments for the assembler, separated by spaces", TOOL_TEXT,
     offsetof(run_settings_t, ptxas_options)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_run = {
    "run", "IN", "runs a kernel on given or generated arguments", options, TOOL_COUNT(options), run};

enum { REPEATS = 100 };

/* Parses the metadata, with parameters, from the texts of a job. */
static nereid_status_t describe(nereid_arena_t *arena, tool_job_t *job, nereid_message_t *message) {
  nereid_image_t image;
  nereid_status_t status = nereid_metadata_parse(arena, job->description, &job->metadata, message);
  if (status || !job->image.size)
    return status;
  status = nereid_image_inspect(arena, job->image, &image, message);
  return status ? status : nereid_kernel_match(arena, &image, &job->metadata, message);
}

/* Finds the index of `text` among `names`; 0 for null. */
static nereid_status_t choose(const char *what, const char *text, const char *const names[3], int *out_choice,
                              nereid_message_t *message) {
  *out_choice = 0;
  for (int i = 0; text && i < 3; ++i)
    if (strcmp(text, names[i]) == 0) {
      *out_choice = i;
      return NEREID_OK;
    }
  return !text ? NEREID_OK
               : nereid_message_set(message, NEREID_ERROR_ARGUMENT, "unknown %s '%s': expected %s, %s or %s", what,
                                    text, names[0], names[1], names[2]);
}

static nereid_status_t no_rule(nereid_view_t name, nereid_message_t *message) {
  char names[256] = "";
  for (int i = 0; i < NEREID_EMULATOR_RULE_COUNT; ++i)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s, ",
             nereid_emulator_rule_name((nereid_emulator_rule_t)i));
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "unknown rule '%.*s': expected %sor all", (int)name.size,
                            name.data, names);
}

/* "mbarrier-reuse,uninitialized" or "all" as bits; 0 for null. */
static nereid_status_t choose_rules(const char *text, uint32_t *out_rules, nereid_message_t *message) {
  *out_rules = 0;
  for (const char *at = text; at;) {
    const char *comma = strchr(at, ',');
    const nereid_view_t name = nereid_view_of(at, comma ? (size_t)(comma - at) : strlen(at));
    uint32_t found = nereid_view_equal(name, nereid_view("all")) ? UINT32_MAX : 0;
    for (int i = 0; i < NEREID_EMULATOR_RULE_COUNT; ++i)
      if (nereid_view_equal(name, nereid_view(nereid_emulator_rule_name((nereid_emulator_rule_t)i))))
        found |= UINT32_C(1) << i;
    if (!found)
      return no_rule(name, message);
    *out_rules |= found;
    at = comma ? comma + 1 : NULL;
  }
  return NEREID_OK;
}

/* Selects the events of the timeline from "4" or "4-7", and their limit. */
static nereid_status_t choose_timeline(const run_settings_t *settings, tool_job_t *job, nereid_message_t *message) {
  const char *text = settings->timeline_ctas;
  job->timeline_path = settings->timeline;
  job->timeline.limit = (uint64_t)settings->timeline_events;
  if (settings->timeline_events < 0)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--timeline-events is less than 0");
  if (!settings->timeline && (text || settings->timeline_events))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--timeline-ctas and --timeline-events need --timeline");
  if (!text)
    return NEREID_OK;
  char *end = NULL;
  const uint64_t first = strtoull(text, &end, 10);
  const bool ranges = end != text && *end == '-' && end[1] >= '0' && end[1] <= '9';
  const uint64_t last = ranges ? strtoull(end + 1, &end, 10) : first;
  if (*text < '0' || *text > '9' || *end || last < first || last >= INT64_MAX)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--timeline-ctas: expected a number or 4-7, not '%s'",
                              text);
  job->timeline.first = first;
  job->timeline.ctas = last - first + 1;
  return NEREID_OK;
}

/* Sets the schedule of the emulator where the execution order is not specified. */
static nereid_status_t choose_order(const run_settings_t *settings, tool_job_t *job, nereid_message_t *message) {
  static const char *const schedules[3] = {[NEREID_EMULATOR_ROUND_ROBIN] = "round-robin",
                                           [NEREID_EMULATOR_RANDOM] = "random",
                                           [NEREID_EMULATOR_ADVERSARIAL] = "adversarial"};
  static const char *const landings[3] = {[NEREID_EMULATOR_LAND_AT_ISSUE] = "issue",
                                          [NEREID_EMULATOR_LAND_AT_WAIT] = "wait",
                                          [NEREID_EMULATOR_LAND_RANDOM] = "random"};
  int schedule, landing;
  nereid_status_t status = choose("schedule", settings->schedule, schedules, &schedule, message);
  if (!status)
    status = choose("landing", settings->landing, landings, &landing, message);
  if (status)
    return status;
  status = choose_rules(settings->stop_on, &job->stop_on, message);
  if (status)
    return status;
  if (settings->timeline && !settings->landing)
    landing = NEREID_EMULATOR_LAND_AT_WAIT;
  job->schedule = (nereid_emulator_schedule_t)schedule;
  job->landing = (nereid_emulator_landing_t)landing;
  job->proxy = settings->proxy_at_fence ? NEREID_EMULATOR_PROXY_AT_FENCE : NEREID_EMULATOR_PROXY_AT_ONCE;
  job->seed = (uint64_t)settings->seed;
  return NEREID_OK;
}

nereid_compile_options_t tool_trace_options(const run_settings_t *settings) {
  return (nereid_compile_options_t){.size = sizeof(nereid_compile_options_t),
                                    .target = settings->target ? settings->target : "sm_90a",
                                    .emit = NEREID_STAGE_LLVM,
                                    .num_warps = (int32_t)settings->num_warps,
                                    .num_stages = (int32_t)settings->num_stages,
                                    .num_ctas = (int32_t)settings->num_ctas,
                                    .kernel = settings->kernel,
                                    .no_global_order = settings->no_global_order,
                                    .no_warp_specialization = settings->no_warp_specialization};
}

nereid_status_t tool_job_configure(const run_settings_t *settings, tool_job_t *job, double *out_tolerance,
                                   nereid_message_t *message) {
  char *end = NULL;
  *out_tolerance = settings->tolerance ? strtod(settings->tolerance, &end) : -1;
  if (settings->tolerance && (end == settings->tolerance || *end || !(*out_tolerance >= 0)))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--tolerance: expected a number of at least 0, not '%s'",
                              settings->tolerance);
  if (settings->shared > 1 << 20)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--shared is more than 1 MiB");
  if (settings->abi && strcmp(settings->abi, "triton") != 0 && strcmp(settings->abi, "ptx") != 0)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "unknown ABI '%s': expected triton or ptx",
                              settings->abi);
  if (settings->steps < 0)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--steps is less than 0");
  nereid_status_t status;
  job->steps = (uint64_t)settings->steps;
  job->has_grid = settings->grid && tool_parse_extents(settings->grid, job->grid);
  job->grid_text = job->has_grid ? NULL : settings->grid;
  status = choose_timeline(settings, job, message);
  return status ? status : choose_order(settings, job, message);
}

static nereid_status_t no_engine(const char *name, nereid_message_t *message) {
  static const char *const known[] = {"gpu", "emulator", "interpreter"};
  for (size_t i = 0; i < TOOL_COUNT(known); ++i)
    if (strcmp(known[i], name) == 0)
      return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "this build does not contain the engine %s", name);
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                            "unknown engine '%s': expected gpu, emulator or interpreter", name);
}

/* Opens the requested engine, else the first one that this machine has. */
static nereid_status_t open_engine(const char *name, const tool_engine_t **out_engine, void **out_state,
                                   nereid_message_t *message) {
  nereid_message_t first = {0}, reason = {0};
  if (name) {
    *out_engine = tool_engine_find(name);
    return *out_engine ? (*out_engine)->open(out_state, message) : no_engine(name, message);
  }
  for (size_t i = 0; i < tool_engine_count; ++i) {
    *out_engine = tool_engines[i];
    nereid_status_t status = (*out_engine)->open(out_state, &reason);
    if (!status)
      return NEREID_OK;
    if (status != NEREID_ERROR_NOT_FOUND) { /* a driver that fails is an error, a missing one is not */
      *message = reason;
      return status;
    }
    if (!first.text[0])
      first = reason;
  }
  return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "no engine on this machine runs kernels (%s)", first.text);
}

nereid_status_t tool_job_copy(nereid_arena_t *arena, const tool_job_t *job, tool_job_t *out_copy,
                              nereid_message_t *message) {
  *out_copy = *job;
  out_copy->repeats = 0;
  out_copy->count = false;
  out_copy->racecheck = out_copy->initcheck = false;
  out_copy->timeline_path = NULL;
  out_copy->tensors = nereid_arena_new(arena, tool_tensor_t, job->n_tensors);
  for (size_t i = 0; out_copy->tensors && i < job->n_tensors; ++i) {
    out_copy->tensors[i] = job->tensors[i];
    out_copy->tensors[i].data = nereid_arena_allocate(arena, job->tensors[i].bytes + 1, 1);
    if (out_copy->tensors[i].data)
      memcpy(out_copy->tensors[i].data, job->tensors[i].data, job->tensors[i].bytes);
  }
  return arena->failed ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory") : NEREID_OK;
}

/* Binds the job of the check. When its kernel has other parameters, because descriptors were rewritten for one engine
 * only, it is bound separately to the same tensors: their order is that of the arguments of the call. */
static nereid_status_t bind_check(nereid_arena_t *arena, const run_settings_t *settings, const tool_job_t *job,
                                  tool_job_t *expected, nereid_message_t *message) {
  nereid_metadata_t metadata;
  nereid_status_t status = nereid_metadata_parse(arena, expected->description, &metadata, message);
  if (status || metadata.n_parameters == job->metadata.n_parameters)
    return status;
  expected->metadata = metadata;
  expected->n_tensors = 0;
  status = tool_bind(arena, &settings->arguments, (uint64_t)settings->seed, expected, message);
  for (size_t i = 0; !status && i < expected->n_tensors; ++i)
    memcpy(expected->tensors[i].data, job->tensors[i].data, job->tensors[i].bytes);
  return status;
}

/* An open engine, or the reason why it could not be opened. */
typedef struct runner {
  const tool_engine_t *engine; /* null: no engine was requested */
  void *state;                 /* null: it could not be opened */
  nereid_status_t status;
  nereid_message_t message;
} runner_t;

static runner_t open_runner(const char *name) {
  runner_t runner = {0};
  runner.status = open_engine(name, &runner.engine, &runner.state, &runner.message);
  return runner;
}

static void close_runner(runner_t *runner) {
  if (runner->state)
    runner->engine->close(runner->state);
}

/* Compiles for a runner; for the default target when there is none. */
static nereid_status_t load(nereid_arena_t *arena, const run_settings_t *settings, const char *path,
                            nereid_view_t input, const runner_t *runner, tool_job_t *job, nereid_message_t *message) {
  bool open = runner->state != NULL;
  return tool_job_load(arena, settings, path, input, open ? runner->engine->stage : NEREID_STAGE_CUBIN,
                       open ? runner->engine->target(runner->state) : NULL, job, message);
}

/* Runs a job, and with `check` its copy on the other engine. Returns the exit code. */
static int run_and_report(nereid_arena_t *arena, const run_settings_t *settings, const runner_t *runner,
                          const runner_t *check, tool_job_t *job, tool_job_t *expected, double tolerance) {
  nereid_message_t message = {0}, ignored = {0};
  nereid_status_t status = runner->engine->run(runner->state, job, &message);
  nereid_status_t recorded = NEREID_OK;
  if (settings->record && status)
    recorded = tool_record_results(arena, settings->record, job,
                                   message.text[0] ? message.text : nereid_status_string(status), &ignored);
  else if (settings->record)
    status = tool_record_results(arena, settings->record, job, NULL, &message);
  if (!status) {
    tool_results_run(job, runner->engine->describe(runner->state));
    tool_results_times(job);
    status = tool_results_outputs(arena, &settings->outputs, job, &message);
  }
  if (!status && check->state)
    status = check->engine->run(check->state, expected, &message);
  if (recorded) /* the error of the run is reported, too */
    (void)tool_failed(&tool_command_run, recorded, &ignored);
  if (status)
    return tool_failed(&tool_command_run, status, &message);
  bool good = !check->state || tool_results_check(job, expected, check->engine->name, tolerance);
  return good && !job->races && !job->overwrites && !job->violations ? TOOL_DONE : TOOL_PROGRAM;
}

nereid_status_t tool_job_prepare(nereid_arena_t *arena, const run_settings_t *settings, tool_job_t *job,
                                 nereid_message_t *message) {
  nereid_status_t status = describe(arena, job, message);
  if (settings->shared >= 0)
    job->metadata.shared = (uint64_t)settings->shared;
  if (!status)
    status = tool_check_block(settings, &job->metadata, message);
  if (!status && settings->kernel && strcmp(settings->kernel, job->metadata.name) != 0)
    status = nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "unknown kernel '%s': the metadata describes '%s'",
                                settings->kernel, job->metadata.name);
  if (!status)
    status = tool_bind(arena, &settings->arguments, (uint64_t)settings->seed, job, message);
  if (!status)
    status = tool_results_check_outputs(&settings->outputs, job, message);
  if (!status && settings->timeline)
    status = nereid_file_check(settings->timeline, message);
  if (!status && settings->races)
    status = nereid_file_check(settings->races, message);
  job->count = settings->counters;
  job->check_axis = settings->check_axis;
  job->initcheck = settings->initcheck;
  job->racecheck = settings->racecheck || settings->races;
  job->races_path = settings->races;
  job->repeats = settings->bench ? REPEATS : 0;
  job->milliseconds = nereid_arena_new(arena, float, REPEATS);
  return status;
}

/* Loads, binds, runs and reports on open engines. Returns the exit code. */
static int run_on(nereid_arena_t *arena, const run_settings_t *settings, const char *path, const runner_t *runner,
                  const runner_t *check) {
  nereid_message_t message = {0};
  tool_job_t job = {0}, expected = {0};
  nereid_view_t input;
  double tolerance = -1;
  nereid_status_t status = tool_job_configure(settings, &job, &tolerance, &message);
  if (!status)
    status = nereid_file_read(arena, path, &input, &message);
  if (!status)
    status = load(arena, settings, path, input, runner, &job, &message);
  if (!status)
    status = tool_job_prepare(arena, settings, &job, &message);
  if (!status)
    status = tool_job_copy(arena, &job, &expected, &message);
  if (!status && check->state)
    status = load(arena, settings, path, input, check, &expected, &message);
  if (!status && check->state)
    status = bind_check(arena, settings, &job, &expected, &message);
  if (status && (job.reported || expected.reported) &&
      !message.text[0]) /* the diagnostics were printed and are more precise */
    return status == NEREID_ERROR_PROGRAM ? TOOL_PROGRAM : TOOL_CALL;
  if (status)
    return tool_failed(&tool_command_run, status, &message);
  if (runner->status)
    return tool_failed(&tool_command_run, runner->status, &runner->message);
  if (check->status)
    return tool_failed(&tool_command_run, check->status, &check->message);
  const char *only = settings->counters   ? "--counters"
                     : settings->schedule ? "--schedule"
                     : settings->landing  ? "--landing"
                     : job.proxy          ? "--proxy-at-fence"
                     : job.initcheck      ? "--initcheck"
                     : job.racecheck      ? "--racecheck"
                     : job.stop_on        ? "--stop-on"
                     : job.timeline_path  ? "--timeline"
                                          : NULL;
  if (only && strcmp(runner->engine->name, "emulator") != 0) {
    tool_error(&tool_command_run, "%s needs --on emulator", only);
    return TOOL_CALL;
  }
  if (job.check_axis && strcmp(runner->engine->name, "interpreter") != 0 &&
      (!check->state || strcmp(check->engine->name, "interpreter") != 0)) {
    tool_error(&tool_command_run, "--check-axis needs --on interpreter or --check interpreter");
    return TOOL_CALL;
  }
  if (settings->record)
    status = tool_record_arguments(arena, settings, settings->record, path, &job, &message);
  if (status)
    return tool_failed(&tool_command_run, status, &message);
  return run_and_report(arena, settings, runner, check, &job, &expected, tolerance);
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  run_settings_t settings = {.shared = -1};
  tool_list_t operands = {0};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_run, argc, argv, &settings, &operands);
  if (code == TOOL_CONTINUE && operands.size != 1) {
    tool_error(&tool_command_run, "expected one input; see nereid run --help");
    code = TOOL_CALL;
  }
  nereid_message_t message = {0};
  if (code == TOOL_CONTINUE) {
    const nereid_status_t status = tool_record_open(&arena, &operands.items[0], &settings, &message);
    code = status ? tool_failed(&tool_command_run, status, &message) : TOOL_CONTINUE;
  }
  if (code == TOOL_CONTINUE) {
    runner_t runner = open_runner(settings.engine), check = {0};
    if (settings.check)
      check = open_runner(settings.check);
    code = run_on(&arena, &settings, operands.items[0], &runner, &check);
    close_runner(&runner);
    close_runner(&check);
  }
  nereid_arena_deinitialize(&arena);
  return code;
}
