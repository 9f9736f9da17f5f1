/* What MLIR's parser does not survive, or not in reasonable time, found in the text before it is parsed. */
#ifndef NEREID_COMPILE_SCAN_H
#define NEREID_COMPILE_SCAN_H

#include "base/view.h"

/* Null when the parser may be given `text`; else the message, and its place, lines and columns from 1. Text only, not
 * bytecode. `is_llvm`: LLVM IR, of which only numbers are examined. */
const char *nereid_scan_find(nereid_view_t text, bool is_llvm, unsigned *out_line, unsigned *out_column);

/* The end of the string or `//` comment that begins at `at`; `at` itself when none does. */
const char *nereid_scan_skip(const char *at, const char *end);

#endif
