/* Runs both race detectors: the emulator's calls are forwarded to the detector, whose files are included here under
 * other names, and to the naive one. At the end of a launch the results are compared: each byte with a race must be
 * reported, and each report must be a race there. For programs that link the emulator as a library. */
#ifndef NEREID_TEST_BOTH_DETECTORS_H
#define NEREID_TEST_BOTH_DETECTORS_H

#define nereid_emulator_race_create detector_create
#define nereid_emulator_race_results detector_results
#define nereid_emulator_race_request detector_request
#define nereid_emulator_race_fence detector_fence
#define nereid_emulator_race_proxy_fence detector_proxy_fence
#define nereid_emulator_race_warp_sync detector_warp_sync
#define nereid_emulator_race_arrive detector_arrive
#define nereid_emulator_race_leave detector_leave
#define nereid_emulator_race_reset detector_reset
#define nereid_emulator_race_cluster_arrive detector_cluster_arrive
#define nereid_emulator_race_cluster_done detector_cluster_done
#define nereid_emulator_race_cluster_leave detector_cluster_leave
#define nereid_emulator_race_mbarrier detector_mbarrier
#define nereid_emulator_race_phase detector_phase
#define nereid_emulator_race_effect detector_effect
#define nereid_emulator_race_tracked detector_tracked
#define nereid_emulator_race_waited detector_waited
#define nereid_emulator_race_completed detector_completed
#define nereid_emulator_race_forget_effect detector_forget_effect
#define nereid_emulator_race_registers detector_registers
#define nereid_emulator_race_wgmma detector_wgmma
#define nereid_emulator_race_wgmma_fence detector_wgmma_fence
#define nereid_emulator_race_map detector_map
#define nereid_emulator_race_report detector_report
/* NOLINTBEGIN(bugprone-suspicious-include): under other names */
#include "emulator/race/report.c"
#undef nereid_emulator_race_report
#define nereid_emulator_race_report note_report
static void note_report(const race_access_t *access, uint32_t record, uint32_t lane, uint64_t address, uint32_t bytes,
                        nereid_emulator_race_class_t kind);
#include "emulator/race/async.c"
#include "emulator/race/clock.c"
#include "emulator/race/detector.c"
#include "emulator/race/list.c"
#include "emulator/race/record.c"
#include "emulator/race/shadow.c"
#include "emulator/race/sync.c"
#define report report_rule
#define touch touch_map
#include "emulator/race/rules.c"
/* NOLINTEND(bugprone-suspicious-include) */
#undef report
#undef touch
#undef nereid_emulator_race_create
#undef nereid_emulator_race_results
#undef nereid_emulator_race_request
#undef nereid_emulator_race_fence
#undef nereid_emulator_race_proxy_fence
#undef nereid_emulator_race_warp_sync
#undef nereid_emulator_race_arrive
#undef nereid_emulator_race_leave
#undef nereid_emulator_race_reset
#undef nereid_emulator_race_cluster_arrive
#undef nereid_emulator_race_cluster_done
#undef nereid_emulator_race_cluster_leave
#undef nereid_emulator_race_mbarrier
#undef nereid_emulator_race_phase
#undef nereid_emulator_race_effect
#undef nereid_emulator_race_tracked
#undef nereid_emulator_race_waited
#undef nereid_emulator_race_completed
#undef nereid_emulator_race_forget_effect
#undef nereid_emulator_race_registers
#undef nereid_emulator_race_wgmma
#undef nereid_emulator_race_wgmma_fence
#undef nereid_emulator_race_map

#include "test/emulator/race/naive_pairs.h"

/* Functions that the emulator calls; race.h declared them under other names. */
#define BOTH(name, parameters, arguments, naive_call)                                                                  \
  void nereid_emulator_race_##name parameters;                                                                         \
  void nereid_emulator_race_##name parameters {                                                                        \
    detector_##name arguments;                                                                                         \
    naive_call;                                                                                                        \
  }
#define OF_WARP (emu_warp_t * warp, uint32_t mask)
#define OF_INSN (emu_warp_t * warp, const emu_insn_t *insn, uint32_t mask)
#define OF_BARRIER (emu_warp_t * warp, unsigned id, uint32_t mask)
BOTH(request,
     (emu_warp_t * warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
      emu_access_t access, uint8_t *const *places),
     (warp, insn, mask, addresses, bytes, access, places),
     naive_request(warp, insn, mask, addresses, bytes, access, places != NULL))
