/* Where threads of a CTA must wait for each other because of shared memory.
 *
 *   ttg.local_store %x, %b
 *   %y = ttg.local_load %b      ->   a barrier in front: the bytes may have been written by another thread
 *
 * Accesses that no barrier has followed yet are pending, as intervals of bytes; one that overlaps a pending one, where
 * either writes, gets a barrier in front of it. Through blocks and loops to a fixed point. */
#ifndef NEREID_ANALYSIS_MEMBAR_H
#define NEREID_ANALYSIS_MEMBAR_H

#include "base/arena.h"

#include "mlir-c/IR.h"

/* Puts ttg.local_barrier in front of every op of `function` that needs one. Requires allocated shared memory
 * (allocation.offset) and cf instead of scf. An op's own scratch is its own business inside; what it does to others is
 * done here. False when memory is out. */
bool nereid_membar_run(MlirOperation function, nereid_arena_t *arena);

#endif
