/* nereid-decompose-dot-scaled: decomposes dots of block-scaled operands into conversions, multiplications and a tt.dot.
 *
 *   %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = e4m3 : tensor<16x32xi8>, tensor<16x2xi8> * …
 *   ->
 *   %x = ttg.fp4_to_fp %a {axis = 1} : tensor<16x32xi8> -> tensor<16x64xbf16>
 *   %f = the bits of %s as exponents : tensor<16x2xbf16>, broadcast over groups of 32 : tensor<16x64xbf16>
 *   %d = tt.dot (arith.mulf %x, %f), (tt.fp_to_fp %b), %c
 *
 * Operands get the narrowest type that has their bits of significand, to make the dot as cheap as possible: bf16 for
 * up to 8, f16 for up to 11 if no operand is bf16, else f32, as tf32 when 11 bits are enough. A scale becomes NaN
 * where its byte is 255, unless fastMath is set. Scales that are all 1 are left out. Tensors may already have
 * encodings: values derived from an operand keep its encoding, and ttg.convert_layout converts scales and operands
 * where needed. */
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/splat.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <assert.h>
#include <math.h>

enum { MAX_RANK = 4 /* a batch of matrices, and a dimension for groups */, NAN_SCALE = 255 };

typedef nereid_tt_scale_dot_elem_type_t format_t;

typedef struct decompose {
  nereid_builder_t builder;
  MlirOperation op;
  MlirType type;            /* common element type of both operands */
  int mantissa, bias, bits; /* parameters of that type */
} decompose_t;

/* --- operations on tensors --- */

static MlirType element_of(MlirValue tensor) {
  return mlirShapedTypeGetElementType(mlirValueGetType(tensor));
}

static intptr_t shape_of(MlirValue tensor, int64_t *out) {
  const intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(tensor));
  for (intptr_t d = 0; d < rank; ++d)
    out[d] = mlirShapedTypeGetDimSize(mlirValueGetType(tensor), d);
  return rank;
}

/* The type of `tensor` with another element type. */
static MlirType like(MlirValue tensor, MlirType element) {
  int64_t shape[MAX_RANK];
  const intptr_t rank = shape_of(tensor, shape);
  return mlirRankedTensorTypeGet(rank, shape, element, nereid_ttg_encoding_of(tensor));
}

/* Converts the tensor to the encoding; returns it unchanged when that is null. */
static MlirValue laid_out(decompose_t *decompose, MlirValue tensor, MlirAttribute encoding) {
  if (mlirAttributeIsNull(encoding) || mlirAttributeEqual(nereid_ttg_encoding_of(tensor), encoding))
    return tensor;
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(tensor), encoding);
  return nereid_ir_result(nereid_ttg_convert_layout_build(&decompose->builder, type, tensor));
}

static MlirType integer(const decompose_t *decompose, int bits) {
  return mlirIntegerTypeGet(mlirOperationGetContext(decompose->op), (unsigned)bits);
}

/* Splats an integer to the shape of `tensor`. */
static MlirValue splat(decompose_t *decompose, MlirValue tensor, int64_t value) {
  MlirAttribute attribute = mlirIntegerAttrGet(element_of(tensor), value);
  return nereid_ir_result(nereid_arith_constant_build(
      &decompose->builder, mlirDenseElementsAttrSplatGet(mlirValueGetType(tensor), attribute)));
}

static MlirValue mask(decompose_t *decompose, MlirValue tensor, int64_t bits) {
  return nereid_ir_result(nereid_arith_andi_build(&decompose->builder, tensor, splat(decompose, tensor, bits)));
}

