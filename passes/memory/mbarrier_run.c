/* Runs mbarriers at compile time; see mbarrier_run.h.
 *
 *   ttng.init_barrier %full, 1                          phase 0, 1 arrival is pending
 *   ttg.warp_specialize(%full, %empty)
 *     default:     ttng.wait_barrier %empty, 0          blocked: nothing completes phase 0 of %empty
 *                  ttng.arrive_barrier %full, 1
 *     partition0:  ttng.wait_barrier %full, 0           blocked: the arrival follows a wait that is blocked
 *                  ttng.arrive_barrier %empty, 1
 *
 * A wait for parity p is complete when the present phase has another parity (PTX ISA, "mbarrier.test_wait"). A phase is
 * complete when no arrivals are pending and the copies have brought the bytes that ttng.barrier_expect announced.
 *
 * Only mbarriers that the ops below access are followed; the waits for others, and those of unknown phase, may be
 * complete. Values are those of mbarrier_values.h. A loop of an unknown number of iterations has as many as are needed
 * to use each slot of a ring twice: an error is one for all inputs with that many iterations or more. */
#include "passes/memory/mbarrier_run.h"

#include "base/bits.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/memory/mbarrier_values.h"
#include "passes/support/descriptor.h"
#include "passes/support/loop.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  LANES = 32,
  MAX_ITERATIONS = 34, /* of a loop of an unknown number: rings of 16 slots are used twice */
  MAX_KNOWN = 1 << 12, /* iterations of other loops; with more they count as unknown */
  MAX_STEPS = 1 << 16  /* ops of a sequence */
};

typedef struct loop {
  MlirOperation op;
  nereid_mbarrier_value_t trips;
  nereid_mbarrier_value_t lower, step;
  int64_t iteration;
} loop_t;

typedef struct run {
  nereid_arena_t *arena;
  nereid_mbarrier_values_t values;
  NEREID_VECTOR(nereid_mbarrier_t *) barriers;
  NEREID_VECTOR(MlirOperation) uncertain; /* buffers of which some arrivals or initializations are unknown */
  NEREID_VECTOR(loop_t) loops;            /* those entered */
  nereid_mbarrier_threads_t *blocked;
  int64_t steps;
} run_t;

static nereid_mbarrier_value_t read_predicate(run_t *run, MlirValue predicate) {
  return mlirValueIsNull(predicate) ? (nereid_mbarrier_value_t){true, 1}
                                    : nereid_mbarrier_values_read(&run->values, predicate);
}

/* --- mbarriers --- */

static bool is_followed(MlirValue buffer);

/* Whether the use changes the mbarriers of a buffer in no other way than the ops that are executed here. */
static bool is_followed_use(MlirOperation user, intptr_t operand) {
  switch (nereid_op_kind(user)) {
  case NEREID_OP_TTNG_INIT_BARRIER:
  case NEREID_OP_TTNG_INVAL_BARRIER:
  case NEREID_OP_TTNG_WAIT_BARRIER:
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
  case NEREID_OP_TTNG_BARRIER_EXPECT:
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE:
  case NEREID_OP_TTG_LOCAL_DEALLOC:
    return true;
  case NEREID_OP_TTG_MEMDESC_INDEX:
    return is_followed(mlirOperationGetResult(user, 0));
  case NEREID_OP_TTG_WARP_SPECIALIZE: {
    MlirOperation partitions =
        mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(user)));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); ++r)
      if (!is_followed(mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(partitions, r)), operand)))
        return false;
    return true;
  }
  default:
    return false;
  }
}

static bool is_followed(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!is_followed_use(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use)))
      return false;
  return true;
}

/* What a buffer is within ttg.warp_specialize: a captured value for an argument of a partition, else itself. */
static MlirValue captured(MlirValue value) {
  if (!mlirValueIsABlockArgument(value))
    return value;
  MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  return nereid_op_kind(parent) == NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS
             ? mlirOperationGetOperand(mlirOperationGetParentOperation(parent), mlirBlockArgumentGetArgNumber(value))
             : (MlirValue){NULL};
}

/* The ttg.local_alloc of the mbarrier `value`; null where it is unknown. *out_index is the index of its slot, if it has
 * one. */
