/* triton-combine: combines groups of operations into one operation.
 *
 *   tt.dot %a, %b, 0 ; arith.addf %c                ->  tt.dot %a, %b, %c            (also tt.dot_scaled)
 *   sum(%a[:, :, None] * %b[None, :, :], 1)         ->  tt.dot %a, %b, 0
 *   tt.addptr (tt.addptr %p, 4), 8                  ->  tt.addptr %p, 12
 *   arith.select %m, (tt.load %p, %m), %x           ->  tt.load %p, %m, %x
 *   tt.reshape (tt.descriptor_load %d : 1x64) : 64  ->  tt.descriptor_load %d : 64
 *   %i == 1 ? %b[:, None] : (%i == 0 ? %a[:, None] : %x)  ->  tt.trans (tt.join %a, %b)     with %i = [[0, 1]]
 *
 * The inner operation has no other user, except for addptr. A dot with maxNumImpreciseAcc, which rounds its sum at
 * intervals, is not combined. */
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/splat.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/tt/combiner.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static void replace(MlirOperation op, MlirValue by) {
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), by);
  nereidMlirOperationErase(op);
}

/* --- patterns: each returns whether it rewrote `op`, which may then be erased --- */

enum { ADDEND = 2 /* operand number, of dots with and without scales */ };

/* Whether a dot adds its products to zero, in one sum. */
static bool is_plain_dot(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_TT_DOT ? nereid_tt_dot_get_max_num_imprecise_acc(op) != 0 : kind != NEREID_OP_TT_DOT_SCALED)
    return false;
  return nereid_number_is_zero(nereid_constant_number(mlirOperationGetOperand(op, ADDEND)));
}

static bool add_to_dot(MlirOperation op) {
  for (intptr_t i = 0; i < 2; ++i) {
    MlirOperation dot = nereid_defining_op(mlirOperationGetOperand(op, i));
    if (mlirOperationIsNull(dot) || !is_plain_dot(dot) || !nereid_ir_has_one_use(mlirOperationGetResult(dot, 0)) ||
        !mlirBlockEqual(mlirOperationGetBlock(dot), mlirOperationGetBlock(op)))
      continue;
    MlirValue addend = mlirOperationGetOperand(op, 1 - i);
    mlirOperationSetOperand(dot, ADDEND, addend);
    mlirOperationMoveBefore(dot, op); /* the addend may be defined after the dot */
    replace(op, mlirOperationGetResult(dot, 0));
    return true;
  }
  return false;
}

static bool is_hint(MlirStringRef name) {
  static const char *const hints[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};
  for (size_t i = 0; i < sizeof hints / sizeof *hints; ++i)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(hints[i])))
      return true;
  return false;
}

/* Keeps hints on the result of `op`, which do not depend on how it is computed; drops its other discardable attributes.
 */
static void keep_hints(MlirOperation op) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op); i-- > 0;) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if (!is_hint(name))
      mlirOperationRemoveDiscardableAttributeByName(op, name);
  }
}

static bool add_constants(MlirOperation op) {
  MlirOperation inner = nereid_defining_op_of_kind(nereid_tt_addptr_get_ptr(op), NEREID_OP_TT_ADDPTR);
  if (mlirOperationIsNull(inner))
    return false;
  MlirValue first = nereid_tt_addptr_get_offset(inner), second = nereid_tt_addptr_get_offset(op);
  MlirAttribute x = nereid_constant_number(first), y = nereid_constant_number(second);
  MlirType type = mlirValueGetType(first);
  if (mlirAttributeIsNull(x) || mlirAttributeIsNull(y) || !mlirTypeEqual(type, mlirValueGetType(second)))
    return false;
  const int64_t sum = mlirIntegerAttrGetValueInt(x) + mlirIntegerAttrGetValueInt(y);
  MlirAttribute value = mlirIntegerAttrGet(mlirAttributeGetType(x), sum);
  if (mlirIntegerAttrGetValueInt(value) != sum)
    return false;
  if (mlirTypeIsARankedTensor(type))
    value = mlirDenseElementsAttrSplatGet(type, value);
  nereid_builder_t builder = nereid_builder_before(op);
  mlirOperationSetOperand(op, 0, nereid_tt_addptr_get_ptr(inner));
  mlirOperationSetOperand(op, 1, nereid_arith_constant_get_result(nereid_arith_constant_build(&builder, value)));
  keep_hints(op);
  return true;
}

