/* The result of a compilation. All its data is in one arena that the result owns, so that results outlive sessions. */
#include "session.h"

#include <stdlib.h>

static const char *const stage_names[] = {NULL, "ttir", "ttgir", "llvm", "ll", "ptx", "cubin"};

const char *nereid_stage_name(nereid_stage_t stage) {
  return stage > NEREID_STAGE_NONE && stage <= NEREID_STAGE_CUBIN ? stage_names[stage] : NULL;
}

nereid_stage_t nereid_stage_parse(const char *name) {
  for (int i = NEREID_STAGE_TTIR; name && i <= NEREID_STAGE_CUBIN; i++)
    if (strcmp(name, stage_names[i]) == 0)
      return (nereid_stage_t)i;
  return NEREID_STAGE_NONE;
}

void nereid_result_destroy(nereid_result_t *result) {
  if (!result)
    return;
  nereid_arena_deinitialize(&result->arena);
  free(result);
}

nereid_view_t nereid_result_bytes(const nereid_result_t *result) {
  return result->bytes;
}

nereid_stage_t nereid_result_stage(const nereid_result_t *result) {
  return result->stage;
}

nereid_stage_t nereid_result_input_stage(const nereid_result_t *result) {
  return result->input_stage;
}

nereid_view_t nereid_result_metadata(const nereid_result_t *result) {
  return result->metadata;
}

nereid_view_t nereid_result_callgraph(const nereid_result_t *result) {
  return result->callgraph;
}

const char *nereid_result_kernel(const nereid_result_t *result) {
  return result->kernel;
}

uint32_t nereid_result_registers(const nereid_result_t *result) {
  return result->registers;
}

uint32_t nereid_result_spilled_bytes(const nereid_result_t *result) {
  return result->spilled_bytes;
}

bool nereid_result_shared_memory(const nereid_result_t *result, uint64_t *out_bytes, uint64_t *out_bound) {
  *out_bytes = result->shared_bytes;
  *out_bound = result->shared_bound;
  return result->is_shared_placed;
}

bool nereid_result_is_stored(const nereid_result_t *result) {
  return result->is_stored;
}

size_t nereid_result_time_count(const nereid_result_t *result) {
  return result->n_times;
}

nereid_stage_time_t nereid_result_time(const nereid_result_t *result, size_t index) {
  return index < result->n_times ? result->times[index] : (nereid_stage_time_t){0};
}

size_t nereid_result_dump_count(const nereid_result_t *result) {
  return result->n_dumps;
}

nereid_stage_t nereid_result_dump_stage(const nereid_result_t *result, size_t index) {
  return index < result->n_dumps ? result->dumps[index].stage : NEREID_STAGE_NONE;
}

nereid_view_t nereid_result_dump(const nereid_result_t *result, size_t index) {
  return index < result->n_dumps ? result->dumps[index].text : nereid_view_of(NULL, 0);
}
