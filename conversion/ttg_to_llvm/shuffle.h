/* Values from other lanes of the warp, of any type.
 *
 *   f64           two shuffles of 32 bits
 *   f16, f16      one, of both
 *
 * Every lane of the warp takes part. PTX ISA, "shfl.sync". */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_SHUFFLE_H
#define NEREID_CONVERSION_TTG_TO_LLVM_SHUFFLE_H

#include "conversion/ttg_to_llvm/lower.h"

typedef enum nereid_shuffle {
  NEREID_SHUFFLE_XOR,   /* from lane own ^ operand */
  NEREID_SHUFFLE_UP,    /* from lane own - operand; the own value where there is none */
  NEREID_SHUFFLE_DOWN,  /* from lane own + operand; the own value where there is none */
  NEREID_SHUFFLE_INDEX, /* from lane operand */
} nereid_shuffle_t;

/* Shuffles `count` values of one LLVM type; `lane` is the i32 operand. `out_values` may be `values`. */
void nereid_shuffle(nereid_lower_t *lower, nereid_shuffle_t mode, MlirValue lane, intptr_t count,
                    const MlirValue *values, MlirValue *out_values);

/* The number of the first thread of the executing warp, as the i32 thread_id, in a register that the assembler keeps
 * uniform. Computed once, in the prologue. */
MlirValue nereid_shuffle_first_thread(nereid_lower_t *lower);

#endif
