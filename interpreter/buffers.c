/* The memory of arguments: what a program may touch, one element of it, and what is said of an access elsewhere.
 *
 *   tt.load %p        'tt.load' op reads 4 bytes outside of every argument's buffer at element [3, 17] of program ...
 */
#include "interpreter/machine.h"

#include <inttypes.h>
#include <stdio.h>

bool nereid_machine_add_buffer(nereid_machine_t *machine, void *memory, uint64_t size, const char *name) {
  const uint64_t address = (uintptr_t)memory;
  for (size_t i = 0; i < machine->n_buffers; ++i)
    if (machine->buffers[i].address == address && machine->buffers[i].size == size)
      return true;
  if (machine->n_buffers == machine->buffer_capacity) {
    const size_t capacity = 2 * machine->buffer_capacity + 8;
    nereid_buffer_t *buffers = nereid_arena_new(&machine->arena, nereid_buffer_t, capacity);
    if (!buffers)
      return nereid_machine_exhausted(machine);
    if (machine->n_buffers)
      memcpy(buffers, machine->buffers, machine->n_buffers * sizeof *buffers);
    machine->buffers = buffers;
    machine->buffer_capacity = capacity;
  }
  machine->buffers[machine->n_buffers++] = (nereid_buffer_t){address, size, name};
  return true;
}

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
