/* tritongpu-schedule-loops: assigns stages and clusters to the ops of a loop.
 *
 *   %a = tt.addptr …                          loop.stage = 0, loop.cluster = 0
 *   %x = tt.load %a {tt.latency = 2 : i32}    loop.stage = 0, loop.cluster = 0
 *   … %x …                                    loop.stage = 2, loop.cluster = 1       and tt.scheduled_max_stage = 2
 *
 * An op with a latency is as many stages before its first use as the latency; the longest chain of latencies is the
 * last stage. What such an op depends on, also by carried values, is in its stage, everything else in the last one.
 *
 * Clusters, in the order of a step; among ops of one kind, later stages come first, so that a step reads a register or
 * a slot before it fills the next:
 *
 *   copies, loads of scalars, their addresses       they wait for nothing
 *   the last stage                                  dots
 *   stores into rings, loads in registers           the arithmetic between them overlaps dots in flight
 *
 * Where copies before the last stage would need one more slot than is worth its memory, the last stage comes first.
 *
 * Late in a loop with dots of warp groups, which are asynchronous, means: the dots that depend on no other dot of the
 * iteration, then the copies, then the rest, so that the copies and the rest are executed while those dots are in
 * flight. If the rest has dots, too, the copies follow the first use of the leading dot, as in attention:
 *
 *   first dot     maximum of its result     copies     softmax, second dot
 *
 * Where threads compute operand a of a dot while another one reads its operands from buffers, as in tf32x3, tensor
 * cores get work before and after it:
 *
 *   dots of buffers     operand, its dot     stores into rings     copies     dots that accumulate onto it
 *
 * A dot with a latency is executed that many iterations early. So is one on which another op with a latency depends:
 * with tt.latency = 1 on the operand that attention's second dot takes from registers, the softmax of an iteration
 * overlaps the second dot of the iteration before:
 *
 *   first dot (stage 0)     second dot (stage 1)     softmax (stage 0)     arrivals that release its tile (stage 1)
 *
 * A wait for an mbarrier belongs to the ops that use its buffers (`deps`), an arrival to the last of them. An arrival
 * that would wait for a dot in flight comes where the result of the dot is used, otherwise at the end of the step. */
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/pipelining/rings/late_copies.h"
#include "passes/pipelining/schedule.h"

#include "dialects/defining_op.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttng.h"

#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

typedef struct scheduler {
  nereid_pass_t *pass;
  nereid_arena_t *arena;
  MlirOperation loop;
  MlirBlock body;
  nereid_operations_t keys; /* ops with a latency, in order */
  nereid_map_t distances;   /* op -> stages from it to the last one */
  nereid_map_t stages;      /* op -> stage plus 1, for ops before the last stage */
  nereid_map_t early;       /* op -> 1: copies, dots with a latency, and what they depend on in their stage */
  nereid_map_t after;       /* op -> cluster plus 1, for arrivals at mbarriers */
  nereid_map_t leading; /* op -> 1: dots of warp groups that are issued before the copies, and what they depend on */
  nereid_map_t readers; /* op -> 1: the first use of the leading dot that late copies follow, and what it depends on */
  nereid_map_t computing; /* op -> 1: dots that would be leading, but threads compute an operand; what they depend on */
  int64_t max_stage;
} scheduler_t;

static int64_t lookup(const nereid_map_t *map, MlirOperation op) {
  const uintptr_t *place = nereid_map_find(map, op.ptr);
  return place ? (int64_t)*place : 0;
}

static void mark(nereid_map_t *map, MlirOperation op) {
  uintptr_t *place = nereid_map_insert(map, op.ptr);
  if (place)
    *place = 1;
}

static bool is_async_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
}

/* --- stages --- */

