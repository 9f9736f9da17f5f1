/* Construction of scf.if. */
#ifndef NEREID_PASSES_BRANCH_H
#define NEREID_PASSES_BRANCH_H

#include "nereid/builder.h"

#include <mlir-c/IR.h>

/* Builds an scf.if that executes `yes` where `condition`, an i1, is true, and `no` otherwise. Both blocks end with an
 * scf.yield; the results have the types that `yes` yields. Takes ownership of the blocks. */
MlirOperation nereid_branch_build(const nereid_builder_t *builder, MlirValue condition, MlirBlock yes, MlirBlock no);

#endif
