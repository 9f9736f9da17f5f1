/* Collects operations in program order; see collect.h. */
#include "passes/support/collect.h"

typedef struct collection {
  nereid_arena_t *arena;
  nereid_operations_t *out;
  nereid_op_kind_t kind; /* unknown: any */
  bool (*predicate)(MlirOperation op);
} collection_t;

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  collection_t *collection = user_data;
  if ((collection->kind != NEREID_OP_UNKNOWN && nereid_op_kind(op) != collection->kind) ||
      (collection->predicate && !collection->predicate(op)))
    return MlirWalkResultAdvance;
  return nereid_vector_push(collection->arena, collection->out, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

bool nereid_collect_kind(MlirOperation root, nereid_op_kind_t kind, nereid_arena_t *arena, nereid_operations_t *out) {
  collection_t collection = {.arena = arena, .out = out, .kind = kind};
  mlirOperationWalk(root, visit, &collection, MlirWalkPreOrder);
  return !arena->failed;
}

bool nereid_collect_kind_inner_first(MlirOperation root, nereid_op_kind_t kind, nereid_arena_t *arena,
                                     nereid_operations_t *out) {
  collection_t collection = {.arena = arena, .out = out, .kind = kind};
  mlirOperationWalk(root, visit, &collection, MlirWalkPostOrder);
  return !arena->failed;
}

bool nereid_collect(MlirOperation root, bool (*predicate)(MlirOperation op), nereid_arena_t *arena,
                    nereid_operations_t *out) {
  collection_t collection = {.arena = arena, .out = out, .kind = NEREID_OP_UNKNOWN, .predicate = predicate};
  mlirOperationWalk(root, visit, &collection, MlirWalkPreOrder);
  return !arena->failed;
}
