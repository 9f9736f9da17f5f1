/* triton-nvidia-gpu-plan-cta: divides the tensors of a kernel among the CTAs of a cluster so that dots and reductions
 * exchange nothing between them.
 *
 *   two CTAs, before: each has half of the rows of every tensor            after
 *     %a : 128x64, %b : 64x256                                               %a : all rows in both
 *     %d = tt.dot %a, %b : half of the rows of %b are in the other CTA       %b : half of the columns
 *     tt.store %p, %d                                                        %d, %p : half of the columns
 *
 * Dots first: each CTA computes a tile of the result that needs the fewest operand elements, and loads its own rows of
 * A and columns of B; what two CTAs need, both load. Then reductions and scans, along whose dimension no tensor is
 * divided, then stores with the default division. The choice is propagated (cta_parts.h); values that two uses need in
 * different parts get a conversion, which later passes remove by computing the value twice. A conversion that remains
 * is an error where it is lowered.
 *
 * Requires: encodings of convert-triton-to-tritongpu, before memory accesses get theirs. */
#include "passes/layout/support/cta_parts.h"
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "analysis/allocation/scratch.h"
#include "base/bits.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

enum {
  MIN_ROWS = 64,
  MIN_COLUMNS = 32, /* columns of a dot's tile in a CTA, where possible */
  MIN_PART = 128,   /* bytes of a box, which begins at a multiple of them */
  MIN_COPY = 16,    /* bytes of a row that TMA copies */
  MIN_SWIZZLE = 32, /* bytes of a row that TMA swizzles */
};

typedef struct plan {
  nereid_pass_t *pass;
  nereid_thread_grid_t grid;
  nereid_cta_parts_t parts;
  nereid_operations_t ops;            /* of one function, in order */
  bool divides_rows, divides_columns; /* whether its dots are divided by rows, by columns */
} plan_t;

/* --- choices --- */

static int64_t at_least_one(int64_t n) {
  return n > 0 ? n : 1;
}

/* The bits of the number of CTAs. */
static int bits_of(const plan_t *plan) {
  int bits = 0;
  while (1 << bits < plan->grid.num_ctas)
    ++bits;
  return bits;
}

/* Divides dimension `d` of a tensor of `rank` dimensions by 2^n, from bit `first` of the CTA's number on. */
static void divide(nereid_ttg_bases_t *bases, int first, int n, int d) {
  for (int i = 0; i < n; ++i)
    bases->vectors[first + i][d] = 1 << i;
}

/* The part of a dot's result: with the fewest rows of A and columns of B per CTA, tiles not below the least size where
 * that is possible, rather rows than columns. */
static nereid_ttg_bases_t choose_dot(const plan_t *plan, MlirOperation dot) {
  MlirType type = mlirValueGetType(nereid_ir_result(dot));
  const int rank = (int)mlirShapedTypeGetRank(type), bits = bits_of(plan);
  const int64_t m = mlirShapedTypeGetDimSize(type, rank - 2), n = mlirShapedTypeGetDimSize(type, rank - 1);
  int best_rows = -1, best_columns = 0;
  int64_t best = 0;
  for (int rows = bits; rows >= 0; --rows) {
    const int columns = bits - rows;
    if ((rows && !plan->divides_rows) || (columns && !plan->divides_columns) || m >> rows == 0 || n >> columns == 0)
      continue;
    const bool small = (rows && m >> rows < MIN_ROWS) || (columns && n >> columns < MIN_COLUMNS);
    const int64_t cost = (m >> rows) + (n >> columns) + (small ? m + n : 0);
    if (best_rows >= 0 && cost >= best)
      continue;
    best = cost;
    best_rows = rows;
    best_columns = columns;
  }
  nereid_ttg_bases_t bases = {.count = bits, .rank = rank};
  if (best_rows >= 0) {
    divide(&bases, 0, best_rows, rank - 2);
    divide(&bases, best_rows, best_columns, rank - 1);
  }
  return bases;
}

