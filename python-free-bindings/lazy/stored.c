/* Images and tuning results of a lazy kernel in a store.
 *
 *   unit      input                              options                               variant
 *   image     text of the configuration          its options, grid, properties         -
 *   result    text with placeholders             options of every configuration        device, key, properties
 *   compiler  -                                  -                                     "compiler of lazy kernels"
 *
 * The compiler's version is part of every key. A process without a compiler reads the version that the last compiling
 * process recorded. Likewise the assembler is the one that the store has recorded: it is known after an assembly only,
 * and is then recorded. */
#include "python-free-bindings/lazy/lazy.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Puts a unit. A failure costs a miss; the store's handler receives it. */
static void put(nereid_lazy_kernel_t *kernel, const nereid_store_key_t *key, const nereid_store_content_t *content) {
  nereid_status_t status = nereid_store_put(kernel->options.store, key, content, NULL);
  (void)status;
}

static nereid_status_t compiler_key(nereid_store_key_t *out_key) {
  const nereid_store_recipe_t recipe = {.size = sizeof recipe, .variant = "compiler of lazy kernels"};
  return nereid_store_key_make(&recipe, out_key);
}

/* Reads the recorded version of the compiler; false: none. */
static bool read_compiler(nereid_store_t *store, char out_version[NEREID_LAZY_VERSION_SIZE]) {
  nereid_store_key_t key;
  nereid_store_unit_t *unit;
  if (compiler_key(&key) || nereid_store_get(store, &key, &unit, NULL))
    return false;
  const nereid_view_t text = nereid_store_unit_content(unit).metadata;
  const bool fits = text.size && text.size < NEREID_LAZY_VERSION_SIZE;
  snprintf(out_version, NEREID_LAZY_VERSION_SIZE, "%.*s", fits ? (int)text.size : 0, text.data ? text.data : "");
  nereid_store_unit_destroy(unit);
  return fits;
}

static void record_compiler(nereid_lazy_kernel_t *kernel) {
  char recorded[NEREID_LAZY_VERSION_SIZE];
  nereid_store_key_t key;
  const nereid_store_content_t content = {.metadata = nereid_view(kernel->compiler)};
  if (atomic_exchange(&kernel->is_recorded, true))
    return;
  if (read_compiler(kernel->options.store, recorded) && strcmp(recorded, kernel->compiler) == 0)
    return;
  if (!compiler_key(&key))
    put(kernel, &key, &content);
}

void nereid_stored_initialize(nereid_lazy_kernel_t *kernel) {
  if (!kernel->options.store)
    return;
  if (kernel->options.compiler)
    snprintf(kernel->compiler, sizeof kernel->compiler, "%s", kernel->options.compiler->version());
  else if (!read_compiler(kernel->options.store, kernel->compiler))
    kernel->compiler[0] = 0;
}

/* Sets the fields of a recipe that all units of the kernel share. */
static void begin_recipe(const nereid_lazy_kernel_t *kernel, char assembler[64], nereid_store_recipe_t *out_recipe) {
  if (kernel->is_emulated || nereid_store_assembler(kernel->options.store, assembler, NULL))
    assembler[0] = 0;
  *out_recipe = (nereid_store_recipe_t){
      .size = sizeof *out_recipe, .architecture = kernel->target, .compiler = kernel->compiler, .assembler = assembler};
}

static void print_options(FILE *out, const nereid_lazy_kernel_t *kernel, const nereid_configured_t *configured) {
  const nereid_lazy_configuration_t *it = &configured->options;
  fprintf(out, "num_warps=%d num_stages=%d num_ctas=%d maxnreg=%d image=%s function=%s grid=%s\n", (int)it->num_warps,
          (int)it->num_stages, (int)it->num_ctas, (int)it->maxnreg, kernel->is_emulated ? "ptx" : "cubin",
          kernel->options.function ? kernel->options.function : "", configured->grid ? configured->grid : "");
}

static void print_properties(FILE *out, const nereid_lazy_properties_t *properties) {
  fprintf(out, "properties=%016" PRIx64 "%016" PRIx64 "\n", properties->bits[1], properties->bits[0]);
}

