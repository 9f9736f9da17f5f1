/* Options and results of the membar analysis; see membar.h. */
#ifndef NEREID_ANALYSIS_MEMBAR_TYPES_H
#define NEREID_ANALYSIS_MEMBAR_TYPES_H

#include "analysis/axis/axis_info.h"
#include "analysis/call_graph.h"
#include "analysis/membar/membar_state.h"

typedef enum nereid_membar_mode {
  NEREID_MEMBAR_BARRIERS, /* ttg.local_barrier; requires allocated shared memory (allocation.offset) */
  NEREID_MEMBAR_FENCES,   /* ttng.fence_async_shared; unallocated buffers are assumed to be disjoint */
} nereid_membar_mode_t;

typedef struct nereid_membar_options {
  nereid_membar_mode_t mode;
  bool global; /* also orders accesses to global memory; barriers only */
  const nereid_axis_result_t
      *axis;       /* axis information of the module, used by `global`; null: no divisibility is known */
  bool any_thread; /* assumes that every thread may access every byte of an access, whatever its layout */
} nereid_membar_options_t;

/* The reason for a barrier: two accesses to global memory; null ops for any other reason. */
typedef struct nereid_membar_reason {
  MlirOperation earlier, later;
  nereid_shared_kind_t kinds[2];
  bool before_loop; /* the barrier is before the loop of the later one */
  bool in_flight;   /* the earlier one is a write of TMA in flight */
} nereid_membar_reason_t;

/* One function: its effects, and the barriers or fences required before its ops. */
typedef struct nereid_membar_function {
  bool has_body;
  bool *starts[NEREID_ASYNC_GROUPS]; /* by buffer of `alias`: the function or a callee starts async operations */
  nereid_flow_graph_t graph;
  nereid_alias_t alias;
  nereid_slicer_t slicer;
  nereid_membar_effects_t effects;
  nereid_membar_context_t context;
  nereid_membar_global_t global; /* with options.global */
  nereid_membar_summary_t summary;
  nereid_membar_reason_t *reasons; /* by event; only of barriers for global memory */
  uint8_t *needs;                  /* by event of `effects`: NEREID_NEED_..., or for fences whether one is needed */
} nereid_membar_function_t;

typedef struct nereid_membar {
  nereid_arena_t *arena;
  const nereid_call_graph_t *calls; /* borrowed */
  nereid_membar_options_t options;
  bool uses_async_proxy; /* some op of the module uses it */
  bool specializes;      /* some op of the module runs partitions of warps */
  bool bulk;             /* some access to global memory that matters is by TMA */
  nereid_access_shapes_t shapes;
  nereid_map_t returned;               /* roots of pointers that functions return (analysis/global/global_root.h) */
  nereid_membar_function_t *functions; /* by function number of the call graph */
} nereid_membar_t;

#endif
