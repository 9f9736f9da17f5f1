/* Cost model of layout conversions; see conversion_cost.h. */
#include "passes/layout/support/conversion_cost.h"

#include "analysis/allocation/scratch.h"
#include "dialects/defining_op.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinTypes.h"

#include <string.h>

#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

int64_t nereid_distinct_registers(const nereid_layout_t *layout) {
  uint32_t copies[NEREID_LAYOUT_DIMS];
  nereid_layout_free_masks(layout, copies);
  return nereid_layout_registers(layout) >> __builtin_popcount(copies[NEREID_LAYOUT_REGISTER]);
}

int64_t nereid_registers_of_result(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (!mlirTypeIsARankedTensor(type))
    return 1;
  nereid_layout_t layout;
  if (nereid_layout_from_type(type, &layout) != NEREID_OK)
    return INT64_MAX;
  MlirType element = mlirShapedTypeGetElementType(type);
  const bool is_wide = (mlirTypeIsAFloat(element) && mlirFloatTypeGetWidth(element) > 32) ||
                       (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) > 32) ||
                       nereid_tt_ptr_type_isa(element);
  return nereid_distinct_registers(&layout) * (is_wide ? 2 : 1);
}

int64_t nereid_conversion_cost(MlirType type, MlirAttribute to) {
  enum { BARRIERS = 60, PER_ELEMENT = 4, HALF = 2, WORD = 4 /* bytes */ };
  nereid_layout_t from_layout, to_layout;
  if (nereid_layout_from_type(type, &from_layout) != NEREID_OK ||
      nereid_layout_from_type(nereid_ttg_with_encoding(type, to), &to_layout) != NEREID_OK)
    return INT32_MAX;
  if (nereid_layout_convert(&from_layout, &to_layout, NULL) <= NEREID_LAYOUT_CONVERSION_REGISTER)
    return 0;
  /* A dot operand stays in shared memory and the dot reads it during its computation. */
  const int64_t read = nereid_ttg_dot_op_attr_isa(to) ? 0 : nereid_distinct_registers(&to_layout);
  /* Values that can be converted either before or after an extension are converted before it. */
  const int64_t bytes = nereid_scratch_element_bytes(type), width = (bytes > HALF) + (bytes > WORD);
  return BARRIERS + PER_ELEMENT * (nereid_distinct_registers(&from_layout) + read) + width;
}

enum { SECTOR = 32, LINE = 128, WIDEST = 16 }; /* bytes: a sector of memory, a line of the cache, the widest access */
enum { LOAD = 20 };                            /* cost of a load, in instructions */

/* The dimension along which consecutive registers, else consecutive lanes, are placed. */
static int fastest(const nereid_layout_t *layout) {
  for (int d = 0; d < layout->rank; ++d) {
    const uint32_t step = UINT32_C(1) << nereid_layout_out_shift(layout, d);
    if (layout->in_bits[NEREID_LAYOUT_REGISTER] && layout->bases[NEREID_LAYOUT_REGISTER][0] == step)
      return d;
    if (layout->in_bits[NEREID_LAYOUT_LANE] && layout->bases[NEREID_LAYOUT_LANE][0] == step)
      return d;
  }
  return layout->rank - 1;
}

static bool has_basis(const nereid_layout_t *layout, nereid_layout_dim_t in, uint32_t basis) {
  for (int bit = 0; bit < layout->in_bits[in]; ++bit)
    if (layout->bases[in][bit] == basis)
      return true;
  return false;
}

/* Contiguous elements along `d` that one warp loads at once. */
static int64_t warp_run(const nereid_layout_t *layout, int d, int64_t vector) {
  int64_t run = vector;
  const uint32_t one = UINT32_C(1) << nereid_layout_out_shift(layout, d);
  while (run < INT64_C(1) << layout->out_bits[d] && has_basis(layout, NEREID_LAYOUT_LANE, one * (uint32_t)run))
    run *= 2;
  return run;
}

int64_t nereid_load_again_cost(MlirValue value, MlirAttribute to, bool replaces) {
  nereid_layout_t layouts[2];
  int64_t loads[2], sectors[2];
  const MlirType type = mlirValueGetType(value);
  const int64_t bytes = nereid_scratch_element_bytes(type);
  if (nereid_layout_from_type(type, &layouts[0]) != NEREID_OK ||
      nereid_layout_from_type(nereid_ttg_with_encoding(type, to), &layouts[1]) != NEREID_OK)
    return INT32_MAX;
  const int d = layouts[0].rank ? fastest(&layouts[0]) : 0;
  /* Elements that alignment permits in one access: tritongpu-coalesce gives a thread as many, if it has more of
   * them. */
  int64_t width = INT64_MAX;
  for (int i = 0; i < 2; ++i) {
    const int64_t contiguous = layouts[i].rank ? nereid_layout_contiguity(&layouts[i], d) : 1;
    int64_t vector = contiguous * bytes > WIDEST ? WIDEST / bytes : contiguous;
    vector = vector > width ? width : vector;
    width = nereid_distinct_registers(&layouts[0]) > vector ? vector : INT64_MAX;
    loads[i] = nereid_distinct_registers(&layouts[i]) / vector;
    /* Both halves of a sector that a thread loads by two accesses are in the cache. */
    const int64_t part = contiguous > vector && vector * bytes * 2 == SECTOR ? 2 * vector : vector;
    const int64_t run = layouts[i].rank ? warp_run(&layouts[i], d, part) * bytes : bytes;
    sectors[i] = run < SECTOR ? run : SECTOR;
  }
  if (sectors[1] < sectors[0] && bytes * nereid_ttg_num_elements(type) > LINE)
    return INT32_MAX;
  return LOAD * (loads[1] - (replaces ? loads[0] : 0));
}

