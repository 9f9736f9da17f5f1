/* nereid-lsp-server: a language server for Triton's tensor IR (.ttir, .ttgir, .mlir).
 *
 *   editor -> {"method": "textDocument/hover", ...} -> stdin        stdout -> {"result": {"contents": ...}} -> editor
 *
 *   protocol/   messages, the session, recovery from crashes
 *   text/       documents, positions, tokens: of any text
 *   ir/         parsed programs, diagnostics, results of analyses
 *   features/   requests of the editor: hover, navigation, completion, colors, passes
 *
 * docs/editors.md describes the features. */
#include "passes/pass.h"
#include "tools/nereid-lsp-server/protocol/recovery.h"
#include "tools/nereid-lsp-server/protocol/server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char usage[] =
    "usage: nereid-lsp-server [--stdio]\n"
    "A language server for Triton's tensor IR. An editor starts it and talks to it over stdin and stdout.\n"
    "  --stdio               accepted, because editors pass it: stdin and stdout are the only connection\n"
    "  --lit-test            reads messages that lines '// -----' separate, and indents answers; for tests\n"
    "  --time-limit=SECONDS  processor time after which an analysis is ended (default: 20)\n"
    "  --version             prints the version\n";

typedef struct options {
  bool is_test;
  int journal, time_limit;
} options_t;

/* Returns whether the options ask for the server; otherwise sets the exit status. */
static bool read_options(int argc, char **argv, options_t *out, int *out_status) {
  for (int i = 1; i < argc; ++i) {
    *out_status = 0;
    if (strcmp(argv[i], "--lit-test") == 0) {
      out->is_test = true;
    } else if (strncmp(argv[i], "--resume=", 9) == 0) {
      out->journal = (int)strtol(argv[i] + 9, NULL, 10);
    } else if (strncmp(argv[i], "--time-limit=", 13) == 0 && strtol(argv[i] + 13, NULL, 10) > 0) {
      out->time_limit = (int)strtol(argv[i] + 13, NULL, 10);
    } else if (strcmp(argv[i], "--version") == 0) {
      puts("nereid-lsp-server " NEREID_VERSION);
      return false;
    } else if (strcmp(argv[i], "--help") == 0) {
      fputs(usage, stdout);
      return false;
    } else if (strcmp(argv[i], "--stdio") != 0) {
      fprintf(stderr, "nereid-lsp-server: unknown option '%s'\n%s", argv[i], usage);
      *out_status = 2;
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  options_t options = {.journal = -1, .time_limit = LSP_TIME_LIMIT};
  int status = 0;
  if (!read_options(argc, argv, &options, &status))
    return status;
  signal(SIGPIPE, SIG_IGN);
  nereid_passes_register();
  lsp_server_t server = {.journal = -1, .time_limit = options.time_limit};
  lsp_transport_initialize(&server.transport, STDIN_FILENO, STDOUT_FILENO, options.is_test);
  if (options.journal >= 0 && !lsp_recovery_resume(&server, options.journal)) {
    fputs("nereid-lsp-server: --resume: not the journal of a session\n", stderr);
    return 2;
  }
  lsp_recovery_start(&server);
  status = lsp_server_run(&server);
  lsp_server_deinitialize(&server);
  return status;
}
