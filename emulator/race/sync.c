/* Edges between threads: barriers, warp synchronization, releases and acquires with their fences.
 *
 * A location stores the clocks released with its current value, per scope. An acquire learns them if its scope includes
 * the release's scope and vice versa. A relaxed write releases what its thread's last fence covers; what a relaxed read
 * observes is acquired at the next fence. An atomic continues the release sequence (PTX ISA, Memory Consistency Model).
 *
 * fence.sc and membar: two fences of GPU scope are always ordered. The detector orders F before G if the other order
 * is forbidden: F, then (by edges) a strong access A, and B, then (by edges) G, where A and B access one location in
 * this order and one of them, or an access between, writes. With G before F, B would be ordered before A, which the
 * axioms Coherence and Causality forbid. Clocks carry the fences along the edges. */
#include "emulator/machine/execute.h"
#include "emulator/race/private.h"

#include <stdlib.h>

static uint64_t key_of(const emu_race_cta_t *target, uint64_t address) {
  return target ? UINT64_C(1) << 63 | (uint64_t)target->number << 24 | address : address;
}

/* Returns the location's slot; creates it if `make`. */
static race_location_t *location(emu_race_t *race, uint64_t key, bool make) {
  if (make && race->n_locations * 2 >= race->location_capacity) {
    size_t capacity = race->location_capacity ? race->location_capacity * 2 : 64;
    race_location_t *grown = calloc(capacity, sizeof *grown);
    if (!grown) {
      race->failed = true;
      return NULL;
    }
    for (size_t i = 0; i < race->location_capacity; ++i) {
      size_t at = race->locations[i].key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (capacity - 1);
      while (race->locations[i].key && grown[at].key)
        at = (at + 1) & (capacity - 1);
      if (race->locations[i].key)
        grown[at] = race->locations[i];
    }
    free(race->locations);
    race->locations = grown;
    race->location_capacity = capacity;
  }
  if (!race->location_capacity)
    return NULL;
  size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (race->location_capacity - 1);
  while (race->locations[at].key && race->locations[at].key != key)
    at = (at + 1) & (race->location_capacity - 1);
  if (race->locations[at].key == key)
    return &race->locations[at];
  if (!make)
    return NULL;
  race->locations[at].key = key;
  race->n_locations++;
  return &race->locations[at];
}

static void clear(race_location_t *place) {
  for (int k = 0; k < RACE_SCOPES; ++k) {
    nereid_emulator_race_clock_drop(place->released[k]);
    place->released[k] = NULL;
  }
}

void nereid_emulator_race_forget(emu_race_t *race, const emu_race_cta_t *target, uint64_t address) {
  race_location_t *place = location(race, key_of(target, address), false);
  if (!place)
    return;
  clear(place);
  nereid_emulator_race_clock_drop(place->written);
  nereid_emulator_race_clock_drop(place->read);
  place->written = place->read = NULL;
}

static uint32_t owner(const emu_race_cta_t *cta, int scope) {
  return scope == 0 ? cta->number : scope == 1 ? cta->cluster : 0;
}

/* Publishes with a write of scope `scope` the clocks that a fence of scope `fences` or less released; a release acts
 * as its own fence. */
static void publish(emu_race_cta_t *cta, race_location_t *place, int scope, race_clock_t *const *released) {
  for (int k = 0; k <= scope; ++k) {
    if (place->owner[k] != owner(cta, k)) {
      nereid_emulator_race_clock_drop(place->released[k]);
      place->released[k] = NULL;
      place->owner[k] = owner(cta, k);
    }
    nereid_emulator_race_clock_learn(cta->race, &place->released[k], released[k]);
  }
}

int nereid_emulator_race_scope(const emu_insn_t *insn) {
  return EMU_HAS(insn, cta) ? 0 : EMU_HAS(insn, cluster) ? 1 : 2;
}

void nereid_emulator_race_acquire(emu_race_cta_t *cta, race_thread_t *thread, uint64_t address,
                                  const emu_race_cta_t *target, int scope, bool now) {
  race_location_t *place = location(cta->race, key_of(target, address), false);
  for (int k = 0; place && k <= scope; ++k)
    if (place->released[k] && place->owner[k] == owner(cta, k))
      nereid_emulator_race_clock_learn(cta->race, now ? &thread->clock : &thread->observed[k], place->released[k]);
}

