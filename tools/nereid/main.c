/* nereid: the command-line tool. A row per command; each command's file holds its options table and its code.
 *
 * A reader that goes away (nereid info x | head) must not kill us half way through a file: SIGPIPE is ignored, writes
 * fail instead, and the exit code says that output was lost. */
#include "tools/nereid/completions.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/tool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

extern const tool_command_t tool_command_compile, tool_command_doctor, tool_command_info, tool_command_layout,
    tool_command_run;

static const tool_command_t *const commands[] = {
    &tool_command_compile, &tool_command_run, &tool_command_info, &tool_command_layout, &tool_command_doctor,
};

static void print_help(FILE *out) {
  fputs("usage: nereid COMMAND [options]\n\n"
        "Triton's tensor IR to NVIDIA machine code, and running it.\n\ncommands:\n",
        out);
  for (size_t i = 0; i < TOOL_COUNT(commands); ++i)
    fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fputs(
      "\n  nereid COMMAND --help     options of a command\n"
      "  nereid --version\n"
      "  nereid --print-completions bash|zsh|fish\n\n"
      "exit status: 0 done; 1 the program is at fault, located diagnostics on stderr; 2 the call or the machine is at\n"
      "fault. SIGINT, SIGTERM and SIGHUP end the process by that signal; the assembler is stopped and no temporary "
      "file\n"
      "stays behind.\n",
      out);
}

static int print_reference(void) {
  puts("# The `nereid` tool\n\nWritten by `nereid --print-command-docs`: do not edit.\n\n"
       "Exit status: 0 done; 1 the program is at fault, located diagnostics on stderr; 2 the call or the machine is at "
       "fault. SIGINT, SIGTERM and SIGHUP end the process by that signal; the assembler is stopped and no temporary "
       "file stays behind.");
  for (size_t i = 0; i < TOOL_COUNT(commands); ++i)
    tool_command_document(commands[i]);
  return TOOL_DONE;
}

static int run_command(int argc, char **argv) {
  for (size_t i = 0; i < TOOL_COUNT(commands); ++i)
    if (strcmp(argv[1], commands[i]->name) == 0)
      return commands[i]->run(argc - 1, argv + 1);
  const char *names[TOOL_COUNT(commands)];
  for (size_t i = 0; i < TOOL_COUNT(commands); ++i)
    names[i] = commands[i]->name;
  const char *meant = tool_suggest(argv[1], names, TOOL_COUNT(names), sizeof *names);
  if (meant)
    fprintf(stderr, "nereid: no command '%s'; did you mean '%s'?\n", argv[1], meant);
  else
    fprintf(stderr, "nereid: no command '%s'; see nereid --help\n", argv[1]);
  return TOOL_CALL;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return TOOL_CALL;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return TOOL_DONE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("nereid " NEREID_VERSION);
    return TOOL_DONE;
  }
  if (strcmp(argv[1], "--print-command-docs") == 0)
    return print_reference();
  if (strcmp(argv[1], "--print-completions") == 0)
    return tool_print_completions(argv[2], commands, TOOL_COUNT(commands));
  return run_command(argc, argv);
}

/* 0, or errno of the write that failed. That of an earlier write is lost: one more byte meets the same error, and is
 * no loss, as the output is incomplete. */
static int flush_output(void) {
  const bool is_lost = ferror(stdout) != 0;
  if (is_lost)
    putchar('\n');
  errno = 0;
  if (fflush(stdout) != 0 || is_lost)
    return errno ? errno : EIO;
  return 0;
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  int code = dispatch(argc, argv);
  tool_interrupt_finish();
  const int reason = flush_output();
  if (!reason)
    return code;
  fprintf(stderr, "nereid: cannot write standard output: %s\n", strerror(reason));
  return code == TOOL_DONE ? TOOL_CALL : code;
}
