/* nereid-drop-unit-dims: removes dimensions of size 1 from tensors in functions with dots of reshaped operands.
 *
 *   %x = tt.load %p : tensor<1x64x32x!tt.ptr<f16>>            %x = tt.load %p : tensor<64x32x!tt.ptr<f16>>
 *   %t = tt.trans %x {order = 0, 2, 1} : … -> 1x32x64    ->   %t = tt.trans %x {order = 1, 0} : … -> 32x64
 *   %b = tt.reshape %t : 1x32x64 -> 32x64                     tt.dot %a, %t, %c
 *   tt.dot %a, %b, %c
 *
 * Front ends that iterate over a batch in tiles of one element (torch.bmm, attention over heads) write three dimensions
 * and reshape the operands and results of dots. What recognizes operands, accumulators and softmax looks through no
 * reshape. A dimension stays if an op needs it: it is broadcast or reduced, or the op is not known here.
 *
 * Dimensions that must go together are one class of a union-find structure: those of the operands and results of an
 * elementwise op, of a value that a loop carries, and so on. A tensor keeps at least one dimension. */
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "passes/support/splat.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "base/map.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { MAX_RANK = 8 };

/* A dimension of a value. */
typedef struct dim {
  uint32_t parent; /* index in the class's tree; its own index at the root */
  bool stays;      /* set at the root of a class: none of its dimensions is removed */
} dim_t;

/* A value and the type that it gets once all new types are known. */
typedef struct retyped {
  MlirValue value;
  MlirType type;
} retyped_t;

typedef struct drop {
  nereid_pass_t *pass;
  nereid_map_t first; /* value -> 1 + index of its dimension 0 */
  NEREID_VECTOR(dim_t) dims;
  NEREID_VECTOR(retyped_t) retyped; /* values with a new type, in all functions */
} drop_t;

/* --- classes --- */

/* The rank of a tensor without an encoding; -1 for other values. */
static intptr_t rank_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsARankedTensor(type) || !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return -1;
  const intptr_t rank = mlirShapedTypeGetRank(type);
  return rank <= MAX_RANK ? rank : -1;
}

static int64_t size_of(MlirValue value, intptr_t d) {
  return mlirShapedTypeGetDimSize(mlirValueGetType(value), d);
}

/* The index of dimension 0 of `value`, whose dimensions are added at the first call; SIZE_MAX when out of memory. */
static size_t dims_of(drop_t *drop, MlirValue value) {
  uintptr_t *place = nereid_map_insert(&drop->first, value.ptr);
  if (!place)
    return SIZE_MAX;
  if (!*place) {
    *place = drop->dims.size + 1;
    for (intptr_t d = 0; d < rank_of(value); ++d) {
      const dim_t dim = {(uint32_t)drop->dims.size, size_of(value, d) != 1};
      if (!nereid_vector_push(drop->pass->scratch, &drop->dims, dim))
        return SIZE_MAX;
    }
  }
  return *place - 1;
}

static dim_t *root_of(const drop_t *drop, size_t index) {
  dim_t *dims = drop->dims.data;
  while (dims[index].parent != index)
    index = dims[index].parent = dims[dims[index].parent].parent;
  return &dims[index];
}

/* The class of dimension `d` of `value`; null when out of memory. */
static dim_t *class_of(drop_t *drop, MlirValue value, intptr_t d) {
  const size_t first = dims_of(drop, value);
  return first == SIZE_MAX ? NULL : root_of(drop, first + (size_t)d);
}

static void join(drop_t *drop, MlirValue a, intptr_t of_a, MlirValue b, intptr_t of_b) {
  if (dims_of(drop, a) == SIZE_MAX || dims_of(drop, b) == SIZE_MAX) /* adds both before pointers are taken */
    return;
  dim_t *to = class_of(drop, a, of_a), *from = class_of(drop, b, of_b);
  to->stays |= from->stays;
  from->parent = (uint32_t)(to - drop->dims.data);
}

