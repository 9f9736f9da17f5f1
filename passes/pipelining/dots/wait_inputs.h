/* Inputs of a ttng.warp_group_dot_wait: what it completes, and the buffers of dots that stay in flight. */
#ifndef NEREID_PASSES_WAIT_INPUTS_H
#define NEREID_PASSES_WAIT_INPUTS_H

#include "passes/pipelining/dots/dot_flight.h"

/* Appends the inputs of the wait before `before` that completes the first `n` groups. The first `*results` of them are
 * values whose later uses the wait's results replace. The rest are the buffers of the groups in flight, those of older
 * iterations only if there is nothing else. */
void nereid_wait_inputs(const nereid_dot_block_t *in, MlirOperation before, const nereid_dot_flight_t *flight, int n,
                        nereid_dot_values_t *inputs, size_t *results);

/* Whether that wait has an input, as it must. */
bool nereid_wait_inputs_exist(const nereid_dot_block_t *in, MlirOperation before, const nereid_dot_flight_t *flight,
                              int n);

/* Appends the buffers of a group that are values of this iteration and not among the inputs. The views of older groups
 * are of the iteration before. */
void nereid_wait_inputs_add_buffers(const nereid_dot_block_t *in, nereid_dot_values_t *inputs,
                                    const nereid_dot_in_flight_t *group);

#endif
