/* Completes the metadata of PTX from the IR next to it, from which Triton compiled it.
 *
 *   k.ptx      .entry k(.u64, .u64, .u32, .u64, .u64) .reqntid 128      sizes and threads
 *   k.ttgir    tt.func @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32)  names, element types, descriptors
 *
 * Triton's PTX contains neither names nor types nor the sizes of dynamic shared memory and scratch. Names and types
 * come from the IR, preferably the .ttgir, which has the swizzles of descriptors. Without IR they come from the PTX's
 * parameters (ptx_kernel.c). The size of dynamic shared memory, if the PTX declares any, is the limit of a CTA unless
 * the IR or --shared specifies less; the scratch size is a sufficient constant. */
#include "tools/nereid/run/run.h"

#include "base/file.h"
#include "base/target_facts.h"
#include "python-free-bindings/launch/image/image.h"

#include <assert.h>
#include <unistd.h>

enum {
  SCRATCH_BYTES = 16384, /* per CTA: 128 tensor maps */
  SCRATCH_ALIGN = 128,
};

static const char *with_suffix(nereid_arena_t *arena, const char *path, const char *suffix) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
  return nereid_arena_format(arena, "%.*s%s", (int)stem, path, suffix);
}

/* Returns the name of the first readable one of two files; the first name when neither is readable. Null: out of
 * memory. */
static const char *choose(nereid_arena_t *arena, const char *path, const char *first, const char *second) {
  const char *one = with_suffix(arena, path, first), *two = with_suffix(arena, path, second);
  return one && two && access(one, R_OK) != 0 && access(two, R_OK) == 0 ? two : one;
}

nereid_status_t tool_job_read_beside(nereid_arena_t *arena, const char *path, tool_job_t *job,
                                     nereid_message_t *message) {
  job->source_name = choose(arena, path, ".ttir", ".ttgir");
  if (!job->source_name)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  return nereid_file_read(arena, job->source_name, &job->source, message);
}

/* Dynamic shared memory begins at a multiple of 1024 after the static part. */
static uint64_t dynamic_limit(const nereid_image_kernel_t *kernel, int32_t capability) {
  const uint64_t limit = (uint64_t)nereid_target_shared_memory(capability),
                 used = ((uint64_t)kernel->static_shared + 1023) / 1024 * 1024;
  return used < limit ? limit - used : 0;
}

/* A .ttir does not specify the swizzle of a tile in shared memory. The compiler uses the widest swizzle that a row
 * fills. */
static void choose_swizzles(nereid_arena_t *arena, nereid_metadata_t *metadata) {
  nereid_parameter_t *parameters = nereid_arena_new(arena, nereid_parameter_t, metadata->n_parameters);
  if (!parameters || !metadata->n_parameters)
    return;
  memcpy(parameters, metadata->parameters, metadata->n_parameters * sizeof *parameters);
  for (size_t i = 0; i < metadata->n_parameters; ++i) {
    nereid_parameter_t *p = &parameters[i];
    if (p->kind != NEREID_PARAMETER_DESCRIPTOR || p->rank < 1 || p->swizzle)
      continue;
    const uint64_t row = (uint64_t)p->block[p->rank - 1] * nereid_element_size(p->element);
    p->swizzle = row >= 128 ? 128 : row >= 64 ? 64 : row >= 32 ? 32 : 0;
  }
  metadata->parameters = parameters;
}

/* Copies from the IR's metadata the fields that the image lacks. */
static void merge(const nereid_metadata_t *ir, nereid_metadata_t *metadata) {
  metadata->signature = ir->signature;
  metadata->parameters = ir->parameters;
  metadata->n_parameters = ir->n_parameters;
  metadata->grid_map = ir->grid_map;
  metadata->grid_arguments = ir->grid_arguments;
  metadata->n_grid_arguments = ir->n_grid_arguments;
  metadata->grid_per_sm = ir->grid_per_sm;
  metadata->shared = ir->shared;
  metadata->global_scratch_size = ir->global_scratch_size;
  metadata->global_scratch_align = ir->global_scratch_align;
  metadata->profile_scratch_size = ir->profile_scratch_size;
  metadata->profile_scratch_align = ir->profile_scratch_align;
}

