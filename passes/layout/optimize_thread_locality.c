/* tritongpu-optimize-thread-locality: keeps one partial sum per thread in loops that accumulate reductions, and
 * combines the partial sums once after the loop.
 *
 *   %s = scf.for … iter_args(%a = %init) -> tensor<16xf32, slice of #l> {
 *     %r = "tt.reduce"(%x) <{axis = 1}> ({ arith.addf }) : tensor<16x256xf32, #l>       128 columns in one warp
 *     %b = arith.addf %a, %r                                                           lanes exchange each time
 *     yield %b
 *   ->
 *   %p = scf.for … iter_args(%q = dense<-0.0>) -> tensor<16x32xf32, slice of #w> {
 *     %v = tt.reshape %x : tensor<16x2x32x4xf32, #w>                                   registers are renamed
 *     %r = reduce %v along 3 and along 1                                               within the thread
 *     yield (arith.addf %q, %r)
 *   %s = arith.addf %init, (reduce %p along 1)
 *
 * The update may also multiply the carried sum by a factor per result, as in the sums of a softmax whose maximum
 * changes: the partial sums are multiplied, too, if the initial sum is zero.
 *
 *     %b = arith.addf (arith.mulf %a, %f), %r          yield (arith.addf (arith.mulf %q, broadcast %f), %r)
 *
 * Loops with chained dots and two groups of warps or more keep such sums as they are: a producer feeds them
 * (partition_scheduling.c), and attention with d = 128 is up to 5 % slower with partial sums on an H200.
 *
 * The op that combines elements and the op that combines iterations must be the same, commutative, and associative up
 * to rounding. The rounding order of floating-point sums changes (docs/numerics.md). The neutral elements are exact:
 * -0.0 for sums, NaN for maxima that ignore NaN. The reshape splits the dimension at the boundaries between register
 * bits and thread bits and moves no data. Sums that are carried through several nested loops are moved out of each of
 * them. */
#include "passes/pass.h"
#include "passes/pipelining/dots/chained_dots.h"
#include "passes/support/collect.h"

#include "dialects/ir.h"
#include "dialects/tt/combiner.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "layout/reduction.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/support/loop.h"
#include "passes/support/splat.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <math.h>

/* A reduction in a loop, its update, and the carried value. */
typedef struct site {
  nereid_pass_t *pass;
  MlirOperation reduce, update, loop;
  MlirValue reduced;     /* operand of the update: the reduction's result, in any layout */
  MlirOperation scaling; /* the multiplication of the carried value; null without one */
  MlirValue factor;
  intptr_t carried; /* index among the loop's results */
  int axis;
  nereid_layout_t layout; /* layout of the reduced operand */
  MlirAttribute neutral;
} site_t;

/* --- neutral elements --- */

static MlirAttribute neutral_float(nereid_op_kind_t kind, MlirType type) {
  double value;
  switch (kind) {
  case NEREID_OP_ARITH_ADDF:
    value = -0.0;
    break;
  case NEREID_OP_ARITH_MULF:
    value = 1;
    break;
  case NEREID_OP_ARITH_MAXIMUMF:
    value = -INFINITY;
    break;
  case NEREID_OP_ARITH_MINIMUMF:
    value = INFINITY;
    break;
  case NEREID_OP_ARITH_MAXNUMF:
  case NEREID_OP_ARITH_MINNUMF:
    value = NAN;
    break;
  default:
    return mlirAttributeGetNull();
  }
  return mlirFloatAttrDoubleGet(mlirTypeGetContext(type), type, value);
}

