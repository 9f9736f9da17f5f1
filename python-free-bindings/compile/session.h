/* The internals of a session and of one compilation; private to this folder.
 *
 *   compiler ── context, backend (kept)          result ── arena: bytes, metadata, dumps, times (owned by the caller)
 *       └── compilation ── scratch arena, module, LLVM module, settings (destroyed when the call returns) */
#ifndef NEREID_COMPILE_SESSION_H
#define NEREID_COMPILE_SESSION_H

#include "nereid/compile.h"
#include "nereid/metadata.h"
#include "nereid/store.h"

#include "base/arena.h"
#include "base/vector.h"
#include "passes/pipeline.h"
#include "target/assembler/assemble.h"
#include "target/backend.h"

#include <mlir-c/IR.h>

enum {
  NEREID_STAGE_LIMIT = NEREID_STAGE_CUBIN + 1,
  NEREID_MINOR_SPILLS = 32, /* bytes per thread; they cost less than one resident CTA fewer per SM */
};

/* Observation and editing of the passes of every compilation of a session. */
typedef struct nereid_session_hooks {
  nereid_pipeline_hooks_t pipeline;
  /* Called before each optional pass of LLVM's optimizer on a function or module, with its name as in a pipeline; false
   * skips it. May be null. */
  bool (*llvm_pass)(void *user_data, const char *name);
  /* Called after the input is read and after each stage up to ll, with the current module: `module` up to llvm, `llvm`
   * at ll, else null. May change locations only. False: out of memory. May be null. */
  bool (*stage)(void *user_data, nereid_stage_t stage, MlirOperation module, LLVMModuleRef llvm);
} nereid_session_hooks_t;

struct nereid_compiler {
  const nereid_session_hooks_t *hooks; /* borrowed; may be null */
  MlirContext context;                 /* owned; null until needed */
  unsigned uses;                       /* number of compilations since the contexts were created */
  bool remarks;                        /* the context forwards remarks */
  nereid_diagnostic_handler_t handler;
  void *user_data;
  nereid_remark_handler_t remark_handler; /* handler of the running compilation; null: remarks are diagnostics */
  void *remark_data;
  unsigned warnings;      /* number in the running compilation */
  nereid_report_t report; /* forwards to the handler */
  nereid_backend_t backend;
};

typedef struct nereid_dump {
  nereid_stage_t stage;
  nereid_view_t text;
} nereid_dump_t;

struct nereid_result {
  nereid_arena_t arena; /* owns everything below */
  nereid_stage_t stage, input_stage;
  nereid_view_t bytes, metadata, callgraph;
  const char *kernel;
  uint32_t registers, spilled_bytes;
  bool is_shared_placed, is_stored;
  uint64_t shared_bytes, shared_bound;
  size_t n_times, n_dumps;
  nereid_stage_time_t times[NEREID_STAGE_LIMIT + 1];
  nereid_dump_t dumps[NEREID_STAGE_LIMIT];
};

/* The settings that follow from the options and the module. */
typedef struct nereid_settings {
  nereid_target_t target;
  int32_t num_warps, num_stages, num_ctas, maxnreg; /* maxnreg 0: no limit */
  bool cooperative, pdl, fp_fusion;
} nereid_settings_t;

/* A pass of ttir or ttgir. */
typedef struct nereid_pass_place {
  const char *name; /* null: none */
  nereid_pipeline_t pipeline;
  nereid_stage_t stage;
  size_t position; /* position in the pipeline's list */
} nereid_pass_place_t;

/* The passes to run: from `start` on, up to the one before `stop`. */
typedef struct nereid_pass_range {
  nereid_pass_place_t start, stop;
} nereid_pass_range_t;

typedef struct nereid_compilation {
  nereid_compiler_t *compiler;
  nereid_compile_options_t options;
  nereid_view_t input;
  const char *name;
  nereid_arena_t scratch;
  nereid_result_t *result;
  nereid_stage_t stage; /* stage of the current module or text */
  nereid_settings_t settings;
  nereid_pass_range_t range;
  int32_t triton_minor;       /* ttir and ttgir are printed as Triton 3.x does; 0: as the input */
  nereid_diagnostic_t place;  /* file, line and column of the kernel in the input or its source */
  MlirOperation module;       /* owned builtin.module; null at other stages */
  LLVMModuleRef llvm;         /* owned by the backend's context; null at other stages */
  bool optimized;             /* Nereid optimized the LLVM module */
  nereid_metadata_t metadata; /* strings in the scratch and the result's arena */
  nereid_view_t ptx, cubin;   /* allocated in the result's arena */
  nereid_limits_t limits;
  nereid_progress_t progress; /* progress of the running stage */
  int64_t start;              /* nanoseconds of CLOCK_MONOTONIC */
} nereid_compilation_t;

/* --- compiler.c --- */

/* Returns the session's MLIR context, created on first use. No module of the context may be alive. */
MlirContext nereid_session_context(nereid_compiler_t *compiler, bool remarks);
/* Destroys the context; the next compilation creates a new one. */
void nereid_session_drop_context(nereid_compiler_t *compiler);

