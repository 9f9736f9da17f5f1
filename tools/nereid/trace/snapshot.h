/* A module at one point of the pipeline, as a list of printed operations. It is independent of the module and its
 * context, so that the snapshots of a whole pipeline are compared after the compilation.
 *
 *   scf.for %i = %c0 to %n {     operation 4: text "%2 = scf.for %i = %c0 to %n ... {...}", depth 1
 *     %5 = arith.addi %i, %1     operation 5: parent 4, depth 2; tokens %5, %i and %1 refer to values
 *
 * Operations are in preorder. A block other than the first of its region is an entry of its own, named "^". */
#ifndef NEREID_TOOLS_SNAPSHOT_H
#define NEREID_TOOLS_SNAPSHOT_H

#include "base/arena.h"

#include <mlir-c/IR.h>

/* A part of an operation's text that names a value or a block. */
typedef struct tool_token {
  uint32_t start, length; /* bytes in the text */
  uint32_t target;        /* index of the value, or of the entry of a block */
  bool is_block;
} tool_token_t;

/* A result of an operation or an argument of a block. */
typedef struct tool_value {
  uint32_t op;       /* the defining operation, or the one whose region has the block, or the block's entry */
  const char *token; /* "%5", "%5#1", "%acc" */
  const char *type;
  uint64_t key; /* hash of the location's text */
} tool_value_t;

/* All strings are owned by the snapshot's arena. */
typedef struct tool_op {
  const char *name;   /* "arith.addi"; "^" for a block */
  const char *symbol; /* name of a function or another symbol; null: none */
  const char *text;   /* one line, without the contents of regions and without locations */
  const char *file;   /* file of the location; null: unknown */
  uint32_t line, column;
  uint32_t rhs;    /* where the text begins after "%5 = " */
  uint32_t parent; /* index; an operation at the top level is its own parent */
  uint32_t depth;
  const tool_token_t *tokens; /* in text order */
  uint32_t n_tokens;
  uint32_t first_value, n_results, n_arguments; /* values: results, then arguments of the first block of each region */
  uint64_t place;                               /* key of the location's text; 0: unknown */
} tool_op_t;

typedef struct tool_snapshot {
  const tool_op_t *ops;
  uint32_t n_ops;
  const tool_value_t *values;
  uint32_t n_values;
} tool_snapshot_t;

/* Takes a snapshot of a builtin.module. Null when out of memory. */
const tool_snapshot_t *tool_snapshot_take(nereid_arena_t *arena, MlirOperation module);

/* Returns the 64-bit FNV-1a hash of the bytes, continued from `seed` (0: a new one). */
uint64_t tool_hash(uint64_t seed, const void *bytes, size_t size);

#endif