static MlirAttribute neutral_integer(nereid_op_kind_t kind, MlirType type) {
  const unsigned width = mlirIntegerTypeGetWidth(type);
  const uint64_t most = (UINT64_C(1) << (width - 1)) - 1;
  switch (kind) {
  case NEREID_OP_ARITH_ADDI:
  case NEREID_OP_ARITH_ORI:
  case NEREID_OP_ARITH_XORI:
  case NEREID_OP_ARITH_MAXUI:
    return mlirIntegerAttrGet(type, 0);
  case NEREID_OP_ARITH_MULI:
    return mlirIntegerAttrGet(type, 1);
  case NEREID_OP_ARITH_ANDI:
  case NEREID_OP_ARITH_MINUI:
    return mlirIntegerAttrGet(type, -1);
  case NEREID_OP_ARITH_MAXSI:
    return mlirIntegerAttrGet(type, -(int64_t)most - 1);
  case NEREID_OP_ARITH_MINSI:
    return mlirIntegerAttrGet(type, (int64_t)most);
  default:
    return mlirAttributeGetNull();
  }
}

/* The neutral element; null for ops that cannot be split. */
static MlirAttribute neutral_of(nereid_op_kind_t kind, MlirType type) {
  if (mlirTypeIsAFloat(type))
    return neutral_float(kind, type);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 1 ? neutral_integer(kind, type)
                                                                       : mlirAttributeGetNull();
}

/* --- candidates --- */

static bool is_argument(MlirBlock body, MlirValue value) {
  return mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), body);
}

static MlirValue other_operand(MlirOperation op, MlirValue value) {
  return mlirOperationGetOperand(op, mlirValueEqual(mlirOperationGetOperand(op, 0), value) ? 1 : 0);
}

/* Finds the update: the reduction's result, in any layout, is combined with another value. */
static bool find_update(site_t *site, nereid_op_kind_t kind) {
  MlirValue value = nereid_ir_result(site->reduce);
  MlirOperation user = nereid_ir_only_user(value);
  while (!mlirOperationIsNull(user) && nereid_op_kind(user) == NEREID_OP_TTG_CONVERT_LAYOUT) {
    value = nereid_ir_result(user);
    user = nereid_ir_only_user(value);
  }
  if (mlirOperationIsNull(user) || nereid_op_kind(user) != kind ||
      !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(site->reduce)))
    return false;
  site->update = user;
  site->reduced = value;
  return true;
}

/* Finds the multiplication of a carried sum, an operand of the update, by a tensor of factors. */
static MlirValue find_scaling(site_t *site, MlirValue value) {
  MlirBlock body = mlirOperationGetBlock(site->reduce);
  MlirOperation scaling = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  if (nereid_op_kind(site->update) != NEREID_OP_ARITH_ADDF || mlirOperationIsNull(scaling) ||
      nereid_op_kind(scaling) != NEREID_OP_ARITH_MULF || !mlirTypeIsARankedTensor(mlirValueGetType(value)) ||
      !mlirBlockEqual(mlirOperationGetBlock(scaling), body) ||
      !mlirOperationEqual(nereid_ir_only_user(value), site->update))
    return value;
  const int side = is_argument(body, mlirOperationGetOperand(scaling, 0)) ? 0 : 1;
  site->scaling = scaling;
  site->factor = mlirOperationGetOperand(scaling, 1 - side);
  return mlirOperationGetOperand(scaling, side);
}

/* Whether partial sums that are multiplied are worthwhile and exact. */
static bool can_scale(const site_t *site) {
  enum { TWO_GROUPS = 8 /* warps */ };
  MlirBlock body = mlirOperationGetBlock(site->reduce);
  const bool has_producer = nereid_ttg_num_warps(site->loop) >= TWO_GROUPS && nereid_dots_are_chained(site->pass, body);
  return !has_producer && nereid_splat_is_zero(nereid_loop_initial(site->loop, site->carried));
}

/* Finds the loop that carries the result of the update: the other operand is carried and has no other use. */
static bool find_loop(site_t *site) {
  MlirBlock body = mlirOperationGetBlock(site->reduce);
  MlirOperation yield = mlirBlockGetTerminator(body);
  MlirValue result = nereid_ir_result(site->update);
  site->loop = mlirBlockGetParentOperation(body);
  if (nereid_op_kind(site->loop) != NEREID_OP_SCF_FOR)
    return false;
  MlirValue other = find_scaling(site, other_operand(site->update, site->reduced));
  MlirOperation user = mlirOperationIsNull(site->scaling) ? site->update : site->scaling;
  if (!is_argument(body, other) || !mlirOperationEqual(nereid_ir_only_user(other), user) ||
      !mlirOperationEqual(nereid_ir_only_user(result), yield))
    return false;
  site->carried = mlirBlockArgumentGetArgNumber(other) - 1;
  return site->carried >= 0 && mlirValueEqual(mlirOperationGetOperand(yield, site->carried), result) &&
         (mlirOperationIsNull(site->scaling) || can_scale(site));
}

