/* The kernel arguments that are the bases of a loop's writes to global memory. */
#ifndef NEREID_PASSES_MEMORY_ROOTS_H
#define NEREID_PASSES_MEMORY_ROOTS_H

#include "base/map.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

typedef struct nereid_written_roots {
  nereid_map_t roots; /* argument -> 1 */
  bool anywhere;      /* some writes have an unknown base */
} nereid_written_roots_t;

/* Reads the stores, atomics, calls and other ops with side effects in `loop`. Lives in `arena`. */
void nereid_written_roots_read(MlirOperation loop, nereid_arena_t *arena, nereid_written_roots_t *out);

/* Whether an op of the loop may write memory that is read through `pointer`. Pointers from different arguments do not
 * alias (docs/barriers.md). */
bool nereid_written_roots_may_write(const nereid_written_roots_t *written, MlirValue pointer);

/* Whether `load`, a tt.load or a tt.descriptor_load of the loop, can be executed before writes of earlier iterations:
 * it is not volatile, and the loop does not write the memory that it reads. `is_requested`: the program asserts the
 * latter. */
bool nereid_written_roots_permit_ahead(const nereid_written_roots_t *written, MlirOperation load, bool is_requested);

#endif
