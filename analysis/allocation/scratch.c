/* Scratch sizes, computed from types; see scratch.h. */
#include "analysis/allocation/scratch.h"

#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "layout/exchange.h"
#include "layout/gather.h"
#include "layout/reduction.h"
#include "layout/scan.h"
#include "layout/warp_move.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include "mlir-c/BuiltinTypes.h"

static bool layout_of(MlirValue value, nereid_layout_t *out) {
  return nereid_layout_from_type(mlirValueGetType(value), out) == NEREID_OK;
}

nereid_conversion_path_t nereid_conversion_path(MlirOperation op) {
  nereid_layout_t from, to;
  if (!layout_of(mlirOperationGetOperand(op, 0), &from) || !layout_of(mlirOperationGetResult(op, 0), &to))
    return NEREID_CONVERSION_INVALID;
  const nereid_layout_conversion_t kind = nereid_layout_convert(&from, &to, NULL);
  if (kind == NEREID_LAYOUT_CONVERSION_INVALID)
    return NEREID_CONVERSION_INVALID;
  if (kind == NEREID_LAYOUT_CONVERSION_CLUSTER || !nereid_layout_same_parts(&from, &to))
    return NEREID_CONVERSION_CLUSTER;
  if (kind <= NEREID_LAYOUT_CONVERSION_REGISTER)
    return NEREID_CONVERSION_RENAMES;
  nereid_layout_warp_move_t move;
  const int64_t bytes = nereid_scratch_element_bytes(mlirValueGetType(mlirOperationGetResult(op, 0)));
  return nereid_layout_warp_move(&from, &to, bytes > 4 ? 2 : 1, &move) ? NEREID_CONVERSION_WARP
                                                                       : NEREID_CONVERSION_SHARED;
}

/* The parts of a conversion, at most `most`, as far as its layouts can be divided. */
static int64_t parts_up_to(MlirOperation op, int64_t most) {
  nereid_layout_half_t from, to;
  int64_t parts = 1;
  if (most < 2 || !layout_of(mlirOperationGetOperand(op, 0), &from.layout) ||
      !layout_of(mlirOperationGetResult(op, 0), &to.layout))
    return 1;
  while (2 * parts <= most) {
    const nereid_layout_t whole_from = from.layout, whole_to = to.layout;
    if (!nereid_layout_exchange_halve(&whole_from, &whole_to, &from, &to))
      break;
    parts *= 2;
  }
  return parts;
}

int64_t nereid_conversion_parts(MlirOperation op) {
  return parts_up_to(op, nereid_ir_integer(op, NEREID_ATTR_ALLOCATION_PARTS, 1));
}

int64_t nereid_scratch_element_bytes(MlirType type) {
  MlirType element = mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
  unsigned bits = 64;
  if (mlirTypeIsAInteger(element))
    bits = mlirIntegerTypeGetWidth(element);
  else if (mlirTypeIsAFloat(element))
    bits = mlirFloatTypeGetWidth(element);
  return bits <= 8 ? 1 : bits / 8;
}

int64_t nereid_scratch_tensor_bytes(MlirType tensor) {
  int64_t elements = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(tensor); ++d)
    elements *= mlirShapedTypeGetDimSize(tensor, d);
  return elements * nereid_scratch_element_bytes(tensor);
}

int64_t nereid_scratch_part_bytes(MlirType tensor) {
  int64_t part[NEREID_TTG_MAX_RANK], elements = 1;
  const int rank = (int)mlirShapedTypeGetRank(tensor);
  if (rank > NEREID_TTG_MAX_RANK)
    return nereid_scratch_tensor_bytes(tensor);
  nereid_ttg_part_of_tensor(tensor, rank, part);
  for (int d = 0; d < rank; ++d)
    elements *= part[d];
  return elements * nereid_scratch_element_bytes(tensor);
}

