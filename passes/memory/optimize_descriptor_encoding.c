/* triton-nvidia-optimize-descriptor-encoding: gives each tensor map the encoding of the buffers that its copies fill.
 *
 *   tt.func public @k(%d: !tt.tensordesc<tensor<128x64xf16>>)
 *     %x = tt.descriptor_load %d[%i, %j]
 *     %a = ttg.local_alloc %x : … -> !ttg.memdesc<128x64xf16, #shared, #smem>       #shared = #ttg.nvmma_shared<…>
 *   ->
 *   tt.func public @k(%d: !tt.tensordesc<tensor<128x64xf16, #shared>> {nereid.descriptor = …})
 *
 * TMA then copies to the buffer that a dot reads, without registers in between. A descriptor has one swizzle for all
 * its accesses: that of the first buffer of a loaded tensor that TMA can fill, otherwise the widest (descriptor.h). The
 * host encodes the map with it, as `nereid.descriptor` requests; an attribute that is there already stays. Stores take
 * their tensors before conversions of the layout (tma_stores.h), which therefore need no scratch, in the shape that the
 * store requires.
 *
 * In a cluster of several CTAs each copies its part of a tensor, so the CTA layout of the encoding divides the block
 * into boxes that fit all parts. Where CTAs need the same part, there is a box for each of them, which can load it for
 * all:
 *
 *   two CTAs that need the same 64x128xf32: four boxes of 64x32, since a swizzled row has 128 bytes
 *   the same 64x64xf16: two boxes of 32x64                                    CGALayout = [[1, 0]] */
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "passes/memory/tma_stores.h"
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/descriptor.h"

#include "nereid/dialects/nereid.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { NO_SWIZZLE = -1, SWIZZLED_ROW = 128 /* bytes, at most */, MIN_ROWS = 8 /* rows of a swizzle pattern */ };

/* --- swizzles --- */

/* Bytes of a row of the boxes of `block`. */
static int64_t row_bytes(MlirType block) {
  int64_t box[NEREID_DESCRIPTOR_RANK];
  nereid_descriptor_box(block, box);
  return box[mlirShapedTypeGetRank(block) - 1] * nereid_descriptor_element_bits(block) / 8;
}

/* The swizzle of the first immutable buffer of `loaded` that TMA can fill with boxes of `block`; NO_SWIZZLE when there
 * is none. Reports other ones. */
static int64_t swizzle_of_users(const nereid_pass_t *pass, MlirType block, MlirValue loaded) {
  for (MlirOpOperand use = mlirValueGetFirstUse(loaded); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) != NEREID_OP_TTG_LOCAL_ALLOC)
      continue;
    MlirAttribute encoding = nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(nereid_ir_result(user)));
    if (nereid_ttg_nvmma_shared_attr_isa(encoding) && !nereid_ttg_nvmma_shared_attr_get_transposed(encoding) &&
        !nereid_ttg_nvmma_shared_attr_get_fp4_padded(encoding) &&
        nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(encoding) <= row_bytes(block))
      return nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(encoding);
    nereid_pass_remark_missed(pass, user, "descriptor",
                              "the buffer is filled through registers: TMA cannot store rows in the encoding %s",
                              nereid_text_of_attribute(encoding).chars);
  }
  return NO_SWIZZLE;
}

