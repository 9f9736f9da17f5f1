/* Infers encodings of results of shape-changing operations; see the header.
 *
 *   tt.trans   #ttg.blocked<{sizePerThread = [1, 8], order = [1, 0], ..}>  ->  sizePerThread = [8, 1], order = [0, 1]
 *   tt.join    #ttg.blocked<{sizePerThread = [4], ..}>                     ->  sizePerThread = [4, 2]
 *   tt.reduce  #e                                                          ->  #ttg.slice<{dim = axis, parent = #e}>
 *
 * When the operand's kind of encoding cannot represent the result, the layout itself is transformed over F2 and becomes
 * #ttg.linear or #ttg.shared_linear. */
#include "dialects/ttg/encoding/infer_encoding.h"

#include "dialects/diagnose.h"
#include "dialects/ttg/encoding/encoding.h"
#include "layout/encoding.h"

#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>

#include <string.h>

/* Returns false, after reporting the message unless the location is null. */
static bool refuse(MlirLocation location, const char *message) {
  if (!mlirLocationIsNull(location))
    nereid_diagnose_at(location, "%s", message);
  return false;
}

static bool layout_of(MlirAttribute encoding, intptr_t rank, const int64_t *shape, MlirLocation location,
                      nereid_layout_t *out) {
  if (rank <= NEREID_LAYOUT_MAX_RANK && nereid_layout_from_encoding(encoding, (int)rank, shape, out) == NEREID_OK)
    return true;
  return refuse(location, "the encoding does not fit the shape of its tensor");
}

bool nereid_ttg_encodings_equivalent(MlirAttribute a, MlirAttribute b, intptr_t rank, const int64_t *shape) {
  if (mlirAttributeEqual(a, b))
    return true;
  MlirLocation quiet = {NULL};
  nereid_layout_t left, right;
  return !mlirAttributeIsNull(a) && !mlirAttributeIsNull(b) && nereid_ttg_is_shared(a) == nereid_ttg_is_shared(b) &&
         layout_of(a, rank, shape, quiet, &left) && layout_of(b, rank, shape, quiet, &right) &&
         nereid_layout_equal(&left, &right);
}

/* Removes register bits with which a thread holds copies of its own elements. */
static void drop_copies(nereid_layout_t *layout) {
  int kept = 0;
  uint32_t *registers = layout->bases[NEREID_LAYOUT_REGISTER];
  for (int i = 0; i < layout->in_bits[NEREID_LAYOUT_REGISTER]; i++)
    if (registers[i])
      registers[kept++] = registers[i];
  layout->in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)kept;
}

bool nereid_ttg_encodings_hold_same(MlirAttribute a, MlirAttribute b, intptr_t rank, const int64_t *shape) {
  if (mlirAttributeEqual(a, b))
    return true;
  MlirLocation quiet = {NULL};
  nereid_layout_t left, right;
  if (mlirAttributeIsNull(a) || mlirAttributeIsNull(b) || !nereid_ttg_is_distributed(a) ||
      !nereid_ttg_is_distributed(b) || !layout_of(a, rank, shape, quiet, &left) ||
      !layout_of(b, rank, shape, quiet, &right))
    return false;
  drop_copies(&left);
  drop_copies(&right);
  return nereid_layout_equal(&left, &right);
}

/* Returns `to` with coordinate 0 in every dimension that is broadcast: a layout of the operand's shape. */
static nereid_layout_t project(const nereid_layout_t *to, const nereid_layout_t *from, const int64_t *src_shape) {
  nereid_layout_t projected = *from;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
    projected.in_bits[in] = to->in_bits[in];
    for (int i = 0; i < to->in_bits[in]; i++) {
      int32_t place[NEREID_LAYOUT_MAX_RANK];
      nereid_layout_coordinates(to, to->bases[in][i], place);
      for (int d = 0; d < to->rank; d++)
        place[d] = src_shape[d] == 1 ? 0 : place[d];
      projected.bases[in][i] = nereid_layout_pack(from, place);
    }
  }
  return projected;
}

