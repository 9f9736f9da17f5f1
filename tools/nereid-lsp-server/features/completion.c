/* Completion of operations, attributes, types, names and passes.
 *
 *   %x = tt.lo|                      operations
 *   %x = tt.load %|                  values of the function
 *   tt.load %p {ca|                  attributes of the operation
 *   tensor<64xf32, #|                aliases, then attributes
 *   // RUN: nereid-opt --tritongpu-| passes; in a pipeline also their options
 *
 * The tokens of the text decide, because text that is being written does not parse. */
#include "tools/nereid-lsp-server/features/documentation.h"
#include "tools/nereid-lsp-server/features/query.h"

#include "base/vector.h"
#include "passes/pass.h"

#include <ctype.h>
#include <stdlib.h>

enum { /* numbers of the protocol */
       KIND_FUNCTION = 3,
       KIND_VARIABLE = 6,
       KIND_CLASS = 7,
       KIND_MODULE = 9,
       KIND_PROPERTY = 10,
       KIND_KEYWORD = 14,
       KIND_REFERENCE = 18,
};

typedef struct completion {
  lsp_query_t *query;
  size_t start; /* bytes of the word before the place of the query */
  cJSON *items;
  NEREID_VECTOR(nereid_view_t) seen;
} completion_t;

static void add_item(completion_t *it, nereid_view_t label, int kind, const char *detail, const char *data) {
  cJSON *item = cJSON_CreateObject();
  char *text = strndup(label.data, label.size);
  cJSON_AddStringToObject(item, "label", text ? text : "");
  cJSON_AddNumberToObject(item, "kind", kind);
  if (detail && *detail)
    cJSON_AddStringToObject(item, "detail", detail);
  cJSON_AddItemToObject(
      item, "textEdit",
      lsp_json_edit(it->query->document, it->query->server->encoding, it->start, it->query->offset, text ? text : ""));
  if (data)
    cJSON_AddStringToObject(item, "data", data);
  cJSON_AddItemToArray(it->items, item);
  free(text);
}

/* --- names of the document --- */

static bool is_new(completion_t *it, nereid_view_t name) {
  for (size_t i = 0; i < it->seen.size; ++i)
    if (nereid_view_equal(it->seen.data[i], name))
      return false;
  return nereid_vector_push(&it->query->arena, &it->seen, name);
}

/* Adds the tokens of one kind from `first` to `end`, each name once, but not the one that is being written. */
static void add_tokens(completion_t *it, lsp_token_kind_t kind, size_t first, size_t end, int item_kind,
                       bool definitions) {
  enum { MAX_NAMES = 4000 };
  const lsp_tokens_t *tokens = lsp_document_tokens(it->query->document);
  for (size_t i = lsp_tokens_from(tokens, first);
       i < tokens->count && tokens->data[i].start < end && it->seen.size < MAX_NAMES; ++i) {
    const lsp_token_t *token = &tokens->data[i];
    const nereid_view_t name = lsp_token_text(it->query->document->text, token);
    if (token->kind == kind && (token->is_definition || !definitions) && token->start != it->start && is_new(it, name))
      add_item(it, name, item_kind, NULL, NULL);
  }
}

static bool is_function(nereid_view_t text, const lsp_token_t *token) {
  const nereid_view_t name = lsp_token_text(text, token);
  return token->kind == LSP_TOKEN_OPERATION && name.size >= 5 && memcmp(name.data + name.size - 5, ".func", 5) == 0;
}

/* The bounds of the function around the place: from its keyword to the next one. */
static void find_function(const lsp_query_t *query, size_t *out_start, size_t *out_end) {
  const lsp_tokens_t *tokens = lsp_document_tokens(query->document);
  const nereid_view_t text = query->document->text;
  const size_t here = lsp_tokens_from(tokens, query->offset);
  *out_start = 0;
  *out_end = text.size;
  for (size_t i = here; i-- > 0 && *out_start == 0;)
    if (is_function(text, &tokens->data[i]))
      *out_start = tokens->data[i].start;
  for (size_t i = here; i < tokens->count && *out_end == text.size; ++i)
    if (is_function(text, &tokens->data[i]))
      *out_end = tokens->data[i].start;
}

static void add_documented(completion_t *it, char sigil, int kind) {
  size_t count;
  const nereid_documentation_t *table = nereid_documentation_table(&count);
  for (size_t i = 0; i < count; ++i)
    if (*table[i].name == sigil)
      add_item(it, nereid_view(table[i].name), kind, table[i].summary, table[i].name);
}

