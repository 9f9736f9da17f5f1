/* Reads and writes the files of a store's folder.
 *
 *   write:  tmp/5f2c… (O_EXCL)  →  fsync  →  rename to ab/ab34…  →  fsync of ab
 *
 * A process that dies before the rename leaves a temporary file, which a later collection removes; after it, the unit
 * is complete. Readers never see a part of a unit: an open file stays readable after a rename or unlink. */
#include "python-free-bindings/launch/store/folder.h"
#include "python-free-bindings/launch/store/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

static nereid_status_t failed(nereid_message_t *message, const char *verb, const char *path) {
  return nereid_message_set(message, NEREID_ERROR_IO, "cannot %s '%s': %s", verb, path, strerror(errno));
}

/* Formats a path below the folder; false when it is too long. */
static bool make_path(char out[MAX_PATH], const nereid_folder_t *folder, const char *below) {
  const int size = snprintf(out, MAX_PATH, "%s/%s", folder->path, below);
  if (size >= 0 && size < MAX_PATH)
    return true;
  errno = ENAMETOOLONG;
  return false;
}

static bool unit_path(char out[MAX_PATH], const nereid_folder_t *folder, const nereid_store_key_t *key) {
  char text[NEREID_STORE_KEY_LETTERS + 1], below[sizeof text + 3];
  nereid_store_key_print(key, text);
  snprintf(below, sizeof below, "%.2s/%s", text, text);
  return make_path(out, folder, below);
}

/* mkdir -p. */
static bool make_folders(const char *path) {
  char parent[MAX_PATH];
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return true;
  const char *slash = strrchr(path, '/');
  if (errno != ENOENT || !slash || slash == path || (size_t)(slash - path) >= sizeof parent)
    return false;
  memcpy(parent, path, (size_t)(slash - path));
  parent[slash - path] = '\0';
  return make_folders(parent) && (mkdir(path, 0777) == 0 || errno == EEXIST);
}

nereid_status_t nereid_folder_open(const char *path, uint64_t limit, bool read_only, nereid_folder_t *out_folder,
                                   nereid_message_t *message) {
  struct stat about;
  if (!read_only && !make_folders(path))
    return failed(message, "create the folder", path);
  if (stat(path, &about) != 0)
    return failed(message, "open the folder", path);
  if (!S_ISDIR(about.st_mode))
    return nereid_message_set(message, NEREID_ERROR_IO, "'%s' is not a folder", path);
  *out_folder = (nereid_folder_t){.path = strdup(path), .limit = limit, .read_only = read_only};
  return out_folder->path ? NEREID_OK : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

void nereid_folder_close(nereid_folder_t *folder) {
  free(folder->path);
  folder->path = NULL;
}

/* --- reading --- */

static bool read_all(int file, char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = read(file, bytes + done, size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = EIO; /* another process truncated it */
    if (n <= 0)
      return false;
    done += (size_t)n;
  }
  return true;
}

/* Errors do not matter: the store may be on a read-only file system. */
static void touch(int file, const struct stat *about) {
  if (time(NULL) > about->st_mtime)
    futimens(file, NULL);
}

/* Opens a regular file: not a pipe, which would block, nor a link. */
static int open_file(const char *path, struct stat *about) {
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return -1;
  const bool is_open = fstat(file, about) == 0;
  if (is_open && S_ISREG(about->st_mode))
    return file;
  close(file);
  errno = is_open ? EINVAL : EIO;
  return -1;
}

/* Returns the content of a file of at most `limit` bytes; null with errno. */
static char *read_file(const char *path, size_t limit, bool is_use, size_t *out_size) {
  struct stat about;
  const int file = open_file(path, &about);
  if (file < 0)
    return NULL;
  const bool fits = about.st_size >= 0 && (uint64_t)about.st_size <= limit;
  char *bytes = fits ? malloc((size_t)about.st_size + 1) : NULL;
  int reason = fits ? ENOMEM : EFBIG;
  if (bytes && !read_all(file, bytes, (size_t)about.st_size)) {
    reason = errno;
    free(bytes);
    bytes = NULL;
  }
  if (bytes && is_use)
    touch(file, &about);
  close(file);
  *out_size = (size_t)about.st_size;
  errno = reason;
  return bytes;
}

nereid_status_t nereid_folder_read(const nereid_folder_t *folder, const nereid_store_key_t *key, bool is_use,
                                   char **out_bytes, size_t *out_size, nereid_message_t *message) {
  char path[MAX_PATH];
  *out_bytes = unit_path(path, folder, key) ? read_file(path, NEREID_UNIT_LIMIT, is_use, out_size) : NULL;
  if (!*out_bytes && errno == ESTALE) /* another host of a network file system replaced it meanwhile */
    *out_bytes = read_file(path, NEREID_UNIT_LIMIT, is_use, out_size);
  if (*out_bytes)
    return NEREID_OK;
  if (errno == ENOENT)
    return access(folder->path, F_OK) == 0 ? NEREID_ERROR_NOT_FOUND : failed(message, "open the folder", folder->path);
  return errno == ENOMEM ? nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory")
                         : failed(message, "read", path);
}

/* --- writing --- */

static bool write_all(int file, nereid_view_t bytes) {
  while (bytes.size) {
    const ssize_t n = write(file, bytes.data, bytes.size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes = nereid_view_of(bytes.data + n, bytes.size - (size_t)n);
  }
  return true;
}

/* Creates a file with a random name in tmp/, which is created if necessary. Returns -1 with errno. */
static int create_temporary(const nereid_folder_t *folder, char path[MAX_PATH]) {
  unsigned long long name[2] = {0, 0};
  char below[64];
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (getrandom(name, sizeof name, 0) != (ssize_t)sizeof name)
      return -1;
    snprintf(below, sizeof below, "tmp/%016llx%016llx", name[0], name[1]);
    if (!make_path(path, folder, below))
      return -1;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || (errno != EEXIST && errno != ENOENT))
      return file;
    char tmp[MAX_PATH];
    /* Only tmp/ is created again: a mount point whose file system is gone must not be filled. */
    if (errno == ENOENT && (!make_path(tmp, folder, "tmp") || (mkdir(tmp, 0777) != 0 && errno != EEXIST)))
      return -1;
  }
  return -1;
}

