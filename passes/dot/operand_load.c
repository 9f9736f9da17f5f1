/* Changes the layouts of loads; see operand_load.h.
 *
 *   %b = tt.load %p, %m : #row                  %q = ttg.convert_layout %p : #row -> #patch
 *   %y = ttg.convert_layout %b                  %n = ttg.convert_layout %m : #row -> #patch
 *                                           ->  %b = tt.load %q, %n : #patch
 *                                               %c = ttg.convert_layout %b : #patch -> #row
 *                                               %y = ttg.convert_layout %c
 *
 * tritongpu-remove-layout-conversions then computes the addresses in #patch. */
#include "passes/dot/operand_load.h"

#include "analysis/allocation/scratch.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  STORE_BYTES = 16, /* along the contiguous dimension of the buffer */
  LOADED = 4,       /* elements of one access, at most: their chunks are in different rows of the swizzle */
  SECTOR_BYTES = 32,
  LINE_BYTES = 64, /* at least, of 4-byte elements in a row that a warp loads */
  LANES = 32,
  WORD_BYTES = 4, /* the least that cp.async copies */
  BATCH_RANK = 3,
};

static int32_t least(int64_t a, int64_t b) {
  const int64_t smaller = a < b ? a : b;
  return (int32_t)(smaller < 1 ? 1 : smaller);
}

/* Whether all uses of the loaded value are operands of dots. */
static bool feeds_only_dots(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) != NEREID_OP_TTG_CONVERT_LAYOUT ||
        !nereid_ttg_dot_op_attr_isa(nereid_ttg_encoding_of(nereid_ir_result(user))))
      return false;
  }
  return true;
}

static int64_t element_bytes(MlirValue value) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(value));
  const int64_t bits =
      mlirTypeIsAInteger(element) ? (int64_t)mlirIntegerTypeGetWidth(element) : (int64_t)mlirFloatTypeGetWidth(element);
  return bits / 8;
}

/* Computes the transposing layout of `value`; null without one. */
static MlirAttribute transposing(MlirOperation load, MlirValue value, int contiguous) {
  nereid_ttg_blocked_t blocked;
  MlirAttribute encoding = nereid_ttg_encoding_of(value), none = {NULL};
  if (!nereid_ttg_blocked_read(encoding, &blocked) || blocked.rank > BATCH_RANK)
    return none;
  const int rank = blocked.rank, loaded = 2 * rank - 3 - contiguous; /* the other one of the last two */
  int64_t part[BATCH_RANK], elements = 1;
  if (blocked.order[0] != loaded || blocked.size_per_thread[contiguous] != 1 ||
      (blocked.size_per_thread[loaded] < LOADED && element_bytes(value) >= WORD_BYTES))
    return none;
  const int32_t access = least(blocked.size_per_thread[loaded], LOADED);
  for (int d = 0; d < rank; ++d)
    part[d] = mlirShapedTypeGetDimSize(mlirValueGetType(value), d);
  nereid_ttg_shape_per_cta(encoding, rank, part, part);
  for (int d = 0; d < rank; ++d)
    elements *= part[d];
  const int64_t bytes = element_bytes(value), stored = STORE_BYTES / bytes, warps = nereid_ttg_num_warps(load);
  if (part[contiguous] < stored || part[loaded] < access || elements < warps * LANES * stored * access)
    return none;
  const int64_t row = bytes == 1 ? SECTOR_BYTES : LINE_BYTES;
  int32_t *size = blocked.size_per_thread, *lanes = blocked.threads_per_warp, *grid = blocked.warps_per_cta;
  size[contiguous] = (int32_t)stored;
  size[loaded] = access;
  lanes[contiguous] = least(part[contiguous] / stored, LANES / (row / bytes / access));
  lanes[loaded] = LANES / lanes[contiguous];
  grid[loaded] = least(part[loaded] / (access * lanes[loaded]), warps);
  grid[contiguous] = (int32_t)warps / grid[loaded];
  if (rank == BATCH_RANK) {
    size[0] = lanes[0] = 1;
    grid[contiguous] = least(part[contiguous] / (stored * lanes[contiguous]), grid[contiguous]);
    grid[0] = (int32_t)warps / (grid[loaded] * grid[contiguous]);
  }
  return nereid_ttg_blocked_attribute(mlirTypeGetContext(mlirValueGetType(value)), &blocked);
}

