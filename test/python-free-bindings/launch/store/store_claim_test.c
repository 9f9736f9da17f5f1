/* Claims of keys on a Redis server: one compiler per key, leases that expire with their process and are renewed
 * otherwise, replies that are lost. Skipped where there is no redis-server, or in a build without hiredis. */
#include "test/python-free-bindings/launch/store/server_fixture.h"

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

/* A process that claims a key and is then stopped, so that it does not renew its lease. */
static pid_t claim_and_stop(unsigned number) {
  const pid_t child = fork();
  int state;
  assert_true(child >= 0);
  if (child == 0) {
    nereid_store_claim_t *mine;
    nereid_store_t *store;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (nereid_store_open(&defaults, &store, NULL) || claim(store, number, 0, &mine) != NEREID_ERROR_NOT_FOUND || !mine)
      _exit(1);
    raise(SIGSTOP);
    nereid_store_claim_release(mine);
    nereid_store_close(store);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &state, WUNTRACED), child);
  assert_true(WIFSTOPPED(state));
  return child;
}

/* The owner is stopped without a release: the lease expires, and then another process gets the claim. */
static void a_lease_expires(void **state) {
  nereid_store_claim_t *mine, *third;
  int exit_status;
  (void)state;
  start_server("--maxmemory", "0");
  const pid_t owner = claim_and_stop(1);
  nereid_store_t *other = open_with(defaults), *last = open_with(defaults);
  double start = seconds();
  assert_int_equal(claim(other, 1, 50, &mine), NEREID_ERROR_NOT_FOUND); /* the wait passes before */
  assert_null(mine);
  assert_true(seconds() - start < 0.8);
  assert_int_equal(claim(other, 1, 0, &mine), NEREID_ERROR_NOT_FOUND);
  assert_non_null(mine);
  assert_true(seconds() - start > 0.3 && seconds() - start < 4.0);
  /* The late release of the first owner does not delete the lease of the second. */
  kill(owner, SIGCONT);
  assert_int_equal(waitpid(owner, &exit_status, 0), owner);
  assert_int_equal(exit_status, 0);
  assert_int_equal(claim(last, 1, 50, &third), NEREID_ERROR_NOT_FOUND);
  assert_null(third);
  nereid_store_claim_release(mine);
  assert_int_equal(claim(last, 1, 50, &third), NEREID_ERROR_NOT_FOUND);
  assert_non_null(third);
  nereid_store_claim_release(third);
  assert_int_equal(nereid_store_counts(other).waits, 2);
  nereid_store_close(other);
  nereid_store_close(last);
}

/* A compilation takes three leases: no other process gets the claim, and it ends with its release. */
static void a_lease_is_renewed(void **state) {
  nereid_store_claim_t *first, *second, *mine;
  (void)state;
  start_server("--maxmemory", "0");
  nereid_store_t *owner = open_with(defaults), *other = open_with(defaults);
  assert_int_equal(claim(owner, 1, 0, &first), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(claim(owner, 2, 0, &second), NEREID_ERROR_NOT_FOUND);
  assert_true(first && second);
  assert_int_equal(claim(other, 1, 3000, &mine), NEREID_ERROR_NOT_FOUND);
  assert_null(mine);
  assert_int_equal(claim(other, 2, 50, &mine), NEREID_ERROR_NOT_FOUND);
  assert_null(mine);
  nereid_store_claim_release(first);
  assert_int_equal(claim(other, 1, 50, &mine), NEREID_ERROR_NOT_FOUND);
  assert_non_null(mine);
  nereid_store_claim_release(mine);
  nereid_store_claim_release(second);
  assert_int_equal(events, 0);
  nereid_store_close(owner);
  nereid_store_close(other);
}

/* Forwards requests to the server and replies to the client, but closes the connection instead of forwarding reply
 * number `lost`. */
typedef struct proxy {
  int listener, lost, replies;
} proxy_t;

static bool forward(int from, int to) {
  char bytes[4096];
  const ssize_t n = read(from, bytes, sizeof bytes);
  return n > 0 && send(to, bytes, (size_t)n, MSG_NOSIGNAL) == n;
}

static void *forward_all(void *argument) {
  proxy_t *proxy = argument;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
  for (int client; (client = accept(proxy->listener, NULL, NULL)) >= 0; close(client)) {
    const int upstream = socket(AF_UNIX, SOCK_STREAM, 0);
    char ignored[4096];
    bool is_open = connect(upstream, (struct sockaddr *)&address, sizeof address) == 0;
    while (is_open && forward(client, upstream))
      is_open =
          ++proxy->replies == proxy->lost ? read(upstream, ignored, sizeof ignored) < 0 : forward(upstream, client);
    close(upstream);
  }
  return NULL;
}

/* The server sets the lease, but its reply is lost: the repeated command finds the lease of its own. */
static void a_lease_whose_reply_was_lost_is_recognized(void **state) {
  char path[96], proxy_url[128];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  proxy_t proxy = {.listener = socket(AF_UNIX, SOCK_STREAM, 0), .lost = 2}; /* the replies of GET and of the claim */
  nereid_store_claim_t *mine, *none;
  pthread_t thread;
  (void)state;
  start_server("--maxmemory", "0");
  snprintf(path, sizeof path, "%s/proxy", folder);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  assert_int_equal(bind(proxy.listener, (struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(proxy.listener, 4), 0);
  assert_int_equal(pthread_create(&thread, NULL, forward_all, &proxy), 0);
  snprintf(proxy_url, sizeof proxy_url, "unix://%s", path);
  nereid_store_options_t options = defaults;
  options.redis = proxy_url;
  options.lease = 60000;
  nereid_store_t *store = open_with(options), *other = open_with(defaults);
  assert_int_equal(claim(store, 1, 50, &mine), NEREID_ERROR_NOT_FOUND);
  assert_non_null(mine);
  assert_true(proxy.replies > 2);
  assert_int_equal(claim(other, 1, 50, &none), NEREID_ERROR_NOT_FOUND);
  assert_null(none);
  nereid_store_claim_release(mine);
  assert_int_equal(claim(other, 1, 50, &mine), NEREID_ERROR_NOT_FOUND);
  assert_non_null(mine);
  nereid_store_claim_release(mine);
  assert_int_equal(events, 0);
  nereid_store_close(store);
  nereid_store_close(other);
  shutdown(proxy.listener, SHUT_RDWR);
  close(proxy.listener);
  pthread_join(thread, NULL);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(one_thread_compiles_each_key), TEST(a_lease_expires),
      TEST(a_lease_is_renewed),           TEST(a_lease_whose_reply_was_lost_is_recognized),
      TEST(waiting_can_be_cancelled),
  };
  return can_test() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
