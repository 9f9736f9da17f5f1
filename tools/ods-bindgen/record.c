/* Access to the fields of a record dump; see reader.h.
 *
 *   "TT_LoadOp": { "opDialect": {"def": "TT_Dialect"}, "hasVerifier": 1, "summary": "load from memory", ... } */
#include "tools/ods-bindgen/reader.h"

#include "tools/ods-bindgen/text.h"

const cJSON *field(const cJSON *record, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(record, name);
}

const char *string_field(const cJSON *record, const char *name) {
  const char *value = cJSON_GetStringValue(field(record, name));
  return value && *value ? value : NULL;
}

bool flag_field(const cJSON *record, const char *name) {
  const cJSON *value = field(record, name);
  return cJSON_IsNumber(value) && value->valuedouble != 0;
}

bool is_a(const cJSON *record, const char *superclass) {
  const cJSON *name;
  cJSON_ArrayForEach(name, field(record, "!superclasses")) {
    if (strcmp(cJSON_GetStringValue(name), superclass) == 0)
      return true;
  }
  return false;
}

const cJSON *follow(const source_t *source, const cJSON *reference) {
  const char *name = string_field(reference, "def");
  return name ? field(source->root, name) : NULL;
}

const cJSON *record_field(const source_t *source, const cJSON *record, const char *name) {
  return follow(source, field(record, name));
}

const cJSON *instances(const source_t *source, const char *superclass) {
  return field(field(source->root, "!instanceof"), superclass);
}

const cJSON *dag(const cJSON *record, const char *name) {
  return field(field(record, name), "args");
}

/* Trims a text; null gives the empty text. */
const char *trimmed(const char *text) {
  if (!text)
    return NULL;
  text += strspn(text, " \n\t");
  size_t size = strlen(text);
  while (size && strchr(" \n\t", text[size - 1]))
    size--;
  return size ? format("%.*s", (int)size, text) : NULL;
}