/* The type of `descriptor` has its boxes. */
static unsigned choose_swizzle(const nereid_pass_t *pass, MlirValue descriptor) {
  MlirAttribute given = nereid_descriptor_given(descriptor);
  MlirType block = nereid_descriptor_block(descriptor);
  int64_t swizzle = mlirAttributeIsNull(given) ? NO_SWIZZLE : nereid_nereid_descriptor_attr_get_swizzle(given);
  for (MlirOpOperand use = mlirValueGetFirstUse(descriptor); swizzle == NO_SWIZZLE && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (nereid_op_kind(mlirOpOperandGetOwner(use)) == NEREID_OP_TT_DESCRIPTOR_LOAD)
      swizzle = swizzle_of_users(pass, block, nereid_ir_result(mlirOpOperandGetOwner(use)));
  return swizzle == NO_SWIZZLE ? nereid_descriptor_swizzle(block) : (unsigned)swizzle;
}

/* --- boxes --- */

/* The tensor that `access` loads or stores. */
static MlirType tensor_of(MlirOperation access) {
  return mlirValueGetType(mlirOperationGetNumResults(access) ? nereid_ir_result(access)
                                                             : mlirOperationGetOperand(access, 1));
}

/* Reduces `box`, of a block of `rank` dimensions, to what the part of `tensor` in a CTA contains. Returns the number of
 * CTAs that have the same part. */
static int64_t fit_part(MlirType tensor, int rank, int64_t *box) {
  int64_t part[NEREID_DESCRIPTOR_RANK], copies = 1;
  const int held = (int)mlirShapedTypeGetRank(tensor);
  nereid_ttg_bases_t bases;
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(tensor);
  if (held > rank || mlirAttributeIsNull(encoding) || !nereid_ttg_cga_read(encoding, &bases))
    return 1;
  nereid_ttg_part_of_tensor(tensor, held, part);
  for (int d = 0; d < held; ++d)
    if (part[d] < box[rank - held + d])
      box[rank - held + d] = part[d];
  for (int i = 0; i < bases.count; ++i) {
    bool divides = false;
    for (int d = 0; d < bases.rank; ++d)
      divides = divides || bases.vectors[i][d];
    copies *= divides ? 1 : 2;
  }
  return copies;
}

/* Divides `box` along its outermost dimensions into `copies` boxes or more, of MIN_ROWS rows at least. A block of a
 * swizzled row already consists of several. */
static void divide_for_copies(MlirType block, int64_t copies, int64_t *box) {
  const intptr_t rank = mlirShapedTypeGetRank(block);
  int64_t rows = 1, boxes = box[rank - 1] * nereid_descriptor_element_bits(block) / (8 * SWIZZLED_ROW);
  for (intptr_t d = 0; d + 1 < rank; ++d)
    rows *= box[d];
  boxes = boxes ? boxes : 1;
  for (intptr_t d = 0; d + 1 < rank; ++d)
    for (; boxes < copies && box[d] > 1 && rows >= 2 * MIN_ROWS; boxes *= 2, rows /= 2)
      box[d] /= 2;
}

/* The CTA layout that divides the block of `descriptor` into boxes; null when a box is the whole block. */
static MlirAttribute choose_boxes(MlirValue descriptor) {
  MlirType block = nereid_descriptor_block(descriptor);
  const int rank = (int)mlirShapedTypeGetRank(block);
  int64_t box[NEREID_DESCRIPTOR_RANK] = {0}, copies = 1;
  nereid_ttg_bases_t bases = {.rank = rank};
  nereid_descriptor_box(block, box);
  for (MlirOpOperand use = mlirValueGetFirstUse(descriptor); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation access = mlirOpOperandGetOwner(use);
    const int64_t same = fit_part(tensor_of(access), rank, box);
    if (nereid_op_kind(access) == NEREID_OP_TT_DESCRIPTOR_LOAD && same > copies)
      copies = same;
  }
  divide_for_copies(block, copies, box);
  for (int d = 0; d < rank; ++d)
    for (int32_t step = 1; box[d] * step < mlirShapedTypeGetDimSize(block, d); step *= 2)
      bases.vectors[bases.count++][d] = step;
  return nereid_ttg_cga_make(mlirTypeGetContext(block), &bases);
}

/* --- types --- */

static bool is_access(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
  case NEREID_OP_TT_DESCRIPTOR_STORE:
  case NEREID_OP_TT_DESCRIPTOR_REDUCE:
    return true;
  default:
    return false;
  }
}

