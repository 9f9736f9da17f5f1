/* The compiler as a library: compiles Triton's tensor IR, or a later stage, to any later stage.
 *
 *   nereid_compiler_t *compiler;
 *   nereid_result_t *result;
 *   nereid_compile_options_t options = {.size = sizeof options, .target = "sm_90a"};
 *   if (nereid_compiler_create(NULL, &compiler) == NEREID_OK &&
 *       nereid_compile(compiler, nereid_view(text), "kernel.ttir", &options, &result) == NEREID_OK)
 *     use(nereid_result_bytes(result), nereid_result_metadata(result));
 *   nereid_result_destroy(result);
 *   nereid_compiler_destroy(compiler);
 *
 * A compiler is a session. It caches expensive state (context, target machine) across compilations and is used by one
 * thread at a time; several sessions may run in parallel. The library does not print, exit or abort. An error in the
 * program is reported to the session's diagnostic handler with its location, and the call returns NEREID_ERROR_PROGRAM.
 * Every other error is a status, with one diagnostic that suggests a remedy. */
#ifndef NEREID_COMPILE_H
#define NEREID_COMPILE_H

#include "base/cancellation.h"
#include "base/status.h"
#include "base/view.h"
#include "nereid/store.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The compilation stages, in order. Values are stable. */
typedef enum nereid_stage {
  NEREID_STAGE_NONE = 0,  /* in options: the default */
  NEREID_STAGE_TTIR = 1,  /* MLIR: tt, no layouts */
  NEREID_STAGE_TTGIR = 2, /* MLIR: tt, ttg, ttng with layouts; the module has ttg.num-warps */
  NEREID_STAGE_LLVM = 3,  /* MLIR: llvm and nvvm */
  NEREID_STAGE_LL = 4,    /* LLVM IR; read as text or bitcode, written as text, optimized */
  NEREID_STAGE_PTX = 5,
  NEREID_STAGE_CUBIN = 6,
} nereid_stage_t;

/* Returns "ttir", "ttgir", "llvm", "ll", "ptx" or "cubin"; null for another value. Static storage. */
const char *nereid_stage_name(nereid_stage_t stage);

/* Returns the stage with this name; NEREID_STAGE_NONE when there is none. */
nereid_stage_t nereid_stage_parse(const char *name);

typedef enum nereid_severity {
  NEREID_SEVERITY_ERROR = 0,
  NEREID_SEVERITY_WARNING = 1,
  NEREID_SEVERITY_REMARK = 2,
  NEREID_SEVERITY_NOTE = 3,
} nereid_severity_t;

/* A diagnostic. All pointers are valid during the call of the handler. */
typedef struct nereid_diagnostic {
  nereid_severity_t severity;
  const char *file;    /* null: no location */
  unsigned line;       /* counted from 1; 0: unknown */
  unsigned column;     /* counted from 1; 0: unknown */
  const char *message; /* without a final newline */
  size_t n_notes;
  const struct nereid_diagnostic *notes; /* severity NOTE, without nested notes */
} nereid_diagnostic_t;

/* Called on the compiling thread. Must not call the session. */
typedef void (*nereid_diagnostic_handler_t)(void *user_data, const nereid_diagnostic_t *diagnostic);

typedef struct nereid_compiler nereid_compiler_t;
typedef struct nereid_result nereid_result_t;

typedef struct nereid_compiler_options {
  size_t size;                         /* sizeof(nereid_compiler_options_t): later versions append fields */
  nereid_diagnostic_handler_t handler; /* null: diagnostics are discarded */
  void *user_data;                     /* borrowed, for the handler */
} nereid_compiler_options_t;

/* Creates a session. `options` may be null. NEREID_ERROR_ARGUMENT, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_compiler_create(const nereid_compiler_options_t *options,
                                                       nereid_compiler_t **out_compiler);

/* Destroys a session; its results stay valid. Null is valid. */
void nereid_compiler_destroy(nereid_compiler_t *compiler);

typedef enum nereid_remark_kind {
  NEREID_REMARK_PASSED = 0,   /* a transformation or decision was applied */
  NEREID_REMARK_MISSED = 1,   /* a transformation was not possible */
  NEREID_REMARK_FAILED = 2,   /* an attempt was abandoned */
  NEREID_REMARK_ANALYSIS = 3, /* a fact */
} nereid_remark_kind_t;

/* A decision of a pass and its reason (docs/remarks.md). All pointers are valid during the call of the handler. */
typedef struct nereid_remark {
  nereid_remark_kind_t kind;
  const char *pass; /* the argument of the pass: "tritongpu-coalesce"; null: no pass */
  const char *name; /* the decision: "access-width"; null when `pass` is null */
  const char *file; /* null: no location */
  unsigned line;    /* counted from 1; 0: unknown */
  unsigned column;  /* counted from 1; 0: unknown */
  const char *text; /* without a final newline */
} nereid_remark_t;

