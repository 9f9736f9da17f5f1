/* triton-rewrite-tensor-descriptor-to-pointer: rewrites accesses through tensor descriptors that cannot be TMA copies
 * to masked loads and stores.
 *
 *   tt.func public @k(%d: !tt.tensordesc<tensor<64x32xf16>>, %m: i32, %n: i32, %s: i64, %t: i64)
 *     %x = tt.descriptor_load %d[%i, %j]
 *   ->
 *   tt.func public @k(%d: !tt.ptr<f16>, %d: i64, %d: i64, %d: i64, %d: i64, %d: i1, %m: i32, …)
 *     %x = tt.load %pointers, %mask, %padding : tensor<64x32x!tt.ptr<f16>>
 *
 * A descriptor consists of its base, its shape and strides (i64) and a flag: whether out-of-bounds elements read as NaN
 * (docs/abi.md). The requirements of TMA hold here too: the base and all strides but the last are multiples of 16
 * bytes, and the last stride is 1, so that accesses are as wide as through any other pointer. `nereid.role` describes
 * each argument to the launcher.
 *
 * With compute-capability of 90 or more, arguments of kernels stay descriptors, which the launcher passes as tensor
 * maps, unless passes/support/descriptor.h or several CTAs per cluster prevent TMA; a remark has the reason.
 * Descriptors from ttng.reinterpret_tensor_descriptor are tensor maps and do not change. Requires tensors without
 * encodings. */
#include "base/target_facts.h"
#include "passes/support/block_access.h"
#include "passes/support/collect.h"
#include "passes/support/descriptor.h"
#include "passes/support/expand.h"

#include "dialects/constant_integer.h"
#include "dialects/defining_op.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/nereid.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <assert.h>
#include <math.h>

enum { TMA_BYTES = 16 };

static MlirType block_of(MlirType type) {
  return nereid_tt_tensordesc_type_get_block_type(type);
}

/* The signless element type, as for tensors in registers. */
static MlirType element_of(MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(block_of(type));
  return mlirTypeIsAInteger(element) ? mlirIntegerTypeGet(mlirTypeGetContext(type), mlirIntegerTypeGetWidth(element))
                                     : element;
}

static intptr_t parts(MlirType type, MlirType *out) {
  if (!nereid_tt_tensordesc_type_isa(type))
    return 0;
  MlirContext context = mlirTypeGetContext(type);
  const intptr_t rank = mlirShapedTypeGetRank(block_of(type));
  if (rank > NEREID_BLOCK_RANK)
    return 0;
  out[0] = nereid_tt_ptr_type_create(context, element_of(type), 1);
  for (intptr_t i = 0; i < 2 * rank; ++i)
    out[1 + i] = mlirIntegerTypeGet(context, 64);
  out[1 + 2 * rank] = mlirIntegerTypeGet(context, 1);
  return 2 + 2 * rank;
}

/* --- arguments --- */

static MlirNamedAttribute named(MlirContext context, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, mlirStringRefCreateFromCString(name)), value);
}

static MlirAttribute role(MlirContext context, nereid_nereid_role_kind_t kind, int group, int dimension) {
  return nereid_nereid_role_attr_create(context, kind, group, dimension);
}

/* `nereid.descriptor` of the base: the element type and the whole block, from which the host computes TMA boxes. */
static MlirAttribute descriptor_attribute(MlirType type, MlirAttribute attributes) {
  MlirAttribute given =
      mlirDictionaryAttrGetElementByName(attributes, mlirStringRefCreateFromCString("nereid.descriptor"));
  int32_t block[NEREID_BLOCK_RANK] = {0};
  const intptr_t rank = mlirShapedTypeGetRank(block_of(type));
  if (!mlirAttributeIsNull(given))
    return given;
  for (intptr_t d = 0; d < rank; ++d)
    block[d] = (int32_t)mlirShapedTypeGetDimSize(block_of(type), d);
  return nereid_nereid_descriptor_attr_create(mlirTypeGetContext(type), element_of(type),
                                              mlirDenseI32ArrayGet(mlirTypeGetContext(type), rank, block), 0, false,
                                              false);
}

