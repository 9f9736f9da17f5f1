/* Infers encodings of reshaped tensors and buffers; see infer_encoding.h.
 *
 *   32x4, sizePerThread [4, 4], order [1, 0]  reshaped to 128   ->  sizePerThread [16]
 *   4x4, order [0, 1]                         reshaped to 16    ->  #ttg.linear: not representable as blocked
 *
 * Shapes are split into the smallest groups of adjacent dimensions with equal sizes: 8x4x2 -> 32x2 is {8, 4 -> 32}, {2
 * -> 2}. A blocked encoding stays blocked if in each group it fills the dimensions one after the other, the last first;
 * its sizes along the group are then distributed over the new dimensions in the same way. The rules are symmetric, on
 * which callers rely: from the result they infer the operand's encoding. */
#include "dialects/ttg/encoding/infer_encoding.h"

#include "dialects/diagnose.h"
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/encoding/encoding.h"
#include "layout/encoding.h"

#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>

#include <string.h>

/* Dimensions src_begin .. src_end - 1 become dst_begin .. dst_end - 1. */
typedef struct group {
  int src_begin, src_end, dst_begin, dst_end;
} group_t;

typedef struct reshape {
  int src_rank, dst_rank, group_count;
  const int64_t *src_shape, *dst_shape;
  group_t groups[NEREID_TTG_MAX_RANK];
} reshape_t;

static bool refuse(MlirLocation location, const char *message) {
  if (!mlirLocationIsNull(location))
    nereid_diagnose_at(location, "%s", message);
  return false;
}

static int64_t product(int rank, const int64_t *shape) {
  int64_t total = 1;
  for (int d = 0; d < rank; d++)
    total *= shape[d];
  return total;
}

/* Dimensions of size 1 belong to the group before them, leading ones to the first group. */
static void find_groups(reshape_t *reshape) {
  int s = 0, d = 0;
  while (s < reshape->src_rank || d < reshape->dst_rank) {
    group_t group = {s, s, d, d};
    int64_t src = 1, dst = 1;
    for (;;) {
      bool more_src = s < reshape->src_rank, more_dst = d < reshape->dst_rank;
      if (more_src && (src < dst || src == 1 || reshape->src_shape[s] == 1))
        src *= reshape->src_shape[s++];
      else if (more_dst && (dst < src || reshape->dst_shape[d] == 1))
        dst *= reshape->dst_shape[d++];
      else
        break;
    }
    group.src_end = s;
    group.dst_end = d;
    reshape->groups[reshape->group_count++] = group;
  }
}

/* Returns whether each list entry divides the tensor's size or covers it, except for sizes of 1. */
static bool divides(int rank, const int64_t *shape, const int32_t *sizes) {
  for (int d = 0; d < rank; d++)
    if (shape[d] >= sizes[d] && shape[d] % sizes[d] != 0)
      return false;
  return true;
}

/* Returns whether the group's dimensions are consecutive in the order of the encoding, the last one fastest. */
static bool is_consecutive(const group_t *group, const int32_t *place) {
  for (int d = group->src_begin + 1; d < group->src_end; d++)
    if (place[d - 1] != place[d] + 1)
      return false;
  return true;
}

/* Removes `sizes` from the remaining sizes of the group's dimensions. A dimension may be started only when the faster
 * ones are exhausted, and only the slowest may be exceeded (0 remains then). */
static bool take(const group_t *group, const int32_t *sizes, int64_t *left) {
  for (int d = group->src_end - 1; d >= group->src_begin; d--) {
    if (sizes[d] == 1)
      continue;
    for (int faster = d + 1; faster < group->src_end; faster++)
      if (left[faster] != 1)
        return false;
    left[d] = left[d] >= sizes[d] ? left[d] / sizes[d] : 0;
    if (left[d] == 0 && d != group->src_begin)
      return false;
  }
  return true;
}

static bool can_reshape(const reshape_t *reshape, const nereid_ttg_blocked_t *src, const int32_t *place) {
  int64_t left[NEREID_TTG_MAX_RANK];
  memcpy(left, reshape->src_shape, (size_t)reshape->src_rank * sizeof *left);
  if (src->cga.count || !divides(src->rank, reshape->src_shape, src->size_per_thread) ||
      !divides(src->rank, reshape->src_shape, src->threads_per_warp) ||
      !divides(src->rank, reshape->src_shape, src->warps_per_cta))
    return false;
  for (int i = 0; i < reshape->group_count; i++) {
    const group_t *group = &reshape->groups[i];
    if (!is_consecutive(group, place) || !take(group, src->size_per_thread, left) ||
        !take(group, src->threads_per_warp, left) || !take(group, src->warps_per_cta, left))
      return false;
  }
  return true;
}

