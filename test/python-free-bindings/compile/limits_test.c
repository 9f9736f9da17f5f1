/* Progress, cancellation and time limits of a compilation; sizes of the structs that the caller passes. */
#include "nereid/compile.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernel[] = "tt.func public @twice(%p: !tt.ptr<f32>) {\n"
                             "  %x = tt.load %p : !tt.ptr<f32>\n"
                             "  %y = arith.addf %x, %x : f32\n"
                             "  tt.store %p, %y : !tt.ptr<f32>\n"
                             "  tt.return\n"
                             "}\n";

/* Calls of the handlers, and the action of the progress handler at `stage` (and `pass`, unless it is null). */
typedef struct watch {
  char stages[256], message[4096]; /* all, one after the other */
  size_t passes, errors;
  double last;
  const char *stage, *pass;
  nereid_cancellation_t *request;
  long sleep; /* milliseconds */
} watch_t;

static void on_progress(void *user_data, const nereid_progress_t *progress) {
  watch_t *watch = user_data;
  const size_t used = strlen(watch->stages);
  assert_true(progress->milliseconds >= watch->last);
  watch->last = progress->milliseconds;
  if (progress->pass) {
    assert_true(progress->pass_index < progress->n_passes);
    watch->passes++;
  } else {
    assert_true(progress->stage_index < progress->n_stages || !progress->n_stages);
    snprintf(watch->stages + used, sizeof watch->stages - used, "%s %zu/%zu;", progress->stage, progress->stage_index,
             progress->n_stages);
  }
  if (!watch->stage || strcmp(progress->stage, watch->stage) != 0 ||
      (watch->pass && (!progress->pass || strcmp(progress->pass, watch->pass) != 0)))
    return;
  nereid_cancellation_request(watch->request);
  nanosleep(&(struct timespec){.tv_nsec = watch->sleep * 1000000}, NULL);
}

static void on_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  watch_t *watch = user_data;
  const size_t used = strlen(watch->message);
  watch->errors += diagnostic->severity == NEREID_SEVERITY_ERROR;
  snprintf(watch->message + used, sizeof watch->message - used, "%s\n", diagnostic->message);
}

static nereid_compiler_t *open_session(watch_t *watch) {
  nereid_compiler_t *compiler = NULL;
  const nereid_compiler_options_t options = {.size = sizeof options, .handler = on_diagnostic, .user_data = watch};
  assert_int_equal(nereid_compiler_create(&options, &compiler), NEREID_OK);
  return compiler;
}

static nereid_status_t compile(nereid_compiler_t *compiler, watch_t *watch, nereid_compile_options_t options) {
  nereid_result_t *result = NULL;
  options.size = sizeof options;
  options.progress = on_progress;
  options.progress_data = watch;
  const nereid_status_t status = nereid_compile(compiler, nereid_view(kernel), "kernel", &options, &result);
  assert_true((status == NEREID_OK) == (result != NULL));
  nereid_result_destroy(result);
  return status;
}

static void test_progress(void **state) {
  watch_t watch = {.passes = 0};
  nereid_compiler_t *compiler = open_session(&watch);
  (void)state;
  assert_int_equal(compile(compiler, &watch, (nereid_compile_options_t){.emit = NEREID_STAGE_PTX}), NEREID_OK);
  assert_string_equal(watch.stages, "read 0/0;ttir 1/6;ttgir 2/6;llvm 3/6;ll 4/6;ptx 5/6;");
  assert_true(watch.passes > 20);
  assert_int_equal(watch.errors, 0);
  nereid_compiler_destroy(compiler);
}

/* Cancellation in every stage and before the first: no diagnostic, and the session stays usable. */
static void test_cancelled(void **state) {
  static const char *const stages[] = {"read", "ttir", "ttgir", "llvm", "ll", "ptx"};
  watch_t watch = {.passes = 0};
  nereid_compiler_t *compiler = open_session(&watch);
  nereid_compile_options_t options = {.emit = NEREID_STAGE_PTX};
  nereid_cancellation_t *cancellation = NULL;
  char next[32];
  (void)state;
  assert_int_equal(nereid_cancellation_create(&cancellation), NEREID_OK);
  options.cancellation = cancellation;
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    watch = (watch_t){.stage = stages[i], .request = cancellation};
    assert_int_equal(compile(compiler, &watch, options), NEREID_ERROR_CANCELLED);
    assert_int_equal(watch.errors, 0);
    assert_non_null(strstr(watch.stages, stages[i]));
    snprintf(next, sizeof next, ";%s ", i + 1 < sizeof stages / sizeof *stages ? stages[i + 1] : "cubin");
    assert_null(strstr(watch.stages, next));
    nereid_cancellation_reset(cancellation);
    watch = (watch_t){.passes = 0};
    assert_int_equal(compile(compiler, &watch, options), NEREID_OK);
  }
  nereid_cancellation_destroy(cancellation);
  nereid_compiler_destroy(compiler);
}

