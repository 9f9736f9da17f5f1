/* Rules of ttir and ttgir that no verifier checks and every pass relies on:
 *
 *   %c0 = arith.constant 0 : i32
 *   scf.for %i = %a to %b step %c0 : i32                          error: has the step 0
 *
 *   module attributes {"ttg.num-warps" = 4 : i32} {
 *     %r = tt.make_range {...} : tensor<64xi32>                   error: tensor<64xi32> has no encoding
 *
 * scf requires a positive step: trip counts are quotients by it. The interpreter checks steps that are not constant. A
 * module with ttg.num-warps or with any encoding is ttgir, where all tensors have one; the interpreter needs none. */
#include "session.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "passes/properties.h"

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

static MlirWalkResult check_step(MlirOperation op, void *user_data) {
  nereid_status_t *status = user_data;
  int64_t step;
  char text[160];
  if (nereid_op_kind(op) != NEREID_OP_SCF_FOR || !constant_of(nereid_scf_for_get_step(op), &step))
    return MlirWalkResultAdvance;
  if (step > 0 || (step != 0 && nereid_scf_for_get_unsigned_cmp(op)))
    return MlirWalkResultAdvance;
  snprintf(text, sizeof text,
           "'scf.for' op has the step %" PRId64
           ": expected a positive number; count up, and compute the decreasing index "
           "from it",
           step);
  mlirEmitError(mlirOperationGetLocation(op), text);
  *status = NEREID_ERROR_PROGRAM;
  return MlirWalkResultAdvance;
}

static nereid_status_t check_encodings(nereid_compilation_t *compilation) {
  const nereid_properties_t found = nereid_properties_find(compilation->module, NEREID_IR_LAYOUTS);
  if (found.holding & NEREID_IR_LAYOUTS)
    return NEREID_OK;
  mlirEmitError(found.where[NEREID_PROPERTY_LAYOUTS],
                "a tensor has no encoding in a module with ttg.num-warps or other encodings: expected ttgir, in which "
                "every tensor has one, or ttir without both; convert-triton-to-tritongpu assigns encodings, and "
                "nereid.options or --num-warps specifies the warps of ttir");
  return NEREID_ERROR_PROGRAM;
}

nereid_status_t nereid_check_input(nereid_compilation_t *compilation) {
  nereid_status_t status = NEREID_OK;
  mlirOperationWalk(compilation->module, check_step, &status, MlirWalkPreOrder);
  return status == NEREID_OK && compilation->stage == NEREID_STAGE_TTGIR ? check_encodings(compilation) : status;
}
