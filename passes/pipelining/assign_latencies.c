/* tritongpu-assign-latencies: assigns to ops of a loop the number of iterations by which they precede the use of their
 * result.
 *
 *   scf.for … { %x = tt.load %p; %a = ttg.local_alloc %x; ttng.warp_group_dot %a, … } {tt.num_stages = 4 : i32}
 *   ->
 *   scf.for … { %x = tt.load %p {tt.latency = 3 : i32} … } {tt.num_stages = 4 : i32}
 *
 * In a loop with dots, loads that a dot depends on are pipelined, with tt.num_stages of the loop or else the option;
 * the loads of a recurrence (support/recurrence.h) with tt.num_stages of the loop or else 4 stages. Other loops, and
 * other loads of loops with dots, are pipelined only where the loop has tt.num_stages. The attribute also asserts that
 * no iteration loads what a recent iteration stores; without it, loads from memory that the loop writes stay.
 *
 *   cp.async (4 bytes or more) or TMA can copy     latency num_stages - 1, divided by the loads of a chain of addresses
 *   it cannot, and a dot depends on it             latency 1, in registers; its buffer latency 1, a ring of slots
 *   elementwise ops between a load and its buffer  the buffer has latency 1, the load one less than without, unless
 *                                                  the dots of an iteration are short
 *   scalar loads of addresses                      latency 1, in registers
 *   scalars and vectors on which no dot depends    latency 1, in registers or by cp.async
 *
 * Latencies shrink until the rings fit in shared memory (ring_budget.h); where two stages do not fit, buffers have
 * none. Loads in registers have none where their values do not fit next to the results of dots, or where dots are
 * short; buffers have none where values that the loop would carry do not fit, or where a loop has few iterations and
 * their rings would leave a multiprocessor one CTA. A tt.latency that is there already stays.
 *
 * In the default region of ttg.warp_specialize, where loads wait for nothing but mbarriers, the operand that a dot
 * takes from registers and that depends on another dot has latency 1: attention overlaps its second dot and softmax. */
#include "passes/dot/dot_registers.h"
#include "passes/dot/register_pressure.h"
#include "passes/pass.h"
#include "passes/pipelining/dots/chained_dots.h"
#include "passes/pipelining/expansion/loop_range.h"
#include "passes/pipelining/loads/computed_operands.h"
#include "passes/pipelining/loads/load_registers.h"
#include "passes/pipelining/loads/pipelined_loads.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/support/loop.h"
#include "passes/support/recurrence.h"

#include "analysis/allocation/allocation.h"
#include "analysis/axis/axis_info.h"
#include "base/target_facts.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "seam/context.h"

#include <mlir-c/BuiltinTypes.h>

static const char no_memory[] = "there is not enough shared memory";

typedef struct assign {
  nereid_pass_t *pass;
  nereid_axis_result_t axis;
  int64_t count;
} assign_t;

/* --- remarks --- */

/* A loop in which loads are not pipelined: all, or all except those in its own block. */
typedef struct staying {
  const assign_t *assign;
  MlirOperation loop;
  const char *reason; /* null: only loads in nested regions */
} staying_t;

static MlirWalkResult remark_staying(MlirOperation op, void *user_data) {
  const staying_t *staying = user_data;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_SCF_FOR && !mlirOperationEqual(op, staying->loop))
    return MlirWalkResultSkip; /* a loop of its own */
  if (!nereid_ring_is_load(op))
    return MlirWalkResultAdvance;
  const bool nested = !mlirOperationEqual(mlirOperationGetParentOperation(op), staying->loop);
  if (staying->reason || nested)
    nereid_pass_remark_missed(staying->assign->pass, op, "latency", "not pipelined: %s",
                              staying->reason ? staying->reason : "it is not executed in every iteration");
  return MlirWalkResultAdvance;
}

