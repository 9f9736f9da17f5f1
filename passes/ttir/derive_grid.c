/* nereid-derive-grid: derives the grid of kernels from the bounds of their stores.
 *
 *   %p = tt.get_program_id x
 *   %o = splat(%p * 128) + make_range(0, 128)
 *   tt.store %ptr, %v, %o < splat(%n)          ->   nereid.grid = #nereid.grid<()[n] -> (n ceildiv 128), args = [1]>
 *
 * A program has no effect if the masks of all its effects are false. A mask `o < N` is false from program id
 * D * ceildiv(N, C) on when o >= (p floordiv D) * C, for expressions N and D of arguments and a constant C. If one such
 * number is common to all effects, the programs from there on are not needed, and it is the grid. D appears where one
 * program id counts tiles of two dimensions. Stores through descriptors are bounded by the shape of the descriptor.
 * Arguments that are sizes are assumed not to be negative. Kernels with a grid keep it. */
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/splat.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/nereid.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>

enum { AXES = 3, MAX_DEPTH = 32, MAX_BOUNDS = 8, MAX_SYMBOLS = 16 };

/* Bounds of one axis: program ids from such a number on have no effect. */
typedef struct bounds {
  size_t n;
  MlirAffineExpr at[MAX_BOUNDS];
} bounds_t;

typedef struct derivation {
  MlirContext context;
  MlirBlock entry;
  size_t n_symbols;
  int32_t positions[MAX_SYMBOLS]; /* positions of the arguments that are symbols */
  bounds_t bounds[AXES];          /* common to all effects so far */
  bool any_effect;
} derivation_t;

/* value >= (program id of `axis` floordiv divisor) * factor */
typedef struct minimum {
  int axis;
  MlirAffineExpr divisor; /* null: 1 */
  int64_t factor;
} minimum_t;

/* --- values --- */

/* Looks through operations that repeat elements or widen them. */
static MlirValue unwrap(MlirValue value) {
  for (int depth = 0; depth < MAX_DEPTH; ++depth) {
    MlirOperation op = nereid_defining_op(value);
    if (mlirOperationIsNull(op))
      return value;
    switch (nereid_op_kind(op)) {
    case NEREID_OP_TT_SPLAT:
    case NEREID_OP_TT_BROADCAST:
    case NEREID_OP_TT_EXPAND_DIMS:
    case NEREID_OP_ARITH_EXTSI:
      value = mlirOperationGetOperand(op, 0);
      break;
    default:
      return value;
    }
  }
  return value;
}

static bool constant_of(MlirValue value, int64_t *out) {
  MlirAttribute attribute = nereid_splat_constant(value);
  if (mlirAttributeIsNull(attribute))
    attribute = nereidMlirValueGetConstant(value);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return false;
  *out = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

/* Returns the symbol of an integer argument of the kernel; null for another value. */
static MlirAffineExpr symbol_of(derivation_t *derivation, MlirValue value) {
  const MlirAffineExpr none = {NULL};
  if (!mlirValueIsABlockArgument(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), derivation->entry) ||
      !mlirTypeIsAInteger(mlirValueGetType(value)))
    return none;
  const int32_t position = (int32_t)mlirBlockArgumentGetArgNumber(value);
  size_t i = 0;
  while (i < derivation->n_symbols && derivation->positions[i] != position)
    ++i;
  if (i == MAX_SYMBOLS)
    return none;
  if (i == derivation->n_symbols)
    derivation->positions[derivation->n_symbols++] = position;
  return mlirAffineSymbolExprGet(derivation->context, (intptr_t)i);
}

