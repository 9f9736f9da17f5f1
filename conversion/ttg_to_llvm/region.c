/* Regions of scalar code; see region.h.
 *
 *   ^bb0(%a: f32, %b: f32):               %2 = llvm.fadd %0, %1
 *     %c = arith.addf %a, %b      ->
 *     tt.reduce.return %c
 *
 * The arguments get the element's values and the ops are lowered by their rows, as those of the function are; this
 * repeats for each element. */
#include "conversion/ttg_to_llvm/region.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/blocks.h"
#include "conversion/ttg_to_llvm/function/function.h"

#include "seam/effects.h"

static void set_arguments(nereid_lower_t *lower, MlirBlock block, const MlirValue *arguments) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    nereid_lower_set_scalar(lower, mlirBlockGetArgument(block, i), arguments[i]);
}

/* The operands of the region's terminator. */
static void get_results(nereid_lower_t *lower, MlirOperation end, MlirValue *out_results) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    out_results[i] = nereid_lower_operand(lower, end, i).values[0];
}

/* Creates blocks for those of the region, and one after them whose arguments are the results. */
static bool emit_blocks(nereid_lower_t *lower, MlirRegion region, MlirValue *out_results) {
  MlirRegion function = mlirBlockGetParentRegion(lower->builder.block);
  nereid_blocks_t blocks = {0};
  MlirBlock rest = {NULL};
  if (!nereid_lower_order_blocks(lower->arena, mlirRegionGetFirstBlock(region), &blocks))
    return false;
  for (size_t i = 0; i < blocks.size; ++i)
    if (!nereid_lower_create_block(lower, blocks.data[i], i == 0, function))
      return false;
  nereid_emit_branch(lower, nereid_lower_block(lower, blocks.data[0]), 0, NULL);
  for (size_t i = 0; i < blocks.size; ++i) {
    MlirOperation end = mlirBlockGetTerminator(blocks.data[i]);
    const bool returns = mlirOperationGetNumSuccessors(end) == 0;
    lower->builder.block = nereid_lower_block(lower, blocks.data[i]);
    if (!nereid_lower_ops(lower, blocks.data[i], returns ? end : (MlirOperation){NULL}))
      return false;
    if (!returns)
      continue;
    get_results(lower, end, out_results);
    const intptr_t n = mlirOperationGetNumOperands(end);
    if (mlirBlockIsNull(rest)) {
      rest = mlirBlockCreate(0, NULL, NULL);
      for (intptr_t k = 0; k < n; ++k)
        mlirBlockAddArgument(rest, mlirValueGetType(out_results[k]), mlirOperationGetLocation(end));
    }
    nereid_emit_branch(lower, rest, n, out_results);
  }
  if (mlirBlockIsNull(rest))
    return nereid_lower_error(mlirBlockGetParentOperation(mlirRegionGetFirstBlock(region)),
                              "has a region that never ends: expected a path to its terminator");
  mlirRegionAppendOwnedBlock(function, rest);
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(rest); ++k)
    out_results[k] = mlirBlockGetArgument(rest, k);
  lower->builder.block = rest;
  return true;
}

static bool emit_one_block(nereid_lower_t *lower, MlirBlock block, MlirValue *out_results) {
  MlirOperation end = mlirBlockGetTerminator(block);
  if (!nereid_lower_ops(lower, block, end))
    return false;
  get_results(lower, end, out_results);
  return true;
}

bool nereid_region_emit(nereid_lower_t *lower, MlirRegion region, const MlirValue *arguments, MlirValue *out_results) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  const MlirLocation location = lower->builder.location;
  ++lower->module->emitted.combinations;
  set_arguments(lower, block, arguments);
  const bool done = mlirBlockIsNull(mlirBlockGetNextInRegion(block)) ? emit_one_block(lower, block, out_results)
                                                                     : emit_blocks(lower, region, out_results);
  lower->builder.location = location;
  return done && !lower->arena->failed;
}

bool nereid_region_is_pure(MlirRegion region) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (!nereidMlirOperationIsMemoryEffectFree(op))
        return false;
  return true;
}

intptr_t nereid_region_size(MlirRegion region) {
  intptr_t size = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      size++;
    size--;
  }
  return size;
}
