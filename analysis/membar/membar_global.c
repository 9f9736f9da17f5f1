/* Effects of ops on global memory; see membar_global.h. */
#include "analysis/membar/membar_global.h"

#include "analysis/allocation/scratch.h"
#include "dialects/ttng/descriptor_type.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

#include "mlir-c/BuiltinTypes.h"

/* --- the table --- */

typedef struct global_row {
  nereid_op_kind_t op;
  MlirValue (*pointer)(MlirOperation op);
  MlirValue (*mask)(MlirOperation op); /* null: none */
  uint8_t kind;
  bool bulk;                                   /* by TMA, through a descriptor */
  intptr_t (*n_coordinates)(MlirOperation op); /* null: rows at arbitrary addresses (gather, scatter) */
  MlirValue (*coordinate)(MlirOperation op, intptr_t i);
} global_row_t;

#define TILE_OF(op) op##_get_coord_count, op##_get_coord

static const global_row_t rows[] = {
    {NEREID_OP_TT_LOAD, nereid_tt_load_get_ptr, nereid_tt_load_get_mask, NEREID_SHARED_READ, false, NULL, NULL},
    {NEREID_OP_TT_STORE, nereid_tt_store_get_ptr, nereid_tt_store_get_mask, NEREID_SHARED_WRITE, false, NULL, NULL},
    {NEREID_OP_TT_ATOMIC_RMW, nereid_tt_atomic_rmw_get_ptr, nereid_tt_atomic_rmw_get_mask, NEREID_GLOBAL_ATOMIC, false,
     NULL, NULL},
    {NEREID_OP_TT_ATOMIC_CAS, nereid_tt_atomic_cas_get_ptr, NULL, NEREID_GLOBAL_ATOMIC, false, NULL, NULL},
    {NEREID_OP_TT_ATOMIC_LOAD, nereid_tt_atomic_load_get_ptr, nereid_tt_atomic_load_get_mask, NEREID_SHARED_READ, false,
     NULL, NULL},
    {NEREID_OP_TT_ATOMIC_POLL, nereid_tt_atomic_poll_get_ptr, NULL, NEREID_SHARED_READ, false, NULL, NULL},
    {NEREID_OP_TT_ATOMIC_STORE, nereid_tt_atomic_store_get_ptr, nereid_tt_atomic_store_get_mask, NEREID_SHARED_WRITE,
     false, NULL, NULL},
    {NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL, nereid_ttg_async_copy_global_to_local_get_src,
     nereid_ttg_async_copy_global_to_local_get_mask, NEREID_SHARED_READ, false, NULL, NULL},
    {NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL, nereid_ttng_async_tma_copy_global_to_local_get_desc, NULL,
     NEREID_SHARED_READ, true, TILE_OF(nereid_ttng_async_tma_copy_global_to_local)},
    {NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL, nereid_ttng_async_tma_copy_local_to_global_get_desc, NULL,
     NEREID_SHARED_WRITE, true, TILE_OF(nereid_ttng_async_tma_copy_local_to_global)},
    {NEREID_OP_TTNG_ASYNC_TMA_REDUCE, nereid_ttng_async_tma_reduce_get_desc, NULL, NEREID_GLOBAL_ATOMIC, true,
     TILE_OF(nereid_ttng_async_tma_reduce)},
    {NEREID_OP_TTNG_ASYNC_TMA_GATHER, nereid_ttng_async_tma_gather_get_desc, NULL, NEREID_SHARED_READ, true, NULL,
     NULL},
    {NEREID_OP_TTNG_ASYNC_TMA_SCATTER, nereid_ttng_async_tma_scatter_get_desc, NULL, NEREID_SHARED_WRITE, true, NULL,
     NULL},
};

static const global_row_t *row_of(nereid_op_kind_t kind) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].op == kind)
      return &rows[i];
  return NULL;
}

/* Impure inline assembly may access memory through its pointers in any way. */
static bool may_access(nereid_op_kind_t kind, MlirOperation op) {
  return (kind == NEREID_OP_TT_ELEMENTWISE_INLINE_ASM && !nereid_tt_elementwise_inline_asm_get_pure(op)) ||
         (kind == NEREID_OP_TTG_INLINE_ASM && !nereid_ttg_inline_asm_get_pure(op)) ||
         (kind == NEREID_OP_TT_EXTERN_ELEMENTWISE && !nereid_tt_extern_elementwise_get_pure(op));
}

/* The number of the atomics with which `op` commutes: those of one commutative operation without used results. The
 * numbers of TMA reductions follow those of atomics. */