static void keep(drop_t *drop, MlirValue value, intptr_t d) {
  dim_t *class = class_of(drop, value, d);
  if (class)
    class->stays = true;
}

static bool stays(drop_t *drop, MlirValue value, intptr_t d) {
  const dim_t *class = class_of(drop, value, d);
  return !class || class->stays;
}

static void keep_all(drop_t *drop, MlirValue value) {
  for (intptr_t d = 0; d < rank_of(value); ++d)
    keep(drop, value, d);
}

/* Joins the dimensions of two values of the same shape. */
static void join_all(drop_t *drop, MlirValue a, MlirValue b) {
  const intptr_t rank = rank_of(a);
  if (rank != rank_of(b)) { /* one has an encoding, or is a scalar */
    keep_all(drop, a);
    keep_all(drop, b);
    return;
  }
  for (intptr_t d = 0; d < rank; ++d)
    join(drop, a, d, b, d);
}

/* --- constraints of ops --- */

static void visit_same_shape(drop_t *drop, MlirOperation op) {
  MlirValue tensor = {NULL};
  const intptr_t operands = mlirOperationGetNumOperands(op), n = operands + mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue value = i < operands ? mlirOperationGetOperand(op, i) : mlirOperationGetResult(op, i - operands);
    if (!mlirTypeIsARankedTensor(mlirValueGetType(value)))
      continue; /* the condition of a select */
    if (mlirValueIsNull(tensor))
      tensor = value;
    join_all(drop, tensor, value);
  }
}

static void visit_broadcast(drop_t *drop, MlirOperation op) {
  MlirValue source = nereid_tt_broadcast_get_src(op), result = nereid_ir_result(op);
  for (intptr_t d = 0; d < rank_of(result); ++d)
    if (size_of(source, d) == size_of(result, d))
      join(drop, source, d, result, d);
    else
      keep(drop, source, d);
}

/* Whether `value` has one element, such as the index of a batch. Its dimensions fit any others by a reshape. */
static bool is_one_element(MlirValue value) {
  bool is_one = rank_of(value) >= 0;
  for (intptr_t d = 0; d < rank_of(value); ++d)
    is_one &= size_of(value, d) == 1;
  return is_one;
}

static void visit_expand_dims(drop_t *drop, MlirOperation op) {
  MlirValue source = nereid_tt_expand_dims_get_src(op), result = nereid_ir_result(op);
  const intptr_t axis = nereid_tt_expand_dims_get_axis(op);
  if (is_one_element(source))
    return;
  for (intptr_t d = 0; d < rank_of(source); ++d)
    join(drop, source, d, result, d + (d >= axis));
}

static void visit_trans(drop_t *drop, MlirOperation op) {
  MlirValue source = nereid_tt_trans_get_src(op), result = nereid_ir_result(op);
  for (intptr_t d = 0; d < rank_of(result); ++d)
    join(drop, source, nereid_tt_trans_get_order(op, d), result, d);
}

static void visit_reduce(drop_t *drop, MlirOperation op) {
  const intptr_t axis = nereid_tt_reduce_get_axis(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue source = mlirOperationGetOperand(op, i), result = mlirOperationGetResult(op, i);
    join_all(drop, mlirOperationGetOperand(op, 0), source);
    keep(drop, source, axis);
    for (intptr_t d = 0; d < rank_of(result); ++d)
      join(drop, source, d + (d >= axis), result, d);
  }
}

static void visit_scan(drop_t *drop, MlirOperation op) {
  visit_same_shape(drop, op);
  keep(drop, mlirOperationGetOperand(op, 0), nereid_tt_scan_get_axis(op));
}

