/* Verifies attributes of the nereid dialect, independent of their location.
 *
 *   #nereid.grid<affine_map<(d0, d1) -> (d0)>, args = [3]>
 *     -> error: grid expects one argument position for each of the map's 2 inputs, got 1
 *
 * Limits are those of the CUDA Driver API (cuTensorMapEncodeTiled, cuLaunchKernelEx) and of the PTX ISA. */
#include "dialects/diagnose.h"

#include "bindings/nereid_hooks.h"
#include "nereid/dialects/nereid.h"

#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  grid_dims = 3,
  resident_limit = 1024,
  warps_limit = 32, /* 1,024 threads per CTA */
  stages_limit = 64,
  ctas_limit = 16,
  registers_limit = 256,
  tensor_dims = 5,
};

MlirLogicalResult nereid_nereid_grid_attr_verify(nereid_error_sink_t sink, MlirAttribute map_attr, MlirAttribute args,
                                                 int per_sm) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(map_attr);
  intptr_t dims = mlirAffineMapGetNumResults(map), inputs = mlirAffineMapGetNumInputs(map);
  if (dims < 1 || dims > grid_dims)
    return nereid_diagnose_to(sink, "grid expects a map with 1 to %d results, got %d", (int)grid_dims, (int)dims);
  intptr_t count = mlirDenseArrayGetNumElements(args);
  if (count != inputs)
    return nereid_diagnose_to(sink, "grid expects one argument position for each of the map's %d inputs, got %d",
                              (int)inputs, (int)count);
  for (intptr_t i = 0; i < count; ++i)
    if (mlirDenseI32ArrayGetElement(args, i) < 0)
      return nereid_diagnose_to(sink, "grid expects argument positions of at least 0, got %d",
                                mlirDenseI32ArrayGetElement(args, i));
  if (per_sm < 0 || per_sm > resident_limit)
    return nereid_diagnose_to(sink, "grid expects per_sm from 0 to %d, got %d", (int)resident_limit, per_sm);
  return mlirLogicalResultSuccess();
}

/* 0 means not specified and is always valid. */
static MlirLogicalResult verify_option(nereid_error_sink_t sink, const char *name, int value, int least, int most) {
  if (value == 0 || (least <= value && value <= most))
    return mlirLogicalResultSuccess();
  return nereid_diagnose_to(sink, "launch_options expects %s from %d to %d, got %d", name, least, most, value);
}

static MlirLogicalResult verify_power(nereid_error_sink_t sink, const char *name, int value, int most) {
  if (value >= 0 && value <= most && (value & (value - 1)) == 0)
    return mlirLogicalResultSuccess();
  return nereid_diagnose_to(sink, "launch_options expects %s to be a power of two from 1 to %d, got %d", name, most,
                            value);
}

MlirLogicalResult nereid_nereid_launch_options_attr_verify(nereid_error_sink_t sink, int num_warps, int num_stages,
                                                           int num_ctas, int maxnreg, int ptx_version, bool cooperative,
                                                           bool pdl, bool fp_fusion) {
  (void)cooperative, (void)pdl, (void)fp_fusion;
  if (mlirLogicalResultIsFailure(verify_power(sink, "num_warps", num_warps, warps_limit)) ||
      mlirLogicalResultIsFailure(verify_power(sink, "num_ctas", num_ctas, ctas_limit)) ||
      mlirLogicalResultIsFailure(verify_option(sink, "num_stages", num_stages, 1, stages_limit)) ||
      mlirLogicalResultIsFailure(verify_option(sink, "maxnreg", maxnreg, 1, registers_limit)))
    return mlirLogicalResultFailure();
  return verify_option(sink, "ptx_version", ptx_version, 70, 99);
}

MlirLogicalResult nereid_nereid_role_attr_verify(nereid_error_sink_t sink, nereid_nereid_role_kind_t kind, int group,
                                                 int dim) {
  bool scratch = kind == NEREID_NEREID_ROLE_KIND_GLOBAL_SCRATCH || kind == NEREID_NEREID_ROLE_KIND_PROFILE_SCRATCH;
  bool dimensional = kind == NEREID_NEREID_ROLE_KIND_SHAPE || kind == NEREID_NEREID_ROLE_KIND_STRIDE;
  if (scratch && group != -1)
    return nereid_diagnose_to(sink, "role of a scratch pointer expects no descriptor group, got %d", group);
  if (!scratch && group < 0)
    return nereid_diagnose_to(sink, "role in a descriptor expects its group, an integer of at least 0");
  if (dimensional && (dim < 0 || dim >= tensor_dims))
    return nereid_diagnose_to(sink, "role shape or stride expects dim from 0 to %d, got %d", tensor_dims - 1, dim);
  if (!dimensional && dim != -1)
    return nereid_diagnose_to(sink, "role expects dim for a shape or stride only, got %d", dim);
  return mlirLogicalResultSuccess();
}

/* Element types of a tensor map: 8 to 64 bits. */
static bool is_tensor_map_element(MlirType type) {
  unsigned width = mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type)
                   : mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type)
                                            : 0;
  return width == 8 || width == 16 || width == 32 || width == 64;
}

MlirLogicalResult nereid_nereid_descriptor_attr_verify(nereid_error_sink_t sink, MlirType element, MlirAttribute block,
                                                       int swizzle, bool fp4_padded, bool nan_padding) {
  (void)fp4_padded;
  intptr_t rank = mlirDenseArrayGetNumElements(block);
  if (!is_tensor_map_element(element))
    return nereid_diagnose_to(sink, "descriptor expects an integer or float element of 8, 16, 32 or 64 bits");
  if (rank < 1 || rank > tensor_dims)
    return nereid_diagnose_to(sink, "descriptor expects a block of 1 to %d dimensions, got %d", (int)tensor_dims,
                              (int)rank);
  for (intptr_t i = 0; i < rank; ++i)
    if (mlirDenseI32ArrayGetElement(block, i) < 1)
      return nereid_diagnose_to(sink, "descriptor expects block dimensions of at least 1, got %d",
                                mlirDenseI32ArrayGetElement(block, i));
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return nereid_diagnose_to(sink, "descriptor expects a swizzle of 0, 32, 64 or 128 bytes, got %d", swizzle);
  if (nan_padding && !mlirTypeIsAFloat(element))
    return nereid_diagnose_to(sink, "descriptor expects a float element when out-of-bounds elements read as NaN");
  return mlirLogicalResultSuccess();
}
