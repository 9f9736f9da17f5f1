/* Declarations shared by the files of `nereid run`. */
#ifndef NEREID_TOOLS_RUN_H
#define NEREID_TOOLS_RUN_H

#include "python-free-bindings/compile/session.h"
#include "python-free-bindings/launch/image/image.h"
#include "tools/nereid/run/engine.h"
#include "tools/nereid/tool.h"
#include "tools/nereid/trace/plan.h"

typedef struct run_settings {
  const char *grid, *block, *abi, *engine, *check, *tolerance, *kernel, *target, *schedule, *landing, *ptxas_options;
  tool_list_t arguments, outputs, defines;
  int64_t seed, steps, num_warps, num_stages, num_ctas; /* the last three: 0 when not given */
  int64_t shared;                                       /* bytes; -1 when not given */
  const char *races;                                    /* path of a file */
  const char *dump_dir;                                 /* null: no dumps */
  const char *record;                                   /* directory of a recording to write; null: none */
  bool lineinfo;
  const char *stop_on;                  /* rules, separated by commas */
  const char *timeline, *timeline_ctas; /* path of a file; "4" or "4-7" */
  int64_t timeline_events;              /* 0: the default limit */
  bool bench, check_axis, counters, initcheck, racecheck, proxy_at_fence, no_global_order, no_warp_specialization;
  const nereid_session_hooks_t *hooks;    /* hooks of the compilation; null: none */
  tool_plan_options_t plan;               /* edits of the lists of passes, for the GPU and the emulator */
  bool plain;                             /* without source lines, for the emulator too */
  nereid_remark_handler_t remark_handler; /* remark handler of the compilation; null: none */
  void *remark_data;
} run_settings_t;

/* The rows of a table of tool_option_t that describe a job and its compilation. Settings that are derived from
 * run_settings_t have it as their first member. */
/* clang-format off */
#define TOOL_JOB_OPTIONS \
    {"--grid", "X[,Y[,Z]]", \
     "CTAs to launch (clusters when num-ctas is more than 1): numbers, or expressions of arguments such as " \
     "'ceildiv(n, 1024)' (default: the kernel's own grid)", \
     TOOL_TEXT, offsetof(run_settings_t, grid)}, \
    {"--arg", "NAME=SPEC", "an argument by its name or position: 7, 0.5, f32[64x64]:rand, @file.npy", TOOL_LIST, \
     offsetof(run_settings_t, arguments)}, \
    {"--tolerance", "X", "largest relative error of results (default: by type)", TOOL_TEXT, \
     offsetof(run_settings_t, tolerance)}, \
    {"--seed", "N", "seed of rand, randint and the emulator's random choices (default: 0)", TOOL_INTEGER, \
     offsetof(run_settings_t, seed)}, \
    {"--steps", "N", \
     "stop after this many steps of the interpreter, or of a warp of the emulator (default: no limit)", TOOL_INTEGER, \
     offsetof(run_settings_t, steps)}, \
    {"--kernel", "NAME", "the kernel of the input to run", TOOL_TEXT, offsetof(run_settings_t, kernel)}, \
    {"--target", "T", "target to compile for (default: the engine's)", TOOL_TEXT, offsetof(run_settings_t, target)}, \
    {"--define", "NAME=VALUE", "replace ${NAME} in the text of the input", TOOL_LIST, \
     offsetof(run_settings_t, defines)}, \
    {"--num-warps", "N", "warps per CTA when compiling", TOOL_POSITIVE, offsetof(run_settings_t, num_warps)}, \
    {"--num-stages", "N", "loop iterations in flight when compiling", TOOL_POSITIVE, \
     offsetof(run_settings_t, num_stages)}, \
    {"--num-ctas", "N", "CTAs per cluster when compiling", TOOL_POSITIVE, offsetof(run_settings_t, num_ctas)}, \
    {"--schedule", "S", "the emulator's warp schedule: round-robin (default), random or adversarial", TOOL_TEXT, \
     offsetof(run_settings_t, schedule)}, \
    {"--landing", "L", \
     "when asynchronous operations take effect in the emulator: at the issue (default), the wait, or random", \
     TOOL_TEXT, offsetof(run_settings_t, landing)}, \
    {"--proxy-at-fence", NULL, \
     "in the emulator, stores become visible to the async proxy only after a fence of the thread", TOOL_FLAG, \
     offsetof(run_settings_t, proxy_at_fence)}, \
    {"--shared", "BYTES", \
     "dynamic shared memory per CTA (default: from the metadata or the IR next to the input, else the maximum)", \
     TOOL_INTEGER, offsetof(run_settings_t, shared)}, \
    {"--no-global-order", NULL, "no barriers between dependent accesses to global memory within a program", TOOL_FLAG, \
     offsetof(run_settings_t, no_global_order)}, \
    {"--no-warp-specialization", NULL, "do not divide loops between producer and consumer warps", TOOL_FLAG, \
     offsetof(run_settings_t, no_warp_specialization)}
/* clang-format on */

