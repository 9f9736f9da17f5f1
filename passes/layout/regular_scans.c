/* nereid-regular-scans: converts operands of scans to layouts in which each element has one place, or whole copies.
 *
 *   %y = "tt.scan"(%x) … : tensor<128xf32, #ttg.linear<{… lane = [[1] … [16]], warp = [[32], [64], [16]] …}>>
 *   ->
 *   %0 = ttg.convert_layout %x : … -> tensor<128xf32, #ttg.linear<{… warp = [[32], [64], [0]] …}>>
 *   %1 = "tt.scan"(%0) …
 *   %y = ttg.convert_layout %1 : …
 *
 * Only hand-written layouts need this. In layouts that passes choose, exactly one register, lane or warp bit selects
 * each bit of the index, as the lowering requires. The new layout keeps the regular part of the old one, so the
 * conversions often stay within a warp. */
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "layout/scan.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

/* The regular encoding that `scan` needs; null when its own encoding is regular. */
static MlirAttribute regular_encoding(MlirOperation scan) {
  nereid_layout_t layout, regular;
  nereid_layout_scan_t plan;
  const MlirType type = mlirValueGetType(mlirOperationGetOperand(scan, 0));
  if (nereid_layout_from_type(type, &layout) != NEREID_OK ||
      nereid_layout_scan(&layout, nereid_tt_scan_get_axis(scan), &plan) != NEREID_LAYOUT_SCAN_IRREGULAR)
    return (MlirAttribute){NULL};
  nereid_layout_scan_regular(&layout, &regular);
  return nereid_ttg_linear_from_layout(mlirOperationGetContext(scan), &regular);
}

static bool is_irregular(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_SCAN && !mlirAttributeIsNull(regular_encoding(op));
}

static MlirValue convert(nereid_builder_t *builder, MlirValue value, MlirType type) {
  return mlirOperationGetResult(nereid_ttg_convert_layout_build(builder, type, value), 0);
}

static void rewrite(MlirOperation scan) {
  const MlirAttribute encoding = regular_encoding(scan);
  nereid_builder_t before = nereid_builder_before(scan);
  nereid_builder_t after = nereid_builder_before(mlirOperationGetNextInBlock(scan));
  after.location = before.location;
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(scan); ++k) {
    MlirValue operand = mlirOperationGetOperand(scan, k), result = mlirOperationGetResult(scan, k);
    const MlirType old = mlirValueGetType(result), type = nereid_ttg_with_encoding(old, encoding);
    mlirOperationSetOperand(scan, k, convert(&before, operand, type));
    mlirValueSetType(result, type);
    MlirValue back = convert(&after, result, old);
    mlirValueReplaceAllUsesExcept(result, back, 1, (MlirOperation[]){mlirOpResultGetOwner(back)});
  }
}

MlirLogicalResult nereid_pass_regular_scans(nereid_pass_t *pass) {
  nereid_operations_t scans = {0};
  if (!nereid_collect(pass->op, is_irregular, pass->scratch, &scans))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < scans.size; ++i)
    rewrite(scans.data[i]);
  nereid_pass_statistic_add(pass, "scans", (int64_t)scans.size);
  return mlirLogicalResultSuccess();
}
