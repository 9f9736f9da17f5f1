/* Prints the progress of jobs:
 *
 *   nereid compile: [12/40] 1 failed, 3 cached, about 0:35 left      on a terminal, one line
 *   nereid compile: [12/40] k.ttir failed, 1 failed, about 0:35 left  elsewhere, a line per job or per ten seconds
 *
 * The estimate assumes that the remaining jobs take as long as those that were computed; cached ones do not count. */
#include "tools/nereid/jobs/progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_BETWEEN_LINES = 10, DEFAULT_COLUMNS = 80 };

bool tool_progress_parse(const char *text, tool_progress_kind_t *out_kind) {
  static const char *const names[] = {"auto", "plain", "tty", "none"};
  *out_kind = TOOL_PROGRESS_AUTO;
  for (size_t i = 0; text && i < TOOL_COUNT(names); i++)
    if (strcmp(text, names[i]) == 0) {
      *out_kind = (tool_progress_kind_t)i;
      return true;
    }
  return text == NULL;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void tool_progress_begin(tool_progress_t *progress, const tool_jobs_t *jobs) {
  *progress = (tool_progress_t){.jobs = jobs, .kind = jobs->progress};
  if (progress->kind == TOOL_PROGRESS_AUTO && isatty(STDERR_FILENO))
    progress->kind = TOOL_PROGRESS_TTY;
  progress->started = progress->printed = seconds_now();
}

void tool_progress_clear(tool_progress_t *progress) {
  if (progress->is_shown)
    fputs("\r\033[K", stderr);
  progress->is_shown = false;
}

/* Prints the counts and the estimate into `text`. */
static void print_counts(const tool_progress_t *progress, double now, char *text, size_t size) {
  const size_t left = progress->jobs->n - progress->n_done, computed = progress->n_done - progress->n_cached;
  size_t used = 0;
  text[0] = 0;
  if (progress->n_failed)
    used += (size_t)snprintf(text + used, size - used, ", %zu failed", progress->n_failed);
  if (progress->n_cached)
    used += (size_t)snprintf(text + used, size - used, ", %zu cached", progress->n_cached);
  if (left && computed) {
    const unsigned long seconds = (unsigned long)((now - progress->started) / (double)computed * (double)left + 0.5);
    if (seconds >= 3600)
      snprintf(text + used, size - used, ", about %lu:%02lu:%02lu left", seconds / 3600, seconds / 60 % 60,
               seconds % 60);
    else
      snprintf(text + used, size - used, ", about %lu:%02lu left", seconds / 60, seconds % 60);
  }
}

static void print_line(tool_progress_t *progress, double now) {
  struct winsize window = {0};
  char counts[128], line[256];
  print_counts(progress, now, counts, sizeof counts);
  snprintf(line, sizeof line, "nereid %s: [%zu/%zu]%s", progress->jobs->command->name, progress->n_done,
           progress->jobs->n, counts[0] ? counts + 1 : "");
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  fprintf(stderr, "\r%.*s\033[K", is_known ? window.ws_col - 1 : DEFAULT_COLUMNS - 1, line);
  fflush(stderr);
  progress->is_shown = true;
}

static void print_plain(const tool_progress_t *progress, size_t job, const char *outcome, double now) {
  char counts[128];
  print_counts(progress, now, counts, sizeof counts);
  fprintf(stderr, "nereid %s: [%zu/%zu] %s %s%s\n", progress->jobs->command->name, progress->n_done, progress->jobs->n,
          progress->jobs->name(progress->jobs->data, job), outcome, counts);
}

void tool_progress_add(tool_progress_t *progress, size_t job, bool failed, bool cached) {
  const double now = seconds_now();
  progress->n_done++;
  progress->n_failed += failed;
  progress->n_cached += cached;
  if (progress->kind == TOOL_PROGRESS_TTY) {
    print_line(progress, now);
  } else if (progress->kind == TOOL_PROGRESS_PLAIN ||
             (progress->kind == TOOL_PROGRESS_AUTO && now - progress->printed >= SECONDS_BETWEEN_LINES)) {
    print_plain(progress, job, failed ? "failed" : cached ? "cached" : "done", now);
    progress->printed = now;
  }
}

void tool_progress_end(tool_progress_t *progress) {
  tool_progress_clear(progress);
  if (progress->n_failed && progress->kind != TOOL_PROGRESS_NONE)
    tool_error(progress->jobs->command, "%zu of %zu failed", progress->n_failed, progress->jobs->n);
}