bool nereid_ttg_encodings_broadcast(MlirAttribute src, const int64_t *src_shape, MlirAttribute dst,
                                    const int64_t *dst_shape, intptr_t rank) {
  if (mlirAttributeEqual(src, dst))
    return true;
  MlirLocation quiet = {NULL};
  nereid_layout_t from, to;
  if (mlirAttributeIsNull(src) || mlirAttributeIsNull(dst) || !nereid_ttg_is_distributed(src) ||
      !nereid_ttg_is_distributed(dst) || !layout_of(src, rank, src_shape, quiet, &from) ||
      !layout_of(dst, rank, dst_shape, quiet, &to))
    return false;
  nereid_layout_t projected = project(&to, &from, src_shape);
  drop_copies(&from);
  drop_copies(&projected);
  return nereid_layout_equal(&from, &projected);
}

bool nereid_ttg_infer_reduce_encoding(MlirAttribute src, int axis, MlirAttribute *out) {
  *out = src;
  if (mlirAttributeIsNull(src))
    return true;
  if (!nereid_ttg_is_distributed(src) || axis < 0 || axis >= nereid_ttg_encoding_rank(src) ||
      nereid_ttg_encoding_rank(src) < 2)
    return false;
  *out = nereid_ttg_slice_attr_create(mlirAttributeGetContext(src), (unsigned)axis, src);
  return true;
}

bool nereid_ttg_infer_expand_dims_encoding(MlirAttribute src, int axis, MlirLocation location, MlirAttribute *out) {
  *out = src;
  if (mlirAttributeIsNull(src))
    return true;
  if (!nereid_ttg_slice_attr_isa(src))
    return refuse(location, "the operand of tt.expand_dims must have a #ttg.slice encoding");
  if ((int)nereid_ttg_slice_attr_get_dim(src) != axis)
    return refuse(location, "the #ttg.slice encoding of the operand must be along the axis of tt.expand_dims");
  *out = nereid_ttg_slice_attr_get_parent(src);
  return true;
}

bool nereid_ttg_infer_linear(MlirAttribute src, const nereid_layout_t *layout, MlirLocation location,
                             MlirAttribute *out) {
  const bool generic = nereid_ttg_is_generic(src);
  if (!nereid_ttg_linear_represents(layout, generic))
    return refuse(location,
                  "a bit of the result's layout moves along several dimensions, which no encoding of registers "
                  "represents; convert the operand's layout first");
  MlirContext ctx = mlirAttributeGetContext(src);
  *out = generic ? nereid_ttg_generic_linear_from_layout(ctx, layout) : nereid_ttg_linear_from_layout(ctx, layout);
  return true;
}

/* --- trans --- */

static bool invert_permutation(intptr_t rank, const int32_t *order, int32_t *out) {
  uint64_t seen = 0;
  for (intptr_t i = 0; i < rank && rank <= NEREID_TTG_MAX_RANK; i++) {
    if (order[i] < 0 || order[i] >= rank)
      return false;
    seen |= UINT64_C(1) << order[i];
    out[order[i]] = (int32_t)i;
  }
  return rank <= NEREID_TTG_MAX_RANK && seen == (UINT64_C(1) << rank) - 1;
}

/* Permutes values per dimension with their dimensions. */
static void permute(int rank, int32_t *values, const int32_t *order) {
  int32_t copy[NEREID_TTG_MAX_RANK];
  memcpy(copy, values, sizeof copy);
  for (int i = 0; i < rank; i++)
    values[i] = copy[order[i]];
}

/* Renames the dimensions in a list. */
static void rename_dims(int rank, int32_t *dims, const int32_t *inverse) {
  for (int i = 0; i < rank; i++)
    dims[i] = inverse[dims[i]];
}

static void permute_bases(nereid_ttg_bases_t *bases, const int32_t *order) {
  for (int i = 0; i < bases->count; i++)
    permute(bases->rank, bases->vectors[i], order);
}

static MlirAttribute permuted_bases(MlirAttribute array, const int32_t *order) {
  nereid_ttg_bases_t bases;
  if (mlirAttributeIsNull(array) || !nereid_ttg_bases_read(array, &bases))
    return array;
  permute_bases(&bases, order);
  return nereid_ttg_bases_make(mlirAttributeGetContext(array), &bases);
}

