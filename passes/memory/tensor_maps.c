/* Tensor maps in global scratch.
 *
 *   %d = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %c1] : <f16>, <tensor<128x64xf16, #shared>>
 *   ->
 *   %map = ttg.global_scratch_alloc {nbytes = 128, alignment = 128}
 *   ttng.tensormap_create %map, %base, [64, 128], [%n, %m], [2 * %stride], [1, 1] {…}       innermost dimension first
 *   ttng.tensormap_fenceproxy_acquire %map
 *   %d = ttng.reinterpret_tensor_descriptor %map
 *
 * Each CTA has maps of its own. A loop creates its maps again in each iteration: copies that read the map of the
 * previous one must be complete. Loads are, as they are in loops inside of that iteration
 * (triton-rewrite-tensor-descriptor-to-pointer), which wait for all of them. Stores are awaited here. */
#include "passes/memory/tensor_maps.h"

#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/support/collect.h"
#include "passes/support/descriptor.h"
#include "passes/support/scalar.h"
#include "seam/ir.h"

enum { MAP_BYTES = 128, MAX_BOX = 256, BYTE = 8, MAX_RANK = NEREID_DESCRIPTOR_RANK };

/* Values of the fields of a map (PTX ISA, "tensormap.replace"). */
typedef enum element_type { U8, U16, U32, U64 = 4, F16 = 6, F32 = 7, F64 = 9, BF16 = 10 } element_type_t;

static element_type_t element_type(MlirType element, unsigned bits) {
  if (mlirTypeIsABF16(element))
    return BF16;
  if (mlirTypeIsAFloat(element) && bits > BYTE)
    return bits == 16 ? F16 : bits == 32 ? F32 : F64;
  return bits == BYTE ? U8 : bits == 16 ? U16 : bits == 32 ? U32 : U64;
}

static int32_t swizzle_mode(unsigned bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

/* The extent of dimension `d` of the boxes of a block, of which the last one has rows of the swizzle's width. */
static int64_t box_extent(MlirType block, intptr_t d, unsigned swizzle) {
  int64_t box[MAX_RANK] = {0};
  nereid_descriptor_box(block, box);
  const int64_t extent = box[d];
  if (swizzle && d + 1 == mlirShapedTypeGetRank(block))
    return (int64_t)BYTE * swizzle / nereid_descriptor_element_bits(block);
  return extent < MAX_BOX ? extent : MAX_BOX;
}

static void create(const nereid_pass_t *pass, MlirOperation op, MlirValue map) {
  const nereid_builder_t builder = nereid_builder_before(op);
  MlirType i32 = mlirIntegerTypeGet(pass->context, 32), i64 = mlirIntegerTypeGet(pass->context, 64);
  MlirValue result = nereid_ir_result(op), box[MAX_RANK], shape[MAX_RANK], strides[MAX_RANK], steps[MAX_RANK];
  MlirType block = nereid_descriptor_block(result), element = mlirShapedTypeGetElementType(block);
  const intptr_t rank = mlirShapedTypeGetRank(block);
  const unsigned bits = nereid_descriptor_element_bits(block), swizzle = nereid_descriptor_swizzle_of(result);
  MlirValue bytes = nereid_scalar_constant(&builder, i64, bits / BYTE);
  for (intptr_t i = 0; i < rank; ++i) {
    const intptr_t d = rank - 1 - i;
    box[i] = nereid_scalar_constant(&builder, i32, box_extent(block, d, swizzle));
    shape[i] = nereid_tt_make_tensor_descriptor_get_shape(op, d);
    steps[i] = nereid_scalar_constant(&builder, i32, 1);
    if (i > 0)
      strides[i - 1] = nereid_scalar_multiply(&builder, nereid_tt_make_tensor_descriptor_get_strides(op, d), bytes);
  }
  const bool nan =
      mlirTypeIsAFloat(element) && nereid_tt_make_tensor_descriptor_get_padding(op) == NEREID_TT_PADDING_OPTION_PAD_NAN;
  nereid_ttng_tensormap_create_build(&builder, map, nereid_tt_make_tensor_descriptor_get_base(op), rank, box, rank,
                                     shape, rank - 1, strides, rank, steps, (int32_t)element_type(element, bits), 0,
                                     swizzle_mode(swizzle), nan);
  nereid_ttng_tensormap_fenceproxy_acquire_build(&builder, map);
}

static bool is_store(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return kind == NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL || kind == NEREID_OP_TTNG_ASYNC_TMA_REDUCE;
}

static bool is_stored_to(MlirValue descriptor) {
  for (MlirOpOperand use = mlirValueGetFirstUse(descriptor); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (is_store(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

static void lower(const nereid_pass_t *pass, MlirOperation op) {
  const nereid_builder_t builder = nereid_builder_before(op);
  MlirValue result = nereid_ir_result(op);
  if (nereid_descriptor_is_made_in_loop(result) && is_stored_to(result))
    nereid_ttng_async_tma_store_wait_build(&builder, 0, /*writes=*/false, /*read_only=*/true);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(result))) {
    MlirType pointer = nereid_tt_ptr_type_create(pass->context, mlirIntegerTypeGet(pass->context, BYTE), 1);
    MlirValue map = nereid_ir_result(nereid_ttg_global_scratch_alloc_build(&builder, pointer, MAP_BYTES, MAP_BYTES));
    create(pass, op, map);
    mlirValueReplaceAllUsesOfWith(result, nereid_ir_result(nereid_ttng_reinterpret_tensor_descriptor_build(
                                              &builder, mlirValueGetType(result), map)));
  }
  nereidMlirOperationErase(op);
}

bool nereid_tensor_maps_lower(const nereid_pass_t *pass) {
  nereid_operations_t ops = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR, pass->scratch, &ops))
    return false;
  for (size_t i = 0; i < ops.size; ++i)
    lower(pass, ops.data[i]);
  return true;
}
