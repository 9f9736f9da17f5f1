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

/* Tokens of one document come by the ten thousand: their positions are computed from the one before. */
typedef struct walker {
  const lsp_document_t *document;
  lsp_encoding_t encoding;
  size_t line;             /* of the last token */
  lsp_position_t position; /* of the last token */
  FILE *out;
  bool has_any;
} walker_t;

static void print(walker_t *it, const lsp_token_t *token) {
  const lsp_lines_t *lines = &it->document->lines;
  while (it->line + 1 < lines->count && lines->starts[it->line + 1] <= token->start)
    it->line++;
  const size_t start = token->start, end = start + token->length;
  const nereid_view_t before =
      nereid_view_of(lines->text.data + lines->starts[it->line], start - lines->starts[it->line]);
  bool is_ascii = it->encoding == LSP_UTF8;
  for (size_t i = 0; !is_ascii && i <= before.size + token->length; ++i)
    if (i == before.size + token->length)
      is_ascii = true;
    else if ((unsigned char)before.data[i] >= 0x80)
      break;
  lsp_position_t at = {(uint32_t)it->line, (uint32_t)before.size};
  uint32_t length = token->length;
  if (!is_ascii) {
    at = lsp_lines_position(lines, it->encoding, start);
    length = lsp_lines_position(lines, it->encoding, end).character - at.character;
  }
  const uint32_t down = at.line - it->position.line;
  fprintf(it->out, "%s%u,%u,%u,%d,%d", it->has_any ? "," : "", (unsigned)down,
          (unsigned)(down ? at.character : at.character - it->position.character), (unsigned)length,
          (int)colors[token->kind], token->is_definition);
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