/* tt.join and tt.split: all dimensions except the last one of the larger tensor. */
static void visit_pair(drop_t *drop, MlirValue pair, MlirValue a, MlirValue b) {
  join_all(drop, a, b);
  keep(drop, pair, rank_of(pair) - 1);
  for (intptr_t d = 0; d < rank_of(a); ++d)
    join(drop, pair, d, a, d);
}

/* A batch of one dot is a dot. */
static void visit_dot(drop_t *drop, MlirOperation op) {
  MlirValue result = nereid_ir_result(op);
  const intptr_t rank = rank_of(result);
  for (intptr_t i = 0; i < 3; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    for (intptr_t d = 0; d < rank_of(operand); ++d)
      if (d < rank - 2)
        join(drop, operand, d, result, d);
      else
        keep(drop, operand, d);
  }
  for (intptr_t d = rank < 2 ? 0 : rank - 2; d < rank; ++d)
    keep(drop, result, d);
}

static void visit_edge(MlirRegion region, intptr_t n, const MlirValue *operands, const MlirValue *inputs, void *data) {
  (void)region;
  for (intptr_t i = 0; i < n; ++i)
    join_all(data, operands[i], inputs[i]);
}

static void visit_branch(drop_t *drop, MlirOperation branch) {
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(branch); ++i) {
    MlirBlock block = mlirOperationGetSuccessor(branch, i);
    intptr_t produced, first, n;
    if (!nereidMlirBranchGetSuccessorOperands(branch, i, &produced, &first, &n))
      produced = n = 0;
    for (intptr_t j = 0; j < mlirBlockGetNumArguments(block); ++j)
      if (j >= produced && j < produced + n)
        join_all(drop, mlirOperationGetOperand(branch, first + j - produced), mlirBlockGetArgument(block, j));
      else
        keep_all(drop, mlirBlockGetArgument(block, j));
  }
}

/* Everything that other ops read or define, and the arguments of their blocks. */
static void visit_unknown(drop_t *drop, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    keep_all(drop, mlirOperationGetOperand(op, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    keep_all(drop, mlirOperationGetResult(op, i));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; !mlirBlockIsNull(entry) && i < mlirBlockGetNumArguments(entry); ++i)
      keep_all(drop, mlirBlockGetArgument(entry, i));
  }
}

static void visit_other(drop_t *drop, MlirOperation op) {
  if (mlirOperationGetNumSuccessors(op) > 0)
    visit_branch(drop, op);
  else if (nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise))
    visit_same_shape(drop, op);
  else if (!nereidMlirRegionBranchWalkEdges(op, visit_edge, drop))
    visit_unknown(drop, op);
}

static MlirWalkResult visit(MlirOperation op, void *data) {
  drop_t *drop = data;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_CONSTANT:
    if (mlirAttributeIsNull(nereid_splat_constant(nereid_ir_result(op))))
      keep_all(drop, nereid_ir_result(op));
    break;
  case NEREID_OP_TT_RESHAPE:
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
  case NEREID_OP_TT_DESCRIPTOR_STORE:
  case NEREID_OP_TT_DESCRIPTOR_REDUCE:
    break; /* fit any dimensions, the last three by a reshape */
  case NEREID_OP_TT_LOAD:
  case NEREID_OP_TT_STORE:
  case NEREID_OP_TT_ATOMIC_RMW:
  case NEREID_OP_TT_ATOMIC_CAS:
  case NEREID_OP_TT_MAP_ELEMENTWISE:
    visit_same_shape(drop, op);
    break;
  case NEREID_OP_TT_BROADCAST:
    visit_broadcast(drop, op);
    break;
  case NEREID_OP_TT_EXPAND_DIMS:
    visit_expand_dims(drop, op);
    break;
  case NEREID_OP_TT_TRANS:
    visit_trans(drop, op);
    break;
  case NEREID_OP_TT_REDUCE:
    visit_reduce(drop, op);
    break;
  case NEREID_OP_TT_SCAN:
    visit_scan(drop, op);
    break;
  case NEREID_OP_TT_JOIN:
    visit_pair(drop, nereid_ir_result(op), mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1));
    break;
  case NEREID_OP_TT_SPLIT:
    visit_pair(drop, mlirOperationGetOperand(op, 0), mlirOperationGetResult(op, 0), mlirOperationGetResult(op, 1));
    break;
  case NEREID_OP_TT_DOT:
    visit_dot(drop, op);
    break;
  default:
    visit_other(drop, op);
  }
  return drop->pass->scratch->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* Keeps the last dimension of a tensor that would be left without one. */
