/* Slices along the definitions of values; see buffer_slice.h. */
#include "analysis/access/buffer_slice.h"

#include "dialects/ir.h"

#include "analysis/access/slot_layout.h"
#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"

enum { MAX_DEPTH = 64 }; /* maximum chain of definitions to follow; longer chains give whole buffers */

bool nereid_slicer_initialize(nereid_slicer_t *slicer, const nereid_flow_graph_t *graph, const nereid_alias_t *alias,
                              const uint32_t *spaces, nereid_arena_t *arena) {
  *slicer = (nereid_slicer_t){.arena = arena, .graph = graph, .alias = alias};
  slicer->n_arguments = mlirBlockGetNumArguments(graph->nodes.data[0].block);
  slicer->spaces = nereid_arena_new(arena, uint32_t, (size_t)slicer->n_arguments);
  slicer->shares = nereid_arena_new(arena, bool, (size_t)slicer->n_arguments);
  nereid_ring_phases_initialize(&slicer->phases, graph, arena);
  nereid_map_initialize(&slicer->slices, arena);
  if (arena->failed)
    return false;
  for (intptr_t i = 0; i < slicer->n_arguments; ++i) {
    slicer->spaces[i] = spaces ? spaces[i] : (uint32_t)i;
    if (slicer->spaces[i] != (uint32_t)i)
      slicer->shares[i] = slicer->shares[slicer->spaces[i]] = true;
  }
  return true;
}

/* --- whole buffers --- */

static int64_t bytes_of(MlirValue value) {
  const int64_t bytes = nereid_allocation_bytes(mlirValueGetType(value));
  return bytes ? bytes : NEREID_SHARED_SPACE(1);
}

static nereid_buffer_slice_t slice_of_alloc(const nereid_slicer_t *slicer, uint32_t buffer) {
  const nereid_alias_buffer_t *from = &slicer->alias->buffers.data[buffer];
  const int64_t base =
      nereid_ir_allocation_offset(from->alloc, NEREID_SHARED_SPACE(slicer->n_arguments + 1 + (int64_t)buffer));
  return (nereid_buffer_slice_t){.first = base, .end = base + bytes_of(from->value), .base = base, .exact = true};
}

static nereid_buffer_slice_t slice_of_argument(const nereid_slicer_t *slicer, MlirValue value) {
  const intptr_t argument = mlirBlockArgumentGetArgNumber(value);
  const int64_t space = nereid_slicer_space(slicer, argument);
  const int64_t bytes = slicer->shares[argument] ? NEREID_SHARED_SPACE(1) : bytes_of(value);
  return (nereid_buffer_slice_t){
      .first = space, .end = space + bytes, .base = NEREID_SHARED_SPACE((int64_t)argument + 1), .exact = true};
}

static nereid_buffer_slice_t slice_of_buffer(const nereid_slicer_t *slicer, uint32_t buffer) {
  const nereid_alias_buffer_t *from = &slicer->alias->buffers.data[buffer];
  return mlirOperationIsNull(from->alloc) ? slice_of_argument(slicer, from->value) : slice_of_alloc(slicer, buffer);
}

static void append_buffers(nereid_slicer_t *slicer, MlirValue value, nereid_buffer_slices_t *out) {
  const nereid_alias_set_t set = nereid_alias_of(slicer->alias, value);
  for (uint32_t i = 0; i < set.count; ++i) {
    nereid_buffer_slice_t slice = slice_of_buffer(slicer, set.buffers[i]);
    slice.exact = slice.exact && mlirValueEqual(slicer->alias->buffers.data[set.buffers[i]].value, value);
    nereid_vector_push(slicer->arena, out, slice);
  }
}

/* --- views --- */

static nereid_ring_t *find_ring(nereid_slicer_t *slicer, const nereid_ring_t *ring) {
  for (size_t i = 0; i < slicer->rings.size; ++i) {
    nereid_ring_t *known = slicer->rings.data[i];
    if (known->header == ring->header && known->root == ring->root && known->base == ring->base &&
        known->stride == ring->stride && known->slots == ring->slots && known->step == ring->step &&
        known->any_slot == ring->any_slot)
      return known;
  }
  nereid_ring_t *made = nereid_arena_new(slicer->arena, nereid_ring_t, 1);
  if (!made || !nereid_vector_push(slicer->arena, &slicer->rings, made))
    return NULL;
  *made = *ring;
  return made;
}

/* The unique object for `ring`, together with its form without phases. */
static const nereid_ring_t *ring_of(nereid_slicer_t *slicer, const nereid_ring_t *ring) {
  const nereid_ring_t any = {.base = ring->base, .stride = ring->stride, .slots = ring->slots, .any_slot = true};
  nereid_ring_t *made = find_ring(slicer, ring), *forgotten = find_ring(slicer, &any);
  if (made)
    made->forgotten = forgotten;
  return made;
}

static void take_slot(nereid_slicer_t *slicer, nereid_buffer_slice_t *slice, int64_t stride, int64_t slots,
                      MlirValue index) {
  nereid_ring_phase_t phase = {0};
  int64_t number;
  if (nereid_ring_constant(index, &number) && number >= 0 && number < slots) {
    slice->offset += (uint32_t)(number * stride);
    return;
  }
  if (slice->ring || slots > INT32_MAX) {
    slice->exact = false;
    return;
  }
  const bool known = nereid_ring_phases_get(&slicer->phases, index, slots, &phase);
  const nereid_ring_t ring = {.header = phase.header,
                              .loop = phase.loop,
                              .root = phase.root,
                              .base = slice->base + slice->offset,
                              .stride = stride,
                              .slots = (int32_t)slots,
                              .step = phase.step,
                              .any_slot = !known};
  slice->base = ring.base;
  slice->offset = 0;
  slice->ring = ring_of(slicer, &ring);
  slice->phase = phase.phase;
  slice->exact = slice->ring != NULL;
}

