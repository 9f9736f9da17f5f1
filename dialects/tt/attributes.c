/* Verifies discardable attributes of the dialect: hints and switches on arguments, loops and other operations.
 *
 *   tt.func @k(%p: !tt.ptr<f32> {tt.divisibility = "16"})    error: expects ... a positive integer
 *   scf.for ... {tt.num_stages = "3"}                        error: expects ... an integer
 *
 * Passes rely on the kind of these attributes. Unlisted names are accepted. */
#include "bindings/tt_hooks.h"

#include "dialects/diagnose.h"
#include "dialects/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

typedef enum kind {
  KIND_ANY,
  KIND_HINT,    /* a known property of values: a positive integer, or one per dimension */
  KIND_INTEGER, /* a number of iterations, ... */
  KIND_STAGES,  /* a number of stages of a pipelined loop, each with a copy of its body before the loop */
  KIND_SWITCH,  /* unit or bool */
} kind_t;

static const struct {
  const char *name;
  kind_t kind;
} known[] = {
    {"tt.constancy", KIND_HINT},
    {"tt.contiguity", KIND_HINT},
    {"tt.disallow_acc_multi_buffer", KIND_SWITCH},
    {"tt.divisibility", KIND_HINT},
    {"tt.flatten", KIND_SWITCH},
    {NEREID_ATTR_LATENCY, KIND_STAGES},
    {"tt.loop_unroll_factor", KIND_INTEGER},
    {NEREID_ATTR_NUM_STAGES, KIND_STAGES},
    {NEREID_ATTR_SCHEDULED_MAX_STAGE, KIND_STAGES},
    {"tt.self_latency", KIND_STAGES},
    {"tt.warp_specialize", KIND_SWITCH},
};

static bool is_named(MlirNamedAttribute attribute, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(attribute.name), mlirStringRefCreateFromCString(name));
}

static kind_t kind_of(MlirNamedAttribute attribute) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (is_named(attribute, known[i].name))
      return known[i].kind;
  return KIND_ANY;
}

static bool is_hint(MlirAttribute value) {
  if (mlirAttributeIsAInteger(value))
    return mlirIntegerAttrGetValueInt(value) > 0;
  return mlirAttributeIsADenseIntElements(value) || mlirAttributeIsADenseI32Array(value) ||
         mlirAttributeIsADenseI64Array(value);
}

static bool is_integer(MlirAttribute value) {
  return mlirAttributeIsAInteger(value) && !mlirAttributeIsABool(value);
}

/* Returns the expected kind of the attribute; null when it is valid. */
static const char *expected_kind(MlirNamedAttribute attribute) {
  MlirAttribute value = attribute.attribute;
  switch (kind_of(attribute)) {
  case KIND_HINT:
    return is_hint(value) ? NULL : "a positive integer, or one per dimension";
  case KIND_INTEGER:
    return is_integer(value) ? NULL : "an integer";
  case KIND_STAGES:
    return is_integer(value) && mlirIntegerAttrGetValueInt(value) >= 0 &&
                   mlirIntegerAttrGetValueInt(value) <= NEREID_MAX_STAGES
               ? NULL
               : "an integer from 0 to 128"; /* NEREID_MAX_STAGES */
  case KIND_SWITCH:
    return mlirAttributeIsAUnit(value) || mlirAttributeIsABool(value) ? NULL : "a unit attribute or a bool";
  default:
    return NULL;
  }
}

MlirLogicalResult nereid_tt_operation_attribute_verify(MlirOperation op, MlirNamedAttribute attribute) {
  const char *expected = expected_kind(attribute);
  if (!expected)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects %s to be %s, got %s",
                         nereid_text_of_string(mlirIdentifierStr(attribute.name)).chars, expected,
                         nereid_text_of_attribute(attribute.attribute).chars);
}

/* Returns whether the attribute requests a by-value TMA descriptor; other values or types do not. */
static bool asks_for_descriptor(MlirAttribute value) {
  return mlirAttributeIsAInteger(value) && mlirTypeIsAInteger(mlirAttributeGetType(value)) &&
         mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) == 32 && mlirIntegerAttrGetValueInt(value) == 1;
}

static bool is_private(MlirOperation function) {
  MlirAttribute visibility = nereid_ir_attribute(function, NEREID_ATTR_SYMBOL_VISIBILITY);
  return !mlirAttributeIsNull(visibility) && mlirAttributeIsAString(visibility) &&
         !mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("public"));
}

MlirLogicalResult nereid_tt_argument_attribute_verify(MlirOperation op, unsigned region, unsigned argument,
                                                      MlirNamedAttribute attribute) {
  (void)region;
  const char *expected = expected_kind(attribute);
  if (expected)
    return nereid_diagnose(op, "expects %s of argument #%u to be %s, got %s",
                           nereid_text_of_string(mlirIdentifierStr(attribute.name)).chars, argument, expected,
                           nereid_text_of_attribute(attribute.attribute).chars);
  if (is_named(attribute, NEREID_ATTR_TMA_DESCRIPTOR) && asks_for_descriptor(attribute.attribute) && is_private(op))
    return nereid_diagnose(
        op,
        "has tt.nv_tma_desc on argument #%u but is not a kernel: only public functions are launched with descriptors",
        argument);
  return mlirLogicalResultSuccess();
}
