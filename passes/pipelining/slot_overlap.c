/* Overlap of slots; see slot_overlap.h. The slot of a ring is compared by its phase: the number of steps after which
 * its counter has the same value. */
#include "passes/pipelining/slot_overlap.h"

#include "dialects/defining_op.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>

/* A view of shared memory: the buffer, and the slot's index when the buffer is a ring. */
typedef struct view {
  MlirValue buffer;
  MlirValue index; /* null: all of the buffer */
  int64_t slots;
} view_t;

static bool is_view(nereid_op_kind_t kind) {
  return kind == NEREID_OP_TTG_MEMDESC_INDEX || kind == NEREID_OP_TTG_MEMDESC_TRANS ||
         kind == NEREID_OP_TTG_MEMDESC_RESHAPE || kind == NEREID_OP_TTG_MEMDESC_REINTERPRET ||
         kind == NEREID_OP_TTG_MEMDESC_SUBSLICE;
}

static view_t view_of(MlirValue value) {
  view_t view = {.buffer = value};
  for (MlirOperation op = nereid_defining_op(view.buffer); !mlirOperationIsNull(op) && is_view(nereid_op_kind(op));
       op = nereid_defining_op(view.buffer)) {
    view.index = (MlirValue){NULL};
    view.buffer = mlirOperationGetOperand(op, 0);
    if (nereid_op_kind(op) == NEREID_OP_TTG_MEMDESC_INDEX) {
      view.index = mlirOperationGetOperand(op, 1);
      view.slots = mlirDenseI64ArrayGetElement(nereid_ttg_memdesc_type_get_dims(mlirValueGetType(view.buffer)), 0);
    }
  }
  return view;
}

/* Whether the slot that `read` selected `age` iterations ago may be the slot that `written` selects now. */
static bool may_be_same_slot(nereid_ring_phases_t *phases, view_t read, int age, view_t written) {
  nereid_ring_phase_t r, w;
  if (mlirValueIsNull(read.index) || mlirValueIsNull(written.index) || read.slots != written.slots ||
      !nereid_ring_phases_get(phases, read.index, read.slots, &r) ||
      !nereid_ring_phases_get(phases, written.index, written.slots, &w) || r.header != w.header || r.root != w.root ||
      r.step != w.step)
    return true;
  return (w.phase - r.phase + r.step * age) % r.slots == 0;
}

/* Whether `buffer` is allocated in this function; an argument of the function never overlaps it. */
static bool is_allocation(MlirValue buffer) {
  return !mlirOperationIsNull(nereid_defining_op_of_kind(buffer, NEREID_OP_TTG_LOCAL_ALLOC));
}

static bool is_argument(MlirValue buffer) {
  return mlirValueIsABlockArgument(buffer) &&
         nereid_op_kind(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(buffer))) == NEREID_OP_TT_FUNC;
}

bool nereid_slots_may_overlap(nereid_ring_phases_t *phases, MlirValue read, int age, MlirValue written) {
  const view_t from = view_of(read), to = view_of(written);
  if (mlirValueEqual(from.buffer, to.buffer))
    return may_be_same_slot(phases, from, age, to);
  return !(is_allocation(from.buffer) && (is_allocation(to.buffer) || is_argument(to.buffer))) &&
         !(is_argument(from.buffer) && is_allocation(to.buffer));
}

MlirValue nereid_slot_buffer(MlirValue value) {
  return view_of(value).buffer;
}
