/* tritongpu-fuse-nested-loops: fuses a loop that has tt.flatten with the loop in its body.
 *
 *   scf.for %tile = … {                      scf.for … iter_args(%tile, %k, …) {
 *     prologue                                 scf.if %first { prologue }
 *     %r = scf.for %k = … { body }      ->     body
 *     epilogue                                 scf.if %last { epilogue }
 *   } {tt.flatten}                           }
 *
 * The pipeliner then loads operands for the first inner iterations of a tile during the last ones, and the epilogue, of
 * the tile before. Pipelined alone, the inner loop begins each tile with loads in flight that nothing overlaps.
 *
 * The attribute applies to the nest that starts at the loop: a chain of loops, each the only one directly in the body
 * of its parent, is fused from the inside out. Bodies of inner loops are executed unconditionally, since loads under a
 * condition cannot be pipelined. An inner loop without iterations is therefore a separate case: before the nest, when
 * its bounds are the same in each outer iteration; otherwise its body is executed once without effect, with loads
 * masked off, and its results are replaced by the initial values. */
#include "passes/pipelining/fusion/fuse_loops.h"
#include "passes/pipelining/fusion/loop_nest.h"
#include "passes/pipelining/fusion/trip_count.h"

#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/branch.h"
#include "passes/support/loop.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

/* The loop directly in the body of `loop`; *count is how many there are. */
static MlirOperation inner_of(MlirOperation loop, int *count) {
  MlirOperation inner = {NULL};
  *count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(nereid_loop_body(loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR) {
      inner = op;
      ++*count;
    }
  return inner;
}

static void not_fused(const nereid_pass_t *pass, MlirOperation loop, const char *reason) {
  nereid_pass_remark_missed(pass, loop, "fuse", "not fused: %s", reason);
}

/* --- an inner loop without iterations --- */

static bool is_used(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

/* Yields the results of `loop` that correspond to used results of `outer`: the nest carries no others. */
static void yield_results(MlirBlock block, MlirOperation loop, MlirOperation outer) {
  const nereid_builder_t builder = nereid_builder_at_end(mlirOperationGetLocation(loop), block);
  MlirOperation yield = nereid_scf_yield_build(&builder, 0, NULL);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    MlirValue result = mlirOperationGetResult(loop, i);
    if (is_used(mlirOperationGetResult(outer, i)))
      nereidMlirOperationInsertOperands(yield, mlirOperationGetNumOperands(yield), 1, &result);
  }
}

/* Erases what only the inner loop of `loop` used, uses before defining ops. */
static void erase_dead(MlirOperation loop) {
  MlirOperation previous;
  for (MlirOperation op = mlirBlockGetTerminator(nereid_loop_body(loop)); !mlirOperationIsNull(op); op = previous) {
    previous = nereidMlirOperationGetPrevInBlock(op);
    if (nereidMlirOperationIsTriviallyDead(op))
      nereidMlirOperationErase(op);
  }
}

/* A block with a copy of `outer` in which the inner loop has no iteration. */
static MlirBlock without_inner(MlirOperation outer) {
  int count;
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  MlirOperation copy = nereidMlirOperationCloneWithMapping(outer, mapping), inner = inner_of(copy, &count);
  nereidMlirIRMappingDestroy(mapping);
  mlirBlockAppendOwnedOperation(block, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(inner); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(inner, i), nereid_loop_initial(inner, i));
  nereidMlirOperationErase(inner);
  erase_dead(copy);
  yield_results(block, copy, outer);
  return block;
}

/* Moves the nest to where its inner loop has an iteration. */
static void exclude_empty(const nereid_loop_nest_t *nest) {
  MlirOperation outer = nest->outer;
  const nereid_builder_t builder = nereid_builder_before(outer);
  const nereid_trip_t trip = nereid_trip_of(nest->inner);
  MlirBlock some = mlirBlockCreate(0, NULL, NULL), none = without_inner(outer);
  yield_results(some, outer, outer);
  MlirOperation branch = nereid_branch_build(&builder, nereid_trip_exists(&trip, &builder), some, none);
  MlirOperation yield = mlirBlockGetTerminator(some);
  for (intptr_t i = 0, n = 0; i < mlirOperationGetNumResults(outer); ++i) {
    MlirValue result = mlirOperationGetResult(outer, i);
    if (!is_used(result))
      continue;
    mlirValueReplaceAllUsesOfWith(result, mlirOperationGetResult(branch, n));
    mlirOperationSetOperand(yield, n++, result);
  }
  mlirOperationMoveBefore(outer, yield);
}

/* --- fusion --- */

/* The attributes of the fused loop: those of both, and the larger number of stages. */
typedef struct attributes {
  NEREID_VECTOR(MlirNamedAttribute) list;
  int64_t stages;
} attributes_t;

static void read_attributes(nereid_arena_t *arena, MlirOperation loop, attributes_t *out) {
  const int64_t stages = nereid_ir_integer(loop, NEREID_ATTR_NUM_STAGES, 0);
  out->stages = stages > out->stages ? stages : out->stages;
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(loop); ++i)
    nereid_vector_push(arena, &out->list, mlirOperationGetDiscardableAttribute(loop, i));
}

