/* Places of buffers in a CTA's shared memory.
 *
 * Explicit buffers (ttg.local_alloc) live from their first to their last use, through views, block arguments and loops;
 * scratch lives while its op runs; a call reserves the frame of what it calls. Buffers that live at once never overlap,
 * others share bytes. */
#ifndef NEREID_ANALYSIS_ALLOCATION_H
#define NEREID_ANALYSIS_ALLOCATION_H

#include "base/map.h"

#include "mlir-c/IR.h"

/* One buffer of a function's frame. */
typedef struct nereid_buffer {
  MlirOperation op; /* that makes it or needs it */
  int64_t bytes, alignment, offset;
  int64_t first, last; /* positions of ops between which it lives, both included */
} nereid_buffer_t;

typedef struct nereid_frame {
  nereid_buffer_t *buffers;
  size_t count;
  int64_t bytes; /* of the whole frame */
} nereid_frame_t;

/* Places the buffers of `function`. `frames` holds the frames (nereid_frame_t *) of functions by their names
 * (StringAttr), callees before callers; one that is missing has no buffers. Lives in `arena`. False when memory is out
 * or after a diagnostic at a buffer whose size cannot be told. */
bool nereid_allocation_run(MlirOperation function, const nereid_map_t *frames, nereid_arena_t *arena,
                           nereid_frame_t *out);

/* Bytes of a memdesc type's whole buffer in one CTA; 0 when its encoding does not say. */
int64_t nereid_allocation_bytes(MlirType memdesc);

/* Bytes of shared memory that one CTA can have on the module's target. */
int64_t nereid_allocation_limit(MlirOperation module);

#endif
