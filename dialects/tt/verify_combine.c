/* Verifiers of operations that combine elements or run a region on them: dots, reductions, scans, histograms, gathers,
 * elementwise regions and assembly.
 *
 *   tt.dot %a, %b, %c : tensor<16x64xf16> * tensor<32x16xf16> -> ...      error: ... 64 columns ... 32 rows
 *
 * infer_types.c verifies the result types of dot, reduce and gather. */
#include "base/bits.h"
#include "bindings/tt_hooks.h"
#include "dialects/diagnose.h"
#include "dialects/tt/infer_types.h"
#include "dialects/tt/tensor.h"
#include "dialects/tt/verify.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "seam/effects.h"

#include <mlir-c/BuiltinTypes.h>

/* --- dots --- */

/* Shapes of a dot, in elements: a is (batch, m, k), b (batch, k, n); batch is 1 for matrices. */
typedef struct dot {
  int64_t a_batch, m, a_k, b_batch, b_k, n;
} dot_t;

/* Reads two matrices, or two batches of them; false after an error. */
static bool read_dot(MlirOperation op, const nereid_tt_tensor_t *a, const nereid_tt_tensor_t *b,
                     const nereid_tt_tensor_t *c, dot_t *out) {
  if (a->rank != b->rank || a->rank != c->rank || (a->rank != 2 && a->rank != 3)) {
    nereid_diagnose(op, "expects matrices, or batches of them in 3 dimensions, got ranks %ld, %ld and %ld",
                    (long)a->rank, (long)b->rank, (long)c->rank);
    return false;
  }
  intptr_t m = a->rank - 2, n = a->rank - 1;
  out->a_batch = m ? a->shape[0] : 1;
  out->b_batch = m ? b->shape[0] : 1;
  out->m = a->shape[m];
  out->a_k = a->shape[n];
  out->b_k = b->shape[m];
  out->n = b->shape[n];
  return true;
}

static MlirLogicalResult verify_dot_shapes(MlirOperation op, const dot_t *dot, const nereid_tt_tensor_t *c) {
  if (dot->a_k != dot->b_k)
    return nereid_diagnose(op, "expects as many columns in a as rows in b, got %ld and %ld", (long)dot->a_k,
                           (long)dot->b_k);
  int64_t batch = c->rank == 3 ? c->shape[0] : 1;
  if (dot->a_batch != batch || dot->b_batch != batch)
    return nereid_diagnose(op, "expects batches of one size in a, b and c, got %ld, %ld and %ld", (long)dot->a_batch,
                           (long)dot->b_batch, (long)batch);
  if (dot->m != c->shape[c->rank - 2] || dot->n != c->shape[c->rank - 1])
    return nereid_diagnose(op, "expects c to be %ldx%ld, got %ldx%ld", (long)dot->m, (long)dot->n,
                           (long)c->shape[c->rank - 2], (long)c->shape[c->rank - 1]);
  return mlirLogicalResultSuccess();
}

/* Whether products of elements of type `a` can be summed in type `c`: both integers, or both floats, of which those of
 * 64 bits are not narrowed. */
static bool can_sum(MlirType a, MlirType c) {
  const unsigned bits = nereid_tt_bit_width(a);
  if (mlirTypeIsAInteger(a) != mlirTypeIsAInteger(c))
    return false;
  return nereid_tt_bit_width(c) >= bits || (!mlirTypeIsAInteger(a) && bits < 64);
}

MlirLogicalResult nereid_tt_dot_verify(MlirOperation op) {
  nereid_tt_tensor_t a = nereid_tt_tensor_of(nereid_tt_dot_get_a(op));
  nereid_tt_tensor_t b = nereid_tt_tensor_of(nereid_tt_dot_get_b(op));
  nereid_tt_tensor_t c = nereid_tt_tensor_of(nereid_tt_dot_get_c(op));
  dot_t dot;
  if (!read_dot(op, &a, &b, &c, &dot) || mlirLogicalResultIsFailure(verify_dot_shapes(op, &dot, &c)))
    return mlirLogicalResultFailure();
  if (nereid_tt_bit_width(a.element) != nereid_tt_bit_width(b.element))
    return nereid_diagnose(op, "expects a and b to have elements of one width, got %s and %s",
                           nereid_text_of_type(a.element).chars, nereid_text_of_type(b.element).chars);
  if (!can_sum(a.element, c.element) || !can_sum(b.element, c.element))
    return nereid_diagnose(
        op, "multiplies %s by %s and accumulates in %s: expected an accumulator of %s of at least %u bits",
        nereid_text_of_type(a.element).chars, nereid_text_of_type(b.element).chars,
        nereid_text_of_type(c.element).chars, mlirTypeIsAInteger(a.element) ? "integers" : "floats",
        nereid_tt_bit_width(a.element));
  if (mlirAttributeIsNull(a.encoding) != mlirAttributeIsNull(b.encoding))
    return nereid_diagnose(op, "expects a and b to have encodings both or neither");
  if (!nereid_ttg_dot_operand_encodings_verify(a.encoding, b.encoding, mlirOperationGetLocation(op)))
    return mlirLogicalResultFailure();
  return nereid_tt_dot_types_verify(op);
}