static nereid_status_t image_key(const nereid_lazy_build_t *build, nereid_store_key_t *out_key) {
  const nereid_configured_t *configured = &build->kernel->configurations[build->configuration];
  nereid_store_recipe_t recipe;
  char assembler[64], *options = NULL;
  size_t size;
  begin_recipe(build->kernel, assembler, &recipe);
  FILE *out = open_memstream(&options, &size);
  if (!out)
    return NEREID_ERROR_MEMORY;
  print_options(out, build->kernel, configured);
  print_properties(out, &build->variant->properties);
  const bool good = fclose(out) == 0;
  recipe.input = configured->text;
  recipe.options = options;
  nereid_status_t status = good ? nereid_store_key_make(&recipe, out_key) : NEREID_ERROR_MEMORY;
  free(options);
  return status;
}

/* Returns NEREID_ERROR_PROGRAM with the message of a unit that has no image; NEREID_ERROR_NOT_FOUND: it has neither. */
static nereid_status_t read_failure(nereid_view_t text, nereid_message_t *message) {
  cJSON *json = cJSON_ParseWithLength(text.data, text.size);
  const char *reason = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "message"));
  nereid_status_t status =
      reason ? nereid_message_set(message, NEREID_ERROR_PROGRAM, "%s", reason) : NEREID_ERROR_NOT_FOUND;
  cJSON_Delete(json);
  return status;
}

nereid_status_t nereid_stored_claim(nereid_lazy_build_t *build, nereid_store_unit_t **out_unit,
                                    nereid_store_claim_t **out_claim, nereid_message_t *message) {
  nereid_store_key_t key;
  *out_unit = NULL;
  *out_claim = NULL;
  nereid_status_t status = image_key(build, &key);
  if (status)
    return nereid_message_set(message, status, "out of memory");
  if (!build->job.compiler)
    status = nereid_store_get(build->kernel->options.store, &key, out_unit, message);
  else
    status = nereid_store_claim(build->kernel->options.store, &key, 0, build->kernel->cancellation, out_unit, out_claim,
                                message);
  if (status || nereid_store_unit_content(*out_unit).image.size)
    return status;
  status = read_failure(nereid_store_unit_content(*out_unit).tuning, message);
  nereid_store_unit_destroy(*out_unit);
  *out_unit = NULL;
  return status;
}

void nereid_stored_put(nereid_lazy_build_t *build, const nereid_lazy_image_t *image) {
  nereid_store_t *store = build->kernel->options.store;
  const nereid_store_content_t content = {.image = image->image, .metadata = image->metadata};
  const char *assembler = build->loaded ? nereid_kernel_metadata(build->loaded)->assembler : NULL;
  nereid_store_key_t key;
  if (!store)
    return;
  record_compiler(build->kernel);
  if (assembler && nereid_store_set_assembler(store, assembler, NULL))
    return;
  if (!image_key(build, &key))
    put(build->kernel, &key, &content);
}

void nereid_stored_put_failure(nereid_lazy_build_t *build, const nereid_message_t *message) {
  nereid_store_key_t key;
  if (!build->kernel->options.store)
    return;
  cJSON *json = cJSON_CreateObject();
  char *text = cJSON_AddStringToObject(json, "message", message->text) ? cJSON_PrintUnformatted(json) : NULL;
  const nereid_store_content_t content = {.tuning = nereid_view(text)};
  record_compiler(build->kernel);
  if (text && !image_key(build, &key))
    put(build->kernel, &key, &content);
  cJSON_free(text);
  cJSON_Delete(json);
}

/* --- tuning results --- */

