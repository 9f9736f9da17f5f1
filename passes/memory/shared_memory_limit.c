/* Reports frames that exceed the shared memory of the target; see shared_memory_limit.h.
 *
 *   error: 'tt.call' op needs 131072 bytes of shared memory with the other live buffers, the target has 101376
 *   note: 8192xf32 of 32768 bytes would fit here with the other buffers as they are
 *   note: 65536 bytes at offset 65536 are the frame of @f
 *   note: of these, 65536 bytes at offset 0 are for this 16384xf32            (in @f)
 *   note: 65536 bytes at offset 0 are for this 16384xf32
 *   note: @g is called here                                                  (when the function is not a kernel) */
#include "passes/memory/shared_memory_limit.h"

#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "passes/memory/fitting_size.h"
#include "seam/context.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 4, NOTES = 16 };

typedef struct report {
  const nereid_allocation_t *allocation;
  nereid_arena_t *arena;
  NereidMlirNote notes[NOTES];
  intptr_t n;
} report_t;

typedef NEREID_VECTOR(const nereid_buffer_t *) live_t;

static void add_note(report_t *report, MlirOperation op, const char *text) {
  if (report->n < NOTES && text)
    report->notes[report->n++] = (NereidMlirNote){mlirOperationGetLocation(op), text};
}

static MlirStringRef name_of(MlirOperation function) {
  return nereid_ir_symbol_name(function);
}

static int by_bytes(const void *a, const void *b) {
  const nereid_buffer_t *const *x = a, *const *y = b;
  if ((*x)->bytes != (*y)->bytes)
    return (*x)->bytes < (*y)->bytes ? 1 : -1;
  return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

static const nereid_buffer_t *highest_of(const nereid_frame_t *frame) {
  const nereid_buffer_t *top = &frame->buffers[0];
  for (size_t i = 1; i < frame->count; ++i)
    if (frame->buffers[i].offset + frame->buffers[i].bytes > top->offset + top->bytes)
      top = &frame->buffers[i];
  return top;
}

/* Collects the buffers that are live at the same time as `top`, without it, largest first. */
static live_t live_with(report_t *report, const nereid_frame_t *frame, const nereid_buffer_t *top) {
  live_t live = {0};
  for (size_t i = 0; i < frame->count; ++i)
    if (&frame->buffers[i] != top && nereid_allocation_live_together(&frame->buffers[i], top))
      nereid_vector_push(report->arena, &live, &frame->buffers[i]);
  if (live.size)
    qsort(live.data, live.size, sizeof *live.data, by_bytes);
  return live;
}

/* What the bytes of a buffer are for. */
static nereid_text_t purpose_of(const nereid_buffer_t *buffer) {
  nereid_text_t text;
  if (buffer->kind == NEREID_BUFFER_EXPLICIT) {
    const nereid_ttg_memdesc_t type = nereid_ttg_memdesc_of(mlirOperationGetResult(buffer->op, 0));
    snprintf(text.chars, sizeof text.chars, "for this %.200s", nereid_ttg_memdesc_shape_text(&type).chars);
  } else {
    snprintf(text.chars, sizeof text.chars, "%s",
             buffer->kind == NEREID_BUFFER_VIRTUAL ? "the frame of this call" : "scratch of this");
  }
  return text;
}

/* Notes the contents of a called function's frame, recursively down to the buffers. */
static void note_frame(report_t *report, const nereid_buffer_t *call) {
  while (call && call->kind == NEREID_BUFFER_VIRTUAL) {
    const nereid_call_function_t *callee = nereid_call_graph_callee(report->allocation->calls, call->op);
    const nereid_frame_t *frame = &report->allocation->frames[callee - report->allocation->calls->functions.data];
    const MlirStringRef name = name_of(callee->op);
    const nereid_buffer_t *top = highest_of(frame), *largest = top;
    live_t live = live_with(report, frame, top);
    if (live.size && live.data[0]->bytes > top->bytes)
      largest = live.data[0];
    add_note(report, largest->op,
             nereid_arena_format(report->arena, "in the frame of @%.*s %lld bytes at offset %lld are %s",
                                 (int)name.length, name.data, (long long)largest->bytes, (long long)largest->offset,
                                 purpose_of(largest).chars));
    call = largest;
  }
}

static void note_buffer(report_t *report, const nereid_buffer_t *buffer) {
  add_note(report, buffer->op,
           nereid_arena_format(report->arena, "%lld bytes at offset %lld are %s", (long long)buffer->bytes,
                               (long long)buffer->offset, purpose_of(buffer).chars));
  note_frame(report, buffer);
}

/* Notes a size that would fit: of the largest buffer first, `top` before buffers of its size. */
static void note_fitting_size(report_t *report, const nereid_frame_t *frame, const nereid_buffer_t *top, live_t live,
                              int64_t limit) {
  live_t candidates = {0};
  size_t larger = 0;
  while (larger < live.size && live.data[larger]->bytes > top->bytes)
    nereid_vector_push(report->arena, &candidates, live.data[larger++]);
  nereid_vector_push(report->arena, &candidates, top);
  for (size_t i = larger; i < live.size; ++i)
    nereid_vector_push(report->arena, &candidates, live.data[i]);
  const nereid_fitting_size_t fitting =
      nereid_fitting_size(frame, candidates.data, candidates.size, limit, report->arena);
  if (fitting.text)
    add_note(report, fitting.op, fitting.text);
}

/* Notes the call path to the function: its first caller, and so on up to a kernel. */
static void note_callers(report_t *report, size_t number) {
  const nereid_call_graph_t *calls = report->allocation->calls;
  for (const nereid_call_function_t *at = &calls->functions.data[number]; !at->is_kernel && at->n_callers;) {
    const nereid_call_edge_t *edge = nereid_call_graph_caller(calls, at, 0);
    const MlirStringRef name = name_of(at->op);
    at = &calls->functions.data[edge->caller];
    const MlirStringRef caller = name_of(at->op);
    add_note(report, edge->call,
             nereid_arena_format(report->arena, "@%.*s is called here, by @%.*s", (int)name.length, name.data,
                                 (int)caller.length, caller.data));
  }
}

void nereid_shared_memory_refuse(const nereid_allocation_t *allocation, size_t number, int64_t limit,
                                 nereid_arena_t *arena) {
  report_t report = {.allocation = allocation, .arena = arena};
  const nereid_frame_t *frame = &allocation->frames[number];
  const nereid_buffer_t *top = highest_of(frame);
  const live_t live = live_with(&report, frame, top);
  note_fitting_size(&report, frame, top, live, limit);
  if (live.size)
    note_buffer(&report, top);
  else
    note_frame(&report, top);
  for (size_t i = 0; i < live.size && i < LARGEST; ++i)
    note_buffer(&report, live.data[i]);
  note_callers(&report, number);
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(top->op));
  const char *message = nereid_arena_format(arena, "'%.*s' op needs %lld bytes of shared memory%s, the target has %lld",
                                            (int)name.length, name.data, (long long)frame->bytes,
                                            live.size ? " with the other live buffers" : "", (long long)limit);
  nereidMlirEmitWithNotes(MlirDiagnosticError, mlirOperationGetLocation(top->op),
                          message ? message : "too much shared memory", report.n, report.notes);
}
