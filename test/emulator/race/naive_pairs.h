/* All racing pairs of accesses of each byte, for the naive race detector, and violations of the rules on registers and
 * tensor maps: `naive_end` fills naive.pairs, sorted by byte, with one entry per pair of instructions.
 *
 * A byte with the same accesses as the byte before has the same pairs, which are not recomputed: the only optimization.
 */
#ifndef NEREID_TEST_NAIVE_PAIRS_H
#define NEREID_TEST_NAIVE_PAIRS_H

#include "test/emulator/race/naive_events.h"

enum { NAIVE_BUCKET = 16 }; /* bytes */

/* The byte of pairs without a byte: violations of a rule at an instruction. */
#define NAIVE_AT_RULE (UINT64_C(1) << 62)

typedef struct naive_touch { /* an access of some bytes of a bucket */
  uint64_t bucket;
  int access;
} naive_touch_t;

static bool naive_covers(int access, uint64_t byte) {
  return byte - naive.accesses.data[access].at < naive.accesses.data[access].bytes;
}

static bool naive_any_before(const naive_ints_t *ends, int node) {
  for (size_t i = 0; i < ends->size; ++i)
    if (ends->data[i] == node || naive_reaches(ends->data[i], node))
      return true;
  return false;
}

/* Whether an access precedes a node, or is earlier in it. */
static bool naive_ends_before(const naive_access_t *it, int node) {
  if (it->operation < 0)
    return it->node == node || naive_reaches(it->node, node);
  const naive_operation_t *operation = &naive.operations.data[it->operation];
  return naive_any_before(&operation->ends, node) || naive_any_before(&operation->phases, node);
}

/* a is earlier than b in this run. */
static bool naive_ordered(int a, int b) {
  return naive_ends_before(&naive.accesses.data[a], naive.accesses.data[b].node);
}

static bool naive_same_value(const naive_access_t *a, const naive_access_t *b) {
  return a->value >= 0 && b->value >= 0 && a->at == b->at && a->bytes == b->bytes &&
         memcmp(&naive.values.data[a->value], &naive.values.data[b->value], a->bytes) == 0;
}

/* Unordered, but not a race: both are strong. */
static bool naive_exempt(const naive_access_t *a, const naive_access_t *b) {
  int scope = (a->strong < b->strong ? a->strong : b->strong) - 1;
  return a->size == b->size && scope >= 0 && naive_in_scope(scope, a->thread, b->thread);
}

static bool naive_home(int thread, uint64_t at) {
  return (uint64_t)naive.threads.data[thread].cta == at >> 48;
}

/* Whether a's thread (`anybody`: any thread of the CTA that owns the memory) fenced after one of its ends and before
 * the node. */
static bool naive_fenced_after(const naive_access_t *a, const naive_ints_t *ends, bool anybody, int node) {
  int last = anybody ? (int)naive.threads.size - 1 : a->thread;
  for (int t = anybody ? 0 : a->thread; t <= last; ++t) {
    const naive_ints_t *fences = &naive.threads.data[t].fences[a->at >> 63];
    for (size_t i = 0; i < fences->size && (!anybody || naive_home(t, a->at)); ++i)
      for (size_t k = 0; k < ends->size; ++k) {
        int fence = fences->data[i];
        if (naive_reaches(ends->data[k], fence) && (fence == node || naive_reaches(fence, node)))
          return true;
      }
  }
  return false;
}

/* A phase of an mbarrier ends an access for all threads of the CTA. */
static bool naive_fenced(const naive_access_t *a, int node) {
  const naive_operation_t *operation = a->operation < 0 ? NULL : &naive.operations.data[a->operation];
  const naive_ints_t own = {.data = (int[]){a->node}, .size = 1};
  return naive_fenced_after(a, operation ? &operation->ends : &own, false, node) ||
         (operation && naive_fenced_after(a, &operation->phases, true, node));
}

/* Only the last write counts: whether there is one between the two, and whether all of these are strong, in which case
 * the detector may report either. */
