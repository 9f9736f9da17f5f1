/* The instructions of PTX, and their links to the stage before. */
#ifndef NEREID_TOOLS_PTX_LINES_H
#define NEREID_TOOLS_PTX_LINES_H

#include "tools/nereid/report/tracker.h"

/* Sets `op` and `part_of` of the lines of REPORT_PTX. False when out of memory. */
bool report_find_instructions(report_t *report);

/* Links REPORT_PTX to REPORT_LL. `located` is the same code, compiled from LLVM IR with the locations of the tracker.
 * Instructions from the first difference on are not linked, with a message. False when out of memory. */
bool report_link_ptx(report_t *report, const report_numbering_t *ll, nereid_view_t located);

/* Links REPORT_PTX to `places` by its own .loc directives. False when out of memory. */
bool report_link_ptx_to_source(report_t *report);

#endif
