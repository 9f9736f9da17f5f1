/* Second layouts of carried values; see carried_layouts.h.
 *
 * An op with another number of results is another op: its regions move into the new one, so that blocks, their
 * arguments and the ops in them stay the same. */
#include "passes/layout/support/carried_layouts.h"

#include "dialects/ttg/tensor_types.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"
#include "seam/effects.h"
#include "seam/ir.h"

typedef NEREID_VECTOR(MlirValue) values_t;
typedef NEREID_VECTOR(MlirType) types_t;

static MlirBlock block_of(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

static bool is_loop(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_SCF_FOR;
}

/* --- replacement --- */

/* Inserts a copy of `op` with these operands and results before it and moves the regions into the copy. */
static MlirOperation respecify(MlirOperation op, const values_t *operands, const types_t *types) {
  MlirOperationState state =
      mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(op)), mlirOperationGetLocation(op));
  mlirOperationStateAddOperands(&state, (intptr_t)operands->size, operands->data);
  mlirOperationStateAddResults(&state, (intptr_t)types->size, types->data);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirRegion region = mlirRegionCreate();
    mlirRegionTakeBody(region, mlirOperationGetRegion(op, i));
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
  }
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, made);
  return made;
}

/* Collects the operands and the types of the results of `op`. */
static bool collect_values(MlirOperation op, nereid_arena_t *arena, values_t *operands, types_t *types) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!nereid_vector_push(arena, operands, mlirOperationGetOperand(op, i)))
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!nereid_vector_push(arena, types, mlirValueGetType(mlirOperationGetResult(op, i))))
      return false;
  return true;
}

static void rename_values(nereid_layout_requests_t *requests, MlirValue old, MlirValue made) {
  for (size_t i = 0; i < requests->size; ++i)
    if (mlirValueEqual(requests->data[i].value, old))
      requests->data[i].value = made;
}

/* --- second slots --- */

/* Appends the original value of the slot in place of the second, until nereid_carried_layouts_connect. */
static void extend_yields(MlirOperation op, intptr_t slot) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
    MlirOperation yield = mlirBlockGetTerminator(block_of(op, r));
    MlirValue value = mlirOperationGetOperand(yield, slot);
    nereidMlirOperationInsertOperands(yield, mlirOperationGetNumOperands(yield), 1, &value);
  }
}

static bool add_versions(nereid_carried_layouts_t *carried, MlirOperation made, nereid_carried_slot_t slot) {
  nereid_layout_request_t result = {mlirOperationGetResult(made, slot.original), slot.encoding};
  if (!nereid_layout_versions_add(carried->versions, result, mlirOperationGetResult(made, slot.second)))
    return false;
  if (!is_loop(made))
    return true;
  MlirValue original = mlirBlockGetArgument(slot.block, slot.original + 1);
  MlirValue second = mlirBlockAddArgument(slot.block, mlirValueGetType(mlirOperationGetResult(made, slot.second)),
                                          mlirValueGetLocation(original));
  return nereid_layout_versions_add(carried->versions, (nereid_layout_request_t){original, slot.encoding}, second);
}

/* Adds a slot to `op` for the value of slot `original` in `encoding`. */
static bool extend(nereid_carried_layouts_t *carried, MlirOperation op, intptr_t original, MlirAttribute encoding,
                   nereid_layout_requests_t *recomputed, nereid_layout_requests_t *converted) {
  nereid_arena_t *arena = carried->versions->arena;
  const nereid_carried_slot_t slot = {block_of(op, 0), original, mlirOperationGetNumResults(op), encoding};
  values_t operands = {0};
  types_t types = {0};
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, original));
  if (!collect_values(op, arena, &operands, &types) ||
      !nereid_vector_push(arena, &types, nereid_ttg_with_encoding(type, encoding)) ||
      !nereid_vector_push(arena, &carried->open, slot) || !nereid_vector_push(arena, &carried->replaced, op))
    return false;
  if (is_loop(op) && !nereid_vector_push(arena, &operands, nereid_loop_initial(op, original)))
    return false;
  MlirOperation made = respecify(op, &operands, &types);
  for (intptr_t i = 0; i < slot.second; ++i) {
    MlirValue old = mlirOperationGetResult(op, i), now = mlirOperationGetResult(made, i);
    mlirValueReplaceAllUsesOfWith(old, now);
    if (!nereid_layout_versions_rename(carried->versions, old, now))
      return false;
    rename_values(recomputed, old, now);
    rename_values(converted, old, now);
  }
  mlirOperationRemoveFromParent(op);
  mlirOperationSetOperands(op, 0, NULL);
  extend_yields(made, original);
  return add_versions(carried, made, slot);
}

