/* Checks axis information against computed values, element by element:
 *
 *   contiguity [4]     [8 9 10 11 | 4 5 7 7]    element 6 is 7, expected 6
 *   divisibility [4]   [8 9 10 11 | 6 7 8 9]    element 4, first of its group, is 6
 *   constancy [2]      [1 1 | 3 3 | 5 6 | 2 2]  element 5 is 6, expected 5
 *
 * Groups are aligned, and values are compared modulo 2^width, as defined in axis_info.h. */
#include "analysis/axis/axis_check.h"

#include "analysis/axis/axis_fact.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

typedef struct check {
  const nereid_axis_info_t *info;
  MlirValue value;
  int rank;
  int64_t extent[NEREID_AXIS_MAX_RANK];
  size_t count; /* elements */
  const uint64_t *words;
  bool repeats; /* one word represents all elements */
  nereid_message_t *message;
} check_t;

/* --- reporting --- */

/* Whether an attribute of the program, rather than the analysis alone, makes the claim. */
static bool is_asserted(MlirValue value, const char *claim) {
  char name[32];
  snprintf(name, sizeof name, "tt.%s", claim);
  MlirStringRef ref = mlirStringRefCreateFromCString(name);
  if (mlirValueIsAOpResult(value))
    return !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(mlirOpResultGetOwner(value), ref));
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation op = mlirBlockGetParentOperation(block);
  return nereidMlirOperationIsFunction(op) &&
         mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))) &&
         !mlirAttributeIsNull(nereidMlirFunctionGetArgAttr(op, mlirBlockArgumentGetArgNumber(value), ref));
}

enum { PLACE_TEXT = 24 * NEREID_AXIS_MAX_RANK };

/* "(3, 5)"; empty for a scalar. */
static void print_place(const check_t *check, size_t element, char out[PLACE_TEXT]) {
  size_t stride = check->count, at = 0;
  out[0] = '\0';
  for (int d = 0; d < check->rank; d++) {
    stride /= (size_t)check->extent[d];
    at += (size_t)snprintf(out + at, PLACE_TEXT - at, "%s%zu", d ? ", " : " (",
                           element / stride % (size_t)check->extent[d]);
  }
  if (check->rank)
    snprintf(out + at, PLACE_TEXT - at, ")");
}

/* Reports a violation; always false. `claim`: "contiguity"; `dimension`: -1 when the claim is about all elements. */
static bool refuse(const check_t *check, const char *claim, int64_t number, int dimension, size_t element,
                   uint64_t found, const char *expected) {
  char place[PLACE_TEXT], along[32] = "";
  const bool is_result = mlirValueIsAOpResult(check->value);
  const intptr_t which =
      is_result ? mlirOpResultGetResultNumber(check->value) : mlirBlockArgumentGetArgNumber(check->value);
  print_place(check, element, place);
  if (dimension >= 0 && check->rank > 0)
    snprintf(along, sizeof along, " along dimension %d", dimension);
  nereid_message_set(check->message, NEREID_ERROR_PROGRAM,
                     "%s %" PRIdPTR ": %s is false: %s %" PRId64 "%s; its element%s is %" PRIu64 "%s",
                     is_result ? "result" : "argument", which,
                     is_asserted(check->value, claim) ? "an assertion of the program" : "a claim of the axis analysis",
                     claim, number, along, place, found, expected);
  return false;
}

static bool refuse_expecting(const check_t *check, const char *claim, int64_t number, int dimension, size_t element,
                             uint64_t found, uint64_t expected) {
  char text[48];
  snprintf(text, sizeof text, ", expected %" PRIu64, expected);
  return refuse(check, claim, number, dimension, element, found, text);
}

/* --- claims --- */

static uint64_t word(const check_t *check, size_t element) {
  return check->words[check->repeats ? 0 : element];
}

static bool check_dimension(const check_t *check, int d, size_t stride) {
  const nereid_axis_info_t *info = check->info;
  const uint64_t mask = info->width && info->width < 64 ? (UINT64_C(1) << info->width) - 1 : UINT64_MAX;
  const size_t c = (size_t)1 << info->contiguity[d], k = (size_t)1 << info->constancy[d];
  const uint64_t divisor = UINT64_C(1) << info->divisibility[d];
  const size_t extent = d < check->rank ? (size_t)check->extent[d] : 1;
  assert(stride > 0 && extent > 0);
  for (size_t e = 0; e < check->count; e++) {
    const size_t at = e / stride % extent, in_group = at & (c - 1);
    const uint64_t found = word(check, e),
                   counted = (word(check, e - in_group * stride) + (in_group << info->unit)) & mask;
    const uint64_t same = word(check, e - (at & (k - 1)) * stride);
    if (c > 1 && found != counted)
      return refuse_expecting(check, "contiguity", (int64_t)c, d, e, found, counted);
    if (found != same)
      return refuse_expecting(check, "constancy", (int64_t)k, d, e, found, same);
    if (info->width && in_group == 0 && (found & (divisor - 1)) != 0)
      return refuse(check, "divisibility", (int64_t)divisor, d, e, found, "");
  }
  return true;
}

static bool check_elements(const check_t *check) {
  size_t stride = check->count;
  for (size_t e = 0; check->info->has_constant && e < check->count; e++)
    if (word(check, e) != check->info->constant)
      return refuse(check, "constant", (int64_t)check->info->constant, -1, e, word(check, e), "");
  for (int d = 0; d < check->info->rank; d++) {
    if (d < check->rank)
      stride /= (size_t)check->extent[d];
    if (!check_dimension(check, d, stride))
      return false;
  }
  return true;
}

/* --- values --- */

/* Unreached values have no claims, but a value with reached operands must be reached. */
static bool is_dead_by_mistake(const nereid_axis_result_t *result, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  bool all = mlirOperationGetNumOperands(op) > 0 && mlirOperationGetNumRegions(op) == 0;
  for (intptr_t i = 0; all && i < mlirOperationGetNumOperands(op); i++) {
    const nereid_axis_info_t *info = nereid_axis_info_get(result, mlirOperationGetOperand(op, i));
    all = info && info->reached;
  }
  return all;
}

bool nereid_axis_check(const nereid_axis_result_t *result, MlirValue value, size_t count, const uint64_t *words,
                       nereid_message_t *message) {
  MlirType type = mlirValueGetType(value);
  const bool is_tensor = mlirTypeIsARankedTensor(type);
  check_t check = {.info = nereid_axis_info_get(result, value), .value = value, .message = message, .words = words};
  if (!check.info || check.info->rank == 0 || !nereid_axis_is_numeric(type))
    return true;
  if (!check.info->reached)
    return !is_dead_by_mistake(result, value) ||
           nereid_message_set(message, NEREID_ERROR_PROGRAM,
                              "has operands that are computed, but the axis analysis claims that it is not") ==
               NEREID_OK;
  check.count = 1;
  for (; is_tensor && check.rank < check.info->rank; check.rank++) {
    check.extent[check.rank] = mlirShapedTypeGetDimSize(type, check.rank);
    if (check.extent[check.rank] <= 0)
      return true; /* no elements */
    check.count *= (size_t)check.extent[check.rank];
  }
  check.repeats = is_tensor && count == 1;
  const size_t runs = is_tensor ? 1 : count;
  for (size_t run = 0; run < runs; run++, check.words++)
    if (!check_elements(&check))
      return false;
  return true;
}
