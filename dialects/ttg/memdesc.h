/* Buffer types as C structs with arrays, like tensors in dialects/tt/tensor.h.
 *
 *   nereid_ttg_memdesc_t buffer;
 *   nereid_ttg_memdesc_read(type, &buffer);   !ttg.memdesc<64x32xf16, #s, #smem, mutable, 3x64x32>
 *                                               ->  rank 2, shape {64, 32}, alloc_rank 3, alloc {3, 64, 32}, ... */
#ifndef NEREID_DIALECTS_TTG_MEMDESC_H
#define NEREID_DIALECTS_TTG_MEMDESC_H

#include "dialects/diagnose.h"
#include "dialects/ttg/encoding/encoding.h"

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_ttg_memdesc {
  int rank, alloc_rank;
  int64_t shape[NEREID_TTG_MAX_RANK];
  int64_t alloc[NEREID_TTG_MAX_RANK]; /* shape of the buffer of which this is a view */
  MlirType element;
  MlirAttribute encoding, space;
  bool mutable_memory;
} nereid_ttg_memdesc_t;

/* False, with *out of rank 0, when `type` is not a memdesc. */
bool nereid_ttg_memdesc_read(MlirType type, nereid_ttg_memdesc_t *out);
nereid_ttg_memdesc_t nereid_ttg_memdesc_of(MlirValue value);

/* Returns the type; `memdesc` must be valid (else null after an error at an unknown location). */
MlirType nereid_ttg_memdesc_type(const nereid_ttg_memdesc_t *memdesc);

/* The shape and the elements for a message: "3x64x32xf16". */
nereid_text_t nereid_ttg_memdesc_shape_text(const nereid_ttg_memdesc_t *memdesc);

/* Returns whether the operation creates a view of its operand 0 (same memory, another descriptor): memdesc_index,
 * memdesc_subslice, memdesc_trans, memdesc_reshape, memdesc_reinterpret. */
bool nereid_ttg_is_memdesc_view(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif
