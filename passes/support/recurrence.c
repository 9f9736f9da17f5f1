#include "passes/support/recurrence.h"

#include "dialects/ir.h"
#include "dialects/tt/tensor.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinTypes.h>

#include <stdint.h>

enum { MAX_ELEMENTS = 512 /* elements of a loaded or stored vector */ };

typedef struct search {
  MlirOperation loop;
  nereid_recurrence_t *found;
  bool loads, stores, reduces, is_one;
} search_t;

static bool is_small(MlirType type) {
  return !mlirTypeIsARankedTensor(type) ||
         (mlirShapedTypeGetRank(type) == 1 && nereid_ttg_num_elements(type) <= MAX_ELEMENTS);
}

static bool is_same_shape(MlirType a, MlirType b) {
  nereid_tt_tensor_t first, second;
  return nereid_tt_tensor_read(a, &first) && nereid_tt_tensor_read(b, &second) &&
         nereid_tt_tensor_same_shape(&first, &second);
}

static void add_reduction(search_t *search, MlirOperation reduce) {
  nereid_recurrence_t *found = search->found;
  if (!is_same_shape(mlirValueGetType(nereid_tt_reduce_get_srcs(reduce, 0)), found->state))
    return;
  const int axis = nereid_tt_reduce_get_axis(reduce);
  found->axis = !search->reduces || found->axis == axis ? axis : -1;
  search->reduces = true;
}

static bool permits(search_t *search, MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_SCF_FOR:
    return mlirOperationEqual(op, search->loop);
  case NEREID_OP_TT_LOAD:
    search->loads = true;
    return is_small(mlirValueGetType(nereid_ir_result(op)));
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL: /* a load of a pipelined loop */
    search->loads = true;
    return is_small(mlirValueGetType(nereid_ttg_async_copy_global_to_local_get_src(op)));
  case NEREID_OP_TT_STORE:
    search->stores = true;
    return is_small(mlirValueGetType(nereid_tt_store_get_value(op)));
  case NEREID_OP_TT_REDUCE:
    add_reduction(search, op);
    return true;
  case NEREID_OP_SCF_WHILE:
  case NEREID_OP_TT_CALL:
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
  case NEREID_OP_TT_DESCRIPTOR_STORE:
  case NEREID_OP_TT_DOT:
  case NEREID_OP_TT_DOT_SCALED:
    return false;
  default:
    return true;
  }
}

static MlirWalkResult check(MlirOperation op, void *user_data) {
  search_t *search = user_data;
  search->is_one = permits(search, op);
  return search->is_one ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

MlirType nereid_recurrence_carried(MlirOperation loop, int64_t rank) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(loop, i));
    if (mlirTypeIsARankedTensor(type) && mlirShapedTypeGetRank(type) == rank &&
        mlirTypeIsAFloat(mlirShapedTypeGetElementType(type)))
      return type;
  }
  return (MlirType){NULL};
}

bool nereid_recurrence_find(MlirOperation loop, nereid_recurrence_t *out) {
  search_t search = {.loop = loop, .found = out};
  MlirType matrix = nereid_recurrence_carried(loop, 2);
  const bool is_matrix = !mlirTypeIsNull(matrix);
  *out = (nereid_recurrence_t){is_matrix ? matrix : nereid_recurrence_carried(loop, 1), -1};
  if (mlirTypeIsNull(out->state))
    return false;
  mlirOperationWalk(loop, check, &search, MlirWalkPreOrder);
  if (!is_matrix)
    out->axis = -1;
  return search.is_one && search.loads && (is_matrix ? search.reduces : search.stores);
}

MlirValue nereid_recurrence_matrix(MlirOperation loop) {
  nereid_recurrence_t recurrence;
  nereid_layout_t layout;
  intptr_t i = 0;
  if (nereid_op_kind(loop) != NEREID_OP_SCF_FOR || !nereid_recurrence_find(loop, &recurrence) || recurrence.axis < 0 ||
      nereid_layout_from_type(recurrence.state, &layout) != NEREID_OK ||
      nereid_layout_span(&layout, NEREID_LAYOUT_WARP) & nereid_layout_out_mask(&layout, recurrence.axis))
    return (MlirValue){NULL};
  while (!mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(loop, i)), recurrence.state))
    ++i;
  return mlirOperationGetResult(loop, i);
}
