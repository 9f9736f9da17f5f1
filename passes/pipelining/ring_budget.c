/* Budgets of rings; see ring_budget.h. */
#include "passes/pipelining/ring_budget.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "base/target_facts.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/dot/dot_registers.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/ring.h"
#include "passes/support/descriptor.h"
#include "seam/ir.h"

enum {
  ALIGNMENT = 1024, /* bytes, of the buffers of wgmma */
  LANES = 32,
  OTHER_REGISTERS = 32,   /* per thread, besides accumulators */
  OPERAND_REGISTERS = 32, /* per thread, if dots have operands in registers */
  MAX_OUTSIDE = 16,
};

/* --- one ring --- */

/* Whether a value is stored by a ttg.local_alloc with a latency. */
static bool is_stored_ahead(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC && nereid_ir_integer(user, NEREID_ATTR_LATENCY, 0) > 0)
      return true;
  }
  return false;
}

bool nereid_ring_budget_has_ring(MlirOperation key) {
  if (nereid_op_kind(key) == NEREID_OP_TTG_LOCAL_ALLOC)
    return true;
  return nereid_ring_is_load(key) && nereid_ttg_is_laid_out(nereid_ir_result(key)) &&
         !nereid_ir_has_attribute(key, NEREID_ATTR_LOOP_IN_REGISTERS) && !is_stored_ahead(nereid_ir_result(key));
}

/* Whether a dot that stays in flight reads the buffer, through views. */
static bool is_read_in_flight(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_ring_dot_stays_in_flight(user) && !nereid_ring_dot_is_completed(user))
      return true;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r)
      if (nereid_ttg_memdesc_type_isa(mlirValueGetType(mlirOperationGetResult(user, r))) &&
          is_read_in_flight(mlirOperationGetResult(user, r)))
        return true;
  }
  return false;
}

/* Whether the slot of `load` replaces the buffer `alloc`, which is made of the load. A buffer with another encoding, as
 * that of an operand which TMA cannot transpose, is filled through registers. */
static bool is_slot(MlirOperation load, MlirOperation alloc) {
  return mlirAttributeEqual(nereid_ttg_memdesc_type_get_encoding(nereid_ring_slot_type(load)),
                            nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(nereid_ir_result(alloc))));
}

static bool has_dot_in_flight(MlirOperation key) {
  MlirValue value = nereid_ir_result(key);
  if (nereid_op_kind(key) == NEREID_OP_TTG_LOCAL_ALLOC)
    return is_read_in_flight(value);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC && is_read_in_flight(nereid_ir_result(user)))
      return true;
  }
  return false;
}

/* Whether a dot that stays in flight reads a ring of `keys`. */
static bool has_ring_in_flight(const nereid_operations_t *keys) {
  for (size_t i = 0; i < keys->size; ++i)
    if (nereid_ring_budget_has_ring(keys->data[i]) && has_dot_in_flight(keys->data[i]))
      return true;
  return false;
}

bool nereid_ring_budget_can_be_late(const nereid_operations_t *keys) {
  if (!has_ring_in_flight(keys))
    return false;
  for (size_t i = 0; i < keys->size; ++i) {
    MlirOperation key = keys->data[i];
    MlirOpOperand use = nereid_ring_is_load(key) && nereid_ring_budget_has_ring(key)
                            ? mlirValueGetFirstUse(nereid_ir_result(key))
                            : (MlirOpOperand){NULL};
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC && !is_slot(key, user))
        return false;
    }
  }
  return true;
}

/* Whether a buffer or dot operand without a latency of its own is made of the load. */
static bool has_direct_buffer(MlirOperation load) {
  MlirValue value = nereid_ir_result(load);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC || nereid_op_kind(user) == NEREID_OP_TTG_CONVERT_LAYOUT)
      return true;
  }
  return false;
}

/* The latency of buffers that are computed from `value`, found in at most `*visits` more ops. */
static int64_t find_latency(MlirValue value, int *visits) {
  int64_t latency = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use) && (*visits)-- > 0;
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool is_buffer = nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC;
    int64_t found = is_buffer ? nereid_ir_integer(user, NEREID_ATTR_LATENCY, 0) : 0;
    if (!is_buffer && mlirOperationGetNumResults(user) == 1 &&
        mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(user))))
      found = find_latency(nereid_ir_result(user), visits);
    latency = latency > found ? latency : found;
  }
  return latency;
}

