/* Pending accesses and barriers; see membar.h.
 *
 * A block starts with what is pending at the ends of its predecessors. Barriers that were found stay, pending sets at
 * the starts of blocks only grow, so the iteration ends.
 *
 * What an asynchronous copy writes is there for its own thread after the wait for it and for the others after a barrier
 * behind that wait: a wait makes all copies of the function pending again. A call accesses its callee's frame. An op
 * with a buffer among its operands that is not known here may read and write it. */
#include "analysis/membar.h"

#include "analysis/allocation.h"
#include "analysis/scratch.h"
#include "analysis/shared_alias.h"
#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"

/* Bytes [first, end) of the frame. */
typedef struct access {
  int64_t first, end;
  bool writes;
} access_t;

typedef NEREID_VECTOR(access_t) accesses_t;

typedef struct block_state {
  MlirBlock block;
  accesses_t start;
  bool dirty; /* `start` has grown since the block was last gone through */
} block_state_t;

typedef struct membar {
  nereid_arena_t *arena;
  MlirOperation function;
  nereid_shared_alias_t alias;
  accesses_t *buffers;   /* by class: where its buffers lie */
  accesses_t copies;     /* of all asynchronous copies */
  nereid_map_t barriers; /* op -> 1: one goes in front of it */
  NEREID_VECTOR(block_state_t) blocks;
  nereid_map_t states; /* block -> its number + 1 */
} membar_t;

/* --- sets of accesses --- */

static bool conflicts(const accesses_t *pending, access_t access) {
  for (size_t i = 0; i < pending->size; ++i) {
    const access_t *other = &pending->data[i];
    if (access.first < other->end && other->first < access.end && (access.writes || other->writes))
      return true;
  }
  return false;
}

/* Whether `set` grew. */
static bool add(nereid_arena_t *arena, accesses_t *set, access_t access) {
  for (size_t i = 0; i < set->size; ++i)
    if (set->data[i].first <= access.first && set->data[i].end >= access.end && set->data[i].writes >= access.writes)
      return false;
  return nereid_vector_push(arena, set, access);
}

static bool add_all(nereid_arena_t *arena, accesses_t *set, const accesses_t *more) {
  bool grew = false;
  for (size_t i = 0; i < more->size; ++i)
    grew |= add(arena, set, more->data[i]);
  return grew;
}

/* --- what an op accesses --- */

static int64_t offset_of(MlirOperation op) {
  MlirAttribute offset = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("allocation.offset"));
  return mlirAttributeIsNull(offset) ? -1 : mlirIntegerAttrGetValueInt(offset);
}

static void append_buffer(membar_t *membar, MlirValue value, bool writes, accesses_t *out) {
  const accesses_t *buffers = &membar->buffers[nereid_shared_alias_class(&membar->alias, value)];
  for (size_t i = 0; i < buffers->size; ++i)
    add(membar->arena, out, (access_t){buffers->data[i].first, buffers->data[i].end, writes});
}

/* Its bytes are not in the op: all above its start may be its frame. */
static void append_call(membar_t *membar, MlirOperation op, accesses_t *out) {
  const int64_t offset = offset_of(op);
  if (offset >= 0)
    add(membar->arena, out, (access_t){offset, INT64_MAX, true});
}

static void append_scratch(membar_t *membar, MlirOperation op, accesses_t *out) {
  const int64_t offset = offset_of(op), bytes = nereid_scratch_bytes(op);
  if (offset >= 0 && bytes)
    add(membar->arena, out, (access_t){offset, offset + bytes, true});
}

static bool is_no_access(nereid_op_kind_t kind, MlirOperation op) {
  return kind == NEREID_OP_TTG_LOCAL_DEALLOC || kind == NEREID_OP_ARITH_SELECT || nereid_ttg_is_memdesc_view(op) ||
         mlirOperationGetNumSuccessors(op) > 0;
}

static void append_operands(membar_t *membar, nereid_op_kind_t kind, MlirOperation op, accesses_t *out) {
  for (intptr_t i = 0; !is_no_access(kind, op) && i < mlirOperationGetNumOperands(op); ++i)
    if (nereid_shared_alias_is_buffer(mlirOperationGetOperand(op, i)))
      append_buffer(membar, mlirOperationGetOperand(op, i), kind != NEREID_OP_TTG_LOCAL_LOAD, out);
}

static accesses_t accesses_of(membar_t *membar, MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  accesses_t accesses = {0};
  if (kind == NEREID_OP_TT_CALL)
    append_call(membar, op, &accesses);
  else if (kind == NEREID_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op))
    append_buffer(membar, mlirOperationGetResult(op, 0), true, &accesses);
  else
    append_scratch(membar, op, &accesses);
  append_operands(membar, kind, op, &accesses);
  return accesses;
}

