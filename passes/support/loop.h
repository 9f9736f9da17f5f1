/* Changes of scf.for. */
#ifndef NEREID_PASSES_LOOP_H
#define NEREID_PASSES_LOOP_H

#include <mlir-c/IR.h>

/* Replaces `loop`, an scf.for, by one that also carries the `n` values `initial`, as its last ones, and erases it. The
 * block and the operations of the body stay. The caller appends the yielded values to the terminator. Returns the new
 * loop. */
MlirOperation nereid_loop_with_carried(MlirOperation loop, intptr_t n, const MlirValue *initial);

#endif