/* The latency of buffers that are computed from `value`: a scale is widened, shifted, repeated, compared with NaN. */
static int64_t latency_of_buffers(MlirValue value) {
  int visits = 64;
  return find_latency(value, &visits);
}

int32_t nereid_ring_budget_slots(MlirOperation key, int64_t latency, bool late) {
  const bool is_copied = nereid_ring_is_load(key);
  const bool reuses_slot = is_copied && (late || nereid_ring_is_read_first(key));
  /* A slot that dots read themselves is in use until they read what was computed from it. */
  const int64_t longer = is_copied && has_direct_buffer(key) ? latency_of_buffers(nereid_ir_result(key)) : 0;
  return (int32_t)(latency + longer) + !reuses_slot + has_dot_in_flight(key);
}

int64_t nereid_ring_budget_slot_bytes(MlirOperation key) {
  if (nereid_op_kind(key) == NEREID_OP_TTG_LOCAL_ALLOC)
    return nereid_ring_slot_bytes(mlirValueGetType(nereid_ir_result(key)));
  return nereid_ring_slot_bytes(nereid_ring_slot_type(key));
}

/* --- a loop --- */

/* Whether the loads `key` and `other`, of the same latency, are in the same stage: what is computed from them has the
 * same latency, too. */
static bool is_in_stage_of(MlirOperation key, MlirOperation other) {
  const int64_t latency = latency_of_buffers(nereid_ir_result(key));
  return nereid_op_kind(other) == nereid_op_kind(key) && latency_of_buffers(nereid_ir_result(other)) == latency;
}

static bool has_own_slots(MlirOperation key) {
  return nereid_ir_has_attribute(key, NEREID_ATTR_LOOP_OWN_SLOTS);
}

/* The slots of a ring. Copies that form a commit group share the counters of slots: all have as many as the one with
 * most. Copies of different latencies or stages are never in one group, nor are those with slots of their own. */
static int32_t slots_in_group(const nereid_operations_t *keys, MlirOperation key, int64_t latency, bool late) {
  int32_t slots = nereid_ring_budget_slots(key, latency, late);
  for (size_t i = 0; nereid_ring_is_load(key) && !has_own_slots(key) && i < keys->size; ++i) {
    MlirOperation other = keys->data[i];
    if (!nereid_ring_is_load(other) || !nereid_ring_budget_has_ring(other) || has_own_slots(other) ||
        !is_in_stage_of(key, other) || nereid_ir_integer(other, NEREID_ATTR_LATENCY, 0) != latency)
      continue;
    const int32_t others = nereid_ring_budget_slots(other, latency, late);
    slots = slots > others ? slots : others;
  }
  return slots;
}

int64_t nereid_ring_budget_bytes(const nereid_operations_t *keys, bool late) {
  int64_t bytes = 0;
  for (size_t i = 0; i < keys->size; ++i) {
    const int64_t latency = nereid_ir_integer(keys->data[i], NEREID_ATTR_LATENCY, 0);
    if (latency > 0 && nereid_ring_budget_has_ring(keys->data[i]))
      bytes += slots_in_group(keys, keys->data[i], latency, late) * nereid_ring_budget_slot_bytes(keys->data[i]);
  }
  return bytes;
}

bool nereid_ring_budget_separate(const nereid_operations_t *keys, bool late) {
  bool any = false;
  for (size_t i = 0; i < keys->size; ++i) {
    MlirOperation key = keys->data[i];
    const int64_t latency = nereid_ir_integer(key, NEREID_ATTR_LATENCY, 0);
    if (nereid_op_kind(key) != NEREID_OP_TT_LOAD || latency < 1 || !nereid_ring_budget_has_ring(key) ||
        nereid_ring_budget_slots(key, latency, late) >= slots_in_group(keys, key, latency, late))
      continue;
    nereid_ir_set_attribute(key, NEREID_ATTR_LOOP_OWN_SLOTS, mlirUnitAttrGet(mlirOperationGetContext(key)));
    any = true;
  }
  return any;
}

void nereid_ring_budget_unite(const nereid_operations_t *keys) {
  for (size_t i = 0; i < keys->size; ++i)
    mlirOperationRemoveDiscardableAttributeByName(keys->data[i], nereid_ir_ref(NEREID_ATTR_LOOP_OWN_SLOTS));
}

typedef struct others {
  MlirOperation module, loop;
  const nereid_operations_t *keys;
  int64_t buffers, scratch;
  MlirOperation outside[MAX_OUTSIDE]; /* buffers that have been counted; further ones may be counted twice */
  int n_outside;
} others_t;

