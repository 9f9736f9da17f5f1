/* The text of an MLIR module without locations, and the line of each operation in it. */
#ifndef NEREID_TOOLS_MODULE_TEXT_H
#define NEREID_TOOLS_MODULE_TEXT_H

#include "tools/nereid/report/model.h"

#include <mlir-c/IR.h>

/* The operations of a stage, numbered in preorder from 1. */
typedef struct report_numbering {
  const char *marker; /* the file in locations: "<ttgir>" */
  uint32_t count;
  const MlirOperation *ops; /* [number]; valid while the module is not changed */
  const char **names;       /* [number] */
  uint32_t *enclosing;      /* [number]: the operation whose region has it; 0: none */
  uint32_t *line; /* [number]: its first line; of an operation that is not printed, that of the enclosing one */
} report_numbering_t;

/* Returns the line of operation `number` of the stage; 0: none. */
uint32_t report_numbered_line(const report_numbering_t *numbering, uint32_t number);

/* Prints the module, whose operations have the locations "marker":number, into the lines of the stage `kind`, and sets
 * `numbering->line`. False when out of memory. */
bool report_print_module(report_t *report, report_stage_kind_t kind, MlirOperation module,
                         report_numbering_t *numbering);

/* Uses the input's own text as the lines of REPORT_INPUT. False when the input is not text, or is parsed differently
 * without its locations: nothing was set. */
bool report_read_input(report_t *report, nereid_view_t text, report_numbering_t *numbering);

/* Returns `text` with spaces instead of MLIR locations, so that lines and columns stay. Null when out of memory. */
char *report_blank_locations(nereid_arena_t *arena, nereid_view_t text);

#endif
