/* Compiles the input of `nereid run`: to the stage that an engine executes, or to the IR next to an image. */
#include "tools/nereid/run/run.h"

#include "target/assembler/assemble.h"
#include "tools/nereid/caret.h"
#include "tools/nereid/compile/compile_output.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/run/planned.h"

static bool can_assemble(nereid_arena_t *arena) {
  return nereid_assembler_find_ptxas(NULL, arena) || nereid_assembler_has_nvjitlink(NULL, NULL);
}

static nereid_status_t keep_result(nereid_arena_t *arena, const nereid_result_t *result, tool_job_t *job,
                                   nereid_message_t *message) {
  nereid_view_t bytes = nereid_result_bytes(result), description = nereid_result_metadata(result);
  bool image = nereid_result_stage(result) >= NEREID_STAGE_PTX;
  job->image = nereid_view_of(image ? nereid_arena_copy(arena, bytes) : NULL, image ? bytes.size : 0);
  job->description = nereid_view_of(nereid_arena_copy(arena, description), description.size);
  return arena->failed ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory") : NEREID_OK;
}

nereid_status_t tool_job_compile(nereid_arena_t *arena, const run_settings_t *settings, nereid_stage_t stage,
                                 const char *target, tool_job_t *job, nereid_message_t *message) {
  tool_source_t source = {.name = job->source_name, .text = job->source};
  const nereid_compiler_options_t how = {.size = sizeof how, .handler = tool_print_diagnostic, .user_data = &source};
  const nereid_compile_options_t options = {
      .size = sizeof options,
      .target = settings->target ? settings->target : target,
      .emit = stage == NEREID_STAGE_CUBIN && !can_assemble(arena) ? NEREID_STAGE_PTX : stage,
      .num_warps = (int32_t)settings->num_warps,
      .num_stages = (int32_t)settings->num_stages,
      .num_ctas = (int32_t)settings->num_ctas,
      .ptxas_options = settings->ptxas_options,
      .kernel = settings->kernel,
      /* The emulator's reports refer to source lines; the generated code is the same. */
      .lineinfo = settings->lineinfo || (stage == NEREID_STAGE_PTX && !settings->plain),
      .dumps = settings->dump_dir != NULL,
      .no_global_order = settings->no_global_order,
      .no_warp_specialization = settings->no_warp_specialization,
      .allow_later = stage == NEREID_STAGE_TTIR,
      .remark_handler = settings->remark_handler,
      .remark_data = settings->remark_data,
      .cancellation = tool_interrupt_begin(),
  };
  nereid_compiler_t *compiler = NULL;
  nereid_result_t *result = NULL;
  nereid_status_t status = nereid_compiler_create(&how, &compiler);
  tool_planned_t planned;
  const bool edits =
      tool_plan_is_given(&settings->plan) && stage != NEREID_STAGE_TTIR; /* not the interpreter's input */
  if (!status && edits)
    status = tool_planned_initialize(&planned, &settings->plan, settings->hooks, arena, message);
  if (!status)
    nereid_session_set_hooks(compiler, edits ? &planned.hooks : settings->hooks);
  if (!status)
    status = nereid_compile(compiler, job->source, job->source_name, &options, &result);
  if (!status && edits)
    status = tool_plan_check(&planned.plan, message);
  if (!status)
    status = keep_result(arena, result, job, message);
  if (!status && settings->dump_dir)
    status = tool_write_dumps(settings->dump_dir, result, arena, message);
  nereid_result_destroy(result);
  nereid_compiler_destroy(compiler);
  tool_interrupt_end();
  job->reported = source.errors > 0 || tool_interrupt_is_caught();
  return status;
}
