/* Programs, control flow and calls.
 *
 *   scf.for %i = %a to %b step %s iter_args(%x = %y)     x := y; per iteration: run the body, x := the yielded value
 *
 * Values are stored per function, not per call, so a recursive call is an error. */
#include "interpreter/machine.h"

#include "nereid/dialects/cf.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

static bool get_program_id(nereid_machine_t *machine, const nereid_step_t *step) {
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (out)
    *out = machine->program[nereid_tt_get_program_id_get_axis(step->op)];
  return out != NULL;
}

static bool get_num_programs(nereid_machine_t *machine, const nereid_step_t *step) {
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (out)
    *out = machine->grid[nereid_tt_get_num_programs_get_axis(step->op)];
  return out != NULL;
}

/* --- scf --- */

static bool run_for(nereid_machine_t *machine, const nereid_step_t *step) {
  const unsigned bits = step->from.bits;
  const bool is_unsigned = nereid_scf_for_get_unsigned_cmp(step->op);
  const uint64_t upper = step->operands[1]->words[0], stride = step->operands[2]->words[0];
  const nereid_code_block_t *body = &step->regions[0].blocks[0];
  const size_t n = body->n_arguments - 1;
  uint64_t i = step->operands[0]->words[0];
  if (!nereid_machine_assign(machine, n, body->arguments + 1, step->operands + 3))
    return false;
  if (is_unsigned ? stride == 0 : nereid_bits_signed(stride, bits) <= 0)
    return nereid_machine_error(step, "has a non-positive step");
  for (;;) {
    if (is_unsigned ? i >= upper : nereid_bits_signed(i, bits) >= nereid_bits_signed(upper, bits))
      break;
    uint64_t *variable = nereid_machine_resize(machine, body->arguments[0], 1);
    if (!variable)
      return false;
    *variable = i;
    const nereid_step_t *yield = nereid_machine_region(machine, &step->regions[0]);
    if (!yield || !nereid_machine_assign(machine, n, body->arguments + 1, yield->operands))
      return false;
    const uint64_t next = nereid_bits_cut(i + stride, bits);
    if (is_unsigned ? next < i : nereid_bits_signed(next, bits) < nereid_bits_signed(i, bits))
      break; /* past the largest value of the type */
    i = next;
  }
  return nereid_machine_assign(machine, n, step->results, body->arguments + 1);
}

static bool run_if(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_code_region_t *taken = &step->regions[step->operands[0]->words[0] ? 0 : 1];
  if (taken->n_blocks == 0)
    return true;
  const nereid_step_t *yield = nereid_machine_region(machine, taken);
  return yield && nereid_machine_assign(machine, step->n_results, step->results, yield->operands);
}

static bool run_while(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_code_region_t *before = &step->regions[0], *after = &step->regions[1];
  const nereid_code_block_t *first = &before->blocks[0], *second = &after->blocks[0];
  if (!nereid_machine_assign(machine, first->n_arguments, first->arguments, step->operands))
    return false;
  for (;;) {
    const nereid_step_t *condition = nereid_machine_region(machine, before);
    if (!condition)
      return false;
    if (!condition->operands[0]->words[0])
      return nereid_machine_assign(machine, step->n_results, step->results, condition->operands + 1);
    if (!nereid_machine_assign(machine, second->n_arguments, second->arguments, condition->operands + 1))
      return false;
    const nereid_step_t *yield = nereid_machine_region(machine, after);
    if (!yield || !nereid_machine_assign(machine, first->n_arguments, first->arguments, yield->operands))
      return false;
  }
}

static bool run_execute_region(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_step_t *yield = nereid_machine_region(machine, &step->regions[0]);
  return yield && nereid_machine_assign(machine, step->n_results, step->results, yield->operands);
}