static MlirAttribute trans_blocked(MlirAttribute src, const int32_t *order, const int32_t *inverse) {
  nereid_ttg_blocked_t blocked;
  nereid_ttg_blocked_read(src, &blocked);
  permute(blocked.rank, blocked.size_per_thread, order);
  permute(blocked.rank, blocked.threads_per_warp, order);
  permute(blocked.rank, blocked.warps_per_cta, order);
  rename_dims(blocked.rank, blocked.order, inverse);
  permute_bases(&blocked.cga, order);
  return nereid_ttg_blocked_attribute(mlirAttributeGetContext(src), &blocked);
}

static MlirAttribute trans_swizzled(MlirAttribute src, const int32_t *order, const int32_t *inverse) {
  MlirContext ctx = mlirAttributeGetContext(src);
  int32_t dims[NEREID_TTG_MAX_RANK];
  int rank = nereid_ttg_ints_read(nereid_ttg_swizzled_shared_attr_get_order(src), dims);
  rename_dims(rank, dims, inverse);
  return nereid_ttg_swizzled_shared_attr_create(
      ctx, nereid_ttg_swizzled_shared_attr_get_vec(src), nereid_ttg_swizzled_shared_attr_get_per_phase(src),
      nereid_ttg_swizzled_shared_attr_get_max_phase(src), nereid_ttg_ints_make(ctx, rank, dims),
      permuted_bases(nereid_ttg_swizzled_shared_attr_get_cga_layout(src), order));
}

static MlirAttribute trans_nvmma(MlirAttribute src, const int32_t *order) {
  return nereid_ttg_nvmma_shared_attr_create(
      mlirAttributeGetContext(src), nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(src),
      !nereid_ttg_nvmma_shared_attr_get_transposed(src), nereid_ttg_nvmma_shared_attr_get_element_bit_width(src),
      nereid_ttg_nvmma_shared_attr_get_fp4_padded(src),
      permuted_bases(nereid_ttg_nvmma_shared_attr_get_cga_layout(src), order),
      nereid_ttg_nvmma_shared_attr_get_rank(src));
}

static MlirAttribute trans_padded(MlirAttribute src, int rank, const int32_t *order) {
  MlirContext ctx = mlirAttributeGetContext(src);
  MlirAttribute before = nereid_ttg_padded_shared_attr_get_shape(src);
  int64_t shape[NEREID_TTG_MAX_RANK];
  for (int i = 0; i < rank; i++)
    shape[i] = mlirDenseI64ArrayGetElement(before, order[i]);
  return nereid_ttg_padded_shared_attr_create(
      ctx, nereid_ttg_padded_shared_attr_get_intervals(src), nereid_ttg_padded_shared_attr_get_paddings(src),
      permuted_bases(nereid_ttg_padded_shared_attr_get_offset_bases(src), order),
      permuted_bases(nereid_ttg_padded_shared_attr_get_block_bases(src), order),
      mlirDenseI64ArrayGet(ctx, rank, shape));
}

static bool trans_layout(MlirAttribute src, intptr_t rank, const int64_t *shape, const int32_t *order,
                         MlirLocation location, MlirAttribute *out) {
  nereid_layout_t layout, permuted;
  if (!layout_of(src, rank, shape, location, &layout))
    return false;
  nereid_layout_transpose(&layout, order, &permuted);
  if (!nereid_ttg_is_shared(src))
    return nereid_ttg_infer_linear(src, &permuted, location, out);
  *out = nereid_ttg_shared_linear_from_layout(mlirAttributeGetContext(src), &permuted,
                                              (unsigned)nereid_ttg_shared_alignment(src));
  return true;
}

