/* Colors: the tokens of the text as [line, column, length, type, modifiers], relative to the token before.
 *
 * They do not depend on a parse, so text keeps its colors while it is edited. */
#include "tools/nereid-lsp-server/protocol/server.h"

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

static const color_t colors[] = {
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

/* Tokens of one document come by the ten thousand: lines of ASCII need no conversion of columns, and numbers are
 * written without printf. */
typedef struct walker {
  const lsp_document_t *document;
  lsp_encoding_t encoding;
  size_t line;             /* of the last token */
  bool is_plain;           /* columns of that line are bytes */
  lsp_position_t position; /* of the last token */
  FILE *out;
  bool has_any;
} walker_t;

static void put_number(FILE *out, uint32_t value) {
  char digits[10];
  size_t n = 0;
  do
    digits[n++] = (char)('0' + value % 10);
  while (value /= 10);
  while (n > 0)
    putc_unlocked(digits[--n], out);
}

static bool is_plain(const walker_t *it) {
  const lsp_lines_t *lines = &it->document->lines;
  const size_t end = lsp_lines_end(lines, it->line);
  size_t at = lines->starts[it->line];
  while (at < end && it->encoding != LSP_UTF8 && (unsigned char)lines->text.data[at] < 0x80)
    at++;
  return at == end || it->encoding == LSP_UTF8;
}

static void print(walker_t *it, const lsp_token_t *token) {
  const lsp_lines_t *lines = &it->document->lines;
  const size_t line = it->line;
  while (it->line + 1 < lines->count && lines->starts[it->line + 1] <= token->start)
    it->line++;
  if (it->line != line || !it->has_any)
    it->is_plain = is_plain(it);
  lsp_position_t at = {(uint32_t)it->line, (uint32_t)(token->start - lines->starts[it->line])};
  uint32_t length = token->length;
  if (!it->is_plain) {
    at = lsp_lines_position(lines, it->encoding, token->start);
    length = lsp_lines_position(lines, it->encoding, token->start + token->length).character - at.character;
  }
  const uint32_t down = at.line - it->position.line;
  const uint32_t numbers[] = {down, down ? at.character : at.character - it->position.character, length,
                              (uint32_t)colors[token->kind], token->is_definition};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    if (i > 0 || it->has_any)
      putc_unlocked(',', it->out);
    put_number(it->out, numbers[i]);
  }
  it->position = at;
  it->has_any = true;
}

/* Of the whole document, or of `range`. */
cJSON *lsp_semantic_tokens(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_document_t *document = lsp_server_document_of(server, params, failure);
  char *text = NULL;
  size_t size = 0, start = 0, end = document ? document->text.size : 0;
  FILE *out = document ? open_memstream(&text, &size) : NULL;
  if (!out)
    return NULL;
  if (lsp_json_get(params, "range")) {
    start = lsp_lines_offset(&document->lines, server->encoding, lsp_json_position(params, "range.start"));
    end = lsp_lines_offset(&document->lines, server->encoding, lsp_json_position(params, "range.end"));
  }
  const bool is_mlir = lsp_document_is_mlir(document);
  const lsp_tokens_t *tokens = is_mlir ? lsp_document_tokens(document) : &(lsp_tokens_t){NULL, 0};
  walker_t walker = {.document = document, .encoding = server->encoding, .out = out};
  fputc('[', out);
  for (size_t i = lsp_tokens_from(tokens, start); i < tokens->count && tokens->data[i].start < end; ++i)
    if (colors[tokens->data[i].kind] != COLOR_NONE)
      print(&walker, &tokens->data[i]);
  fputc(']', out);
  cJSON *result = NULL;
  if (fclose(out) == 0) {
    result = cJSON_CreateObject();
    cJSON_AddItemToObject(result, "data", cJSON_CreateRaw(text));
  }
  free(text);
  return result;
}
