/* The clocks of warps, and the events that they give: see timeline.h.
 *
 *   producer  |issue|  run      |wait empty .......|issue|       issue: TMA, arrivals, commits; one step each
 *   TMA             |===== in flight =====|                      until the wait that requires its mbarrier
 *   consumer  |wait full|  run            |wait full|issue|
 *   wgmma                                           |== in flight ==|
 *
 * A warp's clock advances by one step per instruction; its groups of lanes share it, as they share the issue slots. */
#include "emulator/machine/execute.h"
#include "emulator/machine/mbarrier.h"
#include "emulator/timeline/private.h"

enum { GROUP_WARPS = 4 };

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static emu_moment_t moment_of(const emu_timeline_t *timeline, const emu_insn_t *insn) {
  return (emu_moment_t)timeline->moments[insn - timeline->program->insns.data];
}

/* --- runs of other instructions --- */

static void end_run(const emu_warp_t *warp, emu_clock_t *clock) {
  clock->run.end = clock->now;
  if (clock->run.insn)
    nereid_emulator_timeline_record(warp, clock->run);
  clock->run.insn = NULL;
}

/* Whether the instructions have one source line; those without a location belong to any. */
static bool same_line(const emu_place_t *places, const emu_insn_t *a, const emu_insn_t *b) {
  const char *one = a->place ? places[a->place].text : NULL, *other = b->place ? places[b->place].text : NULL;
  return !one || !other || strcmp(one, other) == 0;
}

/* Adds an instruction to the run, which has one source line. */
static void extend_run(const emu_warp_t *warp, emu_clock_t *clock, const emu_insn_t *insn, uint32_t mask) {
  const emu_place_t *places = warp->cta->kernel->program->places.data;
  if (clock->run.insn && !same_line(places, clock->run.insn, insn))
    end_run(warp, clock);
  if (!clock->run.insn)
    clock->run = (emu_event_t){
        .kind = NEREID_EMULATOR_EVENT_RUN, .begin = clock->now, .insn = insn, .lanes = mask, .complete = true};
  else if (!clock->run.insn->place && insn->place)
    clock->run.insn = insn;
  clock->run.count++;
  clock->now++;
}

/* --- waits --- */

static void begin_wait(const emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_clock_t *clock = emu_clock_of(warp);
  for (uint32_t i = 0; i < clock->n_waits; ++i)
    if (clock->waits[i].insn == insn && clock->waits[i].mask & mask) { /* executed again */
      clock->waits[i].mask |= mask;
      return;
    }
  if (clock->n_waits < EMU_LANES)
    clock->waits[clock->n_waits++] = (emu_pending_t){insn, clock->now, mask};
}

/* Removes the wait of these lanes and returns its begin; the warp's time when they did not have to wait. */
static uint64_t end_wait(emu_clock_t *clock, const emu_insn_t *insn, uint32_t mask) {
  uint64_t begin = clock->now;
  for (uint32_t i = 0; i < clock->n_waits; ++i)
    if (clock->waits[i].insn == insn && clock->waits[i].mask & mask) {
      begin = begin < clock->waits[i].begin ? begin : clock->waits[i].begin;
      clock->waits[i--] = clock->waits[--clock->n_waits];
    }
  return begin;
}

/* The event of the warp's last wait if it was not successful and `insn` executes it again; else null. */
static emu_event_t *failed_wait(const emu_warp_t *warp, const emu_insn_t *insn) {
  const emu_clock_t *clock = emu_clock_of(warp);
  emu_event_t *failed = clock->failed ? &warp->cta->cluster->timeline->events.data[clock->failed - 1] : NULL;
  return failed && failed->insn == insn ? failed : NULL;
}

/* Ends the run before a wait; the branch back to a failed wait belongs to the wait. */
static void end_run_before(const emu_warp_t *warp, emu_clock_t *clock, const emu_insn_t *insn) {
  enum { POLLING = 2 };
  if (clock->run.count <= POLLING && failed_wait(warp, insn))
    clock->run.insn = NULL;
  end_run(warp, clock);
}

/* Records a wait for an event at time `happened`, and advances the clock past it. A wait that is executed again after
 * it has timed out, or failed in a polling loop, continues its event. */
static void pass(const emu_warp_t *warp, emu_event_t event, uint64_t happened) {
  emu_clock_t *clock = emu_clock_of(warp);
  emu_event_t *failed = failed_wait(warp, event.insn);
  end_run_before(warp, clock, event.insn);
  event.begin = end_wait(clock, event.insn, event.lanes);
  event.end = clock->now = later(clock->now, happened) + 1;
  if (failed && failed->lanes == event.lanes && failed->barrier == event.barrier && failed->phase == event.phase) {
    failed->end = event.end;
    failed->complete = event.complete;
    clock->failed = event.complete ? 0 : clock->failed;
    return;
  }
  const size_t number = nereid_emulator_timeline_record(warp, event);
  clock->failed = event.complete ? clock->failed : number;
}