/* Computes the distances of all ops, users before definitions. */
static void assign_distances(scheduler_t *scheduler) {
  for (MlirOperation op = mlirBlockGetTerminator(scheduler->body); !mlirOperationIsNull(op);
       op = nereidMlirOperationGetPrevInBlock(op)) {
    int64_t distance = 0;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, r)); !mlirOpOperandIsNull(use);
           use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = nereid_ir_ancestor_in(scheduler->body, mlirOpOperandGetOwner(use));
        const int64_t further = mlirOperationIsNull(user) ? 0 : lookup(&scheduler->distances, user);
        distance = distance > further ? distance : further;
      }
    distance += nereid_ir_integer(op, NEREID_ATTR_LATENCY, 0);
    scheduler->max_stage = scheduler->max_stage > distance ? scheduler->max_stage : distance;
    uintptr_t *place = nereid_map_insert(&scheduler->distances, op.ptr);
    if (place)
      *place = (uintptr_t)distance;
  }
}

/* Assigns `stage` to `op` and to what it depends on, unless an earlier one is assigned. Recursion depth is that of the
 * loop's expressions. */
static void assign_stage(scheduler_t *scheduler, MlirOperation op, int64_t stage) {
  uintptr_t *place = nereid_map_insert(&scheduler->stages, op.ptr);
  if (!place || (*place && (int64_t)*place - 1 <= stage))
    return;
  *place = (uintptr_t)stage + 1;
  nereid_schedule_values_t uses = {0};
  nereid_schedule_uses(op, scheduler->body, scheduler->arena, &uses);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_schedule_definition(scheduler->body, uses.data[i], NULL);
    if (!mlirOperationIsNull(from))
      assign_stage(scheduler, from, stage);
  }
}

/* Marks `op` and what it depends on in its stage as early. */
static void mark_early(scheduler_t *scheduler, MlirOperation op, int64_t stage) {
  if (lookup(&scheduler->stages, op) != stage + 1 || lookup(&scheduler->early, op))
    return;
  uintptr_t *place = nereid_map_insert(&scheduler->early, op.ptr);
  nereid_schedule_values_t uses = {0};
  if (!place || !nereid_schedule_uses(op, scheduler->body, scheduler->arena, &uses))
    return;
  *place = 1;
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_schedule_definition(scheduler->body, uses.data[i], NULL);
    if (!mlirOperationIsNull(from))
      mark_early(scheduler, from, stage);
  }
}

static int64_t stage_of(const scheduler_t *scheduler, MlirOperation op) {
  const int64_t stage = lookup(&scheduler->stages, op);
  return stage ? stage - 1 : scheduler->max_stage;
}

/* --- operands of dots that are computed ahead --- */

/* Whether `op` depends on a dot of the last stage, in this iteration or an earlier one. */
static bool needs_last_dot(const scheduler_t *scheduler, MlirOperation op, nereid_map_t *visited) {
  nereid_schedule_values_t uses = {0};
  if (nereid_map_find(visited, op.ptr))
    return false;
  mark(visited, op);
  if (is_async_dot(op) && stage_of(scheduler, op) == scheduler->max_stage)
    return true;
  nereid_schedule_uses(op, scheduler->body, scheduler->arena, &uses);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_schedule_definition(scheduler->body, uses.data[i], NULL);
    if (!mlirOperationIsNull(from) && needs_last_dot(scheduler, from, visited))
      return true;
  }
  return false;
}

static bool uses_stage(const scheduler_t *scheduler, MlirOperation op, int64_t stage) {
  nereid_schedule_values_t uses = {0};
  nereid_schedule_uses(op, scheduler->body, scheduler->arena, &uses);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_defining_op(uses.data[i]);
    if (!mlirOperationIsNull(from) && mlirTypeIsARankedTensor(mlirValueGetType(uses.data[i])) &&
        stage_of(scheduler, from) == stage)
      return true;
  }
  return false;
}

/* Ops that only rename or replicate elements are cheaper to execute where their results are used. */
static bool is_view(MlirOperation op) {
  return nereid_loop_replicates(op) || nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT;
}

