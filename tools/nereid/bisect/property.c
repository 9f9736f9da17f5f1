/* Parses --what, and reads counters. */
#include "tools/nereid/bisect/property.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static nereid_status_t parse_counter(const char *text, tool_property_t *out, nereid_message_t *message) {
  const size_t length = strcspn(text, "<>");
  char *end = NULL;
  if (!length || length >= sizeof out->counter)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--what: expected counter=NAME, not 'counter=%s'", text);
  memcpy(out->counter, text, length);
  out->counter[length] = 0;
  out->relation = text[length];
  if (!out->relation)
    return NEREID_OK;
  out->limit = strtod(text + length + 1, &end);
  if (end == text + length + 1 || *end)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--what: expected a number after '%c' in 'counter=%s'",
                              out->relation, text);
  return NEREID_OK;
}

nereid_status_t tool_property_parse(const char *text, tool_property_t *out_property, nereid_message_t *message) {
  static const char *const names[] = {"numbers", "race", "fault", NULL, "crash", "compile-error"};
  static const char counter[] = "counter=";
  *out_property = (tool_property_t){.kind = TOOL_PROPERTY_COUNTER};
  if (strncmp(text, counter, sizeof counter - 1) == 0)
    return parse_counter(text + sizeof counter - 1, out_property, message);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (names[i] && strcmp(names[i], text) == 0) {
      out_property->kind = (tool_property_kind_t)i;
      return NEREID_OK;
    }
  return nereid_message_set(
      message, NEREID_ERROR_ARGUMENT,
      "--what: expected numbers, race, fault, counter=NAME, counter=NAME>N, counter=NAME<N, crash or compile-error, "
      "not '%s'",
      text);
}

/* Adds a number, or the members of a group. */
static bool sum(const cJSON *item, double *out_value) {
  const cJSON *member = NULL;
  if (cJSON_IsNumber(item))
    *out_value += item->valuedouble;
  if (cJSON_IsObject(item))
    cJSON_ArrayForEach(member, item) *out_value += member->valuedouble;
  return cJSON_IsNumber(item) || cJSON_IsObject(item);
}

/* Counters of loops are averages per iteration. */
static bool sum_loops(const cJSON *loops, const char *name, double *out_value) {
  const cJSON *loop = NULL;
  bool found = false;
  cJSON_ArrayForEach(loop, loops) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(loop, name);
    const cJSON *iterations = cJSON_GetObjectItemCaseSensitive(loop, "iterations");
    if (!cJSON_IsNumber(item) || !cJSON_IsNumber(iterations))
      continue;
    *out_value += item == iterations ? item->valuedouble : item->valuedouble * iterations->valuedouble;
    found = true;
  }
  return found;
}

bool tool_property_counter(const char *json, const char *name, double *out_value) {
  const char *start = strchr(json, '{'), *dot = strchr(name, '.');
  cJSON *root = start ? cJSON_ParseWithOpts(start, NULL, 0) : NULL;
  char group[64];
  const size_t length = dot ? (size_t)(dot - name) : strlen(name);
  *out_value = 0;
  if (!root || length >= sizeof group) {
    cJSON_Delete(root);
    return false;
  }
  memcpy(group, name, length);
  group[length] = 0;
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, group);
  if (dot)
    item = cJSON_GetObjectItemCaseSensitive(item, dot + 1);
  const bool found =
      sum(item, out_value) || (!dot && sum_loops(cJSON_GetObjectItemCaseSensitive(root, "loops"), name, out_value));
  cJSON_Delete(root);
  return found;
}
