/* Remainders modulo a power of two, from constants, sums, products, loop counters and tt.divisibility.
 *
 *   %i = arith.muli %program, 32        0 modulo 8
 *   %j = arith.addi %i, -1              7 modulo 8
 *
 * Axis information has divisors only, which do not tell 7 from an unknown remainder. */
#include "passes/support/residue.h"

#include "dialects/constant_integer.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

enum { MAX_DEPTH = 16, LOWER_BOUND = 0, STEP = 2 };

static bool residue_of(MlirValue value, int64_t modulus, int depth, int64_t *out);

static int64_t reduced(int64_t number, int64_t modulus) {
  return number & (modulus - 1);
}

/* A counter has the remainder of its lower bound if the step is divisible. */
static bool residue_of_counter(MlirOperation loop, int64_t modulus, int depth, int64_t *out) {
  int64_t step;
  return residue_of(mlirOperationGetOperand(loop, STEP), modulus, depth, &step) && step == 0 &&
         residue_of(mlirOperationGetOperand(loop, LOWER_BOUND), modulus, depth, out);
}

static bool residue_of_argument(MlirValue argument, int64_t modulus, int depth, int64_t *out) {
  MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  const intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  if (nereid_op_kind(parent) == NEREID_OP_SCF_FOR)
    return number == 0 && residue_of_counter(parent, modulus, depth, out);
  if (nereid_op_kind(parent) != NEREID_OP_TT_FUNC || !nereidMlirFunctionIsPublic(parent))
    return false;
  MlirAttribute all = nereid_ir_argument_attributes(parent, number);
  MlirAttribute given =
      mlirAttributeIsNull(all) ? all : mlirDictionaryAttrGetElementByName(all, nereid_ir_ref("tt.divisibility"));
  *out = 0;
  return !mlirAttributeIsNull(given) && mlirAttributeIsAInteger(given) &&
         mlirIntegerAttrGetValueInt(given) % modulus == 0;
}

static bool residue_of_result(MlirOperation op, int64_t modulus, int depth, int64_t *out) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_ARITH_EXTSI || kind == NEREID_OP_ARITH_TRUNCI)
    return residue_of(mlirOperationGetOperand(op, 0), modulus, depth, out);
  if (kind != NEREID_OP_ARITH_ADDI && kind != NEREID_OP_ARITH_SUBI && kind != NEREID_OP_ARITH_MULI)
    return false;
  int64_t a = 0, b = 0;
  const bool has_a = residue_of(mlirOperationGetOperand(op, 0), modulus, depth, &a);
  const bool has_b = residue_of(mlirOperationGetOperand(op, 1), modulus, depth, &b);
  const bool product = kind == NEREID_OP_ARITH_MULI;
  *out = reduced(product ? a * b : kind == NEREID_OP_ARITH_ADDI ? a + b : a - b, modulus);
  return (has_a && has_b) || (product && ((has_a && a == 0) || (has_b && b == 0)));
}

static bool residue_of(MlirValue value, int64_t modulus, int depth, int64_t *out) {
  int64_t constant;
  if (depth == MAX_DEPTH)
    return false;
  if (nereid_constant_integer(value, &constant)) {
    *out = reduced(constant, modulus);
    return true;
  }
  return mlirValueIsAOpResult(value) ? residue_of_result(mlirOpResultGetOwner(value), modulus, depth + 1, out)
                                     : residue_of_argument(value, modulus, depth + 1, out);
}

bool nereid_residue_of(MlirValue value, int64_t modulus, int64_t *out_residue) {
  return residue_of(value, modulus, 0, out_residue);
}
