/* Limits of TMA; see descriptor.h. The sources are the PTX ISA ("cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor")
 * and the CUDA driver API (cuTensorMapEncodeTiled). */
#include "passes/support/descriptor.h"

#include "analysis/allocation/scratch.h"
#include "dialects/constant_integer.h"
#include "dialects/defining_op.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/nereid.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/support/residue.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdio.h>
#include <string.h>

enum { SWIZZLE_ROWS = 8, MIN_SWIZZLE = 32, MAX_SWIZZLE = 128, MIN_ROW = 16 /* bytes */ };

MlirType nereid_descriptor_block(MlirValue descriptor) {
  return nereid_tt_tensordesc_type_get_block_type(mlirValueGetType(descriptor));
}

unsigned nereid_descriptor_element_bits(MlirType block) {
  MlirType element = mlirShapedTypeGetElementType(block);
  if (mlirTypeIsAInteger(element))
    return mlirIntegerTypeGetWidth(element);
  return mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element) : 0;
}

void nereid_descriptor_box(MlirType block, int64_t *out) {
  const int rank = (int)mlirShapedTypeGetRank(block);
  nereid_ttg_part_of_tensor(block, rank < NEREID_DESCRIPTOR_RANK ? rank : NEREID_DESCRIPTOR_RANK, out);
}

/* Bytes of a row of a box; of a block of too many dimensions, of the block. */
static int64_t row_bytes(MlirType block) {
  const intptr_t rank = mlirShapedTypeGetRank(block);
  int64_t box[NEREID_DESCRIPTOR_RANK];
  nereid_descriptor_box(block, box);
  return (rank <= NEREID_DESCRIPTOR_RANK ? box[rank - 1] : mlirShapedTypeGetDimSize(block, rank - 1)) *
         nereid_descriptor_element_bits(block) / 8;
}

unsigned nereid_descriptor_swizzle(MlirType block) {
  int64_t rows = 1, box[NEREID_DESCRIPTOR_RANK] = {0};
  unsigned swizzle = MAX_SWIZZLE;
  nereid_descriptor_box(block, box);
  for (intptr_t d = 0; d + 1 < mlirShapedTypeGetRank(block) && d < NEREID_DESCRIPTOR_RANK; ++d)
    rows *= box[d];
  while (swizzle > row_bytes(block))
    swizzle /= 2;
  return rows >= SWIZZLE_ROWS && swizzle >= MIN_SWIZZLE ? swizzle : 0;
}

unsigned nereid_descriptor_swizzle_of(MlirValue descriptor) {
  MlirType block = nereid_descriptor_block(descriptor);
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(block);
  return !mlirAttributeIsNull(encoding) && nereid_ttg_nvmma_shared_attr_isa(encoding)
             ? (unsigned)nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(encoding)
             : nereid_descriptor_swizzle(block);
}

MlirAttribute nereid_descriptor_buffer_encoding(MlirValue descriptor, MlirType tensor) {
  MlirType block = nereid_descriptor_block(descriptor);
  MlirContext context = mlirTypeGetContext(block);
  /* Before the descriptor has an encoding, its boxes are those of this tensor, parts of the block in a cluster. */
  const bool is_encoded = !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(block));
  const unsigned swizzle = is_encoded ? nereid_descriptor_swizzle_of(descriptor) : nereid_descriptor_swizzle(tensor);
  return nereid_ttg_nvmma_shared_attr_create(
      context, swizzle, /*transposed=*/false, nereid_descriptor_element_bits(block),
      /*fp4_padded=*/false, nereid_ttg_cga_of_tensor(tensor), (unsigned)mlirShapedTypeGetRank(tensor));
}

MlirType nereid_descriptor_buffer_type(MlirValue descriptor, MlirType tensor, bool mutable_memory) {
  MlirContext context = mlirTypeGetContext(tensor);
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  int64_t shape[NEREID_DESCRIPTOR_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(tensor, d);
  MlirAttribute dims = mlirDenseI64ArrayGet(context, rank, shape);
  return nereid_ttg_memdesc_type_create(context, dims, mlirShapedTypeGetElementType(tensor),
                                        nereid_descriptor_buffer_encoding(descriptor, tensor),
                                        nereid_ttg_shared_memory_attr_create(context), mutable_memory, dims);
}

/* --- stores in loops --- */

MlirOperation nereid_descriptor_store_loop(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind != NEREID_OP_TT_DESCRIPTOR_STORE && kind != NEREID_OP_TT_DESCRIPTOR_REDUCE)
    return (MlirOperation){NULL};
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_SCF_FOR)
    op = mlirOperationGetParentOperation(op);
  return op;
}

