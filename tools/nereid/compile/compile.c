/* nereid compile: compiles an input of any stage to a later stage.
 *
 *   nereid compile kernel.ttir                      kernel.cubin and kernel.cubin.json in the current folder
 *   nereid compile a.ttir b.ttir -j 2 -o out        out/a.cubin, out/a.cubin.json, out/b.cubin …
 *   nereid compile - --emit ptx <kernel.ttir        PTX on standard output, no metadata
 *
 * An output file appears only when it is complete: it is written to a temporary file in the same folder and renamed. */
#include "nereid/compile.h"

#include "base/file.h"
#include "tools/nereid/caret.h"
#include "tools/nereid/compile/compile_output.h"
#include "tools/nereid/compile/remarks.h"
#include "tools/nereid/define.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/jobs/jobs.h"
#include "tools/nereid/jobs/processors.h"
#include "tools/nereid/jobs/progress.h"
#include "tools/nereid/paths.h"
#include "tools/nereid/store/place.h"
#include "tools/nereid/tool.h"

#include <sys/stat.h>

typedef struct settings {
  const char *output, *target, *emit, *dump_dir, *callgraph, *kernel, *ptx_version, *ptxas, *ptxas_options, *libdevice,
      *remarks, *print_triton_version, *abi, *block, *stop_before, *start_at, *grid, *progress;
  tool_list_t defines, stores;
  int64_t num_warps, num_stages, num_ctas, maxnreg, jobs, time_limit, assembler_timeout;
  bool time, no_fp_fusion, no_global_order, no_warp_specialization, lineinfo, cooperative, pdl, nvjitlink,
      specialize_calls, no_store;
} settings_t;

#define AT(field) offsetof(settings_t, field)

