/* Runs the host's C compiler and archiver on the source of a library.
 *
 *   libk.a   cc -c → kernels.o → ar       libk.o   cc -c       libk.so   cc -shared
 *
 * The host's compiler, because a program that links the library has one anyway: it determines the host's architecture
 * and ABI. An LLVM back end for each host would double this executable, and would need rules of its own for each
 * platform's object format. */
#include "tools/nereid/aot/object.h"

#include "base/file.h"
#include "target/assembler/assemblers.h"
#include "target/assembler/process.h"
#include "tools/nereid/interrupt.h"

#include <stdlib.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 64 };

typedef struct command {
  const char *arguments[2 * MAX_ARGUMENTS]; /* null-terminated; the first is the program */
  size_t n;
} command_t;

static bool has_suffix(const char *path, const char *suffix) {
  const char *dot = strrchr(path, '.');
  return dot && dot != path && dot[-1] != '/' && strcmp(dot, suffix) == 0;
}

bool tool_aot_is_object(const char *path) {
  return has_suffix(path, ".o") || has_suffix(path, ".a") || has_suffix(path, ".so");
}

/* --- programs and headers --- */

/* Returns the path of a program; null when it is not found. */
static const char *find_program(nereid_arena_t *arena, const char *name) {
  if (strchr(name, '/'))
    return access(name, X_OK) == 0 ? name : NULL;
  for (const char *at = getenv("PATH"); at && *at;) {
    const char *path = nereid_arena_format(arena, "%.*s/%s", (int)strcspn(at, ":"), at, name);
    if (path && access(path, X_OK) == 0)
      return path;
    at = strchr(at, ':');
    at = at ? at + 1 : NULL;
  }
  return NULL;
}

static nereid_status_t find(nereid_arena_t *arena, const char *given, const char *variable, const char *usual,
                            const char *remedy, const char **out_path, nereid_message_t *message) {
  const char *name = given ? given : getenv(variable);
  if (!name || !*name)
    name = usual;
  *out_path = find_program(arena, name);
  if (*out_path)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "cannot run '%s': %s", name, remedy);
}

static nereid_status_t find_cc(nereid_arena_t *arena, const tool_aot_toolchain_t *toolchain, const char **out_path,
                               nereid_message_t *message) {
  return find(arena, toolchain->cc, "CC", "cc",
              "install a C compiler, name one with --cc or CC, or write C with --emit-c", out_path, message);
}

/* Returns the folder of the headers next to this executable: PREFIX/bin/nereid, PREFIX/include/nereid-0. */
static const char *installed_headers(nereid_arena_t *arena) {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  path[size > 0 ? size : 0] = 0;
  for (int i = 0; i < 2; i++) {
    char *slash = strrchr(path, '/');
    if (!slash)
      return NULL;
    *slash = 0;
  }
  const char *folder =
      nereid_arena_format(arena, "%s/include/nereid-%.*s", path, (int)strcspn(NEREID_VERSION, "."), NEREID_VERSION);
  const char *header = folder ? nereid_arena_format(arena, "%s/nereid/library.h", folder) : NULL;
  return header && access(header, R_OK) == 0 ? folder : NULL;
}

nereid_status_t tool_aot_check_toolchain(nereid_arena_t *arena, const tool_aot_toolchain_t *toolchain,
                                         nereid_message_t *message) {
  const char *cc;
  if (!toolchain->includes.size && !installed_headers(arena))
    return nereid_message_set(message, NEREID_ERROR_NOT_FOUND,
                              "this installation has no headers: name the folder of nereid/library.h with --include, "
                              "or write C with --emit-c");
  return find_cc(arena, toolchain, &cc, message);
}

/* --- commands --- */

static void add(command_t *command, const char *argument) {
  if (command->n < 2 * MAX_ARGUMENTS - 1)
    command->arguments[command->n++] = argument;
}

