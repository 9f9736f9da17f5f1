/* Prints a report as JSON, a line of a stage per line. Members without a value are left out. */
#include "tools/nereid/report/write_json.h"

#include "base/json.h"
#include "python-free-bindings/compile/session.h"

#include <ctype.h>

enum { VERSION = 1 };

static void string_member(FILE *out, const char *name, const char *text) {
  if (!text)
    return;
  fprintf(out, ", \"%s\": ", name);
  nereid_json_print_string(out, nereid_view(text));
}

static void number_member(FILE *out, const char *name, uint64_t number) {
  if (number)
    fprintf(out, ", \"%s\": %llu", name, (unsigned long long)number);
}

static void pair_member(FILE *out, const char *name, const uint64_t pair[2]) {
  if (pair[0] || pair[1])
    fprintf(out, ", \"%s\": [%llu, %llu]", name, (unsigned long long)pair[0], (unsigned long long)pair[1]);
}

/* --- lines --- */

/* Returns the length of the word at `at` that a comma or the end of a list follows; 0: none. */
static size_t item_length(nereid_view_t text, size_t at) {
  size_t size = 0;
  while (at + size < text.size && (isalnum((unsigned char)text.data[at + size]) || text.data[at + size] == '!'))
    ++size;
  return size && at + size < text.size && text.data[at + size] == ',' ? size : 0;
}

/* Returns how many equal items, separated by ", ", begin at `at`. */
static size_t count_items(nereid_view_t text, size_t at, size_t size) {
  size_t count = 1;
  for (size_t next = at + size; next + 2 + size <= text.size && memcmp(text.data + next, ", ", 2) == 0 &&
                                memcmp(text.data + next + 2, text.data + at, size) == 0 &&
                                (next + 2 + size == text.size || !isalnum((unsigned char)text.data[next + 2 + size]));
       next += 2 + size)
    ++count;
  return count;
}

/* Shortens lists of equal items. */
static nereid_view_t shorten(nereid_arena_t *arena, nereid_view_t text) {
  enum { REPEATED = 8 };
  nereid_text_builder_t out = {.arena = arena};
  for (size_t at = 0; at < text.size;) {
    const bool starts = at == 0 || strchr(" (<{", text.data[at - 1]);
    const size_t size = starts ? item_length(text, at) : 0, count = size ? count_items(text, at, size) : 0;
    char times[32];
    const size_t taken = count >= REPEATED ? count * (size + 2) - 2 : 1;
    nereid_text_builder_append(mlirStringRefCreate(text.data + at, count >= REPEATED ? size : 1), &out);
    snprintf(times, sizeof times, " × %zu", count);
    if (count >= REPEATED)
      nereid_text_builder_append(mlirStringRefCreateFromCString(times), &out);
    at += taken;
  }
  return nereid_view_of(out.data, out.size);
}

static void print_cost(FILE *out, const report_cost_t *cost) {
  fprintf(out, ", \"cost\": {\"warp_instructions\": %llu, \"thread_instructions\": %llu",
          (unsigned long long)cost->warps, (unsigned long long)cost->threads);
  pair_member(out, "global_requests", cost->global_requests);
  pair_member(out, "global_sectors", cost->global_sectors);
  pair_member(out, "global_bytes", cost->global_bytes);
  pair_member(out, "shared_requests", cost->shared_requests);
  pair_member(out, "shared_wavefronts", cost->shared_wavefronts);
  pair_member(out, "shared_bytes", cost->shared_bytes);
  pair_member(out, "local_bytes", cost->local_bytes);
  number_member(out, "bank_conflicts", cost->bank_conflicts);
  number_member(out, "barriers", cost->barriers);
  number_member(out, "mma", cost->mma);
  number_member(out, "bulk_copies", cost->bulk_copies);
  number_member(out, "bulk_bytes", cost->bulk_bytes);
  fputs("}", out);
}

static void print_parents(FILE *out, const report_line_t *line) {
  static const char *const links[] = {
      [REPORT_LINK_FUNCTION] = "function", [REPORT_LINK_USE] = "use", [REPORT_LINK_NEAR] = "near"};
  if (!line->n_parents)
    return;
  fputs(", \"from\": [", out);
  for (uint32_t i = 0; i < line->n_parents; ++i)
    fprintf(out, i ? ", %u" : "%u", line->parents[i]);
  fputs("]", out);
  string_member(out, "link", links[line->link]);
}