static MlirOperation alloc_of(MlirValue value, MlirValue *out_index) {
  *out_index = (MlirValue){NULL};
  while (!mlirValueIsNull(value)) {
    if (mlirValueIsABlockArgument(value)) {
      value = captured(value);
      continue;
    }
    MlirOperation op = mlirOpResultGetOwner(value);
    if (nereid_op_kind(op) != NEREID_OP_TTG_MEMDESC_INDEX)
      return nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC ? op : (MlirOperation){NULL};
    *out_index = nereid_ttg_memdesc_index_get_index(op);
    value = nereid_ttg_memdesc_index_get_src(op);
  }
  return (MlirOperation){NULL};
}

static int64_t slots_of(MlirOperation alloc) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(alloc, 0));
  return mlirShapedTypeGetRank(type) > 1 ? mlirShapedTypeGetDimSize(type, 0) : 1;
}

static bool is_uncertain(const run_t *run, MlirOperation alloc) {
  for (size_t i = 0; i < run->uncertain.size; ++i)
    if (mlirOperationEqual(run->uncertain.data[i], alloc))
      return true;
  return false;
}

/* Gives up on all mbarriers of a buffer. */
static void give_up(run_t *run, MlirValue value) {
  MlirValue index;
  MlirOperation alloc = alloc_of(value, &index);
  if (!mlirOperationIsNull(alloc) && !is_uncertain(run, alloc))
    nereid_vector_push(run->arena, &run->uncertain, alloc);
}

static nereid_mbarrier_t *find_slot(run_t *run, MlirOperation alloc, int64_t slot) {
  for (size_t i = 0; i < run->barriers.size; ++i)
    if (mlirOperationEqual(run->barriers.data[i]->alloc, alloc) && run->barriers.data[i]->slot == slot)
      return run->barriers.data[i];
  if (!is_followed(mlirOperationGetResult(alloc, 0)))
    return NULL;
  nereid_mbarrier_t *made = nereid_arena_new(run->arena, nereid_mbarrier_t, 1);
  if (!made)
    return NULL;
  *made = (nereid_mbarrier_t){.alloc = alloc, .slot = slot};
  nereid_vector_push(run->arena, &run->barriers, made);
  return made;
}

/* The mbarrier `value`; null where it is unknown or not followed. */
static nereid_mbarrier_t *find(run_t *run, MlirValue value) {
  MlirValue index;
  MlirOperation alloc = alloc_of(value, &index);
  nereid_mbarrier_value_t slot = {true, 0};
  if (mlirOperationIsNull(alloc) || is_uncertain(run, alloc))
    return NULL;
  if (!mlirValueIsNull(index))
    slot = nereid_mbarrier_values_read(&run->values, index);
  return slot.is_known && slot.value >= 0 && slot.value < slots_of(alloc) ? find_slot(run, alloc, slot.value) : NULL;
}

/* Whether an op that changes the mbarrier `value` executes. *out_barrier is null if no followed mbarrier changes. */
static bool changes(run_t *run, MlirValue value, MlirValue predicate, nereid_mbarrier_t **out_barrier) {
  const nereid_mbarrier_value_t executes = read_predicate(run, predicate);
  *out_barrier = find(run, value);
  if (!executes.is_known || (executes.value && !*out_barrier)) {
    give_up(run, value);
    *out_barrier = NULL;
  }
  return executes.is_known && executes.value && *out_barrier;
}

static void initialize(run_t *run, MlirValue value, int32_t count) {
  nereid_mbarrier_t *barrier;
  if (changes(run, value, (MlirValue){NULL}, &barrier))
    *barrier = (nereid_mbarrier_t){.alloc = barrier->alloc, .slot = barrier->slot, .count = count, .pending = count};
}

/* Arrivals, and bytes that are announced (above 0) or copied. */
static void arrive(run_t *run, MlirValue value, MlirValue predicate, int32_t count, int64_t bytes) {
  nereid_mbarrier_t *barrier;
  if (!changes(run, value, predicate, &barrier) || !barrier->count)
    return;
  barrier->pending -= count;
  barrier->bytes += bytes;
  if (barrier->pending > 0 || barrier->bytes != 0)
    return;
  ++barrier->phases;
  barrier->pending = barrier->count;
}

