/* The step of tt.scan through the warps of a CTA. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_SCAN_WARPS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_SCAN_WARPS_H

#include "conversion/ttg_to_llvm/reduction/scan_tuples.h"

/* Exchanges the totals of outer registers: `before`, [registers][width], gets those of the warps before this one, and
 * the totals become those of all warps, where `with_totals`. Returns i1: there are warps before this one; null after a
 * diagnostic. */
MlirValue nereid_scan_warps(nereid_scan_t *scan, const nereid_layout_segment_t *segment, bool with_totals,
                            MlirValue *before);

#endif
