/* The race detector's rules again, as plainly as can be: every access and every edge of a small run becomes a node with
 * the set of all nodes before it, and at the end all pairs are looked at. It gets what the emulator tells the detector
 * (race.h). For the tests of this folder, one CTA at a time, without clusters. */
#ifndef NEREID_TEST_NAIVE_RACES_H
#define NEREID_TEST_NAIVE_RACES_H

#include "emulator/machine/execute.h"
#include "emulator/race/race.h"

enum { NAIVE_NODES = 1 << 13, NAIVE_THREADS = 256, NAIVE_MOST = 512, NAIVE_PLACES = 1 << 16 };

typedef struct naive_list {
  int n, nodes[NAIVE_NODES];
} naive_list_t;

typedef struct naive_source { /* what an acquire may observe */
  int node, scope, cta;
} naive_source_t;

typedef struct naive_node {
  uint64_t before[NAIVE_NODES / 64];
  int thread, cta, pc;
  bool accesses, writes, async, copy, fence, in_global, has_value, by_phase;
  int strong, size; /* strong: 0 or 1 + scope */
  uint64_t address, bytes;
  uint8_t value[32];
} naive_node_t;

typedef struct naive_place {
  uint64_t key;
  naive_source_t sources[NAIVE_MOST];
  int n;
} naive_place_t;

typedef struct naive_effect {
  const emu_effect_t *effect;
  int lane, node;
  bool writes, ended;
} naive_effect_t;

typedef struct naive_thread {
  int last; /* node; -1: none */
  naive_source_t fences[NAIVE_MOST], observed[NAIVE_MOST];
  int n_fences, n_observed;
} naive_thread_t;

typedef struct naive_pair {
  uint64_t address; /* of one byte, global ones with the top bit */
  int earlier, later;
  bool proxy;
  bool maybe; /* replicated stores: the detector compares with what is in memory, and keeps what comes last */
} naive_pair_t;

static struct {
  naive_node_t nodes[NAIVE_NODES];
  naive_thread_t threads[NAIVE_THREADS];
  naive_place_t places[NAIVE_MOST];
  naive_effect_t effects[NAIVE_NODES];
  naive_list_t barriers[16], pending[NAIVE_MOST], done[NAIVE_MOST]; /* the latter two by mbarrier */
  uint32_t mbarriers[NAIVE_MOST];
  naive_pair_t *pairs;
  size_t n_pairs, capacity;
  int n_nodes, n_places, n_effects, n_mbarriers, cta, per_cta;
} naive;

static void naive_begin(int threads_per_cta) {
  naive.n_nodes = naive.n_places = naive.n_effects = naive.cta = 0;
  naive.n_pairs = 0;
  naive.per_cta = threads_per_cta;
  for (int i = 0; i < NAIVE_THREADS; ++i)
    naive.threads[i] = (naive_thread_t){.last = -1};
}

static int naive_thread_of(const emu_warp_t *warp, uint32_t lane) {
  int cta = (int)warp->cta->id[0];
  if (cta != naive.cta) { /* shared memory and its objects are new */
    naive.cta = cta;
    naive.n_mbarriers = 0;
    memset(naive.pending, 0, sizeof naive.pending);
    memset(naive.done, 0, sizeof naive.done);
  }
  return cta * naive.per_cta + (int)(warp->index * EMU_LANES + lane);
}

static void naive_after(int node, int earlier) {
  if (earlier < 0)
    return;
  for (int i = 0; i < NAIVE_NODES / 64; ++i)
    naive.nodes[node].before[i] |= naive.nodes[earlier].before[i];
  naive.nodes[node].before[earlier / 64] |= UINT64_C(1) << earlier % 64;
}

static bool naive_ordered(int a, int b) {
  return naive.nodes[b].before[a / 64] >> a % 64 & 1;
}

static int naive_loose(int thread) { /* a node that is not in the thread's order */
  assert_true(naive.n_nodes < NAIVE_NODES);
  int node = naive.n_nodes++ % NAIVE_NODES;
  memset(&naive.nodes[node], 0, sizeof naive.nodes[node]);
  naive.nodes[node].thread = thread;
  naive.nodes[node].cta = thread / naive.per_cta;
  naive_after(node, naive.threads[thread].last);
  return node;
}

static int naive_next(int thread) {
  int node = naive_loose(thread);
  naive.threads[thread].last = node;
  return node;
}

