/* Converts the signature of a tt.func and creates its llvm.func. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_SIGNATURE_H
#define NEREID_CONVERSION_TTG_TO_LLVM_SIGNATURE_H

#include "conversion/ttg_to_llvm/function/blocks.h"

/* By parameter of the llvm.func; the locations carry the names. */
typedef struct nereid_signature {
  nereid_types_t types;
  NEREID_VECTOR(MlirLocation) locations;
  NEREID_VECTOR(MlirAttribute) attributes;
} nereid_signature_t;

/* The block of `function`, a tt.func with a body, whose arguments are its own. */
MlirBlock nereid_lower_entry_block(MlirOperation function);

/* As a kernel or an internal function, by lower->function->is_kernel. False after a diagnostic. */
bool nereid_signature_of(nereid_lower_t *lower, MlirOperation function, nereid_signature_t *signature);

/* The llvm.func, without blocks, before `function`; null after a diagnostic, or if out of memory. */
MlirOperation nereid_signature_create_function(nereid_lower_t *lower, MlirOperation function,
                                               const nereid_signature_t *signature);

#endif
