/* Writes properties of arguments into the kernel, before its first pass.
 *
 *   @k(%x: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}, %s: i32)      divisible, generic, one
 *   ->
 *   @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %s: i32)      %s is replaced by arith.constant 1
 *
 * Arguments keep their places: the launcher passes the same parameters to each variant. */
#include "python-free-bindings/compile/session.h"

#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static const char divisibility[] = "tt.divisibility";

static bool is_integer(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) >= 8;
}

/* Returns the dictionary of an argument with the attribute `divisibility` set to 16, or without it. */
static MlirAttribute with_divisibility(nereid_compilation_t *compilation, MlirAttribute old, bool is_divisible) {
  MlirContext context = mlirOperationGetContext(compilation->module);
  const intptr_t n = mlirAttributeIsNull(old) ? 0 : mlirDictionaryAttrGetNumElements(old);
  MlirNamedAttribute *all = nereid_arena_new(&compilation->scratch, MlirNamedAttribute, (size_t)n + 1);
  intptr_t count = 0;
  if (!all)
    return (MlirAttribute){NULL};
  for (intptr_t i = 0; i < n; ++i) {
    all[count] = mlirDictionaryAttrGetElement(old, i);
    count += !mlirStringRefEqual(mlirIdentifierStr(all[count].name), nereid_ir_ref(divisibility));
  }
  if (is_divisible)
    all[count++] = mlirNamedAttributeGet(mlirIdentifierGet(context, nereid_ir_ref(divisibility)),
                                         mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), 16));
  return mlirDictionaryAttrGet(context, count, all);
}

/* Replaces the uses of an argument by a constant at the start of the kernel. */
static void replace(MlirValue argument, MlirBlock entry, nereid_property_t property) {
  const MlirType type = mlirValueGetType(argument);
  const nereid_builder_t builder = {mlirValueGetLocation(argument), entry, mlirBlockGetFirstOperation(entry)};
  MlirValue value;
  if (property == NEREID_PROPERTY_ONE) {
    value = nereid_arith_constant_get_result(nereid_arith_constant_build(&builder, mlirIntegerAttrGet(type, 1)));
  } else {
    MlirType i64 = mlirIntegerTypeGet(mlirTypeGetContext(type), 64);
    MlirValue zero =
        nereid_arith_constant_get_result(nereid_arith_constant_build(&builder, mlirIntegerAttrGet(i64, 0)));
    value = nereid_tt_int_to_ptr_get_result(nereid_tt_int_to_ptr_build(&builder, type, zero));
  }
  mlirValueReplaceAllUsesOfWith(argument, value);
}

static bool applies(nereid_property_t property, MlirType type) {
  switch (property) {
  case NEREID_PROPERTY_ONE:
    return is_integer(type);
  case NEREID_PROPERTY_NULL:
    return nereid_tt_ptr_type_isa(type);
  case NEREID_PROPERTY_GENERIC:
  case NEREID_PROPERTY_DIVISIBLE:
    return is_integer(type) || nereid_tt_ptr_type_isa(type);
  case NEREID_PROPERTY_AS_WRITTEN:
    break;
  }
  return false;
}

/* The property of each argument of the kernel's function. A descriptor's parts have no entry in the option. */
static uint8_t *properties_of(nereid_compilation_t *compilation, MlirBlock entry, intptr_t n) {
  const nereid_compile_options_t *options = &compilation->options;
  uint8_t *properties = nereid_arena_new(&compilation->scratch, uint8_t, (size_t)n);
  size_t next = 0;
  for (intptr_t i = 0; properties && i < n && next < options->n_properties; i += 1 + nereid_argument_parts(entry, i))
    properties[i] = options->properties[next++];
  return properties;
}

/* Returns the dictionary of an argument for its property; null when out of memory. */
static MlirAttribute specialize_argument(nereid_compilation_t *compilation, MlirOperation function, MlirBlock entry,
                                         intptr_t index, nereid_property_t property) {
  MlirAttribute attributes = nereid_ir_argument_attributes(function, index);
  MlirValue argument = mlirBlockGetArgument(entry, index);
  if (!applies(property, mlirValueGetType(argument)))
    return mlirAttributeIsNull(attributes) ? mlirDictionaryAttrGet(mlirOperationGetContext(function), 0, NULL)
                                           : attributes;
  if (property == NEREID_PROPERTY_ONE || property == NEREID_PROPERTY_NULL)
    replace(argument, entry, property);
  return with_divisibility(compilation, attributes, property == NEREID_PROPERTY_DIVISIBLE);
}

static nereid_status_t specialize(nereid_compilation_t *compilation, MlirOperation function) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  const intptr_t n = mlirBlockGetNumArguments(entry);
  const uint8_t *properties = properties_of(compilation, entry, n);
  MlirAttribute *all = nereid_arena_new(&compilation->scratch, MlirAttribute, (size_t)n);
  for (intptr_t i = 0; all && properties && i < n; ++i)
    all[i] = specialize_argument(compilation, function, entry, i, (nereid_property_t)properties[i]);
  if (compilation->scratch.failed)
    return NEREID_ERROR_MEMORY;
  nereid_ir_set_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES,
                          mlirArrayAttrGet(mlirOperationGetContext(function), n, all));
  return NEREID_OK;
}

nereid_status_t nereid_specialize(nereid_compilation_t *compilation) {
  const nereid_compile_options_t *options = &compilation->options;
  size_t n_set = 0;
  for (size_t i = 0; i < options->n_properties; ++i)
    n_set += options->properties[i] != NEREID_PROPERTY_AS_WRITTEN;
  if (!n_set)
    return NEREID_OK;
  if (compilation->stage > NEREID_STAGE_TTGIR)
    return nereid_report(&compilation->compiler->report, NEREID_ERROR_ARGUMENT,
                         "properties of arguments require ttir or ttgir; '%s' is %s", compilation->name,
                         nereid_stage_name(compilation->stage));
  return specialize(compilation, nereid_kernel_function(compilation));
}