/* Moves ops that read tensors of `key`'s stage there if they can be executed before the last dot: the sums of a
 * softmax, which would otherwise keep all of its elements in registers until the next step. */
static void pull_readers(scheduler_t *scheduler, MlirOperation key) {
  const int64_t stage = stage_of(scheduler, key);
  for (MlirOperation op = mlirBlockGetFirstOperation(scheduler->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    nereid_map_t visited;
    nereid_map_initialize(&visited, scheduler->arena);
    if (stage_of(scheduler, op) == scheduler->max_stage && !is_view(op) && nereidMlirOperationIsPure(op) &&
        uses_stage(scheduler, op, stage) && !needs_last_dot(scheduler, op, &visited))
      assign_stage(scheduler, op, stage);
  }
}

/* --- mbarriers --- */

typedef struct users {
  MlirOperation first, last;  /* by stage, then by program order */
  const nereid_map_t *marked; /* ops; null: none */
  bool has_marked;            /* one of them is a user */
} users_t;

/* Extends `users` by the ops of the body that use `buffer`, through views. */
static void add_users(const scheduler_t *scheduler, MlirValue buffer, users_t *users) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use), op = nereid_ir_ancestor_in(scheduler->body, user);
    const nereid_op_kind_t kind = nereid_op_kind(user);
    if (mlirOperationIsNull(op) || kind == NEREID_OP_TTNG_WAIT_BARRIER || kind == NEREID_OP_TTNG_ARRIVE_BARRIER)
      continue;
    if (nereid_ttg_is_memdesc_view(user)) {
      add_users(scheduler, nereid_ir_result(user), users);
      continue;
    }
    const int64_t stage = stage_of(scheduler, op);
    users->has_marked |= users->marked && nereid_map_find(users->marked, op.ptr);
    if (mlirOperationIsNull(users->first) || stage < stage_of(scheduler, users->first) ||
        (stage == stage_of(scheduler, users->first) && mlirOperationIsBeforeInBlock(op, users->first)))
      users->first = op;
    if (mlirOperationIsNull(users->last) || stage > stage_of(scheduler, users->last) ||
        (stage == stage_of(scheduler, users->last) && mlirOperationIsBeforeInBlock(users->last, op)))
      users->last = op;
  }
}

static void place_at(scheduler_t *scheduler, MlirOperation op, MlirOperation use) {
  assign_stage(scheduler, op, stage_of(scheduler, use));
  if (lookup(&scheduler->early, use))
    mark_early(scheduler, op, stage_of(scheduler, use));
}

static users_t users_of_wait(const scheduler_t *scheduler, MlirOperation wait, const nereid_map_t *marked) {
  users_t users = {.marked = marked};
  for (intptr_t i = 0; i < nereid_ttng_wait_barrier_get_deps_count(wait); ++i)
    add_users(scheduler, nereid_ttng_wait_barrier_get_deps(wait, i), &users);
  return users;
}

/* Moves a wait to the stage of the first use of its buffers, with the fence that follows a wait for cp.async. */
static void place_wait(scheduler_t *scheduler, MlirOperation wait) {
  const users_t users = users_of_wait(scheduler, wait, NULL);
  if (mlirOperationIsNull(users.first) || stage_of(scheduler, users.first) == scheduler->max_stage)
    return;
  MlirOperation fence = mlirOperationGetNextInBlock(wait);
  place_at(scheduler, wait, users.first);
  if (nereid_op_kind(fence) == NEREID_OP_TTNG_FENCE_ASYNC_SHARED)
    place_at(scheduler, fence, users.first);
}

/* The first op of the body that uses the result of `dot` in its stage, but not as an accumulator; null if there is
 * none. */
