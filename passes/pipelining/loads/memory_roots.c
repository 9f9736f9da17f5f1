/* Bases of written addresses; see memory_roots.h. */
#include "passes/pipelining/loads/memory_roots.h"

#include "dialects/defining_op.h"
#include "nereid/dialects/ops.h"
#include "passes/pipelining/ring.h"
#include "seam/effects.h"

enum { MAX_DEPTH = 64, MAX_ARGUMENTS = 8 };

/* A search for the argument of the function that is the base of addresses. */
typedef struct search {
  MlirValue root; /* null until one is found */
  int depth, visited;
  MlirValue arguments[MAX_ARGUMENTS]; /* of loops whose first iteration sets them */
} search_t;

static bool follow(search_t *search, MlirValue pointer);

/* A loop-carried pointer has the base of its initial value: loops advance pointers, they do not exchange them. Where
 * the first iteration sets it, it has the base of what is yielded. */
static bool follow_argument(search_t *search, MlirValue pointer) {
  MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(pointer));
  const intptr_t number = mlirBlockArgumentGetArgNumber(pointer);
  if (nereid_op_kind(parent) == NEREID_OP_TT_FUNC) {
    const bool good = mlirValueIsNull(search->root) || mlirValueEqual(search->root, pointer);
    search->root = pointer;
    return good;
  }
  if (nereid_op_kind(parent) != NEREID_OP_SCF_FOR || number == 0)
    return false;
  MlirValue initial = mlirOperationGetOperand(parent, number + 2);
  if (mlirOperationIsNull(nereid_defining_op_of_kind(initial, NEREID_OP_UB_POISON)))
    return follow(search, initial);
  for (int i = 0; i < search->visited; ++i)
    if (mlirValueEqual(search->arguments[i], pointer))
      return true;
  if (search->visited == MAX_ARGUMENTS)
    return false;
  search->arguments[search->visited++] = pointer;
  return follow(search,
                mlirOperationGetOperand(mlirBlockGetTerminator(mlirBlockArgumentGetOwner(pointer)), number - 1));
}

static bool follow_branch(search_t *search, MlirOperation branch, intptr_t number) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(branch); ++i) {
    MlirOperation yield = mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, i)));
    if (!follow(search, mlirOperationGetOperand(yield, number)))
      return false;
  }
  return true;
}

/* False when the base is not one argument of the function. */
static bool follow(search_t *search, MlirValue pointer) {
  for (; search->depth < MAX_DEPTH; ++search->depth) {
    if (mlirValueIsABlockArgument(pointer))
      return follow_argument(search, pointer);
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
    case NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR:
      pointer = mlirOperationGetOperand(op, 0);
      break;
    case NEREID_OP_SCF_IF:
      ++search->depth;
      return follow_branch(search, op, mlirOpResultGetResultNumber(pointer));
    default:
      return false;
    }
  }
  return false;
}

/* The argument of the function that is the base of the addresses; null when it is another value. */
static MlirValue root_of(MlirValue pointer) {
  search_t search = {.depth = 0};
  return follow(&search, pointer) ? search.root : (MlirValue){NULL};
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

bool nereid_written_roots_permit_ahead(const nereid_written_roots_t *written, MlirOperation load, bool is_requested) {
  MlirValue pointer_or_descriptor = mlirOperationGetOperand(load, 0);
  return !nereid_ring_is_volatile(load) &&
         (is_requested || !nereid_written_roots_may_write(written, pointer_or_descriptor));
}
