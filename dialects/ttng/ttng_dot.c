/* Verifiers, type inference and effects of warp-group dots.
 *
 *   %d = ttng.warp_group_dot %a, %b, %c : <64x16xf16, #nvmma> * <16x32xf16, #nvmma> -> tensor<64x32xf32, #mma>
 *          a: shared memory, or registers as operand 0 of #mma      b: shared memory      c, d: #mma, version 3
 *
 * The limits are those of wgmma: PTX ISA, "Asynchronous wgmma.mma_async" (shapes, types) and "Register Fragments". An
 * operand in registers must have the instruction's layout: 32 bits of adjacent K elements per register. */
#include "dialects/diagnose.h"
#include "dialects/ir.h"

#include "bindings/ttng_hooks.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "seam/effects.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { group_warps = 4, tile_m = 64, tile_n = 8, register_bits = 32, fp8_least_imprecise = 32 };

static MlirAttribute encoding_of(MlirType type) {
  return nereid_ttg_memdesc_type_isa(type) ? nereid_ttg_memdesc_type_get_encoding(type)
                                           : mlirRankedTensorTypeGetEncoding(type);
}

static bool is_fp8(MlirType type) {
  return mlirTypeIsAFloat8E5M2(type) || mlirTypeIsAFloat8E4M3FN(type);
}

static bool is_shared_operand(MlirAttribute encoding) {
  return nereid_ttg_nvmma_shared_attr_isa(encoding) || nereid_ttg_shared_linear_attr_isa(encoding);
}

static MlirLogicalResult verify_encodings(MlirOperation op, MlirType a, MlirType b, MlirType d) {
  MlirAttribute result = encoding_of(d), left = encoding_of(a), right = encoding_of(b);
  bool hopper = nereid_ttg_nvidia_mma_attr_isa(result) && nereid_ttg_nvidia_mma_attr_get_version_major(result) == 3;
  if (!hopper)
    return nereid_diagnose(op, "expects a result with a #ttg.nvidia_mma encoding of version 3, got %s",
                           nereid_text_of_type(d).chars);
  if (!is_shared_operand(right))
    return nereid_diagnose(op, "expects b with a #ttg.nvmma_shared or #ttg.shared_linear encoding, got %s",
                           nereid_text_of_type(b).chars);
  if (nereid_ttg_memdesc_type_isa(a) && !is_shared_operand(left))
    return nereid_diagnose(op,
                           "expects a in shared memory with a #ttg.nvmma_shared or #ttg.shared_linear encoding, "
                           "got %s",
                           nereid_text_of_type(a).chars);
  if (nereid_ttg_memdesc_type_isa(a))
    return mlirLogicalResultSuccess();
  if (nereid_ttg_dot_op_attr_isa(left) && nereid_ttg_dot_op_attr_get_op_idx(left) == 0 &&
      nereid_ttg_nvidia_mma_attr_isa(nereid_ttg_dot_op_attr_get_parent(left)))
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects a in registers as operand 0 of a #ttg.nvidia_mma encoding, got %s",
                         nereid_text_of_type(a).chars);
}

/* Returns the number of CTAs over which `encoding` splits dimension `dim`: 2 to the number of basis vectors that move
 * along it. */
static int64_t cta_split(MlirAttribute encoding, intptr_t dim) {
  MlirAttribute bases = nereid_ttg_nvidia_mma_attr_get_cga_layout(encoding);
  int64_t split = 1;
  for (intptr_t i = 0; !mlirAttributeIsNull(bases) && i < mlirArrayAttrGetNumElements(bases); ++i)
    if (mlirDenseI32ArrayGetElement(mlirArrayAttrGetElement(bases, i), dim) != 0)
      split *= 2;
  return split;
}

