/* The operands that dots of one block need in shared memory at a time. */
#ifndef NEREID_PASSES_DOT_OPERAND_GROUP_H
#define NEREID_PASSES_DOT_OPERAND_GROUP_H

#include <mlir-c/IR.h>

#include <stdint.h>

/* Bytes of the operands of `dot`, a tt.dot, and of the dots of its block that share an operand with it or with one of
 * these, each operand once, if wgmma reads them from shared memory: operand b, and operand a where it is stored.
 * Buffers of shared operands are live from the first of the dots to the last. 0 for more than 8 dots. */
int64_t nereid_dot_operand_group_bytes(MlirOperation dot);

#endif
