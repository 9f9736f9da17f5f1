/* MLIR's report is empty: LLVM's packages are built without LLVM_ENABLE_STATS, so that every mlir::Pass::Statistic is
 * 0. The statistics of Nereid's passes do not depend on it. */
#include "tools/nereid-opt/statistics.h"

#include "passes/pass.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 256 };

typedef struct row {
  const char *pass, *name; /* static storage of the passes */
  int64_t sum;
} row_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* passes on functions run in parallel */
static row_t rows[MAX_ROWS];
static size_t n_rows;

/* Rows are grouped by pass, in the order of their first count. */
static void add(const char *pass, const char *name, int64_t count) {
  size_t at = n_rows;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < n_rows; i++) {
    if (strcmp(rows[i].pass, pass) != 0)
      continue;
    at = i + 1;
    if (strcmp(rows[i].name, name) == 0) {
      rows[i].sum += count;
      pthread_mutex_unlock(&lock);
      return;
    }
  }
  if (n_rows < MAX_ROWS) {
    memmove(&rows[at + 1], &rows[at], (n_rows - at) * sizeof *rows);
    rows[at] = (row_t){pass, name, count};
    n_rows++;
  }
  pthread_mutex_unlock(&lock);
}

bool nereid_opt_statistics_begin(int *argc, char **argv) {
  int kept = 1;
  for (int i = 1; i < *argc; i++)
    if (strcmp(argv[i], "--mlir-pass-statistics") != 0 && strcmp(argv[i], "-mlir-pass-statistics") != 0)
      argv[kept++] = argv[i];
  const bool is_there = kept < *argc;
  *argc = kept;
  argv[kept] = NULL;
  if (is_there)
    nereid_pass_statistics_listen(add);
  return is_there;
}

void nereid_opt_statistics_print(void) {
  static const char line[] = "===-------------------------------------------------------------------------===\n";
  fprintf(stderr, "%s                         ... Pass statistics report ...\n%s", line, line);
  for (size_t i = 0; i < n_rows; i++) {
    if (i == 0 || strcmp(rows[i].pass, rows[i - 1].pass) != 0)
      fprintf(stderr, "%s\n", rows[i].pass);
    fprintf(stderr, "  (S) %lld %s\n", (long long)rows[i].sum, rows[i].name);
  }
  fputs("Passes of MLIR itself are not counted: this LLVM is built without statistics.\n", stderr);
}
