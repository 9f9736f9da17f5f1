/* Parses argv against the command's options table; --help and the reference page print the same table. */
#include "tools/nereid/tool.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void tool_error(const tool_command_t *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "nereid %s: ", command->name);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

int tool_failed(const tool_command_t *command, nereid_status_t status, const nereid_message_t *message) {
  bool reported = message && message->text[0];
  if (reported || status != NEREID_ERROR_PROGRAM) /* diagnostics have reported a wrong program */
    tool_error(command, "%s", reported ? message->text : nereid_status_string(status));
  return status == NEREID_ERROR_PROGRAM ? TOOL_PROGRAM : TOOL_CALL;
}

static void print_help(const tool_command_t *command) {
  printf("usage: nereid %s %s [options]\n\n%s\n\noptions:\n", command->name, command->operands, command->summary);
  for (size_t i = 0; i < command->n_options; ++i) {
    const tool_option_t *option = &command->options[i];
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", option->name, option->metavar && option->kind != TOOL_MAYBE ? " " : "",
             option->metavar ? option->metavar : "");
    printf("  %-26s %s%s\n", left, option->text, option->kind == TOOL_LIST ? " (may be repeated)" : "");
  }
  printf("  %-26s %s\n", "--help", "print this help and exit");
}

/* Prints the content of a Markdown table cell, with bars escaped. */
static void print_cell(const char *words) {
  for (; *words; ++words)
    printf(*words == '|' ? "\\|" : "%c", *words);
}

void tool_command_document(const tool_command_t *command) {
  printf("\n## `nereid %s%s%s [options]`\n\n%c%s.\n\n| option | |\n|---|---|\n", command->name,
         *command->operands ? " " : "", command->operands, toupper(command->summary[0]), command->summary + 1);
  for (size_t i = 0; i < command->n_options; ++i) {
    const tool_option_t *option = &command->options[i];
    printf("| `%s", option->name);
    if (option->metavar) {
      if (option->kind != TOOL_MAYBE)
        putchar(' ');
      print_cell(option->metavar);
    }
    fputs("` | ", stdout);
    print_cell(option->text);
    puts(option->kind == TOOL_LIST ? "; may be repeated |" : " |");
  }
  puts("| `--help` | print this help and exit |");
}

static const tool_option_t *find_option(const tool_command_t *command, nereid_view_t name) {
  for (size_t i = 0; i < command->n_options; ++i)
    if (nereid_view_equal(nereid_view(command->options[i].name), name))
      return &command->options[i];
  return NULL;
}

/* The array grows when its size is a power of two, so that lists of several parses can be continued. */
bool tool_list_append(nereid_arena_t *arena, tool_list_t *list, const char *item) {
  if ((list->size & (list->size - 1)) == 0) {
    const char **items = nereid_arena_new(arena, const char *, list->size ? 2 * list->size : 1);
    if (!items)
      return false;
    if (list->size)
      memcpy(items, list->items, list->size * sizeof *items);
    list->items = items;
  }
  list->items[list->size++] = item;
  return true;
}

static bool parse_integer(const char *text, int64_t *out_value) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  *out_value = value;
  return end != text && !*end && errno == 0;
}

/* Whether `value` is in the range of the option; otherwise an error on stderr. */
static bool is_in_range(const tool_command_t *command, const tool_option_t *option, int64_t value) {
  const int64_t least = option->kind == TOOL_NATURAL ? 0 : 1;
  if (option->kind == TOOL_INTEGER || (value >= least && value <= TOOL_LARGEST))
    return true;
  tool_error(command, "%s %" PRId64 " is out of range: expected %" PRId64 " to %d", option->name, value, least,
             (int)TOOL_LARGEST);
  return false;
}

static bool store_integer(const tool_command_t *command, const tool_option_t *option, const char *text,
                          int64_t *place) {
  if (parse_integer(text, place))
    return is_in_range(command, option, *place);
  tool_error(command, "%s: expected an integer, not '%s'", option->name, text);
  return false;
}