static bool naive_covered(const naive_ints_t *list, int a, int b, naive_doubt_t *doubt) {
  for (size_t i = 0; i < list->size; ++i) {
    int w = list->data[i];
    if (w <= a || w >= b || !naive.accesses.data[w].writes || !naive_ordered(a, w) || !naive_ordered(w, b))
      continue;
    if (!naive.accesses.data[w].strong)
      return true;
    *doubt = NAIVE_MISSED;
  }
  return false;
}

/* Whether another store wrote some of the bytes between two stores, so that memory may already hold the value of the
 * later one. `here`: the accesses of the current bucket. */
static bool naive_patched(const naive_ints_t *here, int a, int b) {
  const naive_access_t *x = &naive.accesses.data[a], *y = &naive.accesses.data[b];
  if (x->value < 0 || y->value < 0 || x->at != y->at || x->bytes != y->bytes)
    return false;
  for (size_t i = 0; i < here->size; ++i) {
    const naive_access_t *it = &naive.accesses.data[here->data[i]];
    if (it > x && it < y && it->writes && it->at < x->at + x->bytes && x->at < it->at + it->bytes)
      return true;
  }
  return false;
}

/* Whether the detector may regard another, unordered store as one of the same value. */
static bool naive_replicated(const naive_ints_t *list, const naive_ints_t *here, int b) {
  for (size_t i = 0; i < list->size; ++i) {
    int a = list->data[i], first = a < b ? a : b, last = a < b ? b : a;
    const naive_access_t *x = &naive.accesses.data[first], *y = &naive.accesses.data[last];
    if (a != b && (naive_same_value(x, y) || naive_patched(here, first, last)) && !naive_ordered(first, last))
      return true;
  }
  return false;
}

static void naive_find(uint64_t at, int earlier, int later, nereid_emulator_race_class_t kind, const int threads[2],
                       const uint8_t kinds[2], naive_doubt_t doubt) {
  for (size_t i = naive.pairs.size; i > 0 && naive.pairs.data[i - 1].at == at; --i) {
    naive_pair_t *it = &naive.pairs.data[i - 1];
    if (it->earlier == earlier && it->later == later && it->kind == kind) {
      it->doubt = doubt < it->doubt ? doubt : it->doubt;
      return;
    }
  }
  naive_push(&naive.pairs,
             (naive_pair_t){at, earlier, later, kind, doubt, {threads[0], threads[1]}, {kinds[0], kinds[1]}});
}

static bool naive_found(uint64_t at, int earlier, int later, nereid_emulator_race_class_t kind) {
  for (size_t i = naive.pairs.size; i > 0 && naive.pairs.data[i - 1].at == at; --i) {
    const naive_pair_t *it = &naive.pairs.data[i - 1];
    if (it->earlier == earlier && it->later == later && it->kind == kind && it->doubt == NAIVE_SURE)
      return true;
  }
  return false;
}

static void naive_pair(const naive_ints_t *list, const naive_ints_t *here, uint64_t byte, int a, int b) {
  const naive_access_t *x = &naive.accesses.data[a], *y = &naive.accesses.data[b];
  if (!(x->writes || y->writes) || (x->operation >= 0 && x->operation == y->operation))
    return;
  bool ordered = naive_ordered(a, b);
  naive_doubt_t doubt = NAIVE_SURE;
  nereid_emulator_race_class_t kind = ordered ? NEREID_EMULATOR_RACE_PROXY : NEREID_EMULATOR_RACE_DATA;
  if (ordered ? !y->proxy || x->proxy || !x->writes : naive_exempt(x, y))
    return;
  if (naive_found(byte, x->pc, y->pc, kind))
    return;
  if (ordered && (naive_fenced(x, y->node) || naive_covered(list, a, b, &doubt)))
    return;
  if (!ordered && naive_same_value(x, y))
    doubt = NAIVE_ONE_VALUE;
  else if (naive_replicated(list, here, a) || naive_replicated(list, here, b))
    doubt = NAIVE_MISSED;
  naive_find(byte, x->pc, y->pc, kind, (const int[]){x->thread, y->thread}, (const uint8_t[]){x->kind, y->kind}, doubt);
}

