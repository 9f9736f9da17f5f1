/* Dots with exchanged operands; see exchanged_dot.h.
 *
 *   scf.for … iter_args(%acc = %zero) -> T {               scf.for … iter_args(%acc = trans %zero) -> T^T {
 *     %d = tt.dot %a, %b, %acc                       ->      %d = tt.dot (trans %b), (trans %a), %acc
 *     scf.yield %d                                           scf.yield %d
 *   }                                                      }
 *   use %loop                                              use (trans %loop)
 *
 * Transpositions in the loop would move no data either, but would be uses of the result in its iteration. */
#include "passes/dot/exchanged_dot.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/dot/operand_source.h"
#include "passes/support/loop.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* The transposed `value`: the source where the value is a transposition itself, as of a tile that a descriptor loads
 * with K last, which TMA then copies to the buffer of the dot. */
static MlirValue transpose(const nereid_builder_t *builder, MlirValue value) {
  static const int32_t matrix[] = {1, 0}, batch[] = {0, 2, 1};
  const bool is_matrix = mlirShapedTypeGetRank(mlirValueGetType(value)) == 2;
  const int32_t *order = is_matrix ? matrix : batch;
  const int rank = is_matrix ? 2 : 3;
  MlirOperation trans = nereid_defining_op_of_kind(value, NEREID_OP_TT_TRANS);
  bool is_inverse = !mlirOperationIsNull(trans);
  for (int i = 0; i < rank && is_inverse; ++i)
    is_inverse = nereid_tt_trans_get_order(trans, i) == order[i];
  return is_inverse ? nereid_tt_trans_get_src(trans)
                    : nereid_ir_result(nereid_tt_trans_build(builder, value, rank, order));
}

/* --- operands --- */

/* `value` as operand `index` of a dot with the accumulator `c`. */
static MlirValue operand_of(const nereid_builder_t *builder, MlirValue value, unsigned index, MlirValue c) {
  MlirContext context = mlirTypeGetContext(mlirValueGetType(value));
  MlirAttribute encoding = nereid_ttg_dot_op_attr_create(context, index, nereid_ttg_encoding_of(c), 0);
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(value), encoding);
  return nereid_ir_result(nereid_ttg_convert_layout_build(builder, type, value));
}

/* --- accumulators --- */

/* Returns the number of the carried value that is the accumulator of `dot`, and nothing else; -1 when there is none. */
static intptr_t carried_number(MlirOperation dot) {
  MlirValue c = mlirOperationGetOperand(dot, 2), d = nereid_ir_result(dot);
  MlirBlock block = mlirOperationGetBlock(dot);
  if (nereid_op_kind(mlirBlockGetParentOperation(block)) != NEREID_OP_SCF_FOR || !mlirValueIsABlockArgument(c) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(c), block) || !nereid_ir_has_one_use(c) || !nereid_ir_has_one_use(d))
    return -1;
  const intptr_t number = mlirBlockArgumentGetArgNumber(c) - 1; /* after the counter */
  MlirOperation yield = mlirBlockGetTerminator(block);
  const bool yields = mlirOperationEqual(mlirOpOperandGetOwner(mlirValueGetFirstUse(d)), yield);
  return yields && mlirValueEqual(mlirOperationGetOperand(yield, number), d) ? number : -1;
}

/* Transposes a carried value: before the loop, and after it. */
static void transpose_carried(MlirOperation loop, intptr_t number) {
  nereid_builder_t builder = nereid_builder_before(loop);
  MlirValue initial = transpose(&builder, nereid_loop_initial(loop, number));
  MlirValue result = mlirOperationGetResult(loop, number);
  MlirType type = mlirValueGetType(initial);
  nereid_loop_set_initial(loop, number, initial);
  mlirValueSetType(nereid_loop_argument(loop, number), type);
  mlirValueSetType(result, type);
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
    return;
  builder.before = mlirOperationGetNextInBlock(loop);
  MlirValue back = transpose(&builder, result);
  MlirOperation user = nereid_defining_op(back);
  mlirValueReplaceAllUsesExcept(result, back, 1, &user);
}

/* --- the dot --- */

static MlirValue transposed_operand(MlirOperation dot, MlirValue value) {
  const nereid_builder_t builder = nereid_dot_operand_builder(dot, value);
  return transpose(&builder, value);
}

static MlirValue exchanged(const nereid_builder_t *builder, MlirOperation dot, MlirValue a, MlirValue b, MlirValue c) {
  MlirValue left = operand_of(builder, transposed_operand(dot, b), 0, c);
  MlirValue right = operand_of(builder, transposed_operand(dot, a), 1, c);
  return nereid_ir_result(nereid_tt_dot_build(builder, left, right, c, nereid_tt_dot_get_input_precision(dot),
                                              nereid_tt_dot_get_max_num_imprecise_acc(dot)));
}

MlirOperation nereid_dot_exchange(MlirOperation dot, MlirValue a, MlirValue b) {
  const nereid_builder_t builder = nereid_builder_before(dot);
  const intptr_t carried = carried_number(dot);
  MlirValue d = nereid_ir_result(dot), c = mlirOperationGetOperand(dot, 2), made;
  if (carried >= 0) {
    transpose_carried(mlirBlockGetParentOperation(builder.block), carried);
    made = exchanged(&builder, dot, a, b, c);
    mlirValueReplaceAllUsesOfWith(d, made);
  } else {
    made = exchanged(&builder, dot, a, b, transpose(&builder, c));
    mlirValueReplaceAllUsesOfWith(d, transpose(&builder, made));
  }
  nereidMlirOperationErase(dot);
  return nereid_defining_op(made);
}