/* Whether the type of `descriptor` can change: it has no encoding, and is only accessed. */
static bool is_free(MlirValue descriptor) {
  MlirType block = nereid_descriptor_block(descriptor);
  bool free = mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(block)) && mlirShapedTypeGetRank(block) > 0 &&
              mlirShapedTypeGetRank(block) <= NEREID_DESCRIPTOR_RANK;
  for (MlirOpOperand use = mlirValueGetFirstUse(descriptor); free && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    free = is_access(mlirOpOperandGetOwner(use));
  return free;
}

static MlirType with_encoding(MlirType block, unsigned swizzle, MlirAttribute boxes) {
  MlirContext context = mlirTypeGetContext(block);
  const intptr_t rank = mlirShapedTypeGetRank(block);
  int64_t shape[NEREID_DESCRIPTOR_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(block, d);
  MlirAttribute encoding =
      nereid_ttg_nvmma_shared_attr_create(context, swizzle, /*transposed=*/false, nereid_descriptor_element_bits(block),
                                          /*fp4_padded=*/false, boxes, (unsigned)rank);
  return nereid_tt_tensordesc_type_create(
      context, mlirRankedTensorTypeGet(rank, shape, mlirShapedTypeGetElementType(block), encoding));
}

/* Sets the types of the function's parameters to those of its arguments. */
static bool update_signature(const nereid_pass_t *pass, MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(nereid_ir_attribute(function, NEREID_ATTR_FUNCTION_TYPE));
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  const intptr_t n = mlirFunctionTypeGetNumInputs(type), n_results = mlirFunctionTypeGetNumResults(type);
  MlirType *types = nereid_arena_new(pass->scratch, MlirType, (size_t)(n + n_results));
  for (intptr_t i = 0; types && i < n + n_results; ++i)
    types[i] = i < n ? mlirValueGetType(mlirBlockGetArgument(entry, i)) : mlirFunctionTypeGetResult(type, i - n);
  if (types)
    nereid_ir_set_attribute(function, NEREID_ATTR_FUNCTION_TYPE,
                            mlirTypeAttrGet(mlirFunctionTypeGet(pass->context, n, types, n_results, types + n)));
  return types != NULL;
}

static bool encode(const nereid_pass_t *pass, MlirOperation op, MlirValue descriptor) {
  if (is_free(descriptor)) {
    MlirAttribute boxes = choose_boxes(descriptor);
    mlirValueSetType(descriptor, with_encoding(nereid_descriptor_block(descriptor), 0, boxes));
    mlirValueSetType(descriptor,
                     with_encoding(nereid_descriptor_block(descriptor), choose_swizzle(pass, descriptor), boxes));
  }
  return nereid_descriptor_describe(pass, op, descriptor);
}

static bool encode_arguments(const nereid_pass_t *pass, MlirOperation function) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (mlirBlockIsNull(entry) || !nereidMlirFunctionIsPublic(function))
    return true;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    if (nereid_tt_tensordesc_type_isa(mlirValueGetType(mlirBlockGetArgument(entry, i))) &&
        !encode(pass, function, mlirBlockGetArgument(entry, i)))
      return false;
  return update_signature(pass, function);
}

static bool is_source(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_FUNC:
  case NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR:
  case NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR:
    return true;
  default:
    return false;
  }
}

MlirLogicalResult nereid_pass_triton_nvidia_optimize_descriptor_encoding(nereid_pass_t *pass) {
  nereid_operations_t ops = {0}, accesses = {0};
  bool good = nereid_collect(pass->op, is_source, pass->scratch, &ops) &&
              nereid_collect(pass->op, is_access, pass->scratch, &accesses);
  if (good)
    nereid_tma_stores_skip_conversions(&accesses);
  for (size_t i = 0; good && i < ops.size; ++i)
    good = nereid_op_kind(ops.data[i]) == NEREID_OP_TT_FUNC ? encode_arguments(pass, ops.data[i])
                                                            : encode(pass, ops.data[i], nereid_ir_result(ops.data[i]));
  return good && !pass->scratch->failed ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
