/* Operand A of wgmma in registers, which are in use until the dot is complete. */
#ifndef NEREID_PASSES_OPERAND_REGISTERS_H
#define NEREID_PASSES_OPERAND_REGISTERS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/* Whether `block` is the body of an scf.for that carries the registers of operand A of `dot`, a ttng.warp_group_dot of
 * the block. */
bool nereid_operand_is_carried(MlirBlock block, MlirOperation dot);

/* The op of the block that computes the registers of operand A of `dot`, for the next iteration if the loop carries
 * them; null when A is in shared memory or is computed elsewhere. */
MlirOperation nereid_operand_producer(MlirBlock block, MlirOperation dot);

#endif
