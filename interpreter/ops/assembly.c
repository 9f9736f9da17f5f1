/* tt.elementwise_inline_asm, ttg.inline_asm: puts the elements into registers as the op specifies; the caller of the
 * interpreter executes the text (nereid_interpreter_options_t, `assembly`).
 *
 *   "add.u32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 4} : tensor<8xi8>      two calls of four elements
 *
 * Elements below 32 bits share a register, as many of `packed_element` as fit. An i1 in a register of its own is
 * sign-extended, as in compiled code: true is -1. The assignment of elements to threads is a matter of layout; of the
 * former, consecutive elements in row-major order are packed. The latter is called for each thread with the elements
 * that its layouts give it. */
#include "interpreter/machine.h"

#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"

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

/* --- ttg.inline_asm --- */

/* The registers of operands or of results in each thread; a thread is a call. */
typedef struct threads {
  size_t n_slots, n_registers, n_calls;
  nereid_slot_t *const *slots;
  size_t *counts;           /* registers of each slot */
  nereid_layout_t *layouts; /* of each slot that is a tensor */
  unsigned *bits;           /* width of each register */
} threads_t;

static int thread_bits(const nereid_layout_t *layout) {
  return layout->in_bits[NEREID_LAYOUT_LANE] + layout->in_bits[NEREID_LAYOUT_WARP] +
         layout->in_bits[NEREID_LAYOUT_BLOCK];
}

/* False when out of memory, or for a layout that is not linear. */
static bool find_threads(nereid_arena_t *arena, size_t n, nereid_slot_t *const *slots, threads_t *out) {
  *out = (threads_t){.n_slots = n, .n_calls = 1, .slots = slots};
  out->counts = nereid_arena_new(arena, size_t, n + 1);
  out->layouts = nereid_arena_new(arena, nereid_layout_t, n + 1);
  for (size_t k = 0; out->counts && out->layouts && k < n; ++k) {
    out->counts[k] = 1;
    if (slots[k]->shape.rank) {
      if (nereid_layout_from_type(mlirValueGetType(slots[k]->value), &out->layouts[k]) != NEREID_OK)
        return false;
      out->counts[k] = (size_t)nereid_layout_registers(&out->layouts[k]);
      out->n_calls = (size_t)1 << thread_bits(&out->layouts[k]);
    }
    out->n_registers += out->counts[k];
  }
  out->bits = nereid_arena_new(arena, unsigned, out->n_registers + 1);
  size_t at = 0;
  for (size_t k = 0; out->bits && out->counts && k < n; ++k)
    for (size_t r = 0; r < out->counts[k]; ++r)
      out->bits[at++] = slots[k]->shape.element.bits;
  return out->bits && out->counts && out->layouts;
}

/* The element of slot `k` in register `r` of a thread, in row-major order. */
static size_t element_of(const threads_t *threads, size_t k, size_t r, size_t thread) {
  const nereid_layout_t *layout = &threads->layouts[k];
  if (!threads->slots[k]->shape.rank)
    return 0;
  const int lanes = layout->in_bits[NEREID_LAYOUT_LANE], warps = layout->in_bits[NEREID_LAYOUT_WARP];
  const uint32_t lane = (uint32_t)thread & ((UINT32_C(1) << lanes) - 1);
  const uint32_t warp = (uint32_t)(thread >> lanes) & ((UINT32_C(1) << warps) - 1);
  int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
  int64_t at[NEREID_LAYOUT_MAX_RANK] = {0};
  nereid_layout_coordinates(
      layout, nereid_layout_apply(layout, (uint32_t)r, lane, warp, (uint32_t)(thread >> lanes >> warps)), coordinates);
  for (int d = 0; d < layout->rank; ++d)
    at[d] = coordinates[d];
  return nereid_shape_index(&threads->slots[k]->shape, at);
}

/* Moves elements between the slots and registers[register][call]. */
static void move_threads(const threads_t *threads, size_t n_calls, uint64_t *registers, bool in) {
  size_t at = 0;
  for (size_t k = 0; k < threads->n_slots; ++k) {
    const unsigned bits = threads->slots[k]->shape.element.bits;
    for (size_t r = 0; r < threads->counts[k]; ++r, ++at)
      for (size_t thread = 0; thread < n_calls; ++thread) {
        const size_t element = element_of(threads, k, r, thread);
        uint64_t *word = &registers[at * n_calls + thread];
        if (!in)
          threads->slots[k]->words[element] = nereid_bits_cut(*word, bits);
        else if (bits == 1)
          *word = nereid_machine_word(threads->slots[k], element) & 1 ? UINT64_MAX : 0;
        else
          *word = nereid_machine_word(threads->slots[k], element);
      }
  }
}

static bool run_threads(nereid_machine_t *machine, const nereid_step_t *step, nereid_arena_t *arena) {
  threads_t operands, results;
  nereid_message_t message = {0};
  if (!find_threads(arena, step->n_operands, step->operands, &operands) ||
      !find_threads(arena, step->n_results, step->results, &results))
    return arena->failed
               ? nereid_machine_exhausted(machine)
               : nereid_machine_error(step, "has a tensor whose encoding does not distribute it over threads");
  const size_t n_calls = operands.n_calls > results.n_calls ? operands.n_calls : results.n_calls;
  uint64_t *from = nereid_arena_new(arena, uint64_t, operands.n_registers *n_calls + 1);
  uint64_t *to = nereid_arena_new(arena, uint64_t, results.n_registers *n_calls + 1);
  if (!from || !to)
    return nereid_machine_exhausted(machine);
  for (size_t r = 0; r < step->n_results; ++r)
    if (!nereid_machine_result(machine, step, r))
      return false;
  move_threads(&operands, n_calls, from, true);
  const nereid_interpreter_assembly_t assembly = {
      .text = view_of(nereid_ttg_inline_asm_get_asm_string(step->op)),
      .constraints = view_of(nereid_ttg_inline_asm_get_constraints(step->op)),
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
  move_threads(&results, n_calls, to, false);
  return true;
}

static bool thread_asm(nereid_machine_t *machine, const nereid_step_t *step) {
  nereid_arena_t arena;
  if (!machine->options.assembly)
    return nereid_machine_error(step, "is not supported by the interpreter without a handler of inline assembly");
  for (size_t i = 0; i < step->n_operands; ++i)
    if (step->operands[i]->shape.local)
      return nereid_machine_error(step, "accesses a buffer, which the interpreter does not support");
  nereid_arena_initialize(&arena);
  const bool done = run_threads(machine, step, &arena);
  nereid_arena_deinitialize(&arena);
  return done;
}

const nereid_machine_row_t nereid_machine_assembly_rows[] = {
    {.kind = NEREID_OP_TT_ELEMENTWISE_INLINE_ASM, .run = inline_asm},
    {.kind = NEREID_OP_TTG_INLINE_ASM, .run = thread_asm},
    {.kind = NEREID_OP_UNKNOWN},
};
