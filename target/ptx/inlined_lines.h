/* `inlined_at` for the source lines of PTX; a step of nereid_backend_emit. */
#ifndef NEREID_TARGET_INLINED_LINES_H
#define NEREID_TARGET_INLINED_LINES_H

#include "base/arena.h"
#include "base/vector.h"

#include <llvm-c/Types.h>

/* The function of a location in inlined code. */
typedef struct nereid_inlined_place {
  nereid_view_t file; /* as LLVM's comments name it */
  unsigned line, column;
  nereid_view_t name;
} nereid_inlined_place_t;

typedef struct nereid_inlined_lines {
  nereid_arena_t *arena; /* borrowed */
  bool enabled;          /* the module has source lines; LLVM must be asked for comments */
  NEREID_VECTOR(nereid_inlined_place_t) places;
} nereid_inlined_lines_t;

/* Reads the function names of inlined code from `module`; the strings live as long as the module's context. False when
 * out of memory. */
NEREID_MUST_USE bool nereid_inlined_lines_collect(nereid_inlined_lines_t *lines, LLVMModuleRef module,
                                                  nereid_arena_t *arena);

/* The PTX of that module, which ends in a NUL, with `inlined_at` in the arena; `ptx` itself when it has no lines. A
 * null view if out of memory. */
NEREID_MUST_USE nereid_view_t nereid_inlined_lines_write(nereid_inlined_lines_t *lines, nereid_view_t ptx);

#endif
