/* tritongpu-global-scratch-memory-allocation: assigns each ttg.global_scratch_alloc an offset in its function's frame
 * of global scratch, and each call the offset of its callee's frame.
 *
 *   %p = ttg.global_scratch_alloc {nbytes = 128 : i32, …}     … used here for the last time
 *   tt.call @f()                                              its frame: 64 bytes
 *   ->
 *   %p = ttg.global_scratch_alloc {ttg.global_scratch_memory_offset = 0 : i32, …}
 *   ttg.local_barrier
 *   tt.call @f() {ttg.global_scratch_memory_offset = 0 : i32}
 *   module {ttg.global_scratch_memory_size = 128 : i32, ttg.global_scratch_memory_alignment = 128 : i32}
 *
 * As in shared memory, allocations that are live at the same time never overlap, and others share bytes
 * (analysis/allocation/global_liveness.h). A frame is live during its call, but for the whole function when one of its
 * allocations lasts. All threads must finish using bytes before they are reused, so a barrier precedes each allocation
 * that shares bytes, and each call, which may be repeated. Sizes are multiples of the alignment, because the scratch of
 * consecutive CTAs is contiguous (docs/abi.md). */
#include "analysis/allocation/global_liveness.h"
#include "analysis/allocation/placement.h"
#include "analysis/call_graph.h"
#include "dialects/ir.h"
#include "passes/pass.h"
#include "passes/pipelining/loop_stages.h"

#include "nereid/dialects/ttg.h"

#include <stdlib.h>

static const char offset_name[] = NEREID_ATTR_GLOBAL_SCRATCH_OFFSET;

/* Global scratch of one function, including its callees. */
typedef struct frame {
  int64_t size, alignment; /* bytes; alignment 0: the frame is empty */
  bool lasts;              /* an allocation may be read after the function has returned */
} frame_t;

/* Of one function: its allocations, then its calls. */
typedef struct layout {
  nereid_arena_t *arena;
  nereid_global_liveness_t liveness;
  NEREID_VECTOR(MlirOperation) ops;
  NEREID_VECTOR(nereid_placement_item_t) items; /* one per op */
  bool *shares;                                 /* by item: another item has some of its bytes at another time */
} layout_t;

static int64_t round_up(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

static void add(layout_t *layout, MlirOperation op, int64_t bytes, int64_t alignment, nereid_live_t live) {
  const nereid_placement_item_t item = {.bytes = bytes, .alignment = alignment, .live = live};
  nereid_vector_push(layout->arena, &layout->ops, op);
  nereid_vector_push(layout->arena, &layout->items, item);
}

static void add_own(layout_t *layout, frame_t *frame) {
  for (size_t i = 0; i < layout->liveness.allocations.size; ++i) {
    const nereid_global_allocation_t *own = &layout->liveness.allocations.data[i];
    add(layout, own->op, nereid_ttg_global_scratch_alloc_get_nbytes(own->op),
        nereid_ttg_global_scratch_alloc_get_alignment(own->op), own->live);
    frame->lasts |= own->lasts;
  }
}

static void add_calls(layout_t *layout, const nereid_call_graph_t *graph, const nereid_call_function_t *function,
                      const frame_t *frames, frame_t *frame) {
  nereid_global_liveness_t *liveness = &layout->liveness;
  const nereid_live_t always = {.ranges = &liveness->always, .count = 1};
  for (size_t c = 0; c < function->n_calls; ++c) {
    const nereid_call_edge_t *edge = nereid_call_graph_call(graph, function, c);
    const frame_t *callee = &frames[edge->callee];
    if (!callee->alignment)
      continue;
    frame->lasts |= callee->lasts;
    add(layout, edge->call, callee->size, callee->alignment,
        callee->lasts
            ? always
            : nereid_liveness_of_op(&liveness->times, nereid_flow_graph_position(&liveness->graph, edge->call)));
  }
}

/* --- sharing --- */

static int by_offset(const void *a, const void *b) {
  const nereid_placement_item_t *x = *(nereid_placement_item_t *const *)a, *y = *(nereid_placement_item_t *const *)b;
  return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset) : (x > y) - (x < y);
}

/* In the order of offsets, compares each item with the earlier item that ends highest: if that does not overlap, no
 * earlier item does. */
