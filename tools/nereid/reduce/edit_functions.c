/* Removal of arguments and results of functions.
 *
 *   tt.func private @f(%x, %y), tt.call @f(%a, %b)     ->   @f(%y), tt.call @f(%b); uses of %x become 0
 *   tt.func public @kernel(%x, %n), --arg n=...        ->   @kernel(%x); uses of %n become 0 or 1
 *   %r:2 = tt.call @f(%b), tt.return %p, %q            ->   %r = tt.call @f(%b), tt.return %q
 *
 * A descriptor and the arguments that belong to it have one name, and are removed together. */
#include "dialects/ir.h"
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

#include <stdlib.h>

static MlirBlock entry_of(MlirOperation function) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

/* Sets the type of the function without argument `argument` or result `result`; -1: none. */
static void set_type(nereid_arena_t *arena, MlirOperation function, intptr_t argument, intptr_t result) {
  const MlirType type = nereidMlirFunctionGetType(function);
  const intptr_t n_inputs = mlirFunctionTypeGetNumInputs(type), n_results = mlirFunctionTypeGetNumResults(type);
  MlirType *types = nereid_arena_new(arena, MlirType, (size_t)(n_inputs + n_results));
  intptr_t n = 0;
  if (!types)
    return;
  for (intptr_t i = 0; i < n_inputs; ++i)
    if (i != argument)
      types[n++] = mlirFunctionTypeGetInput(type, i);
  const intptr_t inputs = n;
  for (intptr_t i = 0; i < n_results; ++i)
    if (i != result)
      types[n++] = mlirFunctionTypeGetResult(type, i);
  nereidMlirFunctionSetType(
      function, mlirFunctionTypeGet(mlirOperationGetContext(function), inputs, types, n - inputs, types + inputs));
}

/* Removes element `index` of the attributes of arguments or results. */
static void drop_attributes(nereid_arena_t *arena, MlirOperation function, const char *name, intptr_t index) {
  const MlirAttribute all = nereid_ir_attribute(function, name);
  const intptr_t n = mlirAttributeIsNull(all) ? 0 : mlirArrayAttrGetNumElements(all);
  MlirAttribute *rest = nereid_arena_new(arena, MlirAttribute, (size_t)n + 1);
  intptr_t kept = 0;
  if (!rest || index >= n)
    return;
  for (intptr_t i = 0; i < n; ++i)
    if (i != index)
      rest[kept++] = mlirArrayAttrGetElement(all, i);
  nereid_ir_set_attribute(function, name, mlirArrayAttrGet(mlirOperationGetContext(function), kept, rest));
}

static bool calls(MlirOperation op, MlirOperation function) {
  return tool_edit_is(op, "tt.call") &&
         mlirOperationEqual(nereidMlirSymbolTableLookupNearestFrom(op, nereidMlirCallGetCallee(op)), function);
}

/* --- arguments --- */

/* The name of the argument's location; empty: none. */
static MlirStringRef name_of(MlirValue argument) {
  const MlirLocation location = mlirValueGetLocation(argument);
  return mlirLocationIsAName(location) ? mlirIdentifierStr(mlirLocationNameGetName(location))
                                       : mlirStringRefCreate("", 0);
}

static bool is_used(MlirBlock entry, intptr_t index) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(entry, index)));
}

/* Returns the end of the group of arguments from `index` on that have its name: a descriptor, its shape and strides. 0:
 * one of them is used, or `index` is not the first. */
static intptr_t end_of_unused(MlirBlock entry, intptr_t index) {
  const MlirStringRef name = name_of(mlirBlockGetArgument(entry, index));
  const intptr_t n = mlirBlockGetNumArguments(entry);
  intptr_t end = index + 1;
  if (index && name.length && mlirStringRefEqual(name_of(mlirBlockGetArgument(entry, index - 1)), name))
    return 0;
  while (end < n && name.length && mlirStringRefEqual(name_of(mlirBlockGetArgument(entry, end)), name))
    ++end;
  for (intptr_t i = index; i < end; ++i)
    if (is_used(entry, i))
      return 0;
  return end;
}

/* Removes --arg of the kernel's argument; positions after it change. */
static void drop_setting(tool_candidate_t *candidate, intptr_t index, MlirStringRef name) {
  tool_list_t *list = &candidate->settings.arguments;
  const char **items = nereid_arena_new(candidate->arena, const char *, list->size);
  size_t n = 0;
  for (size_t i = 0; items && i < list->size; ++i) {
    const char *item = list->items[i], *equals = strchr(item, '=');
    const size_t length = equals ? (size_t)(equals - item) : 0;
    const bool is_position = length && strspn(item, "0123456789") == length;
    const long position = is_position ? strtol(item, NULL, 10) : -1;
    if (position == index || (length && length == name.length && strncmp(item, name.data, length) == 0))
      continue;
    items[n++] = position > index ? nereid_arena_format(candidate->arena, "%ld%s", position - 1, equals) : item;
  }
  *list = (tool_list_t){items, items ? n : 0};
}

static void erase_argument(tool_candidate_t *candidate, MlirOperation function, intptr_t index) {
  const tool_operations_t list = tool_edit_list(candidate);
  for (size_t i = 0; i < list.size; ++i)
    if (calls(list.data[i], function))
      nereidMlirOperationEraseOperand(list.data[i], index);
  if (nereidMlirFunctionIsPublic(function))
    drop_setting(candidate, index, name_of(mlirBlockGetArgument(entry_of(function), index)));
  drop_attributes(candidate->arena, function, NEREID_ATTR_ARGUMENT_ATTRIBUTES, index);
  mlirBlockEraseArgument(entry_of(function), (unsigned)index);
  set_type(candidate->arena, function, index, -1);
}

