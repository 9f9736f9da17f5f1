/* Reads layouts from types, and buffers with their live ranges from the analysis that allocates them.
 *
 *   %9 = ttg.local_alloc : () -> !ttg.memdesc<3x64x32xf16, #shared, ...>
 *   its layout; bytes 0 to 12287 of the frame, live from time 17 to 90
 */
#include "tools/nereid/report/ir_facts.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinTypes.h>

/* --- layouts --- */

/* Returns the encoding of a tensor or buffer type, and its element type; null for others. */
static MlirAttribute encoding_of(MlirType type, MlirType *out_element) {
  if (nereid_ttg_memdesc_type_isa(type)) {
    *out_element = nereid_ttg_memdesc_type_get_element_type(type);
    return nereid_ttg_memdesc_type_get_encoding(type);
  }
  if (!mlirTypeIsARankedTensor(type))
    return (MlirAttribute){NULL};
  *out_element = mlirShapedTypeGetElementType(type);
  return mlirRankedTensorTypeGetEncoding(type);
}

/* The bits of an element; a pointer has 64. */
static uint32_t bits_of(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 64;
}

static bool same_layout(const report_layout_t *a, const report_layout_t *b) {
  return strcmp(a->encoding, b->encoding) == 0 && a->element_bits == b->element_bits &&
         nereid_layout_equal(&a->layout, &b->layout);
}

/* Returns the index of the type's layout, added when missing; UINT32_MAX when it has none. */
static uint32_t layout_of(report_t *report, MlirType type) {
  MlirType element = {NULL};
  MlirAttribute encoding = encoding_of(type, &element);
  report_layout_t layout;
  memset(&layout, 0, sizeof layout);
  if (mlirAttributeIsNull(encoding) || nereid_layout_from_type(type, &layout.layout))
    return UINT32_MAX;
  nereid_text_builder_t text = {.arena = report->arena};
  mlirAttributePrint(encoding, nereid_text_builder_append, &text);
  layout.encoding = text.data ? text.data : "";
  layout.element_bits = bits_of(element);
  layout.shared = nereid_ttg_memdesc_type_isa(type);
  for (uint32_t i = 0; i < report->layouts.size; ++i)
    if (same_layout(&report->layouts.data[i], &layout))
      return i;
  return nereid_vector_push(report->arena, &report->layouts, layout) ? (uint32_t)report->layouts.size - 1 : UINT32_MAX;
}

bool report_add_layouts(report_t *report, report_stage_kind_t kind, const report_numbering_t *numbering) {
  enum { LIMIT = 8 };
  for (uint32_t i = 1; i <= numbering->count; ++i) {
    uint32_t layouts[LIMIT], count = 0;
    MlirOperation op = numbering->ops[i];
    report_line_t *line = &report->stages[kind].lines[numbering->line[i]];
    for (intptr_t k = 0; k < mlirOperationGetNumResults(op) && count < LIMIT; ++k) {
      layouts[count] = layout_of(report, mlirValueGetType(mlirOperationGetResult(op, k)));
      count += layouts[count] != UINT32_MAX && (!count || layouts[count] != layouts[count - 1]);
    }
    if (!count || !numbering->line[i])
      continue;
    uint32_t *copy = nereid_arena_new(report->arena, uint32_t, count);
    if (!copy)
      return false;
    memcpy(copy, layouts, count * sizeof *copy);
    line->layouts = copy;
    line->n_layouts = count;
  }
  return !report->arena->failed;
}

/* --- shared memory --- */

static void add_buffer(report_t *report, const nereid_buffer_t *buffer, report_buffer_t kept,
                       const report_numbering_t *numbering) {
  static const char *const kinds[] = {"explicit", "scratch", "virtual"};
  nereid_diagnostic_t place = {.file = NULL};
  nereid_live_range_t *ranges = nereid_arena_new(report->arena, nereid_live_range_t, buffer->live.count + (size_t)1);
  if (!ranges)
    return;
  memcpy(ranges, buffer->live.ranges, buffer->live.count * sizeof *ranges);
  kept.kind = kinds[buffer->kind];
  kept.offset = (uint64_t)buffer->offset;
  kept.bytes = (uint64_t)buffer->bytes;
  kept.ranges = ranges;
  kept.n_ranges = buffer->live.count;
  if (nereid_session_locate(report->arena, mlirOperationGetLocation(buffer->op), &place) &&
      strcmp(place.file, numbering->marker) == 0)
    kept.line = report_numbered_line(numbering, place.line);
  (void)nereid_vector_push(report->arena, &report->buffers, kept);
}

bool report_add_buffers(report_t *report, report_stage_kind_t kind, const report_numbering_t *numbering,
                        MlirOperation module) {
  nereid_call_graph_t calls;
  nereid_allocation_t allocation;
  if (nereid_call_graph_build(module, report->arena, &calls) != NEREID_OK ||
      !nereid_allocation_run(&calls, nereid_scratch_bytes, report->arena, &allocation))
    return !report->arena->failed;
  for (size_t i = 0; i < calls.functions.size; ++i) {
    const MlirStringRef name = nereid_ir_symbol_name(calls.functions.data[i].op);
    const report_buffer_t of = {.function = nereid_arena_copy(report->arena, nereid_view_of(name.data, name.length)),
                                .stage = kind};
    const nereid_frame_t *frame = &allocation.frames[i];
    if ((uint64_t)frame->bytes > report->frame_bytes)
      report->frame_bytes = (uint64_t)frame->bytes;
    for (size_t k = 0; of.function && k < frame->count; ++k)
      add_buffer(report, &frame->buffers[k], of, numbering);
  }
  return !report->arena->failed;
}
