/* The lattice of axis information: creates, weakens and meets facts. Private to analysis/. */
#ifndef NEREID_ANALYSIS_AXIS_FACT_H
#define NEREID_ANALYSIS_AXIS_FACT_H

#include "analysis/axis/axis_types.h"

/* A fact without information about a value of `type`: only sizes, unit and width are set. */
nereid_axis_info_t nereid_axis_unknown(MlirType type);

/* Whether `type` is an integer, index, float or pointer to one of them, or a tensor of these. */
bool nereid_axis_is_numeric(MlirType type);

/* Divisibility of the first elements of groups of 2^contiguity along `d`, which may be shorter than the fact's own
 * groups (a group of 8 that starts at a multiple of 16 has groups of 2 that start at multiples of 2). */
uint8_t nereid_axis_weakened(const nereid_axis_info_t *info, int d, uint8_t contiguity);

/* A power of two that divides every element, as its logarithm. */
uint8_t nereid_axis_divides_all(const nereid_axis_info_t *info);

/* Sets every element to `value`, truncated to the fact's width. */
void nereid_axis_set_constant(nereid_axis_info_t *info, uint64_t value);

/* `value` as a signed integer of `width` bits. */
int64_t nereid_axis_signed(uint64_t value, uint8_t width);

/* Meets `other` into `into`. True when `into` changed. An unreached fact is neutral. */
bool nereid_axis_meet(nereid_axis_info_t *into, const nereid_axis_info_t *other);

/* Raises the fact to the hints that `get(name)` returns: tt.contiguity, tt.divisibility, tt.constancy. */
typedef MlirAttribute (*nereid_axis_hint_t)(const void *data, MlirStringRef name);
void nereid_axis_raise(nereid_axis_info_t *info, nereid_axis_hint_t get, const void *data);

#endif
