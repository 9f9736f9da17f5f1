/* Executes steps.
 *
 *   arith.addf     a lane function: for each element, the operands' words to one word of the result
 *   tt.dot         a function of the whole step
 *   scf.yield      ends its region and forwards its operands; cf.br ends its block
 *
 * A slot keeps its storage between loop iterations. */
#include "interpreter/machine.h"

#include "nereid/dialects/cf.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Diagnostics.h"

#include <stdarg.h>
#include <stdio.h>

/* --- values --- */

uint64_t *nereid_machine_resize(nereid_machine_t *machine, nereid_slot_t *slot, size_t count) {
  if (count > slot->capacity) {
    slot->words = nereid_arena_new(&machine->arena, uint64_t, count);
    slot->capacity = slot->words ? count : 0;
    if (!slot->words)
      return nereid_machine_exhausted(machine), NULL;
  }
  slot->count = count;
  return slot->words;
}

uint64_t *nereid_machine_result(nereid_machine_t *machine, const nereid_step_t *step, size_t index) {
  return nereid_machine_resize(machine, step->results[index], step->results[index]->shape.count);
}

static uint64_t *scratch_of(nereid_machine_t *machine, size_t count) {
  if (count > machine->scratch_capacity) {
    machine->scratch = nereid_arena_new(&machine->arena, uint64_t, count);
    machine->scratch_capacity = machine->scratch ? count : 0;
    if (!machine->scratch)
      nereid_machine_exhausted(machine);
  }
  return machine->scratch;
}

/* Copies counts and words through the scratch buffer: a destination may be a source of a later assignment. */
bool nereid_machine_assign(nereid_machine_t *machine, size_t n, nereid_slot_t *const *to, nereid_slot_t *const *from) {
  size_t total = n, at = n;
  if (n == 0)
    return true;
  const bool follows = machine->has_undefined;
  if (follows && !nereid_undefined_save(machine, n, from))
    return false;
  for (size_t i = 0; i < n; ++i)
    total += from[i]->count;
  uint64_t *scratch = scratch_of(machine, total);
  if (!scratch)
    return false;
  for (size_t i = 0; i < n; at += from[i++]->count) {
    scratch[i] = from[i]->count;
    memcpy(scratch + at, from[i]->words, from[i]->count * sizeof *scratch);
  }
  at = n;
  for (size_t i = 0; i < n; at += scratch[i++]) {
    uint64_t *words = nereid_machine_resize(machine, to[i], scratch[i]);
    if (!words)
      return false;
    memcpy(words, scratch + at, scratch[i] * sizeof *words);
  }
  return !follows || nereid_undefined_restore(machine, n, to);
}

/* --- steps --- */

enum { LANE_OPERANDS = 8 };

static bool run_lanes(nereid_machine_t *machine, const nereid_step_t *step) {
  const size_t n = step->n_operands;
  const nereid_lane_fn lane = step->row->lane;
  size_t count = 1;
  uint64_t x[LANE_OPERANDS];
  if (n > LANE_OPERANDS)
    return nereid_machine_error(step, "has more than %d operands", LANE_OPERANDS);
  for (size_t j = 0; j < n; ++j)
    if (step->operands[j]->count > count)
      count = step->operands[j]->count;
  uint64_t *out = nereid_machine_resize(machine, step->results[0], count);
  if (!out)
    return false;
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < n; ++j)
      x[j] = nereid_machine_word(step->operands[j], i);
    out[i] = nereid_bits_cut(lane(step, x), step->to.bits);
  }
  return true;
}

static bool is_over(nereid_machine_t *machine, const nereid_step_t *step) {
  if (machine->options.steps == 0 || machine->n_steps++ < machine->options.steps)
    return false;
  nereid_machine_error(step, "is reached in program (%u, %u, %u) after %llu steps, which is the limit",
                       machine->program[0], machine->program[1], machine->program[2],
                       (unsigned long long)machine->options.steps);
  return true;
}

