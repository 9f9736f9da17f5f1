/* Tuples of tt.scan; see scan_tuples.h. */
#include "conversion/ttg_to_llvm/reduction/scan_tuples.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/region.h"
#include "conversion/ttg_to_llvm/slots.h"

#include <string.h>

MlirValue *nereid_scan_new(const nereid_scan_t *scan, size_t count) {
  return nereid_arena_new(scan->lower->arena, MlirValue, count * (size_t)scan->width);
}

size_t nereid_scan_bytes(const nereid_scan_t *scan) {
  return (size_t)scan->width * sizeof(MlirValue);
}

MlirValue *nereid_scan_at(const nereid_scan_t *scan, MlirValue *tuples, intptr_t i) {
  return tuples + i * scan->width;
}

bool nereid_scan_combine(nereid_scan_t *scan, const MlirValue *before, const MlirValue *value, MlirValue *out) {
  memcpy(scan->pair, before, nereid_scan_bytes(scan));
  memcpy(scan->pair + scan->width, value, nereid_scan_bytes(scan));
  return nereid_region_emit(scan->lower, scan->region, scan->pair, out);
}

/* In separate blocks: the region must not run if the condition is false. */
static bool combine_in_branch(nereid_scan_t *scan, MlirValue condition, const MlirValue *before, MlirValue *value) {
  nereid_lower_t *lower = scan->lower;
  MlirBlock rest = nereid_lower_split_block(lower), skip = nereid_lower_split_block(lower);
  MlirBlock then = nereid_lower_split_block(lower);
  MlirValue *made = nereid_scan_new(scan, 1);
  nereid_emit_cond_branch(lower, condition, then, skip);
  lower->builder.block = skip;
  nereid_emit_branch(lower, rest, scan->width, value);
  lower->builder.block = then;
  if (!made || !nereid_scan_combine(scan, before, value, made))
    return false;
  nereid_emit_branch(lower, rest, scan->width, made);
  lower->builder.block = rest;
  for (intptr_t k = 0; k < scan->width; ++k)
    value[k] = mlirBlockAddArgument(rest, mlirValueGetType(made[k]), lower->builder.location);
  return true;
}

int64_t nereid_scan_words(const nereid_scan_t *scan) {
  int64_t words = 0;
  for (intptr_t k = 0; k < scan->width; ++k)
    words += (nereid_slots_element_bytes(mlirValueGetType(scan->totals[k])) + 3) / 4;
  return words;
}

void nereid_scan_select(nereid_scan_t *scan, MlirValue condition, const MlirValue *if_true, const MlirValue *if_false,
                        MlirValue *out) {
  for (intptr_t k = 0; k < scan->width; ++k)
    out[k] = nereid_emit_select(scan->lower, condition, if_true[k], if_false[k]);
}

bool nereid_scan_combine_where(nereid_scan_t *scan, MlirValue condition, const MlirValue *before, MlirValue *value) {
  if (mlirValueIsNull(condition))
    return nereid_scan_combine(scan, before, value, value);
  if (!scan->pure)
    return combine_in_branch(scan, condition, before, value);
  MlirValue *made = nereid_scan_new(scan, 1);
  if (!made || !nereid_scan_combine(scan, before, value, made))
    return false;
  nereid_scan_select(scan, condition, made, value, value);
  return true;
}

/* --- registers --- */

bool nereid_scan_is_outer(const nereid_scan_t *scan, uint32_t r) {
  return !(r & (scan->done[NEREID_LAYOUT_REGISTER] | scan->plan.copies[NEREID_LAYOUT_REGISTER]));
}

intptr_t nereid_scan_gather_outer(const nereid_scan_t *scan, MlirValue *tuples, MlirValue *out) {
  intptr_t count = 0;
  for (uint32_t r = 0; r < scan->registers; ++r)
    if (nereid_scan_is_outer(scan, r))
      memcpy(nereid_scan_at(scan, out, count++), nereid_scan_at(scan, tuples, r), nereid_scan_bytes(scan));
  return count;
}

void nereid_scan_scatter_outer(const nereid_scan_t *scan, MlirValue *gathered, MlirValue *out_tuples) {
  intptr_t count = 0;
  for (uint32_t r = 0; r < scan->registers; ++r)
    if (nereid_scan_is_outer(scan, r))
      memcpy(nereid_scan_at(scan, out_tuples, r), nereid_scan_at(scan, gathered, count++), nereid_scan_bytes(scan));
}

uint32_t nereid_scan_place(const nereid_scan_t *scan, const nereid_layout_segment_t *segment, uint32_t i) {
  uint32_t place = 0;
  if (scan->reverse)
    i = ~i;
  for (int bit = 0; bit < segment->count; ++bit)
    place |= (i >> bit & 1) << segment->bits[bit];
  return place;
}