static MlirLogicalResult verify_shapes(MlirOperation op, MlirType a, MlirType b, MlirType d) {
  const intptr_t rank = mlirShapedTypeGetRank(d), row = rank - 2, column = rank - 1;
  if ((rank != 2 && rank != 3) || mlirShapedTypeGetRank(a) != rank || mlirShapedTypeGetRank(b) != rank)
    return nereid_diagnose(op, "expects operands and result of two dimensions, or all of three, got %s * %s -> %s",
                           nereid_text_of_type(a).chars, nereid_text_of_type(b).chars, nereid_text_of_type(d).chars);
  int64_t m = mlirShapedTypeGetDimSize(d, row), n = mlirShapedTypeGetDimSize(d, column);
  const bool same_batch = rank == 2 || (mlirShapedTypeGetDimSize(a, 0) == mlirShapedTypeGetDimSize(d, 0) &&
                                        mlirShapedTypeGetDimSize(b, 0) == mlirShapedTypeGetDimSize(d, 0));
  if (!same_batch || mlirShapedTypeGetDimSize(a, column) != mlirShapedTypeGetDimSize(b, row) ||
      mlirShapedTypeGetDimSize(a, row) != m || mlirShapedTypeGetDimSize(b, column) != n)
    return nereid_diagnose(op, "expects shapes MxK * KxN -> MxN, got %s * %s -> %s", nereid_text_of_type(a).chars,
                           nereid_text_of_type(b).chars, nereid_text_of_type(d).chars);
  MlirAttribute encoding = encoding_of(d);
  int64_t cta_m = m / cta_split(encoding, row), cta_n = n / cta_split(encoding, column);
  if (cta_m > 0 && cta_m % tile_m == 0 && cta_n > 0 && cta_n % tile_n == 0)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects M a multiple of %d and N a multiple of %d in each CTA, got M = %d, N = %d",
                         (int)tile_m, (int)tile_n, (int)cta_m, (int)cta_n);
}

/* Returns whether wgmma supports `a` elements with an accumulator of `d` elements. Both operands have one type, or are
 * 8-bit floats. */
static bool types_multiply(MlirType a, MlirType b, MlirType d) {
  bool accumulates_f32 = mlirTypeIsAF32(d), accumulates_f16 = mlirTypeIsAF16(d);
  if (is_fp8(a) && is_fp8(b))
    return accumulates_f32 || accumulates_f16;
  if (!mlirTypeEqual(a, b))
    return false;
  if (mlirTypeIsAF16(a))
    return accumulates_f32 || accumulates_f16;
  if (mlirTypeIsABF16(a) || mlirTypeIsAF32(a))
    return accumulates_f32;
  return mlirTypeIsAInteger(a) && mlirIntegerTypeGetWidth(a) == 8 && mlirTypeIsAInteger(d) &&
         mlirIntegerTypeGetWidth(d) == 32;
}

static MlirLogicalResult verify_elements(MlirOperation op, MlirType a, MlirType b, MlirType d) {
  MlirType left = mlirShapedTypeGetElementType(a), right = mlirShapedTypeGetElementType(b);
  MlirType sum = mlirShapedTypeGetElementType(d);
  if (!types_multiply(left, right, sum))
    return nereid_diagnose(op,
                           "expects element types that wgmma multiplies (f16 to f16 or f32, bf16 or f32 to f32, f8E5M2 "
                           "or f8E4M3FN to f16 or f32, i8 to i32), got %s * %s -> %s",
                           nereid_text_of_type(left).chars, nereid_text_of_type(right).chars,
                           nereid_text_of_type(sum).chars);
  int32_t imprecise = nereid_ttng_warp_group_dot_get_max_num_imprecise_acc(op);
  if (is_fp8(left) && mlirTypeIsAF32(sum) && imprecise < fp8_least_imprecise)
    return nereid_diagnose(
        op,
        "expects maxNumImpreciseAcc of at least %d for 8-bit floats summed in f32, the K of one instruction, got %d",
        (int)fp8_least_imprecise, imprecise);
  if (nereid_ttg_memdesc_type_isa(a))
    return mlirLogicalResultSuccess();
  int width = mlirTypeIsAInteger(left) ? (int)mlirIntegerTypeGetWidth(left) : (int)mlirFloatTypeGetWidth(left);
  int k_width = (int)nereid_ttg_dot_op_attr_get_k_width(encoding_of(a));
  if (k_width == register_bits / width)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects a in registers with kWidth = %d, 32 bits of %s, got kWidth = %d",
                         register_bits / width, nereid_text_of_type(left).chars, k_width);
}

/* Returns the number of warps that execute `op`: those of its partition, else of its module or function; 0 when none of
 * them specifies it. */
