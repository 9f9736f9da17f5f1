#include "tools/nereid-lsp-server/features/query.h"

#include "base/vector.h"

#include <stdlib.h>

bool lsp_query_begin_text(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure, lsp_query_t *out) {
  lsp_document_t *document = lsp_server_document_of(server, params, failure);
  *out = (lsp_query_t){.server = server, .document = document};
  nereid_arena_initialize(&out->arena);
  if (!document)
    return false;
  out->offset = lsp_lines_offset(&document->lines, server->encoding, lsp_json_position(params, "position"));
  if (lsp_document_is_mlir(document))
    out->token = lsp_tokens_at(lsp_document_tokens(document), out->offset);
  return true;
}

bool lsp_query_begin(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure, lsp_query_t *out) {
  if (!lsp_query_begin_text(server, params, failure, out))
    return false;
  out->place = lsp_sections_place(out->document, out->offset);
  out->name = out->place.program ? lsp_program_mention(out->place.program, out->place.offset) : NULL;
  return true;
}

bool lsp_query_parse_function(lsp_query_t *query) {
  lsp_section_t *function = lsp_sections_parse_function(query->document, query->offset);
  if (!function)
    return false;
  query->function = function;
  query->place = (lsp_place_t){function, function->program, query->offset - function->start};
  query->name = lsp_program_mention(function->program, query->place.offset);
  return true;
}

void lsp_query_end(lsp_query_t *query) {
  lsp_section_destroy(query->function);
  nereid_arena_deinitialize(&query->arena);
}

static int compare(const void *a, const void *b) {
  const lsp_occurrence_t *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

typedef struct occurrence_list {
  NEREID_VECTOR(lsp_occurrence_t) items;
} occurrence_list_t;

/* Aliases are global to their section, as are symbols with one table, and nothing else is spelled like them. */
static void find_tokens(lsp_query_t *query, occurrence_list_t *list) {
  const lsp_part_t section = lsp_document_part(query->document, query->offset);
  const lsp_tokens_t *tokens = lsp_document_tokens(query->document);
  const nereid_view_t text = query->document->text, name = lsp_token_text(text, query->token);
  for (size_t i = lsp_tokens_from(tokens, section.start); i < tokens->count && tokens->data[i].start < section.end;
       ++i) {
    const lsp_token_t *it = &tokens->data[i];
    if (it->kind == query->token->kind && nereid_view_equal(lsp_token_text(text, it), name))
      (void)nereid_vector_push(&query->arena, &list->items,
                               (lsp_occurrence_t){it->start, it->start + it->length, it->is_definition});
  }
}

static void add(lsp_query_t *query, occurrence_list_t *list, size_t start, size_t end, bool is_definition) {
  lsp_occurrence_t it = {.is_definition = is_definition};
  if (end > start && lsp_section_range(query->place.section, start, end, &it.start, &it.end))
    (void)nereid_vector_push(&query->arena, &list->items, it);
}

lsp_occurrences_t lsp_query_occurrences(lsp_query_t *query) {
  occurrence_list_t list = {0};
  const lsp_token_t *token = query->token;
  if (token && (token->kind == LSP_TOKEN_ATTR_ALIAS || token->kind == LSP_TOKEN_TYPE_ALIAS || query->is_textual)) {
    find_tokens(query, &list);
  } else if (query->name) {
    const lsp_definition_t *it = query->name->definition;
    add(query, &list, it->start, it->end, true);
    for (size_t i = 0; i < it->n_uses; ++i)
      if ((size_t)it->uses[i].start != it->start) /* the parser reports the definition of a symbol as a use */
        add(query, &list, (size_t)it->uses[i].start, (size_t)it->uses[i].end, false);
  }
  if (list.items.size)
    qsort(list.items.data, list.items.size, sizeof *list.items.data, compare);
  return (lsp_occurrences_t){list.items.data, list.items.size};
}
