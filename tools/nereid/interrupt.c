/* A process that does not examine the cancellation in time, for example in a parser or printer of MLIR, ends after a
 * grace period; the next run removes its files. Outside of sections with files to remove, a signal keeps its default
 * action: it ends the process, even during a read from a terminal or a write into a full pipe. */
#include "tools/nereid/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { GRACE = 5 }; /* seconds from a caught signal to the end of a process that does not notice it */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static nereid_cancellation_t *cancellation; /* null: could not be created; lives as long as the process */
static atomic_int depth;                    /* open tool_interrupt_begin calls of all threads */
static atomic_int caught;                   /* the caught signal; 0: none */

static void on_signal(int number) {
  int none = 0;
  if (cancellation && atomic_load(&depth) > 0 && atomic_compare_exchange_strong(&caught, &none, number)) {
    nereid_cancellation_request(cancellation);
    alarm(GRACE);
    return;
  }
  signal(number, SIG_DFL);
  raise(number); /* delivered when this handler returns */
}

static void on_alarm(int number) {
  (void)number;
  signal(atomic_load(&caught), SIG_DFL);
  raise(atomic_load(&caught));
}

static void install(void) {
  struct sigaction action = {.sa_handler = on_signal}, late = {.sa_handler = on_alarm}, now;
  if (nereid_cancellation_create(&cancellation) != NEREID_OK)
    return;
  sigemptyset(&action.sa_mask);
  sigemptyset(&late.sa_mask);
  sigaction(SIGALRM, &late, NULL);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
}

const nereid_cancellation_t *tool_interrupt_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  atomic_fetch_add(&depth, 1);
  return cancellation;
}

void tool_interrupt_end(void) {
  atomic_fetch_sub(&depth, 1);
}

bool tool_interrupt_is_caught(void) {
  return atomic_load(&caught) != 0;
}

void tool_interrupt_forget(void) {
  nereid_cancellation_t *own = NULL;
  atomic_store(&depth, 0);
  atomic_store(&caught, 0);
  if (!cancellation)
    return;
  if (nereid_cancellation_create(&own) != NEREID_OK)
    own = NULL; /* signals then end the process */
  nereid_cancellation_destroy(cancellation);
  cancellation = own;
}

void tool_interrupt_finish(void) {
  const int number = atomic_load(&caught);
  if (!number)
    return;
  signal(number, SIG_DFL);
  raise(number);
}
