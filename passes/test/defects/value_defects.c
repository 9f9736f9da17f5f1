/* Defects of results: operands, constants, predicates, loops, reductions, the compiler itself.
 *
 *   %c = arith.subf %a, %b   ->   %c = arith.subf %b, %a       kind=swap-operands */
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "passes/support/scalar.h"
#include "passes/test/defects/defect.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>
#include <stdlib.h>
#include <string.h>

static MlirStringRef string_of(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static bool is_float_tensor(MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) && mlirTypeIsAF32(mlirShapedTypeGetElementType(type));
}

static bool swap_operands(MlirOperation op) {
  const MlirValue first = mlirOperationGetOperand(op, 0), second = mlirOperationGetOperand(op, 1);
  mlirOperationSetOperand(op, 0, second);
  mlirOperationSetOperand(op, 1, first);
  return !mlirValueEqual(first, second);
}

static bool repeat_operand(MlirOperation op) {
  const MlirValue first = mlirOperationGetOperand(op, 0), second = mlirOperationGetOperand(op, 1);
  mlirOperationSetOperand(op, 1, first);
  return !mlirValueEqual(first, second);
}

/* Doubles the constant of a tensor: a splat that is not zero. */
static bool scale_constant(MlirOperation op) {
  const MlirAttribute value = nereid_ir_attribute(op, "value");
  if (!mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value) ||
      !mlirTypeIsAF32(mlirShapedTypeGetElementType(mlirAttributeGetType(value))))
    return false;
  const float old = mlirDenseElementsAttrGetFloatSplatValue(value);
  mlirOperationSetAttributeByName(op, string_of("value"),
                                  mlirDenseElementsAttrFloatSplatGet(mlirAttributeGetType(value), 2 * old));
  return old > 0 || old < 0;
}

/* a < b becomes a <= b. */
static bool weaken_comparison(MlirOperation op) {
  const MlirAttribute predicate = nereid_ir_attribute(op, "predicate");
  if (mlirIntegerAttrGetValueInt(predicate) != NEREID_ARITH_CMP_I_PREDICATE_SLT ||
      !mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    return false;
  mlirOperationSetAttributeByName(
      op, string_of("predicate"),
      mlirIntegerAttrGet(mlirAttributeGetType(predicate), NEREID_ARITH_CMP_I_PREDICATE_SLE));
  return true;
}

/* Rounds the second operand to f16. */
static bool lose_precision(MlirOperation op) {
  const nereid_builder_t builder = nereid_builder_before(op);
  const MlirValue from = mlirOperationGetOperand(op, 1);
  if (!is_float_tensor(from))
    return false;
  const MlirType type = mlirValueGetType(from);
  const MlirType narrow = mlirShapedTypeGetElementType(type);
  int64_t shape[4];
  const intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank && i < 4; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  const MlirType half = mlirRankedTensorTypeGet(rank, shape, mlirF16TypeGet(mlirTypeGetContext(narrow)),
                                                mlirRankedTensorTypeGetEncoding(type));
  const MlirOperation down =
      nereid_arith_truncf_build(&builder, half, from, (MlirAttribute){NULL}, (MlirAttribute){NULL});
  const MlirOperation up =
      nereid_arith_extf_build(&builder, type, mlirOperationGetResult(down, 0), (MlirAttribute){NULL});
  mlirOperationSetOperand(op, 1, mlirOperationGetResult(up, 0));
  return true;
}

/* (a - b) * c becomes a - (b * c). */
static bool reassociate(MlirOperation op) {
  const MlirValue left = mlirOperationGetOperand(op, 0);
  if (!mlirValueIsAOpResult(left))
    return false;
  const MlirOperation difference = mlirOpResultGetOwner(left);
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(difference));
  const bool is_used_again = !mlirOpOperandIsNull(mlirOpOperandGetNextUse(mlirValueGetFirstUse(left)));
  if (!mlirStringRefEqual(name, string_of("arith.subf")) || is_used_again)
    return false;
  const MlirValue a = mlirOperationGetOperand(difference, 0), b = mlirOperationGetOperand(difference, 1);
  mlirOperationSetOperand(op, 0, b);
  mlirOperationMoveBefore(difference, mlirOperationGetNextInBlock(op));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), left);
  mlirOperationSetOperand(difference, 0, a);
  mlirOperationSetOperand(difference, 1, mlirOperationGetResult(op, 0));
  return true;
}

/* Yields the first value that the loop carries, a tensor of floats, unchanged. */
static bool forget_carried(MlirOperation op) {
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  const MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (is_float_tensor(mlirOperationGetOperand(yield, i))) {
      mlirOperationSetOperand(yield, i, mlirBlockGetArgument(body, i + 1));
      return true;
    }
  return false;
}

/* One iteration less. */
static bool shorten_loop(MlirOperation op) {
  const nereid_builder_t builder = nereid_builder_before(op);
  const MlirValue end = mlirOperationGetOperand(op, 1), step = mlirOperationGetOperand(op, 2);
  mlirOperationSetOperand(op, 1, nereid_scalar_subtract(&builder, end, step));
  return true;
}

/* Replaces the addition of a reduction by a maximum. */
static bool change_combiner(MlirOperation op) {
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  const MlirOperation combine = mlirBlockGetFirstOperation(body);
  const nereid_builder_t builder = nereid_builder_before(combine);
  const MlirOperation maximum =
      nereid_arith_maximumf_build(&builder, mlirOperationGetOperand(combine, 0), mlirOperationGetOperand(combine, 1),
                                  NEREID_ARITH_FAST_MATH_FLAGS_NONE);
  if (mlirOperationIsNull(maximum))
    return false;
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(combine, 0), mlirOperationGetResult(maximum, 0));
  nereidMlirOperationErase(combine);
  return true;
}

/* Skips a step of a reduction between threads: its partner's value is replaced by its own. */
static bool drop_shuffle(MlirOperation op) {
  const MlirAttribute name = nereid_ir_attribute(op, "intrin");
  if (mlirAttributeIsNull(name) || !strstr(mlirStringAttrGetValue(name).data, "shfl.sync"))
    return false;
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 1));
  nereidMlirOperationErase(op);
  return true;
}

static bool crash(MlirOperation op) {
  (void)op;
  abort();
}

static bool report_error(MlirOperation op) {
  mlirEmitError(mlirOperationGetLocation(op), "planted error");
  return false;
}

const nereid_defect_t nereid_value_defects[] = {
    {"swap-operands", "arith.subf", swap_operands},
    {"repeat-operand", "arith.addf", repeat_operand},
    {"scale-constant", "arith.constant", scale_constant},
    {"weaken-comparison", "arith.cmpi", weaken_comparison},
    {"lose-precision", "arith.subf", lose_precision},
    {"reassociate", "arith.mulf", reassociate},
    {"forget-carried", "scf.for", forget_carried},
    {"shorten-loop", "scf.for", shorten_loop},
    {"change-combiner", "tt.reduce", change_combiner},
    {"drop-shuffle", "llvm.call_intrinsic", drop_shuffle},
    {"crash", "tt.return", crash},
    {"report-error", "tt.return", report_error},
    {NULL, NULL, NULL},
};
