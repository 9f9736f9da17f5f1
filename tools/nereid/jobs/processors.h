/* The processors that this process may use. */
#ifndef NEREID_TOOLS_PROCESSORS_H
#define NEREID_TOOLS_PROCESSORS_H

#include "base/view.h"

#include <stdint.h>

/* Returns the number of processors on which this process may run, at most the limit of its container
 * (control group version 2); at least 1. */
int64_t tool_processors(void);

/* Returns the processors of a limit in the form of the file cpu.max of control groups, rounded up: "150000 100000",
 * microseconds in each period, is 2. 0: no limit, or malformed. */
int64_t tool_processors_of_limit(nereid_view_t text);

#endif
