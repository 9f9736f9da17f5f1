/* tritongpu-optimize-dot-operands: brings dot operands to shared memory as they are loaded.
 *
 *   %t = tt.trans %x                                        %s = ttg.local_alloc %x
 *   %b = ttg.local_alloc %t                          ->     %b = ttg.memdesc_trans %s
 *
 *   %t = tt.trans (tt.load %p)                              %s = ttg.local_alloc (tt.load %p)
 *   %b = ttg.convert_layout %t -> #dot_op            ->     %b = ttg.local_load (ttg.memdesc_trans %s) -> #dot_op
 *
 *   %f = arith.sitofp (tt.load %p) : i8 to f16              %c = ttg.convert_layout (tt.load %p) : i8 -> #dot_op
 *   %a = ttg.convert_layout %f -> #dot_op            ->     %a = arith.sitofp %c : i8 to f16
 *
 * A loaded tensor that goes directly to a buffer can be copied there asynchronously. A transposition of a buffer is
 * free. Elementwise operations in #dot_op need no second trip through shared memory, and their operands are often
 * narrower than the result. Warps that share an operand repeat the operations, 8-bit elements that are not adjacent
 * along K are loaded one by one, and each load that cp.async cannot copy, such as those of single scales and zero
 * points, takes a trip of its own. Where that costs more than the conversion of the result, the operations stay in the
 * layout of the load. */
#include "analysis/allocation/scratch.h"
#include "passes/dot/shared_encoding.h"
#include "passes/layout/support/conversion_cost.h"
#include "passes/layout/support/layout_flow.h"
#include "passes/pass.h"
#include "passes/pipelining/ring.h"
#include "passes/support/collect.h"
#include "passes/support/descriptor.h"

#include "base/map.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static bool is_mma_operand(MlirAttribute encoding) {
  return !mlirAttributeIsNull(encoding) && nereid_ttg_dot_op_attr_isa(encoding) &&
         nereid_ttg_nvidia_mma_attr_isa(nereid_ttg_dot_op_attr_get_parent(encoding));
}

/* Not one that moves elements between the CTAs of a cluster: a buffer is in one CTA. */
static bool is_conversion_to_operand(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT &&
         is_mma_operand(nereid_ttg_encoding_of(nereid_ir_result(op))) && !nereid_ttg_crosses_ctas(op);
}

static bool is_alloc_of_tensor(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op) == 1;
}

/* Erases `value`'s defining op and then those of its operands, while they have no users. An op may be an operand of
 * several of them: the list has it again, after it has been erased, too. */
static void erase_unused(MlirValue value, nereid_arena_t *arena) {
  nereid_operations_t list = {0};
  nereid_map_t erased;
  nereid_map_initialize(&erased, arena);
  nereid_vector_push(arena, &list, nereid_defining_op(value));
  for (size_t i = 0; i < list.size; ++i) {
    MlirOperation op = list.data[i];
    if (mlirOperationIsNull(op) || nereid_map_find(&erased, op.ptr) || !nereidMlirOperationIsTriviallyDead(op) ||
        !nereid_map_insert(&erased, op.ptr))
      continue;
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
      nereid_vector_push(arena, &list, nereid_defining_op(mlirOperationGetOperand(op, o)));
    nereidMlirOperationErase(op);
  }
}

/* --- transposed operands --- */

/* A transposed tensor: %value = tt.trans %source {order}. */
typedef struct transposed {
  MlirValue value, source;
  int32_t order[NEREID_TTG_MAX_RANK], inverse[NEREID_TTG_MAX_RANK];
  int rank;
} transposed_t;

/* `value` before conversions within a CTA: a buffer is filled by the CTA that has it. */
static MlirValue without_conversions(MlirValue value) {
  MlirOperation op = nereid_defining_op_of_kind(value, NEREID_OP_TTG_CONVERT_LAYOUT);
  for (; !mlirOperationIsNull(op) && !nereid_ttg_crosses_ctas(op);
       op = nereid_defining_op_of_kind(value, NEREID_OP_TTG_CONVERT_LAYOUT))
    value = mlirOperationGetOperand(op, 0);
  return value;
}

static bool match_transposed(MlirValue value, transposed_t *out) {
  out->value = without_conversions(value);
  MlirOperation trans = nereid_defining_op_of_kind(out->value, NEREID_OP_TT_TRANS);
  if (mlirOperationIsNull(trans))
    return false;
  out->source = without_conversions(mlirOperationGetOperand(trans, 0));
  out->rank = (int)nereid_tt_trans_get_order_count(trans);
  for (int i = 0; i < out->rank; ++i) {
    out->order[i] = nereid_tt_trans_get_order(trans, i);
    out->inverse[out->order[i]] = i;
  }
  return nereid_ttg_is_laid_out(out->source);
}

