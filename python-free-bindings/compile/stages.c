/* Runs the stages in order and collects their times and dumps.
 *
 *   ttir ── ttgir ── llvm ── ll ── ptx ── cubin
 *
 * Input at a stage is already that stage's result, so compilation starts with the next one. Only ttir (as front ends
 * print it) and LLVM IR (of any origin) run through their own stage first. */
#include "dialects/ir.h"
#include "session.h"

#include "analysis/call_graph.h"
#include "analysis/call_graph_dot.h"
#include "passes/pipeline.h"

#include <llvm-c/Core.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Pass.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* --- MLIR --- */

/* Runs a stage's passes and verifies the IR once, after the last. With assertions it is verified after each, which
 * takes a sixth of the time to PTX. */
static bool run_verified(MlirPassManager manager, MlirOperation module) {
#ifdef NDEBUG
  mlirPassManagerEnableVerifier(manager, false);
#endif
  return mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, module)) && mlirOperationVerify(module);
}

static const char *const *edit_passes(void *user_data, nereid_pipeline_t stage, const char *const *passes) {
  nereid_compilation_t *compilation = user_data;
  const nereid_session_hooks_t *hooks = compilation->compiler->hooks;
  const char *const *edited =
      hooks && hooks->pipeline.edit ? hooks->pipeline.edit(hooks->pipeline.user_data, stage, passes) : passes;
  return edited ? nereid_pass_range_cut(compilation, stage, edited) : NULL;
}

static nereid_status_t run_passes(nereid_compilation_t *compilation, nereid_pipeline_t pipeline) {
  if (nereid_pass_range_skips(compilation, pipeline))
    return NEREID_OK;
  const nereid_settings_t *settings = &compilation->settings;
  const nereid_pipeline_options_t options = {.num_warps = settings->num_warps,
                                             .num_ctas = settings->num_ctas,
                                             .num_stages = settings->num_stages,
                                             .capability = (int)settings->target.capability,
                                             .ptx_version = (int)settings->target.ptx_version,
                                             .fp_fusion = settings->fp_fusion,
                                             .global_order = !compilation->options.no_global_order,
                                             .warp_specialization = !compilation->options.no_warp_specialization,
                                             .architecture = settings->target.architecture_only};
  MlirPassManager manager = mlirPassManagerCreate(mlirOperationGetContext(compilation->module));
  const nereid_pipeline_hooks_t hooks = {
      .checkpoint = nereid_progress_pass, .edit = edit_passes, .user_data = compilation};
  nereid_status_t status = nereid_pipeline_add(mlirPassManagerGetAsOpPassManager(manager), pipeline, &options, &hooks,
                                               &compilation->scratch);
  if (status == NEREID_OK && !run_verified(manager, compilation->module))
    status = NEREID_ERROR_PROGRAM;
  mlirPassManagerDestroy(manager);
  return status;
}

static nereid_status_t run_ttir(nereid_compilation_t *compilation) {
  nereid_status_t status = NEREID_OK;
  if (compilation->options.lineinfo)
    status = run_passes(compilation, NEREID_PIPELINE_NAMES);
  if (status == NEREID_OK)
    status = run_passes(compilation, NEREID_PIPELINE_TTIR);
  if (status == NEREID_OK && nereid_grid_is_derived(compilation))
    status = run_passes(compilation, NEREID_PIPELINE_GRID);
  return status == NEREID_OK ? nereid_grid_check(compilation) : status;
}

/* Runs before layouts are chosen, which depends on properties of pointers; for input with layouts, before lowering. */
static nereid_status_t specialize_calls(nereid_compilation_t *compilation) {
  return compilation->options.specialize_calls ? run_passes(compilation, NEREID_PIPELINE_CALLS) : NEREID_OK;
}

static nereid_status_t run_ttgir(nereid_compilation_t *compilation) {
  nereid_status_t status = specialize_calls(compilation);
  return status == NEREID_OK ? run_passes(compilation, NEREID_PIPELINE_TTGIR) : status;
}

/* Updates the kernel's name: lowering replaces characters that PTX does not allow. Only one kernel is left. */
static nereid_status_t rename_kernel(nereid_compilation_t *compilation) {
  MlirAttribute name;
  MlirOperation function = nereid_kernel_function(compilation);
  if (mlirOperationIsNull(function))
    return nereid_report(&compilation->compiler->report, NEREID_ERROR_INTERNAL, "lowering removed the kernel '%s'",
                         compilation->result->kernel);
  name = nereid_ir_attribute(function, NEREID_ATTR_SYMBOL_NAME);
  MlirStringRef text = mlirStringAttrGetValue(name);
  compilation->result->kernel = nereid_arena_copy(&compilation->result->arena, nereid_view_of(text.data, text.length));
  compilation->metadata.name = compilation->result->kernel;
  return compilation->result->kernel ? NEREID_OK : NEREID_ERROR_MEMORY;
}

