/* The name states the owner of the folder:
 *
 *   $TMPDIR/nereid-PID-START-XXXXXX     START: when the process began, in clock ticks since the machine's boot
 *
 * SIGKILL leaves the folder in place. The next process that needs one removes it: a folder is abandoned when it is
 * this user's, no process PID that began at START exists, and its lock is free. The lock protects folders of processes
 * in another PID namespace that share TMPDIR, whose numbers mean nothing here. */
#include "target/assembler/work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX = 6, START_FIELD = 22 };

const char *nereid_work_folder_parent(void) {
  const char *parent = getenv("TMPDIR");
  return parent && *parent ? parent : "/tmp";
}

/* When process `pid` began (proc(5), /proc/pid/stat, starttime); 0 when there is none. */
static unsigned long long start_of(unsigned long long pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%llu/stat", pid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0)
    close(file);
  text[size > 0 ? size : 0] = 0;
  /* Field 2 is the name in parentheses and may hold anything. */
  const char *at = size > 0 ? strrchr(text, ')') : NULL;
  for (int field = 2; at && field < START_FIELD; field++)
    at = (at = strchr(at, ' ')) ? at + 1 : NULL;
  return at ? strtoull(at, NULL, 10) : 0;
}

/* A decimal number followed by `-`, past which the answer points; null when it is none. */
static const char *read_number(const char *at, unsigned long long *out_value) {
  char *end;
  if (*at < '0' || *at > '9')
    return NULL;
  *out_value = strtoull(at, &end, 10);
  return *end == '-' ? end + 1 : NULL;
}

static bool is_abandoned(const char *name) {
  static const char prefix[] = "nereid-";
  unsigned long long pid = 0, start = 0;
  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    return false;
  const char *at = read_number(name + sizeof prefix - 1, &pid);
  at = at ? read_number(at, &start) : NULL;
  return at && strlen(at) == SUFFIX && pid && start && start_of(pid) != start;
}

/* The files in the folder; it has no subfolders. */
static void empty(int folder) {
  const int copy = dup(folder);
  DIR *files = copy >= 0 ? fdopendir(copy) : NULL;
  const struct dirent *entry;
  if (!files) {
    if (copy >= 0)
      close(copy);
    return;
  }
  rewinddir(files);
  while ((entry = readdir(files)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(folder, entry->d_name, 0);
  closedir(files);
}

static void remove_abandoned(int parent, const char *name) {
  struct stat about;
  const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  if (fstat(folder, &about) == 0 && about.st_uid == geteuid() && flock(folder, LOCK_EX | LOCK_NB) == 0) {
    empty(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
  }
  close(folder);
}

static void clean_up(void) {
  DIR *parent = opendir(nereid_work_folder_parent());
  const int descriptor = parent ? dirfd(parent) : -1;
  const struct dirent *entry;
  while (descriptor >= 0 && (entry = readdir(parent)))
    if (is_abandoned(entry->d_name))
      remove_abandoned(descriptor, entry->d_name);
  if (!parent)
    return;
  closedir(parent);
}

nereid_work_folder_t nereid_work_folder_open(nereid_arena_t *arena) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  nereid_work_folder_t folder = {NULL, -1};
  const unsigned long long pid = (unsigned long long)getpid();
  pthread_once(&once, clean_up);
  char *path =
      nereid_arena_format(arena, "%s/nereid-%llu-%llu-XXXXXX", nereid_work_folder_parent(), pid, start_of(pid));
  if (!path || !mkdtemp(path))
    return folder;
  folder.path = path;
  folder.descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder.descriptor >= 0)
    flock(folder.descriptor, LOCK_EX | LOCK_NB);
  return folder;
}

void nereid_work_folder_close(nereid_work_folder_t *folder) {
  const int reason = errno; /* reason of the failure that the caller reports */
  if (folder->descriptor >= 0) {
    empty(folder->descriptor);
    close(folder->descriptor);
  }
  if (folder->path)
    rmdir(folder->path);
  errno = reason;
}
