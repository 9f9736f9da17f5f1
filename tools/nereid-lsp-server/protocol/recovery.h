/* Survival of crashes and hangs in the parser, the verifier, analyses and passes.
 *
 * Before such code runs, the state of the session (documents, unread input) is written to a journal, an anonymous file.
 * On a fatal signal in it, or after its limit of processor time, the process executes itself again with the journal: it
 * answers the interrupted request with an error, does not parse the document that was analysed until that changes, and
 * continues. The client keeps its connection. No state of the failed process is used except the journal. Signals at
 * other times keep their default action. */
#ifndef NEREID_TOOLS_LSP_RECOVERY_H
#define NEREID_TOOLS_LSP_RECOVERY_H

#include "tools/nereid-lsp-server/protocol/session.h"

enum {
  LSP_TIME_LIMIT = 20, /* seconds of processor time for one analysis of one document, unless an option sets it */
};
#define LSP_MEMORY_LIMIT (UINT64_C(16) << 30) /* bytes; an allocation beyond it fails, which ends LLVM by SIGABRT */

/* Creates the journal, limits memory, and handles fatal signals from now on. Without a journal (no memory file),
 * signals keep their default action. */
void lsp_recovery_start(lsp_server_t *server);

/* Begins and ends code that may crash or hang; `document` (null: none) is the one that it analyses. */
void lsp_recovery_enter(lsp_server_t *server, const lsp_document_t *document);
void lsp_recovery_leave(lsp_server_t *server);

/* Continues the session of a journal in a new process. False when it is not one. */
bool lsp_recovery_resume(lsp_server_t *server, int journal);

#endif
