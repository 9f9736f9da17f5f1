/* Command lines as text.
 *
 *   --grid 4 --insert 'cse after inline'   <->   "--grid", "4", "--insert", "cse after inline" */
#include "tools/nereid/tool.h"

#include <inttypes.h>

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-_./=,:[]@+%", c));
}

const char *tool_words_quote(nereid_arena_t *arena, const char *word) {
  const char *at = word, *text = "'";
  while (is_plain(*at))
    ++at;
  if (*word && !*at)
    return word;
  for (at = word; text; ++at) {
    const size_t length = strcspn(at, "'");
    text = nereid_arena_format(arena, "%s%.*s%s", text, (int)length, at, at[length] ? "'\\''" : "'");
    at += length;
    if (!*at)
      break;
  }
  return text;
}

/* Moves a word to its start, without its quotes and backslashes; returns its end. */
static char *unquote(char *word, bool *out_is_last) {
  char *to = word, quote = 0;
  const char *from = word;
  for (; *from && (quote || *from != ' '); ++from) {
    if (*from == quote)
      quote = 0;
    else if (!quote && (*from == '\'' || *from == '"'))
      quote = *from;
    else if (!quote && *from == '\\' && from[1])
      *to++ = *++from;
    else
      *to++ = *from;
  }
  *out_is_last = !*from;
  *to = 0;
  return word + (from - word);
}

bool tool_words_split(nereid_arena_t *arena, const char *text, tool_list_t *out_words) {
  char *at = nereid_arena_copy(arena, nereid_view(text));
  bool is_last = !at;
  while (!is_last && *(at += strspn(at, " "))) {
    if (!tool_list_append(arena, out_words, at))
      return false;
    at = unquote(at, &is_last) + !is_last;
  }
  if (!at || !tool_list_append(arena, out_words, NULL)) /* as argv */
    return false;
  --out_words->size;
  return true;
}

static bool has_option(const tool_command_t *command, const char *name) {
  for (size_t i = 0; i < command->n_options; ++i)
    if (strcmp(command->options[i].name, name) == 0)
      return true;
  return false;
}

static bool add(nereid_arena_t *arena, tool_list_t *words, const char *name, const char *value) {
  return value && tool_list_append(arena, words, name) && tool_list_append(arena, words, value);
}

static bool print_option(nereid_arena_t *arena, const tool_option_t *option, const void *place, const void *fallback,
                         tool_list_t *words) {
  switch (option->kind) {
  case TOOL_FLAG:
    return !*(const bool *)place || tool_list_append(arena, words, option->name);
  case TOOL_INTEGER:
  case TOOL_NATURAL:
  case TOOL_POSITIVE: {
    const int64_t value = *(const int64_t *)place;
    return value == *(const int64_t *)fallback ||
           add(arena, words, option->name, nereid_arena_format(arena, "%" PRId64, value));
  }
  case TOOL_OPTIONAL_POSITIVE: {
    const int64_t value = *(const int64_t *)place;
    if (value == TOOL_ALL)
      return tool_list_append(arena, words, option->name);
    return value == *(const int64_t *)fallback ||
           add(arena, words, option->name, nereid_arena_format(arena, "%" PRId64, value));
  }
  case TOOL_LIST: {
    const tool_list_t *list = place;
    for (size_t i = 0; i < list->size; ++i)
      if (!add(arena, words, option->name, list->items[i]))
        return false;
    return true;
  }
  case TOOL_MAYBE: {
    const char *value = *(const char *const *)place;
    return !value || tool_list_append(arena, words,
                                      *value ? nereid_arena_format(arena, "%s=%s", option->name, value) : option->name);
  }
  case TOOL_TEXT:
  case TOOL_ONCE:
    return !*(const char *const *)place || add(arena, words, option->name, *(const char *const *)place);
  }
  return false;
}

bool tool_options_print(nereid_arena_t *arena, const tool_command_t *command, const void *settings,
                        const void *defaults, const tool_command_t *other, tool_list_t *words) {
  for (size_t i = 0; i < command->n_options; ++i) {
    const tool_option_t *option = &command->options[i];
    if ((!other || has_option(other, option->name)) &&
        !print_option(arena, option, (const char *)settings + option->offset, (const char *)defaults + option->offset,
                      words))
      return false;
  }
  return true;
}
