/* Verification that the types of results are those inferred from operands and attributes, for verifiers that check more
 * than that. Success, or failure after one located error. */
#ifndef NEREID_DIALECTS_TT_INFER_TYPES_H
#define NEREID_DIALECTS_TT_INFER_TYPES_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

MlirLogicalResult nereid_tt_unsplat_types_verify(MlirOperation op);
MlirLogicalResult nereid_tt_dot_types_verify(MlirOperation op);
MlirLogicalResult nereid_tt_gather_types_verify(MlirOperation op);
MlirLogicalResult nereid_tt_reduce_types_verify(MlirOperation op);

#endif
