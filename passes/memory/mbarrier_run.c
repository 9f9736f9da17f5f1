/* Runs mbarriers at compile time; see mbarrier_run.h.
 *
 *   ttng.init_barrier %full, 1                          phase 0, 1 arrival is pending
 *   ttg.warp_specialize(%full, %empty)
 *     default:     ttng.wait_barrier %empty, 0          blocked: nothing completes phase 0 of %empty
 *                  ttng.arrive_barrier %full, 1
 *     partition0:  ttng.wait_barrier %full, 0           blocked: the arrival follows a wait that is blocked
 *                  ttng.arrive_barrier %empty, 1
 *
 * A wait for parity p is complete when the present phase has another parity (PTX ISA, "mbarrier.test_wait"). Only
 * mbarriers that the ops below access are followed; the waits for others, and those of unknown phase, may be complete.
 * A loop is executed for one iteration, in which carried values are the initial ones: what follows is unknown. */
#include "passes/memory/mbarrier_run.h"

#include "base/bits.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/support/loop.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

enum { MAX_DEPTH = 16 /* ops of a constant expression */, LANES = 32 };

typedef struct run {
  nereid_arena_t *arena;
  NEREID_VECTOR(nereid_mbarrier_t *) barriers;
  nereid_mbarrier_threads_t *blocked;
} run_t;

/* --- values in the first iteration --- */

/* The value that a block argument has: of a partition the captured one, of a loop the initial one; null for others. */
static MlirValue source_of(MlirValue argument) {
  MlirBlock block = mlirBlockArgumentGetOwner(argument);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  const intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  switch (nereid_op_kind(parent)) {
  case NEREID_OP_SCF_FOR:
    return number ? nereid_loop_initial(parent, number - 1) : nereid_scf_for_get_lower_bound(parent);
  case NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS:
    return mlirOperationGetOperand(mlirOperationGetParentOperation(parent), number);
  default:
    return (MlirValue){NULL};
  }
}

static bool evaluate(MlirValue value, int depth, int64_t *out);

/* The value of a two-operand op of integers. */
static bool evaluate_op(MlirOperation op, int depth, int64_t *out) {
  int64_t a, b;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if ((kind != NEREID_OP_ARITH_XORI && kind != NEREID_OP_ARITH_ADDI && kind != NEREID_OP_ARITH_SUBI &&
       kind != NEREID_OP_ARITH_ANDI) ||
      !evaluate(mlirOperationGetOperand(op, 0), depth, &a) || !evaluate(mlirOperationGetOperand(op, 1), depth, &b))
    return false;
  *out = kind == NEREID_OP_ARITH_XORI   ? a ^ b
         : kind == NEREID_OP_ARITH_ANDI ? a & b
         : kind == NEREID_OP_ARITH_ADDI ? (int64_t)((uint64_t)a + (uint64_t)b)
                                        : (int64_t)((uint64_t)a - (uint64_t)b);
  return true;
}

/* Whether `value` is a known integer in the first iteration of the loops around it. */
static bool evaluate(MlirValue value, int depth, int64_t *out) {
  if (mlirValueIsNull(value) || depth == 0)
    return false;
  MlirAttribute constant = nereidMlirValueGetConstant(value);
  if (!mlirAttributeIsNull(constant) && mlirAttributeIsAInteger(constant)) {
    *out = mlirIntegerAttrGetValueInt(constant);
    return true;
  }
  if (mlirValueIsABlockArgument(value))
    return evaluate(source_of(value), depth - 1, out);
  return evaluate_op(mlirOpResultGetOwner(value), depth - 1, out);
}

/* Whether a predicate (null: true) is known, and its value. */
static bool read_predicate(MlirValue predicate, bool *out) {
  int64_t value = 1;
  if (!mlirValueIsNull(predicate) && !evaluate(predicate, MAX_DEPTH, &value))
    return false;
  *out = value != 0;
  return true;
}

/* --- mbarriers --- */

static bool is_followed(MlirValue buffer);

