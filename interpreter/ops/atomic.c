/* Atomic operations. Programs run sequentially and elements in row-major order, so every operation is atomic and the
 * order of equal addresses is fixed: the results are among those that the memory model allows. */
#include "interpreter/machine.h"

#include <math.h>

static uint64_t combine_float(nereid_tt_rmw_op_t op, nereid_kind_t kind, uint64_t old, uint64_t value) {
  const double a = nereid_bits_to_double(kind, old), b = nereid_bits_to_double(kind, value);
  switch (op) {
  case NEREID_TT_RMW_OP_MAX:
    return isnan(b) || a >= b ? old : value;
  case NEREID_TT_RMW_OP_MIN:
    return isnan(b) || a <= b ? old : value;
  default:
    return nereid_bits_from_double(kind, a + b, false);
  }
}

uint64_t nereid_machine_combine(nereid_tt_rmw_op_t op, nereid_kind_t kind, uint64_t old, uint64_t value) {
  const int64_t a = nereid_bits_signed(old, kind.bits), b = nereid_bits_signed(value, kind.bits);
  switch (op) {
  case NEREID_TT_RMW_OP_AND:
    return old & value;
  case NEREID_TT_RMW_OP_OR:
    return old | value;
  case NEREID_TT_RMW_OP_XOR:
    return old ^ value;
  case NEREID_TT_RMW_OP_XCHG:
    return value;
  case NEREID_TT_RMW_OP_UMAX:
    return old > value ? old : value;
  case NEREID_TT_RMW_OP_UMIN:
    return old < value ? old : value;
  case NEREID_TT_RMW_OP_INC:
    return old >= value ? 0 : old + 1;
  case NEREID_TT_RMW_OP_DEC:
    return old == 0 || old > value ? value : old - 1;
  default:
    break;
  }
  if (nereid_kind_is_float(kind))
    return combine_float(op, kind, old, value);
  if (op == NEREID_TT_RMW_OP_MAX)
    return a > b ? old : value;
  if (op == NEREID_TT_RMW_OP_MIN)
    return a < b ? old : value;
  return nereid_bits_cut(old + value, kind.bits);
}

/* Returns the memory of element `i`; null after a report, or when one of the first `n` operands is undefined there. */
static void *access_element(nereid_machine_t *machine, const nereid_step_t *step, size_t n, size_t i) {
  const nereid_shape_t *shape = &step->results[0]->shape;
  for (size_t j = 0; j < n; ++j)
    if (!nereid_undefined_use(step, step->operands[j], i))
      return NULL;
  return nereid_machine_access(machine, step, nereid_machine_word(step->operands[0], i), shape->bytes, shape, i,
                               "writes");
}

static bool atomic_rmw(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *mask = step->n_operands > 2 ? step->operands[2] : NULL;
  const nereid_shape_t *shape = &step->results[0]->shape;
  const nereid_tt_rmw_op_t op = nereid_tt_atomic_rmw_get_atomic_rmw_op(step->op);
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < shape->count; ++i) {
    out[i] = 0;
    if (mask && !nereid_undefined_use(step, mask, i))
      return false;
    if (mask && !nereid_machine_word(mask, i))
      continue;
    void *memory = access_element(machine, step, 2, i);
    if (!memory)
      return false;
    out[i] = nereid_machine_load(memory, shape);
    nereid_machine_store(memory, shape,
                         nereid_machine_combine(op, shape->element, out[i], nereid_machine_word(step->operands[1], i)));
  }
  return out != NULL;
}

static bool atomic_cas(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_shape_t *shape = &step->results[0]->shape;
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < shape->count; ++i) {
    void *memory = access_element(machine, step, step->n_operands, i);
    if (!memory)
      return false;
    out[i] = nereid_machine_load(memory, shape);
    if (out[i] == nereid_machine_word(step->operands[1], i))
      nereid_machine_store(memory, shape, nereid_machine_word(step->operands[2], i));
  }
  return out != NULL;
}

/* Returns the memory of element `i` of the value `shape`, with the pointers in operand 0; null after a report. */
static void *reach(nereid_machine_t *machine, const nereid_step_t *step, const nereid_shape_t *shape, size_t i,
                   const char *verb) {
  return nereid_undefined_use(step, step->operands[0], i)
             ? nereid_machine_access(machine, step, nereid_machine_word(step->operands[0], i), shape->bytes, shape, i,
                                     verb)
             : NULL;
}

/* Whether element `i` is accessed; false in `out_good` after a report. */
static bool is_masked(const nereid_step_t *step, const nereid_slot_t *mask, size_t i, bool *out_good) {
  *out_good = !mask || nereid_undefined_use(step, mask, i);
  return *out_good && mask && !nereid_machine_word(mask, i);
}

static bool atomic_load(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *mask = step->n_operands > 1 ? step->operands[1] : NULL;
  const nereid_shape_t *shape = &step->results[0]->shape;
  uint64_t *out = nereid_machine_result(machine, step, 0);
  bool good = out != NULL;
  for (size_t i = 0; good && i < shape->count; ++i) {
    out[i] = 0;
    if (is_masked(step, mask, i, &good) || !good)
      continue;
    const void *memory = reach(machine, step, shape, i, "reads");
    good = memory != NULL;
    out[i] = good ? nereid_machine_load(memory, shape) : 0;
  }
  return good;
}

static bool atomic_store(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_slot_t *mask = step->n_operands > 2 ? step->operands[2] : NULL;
  const nereid_shape_t *shape = &step->operands[1]->shape;
  bool good = true;
  for (size_t i = 0; good && i < shape->count; ++i) {
    if (is_masked(step, mask, i, &good) || !good)
      continue;
    void *memory = nereid_undefined_use(step, step->operands[1], i) ? reach(machine, step, shape, i, "writes") : NULL;
    good = memory != NULL;
    if (good)
      nereid_machine_store(memory, shape, nereid_machine_word(step->operands[1], i));
  }
  return good;
}

/* Earlier programs have ended and later ones have not begun, so a value that differs does not change. */
static bool atomic_poll(nereid_machine_t *machine, const nereid_step_t *step) {
  const nereid_shape_t *shape = &step->operands[1]->shape;
  const bool ends = step->n_operands > 2;
  uint64_t *out = nereid_machine_result(machine, step, 0);
  for (size_t i = 0; out && i < shape->count; ++i) {
    const void *memory =
        nereid_undefined_use(step, step->operands[1], i) ? reach(machine, step, shape, i, "reads") : NULL;
    if (!memory)
      return false;
    out[i] = nereid_machine_load(memory, shape) == nereid_machine_word(step->operands[1], i);
    if (!out[i] && !ends)
      return nereid_machine_error(step, "polls for a value that no earlier program has stored, and programs run in "
                                        "sequence: expected a timeout, or a store by this or an earlier program");
  }
  return out != NULL;
}

const nereid_machine_row_t nereid_machine_atomic_rows[] = {
    {.kind = NEREID_OP_TT_ATOMIC_LOAD, .run = atomic_load, .is_ordered = true},
    {.kind = NEREID_OP_TT_ATOMIC_STORE, .run = atomic_store, .is_ordered = true},
    {.kind = NEREID_OP_TT_ATOMIC_POLL, .run = atomic_poll, .is_ordered = true},
    {.kind = NEREID_OP_TT_ATOMIC_RMW, .run = atomic_rmw, .is_ordered = true},
    {.kind = NEREID_OP_TT_ATOMIC_CAS, .run = atomic_cas, .is_ordered = true},
    {.kind = NEREID_OP_UNKNOWN},
};
