/* Results of compilations in a store.
 *
 *   key = text of the input, options, compiler, assembler ──→ unit ──→ result: image, metadata
 *
 * The text is not parsed, so a hit costs a hash and a read. Every option that may change the result is part of the key;
 * options that request more than the result (remarks, dumps) compile. A result with warnings is not stored, because a
 * hit would hide them; that a kernel spills is in its metadata and is reported again. */
#include "session.h"

#include "base/file.h"
#include "python-free-bindings/launch/image/image.h"
#include "target/assembler/assemble.h"

#include <stdio.h>

enum { OPTIONS_SIZE = 216 }; /* bytes of the options that this file considers */

/* Appends "name=size:text;". The size separates a text from what follows it. */
static const char *add(nereid_arena_t *arena, const char *before, const char *name, const char *text) {
  return text ? nereid_arena_format(arena, "%s%s=%zu:%s;", before ? before : "", name, strlen(text), text) : before;
}

/* Returns a text that identifies the contents of a file; its path when it cannot be read. */
static const char *identify(nereid_arena_t *arena, const char *path) {
  nereid_store_recipe_t recipe = {.size = sizeof recipe};
  nereid_store_key_t key;
  char *text = nereid_arena_allocate(arena, NEREID_STORE_KEY_LETTERS + 1, 1);
  if (!path || !text || nereid_file_read(arena, path, &recipe.input, NULL) || nereid_store_key_make(&recipe, &key))
    return path;
  nereid_store_key_print(&key, text);
  return text;
}

/* Returns the properties of arguments as hexadecimal digits; null without any. */
static const char *print_properties(const nereid_compile_options_t *options, nereid_arena_t *arena) {
  char *text = options->n_properties ? nereid_arena_new(arena, char, 2 * options->n_properties + 1) : NULL;
  for (size_t i = 0; text && i < options->n_properties; ++i)
    snprintf(text + 2 * i, 3, "%02x", options->properties[i]);
  return text;
}

_Static_assert(sizeof(nereid_compile_options_t) == OPTIONS_SIZE,
               "a new option: add it to print_options or is_possible");

/* Returns the text of all options that may change the result. An option that is added here must also be added to the
 * table of test/python-free-bindings/compile/stored_test.c. */
static const char *print_options(const nereid_compile_options_t *options, const char *name, nereid_arena_t *arena) {
  const char *text = nereid_arena_format(
      arena,
      "emit=%d;warps=%d;stages=%d;ctas=%d;maxnreg=%d;no_fp_fusion=%d;lineinfo=%d;cooperative=%d;pdl=%d;nvjitlink=%d;"
      "specialize_calls=%d;no_global_order=%d;no_warp_specialization=%d;",
      options->emit ? (int)options->emit : NEREID_STAGE_CUBIN, options->num_warps, options->num_stages,
      options->num_ctas, options->maxnreg, options->no_fp_fusion, options->lineinfo, options->cooperative, options->pdl,
      options->nvjitlink, options->specialize_calls, options->no_global_order, options->no_warp_specialization);
  text = add(arena, text, "kernel", options->kernel);
  text = add(arena, text, "ptx_version", options->ptx_version);
  text = add(arena, text, "libdevice", identify(arena, options->libdevice));
  text = add(arena, text, "ptxas_options", options->ptxas_options);
  text = add(arena, text, "start_at", options->start_at);
  text = add(arena, text, "grid", options->grid);
  text = add(arena, text, "properties", print_properties(options, arena));
  /* Line tables contain the name of an input without locations. */
  return add(arena, text, "name", options->lineinfo ? name : NULL);
}

static bool is_possible(const nereid_compilation_t *compilation) {
  const nereid_compile_options_t *options = &compilation->options;
  return options->store && (options->emit == NEREID_STAGE_NONE || options->emit >= NEREID_STAGE_PTX) &&
         !options->remarks && !options->remark_handler && !options->dumps && !options->callgraph &&
         !options->allow_later && !options->stop_before && !compilation->compiler->hooks;
}

/* Makes the key. False when the assembler is unknown: neither this machine nor the store has one. */
static bool make_key(nereid_compilation_t *compilation, nereid_stored_t *stored) {
  const nereid_compile_options_t *options = &compilation->options;
  nereid_arena_t *arena = &compilation->scratch;
  char recorded[64];
  const char *assembler = "";
  if (options->emit != NEREID_STAGE_PTX) {
    stored->assembler = nereid_assembler_version(options->ptxas, options->nvjitlink, arena);
    assembler = stored->assembler;
    if (!assembler && nereid_store_assembler(options->store, recorded, NULL) == NEREID_OK)
      assembler = recorded;
  }
  const nereid_store_recipe_t recipe = {.size = sizeof recipe,
                                        .input = compilation->input,
                                        .options = print_options(options, compilation->name, arena),
                                        .architecture = options->target,
                                        .compiler = nereid_compiler_version(),
                                        .assembler = assembler};
  return assembler && recipe.options && !arena->failed && nereid_store_key_make(&recipe, &stored->key) == NEREID_OK;
}