static void pass_mbarrier(const emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const int lane = __builtin_ctz(mask);
  const uint64_t phase = emu_lane(warp, &insn->operands[2], lane);
  const uint32_t parity = insn->operands[2].size == 8 ? emu_mbarrier_parity(phase) : (uint32_t)phase & 1;
  emu_event_t event = {.kind = NEREID_EMULATOR_EVENT_MBARRIER,
                       .insn = insn,
                       .lanes = mask,
                       .barrier = (uint32_t)emu_address(warp, insn, 1, lane) & EMU_OFFSET_MASK,
                       .phase = (uint8_t)parity,
                       .complete = (emu_predicate(warp, &insn->operands[0]) & mask) == mask};
  const emu_mbarrier_t *mbarrier = emu_mbarrier_find(warp->cta, event.barrier);
  pass(warp, event, event.complete && mbarrier ? mbarrier->completed[parity] : 0);
}

/* --- instructions --- */

void nereid_emulator_timeline_before(emu_warp_t *warp) {
  warp->cta->cluster->timeline->now = emu_clock_of(warp)->now;
}

void nereid_emulator_timeline_after(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, emu_next_t next) {
  emu_timeline_t *timeline = warp->cta->cluster->timeline;
  emu_clock_t *clock = emu_clock_of(warp);
  const emu_moment_t moment = mask ? moment_of(timeline, insn) : EMU_MOMENT_RUN;
  emu_event_t event = {.insn = insn, .lanes = mask, .complete = true};
  timeline->now = 0;
  if (next == EMU_WAIT || next == EMU_FAILED || (moment == EMU_MOMENT_BARRIER && next == EMU_BLOCKED))
    return;
  if (next == EMU_STALL) {
    end_run_before(warp, clock, insn);
    begin_wait(warp, insn, mask);
  } else if (moment == EMU_MOMENT_MBARRIER) {
    pass_mbarrier(warp, insn, mask);
  } else if (moment == EMU_MOMENT_CLUSTER) {
    event.kind = NEREID_EMULATOR_EVENT_BARRIER;
    pass(warp, event, timeline->cluster_completed[~warp->cta->cluster->barrier_phase & 1]);
  } else if (moment == EMU_MOMENT_RUN) {
    extend_run(warp, clock, insn, mask);
  } else {
    event.kind = moment == EMU_MOMENT_ISSUE ? NEREID_EMULATOR_EVENT_ISSUE : NEREID_EMULATOR_EVENT_WAIT;
    pass(warp, event, 0);
  }
}

void nereid_emulator_timeline_arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, emu_barrier_t *barrier,
                                     bool waits) {
  emu_clock_t *clock = emu_clock_of(warp);
  barrier->latest = later(barrier->latest, clock->now);
  if (!waits)
    return;
  end_run(warp, clock);
  begin_wait(warp, insn, mask);
}

void nereid_emulator_timeline_leave(emu_warp_t *warp, const emu_group_t *group, uint64_t latest) {
  const emu_event_t event = {.kind = NEREID_EMULATOR_EVENT_BARRIER,
                             .insn = &warp->cta->kernel->program->insns.data[group->pc],
                             .lanes = group->mask,
                             .barrier = group->barrier,
                             .complete = true};
  pass(warp, event, latest);
}

void nereid_emulator_timeline_cluster_arrive(emu_warp_t *warp) {
  emu_timeline_t *timeline = warp->cta->cluster->timeline;
  timeline->cluster_latest = later(timeline->cluster_latest, emu_clock_of(warp)->now);
}

void nereid_emulator_timeline_cluster_done(emu_cluster_t *cluster) {
  cluster->timeline->cluster_completed[~cluster->barrier_phase & 1] = cluster->timeline->cluster_latest;
}

void nereid_emulator_timeline_phase(emu_cta_t *cta, emu_mbarrier_t *mbarrier, bool done, uint32_t parity) {
  mbarrier->latest = later(mbarrier->latest, cta->cluster->timeline->now);
  if (done)
    mbarrier->completed[parity & 1] = mbarrier->latest;
}

/* --- asynchronous operations --- */

