/* Reads the directives of a PTX text that the driver needs: version, target, entries and their limits.
 *
 *   .version 8.7   .target sm_90a   .visible .entry k(…) .reqntid 128   // nereid.metadata: {…}
 *
 * It scans tokens, comments and strings and does not validate PTX, which the assembler does. */
#include "session.h"

#include <stdlib.h>

typedef struct lexer {
  const char *at, *end;
  unsigned line;
  nereid_view_t metadata;
} lexer_t;

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '.' || c == '%';
}

static void skip_line(lexer_t *lexer) {
  static const char key[] = "// " NEREID_METADATA_KEY ": ";
  const char *stop = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
  nereid_view_t comment = nereid_view_of(lexer->at, (size_t)((stop ? stop : lexer->end) - lexer->at));
  if (nereid_view_starts_with(comment, nereid_view(key)))
    lexer->metadata = nereid_view_of(comment.data + sizeof key - 1, comment.size - (sizeof key - 1));
  lexer->at = stop ? stop : lexer->end;
}

/* Skips to the character after the next `last`, counting lines. */
static void skip_past(lexer_t *lexer, const char *last) {
  size_t size = strlen(last);
  for (; lexer->at < lexer->end; lexer->at++) {
    lexer->line += *lexer->at == '\n';
    if ((size_t)(lexer->end - lexer->at) >= size && memcmp(lexer->at, last, size) == 0) {
      lexer->at += size;
      return;
    }
  }
}

/* Returns the next word (directives keep their dot) or single character; empty at the end. */
static nereid_view_t next(lexer_t *lexer) {
  while (lexer->at < lexer->end) {
    const char *start = lexer->at;
    char c = *start, after = lexer->end - start > 1 ? start[1] : 0;
    if (is_word(c)) {
      while (lexer->at < lexer->end && is_word(*lexer->at))
        lexer->at++;
      return nereid_view_of(start, (size_t)(lexer->at - start));
    }
    if (c == '/' && after == '/') {
      skip_line(lexer);
      continue;
    }
    lexer->at++;
    if (c == '\n')
      lexer->line++;
    else if (c == '/' && after == '*')
      skip_past(lexer, "*/");
    else if (c == '"')
      skip_past(lexer, "\"");
    else if (c != ' ' && c != '\t' && c != '\r')
      return nereid_view_of(start, 1);
  }
  return nereid_view_of(lexer->end, 0);
}

static bool is(nereid_view_t token, const char *text) {
  return nereid_view_equal(token, nereid_view(text));
}

static unsigned number(nereid_view_t token) {
  char text[16] = "";
  memcpy(text, token.data, token.size < sizeof text - 1 ? token.size : sizeof text - 1);
  return (unsigned)strtoul(text, NULL, 10);
}

/* Parses "8.7" as 87. */
static unsigned version(nereid_view_t token) {
  const char *dot = memchr(token.data, '.', token.size);
  return dot ? number(token) * 10 + number(nereid_view_of(dot + 1, token.size - (size_t)(dot + 1 - token.data))) : 0;
}

/* Returns the product of the sizes in .reqntid x, y, z. */
static unsigned product(lexer_t *lexer) {
  unsigned result = number(next(lexer));
  for (lexer_t ahead = *lexer; is(next(&ahead), ","); ahead = *lexer) {
    next(lexer);
    result *= number(next(lexer));
  }
  return result;
}

bool nereid_ptx_read(nereid_view_t ptx, nereid_arena_t *arena, nereid_ptx_facts_t *out_facts) {
  lexer_t lexer = {.at = ptx.data, .end = ptx.data + ptx.size, .line = 1};
  NEREID_VECTOR(struct nereid_ptx_entry) entries = {0};
  *out_facts = (nereid_ptx_facts_t){0};
  for (nereid_view_t token = next(&lexer); token.size; token = next(&lexer)) {
    struct nereid_ptx_entry *entry = entries.size ? &entries.data[entries.size - 1] : NULL;
    if (is(token, ".version")) {
      out_facts->version = version(next(&lexer));
    } else if (is(token, ".target")) {
      out_facts->target_line = lexer.line;
      out_facts->target = next(&lexer);
    } else if (is(token, ".entry")) {
      unsigned line = lexer.line;
      if (!nereid_vector_push(arena, &entries, (struct nereid_ptx_entry){.name = next(&lexer), .line = line}))
        return false;
    } else if (entry && is(token, ".reqntid")) {
      entry->threads = product(&lexer);
    } else if (entry && is(token, ".maxnreg")) {
      entry->maxnreg = number(next(&lexer));
    }
  }
  out_facts->entries = entries.data;
  out_facts->n_entries = entries.size;
  out_facts->metadata = lexer.metadata;
  return true;
}