/* The part of a tensor that is reduced along `axis`: the other dimensions are divided, slowest first; CTAs beyond their
 * sizes hold the same elements. */
static nereid_ttg_bases_t choose_reduction(const plan_t *plan, MlirType type, int axis) {
  const int rank = (int)mlirShapedTypeGetRank(type), bits = bits_of(plan);
  nereid_ttg_bases_t bases = {.count = bits, .rank = rank};
  int used = 0;
  for (int d = 0; d < rank && used < bits; ++d) {
    int n = 0;
    if (d == axis)
      continue;
    while (used + n < bits && mlirShapedTypeGetDimSize(type, d) >> (n + 1) > 0)
      ++n;
    divide(&bases, used, n, d);
    used += n;
  }
  return bases;
}

/* --- seeds --- */

static bool is_reduction(MlirOperation op, int32_t *axis) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind != NEREID_OP_TT_REDUCE && kind != NEREID_OP_TT_SCAN)
    return false;
  *axis = kind == NEREID_OP_TT_REDUCE ? nereid_tt_reduce_get_axis(op) : nereid_tt_scan_get_axis(op);
  return true;
}

/* Dimensions of dots that may be divided: not those of a reduction of a matrix; and only rows where the result of a dot
 * may be the operand of another one. */
static void read_restrictions(plan_t *plan) {
  size_t dots = 0;
  plan->divides_rows = plan->divides_columns = true;
  for (size_t i = 0; i < plan->ops.size; ++i) {
    int32_t axis;
    dots += nereid_op_kind(plan->ops.data[i]) == NEREID_OP_TT_DOT;
    if (!is_reduction(plan->ops.data[i], &axis))
      continue;
    const intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(plan->ops.data[i], 0)));
    plan->divides_rows &= axis != rank - 2;
    plan->divides_columns &= rank < 2 || axis != rank - 1;
  }
  plan->divides_columns &= dots < 2 || !plan->divides_rows;
}

static void assign_dots(plan_t *plan) {
  for (size_t i = 0; i < plan->ops.size; ++i) {
    if (nereid_op_kind(plan->ops.data[i]) != NEREID_OP_TT_DOT)
      continue;
    const nereid_ttg_bases_t bases = choose_dot(plan, plan->ops.data[i]);
    nereid_cta_parts_assign(&plan->parts, nereid_ir_result(plan->ops.data[i]), &bases);
  }
}

/* The last ones first: a reduction of the result of another one restricts both. */
static void assign_reductions(plan_t *plan) {
  for (size_t i = plan->ops.size; i-- > 0;) {
    int32_t axis;
    if (!is_reduction(plan->ops.data[i], &axis))
      continue;
    MlirValue source = mlirOperationGetOperand(plan->ops.data[i], 0);
    const nereid_ttg_bases_t bases = choose_reduction(plan, mlirValueGetType(source), axis);
    nereid_cta_parts_assign(&plan->parts, source, &bases);
  }
}

/* The default division of what is stored. */
static void assign_stores(plan_t *plan) {
  for (size_t i = 0; i < plan->ops.size; ++i) {
    const nereid_op_kind_t kind = nereid_op_kind(plan->ops.data[i]);
    nereid_ttg_bases_t bases;
    const bool is_copy = kind == NEREID_OP_TT_DESCRIPTOR_STORE || kind == NEREID_OP_TT_DESCRIPTOR_REDUCE;
    if (!is_copy && kind != NEREID_OP_TT_STORE && kind != NEREID_OP_TT_ATOMIC_RMW && kind != NEREID_OP_TT_ATOMIC_CAS)
      continue;
    MlirValue value = mlirOperationGetOperand(plan->ops.data[i], 1);
    if (!nereid_ttg_is_laid_out(value) || !nereid_ttg_cga_read(nereid_ttg_encoding_of(value), &bases))
      continue;
    nereid_cta_parts_assign(&plan->parts, value, &bases);
  }
}

/* --- encodings --- */