static void naive_push(naive_list_t *list, int node) {
  list->nodes[list->n++] = node;
}

static bool naive_includes(const naive_source_t *source, int scope, int cta) {
  return source->cta == cta || (source->scope >= 2 && scope >= 2);
}

static int naive_scope(const emu_insn_t *insn) {
  return EMU_HAS(insn, cta) ? 0 : EMU_HAS(insn, cluster) ? 1 : 2;
}

static naive_place_t *naive_place(uint64_t key) {
  for (int i = 0; i < naive.n_places; ++i)
    if (naive.places[i].key == key)
      return &naive.places[i];
  naive.places[naive.n_places] = (naive_place_t){.key = key};
  return &naive.places[naive.n_places++];
}

/* A strong access: what it acquires comes behind it, what it releases is found in its place. */
static void naive_edges(int thread, int node, const emu_insn_t *insn, uint64_t key, emu_access_t access) {
  naive_thread_t *it = &naive.threads[thread];
  naive_place_t *place = naive_place(key);
  int scope = naive_scope(insn), cta = naive.nodes[node].cta;
  bool acquires = EMU_HAS(insn, acquire) || EMU_HAS(insn, acq_rel), reads = access != EMU_WRITE;
  bool releases = EMU_HAS(insn, release) || EMU_HAS(insn, acq_rel);
  if (reads && acquires) {
    int learns = naive_next(thread);
    for (int i = 0; i < place->n; ++i)
      if (naive_includes(&place->sources[i], scope, cta))
        naive_after(learns, place->sources[i].node);
    node = learns;
  } else if (reads) {
    for (int i = 0; i < place->n; ++i)
      if (naive_includes(&place->sources[i], scope, cta)) {
        naive_source_t source = place->sources[i];
        source.scope = source.scope < scope ? source.scope : scope;
        it->observed[it->n_observed++] = source;
      }
  }
  if (access == EMU_READ)
    return;
  if (access == EMU_WRITE)
    place->n = 0;
  if (releases)
    place->sources[place->n++] = (naive_source_t){node, scope, cta};
  for (int i = 0; i < it->n_fences && !releases; ++i)
    place->sources[place->n++] =
        (naive_source_t){it->fences[i].node, it->fences[i].scope < scope ? it->fences[i].scope : scope, cta};
  assert_true(place->n < NAIVE_MOST / 2 && it->n_observed < NAIVE_MOST / 2);
}

static void naive_request(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                          uint32_t bytes, emu_access_t access) {
  bool atomic = insn->klass == NEREID_EMULATOR_CLASS_ATOMIC;
  bool strong = atomic || EMU_HAS(insn, volatile) || EMU_HAS(insn, relaxed) || EMU_HAS(insn, acquire) ||
                EMU_HAS(insn, release) || EMU_HAS(insn, acq_rel);
  FOR_LANES(lane, mask) {
    emu_space_t space = nereid_emulator_space(insn, addresses[lane]);
    if ((space != EMU_SHARED && space != EMU_GLOBAL) || EMU_HAS(insn, param))
      return;
    int thread = naive_thread_of(warp, lane), node = naive_next(thread);
    naive_node_t *it = &naive.nodes[node];
    it->accesses = true;
    it->in_global = space == EMU_GLOBAL;
    it->writes = access != EMU_READ;
    it->strong = strong ? 1 + naive_scope(insn) : 0;
    it->size = (int)bytes;
    it->pc = (int)insn->line;
    it->address = it->in_global ? addresses[lane] : addresses[lane] & EMU_OFFSET_MASK;
    it->bytes = bytes;
    it->has_value = access == EMU_WRITE;
    for (unsigned i = 0; it->has_value && i < insn->n_vector; ++i) {
      uint64_t bits = emu_lane(warp, &insn->operands[1 + i], (int)lane);
      memcpy(it->value + i * (bytes / insn->n_vector), &bits, bytes / insn->n_vector);
    }
    uint64_t key = it->address | (uint64_t)it->in_global << 63 | (it->in_global ? 0 : (uint64_t)naive.cta << 48);
    if (strong)
      naive_edges(thread, node, insn, key, access);
    else if (it->writes)
      naive_place(key)->n = 0;
  }
}

