/* mbarriers, with the GPU's semantics.
 *
 *   word   0-15 arrivals of a phase | 16-31 pending arrivals | 32 parity of the phase | 33-63 pending bytes
 *
 * A phase completes when no arrivals and no bytes are pending. A wait for an incomplete phase lets the other
 * partitions of ttg.warp_specialize run. If none can, the program would hang, and the wait is an error. */
#include "interpreter/machine.h"

#include "base/bits.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttng.h"

typedef struct barrier {
  uint64_t count, missing, parity;
  int64_t bytes;
} barrier_t;

static barrier_t read_barrier(const nereid_slot_t *slot) {
  const uint64_t word = *nereid_machine_local_word(slot);
  return (barrier_t){.count = word & 0xffff,
                     .missing = word >> 16 & 0xffff,
                     .parity = word >> 32 & 1,
                     .bytes = nereid_bits_signed(word >> 33, 31)};
}

/* Writes the barrier and starts the next phase if this one is complete. */
static void write_barrier(nereid_machine_t *machine, const nereid_slot_t *slot, barrier_t barrier) {
  if (barrier.missing == 0 && barrier.bytes == 0) {
    barrier.missing = barrier.count;
    barrier.parity ^= 1;
  }
  *nereid_machine_local_word(slot) =
      barrier.count | barrier.missing << 16 | barrier.parity << 32 | (uint64_t)barrier.bytes << 33;
  ++machine->progress;
}

static bool arrive(nereid_machine_t *machine, const nereid_step_t *step, const nereid_slot_t *slot, uint64_t count,
                   int64_t bytes) {
  barrier_t barrier = read_barrier(slot);
  if (barrier.count == 0)
    return nereid_machine_error(step, "uses a barrier that was not initialized");
  if (count > barrier.missing)
    return nereid_machine_error(step, "arrives %llu times at a phase with %llu of %llu arrivals pending",
                                (unsigned long long)count, (unsigned long long)barrier.missing,
                                (unsigned long long)barrier.count);
  barrier.missing -= count;
  barrier.bytes += bytes;
  write_barrier(machine, slot, barrier);
  return true;
}

bool nereid_machine_complete_bytes(nereid_machine_t *machine, const nereid_step_t *step, const nereid_slot_t *slot,
                                   uint64_t bytes) {
  return arrive(machine, step, slot, 0, -(int64_t)bytes);
}

static bool init_barrier(nereid_machine_t *machine, const nereid_step_t *step) {
  const uint64_t count = (uint64_t)nereid_ttng_init_barrier_get_count(step->op);
  if (count == 0 || count > 0xffff)
    return nereid_machine_error(step, "counts %llu arrivals; the interpreter takes 1 to 65535",
                                (unsigned long long)count);
  *nereid_machine_local_word(step->operands[0]) = count | count << 16;
  ++machine->progress;
  return true;
}

static bool inval_barrier(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine;
  *nereid_machine_local_word(step->operands[0]) = 0;
  return true;
}

static bool is_on(const nereid_machine_t *machine, MlirValue predicate) {
  const nereid_slot_t *slot = nereid_machine_slot(machine, predicate);
  return !slot || slot->words[0];
}

static bool barrier_expect(nereid_machine_t *machine, const nereid_step_t *step) {
  return !is_on(machine, nereid_ttng_barrier_expect_get_pred(step->op)) ||
         arrive(machine, step, step->operands[0], 1, nereid_ttng_barrier_expect_get_size(step->op));
}

static bool arrive_barrier(nereid_machine_t *machine, const nereid_step_t *step) {
  const bool ctas = !mlirAttributeIsNull(nereid_ttng_arrive_barrier_get_ctas_attr(step->op));
  int32_t arrivals = nereid_ttng_arrive_barrier_get_count(step->op);
  if (nereid_ttng_arrive_barrier_get_per_warp(step->op))
    arrivals *= nereid_ttg_num_warps(step->op);
  if (ctas) /* all CTAs of the cluster are one program: as many arrive here */
    arrivals *= nereid_bit_count((uint32_t)nereid_ttng_arrive_barrier_get_ctas(step->op));
  return !is_on(machine, nereid_ttng_arrive_barrier_get_pred(step->op)) ||
         arrive(machine, step, step->operands[0], (uint64_t)arrivals, 0);
}

static bool wait_barrier(nereid_machine_t *machine, const nereid_step_t *step) {
  const uint64_t parity = step->operands[1]->words[0] & 1;
  if (!is_on(machine, nereid_ttng_wait_barrier_get_pred(step->op)))
    return true;
  while (read_barrier(step->operands[0]).parity == parity)
    switch (nereid_machine_yield(machine)) {
    case NEREID_YIELD_AGAIN:
      break;
    case NEREID_YIELD_STUCK:
      return nereid_machine_error(step, "waits forever in program (%u, %u, %u): nothing can complete the phase",
                                  machine->program[0], machine->program[1], machine->program[2]);
    case NEREID_YIELD_STOP:
      return false;
    }
  return true;
}

/* All threads arrive when their copies complete, which is at issue. Without `noIncrement` that changes nothing. */
static bool copy_arrive(nereid_machine_t *machine, const nereid_step_t *step) {
  enum { LANES = 32 };
  const uint64_t threads = (uint64_t)nereid_ttg_num_warps(step->op) * LANES;
  return !nereid_ttng_async_copy_mbarrier_arrive_get_no_increment(step->op) ||
         arrive(machine, step, step->operands[0], threads, 0);
}

static bool nothing(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine, (void)step;
  return true;
}

const nereid_machine_row_t nereid_machine_barrier_rows[] = {
    {.kind = NEREID_OP_TTNG_INIT_BARRIER, .run = init_barrier},
    {.kind = NEREID_OP_TTNG_INVAL_BARRIER, .run = inval_barrier},
    {.kind = NEREID_OP_TTNG_BARRIER_EXPECT, .run = barrier_expect},
    {.kind = NEREID_OP_TTNG_ARRIVE_BARRIER, .run = arrive_barrier},
    {.kind = NEREID_OP_TTNG_WAIT_BARRIER, .run = wait_barrier},
    {.kind = NEREID_OP_TTNG_ASYNC_COPY_MBARRIER_ARRIVE, .run = copy_arrive},
    {.kind = NEREID_OP_TTNG_CLUSTER_ARRIVE, .run = nothing},
    {.kind = NEREID_OP_TTNG_CLUSTER_WAIT, .run = nothing},
    {.kind = NEREID_OP_TTNG_CLUSTER_BARRIER, .run = nothing},
    {.kind = NEREID_OP_TTNG_FENCE_MBARRIER_INIT_RELEASE_CLUSTER, .run = nothing},
    {.kind = NEREID_OP_UNKNOWN},
};
