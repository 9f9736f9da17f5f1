/* nereid store ls, stat, verify, gc: reports as text or JSON. */
#include "tools/nereid/store/store.h"

#include "nereid/metadata.h"
#include "tools/nereid/store/place.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* What `ls` prints of a unit. */
typedef struct row {
  char key[NEREID_STORE_KEY_LETTERS + 1], used[32];
  const char *kernel, *arch; /* null: the unit has no metadata */
  const char *damage;        /* null: none */
  size_t image, tuning;      /* bytes */
} row_t;

static const char second_format[] = "%Y-%m-%dT%H:%M:%SZ";

/* Reads a unit. An image without valid metadata is listed, too. */
static row_t read_row(const tool_store_t *request, const nereid_store_item_t *item) {
  row_t row = {.kernel = NULL};
  nereid_message_t message = {""};
  nereid_store_unit_t *unit;
  nereid_metadata_t metadata;
  const time_t used = (time_t)(item->used / 1000000000);
  struct tm parts;
  nereid_store_key_print(&item->key, row.key);
  strftime(row.used, sizeof row.used, second_format, gmtime_r(&used, &parts));
  if (nereid_store_inspect(request->store, &item->key, &unit, &message)) {
    row.damage = nereid_arena_copy(request->arena, nereid_view(message.text));
    return row;
  }
  const nereid_store_content_t content = nereid_store_unit_content(unit);
  row.image = content.image.size;
  row.tuning = content.tuning.size;
  if (content.metadata.size && !nereid_metadata_parse(request->arena, content.metadata, &metadata, NULL)) {
    row.kernel = metadata.name;
    row.arch = metadata.arch;
  }
  nereid_store_unit_destroy(unit);
  return row;
}

/* Prints and frees `json`. */
static int print_json(cJSON *json) {
  char *text = cJSON_Print(json);
  cJSON_Delete(json);
  if (!text)
    return TOOL_CALL;
  puts(text);
  cJSON_free(text);
  return TOOL_DONE;
}

static void add_text(cJSON *object, const char *name, const char *text) {
  if (text)
    cJSON_AddStringToObject(object, name, text);
  else
    cJSON_AddNullToObject(object, name);
}

static cJSON *describe(const row_t *row, const nereid_store_item_t *item) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "key", row->key);
  cJSON_AddStringToObject(object, "used", row->used);
  cJSON_AddNumberToObject(object, "bytes", (double)item->bytes);
  cJSON_AddNumberToObject(object, "image", (double)row->image);
  cJSON_AddNumberToObject(object, "tuning", (double)row->tuning);
  add_text(object, "kernel", row->kernel);
  add_text(object, "arch", row->arch);
  add_text(object, "damage", row->damage);
  return object;
}

int tool_store_list(const tool_store_t *request) {
  tool_store_keys_t keys;
  const int code = tool_store_select(request, &keys);
  cJSON *list = request->json ? cJSON_CreateArray() : NULL;
  if (code != TOOL_CONTINUE)
    return code;
  for (size_t i = 0; i < keys.size; ++i) {
    const row_t row = read_row(request, &keys.data[i]);
    if (request->json)
      cJSON_AddItemToArray(list, describe(&row, &keys.data[i]));
    else if (row.damage)
      printf("%.16s  %s  %9" PRIu64 "  %s\n", row.key, row.used, keys.data[i].bytes, row.damage);
    else
      printf("%.16s  %s  %9" PRIu64 "  %-8s %s%s\n", row.key, row.used, keys.data[i].bytes, row.arch ? row.arch : "-",
             row.kernel ? row.kernel : "-", row.tuning ? "  (tuned)" : "");
  }
  return request->json ? print_json(list) : TOOL_DONE;
}