/* Adds a buffer from outside of the loop once. */
static void add_outside(others_t *others, MlirOperation alloc) {
  for (int i = 0; i < others->n_outside; ++i)
    if (mlirOperationEqual(others->outside[i], alloc))
      return;
  if (others->n_outside < MAX_OUTSIDE)
    others->outside[others->n_outside++] = alloc;
  others->buffers += nereid_allocation_bytes(mlirValueGetType(nereid_ir_result(alloc)));
}

/* Whether the op has a ring in the schedule of a loop inside of `loop`. */
static bool is_key_of_inner_loop(MlirOperation loop, MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return !mlirOperationEqual(parent, loop) && nereid_op_kind(parent) == NEREID_OP_SCF_FOR &&
         nereid_ir_integer(op, NEREID_ATTR_LATENCY, 0) > 0;
}

/* Whether a ring replaces the op: a buffer or a conversion of a pipelined load. */
static bool is_key(const others_t *others, MlirOperation op) {
  if (is_key_of_inner_loop(others->loop, op))
    return true;
  for (size_t i = 0; i < others->keys->size; ++i)
    if (mlirOperationEqual(others->keys->data[i], op))
      return true;
  return false;
}

static bool is_replaced(const others_t *others, MlirOperation op) {
  MlirValue source = mlirOperationGetNumOperands(op) ? mlirOperationGetOperand(op, 0) : (MlirValue){NULL};
  if (is_key(others, op) || mlirValueIsNull(source) || !mlirValueIsAOpResult(source))
    return is_key(others, op);
  MlirOperation load = mlirOpResultGetOwner(source);
  return mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(load)) && is_key(others, load) &&
         (nereid_op_kind(op) != NEREID_OP_TTG_LOCAL_ALLOC || is_slot(load, op));
}

/* Whether tritongpu-reduce-data-duplication makes a buffer of the op: a conversion to a dot operand. */
static bool becomes_buffer(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT &&
         nereid_ttg_dot_op_attr_isa(nereid_ttg_encoding_of(nereid_ir_result(op))) &&
         nereid_conversion_path(op) == NEREID_CONVERSION_SHARED;
}

/* Bytes of the rings of `loop`, of which the ops have latencies. `is_inner`: with as many slots as its schedule will
 * have; otherwise with as many as it can have. */
static int64_t bytes_of_rings(MlirOperation module, MlirOperation loop, bool is_inner) {
  nereid_arena_t arena;
  nereid_operations_t keys = {0};
  nereid_arena_initialize(&arena);
  nereid_loop_collect_marked(loop, NEREID_ATTR_LATENCY, &arena, &keys);
  const bool late = is_inner && keys.size && nereid_ring_budget_is_late(module, loop, &keys);
  const int64_t bytes = nereid_ring_budget_bytes(&keys, late);
  nereid_arena_deinitialize(&arena);
  return bytes;
}

static bool is_conditional(MlirOperation op) {
  return nereid_op_kind(mlirOperationGetParentOperation(op)) == NEREID_OP_SCF_IF;
}

/* The scratch of `op`. A conversion under a condition, as in the epilogue of a flattened nest, counts in parts, which
 * allocate-shared-memory makes where the whole does not fit: barriers at the end of a tile cost less than a stage. */
static int64_t scratch_of(MlirOperation op) {
  enum { MOST_PARTS = 4 };
  return is_conditional(op) ? nereid_scratch_bytes_in_parts(op, MOST_PARTS) : nereid_scratch_bytes(op);
}

