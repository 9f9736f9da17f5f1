/* nereid-hoist-loads: issues loads outside of loops before the first op at which threads wait: operands of dots as
 * asynchronous copies, small tensors and scalars in registers.
 *
 *   %a = tt.load %p                              %a = tt.load %p
 *   %x = ttg.local_alloc %a                      %y = ttg.local_alloc : mutable
 *   %c = tt.dot %x, …                            ttg.async_copy_global_to_local %q, %y ; ttg.async_commit_group
 *   %b = tt.load %q                       ->     %g = tt.load %r
 *   %y = ttg.local_alloc %b                      %x = ttg.local_alloc %a
 *   %g = tt.load %r                              %c = tt.dot %x, …
 *   %d = tt.dot %y, %g …                         ttg.async_wait {num = 0}
 *                                                %d = tt.dot %y, %g …
 *
 * A load through registers begins no earlier than registers are free for its values, and the assembler moves none over
 * a barrier. A load moves up with the ops that compute its addresses and its mask, but not over an op with regions, one
 * that may write the memory that it reads, or one that orders loads. Where a multiprocessor executes few warps,
 * operands that nothing waits for before become copies, too: their values need no registers.
 *
 * The load of a scalar that a pipelined loop executes for its next iteration moves to the beginning of the body.
 *
 * Where tensors need all registers, other large values are copied, too:
 *
 *   %a = tt.load %p : 128 registers               ttg.async_copy_global_to_local %p, %y ; ttg.async_commit_group
 *   %b = arith.select %m, %x, %a           ->     ttg.async_wait {num = 0}
 *                                                 %a = ttg.local_load %y
 *                                                 %b = arith.select %m, %x, %a
 *
 * The assembler would load such a value piece by piece, each one where it is used, and each would wait for memory.
 *
 * A buffer is live from its copy on. Copies are made as far as a multiprocessor then executes as many CTAs as before;
 * fewer if tensors need more registers than there are, as spills cost more. */
#include "passes/dot/dot_registers.h"
#include "passes/dot/register_pressure.h"
#include "passes/pass.h"
#include "passes/pipelining/loads/block_memory.h"
#include "passes/pipelining/ring.h"
#include "passes/support/collect.h"
#include "passes/support/written_roots.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "analysis/axis/axis_info.h"
#include "base/target_facts.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/effects.h"
#include "seam/ir.h"

enum {
  MAX_SCAN = 4096,      /* ops above a load that are examined */
  FEW_WARPS = 16,       /* resident warps per SM: fewer do not hide latency */
  COPY_REGISTERS = 8,   /* per thread, of the value of a copy, at least */
  LARGE_REGISTERS = 64, /* the same of a value that ops other than dots use, where tensors need all registers */
  SMALL_REGISTERS = 16, /* per thread, of a value that is loaded early into registers, at most */
  BLOCK_REGISTERS = 48, /* the same, of all such values of a block */
  SPARE_REGISTERS = 16, /* beyond the limit of register_pressure.h, which they may use */
  OTHER_REGISTERS = 40, /* besides tensors */
  MANY_REGISTERS = 400  /* per thread, live tensors: nearly twice the register file */
};

typedef struct copy {
  MlirOperation load, commit;
  MlirOperation first; /* op of the block that reads the buffer first */
  MlirOperation user;  /* first user of a large value, which is loaded from the buffer before it; else null */
  MlirValue buffer;
} copy_t;

/* The block whose loads move. */
typedef struct hoist {
  nereid_pass_t *pass;
  nereid_axis_result_t axis;
  MlirBlock block;
  nereid_block_memory_t memory;
  int64_t allowed;              /* bytes of shared memory */
  int64_t registers;            /* per thread, of tensors where the function needs most */
  int64_t limit;                /* registers that tensors can use */
  int64_t small;                /* registers of the small values that have moved */
  bool has_few_warps;           /* on a multiprocessor, by registers */
  MlirOperation last;           /* commit of the last copy; null before the first */
  size_t last_index;            /* index of the op that follows `last` */
  NEREID_VECTOR(copy_t) copies; /* across all blocks, in program order */
  int64_t moved;                /* loads into registers */
} hoist_t;

/* --- places --- */

/* A place in the block: directly below `after`, or at the beginning if that is null. */
typedef struct place {
  MlirOperation after;
  nereid_operations_t slice; /* ops below the place that the load depends on, definitions first: they move up */
} place_t;

