/* The search for a smaller case: it tries edits of the best case so far, several at a time, and keeps the first one
 * that still shows the property. */
#ifndef NEREID_TOOLS_REDUCTION_H
#define NEREID_TOOLS_REDUCTION_H

#include "tools/nereid/bisect/probe.h"
#include "tools/nereid/reduce/edit.h"

enum { TOOL_MAX_JOBS = 64 };

typedef struct tool_trial tool_trial_t; /* a candidate in a process */

/* Receives the text of a case that is kept; false: it could not be written, which ends the search. */
typedef bool (*tool_keep_t)(void *user_data, nereid_view_t text, const run_settings_t *settings);

typedef struct tool_reduction {
  nereid_arena_t *arena;
  tool_case_t subject; /* the property and its limits; the input and settings are those of `best` */
  const char *test;    /* command that decides instead of the property; null: none */
  const char *pass;    /* the property must be absent without this pass; null: it need not */
  tool_plan_options_t without_pass;
  const char *scratch; /* prefix of the files that it receives */
  const char *suffix;  /* and their suffix: ".ttir" */
  size_t jobs;         /* candidates at a time, 1 to TOOL_MAX_JOBS */
  size_t limit;        /* candidates in all; 0: no limit */
  bool verbose;        /* print each candidate on standard error */
  bool locations;      /* candidates have locations */
  tool_keep_t keep;
  void *keep_data;
  /* Results. */
  tool_candidate_t best; /* its module is owned by the caller */
  size_t n_ops, weight, n_tried, n_kept;
  uint64_t instructions; /* of the run of `best`, of all threads; 0: it was not run */
  char text[6144];       /* the observation of the case that was tried last */
  bool failed;           /* `keep` returned false */
  NEREID_VECTOR(uint64_t) seen;
  tool_outcome_t *without; /* of a run without the pass */
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

#endif