bool nereid_ttg_infer_trans_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, const int32_t *order,
                                     MlirLocation location, MlirAttribute *out) {
  *out = src;
  int32_t inverse[NEREID_TTG_MAX_RANK];
  if (!invert_permutation(rank, order, inverse))
    return refuse(location, "order must be a permutation of the operand's dimensions");
  bool identity = true;
  for (intptr_t i = 0; i < rank; i++)
    identity &= order[i] == i;
  if (mlirAttributeIsNull(src) || identity)
    return true;
  if (nereid_ttg_encoding_rank(src) != rank)
    return refuse(location, "the ranks of the encoding and of the order differ");
  if (nereid_ttg_swizzled_shared_attr_isa(src))
    *out = trans_swizzled(src, order, inverse);
  else if (nereid_ttg_nvmma_shared_attr_isa(src) && rank == 2)
    *out = trans_nvmma(src, order);
  else if (nereid_ttg_blocked_attr_isa(src))
    *out = trans_blocked(src, order, inverse);
  else if (nereid_ttg_padded_shared_attr_isa(src))
    *out = trans_padded(src, (int)rank, order);
  else
    return trans_layout(src, rank, shape, order, location, out);
  return true;
}

/* --- join, split, fp4 --- */

/* Doubles dimension `axis`; both halves are adjacent registers of one thread. */
static bool double_axis(nereid_layout_t *layout, int axis) {
  nereid_layout_t pair;
  nereid_layout_identity1d(&pair, NEREID_LAYOUT_REGISTER, layout->rank, axis, 1);
  if (!nereid_layout_multiply(&pair, layout))
    return false;
  *layout = pair;
  return true;
}

/* Inverts double_axis: removes registers that step by one along `axis`, halves the steps of the others. False when
 * there is no such register. */
static bool halve_axis(nereid_layout_t *layout, int axis) {
  nereid_layout_t half = *layout;
  bool found = false;
  half.out_bits[axis]--;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; in++) {
    int kept = 0;
    for (int i = 0; i < layout->in_bits[in]; i++) {
      int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
      nereid_layout_coordinates(layout, layout->bases[in][i], coordinates);
      if (in == NEREID_LAYOUT_REGISTER && coordinates[axis] == 1) {
        found = true;
        continue;
      }
      coordinates[axis] /= 2;
      half.bases[in][kept++] = nereid_layout_pack(&half, coordinates);
    }
    half.in_bits[in] = (uint8_t)kept;
  }
  if (found)
    *layout = half;
  return found;
}

static void append(int rank, int32_t *values, int32_t value) {
  values[rank] = value;
}

static MlirAttribute join_blocked(MlirAttribute src) {
  nereid_ttg_blocked_t blocked;
  nereid_ttg_blocked_read(src, &blocked);
  int rank = blocked.rank++;
  append(rank, blocked.size_per_thread, 2);
  append(rank, blocked.threads_per_warp, 1);
  append(rank, blocked.warps_per_cta, 1);
  memmove(&blocked.order[1], &blocked.order[0], (size_t)rank * sizeof(int32_t));
  blocked.order[0] = rank;
  for (int i = 0; i < blocked.cga.count; i++)
    append(rank, blocked.cga.vectors[i], 0);
  blocked.cga.rank += blocked.cga.count > 0;
  return nereid_ttg_blocked_attribute(mlirAttributeGetContext(src), &blocked);
}

/* A slice along the new dimension whose parent splits back into it. */
static bool join_slice(MlirAttribute src, intptr_t rank, const int64_t *shape, MlirAttribute *out) {
  MlirLocation quiet = {NULL};
  int64_t joined[NEREID_TTG_MAX_RANK];
  MlirAttribute parent = nereid_ttg_slice_attr_get_parent(src), split;
  if ((intptr_t)nereid_ttg_slice_attr_get_dim(src) != rank)
    return false;
  memcpy(joined, shape, (size_t)rank * sizeof *joined);
  joined[rank] = 2;
  if (!nereid_ttg_infer_split_encoding(parent, rank + 1, joined, quiet, &split) ||
      !nereid_ttg_encodings_equivalent(split, src, rank, shape))
    return false;
  *out = parent;
  return true;
}

