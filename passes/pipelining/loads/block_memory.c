/* Live bytes by op; see block_memory.h. */
#include "passes/pipelining/loads/block_memory.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"

typedef struct inside {
  int64_t scratch, buffers;
} inside_t;

static MlirWalkResult add_inside(MlirOperation op, void *user_data) {
  inside_t *inside = user_data;
  const int64_t scratch = nereid_scratch_bytes(op);
  if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC)
    inside->buffers += nereid_allocation_bytes(mlirValueGetType(nereid_ir_result(op)));
  inside->scratch = inside->scratch > scratch ? inside->scratch : scratch;
  return MlirWalkResultAdvance;
}

/* The bytes that `op` needs beside the buffers of its block. */
static int64_t bytes_inside(MlirOperation op) {
  inside_t inside = {0};
  if (!mlirOperationGetNumRegions(op))
    return nereid_scratch_bytes(op);
  mlirOperationWalk(op, add_inside, &inside, MlirWalkPreOrder);
  return inside.scratch + inside.buffers;
}

/* The index of the last use of `buffer` in the block, through views, if that is later than `last`. */
static size_t last_use(const nereid_block_memory_t *memory, MlirBlock block, MlirValue buffer, size_t last) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const size_t index = nereid_block_memory_index(memory, block, user);
    last = last > index ? last : index;
    if (nereid_ttg_is_memdesc_view(user))
      last = last_use(memory, block, nereid_ir_result(user), last);
  }
  return last;
}

bool nereid_block_memory_read(MlirBlock block, nereid_arena_t *arena, nereid_block_memory_t *out) {
  *out = (nereid_block_memory_t){.bytes.size = 0};
  nereid_map_initialize(&out->indices, arena);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    uintptr_t *place = nereid_map_insert(&out->indices, op.ptr);
    const int64_t bytes = bytes_inside(op);
    if (!place || !nereid_vector_push(arena, &out->bytes, bytes))
      return false;
    *place = out->bytes.size;
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) != NEREID_OP_TTG_LOCAL_ALLOC)
      continue;
    const size_t begin = nereid_block_memory_index(out, block, op);
    nereid_block_memory_add(out, begin, last_use(out, block, nereid_ir_result(op), begin) + 1,
                            nereid_allocation_bytes(mlirValueGetType(nereid_ir_result(op))));
  }
  return true;
}

size_t nereid_block_memory_index(const nereid_block_memory_t *memory, MlirBlock block, MlirOperation op) {
  MlirOperation place = nereid_ir_ancestor_in(block, op);
  const uintptr_t *index = mlirOperationIsNull(place) ? NULL : nereid_map_find(&memory->indices, place.ptr);
  return index ? *index - 1 : 0;
}

int64_t nereid_block_memory_peak(const nereid_block_memory_t *memory, size_t begin, size_t end) {
  int64_t peak = 0;
  for (size_t i = begin; i < end && i < memory->bytes.size; ++i)
    peak = peak > memory->bytes.data[i] ? peak : memory->bytes.data[i];
  return peak;
}

void nereid_block_memory_add(nereid_block_memory_t *memory, size_t begin, size_t end, int64_t bytes) {
  for (size_t i = begin; i < end && i < memory->bytes.size; ++i)
    memory->bytes.data[i] += bytes;
}
