/* ttng.init_barrier, inval_barrier, barrier_expect, arrive_barrier, wait_barrier, async_copy_mbarrier_arrive:
 * mbarriers.
 *
 *   ttng.init_barrier %b, 2          if (thread == 0)  mbarrier.init.shared.b64 [%b], 2
 *   ttng.arrive_barrier %b, 1   ->   if (thread == 0)  mbarrier.arrive.shared.b64 s, [%b]
 *   ttng.wait_barrier %b, %p         again: mbarrier.try_wait.parity.shared.b64 done, [%b], %p;  @!done bra again
 *
 * The first thread of the warps that run the op acts for all of them; barriers of analysis/membar/membar.h order the
 * accesses of the others. All threads wait. An arrival releases and a wait acquires at the scope of the CTA, the
 * default of the instructions (PTX ISA, "mbarrier.arrive", "mbarrier.try_wait"), also at mbarriers of other CTAs: such
 * an arrival releases slots that have been read. ptxas precedes a release at the scope of the cluster by a wait for all
 * earlier accesses, which made a matrix multiplication 17 % slower on an H200. Before sm_90 waits do not sleep, and an
 * arrival with a count above 1 takes two steps, of which the second may complete the phase. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/memory.h"
#include "conversion/ttg_to_llvm/memory/shared.h"
#include "conversion/ttg_to_llvm/shuffle.h"

#include "analysis/access/ring_phase.h"
#include "base/bits.h"
#include "base/target_facts.h"

#include "nereid/dialects/ttng.h"

static bool has_try_wait(const nereid_lower_t *lower) {
  return nereid_target_has_mbarrier_try_wait(lower->module->options.capability);
}

static MlirValue first_thread(nereid_lower_t *lower) {
  return nereid_emit_icmp(lower, NEREID_ICMP_EQ, lower->group->thread_id, nereid_emit_i32(lower, 0));
}

/* Whether the executing warp is the first one. */
static MlirValue is_first_warp(nereid_lower_t *lower) {
  return nereid_emit_icmp(lower, NEREID_ICMP_ULT, nereid_shuffle_first_thread(lower),
                          nereid_emit_i32(lower, lower->group->grid.threads_per_warp));
}

/* The i1 of an optional operand, which is null in the result, too. */
static MlirValue predicate_of(nereid_lower_t *lower, MlirValue predicate) {
  return mlirValueIsNull(predicate) ? predicate : nereid_lower_get(lower, predicate).values[0];
}

/* Begins code for one thread, if `predicate` (null: always) holds. */
static MlirBlock begin_one(nereid_lower_t *lower, MlirValue predicate) {
  return nereid_lower_begin_if(lower, nereid_lower_both(lower, first_thread(lower), predicate_of(lower, predicate)));
}

static bool lower_init(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue operands[] = {nereid_shared_base(lower, nereid_ttng_init_barrier_get_alloc(op)),
                          nereid_emit_i32(lower, nereid_ttng_init_barrier_get_count(op))};
  MlirBlock rest = begin_one(lower, (MlirValue){NULL});
  nereid_emit_intrinsic(lower, "llvm.nvvm.mbarrier.init.shared", (MlirType){NULL}, 2, operands);
  nereid_lower_end_if(lower, rest);
  return true;
}

static bool lower_inval(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue barrier = nereid_shared_base(lower, nereid_ttng_inval_barrier_get_alloc(op));
  MlirBlock rest = begin_one(lower, (MlirValue){NULL});
  nereid_emit_intrinsic(lower, "llvm.nvvm.mbarrier.inval.shared", (MlirType){NULL}, 1, &barrier);
  nereid_lower_end_if(lower, rest);
  return true;
}

/* A partition, as the producer of a divided loop, waits for an empty slot before it expects bytes. The threads that
 * copy nothing must be past that wait: when the slot has been filled and emptied, they would wait for a phase that
 * never completes. */
static void emit_end_of_waits(nereid_lower_t *lower) {
  if (mlirValueIsNull(lower->group->barrier))
    return;
  if (lower->group->grid.num_warps == 1)
    nereid_emit_warp_barrier(lower);
  else
    nereid_emit_barrier(lower);
}

static bool lower_expect(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (!has_try_wait(lower))
    return nereid_lower_error(op, "announces bytes to an mbarrier, which needs sm_90: expected arrivals only");
  MlirValue operands[] = {nereid_shared_base(lower, nereid_ttng_barrier_expect_get_alloc(op)),
                          nereid_emit_i32(lower, nereid_ttng_barrier_expect_get_size(op))};
  emit_end_of_waits(lower);
  MlirBlock rest = begin_one(lower, nereid_ttng_barrier_expect_get_pred(op));
  nereid_emit_asm(lower, "mbarrier.arrive.expect_tx.shared.b64 _, [$0], $1;", "r,r,~{memory}", true, 0, NULL, 2,
                  operands, NULL);
  nereid_lower_end_if(lower, rest);
  return true;
}

