/* What the seam asks of the tt dialect beside the hooks that ods-bindgen declares from the .td files: verification of
 * the dialect's traits and of its attributes on arguments and operations, inlining. Everything is a function of the IR
 * it is given: no state, any thread that may touch the IR.
 *
 * A verifier returns success, or failure after one located error. */
#ifndef NEREID_DIALECTS_TT_TT_HOOKS_H
#define NEREID_DIALECTS_TT_TT_HOOKS_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ValidTensors: every operand and result tensor is static, has a power of two of elements and at most 2^20, and an
 * encoding that the ttg dialect accepts for it. */
MlirLogicalResult nereid_tt_valid_tensors_verify(MlirOperation op);
/* SameOperandsEncoding, SameOperandsAndResultEncoding: tensors that carry an encoding carry the first operand's. */
MlirLogicalResult nereid_tt_same_operands_encoding_verify(MlirOperation op);
MlirLogicalResult nereid_tt_same_operands_and_result_encoding_verify(MlirOperation op);
/* SameLoadStoreShape: operands and results have the first operand's shape; a block pointer has its block's. */
MlirLogicalResult nereid_tt_same_load_store_shape_verify(MlirOperation op);

/* Checks the tensor types of every operation below `root`, whichever dialect it is from: what ValidTensors checks for
 * operations of tt. For the compile driver, which hands arith and scf operations to stages that rely on it. */
MlirLogicalResult nereid_tt_tensor_types_verify(MlirOperation root);

/* A discardable attribute `tt.<name>` of `op`, of any dialect: its kind. */
MlirLogicalResult nereid_tt_operation_attribute_verify(MlirOperation op, MlirNamedAttribute attribute);

/* An attribute `tt.<name>` on argument `argument` of region `region` of `op`: its kind, and that it may be there. */
MlirLogicalResult nereid_tt_argument_attribute_verify(MlirOperation op, unsigned region, unsigned argument,
                                                      MlirNamedAttribute attribute);

/* May a call of `callable` be replaced by its body? Not when the function says `noinline = true`. */
bool nereid_tt_inlining_allowed(MlirOperation callable);

/* Replaces the tt.return that ends an inlined block by a branch to `destination`; leaves other terminators. */
void nereid_tt_return_to_branch(MlirOperation terminator, MlirBlock destination);

#ifdef __cplusplus
}
#endif

#endif
