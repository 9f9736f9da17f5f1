/* Blocks of strided tensors: block pointers and tensor descriptors.
 *
 *   out[i, j] = base[(offset0 + i) * stride0 + (offset1 + j) * stride1]     for indices inside shape
 *
 * A block pointer checks the dimensions of `boundaryCheck` only, a descriptor all dimensions. Elements outside read
 * as zero, or as NaN if the padding specifies it, and are not written. */
#include "interpreter/machine.h"

#include "mlir-c/BuiltinTypes.h"

nereid_block_t *nereid_machine_block(nereid_machine_t *machine, nereid_slot_t *slot) {
  return (nereid_block_t *)nereid_machine_resize(machine, slot, sizeof(nereid_block_t) / sizeof(uint64_t));
}

static const nereid_block_t *block_of(const nereid_slot_t *slot) {
  return (const nereid_block_t *)slot->words;
}

static int64_t signed_word(const nereid_slot_t *slot, size_t i) {
  return nereid_bits_signed(nereid_machine_word(slot, i), slot->shape.element.bits);
}

/* --- creating and advancing --- */

static bool set_shape(const nereid_step_t *step, size_t rank, nereid_block_t *block) {
  if (rank > NEREID_BLOCK_RANK)
    return nereid_machine_error(step, "has more than %d dimensions", NEREID_BLOCK_RANK);
  *block = (nereid_block_t){.base = step->operands[0]->words[0], .rank = (int64_t)rank};
  for (size_t d = 0; d < rank; ++d) {
    block->shape[d] = signed_word(step->operands[1 + d], 0);
    block->strides[d] = signed_word(step->operands[1 + rank + d], 0);
  }
  return true;
}

static bool make_tensor_ptr(nereid_machine_t *machine, const nereid_step_t *step) {
  const size_t rank = (step->n_operands - 1) / 3;
  nereid_block_t *block = nereid_machine_block(machine, step->results[0]);
  if (!block || !set_shape(step, rank, block))
    return false;
  for (size_t d = 0; d < rank; ++d)
    block->offsets[d] = signed_word(step->operands[1 + 2 * rank + d], 0);
  return true;
}

static bool make_tensor_descriptor(nereid_machine_t *machine, const nereid_step_t *step) {
  nereid_block_t *block = nereid_machine_block(machine, step->results[0]);
  if (!block || !set_shape(step, (step->n_operands - 1) / 2, block))
    return false;
  if (block->rank > 0 && block->strides[block->rank - 1] != 1)
    return nereid_machine_error(step, "has %lld as its last stride, expected 1",
                                (long long)block->strides[block->rank - 1]);
  block->nan_padding = nereid_tt_make_tensor_descriptor_get_padding(step->op) == NEREID_TT_PADDING_OPTION_PAD_NAN;
  return true;
}

static bool advance(nereid_machine_t *machine, const nereid_step_t *step) {
  nereid_block_t *block = nereid_machine_block(machine, step->results[0]);
  if (!block)
    return false;
  *block = *block_of(step->operands[0]);
  for (size_t d = 1; d < step->n_operands; ++d)
    block->offsets[d - 1] += signed_word(step->operands[d], 0);
  return true;
}

/* --- elements --- */

/* An access to a block: its op, start and checked dimensions. */
typedef struct access {
  nereid_machine_t *machine;
  const nereid_step_t *step;
  nereid_block_t block;        /* offsets: where this access starts */
  const nereid_shape_t *shape; /* shape of the tensor in registers */
  uint64_t checked;            /* a bit per dimension */
  const char *verb;
} access_t;

/* Returns the memory of the element at block coordinates `at`; false after a diagnostic. Null memory: outside. */
static bool locate(const access_t *access, const int64_t *at, size_t index, void **out_memory) {
  const nereid_block_t *block = &access->block;
  uint64_t address = block->base;
  *out_memory = NULL;
  for (int64_t d = 0; d < block->rank; ++d) {
    const int64_t position = block->offsets[d] + at[d];
    if (access->checked >> d & 1 && (position < 0 || position >= block->shape[d]))
      return true;
    address += (uint64_t)(position * block->strides[d]) * access->shape->bytes;
  }
  *out_memory = nereid_machine_access(access->machine, access->step, address, access->shape->bytes, access->shape,
                                      index, access->verb);
  return *out_memory != NULL;
}

/* Block coordinates of element `index`; a tensor may lack leading dimensions of the block. */
static void coordinates(const access_t *access, size_t index, int64_t *at) {
  const int64_t missing = access->block.rank - access->shape->rank;
  for (int64_t d = 0; d < missing; ++d)
    at[d] = 0;
  nereid_shape_coordinates(access->shape, index, at + (missing > 0 ? missing : 0));
}