/* --- one sequence of ops --- */

static MlirWalkResult find_barrier_op(MlirOperation op, void *user_data) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTNG_INIT_BARRIER:
  case NEREID_OP_TTNG_INVAL_BARRIER:
  case NEREID_OP_TTNG_WAIT_BARRIER:
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
  case NEREID_OP_TTNG_BARRIER_EXPECT:
  case NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE:
    *(bool *)user_data = true;
    return MlirWalkResultInterrupt;
  default:
    return MlirWalkResultAdvance;
  }
}

static bool has_barriers(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, find_barrier_op, &found, MlirWalkPreOrder);
  return found;
}

/* Whether the sequence passes the wait `op`; else it is blocked or open. */
static bool pass_wait(run_t *run, nereid_mbarrier_thread_t *thread, MlirOperation op) {
  nereid_mbarrier_t *barrier = find(run, nereid_ttng_wait_barrier_get_alloc(op));
  const nereid_mbarrier_value_t executes = read_predicate(run, nereid_ttng_wait_barrier_get_pred(op));
  const nereid_mbarrier_value_t parity =
      nereid_mbarrier_values_read(&run->values, nereid_ttng_wait_barrier_get_phase(op));
  if (executes.is_known && !executes.value)
    return true;
  const bool known = executes.is_known && parity.is_known && barrier;
  thread->end = known ? NEREID_MBARRIER_BLOCKED : NEREID_MBARRIER_OPEN;
  thread->waits_for = barrier;
  if (!known || !barrier->count || (barrier->phases & 1) == (parity.value & 1))
    return false;
  thread->end = NEREID_MBARRIER_DONE;
  return true;
}

/* The arrivals of all threads at the mbarriers of one CTA. The CTAs of a cluster execute the same program: as many
 * arrive here as this one's arrivals in others. */
static int32_t arrivals_of(MlirOperation op) {
  int32_t arrivals = nereid_ttng_arrive_barrier_get_count(op);
  if (nereid_ttng_arrive_barrier_get_per_warp(op))
    arrivals *= nereid_ttg_num_warps(op);
  if (!mlirAttributeIsNull(nereid_ttng_arrive_barrier_get_ctas_attr(op)))
    arrivals *= nereid_bit_count((uint32_t)nereid_ttng_arrive_barrier_get_ctas(op));
  return arrivals;
}

/* Bytes that a copy brings to the mbarrier of this CTA. */
static int64_t bytes_of(MlirOperation copy) {
  MlirType type = mlirValueGetType(nereid_ttng_async_tma_copy_global_to_local_get_result(copy));
  int64_t elements = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    elements *= mlirShapedTypeGetDimSize(type, d);
  return elements * nereid_descriptor_element_bits(type) / 8;
}

/* A copy by TMA. In clusters, several CTAs copy parts of a tile: their bytes are taken as correct. */
static void execute_copy(run_t *run, MlirOperation op) {
  MlirValue barrier = nereid_ttng_async_tma_copy_global_to_local_get_barrier(op);
  if (nereid_ttg_num_ctas(op) == 1)
    arrive(run, barrier, nereid_ttng_async_tma_copy_global_to_local_get_pred(op), 0, -bytes_of(op));
}

/* Executes an op of mbarriers. */
static void execute(run_t *run, MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTNG_INIT_BARRIER:
    initialize(run, nereid_ttng_init_barrier_get_alloc(op), nereid_ttng_init_barrier_get_count(op));
    break;
  case NEREID_OP_TTNG_INVAL_BARRIER:
    initialize(run, nereid_ttng_inval_barrier_get_alloc(op), 0);
    break;
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
    arrive(run, nereid_ttng_arrive_barrier_get_alloc(op), nereid_ttng_arrive_barrier_get_pred(op), arrivals_of(op), 0);
    break;
  case NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE: /* each thread; without noIncrement the count does not change */
    if (nereid_ttng_async_copy_mbarrier_arrive_get_no_increment(op))
      arrive(run, mlirOperationGetOperand(op, 0), (MlirValue){NULL}, nereid_ttg_num_warps(op) * LANES, 0);
    break;
  case NEREID_OP_TTNG_BARRIER_EXPECT:
    arrive(run, mlirOperationGetOperand(op, 0), nereid_ttng_barrier_expect_get_pred(op), 1,
           nereid_ttg_num_ctas(op) == 1 ? nereid_ttng_barrier_expect_get_size(op) : 0);
    break;
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
    execute_copy(run, op);
    break;
  default:
    break;
  }
}