/* Whether `mask` is `condition`, or a splat of it. */
static bool is_condition(MlirValue mask, MlirValue condition) {
  MlirOperation splat = nereid_defining_op_of_kind(mask, NEREID_OP_TT_SPLAT);
  return mlirValueEqual(mask, condition) ||
         (!mlirOperationIsNull(splat) && mlirValueEqual(mlirOperationGetOperand(splat, 0), condition));
}

static bool select_of_load(MlirOperation op) {
  MlirOperation load = nereid_defining_op_of_kind(mlirOperationGetOperand(op, 1), NEREID_OP_TT_LOAD);
  if (mlirOperationIsNull(load) || !nereid_ir_has_one_use(mlirOperationGetResult(load, 0)) ||
      mlirValueIsNull(nereid_tt_load_get_mask(load)) ||
      !is_condition(nereid_tt_load_get_mask(load), mlirOperationGetOperand(op, 0)) ||
      !mlirBlockEqual(mlirOperationGetBlock(load), mlirOperationGetBlock(op)))
    return false;
  /* The other value must dominate the load: its defining op must be before the load or in another block. */
  MlirOperation defining = nereid_defining_op(mlirOperationGetOperand(op, 2));
  for (MlirOperation next = load; !mlirOperationIsNull(defining) && !mlirOperationIsNull(next);
       next = mlirOperationGetNextInBlock(next))
    if (mlirOperationEqual(next, defining))
      return false;
  nereid_builder_t builder = nereid_builder_before(load);
  MlirOperation made = nereid_tt_load_build(&builder, nereid_tt_load_get_ptr(load), nereid_tt_load_get_mask(load),
                                            mlirOperationGetOperand(op, 2), 0, NULL, (MlirAttribute){NULL},
                                            nereid_tt_load_get_cache(load), nereid_tt_load_get_evict(load),
                                            nereid_tt_load_get_is_volatile(load));
  replace(op, mlirOperationGetResult(made, 0));
  nereidMlirOperationErase(load);
  return true;
}

/* The matrix from which `value` is broadcast along `axis` alone; null when there is none. */
static MlirValue repeated_matrix(MlirValue value, int32_t axis) {
  MlirOperation broadcast = nereid_defining_op_of_kind(value, NEREID_OP_TT_BROADCAST);
  MlirOperation expand =
      mlirOperationIsNull(broadcast)
          ? broadcast
          : nereid_defining_op_of_kind(nereid_tt_broadcast_get_src(broadcast), NEREID_OP_TT_EXPAND_DIMS);
  if (mlirOperationIsNull(expand) || nereid_tt_expand_dims_get_axis(expand) != axis)
    return (MlirValue){NULL};
  MlirValue matrix = nereid_tt_expand_dims_get_src(expand);
  for (int32_t d = 0; d < 3; ++d) /* broadcast along no other dimension */
    if (d != axis && mlirShapedTypeGetDimSize(mlirValueGetType(value), d) !=
                         mlirShapedTypeGetDimSize(mlirValueGetType(matrix), d - (d > axis)))
      return (MlirValue){NULL};
  return matrix;
}

/* Rewrites a reduction of broadcast factors to a dot: the expanded form would hold all addends in registers. */
static bool sum_of_products(MlirOperation op) {
  enum {
    LEAST =
        16 /* minimum rows and columns; with fewer results than threads, the sum should be distributed over threads */
  };
  MlirOperation mul = nereid_defining_op_of_kind(mlirOperationGetOperand(op, 0), NEREID_OP_ARITH_MULF);
  if (mlirOperationGetNumOperands(op) != 1 || mlirOperationIsNull(mul) || nereid_tt_reduce_get_axis(op) != 1 ||
      nereid_tt_combiner_kind(mlirOperationGetRegion(op, 0)) != NEREID_OP_ARITH_ADDF ||
      !nereid_ir_has_one_use(mlirOperationGetResult(mul, 0)) ||
      mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetResult(mul, 0))) != 3)
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue a = repeated_matrix(mlirOperationGetOperand(mul, i), 2);
    MlirValue b = repeated_matrix(mlirOperationGetOperand(mul, 1 - i), 0);
    if (mlirValueIsNull(a) || mlirValueIsNull(b) || mlirShapedTypeGetDimSize(type, 0) < LEAST ||
        mlirShapedTypeGetDimSize(type, 1) < LEAST || !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
      continue;
    nereid_builder_t builder = nereid_builder_before(op);
    MlirAttribute zero = mlirFloatAttrDoubleGet(mlirTypeGetContext(type), mlirShapedTypeGetElementType(type), 0);
    MlirOperation sum = nereid_arith_constant_build(&builder, mlirDenseElementsAttrSplatGet(type, zero));
    MlirOperation dot = nereid_tt_dot_build(&builder, a, b, mlirOperationGetResult(sum, 0),
                                            NEREID_TT_INPUT_PRECISION_IEEE, /*max_num_imprecise_acc=*/0);
    replace(op, mlirOperationGetResult(dot, 0));
    return true;
  }
  return false;
}

