/* Verifies buffers and views of them.
 *
 *   ttg.memdesc_subslice %b[0, 4] : !ttg.memdesc<8x16xf16, ...> -> !ttg.memdesc<8x8xf16, ..., 8x16>
 *     error: offset 4 in dimension 1 is not a multiple of the result's size 8
 *
 * A view must be addressable as one base plus offsets of its own encoding, so an offset must not be inside of a swizzle
 * pattern. */
#include "dialects/diagnose.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/memdesc.h"
#include "layout/encoding.h"

#include "bindings/ttg_hooks.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <string.h>

/* --- the type --- */

static MlirLogicalResult check_sizes(nereid_error_sink_t sink, MlirAttribute dims, MlirAttribute alloc) {
  intptr_t rank = mlirDenseArrayGetNumElements(dims), alloc_rank = mlirDenseArrayGetNumElements(alloc);
  if (rank < 1 || rank > NEREID_TTG_MAX_RANK)
    return nereid_diagnose_to(sink, "memdesc has rank %ld, expected 1 to %d", (long)rank, NEREID_TTG_MAX_RANK);
  if (alloc_rank < rank || alloc_rank > NEREID_TTG_MAX_RANK)
    return nereid_diagnose_to(sink, "memdesc of rank %ld is a view of a buffer of rank %ld, expected at least as many",
                              (long)rank, (long)alloc_rank);
  int64_t total = 1;
  for (intptr_t i = 0; i < alloc_rank; i++) {
    int64_t size = mlirDenseI64ArrayGetElement(alloc, i);
    if (size <= 0 || size > INT32_MAX / total)
      return nereid_diagnose_to(sink, "memdesc is of a buffer of 0 or more than 2^31 elements");
    total *= size;
  }
  for (intptr_t i = 0; i < rank; i++) {
    int64_t size = mlirDenseI64ArrayGetElement(dims, i);
    int64_t whole = mlirDenseI64ArrayGetElement(alloc, alloc_rank - rank + i);
    /* the first size may be a number of stages */
    if (size <= 0 || (i > 0 && (size & (size - 1)) != 0))
      return nereid_diagnose_to(sink, "memdesc has size %ld in dimension %ld, expected a power of two", (long)size,
                                (long)i);
    if (size > whole)
      return nereid_diagnose_to(sink, "memdesc has size %ld in dimension %ld of a buffer of size %ld", (long)size,
                                (long)i, (long)whole);
  }
  return mlirLogicalResultSuccess();
}

