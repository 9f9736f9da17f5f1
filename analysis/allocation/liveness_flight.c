/* Keeps buffers of operations in flight live; see liveness_solver.h and flight.h.
 *
 *   tt.call @f(%b)        @f starts a copy into %b and one into a buffer of its own, and does not wait for them:
 *   ...                   %b and the frame of the call are live
 *   ttg.async_wait        until here, and in callers of this function when it ends before
 *
 * A function that may be called again may find its own operations in flight. */
#include "analysis/allocation/liveness_solver.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"

typedef nereid_liveness_solver_t solver_t;

static nereid_live_range_t times_of(const solver_t *solver, const nereid_flight_stretch_t *at) {
  const uint32_t start = solver->liveness->starts[at->node] - solver->graph->nodes.data[at->node].first;
  return (nereid_live_range_t){start + at->first, start + at->last};
}

static void add_flights_of(solver_t *solver, uint32_t buffer, nereid_flight_end_t *end, nereid_flight_kind_t kind,
                           uint8_t groups) {
  nereid_flight_end_t more = nereid_flight_nothing();
  more.groups[kind] = groups;
  nereid_flight_join(end, more);
  for (size_t s = 0; s < solver->flight.stretches.size; ++s)
    nereid_liveness_add_piece(solver, buffer, times_of(solver, &solver->flight.stretches.data[s]));
}

/* Adds the walk's stretches to the buffers that `value` may alias; `end` is the count at the function's end. */
static void add_flights(solver_t *solver, MlirValue value, nereid_flight_kind_t kind, uint8_t end) {
  const nereid_alias_set_t set = nereid_alias_of(solver->alias, value);
  for (uint32_t i = 0; i < set.count; ++i) {
    const uint32_t b = set.buffers[i];
    const intptr_t argument = nereid_liveness_is_argument(solver, b)
                                  ? mlirBlockArgumentGetArgNumber(solver->alias->buffers.data[b].value)
                                  : -1;
    add_flights_of(solver, b, argument < 0 ? &solver->liveness->end.own : &solver->liveness->end.arguments[argument],
                   kind, end);
  }
}

/* Waits for the mbarriers at which the walk ended complete its copies. */
static void announce_copies(solver_t *solver, MlirValue target) {
  for (size_t i = 0; i < solver->flight.arrivals.size; ++i) {
    MlirOperation arrival = solver->graph->ops.data[solver->flight.arrivals.data[i]];
    nereid_liveness_announce(solver, target, nereid_ttng_async_copy_mbarrier_arrive_get_barrier(arrival));
  }
}

/* Adds the last walk's stretches and arrivals to the buffers of `values`. */
static void add_walk(solver_t *solver, nereid_flight_kind_t kind, uint8_t end, intptr_t n, const MlirValue *values) {
  for (intptr_t i = 0; i < n; ++i) {
    add_flights(solver, values[i], kind, end);
    announce_copies(solver, values[i]);
  }
}

/* Adds the operations that the op at `position` starts, with `groups` committed since, in the buffers of `values`. */
static void fly_from(solver_t *solver, uint32_t position, nereid_flight_kind_t kind, uint8_t groups, intptr_t n,
                     const MlirValue *values) {
  solver->flight.ends_at_arrivals = true;
  const uint8_t end = nereid_flight_walk(&solver->flight, position, kind, groups);
  add_walk(solver, kind, end, n, values);
  if (solver->is_called && end != NEREID_FLIGHT_DONE) {
    nereid_flight_walk_again(&solver->flight, kind, end);
    add_walk(solver, kind, end, n, values);
  }
  solver->flight.ends_at_arrivals = false;
}

static void fly_op(solver_t *solver, MlirOperation op, uint32_t position) {
  enum { MAX_BUFFERS = 3 }; /* maximum number of buffers that one op accesses asynchronously */
  MlirValue buffers[MAX_BUFFERS];
  nereid_flight_kind_t kind;
  intptr_t n = 0;
  if (!nereid_flight_begins(op, &kind))
    return;
  for (intptr_t i = 0; n < MAX_BUFFERS && i < mlirOperationGetNumOperands(op); ++i)
    if (nereid_alias_is_buffer(mlirOperationGetOperand(op, i)))
      buffers[n++] = mlirOperationGetOperand(op, i);
  fly_from(solver, position, kind, nereid_flight_groups_at_begin(kind), n, buffers);
}

static const nereid_liveness_end_t *end_of_callee(const solver_t *solver, MlirOperation call) {
  MlirAttribute callee = nereidMlirCallGetCallee(call);
  if (!solver->ends || mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return NULL;
  MlirAttribute name = mlirStringAttrGet(mlirOperationGetContext(call), mlirFlatSymbolRefAttrGetValue(callee));
  const uintptr_t *place = nereid_map_find(solver->ends, name.ptr);
  return place ? (const nereid_liveness_end_t *)*place : NULL;
}

static void add_walked(solver_t *solver) {
  for (size_t s = 0; s < solver->flight.stretches.size; ++s)
    nereid_vector_push(solver->arena, &solver->ranges, times_of(solver, &solver->flight.stretches.data[s]));
}

/* The frame of a call whose callee leaves operations in flight stays live after the call. */
static void fly_frame(solver_t *solver, MlirOperation call, uint32_t position, const nereid_liveness_end_t *end) {
  bool outlives = false;
  solver->ranges.size = 0;
  for (int k = 0; k < NEREID_FLIGHT_KINDS; ++k) {
    const nereid_flight_kind_t kind = (nereid_flight_kind_t)k;
    if (end->own.groups[k] == NEREID_FLIGHT_DONE)
      continue;
    outlives = true;
    nereid_flight_end_t more = nereid_flight_nothing();
    more.groups[k] = nereid_flight_walk(&solver->flight, position, kind, end->own.groups[k]);
    nereid_flight_join(&solver->liveness->end.own, more);
    add_walked(solver);
    if (!solver->is_called || more.groups[k] == NEREID_FLIGHT_DONE)
      continue;
    nereid_flight_walk_again(&solver->flight, kind, more.groups[k]);
    add_walked(solver);
  }
  uintptr_t *place = outlives ? nereid_map_insert(&solver->liveness->calls, call.ptr) : NULL;
  nereid_live_t *live = place ? nereid_arena_new(solver->arena, nereid_live_t, 1) : NULL;
  if (!live)
    return;
  *place = (uintptr_t)live;
  nereid_liveness_make(solver, live);
}

static void fly_call(solver_t *solver, MlirOperation call, uint32_t position) {
  const nereid_liveness_end_t *end = end_of_callee(solver, call);
  if (!end)
    return;
  fly_frame(solver, call, position, end);
  intptr_t first, n;
  nereidMlirCallGetArguments(call, &first, &n);
  for (intptr_t i = 0; i < n && i < (intptr_t)end->n_arguments; ++i) {
    const MlirValue passed = mlirOperationGetOperand(call, first + i);
    for (int k = 0; k < NEREID_FLIGHT_KINDS; ++k)
      if (end->arguments[i].groups[k] != NEREID_FLIGHT_DONE)
        fly_from(solver, position, (nereid_flight_kind_t)k, end->arguments[i].groups[k], 1, &passed);
  }
}

void nereid_liveness_fly(nereid_liveness_solver_t *solver, MlirOperation op, uint32_t position) {
  if (nereid_op_kind(op) == NEREID_OP_TT_CALL)
    fly_call(solver, op, position);
  else
    fly_op(solver, op, position);
}