/* One scale per group of elements along K: groups of 16 when scales are e4m3, else 32. */
static MlirLogicalResult verify_scales(MlirOperation op, MlirValue scales, const char *name, int64_t rows, int64_t k) {
  if (mlirValueIsNull(scales))
    return mlirLogicalResultSuccess();
  nereid_tt_tensor_t tensor = nereid_tt_tensor_of(scales);
  int64_t group = mlirTypeIsAFloat8E4M3FN(tensor.element) ? 16 : 32;
  if (tensor.rank < 2)
    return nereid_diagnose(op, "expects scales of the %s to have at least 2 dimensions, got %ld", name,
                           (long)tensor.rank);
  if (tensor.shape[tensor.rank - 2] != rows)
    return nereid_diagnose(op, "expects scales for each of the %ld %s, got %ld", (long)rows, name,
                           (long)tensor.shape[tensor.rank - 2]);
  if (tensor.shape[tensor.rank - 1] != k / group)
    return nereid_diagnose(op, "expects scales for %ld elements along K in groups of %ld, got %ld", (long)k,
                           (long)group, (long)tensor.shape[tensor.rank - 1]);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_dot_scaled_verify(MlirOperation op) {
  if (mlirLogicalResultIsFailure(nereid_tt_required_operands_verify(op, 3)))
    return mlirLogicalResultFailure();
  nereid_tt_tensor_t a = nereid_tt_tensor_of(nereid_tt_dot_scaled_get_a(op));
  nereid_tt_tensor_t b = nereid_tt_tensor_of(nereid_tt_dot_scaled_get_b(op));
  nereid_tt_tensor_t c = nereid_tt_tensor_of(nereid_tt_dot_scaled_get_c(op));
  dot_t dot;
  if (!read_dot(op, &a, &b, &c, &dot))
    return mlirLogicalResultFailure();
  /* Two 4-bit elements are packed in a byte, along K or along the other dimension. */
  if (nereid_tt_dot_scaled_get_a_elem_type(op) == NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M1)
    *(nereid_tt_dot_scaled_get_lhs_k_pack(op) ? &dot.a_k : &dot.m) *= 2;
  if (nereid_tt_dot_scaled_get_b_elem_type(op) == NEREID_TT_SCALE_DOT_ELEM_TYPE_E2M1)
    *(nereid_tt_dot_scaled_get_rhs_k_pack(op) ? &dot.b_k : &dot.n) *= 2;
  if (mlirLogicalResultIsFailure(verify_dot_shapes(op, &dot, &c)) ||
      mlirLogicalResultIsFailure(verify_scales(op, nereid_tt_dot_scaled_get_a_scale(op), "rows of a", dot.m, dot.a_k)))
    return mlirLogicalResultFailure();
  return verify_scales(op, nereid_tt_dot_scaled_get_b_scale(op), "columns of b", dot.n, dot.b_k);
}

/* --- reductions and scans --- */

static MlirType operand_element(MlirOperation op, intptr_t i) {
  return nereid_tt_element_type(mlirValueGetType(mlirOperationGetOperand(op, i)));
}

static MlirType result_element(MlirOperation op, intptr_t i) {
  return nereid_tt_element_type(mlirValueGetType(mlirOperationGetResult(op, i)));
}

static MlirLogicalResult verify_reduction(MlirOperation op) {
  intptr_t operands = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
  if (operands == 0)
    return nereid_diagnose(op, "expects at least 1 operand");
  if (operands != results)
    return nereid_diagnose(op, "expects as many results as operands, %ld, got %ld", (long)operands, (long)results);
  for (intptr_t i = 0; i < operands; i++)
    if (!mlirTypeEqual(operand_element(op, i), result_element(op, i)))
      return nereid_diagnose(op, "expects results of the operands' element types: #%ld are %s and %s", (long)i,
                             nereid_text_of_type(operand_element(op, i)).chars,
                             nereid_text_of_type(result_element(op, i)).chars);
  return mlirLogicalResultSuccess();
}

/* The region's arguments are the accumulated elements of all operands, then the new elements of all operands. */
static MlirLogicalResult verify_combiner_arguments(MlirOperation op, MlirBlock block) {
  intptr_t operands = mlirOperationGetNumOperands(op), arguments = mlirBlockGetNumArguments(block);
  if (arguments != 2 * operands)
    return nereid_diagnose(op, "expects a region with %ld arguments, two per operand, got %ld", (long)(2 * operands),
                           (long)arguments);
  for (intptr_t i = 0; i < arguments; i++) {
    MlirType expected = operand_element(op, i % operands), got = mlirValueGetType(mlirBlockGetArgument(block, i));
    if (!mlirTypeEqual(expected, got))
      return nereid_diagnose(op, "expects argument #%ld of the region to be %s, got %s", (long)i,
                             nereid_text_of_type(expected).chars, nereid_text_of_type(got).chars);
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult verify_combiner(MlirOperation op, nereid_op_kind_t terminator_kind,
                                         const char *terminator_name) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (mlirLogicalResultIsFailure(verify_combiner_arguments(op, block)))
    return mlirLogicalResultFailure();
  MlirOperation terminator = mlirBlockGetTerminator(block);
  if (mlirOperationIsNull(terminator) || nereid_op_kind(terminator) != terminator_kind)
    return nereid_diagnose(op, "expects the region to end in %s", terminator_name);
  intptr_t expected = mlirOperationGetNumOperands(op), returned = mlirOperationGetNumOperands(terminator);
  if (expected != returned)
    return nereid_diagnose(op, "expects the region to return %ld values, one per operand, got %ld", (long)expected,
                           (long)returned);
  for (intptr_t i = 0; i < expected; i++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(terminator, i));
    if (!mlirTypeEqual(operand_element(op, i), type))
      return nereid_diagnose(op, "expects value #%ld that the region returns to be %s, got %s", (long)i,
                             nereid_text_of_type(operand_element(op, i)).chars, nereid_text_of_type(type).chars);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_reduce_verify(MlirOperation op) {
  MlirLogicalResult counts = verify_reduction(op);
  return mlirLogicalResultIsFailure(counts) ? counts : nereid_tt_reduce_types_verify(op);
}

MlirLogicalResult nereid_tt_reduce_verify_regions(MlirOperation op) {
  return verify_combiner(op, NEREID_OP_TT_REDUCE_RETURN, "tt.reduce.return");
}

MlirLogicalResult nereid_tt_scan_verify(MlirOperation op) {
  int32_t axis = nereid_tt_scan_get_axis(op);
  if (mlirLogicalResultIsFailure(verify_reduction(op)))
    return mlirLogicalResultFailure();
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  if (axis < 0 || axis >= rank)
    return nereid_diagnose(op, "expects axis to be one of the operand's %ld dimensions, got %d", (long)rank, axis);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_scan_verify_regions(MlirOperation op) {
  return verify_combiner(op, NEREID_OP_TT_SCAN_RETURN, "tt.scan.return");
}

/* --- histogram, gather --- */

MlirLogicalResult nereid_tt_histogram_verify(MlirOperation op) {
  nereid_tt_tensor_t src = nereid_tt_tensor_of(nereid_tt_histogram_get_src(op));
  nereid_tt_tensor_t result = nereid_tt_tensor_of(nereid_tt_histogram_get_result(op));
  if (src.rank != 1 || result.rank != 1)
    return nereid_diagnose(op, "expects 1D tensors, got ranks %ld and %ld", (long)src.rank, (long)result.rank);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_gather_verify(MlirOperation op) {
  nereid_tt_tensor_t src = nereid_tt_tensor_of(nereid_tt_gather_get_src(op));
  nereid_tt_tensor_t indices = nereid_tt_tensor_of(nereid_tt_gather_get_indices(op));
  int32_t axis = nereid_tt_gather_get_axis(op);
  if (src.rank != indices.rank)
    return nereid_diagnose(op, "expects indices of the source's rank, %ld, got %ld", (long)src.rank,
                           (long)indices.rank);
  if (axis < 0 || axis >= src.rank)
    return nereid_diagnose(op, "expects axis to be one of the source's %ld dimensions, got %d", (long)src.rank, axis);
  for (intptr_t i = 0; i < src.rank; i++)
    if (i != axis && indices.shape[i] != src.shape[i])
      return nereid_diagnose(op, "expects dimension %ld of the indices to be the source's, %ld, got %ld", (long)i,
                             (long)src.shape[i], (long)indices.shape[i]);
  return nereid_tt_gather_types_verify(op);
}

/* --- elementwise regions and assembly --- */

MlirLogicalResult nereid_tt_map_elementwise_verify(MlirOperation op) {
  int32_t pack = nereid_tt_map_elementwise_get_pack(op);
  if (mlirOperationGetNumOperands(op) == 0)
    return nereid_diagnose(op, "expects at least 1 operand");
  if (!nereid_is_power_of_two(pack))
    return nereid_diagnose(op, "expects pack to be a power of 2, got %d", pack);
  return mlirLogicalResultSuccess();
}

static void note_write(NereidMlirEffect effect, MlirValue value, NereidMlirResource resource, void *user_data) {
  (void)value, (void)resource;
  if (effect == NereidMlirEffectWrite)
    *(bool *)user_data = true;
}

typedef struct map_check {
  MlirOperation map;
  intptr_t pack;
  bool ok;
} map_check_t;

static bool returns_match(MlirOperation map, MlirOperation terminator, intptr_t pack) {
  intptr_t expected = mlirOperationGetNumResults(map) * pack, got = mlirOperationGetNumOperands(terminator);
  for (intptr_t i = 0; expected == got && i < got; i++)
    if (!mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(terminator, i)), result_element(map, i / pack)))
      return false;
  return expected == got;
}

static MlirWalkResult check_mapped(MlirOperation op, void *user_data) {
  map_check_t *check = user_data;
  bool writes = false;
  if (mlirOperationEqual(op, check->map))
    return MlirWalkResultAdvance;
  if (mlirOperationGetNumRegions(op) == 0)
    nereidMlirOperationWalkEffects(op, note_write, &writes);
  if (writes)
    nereid_diagnose(op, "writes memory inside tt.map_elementwise, whose region may run several times per element");
  bool mismatch =
      nereid_op_kind(op) == NEREID_OP_TT_MAP_ELEMENTWISE_RETURN && !returns_match(check->map, op, check->pack);
  if (mismatch)
    nereid_diagnose(op, "expects to return %ld values of the element type of each result of tt.map_elementwise",
                    (long)check->pack);
  check->ok = !writes && !mismatch;
  return check->ok ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

MlirLogicalResult nereid_tt_map_elementwise_verify_regions(MlirOperation op) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  intptr_t pack = nereid_tt_map_elementwise_get_pack(op);
  intptr_t expected = mlirOperationGetNumOperands(op) * pack;
  if (mlirBlockIsNull(entry) || mlirBlockGetNumArguments(entry) != expected)
    return nereid_diagnose(op, "expects a region with %ld arguments, pack per operand", (long)expected);
  for (intptr_t i = 0; i < expected; i++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, i));
    if (!mlirTypeEqual(type, operand_element(op, i / pack)))
      return nereid_diagnose(op, "expects %s for argument #%ld of the region, got %s",
                             nereid_text_of_type(operand_element(op, i / pack)).chars, (long)i,
                             nereid_text_of_type(type).chars);
  }
  map_check_t check = {op, pack, true};
  mlirOperationWalk(op, check_mapped, &check, MlirWalkPreOrder);
  return check.ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

MlirLogicalResult nereid_tt_elementwise_inline_asm_verify(MlirOperation op) {
  int32_t packed = nereid_tt_elementwise_inline_asm_get_packed_element(op);
  if (packed < 1)
    return nereid_diagnose(op, "expects packed_element to be at least 1, got %d", packed);
  nereid_tt_tensor_t first;
  if (mlirOperationGetNumOperands(op) == 0 ||
      !nereid_tt_tensor_read(mlirValueGetType(mlirOperationGetOperand(op, 0)), &first))
    return mlirLogicalResultSuccess();
  int64_t count = nereid_tt_tensor_count(&first);
  if (count % packed != 0)
    return nereid_diagnose(op, "expects the number of elements to be a multiple of packed_element, got %ld and %d",
                           (long)count, packed);
  return mlirLogicalResultSuccess();
}
