/* Verifies the locations of attributes of the nereid dialect and their consistency with the IR.
 *
 *   tt.func private @f(%n: i32) attributes {nereid.grid = #nereid.grid<affine_map<(d0) -> (d0)>, args = [0]>}
 *     -> error: nereid.grid specifies the launch of a kernel and expects a public function
 *
 * Attributes are checked whenever a module is verified, so a wrong one is reported in the IR and not at launch.
 * Arguments of declarations have attributes but no values: their types are not checked. */
#include "bindings/nereid_hooks.h"

#include "dialects/diagnose.h"
#include "dialects/ir.h"

#include "nereid/dialects/nereid.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Dialect/LLVM.h>

static bool is_named(MlirNamedAttribute attribute, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(attribute.name), mlirStringRefCreateFromCString(name));
}

static MlirLogicalResult unknown(MlirOperation op, MlirNamedAttribute attribute, const char *place) {
  return nereid_diagnose(op, "has the attribute %s = %s; the nereid dialect has no such attribute on %s",
                         nereid_text_of_string(mlirIdentifierStr(attribute.name)).chars,
                         nereid_text_of_attribute(attribute.attribute).chars, place);
}

/*===-- on a module ---------------------------------------------------------------------------------------------===*/

/* An option of the launch and the equivalent attribute of ttg. */
typedef struct option {
  const char *name, *attribute;
  int value;
  bool is_limit;   /* passes may lower it */
  bool may_double; /* convert-triton-to-tritongpu may double it */
} option_t;

static bool agrees(const option_t *option, int64_t said) {
  return said == option->value || (option->is_limit && said < option->value) ||
         (option->may_double && said == 2 * option->value);
}

static MlirLogicalResult verify_options(MlirOperation module, MlirAttribute options) {
  if (!mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(module)),
                          mlirStringRefCreateFromCString("builtin.module")))
    return nereid_diagnose(module, "has nereid.options, which is expected on a module");
  const option_t rows[] = {
      {"num_warps", "ttg.num-warps", nereid_nereid_launch_options_attr_get_num_warps(options), false, true},
      {"num_ctas", "ttg.num-ctas", nereid_nereid_launch_options_attr_get_num_ctas(options), false, false},
      {"maxnreg", "ttg.maxnreg", nereid_nereid_launch_options_attr_get_maxnreg(options), true, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    MlirAttribute said = nereid_ir_attribute(module, rows[i].attribute);
    if (rows[i].value == 0 || mlirAttributeIsNull(said) || !mlirAttributeIsAInteger(said) ||
        agrees(&rows[i], mlirIntegerAttrGetValueInt(said)))
      continue;
    return nereid_diagnose(module, "has nereid.options with %s = %d, which contradicts %s = %d", rows[i].name,
                           rows[i].value, rows[i].attribute, (int)mlirIntegerAttrGetValueInt(said));
  }
  return mlirLogicalResultSuccess();
}

/*===-- on a kernel ---------------------------------------------------------------------------------------------===*/

static bool is_function(MlirOperation op) {
  return nereid_ir_has_attribute(op, NEREID_ATTR_FUNCTION_TYPE) && mlirOperationGetNumRegions(op) == 1;
}

static bool is_public(MlirOperation function) {
  MlirAttribute visibility = nereid_ir_attribute(function, NEREID_ATTR_SYMBOL_VISIBILITY);
  return mlirAttributeIsNull(visibility) || !mlirAttributeIsAString(visibility) ||
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("public"));
}

static MlirBlock entry_of(MlirOperation function) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

static MlirLogicalResult verify_grid(MlirOperation function, MlirAttribute grid) {
  if (!is_function(function) || !is_public(function))
    return nereid_diagnose(
        function, "has nereid.grid, which specifies the launch of a kernel and is expected on a public function");
  MlirBlock entry = entry_of(function);
  MlirAttribute positions = nereid_nereid_grid_attr_get_args(grid);
  for (intptr_t i = 0; !mlirBlockIsNull(entry) && i < mlirDenseArrayGetNumElements(positions); ++i) {
    int32_t position = mlirDenseI32ArrayGetElement(positions, i);
    intptr_t count = mlirBlockGetNumArguments(entry);
    if (position >= count)
      return nereid_diagnose(function, "has nereid.grid with argument position %d, but %d arguments", position,
                             (int)count);
    MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, position));
    if (!mlirTypeIsAInteger(type))
      return nereid_diagnose(function, "has nereid.grid with argument %d, of type %s, and expects an integer", position,
                             nereid_text_of_type(type).chars);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_nereid_operation_attribute_verify(MlirOperation op, MlirNamedAttribute attribute) {
  if (is_named(attribute, "nereid.options") && nereid_nereid_launch_options_attr_isa(attribute.attribute))
    return verify_options(op, attribute.attribute);
  if (is_named(attribute, "nereid.grid") && nereid_nereid_grid_attr_isa(attribute.attribute))
    return verify_grid(op, attribute.attribute);
  if (is_named(attribute, "nereid.metadata") && mlirAttributeIsAString(attribute.attribute))
    return mlirLogicalResultSuccess();
  return unknown(op, attribute,
                 "operations (nereid.options = #nereid.launch_options<...>, nereid.grid = "
                 "#nereid.grid<...>, nereid.metadata = \"...\")");
}

