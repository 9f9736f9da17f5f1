/* Live registers of tensors; see register_pressure.h. */
#include "passes/dot/register_pressure.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/dot/dot_registers.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinTypes.h"

enum { REGISTER_BITS = 32 };

/* --- one value --- */

static bool is_load(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return kind == NEREID_OP_TT_LOAD || kind == NEREID_OP_TTG_LOCAL_LOAD;
}

/* Whether `op` repeats scalars or constants, so that its registers share values. */
static bool repeats(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_CONSTANT:
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_MAKE_RANGE:
    return true;
  default:
    return false;
  }
}

/* Whether `op` reads an operand of one dot from shared memory. */
static bool is_read_in_steps(MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_TTG_LOCAL_LOAD ||
      !nereid_ttg_dot_op_attr_isa(nereid_ttg_encoding_of(nereid_ir_result(op))))
    return false;
  MlirOperation user = nereid_ir_only_user(nereid_ir_result(op));
  return !mlirOperationIsNull(user) && nereid_op_kind(user) == NEREID_OP_TT_DOT &&
         mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op));
}

/* Bits of an element that occupies a register of its own; 0 for others. */
static int64_t element_bits(MlirValue value, bool is_loaded) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(value));
  if (mlirTypeIsAFloat(element))
    return mlirFloatTypeGetWidth(element);
  const int64_t bits = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 0;
  return bits > 1 && (is_loaded || bits < REGISTER_BITS) ? bits : 0;
}

int64_t nereid_register_pressure_of(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  nereid_layout_t layout;
  if (!mlirTypeIsARankedTensor(mlirValueGetType(value)) ||
      (!mlirOperationIsNull(op) && (repeats(op) || is_read_in_steps(op))))
    return 0;
  const int64_t bits = element_bits(value, !mlirOperationIsNull(op) && is_load(op));
  if (!bits || nereid_layout_from_type(mlirValueGetType(value), &layout) != NEREID_OK)
    return 0;
  return (nereid_layout_registers(&layout) * bits + REGISTER_BITS - 1) / REGISTER_BITS;
}

/* --- times --- */

static bool number_block(nereid_register_pressure_t *pressure, MlirBlock block);

static bool number_op(nereid_register_pressure_t *pressure, MlirOperation op) {
  const size_t time = pressure->ends.size;
  uintptr_t *place = nereid_map_insert(&pressure->times, op.ptr);
  if (!place || !nereid_vector_push(pressure->arena, &pressure->ends, (int64_t)time))
    return false;
  *place = time + 1;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      if (!number_block(pressure, block))
        return false;
  if (mlirOperationGetNumRegions(op) == 0)
    return true;
  pressure->ends.data[time] = (int64_t)pressure->ends.size;
  return nereid_vector_push(pressure->arena, &pressure->ends, (int64_t)pressure->ends.size);
}

/* Recursion depth is that of regions. */
static bool number_block(nereid_register_pressure_t *pressure, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!number_op(pressure, op))
      return false;
  return true;
}

static int64_t time_of(const nereid_register_pressure_t *pressure, MlirOperation op) {
  const uintptr_t *place = nereid_map_find(&pressure->times, op.ptr);
  return place ? (int64_t)*place - 1 : 0;
}

static int64_t end_of(const nereid_register_pressure_t *pressure, MlirOperation op) {
  return pressure->ends.data[time_of(pressure, op)];
}

/* --- live ranges --- */

/* The time until which `user` needs a value of `block`: the end of the outermost loop around it that does not contain
 * the definition. */
static int64_t needed_until(const nereid_register_pressure_t *pressure, MlirOperation user, MlirBlock block) {
  int64_t time = time_of(pressure, user);
  while (!mlirOperationIsNull(user) && !mlirBlockEqual(mlirOperationGetBlock(user), block)) {
    user = mlirOperationGetParentOperation(user);
    if (!mlirOperationIsNull(user) && nereidMlirOperationIsLoopLike(user))
      time = end_of(pressure, user);
  }
  return time;
}

/* Adds the live range of `value` to the changes of live registers, which are summed up at the end. */
static void add_range(nereid_register_pressure_t *pressure, MlirValue value, MlirBlock block, int64_t from) {
  const int64_t registers = nereid_register_pressure_of(value);
  int64_t until = from;
  if (!registers)
    return;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    const int64_t time = needed_until(pressure, mlirOpOperandGetOwner(use), block);
    until = time > until ? time : until;
  }
  pressure->live.data[from] += registers;
  pressure->live.data[until] -= registers;
}

static void add_block(nereid_register_pressure_t *pressure, MlirBlock block, int64_t from) {
  for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); ++a)
    add_range(pressure, mlirBlockGetArgument(block, a), block, from);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      add_range(pressure, mlirOperationGetResult(op, r), block, end_of(pressure, op));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
      for (MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(inner);
           inner = mlirBlockGetNextInRegion(inner))
        add_block(pressure, inner, time_of(pressure, op));
  }
}

bool nereid_register_pressure_find(MlirOperation function, nereid_arena_t *arena, nereid_register_pressure_t *out) {
  *out = (nereid_register_pressure_t){.arena = arena};
  nereid_map_initialize(&out->times, arena);
  if (!number_op(out, function))
    return false;
  for (size_t i = 0; i < out->ends.size; ++i)
    if (!nereid_vector_push(arena, &out->live, 0))
      return false;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(function); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      add_block(out, block, 0);
  for (size_t i = 1; i < out->live.size; ++i)
    out->live.data[i] += out->live.data[i - 1];
  return true;
}

/* --- questions --- */

int64_t nereid_register_pressure_after(const nereid_register_pressure_t *pressure, MlirOperation op) {
  return pressure->live.data[end_of(pressure, op)];
}

int64_t nereid_register_pressure_between(const nereid_register_pressure_t *pressure, MlirOperation first,
                                         MlirOperation last) {
  int64_t most = 0;
  for (int64_t time = time_of(pressure, first); time < end_of(pressure, last); ++time)
    most = pressure->live.data[time] > most ? pressure->live.data[time] : most;
  return most;
}

int64_t nereid_register_pressure_peak(const nereid_register_pressure_t *pressure) {
  int64_t most = 0;
  for (size_t time = 0; time < pressure->live.size; ++time)
    most = pressure->live.data[time] > most ? pressure->live.data[time] : most;
  return most;
}

bool nereid_register_pressure_is_before(const nereid_register_pressure_t *pressure, MlirOperation first,
                                        MlirOperation second) {
  return time_of(pressure, first) < time_of(pressure, second);
}

int64_t nereid_register_pressure_limit(MlirOperation op) {
  enum { OTHER_REGISTERS = 40 };
  const int64_t said = nereid_ttg_maxnreg(op), most = nereid_dot_registers_per_thread(op);
  return (said > 0 && said < most ? said : most) - OTHER_REGISTERS;
}
