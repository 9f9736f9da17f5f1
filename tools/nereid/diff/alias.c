/* Finds attributes by their brackets: the printed form of every attribute of the dialects is balanced. Inner attributes
 * are replaced first, so that the parent of a slice has its own alias. */
#include "tools/nereid/diff/alias.h"

#include <ctype.h>

enum { MIN_SIZE = 24 }; /* bytes; a shorter attribute stays */

typedef struct buffer {
  nereid_arena_t *arena;
  NEREID_VECTOR(char) text;
} buffer_t;

static void append(buffer_t *out, const char *text, size_t size) {
  for (size_t i = 0; i < size; ++i)
    (void)nereid_vector_push(out->arena, &out->text, text[i]);
}

static size_t string_length(const char *text) {
  size_t size = 1;
  while (text[size] && text[size] != '"')
    size += text[size] == '\\' && text[size + 1] ? 2 : 1;
  return text[size] ? size + 1 : size;
}

/* Returns the size of "<...>" at `text`; 0 when it is not closed. The > of an arrow closes nothing. */
static size_t bracket_length(const char *text) {
  int depth = 0;
  for (size_t i = 0; text[i]; ++i) {
    if (text[i] == '"') {
      i += string_length(text + i) - 1;
      continue;
    }
    depth += text[i] == '<';
    depth -= text[i] == '>' && text[i - 1] != '-';
    if (!depth)
      return i + 1;
  }
  return 0;
}

/* Returns the size of "#dialect.mnemonic" at `text`; 0 when there is none. */
static size_t mnemonic_length(const char *text) {
  size_t size = 1;
  bool has_dot = false;
  for (; isalnum((unsigned char)text[size]) || text[size] == '_' || text[size] == '.'; ++size)
    has_dot |= text[size] == '.';
  return has_dot ? size : 0;
}

static const char *name_of(tool_aliases_t *aliases, const char *text, const char *mnemonic, size_t size) {
  size_t same = 0;
  for (size_t i = 0; i < aliases->list.size; ++i) {
    if (strcmp(aliases->list.data[i].text, text) == 0)
      return aliases->list.data[i].name;
    const char *name = aliases->list.data[i].name + 1;
    same += strncmp(name, mnemonic, size) == 0 && (!name[size] || isdigit((unsigned char)name[size]));
  }
  const char *name = same ? nereid_arena_format(aliases->arena, "#%.*s%zu", (int)size, mnemonic, same)
                          : nereid_arena_format(aliases->arena, "#%.*s", (int)size, mnemonic);
  const tool_alias_t alias = {.name = name, .text = text};
  return name && nereid_vector_push(aliases->arena, &aliases->list, alias) ? name : NULL;
}

/* Appends the attribute at `text`, "#ttg.blocked<...>", or its alias. A slice is printed with its parent's alias. */
static size_t append_attribute(tool_aliases_t *aliases, buffer_t *out, const char *text) {
  const size_t head = mnemonic_length(text), body = head && text[head] == '<' ? bracket_length(text + head) : 0;
  if (!body) {
    append(out, text, head ? head : 1);
    return head ? head : 1;
  }
  const char *inner = nereid_arena_format(aliases->arena, "%.*s", (int)body, text + head);
  inner = inner ? tool_aliases_apply(aliases, inner) : NULL;
  const char *whole = inner ? nereid_arena_format(aliases->arena, "%.*s%s", (int)head, text, inner) : NULL;
  if (!whole)
    return head + body;
  size_t dot = head;
  while (text[dot - 1] != '.')
    --dot;
  const bool stays = strlen(whole) < MIN_SIZE || strncmp(text + dot, "slice<", strlen("slice<")) == 0;
  const char *shown = stays ? whole : name_of(aliases, whole, text + dot, head - dot);
  append(out, shown ? shown : "", shown ? strlen(shown) : 0);
  return head + body;
}

const char *tool_aliases_apply(tool_aliases_t *aliases, const char *text) {
  buffer_t out = {.arena = aliases->arena};
  while (*text) {
    size_t size = 1;
    if (*text == '#')
      size = append_attribute(aliases, &out, text);
    else
      append(&out, text, size = *text == '"' ? string_length(text) : 1);
    text += size;
  }
  append(&out, "", 1);
  return aliases->arena->failed ? NULL : out.text.data;
}
