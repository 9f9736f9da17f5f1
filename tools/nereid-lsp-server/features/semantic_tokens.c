/* Colors: the tokens of the text as [line, column, length, type, modifiers], relative to the token before.
 *
 *   %x = tt.load %p     ->  [0,0,2,3,1,  0,5,7,8,0,  0,8,2,3,0]
 *
 * They do not depend on a parse, so text keeps its colors while it is edited. The document keeps the numbers of the
 * last answer: a client that names it receives only what differs (semanticTokens/full/delta). */
#include "tools/nereid-lsp-server/protocol/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum color {
  COLOR_COMMENT,
  COLOR_STRING,
  COLOR_NUMBER,
  COLOR_VARIABLE,
  COLOR_FUNCTION,
  COLOR_LABEL,
  COLOR_DECORATOR,
  COLOR_TYPE,
  COLOR_KEYWORD,
  COLOR_PROPERTY,
  COLOR_NONE,
} color_t;

static const char *const color_names[] = {
    [COLOR_COMMENT] = "comment",     [COLOR_STRING] = "string",     [COLOR_NUMBER] = "number",
    [COLOR_VARIABLE] = "variable",   [COLOR_FUNCTION] = "function", [COLOR_LABEL] = "label",
    [COLOR_DECORATOR] = "decorator", [COLOR_TYPE] = "type",         [COLOR_KEYWORD] = "keyword",
    [COLOR_PROPERTY] = "property",
};

static const color_t color_of[] = {
    [LSP_TOKEN_COMMENT] = COLOR_COMMENT,   [LSP_TOKEN_STRING] = COLOR_STRING,
    [LSP_TOKEN_NUMBER] = COLOR_NUMBER,     [LSP_TOKEN_VALUE] = COLOR_VARIABLE,
    [LSP_TOKEN_RESULT] = COLOR_NUMBER,     [LSP_TOKEN_SYMBOL] = COLOR_FUNCTION,
    [LSP_TOKEN_BLOCK] = COLOR_LABEL,       [LSP_TOKEN_ATTR_ALIAS] = COLOR_DECORATOR,
    [LSP_TOKEN_TYPE_ALIAS] = COLOR_TYPE,   [LSP_TOKEN_ATTRIBUTE] = COLOR_DECORATOR,
    [LSP_TOKEN_TYPE] = COLOR_TYPE,         [LSP_TOKEN_BUILTIN] = COLOR_TYPE,
    [LSP_TOKEN_OPERATION] = COLOR_KEYWORD, [LSP_TOKEN_NAME] = COLOR_PROPERTY,
    [LSP_TOKEN_WORD] = COLOR_NONE,         [LSP_TOKEN_PUNCTUATION] = COLOR_NONE,
};

cJSON *lsp_semantic_tokens_legend(void) {
  static const char *const modifiers[] = {"definition"};
  cJSON *legend = cJSON_CreateObject();
  cJSON_AddItemToObject(legend, "tokenTypes", cJSON_CreateStringArray(color_names, COLOR_NONE));
  cJSON_AddItemToObject(legend, "tokenModifiers", cJSON_CreateStringArray(modifiers, 1));
  return legend;
}

/* --- numbers --- */

enum { NUMBERS = 5 }; /* numbers per token */

/* Documents have ten thousands of tokens: columns of lines of ASCII need no conversion. */
typedef struct walker {
  const lsp_document_t *document;
  lsp_encoding_t encoding;
  size_t line;             /* line of the last token */
  bool is_plain;           /* ASCII line: columns are bytes */
  lsp_position_t position; /* position of the last token */
  lsp_colors_t *colors;
} walker_t;

static bool is_plain(const walker_t *it) {
  const lsp_lines_t *lines = &it->document->lines;
  const size_t end = lsp_lines_end(lines, it->line);
  size_t at = lines->starts[it->line];
  while (at < end && it->encoding != LSP_UTF8 && (unsigned char)lines->text.data[at] < 0x80)
    at++;
  return at == end || it->encoding == LSP_UTF8;
}

static void add(walker_t *it, const lsp_token_t *token) {
  const lsp_lines_t *lines = &it->document->lines;
  const size_t line = it->line;
  while (it->line + 1 < lines->count && lines->starts[it->line + 1] <= token->start)
    it->line++;
  if (it->line != line || it->colors->count == 0)
    it->is_plain = is_plain(it);
  lsp_position_t at = {(uint32_t)it->line, (uint32_t)(token->start - lines->starts[it->line])};
  uint32_t length = token->length;
  if (!it->is_plain) {
    at = lsp_lines_position(lines, it->encoding, token->start);
    length = lsp_lines_position(lines, it->encoding, token->start + token->length).character - at.character;
  }
  const uint32_t down = at.line - it->position.line;
  const uint32_t numbers[NUMBERS] = {down, down ? at.character : at.character - it->position.character, length,
                                     (uint32_t)color_of[token->kind], token->is_definition};
  memcpy(it->colors->numbers + it->colors->count, numbers, sizeof numbers);
  it->colors->count += NUMBERS;
  it->position = at;
}

