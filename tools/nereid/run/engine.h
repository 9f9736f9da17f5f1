/* What can run a kernel: the GPU, and whatever else this build has. A row per engine; `nereid run --on` names them.
 *
 * A job is a kernel with every parameter bound to a value or a tensor on the host. An engine copies the tensors to
 * where it computes, runs the grid once, copies them back over the host's, and when asked runs it more often for time.
 */
#ifndef NEREID_TOOLS_ENGINE_H
#define NEREID_TOOLS_ENGINE_H

#include "nereid/compile.h"
#include "nereid/emulator.h"
#include "nereid/launch.h"
#include "tools/nereid/run/npy.h"

typedef enum tool_slot_kind {
  TOOL_SLOT_SCALAR,
  TOOL_SLOT_TENSOR,     /* the address of a tensor */
  TOOL_SLOT_DESCRIPTOR, /* a tensor map of a tensor */
  TOOL_SLOT_NULL,       /* a null pointer */
} tool_slot_kind_t;

/* One kernel parameter. */
typedef struct tool_slot {
  tool_slot_kind_t kind;
  nereid_element_t element;     /* of a scalar */
  uint64_t bits;                /* of a scalar */
  size_t tensor;                /* TENSOR, DESCRIPTOR: which of the job's */
  nereid_tma_request_t request; /* DESCRIPTOR: all but the address, which the engine knows */
} tool_slot_t;

typedef struct tool_job {
  nereid_view_t source;       /* the IR it was compiled from; empty when an image was given */
  const char *source_name;    /* for messages */
  nereid_view_t image;        /* cubin or PTX; empty when the engine runs the source */
  nereid_view_t description;  /* the metadata's text */
  nereid_metadata_t metadata; /* the metadata, parameters listed */
  bool has_grid;
  uint32_t grid[3]; /* when has_grid; else the kernel's grid map gives it */
  size_t n_slots;   /* as many as metadata.n_parameters */
  tool_slot_t *slots;
  size_t n_tensors;
  tool_tensor_t *tensors;
  const char **tensor_names;           /* one per tensor, for messages */
  bool count;                          /* print counters, which the emulator has */
  bool check_axis;                     /* let the interpreter check what axis analysis claims */
  bool initcheck;                      /* let the emulator follow bits that nothing has written */
  bool racecheck;                      /* let the emulator look for races and print them */
  const char *races_path;              /* null, or where to write them as JSON */
  uint64_t races;                      /* out: how many */
  uint64_t overwrites;                 /* out: what the emulator's frame check found */
  uint32_t stop_on;                    /* rules at whose violation the emulator stops, as bits */
  uint64_t violations;                 /* out: of rules, by instruction */
  nereid_emulator_schedule_t schedule; /* of the emulator */
  uint64_t seed;                       /* of a random schedule */
  nereid_emulator_landing_t landing;
  nereid_emulator_proxy_t proxy;
  uint64_t steps;      /* limit of the interpreter, and of each warp of the emulator; 0: none */
  size_t repeats;      /* timed runs after the first; 0: none */
  float *milliseconds; /* out: one per repeat */
  bool said;           /* errors of compiling it were printed */
} tool_job_t;

typedef struct tool_engine {
  const char *name;     /* "gpu" */
  nereid_stage_t stage; /* what IR is compiled to for it */
  /* Starts the engine. NEREID_ERROR_NOT_FOUND: it is not on this machine. */
  nereid_status_t (*open)(void **out_state, nereid_message_t *message);
  /* What it runs on, for people, and the target to compile for; valid as long as the state. */
  const char *(*describe)(const void *state);
  const char *(*target)(const void *state);
  /* Runs the job. `job->grid` is set when it returns. */
  nereid_status_t (*run)(void *state, tool_job_t *job, nereid_message_t *message);
  void (*close)(void *state);
} tool_engine_t;

/* The engines of this build, the one to prefer first. */
extern const tool_engine_t *const tool_engines[];
extern const size_t tool_engine_count;

/* The engine of that name; null when this build has none. */
const tool_engine_t *tool_engine_find(const char *name);

/* The alignment of a tensor's address: what the kernel's parameters require, at least 16. */
uint64_t tool_job_alignment(const tool_job_t *job, size_t tensor);

/* Sets job->grid from the kernel's grid map unless it was given. */
NEREID_MUST_USE nereid_status_t tool_job_grid(tool_job_t *job, int32_t multiprocessors, nereid_message_t *message);

#endif
