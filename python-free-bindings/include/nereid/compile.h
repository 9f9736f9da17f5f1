/* The compiler as a library: Triton's tensor IR, or any later stage, in; any later stage out.
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
 * One compiler is one session: it keeps what is dear to make between compilations and is used by one thread at a time;
 * any number of them work side by side. The library does not print, exit or abort: a wrong program is told to the
 * session's diagnostic handler, located, and answered by NEREID_ERROR_PROGRAM; everything else is a status, with one
 * diagnostic that says what to do. */
#ifndef NEREID_COMPILE_H
#define NEREID_COMPILE_H

#include "base/cancellation.h"
#include "base/status.h"
#include "base/view.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The stages in their order. Values are stable. */
typedef enum nereid_stage {
  NEREID_STAGE_NONE = 0,  /* in options: the default */
  NEREID_STAGE_TTIR = 1,  /* MLIR: tt, no layouts */
  NEREID_STAGE_TTGIR = 2, /* MLIR: tt, ttg, ttng with layouts; the module has ttg.num-warps */
  NEREID_STAGE_LLVM = 3,  /* MLIR: llvm and nvvm */
  NEREID_STAGE_LL = 4,    /* LLVM IR; read as text or bitcode, written as text, optimised */
  NEREID_STAGE_PTX = 5,
  NEREID_STAGE_CUBIN = 6,
} nereid_stage_t;

/* "ttir", "ttgir", "llvm", "ll", "ptx", "cubin"; null for another value. Static storage. */
const char *nereid_stage_name(nereid_stage_t stage);

/* The stage of that name; NEREID_STAGE_NONE when there is none. */
nereid_stage_t nereid_stage_parse(const char *name);

typedef enum nereid_severity {
  NEREID_SEVERITY_ERROR = 0,
  NEREID_SEVERITY_WARNING = 1,
  NEREID_SEVERITY_REMARK = 2,
  NEREID_SEVERITY_NOTE = 3,
} nereid_severity_t;

/* One message. Everything it points to lives for the call of the handler. */
typedef struct nereid_diagnostic {
  nereid_severity_t severity;
  const char *file;    /* null: not located */
  unsigned line;       /* from 1; 0: not known */
  unsigned column;     /* from 1; 0: not known */
  const char *message; /* no final newline */
  size_t n_notes;
  const struct nereid_diagnostic *notes; /* severity NOTE, without notes of their own */
} nereid_diagnostic_t;

/* Is called on the thread that compiles. Must not call the session. */
typedef void (*nereid_diagnostic_handler_t)(void *user_data, const nereid_diagnostic_t *diagnostic);

typedef struct nereid_compiler nereid_compiler_t;
typedef struct nereid_result nereid_result_t;

typedef struct nereid_compiler_options {
  size_t size;                         /* sizeof(nereid_compiler_options_t): later versions append fields */
  nereid_diagnostic_handler_t handler; /* null: diagnostics are dropped */
  void *user_data;                     /* borrowed, for the handler */
  bool one_shot; /* the session will compile one kernel: prefer what starts quickly (ptxas to nvJitLink) */
} nereid_compiler_options_t;

/* A session. `options` may be null. NEREID_ERROR_ARGUMENT, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_compiler_create(const nereid_compiler_options_t *options,
                                                       nereid_compiler_t **out_compiler);

/* Ends a session; results live on. Null is fine. */
void nereid_compiler_destroy(nereid_compiler_t *compiler);

typedef enum nereid_remark_kind {
  NEREID_REMARK_PASSED = 0,   /* a decision that went well */
  NEREID_REMARK_MISSED = 1,   /* something prevented one */
  NEREID_REMARK_FAILED = 2,   /* an attempt that was given up */
  NEREID_REMARK_ANALYSIS = 3, /* a fact */
} nereid_remark_kind_t;

/* One decision of a pass, and why (docs/remarks.md). Everything it points to lives for the call of the handler. */
typedef struct nereid_remark {
  nereid_remark_kind_t kind;
  const char *pass; /* the argument of the pass: "tritongpu-coalesce"; null: no pass */
  const char *name; /* what was decided: "access-width"; null when `pass` is null */
  const char *file; /* null: not located */
  unsigned line;    /* from 1; 0: not known */
  unsigned column;  /* from 1; 0: not known */
  const char *text; /* no final newline */
} nereid_remark_t;