/*===-- on an argument ------------------------------------------------------------------------------------------===*/

static bool is_pointer(MlirType type) {
  return nereid_tt_ptr_type_isa(type) || mlirTypeIsALLVMPointerType(type);
}

static bool is_integer(MlirType type, unsigned width) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == width;
}

/* Returns the expected type of an argument of role `kind`, or null when `type` is valid. */
static const char *expected_instead_of(MlirType type, nereid_nereid_role_kind_t kind) {
  switch (kind) {
  case NEREID_NEREID_ROLE_KIND_DESCRIPTOR:
    return nereid_tt_tensordesc_type_isa(type) || is_pointer(type) ? NULL : "!tt.tensordesc or a pointer";
  case NEREID_NEREID_ROLE_KIND_SHAPE:
    return is_integer(type, 32) || is_integer(type, 64) ? NULL : "i32 or i64";
  case NEREID_NEREID_ROLE_KIND_STRIDE:
    return is_integer(type, 64) ? NULL : "i64";
  case NEREID_NEREID_ROLE_KIND_PADDING:
    return is_integer(type, 1) ? NULL : "i1";
  default:
    return is_pointer(type) ? NULL : "a pointer";
  }
}

/* Counts the arguments of `function` that are the head of descriptor `group`: the descriptor itself or its base
 * pointer. */
static int count_heads(MlirOperation function, int group) {
  MlirAttribute all = nereid_ir_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES);
  int count = 0;
  for (intptr_t i = 0; !mlirAttributeIsNull(all) && i < mlirArrayAttrGetNumElements(all); ++i) {
    MlirAttribute role = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, i),
                                                            mlirStringRefCreateFromCString("nereid.role"));
    if (mlirAttributeIsNull(role) || !nereid_nereid_role_attr_isa(role) ||
        nereid_nereid_role_attr_get_group(role) != group)
      continue;
    nereid_nereid_role_kind_t kind = nereid_nereid_role_attr_get_kind(role);
    count += kind == NEREID_NEREID_ROLE_KIND_DESCRIPTOR || kind == NEREID_NEREID_ROLE_KIND_BASE;
  }
  return count;
}

static MlirLogicalResult verify_role(MlirOperation function, unsigned argument, MlirType type, MlirAttribute role) {
  const char *expected =
      mlirTypeIsNull(type) ? NULL : expected_instead_of(type, nereid_nereid_role_attr_get_kind(role));
  if (expected)
    return nereid_diagnose(function, "has argument %u of type %s with %s, which expects %s", argument,
                           nereid_text_of_type(type).chars, nereid_text_of_attribute(role).chars, expected);
  int group = nereid_nereid_role_attr_get_group(role);
  int heads = group < 0 ? 1 : count_heads(function, group);
  if (heads == 1)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(function,
                         "has argument %u in descriptor group %d, which expects exactly one argument with role "
                         "descriptor or base, got %d",
                         argument, group, heads);
}

static MlirLogicalResult verify_descriptor(MlirOperation function, unsigned argument, MlirType type) {
  if (mlirTypeIsNull(type) || is_pointer(type) || nereid_tt_tensordesc_type_isa(type))
    return mlirLogicalResultSuccess();
  return nereid_diagnose(function,
                         "has argument %u of type %s with nereid.descriptor, which expects !tt.tensordesc or a "
                         "pointer",
                         argument, nereid_text_of_type(type).chars);
}

MlirLogicalResult nereid_nereid_argument_attribute_verify(MlirOperation op, unsigned region, unsigned argument,
                                                          MlirNamedAttribute attribute) {
  if (region != 0 || !is_function(op) || !is_public(op))
    return nereid_diagnose(op, "has %s on argument %u, which the launcher sets: it is expected on a public function",
                           nereid_text_of_string(mlirIdentifierStr(attribute.name)).chars, argument);
  MlirBlock entry = entry_of(op);
  bool has_value = !mlirBlockIsNull(entry) && argument < mlirBlockGetNumArguments(entry);
  MlirType type = has_value ? mlirValueGetType(mlirBlockGetArgument(entry, argument)) : (MlirType){NULL};
  if (is_named(attribute, "nereid.role") && nereid_nereid_role_attr_isa(attribute.attribute))
    return verify_role(op, argument, type, attribute.attribute);
  if (is_named(attribute, "nereid.descriptor") && nereid_nereid_descriptor_attr_isa(attribute.attribute))
    return verify_descriptor(op, argument, type);
  return unknown(op, attribute,
                 "arguments (nereid.role = #nereid.role<...>, nereid.descriptor = "
                 "#nereid.descriptor<...>)");
}