/* Reads the parts of `type` in the CTAs; false without an encoding. */
static bool read_parts(MlirType type, nereid_ttg_bases_t *out) {
  MlirAttribute cga = nereid_ttg_cga_of_tensor(type);
  return !mlirAttributeIsNull(cga) && nereid_ttg_bases_read(cga, out);
}

/* `encoding`, blocked, for the part of `shape` (null: unknown) in one CTA. */
static MlirAttribute blocked_with(const plan_t *plan, MlirAttribute encoding, const nereid_ttg_bases_t *bases,
                                  const int64_t *shape) {
  nereid_ttg_blocked_t blocked;
  nereid_ttg_blocked_read(encoding, &blocked);
  if (shape) {
    const nereid_thread_grid_t grid = {plan->grid.num_warps, plan->grid.threads_per_warp, 1};
    int64_t part[NEREID_TTG_MAX_RANK];
    int32_t divisor[NEREID_TTG_MAX_RANK] = {0};
    for (int i = 0; i < bases->count; ++i)
      for (int d = 0; d < bases->rank; ++d)
        divisor[d] |= bases->vectors[i][d];
    for (int d = 0; d < blocked.rank; ++d)
      part[d] = at_least_one(shape[d] / (divisor[d] + 1));
    nereid_ttg_blocked_read(
        nereid_ttg_blocked_make(plan->pass->context, blocked.rank, part, blocked.size_per_thread, blocked.order, grid),
        &blocked);
  }
  blocked.cga = *bases;
  return nereid_ttg_blocked_attribute(plan->pass->context, &blocked);
}

static bool is_blocked(MlirAttribute encoding) {
  while (nereid_ttg_slice_attr_isa(encoding))
    encoding = nereid_ttg_slice_attr_get_parent(encoding);
  return nereid_ttg_blocked_attr_isa(encoding);
}

/* The encoding of a tensor in the part `bases`. The parent of a slice is not divided along the missing dimension. An
 * encoding that is not blocked, as that of a reshaped tensor, becomes the default one. */
static MlirAttribute encoding_with(const plan_t *plan, MlirAttribute encoding, const nereid_ttg_bases_t *bases,
                                   const int64_t *shape) {
  if (!is_blocked(encoding))
    encoding = nereid_ttg_blocked_default(plan->pass->context, bases->rank, shape, plan->grid);
  if (!nereid_ttg_slice_attr_isa(encoding))
    return blocked_with(plan, encoding, bases, shape);
  const unsigned dim = nereid_ttg_slice_attr_get_dim(encoding);
  nereid_ttg_bases_t parent = {.count = bases->count, .rank = bases->rank + 1};
  for (int i = 0; i < bases->count; ++i)
    for (int d = 0; d < bases->rank; ++d)
      parent.vectors[i][d + (d >= (int)dim)] = bases->vectors[i][d];
  return nereid_ttg_slice_attr_create(plan->pass->context, dim,
                                      encoding_with(plan, nereid_ttg_slice_attr_get_parent(encoding), &parent, NULL));
}

/* Sets the types of all values with a part, except operands of dots, which follow from their results. */
static void change_types(const plan_t *plan) {
  for (size_t i = 0; i < plan->parts.list.size; ++i) {
    const nereid_cta_part_t *part = &plan->parts.list.data[i];
    MlirType type = mlirValueGetType(part->value);
    MlirAttribute encoding = nereid_ttg_encoding_of(part->value);
    if (nereid_ttg_dot_op_attr_isa(encoding))
      continue;
    int64_t shape[NEREID_TTG_MAX_RANK] = {0};
    for (int d = 0; d < part->bases.rank; ++d)
      shape[d] = mlirShapedTypeGetDimSize(type, d);
    type = nereid_ttg_with_encoding(type, encoding_with(plan, encoding, &part->bases, shape));
    mlirValueSetType(part->value, type);
    MlirOperation constant = nereid_defining_op_of_kind(part->value, NEREID_OP_ARITH_CONSTANT);
    if (!mlirOperationIsNull(constant))
      nereid_ir_set_attribute(constant, "value",
                              mlirDenseElementsAttrReshapeGet(nereid_ir_attribute(constant, "value"), type));
  }
}

