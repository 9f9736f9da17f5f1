/* Bases of written addresses: through tt.addptr and ops that only rearrange, to an argument of the function. */
#include "passes/layout/support/written_memory.h"

#include "dialects/defining_op.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

/* The argument that is the base of the addresses; null when they have another base. */
static MlirValue base_of(MlirValue pointer) {
  for (;;) {
    MlirOperation op = nereid_defining_op(pointer);
    if (mlirOperationIsNull(op)) {
      MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(pointer));
      return nereid_op_kind(parent) == NEREID_OP_TT_FUNC ? pointer : (MlirValue){NULL};
    }
    switch (nereid_op_kind(op)) {
    case NEREID_OP_TT_ADDPTR:
    case NEREID_OP_TT_SPLAT:
    case NEREID_OP_TT_BROADCAST:
    case NEREID_OP_TT_EXPAND_DIMS:
    case NEREID_OP_TT_RESHAPE:
    case NEREID_OP_TT_TRANS:
    case NEREID_OP_TTG_CONVERT_LAYOUT:
      pointer = mlirOperationGetOperand(op, 0);
      break;
    default:
      return (MlirValue){NULL};
    }
  }
}

/* Writes of other programs become visible to later loads. */
static bool acquires(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return (kind == NEREID_OP_TT_ATOMIC_LOAD && nereid_tt_atomic_load_get_sem(op) == NEREID_TT_MEM_SEMANTIC_ACQUIRE) ||
         (kind == NEREID_OP_TT_ATOMIC_POLL && nereid_tt_atomic_poll_get_sem(op) == NEREID_TT_MEM_SEMANTIC_ACQUIRE);
}

void nereid_written_memory_add(nereid_written_memory_t *written, MlirOperation op) {
  MlirValue pointer = {NULL};
  if (nereid_op_kind(op) == NEREID_OP_TT_STORE)
    pointer = base_of(nereid_tt_store_get_ptr(op));
  else if (nereid_op_kind(op) == NEREID_OP_TT_ATOMIC_RMW)
    pointer = base_of(nereid_tt_atomic_rmw_get_ptr(op));
  else if (nereid_op_kind(op) == NEREID_OP_TT_ATOMIC_CAS)
    pointer = base_of(nereid_tt_atomic_cas_get_ptr(op));
  else if (nereid_op_kind(op) == NEREID_OP_TT_ATOMIC_STORE)
    pointer = base_of(nereid_tt_atomic_store_get_ptr(op));
  else if (nereid_op_kind(op) != NEREID_OP_TT_CALL && !acquires(op))
    return;
  uintptr_t *place = mlirValueIsNull(pointer) ? NULL : nereid_map_insert(&written->bases, pointer.ptr);
  written->anywhere |= !place;
}

bool nereid_written_memory_may_write(const nereid_written_memory_t *written, MlirOperation load) {
  MlirValue base = base_of(nereid_tt_load_get_ptr(load));
  return mlirValueIsNull(base) ? written->anywhere || written->bases.size
                               : written->anywhere || nereid_map_find(&written->bases, base.ptr);
}
