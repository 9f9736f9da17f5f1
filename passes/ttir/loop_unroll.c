/* triton-loop-unroll: unrolls loops by their tt.loop_unroll_factor attribute.
 *
 *   scf.for %i = %a to %b step %s { body(%i) } {tt.loop_unroll_factor = 2 : i32}
 *   ->
 *   scf.for %i = %a to %m step 2 * %s { body(%i); body(%i + %s) }      %m: as many pairs as fit
 *   scf.for %i = %m to %b step %s { body(%i) } {tt.num_stages = 1 : i32}
 *
 * The remainder loop, with fewer iterations than the factor, is not pipelined. Loops without the attribute, or with a
 * factor of at most one, do not change. */
#include "dialects/ir.h"
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

enum { MAX_FACTOR = 1024 };

static const char factor_name[] = "tt.loop_unroll_factor";

/* The end of the unrolled part: a + (ceil((b - a) / s) / factor) * factor * s, for b > a. */
static MlirValue end_of_unrolled(MlirOperation loop, const nereid_builder_t *builder, int64_t factor) {
  MlirValue lower = nereid_scf_for_get_lower_bound(loop), upper = nereid_scf_for_get_upper_bound(loop);
  MlirValue step = nereid_scf_for_get_step(loop);
  MlirType type = mlirValueGetType(lower);
  MlirValue some =
      nereid_ir_result(nereid_scf_for_get_unsigned_cmp(loop) ? nereid_arith_maxui_build(builder, upper, lower)
                                                             : nereid_arith_maxsi_build(builder, upper, lower));
  MlirValue length = nereid_scalar_subtract(builder, some, lower);
  MlirValue count = nereid_ir_result(nereid_arith_ceildivui_build(builder, length, step));
  MlirValue many = nereid_scalar_constant(builder, type, factor);
  MlirValue rounds = nereid_ir_result(nereid_arith_divui_build(builder, count, many, false));
  MlirValue iterations = nereid_scalar_multiply(builder, rounds, many);
  return nereid_scalar_add(builder, lower, nereid_scalar_multiply(builder, iterations, step));
}

/* Appends iteration `number` to the unrolled body; its operands come from the last yield. */
static void add_iteration(MlirOperation loop, MlirOperation copy, int64_t number) {
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  MlirBlock from = nereid_loop_body(loop), to = nereid_loop_body(copy);
  MlirOperation yield = mlirBlockGetTerminator(to), last = mlirBlockGetTerminator(from);
  nereid_builder_t builder = nereid_builder_before(yield);
  MlirValue counter = mlirBlockGetArgument(to, 0);
  MlirValue distance = nereid_scalar_multiply(&builder, nereid_scf_for_get_step(loop),
                                              nereid_scalar_constant(&builder, mlirValueGetType(counter), number));
  nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(from, 0), nereid_scalar_add(&builder, counter, distance));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(from, 1 + i), mlirOperationGetOperand(yield, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(from); !mlirOperationEqual(op, last);
       op = mlirOperationGetNextInBlock(op)) {
    MlirOperation made = nereidMlirOperationCloneWithMapping(op, mapping);
    mlirBlockInsertOwnedOperationBefore(to, yield, made);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      nereidMlirIRMappingMapValue(mapping, mlirOperationGetResult(op, r), mlirOperationGetResult(made, r));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirValue value = mlirOperationGetOperand(last, i), found = nereidMlirIRMappingLookupValue(mapping, value);
    mlirOperationSetOperand(yield, i, mlirValueIsNull(found) ? value : found);
  }
  nereidMlirIRMappingDestroy(mapping);
}

/* Unrolls the loop; the loop itself becomes the remainder. */
static void unroll(MlirOperation loop, int64_t factor) {
  nereid_builder_t builder = nereid_builder_before(loop);
  MlirStringRef name = mlirStringRefCreateFromCString(factor_name);
  mlirOperationRemoveDiscardableAttributeByName(loop, name);
  MlirValue middle = end_of_unrolled(loop, &builder, factor), step = nereid_scf_for_get_step(loop);
  MlirValue stride =
      nereid_scalar_multiply(&builder, step, nereid_scalar_constant(&builder, mlirValueGetType(step), factor));
  MlirOperation unrolled = mlirOperationClone(loop);
  mlirBlockInsertOwnedOperationBefore(builder.block, loop, unrolled);
  mlirOperationSetOperand(unrolled, 1, middle);
  mlirOperationSetOperand(unrolled, 2, stride);
  for (int64_t i = 1; i < factor; ++i)
    add_iteration(loop, unrolled, i);
  mlirOperationSetOperand(loop, 0, middle);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    nereid_loop_set_initial(loop, i, mlirOperationGetResult(unrolled, i));
  nereid_ir_set_integer(loop, NEREID_ATTR_NUM_STAGES, 1);
}

MlirLogicalResult nereid_pass_triton_loop_unroll(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  if (!nereid_loop_collect(pass->op, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = loops.size; i-- > 0;) {
    const int64_t factor = nereid_ir_integer(loops.data[i], factor_name, 1);
    if (factor < 2)
      continue;
    if (factor > MAX_FACTOR) {
      mlirEmitError(mlirOperationGetLocation(loops.data[i]), "tt.loop_unroll_factor is more than 1024");
      return mlirLogicalResultFailure();
    }
    unroll(loops.data[i], factor);
    ++count;
  }
  nereid_pass_statistic_add(pass, "loops", count);
  return mlirLogicalResultSuccess();
}