/* Whether each iteration exchanges elements between threads unnecessarily. */
static bool find_site(nereid_pass_t *pass, MlirOperation reduce, site_t *out) {
  *out = (site_t){.pass = pass, .reduce = reduce, .axis = nereid_tt_reduce_get_axis(reduce)};
  MlirValue source = mlirOperationGetOperand(reduce, 0);
  const nereid_op_kind_t kind = nereid_tt_combiner_kind(mlirOperationGetRegion(reduce, 0));
  if (mlirOperationGetNumOperands(reduce) != 1 || !nereid_ttg_is_laid_out(source) ||
      nereid_layout_from_type(mlirValueGetType(source), &out->layout) != NEREID_OK)
    return false;
  out->neutral = neutral_of(kind, mlirShapedTypeGetElementType(mlirValueGetType(source)));
  if (mlirAttributeIsNull(out->neutral) || !find_update(out, kind) || !find_loop(out))
    return false;
  nereid_layout_reduction_t plan;
  nereid_layout_reduction(&out->layout, out->axis, &plan);
  return !plan.n_blocks && (plan.n_lanes || plan.n_warps);
}

/* --- splitting the dimension --- */

/* Whether a bit of the index along the axis is selected by one register bit and nothing else. */
static bool is_register_bit(const site_t *site, int bit) {
  const uint32_t packed = UINT32_C(1) << (nereid_layout_out_shift(&site->layout, site->axis) + bit);
  int alone = 0, moved = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in)
    for (int i = 0; i < site->layout.in_bits[in]; ++i) {
      moved += (site->layout.bases[in][i] & packed) != 0;
      alone += in == NEREID_LAYOUT_REGISTER && site->layout.bases[in][i] == packed;
    }
  return alone == 1 && moved == 1;
}

/* Shapes with the axis split into runs of bits, most significant first. */
typedef struct split {
  intptr_t rank;
  int64_t shape[NEREID_TTG_MAX_RANK];
  bool in_thread[NEREID_TTG_MAX_RANK]; /* a run of register bits */
  int runs, thread_runs;               /* runs of the axis; those of them that thread bits select */
} split_t;

static bool append(split_t *split, int64_t size) {
  if (split->rank == NEREID_TTG_MAX_RANK)
    return false;
  split->shape[split->rank++] = size;
  return true;
}

static bool split_axis(const site_t *site, split_t *out) {
  *out = (split_t){0};
  for (int d = 0; d < site->layout.rank; ++d) {
    if (d != site->axis && !append(out, INT64_C(1) << site->layout.out_bits[d]))
      return false;
    for (int bit = d == site->axis ? site->layout.out_bits[d] : 0; bit-- > 0;) {
      const bool in_thread = is_register_bit(site, bit);
      const bool goes_on = out->runs && out->in_thread[out->rank - 1] == in_thread;
      if (goes_on) {
        out->shape[out->rank - 1] *= 2;
        continue;
      }
      if (!append(out, 2))
        return false;
      out->in_thread[out->rank - 1] = in_thread;
      out->runs++;
      out->thread_runs += !in_thread;
    }
  }
  return true;
}

/* Reshapes `source`; null when the result has no encoding. */
static MlirValue reshape(const nereid_builder_t *builder, MlirValue source, intptr_t rank, const int64_t *shape) {
  MlirType type = nereid_ttg_reshaped(mlirValueGetType(source), rank, shape);
  if (mlirTypeIsNull(type))
    return (MlirValue){NULL};
  return nereid_ir_result(
      nereid_tt_reshape_build(builder, type, source, /*allow_reorder=*/false, /*efficient_layout=*/false));
}

