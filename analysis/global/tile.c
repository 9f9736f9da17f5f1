/* Comparison of tiles; see tile.h.
 *
 *   [64 * i, 64 * i + 64) of an earlier iteration and of this one     disjoint: i has advanced
 *   [64 * (n * p + i), ...)                                           disjoint, too: n * p has not changed
 *   [64 * i * programs, ...)                                          disjoint, too: there is at least one program
 *   [n * i, n * i + 64)                                               unknown: n may be less than 64
 *
 * Different products of symbols are rows of unknown length to the comparison of addresses. It assumes that rows do not
 * overlap only of stores by threads (`writes`), which tiles are not. Coordinates with digits are anywhere. */
#include "analysis/global/tile.h"

static const nereid_address_owners_t one_thread = {0};

static bool is_simple(const nereid_forms_t *forms, const nereid_form_t *form) {
  for (uint32_t i = 0; i < form->n_terms; ++i)
    if (nereid_product_has(forms, form->terms[i].product, NEREID_SYMBOL_DIGIT) ||
        nereid_product_has(forms, form->terms[i].product, NEREID_SYMBOL_DIGITS))
      return false;
  return form->n_weights == 0;
}

void nereid_tile_set(nereid_tile_t *tile, intptr_t d, nereid_forms_t *forms, const nereid_form_t *coordinate,
                     int64_t extent) {
  const bool usable = coordinate && is_simple(forms, coordinate);
  tile->intervals[d] = (nereid_address_t){
      .forms = forms, .form = usable ? coordinate : NULL, .owners = &one_thread, .bytes = (uint32_t)extent};
}

bool nereid_tile_is_anywhere(const nereid_tile_t *tile) {
  for (intptr_t d = 0; d < tile->rank; ++d)
    if (tile->intervals[d].form)
      return false;
  return true;
}

bool nereid_tiles_are_disjoint(const nereid_tile_t *earlier, const nereid_tile_t *later) {
  if (!mlirValueEqual(earlier->descriptor, later->descriptor))
    return false;
  for (intptr_t d = 0; d < earlier->rank && d < later->rank; ++d)
    if (nereid_address_relation(&earlier->intervals[d], &later->intervals[d]) == NEREID_SHAPES_DISJOINT)
      return true;
  return false;
}

bool nereid_tiles_are_equal(const nereid_tile_t *a, const nereid_tile_t *b) {
  bool equal = mlirValueEqual(a->descriptor, b->descriptor) && a->rank == b->rank;
  for (intptr_t d = 0; equal && d < a->rank; ++d)
    equal = a->intervals[d].form == b->intervals[d].form && a->intervals[d].bytes == b->intervals[d].bytes;
  return equal;
}
