/* Undefined elements: results of integer operations that docs/numerics.md leaves undefined.
 *
 *   %q = arith.divsi %a, %b        b = [2 0 1 0]     marks of %q   [- q - q]
 *   %s = arith.select %m, %q, %c   m = [1 1 1 0]     marks of %s   [- q - -]      discarded: no error
 *   tt.store %p, %s, %k            k = [1 0 1 1]     no error: the mask excludes the element
 *
 * A mark is the step whose result the element derives from. Marks propagate through elementwise operations, moves of
 * elements, reductions, scans, control flow and calls. A mark is an error where memory, an address, a mask or a
 * condition depends on it. Other operations drop it: a program that ignores its undefined elements never fails. */
#include "interpreter/machine.h"

#include "nereid/dialects/tt.h"

#include <inttypes.h>
#include <stdio.h>

/* --- marks --- */

static uint64_t mark_of(const nereid_slot_t *slot, size_t i) {
  return slot->is_undefined ? slot->marks[slot->count == 1 ? 0 : i] : 0;
}

static bool make_room(nereid_machine_t *machine, nereid_slot_t *slot, size_t count) {
  if (count <= slot->mark_capacity)
    return true;
  slot->marks = nereid_arena_new(&machine->arena, uint64_t, count);
  slot->mark_capacity = slot->marks ? count : 0;
  return slot->marks || nereid_machine_exhausted(machine);
}

static void set_mark(nereid_machine_t *machine, nereid_slot_t *slot, size_t i, uint64_t mark) {
  slot->marks[i] = mark;
  slot->is_undefined |= mark != 0;
  machine->has_undefined |= mark != 0;
}

static bool any_operand(const nereid_step_t *step) {
  for (size_t j = 0; j < step->n_operands; ++j)
    if (step->operands[j]->is_undefined)
      return true;
  return false;
}

/* --- uses --- */

typedef struct text {
  char data[200];
  size_t size;
} text_t;

static void append(MlirStringRef part, void *user_data) {
  text_t *text = user_data;
  for (size_t i = 0; i < part.length && text->size + 1 < sizeof text->data; ++i)
    text->data[text->size++] = part.data[i];
}

/* The reason why the result is undefined. */
static const char *reason_of(nereid_op_kind_t kind) {
  const bool is_shift = kind == NEREID_OP_ARITH_SHLI || kind == NEREID_OP_ARITH_SHRSI || kind == NEREID_OP_ARITH_SHRUI;
  const bool is_unsigned =
      kind == NEREID_OP_ARITH_DIVUI || kind == NEREID_OP_ARITH_REMUI || kind == NEREID_OP_ARITH_CEILDIVUI;
  return is_shift      ? "shifts by the width or more"
         : is_unsigned ? "divides by zero"
                       : "divides by zero, or the minimum value by -1";
}

bool nereid_undefined_report(const nereid_step_t *step, const nereid_slot_t *slot, size_t i) {
  const nereid_step_t *origin = (const nereid_step_t *)(uintptr_t)mark_of(slot, i);
  if (!origin)
    return true;
  const nereid_machine_t *machine = step->machine;
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(step->op));
  text_t place = {.size = 0};
  char where[160];
  mlirLocationPrint(mlirOperationGetLocation(step->op), append, &place);
  nereid_machine_print_index(where, sizeof where, &slot->shape, i);
  return nereid_machine_error(origin, "%s: the result is undefined, and '%.*s' at %s uses it%s of program (%u, %u, %u)",
                              reason_of(origin->row->kind), (int)name.length, name.data, place.data, where,
                              machine->program[0], machine->program[1], machine->program[2]);
}

/* The operands that determine which code runs. */
static size_t conditions_of(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_SCF_FOR:
    return 3;
  case NEREID_OP_SCF_IF:
  case NEREID_OP_SCF_CONDITION:
  case NEREID_OP_SCF_INDEX_SWITCH:
  case NEREID_OP_CF_COND_BR:
  case NEREID_OP_CF_SWITCH:
  case NEREID_OP_CF_ASSERT:
    return 1;
  default:
    return 0;
  }
}

bool nereid_undefined_begin(const nereid_step_t *step) {
  const size_t n = conditions_of(step->row->kind);
  for (size_t j = 0; j < n; ++j)
    if (!nereid_undefined_use(step, step->operands[j], 0))
      return false;
  for (size_t r = 0; r < step->n_results; ++r)
    step->results[r]->is_undefined = false;
  return true;
}

/* --- propagation --- */

/* Elementwise operations. `and` and `or` are defined if the other operand alone determines every bit. */
static uint64_t lane_mark(const nereid_step_t *step, const uint64_t *x, size_t i) {
  const nereid_op_kind_t kind = step->row->kind;
  const uint64_t ones = nereid_bits_cut(UINT64_MAX, step->to.bits);
  uint64_t mark = 0;
  for (size_t j = step->n_operands; j-- > 0;) {
    const uint64_t at = mark_of(step->operands[j], i);
    const bool is_discarded = kind == NEREID_OP_ARITH_SELECT && j && j != (x[0] ? 1u : 2u);
    const bool is_decided = (kind == NEREID_OP_ARITH_ANDI && x[1 - j] == 0 && !mark_of(step->operands[1 - j], i)) ||
                            (kind == NEREID_OP_ARITH_ORI && x[1 - j] == ones && !mark_of(step->operands[1 - j], i));
    if (at && !is_discarded && !is_decided)
      mark = at;
  }
  return mark;
}