static unsigned element_bits(MlirType type) {
  return nereid_descriptor_element_bits(block_of(type));
}

static MlirAttribute divisibility(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), value);
}

static MlirAttribute argument(MlirType type, MlirAttribute attributes, intptr_t part, int group) {
  MlirContext context = mlirTypeGetContext(type);
  const intptr_t rank = mlirShapedTypeGetRank(block_of(type));
  const unsigned bits = element_bits(type);
  assert(bits > 0); /* checked before the signature changes */
  const int64_t multiple = INT64_C(8) * TMA_BYTES / bits;
  MlirNamedAttribute out[3];
  intptr_t n = 0;
  if (part == 0) {
    out[n++] = named(context, "nereid.role", role(context, NEREID_NEREID_ROLE_KIND_BASE, group, -1));
    out[n++] = named(context, "nereid.descriptor", descriptor_attribute(type, attributes));
    out[n++] = named(context, "tt.divisibility", divisibility(context, TMA_BYTES));
  } else if (part <= rank) {
    out[n++] = named(context, "nereid.role", role(context, NEREID_NEREID_ROLE_KIND_SHAPE, group, (int)part - 1));
  } else if (part <= 2 * rank) {
    const int dimension = (int)(part - 1 - rank);
    out[n++] = named(context, "nereid.role", role(context, NEREID_NEREID_ROLE_KIND_STRIDE, group, dimension));
    if (dimension + 1 < rank && multiple > 1)
      out[n++] = named(context, "tt.divisibility", divisibility(context, multiple));
  } else {
    out[n++] = named(context, "nereid.role", role(context, NEREID_NEREID_ROLE_KIND_PADDING, group, -1));
  }
  return mlirDictionaryAttrGet(context, n, out);
}

/* --- values --- */

/* Checks the last stride, which is not part of the address computation: a constant other than 1 is an error. */
static bool check_last_stride(MlirOperation op, intptr_t rank) {
  int64_t stride;
  if (rank < 1 || !nereid_constant_integer(nereid_tt_make_tensor_descriptor_get_strides(op, rank - 1), &stride) ||
      stride == 1)
    return true;
  nereid_diagnose(
      op,
      "has %lld as its last stride, expected 1: elements of the last dimension must be contiguous; describe "
      "the tensor with one more dimension of size 1, or access it through pointers",
      (long long)stride);
  return false;
}

/* Checks a stride that is a constant, of a dimension with several elements. */
static bool check_stride(MlirOperation op, intptr_t d, unsigned bits) {
  enum { UNIT = 16 /* bytes (PTX ISA, "Tensor dimension, size and format") */ };
  int64_t stride, size;
  if (!nereid_constant_integer(nereid_tt_make_tensor_descriptor_get_strides(op, d), &stride) ||
      (nereid_constant_integer(nereid_tt_make_tensor_descriptor_get_shape(op, d), &size) && size == 1))
    return true;
  const int64_t limit = (INT64_C(1) << 40) / (bits / 8);
  if (stride >= 0 && stride < limit && stride * (int64_t)bits / 8 % UNIT == 0)
    return true;
  nereid_diagnose(op,
                  "has stride %lld of %u-bit elements in dimension %ld, expected a multiple of %d bytes from 0 to less "
                  "than 2^40 bytes, as TMA requires: pad the rows, or access the tensor through pointers",
                  (long long)stride, bits, (long)d, (int)UNIT);
  return false;
}

