/* Runs the mbarriers of a function at compile time, as far as phases are constants. */
#ifndef NEREID_PASSES_MBARRIER_RUN_H
#define NEREID_PASSES_MBARRIER_RUN_H

#include "base/arena.h"
#include "base/vector.h"

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* An mbarrier: a slot of a buffer. */
typedef struct nereid_mbarrier {
  MlirOperation alloc;
  int64_t slot;
  int32_t count, pending; /* arrivals of a phase; 0: not initialized */
  int64_t bytes;          /* announced in this phase and not copied yet; below 0: copied and not announced */
  int64_t phases;         /* complete ones */
} nereid_mbarrier_t;

/* What a sequence of ops does when no more of its waits are complete. */
typedef enum nereid_mbarrier_end {
  NEREID_MBARRIER_DONE,    /* it is at its end */
  NEREID_MBARRIER_OPEN,    /* it is at an op whose effect is not constant: it may do all that follows */
  NEREID_MBARRIER_BLOCKED, /* it is at a wait */
} nereid_mbarrier_end_t;

/* A sequence of ops: the body of a function, or a region of a ttg.warp_specialize. */
typedef struct nereid_mbarrier_thread {
  MlirRegion region;
  MlirOperation at; /* the next op */
  nereid_mbarrier_end_t end;
  nereid_mbarrier_t *waits_for; /* if blocked */
} nereid_mbarrier_thread_t;

typedef NEREID_VECTOR(nereid_mbarrier_thread_t) nereid_mbarrier_threads_t;

/* Executes the ops of `function` in order, and the regions of ttg.warp_specialize concurrently. Of a loop whose number
 * of iterations is unknown it executes the first ones; what follows such a loop is unknown. Appends to `out` the
 * sequences that are blocked forever, since no sequence can complete the mbarrier for which they wait; none where that
 * is not certain. False when out of memory. Lives in `arena`. */
bool nereid_mbarrier_run(MlirOperation function, nereid_arena_t *arena, nereid_mbarrier_threads_t *out);

#endif
