/* Combines --insert, --omit and --pass-pipeline with the hooks of a command.
 *
 *   pipeline   edit: the plan     checkpoint, stage, llvm_pass: those of the command */
#include "tools/nereid/run/planned.h"

bool tool_plan_is_given(const tool_plan_options_t *options) {
  return options->pipeline || options->insert.size || options->omit.size;
}

static const char *const *edit(void *user_data, nereid_pipeline_t stage, const char *const *passes) {
  return tool_plan_edit(&((tool_planned_t *)user_data)->plan, stage, passes);
}

static bool checkpoint(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position) {
  const nereid_session_hooks_t *inner = ((tool_planned_t *)user_data)->inner;
  return inner->pipeline.checkpoint(inner->pipeline.user_data, module, position);
}

static bool llvm_pass(void *user_data, const char *name) {
  const nereid_session_hooks_t *inner = ((tool_planned_t *)user_data)->inner;
  return inner->llvm_pass(inner->pipeline.user_data, name);
}

static bool stage_done(void *user_data, nereid_stage_t stage, MlirOperation module, LLVMModuleRef llvm) {
  const nereid_session_hooks_t *inner = ((tool_planned_t *)user_data)->inner;
  return inner->stage(inner->pipeline.user_data, stage, module, llvm);
}

nereid_status_t tool_planned_initialize(tool_planned_t *planned, const tool_plan_options_t *options,
                                        const nereid_session_hooks_t *inner, nereid_arena_t *arena,
                                        nereid_message_t *message) {
  *planned = (tool_planned_t){.inner = inner, .hooks = {.pipeline = {.edit = edit, .user_data = planned}}};
  if (inner && inner->pipeline.checkpoint)
    planned->hooks.pipeline.checkpoint = checkpoint;
  if (inner && inner->llvm_pass)
    planned->hooks.llvm_pass = llvm_pass;
  if (inner && inner->stage)
    planned->hooks.stage = stage_done;
  const nereid_status_t status = tool_plan_validate(options, arena, message);
  return status ? status : tool_plan_initialize(&planned->plan, options, arena, message);
}
