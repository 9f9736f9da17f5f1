/* tritongpu-partition-loops: splits divided loops into the regions of ttg.warp_specialize.
 *
 *   %r = scf.for … iter_args(%acc, %i) {        %r = ttg.warp_specialize(%ring, …)
 *     produce %i   [1]                           default {
 *     consume %i   [0]                             %d = scf.for … iter_args(%acc, %i) { consume %i }
 *     %n = next %i [0, 1]              ->          ttg.warp_yield %d
 *   }                                            }
 *                                                partition0(%ring, …) num_warps(8) {
 *                                                  scf.for … iter_args(%i) { produce %i }
 *                                                  ttg.warp_return
 *                                                }
 *
 * A rounding of the results moves into the default region, whose warps have more registers than those after the op.
 * Each region gets a copy of the nest with the ops of its partition and the carried values that these depend on.
 * Constants and tensors from outside are computed again in the partition; other values are captured. A partition that
 * starts copies by cp.async waits for them at its end if TMA may write the bytes of the ring afterwards. One whose
 * number of warps differs (ttg.partition.warps) gets layouts for it (relayout.h). */
#include "passes/warp_specialization/partitions.h"
#include "passes/warp_specialization/relayout.h"
#include "passes/warp_specialization/slice.h"

#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/ttg.h"
#include "passes/support/branch.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

#include <string.h>

typedef NEREID_VECTOR(MlirValue) values_t;

typedef struct split {
  nereid_pass_t *pass;
  MlirOperation root;
  int count;
  nereid_partition_slice_t slices[NEREID_PARTITION_MAX];
  values_t captures;
  nereid_operations_t recomputed[NEREID_PARTITION_MAX]; /* ops outside of the loop, operands first */
} split_t;

/* --- slices --- */

typedef struct seeds {
  split_t *split;
  int partition;
} seeds_t;

static MlirWalkResult add_seed(MlirOperation op, void *user_data) {
  const seeds_t *seeds = user_data;
  if (nereid_op_kind(op) != NEREID_OP_SCF_FOR && nereid_partition_has(op, seeds->partition))
    nereid_partition_slice_add(&seeds->split->slices[seeds->partition], op);
  return MlirWalkResultAdvance;
}

typedef struct check {
  const split_t *split;
  bool failed;
} check_t;

/* Whether an op of the nest is in the slice of a partition that it does not list. */
static MlirWalkResult check_op(MlirOperation op, void *user_data) {
  check_t *check = user_data;
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
    return MlirWalkResultAdvance;
  for (int p = 0; p < check->split->count; ++p)
    if (nereid_partition_slice_has(&check->split->slices[p], op) && !nereid_partition_has(op, p)) {
      nereid_diagnose(op, "computes a value that partition %d uses: expected %d in ttg.partition", p, p);
      check->failed = true;
      return MlirWalkResultInterrupt;
    }
  return MlirWalkResultSkip; /* ops in nested regions belong to this one */
}

static bool compute_slices(split_t *split) {
  MlirOperation root = split->root;
  if (!nereid_partition_verify(root))
    return false;
  split->count = nereid_partition_count(root);
  split->count = split->count > 1 ? split->count : 2;
  for (int p = 0; p < split->count; ++p) {
    seeds_t seeds = {split, p};
    nereid_partition_slice_begin(&split->slices[p], split->pass->scratch, root, NULL);
    mlirOperationWalk(root, add_seed, &seeds, MlirWalkPreOrder);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(root, i))))
      nereid_partition_slice_carry(&split->slices[NEREID_PARTITION_CONSUMER], root, i);
  check_t check = {.split = split};
  mlirOperationWalk(root, check_op, &check, MlirWalkPreOrder);
  return !check.failed && !split->pass->scratch->failed;
}

/* --- captures --- */

static bool is_constant(MlirValue value) {
  return mlirValueIsAOpResult(value) && nereid_op_kind(mlirOpResultGetOwner(value)) == NEREID_OP_ARITH_CONSTANT;
}