/* Computes the layout in which a warp loads whole rows; null without one. */
static MlirAttribute row_layout(MlirOperation load, MlirValue value) {
  nereid_ttg_blocked_t blocked;
  MlirAttribute encoding = nereid_ttg_encoding_of(value), none = {NULL};
  if (element_bytes(value) >= WORD_BYTES || !nereid_ttg_blocked_read(encoding, &blocked) || blocked.rank != 2)
    return none;
  const int fast = blocked.order[0], slow = blocked.order[1];
  int64_t part[2] = {mlirShapedTypeGetDimSize(mlirValueGetType(value), 0),
                     mlirShapedTypeGetDimSize(mlirValueGetType(value), 1)};
  nereid_ttg_shape_per_cta(encoding, 2, part, part);
  const int64_t warps = nereid_ttg_num_warps(load);
  const bool single = blocked.size_per_thread[fast] == 1 && blocked.size_per_thread[slow] == 1;
  if (!single || part[0] * part[1] < warps * LANES)
    return none;
  blocked.threads_per_warp[fast] = least(part[fast], LANES);
  blocked.threads_per_warp[slow] = LANES / blocked.threads_per_warp[fast];
  blocked.warps_per_cta[slow] = least(part[slow] / blocked.threads_per_warp[slow], warps);
  blocked.warps_per_cta[fast] = (int32_t)warps / blocked.warps_per_cta[slow];
  MlirAttribute rows = nereid_ttg_blocked_attribute(mlirTypeGetContext(mlirValueGetType(value)), &blocked);
  return mlirAttributeEqual(rows, encoding) ? none : rows;
}

/* Gives `load`, which defines `value`, the layout `encoding`. */
static void set_layout(MlirOperation load, MlirValue value, MlirAttribute encoding) {
  nereid_builder_t builder = nereid_builder_before(load);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(load); ++i) {
    MlirValue operand = mlirOperationGetOperand(load, i);
    MlirType type = mlirValueGetType(operand);
    if (mlirTypeIsARankedTensor(type))
      mlirOperationSetOperand(load, i,
                              nereid_ir_result(nereid_ttg_convert_layout_build(
                                  &builder, nereid_ttg_with_encoding(type, encoding), operand)));
  }
  MlirType old = mlirValueGetType(value);
  builder.before = mlirOperationGetNextInBlock(load);
  MlirOperation back = nereid_ttg_convert_layout_build(&builder, old, value);
  mlirValueReplaceAllUsesExcept(value, nereid_ir_result(back), 1, &back);
  mlirValueSetType(value, nereid_ttg_with_encoding(old, encoding));
}

bool nereid_dot_transpose_load(MlirValue value, int contiguous) {
  MlirOperation load = nereid_defining_op_of_kind(value, NEREID_OP_TT_LOAD);
  if (mlirOperationIsNull(load) || !feeds_only_dots(value))
    return false;
  MlirAttribute encoding = transposing(load, value, contiguous);
  if (mlirAttributeIsNull(encoding))
    return false;
  set_layout(load, value, encoding);
  return true;
}

int64_t nereid_dot_single_registers(MlirValue value) {
  nereid_ttg_blocked_t blocked;
  MlirOperation load = nereid_defining_op_of_kind(value, NEREID_OP_TT_LOAD);
  const int64_t bytes = element_bytes(value);
  if (mlirOperationIsNull(load) || bytes >= WORD_BYTES ||
      !nereid_ttg_blocked_read(nereid_ttg_encoding_of(value), &blocked) || blocked.rank > BATCH_RANK)
    return 0;
  for (int d = 0; d < blocked.rank; ++d)
    if (blocked.size_per_thread[d] != 1)
      return 0;
  return nereid_scratch_part_bytes(mlirValueGetType(value)) / bytes / ((int64_t)nereid_ttg_num_warps(load) * LANES);
}

bool nereid_dot_load_rows(MlirValue value) {
  MlirOperation load = nereid_defining_op_of_kind(value, NEREID_OP_TT_LOAD);
  if (mlirOperationIsNull(load) || !feeds_only_dots(value))
    return false;
  MlirAttribute encoding = row_layout(load, value);
  if (mlirAttributeIsNull(encoding))
    return false;
  set_layout(load, value, encoding);
  return true;
}
