/* triton-nvidia-optimize-descriptor-encoding: gives each tensor map the encoding of the buffers that its copies fill.
 *
 *   tt.func public @k(%d: !tt.tensordesc<tensor<128x64xf16>>)
 *     %x = tt.descriptor_load %d[%i, %j]
 *     %a = ttg.local_alloc %x : … -> !ttg.memdesc<128x64xf16, #shared, #smem>       #shared = #ttg.nvmma_shared<…>
 *   ->
 *   tt.func public @k(%d: !tt.tensordesc<tensor<128x64xf16, #shared>> {nereid.descriptor = …})
 *
 * TMA then copies to the buffer that a dot reads, without registers in between. A descriptor has one swizzle for all
 * its accesses: that of the first buffer of a loaded tensor that TMA can fill, otherwise the widest (descriptor.h). The
 * host encodes the map with it, as `nereid.descriptor` requests; an attribute that is there already stays. Stores take
 * their tensors before conversions of the layout (tma_stores.h), which therefore need no scratch. */
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "passes/memory/tma_stores.h"
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/descriptor.h"

#include "nereid/dialects/nereid.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { NO_SWIZZLE = -1 };

/* --- swizzles --- */

/* The swizzle of the first immutable buffer of `loaded` that TMA can fill; NO_SWIZZLE when there is none. Reports other
 * ones. */
static int64_t swizzle_of_users(const nereid_pass_t *pass, MlirValue loaded) {
  for (MlirOpOperand use = mlirValueGetFirstUse(loaded); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) != NEREID_OP_TTG_LOCAL_ALLOC)
      continue;
    MlirAttribute encoding = nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(nereid_ir_result(user)));
    if (nereid_ttg_nvmma_shared_attr_isa(encoding) && !nereid_ttg_nvmma_shared_attr_get_transposed(encoding) &&
        !nereid_ttg_nvmma_shared_attr_get_fp4_padded(encoding))
      return nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(encoding);
    nereid_pass_remark_missed(pass, user, "descriptor",
                              "the buffer is filled through registers: TMA cannot store rows in the encoding %s",
                              nereid_text_of_attribute(encoding).chars);
  }
  return NO_SWIZZLE;
}

static unsigned choose_swizzle(const nereid_pass_t *pass, MlirValue descriptor) {
  MlirAttribute given = nereid_descriptor_given(descriptor);
  int64_t swizzle = mlirAttributeIsNull(given) ? NO_SWIZZLE : nereid_nereid_descriptor_attr_get_swizzle(given);
  for (MlirOpOperand use = mlirValueGetFirstUse(descriptor); swizzle == NO_SWIZZLE && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (nereid_op_kind(mlirOpOperandGetOwner(use)) == NEREID_OP_TT_DESCRIPTOR_LOAD)
      swizzle = swizzle_of_users(pass, nereid_ir_result(mlirOpOperandGetOwner(use)));
  return swizzle == NO_SWIZZLE ? nereid_descriptor_swizzle(nereid_descriptor_block(descriptor)) : (unsigned)swizzle;
}

/* --- types --- */

static bool is_access(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
  case NEREID_OP_TT_DESCRIPTOR_STORE:
  case NEREID_OP_TT_DESCRIPTOR_REDUCE:
    return true;
  default:
    return false;
  }
}

/* Whether the type of `descriptor` can change: it has no encoding, and is only accessed. */
static bool is_free(MlirValue descriptor) {
  MlirType block = nereid_descriptor_block(descriptor);
  bool free = mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(block)) && mlirShapedTypeGetRank(block) > 0 &&
              mlirShapedTypeGetRank(block) <= NEREID_DESCRIPTOR_RANK;
  for (MlirOpOperand use = mlirValueGetFirstUse(descriptor); free && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    free = is_access(mlirOpOperandGetOwner(use));
  return free;
}

static MlirType with_swizzle(MlirType block, unsigned swizzle) {
  MlirContext context = mlirTypeGetContext(block);
  const intptr_t rank = mlirShapedTypeGetRank(block);
  int64_t shape[NEREID_DESCRIPTOR_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(block, d);
  MlirAttribute encoding =
      nereid_ttg_nvmma_shared_attr_create(context, swizzle, /*transposed=*/false, nereid_descriptor_element_bits(block),
                                          /*fp4_padded=*/false, (MlirAttribute){NULL}, (unsigned)rank);
  return nereid_tt_tensordesc_type_create(
      context, mlirRankedTensorTypeGet(rank, shape, mlirShapedTypeGetElementType(block), encoding));
}

/* Sets the types of the function's parameters to those of its arguments. */
static bool update_signature(const nereid_pass_t *pass, MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(nereid_ir_attribute(function, NEREID_ATTR_FUNCTION_TYPE));
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  const intptr_t n = mlirFunctionTypeGetNumInputs(type), n_results = mlirFunctionTypeGetNumResults(type);
  MlirType *types = nereid_arena_new(pass->scratch, MlirType, (size_t)(n + n_results));
  for (intptr_t i = 0; types && i < n + n_results; ++i)
    types[i] = i < n ? mlirValueGetType(mlirBlockGetArgument(entry, i)) : mlirFunctionTypeGetResult(type, i - n);
  if (types)
    nereid_ir_set_attribute(function, NEREID_ATTR_FUNCTION_TYPE,
                            mlirTypeAttrGet(mlirFunctionTypeGet(pass->context, n, types, n_results, types + n)));
  return types != NULL;
}

static bool encode(const nereid_pass_t *pass, MlirOperation op, MlirValue descriptor) {
  if (is_free(descriptor))
    mlirValueSetType(descriptor, with_swizzle(nereid_descriptor_block(descriptor), choose_swizzle(pass, descriptor)));
  return nereid_descriptor_describe(pass, op, descriptor);
}

static bool encode_arguments(const nereid_pass_t *pass, MlirOperation function) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (mlirBlockIsNull(entry) || !nereidMlirFunctionIsPublic(function))
    return true;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    if (nereid_tt_tensordesc_type_isa(mlirValueGetType(mlirBlockGetArgument(entry, i))) &&
        !encode(pass, function, mlirBlockGetArgument(entry, i)))
      return false;
  return update_signature(pass, function);
}

static bool is_source(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_FUNC:
  case NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR:
  case NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR:
    return true;
  default:
    return false;
  }
}

MlirLogicalResult nereid_pass_triton_nvidia_optimize_descriptor_encoding(nereid_pass_t *pass) {
  nereid_operations_t ops = {0}, accesses = {0};
  bool good = nereid_collect(pass->op, is_source, pass->scratch, &ops) &&
              nereid_collect(pass->op, is_access, pass->scratch, &accesses);
  if (good)
    nereid_tma_stores_skip_conversions(&accesses);
  for (size_t i = 0; good && i < ops.size; ++i)
    good = nereid_op_kind(ops.data[i]) == NEREID_OP_TT_FUNC ? encode_arguments(pass, ops.data[i])
                                                            : encode(pass, ops.data[i], nereid_ir_result(ops.data[i]));
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
