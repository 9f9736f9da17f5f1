/* Functions: calls and returns agree with signatures, attributes of arguments are of their kind.
 *
 *   tt.call @f(%x) : (f32) -> ()        error: ... operands than callee @f: expects 2, got 1
 *   tt.func @k(%p: !tt.ptr<f32> {tt.divisibility = "16"})   error: ... expects an integer */
#include "bindings/tt_hooks.h"
#include "dialects/diagnose.h"
#include "dialects/tt/tt_hooks.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <string.h>

/* --- calls --- */

static MlirType signature_of(MlirOperation function) {
  return mlirTypeAttrGetValue(nereid_tt_func_get_function_type_attr(function));
}

MlirLogicalResult nereid_tt_call_verify_symbols(MlirOperation op, nereid_symbols_t symbols) {
  MlirOperation function = nereidMlirSymbolsLookup(symbols, op, nereid_tt_call_get_callee_attr(op));
  nereid_text_t name = nereid_text_of_string(nereid_tt_call_get_callee(op));
  if (mlirOperationIsNull(function) || nereid_op_kind(function) != NEREID_OP_TT_FUNC)
    return nereid_diagnose(op, "calls @%s, but the module has no tt.func of this name", name.chars);
  MlirType type = signature_of(function);
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type), results = mlirFunctionTypeGetNumResults(type);
  if (inputs != mlirOperationGetNumOperands(op))
    return nereid_diagnose(op, "has another number of operands than callee @%s: expects %ld, got %ld", name.chars,
                           (long)inputs, (long)mlirOperationGetNumOperands(op));
  if (results != mlirOperationGetNumResults(op))
    return nereid_diagnose(op, "has another number of results than callee @%s: expects %ld, got %ld", name.chars,
                           (long)results, (long)mlirOperationGetNumResults(op));
  for (intptr_t i = 0; i < inputs + results; i++) {
    bool input = i < inputs;
    intptr_t index = input ? i : i - inputs;
    MlirType expected = input ? mlirFunctionTypeGetInput(type, index) : mlirFunctionTypeGetResult(type, index);
    MlirType got = mlirValueGetType(input ? mlirOperationGetOperand(op, index) : mlirOperationGetResult(op, index));
    if (!mlirTypeEqual(expected, got))
      return nereid_diagnose(op, "has another %s than callee @%s: expects %s for #%ld, got %s",
                             input ? "operand" : "result", name.chars, nereid_text_of_type(expected).chars, (long)index,
                             nereid_text_of_type(got).chars);
  }
  return mlirLogicalResultSuccess();
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
    MlirType returned = mlirValueGetType(mlirOperationGetOperand(op, i)), wanted = mlirFunctionTypeGetResult(type, i);
    if (!mlirTypeEqual(returned, wanted))
      return nereid_diagnose(op, "returns as #%ld a value of type %s, expects %s in function @%s", (long)i,
                             nereid_text_of_type(returned).chars, nereid_text_of_type(wanted).chars, name.chars);
  }
  return mlirLogicalResultSuccess();
}

/* --- attributes of arguments --- */

static bool is_positive(MlirAttribute value) {
  if (mlirAttributeIsAInteger(value))
    return mlirIntegerAttrGetValueInt(value) > 0;
  return mlirAttributeIsADenseIntElements(value) || mlirAttributeIsADenseI32Array(value) ||
         mlirAttributeIsADenseI64Array(value);
}

/* Is this a kernel's argument attribute that asks for a by-value TMA descriptor? Another value or type asks nothing. */
static bool asks_for_descriptor(MlirAttribute value) {
  return mlirAttributeIsAInteger(value) && mlirTypeIsAInteger(mlirAttributeGetType(value)) &&
         mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) == 32 && mlirIntegerAttrGetValueInt(value) == 1;
}

static bool is_private(MlirOperation function) {
  MlirAttribute visibility =
      mlirOperationGetAttributeByName(function, mlirStringRefCreateFromCString("sym_visibility"));
  return !mlirAttributeIsNull(visibility) && mlirAttributeIsAString(visibility) &&
         !mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("public"));
}

MlirLogicalResult nereid_tt_argument_attribute_verify(MlirOperation op, unsigned region, unsigned argument,
                                                      MlirNamedAttribute attribute) {
  static const char *const hints[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};
  (void)region;
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(hints[i])) && !is_positive(attribute.attribute))
      return nereid_diagnose(op, "expects %s of argument #%u to be a positive integer, or one per dimension, got %s",
                             hints[i], argument, nereid_text_of_attribute(attribute.attribute).chars);
  if (mlirStringRefEqual(name, mlirStringRefCreateFromCString("tt.nv_tma_desc")) &&
      asks_for_descriptor(attribute.attribute) && is_private(op))
    return nereid_diagnose(
        op, "has tt.nv_tma_desc on argument #%u but is no kernel: only public functions are launched with descriptors",
        argument);
  return mlirLogicalResultSuccess();
}