static void naive_fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    int thread = naive_thread_of(warp, lane), node = naive_next(thread);
    naive_thread_t *it = &naive.threads[thread];
    for (int i = 0; i < it->n_observed && !EMU_HAS(insn, release); ++i)
      if (naive_includes(&it->observed[i], naive_scope(insn), naive.nodes[node].cta))
        naive_after(node, it->observed[i].node);
    if (!EMU_HAS(insn, acquire))
      it->fences[it->n_fences++] = (naive_source_t){node, naive_scope(insn), naive.nodes[node].cta};
    assert_true(it->n_fences < NAIVE_MOST / 2);
  }
}

static void naive_proxy_fence(emu_warp_t *warp, uint32_t mask) {
  FOR_LANES(lane, mask) naive.nodes[naive_next(naive_thread_of(warp, lane))].fence = true;
}

static void naive_warp_sync(emu_warp_t *warp, uint32_t mask) {
  int first = mask ? naive_loose(naive_thread_of(warp, (uint32_t)__builtin_ctz(mask))) : 0;
  FOR_LANES(lane, mask) naive_after(first, naive.threads[naive_thread_of(warp, lane)].last);
  FOR_LANES(lane, mask) naive_after(naive_next(naive_thread_of(warp, lane)), first);
}

static void naive_arrive(emu_warp_t *warp, unsigned id, uint32_t mask) {
  FOR_LANES(lane, mask) naive_push(&naive.barriers[id], naive_next(naive_thread_of(warp, lane)));
}

static void naive_leave(emu_warp_t *warp, unsigned id, uint32_t mask) {
  FOR_LANES(lane, mask) {
    int node = naive_next(naive_thread_of(warp, lane));
    for (int i = 0; i < naive.barriers[id].n; ++i)
      naive_after(node, naive.barriers[id].nodes[i]);
  }
}

static int naive_mbarrier_at(uint32_t offset) {
  for (int i = 0; i < naive.n_mbarriers; ++i)
    if (naive.mbarriers[i] == offset)
      return i;
  naive.mbarriers[naive.n_mbarriers] = offset;
  return naive.n_mbarriers++;
}

static void naive_mbarrier(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint32_t offset,
                           emu_race_mbarrier_t what) {
  if (what == EMU_RACE_USE) /* looking again and again */
    return;
  int thread = naive_thread_of(warp, (uint32_t)lane), node = naive_next(thread), at = naive_mbarrier_at(offset);
  naive_node_t *it = &naive.nodes[node];
  it->accesses = it->writes = true;
  it->strong = what == EMU_RACE_INIT ? 0 : 3;
  it->size = 8;
  it->pc = (int)insn->line;
  it->address = offset;
  it->bytes = 8;
  if (what == EMU_RACE_INIT)
    naive.pending[at].n = naive.done[at].n = 0;
  else if (what == EMU_RACE_ARRIVE && !EMU_HAS(insn, relaxed))
    naive_push(&naive.pending[at], node);
  else if (what == EMU_RACE_OBSERVE && !EMU_HAS(insn, relaxed)) {
    int learns = naive_next(thread);
    for (int i = 0; i < naive.done[at].n; ++i)
      naive_after(learns, naive.done[at].nodes[i]);
  }
}

static void naive_phase(uint32_t offset) {
  int at = naive_mbarrier_at(offset);
  naive.done[at] = naive.pending[at];
  naive.pending[at].n = 0;
}

static void naive_issue(emu_effect_t *effect, int lane, bool writes, bool in_global, uint64_t address, uint64_t bytes) {
  if (!bytes)
    return;
  int node = naive_loose(naive_thread_of(effect->warp, (uint32_t)lane));
  naive_node_t *it = &naive.nodes[node];
  it->accesses = true;
  it->writes = writes;
  it->in_global = in_global;
  it->copy = effect->kind == EMU_GROUP_ASYNC;
  it->async = !it->copy;
  it->pc = (int)effect->insn->line;
  it->address = address;
  it->bytes = bytes;
  naive.effects[naive.n_effects++] = (naive_effect_t){effect, lane, node, writes, false};
}

/* What an mbarrier tracks passes on what its issuer knew. */
static void naive_tracked(emu_effect_t *effect) {
  FOR_LANES(lane, effect->lanes)
  naive.effects[naive.n_effects++] =
      (naive_effect_t){effect, (int)lane, naive_loose(naive_thread_of(effect->warp, lane)), false, false};
}

