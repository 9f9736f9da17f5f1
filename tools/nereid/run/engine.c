/* The table of engines. */
#include "tools/nereid/run/engine.h"

extern const tool_engine_t tool_engine_gpu, tool_engine_emulator, tool_engine_interpreter;

const tool_engine_t *const tool_engines[] = {
    &tool_engine_gpu,
    &tool_engine_emulator,
    &tool_engine_interpreter,
};
const size_t tool_engine_count = sizeof tool_engines / sizeof *tool_engines;

const tool_engine_t *tool_engine_find(const char *name) {
  for (size_t i = 0; i < tool_engine_count; ++i)
    if (strcmp(tool_engines[i]->name, name) == 0)
      return tool_engines[i];
  return NULL;
}

static nereid_status_t evaluate(tool_job_t *job, const nereid_metadata_t *metadata, int32_t multiprocessors,
                                nereid_message_t *message) {
  enum { LIMIT = 512 };
  nereid_value_t values[LIMIT];
  for (size_t i = 0; i < job->n_slots && i < LIMIT; ++i) {
    const tool_slot_t *slot = &job->slots[i];
    values[i] = nereid_value_pointer(0);
    if (slot->kind == TOOL_SLOT_SCALAR)
      values[i] = nereid_value_scalar(slot->element, &slot->bits, sizeof slot->bits);
  }
  return nereid_grid_evaluate(metadata, multiprocessors, job->n_slots < LIMIT ? job->n_slots : LIMIT, values, job->grid,
                              message);
}

nereid_status_t tool_job_grid(tool_job_t *job, int32_t multiprocessors, nereid_message_t *message) {
  nereid_metadata_t metadata = job->metadata;
  nereid_arena_t arena;
  nereid_status_t status = NEREID_OK;
  if (job->has_grid)
    return NEREID_OK;
  if (!metadata.grid_map && !job->grid_text)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "kernel '%s' does not specify a grid: pass --grid X[,Y[,Z]]", metadata.name);
  nereid_arena_initialize(&arena);
  if (job->grid_text)
    status = nereid_metadata_set_grid(&arena, nereid_view(job->grid_text), &metadata, message);
  if (!status)
    status = evaluate(job, &metadata, multiprocessors, message);
  nereid_arena_deinitialize(&arena);
  return status;
}

uint64_t tool_job_alignment(const tool_job_t *job, size_t tensor) {
  uint64_t alignment = 16;
  for (size_t i = 0; i < job->n_slots; ++i)
    if (job->slots[i].kind == TOOL_SLOT_TENSOR && job->slots[i].tensor == tensor)
      while (alignment < job->metadata.parameters[i].divisibility)
        alignment *= 2;
  return alignment;
}