/* Checks the sizes and strides that are constants. */
static bool check_constants(MlirOperation op) {
  const intptr_t rank = nereid_tt_make_tensor_descriptor_get_shape_count(op);
  const unsigned bits = element_bits(mlirValueGetType(mlirOperationGetResult(op, 0)));
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t size;
    if (nereid_constant_integer(nereid_tt_make_tensor_descriptor_get_shape(op, d), &size) && size < 1) {
      nereid_diagnose(op, "has %lld elements in dimension %ld, expected at least 1", (long long)size, (long)d);
      return false;
    }
    if (d + 1 < rank && bits >= 8 && !check_stride(op, d, bits))
      return false;
  }
  return check_last_stride(op, rank);
}

static bool make(nereid_expand_t *expand, MlirOperation op) {
  MlirValue made[NEREID_EXPAND_PARTS];
  const intptr_t rank = nereid_tt_make_tensor_descriptor_get_shape_count(op);
  if (!check_constants(op))
    return false;
  nereid_builder_t builder = nereid_builder_before(op);
  MlirContext context = expand->pass->context;
  const bool nan = nereid_tt_make_tensor_descriptor_get_padding(op) == NEREID_TT_PADDING_OPTION_PAD_NAN;
  made[0] = nereid_tt_make_tensor_descriptor_get_base(op);
  for (intptr_t d = 0; d < rank; ++d) {
    made[1 + d] = nereid_arith_extsi_get_out(nereid_arith_extsi_build(
        &builder, mlirIntegerTypeGet(context, 64), nereid_tt_make_tensor_descriptor_get_shape(op, d)));
    made[1 + rank + d] = nereid_tt_make_tensor_descriptor_get_strides(op, d);
  }
  made[1 + 2 * rank] = nereid_arith_constant_get_result(
      nereid_arith_constant_build(&builder, mlirIntegerAttrGet(mlirIntegerTypeGet(context, 1), nan)));
  nereid_expand_set(expand, mlirOperationGetResult(op, 0), 2 + 2 * rank, made);
  return true;
}

/* --- accesses --- */

typedef struct through {
  nereid_block_access_t access;
  MlirValue nan; /* i1 */
} through_t;

/* Begins the rewrite of an access by `op` to a tensor of `type`; the caller sets offsets and rows. */
static bool begin(const nereid_expand_t *expand, MlirOperation op, MlirValue descriptor, MlirType type,
                  through_t *out) {
  const MlirValue *from = nereid_expand_get(expand, descriptor);
  nereid_block_access_t *access = &out->access;
  if (!from) {
    mlirEmitError(mlirOperationGetLocation(op), "this tensor descriptor has a defining op that cannot be rewritten");
    return false;
  }
  if (!mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type))) {
    nereid_diagnose(op,
                    "has a tensor with an encoding; descriptors must be rewritten before convert-triton-to-tritongpu");
    return false;
  }
  *access = (nereid_block_access_t){.builder = nereid_builder_before(op), .type = type, .base = from[0]};
  access->rank = (int)mlirShapedTypeGetRank(block_of(mlirValueGetType(descriptor)));
  access->checked = (UINT32_C(1) << access->rank) - 1;
  for (int d = 0; d < access->rank; ++d) {
    access->shape[d] = from[1 + d];
    access->strides[d] = d + 1 < access->rank ? from[1 + access->rank + d] : (MlirValue){NULL};
  }
  out->nan = from[1 + 2 * access->rank];
  return true;
}

static void set_offsets(through_t *through, MlirOperation op, MlirValue (*get)(MlirOperation op, intptr_t i)) {
  for (int d = 0; d < through->access.rank; ++d)
    through->access.offsets[d] = get(op, d);
}

/* Sets row indices and the first column. */
static void set_rows(through_t *through, MlirValue rows, MlirValue column) {
  through->access.rows = rows;
  through->access.offsets[1] = column;
}

