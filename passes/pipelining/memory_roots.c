/* Bases of written addresses; see memory_roots.h. */
#include "passes/pipelining/memory_roots.h"

#include "nereid/dialects/ops.h"
#include "seam/effects.h"

enum { MAX_DEPTH = 64 };

/* The argument of the function that is the base of the addresses; null when it is another value. A loop-carried pointer
 * has the base of its initial value: loops advance pointers, they do not exchange them. */
static MlirValue root_of(MlirValue pointer) {
  for (int depth = 0; depth < MAX_DEPTH; ++depth) {
    if (mlirValueIsABlockArgument(pointer)) {
      MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(pointer));
      const intptr_t number = mlirBlockArgumentGetArgNumber(pointer);
      if (nereid_op_kind(parent) == NEREID_OP_TT_FUNC)
        return pointer;
      if (nereid_op_kind(parent) != NEREID_OP_SCF_FOR || number == 0)
        break;
      pointer = mlirOperationGetOperand(parent, number + 2);
      continue;
    }
    MlirOperation op = mlirOpResultGetOwner(pointer);
    switch (nereid_op_kind(op)) {
    case NEREID_OP_TT_ADDPTR:
    case NEREID_OP_TT_SPLAT:
    case NEREID_OP_TT_BROADCAST:
    case NEREID_OP_TT_EXPAND_DIMS:
    case NEREID_OP_TT_RESHAPE:
    case NEREID_OP_TT_TRANS:
    case NEREID_OP_TT_BITCAST:
    case NEREID_OP_TTG_CONVERT_LAYOUT:
      pointer = mlirOperationGetOperand(op, 0);
      break;
    default:
      return (MlirValue){NULL};
    }
  }
  return (MlirValue){NULL};
}

static void add_write(NereidMlirEffect effect, MlirValue value, NereidMlirResource resource, void *user_data) {
  nereid_written_roots_t *written = user_data;
  if (effect != NereidMlirEffectWrite || resource == NereidMlirResourceShared)
    return;
  MlirValue root = mlirValueIsNull(value) ? value : root_of(value);
  uintptr_t *place = mlirValueIsNull(root) ? NULL : nereid_map_insert(&written->roots, root.ptr);
  if (place)
    *place = 1;
  else
    written->anywhere = true;
}

static MlirWalkResult add_op(MlirOperation op, void *user_data) {
  nereid_written_roots_t *written = user_data;
  if (mlirOperationGetNumRegions(op)) /* its ops are walked */
    return MlirWalkResultAdvance;
  if (!nereidMlirOperationWalkEffects(op, add_write, written))
    written->anywhere = true;
  return MlirWalkResultAdvance;
}

void nereid_written_roots_read(MlirOperation loop, nereid_arena_t *arena, nereid_written_roots_t *out) {
  *out = (nereid_written_roots_t){.anywhere = false};
  nereid_map_initialize(&out->roots, arena);
  mlirOperationWalk(loop, add_op, out, MlirWalkPreOrder);
}

bool nereid_written_roots_may_write(const nereid_written_roots_t *written, MlirValue pointer) {
  MlirValue root = root_of(pointer);
  if (mlirValueIsNull(root))
    return written->anywhere || written->roots.size > 0;
  return written->anywhere || nereid_map_find(&written->roots, root.ptr);
}