static void naive_waited(const emu_effect_t *effect, uint32_t lanes, bool reads) {
  for (int i = 0; i < naive.n_effects; ++i) {
    naive_effect_t *it = &naive.effects[i];
    if (it->effect != effect || it->ended || !(lanes >> it->lane & 1) || (reads && it->writes))
      continue;
    naive_after(naive_next(naive_thread_of(effect->warp, (uint32_t)it->lane)), it->node);
    it->ended = true;
  }
}

static void naive_completed(const emu_effect_t *effect, uint32_t lanes, uint32_t offset) {
  for (int i = 0; i < naive.n_effects; ++i) {
    naive_effect_t *it = &naive.effects[i];
    if (it->effect != effect || it->ended || !(lanes >> it->lane & 1))
      continue;
    naive_push(&naive.pending[naive_mbarrier_at(offset)], it->node);
    naive.nodes[it->node].by_phase = it->ended = true;
  }
}

static void naive_forget(const emu_effect_t *effect) { /* its address may be another's soon */
  for (int i = 0; i < naive.n_effects; ++i)
    if (naive.effects[i].effect == effect)
      naive.effects[i].effect = NULL;
}

static bool naive_exempt(const naive_node_t *a, const naive_node_t *b) {
  if (a->size != b->size)
    return false;
  if (a->strong && b->strong)
    return a->cta == b->cta || (a->strong == 3 && b->strong == 3);
  return false;
}

/* Whether a weak store's value was also stored by an unordered store to the same place. */
static bool naive_replicated(int b) {
  const naive_node_t *y = &naive.nodes[b];
  for (int i = 0; i < naive.n_nodes && y->has_value && !y->strong; ++i) {
    const naive_node_t *it = &naive.nodes[i];
    bool other = it->has_value && !it->strong && it->address == y->address && it->bytes == y->bytes;
    if (other && i != b && !naive_ordered(i, b) && !naive_ordered(b, i) && memcmp(it->value, y->value, y->bytes) == 0)
      return true;
  }
  return false;
}

static bool naive_touches(const naive_node_t *a, const naive_node_t *b, uint64_t byte) {
  return a->in_global == b->in_global && (a->in_global || a->cta == b->cta) && byte - a->address < a->bytes &&
         byte - b->address < b->bytes;
}

/* Whether a fence makes a write, `a`, known to the asynchronous access `b`, or another write of the byte is between; a
 * strong one may or may not count. */
static bool naive_fenced(int a, int b, uint64_t byte, bool *maybe) {
  for (int f = a + 1; f < b; ++f) {
    const naive_node_t *it = &naive.nodes[f];
    bool between = naive_ordered(a, f) && naive_ordered(f, b);
    if (between && it->fence && (it->thread == naive.nodes[a].thread || naive.nodes[a].by_phase))
      return true;
    if (!between || !it->accesses || !it->writes || !naive_touches(it, &naive.nodes[b], byte))
      continue;
    if (!it->strong)
      return true;
    *maybe = true;
  }
  return false;
}

static void naive_found(int a, int b, uint64_t byte, bool proxy, bool maybe) {
  if (naive.n_pairs == naive.capacity) {
    naive.capacity = naive.capacity ? naive.capacity * 2 : 1024;
    naive_pair_t *pairs = realloc(naive.pairs, naive.capacity * sizeof *naive.pairs);
    assert_non_null(pairs);
    naive.pairs = pairs;
  }
  const naive_node_t *later = &naive.nodes[b];
  uint64_t key = byte | (uint64_t)later->in_global << 63 | (later->in_global ? 0 : (uint64_t)later->cta << 48);
  naive.pairs[naive.n_pairs++] = (naive_pair_t){key, naive.nodes[a].pc, later->pc, proxy, maybe};
}

static void naive_end(void) {
  for (int b = 0; b < naive.n_nodes; ++b)
    for (int a = 0; a < b && naive.nodes[b].accesses; ++a) {
      const naive_node_t *x = &naive.nodes[a], *y = &naive.nodes[b];
      if (!x->accesses || !(x->writes || y->writes))
        continue;
      bool ordered = naive_ordered(a, b), proxy = ordered && y->async && x->writes && !x->async;
      if (ordered ? !proxy : naive_exempt(x, y))
        continue;
      bool maybe = naive_replicated(a) || naive_replicated(b);
      for (uint64_t byte = x->address; byte < x->address + x->bytes; ++byte)
        if (naive_touches(x, y, byte) && !(proxy && naive_fenced(a, b, byte, &maybe)))
          naive_found(a, b, byte, proxy, maybe);
    }
}

#endif
