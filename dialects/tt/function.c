/* Verifies calls and returns against the signatures of functions; inlining.
 *
 *   tt.call @f(%x) : (f32) -> ()        error: ... passes 1 operands to callee @f, which expects 2
 *
 * Callees are looked up in the verifier's symbol tables, which are built once for all calls of a module. */
#include "dialects/tt/function.h"
#include "bindings/tt_hooks.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/tt/call_path.h"
#include "dialects/tt/tt_hooks.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static MlirType signature_of(MlirOperation function) {
  return mlirTypeAttrGetValue(nereid_tt_func_get_function_type_attr(function));
}

MlirLogicalResult nereid_tt_call_verify_callee(MlirOperation op, MlirOperation function) {
  nereid_text_t name = nereid_text_of_string(nereid_tt_call_get_callee(op));
  MlirType type = signature_of(function);
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type), results = mlirFunctionTypeGetNumResults(type);
  if (inputs != mlirOperationGetNumOperands(op))
    return nereid_tt_diagnose_call(op, "passes %ld operands to callee @%s, which expects %ld",
                                   (long)mlirOperationGetNumOperands(op), name.chars, (long)inputs);
  if (results != mlirOperationGetNumResults(op))
    return nereid_tt_diagnose_call(op, "has %ld results of callee @%s, which returns %ld",
                                   (long)mlirOperationGetNumResults(op), name.chars, (long)results);
  for (intptr_t i = 0; i < inputs + results; i++) {
    bool input = i < inputs;
    intptr_t index = input ? i : i - inputs;
    MlirType expected = input ? mlirFunctionTypeGetInput(type, index) : mlirFunctionTypeGetResult(type, index);
    MlirType got = mlirValueGetType(input ? mlirOperationGetOperand(op, index) : mlirOperationGetResult(op, index));
    if (!mlirTypeEqual(expected, got))
      return nereid_tt_diagnose_call(op, "%s #%ld is %s, but callee @%s %s %s", input ? "operand" : "result",
                                     (long)index, nereid_text_of_type(got).chars, name.chars,
                                     input ? "expects" : "returns", nereid_text_of_type(expected).chars);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_call_verify_symbols(MlirOperation op, nereid_symbols_t symbols) {
  if (mlirOperationIsNull(nereid_ir_function_of(op)))
    return nereid_tt_diagnose_call(op, "is outside of a tt.func: expected a caller");
  MlirOperation function = nereidMlirSymbolsLookup(symbols, op, nereid_tt_call_get_callee_attr(op));
  if (mlirOperationIsNull(function) || nereid_op_kind(function) != NEREID_OP_TT_FUNC)
    return nereid_tt_diagnose_call(op, "calls @%s, but the module has no tt.func of this name",
                                   nereid_text_of_string(nereid_tt_call_get_callee(op)).chars);
  return nereid_tt_call_verify_callee(op, function);
}

MlirLogicalResult nereid_tt_return_verify(MlirOperation op) {
  MlirOperation function = mlirOperationGetParentOperation(op);
  MlirType type = signature_of(function);
  nereid_text_t name = nereid_text_of_string(nereid_tt_func_get_sym_name(function));
  intptr_t expected = mlirFunctionTypeGetNumResults(type), got = mlirOperationGetNumOperands(op);
  if (expected != got)
    return nereid_diagnose(op, "returns %ld values from function @%s, which has %ld results", (long)got, name.chars,
                           (long)expected);
  for (intptr_t i = 0; i < got; i++) {
    MlirType returned = mlirValueGetType(mlirOperationGetOperand(op, i)),
             expected_type = mlirFunctionTypeGetResult(type, i);
    if (!mlirTypeEqual(returned, expected_type))
      return nereid_diagnose(op, "returns as #%ld a value of type %s, expects %s in function @%s", (long)i,
                             nereid_text_of_type(returned).chars, nereid_text_of_type(expected_type).chars, name.chars);
  }
  return mlirLogicalResultSuccess();
}

/* --- inlining --- */

bool nereid_tt_inlining_allowed(MlirOperation callable) {
  MlirAttribute noinline = nereid_ir_attribute(callable, "noinline");
  return mlirAttributeIsNull(noinline) || !mlirAttributeIsABool(noinline) || !mlirBoolAttrGetValue(noinline);
}

void nereid_tt_return_to_branch(MlirOperation terminator, MlirBlock destination) {
  if (nereid_op_kind(terminator) != NEREID_OP_TT_RETURN)
    return;
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString("cf.br"), mlirOperationGetLocation(terminator));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(terminator); i++) {
    MlirValue returned = mlirOperationGetOperand(terminator, i);
    mlirOperationStateAddOperands(&state, 1, &returned);
  }
  mlirOperationStateAddSuccessors(&state, 1, &destination);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(terminator), terminator, mlirOperationCreate(&state));
  mlirOperationDestroy(terminator);
}