static bool load_elements(const access_t *access, nereid_slot_t *to) {
  const uint64_t padding = access->block.nan_padding ? nereid_bits_nan(access->shape->element) : 0;
  uint64_t *out = nereid_machine_resize(access->machine, to, access->shape->count);
  int64_t at[NEREID_BLOCK_RANK + NEREID_MACHINE_RANK];
  for (size_t i = 0; out && i < access->shape->count; ++i) {
    void *memory;
    coordinates(access, i, at);
    if (!locate(access, at, i, &memory))
      return false;
    out[i] = memory ? nereid_machine_load(memory, access->shape) : padding;
  }
  return out != NULL;
}

static bool store_elements(const access_t *access, const nereid_slot_t *values) {
  int64_t at[NEREID_BLOCK_RANK + NEREID_MACHINE_RANK];
  for (size_t i = 0; i < access->shape->count; ++i) {
    void *memory;
    coordinates(access, i, at);
    if (!locate(access, at, i, &memory) || (memory && !nereid_undefined_use(access->step, values, i)))
      return false;
    if (memory)
      nereid_machine_store(memory, access->shape, nereid_machine_word(values, i));
  }
  return true;
}

/* --- block pointers --- */

bool nereid_machine_load_block(nereid_machine_t *machine, const nereid_step_t *step) {
  access_t access = {.machine = machine, .step = step, .block = *block_of(step->operands[0]), .verb = "reads"};
  access.shape = &step->results[0]->shape;
  access.block.nan_padding = !mlirAttributeIsNull(nereid_tt_load_get_padding_attr(step->op)) &&
                             nereid_tt_load_get_padding(step->op) == NEREID_TT_PADDING_OPTION_PAD_NAN;
  for (intptr_t i = 0; i < nereid_tt_load_get_boundary_check_count(step->op); ++i)
    access.checked |= UINT64_C(1) << nereid_tt_load_get_boundary_check(step->op, i);
  return load_elements(&access, step->results[0]);
}

bool nereid_machine_store_block(nereid_machine_t *machine, const nereid_step_t *step) {
  access_t access = {.machine = machine, .step = step, .block = *block_of(step->operands[0]), .verb = "writes"};
  access.shape = &step->operands[1]->shape;
  for (intptr_t i = 0; i < nereid_tt_store_get_boundary_check_count(step->op); ++i)
    access.checked |= UINT64_C(1) << nereid_tt_store_get_boundary_check(step->op, i);
  return store_elements(&access, step->operands[1]);
}

/* --- descriptors --- */

static access_t begin(nereid_machine_t *machine, const nereid_step_t *step, size_t first_index, const char *verb) {
  access_t access = {.machine = machine, .step = step, .block = *block_of(step->operands[0]), .verb = verb};
  access.checked = ~UINT64_C(0);
  for (size_t d = 0; d < (size_t)access.block.rank; ++d)
    access.block.offsets[d] = signed_word(step->operands[first_index + d], 0);
  return access;
}

bool nereid_machine_load_box(nereid_machine_t *machine, const nereid_step_t *step, size_t first, nereid_slot_t *to) {
  access_t access = begin(machine, step, first, "reads");
  access.shape = &to->shape;
  return load_elements(&access, to);
}

bool nereid_machine_store_box(nereid_machine_t *machine, const nereid_step_t *step, size_t first,
                              const nereid_slot_t *from) {
  access_t access = begin(machine, step, first, "writes");
  access.shape = &from->shape;
  return store_elements(&access, from);
}

static bool descriptor_load(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_load_box(machine, step, 1, step->results[0]);
}

static bool descriptor_store(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_store_box(machine, step, 2, step->operands[1]);
}

static bool has_unsigned_elements(const nereid_step_t *step) {
  MlirType block = nereid_tt_tensordesc_type_get_block_type(mlirValueGetType(step->operands[0]->value));
  return mlirTypeIsAInteger(mlirShapedTypeGetElementType(block)) &&
         mlirIntegerTypeIsUnsigned(mlirShapedTypeGetElementType(block));
}

static uint64_t reduced(nereid_tt_descriptor_reduce_kind_t how, bool is_unsigned, nereid_kind_t kind, uint64_t old,
                        uint64_t value) {
  switch (how) {
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_MIN:
    return nereid_machine_combine(is_unsigned ? NEREID_TT_RMW_OP_UMIN : NEREID_TT_RMW_OP_MIN, kind, old, value);
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_MAX:
    return nereid_machine_combine(is_unsigned ? NEREID_TT_RMW_OP_UMAX : NEREID_TT_RMW_OP_MAX, kind, old, value);
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_INC:
    return nereid_machine_combine(NEREID_TT_RMW_OP_INC, kind, old, value);
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_DEC:
    return nereid_machine_combine(NEREID_TT_RMW_OP_DEC, kind, old, value);
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_AND:
    return old & value;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_OR:
    return old | value;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_XOR:
    return old ^ value;
  default:
    return nereid_machine_combine(NEREID_TT_RMW_OP_ADD, kind, old, value);
  }
}

