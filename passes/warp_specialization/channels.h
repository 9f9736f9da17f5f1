/* Channels: the values that a partition of a divided loop computes for others, and how the ring of slots that passes
 * them is filled.
 *
 *   %x = tt.descriptor_load …   [1]         a ring that TMA fills
 *   %y = tt.load …              [1]         a ring that cp.async fills
 *   %d = ttng.warp_group_dot …  [0]         a ring that the threads of partition 0 store to
 *   use %x [0]; use %y [0]; use %d [2] */
#ifndef NEREID_PASSES_CHANNELS_H
#define NEREID_PASSES_CHANNELS_H

#include "passes/warp_specialization/partitions.h"

enum { NEREID_CHANNEL_MAX = 16 /* values that share the barriers of a slot */ };

/* How a slot is filled. */
typedef enum nereid_channel_kind {
  NEREID_CHANNEL_BY_TMA,
  NEREID_CHANNEL_BY_CP_ASYNC,
  NEREID_CHANNEL_BY_STORES,
} nereid_channel_kind_t;

/* A partition that uses the values. */
typedef struct nereid_channel_reader {
  int partition;
  MlirOperation first, last;           /* uses in the block of the values */
  MlirValue slots[NEREID_CHANNEL_MAX]; /* set by the caller */
} nereid_channel_reader_t;

typedef struct nereid_channel_value {
  MlirOperation op; /* in the body of a loop of the nest */
  intptr_t result;  /* number of the op's result */
  MlirType slot_type;
  MlirValue ring; /* set by the caller */
} nereid_channel_value_t;

/* A channel: values with the same readers and the same first and last uses, whose slots share full and empty barriers.
 * The ring of a value has `slots` slots. */
typedef struct nereid_channel {
  nereid_channel_kind_t kind;
  int partition; /* that computes them */
  int32_t slots;
  size_t size;
  nereid_channel_value_t values[NEREID_CHANNEL_MAX];
  size_t n_readers;
  nereid_channel_reader_t readers[NEREID_PARTITION_MAX];
  bool releases_previous; /* an iteration releases the slot of the one before, whose dot is complete by then */
} nereid_channel_t;

typedef NEREID_VECTOR(nereid_channel_t) nereid_channels_t;

/* Collects the channels of the divided loop `root`. Values that an op of the same partition uses in a slot, or that ops
 * in several partitions use at once, are not collected. False when out of memory. Lives in `arena`. */
bool nereid_channels_collect(MlirOperation module, MlirOperation root, nereid_arena_t *arena, nereid_channels_t *out);

/* The value, as the result of its op. */
MlirValue nereid_channel_value(const nereid_channel_value_t *value);

/* Whether a loop of the nest yields the value: no partition then uses it there. */
bool nereid_channel_is_carried(MlirOpOperand use);

/* Whether `user` makes a buffer that the slot replaces, or a view of one. */
bool nereid_channel_is_view(const nereid_channel_value_t *value, MlirOperation user);

#endif