static bool is_outside(const split_t *split, MlirValue value) {
  MlirOperation owner = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                                    : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  return !mlirOperationEqual(owner, split->root) && !nereidMlirOperationIsProperAncestor(split->root, owner);
}

typedef struct capture {
  split_t *split;
  int partition;
  bool failed;
} capture_t;

static void capture(capture_t *capture, MlirValue value, MlirOperation user);

static bool is_recomputed(const capture_t *state, MlirOperation op) {
  const nereid_operations_t *ops = &state->split->recomputed[state->partition];
  for (size_t i = 0; i < ops->size; ++i)
    if (mlirOperationEqual(ops->data[i], op))
      return true;
  return false;
}

/* Records the op that computes `value`, and what it depends on, to be copied into the partition. */
static void recompute(capture_t *state, MlirValue value, MlirOperation user) {
  MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  if (!nereid_partition_can_recompute(value, NULL)) {
    if (!state->failed)
      nereid_diagnose(user,
                      "uses a tensor from outside of the loop in partition %d, which can only get scalars and buffers: "
                      "expected a tensor that is computed from them without side effects",
                      state->partition);
    state->failed = true;
    return;
  }
  if (is_recomputed(state, op))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    capture(state, mlirOperationGetOperand(op, i), user);
  nereid_vector_push(state->split->pass->scratch, &state->split->recomputed[state->partition], op);
}

/* Records a value from outside once. */
static void capture(capture_t *state, MlirValue value, MlirOperation user) {
  split_t *split = state->split;
  if (!is_outside(split, value))
    return;
  if (is_constant(value) || mlirTypeIsARankedTensor(mlirValueGetType(value))) {
    recompute(state, value, user);
    return;
  }
  for (size_t i = 0; i < split->captures.size; ++i)
    if (mlirValueEqual(split->captures.data[i], value))
      return;
  nereid_vector_push(split->pass->scratch, &split->captures, value);
}

static MlirWalkResult capture_operands(MlirOperation op, void *user_data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    capture(user_data, mlirOperationGetOperand(op, i), op);
  return MlirWalkResultAdvance;
}

/* Records what the partition uses from outside of `loop`. */
static void capture_loop(capture_t *state, MlirOperation loop) {
  const nereid_partition_slice_t *slice = &state->split->slices[state->partition];
  MlirOperation end = mlirBlockGetTerminator(nereid_loop_body(loop));
  for (intptr_t i = 0; i < NEREID_LOOP_BOUNDS; ++i)
    capture(state, mlirOperationGetOperand(loop, i), loop);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    if (nereid_partition_slice_carries(slice, loop, i)) {
      capture(state, nereid_loop_initial(loop, i), loop);
      capture(state, mlirOperationGetOperand(end, i), loop);
    }
  for (MlirOperation op = mlirBlockGetFirstOperation(nereid_loop_body(loop)); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (!nereid_partition_slice_has(slice, op))
      continue;
    else if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
      capture_loop(state, op);
    else
      mlirOperationWalk(op, capture_operands, state, MlirWalkPreOrder);
}

/* Records what the partitions other than the default region use from outside. False after a diagnostic. */
static bool capture_all(split_t *split) {
  for (int p = 1; p < split->count; ++p) {
    capture_t state = {.split = split, .partition = p};
    capture_loop(&state, split->root);
    if (state.failed)
      return false;
  }
  return true;
}

/* --- copies --- */

typedef struct copy {
  const nereid_partition_slice_t *slice;
  bool drops_stages; /* of loops, which are not pipelined then */
  NereidMlirIRMapping mapping;
} copy_t;

static MlirValue mapped(const copy_t *copy, MlirValue value) {
  MlirValue found = nereidMlirIRMappingLookupValue(copy->mapping, value);
  return mlirValueIsNull(found) ? value : found;
}

static bool is_division(MlirStringRef name) {
  static const char *const names[] = {NEREID_ATTR_PARTITION, NEREID_ATTR_PARTITION_SLOTS, NEREID_ATTR_PARTITION_WARPS,
                                      NEREID_ATTR_WARP_SPECIALIZE_TAG};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (mlirStringRefEqual(name, nereid_ir_ref(names[i])))
      return true;
  return false;
}

static void copy_attributes(const copy_t *copy, MlirOperation from, MlirOperation to) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(from); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(from, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!is_division(name) && !(copy->drops_stages && mlirStringRefEqual(name, nereid_ir_ref(NEREID_ATTR_NUM_STAGES))))
      mlirOperationSetDiscardableAttributeByName(to, name, attribute.attribute);
  }
}