static const tool_option_t options[] = {
    {"-o", "OUT", "output file; for several inputs a folder; - for standard output", TOOL_ONCE, AT(output)},
    {"--target", "T", "sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a or cuda:NN (default: the module's, else sm_90a)",
     TOOL_TEXT, AT(target)},
    {"--emit", "STAGE", "ttir, ttgir, llvm, ll, ptx or cubin (default: the suffix of -o, else cubin)", TOOL_TEXT,
     AT(emit)},
    {"--stop-before", "PASS", "write the IR before this pass of the stages ttir and ttgir, for --start-at", TOOL_TEXT,
     AT(stop_before)},
    {"--start-at", "PASS", "the input is IR before this pass: continue there", TOOL_TEXT, AT(start_at)},
    {"--num-warps", "N", "warps per CTA, a power of two (default: the module's, else 4)", TOOL_POSITIVE, AT(num_warps)},
    {"--num-stages", "N", "loop iterations in flight (default: the module's, else 3)", TOOL_POSITIVE, AT(num_stages)},
    {"--num-ctas", "N", "CTAs per cluster, a power of two (default: the module's, else 1)", TOOL_POSITIVE,
     AT(num_ctas)},
    {"--maxnreg", "N", "registers per thread, at most 256", TOOL_POSITIVE, AT(maxnreg)},
    {"--define", "NAME=VALUE", "replace ${NAME} in the text of the input", TOOL_LIST, AT(defines)},
    {"--grid", "GRID",
     "the kernel's grid in names of its arguments, such as 'x = ceildiv(m, 128) * ceildiv(n, 256), per_sm = 1'; "
     "replaces nereid.grid of the IR; auto: derived from the IR",
     TOOL_TEXT, AT(grid)},
    {"--kernel", "NAME", "the public function to compile, when there are several", TOOL_TEXT, AT(kernel)},
    {"--block", "X[,Y[,Z]]", "threads per CTA, for PTX without .reqntid", TOOL_TEXT, AT(block)},
    {"--abi", "ABI",
     "ABI of PTX without metadata: triton, with two scratch pointers after the arguments, or ptx, without (default: "
     "triton "
     "if the IR is next to it, else ptx)",
     TOOL_TEXT, AT(abi)},
    {"--no-fp-fusion", NULL, "do not contract multiply and add to fma", TOOL_FLAG, AT(no_fp_fusion)},
    {"--no-global-order", NULL, "insert no barriers between dependent accesses to global memory within a program",
     TOOL_FLAG, AT(no_global_order)},
    {"--no-warp-specialization", NULL, "do not divide loops between producer and consumer warps", TOOL_FLAG,
     AT(no_warp_specialization)},
    {"--ptx-version", "V", "PTX version to emit, such as 8.4 (default: that of the target)", TOOL_TEXT,
     AT(ptx_version)},
    {"--libdevice", "F", "libdevice.10.bc (default: searched in CUDA_HOME, CUDA_PATH, /usr/local/cuda)", TOOL_TEXT,
     AT(libdevice)},
    {"--ptxas", "F", "the assembler (default: searched in CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda)", TOOL_TEXT,
     AT(ptxas)},
    {"--ptxas-options", "S", "additional arguments for the assembler, separated by spaces", TOOL_TEXT,
     AT(ptxas_options)},
    {"--assembler-timeout", "SECONDS", "stop ptxas after this time (default: no limit); excludes nvJitLink",
     TOOL_POSITIVE, AT(assembler_timeout)},
    {"--timeout", "SECONDS", "stop the compilation of an input after this time (default: no limit)", TOOL_POSITIVE,
     AT(time_limit)},
    {"--nvjitlink", NULL, "assemble with nvJitLink, which starts no process but generates slower code", TOOL_FLAG,
     AT(nvjitlink)},
    {"--store", "DIR|URL",
     "read results from this store and put them there: a folder, a Redis server (redis://HOST, unix://PATH), or both "
     "(default: NEREID_STORE; docs/store.md)",
     TOOL_LIST, AT(stores)},
    {"--no-store", NULL, "ignore NEREID_STORE", TOOL_FLAG, AT(no_store)},
    {"--lineinfo", NULL, "keep source lines in LLVM IR, PTX and cubin", TOOL_FLAG, AT(lineinfo)},
    {"--cooperative", NULL, "launch cooperatively, with all CTAs resident at once", TOOL_FLAG, AT(cooperative)},
    {"--pdl", NULL, "launch with programmatic dependent launch", TOOL_FLAG, AT(pdl)},
    {"--dump-dir", "D", "write every stage to D/0-ttir/KERNEL.ttir, D/1-ttgir/KERNEL.ttgir …", TOOL_TEXT, AT(dump_dir)},
    {"--emit-callgraph", "F", "write the call graph with shared-memory frames to F, in Graphviz format", TOOL_TEXT,
     AT(callgraph)},
    {"--specialize-calls", NULL, "clone functions for calls whose arguments have different known properties", TOOL_FLAG,
     AT(specialize_calls)},
    {"--print-triton-version", "V", "print ttir and ttgir as Triton 3.6, 3.7, 3.8 or 3.9 does (default: as the input)",
     TOOL_TEXT, AT(print_triton_version)},
    {"--time", NULL, "print the time and peak memory of every stage", TOOL_FLAG, AT(time)},
    {"--remarks", "[=REGEX]",
     "print the decisions of passes and their reasons; REGEX filters by pass, decision or text", TOOL_MAYBE,
     AT(remarks)},
    {"-j", "[N]", "compile N inputs at a time, each in its own process; without N one per processor (default: 1)",
     TOOL_OPTIONAL_POSITIVE, AT(jobs)},
    {"--progress", "KIND",
     "progress of several inputs: tty, plain (a line for each), none or auto (default: tty on a terminal, else a plain "
     "line every 10 seconds)",
     TOOL_TEXT, AT(progress)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_compile = {
    "compile", "IN…", "compiles Triton IR, LLVM IR or PTX to a later stage", options, TOOL_COUNT(options), run};

/* The state of one command. */
typedef struct work {
  const settings_t *settings;
  nereid_compile_options_t options;
  tool_remarks_t remarks;
  const char **inputs;
  size_t n_inputs;
  size_t n_workers; /* processes */
} work_t;

/* The stage that the suffix of the output names, such as kernel.ptx. */
static nereid_stage_t stage_of_output(const char *output) {
  const char *dot = output ? strrchr(output, '.') : NULL;
  const nereid_stage_t stage = dot ? nereid_stage_parse(dot + 1) : NEREID_STAGE_NONE;
  return stage == NEREID_STAGE_NONE ? NEREID_STAGE_CUBIN : stage;
}

static bool convert(const settings_t *settings, nereid_compile_options_t *out) {
  *out = (nereid_compile_options_t){
      .size = sizeof *out,
      .target = settings->target,
      .emit = settings->emit ? nereid_stage_parse(settings->emit) : stage_of_output(settings->output),
      .num_warps = (int32_t)settings->num_warps,
      .num_stages = (int32_t)settings->num_stages,
      .num_ctas = (int32_t)settings->num_ctas,
      .maxnreg = (int32_t)settings->maxnreg,
      .kernel = settings->kernel,
      .no_fp_fusion = settings->no_fp_fusion,
      .no_global_order = settings->no_global_order,
      .no_warp_specialization = settings->no_warp_specialization,
      .lineinfo = settings->lineinfo,
      .cooperative = settings->cooperative,
      .pdl = settings->pdl,
      .dumps = settings->dump_dir != NULL,
      .callgraph = settings->callgraph != NULL,
      .ptx_version = settings->ptx_version,
      .libdevice = settings->libdevice,
      .ptxas = settings->ptxas,
      .ptxas_options = settings->ptxas_options,
      .nvjitlink = settings->nvjitlink,
      .specialize_calls = settings->specialize_calls,
      .print_triton_version = settings->print_triton_version,
      .stop_before = settings->stop_before,
      .start_at = settings->start_at,
      .grid = settings->grid,
  };
  out->time_limit = (uint32_t)settings->time_limit * 1000;
  out->assembler_time_limit = (uint32_t)settings->assembler_timeout * 1000;
  return out->emit != NEREID_STAGE_NONE;
}

static nereid_status_t compile_text(work_t *work, nereid_compiler_t *compiler, const char *path, tool_source_t *source,
                                    nereid_arena_t *arena, bool *out_is_stored, nereid_message_t *message) {
  const tool_output_t output = {.path = work->settings->output,
                                .several = work->n_inputs > 1,
                                .dump_dir = work->settings->dump_dir,
                                .callgraph = work->settings->callgraph,
                                .time = work->settings->time,
                                .abi = work->settings->abi,
                                .block = work->settings->block};
  nereid_compile_options_t compile_options = work->options;
  tool_remarks_of_source_t remarks = {&work->remarks, source};
  nereid_result_t *result = NULL;
  compile_options.cancellation = tool_interrupt_begin();
  compile_options.remark_handler = work->settings->remarks ? tool_print_remark : NULL;
  compile_options.remark_data = &remarks;
  nereid_status_t status = nereid_compile(compiler, source->text, source->name, &compile_options, &result);
  tool_interrupt_end();
  *out_is_stored = status == NEREID_OK && nereid_result_is_stored(result);
  if (status == NEREID_OK)
    status = tool_write_result(&output, path, source->text, result, arena, message);
  nereid_result_destroy(result);
  return status;
}

static tool_job_result_t compile_one(work_t *work, const char *path) {
  tool_source_t source = {.name = strcmp(path, "-") == 0 ? "<stdin>" : path};
  const nereid_compiler_options_t how = {.size = sizeof how, .handler = tool_print_diagnostic, .user_data = &source};
  nereid_message_t message = {""};
  nereid_compiler_t *compiler = NULL;
  bool is_stored = false;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_status_t status = nereid_file_read(&arena, path, &source.text, &message);
  if (status == NEREID_OK)
    status = tool_define(&arena, source.name, &work->settings->defines, &source.text, &message);
  if (status == NEREID_ERROR_PROGRAM)
    source.errors = 1; /* printed */
  if (status == NEREID_OK)
    status = nereid_compiler_create(&how, &compiler);
  if (status == NEREID_OK)
    status = compile_text(work, compiler, path, &source, &arena, &is_stored, &message);
  nereid_compiler_destroy(compiler);
  nereid_arena_deinitialize(&arena);
  if (status == NEREID_OK)
    return (tool_job_result_t){.code = TOOL_DONE, .cached = is_stored};
  if (tool_interrupt_is_caught()) /* main ends the process by the signal */
    return (tool_job_result_t){.code = TOOL_CALL};
  if (source.errors && !message.text[0]) /* the diagnostics were printed and are more precise */
    return (tool_job_result_t){.code = status == NEREID_ERROR_PROGRAM ? TOOL_PROGRAM : TOOL_CALL};
  return (tool_job_result_t){.code = tool_failed(&tool_command_compile, status, &message)};
}

static const char *name_of(void *data, size_t index) {
  const work_t *work = data;
  return work->inputs[index];
}

static tool_job_result_t run_job(void *data, size_t index) {
  work_t *work = data;
  return compile_one(work, work->inputs[index]);
}

/* A single input is compiled in this process. */
static int run_all(work_t *work, tool_progress_kind_t progress) {
  const int64_t jobs = work->settings->jobs;
  work->n_workers = (size_t)(jobs == TOOL_ALL ? tool_processors() : jobs);
  if (work->n_inputs == 1)
    return compile_one(work, work->inputs[0]).code;
  return tool_jobs_run(&(tool_jobs_t){.command = &tool_command_compile,
                                      .n = work->n_inputs,
                                      .workers = (int64_t)work->n_workers,
                                      .progress = progress,
                                      .name = name_of,
                                      .run = run_job,
                                      .data = work});
}

/* Rejects two inputs with the same output name, because the second would overwrite the first. False after an error on
 * stderr. */
static bool check_names(nereid_arena_t *arena, const tool_list_t *inputs) {
  const char **stems = nereid_arena_new(arena, const char *, inputs->size);
  for (size_t i = 0; stems && i < inputs->size; i++) {
    const char *slash = strrchr(inputs->items[i], '/');
    stems[i] = tool_path_with_suffix(arena, slash ? slash + 1 : inputs->items[i], "");
    for (size_t k = 0; stems[i] && k < i; k++)
      if (stems[k] && strcmp(stems[i], stems[k]) == 0) {
        tool_error(&tool_command_compile, "'%s' and '%s' have the same output name '%s'; compile them separately",
                   inputs->items[k], inputs->items[i], stems[i]);
        return false;
      }
  }
  return true;
}

static int check_output(nereid_arena_t *arena, const settings_t *settings, const tool_list_t *inputs) {
  struct stat about;
  if (inputs->size == 0) {
    tool_error(&tool_command_compile, "no input file; see nereid compile --help");
    return TOOL_CALL;
  }
  if (inputs->size > 1 && settings->output && (stat(settings->output, &about) || !S_ISDIR(about.st_mode))) {
    tool_error(&tool_command_compile, "-o %s: expected an existing folder for %zu inputs", settings->output,
               inputs->size);
    return TOOL_CALL;
  }
  if (inputs->size > 1 && settings->callgraph) {
    tool_error(&tool_command_compile,
               "--emit-callgraph %s: expected a single input, because all inputs would write to one file",
               settings->callgraph);
    return TOOL_CALL;
  }
  return check_names(arena, inputs) ? TOOL_CONTINUE : TOOL_CALL;
}

/* Checks the words of options and converts them into `work` and `progress`. */
static int convert_words(const settings_t *settings, work_t *work, tool_progress_kind_t *progress) {
  if (settings->abi && strcmp(settings->abi, "triton") != 0 && strcmp(settings->abi, "ptx") != 0) {
    tool_error(&tool_command_compile, "unknown ABI '%s': expected triton or ptx", settings->abi);
    return TOOL_CALL;
  }
  if (!tool_progress_parse(settings->progress, progress)) {
    tool_error(&tool_command_compile, "--progress %s: expected auto, plain, tty or none", settings->progress);
    return TOOL_CALL;
  }
  if (!convert(settings, &work->options)) {
    tool_error(&tool_command_compile, "--emit %s: expected ttir, ttgir, llvm, ll, ptx or cubin", settings->emit);
    return TOOL_CALL;
  }
  if (!tool_remarks_open(&work->remarks, &tool_command_compile, settings->remarks ? settings->remarks : ""))
    return TOOL_CALL;
  return TOOL_CONTINUE;
}

static int run(int argc, char **argv) {
  settings_t settings = {.jobs = 1};
  tool_list_t inputs = {0};
  tool_progress_kind_t progress;
  work_t work = {.settings = &settings};
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_compile, argc, argv, &settings, &inputs);
  work.inputs = inputs.items;
  work.n_inputs = inputs.size;
  if (code == TOOL_CONTINUE)
    code = check_output(&arena, &settings, &inputs);
  if (code == TOOL_CONTINUE)
    code = convert_words(&settings, &work, &progress);
  if (code == TOOL_CONTINUE && !settings.no_store)
    code = tool_store_open(&arena, &tool_command_compile, &settings.stores, false, &work.options.store);
  if (code == TOOL_CONTINUE)
    code = run_all(&work, progress);
  tool_remarks_close(&work.remarks);
  nereid_store_close(work.options.store);
  nereid_arena_deinitialize(&arena);
  return code;
}
