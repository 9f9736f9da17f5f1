/* Conversions of 8-bit integers to 16-bit floats, a word of four at a time. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_BYTE_CAST_H
#define NEREID_CONVERSION_TTG_TO_LLVM_BYTE_CAST_H

#include "conversion/ttg_to_llvm/context.h"

#include <stdbool.h>

enum { NEREID_BYTES_PER_WORD = 4 };

/* Whether nereid_lower_bytes_to_float converts to `type`: f16, and bf16 from signed integers. */
bool nereid_lower_can_convert_bytes(MlirType type, bool is_signed);

/* Converts four i8 to `type`, exactly. */
void nereid_lower_bytes_to_float(nereid_lower_t *lower, MlirType type, bool is_signed, const MlirValue *bytes,
                                 MlirValue *out);

#endif
