/* nereid-insert-cluster-barriers: synchronizes the CTAs of a cluster around copies with `multicast`.
 *
 *   ttng.init_barrier %m, 1                            ttng.init_barrier %m, 1
 *                                                      ttng.fence_mbarrier_init_release_cluster
 *                                                 ->   ttng.cluster_barrier
 *   ttng.async_tma_copy_… %d %b, %m {multicast}        ttng.async_tma_copy_… %d %b, %m {multicast}
 *   …                                                  …
 *   tt.return                                          ttng.cluster_barrier deps %b
 *                                                      tt.return
 *
 * As in Triton 3.7 and later, a program orders only the reuse of one buffer by itself. Other CTAs may copy as soon as
 * they have passed the barrier: mbarriers are initialized by then, and the buffer has bytes of its own from the start
 * of the kernel to the barrier at its end, before which no CTA exits. Existing barriers of the cluster serve as well.
 *
 * Regions of ttg.warp_specialize begin and end with a barrier of the cluster (conversion/ttg_to_llvm/dispatch/). In
 * kernels with partitions an empty ttg.warp_specialize takes the place of ttng.cluster_barrier, as the warps of
 * partitions take part. Copies that are `divided` are synchronized by the passes that create them. */
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "analysis/allocation/alias.h"
#include "analysis/call_graph.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

typedef NEREID_VECTOR(MlirValue) values_t;

/* The copies of one kernel. */
typedef struct kernel {
  nereid_pass_t *pass;
  MlirOperation function;
  nereid_alias_t alias;
  nereid_operations_t copies; /* with multicast */
  nereid_operations_t inits;  /* of mbarriers */
  values_t targets;           /* buffers of copies outside of partitions */
} kernel_t;

static bool is_shared_copy(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL &&
         nereid_ttng_async_tma_copy_global_to_local_get_multicast(op) &&
         !nereid_ttng_async_tma_copy_global_to_local_get_divided(op);
}

static bool is_cluster_barrier(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return kind == NEREID_OP_TTNG_CLUSTER_BARRIER || kind == NEREID_OP_TTNG_CLUSTER_WAIT;
}

/* Whether a region of ttg.warp_specialize is around `op`. */
static bool is_concurrent(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !nereid_ttg_is_warp_specialize(op))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

static bool intersect(nereid_alias_set_t a, nereid_alias_set_t b) {
  for (uint32_t i = 0; i < a.count; ++i)
    for (uint32_t j = 0; j < b.count; ++j)
      if (a.buffers[i] == b.buffers[j])
        return true;
  return false;
}

/* --- mbarriers --- */

/* Whether a barrier of the cluster is among the ops from `first` to before `end`; null ends are those of the block. */
static bool has_barrier(MlirOperation first, MlirOperation end) {
  for (MlirOperation op = first; !mlirOperationIsNull(op) && !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (is_cluster_barrier(op))
      return true;
  return false;
}

static bool is_before(MlirOperation op, MlirOperation other) {
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, other))
    op = mlirOperationGetNextInBlock(op);
  return !mlirOperationIsNull(op);
}

static void insert_before(MlirOperation op) {
  const nereid_builder_t builder = nereid_builder_before(op);
  nereid_ttng_fence_mbarrier_init_release_cluster_build(&builder);
  nereid_ttng_cluster_barrier_build(&builder, 0, NULL, false);
}

/* The ancestors of two ops in the innermost region around both. */
static void find_ancestors(MlirOperation *one, MlirOperation *other) {
  for (; !mlirOperationIsNull(*one); *one = mlirOperationGetParentOperation(*one)) {
    MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(*one));
    MlirOperation op = *other;
    while (!mlirOperationIsNull(op) && !mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), region))
      op = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(op))
      continue;
    *other = op;
    return;
  }
}

/* Whether the ops of `block` are executed once: it is all of a function. */
static bool is_function_body(MlirBlock block) {
  return nereid_op_kind(mlirBlockGetParentOperation(block)) == NEREID_OP_TT_FUNC &&
         mlirBlockIsNull(mlirBlockGetNextInRegion(mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block))));
}

/* Ensures that a barrier of the cluster is on each path from `init` to `copy`. */
static void separate(MlirOperation init, MlirOperation copy) {
  const MlirOperation none = {NULL};
  find_ancestors(&init, &copy);
  MlirBlock block = mlirOperationGetBlock(copy);
  const bool same_block = mlirBlockEqual(mlirOperationGetBlock(init), block);
  const bool precedes = same_block && !mlirOperationEqual(init, copy) && is_before(init, copy);
  if (precedes ? has_barrier(init, copy) : has_barrier(mlirBlockGetFirstOperation(block), copy))
    return;
  if (!precedes && same_block && (is_function_body(block) || has_barrier(init, none)))
    return;
  insert_before(copy);
}

