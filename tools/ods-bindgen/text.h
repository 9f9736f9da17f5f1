/* Text that grows, files that are written only when they change, and the one way out on bad input. */
#ifndef NEREID_TOOLS_ODS_BINDGEN_TEXT_H
#define NEREID_TOOLS_ODS_BINDGEN_TEXT_H

#include "base/arena.h"

#include <stdnoreturn.h>

typedef struct text {
  char *data; /* owned, NUL-terminated once something was added */
  size_t size, capacity;
} text_t;

/* Prints "ods-bindgen: error: ..." and ends the process with status 2: wrong arguments, wrong input, no memory. */
noreturn void fail(const char *format, ...) NEREID_PRINTF(1, 2);

/* printf at the end of the text. */
void add(text_t *text, const char *format, ...) NEREID_PRINTF(2, 3);
void add_text(text_t *text, const text_t *other);
void text_free(text_t *text);

/* A description as the lines of a C comment's inside, wrapped at 118 columns behind `prefix`; "* /" is broken up. */
void add_wrapped(text_t *text, const char *prefix, const char *words);

/* A C declaration, broken after commas into lines of at most 120 columns. */
void add_declaration(text_t *text, const char *declaration);

/* printf and copy into the arena that lives as long as the process; never null. */
char *format(const char *format, ...) NEREID_PRINTF(1, 2);
void *allocate(size_t count, size_t size);

/* The whole file with a NUL behind it; fails when it cannot be read. */
char *read_file(const char *path);

/* Makes `directory`/`name` (folders too) hold the text; does not touch a file that does already. */
void write_file(const char *directory, const char *name, const text_t *text);

#endif