static MlirOperation first_reader(const scheduler_t *scheduler, MlirOperation dot) {
  MlirOperation first = {NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(dot)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = nereid_ir_ancestor_in(scheduler->body, mlirOpOperandGetOwner(use));
    if (mlirOperationIsNull(op) || is_async_dot(op) || nereid_op_kind(op) == NEREID_OP_SCF_YIELD ||
        stage_of(scheduler, op) != stage_of(scheduler, dot))
      continue;
    if (mlirOperationIsNull(first) || mlirOperationIsBeforeInBlock(op, first))
      first = op;
  }
  return first;
}

static int64_t cluster_of(const scheduler_t *scheduler, MlirOperation op, bool late);

/* Places an arrival after the last use of the buffers that it releases. */
static void place_arrival(scheduler_t *scheduler, MlirOperation arrival) {
  users_t users = {.marked = NULL};
  for (intptr_t i = 0; i < nereid_ttng_arrive_barrier_get_deps_count(arrival); ++i)
    add_users(scheduler, nereid_ttng_arrive_barrier_get_deps(arrival, i), &users);
  if (mlirOperationIsNull(users.last))
    return;
  const int64_t stage = stage_of(scheduler, users.last);
  MlirOperation reader = is_async_dot(users.last) ? first_reader(scheduler, users.last) : users.last;
  if (stage < scheduler->max_stage)
    assign_stage(scheduler, arrival, stage);
  if (!mlirOperationIsNull(reader) && lookup(&scheduler->early, reader))
    mark_early(scheduler, arrival, stage);
  uintptr_t *place = nereid_map_insert(&scheduler->after, arrival.ptr);
  if (place)
    *place = 1 + (uintptr_t)(mlirOperationIsNull(reader) ? 2 * scheduler->max_stage + 1
                                                         : cluster_of(scheduler, reader, false));
}

static void place_barriers(scheduler_t *scheduler) {
  for (MlirOperation op = mlirBlockGetFirstOperation(scheduler->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TTNG_WAIT_BARRIER)
      place_wait(scheduler, op);
    else if (nereid_op_kind(op) == NEREID_OP_TTNG_ARRIVE_BARRIER)
      place_arrival(scheduler, op);
}

/* --- clusters --- */

static int64_t cluster_of(const scheduler_t *scheduler, MlirOperation op, bool late) {
  const int64_t last = scheduler->max_stage, before_last = last - 1 - stage_of(scheduler, op);
  if (lookup(&scheduler->after, op))
    return lookup(&scheduler->after, op) - 1;
  if (before_last < 0)
    return late ? 0 : last;
  return before_last + (lookup(&scheduler->early, op) ? late : last + 1);
}

/* Marks `op` and what it depends on in its stage, with the ops of nested regions; false when it depends on a dot. */
static bool mark_leading(const scheduler_t *scheduler, MlirOperation op, nereid_map_t *marked) {
  nereid_schedule_values_t uses = {0};
  if (nereid_map_find(marked, op.ptr))
    return true;
  mark(marked, op);
  nereid_schedule_uses(op, scheduler->body, scheduler->arena, &uses);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_defining_op(uses.data[i]);
    if (mlirOperationIsNull(from) || stage_of(scheduler, from) != stage_of(scheduler, op))
      continue;
    if (is_async_dot(from) || !mark_leading(scheduler, from, marked))
      return false;
  }
  return true;
}

