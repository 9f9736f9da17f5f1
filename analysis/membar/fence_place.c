/* Places fences after the writes, in the writing threads and before they signal other threads.
 *
 *   local_store %x, %a                     local_store %x, %a
 *   local_load %c           (barrier)      fence_async_shared
 *   warp_group_dot %a, ...           ->    local_load %c            (barrier: orders the store too)
 *                                          warp_group_dot %a, ...
 *
 * A fence is placed directly after the last write, if that is on all paths to the op that needs it: a barrier that is
 * there anyway then often orders both. After the captures of ttg.warp_specialize, that is the start of its default
 * region. Otherwise it is placed before the op that needs it, hoisted out of the loops around that op which do not
 * write the bytes that it accesses.
 */
#include "analysis/membar/fence_place.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"

#include <string.h>

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

/* The op before which to place the fence when no last write is known. */
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

/* --- the last write --- */

/* Sets `visited`, by node, for nodes from which a path leads to node `to` without passing node `avoided`, and for `to`.
 * `stack` has room for all nodes. */
static void visit_back(const nereid_flow_graph_t *graph, uint32_t to, uint32_t avoided, bool *visited,
                       uint32_t *stack) {
  size_t size = 0;
  memset(visited, 0, graph->nodes.size * sizeof *visited);
  visited[to] = true;
  stack[size++] = to;
  while (size) {
    const nereid_flow_node_t *node = &graph->nodes.data[stack[--size]];
    for (uint32_t i = 0; i < node->n_incoming; ++i) {
      const uint32_t from = graph->edges.data[graph->incoming[node->first_incoming + i]].from;
      if (visited[from] || from == avoided)
        continue;
      visited[from] = true;
      stack[size++] = from;
    }
  }
}

/* The last write before the event `number` that is on all paths to it, without another one after; null if there is
 * none. `visited` and `stack` have room for all nodes. */
static const nereid_membar_event_t *last_write(const nereid_membar_function_t *function, size_t number, bool *visited,
                                               uint32_t *stack) {
  const nereid_membar_event_t *events = function->effects.events.data, *need = &events[number];
  const nereid_flow_graph_t *graph = &function->graph;
  const uint32_t *nodes = graph->nodes_of_ops, to = nodes[need->position];
  size_t last = number;
  for (; last > 0 && nodes[events[last - 1].position] == to; --last)
    if (writes_for(function, &events[last - 1], need))
      return &events[last - 1];
  visit_back(graph, to, NEREID_FLOW_NONE, visited, stack);
  for (; last > 0; --last)
    if (visited[nodes[events[last - 1].position]] && writes_for(function, &events[last - 1], need))
      break;
  if (last == 0)
    return NULL;
  visit_back(graph, to, nodes[events[last - 1].position], visited, stack);
  bool is_last = !visited[0];
  for (size_t i = 0; i < function->effects.events.size && is_last; ++i)
    is_last = !visited[nodes[events[i].position]] || !writes_for(function, &events[i], need);
  return is_last ? &events[last - 1] : NULL;
}

/* The op before which a fence directly follows `write`. ttg.warp_specialize writes its captures before its regions. */
static MlirOperation after(MlirOperation write, MlirOperation need) {
  MlirOperation parent = need;
  while (!mlirOperationIsNull(parent) && !mlirOperationEqual(mlirOperationGetParentOperation(parent), write))
    parent = mlirOperationGetParentOperation(parent);
  if (mlirOperationIsNull(parent))
    return mlirOperationGetNextInBlock(write);
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(parent));
  return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(region));
}

/* The op before which the fence is placed that the event `number` needs. */
static MlirOperation early_place(const nereid_membar_function_t *function, size_t number, bool *visited,
                                 uint32_t *stack) {
  const nereid_membar_event_t *need = &function->effects.events.data[number];
  const nereid_membar_event_t *write = last_write(function, number, visited, stack);
  return write ? after(write->op, need->op) : hoist(function, need);
}

bool nereid_fence_place(const nereid_membar_function_t *function, bool early) {
  const size_t n = function->graph.nodes.size;
  bool *visited = nereid_arena_new(function->graph.arena, bool, n), any = false;
  uint32_t *stack = nereid_arena_new(function->graph.arena, uint32_t, n);
  for (size_t i = 0; visited && stack && i < function->effects.events.size; ++i) {
    if (!function->needs[i])
      continue;
    const nereid_membar_event_t *need = &function->effects.events.data[i];
    nereid_builder_t builder = nereid_builder_before(early ? early_place(function, i, visited, stack) : need->op);
    builder.location = mlirOperationGetLocation(need->op);
    nereid_ttng_fence_async_shared_build(&builder, false, false);
    any = true;
  }
  return any;
}
