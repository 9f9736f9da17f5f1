/* Axis information of tensor and pointer operations: ranges, splats, shape changes, loads.
 *
 *   tt.expand_dims {axis = 0}:  contiguity [128]  ->  [1, 128]
 *   tt.broadcast 1x128 -> 64x128:  constancy [1, 1]  ->  [64, 1]
 *   tt.addptr of f16 pointers:  divisibility of the offset counts twice, in bytes
 *
 * In a new dimension, divisors of all elements apply too. */
#include "analysis/axis/axis_rules.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <assert.h>

typedef const nereid_axis_info_t fact_t;

/* Moves the facts of one dimension to another; a group cannot be longer than the new dimension. */
static void move_dim(fact_t *from, int from_d, nereid_axis_info_t *out, int d) {
  assert(from_d >= 0 && d >= 0);
  out->contiguity[d] = nereid_axis_least(from->contiguity[from_d], out->size[d]);
  out->divisibility[d] = nereid_axis_weakened(from, from_d, out->contiguity[d]);
  out->constancy[d] = nereid_axis_least(from->constancy[from_d], out->size[d]);
}

/* A new dimension `d` is not contiguous; divisors of all elements of `from` apply. */
static void new_dim(fact_t *from, nereid_axis_info_t *out, int d, uint8_t constancy) {
  out->contiguity[d] = 0;
  out->divisibility[d] = nereid_axis_divides_all(from);
  out->constancy[d] = constancy;
}

/* Sign and constant are preserved by any rearrangement. */
static void keep_elements(fact_t *from, nereid_axis_info_t *out) {
  out->non_negative = from->non_negative;
  if (from->has_constant)
    nereid_axis_set_constant(out, from->constant);
}

static void rule_constant(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  MlirAttribute value = nereid_arith_constant_get_value_attr(call->op);
  if (mlirAttributeIsADenseElements(value)) {
    if (!mlirDenseElementsAttrIsSplat(value))
      return;
    for (int d = 0; d < out->rank; d++)
      out->constancy[d] = out->size[d];
    value = mlirDenseElementsAttrGetSplatValue(value);
  }
  if (mlirAttributeIsAInteger(value) && out->width)
    nereid_axis_set_constant(out, (uint64_t)mlirIntegerAttrGetValueInt(value));
  else if (mlirAttributeIsABool(value))
    nereid_axis_set_constant(out, mlirBoolAttrGetValue(value));
}

static void rule_make_range(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  int32_t start = nereid_tt_make_range_get_start(call->op);
  out->contiguity[0] = out->size[0];
  out->divisibility[0] = start ? (uint8_t)__builtin_ctz((uint32_t)start) : 30;
  out->non_negative = start >= 0;
}

static void rule_not_negative(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  (void)call;
  out->non_negative = true;
}

static void rule_splat(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  for (int d = 0; d < out->rank; d++)
    new_dim(call->operands[0], out, d, out->size[d]);
  keep_elements(call->operands[0], out);
}

static void rule_unsplat(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  new_dim(call->operands[0], out, 0, 0);
  keep_elements(call->operands[0], out);
}

static void rule_expand_dims(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  int axis = nereid_tt_expand_dims_get_axis(call->op);
  for (int d = 0; d < out->rank; d++)
    if (d == axis)
      new_dim(call->operands[0], out, d, 0);
    else
      move_dim(call->operands[0], d < axis ? d : d - 1, out, d);
  keep_elements(call->operands[0], out);
}

static void rule_broadcast(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0];
  for (int d = 0; d < out->rank; d++) {
    move_dim(source, d, out, d);
    if (source->size[d] == 0)
      out->constancy[d] = out->size[d];
  }
  keep_elements(source, out);
}

static void rule_trans(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  for (int d = 0; d < out->rank; d++)
    move_dim(call->operands[0], nereid_tt_trans_get_order(call->op, d), out, d);
  keep_elements(call->operands[0], out);
}

/* Reshapes keep row-major order: a result dimension with the stride of an operand dimension enumerates the same
 * elements, up to the smaller size. A larger stride leaves a group of equal elements after fewer steps. */