/* Whether threads wait at `op`: for values that they exchange, or for a dot. A conversion still moves down to its use,
 * except where its value would need registers that are short. */
static bool waits(const hoist_t *hoist, MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_LOCAL_ALLOC:
    return mlirOperationGetNumOperands(op) > 0;
  case NEREID_OP_TTG_LOCAL_LOAD:
  case NEREID_OP_TTG_LOCAL_STORE:
    return true;
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return hoist->registers > hoist->limit && nereid_scratch_bytes(op) > 0;
  default:
    return nereid_dot_is_dot(op) || mlirOperationGetNumRegions(op) || nereid_scratch_bytes(op) > 0;
  }
}

/* Whether `load` can be executed before `op`, which must not write the memory that it reads. Pointers from different
 * arguments do not alias (docs/barriers.md). */
static bool permits(const hoist_t *hoist, MlirOperation op, MlirOperation load) {
  nereid_written_roots_t written;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (mlirOperationGetNumRegions(op) && kind != NEREID_OP_TT_REDUCE && kind != NEREID_OP_TT_SCAN)
    return false;
  if (nereidMlirOperationIsMemoryEffectFree(op))
    return true;
  if (kind == NEREID_OP_TTG_ASYNC_WAIT) /* the copies of a loop end here; it would wait for this one, too */
    return false;
  nereid_written_roots_read(op, hoist->pass->scratch, &written);
  return !written.orders_loads && !nereid_written_roots_may_write(&written, nereid_tt_load_get_ptr(load));
}

/* The first op above `load` at which threads wait and before which the load can be executed; null if there is none. */
static MlirOperation first_wait_above(const hoist_t *hoist, MlirOperation load) {
  MlirOperation op = nereidMlirOperationGetPrevInBlock(load), found = {NULL};
  for (int i = 0; i < MAX_SCAN && !mlirOperationIsNull(op); ++i, op = nereidMlirOperationGetPrevInBlock(op)) {
    if (mlirOperationEqual(op, hoist->last) || !permits(hoist, op, load))
      break;
    if (waits(hoist, op))
      found = op;
  }
  return found;
}

static bool is_after(MlirOperation op, MlirOperation other) {
  return mlirOperationIsNull(other) || mlirOperationIsBeforeInBlock(other, op);
}

static bool is_movable(MlirOperation op) {
  return !mlirOperationGetNumRegions(op) && nereidMlirOperationIsPure(op);
}

/* Appends the ops below the place that `op` depends on; the place moves down below one that cannot move. */
static void add_slice(const hoist_t *hoist, MlirOperation op, nereid_map_t *seen, place_t *place) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation definition = nereid_defining_op(mlirOperationGetOperand(op, i));
    if (mlirOperationIsNull(definition) ||
        !mlirBlockEqual(mlirOperationGetBlock(definition), mlirOperationGetBlock(op)) ||
        !is_after(definition, place->after) || nereid_map_find(seen, definition.ptr))
      continue;
    uintptr_t *entry = nereid_map_insert(seen, definition.ptr);
    if (!entry)
      return;
    *entry = 1;
    if (is_movable(definition)) {
      add_slice(hoist, definition, seen, place);
      nereid_vector_push(hoist->pass->scratch, &place->slice, definition);
    } else if (is_after(definition, place->after)) {
      place->after = definition;
    }
  }
}

/* Finds the place of `load` above the ops that wait. False if there is none, unless `in_place`. */
static bool find_place(const hoist_t *hoist, MlirOperation load, bool in_place, place_t *out) {
  MlirOperation wait = first_wait_above(hoist, load);
  nereid_map_t seen;
  if (mlirOperationIsNull(wait) && !in_place)
    return false;
  nereid_map_initialize(&seen, hoist->pass->scratch);
  *out = (place_t){.after = nereidMlirOperationGetPrevInBlock(mlirOperationIsNull(wait) ? load : wait)};
  add_slice(hoist, load, &seen, out);
  return true;
}

/* Moves the slice to the place. Returns the op below it, before which the load is to be inserted. */
static MlirOperation move_slice(MlirBlock block, const place_t *place) {
  MlirOperation below =
      mlirOperationIsNull(place->after) ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(place->after);
  for (size_t i = 0; i < place->slice.size; ++i) {
    MlirOperation op = place->slice.data[i];
    if (!is_after(op, place->after))
      continue;
    if (mlirOperationEqual(op, below))
      below = mlirOperationGetNextInBlock(below);
    else
      mlirOperationMoveBefore(op, below);
  }
  return below;
}

