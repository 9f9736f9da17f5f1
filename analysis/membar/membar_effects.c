/* The tables of effects; see membar_effects.h. */
#include "analysis/membar/membar_effects.h"

#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "layout/encoding.h"
#include "layout/exchange.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* --- the tables --- */

enum { NO_GROUP = NEREID_ASYNC_GROUPS };

/* Properties of an access. */
enum { GENERIC, ASYNC_PROXY = 1, ONE_THREAD = 2 };

/* An access of an op to a buffer operand. */
typedef struct access_row {
  nereid_op_kind_t op;
  MlirValue (*buffer)(MlirOperation op);
  MlirValue (*tensor)(MlirOperation op); /* the tensor whose layout determines the thread of each byte; null: unknown */
  uint8_t kind, how;
  uint8_t group; /* group in which the access is in flight afterwards; NO_GROUP: complete */
} access_row_t;

/* Synchronization performed by an op. */
typedef struct sync_row {
  nereid_op_kind_t op;
  uint16_t flags;
  uint8_t group;
  int32_t (*pending)(MlirOperation op);
} sync_row_t;

static MlirValue result_of(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

static const access_row_t access_rows[] = {
    {NEREID_OP_TTG_LOCAL_ALLOC, result_of, nereid_ttg_local_alloc_get_src, NEREID_SHARED_WRITE, GENERIC, NO_GROUP},
    {NEREID_OP_TTG_LOCAL_LOAD, nereid_ttg_local_load_get_src, result_of, NEREID_SHARED_READ, GENERIC, NO_GROUP},
    {NEREID_OP_TTG_LOCAL_STORE, nereid_ttg_local_store_get_dst, nereid_ttg_local_store_get_src, NEREID_SHARED_WRITE,
     GENERIC, NO_GROUP},
    {NEREID_OP_TTG_LOCAL_GATHER, nereid_ttg_local_gather_get_src, NULL, NEREID_SHARED_READ, GENERIC, NO_GROUP},
    {NEREID_OP_TTG_LOCAL_SCATTER, nereid_ttg_local_scatter_get_dst, NULL, NEREID_SHARED_WRITE, GENERIC, NO_GROUP},
    {NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL, nereid_ttg_async_copy_global_to_local_get_result,
     nereid_ttg_async_copy_global_to_local_get_src, NEREID_SHARED_WRITE, GENERIC, NEREID_ASYNC_COPIES},
    {NEREID_OP_TTNG_WARP_GROUP_DOT, nereid_ttng_warp_group_dot_get_a, NULL, NEREID_SHARED_READ, ASYNC_PROXY,
     NEREID_ASYNC_DOTS},
    {NEREID_OP_TTNG_WARP_GROUP_DOT, nereid_ttng_warp_group_dot_get_b, NULL, NEREID_SHARED_READ, ASYNC_PROXY,
     NEREID_ASYNC_DOTS},
    {NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL, nereid_ttng_async_tma_copy_global_to_local_get_result, NULL,
     NEREID_SHARED_WRITE, ASYNC_PROXY | ONE_THREAD, NO_GROUP},
    {NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL, nereid_ttng_async_tma_copy_global_to_local_get_barrier, NULL,
     NEREID_SHARED_BARRIER_COUNT, ONE_THREAD, NO_GROUP},
    {NEREID_OP_TTNG_ASYNC_TMA_GATHER, nereid_ttng_async_tma_gather_get_result, NULL, NEREID_SHARED_WRITE,
     ASYNC_PROXY | ONE_THREAD, NO_GROUP},
    {NEREID_OP_TTNG_ASYNC_TMA_GATHER, nereid_ttng_async_tma_gather_get_barrier, NULL, NEREID_SHARED_BARRIER_COUNT,
     ONE_THREAD, NO_GROUP},
    {NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL, nereid_ttng_async_tma_copy_local_to_global_get_src, NULL,
     NEREID_SHARED_READ, ASYNC_PROXY | ONE_THREAD, NEREID_ASYNC_STORES},
    {NEREID_OP_TTNG_ASYNC_TMA_REDUCE, nereid_ttng_async_tma_reduce_get_src, NULL, NEREID_SHARED_READ,
     ASYNC_PROXY | ONE_THREAD, NEREID_ASYNC_STORES},
    {NEREID_OP_TTNG_ASYNC_TMA_SCATTER, nereid_ttng_async_tma_scatter_get_src, NULL, NEREID_SHARED_READ,
     ASYNC_PROXY | ONE_THREAD, NEREID_ASYNC_STORES},
    {NEREID_OP_TTNG_INIT_BARRIER, nereid_ttng_init_barrier_get_alloc, NULL, NEREID_SHARED_BARRIER_INIT, ONE_THREAD,
     NO_GROUP},
    {NEREID_OP_TTNG_INVAL_BARRIER, nereid_ttng_inval_barrier_get_alloc, NULL, NEREID_SHARED_BARRIER_INIT, ONE_THREAD,
     NO_GROUP},
    {NEREID_OP_TTNG_BARRIER_EXPECT, nereid_ttng_barrier_expect_get_alloc, NULL, NEREID_SHARED_BARRIER_COUNT, ONE_THREAD,
     NO_GROUP},
    {NEREID_OP_TTNG_ARRIVE_BARRIER, nereid_ttng_arrive_barrier_get_alloc, NULL, NEREID_SHARED_BARRIER_COUNT, ONE_THREAD,
     NO_GROUP},
    {NEREID_OP_TTNG_WAIT_BARRIER, nereid_ttng_wait_barrier_get_alloc, NULL, NEREID_SHARED_BARRIER_WAIT, GENERIC,
     NO_GROUP},
    {NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE, nereid_ttng_async_copy_mbarrier_arrive_get_barrier, NULL,
     NEREID_SHARED_BARRIER_COUNT, GENERIC, NO_GROUP},
};

/* Ops that take buffers without accessing them, or whose accesses the program orders. */
static const nereid_op_kind_t no_accesses[] = {
    NEREID_OP_ARITH_SELECT,         NEREID_OP_TTG_INLINE_ASM,
    NEREID_OP_TTG_LOCAL_DEALLOC,    NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT,
    NEREID_OP_TTNG_CLUSTER_BARRIER,
};

static const sync_row_t sync_rows[] = {
    {NEREID_OP_GPU_BARRIER, NEREID_EVENT_BARRIER, NO_GROUP, NULL},
    {NEREID_OP_TTG_LOCAL_BARRIER, NEREID_EVENT_BARRIER, NO_GROUP, NULL},
    {NEREID_OP_TTG_BARRIER, NEREID_EVENT_BARRIER, NO_GROUP, NULL},
    {NEREID_OP_TTNG_CLUSTER_BARRIER, NEREID_EVENT_BARRIER, NO_GROUP, NULL},
    {NEREID_OP_TTNG_FENCE_ASYNC_SHARED, NEREID_EVENT_FENCE, NO_GROUP, NULL},
    {NEREID_OP_TTG_ASYNC_COMMIT_GROUP, NEREID_EVENT_COMMITS, NEREID_ASYNC_COPIES, NULL},
    {NEREID_OP_TTG_ASYNC_WAIT, NEREID_EVENT_WAITS, NEREID_ASYNC_COPIES, nereid_ttg_async_wait_get_num},
    {NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT, NEREID_EVENT_WAITS, NEREID_ASYNC_DOTS,
     nereid_ttng_warp_group_dot_wait_get_pendings},
    {NEREID_OP_TTNG_ASYNC_TMA_STORE_WAIT, NEREID_EVENT_WAITS, NEREID_ASYNC_STORES,
     nereid_ttng_async_tma_store_wait_get_pendings},
    {NEREID_OP_TTNG_WARP_GROUP_DOT, NEREID_EVENT_COMMITS, NEREID_ASYNC_DOTS, NULL},
    {NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL, NEREID_EVENT_COMMITS, NEREID_ASYNC_STORES, NULL},
    {NEREID_OP_TTNG_ASYNC_TMA_REDUCE, NEREID_EVENT_COMMITS, NEREID_ASYNC_STORES, NULL},
    {NEREID_OP_TTNG_ASYNC_TMA_SCATTER, NEREID_EVENT_COMMITS, NEREID_ASYNC_STORES, NULL},
    {NEREID_OP_TT_CALL, NEREID_EVENT_CALL, NO_GROUP, NULL},
};

/* --- barriers inside the lowering of ops --- */

static bool is_scalar(MlirOperation op) {
  return !mlirTypeIsARankedTensor(mlirValueGetType(result_of(op)));
}

static uint16_t flags_of_atomic(MlirOperation op, nereid_tt_mem_semantic_t order, bool has_scratch) {
  const bool both = order == NEREID_TT_MEM_SEMANTIC_ACQUIRE_RELEASE;
  uint16_t flags = has_scratch ? NEREID_EVENT_BARRIER_INSIDE : 0;
  if (is_scalar(op) && (both || order == NEREID_TT_MEM_SEMANTIC_RELEASE))
    flags |= NEREID_EVENT_BARRIER_FIRST;
  if (is_scalar(op) && !has_scratch && (both || order == NEREID_TT_MEM_SEMANTIC_ACQUIRE))
    flags |= NEREID_EVENT_BARRIER_LAST;
  return flags;
}

/* Loads, stores and polls order the accesses of the whole program, also those of tensors. */
static uint16_t flags_of_atomic_access(nereid_tt_mem_semantic_t order, bool has_scratch) {
  if (order == NEREID_TT_MEM_SEMANTIC_RELEASE)
    return NEREID_EVENT_BARRIER_FIRST;
  if (has_scratch)
    return NEREID_EVENT_BARRIER_INSIDE;
  return order == NEREID_TT_MEM_SEMANTIC_ACQUIRE ? NEREID_EVENT_BARRIER_LAST : 0;
}

static uint16_t flags_of_conversion(MlirOperation op) {
  nereid_layout_t from, to;
  if (nereid_layout_from_type(mlirValueGetType(mlirOperationGetOperand(op, 0)), &from) != NEREID_OK ||
      nereid_layout_from_type(mlirValueGetType(result_of(op)), &to) != NEREID_OK)
    return 0;
  const bool in_warp =
      nereid_conversion_path(op) != NEREID_CONVERSION_CLUSTER && nereid_layout_exchange_in_warp(&from, &to);
  return in_warp ? NEREID_EVENT_WARP_INSIDE : NEREID_EVENT_BARRIER_INSIDE;
}

static uint16_t flags_of_lowering(nereid_op_kind_t kind, MlirOperation op, bool has_scratch) {
  switch (kind) {
  case NEREID_OP_TT_ATOMIC_RMW:
    return flags_of_atomic(op, nereid_tt_atomic_rmw_get_sem(op), has_scratch);
  case NEREID_OP_TT_ATOMIC_CAS:
    return flags_of_atomic(op, nereid_tt_atomic_cas_get_sem(op), has_scratch);
  case NEREID_OP_TT_ATOMIC_LOAD:
    return flags_of_atomic_access(nereid_tt_atomic_load_get_sem(op), has_scratch);
  case NEREID_OP_TT_ATOMIC_STORE:
    return flags_of_atomic_access(nereid_tt_atomic_store_get_sem(op), has_scratch);
  case NEREID_OP_TT_ATOMIC_POLL:
    return flags_of_atomic_access(nereid_tt_atomic_poll_get_sem(op), has_scratch);
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return has_scratch ? flags_of_conversion(op) : 0;
  case NEREID_OP_TTNG_TENSORMAP_CREATE:
    return 0; /* one warp uses the scratch */
  default:
    return has_scratch ? NEREID_EVENT_BARRIER_INSIDE : 0;
  }
}

/* --- accesses --- */

typedef struct typed_bases {
  MlirType tensor, memdesc;
  const nereid_access_bases_t *bases;
  struct typed_bases *next;
} typed_bases_t;

/* nereid_access_bases_of, cached per pair of types. */
static const nereid_access_bases_t *bases_of(nereid_membar_effects_t *effects, MlirType tensor, MlirType memdesc) {
  uintptr_t *place = nereid_map_insert(&effects->bases, memdesc.ptr);
  if (!place)
    return NULL;
  for (const typed_bases_t *known = (const typed_bases_t *)*place; known; known = known->next)
    if (known->tensor.ptr == tensor.ptr)
      return known->bases;
  typed_bases_t *made = nereid_arena_new(effects->arena, typed_bases_t, 1);
  if (!made)
    return NULL;
  *made = (typed_bases_t){tensor, memdesc, nereid_access_bases_of(tensor, memdesc, effects->arena),
                          (typed_bases_t *)*place};
  if (!made->bases && tensor.ptr)
    made->bases = nereid_access_bases_of((MlirType){NULL}, memdesc, effects->arena);
  *place = (uintptr_t)made;
  return made->bases;
}

static void add_access(nereid_membar_effects_t *effects, nereid_shared_access_t access) {
  nereid_vector_push(effects->arena, &effects->accesses, access);
}

static void add_slice(nereid_membar_effects_t *effects, const nereid_buffer_slice_t *slice,
                      const nereid_access_bases_t *bases, uint8_t kind, uint8_t how) {
  nereid_shared_access_t access = {
      .first = slice->first, .end = slice->end, .kind = kind, .async_proxy = how & ASYNC_PROXY};
  nereid_access_shape_t shape = {.single = how & ONE_THREAD};
  if (slice->exact && bases) {
    shape = (nereid_access_shape_t){.base = slice->base,
                                    .offset = slice->offset,
                                    .single = how & ONE_THREAD,
                                    .bases = bases,
                                    .ring = slice->ring,
                                    .phase = slice->phase};
    if (nereid_buffer_slice_is_placed(slice)) {
      nereid_access_bases_range(bases, slice->offset, &access.first, &access.end);
      access.first += slice->base;
      access.end += slice->base + 1;
    }
  }
  if (shape.bases || shape.single)
    access.shape = nereid_access_shapes_get(effects->shapes, shape);
  add_access(effects, access);
}

static void add_buffer(nereid_membar_effects_t *effects, MlirValue buffer, MlirType tensor, uint8_t kind, uint8_t how) {
  const nereid_buffer_slices_t *slices = nereid_slicer_get(effects->slicer, buffer);
  const nereid_access_bases_t *bases = bases_of(effects, tensor, mlirValueGetType(buffer));
  for (size_t i = 0; slices && i < slices->size; ++i)
    add_slice(effects, &slices->data[i], bases, kind, how);
}

/* The warps signal independently that their own accesses are done. */
static bool arrives_per_warp(nereid_op_kind_t kind, MlirOperation op) {
  return kind == NEREID_OP_TTNG_ARRIVE_BARRIER && nereid_ttng_arrive_barrier_get_per_warp(op);
}

/* Adds the accesses from the table; false when the table has no row for the op. */
static bool add_by_table(nereid_membar_effects_t *effects, nereid_op_kind_t kind, nereid_membar_event_t *event) {
  bool found = false;
  for (size_t i = 0; i < sizeof access_rows / sizeof *access_rows; ++i) {
    const access_row_t *row = &access_rows[i];
    if (row->op != kind)
      continue;
    found = true;
    MlirValue buffer = row->buffer(event->op), tensor = row->tensor ? row->tensor(event->op) : (MlirValue){NULL};
    if (mlirValueIsNull(buffer) || !nereid_alias_is_buffer(buffer) || (row->tensor && mlirValueIsNull(tensor)))
      continue;
    const bool owned = effects->by_layout && row->tensor;
    const uint8_t how = arrives_per_warp(kind, event->op) ? GENERIC : row->how;
    add_buffer(effects, buffer, owned ? mlirValueGetType(tensor) : (MlirType){NULL}, row->kind, how);
    if (row->group == NO_GROUP ||
        (kind == NEREID_OP_TTNG_WARP_GROUP_DOT && !nereid_ttng_warp_group_dot_get_is_async(event->op)))
      continue;
    event->flags |= NEREID_EVENT_STARTS;
    event->group = row->group;
  }
  return found;
}

static bool touches_nothing(nereid_op_kind_t kind, MlirOperation op) {
  for (size_t i = 0; i < sizeof no_accesses / sizeof *no_accesses; ++i)
    if (kind == no_accesses[i])
      return true;
  return kind == NEREID_OP_TT_CALL || nereid_ttg_is_memdesc_view(op) || nereid_flow_graph_enters(op) ||
         mlirOperationEqual(mlirBlockGetTerminator(mlirOperationGetBlock(op)), op);
}

/* An op without rows, such as an atomic, may access the buffers that it takes in any way. */
static void add_operands(nereid_membar_effects_t *effects, nereid_op_kind_t kind, MlirOperation op) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  bool any = false;
  for (intptr_t i = 0; i < n && !any; ++i)
    any = nereid_alias_is_buffer(mlirOperationGetOperand(op, i));
  if (!any || touches_nothing(kind, op))
    return;
  for (intptr_t i = 0; i < n; ++i)
    if (nereid_alias_is_buffer(mlirOperationGetOperand(op, i)))
      add_buffer(effects, mlirOperationGetOperand(op, i), (MlirType){NULL}, NEREID_SHARED_WRITE, GENERIC);
}