static void remark_loads(const assign_t *assign, const nereid_pipelined_t *loads) {
  for (size_t i = 0; i < loads->size; ++i) {
    const nereid_pipelined_op_t *load = &loads->data[i];
    if (!nereid_ring_is_load(load->op))
      continue;
    if (load->obstacle)
      nereid_pass_remark_missed(assign->pass, load->op, "latency", "not pipelined: %s", load->obstacle);
    else
      nereid_pass_remark_passed(assign->pass, load->op, "latency", "loads %ld iterations ahead%s", (long)load->latency,
                                load->in_registers                                         ? ", in registers"
                                : nereid_op_kind(load->op) == NEREID_OP_TT_DESCRIPTOR_LOAD ? ", by TMA"
                                                                                           : "");
  }
}

/* --- latencies --- */

/* The number of pipelined loads that follow a load of `level` in a chain. */
static int64_t loads_after(const nereid_pipelined_t *loads, int64_t level) {
  int64_t count = 0;
  for (int64_t lower = 0; lower < level; ++lower)
    for (size_t i = 0; i < loads->size; ++i)
      if (!loads->data[i].obstacle && loads->data[i].level == lower) {
        ++count;
        break;
      }
  return count;
}

/* Sets the latencies for `stages`. The loads of a chain share stages - 1 iterations; what remains goes to the last
 * ones, which move most bytes. */
static void set_latencies(nereid_pipelined_t *loads, int64_t stages) {
  int64_t levels = 1;
  for (size_t i = 0; i < loads->size; ++i) {
    const int64_t after = loads->data[i].obstacle ? 0 : loads_after(loads, loads->data[i].level);
    levels = levels > after + 1 ? levels : after + 1;
  }
  for (size_t i = 0; i < loads->size; ++i) {
    nereid_pipelined_op_t *load = &loads->data[i];
    if (load->obstacle || load->is_given)
      continue;
    int64_t latency = (stages - 1) / levels;
    latency += loads_after(loads, load->level) == 0 ? (stages - 1) % levels : 0;
    latency -= load->feeds_buffer;
    load->latency = latency < 1 || load->in_registers || !nereid_ring_is_load(load->op) ? 1 : latency;
    nereid_ir_set_integer(load->op, NEREID_ATTR_LATENCY, load->latency);
  }
}

static void collect_keys(const nereid_pipelined_t *loads, nereid_arena_t *arena, nereid_operations_t *out) {
  for (size_t i = 0; i < loads->size; ++i)
    if (!loads->data[i].obstacle)
      nereid_vector_push(arena, out, loads->data[i].op);
}

static void drop(nereid_pipelined_op_t *load, const char *reason) {
  load->obstacle = reason;
  mlirOperationRemoveDiscardableAttributeByName(load->op, nereid_ir_ref(NEREID_ATTR_LATENCY));
}

/* Whether copies after the dots cost less than a stage: if the loop has a single dot and threads only copy its
 * operands, or if TMA copies, for which one thread is enough. Threads that compute operands would wait for the
 * copies. */
static bool can_copy_late(const assign_t *assign, MlirOperation loop, const nereid_pipelined_t *loads) {
  nereid_operations_t dots = {0};
  bool by_tma = false, only_copies = true;
  nereid_collect(loop, nereid_dot_is_dot, assign->pass->scratch, &dots);
  for (size_t i = 0; i < loads->size; ++i) {
    const nereid_pipelined_op_t *load = &loads->data[i];
    by_tma |= !load->obstacle && nereid_op_kind(load->op) == NEREID_OP_TT_DESCRIPTOR_LOAD;
    only_copies &= !load->obstacle && !load->in_registers && !load->feeds_buffer && nereid_ring_is_load(load->op);
  }
  return by_tma || (only_copies && dots.size == 1);
}

/* The bytes of the rings of a loop with two stages, and those that it may take. */
typedef struct demand {
  int64_t bytes, available;
} demand_t;

/* The bytes of rings with late copies if each has the slots that it needs, where these fit and those of commit groups
 * do not. An operand that threads convert is read before the dot, and needs no slot for the dot in flight. */
static int64_t separate(const nereid_operations_t *keys, const demand_t *demand) {
  if (!nereid_ring_budget_separate(keys, true))
    return demand->bytes;
  const int64_t bytes = nereid_ring_budget_bytes(keys, true);
  if (bytes <= demand->available)
    return bytes;
  nereid_ring_budget_unite(keys);
  return demand->bytes;
}

