/* Operands of a dot that tritongpu-prefetch cuts into slices along k.
 *
 *   %x = ttg.local_load %slot : 128x32xi8       %v = ttg.memdesc_subslice %slot[0, 16] : 128x16xi8
 *   %a = arith.sitofp %x : 128x32xf16     ->    %y = ttg.local_load %v
 *                                               %b = arith.sitofp %y : 128x16xf16 */
#ifndef NEREID_PASSES_PREFETCH_OPERAND_H
#define NEREID_PASSES_PREFETCH_OPERAND_H

#include "nereid/builder.h"

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

enum { NEREID_PREFETCH_CHAIN = 16 };

typedef struct nereid_prefetch_operand {
  MlirOperation load;                         /* ttg.local_load */
  MlirOperation chain[NEREID_PREFETCH_CHAIN]; /* elementwise ops from the load to the dot, last first */
  int n;
  int k;        /* the dimension of k */
  bool in_body; /* the load is in the body of the loop; otherwise its value is invariant */
  bool ahead;   /* slice 0 is loaded an iteration ahead */
} nereid_prefetch_operand_t;

/* Finds the load of operand `index` of `dot`. False where the operand is computed otherwise, or used by other ops. */
bool nereid_prefetch_operand_find(MlirOperation dot, int index, MlirBlock body, nereid_prefetch_operand_t *out);

/* Elements along k of a slice, those of one instruction or of the kWidth of all lanes; `out_k` gets those of the
 * dot. */
int64_t nereid_prefetch_width(MlirOperation dot, int64_t *out_k);

/* Whether views of slices of `width` are valid: the buffer is in one CTA, and steps along k do not divide a swizzle
 * pattern. */
bool nereid_prefetch_can_slice(const nereid_prefetch_operand_t *operand, int64_t width);

/* `type` with `width` elements in dimension `k`. */
MlirType nereid_prefetch_slice_type(MlirType type, int k, int64_t width);

/* Emits the slice [first, first + width) of the operand whose buffer is `buffer`; `token` may be null. */
MlirValue nereid_prefetch_slice(const nereid_prefetch_operand_t *operand, const nereid_builder_t *builder,
                                MlirValue buffer, MlirValue token, int64_t first, int64_t width);

/* Erases the load and its chain, which have no uses. */
void nereid_prefetch_operand_erase(const nereid_prefetch_operand_t *operand);

#endif