/* Verifies that the shape in padded_shared is that of the buffer, except for stages. */
static MlirLogicalResult check_padded(nereid_error_sink_t sink, MlirAttribute encoding, MlirAttribute dims,
                                      MlirAttribute alloc) {
  MlirAttribute shape = nereid_ttg_padded_shared_attr_get_shape(encoding);
  intptr_t rank = mlirDenseArrayGetNumElements(shape), alloc_rank = mlirDenseArrayGetNumElements(alloc);
  intptr_t dims_rank = mlirDenseArrayGetNumElements(dims);
  if ((rank != dims_rank && rank != dims_rank - 1) || rank > alloc_rank)
    return nereid_diagnose_to(sink, "#ttg.padded_shared has rank %ld, expected that of the memdesc or one less",
                              (long)rank);
  for (intptr_t i = 0; i < rank; i++)
    if (mlirDenseI64ArrayGetElement(shape, i) != mlirDenseI64ArrayGetElement(alloc, alloc_rank - rank + i))
      return nereid_diagnose_to(sink, "#ttg.padded_shared is for size %ld in dimension %ld of a buffer of size %ld",
                                (long)mlirDenseI64ArrayGetElement(shape, i), (long)i,
                                (long)mlirDenseI64ArrayGetElement(alloc, alloc_rank - rank + i));
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_memdesc_type_verify(nereid_error_sink_t sink, MlirAttribute dims, MlirType element_type,
                                                 MlirAttribute encoding, MlirAttribute memory_space,
                                                 bool mutable_memory, MlirAttribute alloc_dims) {
  (void)element_type, (void)mutable_memory;
  if (mlirLogicalResultIsFailure(check_sizes(sink, dims, alloc_dims)))
    return mlirLogicalResultFailure();
  if (!nereid_ttg_is_shared(encoding))
    return nereid_diagnose_to(sink, "memdesc expects an encoding of shared memory, got %s",
                              nereid_text_of_attribute(encoding).chars);
  if (!nereid_ttg_shared_memory_attr_isa(memory_space))
    return nereid_diagnose_to(sink, "memdesc expects memory space #ttg.shared_memory, got %s",
                              nereid_text_of_attribute(memory_space).chars);
  return nereid_ttg_padded_shared_attr_isa(encoding) ? check_padded(sink, encoding, dims, alloc_dims)
                                                     : mlirLogicalResultSuccess();
}

/* --- views --- */

static bool same_sizes(int count, const int64_t *a, const int64_t *b) {
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool is_whole(const nereid_ttg_memdesc_t *memdesc) {
  return memdesc->rank == memdesc->alloc_rank && same_sizes(memdesc->rank, memdesc->shape, memdesc->alloc);
}

static MlirLogicalResult check_element(MlirOperation op, const nereid_ttg_memdesc_t *src,
                                       const nereid_ttg_memdesc_t *dst) {
  if (mlirTypeEqual(src->element, dst->element))
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "result element type %s must be that of the operand, %s",
                         nereid_text_of_type(dst->element).chars, nereid_text_of_type(src->element).chars);
}

MlirLogicalResult nereid_ttg_memdesc_index_verify(MlirOperation op) {
  nereid_ttg_memdesc_t src = nereid_ttg_memdesc_of(nereid_ttg_memdesc_index_get_src(op));
  nereid_ttg_memdesc_t dst = nereid_ttg_memdesc_of(nereid_ttg_memdesc_index_get_result(op));
  if (mlirLogicalResultIsFailure(check_element(op, &src, &dst)))
    return mlirLogicalResultFailure();
  if (dst.rank != src.rank - 1)
    return nereid_diagnose(op, "result has rank %d, expected that of the operand less one, %d", dst.rank, src.rank - 1);
  if (!same_sizes(dst.rank, dst.shape, src.shape + 1))
    return nereid_diagnose(op, "result shape must be that of the operand without dimension 0");
  if (!is_whole(&src) || !is_whole(&dst))
    return nereid_diagnose(op, "operand and result must be whole buffers: a view cannot be indexed");
  return mlirLogicalResultSuccess();
}

/* Returns the map from offsets to elements of the buffer of which `src` is a view, with the view's rank. */
static bool buffer_layout(const nereid_ttg_memdesc_t *src, nereid_layout_t *out) {
  if (nereid_ttg_padded_shared_attr_isa(src->encoding))
    return nereid_ttg_padded_layout(src->encoding, out) && out->rank == src->rank;
  const int64_t *shape = src->alloc + (src->alloc_rank - src->rank);
  return nereid_layout_from_encoding(src->encoding, src->rank, shape, out) == NEREID_OK;
}

/* Verifies that steps of the result's size and its multiples by powers of two along dimension `d` are single bits of
 * the offset. */
static bool steps_are_bits(const nereid_layout_t *layout, const nereid_layout_t *inverse, int d, int64_t size,
                           int64_t whole) {
  for (int64_t step = size; step < whole; step *= 2) {
    int32_t coordinates[NEREID_LAYOUT_MAX_RANK] = {0};
    coordinates[d] = (int32_t)step;
    uint32_t offset = nereid_layout_apply(inverse, nereid_layout_pack(layout, coordinates), 0, 0, 0);
    if (offset == 0 || (offset & (offset - 1)) != 0)
      return false;
  }
  return true;
}

static MlirLogicalResult check_pattern(MlirOperation op, const nereid_ttg_memdesc_t *src,
                                       const nereid_ttg_memdesc_t *dst) {
  nereid_layout_t layout, inverse;
  if (!buffer_layout(src, &layout) || !nereid_layout_invert(&layout, &inverse))
    return nereid_diagnose(op, "a buffer with this encoding and shape has no subviews: %s",
                           nereid_text_of_attribute(src->encoding).chars);
  if (layout.in_bits[NEREID_LAYOUT_BLOCK] != 0)
    return nereid_diagnose(op, "a buffer that spans several CTAs has no subviews");
  for (int d = 0; d < src->rank; d++)
    if (src->shape[d] != dst->shape[d] && !steps_are_bits(&layout, &inverse, d, dst->shape[d], src->shape[d]))
      return nereid_diagnose(op, "dimension %d is cut inside the encoding's swizzle pattern", d);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_memdesc_subslice_verify(MlirOperation op) {
  nereid_ttg_memdesc_t src = nereid_ttg_memdesc_of(nereid_ttg_memdesc_subslice_get_src(op));
  nereid_ttg_memdesc_t dst = nereid_ttg_memdesc_of(nereid_ttg_memdesc_subslice_get_result(op));
  if (mlirLogicalResultIsFailure(check_element(op, &src, &dst)))
    return mlirLogicalResultFailure();
  if (nereid_ttg_memdesc_subslice_get_offsets_count(op) != src.rank || dst.rank != src.rank)
    return nereid_diagnose(op, "operand, offsets and result must have the same rank, got %d, %ld and %d", src.rank,
                           (long)nereid_ttg_memdesc_subslice_get_offsets_count(op), dst.rank);
  bool cut = false;
  for (int d = 0; d < src.rank; d++) {
    int64_t offset = nereid_ttg_memdesc_subslice_get_offsets(op, d), size = dst.shape[d];
    cut |= size != src.shape[d];
    if (offset % size != 0)
      return nereid_diagnose(op, "offset %ld in dimension %d is not a multiple of the result's size %ld", (long)offset,
                             d, (long)size);
    if (offset < 0 || offset + size > src.shape[d])
      return nereid_diagnose(op, "offset %ld in dimension %d places %ld elements outside of the operand's %ld",
                             (long)offset, d, (long)size, (long)src.shape[d]);
  }
  return cut ? check_pattern(op, &src, &dst) : mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_memdesc_reshape_verify(MlirOperation op) {
  nereid_ttg_memdesc_t src = nereid_ttg_memdesc_of(nereid_ttg_memdesc_reshape_get_src(op));
  nereid_ttg_memdesc_t dst = nereid_ttg_memdesc_of(nereid_ttg_memdesc_reshape_get_result(op));
  int64_t before = 1, after = 1;
  for (int d = 0; d < src.rank; d++)
    before *= src.shape[d];
  for (int d = 0; d < dst.rank; d++)
    after *= dst.shape[d];
  if (before != after)
    return nereid_diagnose(op, "result has %ld elements, the operand %ld", (long)after, (long)before);
  int leading = src.alloc_rank - src.rank;
  if (!same_sizes(src.rank, src.shape, src.alloc + leading))
    return nereid_diagnose(op, "operand is part of a buffer of another shape, which cannot be reshaped");
  MlirAttribute expected;
  if (!nereid_ttg_infer_memdesc_reshape_encoding(src.rank, src.shape, src.encoding, dst.rank, dst.shape,
                                                 mlirOperationGetLocation(op), &expected))
    return mlirLogicalResultFailure();
  if (!nereid_ttg_encodings_equivalent(expected, dst.encoding, dst.rank, dst.shape))
    return nereid_diagnose(op, "result has encoding %s, expected %s", nereid_text_of_attribute(dst.encoding).chars,
                           nereid_text_of_attribute(expected).chars);
  if (dst.alloc_rank != leading + dst.rank || !same_sizes(leading, src.alloc, dst.alloc) ||
      !same_sizes(dst.rank, dst.shape, dst.alloc + leading) || dst.mutable_memory != src.mutable_memory)
    return nereid_diagnose(op, "result must be of the same buffer: mutable if the operand is, with the same stages");
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_memdesc_trans_infer_types(MlirContext context, MlirLocation location, intptr_t n_operands,
                                                       MlirValue *operands, MlirAttribute attributes,
                                                       intptr_t n_regions, MlirRegion *regions,
                                                       MlirTypesCallback callback, void *user_data) {
  (void)context, (void)n_regions, (void)regions;
  nereid_ttg_memdesc_t src, dst;
  int32_t order[NEREID_TTG_MAX_RANK];
  MlirAttribute array = mlirDictionaryAttrGetElementByName(attributes, mlirStringRefCreateFromCString("order"));
  if (n_operands != 1 || !nereid_ttg_memdesc_read(mlirValueGetType(operands[0]), &src))
    return mlirLogicalResultFailure();
  if (nereid_ttg_ints_read(array, order) != src.rank ||
      !nereid_ttg_infer_trans_encoding(src.encoding, src.rank, src.shape, order, location, &dst.encoding)) {
    return mlirLogicalResultFailure();
  }
  MlirAttribute encoding = dst.encoding;
  dst = src;
  dst.encoding = encoding;
  int leading = src.alloc_rank - src.rank;
  for (int d = 0; d < src.rank; d++) {
    dst.shape[d] = src.shape[order[d]];
    dst.alloc[leading + d] = src.alloc[leading + order[d]];
  }
  MlirType type = nereid_ttg_memdesc_type(&dst);
  if (mlirTypeIsNull(type))
    return mlirLogicalResultFailure();
  callback(1, &type, user_data);
  return mlirLogicalResultSuccess();
}

/* Returns whether the types are of the same buffer and shape; encodings may be spelled differently. */
bool nereid_ttg_memdesc_trans_compatible_types(intptr_t n_inferred, const MlirType *inferred, intptr_t n_actual,
                                               const MlirType *actual) {
  nereid_ttg_memdesc_t a, b;
  if (n_inferred != 1 || n_actual != 1 || !nereid_ttg_memdesc_read(inferred[0], &a) ||
      !nereid_ttg_memdesc_read(actual[0], &b))
    return false;
  return a.rank == b.rank && a.alloc_rank == b.alloc_rank && same_sizes(a.rank, a.shape, b.shape) &&
         same_sizes(a.alloc_rank, a.alloc, b.alloc) && a.mutable_memory == b.mutable_memory &&
         mlirTypeEqual(a.element, b.element) && mlirAttributeEqual(a.space, b.space) &&
         nereid_ttg_encodings_equivalent(a.encoding, b.encoding, a.rank, a.shape);
}