/* --- buffers --- */

static bool add_target(kernel_t *kernel, MlirOperation copy, MlirOperation alloc) {
  MlirRegion body = mlirOperationGetRegion(kernel->function, 0);
  for (size_t i = 0; i < kernel->targets.size; ++i)
    if (mlirValueEqual(kernel->targets.data[i], nereid_ir_result(alloc)))
      return true;
  if (!mlirBlockEqual(mlirOperationGetBlock(alloc), mlirRegionGetFirstBlock(body))) {
    if (!mlirValueIsNull(nereid_ttg_local_alloc_get_src(alloc)))
      return mlirLogicalResultIsSuccess(
          nereid_diagnose(copy, "copies to other CTAs' buffers that a loop or branch initializes: expected a "
                                "ttg.local_alloc without operand"));
    mlirOperationMoveBefore(alloc, mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(body)));
  }
  return nereid_vector_push(kernel->pass->scratch, &kernel->targets, nereid_ir_result(alloc));
}

static bool add_targets(kernel_t *kernel, MlirOperation copy) {
  const nereid_alias_set_t set =
      nereid_alias_of(&kernel->alias, nereid_ttng_async_tma_copy_global_to_local_get_result(copy));
  for (uint32_t i = 0; i < set.count; ++i) {
    MlirOperation alloc = kernel->alias.buffers.data[set.buffers[i]].alloc;
    if (!mlirOperationIsNull(alloc) && !add_target(kernel, copy, alloc))
      return false;
  }
  return true;
}

/* In a partition, buffers and mbarriers are of the kernel: the barrier at the start precedes their first use. */
static bool check_partition(const kernel_t *kernel, MlirOperation copy) {
  const MlirValue used[] = {nereid_ttng_async_tma_copy_global_to_local_get_result(copy),
                            nereid_ttng_async_tma_copy_global_to_local_get_barrier(copy)};
  for (size_t u = 0; u < sizeof used / sizeof *used; ++u) {
    const nereid_alias_set_t set = nereid_alias_of(&kernel->alias, used[u]);
    for (uint32_t i = 0; i < set.count; ++i) {
      MlirOperation alloc = kernel->alias.buffers.data[set.buffers[i]].alloc;
      if (!mlirOperationIsNull(alloc) && is_concurrent(alloc))
        return mlirLogicalResultIsSuccess(
            nereid_diagnose(copy, "has multicast to buffers that regions of ttg.warp_specialize allocate: expected "
                                  "buffers and mbarriers of the kernel"));
    }
  }
  return true;
}

/* Lists the targets at the barrier of the cluster before `end`, which it creates unless one follows the last copy. */
static void synchronize_end(const kernel_t *kernel, MlirOperation end) {
  MlirBlock block = mlirOperationGetBlock(end);
  MlirOperation barrier = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) == NEREID_OP_TTNG_CLUSTER_BARRIER)
      barrier = op;
    for (size_t i = 0; i < kernel->copies.size; ++i)
      if (mlirOperationEqual(op, nereid_ir_ancestor_in(block, kernel->copies.data[i])))
        barrier = (MlirOperation){NULL};
  }
  const nereid_builder_t builder = nereid_builder_before(end);
  if (mlirOperationIsNull(barrier))
    barrier = nereid_ttng_cluster_barrier_build(&builder, 0, NULL, false);
  mlirOperationSetOperands(barrier, (intptr_t)kernel->targets.size, kernel->targets.data);
}

/* --- kernels --- */

static bool find_inits(const kernel_t *kernel, MlirOperation copy, nereid_operations_t *out) {
  MlirValue barrier = nereid_ttng_async_tma_copy_global_to_local_get_barrier(copy);
  for (size_t i = 0; i < kernel->inits.size; ++i) {
    MlirOperation init = kernel->inits.data[i];
    if (!is_concurrent(init) &&
        intersect(nereid_alias_of(&kernel->alias, barrier),
                  nereid_alias_of(&kernel->alias, nereid_ttng_init_barrier_get_alloc(init))) &&
        !nereid_vector_push(kernel->pass->scratch, out, init))
      return false;
  }
  return true;
}

