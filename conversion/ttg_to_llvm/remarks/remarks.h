/* Optimization remarks of the lowering, located at the op, built only if they are enabled.
 *
 *   tt.load             access-width         "32 of 128 bits: the mask may change every element"
 *   ttg.convert_layout  conversion           "8 stores of 32 bits, a barrier and 2 loads of 128 bits per thread …"
 *   tt.reduce           reduction            "within the warp: 7 combinations, 5 shuffles per thread"
 *   any                 register-budget      "a tensor<…> takes 512 registers of each thread, which has 255"
 *   any                 register-demand      "tensors need about 300 of 255 registers per thread: 128 for tensor<…> …"
 *   tt.func             occupancy            "ptxas is asked for 4 CTAs per multiprocessor …"
 *
 * docs/remarks.md lists them all. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_REMARKS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_REMARKS_H

#include "conversion/ttg_to_llvm/function/blocks.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "layout/exchange.h"
#include "seam/context.h"

/* Emits a remark `name` at `op`: passed, or missed. */
void nereid_lower_remark(MlirOperation op, NereidMlirRemarkKind kind, const char *name, const char *format, ...)
    NEREID_PRINTF(4, 5);

/* Remark on an access of `vector` elements of `bits` at `pointer`, with `mask` (null: none): its width, and the reasons
 * if type and shape would allow more. */
void nereid_lower_remark_access(nereid_lower_t *lower, MlirOperation op, MlirValue pointer, MlirValue mask,
                                unsigned bits, intptr_t vector);

/* Remark on a ttg.convert_layout without shared memory: its instructions per thread. */
void nereid_lower_remark_conversion(nereid_lower_t *lower, MlirOperation op);

/* Remark on one through shared memory by `plan`: its instructions and bank conflicts. */
void nereid_lower_remark_exchange(nereid_lower_t *lower, MlirOperation op, const nereid_layout_exchange_t *plan);

/* Remark on a tt.reduce, tt.scan, tt.gather or tt.histogram (none for other operations): the scope of its exchange, and
 * the code emitted since `before`. */
void nereid_lower_remark_exchanged(nereid_lower_t *lower, MlirOperation op, const nereid_lower_emitted_t *before);

/* Remark on results of `op` that exceed the registers of a thread and will be spilled. Once per type and function. */
void nereid_lower_remark_registers(nereid_lower_t *lower, MlirOperation op);

/* Remark on the op of a lowered function before which the live tensors need most registers: an estimate, and the
 * largest tensors with their locations. */
void nereid_lower_remark_demand(nereid_lower_t *lower, const nereid_blocks_t *blocks);

/* The maximum number of registers per thread. */
int64_t nereid_lower_register_budget(const nereid_lower_t *lower);

#endif
