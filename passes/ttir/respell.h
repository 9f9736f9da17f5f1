/* Rewrites operations of one Triton version to the forms of another (docs/triton-versions.md). */
#ifndef NEREID_PASSES_TTIR_RESPELL_H
#define NEREID_PASSES_TTIR_RESPELL_H

#include "base/arena.h"

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* The minor number of a supported version: 6 for "3.6" to 9 for "3.9"; 0 for other texts. */
int32_t nereid_triton_version_parse(MlirStringRef text);

/* Replaces operations that Triton 3.`minor` lacks by equivalent ones, at and below `root`, and sets the spelling of the
 * context. Preserves semantics and kernel ABI. False after an error at an operation without an equivalent, or when out
 * of memory. */
bool nereid_respell(MlirOperation root, int32_t minor, nereid_arena_t *arena);

#endif