enum { MAX_TYPES = 8 /* distinct buffer types in a loop; beyond them each store counts */ };

typedef struct stored {
  MlirOperation loop;
  nereid_store_bytes_t bytes;
  MlirType types[MAX_TYPES]; /* buffer types that have been counted */
  int n_types;
} stored_t;

static bool is_counted(const stored_t *stored, MlirType type) {
  for (int i = 0; i < stored->n_types; ++i)
    if (mlirTypeEqual(stored->types[i], type))
      return true;
  return false;
}

static MlirWalkResult add_stored(MlirOperation op, void *user_data) {
  stored_t *stored = user_data;
  if (nereid_op_kind(op) == NEREID_OP_SCF_FOR && !mlirOperationEqual(op, stored->loop))
    return MlirWalkResultSkip;
  if (mlirOperationIsNull(nereid_descriptor_store_loop(op)))
    return MlirWalkResultAdvance;
  MlirType tensor = mlirValueGetType(mlirOperationGetOperand(op, 1));
  MlirType type = nereid_descriptor_buffer_type(mlirOperationGetOperand(op, 0), tensor, /*mutable_memory=*/true);
  const int64_t bytes = nereid_scratch_part_bytes(tensor);
  stored->bytes.per_store += bytes;
  if (is_counted(stored, type))
    return MlirWalkResultAdvance;
  stored->bytes.per_type += bytes;
  if (stored->n_types < MAX_TYPES)
    stored->types[stored->n_types++] = type;
  return MlirWalkResultAdvance;
}

nereid_store_bytes_t nereid_descriptor_store_bytes(MlirOperation loop) {
  stored_t stored = {.loop = loop};
  mlirOperationWalk(loop, add_stored, &stored, MlirWalkPreOrder);
  return stored.bytes;
}

/* --- the kernel's argument --- */

MlirValue nereid_descriptor_argument(MlirValue descriptor) {
  MlirOperation cast = nereid_defining_op_of_kind(descriptor, NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR);
  MlirValue value =
      mlirOperationIsNull(cast) ? descriptor : nereid_ttng_reinterpret_tensor_descriptor_get_raw_desc(cast);
  if (!mlirValueIsABlockArgument(value))
    return (MlirValue){NULL};
  MlirOperation function = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  const bool entry =
      nereid_op_kind(function) == NEREID_OP_TT_FUNC && nereidMlirFunctionIsPublic(function) &&
      mlirBlockEqual(mlirBlockArgumentGetOwner(value), mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)));
  return entry ? value : (MlirValue){NULL};
}

static MlirAttribute attributes_of(MlirValue argument) {
  MlirAttribute attributes = nereid_ir_argument_attributes(
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument)), mlirBlockArgumentGetArgNumber(argument));
  return mlirAttributeIsNull(attributes)
             ? mlirDictionaryAttrGet(mlirTypeGetContext(mlirValueGetType(argument)), 0, NULL)
             : attributes;
}

MlirAttribute nereid_descriptor_given(MlirValue descriptor) {
  MlirValue argument = nereid_descriptor_argument(descriptor);
  if (mlirValueIsNull(argument))
    return (MlirAttribute){NULL};
  MlirAttribute given = mlirDictionaryAttrGetElementByName(attributes_of(argument), nereid_ir_ref("nereid.descriptor"));
  return !mlirAttributeIsNull(given) && nereid_nereid_descriptor_attr_isa(given) ? given : (MlirAttribute){NULL};
}

/* Element, block and swizzle of `descriptor`, with the paddings of `given`, which may be null. */
static MlirAttribute description_of(MlirValue descriptor, MlirAttribute given, MlirContext context) {
  const bool has_paddings = !mlirAttributeIsNull(given);
  MlirType block = nereid_descriptor_block(descriptor), element = mlirShapedTypeGetElementType(block);
  const intptr_t rank = mlirShapedTypeGetRank(block);
  int32_t sizes[NEREID_DESCRIPTOR_RANK] = {0};
  int64_t box[NEREID_DESCRIPTOR_RANK] = {0};
  nereid_descriptor_box(block, box);
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = (int32_t)box[d];
  if (mlirTypeIsAInteger(element))
    element = mlirIntegerTypeGet(context, nereid_descriptor_element_bits(block));
  return nereid_nereid_descriptor_attr_create(context, element, mlirDenseI32ArrayGet(context, rank, sizes),
                                              (int)nereid_descriptor_swizzle_of(descriptor),
                                              has_paddings && nereid_nereid_descriptor_attr_get_fp4_padded(given),
                                              has_paddings && nereid_nereid_descriptor_attr_get_nan_padding(given));
}

