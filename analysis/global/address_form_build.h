/* Declarations shared by the address form sources; private to analysis/global. */
#ifndef NEREID_ANALYSIS_GLOBAL_ADDRESS_FORM_BUILD_H
#define NEREID_ANALYSIS_GLOBAL_ADDRESS_FORM_BUILD_H

#include "analysis/global/address_form.h"

/* Add to and multiply forms; false when the result exceeds the limits of address_form.h. */
bool nereid_form_add_term(nereid_form_t *form, int64_t factor, nereid_product_t product);
bool nereid_form_add_weight(nereid_form_t *form, nereid_form_weight_t weight);
bool nereid_product_multiply(nereid_product_t a, nereid_product_t b, nereid_product_t *out);

/* Adds scale * product * form to `out`. */
bool nereid_form_add_scaled(nereid_form_t *out, const nereid_form_t *form, int64_t scale, nereid_product_t product);
bool nereid_form_add(nereid_form_t *out, const nereid_form_t *form, int64_t scale);

/* form / divisor or form % divisor, rounded down; false when `form` cannot be divided part by part. */
bool nereid_form_divide(const nereid_forms_t *forms, const nereid_form_t *form, int64_t divisor, bool remainder,
                        nereid_form_t *out);

/* Adds form / divisor or form % divisor to the empty `out` as a digit of `form`, see address_digits.c. */
bool nereid_forms_digit(nereid_forms_t *forms, const nereid_form_t *form, int64_t divisor, bool remainder,
                        nereid_form_t *out);

/* `form` with the digits of each value joined; null when some digits cannot be joined. */
const nereid_form_t *nereid_forms_join_digits(nereid_forms_t *forms, const nereid_form_t *form);

/* A new symbol; 0 when out of memory. */
uint32_t nereid_forms_add_symbol(nereid_forms_t *forms, nereid_symbol_t symbol);

/* Sorts `form` into canonical order and returns the interned form equal to it; null when out of memory. */
const nereid_form_t *nereid_forms_store(nereid_forms_t *forms, nereid_form_t *form);

/* The symbols of a scalar defined in `node`, of the difference of `value` from its initial value, and of the counter of
 * the loop with head `header`; 0 when out of memory. */
uint32_t nereid_forms_symbol(nereid_forms_t *forms, MlirValue value, uint32_t node);
uint32_t nereid_forms_drift(nereid_forms_t *forms, MlirValue value, uint32_t node, uint8_t divisibility);
uint32_t nereid_forms_counter(nereid_forms_t *forms, uint32_t header);

/* The nodes of the loop with head `header`; null when the loop has another entry (is irreducible). */
const nereid_map_t *nereid_forms_loop(nereid_forms_t *forms, uint32_t header, bool *out_irreducible);

/* Returns whether `symbol` may change in `loop` (null: any loop). */
bool nereid_forms_varies(const nereid_forms_t *forms, const nereid_map_t *loop, uint32_t symbol);

#endif