bool nereid_carried_layouts_extend(nereid_carried_layouts_t *carried, nereid_layout_requests_t *recomputed,
                                   nereid_layout_requests_t *converted) {
  for (size_t i = 0; i < recomputed->size; ++i) {
    const nereid_layout_request_t request = recomputed->data[i];
    const nereid_layout_producer_t producer = nereid_layout_producer_of(request.value);
    if (producer.flow != NEREID_LAYOUT_FLOW_CARRIED || nereid_layout_versions_find(carried->versions, request))
      continue;
    const intptr_t slot = mlirValueIsAOpResult(request.value) ? mlirOpResultGetResultNumber(request.value)
                                                              : mlirBlockArgumentGetArgNumber(request.value) - 1;
    if (!extend(carried, producer.op, slot, request.encoding, recomputed, converted))
      return false;
  }
  return true;
}

/* Sets operand `second` of `op` to the version of operand `original`. */
static void connect(nereid_carried_layouts_t *carried, MlirOperation op, intptr_t original, intptr_t second,
                    MlirAttribute encoding) {
  nereid_layout_request_t source = {mlirOperationGetOperand(op, original), encoding};
  mlirOperationSetOperand(op, second, nereid_layout_versions_lookup(carried->versions, source));
}

void nereid_carried_layouts_connect(nereid_carried_layouts_t *carried) {
  for (size_t i = 0; i < carried->open.size; ++i) {
    const nereid_carried_slot_t slot = carried->open.data[i];
    MlirOperation op = mlirBlockGetParentOperation(slot.block);
    if (is_loop(op))
      connect(carried, op, NEREID_LOOP_BOUNDS + slot.original, NEREID_LOOP_BOUNDS + slot.second, slot.encoding);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
      connect(carried, mlirBlockGetTerminator(block_of(op, r)), slot.original, slot.second, slot.encoding);
  }
  carried->open.size = 0;
}

void nereid_carried_layouts_finish(nereid_carried_layouts_t *carried) {
  for (size_t i = 0; i < carried->replaced.size; ++i)
    mlirOperationDestroy(carried->replaced.data[i]);
  carried->replaced.size = 0;
}

/* --- unused slots --- */

enum { MAX_VISITED = 1024 };

typedef struct walk {
  nereid_arena_t *arena;
  nereid_map_t seen;
  values_t pending;
} walk_t;

static void reach(walk_t *walk, MlirValue value) {
  uintptr_t *place = nereid_map_insert(&walk->seen, value.ptr);
  if (place && !*place && nereid_vector_push(walk->arena, &walk->pending, value))
    *place = 1;
}

/* Reaches the values that `use` affects; false when it has an effect, or when it is operand `i` of `yield` and slot `i`
 * is used. */
static bool reach_use(walk_t *walk, MlirOpOperand use, MlirOperation yield, const bool *used) {
  MlirOperation user = mlirOpOperandGetOwner(use), parent = mlirOperationGetParentOperation(user);
  const intptr_t i = mlirOpOperandGetOperandNumber(use);
  if (mlirOperationEqual(user, yield))
    return !used[i];
  if (is_loop(user) && i >= NEREID_LOOP_BOUNDS) {
    reach(walk, mlirOperationGetResult(user, i - NEREID_LOOP_BOUNDS));
    reach(walk, nereid_loop_argument(user, i - NEREID_LOOP_BOUNDS));
    return true;
  }
  if (nereid_op_kind(user) == NEREID_OP_SCF_YIELD && (is_loop(parent) || nereid_op_kind(parent) == NEREID_OP_SCF_IF)) {
    reach(walk, mlirOperationGetResult(parent, i));
    if (is_loop(parent))
      reach(walk, mlirBlockGetArgument(block_of(parent, 0), i + 1));
    return true;
  }
  if (mlirOperationGetNumRegions(user) || !nereidMlirOperationIsMemoryEffectFree(user))
    return false;
  for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r)
    reach(walk, mlirOperationGetResult(user, r));
  return true;
}

