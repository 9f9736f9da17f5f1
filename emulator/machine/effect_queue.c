/* The queue of asynchronous effects: one list per cluster, in issue order.
 *
 * A launch that lands effects at issue without race detection keeps none. Otherwise an effect stays in the queue
 * until its issuers have waited for its group, until it has landed (if an mbarrier tracks it), or until the end of
 * the launch. */
#include "emulator/machine/effect.h"

#include "emulator/checks/frames.h"
#include "emulator/checks/rules.h"
#include "emulator/instructions/asynchronous/bulk.h"
#include "emulator/machine/mbarrier.h"
#include "emulator/race/race.h"
#include "emulator/timeline/timeline.h"

#include <stdlib.h>

emu_effect_t *nereid_emulator_effect(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, int kind, size_t bytes) {
  emu_effect_t *effect = calloc(1, sizeof *effect + bytes);
  if (!effect) {
    (void)nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "out of memory for an asynchronous effect");
    return NULL;
  }
  effect->warp = warp;
  effect->insn = insn;
  effect->lanes = mask;
  effect->kind = (uint8_t)kind;
  if (warp->cta->frames)
    effect->path = nereid_emulator_frames_path(warp, __builtin_ctz(mask));
  if (kind != EMU_GROUP_NONE)
    memcpy(effect->group, warp->committed[kind], sizeof effect->group);
  return effect;
}

static emu_cluster_t *cluster_of(const emu_effect_t *effect) {
  return effect->warp->cta->cluster;
}

void nereid_emulator_free_effect(emu_effect_t *effect) {
  if (effect->warp->cta->race)
    nereid_emulator_race_forget_effect(effect);
  if (effect->release)
    effect->release(effect);
  free(effect);
}

static void forget(emu_effect_t *effect) {
  emu_cluster_t *cluster = cluster_of(effect);
  if (effect->previous)
    effect->previous->next = effect->next;
  else if (cluster->first == effect)
    cluster->first = effect->next;
  if (effect->next)
    effect->next->previous = effect->previous;
  else if (cluster->last == effect)
    cluster->last = effect->previous;
  nereid_emulator_free_effect(effect);
}

/* Reads the sources for `lanes` without landing. */
static bool collect(emu_effect_t *effect, uint32_t lanes) {
  emu_cluster_t *cluster = cluster_of(effect);
  lanes &= ~effect->read;
  if (!lanes || !effect->collect)
    return true;
  cluster->landing = effect;
  bool good = effect->collect(effect, lanes);
  cluster->landing = NULL;
  effect->read |= lanes;
  return good;
}

static bool land(emu_effect_t *effect, uint32_t lanes) {
  emu_cluster_t *cluster = cluster_of(effect);
  lanes &= ~effect->landed;
  if (!lanes)
    return true;
  if (!collect(effect, lanes))
    return false;
  if (effect->warp->cta->race && effect->mbarrier_cta)
    nereid_emulator_race_completed(effect, lanes, effect->mbarrier_cta, effect->mbarrier);
  if (cluster->timeline)
    nereid_emulator_timeline_landing(effect, lanes);
  const emu_mbarrier_t *mbarrier =
      effect->mbarrier_cta ? emu_mbarrier_find(effect->mbarrier_cta, effect->mbarrier) : NULL;
  effect->phase = mbarrier ? mbarrier->phases : 0;
  cluster->landing = effect;
  bool good = effect->land(effect, lanes);
  cluster->landing = NULL;
  effect->landed |= lanes;
  effect->read |= lanes;
  good =
      good && (!effect->mbarrier_cta || !effect->transaction ||
               nereid_emulator_mbarrier_transact(effect->warp, effect->insn, __builtin_ctz(lanes), effect->mbarrier_cta,
                                                 effect->mbarrier, -(int64_t)effect->transaction));
  if (cluster->timeline)
    nereid_emulator_timeline_landed(effect);
  return good;
}

/* Whether it is a bulk or tensor copy into shared memory. */
static bool is_load(const emu_effect_t *effect) {
  return effect->collect && effect->kind == EMU_GROUP_NONE && (effect->insn->variant & EMU_TO_SHARED);
}

/* Removes landed effects, except those that this launch keeps until the wait for their group or their phase. */
static void tidy(emu_effect_t *effect) {
  const bool has_wait = effect->kind != EMU_GROUP_NONE || is_load(effect);
  if (effect->landed == effect->lanes && !(has_wait && cluster_of(effect)->keeps_landed))
    forget(effect);
}