/* Runs between allocation and lowering: frames are assigned, and functions still take tensors. */
static nereid_status_t draw_calls(nereid_compilation_t *compilation) {
  nereid_text_builder_t text = {.arena = &compilation->result->arena};
  nereid_status_t status =
      nereid_call_graph_dot(compilation->module, &compilation->scratch, nereid_text_builder_append, &text);
  compilation->result->callgraph = nereid_view_of(text.data, text.size);
  return status == NEREID_OK && text.arena->failed ? NEREID_ERROR_MEMORY : status;
}

static nereid_status_t run_llvm(nereid_compilation_t *compilation) {
  nereid_status_t status = nereid_metadata_collect(compilation);
  if (status == NEREID_OK && compilation->result->input_stage == NEREID_STAGE_TTGIR)
    status = specialize_calls(compilation);
  if (status == NEREID_OK)
    status = run_passes(compilation, NEREID_PIPELINE_FRAMES);
  if (status == NEREID_OK && compilation->options.callgraph)
    status = draw_calls(compilation);
  if (status == NEREID_OK)
    status = run_passes(compilation, NEREID_PIPELINE_LLVM);
  if (status == NEREID_OK)
    status = rename_kernel(compilation);
  if (status != NEREID_OK)
    return status;
  nereid_metadata_update(compilation);
  return nereid_metadata_leave(compilation);
}

/* --- LLVM --- */

static nereid_status_t translate(nereid_compilation_t *compilation) {
  nereid_status_t status = run_passes(compilation, NEREID_PIPELINE_FINISH);
  if (status == NEREID_OK && compilation->options.lineinfo)
    status = run_passes(compilation, NEREID_PIPELINE_LINES);
  if (status == NEREID_OK)
    status = nereid_backend_translate(&compilation->compiler->backend, compilation->module, &compilation->llvm);
  return status;
}

static nereid_status_t leave_metadata(nereid_compilation_t *compilation) {
  LLVMContextRef context = LLVMGetModuleContext(compilation->llvm);
  const char *line = nereid_metadata_line(compilation);
  if (!line)
    return NEREID_ERROR_MEMORY;
  LLVMNamedMDNodeRef old = LLVMGetNamedMetadata(compilation->llvm, NEREID_METADATA_KEY, sizeof NEREID_METADATA_KEY - 1);
  if (old)
    return NEREID_OK; /* the printed text was read back: it is unchanged */
  LLVMMetadataRef text = LLVMMDStringInContext2(context, line, strlen(line));
  LLVMMetadataRef node = LLVMMDNodeInContext2(context, &text, 1);
  LLVMAddNamedMetadataOperand(compilation->llvm, NEREID_METADATA_KEY, LLVMMetadataAsValue(context, node));
  return NEREID_OK;
}

/* Sets the requested register limit on LLVM IR that was created without it. A lower one stays, as passes limit it to a
 * thread's share of the register file. */
static void limit_registers(nereid_compilation_t *compilation, LLVMValueRef kernel) {
  static const char key[] = "nvvm.maxnreg";
  char value[16];
  unsigned length = 0;
  LLVMAttributeRef given =
      LLVMGetStringAttributeAtIndex(kernel, LLVMAttributeFunctionIndex, key, (unsigned)(sizeof key - 1));
  const char *text = given ? LLVMGetStringAttributeValue(given, &length) : NULL;
  if (text && length && strtol(text, NULL, 10) <= compilation->options.maxnreg)
    return;
  int size = snprintf(value, sizeof value, "%d", compilation->options.maxnreg);
  LLVMAddAttributeAtIndex(
      kernel, LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(LLVMGetModuleContext(compilation->llvm), key, sizeof key - 1, value, (unsigned)size));
}

/* Returns the kernel's function and its name after names are adapted to PTX. `again`: return only the status of errors
 * in the program. */
