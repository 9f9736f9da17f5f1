/* Control flow of one function, with the same form for structured ops and for branches.
 *
 *   %a = ...                        node 0: %a, scf.for        -> 1, 3
 *   scf.for ... {
 *     ttg.local_load ...            node 1: local_load, scf.if -> 2, 3'
 *     scf.if %c { ... }             node 2: the body of the if -> 3'
 *     scf.yield                     node 3': scf.yield         -> 1 (back), 3
 *   }
 *   tt.return                       node 3: tt.return
 *
 * A node is a run of ops of one block. A block is split after each op whose regions are control flow: that op is the
 * last of its node, and the op after it is the first of the next. Control-flow regions are those of ops that implement
 * RegionBranchOpInterface (scf.for, scf.while, scf.if, scf.index_switch, scf.execute_region, ...) and the partitions of
 * ttg.warp_specialize. The regions of other ops (the combiners of tt.reduce, ...) are parts of their op.
 *
 * ttg.warp_specialize forks: its node leads to the default region and to the node of its
 * ttg.warp_specialize.partitions, from there to each partition; ttg.warp_yield and each ttg.warp_return lead to the
 * continuation of the op. All of these run concurrently: paths alone do not determine order.
 *
 * Building takes time and memory linear in the ops. The graph is invalid after a change of the function. */
#ifndef NEREID_ANALYSIS_FLOW_GRAPH_H
#define NEREID_ANALYSIS_FLOW_GRAPH_H

#include "base/map.h"
#include "base/vector.h"

#include "mlir-c/IR.h"

enum { NEREID_FLOW_NONE = UINT32_MAX };

typedef struct nereid_flow_node {
  MlirBlock block;
  uint32_t first, end;                 /* its ops are at the positions [first, end), never empty */
  uint32_t first_edge, n_edges;        /* edges out of it: graph->edges.data[first_edge + i] */
  uint32_t first_incoming, n_incoming; /* edges into it: graph->edges.data[graph->incoming[first_incoming + i]] */
  uint32_t rank;                       /* in reverse post order; NEREID_FLOW_NONE: unreachable */
  MlirOperation specialize;            /* the enclosing ttg.warp_specialize; null: none */
  int32_t partition;                   /* 0: outside, or the default region; i + 1: partition i of `specialize` */
} nereid_flow_node_t;

typedef struct nereid_flow_edge {
  uint32_t from, to;                  /* nodes */
  uint32_t first_forward, n_forwards; /* values that are forwarded on it: graph->forwards.data[...] */
  bool is_back;                       /* back edge: `to` precedes `from` in the search */
} nereid_flow_edge_t;

/* `to`, a block argument or a result of an op with regions, equals `from` when control takes the edge. Arguments that
 * the op computes itself (induction variables) have no forward. */
typedef struct nereid_flow_forward {
  MlirValue from, to;
} nereid_flow_forward_t;

typedef struct nereid_flow_graph {
  nereid_arena_t *arena;
  MlirOperation function;
  NEREID_VECTOR(nereid_flow_node_t) nodes; /* in program order; 0 is the entry */
  NEREID_VECTOR(nereid_flow_edge_t) edges; /* by `from` */
  NEREID_VECTOR(nereid_flow_forward_t) forwards;
  NEREID_VECTOR(MlirOperation) ops; /* by position: in program order, those of regions after their op */
  uint32_t *nodes_of_ops;           /* indexed by position */
  bool *concerned;                  /* by position: may use, create or wait for buffers, or is a call; most are not */
  uint32_t *incoming;
  uint32_t *order; /* nodes in reverse post order, n_reached of them; loops and partitions are contiguous in it */
  uint32_t n_reached;
  nereid_map_t positions; /* op -> its position + 1 */
} nereid_flow_graph_t;

/* Builds the graph of `function` (any op whose region 0 is a body; a declaration has no node). Lives in `arena`; false
 * when out of memory. */
bool nereid_flow_graph_build(MlirOperation function, nereid_arena_t *arena, nereid_flow_graph_t *out);

/* The position of `op`; NEREID_FLOW_NONE when it is not part of the control flow: an op of a combiner. */
uint32_t nereid_flow_graph_position(const nereid_flow_graph_t *graph, MlirOperation op);

/* The node of `op`, by number; NEREID_FLOW_NONE as above. */
uint32_t nereid_flow_graph_node_of(const nereid_flow_graph_t *graph, MlirOperation op);

/* Whether a back edge leads to node `number`. */
bool nereid_flow_graph_is_header(const nereid_flow_graph_t *graph, uint32_t number);

/* The nodes (const nereid_flow_node_t *) of the loop with header `header`, those from which a back edge is reachable;
 * null when the loop has another entry, or out of memory. Lives in `arena`. */
const nereid_map_t *nereid_flow_graph_loop(const nereid_flow_graph_t *graph, uint32_t header, nereid_arena_t *arena);

/* Whether the regions of `op` are control flow. */
bool nereid_flow_graph_enters(MlirOperation op);

#endif
