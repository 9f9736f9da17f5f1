/* The outline of a document, the symbols of all open documents, and the parts that can be folded. */
#include "tools/nereid-lsp-server/features/query.h"

enum { KIND_MODULE = 2, KIND_NAMESPACE = 3, KIND_FUNCTION = 12 }; /* numbers of the protocol */

static bool has_regions(const lsp_definition_t *it) {
  return mlirOperationGetNumRegions(it->op) > 0;
}

static const char *operation_name(const lsp_definition_t *it) {
  return mlirIdentifierStr(mlirOperationGetName(it->op)).data;
}

static cJSON *create_name(const lsp_definition_t *it) {
  return it->name.size ? lsp_json_string(it->name) : cJSON_CreateString(operation_name(it));
}

static int kind_of(const lsp_definition_t *it) {
  if (strcmp(operation_name(it), "builtin.module") == 0)
    return KIND_MODULE;
  return it->name.size ? KIND_FUNCTION : KIND_NAMESPACE;
}

/* Operations with a symbol or with regions are in the outline, except the functions of reductions and the like. */
static bool is_listed(const lsp_definition_t *it) {
  static const char *const hidden[] = {"tt.reduce", "tt.scan", "tt.map_elementwise", "builtin.module"};
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; ++i)
    if (strcmp(operation_name(it), hidden[i]) == 0)
      return false;
  return it->name.size > 0 || has_regions(it);
}

static cJSON *create_symbol(const lsp_server_t *server, const lsp_document_t *document, const lsp_section_t *section,
                            const lsp_definition_t *it) {
  size_t start, end, name_start, name_end;
  if (!lsp_section_scope(section, it->scope_start, it->scope_end, &start, &end) ||
      !lsp_section_range(section, it->start, it->end, &name_start, &name_end))
    return NULL;
  cJSON *symbol = cJSON_CreateObject();
  cJSON_AddItemToObject(symbol, "name", create_name(it));
  cJSON_AddNumberToObject(symbol, "kind", kind_of(it));
  if (server->has_hierarchical_symbols) {
    cJSON_AddStringToObject(symbol, "detail", operation_name(it));
    cJSON_AddItemToObject(symbol, "range", lsp_json_range(document, server->encoding, start, end));
    cJSON_AddItemToObject(symbol, "selectionRange", lsp_json_range(document, server->encoding, name_start, name_end));
    cJSON_AddArrayToObject(symbol, "children");
  } else {
    cJSON_AddItemToObject(symbol, "location", lsp_json_location(document, server->encoding, start, end));
  }
  return symbol;
}

/* Operations are ordered by their start, so that the enclosing ones of an operation are a stack. */
static void add_symbols(const lsp_server_t *server, const lsp_document_t *document, const lsp_section_t *section,
                        cJSON *list) {
  enum { MAX_DEPTH = 64 };
  struct {
    size_t end;
    cJSON *children;
  } stack[MAX_DEPTH] = {{SIZE_MAX, list}};
  size_t depth = 0;
  for (size_t i = 0; section->program && i < section->program->n_operations; ++i) {
    const lsp_definition_t *it = section->program->operations[i];
    cJSON *symbol = is_listed(it) ? create_symbol(server, document, section, it) : NULL;
    if (!symbol)
      continue;
    while (depth > 0 && stack[depth].end <= it->scope_start)
      depth--;
    cJSON_AddItemToArray(stack[depth].children, symbol);
    cJSON *children = cJSON_GetObjectItemCaseSensitive(symbol, "children");
    if (children && depth + 1 < MAX_DEPTH) {
      stack[++depth].end = it->scope_end;
      stack[depth].children = children;
    }
  }
}

cJSON *lsp_document_symbols(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_document_t *document = lsp_server_document_of(server, params, failure);
  if (!document)
    return NULL;
  cJSON *list = cJSON_CreateArray();
  const lsp_sections_t *sections = lsp_sections_recent(document);
  for (size_t i = 0; i < sections->count; ++i)
    add_symbols(server, document, &sections->data[i], list);
  return list;
}

static void add_matches(const lsp_server_t *server, lsp_document_t *document, const char *query, cJSON *list) {
  const lsp_sections_t *sections = lsp_sections_recent(document);
  for (size_t i = 0; i < sections->count; ++i) {
    const lsp_section_t *section = &sections->data[i];
    for (size_t k = 0; section->program && k < section->program->n_operations; ++k) {
      const lsp_definition_t *it = section->program->operations[k];
      size_t start, end;
      if (!it->name.size || !memmem(it->name.data, it->name.size, query, strlen(query)) ||
          !lsp_section_range(section, it->start, it->end, &start, &end))
        continue;
      cJSON *symbol = cJSON_CreateObject();
      cJSON_AddItemToObject(symbol, "name", create_name(it));
      cJSON_AddNumberToObject(symbol, "kind", kind_of(it));
      cJSON_AddItemToObject(symbol, "location", lsp_json_location(document, server->encoding, start, end));
      cJSON_AddItemToArray(list, symbol);
    }
  }
}

cJSON *lsp_workspace_symbols(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  (void)failure;
  cJSON *list = cJSON_CreateArray();
  for (lsp_document_t *it = server->documents; it; it = it->next)
    add_matches(server, it, lsp_json_text(params, "query"), list);
  return list;
}

cJSON *lsp_folding_ranges(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_document_t *document = lsp_server_document_of(server, params, failure);
  if (!document)
    return NULL;
  cJSON *list = cJSON_CreateArray();
  const lsp_sections_t *sections = lsp_sections_recent(document);
  for (size_t i = 0; i < sections->count; ++i) {
    const lsp_section_t *section = &sections->data[i];
    for (size_t k = 0; section->program && k < section->program->n_operations; ++k) {
      const lsp_definition_t *it = section->program->operations[k];
      size_t start, end;
      if (!has_regions(it) || !lsp_section_scope(section, it->scope_start, it->scope_end, &start, &end))
        continue;
      const size_t first = lsp_lines_line(&document->lines, start), last = lsp_lines_line(&document->lines, end);
      if (last <= first + 1)
        continue;
      cJSON *range = cJSON_CreateObject();
      cJSON_AddNumberToObject(range, "startLine", (double)first);
      cJSON_AddNumberToObject(range, "endLine", (double)last - 1);
      cJSON_AddItemToArray(list, range);
    }
  }
  return list;
}