static void copy_loop(const copy_t *copy, MlirOperation loop, MlirBlock block);

static void copy_op(const copy_t *copy, MlirOperation op, MlirBlock block) {
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR) {
    copy_loop(copy, op, block);
    return;
  }
  MlirOperation made = nereidMlirOperationCloneWithMapping(op, copy->mapping);
  mlirOperationRemoveDiscardableAttributeByName(made, nereid_ir_ref(NEREID_ATTR_PARTITION));
  mlirBlockAppendOwnedOperation(block, made);
}

/* Copies the body of `loop` to `body`, which gets its arguments, and yields the carried values of the slice. */
static void copy_body(const copy_t *copy, MlirOperation loop, MlirBlock body) {
  MlirOperation end = mlirBlockGetTerminator(nereid_loop_body(loop));
  values_t yields = {0};
  for (intptr_t i = -1; i < mlirOperationGetNumResults(loop); ++i) { /* the counter comes first */
    MlirValue argument = mlirBlockGetArgument(nereid_loop_body(loop), i + 1);
    if (i < 0 || nereid_partition_slice_carries(copy->slice, loop, i))
      nereidMlirIRMappingMapValue(
          copy->mapping, argument,
          mlirBlockAddArgument(body, mlirValueGetType(argument), mlirOperationGetLocation(loop)));
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(nereid_loop_body(loop)); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_partition_slice_has(copy->slice, op))
      copy_op(copy, op, body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    if (nereid_partition_slice_carries(copy->slice, loop, i))
      nereid_vector_push(copy->slice->arena, &yields, mapped(copy, mlirOperationGetOperand(end, i)));
  const nereid_builder_t builder = nereid_builder_at_end(mlirOperationGetLocation(end), body);
  nereid_scf_yield_build(&builder, (intptr_t)yields.size, yields.data);
}

/* Appends a copy of `loop` to `block`, and maps its results. */
static void copy_loop(const copy_t *copy, MlirOperation loop, MlirBlock block) {
  NEREID_VECTOR(MlirType) types = {0};
  values_t initial = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    if (nereid_partition_slice_carries(copy->slice, loop, i)) {
      nereid_vector_push(copy->slice->arena, &types, mlirValueGetType(mlirOperationGetResult(loop, i)));
      nereid_vector_push(copy->slice->arena, &initial, mapped(copy, nereid_loop_initial(loop, i)));
    }
  const nereid_builder_t builder = nereid_builder_at_end(mlirOperationGetLocation(loop), block);
  MlirOperation made = nereid_scf_for_build(
      &builder, (intptr_t)types.size, types.data, mapped(copy, nereid_scf_for_get_lower_bound(loop)),
      mapped(copy, nereid_scf_for_get_upper_bound(loop)), mapped(copy, nereid_scf_for_get_step(loop)),
      (intptr_t)initial.size, initial.data, nereid_scf_for_get_unsigned_cmp(loop));
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(made, 0), body);
  copy_attributes(copy, loop, made);
  copy_body(copy, loop, body);
  for (intptr_t i = 0, k = 0; i < mlirOperationGetNumResults(loop); ++i)
    if (nereid_partition_slice_carries(copy->slice, loop, i))
      nereidMlirIRMappingMapValue(copy->mapping, mlirOperationGetResult(loop, i), mlirOperationGetResult(made, k++));
}