static void reshape_dim(fact_t *source, nereid_axis_info_t *out, int d) {
  int stride = 0, source_stride = 0, s = source->rank - 1;
  for (int i = out->rank - 1; i > d; i--)
    stride += out->size[i];
  while (s > 0 && source_stride + source->size[s] <= stride)
    source_stride += source->size[s--];
  if (source_stride == stride) {
    move_dim(source, s, out, d);
    return;
  }
  int steps = source->constancy[s] - (stride - source_stride);
  new_dim(source, out, d, steps > 0 ? nereid_axis_least((uint8_t)steps, out->size[d]) : 0);
}

static void rule_reshape(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0];
  const bool ordered = !nereid_tt_reshape_get_allow_reorder(call->op) && source->rank > 0;
  for (int d = 0; d < out->rank; d++)
    if (ordered && out->size[d])
      reshape_dim(source, out, d);
    else
      new_dim(source, out, d, 0);
  keep_elements(source, out);
}

/* The meet of two operands, concatenated along a last dimension of 2. */
static void rule_join(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  nereid_axis_info_t both = *call->operands[0];
  nereid_axis_meet(&both, call->operands[1]);
  for (int d = 0; d + 1 < out->rank; d++)
    move_dim(&both, d, out, d);
  if (out->rank)
    new_dim(&both, out, out->rank - 1, 0);
  keep_elements(&both, out);
}

static void rule_split(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  for (int d = 0; d < out->rank && d < call->operands[0]->rank; d++)
    move_dim(call->operands[0], d, out, d);
  keep_elements(call->operands[0], out);
}

static void rule_cat(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  nereid_axis_info_t both = *call->operands[0];
  nereid_axis_meet(&both, call->operands[1]);
  for (int d = 0; d < out->rank; d++)
    new_dim(&both, out, d, 0);
  keep_elements(&both, out);
}

static void rule_addptr(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *pointer = call->operands[0], *offset = call->operands[1];
  for (int d = 0; d < out->rank; d++) {
    uint8_t c = nereid_axis_most(nereid_axis_least(pointer->constancy[d], nereid_axis_signed_group(offset, d)),
                                 nereid_axis_least(pointer->contiguity[d], offset->constancy[d]));
    int bytes = nereid_axis_weakened(offset, d, c) + out->unit;
    out->contiguity[d] = c;
    out->divisibility[d] = nereid_axis_least(nereid_axis_weakened(pointer, d, c),
                                             (uint8_t)(bytes < NEREID_AXIS_MAX_BITS ? bytes : NEREID_AXIS_MAX_BITS));
    out->constancy[d] = nereid_axis_least(pointer->constancy[d], offset->constancy[d]);
  }
}

/* Groups are preserved only if one step has the same size in both types. */
static void rule_cast(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0];
  for (int d = 0; d < out->rank; d++) {
    out->contiguity[d] = source->unit == out->unit ? source->contiguity[d] : 0;
    out->divisibility[d] = nereid_axis_weakened(source, d, out->contiguity[d]);
    out->constancy[d] = source->constancy[d];
  }
  out->non_negative = source->non_negative;
  out->has_constant = source->has_constant;
  out->constant = source->constant;
}

static void rule_same(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  for (int d = 0; d < out->rank; d++)
    move_dim(call->operands[0], d, out, d);
  keep_elements(call->operands[0], out);
}

/* Equal pointers, masks and other values give equal elements. */
static void rule_load(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  if (!nereid_tt_load_get_is_volatile(call->op))
    nereid_axis_elementwise(call, out);
}

/* An element of the source for each index: equal for equal indices if the other coordinates agree. */
static void rule_gather(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *source = call->operands[0], *indexes = call->operands[1];
  const int axis = nereid_tt_gather_get_axis(call->op);
  for (int d = 0; d < out->rank; d++) {
    const uint8_t same = d == axis ? out->size[d] : source->constancy[d];
    new_dim(source, out, d, nereid_axis_least(indexes->constancy[d], same));
  }
  keep_elements(source, out);
}

/* Two floats per byte along the axis. */
static void rule_fp4_to_fp(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  const int axis = nereid_ttg_fp4_to_fp_get_axis(call->op);
  for (int d = 0; d < out->rank; d++)
    out->constancy[d] = d == axis ? 0 : call->operands[0]->constancy[d];
}

static void rule_scratch(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  const int32_t alignment = nereid_ttg_global_scratch_alloc_get_alignment(call->op);
  if (alignment > 0)
    out->divisibility[0] = (uint8_t)__builtin_ctz((uint32_t)alignment);
}

