/* Runs the kernel's tt module with the reference interpreter, in this process.
 *
 * The kernel computes on copies of the tensors. They are copied back when the grid has run; after an error the tensors
 * are unchanged. */
#include "tools/nereid/run/engine.h"

#include "analysis/axis/axis_check.h"
#include "nereid/interpreter.h"
#include "python-free-bindings/compile/session.h"
#include "seam/llvm.h"
#include "tools/nereid/assembly.h"
#include "tools/nereid/caret.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct interpreter {
  tool_source_t source; /* source of the running job, for diagnostics */
  nereid_compiler_t *compiler;
} interpreter_t;

static void interpreter_close(void *state) {
  interpreter_t *interpreter = state;
  nereid_compiler_destroy(interpreter->compiler);
  free(interpreter);
}

static nereid_status_t interpreter_open(void **out_state, nereid_message_t *message) {
  interpreter_t *interpreter = calloc(1, sizeof *interpreter);
  if (!interpreter)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  const nereid_compiler_options_t options = {
      .size = sizeof options, .handler = tool_print_diagnostic, .user_data = &interpreter->source};
  nereid_status_t status = nereid_compiler_create(&options, &interpreter->compiler);
  if (status) {
    free(interpreter);
    return nereid_message_set(message, status, "the interpreter cannot start: %s", nereid_status_string(status));
  }
  *out_state = interpreter;
  return NEREID_OK;
}

static const char *interpreter_describe(const void *state) {
  (void)state;
  return "the reference interpreter";
}

/* The tt stage is the same for every target. */
static const char *interpreter_target(const void *state) {
  (void)state;
  return NULL;
}

/* --- arguments --- */

static nereid_status_t place(nereid_arena_t *arena, const tool_job_t *job, void **memory, nereid_message_t *message) {
  for (size_t i = 0; i < job->n_tensors; ++i) {
    memory[i] = nereid_arena_allocate(arena, job->tensors[i].bytes + 1, 1);
    if (!memory[i])
      return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
    memcpy(memory[i], job->tensors[i].data, job->tensors[i].bytes);
  }
  return NEREID_OK;
}

static void describe_tensor(const tool_slot_t *slot, const tool_tensor_t *tensor,
                            nereid_interpreter_argument_t *argument) {
  /* For padded 4-bit floats the map counts single elements; the tensor and its blocks count bytes of two elements. */
  const uint64_t size = nereid_element_size(tensor->element);
  argument->rank = (int)slot->request.rank;
  argument->nan_padding = slot->request.nan_padding;
  for (int d = 0; d < argument->rank; ++d) {
    argument->shape[d] = (int64_t)tensor->shape[d];
    argument->strides[d] = (int64_t)(slot->request.strides[d] / size);
  }
}

static void bind(const tool_job_t *job, void *const *memory, nereid_interpreter_argument_t *arguments) {
  for (size_t i = 0; i < job->n_slots; ++i) {
    const tool_slot_t *slot = &job->slots[i];
    const bool tensor = slot->kind == TOOL_SLOT_TENSOR || slot->kind == TOOL_SLOT_DESCRIPTOR;
    arguments[i].name = job->metadata.parameters[i].name;
    arguments[i].bits = slot->kind == TOOL_SLOT_SCALAR ? slot->bits : 0;
    if (!tensor)
      continue;
    arguments[i].kind = slot->kind == TOOL_SLOT_TENSOR ? NEREID_INTERPRETER_BUFFER : NEREID_INTERPRETER_DESCRIPTOR;
    arguments[i].memory = memory[slot->tensor];
    arguments[i].size = job->tensors[slot->tensor].bytes;
    arguments[i].alignment = tool_job_alignment(job, slot->tensor);
    if (slot->kind == TOOL_SLOT_DESCRIPTOR)
      describe_tensor(slot, &job->tensors[slot->tensor], &arguments[i]);
  }
}

/* --- running --- */

static void print_line(nereid_view_t line, void *user_data) {
  (void)user_data;
  fwrite(line.data, 1, line.size, stdout);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static bool check_axis(const nereid_interpreter_value_t *value, void *user_data, nereid_message_t *message) {
  return nereid_axis_check(user_data, value->value, value->count, value->words, message);
}

/* Runs the kernel, found by name or, after a renaming by lowering, as the only one. `axis`: null, or the claims to
 * check values against. */
static nereid_status_t run_once(MlirOperation module, const tool_job_t *job, nereid_axis_result_t *axis,
                                const nereid_interpreter_argument_t *arguments, nereid_message_t *message) {
  const nereid_interpreter_options_t options = {.print = print_line,
                                                .assembly = tool_run_assembly,
                                                .watch = axis ? check_axis : NULL,
                                                .user_data = axis,
                                                .steps = job->steps};
  nereid_status_t status =
      nereid_interpreter_run(module, job->metadata.name, job->grid, job->n_slots, arguments, &options, message);
  if (status == NEREID_ERROR_NOT_FOUND)
    status = nereid_interpreter_run(module, NULL, job->grid, job->n_slots, arguments, &options, message);
  return status;
}

static nereid_status_t run_module(MlirOperation module, tool_job_t *job, nereid_arena_t *arena,
                                  nereid_message_t *message) {
  void **memory = nereid_arena_new(arena, void *, job->n_tensors);
  nereid_interpreter_argument_t *arguments = nereid_arena_new(arena, nereid_interpreter_argument_t, job->n_slots);
  if (!memory || !arguments)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_axis_result_t axis;
  nereid_status_t status = place(arena, job, memory, message);
  bind(job, memory, arguments);
  if (!status && job->check_axis)
    status = nereid_axis_info_run(module, arena, &axis);
  if (!status)
    status = run_once(module, job, job->check_axis ? &axis : NULL, arguments, message);
  for (size_t i = 0; !status && i < job->n_tensors; ++i)
    memcpy(job->tensors[i].data, memory[i], job->tensors[i].bytes);
  for (size_t i = 0; !status && i < job->repeats; ++i) {
    const double start = now();
    status = run_once(module, job, NULL, arguments, message);
    job->milliseconds[i] = (float)(now() - start);
  }
  return status;
}

static nereid_status_t interpreter_run(void *state, tool_job_t *job, nereid_message_t *message) {
  interpreter_t *interpreter = state;
  nereid_arena_t arena;
  if (!job->source.size)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED,
                              "the interpreter runs the kernel's IR: pass the .ttir, not the compiled image");
  nereid_status_t status = tool_job_grid(job, 1, message);
  if (status)
    return status;
  interpreter->source = (tool_source_t){.name = job->source_name, .text = job->source};
  MlirContext context = nereid_session_context(interpreter->compiler, false);
  MlirModule module = nereidMlirModuleCreateParse(context, mlirStringRefCreate(job->source.data, job->source.size),
                                                  mlirStringRefCreateFromCString(job->source_name));
  if (mlirModuleIsNull(module))
    return NEREID_ERROR_PROGRAM;
  nereid_arena_initialize(&arena);
  status = run_module(mlirModuleGetOperation(module), job, &arena, message);
  nereid_arena_deinitialize(&arena);
  mlirModuleDestroy(module);
  return status;
}

const tool_engine_t tool_engine_interpreter = {
    .name = "interpreter",
    .stage = NEREID_STAGE_TTIR,
    .open = interpreter_open,
    .describe = interpreter_describe,
    .target = interpreter_target,
    .run = interpreter_run,
    .close = interpreter_close,
};
