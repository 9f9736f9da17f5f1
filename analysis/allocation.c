/* Live ranges and offsets; see allocation.h.
 *
 * Positions number the ops of a function in the order of the text. A range that enters a loop from above lasts to the
 * loop's end, where a loop is an op with a body that repeats or the blocks between a branch back and its target. Large
 * explicit buffers come first and take the lowest gap among those that live at the same time; scratch, which never
 * lives at once with other scratch, then fits around them. */
#include "analysis/allocation.h"

#include "analysis/scratch.h"
#include "analysis/shared_alias.h"
#include "base/vector.h"
#include "dialects/diagnose.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

enum { DEFAULT_ALIGNMENT = 16, PATTERN_ALIGNMENT = 1024 };

typedef struct range {
  int64_t first, last;
} range_t;

typedef struct liveness {
  nereid_arena_t *arena;
  const nereid_map_t *frames;
  nereid_shared_alias_t alias;
  nereid_map_t positions; /* op -> its position */
  int64_t next;           /* position */
  range_t *ranges;        /* by class */
  NEREID_VECTOR(range_t) loops;
  NEREID_VECTOR(nereid_buffer_t) buffers; /* explicit ones, then the others */
  size_t n_explicit;
  bool failed;
} liveness_t;

/* --- sizes --- */

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the maximum per thread block. */
int64_t nereid_allocation_limit(MlirOperation module) {
  static const struct {
    int capability;
    int64_t kibibytes;
  } limits[] = {{90, 227}, {89, 99}, {87, 163}, {86, 99}, {80, 163}};
  const int capability = nereid_ttg_compute_capability(module);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    if (capability >= limits[i].capability)
      return limits[i].kibibytes * 1024;
  return INT64_C(48) * 1024;
}

int64_t nereid_allocation_bytes(MlirType type) {
  nereid_ttg_memdesc_t memdesc;
  nereid_layout_t layout;
  int64_t stages = 1;
  if (!nereid_ttg_memdesc_read(type, &memdesc))
    return 0;
  /* A ring of stages is as long as it likes; the encoding is of what lies in one. */
  for (int d = 0; d < memdesc.alloc_rank; stages *= memdesc.alloc[d++])
    if (nereid_layout_from_encoding(memdesc.encoding, memdesc.alloc_rank - d, memdesc.alloc + d, &layout) == NEREID_OK)
      return stages * (INT64_C(1) << layout.in_bits[NEREID_LAYOUT_OFFSET]) *
             nereid_scratch_element_bytes(memdesc.element);
  return 0;
}

static int64_t alignment_of(MlirOperation alloc) {
  nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(mlirOperationGetResult(alloc, 0));
  MlirAttribute given = nereid_ttg_local_alloc_get_alignment_attr(alloc);
  if (!mlirAttributeIsNull(given) && mlirIntegerAttrGetValueInt(given) > DEFAULT_ALIGNMENT)
    return mlirIntegerAttrGetValueInt(given);
  return nereid_ttg_nvmma_shared_attr_isa(memdesc.encoding) ? PATTERN_ALIGNMENT : DEFAULT_ALIGNMENT;
}

/* --- positions and loops --- */

static int64_t *position_of(liveness_t *liveness, MlirOperation op) {
  return (int64_t *)nereid_map_find(&liveness->positions, op.ptr);
}

static MlirWalkResult number(MlirOperation op, void *user_data) {
  liveness_t *liveness = user_data;
  uintptr_t *place = nereid_map_insert(&liveness->positions, op.ptr);
  if (place)
    *place = (uintptr_t)liveness->next++;
  return place ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

/* The position of the last op below `op`, or its own. */
static int64_t last_below(liveness_t *liveness, MlirOperation op) {
  for (intptr_t r = mlirOperationGetNumRegions(op) - 1; r >= 0; --r) {
    MlirBlock last = {NULL};
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      last = block;
    if (!mlirBlockIsNull(last) && !mlirOperationIsNull(mlirBlockGetTerminator(last)))
      return *position_of(liveness, mlirBlockGetTerminator(last));
  }
  return *position_of(liveness, op);
}

static void add_loop(liveness_t *liveness, int64_t first, int64_t last) {
  if (first <= last && !nereid_vector_push(liveness->arena, &liveness->loops, (range_t){first, last}))
    liveness->failed = true;
}

static void find_loops(liveness_t *liveness, MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  const int64_t here = *position_of(liveness, op);
  if (kind == NEREID_OP_SCF_FOR || kind == NEREID_OP_SCF_WHILE)
    add_loop(liveness, here, last_below(liveness, op));
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); ++s)
    add_loop(liveness, *position_of(liveness, mlirBlockGetFirstOperation(mlirOperationGetSuccessor(op, s))), here);
}

/* --- ranges --- */

static void touch(liveness_t *liveness, MlirValue value, int64_t position) {
  if (!nereid_shared_alias_is_buffer(value))
    return;
  range_t *range = &liveness->ranges[nereid_shared_alias_class(&liveness->alias, value)];
  range->first = position < range->first ? position : range->first;
  range->last = position > range->last ? position : range->last;
}

static void add_buffer(liveness_t *liveness, MlirOperation op, int64_t bytes, int64_t alignment, range_t range) {
  nereid_buffer_t buffer = {.op = op, .bytes = bytes, .alignment = alignment, .first = range.first, .last = range.last};
  if (!nereid_vector_push(liveness->arena, &liveness->buffers, buffer))
    liveness->failed = true;
}

