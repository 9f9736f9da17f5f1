/* Optimization remarks of the lowering, located at the op, built only if they are enabled.
 *
 *   tt.load             access-width         "32 of 128 bits: the mask may change every element"
 *   ttg.convert_layout  conversion           "8 stores of 32 bits, a barrier and 2 loads of 128 bits per thread …"
 *   tt.reduce           reduction            "within the warp: 7 combinations, 5 shuffles per thread"
 *   any                 register-budget      "a tensor<…> takes 512 registers of each thread, which has 255"
 *
 * docs/remarks.md lists them all. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_REMARKS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_REMARKS_H

#include "conversion/ttg_to_llvm/lower.h"

#include "layout/exchange.h"
#include "seam/context.h"

/* A remark of lowering's at `op`, called `name`: passed, or missed. */
void nereid_lower_remark(MlirOperation op, NereidMlirRemarkKind kind, const char *name, const char *format, ...)
    NEREID_PRINTF(4, 5);

/* Of an access that moves `vector` elements of `bits` at a time through `pointer`, under `mask` (null: none): its
 * width, and when type and shape would allow more, what does not. */
void nereid_lower_remark_access(nereid_lower_t *lower, MlirOperation op, MlirValue pointer, MlirValue mask,
                                unsigned bits, intptr_t vector);

/* Of a ttg.convert_layout that needs no shared memory: the instructions that each thread runs for it. */
void nereid_lower_remark_conversion(nereid_lower_t *lower, MlirOperation op);

/* Of one that goes through shared memory by `plan`: those, and what they cost there. */
void nereid_lower_remark_exchange(nereid_lower_t *lower, MlirOperation op, const nereid_layout_exchange_t *plan);

/* Of a tt.reduce, tt.scan, tt.gather or tt.histogram (nothing of other operations): whether it stays in the thread or
 * the warp, and what was emitted for it since `before`. */
void nereid_lower_remark_exchanged(nereid_lower_t *lower, MlirOperation op, const nereid_lower_emitted_t *before);

/* Of results of `op` that need more registers than a thread has: they will be spilled. Once per type and function. */
void nereid_lower_remark_registers(nereid_lower_t *lower, MlirOperation op);

#endif
