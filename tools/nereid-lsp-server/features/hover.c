/* What the editor shows at the mouse: a value, symbol or alias of the program, or the documentation of an operation,
 * type, attribute or pass. */
#include "tools/nereid-lsp-server/features/documentation.h"
#include "tools/nereid-lsp-server/features/hover_value.h"
#include "tools/nereid-lsp-server/ir/facts.h"

#include "python-free-bindings/compile/session.h"

#include <ctype.h>
#include <mlir-c/BuiltinAttributes.h>
#include <stdlib.h>

static nereid_view_t unquoted(nereid_view_t text) {
  if (text.size >= 2 && text.data[0] == '"')
    return nereid_view_of(text.data + 1, text.size - 2);
  return text;
}

/* The operation whose name is at the place; null when there is none. */
static const lsp_definition_t *operation_here(const lsp_query_t *query) {
  return query->place.program ? lsp_program_operation(query->place.program, query->place.offset) : NULL;
}

/* loc("kernel.py":3:1), as the text gives it. */
static void print_location(lsp_query_t *query, const lsp_definition_t *it, FILE *out) {
  nereid_text_builder_t text = {.arena = &query->arena};
  if (!it)
    return;
  mlirLocationPrint(it->location, nereid_text_builder_append, &text);
  if (text.data && !strstr(text.data, "\"document\""))
    fprintf(out, "\n`%s`\n", text.data);
}

static void print_memory(lsp_query_t *query, const lsp_definition_t *it, FILE *out) {
  const char *text = it ? lsp_facts_memory((lsp_program_t *)query->place.program, it->op, &query->arena) : NULL;
  if (text)
    fprintf(out, "\n%s\n", text);
}

static void print_operation(lsp_query_t *query, nereid_view_t name, FILE *out) {
  const nereid_documentation_t *entry = lsp_documentation_find(name);
  const lsp_definition_t *it = operation_here(query);
  const MlirStringRef found = it ? mlirIdentifierStr(mlirOperationGetName(it->op)) : (MlirStringRef){NULL, 0};
  if (entry)
    lsp_documentation_print(entry, out);
  if (!entry || !it || !nereid_view_equal(nereid_view_of(found.data, found.length), name))
    return;
  print_memory(query, it, out);
  print_location(query, it, out);
}

static void print_symbol(lsp_query_t *query, FILE *out) {
  const lsp_definition_t *it = query->name->definition;
  const MlirAttribute type = mlirOperationGetAttributeByName(it->op, mlirStringRefCreateFromCString("function_type"));
  const MlirStringRef op = mlirIdentifierStr(mlirOperationGetName(it->op));
  fprintf(out, "```mlir\n%.*s @%.*s", (int)op.length, op.data, (int)it->name.size, it->name.data);
  if (!mlirAttributeIsNull(type) && mlirAttributeIsAType(type))
    fprintf(out, " : %s", lsp_hover_type_text(query, mlirTypeAttrGetValue(type)));
  fputs("\n```\n", out);
  print_memory(query, it, out);
  print_location(query, it, out);
}

static void print_block(const lsp_query_t *query, FILE *out) {
  size_t count = 0;
  const MlirBlock block = query->name->definition->block;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    count++;
  fprintf(out, "block with %ld arguments and %zu operations\n", (long)mlirBlockGetNumArguments(block), count);
}

/* An attribute of the operation around the place, or a discardable one. */
static void print_attribute(const lsp_query_t *query, nereid_view_t name, FILE *out) {
  const lsp_definition_t *it = operation_here(query);
  const MlirStringRef op = it ? mlirIdentifierStr(mlirOperationGetName(it->op)) : (MlirStringRef){NULL, 0};
  const nereid_documentation_t *entry = lsp_documentation_find(nereid_view_of(op.data, op.length));
  lsp_attribute_t attribute;
  const char *at = entry ? entry->attributes : "";
  while (entry && lsp_attribute_next(&at, &attribute))
    if (nereid_view_equal(attribute.name, name))
      fprintf(out, "**`%.*s`** of `%s`: %.*s\n", (int)name.size, name.data, entry->name, (int)attribute.text.size,
              attribute.text.data);
  for (const lsp_discardable_t *each = lsp_discardable_attributes; each->name; ++each)
    if (nereid_view_equal(nereid_view(each->name), name))
      fprintf(out, "**`%s`**, an attribute of a %s\n", each->name, each->summary);
}

