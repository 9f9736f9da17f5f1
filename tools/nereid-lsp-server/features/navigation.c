/* Definitions, references, highlights and renaming of values, blocks, symbols and aliases. */
#include "tools/nereid-lsp-server/features/query.h"

#include <ctype.h>

static cJSON *create_location(const lsp_query_t *query, const lsp_occurrence_t *it) {
  return lsp_json_location(query->document, query->server->encoding, it->start, it->end);
}

static cJSON *create_range(const lsp_query_t *query, const lsp_occurrence_t *it) {
  return lsp_json_range(query->document, query->server->encoding, it->start, it->end);
}

static cJSON *create_highlight(const lsp_query_t *query, const lsp_occurrence_t *it) {
  enum { READ = 2, WRITE = 3 };
  cJSON *item = cJSON_CreateObject();
  cJSON_AddItemToObject(item, "range", create_range(query, it));
  cJSON_AddNumberToObject(item, "kind", it->is_definition ? WRITE : READ);
  return item;
}

/* Creates an item for each occurrence of the name at the place of a request. */
static cJSON *create_items(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure, bool with_definition,
                           cJSON *(*create)(const lsp_query_t *query, const lsp_occurrence_t *it)) {
  lsp_query_t query;
  cJSON *list = NULL;
  if (lsp_query_begin(server, params, failure, &query)) {
    const lsp_occurrences_t all = lsp_query_occurrences(&query);
    list = cJSON_CreateArray();
    for (size_t i = 0; i < all.count; ++i)
      if (with_definition || !all.data[i].is_definition)
        cJSON_AddItemToArray(list, create(&query, &all.data[i]));
  }
  lsp_query_end(&query);
  return list;
}

cJSON *lsp_go_to_definition(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_query_t query;
  cJSON *result = NULL;
  if (lsp_query_begin(server, params, failure, &query)) {
    const lsp_occurrences_t all = lsp_query_occurrences(&query);
    for (size_t i = 0; i < all.count && !result; ++i)
      if (all.data[i].is_definition)
        result = create_location(&query, &all.data[i]);
  }
  lsp_query_end(&query);
  return result;
}

cJSON *lsp_references(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  return create_items(server, params, failure, lsp_json_is_true(params, "context.includeDeclaration"), create_location);
}

cJSON *lsp_highlights(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  return create_items(server, params, failure, true, create_highlight);
}

/* --- renaming --- */

/* Finds the range in the document of the innermost operation with a symbol around the place, usually a function. False
 * when there is none, or its text has changed since it was parsed. */
static bool find_function(const lsp_query_t *query, size_t *out_start, size_t *out_end) {
  const lsp_program_t *program = query->place.program;
  const lsp_definition_t *it = program ? lsp_program_operation(program, query->place.offset) : NULL;
  for (MlirOperation op = it ? it->op : (MlirOperation){NULL}; !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op)) {
    const lsp_definition_t *around = lsp_program_find(program, op);
    if (around && around->name.size)
      return lsp_section_range(query->place.section, around->scope_start, around->scope_end, out_start, out_end);
  }
  return false;
}

static bool is_local(const lsp_query_t *query) {
  return query->token && (query->token->kind == LSP_TOKEN_VALUE || query->token->kind == LSP_TOKEN_BLOCK);
}

/* A symbol with a quoted name can be spelled in several ways. */
static bool is_symbol_of_scope(const lsp_query_t *query) {
  if (!query->token || query->token->kind != LSP_TOKEN_SYMBOL)
    return false;
  const nereid_view_t name = lsp_token_text(query->document->text, query->token);
  return name.size > 1 && name.data[1] != '"' &&
         lsp_sections_has_one_scope(query->document, query->offset, nereid_view_of(name.data + 1, name.size - 1));
}

/* Renaming needs the program of the present text. For values and blocks their function suffices, which has not changed,
 * or is parsed alone; for symbols the function that has changed. Otherwise the whole text is parsed. */
static bool begin_rename(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure, lsp_query_t *out) {
  size_t start, end;
  if (!lsp_query_begin(server, params, failure, out))
    return false;
  if (is_local(out) && (find_function(out, &start, &end) || lsp_query_parse_function(out)))
    return true;
  out->is_textual = is_symbol_of_scope(out);
  if (out->is_textual)
    return true;
  (void)lsp_sections_update(out->document);
  lsp_query_end(out);
  if (!lsp_query_begin(server, params, failure, out))
    return false;
  if (lsp_sections_has_errors(out->document, out->offset))
    (void)lsp_fail(failure, LSP_REQUEST_FAILED, "the text has errors: renaming needs a text that parses");
  return failure->code == 0;
}

