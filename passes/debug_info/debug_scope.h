/* Extracts names, scopes and file positions from locations, for passes that create debug information. */
#ifndef NEREID_PASSES_DEBUG_SCOPE_H
#define NEREID_PASSES_DEBUG_SCOPE_H

#include "base/arena.h"

#include <mlir-c/IR.h>

/* The file position of the innermost location: follows the callee of call sites and the first fused location that has
 * one. Null when no part of `location` has a file. */
MlirLocation nereid_debug_place_of(MlirLocation location);

/* That position as "FILE:LINE:COLUMN", in `arena`; null without one, or when out of memory. */
const char *nereid_debug_place_text(nereid_arena_t *arena, MlirLocation location);

/* The debug scope of the innermost location, a DISubprogram or a block in one; null when it has none. */
MlirAttribute nereid_debug_scope_of(MlirLocation location);

/* The name of the innermost location, a StringAttr; null when it has none. */
MlirAttribute nereid_debug_name_of(MlirLocation location);

/* Whether an llvm.func has no body. */
bool nereid_debug_is_declaration(MlirOperation function);

#endif