/* --- control flow --- */

static void set_all(run_t *run, intptr_t n, const nereid_mbarrier_value_t *known, MlirOperation op) {
  for (intptr_t i = 0; i < n; ++i)
    nereid_mbarrier_values_set(&run->values, mlirOperationGetResult(op, i), known[i]);
}

/* The values of the operands of `op` from operand `first` on. */
static nereid_mbarrier_value_t *read_operands(run_t *run, MlirOperation op, intptr_t first, intptr_t n) {
  nereid_mbarrier_value_t *known = nereid_arena_new(run->arena, nereid_mbarrier_value_t, (size_t)n + 1);
  for (intptr_t i = 0; known && i < n; ++i)
    known[i] = nereid_mbarrier_values_read(&run->values, mlirOperationGetOperand(op, first + i));
  return known;
}

static nereid_mbarrier_value_t trips_of(run_t *run, MlirOperation op, nereid_mbarrier_value_t lower,
                                        nereid_mbarrier_value_t step) {
  const nereid_mbarrier_value_t upper = nereid_mbarrier_values_read(&run->values, nereid_scf_for_get_upper_bound(op));
  nereid_mbarrier_value_t trips = {lower.is_known && upper.is_known && step.is_known && step.value > 0, 0};
  if (trips.is_known && upper.value > lower.value)
    trips.value = (int64_t)(((uint64_t)upper.value - (uint64_t)lower.value - 1) / (uint64_t)step.value) + 1;
  trips.is_known = trips.is_known && trips.value <= MAX_KNOWN;
  return trips;
}

static loop_t *find_loop(run_t *run, MlirOperation op) {
  for (size_t i = 0; i < run->loops.size; ++i)
    if (mlirOperationEqual(run->loops.data[i].op, op))
      return &run->loops.data[i];
  return nereid_vector_push(run->arena, &run->loops, (loop_t){.op = op}) ? &run->loops.data[run->loops.size - 1] : NULL;
}

/* Begins an iteration with these carried values. */
static MlirOperation begin_iteration(run_t *run, const loop_t *loop, const nereid_mbarrier_value_t *carried) {
  MlirBlock body = nereid_loop_body(loop->op);
  const nereid_mbarrier_value_t counter = {
      loop->lower.is_known && loop->step.is_known,
      (int64_t)((uint64_t)loop->lower.value + (uint64_t)loop->step.value * (uint64_t)loop->iteration)};
  nereid_mbarrier_values_set(&run->values, mlirBlockGetArgument(body, 0), counter);
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(body); ++i)
    nereid_mbarrier_values_set(&run->values, mlirBlockGetArgument(body, i), carried[i - 1]);
  return mlirBlockGetFirstOperation(body);
}

/* Enters a loop, or passes it if it has no iteration. False when out of memory. */
static bool enter_loop(run_t *run, nereid_mbarrier_thread_t *thread, MlirOperation op) {
  const intptr_t n = mlirOperationGetNumResults(op);
  const nereid_mbarrier_value_t *carried = read_operands(run, op, 3, n);
  loop_t *loop = carried ? find_loop(run, op) : NULL;
  if (!loop)
    return false;
  *loop = (loop_t){.op = op,
                   .lower = nereid_mbarrier_values_read(&run->values, nereid_scf_for_get_lower_bound(op)),
                   .step = nereid_mbarrier_values_read(&run->values, nereid_scf_for_get_step(op))};
  loop->trips = trips_of(run, op, loop->lower, loop->step);
  if (loop->trips.is_known && loop->trips.value == 0)
    set_all(run, n, carried, op);
  else
    thread->at = begin_iteration(run, loop, carried);
  return true;
}