static tool_edit_result_t remove_unused(tool_candidate_t *candidate, MlirOperation function, intptr_t index) {
  const intptr_t end = end_of_unused(entry_of(function), index);
  for (intptr_t i = end; i-- > index;)
    erase_argument(candidate, function, i);
  return end ? TOOL_EDIT_DONE : TOOL_EDIT_SKIP;
}

/* Replaces the uses of an argument by 0 or 1, or by another pointer, and removes it if no other has its name. */
static tool_edit_result_t remove_used(tool_candidate_t *candidate, MlirOperation function, intptr_t index, bool one) {
  const MlirBlock entry = entry_of(function);
  const MlirValue argument = mlirBlockGetArgument(entry, index);
  if (!is_used(entry, index))
    return TOOL_EDIT_SKIP;
  const MlirValue value = tool_edit_default(mlirBlockGetFirstOperation(entry), mlirValueGetType(argument), one);
  if (mlirValueIsNull(value) || mlirValueEqual(value, argument))
    return TOOL_EDIT_SKIP;
  mlirValueReplaceAllUsesOfWith(argument, value);
  if (end_of_unused(entry, index) == index + 1)
    erase_argument(candidate, function, index);
  return TOOL_EDIT_DONE;
}

/* Variant 0: an unused argument. Variants 1 and 2: one that is used. */
tool_edit_result_t tool_edit_argument(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const tool_operations_t list = tool_edit_list(candidate);
  size_t position = place->position;
  for (size_t i = 0; i < list.size; ++i) {
    const bool has_body = nereidMlirOperationIsFunction(list.data[i]) && !mlirBlockIsNull(entry_of(list.data[i]));
    const size_t n = has_body ? (size_t)mlirBlockGetNumArguments(entry_of(list.data[i])) : 0;
    const intptr_t index = (intptr_t)(n - 1 - position); /* from the last, so that removal does not skip one */
    if (position < n)
      return place->variant ? remove_used(candidate, list.data[i], index, place->variant == 2)
                            : remove_unused(candidate, list.data[i], index);
    position -= n;
  }
  return TOOL_EDIT_END;
}

/* --- results --- */

/* Replaces a call by one without result `index`, whose uses become the default. */
static bool shorten_call(nereid_arena_t *arena, MlirOperation call, intptr_t index) {
  const intptr_t n = mlirOperationGetNumResults(call);
  MlirType *types = nereid_arena_new(arena, MlirType, (size_t)n);
  MlirValue *operands = nereid_arena_new(arena, MlirValue, (size_t)mlirOperationGetNumOperands(call) + 1);
  const MlirValue old = mlirOperationGetResult(call, index),
                  value = tool_edit_default(call, mlirValueGetType(old), false);
  if (!types || !operands || mlirValueIsNull(value))
    return false;
  MlirOperationState state =
      mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(call)), mlirOperationGetLocation(call));
  intptr_t kept = 0;
  for (intptr_t i = 0; i < n; ++i)
    if (i != index)
      types[kept++] = mlirValueGetType(mlirOperationGetResult(call, i));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    operands[i] = mlirOperationGetOperand(call, i);
  const MlirNamedAttribute callee = mlirNamedAttributeGet(
      mlirIdentifierGet(mlirOperationGetContext(call), nereid_ir_ref("callee")), nereidMlirCallGetCallee(call));
  mlirOperationStateAddResults(&state, kept, types);
  mlirOperationStateAddOperands(&state, mlirOperationGetNumOperands(call), operands);
  mlirOperationStateAddAttributes(&state, 1, &callee);
  const MlirOperation made = mlirOperationCreate(&state);
  if (mlirOperationIsNull(made))
    return false;
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, made);
  mlirValueReplaceAllUsesOfWith(old, value);
  for (intptr_t i = 0, k = 0; i < n; ++i)
    if (i != index)
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(call, i), mlirOperationGetResult(made, k++));
  nereidMlirOperationErase(call);
  return true;
}

static tool_edit_result_t remove_result(tool_candidate_t *candidate, MlirOperation function, intptr_t index) {
  const tool_operations_t list = tool_edit_list(candidate);
  for (size_t i = 0; i < list.size; ++i) {
    if (tool_edit_is(list.data[i], "tt.return") &&
        mlirOperationEqual(mlirOperationGetParentOperation(list.data[i]), function))
      nereidMlirOperationEraseOperand(list.data[i], index);
    else if (calls(list.data[i], function) && !shorten_call(candidate->arena, list.data[i], index))
      return TOOL_EDIT_SKIP;
  }
  drop_attributes(candidate->arena, function, "res_attrs", index);
  set_type(candidate->arena, function, -1, index);
  return TOOL_EDIT_DONE;
}

tool_edit_result_t tool_edit_result(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const tool_operations_t list = tool_edit_list(candidate);
  size_t position = place->position;
  for (size_t i = 0; i < list.size; ++i) {
    if (!nereidMlirOperationIsFunction(list.data[i]) || nereidMlirFunctionIsPublic(list.data[i]))
      continue;
    const size_t n = (size_t)mlirFunctionTypeGetNumResults(nereidMlirFunctionGetType(list.data[i]));
    if (position < n)
      return remove_result(candidate, list.data[i], (intptr_t)position);
    position -= n;
  }
  return TOOL_EDIT_END;
}
