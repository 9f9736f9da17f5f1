/* Verifies ttg.warp_specialize and canonicalizes it.
 *
 *   %r:2 = ttg.warp_specialize(%a, %a, %b) ...   partition0(%x, %y, %z) uses %x, %y; only %r#1 is used
 *   ->
 *   %r = ttg.warp_specialize(%a) ...             partition0(%x) uses %x for both
 *
 * Captures are copied through shared memory to every partition, so removing one saves time and memory. */
#include "dialects/diagnose.h"
#include "dialects/ttg/module.h"

#include "bindings/ttg_hooks.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

/* Returns the operation that holds the partitions; null when the second region is malformed. */
static MlirOperation partitions_of(MlirOperation op) {
  MlirOperation none = {NULL};
  MlirBlock holder = mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op));
  MlirOperation first = mlirBlockIsNull(holder) ? none : mlirBlockGetFirstOperation(holder);
  bool found = !mlirOperationIsNull(first) && nereid_op_kind(first) == NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS;
  return found ? first : none;
}

static MlirBlock entry_of(MlirOperation partitions, intptr_t i) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(partitions, i));
}

static MlirLogicalResult verify_warps(MlirOperation op, intptr_t partitions) {
  intptr_t count = nereid_ttg_warp_specialize_get_partition_num_warps_count(op);
  if (count != partitions)
    return nereid_diagnose(op, "has %ld partitions, but partitionNumWarps has %ld numbers", (long)partitions,
                           (long)count);
  for (intptr_t i = 0; i < count; i++) {
    int32_t warps = nereid_ttg_warp_specialize_get_partition_num_warps(op, i);
    if (warps <= 0 || (warps & (warps - 1)) != 0)
      return nereid_diagnose(op, "partition #%ld has %d warps, expected a power of two", (long)i, warps);
  }
  MlirAttribute starts = nereid_ttg_warp_specialize_get_warp_group_start_ids_attr(op);
  if (!mlirAttributeIsNull(starts) && nereid_ttg_warp_specialize_get_warp_group_start_ids_count(op) != count)
    return nereid_diagnose(op, "warpGroupStartIds has %ld numbers, expected one per partition, %ld",
                           (long)nereid_ttg_warp_specialize_get_warp_group_start_ids_count(op), (long)count);
  int32_t warps = nereid_ttg_num_warps(op);
  if (warps > 0 && warps % 4 != 0)
    return nereid_diagnose(op, "is executed by %d warps, expected a multiple of 4: partitions start at a warp group",
                           warps);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult verify_captures(MlirOperation op, MlirOperation partitions, intptr_t i) {
  MlirBlock entry = entry_of(partitions, i);
  intptr_t captures = mlirOperationGetNumOperands(op), arguments = mlirBlockGetNumArguments(entry);
  if (arguments != captures)
    return nereid_diagnose(op, "partition #%ld has %ld arguments, expected one per capture, %ld", (long)i,
                           (long)arguments, (long)captures);
  for (intptr_t k = 0; k < captures; k++) {
    MlirType actual = mlirValueGetType(mlirBlockGetArgument(entry, k));
    MlirType expected = mlirValueGetType(mlirOperationGetOperand(op, k));
    if (!mlirTypeEqual(actual, expected))
      return nereid_diagnose(op, "partition #%ld has argument #%ld of type %s, but the capture has %s", (long)i,
                             (long)k, nereid_text_of_type(actual).chars, nereid_text_of_type(expected).chars);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_warp_specialize_verify_regions(MlirOperation op) {
  MlirOperation partitions = partitions_of(op);
  if (mlirOperationIsNull(partitions))
    return nereid_diagnose(op, "second region must hold a ttg.warp_specialize.partitions operation");
  intptr_t count = mlirOperationGetNumRegions(partitions);
  if (mlirLogicalResultIsFailure(verify_warps(op, count)))
    return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < count; i++)
    if (mlirLogicalResultIsFailure(verify_captures(op, partitions, i)))
      return mlirLogicalResultFailure();
  for (MlirOperation parent = mlirOperationGetParentOperation(op); !mlirOperationIsNull(parent);
       parent = mlirOperationGetParentOperation(parent))
    if (nereid_op_kind(parent) == NEREID_OP_TTG_WARP_SPECIALIZE)
      return nereid_diagnose(op, "cannot be inside another ttg.warp_specialize");
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_warp_yield_verify(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  intptr_t given = mlirOperationGetNumOperands(op), expected = mlirOperationGetNumResults(parent);
  if (given != expected)
    return nereid_diagnose(op, "has %ld operands, but ttg.warp_specialize has %ld results", (long)given,
                           (long)expected);
  for (intptr_t i = 0; i < given; i++) {
    MlirType actual = mlirValueGetType(mlirOperationGetOperand(op, i));
    MlirType expected_type = mlirValueGetType(mlirOperationGetResult(parent, i));
    if (!mlirTypeEqual(actual, expected_type))
      return nereid_diagnose(op, "operand #%ld has type %s, but the result of ttg.warp_specialize has %s", (long)i,
                             nereid_text_of_type(actual).chars, nereid_text_of_type(expected_type).chars);
  }
  return mlirLogicalResultSuccess();
}

/* --- canonicalization --- */

static bool is_unused(MlirValue value) {
  return mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

static bool capture_is_unused(MlirOperation partitions, intptr_t capture) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(partitions); i++)
    if (!is_unused(mlirBlockGetArgument(entry_of(partitions, i), capture)))
      return false;
  return true;
}

static void erase_capture(MlirOperation op, MlirOperation partitions, intptr_t capture) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(partitions); i++)
    mlirBlockEraseArgument(entry_of(partitions, i), (unsigned)capture);
  nereidMlirOperationEraseOperand(op, capture);
}