static nereid_status_t result_key(const nereid_lazy_kernel_t *kernel, uint64_t key,
                                  const nereid_lazy_properties_t *properties, nereid_store_key_t *out_key) {
  nereid_store_recipe_t recipe;
  char assembler[64], *options = NULL, *variant = NULL;
  size_t size;
  begin_recipe(kernel, assembler, &recipe);
  FILE *out = open_memstream(&options, &size);
  if (!out)
    return NEREID_ERROR_MEMORY;
  for (size_t i = 0; i < kernel->n_configurations; ++i) {
    const nereid_configured_t *configured = &kernel->configurations[i];
    for (size_t k = 0; k < configured->options.n_constants; ++k)
      fprintf(out, "%s=%s ", configured->options.constants[k].name, configured->options.constants[k].value);
    print_options(out, kernel, configured);
  }
  bool good = fclose(out) == 0;
  out = open_memstream(&variant, &size);
  if (out) {
    fprintf(out, "tuning device=%s key=%016" PRIx64 "\n", kernel->device->info.name, key);
    print_properties(out, properties);
    good &= fclose(out) == 0;
  }
  recipe.input = kernel->options.text;
  recipe.options = options;
  recipe.variant = variant;
  nereid_status_t status = good && out ? nereid_store_key_make(&recipe, out_key) : NEREID_ERROR_MEMORY;
  free(options);
  free(variant);
  return status;
}

static nereid_outcome_t parse_outcome(const char *name) {
  for (int i = 0; name && i <= NEREID_OUTCOME_LEFT_OUT; ++i)
    if (strcmp(name, nereid_outcome_name((nereid_outcome_t)i)) == 0)
      return (nereid_outcome_t)i;
  return NEREID_OUTCOME_NONE;
}

static void parse_result(const cJSON *object, nereid_measured_t *out_result) {
  const cJSON *runs = cJSON_GetObjectItemCaseSensitive(object, "runs");
  const cJSON *time = cJSON_GetObjectItemCaseSensitive(object, "time");
  out_result->outcome = parse_outcome(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "outcome")));
  if (cJSON_IsNumber(runs) && runs->valuedouble >= 1 && runs->valuedouble <= 1e6)
    out_result->runs = (uint32_t)runs->valuedouble;
  if (cJSON_IsNumber(time) && time->valuedouble >= 0)
    out_result->time = time->valuedouble;
}

/* Sets winner and results; false when the text is not a decision of this kernel. */
static bool parse_decision(const nereid_lazy_kernel_t *kernel, nereid_view_t text, nereid_decision_t *decision) {
  cJSON *json = cJSON_ParseWithLength(text.data, text.size);
  const cJSON *winner = cJSON_GetObjectItemCaseSensitive(json, "winner");
  const cJSON *results = cJSON_GetObjectItemCaseSensitive(json, "results"), *result;
  size_t i = 0;
  const bool good = cJSON_IsNumber(winner) && winner->valuedouble >= 0 &&
                    winner->valuedouble < (double)kernel->n_configurations &&
                    winner->valuedouble == (double)(size_t)winner->valuedouble;
  if (good)
    decision->configuration = (size_t)winner->valuedouble;
  cJSON_ArrayForEach(result, results) {
    if (good && i < kernel->n_configurations)
      parse_result(result, &decision->results[i++]);
  }
  cJSON_Delete(json);
  return good;
}

bool nereid_stored_decision_get(nereid_lazy_kernel_t *kernel, nereid_decision_t *decision) {
  nereid_store_key_t key;
  nereid_store_unit_t *unit;
  if (!kernel->options.store || result_key(kernel, decision->key, &decision->properties, &key) ||
      nereid_store_get(kernel->options.store, &key, &unit, NULL))
    return false;
  const bool good = parse_decision(kernel, nereid_store_unit_content(unit).tuning, decision);
  nereid_store_unit_destroy(unit);
  return good;
}

void nereid_stored_decision_put(nereid_lazy_kernel_t *kernel, const nereid_decision_t *decision) {
  nereid_store_key_t key;
  char *text = NULL;
  size_t size = 0;
  if (!kernel->options.store)
    return;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return;
  nereid_decision_print(out, kernel, decision);
  if (fclose(out) == 0 && !result_key(kernel, decision->key, &decision->properties, &key)) {
    const nereid_store_content_t content = {.tuning = nereid_view_of(text, size)};
    put(kernel, &key, &content);
  }
  free(text);
}