/* Stores one option's value; false after an error on stderr. */
static bool store(nereid_arena_t *arena, const tool_command_t *command, const tool_option_t *option, const char *value,
                  void *settings) {
  void *place = (char *)settings + option->offset;
  switch (option->kind) {
  case TOOL_FLAG:
    *(bool *)place = true;
    return true;
  case TOOL_ONCE:
    if (*(const char **)place) {
      tool_error(command, "%s is given twice, as '%s' and '%s'; expected once", option->name, *(const char **)place,
                 value);
      return false;
    }
    *(const char **)place = value;
    return true;
  case TOOL_TEXT:
  case TOOL_MAYBE:
    *(const char **)place = value;
    return true;
  case TOOL_OPTIONAL_POSITIVE:
    if (!value) {
      *(int64_t *)place = TOOL_ALL;
      return true;
    }
    /* fall through */
  case TOOL_INTEGER:
  case TOOL_NATURAL:
  case TOOL_POSITIVE:
    return store_integer(command, option, value, place);
  case TOOL_LIST:
    if (tool_list_append(arena, place, value))
      return true;
    tool_error(command, "out of memory");
    return false;
  }
  return false;
}

/* Returns the option of -j4, an optional integer that follows the name without a space; null for other words. */
static const tool_option_t *find_attached(const tool_command_t *command, const char *word, const char **out_value) {
  int64_t value;
  for (size_t i = 0; i < command->n_options; ++i) {
    const tool_option_t *option = &command->options[i];
    const size_t length = strlen(option->name);
    if (option->kind != TOOL_OPTIONAL_POSITIVE || strncmp(word, option->name, length) != 0 ||
        !parse_integer(word + length, &value))
      continue;
    *out_value = word + length;
    return option;
  }
  return NULL;
}

/* Finds the option of a word, and its value if that is part of the word. */
static const tool_option_t *split_word(const tool_command_t *command, const char *word, const char **out_value) {
  const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
  const size_t length = equals ? (size_t)(equals - word) : strlen(word);
  const tool_option_t *option = find_option(command, nereid_view_of(word, length));
  *out_value = equals ? equals + 1 : NULL;
  return option ? option : find_attached(command, word, out_value);
}

/* Returns whether the option takes the next word as its value. */
static bool takes_next(const tool_option_t *option, const char *next) {
  int64_t value;
  switch (option->kind) {
  case TOOL_FLAG:
  case TOOL_MAYBE:
    return false;
  case TOOL_OPTIONAL_POSITIVE:
    return next && parse_integer(next, &value);
  default:
    return true;
  }
}

static int unknown_option(const tool_command_t *command, const char *word) {
  const char *meant = tool_suggest(word, command->options, command->n_options, sizeof *command->options);
  if (meant)
    tool_error(command, "unknown option '%s'; did you mean '%s'?", word, meant);
  else
    tool_error(command, "unknown option '%s'; see nereid %s --help", word, command->name);
  return TOOL_CALL;
}

static int wrong_call(const tool_command_t *command, const char *what, const char *word) {
  tool_error(command, "%s '%s'; see nereid %s --help", what, word, command->name);
  return TOOL_CALL;
}

int tool_options_parse(nereid_arena_t *arena, const tool_command_t *command, int argc, char **argv, void *settings,
                       tool_list_t *operands) {
  bool only_operands = false;
  for (int i = 1; i < argc; ++i) {
    const char *word = argv[i];
    if (only_operands || word[0] != '-' || word[1] == '\0') {
      if (!tool_list_append(arena, operands, word))
        return TOOL_CALL;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      only_operands = true;
      continue;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      print_help(command);
      return TOOL_DONE;
    }
    const char *value;
    const tool_option_t *option = split_word(command, word, &value);
    if (!option)
      return unknown_option(command, word);
    if (option->kind == TOOL_FLAG && value)
      return wrong_call(command, "unexpected value in", word);
    if (option->kind == TOOL_MAYBE && !value)
      value = "";
    if (!value && takes_next(option, argv[i + 1])) { /* argv ends in a null */
      if (++i == argc)
        return wrong_call(command, "missing value after", word);
      value = argv[i];
    }
    if (!store(arena, command, option, value, settings))
      return TOOL_CALL;
  }
  return TOOL_CONTINUE;
}
