/* Running steps, and a kernel over its grid.
 *
 * Programs run one after another in the order of the grid, x fastest, so a program that waits for one behind it waits
 * for ever. */
#include "interpreter/machine.h"

#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* --- errors --- */

bool nereid_machine_error(const nereid_step_t *step, const char *format, ...) {
  char reason[512], text[640];
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(step->op));
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  snprintf(text, sizeof text, "'%.*s' op %s", (int)name.length, name.data, reason);
  mlirEmitError(mlirOperationGetLocation(step->op), text);
  return false;
}

bool nereid_machine_exhausted(nereid_machine_t *machine) {
  machine->out_of_memory = true;
  return false;
}

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

/* Counts and words go through the scratch: a destination may be a source of a later one. */
bool nereid_machine_assign(nereid_machine_t *machine, size_t n, nereid_slot_t *const *to, nereid_slot_t *const *from) {
  size_t total = n, at = n;
  if (n == 0)
    return true;
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
  return true;
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

/* The step that ends the block; null after a diagnostic. */
static const nereid_step_t *run_block(nereid_machine_t *machine, const nereid_code_block_t *block) {
  for (size_t i = 0; i < block->n_steps; ++i) {
    const nereid_step_t *step = &block->steps[i];
    if (is_over(machine, step))
      return NULL;
    if (step->row->ends)
      return step;
    if (step->row->lane ? !run_lanes(machine, step) : !step->row->run(machine, step))
      return NULL;
  }
  return NULL;
}

const nereid_step_t *nereid_machine_region(nereid_machine_t *machine, const nereid_code_region_t *region) {
  const nereid_code_block_t *block = &region->blocks[0];
  for (;;) {
    const nereid_step_t *last = run_block(machine, block);
    if (!last || last->row->ends == NEREID_ENDS_REGION)
      return last;
    block = nereid_machine_branch(machine, last);
    if (!block)
      return NULL;
  }
}

/* --- arguments --- */

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

static bool bind_descriptor(nereid_machine_t *machine, const nereid_interpreter_argument_t *argument,
                            nereid_slot_t *slot) {
  nereid_block_t *block = nereid_machine_block(machine, slot);
  if (!block)
    return false;
  *block = (nereid_block_t){
      .base = (uintptr_t)argument->memory, .rank = argument->rank, .nan_padding = argument->nan_padding};
  for (int d = 0; d < argument->rank; ++d) {
    block->shape[d] = argument->shape[d];
    block->strides[d] = argument->strides[d];
  }
  return true;
}

static nereid_status_t bind(nereid_machine_t *machine, const nereid_interpreter_argument_t *argument, size_t i,
                            nereid_slot_t *slot, nereid_message_t *message) {
  const bool block = slot->shape.element.format == NEREID_FORMAT_BLOCK;
  const bool pointer = slot->shape.element.format == NEREID_FORMAT_POINTER;
  const bool descriptor = argument->kind == NEREID_INTERPRETER_DESCRIPTOR;
  if (slot->shape.rank || slot->shape.local || block != descriptor ||
      argument->rank > NEREID_INTERPRETER_DESCRIPTOR_RANK || (argument->kind == NEREID_INTERPRETER_BUFFER && !pointer))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "argument %zu is not of the parameter's kind", i);
  if (argument->kind != NEREID_INTERPRETER_BITS &&
      !nereid_machine_add_buffer(machine, argument->memory, argument->size, argument->name))
    return NEREID_ERROR_MEMORY;
  if (descriptor)
    return bind_descriptor(machine, argument, slot) ? NEREID_OK : NEREID_ERROR_MEMORY;
  uint64_t *word = nereid_machine_resize(machine, slot, 1);
  if (!word)
    return NEREID_ERROR_MEMORY;
  *word = argument->kind == NEREID_INTERPRETER_BITS ? nereid_bits_cut(argument->bits, slot->shape.element.bits)
                                                    : (uintptr_t)argument->memory;
  return NEREID_OK;
}

static nereid_status_t bind_all(nereid_machine_t *machine, const nereid_function_t *kernel, size_t n,
                                const nereid_interpreter_argument_t *arguments, nereid_message_t *message) {
  const nereid_code_block_t *entry = &kernel->body.blocks[0];
  nereid_status_t status = NEREID_OK;
  if (n != entry->n_arguments)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the kernel has %zu parameters, not %zu",
                              entry->n_arguments, n);
  for (size_t i = 0; !status && i < n; ++i)
    status = bind(machine, &arguments[i], i, entry->arguments[i], message);
  return status;
}