/* Makes the new name durable. Some file systems do not support fsync of a folder; the rename is atomic anyway. */
static void synchronize_parent(const char *path) {
  char parent[MAX_PATH];
  const char *slash = strrchr(path, '/');
  snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
  const int folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return;
  fsync(folder);
  close(folder);
}

/* Renames to `path`, whose folder is created if necessary. */
static bool move(const char *from, const char *path) {
  char parent[MAX_PATH];
  const char *slash = strrchr(path, '/');
  if (rename(from, path) == 0)
    return true;
  snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
  if (errno != ENOENT || (mkdir(parent, 0777) != 0 && errno != EEXIST))
    return false;
  synchronize_parent(parent);
  return rename(from, path) == 0;
}

static nereid_status_t replace(const nereid_folder_t *folder, const char *path, nereid_view_t bytes,
                               nereid_message_t *message) {
  char temporary[MAX_PATH];
  const int file = create_temporary(folder, temporary);
  if (file < 0)
    return failed(message, "create a file in", folder->path);
  bool done = write_all(file, bytes) && fsync(file) == 0;
  int reason = errno;
  if (close(file) != 0 && done) { /* a network file system may report a full disk here */
    done = false;
    reason = errno;
  }
  if (done && !move(temporary, path)) {
    done = false;
    reason = errno;
  }
  if (done) {
    synchronize_parent(path);
    return NEREID_OK;
  }
  unlink(temporary);
  errno = reason;
  return failed(message, "write", path);
}

nereid_status_t nereid_folder_write(const nereid_folder_t *folder, const nereid_store_key_t *key, nereid_view_t bytes,
                                    nereid_message_t *message) {
  char path[MAX_PATH];
  if (!unit_path(path, folder, key))
    return failed(message, "write", folder->path);
  return replace(folder, path, bytes, message);
}

nereid_status_t nereid_folder_remove(const nereid_folder_t *folder, const nereid_store_key_t *key,
                                     nereid_message_t *message) {
  char path[MAX_PATH];
  if (unit_path(path, folder, key) && unlink(path) == 0)
    return NEREID_OK;
  return errno == ENOENT ? NEREID_ERROR_NOT_FOUND : failed(message, "remove", path);
}

nereid_status_t nereid_folder_read_text(const nereid_folder_t *folder, const char *name, char *out_text, size_t size,
                                        nereid_message_t *message) {
  char path[MAX_PATH];
  size_t length = 0;
  char *bytes = make_path(path, folder, name) ? read_file(path, size - 1, false, &length) : NULL;
  if (!bytes)
    return errno == ENOENT ? NEREID_ERROR_NOT_FOUND : failed(message, "read", path);
  memcpy(out_text, bytes, length);
  out_text[length] = '\0';
  free(bytes);
  return NEREID_OK;
}

nereid_status_t nereid_folder_write_text(const nereid_folder_t *folder, const char *name, nereid_view_t text,
                                         nereid_message_t *message) {
  char path[MAX_PATH];
  if (!make_path(path, folder, name))
    return failed(message, "write", folder->path);
  return replace(folder, path, text, message);
}