static void print_line(FILE *out, const report_line_t *line, nereid_arena_t *shortens) {
  fputs("{\"text\": ", out);
  nereid_json_print_string(out, shortens ? shorten(shortens, line->text) : line->text);
  string_member(out, "op", line->op);
  number_member(out, "part_of", line->part_of);
  if (line->line)
    fprintf(out, ", \"file\": %u, \"line\": %u", line->file, line->line);
  print_parents(out, line);
  string_member(out, "why", line->why);
  for (uint32_t i = 0; i < line->n_layouts; ++i)
    fprintf(out, i ? ", %u" : ", \"layouts\": [%u", line->layouts[i]);
  fputs(line->n_layouts ? "]" : "", out);
  if (line->cost)
    print_cost(out, line->cost);
  fputs("}", out);
}

static void print_stage(FILE *out, const report_t *report, report_stage_kind_t kind, report_json_t form) {
  const report_stage_t *stage = &report->stages[kind];
  const report_stage_kind_t before = report_stage_before(report, kind);
  fprintf(out, "{\"name\": \"%s\", \"language\": \"%s\", \"parent\": ", report_stage_name(kind), stage->language);
  if (before == REPORT_STAGES)
    fputs("null", out);
  else
    fprintf(out, "\"%s\"", report_stage_name(before));
  fputs(", \"lines\": [", out);
  for (uint32_t i = 1; i <= stage->n_lines; ++i) {
    fputs(i > 1 ? ",\n" : "\n", out);
    print_line(out, &stage->lines[i], form == REPORT_JSON_SHORT ? report->arena : NULL);
  }
  fputs("\n]}", out);
}

/* --- the rest --- */

static void print_messages(FILE *out, const report_t *report) {
  fputs(",\n\"messages\": [", out);
  for (size_t i = 0; i < report->messages.size; ++i) {
    const report_message_t *message = &report->messages.data[i];
    fprintf(out, "%s\n{\"severity\": \"%s\"", i ? "," : "", message->severity);
    string_member(out, "text", message->text);
    string_member(out, "stage", message->stage < REPORT_STAGES ? report_stage_name(message->stage) : NULL);
    for (uint32_t k = 0; k < message->n_lines; ++k)
      fprintf(out, k ? ", %u" : ", \"lines\": [%u", message->lines[k]);
    fputs(message->n_lines ? "]}" : "}", out);
  }
  fputs("]", out);
}

static void print_remarks(FILE *out, const report_t *report) {
  fputs(",\n\"remarks\": [", out);
  for (size_t i = 0; i < report->remarks.size; ++i) {
    const report_remark_t *remark = &report->remarks.data[i];
    fprintf(out, "%s\n{\"kind\": \"%s\"", i ? "," : "", remark->kind);
    string_member(out, "pass", remark->pass);
    string_member(out, "name", remark->name);
    string_member(out, "text", remark->text);
    string_member(out, "stage", remark->stage < REPORT_STAGES ? report_stage_name(remark->stage) : NULL);
    number_member(out, "line", remark->line);
    fputs("}", out);
  }
  fputs("]", out);
}

/* --- facts --- */

static void print_layout(FILE *out, const report_layout_t *layout) {
  const nereid_layout_t *l = &layout->layout;
  fputs("{\"encoding\": ", out);
  nereid_json_print_string(out, nereid_view(layout->encoding));
  fprintf(out, ", \"element_bits\": %u, \"shared\": %s, \"shape\": [", layout->element_bits,
          layout->shared ? "true" : "false");
  for (int d = 0; d < l->rank; ++d)
    fprintf(out, d ? ", %u" : "%u", 1U << l->out_bits[d]);
  fputs("], \"bases\": [", out);
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in) {
    fputs(in ? ", [" : "[", out);
    for (int bit = 0; bit < l->in_bits[in]; ++bit)
      fprintf(out, bit ? ", %u" : "%u", l->bases[in][bit]);
    fputs("]", out);
  }
  fputs("]}", out);
}

static void print_layouts(FILE *out, const report_t *report) {
  fputs(",\n\"layouts\": [", out);
  for (size_t i = 0; i < report->layouts.size; ++i) {
    fputs(i ? ",\n" : "\n", out);
    print_layout(out, &report->layouts.data[i]);
  }
  fputs("]", out);
}

