/* Finds constructs in text that MLIR's parser does not survive or does not parse in reasonable time. */
#ifndef NEREID_COMPILE_SCAN_H
#define NEREID_COMPILE_SCAN_H

#include "base/view.h"

/* Returns null when a parser may read `text`, else the message and its line and column, counted from 1. For text only,
 * not bytecode. `is_llvm`: LLVM IR, in which only numbers are checked. */
const char *nereid_scan_find(nereid_view_t text, bool is_llvm, unsigned *out_line, unsigned *out_column);

/* Returns the end of the string or `//` comment that begins at `at`; `at` itself when there is none. */
const char *nereid_scan_skip(const char *at, const char *end);

#endif