/* --- the op --- */

static bool is_used(MlirOperation loop, intptr_t i) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(loop, i)));
}

static MlirOperation build_op(const split_t *split) {
  const nereid_builder_t builder = nereid_builder_before(split->root);
  int32_t warps[NEREID_PARTITION_MAX];
  NEREID_VECTOR(MlirType) types = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(split->root); ++i)
    if (is_used(split->root, i))
      nereid_vector_push(split->pass->scratch, &types, mlirValueGetType(mlirOperationGetResult(split->root, i)));
  for (int p = 1; p < split->count; ++p)
    warps[p - 1] = nereid_partition_warps(split->root, p);
  return nereid_ttg_warp_specialize_build(&builder, (intptr_t)types.size, types.data, (intptr_t)split->captures.size,
                                          split->captures.data, split->count - 1, warps, (MlirAttribute){NULL},
                                          (MlirAttribute){NULL}, (MlirAttribute){NULL});
}

/* The consumer's loop, in the default region of `op`; its results replace those of the root. */
static void build_default(const split_t *split, MlirOperation op) {
  const copy_t copy = {.slice = &split->slices[NEREID_PARTITION_CONSUMER], .mapping = nereidMlirIRMappingCreate()};
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  values_t yields = {0};
  mlirRegionAppendOwnedBlock(nereid_ttg_warp_specialize_get_default_region(op), block);
  copy_loop(&copy, split->root, block);
  for (intptr_t i = 0, k = 0; i < mlirOperationGetNumResults(split->root); ++i) {
    MlirValue result = mlirOperationGetResult(split->root, i);
    if (!is_used(split->root, i))
      continue;
    nereid_vector_push(split->pass->scratch, &yields, mapped(&copy, result));
    mlirValueReplaceAllUsesOfWith(result, mlirOperationGetResult(op, k++));
  }
  const nereid_builder_t builder = nereid_builder_at_end(mlirOperationGetLocation(split->root), block);
  nereid_ttg_warp_yield_build(&builder, (intptr_t)yields.size, yields.data);
  nereidMlirIRMappingDestroy(copy.mapping);
}

static bool is_no_copy_arrival(MlirOperation op) {
  return nereid_op_kind(op) != NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE;
}

/* Whether `op` writes shared memory by TMA, or a function that it calls may. */
static bool may_load_by_tma(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
  case NEREID_OP_TT_DESCRIPTOR_GATHER:
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_ASYNC_TMA_GATHER:
  case NEREID_OP_TT_CALL:
    return true;
  default:
    return false;
  }
}

/* Whether TMA may write, outside of the divided loop, bytes that its ring had before. */
static bool may_reuse_by_tma(const split_t *split) {
  nereid_operations_t loads = {0};
  if (!nereid_collect(nereid_ir_function_of(split->root), may_load_by_tma, split->pass->scratch, &loads))
    return true;
  for (size_t i = 0; i < loads.size; ++i)
    if (!nereidMlirOperationIsProperAncestor(split->root, loads.data[i]))
      return true;
  return false;
}

/* Waits for the copies of the threads that execute the partition: only these threads can fence their stores of masked
 * elements when other ops use the bytes later. */
static void wait_for_copies(const nereid_builder_t *builder) {
  nereid_ttg_async_commit_group_build(builder, 0, NULL);
  nereid_ttg_async_wait_build(builder, 0, NULL, 0);
}

/* The loop of partition `p` > 0, in its region of `partitions`. A loop whose copies by cp.async arrive at mbarriers is
 * not pipelined by itself: these arrivals would also wait for the copies of later iterations. */