/* Loads a descriptor's block without its leading dimensions of size 1. */
static bool reshape_of_load(MlirOperation op) {
  MlirOperation load = nereid_defining_op_of_kind(mlirOperationGetOperand(op, 0), NEREID_OP_TT_DESCRIPTOR_LOAD);
  if (mlirOperationIsNull(load) || !nereid_ir_has_one_use(mlirOperationGetResult(load, 0)))
    return false;
  MlirType from = mlirValueGetType(mlirOperationGetResult(load, 0)),
           to = mlirValueGetType(mlirOperationGetResult(op, 0));
  const intptr_t gone = mlirShapedTypeGetRank(from) - mlirShapedTypeGetRank(to);
  if (gone <= 0)
    return false;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(from); ++d)
    if (mlirShapedTypeGetDimSize(from, d) != (d < gone ? 1 : mlirShapedTypeGetDimSize(to, d - gone)))
      return false;
  mlirValueSetType(mlirOperationGetResult(load, 0), to);
  replace(op, mlirOperationGetResult(load, 0));
  return true;
}

/* The values that a select takes where the index along dimension `axis`, which has two elements, is `index`. */
typedef struct half {
  int32_t axis;
  int64_t index;
  MlirValue part, others;
} half_t;

/* Reads a condition on a range of two numbers, along one dimension: [[0], [1]] == index. */
static bool match_index(MlirValue condition, half_t *out) {
  MlirOperation op = nereid_defining_op(condition);
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) == NEREID_OP_TT_BROADCAST)
    op = nereid_defining_op(mlirOperationGetOperand(op, 0));
  if (mlirOperationIsNull(op) || nereid_op_kind(op) != NEREID_OP_ARITH_CMPI ||
      nereid_arith_cmpi_get_predicate(op) != NEREID_ARITH_CMP_I_PREDICATE_EQ)
    return false;
  MlirValue range = mlirOperationGetOperand(op, 0);
  MlirAttribute number = nereid_constant_number(mlirOperationGetOperand(op, 1));
  MlirType type = mlirValueGetType(range);
  if (mlirAttributeIsNull(number) || !mlirTypeIsARankedTensor(type))
    return false;
  int64_t elements = 1;
  for (int32_t d = 0; d < mlirShapedTypeGetRank(type); ++d) {
    elements *= mlirShapedTypeGetDimSize(type, d);
    if (mlirShapedTypeGetDimSize(type, d) == 2)
      out->axis = d;
  }
  op = nereid_defining_op(range);
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) == NEREID_OP_TT_EXPAND_DIMS)
    op = nereid_defining_op(mlirOperationGetOperand(op, 0));
  out->index = mlirIntegerAttrGetValueInt(number);
  return elements == 2 && !mlirOperationIsNull(op) && nereid_op_kind(op) == NEREID_OP_TT_MAKE_RANGE &&
         nereid_tt_make_range_get_start(op) == 0;
}

