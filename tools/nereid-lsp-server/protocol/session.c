/* Messages to the client, and the list of documents. */
#include "tools/nereid-lsp-server/protocol/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- messages to the client --- */

cJSON *lsp_fail(lsp_failure_t *failure, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  failure->code = code;
  vsnprintf(failure->text, sizeof failure->text, format, arguments);
  va_end(arguments);
  return NULL;
}

static cJSON *create_message(void) {
  cJSON *message = cJSON_CreateObject();
  cJSON_AddStringToObject(message, "jsonrpc", "2.0");
  return message;
}

static void send(lsp_server_t *server, cJSON *message) {
  if (!lsp_transport_send(&server->transport, message))
    server->has_exited = true;
}

void lsp_server_notify(lsp_server_t *server, const char *method, cJSON *params) {
  cJSON *message = create_message();
  cJSON_AddStringToObject(message, "method", method);
  cJSON_AddItemToObject(message, "params", params);
  send(server, message);
}

void lsp_server_request(lsp_server_t *server, const char *method, cJSON *params) {
  cJSON *message = create_message();
  char id[32];
  snprintf(id, sizeof id, "nereid-%lld", (long long)++server->next_id);
  cJSON_AddStringToObject(message, "id", id);
  cJSON_AddStringToObject(message, "method", method);
  cJSON_AddItemToObject(message, "params", params);
  send(server, message);
}

void lsp_server_answer(lsp_server_t *server, const cJSON *id, cJSON *result, const lsp_failure_t *failure) {
  cJSON *message = create_message();
  cJSON_AddItemToObject(message, "id", id ? cJSON_Duplicate(id, true) : cJSON_CreateNull());
  if (failure && failure->code) {
    cJSON *error = cJSON_AddObjectToObject(message, "error");
    cJSON_AddNumberToObject(error, "code", failure->code);
    cJSON_AddStringToObject(error, "message", failure->text);
    cJSON_Delete(result);
  } else {
    cJSON_AddItemToObject(message, "result", result ? result : cJSON_CreateNull());
  }
  send(server, message);
}

/* --- documents --- */

lsp_document_t *lsp_server_document(const lsp_server_t *server, const char *uri) {
  lsp_document_t *it = server->documents;
  while (it && strcmp(it->uri, uri) != 0)
    it = it->next;
  return it;
}

lsp_document_t *lsp_server_document_of(const lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  const char *uri = lsp_json_text(params, "textDocument.uri");
  lsp_document_t *document = lsp_server_document(server, uri);
  if (!document)
    (void)lsp_fail(failure, LSP_INVALID_PARAMS, "the document '%.150s' is not open", uri);
  return document;
}

void lsp_server_open(lsp_server_t *server, lsp_document_t *document) {
  document->next = server->documents;
  server->documents = document;
}

static void remove_files(lsp_server_t *server) {
  char path[512];
  for (unsigned i = 0; server->folder && i < server->n_written; ++i) {
    snprintf(path, sizeof path, "%s/%u.diff", server->folder, i);
    (void)unlink(path);
  }
  if (server->folder)
    (void)rmdir(server->folder);
  free(server->folder);
}

void lsp_server_deinitialize(lsp_server_t *server) {
  while (server->documents) {
    lsp_document_t *next = server->documents->next;
    lsp_sections_destroy(server->documents->sections);
    lsp_document_destroy(server->documents);
    server->documents = next;
  }
  remove_files(server);
  lsp_transport_deinitialize(&server->transport);
}