/* Zeros, or NaN when the descriptor's flag is set; integers are always zero. */
static MlirValue padding(through_t *through) {
  nereid_block_access_t *access = &through->access;
  MlirType element = mlirShapedTypeGetElementType(access->type);
  if (!mlirTypeIsAFloat(element))
    return nereid_block_padding(access, false);
  MlirAttribute nan = mlirFloatAttrDoubleGet(mlirTypeGetContext(element), element, NAN);
  MlirAttribute zero = mlirFloatAttrDoubleGet(mlirTypeGetContext(element), element, 0.0);
  MlirValue choice = nereid_arith_select_get_result(
      nereid_arith_select_build(&access->builder, through->nan,
                                nereid_arith_constant_get_result(nereid_arith_constant_build(&access->builder, nan)),
                                nereid_arith_constant_get_result(nereid_arith_constant_build(&access->builder, zero))));
  return nereid_tt_splat_get_result(nereid_tt_splat_build(&access->builder, access->type, choice));
}

static bool load(MlirOperation op, through_t *through, nereid_tt_cache_modifier_t cache,
                 nereid_tt_eviction_policy_t evict) {
  MlirValue pointers = nereid_block_pointers(&through->access), mask = nereid_block_mask(&through->access);
  MlirOperation made = nereid_tt_load_build(&through->access.builder, pointers, mask, padding(through), 0, NULL,
                                            (MlirAttribute){NULL}, cache, evict, false);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetResult(made, 0));
  return true;
}

static bool store(through_t *through, MlirValue value) {
  MlirValue pointers = nereid_block_pointers(&through->access), mask = nereid_block_mask(&through->access);
  nereid_tt_store_build(&through->access.builder, pointers, value, mask, 0, NULL, NEREID_TT_CACHE_MODIFIER_NONE,
                        NEREID_TT_EVICTION_POLICY_NORMAL);
  return true;
}

/* The atomic function of tt.atomic_rmw; 0 when there is none. */
static int atomic_function(nereid_tt_descriptor_reduce_kind_t kind, MlirType element) {
  const bool is_float = mlirTypeIsAFloat(element), is_unsigned = !is_float && mlirIntegerTypeIsUnsigned(element);
  switch (kind) {
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_ADD:
    return is_float ? NEREID_TT_RMW_OP_FADD : NEREID_TT_RMW_OP_ADD;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_MIN:
    return is_unsigned ? NEREID_TT_RMW_OP_UMIN : NEREID_TT_RMW_OP_MIN;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_MAX:
    return is_unsigned ? NEREID_TT_RMW_OP_UMAX : NEREID_TT_RMW_OP_MAX;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_INC:
    return is_float ? 0 : NEREID_TT_RMW_OP_INC;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_DEC:
    return is_float ? 0 : NEREID_TT_RMW_OP_DEC;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_AND:
    return is_float ? 0 : NEREID_TT_RMW_OP_AND;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_OR:
    return is_float ? 0 : NEREID_TT_RMW_OP_OR;
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_XOR:
    return is_float ? 0 : NEREID_TT_RMW_OP_XOR;
  default:
    return 0;
  }
}

static bool reduce(MlirOperation op, through_t *through) {
  MlirType block = block_of(mlirValueGetType(nereid_tt_descriptor_reduce_get_desc(op)));
  const int function = atomic_function(nereid_tt_descriptor_reduce_get_kind(op), mlirShapedTypeGetElementType(block));
  if (!function) {
    nereid_diagnose(op, "combines %s in a way that pointer atomics do not support",
                    nereid_text_of_type(mlirShapedTypeGetElementType(block)).chars);
    return false;
  }
  MlirValue pointers = nereid_block_pointers(&through->access), mask = nereid_block_mask(&through->access);
  nereid_tt_atomic_rmw_build(&through->access.builder, pointers, nereid_tt_descriptor_reduce_get_src(op), mask,
                             (nereid_tt_rmw_op_t)function, NEREID_TT_MEM_SEMANTIC_RELAXED,
                             NEREID_TT_MEM_SYNC_SCOPE_GPU);
  return true;
}