static int warps_around(MlirOperation op) {
  for (MlirOperation at = op, up; !mlirOperationIsNull(at); at = up) {
    up = mlirOperationGetParentOperation(at);
    MlirAttribute said = nereid_ir_attribute(at, "ttg.num-warps");
    if (!mlirAttributeIsNull(said) && mlirAttributeIsAInteger(said))
      return (int)mlirIntegerAttrGetValueInt(said);
    if (mlirOperationIsNull(up) || nereid_op_kind(up) != NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS)
      continue;
    MlirAttribute warps = nereid_ttg_warp_specialize_get_partition_num_warps_attr(mlirOperationGetParentOperation(up));
    MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(at));
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(up) && i < mlirDenseArrayGetNumElements(warps); ++i)
      if (mlirRegionEqual(mlirOperationGetRegion(up, i), region))
        return mlirDenseI32ArrayGetElement(warps, i);
  }
  return 0;
}

MlirLogicalResult nereid_ttng_warp_group_dot_verify(MlirOperation op) {
  MlirType a = mlirValueGetType(nereid_ttng_warp_group_dot_get_a(op));
  MlirType b = mlirValueGetType(nereid_ttng_warp_group_dot_get_b(op));
  MlirType d = mlirValueGetType(nereid_ttng_warp_group_dot_get_d(op));
  if (mlirLogicalResultIsFailure(verify_encodings(op, a, b, d)) ||
      mlirLogicalResultIsFailure(verify_shapes(op, a, b, d)) ||
      mlirLogicalResultIsFailure(verify_elements(op, a, b, d)))
    return mlirLogicalResultFailure();
  int warps = warps_around(op);
  if (warps > 0 && warps % group_warps == 0)
    return mlirLogicalResultSuccess();
  if (warps == 0)
    return nereid_diagnose(op, "expects a module with a number of warps (ttg.num-warps)");
  return nereid_diagnose(op, "is executed by groups of %d warps and expects a multiple of that, got %d warps",
                         (int)group_warps, warps);
}

/* The result has the type of the accumulator, operand 2. */
MlirLogicalResult nereid_ttng_warp_group_dot_infer_types(MlirContext context, MlirLocation location,
                                                         intptr_t n_operands, MlirValue *operands,
                                                         MlirAttribute attributes, intptr_t n_regions,
                                                         MlirRegion *regions, MlirTypesCallback callback,
                                                         void *user_data) {
  (void)context, (void)attributes, (void)n_regions, (void)regions;
  if (n_operands < 3) {
    if (!mlirLocationIsNull(location))
      nereid_diagnose_at(location, "ttng.warp_group_dot expects three operands, got %d", (int)n_operands);
    return mlirLogicalResultFailure();
  }
  MlirType type = mlirValueGetType(operands[2]);
  callback(1, &type, user_data);
  return mlirLogicalResultSuccess();
}

/* Reads the operands in shared memory. An asynchronous dot also issues a group, which waits count: it is neither
 * removed nor merged with an equal one. */
void nereid_ttng_warp_group_dot_effects(MlirOperation op, nereid_effects_t effects) {
  if (nereid_ttng_warp_group_dot_get_is_async(op))
    nereidMlirEffectsAdd(effects, NereidMlirEffectWrite, NereidMlirResourceShared);
  for (intptr_t i = 0; i < 2; ++i)
    if (nereid_ttg_memdesc_type_isa(mlirValueGetType(mlirOperationGetOperand(op, i))))
      nereidMlirEffectsAddOperand(effects, NereidMlirEffectRead, op, i, NereidMlirResourceShared);
}

MlirLogicalResult nereid_ttng_warp_group_dot_wait_verify(MlirOperation op) {
  if (nereid_ttng_warp_group_dot_wait_get_inputs_count(op) == 0)
    return nereid_diagnose(op, "expects at least one result of a dot that it waits for");
  int32_t pendings = nereid_ttng_warp_group_dot_wait_get_pendings(op);
  if (pendings >= 0)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects a number of pending dots, at least 0, got %d", pendings);
}

/* The results are the inputs. */
MlirLogicalResult nereid_ttng_warp_group_dot_wait_infer_types(MlirContext context, MlirLocation location,
                                                              intptr_t n_operands, MlirValue *operands,
                                                              MlirAttribute attributes, intptr_t n_regions,
                                                              MlirRegion *regions, MlirTypesCallback callback,
                                                              void *user_data) {
  (void)context, (void)location, (void)attributes, (void)n_regions, (void)regions;
  for (intptr_t i = 0; i < n_operands; ++i) {
    MlirType type = mlirValueGetType(operands[i]);
    callback(1, &type, user_data);
  }
  return mlirLogicalResultSuccess();
}