static void test_cancelled_pass(void **state) {
  watch_t watch = {.stage = "ttgir", .pass = "tritongpu-coalesce"};
  nereid_compiler_t *compiler = open_session(&watch);
  (void)state;
  assert_int_equal(nereid_cancellation_create(&watch.request), NEREID_OK);
  const nereid_compile_options_t options = {.cancellation = watch.request};
  assert_int_equal(compile(compiler, &watch, options), NEREID_ERROR_CANCELLED);
  const size_t passes = watch.passes;
  nereid_cancellation_reset(watch.request);
  watch.passes = 0;
  watch.stages[0] = 0;
  watch.last = 0;
  watch.stage = NULL;
  assert_int_equal(compile(compiler, &watch, (nereid_compile_options_t){.emit = NEREID_STAGE_TTGIR}), NEREID_OK);
  assert_true(passes < watch.passes);
  nereid_cancellation_destroy(watch.request);
  nereid_compiler_destroy(compiler);
}

static void test_time_limit(void **state) {
  watch_t watch = {.stage = "ttgir", .sleep = 30};
  nereid_compiler_t *compiler = open_session(&watch);
  (void)state;
  assert_int_equal(compile(compiler, &watch, (nereid_compile_options_t){.time_limit = 20}), NEREID_ERROR_TIMEOUT);
  assert_int_equal(watch.errors, 1);
  assert_non_null(strstr(watch.message, "the time limit of 0.02 s passed"));
  nereid_compiler_destroy(compiler);
}

/* A ptxas that does not terminate. */
typedef struct slow {
  char folder[64], path[96];
} slow_t;

static void make_slow(slow_t *slow) {
  snprintf(slow->folder, sizeof slow->folder, "/tmp/nereid-limits-XXXXXX");
  assert_non_null(mkdtemp(slow->folder));
  snprintf(slow->path, sizeof slow->path, "%s/ptxas", slow->folder);
  FILE *file = fopen(slow->path, "w");
  assert_non_null(file);
  fputs("#!/bin/sh\nexec sleep 60\n", file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(slow->path, 0700), 0);
}

static void remove_slow(const slow_t *slow) {
  unlink(slow->path);
  rmdir(slow->folder);
}

static void *request_later(void *argument) {
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  nereid_cancellation_request(argument);
  return NULL;
}

/* From another thread, while the assembler runs. */
static void test_assembler_cancelled(void **state) {
  watch_t watch = {.passes = 0};
  slow_t slow;
  nereid_compiler_t *compiler = open_session(&watch);
  nereid_cancellation_t *cancellation = NULL;
  pthread_t thread;
  (void)state;
  make_slow(&slow);
  assert_int_equal(nereid_cancellation_create(&cancellation), NEREID_OK);
  const nereid_compile_options_t options = {.ptxas = slow.path, .cancellation = cancellation};
  assert_int_equal(pthread_create(&thread, NULL, request_later, cancellation), 0);
  assert_int_equal(compile(compiler, &watch, options), NEREID_ERROR_CANCELLED);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(watch.last < 30000);
  nereid_cancellation_destroy(cancellation);
  nereid_compiler_destroy(compiler);
  remove_slow(&slow);
}

static void test_assembler_time_limit(void **state) {
  watch_t watch = {.passes = 0};
  slow_t slow;
  nereid_compiler_t *compiler = open_session(&watch);
  (void)state;
  make_slow(&slow);
  const nereid_compile_options_t options = {.ptxas = slow.path, .assembler_time_limit = 100};
  assert_int_equal(compile(compiler, &watch, options), NEREID_ERROR_TIMEOUT);
  assert_int_equal(watch.errors, 1);
  assert_non_null(strstr(watch.message, "did not finish within its time limit of 0.1 s"));
  nereid_compiler_destroy(compiler);
  remove_slow(&slow);
}