static void keep_one(drop_t *drop, MlirValue value) {
  const intptr_t rank = rank_of(value);
  for (intptr_t d = 0; d < rank; ++d)
    if (stays(drop, value, d))
      return;
  if (rank > 0)
    keep(drop, value, rank - 1);
}

/* --- rewriting --- */

/* How many of the dimensions before `d` stay. */
static intptr_t new_index(drop_t *drop, MlirValue value, intptr_t d) {
  intptr_t index = 0;
  for (intptr_t i = 0; i < d; ++i)
    index += stays(drop, value, i);
  return index;
}

/* The type of `value` without the dimensions that do not stay; null if all stay. */
static MlirType new_type(drop_t *drop, MlirValue value) {
  int64_t sizes[MAX_RANK];
  const intptr_t rank = rank_of(value);
  intptr_t n = 0;
  for (intptr_t d = 0; d < rank; ++d)
    if (stays(drop, value, d))
      sizes[n++] = size_of(value, d);
  if (n == rank || rank < 0)
    return (MlirType){NULL};
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(value));
  return mlirRankedTensorTypeGet(n, sizes, element, (MlirAttribute){NULL});
}

static void set_axis(drop_t *drop, MlirOperation op, MlirValue of, intptr_t axis) {
  nereid_ir_set_integer(op, "axis", new_index(drop, of, axis));
}

/* The attributes that name dimensions, while the types are still the old ones. */
static void rewrite_attributes(drop_t *drop, MlirOperation op) {
  MlirValue value = nereid_ir_result(op);
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_CONSTANT: {
    MlirType type = new_type(drop, value);
    if (!mlirTypeIsNull(type))
      nereid_ir_set_attribute(op, "value", mlirDenseElementsAttrSplatGet(type, nereid_splat_constant(value)));
    break;
  }
  case NEREID_OP_TT_EXPAND_DIMS:
    set_axis(drop, op, value, nereid_tt_expand_dims_get_axis(op));
    break;
  case NEREID_OP_TT_REDUCE:
    set_axis(drop, op, mlirOperationGetOperand(op, 0), nereid_tt_reduce_get_axis(op));
    break;
  case NEREID_OP_TT_SCAN:
    set_axis(drop, op, mlirOperationGetOperand(op, 0), nereid_tt_scan_get_axis(op));
    break;
  case NEREID_OP_TT_TRANS: {
    int32_t order[MAX_RANK];
    intptr_t n = 0;
    for (intptr_t d = 0; d < rank_of(value); ++d)
      if (stays(drop, value, d))
        order[n++] = (int32_t)new_index(drop, nereid_tt_trans_get_src(op), nereid_tt_trans_get_order(op, d));
    nereid_ir_set_attribute(op, "order", mlirDenseI32ArrayGet(drop->pass->context, n, order));
    break;
  }
  default:
    break;
  }
}

/* A reshape of `value` to `type` at `builder`. */
static MlirValue reshape(const nereid_builder_t *builder, MlirType type, MlirValue value) {
  return nereid_ir_result(nereid_tt_reshape_build(builder, type, value, false, false));
}

