/* Places fences after the writes, in the writing threads and before they signal other threads.
 *
 *   local_store %x, %a                     local_store %x, %a
 *   local_load %c           (barrier)      fence_async_shared
 *   warp_group_dot %a, ...           ->    local_load %c            (barrier: orders the store too)
 *                                          warp_group_dot %a, ...
 *
 * A fence is placed directly after the last write in the same run of ops, if there is one. Otherwise it is placed
 * before the op that needs it, hoisted out of the loops around that op which do not write the bytes that it accesses.
 */
#include "analysis/membar/fence_place.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"

/* Whether `event` performs generic writes that may overlap the accesses of `need`. */
static bool writes_for(const nereid_membar_function_t *function, const nereid_membar_event_t *event,
                       const nereid_membar_event_t *need) {
  const nereid_shared_access_t *accesses = function->effects.accesses.data;
  if (event->flags & (NEREID_EVENT_CALL | NEREID_EVENT_WAITS) || need->flags & NEREID_EVENT_CALL)
    return !(event->flags & NEREID_EVENT_WAITS) || event->group == NEREID_ASYNC_COPIES;
  if (nereid_op_kind(event->op) == NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL) /* it writes at its wait */
    return false;
  for (uint32_t i = 0; i < event->n; ++i)
    for (uint32_t k = 0; k < need->n; ++k) {
      const nereid_shared_access_t *write = &accesses[event->first + i], *access = &accesses[need->first + k];
      if (nereid_access_needs_fence(write) && access->async_proxy && write->first < access->end &&
          access->first < write->end)
        return true;
    }
  return false;
}

static bool is_loop(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return kind == NEREID_OP_SCF_FOR || kind == NEREID_OP_SCF_WHILE;
}

static bool is_inside(MlirOperation op, MlirOperation outer) {
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, outer))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

static bool is_written_in(const nereid_membar_function_t *function, MlirOperation loop,
                          const nereid_membar_event_t *need) {
  for (size_t i = 0; i < function->effects.events.size; ++i) {
    const nereid_membar_event_t *event = &function->effects.events.data[i];
    if (is_inside(event->op, loop) && writes_for(function, event, need))
      return true;
  }
  return false;
}

/* The op before which to place the fence when the run of ops before `need` has no such writes. */
static MlirOperation hoist(const nereid_membar_function_t *function, const nereid_membar_event_t *need) {
  MlirOperation place = need->op;
  for (MlirOperation parent = mlirOperationGetParentOperation(place);
       !mlirOperationEqual(parent, function->graph.function); parent = mlirOperationGetParentOperation(parent)) {
    if (!is_loop(parent) || is_written_in(function, parent, need))
      break;
    place = parent;
  }
  return place;
}

static MlirOperation place_of(const nereid_membar_function_t *function, size_t number) {
  const nereid_membar_event_t *events = function->effects.events.data, *need = &events[number];
  const nereid_flow_graph_t *graph = &function->graph;
  const uint32_t node = graph->nodes_of_ops[need->position];
  for (size_t i = number; i > 0 && graph->nodes_of_ops[events[i - 1].position] == node; --i)
    if (writes_for(function, &events[i - 1], need))
      return mlirOperationGetNextInBlock(events[i - 1].op);
  return hoist(function, need);
}

void nereid_fence_place(const nereid_membar_function_t *function) {
  for (size_t i = 0; i < function->effects.events.size; ++i) {
    if (!function->needs[i])
      continue;
    MlirOperation place = place_of(function, i);
    nereid_builder_t builder = nereid_builder_before(place);
    builder.location = mlirOperationGetLocation(function->effects.events.data[i].op);
    nereid_ttng_fence_async_shared_build(&builder, false, false);
  }
}
