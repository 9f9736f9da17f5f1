/* Sources of dot operands and uses of dot results; see operand_source.h. */
#include "passes/dot/operand_source.h"
#include "passes/dot/dot_registers.h"
#include "passes/dot/shared_encoding.h"
#include "passes/support/loop.h"
#include "passes/support/splat.h"

#include "base/bits.h"
#include "base/map.h"
#include "base/vector.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { DEEPEST = 16, MAX_VALUES = 256 };

bool nereid_dot_is_elementwise(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) > 0 &&
         nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise) && nereidMlirOperationIsPure(op);
}

static bool is_conversion(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT;
}

static bool is_tensor(MlirValue value) {
  return mlirTypeIsARankedTensor(mlirValueGetType(value));
}

static int64_t bits_of(MlirValue value) {
  MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(value));
  if (mlirTypeIsAInteger(type))
    return (int64_t)mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? (int64_t)mlirFloatTypeGetWidth(type) : 64;
}

/* --- masks --- */

static bool is_tf32_mask(MlirValue value) {
  MlirAttribute splat = nereid_splat_constant(value);
  if (mlirAttributeIsNull(splat))
    return false;
  return mlirAttributeIsAInteger(splat) && (uint32_t)mlirIntegerAttrGetValueInt(splat) == UINT32_C(0xffffe000);
}

/* bitcast (andi (bitcast %x), 0xffffe000) becomes %x. */
static MlirValue without_tf32_mask(MlirValue value) {
  MlirOperation op = nereid_defining_op_of_kind(value, NEREID_OP_ARITH_BITCAST);
  if (!mlirOperationIsNull(op))
    op = nereid_defining_op_of_kind(mlirOperationGetOperand(op, 0), NEREID_OP_ARITH_ANDI);
  if (mlirOperationIsNull(op) || !is_tf32_mask(mlirOperationGetOperand(op, 1)))
    return value;
  MlirOperation bits = nereid_defining_op_of_kind(mlirOperationGetOperand(op, 0), NEREID_OP_ARITH_BITCAST);
  const bool whole = !mlirOperationIsNull(bits) &&
                     mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(bits, 0)), mlirValueGetType(value));
  return whole ? mlirOperationGetOperand(bits, 0) : value;
}

/* --- sources --- */

/* Ops whose elements do not depend on memory: they do not make an operand a computed one. */
static bool is_constant_like(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_ARITH_CONSTANT:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_MAKE_RANGE:
    return true;
  default:
    return false;
  }
}

/* Whether warps that share a row get the result of `dot`, whose instruction has been chosen, without an exchange of
 * their own: several warps share its rows, too, so that these are exchanged anyway; or all warps have all rows. */
static bool is_in_all_warps(MlirOperation dot) {
  enum { WARP_ROWS = 16 };
  MlirType type = mlirValueGetType(nereid_ir_result(dot));
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  int32_t warps[NEREID_TTG_MAX_RANK];
  if (!nereid_ttg_nvidia_mma_attr_isa(encoding))
    return false;
  const int rank = nereid_ttg_ints_read(nereid_ttg_nvidia_mma_attr_get_warps_per_cta(encoding), warps);
  return warps[rank - 1] > 1 || (rank == 2 && mlirShapedTypeGetDimSize(type, 0) <= WARP_ROWS);
}

static bool trace(MlirValue value, MlirOperation dot, int depth, nereid_dot_operand_t *out);

/* Traces what the regions of a branch yield for `value`, such as scores under a mask and others. */
static bool trace_branch(MlirValue value, MlirOperation branch, MlirOperation dot, int depth,
                         nereid_dot_operand_t *out) {
  bool known = depth < DEEPEST;
  for (intptr_t r = 0; known && r < mlirOperationGetNumRegions(branch); ++r) {
    MlirOperation yield = mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, r)));
    known = trace(mlirOperationGetOperand(yield, mlirOpResultGetResultNumber(value)), dot, depth + 1, out);
  }
  return known;
}

/* Traces what a loop yields for its result `value`, such as scores that it sums over blocks of K. */
static bool trace_loop(MlirValue value, MlirOperation loop, MlirOperation dot, int depth, nereid_dot_operand_t *out) {
  MlirOperation yield = mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
  MlirValue last = mlirOperationGetOperand(yield, mlirOpResultGetResultNumber(value));
  MlirOperation op = nereid_defining_op(last);
  if (!mlirOperationIsNull(op) && is_conversion(op))
    op = nereid_defining_op(mlirOperationGetOperand(op, 0));
  return !mlirOperationIsNull(op) && nereid_dot_is_dot(op) && trace(nereid_ir_result(op), dot, depth + 1, out);
}

