/* Distinguishes cubin from PTX and calls the reader for each. */
#include "python-free-bindings/launch/image/image.h"

nereid_image_kind_t nereid_image_kind(nereid_view_t bytes) {
  if (nereid_view_starts_with(bytes, nereid_view("\177ELF")))
    return NEREID_IMAGE_CUBIN;
  size_t size = bytes.size < 65536 ? bytes.size : 65536; /* directives follow comments, never code */
  return size && memmem(bytes.data, size, ".version", 8) ? NEREID_IMAGE_PTX : NEREID_IMAGE_UNKNOWN;
}

nereid_status_t nereid_image_inspect(nereid_arena_t *arena, nereid_view_t bytes, nereid_image_t *out_image,
                                     nereid_message_t *message) {
  *out_image = (nereid_image_t){0};
  switch (nereid_image_kind(bytes)) {
  case NEREID_IMAGE_CUBIN:
    return nereid_cubin_inspect(arena, bytes, out_image, message);
  case NEREID_IMAGE_PTX:
    return nereid_ptx_inspect(arena, bytes, out_image, message);
  case NEREID_IMAGE_UNKNOWN:
    break;
  }
  return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the image is neither a cubin (ELF) nor PTX text");
}

const nereid_image_kernel_t *nereid_image_find(const nereid_image_t *image, const char *name) {
  for (size_t i = 0; i < image->n_kernels; ++i)
    if (strcmp(image->kernels[i].name, name) == 0)
      return &image->kernels[i];
  return NULL;
}
