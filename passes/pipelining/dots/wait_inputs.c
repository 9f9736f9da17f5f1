/* Inputs of waits for dots of warp groups; see wait_inputs.h.
 *
 *     %r:3 = ttng.warp_group_dot_wait %d, %slot_a, %slot_b {pendings = 1}
 *
 * %d: the result of the completed dot, whose later uses become uses of %r#0. The buffers keep the slots in use until
 * the wait. */
#include "passes/pipelining/dots/wait_inputs.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/dots/operand_registers.h"
#include "passes/pipelining/slot_overlap.h"

#include <mlir-c/BuiltinTypes.h>

static bool is_listed(const nereid_dot_values_t *values, MlirValue value) {
  for (size_t i = 0; i < values->size; ++i)
    if (mlirValueEqual(values->data[i], value))
      return true;
  return false;
}

void nereid_wait_inputs_add_buffers(const nereid_dot_block_t *in, nereid_dot_values_t *inputs,
                                    const nereid_dot_in_flight_t *group) {
  MlirValue operands[] = {nereid_ttng_warp_group_dot_get_a(group->dot), nereid_ttng_warp_group_dot_get_b(group->dot)};
  for (size_t i = 0; i < sizeof operands / sizeof *operands; ++i) {
    MlirValue buffer = group->age ? nereid_slot_buffer(operands[i]) : operands[i];
    MlirOperation op = nereid_defining_op(buffer);
    const bool is_known =
        group->age == 0 || mlirOperationIsNull(op) || mlirOperationIsNull(nereid_ir_ancestor_in(in->block, op));
    if (nereid_ttg_memdesc_type_isa(mlirValueGetType(buffer)) && is_known && !is_listed(inputs, buffer))
      nereid_vector_push(in->arena, inputs, buffer);
  }
}

/* Whether a wait can pass `value` on: numbers that the block computes. */
static bool can_pass(MlirBlock block, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirBlock owner = mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                                     : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  if (!mlirTypeIsARankedTensor(type) || !mlirBlockEqual(owner, block))
    return false;
  MlirType element = mlirShapedTypeGetElementType(type);
  return !mlirTypeIsAInteger(element) || mlirIntegerTypeGetWidth(element) > 1;
}

/* Adds the operands of `before` if it computes the next value of an operand A that the loop carries: the wait then
 * follows what computes them, which the dot in flight overlaps. */
static void add_operands_of_producer(const nereid_dot_block_t *in, nereid_dot_values_t *inputs, MlirOperation before,
                                     const nereid_dot_in_flight_t *group) {
  if (!mlirOperationEqual(before, nereid_operand_producer(in->block, group->dot)))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(before); ++i) {
    MlirValue operand = mlirOperationGetOperand(before, i);
    if (can_pass(in->block, operand) && !is_listed(inputs, operand))
      nereid_vector_push(in->arena, inputs, operand);
  }
}

/* Adds what orders accesses to accumulators: values computed before `before`, a dot, is issued, and operands of
 * `before` in accumulators. */
static void add_accumulators(const nereid_dot_block_t *in, nereid_dot_values_t *inputs, MlirOperation before) {
  const nereid_accumulators_t *accumulators = &in->accumulators;
  for (size_t i = 0; i < accumulators->hoisted.size; ++i)
    if (mlirOperationEqual(accumulators->hoisted.data[i].dot, before))
      nereid_vector_push(in->arena, inputs, accumulators->hoisted.data[i].value);
  for (intptr_t i = 0; nereid_accumulators_is_user(accumulators, before) && i < mlirOperationGetNumOperands(before);
       ++i) {
    MlirValue operand = mlirOperationGetOperand(before, i);
    if (nereid_accumulators_contain(accumulators, operand) && !is_listed(inputs, operand))
      nereid_vector_push(in->arena, inputs, operand);
  }
}

/* The values that the wait for the first `n` groups passes on: their results, which are used, and operands of
 * `before`. */
static void collect_results(const nereid_dot_block_t *in, MlirOperation before, const nereid_dot_flight_t *flight,
                            int n, nereid_dot_values_t *inputs) {
  for (int i = 0; i < n; ++i)
    if (!flight->groups[i].forwarded)
      nereid_dot_flight_values(in, &flight->groups[i], inputs);
  for (size_t i = inputs->size; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(inputs->data[i])))
      inputs->data[i] = inputs->data[--inputs->size];
  for (int i = 0; i < n; ++i)
    add_operands_of_producer(in, inputs, before, &flight->groups[i]);
  add_accumulators(in, inputs, before);
}

void nereid_wait_inputs(const nereid_dot_block_t *in, MlirOperation before, const nereid_dot_flight_t *flight, int n,
                        nereid_dot_values_t *inputs, size_t *results) {
  collect_results(in, before, flight, n, inputs);
  *results = inputs->size;
  for (int i = 0; i < flight->count; ++i)
    if (flight->groups[i].age == 0)
      nereid_wait_inputs_add_buffers(in, inputs, &flight->groups[i]);
  for (int i = 0; i < flight->count && !inputs->size; ++i)
    nereid_wait_inputs_add_buffers(in, inputs, &flight->groups[i]);
}

bool nereid_wait_inputs_exist(const nereid_dot_block_t *in, MlirOperation before, const nereid_dot_flight_t *flight,
                              int n) {
  nereid_dot_values_t inputs = {0};
  size_t results;
  nereid_wait_inputs(in, before, flight, n, &inputs, &results);
  return inputs.size > 0;
}
