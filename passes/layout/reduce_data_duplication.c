/* tritongpu-reduce-data-duplication: keeps dot operands in shared memory instead of replicating them in registers.
 *
 *   %b = ttg.convert_layout %a : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #ttg.dot_op<…>>
 *   ->
 *   %s = ttg.local_alloc %a : … -> !ttg.memdesc<128x64xf16, #shared, #smem>
 *   %b = ttg.local_load %s : … -> tensor<128x64xf16, #ttg.dot_op<…>>
 *
 * Operands of mma.sync and wgmma get a buffer with a swizzle that avoids bank conflicts (passes/dot/shared_encoding.h).
 * A dot_op encoding for multiply-add gives each thread whole rows and columns. If only dots use it, each gets a load
 * directly before it, so that its lowering can read the buffer a few columns at a time. The buffer keeps the
 * order of the source, which makes storing cheap. Conversions within a thread do not change. */
#include "passes/dot/shared_encoding.h"
#include "passes/pass.h"
#include "passes/support/buffer_type.h"
#include "passes/support/collect.h"

#include "analysis/allocation/scratch.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static bool is_duplicating(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT &&
         nereid_ttg_dot_op_attr_isa(nereid_ttg_encoding_of(mlirOperationGetResult(op, 0))) &&
         !nereid_ttg_dot_op_attr_isa(nereid_ttg_encoding_of(mlirOperationGetOperand(op, 0))) &&
         nereid_conversion_path(op) == NEREID_CONVERSION_SHARED;
}

static bool is_multiply_add_operand(MlirOperation convert) {
  MlirAttribute encoding = nereid_ttg_encoding_of(mlirOperationGetResult(convert, 0));
  return nereid_ttg_blocked_attr_isa(nereid_ttg_dot_op_attr_get_parent(encoding));
}

/* Whether each user of the conversion may read the buffer directly before itself: a dot in its block, or dots by
 * multiply-add anywhere, whose operands would not fit in registers. */
static bool is_read_by_dots(MlirOperation convert) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(convert, 0));
  const bool is_multiply_add = is_multiply_add_operand(convert);
  if (mlirOpOperandIsNull(use) || (!is_multiply_add && !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))))
    return false;
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool near = mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(convert));
    if (nereid_op_kind(user) != NEREID_OP_TT_DOT || (!near && !is_multiply_add))
      return false;
  }
  return true;
}

/* The type of the buffer for `convert`: the order of the source, with a swizzle for operands of tensor cores. */
static MlirType buffer_of(MlirOperation convert) {
  MlirType source = mlirValueGetType(mlirOperationGetOperand(convert, 0));
  MlirType plain = nereid_buffer_type(source, 0, false);
  int32_t order[NEREID_TTG_MAX_RANK];
  nereid_ttg_memdesc_t buffer;
  nereid_dot_register_order(source, order);
  MlirAttribute swizzled =
      nereid_dot_mma_shared(source, nereid_ttg_encoding_of(mlirOperationGetResult(convert, 0)), order);
  if (mlirAttributeIsNull(swizzled) || !nereid_ttg_memdesc_read(plain, &buffer))
    return plain;
  buffer.encoding = swizzled;
  return nereid_ttg_memdesc_type(&buffer);
}

/* Where the source is stored: before the outermost loop around the conversion that does not compute it, also when the
 * conversion is in a branch of that loop. */
static nereid_builder_t store_builder(MlirOperation convert) {
  MlirValue source = mlirOperationGetOperand(convert, 0);
  MlirBlock block = mlirValueIsAOpResult(source) ? mlirOperationGetBlock(mlirOpResultGetOwner(source))
                                                 : mlirBlockArgumentGetOwner(source);
  MlirOperation at = convert, op = convert;
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block)) {
    op = mlirOperationGetParentOperation(op);
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
      at = op;
    else if (nereid_op_kind(op) != NEREID_OP_SCF_IF)
      break;
  }
  return nereid_builder_before(at);
}

/* A load of `buffer` before `reader`. */
static MlirValue load_before(MlirOperation reader, MlirOperation convert, MlirValue buffer) {
  nereid_builder_t builder = nereid_builder_before(reader);
  builder.location = mlirOperationGetLocation(convert);
  MlirType type = mlirValueGetType(mlirOperationGetResult(convert, 0));
  return mlirOperationGetResult(nereid_ttg_local_load_build(&builder, type, buffer, (MlirValue){NULL}), 0);
}

static void replace(MlirOperation convert) {
  MlirValue source = mlirOperationGetOperand(convert, 0), result = mlirOperationGetResult(convert, 0);
  nereid_builder_t builder = store_builder(convert);
  MlirOperation alloc = nereid_ttg_local_alloc_build(&builder, buffer_of(convert), source, (MlirAttribute){NULL});
  MlirValue buffer = mlirOperationGetResult(alloc, 0);
  if (!is_read_by_dots(convert))
    mlirValueReplaceAllUsesOfWith(result, load_before(convert, convert, buffer));
  for (MlirOpOperand use; use = mlirValueGetFirstUse(result), !mlirOpOperandIsNull(use);) {
    MlirOperation dot = mlirOpOperandGetOwner(use);
    mlirOperationSetOperand(dot, mlirOpOperandGetOperandNumber(use), load_before(dot, convert, buffer));
  }
  mlirOperationDestroy(convert);
}

MlirLogicalResult nereid_pass_tritongpu_reduce_data_duplication(nereid_pass_t *pass) {
  nereid_operations_t conversions = {0};
  if (!nereid_collect(pass->op, is_duplicating, pass->scratch, &conversions))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < conversions.size; ++i)
    replace(conversions.data[i]);
  nereid_pass_statistic_add(pass, "buffers", (int64_t)conversions.size);
  return mlirLogicalResultSuccess();
}