/* The tensor that `value` repeats along `axis` alone; null when there is none. */
static MlirValue repeated_part(MlirValue value, int32_t axis) {
  MlirOperation broadcast = nereid_defining_op_of_kind(value, NEREID_OP_TT_BROADCAST);
  if (mlirOperationIsNull(broadcast))
    return (MlirValue){NULL};
  MlirValue part = mlirOperationGetOperand(broadcast, 0);
  MlirOperation expand = nereid_defining_op_of_kind(part, NEREID_OP_TT_EXPAND_DIMS);
  MlirType type = mlirValueGetType(value);
  if (mlirOperationIsNull(expand) || nereid_tt_expand_dims_get_axis(expand) != axis)
    return (MlirValue){NULL};
  for (int32_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    if (d != axis && mlirShapedTypeGetDimSize(type, d) != mlirShapedTypeGetDimSize(mlirValueGetType(part), d))
      return (MlirValue){NULL};
  return mlirOperationGetOperand(expand, 0);
}

static bool match_half(MlirOperation select, half_t *out) {
  if (mlirOperationIsNull(select) || !match_index(mlirOperationGetOperand(select, 0), out))
    return false;
  out->part = repeated_part(mlirOperationGetOperand(select, 1), out->axis);
  out->others = mlirOperationGetOperand(select, 2);
  return !mlirValueIsNull(out->part);
}

/* Two tensors that are stacked along a new dimension by selects, such as the weights of four bits in the halves of
 * bytes. In the form of selects, all threads compute both and discard one; of a join, they store both. */
static bool stack_of_parts(MlirOperation op) {
  enum { RANK = 8 };
  half_t outer = {0}, inner = {0};
  if (!match_half(op, &outer) ||
      !match_half(nereid_defining_op_of_kind(outer.others, NEREID_OP_ARITH_SELECT), &inner) ||
      outer.axis != inner.axis || outer.index + inner.index != 1 || outer.index * inner.index != 0 ||
      !mlirTypeEqual(mlirValueGetType(outer.part), mlirValueGetType(inner.part)))
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  const int32_t rank = (int32_t)mlirShapedTypeGetRank(type);
  if (rank > RANK || !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return false;
  int64_t shape[RANK];
  int32_t order[RANK];
  for (int32_t d = 0; d < rank; ++d) {
    shape[d] = d + 1 == rank ? 2 : mlirShapedTypeGetDimSize(mlirValueGetType(outer.part), d);
    order[d] = d < outer.axis ? d : d == outer.axis ? rank - 1 : d - 1;
  }
  nereid_builder_t builder = nereid_builder_before(op);
  MlirType joined = mlirRankedTensorTypeGet(rank, shape, mlirShapedTypeGetElementType(type), (MlirAttribute){NULL});
  MlirValue parts[] = {outer.index ? inner.part : outer.part, outer.index ? outer.part : inner.part};
  MlirOperation join = nereid_tt_join_build(&builder, joined, parts[0], parts[1]);
  MlirOperation trans = nereid_tt_trans_build(&builder, mlirOperationGetResult(join, 0), rank, order);
  replace(op, mlirOperationGetResult(trans, 0));
  return true;
}

static bool combine_select(MlirOperation op) {
  return select_of_load(op) || stack_of_parts(op);
}

/* --- the pass --- */

typedef struct pattern {
  nereid_op_kind_t kind;
  bool (*rewrite)(MlirOperation op);
} pattern_t;

static const pattern_t patterns[] = {
    {NEREID_OP_ARITH_ADDF, add_to_dot},     {NEREID_OP_ARITH_ADDI, add_to_dot},
    {NEREID_OP_TT_ADDPTR, add_constants},   {NEREID_OP_ARITH_SELECT, combine_select},
    {NEREID_OP_TT_REDUCE, sum_of_products}, {NEREID_OP_TT_RESHAPE, reshape_of_load},
};

static const pattern_t *find_pattern(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i)
    if (patterns[i].kind == kind)
      return &patterns[i];
  return NULL;
}

/* Whether `op` is in the region of a reduction, which is rewritten together with it. */
static bool is_in_reduction(MlirOperation op) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_TT_REDUCE);
  return !mlirOperationIsNull(op);
}

static bool has_pattern(MlirOperation op) {
  return find_pattern(op) && !is_in_reduction(op);
}

/* Visits ops in program order, so that chains collapse. No pattern erases an op from which another pattern starts. */
MlirLogicalResult nereid_pass_triton_combine(nereid_pass_t *pass) {
  nereid_operations_t ops = {0};
  int64_t count = 0;
  if (!nereid_collect(pass->op, has_pattern, pass->scratch, &ops))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < ops.size; ++i)
    count += find_pattern(ops.data[i])->rewrite(ops.data[i]);
  nereid_pass_statistic_add(pass, "combined", count);
  return mlirLogicalResultSuccess();
}