/* Sets the hooks of all later compilations; they are borrowed until the session is destroyed. Null: none. */
void nereid_session_set_hooks(nereid_compiler_t *compiler, const nereid_session_hooks_t *hooks);

/* --- compile.c --- */

/* After LLVM gave up: reports `reason` unless the compilation was stopped, and leaves behind the contexts in use, which
 * are in an unknown state; the next compilation gets fresh ones. */
void nereid_session_abandon(nereid_compilation_t *compilation, const char *reason, bool is_stopped);

/* --- diagnostics.c --- */

/* Makes `context` deliver its diagnostics to the session's handler. */
void nereid_session_attach(nereid_compiler_t *compiler, MlirContext context);

/* Sets file, line and column of `out` from the first part of `location` that has them; strings are in `arena`. False
 * when no part has them. */
bool nereid_session_locate(nereid_arena_t *arena, MlirLocation location, nereid_diagnostic_t *out);

/* Passes remarks of `context`'s passes to the remark handler, or as diagnostics to the session's. */
void nereid_session_enable_remarks(nereid_compiler_t *compiler, MlirContext context);

/* Returns the report of `compiler`, for code that does not use MLIR. */
nereid_report_t nereid_session_report(nereid_compiler_t *compiler);

/* --- read.c --- */

/* Detects the stage of the input and reads it: sets `stage` and `module`, `llvm` or `ptx`. */
NEREID_MUST_USE nereid_status_t nereid_read(nereid_compilation_t *compilation);

/* --- argument_names.c --- */

/* Sets name locations on the kernel's arguments without one, from their names in the text of the input. */
void nereid_argument_names_set(nereid_compilation_t *compilation);

/* Returns the number of arguments of the kernel with this entry block that follow argument `index` as its parts, the
 * shape and strides of a descriptor; they have its name. 0 for other types. */
intptr_t nereid_argument_parts(MlirBlock entry, intptr_t index);

/* --- settings.c --- */

/* Checks the options without the input: ranges, powers of two, target. NEREID_ERROR_ARGUMENT. */
NEREID_MUST_USE nereid_status_t nereid_settings_check(nereid_compilation_t *compilation);

/* --- pass_range.c --- */

/* Finds the passes to start at and to stop before, and sets `emit` to the stage of the latter.
 * NEREID_ERROR_ARGUMENT. */
NEREID_MUST_USE nereid_status_t nereid_pass_range_check(nereid_compilation_t *compilation);
/* Checks that the input, which has been read, is not past the pass to start at. NEREID_ERROR_ARGUMENT. */
NEREID_MUST_USE nereid_status_t nereid_pass_range_check_input(const nereid_compilation_t *compilation);
/* Whether a list that precedes the pass to start at is skipped; those that contain a pass are cut. */
bool nereid_pass_range_skips(const nereid_compilation_t *compilation, nereid_pipeline_t pipeline);
/* Returns the part of a list that is in the range, in the scratch arena; null when out of memory. */
const char *const *nereid_pass_range_cut(nereid_compilation_t *compilation, nereid_pipeline_t pipeline,
                                         const char *const *passes);

/* --- settings.c --- */

/* Merges the options with the settings of the input into `settings`; a contradiction is a located error. */
NEREID_MUST_USE nereid_status_t nereid_settings_resolve(nereid_compilation_t *compilation);

/* Reads the integer attribute `name` of `op`; false when `op` has no integer attribute with that name. */
bool nereid_settings_integer(MlirOperation op, const char *name, int64_t *out_value);

/* --- grid.c --- */

/* Sets nereid.grid on the kernel from the option `grid`, if it is given. At llvm, sets it in `metadata` and in the
 * module's metadata, too. NEREID_ERROR_ARGUMENT: the grid is wrong, or the input is a later stage. */
NEREID_MUST_USE nereid_status_t nereid_grid_set(nereid_compilation_t *compilation);

/* After ttir, for the option "auto": reports an error at a kernel whose grid was not derived. */
NEREID_MUST_USE nereid_status_t nereid_grid_check(nereid_compilation_t *compilation);

/* Returns whether the option is "auto": the grid is derived. */
bool nereid_grid_is_derived(const nereid_compilation_t *compilation);

/* --- kernel.c --- */

/* Finds the kernel among the functions of the module, LLVM module or PTX, removes other kernels, and sets the result's
 * `kernel`. Located errors when there is none, or several and no choice. */
NEREID_MUST_USE nereid_status_t nereid_kernel_select(nereid_compilation_t *compilation);

/* Returns the kernel's function in `module`; a null handle when there is none. */
MlirOperation nereid_kernel_function(const nereid_compilation_t *compilation);

/* --- variant/specialize.c --- */

/* Writes the option `properties` into the kernel. NEREID_ERROR_ARGUMENT: the input is past ttgir; NEREID_ERROR_MEMORY.
 */
