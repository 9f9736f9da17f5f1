/* Layouts that tritongpu-accelerate-matmul may replace; see provisional_dots.h. */
#include "passes/layout/support/provisional_dots.h"

#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/support/collect.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinTypes.h"

static bool is_movable(MlirOperation dot) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(nereid_tt_dot_get_a(dot)));
  return !mlirTypeIsAF32(element) || nereid_tt_dot_get_input_precision(dot) == NEREID_TT_INPUT_PRECISION_TF32;
}

bool nereid_provisional_dots_read(nereid_pass_t *pass, nereid_provisional_dots_t *out_dots) {
  nereid_operations_t dots = {0};
  nereid_map_initialize(&out_dots->results, pass->scratch);
  nereid_map_initialize(&out_dots->movable, pass->scratch);
  if (!nereid_pass_option_bool(pass, "provisional-dots"))
    return true;
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_DOT, pass->scratch, &dots))
    return false;
  for (size_t i = 0; i < dots.size; ++i) {
    MlirAttribute encoding = nereid_ttg_encoding_of(nereid_ir_result(dots.data[i]));
    if (mlirAttributeIsNull(encoding) || nereid_ttg_nvidia_mma_attr_isa(encoding))
      continue;
    if (!nereid_map_insert(&out_dots->results, encoding.ptr) ||
        (is_movable(dots.data[i]) && !nereid_map_insert(&out_dots->movable, encoding.ptr)))
      return false;
  }
  return true;
}

bool nereid_is_provisional_result(const nereid_provisional_dots_t *dots, MlirAttribute encoding) {
  return nereid_map_find(&dots->results, encoding.ptr) != NULL;
}

bool nereid_is_provisional_operand(const nereid_provisional_dots_t *dots, MlirAttribute encoding) {
  return nereid_ttg_dot_op_attr_isa(encoding) &&
         nereid_map_find(&dots->movable, nereid_ttg_dot_op_attr_get_parent(encoding).ptr);
}
