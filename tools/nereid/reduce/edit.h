/* Edits that make a module smaller. Each changes a module in place, and may leave it invalid or wrong: the caller edits
 * a clone, verifies it, and keeps it if it still shows the property. */
#ifndef NEREID_TOOLS_EDIT_H
#define NEREID_TOOLS_EDIT_H

#include "base/arena.h"

#include <mlir-c/IR.h>

/* Returns the number of operations below the module, those in regions included. */
size_t tool_edit_count(MlirOperation module);

/* The value that replaces a result of a removed operation. The result of a loop is replaced by its initial value. */
typedef enum tool_replacement {
  TOOL_REPLACE_BY_LAST,  /* the last operand of its type, else zero */
  TOOL_REPLACE_BY_FIRST, /* the first operand of its type */
  TOOL_REPLACE_BY_ZERO,
  TOOL_REPLACEMENT_COUNT,
} tool_replacement_t;

/* Removes operations `first` to `end`, exclusive, in preorder. An operation with a result that has no replacement
 * stays. Returns the number removed. */
size_t tool_edit_remove(MlirOperation module, nereid_arena_t *scratch, size_t first, size_t end,
                        tool_replacement_t replacement);

/* Replaces loop `index` by one execution of its body. False: there is no such loop. */
bool tool_edit_run_loop_once(MlirOperation module, nereid_arena_t *scratch, size_t index);

/* Halves the extents of `size` of all tensors, and the ranges and constants that depend on them. */
void tool_edit_halve(MlirOperation module, int64_t size);

/* Finds the largest extent of a tensor below `limit` that is a power of two and more than 1; 0: there is none. */
int64_t tool_edit_find_extent(MlirOperation module, int64_t limit);

/* Runs canonicalize, cse and symbol-dce. False: a pass failed. */
bool tool_edit_clean(MlirOperation module);

#endif