/* Loads the job of an engine from the bytes of the input. A cubin, or PTX with metadata next to it, is used unchanged.
 * For `stage` ttir a cubin or PTX is replaced by the IR next to it. Other inputs are compiled to `stage` for `target`
 * (null: the module's own). Sets source, image and description of the job. NEREID_ERROR_PROGRAM after diagnostics on
 * stderr; NEREID_ERROR_IO: a file that is required next to the input is missing; others as nereid_compile. */
NEREID_MUST_USE nereid_status_t tool_job_load(nereid_arena_t *arena, const run_settings_t *settings, const char *path,
                                              nereid_view_t input, nereid_stage_t stage, const char *target,
                                              tool_job_t *job, nereid_message_t *message);

/* Sets the limits, the grid and the schedule of a new job; `out_tolerance` is negative without --tolerance.
 * NEREID_ERROR_ARGUMENT: a setting is malformed or out of range. */
NEREID_MUST_USE nereid_status_t tool_job_configure(const run_settings_t *settings, tool_job_t *job,
                                                   double *out_tolerance, nereid_message_t *message);

/* Options to compile the input of a run up to the LLVM dialect, for the passes that change it. */
nereid_compile_options_t tool_trace_options(const run_settings_t *settings);

/* Parses the metadata of a loaded job and binds its arguments; errors as nereid_metadata_parse and tool_bind. */
NEREID_MUST_USE nereid_status_t tool_job_prepare(nereid_arena_t *arena, const run_settings_t *settings, tool_job_t *job,
                                                 nereid_message_t *message);

/* Creates a second job on copies of the tensors, without counters and checks. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_job_copy(nereid_arena_t *arena, const tool_job_t *job, tool_job_t *out_copy,
                                              nereid_message_t *message);

/* Compiles job->source to `stage` and sets image and description; errors as nereid_compile, reported on stderr. */
NEREID_MUST_USE nereid_status_t tool_job_compile(nereid_arena_t *arena, const run_settings_t *settings,
                                                 nereid_stage_t stage, const char *target, tool_job_t *job,
                                                 nereid_message_t *message);

/* Sets the job's source to the IR next to an image: "k.ttir", else "k.ttgir". NEREID_ERROR_IO: neither exists. */
NEREID_MUST_USE nereid_status_t tool_job_read_beside(nereid_arena_t *arena, const char *path, tool_job_t *job,
                                                     nereid_message_t *message);

/* Completes the description of PTX without metadata: names and types from the IR next to it, else from its own
 * parameters; its block; sufficient sizes of shared memory and scratch. NEREID_ERROR_PROGRAM: that IR is wrong;
 * NEREID_ERROR_ARGUMENT: the PTX has no .reqntid and --block is not given. */
NEREID_MUST_USE nereid_status_t tool_job_complete(nereid_arena_t *arena, const run_settings_t *settings,
                                                  const char *path, tool_job_t *job, nereid_message_t *message);

/* Lists the parameters of a PTX kernel in `metadata`, whose abi is set. NEREID_ERROR_ARGUMENT: there are fewer
 * parameters than the ABI requires. */
NEREID_MUST_USE nereid_status_t tool_ptx_signature(nereid_arena_t *arena, const nereid_image_kernel_t *kernel,
                                                   nereid_metadata_t *metadata, nereid_message_t *message);

/* Sets the block of `metadata`: .reqntid, else --block. NEREID_ERROR_ARGUMENT: both are missing, or .maxntid allows
 * fewer threads. */
NEREID_MUST_USE nereid_status_t tool_ptx_block(const run_settings_t *settings, const nereid_image_kernel_t *kernel,
                                               nereid_metadata_t *metadata, nereid_message_t *message);

/* NEREID_ERROR_ARGUMENT: --block is malformed or differs from the metadata's block. */
NEREID_MUST_USE nereid_status_t tool_check_block(const run_settings_t *settings, const nereid_metadata_t *metadata,
                                                 nereid_message_t *message);

/* Parses "8", "8,4" or "8,4,1"; missing extents are 1. False when the text is malformed. */
bool tool_parse_extents(const char *text, uint32_t extents[3]);
/* Parses a block of 1 to 1024 threads in the same syntax. */
bool tool_parse_block(const char *text, uint32_t block[3]);

/* --- recordings: a run as a directory (record.c, docs/recording.md) --- */

/* Replaces the path of a recording by the path of its kernel, and adds its options and arguments to `settings`; those
 * of the command line are preferred. Any other path stays. Strings are allocated in `arena`. NEREID_ERROR_ARGUMENT: the
 * directory is not a recording, or of a later version; NEREID_ERROR_IO, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_record_open(nereid_arena_t *arena, const char **path, run_settings_t *settings,
                                                 nereid_message_t *message);

/* Writes the kernel at `path` and the arguments of the job, which has not run, to the directory, which is created.
 * NEREID_ERROR_IO, NEREID_ERROR_ARGUMENT, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_record_arguments(nereid_arena_t *arena, const run_settings_t *settings,
                                                      const char *directory, const char *path, const tool_job_t *job,
                                                      nereid_message_t *message);

/* Writes the tensors after the run, and its outcome: null for success, else the error. Errors as above. */
NEREID_MUST_USE nereid_status_t tool_record_results(nereid_arena_t *arena, const char *directory, const tool_job_t *job,
                                                    const char *outcome, nereid_message_t *message);

#endif
