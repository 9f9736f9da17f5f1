/* Replaces the placeholders of named constants in a text.
 *
 *   tensor<${M}x${M * 2}xf16>   M = 64   →   tensor<64x128xf16>
 *
 * The text is scanned twice: the first scan collects defaults, the second replaces. Text without a placeholder costs
 * one search for `${`. Replacing text, and not attributes or operations, lets one mechanism reach the shapes of types,
 * which MLIR cannot change in place. */
#include "nereid/constants.h"

#include "base/vector.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct definition {
  nereid_view_t name, value;
  bool is_used, is_default;
} definition_t;

typedef NEREID_VECTOR(definition_t) definitions_t;

typedef struct substitution {
  nereid_arena_t *arena;
  nereid_view_t text;
  definitions_t definitions;
  const char *at, *end; /* rest of the expression */
  const char *start;    /* start of the placeholder, for the location of errors */
  nereid_message_t *message;
} substitution_t;

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The length of the name at the start of the text. */
static size_t name_length(const char *at, const char *end) {
  size_t n = 0;
  while (at + n < end && (is_letter(at[n]) || (n && is_digit(at[n]))))
    ++n;
  return n;
}

static nereid_view_t trim(const char *at, const char *end) {
  while (at < end && *at == ' ')
    ++at;
  while (end > at && end[-1] == ' ')
    --end;
  return nereid_view_of(at, (size_t)(end - at));
}

static definition_t *find(const substitution_t *it, nereid_view_t name) {
  for (size_t i = 0; i < it->definitions.size; ++i)
    if (nereid_view_equal(it->definitions.data[i].name, name))
      return &it->definitions.data[i];
  return NULL;
}

static nereid_status_t define(substitution_t *it, nereid_view_t name, nereid_view_t value, bool is_default) {
  const definition_t definition = {name, value, false, is_default};
  return nereid_vector_push(it->arena, &it->definitions, definition)
             ? NEREID_OK
             : nereid_message_set(it->message, NEREID_ERROR_MEMORY, "out of memory");
}

/* Checks the caller's constants and adds them. */
static nereid_status_t define_all(substitution_t *it, size_t n, const nereid_constant_t *constants) {
  nereid_status_t status = NEREID_OK;
  for (size_t i = 0; !status && i < n; ++i) {
    const nereid_view_t name = nereid_view(constants[i].name), value = nereid_view(constants[i].value);
    if (!name.size || name_length(name.data, name.data + name.size) != name.size)
      return nereid_message_set(it->message, NEREID_ERROR_ARGUMENT,
                                "'%s' is not the name of a constant: expected a letter or underscore, then letters, "
                                "digits and underscores",
                                name.data ? name.data : "");
    if (!value.size || memchr(value.data, '\n', value.size))
      return nereid_message_set(it->message, NEREID_ERROR_ARGUMENT,
                                "the value of constant '%s' is empty or has a newline", name.data);
    if (find(it, name))
      return nereid_message_set(it->message, NEREID_ERROR_ARGUMENT, "constant '%s' is defined twice", name.data);
    status = define(it, name, value, false);
  }
  return status;
}

/* --- expressions --- */

static nereid_status_t refuse(const substitution_t *it, const char *why) {
  return nereid_message_set(it->message, NEREID_ERROR_PROGRAM, "%s in '%.*s'", why, (int)(it->end + 1 - it->start),
                            it->start);
}

static char next_character(substitution_t *it) {
  while (it->at < it->end && *it->at == ' ')
    ++it->at;
  return it->at < it->end ? *it->at : 0;
}

static nereid_status_t unknown(const substitution_t *it, nereid_view_t name) {
  char known[256] = "";
  for (size_t i = 0; i < it->definitions.size; ++i) {
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%.*s", i ? ", " : "", (int)it->definitions.data[i].name.size,
             it->definitions.data[i].name.data);
  }
  return nereid_message_set(it->message, NEREID_ERROR_PROGRAM,
                            "constant '%.*s' has no value: define it (--define %.*s=VALUE), or write a default, "
                            "${%.*s = VALUE}; defined: %s",
                            (int)name.size, name.data, (int)name.size, name.data, (int)name.size, name.data,
                            *known ? known : "none");
}

