/* Elements that move between the CTAs of a cluster. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_CONVERT_CLUSTER_H
#define NEREID_CONVERSION_TTG_TO_LLVM_CONVERT_CLUSTER_H

#include "conversion/ttg_to_llvm/lower.h"

/* Lowers `op` from layout `from` to `to`, which hold elements in different CTAs, through the shared memory of the
 * cluster. False after a diagnostic, or when out of memory. */
bool nereid_lower_convert_in_cluster(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from,
                                     const nereid_layout_t *to);

/* Sets `out` to the elements of `layout`, of type `element`, from the scratch of the CTA of the first thread that holds
 * each; that thread has stored it at its row-major index without the part of the CTA. All threads of the cluster
 * synchronize before and after. False after a diagnostic. */
bool nereid_lower_load_from_owners(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *layout,
                                   MlirType element, MlirValue scratch, nereid_lowered_t out);

/* Sets `out` to elements of type `element` in the scratches of the cluster. The image of `places`, of one dimension, is
 * a CTA, above `slot_bits` bits, and the number of an element there. The caller synchronizes the cluster before and
 * after. False after a diagnostic. */
bool nereid_lower_load_from_ctas(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *places, int slot_bits,
                                 MlirType element, MlirValue scratch, nereid_lowered_t out);

#endif
