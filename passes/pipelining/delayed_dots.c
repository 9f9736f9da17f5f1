/* Finds the dots to delay; see delayed_dots.h.
 *
 *   %s = ttng.warp_group_dot %q, %k, %zero            first dot
 *   %e = softmax(%s)
 *   %p = arith.truncf %e                              delayed: computes the registers of operand A
 *   %o = arith.mulf %acc, %scale                      delayed: depends on the second dot of the previous iteration
 *   %d = ttng.warp_group_dot %p, %v, %o               second dot, delayed
 *
 * The first dot of an iteration and the second dot of the one before are then in flight together, and the softmax of an
 * iteration is computed while its predecessor's second dot is in flight. The loop carries %e and %scale. It does not
 * carry %p, whose registers are in use until the dot that reads them is complete: the wait for that dot would be at the
 * end of the body, where the assembler moves it before the softmax. */
#include "passes/pipelining/delayed_dots.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/schedule.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum { REGISTER_BITS = 32, LANES = 32 };
enum {
  MOST_REGISTERS = 200 /* of a thread, for both results and operand A; addresses and the softmax need the rest */
};

static bool is_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
}

static bool is_marked(const nereid_map_t *map, MlirOperation op) {
  return nereid_map_find(map, op.ptr) != NULL;
}

static void mark(nereid_map_t *map, MlirOperation op) {
  uintptr_t *place = nereid_map_insert(map, op.ptr);
  if (place)
    *place = 1;
}

static MlirOperation in_body(MlirBlock body, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), body))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/* --- dependences --- */

/* Marks the ops of the body that `op` depends on in the same iteration. */
static void mark_slice(MlirBlock body, MlirOperation op, nereid_map_t *slice) {
  nereid_schedule_values_t uses = {0};
  if (!nereid_schedule_uses(op, body, slice->arena, &uses))
    return;
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation definition = nereid_defining_op(uses.data[i]);
    if (mlirOperationIsNull(definition) || is_marked(slice, definition))
      continue;
    mark(slice, definition);
    mark_slice(body, definition, slice);
  }
}

/* Whether `value` is used by an op outside `set`, other than the terminator. */
static bool has_user_outside(MlirBlock body, MlirValue value, const nereid_map_t *set) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = in_body(body, mlirOpOperandGetOwner(use));
    if (mlirOperationIsNull(user) || !is_marked(set, user))
      return true;
  }
  return false;
}

/* Marks what depends on `value`: its users, what they compute, and the users of it in the next iteration. */
static void mark_users(MlirBlock body, MlirValue value, nereid_map_t *users) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = in_body(body, mlirOpOperandGetOwner(use));
    if (mlirOperationIsNull(user))
      continue;
    if (mlirOperationEqual(user, yield)) {
      MlirValue argument = mlirBlockGetArgument(body, mlirOpOperandGetOperandNumber(use) + 1);
      uintptr_t *place = nereid_map_insert(users, argument.ptr);
      if (place && !*place) {
        *place = 1;
        mark_users(body, argument, users);
      }
      continue;
    }
    if (is_marked(users, user))
      continue;
    mark(users, user);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r)
      mark_users(body, mlirOperationGetResult(user, r), users);
  }
}

/* --- what to delay --- */

static int64_t bits_of(MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return 0;
  int64_t elements = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    elements *= mlirShapedTypeGetDimSize(type, d);
  MlirType element = mlirShapedTypeGetElementType(type);
  if (mlirTypeIsAFloat(element))
    return elements * mlirFloatTypeGetWidth(element);
  return elements * (mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 64);
}

