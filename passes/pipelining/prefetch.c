/* tritongpu-prefetch: loads the first slice of the operands of a dot, along k, one iteration ahead into registers.
 *
 *   scf.for … {                             %s = ttg.local_load of slice 0 of slot 0
 *     ttg.async_wait ; copies ahead         scf.for … iter_args(%x = %s) {
 *     %a = ttg.local_load %slot       ->      copies ahead
 *     %d = tt.dot %a, …                       %y = ttg.local_load of slice 1 ; %p = tt.dot %x, …
 *   }                                         ttg.async_wait ; %n = ttg.local_load of slice 0 of the next slot
 *                                             %d = tt.dot %y, …, %p ; scf.yield %n }
 *
 * An iteration begins with a barrier, after which tensor cores are idle until the first matrices arrive. Here the
 * barrier and these loads precede the last slice, whose instructions overlap them. Within an iteration each slice is
 * loaded before the dot of the slice before it. The pass changes the first dot of a loop on mma.sync: later dots
 * overlap the loads of their operands with it. Rule: an operand is read from a slot whose address depends on counters
 * alone; only the loop carries the result of the dot, so that its last slice overlaps the next iteration;
 * accumulators, other carried tensors and two slices fit the registers of a thread. f64, whose loads move single
 * words, gains nothing. */
#include "passes/dot/dot_registers.h"
#include "passes/pass.h"
#include "passes/pipelining/dots/prefetch_operand.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "layout/encoding.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  MMA_SYNC = 2, /* the version of #ttg.nvidia_mma */
  MAX_CARRIED = 8,
  MAX_WAITS = MAX_CARRIED - 2,
  WORD_BITS = 32,
  POINTER_BITS = 64,
  OTHER_REGISTERS = 36, /* addresses, counters, masks */
};

typedef struct wait {
  MlirOperation op;
  int32_t num; /* groups that may stay pending at the end of the iteration before */
} wait_t;

typedef struct prefetch {
  nereid_pass_t *pass;
  MlirOperation loop, dot, last; /* `last`: the latest of the loads to execute ahead */
  MlirBlock body;
  nereid_prefetch_operand_t operands[2];
  int64_t width, k; /* k of a slice, k of the operands */
  nereid_operations_t addresses;
  wait_t waits[MAX_WAITS];
  int n_waits;
} prefetch_t;

/* --- conditions --- */

static MlirOperation first_dot(MlirBlock body) {
  MlirOperation op = mlirBlockGetFirstOperation(body);
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_TT_DOT)
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static bool is_mma_sync(MlirOperation dot) {
  MlirType type = mlirValueGetType(nereid_ir_result(dot));
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  return !mlirTypeIsAF64(mlirShapedTypeGetElementType(type)) && !mlirAttributeIsNull(encoding) &&
         nereid_ttg_nvidia_mma_attr_isa(encoding) && nereid_ttg_nvidia_mma_attr_get_version_major(encoding) == MMA_SYNC;
}

/* Whether only the terminator uses the result of `op`. */
static bool is_only_yielded(MlirOperation op, MlirOperation yield) {
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(op)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (!mlirOperationEqual(mlirOpOperandGetOwner(use), yield))
      return false;
  return true;
}

/* Adds the ops of the body that compute `value` from values of other iterations to `ops`, operands first. False when
 * one has effects. */
static bool add_address(prefetch_t *p, MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), p->body))
    return true;
  for (size_t i = 0; i < p->addresses.size; ++i)
    if (mlirOperationEqual(p->addresses.data[i], op))
      return true;
  if (mlirTypeIsARankedTensor(mlirValueGetType(value)) || mlirOperationGetNumRegions(op) ||
      !nereidMlirOperationIsPure(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!add_address(p, mlirOperationGetOperand(op, i)))
      return false;
  return nereid_vector_push(p->pass->scratch, &p->addresses, op);
}

static void note_write(NereidMlirEffect effect, MlirValue value, NereidMlirResource resource, void *data) {
  (void)value;
  if (effect != NereidMlirEffectRead && resource != NereidMlirResourceGlobal)
    *(bool *)data = true;
}