/* Called on the compiling thread. Must not call the session. */
typedef void (*nereid_remark_handler_t)(void *user_data, const nereid_remark_t *remark);

/* The progress of a compilation. All pointers are valid during the call of the handler. */
typedef struct nereid_progress {
  const char *stage;   /* the stage that begins: "read" or a stage's name */
  size_t stage_index;  /* its position, from 0, in the stages of this compilation; "read" is the first */
  size_t n_stages;     /* number of stages; 0 while the input is read, because its stage is not known yet */
  const char *pass;    /* the pass that begins, as written in a pipeline; null: the stage begins */
  size_t pass_index;   /* its position, from 0, in the current list of passes; a stage may run several lists */
  size_t n_passes;     /* the length of that list; 0 when `pass` is null */
  double milliseconds; /* since the call of nereid_compile */
} nereid_progress_t;

/* Called on the compiling thread, before each stage and each MLIR pass. Must not call the session; may request a
 * cancellation. */
typedef void (*nereid_progress_handler_t)(void *user_data, const nereid_progress_t *progress);

/* Compilation options. A zeroed structure with `size` set is the default. Strings are read during the call only. When
 * the module fixes a value (ttg.num-warps, ttg.num-ctas, ttg.maxnreg, ttg.target), an option may only repeat it.
 * Options override the author's values in nereid.options. */
typedef struct nereid_compile_options {
  size_t size;               /* sizeof(nereid_compile_options_t): later versions append fields */
  const char *target;        /* "sm_80" … "sm_90a", "cuda:90"; null: the module's, else sm_90a */
  nereid_stage_t emit;       /* NONE: CUBIN */
  int32_t num_warps;         /* per CTA, a power of two; 0: the module's, else 4 */
  int32_t num_stages;        /* 0: the module's, else 3 */
  int32_t num_ctas;          /* per cluster, a power of two up to 16; 0: the module's, else 1 */
  int32_t maxnreg;           /* registers per thread, up to 256; 0: the module's, else no limit */
  const char *kernel;        /* the public function to compile; null: the only one */
  bool no_fp_fusion;         /* do not contract multiply and add to fma */
  bool lineinfo;             /* keep source lines in LLVM IR, PTX and cubin */
  bool cooperative;          /* launch cooperatively, with all CTAs resident at once */
  bool pdl;                  /* programmatic dependent launch */
  bool remarks;              /* report decisions of passes as diagnostics of severity REMARK */
  bool dumps;                /* keep every stage, for nereid_result_dump */
  const char *ptx_version;   /* "8.4"; null: by the target */
  const char *libdevice;     /* path of libdevice.10.bc; null: search */
  const char *ptxas;         /* path of an assembler; null: search; nvJitLink without a ptxas */
  const char *ptxas_options; /* additional arguments for the assembler, separated by spaces */
  bool nvjitlink;            /* assemble with nvJitLink only: starts no process, but makes slower kernels */
  bool allow_later;          /* return an input past `emit` at its own stage instead of an error */
  bool callgraph;            /* write the call graph (nereid_result_callgraph); from ttir or ttgir to llvm or later */
  bool specialize_calls;     /* clone functions for calls whose arguments have different known properties */
  /* The first version ends here; a smaller `size` is an error. */
  const nereid_cancellation_t *cancellation; /* stops the compilation when requested; may be null */
  uint32_t time_limit;                       /* milliseconds for the whole compilation; 0: no limit */
  uint32_t assembler_time_limit;             /* milliseconds for ptxas; excludes nvJitLink; 0: no limit */
  nereid_progress_handler_t progress;        /* may be null */
  void *progress_data;                       /* borrowed, for `progress` */
  nereid_remark_handler_t remark_handler;    /* receives the remarks instead of the handler; null: see `remarks` */
  void *remark_data;                         /* borrowed, for `remark_handler` */
  bool no_global_order;             /* insert no barriers between dependent accesses to global memory within a program
                                       (docs/barriers.md) */
  const char *print_triton_version; /* "3.6" to "3.9": print ttir and ttgir as that version does; null: as the input
                                       (docs/triton-versions.md) */
  const char
      *stop_before;     /* a pass of ttir or ttgir, the first of that name: return the IR before it; `emit` is ignored.
                           Null: none */
  const char *start_at; /* such a pass: the input is IR before it; null: none */
  /* The grid in names of the kernel's arguments, "x = ceildiv(n, 1024)" (nereid_metadata_set_grid). It replaces the
   * IR's nereid.grid, for input at ttir, ttgir or llvm. "auto": the IR's, or derived from the IR, for input at ttir
   * (docs/runtime.md). Null: the IR's. */
  const char *grid;
  bool no_warp_specialization; /* ignore tt.warp_specialize, and divide no other loop between producer and consumer
                                  warps (docs/warp-specialization.md) */
  /* nereid_property_t (nereid/metadata.h) of the kernel's first arguments, for input at ttir or ttgir; the others are
   * AS_WRITTEN. A descriptor and its shapes and strides are one argument. A property that the argument's type cannot
   * have is ignored. */
  size_t n_properties;
  const uint8_t *properties;
  /* Borrowed; may be null. A PTX or cubin that the store contains for this text and these options is returned without
   * parsing the input; else the result is stored. Not used with `remarks`, `remark_handler`, `dumps`, `callgraph`,
   * `allow_later` and `stop_before`, which need a compilation (docs/store.md). */
  nereid_store_t *store;
} nereid_compile_options_t;

