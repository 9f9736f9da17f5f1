/* --mlir-pass-statistics: the sums of the statistics of passes. */
#ifndef NEREID_TOOLS_OPT_STATISTICS_H
#define NEREID_TOOLS_OPT_STATISTICS_H

#include <stdbool.h>

/* Removes the option from `argv` and enables the collection of statistics; returns whether it was present. */
bool nereid_opt_statistics_begin(int *argc, char **argv);

/* Prints the report on stderr. */
void nereid_opt_statistics_print(void);

#endif
