/* Offsets of buffers in a CTA's shared memory: the frame of each function.
 *
 *   tt.func public @k() {                                frame of @k: 768 bytes
 *     %a = ttg.local_alloc                               explicit: bytes 0 to 511, as long as %a is live
 *     %y = ttg.convert_layout %x                         scratch: bytes 512 to 767, during the op
 *     tt.call @f(%a)                                     virtual: bytes 512 to 639, the frame of @f
 *   tt.func private @f(%b) { ttg.local_alloc ... }       frame of @f: 128 bytes
 *
 * Buffers that are live at the same time (analysis/allocation/liveness.h) never overlap; others share bytes. A call
 * reserves the whole frame of its callee. Offsets in that frame are fixed; its start is the sum of the call offsets
 * along the call path and is passed as an argument. So a callee's frame never overlaps a live buffer of any of its
 * callers. */
#ifndef NEREID_ANALYSIS_ALLOCATION_H
#define NEREID_ANALYSIS_ALLOCATION_H

#include "analysis/allocation/liveness.h"
#include "analysis/call_graph.h"

typedef enum nereid_buffer_kind {
  NEREID_BUFFER_EXPLICIT, /* a ttg.local_alloc */
  NEREID_BUFFER_SCRATCH,  /* scratch memory of an op; of a function: one byte per warp of its partitions */
  NEREID_BUFFER_VIRTUAL,  /* a tt.call: the frame of its callee */
} nereid_buffer_kind_t;

/* One buffer of a function's frame. */
typedef struct nereid_buffer {
  nereid_buffer_kind_t kind;
  MlirOperation op; /* that creates or needs it */
  int64_t bytes, alignment, offset;
  nereid_live_t live;
} nereid_buffer_t;

typedef struct nereid_frame {
  nereid_buffer_t *buffers; /* explicit ones first, then the others, each in program order */
  size_t count;
  int64_t bytes, alignment;   /* size and alignment of the frame */
  int64_t bound;              /* lower bound of all placements: the maximum live bytes */
  nereid_live_range_t *spans; /* times of each ttg.warp_specialize, for `live.group` */
  size_t n_spans;
} nereid_frame_t;

typedef struct nereid_allocation {
  const nereid_call_graph_t *calls;
  nereid_frame_t *frames; /* by number of function */
} nereid_allocation_t;

/* Bytes of scratch that an op needs. */
typedef int64_t (*nereid_scratch_bytes_t)(MlirOperation op);

/* Assigns offsets to the buffers of every function of `calls`; `scratch` is nereid_scratch_bytes except in tests. Near
 * linear in ops (analysis/allocation/placement.h) and deterministic. Lives in `arena`. False when out of memory. */
bool nereid_allocation_run(const nereid_call_graph_t *calls, nereid_scratch_bytes_t scratch, nereid_arena_t *arena,
                           nereid_allocation_t *out);

/* Whether two buffers of a frame may be live at the same time. */
bool nereid_allocation_live_together(const nereid_buffer_t *a, const nereid_buffer_t *b);

/* The size of `frame` if its buffers had `bytes` each, in their order and with their live ranges; -1 when out of
 * memory. The frame is not changed. */
int64_t nereid_allocation_trial(const nereid_frame_t *frame, const int64_t *bytes, nereid_arena_t *arena);

/* Bytes of a memdesc type's whole buffer in one CTA; 0 for another type. */
int64_t nereid_allocation_bytes(MlirType memdesc);

/* The shared memory that one CTA can use on the module's target, in bytes. */
int64_t nereid_allocation_limit(MlirOperation module);

#endif
