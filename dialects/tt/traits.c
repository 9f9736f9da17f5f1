/* Verifies the dialect's traits: limits of tensor types, agreement of encodings and shapes.
 *
 *   %r = tt.splat %x : f32 -> tensor<48xf32>      error: ... 48 elements, expected a power of two
 *
 * ValidTensors is the first trait of every tt operation. It limits rank and size, so that later verifiers can use
 * arrays of fixed size and products that do not overflow. */
#include "dialects/diagnose.h"
#include "dialects/tt/tensor.h"
#include "dialects/tt/tt_hooks.h"
#include "dialects/ttg/verify.h"

#include <mlir-c/BuiltinTypes.h>

/* Reports an error at `op` when `type` is a tensor outside the limits; `what` and `index` name the value. */
static bool tensor_is_valid(MlirOperation op, MlirType type, const char *what, intptr_t index) {
  if (!mlirTypeIsARankedTensor(type))
    return true;
  const char *fault = NULL;
  nereid_tt_tensor_t tensor;
  int64_t count = 0;
  if (!nereid_tt_tensor_read(type, &tensor))
    fault = "more than 32 dimensions";
  else if (!mlirShapedTypeHasStaticShape(type))
    fault = "a dynamic size";
  else if ((count = nereid_tt_tensor_count(&tensor)) > NEREID_TT_MAX_TENSOR_ELEMENTS)
    fault = "too many elements";
  else if (count <= 0 || (count & (count - 1)) != 0)
    fault = "an element count that is not a power of two";
  if (!fault)
    return true;
  nereid_diagnose(op, "%s #%ld is a tensor with %s: %s; expected a power of two, at most 1048576", what, (long)index,
                  fault, nereid_text_of_type(type).chars);
  return false;
}

/* Calls `check` with the type of every operand and result. */
static bool each_value(MlirOperation op, bool (*check)(MlirOperation, MlirType, const char *, intptr_t)) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!check(op, mlirValueGetType(mlirOperationGetOperand(op, i)), "operand", i))
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (!check(op, mlirValueGetType(mlirOperationGetResult(op, i)), "result", i))
      return false;
  return true;
}

static MlirLogicalResult result_of(bool ok) {
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

MlirLogicalResult nereid_tt_valid_tensors_verify(MlirOperation op) {
  return each_value(op, tensor_is_valid) ? nereid_ttg_verify_tensor_layouts(op) : mlirLogicalResultFailure();
}

static bool arguments_are_valid(MlirOperation op) {
  for (MlirRegion region = mlirOperationGetFirstRegion(op); !mlirRegionIsNull(region);
       region = mlirRegionGetNextInOperation(region))
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
        if (!tensor_is_valid(op, mlirValueGetType(mlirBlockGetArgument(block, i)), "block argument", i))
          return false;
  return true;
}

static MlirWalkResult verify_walked(MlirOperation op, void *user_data) {
  bool *ok = user_data;
  *ok = mlirLogicalResultIsSuccess(nereid_tt_valid_tensors_verify(op)) && arguments_are_valid(op);
  return *ok ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

MlirLogicalResult nereid_tt_tensor_types_verify(MlirOperation root) {
  bool ok = true;
  mlirOperationWalk(root, verify_walked, &ok, MlirWalkPreOrder);
  return result_of(ok);
}

/* --- encodings --- */

static MlirAttribute encoding_of(MlirType type) {
  MlirAttribute none = {NULL};
  return mlirTypeIsARankedTensor(type) ? mlirRankedTensorTypeGetEncoding(type) : none;
}

/* Returns whether both have an encoding and they differ. */
static bool encodings_clash(MlirAttribute a, MlirAttribute b) {
  return !mlirAttributeIsNull(a) && !mlirAttributeIsNull(b) && !mlirAttributeEqual(a, b);
}

static MlirLogicalResult diagnose_encodings(MlirOperation op, const char *values, MlirAttribute expected,
                                            MlirAttribute got) {
  return nereid_diagnose(op, "expects all %s to have one encoding, %s, got %s", values,
                         nereid_text_of_attribute(expected).chars, nereid_text_of_attribute(got).chars);
}

static MlirLogicalResult verify_operand_encodings(MlirOperation op, const char *values) {
  if (mlirOperationGetNumOperands(op) == 0)
    return mlirLogicalResultSuccess();
  MlirAttribute first = encoding_of(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++) {
    MlirAttribute encoding = encoding_of(mlirValueGetType(mlirOperationGetOperand(op, i)));
    if (encodings_clash(first, encoding))
      return diagnose_encodings(op, values, first, encoding);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_same_operands_encoding_verify(MlirOperation op) {
  return verify_operand_encodings(op, "operands");
}

MlirLogicalResult nereid_tt_same_operands_and_result_encoding_verify(MlirOperation op) {
  if (mlirOperationGetNumOperands(op) == 0)
    return mlirLogicalResultSuccess();
  MlirAttribute first = encoding_of(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirAttribute encoding = encoding_of(mlirValueGetType(mlirOperationGetResult(op, i)));
    if (encodings_clash(first, encoding))
      return diagnose_encodings(op, "operands and results", first, encoding);
  }
  return verify_operand_encodings(op, "operands and results");
}

/* --- shapes of memory accesses --- */

/* Returns the shape of an access through a value of this type: the block of a block pointer; rank 0 for a scalar. */
static nereid_tt_tensor_t accessed_shape(MlirType type) {
  nereid_tt_tensor_t tensor;
  MlirType block = nereid_tt_block_of_pointer(type);
  nereid_tt_tensor_read(mlirTypeIsNull(block) ? type : block, &tensor);
  return tensor;
}

MlirLogicalResult nereid_tt_same_load_store_shape_verify(MlirOperation op) {
  MlirType pointer = mlirValueGetType(mlirOperationGetOperand(op, 0));
  nereid_tt_tensor_t first = accessed_shape(pointer);
  intptr_t operands = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
  for (intptr_t i = 1; i < operands + results; i++) {
    bool is_operand = i < operands;
    MlirType type =
        mlirValueGetType(is_operand ? mlirOperationGetOperand(op, i) : mlirOperationGetResult(op, i - operands));
    nereid_tt_tensor_t shape = accessed_shape(type);
    if (!nereid_tt_tensor_same_shape(&first, &shape))
      return nereid_diagnose(op, "expects the shape of the pointer for all values: %s #%ld is %s, the pointer %s",
                             is_operand ? "operand" : "result", (long)(is_operand ? i : i - operands),
                             nereid_text_of_type(type).chars, nereid_text_of_type(pointer).chars);
  }
  return mlirLogicalResultSuccess();
}