/* Combines the facts about `value` into `out`: false when an op on the way is neither elementwise, nor a branch, nor a
 * loop that sums dots, nor a source. */
static bool trace(MlirValue value, MlirOperation dot, int depth, nereid_dot_operand_t *out) {
  MlirOperation op = nereid_defining_op(value);
  if (mlirOperationIsNull(op))
    return false;
  if (nereid_dot_is_dot(op)) {
    out->kind = NEREID_DOT_A_CHAINED;
    out->is_in_all_warps |= is_in_all_warps(op);
    return true;
  }
  if (is_constant_like(op))
    return true;
  if (nereid_op_kind(op) == NEREID_OP_TT_LOAD || nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_LOAD) {
    const int64_t bits = bits_of(value);
    out->loaded_bits = bits >= 8 && bits < out->loaded_bits ? bits : out->loaded_bits;
    return true;
  }
  if (nereid_op_kind(op) == NEREID_OP_SCF_IF)
    return trace_branch(value, op, dot, depth, out);
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR)
    return trace_loop(value, op, dot, depth, out);
  if ((!is_conversion(op) && !nereid_dot_is_elementwise(op)) || depth == DEEPEST)
    return false;
  bool known = true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_tensor(mlirOperationGetOperand(op, i)))
      known &= trace(mlirOperationGetOperand(op, i), dot, depth + 1, out);
  return known;
}

/* Computed in the block of the dot, so that it is computed as often as the dot. */
static bool is_near(MlirValue value, MlirOperation dot) {
  MlirOperation op = nereid_defining_op(value);
  return !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(dot));
}

/* Whether another dot reads `value` from a buffer: as its operand B, or after it has been rewritten for wgmma. */
static bool is_in_buffer(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirAttribute encoding =
        is_conversion(user) ? nereid_ttg_encoding_of(nereid_ir_result(user)) : (MlirAttribute){NULL};
    if (nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC)
      return true;
    if (!mlirAttributeIsNull(encoding) && nereid_ttg_dot_op_attr_isa(encoding) &&
        nereid_ttg_dot_op_attr_get_op_idx(encoding) == 1)
      return true;
  }
  return false;
}

/* Whether a computed operand of `bits` bits goes through shared memory in any case: another dot reads it there; or no
 * loop is around the dot, so that it is loaded as wide by coalesced loads, not from rings that threads read in any
 * layout. */
static bool is_stored(const nereid_dot_operand_t *operand, MlirOperation dot, int64_t bits) {
  return is_in_buffer(operand->unmasked) || (operand->loaded_bits >= bits && !nereid_loop_is_around(dot));
}

nereid_dot_operand_t nereid_dot_operand_of(MlirOperation dot, int index) {
  nereid_dot_operand_t operand = {.value = mlirOperationGetOperand(dot, index), .kind = NEREID_DOT_A_STORED};
  MlirOperation op = nereid_defining_op(operand.value);
  while (!mlirOperationIsNull(op) && is_conversion(op)) {
    operand.value = mlirOperationGetOperand(op, 0);
    op = nereid_defining_op(operand.value);
  }
  operand.unmasked = without_tf32_mask(operand.value);
  op = nereid_defining_op(operand.unmasked);
  const int64_t bits = operand.loaded_bits = bits_of(operand.value);
  const bool computed = !mlirOperationIsNull(op) && (nereid_dot_is_elementwise(op) || nereid_dot_is_dot(op));
  nereid_dot_operand_t found = operand;
  if (!computed || !is_near(operand.unmasked, dot) || !trace(operand.unmasked, dot, 0, &found)) {
    operand.loaded_bits = found.loaded_bits < bits ? found.loaded_bits : bits;
    operand.kind = found.kind; /* chained, whatever else is combined with it */
    operand.is_in_all_warps = found.is_in_all_warps;
    return operand;
  }
  operand = found;
  if (operand.kind == NEREID_DOT_A_STORED && !is_stored(&operand, dot, bits))
    operand.kind = NEREID_DOT_A_COMPUTED;
  return operand;
}

