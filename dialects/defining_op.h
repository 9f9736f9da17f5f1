/* The defining op of a value, for folds, canonicalization and passes.
 *
 *   MlirOperation splat = nereid_defining_op_of_kind(src, NEREID_OP_TT_SPLAT);   // null unless tt.splat defines src */
#ifndef NEREID_DIALECTS_DEFINING_OP_H
#define NEREID_DIALECTS_DEFINING_OP_H

#include "nereid/dialects/ops.h"

#include <mlir-c/IR.h>

/* The operation that defines `value`; null for a block argument and for a null value. */
static inline MlirOperation nereid_defining_op(MlirValue value) {
  MlirOperation none = {NULL};
  return mlirValueIsNull(value) || !mlirValueIsAOpResult(value) ? none : mlirOpResultGetOwner(value);
}

/* The operation that defines `value` if it is of `kind`; null otherwise. */
static inline MlirOperation nereid_defining_op_of_kind(MlirValue value, nereid_op_kind_t kind) {
  MlirOperation none = {NULL}, defining = nereid_defining_op(value);
  return !mlirOperationIsNull(defining) && nereid_op_kind(defining) == kind ? defining : none;
}

#endif
