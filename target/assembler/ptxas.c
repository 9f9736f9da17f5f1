/* ptxas as a program.
 *
 *   $TMPDIR/nereid-…/ kernel.ptx  →  ptxas -arch=sm_90a -v … -o kernel.cubin kernel.ptx  >log 2>&1
 *
 * Each call has its own folder, so threads and processes may run concurrently. It is removed in every case;
 * work_folder.c removes folders of killed processes. */
#include "target/assembler/assemble.h"
#include "target/assembler/assemblers.h"
#include "target/assembler/process.h"
#include "target/assembler/work_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 64 };

/* ptxas allocates tens of megabytes in small steps: with a heap in huge pages that grows by 32 MiB, its page faults
 * take 3 ms less for a small kernel and 10 ms less for attention (glibc 2.36, CUDA 13.0). */
static const char heap[] = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432";

typedef struct work {
  nereid_work_folder_t folder;
  const char *ptx, *cubin, *log; /* paths, in the arena */
} work_t;

static bool open_work(nereid_arena_t *arena, work_t *work) {
  work->folder = nereid_work_folder_open(arena);
  if (!work->folder.path)
    return false;
  work->ptx = nereid_arena_format(arena, "%s/kernel.ptx", work->folder.path);
  work->cubin = nereid_arena_format(arena, "%s/kernel.cubin", work->folder.path);
  work->log = nereid_arena_format(arena, "%s/log", work->folder.path);
  return work->ptx && work->cubin && work->log;
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

/* Null if there are too many of them, or if out of memory. */
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

/* The environment of this process, with `heap` unless it has tunables of its own; null if out of memory. */
static const char **make_environment(nereid_arena_t *arena) {
  size_t n = 0;
  while (environ[n])
    n++;
  const char **list = nereid_arena_new(arena, const char *, n + 2);
  if (!list)
    return NULL;
  memcpy(list, environ, n * sizeof *list);
  if (!getenv("GLIBC_TUNABLES"))
    list[n++] = heap;
  list[n] = NULL;
  return list;
}

/* The limit that is reached first: the compilation's, or the assembler's own. */
static nereid_limits_t combine_limits(const nereid_assemble_options_t *options, bool *out_is_own) {
  nereid_limits_t limits = options->limits ? *options->limits : (nereid_limits_t){.cancellation = NULL};
  const int64_t own = nereid_limits_deadline(options->time_limit);
  *out_is_own = own && (!limits.deadline || own < limits.deadline);
  if (*out_is_own)
    limits.deadline = own;
  return limits;
}

static nereid_status_t read_cubin(const work_t *work, const char *program, const nereid_report_t *report,
                                  nereid_arena_t *arena, nereid_assembled_t *out_assembled) {
  out_assembled->cubin = read_file(work->cubin, arena);
  out_assembled->used = NEREID_ASSEMBLER_PTXAS;
  if (!out_assembled->cubin.size)
    return nereid_report(report, NEREID_ERROR_TOOL, "'%s' wrote no cubin", program);
  return NEREID_OK;
}

/* The start of the log, for a message; "no output" when there is none. */
static const char *excerpt(nereid_view_t log, nereid_arena_t *arena) {
  const char *text =
      log.size ? nereid_arena_format(arena, "%.*s", (int)(log.size < 1000 ? log.size : 1000), log.data) : "no output";
  return text ? text : "";
}

static nereid_status_t report_killed(int number, const char *program, nereid_view_t log, const nereid_report_t *report,
                                     nereid_arena_t *arena) {
  const char *name = sigabbrev_np(number);
  return nereid_report(report, NEREID_ERROR_TOOL, "'%s' was killed by %s%s (signal %d): %s", program,
                       name ? "SIG" : "a signal", name ? name : "", number, excerpt(log, arena));
}

static nereid_status_t finish(nereid_process_result_t result, const work_t *work, const char *program,
                              const nereid_assemble_options_t *options, const nereid_report_t *report,
                              nereid_arena_t *arena, nereid_assembled_t *out_assembled) {
  if (result.end == NEREID_PROCESS_CANCELLED)
    return NEREID_ERROR_CANCELLED;
  if (result.end == NEREID_PROCESS_TIMED_OUT)
    return NEREID_ERROR_TIMEOUT;
  if (result.end == NEREID_PROCESS_NOT_STARTED)
    return nereid_report(report, NEREID_ERROR_TOOL, "'%s' could not be started: %s", program, strerror(result.code));
  const nereid_view_t log = read_file(work->log, arena);
  if (result.end == NEREID_PROCESS_KILLED)
    return report_killed(result.code, program, log, report, arena);
  const unsigned errors = nereid_assembler_read_log(log, options, report, out_assembled);
  if (result.code != 0 && !errors) /* after UNKNOWN the code is 0, and the cubin decides */
    return nereid_report(report, NEREID_ERROR_TOOL, "'%s' failed (exit status %d): %s", program, result.code,
                         excerpt(log, arena));
  if (result.code != 0 || (errors && result.end == NEREID_PROCESS_UNKNOWN))
    return NEREID_ERROR_PROGRAM;
  return read_cubin(work, program, report, arena, out_assembled);
}

static nereid_status_t run(const char **arguments, const work_t *work, const nereid_assemble_options_t *options,
                           const nereid_report_t *report, nereid_arena_t *arena, nereid_assembled_t *out_assembled) {
  const char **environment = make_environment(arena);
  bool is_own;
  if (!environment)
    return NEREID_ERROR_MEMORY;
  const nereid_limits_t limits = combine_limits(options, &is_own);
  const nereid_process_result_t result = nereid_process_run(arguments, environment, work->log, &limits);
  const nereid_status_t status = finish(result, work, arguments[0], options, report, arena, out_assembled);
  if (status != NEREID_ERROR_TIMEOUT || !is_own)
    return status;
  return nereid_report(report, status, "'%s' was stopped: it did not finish within its time limit of %g s",
                       arguments[0], options->time_limit / 1000.0);
}

nereid_status_t nereid_assemble_ptxas(nereid_view_t ptx, const char *program, const nereid_assemble_options_t *options,
                                      const nereid_report_t *report, nereid_arena_t *arena,
                                      nereid_assembled_t *out_assembled) {
  work_t work = {.ptx = NULL};
  nereid_status_t status;
  const char **arguments;
  if (!open_work(arena, &work) || !write_file(work.ptx, ptx))
    status =
        nereid_report(report, NEREID_ERROR_IO, "cannot write to the temporary folder '%s': %s; TMPDIR names another",
                      nereid_work_folder_parent(), strerror(errno));
  else if (!(arguments = make_arguments(program, options, &work, arena)))
    status = nereid_report(report, NEREID_ERROR_ARGUMENT, "more than %d arguments for the assembler", MAX_ARGUMENTS);
  else
    status = run(arguments, &work, options, report, arena, out_assembled);
  nereid_work_folder_close(&work.folder);
  return status;
}