BOTH(fence, OF_INSN, (warp, insn, mask), naive_fence(warp, insn, mask))
BOTH(proxy_fence, OF_INSN, (warp, insn, mask), naive_proxy_fence(warp, insn, mask))
BOTH(warp_sync, OF_WARP, (warp, mask), naive_warp_sync(warp, mask))
BOTH(arrive, OF_BARRIER, (warp, id, mask), naive_arrive(warp, id, mask))
BOTH(leave, OF_BARRIER, (warp, id, mask), naive_leave(warp, id, mask))
BOTH(reset, (emu_cta_t * cta, unsigned id), (cta, id), naive_reset(cta, id))
BOTH(cluster_arrive, OF_INSN, (warp, insn, mask), naive_cluster_arrive(warp, insn, mask))
BOTH(cluster_done, (emu_cluster_t * cluster), (cluster), naive_cluster_done(cluster))
BOTH(cluster_leave, OF_WARP, (warp, mask), naive_cluster_leave(warp, mask))
BOTH(mbarrier,
     (emu_warp_t * warp, const emu_insn_t *insn, int lane, emu_cta_t *target, uint32_t offset,
      emu_race_mbarrier_t event),
     (warp, insn, lane, target, offset, event), naive_mbarrier(warp, insn, lane, target, offset, event))
BOTH(phase, (emu_cta_t * target, uint32_t offset), (target, offset), naive_phase(target, offset))
BOTH(effect, (emu_effect_t * effect, int lane, bool writes, emu_cta_t *target, uint64_t address, uint64_t bytes),
     (effect, lane, writes, target, address, bytes), naive_effect(effect, lane, writes, target, address, bytes))
BOTH(tracked, (emu_effect_t * effect), (effect), naive_tracked(effect))
BOTH(waited, (emu_effect_t * effect, uint32_t lanes, bool reads), (effect, lanes, reads),
     naive_waited(effect, lanes, reads))
BOTH(completed, (emu_effect_t * effect, uint32_t lanes, emu_cta_t *target, uint32_t mbarrier),
     (effect, lanes, target, mbarrier), naive_completed(effect, lanes, target, mbarrier))
BOTH(forget_effect, (emu_effect_t * effect), (effect), naive_forget(effect))
BOTH(registers, (emu_warp_t * warp, const emu_insn_t *insn), (warp, insn), naive_step(warp, NAIVE_TOUCH, insn, NULL))
BOTH(wgmma, (emu_effect_t * effect), (effect), naive_step(effect->warp, NAIVE_WGMMA, effect->insn, effect))
BOTH(wgmma_fence, (emu_warp_t * warp), (warp), naive_step(warp, NAIVE_FENCE, NULL, NULL))
BOTH(map,
     (emu_warp_t * warp, const emu_insn_t *insn, int lane, const emu_cta_t *target, uint64_t address,
      emu_race_map_t event),
     (warp, insn, lane, target, address, event), naive_map(warp, insn, lane, target, address, event))
#undef BOTH

static struct {
  NEREID_VECTOR(naive_pair_t) notes; /* the detector's reports, for each byte once */
  uint32_t *slots;                   /* of notes, + 1: open addressing */
  size_t capacity;
  NEREID_VECTOR(nereid_emulator_race_t) races; /* the naive one's */
  size_t disagreements;
} both;

emu_race_t *nereid_emulator_race_create(const nereid_emulator_kernel_t *kernel, const nereid_emulator_launch_t *launch);
size_t nereid_emulator_race_results(const emu_race_t *race, const nereid_emulator_race_t **out_races);

emu_race_t *nereid_emulator_race_create(const nereid_emulator_kernel_t *kernel,
                                        const nereid_emulator_launch_t *launch) {
  free(both.slots);
  memset(&both, 0, sizeof both);
  naive_begin(kernel->program, launch);
  return detector_create(kernel, launch);
}

static size_t note_slot(const naive_pair_t *it) {
  uint64_t hash = (it->at * 31 + (uint64_t)it->earlier) * 31 + (uint64_t)it->later * 4 + (uint64_t)it->kind;
  size_t at = hash * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (both.capacity - 1);
  while (both.slots[at] && naive_by_byte(&both.notes.data[both.slots[at] - 1], it) != 0)
    at = (at + 1) & (both.capacity - 1);
  return at;
}

static void note(naive_pair_t pair) {
  if (both.notes.size * 2 >= both.capacity) {
    free(both.slots);
    both.capacity = both.capacity ? both.capacity * 4 : 1 << 12;
    both.slots = calloc(both.capacity, sizeof *both.slots);
    NAIVE_REQUIRE(both.slots != NULL);
    for (size_t i = 0; i < both.notes.size; ++i)
      both.slots[note_slot(&both.notes.data[i])] = (uint32_t)i + 1;
  }
  size_t slot = note_slot(&pair);
  if (both.slots[slot])
    return;
  naive_push(&both.notes, pair);
  both.slots[slot] = (uint32_t)both.notes.size;
}

