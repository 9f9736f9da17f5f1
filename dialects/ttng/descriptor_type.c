/* Types of tensor descriptors; see descriptor_type.h. */
#include "dialects/ttng/descriptor_type.h"

#include "dialects/diagnose.h"

#include "bindings/ttng_hooks.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttng.h"
#include "seam/context.h"

#include <mlir-c/BuiltinTypes.h>

enum { OFFSET_BITS = 16 };

bool nereid_ttng_is_descriptor_type(MlirType type) {
  return nereid_tt_tensordesc_type_isa(type) || nereid_ttng_tensordesc_im2col_type_isa(type);
}

MlirType nereid_ttng_descriptor_block(MlirType type) {
  if (nereid_tt_tensordesc_type_isa(type))
    return nereid_tt_tensordesc_type_get_block_type(type);
  return nereid_ttng_tensordesc_im2col_type_isa(type) ? nereid_ttng_tensordesc_im2col_type_get_block_type(type)
                                                      : (MlirType){NULL};
}

intptr_t nereid_ttng_copy_rank(MlirOperation op) {
  const intptr_t n = nereid_ttng_async_tma_copy_global_to_local_get_coord_count(op);
  intptr_t rank = 0;
  while (rank < n && mlirIntegerTypeGetWidth(mlirValueGetType(
                         nereid_ttng_async_tma_copy_global_to_local_get_coord(op, rank))) != OFFSET_BITS)
    ++rank;
  return rank;
}

MlirLogicalResult nereid_ttng_tensordesc_im2col_type_verify(nereid_error_sink_t sink, MlirType block_type) {
  if (mlirTypeIsARankedTensor(block_type) && mlirShapedTypeGetRank(block_type) == 2)
    return mlirLogicalResultSuccess();
  return nereid_diagnose_to(sink,
                            "!ttng.tensordesc_im2col expects a block of two dimensions, pixels and channels, got %s",
                            nereid_text_of_type(block_type).chars);
}