/* --- shared memory --- */

/* Bytes of shared memory up to which a multiprocessor executes enough CTAs. */
static int64_t allowed_bytes(const hoist_t *hoist, int64_t warps) {
  const int capability = nereid_ttg_compute_capability(hoist->pass->op);
  const int64_t most = NEREID_TARGET_THREAD_REGISTERS, registers = hoist->registers + SPARE_REGISTERS;
  const int64_t by_registers = nereid_target_ctas_by_registers(registers < most ? registers : most, warps);
  int64_t ctas = nereid_target_ctas(capability, nereid_block_memory_peak(&hoist->memory, 0, SIZE_MAX));
  ctas = ctas < by_registers ? ctas : by_registers;
  if (hoist->registers > MANY_REGISTERS)
    ctas = (ctas + 1) / 2;
  else if (hoist->registers > hoist->limit && ctas > 2)
    --ctas;
  const int64_t memory = nereid_target_shared_memory(capability) + NEREID_TARGET_RESERVED_MEMORY;
  return memory / (ctas > 1 ? ctas : 1) - NEREID_TARGET_RESERVED_MEMORY;
}

/* Index of the op below the place, before ops moved. */
static size_t index_of(const hoist_t *hoist, const place_t *place) {
  if (mlirOperationIsNull(place->after))
    return 0;
  if (mlirOperationEqual(place->after, hoist->last))
    return hoist->last_index;
  return nereid_block_memory_index(&hoist->memory, hoist->block, place->after) + 1;
}

/* Index of the first use of `load`. */
static size_t index_of_use(const hoist_t *hoist, MlirOperation load) {
  size_t first = SIZE_MAX;
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(load)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    const size_t index = nereid_block_memory_index(&hoist->memory, hoist->block, mlirOpOperandGetOwner(use));
    first = index < first ? index : first;
  }
  return first;
}

/* Reserves the buffer of `load` from the place on; false if it does not fit. */
static bool reserve(hoist_t *hoist, MlirOperation load, const place_t *place) {
  const size_t begin = index_of(hoist, place), end = index_of_use(hoist, load);
  const int64_t bytes = nereid_allocation_bytes(nereid_ring_slot_type(load));
  if (nereid_block_memory_peak(&hoist->memory, begin, end) + bytes > hoist->allowed)
    return false;
  nereid_block_memory_add(&hoist->memory, begin, end, bytes);
  hoist->last_index = begin;
  return true;
}

/* --- copies --- */

/* Whether `user` reads the value of a load from a buffer of type `slot`, or makes one of it. */
static bool reads_buffer(MlirOperation user, MlirType tensor, MlirType slot) {
  MlirValue result = nereid_ir_result(user);
  MlirAttribute encoding = nereid_ttg_memdesc_type_get_encoding(slot);
  if (nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC)
    return mlirAttributeEqual(nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(result)), encoding) &&
           nereid_ring_view_is_local(result);
  return nereid_op_kind(user) == NEREID_OP_TTG_CONVERT_LAYOUT &&
         mlirAttributeEqual(nereid_ring_operand_encoding(tensor, nereid_ttg_encoding_of(result)), encoding);
}

/* Whether a copy can replace `load`: its value is stored in a buffer, or converted to an operand of a dot. */
static bool can_copy(const hoist_t *hoist, MlirOperation load) {
  MlirValue value = nereid_ir_result(load);
  MlirType tensor = mlirValueGetType(value);
  if (!mlirTypeIsARankedTensor(tensor) || nereid_ring_has_other(load) ||
      mlirOpOperandIsNull(mlirValueGetFirstUse(value)) || nereid_register_pressure_of(value) < COPY_REGISTERS)
    return false;
  MlirType slot = nereid_ring_slot_type(load);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!reads_buffer(user, tensor, slot) || !mlirBlockEqual(mlirOperationGetBlock(user), hoist->block))
      return false;
  }
  return nereid_ring_can_copy(load, slot, &hoist->axis);
}

static bool is_large_load(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_LOAD && mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(op))) &&
         nereid_register_pressure_of(nereid_ir_result(op)) >= LARGE_REGISTERS;
}

