/* Tensor types with encodings; see tensor_types.h. */
#include "dialects/ttg/tensor_types.h"

#include "dialects/tt/tensor.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "layout/encoding.h"

#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <string.h>

MlirAttribute nereid_ttg_encoding_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) ? mlirRankedTensorTypeGetEncoding(type) : mlirAttributeGetNull();
}

bool nereid_ttg_is_laid_out(MlirValue value) {
  return !mlirAttributeIsNull(nereid_ttg_encoding_of(value));
}

MlirType nereid_ttg_with_encoding(MlirType tensor, MlirAttribute encoding) {
  nereid_tt_tensor_t parts;
  nereid_tt_tensor_read(tensor, &parts);
  parts.encoding = encoding;
  return nereid_tt_tensor_type(&parts);
}

MlirType nereid_ttg_reshaped(MlirType tensor, intptr_t rank, const int64_t *shape) {
  nereid_tt_tensor_t parts;
  nereid_tt_tensor_read(tensor, &parts);
  MlirAttribute encoding;
  if (!nereid_ttg_infer_reshape_encoding(parts.rank, parts.shape, parts.encoding, rank, shape, (MlirLocation){NULL},
                                         &encoding))
    return (MlirType){NULL};
  return mlirRankedTensorTypeGet(rank, shape, parts.element, encoding);
}

int64_t nereid_ttg_num_elements(MlirType tensor) {
  int64_t n = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(tensor); ++d)
    n *= mlirShapedTypeGetDimSize(tensor, d);
  return n;
}

void nereid_ttg_part_of_tensor(MlirType tensor, int rank, int64_t *out_sizes) {
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(tensor);
  for (int d = 0; d < rank; ++d)
    out_sizes[d] = mlirShapedTypeGetDimSize(tensor, d);
  if (!mlirAttributeIsNull(encoding))
    nereid_ttg_shape_per_cta(encoding, rank, out_sizes, out_sizes);
}

/* Whether the vectors of the CTA layout count elements instead of parts. */
static bool counts_elements(MlirAttribute encoding) {
  while (nereid_ttg_slice_attr_isa(encoding) || nereid_ttg_dot_op_attr_isa(encoding))
    encoding = nereid_ttg_slice_attr_isa(encoding) ? nereid_ttg_slice_attr_get_parent(encoding)
                                                   : nereid_ttg_dot_op_attr_get_parent(encoding);
  return nereid_ttg_linear_attr_isa(encoding) || nereid_ttg_generic_linear_attr_isa(encoding);
}

/* Divides vectors that count elements by the size of a part, and returns whether they then number the blocks of the
 * tensor. */
static bool count_blocks(MlirType tensor, nereid_ttg_bases_t *bases) {
  int64_t part[NEREID_TTG_MAX_RANK];
  bool exact = true;
  nereid_ttg_part_of_tensor(tensor, bases->rank, part);
  for (int d = 0; d < bases->rank; ++d) {
    const int64_t blocks = mlirShapedTypeGetDimSize(tensor, d) / part[d];
    int64_t reached = 0;
    for (int i = 0; i < bases->count; ++i) {
      const int64_t step = bases->vectors[i][d], block = step / part[d];
      exact = exact && step % part[d] == 0 && (block & (block - 1)) == 0;
      reached |= block;
      bases->vectors[i][d] = (int32_t)block;
    }
    exact = exact && reached == blocks - 1;
  }
  return exact;
}

MlirAttribute nereid_ttg_cga_of_tensor(MlirType tensor) {
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(tensor);
  nereid_ttg_bases_t bases;
  if (mlirAttributeIsNull(encoding) || !nereid_ttg_is_distributed(encoding) || !nereid_ttg_cga_read(encoding, &bases))
    return (MlirAttribute){NULL};
  if (counts_elements(encoding) && !count_blocks(tensor, &bases))
    memset(bases.vectors, 0, sizeof bases.vectors);
  return nereid_ttg_cga_make(mlirTypeGetContext(tensor), &bases);
}

bool nereid_ttg_has_block_parts(MlirType tensor) {
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(tensor);
  nereid_ttg_bases_t bases;
  return mlirAttributeIsNull(encoding) || !nereid_ttg_is_distributed(encoding) || !counts_elements(encoding) ||
         !nereid_ttg_cga_read(encoding, &bases) || count_blocks(tensor, &bases);
}

/* By layouts: a CTA's part in #ttg.linear need not be a block of the tensor. */
bool nereid_ttg_has_same_parts(MlirType tensor, MlirAttribute encoding) {
  MlirAttribute own = mlirRankedTensorTypeGetEncoding(tensor);
  nereid_ttg_bases_t bases;
  nereid_layout_t a, b;
  if (mlirAttributeIsNull(own) || mlirAttributeIsNull(encoding))
    return mlirAttributeIsNull(own) == mlirAttributeIsNull(encoding);
  if (mlirAttributeEqual(own, encoding) || !nereid_ttg_cga_read(own, &bases) || !bases.count)
    return true;
  return nereid_layout_from_type(tensor, &a) == NEREID_OK &&
         nereid_layout_from_type(nereid_ttg_with_encoding(tensor, encoding), &b) == NEREID_OK &&
         nereid_layout_same_parts(&a, &b);
}

bool nereid_ttg_crosses_ctas(MlirOperation op) {
  return !nereid_ttg_has_same_parts(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                                    nereid_ttg_encoding_of(mlirOperationGetResult(op, 0)));
}
