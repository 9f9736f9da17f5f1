/* Slots of a pipelined loop that several CTAs of a cluster fill together, by multicast (ring_sharing.h). From the
 * second use of a slot on:
 *
 *   ttng.arrive_barrier %empty[%i], 1, %p deps %slot {ctas = 3 : i32}      this CTA has read the slot
 *   ttng.wait_barrier %empty[%i], %phase, %p {firstWarp}                   so have the CTAs to which the copies write
 *   ttng.barrier_expect %full[%i], bytes, %p
 *   ttng.async_tma_copy_global_to_local … %slot, %full[%i], %p {multicast}
 *
 * A barrier of the cluster before the loop orders the first use after the initialization of the mbarriers and after
 * earlier accesses to the memory; one after the loop keeps CTAs from exiting while others write to them. */
#ifndef NEREID_PASSES_SHARED_SLOTS_H
#define NEREID_PASSES_SHARED_SLOTS_H

#include "nereid/builder.h"

#include <stdint.h>

/* Whether loops of `module` can share slots: its kernels have no partitions, so that all threads of a cluster reach its
 * barrier. */
bool nereid_shared_slots_are_possible(MlirOperation module);

/* Emits a barrier of the cluster, and a fence before it: mbarriers are initialized, or all bytes have arrived. */
void nereid_shared_slots_synchronize(const nereid_builder_t *builder);

/* A slot of each ring of a group, in this and other CTAs. */
typedef struct nereid_shared_slots {
  MlirValue empty;     /* the mbarrier of the slots: one arrival of each of these CTAs */
  MlirValue phase;     /* the parity of the phase that their arrivals complete, an i32 */
  MlirValue predicate; /* i1: whether the slots have been filled before */
  MlirValue *slots;    /* that the copies write */
  intptr_t n;
  uint32_t ctas; /* a set relative to the executing CTA */
} nereid_shared_slots_t;

/* Emits the arrivals that release the slots, after all accesses of this CTA to them. */
MlirOperation nereid_shared_slots_arrive(const nereid_builder_t *builder, const nereid_shared_slots_t *shared);

/* Emits the wait of the thread that copies until all these CTAs have released the slots. */
MlirOperation nereid_shared_slots_wait(const nereid_builder_t *builder, const nereid_shared_slots_t *shared);

#endif
