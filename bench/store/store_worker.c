/* A process of the store's fault test (kill.py) and of the simulation of a fleet (simulate.py): requests units, and
 * "compiles" missing ones by sleeping. The contents of a unit are a function of its key, so a wrong unit is detected.
 *
 *   store_worker fill    FOLDER|- URL|- LOG SECONDS LEASE COMPILE    until killed; random keys of a moving window
 *   store_worker request FOLDER|- URL|- LOG SEED LEASE COMPILE N K   N requests of K keys, distributed as 1/rank
 *   store_worker check   FOLDER                                      reads key numbers from standard input
 *
 * SECONDS: when the test began (since 1970); LEASE, COMPILE: milliseconds. Lines of LOG: "S KEY" when a put has
 * returned, "W KEY" for a wrong unit, "D" for a damaged one, "E" for a failure of a level. `request` writes one line of
 * JSON. `check` prints the keys that are missing or wrong; exit status 1 when there is one. FOLDER and URL may be "-":
 * none. */
#include "nereid/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WINDOW = 100, KEYS_PER_SECOND = 40, MAX_UNIT = 40000 };

typedef struct worker {
  nereid_store_t *store;
  int log;
  unsigned seed;
  long compile; /* milliseconds */
  size_t compiled;
  size_t reports;
} worker_t;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void note(const worker_t *worker, char kind, unsigned number) {
  char line[32];
  const int size = snprintf(line, sizeof line, "%c %u\n", kind, number);
  if (write(worker->log, line, (size_t)size) != size)
    _exit(4);
}

static void on_event(void *user_data, nereid_store_event_t event, const char *text) {
  worker_t *worker = user_data;
  (void)text;
  ++worker->reports;
  note(worker, event == NEREID_STORE_DAMAGED ? 'D' : 'E', 0);
}

static nereid_store_key_t key_of(unsigned number) {
  const nereid_store_recipe_t recipe = {.size = sizeof recipe, .input = {(const char *)&number, sizeof number}};
  nereid_store_key_t key;
  if (nereid_store_key_make(&recipe, &key))
    abort();
  return key;
}

/* Writes the unit of a key; returns the size of its image. About a third of the bytes are random, as in a cubin. */
static size_t make_image(unsigned number, unsigned char *image) {
  const size_t size = 2000 + number * 7919u % (MAX_UNIT - 2000);
  unsigned state = number * 2654435761u + 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * 1664525u + 1013904223u;
    image[i] = (unsigned char)(i % 3 ? i / 64 : state >> 24);
  }
  return size;
}

static bool is_right(unsigned number, const nereid_store_unit_t *unit) {
  static unsigned char expected[MAX_UNIT];
  char text[32];
  const nereid_store_content_t content = nereid_store_unit_content(unit);
  const size_t size = make_image(number, expected);
  snprintf(text, sizeof text, "{\"key\": %u}", number);
  return nereid_view_equal(content.image, nereid_view_of((const char *)expected, size)) &&
         nereid_view_equal(content.metadata, nereid_view(text)) && nereid_view_equal(content.tuning, nereid_view(text));
}

