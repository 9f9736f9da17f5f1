/* Removal of optional operands and of attributes; constants for operands.
 *
 *   tt.load %p, %mask, %other                ->   tt.load %p, %mask; then tt.load %p
 *   tt.store %p, %v, %mask                   ->   tt.store %p, %v
 *   scf.for ... {tt.num_stages = 3 : i32}    ->   scf.for ...
 *   arith.subf %x, %y                        ->   arith.subf %zero, %y; then arith.subf %one, %y */
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

typedef struct optional_row {
  const char *op;
  intptr_t required;
  bool segmented; /* the operation stores the numbers of its operands */
} optional_row_t;

static const optional_row_t rows[] = {{"tt.load", 1, true}, {"tt.store", 2, false}, {"tt.atomic_rmw", 2, false}};

static tool_edit_result_t shorten(MlirOperation op, const optional_row_t *row, bool all) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  if (n <= row->required || (all && n == row->required + 1))
    return TOOL_EDIT_SKIP;
  const intptr_t kept = all ? row->required : n - 1;
  for (intptr_t i = n; i-- > kept;)
    nereidMlirOperationEraseOperand(op, i);
  const int32_t sizes[] = {1, kept > 1, kept > 2};
  if (row->segmented)
    nereid_ir_set_attribute(op, "operandSegmentSizes", mlirDenseI32ArrayGet(mlirOperationGetContext(op), 3, sizes));
  return TOOL_EDIT_DONE;
}

tool_edit_result_t tool_edit_operand(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const tool_operations_t list = tool_edit_list(candidate);
  size_t position = place->position;
  for (size_t i = 0; i < list.size; ++i)
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
      if (tool_edit_is(list.data[i], rows[k].op) && position-- == 0)
        return shorten(list.data[i], &rows[k], place->variant != 0);
  return TOOL_EDIT_END;
}

/* --- constants --- */

static bool is_constant(MlirValue value) {
  return mlirValueIsAOpResult(value) && tool_edit_is(mlirOpResultGetOwner(value), "arith.constant");
}

/* Variant 0: 0. Variant 1: 1. Terminators keep their operands, which other edits of loops and functions replace. */
tool_edit_result_t tool_edit_use(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const tool_operations_t list = tool_edit_list(candidate);
  size_t position = place->position;
  for (size_t i = 0; i < list.size; ++i) {
    const MlirOperation op = list.data[i];
    const size_t n = (size_t)mlirOperationGetNumOperands(op);
    if (position >= n) {
      position -= n;
      continue;
    }
    const MlirValue old = mlirOperationGetOperand(op, (intptr_t)position);
    if (is_constant(old) || nereidMlirOperationHasTrait(op, NereidMlirTraitIsTerminator))
      return TOOL_EDIT_SKIP;
    const MlirAttribute value = tool_edit_constant_of(mlirValueGetType(old), place->variant != 0);
    if (mlirAttributeIsNull(value))
      return TOOL_EDIT_SKIP;
    const nereid_builder_t builder = nereid_builder_before(op);
    mlirOperationSetOperand(op, (intptr_t)position, nereid_ir_result(nereid_arith_constant_build(&builder, value)));
    return TOOL_EDIT_DONE;
  }
  return TOOL_EDIT_END;
}

/* --- attributes --- */

/* The attributes of a kernel's arguments: divisibility and roles. */
static size_t count_argument_attributes(MlirOperation function) {
  size_t n = 0;
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(nereidMlirFunctionGetType(function)); ++i)
    n += (size_t)mlirDictionaryAttrGetNumElements(nereidMlirFunctionGetArgAttrs(function, i));
  return n;
}

static void remove_argument_attribute(MlirOperation function, size_t position) {
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(nereidMlirFunctionGetType(function)); ++i) {
    const MlirAttribute all = nereidMlirFunctionGetArgAttrs(function, i);
    const size_t n = (size_t)mlirDictionaryAttrGetNumElements(all);
    if (position < n) {
      const MlirStringRef name = mlirIdentifierStr(mlirDictionaryAttrGetElement(all, (intptr_t)position).name);
      nereidMlirFunctionSetArgAttr(function, i, name, (MlirAttribute){NULL});
      return;
    }
    position -= n;
  }
}

bool tool_edit_remove_options(MlirOperation module) {
  const MlirStringRef name = nereid_ir_ref("nereid.options");
  const bool has = !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(module, name));
  return has && mlirOperationRemoveDiscardableAttributeByName(module, name);
}

tool_edit_result_t tool_edit_attribute(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const tool_operations_t list = tool_edit_list(candidate);
  size_t position = place->position;
  for (size_t i = 0; i < list.size; ++i) {
    const MlirOperation op = list.data[i];
    const size_t n = (size_t)mlirOperationGetNumDiscardableAttributes(op);
    if (position < n) {
      const MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(op, (intptr_t)position);
      mlirOperationRemoveDiscardableAttributeByName(op, mlirIdentifierStr(attribute.name));
      return TOOL_EDIT_DONE;
    }
    position -= n;
    const size_t of_arguments = nereidMlirOperationIsFunction(op) ? count_argument_attributes(op) : 0;
    if (position < of_arguments) {
      remove_argument_attribute(op, position);
      return TOOL_EDIT_DONE;
    }
    position -= of_arguments;
  }
  return position == 0 && tool_edit_remove_options(candidate->module) ? TOOL_EDIT_DONE : TOOL_EDIT_END;
}