static void build_partition(const split_t *split, MlirOperation partitions, int p) {
  const bool copies = !mlirOperationIsNull(nereid_partition_slice_obstacle(&split->slices[p], is_no_copy_arrival));
  const copy_t copy = {.slice = &split->slices[p], .mapping = nereidMlirIRMappingCreate(), .drops_stages = copies};
  MlirLocation location = mlirOperationGetLocation(split->root);
  MlirRegion region = mlirOperationGetRegion(partitions, p - 1);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  for (size_t i = 0; i < split->captures.size; ++i) {
    MlirValue value = split->captures.data[i];
    nereidMlirIRMappingMapValue(copy.mapping, value, mlirBlockAddArgument(block, mlirValueGetType(value), location));
  }
  for (size_t i = 0; i < split->recomputed[p].size; ++i)
    mlirBlockAppendOwnedOperation(block,
                                  nereidMlirOperationCloneWithMapping(split->recomputed[p].data[i], copy.mapping));
  copy_loop(&copy, split->root, block);
  const nereid_builder_t builder = nereid_builder_at_end(location, block);
  if (copies && may_reuse_by_tma(split))
    wait_for_copies(&builder);
  nereid_ttg_warp_return_build(&builder);
  nereidMlirIRMappingDestroy(copy.mapping);
  if (nereid_partition_warps(split->root, p) != nereid_ttg_num_warps(split->root))
    nereid_relayout(region, nereid_partition_warps(split->root, p));
}

static void build_partitions(const split_t *split, MlirOperation op) {
  MlirBlock holder = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op), holder);
  const nereid_builder_t builder = nereid_builder_at_end(mlirOperationGetLocation(split->root), holder);
  MlirOperation partitions = nereid_ttg_warp_specialize_partitions_build(&builder, split->count - 1);
  for (int p = 1; p < split->count; ++p)
    build_partition(split, partitions, p);
}

/* Whether the layouts of all tensors of partitions with other numbers of warps have a form for these. */
static bool check_layouts(const split_t *split) {
  for (int p = 1; p < split->count; ++p) {
    const nereid_operations_t *ops = &split->recomputed[p];
    MlirOperation bad = {NULL};
    if (nereid_partition_warps(split->root, p) == nereid_ttg_num_warps(split->root))
      continue;
    for (size_t i = 0; i < ops->size; ++i)
      if (!nereid_relayout_is_possible(ops->data[i]))
        bad = ops->data[i];
    if (mlirOperationIsNull(bad))
      bad = nereid_partition_slice_obstacle(&split->slices[p], nereid_relayout_is_possible);
    if (mlirOperationIsNull(bad))
      continue;
    nereid_diagnose(
        bad,
        "has a layout that partition %d, with %d instead of %d warps, cannot use: expected blocked layouts, "
        "or as many warps in ttg.partition.warps as the kernel has",
        p, nereid_partition_warps(split->root, p), nereid_ttg_num_warps(split->root));
    return false;
  }
  return true;
}

/* Whether the default region has the warps of the kernel, which execute it. */
static bool check_default_warps(MlirOperation root) {
  const int32_t warps = nereid_partition_warps(root, NEREID_PARTITION_CONSUMER);
  if (warps == nereid_ttg_num_warps(root))
    return true;
  nereid_diagnose(root,
                  "has %d warps for partition 0 in ttg.partition.warps: expected the %d of the kernel, which "
                  "execute it",
                  warps, nereid_ttg_num_warps(root));
  return false;
}

static bool split_loop(nereid_pass_t *pass, MlirOperation loop) {
  split_t split = {.pass = pass, .root = loop};
  if (!check_default_warps(loop) || !compute_slices(&split))
    return false;
  if (!capture_all(&split) || !check_layouts(&split))
    return false;
  MlirOperation op = build_op(&split);
  if (mlirOperationIsNull(op) || pass->scratch->failed)
    return false;
  build_default(&split, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    nereid_branch_round_inside(op, i, /*regions=*/1);
  build_partitions(&split, op);
  nereidMlirOperationErase(loop);
  return !pass->scratch->failed;
}

MlirLogicalResult nereid_pass_tritongpu_partition_loops(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  bool good = nereid_partition_loops(pass->op, pass->scratch, &loops);
  for (size_t i = 0; good && i < loops.size; ++i)
    good = split_loop(pass, loops.data[i]);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