/* Marks in `out` what is marked in `marked`. */
static void add_marked(const scheduler_t *scheduler, const nereid_map_t *marked, nereid_map_t *out) {
  for (MlirOperation op = mlirBlockGetFirstOperation(scheduler->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_map_find(marked, op.ptr))
      mark(out, op);
}

/* Whether threads compute operand a of the dot in its stage. */
static bool is_computed_for(const scheduler_t *scheduler, MlirOperation dot) {
  MlirOperation from = nereid_defining_op(nereid_ttng_warp_group_dot_get_a(dot));
  return mlirTypeIsARankedTensor(mlirValueGetType(nereid_ttng_warp_group_dot_get_a(dot))) &&
         !mlirOperationIsNull(from) && !is_view(from) && stage_of(scheduler, from) == stage_of(scheduler, dot);
}

/* Finds the dots of warp groups that depend on no other dot in their stage; apart from them those of which threads
 * compute operand a there, if there are both. */
static void find_leading(scheduler_t *scheduler) {
  for (MlirOperation op = mlirBlockGetFirstOperation(scheduler->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    nereid_map_t marked;
    nereid_map_initialize(&marked, scheduler->arena);
    if (is_async_dot(op) && mark_leading(scheduler, op, &marked))
      add_marked(scheduler, &marked, is_computed_for(scheduler, op) ? &scheduler->computing : &scheduler->leading);
  }
  if (!scheduler->leading.size || scheduler->after.size) {
    add_marked(scheduler, &scheduler->computing, &scheduler->leading);
    scheduler->computing = (nereid_map_t){0};
  }
}

/* Marks `op` and what it depends on in its stage besides leading dots and what these depend on; false when it depends
 * on another dot. */
static bool mark_until_dots(const scheduler_t *scheduler, MlirOperation op, nereid_map_t *marked) {
  nereid_schedule_values_t uses = {0};
  if (nereid_map_find(marked, op.ptr) || nereid_map_find(&scheduler->leading, op.ptr))
    return true;
  mark(marked, op);
  nereid_schedule_uses(op, scheduler->body, scheduler->arena, &uses);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_defining_op(uses.data[i]);
    if (mlirOperationIsNull(from) || stage_of(scheduler, from) != stage_of(scheduler, op))
      continue;
    if ((is_async_dot(from) && !nereid_map_find(&scheduler->leading, from.ptr)) ||
        !mark_until_dots(scheduler, from, marked))
      return false;
  }
  return true;
}

/* The only leading dot; null if there is another number of them. */
static MlirOperation only_leading_dot(const scheduler_t *scheduler) {
  MlirOperation found = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(scheduler->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_async_dot(op) || !nereid_map_find(&scheduler->leading, op.ptr))
      continue;
    if (!mlirOperationIsNull(found))
      return (MlirOperation){NULL};
    found = op;
  }
  return found;
}

/* Whether nothing but `leading`, and dots that stay in flight, reads `value` or a buffer or view of it. */
static bool is_read_by_dots(MlirValue value, MlirOperation leading) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (mlirOperationEqual(user, leading) || nereid_ring_dot_stays_in_flight(user))
      continue;
    if ((nereid_op_kind(user) != NEREID_OP_TTG_LOCAL_ALLOC && !nereid_ttg_is_memdesc_view(user)) ||
        !is_read_by_dots(nereid_ir_result(user), leading))
      return false;
  }
  return true;
}

/* Finds the first use of the leading dot that copies can follow: all that reads slots is complete there, or reads those
 * of the present iteration. */
static void find_readers(scheduler_t *scheduler) {
  nereid_map_t marked;
  nereid_map_initialize(&marked, scheduler->arena);
  MlirOperation dot = only_leading_dot(scheduler);
  MlirOperation reader = mlirOperationIsNull(dot) ? dot : first_reader(scheduler, dot);
  if (mlirOperationIsNull(reader) || !mark_until_dots(scheduler, reader, &marked))
    return;
  for (size_t i = 0; i < scheduler->keys.size; ++i)
    if (!is_read_by_dots(nereid_ir_result(scheduler->keys.data[i]), dot))
      return;
  add_marked(scheduler, &marked, &scheduler->readers);
}

/* Adds to `marked` the waits for mbarriers of buffers that its ops use, with the fences that follow waits for
 * cp.async. */
static void add_waits(const scheduler_t *scheduler, nereid_map_t *marked) {
  for (MlirOperation op = mlirBlockGetFirstOperation(scheduler->body); marked->size && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) != NEREID_OP_TTNG_WAIT_BARRIER || !users_of_wait(scheduler, op, marked).has_marked)
      continue;
    mark_leading(scheduler, op, marked);
    if (nereid_op_kind(mlirOperationGetNextInBlock(op)) == NEREID_OP_TTNG_FENCE_ASYNC_SHARED)
      mark(marked, mlirOperationGetNextInBlock(op));
  }
}

