/* The changes of each pass, for a report. */
#ifndef NEREID_TOOLS_PASS_CHANGES_H
#define NEREID_TOOLS_PASS_CHANGES_H

#include "tools/nereid/report/model.h"

/* Compiles the input once more, with a snapshot after each pass, and sets report->passes. False when out of memory. */
bool report_add_passes(report_t *report, nereid_view_t input, const run_settings_t *settings);

#endif
