/* Remarks on the width of accesses to global memory, with the reasons that limit it; see remarks.h.
 *
 *   tt.load %p, %m : tensor<1024x!tt.ptr<f16>, #eight>       %m = %offsets < %n, with an unknown %n
 *   ->
 *   remark: 16 of 128 bits at a time: the mask may change every element
 *
 * The widest is 128 bits, or all that the shape leaves to one thread. Every reason that alone would limit the access
 * to this width is listed. */
#include "conversion/ttg_to_llvm/remarks/remarks.h"

#include <stdio.h>
#include <string.h>

enum { ACCESS_BITS = 128 };

/* The limit of each condition: contiguous elements along one dimension. */
typedef struct limits {
  int64_t layout, contiguous, aligned, mask;
} limits_t;

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t all_of(const limits_t *limits) {
  return smaller(smaller(limits->layout, limits->contiguous), smaller(limits->aligned, limits->mask));
}

static limits_t limits_along(const nereid_layout_t *layout, const nereid_axis_info_t *pointers,
                             const nereid_axis_info_t *masks, bool masked, int d) {
  limits_t limits = {.layout = nereid_layout_contiguity(layout, d), .contiguous = 1, .aligned = 1, .mask = INT64_MAX};
  if (pointers) {
    limits.contiguous = nereid_axis_info_contiguity(pointers, d);
    limits.aligned = nereid_axis_info_aligned_run(pointers, d);
  }
  if (masked)
    limits.mask = masks ? nereid_axis_info_constancy(masks, d) : 1;
  return limits;
}

/* The limits along the dimension with the widest possible access. */
static limits_t find_limits(nereid_lower_t *lower, const nereid_layout_t *layout, MlirValue pointer, MlirValue mask) {
  const bool masked = !mlirValueIsNull(mask);
  const nereid_axis_info_t *pointers = nereid_axis_info_get(&lower->module->axis, pointer);
  const nereid_axis_info_t *masks = masked ? nereid_axis_info_get(&lower->module->axis, mask) : NULL;
  limits_t best = {1, 1, 1, INT64_MAX};
  for (int d = 0; d < layout->rank; ++d) {
    const limits_t here = limits_along(layout, pointers, masks, masked, d);
    const int64_t gain = all_of(&here) - all_of(&best);
    if (d == 0 || gain > 0 || (gain == 0 && here.contiguous > best.contiguous))
      best = here;
  }
  return best;
}

typedef struct reasons {
  char text[256];
} reasons_t;

/* Adds a reason: `one` where `number` is 1, else the number between the other two texts. */
static void add(reasons_t *reasons, const char *one, const char *before, const char *after, int64_t number) {
  const size_t size = strlen(reasons->text);
  char *end = reasons->text + size;
  const char *comma = size ? ", " : "";
  if (number == 1 && one)
    snprintf(end, sizeof reasons->text - size, "%s%s", comma, one);
  else
    snprintf(end, sizeof reasons->text - size, "%s%s %lld %s", comma, before, (long long)number, after);
}

static reasons_t explain(const limits_t *limits, int64_t vector, unsigned bits) {
  reasons_t reasons = {""};
  if (limits->mask <= vector)
    add(&reasons, "the mask may change every element", "the mask may change every", "elements", limits->mask);
  if (limits->contiguous <= vector)
    add(&reasons, "no two adjacent addresses are known to be contiguous", "addresses are known to be contiguous for",
        "elements", limits->contiguous);
  else if (limits->aligned <= vector)
    add(&reasons, NULL, "addresses are known to be aligned to", "bytes only", limits->aligned * bits / 8);
  if (limits->layout <= vector)
    add(&reasons, "the layout gives a thread no adjacent elements", "the layout gives a thread runs of", "elements",
        limits->layout);
  if (!*reasons.text)
    add(&reasons, "adjacent elements are apart in shared memory", "shared memory keeps together", "elements", vector);
  return reasons;
}

/* Elements of a CTA's part that there are for each of its threads, 1 at least. */
static int64_t share_of_thread(const nereid_lower_t *lower, const nereid_layout_t *layout) {
  const int64_t elements = INT64_C(1) << (nereid_layout_out_total(layout) - layout->in_bits[NEREID_LAYOUT_BLOCK]);
  const int64_t threads = (int64_t)lower->group->grid.num_warps * lower->group->grid.threads_per_warp;
  return elements > threads ? elements / threads : 1;
}

void nereid_lower_remark_access(nereid_lower_t *lower, MlirOperation op, MlirValue pointer, MlirValue mask,
                                unsigned bits, intptr_t vector) {
  if (!nereidMlirRemarksEnabled(lower->context))
    return;
  const long long width = (long long)vector * bits;
  MlirType type = mlirValueGetType(pointer);
  const nereid_layout_t *layout = mlirTypeIsARankedTensor(type) ? nereid_lower_layout(lower, type) : NULL;
  const int64_t share = layout ? share_of_thread(lower, layout) : 1;
  if (!layout || vector >= smaller(share, ACCESS_BITS / bits)) {
    const char *why = width >= ACCESS_BITS ? "the widest access" : layout ? "all elements of a thread" : "a scalar";
    nereid_lower_remark(op, NereidMlirRemarkPassed, "access-width", "%lld bits at a time: %s", width, why);
    return;
  }
  const limits_t limits = find_limits(lower, layout, pointer, mask);
  nereid_lower_remark(op, NereidMlirRemarkMissed, "access-width", "%lld of %lld bits at a time: %s", width,
                      (long long)smaller(share * bits, ACCESS_BITS), explain(&limits, vector, bits).text);
}