/* The type of a buffer for the source whose transposed view has type `view`; null when it has no encoding, or when the
 * buffer is contiguous in another dimension than the registers of the source. */
static MlirType source_buffer(const transposed_t *transposed, MlirType view) {
  nereid_ttg_memdesc_t buffer;
  MlirAttribute encoding;
  int32_t registers[NEREID_TTG_MAX_RANK];
  if (!nereid_ttg_memdesc_read(view, &buffer) || buffer.alloc_rank != buffer.rank || buffer.rank != transposed->rank ||
      !nereid_ttg_infer_trans_encoding(buffer.encoding, buffer.rank, buffer.shape, transposed->inverse,
                                       (MlirLocation){NULL}, &encoding))
    return (MlirType){NULL};
  nereid_ttg_memdesc_t source = buffer;
  source.encoding = encoding;
  for (int d = 0; d < buffer.rank; ++d)
    source.alloc[d] = source.shape[d] = buffer.shape[transposed->inverse[d]];
  nereid_dot_register_order(mlirValueGetType(transposed->source), registers);
  const bool rows = registers[0] == source.rank - 1;
  if (nereid_ttg_nvmma_shared_attr_isa(encoding) && nereid_ttg_nvmma_shared_attr_get_transposed(encoding) == rows)
    return (MlirType){NULL};
  return nereid_ttg_memdesc_type(&source);
}

/* Stores the source in a buffer of `type` and transposes it; null when there is no type. */
static MlirValue transposed_buffer(const nereid_builder_t *builder, const transposed_t *transposed, MlirType type,
                                   MlirAttribute alignment) {
  if (mlirTypeIsNull(type))
    return (MlirValue){NULL};
  MlirOperation alloc = nereid_ttg_local_alloc_build(builder, type, transposed->source, alignment);
  return nereid_ir_result(
      nereid_ttg_memdesc_trans_build(builder, nereid_ir_result(alloc), transposed->rank, transposed->order));
}

/* local_alloc(trans(x)) -> memdesc_trans(local_alloc(x)) */
static bool transpose_alloc(nereid_pass_t *pass, MlirOperation alloc) {
  transposed_t transposed = {0};
  MlirValue result = nereid_ir_result(alloc), stored = mlirOperationGetOperand(alloc, 0);
  if (!match_transposed(stored, &transposed))
    return false;
  nereid_builder_t builder = nereid_builder_before(alloc);
  MlirValue view = transposed_buffer(&builder, &transposed, source_buffer(&transposed, mlirValueGetType(result)),
                                     nereid_ttg_local_alloc_get_alignment_attr(alloc));
  if (mlirValueIsNull(view)) {
    nereid_pass_remark_missed(
        pass, alloc, "transposition",
        "the operand is transposed in registers: the dot requires the other contiguous dimension");
    return false;
  }
  mlirValueReplaceAllUsesOfWith(result, view);
  nereidMlirOperationErase(alloc);
  erase_unused(stored, pass->scratch);
  return true;
}

/* The type of a buffer for the source, through whose transposed view `convert` can load: without conflicts,
 * contiguous as the source is. Null when there is none. */
static MlirType loaded_buffer(MlirOperation convert, const transposed_t *transposed) {
  MlirType tensor = mlirValueGetType(transposed->value);
  MlirAttribute dot_op = nereid_ttg_encoding_of(nereid_ir_result(convert));
  int32_t registers[NEREID_TTG_MAX_RANK], order[NEREID_TTG_MAX_RANK];
  nereid_ttg_memdesc_t buffer = {.rank = transposed->rank, .alloc_rank = transposed->rank};
  nereid_dot_register_order(mlirValueGetType(transposed->source), registers);
  for (int i = 0; i < transposed->rank; ++i) {
    order[i] = transposed->inverse[registers[i]];
    buffer.alloc[i] = buffer.shape[i] = mlirShapedTypeGetDimSize(tensor, i);
  }
  buffer.element = mlirShapedTypeGetElementType(tensor);
  buffer.encoding = nereid_dot_mma_shared(tensor, dot_op, order);
  buffer.space = nereid_ttg_shared_memory_attr_create(mlirTypeGetContext(tensor));
  return mlirAttributeIsNull(buffer.encoding) ? (MlirType){NULL}
                                              : source_buffer(transposed, nereid_ttg_memdesc_type(&buffer));
}