/* Accesses through descriptors have the shape of the descriptor's block. */
static void rewrite_descriptor_access(drop_t *drop, MlirOperation op) {
  if (nereid_op_kind(op) == NEREID_OP_TT_DESCRIPTOR_LOAD) {
    MlirValue value = nereid_ir_result(op);
    MlirType type = new_type(drop, value);
    if (mlirTypeIsNull(type))
      return;
    const nereid_builder_t after = nereid_builder_before(mlirOperationGetNextInBlock(op));
    MlirValue reshaped = reshape(&after, type, value);
    mlirValueReplaceAllUsesExcept(value, reshaped, 1, (MlirOperation[]){mlirOpResultGetOwner(reshaped)});
    return;
  }
  MlirValue source = mlirOperationGetOperand(op, 1);
  if (mlirTypeIsNull(new_type(drop, source)))
    return;
  const nereid_builder_t before = nereid_builder_before(op);
  MlirValue reshaped = reshape(&before, mlirValueGetType(source), source);
  mlirOperationSetOperand(op, 1, reshaped);
  dims_of(drop, reshaped);
  keep_all(drop, reshaped);
}

static void note_type(drop_t *drop, MlirValue value) {
  MlirType type = new_type(drop, value);
  if (!mlirTypeIsNull(type))
    nereid_vector_push(drop->pass->scratch, &drop->retyped, (retyped_t){value, type});
}

/* Removes an op that changes nothing any more. An expansion of one element to another rank becomes a reshape. */
static void simplify(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind != NEREID_OP_TT_RESHAPE && kind != NEREID_OP_TT_BROADCAST && kind != NEREID_OP_TT_EXPAND_DIMS &&
      kind != NEREID_OP_TT_TRANS)
    return;
  MlirValue source = mlirOperationGetOperand(op, 0), result = nereid_ir_result(op);
  const bool is_same = mlirTypeEqual(mlirValueGetType(source), mlirValueGetType(result));
  const nereid_builder_t before = nereid_builder_before(op);
  if (kind == NEREID_OP_TT_EXPAND_DIMS && is_one_element(source) && !is_same)
    source = reshape(&before, mlirValueGetType(result), source);
  else if (!is_same || (kind == NEREID_OP_TT_RESHAPE && nereid_tt_reshape_get_allow_reorder(op)))
    return;
  for (intptr_t d = 0; kind == NEREID_OP_TT_TRANS && d < nereid_tt_trans_get_order_count(op); ++d)
    if (nereid_tt_trans_get_order(op, d) != d)
      return;
  mlirValueReplaceAllUsesOfWith(result, source);
  nereidMlirOperationErase(op);
}

/* --- functions --- */

static bool has_unit_dim(MlirValue value) {
  for (intptr_t d = 0; d < rank_of(value); ++d)
    if (size_of(value, d) == 1)
      return true;
  return false;
}

/* Clones ops that cost nothing for each of their uses, so that one use that needs a dimension decides for no other.
 * Users come first; `cse` merges clones that remain equal. */
static void clone_for_uses(const nereid_operations_t *ops) {
  for (size_t i = ops->size; i-- > 0;) {
    MlirOperation op = ops->data[i];
    const nereid_op_kind_t kind = nereid_op_kind(op);
    if ((kind != NEREID_OP_ARITH_CONSTANT && kind != NEREID_OP_TT_SPLAT && kind != NEREID_OP_TT_EXPAND_DIMS) ||
        !has_unit_dim(nereid_ir_result(op)))
      continue;
    MlirOpOperand next = mlirValueGetFirstUse(nereid_ir_result(op));
    for (MlirOpOperand use = next; !mlirOpOperandIsNull(use); use = next) {
      next = mlirOpOperandGetNextUse(use);
      if (mlirOpOperandIsNull(next))
        break; /* the last one keeps `op` */
      MlirOperation clone = mlirOperationClone(op);
      mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, clone);
      mlirOperationSetOperand(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), nereid_ir_result(clone));
    }
  }
}