static void complete_name(completion_t *it, char sigil) {
  const lsp_part_t section = lsp_document_part(it->query->document, it->query->offset);
  size_t start, end;
  find_function(it->query, &start, &end);
  switch (sigil) {
  case '%':
    add_tokens(it, LSP_TOKEN_VALUE, start, it->start, KIND_VARIABLE, false);
    break;
  case '@':
    add_tokens(it, LSP_TOKEN_SYMBOL, section.start, section.end, KIND_FUNCTION, false);
    break;
  case '^':
    add_tokens(it, LSP_TOKEN_BLOCK, start, end, KIND_REFERENCE, true);
    break;
  case '#':
    add_tokens(it, LSP_TOKEN_ATTR_ALIAS, section.start, section.end, KIND_REFERENCE, true);
    add_documented(it, '#', KIND_CLASS);
    break;
  default:
    add_tokens(it, LSP_TOKEN_TYPE_ALIAS, section.start, section.end, KIND_CLASS, true);
    add_documented(it, '!', KIND_CLASS);
    break;
  }
}

/* --- operations and attributes --- */

static void complete_operation(completion_t *it) {
  size_t count;
  const nereid_documentation_t *table = nereid_documentation_table(&count);
  const nereid_view_t word = nereid_view_of(it->query->document->text.data + it->start, it->query->offset - it->start);
  const char *dot = word.size ? memchr(word.data, '.', word.size) : NULL;
  const nereid_view_t dialect = nereid_view_of(word.data, dot ? (size_t)(dot + 1 - word.data) : 0);
  for (size_t i = 0; i < count; ++i)
    if (isalpha((unsigned char)*table[i].name) && nereid_view_starts_with(nereid_view(table[i].name), dialect))
      add_item(it, nereid_view(table[i].name), KIND_KEYWORD, table[i].summary, table[i].name);
}

static void complete_attribute(completion_t *it, nereid_view_t operation) {
  const nereid_documentation_t *entry = lsp_documentation_find(operation);
  lsp_attribute_t attribute;
  for (const char *at = entry ? entry->attributes : ""; lsp_attribute_next(&at, &attribute);) {
    const char *text = nereid_arena_copy(&it->query->arena, attribute.text);
    add_item(it, attribute.name, KIND_PROPERTY, text, NULL);
  }
  for (const lsp_discardable_t *each = lsp_discardable_attributes; each->name; ++each)
    add_item(it, nereid_view(each->name), KIND_PROPERTY, each->summary, NULL);
}

static bool is_punctuation(nereid_view_t text, const lsp_token_t *token, char c) {
  return token->kind == LSP_TOKEN_PUNCTUATION && text.data[token->start] == c;
}

/* Looks backwards from token `i`, exclusive, for the operation of the statement. Sets *out_braces when the place is in
 * its braces, at the start of an entry. Null when the place begins a statement. */
static const lsp_token_t *find_statement(const lsp_query_t *query, size_t i, bool *out_braces) {
  enum { FAR = 400 };
  const lsp_tokens_t *tokens = lsp_document_tokens(query->document);
  const nereid_view_t text = query->document->text;
  const bool begins_entry =
      i > 0 && (is_punctuation(text, &tokens->data[i - 1], '{') || is_punctuation(text, &tokens->data[i - 1], ','));
  int depth = 0;
  *out_braces = false;
  for (size_t n = 0; i-- > 0 && n < FAR; ++n) {
    const lsp_token_t *token = &tokens->data[i];
    depth -= is_punctuation(text, token, '}');
    if (is_punctuation(text, token, '{') && depth++ == 0)
      *out_braces = begins_entry;
    if (token->kind == LSP_TOKEN_OPERATION && depth >= 0)
      return token;
  }
  return NULL;
}

/* Returns whether an operation may begin at the word: at the start of its line, or after `%x =`. */
static bool begins_statement(const lsp_query_t *query, size_t start) {
  const nereid_view_t text = query->document->text;
  size_t at = start;
  while (at > 0 && (text.data[at - 1] == ' ' || text.data[at - 1] == '\t'))
    at--;
  if (at == 0 || text.data[at - 1] == '\n' || text.data[at - 1] == '\r')
    return true;
  if (text.data[at - 1] != '=')
    return false;
  size_t line = at;
  while (line > 0 && text.data[line - 1] != '\n' && text.data[line - 1] != '\r')
    line--;
  while (line < at && (text.data[line] == ' ' || text.data[line] == '\t'))
    line++;
  return text.data[line] == '%';
}

static void complete_word(completion_t *it) {
  const lsp_tokens_t *tokens = lsp_document_tokens(it->query->document);
  const size_t next = lsp_tokens_from(tokens, it->start);
  bool in_braces;
  const lsp_token_t *operation = find_statement(it->query, next, &in_braces);
  nereid_view_t name = operation ? lsp_token_text(it->query->document->text, operation) : nereid_view("");
  if (name.size > 2 && name.data[0] == '"')
    name = nereid_view_of(name.data + 1, name.size - 2);
  if (in_braces && !begins_statement(it->query, it->start))
    complete_attribute(it, name);
  else if (begins_statement(it->query, it->start))
    complete_operation(it);
}

/* --- passes --- */

