/* Opens the store that `--store` or NEREID_STORE names.
 *
 *   --store /shared/kernels --store redis://cache:6379      NEREID_STORE=/shared/kernels,redis://cache:6379 */
#include "tools/nereid/store/place.h"

#include <stdio.h>
#include <stdlib.h>

bool tool_store_parse_bytes(const char *text, uint64_t *out_bytes) {
  static const char units[] = "KMGT";
  uint64_t bytes = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9'; ++at)
    if (__builtin_mul_overflow(bytes, (uint64_t)10, &bytes) ||
        __builtin_add_overflow(bytes, (uint64_t)(*at - '0'), &bytes))
      return false;
  const char *unit = at > text && *at ? strchr(units, *at) : NULL;
  if (unit) {
    if (__builtin_mul_overflow(bytes, (uint64_t)1 << (10 * (unit - units + 1)), &bytes))
      return false;
    ++at;
  }
  *out_bytes = bytes;
  return at > text && !*at;
}

static void print_event(void *user_data, nereid_store_event_t event, const char *text) {
  const tool_command_t *command = user_data;
  (void)event;
  tool_error(command, "warning: %s", text);
}

static bool is_url(const char *place) {
  return strstr(place, "://") != NULL;
}

static int add_place(const tool_command_t *command, const char *place, nereid_store_options_t *options) {
  const char **to = is_url(place) ? &options->redis : &options->folder;
  if (!*place) {
    tool_error(command, "--store: the place of the store is empty; expected a folder or a URL");
    return TOOL_CALL;
  }
  if (*to) {
    tool_error(command, "--store: expected at most one folder and one URL%s", is_url(place) ? "" : ", not two folders");
    return TOOL_CALL;
  }
  *to = place;
  return TOOL_CONTINUE;
}

/* Adds the places of NEREID_STORE. */
static int add_variable(nereid_arena_t *arena, const tool_command_t *command, nereid_store_options_t *options) {
  const char *variable = getenv("NEREID_STORE");
  char *text = nereid_arena_copy(arena, nereid_view(variable)), *rest = NULL;
  int code = text ? TOOL_CONTINUE : TOOL_CALL;
  for (const char *place = text ? strtok_r(text, ",", &rest) : NULL; place && code == TOOL_CONTINUE;
       place = strtok_r(NULL, ",", &rest))
    code = add_place(command, place, options);
  return code;
}

int tool_store_open(nereid_arena_t *arena, const tool_command_t *command, const tool_list_t *places, bool is_read_only,
                    nereid_store_t **out_store) {
  const char *limit = getenv("NEREID_STORE_LIMIT");
  nereid_store_options_t options = {.size = sizeof options,
                                    .read_only = is_read_only,
                                    .handler = print_event,
                                    .user_data = (void *)(uintptr_t)command,
                                    .password = getenv("NEREID_REDIS_PASSWORD")};
  nereid_message_t message = {""};
  int code = TOOL_CONTINUE;
  *out_store = NULL;
  for (size_t i = 0; i < places->size && code == TOOL_CONTINUE; ++i)
    code = add_place(command, places->items[i], &options);
  if (!places->size)
    code = add_variable(arena, command, &options);
  if (code == TOOL_CONTINUE && limit && (!tool_store_parse_bytes(limit, &options.limit) || !options.limit)) {
    tool_error(command, "NEREID_STORE_LIMIT: expected a number of bytes such as 512M or 4G, not '%s'", limit);
    code = TOOL_CALL;
  }
  if (code != TOOL_CONTINUE || (!options.folder && !options.redis))
    return code;
  const nereid_status_t status = nereid_store_open(&options, out_store, &message);
  return status ? tool_failed(command, status, &message) : TOOL_CONTINUE;
}
