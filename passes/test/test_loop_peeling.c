/* triton-test-loop-peeling: peels the last iteration of loops that have the attribute __test_peel_epilogue.
 *
 *   %r = scf.for %i = %a to %b step %s iter_args(%x = %y) { body(%i, %x) } {__test_peel_epilogue}
 *   ->
 *   %f = scf.for %i = %a to %b - %s step %s iter_args(%x = %y) { body(%i, %x) }
 *   %r = scf.if %a < %b { body(%a + (%b - %a - 1) / %s * %s, %f) } else { %f }
 *
 * For tests of pipelines with a peeled iteration. `%b - %s` must not overflow. Requires: positive steps, as scf.for
 * does. Preserves: everything but loops with the attribute. */
#include "dialects/ir.h"
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/scalar.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/scf.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

/* The upper bound minus one step. An unsigned bound below the step becomes 0 instead of wrapping around. */
static MlirValue shorter_bound(MlirOperation loop) {
  nereid_builder_t builder = nereid_builder_before(loop);
  MlirValue upper = nereid_scf_for_get_upper_bound(loop), step = nereid_scf_for_get_step(loop);
  if (nereid_scf_for_get_unsigned_cmp(loop))
    upper = nereid_ir_result(nereid_arith_maxui_build(&builder, upper, step));
  return nereid_scalar_subtract(&builder, upper, step);
}

/* The induction variable of the last iteration, if one exists: a + (b - a - 1) / s * s. */
static MlirValue last_induction(MlirOperation loop, const nereid_builder_t *builder) {
  MlirValue lower = nereid_scf_for_get_lower_bound(loop), upper = nereid_scf_for_get_upper_bound(loop);
  MlirValue step = nereid_scf_for_get_step(loop);
  MlirValue distance = nereid_scalar_subtract(builder, upper, lower);
  MlirValue one = nereid_scalar_constant(builder, mlirValueGetType(lower), 1);
  distance = nereid_scalar_subtract(builder, distance, one);
  MlirValue count = nereid_ir_result(nereid_scf_for_get_unsigned_cmp(loop)
                                         ? nereid_arith_divui_build(builder, distance, step, false)
                                         : nereid_arith_divsi_build(builder, distance, step, false));
  return nereid_scalar_add(builder, nereid_scalar_multiply(builder, count, step), lower);
}

/* A copy of the loop's body in which `induction` and the loop's results replace the arguments. */
static MlirBlock peeled_block(MlirOperation loop, MlirValue induction) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(body, 0), induction);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(body, 1 + i), mlirOperationGetResult(loop, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirOperation copy = nereidMlirOperationCloneWithMapping(op, mapping);
    mlirBlockAppendOwnedOperation(block, copy);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      nereidMlirIRMappingMapValue(mapping, mlirOperationGetResult(op, r), mlirOperationGetResult(copy, r));
  }
  nereidMlirIRMappingDestroy(mapping);
  return block;
}

/* A block that yields the loop's results. */
static MlirBlock unchanged_block(MlirOperation loop) {
  const intptr_t n = mlirOperationGetNumResults(loop);
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.yield"), mlirOperationGetLocation(loop));
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue value = mlirOperationGetResult(loop, i);
    mlirOperationStateAddOperands(&state, 1, &value);
  }
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&state));
  return block;
}

static void peel(MlirOperation loop) {
  mlirOperationRemoveDiscardableAttributeByName(loop, nereid_ir_ref("__test_peel_epilogue"));
  MlirBlock block = mlirOperationGetBlock(loop);
  MlirOperation next = mlirOperationGetNextInBlock(loop);
  MlirValue bound = shorter_bound(loop);
  const nereid_builder_t builder = {mlirOperationGetLocation(loop), block, next};
  MlirValue induction = last_induction(loop, &builder);
  MlirValue condition =
      nereid_ir_result(nereid_arith_cmpi_build(&builder, nereid_scf_for_get_lower_bound(loop),
                                               nereid_scf_for_get_upper_bound(loop), nereid_loop_less_than(loop)));
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.if"), mlirOperationGetLocation(loop));
  mlirOperationStateAddOperands(&state, 1, &condition);
  const intptr_t n = mlirOperationGetNumResults(loop);
  for (intptr_t i = 0; i < n; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(loop, i));
    mlirOperationStateAddResults(&state, 1, &type);
  }
  MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  MlirOperation branch = mlirOperationCreate(&state);
  /* Uses outside of the regions first: the regions keep using the loop's results. */
  for (intptr_t i = 0; i < n; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetResult(branch, i));
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(branch, 0), peeled_block(loop, induction));
  if (n)
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(branch, 1), unchanged_block(loop));
  mlirBlockInsertOwnedOperationBefore(block, next, branch);
  mlirOperationSetOperand(loop, 1, bound);
}

MlirLogicalResult nereid_pass_test_loop_peeling(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  if (!nereid_loop_collect(pass->op, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = loops.size; i-- > 0;) {
    if (!nereid_ir_has_attribute(loops.data[i], "__test_peel_epilogue"))
      continue;
    peel(loops.data[i]);
    ++count;
  }
  nereid_pass_statistic_add(pass, "loops", count);
  return mlirLogicalResultSuccess();
}