/* Totals of every operand, for each step across warps, one after the other. */
static int64_t scan_bytes(MlirOperation op) {
  nereid_layout_t layout, write, read;
  nereid_layout_scan_t scan;
  int64_t most = 0;
  if (!layout_of(mlirOperationGetOperand(op, 0), &layout) ||
      nereid_layout_scan(&layout, nereid_tt_scan_get_axis(op), &scan) != NEREID_LAYOUT_SCANNABLE)
    return 0;
  for (int i = 0; i < scan.count; i++) {
    int64_t bytes = 0;
    if (scan.segments[i].in != NEREID_LAYOUT_WARP)
      continue;
    const int64_t slots = nereid_layout_scan_exchange(&layout, &scan, &scan.segments[i], 0, 0,
                                                      (nereid_layout_scan_lanes_t){0, 0}, &write, &read);
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k)
      bytes +=
          nereid_scratch_align(slots * nereid_scratch_element_bytes(mlirValueGetType(mlirOperationGetOperand(op, k))));
    most = bytes > most ? bytes : most;
  }
  return most;
}

/* A 32-bit counter per bin, and one for elements outside of all bins. */
static int64_t histogram_bytes(MlirOperation op) {
  return 4 * (mlirShapedTypeGetDimSize(mlirValueGetType(mlirOperationGetResult(op, 0)), 0) + 1);
}

/* The source, unless lanes can exchange it by shuffles. */
static int64_t gather_bytes(MlirOperation op) {
  nereid_layout_t from, to;
  nereid_layout_gather_t plan;
  if (!layout_of(mlirOperationGetOperand(op, 0), &from) || !layout_of(mlirOperationGetOperand(op, 1), &to) ||
      nereid_layout_gather(&from, &to, nereid_tt_gather_get_axis(op), &plan))
    return 0;
  return nereid_scratch_tensor_bytes(mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

/* The result of an atomic is distributed to the threads that did not execute it: all, for a scalar. */
static int64_t atomic_bytes(MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(result);
  uint32_t copies[NEREID_LAYOUT_DIMS] = {0};
  nereid_layout_t layout;
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
    return 0;
  if (!mlirTypeIsARankedTensor(type))
    return nereid_scratch_element_bytes(type);
  if (!layout_of(result, &layout))
    return 0;
  nereid_layout_free_masks(&layout, copies);
  return copies[NEREID_LAYOUT_LANE] | copies[NEREID_LAYOUT_WARP] | copies[NEREID_LAYOUT_BLOCK]
             ? nereid_scratch_tensor_bytes(type)
             : 0;
}

int64_t nereid_scratch_align(int64_t bytes) {
  return (bytes + 15) / 16 * 16;
}

/* Partial results of every operand, one per participating warp, then those that other CTAs of the cluster read. */
static int64_t reduce_bytes(MlirOperation op) {
  nereid_layout_t layout;
  nereid_layout_reduction_t reduction;
  int64_t bytes = 0;
  if (!layout_of(mlirOperationGetOperand(op, 0), &layout))
    return 0;
  nereid_layout_reduction(&layout, nereid_tt_reduce_get_axis(op), &reduction);
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
    const int64_t element = nereid_scratch_element_bytes(mlirValueGetType(mlirOperationGetOperand(op, k)));
    if (reduction.n_warps)
      bytes += nereid_scratch_align(nereid_layout_reduction_slots(&reduction) * element);
    if (reduction.n_blocks)
      bytes += nereid_scratch_align(nereid_layout_reduction_results(&reduction) * element);
  }
  return bytes;
}

bool nereid_reduction_crosses_ctas(MlirOperation op) {
  nereid_layout_t layout;
  nereid_layout_reduction_t reduction;
  if (!layout_of(mlirOperationGetOperand(op, 0), &layout))
    return false;
  nereid_layout_reduction(&layout, nereid_tt_reduce_get_axis(op), &reduction);
  return reduction.n_blocks > 0;
}

/* Captures, which the partitions of a ttg.warp_specialize read when they begin. A buffer is its address and, for a part
 * of one, an offset per dimension; a descriptor is a pointer. */
int64_t nereid_scratch_capture_bytes(MlirType type) {
  enum { ADDRESS = 8, OFFSET = 4 };
  nereid_ttg_memdesc_t memdesc;
  if (nereid_ttg_memdesc_read(type, &memdesc))
    return ADDRESS + (int64_t)OFFSET * memdesc.rank;
  if (mlirTypeIsAInteger(type))
    return (mlirIntegerTypeGetWidth(type) + 7) / 8;
  return mlirTypeIsAFloat(type) ? (mlirFloatTypeGetWidth(type) + 7) / 8 : ADDRESS;
}

bool nereid_scratch_is_own_buffer(MlirValue capture) {
  return mlirValueIsAOpResult(capture) && nereid_op_kind(mlirOpResultGetOwner(capture)) == NEREID_OP_TTG_LOCAL_ALLOC;
}

static int64_t captures_bytes(MlirOperation op) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue capture = mlirOperationGetOperand(op, i);
    bytes += nereid_scratch_is_own_buffer(capture) ? 0 : nereid_scratch_capture_bytes(mlirValueGetType(capture));
  }
  return bytes;
}