NEREID_MUST_USE nereid_status_t nereid_specialize(nereid_compilation_t *compilation);

/* --- check_input.c --- */

/* Located errors for a module at TTIR or TTGIR: at loops whose step is a constant and not positive; at TTGIR, at the
 * first tensor without an encoding. */
NEREID_MUST_USE nereid_status_t nereid_check_input(nereid_compilation_t *compilation);

/* --- metadata.c --- */

/* Fills `metadata` from the module at TTIR or TTGIR, or from the metadata that an earlier compilation stored in the
 * input. */
NEREID_MUST_USE nereid_status_t nereid_metadata_collect(nereid_compilation_t *compilation);

/* Updates the metadata after lowering with shared memory, scratch and warps. */
void nereid_metadata_update(nereid_compilation_t *compilation);

/* Writes the metadata to the module, at llvm. */
NEREID_MUST_USE nereid_status_t nereid_metadata_leave(nereid_compilation_t *compilation);

/* Returns the metadata as one line of JSON in the scratch arena; null when out of memory. */
const char *nereid_metadata_line(nereid_compilation_t *compilation);

/* --- ptx.c --- */

typedef struct nereid_ptx_facts {
  nereid_view_t target; /* "sm_90a"; empty when missing */
  unsigned target_line; /* from 1 */
  unsigned version;     /* 87 */
  size_t n_entries;
  struct nereid_ptx_entry {
    nereid_view_t name;
    unsigned line, threads, maxnreg; /* threads: of .reqntid, 0 when missing */
  } *entries;
  nereid_view_t metadata; /* of Nereid's comment; empty when missing */
} nereid_ptx_facts_t;

/* Reads the directives of a PTX text that the driver needs; false when out of memory. Views point into `ptx`. */
bool nereid_ptx_read(nereid_view_t ptx, nereid_arena_t *arena, nereid_ptx_facts_t *out_facts);

/* --- stages.c --- */

/* Runs the stages from the input's to the requested one, and fills the result. */
NEREID_MUST_USE nereid_status_t nereid_stages_run(nereid_compilation_t *compilation);

/* Reports as a warning that the kernel spills, from its metadata. */
void nereid_report_spills(nereid_compilation_t *compilation, const nereid_metadata_t *metadata);

/* --- stored.c --- */

/* A compilation whose result may be in a store. */
typedef struct nereid_stored {
  bool is_open; /* the result will be stored */
  nereid_store_key_t key;
  nereid_store_claim_t *claim; /* owned; may be null */
  const char *assembler;       /* allocated in the scratch arena; null when nothing is assembled */
} nereid_stored_t;

/* Fills the result from the store of the options. NEREID_ERROR_NOT_FOUND: there is no store, or no such unit, and the
 * caller compiles and calls nereid_stored_end. NEREID_ERROR_CANCELLED, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_stored_begin(nereid_compilation_t *compilation, nereid_stored_t *stored);

/* Stores the result of a compilation with this status, and releases the claim. */
void nereid_stored_end(nereid_compilation_t *compilation, nereid_stored_t *stored, nereid_status_t status);

/* --- progress.c --- */

/* Reports to the handler that a stage begins; `name` has static storage. Returns NEREID_ERROR_CANCELLED or
 * NEREID_ERROR_TIMEOUT, without a diagnostic, when the compilation must stop. */
NEREID_MUST_USE nereid_status_t nereid_progress_stage(nereid_compilation_t *compilation, const char *name, size_t index,
                                                      size_t count);

/* Calls the session's checkpoint and reports that a pass begins; the checkpoint of nereid_pipeline_hooks_t, whose
 * `user_data` is the compilation. */
bool nereid_progress_pass(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position);

/* --- print.c --- */

/* Prints the current stage as bytes in the result's arena. */
NEREID_MUST_USE nereid_status_t nereid_print_stage(nereid_compilation_t *compilation, nereid_view_t *out_bytes);

/* A text that grows in an arena and records an allocation failure (`failed`); initialize it with the arena only. */
typedef struct nereid_text_builder {
  nereid_arena_t *arena;
  char *data; /* null at first; a NUL follows it */
  size_t size, capacity;
} nereid_text_builder_t;

/* A callback for MLIR's printers; `data` is a nereid_text_builder_t. */
void nereid_text_builder_append(MlirStringRef part, void *data);

/* --- occupancy.c --- */

/* Assembles the compilation's PTX. A kernel that lacks registers, as it spills or its wgmma instructions are
 * serialized, is assembled again for fewer CTAs per multiprocessor than convert-triton-gpu-to-llvm asked for;
 * messages are those of the last time. Status and ownership as of nereid_assemble. */
NEREID_MUST_USE nereid_status_t nereid_assemble_within_registers(nereid_compilation_t *compilation,
                                                                 const nereid_assemble_options_t *options,
                                                                 nereid_assembled_t *out_assembled);

/* Key of the metadata in text: the module attribute, the named metadata of LLVM IR, and the comment of PTX. */
#define NEREID_METADATA_KEY "nereid.metadata"

#endif
