/* The start of a session, and the synchronization of documents. */
#include "tools/nereid-lsp-server/protocol/server.h"

#include "tools/nereid-lsp-server/protocol/recovery.h"

#include <time.h>

static const char *const encoding_names[] = {[LSP_UTF16] = "utf-16", [LSP_UTF8] = "utf-8", [LSP_UTF32] = "utf-32"};

/* The client lists encodings by preference; the list may be missing, and always implies UTF-16. UTF-8 is cheapest. */
static lsp_encoding_t choose_encoding(const cJSON *offered) {
  lsp_encoding_t chosen = LSP_UTF16;
  const cJSON *item;
  cJSON_ArrayForEach(item, offered) {
    const char *name = cJSON_GetStringValue(item);
    if (name && strcmp(name, encoding_names[LSP_UTF8]) == 0)
      return LSP_UTF8;
    if (name && strcmp(name, encoding_names[LSP_UTF32]) == 0)
      chosen = LSP_UTF32;
    if (name && strcmp(name, encoding_names[LSP_UTF16]) == 0)
      chosen = LSP_UTF16;
  }
  return chosen;
}

static cJSON *create_list(const char *const *texts, int n) {
  return cJSON_CreateStringArray(texts, n);
}

static cJSON *create_capabilities(const lsp_server_t *server) {
  static const char *const triggers[] = {".", "#", "!", "%", "@", "^", "-", ",", "("};
  static const char *const kinds[] = {"refactor.rewrite"};
  static const char *const commands[] = {"nereid.runPass", "nereid.showPass"};
  cJSON *all = cJSON_CreateObject();
  cJSON_AddStringToObject(all, "positionEncoding", encoding_names[server->encoding]);
  cJSON *sync = cJSON_AddObjectToObject(all, "textDocumentSync");
  cJSON_AddTrueToObject(sync, "openClose");
  cJSON_AddNumberToObject(sync, "change", 2); /* incremental */
  static const char *const simple[] = {
      "hoverProvider",          "definitionProvider",      "referencesProvider",  "documentHighlightProvider",
      "documentSymbolProvider", "workspaceSymbolProvider", "foldingRangeProvider"};
  for (size_t i = 0; i < sizeof simple / sizeof *simple; ++i)
    cJSON_AddTrueToObject(all, simple[i]);
  cJSON_AddTrueToObject(cJSON_AddObjectToObject(all, "renameProvider"), "prepareProvider");
  cJSON *completion = cJSON_AddObjectToObject(all, "completionProvider");
  cJSON_AddItemToObject(completion, "triggerCharacters", create_list(triggers, sizeof triggers / sizeof *triggers));
  cJSON_AddTrueToObject(completion, "resolveProvider");
  cJSON *tokens = cJSON_AddObjectToObject(all, "semanticTokensProvider");
  cJSON_AddItemToObject(tokens, "legend", lsp_semantic_tokens_legend());
  cJSON_AddTrueToObject(cJSON_AddObjectToObject(tokens, "full"), "delta");
  cJSON_AddTrueToObject(tokens, "range");
  cJSON_AddItemToObject(cJSON_AddObjectToObject(all, "codeActionProvider"), "codeActionKinds", create_list(kinds, 1));
  cJSON_AddItemToObject(cJSON_AddObjectToObject(all, "executeCommandProvider"), "commands", create_list(commands, 2));
  return all;
}

cJSON *lsp_initialize(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  if (server->is_initialized)
    return lsp_fail(failure, LSP_INVALID_REQUEST, "the server is already initialized");
  const cJSON *client = lsp_json_get(params, "capabilities");
  server->is_initialized = true;
  server->encoding = choose_encoding(lsp_json_get(client, "general.positionEncodings"));
  server->is_journal_stale = true;
  server->can_show_documents = lsp_json_is_true(client, "window.showDocument.support");
  server->can_apply_edits = lsp_json_is_true(client, "workspace.applyEdit");
  server->has_hierarchical_symbols =
      lsp_json_is_true(client, "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport");
  cJSON *result = cJSON_CreateObject();
  cJSON_AddItemToObject(result, "capabilities", create_capabilities(server));
  cJSON *info = cJSON_AddObjectToObject(result, "serverInfo");
  cJSON_AddStringToObject(info, "name", "nereid-lsp-server");
  cJSON_AddStringToObject(info, "version", NEREID_VERSION);
  return result;
}

/* --- documents --- */

/* Takes the document from the list and frees it. */
static void close_document(lsp_server_t *server, const char *uri) {
  lsp_document_t **link = &server->documents;
  while (*link && strcmp((*link)->uri, uri) != 0)
    link = &(*link)->next;
  lsp_document_t *document = *link;
  if (!document)
    return;
  *link = document->next;
  lsp_sections_destroy(document->sections);
  lsp_document_destroy(document);
}

