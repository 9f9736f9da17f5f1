/* The events of a race detector (emulator/race/race.h) as nodes, edges and accesses of naive_graph.h: a literal
 * implementation of each rule of docs/racecheck.md. */
#ifndef NEREID_TEST_NAIVE_EVENTS_H
#define NEREID_TEST_NAIVE_EVENTS_H

#include "test/emulator/race/naive_graph.h"

#include "emulator/memory/space.h"

#include "emulator/race/private.h"

static naive_access_t *naive_access(naive_access_t access) {
  naive.nodes.data[access.node].used = true;
  naive_push(&naive.accesses, access);
  return &naive.accesses.data[naive.accesses.size - 1];
}

static int naive_scope(const emu_insn_t *insn) {
  return EMU_HAS(insn, cta) ? 0 : EMU_HAS(insn, cluster) ? 1 : 2;
}

static naive_place_t *naive_place(uint64_t at, bool make) {
  for (size_t i = 0; i < naive.places.size; ++i)
    if (naive.places.data[i].at == at)
      return &naive.places.data[i];
  if (!make)
    return NULL;
  naive_push(&naive.places, (naive_place_t){.at = at});
  return &naive.places.data[naive.places.size - 1];
}

/* A weak write removes the releases of the bytes that it overwrites. */
static void naive_overwrite(uint64_t at, uint64_t bytes) {
  for (size_t i = 0; i < naive.places.size; ++i)
    if (naive.places.data[i].at - at < bytes)
      naive.places.data[i].sources.size = 0;
  for (size_t i = 0; i < naive.meetings.size; ++i)
    if (naive.meetings.data[i].at - at < bytes)
      naive.meetings.data[i].at = UINT64_MAX;
}

/* Whether the scopes of a release and of an acquiring thread include each other. */
static bool naive_includes(const naive_source_t *source, int scope, int thread) {
  return naive_in_scope(source->scope < scope ? source->scope : scope, source->thread, thread);
}

static void naive_acquire(int thread, uint64_t at, int scope, bool now) {
  naive_thread_t *it = &naive.threads.data[thread];
  naive_place_t *place = naive_place(at, false);
  int node = place && now ? naive_next(thread) : -1;
  for (size_t i = 0; place && i < place->sources.size; ++i) {
    naive_source_t source = place->sources.data[i];
    if (!naive_includes(&source, scope, thread))
      continue;
    if (now) {
      naive_after(node, source.node);
      continue;
    }
    source.scope = source.scope < scope ? source.scope : scope;
    bool known = false;
    for (size_t k = 0; k < it->observed.size; ++k)
      known |= it->observed.data[k].node == source.node && it->observed.data[k].scope == source.scope;
    if (!known)
      naive_push(&it->observed, source);
  }
}

/* A strong write releases by its own semantics, or the writes before an earlier fence. */
static void naive_release(int thread, uint64_t at, int scope, bool releases, bool continues) {
  const naive_thread_t *it = &naive.threads.data[thread];
  bool ready = it->released[0] >= 0 || it->released[1] >= 0 || it->released[2] >= 0;
  naive_place_t *place = naive_place(at, releases || ready);
  if (place && !continues)
    place->sources.size = 0;
  if (releases) {
    naive_push(&place->sources, (naive_source_t){naive_leave_node(thread), scope, thread});
    return;
  }
  for (int k = 0; k < NAIVE_SCOPES && place; ++k)
    if (it->released[k] >= 0)
      naive_push(&place->sources, (naive_source_t){it->released[k], k < scope ? k : scope, thread});
}

static int naive_value(const emu_warp_t *warp, const emu_insn_t *insn, uint32_t lane, uint32_t bytes) {
  uint64_t value[4] = {0};
  for (unsigned i = 0; i < insn->n_vector; ++i) {
    uint64_t bits = emu_lane(warp, &insn->operands[1 + i], (int)lane);
    memcpy((uint8_t *)value + i * (bytes / insn->n_vector), &bits, bytes / insn->n_vector);
  }
  int at = (int)naive.values.size;
  for (int i = 0; i < 4; ++i)
    naive_push(&naive.values, value[i]);
  return at;
}

