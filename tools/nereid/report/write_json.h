/* The report as JSON; docs/report.md describes it. */
#ifndef NEREID_TOOLS_WRITE_JSON_H
#define NEREID_TOOLS_WRITE_JSON_H

#include "tools/nereid/report/model.h"

#include <stdio.h>

typedef enum report_json {
  REPORT_JSON_FULL,
  REPORT_JSON_SHORT, /* "{ float, float, ... }" in the text of lines is "{ float × 128 }" */
} report_json_t;

/* Prints the report as one JSON object. */
void report_write_json(const report_t *report, report_json_t form, FILE *out);

#endif
