/* convert-triton-to-tritongpu: gives every tensor an encoding and the module its thread grid.
 *
 *   %a = tt.load %p : tensor<1024x!tt.ptr<f32>>
 *   ->
 *   #blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
 *   %a = tt.load %p : tensor<1024x!tt.ptr<f32>, #blocked>
 *
 * Types are changed in place: the default encoding depends on the shape alone, so operands and results of nearly every
 * op agree afterwards by themselves, through loops and calls. Ops whose encodings follow from one another (expand_dims,
 * broadcast, reduce, trans, join, split, cat, map_elementwise, dot, fp4_to_fp) are mended one by one with
 * ttg.convert_layout, which later passes remove where they can.
 *
 * Requires: tt IR. Keeps: attributes, locations, encodings that are there. Establishes: ttg.num-warps, ttg.num-ctas,
 * ttg.threads-per-warp, ttg.target on the module. */
#include "base/bits.h"
#include "base/target_facts.h"
#include "base/vector.h"
#include "conversion/tt_to_ttg/consumer_warps.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "passes/pass.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

typedef NEREID_VECTOR(MlirOperation) operations_t;

typedef struct conversion {
  nereid_pass_t *pass;
  MlirContext context;
  nereid_thread_grid_t grid;
  operations_t to_mend;
  bool failed;
} conversion_t;

/* --- types --- */

static intptr_t shape_of(MlirType tensor, int64_t *shape) {
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  for (intptr_t d = 0; d < rank && d < NEREID_TTG_MAX_RANK; ++d)
    shape[d] = mlirShapedTypeGetDimSize(tensor, d);
  return rank;
}

/* A pointer to a block, whose accesses would get encodings that it has not. */
static bool is_block_pointer(MlirType type) {
  MlirType pointee = nereid_tt_ptr_type_isa(type) ? nereid_tt_ptr_type_get_pointee_type(type) : (MlirType){NULL};
  return !mlirTypeIsNull(pointee) && mlirTypeIsARankedTensor(pointee) &&
         mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(pointee));
}

/* `type` with the default encoding when it is a tensor without one. */
static MlirType convert_type(conversion_t *conversion, MlirType type, MlirLocation location) {
  if (is_block_pointer(type)) {
    mlirEmitError(location, "block pointers have no layouts: run triton-rewrite-tensor-pointer first");
    conversion->failed = true;
    return type;
  }
  if (!mlirTypeIsARankedTensor(type) || !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return type;
  int64_t shape[NEREID_TTG_MAX_RANK];
  const intptr_t rank = shape_of(type, shape);
  if (rank < 1 || rank > NEREID_TTG_MAX_RANK) {
    mlirEmitError(location, "a tensor that is distributed over threads has 1 to 32 dimensions");
    conversion->failed = true;
    return type;
  }
  return nereid_ttg_with_encoding(type, nereid_ttg_blocked_default(conversion->context, rank, shape, conversion->grid));
}

static void convert_values_of_block(conversion_t *conversion, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    mlirValueSetType(argument, convert_type(conversion, mlirValueGetType(argument), mlirValueGetLocation(argument)));
  }
}

static void convert_constant(MlirOperation op) {
  MlirAttribute value = nereid_ir_attribute(op, "value");
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirAttributeIsADenseElements(value))
    nereid_ir_set_attribute(op, "value", mlirDenseElementsAttrReshapeGet(value, type));
}

/* The function type follows from the entry block's arguments and from its results. */
static void convert_function_type(conversion_t *conversion, MlirOperation op) {
  MlirType type = mlirTypeAttrGetValue(nereid_ir_attribute(op, NEREID_ATTR_FUNCTION_TYPE));
  const intptr_t n_inputs = mlirFunctionTypeGetNumInputs(type), n_results = mlirFunctionTypeGetNumResults(type);
  MlirType *types = nereid_arena_new(conversion->pass->scratch, MlirType, (size_t)(n_inputs + n_results));
  MlirLocation location = mlirOperationGetLocation(op);
  for (intptr_t i = 0; types && i < n_inputs; ++i)
    types[i] = convert_type(conversion, mlirFunctionTypeGetInput(type, i), location);
  for (intptr_t i = 0; types && i < n_results; ++i)
    types[n_inputs + i] = convert_type(conversion, mlirFunctionTypeGetResult(type, i), location);
  if (!types)
    return;
  MlirType converted = mlirFunctionTypeGet(conversion->context, n_inputs, types, n_results, types + n_inputs);
  nereid_ir_set_attribute(op, NEREID_ATTR_FUNCTION_TYPE, mlirTypeAttrGet(converted));
}

