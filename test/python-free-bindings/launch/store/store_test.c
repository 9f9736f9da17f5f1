/* The folder level of a store: units are read back, replaced and removed as a whole; damage, a read-only, full or
 * vanished folder, and files of others cost a miss or a status. */
#include "nereid/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "test/fixture.h"

static char folder[64];
static nereid_store_t *store;
static char last_event[1024];
static int events;

static void keep_event(void *user_data, nereid_store_event_t event, const char *text) {
  (void)user_data;
  ++events;
  snprintf(last_event, sizeof last_event, "%d: %s", (int)event, text);
}

static nereid_store_t *open_store(uint64_t limit, bool read_only) {
  const nereid_store_options_t options = {
      .size = sizeof options, .folder = folder, .limit = limit, .read_only = read_only, .handler = keep_event};
  nereid_store_t *made = NULL;
  assert_int_equal(nereid_store_open(&options, &made, &message), NEREID_OK);
  return made;
}

static int open_folder(void **state) {
  set_up(state);
  snprintf(folder, sizeof folder, "/tmp/nereid-store-test-XXXXXX");
  if (!mkdtemp(folder))
    return 1;
  events = 0;
  last_event[0] = '\0';
  store = open_store(0, false);
  return 0;
}

static void remove_folder(void) {
  char command[256];
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
  assert_int_equal(system(command), 0);
}

static int close_folder(void **state) {
  nereid_store_close(store);
  remove_folder();
  return tear_down(state);
}

static nereid_store_key_t key_of(unsigned number) {
  const nereid_store_recipe_t recipe = {.size = sizeof recipe, .input = {(const char *)&number, sizeof number}};
  nereid_store_key_t key;
  assert_int_equal(nereid_store_key_make(&recipe, &key), NEREID_OK);
  return key;
}

/* The content of key `number` is a function of it. */
static nereid_status_t put(nereid_store_t *to, unsigned number, size_t size) {
  char *image = malloc(size);
  assert_non_null(image);
  memset(image, (int)(number % 251), size);
  const nereid_store_content_t content = {{image, size}, nereid_view("{\"name\": \"k\"}"), nereid_view("[]")};
  const nereid_store_key_t key = key_of(number);
  const nereid_status_t status = nereid_store_put(to, &key, &content, &message);
  free(image);
  return status;
}

static nereid_status_t get(nereid_store_t *from, unsigned number, size_t *out_size) {
  const nereid_store_key_t key = key_of(number);
  nereid_store_unit_t *unit;
  const nereid_status_t status = nereid_store_get(from, &key, &unit, &message);
  if (status) {
    assert_null(unit);
    return status;
  }
  const nereid_store_content_t content = nereid_store_unit_content(unit);
  for (size_t i = 0; i < content.image.size; ++i)
    assert_int_equal((unsigned char)content.image.data[i], number % 251);
  assert_string_equal(content.metadata.data, "{\"name\": \"k\"}");
  assert_string_equal(content.tuning.data, "[]");
  if (out_size)
    *out_size = content.image.size;
  nereid_store_unit_destroy(unit);
  return status;
}

