/* Asynchronous operations and their completion, for the race detector.
 *
 * An operation starts at its issue, where its accesses are checked with the issuer's clock. It is in flight until a
 * wait of its issuer or the phase of an mbarrier completes it:
 *
 *   cp.async.wait_group, cp.async.bulk.wait_group,   equivalent to the thread accessing the bytes at the wait
 *   wgmma.wait_group
 *   a phase completed by its bytes or its arrival    the phase is an actor of its own in the clocks; a thread that
 *                                                    observes the phase's completion acquires it
 *
 * cp.async may have both ends: its group, and the arrivals of its thread at mbarriers. What a phase counts also changes
 * the mbarrier, and is therefore ordered after mbarrier.init and before mbarrier.inval.
 *
 * An mbarrier collects the clocks of releasing arrivals and of the operations' issuers, and propagates them when the
 * phase completes. */
#include "emulator/instructions/asynchronous/bulk.h"
#include "emulator/machine/execute.h"
#include "emulator/race/private.h"

#include <stdlib.h>

enum { TRACKED = 2, RECORDS }; /* of an effect: reads, writes, the change of its mbarrier */

/* Returns the mbarrier's slot; mbarriers share slots if there are too many. */
static race_phase_t *phase_of(emu_race_cta_t *cta, uint32_t offset, uint32_t *out_actor) {
  uint32_t i = 0;
  while (i < RACE_PHASES && cta->phases[i].time && cta->phases[i].offset != offset)
    ++i;
  i = i < RACE_PHASES ? i : offset / 8 % RACE_PHASES;
  race_phase_t *phase = &cta->phases[i];
  phase->time += phase->time == 0;
  phase->offset = offset;
  *out_actor = cta->race->n_threads + i;
  return phase;
}

void nereid_emulator_race_mbarrier(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_cta_t *target,
                                   uint32_t offset, emu_race_mbarrier_t what) {
  emu_race_cta_t *cta = warp->cta->race;
  uint32_t actor;
  if (cta->race->failed)
    return;
  nereid_emulator_race_touch(warp, insn, lane, target, offset, 8, true, what == EMU_RACE_INIT ? 0 : RACE_SCOPES);
  race_phase_t *phase = phase_of(target->race, offset, &actor);
  if (what == EMU_RACE_INIT) {
    nereid_emulator_race_clock_drop(phase->pending);
    nereid_emulator_race_clock_drop(phase->done);
    phase->pending = phase->done = NULL;
  } else if (what == EMU_RACE_ARRIVE && !EMU_HAS(insn, relaxed)) {
    race_clock_t *own = nereid_emulator_race_release(cta, warp->index, UINT32_C(1) << lane);
    nereid_emulator_race_clock_learn(cta->race, &phase->pending, own);
    nereid_emulator_race_clock_drop(own);
    cta->times[warp->index]++;
  } else if (what == EMU_RACE_OBSERVE && !EMU_HAS(insn, relaxed)) {
    nereid_emulator_race_learn(cta, warp->index, UINT32_C(1) << lane, phase->done);
  }
}

void nereid_emulator_race_phase(emu_cta_t *target, uint32_t offset) {
  emu_race_cta_t *cta = target->race;
  uint32_t actor;
  race_phase_t *phase = phase_of(cta, offset, &actor);
  race_clock_t *done = nereid_emulator_race_clock_open(cta->race, phase->pending, cta->number);
  race_part_t *part = (race_part_t *)(uintptr_t)nereid_emulator_race_clock_part(done, cta->number);
  if (part)
    part->times[actor] = phase->time;
  nereid_emulator_race_clock_drop(phase->pending);
  nereid_emulator_race_clock_drop(phase->done);
  phase->pending = NULL;
  phase->done = done;
  phase->time++;
}

/* The clock of an operation: its issuers'. */
static race_clock_t *knowledge(const emu_effect_t *effect) {
  emu_race_cta_t *cta = effect->warp->cta->race;
  return nereid_emulator_race_release(cta, effect->warp->index, effect->lanes);
}

