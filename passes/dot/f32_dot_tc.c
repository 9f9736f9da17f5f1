/* tritongpu-F32DotTC: decomposes dots of f32 into dots of parts that tensor cores multiply.
 *
 *   %d = tt.dot %a, %b, %c, inputPrecision = tf32x3
 *   ->
 *   %a0 = upper bits of %a ; %a1 = %a - %a0    %b0 = upper bits of %b ; %b1 = %b - %b0
 *   %s = tt.dot %a1, %b0, %zero ; %t = tt.dot %a0, %b1, %s        small products, as tf32
 *   %u = arith.select %t is NaN, 0, %t
 *   %d = (tt.dot %a0, %b0, %u) + %c                               large product
 *
 * bf16x3 is the same with parts rounded to bf16, bf16x6 has three parts and six products. Tensor cores ignore the low
 * 13 bits of a tf32 operand, so tritongpu-accelerate-matmul drops the mask of an operand in shared memory, which can
 * then be copied there when it is loaded.
 *
 * The products of one dot start from zero and are added to %c by addf, which rounds: tensor cores truncate each sum, so
 * a long sum that they add up has an error of some 10^-6, relative.
 *
 * The small part of an infinity is NaN. The select removes it, so that the large product alone determines the result.
 * In a loop that adds up dots, the small products are added up in a tensor of their own, which the loop carries, and
 * selected and added once, after the loop:
 *
 *   %r, %s = scf.for … iter_args(%c = %init, %small = %zero) { … yield (tt.dot %a0, %b0, %zero) + %c, (small ones) }
 *   %d = %r + (arith.select %s is NaN, 0, %s)
 *
 * Nothing in the iteration then uses the small products, so the large one is issued before the small parts of %a are
 * computed, and added while the small ones are multiplied. Where a thread has no registers for the three tensors, dots
 * of loops are decomposed like others.
 *
 * Products of parts that are zero, because an operand was extended from a narrower type or is a constant, are left out.
 * docs/numerics.md has the errors. */
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"
#include "passes/support/splat.h"

#include "analysis/allocation/scratch.h"
#include "base/target_facts.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  MAX_PARTS = 3,
  MAX_PRODUCTS = 6,
  LOOP_OPERANDS = 3, /* of scf.for before the carried values */
  TF32_K = 8,        /* an instruction's extent along k */
  BF16_K = 16,
  LANES = 32,
  WORD_BYTES = 4,
  OTHER_REGISTERS = 28, /* addresses and counters */
};

/* Bits of an f32 that tf32 has, and half of the last of them. */
#define TF32_MASK INT64_C(0xffffe000)
#define TF32_HALF INT64_C(0x1000)

/* The products of a precision: pairs of part numbers of a and b, small ones first. */
typedef struct products {
  int parts;
  bool bf16;
  int count;
  unsigned char pairs[MAX_PRODUCTS][2];
} products_t;

static const products_t tf32x3 = {2, false, 3, {{1, 0}, {0, 1}, {0, 0}}};
static const products_t bf16x3 = {2, true, 3, {{1, 0}, {0, 1}, {0, 0}}};
static const products_t bf16x6 = {3, true, 6, {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}, {0, 0}}};

/* An operand of which some parts have been created. */
typedef struct split {
  MlirValue rest, last; /* f32: what the parts before the last one leave; the last part */
} split_t;

typedef struct site {
  MlirOperation dot;
  const products_t *products;
  int parts[2]; /* of operand a and b that are not zero */
  split_t splits[2];
  MlirValue operands[2][MAX_PARTS]; /* null: not created */
} site_t;

/* --- elements --- */

static MlirType element_of(MlirValue value) {
  return mlirShapedTypeGetElementType(mlirValueGetType(value));
}

static MlirType like(MlirValue value, MlirType element) {
  MlirType type = mlirValueGetType(value);
  int64_t shape[NEREID_TTG_MAX_RANK];
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  return mlirRankedTensorTypeGet(mlirShapedTypeGetRank(type), shape, element, mlirRankedTensorTypeGetEncoding(type));
}

