/* Which GPU the code is for, and which PTX it is written in.
 *
 * The PTX version follows from the target and from nothing on the machine, so that the same input gives the same
 * text everywhere; it can be asked for explicitly. The table is in target.c. */
#ifndef NEREID_TARGET_TARGET_H
#define NEREID_TARGET_TARGET_H

#include "base/view.h"
#include "target/report.h"

typedef struct nereid_target {
  char name[8];           /* "sm_90a" */
  unsigned capability;    /* 90: ten times the major number plus the minor one */
  bool architecture_only; /* the 'a' of sm_90a: wgmma, setmaxnreg, … */
  unsigned ptx_version;   /* 87 for 8.7 */
  unsigned ptx_minimum;   /* the first version whose assembler supports the target */
} nereid_target_t;

/* Reads "sm_80" … "sm_90a", or "cuda:90" as a module's ttg.target spells it: cuda:90 is sm_90a, because what Triton
 * writes for cuda:90 uses the architecture-specific instructions. NEREID_ERROR_ARGUMENT lists what there is. */
NEREID_MUST_USE nereid_status_t nereid_target_parse(nereid_view_t text, const nereid_report_t *report,
                                                    nereid_target_t *out_target);

/* Replaces the PTX version by `text` ("8.4" or "84"): NEREID_ERROR_ARGUMENT when the target needs a later one or
 * the code generator does not know it. */
NEREID_MUST_USE nereid_status_t nereid_target_set_ptx_version(nereid_target_t *target, nereid_view_t text,
                                                              const nereid_report_t *report);

/* The names of all targets, separated by ", "; static storage. */
const char *nereid_target_list(void);

#endif
