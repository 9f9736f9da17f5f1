/* What locations say to passes that make debug information. */
#ifndef NEREID_PASSES_DEBUG_SCOPE_H
#define NEREID_PASSES_DEBUG_SCOPE_H

#include <mlir-c/IR.h>

/* The place in a file of what is innermost: the callee of a call site, the first of fused ones that has one. Null when
 * nothing in `location` has a file. */
MlirLocation nereid_debug_place_of(MlirLocation location);

/* The debug scope of what is innermost in `location`, a DISubprogram or a block in one; null when it has none. */
MlirAttribute nereid_debug_scope_of(MlirLocation location);

/* The name of what is innermost in `location`, a StringAttr; null when it has none. */
MlirAttribute nereid_debug_name_of(MlirLocation location);

/* Whether an llvm.func has no body. */
bool nereid_debug_is_declaration(MlirOperation function);

#endif
