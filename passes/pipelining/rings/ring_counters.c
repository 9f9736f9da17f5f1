/* Indices of ring slots; see ring_counters.h. */
#include "passes/pipelining/rings/ring_counters.h"

#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "passes/pipelining/schedule.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"
#include "seam/ir.h"

enum { VALUES = 3 /* that the loop carries for a counter, at most */ };

size_t nereid_ring_counters_add(nereid_ring_counters_t *counters, nereid_arena_t *arena, int32_t slots, int32_t stage,
                                bool has_phase) {
  for (size_t i = 0; i < counters->size; ++i) {
    nereid_ring_counter_t *counter = &counters->data[i];
    if (counter->slots != slots || counter->stage != stage)
      continue;
    counter->has_phase = counter->has_phase || has_phase;
    return i;
  }
  const nereid_ring_counter_t counter = {.slots = slots, .stage = stage, .has_phase = has_phase};
  return nereid_vector_push(arena, counters, counter) ? counters->size - 1 : 0;
}

MlirOperation nereid_ring_counters_carry(nereid_ring_counters_t *counters, nereid_arena_t *arena, MlirOperation loop,
                                         MlirValue zero) {
  MlirValue *initial = nereid_arena_new(arena, MlirValue, VALUES * counters->size);
  intptr_t n = 0;
  if (!initial)
    return (MlirOperation){NULL};
  for (size_t i = 0; i < counters->size; ++i)
    for (int values = (counters->data[i].slots > 1) + counters->data[i].has_phase + counters->data[i].has_reuse;
         values > 0; --values)
      initial[n++] = zero;
  loop = nereid_loop_with_carried(loop, n, initial);
  MlirBlock body = nereid_loop_body(loop);
  intptr_t next = mlirBlockGetNumArguments(body) - n;
  for (size_t i = 0; i < counters->size; ++i) {
    nereid_ring_counter_t *counter = &counters->data[i];
    counter->index = counter->slots > 1 ? mlirBlockGetArgument(body, next++) : zero;
    if (counter->has_phase)
      counter->phase = mlirBlockGetArgument(body, next++);
    if (counter->has_reuse)
      counter->reuse = mlirBlockGetArgument(body, next++);
  }
  return loop;
}

/* --- the next values --- */

typedef struct advance {
  const nereid_ring_counter_t *counter;
  nereid_builder_t builder; /* inserts at the end of the body */
  MlirOperation end;
  MlirValue zero, one;
  int32_t cluster;
} advance_t;

static MlirValue scheduled(const advance_t *advance, MlirOperation op) {
  nereid_schedule_set(op, advance->counter->stage, advance->cluster);
  return nereid_ir_result(op);
}

static void yield(const advance_t *advance, MlirValue next) {
  nereidMlirOperationInsertOperands(advance->end, mlirOperationGetNumOperands(advance->end), 1, &next);
}

/* Yields the next index. Returns whether it starts over, an i1. */
static MlirValue advance_index(const advance_t *advance, MlirValue slots) {
  const nereid_builder_t *builder = &advance->builder;
  MlirValue sum = scheduled(advance, nereid_arith_addi_build(builder, advance->counter->index, advance->one,
                                                             NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  MlirValue wraps = scheduled(advance, nereid_arith_cmpi_build(builder, sum, slots, NEREID_ARITH_CMP_I_PREDICATE_SGE));
  yield(advance, scheduled(advance, nereid_arith_select_build(builder, wraps, advance->zero, sum)));
  return wraps;
}

/* Yields the next phase; `wraps` is null for a single slot, which starts over in each iteration. */
static void advance_phase(const advance_t *advance, MlirValue wraps) {
  MlirValue phase = advance->counter->phase;
  MlirValue next = scheduled(advance, nereid_arith_xori_build(&advance->builder, phase, advance->one));
  if (!mlirValueIsNull(wraps))
    next = scheduled(advance, nereid_arith_select_build(&advance->builder, wraps, next, phase));
  yield(advance, next);
}

/* Yields 1 after the index has started over. */
static void advance_reuse(const advance_t *advance, MlirValue wraps) {
  MlirValue next = advance->one;
  if (!mlirValueIsNull(wraps))
    next =
        scheduled(advance, nereid_arith_select_build(&advance->builder, wraps, advance->one, advance->counter->reuse));
  yield(advance, next);
}

void nereid_ring_counters_advance(const nereid_ring_counters_t *counters, MlirOperation loop, MlirValue zero,
                                  int32_t cluster) {
  MlirOperation end = mlirBlockGetTerminator(nereid_loop_body(loop));
  MlirType i32 = mlirValueGetType(zero);
  nereid_builder_t outside = nereid_builder_before(loop), inside = nereid_builder_before(end);
  outside.location = inside.location = mlirOperationGetLocation(loop);
  for (size_t i = 0; i < counters->size; ++i) {
    const nereid_ring_counter_t *counter = &counters->data[i];
    advance_t advance = {.counter = counter, .builder = inside, .end = end, .zero = zero, .cluster = cluster};
    MlirValue wraps = {NULL};
    advance.one = nereid_scalar_constant(&outside, i32, 1);
    if (counter->slots > 1)
      wraps = advance_index(&advance, nereid_scalar_constant(&outside, i32, counter->slots));
    if (counter->has_phase)
      advance_phase(&advance, wraps);
    if (counter->has_reuse)
      advance_reuse(&advance, wraps);
  }
}