/* Computes the numbers of the tokens that begin in a range of the document; none when out of memory. The caller frees
 * them. */
static lsp_colors_t compute(const lsp_server_t *server, lsp_document_t *document, size_t start, size_t end) {
  lsp_colors_t result = {0};
  if (!lsp_document_is_mlir(document))
    return result;
  const lsp_tokens_t *tokens = lsp_document_tokens(document);
  const size_t first = lsp_tokens_from(tokens, start), last = lsp_tokens_from(tokens, end);
  if (first >= last || !(result.numbers = calloc(last - first, NUMBERS * sizeof *result.numbers)))
    return result;
  walker_t walker = {.document = document, .encoding = server->encoding, .colors = &result};
  for (size_t i = first; i < last; ++i)
    if (color_of[tokens->data[i].kind] != COLOR_NONE)
      add(&walker, &tokens->data[i]);
  return result;
}

/* --- answers --- */

static char *put_number(char *at, uint32_t value) {
  char digits[10];
  size_t n = 0;
  do
    digits[n++] = (char)('0' + value % 10);
  while (value /= 10);
  while (n > 0)
    *at++ = digits[--n];
  return at;
}

/* Creates a list of numbers; written here, because cJSON needs an object and a call of printf for each. */
static cJSON *create_numbers(const uint32_t *numbers, size_t count) {
  char *text = malloc(count * 11 + 3), *at = text; /* ten digits and a comma */
  if (!text)
    return cJSON_CreateArray();
  *at++ = '[';
  for (size_t i = 0; i < count; ++i) {
    at = put_number(at, numbers[i]);
    *at++ = ',';
  }
  at -= count > 0; /* the last comma */
  memcpy(at, "]", 2);
  cJSON *list = cJSON_CreateRaw(text);
  free(text);
  return list;
}

/* The name of an answer is a hash of its numbers, so that a server that has restarted does not take another answer for
 * it. */
static void print_id(const lsp_colors_t *colors, char out[17]) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < colors->count; ++i)
    hash = (hash ^ colors->numbers[i]) * UINT64_C(0x100000001b3);
  snprintf(out, 17, "%016" PRIx64, hash);
}

/* Creates the edit that makes `old` `now`: what is between their common start and their common end. */
static cJSON *create_edits(const lsp_colors_t *old, const lsp_colors_t *now) {
  const size_t limit = old->count < now->count ? old->count : now->count;
  size_t start = 0, end = 0;
  while (start < limit && old->numbers[start] == now->numbers[start])
    start++;
  while (end < limit - start && old->numbers[old->count - 1 - end] == now->numbers[now->count - 1 - end])
    end++;
  cJSON *edits = cJSON_CreateArray();
  if (old->count == now->count && start == now->count)
    return edits;
  cJSON *edit = cJSON_CreateObject();
  cJSON_AddNumberToObject(edit, "start", (double)start);
  cJSON_AddNumberToObject(edit, "deleteCount", (double)(old->count - start - end));
  if (now->count > start + end)
    cJSON_AddItemToObject(edit, "data", create_numbers(now->numbers + start, now->count - start - end));
  cJSON_AddItemToArray(edits, edit);
  return edits;
}

/* Answers with the colors of the whole document, or with the difference from the answer `previous`. */
static cJSON *answer(lsp_server_t *server, const cJSON *params, const char *previous, lsp_failure_t *failure) {
  lsp_document_t *document = lsp_server_document_of(server, params, failure);
  if (!document)
    return NULL;
  lsp_colors_t now = compute(server, document, 0, document->text.size), *old = &document->colors;
  char id[17], old_id[17];
  print_id(&now, id);
  print_id(old, old_id);
  cJSON *result = cJSON_CreateObject();
  cJSON_AddStringToObject(result, "resultId", id);
  if (strcmp(previous, old_id) == 0)
    cJSON_AddItemToObject(result, "edits", create_edits(old, &now));
  else
    cJSON_AddItemToObject(result, "data", create_numbers(now.numbers, now.count));
  free(old->numbers);
  *old = now;
  return result;
}

cJSON *lsp_semantic_tokens(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  return answer(server, params, "", failure);
}

cJSON *lsp_semantic_tokens_delta(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  return answer(server, params, lsp_json_text(params, "previousResultId"), failure);
}

cJSON *lsp_semantic_tokens_range(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_document_t *document = lsp_server_document_of(server, params, failure);
  if (!document)
    return NULL;
  const lsp_lines_t *lines = &document->lines;
  const size_t start = lsp_lines_offset(lines, server->encoding, lsp_json_position(params, "range.start"));
  const size_t end = lsp_lines_offset(lines, server->encoding, lsp_json_position(params, "range.end"));
  lsp_colors_t some = compute(server, document, start, end);
  cJSON *result = cJSON_CreateObject();
  cJSON_AddItemToObject(result, "data", create_numbers(some.numbers, some.count));
  free(some.numbers);
  return result;
}