static MlirWalkResult add_other(MlirOperation op, void *user_data) {
  others_t *others = user_data;
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR) {
    others->buffers += nereid_descriptor_store_bytes(op).per_type;
    if (!mlirOperationEqual(op, others->loop))
      others->buffers += bytes_of_rings(others->module, op, true);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) { /* a buffer from outside */
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!mlirValueIsAOpResult(value) || !nereid_ttg_memdesc_type_isa(mlirValueGetType(value)))
      continue;
    MlirOperation from = mlirOpResultGetOwner(value);
    while (nereid_ttg_is_memdesc_view(from) && mlirValueIsAOpResult(mlirOperationGetOperand(from, 0)))
      from = mlirOpResultGetOwner(mlirOperationGetOperand(from, 0));
    if (nereid_op_kind(from) == NEREID_OP_TTG_LOCAL_ALLOC && !nereidMlirOperationIsProperAncestor(others->loop, from))
      add_outside(others, from);
  }
  if (is_replaced(others, op) || !mlirOperationIsNull(nereid_descriptor_store_loop(op)))
    return MlirWalkResultAdvance;
  if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC) {
    others->buffers += nereid_allocation_bytes(mlirValueGetType(nereid_ir_result(op)));
  } else if (nereid_op_kind(op) == NEREID_OP_TT_DESCRIPTOR_LOAD && !has_direct_buffer(op)) {
    others->buffers += nereid_scratch_part_bytes(mlirValueGetType(nereid_ir_result(op)));
  } else if (becomes_buffer(op)) {
    others->buffers += nereid_scratch_part_bytes(mlirValueGetType(nereid_ir_result(op)));
  } else {
    const int64_t scratch = scratch_of(op);
    others->scratch = others->scratch > scratch ? others->scratch : scratch;
  }
  return MlirWalkResultAdvance;
}

/* The innermost loop around `op`; null if there is none. */
static MlirOperation loop_around(MlirOperation op) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_SCF_FOR);
  return op;
}

/* Bytes of the buffers of stores in the loops around `loop`, and those of `loop` itself beyond one per type: stores
 * have them only if they fit (passes/memory/tma_stores.h). */
static int64_t bytes_of_optional_stores(MlirOperation loop) {
  const nereid_store_bytes_t own = nereid_descriptor_store_bytes(loop);
  int64_t bytes = own.per_store - own.per_type;
  for (MlirOperation op = loop_around(loop); !mlirOperationIsNull(op); op = loop_around(op))
    bytes += nereid_descriptor_store_bytes(op).per_store;
  return bytes;
}

static int64_t bytes_of_rings_around(MlirOperation module, MlirOperation loop) {
  int64_t bytes = 0;
  for (MlirOperation op = loop_around(loop); !mlirOperationIsNull(op); op = loop_around(op))
    bytes += bytes_of_rings(module, op, false);
  return bytes;
}

/* Whether `user`, or what contains it, follows `op` in its block. */
static bool follows(MlirOperation user, MlirOperation op) {
  MlirOperation place = nereid_ir_ancestor_in(mlirOperationGetBlock(op), user);
  return !mlirOperationIsNull(place) && mlirOperationIsBeforeInBlock(op, place);
}

/* Whether `dot`, which precedes `op` in its block, is in flight there: no op between them uses its result, except as an
 * accumulator. */
static bool is_in_flight_at(MlirOperation dot, MlirOperation op) {
  MlirValue result = nereid_ir_result(dot);
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool accumulates = nereid_ring_dot_accumulates(user, result);
    MlirOperation place = nereid_ir_ancestor_in(mlirOperationGetBlock(op), user);
    if (!mlirOperationIsNull(place) && mlirOperationIsBeforeInBlock(place, op) &&
        !(accumulates && mlirOperationEqual(place, user) && is_in_flight_at(user, op)))
      return false;
  }
  return true;
}

/* Whether the buffer is live at `op`: an op after it in its block uses the buffer, also through views, or a dot before
 * it that is in flight. */
static bool is_live_at(MlirValue buffer, MlirOperation op) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (follows(user, op) || (nereid_op_kind(user) == NEREID_OP_TTNG_WARP_GROUP_DOT &&
                              mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op)) &&
                              mlirOperationIsBeforeInBlock(user, op) && is_in_flight_at(user, op)))
      return true;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r)
      if (nereid_ttg_memdesc_type_isa(mlirValueGetType(mlirOperationGetResult(user, r))) &&
          is_live_at(mlirOperationGetResult(user, r), op))
        return true;
  }
  return false;
}

/* Whether a ring of the loop around it replaces the buffer. */
static bool becomes_slot(MlirOperation alloc) {
  MlirOperation load = mlirOperationGetNumOperands(alloc) ? nereid_defining_op(mlirOperationGetOperand(alloc, 0))
                                                          : (MlirOperation){NULL};
  return nereid_ir_integer(alloc, NEREID_ATTR_LATENCY, 0) > 0 ||
         (!mlirOperationIsNull(load) && nereid_ir_integer(load, NEREID_ATTR_LATENCY, 0) > 0);
}

