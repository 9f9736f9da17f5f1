/* Builds an operation; called by every generated builder.
 *
 *   nereid_arith_addi_build(b, x, y, ...)  ->  begin, operand x, operand y, attributes, end  ->  %0 = arith.addi %x, %y
 *
 * mlirOperationCreate silently drops an inherent attribute of the wrong kind. Attributes from the caller are therefore
 * checked twice: before creation, when the kind has a test in C, and after creation, by reading them from the
 * operation. */
#include "python-free-bindings/compile/build.h"

#include "seam/bindings.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

__attribute__((format(printf, 2, 3))) static void fail(nereid_build_t *build, const char *format, ...) {
  if (build->failed)
    return;
  build->failed = true;
  char message[512];
  int used = snprintf(message, sizeof message, "'%.*s' op ", (int)build->state.name.length, build->state.name.data);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
  va_end(arguments);
  mlirEmitError(build->builder->location, message);
}

void nereid_build_begin(nereid_build_t *build, const nereid_builder_t *builder, const char *name) {
  build->builder = builder;
  build->context = mlirLocationGetContext(builder->location);
  build->state = mlirOperationStateGet(text(name), builder->location);
  build->operand_groups = build->result_groups = build->given_count = build->property_count = 0;
  build->failed = false;
}

void nereid_build_result(nereid_build_t *build, const char *name, MlirType type, bool optional) {
  bool present = !mlirTypeIsNull(type);
  if (!present && !optional)
    fail(build, "requires a type for result '%s'", name);
  if (present && !build->failed)
    mlirOperationStateAddResults(&build->state, 1, &type);
  build->result_segments[build->result_groups++] = present;
}

void nereid_build_results(nereid_build_t *build, const char *name, intptr_t n, const MlirType *types) {
  for (intptr_t i = 0; i < n && !build->failed; i++)
    if (mlirTypeIsNull(types[i]))
      fail(build, "requires a type for each of the results '%s'; number %td is null", name, (ptrdiff_t)i);
  if (n && !build->failed)
    mlirOperationStateAddResults(&build->state, n, types);
  build->result_segments[build->result_groups++] = (int32_t)n;
}

void nereid_build_result_like(nereid_build_t *build, MlirValue value) {
  if (build->failed)
    return;
  MlirType type = mlirValueGetType(value);
  mlirOperationStateAddResults(&build->state, 1, &type);
  build->result_segments[build->result_groups++] = 1;
}

void nereid_build_operand(nereid_build_t *build, const char *name, MlirValue value) {
  if (mlirValueIsNull(value))
    fail(build, "requires operand '%s'", name);
  nereid_build_optional(build, value);
}

void nereid_build_optional(nereid_build_t *build, MlirValue value) {
  bool present = !mlirValueIsNull(value);
  if (present && !build->failed)
    mlirOperationStateAddOperands(&build->state, 1, &value);
  build->operand_segments[build->operand_groups++] = present;
}

void nereid_build_operands(nereid_build_t *build, const char *name, intptr_t n, const MlirValue *values) {
  for (intptr_t i = 0; i < n && !build->failed; i++)
    if (mlirValueIsNull(values[i]))
      fail(build, "requires each of the operands '%s'; number %td is null", name, (ptrdiff_t)i);
  if (n && !build->failed)
    mlirOperationStateAddOperands(&build->state, n, values);
  build->operand_segments[build->operand_groups++] = (int32_t)n;
}

void nereid_build_made(nereid_build_t *build, const char *name, MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute))
    fail(build, "attribute '%s' has an invalid value", name);
  if (build->failed)
    return;
  MlirNamedAttribute named = mlirNamedAttributeGet(mlirIdentifierGet(build->context, text(name)), attribute);
  mlirOperationStateAddAttributes(&build->state, 1, &named);
}

void nereid_build_given(nereid_build_t *build, const char *name, MlirAttribute attribute, bool required,
                        nereid_build_kind_t kind, const char *expected) {
  if (build->failed)
    return;
  if (mlirAttributeIsNull(attribute)) {
    if (required)
      fail(build, "requires attribute '%s': %s", name, expected);
    return;
  }
  if (kind && !kind(attribute)) {
    fail(build, "attribute '%s' is of the wrong kind; expected %s", name, expected);
    return;
  }
  MlirNamedAttribute named = mlirNamedAttributeGet(mlirIdentifierGet(build->context, text(name)), attribute);
  mlirOperationStateAddAttributes(&build->state, 1, &named);
  build->given[build->given_count++] = named;
}

void nereid_build_unit(nereid_build_t *build, const char *name, bool value) {
  if (value)
    nereid_build_made(build, name, mlirUnitAttrGet(build->context));
}

void nereid_build_bool(nereid_build_t *build, const char *name, bool value) {
  nereid_build_made(build, name, mlirBoolAttrGet(build->context, value));
}

void nereid_build_integer(nereid_build_t *build, const char *name, unsigned bits, int64_t value) {
  nereid_build_made(build, name, mlirIntegerAttrGet(mlirIntegerTypeGet(build->context, bits), value));
}

void nereid_build_index(nereid_build_t *build, const char *name, int64_t value) {
  nereid_build_made(build, name, mlirIntegerAttrGet(mlirIndexTypeGet(build->context), value));
}

void nereid_build_string(nereid_build_t *build, const char *name, MlirStringRef value) {
  nereid_build_made(build, name, mlirStringAttrGet(build->context, value));
}

void nereid_build_symbol(nereid_build_t *build, const char *name, MlirStringRef value) {
  nereid_build_made(build, name, mlirFlatSymbolRefAttrGet(build->context, value));
}

void nereid_build_i32_array(nereid_build_t *build, const char *name, intptr_t n, const int32_t *values) {
  nereid_build_made(build, name, mlirDenseI32ArrayGet(build->context, n, values));
}