/* Operations that reinterpret their operand in another shape or layout. */
static bool is_view(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_TRANS:
  case NEREID_OP_TT_RESHAPE:
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return true;
  default:
    return false;
  }
}

bool nereid_is_recomputed_for_free(MlirValue value) {
  for (int depth = 0; depth < 8; ++depth) {
    MlirOperation op = nereid_defining_op(value);
    switch (mlirOperationIsNull(op) ? NEREID_OP_UNKNOWN : nereid_op_kind(op)) {
    case NEREID_OP_TT_SPLAT:
    case NEREID_OP_TT_MAKE_RANGE:
    case NEREID_OP_ARITH_CONSTANT:
    case NEREID_OP_UB_POISON:
      return true;
    default:
      break;
    }
    if (mlirOperationIsNull(op) || !is_view(op))
      return false;
    value = mlirOperationGetOperand(op, 0);
  }
  return false;
}

bool nereid_is_in_tile_epilogue(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (nereid_op_kind(parent) == NEREID_OP_SCF_IF)
    return true;
  bool is_next_to_loop = false;
  for (MlirOperation at = mlirBlockGetFirstOperation(mlirOperationGetBlock(op)); !mlirOperationIsNull(at);
       at = mlirOperationGetNextInBlock(at))
    is_next_to_loop |= nereid_op_kind(at) == NEREID_OP_SCF_FOR;
  return is_next_to_loop && nereid_op_kind(parent) == NEREID_OP_SCF_FOR;
}

/* The only user of `value` that is not dead; null if there are several. */
static MlirOperation only_user(MlirValue value) {
  MlirOperation found = {NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereidMlirOperationIsTriviallyDead(user) || mlirOperationEqual(user, found))
      continue;
    if (!mlirOperationIsNull(found))
      return (MlirOperation){NULL};
    found = user;
  }
  return found;
}

bool nereid_is_needed_only_for(MlirValue value, MlirValue root) {
  enum { MAX_OPS = 16 };
  for (int i = 0; i < MAX_OPS && !mlirValueEqual(value, root); ++i) {
    MlirOperation user = only_user(value);
    if (mlirOperationIsNull(user) || mlirOperationGetNumResults(user) != 1 || mlirOperationGetNumRegions(user))
      return false;
    value = mlirOperationGetResult(user, 0);
  }
  return mlirValueEqual(value, root) && !mlirOperationIsNull(only_user(root));
}

static bool is_needed(MlirOperation op, int *visits) {
  if (--*visits < 0 || !nereidMlirOperationIsPure(op) || mlirOperationGetNumResults(op) == 0)
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (is_needed(mlirOpOperandGetOwner(use), visits))
        return true;
  return false;
}

bool nereid_is_needed(MlirOperation op) {
  int visits = 256;
  return is_needed(op, &visits);
}

int64_t nereid_element_cost(MlirOperation op) {
  enum { CHEAP = 1, EXPENSIVE = 12 };
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (name.length > 5 && memcmp(name.data, "math.", 5) == 0)
    return EXPENSIVE;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_DIVSI:
  case NEREID_OP_ARITH_DIVUI:
  case NEREID_OP_ARITH_REMSI:
  case NEREID_OP_ARITH_REMUI:
  case NEREID_OP_ARITH_DIVF:
  case NEREID_OP_ARITH_REMF:
  case NEREID_OP_TT_EXTERN_ELEMENTWISE:
  case NEREID_OP_TT_ELEMENTWISE_INLINE_ASM:
  case NEREID_OP_TT_APPROX_DIVF:
  case NEREID_OP_TT_PRECISE_DIVF:
  case NEREID_OP_TT_PRECISE_SQRT:
    return EXPENSIVE;
  default:
    return CHEAP;
  }
}

/* Pure elementwise operations, whose operands take the layout of the result. */
static bool is_recomputable(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 && nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise) &&
         nereidMlirOperationIsMemoryEffectFree(op);
}

enum { UNKNOWN = -1, DEEPEST = 5 };

/* Instructions of recomputing `value` for the given number of registers per element. UNKNOWN when an operand cannot be
 * recomputed. */
static int64_t recompute(MlirValue value, double registers_per_element, int depth) {
  if (!mlirTypeIsARankedTensor(mlirValueGetType(value)) || nereid_is_recomputed_for_free(value))
    return 0;
  MlirOperation op = nereid_defining_op(value);
  if (mlirOperationIsNull(op) || depth == DEEPEST)
    return UNKNOWN;
  int64_t cost = 0;
  if (!is_view(op)) {
    if (!is_recomputable(op))
      return UNKNOWN;
    const int64_t registers =
        (int64_t)(registers_per_element * (double)nereid_ttg_num_elements(mlirValueGetType(value)));
    cost = nereid_element_cost(op) * (registers < 1 ? 1 : registers);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    const int64_t part = recompute(mlirOperationGetOperand(op, i), registers_per_element, depth + 1);
    if (part == UNKNOWN)
      return UNKNOWN;
    cost += part;
  }
  return cost;
}

int64_t nereid_move_cost(MlirValue value, MlirType from, MlirAttribute to) {
  const int64_t conversion = nereid_conversion_cost(from, to);
  nereid_layout_t layout;
  if (conversion == 0 || nereid_layout_from_type(nereid_ttg_with_encoding(from, to), &layout) != NEREID_OK)
    return conversion;
  const int64_t again =
      recompute(value, (double)nereid_distinct_registers(&layout) / (double)nereid_ttg_num_elements(from), 0);
  return again != UNKNOWN && again < conversion ? again : conversion;
}