static MlirValue shift_left(decompose_t *decompose, MlirValue tensor, int by) {
  return nereid_ir_result(nereid_arith_shli_build(&decompose->builder, tensor, splat(decompose, tensor, by),
                                                  NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}

static MlirValue multiply(decompose_t *decompose, MlirValue a, MlirValue b) {
  return nereid_ir_result(nereid_arith_mulf_build(&decompose->builder, a, b, NEREID_ARITH_FAST_MATH_FLAGS_NONE));
}

static MlirValue bitcast(decompose_t *decompose, MlirValue tensor, MlirType element) {
  return nereid_ir_result(nereid_tt_bitcast_build(&decompose->builder, like(tensor, element), tensor));
}

/* Selects `value` where `tensor` equals `key`, and `otherwise` elsewhere. */
static MlirValue replace_where(decompose_t *decompose, MlirValue tensor, int64_t key, int64_t value,
                               MlirValue otherwise) {
  MlirValue is_key = nereid_ir_result(nereid_arith_cmpi_build(
      &decompose->builder, tensor, splat(decompose, tensor, key), NEREID_ARITH_CMP_I_PREDICATE_EQ));
  return nereid_ir_result(
      nereid_arith_select_build(&decompose->builder, is_key, splat(decompose, otherwise, value), otherwise));
}

/* --- elements --- */

/* Converts floats of 6 bits, stored in bytes: their bits are those of a wider float with another bias. */
static MlirValue widen_6_bits(decompose_t *decompose, MlirValue bytes, int mantissa, int bias) {
  MlirType wide = like(bytes, integer(decompose, decompose->bits));
  MlirValue word = nereid_ir_result(nereid_arith_extui_build(&decompose->builder, wide, bytes));
  MlirValue magnitude = shift_left(decompose, mask(decompose, word, 0x1F), decompose->mantissa - mantissa);
  MlirValue sign = shift_left(decompose, mask(decompose, word, 0x20), decompose->bits - 6);
  MlirValue bits = nereid_ir_result(nereid_arith_ori_build(&decompose->builder, magnitude, sign));
  MlirAttribute factor =
      mlirFloatAttrDoubleGet(mlirOperationGetContext(decompose->op), decompose->type, ldexp(1, decompose->bias - bias));
  MlirValue factors = nereid_ir_result(nereid_arith_constant_build(
      &decompose->builder, mlirDenseElementsAttrSplatGet(like(bytes, decompose->type), factor)));
  return multiply(decompose, bitcast(decompose, bits, decompose->type), factors);
}

/* Converts floats of MLIR's types. */
static MlirValue widen_floats(decompose_t *decompose, MlirValue floats) {
  MlirType from = element_of(floats), to = like(floats, decompose->type);
  if (mlirTypeEqual(from, decompose->type))
    return floats;
  if (mlirTypeIsAF16(from) || mlirTypeIsABF16(from))
    return nereid_ir_result(nereid_arith_extf_build(&decompose->builder, to, floats, mlirAttributeGetNull()));
  return nereid_ir_result(nereid_tt_fp_to_fp_build(&decompose->builder, to, floats, mlirAttributeGetNull()));
}

/* Rounds bf16 to the type of the dot, f16. */
static MlirValue narrow(decompose_t *decompose, MlirValue floats) {
  MlirType f32 = like(floats, mlirF32TypeGet(mlirOperationGetContext(decompose->op)));
  MlirValue wide = nereid_ir_result(nereid_arith_extf_build(&decompose->builder, f32, floats, mlirAttributeGetNull()));
  return nereid_ir_result(nereid_arith_truncf_build(&decompose->builder, like(floats, decompose->type), wide,
                                                    mlirAttributeGetNull(), mlirAttributeGetNull()));
}

/* Converts two floats of 4 bits per byte. ttg.fp4_to_fp cannot produce f32; f16 represents them too. */
static MlirValue widen_4_bits(decompose_t *decompose, MlirValue bytes, int axis) {
  int64_t shape[MAX_RANK];
  const intptr_t rank = shape_of(bytes, shape);
  MlirType half = decompose->bits == 16 ? decompose->type : mlirF16TypeGet(mlirOperationGetContext(decompose->op));
  MlirAttribute encoding = nereid_ttg_encoding_of(bytes);
  if (!mlirAttributeIsNull(encoding))
    nereid_ttg_infer_fp4_to_fp_encoding(encoding, rank, shape, axis, /*forward=*/true,
                                        mlirOperationGetLocation(decompose->op), &encoding);
  shape[axis] *= 2;
  MlirType type = mlirRankedTensorTypeGet(rank, shape, half, encoding);
  return widen_floats(decompose, nereid_ir_result(nereid_ttg_fp4_to_fp_build(&decompose->builder, type, bytes, axis)));
}

static MlirValue widen(decompose_t *decompose, MlirValue elements, format_t format, int packed_axis) {
  MlirContext context = mlirOperationGetContext(decompose->op);
  switch (format) {
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M1:
    return widen_4_bits(decompose, elements, packed_axis);
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M3:
    return widen_6_bits(decompose, elements, 3, 1);
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E3M2:
    return widen_6_bits(decompose, elements, 2, 3);
  default:
    if (mlirTypeIsAInteger(element_of(elements)))
      elements = bitcast(decompose, elements,
                         format == NEREID_TT_SCALE_DOT_ELEM_TYPE_E5M2 ? mlirFloat8E5M2TypeGet(context)
                                                                      : mlirFloat8E4M3FNTypeGet(context));
    return widen_floats(decompose, elements);
  }
}

/* --- scales --- */

/* The parameters of a type with 8 bits of exponent, which represents every scale: that of the dot, or bf16 for f16. */
static decompose_t of_scales(const decompose_t *decompose) {
  if (!mlirTypeIsAF16(decompose->type))
    return *decompose;
  return (decompose_t){
      decompose->builder, decompose->op, mlirBF16TypeGet(mlirOperationGetContext(decompose->op)), 7, 127, 16};
}

/* 2^(byte - 127): the byte is the exponent, except for the smallest value, which is subnormal. */
static MlirValue powers_of_two(decompose_t *decompose, MlirValue bytes) {
  decompose_t wide = of_scales(decompose);
  MlirType words = like(bytes, integer(&wide, wide.bits));
  MlirValue word = nereid_ir_result(nereid_arith_extui_build(&wide.builder, words, bytes));
  MlirValue bits = shift_left(&wide, word, wide.mantissa);
  bits = replace_where(&wide, word, 0, INT64_C(1) << (wide.mantissa - 1), bits);
  if (!nereid_tt_dot_scaled_get_fast_math(wide.op))
    bits = replace_where(&wide, word, NAN_SCALE, INT64_C(0x1FF) << (wide.mantissa - 1), bits);
  MlirValue powers = bitcast(&wide, bits, wide.type);
  return mlirTypeEqual(wide.type, decompose->type) ? powers : narrow(decompose, powers);
}

/* The encoding that scales need before they are broadcast to `shape`, with groups in the last dimension; null without
 * one. */
static MlirAttribute spread_encoding(const decompose_t *decompose, MlirValue scales, intptr_t rank,
                                     const int64_t *shape) {
  MlirOperation op = decompose->op;
  if (!nereid_ttg_is_laid_out(scales))
    return (MlirAttribute){NULL};
  const nereid_thread_grid_t grid = {nereid_ttg_num_warps(op), nereid_ttg_threads_per_warp(op),
                                     nereid_ttg_num_ctas(op)};
  return nereid_ttg_blocked_default(mlirOperationGetContext(op), rank, shape, grid);
}

/* Broadcasts one scale per group to one per element: [rows, groups] -> [rows, k]. */
static MlirValue spread(decompose_t *decompose, MlirValue scales, int64_t k) {
  int64_t shape[MAX_RANK], flat[MAX_RANK];
  MlirContext context = mlirOperationGetContext(decompose->op);
  const intptr_t rank = shape_of(scales, shape);
  assert(rank == 2 || rank == 3); /* guaranteed by the verifier */
  shape_of(scales, flat);
  shape[rank] = k / shape[rank - 1];
  flat[rank - 1] = k;
  MlirAttribute encoding = spread_encoding(decompose, scales, rank + 1, shape);
  if (!mlirAttributeIsNull(encoding))
    scales = laid_out(decompose, scales, nereid_ttg_slice_attr_create(context, (unsigned)rank, encoding));
  scales = nereid_ir_result(nereid_tt_expand_dims_build(&decompose->builder, scales, (int32_t)rank));
  MlirType element = element_of(scales);
  scales = nereid_ir_result(nereid_tt_broadcast_build(
      &decompose->builder, mlirRankedTensorTypeGet(rank + 1, shape, element, encoding), scales));
  if (!mlirAttributeIsNull(encoding)) /* a reshape between default encodings moves no data */
    encoding = spread_encoding(decompose, scales, rank, flat);
  return nereid_ir_result(nereid_tt_reshape_build(&decompose->builder,
                                                  mlirRankedTensorTypeGet(rank, flat, element, encoding), scales,
                                                  /*allow_reorder=*/false, /*efficient_layout=*/false));
}

static MlirValue transpose(decompose_t *decompose, MlirValue matrices) {
  const int32_t flat[] = {1, 0}, batch[] = {0, 2, 1};
  const intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(matrices));
  return nereid_ir_result(nereid_tt_trans_build(&decompose->builder, matrices, rank, rank == 2 ? flat : batch));
}

/* Whether all scales are 1, as programs that scale one operand give to the other. */
static bool are_one(MlirValue scales) {
  enum { ONE = 127 /* 2^0 */ };
  MlirOperation op = nereid_defining_op(scales);
  for (; !mlirOperationIsNull(op) &&
         (nereid_op_kind(op) == NEREID_OP_TT_SPLAT || nereid_op_kind(op) == NEREID_OP_TT_FP_TO_FP);
       op = nereid_defining_op(scales))
    scales = mlirOperationGetOperand(op, 0);
  MlirAttribute number = nereid_constant_number(scales);
  if (mlirAttributeIsNull(number))
    return false;
  return mlirAttributeIsAFloat(number) ? mlirFloatAttrGetValueDouble(number) == 1.0
                                       : mlirAttributeIsAInteger(number) && mlirIntegerAttrGetValueInt(number) == ONE;
}

/* The scales of operand `index`, a or b; null without, or if all are 1. */
static MlirValue scales_of(MlirOperation op, int index) {
  MlirValue scales = index ? nereid_tt_dot_scaled_get_b_scale(op) : nereid_tt_dot_scaled_get_a_scale(op);
  return mlirValueIsNull(scales) || are_one(scales) ? (MlirValue){NULL} : scales;
}

/* Operand `index`, a or b, scaled and in the type of the dot. */
static MlirValue scaled(decompose_t *decompose, int index) {
  MlirOperation op = decompose->op;
  MlirValue elements = index ? nereid_tt_dot_scaled_get_b(op) : nereid_tt_dot_scaled_get_a(op);
  MlirValue scales = scales_of(op, index);
  const format_t format = index ? nereid_tt_dot_scaled_get_b_elem_type(op) : nereid_tt_dot_scaled_get_a_elem_type(op);
  const bool k_packed = index ? nereid_tt_dot_scaled_get_rhs_k_pack(op) : nereid_tt_dot_scaled_get_lhs_k_pack(op);
  const int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(elements));
  const int k_axis = rank - 1 - index, other_axis = rank - 2 + index;
  int64_t shape[MAX_RANK];
  elements = widen(decompose, elements, format, k_packed ? k_axis : other_axis);
  if (mlirValueIsNull(scales))
    return elements;
  shape_of(elements, shape);
  scales = mlirTypeIsAInteger(element_of(scales)) ? powers_of_two(decompose, scales) : widen_floats(decompose, scales);
  scales = spread(decompose, scales, shape[k_axis]);
  scales = index ? transpose(decompose, scales) : scales;
  return multiply(decompose, elements, laid_out(decompose, scales, nereid_ttg_encoding_of(elements)));
}

