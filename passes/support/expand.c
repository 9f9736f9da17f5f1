/* Replaces values of a type by several values; see expand.h.
 *
 * Ops are visited in program order, so that a value is expanded before its uses; block arguments are expanded before
 * their blocks. Replaced values are erased at the end, because later ops still refer to them. */
#include "passes/support/expand.h"

#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "nereid/dialects/nereid.h"
#include "nereid/dialects/ops.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

typedef NEREID_VECTOR(MlirValue) values_t;
typedef NEREID_VECTOR(MlirType) types_t;
typedef NEREID_VECTOR(MlirAttribute) attributes_t;

const MlirValue *nereid_expand_get(const nereid_expand_t *expand, MlirValue value) {
  const uintptr_t *place = nereid_map_find(&expand->values, value.ptr);
  return place ? (const MlirValue *)*place : NULL;
}

void nereid_expand_set(nereid_expand_t *expand, MlirValue value, intptr_t n, const MlirValue *parts) {
  MlirValue *kept = nereid_arena_new(expand->pass->scratch, MlirValue, (size_t)n);
  uintptr_t *place = nereid_map_insert(&expand->values, value.ptr);
  for (intptr_t i = 0; kept && i < n; ++i)
    kept[i] = parts[i];
  if (place)
    *place = (uintptr_t)kept;
}

static intptr_t count_parts(const nereid_expand_t *expand, MlirType type) {
  MlirType types[NEREID_EXPAND_PARTS];
  return expand->rules->parts(type, types);
}

static bool is_kept(const nereid_expand_t *expand, MlirValue value) {
  return expand->rules->keeps && expand->rules->keeps(value, expand->rules->data);
}

static void fail(nereid_expand_t *expand) {
  expand->failed = true;
}

static void push(nereid_expand_t *expand, values_t *values, MlirValue value) {
  if (!nereid_vector_push(expand->pass->scratch, values, value))
    fail(expand);
}

/* Appends a value, or its parts. */
static void append(nereid_expand_t *expand, MlirOperation user, MlirValue value, values_t *out) {
  const intptr_t n = count_parts(expand, mlirValueGetType(value));
  const MlirValue *parts = n ? nereid_expand_get(expand, value) : &value;
  if (!parts) {
    nereid_diagnose(user, "uses %s whose defining op cannot be rewritten", expand->rules->what);
    fail(expand);
  }
  for (intptr_t i = 0; parts && i < (n ? n : 1); ++i)
    push(expand, out, parts[i]);
}

static void append_types(nereid_expand_t *expand, MlirType type, types_t *out) {
  MlirType parts[NEREID_EXPAND_PARTS] = {type};
  const intptr_t n = expand->rules->parts(type, parts);
  for (intptr_t i = 0; i < (n ? n : 1); ++i)
    if (!nereid_vector_push(expand->pass->scratch, out, n ? parts[i] : type))
      fail(expand);
}

/* --- blocks and functions --- */

static void expand_block_arguments(nereid_expand_t *expand, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i), made[NEREID_EXPAND_PARTS];
    MlirType types[NEREID_EXPAND_PARTS];
    const intptr_t n = is_kept(expand, argument) ? 0 : expand->rules->parts(mlirValueGetType(argument), types);
    for (intptr_t part = 0; part < n; ++part)
      made[part] = mlirBlockInsertArgument(block, i + 1 + part, types[part], mlirValueGetLocation(argument));
    if (!n)
      continue;
    nereid_expand_set(expand, argument, n, made);
    if (!nereid_vector_push(expand->pass->scratch, &expand->dead_arguments, argument))
      fail(expand);
    i += n;
  }
}

