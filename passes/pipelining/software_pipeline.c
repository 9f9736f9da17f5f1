/* tritongpu-pipeline: executes stage 0 of a scheduled loop iterations ahead, with its loads as asynchronous copies.
 *
 *   for %i = %lb to %ub step %s:          %ring = ttg.local_alloc : 3 x tensor
 *     %x = tt.load %p(%i)            ->   copies for iterations 0, 1 and 2 begin, a group each
 *     use %x                              for %i = %lb to %ub step %s iter_args(%slot = 0):
 *                                           ttg.async_wait {num = 2}
 *                                           %x = ttg.local_load %ring[%slot]
 *                                           the copy into %ring[%slot] for iteration %i + 3 * %s begins, if it exists
 *                                           use %x
 *                                         ttg.async_wait {num = 0}
 *
 * With a latency of three there are three slots, and the slot that was just read is refilled immediately. This keeps
 * three copies in flight during the wait, and warps that read their own copies need no barrier of the CTA.
 *
 * Where warps read the copies of other warps, refilling the slot immediately would cost a second barrier of the CTA per
 * iteration, in addition to the one after the wait. With a spare slot, copies go to the slot that the previous
 * iteration has read. If slots are too large for a spare one, they are filled at the end of the body, where a barrier
 * may have been executed already.
 *
 * Copies of iterations past the end are masked off. Values that an address needs from the previous iteration are
 * carried a second time, ahead. Requires loop.stage on the ops; removes it and tt.latency. At last, dots of warp groups
 * become asynchronous (async_dots.h). */
#include "passes/pass.h"
#include "passes/pipelining/async_dots.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/buffer_type.h"
#include "passes/support/scalar.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "layout/exchange.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

typedef NEREID_VECTOR(MlirValue) values_t;

typedef struct pipeline {
  nereid_pass_t *pass;
  MlirContext context;
  MlirOperation loop;
  MlirBlock body;
  int64_t latency; /* iterations from a copy to its use */
  int64_t slots;   /* the latency, or one more: then copies go to the slot that the previous iteration has read */
  bool late;       /* copies begin at the end of the body */
  nereid_operations_t ahead; /* ops of stage 0, in order; the loads among them */
  nereid_operations_t loads;
  values_t rings;   /* by load */
  values_t carried; /* block arguments that stage 0 carries */
  values_t current; /* their values, `latency` iterations ahead */
  MlirType counter; /* type of the induction variable */
  MlirValue lower, upper, step;
} pipeline_t;

static void unmark(MlirOperation op) {
  static const char *const names[] = {NEREID_ATTR_LOOP_STAGE, NEREID_ATTR_LOOP_CLUSTER, NEREID_ATTR_LATENCY};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    mlirOperationRemoveDiscardableAttributeByName(op, nereid_ir_ref(names[i]));
}

/* --- rings --- */

static bool has_spare(const pipeline_t *pipeline) {
  return pipeline->slots > pipeline->latency;
}

static MlirType type_of_load(const pipeline_t *pipeline, size_t load) {
  return mlirValueGetType(nereid_ir_result(pipeline->loads.data[load]));
}

static void make_rings(pipeline_t *pipeline, const nereid_builder_t *builder) {
  for (size_t i = 0; i < pipeline->loads.size; ++i) {
    MlirType type = nereid_buffer_type(type_of_load(pipeline, i), pipeline->slots, true);
    MlirOperation alloc = nereid_ttg_local_alloc_build(builder, type, (MlirValue){NULL}, (MlirAttribute){NULL});
    nereid_vector_push(pipeline->pass->scratch, &pipeline->rings, nereid_ir_result(alloc));
  }
}

static MlirValue slot_of(pipeline_t *pipeline, const nereid_builder_t *builder, size_t load, MlirValue slot) {
  MlirType type = nereid_buffer_type(type_of_load(pipeline, load), 0, true);
  return nereid_ir_result(nereid_ttg_memdesc_index_build(builder, type, pipeline->rings.data[load], slot));
}

/* --- stage 0 --- */

static MlirValue mapped(NereidMlirIRMapping mapping, MlirValue value) {
  MlirValue found = mlirValueIsNull(value) ? value : nereidMlirIRMappingLookupValue(mapping, value);
  return mlirValueIsNull(found) ? value : found;
}

