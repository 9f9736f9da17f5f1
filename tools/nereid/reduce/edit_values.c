/* Simpler constants and element types.
 *
 *   arith.constant 27 : i32                               ->   0, 1 or 13
 *   tensor<64xf16>, and arith.extf of it to f32           ->   tensor<64xf32>, without the conversion
 *   --arg x=f16[64]:rand                                  ->   --arg x=f32[64]:rand */
#include "base/element.h"
#include "dialects/ir.h"
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

static MlirAttribute like(MlirType type, int64_t value) {
  return mlirTypeIsAFloat(type) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, (double)value)
                                : mlirIntegerAttrGet(type, value);
}

/* The simpler constant; null: the value is at least as simple. */
static MlirAttribute simplify(MlirAttribute value, size_t variant) {
  const bool is_float = mlirAttributeIsAFloat(value);
  if (!is_float && !mlirAttributeIsAInteger(value))
    return (MlirAttribute){NULL};
  const MlirType type = mlirAttributeGetType(value);
  const double number = is_float ? mlirFloatAttrGetValueDouble(value) : (double)mlirIntegerAttrGetValueInt(value);
  const bool is_zero = !(number > 0) && !(number < 0), is_one = !(number > 1) && !(number < 1);
  const bool halves = !is_float && (number > 2 || number < -2);
  if (is_zero || (variant == 1 && is_one) || (variant == 2 && !halves))
    return (MlirAttribute){NULL};
  return like(type, variant == 0 ? 0 : variant == 1 ? 1 : mlirIntegerAttrGetValueInt(value) / 2);
}

tool_edit_result_t tool_edit_constant(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const MlirOperation op = tool_edit_find(candidate, "arith.constant", place->position);
  if (mlirOperationIsNull(op))
    return TOOL_EDIT_END;
  const MlirAttribute old = nereid_ir_attribute(op, "value");
  const bool is_dense = mlirAttributeIsADenseElements(old);
  if (is_dense && !mlirDenseElementsAttrIsSplat(old))
    return TOOL_EDIT_SKIP;
  const MlirAttribute value = simplify(is_dense ? mlirDenseElementsAttrGetSplatValue(old) : old, place->variant);
  if (mlirAttributeIsNull(value))
    return TOOL_EDIT_SKIP;
  nereid_ir_set_attribute(op, "value",
                          is_dense ? mlirDenseElementsAttrSplatGet(mlirAttributeGetType(old), value) : value);
  return TOOL_EDIT_DONE;
}

/* --- types --- */

typedef struct type_row {
  const char *from, *to;           /* types of MLIR */
  nereid_element_t argument, into; /* types of arguments */
} type_row_t;

static const type_row_t types[] = {
    {"f8E4M3FN", "f16", NEREID_ELEMENT_F8E4M3FN, NEREID_ELEMENT_F16},
    {"f8E5M2", "f16", NEREID_ELEMENT_F8E5M2, NEREID_ELEMENT_F16},
    {"bf16", "f16", NEREID_ELEMENT_BF16, NEREID_ELEMENT_F16},
    {"f16", "f32", NEREID_ELEMENT_F16, NEREID_ELEMENT_F32},
    {"f64", "f32", NEREID_ELEMENT_F64, NEREID_ELEMENT_F32},
    {"i64", "i32", NEREID_ELEMENT_I64, NEREID_ELEMENT_I32},
    {"i16", "i32", NEREID_ELEMENT_I16, NEREID_ELEMENT_I32},
    {"i8", "i32", NEREID_ELEMENT_I8, NEREID_ELEMENT_I32},
};

typedef struct exchange {
  MlirType from, to;
  bool found;
} exchange_t;

static MlirType exchange_type(MlirType type, void *data) {
  exchange_t *exchange = data;
  const bool same = mlirTypeEqual(type, exchange->from);
  exchange->found |= same;
  return same ? exchange->to : (MlirType){NULL};
}

static MlirAttribute exchange_scalar(MlirAttribute value, const exchange_t *exchange) {
  if (mlirAttributeIsAFloat(value) && mlirTypeEqual(mlirAttributeGetType(value), exchange->from))
    return mlirFloatAttrDoubleGet(mlirAttributeGetContext(value), exchange->to, mlirFloatAttrGetValueDouble(value));
  if (mlirAttributeIsAInteger(value) && mlirTypeEqual(mlirAttributeGetType(value), exchange->from))
    return mlirIntegerAttrGet(exchange->to, mlirIntegerAttrGetValueInt(value));
  return (MlirAttribute){NULL};
}

static MlirAttribute exchange_attribute(MlirAttribute attribute, void *data) {
  if (!mlirAttributeIsADenseElements(attribute) || !mlirDenseElementsAttrIsSplat(attribute))
    return exchange_scalar(attribute, data);
  const MlirAttribute value = exchange_scalar(mlirDenseElementsAttrGetSplatValue(attribute), data);
  const NereidMlirReplacer replacer = {.type = exchange_type, .userData = data};
  return mlirAttributeIsNull(value)
             ? value
             : mlirDenseElementsAttrSplatGet(nereidMlirTypeReplace(mlirAttributeGetType(attribute), replacer), value);
}

/* A conversion between equal types is invalid. */
static void remove_conversions(tool_candidate_t *candidate) {
  static const char *const names[] = {"arith.extf",  "arith.truncf", "arith.extsi",
                                      "arith.extui", "arith.trunci", "tt.fp_to_fp"};
  const tool_operations_t list = tool_edit_list(candidate);
  for (size_t i = list.size; i-- > 0;)
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
      const MlirOperation op = list.data[i];
      if (!tool_edit_is(op, names[k]) ||
          !mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, 0)), mlirValueGetType(nereid_ir_result(op))))
        continue;
      mlirValueReplaceAllUsesOfWith(nereid_ir_result(op), mlirOperationGetOperand(op, 0));
      nereidMlirOperationErase(op);
      break;
    }
}

/* Tensors of the type on the command line: "x=f16[64]:rand". */
static void exchange_arguments(tool_candidate_t *candidate, const type_row_t *row) {
  tool_list_t *list = &candidate->settings.arguments;
  const char **items = nereid_arena_new(candidate->arena, const char *, list->size);
  const char *from = nereid_element_name(row->argument), *to = nereid_element_name(row->into);
  for (size_t i = 0; items && i < list->size; ++i) {
    const char *item = list->items[i], *spec = strchr(item, '=');
    const size_t length = strlen(from);
    const bool has_type = spec && strncmp(spec + 1, from, length) == 0 && strchr("[:", spec[1 + length]);
    items[i] = has_type
                   ? nereid_arena_format(candidate->arena, "%.*s=%s%s", (int)(spec - item), item, to, spec + 1 + length)
                   : item;
  }
  list->items = items;
}

tool_edit_result_t tool_edit_type(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  if (place->position >= sizeof types / sizeof *types)
    return TOOL_EDIT_END;
  const type_row_t *row = &types[place->position];
  const MlirContext context = mlirOperationGetContext(candidate->module);
  exchange_t exchange = {mlirTypeParseGet(context, nereid_ir_ref(row->from)),
                         mlirTypeParseGet(context, nereid_ir_ref(row->to)), false};
  const NereidMlirReplacer replacer = {.attribute = exchange_attribute, .type = exchange_type, .userData = &exchange};
  nereidMlirOperationReplaceElements(candidate->module, replacer);
  if (!exchange.found)
    return TOOL_EDIT_SKIP;
  remove_conversions(candidate);
  exchange_arguments(candidate, row);
  return TOOL_EDIT_DONE;
}