/* Sets `nereid.descriptor` among the attributes of `argument`. */
static bool set_description(const nereid_pass_t *pass, MlirValue argument, MlirAttribute value) {
  MlirOperation function = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  const intptr_t n = mlirBlockGetNumArguments(mlirBlockArgumentGetOwner(argument));
  MlirAttribute old = attributes_of(argument), *all = nereid_arena_new(pass->scratch, MlirAttribute, (size_t)n);
  const intptr_t count = mlirDictionaryAttrGetNumElements(old);
  MlirNamedAttribute *own = nereid_arena_new(pass->scratch, MlirNamedAttribute, (size_t)count + 1);
  if (!all || !own)
    return false;
  for (intptr_t i = 0; i < n; ++i)
    all[i] = attributes_of(mlirBlockGetArgument(mlirBlockArgumentGetOwner(argument), i));
  const MlirIdentifier name = mlirIdentifierGet(pass->context, nereid_ir_ref("nereid.descriptor"));
  intptr_t kept = 0;
  for (intptr_t i = 0; i < count; ++i) {
    own[kept] = mlirDictionaryAttrGetElement(old, i);
    kept += !mlirIdentifierEqual(own[kept].name, name);
  }
  own[kept++] = mlirNamedAttributeGet(name, value);
  all[mlirBlockArgumentGetArgNumber(argument)] = mlirDictionaryAttrGet(pass->context, kept, own);
  nereid_ir_set_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES, mlirArrayAttrGet(pass->context, n, all));
  return true;
}

bool nereid_descriptor_check_block(MlirOperation op, MlirValue descriptor) {
  MlirType block = nereid_descriptor_block(descriptor);
  const intptr_t rank = mlirShapedTypeGetRank(block);
  const unsigned bits = nereid_descriptor_element_bits(block);
  if (rank < 1 || rank > NEREID_DESCRIPTOR_RANK || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) {
    nereid_diagnose(op,
                    "accesses a block of type %s, expected 1 to %d dimensions with elements of 8, 16, 32 or 64 bits",
                    nereid_text_of_type(block).chars, (int)NEREID_DESCRIPTOR_RANK);
    return false;
  }
  if (row_bytes(block) >= MIN_ROW)
    return true;
  nereid_diagnose(op,
                  "accesses a block of type %s, whose rows have %lld bytes: TMA copies rows in multiples of %d bytes; "
                  "expected a wider block, or a !tt.tensordesc argument, which is rewritten to a pointer",
                  nereid_text_of_type(block).chars, (long long)row_bytes(block), (int)MIN_ROW);
  return false;
}

/* Whether all descriptors of the argument, a pointer, have that description: then another one is of a program that has
 * been edited since. */
static bool is_common(MlirValue argument, MlirAttribute given, MlirAttribute value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation cast = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(cast) != NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR)
      continue;
    MlirValue other = nereid_ir_result(cast);
    if (mlirShapedTypeGetRank(nereid_descriptor_block(other)) > NEREID_DESCRIPTOR_RANK ||
        !mlirAttributeEqual(description_of(other, given, mlirAttributeGetContext(value)), value))
      return false;
  }
  return true;
}

bool nereid_descriptor_describe(const nereid_pass_t *pass, MlirOperation op, MlirValue descriptor) {
  MlirValue argument = nereid_descriptor_argument(descriptor);
  if (!nereid_descriptor_check_block(op, descriptor))
    return false;
  if (mlirValueIsNull(argument))
    return true;
  MlirAttribute given = nereid_descriptor_given(descriptor);
  MlirAttribute value = description_of(descriptor, given, pass->context);
  if (!mlirAttributeIsNull(given) && mlirAttributeEqual(given, value))
    return true;
  if (mlirAttributeIsNull(given) || is_common(argument, given, value))
    return set_description(pass, argument, value);
  nereid_diagnose(op, "accesses %s through a tensor map that describes %s: expected one block and swizzle",
                  nereid_text_of_attribute(value).chars, nereid_text_of_attribute(given).chars);
  return false;
}