static uint8_t commutes_with(nereid_op_kind_t kind, MlirOperation op) {
  enum { AFTER_ATOMICS = 64 };
  if (kind == NEREID_OP_TTNG_ASYNC_TMA_REDUCE)
    return (uint8_t)(AFTER_ATOMICS + nereid_ttng_async_tma_reduce_get_kind(op));
  if (kind != NEREID_OP_TT_ATOMIC_RMW || !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, 0))))
    return 0;
  const nereid_tt_rmw_op_t rmw = nereid_tt_atomic_rmw_get_atomic_rmw_op(op);
  return rmw == NEREID_TT_RMW_OP_XCHG || rmw == NEREID_TT_RMW_OP_INC || rmw == NEREID_TT_RMW_OP_DEC
             ? 0
             : (uint8_t)(rmw + 1);
}

/* --- relevant roots --- */

typedef struct usage {
  uint32_t accesses, writes;
  bool loops; /* a write is in a loop */
} usage_t;

static bool is_scratch(const nereid_membar_global_t *global, uint32_t root) {
  return root > global->roots.n_arguments;
}

/* By rank of nodes: the number of enclosing loops. Loops are contiguous in reverse post order. */
static int32_t *find_loops(const nereid_membar_global_t *global) {
  const nereid_flow_graph_t *graph = global->graph;
  int32_t *depths = nereid_arena_new(global->arena, int32_t, graph->nodes.size + 1);
  for (size_t i = 0; depths && i < graph->edges.size; ++i) {
    const nereid_flow_edge_t *edge = &graph->edges.data[i];
    const uint32_t from = graph->nodes.data[edge->from].rank, to = graph->nodes.data[edge->to].rank;
    if (!edge->is_back || from == NEREID_FLOW_NONE || to == NEREID_FLOW_NONE)
      continue;
    ++depths[to];
    --depths[from + 1];
  }
  for (size_t i = 1; depths && i <= graph->nodes.size; ++i)
    depths[i] += depths[i - 1];
  return depths;
}

static void count(nereid_membar_global_t *global, MlirValue pointer, bool writes, bool loops, usage_t *usages) {
  const nereid_root_set_t set = nereid_roots_of(&global->roots, pointer);
  for (uint32_t i = 0; i < set.count; ++i) {
    usage_t *usage = &usages[is_scratch(global, set.roots[i]) ? global->roots.n_arguments + 1 : set.roots[i]];
    ++usage->accesses;
    usage->writes += writes;
    usage->loops |= writes && loops;
  }
}

static bool count_all(nereid_membar_global_t *global, usage_t *usages) {
  const nereid_flow_graph_t *graph = global->graph;
  int32_t *depths = find_loops(global);
  for (uint32_t i = 0; depths && i < graph->ops.size; ++i) {
    MlirOperation op = graph->ops.data[i];
    const nereid_op_kind_t kind = nereid_op_kind(op);
    const global_row_t *row = row_of(kind);
    const uint32_t rank = graph->nodes.data[graph->nodes_of_ops[i]].rank;
    const bool loops = rank != NEREID_FLOW_NONE && depths[rank] > 0;
    global->bulk |= row && row->bulk;
    if (row && nereid_is_global_pointer(row->pointer(op)))
      count(global, row->pointer(op), row->kind != NEREID_SHARED_READ, loops, usages);
    for (intptr_t k = 0; !row && may_access(kind, op) && k < mlirOperationGetNumOperands(op); ++k)
      if (nereid_is_global_pointer(mlirOperationGetOperand(op, k)))
        count(global, mlirOperationGetOperand(op, k), true, loops, usages);
  }
  return depths != NULL;
}

static bool matters(const usage_t *usage) {
  return usage->writes && (usage->accesses > 1 || usage->loops);
}

/* An access to unknown memory affects all arguments. */
static void choose_roots(nereid_membar_global_t *global, const usage_t *usages, bool calls) {
  const uint32_t n = global->roots.n_arguments + 2;
  usage_t all = {0};
  for (uint32_t i = 0; i < n; ++i) {
    all.accesses += usages[i].accesses;
    all.writes += usages[i].writes;
    all.loops |= usages[i].loops;
  }
  const bool unknown = usages[NEREID_ROOT_UNKNOWN].accesses > 0 && matters(&all);
  for (uint32_t i = 0; i < n; ++i) {
    global->tracked[i] = calls || unknown || matters(&usages[i]);
    global->enabled |= global->tracked[i];
  }
}

bool nereid_membar_global_initialize(nereid_membar_global_t *global, const nereid_axis_result_t *axis, bool calls) {
  const size_t n = global->roots.n_arguments + 2;
  usage_t *usages = nereid_arena_new(global->arena, usage_t, n);
  global->tracked = nereid_arena_new(global->arena, bool, n);
  if (!usages || !global->tracked || !count_all(global, usages))
    return false;
  choose_roots(global, usages, calls);
  nereid_map_initialize(&global->owners[0], global->arena);
  nereid_map_initialize(&global->owners[1], global->arena);
  nereid_map_initialize(&global->addresses, global->arena);
  nereid_map_initialize(&global->tiles, global->arena);
  return !global->enabled ||
         nereid_forms_initialize(&global->forms, global->graph, axis, global->shared, global->arena);
}

