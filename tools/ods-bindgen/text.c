/* Growable text, files that are written only on change, and the exit on invalid input.
 *
 * The generator is a short-lived process and frees no memory. A file with unchanged content keeps its time stamp, so
 * that a change of a comment in a .td file causes no recompilation. */
#include "tools/ods-bindgen/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static nereid_arena_t forever;

noreturn void fail(const char *message, ...) {
  fputs("ods-bindgen: error: ", stderr);
  va_list arguments;
  va_start(arguments, message);
  vfprintf(stderr, message, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(2);
}

static void reserve(text_t *text, size_t more) {
  if (text->capacity - text->size > more)
    return;
  size_t capacity = text->capacity * 2 + more + 4096;
  char *data = more < SIZE_MAX / 4 && capacity < SIZE_MAX / 4 ? realloc(text->data, capacity) : NULL;
  if (!data)
    fail("out of memory");
  text->data = data;
  text->capacity = capacity;
}

static void add_v(text_t *text, const char *message, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, message, again);
  va_end(again);
  if (size < 0)
    fail("a text cannot be formatted");
  reserve(text, (size_t)size);
  vsnprintf(text->data + text->size, (size_t)size + 1, message, arguments);
  text->size += (size_t)size;
}

void add(text_t *text, const char *message, ...) {
  va_list arguments;
  va_start(arguments, message);
  add_v(text, message, arguments);
  va_end(arguments);
}

void add_text(text_t *text, const text_t *other) {
  if (other->size)
    add(text, "%s", other->data);
}

void text_free(text_t *text) {
  free(text->data);
  *text = (text_t){0};
}

void add_wrapped(text_t *text, const char *prefix, const char *words) {
  size_t column = 0;
  while (*words) {
    words += strspn(words, " \n\t");
    size_t length = strcspn(words, " \n\t");
    if (!length)
      break;
    if (column && column + 1 + length > 118) {
      add(text, "\n");
      column = 0;
    }
    add(text, "%s", column ? " " : prefix);
    column += column ? 1 : strlen(prefix);
    for (size_t i = 0; i < length; i++)
      add(text, words[i] == '/' && i && words[i - 1] == '*' ? " %c" : "%c", words[i]);
    column += length;
    words += length;
  }
}

void add_declaration(text_t *text, const char *declaration) {
  size_t column = 0;
  while (*declaration) {
    size_t length = strcspn(declaration, ",");
    length += declaration[length] == ',';
    if (column && column + length > 119) {
      add(text, "\n   ");
      column = 3;
    }
    add(text, "%.*s", (int)length, declaration);
    column += length;
    declaration += length;
  }
}

char *format(const char *message, ...) {
  va_list arguments;
  va_start(arguments, message);
  char *made = nereid_arena_format_v(&forever, message, arguments);
  va_end(arguments);
  if (!made)
    fail("out of memory");
  return made;
}

void *allocate(size_t count, size_t size) {
  void *made = nereid_arena_allocate(&forever, count, size);
  if (!made)
    fail("out of memory");
  return made;
}

char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (!file || size < 0 || fseek(file, 0, SEEK_SET))
    fail("cannot read '%s': %s", path, strerror(errno));
  char *content = allocate((size_t)size + 1, 1);
  if (fread(content, 1, (size_t)size, file) != (size_t)size)
    fail("cannot read '%s': %s", path, ferror(file) ? strerror(errno) : "it changed meanwhile");
  fclose(file);
  return content;
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path, 0777) && errno != EEXIST)
      fail("cannot create the folder '%s': %s", path, strerror(errno));
    *slash = '/';
  }
}

static bool holds(const char *path, const text_t *text) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  char *old = allocate(text->size + 2, 1);
  size_t size = fread(old, 1, text->size + 1, file);
  fclose(file);
  return size == text->size && memcmp(old, text->data, size) == 0;
}

void write_file(const char *directory, const char *name, const text_t *text) {
  char *path = format("%s/%s", directory, name);
  if (holds(path, text))
    return;
  make_folders(path);
  FILE *file = fopen(path, "wb");
  if (!file)
    fail("cannot write '%s': %s", path, strerror(errno));
  bool written = fwrite(text->data, 1, text->size, file) == text->size;
  if (fclose(file) || !written)
    fail("cannot write '%s': %s", path, strerror(errno));
}