static uint8_t bytes_of(uint8_t elements, uint8_t unit) {
  return nereid_axis_least((uint8_t)(elements + unit), NEREID_AXIS_MAX_BITS);
}

/* A block pointer has the facts of its tensor of pointers: base + sum of (offset + i) * stride. */
static void rule_make_tensor_ptr(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  fact_t *const *strides = call->operands + 1 + out->rank, *const *offsets = strides + out->rank;
  uint8_t first = call->operands[0]->divisibility[0];
  for (int d = 0; d < out->rank; d++)
    first = nereid_axis_least(
        first, bytes_of((uint8_t)nereid_axis_least(
                            NEREID_AXIS_MAX_BITS, (uint8_t)(strides[d]->divisibility[0] + offsets[d]->divisibility[0])),
                        out->unit));
  for (int d = 0; d < out->rank; d++) {
    out->contiguity[d] = nereid_axis_is_constant(strides[d], 1) ? out->size[d] : 0;
    out->divisibility[d] = first;
    for (int e = 0; e < out->rank; e++)
      if (out->size[e] > 0 && (e != d || out->contiguity[d] == 0))
        out->divisibility[d] =
            nereid_axis_least(out->divisibility[d], bytes_of(strides[e]->divisibility[0], out->unit));
  }
}

/* Strides are whole elements. */
static void rule_advance(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  nereid_axis_copy(call->operands[0], out);
  for (int d = 0; d < out->rank; d++)
    for (intptr_t i = 1; i < call->n; i++)
      out->divisibility[d] =
          nereid_axis_least(out->divisibility[d], bytes_of(call->operands[i]->divisibility[0], out->unit));
}

nereid_axis_info_t nereid_axis_element(const nereid_axis_info_t *source) {
  nereid_axis_info_t element = *source;
  element.rank = 1;
  element.size[0] = element.contiguity[0] = element.constancy[0] = 0;
  element.divisibility[0] = nereid_axis_divides_all(source);
  return element;
}

void nereid_axis_combine(MlirOperation op, intptr_t n, const nereid_axis_info_t *const *operands,
                         const nereid_axis_info_t *element, nereid_axis_info_t *out) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  const bool is_map = kind == NEREID_OP_TT_MAP_ELEMENTWISE, is_reduce = kind == NEREID_OP_TT_REDUCE;
  const int axis = is_map ? -1 : is_reduce ? nereid_tt_reduce_get_axis(op) : nereid_tt_scan_get_axis(op);
  for (int d = 0; d < out->rank; d++) {
    const int from = is_reduce && d >= axis ? d + 1 : d;
    uint8_t same = is_map && nereid_tt_map_elementwise_get_pack(op) > 1 ? 0 : out->size[d];
    for (intptr_t i = 0; i < n; i++)
      same = from < operands[i]->rank && from != axis ? nereid_axis_least(same, operands[i]->constancy[from]) : 0;
    new_dim(element, out, d, same);
  }
  keep_elements(element, out);
}

static void rule_extern_elementwise(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  if (nereid_tt_extern_elementwise_get_pure(call->op))
    nereid_axis_elementwise(call, out);
}

static void rule_inline_asm(const nereid_axis_call_t *call, nereid_axis_info_t *out) {
  if (nereid_tt_elementwise_inline_asm_get_pure(call->op) &&
      nereid_tt_elementwise_inline_asm_get_packed_element(call->op) == 1)
    nereid_axis_elementwise(call, out);
}