int tool_store_stat(const tool_store_t *request) {
  tool_store_keys_t keys;
  char assembler[64] = "", oldest[32] = "", newest[32] = "";
  uint64_t bytes = 0;
  int64_t first = INT64_MAX, last = 0;
  struct tm parts;
  const int code = tool_store_select(request, &keys);
  if (code != TOOL_CONTINUE)
    return code;
  for (size_t i = 0; i < keys.size; ++i) {
    bytes += keys.data[i].bytes;
    first = keys.data[i].used < first ? keys.data[i].used : first;
    last = keys.data[i].used > last ? keys.data[i].used : last;
  }
  if (keys.size) {
    strftime(oldest, sizeof oldest, second_format, gmtime_r(&(time_t){first / 1000000000}, &parts));
    strftime(newest, sizeof newest, second_format, gmtime_r(&(time_t){last / 1000000000}, &parts));
  }
  (void)!nereid_store_assembler(request->store, assembler, NULL);
  if (!request->json) {
    printf("units        %zu\nbytes        %" PRIu64 "\noldest use   %s\nnewest use   %s\nassembler    %s\n", keys.size,
           bytes, keys.size ? oldest : "-", keys.size ? newest : "-", assembler[0] ? assembler : "-");
    return TOOL_DONE;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "units", (double)keys.size);
  cJSON_AddNumberToObject(object, "bytes", (double)bytes);
  add_text(object, "oldest_use", keys.size ? oldest : NULL);
  add_text(object, "newest_use", keys.size ? newest : NULL);
  add_text(object, "assembler", assembler[0] ? assembler : NULL);
  return print_json(object);
}

/* Damage is an error of the machine: exit code 2, unless all damaged units were removed. */
int tool_store_verify(const tool_store_t *request) {
  tool_store_keys_t keys;
  size_t n_damaged = 0, n_removed = 0;
  int code = tool_store_select(request, &keys);
  cJSON *list = request->json ? cJSON_CreateArray() : NULL;
  if (code != TOOL_CONTINUE)
    return code;
  for (size_t i = 0; i < keys.size; ++i) {
    const row_t row = read_row(request, &keys.data[i]);
    if (!row.damage)
      continue;
    ++n_damaged;
    n_removed += request->remove && nereid_store_remove(request->store, &keys.data[i].key, NULL) == NEREID_OK;
    if (request->json)
      cJSON_AddItemToArray(list, describe(&row, &keys.data[i]));
    else
      printf("%s  %s\n", row.key, row.damage);
  }
  code = n_damaged == n_removed ? TOOL_DONE : TOOL_CALL;
  if (!request->json) {
    printf("%zu units, %zu damaged, %zu removed\n", keys.size, n_damaged, n_removed);
    return code;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "units", (double)keys.size);
  cJSON_AddNumberToObject(object, "removed", (double)n_removed);
  cJSON_AddItemToObject(object, "damaged", list);
  return print_json(object) == TOOL_DONE ? code : TOOL_CALL;
}

int tool_store_collect(const tool_store_t *request) {
  nereid_store_usage_t usage;
  nereid_message_t message = {""};
  uint64_t limit = 0;
  if (request->limit && !tool_store_parse_bytes(request->limit, &limit)) {
    tool_error(&tool_command_store, "--limit: expected a number of bytes such as 512M, not '%s'", request->limit);
    return TOOL_CALL;
  }
  if (!request->limit)
    limit = nereid_store_limit(request->store) / 8 * 7;
  const nereid_status_t status = nereid_store_collect(request->store, limit, &usage, &message);
  if (status)
    return tool_failed(&tool_command_store, status, &message);
  if (!request->json) {
    printf("removed %" PRIu64 " units of %" PRIu64 " bytes and %" PRIu64 " temporary files; %" PRIu64
           " units of %" PRIu64 " bytes remain\n",
           usage.removed_units, usage.removed_bytes, usage.removed_files, usage.units, usage.bytes);
    return TOOL_DONE;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "units", (double)usage.units);
  cJSON_AddNumberToObject(object, "bytes", (double)usage.bytes);
  cJSON_AddNumberToObject(object, "removed_units", (double)usage.removed_units);
  cJSON_AddNumberToObject(object, "removed_bytes", (double)usage.removed_bytes);
  cJSON_AddNumberToObject(object, "removed_files", (double)usage.removed_files);
  return print_json(object);
}