/* A tensor of zeros like `tensor`. */
static MlirValue zeros(const nereid_builder_t *builder, MlirType tensor) {
  MlirType element = mlirShapedTypeGetElementType(tensor);
  MlirAttribute zero = mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(tensor), element, 0.0)
                                                 : mlirIntegerAttrGet(element, 0);
  return nereid_ir_result(nereid_arith_constant_build(builder, mlirDenseElementsAttrSplatGet(tensor, zero)));
}

static MlirType with_element(MlirType tensor, MlirType element) {
  int64_t shape[NEREID_LAYOUT_MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(tensor, d);
  return mlirRankedTensorTypeGet(rank, shape, element, mlirRankedTensorTypeGetEncoding(tensor));
}

/* Begins the copy of load `load` into `slot` if `exists`, an i1, is true. */
static MlirValue begin_copy(pipeline_t *pipeline, const nereid_builder_t *builder, size_t load, MlirValue slot,
                            MlirValue exists, NereidMlirIRMapping mapping) {
  MlirOperation op = pipeline->loads.data[load];
  MlirType tensor = mlirValueGetType(nereid_ir_result(op));
  MlirValue mask = mapped(mapping, nereid_tt_load_get_mask(op));
  MlirType i1 = mlirIntegerTypeGet(pipeline->context, 1);
  MlirType bits = with_element(tensor, i1);
  MlirValue all = nereid_ir_result(nereid_tt_splat_build(builder, bits, exists));
  if (!mlirValueIsNull(mask))
    all = nereid_ir_result(nereid_arith_andi_build(builder, all, mask));
  return nereid_ir_result(nereid_ttg_async_copy_global_to_local_build(
      builder, mapped(mapping, nereid_tt_load_get_ptr(op)), slot_of(pipeline, builder, load, slot), all,
      zeros(builder, tensor), nereid_tt_load_get_cache(op), nereid_tt_load_get_evict(op), false, 1));
}

static void insert(const nereid_builder_t *builder, MlirOperation op) {
  if (mlirOperationIsNull(builder->before))
    mlirBlockAppendOwnedOperation(builder->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, op);
}

/* Emits stage 0 of the iteration with counter `counter` and advances its carried values. */
static void begin_iteration(pipeline_t *pipeline, const nereid_builder_t *builder, MlirValue counter, MlirValue slot,
                            MlirValue exists) {
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  values_t tokens = {0};
  size_t load = 0;
  nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(pipeline->body, 0), counter);
  for (size_t i = 0; i < pipeline->carried.size; ++i)
    nereidMlirIRMappingMapValue(mapping, pipeline->carried.data[i], pipeline->current.data[i]);
  for (size_t i = 0; i < pipeline->ahead.size; ++i) {
    MlirOperation op = pipeline->ahead.data[i];
    if (nereid_op_kind(op) == NEREID_OP_TT_LOAD) {
      nereid_vector_push(pipeline->pass->scratch, &tokens,
                         begin_copy(pipeline, builder, load++, slot, exists, mapping));
      continue;
    }
    MlirOperation copy = nereidMlirOperationCloneWithMapping(op, mapping);
    unmark(copy);
    insert(builder, copy);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      nereidMlirIRMappingMapValue(mapping, mlirOperationGetResult(op, r), mlirOperationGetResult(copy, r));
  }
  nereid_ttg_async_commit_group_build(builder, (intptr_t)tokens.size, tokens.data);
  MlirOperation yield = mlirBlockGetTerminator(pipeline->body);
  for (size_t i = 0; i < pipeline->carried.size; ++i) {
    const intptr_t number = mlirBlockArgumentGetArgNumber(pipeline->carried.data[i]);
    pipeline->current.data[i] = mapped(mapping, mlirOperationGetOperand(yield, number - 1));
  }
  nereidMlirIRMappingDestroy(mapping);
}

/* --- the loop --- */

static MlirValue below(const nereid_builder_t *builder, MlirValue counter, MlirValue bound) {
  return nereid_ir_result(nereid_arith_cmpi_build(builder, counter, bound, NEREID_ARITH_CMP_I_PREDICATE_SLT));
}

