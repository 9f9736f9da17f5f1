/* Reductions, scans, and scalar regions applied to every element.
 *
 *   tt.reduce of [a b c d e f g h]     [ab cd ef gh]  →  [abcd efgh]  →  abcdefgh
 *
 * A reduction combines adjacent elements, level by level, which preserves their order (the region need not be
 * commutative) and sums pairwise; a scan proceeds from one end to the other. An elementwise region runs once per
 * level on all pairs, any other region once per pair. */
#include "interpreter/machine.h"

#include "nereid/dialects/tt.h"

/* Elements of all operands, [outer][axis][inner] each; updated in place. */
typedef struct work {
  const nereid_step_t *step;
  const nereid_code_region_t *region;
  size_t outer, axis, inner, n;
  uint64_t **data;          /* per operand */
  uint64_t **left, **right; /* per operand: the pairs to combine; results replace the left elements */
} work_t;

/* Sets the block's arguments to `count` pairs from `first` on, runs the region and stores its results. */
static bool combine_some(nereid_machine_t *machine, const work_t *work, size_t first, size_t count) {
  const nereid_code_block_t *block = &work->region->blocks[0];
  for (size_t k = 0; k < 2 * work->n; ++k) {
    uint64_t *words = nereid_machine_resize(machine, block->arguments[k], count);
    if (!words)
      return false;
    const uint64_t *source = k < work->n ? work->left[k] : work->right[k - work->n];
    memcpy(words, source + first, count * sizeof *words);
  }
  const nereid_step_t *end = nereid_machine_region(machine, work->region);
  for (size_t k = 0; end && k < work->n; ++k)
    for (size_t i = 0; i < count; ++i)
      work->left[k][first + i] = nereid_machine_word(end->operands[k], i);
  return end != NULL;
}

static bool combine(nereid_machine_t *machine, const work_t *work, size_t count) {
  if (work->region->lanewise)
    return combine_some(machine, work, 0, count);
  for (size_t i = 0; i < count; ++i)
    if (!combine_some(machine, work, i, 1))
      return false;
  return true;
}

/* Copies the operands and allocates the pairs in `arena`. */
static bool prepare(nereid_machine_t *machine, const nereid_step_t *step, int axis, nereid_arena_t *arena,
                    work_t *work) {
  const nereid_shape_t *shape = &step->operands[0]->shape;
  *work = (work_t){.step = step, .region = &step->regions[0], .outer = 1, .inner = 1, .n = step->n_operands};
  for (int d = 0; d < axis; ++d)
    work->outer *= (size_t)shape->extent[d];
  for (int d = axis + 1; d < shape->rank; ++d)
    work->inner *= (size_t)shape->extent[d];
  work->axis = (size_t)shape->extent[axis];
  work->data = nereid_arena_new(arena, uint64_t *, work->n);
  work->left = nereid_arena_new(arena, uint64_t *, work->n);
  work->right = nereid_arena_new(arena, uint64_t *, work->n);
  for (size_t k = 0; !arena->failed && k < work->n; ++k) {
    work->data[k] = nereid_arena_new(arena, uint64_t, shape->count);
    work->left[k] = nereid_arena_new(arena, uint64_t, shape->count);
    work->right[k] = nereid_arena_new(arena, uint64_t, shape->count);
    for (size_t i = 0; work->data[k] && i < shape->count; ++i)
      work->data[k][i] = nereid_machine_word(step->operands[k], i);
  }
  return !arena->failed || nereid_machine_exhausted(machine);
}

/* --- reduce --- */

/* One level: the first `length` elements along the axis become (length + 1) / 2. */
static bool reduce_level(nereid_machine_t *machine, const work_t *work, size_t length) {
  const size_t pairs = length / 2, next = (length + 1) / 2, row = work->axis * work->inner;
  const size_t run = pairs * work->inner;
  for (size_t k = 0; k < work->n; ++k)
    for (size_t o = 0; o < work->outer; ++o)
      for (size_t p = 0; p < pairs; ++p) {
        const uint64_t *from = work->data[k] + o * row + 2 * p * work->inner;
        memcpy(work->left[k] + o * run + p * work->inner, from, work->inner * sizeof *from);
        memcpy(work->right[k] + o * run + p * work->inner, from + work->inner, work->inner * sizeof *from);
      }
  if (!combine(machine, work, work->outer * run))
    return false;
  for (size_t k = 0; k < work->n; ++k)
    for (size_t o = 0; o < work->outer; ++o) {
      uint64_t *to = work->data[k] + o * row;
      memcpy(to, work->left[k] + o * run, run * sizeof *to);
      if (next > pairs)
        memmove(to + run, to + (length - 1) * work->inner, work->inner * sizeof *to);
    }
  return true;
}