/* Passes values to the caller's observer. */
static bool show(nereid_machine_t *machine, MlirOperation op, size_t n, nereid_slot_t *const *slots) {
  const nereid_step_t at = {.machine = machine, .op = op};
  for (size_t i = 0; i < n; ++i) {
    const nereid_interpreter_value_t value = {slots[i]->value, slots[i]->count, slots[i]->words};
    nereid_message_t message = {0};
    if (!machine->options.watch(&value, machine->options.user_data, &message))
      return nereid_machine_error(&at, "%s (program %u, %u, %u)", message.text, machine->program[0],
                                  machine->program[1], machine->program[2]);
  }
  return true;
}

static bool show_arguments(nereid_machine_t *machine, const nereid_code_block_t *block) {
  if (!machine->options.watch || !block->n_arguments)
    return true;
  MlirBlock owner = mlirBlockArgumentGetOwner(block->arguments[0]->value);
  return show(machine, mlirBlockGetParentOperation(owner), block->n_arguments, block->arguments);
}

/* Returns the step that ends the block; null after a diagnostic. */
static const nereid_step_t *run_block(nereid_machine_t *machine, const nereid_code_block_t *block) {
  if (!show_arguments(machine, block))
    return NULL;
  for (size_t i = 0; i < block->n_steps; ++i) {
    const nereid_step_t *step = &block->steps[i];
    if (is_over(machine, step) || (machine->has_undefined && !nereid_undefined_begin(step)))
      return NULL;
    if (step->row->ends)
      return step;
    if (step->row->lane ? !run_lanes(machine, step) : !step->row->run(machine, step))
      return NULL;
    if ((machine->has_undefined || step->row->is_undefined) && !nereid_undefined_follow(machine, step))
      return NULL;
    if (machine->options.watch && !show(machine, step->op, step->n_results, step->results))
      return NULL;
  }
  return NULL;
}

/* --- blocks --- */

/* Returns the successor of the case that equals the flag, else the default, which comes first. `from` skips the
 * operands of the preceding successors. */
static const nereid_code_block_t *switch_to(const nereid_step_t *step, nereid_slot_t *const **from) {
  MlirAttribute values = nereid_cf_switch_get_case_values_attr(step->op);
  const intptr_t n = mlirAttributeIsNull(values) ? 0 : mlirElementsAttrGetNumElements(values);
  nereid_slot_t *const *operands = step->operands + 1 + nereid_cf_switch_get_default_operands_count(step->op);
  for (intptr_t i = 0; i < n; ++i) {
    uint64_t position = (uint64_t)i;
    MlirAttribute value = mlirElementsAttrGetValue(values, 1, &position);
    if (nereid_bits_cut((uint64_t)mlirIntegerAttrGetValueInt(value), step->from.bits) == step->operands[0]->words[0]) {
      *from = operands;
      return step->successors[i + 1];
    }
    operands += nereid_cf_switch_get_case_operand_segments(step->op, i);
  }
  *from = step->operands + 1;
  return step->successors[0];
}

/* Returns the block that the step branches to, with its arguments set; null: out of memory. */
static const nereid_code_block_t *branch(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_code_block_t *to = step->successors[0];
  nereid_slot_t *const *from = step->operands;
  if (step->row->kind == NEREID_OP_CF_COND_BR) {
    from += 1;
    if (!step->operands[0]->words[0]) {
      to = step->successors[1];
      from += nereid_cf_cond_br_get_true_dest_operands_count(step->op);
    }
  }
  if (step->row->kind == NEREID_OP_CF_SWITCH)
    to = switch_to(step, &from);
  return nereid_machine_assign(machine, to->n_arguments, to->arguments, from) ? to : NULL;
}

const nereid_step_t *nereid_machine_region(nereid_machine_t *machine, const nereid_code_region_t *region) {
  const nereid_code_block_t *block = &region->blocks[0];
  for (;;) {
    const nereid_step_t *last = run_block(machine, block);
    if (!last || last->row->ends == NEREID_ENDS_REGION)
      return last;
    block = branch(machine, last);
    if (!block)
      return NULL;
  }
}
