/* The server level of a store, with a Redis server of its own that is killed, paused, filled and restarted, and with
 * sockets that send hostile replies. Skipped where there is no redis-server, or in a build without hiredis. */
#include "nereid/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/fixture.h"

static char folder[64], socket_path[96], url[128];
static const char *program = "redis-server";
static pid_t server;
static char last_event[1024];
static _Atomic int events;

static void keep_event(void *user_data, nereid_store_event_t event, const char *text) {
  (void)user_data;
  ++events;
  snprintf(last_event, sizeof last_event, "%d: %s", (int)event, text);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void sleep_milliseconds(long milliseconds) {
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* --- the server --- */

static bool is_listening(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
  const bool is_connected = connect(client, (struct sockaddr *)&address, sizeof address) == 0;
  close(client);
  return is_connected;
}

static void start_server(const char *option, const char *value) {
  server = fork();
  assert_true(server >= 0);
  if (server == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execlp(program, "redis-server", "--port", "0", "--unixsocket", socket_path, "--save", "", "--appendonly", "no",
           "--dir", folder, option, value, (char *)NULL);
    _exit(127);
  }
  for (int i = 0; i < 1000 && !is_listening(); ++i)
    sleep_milliseconds(10);
  assert_true(is_listening());
}

static void stop_server(void) {
  if (!server)
    return;
  kill(server, SIGCONT);
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
  unlink(socket_path);
  server = 0;
}

/* Runs a command of redis-cli. */
static void cli(const char *command) {
  char text[640];
  snprintf(text, sizeof text, "redis-cli -s %s >/dev/null <<'EOF'\n%s\nEOF\n", socket_path, command);
  assert_int_equal(system(text), 0);
}

static int open_folder(void **state) {
  set_up(state);
  snprintf(folder, sizeof folder, "/tmp/nereid-server-test-XXXXXX");
  if (!mkdtemp(folder))
    return 1;
  snprintf(socket_path, sizeof socket_path, "%s/socket", folder);
  snprintf(url, sizeof url, "unix://%s", socket_path);
  events = 0;
  last_event[0] = '\0';
  return 0;
}

static int close_folder(void **state) {
  char command[128];
  stop_server();
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return tear_down(state) || system(command);
}

/* --- the store --- */

static const nereid_store_options_t defaults = {
    .size = sizeof defaults, .redis = url, .handler = keep_event, .time_limit = 500, .lease = 1000};

static nereid_store_t *open_with(nereid_store_options_t options) {
  nereid_store_t *made;
  assert_int_equal(nereid_store_open(&options, &made, &message), NEREID_OK);
  return made;
}

static nereid_store_key_t key_of(unsigned number) {
  return (nereid_store_key_t){{(uint8_t)number, (uint8_t)(number >> 8), 7}};
}

static nereid_status_t put(nereid_store_t *store, unsigned number) {
  char image[5000];
  memset(image, (int)number, sizeof image);
  const nereid_store_content_t content = {{image, sizeof image}, nereid_view("{}"), nereid_view("[1]")};
  const nereid_store_key_t key = key_of(number);
  return nereid_store_put(store, &key, &content, &message);
}

static nereid_status_t get(nereid_store_t *store, unsigned number) {
  const nereid_store_key_t key = key_of(number);
  nereid_store_unit_t *unit;
  const nereid_status_t status = nereid_store_get(store, &key, &unit, &message);
  if (status)
    return status;
  const nereid_store_content_t content = nereid_store_unit_content(unit);
  assert_int_equal(content.image.size, 5000);
  assert_int_equal((unsigned char)content.image.data[4999], number % 256);
  assert_string_equal(content.tuning.data, "[1]");
  nereid_store_unit_destroy(unit);
  return status;
}

static nereid_status_t claim(nereid_store_t *store, unsigned number, uint32_t wait, nereid_store_claim_t **out_claim) {
  const nereid_store_key_t key = key_of(number);
  nereid_store_unit_t *unit;
  const nereid_status_t status = nereid_store_claim(store, &key, wait, NULL, &unit, out_claim, NULL);
  nereid_store_unit_destroy(unit);
  return status;
}

static void a_unit_of_the_server_is_copied_to_the_folder(void **state) {
  (void)state;
  start_server("--maxmemory", "0");
  nereid_store_options_t both = defaults;
  both.folder = nereid_arena_format(&arena, "%s/store", folder);
  nereid_store_t *writer = open_with(defaults), *reader = open_with(both);
  assert_int_equal(get(reader, 1), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(put(writer, 1), NEREID_OK);
  assert_int_equal(get(reader, 1), NEREID_OK);
  stop_server();
  assert_int_equal(get(reader, 1), NEREID_OK);
  const nereid_store_counts_t counts = nereid_store_counts(reader);
  assert_int_equal(counts.server_hits, 1);
  assert_int_equal(counts.folder_hits, 1);
  assert_int_equal(events, 0);
  nereid_store_close(writer);
  nereid_store_close(reader);
}

static void texts_and_removal_reach_the_server(void **state) {
  char text[64];
  const nereid_store_key_t key = key_of(1);
  (void)state;
  start_server("--maxmemory", "0");
  nereid_store_t *store = open_with(defaults), *other = open_with(defaults);
  assert_int_equal(nereid_store_assembler(store, text, &message), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(nereid_store_set_assembler(store, "ptxas 13.0.88", &message), NEREID_OK);
  assert_int_equal(nereid_store_assembler(other, text, &message), NEREID_OK);
  assert_string_equal(text, "ptxas 13.0.88");
  assert_int_equal(put(store, 1), NEREID_OK);
  assert_int_equal(nereid_store_remove(other, &key, &message), NEREID_OK);
  assert_int_equal(nereid_store_remove(other, &key, &message), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(get(store, 1), NEREID_ERROR_NOT_FOUND);
  nereid_store_close(store);
  nereid_store_close(other);
}

/* 16 threads request the same 6 keys, half of them with a store that they share: each is compiled once. */
static _Atomic int compilations;

static void *request_all(void *argument) {
  nereid_store_t *store = argument, *own = NULL;
  if (!store && nereid_store_open(&defaults, &own, NULL))
    return "open";
  store = store ? store : own;
  for (unsigned i = 0; i < 6; ++i) {
    const nereid_store_key_t key = key_of(i);
    nereid_store_unit_t *unit;
    nereid_store_claim_t *mine;
    const nereid_status_t status = nereid_store_claim(store, &key, 20000, NULL, &unit, &mine, NULL);
    nereid_store_unit_destroy(unit);
    if (status == NEREID_OK)
      continue;
    if (status != NEREID_ERROR_NOT_FOUND || !mine)
      return "no claim";
    ++compilations;
    sleep_milliseconds(20);
    const nereid_store_content_t content = {.image = {"image", 5}};
    if (nereid_store_put(store, &key, &content, NULL))
      return "put";
    nereid_store_claim_release(mine);
  }
  nereid_store_close(own);
  return NULL;
}

static void one_thread_compiles_each_key(void **state) {
  pthread_t threads[16];
  (void)state;
  start_server("--maxmemory", "0");
  compilations = 0;
  nereid_store_t *shared = open_with(defaults);
  for (size_t i = 0; i < 16; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, request_all, i % 2 ? shared : NULL), 0);
  for (size_t i = 0; i < 16; ++i) {
    void *error;
    pthread_join(threads[i], &error);
    assert_null(error);
  }
  nereid_store_close(shared);
  assert_int_equal(compilations, 6);
  assert_int_equal(events, 0);
}

/* The owner dies without a release: the lease expires, and then another process gets the claim. */
static void a_lease_expires(void **state) {
  nereid_store_claim_t *lost, *mine;
  (void)state;
  start_server("--maxmemory", "0");
  nereid_store_t *owner = open_with(defaults), *other = open_with(defaults);
  assert_int_equal(claim(owner, 1, 0, &lost), NEREID_ERROR_NOT_FOUND);
  assert_non_null(lost);
  double start = seconds();
  assert_int_equal(claim(other, 1, 50, &mine), NEREID_ERROR_NOT_FOUND); /* the wait passes before */
  assert_null(mine);
  assert_true(seconds() - start < 0.8);
  assert_int_equal(claim(other, 1, 0, &mine), NEREID_ERROR_NOT_FOUND);
  assert_non_null(mine);
  assert_true(seconds() - start > 0.5 && seconds() - start < 4.0);
  /* The late release of the first owner does not delete the lease of the second. */
  nereid_store_claim_release(lost);
  assert_int_equal(claim(owner, 1, 50, &lost), NEREID_ERROR_NOT_FOUND);
  assert_null(lost);
  nereid_store_claim_release(mine);
  assert_int_equal(claim(owner, 1, 50, &lost), NEREID_ERROR_NOT_FOUND);
  assert_non_null(lost);
  nereid_store_claim_release(lost);
  assert_int_equal(nereid_store_counts(other).waits, 2);
  nereid_store_close(owner);
  nereid_store_close(other);
}

static void *request_cancellation(void *argument) {
  sleep_milliseconds(100);
  nereid_cancellation_request(argument);
  return NULL;
}

static void waiting_can_be_cancelled(void **state) {
  nereid_store_claim_t *owned, *none;
  nereid_store_unit_t *unit;
  nereid_cancellation_t *stop;
  pthread_t thread;
  const nereid_store_key_t key = key_of(1);
  (void)state;
  start_server("--maxmemory", "0");
  nereid_store_options_t options = defaults;
  options.lease = 60000;
  nereid_store_t *store = open_with(options);
  assert_int_equal(claim(store, 1, 0, &owned), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(nereid_cancellation_create(&stop), NEREID_OK);
  assert_int_equal(pthread_create(&thread, NULL, request_cancellation, stop), 0);
  const double start = seconds();
  assert_int_equal(nereid_store_claim(store, &key, 0, stop, &unit, &none, &message), NEREID_ERROR_CANCELLED);
  assert_true(seconds() - start < 2.0);
  pthread_join(thread, NULL);
  nereid_cancellation_destroy(stop);
  nereid_store_claim_release(owned);
  nereid_store_close(store);
}

/* A server that is away, then paused: a miss and one report; afterwards it is used again. */
static void a_server_that_fails_costs_a_miss(void **state) {
  nereid_store_claim_t *mine;
  (void)state;
  nereid_store_options_t both = defaults;
  both.folder = nereid_arena_format(&arena, "%s/store", folder);
  nereid_store_t *store = open_with(both);
  assert_int_equal(get(store, 1), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(claim(store, 1, 0, &mine), NEREID_ERROR_NOT_FOUND);
  assert_null(mine);
  assert_int_equal(put(store, 1), NEREID_OK); /* in the folder */
  assert_int_equal(events, 1);
  assert_non_null(strstr(last_event, "2: cannot connect to the Redis server"));
  start_server("--maxmemory", "0");
  sleep_milliseconds(1100); /* the first pause */
  assert_int_equal(put(store, 2), NEREID_OK);
  nereid_store_t *other = open_with(defaults);
  assert_int_equal(get(other, 2), NEREID_OK);
  kill(server, SIGSTOP);
  double start = seconds();
  for (unsigned i = 10; i < 20; ++i)
    assert_int_equal(get(other, i), NEREID_ERROR_NOT_FOUND);
  assert_true(seconds() - start < 2.0); /* one time limit, then a pause; not ten */
  assert_non_null(strstr(last_event, "did not answer within the time limit"));
  assert_int_equal(put(other, 3), NEREID_ERROR_IO);
  kill(server, SIGCONT);
  sleep_milliseconds(1100);
  assert_int_equal(put(other, 3), NEREID_OK);
  assert_int_equal(events, 2);
  nereid_store_close(store);
  nereid_store_close(other);
}

static void a_restarted_server_is_used_again(void **state) {
  (void)state;
  start_server("--maxmemory", "0");
  nereid_store_t *store = open_with(defaults);
  assert_int_equal(put(store, 1), NEREID_OK);
  stop_server();
  start_server("--maxmemory", "0");
  assert_int_equal(get(store, 1), NEREID_ERROR_NOT_FOUND); /* it was not persistent */
  assert_int_equal(put(store, 1), NEREID_OK);
  assert_int_equal(get(store, 1), NEREID_OK);
  assert_int_equal(events, 0);
  nereid_store_close(store);
}

static void a_full_server_is_reported_once(void **state) {
  nereid_store_claim_t *mine;
  (void)state;
  start_server("--maxmemory", "1");
  nereid_store_options_t both = defaults;
  both.folder = nereid_arena_format(&arena, "%s/store", folder);
  nereid_store_t *store = open_with(both);
  for (unsigned i = 0; i < 5; ++i) {
    assert_int_equal(claim(store, i, 0, &mine), NEREID_ERROR_NOT_FOUND);
    assert_null(mine);
    assert_int_equal(put(store, i), NEREID_OK);
    assert_int_equal(get(store, i), NEREID_OK);
  }
  assert_int_equal(events, 1);
  assert_non_null(strstr(last_event, "refused 'SET': OOM"));
  nereid_store_close(store);
}

static void a_password_is_sent(void **state) {
  (void)state;
  start_server("--requirepass", "a secret");
  nereid_store_options_t options = defaults;
  nereid_store_t *without = open_with(options);
  options.password = "a secret";
  nereid_store_t *with = open_with(options);
  assert_int_equal(put(without, 1), NEREID_ERROR_IO);
  assert_non_null(strstr(message.text, "NOAUTH"));
  assert_int_equal(put(with, 1), NEREID_OK);
  options.password = "wrong";
  nereid_store_t *wrong = open_with(options);
  assert_int_equal(get(wrong, 1), NEREID_ERROR_NOT_FOUND);
  assert_non_null(strstr(last_event, "refused 'AUTH'"));
  assert_null(strstr(last_event, "wrong"));
  nereid_store_close(without);
  nereid_store_close(with);
  nereid_store_close(wrong);
}

static void hostile_values_are_misses(void **state) {
  static const char *const values[] = {
      "\"\"", "x", "\"NEREIDZ\\x01\"",
      "\"NEREIDZ\\x01\\x28\\xb5\\x2f\\xfd\\xe0\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\"",
      "\"NEREIDZ\\x01\\x28\\xb5\\x2f\\xfd\\x24\\x04\\x21\\x00\\x00\\x61\\x62\\x63\\x64\\x00\\x00\\x00\\x00\""};
  char command[512], text[NEREID_STORE_KEY_LETTERS + 1];
  const nereid_store_key_t key = key_of(1);
  (void)state;
  start_server("--maxmemory", "0");
  nereid_store_t *store = open_with(defaults);
  nereid_store_key_print(&key, text);
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    snprintf(command, sizeof command, "SET nereid:1:%s %s", text, values[i]);
    cli(command);
    assert_int_equal(get(store, 1), NEREID_ERROR_NOT_FOUND);
    assert_int_equal(events, i + 1);
    assert_non_null(strstr(last_event, "0: the value "));
  }
  snprintf(command, sizeof command, "DEL nereid:1:%s", text);
  cli(command);
  snprintf(command, sizeof command, "LPUSH nereid:1:%s a", text); /* a list */
  cli(command);
  assert_int_equal(get(store, 1), NEREID_ERROR_NOT_FOUND);
  assert_non_null(strstr(last_event, "WRONGTYPE"));
  /* The unit of another key. */
  assert_int_equal(put(store, 2), NEREID_OK);
  char other[NEREID_STORE_KEY_LETTERS + 1];
  const nereid_store_key_t second = key_of(2);
  nereid_store_key_print(&second, other);
  snprintf(command, sizeof command, "RENAME nereid:1:%s nereid:1:%s", other, text);
  cli(command);
  assert_int_equal(get(store, 1), NEREID_ERROR_NOT_FOUND);
  assert_non_null(strstr(last_event, "the unit of another key"));
  nereid_store_close(store);
}

/* --- a hostile server --- */

typedef struct hostile {
  int listener;
  const char *reply;
  bool is_slow; /* a byte each 20 ms */
} hostile_t;

static void *serve(void *argument) {
  const hostile_t *hostile = argument;
  char request[256];
  for (int client; (client = accept(hostile->listener, NULL, NULL)) >= 0; close(client)) {
    if (read(client, request, sizeof request) <= 0)
      continue;
    const size_t size = strlen(hostile->reply), step = hostile->is_slow ? 1 : size;
    for (size_t at = 0; at < size && send(client, hostile->reply + at, step, MSG_NOSIGNAL) > 0; at += step)
      sleep_milliseconds(hostile->is_slow ? 20 : 0);
    shutdown(client, SHUT_WR);
  }
  return NULL;
}

static void request_from_hostile(const char *reply, bool is_slow) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  hostile_t hostile = {.listener = socket(AF_UNIX, SOCK_STREAM, 0), .reply = reply, .is_slow = is_slow};
  pthread_t thread;
  snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
  assert_int_equal(bind(hostile.listener, (struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(hostile.listener, 4), 0);
  assert_int_equal(pthread_create(&thread, NULL, serve, &hostile), 0);
  nereid_store_t *store = open_with(defaults);
  const int before = events;
  const double start = seconds();
  assert_int_equal(get(store, 1), NEREID_ERROR_NOT_FOUND);
  assert_true(seconds() - start < 2.0);
  assert_int_equal(events, before + 1);
  nereid_store_close(store);
  shutdown(hostile.listener, SHUT_RDWR);
  close(hostile.listener);
  pthread_join(thread, NULL);
  unlink(socket_path);
}

static void hostile_replies_are_misses(void **state) {
  static const char *const replies[] = {"",
                                        "hello\r\n",
                                        "$5\r\nab",
                                        "$9223372036854775807\r\nab",
                                        "$-9\r\n",
                                        "*2147483647\r\n",
                                        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
                                        "+OK\r\n",
                                        ":12345678901234567890123\r\n",
                                        "-ERR no\r\n",
                                        "$3\r\nabc\r\n"};
  (void)state;
  for (size_t i = 0; i < sizeof replies / sizeof *replies; ++i)
    request_from_hostile(replies[i], false);
  request_from_hostile("$100\r\nA server that sends a byte from time to time, forever.", true);
}

static void urls_are_checked(void **state) {
  static const char *const wrong[] = {
      "http://host",       "redis://",       "redis://host:0",  "redis://host:70000",
      "redis://host:1x",   "redis://host/x", "redis://[::1",    "redis://[::1]x",
      "redis://a%zz@host", "unix://",        "unix://relative", "redis://user:secret%@host"};
  nereid_store_t *store;
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    nereid_store_options_t options = {.size = sizeof options, .redis = wrong[i]};
    assert_int_equal(nereid_store_open(&options, &store, &message), NEREID_ERROR_ARGUMENT);
    assert_null(strstr(message.text, "secret"));
  }
  static const char *const right[] = {"redis://host", "redis://[::1]:7/3", "redis://u:p%40@h:1/2", "unix:///a"};
  for (size_t i = 0; i < sizeof right / sizeof *right; ++i) {
    nereid_store_options_t options = {.size = sizeof options, .redis = right[i]};
    assert_int_equal(nereid_store_open(&options, &store, &message), NEREID_OK);
    nereid_store_close(store);
  }
}

/* Debian's redis-tools has the program of the server under the name redis-check-rdb, and starts no service. */
static bool find_server(void) {
  if (system("redis-server --version >/dev/null 2>&1") == 0)
    return true;
  program = "redis-check-rdb";
  return system("redis-check-rdb --version >/dev/null 2>&1; test $? != 127") == 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)
  const struct CMUnitTest tests[] = {
      TEST(urls_are_checked),
      TEST(hostile_replies_are_misses),
      TEST(a_unit_of_the_server_is_copied_to_the_folder),
      TEST(texts_and_removal_reach_the_server),
      TEST(one_thread_compiles_each_key),
      TEST(a_lease_expires),
      TEST(waiting_can_be_cancelled),
      TEST(a_server_that_fails_costs_a_miss),
      TEST(a_restarted_server_is_used_again),
      TEST(a_full_server_is_reported_once),
      TEST(a_password_is_sent),
      TEST(hostile_values_are_misses),
  };
  const nereid_store_options_t options = {.size = sizeof options, .redis = "unix:///none"};
  nereid_store_t *store;
  if (nereid_store_open(&options, &store, NULL) == NEREID_ERROR_UNSUPPORTED || !find_server()) {
    puts("skipped: no redis-server, or no hiredis in this build");
    return 0;
  }
  nereid_store_close(store);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
