/* The state of a session: documents, what the client can do, and messages to it. */
#ifndef NEREID_TOOLS_LSP_SESSION_H
#define NEREID_TOOLS_LSP_SESSION_H

#include "tools/nereid-lsp-server/ir/sections.h"
#include "tools/nereid-lsp-server/protocol/json.h"
#include "tools/nereid-lsp-server/protocol/transport.h"

/* Error codes of JSON-RPC and of the protocol. */
enum {
  LSP_PARSE_ERROR = -32700,
  LSP_INVALID_REQUEST = -32600,
  LSP_METHOD_NOT_FOUND = -32601,
  LSP_INVALID_PARAMS = -32602,
  LSP_INTERNAL_ERROR = -32603,
  LSP_NOT_INITIALIZED = -32002,
  LSP_REQUEST_FAILED = -32803,
  LSP_REQUEST_CANCELLED = -32800,
};

typedef struct lsp_server {
  lsp_transport_t transport;
  lsp_document_t *documents;
  lsp_encoding_t encoding;
  bool is_initialized, is_shut_down, has_exited;
  bool can_show_documents, can_apply_edits; /* the client's capabilities */
  bool has_hierarchical_symbols, has_snippets;
  int64_t next_id;       /* id of the next request to the client */
  int journal;           /* file descriptor; -1: none (protocol/recovery.h) */
  bool is_journal_stale; /* changes of documents since the last write of the journal */
  int time_limit;        /* seconds of processor time for an analysis */
  cJSON *pending_id;     /* id of the current request; null: none. Borrowed */
  char *folder;          /* path of the folder with files of the server, owned; null: none */
  unsigned n_written;    /* number of files in it */
} lsp_server_t;

/* Why a request fails. */
typedef struct lsp_failure {
  int code; /* 0: no failure */
  char text[256];
} lsp_failure_t;

/* Sets the failure and returns null, so that a failing handler is `return lsp_fail(...)`. */
cJSON *lsp_fail(lsp_failure_t *failure, int code, const char *format, ...) NEREID_PRINTF(3, 4);

/* Frees documents and files of the server. */
void lsp_server_deinitialize(lsp_server_t *server);

/* Returns the open document with this URI; null when there is none. */
lsp_document_t *lsp_server_document(const lsp_server_t *server, const char *uri);

/* Returns the document of params.textDocument, or null after a failure. */
lsp_document_t *lsp_server_document_of(const lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);

/* Adds a document. The server owns it. */
void lsp_server_open(lsp_server_t *server, lsp_document_t *document);

/* Sends a notification or a request to the client; takes ownership of `params`. */
void lsp_server_notify(lsp_server_t *server, const char *method, cJSON *params);
void lsp_server_request(lsp_server_t *server, const char *method, cJSON *params);

/* Answers a request with a result (null: the JSON null), which it takes, or with a failure. */
void lsp_server_answer(lsp_server_t *server, const cJSON *id, cJSON *result, const lsp_failure_t *failure);

#endif
