/* Shared memory for the rings of a loop, before the loop has a schedule: from the latencies of its ops. */
#ifndef NEREID_PASSES_RING_BUDGET_H
#define NEREID_PASSES_RING_BUDGET_H

#include "passes/support/collect.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether `key`, an op with a latency, needs a ring: a load of a tensor, unless its value is stored by a
 * ttg.local_alloc that has a latency itself; or such a ttg.local_alloc. */
bool nereid_ring_budget_has_ring(MlirOperation key);

/* The slots of the ring of `key`, which is used `latency` iterations after it is executed. `late`: a step fills slots
 * after its dots and other uses, not before. */
int32_t nereid_ring_budget_slots(MlirOperation key, int64_t latency, bool late);

/* Bytes of one slot of the ring of `key`. */
int64_t nereid_ring_budget_slot_bytes(MlirOperation key);

/* Whether a dot that stays in flight reads a ring of `keys`, and no slot is read through registers into another buffer:
 * then late copies, after the dots, save a slot per ring. */
bool nereid_ring_budget_can_be_late(const nereid_operations_t *keys);

/* Bytes of the rings of `keys`, with the latencies in their attributes. */
int64_t nereid_ring_budget_bytes(const nereid_operations_t *keys, bool late);

/* Gives loads of threads whose rings need fewer slots than others of their commit group slots of their own, by the
 * attribute NEREID_ATTR_LOOP_OWN_SLOTS. False if there are none. */
bool nereid_ring_budget_separate(const nereid_operations_t *keys, bool late);

/* Undoes nereid_ring_budget_separate. */
void nereid_ring_budget_unite(const nereid_operations_t *keys);

/* Bytes of shared memory that rings can use, next to the buffers and the scratch that the loop needs otherwise, among
 * these one buffer per type of its TMA stores. `keys`: the ops that get rings. */
int64_t nereid_ring_budget_available(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys);

/* The same next to a buffer per TMA store in `loop` and the loops around it (passes/memory/tma_stores.h), if the
 * rings of `keys`, with the latencies in their attributes and as few slots as possible, fit there. */
int64_t nereid_ring_budget_beside_stores(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys);

/* Returns the CTAs that a multiprocessor can execute at a time, 1 or more, by an estimate of the registers of the
 * loop's dots. */
int64_t nereid_ring_budget_ctas_by_registers(MlirOperation loop);

/* Returns the same by the shared memory of the loop, too, with the rings of `keys` and the latencies in their
 * attributes. `alone`: without the other buffers, of which some may share memory. */
int64_t nereid_ring_budget_ctas(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys, bool alone);

/* Whether rings of `after` bytes instead of `before` fit in the `available` bytes and leave a multiprocessor as many
 * CTAs at a time, or two, by an estimate of the registers of the loop's dots; or NEREID_DOT_OVERLAPPED_CTAS, where
 * threads compute operands of dots. False if it has many CTAs: these need no additional slots. */
bool nereid_ring_budget_can_grow(MlirOperation module, MlirOperation loop, int64_t available, int64_t before,
                                 int64_t after);

/* Whether the copies of threads should follow the dots of threads, as other CTAs hide their latency: a multiprocessor
 * executes many CTAs, or it executes few warps, and one more CTA if the rings of `keys` have a slot less each. */
bool nereid_ring_budget_relies_on_ctas(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys);

/* Whether the copies should follow dots of warp groups that are complete when their iteration ends: with copies before
 * them, a slot more per ring leaves a multiprocessor one CTA instead of two. */
bool nereid_ring_budget_relies_on_second_cta(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys);

/* Whether a step should fill slots late, because dots in flight read one more slot: otherwise the rings of `keys` do
 * not fit, or leave a multiprocessor too few CTAs. Else the additional slot is worth its memory: copies wait
 * for no dot, and a step has one barrier of the CTA. */
bool nereid_ring_budget_is_late(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys);

#endif
