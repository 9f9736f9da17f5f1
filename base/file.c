/* Reads in growing steps, because pipes have no size; writes to a temporary file and renames it (rename(2)). */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX_ROOM = 40 }; /* bytes: ".PID-N.tmp" */

static nereid_status_t read_all(nereid_arena_t *arena, int descriptor, nereid_view_t *out_content) {
  size_t capacity = 1 << 16, size = 0;
  struct stat about;
  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
    capacity = (size_t)about.st_size + 2;
  char *data = nereid_arena_allocate(arena, capacity, 1);
  while (data) {
    ssize_t got = read(descriptor, data + size, capacity - size - 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return NEREID_ERROR_IO;
    size += (size_t)got;
    if (got == 0) {
      data[size] = '\0';
      *out_content = nereid_view_of(data, size);
      return NEREID_OK;
    }
    if (size + 1 < capacity)
      continue;
    char *larger = nereid_arena_allocate(arena, capacity, 2);
    if (larger)
      memcpy(larger, data, size);
    data = larger;
    capacity *= 2;
  }
  return NEREID_ERROR_MEMORY;
}

nereid_status_t nereid_file_read(nereid_arena_t *arena, const char *path, nereid_view_t *out_content,
                                 nereid_message_t *message) {
  bool standard = strcmp(path, "-") == 0;
  int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return nereid_message_set(message, NEREID_ERROR_IO, "cannot open '%s': %s", path, strerror(errno));
  nereid_status_t status = read_all(arena, descriptor, out_content);
  if (status)
    nereid_message_set(message, status, "cannot read '%s': %s", path,
                       status == NEREID_ERROR_MEMORY ? "out of memory" : strerror(errno));
  if (!standard)
    close(descriptor);
  return status;
}

static bool write_all(int descriptor, nereid_view_t content) {
  while (content.size) {
    ssize_t put = write(descriptor, content.data, content.size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    content = nereid_view_of(content.data + put, content.size - (size_t)put);
  }
  return true;
}

/* Sets the new file's mode to that of the regular file that it replaces, so that a private file stays private. */
static bool keep_mode(int descriptor, const char *path) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
    return true;
  return fchmod(descriptor, about.st_mode & 0777) == 0;
}

/* Writes the content for `path` to a temporary file next to it. `beside` is `path` with room for the suffix after its
 * first `length` bytes. O_EXCL makes the name unique. */
static bool write_beside(const char *path, char *beside, size_t length, nereid_view_t content) {
  int descriptor = -1;
  for (int attempt = 0; descriptor < 0 && attempt < 1000; ++attempt) {
    snprintf(beside + length, SUFFIX_ROOM, ".%ld-%d.tmp", (long)getpid(), attempt);
    descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST)
      return false;
  }
  if (descriptor < 0)
    return false;
  bool done = keep_mode(descriptor, path) && write_all(descriptor, content);
  int reason = errno;
  if (close(descriptor) != 0 && done) {
    done = false;
    reason = errno;
  }
  if (!done)
    unlink(beside);
  errno = reason;
  return done;
}

/* Devices and pipes (/dev/null) are written in place, because rename would replace them. So are /dev/stdout and similar
 * links: a rename would replace the link for all processes. */
bool nereid_file_is_in_place(const char *path) {
  static const char *const open_files[] = {"/dev/std", "/dev/fd/", "/proc/"};
  struct stat about;
  for (size_t i = 0; i < sizeof open_files / sizeof *open_files; ++i)
    if (strncmp(path, open_files[i], strlen(open_files[i])) == 0)
      return true;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static bool write_in_place(const char *path, nereid_view_t content) {
  int descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  bool done = descriptor >= 0 && write_all(descriptor, content);
  if (descriptor >= 0)
    close(descriptor);
  return done;
}

static nereid_status_t failed(const char *path, nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
}

static nereid_status_t write_and_rename(const char *path, nereid_view_t content, nereid_message_t *message) {
  size_t length = strlen(path);
  char *beside = malloc(length + SUFFIX_ROOM);
  if (!beside)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  memcpy(beside, path, length);
  bool done = write_beside(path, beside, length, content);
  if (done && rename(beside, path) != 0) {
    int reason = errno;
    unlink(beside);
    errno = reason;
    done = false;
  }
  free(beside);
  return done ? NEREID_OK : failed(path, message);
}

nereid_status_t nereid_file_write(const char *path, nereid_view_t content, nereid_message_t *message) {
  if (strcmp(path, "-") == 0)
    return write_all(STDOUT_FILENO, content) ? NEREID_OK : failed("standard output", message);
  if (nereid_file_is_in_place(path))
    return write_in_place(path, content) ? NEREID_OK : failed(path, message);
  char *real = realpath(path, NULL); /* target of a symbolic link; null when the file does not exist yet */
  nereid_status_t status = write_and_rename(real ? real : path, content, message);
  free(real);
  return status;
}

nereid_status_t nereid_file_check(const char *path, nereid_message_t *message) {
  if (strcmp(path, "-") == 0 || nereid_file_is_in_place(path))
    return NEREID_OK;
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!folder)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  const bool writable = access(folder, W_OK | X_OK) == 0;
  nereid_status_t status = writable ? NEREID_OK : failed(path, message);
  free(folder);
  return status;
}

const char *nereid_file_beside(nereid_arena_t *arena, const char *path, const char *suffix) {
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
  const char *appended = nereid_arena_format(arena, "%s%s", path, suffix);
  if (!appended || access(appended, R_OK) == 0 || !dot || dot == file)
    return appended;
  const char *replaced = nereid_arena_format(arena, "%.*s%s", (int)(dot - path), path, suffix);
  return replaced && access(replaced, R_OK) == 0 ? replaced : appended;
}
