/* triton-licm: hoists loop-invariant operations, including loads, out of loops.
 *
 *   scf.for %i = %a to %b … {              %some = arith.cmpi slt, %a, %b
 *     %x = tt.load %p, %m            ->    %x = tt.load %p, %m & %some
 *     use %x                               scf.for … { use %x }
 *   }
 *
 * A load is hoisted if nothing in the loop may write to global memory. Its mask then includes the condition that the
 * loop runs at least once. Inner loops come first, so that an op leaves as many loops as possible. */
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/collect.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static bool is_inside(MlirOperation loop, MlirValue value) {
  MlirBlock block = mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                                     : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  MlirOperation parent = mlirBlockGetParentOperation(block);
  return mlirOperationEqual(parent, loop) || nereidMlirOperationIsProperAncestor(loop, parent);
}

typedef struct uses {
  MlirOperation loop, op;
  bool varies;
} uses_t;

static MlirWalkResult check_operands(MlirOperation op, void *user_data) {
  uses_t *uses = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    uses->varies |= is_inside(uses->loop, operand) && !is_inside(uses->op, operand);
  }
  return uses->varies ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* Whether all operands of `op`, and of ops in its regions, are defined outside of the loop or in these regions. */
static bool is_invariant(MlirOperation loop, MlirOperation op) {
  uses_t uses = {.loop = loop, .op = op};
  mlirOperationWalk(op, check_operands, &uses, MlirWalkPreOrder);
  return !uses.varies;
}

static void note_write(NereidMlirEffect effect, MlirValue value, NereidMlirResource resource, void *user_data) {
  (void)value;
  if (effect != NereidMlirEffectRead && resource != NereidMlirResourceShared)
    *(bool *)user_data = true;
}

static bool writes_global(MlirOperation loop) {
  bool writes = false;
  return !nereidMlirOperationWalkEffects(loop, note_write, &writes) || writes;
}

static bool is_movable_load(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_LOAD && !nereid_tt_load_get_is_volatile(op) &&
         !nereid_tt_load_get_boundary_check_count(op);
}

/* The condition that the loop runs at least once: i1, or a tensor of i1 in the shape of the load's result. */
static MlirValue runs_at_all(MlirOperation loop, MlirOperation load, const nereid_builder_t *builder) {
  MlirValue runs =
      mlirOperationGetResult(nereid_arith_cmpi_build(builder, nereid_scf_for_get_lower_bound(loop),
                                                     nereid_scf_for_get_upper_bound(loop), nereid_loop_less_than(loop)),
                             0);
  MlirType type = mlirValueGetType(mlirOperationGetResult(load, 0));
  if (!mlirTypeIsARankedTensor(type))
    return runs;
  int64_t shape[32];
  const intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank && d < 32; ++d)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  MlirType bits = mlirRankedTensorTypeGet(rank, shape, mlirValueGetType(runs), mlirRankedTensorTypeGetEncoding(type));
  return nereid_tt_splat_get_result(nereid_tt_splat_build(builder, bits, runs));
}

static void hoist_load(MlirOperation loop, MlirOperation load) {
  nereid_builder_t builder = nereid_builder_before(loop);
  MlirValue mask = nereid_tt_load_get_mask(load), runs = runs_at_all(loop, load, &builder);
  if (!mlirValueIsNull(mask))
    runs = mlirOperationGetResult(nereid_arith_andi_build(&builder, mask, runs), 0);
  builder.location = mlirOperationGetLocation(load);
  MlirOperation made = nereid_tt_load_build(&builder, nereid_tt_load_get_ptr(load), runs,
                                            nereid_tt_load_get_other(load), 0, NULL, (MlirAttribute){NULL},
                                            nereid_tt_load_get_cache(load), nereid_tt_load_get_evict(load), false);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(load, 0), mlirOperationGetResult(made, 0));
  nereidMlirOperationErase(load);
}

/* Hoists from a block of a loop. Loads do not leave `scf.while`: its first region runs once more than its second, and
 * only the condition determines whether the second runs at all. */
static int64_t hoist_from(MlirOperation loop, MlirBlock body, bool loads) {
  int64_t count = 0;
  MlirOperation last = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationEqual(op, last); op = next) {
    next = mlirOperationGetNextInBlock(op);
    const bool pure = nereidMlirOperationIsPure(op);
    if ((!pure && !(loads && is_movable_load(op))) || !is_invariant(loop, op))
      continue;
    if (pure)
      mlirOperationMoveBefore(op, loop);
    else
      hoist_load(loop, op);
    ++count;
  }
  return count;
}

static bool is_loop(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_SCF_FOR || nereid_op_kind(op) == NEREID_OP_SCF_WHILE;
}

MlirLogicalResult nereid_pass_triton_licm(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  if (!nereid_collect(pass->op, is_loop, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = loops.size; i-- > 0;) {
    const bool loads = nereid_op_kind(loops.data[i]) == NEREID_OP_SCF_FOR && !writes_global(loops.data[i]);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(loops.data[i]); ++r)
      count += hoist_from(loops.data[i], mlirRegionGetFirstBlock(mlirOperationGetRegion(loops.data[i], r)), loads);
  }
  nereid_pass_statistic_add(pass, "hoisted", count);
  return mlirLogicalResultSuccess();
}
