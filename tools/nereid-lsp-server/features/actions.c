/* Code actions: run a pass on the function at the cursor, or show what it would change.
 *
 *   nereid.runPass  {uri, pass, function}   replaces the text by the result (workspace/applyEdit)
 *   nereid.showPass {uri, pass, function}   opens the changes as a file (window/showDocument)
 *
 * Both answer {"diff": text}, for clients that show it in another way. The offered passes are those of Nereid's
 * pipeline for the stage of the text. */
#include "tools/nereid-lsp-server/features/query.h"
#include "tools/nereid-lsp-server/features/run_pass.h"

#include "passes/pipeline.h"
#include "passes/properties.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- offers --- */

/* The function around the place: the outermost symbol that is not a module. */
static nereid_view_t find_function(const lsp_query_t *query) {
  nereid_view_t name = nereid_view("");
  const lsp_definition_t *it =
      query->place.program ? lsp_program_operation(query->place.program, query->place.offset) : NULL;
  for (MlirOperation op = it ? it->op : (MlirOperation){NULL}; !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op)) {
    const lsp_definition_t *around = lsp_program_find(query->place.program, op);
    if (around && around->name.size)
      name = around->name;
  }
  return name;
}

static void add_action(cJSON *list, const char *uri, const char *pass, const char *function, bool shows) {
  char title[256];
  snprintf(title, sizeof title, shows ? "Show what %s changes in @%s" : "Run %s on @%s", pass, function);
  cJSON *action = cJSON_CreateObject();
  cJSON_AddStringToObject(action, "title", title);
  cJSON_AddStringToObject(action, "kind", "refactor.rewrite");
  cJSON *command = cJSON_AddObjectToObject(action, "command");
  cJSON_AddStringToObject(command, "title", title);
  cJSON_AddStringToObject(command, "command", shows ? "nereid.showPass" : "nereid.runPass");
  cJSON *argument = cJSON_CreateObject();
  cJSON_AddStringToObject(argument, "uri", uri);
  cJSON_AddStringToObject(argument, "pass", pass);
  cJSON_AddStringToObject(argument, "function", function);
  cJSON_AddItemToArray(cJSON_AddArrayToObject(command, "arguments"), argument);
  cJSON_AddItemToArray(list, action);
}

/* Passes of one list that apply to a text: those before the conversion to layouts, those after it, or all. */
typedef struct choice {
  nereid_pipeline_t pipeline;
  bool before, after;
} choice_t;

static size_t choose(MlirOperation module, choice_t out[2]) {
  const uint32_t holding = nereid_properties_find(module, NEREID_IR_THREAD_GRID | NEREID_IR_PER_THREAD).holding;
  const bool has_layouts = (holding & NEREID_IR_THREAD_GRID) != 0;
  if (holding & NEREID_IR_PER_THREAD) {
    out[0] = (choice_t){NEREID_PIPELINE_FINISH, true, true};
    return 1;
  }
  out[0] = (choice_t){has_layouts ? NEREID_PIPELINE_TTGIR : NEREID_PIPELINE_TTIR, !has_layouts, true};
  out[1] = (choice_t){has_layouts ? NEREID_PIPELINE_FRAMES : NEREID_PIPELINE_TTGIR, true, has_layouts};
  return 2;
}

/* The text of a pass with Nereid's default options. */
static const char *with_options(nereid_arena_t *arena, nereid_pipeline_t pipeline, size_t index) {
  const nereid_pipeline_options_t options = {.num_warps = 4,
                                             .num_ctas = 1,
                                             .num_stages = 3,
                                             .capability = 90,
                                             .ptx_version = 87,
                                             .fp_fusion = true,
                                             .global_order = true,
                                             .warp_specialization = true,
                                             .architecture = true};
  char *at = (char *)nereid_pipeline_text(pipeline, &options, arena);
  int depth = 0;
  for (char *start = at; at; ++at) {
    depth += (*at == '{' || *at == '(') - (*at == '}' || *at == ')');
    if (*at && (*at != ',' || depth))
      continue;
    if (index-- == 0)
      return nereid_arena_copy(arena, nereid_view_of(start, (size_t)(at - start)));
    if (!*at)
      return NULL;
    start = at + 1;
  }
  return NULL;
}

static bool is_offered(const cJSON *list, const char *pass) {
  const cJSON *item;
  cJSON_ArrayForEach(
      item, list) if (strcmp(lsp_json_text(cJSON_GetArrayItem(lsp_json_get(item, "command.arguments"), 0), "pass"),
                             pass) == 0) return true;
  return false;
}

static void add_offers(lsp_query_t *query, cJSON *list) {
  static const char conversion[] = "convert-triton-to-tritongpu";
  choice_t choices[2];
  const nereid_view_t name = find_function(query);
  const lsp_program_t *program = query->place.program;
  const char *function = name.size ? nereid_arena_copy(&query->arena, name) : NULL;
  const lsp_section_t *section = query->place.section;
  if (!function || !program->is_valid || (section->is_parsed && !section->is_current))
    return;
  const size_t n = choose(program->module, choices);
  for (size_t c = 0; c < n; ++c) {
    bool is_after = false;
    for (size_t i = 0; nereid_pipeline_passes(choices[c].pipeline)[i]; ++i) {
      const char *pass = with_options(&query->arena, choices[c].pipeline, i);
      if (pass && (is_after ? choices[c].after : choices[c].before) && !is_offered(list, pass)) {
        add_action(list, query->document->uri, pass, function, false);
        add_action(list, query->document->uri, pass, function, true);
      }
      is_after |= pass && strncmp(pass, conversion, sizeof conversion - 1) == 0;
    }
  }
}

