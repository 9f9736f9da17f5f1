/* Writes events as JSON in the Trace Event format:
 *
 *   {"traceEvents": [
 *   {"ph": "M", "pid": 0, "name": "process_name", "args": {"name": "CTA (0,0,0)"}},
 *   {"ph": "M", "pid": 0, "tid": 3, "name": "thread_name", "args": {"name": "warp 3"}},
 *   {"ph": "X", "pid": 0, "tid": 3, "ts": 120, "dur": 64, "name": "mbarrier.try_wait.parity.shared.b64, k.ttir:33", ...
 *
 * The slices of a track must nest. Events that overlap only in part (operations of two iterations in flight, groups of
 * diverged lanes) are in several rows, which are tracks of the same name: an event takes the first row where it is
 * within the open slice or begins after it. Events come in the order of their begin, so a row needs only the ends of
 * its open slices. */
#include "emulator/machine/program.h"

#include <stdlib.h>

typedef enum unit { WARP, LOADS, STORES, WGMMA, COPIES, SENDS, UNITS } unit_t;

typedef struct row {
  unit_t unit;
  uint32_t index, number;       /* index of the warp, or 0; number among the rows of the same unit and index */
  NEREID_VECTOR(uint64_t) ends; /* ends of the open slices, outermost first */
} row_t;

struct nereid_emulator_trace {
  FILE *file;
  nereid_arena_t arena; /* holds the rows of one CTA */
  NEREID_VECTOR(row_t) rows;
  uint32_t cta[3], process; /* process: 1 + the number of the current one */
  uint64_t events;
  bool failed;
};

nereid_emulator_trace_t *nereid_emulator_trace_open(FILE *file) {
  nereid_emulator_trace_t *trace = calloc(1, sizeof *trace);
  if (!trace)
    return NULL;
  trace->file = file;
  nereid_arena_initialize(&trace->arena);
  fprintf(file, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
  return trace;
}

static void begin_object(nereid_emulator_trace_t *trace, const char *phase) {
  fprintf(trace->file, "%s\n{\"ph\": \"%s\", \"pid\": %u", trace->events++ ? "," : "", phase, trace->process - 1);
}

/* --- processes and tracks --- */

static void name_process(nereid_emulator_trace_t *trace) {
  const uint32_t *cta = trace->cta;
  begin_object(trace, "M");
  fprintf(trace->file, ", \"name\": \"process_name\", \"args\": {\"name\": \"CTA (%u,%u,%u)\"}}", cta[0], cta[1],
          cta[2]);
  begin_object(trace, "M");
  fprintf(trace->file, ", \"name\": \"process_sort_index\", \"args\": {\"sort_index\": %u}}", trace->process - 1);
}

static void name_row(nereid_emulator_trace_t *trace, const row_t *row, size_t track) {
  char name[40];
  switch (row->unit) {
  case WGMMA:
    snprintf(name, sizeof name, "wgmma of warps %u-%u", row->index, row->index + 3);
    break;
  case COPIES:
    snprintf(name, sizeof name, "cp.async of warp %u", row->index);
    break;
  case WARP:
    snprintf(name, sizeof name, "warp %u", row->index);
    break;
  default:
    snprintf(name, sizeof name, "%s",
             row->unit == LOADS    ? "TMA loads"
             : row->unit == STORES ? "TMA stores"
                                   : "st.async");
  }
  begin_object(trace, "M");
  fprintf(trace->file, ", \"tid\": %zu, \"name\": \"thread_name\", \"args\": {\"name\": \"%s\"}}", track, name);
  begin_object(trace, "M");
  fprintf(trace->file, ", \"tid\": %zu, \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": %u}}", track,
          ((unsigned)row->unit * 64 + row->index) * 256 + row->number);
}

static void next_process(nereid_emulator_trace_t *trace, const uint32_t cta[3]) {
  if (trace->process && memcmp(cta, trace->cta, sizeof trace->cta) == 0)
    return;
  nereid_arena_deinitialize(&trace->arena);
  nereid_arena_initialize(&trace->arena);
  memset(&trace->rows, 0, sizeof trace->rows);
  memcpy(trace->cta, cta, sizeof trace->cta);
  trace->process++;
  name_process(trace);
}

/* Whether the event nests in the row, which then contains it. */
static bool enter(nereid_emulator_trace_t *trace, row_t *row, const nereid_emulator_event_t *event) {
  while (row->ends.size && row->ends.data[row->ends.size - 1] <= event->begin)
    row->ends.size--;
  if (row->ends.size && row->ends.data[row->ends.size - 1] < event->end)
    return false;
  trace->failed |= !nereid_vector_push(&trace->arena, &row->ends, event->end);
  return true;
}

/* Returns the number of the track for the event. */
static size_t track_of(nereid_emulator_trace_t *trace, unit_t unit, uint32_t index,
                       const nereid_emulator_event_t *event) {
  row_t row = {.unit = unit, .index = index};
  for (size_t i = 0; i < trace->rows.size; ++i) {
    row_t *other = &trace->rows.data[i];
    if (other->unit != unit || other->index != index)
      continue;
    if (enter(trace, other, event))
      return i;
    row.number++;
  }
  (void)enter(trace, &row, event);
  if (!nereid_vector_push(&trace->arena, &trace->rows, row)) {
    trace->failed = true;
    return 0;
  }
  name_row(trace, &row, trace->rows.size - 1);
  return trace->rows.size - 1;
}

/* --- events --- */

