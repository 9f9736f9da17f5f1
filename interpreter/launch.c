/* Runs a kernel over its grid.
 *
 *   programs 0 1 2 3 4 5 ...    one machine with its own values per host thread; each takes the next program
 *
 * If programs can observe each other's order, by atomics or printing, the kernel runs on one thread in grid order, x
 * fastest: a program that waits for a later one never finishes. Otherwise programs write to separate memory and the
 * result does not depend on the number of threads. If several programs fail, the first program's error is reported. */
#include "base/kernel/address.h"
#include "interpreter/machine.h"

#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Diagnostics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* --- arguments --- */

/* A pointer to a tensor map (tt.nv_tma_desc) becomes the tensor's address, which is the key of the map. */
static nereid_block_t *map_at(nereid_machine_t *machine, uint64_t address, nereid_slot_t *slot) {
  uint64_t *word = nereid_machine_resize(machine, slot, 1);
  uintptr_t *place = word ? nereid_map_insert(&machine->tensormaps, (const void *)(uintptr_t)address) : NULL;
  if (!place)
    return NULL;
  *word = address;
  *place = (uintptr_t)nereid_arena_new(&machine->arena, nereid_block_t, 1);
  return (nereid_block_t *)*place;
}

static bool bind_descriptor(nereid_machine_t *machine, const nereid_interpreter_argument_t *argument, uint64_t address,
                            nereid_slot_t *slot) {
  const bool pointer = slot->shape.element.format == NEREID_FORMAT_POINTER;
  nereid_block_t *block = pointer ? map_at(machine, address, slot) : nereid_machine_block(machine, slot);
  if (!block)
    return false;
  *block = (nereid_block_t){.base = address, .rank = argument->rank, .nan_padding = argument->nan_padding};
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
  if (slot->shape.rank || slot->shape.local || (block && !descriptor) || (descriptor && !block && !pointer) ||
      argument->rank > NEREID_INTERPRETER_DESCRIPTOR_RANK || (argument->kind == NEREID_INTERPRETER_BUFFER && !pointer))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "argument %zu is not of the parameter's kind", i);
  uint64_t value = nereid_bits_cut(argument->bits, slot->shape.element.bits);
  const nereid_status_t status =
      argument->kind == NEREID_INTERPRETER_BITS ? NEREID_OK : nereid_machine_add_buffer(machine, argument, &value);
  if (status == NEREID_ERROR_ARGUMENT)
    return nereid_message_set(message, status,
                              "argument %zu has an alignment that is not a power of two, or is too large", i);
  if (status)
    return status;
  if (descriptor)
    return bind_descriptor(machine, argument, value, slot) ? NEREID_OK : NEREID_ERROR_MEMORY;
  uint64_t *word = nereid_machine_resize(machine, slot, 1);
  if (!word)
    return NEREID_ERROR_MEMORY;
  *word = value;
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

/* --- machines --- */

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

static nereid_machine_t *create_machine(MlirOperation module, const uint32_t grid[3],
                                        const nereid_interpreter_options_t *options) {
  nereid_machine_t *machine = calloc(1, sizeof *machine);
  if (!machine)
    return NULL;
  machine->module = module;
  memcpy(machine->grid, grid, sizeof machine->grid);
  if (options)
    machine->options = *options;
  nereid_arena_initialize(&machine->arena);
  nereid_map_initialize(&machine->slots, &machine->arena);
  nereid_map_initialize(&machine->functions, &machine->arena);
  nereid_map_initialize(&machine->tensormaps, &machine->arena);
  machine->position = NEREID_ADDRESS_START;
  machine->scratch_position = UINT64_C(1) << 61; /* above all arguments */
  add_families(machine);
  return machine;
}

static void destroy_machine(nereid_machine_t *machine) {
  if (machine)
    nereid_arena_deinitialize(&machine->arena);
  free(machine);
}

/* --- the grid --- */

enum { THREAD_LIMIT = 16 };

typedef struct launch {
  MlirOperation module, kernel;
  size_t n_arguments;
  const nereid_interpreter_argument_t *arguments;
  const nereid_interpreter_options_t *options;
  nereid_message_t *message;
  uint32_t grid[3];
  uint64_t n_programs;
  _Atomic uint64_t next, failed; /* programs; `failed`: the first failed program so far, or n_programs */
} launch_t;

/* A machine and its share of the grid. */
typedef struct worker {
  launch_t *launch;
  nereid_machine_t *machine;
  nereid_function_t *kernel;
  pthread_t thread;
  uint64_t failed; /* its failed program; n_programs: none */
} worker_t;

