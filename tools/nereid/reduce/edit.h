/* Edits that make a case simpler: a module of tt and ttg, and the options with which it is compiled and run.
 *
 * An edit changes a copy of the case in place. It may leave the module invalid or wrong: the caller verifies the copy,
 * and keeps it if it still shows the property. No sequence of edits is endless: each moves a finite quantity in one
 * direction (operations, extents, constants toward 0, types toward f32 and i32, attributes, encodings, warps). */
#ifndef NEREID_TOOLS_EDIT_H
#define NEREID_TOOLS_EDIT_H

#include "base/vector.h"
#include "tools/nereid/run/run.h"

#include <mlir-c/IR.h>

typedef struct tool_candidate {
  nereid_arena_t *arena; /* memory of this copy */
  MlirOperation module;
  run_settings_t settings; /* arguments, grid, warps, stages */
} tool_candidate_t;

typedef enum tool_edit_result {
  TOOL_EDIT_DONE,
  TOOL_EDIT_SKIP, /* the edit does not apply at this position */
  TOOL_EDIT_END,  /* there is no such position */
} tool_edit_result_t;

/* Where an edit applies, counted from 0, and which of its variants. */
typedef struct tool_edit_place {
  size_t position, variant;
  size_t size; /* number of operations, for groups */
} tool_edit_place_t;

typedef struct tool_edit {
  const char *name;
  tool_edit_result_t (*apply)(tool_candidate_t *candidate, const tool_edit_place_t *place);
  size_t variants;
  bool shrinks;             /* only copies with less weight are kept */
  size_t largest, smallest; /* number of operations of a group; 0: places are not groups */
  bool launch;              /* an edit of the options of the run */
  bool shortens;            /* an edit that makes the run shorter, first for long runs */
} tool_edit_t;

/* The edits in the order in which they are tried; a null name ends the table. Groups have at most half of the
 * operations at first, then a quarter and so on. */
extern const tool_edit_t tool_edits[];

/* Their functions, by file. */
tool_edit_result_t tool_edit_grid(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_scalar(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_tensor(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_options(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_remove(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_halve(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_region(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_operand(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_use(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_carried(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_attribute(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_argument(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_result(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_constant(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_type(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_merge_encodings(tool_candidate_t *candidate, const tool_edit_place_t *place);
tool_edit_result_t tool_edit_simplify_encoding(tool_candidate_t *candidate, const tool_edit_place_t *place);

/* --- shared by the edits --- */

/* The operations below the module in preorder, those in regions included. */
typedef NEREID_VECTOR(MlirOperation) tool_operations_t;
tool_operations_t tool_edit_list(const tool_candidate_t *candidate);

/* Returns operation number `index` with this name; null: there is none. */
MlirOperation tool_edit_find(const tool_candidate_t *candidate, const char *name, size_t index);

/* Number of ways in which tool_edit_remove replaces the results of an operation. */
enum { TOOL_REPLACEMENT_COUNT = 5 };

bool tool_edit_is(MlirOperation op, const char *name);

/* Returns the value 0, or 1 with `one`, of a type of integers or floats, or of tensors of them; null for others. */
MlirAttribute tool_edit_constant_of(MlirType type, bool one);

/* Builds a value of the type before `op`: the constant 0, or 1 with `one`; for pointers an argument of the kernel, or a
 * tensor of it. Null: there is none. */
MlirValue tool_edit_default(MlirOperation op, MlirType type, bool one);

/* Returns the number of operations below the module. */
size_t tool_edit_count(MlirOperation module);

/* Removes the options that a module records. Those of the command line may differ, and a contradiction with
 * ttg.num-warps is an error. Returns whether there are any. */
bool tool_edit_remove_options(MlirOperation module);

/* Returns the weight of a module, which decides whether a copy is smaller: 1 for a constant, 4 for other operations. */
size_t tool_edit_weigh(MlirOperation module);

/* Returns whether the combiners of reductions use all of their arguments and return none as it is. Otherwise the result
 * depends on the order in which elements are combined. */
bool tool_edit_is_defined(MlirOperation module);

/* Runs canonicalize, cse and symbol-dce. False: a pass failed. */
bool tool_edit_clean(MlirOperation module);

#endif
