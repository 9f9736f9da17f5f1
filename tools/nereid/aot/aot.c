/* nereid aot: compiles kernels ahead of time into a library with C functions.
 *
 *   nereid aot add.ttir matmul.ttir --target sm_80,sm_90a -o libK.a --header K.h
 *   nereid aot add.ttir --target sm_90a --config num_warps=4 --config num_warps=8 --emit-c K.c --header K.h
 *
 * All outputs are complete in memory before the first one is written. */
#include "base/file.h"
#include "target/assembler/work_folder.h"
#include "tools/nereid/aot/build.h"
#include "tools/nereid/aot/functions.h"
#include "tools/nereid/aot/names.h"
#include "tools/nereid/aot/object.h"
#include "tools/nereid/interrupt.h"
#include "tools/nereid/jobs/processors.h"
#include "tools/nereid/jobs/progress.h"
#include "tools/nereid/store/place.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct settings {
  tool_aot_request_t request;
  const char *output, *header, *source, *prefix, *progress, *ptxas, *ptxas_options, *libdevice, *ptx_version;
  tool_aot_toolchain_t toolchain;
  tool_list_t stores;
  int64_t jobs, time_limit;
  bool lazy, no_fp_fusion, lineinfo, nvjitlink, no_store;
} settings_t;

#define AT(field) offsetof(settings_t, field)

static const tool_option_t options[] = {
    {"--target", "T[,T...]",
     "targets: sm_80 ... sm_90a for a cubin, compute_80 ... compute_90a for PTX, which later GPUs and the emulator "
     "load",
     TOOL_ONCE, AT(request.targets)},
    {"-o", "OUT", "the library: an archive .a, an object .o or a shared library .so", TOOL_ONCE, AT(output)},
    {"--header", "H", "the C header", TOOL_ONCE, AT(header)},
    {"--emit-c", "C", "write the C source of the library, for another build system", TOOL_ONCE, AT(source)},
    {"--config", "[KERNEL:]KEY=VALUE,...",
     "a configuration of all kernels or of one: num_warps, num_stages, num_ctas, maxnreg, constants of the IR, "
     "arguments=divisible (by 16) or generic, and its name; the first that is suitable is the default",
     TOOL_LIST, AT(request.configurations)},
    {"--kernel", "NAME", "compile this public function only", TOOL_LIST, AT(request.kernels)},
    {"--grid", "[KERNEL:]GRID", "the grid of all kernels or of one, as --grid of nereid compile", TOOL_LIST,
     AT(request.grids)},
    {"--prefix", "P", "prefix of the functions and name of the library (default: OUT without lib and suffix)",
     TOOL_TEXT, AT(prefix)},
    {"--lazy", NULL, "load an image at its first launch, not when the library is opened", TOOL_FLAG, AT(lazy)},
    {"--cc", "F", "the C compiler for -o (default: CC, else cc)", TOOL_TEXT, AT(toolchain.cc)},
    {"--cflags", "S", "additional arguments for the C compiler, separated by spaces", TOOL_TEXT, AT(toolchain.cflags)},
    {"--include", "D", "folder of nereid/library.h (default: that of this installation)", TOOL_LIST,
     AT(toolchain.includes)},
    {"--no-fp-fusion", NULL, "do not contract multiply and add to fma", TOOL_FLAG, AT(no_fp_fusion)},
    {"--lineinfo", NULL, "keep source lines in the images", TOOL_FLAG, AT(lineinfo)},
    {"--ptx-version", "V", "PTX version, such as 8.4 (default: that of the target)", TOOL_TEXT, AT(ptx_version)},
    {"--libdevice", "F", "libdevice.10.bc (default: searched as by nereid compile)", TOOL_TEXT, AT(libdevice)},
    {"--ptxas", "F", "the assembler (default: searched as by nereid compile)", TOOL_TEXT, AT(ptxas)},
    {"--ptxas-options", "S", "additional arguments for the assembler, separated by spaces", TOOL_TEXT,
     AT(ptxas_options)},
    {"--nvjitlink", NULL, "assemble with nvJitLink, which starts no process but generates slower code", TOOL_FLAG,
     AT(nvjitlink)},
    {"--store", "DIR|URL", "read images from this store and put them there (default: NEREID_STORE; docs/store.md)",
     TOOL_LIST, AT(stores)},
    {"--no-store", NULL, "ignore NEREID_STORE", TOOL_FLAG, AT(no_store)},
    {"--timeout", "SECONDS", "stop a compilation after this time (default: no limit)", TOOL_POSITIVE, AT(time_limit)},
    {"-j", "[N]", "compile N images at a time, each in its own process; without N one per processor (default: 1)",
     TOOL_OPTIONAL_POSITIVE, AT(jobs)},
    {"--progress", "KIND", "progress: tty, plain, none or auto, as for nereid compile", TOOL_TEXT, AT(progress)},
};