/* convert_layout(trans(local_load(slot))) -> local_load(memdesc_trans(slot)), at the load */
static MlirValue load_transposed_slot(MlirOperation convert, const transposed_t *transposed, MlirOperation slot_load) {
  nereid_builder_t builder = nereid_builder_before(slot_load);
  MlirValue token = nereid_ttg_local_load_get_token(slot_load);
  MlirOperation view = nereid_ttg_memdesc_trans_build(&builder, nereid_ttg_local_load_get_src(slot_load),
                                                      transposed->rank, transposed->order);
  return nereid_ir_result(nereid_ttg_local_load_build(&builder, mlirValueGetType(nereid_ir_result(convert)),
                                                      nereid_ir_result(view), token));
}

/* Where the source of `convert` is stored: before the outermost loop around `convert` that does not contain the source,
 * as for the queries of attention, so that no iteration stores it again; or before `convert`. A buffer before a loop is
 * live in all of it: not after rings have taken the memory. */
static nereid_builder_t builder_of_buffer(const nereid_pass_t *pass, MlirOperation convert, MlirOperation source) {
  MlirOperation place = convert;
  for (MlirOperation op = mlirOperationGetParentOperation(convert);
       nereid_pass_option_bool(pass, "before-loops") && !mlirOperationIsNull(op) &&
       !nereidMlirOperationIsProperAncestor(op, source);
       op = mlirOperationGetParentOperation(op))
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
      place = op;
  return nereid_builder_before(place);
}

/* convert_layout(trans(load)) -> local_load(memdesc_trans(local_alloc(load))) */
static bool transpose_conversion(nereid_pass_t *pass, MlirOperation convert) {
  transposed_t transposed = {0};
  MlirValue result = nereid_ir_result(convert), source = mlirOperationGetOperand(convert, 0), operand;
  if (!match_transposed(source, &transposed))
    return false;
  MlirOperation defining = nereid_defining_op(transposed.source);
  const nereid_op_kind_t kind = mlirOperationIsNull(defining) ? NEREID_OP_UNKNOWN : nereid_op_kind(defining);
  if (kind == NEREID_OP_TTG_LOCAL_LOAD) {
    operand = load_transposed_slot(convert, &transposed, defining);
  } else if (kind == NEREID_OP_TT_LOAD || kind == NEREID_OP_TT_DESCRIPTOR_LOAD) {
    const nereid_builder_t builder = nereid_builder_before(convert),
                           outside = builder_of_buffer(pass, convert, defining);
    /* TMA fills a buffer in the encoding of its descriptor. */
    MlirType type = kind == NEREID_OP_TT_LOAD ? loaded_buffer(convert, &transposed)
                                              : nereid_descriptor_buffer_type(mlirOperationGetOperand(defining, 0),
                                                                              mlirValueGetType(transposed.source),
                                                                              /*mutable_memory=*/false);
    MlirValue view = transposed_buffer(&outside, &transposed, type, (MlirAttribute){NULL});
    if (mlirValueIsNull(view))
      return false;
    operand =
        nereid_ir_result(nereid_ttg_local_load_build(&builder, mlirValueGetType(result), view, (MlirValue){NULL}));
  } else {
    return false;
  }
  mlirValueReplaceAllUsesOfWith(result, operand);
  nereidMlirOperationErase(convert);
  erase_unused(source, pass->scratch);
  return true;
}

/* --- elementwise operations before a conversion --- */

enum { MAX_SLICE = 48 };

/* The elementwise operations that compute a value, down to values that are converted instead. */
typedef struct slice {
  nereid_arena_t *arena;
  nereid_map_t values; /* value -> its required encoding, later the op that defines the copy */
  NEREID_VECTOR(MlirValue) computed, converted;
  NEREID_VECTOR(MlirAttribute) encodings; /* by number of `computed`, then */
  NEREID_VECTOR(MlirAttribute) leaf_encodings;
  const nereid_axis_result_t *axis;
  int64_t cost; /* instructions per thread, compared to the original */
  bool loads;
} slice_t;

static int64_t registers_of(MlirType type, MlirAttribute encoding) {
  nereid_layout_t layout;
  if (nereid_layout_from_type(nereid_ttg_with_encoding(type, encoding), &layout) != NEREID_OK)
    return INT32_MAX;
  return nereid_distinct_registers(&layout);
}

/* The load whose result, or a transposition of it, is `value`; null for other values. */
static MlirOperation load_of(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) == NEREID_OP_TT_TRANS)
    op = nereid_defining_op(without_conversions(mlirOperationGetOperand(op, 0)));
  const nereid_op_kind_t kind = mlirOperationIsNull(op) ? NEREID_OP_UNKNOWN : nereid_op_kind(op);
  return kind == NEREID_OP_TT_LOAD || kind == NEREID_OP_TTG_LOCAL_LOAD ? op : (MlirOperation){NULL};
}

