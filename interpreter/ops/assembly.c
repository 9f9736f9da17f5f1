/* tt.elementwise_inline_asm: packs the elements into registers as the op specifies; the caller of the interpreter
 * executes the text (nereid_interpreter_options_t, `assembly`).
 *
 *   "add.u32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 4} : tensor<8xi8>      two calls of four elements
 *
 * Elements below 32 bits share a register, as many of `packed_element` as fit. An i1 in a register of its own is
 * sign-extended, as in compiled code: true is -1. The assignment of elements to threads is a matter of layout; here
 * consecutive elements in row-major order are packed. */
#include "interpreter/machine.h"

typedef struct values {
  size_t n; /* slots */
  nereid_slot_t **slots;
  size_t n_registers; /* number of registers per call */
  unsigned *bits;     /* width of each register */
} values_t;

static size_t per_register(const nereid_slot_t *slot, size_t pack) {
  const unsigned bits = slot->shape.element.bits;
  const size_t fit = bits < 32 ? 32 / bits : 1;
  return fit < pack ? fit : pack;
}

/* Computes the number and width of the registers for the slots. */
static bool plan(nereid_arena_t *arena, size_t n, nereid_slot_t **slots, size_t pack, values_t *out) {
  *out = (values_t){.n = n, .slots = slots};
  out->bits = nereid_arena_new(arena, unsigned, n *pack);
  for (size_t k = 0; out->bits && k < n; ++k) {
    const size_t each = per_register(slots[k], pack);
    for (size_t j = 0; j < pack; j += each)
      out->bits[out->n_registers++] = each > 1 ? 32 : slots[k]->shape.element.bits;
  }
  return out->bits != NULL;
}

/* Moves elements between the slots and registers[register][call]. */
static void move(const values_t *values, size_t pack, size_t n_calls, uint64_t *registers, bool in) {
  size_t at = 0;
  for (size_t k = 0; k < values->n; ++k) {
    const nereid_slot_t *slot = values->slots[k];
    const unsigned bits = slot->shape.element.bits;
    const size_t each = per_register(slot, pack);
    for (size_t j = 0; j < pack; j += each, ++at)
      for (size_t i = 0; i < n_calls * each; ++i) {
        const size_t element = i / each * pack + j + i % each;
        uint64_t *word = &registers[at * n_calls + i / each];
        const unsigned shift = (unsigned)(i % each) * bits;
        if (in && bits == 1 && each == 1)
          *word = nereid_machine_word(slot, element) & 1 ? UINT64_MAX : 0;
        else if (in)
          *word |= nereid_machine_word(slot, element) << shift;
        else
          slot->words[element] = nereid_bits_cut(*word >> shift, bits);
      }
  }
}

static nereid_view_t view_of(MlirStringRef text) {
  return nereid_view_of(text.data, text.length);
}

static bool run_in(nereid_machine_t *machine, const nereid_step_t *step, nereid_arena_t *arena) {
  const size_t pack = (size_t)nereid_tt_elementwise_inline_asm_get_packed_element(step->op);
  const size_t n_calls = step->results[0]->shape.count / pack;
  nereid_message_t message = {0};
  values_t operands, results;
  if (!plan(arena, step->n_operands, step->operands, pack, &operands) ||
      !plan(arena, step->n_results, step->results, pack, &results))
    return nereid_machine_exhausted(machine);
  uint64_t *from = nereid_arena_new(arena, uint64_t, operands.n_registers *n_calls);
  uint64_t *to = nereid_arena_new(arena, uint64_t, results.n_registers *n_calls);
  if (!from || !to)
    return nereid_machine_exhausted(machine);
  for (size_t r = 0; r < step->n_results; ++r)
    if (!nereid_machine_result(machine, step, r))
      return false;
  move(&operands, pack, n_calls, from, true);
  const nereid_interpreter_assembly_t assembly = {
      .text = view_of(nereid_tt_elementwise_inline_asm_get_asm_string(step->op)),
      .constraints = view_of(nereid_tt_elementwise_inline_asm_get_constraints(step->op)),
      .n_results = results.n_registers,
      .n_operands = operands.n_registers,
      .result_bits = results.bits,
      .operand_bits = operands.bits,
      .n_calls = n_calls,
      .operands = from,
      .results = to,
  };
  if (!machine->options.assembly(&assembly, machine->options.user_data, &message))
    return nereid_machine_error(step, "cannot be run: %s", message.text);
  move(&results, pack, n_calls, to, false);
  return true;
}

static bool inline_asm(nereid_machine_t *machine, const nereid_step_t *step) {
  nereid_arena_t arena;
  if (!machine->options.assembly)
    return nereid_machine_error(step, "is not supported by the interpreter without a handler of inline assembly");
  if (nereid_tt_elementwise_inline_asm_get_packed_element(step->op) < 1 || step->n_results == 0)
    return nereid_machine_error(step, "has no elements");
  nereid_arena_initialize(&arena);
  const bool done = run_in(machine, step, &arena);
  nereid_arena_deinitialize(&arena);
  return done;
}

const nereid_machine_row_t nereid_machine_assembly_rows[] = {
    {.kind = NEREID_OP_TT_ELEMENTWISE_INLINE_ASM, .run = inline_asm},
    {.kind = NEREID_OP_UNKNOWN},
};