/* The occurrence at the place of the query; null after a failure. */
static const lsp_occurrence_t *find_here(lsp_query_t *query, const lsp_occurrences_t *all, lsp_failure_t *failure) {
  for (size_t i = 0; i < all->count; ++i)
    if (all->data[i].start <= query->offset && query->offset <= all->data[i].end)
      return &all->data[i];
  (void)lsp_fail(failure, LSP_REQUEST_FAILED, "there is no name to change here");
  return NULL;
}

cJSON *lsp_prepare_rename(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_query_t query;
  cJSON *result = NULL;
  if (begin_rename(server, params, failure, &query)) {
    const lsp_occurrences_t all = lsp_query_occurrences(&query);
    const lsp_occurrence_t *here = find_here(&query, &all, failure);
    if (here) {
      const nereid_view_t name = nereid_view_of(query.document->text.data + here->start, here->end - here->start);
      result = cJSON_CreateObject();
      cJSON_AddItemToObject(result, "range", create_range(&query, here));
      cJSON_AddItemToObject(result, "placeholder", lsp_json_string(name));
    }
  }
  lsp_query_end(&query);
  return result;
}

/* %0, %name, %c-1: after %, a number or a name; after # and !, no dot. */
static bool is_spelled_well(char sigil, const char *name) {
  const bool is_number = sigil == '%' && isdigit((unsigned char)*name), is_alias = sigil == '#' || sigil == '!';
  const char *others = is_number ? "" : is_alias ? "_" : "_$.-";
  if (!is_number && !isalpha((unsigned char)*name) && *name != '_')
    return false;
  for (; *name; ++name)
    if (!isdigit((unsigned char)*name) && !(isalpha((unsigned char)*name) && !is_number) && !strchr(others, *name))
      return false;
  return true;
}

/* Returns whether the new name occurs where the old one is visible: in the function for values and blocks, in the
 * section for symbols and aliases. */
static bool is_taken(const lsp_query_t *query, const char *name) {
  const lsp_tokens_t *tokens = lsp_document_tokens(query->document);
  lsp_part_t visible = lsp_document_part(query->document, query->offset);
  if (is_local(query))
    (void)find_function(query, &visible.start, &visible.end);
  for (size_t i = lsp_tokens_from(tokens, visible.start); i < tokens->count && tokens->data[i].start < visible.end; ++i)
    if (nereid_view_equal(lsp_token_text(query->document->text, &tokens->data[i]), nereid_view(name)))
      return true;
  return false;
}

static cJSON *create_edits(const lsp_query_t *query, const lsp_occurrences_t *all, const char *name) {
  cJSON *result = cJSON_CreateObject();
  cJSON *edits = cJSON_AddArrayToObject(cJSON_AddObjectToObject(result, "changes"), query->document->uri);
  for (size_t i = 0; i < all->count; ++i)
    cJSON_AddItemToArray(
        edits, lsp_json_edit(query->document, query->server->encoding, all->data[i].start, all->data[i].end, name));
  return result;
}

cJSON *lsp_rename(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_query_t query;
  cJSON *result = NULL;
  if (begin_rename(server, params, failure, &query)) {
    const lsp_occurrences_t all = lsp_query_occurrences(&query);
    const lsp_occurrence_t *here = find_here(&query, &all, failure);
    const char sigil = here ? query.document->text.data[here->start] : 0;
    const char *given = lsp_json_text(params, "newName");
    const char *name = nereid_arena_format(&query.arena, "%c%s", sigil, *given == sigil && sigil ? given + 1 : given);
    if (here && (!name || !is_spelled_well(sigil, name + 1)))
      (void)lsp_fail(failure, LSP_INVALID_PARAMS, "'%.80s' is not a name of this kind", given);
    else if (here && is_taken(&query, name))
      (void)lsp_fail(failure, LSP_REQUEST_FAILED, "the name '%.80s' is already used here", name);
    else if (here)
      result = create_edits(&query, &all, name);
  }
  lsp_query_end(&query);
  return result;
}
