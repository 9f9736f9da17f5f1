/* Bases of written addresses; see written_roots.h. */
#include "passes/support/written_roots.h"

#include "analysis/global/global_root.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

#include <string.h>

enum {
  MAX_DEPTH = 64,
  MAX_ARGUMENTS = 16,
  FIRST_INITIAL = 3 /* operand of scf.for */
};

/* A search for the argument of the function that is the base of addresses. */
typedef struct search {
  MlirValue root; /* null until one is found */
  int depth, visited;
  MlirValue arguments[MAX_ARGUMENTS]; /* visited loop-carried arguments */
} search_t;

static bool follow(search_t *search, MlirValue pointer);

static MlirValue yielded_by(MlirOperation op, intptr_t region, intptr_t number) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
  return mlirOperationGetOperand(mlirBlockGetTerminator(block), number);
}

/* A pointer that a loop carries has the base of its initial value, unless the first iteration sets it, and of what is
 * yielded: a loop may exchange two pointers. */
static bool follow_carried(search_t *search, MlirOperation loop, intptr_t number) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirValue initial = mlirOperationGetOperand(loop, number + FIRST_INITIAL);
  MlirValue argument = mlirBlockGetArgument(body, number + 1);
  for (int i = 0; i < search->visited; ++i)
    if (mlirValueEqual(search->arguments[i], argument))
      return true;
  if (search->visited == MAX_ARGUMENTS)
    return false;
  search->arguments[search->visited++] = argument;
  const bool is_set = !mlirOperationIsNull(nereid_defining_op_of_kind(initial, NEREID_OP_UB_POISON));
  return (is_set || follow(search, initial)) && follow(search, yielded_by(loop, 0, number));
}

/* A call may pass one pointer twice. */
static bool is_private(MlirOperation function) {
  MlirAttribute visibility = nereid_tt_func_get_sym_visibility_attr(function);
  return !mlirAttributeIsNull(visibility) &&
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), nereid_ir_ref("private"));
}

static bool follow_argument(search_t *search, MlirValue pointer) {
  MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(pointer));
  const intptr_t number = mlirBlockArgumentGetArgNumber(pointer);
  if (nereid_op_kind(parent) == NEREID_OP_SCF_FOR && number > 0)
    return follow_carried(search, parent, number - 1);
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, 0));
  if (nereid_op_kind(parent) != NEREID_OP_TT_FUNC || is_private(parent) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(pointer), entry) ||
      (!mlirValueIsNull(search->root) && !mlirValueEqual(search->root, pointer)))
    return false;
  search->root = pointer;
  return true;
}

static bool follow_branch(search_t *search, MlirOperation branch, intptr_t number) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(branch); ++i)
    if (!follow(search, yielded_by(branch, i, number)))
      return false;
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
    case NEREID_OP_SCF_FOR:
      ++search->depth;
      return follow_carried(search, op, mlirOpResultGetResultNumber(pointer));
    case NEREID_OP_ARITH_SELECT:
      ++search->depth;
      return follow(search, mlirOperationGetOperand(op, 1)) && follow(search, mlirOperationGetOperand(op, 2));
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

/* Whether an atomic op lets later loads read what other programs have written. The default of additions acquires, too,
 * but tells nothing to a program that ignores their value. */
static bool acquires(MlirOperation op, nereid_tt_mem_semantic_t semantic) {
  return semantic == NEREID_TT_MEM_SEMANTIC_ACQUIRE ||
         (semantic == NEREID_TT_MEM_SEMANTIC_ACQUIRE_RELEASE &&
          !mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(op))));
}

static bool is_volatile(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_LOAD && nereid_tt_load_get_is_volatile(op);
}

/* Whether later loads stay after `op`: they may read what other threads or programs have written. */
static bool orders_loads(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_GPU_BARRIER:
  case NEREID_OP_TTG_BARRIER:
  case NEREID_OP_TTG_LOCAL_BARRIER:
  case NEREID_OP_TTNG_CLUSTER_BARRIER:
    return true;
  case NEREID_OP_TT_ATOMIC_LOAD:
    return acquires(op, nereid_tt_atomic_load_get_sem(op));
  case NEREID_OP_TT_ATOMIC_POLL:
    return acquires(op, nereid_tt_atomic_poll_get_sem(op));
  case NEREID_OP_TT_ATOMIC_RMW:
    return acquires(op, nereid_tt_atomic_rmw_get_sem(op));
  case NEREID_OP_TT_ATOMIC_CAS:
    return acquires(op, nereid_tt_atomic_cas_get_sem(op));
  default:
    return is_volatile(op);
  }
}

static bool is_of_dialect(MlirOperation op, const char *prefix) {
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const size_t length = strlen(prefix);
  return name.length > length && memcmp(name.data, prefix, length) == 0;
}

/* Whether `op` may write global memory: not a terminator, a barrier, a volatile load, or what accesses only buffers.
 * Assembly may compute an address. */
static bool may_write(MlirOperation op) {
  const bool knows_buffers =
      (is_of_dialect(op, "ttg.") || is_of_dialect(op, "ttng.")) && nereid_op_kind(op) != NEREID_OP_TTG_INLINE_ASM;
  bool knows_memory = !knows_buffers;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    knows_memory |= nereid_is_global_pointer(mlirOperationGetOperand(op, i));
  return knows_memory && nereid_op_kind(op) != NEREID_OP_GPU_BARRIER && !is_volatile(op) &&
         !nereidMlirOperationHasTrait(op, NereidMlirTraitIsTerminator);
}

static MlirWalkResult add_op(MlirOperation op, void *user_data) {
  nereid_written_roots_t *written = user_data;
  written->orders_loads |= orders_loads(op);
  if (mlirOperationGetNumRegions(op) || !may_write(op)) /* the ops of regions are walked */
    return MlirWalkResultAdvance;
  if (!nereidMlirOperationWalkEffects(op, add_write, written))
    written->anywhere = true;
  return MlirWalkResultAdvance;
}

void nereid_written_roots_read(MlirOperation op, nereid_arena_t *arena, nereid_written_roots_t *out) {
  *out = (nereid_written_roots_t){.anywhere = false};
  nereid_map_initialize(&out->roots, arena);
  mlirOperationWalk(op, add_op, out, MlirWalkPreOrder);
}

bool nereid_written_roots_may_write(const nereid_written_roots_t *written, MlirValue pointer) {
  MlirValue root = root_of(pointer);
  if (mlirValueIsNull(root))
    return written->anywhere || written->roots.size > 0;
  return written->anywhere || nereid_map_find(&written->roots, root.ptr);
}

bool nereid_written_roots_permit_ahead(const nereid_written_roots_t *written, MlirOperation load, bool is_requested) {
  MlirValue pointer_or_descriptor = mlirOperationGetOperand(load, 0);
  return !is_volatile(load) &&
         (is_requested || (!written->orders_loads && !nereid_written_roots_may_write(written, pointer_or_descriptor)));
}
