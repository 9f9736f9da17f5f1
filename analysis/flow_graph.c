/* Creates nodes in one walk in program order, edges from the last op of each node, ranks by one depth-first search; see
 * flow_graph.h.
 *
 * The search takes the last edge of a node first, so that in reverse post order the first edge's target comes first: a
 * loop body before the code after the loop, the default region before the partitions. */
#include "analysis/flow_graph.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

static bool is_partitions(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS;
}

bool nereid_flow_graph_enters(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 && (nereidMlirOperationIsRegionBranch(op) || is_partitions(op));
}

uint32_t nereid_flow_graph_position(const nereid_flow_graph_t *graph, MlirOperation op) {
  const uintptr_t *place = nereid_map_find(&graph->positions, op.ptr);
  return place ? (uint32_t)(*place - 1) : NEREID_FLOW_NONE;
}

uint32_t nereid_flow_graph_node_of(const nereid_flow_graph_t *graph, MlirOperation op) {
  const uint32_t position = nereid_flow_graph_position(graph, op);
  return position == NEREID_FLOW_NONE ? NEREID_FLOW_NONE : graph->nodes_of_ops[position];
}

/* --- nodes --- */

typedef struct builder {
  nereid_flow_graph_t *graph;
  NEREID_VECTOR(uint32_t) nodes; /* indexed by position */
  NEREID_VECTOR(bool) concerned; /* indexed by position */
  uint32_t from;                 /* the node whose edges are being created */
} builder_t;

/* Sets the partition of the node from the innermost ttg.warp_specialize; these do not nest. */
static void place_in_partition(builder_t *builder, nereid_flow_node_t *node) {
  nereid_flow_graph_t *graph = builder->graph;
  MlirRegion region = mlirBlockGetParentRegion(node->block);
  MlirOperation parent = nereidMlirRegionGetParentOperation(region);
  const uint32_t position = nereid_flow_graph_position(graph, parent);
  if (position == NEREID_FLOW_NONE)
    return;
  const nereid_flow_node_t *outer = &graph->nodes.data[builder->nodes.data[position]];
  node->specialize = outer->specialize;
  node->partition = outer->partition;
  if (nereid_op_kind(parent) == NEREID_OP_TTG_WARP_SPECIALIZE)
    node->specialize = parent;
  if (is_partitions(parent))
    node->partition = (int32_t)nereidMlirRegionGetNumber(region) + 1;
}

static bool start_node(builder_t *builder, MlirOperation op) {
  nereid_flow_graph_t *graph = builder->graph;
  nereid_flow_node_t node = {
      .block = mlirOperationGetBlock(op), .first = (uint32_t)graph->ops.size, .rank = NEREID_FLOW_NONE};
  place_in_partition(builder, &node);
  return nereid_vector_push(graph->arena, &graph->nodes, node);
}

/* The node of the op before `op` in its block, if `op` continues it. */
static uint32_t continued_node(builder_t *builder, MlirOperation op) {
  MlirOperation before = nereidMlirOperationGetPrevInBlock(op);
  if (mlirOperationIsNull(before) || nereid_flow_graph_enters(before))
    return NEREID_FLOW_NONE;
  return builder->nodes.data[nereid_flow_graph_position(builder->graph, before)];
}

static bool is_about_memory(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return nereid_ttg_memdesc_type_isa(type) || nereid_ttg_async_token_type_isa(type);
}

/* Whether an op has buffers or tokens among operands and results, is a call, or is of the dialect of asynchronous
 * hardware. Analyses of buffers visit only these: large functions exceed the caches, and each visit costs. */
static bool is_concerned(MlirOperation op) {
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if ((name.length > 5 && memcmp(name.data, "ttng.", 5) == 0) ||
      (name.length == 7 && memcmp(name.data, "tt.call", 7) == 0))
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (is_about_memory(mlirOperationGetResult(op, i)))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_about_memory(mlirOperationGetOperand(op, i)))
      return true;
  return false;
}

static MlirWalkResult number_op(MlirOperation op, void *user_data) {
  builder_t *builder = user_data;
  nereid_flow_graph_t *graph = builder->graph;
  if (mlirOperationEqual(op, graph->function))
    return MlirWalkResultAdvance;
  uint32_t node = continued_node(builder, op);
  if (node == NEREID_FLOW_NONE) {
    node = (uint32_t)graph->nodes.size;
    if (!start_node(builder, op))
      return MlirWalkResultInterrupt;
  }
  uintptr_t *place = nereid_map_insert(&graph->positions, op.ptr);
  if (!place || !nereid_vector_push(graph->arena, &graph->ops, op) ||
      !nereid_vector_push(graph->arena, &builder->nodes, node) ||
      !nereid_vector_push(graph->arena, &builder->concerned, is_concerned(op)))
    return MlirWalkResultInterrupt;
  *place = graph->ops.size;
  graph->nodes.data[node].end = (uint32_t)graph->ops.size;
  return nereid_flow_graph_enters(op) ? MlirWalkResultAdvance : MlirWalkResultSkip;
}

