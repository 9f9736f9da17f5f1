/* Machine code of a report: registers, spills, and SASS where nvdisasm is installed. */
#ifndef NEREID_TOOLS_MACHINE_CODE_H
#define NEREID_TOOLS_MACHINE_CODE_H

#include "tools/nereid/report/model.h"

/* Assembles REPORT_PTX; sets report->machine and REPORT_SASS, linked to the lines of PTX. A missing assembler or
 * disassembler is a note. False when out of memory. */
bool report_assemble(report_t *report, const char *target);

#endif
