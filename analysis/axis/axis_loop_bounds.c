/* Finds scalars that bound a loop from above, directly or through arithmetic that preserves the sign.
 *
 *   %sum = arith.addi %n, %c63 : i32             %n: (n + 63) / 64 iterations
 *   %chunks = arith.divsi %sum, %c64 : i32
 *   scf.for %i = %c0 to %chunks step %c1         %chunks: the number of iterations
 *
 * An upper bound of a loop that starts at a constant of at least 0 is a size or a count. It is assumed to be at least
 * 0, as divisors are assumed to be positive, so that pid * n + range has quotients and remainders in groups. After
 * convert-scf-to-cf a loop is a comparison of a block argument with the bound: lowering requires the same facts. */
#include "analysis/axis/axis_solver.h"
#include "dialects/constant_integer.h"
#include "dialects/defining_op.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/cf.h"
#include "nereid/dialects/scf.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { MAX_STEPS = 4 /* operations between a value and the bound */ };

/* Whether `value` is an integer constant of at least `least`. */
static bool is_constant_from(MlirValue value, int64_t least) {
  int64_t number = 0;
  return nereid_constant_integer(value, &number) && number >= least;
}

/* --- loops of cf --- */

/* Whether every edge to `header` passes a constant of at least 0 or argument + step as argument `number`, and at least
 * one edge the latter. */
static bool counts_from_constant(MlirBlock header, intptr_t number) {
  MlirValue variable = mlirBlockGetArgument(header, number);
  bool is_loop = false;
  for (intptr_t p = 0; p < mlirBlockGetNumPredecessors(header); p++) {
    MlirOperation branch = mlirBlockGetTerminator(mlirBlockGetPredecessor(header, p));
    for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(branch); i++) {
      intptr_t produced, first, n;
      if (!mlirBlockEqual(mlirOperationGetSuccessor(branch, i), header))
        continue;
      if (!nereidMlirBranchGetSuccessorOperands(branch, i, &produced, &first, &n) || number < produced)
        return false;
      MlirValue passed = mlirOperationGetOperand(branch, first + number - produced);
      MlirOperation sum = nereid_defining_op_of_kind(passed, NEREID_OP_ARITH_ADDI);
      if (!mlirOperationIsNull(sum) && mlirValueEqual(mlirOperationGetOperand(sum, 0), variable))
        is_loop = true;
      else if (!is_constant_from(passed, 0))
        return false;
    }
  }
  return is_loop;
}

/* Whether `compare` is the condition of a loop: variable < bound, at the end of the block of the variable. */
static bool is_loop_condition(MlirOperation compare) {
  MlirValue variable = mlirOperationGetOperand(compare, 0);
  MlirBlock block = mlirOperationGetBlock(compare);
  MlirOperation end = mlirBlockGetTerminator(block);
  return nereid_arith_cmpi_get_predicate(compare) == NEREID_ARITH_CMP_I_PREDICATE_SLT &&
         mlirValueIsABlockArgument(variable) && mlirBlockEqual(mlirBlockArgumentGetOwner(variable), block) &&
         !mlirOperationIsNull(end) && nereid_op_kind(end) == NEREID_OP_CF_COND_BR &&
         mlirValueEqual(nereid_cf_cond_br_get_condition(end), mlirOperationGetResult(compare, 0)) &&
         counts_from_constant(block, mlirBlockArgumentGetArgNumber(variable));
}

/* --- uses --- */

static bool bounds_loop(MlirOperation user, nereid_op_kind_t kind, intptr_t operand) {
  if (operand != 1)
    return false;
  if (kind == NEREID_OP_SCF_FOR)
    return !nereid_scf_for_get_unsigned_cmp(user) && is_constant_from(nereid_scf_for_get_lower_bound(user), 0);
  return kind == NEREID_OP_ARITH_CMPI && is_loop_condition(user);
}

/* Whether the result of `user` is a count or a size if operand `operand` is: value + constant, value - constant, value
 * / positive constant, and the value in another type. */
static bool is_transparent(MlirOperation user, nereid_op_kind_t kind, intptr_t operand) {
  switch (kind) {
  case NEREID_OP_ARITH_ADDI:
    return !mlirAttributeIsNull(nereidMlirValueGetConstant(mlirOperationGetOperand(user, 1 - operand)));
  case NEREID_OP_ARITH_SUBI:
    return operand == 0 && !mlirAttributeIsNull(nereidMlirValueGetConstant(mlirOperationGetOperand(user, 1)));
  case NEREID_OP_ARITH_DIVSI:
  case NEREID_OP_ARITH_CEILDIVSI:
  case NEREID_OP_ARITH_FLOORDIVSI:
    return operand == 0 && is_constant_from(mlirOperationGetOperand(user, 1), 1);
  case NEREID_OP_ARITH_EXTSI:
  case NEREID_OP_ARITH_INDEX_CAST:
    return true;
  default:
    return false;
  }
}

static bool is_bound(MlirValue value, int steps) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const nereid_op_kind_t kind = nereid_op_kind(user);
    const intptr_t operand = mlirOpOperandGetOperandNumber(use);
    if (bounds_loop(user, kind, operand))
      return true;
    if (steps > 0 && is_transparent(user, kind, operand) && is_bound(mlirOperationGetResult(user, 0), steps - 1))
      return true;
  }
  return false;
}

bool nereid_axis_is_loop_bound(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return (mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type)) &&
         mlirAttributeIsNull(nereidMlirValueGetConstant(value)) && is_bound(value, MAX_STEPS);
}
