/* tt.print and tt.assert.
 *
 *   pid (1, 0, 0) idx ( 7) x: 0.500000        a line per element, in the format of the device's printf */
#include "interpreter/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct line {
  char text[1024];
  size_t size;
} line_t;

static void append(line_t *line, const char *format, ...) NEREID_PRINTF(2, 3);

static void append(line_t *line, const char *format, ...) {
  const size_t room = sizeof line->text - line->size;
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(line->text + line->size, room, format, arguments);
  va_end(arguments);
  if (n > 0)
    line->size += (size_t)n < room ? (size_t)n : room - 1;
}

static void append_index(line_t *line, const nereid_shape_t *shape, size_t index) {
  int64_t at[NEREID_MACHINE_RANK];
  nereid_shape_coordinates(shape, index, at);
  append(line, "idx (");
  for (int d = 0; d < shape->rank; ++d) {
    char largest[24];
    const int width = snprintf(largest, sizeof largest, "%" PRId64, shape->extent[d] - 1);
    append(line, "%s%*" PRId64, d ? ", " : "", width, at[d]);
  }
  append(line, ")");
}

static void append_element(line_t *line, nereid_kind_t kind, uint64_t word, bool hex, bool is_signed) {
  if (kind.format == NEREID_FORMAT_POINTER)
    append(line, "0x%" PRIx64, word);
  else if (hex)
    append(line, "0x%0*" PRIx64, kind.bits < 8 ? 2 : (int)kind.bits / 4, word);
  else if (nereid_kind_is_float(kind))
    append(line, "%f", nereid_bits_to_double(kind, word));
  else if (is_signed && kind.bits > 1)
    append(line, "%" PRId64, nereid_bits_signed(word, kind.bits));
  else
    append(line, "%" PRIu64, word);
}

static void print_line(nereid_machine_t *machine, const nereid_step_t *step, size_t operand, size_t i) {
  static const nereid_shape_t scalar = {.count = 1};
  const nereid_slot_t *slot = step->n_operands ? step->operands[operand] : NULL;
  const MlirStringRef prefix = nereid_tt_print_get_prefix(step->op);
  line_t line = {.size = 0};
  append(&line, "pid (%u, %u, %u) ", machine->program[0], machine->program[1], machine->program[2]);
  append_index(&line, slot ? &slot->shape : &scalar, i);
  append(&line, "%.*s", (int)prefix.length, prefix.data);
  if (step->n_operands > 1)
    append(&line, "(operand %zu) ", operand);
  const bool listed = (intptr_t)operand < nereid_tt_print_get_is_signed_count(step->op);
  const bool is_signed = !listed || nereid_tt_print_get_is_signed(step->op, (intptr_t)operand);
  if (slot)
    append_element(&line, slot->shape.element, nereid_machine_word(slot, i), nereid_tt_print_get_hex(step->op),
                   is_signed);
  append(&line, "\n");
  machine->options.print(nereid_view_of(line.text, line.size), machine->options.user_data);
}

static bool print(nereid_machine_t *machine, const nereid_step_t *step) {
  if (!machine->options.print)
    return true;
  for (size_t k = 0; k < (step->n_operands ? step->n_operands : 1); ++k)
    for (size_t i = 0; i < (step->n_operands ? step->operands[k]->shape.count : 1); ++i)
      print_line(machine, step, k, i);
  return true;
}

static bool assert_(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *condition = step->operands[0];
  const MlirStringRef text = nereid_tt_assert_get_message(step->op);
  line_t line = {.size = 0};
  for (size_t i = 0; i < condition->shape.count; ++i) {
    if (nereid_machine_word(condition, i))
      continue;
    if (condition->shape.rank)
      append_index(&line, &condition->shape, i);
    return nereid_machine_error(step, "failed in program (%u, %u, %u) %s: %.*s", machine->program[0],
                                machine->program[1], machine->program[2], line.text, (int)text.length, text.data);
  }
  return true;
}

const nereid_machine_row_t nereid_machine_debug_rows[] = {
    {.kind = NEREID_OP_TT_PRINT, .run = print, .is_ordered = true},
    {.kind = NEREID_OP_TT_ASSERT, .run = assert_},
    {.kind = NEREID_OP_UNKNOWN},
};
