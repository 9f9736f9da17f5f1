/* Buffers of functions, callees first; see allocation.h. */
#include "analysis/allocation/allocation.h"
#include "base/target_facts.h"

#include "analysis/access/slot_layout.h"
#include "analysis/allocation/placement.h"
#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* Default: the widest access. mbarriers are 64-bit words; a bulk copy requires 128 bytes (PTX ISA, "Tensor copy"). */
enum { DEFAULT_ALIGNMENT = 16, BARRIER_ALIGNMENT = 8, BULK_ALIGNMENT = 128 };

typedef struct function_state {
  nereid_arena_t *arena;
  nereid_scratch_bytes_t scratch;
  const nereid_call_graph_t *calls;
  const nereid_allocation_t *allocation;
  MlirOperation function;
  nereid_flow_graph_t graph;
  nereid_alias_t alias;
  nereid_liveness_t liveness;
  int64_t *alignments; /* by number of buffer, from uses; 0: no requirement */
  NEREID_VECTOR(nereid_buffer_t) buffers;
} function_state_t;

typedef struct summaries {
  nereid_map_t results, ends; /* by name: nereid_alias_results_t *, nereid_liveness_end_t * */
} summaries_t;

/* --- sizes --- */

int64_t nereid_allocation_limit(MlirOperation module) {
  return nereid_target_shared_memory(nereid_ttg_compute_capability(module));
}

/* Number of elements including the gaps of a padded encoding. */
static int64_t listed_elements(MlirAttribute encoding, int rank, const int64_t *shape) {
  int64_t elements = 1, per_cta[NEREID_TTG_MAX_RANK];
  nereid_ttg_shape_per_cta(encoding, rank, shape, per_cta);
  for (int d = 0; d < rank; ++d)
    elements *= per_cta[d];
  if (nereid_ttg_padded_shared_attr_isa(encoding))
    return nereid_layout_padded_offset(encoding, elements - 1) + 1;
  return nereid_ttg_nvmma_shared_attr_isa(encoding) && nereid_ttg_nvmma_shared_attr_get_fp4_padded(encoding)
             ? 2 * elements
             : elements;
}

int64_t nereid_allocation_bytes(MlirType type) {
  nereid_ttg_memdesc_t memdesc;
  nereid_layout_t layout;
  int64_t stages = 1;
  if (!nereid_ttg_memdesc_read(type, &memdesc))
    return 0;
  const int64_t bytes = nereid_scratch_element_bytes(memdesc.element);
  /* A ring may have any number of stages; the encoding is that of one stage. */
  for (int d = 0; d < memdesc.alloc_rank; stages *= memdesc.alloc[d++])
    if (nereid_layout_from_encoding(memdesc.encoding, memdesc.alloc_rank - d, memdesc.alloc + d, &layout) == NEREID_OK)
      return stages * (INT64_C(1) << layout.in_bits[NEREID_LAYOUT_OFFSET]) * bytes;
  /* Padded encodings, and shapes that their encoding does not cover, which the lowering rejects. */
  return listed_elements(memdesc.encoding, memdesc.alloc_rank, memdesc.alloc) * bytes;
}

/* --- alignments --- */

static void want(function_state_t *state, MlirValue value, int64_t alignment) {
  const nereid_alias_set_t set = nereid_alias_of(&state->alias, value);
  for (uint32_t i = 0; i < set.count; ++i)
    if (state->alignments[set.buffers[i]] < alignment)
      state->alignments[set.buffers[i]] = alignment;
}

/* A part that starts inside a swizzle pattern: lowerings read the position in the pattern off the address. */
static void want_pattern(function_state_t *state, MlirOperation op) {
  const nereid_ttg_memdesc_t part = nereid_ttg_memdesc_of(mlirOperationGetResult(op, 0));
  const uint32_t bits = nereid_slot_start_bits(&part) & nereid_slot_swizzled_bits(&part);
  if (bits)
    want(state, mlirOperationGetOperand(op, 0),
         (INT64_C(2) << (31 - __builtin_clz(bits))) * nereid_scratch_element_bytes(part.element));
}

static void want_by_use(function_state_t *state, MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_MEMDESC_SUBSLICE:
    want_pattern(state, op);
    break;
  case NEREID_OP_TTNG_INIT_BARRIER:
    want(state, nereid_ttng_init_barrier_get_alloc(op), BARRIER_ALIGNMENT);
    break;
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
    want(state, nereid_ttng_async_tma_copy_global_to_local_get_result(op), BULK_ALIGNMENT);
    break;
  case NEREID_OP_TTNG_ASYNC_TMA_GATHER:
    want(state, nereid_ttng_async_tma_gather_get_result(op), BULK_ALIGNMENT);
    break;
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL:
    want(state, nereid_ttng_async_tma_copy_local_to_global_get_src(op), BULK_ALIGNMENT);
    break;
  case NEREID_OP_TTNG_ASYNC_TMA_REDUCE:
    want(state, nereid_ttng_async_tma_reduce_get_src(op), BULK_ALIGNMENT);
    break;
  case NEREID_OP_TTNG_ASYNC_TMA_SCATTER:
    want(state, nereid_ttng_async_tma_scatter_get_src(op), BULK_ALIGNMENT);
    break;
  default:
    break;
  }
}

