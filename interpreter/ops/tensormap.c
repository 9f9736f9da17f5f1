/* Tensor maps that the program writes into its scratch memory.
 *
 *   ttng.tensormap_create %p, %base, [box], [dims], [strides], [1, 1]     the map at %p, kept beside the memory
 *   %d = ttng.reinterpret_tensor_descriptor %p                            the block that it describes
 *
 * The 128 bytes at %p must belong to the program; their contents are opaque. */
#include "interpreter/machine.h"

#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

enum { MAP_BYTES = 128 };

/* Each op has its own memory, at the same address on every machine. */
static bool prepare_scratch(nereid_machine_t *machine, nereid_step_t *step) {
  const uint64_t bytes = (uint64_t)nereid_ttg_global_scratch_alloc_get_nbytes(step->op);
  const uint64_t alignment = (uint64_t)nereid_ttg_global_scratch_alloc_get_alignment(step->op);
  uint64_t address;
  uint64_t *words = nereid_machine_resize(machine, &step->own[0], bytes / sizeof(uint64_t) + 1);
  if (!words)
    return false;
  const nereid_status_t status = nereid_machine_add_scratch(machine, words, bytes, alignment, &address);
  if (status == NEREID_ERROR_MEMORY)
    return nereid_machine_exhausted(machine);
  step->detail = (int64_t)address;
  return !status ||
         nereid_machine_error(step, "needs %llu bytes of scratch memory aligned to %llu, which cannot be allocated",
                              (unsigned long long)bytes, (unsigned long long)alignment);
}

/* Zeroed for each program. */
static bool global_scratch_alloc(nereid_machine_t *machine, const nereid_step_t *step) {
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (!out)
    return false;
  memset(step->own[0].words, 0, step->own[0].count * sizeof *step->own[0].words);
  *out = (uint64_t)step->detail;
  return true;
}

/* Bytes of an element by its type code (PTX ISA, tensormap.replace, .elemtype); 0 for packed types. */
static int64_t element_bytes(int32_t type) {
  static const int64_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  return type >= 0 && type < (int32_t)(sizeof bytes / sizeof *bytes) ? bytes[type] : 0;
}

/* Lists start with the innermost dimension, whose stride is omitted. */
static bool describe(const nereid_step_t *step, nereid_block_t *block) {
  const nereid_slot_t *const *operands = (const nereid_slot_t *const *)step->operands;
  const int64_t bytes = element_bytes(nereid_ttng_tensormap_create_get_elem_type(step->op));
  const intptr_t rank = nereid_ttng_tensormap_create_get_global_dim_count(step->op);
  const intptr_t boxes = nereid_ttng_tensormap_create_get_box_dim_count(step->op);
  if (bytes == 0)
    return nereid_machine_error(step, "describes elements that share bytes, which the interpreter does not handle");
  if (rank > NEREID_BLOCK_RANK)
    return nereid_machine_error(step, "has more than %d dimensions", NEREID_BLOCK_RANK);
  *block = (nereid_block_t){.base = operands[1]->words[0],
                            .nan_padding = (uint64_t)nereid_ttng_tensormap_create_get_fill_mode(step->op),
                            .rank = rank};
  for (intptr_t i = 0; i < rank; ++i) {
    const intptr_t d = rank - 1 - i;
    block->shape[d] = (int64_t)operands[2 + boxes + i]->words[0];
    block->strides[d] = i ? (int64_t)operands[2 + boxes + rank + i - 1]->words[0] / bytes : 1;
  }
  return true;
}

static bool tensormap_create(nereid_machine_t *machine, const nereid_step_t *step) {
  const uint64_t address = step->operands[0]->words[0];
  nereid_block_t block;
  if (!describe(step, &block) ||
      !nereid_machine_access(machine, step, address, MAP_BYTES, &step->operands[0]->shape, 0, "writes"))
    return false;
  uintptr_t *place = nereid_map_insert(&machine->tensormaps, (const void *)(uintptr_t)address);
  if (place && !*place)
    *place = (uintptr_t)nereid_arena_new(&machine->arena, nereid_block_t, 1);
  if (!place || !*place)
    return nereid_machine_exhausted(machine);
  *(nereid_block_t *)*place = block;
  return true;
}

static bool reinterpret(nereid_machine_t *machine, const nereid_step_t *step) {
  const void *address = (const void *)(uintptr_t)step->operands[0]->words[0];
  const uintptr_t *place = address ? nereid_map_find(&machine->tensormaps, address) : NULL;
  nereid_block_t *block = nereid_machine_block(machine, step->results[0]);
  if (!block)
    return false;
  if (!place)
    return nereid_machine_error(step, "uses memory that does not contain a tensor map");
  *block = *(const nereid_block_t *)*place;
  return true;
}

static bool nothing(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine, (void)step;
  return true;
}

const nereid_machine_row_t nereid_machine_tensormap_rows[] = {
    {.kind = NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC, .run = global_scratch_alloc, .prepare = prepare_scratch, .n_own = 1},
    {.kind = NEREID_OP_TTNG_TENSORMAP_CREATE, .run = tensormap_create},
    {.kind = NEREID_OP_TTNG_TENSORMAP_FENCEPROXY_ACQUIRE, .run = nothing},
    {.kind = NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR, .run = reinterpret},
    {.kind = NEREID_OP_UNKNOWN},
};
