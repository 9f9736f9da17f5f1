#include "tools/nereid-lsp-server/protocol/transport.h"

#include "tools/nereid-lsp-server/protocol/json.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

void lsp_transport_initialize(lsp_transport_t *transport, int in, int out, bool is_test) {
  *transport = (lsp_transport_t){.in = in, .out = out, .is_test = is_test};
  transport->last = &transport->first;
}

void lsp_transport_deinitialize(lsp_transport_t *transport) {
  while (transport->first) {
    lsp_queued_t *next = transport->first->next;
    cJSON_Delete(transport->first->message);
    free(transport->first);
    transport->first = next;
  }
  free(transport->buffer);
}

/* --- reading --- */

bool lsp_transport_feed(lsp_transport_t *transport, nereid_view_t bytes) {
  if (transport->begin) {
    memmove(transport->buffer, transport->buffer + transport->begin, transport->size - transport->begin);
    transport->size -= transport->begin;
    transport->begin = 0;
  }
  if (transport->size + bytes.size > transport->capacity) {
    const size_t capacity = (transport->size + bytes.size) * 2;
    char *larger = realloc(transport->buffer, capacity);
    if (!larger)
      return false;
    transport->buffer = larger;
    transport->capacity = capacity;
  }
  if (bytes.size)
    memcpy(transport->buffer + transport->size, bytes.data, bytes.size);
  transport->size += bytes.size;
  return true;
}

/* Reads what is there, after waiting; false on a timeout. */
static bool fill(lsp_transport_t *transport, int milliseconds) {
  char bytes[1 << 16];
  struct pollfd in = {.fd = transport->in, .events = POLLIN};
  const int ready = poll(&in, 1, milliseconds);
  if (ready <= 0)
    return ready < 0 && errno == EINTR;
  const ssize_t n = read(transport->in, bytes, sizeof bytes);
  if (n > 0)
    transport->has_ended |= !lsp_transport_feed(transport, nereid_view_of(bytes, (size_t)n));
  else
    transport->has_ended |= n == 0 || (errno != EINTR && errno != EAGAIN);
  return true;
}

/* Finds the next message in the bytes: `out` and the number of bytes up to its end. False when it is incomplete. A
 * header without a length is skipped. */
static bool find_framed(lsp_transport_t *transport, nereid_view_t *out, size_t *out_used) {
  static const char name[] = "content-length:";
  for (;;) {
    const char *begin = transport->buffer + transport->begin, *at = begin;
    const char *end = transport->buffer + transport->size;
    size_t length = SIZE_MAX;
    for (;;) {
      const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
      if (!stop)
        return false;
      const size_t line = (size_t)(stop - at) - (stop > at && stop[-1] == '\r');
      if (line > sizeof name - 1 && strncasecmp(at, name, sizeof name - 1) == 0)
        length = strtoul(at + sizeof name - 1, NULL, 10);
      at = stop + 1;
      if (line == 0)
        break;
    }
    if (length == SIZE_MAX) {
      transport->begin += (size_t)(at - begin);
      continue;
    }
    if (length > LSP_MAX_MESSAGE)
      transport->has_ended = true;
    if (length > LSP_MAX_MESSAGE || length > (size_t)(end - at))
      return false;
    *out = nereid_view_of(at, length);
    *out_used = (size_t)(at - begin) + length;
    return true;
  }
}

/* Lines up to one that begins with `// -----`; other lines that begin with // are comments. */
static bool find_separated(lsp_transport_t *transport, nereid_view_t *out, size_t *out_used) {
  char *begin = transport->buffer + transport->begin, *at = begin;
  char *end = transport->buffer + transport->size;
  while (at < end) {
    char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop && !transport->has_ended)
      return false;
    stop = stop ? stop + 1 : end;
    const bool is_comment = stop - at >= 2 && at[0] == '/' && at[1] == '/';
    const bool is_end = stop - at >= 8 && memcmp(at, "// -----", 8) == 0;
    if (is_comment)
      memset(at, ' ', (size_t)(stop - at));
    if (is_end || (stop == end && transport->has_ended)) {
      *out = nereid_view_of(begin, (size_t)(stop - begin));
      *out_used = (size_t)(stop - begin);
      return true;
    }
    at = stop;
  }
  return false;
}

/* Marks the queued request with this id. */
static void cancel(lsp_transport_t *transport, const cJSON *id) {
  for (lsp_queued_t *it = transport->first; it; it = it->next) {
    const cJSON *other = it->message ? cJSON_GetObjectItemCaseSensitive(it->message, "id") : NULL;
    if (id && other && cJSON_Compare(id, other, true) && cJSON_HasObjectItem(it->message, "method"))
      it->is_cancelled = true;
  }
}

static void queue(lsp_transport_t *transport, nereid_view_t text) {
  char *copy = strndup(text.data, text.size);
  if (!copy)
    return;
  lsp_json_repair(copy, strlen(copy));
  cJSON *message = cJSON_Parse(copy);
  const bool is_blank = copy[strspn(copy, " \t\r\n")] == 0;
  free(copy);
  if (strcmp(lsp_json_text(message, "method"), "$/cancelRequest") == 0)
    cancel(transport, lsp_json_get(message, "params.id"));
  lsp_queued_t *item = is_blank && transport->is_test ? NULL : calloc(1, sizeof *item);
  if (!item) {
    cJSON_Delete(message);
    return;
  }
  item->message = message;
  *transport->last = item;
  transport->last = &item->next;
}

static void parse_all(lsp_transport_t *transport) {
  nereid_view_t text;
  size_t used;
  while (transport->is_test ? find_separated(transport, &text, &used) : find_framed(transport, &text, &used)) {
    queue(transport, text);
    transport->begin += used;
  }
}

lsp_arrival_t lsp_transport_receive(lsp_transport_t *transport, int milliseconds, cJSON **out_message,
                                    bool *out_is_cancelled) {
  while (!transport->has_ended && fill(transport, transport->first ? 0 : milliseconds)) {
    parse_all(transport);
    if (transport->has_ended)
      break;
  }
  parse_all(transport);
  lsp_queued_t *item = transport->first;
  if (!item)
    return transport->has_ended ? LSP_ARRIVAL_END : LSP_ARRIVAL_TIMEOUT;
  transport->first = item->next;
  if (!transport->first)
    transport->last = &transport->first;
  *out_message = item->message;
  *out_is_cancelled = item->is_cancelled;
  free(item);
  return *out_message ? LSP_ARRIVAL_MESSAGE : LSP_ARRIVAL_MALFORMED;
}

/* --- writing --- */

static bool write_all(int out, const char *data, size_t size) {
  while (size) {
    const ssize_t n = write(out, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    data += n;
    size -= (size_t)n;
  }
  return true;
}

bool lsp_transport_send(lsp_transport_t *transport, cJSON *message) {
  char header[64];
  char *text = transport->is_test ? cJSON_Print(message) : cJSON_PrintUnformatted(message);
  cJSON_Delete(message);
  if (!text)
    return false;
  const size_t size = strlen(text);
  const int n = transport->is_test ? 0 : snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", size);
  const bool is_sent = write_all(transport->out, header, (size_t)n) && write_all(transport->out, text, size) &&
                       (!transport->is_test || write_all(transport->out, "\n", 1));
  free(text);
  return is_sent;
}
