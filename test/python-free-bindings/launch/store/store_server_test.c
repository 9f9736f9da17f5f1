/* The server level of a store, with a Redis server of its own that is killed, paused, filled and restarted, and with
 * sockets that send hostile replies. Skipped where there is no redis-server, or in a build without hiredis. */
#include "test/python-free-bindings/launch/store/server_fixture.h"

/* Runs a command of redis-cli. */
static void cli(const char *command) {
  char text[640];
  snprintf(text, sizeof text, "redis-cli -s %s >/dev/null <<'EOF'\n%s\nEOF\n", socket_path, command);
  assert_int_equal(system(text), 0);
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
  assert_non_null(strstr(last_event, "refused 'EVAL': OOM"));
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

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(urls_are_checked),
      TEST(hostile_replies_are_misses),
      TEST(a_unit_of_the_server_is_copied_to_the_folder),
      TEST(texts_and_removal_reach_the_server),
      TEST(a_server_that_fails_costs_a_miss),
      TEST(a_restarted_server_is_used_again),
      TEST(a_full_server_is_reported_once),
      TEST(a_password_is_sent),
      TEST(hostile_values_are_misses),
  };
  return can_test() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
