/* Loops whose step cannot be one:
 *
 *   %c0 = arith.constant 0 : i32
 *   scf.for %i = %a to %b step %c0 : i32      error: has the step 0
 *
 * scf requires a positive step, and every pass relies on it: trip counts are quotients by it. A step that is not
 * constant is the interpreter's to check. */
#include "session.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Diagnostics.h>

#include <inttypes.h>
#include <stdio.h>

static bool constant_of(MlirValue value, int64_t *out) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (nereid_op_kind(op) != NEREID_OP_ARITH_CONSTANT)
    return false;
  *out = mlirIntegerAttrGetValueInt(nereid_arith_constant_get_value_attr(op));
  return true;
}

static MlirWalkResult check(MlirOperation op, void *user_data) {
  nereid_status_t *status = user_data;
  int64_t step;
  char text[160];
  if (nereid_op_kind(op) != NEREID_OP_SCF_FOR || !constant_of(nereid_scf_for_get_step(op), &step))
    return MlirWalkResultAdvance;
  if (step > 0 || (step != 0 && nereid_scf_for_get_unsigned_cmp(op)))
    return MlirWalkResultAdvance;
  snprintf(text, sizeof text,
           "'scf.for' op has the step %" PRId64
           ": expected a positive number; count up, and compute the index that falls "
           "from it",
           step);
  mlirEmitError(mlirOperationGetLocation(op), text);
  *status = NEREID_ERROR_PROGRAM;
  return MlirWalkResultAdvance;
}

nereid_status_t nereid_check_loops(nereid_compilation_t *compilation) {
  nereid_status_t status = NEREID_OK;
  mlirOperationWalk(compilation->module, check, &status, MlirWalkPreOrder);
  return status;
}