static nereid_status_t prepare(nereid_compilation_t *compilation, bool again) {
  const nereid_backend_input_t input = {
      .name = compilation->name,
      .text = compilation->result->input_stage == NEREID_STAGE_LL ? compilation->input : nereid_view_of(NULL, 0),
      .libdevice = compilation->options.libdevice,
      .scratch = &compilation->scratch,
      .again = again};
  LLVMValueRef kernel = LLVMGetNamedFunction(compilation->llvm, compilation->result->kernel);
  if (kernel && compilation->options.maxnreg)
    limit_registers(compilation, kernel);
  nereid_status_t status =
      nereid_backend_prepare(&compilation->compiler->backend, compilation->llvm, &compilation->settings.target, &input);
  if (status != NEREID_OK || !kernel)
    return status;
  nereid_view_t name;
  name.data = LLVMGetValueName2(kernel, &name.size);
  compilation->result->kernel = nereid_arena_copy(&compilation->result->arena, name);
  compilation->metadata.name = compilation->result->kernel;
  return compilation->result->kernel ? NEREID_OK : NEREID_ERROR_MEMORY;
}

/* Operations that the target does not support are detected in LLVM IR, which has no source lines unless requested. For
 * a program with such an error the translation is repeated with source lines. */
static nereid_status_t translate_and_prepare(nereid_compilation_t *compilation) {
  const bool lines = compilation->options.lineinfo;
  nereid_status_t status = translate(compilation);
  if (status == NEREID_OK)
    status = prepare(compilation, !lines);
  if (status == NEREID_ERROR_PROGRAM && compilation->llvm && !lines) {
    LLVMDisposeModule(compilation->llvm);
    compilation->llvm = NULL;
    compilation->options.lineinfo = true;
    status = translate(compilation);
    if (status == NEREID_OK)
      status = prepare(compilation, false);
    compilation->options.lineinfo = false;
  }
  if (status != NEREID_OK)
    return status;
  mlirOperationDestroy(compilation->module);
  compilation->module = (MlirOperation){NULL};
  return NEREID_OK;
}

/* LLVM IR with Nereid's metadata is already optimized: later edits by users are preserved. */
static nereid_status_t run_ll(nereid_compilation_t *compilation) {
  nereid_status_t status;
  const bool translated = !mlirOperationIsNull(compilation->module);
  if (!translated)
    compilation->optimized =
        LLVMGetNamedMetadata(compilation->llvm, NEREID_METADATA_KEY, sizeof NEREID_METADATA_KEY - 1) != NULL;
  status = translated ? translate_and_prepare(compilation) : prepare(compilation, false);
  if (status == NEREID_OK && !compilation->optimized)
    status = nereid_backend_optimize(&compilation->compiler->backend, compilation->llvm);
  return status == NEREID_OK ? leave_metadata(compilation) : status;
}

/* --- PTX and machine code --- */

static nereid_status_t run_ptx(nereid_compilation_t *compilation) {
  nereid_view_t ptx;
  nereid_status_t status =
      nereid_backend_emit(&compilation->compiler->backend, compilation->llvm, &compilation->scratch, &ptx);
  LLVMDisposeModule(compilation->llvm);
  compilation->llvm = NULL;
  if (status != NEREID_OK)
    return status;
  const char *line = nereid_metadata_line(compilation);
  const char *text =
      line ? nereid_arena_format(&compilation->result->arena, "%s// %s: %s\n", ptx.data, NEREID_METADATA_KEY, line)
           : NULL;
  compilation->ptx = nereid_view(text);
  return text ? NEREID_OK : NEREID_ERROR_MEMORY;
}

void nereid_report_spills(nereid_compilation_t *compilation, const nereid_metadata_t *metadata) {
  if (metadata->spill_stores > NEREID_MINOR_SPILLS || metadata->spill_loads > NEREID_MINOR_SPILLS)
    nereid_report_at(&compilation->compiler->report, NEREID_REPORT_WARNING, compilation->name, 0, 0,
                     "kernel '%s' spills: with %d registers, each thread stores %llu bytes to local memory and loads "
                     "%llu bytes; more warps, smaller tiles or a higher limit of registers (maxnreg) avoid it; the "
                     "remark register-demand names the tensors",
                     metadata->name, metadata->registers, (unsigned long long)metadata->spill_stores,
                     (unsigned long long)metadata->spill_loads);
}

/* Stores the registers and spills that the assembler reports; spills are a warning. */
static void take_registers(nereid_compilation_t *compilation, const nereid_assembled_t *assembled) {
  compilation->result->registers = assembled->registers;
  compilation->result->spilled_bytes = assembled->spill_stores;
  compilation->metadata.registers = (int32_t)assembled->registers;
  compilation->metadata.spill_stores = assembled->spill_stores;
  compilation->metadata.spill_loads = assembled->spill_loads;
  nereid_report_spills(compilation, &compilation->metadata);
}