/* Whether a large value is loaded between `op` and the next op in the direction of `step` at which threads wait. */
static bool reaches_large_load(const hoist_t *hoist, MlirOperation op, MlirOperation (*step)(MlirOperation op)) {
  for (int i = 0; i < MAX_SCAN && (op = step(op), !mlirOperationIsNull(op)) && !waits(hoist, op); ++i)
    if (is_large_load(op))
      return true;
  return false;
}

/* Whether no other large value is loaded between the ops around `load` at which threads wait: the loads of several are
 * in flight together, copies to memory that they share would not be. */
static bool is_only_large_load(const hoist_t *hoist, MlirOperation load) {
  return !reaches_large_load(hoist, load, nereidMlirOperationGetPrevInBlock) &&
         !reaches_large_load(hoist, load, mlirOperationGetNextInBlock);
}

/* The first user of the value of `load` if that is large and tensors need all registers: the assembler would load it
 * piece by piece, each one where it is used, so that every piece waits for memory. Null otherwise. */
static MlirOperation user_of_large(const hoist_t *hoist, MlirOperation load) {
  MlirValue value = nereid_ir_result(load);
  MlirOperation first = {NULL};
  if (!hoist->has_few_warps || hoist->registers < hoist->limit + OTHER_REGISTERS || !is_large_load(load) ||
      nereid_ring_has_other(load) || !is_only_large_load(hoist, load) ||
      !nereid_ring_can_copy(load, nereid_ring_slot_type(load), &hoist->axis))
    return first;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirBlockEqual(mlirOperationGetBlock(user), hoist->block))
      return (MlirOperation){NULL};
    if (mlirOperationIsNull(first) || mlirOperationIsBeforeInBlock(user, first))
      first = user;
  }
  return first;
}

/* Finds the place of `load` after the last large value has been read, whose memory is then free. */
static bool find_place_after_last(const hoist_t *hoist, MlirOperation load, place_t *out) {
  MlirOperation last = hoist->copies.size ? hoist->copies.data[hoist->copies.size - 1].user : (MlirOperation){NULL};
  MlirOperation op = load;
  nereid_map_t seen;
  if (mlirOperationIsNull(last) || !mlirBlockEqual(mlirOperationGetBlock(last), hoist->block))
    return false;
  for (int i = 0; i < MAX_SCAN && !mlirOperationEqual(op, last); ++i) {
    op = nereidMlirOperationGetPrevInBlock(op);
    if (mlirOperationIsNull(op) || !permits(hoist, op, load))
      return false;
  }
  if (!mlirOperationEqual(op, last))
    return false;
  nereid_map_initialize(&seen, hoist->pass->scratch);
  *out = (place_t){.after = last};
  add_slice(hoist, load, &seen, out);
  return true;
}

/* `user`: of a large value; null for a value whose users read a buffer. */
static void copy(hoist_t *hoist, MlirOperation load, MlirOperation user) {
  place_t place;
  const bool early = find_place(hoist, load, hoist->has_few_warps, &place) && reserve(hoist, load, &place);
  if (!early &&
      (mlirOperationIsNull(user) || !find_place_after_last(hoist, load, &place) || !reserve(hoist, load, &place)))
    return;
  const nereid_builder_t builder = {
      .location = mlirOperationGetLocation(load), .block = hoist->block, .before = move_slice(hoist->block, &place)};
  copy_t copy = {.load = load, .user = user};
  copy.buffer = nereid_ir_result(
      nereid_ttg_local_alloc_build(&builder, nereid_ring_slot_type(load), (MlirValue){NULL}, (MlirAttribute){NULL}));
  nereid_ttg_async_copy_global_to_local_build(&builder, nereid_tt_load_get_ptr(load), copy.buffer,
                                              nereid_tt_load_get_mask(load),
                                              nereid_ring_excluded_value(&builder, load, false),
                                              nereid_tt_load_get_cache(load), nereid_tt_load_get_evict(load), false, 1);
  copy.commit = hoist->last = nereid_ttg_async_commit_group_build(&builder, 0, NULL);
  nereid_pass_remark_passed(hoist->pass, load, "hoist", "loaded by an asynchronous copy of %lld bytes",
                            (long long)nereid_allocation_bytes(mlirValueGetType(copy.buffer)));
  nereid_vector_push(hoist->pass->scratch, &hoist->copies, copy);
}

