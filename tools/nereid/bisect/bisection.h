/* Declarations shared by the files of `nereid bisect`. */
#ifndef NEREID_TOOLS_BISECTION_H
#define NEREID_TOOLS_BISECTION_H

#include "tools/nereid/bisect/probe.h"

struct cJSON;

extern const tool_command_t tool_command_bisect;

typedef struct bisect_settings {
  run_settings_t run; /* the first member, for TOOL_JOB_OPTIONS */
  tool_plan_options_t plan;
  const char *what, *output, *shrink;
  int64_t time_limit, context;
  bool all, verbose, json;
} bisect_settings_t;

/* The dimension along which positions count. */
typedef enum bisect_axis { BISECT_MLIR, BISECT_LLVM, BISECT_INTERPRETER, BISECT_AXES } bisect_axis_t;

/* What a probe of a position found. */
typedef struct bisect_position {
  tool_verdict_t verdict;
  const char *text;
  bool interpreted; /* verdict of the interpreter, on the axis of MLIR, for a kernel that the emulator cannot run */
} bisect_position_t;

typedef struct bisection {
  const bisect_settings_t *settings;
  nereid_arena_t *arena;
  tool_case_t subject;
  tool_outcome_t *outcome;
  struct cJSON *json; /* report so far; null: text on stdout */
  bisect_axis_t axis;
  char **names;                              /* the passes of the whole compilation */
  size_t n_mlir, n_llvm;                     /* numbers of passes */
  bisect_position_t *positions[BISECT_AXES]; /* positions of the axes: null before the first probe */
  bool inverted;                             /* search for the end of the property */
} bisection_t;

/* A pass after which the property begins or ends to hold: the positions `before` and `after` were probed, none between
 * them could be. */
typedef struct bisect_change {
  size_t before, after;
  bool holds; /* property after the pass */
} bisect_change_t;

/* --- search (bisection.c) --- */

/* Runs a bisection and reports it. Returns the exit code. */
int bisect_run(bisection_t *it);

/* --- a smaller launch (shrink.c) --- */

/* Probes the whole pipeline on the launch for which the search is to run: the given one, or, if that takes too long, a
 * smaller one with the property, which replaces it in the subject. Sets the verdict, the outcome and the expected
 * results. Returns TOOL_CONTINUE, or the exit code after a message: the input is wrong. */
int bisect_choose_launch(bisection_t *it, tool_probe_mode_t mode, tool_verdict_t *out_verdict);

/* --- output (findings.c): text on stdout, or members of the JSON --- */

const char *bisect_property_name(const bisection_t *it);

void bisect_report_begin(const bisection_t *it, const char *input);
/* The outcome of the probe that ran last, as text after `prefix`, or as member `name`. */
void bisect_report_outcome(const bisection_t *it, const char *name, const char *prefix);
void bisect_report_not_shown(const bisection_t *it);
/* A position or a stage could not be probed. */
void bisect_report_skipped(const bisection_t *it, const char *where, const char *reason);
/* The subject's launch replaced the given one. */
void bisect_report_launch(const bisection_t *it, const run_settings_t *given);
/* Several changes of the property. */
void bisect_report_changes(const bisection_t *it, const bisect_change_t *changes, size_t n);
/* The pass of a change. */
void bisect_report_pass(const bisection_t *it, const bisect_change_t *change);
/* The verdict before the pass. `repeated`: the property was shown again. */
void bisect_report_before(const bisection_t *it, const bisect_change_t *change, bool repeated);
/* The search was interrupted: the pass is one of several; null: the whole pipeline was not probed to its end. */
void bisect_report_interrupted(const bisection_t *it, const bisect_change_t *change);
/* Required passes after position `last_good`, one of which is at fault. */
void bisect_report_required(const bisection_t *it, size_t last_good);
/* The pass in which the compiler stops; `index` from 0. */
void bisect_report_stop(const bisection_t *it, const char *pass, size_t index);
/* A counter without a pass, null for all passes. */
void bisect_report_cost(const bisection_t *it, const char *pass, double value);
void bisect_report_most(const bisection_t *it, size_t index, double without, double with);
/* The changes of a pass, and the file with the IR before it; `full`: of the whole pipeline. */
void bisect_report_evidence(bisection_t *it, const char *pass, size_t index, bool full);
void bisect_report_ir(bisection_t *it, const char *pass, size_t index, bool full);
/* Prints the JSON; nothing without --json. */
void bisect_report_end(const bisection_t *it);

#endif