static void note_report(const race_access_t *access, uint32_t record, uint32_t lane, uint64_t address, uint32_t bytes,
                        nereid_emulator_race_class_t kind) {
  const race_record_t *earlier = &access->race->records[record], *later = &access->race->records[access->record];
  uint64_t space = access->target ? (uint64_t)access->target->number << 48 : UINT64_C(1) << 63;
  naive_pair_t pair = {
      .at = NAIVE_AT_RULE | later->pc, .earlier = (int)earlier->pc, .later = (int)later->pc, .kind = kind};
  if (!bytes)
    note(pair);
  for (uint32_t i = 0; i < bytes; ++i) {
    pair.at = space | (address + i);
    note(pair);
  }
  detector_report(access, record, lane, address, bytes, kind);
}

static void both_disagree(const char *how, const naive_pair_t *it) {
  const emu_insn_t *insns = naive.program->insns.data;
  if (both.disagreements++ < 20)
    fprintf(stderr, "the detectors disagree: %s: %s at 0x%llx, lines %u and %u\n", how, classes[it->kind],
            (unsigned long long)it->at, insns[it->earlier].line, insns[it->later].line);
}

static void both_compare(void) {
  const naive_pair_t *pairs = naive.pairs.data, *notes = both.notes.data;
  size_t n_pairs = naive.pairs.size, n_notes = both.notes.size;
  if (n_notes)
    qsort(both.notes.data, n_notes, sizeof *notes, naive_by_byte);
  for (size_t i = 0, k = 0; i < n_notes; ++i) {
    while (k < n_pairs && naive_by_byte(&pairs[k], &notes[i]) < 0)
      ++k;
    if (k == n_pairs || naive_by_byte(&pairs[k], &notes[i]) != 0)
      both_disagree("it reports what is no race", &notes[i]);
  }
  for (size_t i = 0, k = 0; i < n_pairs; ++i) {
    while (k < n_notes && notes[k].at < pairs[i].at)
      ++k;
    if (pairs[i].doubt == NAIVE_SURE && (k == n_notes || notes[k].at != pairs[i].at))
      both_disagree("it misses", &pairs[i]);
  }
}

static nereid_emulator_race_side_t both_side(const emu_race_t *race, int pc, int thread, uint8_t kind) {
  const naive_thread_t *it = &naive.threads.data[thread];
  int first = thread;
  while (first > 0 && naive.threads.data[first - 1].cta == it->cta)
    --first;
  uint32_t in_cta = (uint32_t)(thread - first);
  race_record_t record = {.pc = (uint32_t)pc, .cta = (uint32_t)it->cta, .kind = kind};
  record.warp = (uint16_t)(in_cta / EMU_LANES);
  return side(race, &record, in_cta % EMU_LANES);
}

/* The naive detector's pairs, one per pair of instructions. */
static void both_gather(const emu_race_t *race) {
  for (size_t i = 0; i < naive.pairs.size; ++i) {
    const naive_pair_t *it = &naive.pairs.data[i];
    const char *earlier = naive.program->insns.data[it->earlier].text,
               *later = naive.program->insns.data[it->later].text;
    size_t k = 0;
    if (it->doubt == NAIVE_ONE_VALUE)
      continue;
    while (k < both.races.size &&
           !(both.races.data[k].kind == it->kind && both.races.data[k].earlier.text.data == earlier &&
             both.races.data[k].later.text.data == later))
      ++k;
    if (k < both.races.size) {
      both.races.data[k].count++;
      continue;
    }
    naive_push(&both.races,
               (nereid_emulator_race_t){.kind = it->kind,
                                        .space = it->at >> 63 ? "global" : "shared",
                                        .address = it->at & ((UINT64_C(1) << 48) - 1),
                                        .bytes = it->at & NAIVE_AT_RULE ? 0 : 1,
                                        .count = 1,
                                        .earlier = both_side(race, it->earlier, it->threads[0], it->kinds[0]),
                                        .later = both_side(race, it->later, it->threads[1], it->kinds[1])});
  }
}

size_t nereid_emulator_race_results(const emu_race_t *race, const nereid_emulator_race_t **out_races) {
  naive_end();
  both_compare();
  both_gather(race);
  *out_races = both.races.data;
  return both.races.size;
}

#endif
