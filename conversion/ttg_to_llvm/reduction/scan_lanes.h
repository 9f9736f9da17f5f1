/* The steps of tt.scan through the lanes of a warp. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_SCAN_LANES_H
#define NEREID_CONVERSION_TTG_TO_LLVM_SCAN_LANES_H

#include "conversion/ttg_to_llvm/reduction/scan_tuples.h"
#include "conversion/ttg_to_llvm/shuffle.h"

/* The source of the prefix of a lane: the lane or its distance, and whether there is one. */
typedef struct nereid_scan_source {
  nereid_shuffle_t mode;
  MlirValue lane, condition;
} nereid_scan_source_t;

/* `count` tuples from the source; `out` may be `tuples`. */
void nereid_scan_shuffle(nereid_scan_t *scan, const nereid_scan_source_t *source, intptr_t count, MlirValue *tuples,
                         MlirValue *out);

/* The lane before this one. */
nereid_scan_source_t nereid_scan_previous_lane(nereid_scan_t *scan, const nereid_layout_segment_t *segment);

/* All lanes get the totals of the last lane. */
bool nereid_scan_spread(nereid_scan_t *scan);

/* Each of `count` tuples becomes the combination of those of the lanes up to this one. */
bool nereid_scan_lanes(nereid_scan_t *scan, const nereid_layout_segment_t *segment, intptr_t count, MlirValue *tuples);

#endif