/* --- obstacles --- */

/* Integers are unsigned in the map that the host encodes. */
static bool can_reduce(MlirOperation op, MlirType block) {
  MlirType element = mlirShapedTypeGetElementType(block);
  const bool is_float = mlirTypeIsAFloat(element);
  const unsigned bits = nereid_descriptor_element_bits(block);
  switch (nereid_tt_descriptor_reduce_get_kind(op)) {
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_ADD:
    return bits >= (is_float ? 16 : 32);
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_MIN:
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_MAX:
    return is_float ? bits == 16 : bits >= 32 && mlirIntegerTypeIsUnsigned(element);
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_INC:
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_DEC:
    return !is_float && bits == 32;
  default:
    return !is_float && bits >= 32;
  }
}

static const char *obstacle_of_block(MlirType block) {
  const unsigned bits = nereid_descriptor_element_bits(block);
  if (mlirShapedTypeGetRank(block) < 1 || mlirShapedTypeGetRank(block) > NEREID_DESCRIPTOR_RANK)
    return "tensor maps have 1 to 5 dimensions";
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return "tensor maps have elements of 8, 16, 32 or 64 bits";
  return row_bytes(block) < MIN_ROW ? "the rows of its block have less than 16 bytes" : NULL;
}

/* An obstacle in the coordinates of `op`, a load, store or reduction, as far as they are known; null: none. The last
 * operand is the innermost coordinate. */
static const char *obstacle_of_coordinates(MlirOperation op, MlirType block) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  const unsigned bits = nereid_descriptor_element_bits(block);
  int64_t residue;
  if (bits && nereid_residue_of(mlirOperationGetOperand(op, n - 1), INT64_C(8) * MIN_ROW / bits, &residue) && residue)
    return "an innermost coordinate is not a multiple of 16 bytes, which TMA requires";
  for (intptr_t i = n - mlirShapedTypeGetRank(block); i < n && mlirOperationGetNumResults(op) == 0; ++i) {
    int64_t coordinate;
    if (nereid_constant_integer(mlirOperationGetOperand(op, i), &coordinate) && coordinate < 0)
      return "a store begins at a negative coordinate, which TMA does not support";
  }
  return NULL;
}

/* How accesses through descriptors use memory. */
typedef struct accesses {
  bool reads, writes;
  const char *why; /* an obstacle; null: none */
} accesses_t;

static void add_access(MlirOperation op, MlirType block, accesses_t *out) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  const bool loads = kind == NEREID_OP_TT_DESCRIPTOR_LOAD;
  out->reads = out->reads || loads;
  out->writes = out->writes || !loads;
  if (kind == NEREID_OP_TT_DESCRIPTOR_REDUCE && !can_reduce(op, block))
    out->why = "TMA does not have the reduction for its elements";
  else if (!out->why)
    out->why = obstacle_of_coordinates(op, block);
}

static void add_descriptor(MlirValue descriptor, accesses_t *out) {
  MlirType block = nereid_descriptor_block(descriptor);
  for (MlirOpOperand use = mlirValueGetFirstUse(descriptor); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    switch (nereid_op_kind(op)) {
    case NEREID_OP_TT_DESCRIPTOR_LOAD:
    case NEREID_OP_TT_DESCRIPTOR_STORE:
    case NEREID_OP_TT_DESCRIPTOR_REDUCE:
      add_access(op, block, out);
      break;
    case NEREID_OP_TT_DESCRIPTOR_GATHER:
    case NEREID_OP_TT_DESCRIPTOR_SCATTER:
      out->why = "rows by index need sm_100";
      break;
    default:
      out->why = "it is not only accessed, but passed on as a value";
    }
  }
}

