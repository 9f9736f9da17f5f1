/* Counters of ring slots in nests; see nest_counters.h. */
#include "passes/warp_specialization/nest_counters.h"

#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinTypes.h>

enum { VALUES = 2 /* that the loops carry: index and phase */ };

size_t nereid_nest_counters_add(nereid_nest_counters_t *counters, nereid_arena_t *arena, MlirOperation loop,
                                int32_t slots, nereid_partitions_t partitions) {
  for (size_t i = 0; i < counters->size; ++i) {
    nereid_nest_counter_t *counter = &counters->data[i];
    if (!mlirOperationEqual(counter->loop, loop) || counter->slots != slots)
      continue;
    counter->partitions |= partitions;
    return i;
  }
  const nereid_nest_counter_t counter = {.loop = loop, .slots = slots, .partitions = partitions};
  return nereid_vector_push(arena, counters, counter) ? counters->size - 1 : 0;
}

static MlirValue constant(MlirOperation root, int64_t value) {
  nereid_builder_t builder = nereid_builder_before(root);
  builder.location = mlirOperationGetLocation(root);
  return nereid_scalar_constant(&builder, mlirIntegerTypeGet(mlirOperationGetContext(root), 32), value);
}

static void yield(MlirOperation loop, const MlirValue *values) {
  MlirOperation end = mlirBlockGetTerminator(nereid_loop_body(loop));
  nereidMlirOperationInsertOperands(end, mlirOperationGetNumOperands(end), VALUES, values);
}

/* Yields the next index and phase of `counter` in its loop. */
static void advance(MlirOperation root, const nereid_nest_counter_t *counter) {
  nereid_builder_t builder = nereid_builder_before(mlirBlockGetTerminator(nereid_loop_body(counter->loop)));
  builder.location = mlirOperationGetLocation(root);
  MlirValue one = constant(root, 1), slots = constant(root, counter->slots), zero = constant(root, 0);
  MlirOperation ops[5];
  ops[0] = nereid_arith_addi_build(&builder, counter->index, one, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE);
  MlirValue next = nereid_ir_result(ops[0]);
  ops[1] = nereid_arith_cmpi_build(&builder, next, slots, NEREID_ARITH_CMP_I_PREDICATE_SGE);
  ops[2] = nereid_arith_xori_build(&builder, counter->phase, one);
  MlirValue wraps = nereid_ir_result(ops[1]);
  ops[3] = nereid_arith_select_build(&builder, wraps, zero, next);
  ops[4] = nereid_arith_select_build(&builder, wraps, nereid_ir_result(ops[2]), counter->phase);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i)
    nereid_partition_set(ops[i], counter->partitions);
  yield(counter->loop, (MlirValue[]){nereid_ir_result(ops[3]), nereid_ir_result(ops[4])});
}

typedef struct carry {
  nereid_nest_counters_t *counters;
  MlirOperation *root;
  void (*replaced)(void *data, MlirOperation from, MlirOperation to);
  void *data;
} carry_t;

/* Lets `loop` carry two more values, which become arguments of its body. */
static MlirOperation carry_values(const carry_t *carry, MlirOperation loop, MlirValue *values) {
  MlirOperation made = nereid_loop_with_carried(loop, VALUES, values);
  MlirBlock body = nereid_loop_body(made);
  if (mlirOperationEqual(*carry->root, loop))
    *carry->root = made;
  for (size_t i = 0; i < carry->counters->size; ++i)
    if (mlirOperationEqual(carry->counters->data[i].loop, loop))
      carry->counters->data[i].loop = made;
  carry->replaced(carry->data, loop, made);
  for (int k = 0; k < VALUES; ++k)
    values[k] = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - VALUES + k);
  return made;
}

/* Lets all loops from the root to that of the counter carry it. */
static bool carry_counter(const carry_t *carry, nereid_arena_t *arena, size_t number) {
  nereid_nest_counter_t *counter = &carry->counters->data[number];
  nereid_operations_t nest = {0};
  MlirValue zero = constant(*carry->root, 0), values[VALUES] = {zero, zero};
  MlirOperation end = mlirBlockGetTerminator(nereid_loop_body(counter->loop));
  if (!nereid_partition_nest(*carry->root, end, arena, &nest))
    return false;
  for (size_t i = 0; i < nest.size; ++i)
    nest.data[i] = carry_values(carry, nest.data[i], values);
  for (size_t i = 0; i + 1 < nest.size; ++i) {
    MlirOperation inner = nest.data[i + 1];
    const intptr_t n = mlirOperationGetNumResults(inner);
    yield(nest.data[i],
          (MlirValue[]){mlirOperationGetResult(inner, n - VALUES), mlirOperationGetResult(inner, n - VALUES + 1)});
  }
  counter->index = values[0];
  counter->phase = values[1];
  advance(*carry->root, counter);
  return true;
}

bool nereid_nest_counters_carry(nereid_nest_counters_t *counters, nereid_arena_t *arena, MlirOperation *root,
                                void (*replaced)(void *data, MlirOperation from, MlirOperation to), void *data) {
  const carry_t carry = {.counters = counters, .root = root, .replaced = replaced, .data = data};
  for (size_t i = 0; i < counters->size; ++i)
    if (!carry_counter(&carry, arena, i))
      return false;
  return true;
}
