/* Layouts for whole groups of values: the first half of tritongpu-remove-layout-conversions. */
#ifndef NEREID_PASSES_LAYOUT_COMPONENTS_H
#define NEREID_PASSES_LAYOUT_COMPONENTS_H

#include "passes/pass.h"

/* Splits the tensors below pass->op into components whose values must have one layout (because elementwise ops, loops,
 * branches and calls tie them together) and gives each component the layout that leaves the least to convert at its
 * border. Types change in place, conversions are inserted where a border needs one; others become identities.
 * `followers`: ops that take any layout (sink_conversions.h) count with the one they have. False when out of memory, or
 * after an error at a wrong call. */
bool nereid_layout_components_assign(nereid_pass_t *pass, bool followers);

#endif