/* --- blocks --- */

static bool needs_barrier(membar_t *membar, MlirOperation op, const accesses_t *pending, const accesses_t *accesses) {
  if (nereid_map_find(&membar->barriers, op.ptr))
    return true;
  for (size_t i = 0; i < accesses->size; ++i)
    if (conflicts(pending, accesses->data[i]))
      return true;
  return false;
}

static void visit_op(membar_t *membar, MlirOperation op, accesses_t *pending) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_GPU_BARRIER || kind == NEREID_OP_TTG_LOCAL_BARRIER) {
    pending->size = 0;
    return;
  }
  if (kind == NEREID_OP_TTG_ASYNC_WAIT) {
    add_all(membar->arena, pending, &membar->copies);
    return;
  }
  const accesses_t accesses = accesses_of(membar, op);
  if (!accesses.size)
    return;
  if (needs_barrier(membar, op, pending, &accesses)) {
    nereid_map_insert(&membar->barriers, op.ptr);
    pending->size = 0;
  }
  add_all(membar->arena, pending, &accesses);
}

static void visit_block(membar_t *membar, block_state_t *state) {
  accesses_t pending = {0};
  add_all(membar->arena, &pending, &state->start);
  state->dirty = false;
  MlirBlock block = state->block;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    visit_op(membar, op, &pending);
  MlirOperation last = mlirBlockGetTerminator(block);
  for (intptr_t s = 0; !mlirOperationIsNull(last) && s < mlirOperationGetNumSuccessors(last); ++s) {
    const uintptr_t *number = nereid_map_find(&membar->states, mlirOperationGetSuccessor(last, s).ptr);
    block_state_t *next = &membar->blocks.data[*number - 1];
    next->dirty |= add_all(membar->arena, &next->start, &pending);
  }
}

static bool collect_blocks(membar_t *membar) {
  for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(membar->function, 0)); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    uintptr_t *place = nereid_map_insert(&membar->states, block.ptr);
    if (!place || !nereid_vector_push(membar->arena, &membar->blocks, (block_state_t){.block = block, .dirty = true}))
      return false;
    *place = membar->blocks.size;
  }
  return true;
}

static MlirWalkResult collect_buffers(MlirOperation op, void *user_data) {
  membar_t *membar = user_data;
  if (nereid_op_kind(op) != NEREID_OP_TTG_LOCAL_ALLOC || offset_of(op) < 0)
    return MlirWalkResultAdvance;
  MlirValue result = mlirOperationGetResult(op, 0);
  const int64_t offset = offset_of(op), bytes = nereid_allocation_bytes(mlirValueGetType(result));
  add(membar->arena, &membar->buffers[nereid_shared_alias_class(&membar->alias, result)],
      (access_t){offset, offset + bytes, true});
  return MlirWalkResultAdvance;
}

static MlirWalkResult collect_copies(MlirOperation op, void *user_data) {
  membar_t *membar = user_data;
  if (nereid_op_kind(op) == NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL)
    append_buffer(membar, nereid_ttg_async_copy_global_to_local_get_result(op), true, &membar->copies);
  return MlirWalkResultAdvance;
}

static MlirWalkResult insert_barrier(MlirOperation op, void *user_data) {
  membar_t *membar = user_data;
  if (nereid_map_find(&membar->barriers, op.ptr)) {
    nereid_builder_t builder = nereid_builder_before(op);
    nereid_ttg_local_barrier_build(&builder);
  }
  return MlirWalkResultAdvance;
}

bool nereid_membar_run(MlirOperation function, nereid_arena_t *arena) {
  membar_t membar = {.arena = arena, .function = function};
  nereid_map_initialize(&membar.barriers, arena);
  nereid_map_initialize(&membar.states, arena);
  if (!nereid_shared_alias_run(function, arena, &membar.alias) || !collect_blocks(&membar))
    return false;
  membar.buffers = nereid_arena_new(arena, accesses_t, nereid_shared_alias_classes(&membar.alias));
  if (arena->failed)
    return false;
  mlirOperationWalk(function, collect_buffers, &membar, MlirWalkPreOrder);
  mlirOperationWalk(function, collect_copies, &membar, MlirWalkPreOrder);
  for (bool changed = true; changed && !arena->failed;) {
    changed = false;
    for (size_t i = 0; i < membar.blocks.size; ++i)
      if (membar.blocks.data[i].dirty) {
        visit_block(&membar, &membar.blocks.data[i]);
        changed = true;
      }
  }
  if (membar.barriers.size)
    mlirOperationWalk(function, insert_barrier, &membar, MlirWalkPreOrder);
  return !arena->failed;
}