/* The maximum of the alignments from the attribute, the encoding and the uses; a buffer of only mbarriers needs less.
 */
static int64_t alignment_of(const function_state_t *state, uint32_t b) {
  MlirOperation alloc = state->alias.buffers.data[b].alloc;
  MlirAttribute given = nereid_ttg_local_alloc_get_alignment_attr(alloc);
  int64_t alignment = nereid_ttg_shared_alignment(nereid_ttg_memdesc_of(mlirOperationGetResult(alloc, 0)).encoding);
  if (state->alignments[b] == BARRIER_ALIGNMENT && alignment == DEFAULT_ALIGNMENT)
    alignment = BARRIER_ALIGNMENT;
  alignment = state->alignments[b] > alignment ? state->alignments[b] : alignment;
  if (!mlirAttributeIsNull(given) && mlirIntegerAttrGetValueInt(given) > alignment)
    alignment = mlirIntegerAttrGetValueInt(given);
  return alignment;
}

/* --- buffers --- */

static void add_buffer(function_state_t *state, nereid_buffer_t buffer) {
  nereid_vector_push(state->arena, &state->buffers, buffer);
}

static void add_explicit(function_state_t *state, uint32_t b) {
  MlirOperation alloc = state->alias.buffers.data[b].alloc;
  add_buffer(state,
             (nereid_buffer_t){.kind = NEREID_BUFFER_EXPLICIT,
                               .op = alloc,
                               .bytes = nereid_allocation_bytes(mlirValueGetType(state->alias.buffers.data[b].value)),
                               .alignment = alignment_of(state, b),
                               .live = state->liveness.buffers[b]});
}

static void add_call(function_state_t *state, MlirOperation call, uint32_t position) {
  const nereid_call_function_t *callee = nereid_call_graph_callee(state->calls, call);
  const nereid_frame_t *frame = &state->allocation->frames[callee - state->calls->functions.data];
  if (frame->bytes)
    add_buffer(state, (nereid_buffer_t){.kind = NEREID_BUFFER_VIRTUAL,
                                        .op = call,
                                        .bytes = frame->bytes,
                                        .alignment = frame->alignment,
                                        .live = nereid_liveness_of_op(&state->liveness, position)});
}

static void add_scratch(function_state_t *state, MlirOperation op, uint32_t position) {
  const int64_t bytes = state->scratch(op);
  if (bytes)
    add_buffer(state, (nereid_buffer_t){.kind = NEREID_BUFFER_SCRATCH,
                                        .op = op,
                                        .bytes = bytes,
                                        .alignment = nereid_scratch_alignment(op),
                                        .live = nereid_liveness_of_op(&state->liveness, position)});
}

/* Warps of partitions poll for work: one byte per warp holds its next partition. */
static void add_warp_states(function_state_t *state) {
  int64_t most = 0;
  for (size_t i = 0; i < state->liveness.specialized.size; ++i) {
    MlirOperation op = state->liveness.specialized.data[i];
    int64_t warps = 0;
    for (intptr_t p = 0; p < nereid_ttg_warp_specialize_get_partition_num_warps_count(op); ++p)
      warps += nereid_ttg_warp_specialize_get_partition_num_warps(op, p);
    most = warps > most ? warps : most;
  }
  nereid_live_range_t *always = nereid_arena_new(state->arena, nereid_live_range_t, 1);
  if (!most || !always)
    return;
  always->last = (uint32_t)state->graph.ops.size - 1;
  add_buffer(state, (nereid_buffer_t){.kind = NEREID_BUFFER_SCRATCH,
                                      .op = state->function,
                                      .bytes = most,
                                      .alignment = 1,
                                      .live = {.ranges = always, .count = 1}});
}

static bool collect(function_state_t *state) {
  state->alignments = nereid_arena_new(state->arena, int64_t, state->alias.buffers.size);
  for (size_t p = 0; state->alignments && p < state->graph.ops.size; ++p)
    if (state->graph.concerned[p])
      want_by_use(state, state->graph.ops.data[p]);
  for (uint32_t b = 0; state->alignments && b < state->alias.buffers.size; ++b)
    if (!mlirOperationIsNull(state->alias.buffers.data[b].alloc))
      add_explicit(state, b);
  for (uint32_t p = 0; p < state->graph.ops.size; ++p) {
    MlirOperation op = state->graph.ops.data[p];
    if (state->graph.concerned[p] && nereid_op_kind(op) == NEREID_OP_TT_CALL)
      add_call(state, op, p);
    else
      add_scratch(state, op, p);
  }
  add_warp_states(state);
  return !state->arena->failed;
}

