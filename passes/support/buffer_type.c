/* Types of buffers; see buffer_type.h. */
#include "passes/support/buffer_type.h"

#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* The fastest dimension first. */
static MlirAttribute order_of(MlirContext context, MlirType tensor) {
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(tensor);
  int32_t order[NEREID_TTG_MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  if (nereid_ttg_blocked_attr_isa(encoding))
    return nereid_ttg_blocked_attr_get_order(encoding);
  for (intptr_t d = 0; d < rank; ++d)
    order[d] = (int32_t)(rank - 1 - d);
  return mlirDenseI32ArrayGet(context, rank, order);
}

MlirType nereid_buffer_type(MlirType tensor, int64_t stages, bool mutable_memory) {
  MlirContext context = mlirTypeGetContext(tensor);
  int64_t shape[NEREID_TTG_MAX_RANK + 1] = {stages};
  const intptr_t rank = mlirShapedTypeGetRank(tensor), extra = stages > 0;
  for (intptr_t d = 0; d < rank; ++d)
    shape[d + extra] = mlirShapedTypeGetDimSize(tensor, d);
  MlirAttribute dims = mlirDenseI64ArrayGet(context, rank + extra, shape);
  MlirAttribute encoding = nereid_ttg_swizzled_shared_attr_create(context, 1, 1, 1, order_of(context, tensor),
                                                                  nereid_ttg_cga_of_tensor(tensor));
  return nereid_ttg_memdesc_type_create(context, dims, mlirShapedTypeGetElementType(tensor), encoding,
                                        nereid_ttg_shared_memory_attr_create(context), mutable_memory, dims);
}
