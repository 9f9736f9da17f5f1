/* Buffers in shared memory, and their views.
 *
 *   %m = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16>      words[3 * 64 * 32], offset 0, strides 2048 32 1
 *   %v = ttg.memdesc_index %m[%i]                               the same words, offset 2048 i, strides 32 1
 *   %t = ttg.memdesc_trans %v {order = [1, 0]}                  the same words and offset, strides 1 32
 *
 * A buffer has a word per element, independent of its encoding. Views are offsets and strides; a view that
 * reinterprets the bytes (ttg.memdesc_reinterpret) is not supported. A buffer belongs to its defining op and is
 * zeroed when that op runs again. An index outside of a buffer is an error. */
#include "interpreter/machine.h"

#include "nereid/dialects/ttg.h"

static nereid_local_t *local_of(nereid_machine_t *machine, nereid_slot_t *slot) {
  return (nereid_local_t *)nereid_machine_resize(machine, slot, sizeof(nereid_local_t) / sizeof(uint64_t));
}

static const nereid_local_t *view_of(const nereid_slot_t *slot) {
  return (const nereid_local_t *)slot->words;
}

static uint64_t *element(const nereid_local_t *local, const nereid_shape_t *shape, size_t i) {
  int64_t at[NEREID_MACHINE_RANK], place = local->offset;
  nereid_shape_coordinates(shape, i, at);
  for (int d = 0; d < shape->rank; ++d)
    place += at[d] * local->strides[d];
  return local->words + place;
}

uint64_t *nereid_machine_local_word(const nereid_slot_t *view) {
  return view_of(view)->words + view_of(view)->offset;
}

void nereid_machine_dense_begin(const nereid_slot_t *view, nereid_slot_t *dense) {
  dense->shape = view->shape;
  dense->shape.local = false;
}

const nereid_slot_t *nereid_machine_dense(nereid_machine_t *machine, const nereid_slot_t *slot, nereid_slot_t *dense) {
  if (!slot->shape.local)
    return slot;
  nereid_machine_dense_begin(slot, dense);
  uint64_t *words = nereid_machine_resize(machine, dense, slot->shape.count);
  for (size_t i = 0; words && i < slot->shape.count; ++i)
    words[i] = *element(view_of(slot), &slot->shape, i);
  return words ? dense : NULL;
}

void nereid_machine_local_write(const nereid_slot_t *view, const nereid_slot_t *values) {
  for (size_t i = 0; i < view->shape.count; ++i)
    *element(view_of(view), &view->shape, i) = nereid_machine_word(values, i);
}

/* --- buffers --- */

static bool local_alloc(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_shape_t *shape = &step->results[0]->shape;
  nereid_local_t *local = local_of(machine, step->results[0]);
  uint64_t *words = nereid_machine_resize(machine, &step->own[0], shape->count);
  if (!local || !words)
    return false;
  memset(words, 0, shape->count * sizeof *words);
  *local = (nereid_local_t){.words = words};
  int64_t stride = 1;
  for (int d = shape->rank; d-- > 0; stride *= shape->extent[d])
    local->strides[d] = stride;
  if (step->n_operands)
    nereid_machine_local_write(step->results[0], step->operands[0]);
  return true;
}

static bool local_load(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *dense = nereid_machine_dense(machine, step->operands[0], &step->own[0]);
  uint64_t *out = nereid_machine_result(machine, step, 0);
  if (dense && out)
    memcpy(out, dense->words, dense->count * sizeof *out);
  return dense && out;
}

static bool local_store(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine;
  nereid_machine_local_write(step->operands[1], step->operands[0]);
  return true;
}

/* --- elements at indices --- */

/* The word of `view` that index `i` of `indices` selects along `axis`; null after a diagnostic. */
static uint64_t *indexed_element(const nereid_step_t *step, const nereid_slot_t *view, const nereid_slot_t *indices,
                                 int axis, size_t i) {
  const nereid_local_t *local = view_of(view);
  int64_t at[NEREID_MACHINE_RANK], place = local->offset;
  if (!nereid_undefined_use(step, indices, i))
    return NULL;
  nereid_shape_coordinates(&indices->shape, i, at);
  at[axis] = nereid_machine_index(indices, i);
  if (at[axis] < 0 || at[axis] >= view->shape.extent[axis]) {
    nereid_machine_error(step, "has index %lld at element %zu, of %lld along axis %d", (long long)at[axis], i,
                         (long long)view->shape.extent[axis], axis);
    return NULL;
  }
  for (int d = 0; d < view->shape.rank; ++d)
    place += at[d] * local->strides[d];
  return local->words + place;
}

static bool local_gather(nereid_machine_t *machine, const nereid_step_t *step) {
  const int axis = nereid_ttg_local_gather_get_axis(step->op);
  uint64_t *out = nereid_machine_result(machine, step, 0);
  bool good = out != NULL;
  for (size_t i = 0; good && i < step->results[0]->count; ++i) {
    const uint64_t *word = indexed_element(step, step->operands[0], step->operands[1], axis, i);
    good = word != NULL;
    out[i] = good ? *word : 0;
  }
  return good;
}

static bool local_scatter(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine;
  const nereid_slot_t *values = step->operands[1], *indices = step->operands[2];
  const int axis = nereid_ttg_local_scatter_get_axis(step->op);
  for (size_t i = 0; i < values->shape.count; ++i) {
    uint64_t *word = indexed_element(step, step->operands[0], indices, axis, i);
    if (!word)
      return false;
    *word = nereid_machine_word(values, i);
  }
  return true;
}