/* --- the op --- */

/* Bits of significand, including the hidden one. */
static int significand_of(format_t format) {
  switch (format) {
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_FP16:
    return 11;
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_BF16:
    return 8;
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M3:
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E4M3:
    return 4;
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E3M2:
  case NEREID_TT_SCALE_DOT_ELEM_TYPE_E5M2:
    return 3;
  default:
    return 2;
  }
}

/* Bits of significand of an operand after scaling. A product has as many as its factors together. */
static int scaled_significand(format_t format, MlirValue scale) {
  const bool e4m3 = !mlirValueIsNull(scale) && !mlirTypeIsAInteger(element_of(scale));
  return significand_of(format) + (e4m3 ? significand_of(NEREID_TT_SCALE_DOT_ELEM_TYPE_E4M3) : 0);
}

/* Chooses the type of the operands; returns the precision that the dot then needs. */
static nereid_tt_input_precision_t choose_type(decompose_t *decompose) {
  enum { F16_SIGNIFICAND = 11, BF16_SIGNIFICAND = 8, TF32_SIGNIFICAND = 11 };
  MlirOperation op = decompose->op;
  MlirContext context = mlirOperationGetContext(op);
  const format_t a = nereid_tt_dot_scaled_get_a_elem_type(op), b = nereid_tt_dot_scaled_get_b_elem_type(op);
  const int of_a = scaled_significand(a, scales_of(op, 0)), of_b = scaled_significand(b, scales_of(op, 1));
  const int needed = of_a > of_b ? of_a : of_b;
  /* Whether f16 lacks the exponent range of an operand. It also lacks that of powers of two, but scaled elements beyond
   * it are rare, and f16 is twice as fast as tf32. */
  const bool far = a == NEREID_TT_SCALE_DOT_ELEM_TYPE_BF16 || b == NEREID_TT_SCALE_DOT_ELEM_TYPE_BF16;
  if (needed <= BF16_SIGNIFICAND)
    *decompose = (decompose_t){decompose->builder, op, mlirBF16TypeGet(context), 7, 127, 16};
  else if (needed <= F16_SIGNIFICAND && !far)
    *decompose = (decompose_t){decompose->builder, op, mlirF16TypeGet(context), 10, 15, 16};
  else
    *decompose = (decompose_t){decompose->builder, op, mlirF32TypeGet(context), 23, 127, 32};
  return decompose->bits == 32 && needed <= TF32_SIGNIFICAND ? NEREID_TT_INPUT_PRECISION_TF32
                                                             : NEREID_TT_INPUT_PRECISION_IEEE;
}

