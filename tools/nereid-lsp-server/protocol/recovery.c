/* The journal is a header, the session as JSON, and the input that was read but not handled.
 *
 * The signal handler only writes the number of the signal and calls execv, both of which are async-signal-safe. */
#include "tools/nereid-lsp-server/protocol/recovery.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

typedef struct header {
  char magic[16];
  int64_t session_size, input_size, next_id;
  int32_t signal;
  int32_t document; /* number of the document under analysis, from 1; 0: none */
  char id[256];     /* id of the current request, as JSON; empty: none */
} header_t;

static const char magic[16] = "nereid-journal-1";
static header_t header; /* start of the journal, for the signal handler */
static int journal_file = -1;
static char resume_option[32], time_option[32];
static volatile sig_atomic_t is_active; /* journal with the present state */

/* --- the handler --- */

static void restart(int number) {
  char *const arguments[] = {(char[]){"nereid-lsp-server"}, resume_option, time_option, NULL};
  header.signal = number;
  if (is_active && pwrite(journal_file, &header, sizeof header, 0) == (ssize_t)sizeof header)
    (void)execv("/proc/self/exe", arguments);
  (void)raise(number); /* SA_RESETHAND: the default action */
}

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPROF};

static void handle_signals(void) {
  static char stack[1 << 16];
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  (void)sigaltstack(&alternate, NULL);
  sigset_t blocked;
  sigemptyset(&blocked);
  for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; ++i) {
    struct sigaction action = {.sa_handler = restart, .sa_flags = SA_ONSTACK | SA_RESETHAND};
    (void)sigaction(fatal_signals[i], &action, NULL);
    sigaddset(&blocked, fatal_signals[i]);
  }
  (void)sigprocmask(SIG_UNBLOCK, &blocked, NULL); /* signals of the process before, whose handler did not return */
}

static void set_timer(int seconds) {
  const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
  (void)setitimer(ITIMER_PROF, &timer, NULL);
}

static void limit_memory(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) || limit.rlim_cur <= LSP_MEMORY_LIMIT)
    return;
  limit.rlim_cur = LSP_MEMORY_LIMIT;
  (void)setrlimit(RLIMIT_DATA, &limit);
}

void lsp_recovery_start(lsp_server_t *server) {
  if (server->journal < 0)
    server->journal = memfd_create("nereid-lsp-journal", 0);
  journal_file = server->journal;
  snprintf(resume_option, sizeof resume_option, "--resume=%d", journal_file);
  snprintf(time_option, sizeof time_option, "--time-limit=%d", server->time_limit);
  memcpy(header.magic, magic, sizeof magic);
  server->is_journal_stale = true;
#ifndef __SANITIZE_ADDRESS__ /* which reports the signals itself */
  if (server->journal >= 0) {
    limit_memory();
    handle_signals();
  }
#endif
}

/* --- writing --- */

static cJSON *create_session(const lsp_server_t *server) {
  cJSON *session = cJSON_CreateObject();
  cJSON_AddBoolToObject(session, "test", server->transport.is_test);
  cJSON_AddNumberToObject(session, "encoding", server->encoding);
  cJSON_AddBoolToObject(session, "initialized", server->is_initialized);
  cJSON_AddBoolToObject(session, "showDocument", server->can_show_documents);
  cJSON_AddBoolToObject(session, "applyEdit", server->can_apply_edits);
  cJSON_AddBoolToObject(session, "hierarchical", server->has_hierarchical_symbols);
  cJSON *list = cJSON_AddArrayToObject(session, "documents");
  for (const lsp_document_t *it = server->documents; it; it = it->next) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "uri", it->uri);
    cJSON_AddStringToObject(item, "language", it->language);
    cJSON_AddNumberToObject(item, "version", (double)it->version);
    cJSON_AddStringToObject(item, "text", it->text.data);
    cJSON_AddBoolToObject(item, "fault", it->fault != NULL);
    cJSON_AddItemToArray(list, item);
  }
  return session;
}

static void write_at(int file, const char *data, size_t size, int64_t at) {
  while (size) {
    const ssize_t n = pwrite(file, data, size, at);
    if (n <= 0)
      return;
    data += n;
    at += n;
    size -= (size_t)n;
  }
}

static void write_session(lsp_server_t *server) {
  cJSON *session = create_session(server);
  char *text = cJSON_PrintUnformatted(session);
  cJSON_Delete(session);
  header.session_size = text ? (int64_t)strlen(text) : 0;
  if (text)
    write_at(server->journal, text, (size_t)header.session_size, sizeof header);
  free(text);
  server->is_journal_stale = false;
}