/* --- shapes --- */

static const nereid_address_owners_t *owners_of(nereid_membar_global_t *global, MlirType type, bool loads) {
  uintptr_t *place = nereid_map_insert(&global->owners[!loads], type.ptr);
  if (place && !*place)
    *place = (uintptr_t)nereid_address_owners(type, loads, global->warps, global->arena);
  return place ? (const nereid_address_owners_t *)*place : NULL;
}

typedef struct known_address {
  nereid_address_t address;
  struct known_address *next; /* next address with the same form */
} known_address_t;

static const nereid_access_shape_t *shape_of(nereid_membar_global_t *global, nereid_address_t address) {
  uintptr_t *place = nereid_map_insert(&global->addresses, address.form);
  if (!place)
    return NULL;
  known_address_t *known = (known_address_t *)*place;
  for (; known; known = known->next)
    if (known->address.owners == address.owners && known->address.bytes == address.bytes &&
        known->address.masked == address.masked && known->address.writes == address.writes)
      return nereid_access_shapes_get(global->shapes, (nereid_access_shape_t){.address = &known->address});
  known = nereid_arena_new(global->arena, known_address_t, 1);
  if (!known)
    return NULL;
  *known = (known_address_t){address, (known_address_t *)*place};
  *place = (uintptr_t)known;
  return nereid_access_shapes_get(global->shapes, (nereid_access_shape_t){.address = &known->address});
}

/* The shape of `tile`, one object for equal tiles; null: any byte, by the first thread. */
static const nereid_access_shape_t *shape_of_tile(nereid_membar_global_t *global, const nereid_tile_t *tile) {
  nereid_access_shape_t shape = {.single = true};
  if (!tile || nereid_tile_is_anywhere(tile))
    return nereid_access_shapes_get(global->shapes, shape);
  const void *key = tile->intervals[0].form ? (const void *)tile->intervals[0].form : tile->descriptor.ptr;
  uintptr_t *place = nereid_map_insert(&global->tiles, key);
  for (shape.tile = place ? (const nereid_tile_t *)*place : NULL; shape.tile; shape.tile = shape.tile->next)
    if (nereid_tiles_are_equal(shape.tile, tile))
      return nereid_access_shapes_get(global->shapes, shape);
  nereid_tile_t *made = place ? nereid_arena_new(global->arena, nereid_tile_t, 1) : NULL;
  if (!made)
    return NULL;
  *made = *tile;
  made->next = (const nereid_tile_t *)*place;
  *place = (uintptr_t)made;
  shape.tile = made;
  return nereid_access_shapes_get(global->shapes, shape);
}

/* Tiles of a descriptor of the kernel are compared: another one may be of another tensor in each iteration. */
static const nereid_access_shape_t *shape_of_copy(nereid_membar_global_t *global, const global_row_t *row,
                                                  MlirOperation op) {
  MlirValue descriptor = row->pointer(op);
  MlirType block = nereid_ttng_descriptor_block(mlirValueGetType(descriptor));
  nereid_tile_t tile = {.descriptor = nereid_descriptor_of_kernel(&global->roots, descriptor)};
  tile.rank = row->coordinate ? row->n_coordinates(op) : 0;
  if (!global->by_layout || mlirValueIsNull(tile.descriptor) || tile.rank != mlirShapedTypeGetRank(block))
    return shape_of_tile(global, NULL);
  for (intptr_t d = 0; d < tile.rank; ++d)
    nereid_tile_set(&tile, d, &global->forms, nereid_forms_get(&global->forms, row->coordinate(op, d)),
                    mlirShapedTypeGetDimSize(block, d));
  return shape_of_tile(global, &tile);
}

static const nereid_access_shape_t *cross_tile(nereid_membar_global_t *global, const nereid_access_shape_t *shape,
                                               const nereid_flow_edge_t *edge) {
  nereid_tile_t tile = *shape->tile;
  for (intptr_t d = 0; d < tile.rank; ++d)
    if (tile.intervals[d].form)
      tile.intervals[d].form = nereid_forms_cross(&global->forms, tile.intervals[d].form, edge);
  return nereid_tiles_are_equal(&tile, shape->tile) ? shape : shape_of_tile(global, &tile);
}

