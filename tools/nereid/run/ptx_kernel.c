/* Derives the parameters and block of a PTX kernel without metadata.
 *
 *   .entry saxpy(.param .u64 .ptr x, .param .f32 a)    ptr, f32
 *   .reqntid 128    or    --block 128                  128 threads per CTA
 *
 * The scratch pointers of Triton's ABI (docs/abi.md) look like other parameters. They are treated as such only when the
 * IR next to the PTX or --abi requests it. */
#include "tools/nereid/run/run.h"

#include <stdlib.h>

enum { DESCRIPTOR_BYTES = 128, MAX_THREADS = 1024 };

bool tool_parse_extents(const char *text, uint32_t grid[3]) {
  grid[0] = grid[1] = grid[2] = 1;
  for (int i = 0; i < 3; ++i) {
    char *end;
    unsigned long long extent = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : UINT64_MAX;
    if (extent > INT32_MAX)
      return false;
    grid[i] = (uint32_t)extent;
    if (!*end)
      return true;
    if (*end != ',')
      return false;
    text = end + 1;
  }
  return false;
}

/* Returns whether `name` is a compiler-generated name for parameter `i`, KERNEL_param_I, which is not shown to
 * users. */
static bool is_numbered(nereid_arena_t *arena, const char *kernel, const char *name, size_t i) {
  const char *numbered = nereid_arena_format(arena, "%s_param_%zu", kernel, i);
  return numbered && strcmp(name, numbered) == 0;
}

static nereid_parameter_t describe(nereid_arena_t *arena, const nereid_image_kernel_t *kernel, size_t i,
                                   int32_t *groups) {
  const nereid_image_parameter_t *from = &kernel->parameters[i];
  nereid_parameter_t it = {.size = from->size, .divisibility = 1, .group = -1, .dimension = -1};
  it.kind = from->is_pointer && from->size == 8 ? NEREID_PARAMETER_POINTER
            : from->element                     ? NEREID_PARAMETER_SCALAR
                                                : NEREID_PARAMETER_OPAQUE;
  it.element = from->element;
  if (from->name && *from->name && !is_numbered(arena, kernel->name, from->name, i))
    it.name = from->name;
  if (from->size == DESCRIPTOR_BYTES) {
    it.kind = NEREID_PARAMETER_DESCRIPTOR;
    it.role = NEREID_ROLE_DESCRIPTOR;
    it.group = (*groups)++;
  }
  return it;
}

/* Returns whether the last two parameters can be the scratch pointers. */
static bool ends_in_scratch(const nereid_image_kernel_t *kernel) {
  const nereid_image_parameter_t *end = kernel->parameters + kernel->n_parameters;
  return kernel->n_parameters >= 2 && end[-1].size == 8 && end[-2].size == 8 && !end[-1].element && !end[-2].element;
}

nereid_status_t tool_ptx_signature(nereid_arena_t *arena, const nereid_image_kernel_t *kernel,
                                   nereid_metadata_t *metadata, nereid_message_t *message) {
  const size_t n_scratch = metadata->abi == NEREID_ABI_TRITON ? 2 : 0;
  int32_t groups = 0;
  if (n_scratch && !ends_in_scratch(kernel))
    return nereid_message_set(
        message, NEREID_ERROR_ARGUMENT,
        "the last two parameters of kernel '%s' are not pointers, as Triton's ABI requires; pass --abi ptx",
        kernel->name);
  const size_t n = kernel->n_parameters - n_scratch;
  nereid_parameter_t *parameters = nereid_arena_new(arena, nereid_parameter_t, n);
  for (size_t i = 0; parameters && i < n; ++i)
    parameters[i] = describe(arena, kernel, i, &groups);
  metadata->signature = true;
  metadata->parameters = parameters;
  metadata->n_parameters = n;
  return arena->failed ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory") : NEREID_OK;
}

/* Returns the product of three sizes; the first is 0 when there is no limit. */
static uint64_t volume(const uint32_t sizes[3]) {
  return (uint64_t)sizes[0] * sizes[1] * sizes[2];
}

nereid_status_t tool_ptx_block(const run_settings_t *settings, const nereid_image_kernel_t *kernel,
                               nereid_metadata_t *metadata, nereid_message_t *message) {
  uint32_t block[3];
  memcpy(block, kernel->required_threads, sizeof block);
  if (!block[0] && !settings->block)
    return nereid_message_set(
        message, NEREID_ERROR_ARGUMENT,
        "kernel '%s' has no .reqntid: specify the threads per CTA with --block X[,Y[,Z]], as in --block 128",
        kernel->name);
  if (!block[0] && !tool_parse_block(settings->block, block))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "--block: expected one to three sizes such as 128,2 of 1 to 1024 threads, not '%s'",
                              settings->block);
  if (volume(kernel->max_threads) && volume(block) > volume(kernel->max_threads))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "--block %s has %llu threads; .maxntid of kernel '%s' allows %llu", settings->block,
                              (unsigned long long)volume(block), kernel->name,
                              (unsigned long long)volume(kernel->max_threads));
  memcpy(metadata->block, block, sizeof block);
  metadata->num_warps = metadata->total_num_warps = (int32_t)((volume(block) + 31) / 32);
  return NEREID_OK;
}

bool tool_parse_block(const char *text, uint32_t block[3]) {
  return tool_parse_extents(text, block) && block[0] && block[1] && block[2] && block[0] <= MAX_THREADS &&
         block[1] <= MAX_THREADS && volume(block) <= MAX_THREADS;
}

nereid_status_t tool_check_block(const run_settings_t *settings, const nereid_metadata_t *metadata,
                                 nereid_message_t *message) {
  uint32_t asked[3], own[3] = {(uint32_t)metadata->total_num_warps * 32, 1, 1};
  if (!settings->block)
    return NEREID_OK;
  if (!tool_parse_block(settings->block, asked))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "--block: expected one to three sizes such as 128,2 of 1 to 1024 threads, not '%s'",
                              settings->block);
  if (metadata->block[0])
    memcpy(own, metadata->block, sizeof own);
  if (memcmp(asked, own, sizeof own) == 0)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                            "--block %s contradicts kernel '%s', which is compiled for blocks of %u,%u,%u threads",
                            settings->block, metadata->name, own[0], own[1], own[2]);
}