/* Whether a load may move before `op`. Copies in flight do not write the slots that the loads after their wait read. */
static bool may_pass(MlirOperation op) {
  bool writes = false;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTG_ASYNC_COMMIT_GROUP:
  case NEREID_OP_TTG_ASYNC_WAIT:
    return true;
  default:
    return nereidMlirOperationWalkEffects(op, note_write, &writes) && !writes;
  }
}

/* Whether the loads may move to the dot: nothing between them writes shared memory. */
static bool may_sink_loads(const prefetch_t *p) {
  bool loaded = false, writes = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationEqual(op, p->dot);
       op = mlirOperationGetNextInBlock(op)) {
    for (int i = 0; i < 2; ++i)
      loaded |= mlirOperationEqual(op, p->operands[i].load);
    const nereid_op_kind_t kind = nereid_op_kind(op);
    if (loaded && kind != NEREID_OP_TTG_ASYNC_WAIT && kind != NEREID_OP_TTG_ASYNC_COMMIT_GROUP &&
        (!nereidMlirOperationWalkEffects(op, note_write, &writes) || writes))
      return false;
  }
  return true;
}

/* Collects the waits before the loads. A wait at the end of an iteration counts the groups that the next one commits
 * before it as well. */
static bool find_waits(prefetch_t *p) {
  int32_t commits = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationEqual(op, p->last);
       op = mlirOperationGetNextInBlock(op)) {
    if (!may_pass(op))
      return false;
    commits += nereid_op_kind(op) == NEREID_OP_TTG_ASYNC_COMMIT_GROUP;
    if (nereid_op_kind(op) != NEREID_OP_TTG_ASYNC_WAIT)
      continue;
    if (p->n_waits == MAX_WAITS || nereid_ttg_async_wait_get_num(op) < commits)
      return false;
    p->waits[p->n_waits++] = (wait_t){op, nereid_ttg_async_wait_get_num(op) - commits};
  }
  return true;
}

/* --- registers --- */

static int32_t contiguity(const nereid_layout_t *layout) {
  int32_t most = 1;
  for (int d = 0; d < layout->rank; ++d) {
    const int32_t along = nereid_layout_contiguity(layout, d);
    most = along > most ? along : most;
  }
  return most;
}

/* Registers of a value. Pointers of one access share an address. */
static int64_t words_of(MlirType type) {
  nereid_layout_t layout;
  if (!mlirTypeIsARankedTensor(type) || nereid_layout_from_type(type, &layout) != NEREID_OK)
    return 0;
  MlirType element = mlirShapedTypeGetElementType(type);
  const int64_t registers = nereid_layout_registers(&layout);
  if (nereid_tt_ptr_type_isa(element))
    return registers / contiguity(&layout) * (POINTER_BITS / WORD_BITS);
  const int64_t bits = mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element) : mlirIntegerTypeGetWidth(element);
  return (registers * bits + WORD_BITS - 1) / WORD_BITS;
}

/* Whether an op after the dot uses `value`. */
static bool crosses_dot(const prefetch_t *p, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = nereid_ir_ancestor_in(p->body, mlirOpOperandGetOwner(use));
    if (!mlirOperationIsNull(user) && !mlirOperationEqual(user, p->dot) && mlirOperationIsBeforeInBlock(p->dot, user))
      return true;
  }
  return false;
}

static int64_t registers_of_thread(MlirOperation loop) {
  const int64_t set = nereid_ttg_maxnreg(loop), most = nereid_dot_registers_per_thread(loop);
  return set > 0 && set < most ? set : most;
}

static bool fits(const prefetch_t *p) {
  int64_t words = OTHER_REGISTERS;
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(p->body); ++i)
    words += words_of(mlirValueGetType(mlirBlockGetArgument(p->body, i)));
  for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationEqual(op, p->dot);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TT_LOAD && crosses_dot(p, nereid_ir_result(op)))
      words += words_of(mlirValueGetType(nereid_ir_result(op)));
  for (int i = 0; i < 2; ++i) {
    const nereid_prefetch_operand_t *operand = &p->operands[i];
    MlirType type = mlirValueGetType(mlirOperationGetOperand(p->dot, i));
    words += operand->ahead ? 2 * words_of(nereid_prefetch_slice_type(type, operand->k, p->width)) : words_of(type);
  }
  const int64_t registers = registers_of_thread(p->loop);
  if (words <= registers)
    return true;
  nereid_pass_remark_missed(p->pass, p->dot, "prefetch",
                            "operands are not loaded an iteration ahead: %lld registers needed, %lld available",
                            (long long)words, (long long)registers);
  return false;
}