/* Clones the reduction, for `source` along `axis`. */
static MlirValue reduce_along(const nereid_builder_t *builder, MlirOperation reduce, MlirValue source, int axis) {
  MlirType type = mlirValueGetType(source), element = mlirShapedTypeGetElementType(type);
  int64_t shape[NEREID_TTG_MAX_RANK];
  intptr_t rank = 0;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type) && rank < NEREID_TTG_MAX_RANK; ++d)
    if (d != axis)
      shape[rank++] = mlirShapedTypeGetDimSize(type, d);
  MlirAttribute encoding;
  nereid_ttg_infer_reduce_encoding(nereid_ttg_encoding_of(source), axis, &encoding);
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  MlirOperation made = nereidMlirOperationCloneWithMapping(reduce, mapping);
  nereidMlirIRMappingDestroy(mapping);
  mlirOperationSetOperand(made, 0, source);
  nereid_ir_set_attribute(made, "axis",
                          mlirIntegerAttrGet(mlirIntegerTypeGet(mlirOperationGetContext(reduce), 32), axis));
  mlirValueSetType(nereid_ir_result(made), rank ? mlirRankedTensorTypeGet(rank, shape, element, encoding) : element);
  mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, made);
  return nereid_ir_result(made);
}

/* Reduces within each thread: the results keep the part of the dimension that is distributed over threads. Null when
 * this is not possible. */
static MlirValue reduce_in_thread(const site_t *site) {
  nereid_builder_t builder = nereid_builder_before(site->reduce);
  MlirValue value = mlirOperationGetOperand(site->reduce, 0);
  split_t split;
  if (!split_axis(site, &split))
    return (MlirValue){NULL};
  if (split.runs > 1)
    value = reshape(&builder, value, split.rank, split.shape);
  for (intptr_t d = split.rank; d-- > 0 && !mlirValueIsNull(value);) {
    if (!split.in_thread[d])
      continue;
    value = reduce_along(&builder, site->reduce, value, (int)d);
    for (intptr_t i = d; i + 1 < split.rank; ++i)
      split.shape[i] = split.shape[i + 1];
    split.rank--;
  }
  for (; split.thread_runs > 1 && !mlirValueIsNull(value); --split.thread_runs) { /* runs of thread bits become one */
    split.shape[site->axis] *= split.shape[site->axis + 1];
    for (intptr_t i = site->axis + 1; i + 1 < split.rank; ++i)
      split.shape[i] = split.shape[i + 1];
    value = reshape(&builder, value, --split.rank, split.shape);
  }
  return value;
}

/* --- the loop --- */

/* Combines as the update does, without its flags, which hold for its order only. */
static MlirValue combine(const site_t *site, const nereid_builder_t *builder, MlirValue a, MlirValue b) {
  MlirOperationState state =
      mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(site->update)), builder->location);
  MlirType type = mlirValueGetType(a);
  mlirOperationStateAddOperands(&state, 2, (const MlirValue[]){a, b});
  mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, made);
  return nereid_ir_result(made);
}

/* The factors of the carried sums, for partial sums of type `type`. */
static MlirValue factors(const site_t *site, const nereid_builder_t *builder, MlirType type) {
  MlirType given = mlirValueGetType(site->factor), element = mlirShapedTypeGetElementType(given);
  MlirAttribute slice = nereid_ttg_slice_attr_create(mlirTypeGetContext(type), (unsigned)site->axis,
                                                     mlirRankedTensorTypeGetEncoding(type));
  int64_t shape[NEREID_TTG_MAX_RANK];
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(given); ++d)
    shape[d] = mlirShapedTypeGetDimSize(given, d);
  MlirType sliced = mlirRankedTensorTypeGet(mlirShapedTypeGetRank(given), shape, element, slice);
  MlirValue value = nereid_ir_result(nereid_ttg_convert_layout_build(builder, sliced, site->factor));
  value = nereid_ir_result(nereid_tt_expand_dims_build(builder, value, site->axis));
  return nereid_ir_result(nereid_tt_broadcast_build(builder, type, value));
}

