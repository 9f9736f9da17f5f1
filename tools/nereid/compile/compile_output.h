/* Where the results of `nereid compile` go. */
#ifndef NEREID_TOOLS_COMPILE_OUTPUT_H
#define NEREID_TOOLS_COMPILE_OUTPUT_H

#include "nereid/compile.h"

#include "base/arena.h"
#include "base/message.h"

typedef struct tool_output {
  const char *path;      /* -o; null: named after the input, in the current folder (input -: standard output) */
  bool several;          /* `path` is a folder */
  const char *dump_dir;  /* null: no dumps */
  const char *callgraph; /* null: none is drawn */
  bool time;             /* the table of stages on standard error */
} tool_output_t;

/* Writes dumps, the call graph, the result and its metadata, each at once or not at all. `input` is the path of the
 * input. */
NEREID_MUST_USE nereid_status_t tool_write_result(const tool_output_t *output, const char *input,
                                                  const nereid_result_t *result, nereid_arena_t *arena,
                                                  nereid_message_t *message);

/* Writes every stage that the result kept to `folder`, which is created: D/0-ttir/KERNEL.ttir and so on. */
NEREID_MUST_USE nereid_status_t tool_write_dumps(const char *folder, const nereid_result_t *result,
                                                 nereid_arena_t *arena, nereid_message_t *message);

#endif