/* Calls back for the results of `op` and the arguments of its blocks. */
static void for_each_value(drop_t *drop, MlirOperation op, void (*call)(drop_t *drop, MlirValue value)) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    call(drop, mlirOperationGetResult(op, i));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        call(drop, mlirBlockGetArgument(block, i));
}

static bool is_descriptor_access(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return kind == NEREID_OP_TT_DESCRIPTOR_LOAD || kind == NEREID_OP_TT_DESCRIPTOR_STORE ||
         kind == NEREID_OP_TT_DESCRIPTOR_REDUCE;
}

/* All attributes and types are computed from the old types, before any type changes. */
static void rewrite(drop_t *drop, const nereid_operations_t *ops) {
  const size_t first = drop->retyped.size;
  for (size_t i = 0; i < ops->size; ++i)
    for_each_value(drop, ops->data[i], keep_one);
  for (size_t i = 0; i < ops->size; ++i) {
    if (is_descriptor_access(ops->data[i]))
      rewrite_descriptor_access(drop, ops->data[i]);
    else
      for_each_value(drop, ops->data[i], note_type);
    if (mlirOperationGetNumResults(ops->data[i]) > 0)
      rewrite_attributes(drop, ops->data[i]);
  }
  for (size_t i = first; i < drop->retyped.size; ++i)
    mlirValueSetType(drop->retyped.data[i].value, drop->retyped.data[i].type);
  for (size_t i = 0; i < ops->size; ++i)
    simplify(ops->data[i]);
}

/* Whether the values have the same dimensions apart from those of size 1. */
static bool is_same_apart_from_units(MlirValue a, MlirValue b) {
  intptr_t i = 0, j = 0;
  for (;;) {
    while (i < rank_of(a) && size_of(a, i) == 1)
      ++i;
    while (j < rank_of(b) && size_of(b, j) == 1)
      ++j;
    if (i >= rank_of(a) || j >= rank_of(b))
      return i >= rank_of(a) && j >= rank_of(b);
    if (size_of(a, i++) != size_of(b, j++))
      return false;
  }
}

/* Whether `op` only adds or removes unit dimensions, as around dots, or is a batch of one dot. */
static bool is_start(MlirOperation op) {
  MlirValue result = mlirOperationGetNumResults(op) ? nereid_ir_result(op) : (MlirValue){NULL};
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_RESHAPE:
    return rank_of(mlirOperationGetOperand(op, 0)) != rank_of(result) &&
           is_same_apart_from_units(mlirOperationGetOperand(op, 0), result);
  case NEREID_OP_TT_DOT:
    return rank_of(result) > 2 && size_of(result, 0) == 1;
  default:
    return false;
  }
}

static bool run(drop_t *drop, MlirOperation function) {
  nereid_arena_t *arena = drop->pass->scratch;
  nereid_operations_t dots = {0}, starts = {0}, ops = {0}, all = {0};
  nereid_collect_kind(function, NEREID_OP_TT_DOT, arena, &dots);
  nereid_collect(function, is_start, arena, &starts);
  if (dots.size == 0 || starts.size == 0)
    return !arena->failed;
  if (!nereid_collect(function, NULL, arena, &ops))
    return false;
  clone_for_uses(&ops);
  mlirOperationWalk(function, visit, drop, MlirWalkPreOrder);
  if (!nereid_collect(function, NULL, arena, &all))
    return false;
  rewrite(drop, &all);
  return true;
}

MlirLogicalResult nereid_pass_drop_unit_dims(nereid_pass_t *pass) {
  nereid_operations_t functions = {0};
  drop_t drop = {.pass = pass};
  nereid_map_initialize(&drop.first, pass->scratch);
  bool done = nereid_collect_kind(pass->op, NEREID_OP_TT_FUNC, pass->scratch, &functions);
  for (size_t i = 0; done && i < functions.size; ++i)
    done = run(&drop, functions.data[i]);
  nereid_pass_statistic_add(pass, "tensors", (int64_t)drop.retyped.size);
  return done && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
