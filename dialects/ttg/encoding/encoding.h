/* Encodings as C structs: reads their arrays and bases and creates them; the blocked encoding as a struct.
 *
 *   nereid_ttg_blocked_t blocked;
 *   if (nereid_ttg_blocked_read(encoding, &blocked)) { blocked.size_per_thread[1] *= 2; ... }
 *   encoding = nereid_ttg_blocked_attribute(ctx, &blocked);
 *
 * The structs are values of fixed size; attributes belong to the context. All functions are pure. Functions named
 * `_make` and `_from_` require a valid result: use them for computed encodings, not for user input. */
#ifndef NEREID_DIALECTS_TTG_ENCODING_H
#define NEREID_DIALECTS_TTG_ENCODING_H

#include "layout/linear_layout.h"

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  NEREID_TTG_MAX_RANK = NEREID_LAYOUT_MAX_RANK,  /* dimensions of a tensor */
  NEREID_TTG_MAX_BASES = NEREID_LAYOUT_MAX_BITS, /* basis vectors of one input */
};

/* Basis vectors of one input dimension: `count` of them, `rank` coordinates each (rank 0 when there are none). */
typedef struct nereid_ttg_bases {
  int count, rank;
  int32_t vectors[NEREID_TTG_MAX_BASES][NEREID_TTG_MAX_RANK];
} nereid_ttg_bases_t;

/* #ttg.blocked. Arrays have `rank` entries; order[0] is the fastest dimension; cga.count is 0 for one CTA. */
typedef struct nereid_ttg_blocked {
  int rank;
  int32_t size_per_thread[NEREID_TTG_MAX_RANK];
  int32_t threads_per_warp[NEREID_TTG_MAX_RANK];
  int32_t warps_per_cta[NEREID_TTG_MAX_RANK];
  int32_t order[NEREID_TTG_MAX_RANK];
  nereid_ttg_bases_t cga;
} nereid_ttg_blocked_t;

/* --- kinds of attributes --- */

bool nereid_ttg_is_distributed(MlirAttribute encoding); /* of tensors; false for null */
bool nereid_ttg_is_shared(MlirAttribute encoding);      /* of buffers; false for null */

/* Returns the number of dimensions; -1 when the attribute is not an encoding of ttg. */
int nereid_ttg_encoding_rank(MlirAttribute encoding);

/* Returns the alignment in bytes that a buffer of this shared encoding requires: 16, or one swizzle atom of
 * nvmma_shared, or the alignment of shared_linear. */
int32_t nereid_ttg_shared_alignment(MlirAttribute encoding);

/* nereid_ttg_cta_bits returns log2 of the encoding's number of CTAs. The function below it writes the size of the part
 * of `shape` in one CTA to out_shape (`rank` entries, may be `shape`). */
int nereid_ttg_cta_bits(MlirAttribute encoding);
void nereid_ttg_shape_per_cta(MlirAttribute encoding, int rank, const int64_t *shape, int64_t *out_shape);

/* --- arrays and bases --- */

/* Copies a DenseI32ArrayAttr of at most NEREID_TTG_MAX_RANK elements. Returns its length, or -1 for another
 * attribute. */
int nereid_ttg_ints_read(MlirAttribute array, int32_t *out);
MlirAttribute nereid_ttg_ints_make(MlirContext ctx, int count, const int32_t *values);

/* Reads an ArrayAttr of DenseI32ArrayAttr of equal length; null reads as no vectors. False for other attributes. */
bool nereid_ttg_bases_read(MlirAttribute array, nereid_ttg_bases_t *out);
MlirAttribute nereid_ttg_bases_make(MlirContext ctx, const nereid_ttg_bases_t *bases);

/* Reads the CTA layout of an encoding; for a slice or dot operand, that of its parent projected to its dimensions.
 * False when `encoding` is not an encoding of ttg. `_make` returns null for no vectors, as encodings require. */
bool nereid_ttg_cga_read(MlirAttribute encoding, nereid_ttg_bases_t *out);
MlirAttribute nereid_ttg_cga_make(MlirContext ctx, const nereid_ttg_bases_t *bases);

/* Computes the vectors of ctas_per_cga, cta_split_num and cta_order (powers of two, split at most ctas), the older
 * spelling of a CTA layout. CTAs beyond the split hold copies. */
void nereid_ttg_cga_from_counts(int rank, const int32_t *ctas_per_cga, const int32_t *cta_split_num,
                                const int32_t *cta_order, nereid_ttg_bases_t *out);

/* --- creating encodings --- */

/* False when `encoding` is not #ttg.blocked. */
bool nereid_ttg_blocked_read(MlirAttribute encoding, nereid_ttg_blocked_t *out);
/* blocked.h computes the encoding of a shape. */
MlirAttribute nereid_ttg_blocked_attribute(MlirContext ctx, const nereid_ttg_blocked_t *blocked);

/* Returns the map from offsets to elements of #ttg.padded_shared, without gaps. False for other encodings, and when the
 * rank is too high for a layout. */
bool nereid_ttg_padded_layout(MlirAttribute encoding, nereid_layout_t *out);

/* Returns whether the encoding, or the parent of a slice, is #ttg.generic_linear. */
bool nereid_ttg_is_generic(MlirAttribute encoding);

/* Returns whether #ttg.linear (`generic`: #ttg.generic_linear) can represent the layout: each input bit moves along at
 * most one dimension, those of warps excepted in a generic one. */
bool nereid_ttg_linear_represents(const nereid_layout_t *layout, bool generic);

/* Returns whether warp bits of a #ttg.linear or #ttg.generic_linear move along several dimensions. */
bool nereid_ttg_has_swizzled_warps(MlirAttribute encoding);

/* Creates #ttg.generic_linear from a layout. */
MlirAttribute nereid_ttg_generic_linear_from_layout(MlirContext ctx, const nereid_layout_t *layout);

/* Create #ttg.linear and #ttg.shared_linear from a layout. */
MlirAttribute nereid_ttg_linear_from_layout(MlirContext ctx, const nereid_layout_t *layout);
MlirAttribute nereid_ttg_shared_linear_from_layout(MlirContext ctx, const nereid_layout_t *layout, unsigned alignment);

#ifdef __cplusplus
}
#endif

#endif
