#include "tools/nereid-lsp-server/protocol/json.h"

#include <stdlib.h>

const cJSON *lsp_json_get(const cJSON *object, const char *path) {
  while (object && *path) {
    char name[64];
    const size_t length = strcspn(path, ".");
    if (length >= sizeof name)
      return NULL;
    memcpy(name, path, length);
    name[length] = 0;
    object = cJSON_GetObjectItemCaseSensitive(object, name);
    path += length + (path[length] == '.');
  }
  return object;
}

const char *lsp_json_text(const cJSON *object, const char *path) {
  const char *text = cJSON_GetStringValue(lsp_json_get(object, path));
  return text ? text : "";
}

uint32_t lsp_json_number(const cJSON *object, const char *path, uint32_t limit) {
  const cJSON *item = lsp_json_get(object, path);
  const double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
  return value > 0 ? value < limit ? (uint32_t)value : limit : 0;
}

bool lsp_json_is_true(const cJSON *object, const char *path) {
  return cJSON_IsTrue(lsp_json_get(object, path));
}

lsp_position_t lsp_json_position(const cJSON *object, const char *path) {
  const cJSON *position = lsp_json_get(object, path);
  return (lsp_position_t){lsp_json_number(position, "line", UINT32_MAX),
                          lsp_json_number(position, "character", UINT32_MAX)};
}

static cJSON *create_position(lsp_position_t position) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "line", position.line);
  cJSON_AddNumberToObject(object, "character", position.character);
  return object;
}

cJSON *lsp_json_range(const lsp_document_t *document, lsp_encoding_t encoding, size_t start, size_t end) {
  cJSON *range = cJSON_CreateObject();
  cJSON_AddItemToObject(range, "start", create_position(lsp_lines_position(&document->lines, encoding, start)));
  cJSON_AddItemToObject(range, "end", create_position(lsp_lines_position(&document->lines, encoding, end)));
  return range;
}

cJSON *lsp_json_location(const lsp_document_t *document, lsp_encoding_t encoding, size_t start, size_t end) {
  cJSON *location = cJSON_CreateObject();
  cJSON_AddStringToObject(location, "uri", document->uri);
  cJSON_AddItemToObject(location, "range", lsp_json_range(document, encoding, start, end));
  return location;
}

cJSON *lsp_json_edit(const lsp_document_t *document, lsp_encoding_t encoding, size_t start, size_t end,
                     const char *text) {
  cJSON *edit = cJSON_CreateObject();
  cJSON_AddItemToObject(edit, "range", lsp_json_range(document, encoding, start, end));
  cJSON_AddStringToObject(edit, "newText", text);
  return edit;
}

cJSON *lsp_json_string(nereid_view_t text) {
  char *copy = strndup(text.data ? text.data : "", text.size);
  cJSON *string = cJSON_CreateString(copy ? copy : "");
  free(copy);
  return string;
}

/* Returns the value of \uXXXX at `at`; -1 when it is something else. */
static long escape_at(const char *at, const char *end) {
  char digits[5] = "";
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
    return -1;
  memcpy(digits, at + 2, 4);
  char *stop;
  const long value = strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, &stop, 16) : -1;
  return value;
}

void lsp_json_repair(char *text, size_t size) {
  static const char replacement[] = {'f', 'f', 'f', 'd'};
  const char *end = text + size;
  for (char *at = text; at < end;) {
    if (*at != '\\') {
      at++;
      continue;
    }
    const long value = escape_at(at, end), next = value >= 0 ? escape_at(at + 6, end) : -1;
    const bool is_high = value >= 0xD800 && value < 0xDC00, is_low = value >= 0xDC00 && value < 0xE000;
    const bool is_pair = is_high && next >= 0xDC00 && next < 0xE000;
    if (value == 0 || is_low || (is_high && !is_pair))
      memcpy(at + 2, replacement, sizeof replacement);
    at += value < 0 ? 2 : is_pair ? 12 : 6;
  }
}