static void turn_index(nereid_slicer_t *slicer, MlirOperation op, nereid_buffer_slices_t *slices) {
  const nereid_ttg_memdesc_t source = nereid_ttg_memdesc_of(mlirOperationGetOperand(op, 0));
  const nereid_ttg_memdesc_t stage = nereid_ttg_memdesc_of(mlirOperationGetResult(op, 0));
  nereid_layout_t layout;
  const bool known =
      !nereid_ttg_padded_shared_attr_isa(source.encoding) && nereid_slot_order_of_stage(&source, &stage, &layout);
  const int64_t stride =
      known ? nereid_scratch_element_bytes(source.element) << layout.in_bits[NEREID_LAYOUT_OFFSET] : 0;
  for (size_t i = 0; i < slices->size; ++i) {
    nereid_buffer_slice_t *slice = &slices->data[i];
    if (!known)
      slice->exact = false;
    else if (slice->exact)
      take_slot(slicer, slice, stride, source.shape[0], mlirOperationGetOperand(op, 1));
  }
}

static void turn_subslice(MlirOperation op, nereid_buffer_slices_t *slices) {
  const nereid_ttg_memdesc_t source = nereid_ttg_memdesc_of(mlirOperationGetOperand(op, 0));
  int32_t coordinates[NEREID_LAYOUT_MAX_RANK] = {0};
  uint32_t offset = 0;
  for (int d = 0; d < source.rank; ++d)
    coordinates[d] = nereid_ttg_memdesc_subslice_get_offsets(op, d);
  const bool known = nereid_slot_layout_offset(&source, coordinates, &offset);
  for (size_t i = 0; i < slices->size; ++i) {
    slices->data[i].exact = slices->data[i].exact && known;
    slices->data[i].offset ^= offset * (uint32_t)nereid_scratch_element_bytes(source.element);
  }
}

/* --- values --- */

/* The only value other than itself that a block argument receives; null when there are several. */
static MlirValue only_source(const nereid_flow_graph_t *graph, MlirValue argument) {
  MlirValue source = {NULL};
  const uint32_t number =
      nereid_flow_graph_node_of(graph, mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(argument)));
  if (number == NEREID_FLOW_NONE)
    return source;
  const nereid_flow_node_t *node = &graph->nodes.data[number];
  for (uint32_t i = 0; i < node->n_incoming; ++i) {
    const nereid_flow_edge_t *edge = &graph->edges.data[graph->incoming[node->first_incoming + i]];
    for (uint32_t f = 0; f < edge->n_forwards; ++f) {
      const nereid_flow_forward_t *forward = &graph->forwards.data[edge->first_forward + f];
      if (!mlirValueEqual(forward->to, argument) || mlirValueEqual(forward->from, argument))
        continue;
      if (!mlirValueIsNull(source) && !mlirValueEqual(source, forward->from))
        return (MlirValue){NULL};
      source = forward->from;
    }
  }
  return source;
}

static const nereid_buffer_slices_t *get(nereid_slicer_t *slicer, MlirValue value, int depth);

static void copy_slices(nereid_slicer_t *slicer, MlirValue from, int depth, nereid_buffer_slices_t *out) {
  const nereid_buffer_slices_t *source = get(slicer, from, depth + 1);
  for (size_t i = 0; source && i < source->size; ++i)
    nereid_vector_push(slicer->arena, out, source->data[i]);
}

static void find(nereid_slicer_t *slicer, MlirValue value, int depth, nereid_buffer_slices_t *out) {
  MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  if (depth < MAX_DEPTH && !mlirOperationIsNull(op) && nereid_ttg_is_memdesc_view(op)) {
    copy_slices(slicer, mlirOperationGetOperand(op, 0), depth, out);
    if (nereid_op_kind(op) == NEREID_OP_TTG_MEMDESC_INDEX)
      turn_index(slicer, op, out);
    else if (nereid_op_kind(op) == NEREID_OP_TTG_MEMDESC_SUBSLICE)
      turn_subslice(op, out);
    return;
  }
  if (depth < MAX_DEPTH && mlirOperationIsNull(op)) {
    MlirValue source = only_source(slicer->graph, value);
    if (!mlirValueIsNull(source)) {
      copy_slices(slicer, source, depth, out);
      return;
    }
  }
  append_buffers(slicer, value, out);
}

static const nereid_buffer_slices_t *get(nereid_slicer_t *slicer, MlirValue value, int depth) {
  const uintptr_t *known = nereid_map_find(&slicer->slices, value.ptr);
  if (known)
    return (const nereid_buffer_slices_t *)*known;
  nereid_buffer_slices_t *slices = nereid_arena_new(slicer->arena, nereid_buffer_slices_t, 1);
  if (!slices)
    return NULL;
  find(slicer, value, depth, slices);
  uintptr_t *place = nereid_map_insert(&slicer->slices, value.ptr);
  if (place)
    *place = (uintptr_t)slices;
  return slices;
}

const nereid_buffer_slices_t *nereid_slicer_get(nereid_slicer_t *slicer, MlirValue value) {
  return get(slicer, value, 0);
}

bool nereid_buffer_slice_is_placed(const nereid_buffer_slice_t *slice) {
  return slice->exact && !slice->ring && slice->end - slice->first < NEREID_SHARED_SPACE(1);
}