/* Groups that already wait for the effect's mbarrier test it again, and so require the effect at once. */
void nereid_emulator_timeline_issued(emu_effect_t *effect) {
  effect->issued = emu_clock_of(effect->warp)->now;
  if (effect->mbarrier_cta)
    nereid_emulator_wake(effect->warp->cta->cluster);
}

static nereid_emulator_event_kind_t kind_of(const emu_effect_t *effect) {
  const char *name = nereid_emulator_unguarded(effect->insn);
  switch (effect->kind) {
  case EMU_GROUP_ASYNC:
    return NEREID_EMULATOR_EVENT_COPY;
  case EMU_GROUP_BULK:
    return NEREID_EMULATOR_EVENT_STORE;
  case EMU_GROUP_WGMMA:
    return NEREID_EMULATOR_EVENT_WGMMA;
  default:
    return strncmp(name, "cp.async.mbarrier", strlen("cp.async.mbarrier")) == 0 ? NEREID_EMULATOR_EVENT_COPY
           : strncmp(name, "cp.", strlen("cp.")) == 0                           ? NEREID_EMULATOR_EVENT_LOAD
                                                                                : NEREID_EMULATOR_EVENT_SEND;
  }
}

/* Records an operation; a wgmma once per four warps, by the first of them. */
static void record_effect(const emu_effect_t *effect, uint32_t lanes, uint64_t end, bool complete) {
  const emu_mbarrier_t *mbarrier =
      effect->mbarrier_cta ? emu_mbarrier_find(effect->mbarrier_cta, effect->mbarrier) : NULL;
  const emu_event_t event = {.kind = (uint8_t)kind_of(effect),
                             .begin = effect->issued,
                             .end = end,
                             .insn = effect->insn,
                             .lanes = lanes,
                             .count = effect->transaction,
                             .barrier = effect->mbarrier,
                             .phase = mbarrier ? (uint8_t)emu_mbarrier_parity(mbarrier->bits) : 0,
                             .complete = complete};
  if (effect->kind != EMU_GROUP_WGMMA || effect->warp->index % GROUP_WARPS == 0)
    nereid_emulator_timeline_record(effect->warp, event);
}

void nereid_emulator_timeline_landing(emu_effect_t *effect, uint32_t lanes) {
  emu_timeline_t *timeline = effect->warp->cta->cluster->timeline;
  const uint64_t required = timeline->now ? timeline->now : emu_clock_of(effect->warp)->now;
  effect->resumed = timeline->now;
  timeline->now = later(effect->issued + 1, required);
  record_effect(effect, lanes, timeline->now, true);
}

void nereid_emulator_timeline_landed(emu_effect_t *effect) {
  effect->warp->cta->cluster->timeline->now = effect->resumed;
}

/* --- the end --- */

static void finish_warp(const emu_warp_t *warp, uint64_t end) {
  emu_clock_t *clock = emu_clock_of(warp);
  end_run(warp, clock);
  for (uint32_t i = 0; i < clock->n_waits; ++i) {
    const emu_pending_t *wait = &clock->waits[i];
    const emu_moment_t moment = moment_of(warp->cta->cluster->timeline, wait->insn);
    emu_event_t event = {.kind = moment == EMU_MOMENT_MBARRIER ? NEREID_EMULATOR_EVENT_MBARRIER
                                                               : NEREID_EMULATOR_EVENT_BARRIER,
                         .begin = wait->begin,
                         .end = end,
                         .insn = wait->insn,
                         .lanes = wait->mask};
    if (moment == EMU_MOMENT_MBARRIER) {
      event.barrier = (uint32_t)emu_address(warp, wait->insn, 1, __builtin_ctz(wait->mask)) & EMU_OFFSET_MASK;
      event.phase = (uint8_t)(emu_lane(warp, &wait->insn->operands[2], __builtin_ctz(wait->mask)) & 1);
    }
    nereid_emulator_timeline_record(warp, event);
  }
}

void nereid_emulator_timeline_finish(emu_cluster_t *cluster) {
  emu_timeline_t *timeline = cluster->timeline;
  uint64_t end = 0;
  for (uint32_t i = 0; i < timeline->n_ctas * timeline->n_warps; ++i)
    end = later(end, timeline->clocks[i].now + 1);
  for (uint32_t c = 0; c < cluster->n_ctas; ++c)
    for (uint32_t i = 0; i < cluster->ctas[c].n_warps; ++i)
      finish_warp(&cluster->ctas[c].warps[i], end);
  for (const emu_effect_t *effect = cluster->first; effect; effect = effect->next)
    if (effect->lanes & ~effect->landed)
      record_effect(effect, effect->lanes & ~effect->landed, later(end, effect->issued + 1), false);
}
