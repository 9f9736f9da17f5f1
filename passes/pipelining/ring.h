/* The ring of slots in shared memory into which a load of a pipelined loop is copied, or a tensor is stored: what its
 * users require. */
#ifndef NEREID_PASSES_RING_H
#define NEREID_PASSES_RING_H

#include "analysis/axis/axis_info.h"
#include "nereid/builder.h"
#include "passes/pipelining/schedule.h"

typedef NEREID_VECTOR(const nereid_scheduled_op_t *) nereid_scheduled_ops_t;

/* Whether `op` is a tt.load or a tt.descriptor_load. */
bool nereid_ring_is_load(MlirOperation op);

/* Whether a load is a volatile tt.load. */
bool nereid_ring_is_volatile(MlirOperation load);

typedef struct nereid_ring_load {
  const nereid_scheduled_op_t *scheduled; /* the load, or a ttg.local_alloc of a tensor that is stored */
  bool is_copied;                         /* by cp.async or TMA */
  MlirType slot_type;                     /* memdesc of one slot, mutable */
  int32_t slots;                          /* that it needs */
  bool saves_barrier;                     /* with one more: dots in flight then read none that a step overwrites */
  int32_t use_stage, use_cluster;         /* stage and cluster of the first use */
  nereid_scheduled_ops_t direct; /* users that the slot replaces: ttg.local_alloc, or ttg.convert_layout to a dot
                                    operand, which becomes a load from the slot */
  bool selects; /* elements that the mask excludes get their value by a select, where the slot is read: not where it
                   replaces users, for which the copy stores the value */
} nereid_ring_load_t;

/* Reads how a scheduled op is used. True when it is a load that an asynchronous copy can replace: of a tensor with a
 * layout, through a descriptor or 4 bytes or more at a time, and not used in its own stage. The schedule is
 * normalized. Lives in the schedule's arena. */
bool nereid_ring_load_read(const nereid_schedule_t *schedule, const nereid_scheduled_op_t *op,
                           const nereid_axis_result_t *axis, nereid_ring_load_t *out);

/* Reads how the buffer of a scheduled op is used. True when it is a ttg.local_alloc with a source that an op of a later
 * stage reads. `direct` is empty; the first use is that of the later stages. */
bool nereid_ring_buffer_read(const nereid_schedule_t *schedule, const nereid_scheduled_op_t *op,
                             nereid_ring_load_t *out);

/* Whether cp.async can copy the elements of `load` to a buffer of type `slot`: 4 bytes or more are contiguous, aligned
 * and under one bit of the mask, in both memories. TMA can always copy those of a tt.descriptor_load. */
bool nereid_ring_can_copy(MlirOperation load, MlirType slot, const nereid_axis_result_t *axis);

/* The type of a slot for the users of `load`. */
MlirType nereid_ring_slot_type(MlirOperation load);

/* The type of a slot to which threads store the tensor `value`, for its users. */
MlirType nereid_ring_value_slot_type(MlirValue value);

/* Whether `op` is a ttng.warp_group_dot that accumulates onto `value`. */
bool nereid_ring_dot_accumulates(MlirOperation op, MlirValue value);

/* Whether a ttng.warp_group_dot in the body of a loop can be in flight while the next iteration begins: its result is
 * used as an accumulator, or in a branch that waits for it. */
bool nereid_ring_dot_stays_in_flight(MlirOperation dot);

/* The op in the block of a ttng.warp_group_dot that requires its result, not as an accumulator; null if there is
 * none. */
MlirOperation nereid_ring_dot_waiting(MlirOperation dot);

/* Whether a ttng.warp_group_dot in the body of a loop is complete at the end of its iteration, although nothing
 * requires its result: the iteration waits for a younger dot, and dots complete in order. Before the loop has a
 * schedule. */
bool nereid_ring_dot_is_completed(MlirOperation dot);

/* Whether a warp reads elements of `load` that others copied, other warps or TMA, in the layout of the load or in one
 * that it is converted to. */
bool nereid_ring_crosses_warps(MlirOperation load);

/* Whether a step reads the slot of `load` before it issues copies, without a barrier: each warp loads from the slot
 * what it copied itself, and no user reads the slot later in the step. */
bool nereid_ring_is_read_first(MlirOperation load);

/* The encoding of a buffer from which a dot by tensor cores or by multiply-add reads its operand `tensor` in the layout
 * `operand`; null for a layout that is not a dot operand's. */
MlirAttribute nereid_ring_operand_encoding(MlirType tensor, MlirAttribute operand);

/* Whether the elements that the mask of a tt.load excludes have another value than zeros, which cp.async fills in. */
bool nereid_ring_has_other(MlirOperation load);

/* Emits zeros like the result of `load`. */
MlirValue nereid_ring_zeros(const nereid_builder_t *builder, MlirOperation load);

/* Emits the value of elements that the mask of a tt.load excludes: zeros where `selects`; null when it has no mask. */
MlirValue nereid_ring_excluded_value(const nereid_builder_t *builder, MlirOperation load, bool selects);

/* The memdesc type of an immutable buffer for `tensor`. */
MlirType nereid_ring_buffer_type(MlirType tensor, MlirAttribute encoding);

/* The distance between slots of type `slot`, in slots: 1, or more where TMA and wgmma require a larger alignment than
 * the bytes of a slot: 128, or the repeat of the swizzle pattern. Slot i is element i * spacing of the buffer. */
int64_t nereid_ring_spacing(MlirType slot);

/* Bytes from one slot of type `slot` to the next one. */
int64_t nereid_ring_slot_bytes(MlirType slot);

/* The memdesc type of the buffer of `slots` slots of type `slot`, with their spacing. */
MlirType nereid_ring_type(MlirType slot, int64_t slots);

/* Whether the buffer and all views of it are used in their regions only: others carry the type of an immutable one. */
bool nereid_ring_view_is_local(MlirValue view);

/* Replaces the immutable buffer `old` by `slot`, which is mutable, and so all views of it. */
void nereid_ring_replace_view(MlirValue old, MlirValue slot);

#endif