static void naive_request(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                          uint32_t bytes, emu_access_t access, bool stores) {
  bool atomic = insn->counter_class == NEREID_EMULATOR_CLASS_ATOMIC, writes = access != EMU_READ;
  bool acquires = EMU_HAS(insn, acquire) || EMU_HAS(insn, acq_rel);
  bool releases = EMU_HAS(insn, release) || EMU_HAS(insn, acq_rel);
  bool strong =
      atomic || acquires || releases || EMU_HAS(insn, volatile) || EMU_HAS(insn, relaxed) || EMU_HAS(insn, mmio);
  FOR_LANES(lane, mask) {
    emu_space_t space = nereid_emulator_access_space(insn, addresses[lane]);
    if ((space != EMU_SHARED && space != EMU_GLOBAL) || EMU_HAS(insn, const) || EMU_HAS(insn, param))
      return;
    const emu_cta_t *target = space == EMU_SHARED ? nereid_emulator_cta_of(warp->cta, addresses[lane]) : NULL;
    uint64_t at = naive_at(target, target ? addresses[lane] & EMU_OFFSET_MASK : addresses[lane]);
    int thread = naive_thread(warp, lane), scope = naive_scope(insn);
    naive_access(
        (naive_access_t){.at = at,
                         .bytes = bytes,
                         .node = naive.threads.data[thread].node,
                         .thread = thread,
                         .operation = -1,
                         .value = access == EMU_WRITE && stores && !strong ? naive_value(warp, insn, lane, bytes) : -1,
                         .pc = naive_pc(insn),
                         .size = (int)(atomic ? nereid_emulator_type_size((emu_type_t)insn->types[0]) : bytes),
                         .strong = strong ? 1 + scope : 0,
                         .kind = (uint8_t)((writes ? RACE_WRITES : 0) | (atomic ? RACE_ATOMIC : 0)),
                         .writes = writes});
    if (writes && !strong)
      naive_overwrite(at, bytes);
    if (strong && scope == NAIVE_SCOPES - 1)
      naive_push(&naive.meetings, (naive_meeting_t){at, naive.threads.data[thread].node, writes});
    if (strong && access != EMU_WRITE)
      naive_acquire(thread, at, scope, acquires);
    if (strong && writes)
      naive_release(thread, at, scope, releases, access == EMU_UPDATE);
  }
}

/* Whether fence.sc `earlier` precedes one of `later` in fence order: an access after `earlier` precedes, in coherence
 * order, an access before `later`, and one of them, or one in between, is a write. */
static bool naive_fences_ordered(int earlier, int later) {
  for (size_t i = 0; i < naive.meetings.size; ++i) {
    naive_meeting_t a = naive.meetings.data[i];
    bool writes = a.writes;
    if (a.at == UINT64_MAX || !naive_reaches(earlier, a.node))
      continue;
    for (size_t k = i + 1; k < naive.meetings.size; ++k) {
      naive_meeting_t b = naive.meetings.data[k];
      writes |= b.at == a.at && b.writes;
      if (b.at == a.at && writes && naive_reaches(b.node, later))
        return true;
    }
  }
  return false;
}

static bool naive_is_sc(const emu_insn_t *insn) {
  return naive_scope(insn) == NAIVE_SCOPES - 1 && (naive_says(insn, "membar") || naive_says(insn, "fence.sc"));
}

/* Without explicit semantics it acquires and releases. */
static void naive_fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  int scope = naive_scope(insn);
  FOR_LANES(lane, mask) {
    int thread = naive_thread(warp, lane);
    naive_thread_t *it = &naive.threads.data[thread];
    int node = naive_next(thread);
    for (size_t i = 0; i < it->observed.size && !EMU_HAS(insn, release); ++i)
      if (naive_includes(&it->observed.data[i], scope, thread))
        naive_after(node, it->observed.data[i].node);
    for (size_t i = 0; i < naive.sc_fences.size && naive_is_sc(insn); ++i)
      if (naive_fences_ordered(naive.sc_fences.data[i], node))
        naive_after(node, naive.sc_fences.data[i]);
    if (!EMU_HAS(insn, acquire))
      it->released[scope] = naive_leave_node(thread);
    if (naive_is_sc(insn))
      naive_push(&naive.sc_fences, it->released[scope]);
  }
}

/* A fence with a state space is not one of the other. */
static void naive_proxy_fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  bool of_shared = EMU_HAS(insn, shared) || EMU_HAS(insn, shared_cluster), of_global = EMU_HAS(insn, global);
  FOR_LANES(lane, mask) {
    int thread = naive_thread(warp, lane), node = naive_next(thread);
    if (!of_global)
      naive_push(&naive.threads.data[thread].fences[false], node);
    if (!of_shared)
      naive_push(&naive.threads.data[thread].fences[true], node);
  }
}