static bool plan(prefetch_t *p) {
  p->dot = first_dot(p->body);
  if (mlirOperationIsNull(p->dot) || !is_mma_sync(p->dot) || !is_only_yielded(p->dot, mlirBlockGetTerminator(p->body)))
    return false;
  bool ahead = false;
  for (int i = 0; i < 2; ++i)
    if (!nereid_prefetch_operand_find(p->dot, i, p->body, &p->operands[i]))
      return false;
  p->width = nereid_prefetch_width(p->dot, &p->k);
  for (int i = 0; i < 2; ++i) {
    nereid_prefetch_operand_t *operand = &p->operands[i];
    operand->ahead = operand->in_body && add_address(p, nereid_ttg_local_load_get_src(operand->load));
    ahead |= operand->ahead;
    if (p->width < p->k && !nereid_prefetch_can_slice(operand, p->width))
      return false;
  }
  if (!ahead || p->width > p->k)
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationEqual(op, p->dot);
       op = mlirOperationGetNextInBlock(op))
    for (int i = 0; i < 2; ++i)
      if (p->operands[i].ahead && mlirOperationEqual(op, p->operands[i].load))
        p->last = op;
  return may_sink_loads(p) && find_waits(p) && fits(p);
}

/* --- rewriting --- */

/* The values of one iteration, as computed at another place. */
typedef struct place {
  nereid_builder_t builder;
  NereidMlirIRMapping mapping;
} place_t;

static MlirValue mapped(const place_t *place, MlirValue value) {
  MlirValue found = nereidMlirIRMappingLookupValue(place->mapping, value);
  return mlirValueIsNull(found) ? value : found;
}

/* Emits the waits, the addresses and the first slices of an iteration; `out` gets the tokens, then the slices. */
static intptr_t emit_ahead(const prefetch_t *p, const place_t *place, MlirValue *out) {
  intptr_t n = 0;
  for (size_t i = 0; i < p->addresses.size; ++i)
    mlirBlockInsertOwnedOperationBefore(place->builder.block, place->builder.before,
                                        nereidMlirOperationCloneWithMapping(p->addresses.data[i], place->mapping));
  for (int i = 0; i < p->n_waits; ++i) {
    out[n] = nereid_ir_result(nereid_ttg_async_wait_build(&place->builder, 0, NULL, p->waits[i].num));
    nereidMlirIRMappingMapValue(place->mapping, nereid_ir_result(p->waits[i].op), out[n++]);
  }
  for (int i = 0; i < 2; ++i) {
    const nereid_prefetch_operand_t *operand = &p->operands[i];
    if (!operand->ahead)
      continue;
    MlirValue token = nereid_ttg_local_load_get_token(operand->load);
    out[n++] =
        nereid_prefetch_slice(operand, &place->builder, mapped(place, nereid_ttg_local_load_get_src(operand->load)),
                              mlirValueIsNull(token) ? token : mapped(place, token), 0, p->width);
  }
  return n;
}

/* The first iteration, before the loop. */
static intptr_t emit_before(const prefetch_t *p, MlirValue *out) {
  place_t place = {nereid_builder_before(p->loop), nereidMlirIRMappingCreate()};
  nereidMlirIRMappingMapValue(place.mapping, mlirBlockGetArgument(p->body, 0), nereid_scf_for_get_lower_bound(p->loop));
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(p->body); ++i)
    nereidMlirIRMappingMapValue(place.mapping, mlirBlockGetArgument(p->body, i),
                                mlirOperationGetOperand(p->loop, i + 2));
  const intptr_t n = emit_ahead(p, &place, out);
  nereidMlirIRMappingDestroy(place.mapping);
  return n;
}

