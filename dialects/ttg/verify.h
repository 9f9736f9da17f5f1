/* Verification of encodings against tensors and modules, for the verifiers of tt, ttg and ttng.
 *
 * Each function returns success, or failure after one error at the operation. Pure. */
#ifndef NEREID_DIALECTS_TTG_VERIFY_H
#define NEREID_DIALECTS_TTG_VERIFY_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Verifies every operand and result tensor with an encoding of ttg: the encoding is a distributed one, of the tensor's
 * rank, for as many threads, warps and CTAs as the module (for warps: the partition) specifies, and all sizes are
 * powers of two. Types without an encoding, or with one of another dialect, are accepted. */
MlirLogicalResult nereid_ttg_verify_tensor_layouts(MlirOperation op);
MlirLogicalResult nereid_ttg_verify_tensor_layout(MlirOperation op, MlirType type);

#ifdef __cplusplus
}
#endif

#endif