/* --- edges --- */

static void add_edge(builder_t *builder, MlirOperation first) {
  nereid_flow_graph_t *graph = builder->graph;
  if (mlirOperationIsNull(first))
    return;
  nereid_flow_edge_t edge = {.from = builder->from,
                             .to = builder->nodes.data[nereid_flow_graph_position(graph, first)],
                             .first_forward = (uint32_t)graph->forwards.size};
  if (nereid_vector_push(graph->arena, &graph->edges, edge))
    graph->nodes.data[builder->from].n_edges++;
}

/* Adds a forward to the last added edge. */
static void add_forward(builder_t *builder, MlirValue from, MlirValue to) {
  nereid_flow_graph_t *graph = builder->graph;
  if (graph->edges.size && nereid_vector_push(graph->arena, &graph->forwards, (nereid_flow_forward_t){from, to}))
    graph->edges.data[graph->edges.size - 1].n_forwards++;
}

static MlirOperation first_of(MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  return mlirBlockIsNull(block) ? (MlirOperation){NULL} : mlirBlockGetFirstOperation(block);
}

static MlirOperation last_of(const builder_t *builder) {
  const nereid_flow_graph_t *graph = builder->graph;
  /* Ops of regions come after their op, which ends its node: the node's last op is the last of a run. */
  return graph->ops.data[graph->nodes.data[builder->from].end - 1];
}

/* The continuation of `op`: the op after it or, for the op of partitions, the op after its parent. */
static MlirOperation continuation(MlirOperation op) {
  return mlirOperationGetNextInBlock(is_partitions(op) ? mlirOperationGetParentOperation(op) : op);
}

static void add_region_edge(MlirRegion region, intptr_t n, const MlirValue *operands, const MlirValue *inputs,
                            void *user_data) {
  builder_t *builder = user_data;
  MlirOperation last = last_of(builder);
  MlirOperation op = nereid_flow_graph_enters(last) ? last : mlirOperationGetParentOperation(last);
  add_edge(builder, mlirRegionIsNull(region) ? continuation(op) : first_of(region));
  for (intptr_t i = 0; i < n; ++i)
    add_forward(builder, operands[i], inputs[i]);
}

static void add_branch_edges(builder_t *builder, MlirOperation branch) {
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(branch); ++s) {
    MlirBlock target = mlirOperationGetSuccessor(branch, s);
    intptr_t produced = 0, first = 0, n = 0;
    add_edge(builder, mlirBlockGetFirstOperation(target));
    if (!nereidMlirBranchGetSuccessorOperands(branch, s, &produced, &first, &n))
      n = 0;
    for (intptr_t i = 0; i < n; ++i)
      add_forward(builder, mlirOperationGetOperand(branch, first + i), mlirBlockGetArgument(target, produced + i));
  }
}

/* Adds edges to each partition, which receives the captures of the parent op. */
static void add_partition_edges(builder_t *builder, MlirOperation partitions) {
  MlirOperation op = mlirOperationGetParentOperation(partitions);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); ++r) {
    MlirRegion region = mlirOperationGetRegion(partitions, r);
    add_edge(builder, first_of(region));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      add_forward(builder, mlirOperationGetOperand(op, i), mlirBlockGetArgument(mlirRegionGetFirstBlock(region), i));
  }
}

static void add_edges(builder_t *builder) {
  MlirOperation last = last_of(builder);
  const nereid_op_kind_t kind = nereid_op_kind(last);
  builder->graph->nodes.data[builder->from].first_edge = (uint32_t)builder->graph->edges.size;
  if (mlirOperationGetNumSuccessors(last) > 0)
    add_branch_edges(builder, last);
  else if (kind == NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS)
    add_partition_edges(builder, last);
  else if (kind == NEREID_OP_TTG_WARP_RETURN)
    add_edge(builder, continuation(mlirOperationGetParentOperation(last)));
  else
    nereidMlirRegionBranchWalkEdges(last, add_region_edge, builder);
  if (kind == NEREID_OP_TTG_WARP_SPECIALIZE)
    add_edge(builder, first_of(mlirOperationGetRegion(last, 1)));
}

/* --- orders --- */

