/* PTX → cubin: NVIDIA's assembler, as a program (ptxas) or as a library in this process (nvJitLink).
 *
 * nvJitLink takes 2 ms less for a small kernel (CUDA 13.0), but compiles as ptxas does with --compile-only: as code to
 * be linked, with more registers and fewer CTAs per multiprocessor, and with serialized wgmma in some kernels. So ptxas
 * is preferred, and nvJitLink replaces it if it is missing (docs/compile-time.md). If both are missing, the error is
 * NEREID_ERROR_NOT_FOUND with a report that names them. */
#ifndef NEREID_TARGET_ASSEMBLE_H
#define NEREID_TARGET_ASSEMBLE_H

#include "target/assembler/assemble_types.h"

/* Assembles `ptx`. Errors in the PTX are located reports and NEREID_ERROR_PROGRAM; a failing assembler is
 * NEREID_ERROR_TOOL, a missing one NEREID_ERROR_NOT_FOUND. `time_limit` excludes nvJitLink, which cannot be stopped:
 * NEREID_ERROR_ARGUMENT with NEREID_ASSEMBLER_NVJITLINK. NEREID_ERROR_TIMEOUT is reported when `time_limit` passed, not
 * when `limits` did; NEREID_ERROR_CANCELLED is not reported. Thread safe. */
NEREID_MUST_USE nereid_status_t nereid_assemble(nereid_view_t ptx, const nereid_assemble_options_t *options,
                                                const nereid_report_t *report, nereid_arena_t *arena,
                                                nereid_assembled_t *out_assembled);

/* The assembler and its version, "ptxas 13.0.88", as noted in its output; in `arena`, null without a note. */
const char *nereid_assembled_by(const nereid_assembled_t *assembled, nereid_arena_t *arena);

/* The path of ptxas: `asked` if it is executable, else the result of the search above; in `scratch`; null if not
 * found. */
const char *nereid_assembler_find_ptxas(const char *asked, nereid_arena_t *scratch);

/* Returns the assembler that a compilation with these options will use, for the key of its result: "ptxas 13.0.88", or
 * "nvJitLink 13.0" with `nvjitlink` or without a ptxas. `asked`: the path of ptxas, or null. In `arena`; null when
 * there is none, or when its version is unknown. Thread safe. */
const char *nereid_assembler_version(const char *asked, bool nvjitlink, nereid_arena_t *arena);

/* nvJitLink could be loaded. `out_major`, `out_minor`: its CUDA version; may be null. */
bool nereid_assembler_has_nvjitlink(unsigned *out_major, unsigned *out_minor);

#endif
