/* One compilation and run with a part of the passes, in a process of its own: a crash, an endless loop or a lack of
 * memory ends only the probe. */
#ifndef NEREID_TOOLS_PROBE_H
#define NEREID_TOOLS_PROBE_H

#include "tools/nereid/bisect/process.h"
#include "tools/nereid/bisect/property.h"
#include "tools/nereid/bisect/search.h"
#include "tools/nereid/bisect/writer.h"
#include "tools/nereid/run/run.h"
#include "tools/nereid/trace/plan.h"

typedef struct tool_case {
  run_settings_t settings;
  tool_plan_options_t plan;
  tool_property_t property;
  const char *path; /* path of the input, for messages */
  nereid_view_t input;
  double tolerance;           /* negative: by type */
  const tool_job_t *expected; /* results of the interpreter on the input; null: not needed */
  bool expects;               /* `expected` computed by each probe that runs the kernel */
  int64_t time_limit;         /* seconds per probe */
} tool_case_t;

typedef enum tool_probe_mode {
  TOOL_PROBE_COMPILE,   /* compiles to PTX only */
  TOOL_PROBE_EMULATE,   /* compiles to PTX and runs it in the emulator */
  TOOL_PROBE_INTERPRET, /* stops after `mlir` passes and interprets the IR */
  TOOL_PROBE_DUMP,      /* stops after `mlir` passes and writes the IR to `dump` */
} tool_probe_mode_t;

/* Positions are numbers of passes, in the order in which they run. */
typedef struct tool_probe_request {
  tool_probe_mode_t mode;
  size_t mlir, llvm; /* passes of MLIR and of LLVM's optimizer to run; of later ones only the required. SIZE_MAX: all */
  size_t omitted;    /* 1 + position of a pass of MLIR that does not run; 0: none */
  const char *dump;  /* path, for DUMP */
  bool adds_suffix;  /* `dump` without the stage, which is added: ".ttgir" */
  bool explains;     /* EMULATE: find the thread that wrote the wrong element, with a second run */
} tool_probe_request_t;

enum { TOOL_PROBE_NAMES = 1 << 20 };

/* What a probe found. In memory that the processes share. */
typedef struct tool_outcome {
  tool_verdict_t verdict;
  char text[1024];     /* the observation, one sentence */
  char detail[4096];   /* further lines: the race, the diagnostic; may be empty */
  char last_pass[256]; /* last pass that began */
  bool in_llvm;        /* last pass in the list of LLVM */
  bool ran;            /* compilation finished, run begun */
  bool rejected;       /* input rejected by the interpreter, after the compilation */
  bool timed_out;      /* process killed at its time limit */
  bool has_element;
  char tensor[64];
  uint64_t element;
  double got, expected; /* value of the element, and the interpreter's */
  bool has_writer;      /* `writer` is set */
  tool_writer_t writer;
  double value;                 /* value of the counter */
  uint64_t instructions;        /* number of executed thread instructions */
  size_t n_mlir, n_llvm;        /* numbers of passes so far, with omitted ones */
  size_t n_began;               /* number of passes of MLIR that ran */
  size_t names_size;            /* bytes in `names` */
  char names[TOOL_PROBE_NAMES]; /* the passes of MLIR that ran, then those of LLVM, each followed by a line end */
} tool_outcome_t;

/* Returns a zeroed outcome that probes can fill; null when out of memory. */
tool_outcome_t *tool_outcome_create(void);
void tool_outcome_destroy(tool_outcome_t *outcome);

/* Runs a probe. The verdict is UNKNOWN when the process cannot be started. */
void tool_probe_run(const tool_case_t *subject, const tool_probe_request_t *request, tool_outcome_t *out_outcome);

/* The parts of tool_probe_run, for callers that prepare the case in the child or run several probes at a time. Clear
 * the outcome, start a process whose work ends with tool_probe_judge, which does not return, and finish. */
void tool_outcome_clear(tool_outcome_t *outcome);
_Noreturn void tool_probe_judge(const tool_case_t *subject, const tool_probe_request_t *request,
                                tool_outcome_t *outcome);
void tool_probe_finish(const tool_case_t *subject, tool_process_t *process, tool_outcome_t *outcome);

/* Returns whether every compilation needs the pass: it replaces operations that later stages do not accept, or orders
 * what the hardware does not. */
bool tool_pass_is_required(const char *pass);

/* NEREID_ERROR_ARGUMENT for an input on which no pass runs. */
NEREID_MUST_USE nereid_status_t tool_case_check_input(const char *path, nereid_view_t text, nereid_message_t *message);

/* Runs the interpreter on the input and stores its results. NEREID_ERROR_PROGRAM: the input is wrong; see tool_bind
 * and the interpreter for others. */
NEREID_MUST_USE nereid_status_t tool_case_expect(nereid_arena_t *arena, tool_case_t *subject,
                                                 nereid_message_t *message);

#endif