/* All registers of all threads of a CTA. */
static int64_t cluster_bytes(MlirOperation op) {
  nereid_layout_t from;
  if (!layout_of(mlirOperationGetOperand(op, 0), &from))
    return 0;
  const int bits =
      from.in_bits[NEREID_LAYOUT_REGISTER] + from.in_bits[NEREID_LAYOUT_LANE] + from.in_bits[NEREID_LAYOUT_WARP];
  return nereid_scratch_align(nereid_scratch_element_bytes(mlirValueGetType(mlirOperationGetOperand(op, 0))) << bits);
}

enum { ALIGNMENT = 16, CAPTURE_ALIGNMENT = 8, DESCRIPTOR_BYTES = 128 };

int64_t nereid_scratch_alignment(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_TTG_WARP_SPECIALIZE)
    return CAPTURE_ALIGNMENT;
  return kind == NEREID_OP_TTNG_TENSORMAP_CREATE ? DESCRIPTOR_BYTES : ALIGNMENT;
}

/* Bytes of one of the parts of a conversion through shared memory. */
static int64_t conversion_bytes(MlirOperation op, int64_t parts) {
  return nereid_scratch_align(nereid_scratch_tensor_bytes(mlirValueGetType(mlirOperationGetResult(op, 0))) / parts);
}

int64_t nereid_scratch_bytes_in_parts(MlirOperation op, int64_t most) {
  const bool can_be_divided =
      nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT && nereid_conversion_path(op) == NEREID_CONVERSION_SHARED;
  return can_be_divided ? conversion_bytes(op, parts_up_to(op, most)) : nereid_scratch_bytes(op);
}

int64_t nereid_scratch_bytes(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  int64_t bytes = 0;
  if (kind == NEREID_OP_TTG_WARP_SPECIALIZE)
    return captures_bytes(op);
  if (kind == NEREID_OP_TTG_CONVERT_LAYOUT && nereid_conversion_path(op) == NEREID_CONVERSION_SHARED)
    bytes = conversion_bytes(op, nereid_conversion_parts(op));
  else if (kind == NEREID_OP_TTG_CONVERT_LAYOUT && nereid_conversion_path(op) == NEREID_CONVERSION_CLUSTER)
    bytes = cluster_bytes(op);
  else if (kind == NEREID_OP_TT_REDUCE)
    bytes = reduce_bytes(op);
  else if (kind == NEREID_OP_TT_SCAN)
    bytes = scan_bytes(op);
  else if (kind == NEREID_OP_TT_HISTOGRAM)
    bytes = histogram_bytes(op);
  else if (kind == NEREID_OP_TT_GATHER)
    bytes = gather_bytes(op);
  else if (kind == NEREID_OP_TT_ATOMIC_RMW || kind == NEREID_OP_TT_ATOMIC_CAS || kind == NEREID_OP_TT_ATOMIC_LOAD ||
           kind == NEREID_OP_TT_ATOMIC_POLL || kind == NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW)
    bytes = atomic_bytes(op);
  else if (kind == NEREID_OP_TTNG_TENSORMAP_CREATE)
    bytes = DESCRIPTOR_BYTES;
  return bytes;
}