static nereid_status_t prepare(launch_t *launch, worker_t *worker) {
  *worker = (worker_t){.launch = launch, .failed = launch->n_programs};
  worker->machine = create_machine(launch->module, launch->grid, launch->options);
  if (!worker->machine)
    return NEREID_ERROR_MEMORY;
  worker->kernel = nereid_machine_function(worker->machine, launch->kernel);
  if (!worker->kernel)
    return worker->machine->out_of_memory ? NEREID_ERROR_MEMORY : NEREID_ERROR_PROGRAM;
  worker->kernel->active = true;
  return bind_all(worker->machine, worker->kernel, launch->n_arguments, launch->arguments, launch->message);
}

/* Takes programs until none is left or an earlier one has failed. */
static void *work(void *data) {
  worker_t *worker = data;
  launch_t *launch = worker->launch;
  nereid_machine_t *machine = worker->machine;
  for (;;) {
    const uint64_t number = atomic_fetch_add(&launch->next, 1);
    if (number >= atomic_load(&launch->failed))
      return NULL;
    machine->program[0] = (uint32_t)(number % launch->grid[0]);
    machine->program[1] = (uint32_t)(number / launch->grid[0] % launch->grid[1]);
    machine->program[2] = (uint32_t)(number / launch->grid[0] / launch->grid[1]);
    if (nereid_machine_region(machine, &worker->kernel->body))
      continue;
    worker->failed = number;
    uint64_t first = atomic_load(&launch->failed);
    while (number < first && !atomic_compare_exchange_weak(&launch->failed, &first, number))
      continue;
    return NULL;
  }
}

static size_t count_threads(const launch_t *launch, const worker_t *first) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  uint64_t n = launch->options && launch->options->threads ? launch->options->threads
               : processors > 0                            ? (uint64_t)processors
                                                           : 1;
  if (first->machine->is_ordered || (launch->options && launch->options->steps))
    return 1;
  n = n < launch->n_programs ? n : launch->n_programs;
  return n < THREAD_LIMIT ? (size_t)n : THREAD_LIMIT;
}

/* Runs the grid on threads, which share the context. Continues with fewer threads if one cannot be created. */
static void run_threads(worker_t *workers, size_t n) {
  MlirContext context = mlirOperationGetContext(workers[0].launch->module);
  const bool was_on = mlirContextGetNumThreads(context) > 1;
  size_t started = 1;
  if (!was_on)
    mlirContextEnableMultithreading(context, true);
  for (size_t i = 0; i < n; ++i)
    workers[i].machine->keeps_error = true;
  while (started < n && pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
    ++started;
  work(&workers[0]);
  for (size_t i = 1; i < started; ++i)
    pthread_join(workers[i].thread, NULL);
  if (!was_on)
    mlirContextEnableMultithreading(context, false);
}

static nereid_status_t report(const worker_t *workers, size_t n) {
  const launch_t *launch = workers[0].launch;
  for (size_t i = 0; i < n; ++i) {
    const nereid_machine_t *machine = workers[i].machine;
    if (machine->out_of_memory)
      return NEREID_ERROR_MEMORY;
    if (workers[i].failed == launch->failed && machine->error.text[0])
      mlirEmitError(machine->error.location, machine->error.text);
  }
  return launch->failed < launch->n_programs ? NEREID_ERROR_PROGRAM : NEREID_OK;
}

static nereid_status_t run(launch_t *launch) {
  worker_t workers[THREAD_LIMIT];
  size_t n = 1, prepared = 1;
  nereid_status_t status = prepare(launch, &workers[0]);
  if (!status)
    n = count_threads(launch, &workers[0]);
  for (; !status && prepared < n; ++prepared)
    status = prepare(launch, &workers[prepared]);
  if (!status && n > 1)
    run_threads(workers, n);
  else if (!status)
    work(&workers[0]);
  if (!status)
    status = report(workers, n);
  for (size_t i = 0; i < prepared; ++i)
    destroy_machine(workers[i].machine);
  return status;
}

nereid_status_t nereid_interpreter_run(MlirOperation module, const char *kernel, const uint32_t grid[3],
                                       size_t n_arguments, const nereid_interpreter_argument_t *arguments,
                                       const nereid_interpreter_options_t *options, nereid_message_t *message) {
  launch_t launch = {.module = module,
                     .n_arguments = n_arguments,
                     .arguments = arguments,
                     .options = options,
                     .message = message,
                     .grid = {grid[0], grid[1], grid[2]},
                     .n_programs = (uint64_t)grid[0] * grid[1] * grid[2]};
  atomic_store(&launch.failed, launch.n_programs);
  nereid_status_t status = find_kernel(module, kernel, &launch.kernel, message);
  if (!status)
    status = run(&launch);
  if (status == NEREID_ERROR_MEMORY)
    nereid_message_set(message, status, "the interpreter is out of memory");
  return status;
}
