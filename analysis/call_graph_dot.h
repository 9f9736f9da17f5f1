/* Prints the call graph in Graphviz DOT, with the results of analyses at function boundaries: sizes of shared-memory
 * frames, their start on each path from a kernel, accesses that are pending at begin and end, axis information of
 * arguments.
 *
 *   digraph calls {
 *     "k" [label="k, kernel\lframe of 3072 bytes\lx: contiguity = [1], divisibility = [16], …\l"];
 *     "f" [label="f\lframe of 1024 bytes\lstarts at 2048: k > f\lbefore its first barrier: writes [0, 1024)\l"];
 *     "k" -> "f" [label="frame at 2048"];
 *   } */
#ifndef NEREID_ANALYSIS_CALL_GRAPH_DOT_H
#define NEREID_ANALYSIS_CALL_GRAPH_DOT_H

#include "base/arena.h"
#include "base/status.h"

#include <mlir-c/IR.h>

/* Prints the graph of `module`, whose shared memory must be allocated, in pieces to `callback`. NEREID_ERROR_PROGRAM
 * after an error at an invalid call, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_call_graph_dot(MlirOperation module, nereid_arena_t *arena,
                                                      MlirStringCallback callback, void *user_data);

#endif
