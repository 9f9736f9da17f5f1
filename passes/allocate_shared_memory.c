/* allocate-shared-memory: gives every buffer its offset in its function's frame of shared memory, the module its size.
 *
 *   %0 = ttg.local_alloc %x : … -> !ttg.memdesc<64x64xf32, …>
 *   %1 = ttg.convert_layout %y : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
 *   ->
 *   %0 = ttg.local_alloc %x {allocation.offset = 0 : i32} …                 module {ttg.shared = 32768 : i32}
 *   %1 = ttg.convert_layout %y {allocation.offset = 16384 : i32} …
 *
 * Functions come after what they call: a call holds the whole frame of its callee, which starts at the call's offset
 * (analysis/allocation.h). A kernel's frame starts at 0. */
#include "analysis/allocation.h"
#include "analysis/call_graph.h"
#include "base/vector.h"
#include "passes/pass.h"

#include "nereid/dialects/ops.h"
#include "seam/context.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct allocation {
  nereid_pass_t *pass;
  MlirType i32;
  nereid_map_t frames;  /* name, a StringAttr -> nereid_frame_t * */
  int64_t total, limit; /* bytes */
  bool failed;
} allocation_t;

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

/* --- too much --- */

enum { NOTES = 4 };

static int by_bytes(const void *a, const void *b) {
  const nereid_buffer_t *const *x = a, *const *y = b;
  return ((*x)->bytes < (*y)->bytes) - ((*x)->bytes > (*y)->bytes);
}

/* The error is at the buffer that ends highest; its notes are the largest of those that live with it. */
static void refuse(allocation_t *allocation, const nereid_frame_t *frame) {
  nereid_arena_t *arena = allocation->pass->scratch;
  const nereid_buffer_t *top = &frame->buffers[0];
  for (size_t i = 1; i < frame->count; ++i)
    if (frame->buffers[i].offset + frame->buffers[i].bytes > top->offset + top->bytes)
      top = &frame->buffers[i];
  NEREID_VECTOR(const nereid_buffer_t *) live = {0};
  for (size_t i = 0; i < frame->count; ++i)
    if (&frame->buffers[i] != top && frame->buffers[i].first <= top->last && top->first <= frame->buffers[i].last)
      nereid_vector_push(arena, &live, &frame->buffers[i]);
  if (live.size)
    qsort(live.data, live.size, sizeof *live.data, by_bytes);
  NereidMlirNote notes[NOTES];
  size_t n = 0;
  for (; n < live.size && n < NOTES; ++n) {
    const char *text = nereid_arena_format(arena, "%lld bytes at offset %lld are for this",
                                           (long long)live.data[n]->bytes, (long long)live.data[n]->offset);
    notes[n] = (NereidMlirNote){mlirOperationGetLocation(live.data[n]->op), text ? text : "for this"};
  }
  const int64_t end = top->offset + top->bytes;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(top->op));
  const char *message = nereid_arena_format(
      arena, "'%.*s' op needs %lld bytes of shared memory%s, the target has %lld", (int)name.length, name.data,
      (long long)end, live.size ? " with what else is live here" : "", (long long)allocation->limit);
  nereidMlirEmitWithNotes(MlirDiagnosticError, mlirOperationGetLocation(top->op),
                          message ? message : "too much shared memory", (intptr_t)n, notes);
  allocation->failed = true;
}

/* --- functions, callees first --- */

static bool allocate_function(allocation_t *allocation, MlirOperation function) {
  nereid_arena_t *arena = allocation->pass->scratch;
  nereid_frame_t *frame = nereid_arena_new(arena, nereid_frame_t, 1);
  uintptr_t *place =
      nereid_map_insert(&allocation->frames, mlirOperationGetAttributeByName(function, ref("sym_name")).ptr);
  if (!frame || !place)
    return false;
  *place = (uintptr_t)frame;
  if (!nereid_allocation_run(function, &allocation->frames, arena, frame))
    return false;
  for (size_t i = 0; i < frame->count; ++i)
    mlirOperationSetAttributeByName(frame->buffers[i].op, ref("allocation.offset"),
                                    mlirIntegerAttrGet(allocation->i32, frame->buffers[i].offset));
  if (frame->bytes > allocation->limit)
    refuse(allocation, frame);
  allocation->total = frame->bytes > allocation->total ? frame->bytes : allocation->total;
  return !allocation->failed;
}

MlirLogicalResult nereid_pass_allocate_shared_memory(nereid_pass_t *pass) {
  allocation_t allocation = {
      .pass = pass, .i32 = mlirIntegerTypeGet(pass->context, 32), .limit = nereid_allocation_limit(pass->op)};
  nereid_call_graph_t graph;
  if (nereid_call_graph_build(pass->op, pass->scratch, &graph) != NEREID_OK)
    return mlirLogicalResultFailure();
  nereid_map_initialize(&allocation.frames, pass->scratch);
  for (size_t i = 0; i < graph.functions.size && !allocation.failed; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callees_first(&graph, i);
    if (function->has_body)
      allocation.failed = !allocate_function(&allocation, function->op);
  }
  mlirOperationSetAttributeByName(pass->op, ref("ttg.shared"), mlirIntegerAttrGet(allocation.i32, allocation.total));
  return allocation.failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
