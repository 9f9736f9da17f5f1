/* Columns are computed by walking one line: lines of IR have some hundred bytes. */
#include "tools/nereid-lsp-server/text/lines.h"

/* Returns the length of the line break at `at`; 0 when there is none. */
static size_t break_length(nereid_view_t text, size_t at) {
  if (text.data[at] == '\n')
    return 1;
  if (text.data[at] != '\r')
    return 0;
  return at + 1 < text.size && text.data[at + 1] == '\n' ? 2 : 1;
}

bool lsp_lines_find(nereid_arena_t *arena, nereid_view_t text, lsp_lines_t *out) {
  size_t count = 1, length;
  for (size_t at = 0; at < text.size; at += length ? length : 1)
    count += (length = break_length(text, at)) > 0;
  *out = (lsp_lines_t){.text = text, .starts = nereid_arena_new(arena, size_t, count), .count = count};
  if (!out->starts)
    return false;
  count = 1;
  for (size_t at = 0; at < text.size; at += length ? length : 1)
    if ((length = break_length(text, at)) > 0)
      out->starts[count++] = at + length;
  return true;
}

/* Returns the bytes of the character at `at`: those of a valid UTF-8 sequence, else 1. */
static size_t character_length(nereid_view_t text, size_t at) {
  const unsigned char first = (unsigned char)text.data[at];
  const size_t length = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1;
  if (at + length > text.size)
    return 1;
  for (size_t i = 1; i < length; ++i)
    if (((unsigned char)text.data[at + i] & 0xC0) != 0x80)
      return 1;
  return length;
}

static uint32_t units(size_t length, lsp_encoding_t encoding) {
  if (encoding == LSP_UTF8)
    return (uint32_t)length;
  return encoding == LSP_UTF16 && length == 4 ? 2 : 1;
}

size_t lsp_lines_end(const lsp_lines_t *lines, size_t line) {
  if (line + 1 >= lines->count)
    return lines->text.size;
  size_t end = lines->starts[line + 1];
  const char *text = lines->text.data;
  end -= text[end - 1] == '\n' && end >= 2 && end - 2 >= lines->starts[line] && text[end - 2] == '\r' ? 2 : 1;
  return end;
}

size_t lsp_lines_offset(const lsp_lines_t *lines, lsp_encoding_t encoding, lsp_position_t position) {
  if (position.line >= lines->count)
    return lines->text.size;
  const size_t end = lsp_lines_end(lines, position.line);
  size_t at = lines->starts[position.line];
  for (uint32_t column = 0; at < end;) {
    const size_t length = character_length(lines->text, at);
    column += units(length, encoding);
    if (column > position.character)
      break;
    at += length;
  }
  return at;
}

size_t lsp_lines_line(const lsp_lines_t *lines, size_t offset) {
  size_t low = 0, high = lines->count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    *(lines->starts[middle] <= offset ? &low : &high) = middle;
  }
  return low;
}

lsp_position_t lsp_lines_position(const lsp_lines_t *lines, lsp_encoding_t encoding, size_t offset) {
  const size_t line = lsp_lines_line(lines, offset);
  const size_t end = lsp_lines_end(lines, line), stop = offset < end ? offset : end;
  lsp_position_t position = {(uint32_t)line, 0};
  for (size_t at = lines->starts[line]; at < stop;) {
    const size_t length = character_length(lines->text, at);
    if (at + length > stop)
      break;
    position.character += units(length, encoding);
    at += length;
  }
  return position;
}
