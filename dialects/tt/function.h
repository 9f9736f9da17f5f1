/* Verification of calls against their callee, for code that finds the callee without MLIR's symbol tables. */
#ifndef NEREID_DIALECTS_TT_FUNCTION_H
#define NEREID_DIALECTS_TT_FUNCTION_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

/* Verifies that `call`, a tt.call, has the types of `function`, a tt.func. Success, or failure after one error at the
 * call. */
MlirLogicalResult nereid_tt_call_verify_callee(MlirOperation call, MlirOperation function);

#endif