/* Is called on the thread that compiles. Must not call the session. */
typedef void (*nereid_remark_handler_t)(void *user_data, const nereid_remark_t *remark);

/* How far a compilation is. Everything it points to lives for the call of the handler. */
typedef struct nereid_progress {
  const char *stage;   /* "read" or a stage's name: what begins now */
  size_t stage_index;  /* its position, from 0, in the stages of this compilation; "read" is the first */
  size_t n_stages;     /* how many they are; 0 while the input is read: its stage is not known yet */
  const char *pass;    /* the pass that begins, as it is written in a pipeline; null: the stage begins */
  size_t pass_index;   /* its position, from 0, in the list of passes that runs; a stage may run several lists */
  size_t n_passes;     /* the length of that list; 0 when `pass` is null */
  double milliseconds; /* since nereid_compile was called */
} nereid_progress_t;

/* Is called on the thread that compiles, before each stage and each pass over MLIR. Must not call the session; may
 * request a cancellation. */
typedef void (*nereid_progress_handler_t)(void *user_data, const nereid_progress_t *progress);

/* How to compile. A zeroed structure with `size` set is the default. Strings are read during the call only. Where the
 * module was already compiled for something (ttg.num-warps, ttg.num-ctas, ttg.maxnreg, ttg.target) an option may only
 * repeat it; over what its author noted in nereid.options an option wins. */
typedef struct nereid_compile_options {
  size_t size;               /* sizeof(nereid_compile_options_t): later versions append fields */
  const char *target;        /* "sm_80" … "sm_90a", "cuda:90"; null: the module's, else sm_90a */
  nereid_stage_t emit;       /* NONE: CUBIN */
  int32_t num_warps;         /* per CTA, a power of two; 0: the module's, else 4 */
  int32_t num_stages;        /* 0: the module's, else 3 */
  int32_t num_ctas;          /* per cluster, a power of two up to 16; 0: the module's, else 1 */
  int32_t maxnreg;           /* registers per thread, up to 255; 0: the module's, else no limit */
  const char *kernel;        /* which public function; null: the only one */
  bool no_fp_fusion;         /* keep multiply and add apart */
  bool lineinfo;             /* keep source lines in LLVM IR, PTX and cubin */
  bool cooperative;          /* launch with all CTAs resident at once */
  bool pdl;                  /* programmatic dependent launch */
  bool remarks;              /* report what passes decided as diagnostics of severity REMARK */
  bool dumps;                /* keep every stage, for nereid_result_dump */
  const char *ptx_version;   /* "8.4"; null: by the target */
  const char *libdevice;     /* path of libdevice.10.bc; null: search */
  const char *ptxas;         /* path of an assembler; null: search, or nvJitLink */
  const char *ptxas_options; /* more arguments for the assembler, separated by blanks */
  bool nvjitlink;            /* assemble with nvJitLink or not at all */
  bool allow_later;          /* an input that is past `emit` already is handed back at its own stage */
  bool callgraph;            /* draw who calls whom, for nereid_result_callgraph; from ttir or ttgir to llvm or later */
  bool specialize_calls;     /* copy functions for calls that know different things of their arguments */
  /* The first version ends here; a smaller `size` is an error. */
  const nereid_cancellation_t *cancellation; /* stops the compilation when requested; null: nothing does */
  uint32_t time_limit;                       /* milliseconds for the whole compilation; 0: none */
  uint32_t assembler_time_limit;             /* milliseconds for ptxas, which then replaces nvJitLink; 0: none */
  nereid_progress_handler_t progress;        /* null: nothing is called */
  void *progress_data;                       /* borrowed, for `progress` */
  nereid_remark_handler_t remark_handler;    /* gets the remarks, which then are no diagnostics; null: see `remarks` */
  void *remark_data;                         /* borrowed, for `remark_handler` */
  bool no_global_order; /* no barriers between accesses to global memory by threads of one program that depend on one
                           another (docs/barriers.md) */
  const char *print_triton_version; /* "3.6" to "3.9": ttir and ttgir are printed as that version does; null: as the
                                       input (docs/triton-versions.md) */
} nereid_compile_options_t;

