/* nvJitLink: the assembler as a library, opened at run time, so that neither build nor start requires CUDA.
 *
 * The library is loaded once per process (dlopen is reference-counted) and stays loaded: loading it for every kernel
 * would take ten times as long as a small kernel. One row of the table per entry. */
#include "target/assembler/assemble.h"
#include "target/assembler/assemblers.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *link_t;
enum { INPUT_PTX = 2, MAX_ARGUMENTS = 64 };

typedef struct library {
  int (*create)(link_t *, uint32_t, const char **);
  int (*destroy)(link_t *);
  int (*add_data)(link_t, int, const void *, size_t, const char *);
  int (*complete)(link_t);
  int (*cubin_size)(link_t, size_t *);
  int (*cubin)(link_t, void *);
  int (*error_size)(link_t, size_t *);
  int (*error)(link_t, char *);
  int (*info_size)(link_t, size_t *);
  int (*info)(link_t, char *);
  int (*version)(unsigned *, unsigned *);
} library_t;

static const struct {
  const char *name;
  size_t offset;
} entries[] = {
    {"nvJitLinkCreate", offsetof(library_t, create)},
    {"nvJitLinkDestroy", offsetof(library_t, destroy)},
    {"nvJitLinkAddData", offsetof(library_t, add_data)},
    {"nvJitLinkComplete", offsetof(library_t, complete)},
    {"nvJitLinkGetLinkedCubinSize", offsetof(library_t, cubin_size)},
    {"nvJitLinkGetLinkedCubin", offsetof(library_t, cubin)},
    {"nvJitLinkGetErrorLogSize", offsetof(library_t, error_size)},
    {"nvJitLinkGetErrorLog", offsetof(library_t, error)},
    {"nvJitLinkGetInfoLogSize", offsetof(library_t, info_size)},
    {"nvJitLinkGetInfoLog", offsetof(library_t, info)},
    {"nvJitLinkVersion", offsetof(library_t, version)},
};

static library_t library;
static bool loaded;

static void *open_below(const char *folder) {
  static const char *const places[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
  nereid_arena_t scratch;
  void *handle = NULL;
  nereid_arena_initialize(&scratch);
  for (size_t i = 0; folder && *folder && !handle && i < sizeof places / sizeof *places; i++) {
    const char *path = nereid_arena_format(&scratch, "%s/%s/libnvJitLink.so", folder, places[i]);
    handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  }
  nereid_arena_deinitialize(&scratch);
  return handle;
}

static void load(void) {
  static const char *const names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
  void *handle = open_below(getenv("CUDA_HOME"));
  if (!handle)
    handle = open_below(getenv("CUDA_PATH"));
  for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++)
    handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    handle = open_below("/usr/local/cuda");
  loaded = handle != NULL;
  for (size_t i = 0; loaded && i < sizeof entries / sizeof *entries; i++) {
    void *entry = dlsym(handle, entries[i].name);
    memcpy((char *)&library + entries[i].offset, &entry, sizeof entry);
    loaded = entry != NULL;
  }
}

bool nereid_assembler_has_nvjitlink(unsigned *out_major, unsigned *out_minor) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  unsigned major = 0, minor = 0;
  pthread_once(&once, load);
  if (!loaded || library.version(&major, &minor))
    return false;
  if (out_major)
    *out_major = major;
  if (out_minor)
    *out_minor = minor;
  return true;
}

/* A log of the library, in the arena; empty when there is none. */
static nereid_view_t read_text(link_t link, int (*get_size)(link_t, size_t *), int (*get)(link_t, char *),
                               nereid_arena_t *arena) {
  size_t size = 0;
  char *text = get_size(link, &size) == 0 && size ? nereid_arena_new(arena, char, size + 1) : NULL;
  if (!text || get(link, text))
    return nereid_view("");
  return nereid_view(text);
}

static size_t make_arguments(const nereid_assemble_options_t *options, nereid_arena_t *arena, const char **list) {
  const char *extra[MAX_ARGUMENTS];
  size_t n = 0, count = nereid_assembler_split(options->arguments, arena, extra, MAX_ARGUMENTS);
  list[n++] = nereid_arena_format(arena, "-arch=%s", options->target.name);
  list[n++] = "-verbose";
  if (options->lineinfo)
    list[n++] = "-lineinfo";
  if (options->no_fp_fusion)
    list[n++] = "-fma=0";
  if (count > MAX_ARGUMENTS)
    return 0;
  for (size_t i = 0; i < count; i++)
    list[n++] = nereid_arena_format(arena, "-Xptxas=%s", extra[i]);
  return arena->failed ? 0 : n;
}

static nereid_status_t failed(link_t link, int code, const nereid_assemble_options_t *options,
                              const nereid_report_t *report, nereid_arena_t *arena, nereid_assembled_t *assembled) {
  nereid_view_t log = read_text(link, library.error_size, library.error, arena);
  if (nereid_assembler_read_log(log, options, report, assembled))
    return NEREID_ERROR_PROGRAM;
  return nereid_report(report, NEREID_ERROR_TOOL, "nvJitLink failed (error %d): %.*s", code,
                       (int)(log.size < 1000 ? log.size : 1000), log.size ? log.data : "no reason given");
}

/* Code of the first call that fails, 0 when none does. */
static int assemble(link_t link, nereid_view_t ptx, nereid_arena_t *arena, nereid_assembled_t *out_assembled) {
  size_t size = 0;
  int code = library.add_data(link, INPUT_PTX, ptx.data, ptx.size + 1, "kernel.ptx");
  if (!code)
    code = library.complete(link);
  if (!code)
    code = library.cubin_size(link, &size);
  if (code)
    return code;
  char *bytes = nereid_arena_new(arena, char, size);
  code = bytes ? library.cubin(link, bytes) : -1;
  if (!code)
    out_assembled->cubin = nereid_view_of(bytes, size);
  return code;
}

nereid_status_t nereid_assemble_nvjitlink(nereid_view_t ptx, const nereid_assemble_options_t *options,
                                          const nereid_report_t *report, nereid_arena_t *arena,
                                          nereid_assembled_t *out_assembled) {
  const char *list[MAX_ARGUMENTS + 8],
      *text = nereid_arena_copy(arena, ptx); /* the library requires a terminating NUL */
  size_t count = make_arguments(options, arena, list);
  link_t link = NULL;
  nereid_status_t status = NEREID_OK;
  if (!count || !text)
    return nereid_report(report, NEREID_ERROR_ARGUMENT, "more than %d arguments for the assembler", MAX_ARGUMENTS);
  int code = library.create(&link, (uint32_t)count, list);
  if (code)
    return nereid_report(report, NEREID_ERROR_TOOL, "nvJitLink rejects the options (error %d): %s%s%s", code, list[0],
                         options->arguments ? " " : "", options->arguments ? options->arguments : "");
  code = assemble(link, nereid_view_of(text, ptx.size), arena, out_assembled);
  if (code) {
    status = failed(link, code, options, report, arena, out_assembled);
  } else {
    nereid_view_t log = read_text(link, library.info_size, library.info, arena);
    out_assembled->used = NEREID_ASSEMBLER_NVJITLINK;
    nereid_assembler_read_log(log, options, report, out_assembled);
  }
  library.destroy(&link);
  return status;
}
