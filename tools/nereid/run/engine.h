/* The engines that run a kernel: the GPU, the emulator, the interpreter. One row per engine; `nereid run --on` selects
 * one by name.
 *
 * A job is a kernel with every parameter bound to a value or a tensor on the host. An engine copies the tensors to its
 * memory, runs the grid once, copies them back to the host and, on request, repeats the run for timing. */
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
  size_t tensor;                /* TENSOR, DESCRIPTOR: index into the job's tensors */
  nereid_tma_request_t request; /* DESCRIPTOR: everything but the address, which the engine sets */
} tool_slot_t;

/* Receives what the emulator reports of a job, instead of standard output and files. */
typedef struct tool_observer {
  /* Sets the callbacks, user_data and checks of the launch. */
  void (*prepare)(void *user_data, nereid_emulator_launch_t *launch);
  /* Receives the report after the launch, also after a failed one. */
  void (*finish)(void *user_data, const nereid_emulator_report_t *report);
  void *user_data; /* borrowed */
} tool_observer_t;

typedef struct tool_job {
  nereid_view_t source;       /* the IR from which it was compiled; empty when an image was given */
  const char *source_name;    /* for messages */
  nereid_view_t image;        /* cubin or PTX; empty when the engine runs the source */
  nereid_view_t description;  /* text of the metadata */
  nereid_metadata_t metadata; /* the metadata, with parameters */
  bool has_grid;
  const char *grid_text; /* --grid in names of arguments; null: none */
  uint32_t grid[3];      /* valid when has_grid; else the kernel's grid map computes it */
  size_t n_slots;        /* equals metadata.n_parameters */
  tool_slot_t *slots;
  size_t n_tensors;
  tool_tensor_t *tensors;
  const char **tensor_names;           /* one per tensor, for messages */
  bool count;                          /* print the emulator's counters */
  bool check_axis;                     /* check the claims of axis analysis in the interpreter */
  bool initcheck;                      /* track uninitialized bits in the emulator */
  bool racecheck;                      /* detect and print races in the emulator */
  const char *races_path;              /* JSON file for the races, or null */
  const char *timeline_path;           /* JSON file for the emulator's timeline, or null */
  nereid_emulator_timeline_t timeline; /* its CTAs and limit */
  uint64_t races;                      /* out: number of races */
  uint64_t overwrites;                 /* out: number of violations found by the emulator's frame check */
  uint32_t stop_on;                    /* rules at whose violation the emulator stops, as bits */
  uint64_t violations;                 /* out: number of rule violations, by instruction */
  uint64_t instructions;               /* out: number of instructions that threads of the emulator executed */
  nereid_emulator_schedule_t schedule; /* schedule of the emulator */
  uint64_t seed;                       /* seed of a random schedule */
  nereid_emulator_landing_t landing;
  nereid_emulator_proxy_t proxy;
  uint64_t steps;                  /* limit on steps of the interpreter, and of each warp of the emulator; 0: none */
  size_t repeats;                  /* timed runs after the first; 0: none */
  float *milliseconds;             /* out: one per repeat */
  bool reported;                   /* compilation errors were printed */
  const tool_observer_t *observer; /* observes a run on the emulator, borrowed; null: the run prints and writes files */
} tool_job_t;

typedef struct tool_engine {
  const char *name;     /* "gpu" */
  nereid_stage_t stage; /* stage to which IR is compiled for this engine */
  /* Starts the engine. NEREID_ERROR_NOT_FOUND: this machine does not have it. */
  nereid_status_t (*open)(void **out_state, nereid_message_t *message);
  /* Returns a description of the device, and the target to compile for; valid as long as the state. */
  const char *(*describe)(const void *state);
  const char *(*target)(const void *state);
  /* Runs the job. `job->grid` is set when it returns. */
  nereid_status_t (*run)(void *state, tool_job_t *job, nereid_message_t *message);
  void (*close)(void *state);
} tool_engine_t;

/* The engines of this build, in order of preference. */
extern const tool_engine_t *const tool_engines[];
extern const size_t tool_engine_count;

/* Returns the engine with this name; null when this build does not contain it. */
const tool_engine_t *tool_engine_find(const char *name);

/* Returns the alignment of a tensor's address: the maximum that the kernel's parameters require, at least 16. */
uint64_t tool_job_alignment(const tool_job_t *job, size_t tensor);

/* Sets job->grid from the kernel's grid map unless it was given. */
NEREID_MUST_USE nereid_status_t tool_job_grid(tool_job_t *job, int32_t multiprocessors, nereid_message_t *message);

#endif
