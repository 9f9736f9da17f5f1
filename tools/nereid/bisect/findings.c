/* The report of nereid bisect, as text or as JSON (docs/bisect.md). */
#include "tools/nereid/bisect/bisection.h"
#include "tools/nereid/bisect/evidence.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

const char *bisect_property_name(const bisection_t *it) {
  return it->settings->what ? it->settings->what : "numbers";
}

void bisect_report_begin(const bisection_t *it, const char *input) {
  if (!it->json)
    return;
  cJSON_AddNumberToObject(it->json, "version", 1);
  cJSON_AddStringToObject(it->json, "input", input);
  cJSON_AddStringToObject(it->json, "property", bisect_property_name(it));
}

static const char *name_of(const bisection_t *it, size_t index) {
  return it->names[(it->axis == BISECT_LLVM ? it->n_mlir : 0) + index];
}

/* Returns the array `name` of the JSON, which it creates. */
static cJSON *array_of(const bisection_t *it, const char *name) {
  cJSON *array = cJSON_GetObjectItemCaseSensitive(it->json, name);
  return array ? array : cJSON_AddArrayToObject(it->json, name);
}

static cJSON *add_item(const bisection_t *it, const char *name) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddItemToArray(array_of(it, name), item);
  return item;
}

/* --- observations --- */

static void add_triple(cJSON *object, const char *name, const uint32_t numbers[3]) {
  const int values[] = {(int)numbers[0], (int)numbers[1], (int)numbers[2]};
  cJSON_AddItemToObject(object, name, cJSON_CreateIntArray(values, 3));
}

static void add_writer(cJSON *object, const tool_writer_t *writer) {
  cJSON *item = cJSON_AddObjectToObject(object, "written");
  cJSON_AddNumberToObject(item, "times", (double)writer->count);
  if (!writer->count)
    return;
  add_triple(item, "thread", writer->thread);
  add_triple(item, "cta", writer->cta);
  cJSON_AddNumberToObject(item, "ptx_line", writer->line);
  cJSON_AddStringToObject(item, "instruction", writer->text);
  if (writer->source[0])
    cJSON_AddStringToObject(item, "source", writer->source);
}

/* Adds the lines of a text as an array of strings. */
static void add_lines(cJSON *object, const char *name, const char *text) {
  cJSON *lines = cJSON_AddArrayToObject(object, name);
  while (*text) {
    char line[1024];
    const size_t length = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    cJSON_AddItemToArray(lines, cJSON_CreateString(line));
    text += length + (text[length] == '\n');
  }
}

static void add_outcome(const bisection_t *it, const char *name) {
  const tool_outcome_t *outcome = it->outcome;
  cJSON *object = cJSON_AddObjectToObject(it->json, name);
  cJSON_AddStringToObject(object, "text", outcome->text);
  if (outcome->detail[0])
    add_lines(object, "details", outcome->detail);
  if (outcome->has_element) {
    cJSON_AddStringToObject(object, "tensor", outcome->tensor);
    cJSON_AddNumberToObject(object, "element", (double)outcome->element);
    cJSON_AddNumberToObject(object, "value", outcome->got);
    cJSON_AddNumberToObject(object, "expected", outcome->expected);
  }
  if (outcome->has_writer)
    add_writer(object, &outcome->writer);
}