/* Whether the conversion of `load` becomes a load from shared memory: cp.async can copy the elements there. */
static bool is_copied(const slice_t *slice, MlirOperation load) {
  return nereid_op_kind(load) == NEREID_OP_TTG_LOCAL_LOAD ||
         nereid_ring_can_copy(load, nereid_ring_slot_type(load), slice->axis);
}

/* Instructions per thread that load the 8-bit elements of `value` from shared memory one by one: in the layout of an
 * operand, elements along K are adjacent, and matrix loads transpose only 16-bit elements. */
static int64_t single_loads(MlirValue value, MlirAttribute operand) {
  MlirAttribute from = nereid_ttg_encoding_of(value);
  MlirType type = mlirValueGetType(value);
  int32_t order[NEREID_TTG_MAX_RANK];
  if (nereid_scratch_element_bytes(type) != 1 || !nereid_ttg_dot_op_attr_isa(operand) ||
      !nereid_ttg_blocked_attr_isa(from) || nereid_ttg_ints_read(nereid_ttg_blocked_attr_get_order(from), order) < 0)
    return 0;
  const int32_t k = (int32_t)mlirShapedTypeGetRank(type) - 1 - (int32_t)nereid_ttg_dot_op_attr_get_op_idx(operand);
  return order[0] == k ? 0 : registers_of(type, operand);
}

static bool add_leaf(slice_t *slice, MlirValue value, MlirAttribute encoding) {
  MlirOperation load = load_of(value);
  const bool loaded = !mlirOperationIsNull(load);
  slice->loads |= loaded;
  slice->cost += loaded ? single_loads(value, encoding) : 0;
  if (!(loaded && is_copied(slice, load)) && !nereid_is_recomputed_for_free(value))
    slice->cost += nereid_conversion_cost(mlirValueGetType(value), encoding);
  return nereid_vector_push(slice->arena, &slice->converted, value) &&
         nereid_vector_push(slice->arena, &slice->leaf_encodings, encoding);
}

static bool is_hoisted_flow(nereid_layout_flow_t flow) {
  return flow == NEREID_LAYOUT_FLOW_SAME || flow == NEREID_LAYOUT_FLOW_EXPAND || flow == NEREID_LAYOUT_FLOW_CONVERT ||
         flow == NEREID_LAYOUT_FLOW_JOIN || flow == NEREID_LAYOUT_FLOW_FP4;
}

/* Adds `value`, required in `encoding`, to the slice. False when the slice becomes too large. */
static bool add_value(slice_t *slice, MlirValue value, MlirAttribute encoding) {
  uintptr_t *entry = nereid_map_find(&slice->values, value.ptr);
  if (entry)
    return *entry == (uintptr_t)encoding.ptr;
  entry = nereid_map_insert(&slice->values, value.ptr);
  if (!entry || slice->computed.size + slice->converted.size >= MAX_SLICE)
    return false;
  *entry = (uintptr_t)encoding.ptr;
  MlirOperation op = nereid_defining_op(value);
  const nereid_layout_flow_t flow = mlirOperationIsNull(op) || !mlirOperationIsNull(load_of(value))
                                        ? NEREID_LAYOUT_FLOW_NONE
                                        : nereid_layout_flow_of(op);
  if (!is_hoisted_flow(flow) || mlirOperationGetNumResults(op) != 1)
    return add_leaf(slice, value, encoding);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirAttribute required;
    if (!nereid_layout_flow_operand(op, flow, i, encoding, &required))
      return add_leaf(slice, value, encoding);
    if (!mlirAttributeIsNull(required) && !add_value(slice, mlirOperationGetOperand(op, i), required))
      return false;
  }
  if (flow != NEREID_LAYOUT_FLOW_CONVERT && flow != NEREID_LAYOUT_FLOW_EXPAND &&
      nereid_op_kind(op) != NEREID_OP_TT_BROADCAST)
    slice->cost += nereid_element_cost(op) * (registers_of(mlirValueGetType(value), encoding) -
                                              registers_of(mlirValueGetType(value), nereid_ttg_encoding_of(value)));
  return nereid_vector_push(slice->arena, &slice->computed, value) &&
         nereid_vector_push(slice->arena, &slice->encodings, encoding);
}

static MlirValue converted(const slice_t *slice, MlirValue value) {
  const uintptr_t *found = nereid_map_find(&slice->values, value.ptr);
  return found ? nereid_ir_result((MlirOperation){(void *)*found}) : value;
}