static bool reduce_in(nereid_machine_t *machine, const work_t *work) {
  for (size_t length = work->axis; length > 1; length = (length + 1) / 2)
    if (!reduce_level(machine, work, length))
      return false;
  for (size_t k = 0; k < work->n; ++k) {
    uint64_t *out = nereid_machine_result(machine, work->step, k);
    for (size_t o = 0; out && o < work->outer; ++o)
      memcpy(out + o * work->inner, work->data[k] + o * work->axis * work->inner, work->inner * sizeof *out);
    if (!out)
      return false;
  }
  return true;
}

static bool reduce(nereid_machine_t *machine, const nereid_step_t *step) {
  nereid_arena_t arena;
  work_t work;
  nereid_arena_initialize(&arena);
  const bool done =
      prepare(machine, step, nereid_tt_reduce_get_axis(step->op), &arena, &work) && reduce_in(machine, &work);
  nereid_arena_deinitialize(&arena);
  return done;
}

/* --- scan --- */

/* Moves row `at` along the axis between data and `rows`, which has [outer][inner]. */
static void move_row(const work_t *work, uint64_t *const *rows, size_t at, bool into_data) {
  for (size_t k = 0; k < work->n; ++k)
    for (size_t o = 0; o < work->outer; ++o) {
      uint64_t *data = work->data[k] + (o * work->axis + at) * work->inner, *row = rows[k] + o * work->inner;
      memcpy(into_data ? data : row, into_data ? row : data, work->inner * sizeof *row);
    }
}

static bool scan_in(nereid_machine_t *machine, const work_t *work, bool reverse) {
  move_row(work, work->left, reverse ? work->axis - 1 : 0, false);
  for (size_t i = 1; i < work->axis; ++i) {
    const size_t at = reverse ? work->axis - 1 - i : i;
    move_row(work, work->right, at, false);
    if (!combine(machine, work, work->outer * work->inner))
      return false;
    move_row(work, work->left, at, true);
  }
  for (size_t k = 0; k < work->n; ++k) {
    uint64_t *out = nereid_machine_result(machine, work->step, k);
    if (!out)
      return false;
    memcpy(out, work->data[k], work->step->results[k]->count * sizeof *out);
  }
  return true;
}

static bool scan(nereid_machine_t *machine, const nereid_step_t *step) {
  nereid_arena_t arena;
  work_t work;
  nereid_arena_initialize(&arena);
  const bool done = prepare(machine, step, nereid_tt_scan_get_axis(step->op), &arena, &work) &&
                    scan_in(machine, &work, nereid_tt_scan_get_reverse(step->op));
  nereid_arena_deinitialize(&arena);
  return done;
}

/* --- map --- */

/* Processes `pack` consecutive elements per run, operand by operand. */
static bool map_pack(nereid_machine_t *machine, const nereid_step_t *step, size_t pack, size_t first) {
  const nereid_code_block_t *block = &step->regions[0].blocks[0];
  for (size_t k = 0; k < block->n_arguments; ++k) {
    uint64_t *word = nereid_machine_resize(machine, block->arguments[k], 1);
    if (!word)
      return false;
    *word = nereid_machine_word(step->operands[k / pack], first + k % pack);
  }
  const nereid_step_t *end = nereid_machine_region(machine, &step->regions[0]);
  for (size_t k = 0; end && k < step->n_results * pack; ++k)
    step->results[k / pack]->words[first + k % pack] = end->operands[k]->words[0];
  return end != NULL;
}

static bool map_elementwise(nereid_machine_t *machine, const nereid_step_t *step) {
  const size_t pack = (size_t)nereid_tt_map_elementwise_get_pack(step->op);
  for (size_t r = 0; r < step->n_results; ++r)
    if (!nereid_machine_result(machine, step, r))
      return false;
  for (size_t i = 0; i + pack <= step->results[0]->count; i += pack)
    if (!map_pack(machine, step, pack, i))
      return false;
  return true;
}

const nereid_machine_row_t nereid_machine_reduce_rows[] = {
    {.kind = NEREID_OP_TT_REDUCE, .run = reduce},
    {.kind = NEREID_OP_TT_SCAN, .run = scan},
    {.kind = NEREID_OP_TT_MAP_ELEMENTWISE, .run = map_elementwise},
    {.kind = NEREID_OP_UNKNOWN},
};
