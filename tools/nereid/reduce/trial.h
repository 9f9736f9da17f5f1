/* A trial: an edited copy of the best case of a reduction, in a process. */
#ifndef NEREID_TOOLS_TRIAL_H
#define NEREID_TOOLS_TRIAL_H

#include "tools/nereid/reduce/reduction.h"

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
  char text[TOOL_TEXT_LIMIT]; /* of the module, with locations: they name the kernel's arguments */
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

/* Returns whether a case with this hash was tried. */
bool tool_reduction_has_seen(const tool_reduction_t *it, uint64_t hash);

/* Returns the text of a module, in `arena`; an empty view when out of memory. */
nereid_view_t tool_trial_print(nereid_arena_t *arena, MlirOperation module, bool locations);

#endif
