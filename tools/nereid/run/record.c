/* A run as a directory: the kernel, its options, its arguments as .npy files, its results.
 *
 *   nereid run k.ttir --arg x=f32[64]:rand --record case    writes case/case.json, case/kernel.ttir, case/0-x.npy, ...
 *   nereid run case                                         reads them
 *
 * The manifest, case.json, is a command line in parts:
 *
 *   {"version": 1, "kernel": "kernel.ttir", "on": "emulator", "grid": "4", "seed": 0, "options": ["--racecheck"],
 *    "arguments": [{"name": "x", "spec": "f32[64]:@0-x.npy"}, {"name": "n", "spec": "64"}], "outcome": ..., ...} */
#include "tools/nereid/run/run.h"

#include "base/file.h"
#include "tools/nereid/run/bind.h"
#include "tools/nereid/run/spec.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1 };

static const char manifest_name[] = "case.json";

extern const tool_command_t tool_command_run;

static nereid_status_t no_memory(nereid_message_t *message) {
  return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

/* --- writing --- */

static nereid_status_t write_manifest(const char *directory, nereid_arena_t *arena, const cJSON *manifest,
                                      nereid_message_t *message) {
  const char *path = nereid_arena_format(arena, "%s/%s", directory, manifest_name);
  char *text = cJSON_Print(manifest);
  const nereid_status_t status =
      path && text ? nereid_file_write(path, nereid_view(text), message) : no_memory(message);
  cJSON_free(text);
  return status;
}

/* "0-x.npy" */
static const char *file_name(nereid_arena_t *arena, size_t index, const char *name) {
  char *text = nereid_arena_format(arena, "%zu-%s.npy", index, name);
  for (char *at = text; at && *at; ++at)
    *at = isalnum((unsigned char)*at) || strchr("-_.", *at) ? *at : '_';
  return text;
}

static nereid_status_t write_tensor(nereid_arena_t *arena, const char *directory, const char *file,
                                    const tool_tensor_t *tensor, nereid_message_t *message) {
  nereid_view_t bytes;
  const char *path = nereid_arena_format(arena, "%s/%s", directory, file);
  const nereid_status_t status = path ? tool_npy_print(arena, tensor, &bytes) : NEREID_ERROR_MEMORY;
  return status ? no_memory(message) : nereid_file_write(path, bytes, message);
}

/* "[64x32]" or "/64x32s128" */
static const char *print_extents(nereid_arena_t *arena, const char *open, const uint64_t *extents, uint32_t rank,
                                 const char *close) {
  const char *text = open;
  for (uint32_t i = 0; text && i < rank; ++i)
    text = nereid_arena_format(arena, "%s%s%" PRIu64, text, i ? "x" : "", extents[i]);
  return text ? nereid_arena_format(arena, "%s%s", text, close) : NULL;
}

/* "f16[64x32]:@0-x.npy/64x32s128" */
static const char *print_spec(nereid_arena_t *arena, const tool_tensor_t *tensor, const char *file,
                              const tool_spec_t *spec) {
  uint64_t extents[NEREID_RANK_LIMIT];
  for (uint32_t i = 0; i < spec->box_rank; ++i)
    extents[i] = (uint64_t)spec->box[i];
  const char *swizzle = spec->has_swizzle ? nereid_arena_format(arena, "s%" PRIu32, spec->swizzle) : "";
  const char *box = spec->box_rank && swizzle ? print_extents(arena, "/", extents, spec->box_rank, swizzle) : "";
  const char *shape = tensor->rank ? print_extents(arena, "[", tensor->shape, tensor->rank, "]") : "[1]";
  return box && shape ? nereid_arena_format(arena, "%s%s:@%s%s", nereid_element_name(tensor->element), shape, file, box)
                      : NULL;
}

/* Writes the tensor of an argument, if it is one, and adds the argument to the manifest. */
static nereid_status_t add_argument(nereid_arena_t *arena, const char *directory, const char *item,
                                    const tool_job_t *job, cJSON *arguments, nereid_message_t *message) {
  const char *equals = strchr(item, '='), *spec = equals + 1; /* the arguments were bound */
  const char *name = nereid_arena_copy(arena, nereid_view_of(item, (size_t)(equals - item)));
  tool_spec_t parsed = {0};
  size_t index;
  nereid_status_t status = name ? tool_spec_parse(arena, spec, &parsed, message) : no_memory(message);
  if (!status && parsed.kind == TOOL_SPEC_TENSOR) {
    status = tool_bind_find(job, nereid_view(name), &index, message);
    const char *file = status ? NULL : file_name(arena, index, job->tensor_names[index]);
    spec = file ? print_spec(arena, &job->tensors[index], file, &parsed) : NULL;
    if (!status)
      status = spec ? write_tensor(arena, directory, file, &job->tensors[index], message) : no_memory(message);
  }
  if (status)
    return status;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", name);
  cJSON_AddStringToObject(object, "spec", spec);
  return cJSON_AddItemToArray(arguments, object) ? NEREID_OK : no_memory(message);
}

/* Copies the input, and the files next to an image that describe it. `out_name`: the input's name in the directory. */
static nereid_status_t copy_kernel(nereid_arena_t *arena, const char *directory, const char *path,
                                   const char **out_name, nereid_message_t *message) {
  static const char *const beside[] = {".ttir", ".ttgir"};
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.'), *suffix = dot ? dot : "";
  const bool is_image = strcmp(suffix, ".ptx") == 0 || strcmp(suffix, ".cubin") == 0;
  const int stem = (int)(suffix - path);
  nereid_view_t content = {0};
  *out_name = nereid_arena_format(arena, "kernel%s", suffix);
  const char *to = *out_name ? nereid_arena_format(arena, "%s/%s", directory, *out_name) : NULL;
  nereid_status_t status = to ? nereid_file_read(arena, path, &content, message) : no_memory(message);
  if (!status)
    status = nereid_file_write(to, content, message);
  for (size_t i = 0; !status && is_image && i <= sizeof beside / sizeof *beside; ++i) {
    const bool is_metadata = i == sizeof beside / sizeof *beside;
    const char *from = is_metadata ? nereid_arena_format(arena, "%s.json", path)
                                   : nereid_arena_format(arena, "%.*s%s", stem, path, beside[i]);
    to = nereid_arena_format(arena, "%s/kernel%s%s", directory, is_metadata ? suffix : beside[i],
                             is_metadata ? ".json" : "");
    if (!from || !to)
      return no_memory(message);
    if (access(from, R_OK) != 0)
      continue;
    status = nereid_file_read(arena, from, &content, message);
    if (!status)
      status = nereid_file_write(to, content, message);
  }
  return status;
}

/* The options that have no field of their own and no file of this machine. */
static nereid_status_t add_options(nereid_arena_t *arena, const run_settings_t *settings, cJSON *options,
                                   nereid_message_t *message) {
  static const run_settings_t defaults = {.shared = -1};
  run_settings_t rest = *settings;
  tool_list_t words = {0};
  rest.grid = rest.engine = rest.races = rest.dump_dir = rest.timeline = rest.timeline_ctas = rest.record = NULL;
  rest.arguments = rest.outputs = (tool_list_t){0};
  rest.seed = rest.timeline_events = 0;
  rest.bench = false;
  rest.racecheck |= settings->races != NULL;
  if (!tool_options_print(arena, &tool_command_run, &rest, &defaults, NULL, &words))
    return no_memory(message);
  for (size_t i = 0; i < words.size; ++i)
    cJSON_AddItemToArray(options, cJSON_CreateString(words.items[i]));
  return NEREID_OK;
}

nereid_status_t tool_record_arguments(nereid_arena_t *arena, const run_settings_t *settings, const char *directory,
                                      const char *path, const tool_job_t *job, nereid_message_t *message) {
  const char *kernel = NULL;
  if (mkdir(directory, 0777) && errno != EEXIST)
    return nereid_message_set(message, NEREID_ERROR_IO, "cannot create the directory '%s'", directory);
  nereid_status_t status = copy_kernel(arena, directory, path, &kernel, message);
  cJSON *manifest = cJSON_CreateObject();
  cJSON_AddNumberToObject(manifest, "version", VERSION);
  cJSON_AddStringToObject(manifest, "kernel", kernel ? kernel : "");
  cJSON_AddStringToObject(manifest, "name", job->metadata.name ? job->metadata.name : "");
  cJSON_AddItemToObject(manifest, "on", settings->engine ? cJSON_CreateString(settings->engine) : cJSON_CreateNull());
  cJSON_AddItemToObject(manifest, "grid", settings->grid ? cJSON_CreateString(settings->grid) : cJSON_CreateNull());
  cJSON_AddNumberToObject(manifest, "seed", (double)settings->seed);
  cJSON *options = cJSON_AddArrayToObject(manifest, "options");
  cJSON *arguments = cJSON_AddArrayToObject(manifest, "arguments");
  if (!status)
    status = add_options(arena, settings, options, message);
  for (size_t i = 0; !status && i < settings->arguments.size; ++i)
    status = add_argument(arena, directory, settings->arguments.items[i], job, arguments, message);
  cJSON_AddStringToObject(manifest, "outcome", "unfinished");
  cJSON_AddArrayToObject(manifest, "results");
  if (!status)
    status = write_manifest(directory, arena, manifest, message);
  cJSON_Delete(manifest);
  return status;
}

/* --- reading --- */

static nereid_status_t read_manifest(nereid_arena_t *arena, const char *directory, cJSON **out_manifest,
                                     nereid_message_t *message) {
  nereid_view_t text;
  const char *path = nereid_arena_format(arena, "%s/%s", directory, manifest_name);
  *out_manifest = NULL;
  if (!path)
    return no_memory(message);
  if (access(path, R_OK) != 0)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "'%s' is not a recording: it has no %s", directory,
                              manifest_name);
  const nereid_status_t status = nereid_file_read(arena, path, &text, message);
  if (status)
    return status;
  *out_manifest = cJSON_ParseWithLength(text.data, text.size);
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(*out_manifest, "version");
  if (cJSON_IsNumber(version) && version->valueint == VERSION)
    return NEREID_OK;
  const bool is_other = cJSON_IsNumber(version);
  const int number = is_other ? version->valueint : 0;
  cJSON_Delete(*out_manifest);
  *out_manifest = NULL;
  return is_other ? nereid_message_set(message, NEREID_ERROR_ARGUMENT, "'%s' has version %d; expected %d", path, number,
                                       VERSION)
                  : nereid_message_set(message, NEREID_ERROR_ARGUMENT, "'%s' is not JSON with a version", path);
}