static void naive_warp_sync(emu_warp_t *warp, uint32_t mask) {
  (void)naive_cta(warp->cta); /* its threads' nodes come first */
  int all = naive_node();
  FOR_LANES(lane, mask) naive_after(all, naive_current(warp, lane));
  FOR_LANES(lane, mask) naive_after(naive_next(naive_thread(warp, lane)), all);
}

static void naive_arrive(emu_warp_t *warp, unsigned id, uint32_t mask) {
  FOR_LANES(lane, mask) naive_push(&naive_cta(warp->cta)->barriers[id], naive_leave_node(naive_thread(warp, lane)));
}

static void naive_leave(emu_warp_t *warp, unsigned id, uint32_t mask) {
  naive_cta_t *cta = naive_cta(warp->cta);
  if (cta->joined[id] < 0) {
    cta->joined[id] = naive_node();
    naive_after_all(cta->joined[id], &cta->barriers[id]);
  }
  FOR_LANES(lane, mask) naive_after(naive_next(naive_thread(warp, lane)), cta->joined[id]);
}

static void naive_reset(const emu_cta_t *cta, unsigned id) {
  naive_cta(cta)->barriers[id].size = 0;
  naive_cta(cta)->joined[id] = -1;
}

static void naive_cluster_arrive(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  naive_cta_t *first = naive_cta(&warp->cta->cluster->ctas[0]);
  FOR_LANES(lane, EMU_HAS(insn, relaxed) ? 0 : mask)
  naive_push(&first->cluster_arrived, naive_leave_node(naive_thread(warp, lane)));
}

static void naive_cluster_done(const emu_cluster_t *cluster) {
  naive_cta_t *first = naive_cta(&cluster->ctas[0]);
  first->cluster_done = naive_node();
  naive_after_all(first->cluster_done, &first->cluster_arrived);
  first->cluster_arrived.size = 0;
}

static void naive_cluster_leave(emu_warp_t *warp, uint32_t mask) {
  int done = naive_cta(&warp->cta->cluster->ctas[0])->cluster_done;
  FOR_LANES(lane, mask) naive_after(naive_next(naive_thread(warp, lane)), done);
}

static naive_mbarrier_t *naive_mbarrier_at(const emu_cta_t *target, uint32_t offset) {
  naive_cta_t *cta = naive_cta(target);
  for (size_t i = 0; i < cta->mbarriers.size; ++i)
    if (cta->mbarriers.data[i].offset == offset)
      return &cta->mbarriers.data[i];
  naive_push(&cta->mbarriers, (naive_mbarrier_t){.offset = offset, .landed = -1, .done = -1});
  return &cta->mbarriers.data[cta->mbarriers.size - 1];
}

static void naive_mbarrier(emu_warp_t *warp, const emu_insn_t *insn, int lane, const emu_cta_t *target, uint32_t offset,
                           emu_race_mbarrier_t what) {
  int thread = naive_thread(warp, (uint32_t)lane), node = naive.threads.data[thread].node;
  const naive_access_t *last = naive.accesses.size ? &naive.accesses.data[naive.accesses.size - 1] : NULL;
  naive_access_t access = {.at = naive_at(target, offset),
                           .bytes = 8,
                           .node = node,
                           .thread = thread,
                           .operation = -1,
                           .value = -1,
                           .pc = naive_pc(insn),
                           .size = 8,
                           .strong = what == EMU_RACE_INIT ? 0 : NAIVE_SCOPES,
                           .kind = RACE_WRITES | (what == EMU_RACE_INIT ? 0 : RACE_ATOMIC),
                           .writes = true};
  bool again = last && last->node == node && last->pc == access.pc && last->at == access.at; /* it looks in a loop */
  if (!again)
    naive_access(access);
  naive_mbarrier_t *it = naive_mbarrier_at(target, offset);
  if (what == EMU_RACE_INIT) {
    it->arrivals.size = it->ending.size = 0;
    it->landed = it->done = -1;
  } else if (what == EMU_RACE_ARRIVE && !EMU_HAS(insn, relaxed)) {
    naive_push(&it->arrivals, naive_leave_node(thread));
  } else if (what == EMU_RACE_OBSERVE && !EMU_HAS(insn, relaxed)) {
    naive_after(naive_next(thread), it->done);
  }
}

