/* Checks that an image and its metadata describe the same kernel.
 *
 *   image      f(8, 8, 4, | 8, 8)           sizes in bytes; the last two are global and profile scratch
 *   metadata   ptr<f32>, ptr<f32>, i32      the signature, or Triton's: none, so the image's sizes are used
 *
 * A mismatched pair would read arguments from wrong offsets, so it is rejected before any launch. */
#include "python-free-bindings/launch/kernel.h"

enum { SCRATCH_POINTERS = 2, DESCRIPTOR_BYTES = 128 };

/* Returns the number of parameters of the image's kernel after its arguments. */
static size_t scratch_pointers(const nereid_metadata_t *metadata) {
  return metadata->abi == NEREID_ABI_TRITON ? SCRATCH_POINTERS : 0;
}

static nereid_status_t no_kernel(nereid_arena_t *arena, const nereid_image_t *image, const char *name,
                                 nereid_message_t *message) {
  const char *list = "none";
  for (size_t i = 0; list && i < image->n_kernels; ++i)
    list = i ? nereid_arena_format(arena, "%s, %s", list, image->kernels[i].name) : image->kernels[i].name;
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                            "the metadata is of kernel '%s', but the image's kernels are: %s", name,
                            list ? list : "many");
}

/* Lists the r shapes of 4 bytes and r strides of 8 that follow a descriptor of rank r (docs/abi.md). Returns the last
 * of them, or the descriptor itself when its rank is unknown. */
static size_t list_extents(const nereid_image_kernel_t *kernel, size_t n, size_t at, nereid_parameter_t *parameters) {
  size_t rank = (size_t)parameters[at].rank;
  if (at + 2 * rank >= n)
    return at;
  for (size_t i = 0; i < 2 * rank; ++i)
    if (kernel->parameters[at + 1 + i].size != (i < rank ? 4 : 8))
      return at;
  for (size_t i = 0; i < 2 * rank; ++i) {
    bool shape = i < rank;
    parameters[at + 1 + i] = (nereid_parameter_t){.kind = NEREID_PARAMETER_SCALAR,
                                                  .element = shape ? NEREID_ELEMENT_I32 : NEREID_ELEMENT_I64,
                                                  .size = shape ? 4 : 8,
                                                  .divisibility = 1,
                                                  .role = shape ? NEREID_ROLE_SHAPE : NEREID_ROLE_STRIDE,
                                                  .group = parameters[at].group,
                                                  .dimension = (int32_t)(shape ? i : i - rank)};
  }
  return at + 2 * rank;
}

/* Lists the parameters for Triton's metadata: descriptors take their tile from its list, in order; for all others only
 * the size is known. */
static nereid_status_t list_parameters(nereid_arena_t *arena, const nereid_image_kernel_t *kernel,
                                       nereid_metadata_t *metadata, nereid_message_t *message) {
  const size_t n_scratch = scratch_pointers(metadata);
  if (kernel->n_parameters < n_scratch)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "kernel '%s' has %zu parameters; the last two must be the scratch pointers", kernel->name,
                              kernel->n_parameters);
  size_t n = kernel->n_parameters - n_scratch, descriptors = 0;
  nereid_parameter_t *parameters = nereid_arena_new(arena, nereid_parameter_t, n);
  if (!parameters)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  for (size_t i = 0; i < n; ++i) {
    uint32_t size = kernel->parameters[i].size;
    parameters[i] = (nereid_parameter_t){
        .kind = NEREID_PARAMETER_OPAQUE, .size = size, .divisibility = 1, .group = -1, .dimension = -1};
    if (size != DESCRIPTOR_BYTES)
      continue;
    parameters[i].kind = NEREID_PARAMETER_DESCRIPTOR;
    if (descriptors < metadata->n_parameters)
      parameters[i] = metadata->parameters[descriptors];
    parameters[i].role = NEREID_ROLE_DESCRIPTOR;
    parameters[i].group = (int32_t)descriptors++;
    i = list_extents(kernel, n, i, parameters);
  }
  metadata->parameters = parameters;
  metadata->n_parameters = n;
  return NEREID_OK;
}

static nereid_status_t compare_parameters(const nereid_image_kernel_t *kernel, const nereid_metadata_t *metadata,
                                          nereid_message_t *message) {
  size_t n = metadata->n_parameters, n_scratch = scratch_pointers(metadata);
  if (kernel->n_parameters != n + n_scratch)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "the metadata has %zu parameters and %s scratch pointers, the image's kernel %zu", n,
                              n_scratch ? "two" : "no", kernel->n_parameters);
  for (size_t i = 0; i < n; ++i)
    if (kernel->parameters[i].size != metadata->parameters[i].size)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                                "parameter %zu is %u bytes in the metadata and %u in the image", i,
                                metadata->parameters[i].size, kernel->parameters[i].size);
  return NEREID_OK;
}

static nereid_status_t compare_blocks(const nereid_image_kernel_t *kernel, const nereid_metadata_t *metadata,
                                      nereid_message_t *message) {
  const uint32_t *block = metadata->block, *required = kernel->required_threads;
  const uint64_t product = (uint64_t)required[0] * required[1] * required[2];
  if (!required[0])
    return NEREID_OK;
  if (!block[0] && product != (uint64_t)metadata->total_num_warps * 32)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "the metadata has %d warps, the image's kernel requires %llu threads",
                              (int)metadata->total_num_warps, (unsigned long long)product);
  if (block[0] && (block[0] != required[0] || block[1] != required[1] || block[2] != required[2]))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "the metadata has blocks of %ux%ux%u threads, the image's kernel requires %ux%ux%u",
                              block[0], block[1], block[2], required[0], required[1], required[2]);
  return NEREID_OK;
}

nereid_status_t nereid_kernel_match(nereid_arena_t *arena, const nereid_image_t *image, nereid_metadata_t *metadata,
                                    nereid_message_t *message) {
  const nereid_image_kernel_t *kernel = nereid_image_find(image, metadata->name);
  if (!kernel)
    return no_kernel(arena, image, metadata->name, message);
  nereid_status_t status = compare_blocks(kernel, metadata, message);
  if (status)
    return status;
  if (metadata->n_parameters + SCRATCH_POINTERS > NEREID_KERNEL_PARAMETER_LIMIT ||
      kernel->n_parameters > NEREID_KERNEL_PARAMETER_LIMIT)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "kernel '%s' has more than %d parameters",
                              kernel->name, NEREID_KERNEL_PARAMETER_LIMIT);
  if (!metadata->signature)
    return list_parameters(arena, kernel, metadata, message);
  return compare_parameters(kernel, metadata, message);
}
