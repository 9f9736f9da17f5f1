/* Declarations shared by the commands of `nereid`: the command table, one options table per command, exit codes,
 * messages.
 *
 *   static const tool_option_t options[] = {
 *       {"--grid", "X[,Y[,Z]]", "CTAs to launch", TOOL_TEXT, offsetof(settings_t, grid)}, ...};
 *   const tool_command_t tool_command_run = {"run", "IN", "runs a kernel", options, COUNT, run};
 *
 * The parser, the text of --help and docs/reference/nereid.md use that table. */
#ifndef NEREID_TOOLS_TOOL_H
#define NEREID_TOOLS_TOOL_H

#include "base/arena.h"
#include "base/message.h"

#include <stddef.h>

/* Exit codes. They are stable: scripts distinguish a wrong program from a wrong command line or machine. */
enum { TOOL_DONE = 0, TOOL_PROGRAM = 1, TOOL_CALL = 2 };

/* Parsing succeeded; any other value is the exit code. */
enum { TOOL_CONTINUE = -1 };

typedef enum tool_option_kind {
  TOOL_FLAG,              /* bool: --x */
  TOOL_TEXT,              /* const char *: --x V or --x=V; the last one counts */
  TOOL_ONCE,              /* const char *: as TOOL_TEXT, but a second one is an error */
  TOOL_INTEGER,           /* int64_t */
  TOOL_NATURAL,           /* int64_t, 0 to TOOL_LARGEST */
  TOOL_POSITIVE,          /* int64_t, 1 to TOOL_LARGEST */
  TOOL_OPTIONAL_POSITIVE, /* the same: -j, which stores TOOL_ALL, or -j N, or -jN; its metavar is "[N]" */
  TOOL_MAYBE,             /* const char *: --x, which stores an empty text, or --x=V; its metavar is "[=V]" */
  TOOL_LIST,              /* tool_list_t: may be given many times */
} tool_option_kind_t;

#define TOOL_ALL INT64_MIN /* stored by a TOOL_OPTIONAL_POSITIVE option without a number */

enum { TOOL_LARGEST = INT16_MAX };

typedef struct tool_list {
  const char **items; /* borrowed from argv; the array is owned by the arena of the parse */
  size_t size;
} tool_list_t;

/* Adds an item. Lists with the same beginning may share it. False when out of memory. */
bool tool_list_append(nereid_arena_t *arena, tool_list_t *list, const char *item);

typedef struct tool_option {
  const char *name;    /* "--grid" or "-o" */
  const char *metavar; /* name of the value in --help; null for a flag */
  const char *text;    /* one line for --help */
  tool_option_kind_t kind;
  size_t offset; /* into the command's settings */
} tool_option_t;

typedef struct tool_command {
  const char *name;     /* "run" */
  const char *operands; /* "IN" */
  const char *summary;  /* one line for the list of commands */
  const tool_option_t *options;
  size_t n_options;
  int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
} tool_command_t;

#define TOOL_COUNT(table) (sizeof(table) / sizeof *(table))

/* Parses argv[1..] into `settings` (zeroed or with defaults) and operands. Returns TOOL_CONTINUE, or the exit code
 * after --help (0) or a wrong command line (2), with output on stdout or stderr. Malformed integers, and those out of
 * range, are errors. */
int tool_options_parse(nereid_arena_t *arena, const tool_command_t *command, int argc, char **argv, void *settings,
                       tool_list_t *operands);

/* Divides a text into words at spaces, as a shell does: quotes, single or double, join words. The
 * words are copies in `arena`; a null follows them, as in argv. False when out of memory. */
NEREID_MUST_USE bool tool_words_split(nereid_arena_t *arena, const char *text, tool_list_t *out_words);

/* Returns the word as a shell reads it: in single quotes if it has other characters than letters, digits and
 * "-_./=,:[]@". Null when out of memory. */
const char *tool_words_quote(nereid_arena_t *arena, const char *word);

/* Appends the options of `command` in which `settings` differs from `defaults`, as words: "--grid", "4". With `other`,
 * only those that it has too. False when out of memory. */
NEREID_MUST_USE bool tool_options_print(nereid_arena_t *arena, const tool_command_t *command, const void *settings,
                                        const void *defaults, const tool_command_t *other, tool_list_t *words);

/* Prints the command's section of the reference page to stdout, in Markdown. */
void tool_command_document(const tool_command_t *command);

/* Returns the most similar of `count` names: at most two letters or a third of `word` differ. Null when there is none.
 * `stride` is the distance between names in bytes: an array of structs whose first member is the name. */
const char *tool_suggest(const char *word, const void *names, size_t count, size_t stride);

/* Prints "nereid run: <text>" on stderr. */
void tool_error(const tool_command_t *command, const char *format, ...) NEREID_PRINTF(2, 3);

/* Prints a failed call's message, or the status's phrase when it has none, and returns the exit code: 1 for
 * NEREID_ERROR_PROGRAM, 2 for the others. */
int tool_failed(const tool_command_t *command, nereid_status_t status, const nereid_message_t *message);

#endif