/* A wait observes the arrivals of this phase, and the operations that completed with it or with an earlier one. */
static void naive_phase(const emu_cta_t *target, uint32_t offset) {
  naive_mbarrier_t *it = naive_mbarrier_at(target, offset);
  int landed = naive_node();
  naive_after(landed, it->landed);
  for (size_t i = 0; i < it->ending.size; ++i)
    naive_push(&naive.operations.data[it->ending.data[i]].phases, landed);
  int done = naive_node();
  naive_after(done, landed);
  naive_after_all(done, &it->arrivals);
  it->landed = landed;
  it->done = done;
  it->arrivals.size = it->ending.size = 0;
}

/* The operation of an effect's lane, ordered after its issuer's node; a wgmma after all lanes of its warp. The events
 * of an effect arrive together, so its operations are the newest ones. */
static int naive_operation(const emu_effect_t *effect, int lane, bool writes) {
  for (size_t i = naive.operations.size; i > 0 && naive.operations.data[i - 1].effect == effect; --i)
    if (naive.operations.data[i - 1].lane == lane && naive.operations.data[i - 1].writes == writes)
      return (int)i - 1;
  int start = naive_current(effect->warp, (uint32_t)lane);
  if (effect->kind == EMU_GROUP_WGMMA) {
    start = naive_node();
    FOR_LANES(each, effect->lanes) naive_after(start, naive_current(effect->warp, each));
  }
  int number = (int)naive.operations.size;
  naive_push(&naive.operations, (naive_operation_t){.effect = effect, .lane = lane, .start = start, .writes = writes});
  naive_push(&naive.flying, number);
  return number;
}

static void naive_effect(const emu_effect_t *effect, int lane, bool writes, const emu_cta_t *target, uint64_t address,
                         uint64_t bytes) {
  const emu_insn_t *insn = effect->insn;
  bool product = naive_says(insn, "wgmma"), sends = naive_says(insn, "st.async") || naive_says(insn, "red.async");
  bool bulk = naive_says(insn, "cp.async.bulk") || naive_says(insn, "cp.reduce.async.bulk");
  bool generic = sends || (!bulk && naive_says(insn, "cp.async"));
  bool reduces = writes && (naive_says(insn, "red.async") || naive_says(insn, "cp.reduce"));
  NAIVE_REQUIRE(product || bulk || generic);
  if (!bytes)
    return;
  int operation = naive_operation(effect, lane, writes);
  if (writes && !reduces)
    naive_overwrite(naive_at(target, address), bytes);
  naive_access((naive_access_t){
      .at = naive_at(target, address),
      .bytes = (uint32_t)bytes,
      .node = naive.operations.data[operation].start,
      .thread = naive_thread(effect->warp, (uint32_t)lane),
      .operation = operation,
      .value = -1,
      .pc = naive_pc(insn),
      .size = reduces ? (int)nereid_emulator_type_size((emu_type_t)insn->types[0]) : 0,
      .strong = reduces ? NAIVE_SCOPES : 0,
      .kind = (uint8_t)((generic ? RACE_COPY : RACE_ASYNC) | (writes ? RACE_WRITES : 0) | (product ? RACE_WHOLE : 0)),
      .writes = writes,
      .proxy = !generic});
}

/* Operations counted by an mbarrier change it when they complete, and release the nodes before their issue. */
static void naive_tracked(const emu_effect_t *effect) {
  FOR_LANES(lane, effect->lanes) {
    int thread = naive_thread(effect->warp, lane), number = (int)naive.operations.size;
    int node = naive.threads.data[thread].node;
    naive_push(&naive.operations,
               (naive_operation_t){.effect = effect, .lane = (int)lane, .start = node, .writes = true});
    naive_push(&naive.flying, number);
    naive_access((naive_access_t){.at = naive_at(effect->mbarrier_cta, effect->mbarrier),
                                  .bytes = 8,
                                  .node = node,
                                  .thread = thread,
                                  .operation = number,
                                  .value = -1,
                                  .pc = naive_pc(effect->insn),
                                  .size = 8,
                                  .strong = NAIVE_SCOPES,
                                  .kind = RACE_COPY | RACE_WRITES | RACE_TRACKED,
                                  .writes = true});
    naive_push(&naive.known, (naive_source_t){naive_leave_node(thread), 0, thread});
    naive_push(&naive.knowers, effect);
  }
}