void nereid_emulator_race_effect(emu_effect_t *effect, int lane, bool writes, emu_cta_t *target, uint64_t address,
                                 uint64_t bytes) {
  emu_warp_t *warp = effect->warp;
  emu_race_cta_t *cta = warp->cta->race;
  bool whole = effect->kind == EMU_GROUP_WGMMA;
  bool bulk = effect->kind == EMU_GROUP_BULK || effect->kind == EMU_GROUP_NONE;
  bool reduces = writes && bulk && (effect->insn->variant & EMU_REDUCES);
  bool generic = effect->kind == EMU_GROUP_ASYNC || (bulk && !effect->collect); /* cp.async, st.async, red.async */
  uint8_t size = reduces ? (uint8_t)nereid_emulator_type_size((emu_type_t)effect->insn->types[0]) : 0;
  uint8_t kind = (uint8_t)((generic ? RACE_COPY : RACE_ASYNC) | (writes ? RACE_WRITES : 0) | (whole ? RACE_WHOLE : 0) |
                           (reduces ? RACE_ATOMIC : 0));
  uint32_t *record = &effect->races[writes];
  if (!bytes || cta->race->failed)
    return;
  if (!*record)
    *record = nereid_emulator_race_record(cta, warp->index, (uint32_t)(effect->insn - cta->race->program->insns.data),
                                          whole ? 1 : effect->lanes, kind, size, reduces ? RACE_SCOPES : 0);
  if (whole && !effect->clock_at_issue)
    effect->clock_at_issue = knowledge(effect);
  race_access_t it = {.race = cta->race,
                      .cta = cta,
                      .warp = warp->index,
                      .kind = kind,
                      .size = size,
                      .strong = reduces ? RACE_SCOPES : 0,
                      .clock =
                          whole ? effect->clock_at_issue : cta->threads[warp->index * EMU_LANES + (uint32_t)lane].clock,
                      .lane = whole ? 0 : (uint32_t)lane,
                      .target = target ? target->race : NULL,
                      .record = *record};
  if (it.record)
    nereid_emulator_race_range(&it, address, bytes);
}

bool nereid_emulator_race_has_two_ends(const emu_cta_t *cta) {
  return cta->race && cta->race->race->has_two_ends;
}

void nereid_emulator_race_forget_effect(emu_effect_t *effect) {
  for (int i = 0; i < RECORDS; ++i)
    if (effect->races[i])
      effect->warp->cta->race->race->records[effect->races[i]].held = 0;
  nereid_emulator_race_clock_drop(effect->clock_at_issue);
  effect->clock_at_issue = NULL;
}

/* Completes lanes of a record at a time of theirs. */
static void end(emu_race_t *race, race_record_t *record, uint32_t lanes, uint32_t time) {
  bool first = record->flight == record->lanes;
  record->flight &= ~lanes;
  memset(record->seen, 0, sizeof record->seen);
  if (first) {
    record->time = time;
    if (!record->flight)
      return;
  }
  if (record->time == time && !record->times)
    return;
  if (!record->times) {
    record->times = malloc(EMU_LANES * sizeof *record->times);
    if (!record->times) {
      race->failed = true;
      return;
    }
    for (int i = 0; i < EMU_LANES; ++i)
      record->times[i] = record->time;
  }
  for (uint32_t left = lanes; left; left &= left - 1)
    record->times[__builtin_ctz(left)] = time;
}

/* The operation changes the mbarrier when it completes, at any time after its issue: a strong access, like an arrival.
 * The mbarrier's own mechanism performs it, so that it requires no proxy fence after mbarrier.init. */
