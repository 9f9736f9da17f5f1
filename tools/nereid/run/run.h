/* Declarations shared by the files of `nereid run`. */
#ifndef NEREID_TOOLS_RUN_H
#define NEREID_TOOLS_RUN_H

#include "python-free-bindings/launch/image/image.h"
#include "tools/nereid/run/engine.h"
#include "tools/nereid/tool.h"

typedef struct run_settings {
  const char *grid, *block, *abi, *engine, *check, *tolerance, *kernel, *target, *schedule, *landing, *ptxas_options;
  tool_list_t arguments, outputs;
  int64_t seed, steps, num_warps, num_stages, num_ctas; /* the last three: 0 when not given */
  int64_t shared;                                       /* bytes; -1 when not given */
  const char *races;                                    /* path of a file */
  const char *dump_dir;                                 /* null: no dumps */
  bool lineinfo;
  const char *stop_on;                  /* rules, separated by commas */
  const char *timeline, *timeline_ctas; /* path of a file; "4" or "4-7" */
  int64_t timeline_events;              /* 0: the default limit */
  bool bench, check_axis, counters, initcheck, racecheck, proxy_at_fence, no_global_order;
} run_settings_t;

/* Loads the job of an engine from the bytes of the input. A cubin, or PTX with metadata next to it, is used as it is.
 * For `stage` ttir a cubin or PTX is replaced by the IR next to it. Other inputs are compiled to `stage` for `target`
 * (null: the module's own). Sets source, image and description of the job. NEREID_ERROR_PROGRAM after diagnostics on
 * stderr; NEREID_ERROR_IO: a file that is required next to the input is missing; others as nereid_compile. */
NEREID_MUST_USE nereid_status_t tool_job_load(nereid_arena_t *arena, const run_settings_t *settings, const char *path,
                                              nereid_view_t input, nereid_stage_t stage, const char *target,
                                              tool_job_t *job, nereid_message_t *message);

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

#endif
