/* Growable text, files that are written only on change, and the exit on invalid input. */
#ifndef NEREID_TOOLS_ODS_BINDGEN_TEXT_H
#define NEREID_TOOLS_ODS_BINDGEN_TEXT_H

#include "base/arena.h"

#include <stdnoreturn.h>

typedef struct text {
  char *data; /* owned, NUL-terminated once it is not empty */
  size_t size, capacity;
} text_t;

/* Prints "ods-bindgen: error: ..." and ends the process with status 2: invalid arguments or input, out of memory. */
noreturn void fail(const char *format, ...) NEREID_PRINTF(1, 2);

/* Appends to the text, as printf. */
void add(text_t *text, const char *format, ...) NEREID_PRINTF(2, 3);
void add_text(text_t *text, const text_t *other);
void text_free(text_t *text);

/* Formats a description as lines of a C comment, wrapped at 118 columns after `prefix`; "* /" is broken up. */
void add_wrapped(text_t *text, const char *prefix, const char *words);

/* A C declaration, broken after commas into lines of at most 120 columns. */
void add_declaration(text_t *text, const char *declaration);

/* Formats into the arena of the process; never null. */
char *format(const char *format, ...) NEREID_PRINTF(1, 2);
void *allocate(size_t count, size_t size);

/* The whole file with a terminating NUL; exits when it cannot be read. */
char *read_file(const char *path);

/* Writes the text to `directory`/`name`, and creates folders; a file with the same content is not modified. */
void write_file(const char *directory, const char *name, const text_t *text);

#endif
