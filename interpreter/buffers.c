/* The memory that a program may access, its elements, and diagnostics for accesses elsewhere.
 *
 *   tt.load %p        'tt.load' op reads 4 bytes outside every argument's buffer at element [3, 17] of program ... */
#include "base/kernel/address.h"
#include "interpreter/machine.h"

#include <inttypes.h>
#include <stdio.h>

static nereid_status_t add(nereid_machine_t *machine, nereid_machine_buffer_t buffer) {
  if (machine->n_buffers == machine->buffer_capacity) {
    const size_t capacity = 2 * machine->buffer_capacity + 8;
    nereid_machine_buffer_t *buffers = nereid_arena_new(&machine->arena, nereid_machine_buffer_t, capacity);
    if (!buffers)
      return NEREID_ERROR_MEMORY;
    if (machine->n_buffers)
      memcpy(buffers, machine->buffers, machine->n_buffers * sizeof *buffers);
    machine->buffers = buffers;
    machine->buffer_capacity = capacity;
  }
  machine->buffers[machine->n_buffers++] = buffer;
  return NEREID_OK;
}

nereid_status_t nereid_machine_add_buffer(nereid_machine_t *machine, const nereid_interpreter_argument_t *argument,
                                          uint64_t *out_address) {
  nereid_machine_buffer_t buffer = {.size = argument->size, .memory = argument->memory, .name = argument->name};
  for (size_t i = 0; i < machine->n_buffers; ++i)
    if (machine->buffers[i].memory == buffer.memory && machine->buffers[i].size == buffer.size) {
      *out_address = machine->buffers[i].address;
      return NEREID_OK;
    }
  if (!nereid_address_assign(&machine->position, buffer.size, argument->alignment ? argument->alignment : 1,
                             &buffer.address))
    return NEREID_ERROR_ARGUMENT;
  *out_address = buffer.address;
  return add(machine, buffer);
}

nereid_status_t nereid_machine_add_scratch(nereid_machine_t *machine, void *memory, uint64_t size, uint64_t alignment,
                                           uint64_t *out_address) {
  nereid_machine_buffer_t buffer = {.size = size, .memory = memory, .is_scratch = true};
  if (!nereid_address_assign(&machine->scratch_position, size, alignment, &buffer.address))
    return NEREID_ERROR_ARGUMENT;
  *out_address = buffer.address;
  return add(machine, buffer);
}

void nereid_machine_print_index(char *out, size_t size, const nereid_shape_t *shape, size_t index) {
  int64_t at[NEREID_MACHINE_RANK];
  size_t used = 0;
  nereid_shape_coordinates(shape, index, at);
  out[0] = 0;
  for (int d = 0; d < shape->rank && used < size; ++d)
    used += (size_t)snprintf(out + used, size - used, "%s%" PRId64 "%s", d ? ", " : " at element [", at[d],
                             d + 1 == shape->rank ? "]" : "");
}

static uint64_t distance(const nereid_machine_buffer_t *buffer, uint64_t address) {
  return nereid_address_distance(buffer->address, buffer->size, address);
}

/* Returns the nearest buffer, for diagnostics; null: none within the spacing of buffers. */
static const nereid_machine_buffer_t *nearest(const nereid_machine_t *machine, uint64_t address) {
  const nereid_machine_buffer_t *best = NULL;
  for (size_t i = 0; i < machine->n_buffers; ++i)
    if (!best || distance(&machine->buffers[i], address) < distance(best, address))
      best = &machine->buffers[i];
  return best && distance(best, address) < NEREID_ADDRESS_SPACING ? best : NULL;
}

static void *refuse(const nereid_machine_t *machine, const nereid_step_t *step, uint64_t address, unsigned bytes,
                    const nereid_shape_t *shape, size_t index, const char *verb) {
  char where[128], what[160] = "";
  const nereid_machine_buffer_t *buffer = nearest(machine, address);
  nereid_machine_print_index(where, sizeof where, shape, index);
  if (address < NEREID_ADDRESS_NULL_PAGE)
    snprintf(what, sizeof what, ": the pointer is null");
  else if (buffer)
    snprintf(what, sizeof what, ": byte %" PRId64 " of %s%s%s, which has %" PRIu64,
             (int64_t)(address - buffer->address), buffer->is_scratch ? "scratch memory" : "argument '",
             buffer->is_scratch ? ""
             : buffer->name     ? buffer->name
                                : "?",
             buffer->is_scratch ? "" : "'", buffer->size);
  nereid_machine_error(step, "%s %u byte%s outside every argument's buffer%s of program (%u, %u, %u)%s", verb, bytes,
                       bytes == 1 ? "" : "s", where, machine->program[0], machine->program[1], machine->program[2],
                       what);
  return NULL;
}

void *nereid_machine_access(nereid_machine_t *machine, const nereid_step_t *step, uint64_t address, unsigned bytes,
                            const nereid_shape_t *shape, size_t index, const char *verb) {
  for (size_t k = 0; k < machine->n_buffers; ++k) {
    const size_t i = (machine->last_buffer + k) % machine->n_buffers;
    const nereid_machine_buffer_t *buffer = &machine->buffers[i];
    const uint64_t offset = address - buffer->address;
    if (offset <= buffer->size && buffer->size - offset >= bytes) {
      machine->last_buffer = i;
      return buffer->memory + offset;
    }
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
