/* The source program as a stage. */
#ifndef NEREID_TOOLS_SOURCE_LINES_H
#define NEREID_TOOLS_SOURCE_LINES_H

#include "tools/nereid/report/model.h"

/* Creates REPORT_SOURCE from the places that lines of the first stage, `first`, refer to: for each file the lines from
 * the first to the last one, or, when the file cannot be read, only those that are referred to. Files are searched as
 * they are named and in `folder` (null: none). Replaces places in parents of `first` by lines. False when out of
 * memory. */
bool report_add_source(report_t *report, report_stage_kind_t first, const char *folder);

#endif