/* Whether a dot of warp groups uses the result of another one of its iteration. */
static bool has_trailing_dots(const scheduler_t *scheduler) {
  for (MlirOperation op = mlirBlockGetFirstOperation(scheduler->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_async_dot(op) && !nereid_map_find(&scheduler->leading, op.ptr))
      return true;
  return false;
}

/* The cluster of `op` in a loop with dots of warp groups whose copies are late. Where trailing dots follow the leading
 * ones, copies wait for the last dot of the previous step, whose slots they overwrite: they follow the first use of the
 * leading dot, by which it is complete, or everything. */
static int64_t cluster_after_dots(const scheduler_t *scheduler, MlirOperation op, bool trailing) {
  const int64_t stage = stage_of(scheduler, op), last = scheduler->max_stage;
  if (nereid_map_find(&scheduler->leading, op.ptr))
    return 0;
  if (nereid_map_find(&scheduler->readers, op.ptr))
    return 1;
  if (scheduler->readers.size)
    return stage == last ? last + 2 : last - stage + 1;
  if (stage == last)
    return trailing ? 1 : 1 + last;
  return last - stage + trailing;
}

/* The cluster of `op` in a loop in which threads compute an operand of one dot while others are executed: leading dots;
 * the operand and its dot; stores into rings; copies; other dots, which are in flight while the next step begins. */
static int64_t cluster_beside_dots(const scheduler_t *scheduler, MlirOperation op) {
  const int64_t last = scheduler->max_stage, before_last = last - stage_of(scheduler, op);
  if (nereid_map_find(&scheduler->leading, op.ptr))
    return 0;
  if (nereid_map_find(&scheduler->computing, op.ptr))
    return 1;
  if (before_last == 0)
    return 2 * last + 2;
  return 1 + before_last + (lookup(&scheduler->early, op) ? last : 0);
}

static void write_schedule(const scheduler_t *scheduler) {
  const bool trailing = has_trailing_dots(scheduler);
  MlirOperation module = scheduler->pass->op;
  const bool late =
      nereid_ring_copies_late(module, scheduler->loop, &scheduler->keys, scheduler->max_stage, scheduler->arena) ||
      nereid_ring_budget_is_late(module, scheduler->loop, &scheduler->keys);
  const bool last = nereid_ring_budget_relies_on_second_cta(module, scheduler->loop, &scheduler->keys);
  MlirOperation yield = mlirBlockGetTerminator(scheduler->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(scheduler->body); !mlirOperationEqual(op, yield);
       op = mlirOperationGetNextInBlock(op))
    nereid_schedule_set(op, stage_of(scheduler, op),
                        scheduler->computing.size         ? cluster_beside_dots(scheduler, op)
                        : last                            ? cluster_of(scheduler, op, true)
                        : late && scheduler->leading.size ? cluster_after_dots(scheduler, op, trailing)
                                                          : cluster_of(scheduler, op, late));
  nereid_schedule_order_definitions(scheduler->body, scheduler->arena);
  nereid_ir_set_integer(scheduler->loop, NEREID_ATTR_SCHEDULED_MAX_STAGE, scheduler->max_stage);
}

/* Marks the dots on which `op` depends in its stage as early. */
static void mark_dots_early(scheduler_t *scheduler, MlirOperation op, nereid_map_t *visited) {
  const int64_t stage = stage_of(scheduler, op);
  nereid_schedule_values_t uses = {0};
  if (nereid_map_find(visited, op.ptr))
    return;
  mark(visited, op);
  if (!nereid_schedule_uses(op, scheduler->body, scheduler->arena, &uses))
    return;
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = nereid_defining_op(uses.data[i]);
    if (mlirOperationIsNull(from) || stage_of(scheduler, from) != stage)
      continue;
    if (is_async_dot(from))
      mark_early(scheduler, from, stage);
    else
      mark_dots_early(scheduler, from, visited);
  }
}

