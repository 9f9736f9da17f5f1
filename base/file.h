/* Reads and writes whole files. A file is written to a temporary file in the same folder and renamed, so that readers
 * never see a partial file, also when writing fails. "-" is standard input or output. */
#ifndef NEREID_BASE_FILE_H
#define NEREID_BASE_FILE_H

#include "base/arena.h"
#include "base/message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads all of `path` into the arena, followed by a NUL that `out_content->size` does not count. NEREID_ERROR_IO when
 * it cannot be read, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_file_read(nereid_arena_t *arena, const char *path, nereid_view_t *out_content,
                                                 nereid_message_t *message);

/* Replaces `path`, or the file to which it links, by a file with these bytes, atomically: on NEREID_ERROR_IO the old
 * file is unchanged. Paths for which nereid_file_is_in_place holds are written directly; - is standard output. */
NEREID_MUST_USE nereid_status_t nereid_file_write(const char *path, nereid_view_t content, nereid_message_t *message);

/* Checks before long work that its result can be written to `path`: that the folder exists and permits new files. On
 * NEREID_ERROR_IO nereid_file_write would fail, too. */
NEREID_MUST_USE nereid_status_t nereid_file_check(const char *path, nereid_message_t *message);

/* Returns whether `path` exists and is not a regular file (a device, a pipe), or names an open file, like
 * /dev/stdout. */
bool nereid_file_is_in_place(const char *path);

/* Returns the path of the file that describes `path`. "k.cubin" with suffix ".json" gives "k.cubin.json", as Nereid
 * writes it, or "k.json", as Triton writes it, when only that one is readable. In `arena`; null when out of memory. */
const char *nereid_file_beside(nereid_arena_t *arena, const char *path, const char *suffix);

#ifdef __cplusplus
}
#endif

#endif