/* The encoding of operand `index` of a dot that is added to `c`. */
static MlirAttribute operand_encoding(MlirValue c, unsigned index) {
  MlirAttribute parent = nereid_ttg_encoding_of(c);
  return mlirAttributeIsNull(parent)
             ? parent
             : nereid_ttg_dot_op_attr_create(mlirAttributeGetContext(parent), index, parent, /*k_width=*/0);
}

static void rewrite(MlirOperation op) {
  decompose_t decompose = {.builder = nereid_builder_before(op), .op = op};
  const nereid_tt_input_precision_t precision = choose_type(&decompose);
  MlirValue a = scaled(&decompose, 0), b = scaled(&decompose, 1), c = nereid_tt_dot_scaled_get_c(op);
  a = laid_out(&decompose, a, operand_encoding(c, 0));
  b = laid_out(&decompose, b, operand_encoding(c, 1));
  MlirOperation dot = nereid_tt_dot_build(&decompose.builder, a, b, c, precision, /*max_num_imprecise_acc=*/0);
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(op), nereid_ir_result(dot));
  nereidMlirOperationErase(op);
}

/* Whether to decompose `op`: tensor cores execute the dots whose accumulators have their layout. */
static bool is_decomposable(MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_TT_DOT_SCALED)
    return false;
  MlirAttribute encoding = nereid_ttg_encoding_of(nereid_ir_result(op));
  return mlirAttributeIsNull(encoding) || nereid_ttg_blocked_attr_isa(encoding);
}

MlirLogicalResult nereid_pass_decompose_dot_scaled(nereid_pass_t *pass) {
  nereid_operations_t dots = {0};
  if (!nereid_collect(pass->op, is_decomposable, pass->scratch, &dots))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < dots.size; ++i)
    rewrite(dots.data[i]);
  return mlirLogicalResultSuccess();
}
