/* Hooks of the tt dialect for the seam, in addition to those that ods-bindgen declares from the .td files: verification
 * of the dialect's traits, inlining. Pure functions of the IR: they keep no state and may run on any thread that may
 * access the IR.
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
/* SameOperandsEncoding, SameOperandsAndResultEncoding: all tensors with an encoding have the first operand's. */
MlirLogicalResult nereid_tt_same_operands_encoding_verify(MlirOperation op);
MlirLogicalResult nereid_tt_same_operands_and_result_encoding_verify(MlirOperation op);
/* SameLoadStoreShape: operands and results have the first operand's shape; a block pointer has its block's. */
MlirLogicalResult nereid_tt_same_load_store_shape_verify(MlirOperation op);

/* Verifies the tensor types of every operation below `root`, of any dialect, as ValidTensors does for operations of tt.
 * For the compile driver: later stages rely on it for arith and scf operations. */
MlirLogicalResult nereid_tt_tensor_types_verify(MlirOperation root);

/* Returns whether a call of `callable` may be inlined: not with `noinline = true`. */
bool nereid_tt_inlining_allowed(MlirOperation callable);

/* Replaces the tt.return that ends an inlined block by a branch to `destination`; keeps other terminators. */
void nereid_tt_return_to_branch(MlirOperation terminator, MlirBlock destination);

#ifdef __cplusplus
}
#endif

#endif