/* Returns the value as an expression of arguments; null when it is not one. */
static MlirAffineExpr expression_of(derivation_t *derivation, MlirValue wrapped, int depth) {
  const MlirAffineExpr none = {NULL};
  const MlirValue value = unwrap(wrapped);
  int64_t constant;
  if (constant_of(value, &constant))
    return mlirAffineConstantExprGet(derivation->context, constant);
  MlirOperation op = nereid_defining_op(value);
  if (mlirOperationIsNull(op))
    return symbol_of(derivation, value);
  if (depth == MAX_DEPTH || mlirOperationGetNumOperands(op) != 2)
    return none;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind != NEREID_OP_ARITH_ADDI && kind != NEREID_OP_ARITH_SUBI && kind != NEREID_OP_ARITH_MULI &&
      kind != NEREID_OP_ARITH_DIVSI)
    return none;
  const MlirAffineExpr a = expression_of(derivation, mlirOperationGetOperand(op, 0), depth + 1);
  const MlirAffineExpr b = expression_of(derivation, mlirOperationGetOperand(op, 1), depth + 1);
  if (mlirAffineExprIsNull(a) || mlirAffineExprIsNull(b))
    return none;
  switch (kind) {
  case NEREID_OP_ARITH_ADDI:
    return mlirAffineAddExprGet(a, b);
  case NEREID_OP_ARITH_SUBI:
    return mlirAffineAddExprGet(a, mlirAffineMulExprGet(b, mlirAffineConstantExprGet(derivation->context, -1)));
  case NEREID_OP_ARITH_MULI:
    return mlirAffineMulExprGet(a, b);
  default: /* a division that can be by zero has no value then */
    if (mlirAffineExprIsAConstant(b) && mlirAffineConstantExprGetValue(b) <= 0)
      return none;
    return mlirAffineFloorDivExprGet(a, b);
  }
}

static bool is_non_negative(MlirValue wrapped, int depth) {
  const MlirValue value = unwrap(wrapped);
  int64_t constant;
  if (constant_of(value, &constant))
    return constant >= 0;
  MlirOperation op = nereid_defining_op(value);
  if (mlirOperationIsNull(op) || depth == MAX_DEPTH)
    return false;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_MAKE_RANGE:
    return nereid_tt_make_range_get_start(op) >= 0;
  case NEREID_OP_TT_GET_PROGRAM_ID:
    return true;
  case NEREID_OP_ARITH_REMSI: /* has the sign of the dividend */
    return is_non_negative(mlirOperationGetOperand(op, 0), depth + 1);
  case NEREID_OP_ARITH_ADDI:
  case NEREID_OP_ARITH_MULI:
    return is_non_negative(mlirOperationGetOperand(op, 0), depth + 1) &&
           is_non_negative(mlirOperationGetOperand(op, 1), depth + 1);
  default:
    return false;
  }
}

static bool minimum_of(derivation_t *derivation, MlirValue wrapped, int depth, minimum_t *out);

/* a + b, one of which has the program id; the other is not negative. */
static bool minimum_of_sum(derivation_t *derivation, MlirOperation op, int depth, minimum_t *out) {
  for (intptr_t i = 0; i < 2; ++i)
    if (is_non_negative(mlirOperationGetOperand(op, 1 - i), depth + 1) &&
        minimum_of(derivation, mlirOperationGetOperand(op, i), depth + 1, out))
      return true;
  return false;
}

static bool minimum_of_product(derivation_t *derivation, MlirOperation op, int depth, minimum_t *out) {
  int64_t factor;
  for (intptr_t i = 0; i < 2; ++i)
    if (constant_of(unwrap(mlirOperationGetOperand(op, 1 - i)), &factor) && factor > 0 &&
        minimum_of(derivation, mlirOperationGetOperand(op, i), depth + 1, out))
      return !__builtin_mul_overflow(out->factor, factor, &out->factor) && out->factor <= INT32_MAX;
  return false;
}