/* Whether the iter_arg of `slot` only affects slots that are not used. */
static bool is_unused(MlirOperation loop, intptr_t slot, const bool *used, nereid_arena_t *arena) {
  walk_t walk = {.arena = arena};
  nereid_map_initialize(&walk.seen, arena);
  MlirOperation yield = mlirBlockGetTerminator(block_of(loop, 0));
  reach(&walk, mlirBlockGetArgument(block_of(loop, 0), slot + 1));
  for (size_t v = 0; v < walk.pending.size; ++v) {
    MlirOpOperand use = mlirValueGetFirstUse(walk.pending.data[v]);
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      if (v == MAX_VISITED || !reach_use(&walk, use, yield, used))
        return false;
  }
  return !arena->failed;
}

/* Finds the used slots of a loop: a slot is used when its result is, or when it affects a used slot or memory. Returns
 * the number of unused ones. */
static int64_t find_used(MlirOperation loop, bool *used, nereid_arena_t *arena) {
  const intptr_t n = mlirOperationGetNumResults(loop);
  int64_t unused = 0;
  for (intptr_t i = 0; i < n; ++i) {
    used[i] = !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(loop, i)));
    unused += !used[i];
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (intptr_t i = 0; i < n; ++i) {
      if (used[i] || is_unused(loop, i, used, arena))
        continue;
      used[i] = changed = true;
      --unused;
    }
  }
  return unused;
}

/* Replaces `op` by one with the used results only. Unused iter_args get their initial value: any value will do. */
static bool drop_unused(MlirOperation op, const bool *used, nereid_arena_t *arena) {
  values_t operands = {0};
  types_t types = {0};
  const intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if ((!is_loop(op) || i < NEREID_LOOP_BOUNDS || used[i - NEREID_LOOP_BOUNDS]) &&
        !nereid_vector_push(arena, &operands, mlirOperationGetOperand(op, i)))
      return false;
  for (intptr_t i = 0; i < n; ++i)
    if (used[i] && !nereid_vector_push(arena, &types, mlirValueGetType(mlirOperationGetResult(op, i))))
      return false;
  for (intptr_t i = n; i-- > 0;) {
    if (used[i])
      continue;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
      nereidMlirOperationEraseOperand(mlirBlockGetTerminator(block_of(op, r)), i);
    if (!is_loop(op))
      continue;
    mlirValueReplaceAllUsesOfWith(nereid_loop_argument(op, i), nereid_loop_initial(op, i));
    mlirBlockEraseArgument(block_of(op, 0), (unsigned)(i + 1));
  }
  MlirOperation made = respecify(op, &operands, &types);
  for (intptr_t i = 0, to = 0; i < n; ++i)
    if (used[i])
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), mlirOperationGetResult(made, to++));
  nereidMlirOperationErase(op);
  return true;
}

static bool has_slots(MlirOperation op) {
  return (is_loop(op) || nereid_op_kind(op) == NEREID_OP_SCF_IF) && mlirOperationGetNumResults(op) > 0;
}

int64_t nereid_carried_layouts_prune(MlirOperation root, nereid_arena_t *arena) {
  nereid_operations_t ops = {0};
  int64_t count = 0;
  (void)nereid_collect(root, has_slots, arena, &ops);
  for (size_t i = 0; i < ops.size && !arena->failed; ++i) {
    const intptr_t n = mlirOperationGetNumResults(ops.data[i]);
    bool *used = nereid_arena_new(arena, bool, (size_t)n);
    int64_t unused = 0;
    if (used && is_loop(ops.data[i]))
      unused = find_used(ops.data[i], used, arena);
    for (intptr_t r = 0; used && !is_loop(ops.data[i]) && r < n; ++r) {
      used[r] = !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(ops.data[i], r)));
      unused += !used[r];
    }
    if (unused && !drop_unused(ops.data[i], used, arena))
      break;
    count += unused;
  }
  return arena->failed ? -1 : count;
}