static nereid_view_t line_before(const lsp_query_t *query) {
  const size_t line = lsp_lines_line(&query->document->lines, query->offset);
  const size_t start = query->document->lines.starts[line];
  return nereid_view_of(query->document->text.data + start, query->offset - start);
}

/* Returns whether the line runs an optimizer or has the text of a pipeline. */
static bool names_passes(nereid_view_t line) {
  static const char *const marks[] = {"nereid-opt", "mlir-opt", "triton-opt", "pass-pipeline", "builtin.module("};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i)
    if (memmem(line.data, line.size, marks[i], strlen(marks[i])))
      return true;
  return false;
}

/* The pass whose options the place is in: the name before an open brace. */
static const NereidMlirPassInfo *find_options(nereid_view_t line) {
  size_t at = line.size;
  while (at > 0 && line.data[at - 1] != '{' && line.data[at - 1] != '}')
    at--;
  if (at == 0 || line.data[at - 1] != '{')
    return NULL;
  const size_t end = --at;
  while (at > 0 && (isalnum((unsigned char)line.data[at - 1]) || line.data[at - 1] == '-'))
    at--;
  while (at < end && line.data[at] == '-')
    at++;
  return lsp_pass_find(nereid_view_of(line.data + at, end - at));
}

static void complete_pass(completion_t *it, nereid_view_t line) {
  const NereidMlirPassInfo *inside = find_options(line);
  const char *text = it->query->document->text.data;
  while (it->start > 0 && (isalnum((unsigned char)text[it->start - 1]) || text[it->start - 1] == '-'))
    it->start--;
  while (it->start < it->query->offset && text[it->start] == '-')
    it->start++;
  for (const NereidMlirPassOption *option = inside ? inside->options : NULL; option && option->name; ++option)
    add_item(it, nereid_view(option->name), KIND_PROPERTY, option->description, NULL);
  for (size_t i = 0; !inside && i < nereid_passes_count(); ++i) {
    const NereidMlirPassInfo *pass = nereid_passes_get(i);
    add_item(it, nereid_view(pass->argument), KIND_MODULE, pass->summary, pass->argument);
  }
  for (const lsp_upstream_pass_t *each = lsp_upstream_passes; !inside && each->name; ++each)
    add_item(it, nereid_view(each->name), KIND_MODULE, each->summary, NULL);
}

/* --- the request --- */

/* Returns the start of the identifier before the place. */
static size_t word_start(const lsp_query_t *query) {
  const char *text = query->document->text.data;
  size_t at = query->offset;
  while (at > 0 && (isalnum((unsigned char)text[at - 1]) || strchr("_$.", text[at - 1])) && text[at - 1])
    at--;
  return at;
}

static void complete(completion_t *it) {
  const lsp_query_t *query = it->query;
  const nereid_view_t line = line_before(query);
  const bool in_text = query->token && query->token->start < query->offset &&
                       (query->token->kind == LSP_TOKEN_COMMENT || query->token->kind == LSP_TOKEN_STRING);
  it->start = word_start(query);
  const char sigil = it->start > 0 ? query->document->text.data[it->start - 1] : 0;
  if (in_text && names_passes(line)) {
    complete_pass(it, line);
  } else if (sigil && strchr("%@^#!", sigil) && !in_text) {
    it->start--;
    complete_name(it, sigil);
  } else if (!in_text) {
    complete_word(it);
  }
}

cJSON *lsp_completion(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_query_t query;
  cJSON *result = NULL;
  if (lsp_query_begin_text(server, params, failure, &query)) {
    completion_t it = {.query = &query, .items = cJSON_CreateArray()};
    if (lsp_document_is_mlir(query.document))
      complete(&it);
    result = cJSON_CreateObject();
    cJSON_AddFalseToObject(result, "isIncomplete");
    cJSON_AddItemToObject(result, "items", it.items);
  }
  lsp_query_end(&query);
  return result;
}

cJSON *lsp_completion_resolve(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  (void)server;
  (void)failure;
  const nereid_view_t name = nereid_view(lsp_json_text(params, "data"));
  const nereid_documentation_t *entry = name.size ? lsp_documentation_find(name) : NULL;
  const NereidMlirPassInfo *pass = name.size ? lsp_pass_find(name) : NULL;
  cJSON *item = cJSON_Duplicate(params, true);
  char *text = NULL;
  size_t size = 0;
  FILE *out = cJSON_IsObject(item) && (entry || pass) ? open_memstream(&text, &size) : NULL;
  if (!out)
    return item;
  if (entry)
    lsp_documentation_print(entry, out);
  else
    lsp_pass_print(pass, out);
  if (fclose(out) == 0) {
    cJSON *documentation = cJSON_AddObjectToObject(item, "documentation");
    cJSON_AddStringToObject(documentation, "kind", "markdown");
    cJSON_AddStringToObject(documentation, "value", text);
  }
  free(text);
  return item;
}