/* Adds the buffers that are filled before the loop, and live while it runs or begins. */
static void add_live_across(others_t *others) {
  for (MlirOperation op = others->loop; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
    MlirBlock block = mlirOperationGetBlock(op);
    MlirOperation before = mlirBlockIsNull(block) ? op : mlirBlockGetFirstOperation(block);
    for (; !mlirOperationEqual(before, op); before = mlirOperationGetNextInBlock(before))
      if (nereid_op_kind(before) == NEREID_OP_TTG_LOCAL_ALLOC && !becomes_slot(before) &&
          is_live_at(nereid_ir_result(before), op))
        add_outside(others, before);
  }
}

int64_t nereid_ring_budget_available(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys) {
  others_t others = {.module = module, .loop = loop, .keys = keys};
  mlirOperationWalk(loop, add_other, &others, MlirWalkPreOrder);
  add_live_across(&others);
  others.buffers += bytes_of_rings_around(module, loop);
  return nereid_allocation_limit(module) - others.buffers - others.scratch - ALIGNMENT;
}

int64_t nereid_ring_budget_beside_stores(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys) {
  const int64_t available = nereid_ring_budget_available(module, loop, keys);
  const int64_t left = available - bytes_of_optional_stores(loop);
  return nereid_ring_budget_bytes(keys, has_ring_in_flight(keys)) <= left ? left : available;
}

typedef struct dots {
  int64_t bytes;               /* bytes of their results */
  int count, groups, computed; /* all, those of warp groups, of these those that take operand A from registers */
  bool is_flattened;           /* tiles are stored under a condition: a persistent kernel, with one CTA per SM */
} dots_t;

static MlirWalkResult add_dot(MlirOperation op, void *user_data) {
  dots_t *dots = user_data;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  const bool is_group = kind == NEREID_OP_TTNG_WARP_GROUP_DOT;
  dots->is_flattened |= (kind == NEREID_OP_TT_STORE || kind == NEREID_OP_TT_DESCRIPTOR_STORE) && is_conditional(op);
  if (!nereid_dot_is_dot(op))
    return MlirWalkResultAdvance;
  dots->bytes += nereid_scratch_part_bytes(mlirValueGetType(nereid_ir_result(op)));
  dots->groups += is_group;
  dots->computed += is_group && mlirTypeIsARankedTensor(mlirValueGetType(nereid_ttng_warp_group_dot_get_a(op)));
  ++dots->count;
  return MlirWalkResultAdvance;
}

/* CTAs that a multiprocessor can execute at a time, as far as registers limit them. */
static int64_t ctas_by_registers(MlirOperation loop, const dots_t *dots) {
  enum { WORD_BYTES = 4 };
  const int64_t threads = (int64_t)nereid_ttg_num_warps(loop) * LANES;
  const int64_t accumulators = dots->bytes / WORD_BYTES;
  const bool from_memory = dots->groups == dots->count && !dots->computed;
  const int64_t others = OTHER_REGISTERS + (from_memory ? 0 : OPERAND_REGISTERS);
  const int64_t ctas = NEREID_TARGET_REGISTERS / (accumulators + others * threads);
  return ctas > 1 ? ctas : 1;
}

/* The CTAs that a multiprocessor executes at least, as far as registers limit them: where dots need more than a thread
 * can have, it spills, as in backward passes of attention with four warps. */
static int64_t least_ctas_by_registers(MlirOperation loop) {
  const int64_t threads = (int64_t)nereid_ttg_num_warps(loop) * LANES;
  const int64_t ctas = NEREID_TARGET_REGISTERS / ((NEREID_TARGET_THREAD_REGISTERS + 1) * threads);
  return ctas > 1 ? ctas : 1;
}

/* The bytes of a CTA beside its rings, without small scratch, which often shares memory with a buffer. */
static int64_t bytes_of_others(MlirOperation module, int64_t available) {
  return (nereid_allocation_limit(module) - available - ALIGNMENT) / ALIGNMENT * ALIGNMENT;
}

/* Whether a multiprocessor executes so many CTAs of `bytes` bytes that they hide the latency of copies. */
static bool has_many_ctas(MlirOperation module, MlirOperation loop, const dots_t *dots, int64_t bytes) {
  enum { MANY = 7 };
  return !dots->is_flattened && ctas_by_registers(loop, dots) >= MANY &&
         nereid_target_ctas(nereid_ttg_compute_capability(module), bytes) >= MANY;
}