/* A client may ask for kinds; refactor.rewrite is the only one here. */
static bool asks_for_rewrites(const cJSON *params) {
  static const char kind[] = "refactor.rewrite";
  const cJSON *only = lsp_json_get(params, "context.only"), *item;
  bool asked = !cJSON_IsArray(only);
  cJSON_ArrayForEach(item, only) {
    const char *prefix = cJSON_GetStringValue(item);
    asked |= prefix && strncmp(kind, prefix, strlen(prefix)) == 0;
  }
  return asked;
}

cJSON *lsp_code_actions(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  lsp_query_t query;
  cJSON *list = NULL;
  cJSON *at = cJSON_CreateObject(); /* request of a place, from that of a range */
  cJSON_AddItemReferenceToObject(at, "textDocument", (cJSON *)lsp_json_get(params, "textDocument"));
  cJSON_AddItemReferenceToObject(at, "position", (cJSON *)lsp_json_get(params, "range.start"));
  if (lsp_query_begin(server, at, failure, &query)) {
    list = cJSON_CreateArray();
    if (query.place.program && asks_for_rewrites(params))
      add_offers(&query, list);
  }
  lsp_query_end(&query);
  cJSON_Delete(at);
  return list;
}

/* --- commands --- */

/* The section that defines the function; null when none does. */
static const lsp_section_t *find_section(lsp_document_t *document, const char *function) {
  const lsp_sections_t *sections = lsp_sections_update(document);
  for (size_t i = 0; i < sections->count; ++i)
    for (size_t k = 0; sections->data[i].is_current && k < sections->data[i].program->n_operations; ++k)
      if (nereid_view_equal(sections->data[i].program->operations[k]->name, nereid_view(function)))
        return &sections->data[i];
  return NULL;
}

static void apply(lsp_server_t *server, const lsp_document_t *document, const lsp_section_t *section, const char *title,
                  const char *text) {
  cJSON *params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "label", title);
  cJSON *changes = cJSON_AddObjectToObject(cJSON_AddObjectToObject(params, "edit"), "changes");
  cJSON *edit = lsp_json_edit(document, server->encoding, section->start, section->end, text);
  cJSON_AddItemToArray(cJSON_AddArrayToObject(changes, document->uri), edit);
  lsp_server_request(server, "workspace/applyEdit", params);
}

/* Writes the text into a new file of the server's folder; false with a failure. `path` has space for 512 bytes. */
static bool write_file(lsp_server_t *server, const char *title, const char *text, char *path, lsp_failure_t *failure) {
  const char *parent = getenv("TMPDIR");
  if (!server->folder) {
    char folder[400];
    snprintf(folder, sizeof folder, "%s/nereid-lsp-XXXXXX", parent && *parent == '/' ? parent : "/tmp");
    server->folder = mkdtemp(folder) ? strdup(folder) : NULL;
  }
  snprintf(path, 512, "%s/%u.diff", server->folder ? server->folder : "", server->n_written);
  FILE *out = server->folder ? fopen(path, "w") : NULL;
  if (!out) {
    (void)lsp_fail(failure, LSP_REQUEST_FAILED, "cannot write %.200s: %s", path, strerror(errno));
    return false;
  }
  server->n_written++;
  fprintf(out, "%s\n\n%s", title, *text ? text : "no changes\n");
  if (fclose(out) == 0)
    return true;
  (void)lsp_fail(failure, LSP_REQUEST_FAILED, "cannot write %.200s", path);
  return false;
}

static void show(lsp_server_t *server, const char *title, const char *text, lsp_failure_t *failure) {
  char path[512], uri[600];
  if (!server->can_show_documents || !write_file(server, title, text, path, failure))
    return;
  snprintf(uri, sizeof uri, "file://%s", path);
  cJSON *params = cJSON_CreateObject();
  cJSON_AddStringToObject(params, "uri", uri);
  cJSON_AddTrueToObject(params, "takeFocus");
  lsp_server_request(server, "window/showDocument", params);
}

cJSON *lsp_execute_command(lsp_server_t *server, const cJSON *params, lsp_failure_t *failure) {
  const char *command = lsp_json_text(params, "command");
  const cJSON *argument = cJSON_GetArrayItem(lsp_json_get(params, "arguments"), 0);
  const char *function = lsp_json_text(argument, "function"), *pass = lsp_json_text(argument, "pass");
  const bool runs = strcmp(command, "nereid.runPass") == 0;
  lsp_document_t *document = lsp_server_document(server, lsp_json_text(argument, "uri"));
  if (!runs && strcmp(command, "nereid.showPass") != 0)
    return lsp_fail(failure, LSP_INVALID_PARAMS, "unknown command '%.100s'", command);
  if (!document)
    return lsp_fail(failure, LSP_INVALID_PARAMS, "the document is not open");
  const lsp_section_t *section = find_section(document, function);
  if (!section)
    return lsp_fail(failure, LSP_REQUEST_FAILED, "there is no function @%.100s in a text that parses", function);
  nereid_arena_t arena;
  lsp_pass_run_t run;
  nereid_message_t message = {""};
  char title[256];
  cJSON *result = NULL;
  nereid_arena_initialize(&arena);
  snprintf(title, sizeof title, "%.120s on @%.100s", pass, function);
  if (lsp_pass_run(&arena, section->program->text, pass, function, &run, &message)) {
    (void)lsp_fail(failure, LSP_REQUEST_FAILED, "%.100s: %.150s", pass, message.text);
  } else {
    if (!runs)
      show(server, title, run.diff, failure);
    else if (*run.diff)
      apply(server, document, section, title, run.text);
    result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "title", title);
    cJSON_AddStringToObject(result, "diff", run.diff);
  }
  nereid_arena_deinitialize(&arena);
  return result;
}
