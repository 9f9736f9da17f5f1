/* The search for a smaller case: it tries edits of the best case so far, several at a time, and keeps the first one
 * that still shows the property. */
#ifndef NEREID_TOOLS_REDUCTION_H
#define NEREID_TOOLS_REDUCTION_H

#include "tools/nereid/bisect/probe.h"
#include "tools/nereid/reduce/edit.h"

enum { TOOL_MAX_JOBS = 64 };

typedef struct tool_trial tool_trial_t; /* candidate in a process */

/* Receives the text of a case that is kept; false: it could not be written, which ends the search. */
typedef bool (*tool_keep_t)(void *user_data, nereid_view_t text, const run_settings_t *settings);

typedef struct tool_reduction {
  nereid_arena_t *arena;
  tool_case_t subject; /* property and limits; input and settings are those of `best` */
  const char *test;    /* command instead of the property; null: none */
  const char *pass;    /* pass without which the property must be absent; null: the optional passes of MLIR */
  tool_plan_options_t without_pass;
  const char *scratch; /* prefix of the files for `test` */
  const char *suffix;  /* suffix of these files: ".ttir" */
  size_t jobs;         /* candidates at a time, 1 to TOOL_MAX_JOBS */
  size_t limit;        /* candidates in all; 0: no limit */
  bool verbose;        /* candidates on standard error */
  bool locations;      /* candidates have locations */
  tool_keep_t keep;
  void *keep_data;
  /* Results. */
  tool_candidate_t best; /* smallest case so far; its module is owned by the caller */
  size_t n_ops, weight, n_tried;
  uint64_t instructions;        /* thread instructions of the run of `best`; 0: not run */
  char text[6144];              /* the observation of the case that was tried last */
  bool failed;                  /* failure of `keep` */
  NEREID_VECTOR(uint64_t) seen; /* hashes of the tried cases */
  NEREID_VECTOR(uint64_t) kept; /* and of the kept ones */
  double value;                 /* counter of the run of `best` */
  char stop[64];                /* pass in which the compiler stops, for crash and compile-error */
  bool has_cause;               /* input without the property when `pass`, or the optional passes, do not run */
  bool checks_each;             /* check of the cause for each candidate, not only after all places of an edit */
  tool_outcome_t *without;      /* outcome of the last check */
  tool_trial_t *trials;
} tool_reduction_t;

/* Creates the trials of a reduction whose first members, up to `keep_data`, are set. False when out of memory. */
NEREID_MUST_USE bool tool_reduction_initialize(tool_reduction_t *it);
void tool_reduction_deinitialize(tool_reduction_t *it);

/* Tries `best` itself and passes its text to `keep` if it shows the property. */
bool tool_reduction_begin(tool_reduction_t *it);

/* Reduces `best` until no edit is kept, the limit is reached, or a signal arrives. The result does not depend on
 * `jobs`. */
void tool_reduction_run(tool_reduction_t *it);

/* --- the cause of the property (cause.c) --- */

/* Runs a case without the pass, or without the optional passes. Returns whether the property is absent then, or, for a
 * counter without a limit, whether it is less than `value`. */
bool tool_cause_holds(const tool_reduction_t *it, nereid_view_t text, const run_settings_t *settings, double value);

/* Returns whether the best case has the cause of the input. */
bool tool_cause_holds_best(const tool_reduction_t *it);

/* Returns whether the best case, which is the input, has a cause: the pass, of which tool_reduction_begin was sure, or
 * the optional passes. */
bool tool_cause_is_known(const tool_reduction_t *it);

/* The best case before an edit. */
typedef struct tool_reduction_state {
  tool_candidate_t best; /* with a copy of the module, owned */
  size_t n_ops, weight, n_kept;
  uint64_t instructions;
  double value;
} tool_reduction_state_t;

tool_reduction_state_t tool_reduction_save(const tool_reduction_t *it);

/* Makes the saved case the best one; takes its module. */
void tool_reduction_restore(tool_reduction_t *it, const tool_reduction_state_t *state);

/* --- trials: edited copies of the best case, each in a process (trial.c) --- */

enum { TOOL_TEXT_LIMIT = 64 << 20 };

typedef enum tool_stage {
  TOOL_STAGE_EDITED,
  TOOL_STAGE_INVALID,
  TOOL_STAGE_LARGER,
  TOOL_STAGE_SEEN,
  TOOL_STAGE_JUDGED,
} tool_stage_t;

/* What a child finds, in memory that the processes share. */
typedef struct tool_found {
  tool_stage_t stage;
  uint64_t hash;
  size_t n_ops, weight, size;
  char text[TOOL_TEXT_LIMIT]; /* text of the module with locations, which have the names of arguments */
} tool_found_t;

struct tool_trial {
  const tool_reduction_t *owner;
  const tool_edit_t *edit; /* null: the case itself */
  tool_edit_place_t place;
  nereid_arena_t arena;
  tool_candidate_t candidate;
  size_t index;
  tool_found_t *found;
  tool_outcome_t *outcome;
  tool_process_t process;
};

/* Creates trial number `index` of a reduction. False when out of memory; to be deinitialized in any case. */
NEREID_MUST_USE bool tool_trial_initialize(tool_trial_t *trial, const tool_reduction_t *owner, size_t index);
void tool_trial_deinitialize(tool_trial_t *trial);

/* Starts the process of a trial whose edit, place and candidate are set. */
void tool_trial_start(tool_trial_t *trial);

/* Waits for the trial; returns whether it shows the property. */
bool tool_trial_finish(tool_trial_t *trial);

/* Ends the process, and destroys the candidate. */
void tool_trial_discard(tool_trial_t *trial);

/* Returns the case of a run of `text`, with a limit of its steps, and the request of a run with all passes. */
tool_case_t tool_trial_case(const tool_reduction_t *it, nereid_view_t text, const run_settings_t *settings);
tool_probe_request_t tool_trial_request(const tool_reduction_t *it);

/* Returns whether the property is a counter without a limit. */
bool tool_trial_compares(const tool_reduction_t *it);

/* Returns whether a case with this hash was tried. */
bool tool_reduction_has_seen(const tool_reduction_t *it, uint64_t hash);

/* Returns the text of a module, in `arena`; an empty view when out of memory. */
nereid_view_t tool_trial_print(nereid_arena_t *arena, MlirOperation module, bool locations);

#endif