/* Whether the op loads a scalar, or few registers: a step has the latency of the load to do other work. */
static bool is_small_load(MlirOperation key) {
  return nereid_op_kind(key) == NEREID_OP_TT_LOAD &&
         (!mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(key))) ||
          nereid_ir_has_attribute(key, NEREID_ATTR_LOOP_IN_REGISTERS));
}

/* Whether the op is asynchronous: a step issues it before the work of the last stage. */
static bool is_issued_first(MlirOperation key) {
  return is_async_dot(key) || is_small_load(key) || (nereid_ring_is_load(key) && nereid_ring_budget_has_ring(key));
}

/* Whether the op computes a tensor in registers. */
static bool is_computed(MlirOperation key) {
  return !nereid_ring_is_load(key) && !is_async_dot(key) && mlirOperationGetNumResults(key) == 1 &&
         mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(key)));
}

static void mark_issued_first(scheduler_t *scheduler) {
  nereid_map_t visited;
  nereid_map_initialize(&visited, scheduler->arena);
  for (size_t i = 0; i < scheduler->keys.size; ++i) {
    MlirOperation key = scheduler->keys.data[i];
    if (is_issued_first(key))
      mark_early(scheduler, key, stage_of(scheduler, key));
    else if (stage_of(scheduler, key) < scheduler->max_stage)
      mark_dots_early(scheduler, key, &visited);
    if (scheduler->early.size && is_computed(key))
      pull_readers(scheduler, key);
  }
}

static bool schedule(nereid_pass_t *pass, MlirOperation loop) {
  scheduler_t scheduler = {.pass = pass,
                           .arena = pass->scratch,
                           .loop = loop,
                           .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0))};
  if (!nereid_loop_collect_marked(loop, NEREID_ATTR_LATENCY, pass->scratch, &scheduler.keys))
    return false;
  if (!scheduler.keys.size)
    return true;
  nereid_map_initialize(&scheduler.distances, pass->scratch);
  nereid_map_initialize(&scheduler.stages, pass->scratch);
  nereid_map_initialize(&scheduler.early, pass->scratch);
  nereid_map_initialize(&scheduler.after, pass->scratch);
  nereid_map_initialize(&scheduler.leading, pass->scratch);
  nereid_map_initialize(&scheduler.readers, pass->scratch);
  nereid_map_initialize(&scheduler.computing, pass->scratch);
  assign_distances(&scheduler);
  if (scheduler.max_stage > NEREID_MAX_STAGES) {
    nereid_diagnose(loop, "has operations whose latencies add up to %lld stages: expected at most %d; lower tt.latency",
                    (long long)scheduler.max_stage, NEREID_MAX_STAGES);
    return false;
  }
  for (size_t i = 0; i < scheduler.keys.size; ++i)
    assign_stage(&scheduler, scheduler.keys.data[i],
                 scheduler.max_stage - lookup(&scheduler.distances, scheduler.keys.data[i]));
  mark_issued_first(&scheduler);
  place_barriers(&scheduler);
  find_leading(&scheduler);
  if (has_trailing_dots(&scheduler))
    find_readers(&scheduler);
  add_waits(&scheduler, &scheduler.leading);
  add_waits(&scheduler, &scheduler.readers);
  if (scheduler.max_stage > 0 && !pass->scratch->failed)
    write_schedule(&scheduler);
  return !pass->scratch->failed;
}

MlirLogicalResult nereid_pass_tritongpu_schedule_loops(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  bool good = nereid_loop_collect(pass->op, pass->scratch, &loops);
  for (size_t i = 0; good && i < loops.size; ++i)
    good = schedule(pass, loops.data[i]);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