/* Sets the latencies of the most stages that fit; false if two do not fit. Fewer slots, with copies after the dots, are
 * preferred to fewer stages where they cost less. `separates`: two stages may have rings with slots of their own. */
static bool fit_stages(const assign_t *assign, MlirOperation loop, nereid_pipelined_t *loads, int64_t stages,
                       bool separates, demand_t *out) {
  nereid_operations_t keys = {0};
  collect_keys(loads, assign->pass->scratch, &keys);
  out->available = nereid_ring_budget_available(assign->pass->op, loop, &keys);
  const bool copies_late = can_copy_late(assign, loop, loads);
  for (int64_t tried = stages; tried >= 2; --tried) {
    set_latencies(loads, tried);
    const bool can_be_late = nereid_ring_budget_can_be_late(&keys) && (tried == 2 || copies_late);
    out->bytes = nereid_ring_budget_bytes(&keys, false);
    if (can_be_late && (tried == 2 || out->bytes > out->available))
      out->bytes = nereid_ring_budget_bytes(&keys, true);
    if (separates && can_be_late && tried == 2 && out->bytes > out->available)
      out->bytes = separate(&keys, out);
    if (out->bytes > out->available)
      continue;
    if (tried < stages)
      nereid_pass_remark_missed(
          assign->pass, loop, "stages",
          "%ld stages instead of %ld: the copies in flight take %ld of %ld bytes of shared memory", (long)tried,
          (long)stages, (long)out->bytes, (long)out->available);
    return true;
  }
  return false;
}

/* Drops the rings of computed operands, which have a slot per iteration in flight, for `reason`; one buffer each
 * remains. False if there are none. */
static bool drop_buffers(nereid_pipelined_t *loads, const char *reason) {
  bool any = false;
  for (size_t i = 0; i < loads->size; ++i) {
    nereid_pipelined_op_t *load = &loads->data[i];
    load->feeds_buffer = false;
    if (load->obstacle || nereid_op_kind(load->op) != NEREID_OP_TTG_LOCAL_ALLOC)
      continue;
    drop(load, reason);
    any = true;
  }
  return any;
}

/* --- values in registers --- */

static const char no_registers[] = "its value does not fit in registers until the next iteration";
static const char no_second_cta[] = "its ring would leave a multiprocessor one CTA";
static const char no_overlap[] = "the dots of an iteration are too short to hide its latency";

static int64_t registers_of(const assign_t *assign, MlirOperation load) {
  return nereid_load_value_registers(&assign->axis, load) + nereid_load_address_registers(&assign->axis, load);
}

enum {
  FEW_REGISTERS = 4,   /* an element and its address, or two */
  SMALL_REGISTERS = 8, /* four elements and the address of their run */
};

/* Drops the loads of operands in registers, except of scalars and of those that take up to `few` registers, and the
 * rings of computed operands, for `reason`; and the loads of addresses if no other load remains. */
static void drop_registers(const assign_t *assign, nereid_pipelined_t *loads, int64_t few, const char *reason) {
  bool any = false;
  drop_buffers(loads, reason);
  for (size_t i = 0; i < loads->size; ++i) {
    nereid_pipelined_op_t *load = &loads->data[i];
    if (!load->obstacle && load->in_registers && load->level == 0 && registers_of(assign, load->op) > few)
      drop(load, reason);
    any |= !load->obstacle && load->level == 0;
  }
  for (size_t i = 0; !any && i < loads->size; ++i)
    if (!loads->data[i].obstacle)
      drop(&loads->data[i], reason);
}

/* Whether the rings of a loop with `stages`, next to other buffers, leave a multiprocessor few warps, and no more CTAs
 * than it executes if tensors take `registers` of a thread: other CTAs then hide little latency, and these registers
 * cost none of them. */