static bool minimum_of(derivation_t *derivation, MlirValue wrapped, int depth, minimum_t *out) {
  MlirOperation op = nereid_defining_op(unwrap(wrapped));
  if (mlirOperationIsNull(op) || depth == MAX_DEPTH)
    return false;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_GET_PROGRAM_ID:
    *out = (minimum_t){(int)nereid_tt_get_program_id_get_axis(op), {NULL}, 1};
    return true;
  case NEREID_OP_ARITH_ADDI:
    return minimum_of_sum(derivation, op, depth, out);
  case NEREID_OP_ARITH_MULI:
    return minimum_of_product(derivation, op, depth, out);
  case NEREID_OP_ARITH_DIVSI:
    if (!minimum_of(derivation, mlirOperationGetOperand(op, 0), depth + 1, out) || out->factor != 1 ||
        !mlirAffineExprIsNull(out->divisor))
      return false;
    out->divisor = expression_of(derivation, mlirOperationGetOperand(op, 1), 0);
    return !mlirAffineExprIsNull(out->divisor);
  default:
    return false;
  }
}

/* --- bounds of effects --- */

/* Adds the bound of `index < limit`. */
static void add_bound(derivation_t *derivation, MlirValue index, MlirAffineExpr limit, bounds_t found[AXES]) {
  minimum_t minimum;
  if (mlirAffineExprIsNull(limit) || !minimum_of(derivation, index, 0, &minimum) || found[minimum.axis].n == MAX_BOUNDS)
    return;
  MlirAffineExpr bound =
      mlirAffineCeilDivExprGet(limit, mlirAffineConstantExprGet(derivation->context, minimum.factor));
  if (!mlirAffineExprIsNull(minimum.divisor))
    bound = mlirAffineMulExprGet(minimum.divisor, bound);
  found[minimum.axis].at[found[minimum.axis].n++] = bound;
}

/* Adds the bounds that a condition implies. */
static void add_condition(derivation_t *derivation, MlirValue wrapped, int depth, bounds_t found[AXES]) {
  MlirOperation op = mlirValueIsNull(wrapped) ? (MlirOperation){NULL} : nereid_defining_op(unwrap(wrapped));
  if (mlirOperationIsNull(op) || depth == MAX_DEPTH)
    return;
  if (nereid_op_kind(op) == NEREID_OP_ARITH_ANDI)
    for (intptr_t i = 0; i < 2; ++i)
      add_condition(derivation, mlirOperationGetOperand(op, i), depth + 1, found);
  if (nereid_op_kind(op) != NEREID_OP_ARITH_CMPI)
    return;
  const nereid_arith_cmp_i_predicate_t predicate = nereid_arith_cmpi_get_predicate(op);
  const bool less = predicate == NEREID_ARITH_CMP_I_PREDICATE_SLT || predicate == NEREID_ARITH_CMP_I_PREDICATE_ULT;
  const bool more = predicate == NEREID_ARITH_CMP_I_PREDICATE_SGT || predicate == NEREID_ARITH_CMP_I_PREDICATE_UGT;
  if (less || more)
    add_bound(derivation, mlirOperationGetOperand(op, more ? 1 : 0),
              expression_of(derivation, mlirOperationGetOperand(op, more ? 0 : 1), 0), found);
}

/* Adds the bounds of indices through a descriptor: an argument, followed by its shape and strides. */
static void add_descriptor(derivation_t *derivation, MlirValue descriptor, MlirOperation op, intptr_t first,
                           bounds_t found[AXES]) {
  if (!mlirValueIsABlockArgument(descriptor) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(descriptor), derivation->entry))
    return;
  const intptr_t position = mlirBlockArgumentGetArgNumber(descriptor), rank = mlirOperationGetNumOperands(op) - first;
  for (intptr_t i = 0; i < rank; ++i) {
    const intptr_t extent = position + 1 + i;
    if (extent + rank >= mlirBlockGetNumArguments(derivation->entry))
      return;
    const MlirValue value = mlirBlockGetArgument(derivation->entry, extent);
    const MlirType type = mlirValueGetType(value),
                   stride = mlirValueGetType(mlirBlockGetArgument(derivation->entry, extent + rank));
    if (!mlirTypeIsAInteger(type) || mlirIntegerTypeGetWidth(type) != 32 || !mlirTypeIsAInteger(stride) ||
        mlirIntegerTypeGetWidth(stride) != 64)
      return;
    add_bound(derivation, mlirOperationGetOperand(op, first + i), symbol_of(derivation, value), found);
  }
}

