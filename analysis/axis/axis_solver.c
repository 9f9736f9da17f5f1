/* Stores the facts of values and the operations to visit again when facts are lowered.
 *
 * A value is in one map, an operation without results in another. Both lead to the entry of the operation, so the uses
 * of a value lead to entries without a table of all operations. */
#include "analysis/axis/axis_solver.h"

/* The fact of a value, and the entry of its op. */
typedef struct place {
  nereid_axis_info_t fact; /* must be first: results are returned as pointers to it */
  uint32_t entry;          /* 1 + index of the defining op's entry; 0: an argument, or not visited yet */
  bool is_read;            /* a user was visited; until then no user needs another visit */
  bool is_examined;        /* is_loop_bound is computed */
  bool is_loop_bound;      /* nereid_axis_is_loop_bound */
} place_t;

/* The place of `value`, created with an unreached fact; null when out of memory. */
static place_t *place_of(nereid_axis_solver_t *s, MlirValue value) {
  uintptr_t *place = nereid_map_insert(s->infos, value.ptr);
  if (place && !*place) {
    place_t *made = nereid_arena_new(s->arena, place_t, 1);
    if (!made)
      return NULL;
    made->fact = nereid_axis_unknown(mlirValueGetType(value));
    made->fact.reached = false;
    *place = (uintptr_t)made;
  }
  return place ? (place_t *)*place : NULL;
}

const nereid_axis_info_t *nereid_axis_read(nereid_axis_solver_t *s, MlirValue value) {
  place_t *place = place_of(s, value);
  if (place)
    place->is_read = true;
  return place ? &place->fact : NULL;
}

/* 1 + the index of the entry of `op`; 0 when it was not visited yet or has no effect on facts. */
static size_t entry_of(const nereid_axis_solver_t *s, MlirOperation op) {
  const bool has_results = mlirOperationGetNumResults(op) > 0;
  const nereid_map_t *map = has_results ? s->infos : &s->ends;
  const uintptr_t *found = nereid_map_find(map, has_results ? mlirOperationGetResult(op, 0).ptr : op.ptr);
  return !found ? 0 : has_results ? ((const place_t *)*found)->entry : *found;
}

static void enqueue(nereid_axis_solver_t *s, MlirOperation op) {
  const size_t entry = entry_of(s, op);
  if (!entry || s->entries.data[entry - 1].waits)
    return;
  s->entries.data[entry - 1].waits = nereid_vector_push(s->arena, &s->again, (uint32_t)(entry - 1));
}

static MlirAttribute hint_of_op(const void *data, MlirStringRef name) {
  const MlirOperation *op = data;
  return mlirOperationGetDiscardableAttributeByName(*op, name);
}

static void raise_to_hints(nereid_axis_info_t *fact, MlirOperation op) {
  if (mlirOperationGetNumDiscardableAttributes(op) > 0)
    nereid_axis_raise(fact, hint_of_op, &op);
}

/* The bound of a loop is non-negative. The uses of a value are visited once. */
static void raise_to_bound(nereid_axis_info_t *fact, place_t *place, MlirValue value) {
  if (!fact->reached || fact->non_negative || fact->has_constant || fact->width == 0)
    return;
  if (!place->is_examined)
    place->is_loop_bound = nereid_axis_is_loop_bound(value);
  place->is_examined = true;
  fact->non_negative = place->is_loop_bound;
}

void nereid_axis_lower(nereid_axis_solver_t *s, MlirValue value, const nereid_axis_info_t *fact) {
  place_t *known = place_of(s, value);
  nereid_axis_info_t raised = *fact;
  if (mlirValueIsAOpResult(value))
    raise_to_hints(&raised, mlirOpResultGetOwner(value));
  if (known)
    raise_to_bound(&raised, known, value);
  if (!known || !nereid_axis_meet(&known->fact, &raised) || !known->is_read)
    return;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    enqueue(s, mlirOpOperandGetOwner(use));
}

void nereid_axis_lower_to_unknown(nereid_axis_solver_t *s, MlirValue value) {
  nereid_axis_info_t unknown = nereid_axis_unknown(mlirValueGetType(value));
  nereid_axis_lower(s, value, &unknown);
}

bool nereid_axis_enter(nereid_axis_solver_t *s, const nereid_axis_entry_t *entry) {
  const intptr_t n = mlirOperationGetNumResults(entry->op);
  if (!nereid_vector_push(s->arena, &s->entries, *entry))
    return false;
  const uint32_t number = (uint32_t)s->entries.size;
  for (intptr_t i = 0; i < n; i++) {
    place_t *place = place_of(s, mlirOperationGetResult(entry->op, i));
    if (place)
      place->entry = number;
  }
  uintptr_t *end = n == 0 ? nereid_map_insert(&s->ends, entry->op.ptr) : NULL;
  if (end)
    *end = number;
  return true;
}