/* --- mending --- */

/* Makes operand `index` of `op` have `encoding`, through a convert_layout before it. */
static void convert_operand(MlirOperation op, intptr_t index, MlirAttribute encoding) {
  MlirValue operand = mlirOperationGetOperand(op, index);
  if (mlirAttributeEqual(nereid_ttg_encoding_of(operand), encoding))
    return;
  nereid_builder_t builder = nereid_builder_before(op);
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(operand), encoding);
  MlirOperation convert = nereid_ttg_convert_layout_build(&builder, type, operand);
  mlirOperationSetOperand(op, index, mlirOperationGetResult(convert, 0));
}

/* Sets the inferred encoding of result `index` of `op`; its users get a conversion to the previous one. */
static void change_result(MlirOperation op, intptr_t index, MlirAttribute encoding) {
  MlirValue result = mlirOperationGetResult(op, index);
  MlirType seen = mlirValueGetType(result);
  if (mlirAttributeEqual(mlirRankedTensorTypeGetEncoding(seen), encoding))
    return;
  mlirValueSetType(result, nereid_ttg_with_encoding(seen, encoding));
  nereid_builder_t builder = {mlirOperationGetLocation(op), mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op)};
  MlirOperation convert = nereid_ttg_convert_layout_build(&builder, seen, result);
  mlirValueReplaceAllUsesExcept(result, mlirOperationGetResult(convert, 0), 1, &convert);
}

static bool mend_expand_dims(conversion_t *conversion, MlirOperation op) {
  MlirAttribute result = nereid_ttg_encoding_of(mlirOperationGetResult(op, 0));
  convert_operand(
      op, 0, nereid_ttg_slice_attr_create(conversion->context, (unsigned)nereid_tt_expand_dims_get_axis(op), result));
  return true;
}

static bool mend_broadcast(conversion_t *conversion, MlirOperation op) {
  (void)conversion;
  convert_operand(op, 0, nereid_ttg_encoding_of(mlirOperationGetResult(op, 0)));
  return true;
}

static bool mend_reduce(conversion_t *conversion, MlirOperation op) {
  (void)conversion;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirAttribute encoding;
    if (!mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(op, i))))
      continue;
    if (!nereid_ttg_infer_reduce_encoding(nereid_ttg_encoding_of(mlirOperationGetOperand(op, i)),
                                          nereid_tt_reduce_get_axis(op), &encoding))
      return false;
    change_result(op, i, encoding);
  }
  return true;
}

static bool mend_trans(conversion_t *conversion, MlirOperation op) {
  (void)conversion;
  MlirValue source = mlirOperationGetOperand(op, 0);
  int64_t shape[NEREID_TTG_MAX_RANK];
  int32_t order[NEREID_TTG_MAX_RANK];
  MlirAttribute encoding;
  const intptr_t rank = shape_of(mlirValueGetType(source), shape);
  for (intptr_t d = 0; d < rank; ++d)
    order[d] = nereid_tt_trans_get_order(op, d);
  if (!nereid_ttg_infer_trans_encoding(nereid_ttg_encoding_of(source), rank, shape, order, mlirOperationGetLocation(op),
                                       &encoding))
    return false;
  change_result(op, 0, encoding);
  return true;
}

static bool join_encoding(MlirOperation op, MlirValue part, MlirAttribute *out) {
  int64_t shape[NEREID_TTG_MAX_RANK];
  const intptr_t rank = shape_of(mlirValueGetType(part), shape);
  return nereid_ttg_infer_join_encoding(nereid_ttg_encoding_of(part), rank, shape, mlirOperationGetLocation(op), out);
}

static bool mend_join(conversion_t *conversion, MlirOperation op) {
  (void)conversion;
  MlirAttribute encoding;
  if (!join_encoding(op, mlirOperationGetOperand(op, 0), &encoding))
    return false;
  change_result(op, 0, encoding);
  return true;
}

/* The operand of a split is laid out as the join of its results would be. */
static bool mend_split(conversion_t *conversion, MlirOperation op) {
  (void)conversion;
  MlirAttribute encoding;
  if (!join_encoding(op, mlirOperationGetResult(op, 0), &encoding))
    return false;
  convert_operand(op, 0, encoding);
  return true;
}

