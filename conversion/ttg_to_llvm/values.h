/* The map from values of tt to per-thread values, and elementwise emission. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_VALUES_H
#define NEREID_CONVERSION_TTG_TO_LLVM_VALUES_H

#include "conversion/ttg_to_llvm/types.h"

/* The per-thread values of one tt value: one for a scalar, one per register for a tensor. */
typedef struct nereid_lowered {
  intptr_t count;
  MlirValue *values; /* owned by the conversion's arena */
} nereid_lowered_t;

/* The per-thread values of `value`, which must have been lowered. */
nereid_lowered_t nereid_lower_get(nereid_lower_t *lower, MlirValue value);

/* Sets the per-thread values of `value`; the array is not copied and must live in the arena. */
void nereid_lower_set(nereid_lower_t *lower, MlirValue value, nereid_lowered_t lowered);

/* Sets a scalar's one value. */
void nereid_lower_set_scalar(nereid_lower_t *lower, MlirValue value, MlirValue lowered);

/* Sets all registers of a value to `lowered`; false if out of memory. */
bool nereid_lower_set_splat(nereid_lower_t *lower, MlirValue value, MlirValue lowered);

/* An array of `count` null values in the arena. */
nereid_lowered_t nereid_lower_array(nereid_lower_t *lower, intptr_t count);

/* Operand or result `index` of `op`, lowered. */
nereid_lowered_t nereid_lower_operand(nereid_lower_t *lower, MlirOperation op, intptr_t index);

/* Emits one element of an elementwise op: from one value per operand to the result's value. `element` is the LLVM type
 * of a result element. Null after a diagnostic. */
typedef MlirValue (*nereid_element_fn)(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                       MlirType element, const MlirValue *operands);

/* Lowers an op with one result whose operands are scalars or tensors of one layout: calls `emit` once per distinct
 * tuple of operand values, and once for registers that axis analysis proves equal. The op must be pure. */
bool nereid_lower_elementwise(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                              nereid_element_fn emit);

/* The same, but registers with a bit of `without` get the value of the register without these bits. */
bool nereid_lower_elementwise_without(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                      nereid_element_fn emit, uint32_t without);

/* Sets the result of `op` to registers of its first operand, when every thread already holds what it needs: `from` is
 * the operand's layout, seen as a tensor of the result's shape, and `to` the result's. */
bool nereid_lower_rename(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from,
                         const nereid_layout_t *to);

#endif