/* --- operands --- */

/* Makes operand `index` of `op` have `encoding`, from the source of its conversion if it has one. */
static void require(MlirOperation op, intptr_t index, MlirAttribute encoding) {
  MlirValue operand = mlirOperationGetOperand(op, index);
  if (!nereid_ttg_is_laid_out(operand) || mlirAttributeEqual(nereid_ttg_encoding_of(operand), encoding))
    return;
  MlirOperation convert = nereid_defining_op_of_kind(operand, NEREID_OP_TTG_CONVERT_LAYOUT);
  if (!mlirOperationIsNull(convert))
    operand = mlirOperationGetOperand(convert, 0);
  const nereid_builder_t builder = nereid_builder_before(op);
  if (!mlirAttributeEqual(nereid_ttg_encoding_of(operand), encoding))
    operand = nereid_ir_result(nereid_ttg_convert_layout_build(
        &builder, nereid_ttg_with_encoding(mlirValueGetType(operand), encoding), operand));
  mlirOperationSetOperand(op, index, operand);
  if (!mlirOperationIsNull(convert) && mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(convert))))
    nereidMlirOperationErase(convert);
}

/* Sets the inferred encoding of a result; its users get a conversion to the planned one. */
static void infer(MlirOperation op, intptr_t index, MlirAttribute encoding) {
  MlirValue result = mlirOperationGetResult(op, index);
  MlirType planned = mlirValueGetType(result);
  if (mlirAttributeEqual(mlirRankedTensorTypeGetEncoding(planned), encoding))
    return;
  mlirValueSetType(result, nereid_ttg_with_encoding(planned, encoding));
  const nereid_builder_t builder = {mlirOperationGetLocation(op), mlirOperationGetBlock(op),
                                    mlirOperationGetNextInBlock(op)};
  MlirOperation convert = nereid_ttg_convert_layout_build(&builder, planned, result);
  mlirValueReplaceAllUsesExcept(result, nereid_ir_result(convert), 1, &convert);
}

static void mend_dot(MlirOperation dot) {
  MlirAttribute result = nereid_ttg_encoding_of(nereid_ir_result(dot));
  for (unsigned i = 0; i < 2; ++i) {
    MlirAttribute operand = nereid_ttg_encoding_of(mlirOperationGetOperand(dot, i));
    if (nereid_ttg_dot_op_attr_isa(operand))
      require(dot, i,
              nereid_ttg_dot_op_attr_create(mlirOperationGetContext(dot), i, result,
                                            nereid_ttg_dot_op_attr_get_k_width(operand)));
  }
  require(dot, 2, result);
}

/* Makes operand `index` of `op` have `parts`, with all of dimension `axis` in each CTA; elements move between CTAs if
 * it has other ones. */
static void require_parts(const plan_t *plan, MlirOperation op, intptr_t index, nereid_ttg_bases_t parts, int axis) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, index));
  int64_t shape[NEREID_TTG_MAX_RANK];
  for (int i = 0; i < parts.count; ++i)
    parts.vectors[i][axis] = 0;
  for (int d = 0; d < parts.rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  MlirAttribute encoding = encoding_with(plan, mlirRankedTensorTypeGetEncoding(type), &parts, shape);
  if (!nereid_ttg_has_same_parts(type, encoding))
    require(op, index, encoding);
}

/* The same with the parts that the operand has. */
static void require_whole(const plan_t *plan, MlirOperation op, intptr_t index, int axis) {
  nereid_ttg_bases_t parts;
  if (read_parts(mlirValueGetType(mlirOperationGetOperand(op, index)), &parts))
    require_parts(plan, op, index, parts, axis);
}

/* Whether the parts of `type` are too small for boxes of TMA: rows below MIN_COPY bytes, or so few bytes that boxes
 * for the parts of several accesses could begin at other addresses than multiples of MIN_PART. */