static void emit_arrivals(nereid_lower_t *lower, MlirValue barrier, int32_t count) {
  MlirValue operands[] = {barrier, nereid_emit_i32(lower, count)};
  if (count > 1 && has_try_wait(lower)) {
    nereid_emit_asm(lower, "mbarrier.arrive.shared.b64 _, [$0], $1;", "r,r,~{memory}", true, 0, NULL, 2, operands,
                    NULL);
    return;
  }
  operands[1] = nereid_emit_i32(lower, count - 1);
  if (count > 1)
    nereid_emit_intrinsic(lower, "llvm.nvvm.mbarrier.arrive.noComplete.shared", lower->types->i64, 2, operands);
  nereid_emit_intrinsic(lower, "llvm.nvvm.mbarrier.arrive.shared", lower->types->i64, 1, operands);
}

/* --- arrivals in other CTAs --- */

enum { RANK_BITS = 4, MAX_CTAS = 16 };

/* Xor of the numbers of this CTA and the one at whose mbarrier lane `lane` arrives: element `lane` of the set, from a
 * table of four bits per element. */
static MlirValue emit_difference(nereid_lower_t *lower, uint32_t ctas, MlirValue lane) {
  const int n = nereid_bit_count(ctas);
  uint64_t table = 0;
  if (ctas == (UINT32_C(1) << n) - 1)
    return lane;
  for (int x = 0, i = 0; x < MAX_CTAS; ++x)
    if (ctas >> x & 1)
      table |= (uint64_t)x << RANK_BITS * i++;
  MlirValue index = nereid_emit_and(lower, lane, nereid_emit_i32(lower, MAX_CTAS - 1));
  MlirValue shift = nereid_emit_cast(lower, "llvm.zext", lower->types->i64,
                                     nereid_emit_mul(lower, index, nereid_emit_i32(lower, RANK_BITS)));
  MlirValue moved = nereid_emit_lshr(lower, nereid_emit_int(lower, lower->types->i64, (int64_t)table), shift);
  return nereid_emit_and(lower, nereid_emit_cast(lower, "llvm.trunc", lower->types->i32, moved),
                         nereid_emit_i32(lower, MAX_CTAS - 1));
}

/* Each of the first lanes arrives at the mbarrier of one of the CTAs: those of the first warp, for all warps, or those
 * of each warp, after the accesses of its other lanes. */
static bool emit_arrivals_in_cluster(nereid_lower_t *lower, MlirOperation op, MlirValue holds) {
  const uint32_t ctas = (uint32_t)nereid_ttng_arrive_barrier_get_ctas(op);
  MlirValue lane = lower->group->thread_id;
  if (nereid_ttng_arrive_barrier_get_per_warp(op)) {
    nereid_emit_warp_barrier(lower);
    lane = nereid_emit_and(lower, lane, nereid_emit_i32(lower, 31));
  }
  MlirValue arrives = nereid_emit_icmp(lower, NEREID_ICMP_ULT, lane, nereid_emit_i32(lower, nereid_bit_count(ctas)));
  MlirValue operands[] = {nereid_shared_base(lower, nereid_ttng_arrive_barrier_get_alloc(op)),
                          nereid_lower_both(lower, arrives, holds),
                          nereid_emit_xor(lower, nereid_emit_cta_rank(lower), emit_difference(lower, ctas, lane)),
                          nereid_emit_i32(lower, nereid_ttng_arrive_barrier_get_count(op))};
  nereid_emit_asm(lower,
                  "{ .reg .b32 there; @$1 mapa.shared::cluster.u32 there, $0, $2; "
                  "@$1 mbarrier.arrive.shared::cluster.b64 _, [there], $3; }",
                  "r,b,r,r,~{memory}", true, 0, NULL, 4, operands, NULL);
  return true;
}

/* The first lane of each warp arrives, after the accesses of the other lanes. A predicated instruction instead of a
 * branch: dots in flight pass their registers over it. */
