/* Rules of binary compatibility, and promises of divisibility.
 *
 *   device 8.6    sm_86 > sm_80 > compute_86 > compute_80        not: sm_87, sm_89, compute_90a
 *   device 9.0    sm_90a > sm_90 > compute_90a > compute_80      not: sm_80
 *
 * Source: CUDA C++ Programming Guide, "Binary Compatibility" (minor versions; Tegra, 8.7, has its own binaries) and
 * "PTX Compatibility" (later capabilities; architecture-specific targets require the exact one). */
#include "python-free-bindings/launch/library/choose.h"

#include "base/target_facts.h"
#include "python-free-bindings/launch/arguments.h"

#include <stdlib.h>

typedef struct architecture {
  int32_t capability;
  bool is_ptx, is_specific; /* "compute_"; the suffix "a" */
} architecture_t;

/* Parses "sm_90a" or "compute_90a". False for other texts. */
static bool parse(const char *target, architecture_t *out) {
  static const char cubin[] = "sm_", ptx[] = "compute_";
  char *end;
  out->is_ptx = strncmp(target, ptx, sizeof ptx - 1) == 0;
  if (!out->is_ptx && strncmp(target, cubin, sizeof cubin - 1) != 0)
    return false;
  const char *digits = target + (out->is_ptx ? sizeof ptx : sizeof cubin) - 1;
  const long number = strtol(digits, &end, 10);
  out->capability = (int32_t)number;
  out->is_specific = *end == 'a';
  return end != digits && number > 0 && number < 1000 && !end[out->is_specific];
}

static bool runs_cubin(const architecture_t *image, int32_t capability) {
  if (image->is_specific || image->capability == NEREID_SM_87 || capability == NEREID_SM_87)
    return image->capability == capability;
  return image->capability / 10 == capability / 10 && image->capability <= capability;
}

uint32_t nereid_image_suitability(const char *target, int32_t capability, bool runs_ptx) {
  architecture_t image;
  if (!parse(target, &image) || (runs_ptx && !image.is_ptx))
    return 0;
  const bool is_usable = !image.is_ptx       ? runs_cubin(&image, capability)
                         : image.is_specific ? image.capability == capability
                                             : image.capability <= capability;
  return is_usable ? (image.is_ptx ? 1 : 10000) + (uint32_t)image.capability * 2 + image.is_specific : 0;
}

static bool are_divisible(const nereid_kernel_t *kernel, const nereid_value_t *values) {
  for (size_t i = 0; i < kernel->metadata.n_parameters; ++i)
    if (values[i].kind != NEREID_PARAMETER_DESCRIPTOR && (values[i].as.bits & kernel->checks[i].mask))
      return false;
  return true;
}

/* With tensors: their addresses, shapes and strides may have promises, too. */
static bool expand_and_check(const nereid_kernel_t *kernel, size_t n, const nereid_value_t *arguments) {
  nereid_arguments_t expanded;
  if (nereid_arguments_expand(kernel, n, arguments, false, &expanded, NULL))
    return false;
  const bool is_accepted = are_divisible(kernel, expanded.values);
  nereid_arguments_release(&expanded);
  return is_accepted;
}

bool nereid_kernel_accepts(const nereid_kernel_t *kernel, size_t n, const nereid_value_t *arguments) {
  for (size_t i = 0; i < n; ++i)
    if (arguments[i].kind == NEREID_PARAMETER_TENSOR)
      return expand_and_check(kernel, n, arguments);
  return n == kernel->metadata.n_parameters && are_divisible(kernel, arguments);
}
