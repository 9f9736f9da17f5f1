/* Parses --target and --config of `nereid aot`.
 *
 *   sm_80,sm_90a,compute_90a                          cubins for two targets, and PTX
 *   matmul:name=big,num_warps=8,BLOCK_M=256           a configuration of one kernel
 *   num_warps=4,num_stages=2                          of all kernels, named num_warps_4_num_stages_2
 *   name=any,arguments=generic                        without the promises of the IR about arguments */
#include "tools/nereid/aot/plan.h"

#include "target/target.h"
#include "tools/nereid/aot/names.h"

#include <stdlib.h>

static nereid_status_t out_of_memory(nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

/* Splits `text` at each `separator` into `out_words`, copied into `arena`. */
static bool split(nereid_arena_t *arena, const char *text, char separator, tool_list_t *out_words) {
  size_t n = 1;
  for (const char *at = text; *at; at++)
    n += *at == separator;
  out_words->items = nereid_arena_new(arena, const char *, n);
  for (out_words->size = 0; out_words->items && out_words->size < n; out_words->size++) {
    const char *end = strchr(text, separator);
    const size_t size = end ? (size_t)(end - text) : strlen(text);
    out_words->items[out_words->size] = nereid_arena_copy(arena, nereid_view_of(text, size));
    text += size + (end != NULL);
  }
  return out_words->items && !arena->failed;
}

/* --- targets --- */

static nereid_status_t parse_target(nereid_arena_t *arena, const char *word, tool_aot_target_t *out_target,
                                    nereid_message_t *message) {
  static const char ptx[] = "compute_";
  nereid_target_t known;
  out_target->name = word;
  out_target->is_ptx = strncmp(word, ptx, sizeof ptx - 1) == 0;
  out_target->arch = out_target->is_ptx ? nereid_arena_format(arena, "sm_%s", word + sizeof ptx - 1) : word;
  if (!out_target->arch)
    return out_of_memory(message);
  if (strncmp(word, "cuda:", 5) == 0 || nereid_target_parse(nereid_view(out_target->arch), NULL, &known))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "--target %s: expected %s, or compute_80 ... compute_90a for PTX", word,
                              nereid_target_list());
  return NEREID_OK;
}

nereid_status_t tool_aot_parse_targets(nereid_arena_t *arena, const char *text, tool_aot_plan_t *out_plan,
                                       nereid_message_t *message) {
  tool_list_t words;
  if (!split(arena, text, ',', &words) || !(out_plan->targets = nereid_arena_new(arena, tool_aot_target_t, words.size)))
    return out_of_memory(message);
  for (out_plan->n_targets = 0; out_plan->n_targets < words.size; out_plan->n_targets++) {
    const size_t i = out_plan->n_targets;
    nereid_status_t status = parse_target(arena, words.items[i], &out_plan->targets[i], message);
    if (status)
      return status;
    for (size_t k = 0; k < i; k++)
      if (strcmp(words.items[k], words.items[i]) == 0)
        return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--target %s: %s is given twice", text,
                                  words.items[i]);
  }
  return NEREID_OK;
}

/* --- configurations --- */

/* Parses an option of the compiler. NEREID_ERROR_NOT_FOUND: `key` is none. */
static nereid_status_t parse_option(const char *key, const char *value, tool_aot_configuration_t *out,
                                    nereid_message_t *message) {
  const struct {
    const char *name;
    int32_t *place;
  } options[] = {{"num_warps", &out->num_warps},
                 {"num_stages", &out->num_stages},
                 {"num_ctas", &out->num_ctas},
                 {"maxnreg", &out->maxnreg}};
  for (size_t i = 0; i < TOOL_COUNT(options); i++) {
    char *end;
    if (strcmp(options[i].name, key) != 0)
      continue;
    const long number = strtol(value, &end, 10);
    if (*end || number < 1 || number > INT16_MAX)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s=%s: expected a number from 1 to %d", key, value,
                                INT16_MAX);
    *options[i].place = (int32_t)number;
    return NEREID_OK;
  }
  return NEREID_ERROR_NOT_FOUND;
}

/* Parses the value of the key `arguments`. */
static nereid_status_t parse_property(const char *value, tool_aot_configuration_t *out, nereid_message_t *message) {
  if (strcmp(value, "generic") == 0)
    out->property = NEREID_PROPERTY_GENERIC;
  else if (strcmp(value, "divisible") == 0)
    out->property = NEREID_PROPERTY_DIVISIBLE;
  else
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "arguments=%s: expected generic or divisible", value);
  return NEREID_OK;
}

/* Parses KEY=VALUE; a key that is not an option is a constant. */
static nereid_status_t parse_entry(nereid_arena_t *arena, const char *entry, tool_aot_configuration_t *out,
                                   nereid_message_t *message) {
  const char *equals = strchr(entry, '=');
  const char *key = nereid_arena_copy(arena, nereid_view_of(entry, equals ? (size_t)(equals - entry) : 0));
  if (!key)
    return out_of_memory(message);
  if (!equals || !*key || !equals[1])
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "'%s': expected KEY=VALUE", entry);
  if (strcmp(key, "name") == 0) {
    out->name = equals + 1;
    out->is_named = true;
    return tool_name_is_identifier(out->name)
               ? NEREID_OK
               : nereid_message_set(message, NEREID_ERROR_ARGUMENT, "%s: expected letters, digits and _", entry);
  }
  if (strcmp(key, "arguments") == 0)
    return parse_property(equals + 1, out, message);
  nereid_status_t status = parse_option(key, equals + 1, out, message);
  if (status != NEREID_ERROR_NOT_FOUND)
    return status;
  out->constants.items[out->constants.size++] = entry;
  return NEREID_OK;
}

nereid_status_t tool_aot_parse_configuration(nereid_arena_t *arena, const char *text,
                                             tool_aot_configuration_t *out_configuration, nereid_message_t *message) {
  tool_aot_configuration_t configuration = {0};
  const char *colon = strchr(text, ':'), *entries = text;
  tool_list_t words;
  nereid_message_t problem;
  if (colon && colon < text + strcspn(text, "=")) {
    configuration.kernel = nereid_arena_copy(arena, nereid_view_of(text, (size_t)(colon - text)));
    entries = colon + 1;
  }
  if (!split(arena, entries, ',', &words) ||
      !(configuration.constants.items = nereid_arena_new(arena, const char *, words.size)))
    return out_of_memory(message);
  for (size_t i = 0; i < words.size; i++) {
    nereid_status_t status = parse_entry(arena, words.items[i], &configuration, &problem);
    if (status)
      return nereid_message_set(message, status, "--config %s: %s", text, problem.text);
  }
  if (!configuration.is_named)
    configuration.name = tool_name_identifier(arena, entries);
  *out_configuration = configuration;
  return configuration.name ? NEREID_OK : out_of_memory(message);
}