static bool rewrite_load(nereid_expand_t *expand, MlirOperation op) {
  through_t through;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (!begin(expand, op, nereid_tt_descriptor_load_get_desc(op), type, &through))
    return false;
  set_offsets(&through, op, nereid_tt_descriptor_load_get_indices);
  return load(op, &through, nereid_tt_descriptor_load_get_cache(op), nereid_tt_descriptor_load_get_evict(op));
}

static bool rewrite_store(nereid_expand_t *expand, MlirOperation op) {
  through_t through;
  MlirValue value = nereid_tt_descriptor_store_get_src(op);
  if (!begin(expand, op, nereid_tt_descriptor_store_get_desc(op), mlirValueGetType(value), &through))
    return false;
  set_offsets(&through, op, nereid_tt_descriptor_store_get_indices);
  return store(&through, value);
}

static bool rewrite_reduce(nereid_expand_t *expand, MlirOperation op) {
  through_t through;
  MlirType type = mlirValueGetType(nereid_tt_descriptor_reduce_get_src(op));
  if (!begin(expand, op, nereid_tt_descriptor_reduce_get_desc(op), type, &through))
    return false;
  set_offsets(&through, op, nereid_tt_descriptor_reduce_get_indices);
  return reduce(op, &through);
}

static bool rewrite_gather(nereid_expand_t *expand, MlirOperation op) {
  through_t through;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (!begin(expand, op, nereid_tt_descriptor_gather_get_desc(op), type, &through))
    return false;
  set_rows(&through, nereid_tt_descriptor_gather_get_x_offsets(op), nereid_tt_descriptor_gather_get_y_offset(op));
  return load(op, &through, NEREID_TT_CACHE_MODIFIER_NONE, NEREID_TT_EVICTION_POLICY_NORMAL);
}

static bool rewrite_scatter(nereid_expand_t *expand, MlirOperation op) {
  through_t through;
  MlirValue value = nereid_tt_descriptor_scatter_get_src(op);
  if (!begin(expand, op, nereid_tt_descriptor_scatter_get_desc(op), mlirValueGetType(value), &through))
    return false;
  set_rows(&through, nereid_tt_descriptor_scatter_get_x_offsets(op), nereid_tt_descriptor_scatter_get_y_offset(op));
  return store(&through, value);
}

typedef struct row {
  nereid_op_kind_t kind;
  bool (*rewrite)(nereid_expand_t *expand, MlirOperation op);
} row_t;

static const row_t rows[] = {
    {NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR, make},      {NEREID_OP_TT_DESCRIPTOR_LOAD, rewrite_load},
    {NEREID_OP_TT_DESCRIPTOR_STORE, rewrite_store},   {NEREID_OP_TT_DESCRIPTOR_REDUCE, rewrite_reduce},
    {NEREID_OP_TT_DESCRIPTOR_GATHER, rewrite_gather}, {NEREID_OP_TT_DESCRIPTOR_SCATTER, rewrite_scatter},
};

static const row_t *find_row(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].kind == kind)
      return &rows[i];
  return NULL;
}

/* Whether `value` is a tensor map: opaque, or an argument in the set `maps`. triton-nvidia-tma-lowering lowers accesses
 * through it. */
static bool is_tensor_map(MlirValue value, const void *maps) {
  return nereid_map_find(maps, value.ptr) ||
         !mlirOperationIsNull(nereid_defining_op_of_kind(value, NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR));
}

static bool rewrite(nereid_expand_t *expand, MlirOperation op, bool *done) {
  const row_t *row = find_row(op);
  if (row && is_tensor_map(row->rewrite == make ? mlirOperationGetResult(op, 0) : mlirOperationGetOperand(op, 0),
                           expand->rules->data))
    row = NULL;
  *done = row != NULL;
  return !row || row->rewrite(expand, op);
}

/* --- arguments that follow a descriptor in the signature --- */

static bool has_role(MlirAttribute attributes) {
  return !mlirAttributeIsNull(
      mlirDictionaryAttrGetElementByName(attributes, mlirStringRefCreateFromCString("nereid.role")));
}

