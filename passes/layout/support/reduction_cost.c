/* Costs of reductions by layout; see reduction_cost.h.
 *
 *   %r = tt.reshape %x : 512 -> 64x2x4      %m = arith.muli %r, %left      %y = tt.reduce %m {axis = 1}
 *
 * Sorts consist of such sequences. When the two elements are in registers of one thread, the sum needs no exchange;
 * when they are in different lanes, it needs one shuffle per register; when they are in different warps, it needs
 * shared memory. The layout of %x determines which. The cost counts only the exchange between lanes and warps, since
 * the work within a thread is the same in each layout. */
#include "passes/layout/support/reduction_cost.h"

#include "dialects/defining_op.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "layout/reduction.h"
#include "layout/scan.h"
#include "passes/layout/support/conversion_cost.h"
#include "seam/ir.h"

#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinTypes.h>

#include <string.h>

enum { MAX_LOOK = 8 };

/* Elementwise operations before a reshape keep the layout: follows the first operand that is not a constant. */
static MlirOperation reshape_before(MlirValue value) {
  for (int i = 0; i < MAX_LOOK; ++i) {
    MlirOperation op = nereid_defining_op(value);
    if (mlirOperationIsNull(op) || nereid_op_kind(op) == NEREID_OP_TT_RESHAPE)
      return op;
    if (!nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise) || mlirOperationGetNumOperands(op) == 0)
      break;
    intptr_t k = 0;
    while (k + 1 < mlirOperationGetNumOperands(op) && nereid_is_recomputed_for_free(mlirOperationGetOperand(op, k)))
      ++k;
    value = mlirOperationGetOperand(op, k);
  }
  return (MlirOperation){NULL};
}

MlirValue nereid_reduction_source(MlirOperation op) {
  MlirValue operand = mlirOperationGetOperand(op, 0);
  MlirOperation reshape = reshape_before(operand);
  return mlirOperationIsNull(reshape) ? operand : mlirOperationGetOperand(reshape, 0);
}

static int shape_of(MlirType type, int64_t *out_shape) {
  const int rank = (int)mlirShapedTypeGetRank(type);
  for (int d = 0; d < rank; ++d)
    out_shape[d] = mlirShapedTypeGetDimSize(type, d);
  return rank;
}

/* The layout of the operand when the source has `encoding`; false when it does not follow from it. */
static bool layout_of(MlirType source, MlirType operand, MlirAttribute encoding, nereid_layout_t *out) {
  int64_t from[NEREID_LAYOUT_MAX_RANK], to[NEREID_LAYOUT_MAX_RANK];
  const int from_rank = shape_of(source, from), to_rank = shape_of(operand, to);
  MlirAttribute there = encoding;
  if ((from_rank != to_rank || memcmp(from, to, (size_t)to_rank * sizeof *to) != 0) &&
      !nereid_ttg_infer_reshape_encoding(from_rank, from, encoding, to_rank, to, (MlirLocation){NULL}, &there))
    return false;
  return nereid_layout_from_type(nereid_ttg_with_encoding(operand, there), out) == NEREID_OK;
}

/* Instructions of all threads together. No layout whose CTAs divide the dimension is chosen. */
static int64_t exchange_cost(const nereid_layout_t *layout, int axis, intptr_t values) {
  enum { SHUFFLE = 2, BARRIER = 30, PART = 2 };
  if (nereid_layout_span(layout, NEREID_LAYOUT_BLOCK) & nereid_layout_out_mask(layout, axis))
    return INT32_MAX;
  nereid_layout_reduction_t plan;
  nereid_layout_reduction(layout, axis, &plan);
  const int64_t kept = values * (nereid_distinct_registers(layout) >> plan.n_registers);
  const int64_t each = SHUFFLE * plan.n_lanes * kept + (plan.n_warps ? BARRIER + PART * (kept << plan.n_warps) : 0);
  return each << (layout->in_bits[NEREID_LAYOUT_LANE] + layout->in_bits[NEREID_LAYOUT_WARP]);
}

int64_t nereid_reduction_cost(nereid_reduction_costs_t *costs, MlirOperation op, MlirValue source,
                              MlirAttribute encoding) {
  nereid_reduction_query_t query = {.source = mlirValueGetType(source),
                                    .operand = mlirValueGetType(mlirOperationGetOperand(op, 0)),
                                    .encoding = encoding,
                                    .axis = nereid_tt_reduce_get_axis(op)};
  for (size_t i = 0; i < costs->queries.size; ++i) {
    const nereid_reduction_query_t *other = &costs->queries.data[i];
    if (other->axis == query.axis && mlirTypeEqual(other->source, query.source) &&
        mlirTypeEqual(other->operand, query.operand) && mlirAttributeEqual(other->encoding, query.encoding))
      return other->cost;
  }
  nereid_layout_t layout;
  if (layout_of(query.source, query.operand, encoding, &layout))
    query.cost = exchange_cost(&layout, query.axis, mlirOperationGetNumOperands(op));
  (void)nereid_vector_push(costs->arena, &costs->queries, query);
  return query.cost;
}

int64_t nereid_scan_cost(MlirOperation op, MlirAttribute encoding) {
  nereid_layout_t layout;
  nereid_layout_scan_t plan;
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(mlirOperationGetOperand(op, 0)), encoding);
  if (nereid_layout_from_type(type, &layout) != NEREID_OK ||
      nereid_layout_scan(&layout, nereid_tt_scan_get_axis(op), &plan) != NEREID_LAYOUT_SCANNABLE)
    return INT64_MAX;
  int64_t totals = nereid_distinct_registers(&layout), cost = 0;
  for (int i = 0; i < plan.count; ++i) {
    const nereid_layout_segment_t *segment = &plan.segments[i];
    if (segment->in == NEREID_LAYOUT_REGISTER)
      totals >>= segment->count;
    else
      cost += totals * segment->count;
  }
  return cost;
}