/* What follows the end of an iteration; null where that is unknown. */
static MlirOperation end_iteration(run_t *run, MlirOperation yield) {
  MlirOperation op = mlirOperationGetParentOperation(yield);
  const intptr_t n = mlirOperationGetNumOperands(yield);
  const nereid_mbarrier_value_t *carried = read_operands(run, yield, 0, n);
  loop_t *loop = carried ? find_loop(run, op) : NULL;
  if (!loop || (!loop->trips.is_known && loop->iteration + 1 >= MAX_ITERATIONS))
    return (MlirOperation){NULL};
  ++loop->iteration;
  if (!loop->trips.is_known || loop->iteration < loop->trips.value)
    return begin_iteration(run, loop, carried);
  set_all(run, n, carried, op);
  return mlirOperationGetNextInBlock(op);
}

/* Enters the branch of an scf.if whose condition is known. */
static bool enter_branch(run_t *run, nereid_mbarrier_thread_t *thread, MlirOperation op) {
  const nereid_mbarrier_value_t condition = nereid_mbarrier_values_read(&run->values, nereid_scf_if_get_condition(op));
  if (!condition.is_known)
    return false;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, condition.value ? 0 : 1));
  if (!mlirBlockIsNull(block))
    thread->at = mlirBlockGetFirstOperation(block);
  return true;
}

static MlirOperation end_branch(run_t *run, MlirOperation yield) {
  MlirOperation op = mlirOperationGetParentOperation(yield);
  const intptr_t n = mlirOperationGetNumOperands(yield);
  const nereid_mbarrier_value_t *known = read_operands(run, yield, 0, n);
  if (!known)
    return (MlirOperation){NULL};
  set_all(run, n, known, op);
  return mlirOperationGetNextInBlock(op);
}

static nereid_mbarrier_end_t run_regions(run_t *run, MlirOperation op);

/* Moves the sequence over `op`; false when it ends there for now. */
static bool step(run_t *run, nereid_mbarrier_thread_t *thread, MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_TTNG_WAIT_BARRIER)
    return pass_wait(run, thread, op);
  if (kind == NEREID_OP_TTG_WARP_SPECIALIZE)
    thread->end = run_regions(run, op);
  else if (mlirOperationGetNumRegions(op) == 0)
    execute(run, op);
  else if (has_barriers(op)) {
    const bool entered = kind == NEREID_OP_SCF_FOR  ? enter_loop(run, thread, op)
                         : kind == NEREID_OP_SCF_IF ? enter_branch(run, thread, op)
                                                    : false;
    thread->end = entered ? NEREID_MBARRIER_DONE : NEREID_MBARRIER_OPEN;
  }
  return thread->end == NEREID_MBARRIER_DONE;
}

/* Moves the sequence over the terminator of a block; false where what follows is unknown. */
static bool leave_block(run_t *run, nereid_mbarrier_thread_t *thread, MlirOperation op) {
  const nereid_op_kind_t parent = nereid_op_kind(mlirOperationGetParentOperation(op));
  if (parent == NEREID_OP_SCF_FOR || parent == NEREID_OP_SCF_IF) {
    thread->at = parent == NEREID_OP_SCF_FOR ? end_iteration(run, op) : end_branch(run, op);
    return !mlirOperationIsNull(thread->at);
  }
  thread->at = (MlirOperation){NULL};
  return mlirOperationGetNumSuccessors(op) == 0;
}

/* Executes the sequence until it ends, is blocked, or is open. */
static bool proceed(run_t *run, nereid_mbarrier_thread_t *thread) {
  bool moved = false;
  thread->end = NEREID_MBARRIER_DONE;
  for (; !mlirOperationIsNull(thread->at); moved = true) {
    MlirOperation op = thread->at, next = mlirOperationGetNextInBlock(op);
    if (++run->steps > MAX_STEPS || (mlirOperationIsNull(next) && !leave_block(run, thread, op))) {
      thread->end = NEREID_MBARRIER_OPEN;
      return moved;
    }
    if (mlirOperationIsNull(next))
      continue;
    thread->at = next;
    if (!step(run, thread, op)) {
      thread->at = op;
      return moved;
    }
  }
  return moved;
}

/* --- concurrent sequences --- */

