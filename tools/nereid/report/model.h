/* The data of `nereid report`: the lines of every stage, with links to the lines of the stage before, and what the
 * emulator counted.
 *
 *   kernels.py:107   input:31   ttir:28   ttgir:40   llvm:512   ll:430   ptx:377   sass:402
 *         ◄──────────────── parents of a line are lines of the stage before ────────────────
 */
#ifndef NEREID_TOOLS_MODEL_H
#define NEREID_TOOLS_MODEL_H

#include "analysis/allocation/liveness_types.h"
#include "base/vector.h"
#include "layout/linear_layout.h"
#include "nereid/emulator.h"
#include "tools/nereid/run/run.h"

typedef enum report_stage_kind {
  REPORT_SOURCE, /* lines of the program from which the input was generated */
  REPORT_INPUT,
  REPORT_TTIR,
  REPORT_TTGIR,
  REPORT_LLVM,
  REPORT_LL,
  REPORT_PTX,
  REPORT_SASS,
  REPORT_STAGES,
} report_stage_kind_t;

/* How the parents of a line are known. */
typedef enum report_link {
  REPORT_LINK_NONE,     /* no parents; `why` has the reason if the line is an operation */
  REPORT_LINK_LOCATION, /* the location that passes kept */
  REPORT_LINK_FUNCTION, /* parents of the function: code at its entry, or without a location of its own */
  REPORT_LINK_USE,      /* without a location: the parents of a user, an operand or the enclosing operation */
  REPORT_LINK_NEAR,     /* without a location: the parents of the instruction before */
} report_link_t;

/* Sums of the emulator's counters; see nereid_emulator_cost_t. */
typedef struct report_cost {
  uint64_t warps, threads;
  uint64_t global_requests[2], global_sectors[2], global_bytes[2];
  uint64_t shared_requests[2], shared_wavefronts[2], shared_bytes[2];
  uint64_t local_bytes[2];
  uint64_t bank_conflicts, barriers, mma, bulk_copies, bulk_bytes;
} report_cost_t;

typedef struct report_line {
  nereid_view_t text;
  const char *op;          /* name of the operation or instruction; null: none begins here */
  uint32_t part_of;        /* line of the operation that this line continues or closes; 0: none */
  uint32_t file, line;     /* for the source stage: index of the file, line in it */
  const uint32_t *parents; /* lines of the stage before, the primary one first */
  uint32_t n_parents;
  report_link_t link;
  const char *why;
  report_cost_t *cost;     /* null: nothing was counted */
  const uint32_t *layouts; /* layouts of its results, indices into those of the report */
  uint32_t n_layouts;
} report_line_t;

typedef struct report_stage {
  report_line_t *lines; /* lines[0] is unused: lines are counted from 1 */
  uint32_t n_lines;     /* 0: the report does not have this stage */
  const char *language; /* "ttir", "ptx", ...; of the source: "python" */
} report_stage_t;

enum { REPORT_MESSAGE_LINES = 4 };

typedef struct report_message {
  const char *severity; /* "error", "warning" or "note" */
  const char *text;
  report_stage_kind_t stage; /* REPORT_STAGES: of the whole report */
  uint32_t lines[REPORT_MESSAGE_LINES], n_lines;
} report_message_t;

typedef struct report_remark {
  const char *kind, *pass, *name, *text;
  report_stage_kind_t stage;
  uint32_t line;
} report_remark_t;

/* The layout of a tensor or buffer. */
typedef struct report_layout {
  const char *encoding;
  nereid_layout_t layout;
  uint32_t element_bits;
  bool shared; /* maps offsets in elements instead of registers, lanes, warps and CTAs */
} report_layout_t;

/* A buffer in the frame of a function (analysis/allocation/allocation.h). */
typedef struct report_buffer {
  const char *function, *kind; /* "explicit", "scratch" or "virtual" */
  uint64_t offset, bytes;
  report_stage_kind_t stage;
  uint32_t line;                     /* line of the operation with the buffer */
  const nereid_live_range_t *ranges; /* live ranges in time */
  uint32_t n_ranges;
} report_buffer_t;

/* An event of the emulator's timeline. */
typedef struct report_event {
  uint8_t kind; /* nereid_emulator_event_kind_t */
  uint32_t cta, warp, line, count;
  uint64_t begin, end;
} report_event_t;

/* What the assembler reports. */
typedef struct report_machine {
  bool assembled;
  uint32_t registers;
  uint64_t spill_stores, spill_loads, shared;
  const char *assembler;
} report_machine_t;

/* A line of the source program; parents of input lines before the source stage exists. */
typedef struct report_place {
  uint32_t file, line;
} report_place_t;

typedef struct report {
  nereid_arena_t *arena;
  const char *input, *kernel, *target;
  report_stage_t stages[REPORT_STAGES];
  NEREID_VECTOR(const char *) files;
  NEREID_VECTOR(report_place_t) places;
  NEREID_VECTOR(report_message_t) messages;
  NEREID_VECTOR(report_remark_t) remarks;
  NEREID_VECTOR(report_layout_t) layouts;
  NEREID_VECTOR(report_buffer_t) buffers;
  uint64_t frame_bytes; /* bytes of the kernel's frame */
  NEREID_VECTOR(report_event_t) events;
  uint64_t dropped_events;
  const char *passes; /* the changes of each pass, as JSON; null: none */
  report_machine_t machine;
  bool has_counters;
  nereid_emulator_counters_t counters;
} report_t;

/* "source", "input", "ttir", ...: the name of a stage in JSON. */
const char *report_stage_name(report_stage_kind_t kind);

/* Adds a message of the whole report or stage. Returns it, to add lines; null when out of memory. */
report_message_t *report_add_message(report_t *report, const char *severity, report_stage_kind_t stage,
                                     const char *format, ...) NEREID_PRINTF(4, 5);

/* Adds a line of the message's stage, unless it is 0 or there already; `message` may be null. */
void report_message_at(report_message_t *message, uint32_t line);

/* Returns the nearest stage before `kind` that the report has; REPORT_STAGES: none. */
report_stage_kind_t report_stage_before(const report_t *report, report_stage_kind_t kind);

/* Splits a text into the lines of a stage. False when out of memory. */
bool report_stage_split(report_t *report, report_stage_kind_t kind, nereid_view_t text, const char *language);

/* Returns the number of a source line in `places`, counted from 1 and added when missing; 0: out of memory. */
uint32_t report_place(report_t *report, nereid_view_t file, uint32_t line);

/* Stores the parents of a line. False when out of memory. */
bool report_set_parents(report_t *report, report_line_t *line, const uint32_t *parents, size_t count,
                        report_link_t link);

#endif
