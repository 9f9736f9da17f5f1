/* From a value to the operation that makes it, for folds, canonicalisation and passes.
 *
 *   MlirOperation splat = nereid_made_by(src, NEREID_OP_TT_SPLAT);   // null unless src is a result of tt.splat */
#ifndef NEREID_DIALECTS_MADE_BY_H
#define NEREID_DIALECTS_MADE_BY_H

#include "nereid/dialects/ops.h"

#include <mlir-c/IR.h>

/* The operation whose result `value` is; null for a block argument and for a null value. */
static inline MlirOperation nereid_maker(MlirValue value) {
  MlirOperation none = {NULL};
  return mlirValueIsNull(value) || !mlirValueIsAOpResult(value) ? none : mlirOpResultGetOwner(value);
}

/* The same when that operation is of this kind, else null. */
static inline MlirOperation nereid_made_by(MlirValue value, nereid_op_kind_t kind) {
  MlirOperation none = {NULL}, maker = nereid_maker(value);
  return !mlirOperationIsNull(maker) && nereid_op_kind(maker) == kind ? maker : none;
}

#endif