/* Compiles `input`, whose stage is found from its content, to the stage `options->emit`. `name` stands for the input in
 * diagnostics; null: "input". `options` may be null. On anything but NEREID_OK `*out_result` is null.
 *   NEREID_ERROR_PROGRAM     the input is wrong, or an option contradicts it; diagnostics say where
 *   NEREID_ERROR_ARGUMENT    an option is wrong, or `emit` is before the input's stage (unless `allow_later`)
 *   NEREID_ERROR_NOT_FOUND   no assembler, no libdevice, no kernel of that name
 *   NEREID_ERROR_TOOL, NEREID_ERROR_IO   the assembler failed; a temporary file could not be written
 *   NEREID_ERROR_INTERNAL    LLVM gave up; the session remains usable
 *   NEREID_ERROR_CANCELLED   `cancellation` was requested; without a diagnostic
 *   NEREID_ERROR_TIMEOUT     a time limit passed
 * Cancellation and limits take effect before the next pass, MLIR's or LLVM's, and at once while ptxas runs, which is
 * killed; nvJitLink and the parsers run to their end. The session remains usable. */
NEREID_MUST_USE nereid_status_t nereid_compile(nereid_compiler_t *compiler, nereid_view_t input, const char *name,
                                               const nereid_compile_options_t *options, nereid_result_t **out_result);

/* Frees a result and everything its accessors gave. Null is fine. */
void nereid_result_destroy(nereid_result_t *result);

/* What was asked for: `nereid_result_stage` of the input, as bytes. Text ends in a newline, and a NUL follows it that
 * `size` does not count. */
nereid_view_t nereid_result_bytes(const nereid_result_t *result);
nereid_stage_t nereid_result_stage(const nereid_result_t *result);

/* The stage that the input was found to be. */
nereid_stage_t nereid_result_input_stage(const nereid_result_t *result);

/* The metadata as JSON (docs/metadata.md), for any stage. */
nereid_view_t nereid_result_metadata(const nereid_result_t *result);

/* The kernel's symbol in PTX and cubin. */
const char *nereid_result_kernel(const nereid_result_t *result);

/* Registers per thread, and bytes per thread that are stored to local memory because registers do not suffice (the
 * diagnostic handler gets a warning, the metadata the bytes loaded, too), as the assembler reports them; 0 before CUBIN. */
uint32_t nereid_result_registers(const nereid_result_t *result);
uint32_t nereid_result_spilled_bytes(const nereid_result_t *result);

/* Where the time went. `name`: "read" or a stage's. */
typedef struct nereid_stage_time {
  const char *name;
  double milliseconds;
  uint64_t peak_memory; /* the process's resident peak at the end of the stage, bytes */
} nereid_stage_time_t;

size_t nereid_result_time_count(const nereid_result_t *result);
nereid_stage_time_t nereid_result_time(const nereid_result_t *result, size_t index);

/* With `dumps`: every stage that the compilation went through, the input's first. MLIR is printed with locations and
 * argument names; each of them can be compiled again, edited or not. */
size_t nereid_result_dump_count(const nereid_result_t *result);
nereid_stage_t nereid_result_dump_stage(const nereid_result_t *result, size_t index);
nereid_view_t nereid_result_dump(const nereid_result_t *result, size_t index);

/* "nereid 0.1.0, LLVM 22.1.8"; static storage. */
const char *nereid_compiler_version(void);

/* Experimental: what follows may change in any version. Define NEREID_EXPERIMENTAL before the include to use it; all
 * above is stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* With `callgraph`: functions and calls as a graph in the language of Graphviz, with the sizes and starts of frames in
 * shared memory and what is known of arguments. Empty without. */
nereid_view_t nereid_result_callgraph(const nereid_result_t *result);

/* Bytes of shared memory, and what no placement of its buffers could be below (docs/shared-memory.md); false, with both
 * 0, when nothing was placed: the compilation began behind that or ended before. */
bool nereid_result_shared_memory(const nereid_result_t *result, uint64_t *out_bytes, uint64_t *out_bound);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif
#endif