static MlirValue constant(const nereid_builder_t *builder, MlirType type, MlirAttribute element) {
  return nereid_ir_result(nereid_arith_constant_build(builder, mlirDenseElementsAttrSplatGet(type, element)));
}

static MlirValue zeros(const nereid_builder_t *builder, MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(type);
  return constant(builder, type, mlirFloatAttrDoubleGet(mlirTypeGetContext(type), element, 0.0));
}

static MlirValue add(const nereid_builder_t *builder, MlirValue a, MlirValue b) {
  return nereid_ir_result(nereid_arith_addf_build(builder, a, b, NEREID_ARITH_FAST_MATH_FLAGS_NONE));
}

static MlirValue subtract(const nereid_builder_t *builder, MlirValue a, MlirValue b) {
  return nereid_ir_result(nereid_arith_subf_build(builder, a, b, NEREID_ARITH_FAST_MATH_FLAGS_NONE));
}

static MlirValue without_nan(const nereid_builder_t *builder, MlirValue value) {
  MlirValue is_nan = nereid_ir_result(nereid_arith_cmpf_build(builder, value, value, NEREID_ARITH_CMP_F_PREDICATE_UNO,
                                                              NEREID_ARITH_FAST_MATH_FLAGS_NONE));
  return nereid_ir_result(nereid_arith_select_build(builder, is_nan, zeros(builder, mlirValueGetType(value)), value));
}

/* --- parts --- */

static MlirValue without_conversions(MlirValue value) {
  MlirOperation op;
  while (!mlirOperationIsNull(op = nereid_defining_op_of_kind(value, NEREID_OP_TTG_CONVERT_LAYOUT)))
    value = mlirOperationGetOperand(op, 0);
  return value;
}

/* Whether each element of `value` is its own large part: extended from a type that the part's type contains. */
static bool is_exact(MlirValue value, bool bf16) {
  MlirOperation op = nereid_defining_op(without_conversions(value));
  const nereid_op_kind_t kind = mlirOperationIsNull(op) ? NEREID_OP_UNKNOWN : nereid_op_kind(op);
  if (kind == NEREID_OP_ARITH_EXTF || kind == NEREID_OP_TT_FP_TO_FP) {
    MlirType from = element_of(mlirOperationGetOperand(op, 0));
    const bool fp8 = mlirTypeIsAFloat(from) && mlirFloatTypeGetWidth(from) == 8;
    return fp8 || (bf16 ? mlirTypeIsABF16(from) : mlirTypeIsABF16(from) || mlirTypeIsAF16(from));
  }
  if (kind == NEREID_OP_ARITH_SITOFP || kind == NEREID_OP_ARITH_UITOFP)
    return mlirIntegerTypeGetWidth(element_of(mlirOperationGetOperand(op, 0))) <= 8;
  return false;
}

/* Returns `bits`, integers, as floats with the bits of tf32. */
static MlirValue masked(const nereid_builder_t *builder, MlirType floats, MlirValue bits) {
  MlirType i32 = element_of(bits);
  MlirValue mask = constant(builder, mlirValueGetType(bits), mlirIntegerAttrGet(i32, (int32_t)TF32_MASK));
  return nereid_ir_result(
      nereid_arith_bitcast_build(builder, floats, nereid_ir_result(nereid_arith_andi_build(builder, bits, mask))));
}

/* The difference of an f32 and its upper bits `large`, rounded to tf32. The rounding may make a zero of a NaN, which
 * the large product has, too. */