static bool parse_integer(nereid_view_t text, int64_t *out_value) {
  char digits[32], *end;
  if (!text.size || text.size >= sizeof digits)
    return false;
  memcpy(digits, text.data, text.size);
  digits[text.size] = 0;
  errno = 0;
  *out_value = strtoll(digits, &end, 10);
  return !*end && !errno && (is_digit(digits[0]) || digits[0] == '-');
}

static nereid_status_t parse_sum(substitution_t *it, int depth, int64_t *out_value);

static nereid_status_t parse_name(substitution_t *it, int64_t *out_value) {
  const nereid_view_t name = nereid_view_of(it->at, name_length(it->at, it->end));
  definition_t *definition = find(it, name);
  if (!definition)
    return unknown(it, name);
  definition->is_used = true;
  it->at += name.size;
  if (parse_integer(definition->value, out_value))
    return NEREID_OK;
  return nereid_message_set(it->message, NEREID_ERROR_PROGRAM,
                            "constant '%.*s' is '%.*s'; the expression '%.*s' requires an integer", (int)name.size,
                            name.data, (int)definition->value.size, definition->value.data,
                            (int)(it->end + 1 - it->start), it->start);
}

static nereid_status_t parse_factor(substitution_t *it, int depth, int64_t *out_value) {
  enum { MAX_DEPTH = 50 };
  const char c = next_character(it);
  nereid_status_t status;
  if (depth > MAX_DEPTH)
    return refuse(it, "too many parentheses");
  if (is_letter(c))
    return parse_name(it, out_value);
  if (c == '-') {
    ++it->at;
    status = parse_factor(it, depth + 1, out_value);
    return !status && __builtin_sub_overflow((int64_t)0, *out_value, out_value) ? refuse(it, "overflow") : status;
  }
  if (c == '(') {
    ++it->at;
    status = parse_sum(it, depth + 1, out_value);
    if (!status && next_character(it) != ')')
      return refuse(it, "expected ')'");
    ++it->at;
    return status;
  }
  size_t n = 0;
  while (it->at + n < it->end && is_digit(it->at[n]))
    ++n;
  if (!parse_integer(nereid_view_of(it->at, n), out_value))
    return refuse(it, "expected a name, an integer that fits 64 bits, or '('");
  it->at += n;
  return NEREID_OK;
}

/* Applies an operator; / and % round down. */
static nereid_status_t apply(const substitution_t *it, char operator, int64_t right, int64_t *value) {
  const int64_t left = *value;
  if (operator == '+' || operator == '-' || operator == '*') {
    const bool overflows = operator == '+'   ? __builtin_add_overflow(left, right, value)
                           : operator == '-' ? __builtin_sub_overflow(left, right, value)
                                             : __builtin_mul_overflow(left, right, value);
    return overflows ? refuse(it, "overflow") : NEREID_OK;
  }
  if (right == 0)
    return refuse(it, "division by zero");
  if (left == INT64_MIN && right == -1)
    return refuse(it, "overflow");
  const int64_t quotient = left / right - (left % right != 0 && (left < 0) != (right < 0));
  *value = operator == '/' ? quotient : left - quotient * right;
  return NEREID_OK;
}

static nereid_status_t parse_product(substitution_t *it, int depth, int64_t *out_value) {
  nereid_status_t status = parse_factor(it, depth, out_value);
  for (char c; !status && ((c = next_character(it)) == '*' || c == '/' || c == '%');) {
    int64_t right;
    ++it->at;
    status = parse_factor(it, depth, &right);
    if (!status)
      status = apply(it, c, right, out_value);
  }
  return status;
}