static void set_attributes(MlirOperation loop, const attributes_t *attributes) {
  for (size_t i = 0; i < attributes->list.size; ++i)
    mlirOperationSetDiscardableAttributeByName(loop, mlirIdentifierStr(attributes->list.data[i].name),
                                               attributes->list.data[i].attribute);
  if (attributes->stages)
    nereid_ir_set_integer(loop, NEREID_ATTR_NUM_STAGES, attributes->stages);
  mlirOperationRemoveDiscardableAttributeByName(loop, nereid_ir_ref(NEREID_ATTR_FLATTEN));
}

/* Fuses the chain of loops that starts at `loop`; `is_first`: no loop of the chain contains it. Returns whether it is
 * one loop afterwards. */
static bool fuse_chain(nereid_pass_t *pass, MlirOperation loop, bool is_first, int64_t *fused) {
  int count;
  MlirOperation inner = inner_of(loop, &count);
  if (count == 0)
    return true;
  if (count > 1) {
    not_fused(pass, loop, "its body contains several loops");
    return false;
  }
  if (nereid_loop_has(loop, NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR)) {
    not_fused(pass, loop, "it makes a tensor descriptor, which loads of an earlier iteration may use");
    return false;
  }
  if (!fuse_chain(pass, inner, false, fused))
    return false;
  nereid_loop_nest_t nest;
  const char *obstacle = nereid_loop_nest_read(pass, loop, inner_of(loop, &count), is_first, &nest);
  if (obstacle) {
    not_fused(pass, loop, obstacle);
    return false;
  }
  attributes_t attributes = {.stages = 0};
  read_attributes(pass->scratch, nest.inner, &attributes);
  read_attributes(pass->scratch, loop, &attributes);
  nereid_pass_remark_passed(
      pass, loop, "fuse", "fused with the loop in its body%s",
      nest.empty == NEREID_INNER_PREDICATED ? "; an inner loop without iterations executes one without effect" : "");
  if (nest.empty == NEREID_INNER_EXCLUDED)
    exclude_empty(&nest);
  loop = nereid_loop_nest_fuse(&nest);
  if (mlirOperationIsNull(loop))
    return false;
  set_attributes(loop, &attributes);
  ++*fused;
  return true;
}

/* Collects the loops that start a nest, outer ones first, and removes the attribute from all loops. */
static bool collect_requests(nereid_pass_t *pass, nereid_operations_t *out) {
  nereid_operations_t all = {0};
  if (!nereid_loop_collect(pass->op, pass->scratch, &all))
    return false;
  for (size_t i = 0; i < all.size; ++i)
    if (nereid_ir_has_attribute(all.data[i], NEREID_ATTR_FLATTEN) &&
        !nereid_ir_has_attribute(mlirOperationGetParentOperation(all.data[i]), NEREID_ATTR_FLATTEN))
      nereid_vector_push(pass->scratch, out, all.data[i]);
  for (size_t i = 0; i < all.size; ++i)
    mlirOperationRemoveDiscardableAttributeByName(all.data[i], nereid_ir_ref(NEREID_ATTR_FLATTEN));
  return !pass->scratch->failed;
}

MlirLogicalResult nereid_pass_tritongpu_fuse_nested_loops(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t fused = 0;
  if (!collect_requests(pass, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = loops.size; i-- > 0;) { /* inner nests first: outer ones may contain them */
    int count;
    if (mlirOperationIsNull(inner_of(loops.data[i], &count)))
      not_fused(pass, loops.data[i], "no loop is directly in its body");
    else
      fuse_chain(pass, loops.data[i], true, &fused);
  }
  nereid_pass_statistic_add(pass, "loops", fused);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