bool nereid_ring_budget_can_grow(MlirOperation module, MlirOperation loop, int64_t available, int64_t before,
                                 int64_t after) {
  const int capability = nereid_ttg_compute_capability(module);
  const int64_t others = bytes_of_others(module, available);
  dots_t dots = {0};
  mlirOperationWalk(loop, add_dot, &dots, MlirWalkPreOrder);
  const int64_t estimate = ctas_by_registers(loop, &dots), least = least_ctas_by_registers(loop);
  const int64_t by_registers = estimate > least ? estimate : least;
  const int64_t by_memory = nereid_target_ctas(capability, before + others);
  int64_t ctas = by_memory < by_registers ? by_memory : by_registers;
  /* A flattened nest runs with one CTA per SM. Otherwise one CTA computes while another waits. Beside longer dots the
   * barrier that a slot saves matters less than a fourth CTA: without it, a launch of few tiles takes one more wave. */
  const bool is_long =
      dots.groups && ctas >= NEREID_DOT_OVERLAPPED_CTAS && nereid_dot_multiply_adds(loop) >= NEREID_LONG_DOTS;
  const int64_t enough = dots.is_flattened                              ? 1
                         : is_long || (dots.count > 1 && dots.computed) ? NEREID_DOT_OVERLAPPED_CTAS
                                                                        : 2;
  ctas = ctas < enough ? ctas : enough;
  return after <= available && nereid_target_ctas(capability, after + others) >= ctas &&
         !has_many_ctas(module, loop, &dots, before + others);
}

bool nereid_ring_budget_relies_on_ctas(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys) {
  enum { FEW_WARPS = 8 }; /* two per scheduler */
  const int capability = nereid_ttg_compute_capability(module);
  const int64_t others = bytes_of_others(module, nereid_ring_budget_available(module, loop, keys));
  const int64_t bytes = nereid_ring_budget_bytes(keys, false) + others;
  dots_t dots = {0};
  mlirOperationWalk(loop, add_dot, &dots, MlirWalkPreOrder);
  if (has_many_ctas(module, loop, &dots, bytes))
    return true;
  const int64_t by_registers = ctas_by_registers(loop, &dots), ctas = nereid_target_ctas(capability, bytes);
  return ctas * nereid_ttg_num_warps(loop) <= FEW_WARPS && ctas < by_registers &&
         nereid_target_ctas(capability, nereid_ring_budget_bytes(keys, true) + others) > ctas;
}

int64_t nereid_ring_budget_ctas_by_registers(MlirOperation loop) {
  dots_t dots = {0};
  mlirOperationWalk(loop, add_dot, &dots, MlirWalkPreOrder);
  return ctas_by_registers(loop, &dots);
}

bool nereid_ring_budget_relies_on_second_cta(MlirOperation module, MlirOperation loop,
                                             const nereid_operations_t *keys) {
  const int capability = nereid_ttg_compute_capability(module);
  const int64_t others = bytes_of_others(module, nereid_ring_budget_available(module, loop, keys));
  dots_t dots = {0};
  mlirOperationWalk(loop, add_dot, &dots, MlirWalkPreOrder);
  return dots.groups && dots.groups == dots.count && !dots.is_flattened && !has_ring_in_flight(keys) &&
         ctas_by_registers(loop, &dots) > 1 &&
         nereid_target_ctas(capability, nereid_ring_budget_bytes(keys, false) + others) == 1 &&
         nereid_target_ctas(capability, nereid_ring_budget_bytes(keys, true) + others) > 1;
}

bool nereid_ring_budget_is_late(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys) {
  return has_ring_in_flight(keys) &&
         !nereid_ring_budget_can_grow(module, loop, nereid_ring_budget_beside_stores(module, loop, keys),
                                      nereid_ring_budget_bytes(keys, true), nereid_ring_budget_bytes(keys, false));
}

int64_t nereid_ring_budget_ctas(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys, bool alone) {
  const int64_t others = alone ? 0 : bytes_of_others(module, nereid_ring_budget_available(module, loop, keys));
  const bool late = nereid_ring_budget_is_late(module, loop, keys) ||
                    nereid_ring_budget_relies_on_ctas(module, loop, keys) ||
                    nereid_ring_budget_relies_on_second_cta(module, loop, keys);
  const int64_t by_registers = nereid_ring_budget_ctas_by_registers(loop);
  const int64_t by_memory =
      nereid_target_ctas(nereid_ttg_compute_capability(module), nereid_ring_budget_bytes(keys, late) + others);
  return by_memory < by_registers ? by_memory : by_registers;
}
