/* Targets: the GPU and the PTX version.
 *
 * The PTX version depends only on the target, not on the host, so that the same input gives the same text everywhere;
 * an option overrides it. The table is in target.c. */
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

/* Parses "sm_80" … "sm_90a", or the "cuda:90" of ttg.target: cuda:90 is sm_90a, because Triton's IR for cuda:90 uses
 * the architecture-specific instructions. The message of NEREID_ERROR_ARGUMENT lists the targets. */
NEREID_MUST_USE nereid_status_t nereid_target_parse(nereid_view_t text, const nereid_report_t *report,
                                                    nereid_target_t *out_target);

/* Replaces the PTX version by `text` ("8.4" or "84"): NEREID_ERROR_ARGUMENT when the target needs a later one or
 * the code generator does not support it. */
NEREID_MUST_USE nereid_status_t nereid_target_set_ptx_version(nereid_target_t *target, nereid_view_t text,
                                                              const nereid_report_t *report);

/* The names of all targets, separated by ", "; static storage. */
const char *nereid_target_list(void);

#endif