/* --- the kernel --- */

static bool is_kernel(MlirOperation op, const char *name) {
  if (nereid_op_kind(op) != NEREID_OP_TT_FUNC || !nereidMlirFunctionIsPublic(op))
    return false;
  MlirStringRef symbol = nereid_tt_func_get_sym_name(op);
  return !name || nereid_view_equal(nereid_view(name), nereid_view_of(symbol.data, symbol.length));
}

static nereid_status_t find_kernel(MlirOperation module, const char *name, MlirOperation *out_kernel,
                                   nereid_message_t *message) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  size_t found = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_kernel(op, name)) {
      *out_kernel = op;
      ++found;
    }
  if (found == 1)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, found ? "several kernels: name one" : "no kernel '%s'",
                            name ? name : "(public tt.func)");
}

static bool run_grid(nereid_machine_t *machine, const nereid_function_t *kernel) {
  uint32_t *p = machine->program;
  for (p[2] = 0; p[2] < machine->grid[2]; ++p[2])
    for (p[1] = 0; p[1] < machine->grid[1]; ++p[1])
      for (p[0] = 0; p[0] < machine->grid[0]; ++p[0])
        if (!nereid_machine_region(machine, &kernel->body))
          return false;
  return true;
}

static void add_rows(nereid_machine_t *machine, const nereid_machine_row_t *rows) {
  for (; rows->kind != NEREID_OP_UNKNOWN; ++rows)
    machine->rows[rows->kind] = rows;
}

static void add_families(nereid_machine_t *machine) {
  static const nereid_machine_row_t *const families[] = {
      nereid_machine_integer_rows,  nereid_machine_float_rows,   nereid_machine_cast_rows,
      nereid_machine_math_rows,     nereid_machine_extern_rows,  nereid_machine_memory_rows,
      nereid_machine_atomic_rows,   nereid_machine_block_rows,   nereid_machine_shape_rows,
      nereid_machine_reduce_rows,   nereid_machine_dot_rows,     nereid_machine_dot_scaled_rows,
      nereid_machine_control_rows,  nereid_machine_debug_rows,   nereid_machine_local_rows,
      nereid_machine_async_rows,    nereid_machine_barrier_rows, nereid_machine_tensormap_rows,
      nereid_machine_assembly_rows, nereid_machine_warps_rows,
  };
  for (size_t i = 0; i < sizeof families / sizeof *families; ++i)
    add_rows(machine, families[i]);
}

static nereid_status_t run(nereid_machine_t *machine, const char *name, size_t n_arguments,
                           const nereid_interpreter_argument_t *arguments, nereid_message_t *message) {
  MlirOperation op = {NULL};
  nereid_status_t status = find_kernel(machine->module, name, &op, message);
  if (status)
    return status;
  nereid_function_t *kernel = nereid_machine_function(machine, op);
  if (!kernel)
    return NEREID_ERROR_PROGRAM;
  status = bind_all(machine, kernel, n_arguments, arguments, message);
  if (status)
    return status;
  kernel->active = true;
  return run_grid(machine, kernel) ? NEREID_OK : NEREID_ERROR_PROGRAM;
}

nereid_status_t nereid_interpreter_run(MlirOperation module, const char *kernel, const uint32_t grid[3],
                                       size_t n_arguments, const nereid_interpreter_argument_t *arguments,
                                       const nereid_interpreter_options_t *options, nereid_message_t *message) {
  nereid_machine_t *machine = calloc(1, sizeof *machine);
  if (!machine)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  machine->module = module;
  memcpy(machine->grid, grid, sizeof machine->grid);
  if (options)
    machine->options = *options;
  nereid_arena_initialize(&machine->arena);
  nereid_map_initialize(&machine->slots, &machine->arena);
  nereid_map_initialize(&machine->functions, &machine->arena);
  nereid_map_initialize(&machine->tensormaps, &machine->arena);
  add_families(machine);
  nereid_status_t status = run(machine, kernel, n_arguments, arguments, message);
  if (machine->out_of_memory)
    status = NEREID_ERROR_MEMORY;
  if (status == NEREID_ERROR_MEMORY)
    nereid_message_set(message, status, "the interpreter is out of memory");
  nereid_arena_deinitialize(&machine->arena);
  free(machine);
  return status;
}
