/* Layouts of dots before tritongpu-accelerate-matmul, which may replace them. */
#ifndef NEREID_PASSES_LAYOUT_PROVISIONAL_DOTS_H
#define NEREID_PASSES_LAYOUT_PROVISIONAL_DOTS_H

#include "base/map.h"
#include "passes/pass.h"

/* Empty without the option `provisional-dots` of the pass. */
typedef struct nereid_provisional_dots {
  nereid_map_t results; /* the layouts of multiply-add dots, as keys */
  nereid_map_t movable; /* those of dots in a precision that tensor cores have */
} nereid_provisional_dots_t;

/* Reads the dots below pass->op. False when out of memory. */
bool nereid_provisional_dots_read(nereid_pass_t *pass, nereid_provisional_dots_t *out_dots);

/* Whether `encoding` is the result's of a dot. A load that moved to it would keep it when the dot gets another: with
 * short vectors, and in need of a conversion all the same. */
bool nereid_is_provisional_result(const nereid_provisional_dots_t *dots, MlirAttribute encoding);

/* Whether `encoding` is an operand's of a dot that may move to tensor cores. Each thread has whole rows or columns of
 * it, which it would still compute when the dot has another. */
bool nereid_is_provisional_operand(const nereid_provisional_dots_t *dots, MlirAttribute encoding);

#endif