static bool local_atomic(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *values = step->operands[1], *indices = step->operands[2];
  const nereid_slot_t *mask = step->n_operands > 3 ? step->operands[3] : NULL;
  const nereid_tt_rmw_op_t op = nereid_ttg_local_atomic_scatter_rmw_get_atomic_rmw_op(step->op);
  const int axis = nereid_ttg_local_atomic_scatter_rmw_get_axis(step->op);
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < values->shape.count; ++i) {
    out[i] = 0;
    if (mask && !nereid_undefined_use(step, mask, i))
      return false;
    if (mask && !nereid_machine_word(mask, i))
      continue;
    uint64_t *word =
        nereid_undefined_use(step, values, i) ? indexed_element(step, step->operands[0], indices, axis, i) : NULL;
    if (!word)
      return false;
    out[i] = *word;
    *word = nereid_machine_combine(op, values->shape.element, out[i], nereid_machine_word(values, i));
  }
  return out != NULL;
}

/* --- views --- */

static bool memdesc_index(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_shape_t *shape = &step->operands[0]->shape;
  const int64_t index = nereid_bits_signed(step->operands[1]->words[0], 32);
  const nereid_local_t from = *view_of(step->operands[0]);
  nereid_local_t *to = local_of(machine, step->results[0]);
  if (!to)
    return false;
  if (index < 0 || index >= shape->extent[0])
    return nereid_machine_error(step, "has index %lld into %lld buffers", (long long)index,
                                (long long)shape->extent[0]);
  *to = (nereid_local_t){.words = from.words, .offset = from.offset + index * from.strides[0]};
  /* A result of the operand's rank has extent one along dimension 0. */
  const int dropped = shape->rank - step->results[0]->shape.rank;
  for (int d = dropped; d < shape->rank; ++d)
    to->strides[d - dropped] = from.strides[d];
  return true;
}

static bool memdesc_subslice(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_local_t from = *view_of(step->operands[0]);
  nereid_local_t *to = local_of(machine, step->results[0]);
  if (!to)
    return false;
  *to = from;
  for (intptr_t d = 0; d < nereid_ttg_memdesc_subslice_get_offsets_count(step->op); ++d)
    to->offset += nereid_ttg_memdesc_subslice_get_offsets(step->op, d) * from.strides[d];
  return true;
}

static bool memdesc_trans(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_local_t from = *view_of(step->operands[0]);
  nereid_local_t *to = local_of(machine, step->results[0]);
  if (!to)
    return false;
  *to = from;
  for (intptr_t d = 0; d < nereid_ttg_memdesc_trans_get_order_count(step->op); ++d)
    to->strides[d] = from.strides[nereid_ttg_memdesc_trans_get_order(step->op, d)];
  return true;
}

/* Merges dimensions with a common stride and splits them again. */
static bool reshape_strides(const nereid_local_t *from, const nereid_shape_t *before, const nereid_shape_t *after,
                            nereid_local_t *to) {
  int a = before->rank, b = after->rank;
  while (b > 0) {
    int64_t have = 1, want = 1, stride = 0;
    do {
      if (a == 0 || (have > 1 && before->extent[a - 1] > 1 && from->strides[a - 1] != stride * have))
        return false;
      --a;
      stride = have == 1 ? from->strides[a] : stride;
      have *= before->extent[a];
      while (b > 0 && want * after->extent[b - 1] <= have) {
        --b;
        to->strides[b] = stride * want;
        want *= after->extent[b];
      }
    } while (want != have);
  }
  return true;
}

static bool memdesc_reshape(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_local_t from = *view_of(step->operands[0]);
  nereid_local_t *to = local_of(machine, step->results[0]);
  if (!to)
    return false;
  *to = from;
  return reshape_strides(&from, &step->operands[0]->shape, &step->results[0]->shape, to) ||
         nereid_machine_error(step, "joins dimensions that do not follow each other in the buffer");
}

static bool local_select(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_assign(machine, 1, step->results, &step->operands[step->operands[0]->words[0] ? 1 : 2]);
}

static bool nothing(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine, (void)step;
  return true;
}

const nereid_machine_row_t nereid_machine_local_select = {.kind = NEREID_OP_ARITH_SELECT, .run = local_select};

const nereid_machine_row_t nereid_machine_local_rows[] = {
    {.kind = NEREID_OP_TTG_LOCAL_ALLOC, .run = local_alloc, .n_own = 1},
    {.kind = NEREID_OP_TTG_LOCAL_DEALLOC, .run = nothing},
    {.kind = NEREID_OP_TTG_LOCAL_LOAD, .run = local_load, .n_own = 1},
    {.kind = NEREID_OP_TTG_LOCAL_STORE, .run = local_store},
    {.kind = NEREID_OP_TTG_LOCAL_GATHER, .run = local_gather},
    {.kind = NEREID_OP_TTG_LOCAL_SCATTER, .run = local_scatter},
    {.kind = NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW, .run = local_atomic},
    {.kind = NEREID_OP_TTG_LOCAL_BARRIER, .run = nothing},
    {.kind = NEREID_OP_TTG_BARRIER, .run = nothing},
    {.kind = NEREID_OP_TTG_MEMDESC_INDEX, .run = memdesc_index},
    {.kind = NEREID_OP_TTG_MEMDESC_SUBSLICE, .run = memdesc_subslice},
    {.kind = NEREID_OP_TTG_MEMDESC_TRANS, .run = memdesc_trans},
    {.kind = NEREID_OP_TTG_MEMDESC_RESHAPE, .run = memdesc_reshape},
    {.kind = NEREID_OP_UNKNOWN},
};