static MlirWalkResult touch_values(MlirOperation op, void *user_data) {
  liveness_t *liveness = user_data;
  const int64_t here = *position_of(liveness, op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    touch(liveness, mlirOperationGetOperand(op, i), here);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    touch(liveness, mlirOperationGetResult(op, i), here);
  MlirBlock block = mlirOperationGetBlock(op);
  if (!mlirBlockIsNull(block) && mlirOperationEqual(mlirBlockGetFirstOperation(block), op))
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
      touch(liveness, mlirBlockGetArgument(block, i), here);
  find_loops(liveness, op);
  return liveness->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

/* What comes into a loop from above and is used in it is there to its end; loops inside one another take turns. */
static void extend_through_loops(liveness_t *liveness, size_t classes) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t l = 0; l < liveness->loops.size; ++l)
      for (size_t c = 0; c < classes; ++c) {
        range_t *range = &liveness->ranges[c];
        const range_t loop = liveness->loops.data[l];
        if (range->first > loop.first || range->last < loop.first || range->last >= loop.last)
          continue;
        range->last = loop.last;
        changed = true;
      }
  }
}

static MlirWalkResult collect_explicit(MlirOperation op, void *user_data) {
  liveness_t *liveness = user_data;
  if (nereid_op_kind(op) != NEREID_OP_TTG_LOCAL_ALLOC)
    return MlirWalkResultAdvance;
  MlirValue result = mlirOperationGetResult(op, 0);
  const int64_t bytes = nereid_allocation_bytes(mlirValueGetType(result));
  if (!bytes) {
    nereid_diagnose(op, "makes a buffer of a size that cannot be told: %s",
                    nereid_text_of_type(mlirValueGetType(result)).chars);
    liveness->failed = true;
    return MlirWalkResultInterrupt;
  }
  add_buffer(liveness, op, bytes, alignment_of(op),
             liveness->ranges[nereid_shared_alias_class(&liveness->alias, result)]);
  return MlirWalkResultAdvance;
}

static int64_t frame_bytes(const liveness_t *liveness, MlirOperation call) {
  MlirAttribute callee = mlirOperationGetAttributeByName(call, mlirStringRefCreateFromCString("callee"));
  MlirAttribute name = mlirStringAttrGet(mlirOperationGetContext(call), mlirFlatSymbolRefAttrGetValue(callee));
  const uintptr_t *frame = nereid_map_find(liveness->frames, name.ptr);
  return frame ? ((const nereid_frame_t *)*frame)->bytes : 0;
}

static MlirWalkResult collect_others(MlirOperation op, void *user_data) {
  liveness_t *liveness = user_data;
  const int64_t here = *position_of(liveness, op);
  const bool call = nereid_op_kind(op) == NEREID_OP_TT_CALL;
  const int64_t bytes = call ? frame_bytes(liveness, op) : nereid_scratch_bytes(op);
  if (bytes)
    add_buffer(liveness, op, bytes, call ? PATTERN_ALIGNMENT : DEFAULT_ALIGNMENT, (range_t){here, here});
  return MlirWalkResultAdvance;
}

/* --- offsets --- */

/* Large ones first, then in the order of the text. */
static int by_size(const void *a, const void *b) {
  const nereid_buffer_t *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return x->first < y->first ? -1 : x->first > y->first;
}

static bool live_together(const nereid_buffer_t *a, const nereid_buffer_t *b) {
  return a->first <= b->last && b->first <= a->last;
}

/* The lowest offset at which `buffer` overlaps none of the `count` placed ones that live with it. */
static void place(nereid_buffer_t *buffer, const nereid_buffer_t *placed, size_t count) {
  buffer->offset = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < count; ++i)
      if (live_together(buffer, &placed[i]) && buffer->offset < placed[i].offset + placed[i].bytes &&
          placed[i].offset < buffer->offset + buffer->bytes) {
        const int64_t end = placed[i].offset + placed[i].bytes;
        buffer->offset = (end + buffer->alignment - 1) / buffer->alignment * buffer->alignment;
        moved = true;
      }
  }
}

static bool analyze(liveness_t *liveness, MlirOperation function) {
  mlirOperationWalk(function, number, liveness, MlirWalkPreOrder);
  if (!nereid_shared_alias_run(function, liveness->arena, &liveness->alias))
    return false;
  const size_t classes = nereid_shared_alias_classes(&liveness->alias);
  liveness->ranges = nereid_arena_new(liveness->arena, range_t, classes);
  for (size_t c = 0; liveness->ranges && c < classes; ++c)
    liveness->ranges[c] = (range_t){INT64_MAX, -1};
  if (liveness->arena->failed)
    return false;
  mlirOperationWalk(function, touch_values, liveness, MlirWalkPreOrder);
  extend_through_loops(liveness, classes);
  mlirOperationWalk(function, collect_explicit, liveness, MlirWalkPreOrder);
  liveness->n_explicit = liveness->buffers.size;
  if (!liveness->failed)
    mlirOperationWalk(function, collect_others, liveness, MlirWalkPreOrder);
  return !liveness->failed && !liveness->arena->failed;
}

bool nereid_allocation_run(MlirOperation function, const nereid_map_t *frames, nereid_arena_t *arena,
                           nereid_frame_t *out) {
  liveness_t liveness = {.arena = arena, .frames = frames};
  nereid_map_initialize(&liveness.positions, arena);
  if (!analyze(&liveness, function))
    return false;
  *out = (nereid_frame_t){.buffers = liveness.buffers.data, .count = liveness.buffers.size};
  if (liveness.n_explicit)
    qsort(out->buffers, liveness.n_explicit, sizeof *out->buffers, by_size);
  for (size_t i = 0; i < out->count; ++i) {
    nereid_buffer_t *buffer = &out->buffers[i];
    place(buffer, out->buffers, i < liveness.n_explicit ? i : liveness.n_explicit);
    out->bytes = buffer->offset + buffer->bytes > out->bytes ? buffer->offset + buffer->bytes : out->bytes;
  }
  return true;
}