static void find_sharing(layout_t *layout) {
  nereid_placement_item_t *items = layout->items.data, *high = NULL;
  const size_t n = layout->items.size;
  nereid_placement_item_t **order = nereid_arena_new(layout->arena, nereid_placement_item_t *, n);
  layout->shares = nereid_arena_new(layout->arena, bool, n);
  if (layout->arena->failed)
    return;
  for (size_t i = 0; i < n; ++i)
    order[i] = &items[i];
  qsort(order, n, sizeof *order, by_offset);
  for (size_t i = 0; i < n; ++i) {
    if (!order[i]->bytes)
      continue;
    if (high && order[i]->offset < high->offset + high->bytes)
      layout->shares[order[i] - items] = layout->shares[high - items] = true;
    if (!high || order[i]->offset + order[i]->bytes > high->offset + high->bytes)
      high = order[i];
  }
}

/* --- the frame --- */

static uint32_t time_of(const layout_t *layout, size_t item) {
  const nereid_global_liveness_t *liveness = &layout->liveness;
  return nereid_liveness_time(&liveness->times, nereid_flow_graph_position(&liveness->graph, layout->ops.data[item]));
}

/* Whether control may come back to `time`: a loop is one interval of times. */
static bool is_repeated(const layout_t *layout, uint32_t time) {
  const nereid_flow_graph_t *graph = &layout->liveness.graph;
  const uint32_t *starts = layout->liveness.times.starts;
  for (size_t e = 0; e < graph->edges.size; ++e) {
    const nereid_flow_edge_t *edge = &graph->edges.data[e];
    const nereid_flow_node_t *from = &graph->nodes.data[edge->from];
    if (edge->is_back && starts[edge->to] <= time && time < starts[edge->from] + from->end - from->first)
      return true;
  }
  return false;
}

/* Whether all threads must have finished with the previous contents of the item's bytes. In a kernel, the first of the
 * sharing items has no previous contents if it runs once; a function may be called again. */
static bool needs_barrier(const layout_t *layout, size_t item, bool is_kernel) {
  const bool lasts = layout->items.data[item].live.ranges == &layout->liveness.always;
  const bool is_call = item >= layout->liveness.allocations.size;
  bool is_behind = false;
  if (!layout->shares[item] && (!is_call || lasts))
    return false;
  for (size_t i = 0; layout->shares[item] && i < layout->items.size && !is_behind; ++i)
    is_behind = layout->shares[i] && time_of(layout, i) < time_of(layout, item);
  return !is_kernel || is_behind || is_repeated(layout, time_of(layout, item));
}

static void write_places(const layout_t *layout, bool is_kernel) {
  for (size_t i = 0; i < layout->items.size; ++i) {
    nereid_builder_t builder = nereid_builder_before(layout->ops.data[i]);
    nereid_ir_set_integer(layout->ops.data[i], offset_name, layout->items.data[i].offset);
    if (needs_barrier(layout, i, is_kernel))
      nereid_ttg_local_barrier_build(&builder, false);
  }
}

/* Places all items; false when out of memory. */
static bool place_items(layout_t *layout, frame_t *frame) {
  const nereid_liveness_t *times = &layout->liveness.times;
  frame->size =
      nereid_placement_run(layout->items.data, layout->items.size, times->spans.data, times->spans.size, layout->arena);
  find_sharing(layout);
  if (layout->arena->failed)
    return false;
  for (size_t i = 0; i < layout->items.size; ++i)
    if (layout->items.data[i].alignment > frame->alignment)
      frame->alignment = layout->items.data[i].alignment;
  frame->size = round_up(frame->size, frame->alignment);
  return true;
}

static bool place_function(nereid_arena_t *arena, const nereid_call_graph_t *graph,
                           const nereid_call_function_t *function, frame_t *frames) {
  frame_t *frame = &frames[function - graph->functions.data];
  layout_t layout = {.arena = arena};
  if (!nereid_global_liveness_run(function->op, arena, &layout.liveness))
    return false;
  add_own(&layout, frame);
  add_calls(&layout, graph, function, frames, frame);
  if (arena->failed || !layout.items.size)
    return !arena->failed;
  if (!place_items(&layout, frame))
    return false;
  write_places(&layout, function->n_callers == 0);
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
    if (!frames || !place_function(pass->scratch, &graph, function, frames))
      return mlirLogicalResultFailure();
    const frame_t *frame = &frames[function - graph.functions.data];
    all.size = frame->size > all.size ? frame->size : all.size;
    all.alignment = frame->alignment > all.alignment ? frame->alignment : all.alignment;
  }
  if (all.alignment) {
    nereid_ir_set_integer(pass->op, NEREID_ATTR_GLOBAL_SCRATCH_SIZE, round_up(all.size, all.alignment));
    nereid_ir_set_integer(pass->op, "ttg.global_scratch_memory_alignment", all.alignment);
  }
  nereid_pass_statistic_add(pass, "bytes", all.size);
  return mlirLogicalResultSuccess();
}
