/* The report as JSON; docs/report.md describes it. */
#ifndef NEREID_TOOLS_WRITE_JSON_H
#define NEREID_TOOLS_WRITE_JSON_H

#include "tools/nereid/report/model.h"

#include <stdio.h>

/* Prints the report as one JSON object. Characters that end an HTML script are escaped. */
void report_write_json(const report_t *report, FILE *out);

/* Prints a string in quotes. */
void report_json_string(FILE *out, nereid_view_t text);

#endif