/* Adds the bounds of the conditions under which `op` is executed. */
static void add_enclosing(derivation_t *derivation, MlirOperation op, bounds_t found[AXES]) {
  for (MlirOperation parent = mlirOperationGetParentOperation(op); !mlirOperationIsNull(parent);
       op = parent, parent = mlirOperationGetParentOperation(parent))
    if (nereid_op_kind(parent) == NEREID_OP_SCF_IF &&
        mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), nereid_scf_if_get_then_region(parent)))
      add_condition(derivation, nereid_scf_if_get_condition(parent), 0, found);
}

static void intersect(bounds_t *common, const bounds_t *found) {
  size_t n = 0;
  for (size_t i = 0; i < common->n; ++i)
    for (size_t k = 0; k < found->n; ++k)
      if (mlirAffineExprEqual(common->at[i], found->at[k])) {
        common->at[n++] = common->at[i];
        break;
      }
  common->n = n;
}

static void note_effect(NereidMlirEffect effect, MlirValue value, NereidMlirResource resource, void *data) {
  (void)value, (void)resource;
  *(bool *)data |= effect != NereidMlirEffectRead;
}

/* Whether the op itself does more than compute and read. */
static bool has_effect(MlirOperation op) {
  bool writes = false;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (mlirOperationGetNumRegions(op) > 0 || kind == NEREID_OP_TT_RETURN || kind == NEREID_OP_TT_REDUCE_RETURN ||
      kind == NEREID_OP_TT_SCAN_RETURN || nereidMlirOperationIsMemoryEffectFree(op))
    return false;
  return !nereidMlirOperationWalkEffects(op, note_effect, &writes) || writes;
}

static void add_effect(derivation_t *derivation, MlirOperation op) {
  bounds_t found[AXES] = {{0}};
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_STORE:
    add_condition(derivation, nereid_tt_store_get_mask(op), 0, found);
    break;
  case NEREID_OP_TT_ATOMIC_RMW:
    add_condition(derivation, nereid_tt_atomic_rmw_get_mask(op), 0, found);
    break;
  case NEREID_OP_TT_DESCRIPTOR_STORE:
  case NEREID_OP_TT_DESCRIPTOR_REDUCE:
    add_descriptor(derivation, mlirOperationGetOperand(op, 0), op, 2, found);
    break;
  default:
    break;
  }
  add_enclosing(derivation, op, found);
  for (int axis = 0; axis < AXES; ++axis)
    if (derivation->any_effect)
      intersect(&derivation->bounds[axis], &found[axis]);
    else
      derivation->bounds[axis] = found[axis];
  derivation->any_effect = true;
}

/* --- kernels --- */

/* Collects bounds and the axes in use. Returns the reason why the kernel has no grid of its own, or null. */
static const char *read_body(derivation_t *derivation, const nereid_operations_t *ops, bool used[AXES]) {
  for (size_t i = 0; i < ops->size; ++i) {
    MlirOperation op = ops->data[i];
    if (nereid_op_kind(op) == NEREID_OP_TT_GET_NUM_PROGRAMS)
      return "the kernel reads the number of programs";
    if (nereid_op_kind(op) == NEREID_OP_TT_CALL) /* which may read program ids */
      return "the kernel calls a function that is not inlined";
    if (nereid_op_kind(op) == NEREID_OP_TT_GET_PROGRAM_ID)
      used[nereid_tt_get_program_id_get_axis(op)] = true;
    if (has_effect(op))
      add_effect(derivation, op);
  }
  return NULL;
}

/* The symbols that the grid uses, in the order of their first use. */
typedef struct renaming {
  const derivation_t *derivation;
  size_t n;
  int32_t positions[MAX_SYMBOLS];
} renaming_t;