/* Prints the observation and the first lines of its details: one race, one diagnostic. */
void bisect_report_outcome(const bisection_t *it, const char *name, const char *prefix) {
  enum { MAX_LINES = 3 };
  if (it->json) {
    add_outcome(it, name);
    return;
  }
  printf("%s%s\n", prefix, it->outcome->text);
  const char *line = it->outcome->detail;
  for (int n = 0; *line && n < MAX_LINES; ++n) {
    const size_t length = strcspn(line, "\n");
    printf("    %.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

void bisect_report_not_shown(const bisection_t *it) {
  if (!it->json)
    printf("the kernel does not show the property '%s': %s\n", bisect_property_name(it), it->outcome->text);
  if (it->json || it->outcome->detail[0])
    bisect_report_outcome(it, "observation", "");
  if (it->json)
    cJSON_AddFalseToObject(it->json, "shown");
}

void bisect_report_skipped(const bisection_t *it, const char *where, const char *reason) {
  if (!it->json) {
    fprintf(stderr, "skipped: %s: %s\n", where, reason);
    return;
  }
  cJSON *item = add_item(it, "skipped");
  cJSON_AddStringToObject(item, "where", where);
  cJSON_AddStringToObject(item, "reason", reason);
}

/* --- the launch --- */

static void add_word(const bisection_t *it, const char *option, const char *value) {
  if (!it->json) {
    printf(" %s %s", option, value);
    return;
  }
  cJSON *words = array_of(it, "launch");
  cJSON_AddItemToArray(words, cJSON_CreateString(option));
  cJSON_AddItemToArray(words, cJSON_CreateString(value));
}

void bisect_report_launch(const bisection_t *it, const run_settings_t *given) {
  const run_settings_t *used = &it->subject.settings;
  if (!it->json)
    printf("a smaller launch shows the property, too, and is used:");
  if (used->grid && strcmp(used->grid, given->grid) != 0)
    add_word(it, "--grid", used->grid);
  for (size_t i = 0; i < used->arguments.size; ++i)
    if (strcmp(used->arguments.items[i], given->arguments.items[i]) != 0)
      add_word(it, "--arg", used->arguments.items[i]);
  if (!it->json)
    putchar('\n');
}

/* --- passes --- */

static void add_pass(const bisection_t *it, cJSON *object, size_t index) {
  static const char *const lists[] = {"mlir", "llvm", "mlir"};
  cJSON_AddStringToObject(object, "name", name_of(it, index));
  cJSON_AddNumberToObject(object, "position", (double)(index + 1));
  cJSON_AddNumberToObject(object, "of", (double)(it->axis == BISECT_LLVM ? it->n_llvm : it->n_mlir));
  cJSON_AddStringToObject(object, "list", lists[it->axis]);
  const bisect_position_t *positions = it->positions[it->axis];
  const bool interpreted = it->axis == BISECT_INTERPRETER || (positions && positions[index + 1].interpreted);
  cJSON_AddStringToObject(object, "engine", interpreted ? "interpreter" : "emulator");
}

void bisect_report_changes(const bisection_t *it, const bisect_change_t *changes, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const size_t index = changes[i].after - 1;
    const char *text = it->positions[it->axis][changes[i].after].text;
    if (it->json) {
      cJSON *item = add_item(it, "changes_of_property");
      add_pass(it, item, index);
      cJSON_AddBoolToObject(item, "holds", changes[i].holds);
      cJSON_AddStringToObject(item, "text", text);
    } else {
      printf("%s: the property %s after it: %s\n", name_of(it, index), changes[i].holds ? "holds" : "no longer holds",
             text);
    }
  }
  if (!it->json)
    printf("the property changes several times: %zu changes\n", n);
}

void bisect_report_pass(const bisection_t *it, const bisect_change_t *change) {
  const size_t index = change->after - 1;
  if (it->json) {
    add_pass(it, cJSON_AddObjectToObject(it->json, "pass"), index);
    cJSON_AddBoolToObject(it->json, "shown", true);
    return;
  }
  printf("%s: pass %zu of %zu%s is the first after which %s\n", name_of(it, index), index + 1,
         it->axis == BISECT_LLVM ? it->n_llvm : it->n_mlir, it->axis == BISECT_LLVM ? " of LLVM's optimizer" : "",
         it->axis == BISECT_INTERPRETER ? "the interpreter shows the property" : "the property holds");
}

void bisect_report_before(const bisection_t *it, const bisect_change_t *change, bool repeated) {
  const size_t unknown = change->after - change->before - 1;
  const char *text = it->positions[it->axis][change->before].text;
  if (it->json) {
    cJSON_AddStringToObject(cJSON_AddObjectToObject(it->json, "without"), "text", text);
    cJSON_AddNumberToObject(it->json, "unprobed", (double)unknown);
    cJSON_AddBoolToObject(it->json, "deterministic", repeated);
    return;
  }
  printf("  without it: %s\n", text);
  if (unknown)
    printf("  %zu positions before it could not be probed: the pass may be one of the %zu that end with it\n", unknown,
           unknown + 1);
  if (!repeated)
    puts("  the result of the search could not be repeated: the property is not deterministic");
}

void bisect_report_interrupted(const bisection_t *it, const bisect_change_t *change) {
  const size_t first = change ? change->before : 0, last = change ? change->after - 1 : 0;
  cJSON *object = it->json ? cJSON_AddObjectToObject(it->json, "interrupted") : NULL;
  if (!change) {
    if (!it->json)
      puts("interrupted: nothing is known yet");
  } else if (it->json) {
    add_pass(it, cJSON_AddObjectToObject(object, "first"), first);
    add_pass(it, cJSON_AddObjectToObject(object, "last"), last);
  } else if (first == last) {
    printf("interrupted: %s, pass %zu, is the first after which the property holds\n", name_of(it, last), last + 1);
  } else {
    printf("interrupted: the pass is one of %zu, from %s, pass %zu, to %s, pass %zu\n", last - first + 1,
           name_of(it, first), first + 1, name_of(it, last), last + 1);
  }
}

void bisect_report_required(const bisection_t *it, size_t last_good) {
  const char *after = last_good ? it->names[last_good - 1] : "the input";
  if (it->json)
    cJSON_AddBoolToObject(it->json, "shown", true);
  else
    printf("the property holds without any optional pass, and the interpreter does not show it up to %s:\n"
           "one of the required passes after it is at fault, LLVM's code generator, or the emulator:\n",
           after);
  for (size_t i = last_good; i < it->n_mlir; ++i) {
    if (!tool_pass_is_required(it->names[i]))
      continue;
    if (it->json)
      add_pass(it, add_item(it, "candidates"), i);
    else
      printf("  %s\n", it->names[i]);
  }
}

void bisect_report_stop(const bisection_t *it, const char *pass, size_t index) {
  const char *what = bisect_property_name(it);
  if (it->json) {
    cJSON_AddBoolToObject(it->json, "shown", true);
    if (pass)
      add_pass(it, cJSON_AddObjectToObject(it->json, "pass"), index);
  } else if (!pass) {
    printf("%s: before the first pass\n", what);
  } else if (it->axis == BISECT_LLVM) {
    printf("%s: LLVM's optimizer or code generator, from its pass %s on\n", what, pass);
  } else {
    printf("%s: the compiler stops in pass %zu, %s\n", what, index + 1, pass);
  }
}

/* --- counters --- */

void bisect_report_cost(const bisection_t *it, const char *pass, double value) {
  const char *counter = it->subject.property.counter;
  if (it->json) {
    cJSON *item = add_item(it, "costs");
    if (pass)
      cJSON_AddStringToObject(item, "without", pass);
    cJSON_AddNumberToObject(item, "value", value);
  } else if (pass) {
    printf("without %-40s %s = %.10g\n", pass, counter, value);
  } else {
    printf("%-48s %s = %.10g\n", "all passes", counter, value);
  }
}

void bisect_report_most(const bisection_t *it, size_t found, double without, double with) {
  const char *counter = it->subject.property.counter;
  if (it->json) {
    cJSON_AddBoolToObject(it->json, "shown", found != 0);
    if (found)
      add_pass(it, cJSON_AddObjectToObject(it->json, "pass"), found - 1);
  } else if (found) {
    printf("%s: pass %zu of %zu increases %s most, from %.10g to %.10g\n", it->names[found - 1], found, it->n_mlir,
           counter, without, with);
  } else {
    printf("no optional pass increases %s\n", counter);
  }
}

/* --- evidence --- */

void bisect_report_ir(bisection_t *it, const char *pass, size_t index, bool full) {
  const char *path =
      tool_evidence_write_ir(&it->subject, it->arena, it->settings->output, pass, index, full, it->outcome);
  const char *command =
      path ? nereid_arena_format(it->arena, "nereid-opt %s --pass-pipeline='builtin.module(%s)'", path, pass) : NULL;
  if (it->json && command) {
    cJSON_AddStringToObject(it->json, "ir", path);
    cJSON_AddStringToObject(it->json, "reproduce", command);
  } else if (command) {
    printf("IR before the pass: %s\nrun the pass: %s\n", path, command);
  } else if (!it->json) {
    printf("the IR before the pass could not be written: %s\n", it->outcome->text);
  }
}

void bisect_report_evidence(bisection_t *it, const char *pass, size_t index, bool full) {
  char *text = NULL;
  size_t size = 0;
  FILE *changes = it->json ? open_memstream(&text, &size) : stdout;
  fflush(stdout);
  if (changes) {
    tool_evidence_print_changes(&it->subject, index, full, it->settings->context, changes, it->json != NULL);
    if (it->json)
      fclose(changes);
  }
  if (it->json && text && size)
    cJSON_AddItemToObject(it->json, "diff", cJSON_CreateRaw(text));
  free(text);
  bisect_report_ir(it, pass, index, full);
}

void bisect_report_end(const bisection_t *it) {
  const bool has_content =
      it->json && (cJSON_HasObjectItem(it->json, "shown") || cJSON_HasObjectItem(it->json, "observation") ||
                   cJSON_HasObjectItem(it->json, "interrupted")); /* else the input is wrong */
  char *text = has_content ? cJSON_Print(it->json) : NULL;
  if (text)
    puts(text);
  cJSON_free(text);
}
