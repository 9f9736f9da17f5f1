/* The loop of the server, and the handlers of its methods. */
#ifndef NEREID_TOOLS_LSP_SERVER_H
#define NEREID_TOOLS_LSP_SERVER_H

#include "tools/nereid-lsp-server/protocol/session.h"

/* Handles a request: returns the result (null: the JSON null), or fails. */
typedef cJSON *(*lsp_request_t)(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);

/* Handles messages until the client ends the session. Returns the exit status: 0 after shutdown and exit. */
int lsp_server_run(lsp_server_t *server);

/* Handlers by subject. */
cJSON *lsp_initialize(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
void lsp_did_open(lsp_server_t *server, const cJSON *params);
void lsp_did_change(lsp_server_t *server, const cJSON *params);
void lsp_did_close(lsp_server_t *server, const cJSON *params);

/* Parses changed documents and sends their diagnostics. */
void lsp_publish(lsp_server_t *server);

cJSON *lsp_hover(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_go_to_definition(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_references(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_highlights(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_prepare_rename(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_rename(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_document_symbols(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_workspace_symbols(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_folding_ranges(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_completion(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_completion_resolve(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_semantic_tokens(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_semantic_tokens_delta(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_semantic_tokens_range(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_semantic_tokens_legend(void);
cJSON *lsp_code_actions(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);
cJSON *lsp_execute_command(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure);

#endif
