/* Fewer and simpler encodings, in ttgir.
 *
 *   #blocked and #blocked1 of one rank   ->   #blocked, which makes conversions between them no-ops
 *   warpsPerCTA = [4, 1], num-warps 4    ->   warpsPerCTA = [2, 1], num-warps 2
 *   sizePerThread = [1, 8]               ->   sizePerThread = [1, 4]
 *
 * Encodings are edited as text, in which their parameters have names. */
#include "dialects/ir.h"
#include "seam/ir.h"
#include "tools/nereid/reduce/edit.h"

#include <stdlib.h>

typedef struct encoding {
  MlirAttribute attribute;
  intptr_t rank;
} encoding_t;

typedef struct encodings {
  nereid_arena_t *arena;
  NEREID_VECTOR(encoding_t) list; /* distinct */
} encodings_t;

static void add(MlirType type, void *data) {
  encodings_t *encodings = data;
  if (!mlirTypeIsARankedTensor(type))
    return;
  const encoding_t found = {mlirRankedTensorTypeGetEncoding(type), mlirShapedTypeGetRank(type)};
  for (size_t i = 0; i < encodings->list.size; ++i)
    if (mlirAttributeEqual(encodings->list.data[i].attribute, found.attribute))
      return;
  if (!mlirAttributeIsNull(found.attribute))
    (void)nereid_vector_push(encodings->arena, &encodings->list, found);
}

static encodings_t collect(tool_candidate_t *candidate) {
  const tool_operations_t list = tool_edit_list(candidate);
  encodings_t encodings = {.arena = candidate->arena};
  const NereidMlirSubElementCallbacks callbacks = {.type = add, .userData = &encodings};
  for (size_t i = 0; i < list.size; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumResults(list.data[i]); ++k)
      nereidMlirTypeWalk(mlirValueGetType(mlirOperationGetResult(list.data[i], k)), callbacks);
  return encodings;
}

typedef struct exchange {
  MlirAttribute from, to;
} exchange_t;

/* Dense constants do not pass their type on. */
static MlirAttribute replace(MlirAttribute attribute, void *data) {
  const exchange_t *exchange = data;
  if (mlirAttributeEqual(attribute, exchange->from))
    return exchange->to;
  if (!mlirAttributeIsADenseElements(attribute) || !mlirDenseElementsAttrIsSplat(attribute))
    return (MlirAttribute){NULL};
  const NereidMlirReplacer replacer = {.attribute = replace, .userData = data};
  return mlirDenseElementsAttrSplatGet(nereidMlirTypeReplace(mlirAttributeGetType(attribute), replacer),
                                       mlirDenseElementsAttrGetSplatValue(attribute));
}

static void exchange_all(tool_candidate_t *candidate, exchange_t exchange) {
  const NereidMlirReplacer replacer = {.attribute = replace, .userData = &exchange};
  nereidMlirOperationReplaceElements(candidate->module, replacer);
}

/* Position: an ordered pair of encodings. */
tool_edit_result_t tool_edit_merge_encodings(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  const encodings_t found = collect(candidate);
  const size_t n = found.list.size, from = n ? place->position / n : 0, to = n ? place->position % n : 0;
  if (n < 2 || from >= n)
    return TOOL_EDIT_END;
  if (from == to || found.list.data[from].rank != found.list.data[to].rank)
    return TOOL_EDIT_SKIP;
  exchange_all(candidate, (exchange_t){found.list.data[from].attribute, found.list.data[to].attribute});
  return TOOL_EDIT_DONE;
}

/* --- parameters --- */

static void append(MlirStringRef text, void *data) {
  nereid_text_builder_append(text, data);
}

/* Halves the largest number of the list after "key = [" in a text, in place; false: none is above 1. */
static bool halve_list(char *text, const char *key) {
  char *at = strstr(text, key), *best = NULL;
  long most = 1;
  for (at = at ? strchr(at, '[') : NULL; at && *at && *at != ']';) {
    char *end = NULL;
    const long number = strtol(++at, &end, 10);
    if (number > most) {
      most = number;
      best = at + strspn(at, " ");
    }
    at = end + strcspn(end, ",]");
  }
  if (!best)
    return false;
  /* Half of an even number has as many digits, or one less. */
  const int digits = (int)strspn(best, "0123456789");
  char half[24];
  snprintf(half, sizeof half, "%*ld", digits, most / 2);
  memcpy(best, half, (size_t)digits);
  return true;
}

/* The encoding with a halved parameter; null: it has none, or the parameter is 1. */
static MlirAttribute halve(tool_candidate_t *candidate, MlirAttribute encoding, const char *key) {
  nereid_text_builder_t text = {.arena = candidate->arena};
  mlirAttributePrint(encoding, append, &text);
  char *copy = nereid_arena_copy(candidate->arena, nereid_view_of(text.data, text.data ? text.size : 0));
  if (!copy || !halve_list(copy, key))
    return (MlirAttribute){NULL};
  return mlirAttributeParseGet(mlirOperationGetContext(candidate->module), nereid_ir_ref(copy));
}

/* Halves the warps of the module and of its encodings. */
static tool_edit_result_t halve_warps(tool_candidate_t *candidate) {
  static const char name[] = "ttg.num-warps";
  const int64_t warps = nereid_ir_integer(candidate->module, name, 1);
  const encodings_t found = collect(candidate);
  if (warps < 2)
    return TOOL_EDIT_END;
  for (size_t i = 0; i < found.list.size; ++i) {
    const MlirAttribute encoding = found.list.data[i].attribute, half = halve(candidate, encoding, "warpsPerCTA");
    if (!mlirAttributeIsNull(half))
      exchange_all(candidate, (exchange_t){encoding, half});
  }
  nereid_ir_set_integer(candidate->module, name, warps / 2);
  return TOOL_EDIT_DONE;
}

tool_edit_result_t tool_edit_simplify_encoding(tool_candidate_t *candidate, const tool_edit_place_t *place) {
  if (place->variant)
    return place->position                            ? TOOL_EDIT_SKIP
           : halve_warps(candidate) == TOOL_EDIT_DONE ? TOOL_EDIT_DONE
                                                      : TOOL_EDIT_SKIP;
  const encodings_t found = collect(candidate);
  if (place->position >= found.list.size)
    return TOOL_EDIT_END;
  const MlirAttribute encoding = found.list.data[place->position].attribute;
  const MlirAttribute half = halve(candidate, encoding, "sizePerThread");
  if (mlirAttributeIsNull(half))
    return TOOL_EDIT_SKIP;
  exchange_all(candidate, (exchange_t){encoding, half});
  return TOOL_EDIT_DONE;
}
