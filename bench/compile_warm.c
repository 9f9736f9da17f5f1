/* Nereid's side of bench/compile: CPU time per stage of each FILE, in this process, as JSON on standard output.
 *
 *   compile_warm RUNS NUM_WARPS NUM_STAGES FILE...      the best of RUNS of each stage, after one warm-up run
 *
 * All files use one session, as in a service. CPU time includes the assembler if it is a child process; other work on
 * the machine disturbs it less than elapsed time. */
#include "nereid/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_STAGES = 8 };

typedef struct run {
  const char *stages[MAX_STAGES];
  double starts[MAX_STAGES + 1]; /* milliseconds of CPU time; the last one is the end */
  size_t n_stages;
} run_t;

static double of_usage(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-3;
}

static double cpu_time(void) {
  return of_usage(RUSAGE_SELF) + of_usage(RUSAGE_CHILDREN);
}

static void on_progress(void *user_data, const nereid_progress_t *progress) {
  run_t *run = user_data;
  if (progress->pass || run->n_stages == MAX_STAGES)
    return;
  run->stages[run->n_stages] = progress->stage;
  run->starts[run->n_stages++] = cpu_time();
}

static void print_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  (void)user_data;
  if (diagnostic->severity == NEREID_SEVERITY_ERROR)
    fprintf(stderr, "%s:%u: %s\n", diagnostic->file ? diagnostic->file : "", diagnostic->line, diagnostic->message);
}

static bool compile(nereid_compiler_t *compiler, nereid_view_t text, const char *path,
                    const nereid_compile_options_t *common, run_t *out) {
  nereid_compile_options_t options = *common;
  nereid_result_t *result = NULL;
  *out = (run_t){.n_stages = 0};
  options.progress = on_progress;
  options.progress_data = out;
  if (nereid_compile(compiler, text, path, &options, &result) != NEREID_OK)
    return false;
  out->starts[out->n_stages] = cpu_time();
  nereid_result_destroy(result);
  return true;
}

static void keep_minima(const run_t *run, bool first, double *best) {
  for (size_t i = 0; i < run->n_stages; i++) {
    const double time = run->starts[i + 1] - run->starts[i];
    if (first || time < best[i])
      best[i] = time;
  }
}

static bool measure(nereid_compiler_t *compiler, const char *path, int runs, const nereid_compile_options_t *options) {
  static char text[1 << 22];
  double best[MAX_STAGES];
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  run_t now;
  if (file)
    fclose(file);
  for (int i = 0; i <= runs; i++) {
    if (!compile(compiler, nereid_view_of(text, size), path, options, &now))
      return false;
    if (i > 0)
      keep_minima(&now, i == 1, best);
  }
  printf("\"%s\": {", path);
  for (size_t i = 0; i < now.n_stages; i++)
    printf("%s\"%s\": %.4f", i ? ", " : "", now.stages[i], best[i]);
  printf("}");
  return true;
}

static int number(const char *text) {
  return (int)strtol(text, NULL, 10);
}

int main(int argc, char **argv) {
  nereid_compiler_options_t session = {.size = sizeof session, .handler = print_diagnostic};
  nereid_compile_options_t options = {.size = sizeof options, .target = "sm_90a"};
  nereid_compiler_t *compiler = NULL;
  struct rusage usage;
  bool good = argc > 4 && nereid_compiler_create(&session, &compiler) == NEREID_OK;
  if (argc <= 4)
    fprintf(stderr, "usage: compile_warm RUNS NUM_WARPS NUM_STAGES FILE...\n");
  printf("{\"version\": \"%s\", \"kernels\": {", nereid_compiler_version());
  for (int i = 4; i < argc && good; i++) {
    options.num_warps = number(argv[2]);
    options.num_stages = number(argv[3]);
    printf("%s", i > 4 ? ", " : "");
    good = measure(compiler, argv[i], number(argv[1]), &options);
  }
  getrusage(RUSAGE_SELF, &usage);
  printf("}, \"peak_mib\": %.1f}\n", (double)usage.ru_maxrss / 1024);
  nereid_compiler_destroy(compiler);
  return good ? 0 : 1;
}
