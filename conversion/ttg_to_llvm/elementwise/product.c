/* Multiplication of row indices by a run-time stride (arith.muli), by repeated addition:
 *
 *   %rows = %base + [0, 1, 2, 3]              %p.0 = llvm.mul %base, %stride
 *   %p = arith.muli %rows, %stride      ->    %p.1 = llvm.add %p.0, %stride
 *                                             %p.2 = llvm.add %p.1, %stride
 *                                             %p.3 = llvm.add %p.2, %stride
 *
 * The results are the same, with and without wrapping. The purpose is not to save multiplications: given independent
 * multiplications, ptxas schedules the load of each row after the arithmetic of the previous one, which serializes the
 * loads (gelu of a matrix with a bias takes three times as long). */
#include "conversion/ttg_to_llvm/elementwise/product.h"

#include "dialects/ir.h"

#include "base/map.h"
#include "conversion/ttg_to_llvm/emit.h"

#include <mlir-c/BuiltinAttributes.h>

enum { MAX_TERMS = 4, MIN_REGISTERS = 4, MAX_STEPS = 16 };

/* A sum: values that are added, and a constant, modulo 2^64. */
typedef struct sum {
  MlirValue terms[MAX_TERMS];
  int n_terms;
  uint64_t constant;
} sum_t;

static bool is_addition(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (mlirStringRefEqual(name, mlirStringRefCreateFromCString("llvm.add")))
    return true;
  return mlirStringRefEqual(name, mlirStringRefCreateFromCString("llvm.or")) &&
         nereid_ir_has_attribute(op, "isDisjoint");
}

static bool is_constant(MlirValue value, int64_t *out) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                          mlirStringRefCreateFromCString("llvm.mlir.constant")))
    return false;
  MlirAttribute attribute = nereid_ir_attribute(op, "value");
  if (!mlirAttributeIsAInteger(attribute))
    return false;
  *out = mlirIntegerAttrGetValueSInt(attribute);
  return true;
}

/* Adds the terms of `value` to `sum`; false when there are too many. */
static bool add_terms(MlirValue value, int depth, sum_t *sum) {
  int64_t constant;
  if (is_constant(value, &constant)) {
    sum->constant += (uint64_t)constant;
    return true;
  }
  if (depth < 3 && mlirValueIsAOpResult(value) && is_addition(mlirOpResultGetOwner(value))) {
    MlirOperation op = mlirOpResultGetOwner(value);
    return add_terms(mlirOperationGetOperand(op, 0), depth + 1, sum) &&
           add_terms(mlirOperationGetOperand(op, 1), depth + 1, sum);
  }
  if (sum->n_terms == MAX_TERMS)
    return false;
  sum->terms[sum->n_terms++] = value;
  return true;
}

/* The constants by which the registers of `values` differ, in the arena; null when they differ by more. */
static uint64_t *constant_parts(nereid_lower_t *lower, nereid_lowered_t values) {
  uint64_t *parts = nereid_arena_new(lower->arena, uint64_t, (size_t)values.count);
  sum_t first = {.n_terms = 0};
  if (!parts || !add_terms(values.values[0], 0, &first))
    return NULL;
  for (intptr_t r = 0; r < values.count; ++r) {
    sum_t sum = {.n_terms = 0};
    if (!add_terms(values.values[r], 0, &sum) || sum.n_terms != first.n_terms)
      return NULL;
    for (int i = 0; i < sum.n_terms; ++i)
      if (!mlirValueEqual(sum.terms[i], first.terms[i]))
        return NULL;
    parts[r] = sum.constant;
  }
  return parts;
}

/* The value common to all registers; null if it is a constant, for which a chain does not pay. */
static MlirValue shared_factor(nereid_lowered_t values) {
  int64_t constant;
  for (intptr_t r = 1; r < values.count; ++r)
    if (!mlirValueEqual(values.values[r], values.values[0]))
      return (MlirValue){NULL};
  return is_constant(values.values[0], &constant) ? (MlirValue){NULL} : values.values[0];
}

typedef struct steps {
  uint64_t distances[MAX_STEPS];
  MlirValue values[MAX_STEPS];
  int count;
} steps_t;

/* `factor` times `distance`; there are few distances, at most one per bit of a register index. */
static MlirValue step_of(nereid_lower_t *lower, steps_t *steps, MlirValue factor, uint64_t distance) {
  for (int i = 0; i < steps->count; ++i)
    if (steps->distances[i] == distance)
      return steps->values[i];
  MlirValue step = factor;
  if (distance != 1)
    step = nereid_emit_mul(lower, factor, nereid_emit_int(lower, mlirValueGetType(factor), (int64_t)distance));
  if (steps->count < MAX_STEPS) {
    steps->distances[steps->count] = distance;
    steps->values[steps->count++] = step;
  }
  return step;
}

/* Emits one multiplication, then additions; registers with the same index share a result. False if out of memory. */
static bool emit_chain(nereid_lower_t *lower, nereid_lowered_t index, MlirValue factor, const uint64_t *parts,
                       nereid_lowered_t products) {
  steps_t steps = {.count = 0};
  nereid_map_t made;
  intptr_t last = 0;
  nereid_map_initialize(&made, lower->arena);
  for (intptr_t r = 0; r < products.count; ++r) {
    uintptr_t *place = nereid_map_insert(&made, index.values[r].ptr);
    if (!place)
      return false;
    if (!*place) {
      MlirValue product =
          r ? nereid_emit_add(lower, products.values[last], step_of(lower, &steps, factor, parts[r] - parts[last]))
            : nereid_emit_mul(lower, index.values[0], factor);
      *place = (uintptr_t)product.ptr;
      last = r;
    }
    products.values[r] = (MlirValue){(const void *)*place};
  }
  return true;
}

bool nereid_lower_product(nereid_lower_t *lower, MlirOperation op) {
  nereid_lowered_t operands[] = {nereid_lower_operand(lower, op, 0), nereid_lower_operand(lower, op, 1)};
  if (!operands[0].values || !operands[1].values || operands[0].count < MIN_REGISTERS)
    return false;
  const int shared = mlirValueIsNull(shared_factor(operands[1])) ? 0 : 1;
  MlirValue factor = shared_factor(operands[shared]);
  const uint64_t *parts = mlirValueIsNull(factor) ? NULL : constant_parts(lower, operands[1 - shared]);
  nereid_lowered_t products = nereid_lower_array(lower, operands[0].count);
  if (!parts || !products.values)
    return false;

  if (!emit_chain(lower, operands[1 - shared], factor, parts, products))
    return false;
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), products);
  return true;
}
