/* nereid layout: prints which thread and register hold an element, or its offset in shared memory.
 *
 *   $ nereid layout '#ttg.slice<{dim = 1, parent = #ttg.blocked<{…}>}>' --shape 16 --svg rows.svg
 *   lane      [(0) (0) (0) (1) (2)]
 *   warp      [(4) (8)]              and a grid with the thread and register of each element */
#include "tools/nereid/layout/layout_map.h"
#include "tools/nereid/layout/layout_svg.h"
#include "tools/nereid/layout/layout_text.h"

#include "nereid/context.h"
#include "tools/nereid/tool.h"

#include <errno.h>
#include <mlir-c/Diagnostics.h>
#include <stdlib.h>

typedef struct settings {
  const char *shape, *element, *svg;
} settings_t;

static const tool_option_t options[] = {
    {"--shape", "AxB", "shape of the tensor or buffer, powers of two", TOOL_TEXT, offsetof(settings_t, shape)},
    {"--element", "TYPE", "element type, for banks and vectors (default: f16)", TOOL_TEXT,
     offsetof(settings_t, element)},
    {"--svg", "FILE", "also write the layout as an SVG file", TOOL_TEXT, offsetof(settings_t, svg)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_layout = {
    "layout", "'#ttg.ENCODING'",   "prints which thread and register, or which shared-memory bank, holds each element",
    options,  TOOL_COUNT(options), run};

static bool parse_shape(const char *text, int64_t *shape, int *out_rank) {
  *out_rank = 0;
  for (;;) {
    char *end;
    long long size = *text >= '1' && *text <= '9' ? strtoll(text, &end, 10) : 0;
    if (size < 1 || size > TOOL_LAYOUT_MAX_ELEMENTS || *out_rank == NEREID_LAYOUT_MAX_RANK)
      return false;
    shape[(*out_rank)++] = size;
    if (!*end)
      return true;
    if (*end != 'x')
      return false;
    text = end + 1;
  }
}

static void print_diagnostic_text(MlirStringRef text, void *user_data) {
  (void)user_data;
  fprintf(stderr, "%.*s", (int)text.length, text.data);
}

static MlirLogicalResult say(MlirDiagnostic diagnostic, void *user_data) {
  (void)user_data;
  fputs("nereid layout: ", stderr);
  mlirDiagnosticPrint(diagnostic, print_diagnostic_text, NULL);
  fputc('\n', stderr);
  return mlirLogicalResultSuccess();
}

/* Also accepts "#blocked = #ttg.blocked<...>", as written in a file. */
static MlirStringRef encoding_text(const char *text) {
  const char *mark = strchr(text, '<'), *equals = strchr(text, '=');
  if (equals && mark && equals < mark)
    text = equals + 1;
  return mlirStringRefCreateFromCString(text + strspn(text, " "));
}

static nereid_status_t load(nereid_arena_t *arena, MlirContext context, const settings_t *settings, const char *text,
                            tool_layout_t *out, nereid_message_t *message) {
  int64_t shape[NEREID_LAYOUT_MAX_RANK];
  int rank;
  if (!settings->shape || !parse_shape(settings->shape, shape, &rank))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--shape: expected sizes such as 16x64, each at most %d",
                              TOOL_LAYOUT_MAX_ELEMENTS);
  MlirStringRef spelled = encoding_text(text);
  MlirAttribute encoding = mlirAttributeParseGet(context, spelled);
  if (mlirAttributeIsNull(encoding))
    return nereid_message_set(message, NEREID_ERROR_PROGRAM, "'%.200s' is not an encoding", text);
  const char *element = settings->element ? settings->element : "f16";
  MlirType type = mlirTypeParseGet(context, mlirStringRefCreateFromCString(element));
  const uint32_t element_bits = mlirTypeIsNull(type) ? 0 : tool_layout_element_bits(type);
  if (!element_bits)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "--element: expected a type such as f16 or i8, not '%.80s'", element);
  nereid_status_t status = tool_layout_create(arena, encoding, rank, shape, element_bits, out, message);
  if (status == NEREID_ERROR_UNSUPPORTED)
    return nereid_message_set(message, NEREID_ERROR_PROGRAM, "'%.200s' is not a layout that can be printed", text);
  return status;
}

static nereid_status_t draw(const tool_layout_t *layout, const char *title, const char *path,
                            nereid_message_t *message) {
  FILE *file = fopen(path, "w");
  if (!file)
    return nereid_message_set(message, NEREID_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
  tool_layout_draw(layout, title, file);
  bool bad = ferror(file);
  return fclose(file) || bad ? nereid_message_set(message, NEREID_ERROR_IO, "cannot write %s", path) : NEREID_OK;
}

static int run(int argc, char **argv) {
  nereid_arena_t arena;
  settings_t settings = {0};
  tool_list_t operands = {0};
  nereid_message_t message = {0};
  tool_layout_t layout = {0};
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_layout, argc, argv, &settings, &operands);
  if (code == TOOL_CONTINUE && operands.size != 1) {
    tool_error(&tool_command_layout, "expected one encoding; see nereid layout --help");
    code = TOOL_CALL;
  }
  if (code == TOOL_CONTINUE) {
    MlirContext context = nereid_context_create();
    (void)mlirContextAttachDiagnosticHandler(context, say, NULL, NULL);
    nereid_status_t status = load(&arena, context, &settings, operands.items[0], &layout, &message);
    if (!status)
      tool_layout_print(&layout, 0, stdout);
    if (!status && settings.svg)
      status = draw(&layout, operands.items[0], settings.svg, &message);
    code = status ? tool_failed(&tool_command_layout, status, &message) : TOOL_DONE;
    mlirContextDestroy(context);
  }
  nereid_arena_deinitialize(&arena);
  return code;
}