static void change_mbarrier(emu_effect_t *effect) {
  emu_race_cta_t *cta = effect->warp->cta->race;
  enum { KIND = RACE_COPY | RACE_WRITES | RACE_ATOMIC | RACE_TRACKED, BYTES = 8 };
  race_access_t it = {.race = cta->race,
                      .cta = cta,
                      .warp = effect->warp->index,
                      .kind = KIND,
                      .size = BYTES,
                      .strong = RACE_SCOPES,
                      .target = effect->mbarrier_cta->race,
                      .bytes = BYTES};
  it.record =
      nereid_emulator_race_record(cta, effect->warp->index, (uint32_t)(effect->insn - cta->race->program->insns.data),
                                  effect->lanes, KIND, BYTES, RACE_SCOPES);
  effect->races[TRACKED] = it.record;
  FOR_LANES(lane, it.record ? effect->lanes : 0) {
    it.lane = lane;
    it.clock = cta->threads[effect->warp->index * EMU_LANES + lane].clock;
    it.good = 0;
    nereid_emulator_race_range(&it, effect->mbarrier, BYTES);
  }
}

/* The phase also propagates the issuer's clock: accesses before the operation precede those of threads that observe
 * the phase. */
void nereid_emulator_race_tracked(emu_effect_t *effect) {
  if (!effect->warp->cta->race->race->failed)
    change_mbarrier(effect);
  if (!effect->clock_at_issue)
    effect->clock_at_issue = knowledge(effect);
  effect->warp->cta->race->times[effect->warp->index]++;
}

void nereid_emulator_race_waited(emu_effect_t *effect, uint32_t lanes, bool reads) {
  emu_race_cta_t *cta = effect->warp->cta->race;
  if (effect->order && lanes)
    nereid_emulator_race_wgmma_done(effect);
  for (int writes = 0; writes <= !reads; ++writes) {
    race_record_t *record = effect->races[writes] ? &cta->race->records[effect->races[writes]] : NULL;
    uint32_t ending = record ? record->flight & lanes : 0;
    if (ending)
      end(cta->race, record, ending, cta->times[effect->warp->index]);
  }
}

/* Completes lanes of a record in the current phase of an mbarrier. An earlier phase of it includes later ones. */
static void end_in_phase(emu_race_t *race, race_record_t *record, uint32_t lanes, race_end_t phase) {
  race_end_t *same = NULL;
  for (race_end_t *end = record->phases; end; end = end->next) {
    if (end->cta != phase.cta || end->actor != phase.actor)
      continue;
    lanes &= ~end->lanes;
    same = end->time == phase.time ? end : same;
  }
  if (!lanes)
    return;
  if (!same && (same = malloc(sizeof *same))) {
    *same = phase;
    same->next = record->phases;
    record->phases = same;
  }
  if (same)
    same->lanes |= lanes;
  else
    race->failed = true;
}

void nereid_emulator_race_completed(emu_effect_t *effect, uint32_t lanes, emu_cta_t *target, uint32_t mbarrier) {
  emu_race_t *race = effect->warp->cta->race->race;
  uint32_t actor;
  race_phase_t *phase = phase_of(target->race, mbarrier, &actor);
  nereid_emulator_race_clock_learn(race, &phase->pending, effect->clock_at_issue);
  for (int i = 0; i < RECORDS; ++i) {
    race_record_t *record = effect->races[i] ? &race->records[effect->races[i]] : NULL;
    if (record)
      end_in_phase(race, record, record->lanes & lanes,
                   (race_end_t){.time = phase->time, .cta = target->race->number, .actor = (uint16_t)actor});
  }
}

void nereid_emulator_race_cluster_arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_race_cta_t *cta = warp->cta->race, *first = warp->cta->cluster->ctas[0].race;
  if (EMU_HAS(insn, relaxed))
    return;
  race_clock_t *own = nereid_emulator_race_release(cta, warp->index, mask);
  nereid_emulator_race_clock_learn(cta->race, &first->cluster_pending, own);
  nereid_emulator_race_clock_drop(own);
  cta->times[warp->index]++;
}

void nereid_emulator_race_cluster_done(emu_cluster_t *cluster) {
  emu_race_cta_t *first = cluster->ctas[0].race;
  nereid_emulator_race_clock_drop(first->cluster_done);
  first->cluster_done = first->cluster_pending;
  first->cluster_pending = NULL;
}

void nereid_emulator_race_cluster_leave(emu_warp_t *warp, uint32_t mask) {
  nereid_emulator_race_learn(warp->cta->race, warp->index, mask, warp->cta->cluster->ctas[0].race->cluster_done);
}