static bool list_incoming(nereid_flow_graph_t *graph) {
  uint32_t next = 0;
  graph->incoming = nereid_arena_new(graph->arena, uint32_t, graph->edges.size);
  if (!graph->incoming)
    return false;
  for (size_t e = 0; e < graph->edges.size; ++e)
    graph->nodes.data[graph->edges.data[e].to].n_incoming++;
  for (size_t n = 0; n < graph->nodes.size; ++n) {
    nereid_flow_node_t *node = &graph->nodes.data[n];
    node->first_incoming = next;
    next += node->n_incoming;
    node->n_incoming = 0;
  }
  for (size_t e = 0; e < graph->edges.size; ++e) {
    nereid_flow_node_t *to = &graph->nodes.data[graph->edges.data[e].to];
    graph->incoming[to->first_incoming + to->n_incoming++] = (uint32_t)e;
  }
  return true;
}

enum { UNSEEN, OPEN, CLOSED };

/* Fills `order` from its end. An edge to an open node closes a loop. */
static void search(nereid_flow_graph_t *graph, uint8_t *states, uint32_t *stack, uint32_t *left, uint32_t *order) {
  uint32_t depth = 1, next = (uint32_t)graph->nodes.size;
  stack[0] = 0;
  states[0] = OPEN;
  left[0] = graph->nodes.data[0].n_edges;
  while (depth) {
    const uint32_t n = stack[depth - 1];
    const nereid_flow_node_t *node = &graph->nodes.data[n];
    if (!left[n]) {
      states[n] = CLOSED;
      order[--next] = n;
      --depth;
      continue;
    }
    nereid_flow_edge_t *edge = &graph->edges.data[node->first_edge + --left[n]];
    edge->is_back = states[edge->to] == OPEN;
    if (states[edge->to] == UNSEEN) {
      states[edge->to] = OPEN;
      left[edge->to] = graph->nodes.data[edge->to].n_edges;
      stack[depth++] = edge->to;
    }
  }
  graph->order = order + next;
  graph->n_reached = (uint32_t)graph->nodes.size - next;
}

static bool rank_nodes(nereid_flow_graph_t *graph) {
  const size_t n = graph->nodes.size;
  uint8_t *states = nereid_arena_new(graph->arena, uint8_t, n);
  uint32_t *memory = nereid_arena_new(graph->arena, uint32_t, 3 * n);
  if (!states || !memory)
    return false;
  if (n)
    search(graph, states, memory, memory + n, memory + 2 * n);
  for (uint32_t i = 0; i < graph->n_reached; ++i)
    graph->nodes.data[graph->order[i]].rank = i;
  return true;
}

bool nereid_flow_graph_build(MlirOperation function, nereid_arena_t *arena, nereid_flow_graph_t *out) {
  *out = (nereid_flow_graph_t){.arena = arena, .function = function};
  builder_t builder = {.graph = out};
  nereid_map_initialize(&out->positions, arena);
  mlirOperationWalk(function, number_op, &builder, MlirWalkPreOrder);
  for (; !arena->failed && builder.from < out->nodes.size; ++builder.from)
    add_edges(&builder);
  out->nodes_of_ops = builder.nodes.data;
  out->concerned = builder.concerned.data;
  return !arena->failed && list_incoming(out) && rank_nodes(out);
}

const nereid_map_t *nereid_flow_graph_loop(const nereid_flow_graph_t *graph, uint32_t header, nereid_arena_t *arena) {
  NEREID_VECTOR(uint32_t) stack = {0};
  nereid_map_t *loop = nereid_arena_new(arena, nereid_map_t, 1);
  if (!loop)
    return NULL;
  nereid_map_initialize(loop, arena);
  nereid_map_insert(loop, &graph->nodes.data[header]);
  nereid_vector_push(arena, &stack, header);
  while (stack.size) {
    const uint32_t number = stack.data[--stack.size];
    const nereid_flow_node_t *node = &graph->nodes.data[number];
    for (uint32_t i = 0; i < node->n_incoming; ++i) {
      const nereid_flow_edge_t *edge = &graph->edges.data[graph->incoming[node->first_incoming + i]];
      const nereid_flow_node_t *from = &graph->nodes.data[edge->from];
      if (from->rank == NEREID_FLOW_NONE || (number == header && !edge->is_back) || nereid_map_find(loop, from))
        continue;
      if (from->rank < graph->nodes.data[header].rank || !nereid_map_insert(loop, from) ||
          !nereid_vector_push(arena, &stack, edge->from))
        return NULL;
    }
  }
  return loop;
}

bool nereid_flow_graph_is_header(const nereid_flow_graph_t *graph, uint32_t number) {
  const nereid_flow_node_t *node = &graph->nodes.data[number];
  for (uint32_t i = 0; i < node->n_incoming; ++i)
    if (graph->edges.data[graph->incoming[node->first_incoming + i]].is_back)
      return true;
  return false;
}