/* The next iteration, at the end of the body of `loop`. */
static void emit_next(const prefetch_t *p, MlirOperation loop, intptr_t n) {
  MlirOperation yield = mlirBlockGetTerminator(p->body);
  place_t place = {nereid_builder_before(yield), nereidMlirIRMappingCreate()};
  MlirValue next[MAX_CARRIED], counter = mlirBlockGetArgument(p->body, 0);
  nereidMlirIRMappingMapValue(place.mapping, counter,
                              nereid_scalar_add(&place.builder, counter, nereid_scf_for_get_step(loop)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    nereidMlirIRMappingMapValue(place.mapping, mlirBlockGetArgument(p->body, i + 1), mlirOperationGetOperand(yield, i));
  emit_ahead(p, &place, next);
  nereidMlirIRMappingDestroy(place.mapping);
  nereidMlirOperationInsertOperands(yield, mlirOperationGetNumOperands(yield), n, next);
}

/* Slice `number` of operand `i`: the carried value, or loaded before the dot. */
static MlirValue slice_in_body(const prefetch_t *p, int i, int64_t number, const MlirValue *carried) {
  const nereid_prefetch_operand_t *operand = &p->operands[i];
  if (operand->ahead && number == 0)
    return carried[p->n_waits + (i && p->operands[0].ahead)];
  nereid_builder_t builder = nereid_builder_before(operand->in_body ? p->dot : operand->load);
  return nereid_prefetch_slice(operand, &builder, nereid_ttg_local_load_get_src(operand->load),
                               nereid_ttg_local_load_get_token(operand->load), number * p->width, p->width);
}

/* Replaces the dot by dots of slices. Returns the last one. */
static MlirOperation emit_dots(const prefetch_t *p, const MlirValue *carried) {
  const int64_t count = p->k / p->width;
  MlirValue slices[2], sum = mlirOperationGetOperand(p->dot, 2);
  MlirOperation dot = {NULL};
  for (int i = 0; i < 2; ++i)
    slices[i] = slice_in_body(p, i, 0, carried);
  for (int64_t number = 0; number < count; ++number) {
    MlirValue ahead[2] = {slices[0], slices[1]};
    for (int i = 0; number + 1 < count && i < 2; ++i)
      ahead[i] = slice_in_body(p, i, number + 1, carried);
    dot = mlirOperationClone(p->dot);
    mlirBlockInsertOwnedOperationBefore(p->body, p->dot, dot);
    mlirOperationSetOperand(dot, 0, slices[0]);
    mlirOperationSetOperand(dot, 1, slices[1]);
    mlirOperationSetOperand(dot, 2, sum);
    sum = nereid_ir_result(dot);
    slices[0] = ahead[0];
    slices[1] = ahead[1];
  }
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(p->dot), sum);
  return dot;
}

static void rewrite(prefetch_t *p) {
  MlirValue initial[MAX_CARRIED] = {{NULL}}, carried[MAX_CARRIED] = {{NULL}};
  const intptr_t n = emit_before(p, initial), first = mlirBlockGetNumArguments(p->body);
  p->loop = nereid_loop_with_carried(p->loop, n, initial);
  for (intptr_t i = 0; i < n; ++i)
    carried[i] = mlirBlockGetArgument(p->body, first + i);
  MlirOperation last = emit_dots(p, carried), yield = mlirBlockGetTerminator(p->body);
  emit_next(p, p->loop, n);
  mlirOperationMoveBefore(last, yield);
  nereidMlirOperationErase(p->dot);
  for (int i = 0; i < 2; ++i)
    nereid_prefetch_operand_erase(&p->operands[i]);
  for (int i = 0; i < p->n_waits; ++i) {
    mlirValueReplaceAllUsesOfWith(nereid_ir_result(p->waits[i].op), carried[i]);
    nereidMlirOperationErase(p->waits[i].op);
  }
}

MlirLogicalResult nereid_pass_tritongpu_prefetch(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_SCF_FOR, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = loops.size; i-- > 0;) { /* inner loops first: a loop that changes is another op */
    prefetch_t prefetch = {.pass = pass, .loop = loops.data[i]};
    prefetch.body = mlirRegionGetFirstBlock(mlirOperationGetRegion(prefetch.loop, 0));
    if (!plan(&prefetch))
      continue;
    nereid_pass_remark_passed(pass, prefetch.dot, "prefetch", "loads %lld of %lld along k one iteration ahead",
                              (long long)prefetch.width, (long long)prefetch.k);
    rewrite(&prefetch);
    ++count;
  }
  nereid_pass_statistic_add(pass, "loops", count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
