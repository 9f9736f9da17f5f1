/* --mlir-pass-statistics: the sums of what passes counted. */
#ifndef NEREID_TOOLS_OPT_STATISTICS_H
#define NEREID_TOOLS_OPT_STATISTICS_H

#include <stdbool.h>

/* Takes the option out of `argv`; whether it was there. From then on counters of passes are collected. */
bool nereid_opt_statistics_begin(int *argc, char **argv);

/* Prints the report on stderr. */
void nereid_opt_statistics_print(void);

#endif
