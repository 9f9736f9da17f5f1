/* A temporary folder for the files of another program. */
#ifndef NEREID_TARGET_WORK_FOLDER_H
#define NEREID_TARGET_WORK_FOLDER_H

#include "base/arena.h"

/* Creates a folder that only this user can enter, in TMPDIR or /tmp, and holds a lock on it until `close`. Removes
 * before that, once per process, folders that processes of this user left when they were killed. On failure `path` is
 * null and errno is set. */
typedef struct nereid_work_folder {
  const char *path; /* allocated in the arena */
  int descriptor;   /* holds the lock; close-on-exec */
} nereid_work_folder_t;

nereid_work_folder_t nereid_work_folder_open(nereid_arena_t *arena);

/* Removes the folder and the files in it. Needs no success of open. */
void nereid_work_folder_close(nereid_work_folder_t *folder);

/* TMPDIR, or /tmp when it is unset or empty. */
const char *nereid_work_folder_parent(void);

#endif
