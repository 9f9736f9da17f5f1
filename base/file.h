/* Whole files in, whole files out. A file is written beside its place and renamed, so that a reader, or a run that
 * fails half way, never sees part of one. "-" is standard input or output. */
#ifndef NEREID_BASE_FILE_H
#define NEREID_BASE_FILE_H

#include "base/arena.h"
#include "base/message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads all of `path` into the arena, with a NUL after it that `out_content->size` does not count.
 * NEREID_ERROR_IO when it cannot be read, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_file_read(nereid_arena_t *arena, const char *path, nereid_view_t *out_content,
                                                 nereid_message_t *message);

/* Replaces `path`, or the file that it is a link to, by a file with these bytes, at once or not at all: NEREID_ERROR_IO
 * leaves what was there. What nereid_file_is_in_place is written to instead; - is standard output.
 */
NEREID_MUST_USE nereid_status_t nereid_file_write(const char *path, nereid_view_t content, nereid_message_t *message);

/* Whether `path` is there and no file (a device, a pipe), or a name of an open file, like /dev/stdout. */
bool nereid_file_is_in_place(const char *path);

/* The file that describes `path`: "k.cubin" with suffix ".json" gives "k.cubin.json", which is what Nereid writes,
 * unless only "k.json", which Triton writes, can be read. In `arena`; null when memory is out. */
const char *nereid_file_beside(nereid_arena_t *arena, const char *path, const char *suffix);

#ifdef __cplusplus
}
#endif

#endif