static MlirValue small_tf32(const nereid_builder_t *builder, MlirValue value, MlirValue large) {
  MlirType floats = mlirValueGetType(value), i32 = mlirIntegerTypeGet(mlirTypeGetContext(floats), 32);
  MlirType integers = like(value, i32);
  MlirValue half = constant(builder, integers, mlirIntegerAttrGet(i32, TF32_HALF));
  MlirValue bits = nereid_ir_result(nereid_arith_bitcast_build(builder, integers, subtract(builder, value, large)));
  bits = nereid_ir_result(nereid_arith_addi_build(builder, bits, half, NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  return masked(builder, floats, bits);
}

static MlirValue upper_bits(const nereid_builder_t *builder, MlirValue value) {
  MlirType floats = mlirValueGetType(value), i32 = mlirIntegerTypeGet(mlirTypeGetContext(floats), 32);
  return masked(builder, floats, nereid_ir_result(nereid_arith_bitcast_build(builder, like(value, i32), value)));
}

static MlirValue to_bf16(const nereid_builder_t *builder, MlirValue value) {
  MlirAttribute none = {NULL};
  MlirType bf16 = mlirBF16TypeGet(mlirTypeGetContext(mlirValueGetType(value)));
  return nereid_ir_result(nereid_arith_truncf_build(builder, like(value, bf16), value, none, none));
}

static MlirValue to_f32(const nereid_builder_t *builder, MlirValue value, MlirType type) {
  return nereid_ir_result(nereid_arith_extf_build(builder, type, value, (MlirAttribute){NULL}));
}

/* The next part of operand `index`, of what the parts before it leave: each part of bf16 is the rounded rest. */
static MlirValue next_part(site_t *site, const nereid_builder_t *builder, int index, int part) {
  split_t *split = &site->splits[index];
  if (!site->products->bf16) {
    if (part == 0)
      split->last = site->parts[index] > 1 ? upper_bits(builder, split->rest) : split->rest;
    return part == 0 ? split->last : small_tf32(builder, split->rest, split->last);
  }
  if (part > 0)
    split->rest = subtract(builder, split->rest, to_f32(builder, split->last, mlirValueGetType(split->rest)));
  return split->last = to_bf16(builder, split->rest);
}

/* Creates parts `first` to `last` of operand `index`, before their conversion to operands. */
static void create_parts(site_t *site, const nereid_builder_t *builder, int index, int first, int last) {
  MlirValue operand = mlirOperationGetOperand(site->dot, index);
  if (first == 0)
    site->splits[index].rest = without_conversions(operand);
  for (int p = first; p <= last && p < site->parts[index]; ++p) {
    MlirValue part = next_part(site, builder, index, p);
    MlirType type = nereid_ttg_with_encoding(mlirValueGetType(part), nereid_ttg_encoding_of(operand));
    if (!mlirTypeEqual(type, mlirValueGetType(part)))
      part = nereid_ir_result(nereid_ttg_convert_layout_build(builder, type, part));
    site->operands[index][p] = part;
  }
}

/* --- products --- */

static MlirValue multiply(const site_t *site, const nereid_builder_t *builder, int product, MlirValue c) {
  const unsigned char *pair = site->products->pairs[product];
  return nereid_ir_result(
      nereid_tt_dot_build(builder, site->operands[0][pair[0]], site->operands[1][pair[1]], c,
                          site->products->bf16 ? NEREID_TT_INPUT_PRECISION_IEEE : NEREID_TT_INPUT_PRECISION_TF32,
                          nereid_tt_dot_get_max_num_imprecise_acc(site->dot)));
}

static bool is_needed(const site_t *site, int product) {
  const unsigned char *pair = site->products->pairs[product];
  return pair[0] < site->parts[0] && pair[1] < site->parts[1];
}

/* Adds the small products to `sum`, smallest first. */
static MlirValue small_products(const site_t *site, const nereid_builder_t *builder, MlirValue sum) {
  for (int p = 0; p + 1 < site->products->count; ++p)
    if (is_needed(site, p))
      sum = multiply(site, builder, p, sum);
  return sum;
}

static bool has_small_products(const site_t *site) {
  return site->parts[0] > 1 || site->parts[1] > 1;
}

/* --- dots that a loop adds up --- */

/* The value before the conversions of its layout, of which each, and the value, has no other use; null if one has. */
static MlirValue before_conversions(MlirValue value) {
  MlirOperation op;
  while (nereid_ir_has_one_use(value) &&
         !mlirOperationIsNull(op = nereid_defining_op_of_kind(value, NEREID_OP_TTG_CONVERT_LAYOUT)))
    value = mlirOperationGetOperand(op, 0);
  return nereid_ir_has_one_use(value) ? value : (MlirValue){NULL};
}

/* Whether operand c is carried by the loop around the dot, and only the dot uses it and only the loop the result, both
 * also converted to another layout. */
static bool is_added_up(MlirOperation dot, intptr_t *out_number) {
  MlirValue c = before_conversions(mlirOperationGetOperand(dot, 2));
  MlirBlock body = mlirOperationGetBlock(dot);
  if (mlirValueIsNull(c) || !mlirValueIsABlockArgument(c) || !mlirBlockEqual(mlirBlockArgumentGetOwner(c), body) ||
      nereid_op_kind(mlirBlockGetParentOperation(body)) != NEREID_OP_SCF_FOR)
    return false;
  *out_number = mlirBlockArgumentGetArgNumber(c) - 1;
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (*out_number < 0)
    return false;
  MlirValue yielded = before_conversions(mlirOperationGetOperand(yield, *out_number));
  return !mlirValueIsNull(yielded) && mlirValueEqual(yielded, nereid_ir_result(dot));
}

static int64_t registers_of(MlirValue tensor, int64_t threads) {
  return nereid_scratch_part_bytes(mlirValueGetType(tensor)) / (threads * WORD_BYTES);
}

/* Whether a thread has registers for three tensors like the result, the sum, the large product and the small products,
 * and for the small parts of its elements of the operands. */
static bool three_results_fit(const site_t *site) {
  const int64_t threads = (int64_t)nereid_ttg_num_warps(site->dot) * LANES;
  int64_t registers = 3 * registers_of(nereid_ir_result(site->dot), threads) + OTHER_REGISTERS;
  for (int index = 0; index < 2; ++index)
    registers += (site->parts[index] - 1) * registers_of(mlirOperationGetOperand(site->dot, index), threads);
  return registers <= nereid_target_thread_registers(threads);
}

/* Adds up the small products in a tensor that the loop carries. The large product comes first, before the other parts
 * of operand a are computed: tensor cores execute it in the meantime. Its addition comes last. */
static void carry_small_products(site_t *site, intptr_t number) {
  MlirOperation loop = mlirBlockGetParentOperation(mlirOperationGetBlock(site->dot));
  MlirType type = mlirValueGetType(nereid_ir_result(site->dot));
  nereid_builder_t builder = nereid_builder_before(loop);
  builder.location = mlirOperationGetLocation(site->dot);
  MlirValue initial = zeros(&builder, type);
  loop = nereid_loop_with_carried(loop, 1, &initial);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  nereid_builder_t within = nereid_builder_before(site->dot);
  create_parts(site, &within, 1, 0, MAX_PARTS);
  create_parts(site, &within, 0, 0, 0);
  MlirValue large = multiply(site, &within, site->products->count - 1, initial);
  MlirValue small = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
  create_parts(site, &within, 0, 1, MAX_PARTS);
  small = small_products(site, &within, small);
  nereidMlirOperationInsertOperands(yield, mlirOperationGetNumOperands(yield), 1, &small);
  MlirValue sum = add(&within, large, mlirOperationGetOperand(site->dot, 2));
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(site->dot), sum);

  MlirValue result = mlirOperationGetResult(loop, number);
  builder.block = mlirOperationGetBlock(loop);
  builder.before = mlirOperationGetNextInBlock(loop);
  small = without_nan(&builder, mlirOperationGetResult(loop, mlirOperationGetNumResults(loop) - 1));
  if (!mlirTypeEqual(mlirValueGetType(small), mlirValueGetType(result)))
    small = nereid_ir_result(nereid_ttg_convert_layout_build(&builder, mlirValueGetType(result), small));
  MlirValue total = add(&builder, result, small);
  MlirOperation addition = mlirOpResultGetOwner(total);
  mlirValueReplaceAllUsesExcept(result, total, 1, &addition);
}

/* --- the pass --- */

static const products_t *products_of(MlirOperation dot, bool emulate_tf32) {
  if (!mlirTypeIsAF32(element_of(mlirOperationGetOperand(dot, 0))) ||
      !mlirTypeIsAF32(element_of(mlirOperationGetOperand(dot, 1))) ||
      !mlirTypeIsAF32(element_of(nereid_ir_result(dot))))
    return NULL;
  switch (nereid_tt_dot_get_input_precision(dot)) {
  case NEREID_TT_INPUT_PRECISION_TF32X3:
    return emulate_tf32 ? &tf32x3 : NULL;
  case NEREID_TT_INPUT_PRECISION_BF16X3:
    return &bf16x3;
  case NEREID_TT_INPUT_PRECISION_BF16X6:
    return &bf16x6;
  default:
    return NULL;
  }
}

/* Adds the products of one dot to its operand c. */
static void decompose_here(site_t *site) {
  const nereid_builder_t before = nereid_builder_before(site->dot), *builder = &before;
  MlirValue c = mlirOperationGetOperand(site->dot, 2), sum;
  const int last = site->products->count - 1;
  for (int index = 0; index < 2; ++index)
    create_parts(site, builder, index, 0, MAX_PARTS);
  if (has_small_products(site)) {
    MlirValue small = small_products(site, builder, zeros(builder, mlirValueGetType(c)));
    sum = multiply(site, builder, last, without_nan(builder, small));
    sum = nereid_splat_is_zero(without_conversions(c)) ? sum : add(builder, sum, c);
  } else {
    sum = multiply(site, builder, last, c);
  }
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(site->dot), sum);
}

