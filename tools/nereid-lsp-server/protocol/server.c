/* The loop of the server, and the table of methods.
 *
 * One thread. A change only marks the document; its text is parsed when a request needs it, or when the client has been
 * silent for a moment. So a client may send a change per key. */
#include "tools/nereid-lsp-server/protocol/server.h"

#include "tools/nereid-lsp-server/protocol/recovery.h"

/* Milliseconds without a message, after which changed documents are parsed: more for a document that takes long, so
 * that requests between the keys of a word do not wait for it. */
enum { QUIET = 40, QUIET_PER_PARSE = 3, MAX_QUIET = 500 };

typedef struct method {
  const char *name;
  lsp_request_t request;                                     /* null: a notification */
  void (*notify)(lsp_server_t *server, const cJSON *params); /* null: ignored */
} method_t;

static const method_t methods[] = {
    {"textDocument/hover", lsp_hover, NULL},
    {"textDocument/definition", lsp_go_to_definition, NULL},
    {"textDocument/references", lsp_references, NULL},
    {"textDocument/documentHighlight", lsp_highlights, NULL},
    {"textDocument/prepareRename", lsp_prepare_rename, NULL},
    {"textDocument/rename", lsp_rename, NULL},
    {"textDocument/documentSymbol", lsp_document_symbols, NULL},
    {"workspace/symbol", lsp_workspace_symbols, NULL},
    {"textDocument/foldingRange", lsp_folding_ranges, NULL},
    {"textDocument/completion", lsp_completion, NULL},
    {"completionItem/resolve", lsp_completion_resolve, NULL},
    {"textDocument/semanticTokens/full", lsp_semantic_tokens, NULL},
    {"textDocument/semanticTokens/full/delta", lsp_semantic_tokens_delta, NULL},
    {"textDocument/semanticTokens/range", lsp_semantic_tokens_range, NULL},
    {"textDocument/codeAction", lsp_code_actions, NULL},
    {"workspace/executeCommand", lsp_execute_command, NULL},
    {"textDocument/didOpen", NULL, lsp_did_open},
    {"textDocument/didChange", NULL, lsp_did_change},
    {"textDocument/didClose", NULL, lsp_did_close},
};

/* --- dispatch --- */

static void answer_failure(lsp_server_t *server, const cJSON *id, int code, const char *text) {
  lsp_failure_t failure;
  (void)lsp_fail(&failure, code, "%s", text);
  lsp_server_answer(server, id, NULL, &failure);
}

static const method_t *find_method(const char *name) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
    if (strcmp(methods[i].name, name) == 0)
      return &methods[i];
  return NULL;
}

/* The document of a request is named in its parameters, or in the first argument of a command. */
static const lsp_document_t *subject(const lsp_server_t *server, const cJSON *params) {
  const char *uri = lsp_json_text(params, "textDocument.uri");
  const cJSON *arguments = lsp_json_get(params, "arguments");
  return lsp_server_document(server, *uri ? uri : lsp_json_text(cJSON_GetArrayItem(arguments, 0), "uri"));
}

static cJSON *run_request(lsp_server_t *server, const method_t *method, const cJSON *params, lsp_failure_t *failure) {
  lsp_recovery_enter(server, subject(server, params));
  cJSON *result = method->request(server, params, failure);
  lsp_recovery_leave(server);
  return result;
}

static void handle_request(lsp_server_t *server, cJSON *id, const char *name, const cJSON *params) {
  lsp_failure_t failure = {.code = 0};
  const method_t *method = find_method(name);
  cJSON *result = NULL;
  server->pending_id = id;
  if (strcmp(name, "initialize") == 0)
    result = lsp_initialize(server, params, &failure);
  else if (!server->is_initialized)
    (void)lsp_fail(&failure, LSP_NOT_INITIALIZED, "expected initialize as the first request");
  else if (server->is_shut_down)
    (void)lsp_fail(&failure, LSP_INVALID_REQUEST, "the server is shut down: expected exit");
  else if (strcmp(name, "shutdown") == 0)
    server->is_shut_down = true;
  else if (!method || !method->request)
    (void)lsp_fail(&failure, LSP_METHOD_NOT_FOUND, "unknown method '%.150s'", name);
  else
    result = run_request(server, method, params, &failure);
  server->pending_id = NULL;
  lsp_server_answer(server, id, result, &failure);
}

static void handle_notification(lsp_server_t *server, const char *name, const cJSON *params) {
  const method_t *method = find_method(name);
  if (strcmp(name, "exit") == 0)
    server->has_exited = true;
  else if (server->is_initialized && !server->is_shut_down && method && method->notify)
    method->notify(server, params);
}

static void handle(lsp_server_t *server, cJSON *message, bool is_cancelled) {
  cJSON *id = cJSON_GetObjectItemCaseSensitive(message, "id");
  const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "method"));
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
  const bool has_id = cJSON_IsNumber(id) || cJSON_IsString(id);
  if (!name && has_id && !cJSON_HasObjectItem(message, "result") && !cJSON_HasObjectItem(message, "error"))
    answer_failure(server, id, LSP_INVALID_REQUEST, "the message has no method");
  else if (!name && !has_id)
    answer_failure(server, NULL, LSP_INVALID_REQUEST, "the message is neither a request nor a notification");
  else if (name && id && !has_id)
    answer_failure(server, NULL, LSP_INVALID_REQUEST, "the id is neither a number nor a string");
  else if (name && has_id && is_cancelled)
    answer_failure(server, id, LSP_REQUEST_CANCELLED, "cancelled");
  else if (name && has_id)
    handle_request(server, id, name, params);
  else if (name)
    handle_notification(server, name, params);
}

/* Returns the milliseconds to wait for a message; -1, any time, when no document waits to be parsed. */
static int choose_wait(const lsp_server_t *server) {
  int wait = -1;
  for (const lsp_document_t *it = server->documents; it; it = it->next) {
    const int quiet = QUIET + QUIET_PER_PARSE * (it->parse_time < MAX_QUIET ? it->parse_time : MAX_QUIET);
    if (!it->is_published && quiet > wait)
      wait = quiet < MAX_QUIET ? quiet : MAX_QUIET;
  }
  return wait > 0 && server->transport.is_test ? 0 : wait;
}

int lsp_server_run(lsp_server_t *server) {
  while (!server->has_exited) {
    cJSON *message = NULL;
    bool is_cancelled = false;
    const int wait = choose_wait(server);
    if (server->transport.is_test)
      lsp_publish(server);
    switch (lsp_transport_receive(&server->transport, wait, &message, &is_cancelled)) {
    case LSP_ARRIVAL_MESSAGE:
      handle(server, message, is_cancelled);
      cJSON_Delete(message);
      break;
    case LSP_ARRIVAL_MALFORMED:
      answer_failure(server, NULL, LSP_PARSE_ERROR, "the message is not JSON");
      break;
    case LSP_ARRIVAL_TIMEOUT:
      lsp_publish(server);
      break;
    case LSP_ARRIVAL_END:
      server->has_exited = true;
      break;
    }
  }
  return server->is_shut_down ? 0 : 1;
}
