/* Scans MLIR text for constructs that crash MLIR's parser or take it too long:
 *
 *   array<index: 1>           the parser of LLVM 22 queries the width of index and crashes
 *   !tt.ptr<!tt.ptr<…>>       it recurses for every bracket: thousands of them exhaust the stack
 *   1.000…                    its time is quadratic in the digits of a number: 30,000 digits take half a minute
 *   #b = [#a, #a]             attributes are shared, but printed in full: 40 such lines are 2^40 attributes in a
 *   #c = [#b, #b] …           diagnostic that prints its operation
 *
 * Strings and comments are skipped. All other errors are left to the parser, which reports them more precisely. */
#include "python-free-bindings/compile/scan.h"

#include "base/map.h"

enum {
  MAX_DEPTH = 1000,    /* open brackets; a kernel has some dozens */
  MAX_DIGITS = 1200,   /* per number; an exact decimal double has up to 1,077 */
  MAX_ALIAS = 1 << 20, /* attributes and types that an alias expands to */
};

typedef struct scan {
  const char *begin, *at, *end;
  unsigned depth;
  bool is_llvm;
  nereid_map_t sizes; /* hash of an alias → attributes and types that it expands to */
  uintptr_t *size;    /* that of the alias whose definition is scanned; null: outside of definitions */
} scan_t;

const char *nereid_scan_skip(const char *at, const char *end) {
  if (*at == '"') {
    for (at++; at < end && *at != '"' && *at != '\n'; at++)
      at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
  }
  if (*at == '/' && end - at > 1 && at[1] == '/') {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop : end;
  }
  return at;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_identifier(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '.';
}

static bool is_index_array(const char *at, const char *end) {
  return nereid_view_starts_with(nereid_view_of(at, (size_t)(end - at)), nereid_view("array<")) &&
         nereid_view_starts_with(nereid_view_of(at + 6, (size_t)(end - at) - 6), nereid_view("index"));
}

/* Returns the end of the identifier or number at `at`. */
static const char *skip_word(const char *at, const char *end) {
  while (at < end && is_identifier(*at))
    at++;
  return at;
}

/* Returns whether the file is split at this line; sections are parsed one by one. */
static bool is_split(const char *at, const char *end) {
  return nereid_view_starts_with(nereid_view_of(at, (size_t)(end - at)), nereid_view("// -----"));
}

static const char *check_bracket(scan_t *scan) {
  const char c = *scan->at;
  if (strchr("<([{", c) && ++scan->depth > MAX_DEPTH)
    return "brackets nest deeper than the limit of 1000";
  if (strchr(">)]}", c) && scan->depth && !(c == '>' && scan->at > scan->begin && scan->at[-1] == '-'))
    scan->depth--;
  return NULL;
}

static const char *check_word(scan_t *scan, const char *end) {
  if (is_digit(*scan->at) && end - scan->at > MAX_DIGITS)
    return "the number has more than 1200 digits: expected as many digits as its value requires";
  if (!scan->is_llvm && is_index_array(scan->at, scan->end))
    return "an array of index: expected i1, i8, i16, i32, i64 or a float type";
  return NULL;
}

/* --- aliases --- */

/* A hash (FNV-1a) represents the name: with equal hashes an alias is counted as another one. */
static const void *key_of(const char *at, const char *end) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; at < end; at++)
    hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
  return (const void *)(uintptr_t)(hash | 1);
}

/* Returns whether `#name` or `!name` up to `end` is defined here: first in its line, before a `=`. */
static bool is_definition(const scan_t *scan, const char *end) {
  const char *at = scan->at;
  while (at > scan->begin && (at[-1] == ' ' || at[-1] == '\t'))
    at--;
  while (end < scan->end && (*end == ' ' || *end == '\t'))
    end++;
  return (at == scan->begin || at[-1] == '\n') && end < scan->end && *end == '=';
}

/* Begins the definition of an alias, or adds a used alias to the current definition. */
static const char *check_alias(scan_t *scan, const char *end) {
  const void *key = key_of(scan->at, end);
  if (is_definition(scan, end)) {
    scan->size = nereid_map_insert(&scan->sizes, key);
    if (scan->size)
      *scan->size = 1;
    return NULL;
  }
  const uintptr_t *used = scan->size ? nereid_map_find(&scan->sizes, key) : NULL;
  if (scan->size)
    *scan->size += used ? *used : 1;
  return scan->size && *scan->size > MAX_ALIAS
             ? "the alias expands to more than 1048576 attributes and types, which are printed in full"
             : NULL;
}

static const char *find_trouble(scan_t *scan) {
  const char *why = NULL;
  while (scan->at < scan->end) {
    const char *at = nereid_scan_skip(scan->at, scan->end);
    if (at != scan->at) {
      scan->depth = is_split(scan->at, scan->end) ? 0 : scan->depth;
      scan->at = at;
      continue;
    }
    const bool is_alias = !scan->is_llvm && (*scan->at == '#' || *scan->at == '!');
    const char *end = skip_word(scan->at + is_alias, scan->end);
    if (*scan->at == '\n' && !scan->depth)
      scan->size = NULL; /* the definition ends */
    if (is_alias)
      why = check_alias(scan, end);
    else if (end != scan->at)
      why = check_word(scan, end);
    else if (*scan->at && !scan->is_llvm)
      why = check_bracket(scan);
    if (why)
      return why;
    scan->at = end != scan->at ? end : scan->at + 1;
  }
  return NULL;
}

const char *nereid_scan_find(nereid_view_t text, bool is_llvm, unsigned *out_line, unsigned *out_column) {
  scan_t scan = {.begin = text.data, .at = text.data, .end = text.data + text.size, .is_llvm = is_llvm};
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_map_initialize(&scan.sizes, &arena);
  const char *why = find_trouble(&scan);
  nereid_arena_deinitialize(&arena);
  *out_line = *out_column = 1;
  for (const char *at = text.data; why && at < scan.at; at++) {
    *out_line += *at == '\n';
    *out_column = *at == '\n' ? 1 : *out_column + 1;
  }
  return why;
}
