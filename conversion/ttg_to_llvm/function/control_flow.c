/* Lowers branches of cf; convert-scf-to-cf has converted structured control flow.
 *
 *   cf.br ^b(%t : tensor<256xf32, #blocked>)   ->   llvm.br ^b(%t.0, %t.1 : f32, f32)
 *
 * Operands are flattened to per-thread values, or words of them, as block arguments were in blocks.c. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/blocks.h"
#include "dialects/ir.h"

/* Emits terminator `name` with the flattened operands in segments and the successors of `op`. */
static bool emit_terminator(nereid_lower_t *lower, MlirOperation op, const char *name, const nereid_values_t *operands,
                            intptr_t n_attributes, const MlirNamedAttribute *attributes) {
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref(name), lower->builder.location);
  mlirOperationStateAddOperands(&state, (intptr_t)operands->size, operands->data);
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(op); ++i) {
    MlirBlock to = nereid_lower_block(lower, mlirOperationGetSuccessor(op, i));
    mlirOperationStateAddSuccessors(&state, 1, &to);
  }
  mlirOperationStateAddAttributes(&state, n_attributes, attributes);
  nereid_emit_insert_op(lower, mlirOperationCreate(&state));
  return !lower->arena->failed;
}

static MlirNamedAttribute i32_array(nereid_lower_t *lower, const char *name, intptr_t count, const int32_t *values) {
  return nereid_emit_attribute(lower, name, mlirDenseI32ArrayGet(lower->context, count, values));
}

/* The attribute `from` of `op` under the name `to`, if there. */
static intptr_t carry(nereid_lower_t *lower, MlirOperation op, const char *from, const char *to,
                      MlirNamedAttribute *out) {
  MlirAttribute value = nereid_ir_attribute(op, from);
  if (mlirAttributeIsNull(value))
    return 0;
  *out = nereid_emit_attribute(lower, to, value);
  return 1;
}

static bool lower_br(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_values_t operands = {0};
  MlirNamedAttribute attributes[1];
  intptr_t n = carry(lower, op, "llvm.loop_annotation", "loop_annotation", attributes);
  return nereid_lower_flatten_words(lower, op, 0, mlirOperationGetNumOperands(op), &operands) &&
         emit_terminator(lower, op, "llvm.br", &operands, n, attributes);
}

static intptr_t segment(MlirOperation op, const char *name, intptr_t index) {
  MlirAttribute segments = nereid_ir_attribute(op, name);
  return mlirDenseI32ArrayGetElement(segments, index);
}

static bool lower_cond_br(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const intptr_t n_true = segment(op, "operandSegmentSizes", 1), n = mlirOperationGetNumOperands(op);
  nereid_values_t operands = {0};
  int32_t sizes[3] = {1};
  if (!nereid_lower_flatten_words(lower, op, 0, 1 + n_true, &operands))
    return false;
  sizes[1] = (int32_t)operands.size - 1;
  if (!nereid_lower_flatten_words(lower, op, 1 + n_true, n, &operands))
    return false;
  sizes[2] = (int32_t)operands.size - 1 - sizes[1];
  MlirNamedAttribute attributes[2] = {i32_array(lower, "operandSegmentSizes", 3, sizes)};
  intptr_t count = 1 + carry(lower, op, "llvm.loop_annotation", "loop_annotation", attributes + 1);
  return emit_terminator(lower, op, "llvm.cond_br", &operands, count, attributes);
}

static bool lower_switch(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const intptr_t n_default = segment(op, "operandSegmentSizes", 1), cases = mlirOperationGetNumSuccessors(op) - 1;
  nereid_values_t operands = {0};
  int32_t sizes[3] = {1}, *case_sizes = nereid_arena_new(lower->arena, int32_t, (size_t)cases);
  if (!case_sizes || !nereid_lower_flatten_words(lower, op, 0, 1 + n_default, &operands))
    return false;
  sizes[1] = (int32_t)operands.size - 1;
  intptr_t next = 1 + n_default;
  for (intptr_t i = 0; i < cases; ++i) {
    const size_t before = operands.size;
    const intptr_t n = segment(op, "case_operand_segments", i);
    if (!nereid_lower_flatten_words(lower, op, next, next + n, &operands))
      return false;
    case_sizes[i] = (int32_t)(operands.size - before);
    next += n;
  }
  sizes[2] = (int32_t)operands.size - 1 - sizes[1];
  MlirNamedAttribute attributes[3] = {i32_array(lower, "operandSegmentSizes", 3, sizes),
                                      i32_array(lower, "case_operand_segments", cases, case_sizes)};
  intptr_t count = 2 + carry(lower, op, "case_values", "case_values", attributes + 2);
  return emit_terminator(lower, op, "llvm.switch", &operands, count, attributes);
}

const nereid_lower_row_t nereid_lower_control_flow_rows[] = {
    {NEREID_OP_CF_BR, lower_br, NULL},
    {NEREID_OP_CF_COND_BR, lower_cond_br, NULL},
    {NEREID_OP_CF_SWITCH, lower_switch, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