/* cat puts the registers of its operands one after the other: the result holds their sum per thread. */
static bool mend_cat(conversion_t *conversion, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  int64_t shape[NEREID_TTG_MAX_RANK], part[NEREID_TTG_MAX_RANK];
  int32_t size[NEREID_TTG_MAX_RANK], order[NEREID_TTG_MAX_RANK];
  const intptr_t rank = shape_of(type, shape);
  assert(rank >= 1 && rank <= NEREID_TTG_MAX_RANK); /* or it would have got no encoding */
  shape_of(mlirValueGetType(mlirOperationGetOperand(op, 0)), part);
  const nereid_thread_grid_t grid = conversion->grid;
  int64_t threads = (int64_t)grid.num_ctas * grid.num_warps * grid.threads_per_warp, elements = 1, held = 1;
  for (intptr_t d = 0; d < rank; ++d) {
    size[d] = 1;
    order[d] = (int32_t)(rank - 1 - d);
    elements *= shape[d];
    held *= part[d];
  }
  const int64_t per_part = held > threads ? held / threads : 1, so_far = elements > threads ? elements / threads : 1;
  size[order[0]] = (int32_t)(2 * per_part / so_far);
  if (size[order[0]] > 1)
    change_result(op, 0, nereid_ttg_blocked_make(conversion->context, rank, shape, size, order, grid));
  return true;
}

/* The region reads `pack` elements that are consecutive in row-major order: a thread holds that many, of several rows
 * when a row is shorter. */
static bool mend_map(conversion_t *conversion, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  int64_t shape[NEREID_TTG_MAX_RANK];
  int32_t size[NEREID_TTG_MAX_RANK], order[NEREID_TTG_MAX_RANK];
  const intptr_t rank = shape_of(type, shape);
  const int32_t pack = nereid_tt_map_elementwise_get_pack(op);
  assert(rank >= 1 && rank <= NEREID_TTG_MAX_RANK); /* or it would have got no encoding */
  if (pack == 1)
    return true;
  int32_t left = pack;
  for (intptr_t d = rank - 1; d >= 0; --d) {
    size[d] = left < shape[d] ? left : (int32_t)shape[d];
    left /= size[d];
    order[d] = (int32_t)(rank - 1 - d);
  }
  MlirAttribute encoding = nereid_ttg_blocked_make(conversion->context, rank, shape, size, order, conversion->grid);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    convert_operand(op, i, encoding);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    change_result(op, i, encoding);
  return true;
}

/* Both floats of a byte are in its thread. */
static bool mend_fp4(conversion_t *conversion, MlirOperation op) {
  (void)conversion;
  MlirValue bytes = mlirOperationGetOperand(op, 0);
  int64_t shape[NEREID_TTG_MAX_RANK];
  MlirAttribute encoding;
  const intptr_t rank = shape_of(mlirValueGetType(bytes), shape);
  if (!nereid_ttg_infer_fp4_to_fp_encoding(nereid_ttg_encoding_of(bytes), rank, shape,
                                           nereid_ttg_fp4_to_fp_get_axis(op), /*forward=*/true,
                                           mlirOperationGetLocation(op), &encoding))
    return false;
  change_result(op, 0, encoding);
  return true;
}

/* A thread computes a square of results: 4x4, 2x2 or one, as many as there are. */
static MlirAttribute dot_encoding(conversion_t *conversion, MlirType type) {
  int64_t shape[NEREID_TTG_MAX_RANK];
  int32_t size[NEREID_TTG_MAX_RANK], order[NEREID_TTG_MAX_RANK];
  const intptr_t rank = shape_of(type, shape);
  assert(rank >= 2 && rank <= NEREID_TTG_MAX_RANK); /* verified by tt.dot */
  int64_t elements = 1;
  for (intptr_t d = 0; d < rank; ++d) {
    elements *= shape[d];
    size[d] = 1;
    order[d] = (int32_t)(rank - 1 - d);
  }
  const int64_t each = elements / ((int64_t)conversion->grid.num_warps * conversion->grid.threads_per_warp);
  const int32_t edge = each >= 16 ? 4 : each >= 4 ? 2 : 1;
  for (intptr_t d = rank - 2; d < rank; ++d)
    size[d] = shape[d] < edge ? (int32_t)shape[d] : edge;
  return nereid_ttg_blocked_make(conversion->context, rank, shape, size, order, conversion->grid);
}

static bool mend_dot(conversion_t *conversion, MlirOperation op) {
  MlirAttribute parent = dot_encoding(conversion, mlirValueGetType(mlirOperationGetResult(op, 0)));
  for (unsigned i = 0; i < 2; ++i)
    if (!nereid_ttg_dot_op_attr_isa(nereid_ttg_encoding_of(mlirOperationGetOperand(op, i))))
      convert_operand(op, i, nereid_ttg_dot_op_attr_create(conversion->context, i, parent, 0));
  convert_operand(op, 2, parent);
  change_result(op, 0, parent);
  return true;
}

