/* Creates tensors and moves elements without arithmetic; each op defines the source of element i.
 *
 *   tt.trans %x {order = [1, 0]}    out[i, j] = x[j, i] */
#include "interpreter/machine.h"

#include "nereid/dialects/tt.h"

static bool make_range(nereid_machine_t *machine, const nereid_step_t *step) {
  const int32_t start = nereid_tt_make_range_get_start(step->op);
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < step->results[0]->count; ++i)
    out[i] = nereid_bits_cut((uint64_t)start + i, step->to.bits);
  return out != NULL;
}

static bool splat(nereid_machine_t *machine, const nereid_step_t *step) {
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < step->results[0]->count; ++i)
    out[i] = step->operands[0]->words[0];
  return out != NULL;
}

/* expand_dims, reshape, unsplat: the element order is preserved. */
static bool same_order(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_assign(machine, 1, step->results, step->operands);
}

static bool broadcast(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_shape_t *from = &step->operands[0]->shape, *to = &step->results[0]->shape;
  int64_t at[NEREID_MACHINE_RANK];
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < to->count; ++i) {
    nereid_shape_coordinates(to, i, at);
    for (int d = 0; d < to->rank; ++d)
      at[d] = from->extent[d] == 1 ? 0 : at[d];
    out[i] = step->operands[0]->words[nereid_shape_index(from, at)];
  }
  return out != NULL;
}

static bool trans(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_shape_t *from = &step->operands[0]->shape, *to = &step->results[0]->shape;
  int64_t at[NEREID_MACHINE_RANK], source[NEREID_MACHINE_RANK];
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < to->count; ++i) {
    nereid_shape_coordinates(to, i, at);
    for (int d = 0; d < to->rank; ++d)
      source[nereid_tt_trans_get_order(step->op, d)] = at[d];
    out[i] = step->operands[0]->words[nereid_shape_index(from, source)];
  }
  return out != NULL;
}

/* The compiler may choose the element order of tt.cat; here the left elements come first. */
static bool cat(nereid_machine_t *machine, const nereid_step_t *step) {
  const size_t n = step->operands[0]->count;
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (!out)
    return false;
  memcpy(out, step->operands[0]->words, n * sizeof *out);
  memcpy(out + n, step->operands[1]->words, n * sizeof *out);
  return true;
}

static bool join(nereid_machine_t *machine, const nereid_step_t *step) {
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < step->results[0]->count; ++i)
    out[i] = step->operands[i % 2]->words[i / 2];
  return out != NULL;
}

static bool split(nereid_machine_t *machine, const nereid_step_t *step) {
  for (size_t r = 0; r < 2; ++r) {
    uint64_t *out = nereid_machine_result(machine, step, r);
    for (size_t i = 0; out && i < step->results[r]->count; ++i)
      out[i] = step->operands[0]->words[2 * i + r];
    if (!out)
      return false;
  }
  return true;
}

static bool gather(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *source = step->operands[0], *indices = step->operands[1];
  const int axis = nereid_tt_gather_get_axis(step->op);
  const nereid_shape_t *to = &step->results[0]->shape;
  int64_t at[NEREID_MACHINE_RANK];
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < to->count; ++i) {
    nereid_shape_coordinates(to, i, at);
    at[axis] = nereid_machine_index(indices, i);
    if (at[axis] < 0 || at[axis] >= source->shape.extent[axis])
      return nereid_machine_error(step, "has index %lld at element %zu, of %lld along axis %d", (long long)at[axis], i,
                                  (long long)source->shape.extent[axis], axis);
    out[i] = source->words[nereid_shape_index(&source->shape, at)];
  }
  return out != NULL;
}

static bool histogram(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *source = step->operands[0], *mask = step->n_operands > 1 ? step->operands[1] : NULL;
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (!out)
    return false;
  const size_t bins = step->results[0]->count;
  memset(out, 0, bins * sizeof *out);
  for (size_t i = 0; i < source->count; ++i)
    if ((!mask || nereid_machine_word(mask, i)) && source->words[i] < bins)
      out[source->words[i]] = nereid_bits_cut(out[source->words[i]] + 1, step->to.bits);
  return true;
}

const nereid_machine_row_t nereid_machine_shape_rows[] = {
    {.kind = NEREID_OP_TT_MAKE_RANGE, .run = make_range},
    {.kind = NEREID_OP_TT_SPLAT, .run = splat, .moves = 1},
    {.kind = NEREID_OP_TT_UNSPLAT, .run = same_order, .moves = 1},
    {.kind = NEREID_OP_TT_EXPAND_DIMS, .run = same_order, .moves = 1},
    {.kind = NEREID_OP_TT_RESHAPE, .run = same_order, .moves = 1},
    {.kind = NEREID_OP_TT_BROADCAST, .run = broadcast, .moves = 1},
    {.kind = NEREID_OP_TT_TRANS, .run = trans, .moves = 1},
    {.kind = NEREID_OP_TT_CAT, .run = cat, .moves = 2},
    {.kind = NEREID_OP_TT_JOIN, .run = join, .moves = 2},
    {.kind = NEREID_OP_TT_SPLIT, .run = split, .moves = 1},
    {.kind = NEREID_OP_TT_GATHER, .run = gather, .moves = 1},
    {.kind = NEREID_OP_TT_HISTOGRAM, .run = histogram},
    {.kind = NEREID_OP_UNKNOWN},
};
