/* Changes of scf.for. */
#ifndef NEREID_PASSES_LOOP_H
#define NEREID_PASSES_LOOP_H

#include <mlir-c/IR.h>

/* Replaces `loop`, an scf.for, by one that carries `initial` as its last value, and erases it. Operations of the body
 * stay. The caller appends the yielded value to the terminator. Returns the new loop. */
MlirOperation nereid_loop_add_carried(MlirOperation loop, MlirValue initial);

#endif
