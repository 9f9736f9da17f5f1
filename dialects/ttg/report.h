/* Errors about an encoding or type that is being made: printf into the sink that a verifier is given. */
#ifndef NEREID_DIALECTS_TTG_REPORT_H
#define NEREID_DIALECTS_TTG_REPORT_H

#include "base/status.h"
#include "seam/hooks.h"

/* Reports one error to `sink`, cut after 1,023 bytes. Always returns failure. */
MlirLogicalResult nereid_ttg_report(nereid_error_sink_t sink, const char *format, ...) NEREID_PRINTF(2, 3);

#endif
