/* Which global memory the ops of a function write, by the argument that is the base of their addresses. */
#ifndef NEREID_PASSES_WRITTEN_MEMORY_H
#define NEREID_PASSES_WRITTEN_MEMORY_H

#include "base/map.h"

#include <mlir-c/IR.h>

typedef struct nereid_written_memory {
  nereid_map_t bases; /* base pointers of the function's writes; initialized by the caller */
  bool anywhere;      /* some writes have an unknown base */
} nereid_written_memory_t;

/* Adds what `op` writes. A call may write anywhere, and so may any op when out of memory. */
void nereid_written_memory_add(nereid_written_memory_t *written, MlirOperation op);

/* Whether the memory that `load` reads may be written. Then the load must not be repeated: a thread of the second load
 * could read what another thread, which has already used the first load's value, has written. A conversion synchronizes
 * the threads. */
bool nereid_written_memory_may_write(const nereid_written_memory_t *written, MlirOperation load);

#endif
