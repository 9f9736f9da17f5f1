/* The happens-before graph of a run, for the naive race detector.
 *
 *   thread 0:  n0 -----> n3            a node: the accesses of a thread between two synchronization operations
 *                \     /
 *   thread 1:  n1 -> n2 -> n4          n2: a barrier
 *
 * Each node stores the set of its predecessors as bits. Edges come from older nodes only, and a node gets no more edges
 * once it has successors, so that a set is complete when it is copied. */
#ifndef NEREID_TEST_NAIVE_GRAPH_H
#define NEREID_TEST_NAIVE_GRAPH_H

#include "base/vector.h"
#include "emulator/machine/execute.h"
#include "emulator/race/race.h"

#include <stdio.h>
#include <stdlib.h>

/* Aborts a test that exceeds the limits. */
#define NAIVE_REQUIRE(condition)                                                                                       \
  ((condition) ? (void)0 : (fprintf(stderr, "naive race detector: %s is not so\n", #condition), abort()))
#define naive_push(vector, ...) NAIVE_REQUIRE(nereid_vector_push(&naive.arena, vector, __VA_ARGS__))

enum { NAIVE_SCOPES = 3 }; /* CTA, cluster, GPU */

typedef NEREID_VECTOR(int) naive_ints_t;

typedef struct naive_node {
  uint64_t *before;
  bool used; /* it has accesses or successors */
} naive_node_t;

typedef struct naive_source { /* a release, which an acquire may observe */
  int node, scope, thread;
} naive_source_t;

typedef struct naive_thread {
  int node, cta, cluster;                 /* its current node; numbers */
  naive_ints_t fences[2];                 /* nodes that begin with fence.proxy.async, of shared and of global memory */
  int released[NAIVE_SCOPES];             /* the last fence of each scope; -1: none */
  NEREID_VECTOR(naive_source_t) observed; /* observed by relaxed reads, for a later fence */
} naive_thread_t;

typedef struct naive_place { /* in memory, with the releases of the value there */
  uint64_t at;
  NEREID_VECTOR(naive_source_t) sources;
} naive_place_t;

typedef struct naive_meeting { /* a strong access of GPU scope, which orders fences */
  uint64_t at;
  int node;
  bool writes;
} naive_meeting_t;

typedef struct naive_mbarrier {
  uint32_t offset;
  naive_ints_t arrivals, ending; /* nodes that arrived in the current phase; operations that end it */
  int landed, done; /* nodes: operations of all phases, and the ones of the last phase that a wait observes; -1: none */
} naive_mbarrier_t;

typedef struct naive_cta {
  int number, cluster, first; /* first: thread */
  naive_ints_t barriers[16];  /* nodes that arrived */
  int joined[16];             /* the node after the barrier; -1: none yet */
  NEREID_VECTOR(naive_mbarrier_t) mbarriers;
  naive_ints_t cluster_arrived; /* arrivals at a cluster barrier, kept in the cluster's first CTA */
  int cluster_done;
} naive_cta_t;

/* A lane's reads, or writes, by an asynchronous operation; a wgmma belongs to its warp. */
typedef struct naive_operation {
  const emu_effect_t *effect; /* null: it cannot complete once more */
  int lane, start;            /* node; -1: not known yet */
  bool writes;
  naive_ints_t ends, phases; /* the first nodes after it: of its issuers' waits, of phases of mbarriers */
} naive_operation_t;

typedef struct naive_access {
  uint64_t at; /* naive_at */
  uint32_t bytes;
  int node, thread, operation, value; /* -1: none */
  int pc, size, strong;               /* strong: 0, or 1 + the scope */
  uint8_t kind;                       /* of race_kind_t, for reports */
  bool writes, proxy;                 /* proxy: in the async proxy */
} naive_access_t;

typedef enum naive_step_kind { NAIVE_TOUCH, NAIVE_WGMMA, NAIVE_FENCE, NAIVE_WAITED } naive_step_kind_t;

typedef struct naive_step { /* a step of a warp that concerns the registers of wgmma */
  naive_step_kind_t kind;
  int thread; /* the warp's first */
  const emu_insn_t *insn;
  const emu_effect_t *effect; /* as a name */
} naive_step_t;

typedef struct naive_map { /* an operation on a tensor map */
  emu_race_map_t what;
  uint64_t address;
  int node, thread, pc;
} naive_map_t;

/* The detector compares a stored value with memory, so it may be inexact for stores of the same value. */
typedef enum naive_doubt {
  NAIVE_SURE,
  NAIVE_MISSED,    /* a race, but other stores may have written the same value: it may be missed */
  NAIVE_ONE_VALUE, /* stores of the same value, not a race: it may be reported when a third store is in between */
} naive_doubt_t;

typedef struct naive_pair { /* racing accesses of one byte, or a violation of a rule */
  uint64_t at;
  int earlier, later; /* pcs */
  nereid_emulator_race_class_t kind;
  naive_doubt_t doubt;
  int threads[2];
  uint8_t kinds[2];
} naive_pair_t;

static struct {
  nereid_arena_t arena;
  bool ready;
  const nereid_emulator_program_t *program;
  uint32_t grid[3], per_cta; /* threads of a CTA, in whole warps */
  NEREID_VECTOR(naive_node_t) nodes;
  NEREID_VECTOR(naive_thread_t) threads;
  NEREID_VECTOR(naive_cta_t *) ctas;
  NEREID_VECTOR(naive_place_t) places;
  naive_ints_t sc_fences; /* nodes that end with fence.sc of GPU scope */
  NEREID_VECTOR(naive_meeting_t) meetings;
  NEREID_VECTOR(naive_operation_t) operations;
  naive_ints_t flying;                 /* operations in flight */
  NEREID_VECTOR(naive_source_t) known; /* the nodes at the issue of effects; `thread`: the operation */
  NEREID_VECTOR(const emu_effect_t *) knowers;
  NEREID_VECTOR(naive_access_t) accesses;
  NEREID_VECTOR(uint64_t) values; /* four for each store */
  NEREID_VECTOR(naive_step_t) steps;
  NEREID_VECTOR(naive_map_t) maps;
  NEREID_VECTOR(naive_pair_t) pairs;
} naive;

static void naive_begin(const nereid_emulator_program_t *program, const nereid_emulator_launch_t *launch) {
  if (naive.ready)
    nereid_arena_deinitialize(&naive.arena);
  memset(&naive, 0, sizeof naive);
  nereid_arena_initialize(&naive.arena);
  naive.ready = true;
  naive.program = program;
  memcpy(naive.grid, launch->grid, sizeof naive.grid);
  naive.per_cta = (launch->block[0] * launch->block[1] * launch->block[2] + EMU_LANES - 1) / EMU_LANES * EMU_LANES;
}

/* A node without predecessors. */
static int naive_node(void) {
  int node = (int)naive.nodes.size;
  naive_push(&naive.nodes, (naive_node_t){.before = nereid_arena_new(&naive.arena, uint64_t, (size_t)node / 64 + 1)});
  NAIVE_REQUIRE(naive.nodes.data[node].before != NULL);
  return node;
}

static void naive_after(int node, int earlier) {
  if (earlier < 0)
    return;
  NAIVE_REQUIRE(earlier < node && !naive.nodes.data[node].used);
  for (int i = 0; i <= earlier / 64; ++i)
    naive.nodes.data[node].before[i] |= naive.nodes.data[earlier].before[i];
  naive.nodes.data[node].before[earlier / 64] |= UINT64_C(1) << earlier % 64;
  naive.nodes.data[earlier].used = true;
}

static void naive_after_all(int node, const naive_ints_t *earlier) {
  for (size_t i = 0; i < earlier->size; ++i)
    naive_after(node, earlier->data[i]);
}

static bool naive_reaches(int earlier, int later) {
  return earlier < later && naive.nodes.data[later].before[earlier / 64] >> earlier % 64 & 1;
}

/* A thread continues in a new node. */
static int naive_next(int thread) {
  int node = naive_node();
  naive_after(node, naive.threads.data[thread].node);
  naive.threads.data[thread].node = node;
  return node;
}

/* Its earlier accesses precede its successors, its later ones do not. */
static int naive_leave_node(int thread) {
  int node = naive.threads.data[thread].node;
  naive.nodes.data[node].used = true;
  naive_next(thread);
  return node;
}

/* An empty node of the thread. */
static int naive_fresh(int thread) {
  int node = naive.threads.data[thread].node;
  return naive.nodes.data[node].used ? naive_next(thread) : node;
}

static int naive_number(const emu_cta_t *cta) {
  return (int)(cta->id[0] + naive.grid[0] * (cta->id[1] + naive.grid[1] * cta->id[2]));
}

static naive_cta_t *naive_cta(const emu_cta_t *cta) {
  int number = naive_number(cta);
  for (size_t i = naive.ctas.size; i--;)
    if (naive.ctas.data[i]->number == number)
      return naive.ctas.data[i];
  naive_cta_t *it = nereid_arena_new(&naive.arena, naive_cta_t, 1);
  NAIVE_REQUIRE(it != NULL);
  it->number = number;
  it->cluster = naive_number(&cta->cluster->ctas[0]);
  it->first = (int)naive.threads.size;
  it->cluster_done = -1;
  for (int i = 0; i < 16; ++i)
    it->joined[i] = -1;
  for (uint32_t i = 0; i < naive.per_cta; ++i)
    naive_push(&naive.threads,
               (naive_thread_t){.node = naive_node(), .cta = number, .cluster = it->cluster, .released = {-1, -1, -1}});
  naive_push(&naive.ctas, it);
  return it;
}

static int naive_thread(const emu_warp_t *warp, uint32_t lane) {
  return naive_cta(warp->cta)->first + (int)(warp->index * EMU_LANES + lane);
}

static int naive_current(const emu_warp_t *warp, uint32_t lane) {
  int thread = naive_thread(warp, lane); /* creates it if necessary */
  return naive.threads.data[thread].node;
}

/* An address of any state space as one integer. `target`: the CTA of the shared memory; null: global. */
static uint64_t naive_at(const emu_cta_t *target, uint64_t address) {
  NAIVE_REQUIRE(address >> 48 == 0 && naive.ctas.size < 1 << 14);
  return target ? (uint64_t)naive_number(target) << 48 | address : UINT64_C(1) << 63 | address;
}

static bool naive_in_scope(int scope, int a, int b) {
  const naive_thread_t *x = &naive.threads.data[a], *y = &naive.threads.data[b];
  return x->cta == y->cta || scope >= 2 || (scope == 1 && x->cluster == y->cluster);
}

static bool naive_says(const emu_insn_t *insn, const char *start) {
  size_t n = strlen(start);
  return insn->text_size >= n && memcmp(insn->text, start, n) == 0;
}

static int naive_pc(const emu_insn_t *insn) {
  return (int)(insn - naive.program->insns.data);
}

#endif
