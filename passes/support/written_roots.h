/* The kernel arguments that are the bases of writes to global memory. */
#ifndef NEREID_PASSES_WRITTEN_ROOTS_H
#define NEREID_PASSES_WRITTEN_ROOTS_H

#include "base/map.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

typedef struct nereid_written_roots {
  nereid_map_t roots; /* argument -> 1 */
  bool anywhere;      /* some writes have an unknown base */
  bool orders_loads;  /* a barrier, an acquire whose value is used, or a volatile load is among the ops */
} nereid_written_roots_t;

/* Reads the stores, atomics, calls and other ops with side effects at and below `op`. Lives in `arena`. */
void nereid_written_roots_read(MlirOperation op, nereid_arena_t *arena, nereid_written_roots_t *out);

/* Whether one of the ops may write memory that is read through `pointer`. Pointers from different arguments of
 * a kernel do not alias (docs/barriers.md); those of another function may. */
bool nereid_written_roots_may_write(const nereid_written_roots_t *written, MlirValue pointer);

/* Whether `load`, a tt.load or a tt.descriptor_load of the loop, can be executed before writes of earlier iterations:
 * it is not volatile, and the loop neither writes the memory that it reads nor orders loads. `is_requested`: the
 * program asserts both. */
bool nereid_written_roots_permit_ahead(const nereid_written_roots_t *written, MlirOperation load, bool is_requested);

#endif