void nereid_build_i64_array(nereid_build_t *build, const char *name, intptr_t n, const int64_t *values) {
  nereid_build_made(build, name, mlirDenseI64ArrayGet(build->context, n, values));
}

void nereid_build_property(nereid_build_t *build, const char *name, MlirAttribute attribute) {
  if (build->failed || mlirAttributeIsNull(attribute))
    return;
  build->properties[build->property_count].name = name;
  build->properties[build->property_count++].value = attribute;
}

void nereid_build_property_integer(nereid_build_t *build, const char *name, unsigned bits, int64_t value,
                                   int64_t default_value) {
  if (!build->failed && value != default_value)
    nereid_build_property(build, name, mlirIntegerAttrGet(mlirIntegerTypeGet(build->context, bits), value));
}

void nereid_build_regions(nereid_build_t *build, intptr_t n) {
  for (intptr_t i = 0; i < n && !build->failed; i++) {
    MlirRegion region = mlirRegionCreate();
    mlirOperationStateAddOwnedRegions(&build->state, 1, &region);
  }
}

void nereid_build_successor(nereid_build_t *build, const char *name, MlirBlock block) {
  nereid_build_successors(build, name, 1, &block);
}

void nereid_build_successors(nereid_build_t *build, const char *name, intptr_t n, const MlirBlock *blocks) {
  for (intptr_t i = 0; i < n && !build->failed; i++)
    if (mlirBlockIsNull(blocks[i]))
      fail(build, "requires successor '%s'", name);
  if (n && !build->failed)
    mlirOperationStateAddSuccessors(&build->state, n, blocks);
}

/* Frees the parts of the state, which mlirOperationCreate would have done; MLIR has no function for this. */
static void abandon(MlirOperationState *state) {
  for (intptr_t i = 0; i < state->nRegions; i++)
    mlirRegionDestroy(state->regions[i]);
  free(state->results);
  free(state->operands);
  free(state->regions);
  free(state->successors);
  free(state->attributes);
}

static void check_given(nereid_build_t *build, MlirOperation op) {
  for (int i = 0; i < build->given_count; i++) {
    MlirStringRef name = mlirIdentifierStr(build->given[i].name);
    if (mlirOperationHasInherentAttributeByName(op, name) &&
        !mlirAttributeEqual(mlirOperationGetInherentAttributeByName(op, name), build->given[i].attribute))
      fail(build, "attribute '%.*s' is of a kind that the operation does not accept", (int)name.length, name.data);
  }
}

static void set_properties(nereid_build_t *build, MlirOperation op) {
  for (int i = 0; i < build->property_count && !build->failed; i++)
    build->failed = mlirLogicalResultIsFailure(
        nereidMlirOperationSetProperty(op, text(build->properties[i].name), build->properties[i].value));
}

MlirOperation nereid_build_end(nereid_build_t *build, int flags) {
  if (flags & NEREID_BUILD_OPERAND_SEGMENTS)
    nereid_build_i32_array(build, "operandSegmentSizes", build->operand_groups, build->operand_segments);
  if (flags & NEREID_BUILD_RESULT_SEGMENTS)
    nereid_build_i32_array(build, "resultSegmentSizes", build->result_groups, build->result_segments);
  if (build->failed) {
    abandon(&build->state);
    return (MlirOperation){NULL};
  }
  if (flags & NEREID_BUILD_INFER)
    mlirOperationStateEnableResultTypeInference(&build->state);
  MlirOperation op = mlirOperationCreate(&build->state);
  if (mlirOperationIsNull(op))
    return op;
  check_given(build, op);
  set_properties(build, op);
  if (build->failed) {
    mlirOperationDestroy(op);
    return (MlirOperation){NULL};
  }
  if (!mlirBlockIsNull(build->builder->block))
    mlirBlockInsertOwnedOperationBefore(build->builder->block, build->builder->before, op);
  return op;
}

MlirAttribute nereid_build_get(MlirOperation op, const char *name) {
  return mlirOperationGetInherentAttributeByName(op, text(name));
}

MlirAttribute nereid_build_get_property(MlirOperation op, const char *name) {
  return nereidMlirOperationGetProperty(op, text(name));
}

intptr_t nereid_build_segment(MlirOperation op, const char *segments, int group, intptr_t *out_size) {
  MlirAttribute sizes = nereid_build_get(op, segments);
  intptr_t start = 0;
  for (int i = 0; i < group; i++)
    start += mlirDenseI32ArrayGetElement(sizes, i);
  *out_size = mlirDenseI32ArrayGetElement(sizes, group);
  return start;
}

int64_t nereid_build_get_integer(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return 0;
  MlirType type = mlirAttributeGetType(attribute);
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type))
    return (int64_t)mlirIntegerAttrGetValueUInt(attribute);
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSigned(type))
    return mlirIntegerAttrGetValueSInt(attribute);
  return mlirIntegerAttrGetValueInt(attribute);
}

bool nereid_build_get_bool(MlirAttribute attribute) {
  return !mlirAttributeIsNull(attribute) && mlirAttributeIsABool(attribute) && mlirBoolAttrGetValue(attribute);
}

MlirStringRef nereid_build_get_string(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return mlirStringRefCreate(NULL, 0);
  return mlirStringAttrGetValue(attribute);
}

MlirStringRef nereid_build_get_symbol(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAFlatSymbolRef(attribute))
    return mlirStringRefCreate(NULL, 0);
  return mlirFlatSymbolRefAttrGetValue(attribute);
}

MlirType nereid_build_get_type(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAType(attribute))
    return (MlirType){NULL};
  return mlirTypeAttrGetValue(attribute);
}