static const nereid_axis_rule_t rules[] = {
    [NEREID_OP_ARITH_CONSTANT] = rule_constant,
    [NEREID_OP_ARITH_BITCAST] = rule_cast,
    [NEREID_OP_TT_MAKE_RANGE] = rule_make_range,
    [NEREID_OP_TT_GET_PROGRAM_ID] = rule_not_negative,
    [NEREID_OP_TT_GET_NUM_PROGRAMS] = rule_not_negative,
    [NEREID_OP_TT_SPLAT] = rule_splat,
    [NEREID_OP_TT_UNSPLAT] = rule_unsplat,
    [NEREID_OP_TT_EXPAND_DIMS] = rule_expand_dims,
    [NEREID_OP_TT_BROADCAST] = rule_broadcast,
    [NEREID_OP_TT_TRANS] = rule_trans,
    [NEREID_OP_TT_RESHAPE] = rule_reshape,
    [NEREID_OP_TT_JOIN] = rule_join,
    [NEREID_OP_TT_SPLIT] = rule_split,
    [NEREID_OP_TT_CAT] = rule_cat,
    [NEREID_OP_TT_ADDPTR] = rule_addptr,
    [NEREID_OP_TT_BITCAST] = rule_cast,
    [NEREID_OP_TT_PTR_TO_INT] = rule_cast,
    [NEREID_OP_TT_INT_TO_PTR] = rule_cast,
    [NEREID_OP_TT_LOAD] = rule_load,
    [NEREID_OP_TT_MAKE_TENSOR_PTR] = rule_make_tensor_ptr,
    [NEREID_OP_TT_ADVANCE] = rule_advance,
    [NEREID_OP_TT_GATHER] = rule_gather,
    [NEREID_OP_TT_HISTOGRAM] = rule_not_negative,
    [NEREID_OP_TT_MULHIUI] = nereid_axis_elementwise,
    [NEREID_OP_TT_FP_TO_FP] = nereid_axis_elementwise,
    [NEREID_OP_TT_CLAMPF] = nereid_axis_elementwise,
    [NEREID_OP_TT_PRECISE_SQRT] = nereid_axis_elementwise,
    [NEREID_OP_TT_PRECISE_DIVF] = nereid_axis_elementwise,
    [NEREID_OP_TT_APPROX_DIVF] = nereid_axis_elementwise,
    [NEREID_OP_TT_EXTERN_ELEMENTWISE] = rule_extern_elementwise,
    [NEREID_OP_TT_ELEMENTWISE_INLINE_ASM] = rule_inline_asm,
    [NEREID_OP_TT_ATOMIC_RMW] = nereid_axis_nothing,
    [NEREID_OP_TT_ATOMIC_CAS] = nereid_axis_nothing,
    [NEREID_OP_TT_ATOMIC_LOAD] = nereid_axis_nothing,
    [NEREID_OP_TT_ATOMIC_POLL] = nereid_axis_nothing,
    [NEREID_OP_TT_DESCRIPTOR_LOAD] = nereid_axis_nothing,
    [NEREID_OP_TT_DESCRIPTOR_GATHER] = nereid_axis_nothing,
    [NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR] = nereid_axis_nothing,
    [NEREID_OP_TT_DOT] = nereid_axis_nothing,
    [NEREID_OP_TT_DOT_SCALED] = nereid_axis_nothing,
    [NEREID_OP_TTG_CONVERT_LAYOUT] = rule_same,
    [NEREID_OP_TTG_FP4_TO_FP] = rule_fp4_to_fp,
    [NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC] = rule_scratch,
    [NEREID_OP_TTG_INLINE_ASM] = nereid_axis_nothing,
    [NEREID_OP_TTG_LOCAL_ALLOC] = nereid_axis_nothing,
    [NEREID_OP_TTG_LOCAL_LOAD] = nereid_axis_nothing,
    [NEREID_OP_TTG_LOCAL_GATHER] = nereid_axis_nothing,
    [NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW] = nereid_axis_nothing,
    [NEREID_OP_TTG_MEMDESC_INDEX] = nereid_axis_nothing,
    [NEREID_OP_TTG_MEMDESC_SUBSLICE] = nereid_axis_nothing,
    [NEREID_OP_TTG_MEMDESC_TRANS] = nereid_axis_nothing,
    [NEREID_OP_TTG_MEMDESC_RESHAPE] = nereid_axis_nothing,
    [NEREID_OP_TTG_MEMDESC_REINTERPRET] = nereid_axis_nothing,
    [NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL] = nereid_axis_nothing,
    [NEREID_OP_TTG_ASYNC_COMMIT_GROUP] = nereid_axis_nothing,
    [NEREID_OP_TTG_ASYNC_WAIT] = nereid_axis_nothing,
    [NEREID_OP_TTG_PREDICATE_STAGE] = nereid_axis_nothing,
    [NEREID_OP_TTG_MASK] = nereid_axis_nothing,
};

nereid_axis_rule_t nereid_axis_rule_tensor(nereid_op_kind_t kind) {
  return (size_t)kind < sizeof rules / sizeof *rules ? rules[kind] : NULL;
}