/* A scalar kernel has no remarks; this one loads a tensor. */
static const char loads[] = "tt.func public @copy(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {\n"
                            "  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>\n"
                            "  %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
                            "  %a = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
                            "  %x = tt.load %a : tensor<128x!tt.ptr<f32>>\n"
                            "  %t = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
                            "  %b = tt.addptr %t, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
                            "  tt.store %b, %x : tensor<128x!tt.ptr<f32>>\n"
                            "  tt.return\n"
                            "}\n";

typedef struct remarks {
  size_t widths, others;
  unsigned line;
} remarks_t;

static void on_remark(void *user_data, const nereid_remark_t *remark) {
  remarks_t *remarks = user_data;
  assert_non_null(remark->text);
  assert_true(remark->kind <= NEREID_REMARK_ANALYSIS);
  if (!remark->name || strcmp(remark->name, "access-width") != 0) {
    remarks->others++;
    return;
  }
  assert_string_equal(remark->pass, "convert-triton-gpu-to-llvm");
  assert_string_equal(remark->file, "kernel");
  assert_true(remark->line == 5 || remark->line == 8);
  assert_null(strchr(remark->text, '|'));
  remarks->widths++;
  remarks->line = remark->line;
}

/* With a remark handler, remarks are structs and not diagnostics; without one, requested remarks are diagnostics. */
static void test_remarks(void **state) {
  watch_t watch = {.passes = 0};
  remarks_t remarks = {.widths = 0};
  nereid_compiler_t *compiler = open_session(&watch);
  nereid_result_t *result = NULL;
  nereid_compile_options_t options = {.size = sizeof options, .emit = NEREID_STAGE_LLVM};
  (void)state;
  options.remark_handler = on_remark;
  options.remark_data = &remarks;
  assert_int_equal(nereid_compile(compiler, nereid_view(loads), "kernel", &options, &result), NEREID_OK);
  nereid_result_destroy(result);
  assert_int_equal(remarks.widths, 2);
  assert_int_equal(remarks.line, 8);
  assert_string_equal(watch.message, "");
  options.remark_handler = NULL;
  options.remarks = true;
  assert_int_equal(nereid_compile(compiler, nereid_view(loads), "kernel", &options, &result), NEREID_OK);
  nereid_result_destroy(result);
  assert_int_equal(remarks.widths, 2);
  assert_non_null(strstr(watch.message, "access-width | convert-triton-gpu-to-llvm | "));
  assert_int_equal(watch.errors, 0);
  nereid_compiler_destroy(compiler);
}

/* A size that no version of the struct has is an error; that of the first version is accepted. */
static void test_sizes(void **state) {
  const size_t first = offsetof(nereid_compile_options_t, cancellation);
  const size_t wrong[] = {0, 4, sizeof(size_t), first - 1, sizeof(nereid_compile_options_t) + 1};
  watch_t watch = {.passes = 0};
  nereid_compiler_t *compiler = open_session(&watch), *other = NULL;
  nereid_result_t *result = NULL;
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const nereid_compile_options_t options = {.size = wrong[i]};
    assert_int_equal(nereid_compile(compiler, nereid_view(kernel), NULL, &options, &result), NEREID_ERROR_ARGUMENT);
  }
  const nereid_compile_options_t old = {.size = first, .emit = NEREID_STAGE_TTIR, .time_limit = 1};
  assert_int_equal(nereid_compile(compiler, nereid_view(kernel), NULL, &old, &result), NEREID_OK);
  nereid_result_destroy(result);
  assert_int_equal(nereid_compiler_create(&(nereid_compiler_options_t){.size = 4}, &other), NEREID_ERROR_ARGUMENT);
  nereid_compiler_destroy(compiler);
}

/* Part of the ABI. */
static void test_values(void **state) {
  (void)state;
  assert_int_equal(NEREID_ERROR_CANCELLED, 10);
  assert_int_equal(NEREID_ERROR_TIMEOUT, 11);
  assert_string_equal(nereid_status_string(NEREID_ERROR_CANCELLED), "cancelled");
  assert_string_equal(nereid_status_string(NEREID_ERROR_TIMEOUT), "time limit exceeded");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_progress),
      cmocka_unit_test(test_cancelled),
      cmocka_unit_test(test_cancelled_pass),
      cmocka_unit_test(test_time_limit),
      cmocka_unit_test(test_assembler_cancelled),
      cmocka_unit_test(test_assembler_time_limit),
      cmocka_unit_test(test_remarks),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