static MlirAffineExpr rename_symbol(renaming_t *renaming, MlirAffineExpr symbol) {
  const int32_t position = renaming->derivation->positions[mlirAffineSymbolExprGetPosition(symbol)];
  size_t i = 0;
  while (i < renaming->n && renaming->positions[i] != position)
    ++i;
  if (i == renaming->n)
    renaming->positions[renaming->n++] = position;
  return mlirAffineSymbolExprGet(renaming->derivation->context, (intptr_t)i);
}

static MlirAffineExpr rename(renaming_t *renaming, MlirAffineExpr expression) {
  if (mlirAffineExprIsASymbol(expression))
    return rename_symbol(renaming, expression);
  if (!mlirAffineExprIsABinary(expression))
    return expression;
  const MlirAffineExpr a = rename(renaming, mlirAffineBinaryOpExprGetLHS(expression));
  const MlirAffineExpr b = rename(renaming, mlirAffineBinaryOpExprGetRHS(expression));
  return mlirAffineExprIsAAdd(expression)        ? mlirAffineAddExprGet(a, b)
         : mlirAffineExprIsAMul(expression)      ? mlirAffineMulExprGet(a, b)
         : mlirAffineExprIsAMod(expression)      ? mlirAffineModExprGet(a, b)
         : mlirAffineExprIsAFloorDiv(expression) ? mlirAffineFloorDivExprGet(a, b)
                                                 : mlirAffineCeilDivExprGet(a, b);
}

static void set_grid(const derivation_t *derivation, MlirOperation function, const bool used[AXES]) {
  renaming_t renaming = {.derivation = derivation};
  MlirAffineExpr sizes[AXES];
  intptr_t n = AXES;
  while (n > 1 && !used[n - 1])
    --n;
  for (int axis = 0; axis < n; ++axis)
    sizes[axis] = used[axis] ? rename(&renaming, derivation->bounds[axis].at[0])
                             : mlirAffineConstantExprGet(derivation->context, 1);
  const MlirAffineMap map = mlirAffineMapGet(derivation->context, 0, (intptr_t)renaming.n, n, sizes);
  const MlirAttribute positions = mlirDenseI32ArrayGet(derivation->context, (intptr_t)renaming.n, renaming.positions);
  nereid_ir_set_attribute(function, "nereid.grid",
                          nereid_nereid_grid_attr_create(derivation->context, mlirAffineMapAttrGet(map), positions, 0));
}

static void derive(const nereid_pass_t *pass, MlirOperation function) {
  derivation_t derivation = {.context = pass->context};
  nereid_operations_t ops = {0};
  bool used[AXES] = {false};
  derivation.entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (mlirBlockIsNull(derivation.entry) || !nereid_collect(function, NULL, pass->scratch, &ops))
    return;
  const char *reason = read_body(&derivation, &ops, used);
  if (reason) {
    nereid_pass_remark_missed(pass, function, "grid", "%s", reason);
    return;
  }
  for (int axis = 0; axis < AXES; ++axis)
    if (used[axis] && !derivation.bounds[axis].n) {
      nereid_pass_remark_missed(pass, function, "grid",
                                "program id %c has no bound that is common to all stores of the kernel", "xyz"[axis]);
      return;
    }
  set_grid(&derivation, function, used);
}

static bool is_public(MlirOperation function) {
  const MlirAttribute visibility = nereid_ir_attribute(function, NEREID_ATTR_SYMBOL_VISIBILITY);
  return mlirAttributeIsNull(visibility) ||
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), nereid_ir_ref("public"));
}

MlirLogicalResult nereid_pass_derive_grid(nereid_pass_t *pass) {
  nereid_operations_t functions = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_FUNC, pass->scratch, &functions))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < functions.size; ++i)
    if (is_public(functions.data[i]) && !nereid_ir_has_attribute(functions.data[i], "nereid.grid"))
      derive(pass, functions.data[i]);
  return mlirLogicalResultSuccess();
}