static nereid_status_t run_cubin(nereid_compilation_t *compilation) {
  const nereid_compile_options_t *options = &compilation->options;
  const nereid_assemble_options_t how = {
      .assembler = options->nvjitlink ? NEREID_ASSEMBLER_NVJITLINK : NEREID_ASSEMBLER_AUTO,
      .lineinfo = options->lineinfo,
      .no_fp_fusion = !compilation->settings.fp_fusion,
      .name = compilation->result->input_stage == NEREID_STAGE_PTX ? compilation->name : NULL,
      .quoted = compilation->result->input_stage == NEREID_STAGE_PTX ? nereid_view("") : compilation->ptx,
      .kernel = {compilation->result->kernel, compilation->place.file ? compilation->place.file : compilation->name,
                 compilation->place.line, compilation->place.column},
      .ptxas = options->ptxas,
      .arguments = options->ptxas_options,
      .target = compilation->settings.target,
      .limits = &compilation->limits,
      .time_limit = options->assembler_time_limit};
  nereid_assembled_t assembled;
  const nereid_status_t status = nereid_assemble_within_registers(compilation, &how, &assembled);
  if (status != NEREID_OK)
    return status;
  compilation->cubin = assembled.cubin;
  take_registers(compilation, &assembled);
  compilation->metadata.assembler = nereid_assembled_by(&assembled, &compilation->scratch);
  return NEREID_OK;
}

/* --- the driver --- */

static const struct stage {
  nereid_stage_t stage;
  bool of_input; /* also run when the input has this stage */
  nereid_status_t (*run)(nereid_compilation_t *compilation);
} stages[] = {
    {NEREID_STAGE_TTIR, true, run_ttir}, {NEREID_STAGE_TTGIR, false, run_ttgir}, {NEREID_STAGE_LLVM, false, run_llvm},
    {NEREID_STAGE_LL, true, run_ll},     {NEREID_STAGE_PTX, false, run_ptx},     {NEREID_STAGE_CUBIN, false, run_cubin},
};

/* Milliseconds. */
static double now(void) {
  return (double)nereid_limits_now() / 1e6;
}

static void add_time(nereid_result_t *result, const char *name, double milliseconds) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  result->times[result->n_times++] = (nereid_stage_time_t){name, milliseconds, (uint64_t)usage.ru_maxrss * 1024};
}

static nereid_status_t dump(nereid_compilation_t *compilation) {
  nereid_result_t *result = compilation->result;
  if (!compilation->options.dumps)
    return NEREID_OK;
  nereid_dump_t *next = &result->dumps[result->n_dumps++];
  next->stage = compilation->stage;
  return nereid_print_stage(compilation, &next->text);
}

/* Calls the session's hook for the current stage. */
static nereid_status_t call_hook(nereid_compilation_t *compilation) {
  const nereid_session_hooks_t *hooks = compilation->compiler->hooks;
  if (!hooks || !hooks->stage || compilation->stage > NEREID_STAGE_LL)
    return NEREID_OK;
  return hooks->stage(hooks->pipeline.user_data, compilation->stage, compilation->module, compilation->llvm)
             ? NEREID_OK
             : NEREID_ERROR_MEMORY;
}

static nereid_status_t read_all(nereid_compilation_t *compilation) {
  double start = now();
  nereid_status_t status = nereid_progress_stage(compilation, "read", 0, 0);
  if (status == NEREID_OK)
    status = nereid_read(compilation);
  compilation->result->input_stage = compilation->stage;
  if (status == NEREID_OK && compilation->options.allow_later && compilation->stage > compilation->options.emit)
    compilation->options.emit = compilation->stage;
  if (status == NEREID_OK && compilation->stage > compilation->options.emit)
    return nereid_report(&compilation->compiler->report, NEREID_ERROR_ARGUMENT,
                         "'%s' is already %s; it cannot be compiled back to %s", compilation->name,
                         nereid_stage_name(compilation->stage), nereid_stage_name(compilation->options.emit));
  if (status == NEREID_OK)
    status = nereid_pass_range_check_input(compilation);
  if (status == NEREID_OK)
    status = nereid_settings_resolve(compilation);
  if (status == NEREID_OK)
    status = nereid_kernel_select(compilation);
  if (status == NEREID_OK && compilation->stage <= NEREID_STAGE_TTGIR)
    nereid_argument_names_set(compilation);
  /* before inlining, which does not terminate on a cycle */
  nereid_call_graph_t graph;
  if (status == NEREID_OK && compilation->stage <= NEREID_STAGE_TTGIR)
    status = nereid_call_graph_build(compilation->module, &compilation->scratch, &graph);
  if (status == NEREID_OK && compilation->stage <= NEREID_STAGE_TTGIR)
    status = nereid_check_input(compilation);
  if (status == NEREID_OK && compilation->stage >= NEREID_STAGE_LLVM)
    status = nereid_metadata_collect(compilation);
  if (status == NEREID_OK)
    status = nereid_grid_set(compilation);
  if (status == NEREID_OK)
    status = nereid_specialize(compilation);
  if (status == NEREID_OK)
    status = call_hook(compilation);
  add_time(compilation->result, "read", now() - start);
  return status;
}