static bool has_few_warps_by_rings(const assign_t *assign, MlirOperation loop, nereid_pipelined_t *loads,
                                   int64_t stages, int64_t registers) {
  enum { FEW_WARPS = 24, OTHERS = 40 /* addresses, and operands that threads compute */ };
  const int capability = nereid_ttg_compute_capability(assign->pass->op);
  const int64_t warps = nereid_ttg_num_warps(loop);
  nereid_operations_t keys = {0};
  set_latencies(loads, stages);
  collect_keys(loads, assign->pass->scratch, &keys);
  const int64_t others =
      nereid_target_shared_memory(capability) - nereid_ring_budget_available(assign->pass->op, loop, &keys);
  const int64_t by_memory = nereid_target_ctas(capability, nereid_ring_budget_bytes(&keys, false) + others);
  return by_memory * warps <= FEW_WARPS && by_memory <= nereid_target_ctas_by_registers(registers + OTHERS, warps);
}

/* Drops the loads in registers if a thread has too few registers to keep their values until the next iteration:
 * spilling them is slower than waiting for them. Also if the dots of an iteration are too short to hide their latency:
 * other CTAs hide it, and registers would leave a multiprocessor fewer of them (docs/pipelining.md). Where rings leave
 * it few CTAs anyway, loads of small values are executed ahead. */
static void fit_registers(const assign_t *assign, MlirOperation loop, nereid_pipelined_t *loads, int64_t stages) {
  enum { OTHER_REGISTERS = 24 };
  const int64_t results = nereid_dot_result_registers(nereid_loop_body(loop));
  const int64_t available = nereid_dot_registers_per_thread(loop);
  int64_t values = 0, addresses = 0;
  for (size_t i = 0; i < loads->size; ++i) {
    if (loads->data[i].obstacle || !loads->data[i].in_registers || loads->data[i].level > 0)
      continue;
    values += nereid_load_value_registers(&assign->axis, loads->data[i].op);
    addresses += nereid_load_address_registers(&assign->axis, loads->data[i].op);
  }
  if (!values)
    return;
  if (results + values + addresses + OTHER_REGISTERS > available) {
    nereid_pass_remark_missed(assign->pass, loop, "stages",
                              "loads in registers are not executed ahead: their values take %ld registers of a thread, "
                              "addresses %ld, results of dots %ld, and %ld are available",
                              (long)values, (long)addresses, (long)results, (long)available);
    drop_registers(assign, loads, FEW_REGISTERS, no_registers);
    return;
  }
  const int64_t multiply_adds = nereid_dot_multiply_adds(loop);
  if (multiply_adds < NEREID_LONG_DOTS) {
    nereid_pass_remark_missed(assign->pass, loop, "stages",
                              "loads in registers are not executed ahead: dots of %ld multiply-adds do not hide their "
                              "latency, other CTAs do",
                              (long)multiply_adds);
    drop_buffers(loads, no_overlap);
    const bool few_warps = has_few_warps_by_rings(assign, loop, loads, stages, results + values + addresses);
    drop_registers(assign, loads, few_warps ? SMALL_REGISTERS : FEW_REGISTERS, no_overlap);
  }
}

/* Computes operands in the iteration of their dot where the loop would carry other tensors of their computation, which
 * are an appreciable part of the registers that a thread lacks, and dots are too short to hide the spills. */
static void fit_computed(const assign_t *assign, MlirOperation loop, nereid_pipelined_t *loads) {
  enum { HIDING_DOTS = 4 * NEREID_LONG_DOTS, PART = 8 };
  nereid_arena_t *arena = assign->pass->scratch;
  const nereid_computed_operands_t computed = nereid_computed_operands_find(loop, loads, arena);
  nereid_register_pressure_t pressure;
  if (!computed.carried || nereid_dot_multiply_adds(loop) >= HIDING_DOTS ||
      !nereid_register_pressure_find(nereid_ir_function_of(loop), arena, &pressure))
    return;
  const int64_t live = nereid_register_pressure_between(&pressure, loop, loop);
  const int64_t limit = nereid_register_pressure_limit(loop), more = computed.values + computed.carried;
  if (live + more <= limit || more * PART < live + more - limit)
    return;
  nereid_pass_remark_missed(assign->pass, loop, "stages",
                            "operands are not computed ahead: they take %ld registers of a thread, tensors that later "
                            "ops use %ld, other tensors %ld, and %ld are available",
                            (long)computed.values, (long)computed.carried, (long)live, (long)limit);
  drop_buffers(loads, no_registers);
}

