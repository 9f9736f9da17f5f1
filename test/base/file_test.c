/* Files are written completely or not at all. */
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/nereid-file-XXXXXX";
static nereid_arena_t arena;

static int set_up(void **state) {
  (void)state;
  nereid_arena_initialize(&arena);
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  nereid_arena_deinitialize(&arena);
  return rmdir(folder); /* fails when a test left something */
}

static const char *in_folder(const char *name) {
  return nereid_arena_format(&arena, "%s/%s", folder, name);
}

static int entries(void) {
  int count = 0;
  DIR *directory = opendir(folder);
  while (directory && readdir(directory))
    ++count;
  closedir(directory);
  return count - 2;
}

static void what_is_written_is_read(void **state) {
  const char *path = in_folder("a");
  nereid_view_t read;
  (void)state;
  assert_int_equal(nereid_file_write(path, nereid_view_of("x\0y", 3), NULL), NEREID_OK);
  assert_int_equal(nereid_file_write(path, nereid_view_of("second\0", 7), NULL), NEREID_OK);
  assert_int_equal(entries(), 1);
  assert_int_equal(nereid_file_read(&arena, path, &read, NULL), NEREID_OK);
  assert_int_equal(read.size, 7);
  assert_memory_equal(read.data, "second\0", 8); /* and a terminating NUL */
  unlink(path);
}

static mode_t mode_of(const char *path) {
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  return about.st_mode & 0777;
}

/* A replaced file keeps its mode; a new one gets 0666 without the bits of the umask. */
static void modes_are_kept(void **state) {
  const char *path = in_folder("private");
  const mode_t old = umask(022);
  (void)state;
  assert_int_equal(nereid_file_write(path, nereid_view("x"), NULL), NEREID_OK);
  assert_int_equal(mode_of(path), 0644);
  assert_int_equal(chmod(path, 0600), 0);
  assert_int_equal(nereid_file_write(path, nereid_view("y"), NULL), NEREID_OK);
  assert_int_equal(mode_of(path), 0600);
  umask(old);
  unlink(path);
}

/* The target of a link is replaced, not the link; the target of /dev/stdout is written in place. */
static void links_stay(void **state) {
  const char *path = in_folder("a"), *link = in_folder("link");
  nereid_view_t read;
  struct stat about;
  (void)state;
  assert_int_equal(nereid_file_write(path, nereid_view("first, longer"), NULL), NEREID_OK);
  assert_int_equal(symlink(path, link), 0);
  assert_int_equal(nereid_file_write(link, nereid_view("second"), NULL), NEREID_OK);
  assert_true(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
  assert_int_equal(nereid_file_read(&arena, path, &read, NULL), NEREID_OK);
  assert_string_equal(read.data, "second");
  const int descriptor = open(path, O_RDWR);
  assert_true(descriptor >= 0);
  const char *through = nereid_arena_format(&arena, "/dev/fd/%d", descriptor);
  assert_int_equal(nereid_file_write(through, nereid_view("third"), NULL), NEREID_OK);
  struct stat opened, named;
  assert_true(fstat(descriptor, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino);
  close(descriptor);
  assert_int_equal(nereid_file_read(&arena, path, &read, NULL), NEREID_OK);
  assert_string_equal(read.data, "third");
  unlink(link);
  unlink(path);
}

static void a_large_pipe_is_read_whole(void **state) {
  const char *path = in_folder("pipe");
  nereid_view_t read;
  (void)state;
  assert_int_equal(mkfifo(path, 0600), 0);
  FILE *writer = popen(nereid_arena_format(&arena, "head -c 300000 /dev/zero >%s", path), "r");
  assert_non_null(writer);
  assert_int_equal(nereid_file_read(&arena, path, &read, NULL), NEREID_OK);
  assert_int_equal(read.size, 300000);
  pclose(writer);
  unlink(path);
}

static void failures_are_named_and_leave_nothing(void **state) {
  nereid_message_t message = {0};
  nereid_view_t read;
  (void)state;
  assert_int_equal(nereid_file_read(&arena, in_folder("none"), &read, &message), NEREID_ERROR_IO);
  assert_non_null(strstr(message.text, "none"));
  assert_int_equal(nereid_file_read(&arena, folder, &read, &message), NEREID_ERROR_IO);
  assert_int_equal(nereid_file_write(in_folder("no/such/folder"), nereid_view("x"), &message), NEREID_ERROR_IO);
  assert_int_equal(nereid_file_check(in_folder("no/such/folder"), &message), NEREID_ERROR_IO);
  assert_int_equal(nereid_file_check(in_folder("new"), &message), NEREID_OK);
  assert_int_equal(nereid_file_check("new", &message), NEREID_OK);
  assert_int_equal(nereid_file_check("/dev/null", &message), NEREID_OK);
  assert_non_null(strstr(message.text, "no/such/folder"));
  assert_int_equal(nereid_file_write("/dev/full", nereid_view("x"), &message), NEREID_ERROR_IO);
  assert_int_equal(nereid_file_write("/dev/null", nereid_view("x"), &message), NEREID_OK);
  assert_int_equal(entries(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(modes_are_kept),
      cmocka_unit_test(links_stay),
      cmocka_unit_test(a_large_pipe_is_read_whole),
      cmocka_unit_test(failures_are_named_and_leave_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