bool nereid_machine_reduce_box(nereid_machine_t *machine, const nereid_step_t *step, size_t first,
                               nereid_tt_descriptor_reduce_kind_t how, const nereid_slot_t *from) {
  access_t access = begin(machine, step, first, "writes");
  const bool is_unsigned = has_unsigned_elements(step);
  int64_t at[NEREID_BLOCK_RANK + NEREID_MACHINE_RANK];
  access.shape = &from->shape;
  for (size_t i = 0; i < access.shape->count; ++i) {
    void *memory;
    coordinates(&access, i, at);
    if (!locate(&access, at, i, &memory))
      return false;
    if (memory)
      nereid_machine_store(memory, access.shape,
                           reduced(how, is_unsigned, access.shape->element, nereid_machine_load(memory, access.shape),
                                   nereid_machine_word(from, i)));
  }
  return true;
}

static bool descriptor_reduce(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_reduce_box(machine, step, 2, nereid_tt_descriptor_reduce_get_kind(step->op), step->operands[1]);
}

/* Gather and scatter: element (i, j) is at row x[i], column y + j. */
static bool locate_row(const access_t *access, const nereid_slot_t *rows, size_t i, void **out_memory) {
  int64_t at[NEREID_MACHINE_RANK] = {0};
  nereid_shape_coordinates(access->shape, i, at);
  at[0] = signed_word(rows, (size_t)at[0]);
  return locate(access, at, i, out_memory);
}

static access_t begin_rows(nereid_machine_t *machine, const nereid_step_t *step, size_t rows, const char *verb) {
  access_t access = {.machine = machine, .step = step, .block = *block_of(step->operands[0]), .verb = verb};
  access.checked = ~UINT64_C(0);
  access.block.offsets[0] = 0;
  access.block.offsets[1] = signed_word(step->operands[rows + 1], 0);
  return access;
}

bool nereid_machine_gather_rows(nereid_machine_t *machine, const nereid_step_t *step, size_t rows, nereid_slot_t *to) {
  access_t access = begin_rows(machine, step, rows, "reads");
  access.shape = &to->shape;
  const uint64_t padding = access.block.nan_padding ? nereid_bits_nan(access.shape->element) : 0;
  uint64_t *out = nereid_machine_resize(machine, to, to->shape.count);
  for (size_t i = 0; out && i < access.shape->count; ++i) {
    void *memory;
    if (!locate_row(&access, step->operands[rows], i, &memory))
      return false;
    out[i] = memory ? nereid_machine_load(memory, access.shape) : padding;
  }
  return out != NULL;
}

bool nereid_machine_scatter_rows(nereid_machine_t *machine, const nereid_step_t *step, size_t rows,
                                 const nereid_slot_t *from) {
  access_t access = begin_rows(machine, step, rows, "writes");
  access.shape = &from->shape;
  for (size_t i = 0; i < access.shape->count; ++i) {
    void *memory;
    if (!locate_row(&access, step->operands[rows], i, &memory) || (memory && !nereid_undefined_use(step, from, i)))
      return false;
    if (memory)
      nereid_machine_store(memory, access.shape, nereid_machine_word(from, i));
  }
  return true;
}

static bool descriptor_gather(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_gather_rows(machine, step, 1, step->results[0]);
}

static bool descriptor_scatter(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_scatter_rows(machine, step, 1, step->operands[3]);
}

const nereid_machine_row_t nereid_machine_block_rows[] = {
    {.kind = NEREID_OP_TT_MAKE_TENSOR_PTR, .run = make_tensor_ptr},
    {.kind = NEREID_OP_TT_ADVANCE, .run = advance},
    {.kind = NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR, .run = make_tensor_descriptor},
    {.kind = NEREID_OP_TT_DESCRIPTOR_LOAD, .run = descriptor_load},
    {.kind = NEREID_OP_TT_DESCRIPTOR_STORE, .run = descriptor_store},
    {.kind = NEREID_OP_TT_DESCRIPTOR_REDUCE, .run = descriptor_reduce, .is_ordered = true},
    {.kind = NEREID_OP_TT_DESCRIPTOR_GATHER, .run = descriptor_gather},
    {.kind = NEREID_OP_TT_DESCRIPTOR_SCATTER, .run = descriptor_scatter},
    {.kind = NEREID_OP_UNKNOWN},
};