static void naive_byte(const naive_ints_t *list, const naive_ints_t *here, uint64_t byte) {
  for (size_t j = 0; j < list->size; ++j)
    for (size_t i = 0; i < j; ++i)
      naive_pair(list, here, byte, list->data[i], list->data[j]);
}

/* The bytes of a bucket, whose accesses are in execution order. */
static void naive_bucket(const naive_touch_t *touches, size_t n) {
  naive_ints_t list = {0}, before = {0}, here = {0};
  for (size_t i = 0; i < n; ++i)
    naive_push(&here, touches[i].access);
  size_t first = 0, last = 0; /* pairs of the byte before */
  for (uint64_t byte = touches->bucket * NAIVE_BUCKET; byte < (touches->bucket + 1) * NAIVE_BUCKET; ++byte) {
    list.size = 0;
    for (size_t i = 0; i < n; ++i)
      if (naive_covers(touches[i].access, byte))
        naive_push(&list, touches[i].access);
    bool same = list.size == before.size && (!list.size || !memcmp(list.data, before.data, list.size * sizeof(int)));
    size_t end = naive.pairs.size;
    for (size_t i = first; same && i < last; ++i) {
      naive_pair_t pair = naive.pairs.data[i];
      pair.at = byte;
      naive_push(&naive.pairs, pair);
    }
    if (!same)
      naive_byte(&list, &here, byte);
    first = end;
    last = naive.pairs.size;
    naive_ints_t other = before;
    before = list;
    list = other;
  }
}

static int naive_by_bucket(const void *a, const void *b) {
  const naive_touch_t *x = a, *y = b;
  return x->bucket != y->bucket ? (x->bucket > y->bucket) - (x->bucket < y->bucket) : x->access - y->access;
}

static void naive_memory(void) {
  NEREID_VECTOR(naive_touch_t) touches = {0};
  for (size_t i = 0; i < naive.accesses.size; ++i) {
    const naive_access_t *it = &naive.accesses.data[i];
    for (uint64_t bucket = it->at / NAIVE_BUCKET; bucket <= (it->at + it->bytes - 1) / NAIVE_BUCKET; ++bucket)
      naive_push(&touches, (naive_touch_t){bucket, (int)i});
  }
  if (touches.size)
    qsort(touches.data, touches.size, sizeof *touches.data, naive_by_bucket);
  for (size_t i = 0, j = 0; i < touches.size; i = j) {
    while (j < touches.size && touches.data[j].bucket == touches.data[i].bucket)
      ++j;
    naive_bucket(&touches.data[i], j - i);
  }
}

/* A rule's pair: a warp's, or a thread's. */
static void naive_forbid(int earlier, int later, nereid_emulator_race_class_t kind, int first, int second) {
  naive_find(NAIVE_AT_RULE | (uint64_t)later, earlier, later, kind, (const int[]){first, second},
             (const uint8_t[]){RACE_RULE, RACE_RULE}, NAIVE_SURE);
}

/* Whether an instruction names a register of a wgmma's D, or of its A. */
static bool naive_names(const emu_insn_t *insn, const emu_insn_t *product) {
  for (int l = 0; l < (product->lists[1].count > 1 ? 2 : 1); ++l)
    for (uint32_t i = 0; i < product->lists[l].count; ++i)
      for (uint32_t k = 0; k < insn->n_operands; ++k) {
        const emu_operand_t *a = &product->operands[product->lists[l].first + i], *b = &insn->operands[k];
        if (!a->absent && !b->absent && a->base == EMU_REGISTERS && b->base == EMU_REGISTERS &&
            a->offset / 4 == b->offset / 4)
          return true;
      }
  return false;
}

