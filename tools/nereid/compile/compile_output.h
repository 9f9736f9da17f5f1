/* Output of `nereid compile`. */
#ifndef NEREID_TOOLS_COMPILE_OUTPUT_H
#define NEREID_TOOLS_COMPILE_OUTPUT_H

#include "nereid/compile.h"

#include "base/arena.h"
#include "base/message.h"

typedef struct tool_output {
  const char *path; /* value of -o; null: named after the input, in the current folder (for input -: standard output) */
  bool several;     /* `path` is a folder */
  const char *dump_dir;    /* null: no dumps */
  const char *callgraph;   /* null: no call graph */
  bool time;               /* print the table of stages on standard error */
  const char *abi, *block; /* of PTX without metadata; null: not given */
} tool_output_t;

/* Writes dumps, the call graph, the result and its metadata. Each file is written completely or not at all. `input` is
 * the path of the input, `text` its contents. The metadata of PTX without any are completed as by `nereid run`; errors
 * as tool_job_complete (tools/nereid/run/run.h). */
NEREID_MUST_USE nereid_status_t tool_write_result(const tool_output_t *output, const char *input, nereid_view_t text,
                                                  const nereid_result_t *result, nereid_arena_t *arena,
                                                  nereid_message_t *message);

/* Writes every stage that the result keeps to `folder`, which is created: D/0-ttir/KERNEL.ttir and so on. */
NEREID_MUST_USE nereid_status_t tool_write_dumps(const char *folder, const nereid_result_t *result,
                                                 nereid_arena_t *arena, nereid_message_t *message);

#endif
