/* Facts about the IR of a compilation that are shown next to its lines: layouts and shared memory. */
#ifndef NEREID_TOOLS_IR_FACTS_H
#define NEREID_TOOLS_IR_FACTS_H

#include "tools/nereid/report/module_text.h"

/* Adds the layouts of all results to the lines of the stage `kind`. False when out of memory. */
bool report_add_layouts(report_t *report, report_stage_kind_t kind, const report_numbering_t *numbering);

/* Adds the buffers of all functions of `module`, whose shared memory is allocated and whose locations are operations of
 * the stage `kind`. False when out of memory. */
bool report_add_buffers(report_t *report, report_stage_kind_t kind, const report_numbering_t *numbering,
                        MlirOperation module);

#endif