const nereid_access_shape_t *nereid_membar_global_cross(nereid_membar_global_t *global,
                                                        const nereid_access_shape_t *shape,
                                                        const nereid_flow_edge_t *edge) {
  if (shape->tile)
    return cross_tile(global, shape, edge);
  nereid_address_t address = *shape->address;
  address.form = nereid_forms_cross(&global->forms, address.form, edge);
  if (address.form == shape->address->form)
    return shape;
  return address.form ? shape_of(global, address) : NULL;
}

static const nereid_access_shape_t *shape_through(nereid_membar_global_t *global, MlirValue pointer, bool masked,
                                                  uint8_t kind) {
  MlirType type = mlirValueGetType(pointer);
  MlirType element = mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetElementType(type) : type;
  const nereid_address_owners_t *owners = owners_of(global, type, kind == NEREID_SHARED_READ);
  const nereid_form_t *form = global->by_layout ? nereid_forms_get(&global->forms, pointer) : NULL;
  if (!owners || !form)
    return NULL;
  return shape_of(global,
                  (nereid_address_t){
                      .forms = &global->forms,
                      .form = form,
                      .owners = owners,
                      .bytes = (uint32_t)nereid_scratch_element_bytes(nereid_tt_ptr_type_get_pointee_type(element)),
                      .masked = masked,
                      .writes = kind == NEREID_SHARED_WRITE,
                  });
}

/* --- accesses --- */

void nereid_membar_global_range(const nereid_membar_global_t *global, uint32_t root, nereid_shared_access_t *access) {
  const uint32_t spaces = root == NEREID_ROOT_UNKNOWN ? global->roots.n_arguments + 1 : 1;
  access->first = NEREID_SHARED_SPACE(NEREID_GLOBAL_SPACE + root);
  access->end = NEREID_SHARED_SPACE(NEREID_GLOBAL_SPACE + root + spaces);
}

static void add(nereid_membar_global_t *global, MlirValue pointer, nereid_shared_access_t access,
                nereid_shared_accesses_t *out) {
  const nereid_root_set_t set = nereid_roots_of(&global->roots, pointer);
  for (uint32_t i = 0; i < set.count; ++i) {
    const uint32_t root = set.roots[i];
    if (!global->tracked[is_scratch(global, root) ? global->roots.n_arguments + 1 : root])
      continue;
    nereid_membar_global_range(global, root, &access);
    nereid_vector_push(global->arena, out, access);
  }
}

void nereid_membar_global_add(nereid_membar_global_t *global, MlirOperation op, nereid_shared_accesses_t *out) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  const global_row_t *row = row_of(kind);
  nereid_shared_access_t access = {.op = op};
  if (row && nereid_is_global_pointer(row->pointer(op))) {
    MlirValue pointer = row->pointer(op), mask = row->mask ? row->mask(op) : (MlirValue){NULL};
    access.kind = row->kind;
    access.async_proxy = row->bulk;
    access.commutes = row->kind == NEREID_GLOBAL_ATOMIC ? commutes_with(kind, op) : 0;
    access.shape =
        row->bulk ? shape_of_copy(global, row, op) : shape_through(global, pointer, !mlirValueIsNull(mask), row->kind);
    add(global, pointer, access, out);
    return;
  }
  access.kind = NEREID_SHARED_WRITE;
  for (intptr_t k = 0; may_access(kind, op) && k < mlirOperationGetNumOperands(op); ++k)
    if (nereid_is_global_pointer(mlirOperationGetOperand(op, k)))
      add(global, mlirOperationGetOperand(op, k), access, out);
}

/* --- calls --- */

static void bind_root(nereid_membar_global_t *caller, uint32_t root, nereid_shared_access_t access,
                      nereid_access_set_t *out) {
  nereid_membar_global_range(caller, root, &access);
  nereid_access_set_add(caller->arena, out, access);
}

void nereid_membar_global_bind(nereid_membar_global_t *caller, MlirOperation call, const nereid_membar_global_t *callee,
                               nereid_shared_access_t access, nereid_access_set_t *out) {
  const uint32_t root = (uint32_t)((access.first - NEREID_SHARED_SPACE(NEREID_GLOBAL_SPACE)) / NEREID_SHARED_SPACE(1));
  access.shape = NULL;
  if (root == NEREID_ROOT_UNKNOWN)
    bind_root(caller, NEREID_ROOT_UNKNOWN, access, out);
  for (uint32_t i = 0; root != NEREID_ROOT_UNKNOWN && i < callee->roots.n_arguments; ++i) {
    MlirValue value = mlirOperationGetOperand(call, (intptr_t)i);
    if (callee->shared[i] != root || !nereid_is_global_pointer(value))
      continue;
    const nereid_root_set_t set = nereid_roots_of(&caller->roots, value);
    for (uint32_t k = 0; k < set.count; ++k)
      bind_root(caller, set.roots[k], access, out);
  }
}