void nereid_emulator_race_write(emu_race_cta_t *cta, uint32_t warp, uint32_t lane, uint64_t address,
                                const emu_race_cta_t *target, int scope, bool releases, bool continues) {
  race_thread_t *thread = &cta->threads[warp * EMU_LANES + lane];
  race_clock_t *own = releases ? nereid_emulator_race_release(cta, warp, UINT32_C(1) << lane) : NULL;
  race_clock_t *const all[RACE_SCOPES] = {own, own, own};
  bool anything = releases || thread->released[0];
  race_location_t *place = location(cta->race, key_of(target, address), anything);
  if (place && !continues)
    clear(place);
  if (place && anything)
    publish(cta, place, scope, releases ? all : thread->released);
  nereid_emulator_race_clock_drop(own);
}

bool nereid_emulator_race_is_sc(const emu_insn_t *insn) {
  return (insn->kind == EMU_KIND_MEMBAR || EMU_HAS(insn, sc)) && nereid_emulator_race_scope(insn) == 2;
}

void nereid_emulator_race_communicate(emu_race_cta_t *cta, race_thread_t *thread, uint64_t address,
                                      const emu_race_cta_t *target, emu_access_t how) {
  emu_race_t *race = cta->race;
  race_clock_t *fences = thread->clock ? thread->clock->fences : NULL;
  race_location_t *place = location(race, key_of(target, address), fences != NULL);
  if (!place)
    return;
  fences = nereid_emulator_race_clock_keep(fences);
  race_clock_t *seen = how == EMU_READ ? nereid_emulator_race_clock_keep(place->written)
                                       : nereid_emulator_race_clock_join(race, place->written, place->read);
  if (seen)
    thread->clock = nereid_emulator_race_clock_with(race, thread->clock, NULL, seen);
  if (how != EMU_WRITE)
    nereid_emulator_race_clock_learn(race, &place->read, fences);
  if (how != EMU_READ) {
    nereid_emulator_race_clock_learn(race, &place->written, fences);
    nereid_emulator_race_clock_learn(race, &place->written, place->read);
  }
  nereid_emulator_race_clock_drop(seen);
  nereid_emulator_race_clock_drop(fences);
}

/* Joins the fences that precede the thread's fence.sc in the order of fence.sc. */
static void learn_pending(emu_race_t *race, race_thread_t *thread) {
  race_clock_t *pending = nereid_emulator_race_clock_keep(thread->clock ? thread->clock->pending : NULL);
  nereid_emulator_race_clock_learn(race, &thread->clock, pending);
  nereid_emulator_race_clock_drop(pending);
}

/* An acquiring fence joins what relaxed reads observed; a releasing fence prepares the thread's clock for later
 * writes. Without a qualifier it does both. */
void nereid_emulator_race_fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_race_cta_t *cta = warp->cta->race;
  int scope = nereid_emulator_race_scope(insn);
  FOR_LANES(lane, mask) {
    race_thread_t *thread = &cta->threads[warp->index * EMU_LANES + lane];
    for (int k = 0; k <= scope && !EMU_HAS(insn, release); ++k)
      nereid_emulator_race_clock_learn(cta->race, &thread->clock, thread->observed[k]);
    if (EMU_HAS(insn, acquire))
      continue;
    const bool is_sc = cta->race->has_sc && nereid_emulator_race_is_sc(insn);
    if (is_sc)
      learn_pending(cta->race, thread);
    race_clock_t *own = nereid_emulator_race_release(cta, warp->index, UINT32_C(1) << lane);
    for (int k = 0; k <= scope; ++k) {
      nereid_emulator_race_clock_drop(thread->released[k]);
      thread->released[k] = nereid_emulator_race_clock_keep(own);
    }
    if (is_sc) {
      race_clock_t *bare = nereid_emulator_race_clock_bare(cta->race, own);
      thread->clock = nereid_emulator_race_clock_with(cta->race, thread->clock, bare, NULL);
      nereid_emulator_race_clock_drop(bare);
    }
    nereid_emulator_race_clock_drop(own);
  }
  cta->times[warp->index]++;
}