/* Registers: accesses of a warp between its last fence and a wgmma, and between the wgmma and its wait. */
static void naive_registers(size_t product) {
  const naive_step_t *p = &naive.steps.data[product];
  bool fenced = false, waited = false;
  const nereid_emulator_race_class_t kind = NEREID_EMULATOR_RACE_REGISTER;
  for (size_t i = product; i > 0 && !fenced; --i) {
    const naive_step_t *it = &naive.steps.data[i - 1];
    fenced = it->thread == p->thread && it->kind == NAIVE_FENCE;
    if (it->thread == p->thread && it->kind == NAIVE_TOUCH && naive_names(it->insn, p->insn))
      naive_forbid(naive_pc(it->insn), naive_pc(p->insn), kind, p->thread, p->thread);
  }
  if (!fenced)
    naive_forbid(naive_pc(p->insn), naive_pc(p->insn), kind, p->thread, p->thread);
  for (size_t i = product + 1; i < naive.steps.size && !waited; ++i) {
    const naive_step_t *it = &naive.steps.data[i];
    waited = it->thread == p->thread && it->kind == NAIVE_WAITED && it->effect == p->effect;
    if (it->thread == p->thread && it->kind == NAIVE_TOUCH && naive_names(it->insn, p->insn))
      naive_forbid(naive_pc(p->insn), naive_pc(it->insn), kind, p->thread, p->thread);
  }
}

static bool naive_map_before(size_t a, size_t b) {
  const naive_map_t *x = &naive.maps.data[a], *y = &naive.maps.data[b];
  return a < b && (x->node == y->node || naive_reaches(x->node, y->node));
}

/* Whether the writer of the map releases after the write and before an acquire of the map in the CTA that uses it. */
static bool naive_handed_over(size_t write, size_t use) {
  const naive_map_t *maps = naive.maps.data;
  int writer = naive.threads.data[maps[write].thread].cta, user = naive.threads.data[maps[use].thread].cta;
  for (size_t r = write; r < use; ++r) {
    bool copies = r == write && maps[r].what == EMU_RACE_MAP_COPY;
    bool releases = maps[r].what == EMU_RACE_MAP_RELEASE && naive.threads.data[maps[r].thread].cta == writer;
    if (!copies && !(releases && naive_map_before(write, r)))
      continue;
    for (size_t q = r + 1; q < use; ++q)
      if (maps[q].what == EMU_RACE_MAP_ACQUIRE && maps[q].address == maps[use].address &&
          naive.threads.data[maps[q].thread].cta == user && naive_map_before(r, q) && naive_map_before(q, use))
        return true;
  }
  return false;
}

static void naive_tensor_map(size_t use) {
  const naive_map_t *maps = naive.maps.data;
  for (size_t w = use; w--;)
    if (maps[w].address == maps[use].address &&
        (maps[w].what == EMU_RACE_MAP_WRITE || maps[w].what == EMU_RACE_MAP_COPY)) {
      if (!naive_handed_over(w, use))
        naive_forbid(maps[w].pc, maps[use].pc, NEREID_EMULATOR_RACE_TENSOR_MAP, maps[w].thread, maps[use].thread);
      return; /* the last write counts */
    }
}

static int naive_by_byte(const void *a, const void *b) {
  const naive_pair_t *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  if (x->earlier != y->earlier)
    return x->earlier - y->earlier;
  return x->later != y->later ? x->later - y->later : (int)x->kind - (int)y->kind;
}

static void naive_end(void) {
  for (size_t i = 0; i < naive.steps.size; ++i)
    if (naive.steps.data[i].kind == NAIVE_WGMMA)
      naive_registers(i);
  for (size_t i = 0; i < naive.maps.size; ++i)
    if (naive.maps.data[i].what == EMU_RACE_MAP_USE)
      naive_tensor_map(i);
  naive_memory();
  if (naive.pairs.size)
    qsort(naive.pairs.data, naive.pairs.size, sizeof *naive.pairs.data, naive_by_byte);
}

#endif