static bool is_too_small(const plan_t *plan, MlirType type) {
  const int rank = (int)mlirShapedTypeGetRank(type);
  int64_t part[NEREID_TTG_MAX_RANK], bytes = nereid_scratch_element_bytes(type);
  nereid_ttg_part_of_tensor(type, rank, part);
  const bool narrow = part[rank - 1] * bytes < MIN_COPY;
  for (int d = 0; d < rank; ++d)
    bytes *= part[d];
  return narrow || bytes < MIN_PART * plan->grid.num_ctas;
}

/* Bytes of a row of the part of `type`. */
static int64_t row_bytes(MlirType type) {
  const int rank = (int)mlirShapedTypeGetRank(type);
  int64_t part[NEREID_TTG_MAX_RANK];
  nereid_ttg_part_of_tensor(type, rank, part);
  return part[rank - 1] * nereid_scratch_element_bytes(type);
}

/* Whether rows of `type` in boxes of `access` are too short to be columns of a buffer for the longer rows of another
 * access through the descriptor: only boxes of swizzled rows divide such a buffer. */
static bool is_too_narrow(MlirOperation access, MlirType type) {
  const int64_t bytes = row_bytes(type);
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetOperand(access, 0));
  for (; bytes < MIN_SWIZZLE && !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation other = mlirOpOperandGetOwner(use);
    const nereid_op_kind_t kind = nereid_op_kind(other);
    const bool loads = kind == NEREID_OP_TT_DESCRIPTOR_LOAD;
    const bool stores = kind == NEREID_OP_TT_DESCRIPTOR_STORE || kind == NEREID_OP_TT_DESCRIPTOR_REDUCE;
    if ((loads || stores) &&
        row_bytes(mlirValueGetType(loads ? nereid_ir_result(other) : mlirOperationGetOperand(other, 1))) > bytes)
      return true;
  }
  return false;
}

/* The encoding of `type` with the whole tensor in each CTA. */
static MlirAttribute whole_encoding(const plan_t *plan, MlirType type) {
  const int rank = (int)mlirShapedTypeGetRank(type);
  const nereid_ttg_bases_t bases = {.count = bits_of(plan), .rank = rank};
  int64_t shape[NEREID_TTG_MAX_RANK];
  for (int d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  return encoding_with(plan, mlirRankedTensorTypeGetEncoding(type), &bases, shape);
}

/* Accesses through descriptors whose parts are too small copy the whole tensor to each CTA, or from the first one. */
static void mend_descriptor_load(const plan_t *plan, MlirOperation load) {
  MlirType type = mlirValueGetType(nereid_ir_result(load));
  if (is_too_small(plan, type) || is_too_narrow(load, type))
    infer(load, 0, whole_encoding(plan, type));
}

static void mend_descriptor_store(const plan_t *plan, MlirOperation store) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(store, 1));
  if (is_too_small(plan, type) || is_too_narrow(store, type))
    require(store, 1, whole_encoding(plan, type));
}

static void mend_scan(const plan_t *plan, MlirOperation scan) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(scan); ++i)
    require_whole(plan, scan, i, nereid_tt_scan_get_axis(scan));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(scan); ++i)
    infer(scan, i, nereid_ttg_encoding_of(mlirOperationGetOperand(scan, i)));
}

static void mend_reduce(const plan_t *plan, MlirOperation reduce) {
  require_whole(plan, reduce, 0, nereid_tt_reduce_get_axis(reduce));
  MlirAttribute source = nereid_ttg_encoding_of(mlirOperationGetOperand(reduce, 0)), result;
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(reduce); ++i)
    require(reduce, i, source);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(reduce); ++i)
    if (nereid_ttg_is_laid_out(mlirOperationGetResult(reduce, i)) &&
        nereid_ttg_infer_reduce_encoding(source, nereid_tt_reduce_get_axis(reduce), &result))
      infer(reduce, i, result);
}

