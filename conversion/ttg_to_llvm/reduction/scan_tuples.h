/* Tuples of tt.scan and combinations of them.
 *
 * A tuple is one value per operand of the op. The bits of the index are processed in segments (layout/scan.h) from the
 * lowest up; the *outer* registers of a step are those whose index has no bit of the completed segments, and each has
 * one total over these segments. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_SCAN_TUPLES_H
#define NEREID_CONVERSION_TTG_TO_LLVM_SCAN_TUPLES_H

#include "conversion/ttg_to_llvm/lower.h"
#include "layout/scan.h"

typedef struct nereid_scan {
  nereid_lower_t *lower;
  MlirOperation op;
  MlirRegion region;
  bool pure, reverse;
  intptr_t width; /* values of a tuple */
  const nereid_layout_t *layout;
  nereid_layout_scan_t plan;
  uint32_t registers; /* registers of a thread */
  uint32_t done[3];   /* bits of each input that the steps so far went through */
  bool in_last_lane;  /* only the last lane of those done has the totals right */
  MlirValue *totals;  /* [registers][width]: those of outer registers count */
  MlirValue *pair;    /* two tuples, the arguments of the region */
  MlirValue lane;     /* i32 */
} nereid_scan_t;

/* The prefix of a block of elements. */
typedef struct nereid_scan_prefix {
  MlirValue *tuple;    /* null: none */
  MlirValue condition; /* i1: there is a prefix; null: always */
} nereid_scan_prefix_t;

MlirValue *nereid_scan_new(const nereid_scan_t *scan, size_t count);
size_t nereid_scan_bytes(const nereid_scan_t *scan); /* bytes of a tuple */
MlirValue *nereid_scan_at(const nereid_scan_t *scan, MlirValue *tuples, intptr_t i);

int64_t nereid_scan_words(const nereid_scan_t *scan); /* of 32 bits, of a tuple */

/* out = condition ? if_true : if_false; it may be either. */
void nereid_scan_select(nereid_scan_t *scan, MlirValue condition, const MlirValue *if_true, const MlirValue *if_false,
                        MlirValue *out);

/* out = region(before, value) */
bool nereid_scan_combine(nereid_scan_t *scan, const MlirValue *before, const MlirValue *value, MlirValue *out);

/* value = condition ? region(before, value) : value; a null condition always holds. A region that is not pure runs
 * nowhere else. */
bool nereid_scan_combine_where(nereid_scan_t *scan, MlirValue condition, const MlirValue *before, MlirValue *value);

/* Whether `r` is an outer register, and not a replica. */
bool nereid_scan_is_outer(const nereid_scan_t *scan, uint32_t r);

/* Those of outer registers out of `tuples`, [registers][width], one after the other, and back. */
intptr_t nereid_scan_gather_outer(const nereid_scan_t *scan, MlirValue *tuples, MlirValue *out);
void nereid_scan_scatter_outer(const nereid_scan_t *scan, MlirValue *gathered, MlirValue *out_tuples);

/* The input bits of index `i` of the segment, counted from the start of the scan. */
uint32_t nereid_scan_place(const nereid_scan_t *scan, const nereid_layout_segment_t *segment, uint32_t i);

#endif
