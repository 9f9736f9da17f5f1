/* Registers that the dots of a block occupy, and their work. */
#ifndef NEREID_PASSES_DOT_REGISTERS_H
#define NEREID_PASSES_DOT_REGISTERS_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/* CTAs per SM that are useful in attention: while one multiplies, others compute the operands of their dots. */
enum { NEREID_DOT_OVERLAPPED_CTAS = 4 };

/* Whether `op` is a tt.dot or a ttng.warp_group_dot. */
bool nereid_dot_is_dot(MlirOperation op);

/* 32-bit registers per thread of the results of all dots of `block`, not of blocks inside of it. */
int64_t nereid_dot_result_registers(MlirBlock block);

/* Those of the operands that dots of warp groups take from registers. */
int64_t nereid_dot_operand_registers(MlirBlock block);

/* Multiply-adds of all dots inside of `op`, each executed once. Those of 16-bit elements count
 * one each, of 8-bit elements half, of 32-bit elements two, as tensor cores take time. */
int64_t nereid_dot_multiply_adds(MlirOperation op);

enum { NEREID_LONG_DOTS = 1 << 18 /* multiply-adds of an iteration that hide the latency of a load */ };

/* Whether a tt.dot takes longer than the copies of its operands: one of f64, or of multiply-adds without a tensor
 * core. */
bool nereid_dot_is_slow(MlirOperation op);

/* The maximum of registers per thread where `op` is, with one CTA per SM. */
int64_t nereid_dot_registers_per_thread(MlirOperation op);

#endif