static int64_t ctas_of(const assign_t *assign, MlirOperation loop, const nereid_pipelined_t *loads, bool alone) {
  nereid_operations_t keys = {0};
  collect_keys(loads, assign->pass->scratch, &keys);
  return nereid_ring_budget_ctas(assign->pass->op, loop, &keys, alone);
}

static bool has_few_iterations(const assign_t *assign, MlirOperation loop) {
  enum { FEW = 4 };
  nereid_loop_range_t range;
  nereid_loop_range_read(loop, assign->pass->scratch, &range);
  const int64_t count = nereid_loop_range_count(&range);
  return count >= 0 && count <= FEW;
}

/* Computes operands in the iteration of their dot where a loop has few iterations and their rings alone leave a
 * multiprocessor one CTA instead of two: the first and the last iteration are a large part of the loop, and nothing but
 * another CTA overlaps them. The latencies are set for `stages`. */
static void keep_second_cta(const assign_t *assign, MlirOperation loop, nereid_pipelined_t *loads, int64_t stages) {
  demand_t demand = {0};
  nereid_pipelined_t before = {0};
  if (ctas_of(assign, loop, loads, true) > 1 || !has_few_iterations(assign, loop))
    return;
  for (size_t i = 0; i < loads->size; ++i)
    nereid_vector_push(assign->pass->scratch, &before, loads->data[i]);
  if (!drop_buffers(loads, no_second_cta))
    return;
  if (fit_stages(assign, loop, loads, stages, /*separates=*/false, &demand) &&
      ctas_of(assign, loop, loads, false) > 1) {
    nereid_pass_remark_missed(assign->pass, loop, "stages",
                              "operands are not computed ahead: their rings would leave a multiprocessor one CTA, and "
                              "the loop has few iterations");
    return;
  }
  *loads = before;
  fit_stages(assign, loop, loads, stages, /*separates=*/false, &demand);
}

/* Executes the loads of computed operands one iteration earlier where the dots of an iteration are short and the rings
 * fit: the iteration in which the operand is computed hides less of their latency than the others. */
static void lengthen_computed(const assign_t *assign, MlirOperation loop, nereid_pipelined_t *loads) {
  nereid_operations_t keys = {0};
  if (nereid_dot_multiply_adds(loop) > NEREID_LONG_DOTS)
    return;
  collect_keys(loads, assign->pass->scratch, &keys);
  const int64_t available = nereid_ring_budget_available(assign->pass->op, loop, &keys);
  for (size_t i = 0; i < loads->size; ++i) {
    nereid_pipelined_op_t *load = &loads->data[i];
    if (load->obstacle || load->is_given || load->in_registers || !load->feeds_buffer || !nereid_ring_is_load(load->op))
      continue;
    nereid_ir_set_integer(load->op, NEREID_ATTR_LATENCY, load->latency + 1);
    if (nereid_ring_budget_bytes(&keys, false) > available)
      nereid_ir_set_integer(load->op, NEREID_ATTR_LATENCY, load->latency);
    else
      ++load->latency;
  }
}

/* Sets the latencies for a loop with dots. */
static void fit_dots(const assign_t *assign, MlirOperation loop, nereid_pipelined_t *loads, int64_t stages) {
  demand_t demand = {0};
  fit_registers(assign, loop, loads, stages);
  fit_computed(assign, loop, loads);
  bool fits = fit_stages(assign, loop, loads, stages, /*separates=*/false, &demand);
  if (!fits && drop_buffers(loads, no_memory)) {
    nereid_pass_remark_missed(assign->pass, loop, "stages",
                              "operands are not computed ahead: with their rings two stages take %ld bytes of shared "
                              "memory, of which %ld are available",
                              (long)demand.bytes, (long)demand.available);
    fits = fit_stages(assign, loop, loads, stages, /*separates=*/false, &demand);
  }
  if (fits)
    keep_second_cta(assign, loop, loads, stages);
  if (fits || fit_stages(assign, loop, loads, 2, /*separates=*/true, &demand)) {
    lengthen_computed(assign, loop, loads);
    return;
  }
  nereid_pass_remark_missed(assign->pass, loop, "stages",
                            "not pipelined: two stages take %ld bytes of shared memory, of which %ld are available; "
                            "smaller tiles would fit",
                            (long)demand.bytes, (long)demand.available);
  for (size_t i = 0; i < loads->size; ++i)
    if (!loads->data[i].obstacle)
      drop(&loads->data[i], no_memory);
}

