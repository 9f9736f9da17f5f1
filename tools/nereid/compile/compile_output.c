/* Writes the files of a compilation:
 *
 *   matmul.cubin  matmul.cubin.json                           the result and the metadata for the launcher
 *   D/0-ttir/matmul.ttir  D/1-ttgir/matmul.ttgir  …           with --dump-dir; each can be compiled again */
#include "tools/nereid/compile/compile_output.h"

#include "base/file.h"
#include "base/ptx_name.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/paths.h"
#include "tools/nereid/run/run.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the suffix of a stage's files. The llvm dialect is MLIR, so its suffix is that of MLIR. */
static const char *suffix_of(nereid_stage_t stage) {
  static const char *const suffixes[] = {"", ".ttir", ".ttgir", ".mlir", ".ll", ".ptx", ".cubin"};
  return suffixes[stage];
}

static nereid_status_t make_folder(const char *path, nereid_message_t *message) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_IO, "cannot create the folder '%s': %s", path, strerror(errno));
}

static nereid_status_t write_dump(const char *folder, const char *kernel, const nereid_result_t *result, size_t index,
                                  nereid_arena_t *arena, nereid_message_t *message) {
  nereid_stage_t stage = nereid_result_dump_stage(result, index);
  const char *below = nereid_arena_format(arena, "%s/%d-%s", folder, (int)stage - 1, nereid_stage_name(stage));
  const char *path = nereid_arena_format(arena, "%s/%s%s", below ? below : "", kernel, suffix_of(stage));
  if (!below || !path)
    return NEREID_ERROR_MEMORY;
  nereid_status_t status = make_folder(below, message);
  return status == NEREID_OK ? nereid_file_write(path, nereid_result_dump(result, index), message) : status;
}

nereid_status_t tool_write_dumps(const char *folder, const nereid_result_t *result, nereid_arena_t *arena,
                                 nereid_message_t *message) {
  const char *kernel = nereid_ptx_name(arena, nereid_view(nereid_result_kernel(result)));
  nereid_status_t status = kernel ? make_folder(folder, message) : NEREID_ERROR_MEMORY;
  for (size_t i = 0; i < nereid_result_dump_count(result) && status == NEREID_OK; i++)
    status = write_dump(folder, kernel, result, i, arena, message);
  return status;
}

static const char *output_path(const tool_output_t *output, const char *input, const nereid_result_t *result,
                               nereid_arena_t *arena) {
  const char *slash = strrchr(input, '/'), *file = slash ? slash + 1 : input;
  const char *suffix = suffix_of(nereid_result_stage(result));
  bool from_standard = strcmp(input, "-") == 0;
  if (output->path && !output->several)
    return output->path;
  if (!output->path)
    return from_standard ? "-" : tool_path_with_suffix(arena, file, suffix);
  const char *path = nereid_arena_format(arena, "%s/%s", output->path, from_standard ? "stdin" : file);
  return path ? tool_path_with_suffix(arena, path, suffix) : NULL;
}

/* Returns whether two paths refer to the same file. */
static bool is_same_file(const char *a, const char *b) {
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Returns whether `path` is a pipe or device, for which no metadata file is written. */
static bool is_no_file(const char *path) {
  return strcmp(path, "-") == 0 || nereid_file_is_in_place(path);
}

static nereid_status_t check_path(const char *input, const char *path, nereid_message_t *message) {
  if (!is_no_file(path) && is_same_file(input, path))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "the output would replace the input '%s'; specify another output with -o", input);
  return NEREID_OK;
}

static void print_times(const char *input, const nereid_result_t *result) {
  double total = 0;
  char text[1024];
  int size = snprintf(text, sizeof text, "%-28.256s %10s %10s\n", input, "ms", "peak MiB");
  for (size_t i = 0; i < nereid_result_time_count(result); i++) {
    nereid_stage_time_t time = nereid_result_time(result, i);
    total += time.milliseconds;
    size += snprintf(text + size, sizeof text - (size_t)size, "  %-26s %10.2f %10.1f\n", time.name, time.milliseconds,
                     (double)time.peak_memory / (1 << 20));
  }
  size += snprintf(text + size, sizeof text - (size_t)size, "  %-26s %10.2f\n", "total", total);
  uint64_t bytes, bound;
  if (nereid_result_shared_memory(result, &bytes, &bound))
    snprintf(text + size, sizeof text - (size_t)size, "  shared memory: %llu bytes, lower bound %llu\n",
             (unsigned long long)bytes, (unsigned long long)bound);
  fputs(text, stderr);
}

/* Sets `out` to the metadata of the result. PTX without metadata gets its parameters and its block. */
static nereid_status_t describe(const tool_output_t *output, const char *input, nereid_view_t text,
                                const nereid_result_t *result, nereid_arena_t *arena, nereid_view_t *out,
                                nereid_message_t *message) {
  const run_settings_t settings = {.abi = output->abi, .block = output->block, .shared = -1};
  tool_job_t job = {.source = text, .source_name = input, .description = nereid_result_metadata(result)};
  const bool is_ptx = nereid_image_kind(text) == NEREID_IMAGE_PTX;
  nereid_status_t status = is_ptx ? tool_job_complete(arena, &settings, input, &job, message) : NEREID_OK;
  *out = job.description;
  return status;
}

nereid_status_t tool_write_result(const tool_output_t *output, const char *input, nereid_view_t text,
                                  const nereid_result_t *result, nereid_arena_t *arena, nereid_message_t *message) {
  const char *path = output_path(output, input, result, arena);
  const char *beside = path && !is_no_file(path) ? nereid_arena_format(arena, "%s.json", path) : NULL;
  if (!path)
    return NEREID_ERROR_MEMORY;
  nereid_view_t metadata = {0};
  nereid_status_t status = check_path(input, path, message);
  if (status == NEREID_OK && beside)
    status = describe(output, input, text, result, arena, &metadata, message);
  tool_interrupt_begin();
  if (status == NEREID_OK && output->dump_dir)
    status = tool_write_dumps(output->dump_dir, result, arena, message);
  if (status == NEREID_OK && output->callgraph)
    status = nereid_file_write(output->callgraph, nereid_result_callgraph(result), message);
  if (!beside) /* a pipe may block forever */
    tool_interrupt_end();
  if (status == NEREID_OK)
    status = nereid_file_write(path, nereid_result_bytes(result), message);
  if (status == NEREID_OK && beside) {
    status = nereid_file_write(beside, metadata, message);
    if (status != NEREID_OK)
      unlink(path); /* an incomplete result is removed */
  }
  if (beside)
    tool_interrupt_end();
  if (output->time)
    print_times(input, result);
  return status;
}
