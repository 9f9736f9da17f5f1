/* Tensor maps that a kernel creates. */
#ifndef NEREID_PASSES_TENSOR_MAPS_H
#define NEREID_PASSES_TENSOR_MAPS_H

#include "passes/pass.h"

/* Lowers each tt.make_tensor_descriptor to a tensor map in global scratch; the box is that of docs/abi.md. False when
 * out of memory. */
bool nereid_tensor_maps_lower(const nereid_pass_t *pass);

#endif