/* The CTA that has an index has the elements that it selects from; all elements if the part of the indices is not a
 * block. */
static void mend_gather(const plan_t *plan, MlirOperation gather) {
  MlirValue indices = nereid_tt_gather_get_indices(gather);
  nereid_ttg_bases_t parts;
  if (!read_parts(mlirValueGetType(indices), &parts))
    return;
  if (!is_blocked(nereid_ttg_encoding_of(indices)))
    parts = (nereid_ttg_bases_t){.count = parts.count, .rank = parts.rank};
  require_parts(plan, gather, 0, parts, nereid_tt_gather_get_axis(gather));
}

static void mend_trans(MlirOperation trans) {
  MlirValue source = mlirOperationGetOperand(trans, 0);
  MlirType type = mlirValueGetType(source);
  int64_t shape[NEREID_TTG_MAX_RANK];
  int32_t order[NEREID_TTG_MAX_RANK];
  MlirAttribute encoding;
  const intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d) {
    shape[d] = mlirShapedTypeGetDimSize(type, d);
    order[d] = nereid_tt_trans_get_order(trans, d);
  }
  if (nereid_ttg_infer_trans_encoding(nereid_ttg_encoding_of(source), rank, shape, order,
                                      mlirOperationGetLocation(trans), &encoding))
    infer(trans, 0, encoding);
}

/* Operands of a loop, or of the yield of a loop or branch, have the types of its results. */
static void mend_forwarded(MlirOperation op, intptr_t first, MlirOperation results) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(results); ++i)
    require(op, first + i, nereid_ttg_encoding_of(mlirOperationGetResult(results, i)));
}

/* All tensors of the op have the encoding of its result, or of the value that it stores. */
static void mend_uniform(MlirOperation op) {
  MlirAttribute encoding = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && mlirAttributeIsNull(encoding); ++i)
    encoding = nereid_ttg_encoding_of(mlirOperationGetResult(op, i));
  if (mlirAttributeIsNull(encoding) && mlirOperationGetNumOperands(op) > 1)
    encoding = nereid_ttg_encoding_of(mlirOperationGetOperand(op, 1));
  for (intptr_t i = 0; !mlirAttributeIsNull(encoding) && i < mlirOperationGetNumOperands(op); ++i)
    require(op, i, encoding);
}

/* --- the pass --- */

/* Ops that accept each operand in any encoding. */
static bool accepts_all(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_TTG_CONVERT_LAYOUT:
  case NEREID_OP_TT_PRINT:
  case NEREID_OP_TT_ASSERT:
  case NEREID_OP_TT_UNSPLAT:
    return true;
  default:
    return false;
  }
}

/* Any other op: operands keep the encodings that they had before the plan, unless the op accepts all. */
static void mend_other(const plan_t *plan, MlirOperation op, const MlirType *old) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  for (intptr_t i = 0; !accepts_all(kind) && i < mlirOperationGetNumOperands(op); ++i)
    if (mlirTypeIsARankedTensor(old[i]))
      require(op, i, mlirRankedTensorTypeGetEncoding(old[i]));
  for (intptr_t i = 0; kind == NEREID_OP_TT_HISTOGRAM && i < mlirOperationGetNumOperands(op); ++i)
    require_whole(plan, op, i, 0);
  if (kind == NEREID_OP_TT_HISTOGRAM)
    infer(op, 0, whole_encoding(plan, mlirValueGetType(nereid_ir_result(op))));
  if (kind == NEREID_OP_TT_GATHER)
    mend_gather(plan, op);
}

