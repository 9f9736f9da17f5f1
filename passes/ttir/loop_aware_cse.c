/* triton-loop-aware-cse: deduplicates loop-carried values.
 *
 *   scf.for … iter_args(%p = %x, %q = %x) {        scf.for … iter_args(%p = %x) {
 *     … %p … %q …                            ->      … %p … %p …
 *     yield addi %p, %s, addi %q, %s                 yield addi %p, %s
 *
 * Two carried values are equal if their initial values are equal and, assuming that they are equal, their yielded
 * values are equal: results of the same pure ops on equal operands, such as constants that cse has not merged yet,
 * including the loop's own ops. canonicalize and cse
 * remove the dead values. */
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"

#include "passes/support/loop.h"
#include "seam/effects.h"

enum { MAX_DEPTH = 16 };

typedef struct pair {
  MlirValue a, b; /* assumed to be equal */
} pair_t;

static bool same_attributes(MlirOperation a, MlirOperation b) {
  const intptr_t n = mlirOperationGetNumAttributes(a);
  if (n != mlirOperationGetNumAttributes(b))
    return false;
  for (intptr_t i = 0; i < n; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(a, i);
    if (!mlirAttributeEqual(attribute.attribute, mlirOperationGetAttributeByName(b, mlirIdentifierStr(attribute.name))))
      return false;
  }
  return true;
}

static bool equal(const pair_t *supposed, MlirValue a, MlirValue b, int depth) {
  if (mlirValueEqual(a, b) || (mlirValueEqual(a, supposed->a) && mlirValueEqual(b, supposed->b)) ||
      (mlirValueEqual(a, supposed->b) && mlirValueEqual(b, supposed->a)))
    return true;
  if (depth == MAX_DEPTH || !mlirValueIsAOpResult(a) || !mlirValueIsAOpResult(b) ||
      !mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b)) ||
      mlirOpResultGetResultNumber(a) != mlirOpResultGetResultNumber(b))
    return false;
  MlirOperation x = mlirOpResultGetOwner(a), y = mlirOpResultGetOwner(b);
  const intptr_t n = mlirOperationGetNumOperands(x);
  if (!mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(x)), mlirIdentifierStr(mlirOperationGetName(y))) ||
      n != mlirOperationGetNumOperands(y) || mlirOperationGetNumRegions(x) || !nereidMlirOperationIsPure(x) ||
      !same_attributes(x, y))
    return false;
  for (intptr_t i = 0; i < n; ++i)
    if (!equal(supposed, mlirOperationGetOperand(x, i), mlirOperationGetOperand(y, i), depth + 1))
      return false;
  return true;
}

/* Replaces carried value `b` by `a` if they are equal. */
static bool merge(MlirOperation loop, intptr_t a, intptr_t b) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  const pair_t supposed = {mlirBlockGetArgument(body, 1 + a), mlirBlockGetArgument(body, 1 + b)};
  if (!equal(&supposed, nereid_loop_initial(loop, a), nereid_loop_initial(loop, b), 0) ||
      !equal(&supposed, mlirOperationGetOperand(yield, a), mlirOperationGetOperand(yield, b), 0))
    return false;
  mlirValueReplaceAllUsesOfWith(supposed.b, supposed.a);
  mlirOperationSetOperand(yield, b, mlirOperationGetOperand(yield, a));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, b), mlirOperationGetResult(loop, a));
  return true;
}

MlirLogicalResult nereid_pass_triton_loop_aware_cse(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  if (!nereid_loop_collect(pass->op, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = loops.size; i-- > 0;) {
    const intptr_t n = mlirOperationGetNumResults(loops.data[i]);
    for (intptr_t b = 1; b < n; ++b)
      for (intptr_t a = 0; a < b; ++a)
        if (merge(loops.data[i], a, b)) {
          ++count;
          break;
        }
  }
  nereid_pass_statistic_add(pass, "merged", count);
  return mlirLogicalResultSuccess();
}