/* Replaces the uses of the load by the buffer, and by loads from it. */
static void replace_uses(const copy_t *copy) {
  MlirValue value = nereid_ir_result(copy->load);
  if (!mlirOperationIsNull(copy->user)) {
    const nereid_builder_t builder = nereid_builder_before(copy->user);
    mlirValueReplaceAllUsesOfWith(value, nereid_ir_result(nereid_ttg_local_load_build(
                                             &builder, mlirValueGetType(value), copy->buffer, (MlirValue){NULL})));
  }
  for (MlirOpOperand use; use = mlirValueGetFirstUse(value), !mlirOpOperandIsNull(use);) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirValue result = nereid_ir_result(user);
    if (nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC) {
      nereid_ring_replace_view(result, copy->buffer);
    } else {
      const nereid_builder_t builder = nereid_builder_before(user);
      mlirValueReplaceAllUsesOfWith(result, nereid_ir_result(nereid_ttg_local_load_build(
                                                &builder, mlirValueGetType(result), copy->buffer, (MlirValue){NULL})));
    }
    nereidMlirOperationErase(user);
  }
  nereidMlirOperationErase(copy->load);
}

/* The first op of `block` that reads `buffer`, through views, or `first` if that is earlier. */
static MlirOperation first_read(MlirBlock block, MlirValue buffer, MlirOperation first) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use), op = nereid_ir_ancestor_in(block, user);
    if (nereid_op_kind(user) == NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL)
      continue;
    if (nereid_ttg_is_memdesc_view(user))
      first = first_read(block, nereid_ir_result(user), first);
    else if (mlirOperationIsNull(first) || mlirOperationIsBeforeInBlock(op, first))
      first = op;
  }
  return first;
}

/* Groups of copies that begin between `commit` and `op`, in their block. Those in regions between them count as none,
 * which makes a wait for `commit` stricter. */
static int32_t groups_between(MlirOperation commit, MlirOperation op) {
  int32_t count = 0;
  while (commit = mlirOperationGetNextInBlock(commit), !mlirOperationEqual(commit, op))
    count += nereid_op_kind(commit) == NEREID_OP_TTG_ASYNC_COMMIT_GROUP;
  return count;
}

/* Whether a later group of the block is read no later: its wait is one for group `i`, too. */
static bool is_awaited(const hoist_t *hoist, size_t i) {
  const copy_t *copies = hoist->copies.data;
  for (size_t n = i + 1; n < hoist->copies.size; ++n)
    if (mlirBlockEqual(mlirOperationGetBlock(copies[n].commit), mlirOperationGetBlock(copies[i].commit)) &&
        !mlirOperationIsBeforeInBlock(copies[i].first, copies[n].first))
      return true;
  return false;
}

static void finish_copies(hoist_t *hoist) {
  for (size_t i = 0; i < hoist->copies.size; ++i) {
    copy_t *copy = &hoist->copies.data[i];
    MlirBlock block = mlirOperationGetBlock(copy->commit);
    replace_uses(copy);
    copy->first = first_read(block, copy->buffer, (MlirOperation){NULL});
  }
  for (size_t i = 0; i < hoist->copies.size; ++i) {
    const copy_t *copy = &hoist->copies.data[i];
    if (is_awaited(hoist, i))
      continue;
    const nereid_builder_t builder = nereid_builder_before(copy->first);
    nereid_ttg_async_wait_build(&builder, 0, NULL, groups_between(copy->commit, copy->first));
  }
}

/* --- loads into registers --- */

static int64_t registers_of(MlirOperation load) {
  MlirValue value = nereid_ir_result(load);
  return mlirTypeIsARankedTensor(mlirValueGetType(value)) ? nereid_register_pressure_of(value) : 1;
}

static void move(hoist_t *hoist, MlirOperation load) {
  place_t place;
  const int64_t registers = registers_of(load), all = hoist->small + registers;
  if (registers > SMALL_REGISTERS || all > BLOCK_REGISTERS || hoist->registers + all > hoist->limit + SPARE_REGISTERS ||
      !find_place(hoist, load, false, &place))
    return;
  MlirOperation below = move_slice(hoist->block, &place);
  if (mlirOperationEqual(below, load)) /* an operand cannot move up */
    return;
  mlirOperationMoveBefore(load, below);
  hoist->small += registers;
  ++hoist->moved;
}