/* A pass in a comment (RUN: nereid-opt --cse) or in the text of a pipeline. */
static void print_pass(const lsp_query_t *query, FILE *out) {
  const nereid_view_t text = query->document->text;
  size_t start = query->offset, end = query->offset;
  while (start > 0 && (isalnum((unsigned char)text.data[start - 1]) || text.data[start - 1] == '-'))
    start--;
  while (end < text.size && (isalnum((unsigned char)text.data[end]) || text.data[end] == '-'))
    end++;
  while (start < end && text.data[start] == '-')
    start++;
  const nereid_view_t name = nereid_view_of(text.data + start, end - start);
  const NereidMlirPassInfo *pass = lsp_pass_find(name);
  if (pass)
    lsp_pass_print(pass, out);
  for (const lsp_upstream_pass_t *each = lsp_upstream_passes; each->name; ++each)
    if (nereid_view_equal(nereid_view(each->name), name))
      fprintf(out, "**`%s`**: %s\n", each->name, each->summary);
}

static void print_alias(lsp_query_t *query, FILE *out) {
  const nereid_view_t text = lsp_token_text(query->document->text, query->token);
  const nereid_view_t name = nereid_view_of(text.data + 1, text.size - 1);
  for (size_t i = 0; query->place.program && i < query->place.program->n_definitions; ++i) {
    const lsp_definition_t *it = &query->place.program->definitions[i];
    if (!nereid_view_equal(it->name, name))
      continue;
    if (it->kind == NereidMlirSourceAttribute && text.data[0] == '#' && !mlirAttributeIsNull(it->attribute))
      lsp_hover_print_encoding(query, it->attribute, out);
    if (it->kind == NereidMlirSourceType && text.data[0] == '!' && !mlirTypeIsNull(it->type))
      fprintf(out, "```mlir\n%s\n```\n", lsp_hover_type_text(query, it->type));
  }
}

static void print_name(lsp_query_t *query, FILE *out) {
  switch (query->name->definition->kind) {
  case NereidMlirSourceResults:
  case NereidMlirSourceArgument:
    lsp_hover_print_value(query, out);
    break;
  case NereidMlirSourceOperation:
    print_symbol(query, out);
    break;
  case NereidMlirSourceBlock:
    print_block(query, out);
    break;
  default:
    break;
  }
}

static void print_hover(lsp_query_t *query, FILE *out) {
  const nereid_view_t text = lsp_token_text(query->document->text, query->token);
  const nereid_documentation_t *entry;
  switch (query->token->kind) {
  case LSP_TOKEN_VALUE:
  case LSP_TOKEN_RESULT:
  case LSP_TOKEN_SYMBOL:
  case LSP_TOKEN_BLOCK:
    if (query->name)
      print_name(query, out);
    break;
  case LSP_TOKEN_ATTR_ALIAS:
  case LSP_TOKEN_TYPE_ALIAS:
    print_alias(query, out);
    break;
  case LSP_TOKEN_OPERATION:
    print_operation(query, unquoted(text), out);
    break;
  case LSP_TOKEN_ATTRIBUTE:
  case LSP_TOKEN_TYPE:
    if ((entry = lsp_documentation_find(text)))
      lsp_documentation_print(entry, out);
    break;
  case LSP_TOKEN_NAME:
  case LSP_TOKEN_WORD:
    if ((entry = lsp_documentation_find(text)))
      lsp_documentation_print(entry, out);
    else
      print_attribute(query, unquoted(text), out);
    break;
  case LSP_TOKEN_COMMENT:
  case LSP_TOKEN_STRING:
    print_pass(query, out);
    break;
  default:
    break;
  }
}

static cJSON *create_hover(const lsp_query_t *query, const char *text) {
  cJSON *hover = cJSON_CreateObject();
  cJSON *contents = cJSON_AddObjectToObject(hover, "contents");
  cJSON_AddStringToObject(contents, "kind", "markdown");
  cJSON_AddStringToObject(contents, "value", text);
  const lsp_token_t *token = query->token;
  if (token->kind != LSP_TOKEN_COMMENT && token->kind != LSP_TOKEN_STRING)
    cJSON_AddItemToObject(
        hover, "range",
        lsp_json_range(query->document, query->server->encoding, token->start, token->start + token->length));
  return hover;
}

cJSON *lsp_hover(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_query_t query;
  cJSON *result = NULL;
  char *text = NULL;
  size_t size = 0;
  if (lsp_query_begin(server, params, failure, &query) && query.token) {
    FILE *out = open_memstream(&text, &size);
    if (out) {
      print_hover(&query, out);
      if (fclose(out) == 0 && size)
        result = create_hover(&query, text);
      free(text);
    }
  }
  lsp_query_end(&query);
  return result;
}