static void decompose(const nereid_pass_t *pass, site_t *site) {
  intptr_t number;
  int count = 0;
  for (int index = 0; index < 2; ++index) {
    const bool exact = is_exact(mlirOperationGetOperand(site->dot, index), site->products->bf16);
    site->parts[index] = exact ? 1 : site->products->parts;
  }
  for (int p = 0; p < site->products->count; ++p)
    count += is_needed(site, p);
  nereid_pass_remark_passed(pass, site->dot, "parts", "%d dots of %s parts", count,
                            site->products->bf16 ? "bf16" : "tf32");
  if (has_small_products(site) && is_added_up(site->dot, &number) && three_results_fit(site))
    carry_small_products(site, number);
  else
    decompose_here(site);
  MlirValue operands[2] = {mlirOperationGetOperand(site->dot, 0), mlirOperationGetOperand(site->dot, 1)};
  nereidMlirOperationErase(site->dot);
  for (int i = 0; i < 2; ++i) {
    MlirOperation op = nereid_defining_op_of_kind(operands[i], NEREID_OP_TTG_CONVERT_LAYOUT);
    if (!mlirOperationIsNull(op) && nereidMlirOperationIsTriviallyDead(op) &&
        (i == 0 || !mlirValueEqual(operands[0], operands[1])))
      nereidMlirOperationErase(op);
  }
}

MlirLogicalResult nereid_pass_tritongpu_f32_dot_tc(nereid_pass_t *pass) {
  const bool emulate_tf32 = nereid_pass_option_bool(pass, "emu-tf32");
  nereid_operations_t dots = {0};
  int64_t count = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_DOT, pass->scratch, &dots))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < dots.size; ++i) {
    site_t site = {.dot = dots.data[i], .products = products_of(dots.data[i], emulate_tf32)};
    if (!site.products)
      continue;
    MlirType a = mlirValueGetType(mlirOperationGetOperand(site.dot, 0));
    const int64_t k = mlirShapedTypeGetDimSize(a, mlirShapedTypeGetRank(a) - 1);
    if (k < (site.products->bf16 ? BF16_K : TF32_K)) {
      nereid_pass_remark_missed(pass, site.dot, "parts", "multiply-adds: K is %d, and one instruction needs %d", (int)k,
                                site.products->bf16 ? (int)BF16_K : (int)TF32_K);
      continue;
    }
    decompose(pass, &site);
    count++;
  }
  nereid_pass_statistic_add(pass, "decomposed", count);
  return mlirLogicalResultSuccess();
}
