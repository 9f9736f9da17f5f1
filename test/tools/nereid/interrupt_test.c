/* Signals in sections with files to remove: the first requests the cancellation, a second one or a grace period ends a
 * process that does not examine it. */
#include "tools/nereid/interrupt.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

/* The signal that ended a process that ran `work`. */
static int end_of(void (*work)(void)) {
  const pid_t child = fork();
  int state = 0;
  assert_true(child >= 0);
  if (child == 0) {
    work();
    _exit(0);
  }
  assert_int_equal(waitpid(child, &state, 0), child);
  return WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void ignore_cancellation(void) {
  tool_interrupt_begin();
  raise(SIGTERM);
  for (;;)
    pause();
}

static void raise_twice(void) {
  tool_interrupt_begin();
  raise(SIGINT);
  raise(SIGHUP);
  for (;;)
    pause();
}

static void finish_in_time(void) {
  const nereid_cancellation_t *stop = tool_interrupt_begin();
  raise(SIGHUP);
  if (!nereid_cancellation_is_requested(stop) || !tool_interrupt_is_caught())
    _exit(1);
  tool_interrupt_end();
  tool_interrupt_finish();
}

static void stay_outside(void) {
  tool_interrupt_begin();
  tool_interrupt_end();
  raise(SIGINT);
}

static void a_process_that_ignores_its_cancellation_ends(void **state) {
  (void)state;
  const double start = seconds();
  assert_int_equal(end_of(ignore_cancellation), SIGTERM);
  assert_true(seconds() - start > GRACE - 0.5);
}

static void other_processes_end_at_once(void **state) {
  (void)state;
  const double start = seconds();
  assert_int_equal(end_of(raise_twice), SIGHUP);
  assert_int_equal(end_of(finish_in_time), SIGHUP);
  assert_int_equal(end_of(stay_outside), SIGINT);
  assert_true(seconds() - start < GRACE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_process_that_ignores_its_cancellation_ends),
      cmocka_unit_test(other_processes_end_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
