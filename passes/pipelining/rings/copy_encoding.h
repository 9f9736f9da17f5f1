/* The encoding in which cp.async copies the elements of a load. */
#ifndef NEREID_PASSES_COPY_ENCODING_H
#define NEREID_PASSES_COPY_ENCODING_H

#include "mlir-c/IR.h"

/* Returns the encoding in which the threads of a CTA copy the elements of `load`, a tt.load of a tensor in a loop.
 * That of its result, or a blocked one for a vector along the rows or columns of a dot's result or of a recurrence's
 * matrix, of which several threads hold each element. */
MlirAttribute nereid_copy_encoding(MlirOperation load);

#endif