/* Replaces `capture` by an earlier capture of the same value, if there is one. */
static void merge_capture(MlirOperation op, MlirOperation partitions, intptr_t capture) {
  for (intptr_t first = 0; first < capture; first++) {
    if (!mlirValueEqual(mlirOperationGetOperand(op, first), mlirOperationGetOperand(op, capture)))
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(partitions); i++)
      mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(entry_of(partitions, i), capture),
                                    mlirBlockGetArgument(entry_of(partitions, i), first));
    return;
  }
}

static bool needs_capture(MlirOperation op, MlirOperation partitions, intptr_t capture) {
  for (intptr_t first = 0; first < capture; first++)
    if (mlirValueEqual(mlirOperationGetOperand(op, first), mlirOperationGetOperand(op, capture)))
      return false;
  return !capture_is_unused(partitions, capture);
}

static bool drop_captures(MlirOperation op, MlirRewriterBase rewriter) {
  MlirOperation partitions = partitions_of(op);
  bool changed = false;
  for (intptr_t capture = mlirOperationGetNumOperands(op) - 1; capture >= 0; capture--) {
    if (needs_capture(op, partitions, capture))
      continue;
    if (!changed)
      mlirRewriterBaseStartOpModification(rewriter, op);
    changed = true;
    merge_capture(op, partitions, capture);
    erase_capture(op, partitions, capture);
  }
  if (changed)
    mlirRewriterBaseFinalizeOpModification(rewriter, op);
  return changed;
}

static void drop_yielded(MlirOperation op, MlirRewriterBase rewriter, intptr_t result) {
  MlirRegion region = nereid_ttg_warp_specialize_get_default_region(op);
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    MlirOperation last = mlirBlockGetTerminator(block);
    if (mlirOperationIsNull(last) || nereid_op_kind(last) != NEREID_OP_TTG_WARP_YIELD)
      continue;
    mlirRewriterBaseStartOpModification(rewriter, last);
    nereidMlirOperationEraseOperand(last, result);
    mlirRewriterBaseFinalizeOpModification(rewriter, last);
  }
}

/* Returns a copy of `op` without result `dropped`, into which the regions are moved. */
static MlirOperation without_result(MlirOperation op, intptr_t dropped) {
  MlirOperationState state =
      mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(op)), mlirOperationGetLocation(op));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (i != dropped)
      mlirOperationStateAddResults(&state, 1, &type);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  MlirOperation made = mlirOperationCreate(&state);
  for (intptr_t i = 0; i < 2; i++)
    mlirRegionTakeBody(mlirOperationGetRegion(made, i), mlirOperationGetRegion(op, i));
  return made;
}

static bool drop_result(MlirOperation op, MlirRewriterBase rewriter) {
  intptr_t count = mlirOperationGetNumResults(op), dropped = 0;
  while (dropped < count && !is_unused(mlirOperationGetResult(op, dropped)))
    dropped++;
  if (dropped == count)
    return false;
  drop_yielded(op, rewriter, dropped);
  MlirOperation made = without_result(op, dropped);
  mlirRewriterBaseInsert(rewriter, made);
  for (intptr_t i = 0; i < count; i++)
    if (i != dropped)
      mlirRewriterBaseReplaceAllUsesWith(rewriter, mlirOperationGetResult(op, i),
                                         mlirOperationGetResult(made, i - (i > dropped)));
  mlirRewriterBaseEraseOp(rewriter, op);
  return true;
}

MlirLogicalResult nereid_ttg_warp_specialize_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  bool captures = drop_captures(op, rewriter);
  bool changed = drop_result(op, rewriter) || captures;
  return changed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
