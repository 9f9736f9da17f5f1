/* Loads, stores and pointers. An element that the mask leaves out touches no memory; any other must lie inside of one
 * argument's buffer.
 *
 *   tt.load %p, %m, %other : tensor<1024x!tt.ptr<f32>>      out[i] = m[i] ? *p[i] : other[i]
 *
 * Without `other` a masked element reads as zero. i1 takes a byte of memory, and any byte but zero is true. */
#include "interpreter/machine.h"

#include "nereid/dialects/tt.h"

#include <inttypes.h>
#include <stdio.h>

/* --- where an access is --- */

/* "[3, 17]", nothing for a scalar. */
static void print_index(char *out, size_t size, const nereid_shape_t *shape, size_t index) {
  int64_t at[NEREID_MACHINE_RANK];
  size_t used = 0;
  nereid_shape_coordinates(shape, index, at);
  out[0] = 0;
  for (int d = 0; d < shape->rank && used < size; ++d)
    used += (size_t)snprintf(out + used, size - used, "%s%" PRId64 "%s", d ? ", " : " at element [", at[d],
                             d + 1 == shape->rank ? "]" : "");
}

/* The buffer that the address is in or nearest behind; null when all begin behind it. */
static const nereid_buffer_t *nearest(const nereid_machine_t *machine, uint64_t address) {
  const nereid_buffer_t *best = NULL;
  for (size_t i = 0; i < machine->n_buffers; ++i)
    if (machine->buffers[i].address <= address && (!best || machine->buffers[i].address > best->address))
      best = &machine->buffers[i];
  return best;
}

static void *refuse(const nereid_machine_t *machine, const nereid_step_t *step, uint64_t address, unsigned bytes,
                    const nereid_shape_t *shape, size_t index, const char *verb) {
  char where[128], what[160] = "";
  const nereid_buffer_t *buffer = nearest(machine, address);
  print_index(where, sizeof where, shape, index);
  if (address < 4096)
    snprintf(what, sizeof what, ": the pointer is null");
  else if (buffer)
    snprintf(what, sizeof what, ": byte %" PRIu64 " of argument '%s', which has %" PRIu64, address - buffer->address,
             buffer->name ? buffer->name : "?", buffer->size);
  nereid_machine_error(step, "%s %u byte%s outside of every argument's buffer%s of program (%u, %u, %u)%s", verb, bytes,
                       bytes == 1 ? "" : "s", where, machine->program[0], machine->program[1], machine->program[2],
                       what);
  return NULL;
}

void *nereid_machine_access(nereid_machine_t *machine, const nereid_step_t *step, uint64_t address, unsigned bytes,
                            const nereid_shape_t *shape, size_t index, const char *verb) {
  for (size_t i = 0; i < machine->n_buffers; ++i) {
    const nereid_buffer_t *buffer = &machine->buffers[i];
    if (address >= buffer->address && address - buffer->address <= buffer->size &&
        buffer->size - (address - buffer->address) >= bytes)
      return (void *)(uintptr_t)address;
  }
  return refuse(machine, step, address, bytes, shape, index, verb);
}

uint64_t nereid_machine_load(const void *memory, const nereid_shape_t *shape) {
  uint64_t word = 0;
  memcpy(&word, memory, shape->bytes);
  return shape->element.bits == 1 ? word != 0 : nereid_bits_cut(word, shape->element.bits);
}

void nereid_machine_store(void *memory, const nereid_shape_t *shape, uint64_t word) {
  memcpy(memory, &word, shape->bytes);
}

/* --- ops --- */

const nereid_slot_t *nereid_machine_slot(const nereid_machine_t *machine, MlirValue value) {
  if (mlirValueIsNull(value))
    return NULL;
  return (const nereid_slot_t *)*nereid_map_find(&machine->slots, value.ptr);
}

bool nereid_machine_load_elements(nereid_machine_t *machine, const nereid_step_t *step, const nereid_slot_t *pointers,
                                  const nereid_slot_t *mask, const nereid_slot_t *other, nereid_slot_t *to) {
  const nereid_shape_t *shape = &to->shape;
  uint64_t *out = nereid_machine_resize(machine, to, shape->count);
  for (size_t i = 0; out && i < shape->count; ++i) {
    out[i] = other ? nereid_machine_word(other, i) : 0;
    if (mask && !nereid_machine_word(mask, i))
      continue;
    const void *memory =
        nereid_machine_access(machine, step, nereid_machine_word(pointers, i), shape->bytes, shape, i, "reads");
    if (!memory)
      return false;
    out[i] = nereid_machine_load(memory, shape);
  }
  return out != NULL;
}

static bool load(nereid_machine_t *machine, const nereid_step_t *step) {
  if (step->from.format == NEREID_FORMAT_BLOCK)
    return nereid_machine_load_block(machine, step);
  return nereid_machine_load_elements(
      machine, step, step->operands[0], nereid_machine_slot(machine, nereid_tt_load_get_mask(step->op)),
      nereid_machine_slot(machine, nereid_tt_load_get_other(step->op)), step->results[0]);
}

static bool store(nereid_machine_t *machine, const nereid_step_t *step) {
  if (step->from.format == NEREID_FORMAT_BLOCK)
    return nereid_machine_store_block(machine, step);
  const nereid_slot_t *pointers = step->operands[0], *values = step->operands[1];
  const nereid_slot_t *mask = nereid_machine_slot(machine, nereid_tt_store_get_mask(step->op));
  const nereid_shape_t *shape = &values->shape;
  for (size_t i = 0; i < shape->count; ++i) {
    if (mask && !nereid_machine_word(mask, i))
      continue;
    void *memory =
        nereid_machine_access(machine, step, nereid_machine_word(pointers, i), shape->bytes, shape, i, "writes");
    if (!memory)
      return false;
    nereid_machine_store(memory, shape, nereid_machine_word(values, i));
  }
  return true;
}

static uint64_t addptr(const nereid_step_t *step, const uint64_t *x) {
  const int64_t offset = nereid_bits_signed(x[1], step->operands[1]->shape.element.bits);
  return x[0] + (uint64_t)offset * step->from.pointee_bytes;
}

const nereid_machine_row_t nereid_machine_memory_rows[] = {
    {.kind = NEREID_OP_TT_LOAD, .run = load},
    {.kind = NEREID_OP_TT_STORE, .run = store},
    {.kind = NEREID_OP_TT_ADDPTR, .lane = addptr},
    {.kind = NEREID_OP_UNKNOWN},
};
