/* The report as a page of HTML. */
#ifndef NEREID_TOOLS_WRITE_PAGE_H
#define NEREID_TOOLS_WRITE_PAGE_H

#include "tools/nereid/report/model.h"

#include <stdio.h>

/* Prints a page that needs no other file and no network. False when out of memory. */
bool report_write_page(const report_t *report, FILE *out);

#endif
