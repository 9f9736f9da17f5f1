/* Components of operations under the relation "uses a result of", by union-find; see connected.h.
 *
 * Regions make the relation one-sided (a loop reaches its body, the body does not reach its loop). So components are
 * the nodes of a directed graph and a query walks from its component. The result is cached in the component. */
#include "passes/layout/support/connected.h"

#include "base/vector.h"
#include "seam/ir.h"

#include <mlir-c/Support.h>

typedef NEREID_VECTOR(size_t) numbers_t;

typedef struct node {
  MlirOperation op;
  size_t parent;    /* union-find */
  numbers_t own;    /* root: numbers attached to operations of the component */
  numbers_t closed; /* root: the same over all reachable components */
  bool is_closed;   /* root: `closed` has been computed */
  size_t mark;      /* number of the last walk that visited the node */
  numbers_t inside; /* root: nodes in regions of its members */
} node_t;

struct nereid_connected {
  nereid_arena_t *arena;
  nereid_map_t indexes; /* MlirOperation.ptr -> 1 + index into nodes */
  NEREID_VECTOR(node_t) nodes;
  size_t walks;
};

static size_t find_root(nereid_connected_t *c, size_t node) {
  while (c->nodes.data[node].parent != node) {
    c->nodes.data[node].parent = c->nodes.data[c->nodes.data[node].parent].parent;
    node = c->nodes.data[node].parent;
  }
  return node;
}

static void join(nereid_connected_t *c, size_t a, size_t b) {
  a = find_root(c, a);
  b = find_root(c, b);
  /* The earlier node becomes the root; path halving keeps paths short. */
  if (a < b)
    c->nodes.data[b].parent = a;
  else
    c->nodes.data[a].parent = b;
}

static MlirWalkResult number(MlirOperation op, void *data) {
  nereid_connected_t *c = data;
  uintptr_t *index = nereid_map_insert(&c->indexes, op.ptr);
  if (!index || !nereid_vector_push(c->arena, &c->nodes, (node_t){.op = op, .parent = c->nodes.size}))
    return MlirWalkResultInterrupt;
  *index = c->nodes.size;
  return MlirWalkResultAdvance;
}

/* The index of `op`; false when it is not below the root. */
static bool index_of(const nereid_connected_t *c, MlirOperation op, size_t *out) {
  const uintptr_t *place = mlirOperationIsNull(op) ? NULL : nereid_map_find(&c->indexes, op.ptr);
  if (place)
    *out = *place - 1;
  return place != NULL;
}

/* The operation that defines `value`; for a block argument, the op that owns the block. */
static MlirOperation origin(MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return mlirOpResultGetOwner(value);
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  bool only_block = !mlirOperationIsNull(parent) && mlirOperationGetNumRegions(parent) == 1 &&
                    mlirBlockIsNull(mlirBlockGetNextInRegion(block)) &&
                    mlirBlockEqual(mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, 0)), block);
  if (!only_block || nereidMlirOperationHasTrait(parent, NereidMlirTraitIsolatedFromAbove))
    return (MlirOperation){NULL};
  return parent;
}

static void connect(nereid_connected_t *c, size_t node) {
  MlirOperation op = c->nodes.data[node].op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    size_t from;
    if (index_of(c, origin(mlirOperationGetOperand(op, i)), &from))
      join(c, from, node);
  }
}

/* Adds a node in a region to the component of the op that owns the region. */
static void hang(nereid_connected_t *c, size_t node) {
  size_t parent;
  if (!index_of(c, mlirOperationGetParentOperation(c->nodes.data[node].op), &parent))
    return;
  size_t from = find_root(c, parent), to = find_root(c, node);
  if (from != to)
    nereid_vector_push(c->arena, &c->nodes.data[from].inside, to);
}

nereid_connected_t *nereid_connected_create(MlirOperation root, nereid_arena_t *arena) {
  nereid_connected_t *c = nereid_arena_new(arena, nereid_connected_t, 1);
  if (!c)
    return NULL;
  c->arena = arena;
  nereid_map_initialize(&c->indexes, arena);
  mlirOperationWalk(root, number, c, MlirWalkPreOrder);
  for (size_t i = 0; i < c->nodes.size && !arena->failed; i++)
    connect(c, i);
  for (size_t i = 0; i < c->nodes.size && !arena->failed; i++)
    hang(c, i);
  return arena->failed ? NULL : c;
}

void nereid_connected_attach(nereid_connected_t *c, MlirOperation op, size_t number) {
  size_t node;
  if (index_of(c, op, &node))
    nereid_vector_push(c->arena, &c->nodes.data[find_root(c, node)].own, number);
}

/* Collects into `closed` the numbers of component `start` and of all components reachable from it. */
static void close_over(nereid_connected_t *c, size_t start, numbers_t *closed) {
  numbers_t pending = {0};
  size_t walk = ++c->walks;
  c->nodes.data[start].mark = walk;
  if (!nereid_vector_push(c->arena, &pending, start))
    return;
  while (pending.size > 0) {
    const node_t *node = &c->nodes.data[pending.data[--pending.size]];
    for (size_t i = 0; i < node->own.size; i++)
      if (!nereid_vector_push(c->arena, closed, node->own.data[i]))
        return;
    for (size_t i = 0; i < node->inside.size; i++) {
      size_t to = node->inside.data[i];
      if (c->nodes.data[to].mark == walk)
        continue;
      c->nodes.data[to].mark = walk;
      if (!nereid_vector_push(c->arena, &pending, to))
        return;
    }
  }
}

const size_t *nereid_connected_attached(nereid_connected_t *c, MlirOperation op, size_t *out_count) {
  size_t node;
  *out_count = 0;
  if (!index_of(c, op, &node))
    return NULL;
  node_t *root = &c->nodes.data[find_root(c, node)];
  if (!root->is_closed)
    close_over(c, find_root(c, node), &root->closed);
  root->is_closed = true;
  *out_count = root->closed.size;
  return root->closed.data;
}
