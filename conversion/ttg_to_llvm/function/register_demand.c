/* The largest demand for registers in a function; see register_demand.h.
 *
 *   %x = tt.load …
 *   %d = tt.dot %a, %b, %c         here %a, %b, %c and %x are live
 *   use %x
 *
 * A tensor whose registers are those of an operand (broadcasts, views) keeps the operand live and does not count
 * itself. Scalars, temporaries of an op, and addresses, which are computed at the access, are not estimated. */
#include "conversion/ttg_to_llvm/function/register_demand.h"

#include "dialects/ir.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include <string.h>

enum { WORD = 64 };

typedef struct demand {
  nereid_lower_t *lower;
  const nereid_blocks_t *blocks;
  nereid_map_t numbers; /* value -> number of its tensor + 1 */
  NEREID_VECTOR(nereid_live_tensor_t) tensors;
  nereid_map_t entries; /* block -> its set: the tensors live at its beginning */
  size_t words;         /* words of a bit set */
  int64_t most;         /* registers */
  MlirOperation where;
  uint64_t *live; /* there */
} demand_t;

/* --- one value --- */

static int64_t distinct_values(nereid_lower_t *lower, nereid_lowered_t lowered) {
  nereid_map_t seen;
  nereid_map_initialize(&seen, lower->arena);
  for (intptr_t r = 0; r < lowered.count; ++r)
    (void)nereid_map_insert(&seen, lowered.values[r].ptr);
  return (int64_t)seen.size;
}

static bool runs(nereid_lower_t *lower, MlirValue value) {
  const nereid_axis_info_t *info = nereid_axis_info_get(&lower->module->axis, value);
  for (int d = 0; info && d < info->rank; ++d)
    if (nereid_axis_info_contiguity(info, d) > 1 || nereid_axis_info_constancy(info, d) > 1)
      return true;
  return false;
}

int64_t nereid_lower_registers_of(nereid_lower_t *lower, MlirValue value) {
  MlirType type = mlirValueGetType(value), element = nereid_lower_element_type(type);
  if (!mlirTypeIsARankedTensor(type) || (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1) ||
      runs(lower, value))
    return 0;
  return (distinct_values(lower, nereid_lower_get(lower, value)) * nereid_lower_memory_bits(element) + 31) / 32;
}

/* --- tensors --- */

/* The number + 1 of the operand whose registers `lowered` are; 0 without one. */
static uintptr_t source_of(const demand_t *demand, MlirOperation op, nereid_lowered_t lowered) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    const uintptr_t *number = nereid_map_find(&demand->numbers, operand.ptr);
    if (!number || !*number)
      continue;
    const nereid_lowered_t source = nereid_lower_get(demand->lower, operand);
    nereid_map_t seen;
    nereid_map_initialize(&seen, demand->lower->arena);
    for (intptr_t r = 0; r < source.count; ++r)
      (void)nereid_map_insert(&seen, source.values[r].ptr);
    bool same = true;
    for (intptr_t r = 0; same && r < lowered.count; ++r)
      same = nereid_map_find(&seen, lowered.values[r].ptr);
    if (same)
      return *number;
  }
  return 0;
}

/* Numbers the tensor of `value`, defined by `op`, or by a block if that is null. */
static void add_tensor(demand_t *demand, MlirValue value, MlirOperation op) {
  const bool address = nereid_tt_ptr_type_isa(nereid_lower_element_type(mlirValueGetType(value)));
  const int64_t registers = address ? 0 : nereid_lower_registers_of(demand->lower, value);
  if (!registers)
    return;
  uintptr_t number = mlirOperationIsNull(op) ? 0 : source_of(demand, op, nereid_lower_get(demand->lower, value));
  if (!number) {
    nereid_vector_push(demand->lower->arena, &demand->tensors, ((nereid_live_tensor_t){value, registers}));
    number = demand->tensors.size;
  }
  uintptr_t *place = nereid_map_insert(&demand->numbers, value.ptr);
  if (place)
    *place = number;
}

static void add_tensors(demand_t *demand) {
  for (size_t i = 0; i < demand->blocks->size; ++i) {
    MlirBlock block = demand->blocks->data[i];
    for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); ++a)
      add_tensor(demand, mlirBlockGetArgument(block, a), (MlirOperation){NULL});
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      for (intptr_t r = 0; nereid_op_kind(op) != NEREID_OP_ARITH_CONSTANT && r < mlirOperationGetNumResults(op); ++r)
        add_tensor(demand, mlirOperationGetResult(op, r), op);
  }
}