/* --- scalars of the next iteration --- */

/* Whether `load` is that of a scalar that only the next iteration uses: tritongpu-pipeline executes it ahead, over the
 * stores of an iteration, but next to the copies, which may follow the dots. */
static bool is_for_next_iteration(MlirOperation load) {
  MlirOperation loop = mlirOperationGetParentOperation(load), user = nereid_ir_only_user(nereid_ir_result(load));
  return nereid_op_kind(loop) == NEREID_OP_SCF_FOR && !mlirOperationIsNull(user) &&
         nereid_op_kind(user) == NEREID_OP_SCF_YIELD &&
         !mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(load)));
}

/* Moves the load to the beginning of the body, after what its address depends on: it has the whole iteration. */
static void move_to_begin(hoist_t *hoist, MlirOperation load) {
  MlirOperation loop = mlirOperationGetParentOperation(load);
  nereid_written_roots_t written;
  place_t place = {.after = {NULL}};
  nereid_map_t seen;
  nereid_map_initialize(&seen, hoist->pass->scratch);
  nereid_written_roots_read(loop, hoist->pass->scratch, &written);
  if (!nereid_written_roots_permit_ahead(&written, load, false))
    return;
  add_slice(hoist, load, &seen, &place);
  MlirOperation below = move_slice(mlirOperationGetBlock(load), &place);
  if (mlirOperationEqual(below, load))
    return;
  mlirOperationMoveBefore(load, below);
  ++hoist->moved;
}

/* --- the pass --- */

/* Whether all warps execute `op` at most once: neither a loop nor a partition of warps is around it. */
static bool is_in_straight_line(MlirOperation op) {
  do
    op = mlirOperationGetParentOperation(op);
  while (nereid_op_kind(op) == NEREID_OP_SCF_IF);
  return nereid_op_kind(op) == NEREID_OP_TT_FUNC;
}

/* Reads the registers and the shared memory of a block; false when out of memory. */
static bool begin_block(hoist_t *hoist, MlirBlock block) {
  nereid_register_pressure_t pressure;
  MlirOperation function = nereid_ir_function_of(mlirBlockGetParentOperation(block));
  const int64_t warps = nereid_ttg_num_warps(function), most = NEREID_TARGET_THREAD_REGISTERS;
  if (!nereid_register_pressure_find(function, hoist->pass->scratch, &pressure) ||
      !nereid_block_memory_read(block, hoist->pass->scratch, &hoist->memory))
    return false;
  hoist->block = block;
  hoist->last = (MlirOperation){NULL};
  hoist->last_index = 0;
  hoist->small = 0;
  hoist->registers = nereid_register_pressure_peak(&pressure);
  hoist->limit = nereid_register_pressure_limit(function);
  hoist->allowed = allowed_bytes(hoist, warps);
  const int64_t registers = hoist->registers + OTHER_REGISTERS;
  hoist->has_few_warps =
      nereid_target_ctas_by_registers(registers < most ? registers : most, warps) * warps < FEW_WARPS;
  return true;
}

MlirLogicalResult nereid_pass_hoist_loads(nereid_pass_t *pass) {
  hoist_t hoist = {.pass = pass};
  nereid_operations_t loads = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_LOAD, pass->scratch, &loads) ||
      (loads.size && nereid_axis_info_run(pass->op, pass->scratch, &hoist.axis) != NEREID_OK))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < loads.size; ++i) {
    MlirOperation load = loads.data[i];
    MlirBlock block = mlirOperationGetBlock(load);
    if (is_for_next_iteration(load))
      move_to_begin(&hoist, load);
    if (!is_in_straight_line(load) || nereid_ring_is_volatile(load))
      continue;
    if (!mlirBlockEqual(block, hoist.block) && !begin_block(&hoist, block))
      return mlirLogicalResultFailure();
    const bool is_operand = can_copy(&hoist, load);
    const MlirOperation user = is_operand ? (MlirOperation){NULL} : user_of_large(&hoist, load);
    if (is_operand || !mlirOperationIsNull(user))
      copy(&hoist, load, user);
    else
      move(&hoist, load);
  }
  finish_copies(&hoist);
  nereid_pass_statistic_add(pass, "copies", (int64_t)hoist.copies.size);
  nereid_pass_statistic_add(pass, "moved", hoist.moved);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
