/* Selects and finds the assembler.
 *
 *   --ptxas F, CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda   ptxas, a program: it can be stopped
 *   libnvJitLink.so                                          in this process, with --nvjitlink or without a ptxas
 *
 * The bytes of a cubin name the assembler that made it. */
#include "target/assembler/assemble.h"

#include "target/assembler/assemblers.h"

#include <stdlib.h>
#include <unistd.h>

static const char *runnable(const char *path) {
  return path && access(path, X_OK) == 0 ? path : NULL;
}

static const char *in_toolkit(const char *folder, nereid_arena_t *scratch) {
  return folder && *folder ? runnable(nereid_arena_format(scratch, "%s/bin/ptxas", folder)) : NULL;
}

static const char *in_path(nereid_arena_t *scratch) {
  const char *path = getenv("PATH");
  while (path && *path) {
    size_t size = strcspn(path, ":");
    const char *found = size ? runnable(nereid_arena_format(scratch, "%.*s/ptxas", (int)size, path)) : NULL;
    if (found)
      return found;
    path = strchr(path, ':');
    path = path ? path + 1 : NULL;
  }
  return NULL;
}

const char *nereid_assembler_find_ptxas(const char *asked, nereid_arena_t *scratch) {
  if (asked)
    return runnable(asked);
  const char *found = in_toolkit(getenv("CUDA_HOME"), scratch);
  if (!found)
    found = in_toolkit(getenv("CUDA_PATH"), scratch);
  if (!found)
    found = in_path(scratch);
  return found ? found : in_toolkit("/usr/local/cuda", scratch);
}

static nereid_status_t nothing_found(const nereid_assemble_options_t *options, const nereid_report_t *report) {
  if (options->assembler == NEREID_ASSEMBLER_NVJITLINK)
    return nereid_report(report, NEREID_ERROR_NOT_FOUND,
                         "no assembler: libnvJitLink.so was not found; install the CUDA toolkit or set CUDA_HOME");
  if (options->ptxas)
    return nereid_report(report, NEREID_ERROR_NOT_FOUND, "no assembler: '%s' cannot be run", options->ptxas);
  if (options->time_limit)
    return nereid_report(report, NEREID_ERROR_NOT_FOUND,
                         "no assembler: ptxas was not found, which a time limit requires; install the CUDA toolkit or "
                         "set CUDA_HOME");
  return nereid_report(report, NEREID_ERROR_NOT_FOUND,
                       "no assembler: neither ptxas nor libnvJitLink.so was found; install the CUDA toolkit, set "
                       "CUDA_HOME, or stop at PTX");
}

nereid_status_t nereid_assemble(nereid_view_t ptx, const nereid_assemble_options_t *options,
                                const nereid_report_t *report, nereid_arena_t *arena,
                                nereid_assembled_t *out_assembled) {
  const bool library_only = options->assembler == NEREID_ASSEMBLER_NVJITLINK;
  /* Only a program can be stopped. */
  const bool program_only =
      options->assembler == NEREID_ASSEMBLER_PTXAS || options->ptxas || (options->time_limit && !library_only);
  *out_assembled = (nereid_assembled_t){0};
  if (library_only && options->time_limit)
    return nereid_report(report, NEREID_ERROR_ARGUMENT,
                         "nvJitLink does not support a time limit: it runs in this process; expected ptxas");
  const char *program = library_only ? NULL : nereid_assembler_find_ptxas(options->ptxas, arena);
  if (program)
    return nereid_assemble_ptxas(ptx, program, options, report, arena, out_assembled);
  if (!program_only && nereid_assembler_has_nvjitlink(NULL, NULL))
    return nereid_assemble_nvjitlink(ptx, options, report, arena, out_assembled);
  return nothing_found(options, report);
}

/* The note .note.nv.tkinfo holds "Cuda compilation tools, release 13.0, V13.0.88". */
const char *nereid_assembled_by(const nereid_assembled_t *assembled, nereid_arena_t *arena) {
  static const char before[] = "Cuda compilation tools, release ";
  nereid_view_t cubin = assembled->cubin;
  const char *at = cubin.size ? memmem(cubin.data, cubin.size, before, sizeof before - 1) : NULL;
  const char *end = cubin.data + cubin.size, *start = at ? memmem(at, (size_t)(end - at), ", V", 3) : NULL;
  size_t size = 0;
  if (!start)
    return NULL;
  for (start += 3;
       start + size < end && size < 32 && (start[size] == '.' || (start[size] >= '0' && start[size] <= '9'));)
    size++;
  return nereid_arena_format(arena, "%s %.*s", assembled->used == NEREID_ASSEMBLER_PTXAS ? "ptxas" : "nvJitLink",
                             (int)size, start);
}