/* The positions in `nereid.grid` follow the arguments. */
static void move_grid(nereid_expand_t *expand, MlirOperation function, const int32_t *moved, intptr_t n) {
  MlirAttribute grid = nereid_ir_attribute(function, "nereid.grid");
  if (mlirAttributeIsNull(grid) || !nereid_nereid_grid_attr_isa(grid))
    return;
  MlirAttribute arguments = nereid_nereid_grid_attr_get_args(grid);
  const intptr_t count = mlirDenseArrayGetNumElements(arguments);
  int32_t *positions = nereid_arena_new(expand->pass->scratch, int32_t, (size_t)count);
  for (intptr_t i = 0; positions && i < count; ++i) {
    const int32_t old = mlirDenseI32ArrayGetElement(arguments, i);
    positions[i] = old >= 0 && old < n ? moved[old] : old;
  }
  if (positions)
    nereid_ir_set_attribute(
        function, "nereid.grid",
        nereid_nereid_grid_attr_create(expand->pass->context, nereid_nereid_grid_attr_get_map(grid),
                                       mlirDenseI32ArrayGet(expand->pass->context, count, positions),
                                       nereid_nereid_grid_attr_get_per_sm(grid)));
}

/* Describes the parts in the attributes of the arguments. Only kernels have them: the launcher reads them. */
static void append_attributes(nereid_expand_t *expand, MlirOperation function, MlirType type, MlirAttribute old,
                              int group, attributes_t *out) {
  const bool described = expand->rules->argument && nereidMlirFunctionIsPublic(function);
  MlirAttribute empty = mlirDictionaryAttrGet(expand->pass->context, 0, NULL);
  for (intptr_t part = 0; part < count_parts(expand, type); ++part)
    if (!nereid_vector_push(
            expand->pass->scratch, out,
            described ? expand->rules->argument(type, mlirAttributeIsNull(old) ? empty : old, part, group) : empty))
      fail(expand);
}

static bool is_kept_argument(const nereid_expand_t *expand, MlirOperation function, intptr_t i) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  return !mlirBlockIsNull(entry) && is_kept(expand, mlirBlockGetArgument(entry, i));
}

/* Appends the types and attributes of argument `i`, or of its parts. */
static void expand_argument(nereid_expand_t *expand, MlirOperation function, intptr_t i, MlirType type, int *group,
                            types_t *inputs, attributes_t *attributes) {
  MlirAttribute old = nereid_ir_argument_attributes(function, i);
  const bool has_parts = count_parts(expand, type) > 0;
  if (has_parts && !is_kept_argument(expand, function, i)) {
    append_attributes(expand, function, type, old, *group, attributes);
    append_types(expand, type, inputs);
  } else if (!nereid_vector_push(expand->pass->scratch, inputs, type) ||
             !nereid_vector_push(expand->pass->scratch, attributes,
                                 mlirAttributeIsNull(old) ? mlirDictionaryAttrGet(expand->pass->context, 0, NULL)
                                                          : old)) {
    fail(expand);
  }
  *group += has_parts;
}

static void expand_signature(nereid_expand_t *expand, MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(nereid_ir_attribute(function, NEREID_ATTR_FUNCTION_TYPE));
  const intptr_t n = mlirFunctionTypeGetNumInputs(type);
  int32_t *moved = nereid_arena_new(expand->pass->scratch, int32_t, (size_t)n);
  types_t inputs = {0}, results = {0};
  attributes_t attributes = {0};
  int group = 0;
  for (intptr_t i = 0; moved && i < n; ++i) {
    moved[i] = (int32_t)inputs.size;
    expand_argument(expand, function, i, mlirFunctionTypeGetInput(type, i), &group, &inputs, &attributes);
  }
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    append_types(expand, mlirFunctionTypeGetResult(type, i), &results);
  const bool changed = inputs.size != (size_t)n || results.size != (size_t)mlirFunctionTypeGetNumResults(type);
  if (!changed || expand->failed || !moved)
    return;
  MlirContext context = expand->pass->context;
  MlirType made =
      mlirFunctionTypeGet(context, (intptr_t)inputs.size, inputs.data, (intptr_t)results.size, results.data);
  nereid_ir_set_attribute(function, NEREID_ATTR_FUNCTION_TYPE, mlirTypeAttrGet(made));
  nereid_ir_set_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES,
                          mlirArrayAttrGet(context, (intptr_t)attributes.size, attributes.data));
  if (results.size != (size_t)mlirFunctionTypeGetNumResults(type))
    mlirOperationRemoveAttributeByName(function, nereid_ir_ref("res_attrs"));
  move_grid(expand, function, moved, n);
}

