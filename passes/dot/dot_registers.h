/* Registers that the dots of warp groups of a block occupy. */
#ifndef NEREID_PASSES_DOT_REGISTERS_H
#define NEREID_PASSES_DOT_REGISTERS_H

#include "mlir-c/IR.h"

#include <stdint.h>

/* 32-bit registers per thread of the results of all ttng.warp_group_dot of `block`, not of blocks inside of it. */
int64_t nereid_dot_result_registers(MlirBlock block);

/* Those of the operands that the dots take from registers. */
int64_t nereid_dot_operand_registers(MlirBlock block);

/* Registers that a thread can have where `op` is: its share of a multiprocessor with one CTA, 255 at most. */
int64_t nereid_dot_registers_per_thread(MlirOperation op);

#endif