/* Whether the use changes the mbarriers of a buffer in no other way than the ops that are executed here. */
static bool is_followed_use(MlirOperation user, intptr_t operand) {
  bool known;
  switch (nereid_op_kind(user)) {
  case NEREID_OP_TTNG_INIT_BARRIER:
  case NEREID_OP_TTNG_INVAL_BARRIER:
  case NEREID_OP_TTNG_WAIT_BARRIER:
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE:
  case NEREID_OP_TTG_LOCAL_DEALLOC:
    return true;
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
    return read_predicate(nereid_ttng_arrive_barrier_get_pred(user), &known);
  case NEREID_OP_TTNG_BARRIER_EXPECT:
    return read_predicate(nereid_ttng_barrier_expect_get_pred(user), &known);
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

/* The buffer and the slot of the mbarrier `value`; false where they are unknown. */
static bool locate(MlirValue value, MlirOperation *out_alloc, int64_t *out_slot) {
  *out_slot = 0;
  while (!mlirValueIsNull(value)) {
    if (mlirValueIsABlockArgument(value)) {
      value = source_of(value);
      continue;
    }
    *out_alloc = mlirOpResultGetOwner(value);
    if (nereid_op_kind(*out_alloc) == NEREID_OP_TTG_LOCAL_ALLOC)
      return true;
    if (nereid_op_kind(*out_alloc) != NEREID_OP_TTG_MEMDESC_INDEX ||
        !evaluate(nereid_ttg_memdesc_index_get_index(*out_alloc), MAX_DEPTH, out_slot))
      return false;
    value = nereid_ttg_memdesc_index_get_src(*out_alloc);
  }
  return false;
}

/* The mbarrier `value`; null where it is unknown or not followed. */
static nereid_mbarrier_t *find(run_t *run, MlirValue value) {
  MlirOperation alloc;
  int64_t slot;
  if (!locate(value, &alloc, &slot))
    return NULL;
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

static void initialize(nereid_mbarrier_t *barrier, int32_t count) {
  if (barrier)
    *barrier = (nereid_mbarrier_t){barrier->alloc, barrier->slot, count, count, 0};
}

static void arrive(nereid_mbarrier_t *barrier, MlirValue predicate, int32_t count) {
  bool executes = false;
  if (!barrier || !barrier->count || !read_predicate(predicate, &executes) || !executes)
    return;
  barrier->pending -= count;
  if (barrier->pending > 0)
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
  int64_t parity;
  bool executes = false;
  const bool known = read_predicate(nereid_ttng_wait_barrier_get_pred(op), &executes) && barrier && barrier->count &&
                     evaluate(nereid_ttng_wait_barrier_get_phase(op), MAX_DEPTH, &parity);
  if (!known)
    thread->end = NEREID_MBARRIER_OPEN;
  if (!known || !executes || (barrier->phases & 1) != (parity & 1))
    return known;
  thread->end = NEREID_MBARRIER_BLOCKED;
  thread->waits_for = barrier;
  return false;
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

/* Executes an op of mbarriers. */
static void execute(run_t *run, MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTNG_INIT_BARRIER:
    initialize(find(run, nereid_ttng_init_barrier_get_alloc(op)), nereid_ttng_init_barrier_get_count(op));
    break;
  case NEREID_OP_TTNG_INVAL_BARRIER:
    initialize(find(run, nereid_ttng_inval_barrier_get_alloc(op)), 0);
    break;
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
    arrive(find(run, nereid_ttng_arrive_barrier_get_alloc(op)), nereid_ttng_arrive_barrier_get_pred(op),
           arrivals_of(op));
    break;
  case NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE: /* each thread; without noIncrement the count does not change */
    if (nereid_ttng_async_copy_mbarrier_arrive_get_no_increment(op))
      arrive(find(run, mlirOperationGetOperand(op, 0)), (MlirValue){NULL}, nereid_ttg_num_warps(op) * LANES);
    break;
  case NEREID_OP_TTNG_BARRIER_EXPECT: /* its bytes arrive with copies */
    arrive(find(run, mlirOperationGetOperand(op, 0)), nereid_ttng_barrier_expect_get_pred(op), 1);
    break;
  default:
    break;
  }
}

static nereid_mbarrier_end_t run_regions(run_t *run, MlirOperation op);

/* Moves the sequence over `op`; false when it ends there for now. */
static bool step(run_t *run, nereid_mbarrier_thread_t *thread, MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTNG_WAIT_BARRIER:
    return pass_wait(run, thread, op);
  case NEREID_OP_TTG_WARP_SPECIALIZE:
    thread->end = run_regions(run, op);
    return thread->end == NEREID_MBARRIER_DONE;
  case NEREID_OP_SCF_FOR:
    if (has_barriers(op))
      thread->at = mlirBlockGetFirstOperation(nereid_loop_body(op));
    return true;
  default:
    execute(run, op);
    if (mlirOperationGetNumRegions(op) && has_barriers(op))
      thread->end = NEREID_MBARRIER_OPEN;
    return thread->end == NEREID_MBARRIER_DONE;
  }
}

/* Executes the sequence until it ends, is blocked, or is open. */
static bool proceed(run_t *run, nereid_mbarrier_thread_t *thread) {
  bool moved = false;
  thread->end = NEREID_MBARRIER_DONE;
  while (!mlirOperationIsNull(thread->at)) {
    MlirOperation op = thread->at;
    MlirOperation next = mlirOperationGetNextInBlock(op), parent = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(next) &&
        (nereid_op_kind(parent) == NEREID_OP_SCF_FOR || mlirOperationGetNumSuccessors(op) > 0)) {
      thread->end = NEREID_MBARRIER_OPEN; /* another iteration, or what follows the loop */
      return moved;
    }
    thread->at = next;
    if (!step(run, thread, op)) {
      thread->at = op;
      return moved;
    }
    moved = true;
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
  MlirOperation alloc;
  int64_t slot;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind != NEREID_OP_TTNG_ARRIVE_BARRIER && kind != NEREID_OP_TTNG_BARRIER_EXPECT &&
      kind != NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE)
    return MlirWalkResultAdvance;
  /* The slot may be another one in later iterations. */
  search->found = search->found || !locate(mlirOperationGetOperand(op, 0), &alloc, &slot) ||
                  mlirOperationEqual(alloc, search->barrier->alloc);
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
static void open_uncertain(nereid_mbarrier_threads_t *threads) {
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
  open_uncertain(threads);
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
  if (!mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)))) {
    add_thread(&run, &threads, mlirOperationGetRegion(function, 0));
    (void)run_threads(&run, &threads);
  }
  return !arena->failed;
}