static bool any_is_copied(const nereid_pipelined_t *loads) {
  for (size_t i = 0; i < loads->size; ++i)
    if (!loads->data[i].obstacle && !loads->data[i].in_registers &&
        nereid_op_kind(loads->data[i].op) == NEREID_OP_TT_LOAD)
      return true;
  return false;
}

/* Loads the factors of results one iteration ahead, if the operands of the dots are: a result would wait for them. They
 * stay in registers where they take few, or are copied to rings next to other copies of the threads, if these leave
 * enough memory. */
static void fit_factors(const assign_t *assign, MlirOperation loop, const nereid_pipelined_t *loads,
                        nereid_pipelined_t *factors) {
  enum { MAX_REGISTERS = 16 /* per thread, for all factors */ };
  nereid_operations_t keys = {0};
  const bool can_copy = any_is_copied(loads);
  int64_t registers = 0;
  collect_keys(loads, assign->pass->scratch, &keys);
  if (!keys.size)
    return;
  const int64_t available = nereid_ring_budget_available(assign->pass->op, loop, &keys);
  for (size_t i = 0; i < factors->size; ++i) {
    nereid_pipelined_op_t *load = &factors->data[i];
    if (load->obstacle)
      continue;
    load->latency = 1;
    nereid_ir_set_integer(load->op, NEREID_ATTR_LATENCY, 1);
    const int64_t value = nereid_load_value_registers(&assign->axis, load->op);
    const bool is_few = value <= FEW_REGISTERS && registers + value <= MAX_REGISTERS;
    if (is_few && mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(load->op))))
      nereid_ir_set_attribute(load->op, NEREID_ATTR_LOOP_IN_REGISTERS, mlirUnitAttrGet(assign->pass->context));
    load->in_registers |= is_few;
    nereid_vector_push(assign->pass->scratch, &keys, load->op);
    if (is_few)
      registers += value;
    else if (load->in_registers || !can_copy)
      drop(load, no_registers);
    else if (nereid_ring_budget_bytes(&keys, false) > available)
      drop(load, no_memory);
    keys.size -= load->obstacle != NULL;
  }
}

/* Sets the latencies for a loop without a dot; loads whose copies do not fit stay. */
static void fit_loads(const assign_t *assign, MlirOperation loop, nereid_pipelined_t *loads, int64_t stages) {
  enum { LEFT_FOR_OTHERS = 8192 /* bytes */ };
  nereid_operations_t keys = {0};
  collect_keys(loads, assign->pass->scratch, &keys);
  int64_t bytes = 0, available = nereid_ring_budget_available(assign->pass->op, loop, &keys);
  const int64_t limit = nereid_allocation_limit(assign->pass->op) - LEFT_FOR_OTHERS;
  available = available < limit ? available : limit;
  set_latencies(loads, stages);
  for (size_t i = 0; i < loads->size; ++i) {
    nereid_pipelined_op_t *load = &loads->data[i];
    if (load->obstacle || load->in_registers)
      continue;
    const int64_t ring = load->latency * nereid_ring_budget_slot_bytes(load->op);
    if (bytes + ring > available)
      drop(load, no_memory);
    else
      bytes += ring;
  }
}

/* --- chains of dots --- */

static bool is_in_default_region(MlirOperation loop) {
  MlirOperation parent = mlirOperationGetParentOperation(loop);
  while (nereid_op_kind(parent) == NEREID_OP_SCF_FOR)
    parent = mlirOperationGetParentOperation(parent);
  return nereid_op_kind(parent) == NEREID_OP_TTG_WARP_SPECIALIZE;
}