static bool add_scratch(nereid_membar_effects_t *effects, MlirOperation op) {
  MlirAttribute offset = nereid_ir_attribute(op, NEREID_ATTR_ALLOCATION_OFFSET);
  const int64_t bytes = nereid_scratch_bytes(op);
  if (!bytes)
    return false;
  const int64_t first = mlirAttributeIsNull(offset) ? 0 : mlirIntegerAttrGetValueInt(offset);
  if (mlirAttributeIsNull(offset))
    return true;
  nereid_shared_access_t access = {.first = first, .end = first + bytes, .kind = NEREID_SHARED_WRITE};
  if (nereid_op_kind(op) == NEREID_OP_TTNG_TENSORMAP_CREATE) /* its warp synchronizes before and after */
    access.shape = nereid_access_shapes_get(effects->shapes, (nereid_access_shape_t){.single = true});
  add_access(effects, access);
  return true;
}

static void add_sync(nereid_op_kind_t kind, nereid_membar_event_t *event) {
  for (size_t i = 0; i < sizeof sync_rows / sizeof *sync_rows; ++i)
    if (sync_rows[i].op == kind) {
      event->flags |= sync_rows[i].flags;
      event->group = sync_rows[i].group;
      event->pending = sync_rows[i].pending ? sync_rows[i].pending(event->op) : 0;
    }
  if (kind == NEREID_OP_TTG_LOCAL_BARRIER && nereid_ttg_local_barrier_get_warp(event->op))
    event->flags = NEREID_EVENT_WARP_BARRIER;
  if (kind == NEREID_OP_TTNG_ASYNC_TMA_STORE_WAIT && nereid_ttng_async_tma_store_wait_get_writes(event->op) &&
      !event->pending)
    event->flags |= NEREID_EVENT_COMPLETES;
  if (kind == NEREID_OP_TTNG_CLUSTER_BARRIER && nereid_ttng_cluster_barrier_get_relaxed(event->op))
    event->flags = 0;
  if (kind == NEREID_OP_TTNG_FENCE_ASYNC_SHARED && nereid_ttng_fence_async_shared_get_global_memory(event->op))
    event->flags = 0;
}