void lsp_did_open(lsp_server_t *server, const cJSON *params) {
  const char *uri = lsp_json_text(params, "textDocument.uri");
  const cJSON *version = lsp_json_get(params, "textDocument.version");
  server->is_journal_stale = true;
  close_document(server, uri);
  lsp_document_t *document = lsp_document_create(uri, lsp_json_text(params, "textDocument.languageId"),
                                                 cJSON_IsNumber(version) ? (int64_t)version->valuedouble : 0,
                                                 nereid_view(lsp_json_text(params, "textDocument.text")));
  if (document)
    lsp_server_open(server, document);
}

void lsp_did_change(lsp_server_t *server, const cJSON *params) {
  lsp_document_t *document = lsp_server_document(server, lsp_json_text(params, "textDocument.uri"));
  const cJSON *version = lsp_json_get(params, "textDocument.version"), *change;
  if (!document)
    return;
  server->is_journal_stale = true;
  if (cJSON_IsNumber(version))
    document->version = (int64_t)version->valuedouble;
  cJSON_ArrayForEach(change, lsp_json_get(params, "contentChanges")) {
    const nereid_view_t text = nereid_view(lsp_json_text(change, "text"));
    size_t start = 0, end = document->text.size;
    if (lsp_json_get(change, "range")) {
      start = lsp_lines_offset(&document->lines, server->encoding, lsp_json_position(change, "range.start"));
      end = lsp_lines_offset(&document->lines, server->encoding, lsp_json_position(change, "range.end"));
    }
    (void)lsp_document_edit(document, start, end, text);
  }
}

static void send_diagnostics(lsp_server_t *server, const char *uri, const lsp_document_t *document, cJSON *list) {
  cJSON *params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "uri", uri);
  if (document)
    cJSON_AddNumberToObject(params, "version", (double)document->version);
  cJSON_AddItemToObject(params, "diagnostics", list);
  lsp_server_notify(server, "textDocument/publishDiagnostics", params);
}

void lsp_did_close(lsp_server_t *server, const cJSON *params) {
  const char *uri = lsp_json_text(params, "textDocument.uri");
  if (!lsp_server_document(server, uri))
    return;
  server->is_journal_stale = true;
  close_document(server, uri);
  send_diagnostics(server, uri, NULL, cJSON_CreateArray());
}

/* --- diagnostics --- */

static cJSON *create_related(const lsp_server_t *server, const lsp_document_t *document, const lsp_section_t *section,
                             const lsp_diagnostic_t *note) {
  cJSON *list = cJSON_CreateArray();
  for (; note; note = note->next) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(
        item, "location",
        lsp_json_location(document, server->encoding, section->start + note->start, section->start + note->end));
    cJSON_AddStringToObject(item, "message", note->text);
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

static cJSON *create_diagnostic(cJSON *range, int severity, const char *text) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddItemToObject(item, "range", range);
  cJSON_AddNumberToObject(item, "severity", severity);
  cJSON_AddStringToObject(item, "source", "nereid");
  cJSON_AddStringToObject(item, "message", text);
  return item;
}

static void add_section(const lsp_server_t *server, const lsp_document_t *document, const lsp_section_t *section,
                        cJSON *list) {
  static const int severities[] = {
      [MlirDiagnosticError] = 1, [MlirDiagnosticWarning] = 2, [MlirDiagnosticNote] = 3, [MlirDiagnosticRemark] = 3};
  for (const lsp_diagnostic_t *it = section->messages; it; it = it->next) {
    cJSON *range = lsp_json_range(document, server->encoding, section->start + it->start, section->start + it->end);
    cJSON *item = create_diagnostic(range, severities[it->severity], it->text);
    if (it->notes)
      cJSON_AddItemToObject(item, "relatedInformation", create_related(server, document, section, it->notes));
    cJSON_AddItemToArray(list, item);
  }
}

static int64_t now_in_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const lsp_sections_t *parse(lsp_server_t *server, lsp_document_t *document) {
  const int64_t start = now_in_milliseconds();
  lsp_recovery_enter(server, document);
  const lsp_sections_t *sections = lsp_sections_update(document);
  lsp_recovery_leave(server);
  const int64_t time = now_in_milliseconds() - start;
  document->parse_time = time < INT32_MAX ? (int)time : INT32_MAX;
  return sections;
}

static void publish(lsp_server_t *server, lsp_document_t *document) {
  cJSON *list = cJSON_CreateArray();
  const lsp_sections_t *sections = parse(server, document);
  for (size_t i = 0; i < sections->count; ++i)
    add_section(server, document, &sections->data[i], list);
  const char *fault = document->fault;
  if (document->text.size > LSP_MAX_TEXT && lsp_document_is_mlir(document))
    fault = "the text is larger than 32 MiB and is not analyzed";
  if (fault)
    cJSON_AddItemToArray(list, create_diagnostic(lsp_json_range(document, server->encoding, 0, 0), 2, fault));
  document->is_published = true;
  send_diagnostics(server, document->uri, document, list);
}

void lsp_publish(lsp_server_t *server) {
  for (lsp_document_t *it = server->documents; it; it = it->next)
    if (!it->is_published)
      publish(server, it);
}
