/* nereid store: lists, checks, shrinks and copies the folder of a store.
 *
 *   nereid store ls --store /shared/kernels          key, last use, bytes, architecture and kernel of each unit
 *   nereid store stat|verify|gc|export|import …
 *
 * Keys may be abbreviated, as in git. */
#include "tools/nereid/store/store.h"

#include "base/vector.h"
#include "nereid/metadata.h"
#include "tools/nereid/store/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

typedef struct settings {
  tool_list_t stores;
  const char *limit, *output;
  bool json, remove;
} settings_t;

#define AT(field) offsetof(settings_t, field)

static const tool_option_t options[] = {
    {"--store", "DIR", "the folder of the store (default: NEREID_STORE)", TOOL_LIST, AT(stores)},
    {"--json", NULL, "ls, stat, verify, gc: print JSON (docs/store.md)", TOOL_FLAG, AT(json)},
    {"--remove", NULL, "verify: remove damaged units", TOOL_FLAG, AT(remove)},
    {"--limit", "BYTES", "gc: bytes that may remain, such as 512M or 0 (default: seven eighths of the store's limit)",
     TOOL_TEXT, AT(limit)},
    {"-o", "FILE", "export: the archive; - for standard output", TOOL_ONCE, AT(output)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_store = {"store",
                                           "ls|stat|verify|gc|export|import [KEY…|FILE]",
                                           "lists, checks, shrinks and copies a store of compiled kernels",
                                           options,
                                           TOOL_COUNT(options),
                                           run};

static const struct action {
  const char *name;
  bool writes;
  int (*run)(const tool_store_t *request);
} actions[] = {
    {"ls", false, tool_store_list},   {"stat", false, tool_store_stat},     {"verify", false, tool_store_verify},
    {"gc", true, tool_store_collect}, {"export", false, tool_store_export}, {"import", true, tool_store_import},
};

static const struct action *find_action(const char *name) {
  for (size_t i = 0; i < TOOL_COUNT(actions); ++i)
    if (strcmp(actions[i].name, name) == 0)
      return &actions[i];
  const char *meant = tool_suggest(name, &actions[0].name, TOOL_COUNT(actions), sizeof *actions);
  if (meant)
    tool_error(&tool_command_store, "no action '%s'; did you mean '%s'?", name, meant);
  else
    tool_error(&tool_command_store, "no action '%s'; expected ls, stat, verify, gc, export or import", name);
  return NULL;
}

static int run_action(nereid_arena_t *arena, const settings_t *settings, const tool_list_t *operands) {
  if (!operands->size) {
    tool_error(&tool_command_store, "no action; expected ls, stat, verify, gc, export or import");
    return TOOL_CALL;
  }
  const struct action *action = find_action(operands->items[0]);
  tool_store_t request = {.arena = arena,
                          .json = settings->json,
                          .remove = settings->remove,
                          .limit = settings->limit,
                          .output = settings->output,
                          .operands = {operands->items + 1, operands->size - 1}};
  if (!action)
    return TOOL_CALL;
  const bool is_read_only = !action->writes && !settings->remove;
  int code = tool_store_open(arena, &tool_command_store, &settings->stores, is_read_only, &request.store);
  if (code == TOOL_CONTINUE && !request.store) {
    tool_error(&tool_command_store, "no store; expected --store DIR or the environment variable NEREID_STORE");
    code = TOOL_CALL;
  }
  if (code == TOOL_CONTINUE)
    code = action->run(&request);
  nereid_store_close(request.store);
  return code;
}

static int run(int argc, char **argv) {
  settings_t settings = {.limit = NULL};
  tool_list_t operands = {0};
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_store, argc, argv, &settings, &operands);
  if (code == TOOL_CONTINUE)
    code = run_action(&arena, &settings, &operands);
  nereid_arena_deinitialize(&arena);
  return code;
}

/* --- selection --- */

typedef struct selection {
  const tool_store_t *request;
  NEREID_VECTOR(nereid_store_item_t) items;
  bool *is_found; /* of each operand */
} selection_t;

static bool select_item(void *user_data, const nereid_store_item_t *item) {
  selection_t *selection = user_data;
  const tool_list_t *operands = &selection->request->operands;
  char text[NEREID_STORE_KEY_LETTERS + 1];
  bool is_selected = operands->size == 0;
  nereid_store_key_print(&item->key, text);
  for (size_t i = 0; i < operands->size; ++i)
    if (strncmp(text, operands->items[i], strlen(operands->items[i])) == 0)
      is_selected = selection->is_found[i] = true;
  return !is_selected || nereid_vector_push(selection->request->arena, &selection->items, *item);
}

int tool_store_select(const tool_store_t *request, tool_store_keys_t *out_keys) {
  selection_t selection = {.request = request,
                           .is_found = nereid_arena_new(request->arena, bool, request->operands.size)};
  nereid_message_t message = {""};
  nereid_status_t status =
      selection.is_found ? nereid_store_walk(request->store, select_item, &selection, &message) : NEREID_ERROR_MEMORY;
  if (request->arena->failed)
    status = NEREID_ERROR_MEMORY;
  if (status)
    return tool_failed(&tool_command_store, status, &message);
  for (size_t i = 0; i < request->operands.size; ++i)
    if (!selection.is_found[i]) {
      tool_error(&tool_command_store, "the store has no unit whose key begins with '%s'", request->operands.items[i]);
      return TOOL_CALL;
    }
  *out_keys = (tool_store_keys_t){selection.items.data, selection.items.size};
  return TOOL_CONTINUE;
}