/* Whether the last event is a load and only views are between it and the op at `position`. Synchronization for
 * consecutive loads is placed before the first one, so that the loads stay adjacent and can be scheduled at their uses.
 */
static bool follows_load(const nereid_membar_effects_t *effects, uint32_t position) {
  const nereid_flow_graph_t *graph = effects->slicer->graph;
  if (!effects->events.size || effects->row == effects->events.size)
    return false;
  const nereid_membar_event_t *last = &effects->events.data[effects->events.size - 1];
  bool follows = nereid_op_kind(last->op) == NEREID_OP_TTG_LOCAL_LOAD &&
                 graph->nodes_of_ops[last->position] == graph->nodes_of_ops[position];
  for (uint32_t i = last->position + 1; follows && i < position; ++i)
    follows = nereid_ttg_is_memdesc_view(graph->ops.data[i]);
  return follows;
}

/* Whether an edge from the end of the node leads into a loop from outside. */
static bool enters_loop(const nereid_membar_effects_t *effects, uint32_t position) {
  const nereid_flow_graph_t *graph = effects->slicer->graph;
  const nereid_flow_node_t *node = &graph->nodes.data[graph->nodes_of_ops[position]];
  for (uint32_t i = 0; position + 1 == node->end && i < node->n_edges; ++i) {
    const nereid_flow_edge_t *edge = &graph->edges.data[node->first_edge + i];
    if (!edge->is_back && nereid_flow_graph_is_header(graph, edge->to))
      return true;
  }
  return false;
}