static MlirAttribute with_role(MlirContext context, MlirAttribute attributes, MlirAttribute value) {
  MlirNamedAttribute all[32];
  const intptr_t n = mlirDictionaryAttrGetNumElements(attributes);
  if (n >= 32)
    return attributes;
  for (intptr_t i = 0; i < n; ++i)
    all[i] = mlirDictionaryAttrGetElement(attributes, i);
  all[n] = named(context, "nereid.role", value);
  return mlirDictionaryAttrGet(context, n + 1, all);
}

/* Whether the locations of both have names that belong together; text without names has none for either. */
static bool is_named_part(MlirValue part, MlirValue descriptor, bool is_shape, int dimension) {
  MlirLocation x = mlirValueGetLocation(part), y = mlirValueGetLocation(descriptor);
  if (!mlirLocationIsAName(x) || !mlirLocationIsAName(y))
    return mlirLocationIsAName(x) == mlirLocationIsAName(y);
  return nereid_descriptor_names_part(mlirIdentifierStr(mlirLocationNameGetName(x)),
                                      mlirIdentifierStr(mlirLocationNameGetName(y)), is_shape, dimension);
}

/* Marks the n shapes (i32) and n strides (i64) that the front end places after a descriptor. */
static void mark_followers(MlirBlock entry, intptr_t descriptor, int group, MlirAttribute *attributes) {
  MlirValue first = mlirBlockGetArgument(entry, descriptor);
  const intptr_t rank = mlirShapedTypeGetRank(block_of(mlirValueGetType(first)));
  MlirContext context = mlirTypeGetContext(mlirValueGetType(first));
  for (intptr_t i = 0; i < 2 * rank && descriptor + 1 + i < mlirBlockGetNumArguments(entry); ++i) {
    const intptr_t at = descriptor + 1 + i;
    MlirValue follower = mlirBlockGetArgument(entry, at);
    MlirType type = mlirValueGetType(follower);
    if (!mlirTypeIsAInteger(type) || mlirIntegerTypeGetWidth(type) != (i < rank ? 32 : 64) ||
        !is_named_part(follower, first, i < rank, (int)(i % rank)) || has_role(attributes[at]))
      return;
    const nereid_nereid_role_kind_t kind = i < rank ? NEREID_NEREID_ROLE_KIND_SHAPE : NEREID_NEREID_ROLE_KIND_STRIDE;
    attributes[at] = with_role(context, attributes[at], role(context, kind, group, (int)(i % rank)));
  }
}

/* Whether a host can encode the tensor of a kernel's argument (cuTensorMapEncodeTiled); emits a diagnostic when not. */
static bool check_argument(MlirValue argument) {
  MlirType block = block_of(mlirValueGetType(argument));
  const unsigned bits = element_bits(mlirValueGetType(argument));
  const intptr_t rank = mlirShapedTypeGetRank(block);
  if (rank >= 1 && rank <= NEREID_DESCRIPTOR_RANK && (bits == 8 || bits == 16 || bits == 32 || bits == 64))
    return true;
  nereid_diagnose_at(
      mlirValueGetLocation(argument),
      "argument of type %s, expected a descriptor of 1 to %d dimensions with elements of 8, 16, 32 or 64 "
      "bits",
      nereid_text_of_type(mlirValueGetType(argument)).chars, (int)NEREID_DESCRIPTOR_RANK);
  return false;
}

/* --- arguments that stay descriptors --- */

/* Why `descriptor` cannot be a tensor map; null if it can. */
static const char *obstacle(const nereid_pass_t *pass, MlirValue descriptor) {
  if (!nereid_target_has_async_proxy((int)nereid_pass_option_int(pass, "compute-capability")))
    return "the target has no TMA";
  return nereid_descriptor_obstacle(descriptor);
}

