/* Registers that the dots of a block occupy, and their work. */
#ifndef NEREID_PASSES_DOT_REGISTERS_H
#define NEREID_PASSES_DOT_REGISTERS_H

#include "mlir-c/IR.h"

#include <stdint.h>

/* CTAs per SM that are useful in attention: while one multiplies, others compute the operands of their dots. */
enum { NEREID_DOT_OVERLAPPED_CTAS = 4 };

/* 32-bit registers per thread of the results of all dots of `block`, not of blocks inside of it. */
int64_t nereid_dot_result_registers(MlirBlock block);

/* Those of the operands that dots of warp groups take from registers. */
int64_t nereid_dot_operand_registers(MlirBlock block);

/* Multiply-adds of all dots of `block`, and of blocks inside of it, in one execution. Those of 16-bit elements count
 * one each, of 8-bit elements half, of 32-bit elements two, as tensor cores take time. */
int64_t nereid_dot_multiply_adds(MlirBlock block);

/* The maximum of registers per thread where `op` is, with one CTA per SM. */
int64_t nereid_dot_registers_per_thread(MlirOperation op);

#endif