/* Emits the copies of the first iterations. */
static void make_prologue(pipeline_t *pipeline, const nereid_builder_t *builder) {
  MlirType i32 = mlirIntegerTypeGet(pipeline->context, 32);
  MlirValue counter = pipeline->lower;
  make_rings(pipeline, builder);
  for (int64_t i = 0; i < pipeline->latency; ++i) {
    if (i)
      counter = nereid_scalar_add(builder, counter, pipeline->step);
    begin_iteration(pipeline, builder, counter, nereid_scalar_constant(builder, i32, i),
                    below(builder, counter, pipeline->upper));
  }
}

/* Creates the loop with additional carried values for stage 0 and the slot; the old body moves into it. */
static MlirOperation rebuild(pipeline_t *pipeline) {
  MlirOperation old = pipeline->loop;
  MlirLocation location = mlirOperationGetLocation(old);
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("scf.for"), location);
  const intptr_t n = mlirOperationGetNumOperands(old), results = mlirOperationGetNumResults(old);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  mlirBlockAddArgument(block, pipeline->counter, mlirValueGetLocation(mlirBlockGetArgument(pipeline->body, 0)));
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(old, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  for (intptr_t i = 0; i < results; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(old, i));
    mlirOperationStateAddResults(&state, 1, &type);
    mlirBlockAddArgument(block, type, mlirValueGetLocation(mlirBlockGetArgument(pipeline->body, i + 1)));
  }
  for (size_t i = 0; i < pipeline->current.size; ++i) {
    MlirValue operand = pipeline->current.data[i];
    MlirType type = mlirValueGetType(operand);
    mlirOperationStateAddOperands(&state, 1, &operand);
    mlirOperationStateAddResults(&state, 1, &type);
    mlirBlockAddArgument(block, type, location);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(old); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(old, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(attribute.name), nereid_ir_ref(NEREID_ATTR_SCHEDULED_MAX_STAGE)))
      mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(old), old, made);
  return made;
}

/* Replaces a load by the contents of its slot; masked-off elements get the load's other value. */
static void replace_load(pipeline_t *pipeline, const nereid_builder_t *builder, size_t load, MlirValue slot,
                         MlirValue token) {
  MlirOperation op = pipeline->loads.data[load];
  MlirValue mask = nereid_tt_load_get_mask(op), other = nereid_tt_load_get_other(op);
  MlirOperation from = nereid_ttg_local_load_build(builder, mlirValueGetType(nereid_ir_result(op)),
                                                   slot_of(pipeline, builder, load, slot), token);
  MlirValue value = nereid_ir_result(from);
  if (!mlirValueIsNull(mask) && !mlirValueIsNull(other)) {
    nereid_builder_t here = nereid_builder_before(op);
    value = nereid_ir_result(nereid_arith_select_build(&here, mask, value, other));
  }
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(op), value);
}

static MlirValue next_slot(pipeline_t *pipeline, const nereid_builder_t *builder, MlirValue slot) {
  MlirType i32 = mlirValueGetType(slot);
  MlirValue next = nereid_scalar_add(builder, slot, nereid_scalar_constant(builder, i32, 1));
  MlirValue wraps = nereid_ir_result(nereid_arith_cmpi_build(
      builder, next, nereid_scalar_constant(builder, i32, pipeline->slots), NEREID_ARITH_CMP_I_PREDICATE_SGE));
  return nereid_ir_result(nereid_arith_select_build(builder, wraps, nereid_scalar_constant(builder, i32, 0), next));
}

/* Emits the copies of the iteration `latency` ahead into `slot`. `distance` is that many steps; `bound` is the end of
 * the range minus `distance`. */
static void copy_ahead(pipeline_t *pipeline, const nereid_builder_t *builder, MlirValue slot, MlirValue distance,
                       MlirValue bound) {
  MlirValue counter = mlirBlockGetArgument(pipeline->body, 0);
  MlirValue exists = below(builder, counter, bound);
  begin_iteration(pipeline, builder, nereid_scalar_add(builder, counter, distance), slot, exists);
}

/* Fills the new loop's body: the wait, the loads from the slot, the old body, with the copies after the loads or at the
 * end. */
