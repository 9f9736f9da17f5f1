/* Finds the largest size of a buffer with which its frame fits; see fitting_size.h.
 *
 *   256x256xf16 and 256x256xf16 are live at once, the target has 232448 bytes
 *   ->  "128x256xf16 of 65536 bytes would fit here with the other buffers as they are"
 *
 * Each candidate is placed again with the other buffers, so that the answer holds for the allocator, including gaps. */
#include "passes/memory/fitting_size.h"

#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ops.h"

typedef struct trial {
  const nereid_frame_t *frame;
  int64_t limit;
  nereid_arena_t *arena;
  int64_t *bytes; /* by number of buffer; those of the frame between trials */
} trial_t;

static bool fits(const trial_t *trial) {
  const int64_t bytes = nereid_allocation_trial(trial->frame, trial->bytes, trial->arena);
  return bytes >= 0 && bytes <= trial->limit;
}

static bool fits_with(const trial_t *trial, const nereid_buffer_t *buffer, int64_t bytes) {
  int64_t *place = &trial->bytes[buffer - trial->frame->buffers];
  *place = bytes;
  const bool result = fits(trial);
  *place = buffer->bytes;
  return result;
}

/* Whether the leading dimension of the buffer numbers slots. */
static bool is_ring(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (nereid_op_kind(mlirOpOperandGetOwner(use)) == NEREID_OP_TTG_MEMDESC_INDEX)
      return true;
  return false;
}

/* A size of an explicit buffer. */
typedef struct explicit_size {
  nereid_ttg_memdesc_t type;
  int64_t bytes;
  bool ring; /* the leading dimension numbers slots */
} explicit_size_t;

static explicit_size_t size_of(const nereid_buffer_t *buffer) {
  MlirValue value = mlirOperationGetResult(buffer->op, 0);
  return (explicit_size_t){nereid_ttg_memdesc_of(value), buffer->bytes, is_ring(value)};
}

/* Removes the slots that exceed `limit` without the other buffers. */
static void limit_slots(explicit_size_t *size, int64_t limit) {
  const int64_t slots = size->ring ? size->type.shape[0] : 1, slot = size->bytes / slots;
  const int64_t most = slot > limit ? 1 : limit / slot + 1;
  if (slots <= most)
    return;
  size->type.shape[0] = most;
  size->bytes = slot * most;
}

/* Removes a slot, or halves the longest dimension; false when nothing is left to remove. */
static bool shrink(explicit_size_t *size) {
  int64_t *shape = size->type.shape;
  if (size->ring && shape[0] > 1) {
    size->bytes -= size->bytes / shape[0];
    return --shape[0] > 0;
  }
  int longest = 0;
  for (int d = 1; d < size->type.rank; ++d)
    longest = shape[d] > shape[longest] ? d : longest;
  shape[longest] /= 2;
  size->bytes /= 2;
  return shape[longest] > 0;
}

/* The text for an explicit buffer; null when no size of it is enough. */
static const char *fitting_shape(const trial_t *trial, const nereid_buffer_t *buffer) {
  explicit_size_t size = size_of(buffer);
  limit_slots(&size, trial->limit);
  while (shrink(&size))
    if (fits_with(trial, buffer, size.bytes))
      return nereid_arena_format(trial->arena, "%s of %lld bytes would fit here with the other buffers as they are",
                                 nereid_ttg_memdesc_shape_text(&size.type).chars, (long long)size.bytes);
  return NULL;
}

/* The text for the scratch of an op; null when no size of it is enough. */
static const char *fitting_scratch(const trial_t *trial, const nereid_buffer_t *buffer) {
  for (int64_t parts = 2; parts <= buffer->bytes; parts *= 2)
    if (fits_with(trial, buffer, buffer->bytes / parts))
      return nereid_arena_format(trial->arena,
                                 "scratch of %lld bytes, 1/%lld of it, would fit here with the other buffers as they "
                                 "are",
                                 (long long)(buffer->bytes / parts), (long long)parts);
  return NULL;
}

/* The first of `live` that is explicit; null when there is none. */
static const nereid_buffer_t *first_explicit(const nereid_buffer_t *const *live, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (live[i]->kind == NEREID_BUFFER_EXPLICIT)
      return live[i];
  return NULL;
}

/* The size of all buffers that fits, with the shape of one of them as an example. */
static nereid_fitting_size_t fitting_fraction(const trial_t *trial, const nereid_buffer_t *const *live, size_t count) {
  const nereid_buffer_t *example = first_explicit(live, count);
  explicit_size_t size = {0};
  if (example)
    size = size_of(example);
  size.ring = false;
  for (int64_t parts = 2; parts <= trial->limit; parts *= 2) {
    for (size_t i = 0; i < trial->frame->count; ++i)
      trial->bytes[i] = (trial->frame->buffers[i].bytes + parts - 1) / parts;
    example = example && shrink(&size) ? example : NULL;
    if (!fits(trial))
      continue;
    const char *text = nereid_arena_format(trial->arena, "the buffers would fit with 1/%lld of their sizes%s%s",
                                           (long long)parts, example ? ", such as here " : "",
                                           example ? nereid_ttg_memdesc_shape_text(&size.type).chars : "");
    return (nereid_fitting_size_t){(example ? example : live[0])->op, text};
  }
  return (nereid_fitting_size_t){0};
}

nereid_fitting_size_t nereid_fitting_size(const nereid_frame_t *frame, const nereid_buffer_t *const *live, size_t count,
                                          int64_t limit, nereid_arena_t *arena) {
  trial_t trial = {frame, limit, arena, nereid_arena_new(arena, int64_t, frame->count)};
  for (size_t i = 0; trial.bytes && i < frame->count; ++i)
    trial.bytes[i] = frame->buffers[i].bytes;
  for (size_t i = 0; trial.bytes && i < count; ++i) {
    const char *text = NULL;
    if (live[i]->kind == NEREID_BUFFER_EXPLICIT)
      text = fitting_shape(&trial, live[i]);
    else if (live[i]->kind == NEREID_BUFFER_SCRATCH)
      text = fitting_scratch(&trial, live[i]);
    if (text)
      return (nereid_fitting_size_t){live[i]->op, text};
  }
  return trial.bytes && count ? fitting_fraction(&trial, live, count) : (nereid_fitting_size_t){0};
}
