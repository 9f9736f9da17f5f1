/* Messages of JSON-RPC on two file descriptors.
 *
 *   Content-Length: 52\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"shutdown"}
 *
 * Or, for tests (--lit-test), as JSON separated by lines that begin with `// -----`; answers are then indented. */
#ifndef NEREID_TOOLS_LSP_TRANSPORT_H
#define NEREID_TOOLS_LSP_TRANSPORT_H

#include "base/view.h"

#include <cjson/cJSON.h>

enum { LSP_MAX_MESSAGE = 256 << 20 }; /* bytes */

typedef enum lsp_arrival {
  LSP_ARRIVAL_MESSAGE,
  LSP_ARRIVAL_MALFORMED, /* not JSON */
  LSP_ARRIVAL_TIMEOUT,
  LSP_ARRIVAL_END, /* end of the input, or a message over the limit */
} lsp_arrival_t;

typedef struct lsp_queued {
  cJSON *message;
  bool is_cancelled; /* a request with a cancellation after it */
  struct lsp_queued *next;
} lsp_queued_t;

typedef struct lsp_transport {
  int in, out;
  bool is_test; /* the separated form */
  char *buffer; /* owned: input not yet parsed, from `begin` */
  size_t begin, size, capacity;
  bool has_ended;
  lsp_queued_t *first, **last; /* parsed messages */
} lsp_transport_t;

void lsp_transport_initialize(lsp_transport_t *transport, int in, int out, bool is_test);
void lsp_transport_deinitialize(lsp_transport_t *transport);

/* Waits up to `milliseconds` (-1: any time) for a message. All complete messages that the client has sent are read, so
 * that a cancelled request is known as such before its turn. The caller owns *out_message. */
lsp_arrival_t lsp_transport_receive(lsp_transport_t *transport, int milliseconds, cJSON **out_message,
                                    bool *out_is_cancelled);

/* Sends a message and destroys it. False when the client has closed its end. */
bool lsp_transport_send(lsp_transport_t *transport, cJSON *message);

/* The input that was read and not yet handed out, for a successor: messages in order, then the rest of the bytes.
 * Appends to the buffer of a new transport. */
bool lsp_transport_feed(lsp_transport_t *transport, nereid_view_t bytes);

#endif