static nereid_status_t run_stage(nereid_compilation_t *compilation, const struct stage *stage, size_t index,
                                 size_t count) {
  double start = now();
  nereid_status_t status = nereid_progress_stage(compilation, nereid_stage_name(stage->stage), index, count);
  if (status == NEREID_OK)
    status = stage->run(compilation);
  if (status != NEREID_OK)
    return status;
  compilation->stage = stage->stage;
  add_time(compilation->result, nereid_stage_name(stage->stage), now() - start);
  status = call_hook(compilation);
  return status == NEREID_OK ? dump(compilation) : status;
}

static nereid_status_t finish(nereid_compilation_t *compilation) {
  nereid_result_t *result = compilation->result;
  nereid_view_t metadata = {NULL, 0};
  nereid_status_t status = NEREID_OK;
  if (compilation->stage <= NEREID_STAGE_TTGIR)
    status = nereid_metadata_collect(compilation);
  if (status == NEREID_OK)
    status = nereid_metadata_print(&compilation->scratch, &compilation->metadata, &metadata);
  if (status == NEREID_OK)
    status = nereid_print_stage(compilation, &result->bytes);
  if (status != NEREID_OK)
    return status;
  result->metadata = nereid_view_of(nereid_arena_copy(&result->arena, metadata), metadata.size);
  result->stage = compilation->stage;
  return result->metadata.data ? NEREID_OK : NEREID_ERROR_MEMORY;
}

/* Checks that the compilation passes from ttgir to llvm, where frames exist. */
static nereid_status_t check_callgraph(const nereid_compilation_t *compilation) {
  const nereid_stage_t input = compilation->result->input_stage, last = compilation->options.emit;
  if (!compilation->options.callgraph || (input <= NEREID_STAGE_TTGIR && last >= NEREID_STAGE_LLVM))
    return NEREID_OK;
  return nereid_report(
      &compilation->compiler->report, NEREID_ERROR_ARGUMENT,
      "--emit-callgraph needs a compilation from ttir or ttgir to llvm or later; '%s' is compiled from %s to %s",
      compilation->name, nereid_stage_name(input), nereid_stage_name(last));
}

/* Writes the stages to run from the input to `last` into `out_plan`; returns their number. */
static size_t plan_stages(const nereid_compilation_t *compilation, nereid_stage_t last, const struct stage **out_plan) {
  const nereid_pass_place_t *start = &compilation->range.start;
  const nereid_stage_t input = compilation->result->input_stage;
  size_t count = 0;
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    const struct stage *stage = &stages[i];
    const bool is_after =
        start->name ? stage->stage >= start->stage : stage->stage > input || (stage->stage == input && stage->of_input);
    if (is_after && stage->stage <= last)
      out_plan[count++] = stage;
  }
  return count;
}

nereid_status_t nereid_stages_run(nereid_compilation_t *compilation) {
  nereid_status_t status = read_all(compilation);
  nereid_stage_t input = compilation->result->input_stage, last = compilation->options.emit;
  const struct stage *plan[sizeof stages / sizeof *stages];
  const size_t count = plan_stages(compilation, last, plan);
  if (status == NEREID_OK)
    status = check_callgraph(compilation);
  if (status == NEREID_OK && !(input == NEREID_STAGE_TTIR || input == NEREID_STAGE_LL))
    status = dump(compilation);
  for (size_t i = 0; i < count && status == NEREID_OK; i++)
    status = run_stage(compilation, plan[i], i + 1, count + 1);
  return status == NEREID_OK ? finish(compilation) : status;
}