/* Compiles `input` to the stage `options->emit`. The stage of the input is detected from its content. `name` is its
 * name in diagnostics; null: "input". `options` may be null. On every status but NEREID_OK `*out_result` is null.
 *   NEREID_ERROR_PROGRAM     the input is wrong, or an option contradicts it; located diagnostics
 *   NEREID_ERROR_ARGUMENT    an option is wrong, the grid names an unknown argument, or `emit` is before the input's
 *                            stage (unless `allow_later`)
 *   NEREID_ERROR_NOT_FOUND   no assembler, no libdevice, no kernel with that name
 *   NEREID_ERROR_TOOL, NEREID_ERROR_IO   the assembler failed; a temporary file could not be written
 *   NEREID_ERROR_INTERNAL    a fatal error in LLVM; the session remains usable
 *   NEREID_ERROR_CANCELLED   `cancellation` was requested; without a diagnostic
 *   NEREID_ERROR_TIMEOUT     a time limit passed
 * Cancellation and time limits take effect before the next pass of MLIR or LLVM. A running ptxas is killed at once;
 * nvJitLink and the parsers run to completion. The session remains usable. */
NEREID_MUST_USE nereid_status_t nereid_compile(nereid_compiler_t *compiler, nereid_view_t input, const char *name,
                                               const nereid_compile_options_t *options, nereid_result_t **out_result);

/* Destroys a result and the data of its accessors. Null is valid. */
void nereid_result_destroy(nereid_result_t *result);

/* Returns the result as bytes, of stage nereid_result_stage. Text ends in a newline, followed by a NUL that `size` does
 * not count. */
nereid_view_t nereid_result_bytes(const nereid_result_t *result);
nereid_stage_t nereid_result_stage(const nereid_result_t *result);

/* Returns whether the result is from the store of the options. */
bool nereid_result_is_stored(const nereid_result_t *result);

/* Returns the detected stage of the input; NEREID_STAGE_NONE for a result of the store. */
nereid_stage_t nereid_result_input_stage(const nereid_result_t *result);

/* Returns the metadata as JSON (docs/metadata.md), for any stage. */
nereid_view_t nereid_result_metadata(const nereid_result_t *result);

/* Returns the kernel's symbol in PTX and cubin. */
const char *nereid_result_kernel(const nereid_result_t *result);

/* Returns the registers per thread, or the bytes per thread that spills store to local memory, as the assembler reports
 * them; 0 before CUBIN. Spills also emit a warning, and the metadata contains the bytes loaded. */
uint32_t nereid_result_registers(const nereid_result_t *result);
uint32_t nereid_result_spilled_bytes(const nereid_result_t *result);

/* The time of one stage. `name`: "read", a stage's name, or "store" for a result of the store. */
typedef struct nereid_stage_time {
  const char *name;
  double milliseconds;
  uint64_t peak_memory; /* peak resident memory of the process at the end of the stage, bytes */
} nereid_stage_time_t;

size_t nereid_result_time_count(const nereid_result_t *result);
nereid_stage_time_t nereid_result_time(const nereid_result_t *result, size_t index);

/* With `dumps`: every stage of the compilation, beginning with the input's. MLIR is printed with locations and argument
 * names. Each dump can be compiled again, also after editing. */
size_t nereid_result_dump_count(const nereid_result_t *result);
nereid_stage_t nereid_result_dump_stage(const nereid_result_t *result, size_t index);
nereid_view_t nereid_result_dump(const nereid_result_t *result, size_t index);

/* "nereid 0.1.0, LLVM 22.1.8"; static storage. */
const char *nereid_compiler_version(void);

/* Experimental: the declarations below may change in any version. Define NEREID_EXPERIMENTAL before the include to use
 * them. All declarations above are stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* Returns the call graph in Graphviz format, with the sizes and offsets of shared-memory frames and the known
 * properties of arguments. Empty without `callgraph`. */
nereid_view_t nereid_result_callgraph(const nereid_result_t *result);

/* Gets the bytes of shared memory, and a lower bound for any placement of its buffers (docs/shared-memory.md). False,
 * with both 0, when the compilation did not include the allocation of shared memory. */
bool nereid_result_shared_memory(const nereid_result_t *result, uint64_t *out_bytes, uint64_t *out_bound);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif
#endif