/* --- the pass --- */

typedef struct mend {
  nereid_op_kind_t kind;
  bool (*mend)(conversion_t *conversion, MlirOperation op);
} mend_t;

static const mend_t mends[] = {
    {NEREID_OP_TT_EXPAND_DIMS, mend_expand_dims},
    {NEREID_OP_TT_BROADCAST, mend_broadcast},
    {NEREID_OP_TT_REDUCE, mend_reduce},
    {NEREID_OP_TT_TRANS, mend_trans},
    {NEREID_OP_TT_JOIN, mend_join},
    {NEREID_OP_TT_SPLIT, mend_split},
    {NEREID_OP_TT_CAT, mend_cat},
    {NEREID_OP_TT_MAP_ELEMENTWISE, mend_map},
    {NEREID_OP_TT_DOT, mend_dot},
    {NEREID_OP_TTG_FP4_TO_FP, mend_fp4},
};

static const mend_t *find_mend(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  for (size_t i = 0; i < sizeof mends / sizeof *mends; ++i)
    if (mends[i].kind == kind)
      return &mends[i];
  return NULL;
}

static MlirWalkResult convert_op(MlirOperation op, void *user_data) {
  conversion_t *conversion = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    mlirValueSetType(result, convert_type(conversion, mlirValueGetType(result), mlirOperationGetLocation(op)));
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      convert_values_of_block(conversion, block);
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_ARITH_CONSTANT)
    convert_constant(op);
  else if (kind == NEREID_OP_TT_FUNC)
    convert_function_type(conversion, op);
  else if (find_mend(op) && !nereid_vector_push(conversion->pass->scratch, &conversion->to_mend, op))
    conversion->failed = true;
  return conversion->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void set_module_int(MlirOperation module, const char *name, int64_t value) {
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(module), 32);
  nereid_ir_set_attribute(module, name, mlirIntegerAttrGet(i32, value));
}

static bool read_options(conversion_t *conversion) {
  nereid_pass_t *pass = conversion->pass;
  const int64_t requested = nereid_pass_option_int(pass, "num-warps"), ctas = nereid_pass_option_int(pass, "num-ctas");
  const int64_t lanes = nereid_pass_option_int(pass, "threads-per-warp");
  MlirLocation location = mlirOperationGetLocation(pass->op);
  if (!nereid_is_power_of_two(requested) || requested > 32 || lanes != 32 || !nereid_is_power_of_two(ctas) ||
      ctas > 16) {
    mlirEmitError(location, "expected num-warps a power of two up to 32, threads-per-warp 32 and num-ctas a power of "
                            "two up to 16");
    return false;
  }
  MlirStringRef target = nereid_pass_option_string(pass, "target");
  if (!target.length)
    target = nereid_ttg_target(pass->op);
  if (!target.length)
    target = nereid_ir_ref(NEREID_TTG_DEFAULT_TARGET);
  nereid_ir_set_attribute(pass->op, "ttg.target", mlirStringAttrGet(conversion->context, target));
  int64_t warps = requested;
  if (nereid_pass_option_bool(pass, "consumer-warps") &&
      nereid_target_has_async_proxy(nereid_ttg_compute_capability(pass->op)))
    warps = nereid_consumer_warps(pass->op, requested, ctas);
  if (warps != requested)
    nereid_pass_remark_passed(
        pass, pass->op, "warps",
        "%ld warps instead of %ld: the dots of a loop with tt.warp_specialize are divided between two groups",
        (long)warps, (long)requested);
  conversion->grid = (nereid_thread_grid_t){(int32_t)warps, (int32_t)lanes, (int32_t)ctas};
  set_module_int(pass->op, "ttg.num-warps", warps);
  set_module_int(pass->op, "ttg.num-ctas", ctas);
  set_module_int(pass->op, "ttg.threads-per-warp", lanes);
  return true;
}

MlirLogicalResult nereid_pass_convert_triton_to_tritongpu(nereid_pass_t *pass) {
  conversion_t conversion = {.pass = pass, .context = pass->context};
  if (!read_options(&conversion))
    return mlirLogicalResultFailure();
  mlirOperationWalk(pass->op, convert_op, &conversion, MlirWalkPreOrder);
  for (size_t i = 0; !conversion.failed && i < conversion.to_mend.size; ++i) {
    MlirOperation op = conversion.to_mend.data[i];
    conversion.failed = !find_mend(op)->mend(&conversion, op);
  }
  return conversion.failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
