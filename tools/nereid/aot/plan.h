/* What `nereid aot` compiles: kernels x configurations x targets. */
#ifndef NEREID_TOOLS_AOT_PLAN_H
#define NEREID_TOOLS_AOT_PLAN_H

#include "nereid/metadata.h"
#include "tools/nereid/tool.h"

extern const tool_command_t tool_command_aot;

typedef struct tool_aot_target {
  const char *name; /* "sm_90a": a cubin; "compute_90a": PTX */
  const char *arch; /* "sm_90a" */
  bool is_ptx;
} tool_aot_target_t;

/* A value of --config, [KERNEL:]KEY=VALUE,... */
typedef struct tool_aot_configuration {
  const char *kernel;                               /* the only one that it is for; null: all */
  const char *name;                                 /* "num_warps_8", or the value of the key `name` */
  bool is_named;                                    /* named by the key `name` */
  int32_t num_warps, num_stages, num_ctas, maxnreg; /* 0: the default */
  nereid_property_t property;                       /* property of all arguments */
  tool_list_t constants;                            /* "NAME=VALUE" */
} tool_aot_configuration_t;

/* One compilation. */
typedef struct tool_aot_image {
  const tool_aot_configuration_t *configuration;
  const tool_aot_target_t *target;
  nereid_view_t bytes, text; /* the image and its metadata, after the compilation */
  nereid_metadata_t metadata;
} tool_aot_image_t;

typedef struct tool_aot_kernel {
  const char *input;
  nereid_view_t source;
  const char *symbol; /* the function in the IR; null: the only one of the input */
  const char *grid;   /* as in --grid of nereid compile; null: the IR's */
  size_t n_configurations;
  const tool_aot_configuration_t **configurations;
  tool_aot_image_t *images; /* of configuration 0 for all targets, then of configuration 1 ... */
  const char *name;         /* the symbol, else the name in the metadata after the compilation */
} tool_aot_kernel_t;

typedef struct tool_aot_plan {
  size_t n_targets, n_kernels;
  tool_aot_target_t *targets;
  tool_aot_kernel_t *kernels;
} tool_aot_plan_t;

/* The values of the options that determine a plan. */
typedef struct tool_aot_request {
  tool_list_t inputs, kernels, configurations, grids;
  const char *targets;
} tool_aot_request_t;

/* Reads the inputs and lists the compilations; all memory is in `arena`. NEREID_ERROR_ARGUMENT: an option is malformed
 * or names a kernel that no input has, or two kernels have one name. NEREID_ERROR_IO, NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_aot_plan(nereid_arena_t *arena, const tool_aot_request_t *request,
                                              tool_aot_plan_t *out_plan, nereid_message_t *message);

/* Finds the public functions in the text of an input. */
NEREID_MUST_USE nereid_status_t tool_aot_find_kernels(nereid_arena_t *arena, nereid_view_t text, tool_list_t *out_names,
                                                      nereid_message_t *message);

/* Parses a list of targets. */
NEREID_MUST_USE nereid_status_t tool_aot_parse_targets(nereid_arena_t *arena, const char *text,
                                                       tool_aot_plan_t *out_plan, nereid_message_t *message);

/* Parses a value of --config. */
NEREID_MUST_USE nereid_status_t tool_aot_parse_configuration(nereid_arena_t *arena, const char *text,
                                                             tool_aot_configuration_t *out_configuration,
                                                             nereid_message_t *message);

#endif