/* --- ops that forward values --- */

static void expand_region(nereid_expand_t *expand, MlirRegion region);

static void kill(nereid_expand_t *expand, MlirOperation op) {
  if (!nereid_vector_push(expand->pass->scratch, &expand->dead, op))
    fail(expand);
}

static void flatten_operands(nereid_expand_t *expand, MlirOperation op, intptr_t from, intptr_t to, values_t *out) {
  for (intptr_t i = from; i < to && !expand->failed; ++i)
    append(expand, op, mlirOperationGetOperand(op, i), out);
}

static void flatten_terminator(nereid_expand_t *expand, MlirOperation op) {
  values_t operands = {0};
  flatten_operands(expand, op, 0, mlirOperationGetNumOperands(op), &operands);
  if (!expand->failed)
    mlirOperationSetOperands(op, (intptr_t)operands.size, operands.data);
}

/* The operand segment sizes of the successors change too. */
static void flatten_branch(nereid_expand_t *expand, MlirOperation op) {
  MlirAttribute segments = nereid_ir_attribute(op, "operandSegmentSizes");
  const intptr_t n_true = mlirDenseI32ArrayGetElement(segments, 1);
  values_t operands = {0};
  int32_t sizes[3] = {1};
  flatten_operands(expand, op, 0, 1 + n_true, &operands);
  sizes[1] = (int32_t)operands.size - 1;
  flatten_operands(expand, op, 1 + n_true, mlirOperationGetNumOperands(op), &operands);
  sizes[2] = (int32_t)operands.size - 1 - sizes[1];
  if (expand->failed)
    return;
  mlirOperationSetOperands(op, (intptr_t)operands.size, operands.data);
  nereid_ir_set_attribute(op, "operandSegmentSizes", mlirDenseI32ArrayGet(expand->pass->context, 3, sizes));
}

static void map_results(nereid_expand_t *expand, MlirOperation op, MlirOperation made) {
  intptr_t next = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i), parts[NEREID_EXPAND_PARTS];
    const intptr_t n = count_parts(expand, mlirValueGetType(result));
    for (intptr_t part = 0; part < n; ++part)
      parts[part] = mlirOperationGetResult(made, next + part);
    if (n)
      nereid_expand_set(expand, result, n, parts);
    else
      mlirValueReplaceAllUsesOfWith(result, mlirOperationGetResult(made, next));
    next += n ? n : 1;
  }
}

/* Builds a new op with the parts in place of the values, and with the old op's regions. */
static void rebuild(nereid_expand_t *expand, MlirOperation op) {
  values_t operands = {0};
  types_t results = {0};
  flatten_operands(expand, op, 0, mlirOperationGetNumOperands(op), &operands);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    append_types(expand, mlirValueGetType(mlirOperationGetResult(op, i)), &results);
  if (expand->failed)
    return;
  MlirOperationState state =
      mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(op)), mlirOperationGetLocation(op));
  mlirOperationStateAddOperands(&state, (intptr_t)operands.size, operands.data);
  mlirOperationStateAddResults(&state, (intptr_t)results.size, results.data);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
    MlirRegion region = mlirRegionCreate();
    mlirRegionTakeBody(region, mlirOperationGetRegion(op, r));
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
  }
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, made);
  map_results(expand, op, made);
  kill(expand, op);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(made); ++r)
    expand_region(expand, mlirOperationGetRegion(made, r));
}

