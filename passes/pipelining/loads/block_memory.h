/* Shared memory that is live at the ops of a block, an estimate before offsets are assigned.
 *
 *   %a = ttg.local_alloc %x          index 0: bytes of %a
 *   scf.for … { … }                        1: bytes of %a, of all buffers in the loop, and of the largest scratch
 *   ttg.local_load %a                      2: bytes of %a
 *   ttg.convert_layout                     3: bytes of its scratch */
#ifndef NEREID_PASSES_BLOCK_MEMORY_H
#define NEREID_PASSES_BLOCK_MEMORY_H

#include "base/map.h"
#include "base/vector.h"

#include <mlir-c/IR.h>

#include <stdbool.h>

typedef struct nereid_block_memory {
  nereid_map_t indices;         /* op -> its index + 1 */
  NEREID_VECTOR(int64_t) bytes; /* by index */
} nereid_block_memory_t;

/* Reads the ops of `block` and the buffers that it allocates. Indices stay valid when ops are added or moved. Lives in
 * `arena`; false when out of memory. */
bool nereid_block_memory_read(MlirBlock block, nereid_arena_t *arena, nereid_block_memory_t *out);

/* The index of the op of the block that is or contains `op`. */
size_t nereid_block_memory_index(const nereid_block_memory_t *memory, MlirBlock block, MlirOperation op);

/* The most bytes that are live at the indices from `begin` to before `end`. */
int64_t nereid_block_memory_peak(const nereid_block_memory_t *memory, size_t begin, size_t end);

/* Adds a buffer of `bytes` bytes at these indices. */
void nereid_block_memory_add(nereid_block_memory_t *memory, size_t begin, size_t end, int64_t bytes);

#endif