nereid_status_t tool_record_results(nereid_arena_t *arena, const char *directory, const tool_job_t *job,
                                    const char *outcome, nereid_message_t *message) {
  cJSON *manifest;
  nereid_status_t status = read_manifest(arena, directory, &manifest, message);
  cJSON *results = cJSON_CreateArray();
  for (size_t i = 0; !status && !outcome && i < job->n_tensors; ++i) {
    const char *file = nereid_arena_format(arena, "result-%s", file_name(arena, i, job->tensor_names[i]));
    status = file ? write_tensor(arena, directory, file, &job->tensors[i], message) : no_memory(message);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", job->tensor_names[i]);
    cJSON_AddStringToObject(object, "file", file ? file : "");
    cJSON_AddItemToArray(results, object);
  }
  cJSON_ReplaceItemInObjectCaseSensitive(manifest, "results", results);
  cJSON_ReplaceItemInObjectCaseSensitive(manifest, "outcome", cJSON_CreateString(outcome ? outcome : "success"));
  if (!status)
    status = write_manifest(directory, arena, manifest, message);
  if (!manifest)
    cJSON_Delete(results);
  cJSON_Delete(manifest);
  return status;
}

static const char *text_of(const cJSON *object, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* The specification with the path of its file: "f32[64]:@case/0-x.npy". */
static const char *locate(nereid_arena_t *arena, const char *directory, const char *spec) {
  const char *at = strchr(spec, '@');
  return at ? nereid_arena_format(arena, "%.*s@%s/%s", (int)(at - spec), spec, directory, at + 1)
            : nereid_arena_copy(arena, nereid_view(spec));
}

static bool is_given(const tool_list_t *arguments, const char *name) {
  const size_t length = strlen(name);
  for (size_t i = 0; i < arguments->size; ++i)
    if (strncmp(arguments->items[i], name, length) == 0 && arguments->items[i][length] == '=')
      return true;
  return false;
}

static bool add_words(nereid_arena_t *arena, const cJSON *manifest, tool_list_t *words) {
  static const char *const keys[][2] = {{"--on", "on"}, {"--grid", "grid"}};
  const cJSON *word = NULL, *seed = cJSON_GetObjectItemCaseSensitive(manifest, "seed");
  bool good = tool_list_append(arena, words, "run");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const char *value = text_of(manifest, keys[i][1]);
    char *copy = value ? nereid_arena_copy(arena, nereid_view(value)) : NULL;
    good = good &&
           (!value || (copy && tool_list_append(arena, words, keys[i][0]) && tool_list_append(arena, words, copy)));
  }
  if (cJSON_IsNumber(seed)) {
    const char *value = nereid_arena_format(arena, "--seed=%.0f", seed->valuedouble);
    good = good && value && tool_list_append(arena, words, value);
  }
  cJSON_ArrayForEach(word, cJSON_GetObjectItemCaseSensitive(manifest, "options")) {
    char *copy = cJSON_IsString(word) ? nereid_arena_copy(arena, nereid_view(word->valuestring)) : NULL;
    good = good && copy && tool_list_append(arena, words, copy);
  }
  return good;
}