static nereid_builder_t builder_after(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  if (!mlirOperationIsNull(op)) {
    nereid_builder_t builder = {mlirOperationGetLocation(op), mlirOperationGetBlock(op),
                                mlirOperationGetNextInBlock(op)};
    return builder;
  }
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  nereid_builder_t builder = {mlirValueGetLocation(value), block, mlirBlockGetFirstOperation(block)};
  return builder;
}

static void build_leaf(slice_t *slice, MlirValue value, MlirAttribute encoding) {
  nereid_builder_t builder = builder_after(value);
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(value), encoding);
  *nereid_map_find(&slice->values, value.ptr) = (uintptr_t)nereid_ttg_convert_layout_build(&builder, type, value).ptr;
}

/* Copies the op that computes `value`, with converted operands, directly after it. */
static void build_copy(slice_t *slice, MlirValue value, MlirAttribute encoding) {
  MlirOperation op = nereid_defining_op(value);
  uintptr_t *entry = nereid_map_find(&slice->values, value.ptr);
  if (nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT) {
    const uintptr_t *source = nereid_map_find(&slice->values, mlirOperationGetOperand(op, 0).ptr);
    *entry = source ? *source : 0;
    return;
  }
  MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(copy, i, converted(slice, mlirOperationGetOperand(op, i)));
  mlirValueSetType(nereid_ir_result(copy), nereid_ttg_with_encoding(mlirValueGetType(value), encoding));
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(op), op, copy);
  *entry = (uintptr_t)copy.ptr;
}

/* convert_layout(elementwise(load)) -> elementwise(convert_layout(load)) */
static bool hoist_conversion(nereid_pass_t *pass, const nereid_axis_result_t *axis, MlirOperation convert) {
  MlirValue source = mlirOperationGetOperand(convert, 0), result = nereid_ir_result(convert);
  MlirAttribute encoding = nereid_ttg_encoding_of(result);
  slice_t slice = {.arena = pass->scratch, .axis = axis};
  nereid_map_initialize(&slice.values, pass->scratch);
  if (!add_value(&slice, source, encoding) || slice.computed.size == 0 || !slice.loads)
    return false;
  const int64_t saved = nereid_conversion_cost(mlirValueGetType(source), encoding);
  if (slice.cost > saved) {
    nereid_pass_remark_missed(pass, convert, "elementwise",
                              "elementwise operations stay before the conversion of the operand: repeating them in "
                              "each warp and converting what they use costs %lld instructions per thread, the "
                              "conversion %lld",
                              (long long)slice.cost, (long long)saved);
    return false;
  }
  for (size_t i = 0; i < slice.converted.size; ++i)
    build_leaf(&slice, slice.converted.data[i], slice.leaf_encodings.data[i]);
  for (size_t i = 0; i < slice.computed.size; ++i)
    build_copy(&slice, slice.computed.data[i], slice.encodings.data[i]);
  mlirValueReplaceAllUsesOfWith(result, converted(&slice, source));
  nereidMlirOperationErase(convert);
  erase_unused(source, pass->scratch);
  return true;
}

/* --- the pass --- */

MlirLogicalResult nereid_pass_tritongpu_optimize_dot_operands(nereid_pass_t *pass) {
  nereid_operations_t conversions = {0}, transposed = {0}, allocs = {0};
  int64_t hoisted = 0, views = 0;
  if (!nereid_collect(pass->op, is_conversion_to_operand, pass->scratch, &conversions))
    return mlirLogicalResultFailure();
  nereid_axis_result_t axis;
  const bool hoists = conversions.size && nereid_pass_option_bool(pass, "hoist-layout-conversion");
  if (hoists && nereid_axis_info_run(pass->op, pass->scratch, &axis) != NEREID_OK)
    return mlirLogicalResultFailure();
  for (size_t i = 0; hoists && i < conversions.size; ++i)
    hoisted += hoist_conversion(pass, &axis, conversions.data[i]);
  if (!nereid_collect(pass->op, is_conversion_to_operand, pass->scratch, &transposed) ||
      !nereid_collect(pass->op, is_alloc_of_tensor, pass->scratch, &allocs))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < transposed.size; ++i)
    views += transpose_conversion(pass, transposed.data[i]);
  for (size_t i = 0; i < allocs.size; ++i)
    views += transpose_alloc(pass, allocs.data[i]);
  nereid_pass_statistic_add(pass, "hoisted", hoisted);
  nereid_pass_statistic_add(pass, "transposed", views);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