static nereid_status_t parse_sum(substitution_t *it, int depth, int64_t *out_value) {
  nereid_status_t status = parse_product(it, depth, out_value);
  for (char c; !status && ((c = next_character(it)) == '+' || c == '-');) {
    int64_t right;
    ++it->at;
    status = parse_product(it, depth, &right);
    if (!status)
      status = apply(it, c, right, out_value);
  }
  return status;
}

/* --- placeholders --- */

/* Returns the next placeholder's `$`, or the end of the text. */
static const char *next_placeholder(const substitution_t *it, const char *from) {
  const char *end = it->text.data + it->text.size;
  for (const char *at = from; (at = memchr(at, '$', (size_t)(end - at))); ++at) {
    if (end - at >= 3 && at[1] == '{' && (is_letter(at[2]) || at[2] == '(' || at[2] == '-' || at[2] == ' ') &&
        (at == it->text.data || at[-1] != '$'))
      return at;
    if (at + 1 == end)
      break;
  }
  return end;
}

/* Sets the bounds of the placeholder at `start`: its content. */
static nereid_status_t open_placeholder(substitution_t *it, const char *start) {
  const char *end = it->text.data + it->text.size;
  const char *newline = memchr(start, '\n', (size_t)(end - start));
  const char *close = memchr(start, '}', (size_t)((newline ? newline : end) - start));
  it->start = start;
  it->at = start + 2;
  it->end = close;
  return close ? NEREID_OK
               : nereid_message_set(it->message, NEREID_ERROR_PROGRAM,
                                    "a placeholder begins here, but its line has no '}'");
}

/* Splits `NAME = VALUE`; false when the placeholder has no default. */
static bool split_default(const substitution_t *it, nereid_view_t *out_name, nereid_view_t *out_value) {
  const char *equals = memchr(it->at, '=', (size_t)(it->end - it->at));
  if (!equals)
    return false;
  *out_name = trim(it->at, equals);
  *out_value = trim(equals + 1, it->end);
  return true;
}

static nereid_status_t collect_default(substitution_t *it) {
  nereid_view_t name, value;
  if (!split_default(it, &name, &value))
    return NEREID_OK;
  if (!name.size || !value.size || name_length(name.data, name.data + name.size) != name.size)
    return refuse(it, "expected ${NAME = VALUE}");
  definition_t *known = find(it, name);
  if (known && known->is_default && !nereid_view_equal(known->value, value))
    return nereid_message_set(it->message, NEREID_ERROR_PROGRAM, "constant '%.*s' has two defaults, '%.*s' and '%.*s'",
                              (int)name.size, name.data, (int)known->value.size, known->value.data, (int)value.size,
                              value.data);
  return known ? NEREID_OK : define(it, name, value, true);
}

/* Returns the text that replaces the placeholder; empty data on an error. */
static nereid_status_t expand(substitution_t *it, nereid_view_t *out_value) {
  nereid_view_t name, ignored;
  int64_t value;
  if (!split_default(it, &name, &ignored))
    name = trim(it->at, it->end);
  if (name.size && name_length(name.data, name.data + name.size) == name.size) {
    definition_t *definition = find(it, name);
    if (!definition)
      return unknown(it, name);
    definition->is_used = true;
    *out_value = definition->value;
    return NEREID_OK;
  }
  nereid_status_t status = parse_sum(it, 0, &value);
  if (!status && next_character(it))
    status = refuse(it, "expected an operator");
  if (status)
    return status;
  const char *text = nereid_arena_format(it->arena, "%" PRId64, value);
  *out_value = nereid_view(text);
  return text ? NEREID_OK : nereid_message_set(it->message, NEREID_ERROR_MEMORY, "out of memory");
}

typedef struct piece {
  nereid_view_t text;
} piece_t;

typedef NEREID_VECTOR(piece_t) pieces_t;

static nereid_status_t add_piece(substitution_t *it, pieces_t *pieces, nereid_view_t text) {
  const piece_t piece = {text};
  return nereid_vector_push(it->arena, pieces, piece)
             ? NEREID_OK
             : nereid_message_set(it->message, NEREID_ERROR_MEMORY, "out of memory");
}