static int run(int argc, char **argv);

const tool_command_t tool_command_aot = {
    "aot", "IN…", "compiles kernels to a library with C functions", options, TOOL_COUNT(options), run};

static int wrong_call(const char *problem) {
  tool_error(&tool_command_aot, "%s; see nereid aot --help", problem);
  return TOOL_CALL;
}

/* --- checks before the compilation --- */

/* Determines the name of the library from --prefix, else from the file names. */
static nereid_status_t set_name(nereid_arena_t *arena, settings_t *settings, nereid_message_t *message) {
  if (settings->prefix)
    return tool_name_is_identifier(settings->prefix) && !(*settings->prefix >= '0' && *settings->prefix <= '9')
               ? NEREID_OK
               : nereid_message_set(message, NEREID_ERROR_ARGUMENT, "--prefix %s: expected an identifier of C",
                                    settings->prefix);
  const char *path = settings->output ? settings->output : settings->source, *slash = strrchr(path, '/');
  const char *file = slash ? slash + 1 : path;
  const bool has_lib = settings->output && strncmp(file, "lib", 3) == 0 && file[3] && file[3] != '.';
  char *stem = nereid_arena_format(arena, "%s", has_lib ? file + 3 : file);
  char *dot = stem ? strrchr(stem, '.') : NULL;
  if (dot && dot != stem)
    *dot = 0;
  settings->prefix = stem ? tool_name_identifier(arena, stem) : NULL;
  return settings->prefix ? NEREID_OK : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

/* Checks that the folder of an output can be written, before a long compilation. */
static nereid_status_t check_folder(nereid_arena_t *arena, const char *path, nereid_message_t *message) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  const char *folder = !slash          ? "."
                       : slash == path ? "/"
                                       : nereid_arena_copy(arena, nereid_view_of(path, (size_t)(slash - path)));
  if (!path || nereid_file_is_in_place(path))
    return NEREID_OK;
  if (folder && access(folder, W_OK) == 0)
    return NEREID_OK;
  return nereid_message_set(message, NEREID_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
}

static int check_words(const settings_t *settings, tool_progress_kind_t *progress) {
  if (settings->request.inputs.size == 0)
    return wrong_call("no input file");
  if (!settings->request.targets)
    return wrong_call("--target is missing: for example sm_80,sm_90a");
  if (!settings->header)
    return wrong_call("--header is missing: the C header of the functions");
  if (!settings->output && !settings->source)
    return wrong_call("-o or --emit-c is missing");
  if (settings->output && !tool_aot_is_object(settings->output))
    return wrong_call("-o: expected a name that ends in .a, .o or .so");
  if (!tool_progress_parse(settings->progress, progress))
    return wrong_call("--progress: expected auto, plain, tty or none");
  return TOOL_CONTINUE;
}

static nereid_status_t check_outputs(nereid_arena_t *arena, settings_t *settings, nereid_message_t *message) {
  nereid_status_t status = set_name(arena, settings, message);
  if (!status)
    status = check_folder(arena, settings->header, message);
  if (!status)
    status = check_folder(arena, settings->source, message);
  if (!status)
    status = check_folder(arena, settings->output, message);
  if (!status && settings->output)
    status = tool_aot_check_toolchain(arena, &settings->toolchain, message);
  return status;
}

/* --- outputs --- */

/* Writes all outputs, or none that did not exist before. */
static nereid_status_t write_outputs(const settings_t *settings, const char *header, const char *source,
                                     nereid_view_t object, nereid_message_t *message) {
  const struct {
    const char *path;
    nereid_view_t content;
    bool is_new;
  } files[] = {
      {settings->header, nereid_view(header), access(settings->header, F_OK) != 0},
      {settings->source, nereid_view(source), settings->source && access(settings->source, F_OK) != 0},
      {settings->output, object, settings->output && access(settings->output, F_OK) != 0},
  };
  nereid_status_t status = NEREID_OK;
  size_t n = 0;
  for (; !status && n < TOOL_COUNT(files); n++)
    if (files[n].path)
      status = nereid_file_write(files[n].path, files[n].content, message);
  for (size_t i = 0; status && i < n; i++)
    if (files[i].path && files[i].is_new)
      unlink(files[i].path);
  return status;
}

static nereid_status_t generate(nereid_arena_t *arena, const settings_t *settings, const tool_aot_plan_t *plan,
                                const char *folder, nereid_message_t *message) {
  const char *slash = strrchr(settings->header, '/');
  tool_aot_library_t library = {
      .name = settings->prefix, .header = slash ? slash + 1 : settings->header, .lazy = settings->lazy, .plan = plan};
  nereid_view_t object = {0};
  nereid_status_t status = tool_aot_list_functions(arena, &library, message);
  char *header = status ? NULL : tool_aot_print_header(&library);
  char *source = status ? NULL : tool_aot_print_source(&library);
  if (!status && (!header || !source))
    status = nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  if (!status && settings->output)
    status = tool_aot_compile_source(arena, &settings->toolchain, folder, library.header, header, source,
                                     settings->output, &object, message);
  if (!status)
    status = write_outputs(settings, header, source, object, message);
  free(header);
  free(source);
  return status;
}

/* Compiles the plan and writes the library. Temporary files are removed also after a signal. */
static int build(nereid_arena_t *arena, const settings_t *settings, tool_aot_plan_t *plan, nereid_store_t *store,
                 tool_progress_kind_t progress) {
  nereid_compile_options_t compile_options = {
      .size = sizeof compile_options,
      .no_fp_fusion = settings->no_fp_fusion,
      .lineinfo = settings->lineinfo,
      .ptx_version = settings->ptx_version,
      .libdevice = settings->libdevice,
      .ptxas = settings->ptxas,
      .ptxas_options = settings->ptxas_options,
      .nvjitlink = settings->nvjitlink,
      .store = store,
  };
  compile_options.time_limit = (uint32_t)settings->time_limit * 1000;
  nereid_message_t message = {""};
  tool_interrupt_begin();
  nereid_work_folder_t folder = nereid_work_folder_open(arena);
  int code;
  if (folder.path) {
    code = tool_aot_build(arena, plan, &compile_options, folder.path,
                          settings->jobs == TOOL_ALL ? tool_processors() : settings->jobs, progress);
  } else {
    tool_error(&tool_command_aot, "cannot create a folder in '%s': %s", nereid_work_folder_parent(), strerror(errno));
    code = TOOL_CALL;
  }
  if (code == TOOL_CONTINUE) {
    nereid_status_t status = generate(arena, settings, plan, folder.path, &message);
    code = status ? tool_failed(&tool_command_aot, status, &message) : TOOL_DONE;
  }
  nereid_work_folder_close(&folder);
  tool_interrupt_end();
  return code;
}

/* Plans and builds the library of a checked command line. */
static int run_checked(nereid_arena_t *arena, settings_t *settings, tool_progress_kind_t progress) {
  nereid_message_t message = {""};
  nereid_store_t *store = NULL;
  tool_aot_plan_t plan;
  nereid_status_t status = check_outputs(arena, settings, &message);
  if (!status)
    status = tool_aot_plan(arena, &settings->request, &plan, &message);
  if (status)
    return tool_failed(&tool_command_aot, status, &message);
  int code = TOOL_CONTINUE;
  if (!settings->no_store)
    code = tool_store_open(arena, &tool_command_aot, &settings->stores, false, &store);
  if (code == TOOL_CONTINUE)
    code = build(arena, settings, &plan, store, progress);
  nereid_store_close(store);
  return code;
}

static int run(int argc, char **argv) {
  settings_t settings = {.jobs = 1};
  tool_progress_kind_t progress;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  int code = tool_options_parse(&arena, &tool_command_aot, argc, argv, &settings, &settings.request.inputs);
  if (code == TOOL_CONTINUE)
    code = check_words(&settings, &progress);
  if (code == TOOL_CONTINUE)
    code = run_checked(&arena, &settings, progress);
  nereid_arena_deinitialize(&arena);
  return code;
}
