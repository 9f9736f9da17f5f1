/* A Redis server of a test, on a socket in a temporary folder, and stores that use it. */
#ifndef NEREID_TEST_SERVER_FIXTURE_H
#define NEREID_TEST_SERVER_FIXTURE_H

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

static nereid_status_t claim(nereid_store_t *store, unsigned number, uint32_t wait, nereid_store_claim_t **out_claim) {
  const nereid_store_key_t key = key_of(number);
  nereid_store_unit_t *unit;
  const nereid_status_t status = nereid_store_claim(store, &key, wait, NULL, &unit, out_claim, NULL);
  nereid_store_unit_destroy(unit);
  return status;
}

/* --- the program of the server --- */

/* Debian's redis-tools has the program of the server under the name redis-check-rdb, and starts no service. */
static bool find_server(void) {
  if (system("redis-server --version >/dev/null 2>&1") == 0)
    return true;
  program = "redis-check-rdb";
  return system("redis-check-rdb --version >/dev/null 2>&1; test $? != 127") == 0;
}

/* False, with a note, where there is no server to test with. */
static bool can_test(void) {
  const nereid_store_options_t options = {.size = sizeof options, .redis = "unix:///none"};
  nereid_store_t *store;
  if (nereid_store_open(&options, &store, NULL) == NEREID_ERROR_UNSUPPORTED || !find_server()) {
    puts("skipped: no redis-server, or no hiredis in this build");
    return false;
  }
  nereid_store_close(store);
  return true;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

#endif