/* Adds all accesses through `pointer`. Recursion depth is that of pointer arithmetic. */
static void add_pointer(MlirValue pointer, accesses_t *out) {
  for (MlirOpOperand use = mlirValueGetFirstUse(pointer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    accesses_t other = {0};
    switch (nereid_op_kind(op)) {
    case NEREID_OP_TT_ADDPTR:
      add_pointer(nereid_ir_result(op), out);
      break;
    case NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR:
      add_descriptor(nereid_ir_result(op), &other);
      out->reads = out->reads || other.reads || other.why;
      out->writes = out->writes || other.writes || other.why;
      break;
    default: /* any access */
      out->reads = out->writes = true;
    }
  }
}

/* Whether out-of-bounds elements of 8-bit floats read as NaN: they are bytes to TMA, which are filled with zeros. */
static bool fills_bytes_with_nan(MlirOperation make) {
  MlirType block = nereid_descriptor_block(nereid_ir_result(make));
  return mlirTypeIsAFloat(mlirShapedTypeGetElementType(block)) && nereid_descriptor_element_bits(block) == 8 &&
         nereid_tt_make_tensor_descriptor_get_padding(make) == NEREID_TT_PADDING_OPTION_PAD_NAN;
}

bool nereid_descriptor_is_made_in_loop(MlirValue descriptor) {
  MlirOperation op = nereid_defining_op_of_kind(descriptor, NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR);
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_SCF_FOR &&
         nereid_op_kind(op) != NEREID_OP_SCF_WHILE)
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

static MlirOperation innermost_for(MlirOperation op) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_SCF_FOR &&
         nereid_op_kind(op) != NEREID_OP_TT_FUNC);
  return op;
}

/* Whether an iteration of a loop makes the descriptor and loads through it. The loads of a pipelined loop are issued
 * iterations ahead, and then each iteration in flight needs a tensor map of its own. */
static bool is_loaded_in_iteration(MlirOperation make) {
  MlirOperation loop = innermost_for(make);
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(make)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(loop) == NEREID_OP_SCF_FOR && nereid_op_kind(user) == NEREID_OP_TT_DESCRIPTOR_LOAD &&
        mlirOperationEqual(innermost_for(user), loop))
      return true;
  }
  return false;
}

/* The kernel that contains the op; null if it is in another function. */
static MlirOperation kernel_of(MlirOperation op) {
  MlirOperation function = nereid_ir_function_of(op);
  return !mlirOperationIsNull(function) && nereidMlirFunctionIsPublic(function) ? function : (MlirOperation){NULL};
}

/* Adds what else accesses the memory of a descriptor that the kernel creates, as far as its base is an argument. */
static void add_base(MlirOperation make, accesses_t *out) {
  MlirValue base = nereid_tt_make_tensor_descriptor_get_base(make);
  for (MlirOperation op = nereid_defining_op_of_kind(base, NEREID_OP_TT_ADDPTR); !mlirOperationIsNull(op);
       op = nereid_defining_op_of_kind(base, NEREID_OP_TT_ADDPTR))
    base = mlirOperationGetOperand(op, 0);
  MlirOperation kernel = kernel_of(make);
  if (fills_bytes_with_nan(make))
    out->why = "TMA does not fill 8-bit floats with NaN";
  else if (mlirOperationIsNull(kernel))
    out->why = "it is made in a function that is not a kernel";
  else if (is_loaded_in_iteration(make))
    out->why = "an iteration of a loop makes it and loads through it";
  else if (mlirValueIsABlockArgument(base) &&
           mlirOperationEqual(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(base)), kernel))
    add_pointer(base, out);
}

const char *nereid_descriptor_obstacle(MlirValue descriptor) {
  accesses_t accesses = {.why = obstacle_of_block(nereid_descriptor_block(descriptor))};
  MlirOperation make = nereid_defining_op_of_kind(descriptor, NEREID_OP_TT_MAKE_TENSOR_DESCRIPTOR);
  if (accesses.why)
    return accesses.why;
  add_descriptor(descriptor, &accesses);
  if (!accesses.why && !mlirOperationIsNull(make))
    add_base(make, &accesses);
  if (accesses.why || !accesses.reads || !accesses.writes)
    return accesses.why;
  return "the kernel reads and writes through it: TMA does not order these accesses";
}

bool nereid_descriptor_names_part(MlirStringRef part, MlirStringRef name, bool is_shape, int dimension) {
  char suffix[32];
  const int length = snprintf(suffix, sizeof suffix, ".%s.%d", is_shape ? "shape" : "stride", dimension);
  if (part.length < name.length || memcmp(part.data, name.data, name.length) != 0)
    return false;
  MlirStringRef rest = mlirStringRefCreate(part.data + name.length, part.length - name.length);
  return !rest.length || mlirStringRefEqual(rest, mlirStringRefCreate(suffix, (size_t)length));
}
