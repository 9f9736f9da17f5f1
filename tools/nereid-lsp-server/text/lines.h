/* Positions of the protocol and byte offsets of a text.
 *
 *   "%a = \u{1D465}y"     byte offset of y: 9     UTF-16 column: 7     UTF-32 column: 6
 *
 * A line ends with \n, \r\n or \r. A byte that is not UTF-8 counts as one character. */
#ifndef NEREID_TOOLS_LSP_LINES_H
#define NEREID_TOOLS_LSP_LINES_H

#include "base/arena.h"

/* The unit of columns, which client and server agree on at the start. */
typedef enum lsp_encoding { LSP_UTF16, LSP_UTF8, LSP_UTF32 } lsp_encoding_t;

/* Both count from 0. */
typedef struct lsp_position {
  uint32_t line, character;
} lsp_position_t;

typedef struct lsp_lines {
  nereid_view_t text; /* borrowed */
  size_t *starts;     /* byte offset of each line */
  size_t count;       /* at least 1 */
} lsp_lines_t;

/* Finds the lines of `text`; false when out of memory. */
bool lsp_lines_find(nereid_arena_t *arena, nereid_view_t text, lsp_lines_t *out);

/* Returns the byte offset of a position. A column after the end of its line is that end; a line after the last one is
 * the end of the text; a column inside of a character is its start. */
size_t lsp_lines_offset(const lsp_lines_t *lines, lsp_encoding_t encoding, lsp_position_t position);

/* Returns the position of a byte offset, at most that of the end of the text. */
lsp_position_t lsp_lines_position(const lsp_lines_t *lines, lsp_encoding_t encoding, size_t offset);

/* Returns the end of a line without its line break. */
size_t lsp_lines_end(const lsp_lines_t *lines, size_t line);

/* Returns the line that contains a byte offset. */
size_t lsp_lines_line(const lsp_lines_t *lines, size_t offset);

#endif
