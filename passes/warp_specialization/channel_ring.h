/* The ring of a channel, and what the ops that fill and read its slots have in common.
 *
 *   %slot = ttg.memdesc_index %ring[%i]                 nereid_channel_slot
 *   %full, %empty                                       mbarriers of each slot; %i, its phase: a counter of the nest */
#ifndef NEREID_PASSES_CHANNEL_RING_H
#define NEREID_PASSES_CHANNEL_RING_H

#include "nereid/builder.h"
#include "passes/pass.h"
#include "passes/warp_specialization/channels.h"
#include "passes/warp_specialization/nest_counters.h"

typedef struct nereid_channel_ring {
  nereid_channel_t channel;
  size_t counter;
  MlirValue full, empty; /* barriers */
  bool is_async;         /* dots or TMA read the slots */
} nereid_channel_ring_t;

/* A loop that is divided between partitions. */
typedef struct nereid_divided_loop {
  nereid_pass_t *pass;
  MlirOperation root;
  NEREID_VECTOR(nereid_channel_ring_t) rings;
  nereid_nest_counters_t counters;
} nereid_divided_loop_t;

/* Emits ops of one partition on the slots of a ring. */
typedef struct nereid_channel_emitter {
  const nereid_divided_loop_t *divided;
  const nereid_channel_t *channel;
  const nereid_nest_counter_t *counter;
  MlirValue full, empty;
  bool is_async;
  nereid_partitions_t partitions; /* partitions of the emitted ops */
} nereid_channel_emitter_t;

nereid_channel_emitter_t nereid_channel_emitter_for(const nereid_divided_loop_t *divided,
                                                    const nereid_channel_ring_t *ring, int partition);

/* A builder before `op` with the location of the divided loop. */
nereid_builder_t nereid_channel_builder(const nereid_divided_loop_t *divided, MlirOperation op);

/* An i32 constant before the divided loop. */
MlirValue nereid_channel_constant(const nereid_divided_loop_t *divided, int64_t value);

/* Assigns `op` to the emitter's partitions, and returns it. */
MlirOperation nereid_channel_assign(const nereid_channel_emitter_t *emit, MlirOperation op);

/* The same; returns the result of `op`. */
MlirValue nereid_channel_result(const nereid_channel_emitter_t *emit, MlirOperation op);

/* The slot `index` of the ring of value `number` of the channel. */
MlirValue nereid_channel_slot(const nereid_channel_emitter_t *emit, const nereid_builder_t *builder, size_t number,
                              MlirValue index);

/* The CTAs that share a tile of the channel, as a set: each of them may write the slots of the others. */
uint32_t nereid_channel_sharing(const nereid_channel_t *channel);

#endif