/* Adds the contiguous dimension of the loads of the shape of `value` on which it depends to the mask *out. */
static void add_loaded_dims(MlirValue value, int depth, uint32_t *out) {
  MlirOperation op = nereid_defining_op(value);
  int32_t order[NEREID_TTG_MAX_RANK];
  if (mlirOperationIsNull(op) || depth == DEEPEST)
    return;
  if (nereid_op_kind(op) == NEREID_OP_TT_LOAD) {
    nereid_dot_register_order(mlirValueGetType(value), order);
    *out |= UINT32_C(1) << order[0];
  }
  if (!is_conversion(op) && !nereid_dot_is_elementwise(op))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_tensor(mlirOperationGetOperand(op, i)))
      add_loaded_dims(mlirOperationGetOperand(op, i), depth + 1, out);
}

void nereid_dot_loaded_order(MlirValue value, int32_t *out_order) {
  uint32_t dims = 0;
  nereid_dot_register_order(mlirValueGetType(value), out_order);
  add_loaded_dims(value, 0, &dims);
  if (nereid_bit_count(dims) != 1)
    return;
  const int32_t loaded = __builtin_ctz(dims);
  int at = 0;
  while (out_order[at] != loaded)
    ++at;
  for (; at > 0; --at)
    out_order[at] = out_order[at - 1];
  out_order[0] = loaded;
}

nereid_builder_t nereid_dot_operand_builder(MlirOperation dot, MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  nereid_builder_t builder = nereid_builder_before(dot);
  MlirBlock block = mlirOperationIsNull(op) ? mlirBlockArgumentGetOwner(value) : mlirOperationGetBlock(op);
  if (mlirBlockEqual(block, builder.block))
    return builder;
  builder.block = block;
  builder.before = mlirOperationIsNull(op) ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(op);
  return builder;
}

/* --- uses --- */

typedef struct uses {
  nereid_map_t seen;
  NEREID_VECTOR(MlirValue) list;
  nereid_arena_t *arena;
  bool feeds_dot, feeds_reduce;
} uses_t;

static void follow(uses_t *uses, MlirValue value) {
  if (!is_tensor(value) || uses->list.size == MAX_VALUES || nereid_map_find(&uses->seen, value.ptr))
    return;
  uintptr_t *place = nereid_map_insert(&uses->seen, value.ptr);
  if (place)
    *place = 1;
  nereid_vector_push(uses->arena, &uses->list, value);
}

/* The results of the loop or branch that a yielded value becomes; carried values inside the loop are the same. */
static void follow_yield(uses_t *uses, MlirOperation yield, intptr_t index) {
  MlirOperation parent = mlirOperationGetParentOperation(yield);
  if (index < mlirOperationGetNumResults(parent))
    follow(uses, mlirOperationGetResult(parent, index));
  if (nereid_op_kind(parent) == NEREID_OP_SCF_FOR)
    follow(uses, mlirBlockGetArgument(mlirOperationGetBlock(yield), index + 1));
}

static void follow_use(uses_t *uses, MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  const intptr_t index = mlirOpOperandGetOperandNumber(use);
  const nereid_op_kind_t kind = nereid_op_kind(user);
  if (nereid_dot_is_dot(user)) {
    uses->feeds_dot |= index == 0;
  } else if (kind == NEREID_OP_TT_REDUCE) {
    const intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(user, index)));
    uses->feeds_reduce |= nereid_tt_reduce_get_axis(user) == rank - 1;
  } else if (kind == NEREID_OP_SCF_YIELD) {
    follow_yield(uses, user, index);
  } else if (is_conversion(user) || nereid_dot_is_elementwise(user)) {
    for (intptr_t i = 0; i < mlirOperationGetNumResults(user); ++i)
      follow(uses, mlirOperationGetResult(user, i));
  }
}

bool nereid_dot_result_uses(MlirOperation dot, nereid_arena_t *scratch, bool *out_feeds_dot, bool *out_feeds_reduce) {
  uses_t uses = {.arena = scratch};
  nereid_map_initialize(&uses.seen, scratch);
  follow(&uses, mlirOperationGetResult(dot, 0));
  for (size_t i = 0; i < uses.list.size; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(uses.list.data[i]); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      follow_use(&uses, use);
  *out_feeds_dot = uses.feeds_dot;
  *out_feeds_reduce = uses.feeds_reduce;
  return !scratch->failed;
}
