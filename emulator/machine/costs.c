/* Counts what each instruction of the PTX costs; see costs.h.
 *
 *   ld.shared.b32 %r1, [%r2];   executed by 8 warps   ->   8 warps, 256 threads, 8 requests, 16 wavefronts, 8 conflicts
 */
#include "emulator/machine/costs.h"

/* Adds the difference of two counters, for loads and stores. */
static void add_pair(uint64_t sum[2], const uint64_t after[2], const uint64_t before[2]) {
  sum[0] += after[0] - before[0];
  sum[1] += after[1] - before[1];
}

void nereid_emulator_costs_count(emu_cta_t *cta, uint32_t pc, const emu_cost_mark_t *before) {
  const nereid_emulator_counters_t *now = &cta->counters, *then = &before->counters;
  nereid_emulator_cost_t *cost = &cta->costs[pc];
  add_pair(cost->global_requests, now->global_requests, then->global_requests);
  add_pair(cost->global_sectors, now->global_sectors, then->global_sectors);
  add_pair(cost->global_bytes, now->global_bytes, then->global_bytes);
  add_pair(cost->shared_requests, now->shared_requests, then->shared_requests);
  add_pair(cost->shared_wavefronts, now->shared_wavefronts, then->shared_wavefronts);
  add_pair(cost->shared_bytes, now->shared_bytes, then->shared_bytes);
  add_pair(cost->local_bytes, now->local_bytes, then->local_bytes);
  cost->bank_conflicts += cta->bank_conflicts - before->bank_conflicts;
  cost->barriers += now->barriers - then->barriers;
  cost->bulk_copies += now->bulk_copies - then->bulk_copies;
  cost->bulk_bytes += now->bulk_bytes - then->bulk_bytes;
}

void nereid_emulator_costs_add(nereid_emulator_cost_t *sums, const nereid_emulator_cost_t *costs, size_t count) {
  static const uint64_t zero[2];
  for (size_t i = 0; i < count; ++i) {
    nereid_emulator_cost_t *sum = &sums[i];
    const nereid_emulator_cost_t *part = &costs[i];
    sum->warps += part->warps;
    sum->threads += part->threads;
    add_pair(sum->global_requests, part->global_requests, zero);
    add_pair(sum->global_sectors, part->global_sectors, zero);
    add_pair(sum->global_bytes, part->global_bytes, zero);
    add_pair(sum->shared_requests, part->shared_requests, zero);
    add_pair(sum->shared_wavefronts, part->shared_wavefronts, zero);
    add_pair(sum->shared_bytes, part->shared_bytes, zero);
    add_pair(sum->local_bytes, part->local_bytes, zero);
    sum->bank_conflicts += part->bank_conflicts;
    sum->barriers += part->barriers;
    sum->bulk_copies += part->bulk_copies;
    sum->bulk_bytes += part->bulk_bytes;
  }
}

void nereid_emulator_costs_report(const nereid_emulator_program_t *program, nereid_emulator_cost_t *sums,
                                  const nereid_emulator_launch_t *launch) {
  for (size_t pc = 0; pc < program->insns.size; ++pc) {
    const emu_insn_t *insn = &program->insns.data[pc];
    const emu_place_t *source = insn->place ? &program->places.data[insn->place] : NULL;
    sums[pc].place = (nereid_emulator_place_t){.program = program->name,
                                               .source = source ? source->text : NULL,
                                               .line = insn->line,
                                               .source_line = source ? source->line : 0,
                                               .text = nereid_emulator_statement(program, insn)};
    sums[pc].kind = insn->counter_class;
    if (sums[pc].warps)
      launch->cost(launch->user_data, &sums[pc]);
  }
}