static void fill_body(pipeline_t *pipeline, MlirOperation made, MlirValue distance, MlirValue bound) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(made, 0));
  const intptr_t n = mlirBlockGetNumArguments(pipeline->body), next = n + (intptr_t)pipeline->carried.size;
  MlirOperation yield = mlirBlockGetTerminator(pipeline->body);
  nereid_builder_t front = nereid_builder_before(mlirBlockGetFirstOperation(pipeline->body));
  nereid_builder_t back = nereid_builder_before(yield);
  front.location = back.location = mlirOperationGetLocation(made);
  MlirValue slot = mlirBlockGetArgument(block, next);
  pipeline->current.size = pipeline->carried.size;
  for (size_t i = 0; i < pipeline->carried.size; ++i)
    pipeline->current.data[i] = mlirBlockGetArgument(block, n + (intptr_t)i);
  MlirValue token = nereid_ir_result(nereid_ttg_async_wait_build(&front, 0, NULL, (int32_t)pipeline->latency - 1));
  for (size_t i = 0; i < pipeline->loads.size; ++i)
    replace_load(pipeline, &front, i, slot, token);
  MlirValue into = has_spare(pipeline) ? mlirBlockGetArgument(block, next + 1) : slot;
  copy_ahead(pipeline, pipeline->late ? &back : &front, into, distance, bound);
  nereid_vector_push(pipeline->pass->scratch, &pipeline->current, next_slot(pipeline, &back, slot));
  if (has_spare(pipeline))
    nereid_vector_push(pipeline->pass->scratch, &pipeline->current, next_slot(pipeline, &back, into));
  nereidMlirOperationInsertOperands(yield, mlirOperationGetNumOperands(yield), (intptr_t)pipeline->current.size,
                                    pipeline->current.data);
  for (size_t i = 0; i < pipeline->loads.size; ++i)
    nereidMlirOperationErase(pipeline->loads.data[i]);
  for (intptr_t i = 0; i < n; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(pipeline->body, i), mlirBlockGetArgument(block, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(pipeline->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    unmark(op);
  nereidMlirBlockSplice(block, (MlirOperation){NULL}, pipeline->body);
}

static void run(pipeline_t *pipeline) {
  MlirOperation old = pipeline->loop;
  nereid_builder_t builder = nereid_builder_before(old);
  MlirType i32 = mlirIntegerTypeGet(pipeline->context, 32);
  for (size_t i = 0; i < pipeline->carried.size; ++i) {
    const intptr_t number = mlirBlockArgumentGetArgNumber(pipeline->carried.data[i]);
    nereid_vector_push(pipeline->pass->scratch, &pipeline->current, mlirOperationGetOperand(old, 2 + number));
  }
  if (pipeline->pass->scratch->failed)
    return;
  make_prologue(pipeline, &builder);
  MlirValue times = nereid_scalar_constant(&builder, pipeline->counter, pipeline->latency);
  MlirValue distance = nereid_ir_result(
      nereid_arith_muli_build(&builder, pipeline->step, times, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  MlirValue bound = nereid_ir_result(
      nereid_arith_subi_build(&builder, pipeline->upper, distance, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  nereid_vector_push(pipeline->pass->scratch, &pipeline->current, nereid_scalar_constant(&builder, i32, 0));
  if (has_spare(pipeline))
    nereid_vector_push(pipeline->pass->scratch, &pipeline->current,
                       nereid_scalar_constant(&builder, i32, pipeline->latency));
  MlirOperation made = rebuild(pipeline);
  fill_body(pipeline, made, distance, bound);
  nereid_ttg_async_wait_build(&builder, 0, NULL, 0);
  for (size_t i = 0; i < pipeline->rings.size; ++i)
    nereid_ttg_local_dealloc_build(&builder, pipeline->rings.data[i]);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(old); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(old, i), mlirOperationGetResult(made, i));
  nereidMlirOperationErase(old);
}

/* Whether an asynchronous copy can replace the load. */
static bool is_copy(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_LOAD && nereid_ttg_is_laid_out(nereid_ir_result(op)) &&
         !nereid_tt_load_get_is_volatile(op);
}

/* Whether stage 0 consists of loads and all their dependences, and everything else is the last stage, as schedule-loops
 * produces. */
static bool has_two_stages(const pipeline_t *pipeline, const nereid_map_t *slice) {
  MlirOperation last = mlirBlockGetTerminator(pipeline->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(pipeline->body); !mlirOperationEqual(op, last);
       op = mlirOperationGetNextInBlock(op)) {
    const int64_t stage = nereid_loop_integer(op, NEREID_ATTR_LOOP_STAGE, pipeline->latency);
    const bool first = nereid_map_find(slice, op.ptr) || nereid_op_kind(op) == NEREID_OP_TT_LOAD;
    if ((stage != 0 && stage != pipeline->latency) || (stage == 0 && !first) ||
        (stage != 0 && nereid_map_find(slice, op.ptr)))
      return false;
  }
  return true;
}

/* Whether a warp reads elements that other warps copied, in the load's layout or in a layout that it is converted to:
 * the conversion is folded into the load from the ring. */
static bool crosses_warps(MlirOperation load) {
  MlirValue value = nereid_ir_result(load);
  nereid_layout_t from, to;
  if (nereid_layout_from_type(mlirValueGetType(value), &from) != NEREID_OK)
    return true;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool converts = nereid_op_kind(user) == NEREID_OP_TTG_CONVERT_LAYOUT;
    if (nereid_layout_from_type(mlirValueGetType(converts ? nereid_ir_result(user) : value), &to) != NEREID_OK ||
        !nereid_layout_exchange_in_warp(&from, &to))
      return true;
  }
  return false;
}

/* Adds one slot where slots are small: it saves a barrier of the CTA in each iteration. */
static void choose_slots(pipeline_t *pipeline) {
  enum { SMALL = 8192 /* bytes that one iteration loads */ };
  bool crosses = false;
  int64_t bytes = 0;
  for (size_t i = 0; i < pipeline->loads.size; ++i) {
    crosses = crosses || crosses_warps(pipeline->loads.data[i]);
    bytes += nereid_scratch_tensor_bytes(type_of_load(pipeline, i));
  }
  const bool spare =
      crosses && bytes <= SMALL && (pipeline->latency + 1) * bytes <= nereid_allocation_limit(pipeline->pass->op) / 2;
  pipeline->slots = pipeline->latency + spare;
  pipeline->late = crosses && !spare;
}

static bool begin(nereid_pass_t *pass, MlirOperation loop, pipeline_t *out) {
  static const char other[] = "not pipelined: its stages are not loads followed by everything else";
  nereid_map_t slice, carried;
  *out = (pipeline_t){.pass = pass, .context = pass->context, .loop = loop};
  out->latency = nereid_loop_integer(loop, NEREID_ATTR_SCHEDULED_MAX_STAGE, 0);
  out->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  if (out->latency < 1)
    return false;
  nereid_map_initialize(&slice, pass->scratch);
  nereid_map_initialize(&carried, pass->scratch);
  bool known =
      !nereid_scf_for_get_unsigned_cmp(loop); /* the end of an unsigned range minus a few steps could wrap around */
  for (MlirOperation op = mlirBlockGetFirstOperation(out->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_loop_integer(op, NEREID_ATTR_LOOP_STAGE, -1) != 0)
      continue;
    nereid_vector_push(pass->scratch, &out->ahead, op);
    if (nereid_op_kind(op) != NEREID_OP_TT_LOAD)
      continue;
    nereid_vector_push(pass->scratch, &out->loads, op);
    known = known && is_copy(op) && nereid_loop_slice(loop, op, &slice, &carried);
  }
  if (!known || !has_two_stages(out, &slice)) {
    nereid_pass_remark_missed(pass, loop, "latency", other);
    return false;
  }
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(out->body); ++i)
    if (nereid_map_find(&carried, mlirBlockGetArgument(out->body, i).ptr))
      nereid_vector_push(pass->scratch, &out->carried, mlirBlockGetArgument(out->body, i));
  out->counter = mlirValueGetType(mlirBlockGetArgument(out->body, 0));
  out->lower = mlirOperationGetOperand(loop, 0);
  out->upper = mlirOperationGetOperand(loop, 1);
  out->step = mlirOperationGetOperand(loop, 2);
  choose_slots(out);
  return out->loads.size > 0 && !pass->scratch->failed;
}

MlirLogicalResult nereid_pass_tritongpu_pipeline(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  bool good = nereid_loop_collect(pass->op, pass->scratch, &loops);
  for (size_t i = loops.size;
       good && i-- > 0;) { /* inner loops first: they are erased together with the loops around them */
    pipeline_t pipeline;
    if (!begin(pass, loops.data[i], &pipeline))
      continue;
    run(&pipeline);
    ++count;
  }
  nereid_pass_statistic_add(pass, "loops", count);
  int64_t carried_dots = 0;
  good = good && nereid_async_dots(pass, &carried_dots);
  nereid_pass_statistic_add(pass, "async-dots", carried_dots);
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