/* The carried partial results before the update: multiplied where it multiplies. */
static MlirValue carried_part(const site_t *site, const nereid_builder_t *builder, MlirValue argument) {
  if (mlirOperationIsNull(site->scaling))
    return argument;
  return nereid_ir_result(nereid_arith_mulf_build(builder, argument, factors(site, builder, mlirValueGetType(argument)),
                                                  nereid_arith_mulf_get_fastmath(site->scaling)));
}

/* Carries `part` instead of the reduction's result; returns the reduction after the loop. */
static MlirOperation carry(const site_t *site, MlirValue part) {
  MlirOperation loop = site->loop;
  MlirBlock body = mlirOperationGetBlock(site->reduce);
  MlirOperation yield = mlirBlockGetTerminator(body);
  MlirValue argument = mlirBlockGetArgument(body, 1 + site->carried);
  MlirValue init = nereid_loop_initial(loop, site->carried);
  MlirValue carried = mlirOperationGetResult(loop, site->carried);
  MlirType type = mlirValueGetType(part), old = mlirValueGetType(init);

  nereid_builder_t before = nereid_builder_before(loop), within = nereid_builder_before(site->update);
  MlirAttribute neutral = mlirDenseElementsAttrSplatGet(type, site->neutral);
  nereid_loop_set_initial(loop, site->carried, nereid_ir_result(nereid_arith_constant_build(&before, neutral)));
  mlirValueSetType(argument, type);
  mlirOperationSetOperand(yield, site->carried, combine(site, &within, part, carried_part(site, &within, argument)));

  nereid_builder_t after = {mlirOperationGetLocation(site->update), mlirOperationGetBlock(loop),
                            mlirOperationGetNextInBlock(loop)};
  mlirValueSetType(carried, type);
  MlirValue reduced = reduce_along(&after, site->reduce, carried, site->axis);
  MlirOperation last = mlirOpResultGetOwner(reduced);
  if (!mlirTypeEqual(mlirValueGetType(reduced), old))
    reduced = nereid_ir_result(nereid_ttg_convert_layout_build(&after, old, reduced));
  MlirValue total = combine(site, &after, init, reduced);
  mlirValueReplaceAllUsesExcept(carried, total, 1, &last);
  return last;
}

/* Erases the update, the multiplication, the conversions before them, and the reduction, which have no uses left. */
static void erase(const site_t *site) {
  MlirOperation op = mlirOpResultGetOwner(site->reduced);
  nereidMlirOperationErase(site->update);
  if (!mlirOperationIsNull(site->scaling))
    nereidMlirOperationErase(site->scaling);
  while (!mlirOperationEqual(op, site->reduce)) {
    MlirOperation before = mlirOpResultGetOwner(mlirOperationGetOperand(op, 0));
    nereidMlirOperationErase(op);
    op = before;
  }
  nereidMlirOperationErase(op);
}

/* --- the pass --- */

/* Inner loops first: the reduction that moves out of an inner loop is appended to the list and may move further. */
MlirLogicalResult nereid_pass_tritongpu_optimize_thread_locality(nereid_pass_t *pass) {
  nereid_operations_t reductions = {0};
  int64_t count = 0;
  (void)nereid_collect_kind(pass->op, NEREID_OP_TT_REDUCE, pass->scratch, &reductions);
  for (size_t i = 0; i < reductions.size && !pass->scratch->failed; ++i) {
    site_t site;
    if (!find_site(pass, reductions.data[i], &site))
      continue;
    MlirValue part = reduce_in_thread(&site);
    if (mlirValueIsNull(part))
      continue;
    nereid_pass_remark_passed(pass, site.reduce, "thread-locality",
                              "partial results stay in the thread; threads combine once, after the loop");
    nereid_vector_push(pass->scratch, &reductions, carry(&site, part));
    erase(&site);
    count++;
  }
  nereid_pass_statistic_add(pass, "moved out of loops", count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
