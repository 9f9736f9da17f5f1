/* Checkers of properties; see properties.h. */
#include "passes/properties.h"

#include "analysis/allocation/scratch.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <string.h>

/* Whether `op` alone has the property. */
typedef bool (*checker_t)(MlirOperation op);

static bool is_of_dialect(MlirOperation op, const char *dialect) {
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const size_t length = strlen(dialect);
  return name.length > length && !memcmp(name.data, dialect, length) && name.data[length] == '.';
}

/* Whether `accepts` holds for the types of the results of `op` and of the arguments of its blocks. */
static bool all_types(MlirOperation op, bool (*accepts)(MlirType type)) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!accepts(mlirValueGetType(mlirOperationGetResult(op, i))))
      return false;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        if (!accepts(mlirValueGetType(mlirBlockGetArgument(block, i))))
          return false;
  return true;
}

/* --- one checker for each property --- */

static bool check_thread_grid(MlirOperation op) {
  return !mlirOperationIsNull(mlirOperationGetParentOperation(op)) || nereid_ir_has_attribute(op, "ttg.num-warps");
}

static bool has_encoding(MlirType type) {
  return !mlirTypeIsARankedTensor(type) || !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
}

static bool check_layouts(MlirOperation op) {
  return all_types(op, has_encoding);
}

static bool is_not_block_pointer(MlirType type) {
  return !nereid_tt_ptr_type_isa(type) || !mlirTypeIsARankedTensor(nereid_tt_ptr_type_get_pointee_type(type));
}

static bool check_no_block_pointers(MlirOperation op) {
  return all_types(op, is_not_block_pointer);
}

static bool check_no_descriptors(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR:
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
  case NEREID_OP_TT_DESCRIPTOR_STORE:
  case NEREID_OP_TT_DESCRIPTOR_GATHER:
  case NEREID_OP_TT_DESCRIPTOR_SCATTER:
  case NEREID_OP_TT_DESCRIPTOR_REDUCE:
    return false;
  default:
    return true;
  }
}

static bool check_no_scf(MlirOperation op) {
  return !is_of_dialect(op, "scf");
}

static bool is_integer_up_to(MlirAttribute value, int64_t limit) {
  return !mlirAttributeIsNull(value) && mlirAttributeIsAInteger(value) && mlirIntegerAttrGetValueInt(value) >= 0 &&
         mlirIntegerAttrGetValueInt(value) <= limit;
}

/* For an operation of a scheduled loop; the terminator has no stage. */
static bool check_schedule(MlirOperation op) {
  MlirOperation loop = mlirOperationGetParentOperation(op);
  MlirAttribute last =
      mlirOperationIsNull(loop) ? (MlirAttribute){NULL} : nereid_ir_attribute(loop, NEREID_ATTR_SCHEDULED_MAX_STAGE);
  if (mlirAttributeIsNull(last) || nereid_op_kind(op) == NEREID_OP_SCF_YIELD)
    return true;
  return mlirAttributeIsAInteger(last) &&
         is_integer_up_to(nereid_ir_attribute(op, NEREID_ATTR_LOOP_STAGE), mlirIntegerAttrGetValueInt(last)) &&
         nereid_ir_has_attribute(op, NEREID_ATTR_LOOP_CLUSTER);
}

static bool check_warp_groups(MlirOperation op) {
  return nereid_op_kind(op) != NEREID_OP_TTG_WARP_SPECIALIZE || nereid_ir_has_attribute(op, "warpGroupStartIds");
}

/* Scratch follows from encodings: an operation on tensors without encodings has none yet. */
static bool has_encodings(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!has_encoding(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return false;
  return check_layouts(op);
}

static bool check_shared_offsets(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  const bool holds_bytes = kind == NEREID_OP_TTG_LOCAL_ALLOC ||
                           (kind != NEREID_OP_TT_CALL && has_encodings(op) && nereid_scratch_bytes(op) > 0);
  return !holds_bytes || nereid_ir_has_attribute(op, NEREID_ATTR_ALLOCATION_OFFSET);
}

static bool check_scratch_offsets(MlirOperation op) {
  return nereid_op_kind(op) != NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC ||
         nereid_ir_has_attribute(op, NEREID_ATTR_GLOBAL_SCRATCH_OFFSET);
}

static bool check_lowered(MlirOperation op) {
  return !is_of_dialect(op, "tt") && !is_of_dialect(op, "ttg") && !is_of_dialect(op, "ttng");
}

static bool check_per_thread(MlirOperation op) {
  return check_lowered(op) || nereid_ttg_is_warp_specialize(op);
}

static const struct {
  const char *name, *meaning, *by;
  checker_t check;
} properties[] = {
#define X(name, checker, text, meaning, by) {text, meaning, by, check_##checker},
    NEREID_PROPERTIES(X)
#undef X
};

const char *nereid_property_name(nereid_property_index_t property) {
  return properties[property].name;
}

const char *nereid_property_meaning(nereid_property_index_t property) {
  return properties[property].meaning;
}

const char *nereid_property_establishers(nereid_property_index_t property) {
  return properties[property].by;
}

/* --- sets of properties --- */

static MlirWalkResult check_all(MlirOperation op, void *data) {
  nereid_properties_t *found = data;
  for (int i = 0; i < NEREID_PROPERTY_COUNT; ++i)
    if (found->holding >> i & 1 && !properties[i].check(op)) {
      found->holding &= ~(UINT32_C(1) << i);
      found->where[i] = mlirOperationGetLocation(op);
    }
  return MlirWalkResultAdvance;
}

nereid_properties_t nereid_properties_find(MlirOperation root, uint32_t requested) {
  nereid_properties_t found = {.holding = requested};
  mlirOperationWalk(root, check_all, &found, MlirWalkPreOrder);
  return found;
}

/* The first property of `set` that does not hold; -1: all hold. */
static int first_missing(uint32_t set, const nereid_properties_t *found) {
  const uint32_t missing = set & ~found->holding;
  return missing ? __builtin_ctz(missing) : -1;
}

/* A requirement is a rule of the input: the operation may be the user's. */
static bool verify_input(const char *argument, uint32_t requires, const nereid_properties_t *before) {
  const int i = first_missing(requires, before);
  if (i >= 0)
    nereid_diagnose_at(before->where[i], "pass '%s' requires property '%s' of its input: %s %s establishes it",
                       argument, properties[i].name, properties[i].meaning, properties[i].by);
  return i < 0;
}

/* `verb` is "establishes" or "preserves". */
static bool verify_output(const char *argument, const char *verb, uint32_t set, const nereid_properties_t *after) {
  const int i = first_missing(set, after);
  if (i >= 0)
    nereid_diagnose_at(after->where[i], "pass '%s' %s property '%s', which does not hold after it: %s", argument, verb,
                       properties[i].name, properties[i].meaning);
  return i < 0;
}

bool nereid_contract_verify(const nereid_contract_t *contract, const char *argument, const nereid_properties_t *before,
                            MlirOperation root) {
  const uint32_t preserved = contract->preserves & before->holding;
  const nereid_properties_t after = nereid_properties_find(root, contract->establishes | preserved);
  return verify_input(argument, contract->requires, before) &&
         verify_output(argument, "establishes", contract->establishes, &after) &&
         verify_output(argument, "preserves", preserved, &after);
}