/* Runs the region of the case that equals the operand, else the default region, which comes first. */
static bool run_index_switch(nereid_machine_t *machine, const nereid_step_t *step) {
  const int64_t flag = (int64_t)step->operands[0]->words[0];
  size_t taken = 0;
  for (intptr_t i = 0; taken == 0 && i < nereid_scf_index_switch_get_cases_count(step->op); ++i)
    if (nereid_scf_index_switch_get_cases(step->op, i) == flag)
      taken = (size_t)i + 1;
  const nereid_step_t *yield = nereid_machine_region(machine, &step->regions[taken]);
  return yield && nereid_machine_assign(machine, step->n_results, step->results, yield->operands);
}

static bool run_cf_assert(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine;
  MlirStringRef text = nereid_cf_assert_get_msg(step->op);
  return step->operands[0]->words[0] || nereid_machine_error(step, "failed: %.*s", (int)text.length, text.data);
}

/* --- calls --- */

static bool run_call(nereid_machine_t *machine, const nereid_step_t *step) {
  MlirOperation callee = nereidMlirSymbolTableLookupNearestFrom(step->op, nereid_tt_call_get_callee_attr(step->op));
  MlirStringRef name = nereid_tt_call_get_callee(step->op);
  if (mlirOperationIsNull(callee))
    return nereid_machine_error(step, "calls '%.*s', which is not defined", (int)name.length, name.data);
  nereid_function_t *function = nereid_machine_function(machine, callee);
  if (!function)
    return false;
  if (function->active)
    return nereid_machine_error(step, "calls '%.*s' recursively, which is not supported", (int)name.length, name.data);
  const nereid_code_block_t *entry = &function->body.blocks[0];
  if (!nereid_machine_assign(machine, entry->n_arguments, entry->arguments, step->operands))
    return false;
  function->active = true;
  const nereid_step_t *end = nereid_machine_region(machine, &function->body);
  function->active = false;
  return end && nereid_machine_assign(machine, step->n_results, step->results, end->operands);
}

static bool unreachable(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_error(step, "is reached in program (%u, %u, %u)", machine->program[0], machine->program[1],
                              machine->program[2]);
}

static bool nothing(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine, (void)step;
  return true;
}

const nereid_machine_row_t nereid_machine_control_rows[] = {
    {.kind = NEREID_OP_TT_GET_PROGRAM_ID, .run = get_program_id},
    {.kind = NEREID_OP_TT_GET_NUM_PROGRAMS, .run = get_num_programs},
    {.kind = NEREID_OP_TT_CALL, .run = run_call},
    {.kind = NEREID_OP_TT_RETURN, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_TT_REDUCE_RETURN, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_TT_SCAN_RETURN, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_TT_MAP_ELEMENTWISE_RETURN, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_SCF_FOR, .run = run_for},
    {.kind = NEREID_OP_SCF_IF, .run = run_if},
    {.kind = NEREID_OP_SCF_WHILE, .run = run_while},
    {.kind = NEREID_OP_SCF_EXECUTE_REGION, .run = run_execute_region},
    {.kind = NEREID_OP_SCF_INDEX_SWITCH, .run = run_index_switch},
    {.kind = NEREID_OP_SCF_YIELD, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_SCF_CONDITION, .ends = NEREID_ENDS_REGION},
    {.kind = NEREID_OP_CF_BR, .ends = NEREID_ENDS_BLOCK},
    {.kind = NEREID_OP_CF_COND_BR, .ends = NEREID_ENDS_BLOCK},
    {.kind = NEREID_OP_CF_SWITCH, .ends = NEREID_ENDS_BLOCK},
    {.kind = NEREID_OP_CF_ASSERT, .run = run_cf_assert},
    {.kind = NEREID_OP_UB_UNREACHABLE, .run = unreachable},
    /* programs have no threads; llvm.intr.assume has no effect */
    {.kind = NEREID_OP_GPU_BARRIER, .run = nothing},
    {.kind = NEREID_OP_TT_GRID_DEPENDENCY_WAIT, .run = nothing},
    {.kind = NEREID_OP_TT_GRID_DEPENDENCY_LAUNCH_DEPENDENTS, .run = nothing},
    {.kind = NEREID_OP_LLVM_INTR_ASSUME, .run = nothing},
    {.kind = NEREID_OP_UNKNOWN},
};