/* "lib.py:7" of "dir/lib.py:7, called at k.py:20". */
static nereid_view_t short_source(const char *source) {
  const char *end = source + strcspn(source, ",");
  const char *from = end;
  while (from > source && from[-1] != '/')
    --from;
  return nereid_view_of(from, (size_t)(end - from));
}

/* "k.ttir:33" for a run, else "wgmma.mma_async.sync..., k.ttir:33": the opcode and the source line. */
static void print_name(FILE *file, const nereid_emulator_event_t *event) {
  const nereid_view_t source = event->place.source ? short_source(event->place.source) : nereid_view("");
  const char *text = event->place.text.data, *end = text + event->place.text.size;
  char name[200];
  while (text < end && *text == '@') {
    while (text < end && *text != ' ' && *text != '\t')
      ++text;
    while (text < end && (*text == ' ' || *text == '\t'))
      ++text;
  }
  size_t size = 0;
  while (text + size < end && text[size] != ' ' && text[size] != '\t' && text[size] != ';')
    ++size;
  const bool is_run = event->kind == NEREID_EMULATOR_EVENT_RUN;
  const char *comma = source.size && !is_run ? ", " : "";
  size = is_run ? 0 : size;
  if (is_run && !source.size)
    snprintf(name, sizeof name, "run");
  else
    snprintf(name, sizeof name, "%.*s%s%.*s", (int)size, text, comma, (int)source.size, source.data);
  nereid_emulator_print_string(file, name, strlen(name));
}

static void print_arguments(FILE *file, const nereid_emulator_event_t *event) {
  const bool tracked = event->kind == NEREID_EMULATOR_EVENT_MBARRIER || event->kind == NEREID_EMULATOR_EVENT_LOAD ||
                       event->kind == NEREID_EMULATOR_EVENT_SEND;
  fprintf(file, ", \"args\": {\"instruction\": ");
  nereid_emulator_print_string(file, event->place.text.data, event->place.text.size);
  fprintf(file, ", \"ptx_line\": %u", event->place.line);
  if (event->place.source) {
    fprintf(file, ", \"source\": ");
    nereid_emulator_print_string(file, event->place.source, strlen(event->place.source));
  }
  if (event->lanes != UINT32_MAX)
    fprintf(file, ", \"lanes\": \"0x%08x\"", event->lanes);
  if (event->count)
    fprintf(file, ", \"%s\": %u", event->kind == NEREID_EMULATOR_EVENT_RUN ? "instructions" : "bytes", event->count);
  if (tracked)
    fprintf(file, ", \"mbarrier\": \"0x%x\", \"phase\": %u", event->barrier, event->phase);
  if (event->kind == NEREID_EMULATOR_EVENT_BARRIER)
    fprintf(file, ", \"barrier\": %u", event->barrier);
  if (event->kind >= NEREID_EMULATOR_EVENT_COPY)
    fprintf(file, ", \"warp\": %u", event->warp);
  if (!event->complete)
    fprintf(file, ", \"complete\": false");
  fprintf(file, "}}");
}

void nereid_emulator_trace_event(void *user_data, const nereid_emulator_event_t *event) {
  static const struct {
    const char *category;
    unit_t unit;
  } kinds[] = {
      [NEREID_EMULATOR_EVENT_RUN] = {"run", WARP},           [NEREID_EMULATOR_EVENT_ISSUE] = {"issue", WARP},
      [NEREID_EMULATOR_EVENT_WAIT] = {"wait", WARP},         [NEREID_EMULATOR_EVENT_BARRIER] = {"barrier", WARP},
      [NEREID_EMULATOR_EVENT_MBARRIER] = {"mbarrier", WARP}, [NEREID_EMULATOR_EVENT_COPY] = {"cp.async", COPIES},
      [NEREID_EMULATOR_EVENT_LOAD] = {"load", LOADS},        [NEREID_EMULATOR_EVENT_STORE] = {"store", STORES},
      [NEREID_EMULATOR_EVENT_SEND] = {"send", SENDS},        [NEREID_EMULATOR_EVENT_WGMMA] = {"wgmma", WGMMA},
  };
  nereid_emulator_trace_t *trace = user_data;
  const unit_t unit = kinds[event->kind].unit;
  const bool by_warp = unit == WARP || unit == WGMMA || unit == COPIES;
  next_process(trace, event->cta);
  const size_t track = track_of(trace, unit, by_warp ? event->warp : 0, event);
  begin_object(trace, "X");
  fprintf(trace->file, ", \"tid\": %zu, \"ts\": %llu, \"dur\": %llu, \"cat\": \"%s\", \"name\": ", track,
          (unsigned long long)event->begin, (unsigned long long)(event->end - event->begin),
          kinds[event->kind].category);
  print_name(trace->file, event);
  print_arguments(trace->file, event);
}

nereid_status_t nereid_emulator_trace_close(nereid_emulator_trace_t *trace, uint64_t dropped) {
  if (!trace)
    return NEREID_OK;
  fprintf(trace->file, "\n], \"otherData\": {\"unit\": \"1 us is 1 step\", \"dropped events\": %llu}}\n",
          (unsigned long long)dropped);
  const nereid_status_t status = trace->failed                                     ? NEREID_ERROR_MEMORY
                                 : fflush(trace->file) || ferror(trace->file) != 0 ? NEREID_ERROR_IO
                                                                                   : NEREID_OK;
  nereid_arena_deinitialize(&trace->arena);
  free(trace);
  return status;
}