/* The messages that are queued, as if they were not read, and the bytes after them. */
static void write_input(const lsp_server_t *server) {
  const lsp_transport_t *from = &server->transport;
  int64_t at = (int64_t)sizeof header + header.session_size;
  const int64_t start = at;
  for (const lsp_queued_t *it = from->first; it; it = it->next) {
    char frame[64], *text = it->message ? cJSON_PrintUnformatted(it->message) : NULL;
    if (!text)
      continue;
    const int n = from->is_test ? 0 : snprintf(frame, sizeof frame, "Content-Length: %zu\r\n\r\n", strlen(text));
    write_at(server->journal, frame, (size_t)n, at);
    write_at(server->journal, text, strlen(text), at + n);
    at += n + (int64_t)strlen(text);
    if (from->is_test) {
      write_at(server->journal, "\n// -----\n", 10, at);
      at += 10;
    }
    free(text);
  }
  write_at(server->journal, from->buffer + from->begin, from->size - from->begin, at);
  header.input_size = at + (int64_t)(from->size - from->begin) - start;
}

void lsp_recovery_enter(lsp_server_t *server, const lsp_document_t *document) {
  if (server->journal < 0)
    return;
  int32_t number = 1;
  for (const lsp_document_t *it = server->documents; it && it != document; it = it->next)
    number++;
  header.document = document ? number : 0;
  header.next_id = server->next_id;
  header.id[0] = 0;
  if (server->pending_id && !cJSON_PrintPreallocated(server->pending_id, header.id, sizeof header.id, false))
    header.id[0] = 0;
  if (server->is_journal_stale)
    write_session(server);
  write_input(server);
  write_at(server->journal, (const char *)&header, sizeof header, 0);
  is_active = 1;
  set_timer(server->time_limit);
}

void lsp_recovery_leave(lsp_server_t *server) {
  if (server->journal < 0)
    return;
  set_timer(0);
  is_active = 0;
}

/* --- resuming --- */

static char *read_at(int file, int64_t size, int64_t at) {
  char *text = size >= 0 && size < INT32_MAX ? calloc((size_t)size + 1, 1) : NULL;
  if (text && size && pread(file, text, (size_t)size, at) != (ssize_t)size) {
    free(text);
    return NULL;
  }
  return text;
}

static const char *fault_text(int number) {
  return number == SIGPROF ? "the analysis of this text took too long; it is not parsed until it changes"
                           : "the analysis of this text crashed; it is not parsed until it changes";
}

static void restore_documents(lsp_server_t *server, const cJSON *list) {
  const cJSON *item;
  lsp_document_t **last = &server->documents;
  int32_t number = 0;
  cJSON_ArrayForEach(item, list) {
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(item, "version");
    lsp_document_t *document =
        lsp_document_create(lsp_json_text(item, "uri"), lsp_json_text(item, "language"),
                            version ? (int64_t)version->valuedouble : 0, nereid_view(lsp_json_text(item, "text")));
    if (!document)
      continue;
    if (++number == header.document || lsp_json_is_true(item, "fault"))
      document->fault = fault_text(number == header.document ? header.signal : 0);
    *last = document;
    last = &document->next;
  }
}

static void answer_interrupted(lsp_server_t *server) {
  lsp_failure_t failure;
  cJSON *id = header.id[0] ? cJSON_Parse(header.id) : NULL;
  if (!id)
    return;
  (void)lsp_fail(&failure, LSP_INTERNAL_ERROR, "%s", fault_text(header.signal));
  lsp_server_answer(server, id, NULL, &failure);
  cJSON_Delete(id);
}

bool lsp_recovery_resume(lsp_server_t *server, int journal) {
  if (pread(journal, &header, sizeof header, 0) != (ssize_t)sizeof header ||
      memcmp(header.magic, magic, sizeof magic) != 0)
    return false;
  char *text = read_at(journal, header.session_size, sizeof header);
  char *input = read_at(journal, header.input_size, (int64_t)sizeof header + header.session_size);
  cJSON *session = text ? cJSON_Parse(text) : NULL;
  if (session && input) {
    server->journal = journal;
    server->transport.is_test = lsp_json_is_true(session, "test");
    server->encoding = (lsp_encoding_t)lsp_json_number(session, "encoding", LSP_UTF32);
    server->is_initialized = lsp_json_is_true(session, "initialized");
    server->can_show_documents = lsp_json_is_true(session, "showDocument");
    server->can_apply_edits = lsp_json_is_true(session, "applyEdit");
    server->has_hierarchical_symbols = lsp_json_is_true(session, "hierarchical");
    server->next_id = header.next_id;
    restore_documents(server, lsp_json_get(session, "documents"));
    (void)lsp_transport_feed(&server->transport, nereid_view_of(input, (size_t)header.input_size));
    answer_interrupted(server);
  }
  const bool is_resumed = session && input;
  cJSON_Delete(session);
  free(input);
  free(text);
  return is_resumed;
}
