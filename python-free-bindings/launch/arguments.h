/* The arguments of a launch: checks against the signature, and tensors for descriptors. */
#ifndef NEREID_LAUNCH_ARGUMENTS_H
#define NEREID_LAUNCH_ARGUMENTS_H

#include "python-free-bindings/launch/kernel.h"

/* An argument of the caller, and the parameter that it is for. They differ after a tensor. */
typedef struct nereid_place {
  size_t parameter, argument;
} nereid_place_t;

/* One value per parameter of the kernel, from a list with tensors. */
typedef struct nereid_arguments {
  size_t n_maps, n_owners;
  nereid_value_t values[NEREID_KERNEL_PARAMETER_LIMIT];
  uint16_t argument_of[NEREID_KERNEL_PARAMETER_LIMIT];        /* position of the argument of each value */
  nereid_tma_reference_t maps[NEREID_KERNEL_PARAMETER_LIMIT]; /* without owners */
  nereid_tma_owner_t owners[NEREID_KERNEL_PARAMETER_LIMIT];   /* retained, in the order of the arguments */
} nereid_arguments_t;

/* Expands `n` arguments. `launched`: creates the tensor maps and retains the owners; otherwise maps are null, for a use
 * of the integers only. After NEREID_OK, nereid_arguments_release must be called; else nothing is retained. The message
 * names the argument. */
NEREID_MUST_USE nereid_status_t nereid_arguments_expand(const nereid_kernel_t *kernel, size_t n,
                                                        const nereid_value_t *arguments, bool launched,
                                                        nereid_arguments_t *out_expanded, nereid_message_t *message);

/* If the stream is being captured, retains the owners for its graph. */
NEREID_MUST_USE nereid_status_t nereid_arguments_capture(const nereid_kernel_t *kernel, void *stream,
                                                         const nereid_arguments_t *expanded, nereid_message_t *message);

/* Releases the owners, in the order of the arguments, and the maps. */
void nereid_arguments_release(nereid_arguments_t *expanded);

/* Errors of an argument: NEREID_ERROR_ARGUMENT. */
nereid_status_t nereid_argument_wrong(const nereid_kernel_t *kernel, nereid_place_t at, const char *problem,
                                      nereid_message_t *message);
nereid_status_t nereid_argument_wrong_type(const nereid_kernel_t *kernel, nereid_place_t at,
                                           const nereid_value_t *value, nereid_message_t *message);
nereid_status_t nereid_argument_wrong_divisor(const nereid_kernel_t *kernel, nereid_place_t at,
                                              const nereid_value_t *value, nereid_message_t *message);
nereid_status_t nereid_argument_wrong_count(const nereid_kernel_t *kernel, size_t n, nereid_message_t *message);

#endif
