/* Operations of one Triton version in the words of another (docs/triton-versions.md). */
#ifndef NEREID_PASSES_TTIR_RESPELL_H
#define NEREID_PASSES_TTIR_RESPELL_H

#include "base/arena.h"

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* The minor number of a version that can be printed: 6 for "3.6" to 9 for "3.9"; 0 for another text. */
int32_t nereid_triton_version_parse(MlirStringRef text);

/* Replaces what Triton 3.`minor` does not have by what it has, at and below `root`, and fixes the spelling of the
 * context. Meaning and kernel ABI stay. False after an error at an operation without a counterpart, or when out of
 * memory. */
bool nereid_respell(MlirOperation root, int32_t minor, nereid_arena_t *arena);

#endif
