/* extract-variable-info: attaches Python variables to values, for debuggers and readers.
 *
 *   %5 = llvm.add %3, %4 : i32 loc("step"(…))   →   %5 = llvm.add %3, %4 : i32
 *                                                   llvm.intr.dbg.value #llvm.di_local_variable<name = "step", …> = %5
 *
 * A front end names every operation of an assignment after its target. The assigned value is the one that an operation
 * with another name uses; the others are its subexpressions. For a tensor, the first register, with the first element
 * that the thread holds, gets the variable. Arguments of functions and of loops have variables too.
 *
 * Requires the scopes of enable-line-info; functions without scopes do not change. */
#include "passes/debug_info/debug_scope.h"

#include "base/map.h"
#include "dialects/diagnose.h"
#include "passes/pass.h"
#include "seam/ir.h"

#include "nereid/dialects/llvm.h"
#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Dialect/LLVM.h>
#include <stdio.h>

enum { DWARF_BASE_TYPE = 0x24, POINTER_BITS = 64 };

typedef struct variables {
  nereid_pass_t *pass;
  MlirAttribute function; /* scope of locations without their own */
  nereid_map_t described; /* location -> the block in which a variable has a value from there */
} variables_t;

static unsigned bits_of(MlirType type) {
  if (mlirTypeIsAVector(type))
    return bits_of(mlirShapedTypeGetElementType(type)) * (unsigned)mlirShapedTypeGetDimSize(type, 0);
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  if (mlirTypeIsAFloat(type))
    return mlirFloatTypeGetWidth(type);
  return mlirTypeIsALLVMPointerType(type) ? POINTER_BITS : 0;
}

static MlirLLVMTypeEncoding encoding_of(MlirType type) {
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  if (mlirTypeIsALLVMPointerType(type))
    return MlirLLVMTypeEncodingAddress;
  if (mlirTypeIsAFloat(type))
    return MlirLLVMTypeEncodingFloatT;
  return mlirIntegerTypeGetWidth(type) == 1 ? MlirLLVMTypeEncodingBoolean : MlirLLVMTypeEncodingSigned;
}

/* A basic type with the IR's name: f32, vector<4xf32>, !llvm.ptr<1>. Null for types that variables cannot have. */
static MlirAttribute debug_type(MlirContext context, MlirType type) {
  unsigned bits = bits_of(type);
  if (!bits)
    return (MlirAttribute){NULL};
  const nereid_text_t name = nereid_text_of_type(type);
  return mlirLLVMDIBasicTypeAttrGet(context, DWARF_BASE_TYPE,
                                    mlirStringAttrGet(context, mlirStringRefCreateFromCString(name.chars)), bits,
                                    encoding_of(type));
}

static MlirAttribute scope_of(const variables_t *variables, MlirLocation location) {
  MlirAttribute scope = nereid_debug_scope_of(location);
  return mlirAttributeIsNull(scope) ? variables->function : scope;
}

/* Attaches the variable that the location of `value` names. `argument`: from 1, or 0 for other variables. */
static void attach_variable(variables_t *variables, MlirValue value, unsigned argument, MlirBlock block,
                            MlirOperation before) {
  MlirContext context = variables->pass->context;
  MlirLocation location = mlirValueGetLocation(value), place = nereid_debug_place_of(location);
  MlirAttribute name = nereid_debug_name_of(location), type = debug_type(context, mlirValueGetType(value));
  if (mlirAttributeIsNull(name) || mlirAttributeIsNull(type) || mlirLocationIsNull(place))
    return;
  MlirStringRef path = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
  MlirAttribute file = mlirLLVMDIFileAttrGet(context, mlirStringAttrGet(context, path),
                                             mlirStringAttrGet(context, (MlirStringRef){"", 0}));
  MlirAttribute variable =
      mlirLLVMDILocalVariableAttrGet(context, scope_of(variables, location), name, file, 0, argument, 0, type, 0);
  const nereid_builder_t builder = {.location = location, .block = block, .before = before};
  nereid_llvm_intr_dbg_value_build(&builder, value, variable, mlirLLVMDIExpressionAttrGet(context, 0, NULL));
}

/* Whether an operation outside of the assignment uses `value`. */
static bool is_assigned(const variables_t *variables, MlirValue value, MlirAttribute name, MlirAttribute scope) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirLocation location = mlirOperationGetLocation(mlirOpOperandGetOwner(use));
    if (!mlirAttributeEqual(nereid_debug_name_of(location), name) ||
        !mlirAttributeEqual(scope_of(variables, location), scope))
      return true;
  }
  return false;
}

static void visit_op(variables_t *variables, MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  MlirAttribute name = nereid_debug_name_of(location);
  MlirBlock block = mlirOperationGetBlock(op);
  if (mlirOperationGetNumResults(op) != 1 || mlirAttributeIsNull(name))
    return;
  MlirValue value = mlirOperationGetResult(op, 0);
  if (!bits_of(mlirValueGetType(value)) || !is_assigned(variables, value, name, scope_of(variables, location)))
    return;
  uintptr_t *described = nereid_map_insert(&variables->described, location.ptr);
  if (!described || *described == (uintptr_t)block.ptr) /* another register of the same tensor */
    return;
  *described = (uintptr_t)block.ptr;
  attach_variable(variables, value, 0, block, mlirOperationGetNextInBlock(op));
}

static void visit_function(variables_t *variables, MlirOperation function) {
  MlirRegion body = mlirOperationGetRegion(function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(body);
  variables->function = nereid_debug_scope_of(mlirOperationGetLocation(function));
  if (mlirBlockIsNull(entry) || mlirAttributeIsNull(variables->function))
    return;
  for (MlirBlock block = entry; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; i++)
      attach_variable(variables, mlirBlockGetArgument(block, i), mlirBlockEqual(block, entry) ? (unsigned)i + 1 : 0,
                      block, op);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      visit_op(variables, op);
  }
}

MlirLogicalResult nereid_pass_extract_variable_info(nereid_pass_t *pass) {
  variables_t variables = {.pass = pass};
  nereid_map_initialize(&variables.described, pass->scratch);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(pass->op, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_LLVM_FUNC)
      visit_function(&variables, op);
  return mlirLogicalResultSuccess();
}