static void expand_select(nereid_expand_t *expand, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), parts[NEREID_EXPAND_PARTS];
  const MlirValue *yes = nereid_expand_get(expand, mlirOperationGetOperand(op, 1));
  const MlirValue *no = nereid_expand_get(expand, mlirOperationGetOperand(op, 2));
  const intptr_t n = count_parts(expand, mlirValueGetType(result));
  nereid_builder_t builder = nereid_builder_before(op);
  for (intptr_t i = 0; yes && no && i < n; ++i) {
    MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("arith.select"), builder.location);
    MlirValue operands[] = {mlirOperationGetOperand(op, 0), yes[i], no[i]};
    MlirType type = mlirValueGetType(yes[i]);
    mlirOperationStateAddOperands(&state, 3, operands);
    mlirOperationStateAddResults(&state, 1, &type);
    MlirOperation made = mlirOperationCreate(&state);
    mlirBlockInsertOwnedOperationBefore(builder.block, op, made);
    parts[i] = mlirOperationGetResult(made, 0);
  }
  if (yes && no)
    nereid_expand_set(expand, result, n, parts);
  kill(expand, op);
}

static bool is_expanded(const nereid_expand_t *expand, MlirValue value) {
  return count_parts(expand, mlirValueGetType(value)) && !is_kept(expand, value);
}

static bool is_carried(const nereid_expand_t *expand, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_expanded(expand, mlirOperationGetOperand(op, i)))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (is_expanded(expand, mlirOperationGetResult(op, i)))
      return true;
  return false;
}

static void expand_carrier(nereid_expand_t *expand, MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_SCF_FOR:
  case NEREID_OP_SCF_IF:
  case NEREID_OP_SCF_WHILE:
  case NEREID_OP_TT_CALL:
    rebuild(expand, op);
    break;
  case NEREID_OP_SCF_YIELD:
  case NEREID_OP_SCF_CONDITION:
  case NEREID_OP_CF_BR:
  case NEREID_OP_TT_RETURN:
    flatten_terminator(expand, op);
    break;
  case NEREID_OP_CF_COND_BR:
    flatten_branch(expand, op);
    break;
  case NEREID_OP_ARITH_SELECT:
    expand_select(expand, op);
    break;
  default:
    nereid_diagnose(op, "uses %s, which cannot be rewritten here", expand->rules->what);
    fail(expand);
  }
}

static void expand_op(nereid_expand_t *expand, MlirOperation op) {
  bool done = false;
  if (!expand->rules->rewrite(expand, op, &done))
    fail(expand);
  if (done)
    kill(expand, op);
  if (done || expand->failed)
    return;
  if (is_carried(expand, op)) {
    expand_carrier(expand, op);
    return;
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    expand_region(expand, mlirOperationGetRegion(op, r));
}

static void expand_region(nereid_expand_t *expand, MlirRegion region) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    expand_block_arguments(expand, block);
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op) && !expand->failed;
         op = next) {
      next = mlirOperationGetNextInBlock(op);
      expand_op(expand, op);
    }
}

static void expand_functions(nereid_expand_t *expand) {
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(expand->pass->op));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op) && !expand->failed;
       op = mlirOperationGetNextInBlock(op)) {
    if (nereid_op_kind(op) != NEREID_OP_TT_FUNC)
      continue;
    expand_signature(expand, op);
    expand_region(expand, mlirOperationGetRegion(op, 0));
  }
}

MlirLogicalResult nereid_expand_run(nereid_pass_t *pass, const nereid_expand_rules_t *rules) {
  nereid_expand_t expand = {.pass = pass, .rules = rules};
  nereid_map_initialize(&expand.values, pass->scratch);
  expand_functions(&expand);
  if (expand.failed || pass->scratch->failed)
    return mlirLogicalResultFailure();
  for (size_t i = expand.dead.size; i-- > 0;)
    mlirOperationDestroy(expand.dead.data[i]);
  for (size_t i = expand.dead_arguments.size; i-- > 0;) {
    MlirValue argument = expand.dead_arguments.data[i];
    mlirBlockEraseArgument(mlirBlockArgumentGetOwner(argument), (unsigned)mlirBlockArgumentGetArgNumber(argument));
  }
  nereid_pass_statistic_add(pass, "rewritten", (int64_t)expand.dead.size);
  return mlirLogicalResultSuccess();
}
