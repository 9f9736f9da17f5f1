/* triton-rewrite-tensor-pointer: replaces block pointers by their parts, and accesses through them by accesses through
 * tensors of pointers.
 *
 *   %p = tt.make_tensor_ptr %base, [%m, %n], [%s, %t], [%i, %j] : <tensor<64x32xf16>>
 *   %x = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32}
 *   ->
 *   %x = tt.load %pointers, %mask, %zeros : tensor<64x32x!tt.ptr<f16>>
 *
 * A block pointer consists of its base, its shape and strides (i64) and its offsets (i32), which loops carry;
 * canonicalization removes the carried parts that do not change. Requires tensors without encodings. */
#include "passes/support/block_access.h"
#include "passes/support/expand.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* The block type that `type` points to; null when it is not a block pointer. */
static MlirType block_of(MlirType type) {
  MlirType pointee = nereid_tt_ptr_type_isa(type) ? nereid_tt_ptr_type_get_pointee_type(type) : (MlirType){NULL};
  return !mlirTypeIsNull(pointee) && mlirTypeIsARankedTensor(pointee) ? pointee : (MlirType){NULL};
}

static intptr_t parts(MlirType type, MlirType *out) {
  MlirType block = block_of(type);
  if (mlirTypeIsNull(block) || !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(block)) ||
      mlirShapedTypeGetRank(block) > NEREID_BLOCK_RANK)
    return 0;
  MlirContext context = mlirTypeGetContext(type);
  const intptr_t rank = mlirShapedTypeGetRank(block);
  out[0] = nereid_tt_ptr_type_create(context, mlirShapedTypeGetElementType(block),
                                     nereid_tt_ptr_type_get_address_space(type));
  for (intptr_t i = 0; i < 3 * rank; ++i)
    out[1 + i] = mlirIntegerTypeGet(context, i < 2 * rank ? 64 : 32);
  return 1 + 3 * rank;
}

static bool make(nereid_expand_t *expand, MlirOperation op) {
  MlirValue made[NEREID_EXPAND_PARTS];
  const intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; ++i)
    made[i] = mlirOperationGetOperand(op, i);
  nereid_expand_set(expand, mlirOperationGetResult(op, 0), n, made);
  return true;
}

static bool advance(nereid_expand_t *expand, MlirOperation op) {
  const MlirValue *from = nereid_expand_get(expand, nereid_tt_advance_get_ptr(op));
  const intptr_t rank = nereid_tt_advance_get_offsets_count(op);
  MlirValue made[NEREID_EXPAND_PARTS];
  nereid_builder_t builder = nereid_builder_before(op);
  if (!from)
    return false;
  for (intptr_t i = 0; i < 1 + 2 * rank; ++i)
    made[i] = from[i];
  for (intptr_t d = 0; d < rank; ++d)
    made[1 + 2 * rank + d] = nereid_arith_addi_get_result(
        nereid_arith_addi_build(&builder, from[1 + 2 * rank + d], nereid_tt_advance_get_offsets(op, d),
                                NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
  nereid_expand_set(expand, nereid_tt_advance_get_result(op), 1 + 3 * rank, made);
  return true;
}

/* Begins the rewrite of an access; false when the pointer has no parts because its defining op cannot be rewritten. */
static bool begin(const nereid_expand_t *expand, MlirOperation op, MlirValue pointer, MlirAttribute checks,
                  nereid_block_access_t *out) {
  const MlirValue *from = nereid_expand_get(expand, pointer);
  *out = (nereid_block_access_t){.builder = nereid_builder_before(op), .type = block_of(mlirValueGetType(pointer))};
  out->rank = (int)mlirShapedTypeGetRank(out->type);
  if (!from) {
    mlirEmitError(mlirOperationGetLocation(op), "this block pointer has a defining op that cannot be rewritten");
    return false;
  }
  out->base = from[0];
  for (int d = 0; d < out->rank; ++d) {
    out->shape[d] = from[1 + d];
    out->strides[d] = from[1 + out->rank + d];
    out->offsets[d] = from[1 + 2 * out->rank + d];
  }
  for (intptr_t i = 0; !mlirAttributeIsNull(checks) && i < mlirDenseArrayGetNumElements(checks); ++i)
    out->checked |= UINT32_C(1) << mlirDenseI32ArrayGetElement(checks, i);
  return true;
}

static bool load(nereid_expand_t *expand, MlirOperation op) {
  nereid_block_access_t access;
  MlirValue none = {NULL};
  if (!begin(expand, op, nereid_tt_load_get_ptr(op), nereid_tt_load_get_boundary_check_attr(op), &access))
    return false;
  MlirValue pointers = nereid_block_pointers(&access), mask = nereid_block_mask(&access);
  MlirAttribute padding = nereid_tt_load_get_padding_attr(op);
  const bool nan = !mlirAttributeIsNull(padding) && nereid_tt_load_get_padding(op) == NEREID_TT_PADDING_OPTION_PAD_NAN;
  MlirValue other = mlirValueIsNull(mask) ? none : nereid_block_padding(&access, nan);
  MlirOperation made = nereid_tt_load_build(&access.builder, pointers, mask, other, 0, NULL, (MlirAttribute){NULL},
                                            nereid_tt_load_get_cache(op), nereid_tt_load_get_evict(op),
                                            nereid_tt_load_get_is_volatile(op));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetResult(made, 0));
  return true;
}

static bool store(nereid_expand_t *expand, MlirOperation op) {
  nereid_block_access_t access;
  if (!begin(expand, op, nereid_tt_store_get_ptr(op), nereid_tt_store_get_boundary_check_attr(op), &access))
    return false;
  MlirValue pointers = nereid_block_pointers(&access), mask = nereid_block_mask(&access);
  nereid_tt_store_build(&access.builder, pointers, nereid_tt_store_get_value(op), mask, 0, NULL,
                        nereid_tt_store_get_cache(op), nereid_tt_store_get_evict(op));
  return true;
}

static bool rewrite(nereid_expand_t *expand, MlirOperation op, bool *done) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  MlirType types[NEREID_EXPAND_PARTS];
  const bool access = kind == NEREID_OP_TT_LOAD || kind == NEREID_OP_TT_STORE;
  *done = kind == NEREID_OP_TT_MAKE_TENSOR_PTR || kind == NEREID_OP_TT_ADVANCE ||
          (access && parts(mlirValueGetType(mlirOperationGetOperand(op, 0)), types));
  if (*done && !access && !parts(mlirValueGetType(mlirOperationGetResult(op, 0)), types))
    *done = false;
  if (!*done)
    return true;
  switch (kind) {
  case NEREID_OP_TT_MAKE_TENSOR_PTR:
    return make(expand, op);
  case NEREID_OP_TT_ADVANCE:
    return advance(expand, op);
  case NEREID_OP_TT_LOAD:
    return load(expand, op);
  default:
    return store(expand, op);
  }
}

MlirLogicalResult nereid_pass_triton_rewrite_tensor_pointer(nereid_pass_t *pass) {
  static const nereid_expand_rules_t rules = {.what = "a block pointer", .parts = parts, .rewrite = rewrite};
  return nereid_expand_run(pass, &rules);
}