/* --- liveness --- */

static void set_live(const demand_t *demand, uint64_t *live, MlirValue value, bool is_live) {
  const uintptr_t *number = nereid_map_find(&demand->numbers, value.ptr);
  if (!number || !*number)
    return;
  const uint64_t bit = UINT64_C(1) << ((*number - 1) % WORD);
  if (is_live)
    live[(*number - 1) / WORD] |= bit;
  else if (mlirValueEqual(demand->tensors.data[*number - 1].value, value)) /* not by what shares its registers */
    live[(*number - 1) / WORD] &= ~bit;
}

static int64_t registers_of(const demand_t *demand, const uint64_t *live) {
  int64_t registers = 0;
  for (size_t i = 0; i < demand->tensors.size; ++i)
    if (live[i / WORD] >> i % WORD & 1)
      registers += demand->tensors.data[i].registers;
  return registers;
}

/* The tensors live at the end of `block`: those at the beginning of its successors. */
static void take_successors(const demand_t *demand, MlirBlock block, uint64_t *live) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(end); ++i) {
    const uintptr_t *entry = nereid_map_find(&demand->entries, mlirOperationGetSuccessor(end, i).ptr);
    for (size_t w = 0; entry && *entry && w < demand->words; ++w)
      live[w] |= ((const uint64_t *)*entry)[w];
  }
}

/* Steps `live` from after `op` to before it. */
static void step(const demand_t *demand, MlirOperation op, uint64_t *live) {
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
    set_live(demand, live, mlirOperationGetResult(op, r), false);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    set_live(demand, live, mlirOperationGetOperand(op, i), true);
}

/* Walks `block` backwards. `find`: also updates the largest demand. Returns whether the set at its beginning grew. */
static bool walk_block(demand_t *demand, MlirBlock block, uint64_t *live, bool find) {
  memset(live, 0, demand->words * sizeof *live);
  take_successors(demand, block, live);
  for (MlirOperation op = mlirBlockGetTerminator(block); !mlirOperationIsNull(op);
       op = nereidMlirOperationGetPrevInBlock(op)) {
    step(demand, op, live);
    const int64_t registers = find ? registers_of(demand, live) : 0;
    if (registers <= demand->most)
      continue;
    demand->most = registers;
    demand->where = op;
    memcpy(demand->live, live, demand->words * sizeof *live);
  }
  for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); ++a)
    set_live(demand, live, mlirBlockGetArgument(block, a), false);
  uint64_t *entry = (uint64_t *)*nereid_map_find(&demand->entries, block.ptr); /* NOLINT(performance-no-int-to-ptr) */
  bool grew = false;
  for (size_t w = 0; w < demand->words; ++w) {
    grew |= (live[w] & ~entry[w]) != 0;
    entry[w] |= live[w];
  }
  return grew;
}

static bool find_most(demand_t *demand) {
  nereid_arena_t *arena = demand->lower->arena;
  demand->words = demand->tensors.size / WORD + 1;
  uint64_t *live = nereid_arena_new(arena, uint64_t, demand->words);
  demand->live = nereid_arena_new(arena, uint64_t, demand->words);
  for (size_t i = 0; i < demand->blocks->size; ++i) {
    uintptr_t *place = nereid_map_insert(&demand->entries, demand->blocks->data[i].ptr);
    if (place)
      *place = (uintptr_t)nereid_arena_new(arena, uint64_t, demand->words);
  }
  if (arena->failed)
    return false;
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = demand->blocks->size; i-- > 0;)
      grew |= walk_block(demand, demand->blocks->data[i], live, false);
  }
  for (size_t i = demand->blocks->size; i-- > 0;)
    (void)walk_block(demand, demand->blocks->data[i], live, true);
  return demand->most > 0;
}

nereid_register_demand_t nereid_register_demand_find(nereid_lower_t *lower, const nereid_blocks_t *blocks) {
  nereid_register_demand_t found = {0};
  demand_t demand = {.lower = lower, .blocks = blocks};
  nereid_map_initialize(&demand.numbers, lower->arena);
  nereid_map_initialize(&demand.entries, lower->arena);
  add_tensors(&demand);
  if (!find_most(&demand))
    return found;
  found.registers = demand.most;
  found.where = demand.where;
  for (size_t i = 0; i < demand.tensors.size; ++i)
    if (demand.live[i / WORD] >> i % WORD & 1)
      nereid_vector_push(lower->arena, &found.live, demand.tensors.data[i]);
  return found;
}
