/* The thread that wrote an element of a tensor last. */
#ifndef NEREID_TOOLS_WRITER_H
#define NEREID_TOOLS_WRITER_H

#include "tools/nereid/run/run.h"

typedef struct tool_writer {
  uint64_t count;             /* number of writes; 0: the other fields are zero */
  uint32_t thread[3], cta[3]; /* thread and CTA of the last write */
  uint32_t line, source_line; /* lines of the PTX and of the source */
  char source[160];           /* "k.py:7"; empty: unknown */
  char text[160];             /* text of the instruction */
} tool_writer_t;

/* Runs the job, whose tensors have their contents before a run, on the emulator, and stores the last write to an
 * element. False when the run fails. */
bool tool_writer_find(tool_job_t *job, size_t tensor, size_t element, tool_writer_t *out_writer);

/* Writes one line. */
void tool_writer_print(const tool_writer_t *writer, char *out, size_t size);

#endif
