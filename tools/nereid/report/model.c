/* The lines of a report and their places in source files; see model.h. */
#include "tools/nereid/report/model.h"

const char *report_stage_name(report_stage_kind_t kind) {
  static const char *const names[] = {[REPORT_SOURCE] = "source", [REPORT_INPUT] = "input", [REPORT_TTIR] = "ttir",
                                      [REPORT_TTGIR] = "ttgir",   [REPORT_LLVM] = "llvm",   [REPORT_LL] = "ll",
                                      [REPORT_PTX] = "ptx",       [REPORT_SASS] = "sass"};
  return kind < REPORT_STAGES ? names[kind] : "";
}

report_message_t *report_add_message(report_t *report, const char *severity, report_stage_kind_t stage,
                                     const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const report_message_t message = {
      .severity = severity, .text = nereid_arena_format_v(report->arena, format, arguments), .stage = stage};
  va_end(arguments);
  return message.text && nereid_vector_push(report->arena, &report->messages, message)
             ? &report->messages.data[report->messages.size - 1]
             : NULL;
}

void report_message_at(report_message_t *message, uint32_t line) {
  if (!message || !line || message->n_lines == REPORT_MESSAGE_LINES)
    return;
  for (uint32_t i = 0; i < message->n_lines; ++i)
    if (message->lines[i] == line)
      return;
  message->lines[message->n_lines++] = line;
}

report_stage_kind_t report_stage_before(const report_t *report, report_stage_kind_t kind) {
  for (int at = (int)kind - 1; at >= 0; --at)
    if (report->stages[at].n_lines)
      return (report_stage_kind_t)at;
  return REPORT_STAGES;
}

static uint32_t count_lines(nereid_view_t text) {
  uint32_t n = text.size && text.data[text.size - 1] != '\n';
  for (size_t i = 0; i < text.size; ++i)
    n += text.data[i] == '\n';
  return n;
}

bool report_stage_split(report_t *report, report_stage_kind_t kind, nereid_view_t text, const char *language) {
  report_stage_t *stage = &report->stages[kind];
  const char *at = text.data, *end = text.data + text.size;
  *stage = (report_stage_t){.n_lines = count_lines(text), .language = language};
  stage->lines = nereid_arena_new(report->arena, report_line_t, stage->n_lines + (size_t)1);
  if (!stage->lines)
    return false;
  for (uint32_t line = 1; line <= stage->n_lines; ++line) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    stage->lines[line].text = nereid_view_of(at, (size_t)(stop - at) - (stop > at && stop[-1] == '\r'));
    at = stop < end ? stop + 1 : end;
  }
  return true;
}

static uint32_t file_index(report_t *report, nereid_view_t file) {
  for (uint32_t i = 0; i < report->files.size; ++i)
    if (nereid_view_equal(nereid_view(report->files.data[i]), file))
      return i;
  const char *copy = nereid_arena_copy(report->arena, file);
  return copy && nereid_vector_push(report->arena, &report->files, copy) ? (uint32_t)report->files.size - 1
                                                                         : UINT32_MAX;
}

uint32_t report_place(report_t *report, nereid_view_t file, uint32_t line) {
  const uint32_t index = file_index(report, file);
  for (uint32_t i = 0; i < report->places.size; ++i)
    if (report->places.data[i].file == index && report->places.data[i].line == line)
      return i + 1;
  const report_place_t place = {index, line};
  return index != UINT32_MAX && nereid_vector_push(report->arena, &report->places, place)
             ? (uint32_t)report->places.size
             : 0;
}

bool report_set_parents(report_t *report, report_line_t *line, const uint32_t *parents, size_t count,
                        report_link_t link) {
  if (!count)
    return true;
  uint32_t *copy = nereid_arena_new(report->arena, uint32_t, count);
  if (!copy)
    return false;
  memcpy(copy, parents, count * sizeof *copy);
  line->parents = copy;
  line->n_parents = (uint32_t)count;
  line->link = link;
  return true;
}