/* Distributes the `src_sizes` of each group over its new dimensions, the last first; the first takes the excess. */
static void deal(const reshape_t *reshape, const int32_t *src_sizes, int64_t *left, int32_t *out_sizes) {
  for (int i = 0; i < reshape->group_count; i++) {
    const group_t *group = &reshape->groups[i];
    int64_t total = 1;
    for (int d = group->src_begin; d < group->src_end; d++)
      total *= src_sizes[d];
    for (int d = group->dst_end - 1; d >= group->dst_begin; d--) {
      int64_t here = total < left[d] ? total : left[d];
      out_sizes[d] = (int32_t)here;
      total /= here;
      left[d] /= here;
    }
    if (group->dst_begin < group->dst_end)
      out_sizes[group->dst_begin] *= (int32_t)total;
  }
}

/* Orders the new dimensions as their groups were ordered; within a group the last is the fastest. */
static void deal_order(const reshape_t *reshape, const nereid_ttg_blocked_t *src, int32_t *out_order) {
  int next = 0;
  for (int p = 0; p < src->rank; p++)
    for (int i = 0; i < reshape->group_count; i++) {
      const group_t *group = &reshape->groups[i];
      if (group->src_end == group->src_begin || src->order[p] != group->src_begin)
        continue;
      for (int d = group->dst_end - 1; d >= group->dst_begin; d--)
        out_order[next++] = d;
    }
}

static int64_t total(int rank, const int32_t *sizes) {
  int64_t made = 1;
  for (int d = 0; d < rank; d++)
    made *= sizes[d];
  return made;
}

/* False when no blocked encoding represents the result. */
static bool reshape_blocked(reshape_t *reshape, MlirAttribute src_encoding, MlirAttribute *out) {
  nereid_ttg_blocked_t src, dst = {.rank = reshape->dst_rank};
  if (!nereid_ttg_blocked_read(src_encoding, &src) || src.rank != reshape->src_rank || reshape->src_rank < 1 ||
      reshape->dst_rank < 1)
    return false;
  MlirContext ctx = mlirAttributeGetContext(src_encoding);
  nereid_thread_grid_t grid = {(int32_t)total(src.rank, src.warps_per_cta),
                               (int32_t)total(src.rank, src.threads_per_warp), 1 << src.cga.count};
  if (mlirAttributeEqual(src_encoding, nereid_ttg_blocked_default(ctx, src.rank, reshape->src_shape, grid))) {
    *out = nereid_ttg_blocked_default(ctx, reshape->dst_rank, reshape->dst_shape, grid);
    return true;
  }
  int32_t place[NEREID_TTG_MAX_RANK];
  int64_t left[NEREID_TTG_MAX_RANK];
  for (int i = 0; i < src.rank; i++)
    place[src.order[i]] = i;
  find_groups(reshape);
  if (!can_reshape(reshape, &src, place))
    return false;
  memcpy(left, reshape->dst_shape, (size_t)reshape->dst_rank * sizeof *left);
  deal(reshape, src.size_per_thread, left, dst.size_per_thread);
  deal(reshape, src.threads_per_warp, left, dst.threads_per_warp);
  deal(reshape, src.warps_per_cta, left, dst.warps_per_cta);
  deal_order(reshape, &src, dst.order);
  *out = nereid_ttg_blocked_attribute(ctx, &dst);
  return true;
}

/* Returns the layout of `src` with its coordinates in the new shape. */
static bool reshape_layout(MlirAttribute src, intptr_t src_rank, const int64_t *src_shape, intptr_t dst_rank,
                           const int64_t *dst_shape, nereid_layout_t *out) {
  uint8_t bits[NEREID_LAYOUT_MAX_RANK] = {0};
  if (dst_rank > NEREID_LAYOUT_MAX_RANK || src_rank > NEREID_LAYOUT_MAX_RANK ||
      nereid_layout_from_encoding(src, (int)src_rank, src_shape, out) != NEREID_OK)
    return false;
  for (intptr_t d = 0; d < dst_rank; d++) {
    if (dst_shape[d] <= 0 || (dst_shape[d] & (dst_shape[d] - 1)) != 0)
      return false;
    while (INT64_C(1) << bits[d] < dst_shape[d])
      bits[d]++;
  }
  return nereid_layout_reshape(out, (int)dst_rank, bits);
}