/* Lets dots overlap the computation of the operands of the next iteration. */
static void assign_chains(assign_t *assign, MlirOperation loop) {
  nereid_operations_t operands = {0};
  if (!is_in_default_region(loop))
    return;
  nereid_chained_dots_collect(assign->pass, loop, &operands);
  for (size_t i = 0; i < operands.size; ++i) {
    nereid_ir_set_integer(operands.data[i], NEREID_ATTR_LATENCY, 1);
    nereid_pass_remark_passed(assign->pass, operands.data[i], "latency",
                              "computed 1 iteration ahead, while the dot of the iteration before is in flight");
  }
}

/* --- loops --- */

/* The stages of a loop without tt.num_stages; 1: it is not pipelined. */
static int64_t default_stages(const assign_t *assign, MlirOperation loop, bool has_dot) {
  enum { RECURRENCE_STAGES = 4 /* three iterations hide most of the latency of memory */ };
  nereid_recurrence_t recurrence;
  if (has_dot)
    return nereid_pass_option_int(assign->pass, "num-stages");
  return nereid_recurrence_find(loop, &recurrence) ? RECURRENCE_STAGES : 1;
}

static void assign_loop(assign_t *assign, MlirOperation loop) {
  const bool has_dot = nereid_loop_has_dot(loop), is_requested = nereid_ir_has_attribute(loop, NEREID_ATTR_NUM_STAGES);
  const int64_t stages = nereid_ir_integer(loop, NEREID_ATTR_NUM_STAGES, default_stages(assign, loop, has_dot));
  staying_t staying = {assign, loop, NULL};
  nereid_arena_t *scratch = assign->pass->scratch;
  assign_chains(assign, loop);
  if (stages < 2)
    staying.reason = "its loop does not request it: tt.num_stages is less than 2 or missing";
  mlirOperationWalk(loop, remark_staying, &staying, MlirWalkPreOrder);
  nereid_pipelined_t loads = {0};
  if (staying.reason || !nereid_pipelined_collect(loop, has_dot, is_requested, &assign->axis, scratch, &loads))
    return;
  if (has_dot)
    fit_dots(assign, loop, &loads, stages);
  else
    fit_loads(assign, loop, &loads, stages);
  nereid_pipelined_t factors = {0};
  if (has_dot && !is_requested && nereid_pipelined_collect_factors(loop, &assign->axis, &loads, scratch, &factors))
    fit_factors(assign, loop, &loads, &factors);
  remark_loads(assign, &loads);
  remark_loads(assign, &factors);
  for (size_t i = 0; i < loads.size; ++i)
    assign->count += !loads.data[i].obstacle;
  for (size_t i = 0; i < factors.size; ++i)
    assign->count += factors.data[i].latency > 0 && !factors.data[i].obstacle;
}

/* Remarks loads in loops without a trip count, which no pass pipelines. */
static MlirWalkResult remark_uncounted(MlirOperation op, void *user_data) {
  const nereid_pass_t *pass = user_data;
  if (!nereid_ring_is_load(op))
    return MlirWalkResultAdvance;
  MlirOperation loop = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(loop) && nereid_op_kind(loop) != NEREID_OP_SCF_FOR &&
         nereid_op_kind(loop) != NEREID_OP_SCF_WHILE)
    loop = mlirOperationGetParentOperation(loop);
  if (!mlirOperationIsNull(loop) && nereid_op_kind(loop) == NEREID_OP_SCF_WHILE)
    nereid_pass_remark_missed(pass, op, "latency", "not pipelined: its loop may end after any iteration");
  return MlirWalkResultAdvance;
}

MlirLogicalResult nereid_pass_tritongpu_assign_latencies(nereid_pass_t *pass) {
  assign_t assign = {.pass = pass};
  nereid_operations_t loops = {0};
  /* Inner loops, which execute more iterations, take shared memory first. */
  if (!nereid_loop_collect_inner_first(pass->op, pass->scratch, &loops) ||
      (loops.size && nereid_axis_info_run(pass->op, pass->scratch, &assign.axis) != NEREID_OK))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < loops.size; ++i)
    assign_loop(&assign, loops.data[i]);
  if (nereidMlirRemarksEnabled(pass->context))
    mlirOperationWalk(pass->op, remark_uncounted, pass, MlirWalkPreOrder);
  nereid_pass_statistic_add(pass, "loads", assign.count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