static nereid_status_t read_ir(nereid_arena_t *arena, const run_settings_t *settings, const char *name,
                               nereid_metadata_t *metadata, nereid_message_t *message) {
  tool_job_t ir = {.source_name = name};
  nereid_metadata_t described;
  const bool layouts = nereid_view_equal(nereid_view(strrchr(name, '.')), nereid_view(".ttgir"));
  nereid_status_t status = nereid_file_read(arena, name, &ir.source, message);
  if (!status)
    status = tool_job_compile(arena, settings, NEREID_STAGE_TTIR, NULL, &ir, message);
  if (!status)
    status = nereid_metadata_parse(arena, ir.description, &described, message);
  if (status)
    return status;
  if (!layouts)
    choose_swizzles(arena, &described);
  merge(&described, metadata);
  return NEREID_OK;
}

/* Returns whether PTX declares dynamic shared memory: an array of unknown size, ".extern .shared". */
static bool has_dynamic_shared(nereid_view_t ptx) {
  static const char first[] = ".extern", second[] = ".shared";
  const char *end = ptx.data + ptx.size;
  for (const char *at = ptx.data; at && at < end;) {
    at = memmem(at, (size_t)(end - at), first, sizeof first - 1);
    at = at ? at + sizeof first - 1 : NULL;
    while (at && at < end && strchr(" \t\r\n", *at))
      ++at;
    if (at && (size_t)(end - at) >= sizeof second && memcmp(at, second, sizeof second - 1) == 0)
      return true;
  }
  return false;
}

/* Sets sufficient values for fields that neither the image nor the IR specifies. */
static void set_sufficient_sizes(const nereid_image_kernel_t *kernel, nereid_view_t ptx, nereid_metadata_t *metadata) {
  const bool scratch = metadata->abi == NEREID_ABI_TRITON;
  if (!metadata->shared && has_dynamic_shared(ptx))
    metadata->shared = dynamic_limit(kernel, metadata->capability);
  if (scratch && !metadata->global_scratch_size) {
    metadata->global_scratch_size = SCRATCH_BYTES;
    metadata->global_scratch_align = SCRATCH_ALIGN;
  }
  if (scratch && !metadata->profile_scratch_size) {
    metadata->profile_scratch_size = SCRATCH_BYTES;
    metadata->profile_scratch_align = SCRATCH_ALIGN;
  }
  if (kernel->required_cluster[0])
    metadata->num_ctas =
        (int32_t)(kernel->required_cluster[0] * kernel->required_cluster[1] * kernel->required_cluster[2]);
}

/* Finds the kernel in the PTX text: an assembled image has neither names nor types. */
static nereid_status_t find_kernel(nereid_arena_t *arena, const tool_job_t *job, const char *name,
                                   const nereid_image_kernel_t **out_kernel, nereid_message_t *message) {
  nereid_image_t *image = nereid_arena_new(arena, nereid_image_t, 1);
  if (!image)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_status_t status = nereid_image_inspect(arena, job->source, image, message);
  *out_kernel = status ? NULL : nereid_image_find(image, name);
  return !status && !*out_kernel
             ? nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "no kernel '%s' in the PTX", name)
             : status;
}

nereid_status_t tool_job_complete(nereid_arena_t *arena, const run_settings_t *settings, const char *path,
                                  tool_job_t *job, nereid_message_t *message) {
  nereid_metadata_t metadata;
  const nereid_image_kernel_t *kernel = NULL;
  const char *name = choose(arena, path, ".ttgir", ".ttir");
  const bool alone = settings->abi && strcmp(settings->abi, "ptx") == 0;
  nereid_status_t status = nereid_metadata_parse(arena, job->description, &metadata, message);
  if (status || (metadata.signature && !alone))
    return status;
  if (!name)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  metadata.signature = false;
  metadata.abi = settings->abi && !alone ? NEREID_ABI_TRITON : NEREID_ABI_PTX;
  if (!alone && access(name, R_OK) == 0) {
    metadata.abi = NEREID_ABI_TRITON;
    status = read_ir(arena, settings, name, &metadata, message);
  }
  if (!status)
    status = find_kernel(arena, job, metadata.name, &kernel, message);
  if (!status)
    status = tool_ptx_block(settings, kernel, &metadata, message);
  if (!status && !metadata.signature)
    status = tool_ptx_signature(arena, kernel, &metadata, message);
  if (status)
    return status;
  assert(kernel); /* find_kernel succeeded */
  set_sufficient_sizes(kernel, job->source, &metadata);
  return nereid_metadata_print(arena, &metadata, &job->description);
}
