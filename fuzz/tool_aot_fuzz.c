/* libFuzzer: user input of `nereid aot`: the kernels in the text of an input, the names in the generated C, targets and
 * configurations. The first byte selects the parser. */
#include "python-free-bindings/compile/scan.c"
#include "target/report.c"
#include "target/target.c"
#include "tools/nereid/aot/configuration.c"
#include "tools/nereid/aot/find_kernels.c"
#include "tools/nereid/aot/names.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static size_t count(nereid_view_t text, const char *word) {
  const size_t length = strlen(word);
  size_t n = 0;
  for (size_t i = 0; i + length <= text.size; ++i)
    n += memcmp(text.data + i, word, length) == 0;
  return n;
}

/* Every kernel is a name in the text, and there are no more than functions. */
static void fuzz_kernels(nereid_arena_t *arena, nereid_view_t text) {
  tool_list_t names;
  nereid_message_t message;
  if (tool_aot_find_kernels(arena, text, &names, &message))
    abort();
  if (names.size > count(text, "tt.func"))
    abort();
  for (size_t i = 0; i < names.size; ++i) {
    const char *identifier = tool_name_identifier(arena, names.items[i]);
    const char *variable = tool_name_variable(arena, names.items[i]);
    if (count(text, names.items[i]) == 0 || (names.items[i][0] && !tool_name_is_identifier(identifier)) ||
        (names.items[i][0] && !tool_name_is_identifier(variable)))
      abort();
  }
}

static void fuzz_targets(nereid_arena_t *arena, const char *text) {
  tool_aot_plan_t plan = {0};
  nereid_message_t message = {""};
  const nereid_status_t status = tool_aot_parse_targets(arena, text, &plan, &message);
  if (status ? !message.text[0] : plan.n_targets == 0)
    abort();
}

static void fuzz_configuration(nereid_arena_t *arena, const char *text) {
  tool_aot_configuration_t configuration;
  nereid_message_t message = {""};
  if (tool_aot_parse_configuration(arena, text, &configuration, &message) && !message.text[0])
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  nereid_arena_t arena;
  if (size == 0)
    return 0;
  nereid_arena_initialize(&arena);
  const nereid_view_t rest = nereid_view_of((const char *)bytes + 1, size - 1);
  if (bytes[0] % 3 == 0)
    fuzz_kernels(&arena, rest);
  else if (bytes[0] % 3 == 1)
    fuzz_targets(&arena, nereid_arena_copy(&arena, rest));
  else
    fuzz_configuration(&arena, nereid_arena_copy(&arena, rest));
  nereid_arena_deinitialize(&arena);
  return 0;
}