static void sleep_milliseconds(long milliseconds) {
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static bool compile(worker_t *worker, unsigned number, const nereid_store_key_t *key) {
  static unsigned char image[MAX_UNIT];
  char text[32];
  snprintf(text, sizeof text, "{\"key\": %u}", number);
  sleep_milliseconds(worker->compile);
  const nereid_store_content_t content = {
      {(const char *)image, make_image(number, image)}, nereid_view(text), nereid_view(text)};
  ++worker->compiled;
  return nereid_store_put(worker->store, key, &content, NULL) == NEREID_OK;
}

/* Requests one unit. Returns whether it was compiled here. */
static bool request(worker_t *worker, unsigned number) {
  const nereid_store_key_t key = key_of(number);
  nereid_store_unit_t *unit;
  nereid_store_claim_t *claim;
  const nereid_status_t status = nereid_store_claim(worker->store, &key, 0, NULL, &unit, &claim, NULL);
  if (status == NEREID_OK && !is_right(number, unit))
    note(worker, 'W', number);
  nereid_store_unit_destroy(unit);
  if (status == NEREID_ERROR_NOT_FOUND && compile(worker, number, &key) && worker->log >= 0)
    note(worker, 'S', number);
  nereid_store_claim_release(claim);
  return status != NEREID_OK;
}

static void fill(worker_t *worker, double start) {
  for (;;)
    request(worker, (unsigned)((now() - start) * KEYS_PER_SECOND) + (unsigned)rand_r(&worker->seed) % WINDOW);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Keys with probability proportional to 1 / rank. The rank of a key is the same in all processes. */
static int request_many(worker_t *worker, size_t n, unsigned n_keys) {
  double *weights = calloc(n_keys + 1, sizeof *weights), *hits = calloc(n + 1, sizeof *hits), waited = 0;
  size_t n_hits = 0;
  if (!weights || !hits)
    exit(2);
  for (unsigned i = 0; i < n_keys; ++i)
    weights[i + 1] = weights[i] + 1.0 / (i + 1);
  const double begin = now();
  for (size_t i = 0; i < n; ++i) {
    const double at = weights[n_keys] * rand_r(&worker->seed) / ((double)RAND_MAX + 1), start = now();
    unsigned low = 0, high = n_keys;
    while (high - low > 1)
      *(weights[(low + high) / 2] <= at ? &low : &high) = (low + high) / 2;
    if (!request(worker, low))
      hits[n_hits++] = (now() - start) * 1e3;
  }
  const double seconds = now() - begin;
  qsort(hits, n_hits, sizeof *hits, by_value);
  for (size_t i = 0; i < n_hits; ++i)
    waited += hits[i];
  const nereid_store_counts_t counts = nereid_store_counts(worker->store);
  printf("{\"requests\": %zu, \"compiled\": %zu, \"folder_hits\": %llu, \"server_hits\": %llu, \"waits\": %llu, "
         "\"failures\": %llu, \"seconds\": %.3f, \"hit_median\": %.4f, \"hit_p99\": %.3f, \"hit_total\": %.1f}\n",
         n, worker->compiled, (unsigned long long)counts.folder_hits, (unsigned long long)counts.server_hits,
         (unsigned long long)counts.waits, (unsigned long long)counts.failures, seconds,
         n_hits ? hits[n_hits / 2] : 0.0, n_hits ? hits[n_hits * 99 / 100] : 0.0, waited);
  free(weights);
  free(hits);
  return 0;
}

static int check(nereid_store_t *store) {
  int code = 0;
  char line[32];
  while (fgets(line, sizeof line, stdin)) {
    const unsigned number = (unsigned)strtoul(line, NULL, 10);
    const nereid_store_key_t key = key_of(number);
    nereid_store_unit_t *unit;
    const nereid_status_t status = nereid_store_get(store, &key, &unit, NULL);
    if (status || !is_right(number, unit)) {
      printf("%s %u\n", status ? "missing" : "wrong", number);
      code = 1;
    }
    nereid_store_unit_destroy(unit);
  }
  return code;
}

static const char *place(const char *text) {
  return strcmp(text, "-") == 0 ? NULL : text;
}

int main(int argc, char **argv) {
  worker_t worker = {.log = -1, .seed = (unsigned)getpid()};
  nereid_store_options_t options = {.size = sizeof options, .handler = on_event, .user_data = &worker};
  nereid_message_t message = {""};
  const bool is_check = argc == 3 && strcmp(argv[1], "check") == 0;
  const bool is_fill = argc == 8 && strcmp(argv[1], "fill") == 0;
  if (!is_check && !is_fill && !(argc == 10 && strcmp(argv[1], "request") == 0)) {
    fputs("usage: store_worker fill|request|check …; see the opening comment\n", stderr);
    return 2;
  }
  options.folder = place(argv[2]);
  options.limit = (uint64_t)64 << 30;
  if (!is_check) {
    options.redis = place(argv[3]);
    worker.log = open(argv[4], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    options.lease = (uint32_t)strtoul(argv[6], NULL, 10);
    options.time_limit = is_fill ? 300 : 10000; /* faults are expected; a busy machine is not a fault */
    worker.compile = strtol(argv[7], NULL, 10);
  }
  if (nereid_store_open(&options, &worker.store, &message)) {
    fprintf(stderr, "store_worker: %s\n", message.text);
    return 2;
  }
  if (is_check)
    return check(worker.store);
  if (is_fill)
    fill(&worker, strtod(argv[5], NULL));
  worker.seed = (unsigned)strtoul(argv[5], NULL, 10);
  const int code = request_many(&worker, strtoul(argv[8], NULL, 10), (unsigned)strtoul(argv[9], NULL, 10));
  nereid_store_close(worker.store);
  return code;
}
