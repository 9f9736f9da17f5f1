/* What the files of `nereid run` share. */
#ifndef NEREID_TOOLS_RUN_H
#define NEREID_TOOLS_RUN_H

#include "python-free-bindings/launch/image.h"
#include "tools/nereid/run/engine.h"
#include "tools/nereid/tool.h"

typedef struct run_settings {
  const char *grid, *block, *abi, *engine, *check, *tolerance, *kernel, *target, *schedule, *landing, *ptxas_options;
  tool_list_t arguments, outputs;
  int64_t seed, steps, num_warps, num_stages, num_ctas; /* the last three: 0 when not given */
  int64_t shared;                                       /* bytes; -1 when not given */
  const char *races;                                    /* a file's path */
  const char *dump_dir;                                 /* null: no dumps */
  bool lineinfo;
  const char *stop_on; /* rules, separated by commas */
  bool bench, check_axis, counters, initcheck, racecheck, proxy_at_fence, no_global_order;
} run_settings_t;

/* What an engine runs, from the bytes of the input: a cubin, or PTX with metadata beside it, is taken as it is; for
 * `stage` ttir a cubin or PTX stands for the IR beside it; everything else is compiled to `stage` for `target`
 * (null: the module's own). Sets source, image and description of the job. NEREID_ERROR_PROGRAM after diagnostics on
 * stderr; NEREID_ERROR_IO: a file that should lie beside the input does not; others as nereid_compile. */
NEREID_MUST_USE nereid_status_t tool_job_load(nereid_arena_t *arena, const run_settings_t *settings, const char *path,
                                              nereid_view_t input, nereid_stage_t stage, const char *target,
                                              tool_job_t *job, nereid_message_t *message);

/* Compiles job->source to `stage` and sets image and description; errors as nereid_compile, said on stderr. */
NEREID_MUST_USE nereid_status_t tool_job_compile(nereid_arena_t *arena, const run_settings_t *settings,
                                                 nereid_stage_t stage, const char *target, tool_job_t *job,
                                                 nereid_message_t *message);

/* Sets the job's source to the IR beside an image: "k.ttir", else "k.ttgir". NEREID_ERROR_IO: neither is there. */
NEREID_MUST_USE nereid_status_t tool_job_read_beside(nereid_arena_t *arena, const char *path, tool_job_t *job,
                                                     nereid_message_t *message);

/* Completes the description of PTX that brought no metadata: names and types from the IR beside it, else from its own
 * parameters; its block; sizes of shared memory and scratch that are large enough. NEREID_ERROR_PROGRAM: that IR is
 * wrong; NEREID_ERROR_ARGUMENT: the PTX has no .reqntid and --block is not given. */
NEREID_MUST_USE nereid_status_t tool_job_complete(nereid_arena_t *arena, const run_settings_t *settings,
                                                  const char *path, tool_job_t *job, nereid_message_t *message);

/* Lists the parameters of a PTX kernel in `metadata`, whose abi is set. NEREID_ERROR_ARGUMENT: there are fewer than the
 * ABI demands. */
NEREID_MUST_USE nereid_status_t tool_ptx_signature(nereid_arena_t *arena, const nereid_image_kernel_t *kernel,
                                                   nereid_metadata_t *metadata, nereid_message_t *message);

/* Sets the block of `metadata`: .reqntid, else --block. NEREID_ERROR_ARGUMENT: there is neither, or .maxntid allows
 * fewer threads. */
NEREID_MUST_USE nereid_status_t tool_ptx_block(const run_settings_t *settings, const nereid_image_kernel_t *kernel,
                                               nereid_metadata_t *metadata, nereid_message_t *message);

/* NEREID_ERROR_ARGUMENT: --block is not a block, or another one than the metadata's. */
NEREID_MUST_USE nereid_status_t tool_check_block(const run_settings_t *settings, const nereid_metadata_t *metadata,
                                                 nereid_message_t *message);

/* "8", "8,4" or "8,4,1": extents that are absent are 1. False: another text. */
bool tool_parse_extents(const char *text, uint32_t extents[3]);
/* The same for a block of 1 to 1024 threads. */
bool tool_parse_block(const char *text, uint32_t block[3]);

#endif
