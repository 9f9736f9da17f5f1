/* Nereid's side of bench/compile: time per stage of each FILE, in this process, as JSON on standard output.
 *
 *   compile_warm RUNS NUM_WARPS NUM_STAGES FILE...      best of RUNS by the sum of its stages, after one warm-up run
 *
 * All files use one session, as in a service. */
#include "nereid/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { TIMES = 8 };

typedef struct run {
  nereid_stage_time_t times[TIMES];
  size_t n_times;
  double total;
} run_t;

static void print_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  (void)user_data;
  if (diagnostic->severity == NEREID_SEVERITY_ERROR)
    fprintf(stderr, "%s:%u: %s\n", diagnostic->file ? diagnostic->file : "", diagnostic->line, diagnostic->message);
}

static bool compile(nereid_compiler_t *compiler, nereid_view_t text, const char *path,
                    const nereid_compile_options_t *options, run_t *out) {
  nereid_result_t *result = NULL;
  if (nereid_compile(compiler, text, path, options, &result) != NEREID_OK)
    return false;
  *out = (run_t){.n_times = nereid_result_time_count(result)};
  for (size_t i = 0; i < out->n_times && i < TIMES; i++) {
    out->times[i] = nereid_result_time(result, i);
    out->total += out->times[i].milliseconds;
  }
  nereid_result_destroy(result);
  return true;
}

static bool measure(nereid_compiler_t *compiler, const char *path, int runs, const nereid_compile_options_t *options) {
  static char text[1 << 22];
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  run_t best = {.total = 1e30}, now;
  if (file)
    fclose(file);
  for (int i = 0; i <= runs; i++) {
    if (!compile(compiler, nereid_view_of(text, size), path, options, &now))
      return false;
    if (i > 0 && now.total < best.total)
      best = now;
  }
  printf("\"%s\": {", path);
  for (size_t i = 0; i < best.n_times; i++)
    printf("%s\"%s\": %.4f", i ? ", " : "", best.times[i].name, best.times[i].milliseconds);
  printf("}");
  return true;
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
    options.num_warps = atoi(argv[2]);
    options.num_stages = atoi(argv[3]);
    printf("%s", i > 4 ? ", " : "");
    good = measure(compiler, argv[i], atoi(argv[1]), &options);
  }
  getrusage(RUSAGE_SELF, &usage);
  printf("}, \"peak_mib\": %.1f}\n", (double)usage.ru_maxrss / 1024);
  nereid_compiler_destroy(compiler);
  return good ? 0 : 1;
}
