/* Places of buffers in a CTA's shared memory: the frame of each function.
 *
 *   tt.func public @k() {                                frame of @k: 768 bytes
 *     %a = ttg.local_alloc                               explicit: bytes 0 to 511, as long as %a is used
 *     %y = ttg.convert_layout %x                         scratch: bytes 512 to 767, while the op runs
 *     tt.call @f(%a)                                     virtual: bytes 512 to 639, the frame of @f
 *   tt.func private @f(%b) { ttg.local_alloc ... }       frame of @f: 128 bytes
 *
 * Buffers that live at once (analysis/allocation/liveness.h) never overlap, others share bytes. A call reserves the
 * whole frame of
 * what it calls; offsets in that frame are fixed, where it starts is the offset of the call, which is added up along
 * the calls and handed down. So a callee's frame lies outside of whatever lives in any of its callers. */
#ifndef NEREID_ANALYSIS_ALLOCATION_H
#define NEREID_ANALYSIS_ALLOCATION_H

#include "analysis/allocation/liveness.h"
#include "analysis/call_graph.h"

typedef enum nereid_buffer_kind {
  NEREID_BUFFER_EXPLICIT, /* a ttg.local_alloc */
  NEREID_BUFFER_SCRATCH,  /* of an op; of the function itself: a byte per warp of its partitions */
  NEREID_BUFFER_VIRTUAL,  /* a tt.call: the frame of its callee */
} nereid_buffer_kind_t;

/* One buffer of a function's frame. */
typedef struct nereid_buffer {
  nereid_buffer_kind_t kind;
  MlirOperation op; /* that makes it or needs it */
  int64_t bytes, alignment, offset;
  nereid_live_t live;
} nereid_buffer_t;

typedef struct nereid_frame {
  nereid_buffer_t *buffers; /* explicit ones first, then the others, each in the order of the text */
  size_t count;
  int64_t bytes, alignment;   /* of the whole frame */
  int64_t bound;              /* no placement needs less: the most bytes that live at once */
  nereid_live_range_t *spans; /* times of each ttg.warp_specialize, for `live.group` */
  size_t n_spans;
} nereid_frame_t;

typedef struct nereid_allocation {
  const nereid_call_graph_t *calls;
  nereid_frame_t *frames; /* by number of function */
} nereid_allocation_t;

/* Bytes of scratch that an op needs. */
typedef int64_t (*nereid_scratch_bytes_t)(MlirOperation op);

/* Places the buffers of every function of `calls`; `scratch` is nereid_scratch_bytes but for tests. Near linear in ops
 * (analysis/allocation/placement.h); the same module always gets the same offsets. Lives in `arena`. False when
 * out of memory. */
bool nereid_allocation_run(const nereid_call_graph_t *calls, nereid_scratch_bytes_t scratch, nereid_arena_t *arena,
                           nereid_allocation_t *out);

/* Whether two buffers of a frame may be there at the same time. */
bool nereid_allocation_live_together(const nereid_buffer_t *a, const nereid_buffer_t *b);

/* Bytes of a memdesc type's whole buffer in one CTA; 0 for another type. */
int64_t nereid_allocation_bytes(MlirType memdesc);

/* Bytes of shared memory that one CTA can have on the module's target. */
int64_t nereid_allocation_limit(MlirOperation module);

#endif