/* --- frames --- */

static bool place(function_state_t *state, nereid_frame_t *frame) {
  nereid_placement_item_t *items = nereid_arena_new(state->arena, nereid_placement_item_t, state->buffers.size);
  *frame = (nereid_frame_t){.buffers = state->buffers.data,
                            .count = state->buffers.size,
                            .alignment = 1,
                            .spans = state->liveness.spans.data,
                            .n_spans = state->liveness.spans.size};
  for (size_t i = 0; items && i < frame->count; ++i) {
    const nereid_buffer_t *buffer = &frame->buffers[i];
    items[i] = (nereid_placement_item_t){buffer->bytes, buffer->alignment, buffer->live, 0};
    frame->alignment = buffer->alignment > frame->alignment ? buffer->alignment : frame->alignment;
  }
  if (!items)
    return false;
  frame->bytes = nereid_placement_run(items, frame->count, frame->spans, frame->n_spans, state->arena);
  frame->bound = nereid_placement_bound(items, frame->count, frame->spans, frame->n_spans, state->arena);
  if (frame->bound > frame->bytes) /* sizes are rounded up, and the bytes of warps fit after an unaligned end */
    frame->bound = frame->bytes;
  for (size_t i = 0; i < frame->count; ++i)
    frame->buffers[i].offset = items[i].offset;
  return frame->bytes >= 0 && frame->bound >= 0;
}

/* Records what callers need from the function. */
static bool summarize(function_state_t *state, summaries_t *summaries) {
  MlirAttribute name = nereid_ir_attribute(state->function, NEREID_ATTR_SYMBOL_NAME);
  nereid_alias_results_t *results = nereid_arena_new(state->arena, nereid_alias_results_t, 1);
  nereid_liveness_end_t *end = nereid_arena_new(state->arena, nereid_liveness_end_t, 1);
  uintptr_t *place_of_results = nereid_map_insert(&summaries->results, name.ptr);
  uintptr_t *place_of_end = nereid_map_insert(&summaries->ends, name.ptr);
  if (!results || !end || !place_of_results || !place_of_end ||
      !nereid_alias_results(&state->graph, &state->alias, state->arena, results))
    return false;
  *end = state->liveness.end;
  *place_of_results = (uintptr_t)results;
  *place_of_end = (uintptr_t)end;
  return true;
}

bool nereid_allocation_run(const nereid_call_graph_t *calls, nereid_scratch_bytes_t scratch, nereid_arena_t *arena,
                           nereid_allocation_t *out) {
  summaries_t summaries;
  nereid_map_initialize(&summaries.results, arena);
  nereid_map_initialize(&summaries.ends, arena);
  *out = (nereid_allocation_t){calls, nereid_arena_new(arena, nereid_frame_t, calls->functions.size)};
  for (size_t i = 0; !arena->failed && i < calls->functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callees_first(calls, i);
    function_state_t state = {
        .arena = arena, .scratch = scratch, .calls = calls, .allocation = out, .function = function->op};
    if (!nereid_flow_graph_build(function->op, arena, &state.graph) ||
        !nereid_alias_run(&state.graph, &summaries.results, arena, &state.alias) ||
        !nereid_liveness_run(&state.graph, &state.alias, function->n_callers > 0, &summaries.ends, arena,
                             &state.liveness) ||
        !collect(&state) || !place(&state, &out->frames[function - calls->functions.data]) ||
        !summarize(&state, &summaries))
      return false;
  }
  return !arena->failed;
}

int64_t nereid_allocation_trial(const nereid_frame_t *frame, const int64_t *bytes, nereid_arena_t *arena) {
  nereid_placement_item_t *items = nereid_arena_new(arena, nereid_placement_item_t, frame->count);
  for (size_t i = 0; items && i < frame->count; ++i)
    items[i] = (nereid_placement_item_t){bytes[i], frame->buffers[i].alignment, frame->buffers[i].live, 0};
  return items ? nereid_placement_run(items, frame->count, frame->spans, frame->n_spans, arena) : -1;
}

bool nereid_allocation_live_together(const nereid_buffer_t *a, const nereid_buffer_t *b) {
  const nereid_live_t *x = &a->live, *y = &b->live;
  if (x->group && x->group == y->group && x->member != y->member)
    return true;
  for (uint32_t i = 0, j = 0; i < x->count && j < y->count;) {
    if (x->ranges[i].first <= y->ranges[j].last && y->ranges[j].first <= x->ranges[i].last)
      return true;
    if (x->ranges[i].last < y->ranges[j].last)
      ++i;
    else
      ++j;
  }
  return false;
}
