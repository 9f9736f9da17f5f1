/* Construction of scf.if, and results of ops with regions. */
#ifndef NEREID_PASSES_BRANCH_H
#define NEREID_PASSES_BRANCH_H

#include "nereid/builder.h"

#include <mlir-c/IR.h>

/* Builds an scf.if that executes `yes` where `condition`, an i1, is true, and `no` otherwise. Both blocks end with an
 * scf.yield; the results have the types that `yes` yields. Takes ownership of the blocks. */
MlirOperation nereid_branch_build(const nereid_builder_t *builder, MlirValue condition, MlirBlock yes, MlirBlock no);

/* Replaces `branch`, an scf.if, by one with `n` more results, which its regions yield as yes[i] and no[i]. Returns it;
 * uses of the old results become uses of its own. */
MlirOperation nereid_branch_add_results(MlirOperation branch, intptr_t n, const MlirValue *yes, const MlirValue *no);

/* If the only use of result `index` of `op` is an arith.truncf in the block of `op`, rounds the value before the
 * terminators of the first `regions` regions of `op`, of one block each: the result then needs half as many registers
 * where the regions end. Leaves `op` as it is otherwise. */
void nereid_branch_round_inside(MlirOperation op, intptr_t index, intptr_t regions);

#endif
