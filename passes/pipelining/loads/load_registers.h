/* Registers that a thread needs to execute a load one iteration ahead without cp.async. */
#ifndef NEREID_PASSES_LOAD_REGISTERS_H
#define NEREID_PASSES_LOAD_REGISTERS_H

#include "analysis/axis/axis_info.h"

#include "mlir-c/IR.h"

#include <stdint.h>

/* 32-bit registers of the value of the tt.load `load` until the next iteration: one per access of fewer than 4 bytes. 1
 * for a scalar. */
int64_t nereid_load_value_registers(const nereid_axis_result_t *axis, MlirOperation load);

/* 32-bit registers of the addresses of the tt.load `load`, 64 bits each. Elements in a contiguous run share one: their
 * offsets are immediate. 0 for a scalar. */
int64_t nereid_load_address_registers(const nereid_axis_result_t *axis, MlirOperation load);

#endif