bool nereid_emulator_issue(emu_effect_t *effect) {
  emu_cluster_t *cluster = cluster_of(effect);
  if (effect->warp->cta->race && effect->mbarrier_cta)
    nereid_emulator_race_tracked(effect);
  if (cluster->timeline)
    nereid_emulator_timeline_issued(effect);
  effect->serial = ++cluster->serial;
  effect->previous = cluster->last;
  *(cluster->last ? &cluster->last->next : &cluster->first) = effect;
  cluster->last = effect;
  if (cluster->launch->landing != NEREID_EMULATOR_LAND_AT_ISSUE)
    return true;
  bool good = land(effect, effect->lanes);
  tidy(effect);
  return good;
}

void nereid_emulator_commit(emu_warp_t *warp, uint32_t mask, int kind) {
  for (uint32_t left = mask; left; left &= left - 1)
    warp->committed[kind][__builtin_ctz(left)]++;
}

/* Returns the lanes whose effect is in a group older than their last `keep` groups. */
static uint32_t waited_for(const emu_effect_t *effect, uint32_t mask, uint32_t keep) {
  uint32_t lanes = 0;
  for (uint32_t left = mask & effect->lanes; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint32_t committed = effect->warp->committed[effect->kind][lane];
    if (committed - effect->group[lane] > keep)
      lanes |= left & (0 - left);
  }
  return effect->in_order && lanes ? effect->lanes : lanes;
}

/* The lanes of a copy that have arrived at an mbarrier since, by an arrival other than `except` that has not landed. */
static uint32_t arrivals_after(const emu_effect_t *effect, const emu_effect_t *except) {
  uint32_t lanes = 0;
  for (const emu_effect_t *later = effect->next; later; later = later->next)
    if (later != except && later->warp == effect->warp && later->insn->kind == EMU_KIND_COPY_ARRIVE)
      lanes |= later->lanes & ~later->landed;
  return lanes;
}

/* Removes lanes, which have landed, from an effect. */
static void remove_lanes(emu_effect_t *effect, uint32_t lanes) {
  effect->lanes &= ~lanes;
  effect->landed &= effect->lanes;
  if (!effect->lanes)
    forget(effect);
}

bool nereid_emulator_wait_groups(emu_warp_t *warp, uint32_t mask, int kind, uint32_t keep, bool reads) {
  emu_effect_t *next;
  for (emu_effect_t *effect = warp->cta->cluster->first; effect; effect = next) {
    next = effect->next;
    if (effect->warp != warp || effect->kind != kind)
      continue;
    uint32_t lanes = waited_for(effect, mask, keep);
    if (!(reads ? collect(effect, lanes) : land(effect, lanes)))
      return false;
    if (warp->cta->race)
      nereid_emulator_race_waited(effect, lanes, reads);
    effect->awaited |= lanes;
    if (reads)
      continue;
    if (nereid_emulator_race_has_two_ends(warp->cta))
      lanes &= ~arrivals_after(effect, NULL);
    remove_lanes(effect, lanes);
  }
  return true;
}

bool nereid_emulator_land_earlier(const emu_effect_t *before, uint32_t lanes, int kind) {
  emu_effect_t *next;
  for (emu_effect_t *effect = cluster_of(before)->first; effect && effect != before; effect = next) {
    next = effect->next;
    if (effect->warp != before->warp || effect->kind != kind)
      continue;
    if (!land(effect, effect->in_order ? effect->lanes : lanes & effect->lanes))
      return false;
    if (!effect->warp->cta->race || !before->mbarrier_cta) {
      tidy(effect);
      continue;
    }
    nereid_emulator_race_completed(effect, lanes, before->mbarrier_cta, before->mbarrier);
    uint32_t done = lanes;
    if (nereid_emulator_race_has_two_ends(effect->warp->cta))
      done &= effect->awaited & ~arrivals_after(effect, before);
    remove_lanes(effect, done);
  }
  return true;
}