bool nereid_ttg_infer_join_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, MlirLocation location,
                                    MlirAttribute *out) {
  *out = src;
  if (mlirAttributeIsNull(src))
    return true;
  if (nereid_ttg_encoding_rank(src) != rank || rank >= NEREID_TTG_MAX_RANK)
    return refuse(location, "the ranks of the encoding and of the tensor differ");
  if (nereid_ttg_slice_attr_isa(src) && join_slice(src, rank, shape, out))
    return true;
  if (nereid_ttg_blocked_attr_isa(src)) {
    *out = join_blocked(src);
    return true;
  }
  nereid_layout_t layout;
  uint8_t bits[NEREID_LAYOUT_MAX_RANK + 1];
  if (!layout_of(src, rank, shape, location, &layout))
    return false;
  memcpy(bits, layout.out_bits, (size_t)rank);
  bits[rank] = 0;
  if (rank + 1 > NEREID_LAYOUT_MAX_RANK || !nereid_layout_reshape(&layout, (int)rank + 1, bits) ||
      !double_axis(&layout, (int)rank))
    return refuse(location, "the joined tensor has too many dimensions or elements");
  return nereid_ttg_infer_linear(src, &layout, location, out);
}

/* Returns whether the encoding's only use of the last dimension is to hold its pairs. */
static bool splits_simply(const nereid_ttg_blocked_t *blocked) {
  int last = blocked->rank - 1;
  for (int i = 0; i < blocked->cga.count; i++)
    if (blocked->cga.vectors[i][last])
      return false;
  return blocked->size_per_thread[last] == 2 && blocked->threads_per_warp[last] == 1 &&
         blocked->warps_per_cta[last] == 1;
}

static MlirAttribute split_blocked(MlirAttribute src, nereid_ttg_blocked_t *blocked) {
  int last = --blocked->rank, kept = 0;
  for (int i = 0; i <= last; i++)
    if (blocked->order[i] != last)
      blocked->order[kept++] = blocked->order[i];
  blocked->cga.rank -= blocked->cga.count > 0;
  return nereid_ttg_blocked_attribute(mlirAttributeGetContext(src), blocked);
}

bool nereid_ttg_infer_split_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, MlirLocation location,
                                     MlirAttribute *out) {
  *out = src;
  if (mlirAttributeIsNull(src))
    return true;
  if (nereid_ttg_encoding_rank(src) != rank || rank < 2)
    return refuse(location, "the ranks of the encoding and of the tensor differ");
  nereid_ttg_blocked_t blocked;
  if (nereid_ttg_blocked_read(src, &blocked) && splits_simply(&blocked)) {
    *out = split_blocked(src, &blocked);
    return true;
  }
  if (shape[rank - 1] != 2)
    return refuse(location, "the last dimension of the operand of tt.split must have size 2");
  nereid_layout_t layout;
  if (!layout_of(src, rank, shape, location, &layout))
    return false;
  if (!halve_axis(&layout, (int)rank - 1))
    return refuse(location, "both elements along the last dimension must be in one thread");
  nereid_layout_drop_dim(&layout, (int)rank - 1);
  return nereid_ttg_infer_linear(src, &layout, location, out);
}

/* Returns the dimension at position `place` of the order in which registers move through the dimensions. Dimensions
 * without registers come last, the last dimension first. */
static int register_order(const nereid_layout_t *layout, int place) {
  int order[NEREID_LAYOUT_MAX_RANK], found = 0;
  uint32_t seen = 0;
  for (int i = 0; i < layout->in_bits[NEREID_LAYOUT_REGISTER]; i++)
    for (int d = 0; d < layout->rank; d++)
      if (layout->bases[NEREID_LAYOUT_REGISTER][i] & nereid_layout_out_mask(layout, d)) {
        if (!(seen >> d & 1))
          order[found++] = d;
        seen |= UINT32_C(1) << d;
        break;
      }
  for (int d = layout->rank - 1; d >= 0; d--)
    if (!(seen >> d & 1))
      order[found++] = d;
  return order[place];
}

/* Doubles or halves the elements per thread along an axis that is the encoding's fastest. False when `src` is neither
 * kind of encoding; *fits is false when half of the elements is not an integer. */