/* Phases of mbarriers that a thread has observed are ordered for the async proxy, too. */
static void fence_phases(emu_race_cta_t *cta, race_thread_t *thread, uint32_t view) {
  const emu_race_t *race = cta->race;
  const race_part_t *part = nereid_emulator_race_clock_part(thread->clock, cta->number);
  const size_t first = (size_t)view * race->n_actors;
  bool phases = false;
  for (uint32_t i = race->n_threads; part && i < race->n_actors; ++i)
    phases |= part->times[first + i] < part->times[i];
  if (!phases)
    return;
  race_clock_t *open = nereid_emulator_race_clock_open(cta->race, thread->clock, cta->number);
  race_part_t *own = (race_part_t *)(uintptr_t)nereid_emulator_race_clock_part(open, cta->number);
  for (uint32_t i = race->n_threads; own && i < race->n_actors; ++i)
    own->times[first + i] = own->times[i];
  nereid_emulator_race_clock_drop(thread->clock);
  thread->clock = open;
}

/* fence.proxy.async: orders the thread's accesses so far, and the copies whose completion it has observed, for the
 * async proxy; with a state space only those to that space. */
void nereid_emulator_race_proxy_fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_race_cta_t *cta = warp->cta->race;
  const bool shared = EMU_HAS(insn, shared) || EMU_HAS(insn, shared_cluster), global = EMU_HAS(insn, global);
  FOR_LANES(lane, mask) {
    race_thread_t *thread = &cta->threads[warp->index * EMU_LANES + lane];
    for (uint32_t view = RACE_PROXY_SHARED; view < RACE_VIEWS; ++view) {
      if (view == RACE_PROXY_SHARED ? global : shared)
        continue;
      thread->fenced[view] = cta->times[warp->index];
      fence_phases(cta, thread, view);
    }
  }
  cta->times[warp->index]++;
}

void nereid_emulator_race_learn(emu_race_cta_t *cta, uint32_t warp, uint32_t mask, race_clock_t *news) {
  race_clock_t *before = NULL, *after = NULL; /* most lanes have the same clock */
  FOR_LANES(lane, mask) {
    race_thread_t *thread = &cta->threads[warp * EMU_LANES + lane];
    if (!after || thread->clock != before) {
      nereid_emulator_race_clock_drop(before);
      nereid_emulator_race_clock_drop(after);
      before = nereid_emulator_race_clock_keep(thread->clock);
      after = nereid_emulator_race_clock_join(cta->race, before, news);
    }
    nereid_emulator_race_clock_drop(thread->clock);
    thread->clock = nereid_emulator_race_clock_keep(after);
  }
  nereid_emulator_race_clock_drop(before);
  nereid_emulator_race_clock_drop(after);
}

void nereid_emulator_race_warp_sync(emu_warp_t *warp, uint32_t mask) {
  emu_race_cta_t *cta = warp->cta->race;
  race_clock_t *all = mask ? nereid_emulator_race_release(cta, warp->index, mask) : NULL;
  nereid_emulator_race_learn(cta, warp->index, mask, all);
  nereid_emulator_race_clock_drop(all);
  cta->times[warp->index]++;
}

void nereid_emulator_race_arrive(emu_warp_t *warp, unsigned id, uint32_t mask) {
  emu_race_cta_t *cta = warp->cta->race;
  race_clock_t *own = nereid_emulator_race_release(cta, warp->index, mask);
  nereid_emulator_race_clock_learn(cta->race, &cta->barriers[id], own);
  nereid_emulator_race_clock_drop(own);
  cta->times[warp->index]++;
}

void nereid_emulator_race_leave(emu_warp_t *warp, unsigned id, uint32_t mask) {
  emu_race_cta_t *cta = warp->cta->race;
  nereid_emulator_race_learn(cta, warp->index, mask, cta->barriers[id]);
}

void nereid_emulator_race_reset(emu_cta_t *cta, unsigned id) {
  nereid_emulator_race_clock_drop(cta->race->barriers[id]);
  cta->race->barriers[id] = NULL;
}