/* Adds the descriptors that the kernel creates, and that stay descriptors, to the set `maps`. */
static bool keep_made(const nereid_pass_t *pass, MlirOperation function, nereid_map_t *maps) {
  enum { RAW_STRIDES = 86 /* PTX version */ };
  nereid_operations_t ops = {0};
  if (!nereid_collect_kind(function, NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR, pass->scratch, &ops))
    return false;
  for (size_t i = 0; i < ops.size; ++i) {
    MlirOperation op = ops.data[i];
    const char *why = obstacle(pass, mlirOperationGetResult(op, 0));
    if (!why && nereid_pass_option_int(pass, "ptx-version") < RAW_STRIDES)
      why = "tensor maps are created in PTX 8.6 and later";
    if (!why && !nereid_pass_option_bool(pass, "made"))
      why = "tensor maps are created on sm_90a, not on sm_90";
    uintptr_t *place = why ? NULL : nereid_map_insert(maps, mlirOperationGetResult(op, 0).ptr);
    if (why)
      nereid_pass_remark_missed(pass, op, "descriptor", "rewritten to a pointer: %s", why);
    if (place)
      *place = 1;
    if (place && !check_constants(op))
      return false;
  }
  return true;
}

/* Adds `argument` to the set `maps` if it stays a descriptor, and returns its attributes. */
static MlirAttribute keep_argument(const nereid_pass_t *pass, MlirOperation function, MlirValue argument, int group,
                                   MlirAttribute attributes, nereid_map_t *maps) {
  const char *why = obstacle(pass, argument);
  uintptr_t *place = why ? NULL : nereid_map_insert(maps, argument.ptr);
  if (why)
    nereid_pass_remark_missed(pass, function, "descriptor", "argument %d is rewritten to a pointer: %s",
                              (int)mlirBlockArgumentGetArgNumber(argument), why);
  if (!place)
    return attributes;
  *place = 1;
  if (has_role(attributes))
    return attributes;
  return with_role(pass->context, attributes, role(pass->context, NEREID_NEREID_ROLE_KIND_DESCRIPTOR, group, -1));
}

static bool mark_function(nereid_pass_t *pass, MlirOperation function, nereid_map_t *maps) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  const intptr_t n = mlirBlockIsNull(entry) ? 0 : mlirBlockGetNumArguments(entry);
  MlirAttribute *attributes = nereid_arena_new(pass->scratch, MlirAttribute, (size_t)n);
  int group = 0;
  for (intptr_t i = 0; attributes && i < n; ++i) {
    MlirAttribute old = nereid_ir_argument_attributes(function, i);
    attributes[i] = mlirAttributeIsNull(old) ? mlirDictionaryAttrGet(pass->context, 0, NULL) : old;
  }
  for (intptr_t i = 0; attributes && i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    if (!nereid_tt_tensordesc_type_isa(mlirValueGetType(argument)))
      continue;
    if (!check_argument(argument))
      return false;
    attributes[i] = keep_argument(pass, function, argument, group, attributes[i], maps);
    mark_followers(entry, i, group++, attributes);
  }
  if (group && attributes)
    nereid_ir_set_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES, mlirArrayAttrGet(pass->context, n, attributes));
  return attributes || !n;
}

MlirLogicalResult nereid_pass_triton_rewrite_tensor_descriptor_to_pointer(nereid_pass_t *pass) {
  nereid_map_t maps; /* arguments that stay descriptors -> 1 */
  nereid_map_initialize(&maps, pass->scratch);
  const nereid_expand_rules_t rules = {.what = "a tensor descriptor",
                                       .parts = parts,
                                       .rewrite = rewrite,
                                       .keeps = is_tensor_map,
                                       .data = &maps,
                                       .argument = argument};
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(pass->op));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TT_FUNC && nereidMlirFunctionIsPublic(op) &&
        (!mark_function(pass, op, &maps) || !keep_made(pass, op, &maps)))
      return mlirLogicalResultFailure();
  return nereid_expand_run(pass, &rules);
}