static bool scale_fastest(MlirAttribute src, int axis, bool forward, bool *fits, MlirAttribute *out) {
  MlirContext ctx = mlirAttributeGetContext(src);
  nereid_ttg_blocked_t blocked;
  *fits = true;
  if (nereid_ttg_dot_op_attr_isa(src)) {
    unsigned width = nereid_ttg_dot_op_attr_get_k_width(src);
    *fits = forward || width > 1;
    if (*fits)
      *out = nereid_ttg_dot_op_attr_create(ctx, nereid_ttg_dot_op_attr_get_op_idx(src),
                                           nereid_ttg_dot_op_attr_get_parent(src), forward ? width * 2 : width / 2);
    return true;
  }
  if (!nereid_ttg_blocked_read(src, &blocked))
    return false;
  int32_t *size = &blocked.size_per_thread[axis];
  *fits = forward || *size > 1;
  *size = forward ? *size * 2 : *size / 2;
  if (*fits)
    *out = nereid_ttg_blocked_attribute(ctx, &blocked);
  return true;
}

bool nereid_ttg_infer_fp4_to_fp_encoding(MlirAttribute src, intptr_t rank, const int64_t *shape, int axis, bool forward,
                                         MlirLocation location, MlirAttribute *out) {
  static const char too_few[] =
      "both fp4 values of a byte must be in one thread: expected at least two elements per thread along the axis";
  *out = src;
  if (mlirAttributeIsNull(src))
    return true;
  nereid_layout_t layout;
  bool fits;
  if (axis < 0 || axis >= rank || !layout_of(src, rank, shape, location, &layout))
    return false;
  /* as Triton 3.6 tests it; for two dimensions: the axis is the fastest */
  if (register_order(&layout, axis) == 0 && scale_fastest(src, axis, forward, &fits, out))
    return fits || refuse(location, too_few);
  if (!(forward ? double_axis(&layout, axis) : halve_axis(&layout, axis)))
    return refuse(location, too_few);
  return nereid_ttg_infer_linear(src, &layout, location, out);
}

/* --- dot --- */

static bool is_wgmma(MlirAttribute encoding) {
  return nereid_ttg_nvidia_mma_attr_isa(encoding) && nereid_ttg_nvidia_mma_attr_get_version_major(encoding) == 3;
}

bool nereid_ttg_dot_operand_encoding_verify(MlirAttribute operand, int index, MlirAttribute result,
                                            MlirLocation location) {
  if (mlirAttributeIsNull(operand) || mlirAttributeIsNull(result))
    return true;
  bool dot = nereid_ttg_dot_op_attr_isa(operand);
  if (is_wgmma(result)) {
    bool registers = dot && index == 0 && nereid_ttg_dot_op_attr_get_op_idx(operand) == 0 &&
                     nereid_ttg_nvidia_mma_attr_isa(nereid_ttg_dot_op_attr_get_parent(operand));
    return registers || nereid_ttg_nvmma_shared_attr_isa(operand) || nereid_ttg_shared_linear_attr_isa(operand) ||
           refuse(location, "wgmma takes operands from #ttg.nvmma_shared or #ttg.shared_linear buffers, and the left "
                            "one also from registers with #ttg.dot_op");
  }
  if (!dot)
    return refuse(location, "operands of a dot must have a #ttg.dot_op encoding");
  if ((int)nereid_ttg_dot_op_attr_get_op_idx(operand) != index)
    return refuse(location, "the #ttg.dot_op encoding is of the other operand: wrong opIdx");
  return mlirAttributeEqual(nereid_ttg_dot_op_attr_get_parent(operand), result) ||
         refuse(location, "the parent of a #ttg.dot_op encoding must be the encoding of the result");
}

bool nereid_ttg_dot_operand_encodings_verify(MlirAttribute a, MlirAttribute b, MlirLocation location) {
  bool left = !mlirAttributeIsNull(a) && nereid_ttg_dot_op_attr_isa(a);
  bool right = !mlirAttributeIsNull(b) && nereid_ttg_dot_op_attr_isa(b);
  if (!left && !right)
    return true;
  if (left && is_wgmma(nereid_ttg_dot_op_attr_get_parent(a)))
    return true;
  if (!left || !right)
    return refuse(location, "both operands of a dot must have a #ttg.dot_op encoding, or neither");
  return nereid_ttg_dot_op_attr_get_k_width(a) == nereid_ttg_dot_op_attr_get_k_width(b) ||
         refuse(location, "the operands of a dot must have the same kWidth");
}