static const char *copy(nereid_arena_t *arena, nereid_view_t *bytes, nereid_view_t from) {
  const char *data = nereid_arena_copy(arena, from);
  *bytes = nereid_view_of(data, from.size);
  return data;
}

/* Checks that the parts of a unit belong together and to the request. A checksum detects damage, not a unit that
 * another program stored under this key. */
static nereid_status_t check(nereid_compilation_t *compilation, const nereid_store_content_t *content,
                             nereid_metadata_t *metadata, nereid_message_t *message) {
  const nereid_compile_options_t *options = &compilation->options;
  const nereid_image_kind_t kind = options->emit == NEREID_STAGE_PTX ? NEREID_IMAGE_PTX : NEREID_IMAGE_CUBIN;
  nereid_arena_t *arena = &compilation->scratch;
  nereid_image_t image;
  nereid_target_t target = {.name = ""};
  nereid_status_t status = nereid_metadata_parse(arena, content->metadata, metadata, message);
  if (!status)
    status = nereid_image_inspect(arena, content->image, &image, message);
  if (!status && (image.kind != kind || !nereid_image_find(&image, metadata->name)))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "its image does not contain the kernel '%s'",
                              metadata->name);
  if (!status && options->target)
    status = nereid_target_parse(nereid_view(options->target), &compilation->compiler->report, &target);
  if (!status && (image.capability != metadata->capability ||
                  (target.name[0] && strcmp(target.name, metadata->arch ? metadata->arch : "") != 0)))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "its image is for %s and its metadata for %s", image.arch,
                              metadata->arch ? metadata->arch : "no architecture");
  return status;
}

/* Fills the result. NEREID_ERROR_NOT_FOUND: the unit is not usable. */
static nereid_status_t fill(nereid_compilation_t *compilation, const nereid_store_unit_t *unit) {
  const nereid_store_content_t content = nereid_store_unit_content(unit);
  nereid_result_t *result = compilation->result;
  nereid_metadata_t metadata;
  nereid_message_t reason = {""};
  const nereid_status_t status = check(compilation, &content, &metadata, &reason);
  if (status == NEREID_ERROR_MEMORY)
    return status;
  if (status) {
    nereid_report_at(&compilation->compiler->report, NEREID_REPORT_WARNING, compilation->name, 0, 0,
                     "the unit of the store is not usable and is compiled again: %s", reason.text);
    compilation->compiler->warnings = 0; /* the new result is stored */
    return NEREID_ERROR_NOT_FOUND;
  }
  result->kernel = nereid_arena_copy(&result->arena, nereid_view(metadata.name));
  if (!result->kernel || !copy(&result->arena, &result->bytes, content.image) ||
      !copy(&result->arena, &result->metadata, content.metadata))
    return NEREID_ERROR_MEMORY;
  result->stage = compilation->options.emit == NEREID_STAGE_PTX ? NEREID_STAGE_PTX : NEREID_STAGE_CUBIN;
  result->registers = (uint32_t)metadata.registers;
  result->spilled_bytes = (uint32_t)metadata.spill_stores;
  result->is_stored = true;
  result->times[result->n_times++] =
      (nereid_stage_time_t){"store", (double)(nereid_limits_now() - compilation->start) / 1e6, 0};
  nereid_report_spills(compilation, &metadata);
  return NEREID_OK;
}

nereid_status_t nereid_stored_begin(nereid_compilation_t *compilation, nereid_stored_t *stored) {
  const nereid_compile_options_t *options = &compilation->options;
  nereid_store_unit_t *unit = NULL;
  if (!is_possible(compilation) || !make_key(compilation, stored))
    return NEREID_ERROR_NOT_FOUND;
  stored->is_open = true;
  nereid_status_t status = nereid_store_claim(options->store, &stored->key, options->time_limit, options->cancellation,
                                              &unit, &stored->claim, NULL);
  if (status == NEREID_OK)
    status = fill(compilation, unit);
  nereid_store_unit_destroy(unit);
  return status;
}

/* A failure to store is reported by the store to its handler; the result is complete without it. */
void nereid_stored_end(nereid_compilation_t *compilation, nereid_stored_t *stored, nereid_status_t status) {
  const nereid_result_t *result = compilation->result;
  nereid_store_t *store = compilation->options.store;
  const unsigned own = compilation->metadata.spill_stores || compilation->metadata.spill_loads;
  if (!stored->is_open)
    return;
  if (status == NEREID_OK && compilation->compiler->warnings == own) {
    const nereid_store_content_t content = {.image = result->bytes, .metadata = result->metadata};
    (void)!nereid_store_put(store, &stored->key, &content, NULL);
    if (stored->assembler)
      (void)!nereid_store_set_assembler(store, stored->assembler, NULL);
  }
  nereid_store_claim_release(stored->claim);
}