/* Whether it costs no registers to compute the results of `op` one iteration late, instead of carrying them. */
static bool can_sink(MlirOperation op) {
  int64_t operands = 0, results = 0;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_TTG_LOCAL_ALLOC)
    return mlirOperationGetNumOperands(op) == 1;
  if (mlirOperationGetNumRegions(op) || !nereidMlirOperationIsPure(op) || is_dot(op) || !mlirOperationGetNumResults(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    operands += bits_of(mlirValueGetType(mlirOperationGetOperand(op, i)));
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
    results += bits_of(mlirValueGetType(mlirOperationGetResult(op, r)));
  return operands <= results;
}

/* Marks ops that only delayed ops use, last to first. A loaded value is carried by a ring, its load is not delayed. */
static void sink(MlirBlock body, nereid_map_t *delayed) {
  for (MlirOperation op = mlirBlockGetTerminator(body); !mlirOperationIsNull(op);
       op = nereidMlirOperationGetPrevInBlock(op)) {
    bool only_delayed = !is_marked(delayed, op) && can_sink(op);
    for (intptr_t r = 0; only_delayed && r < mlirOperationGetNumResults(op); ++r)
      only_delayed = !has_user_outside(body, mlirOperationGetResult(op, r), delayed);
    if (only_delayed)
      mark(delayed, op);
  }
}

static int64_t registers_of(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  const int64_t warps = mlirOperationIsNull(op) ? 1 : nereid_ttg_num_warps(op);
  return bits_of(mlirValueGetType(value)) / (REGISTER_BITS * LANES * warps);
}

/* What a search has found so far. */
typedef struct search {
  MlirBlock body;
  nereid_map_t first, second; /* what second dots depend on; what depends on them, with the dots themselves */
  int64_t registers;
} search_t;

/* The op of the body that computes the operand A of `op`, before conversions of its layout, if that is a dot with A in
 * registers; null otherwise. */
static MlirOperation producer_of_registers(const search_t *search, MlirOperation op) {
  if (!is_dot(op) || nereid_ttg_memdesc_type_isa(mlirValueGetType(nereid_ttng_warp_group_dot_get_a(op))))
    return (MlirOperation){NULL};
  MlirOperation producer = nereid_defining_op(nereid_ttng_warp_group_dot_get_a(op));
  while (!mlirOperationIsNull(producer) && nereid_op_kind(producer) == NEREID_OP_TTG_CONVERT_LAYOUT)
    producer = nereid_defining_op(mlirOperationGetOperand(producer, 0));
  const bool is_here = !mlirOperationIsNull(producer) && mlirBlockEqual(mlirOperationGetBlock(producer), search->body);
  return is_here ? producer : (MlirOperation){NULL};
}

/* Adds `op` if it is a second dot: its operand A is in registers and depends on another dot. */
static void consider(search_t *search, MlirOperation op) {
  MlirOperation producer = producer_of_registers(search, op);
  nereid_map_t slice;
  int64_t registers = 0;
  if (mlirOperationIsNull(producer))
    return;
  nereid_map_initialize(&slice, search->first.arena);
  mark(&slice, producer);
  mark_slice(search->body, producer, &slice);
  for (MlirOperation other = mlirBlockGetFirstOperation(search->body); !mlirOperationEqual(other, op);
       other = mlirOperationGetNextInBlock(other))
    if (is_dot(other) && is_marked(&slice, other))
      registers += registers_of(nereid_ir_result(other));
  if (!registers)
    return;
  search->registers +=
      registers + registers_of(nereid_ttng_warp_group_dot_get_a(op)) + registers_of(nereid_ir_result(op));
  mark_slice(search->body, producer, &search->first);
  mark(&search->second, producer);
  mark(&search->second, op);
  mark_users(search->body, nereid_ir_result(op), &search->second);
}

/* Whether a dot must be complete before one that it depends on. */
static bool is_cyclic(const search_t *search) {
  for (MlirOperation op = mlirBlockGetFirstOperation(search->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_marked(&search->first, op) && is_marked(&search->second, op))
      return true;
  return false;
}

bool nereid_delayed_dots(MlirBlock body, nereid_map_t *delayed) {
  search_t search = {.body = body};
  nereid_map_initialize(&search.first, delayed->arena);
  nereid_map_initialize(&search.second, delayed->arena);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    consider(&search, op);
  if (!search.registers || search.registers > MOST_REGISTERS || is_cyclic(&search))
    return !delayed->arena->failed;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_marked(&search.second, op))
      mark(delayed, op);
  sink(body, delayed);
  return !delayed->arena->failed;
}
