/* The folder level of a store: one file per unit.
 *
 *   FOLDER/ab/ab34…   a unit, 64 hexadecimal digits of its key      FOLDER/tmp/…   units that are being written
 *   FOLDER/assembler  text of nereid_store_set_assembler
 *
 * All changes are renames and unlinks of complete files. No locks, so that a network file system without them, and a
 * process that dies at any point, do no harm. */
#ifndef NEREID_LAUNCH_STORE_FOLDER_H
#define NEREID_LAUNCH_STORE_FOLDER_H

#include "nereid/store.h"

typedef struct nereid_folder {
  char *path; /* owned; null: no folder */
  uint64_t limit;
  bool read_only;
} nereid_folder_t;

/* Creates the folder and its parents, unless `read_only`. NEREID_ERROR_IO, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_folder_open(const char *path, uint64_t limit, bool read_only,
                                                   nereid_folder_t *out_folder, nereid_message_t *message);
void nereid_folder_close(nereid_folder_t *folder);

/* Reads the file of a key. `out_bytes` is owned by the caller (free). With `is_use` its modification time is set to
 * now, if it is older than a second. NEREID_ERROR_NOT_FOUND, NEREID_ERROR_IO, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_folder_read(const nereid_folder_t *folder, const nereid_store_key_t *key,
                                                   bool is_use, char **out_bytes, size_t *out_size,
                                                   nereid_message_t *message);

/* Writes the file of a key; nereid_folder_limit follows. NEREID_ERROR_IO, with the previous file unchanged. */
NEREID_MUST_USE nereid_status_t nereid_folder_write(const nereid_folder_t *folder, const nereid_store_key_t *key,
                                                    nereid_view_t bytes, nereid_message_t *message);

NEREID_MUST_USE nereid_status_t nereid_folder_remove(const nereid_folder_t *folder, const nereid_store_key_t *key,
                                                     nereid_message_t *message);

/* A text next to the units, of at most `size` - 1 bytes. NEREID_ERROR_NOT_FOUND, NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_folder_read_text(const nereid_folder_t *folder, const char *name, char *out_text,
                                                        size_t size, nereid_message_t *message);
NEREID_MUST_USE nereid_status_t nereid_folder_write_text(const nereid_folder_t *folder, const char *name,
                                                         nereid_view_t text, nereid_message_t *message);

/* --- folder_scan.c --- */

NEREID_MUST_USE nereid_status_t nereid_folder_walk(const nereid_folder_t *folder, nereid_store_visitor_t visitor,
                                                   void *user_data, nereid_message_t *message);
NEREID_MUST_USE nereid_status_t nereid_folder_collect(const nereid_folder_t *folder, uint64_t limit,
                                                      nereid_store_usage_t *out_usage, nereid_message_t *message);

/* After a unit of `size` bytes is written: now and then removes the least recently used units, so that the folder stays
 * below its limit. */
void nereid_folder_limit(const nereid_folder_t *folder, size_t size);

#endif