typedef struct search {
  const nereid_mbarrier_t *barrier;
  bool found;
} search_t;

static MlirWalkResult find_arrival(MlirOperation op, void *user_data) {
  search_t *search = user_data;
  MlirValue barrier, index;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTNG_INIT_BARRIER:
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
  case NEREID_OP_TTNG_BARRIER_EXPECT:
  case NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE:
    barrier = mlirOperationGetOperand(op, 0);
    break;
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
    barrier = nereid_ttng_async_tma_copy_global_to_local_get_barrier(op);
    break;
  default:
    return MlirWalkResultAdvance;
  }
  MlirOperation alloc = alloc_of(barrier, &index); /* of another slot in later iterations, perhaps */
  search->found = search->found || mlirOperationIsNull(alloc) || mlirOperationEqual(alloc, search->barrier->alloc);
  return MlirWalkResultAdvance;
}

/* Whether the ops of the sequence's region include an arrival at the buffer of the mbarrier. */
static bool can_arrive(const nereid_mbarrier_thread_t *thread, const nereid_mbarrier_t *barrier) {
  search_t search = {barrier, false};
  for (MlirBlock block = mlirRegionGetFirstBlock(thread->region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      mlirOperationWalk(op, find_arrival, &search, MlirWalkPreOrder);
  return search.found;
}

/* Opens blocked sequences whose mbarrier an open one may complete, until there are no more. */
static void open_uncertain(const run_t *run, nereid_mbarrier_threads_t *threads) {
  for (size_t i = 0; i < threads->size; ++i)
    if (threads->data[i].end == NEREID_MBARRIER_BLOCKED &&
        (run->steps > MAX_STEPS || is_uncertain(run, threads->data[i].waits_for->alloc)))
      threads->data[i].end = NEREID_MBARRIER_OPEN;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < threads->size; ++i)
      for (size_t k = 0; k < threads->size && threads->data[i].end == NEREID_MBARRIER_BLOCKED; ++k)
        if (threads->data[k].end == NEREID_MBARRIER_OPEN && can_arrive(&threads->data[k], threads->data[i].waits_for)) {
          threads->data[i].end = NEREID_MBARRIER_OPEN;
          changed = true;
        }
  }
}

static void add_thread(run_t *run, nereid_mbarrier_threads_t *threads, MlirRegion region) {
  nereid_vector_push(
      run->arena, threads,
      (nereid_mbarrier_thread_t){.region = region, .at = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(region))});
}

/* Executes sequences until none moves, and records those that are blocked forever. */
static nereid_mbarrier_end_t run_threads(run_t *run, nereid_mbarrier_threads_t *threads) {
  nereid_mbarrier_end_t end = NEREID_MBARRIER_DONE;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < threads->size; ++i)
      if (threads->data[i].end != NEREID_MBARRIER_OPEN)
        moved = proceed(run, &threads->data[i]) || moved;
  }
  open_uncertain(run, threads);
  for (size_t i = 0; i < threads->size; ++i) {
    end = threads->data[i].end != NEREID_MBARRIER_DONE ? NEREID_MBARRIER_OPEN : end;
    if (threads->data[i].end == NEREID_MBARRIER_BLOCKED)
      nereid_vector_push(run->arena, run->blocked, threads->data[i]);
  }
  return end;
}

static nereid_mbarrier_end_t run_regions(run_t *run, MlirOperation op) {
  nereid_mbarrier_threads_t threads = {0};
  MlirOperation partitions =
      mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op)));
  add_thread(run, &threads, nereid_ttg_warp_specialize_get_default_region(op));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); ++r)
    add_thread(run, &threads, mlirOperationGetRegion(partitions, r));
  return run_threads(run, &threads);
}

bool nereid_mbarrier_run(MlirOperation function, nereid_arena_t *arena, nereid_mbarrier_threads_t *out) {
  run_t run = {.arena = arena, .blocked = out};
  nereid_mbarrier_threads_t threads = {0};
  nereid_mbarrier_values_initialize(&run.values, arena);
  if (!mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)))) {
    add_thread(&run, &threads, mlirOperationGetRegion(function, 0));
    (void)run_threads(&run, &threads);
  }
  return !arena->failed;
}
