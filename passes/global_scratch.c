/* tritongpu-global-scratch-memory-allocation: gives every ttg.global_scratch_alloc its place in its function's frame of
 * global scratch, every call the place of the frame of what it calls.
 *
 *   tt.func public @k   %p = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32}
 *                       tt.call @f() … tt.call @g()            callees that have frames, of 64 and of 128 bytes
 *   ->
 *   %p = ttg.global_scratch_alloc {ttg.global_scratch_memory_offset = 0 : i32, …}
 *   ttg.local_barrier                                                 ttg.local_barrier
 *   tt.call @f() {ttg.global_scratch_memory_offset = 128 : i32}       tt.call @g() {… = 128 : i32}
 *   module {ttg.global_scratch_memory_size = 256 : i32, ttg.global_scratch_memory_alignment = 128 : i32}
 *
 * Allocations of one function never share bytes: a descriptor that was written there may be read until the function is
 * done. Frames of calls lie above them and do share, as one call is over when the next begins, unless what the callee
 * left there may still be read: by an asynchronous copy, or through a pointer that it gives back. Those get a place of
 * their own. Before bytes have another use all threads are done with the one before: a barrier is in front of each
 * call. Sizes are multiples of the alignment: the scratch of one CTA follows that of another (docs/abi.md). */
#include "analysis/call_graph.h"
#include "passes/loop_stages.h"
#include "passes/pass.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static const char offset_name[] = "ttg.global_scratch_memory_offset";

/* Of one function, with all that it calls. */
typedef struct frame {
  int64_t size, alignment; /* bytes; alignment 0: nothing is in it */
  bool lasts;              /* something may still read it when the function has returned */
} frame_t;

static int64_t round_up(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/* Puts `nbytes` into the frame and returns their offset. */
static int64_t append(frame_t *frame, int64_t nbytes, int64_t alignment) {
  const int64_t offset = round_up(frame->size, alignment);
  frame->size = offset + nbytes;
  frame->alignment = alignment > frame->alignment ? alignment : frame->alignment;
  return offset;
}

/* Copies that read a descriptor at some time after they were issued. */
static bool is_asynchronous(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL:
  case NEREID_OP_TTNG_ASYNC_TMA_GATHER:
  case NEREID_OP_TTNG_ASYNC_TMA_REDUCE:
  case NEREID_OP_TTNG_ASYNC_TMA_SCATTER:
    return true;
  default:
    return false;
  }
}

static MlirWalkResult place_own(MlirOperation op, void *user_data) {
  frame_t *frame = user_data;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  frame->lasts |= is_asynchronous(kind);
  if (kind == NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC)
    nereid_loop_set_integer(op, offset_name,
                            append(frame, nereid_ttg_global_scratch_alloc_get_nbytes(op),
                                   nereid_ttg_global_scratch_alloc_get_alignment(op)));
  return MlirWalkResultAdvance;
}

static bool returns_pointers(MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(nereid_tt_func_get_function_type_attr(function));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i) {
    MlirType result = mlirFunctionTypeGetResult(type, i);
    if (mlirTypeIsARankedTensor(result))
      result = mlirShapedTypeGetElementType(result);
    if (nereid_tt_ptr_type_isa(result) || nereid_tt_tensordesc_type_isa(result))
      return true;
  }
  return false;
}

/* Frames of calls: those that last one after another, the others together behind them. */
static void place_calls(const nereid_call_graph_t *graph, const nereid_call_function_t *function, const frame_t *frames,
                        frame_t *frame) {
  for (size_t c = 0; c < function->n_calls; ++c) {
    const nereid_call_edge_t *edge = nereid_call_graph_call(graph, function, c);
    const frame_t *callee = &frames[edge->callee];
    frame->lasts |= callee->lasts;
    if (callee->alignment && callee->lasts)
      nereid_loop_set_integer(edge->call, offset_name, append(frame, callee->size, callee->alignment));
  }
  frame_t end = *frame;
  for (size_t c = 0; c < function->n_calls; ++c) {
    const nereid_call_edge_t *edge = nereid_call_graph_call(graph, function, c);
    const frame_t *callee = &frames[edge->callee];
    frame_t here = *frame;
    if (!callee->alignment || callee->lasts)
      continue;
    nereid_builder_t builder = nereid_builder_before(edge->call);
    nereid_ttg_local_barrier_build(&builder, false);
    nereid_loop_set_integer(edge->call, offset_name, append(&here, callee->size, callee->alignment));
    end.size = here.size > end.size ? here.size : end.size;
    end.alignment = here.alignment > end.alignment ? here.alignment : end.alignment;
  }
  *frame = end;
}

static bool place_function(const nereid_call_graph_t *graph, const nereid_call_function_t *function, frame_t *frames) {
  frame_t *frame = &frames[function - graph->functions.data];
  mlirOperationWalk(function->op, place_own, frame, MlirWalkPreOrder);
  place_calls(graph, function, frames, frame);
  frame->lasts |= returns_pointers(function->op);
  if (frame->alignment)
    frame->size = round_up(frame->size, frame->alignment);
  if (frame->size <= INT32_MAX)
    return true;
  mlirEmitError(mlirOperationGetLocation(function->op), "more than 2 GiB of global scratch for one CTA");
  return false;
}

MlirLogicalResult nereid_pass_tritongpu_global_scratch_memory_allocation(nereid_pass_t *pass) {
  nereid_call_graph_t graph;
  if (nereid_call_graph_build(pass->op, pass->scratch, &graph) != NEREID_OK)
    return mlirLogicalResultFailure();
  frame_t *frames = nereid_arena_new(pass->scratch, frame_t, graph.functions.size), all = {0};
  for (size_t i = 0; i < graph.functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callees_first(&graph, i);
    if (!frames || !place_function(&graph, function, frames))
      return mlirLogicalResultFailure();
    const frame_t *frame = &frames[function - graph.functions.data];
    all.size = frame->size > all.size ? frame->size : all.size;
    all.alignment = frame->alignment > all.alignment ? frame->alignment : all.alignment;
  }
  if (all.alignment) {
    nereid_loop_set_integer(pass->op, "ttg.global_scratch_memory_size", round_up(all.size, all.alignment));
    nereid_loop_set_integer(pass->op, "ttg.global_scratch_memory_alignment", all.alignment);
  }
  nereid_pass_statistic_add(pass, "bytes", all.size);
  return mlirLogicalResultSuccess();
}
