/* nereid layout: prints which thread and register hold an element, or its offset in shared memory.
 *
 *   $ nereid layout '#ttg.slice<{dim = 1, parent = #ttg.blocked<{…}>}>' --shape 16 --svg rows.svg
 *   lane      [(0) (0) (0) (1) (2)]
 *   warp      [(4) (8)]              and a grid with the thread and register of each element */
#include "tools/nereid/layout/layout_map.h"
#include "tools/nereid/layout/layout_svg.h"
#include "tools/nereid/layout/layout_text.h"

#include "layout/encoding.h"
#include "nereid/context.h"
#include "nereid/dialects/ttg.h"
#include "tools/nereid/tool.h"

#include <errno.h>
#include <mlir-c/BuiltinTypes.h>
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

/* A limit on printed elements: more are not readable. */
enum { LIMIT = 1 << 16 };

static bool parse_shape(const char *text, int64_t *shape, int *out_rank) {
  *out_rank = 0;
  for (;;) {
    char *end;
    long long size = *text >= '1' && *text <= '9' ? strtoll(text, &end, 10) : 0;
    if (size < 1 || size > LIMIT || *out_rank == NEREID_LAYOUT_MAX_RANK)
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

/* Returns the bits of the element type; 0 when registers cannot hold it. */
static uint32_t bits_of(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 0;
}

/* Inserts the gaps of a padded encoding. */
static void pad(MlirAttribute encoding, tool_layout_t *layout) {
  layout->end = UINT32_C(1) << layout->layout.in_bits[NEREID_LAYOUT_OFFSET];
  if (!nereid_ttg_padded_shared_attr_isa(encoding))
    return;
  layout->end = (uint32_t)nereid_layout_padded_offset(encoding, layout->end - 1) + 1;
  for (uint32_t i = 0; i < layout->n; ++i)
    layout->first[i].registr = (uint32_t)nereid_layout_padded_offset(encoding, layout->first[i].registr);
}

/* Visits all places backwards, so that the first place of each element remains. */
static bool find_places(nereid_arena_t *arena, tool_layout_t *out) {
  const nereid_layout_t *l = &out->layout;
  out->n = UINT32_C(1) << nereid_layout_out_total(l);
  out->first = nereid_arena_new(arena, tool_place_t, out->n);
  int r = l->in_bits[NEREID_LAYOUT_REGISTER], t = l->in_bits[NEREID_LAYOUT_LANE], w = l->in_bits[NEREID_LAYOUT_WARP];
  for (uint64_t flat = UINT64_C(1) << nereid_layout_in_total(l); out->first && flat-- > 0;) {
    tool_place_t place = {(uint32_t)(flat & ((UINT64_C(1) << r) - 1)), (uint32_t)(flat >> r & ((UINT64_C(1) << t) - 1)),
                          (uint32_t)(flat >> (r + t) & ((UINT64_C(1) << w) - 1)), (uint32_t)(flat >> (r + t + w))};
    out->first[nereid_layout_apply_flat(l, flat)] = place;
  }
  out->copies = UINT32_C(1) << (nereid_layout_in_total(l) - nereid_layout_image_bits(l));
  return out->first != NULL;
}

static bool is_shared(MlirStringRef text) {
  static const char word[] = "shared";
  for (size_t i = 0; i + sizeof word - 1 <= text.length && text.data[i] != '<'; ++i)
    if (memcmp(text.data + i, word, sizeof word - 1) == 0)
      return true;
  return false;
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
                              LIMIT);
  MlirStringRef spelled = encoding_text(text);
  MlirAttribute encoding = mlirAttributeParseGet(context, spelled);
  if (mlirAttributeIsNull(encoding))
    return nereid_message_set(message, NEREID_ERROR_PROGRAM, "'%.200s' is not an encoding", text);
  const char *element = settings->element ? settings->element : "f16";
  MlirType type = mlirTypeParseGet(context, mlirStringRefCreateFromCString(element));
  out->element_bits = mlirTypeIsNull(type) ? 0 : bits_of(type);
  if (!out->element_bits)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "--element: expected a type such as f16 or i8, not '%.80s'", element);
  nereid_status_t status = nereid_ttg_padded_shared_attr_isa(encoding)
                               ? nereid_layout_from_padded(encoding, rank, shape, &out->layout)
                               : nereid_layout_from_encoding(encoding, rank, shape, &out->layout);
  if (status == NEREID_ERROR_UNSUPPORTED)
    return nereid_message_set(message, NEREID_ERROR_PROGRAM, "'%.200s' is not a layout that can be printed", text);
  if (status)
    return nereid_message_set(message, NEREID_ERROR_PROGRAM,
                              "the encoding does not fit the shape %s: expected one power of two per dimension of the "
                              "encoding, and at least one instance of its pattern",
                              settings->shape);
  if (nereid_layout_in_total(&out->layout) > 24 || nereid_layout_out_total(&out->layout) > 16)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s has more than %d elements", settings->shape, LIMIT);
  if (!nereid_layout_surjective(&out->layout))
    return nereid_message_set(message, NEREID_ERROR_PROGRAM, "the encoding does not cover all elements of %s",
                              settings->shape);
  out->shared = is_shared(spelled);
  if (!find_places(arena, out))
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  pad(encoding, out);
  return NEREID_OK;
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
      tool_layout_print(&layout, stdout);
    if (!status && settings.svg)
      status = draw(&layout, operands.items[0], settings.svg, &message);
    code = status ? tool_failed(&tool_command_layout, status, &message) : TOOL_DONE;
    mlirContextDestroy(context);
  }
  nereid_arena_deinitialize(&arena);
  return code;
}
