/* nereid-strip-hints: removes or weakens the front end's hints about values.
 *
 *   tt.func @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32})   ->   tt.func @f(%p: !tt.ptr<f32>)
 *
 * Measures the effect of a hint, or finds a wrong one: run it before any pipeline and compare. Has no requirements;
 * preserves semantics, except that pointers may be treated as less aligned. */
#include "dialects/ir.h"
#include "passes/pass.h"

#include <mlir-c/BuiltinAttributes.h>

static const char *const hints[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};

typedef struct strip {
  nereid_pass_t *pass;
  MlirStringRef only;
  int64_t max_divisibility, count;
  bool arguments_only;
} strip_t;

static nereid_view_t view_of(MlirStringRef text) {
  return nereid_view_of(text.data, text.length);
}

/* Whether the comma-separated list contains `name`, or the list is empty and `hints` contains it. */
static bool is_selected(nereid_view_t list, nereid_view_t name) {
  if (!list.size) {
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
      if (nereid_view_equal(name, nereid_view(hints[i])))
        return true;
    return false;
  }
  while (list.size) {
    const char *comma = memchr(list.data, ',', list.size);
    size_t length = comma ? (size_t)(comma - list.data) : list.size;
    if (nereid_view_equal(name, nereid_view_of(list.data, length)))
      return true;
    size_t skip = comma ? length + 1 : length;
    list = nereid_view_of(list.data + skip, list.size - skip);
  }
  return false;
}

/* The new value of the hint `named`: unchanged, weaker, or null. */
static MlirAttribute weakened(strip_t *strip, MlirNamedAttribute named) {
  nereid_view_t name = view_of(mlirIdentifierStr(named.name));
  if (!is_selected(view_of(strip->only), name))
    return named.attribute;
  bool number = mlirAttributeIsAInteger(named.attribute);
  if (strip->max_divisibility > 0 && number && nereid_view_equal(name, nereid_view(hints[0]))) {
    if (mlirIntegerAttrGetValueInt(named.attribute) <= strip->max_divisibility)
      return named.attribute;
    strip->count++;
    return mlirIntegerAttrGet(mlirAttributeGetType(named.attribute), strip->max_divisibility);
  }
  strip->count++;
  return (MlirAttribute){NULL};
}

/* The dictionary of one argument, with its hints weakened. */
static MlirAttribute weakened_dictionary(strip_t *strip, MlirAttribute dictionary) {
  intptr_t size = mlirDictionaryAttrGetNumElements(dictionary), kept = 0;
  MlirNamedAttribute *elements = nereid_arena_new(strip->pass->scratch, MlirNamedAttribute, (size_t)size);
  for (intptr_t i = 0; elements && i < size; i++) {
    MlirNamedAttribute element = mlirDictionaryAttrGetElement(dictionary, i);
    element.attribute = weakened(strip, element);
    if (!mlirAttributeIsNull(element.attribute))
      elements[kept++] = element;
  }
  return mlirDictionaryAttrGet(strip->pass->context, kept, elements);
}

static void strip_arguments(strip_t *strip, MlirOperation op) {
  MlirStringRef name = mlirStringRefCreateFromCString(NEREID_ATTR_ARGUMENT_ATTRIBUTES);
  MlirAttribute all = mlirOperationGetAttributeByName(op, name);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all))
    return;
  intptr_t size = mlirArrayAttrGetNumElements(all);
  MlirAttribute *elements = nereid_arena_new(strip->pass->scratch, MlirAttribute, (size_t)size);
  if (!elements)
    return;
  for (intptr_t i = 0; i < size; i++)
    elements[i] = weakened_dictionary(strip, mlirArrayAttrGetElement(all, i));
  mlirOperationSetAttributeByName(op, name, mlirArrayAttrGet(strip->pass->context, size, elements));
}

static MlirWalkResult strip_op(MlirOperation op, void *data) {
  strip_t *strip = data;
  strip_arguments(strip, op);
  if (strip->arguments_only)
    return MlirWalkResultAdvance;
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op) - 1; i >= 0; i--) {
    MlirNamedAttribute named = mlirOperationGetDiscardableAttribute(op, i);
    MlirAttribute now = weakened(strip, named);
    if (mlirAttributeIsNull(now))
      mlirOperationRemoveDiscardableAttributeByName(op, mlirIdentifierStr(named.name));
    else if (!mlirAttributeEqual(now, named.attribute))
      mlirOperationSetDiscardableAttributeByName(op, mlirIdentifierStr(named.name), now);
  }
  return MlirWalkResultAdvance;
}

MlirLogicalResult nereid_pass_strip_hints(nereid_pass_t *pass) {
  strip_t strip = {.pass = pass, .only = nereid_pass_option_string(pass, "only")};
  strip.max_divisibility = nereid_pass_option_int(pass, "max-divisibility");
  strip.arguments_only = nereid_pass_option_bool(pass, "arguments-only");
  if (strip.max_divisibility < 0) {
    mlirEmitError(mlirOperationGetLocation(pass->op), "max-divisibility must not be negative");
    return mlirLogicalResultFailure();
  }
  mlirOperationWalk(pass->op, strip_op, &strip, MlirWalkPreOrder);
  nereid_pass_statistic_add(pass, "hints-changed", strip.count);
  return mlirLogicalResultSuccess();
}