static const char *path_of(unsigned number) {
  char text[NEREID_STORE_KEY_LETTERS + 1];
  const nereid_store_key_t key = key_of(number);
  nereid_store_key_print(&key, text);
  return nereid_arena_format(&arena, "%s/%.2s/%s", folder, text, text);
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* Sets the last use of a unit to `seconds` ago. */
static void age(const char *path, long seconds) {
  struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void a_unit_is_read_back_and_replaced(void **state) {
  size_t size = 0;
  (void)state;
  assert_int_equal(get(store, 1, NULL), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(put(store, 1, 100), NEREID_OK);
  assert_int_equal(get(store, 1, &size), NEREID_OK);
  assert_int_equal(size, 100);
  assert_int_equal(put(store, 1, 5000), NEREID_OK);
  nereid_store_t *other = open_store(0, true);
  assert_int_equal(get(other, 1, &size), NEREID_OK);
  assert_int_equal(size, 5000);
  assert_int_equal(put(other, 2, 10), NEREID_ERROR_ARGUMENT);
  nereid_store_close(other);
  const nereid_store_key_t key = key_of(1);
  assert_int_equal(nereid_store_remove(store, &key, &message), NEREID_OK);
  assert_int_equal(nereid_store_remove(store, &key, &message), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(get(store, 1, NULL), NEREID_ERROR_NOT_FOUND);
  const nereid_store_counts_t counts = nereid_store_counts(store);
  assert_int_equal(counts.folder_hits, 1);
  assert_int_equal(counts.misses, 2);
  assert_int_equal(counts.puts, 2);
  assert_int_equal(events, 0);
}

static void wrong_calls_are_refused(void **state) {
  const nereid_store_key_t key = key_of(1);
  nereid_store_options_t options = {.size = sizeof options};
  nereid_store_t *made;
  nereid_store_unit_t *unit;
  nereid_store_claim_t *claim;
  (void)state;
  assert_int_equal(nereid_store_open(&options, &made, &message), NEREID_ERROR_ARGUMENT);
  assert_null(made);
  assert_int_equal(nereid_store_open(NULL, &made, &message), NEREID_ERROR_ARGUMENT);
  options.folder = nereid_arena_format(&arena, "%s/file", folder);
  write_text(options.folder, "x");
  assert_int_equal(nereid_store_open(&options, &made, &message), NEREID_ERROR_IO);
  assert_non_null(strstr(message.text, "is not a folder"));
  options.folder = "/proc/no/store";
  assert_int_equal(nereid_store_open(&options, &made, &message), NEREID_ERROR_IO);
  options.folder = nereid_arena_format(&arena, "%s/a/b/c", folder);
  assert_int_equal(nereid_store_open(&options, &made, &message), NEREID_OK);
  nereid_store_close(made);
  assert_int_equal(nereid_store_get(NULL, &key, &unit, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_store_get(store, NULL, &unit, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_store_put(store, &key, NULL, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_store_claim(store, &key, 0, NULL, &unit, NULL, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_store_claim(store, &key, 0, NULL, &unit, &claim, &message), NEREID_ERROR_NOT_FOUND);
  nereid_store_claim_release(claim);
  nereid_store_unit_destroy(NULL);
  nereid_store_close(NULL);
}

/* Damage is a miss with a report each time; the next put repairs it. */
static void a_damaged_unit_is_reported_and_rebuilt(void **state) {
  nereid_store_unit_t *unit;
  const nereid_store_key_t key = key_of(3);
  (void)state;
  assert_int_equal(put(store, 3, 100), NEREID_OK);
  write_text(path_of(3), "NEREIDU");
  assert_int_equal(get(store, 3, NULL), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(get(store, 3, NULL), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(events, 2);
  assert_non_null(strstr(last_event, "0: the unit "));
  assert_non_null(strstr(last_event, "is damaged: it is shorter than a header"));
  assert_int_equal(nereid_store_inspect(store, &key, &unit, &message), NEREID_ERROR_IO);
  assert_int_equal(put(store, 3, 100), NEREID_OK);
  assert_int_equal(get(store, 3, NULL), NEREID_OK);
  assert_int_equal(nereid_store_counts(store).damaged, 2);
}

/* A unit under the name of another key, a link and a pipe in place of a unit. */
static void foreign_files_are_not_units(void **state) {
  (void)state;
  assert_int_equal(put(store, 4, 100), NEREID_OK);
  assert_int_equal(put(store, 5, 100), NEREID_OK);
  assert_int_equal(rename(path_of(4), path_of(5)), 0);
  assert_int_equal(get(store, 5, NULL), NEREID_ERROR_NOT_FOUND);
  assert_non_null(strstr(last_event, "the unit of another key"));
  assert_int_equal(symlink(path_of(5), path_of(4)), 0);
  assert_int_equal(get(store, 4, NULL), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(unlink(path_of(4)), 0);
  assert_int_equal(mkfifo(path_of(4), 0600), 0);
  assert_int_equal(get(store, 4, NULL), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(put(store, 4, 100), NEREID_OK);
  assert_int_equal(get(store, 4, NULL), NEREID_OK);
}

static bool count_unit(void *user_data, const nereid_store_item_t *item) {
  *(size_t *)user_data += item->bytes > 100;
  return true;
}

static size_t count_units(void) {
  size_t n = 0;
  assert_int_equal(nereid_store_walk(store, count_unit, &n, &message), NEREID_OK);
  return n;
}

static void the_least_recently_used_are_removed_first(void **state) {
  nereid_store_usage_t usage;
  (void)state;
  for (unsigned i = 0; i < 8; ++i) {
    assert_int_equal(put(store, i, 1000), NEREID_OK);
    age(path_of(i), 100 - (long)i);
  }
  assert_int_equal(get(store, 0, NULL), NEREID_OK); /* now the most recent one */
  write_text(nereid_arena_format(&arena, "%s/tmp/old", folder), "left by a killed process");
  write_text(nereid_arena_format(&arena, "%s/tmp/new", folder), "being written");
  age(nereid_arena_format(&arena, "%s/tmp/old", folder), 4000);
  assert_int_equal(nereid_store_collect(store, 4600, &usage, &message), NEREID_OK);
  assert_int_equal(usage.units, 4);
  assert_int_equal(usage.removed_units, 4);
  assert_int_equal(usage.bytes, usage.removed_bytes);
  assert_int_equal(usage.removed_files, 1);
  for (unsigned i = 0; i < 8; ++i)
    assert_int_equal(get(store, i, NULL), i == 0 || i > 4 ? NEREID_OK : NEREID_ERROR_NOT_FOUND);
  assert_int_equal(access(nereid_arena_format(&arena, "%s/tmp/new", folder), F_OK), 0);
}

static void the_folder_stays_below_its_limit(void **state) {
  (void)state;
  nereid_store_t *small = open_store(20000, false);
  for (unsigned i = 0; i < 100; ++i) {
    assert_int_equal(put(small, i, 1000), NEREID_OK);
    assert_int_equal(get(small, i, NULL), NEREID_OK); /* a put does not remove its own unit */
    assert_true(count_units() * 1128 <= 20000);
  }
  assert_true(count_units() >= 14);
  assert_int_equal(put(small, 100, 10001), NEREID_ERROR_ARGUMENT);
  assert_non_null(strstr(message.text, "larger than half of the store's limit"));
  nereid_store_close(small);
}

/* A full disk, as a limit of the size of a file. */
static void a_full_disk_is_a_status(void **state) {
  struct rlimit old, small;
  (void)state;
  assert_int_equal(put(store, 6, 100), NEREID_OK);
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 4096;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const nereid_status_t status = put(store, 6, 100000);
  setrlimit(RLIMIT_FSIZE, &old);
  assert_int_equal(status, NEREID_ERROR_IO);
  assert_non_null(strstr(message.text, "cannot write"));
  size_t size = 0;
  assert_int_equal(get(store, 6, &size), NEREID_OK); /* the unit before it is unchanged */
  assert_int_equal(size, 100);
  nereid_store_usage_t usage;
  assert_int_equal(nereid_store_collect(store, 1 << 20, &usage, &message), NEREID_OK);
  DIR *left = opendir(nereid_arena_format(&arena, "%s/tmp", folder));
  for (const struct dirent *entry; (entry = readdir(left));)
    assert_int_equal(entry->d_name[0], '.');
  closedir(left);
}

/* Root ignores permissions. */
static bool drop_root(void) {
  return geteuid() != 0 || seteuid(65534) == 0;
}

static void take_root(void) {
  if (getuid() == 0)
    assert_int_equal(seteuid(0), 0);
}

static void a_read_only_folder_is_read(void **state) {
  (void)state;
  assert_int_equal(put(store, 7, 100), NEREID_OK);
  char command[256];
  snprintf(command, sizeof command, "chmod -R a-w,a+rX %s", folder);
  assert_int_equal(system(command), 0);
  assert_true(drop_root());
  const nereid_status_t got = get(store, 7, NULL), written = put(store, 7, 200), added = put(store, 8, 200);
  take_root();
  assert_int_equal(got, NEREID_OK);
  assert_int_equal(written, NEREID_ERROR_IO);
  assert_int_equal(added, NEREID_ERROR_IO);
  assert_non_null(strstr(message.text, "Permission denied"));
  snprintf(command, sizeof command, "chmod 000 %s", path_of(7));
  assert_int_equal(system(command), 0);
  assert_true(drop_root());
  const nereid_status_t unreadable = get(store, 7, NULL), again = get(store, 7, NULL);
  take_root();
  assert_int_equal(unreadable, NEREID_ERROR_NOT_FOUND);
  assert_int_equal(again, NEREID_ERROR_NOT_FOUND);
  assert_int_equal(events, 1); /* once per store */
  assert_non_null(strstr(last_event, "kernels are not stored"));
}

static void a_vanished_folder_is_a_miss(void **state) {
  (void)state;
  assert_int_equal(put(store, 9, 100), NEREID_OK);
  remove_folder();
  assert_int_equal(get(store, 9, NULL), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(events, 1);
  assert_int_equal(put(store, 9, 100), NEREID_ERROR_IO);
  size_t n = 0;
  assert_int_equal(nereid_store_walk(store, count_unit, &n, &message), NEREID_ERROR_IO);
  assert_int_equal(access(folder, F_OK), -1); /* not created again: it may have been a mount point */
  assert_int_equal(mkdir(folder, 0700), 0);
  assert_int_equal(put(store, 9, 100), NEREID_OK);
  assert_int_equal(get(store, 9, NULL), NEREID_OK);
}

static void the_assembler_is_recorded(void **state) {
  char text[64];
  (void)state;
  assert_int_equal(nereid_store_assembler(store, text, &message), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(nereid_store_set_assembler(store, "", &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_store_set_assembler(store, "ptxas\n", &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_store_set_assembler(store, "ptxas 13.0.88", &message), NEREID_OK);
  assert_int_equal(nereid_store_assembler(store, text, &message), NEREID_OK);
  assert_string_equal(text, "ptxas 13.0.88");
  write_text(nereid_arena_format(&arena, "%s/assembler", folder), "\x01\x02");
  assert_int_equal(nereid_store_assembler(store, text, &message), NEREID_ERROR_NOT_FOUND);
}

/* 16 threads put, get, list and collect 24 keys in a store that has room for some of them. */
static void *use(void *argument) {
  nereid_store_t *shared = argument;
  static _Atomic unsigned seeds;
  unsigned seed = ++seeds;
  for (int i = 0; i < 60; ++i) {
    const unsigned number = (unsigned)rand_r(&seed) % 24, size = 500 + number;
    const nereid_store_key_t key = key_of(number);
    nereid_store_unit_t *unit;
    const nereid_status_t status = nereid_store_get(shared, &key, &unit, NULL);
    if (status == NEREID_OK) {
      const nereid_store_content_t content = nereid_store_unit_content(unit);
      if (content.image.size != size || content.image.data[size - 1] != (char)number)
        return "wrong unit";
      nereid_store_unit_destroy(unit);
      continue;
    }
    char image[600];
    memset(image, (int)number, sizeof image);
    const nereid_store_content_t content = {.image = {image, size}};
    if (status != NEREID_ERROR_NOT_FOUND || nereid_store_put(shared, &key, &content, NULL))
      return "a call failed";
  }
  return NULL;
}

static void threads_share_a_store(void **state) {
  pthread_t threads[16];
  (void)state;
  nereid_store_t *shared = open_store(12000, false);
  for (size_t i = 0; i < 16; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, use, shared), 0);
  for (size_t i = 0; i < 16; ++i) {
    void *error;
    pthread_join(threads[i], &error);
    assert_null(error);
  }
  assert_int_equal(nereid_store_counts(shared).damaged, 0);
  assert_int_equal(events, 0);
  nereid_store_close(shared);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)
  const struct CMUnitTest tests[] = {
      TEST(a_unit_is_read_back_and_replaced),
      TEST(wrong_calls_are_refused),
      TEST(a_damaged_unit_is_reported_and_rebuilt),
      TEST(foreign_files_are_not_units),
      TEST(the_least_recently_used_are_removed_first),
      TEST(the_folder_stays_below_its_limit),
      TEST(a_full_disk_is_a_status),
      TEST(a_read_only_folder_is_read),
      TEST(a_vanished_folder_is_a_miss),
      TEST(the_assembler_is_recorded),
      TEST(threads_share_a_store),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
