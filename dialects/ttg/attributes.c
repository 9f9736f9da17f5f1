/* Verifies attributes `ttg.*` on operations: their location and value.
 *
 *   tt.func @f() attributes {"ttg.num-ctas" = 2 : i32}   ->   error: ttg.num-ctas is for modules only
 *
 * ttg.partition lists the partitions of a warp-specialized loop to which an operation belongs; ttg.partition.outputs
 * lists, for each result, the partitions that use it. ttg.partition.slots is the size of a ring, ttg.partition.warps
 * lists the warps of the partitions of a loop. */
#include "bindings/ttg_hooks.h"

#include "dialects/diagnose.h"
#include "dialects/ir.h"

#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <string.h>

enum { MAX_SLOTS = 128, MAX_WARPS = 32 };

typedef struct rule {
  const char *name;
  bool function; /* also allowed on a tt.func */
  bool number;   /* a positive i32; else a string */
} rule_t;

static const rule_t rules[] = {
    {"ttg.num-warps", true, true},         {"ttg.num-ctas", false, true}, {"ttg.target", false, false},
    {"ttg.threads-per-warp", false, true}, {"ttg.maxnreg", false, true},  {"ttg.total-num-warps", false, true},
};

static bool is_named(MlirStringRef name, const char *expected) {
  return mlirStringRefEqual(name, mlirStringRefCreateFromCString(expected));
}

static MlirLogicalResult verify_rule(MlirOperation op, const rule_t *rule, MlirAttribute value) {
  bool module = is_named(mlirIdentifierStr(mlirOperationGetName(op)), "builtin.module");
  if (!module && !(rule->function && nereid_op_kind(op) == NEREID_OP_TT_FUNC))
    return nereid_diagnose(op, "has attribute %s, which is for modules%s only", rule->name,
                           rule->function ? " and tt.func" : "");
  if (!rule->number)
    return mlirAttributeIsAString(value) ? mlirLogicalResultSuccess()
                                         : nereid_diagnose(op, "%s must be a string", rule->name);
  if (!mlirAttributeIsAInteger(value) || !mlirTypeIsAInteger(mlirAttributeGetType(value)) ||
      mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) != 32 || mlirIntegerAttrGetValueInt(value) <= 0)
    return nereid_diagnose(op, "%s must be a positive i32", rule->name);
  return mlirLogicalResultSuccess();
}

/* Verifies that partitions are listed once each, in order. */
static MlirLogicalResult verify_partitions(MlirOperation op, const char *name, MlirAttribute value) {
  if (!mlirAttributeIsADenseI32Array(value) || mlirDenseArrayGetNumElements(value) == 0)
    return nereid_diagnose(op, "%s must be an i32 array of at least one partition", name);
  for (intptr_t i = 1; i < mlirDenseArrayGetNumElements(value); i++)
    if (mlirDenseI32ArrayGetElement(value, i - 1) >= mlirDenseI32ArrayGetElement(value, i))
      return nereid_diagnose(op, "%s must list each partition once, in ascending order", name);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult verify_slots(MlirOperation op, MlirAttribute value) {
  if (mlirAttributeIsAInteger(value) && !mlirAttributeIsABool(value) && mlirIntegerAttrGetValueInt(value) >= 1 &&
      mlirIntegerAttrGetValueInt(value) <= MAX_SLOTS)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "ttg.partition.slots must be an integer from 1 to %d", (int)MAX_SLOTS);
}

static MlirLogicalResult verify_warps(MlirOperation op, MlirAttribute value) {
  bool valid = mlirAttributeIsADenseI32Array(value);
  for (intptr_t i = 0; valid && i < mlirDenseArrayGetNumElements(value); i++) {
    const int32_t warps = mlirDenseI32ArrayGetElement(value, i);
    valid = warps >= 1 && warps <= MAX_WARPS && (warps & (warps - 1)) == 0;
  }
  return valid ? mlirLogicalResultSuccess()
               : nereid_diagnose(op, "ttg.partition.warps must be an i32 array of powers of two up to %d",
                                 (int)MAX_WARPS);
}

static bool contains(MlirAttribute partitions, int32_t partition) {
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(partitions); i++)
    if (mlirDenseI32ArrayGetElement(partitions, i) == partition)
      return true;
  return false;
}

static MlirLogicalResult verify_outputs(MlirOperation op, MlirAttribute value) {
  static const char name[] = "ttg.partition.outputs";
  MlirAttribute own = nereid_ir_attribute(op, "ttg.partition");
  if (!mlirAttributeIsAArray(value) || mlirArrayAttrGetNumElements(value) != mlirOperationGetNumResults(op))
    return nereid_diagnose(op, "%s must be an array with one entry per result", name);
  if (mlirAttributeIsNull(own) || !mlirAttributeIsADenseI32Array(own))
    return nereid_diagnose(op, "%s requires ttg.partition on the same operation", name);
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(value); i++) {
    MlirAttribute entry = mlirArrayAttrGetElement(value, i);
    if (mlirLogicalResultIsFailure(verify_partitions(op, name, entry)))
      return mlirLogicalResultFailure();
    for (intptr_t k = 0; k < mlirDenseArrayGetNumElements(entry); k++)
      if (!contains(own, mlirDenseI32ArrayGetElement(entry, k)))
        return nereid_diagnose(op, "%s contains partition %d, which ttg.partition does not list", name,
                               mlirDenseI32ArrayGetElement(entry, k));
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttg_operation_attribute_verify(MlirOperation op, MlirNamedAttribute attribute) {
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (is_named(name, rules[i].name))
      return verify_rule(op, &rules[i], attribute.attribute);
  if (is_named(name, "ttg.partition") && mlirAttributeIsADenseI32Array(attribute.attribute))
    return verify_partitions(op, "ttg.partition", attribute.attribute);
  if (is_named(name, "ttg.partition.slots"))
    return verify_slots(op, attribute.attribute);
  if (is_named(name, "ttg.partition.warps"))
    return verify_warps(op, attribute.attribute);
  if (is_named(name, "ttg.partition.outputs"))
    return verify_outputs(op, attribute.attribute);
  return mlirLogicalResultSuccess();
}
