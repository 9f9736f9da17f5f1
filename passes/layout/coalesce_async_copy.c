/* tritongpu-coalesce-async-copy: limits the elements per thread of an asynchronous copy to the width of one access.
 *
 *   ttg.async_copy_global_to_local %p mask %m : tensor<1024x!tt.ptr<f32>, #eight>     the mask allows vectors of four
 *   ->
 *   %q = ttg.convert_layout %p : #eight -> #four ; …
 *   ttg.async_copy_global_to_local %q mask %n : tensor<1024x!tt.ptr<f32>, #four>
 *
 * With more elements per thread, the lanes of a warp would leave gaps between their accesses. Requires blocked
 * encodings; copies with other encodings do not change. */
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "analysis/allocation/scratch.h"
#include "analysis/axis/axis_info.h"
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinTypes.h>

enum { MAX_BYTES = 16 /* largest access of cp.async */ };

/* Number of elements along dimension `d` that one access of the copy moves. */
static int64_t access_width(const nereid_axis_result_t *axis, MlirOperation copy, int d) {
  MlirValue pointer = nereid_ttg_async_copy_global_to_local_get_src(copy);
  MlirValue mask = nereid_ttg_async_copy_global_to_local_get_mask(copy);
  MlirType element = nereid_tt_ptr_type_get_pointee_type(mlirShapedTypeGetElementType(mlirValueGetType(pointer)));
  const nereid_axis_info_t *pointers = nereid_axis_info_get(axis, pointer);
  const nereid_axis_info_t *masks = mlirValueIsNull(mask) ? NULL : nereid_axis_info_get(axis, mask);
  int64_t width = pointers ? nereid_axis_info_aligned_run(pointers, d) : 1;
  if (!mlirValueIsNull(mask)) {
    const int64_t together = masks ? nereid_axis_info_constancy(masks, d) : 1;
    width = together < width ? together : width;
  }
  const int64_t most = MAX_BYTES / nereid_scratch_element_bytes(element);
  return width < most ? width : most;
}

/* The encoding limited to `width` elements per thread along the fastest dimension; null when it needs no change. The
 * parts of the CTAs are kept, since the buffer has them too. */
static MlirAttribute clipped(MlirOperation copy, const nereid_axis_result_t *axis) {
  MlirType type = mlirValueGetType(nereid_ttg_async_copy_global_to_local_get_src(copy));
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  MlirContext context = mlirOperationGetContext(copy);
  nereid_ttg_blocked_t old, new;
  int64_t part[NEREID_TTG_MAX_RANK];
  if (!nereid_ttg_blocked_read(encoding, &old))
    return (MlirAttribute){NULL};
  const int fastest = old.order[0];
  const int64_t width = access_width(axis, copy, fastest);
  if (old.size_per_thread[fastest] <= width)
    return (MlirAttribute){NULL};
  old.size_per_thread[fastest] = (int32_t)width;
  nereid_ttg_part_of_tensor(type, old.rank, part);
  const nereid_thread_grid_t one_cta = {nereid_ttg_num_warps(copy), nereid_ttg_threads_per_warp(copy), 1};
  encoding = nereid_ttg_blocked_make(context, old.rank, part, old.size_per_thread, old.order, one_cta);
  if (!nereid_ttg_blocked_read(encoding, &new))
    return (MlirAttribute){NULL};
  new.cga = old.cga;
  return nereid_ttg_blocked_attribute(context, &new);
}

static void convert(MlirOperation copy, MlirAttribute encoding) {
  nereid_builder_t builder = nereid_builder_before(copy);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); ++i) {
    MlirValue operand = mlirOperationGetOperand(copy, i);
    MlirType type = mlirValueGetType(operand);
    if (!mlirTypeIsARankedTensor(type))
      continue;
    MlirOperation conversion =
        nereid_ttg_convert_layout_build(&builder, nereid_ttg_with_encoding(type, encoding), operand);
    mlirOperationSetOperand(copy, i, mlirOperationGetResult(conversion, 0));
  }
}

MlirLogicalResult nereid_pass_tritongpu_coalesce_async_copy(nereid_pass_t *pass) {
  nereid_operations_t copies = {0};
  nereid_axis_result_t axis;
  int64_t count = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL, pass->scratch, &copies) ||
      (copies.size && nereid_axis_info_run(pass->op, pass->scratch, &axis) != NEREID_OK))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < copies.size; ++i) {
    MlirAttribute encoding = clipped(copies.data[i], &axis);
    if (mlirAttributeIsNull(encoding))
      continue;
    convert(copies.data[i], encoding);
    ++count;
  }
  nereid_pass_statistic_add(pass, "copies", count);
  return mlirLogicalResultSuccess();
}