static bool follow_lanes(nereid_machine_t *machine, const nereid_step_t *step) {
  enum { LANE_OPERANDS = 8 };
  nereid_slot_t *to = step->results[0];
  uint64_t x[LANE_OPERANDS];
  to->is_undefined = false;
  if ((!step->row->is_undefined && !any_operand(step)) || !make_room(machine, to, to->count))
    return !machine->out_of_memory;
  for (size_t i = 0; i < to->count; ++i) {
    for (size_t j = 0; j < step->n_operands; ++j)
      x[j] = nereid_machine_word(step->operands[j], i);
    const bool begins = step->row->is_undefined && step->row->is_undefined(step, x);
    const uint64_t mark = lane_mark(step, x, i);
    set_mark(machine, to, i, mark ? mark : begins ? (uintptr_t)step : 0);
  }
  return true;
}

/* Swaps the words of a slot with its marks. */
static void exchange(nereid_slot_t *slot) {
  uint64_t *words = slot->words;
  const size_t capacity = slot->capacity;
  slot->words = slot->marks;
  slot->capacity = slot->mark_capacity;
  slot->marks = words;
  slot->mark_capacity = capacity;
}

/* Whether operand `j` is the same value as an earlier operand. */
static bool is_repeated(const nereid_step_t *step, size_t j) {
  for (size_t k = 0; k < j; ++k)
    if (step->operands[k] == step->operands[j])
      return true;
  return false;
}

static bool prepare_marks(nereid_machine_t *machine, const nereid_step_t *step, size_t n) {
  for (size_t j = 0; j < n; ++j) {
    nereid_slot_t *from = step->operands[j];
    if (!make_room(machine, from, from->count))
      return false;
    if (!from->is_undefined)
      memset(from->marks, 0, from->count * sizeof *from->marks);
  }
  for (size_t r = 0; r < step->n_results; ++r)
    if (!make_room(machine, step->results[r], step->results[r]->count))
      return false;
  return true;
}

/* An operation that moves elements runs again on their marks. */
static bool follow_moves(nereid_machine_t *machine, const nereid_step_t *step) {
  const size_t n = step->row->moves < step->n_operands ? step->row->moves : step->n_operands;
  if (!any_operand(step) || (n < step->n_operands && step->operands[0] == step->operands[1]))
    return true;
  if (!prepare_marks(machine, step, n))
    return false;
  for (size_t j = 0; j < n; ++j)
    if (!is_repeated(step, j))
      exchange(step->operands[j]);
  for (size_t r = 0; r < step->n_results; ++r)
    exchange(step->results[r]);
  const bool done = step->row->run(machine, step);
  for (size_t j = 0; j < n; ++j)
    if (!is_repeated(step, j))
      exchange(step->operands[j]);
  for (size_t r = 0; r < step->n_results; ++r) {
    exchange(step->results[r]);
    for (size_t i = 0; i < step->results[r]->count; ++i)
      step->results[r]->is_undefined |= step->results[r]->marks[i] != 0;
  }
  return done;
}

/* A result of tt.reduce or tt.scan derives from every preceding element along the axis. */
static bool follow_axis(nereid_machine_t *machine, const nereid_step_t *step, int axis, bool is_scan, bool reverse) {
  const nereid_shape_t *shape = &step->operands[0]->shape;
  const size_t extent = (size_t)shape->extent[axis];
  size_t inner = 1;
  for (int d = axis + 1; d < shape->rank; ++d)
    inner *= (size_t)shape->extent[d];
  if (!any_operand(step))
    return true;
  for (size_t r = 0; r < step->n_results; ++r)
    if (!make_room(machine, step->results[r], step->results[r]->count))
      return false;
  for (size_t line = 0; line < shape->count / extent; ++line) {
    uint64_t mark = 0;
    for (size_t k = 0; k < extent; ++k) {
      const size_t along = reverse ? extent - 1 - k : k;
      const size_t i = (line / inner * extent + along) * inner + line % inner;
      for (size_t j = 0; j < step->n_operands && !mark; ++j)
        mark = mark_of(step->operands[j], i);
      for (size_t r = 0; is_scan && r < step->n_results; ++r)
        set_mark(machine, step->results[r], i, mark);
    }
    for (size_t r = 0; !is_scan && r < step->n_results; ++r)
      set_mark(machine, step->results[r], line, mark);
  }
  return true;
}

bool nereid_undefined_follow(nereid_machine_t *machine, const nereid_step_t *step) {
  if (step->row->lane)
    return follow_lanes(machine, step);
  if (step->row->moves)
    return follow_moves(machine, step);
  if (step->row->kind == NEREID_OP_TT_REDUCE)
    return follow_axis(machine, step, nereid_tt_reduce_get_axis(step->op), false, false);
  if (step->row->kind == NEREID_OP_TT_SCAN)
    return follow_axis(machine, step, nereid_tt_scan_get_axis(step->op), true, nereid_tt_scan_get_reverse(step->op));
  return true;
}

/* --- assignments --- */

bool nereid_undefined_save(nereid_machine_t *machine, size_t n, nereid_slot_t *const *from) {
  size_t total = 0;
  for (size_t i = 0; i < n; ++i)
    total += from[i]->count;
  if (!make_room(machine, &machine->saved, total))
    return false;
  uint64_t *out = machine->saved.marks;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < from[i]->count; ++k)
      *out++ = mark_of(from[i], k);
  return true;
}

bool nereid_undefined_restore(nereid_machine_t *machine, size_t n, nereid_slot_t *const *to) {
  const uint64_t *in = machine->saved.marks;
  for (size_t i = 0; i < n; ++i) {
    if (!make_room(machine, to[i], to[i]->count))
      return false;
    to[i]->is_undefined = false;
    for (size_t k = 0; k < to[i]->count; ++k)
      set_mark(machine, to[i], k, *in++);
  }
  return true;
}