/* The options of the recording, then those of the command line, which override them; arguments by name. */
static nereid_status_t merge(nereid_arena_t *arena, const char *directory, const cJSON *manifest,
                             run_settings_t *settings, nereid_message_t *message) {
  static const run_settings_t defaults = {.shared = -1};
  run_settings_t merged = defaults;
  const cJSON *argument = NULL;
  tool_list_t words = {0}, operands = {0};
  if (!add_words(arena, manifest, &words) ||
      !tool_options_print(arena, &tool_command_run, settings, &defaults, NULL, &words) ||
      !tool_list_append(arena, &words, NULL))
    return no_memory(message);
  if (tool_options_parse(arena, &tool_command_run, (int)words.size - 1, (char **)words.items, &merged, &operands) !=
      TOOL_CONTINUE)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the options of '%s/%s' are wrong", directory,
                              manifest_name);
  cJSON_ArrayForEach(argument, cJSON_GetObjectItemCaseSensitive(manifest, "arguments")) {
    const char *name = text_of(argument, "name"), *spec = text_of(argument, "spec");
    if (!name || !spec)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "an argument of '%s/%s' has no name or no spec",
                                directory, manifest_name);
    const char *place = is_given(&settings->arguments, name) ? NULL : locate(arena, directory, spec);
    const char *item = place ? nereid_arena_format(arena, "%s=%s", name, place) : NULL;
    if (item && !tool_list_append(arena, &merged.arguments, item))
      return no_memory(message);
  }
  merged.hooks = settings->hooks;
  merged.plain = settings->plain;
  merged.remark_handler = settings->remark_handler;
  merged.remark_data = settings->remark_data;
  *settings = merged;
  return arena->failed ? no_memory(message) : NEREID_OK;
}

nereid_status_t tool_record_open(nereid_arena_t *arena, const char **path, run_settings_t *settings,
                                 nereid_message_t *message) {
  struct stat facts;
  cJSON *manifest;
  if (stat(*path, &facts) || !S_ISDIR(facts.st_mode))
    return NEREID_OK;
  nereid_status_t status = read_manifest(arena, *path, &manifest, message);
  if (status)
    return status;
  const char *kernel = text_of(manifest, "kernel");
  if (!kernel || strchr(kernel, '/'))
    status =
        nereid_message_set(message, NEREID_ERROR_ARGUMENT, "'%s/%s' does not name its kernel", *path, manifest_name);
  if (!status)
    status = merge(arena, *path, manifest, settings, message);
  if (!status) {
    *path = nereid_arena_format(arena, "%s/%s", *path, kernel);
    status = *path ? NEREID_OK : no_memory(message);
  }
  cJSON_Delete(manifest);
  return status;
}
