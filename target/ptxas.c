/* ptxas as a program.
 *
 *   $TMPDIR/nereid-XXXXXX/ kernel.ptx  →  ptxas -arch=sm_90a -v … -o kernel.cubin kernel.ptx  >log 2>&1
 *
 * The folder is this call's own, so that any number of threads and processes work side by side, and goes away whatever
 * happens in between. */
#include "target/assemblers.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 64 };

typedef struct work {
  const char *folder, *ptx, *cubin, *log; /* paths, in the arena */
} work_t;

static const char *temporary(void) {
  const char *base = getenv("TMPDIR");
  return base && *base ? base : "/tmp";
}

static bool make_folder(nereid_arena_t *arena, work_t *work) {
  char *folder = nereid_arena_format(arena, "%s/nereid-XXXXXX", temporary());
  if (!folder || !mkdtemp(folder))
    return false;
  work->folder = folder;
  work->ptx = nereid_arena_format(arena, "%s/kernel.ptx", folder);
  work->cubin = nereid_arena_format(arena, "%s/kernel.cubin", folder);
  work->log = nereid_arena_format(arena, "%s/log", folder);
  return work->ptx && work->cubin && work->log;
}

static void remove_folder(const work_t *work) {
  const char *files[] = {work->ptx, work->cubin, work->log};
  for (size_t i = 0; i < 3; i++)
    if (files[i])
      unlink(files[i]);
  if (work->folder)
    rmdir(work->folder);
}

static bool write_file(const char *path, nereid_view_t bytes) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  size_t done = 0;
  while (file >= 0 && done < bytes.size) {
    ssize_t n = write(file, bytes.data + done, bytes.size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    done += (size_t)n;
  }
  return file >= 0 && close(file) == 0 && done == bytes.size;
}

/* The whole file, in the arena; `data` is null when it cannot be read. */
static nereid_view_t read_file(const char *path, nereid_arena_t *arena) {
  nereid_view_t bytes = {NULL, 0};
  struct stat about;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return bytes;
  char *data = fstat(file, &about) == 0 ? nereid_arena_new(arena, char, (size_t)about.st_size + 1) : NULL;
  while (data && bytes.size < (size_t)about.st_size) {
    ssize_t n = read(file, data + bytes.size, (size_t)about.st_size - bytes.size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    bytes.size += (size_t)n;
  }
  close(file);
  bytes.data = data;
  return bytes;
}

/* Null when there are too many of them or memory is out. */
static const char **make_arguments(const char *program, const nereid_assemble_options_t *options, const work_t *work,
                                   nereid_arena_t *arena) {
  const char **list = nereid_arena_new(arena, const char *, MAX_ARGUMENTS + 16);
  size_t n = 0;
  if (!list)
    return NULL;
  list[n++] = program;
  list[n++] = nereid_arena_format(arena, "-arch=%s", options->target.name);
  list[n++] = "-v";
  if (options->lineinfo)
    list[n++] = "-lineinfo";
  if (options->no_fp_fusion)
    list[n++] = "--fmad=false";
  size_t more = nereid_assembler_split(options->arguments, arena, list + n, MAX_ARGUMENTS);
  if (more > MAX_ARGUMENTS)
    return NULL;
  n += more;
  list[n++] = "-o";
  list[n++] = work->cubin;
  list[n++] = work->ptx;
  return arena->failed ? NULL : list;
}

/* Runs the program with both outputs in the log. Answers its exit status, or -1 when it could not run or was killed. A
 * host that ignores SIGCHLD leaves nothing to wait for: then the cubin tells. */
static int run(const char **arguments, const work_t *work) {
  posix_spawn_file_actions_t actions;
  pid_t child = -1;
  int state = 0;
  if (posix_spawn_file_actions_init(&actions))
    return -1;
  bool failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) ||
                posix_spawn_file_actions_addopen(&actions, 1, work->log, O_WRONLY | O_CREAT, 0600) ||
                posix_spawn_file_actions_adddup2(&actions, 1, 2) ||
                posix_spawn(&child, arguments[0], &actions, NULL, (char **)(uintptr_t)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed)
    return -1;
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR)
      return access(work->cubin, R_OK);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static nereid_status_t finish(int code, const work_t *work, const char *program,
                              const nereid_assemble_options_t *options, const nereid_report_t *report,
                              nereid_arena_t *arena, nereid_assembled_t *out_assembled) {
  nereid_view_t log = read_file(work->log, arena);
  unsigned errors = nereid_assembler_read_log(log, options->name ? options->name : "PTX", report, out_assembled);
  if (code != 0 && errors)
    return NEREID_ERROR_PROGRAM;
  if (code != 0)
    return nereid_report(report, NEREID_ERROR_TOOL, "'%s' failed (status %d): %.*s", program, code,
                         (int)(log.size < 1000 ? log.size : 1000), log.data ? log.data : "no output");
  out_assembled->cubin = read_file(work->cubin, arena);
  out_assembled->used = NEREID_ASSEMBLER_PTXAS;
  if (!out_assembled->cubin.size)
    return nereid_report(report, NEREID_ERROR_TOOL, "'%s' wrote no cubin", program);
  return NEREID_OK;
}

nereid_status_t nereid_assemble_ptxas(nereid_view_t ptx, const char *program, const nereid_assemble_options_t *options,
                                      const nereid_report_t *report, nereid_arena_t *arena,
                                      nereid_assembled_t *out_assembled) {
  work_t work = {0};
  nereid_status_t status;
  const char **arguments;
  if (!make_folder(arena, &work) || !write_file(work.ptx, ptx))
    status = nereid_report(report, NEREID_ERROR_IO,
                           "cannot write to the temporary folder '%s': %s; TMPDIR names "
                           "another",
                           temporary(), strerror(errno));
  else if (!(arguments = make_arguments(program, options, &work, arena)))
    status = nereid_report(report, NEREID_ERROR_ARGUMENT, "more than %d arguments for the assembler", MAX_ARGUMENTS);
  else
    status = finish(run(arguments, &work), &work, program, options, report, arena, out_assembled);
  remove_folder(&work);
  return status;
}
