/* Encodings of copies; see copy_encoding.h.
 *
 *   %x = tt.load %p : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #mma}>>
 *   ->
 *   %q = ttg.convert_layout %p : … -> tensor<64x!tt.ptr<f32>, #blocked>      sizePerThread = [4]
 *   ttg.async_copy_global_to_local %q, %slot
 *
 * In the slice, four threads hold the 64 elements in eight runs of two, and all others hold copies: every warp issues
 * eight instructions, of which four lanes execute eight bytes each. In the blocked encoding, sixteen lanes execute one
 * access of 16 bytes. A warp then reads what others copied, which loops with dots do anyway: a barrier follows the wait
 * for the copies of a step. The same holds for the vectors of a recurrence. */
#include "passes/pipelining/rings/copy_encoding.h"

#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/recurrence.h"

#include <mlir-c/BuiltinTypes.h>

/* Whether `encoding` is a slice of the layout of a dot's result. */
static bool is_slice_of_result(MlirAttribute encoding) {
  const bool is_slice = nereid_ttg_slice_attr_isa(encoding);
  while (nereid_ttg_slice_attr_isa(encoding))
    encoding = nereid_ttg_slice_attr_get_parent(encoding);
  return is_slice && nereid_ttg_nvidia_mma_attr_isa(encoding);
}

/* Elements of a vector that are adjacent in a thread. */
static int64_t adjacent_elements(const nereid_layout_t *layout) {
  int bits = 0;
  while (bits < layout->in_bits[NEREID_LAYOUT_REGISTER] && layout->bases[NEREID_LAYOUT_REGISTER][bits] == 1u << bits)
    ++bits;
  return (int64_t)1 << bits;
}

/* Whether several threads of a CTA hold each element of a vector, or a thread has less in a row than cp.async copies. */
static bool is_scattered(MlirType vector) {
  enum { LEAST_BYTES = 4 };
  nereid_layout_t layout;
  uint32_t masks[NEREID_LAYOUT_DIMS];
  if (nereid_layout_from_type(vector, &layout) != NEREID_OK)
    return false;
  nereid_layout_free_masks(&layout, masks);
  return masks[NEREID_LAYOUT_LANE] || masks[NEREID_LAYOUT_WARP] ||
         adjacent_elements(&layout) * nereid_scratch_element_bytes(vector) < LEAST_BYTES;
}

/* Whether the vectors that the loop of `load` loads have an encoding of their own for copies. */
static bool copies_vectors(MlirOperation load, MlirAttribute encoding) {
  MlirOperation loop = mlirOperationGetParentOperation(load);
  nereid_recurrence_t recurrence;
  if (nereid_op_kind(loop) != NEREID_OP_SCF_FOR)
    return false;
  return nereid_loop_has_dot(loop) ? is_slice_of_result(encoding) : nereid_recurrence_find(loop, &recurrence);
}

MlirAttribute nereid_copy_encoding(MlirOperation load) {
  enum { ACCESS_BYTES = 16 /* the largest of cp.async */ };
  MlirType type = mlirValueGetType(nereid_ir_result(load));
  MlirAttribute encoding = nereid_ttg_encoding_of(nereid_ir_result(load));
  if (mlirShapedTypeGetRank(type) != 1 || !copies_vectors(load, encoding) || !is_scattered(type))
    return encoding;
  const int64_t size = mlirShapedTypeGetDimSize(type, 0), most = ACCESS_BYTES / nereid_scratch_element_bytes(type);
  const int32_t order = 0, per_thread = (int32_t)(size < most ? size : most);
  const nereid_thread_grid_t grid = {nereid_ttg_num_warps(load), nereid_ttg_threads_per_warp(load),
                                     nereid_ttg_num_ctas(load)};
  MlirAttribute blocked = nereid_ttg_blocked_make(mlirOperationGetContext(load), 1, &size, &per_thread, &order, grid);
  return nereid_ttg_has_same_parts(type, blocked) ? blocked : encoding;
}
