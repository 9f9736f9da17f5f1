/* Declarations and constant globals of the module. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_GLOBALS_H
#define NEREID_CONVERSION_TTG_TO_LLVM_GLOBALS_H

#include "conversion/ttg_to_llvm/context.h"

/* A declaration `name : type` in the module, made on first use; false after a diagnostic. */
bool nereid_lower_declare(nereid_lower_t *lower, const char *name, MlirType function_type);

/* The symbol of the CTA's shared memory, a global that is declared on first use. */
MlirStringRef nereid_lower_shared_memory(nereid_lower_t *lower);

/* Constant bytes in the module, aligned to 8; ptr<1> to the first. Equal ones share one global. */
MlirValue nereid_lower_bytes(nereid_lower_t *lower, MlirStringRef bytes);

/* A constant NUL-ended string in the module; ptr (generic) to its first byte. */
MlirValue nereid_lower_string(nereid_lower_t *lower, MlirStringRef text);

#endif