static bool same_shape(intptr_t a_rank, const int64_t *a, intptr_t b_rank, const int64_t *b) {
  return a_rank == b_rank && memcmp(a, b, (size_t)a_rank * sizeof *a) == 0;
}

static bool check_shapes(intptr_t src_rank, const int64_t *src_shape, intptr_t dst_rank, const int64_t *dst_shape,
                         MlirLocation location) {
  if (src_rank > NEREID_TTG_MAX_RANK || dst_rank > NEREID_TTG_MAX_RANK)
    return refuse(location, "a shape has too many dimensions");
  return product((int)src_rank, src_shape) == product((int)dst_rank, dst_shape) ||
         refuse(location, "operand and result of a reshape must have the same number of elements");
}

bool nereid_ttg_infer_reshape_encoding(intptr_t src_rank, const int64_t *src_shape, MlirAttribute src,
                                       intptr_t dst_rank, const int64_t *dst_shape, MlirLocation location,
                                       MlirAttribute *out) {
  *out = src;
  if (!check_shapes(src_rank, src_shape, dst_rank, dst_shape, location))
    return false;
  if (mlirAttributeIsNull(src))
    return true;
  if (nereid_ttg_blocked_attr_isa(src) && same_shape(src_rank, src_shape, dst_rank, dst_shape))
    return true;
  reshape_t reshape = {(int)src_rank, (int)dst_rank, 0, src_shape, dst_shape, {{0, 0, 0, 0}}};
  if (reshape_blocked(&reshape, src, out))
    return true;
  nereid_layout_t layout;
  if (!nereid_ttg_is_distributed(src) || !reshape_layout(src, src_rank, src_shape, dst_rank, dst_shape, &layout))
    return refuse(location, "the operand's encoding does not fit its shape");
  return nereid_ttg_infer_linear(src, &layout, location, out);
}

/* Keeps the swizzle mode if the contiguous dimension is unchanged and the rows are still consecutive. */
static bool keep_nvmma(MlirAttribute src, intptr_t src_rank, const int64_t *src_shape, intptr_t dst_rank,
                       const int64_t *dst_shape, const nereid_layout_t *renamed, MlirAttribute *out) {
  if (!nereid_ttg_nvmma_shared_attr_isa(src) || nereid_ttg_cta_bits(src) != 0 || src_rank < 1 || dst_rank < 1)
    return false;
  bool transposed = nereid_ttg_nvmma_shared_attr_get_transposed(src);
  if (src_shape[transposed ? 0 : src_rank - 1] != dst_shape[transposed ? 0 : dst_rank - 1])
    return false;
  MlirAttribute candidate = nereid_ttg_nvmma_shared_attr_create(
      mlirAttributeGetContext(src), nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(src), transposed,
      nereid_ttg_nvmma_shared_attr_get_element_bit_width(src), nereid_ttg_nvmma_shared_attr_get_fp4_padded(src),
      mlirAttributeGetNull(), (unsigned)dst_rank);
  nereid_layout_t layout;
  if (nereid_layout_from_encoding(candidate, (int)dst_rank, dst_shape, &layout) != NEREID_OK ||
      !nereid_layout_equal(&layout, renamed))
    return false;
  *out = candidate;
  return true;
}

bool nereid_ttg_infer_memdesc_reshape_encoding(intptr_t src_rank, const int64_t *src_shape, MlirAttribute src,
                                               intptr_t dst_rank, const int64_t *dst_shape, MlirLocation location,
                                               MlirAttribute *out) {
  *out = src;
  if (!check_shapes(src_rank, src_shape, dst_rank, dst_shape, location))
    return false;
  nereid_layout_t layout;
  if (!nereid_ttg_is_shared(src) || !reshape_layout(src, src_rank, src_shape, dst_rank, dst_shape, &layout))
    return refuse(location, "a buffer with this encoding and shape cannot be reshaped");
  if (!keep_nvmma(src, src_rank, src_shape, dst_rank, dst_shape, &layout, out))
    *out = nereid_ttg_shared_linear_from_layout(mlirAttributeGetContext(src), &layout,
                                                (unsigned)nereid_ttg_shared_alignment(src));
  return true;
}