static bool lower_arrive_per_warp(nereid_lower_t *lower, MlirOperation op) {
  const int32_t count = nereid_ttng_arrive_barrier_get_count(op);
  MlirValue holds = predicate_of(lower, nereid_ttng_arrive_barrier_get_pred(op));
  if (count > 1 && !has_try_wait(lower))
    return nereid_lower_error(op, "arrives %d times per warp, which needs sm_90: expected a count of 1", count);
  if (!mlirAttributeIsNull(nereid_ttng_arrive_barrier_get_ctas_attr(op)))
    return emit_arrivals_in_cluster(lower, op, holds);
  nereid_emit_warp_barrier(lower);
  MlirValue lane = nereid_emit_binary(lower, "llvm.and", lower->group->thread_id, nereid_emit_i32(lower, 31));
  MlirValue first = nereid_emit_icmp(lower, NEREID_ICMP_EQ, lane, nereid_emit_i32(lower, 0));
  MlirValue operands[] = {nereid_shared_base(lower, nereid_ttng_arrive_barrier_get_alloc(op)),
                          nereid_lower_both(lower, first, holds), nereid_emit_i32(lower, count)};
  nereid_emit_asm(lower,
                  count > 1 ? "@$1 mbarrier.arrive.shared.b64 _, [$0], $2;"
                            : "{ .reg .b64 state; @$1 mbarrier.arrive.shared.b64 state, [$0]; }",
                  count > 1 ? "r,b,r,~{memory}" : "r,b,~{memory}", true, 0, NULL, count > 1 ? 3 : 2, operands, NULL);
  return true;
}

static bool lower_arrive(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (nereid_ttng_arrive_barrier_get_per_warp(op))
    return lower_arrive_per_warp(lower, op);
  if (!mlirAttributeIsNull(nereid_ttng_arrive_barrier_get_ctas_attr(op)))
    return emit_arrivals_in_cluster(lower, op, predicate_of(lower, nereid_ttng_arrive_barrier_get_pred(op)));
  MlirValue barrier = nereid_shared_base(lower, nereid_ttng_arrive_barrier_get_alloc(op));
  MlirBlock rest = begin_one(lower, nereid_ttng_arrive_barrier_get_pred(op));
  emit_arrivals(lower, barrier, nereid_ttng_arrive_barrier_get_count(op));
  nereid_lower_end_if(lower, rest);
  return true;
}

/* A predicated wait is one instruction sequence, too: a dot in flight passes its registers over it, but not over a
 * branch of the function. */
static bool lower_wait(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue predicate = predicate_of(lower, nereid_ttng_wait_barrier_get_pred(op));
  int64_t parity;
  if (nereid_ring_constant(nereid_ttng_wait_barrier_get_phase(op), &parity) && parity != 0 && parity != 1)
    return nereid_lower_error(op, "waits for phase %lld: expected the parity of the phase, 0 or 1", (long long)parity);
  if (nereid_ttng_wait_barrier_get_first_warp(op))
    predicate = nereid_lower_both(lower, is_first_warp(lower), predicate);
  const bool always = mlirValueIsNull(predicate);
  MlirValue operands[3] = {nereid_shared_base(lower, nereid_ttng_wait_barrier_get_alloc(op)),
                           nereid_lower_get(lower, nereid_ttng_wait_barrier_get_phase(op)).values[0]};
  if (!always)
    operands[2] = predicate;
  const char *text = nereid_arena_format(
      lower->arena,
      "{ .reg .pred done; %sagain: mbarrier.%s_wait.parity.shared.b64 done, [$0], $1; @!done bra again;%s }",
      always ? "" : "@!$2 bra over; ", has_try_wait(lower) ? "try" : "test", always ? "" : " over:");
  if (!text)
    return false;
  nereid_emit_asm(lower, text, always ? "r,r,~{memory}" : "r,r,b,~{memory}", true, 0, NULL, always ? 2 : 3, operands,
                  NULL);
  return true;
}

/* Every thread arrives for its own copies. */
static bool lower_copy_arrive(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue barrier = nereid_shared_base(lower, nereid_ttng_async_copy_mbarrier_arrive_get_barrier(op));
  nereid_emit_intrinsic(lower,
                        nereid_ttng_async_copy_mbarrier_arrive_get_no_increment(op)
                            ? "llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared"
                            : "llvm.nvvm.cp.async.mbarrier.arrive.shared",
                        (MlirType){NULL}, 1, &barrier);
  return true;
}

const nereid_lower_row_t nereid_lower_mbarrier_rows[] = {
    {NEREID_OP_TTNG_INIT_BARRIER, lower_init, NULL},
    {NEREID_OP_TTNG_INVAL_BARRIER, lower_inval, NULL},
    {NEREID_OP_TTNG_BARRIER_EXPECT, lower_expect, NULL},
    {NEREID_OP_TTNG_ARRIVE_BARRIER, lower_arrive, NULL},
    {NEREID_OP_TTNG_WAIT_BARRIER, lower_wait, NULL},
    {NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE, lower_copy_arrive, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