static nereid_status_t run(nereid_arena_t *arena, const command_t *command, const char *log,
                           nereid_message_t *message) {
  const nereid_limits_t limits = {.cancellation = tool_interrupt_begin()};
  const nereid_process_result_t result = nereid_process_run(command->arguments, NULL, log, &limits);
  nereid_view_t text = {0};
  tool_interrupt_end();
  if (result.end == NEREID_PROCESS_EXITED && result.code == 0)
    return NEREID_OK;
  if (result.end == NEREID_PROCESS_CANCELLED)
    return NEREID_ERROR_CANCELLED;
  if (nereid_file_read(arena, log, &text, NULL) || !text.size)
    text = nereid_view("no output");
  return nereid_message_set(message, NEREID_ERROR_TOOL, "'%s' failed: %.*s", command->arguments[0],
                            (int)(text.size < 400 ? text.size : 400), text.data);
}

static nereid_status_t compile(nereid_arena_t *arena, const tool_aot_toolchain_t *toolchain, const char *folder,
                               const char *source, const char *output, bool is_shared, nereid_message_t *message) {
  const char *more[MAX_ARGUMENTS];
  command_t command = {.n = 1};
  nereid_status_t status = find_cc(arena, toolchain, &command.arguments[0], message);
  const size_t n_more = nereid_assembler_split(toolchain->cflags, arena, more, MAX_ARGUMENTS);
  if (!status && n_more > MAX_ARGUMENTS)
    status = nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--cflags has more than %d words", MAX_ARGUMENTS);
  static const char *const usual[] = {"-std=c11", "-O2", "-fPIC", "-ffunction-sections", "-fdata-sections"};
  for (size_t i = 0; i < TOOL_COUNT(usual); i++)
    add(&command, usual[i]);
  add(&command, nereid_arena_format(arena, "-ffile-prefix-map=%s=.", folder));
  for (size_t i = 0; i < toolchain->includes.size && i < MAX_ARGUMENTS / 4; i++)
    add(&command, nereid_arena_format(arena, "-I%s", toolchain->includes.items[i]));
  if (!toolchain->includes.size)
    add(&command, nereid_arena_format(arena, "-I%s", installed_headers(arena)));
  for (size_t i = 0; i < n_more && i < MAX_ARGUMENTS; i++)
    add(&command, more[i]);
  add(&command, is_shared ? "-shared" : "-c");
  add(&command, "-o");
  add(&command, output);
  add(&command, source);
  const char *log = nereid_arena_format(arena, "%s/log", folder);
  if (status || arena->failed)
    return status ? status : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  return run(arena, &command, log, message);
}

/* Archives one object; D: without times and owners. */
static nereid_status_t archive(nereid_arena_t *arena, const char *folder, const char *object, const char *output,
                               nereid_message_t *message) {
  command_t command = {.arguments = {NULL, "rcsD", output, object}, .n = 4};
  const char *log = nereid_arena_format(arena, "%s/log", folder);
  nereid_status_t status =
      find(arena, NULL, "AR", "ar", "install binutils, or name an archiver with AR", &command.arguments[0], message);
  if (!status && !log)
    status = nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  return status ? status : run(arena, &command, log, message);
}

nereid_status_t tool_aot_compile_source(nereid_arena_t *arena, const tool_aot_toolchain_t *toolchain,
                                        const char *folder, const char *header_name, const char *header,
                                        const char *source, const char *path, nereid_view_t *out_bytes,
                                        nereid_message_t *message) {
  const bool is_archive = has_suffix(path, ".a"), is_shared = has_suffix(path, ".so");
  const char *header_path = nereid_arena_format(arena, "%s/%s", folder, header_name);
  const char *source_path = nereid_arena_format(arena, "%s/kernels.c", folder);
  const char *object_path = nereid_arena_format(arena, "%s/kernels.o", folder);
  const char *archive_path = nereid_arena_format(arena, "%s/kernels.a", folder);
  if (arena->failed)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_status_t status = nereid_file_write(header_path, nereid_view(header), message);
  if (!status)
    status = nereid_file_write(source_path, nereid_view(source), message);
  if (!status)
    status = compile(arena, toolchain, folder, source_path, object_path, is_shared, message);
  if (!status && is_archive)
    status = archive(arena, folder, object_path, archive_path, message);
  return status ? status : nereid_file_read(arena, is_archive ? archive_path : object_path, out_bytes, message);
}
