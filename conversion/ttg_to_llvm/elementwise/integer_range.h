/* The range of an integer tensor, from the ops that compute it. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_INTEGER_RANGE_H
#define NEREID_CONVERSION_TTG_TO_LLVM_INTEGER_RANGE_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct nereid_integer_range {
  int64_t least, most; /* signed; both are possible only as far as the ops below are considered */
} nereid_integer_range_t;

/* The range of `value`, an integer or a tensor of integers of up to 32 bits, as signed numbers. At most that of its
 * type, which it is where nothing else follows from the defining ops. */
nereid_integer_range_t nereid_integer_range(MlirValue value);

#endif