static void print_buffer(FILE *out, const report_buffer_t *buffer) {
  fprintf(out, "{\"kind\": \"%s\", \"offset\": %llu, \"bytes\": %llu", buffer->kind, (unsigned long long)buffer->offset,
          (unsigned long long)buffer->bytes);
  string_member(out, "function", buffer->function);
  string_member(out, "stage", report_stage_name(buffer->stage));
  number_member(out, "line", buffer->line);
  fputs(", \"live\": [", out);
  for (uint32_t i = 0; i < buffer->n_ranges; ++i)
    fprintf(out, i ? ", [%u, %u]" : "[%u, %u]", buffer->ranges[i].first, buffer->ranges[i].last);
  fputs("]}", out);
}

static void print_memory(FILE *out, const report_t *report) {
  fprintf(out, ",\n\"memory\": {\"bytes\": %llu, \"buffers\": [", (unsigned long long)report->frame_bytes);
  for (size_t i = 0; i < report->buffers.size; ++i) {
    fputs(i ? ",\n" : "\n", out);
    print_buffer(out, &report->buffers.data[i]);
  }
  fputs("]}", out);
}

/* An event is an array, as there are many. */
static void print_timeline(FILE *out, const report_t *report) {
  fprintf(out,
          ",\n\"timeline\": {\"dropped\": %llu, \"kinds\": [\"run\", \"issue\", \"wait\", \"barrier\", "
          "\"mbarrier\", \"copy\", \"load\", \"store\", \"send\", \"wgmma\"], \"events\": [",
          (unsigned long long)report->dropped_events);
  for (size_t i = 0; i < report->events.size; ++i) {
    const report_event_t *event = &report->events.data[i];
    fprintf(out, "%s[%u,%u,%u,%llu,%llu,%u,%u]", i ? i % 8 ? "," : ",\n" : "\n", event->kind, event->cta, event->warp,
            (unsigned long long)event->begin, (unsigned long long)event->end, event->line, event->count);
  }
  fputs("]}", out);
}

static void print_machine(FILE *out, const report_t *report) {
  const report_machine_t *machine = &report->machine;
  if (!machine->assembled) {
    fputs(",\n\"machine\": null", out);
    return;
  }
  fprintf(out, ",\n\"machine\": {\"registers\": %u, \"spill_stores\": %llu, \"spill_loads\": %llu, \"shared\": %llu",
          machine->registers, (unsigned long long)machine->spill_stores, (unsigned long long)machine->spill_loads,
          (unsigned long long)machine->shared);
  string_member(out, "assembler", machine->assembler);
  fputs("}", out);
}

static void print_facts(FILE *out, const report_t *report) {
  print_machine(out, report);
  print_layouts(out, report);
  print_memory(out, report);
  print_timeline(out, report);
  fprintf(out, ",\n\"passes\": %s", report->passes ? report->passes : "[]");
}

/* The number of PTX instructions, and of those with a parent. */
static void print_coverage(FILE *out, const report_t *report) {
  const report_stage_t *ptx = &report->stages[REPORT_PTX];
  uint32_t count = 0, linked = 0;
  for (uint32_t i = 1; i <= ptx->n_lines; ++i) {
    count += ptx->lines[i].op != NULL;
    linked += ptx->lines[i].op && ptx->lines[i].n_parents;
  }
  fprintf(out, ",\n\"coverage\": {\"instructions\": %u, \"linked\": %u}", count, linked);
}

void report_write_json(const report_t *report, report_json_t form, FILE *out) {
  fprintf(out, "{\"schema\": \"nereid-report\", \"version\": %d", VERSION);
  string_member(out, "compiler", nereid_compiler_version());
  string_member(out, "input", report->input);
  string_member(out, "kernel", report->kernel);
  string_member(out, "target", report->target);
  fputs(",\n\"files\": [", out);
  for (size_t i = 0; i < report->files.size; ++i) {
    fputs(i ? ", " : "", out);
    nereid_json_print_string(out, nereid_view(report->files.data[i]));
  }
  fputs("]", out);
  print_messages(out, report);
  print_remarks(out, report);
  print_coverage(out, report);
  fputs(",\n\"counters\": ", out);
  if (report->has_counters)
    nereid_emulator_counters_print(&report->counters, NULL, 0, out);
  else
    fputs("null", out);
  print_facts(out, report);
  fputs(",\n\"stages\": [", out);
  const char *separator = "\n";
  for (int kind = REPORT_SOURCE; kind < REPORT_STAGES; ++kind)
    if (report->stages[kind].n_lines) {
      fputs(separator, out);
      print_stage(out, report, (report_stage_kind_t)kind, form);
      separator = ",\n";
    }
  fputs("\n]}\n", out);
}