static bool synchronize_copies(kernel_t *kernel) {
  bool outside = false;
  for (size_t i = 0; i < kernel->copies.size; ++i) {
    MlirOperation copy = kernel->copies.data[i];
    nereid_operations_t inits = {0};
    if (is_concurrent(copy)) {
      if (!check_partition(kernel, copy))
        return false;
      continue;
    }
    outside = true;
    if (!find_inits(kernel, copy, &inits) || !add_targets(kernel, copy))
      return false;
    for (size_t k = 0; k < inits.size; ++k)
      separate(inits.data[k], copy);
  }
  for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel->function, 0));
       outside && !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    if (nereid_op_kind(mlirBlockGetTerminator(block)) == NEREID_OP_TT_RETURN)
      synchronize_end(kernel, mlirBlockGetTerminator(block));
  return true;
}

static bool synchronize(nereid_pass_t *pass, const nereid_call_function_t *function) {
  kernel_t kernel = {.pass = pass, .function = function->op};
  nereid_flow_graph_t graph;
  if (!nereid_collect(function->op, is_shared_copy, pass->scratch, &kernel.copies))
    return false;
  if (!kernel.copies.size)
    return true;
  if (!function->is_kernel)
    return mlirLogicalResultIsSuccess(
        nereid_diagnose(kernel.copies.data[0], "has multicast in a function that is not a kernel: inline it"));
  return nereid_collect_kind(function->op, NEREID_OP_TTNG_INIT_BARRIER, pass->scratch, &kernel.inits) &&
         nereid_flow_graph_build(function->op, pass->scratch, &graph) &&
         nereid_alias_run(&graph, NULL, pass->scratch, &kernel.alias) && synchronize_copies(&kernel);
}

/* --- kernels with partitions --- */

/* Replaces the barrier by a ttg.warp_specialize that does nothing; tritongpu-allocate-warp-groups adds partitions. */
static bool include_partitions(nereid_pass_t *pass, MlirOperation barrier) {
  const nereid_builder_t builder = nereid_builder_before(barrier);
  values_t captures = {0};
  for (intptr_t i = 0; i < nereid_ttng_cluster_barrier_get_deps_count(barrier); ++i)
    nereid_vector_push(pass->scratch, &captures, nereid_ttng_cluster_barrier_get_deps(barrier, i));
  const MlirAttribute none = {NULL};
  MlirOperation op = nereid_ttg_warp_specialize_build(&builder, 0, NULL, (intptr_t)captures.size, captures.data, 0,
                                                      NULL, none, none, none);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL), holder = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(nereid_ttg_warp_specialize_get_default_region(op), body);
  mlirRegionAppendOwnedBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op), holder);
  const nereid_builder_t inside = nereid_builder_at_end(builder.location, body);
  const nereid_builder_t partitions = nereid_builder_at_end(builder.location, holder);
  nereid_ttg_warp_yield_build(&inside, 0, NULL);
  nereid_ttg_warp_specialize_partitions_build(&partitions, 0);
  nereid_ir_set_attribute(op, NEREID_ATTR_CLUSTER_BARRIER, mlirUnitAttrGet(pass->context));
  mlirOperationDestroy(barrier);
  return !pass->scratch->failed;
}

static bool include_all_partitions(nereid_pass_t *pass, MlirOperation function) {
  nereid_operations_t barriers = {0}, divisions = {0};
  if (!nereid_collect_kind(function, NEREID_OP_TTNG_CLUSTER_BARRIER, pass->scratch, &barriers) ||
      !nereid_collect_kind(function, NEREID_OP_TTG_WARP_SPECIALIZE, pass->scratch, &divisions))
    return false;
  for (size_t i = 0; divisions.size && i < barriers.size; ++i) {
    if (is_concurrent(barriers.data[i]))
      return mlirLogicalResultIsSuccess(
          nereid_diagnose(barriers.data[i], "is in a region of ttg.warp_specialize, whose other warps do not take "
                                            "part: expected it before or after"));
    if (!include_partitions(pass, barriers.data[i]))
      return false;
  }
  return true;
}

static bool run_on_function(nereid_pass_t *pass, const nereid_call_function_t *function) {
  return (nereid_ttg_num_ctas(pass->op) < 2 || synchronize(pass, function)) &&
         include_all_partitions(pass, function->op);
}

MlirLogicalResult nereid_pass_insert_cluster_barriers(nereid_pass_t *pass) {
  nereid_call_graph_t calls;
  if (nereid_call_graph_build(pass->op, pass->scratch, &calls) != NEREID_OK)
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < calls.functions.size; ++i)
    if (calls.functions.data[i].has_body && !run_on_function(pass, &calls.functions.data[i]))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}
