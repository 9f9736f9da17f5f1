/* Asynchronous copies and dots, performed at issue.
 *
 *   ttg.async_copy_global_to_local %p, %m     *%m := the result of tt.load of %p; groups and waits have no effect
 *   ttng.warp_group_dot %a, %b, %c            tt.dot of the buffers' current contents
 *
 * A program that reads before its wait, or overwrites a buffer that is still being read, fails on the GPU but not
 * here. TMA copies complete all their bytes at their mbarrier. */
#include "interpreter/machine.h"

#include "dialects/ttg/memdesc.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

static bool is_off(const nereid_machine_t *machine, MlirValue predicate) {
  const nereid_slot_t *slot = nereid_machine_slot(machine, predicate);
  return slot && !slot->words[0];
}

/* --- copies by pointers --- */

static bool set_token(nereid_machine_t *machine, const nereid_step_t *step) {
  uint64_t *token = nereid_machine_result(machine, step, 0);
  if (token)
    *token = 0;
  return token != NULL;
}

static bool async_copy(nereid_machine_t *machine, const nereid_step_t *step) {
  nereid_slot_t *dense = &step->own[0];
  nereid_machine_dense_begin(step->operands[1], dense);
  if (!nereid_machine_load_elements(
          machine, step, step->operands[0],
          nereid_machine_slot(machine, nereid_ttg_async_copy_global_to_local_get_mask(step->op)),
          nereid_machine_slot(machine, nereid_ttg_async_copy_global_to_local_get_other(step->op)), dense))
    return false;
  nereid_machine_local_write(step->operands[1], dense);
  return set_token(machine, step);
}

/* --- TMA --- */

enum { FIRST_COORDINATE = 1 };

static uint64_t bytes_of(const nereid_slot_t *slot) {
  return (uint64_t)slot->shape.count * slot->shape.bytes;
}

/* The parts into which a buffer is divided among the CTAs of a cluster: an mbarrier counts the bytes of one. */
static int64_t parts_of(const nereid_slot_t *buffer) {
  const nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(buffer->value);
  int64_t part[NEREID_TTG_MAX_RANK], parts = 1;
  nereid_ttg_shape_per_cta(memdesc.encoding, memdesc.rank, memdesc.shape, part);
  for (int d = 0; d < memdesc.rank; ++d)
    parts *= memdesc.shape[d] / part[d];
  return parts;
}

static bool tma_load(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *barrier =
      nereid_machine_slot(machine, nereid_ttng_async_tma_copy_global_to_local_get_barrier(step->op));
  const nereid_slot_t *to =
      nereid_machine_slot(machine, nereid_ttng_async_tma_copy_global_to_local_get_result(step->op));
  nereid_slot_t *dense = &step->own[0];
  if (is_off(machine, nereid_ttng_async_tma_copy_global_to_local_get_pred(step->op)))
    return true;
  nereid_machine_dense_begin(to, dense);
  if (!nereid_machine_load_box(machine, step, FIRST_COORDINATE, dense))
    return false;
  nereid_machine_local_write(to, dense);
  return nereid_machine_complete_bytes(machine, step, barrier, bytes_of(dense) / (uint64_t)parts_of(to));
}

static bool tma_gather(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *to = step->operands[4];
  nereid_slot_t *dense = &step->own[0];
  if (!step->operands[5]->words[0])
    return true;
  nereid_machine_dense_begin(to, dense);
  if (!nereid_machine_gather_rows(machine, step, 1, dense))
    return false;
  nereid_machine_local_write(to, dense);
  return nereid_machine_complete_bytes(machine, step, step->operands[3], bytes_of(dense));
}

static const nereid_slot_t *source(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_dense(machine, step->operands[step->n_operands - 1], &step->own[0]);
}

static bool tma_store(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *from = source(machine, step);
  return from && nereid_machine_store_box(machine, step, FIRST_COORDINATE, from);
}

static bool tma_reduce(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *from = source(machine, step);
  return from && nereid_machine_reduce_box(machine, step, FIRST_COORDINATE,
                                           nereid_ttng_async_tma_reduce_get_kind(step->op), from);
}

static bool tma_scatter(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *from = source(machine, step);
  return from && nereid_machine_scatter_rows(machine, step, 1, from);
}

/* --- dots --- */

static bool warp_group_dot(nereid_machine_t *machine, const nereid_step_t *step) {
  nereid_slot_t *operands[3], *zero = &step->own[2];
  nereid_step_t dot = *step;
  for (size_t i = 0; i < 3; ++i)
    operands[i] = step->operands[i];
  for (size_t i = 0; i < 2; ++i) {
    if (!nereid_machine_dense(machine, step->operands[i], &step->own[i]))
      return false;
    if (step->operands[i]->shape.local)
      operands[i] = &step->own[i];
  }
  if (is_off(machine, nereid_ttng_warp_group_dot_get_use_c(step->op))) {
    uint64_t *word = nereid_machine_resize(machine, zero, 1);
    if (!word)
      return false;
    *word = 0;
    zero->shape = step->operands[2]->shape;
    operands[2] = zero;
  }
  dot.operands = operands;
  return nereid_machine_dot(machine, &dot, nereid_ttng_warp_group_dot_get_input_precision(step->op));
}

static bool pass_on(nereid_machine_t *machine, const nereid_step_t *step) {
  return nereid_machine_assign(machine, step->n_results, step->results, step->operands);
}

static bool nothing(nereid_machine_t *machine, const nereid_step_t *step) {
  (void)machine, (void)step;
  return true;
}

const nereid_machine_row_t nereid_machine_async_rows[] = {
    {.kind = NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL, .run = async_copy, .n_own = 1},
    {.kind = NEREID_OP_TTG_ASYNC_COMMIT_GROUP, .run = set_token},
    {.kind = NEREID_OP_TTG_ASYNC_WAIT, .run = set_token},
    {.kind = NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL, .run = tma_load, .n_own = 1},
    {.kind = NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL, .run = tma_store, .n_own = 1},
    {.kind = NEREID_OP_TTNG_ASYNC_TMA_REDUCE, .run = tma_reduce, .is_ordered = true, .n_own = 1},
    {.kind = NEREID_OP_TTNG_ASYNC_TMA_GATHER, .run = tma_gather, .n_own = 1},
    {.kind = NEREID_OP_TTNG_ASYNC_TMA_SCATTER, .run = tma_scatter, .n_own = 1},
    {.kind = NEREID_OP_TTNG_ASYNC_TMA_STORE_WAIT, .run = nothing},
    {.kind = NEREID_OP_TTNG_FENCE_ASYNC_SHARED, .run = nothing},
    {.kind = NEREID_OP_TTNG_WARP_GROUP_DOT, .run = warp_group_dot, .n_own = 3},
    {.kind = NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT, .run = pass_on},
    {.kind = NEREID_OP_UNKNOWN},
};
