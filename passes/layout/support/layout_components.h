/* Layouts for whole groups of values: the first half of tritongpu-remove-layout-conversions. */
#ifndef NEREID_PASSES_LAYOUT_COMPONENTS_H
#define NEREID_PASSES_LAYOUT_COMPONENTS_H

#include "passes/layout/support/provisional_dots.h"
#include "passes/pass.h"

/* Splits the tensors below pass->op into components whose values must share one layout, because elementwise ops, loops,
 * branches and calls tie them together. Assigns to each component the layout that leaves the fewest bytes to convert at
 * its border. Types change in place; conversions are inserted at borders, and others become identities. `followers`:
 * ops that take any layout (sink_conversions.h) vote for their current layout. Operands of provisional `dots` have no
 * vote. False when out of memory, or after a diagnostic at an invalid call. */
bool nereid_layout_components_assign(nereid_pass_t *pass, const nereid_provisional_dots_t *dots, bool followers);

#endif