bool nereid_emulator_land_earlier_like(const emu_effect_t *before, uint32_t lanes) {
  emu_effect_t *next;
  for (emu_effect_t *effect = cluster_of(before)->first; effect && effect != before; effect = next) {
    next = effect->next; /* landing removes at most earlier ones. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    if (effect->warp != before->warp || effect->land != before->land || !(effect->lanes & ~effect->landed & lanes))
      continue;
    if (!land(effect, effect->lanes & lanes))
      return false;
    tidy(effect);
  }
  return true;
}

bool nereid_emulator_land_tracked(emu_cta_t *cta, uint32_t mbarrier) {
  emu_effect_t *next;
  if (cta->launch->landing != NEREID_EMULATOR_LAND_AT_WAIT)
    return true;
  for (emu_effect_t *effect = cta->cluster->first; effect; effect = next) {
    next = effect->next;
    if (effect->mbarrier_cta != cta || effect->mbarrier != mbarrier)
      continue;
    if (!land(effect, effect->lanes))
      return false;
    next = effect->next; /* landing may have removed other effects, but not this one */
    tidy(effect);
  }
  return true;
}

void nereid_emulator_phase_observed(emu_cta_t *cta, uint32_t mbarrier) {
  emu_effect_t *next;
  const emu_mbarrier_t *it = emu_mbarrier_find(cta, mbarrier);
  for (emu_effect_t *effect = cta->cluster->first; effect; effect = next) {
    next = effect->next;
    if (effect->mbarrier_cta == cta && effect->mbarrier == mbarrier && is_load(effect) &&
        effect->landed == effect->lanes && it && effect->phase < it->phases)
      forget(effect);
  }
}

/* Lands the effect after all effects that must land before it. */
static bool land_in_order(emu_effect_t *effect) {
  uint32_t lanes = effect->lanes;
  if (effect->in_order && !nereid_emulator_land_earlier(effect, lanes, effect->kind))
    return false;
  bool good = land(effect, lanes);
  tidy(effect);
  return good;
}

static bool pending(const emu_effect_t *effect) {
  return effect->landed != effect->lanes;
}

static emu_effect_t *any_pending(emu_cluster_t *cluster, bool random) {
  uint64_t n = 0, which = 0;
  emu_effect_t *effect;
  for (effect = cluster->first; effect; effect = effect->next)
    n += pending(effect);
  if (n && random)
    which = nereid_emulator_random(cluster) % n;
  for (effect = cluster->first; effect; effect = effect->next)
    if (pending(effect) && !which--)
      return effect;
  return NULL;
}

bool nereid_emulator_land_some(emu_cluster_t *cluster) {
  while (cluster->first && nereid_emulator_random(cluster) % 4 == 0) {
    emu_effect_t *effect = any_pending(cluster, true);
    if (!effect)
      return true;
    if (!land_in_order(effect))
      return false;
  }
  return true;
}

bool nereid_emulator_land_one(emu_cluster_t *cluster, bool *out_any) {
  emu_effect_t *effect = any_pending(cluster, cluster->launch->landing == NEREID_EMULATOR_LAND_RANDOM);
  *out_any = effect != NULL;
  return !effect || land_in_order(effect);
}

/* The lanes of a bulk copy that may still access shared memory: copies out of it are awaited by their group. Copies
 * into it end with the phase of their mbarrier; a launch that keeps landed effects has forgotten those whose phase was
 * observed. */
static uint32_t outstanding(const emu_effect_t *effect) {
  if (effect->insn->variant & EMU_TO_SHARED)
    return cluster_of(effect)->keeps_landed ? effect->lanes : effect->lanes & ~effect->landed;
  return effect->kind == EMU_GROUP_BULK ? effect->lanes & ~effect->awaited : 0;
}

bool nereid_emulator_check_exit(const emu_cluster_t *cluster) {
  for (const emu_effect_t *effect = cluster->first; effect; effect = effect->next) {
    const uint32_t lanes = effect->collect && effect->kind != EMU_GROUP_ASYNC ? outstanding(effect) : 0;
    if (lanes &&
        nereid_emulator_violate(effect->warp, effect->insn, __builtin_ctz(lanes), NEREID_EMULATOR_RULE_BULK_AT_EXIT,
                                "the CTA exits, and no wait for this copy's access to its shared memory "
                                "precedes") == EMU_FAILED)
      return false;
  }
  return true;
}

void nereid_emulator_land_all(emu_cluster_t *cluster) {
  bool any = true;
  while (any && nereid_emulator_land_one(cluster, &any))
    ;
}

void nereid_emulator_drop_effects(emu_cluster_t *cluster) {
  emu_effect_t *next;
  for (emu_effect_t *effect = cluster->first; effect; effect = next) {
    next = effect->next;
    nereid_emulator_free_effect(effect);
  }
  cluster->first = cluster->last = NULL;
}