static void add_global(nereid_membar_effects_t *effects, uint32_t position, nereid_membar_event_t *event) {
  nereid_membar_global_add(effects->global, event->op, &effects->accesses);
  if (!event->flags && event->first == effects->accesses.size && enters_loop(effects, position))
    event->flags |= NEREID_EVENT_LOOP;
}

/* All threads of the CTA synchronize there, but only the threads that issued writes can wait for TMA, or fence. */
static bool is_region_boundary(nereid_op_kind_t kind) {
  return kind == NEREID_OP_TTG_WARP_SPECIALIZE || kind == NEREID_OP_TTG_WARP_YIELD || kind == NEREID_OP_TTG_WARP_RETURN;
}

static void add_op(nereid_membar_effects_t *effects, uint32_t position) {
  MlirOperation op = effects->slicer->graph->ops.data[position];
  const nereid_op_kind_t kind = nereid_op_kind(op);
  nereid_membar_event_t event = {.op = op, .position = position, .first = (uint32_t)effects->accesses.size};
  add_sync(kind, &event);
  if (is_region_boundary(kind))
    event.flags |= NEREID_EVENT_REGION;
  if (!add_by_table(effects, kind, &event)) {
    add_operands(effects, kind, op);
    event.flags |= flags_of_lowering(kind, op, add_scratch(effects, op));
  }
  if (kind == NEREID_OP_TTNG_ARRIVE_BARRIER && !arrives_per_warp(kind, op)) {
    const nereid_access_shape_t *one =
        nereid_access_shapes_get(effects->shapes, (nereid_access_shape_t){.single = true});
    add_access(effects, (nereid_shared_access_t){.end = INT64_MAX, .shape = one, .kind = NEREID_SHARED_RELEASE});
  }
  if (effects->global)
    add_global(effects, position, &event);
  event.n = event.ahead = (uint32_t)effects->accesses.size - event.first;
  if (kind == NEREID_OP_TTG_LOCAL_LOAD && follows_load(effects, position)) {
    event.ahead = 0;
    effects->events.data[effects->row].ahead += event.n;
  } else {
    effects->row = effects->events.size;
  }
  if (event.flags || event.n)
    nereid_vector_push(effects->arena, &effects->events, event);
}

bool nereid_membar_effects_run(nereid_membar_effects_t *effects) {
  nereid_map_initialize(&effects->bases, effects->arena);
  for (uint32_t i = 0; i < effects->slicer->graph->ops.size; ++i)
    add_op(effects, i);
  return !effects->arena->failed;
}

bool nereid_membar_uses_async_proxy(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  for (size_t i = 0; i < sizeof access_rows / sizeof *access_rows; ++i)
    if (access_rows[i].op == kind && access_rows[i].how & ASYNC_PROXY)
      return true;
  return false;
}

nereid_async_group_t nereid_membar_starts(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  for (size_t i = 0; i < sizeof access_rows / sizeof *access_rows; ++i)
    if (access_rows[i].op == kind)
      return (nereid_async_group_t)access_rows[i].group;
  return NEREID_ASYNC_GROUPS;
}
