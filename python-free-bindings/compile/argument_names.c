/* Sets the names of the kernel's arguments in text without name locations. MLIR's parser keeps a name only as a
 * location:
 *
 *   tt.func public @scale(%x: !tt.ptr<f32>, %n: i32) {      arguments without names, for MLIR
 *   →  %x: … loc("x"(…)), %n: … loc("n"(…))                 as a front end prints it
 *
 * Users can then bind `x` instead of a position, and dumps keep the names. Arguments with name locations and bytecode
 * are unchanged. */
#include "session.h"

#include "dialects/ttng/descriptor_type.h"
#include "nereid/dialects/ttng.h"
#include "python-free-bindings/compile/scan.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

typedef struct cursor {
  const char *at, *end;
} cursor_t;

static bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '.' || c == '-';
}

static void skip_spaces(cursor_t *cursor) {
  while (cursor->at < cursor->end) {
    if (strchr(" \t\r\n", *cursor->at) && *cursor->at)
      cursor->at++;
    else if (*cursor->at == '/' && nereid_scan_skip(cursor->at, cursor->end) != cursor->at)
      cursor->at = nereid_scan_skip(cursor->at, cursor->end);
    else
      break;
  }
}

/* Returns the identifier at the cursor and advances past it; empty when there is none. */
static nereid_view_t take_word(cursor_t *cursor) {
  const char *start = cursor->at;
  while (cursor->at < cursor->end && is_identifier(*cursor->at))
    cursor->at++;
  return nereid_view_of(start, (size_t)(cursor->at - start));
}

static bool take(cursor_t *cursor, char c) {
  skip_spaces(cursor);
  const bool is_there = cursor->at < cursor->end && *cursor->at == c;
  cursor->at += is_there;
  return is_there;
}

/* Returns whether the symbol after `tt.func` is `name`. The cursor is then after the parenthesis that opens the
 * arguments. */
static bool take_symbol(cursor_t *cursor, nereid_view_t name) {
  skip_spaces(cursor);
  take_word(cursor); /* the visibility, if there is one */
  if (!take(cursor, '@') || cursor->at == cursor->end)
    return false;
  nereid_view_t symbol;
  if (*cursor->at == '"') {
    const char *start = cursor->at + 1;
    cursor->at = nereid_scan_skip(cursor->at, cursor->end);
    symbol = nereid_view_of(start, (size_t)(cursor->at - start));
    symbol.size -= symbol.size > 0;
  } else {
    symbol = take_word(cursor);
  }
  return nereid_view_equal(symbol, name) && take(cursor, '(');
}

static bool find_arguments(cursor_t *cursor, nereid_view_t name) {
  while (cursor->at < cursor->end) {
    const char *next = nereid_scan_skip(cursor->at, cursor->end);
    if (next != cursor->at) {
      cursor->at = next;
      continue;
    }
    const nereid_view_t word = take_word(cursor);
    if (nereid_view_equal(word, nereid_view("tt.func")) && take_symbol(cursor, name))
      return true;
    cursor->at += !word.size;
  }
  return false;
}

/* Moves to the next argument, after its comma; false at the end of the list. */
static bool next_argument(cursor_t *cursor) {
  unsigned depth = 0;
  while (cursor->at < cursor->end) {
    const char *next = nereid_scan_skip(cursor->at, cursor->end), c = *cursor->at;
    if (next != cursor->at) {
      cursor->at = next;
      continue;
    }
    const bool is_arrow = c == '-' && cursor->end - cursor->at > 1 && cursor->at[1] == '>';
    if (c == ')' && depth == 0)
      return false;
    depth += c == '(' || c == '<' || c == '[' || c == '{';
    depth -= depth && (c == ')' || c == '>' || c == ']' || c == '}');
    cursor->at += is_arrow ? 2 : 1;
    if (c == ',' && depth == 0)
      return true;
  }
  return false;
}

static bool is_integer(MlirType type, unsigned bits) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == bits;
}

intptr_t nereid_argument_parts(MlirBlock entry, intptr_t index) {
  const MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, index));
  const intptr_t n = mlirBlockGetNumArguments(entry);
  if (!nereid_ttng_is_descriptor_type(type))
    return 0;
  const MlirType block = nereid_ttng_descriptor_block(type);
  intptr_t rank = mlirTypeIsARankedTensor(block) ? mlirShapedTypeGetRank(block) : 0, count = 0;
  if (nereid_ttng_tensordesc_im2col_type_isa(type)) /* of a tensor of three dimensions or more */
    for (rank = 0; rank < NEREID_RANK_LIMIT && index + 1 + rank < n &&
                   is_integer(mlirValueGetType(mlirBlockGetArgument(entry, index + 1 + rank)), 32);)
      ++rank;
  while (count < 2 * rank && index + 1 + count < n) {
    const MlirType part = mlirValueGetType(mlirBlockGetArgument(entry, index + 1 + count));
    if (!is_integer(part, count < rank ? 32 : 64))
      break;
    count++;
  }
  return count;
}

/* Returns whether the word is a name. MLIR prints unnamed values as %7 and %arg7. */
static bool is_name(nereid_view_t word) {
  const nereid_view_t made = nereid_view("arg");
  const size_t prefix = nereid_view_starts_with(word, made) ? made.size : 0;
  bool has_other = false;
  for (size_t i = prefix; i < word.size; i++)
    has_other |= word.data[i] < '0' || word.data[i] > '9';
  return has_other || (prefix && prefix == word.size);
}

static void set_name(MlirValue argument, nereid_view_t name) {
  const MlirLocation old = mlirValueGetLocation(argument);
  if (!mlirLocationIsAName(old))
    mlirBlockArgumentSetLocation(
        argument, mlirLocationNameGet(mlirLocationGetContext(old), mlirStringRefCreate(name.data, name.size), old));
}

void nereid_argument_names_set(nereid_compilation_t *compilation) {
  const nereid_view_t text = compilation->input;
  const MlirOperation function = nereid_kernel_function(compilation);
  cursor_t cursor = {text.data, text.data + text.size};
  if (mlirOperationIsNull(function) || !find_arguments(&cursor, nereid_view(compilation->result->kernel)))
    return;
  const MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  const intptr_t n = mlirBlockGetNumArguments(entry);
  intptr_t parts = 0;
  nereid_view_t name = {NULL, 0}, descriptor = {NULL, 0};
  for (intptr_t i = 0; i < n; i++) {
    name = take(&cursor, '%') ? take_word(&cursor) : nereid_view_of(NULL, 0);
    if (parts > 0) {
      name = descriptor;
      parts--;
    } else {
      parts = nereid_argument_parts(entry, i);
      descriptor = name;
    }
    if (is_name(name))
      set_name(mlirBlockGetArgument(entry, i), name);
    if (!next_argument(&cursor))
      return;
  }
}