static nereid_status_t join(substitution_t *it, const pieces_t *pieces, nereid_view_t *out_text) {
  size_t size = 0;
  for (size_t i = 0; i < pieces->size; ++i)
    size += pieces->data[i].text.size;
  char *bytes = nereid_arena_allocate(it->arena, size + 1, 1);
  if (!bytes)
    return nereid_message_set(it->message, NEREID_ERROR_MEMORY, "out of memory");
  *out_text = nereid_view_of(bytes, size);
  for (size_t i = 0; i < pieces->size; ++i) {
    if (pieces->data[i].text.size)
      memcpy(bytes, pieces->data[i].text.data, pieces->data[i].text.size);
    bytes += pieces->data[i].text.size;
  }
  return NEREID_OK;
}

static nereid_status_t collect_defaults(substitution_t *it) {
  const char *end = it->text.data + it->text.size;
  nereid_status_t status = NEREID_OK;
  for (const char *at = next_placeholder(it, it->text.data); !status && at != end; at = next_placeholder(it, at + 2)) {
    status = open_placeholder(it, at);
    if (!status)
      status = collect_default(it);
  }
  return status;
}

static nereid_status_t replace(substitution_t *it, nereid_view_t *out_text) {
  const char *end = it->text.data + it->text.size, *from = it->text.data;
  pieces_t pieces = {0};
  nereid_view_t value = {0};
  nereid_status_t status = NEREID_OK;
  for (const char *at = next_placeholder(it, from); !status && at != end; at = next_placeholder(it, from)) {
    status = add_piece(it, &pieces, nereid_view_of(from, (size_t)(at - from)));
    if (!status)
      status = open_placeholder(it, at);
    if (!status)
      status = expand(it, &value);
    if (!status)
      status = add_piece(it, &pieces, value);
    if (status)
      return status;
    from = it->end + 1;
  }
  it->start = NULL;
  if (!pieces.size) {
    *out_text = it->text;
    return NEREID_OK;
  }
  status = add_piece(it, &pieces, nereid_view_of(from, (size_t)(end - from)));
  return status ? status : join(it, &pieces, out_text);
}

static nereid_status_t check_uses(const substitution_t *it) {
  for (size_t i = 0; i < it->definitions.size; ++i)
    if (!it->definitions.data[i].is_used)
      return nereid_message_set(it->message, NEREID_ERROR_ARGUMENT,
                                "constant '%.*s' is defined, but the text has no ${%.*s}",
                                (int)it->definitions.data[i].name.size, it->definitions.data[i].name.data,
                                (int)it->definitions.data[i].name.size, it->definitions.data[i].name.data);
  return NEREID_OK;
}

static nereid_constants_place_t place_of(const substitution_t *it) {
  nereid_constants_place_t place = {0, 0};
  if (!it->start)
    return place;
  place.line = place.column = 1;
  for (const char *at = it->text.data; at < it->start; ++at) {
    place.column = *at == '\n' ? 1 : place.column + 1;
    place.line += *at == '\n';
  }
  return place;
}

nereid_status_t nereid_constants_substitute(nereid_arena_t *arena, nereid_view_t text, size_t n,
                                            const nereid_constant_t *constants, nereid_view_t *out_text,
                                            nereid_constants_place_t *out_place, nereid_message_t *message) {
  substitution_t it = {.arena = arena, .text = text, .message = message};
  nereid_view_t result = {0};
  nereid_status_t status = define_all(&it, n, constants);
  if (!status && text.size)
    status = collect_defaults(&it);
  if (!status && text.size)
    status = replace(&it, &result);
  if (!status)
    status = check_uses(&it);
  *out_text = status ? (nereid_view_t){0} : result;
  if (out_place)
    *out_place = status == NEREID_ERROR_PROGRAM ? place_of(&it) : (nereid_constants_place_t){0, 0};
  return status;
}
