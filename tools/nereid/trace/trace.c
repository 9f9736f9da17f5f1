/* Takes snapshots at the checkpoints of the pipeline. The time of a pass excludes that of the snapshots. */
#include "tools/nereid/trace/trace.h"

#include "base/vector.h"
#include "python-free-bindings/compile/session.h"
#include "tools/nereid/caret.h"
#include "tools/nereid/interrupt.h"

#include <time.h>

typedef struct recorder {
  nereid_arena_t *arena;
  NEREID_VECTOR(tool_step_t) steps;
  const char *running; /* the pass since the last checkpoint; null: none */
  double since;        /* milliseconds */
} recorder_t;

typedef struct tracer {
  tool_plan_t plan;
  recorder_t recorder;
} tracer_t;

const char *tool_trace_stage_name(nereid_pipeline_t stage) {
  static const char *const names[] = {"ttir", "ttgir", "frames", "llvm", "finish", "names", "calls", "lines", "grid"};
  return names[stage];
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* The input of the first list is a step; the input of a later one is the result of the one before it, except for what
 * the driver changes between the lists. */
static bool record(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position) {
  recorder_t *it = &((tracer_t *)user_data)->recorder;
  const double end = now();
  if (it->running || !it->steps.size) {
    const tool_step_t step = {.stage = position->stage,
                              .pass = it->running,
                              .after = tool_snapshot_take(it->arena, module),
                              .milliseconds = it->running ? end - it->since : 0};
    (void)nereid_vector_push(it->arena, &it->steps, step);
  }
  it->running = position->pass ? nereid_arena_copy(it->arena, nereid_view(position->pass)) : NULL;
  it->since = now();
  return !it->arena->failed;
}

static const char *const *edit(void *user_data, nereid_pipeline_t stage, const char *const *passes) {
  return tool_plan_edit(&((tracer_t *)user_data)->plan, stage, passes);
}

nereid_status_t tool_trace_run(const tool_trace_request_t *request, nereid_arena_t *arena, tool_trace_t *out_trace,
                               nereid_message_t *message) {
  tracer_t tracer = {.recorder.arena = arena};
  tool_source_t source = {.name = request->name, .text = request->text};
  const nereid_compiler_options_t how = {.size = sizeof how, .handler = tool_print_diagnostic, .user_data = &source};
  const nereid_session_hooks_t hooks = {.pipeline = {.checkpoint = record, .edit = edit, .user_data = &tracer}};
  nereid_compile_options_t options = request->options;
  nereid_compiler_t *compiler = NULL;
  nereid_result_t *result = NULL;
  *out_trace = (tool_trace_t){NULL, 0};
  nereid_status_t status = tool_plan_validate(&request->plan, arena, message);
  if (!status)
    status = tool_plan_initialize(&tracer.plan, &request->plan, arena, message);
  if (!status)
    status = nereid_compiler_create(&how, &compiler);
  if (status)
    return status;
  tracer.plan.keep = request->keep;
  tracer.plan.keep_data = request->keep_data;
  nereid_session_set_hooks(compiler, &hooks);
  options.cancellation = tool_interrupt_begin();
  status = nereid_compile(compiler, request->text, request->name, &options, &result);
  tool_interrupt_end();
  nereid_result_destroy(result);
  nereid_compiler_destroy(compiler);
  *out_trace = (tool_trace_t){tracer.recorder.steps.data, tracer.recorder.steps.size};
  if (arena->failed)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  return status ? status : tool_plan_check(&tracer.plan, message);
}