/* The operations of an effect's lanes that complete now; with `reads`, only its reads. */
static naive_ints_t naive_ending(const emu_effect_t *effect, uint32_t lanes, bool reads) {
  naive_ints_t ending = {0};
  for (size_t i = 0; i < naive.flying.size; ++i) {
    int number = naive.flying.data[i];
    naive_operation_t *it = &naive.operations.data[number];
    bool whole = effect->kind == EMU_GROUP_WGMMA;
    bool ends = it->effect == effect && (whole || lanes >> it->lane & 1) && !(reads && it->writes);
    if (ends)
      naive_push(&ending, number);
  }
  return ending;
}

/* Orders the issuer's next node after it; for a wgmma, the next node of each lane of its warp. */
static void naive_waited(const emu_effect_t *effect, uint32_t lanes, bool reads) {
  bool whole = effect->kind == EMU_GROUP_WGMMA;
  if (!lanes)
    return;
  if (whole)
    naive_push(&naive.steps, (naive_step_t){NAIVE_WAITED, naive_thread(effect->warp, 0), effect->insn, effect});
  naive_ints_t ending = naive_ending(effect, lanes, reads);
  for (size_t i = 0; i < ending.size; ++i) {
    naive_operation_t *it = &naive.operations.data[ending.data[i]];
    FOR_LANES(lane, whole ? lanes : UINT32_C(1) << it->lane) {
      int node = naive_fresh(naive_thread(effect->warp, lane));
      naive_push(&it->ends, node);
    }
  }
}

static void naive_completed(const emu_effect_t *effect, uint32_t lanes, const emu_cta_t *target, uint32_t offset) {
  naive_mbarrier_t *it = naive_mbarrier_at(target, offset);
  naive_ints_t ending = naive_ending(effect, lanes, false);
  for (size_t i = 0; i < naive.knowers.size; ++i)
    if (naive.knowers.data[i] == effect)
      naive_push(&it->arrivals, naive.known.data[i].node);
  for (size_t i = 0; i < ending.size; ++i) {
    naive_push(&it->ending, ending.data[i]);
  }
}

static void naive_forget(const emu_effect_t *effect) { /* its address may be reused */
  size_t left = 0;
  for (size_t i = 0; i < naive.flying.size; ++i) {
    naive_operation_t *it = &naive.operations.data[naive.flying.data[i]];
    if (it->effect != effect)
      naive.flying.data[left++] = naive.flying.data[i];
    else
      it->effect = NULL;
  }
  naive.flying.size = left;
  for (size_t i = 0; i < naive.knowers.size; ++i)
    if (naive.knowers.data[i] == effect) {
      naive.knowers.data[i] = naive.knowers.data[--naive.knowers.size];
      naive.known.data[i--] = naive.known.data[--naive.known.size];
    }
}

static void naive_step(const emu_warp_t *warp, naive_step_kind_t kind, const emu_insn_t *insn,
                       const emu_effect_t *effect) {
  naive_push(&naive.steps, (naive_step_t){kind, naive_thread(warp, 0), insn, effect});
}

static void naive_touch_map(int thread, int pc, uint64_t at, bool writes, bool strong) {
  if (writes && !strong)
    naive_overwrite(at, 128);
  naive_access((naive_access_t){.at = at,
                                .bytes = 128,
                                .node = naive.threads.data[thread].node,
                                .thread = thread,
                                .operation = -1,
                                .value = -1,
                                .pc = pc,
                                .size = 128,
                                .strong = strong ? NAIVE_SCOPES : 0,
                                .kind = writes ? RACE_WRITES : 0,
                                .writes = writes});
}

static void naive_map(emu_warp_t *warp, const emu_insn_t *insn, int lane, const emu_cta_t *target, uint64_t address,
                      emu_race_map_t what) {
  int thread = naive_thread(warp, (uint32_t)lane);
  bool copies = what == EMU_RACE_MAP_COPY, writes = copies || what == EMU_RACE_MAP_WRITE;
  uint64_t at = naive_at(target, address);
  naive_map_t event = {what, address, naive.threads.data[thread].node, thread, naive_pc(insn)};
  if (what == EMU_RACE_MAP_ACQUIRE) {
    naive_acquire(thread, at, NAIVE_SCOPES - 1, true);
    event.node = naive.threads.data[thread].node;
  } else if (what != EMU_RACE_MAP_RELEASE) {
    naive_touch_map(thread, event.pc, at, writes, copies);
  }
  naive.nodes.data[event.node].used = true;
  if (copies)
    naive_release(thread, at, NAIVE_SCOPES - 1, true, false);
  if (!target)
    naive_push(&naive.maps, event);
}

#endif