static void mend(const plan_t *plan, MlirOperation op, const MlirType *old) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  MlirOperation parent = mlirOperationGetParentOperation(op);
  switch (kind) {
  case NEREID_OP_SCF_FOR:
    mend_forwarded(op, 3, op);
    return;
  case NEREID_OP_SCF_YIELD:
    if (nereid_op_kind(parent) == NEREID_OP_SCF_FOR || nereid_op_kind(parent) == NEREID_OP_SCF_IF) {
      mend_forwarded(op, 0, parent);
      return;
    }
    break;
  case NEREID_OP_TT_BROADCAST:
    require(op, 0, nereid_ttg_encoding_of(nereid_ir_result(op)));
    return;
  case NEREID_OP_TT_DOT:
    mend_dot(op);
    return;
  case NEREID_OP_TT_EXPAND_DIMS:
    require(op, 0,
            nereid_ttg_slice_attr_create(plan->pass->context, (unsigned)nereid_tt_expand_dims_get_axis(op),
                                         nereid_ttg_encoding_of(nereid_ir_result(op))));
    return;
  case NEREID_OP_TT_REDUCE:
    mend_reduce(plan, op);
    return;
  case NEREID_OP_TT_SCAN:
    mend_uniform(op);
    mend_scan(plan, op);
    return;
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
    mend_descriptor_load(plan, op);
    return;
  case NEREID_OP_TT_DESCRIPTOR_STORE:
  case NEREID_OP_TT_DESCRIPTOR_REDUCE:
    mend_descriptor_store(plan, op);
    return;
  case NEREID_OP_TT_TRANS:
    mend_trans(op);
    return;
  default:
    if (nereid_cta_parts_is_uniform(op)) {
      mend_uniform(op);
      return;
    }
  }
  mend_other(plan, op, old);
}

/* The types of the operands of all ops, before they change. */
static MlirType **operand_types(const plan_t *plan) {
  MlirType **out = nereid_arena_new(plan->pass->scratch, MlirType *, plan->ops.size);
  for (size_t i = 0; out && i < plan->ops.size; ++i) {
    const intptr_t n = mlirOperationGetNumOperands(plan->ops.data[i]);
    out[i] = nereid_arena_new(plan->pass->scratch, MlirType, (size_t)n + 1);
    for (intptr_t k = 0; out[i] && k < n; ++k)
      out[i][k] = mlirValueGetType(mlirOperationGetOperand(plan->ops.data[i], k));
  }
  return out;
}

/* Whether an op other than a conversion is there; require() erases conversions. */
static bool is_mended(MlirOperation op) {
  return nereid_op_kind(op) != NEREID_OP_TTG_CONVERT_LAYOUT;
}

/* Divides the tensors of one function. Returns how many values have a new part; -1 when out of memory. */
static int64_t plan_function(nereid_pass_t *pass, MlirOperation function, nereid_thread_grid_t grid) {
  plan_t plan = {.pass = pass, .grid = grid};
  nereid_cta_parts_initialize(&plan.parts, pass->scratch);
  if (!nereid_collect(function, is_mended, pass->scratch, &plan.ops))
    return -1;
  read_restrictions(&plan);
  assign_dots(&plan);
  assign_reductions(&plan);
  assign_stores(&plan);
  MlirType **old = operand_types(&plan);
  if (pass->scratch->failed)
    return -1;
  change_types(&plan);
  for (size_t i = 0; i < plan.ops.size; ++i)
    mend(&plan, plan.ops.data[i], old[i]);
  return (int64_t)plan.parts.list.size;
}

MlirLogicalResult nereid_pass_triton_nvidia_gpu_plan_cta(nereid_pass_t *pass) {
  const nereid_thread_grid_t grid = {nereid_ttg_num_warps(pass->op), nereid_ttg_threads_per_warp(pass->op),
                                     nereid_ttg_num_ctas(pass->op)};
  nereid_operations_t functions = {0};
  int64_t values = 0;
  if (grid.num_ctas < 2)
    return mlirLogicalResultSuccess();
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_FUNC, pass->scratch, &functions))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < functions.size; ++i) {
    const int64_t count = plan_function(pass, functions.data[i], grid);
    if (count < 0)
      return mlirLogicalResultFailure();
    values += count;
  }
  nereid_pass_statistic_add(pass, "values", values);
  return mlirLogicalResultSuccess();
}
