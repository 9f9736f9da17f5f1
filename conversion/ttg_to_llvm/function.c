/* tt.func to llvm.func.
 *
 *   tt.func public @k(%x: !tt.ptr<f32>, %n: i32) { … }
 *   ->
 *   llvm.func @k(%x: !llvm.ptr<1>, %n: i32, %scratch: !llvm.ptr<1>, %profile: !llvm.ptr<1>)
 *       attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
 *     %tid = nvvm.read.ptx.sreg.tid.x : i32        the prologue: what every block may use
 *     llvm.br ^body
 *   ^body: …
 *
 * A kernel is a public function; its parameters are those of the tt.func one to one and two scratch pointers (DESIGN:
 * Triton 3.6's ABI). An internal function takes one parameter per thread value, and where its frames start (calls.c).
 * Blocks are lowered in reverse post-order, so that a value is lowered before its uses; unreachable ones are dropped.
 */
#include "conversion/ttg_to_llvm/function.h"

#include "base/ptx_name.h"
#include "base/vector.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/kernel_abi.h"
#include "conversion/ttg_to_llvm/remarks.h"
#include "conversion/ttg_to_llvm/warps.h"
#include "dialects/diagnose.h"
#include "dialects/ttg/module.h"

#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/LLVM.h"

#include <assert.h>

typedef NEREID_VECTOR(MlirLocation) locations_t;
typedef NEREID_VECTOR(MlirNamedAttribute) attributes_t;

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static MlirAttribute attribute_of(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, ref(name));
}

MlirBlock nereid_lower_block(nereid_lower_t *lower, MlirBlock block) {
  uintptr_t *found = nereid_map_find(&lower->blocks, block.ptr);
  return (MlirBlock){found ? (void *)*found : NULL};
}

/* --- signature --- */

bool nereid_lower_append_types(nereid_lower_t *lower, MlirType type, nereid_types_t *types) {
  MlirType element = nereid_lower_type(lower, type);
  intptr_t count = nereid_lower_registers(lower, type);
  for (intptr_t r = 0; r < count; ++r)
    if (mlirTypeIsNull(element) || !nereid_vector_push(lower->arena, types, element))
      return false;
  return count > 0;
}

/* Always false, after a diagnostic; a layout that cannot be has got its own. */
static bool refuse_type(nereid_lower_t *lower, MlirValue argument, const char *what) {
  MlirType type = mlirValueGetType(argument);
  if (mlirTypeIsNull(nereid_lower_type(lower, type)))
    nereid_diagnose_at(mlirValueGetLocation(argument), "%s cannot %s", nereid_text_of_type(type).chars, what);
  return false;
}

static MlirBlock entry_block(MlirOperation function) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

static MlirAttribute argument_attributes(nereid_lower_t *lower, MlirOperation function, intptr_t i) {
  MlirAttribute all = attribute_of(function, "arg_attrs");
  if (mlirAttributeIsNull(all) || i >= mlirArrayAttrGetNumElements(all))
    return mlirDictionaryAttrGet(lower->context, 0, NULL);
  return mlirArrayAttrGetElement(all, i);
}

/* What no kernel is launched with. */
static bool is_local(MlirType type) {
  return mlirTypeIsARankedTensor(type) || nereid_ttg_memdesc_type_isa(type) || nereid_ttg_async_token_type_isa(type);
}

/* A kernel's parameter: by-value descriptors are generic pointers to a parameter in constant space. */
static MlirType kernel_parameter(nereid_lower_t *lower, MlirType type, MlirAttribute *attributes) {
  if (nereid_lower_is_descriptor_type(type)) {
    MlirAttribute one = mlirIntegerAttrGet(lower->types.i32, 1);
    *attributes = nereid_lower_with_attribute(lower, *attributes, "tt.nv_tma_desc", one);
  }
  return nereid_kernel_abi_is_descriptor(*attributes) ? lower->types.ptr : nereid_lower_type(lower, type);
}

/* Descriptors by value take the place of a pointer. */
static bool check_descriptor(MlirType lowered, MlirType type, MlirAttribute attributes, MlirLocation location) {
  if (!nereid_kernel_abi_is_descriptor(attributes) || nereid_lower_is_descriptor_type(type) ||
      nereid_tt_ptr_type_isa(type) || mlirTypeIsNull(lowered))
    return true;
  mlirEmitError(location, "tt.nv_tma_desc = 1 makes this argument a TMA descriptor: expected a pointer or a tensor "
                          "descriptor");
  return false;
}

typedef struct signature {
  nereid_types_t types;
  locations_t locations; /* of the parameters: they carry the names */
  NEREID_VECTOR(MlirAttribute) attributes;
} signature_t;

static bool append_parameter(nereid_lower_t *lower, signature_t *signature, MlirType type, MlirLocation location,
                             MlirAttribute attributes) {
  return nereid_vector_push(lower->arena, &signature->types, type) &&
         nereid_vector_push(lower->arena, &signature->locations, location) &&
         nereid_vector_push(lower->arena, &signature->attributes, attributes);
}

static int32_t total_warps(nereid_lower_t *lower) {
  return nereid_ttg_total_num_warps(lower->module);
}

/* What a CTA can have (CUDA C++ Programming Guide, "Compute Capabilities"). */
static bool check_threads(nereid_lower_t *lower, MlirOperation function) {
  enum { MOST_THREADS = 1024 };
  const int64_t threads = (int64_t)total_warps(lower) * lower->grid.threads_per_warp;
  if (threads > 0 && threads <= MOST_THREADS)
    return true;
  return nereid_lower_error(function, "is a kernel of %lld threads by its module: expected 1 to %d", (long long)threads,
                            MOST_THREADS);
}

static bool kernel_signature(nereid_lower_t *lower, MlirOperation function, signature_t *signature) {
  MlirBlock entry = entry_block(function);
  if (!check_threads(lower, function))
    return false;
  if (mlirFunctionTypeGetNumResults(mlirTypeAttrGetValue(attribute_of(function, "function_type"))))
    return nereid_lower_error(function, "is a kernel with results: expected none, a kernel stores what it computes");
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    MlirLocation location = mlirValueGetLocation(argument);
    MlirAttribute attributes = argument_attributes(lower, function, i);
    MlirType type = mlirValueGetType(argument);
    MlirType lowered = kernel_parameter(lower, type, &attributes);
    if (mlirTypeIsNull(lowered) || is_local(type)) {
      mlirEmitError(location, "this type cannot be the parameter of a kernel: expected a scalar, a pointer or a "
                              "tensor descriptor");
      return false;
    }
    if (!check_descriptor(lowered, type, attributes, location) ||
        !append_parameter(lower, signature, lowered, location, attributes))
      return false;
  }
  MlirAttribute empty = mlirDictionaryAttrGet(lower->context, 0, NULL);
  MlirLocation location = mlirOperationGetLocation(function);
  for (int scratch = 0; scratch < 2; ++scratch) /* global, profile */
    if (!append_parameter(lower, signature, lower->types.ptr_global, location, empty))
      return false;
  return true;
}

static bool internal_signature(nereid_lower_t *lower, MlirOperation function, signature_t *signature) {
  MlirBlock entry = entry_block(function);
  MlirAttribute empty = mlirDictionaryAttrGet(lower->context, 0, NULL);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    nereid_types_t types = {0};
    MlirLocation location = mlirValueGetLocation(argument);
    if (nereid_lower_is_descriptor_type(mlirValueGetType(argument)) ||
        nereid_kernel_abi_is_descriptor(argument_attributes(lower, function, i))) {
      mlirEmitError(location, "a TMA descriptor is passed by value to kernels only; pass a pointer to this function");
      return false;
    }
    if (nereid_ttg_async_token_type_isa(mlirValueGetType(argument))) {
      mlirEmitError(location,
                    "a token of asynchronous copies stays in its function: expected a wait in front of calls");
      return false;
    }
    if (!nereid_lower_append_types(lower, mlirValueGetType(argument), &types))
      return refuse_type(lower, argument, "be the parameter of a function");
    for (size_t t = 0; t < types.size; ++t)
      if (!append_parameter(lower, signature, types.data[t], location, empty))
        return false;
  }
  nereid_types_t frames = {0};
  bool good = nereid_lower_append_frame_types(lower, function, &frames);
  for (size_t f = 0; good && f < frames.size; ++f)
    good = append_parameter(lower, signature, frames.data[f], mlirOperationGetLocation(function), empty);
  return good && nereid_lower_check_escapes(lower, function);
}

static MlirType result_type(nereid_lower_t *lower, MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(attribute_of(function, "function_type"));
  nereid_types_t types = {0};
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    if (!nereid_lower_append_types(lower, mlirFunctionTypeGetResult(type, i), &types))
      return (MlirType){NULL};
  return nereid_lower_result_type(lower, &types);
}

/* --- the llvm.func --- */

static void append_kernel_attributes(nereid_lower_t *lower, attributes_t *attributes) {
  const int32_t threads = total_warps(lower) * lower->grid.threads_per_warp;
  MlirAttribute maxnreg = attribute_of(lower->module, "ttg.maxnreg");
  nereid_vector_push(lower->arena, attributes,
                     nereid_emit_attribute(lower, "nvvm.kernel", mlirUnitAttrGet(lower->context)));
  nereid_vector_push(lower->arena, attributes,
                     nereid_emit_attribute(lower, "nvvm.reqntid", mlirDenseI32ArrayGet(lower->context, 1, &threads)));
  if (!mlirAttributeIsNull(maxnreg))
    nereid_vector_push(lower->arena, attributes, nereid_emit_attribute(lower, "nvvm.maxnreg", maxnreg));
  const int32_t ctas = lower->grid.num_ctas;
  if (ctas > 1)
    nereid_vector_push(
        lower->arena, attributes,
        nereid_emit_attribute(lower, "nvvm.cluster_dim", mlirDenseI32ArrayGet(lower->context, 1, &ctas)));
}

/* Discardable attributes go along, but for those that mean something else, or nothing, to llvm.func. */
static void append_discardable(nereid_lower_t *lower, MlirOperation function, attributes_t *attributes) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(function); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(function, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!mlirStringRefEqual(name, ref("noinline")) && !mlirStringRefEqual(name, ref("ttg.num-warps")))
      nereid_vector_push(lower->arena, attributes, attribute);
  }
}

static bool is_noinline(MlirOperation function) {
  MlirAttribute noinline = attribute_of(function, "noinline");
  return !mlirAttributeIsNull(noinline) && mlirAttributeIsABool(noinline) && mlirBoolAttrGetValue(noinline);
}

static MlirOperation create_function(nereid_lower_t *lower, MlirOperation function, const signature_t *signature) {
  MlirType results = result_type(lower, function);
  if (mlirTypeIsNull(results)) {
    mlirEmitError(mlirOperationGetLocation(function), "a result type of this function cannot be lowered");
    return (MlirOperation){NULL};
  }
  MlirType type = mlirLLVMFunctionTypeGet(results, (intptr_t)signature->types.size, signature->types.data, false);
  MlirStringRef name = mlirStringAttrGetValue(attribute_of(function, "sym_name"));
  const char *ptx_name = nereid_ptx_name(lower->arena, nereid_view_of(name.data, name.length));
  MlirLLVMLinkage linkage = lower->is_kernel ? MlirLLVMLinkageExternal : MlirLLVMLinkageInternal;
  attributes_t attributes = {0};
  MlirNamedAttribute fixed[] = {
      nereid_emit_attribute(lower, "sym_name", mlirStringAttrGet(lower->context, ref(ptx_name))),
      nereid_emit_attribute(lower, "function_type", mlirTypeAttrGet(type)),
      nereid_emit_attribute(lower, "linkage", mlirLLVMLinkageAttrGet(lower->context, linkage)),
      nereid_emit_attribute(
          lower, "arg_attrs",
          mlirArrayAttrGet(lower->context, (intptr_t)signature->attributes.size, signature->attributes.data)),
  };
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; ++i)
    nereid_vector_push(lower->arena, &attributes, fixed[i]);
  append_discardable(lower, function, &attributes);
  MlirAttribute unit = mlirUnitAttrGet(lower->context);
  if (lower->is_kernel)
    append_kernel_attributes(lower, &attributes);
  else if (is_noinline(function))
    nereid_vector_push(lower->arena, &attributes, nereid_emit_attribute(lower, "no_inline", unit));
  if (!lower->is_kernel) /* it may wait for other threads: a call of it must not be copied into both arms of a branch */
    nereid_vector_push(lower->arena, &attributes, nereid_emit_attribute(lower, "convergent", unit));
  if (lower->arena->failed)
    return (MlirOperation){NULL};
  MlirOperationState state = mlirOperationStateGet(ref("llvm.func"), mlirOperationGetLocation(function));
  mlirOperationStateAddAttributes(&state, (intptr_t)attributes.size, attributes.data);
  MlirRegion body = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(lower->module_block, function, made);
  return made;
}

/* --- blocks --- */

bool nereid_lower_order_blocks(nereid_arena_t *arena, MlirBlock entry, nereid_blocks_t *out) {
  typedef struct frame {
    MlirBlock block;
    intptr_t next; /* successor to visit */
  } frame_t;
  NEREID_VECTOR(frame_t) stack = {0};
  nereid_map_t seen;
  nereid_map_initialize(&seen, arena);
  nereid_blocks_t post = {0};
  if (!nereid_map_insert(&seen, entry.ptr) || !nereid_vector_push(arena, &stack, (frame_t){entry, 0}))
    return false;
  while (stack.size) {
    frame_t *top = &stack.data[stack.size - 1];
    MlirOperation last = mlirBlockGetTerminator(top->block);
    if (mlirOperationIsNull(last) || top->next == mlirOperationGetNumSuccessors(last)) {
      if (!nereid_vector_push(arena, &post, top->block))
        return false;
      --stack.size;
      continue;
    }
    MlirBlock next = mlirOperationGetSuccessor(last, top->next++);
    if (nereid_map_find(&seen, next.ptr))
      continue;
    if (!nereid_map_insert(&seen, next.ptr) || !nereid_vector_push(arena, &stack, (frame_t){next, 0}))
      return false;
  }
  for (size_t i = post.size; i > 0; --i)
    if (!nereid_vector_push(arena, out, post.data[i - 1]))
      return false;
  return true;
}

static bool append_values(nereid_lower_t *lower, MlirValue value, MlirBlock block, intptr_t *next) {
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(value)));
  if (!lowered.values)
    return false;
  for (intptr_t r = 0; r < lowered.count; ++r)
    lowered.values[r] = mlirBlockGetArgument(block, (*next)++);
  nereid_lower_set(lower, value, lowered);
  return lowered.count > 0;
}

bool nereid_lower_create_block(nereid_lower_t *lower, MlirBlock block, bool is_entry, MlirRegion region) {
  MlirBlock made = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, made);
  uintptr_t *place = nereid_map_insert(&lower->blocks, block.ptr);
  if (!place)
    return false;
  *place = (uintptr_t)made.ptr;
  intptr_t next = 0;
  for (intptr_t i = 0; !is_entry && i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    nereid_types_t types = {0};
    if (!nereid_lower_append_types(lower, mlirValueGetType(argument), &types))
      return refuse_type(lower, argument, "pass between blocks");
    for (size_t t = 0; t < types.size; ++t)
      mlirBlockAddArgument(made, types.data[t], mlirValueGetLocation(argument));
    if (!append_values(lower, argument, made, &next))
      return false;
  }
  return true;
}

static void create_prologue(nereid_lower_t *lower, MlirOperation function, MlirRegion region,
                            const signature_t *signature) {
  MlirBlock entry = mlirBlockCreate((intptr_t)signature->types.size, signature->types.data, signature->locations.data);
  mlirRegionAppendOwnedBlock(region, entry);
  MlirBlock source = entry_block(function);
  intptr_t next = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(source); ++i)
    append_values(lower, mlirBlockGetArgument(source, i), entry, &next);
  lower->entry = lower->prologue = entry;
  if (!lower->is_kernel)
    nereid_lower_take_frames(lower, next);
}

/* Every value is a result or an argument that was checked so, so that lowerings need not ask of their operands. (What a
 * load has in registers its pointer says, and lower_load answers to block pointers.) */
static bool check_results(nereid_lower_t *lower, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (mlirTypeIsNull(nereid_lower_type(lower, type)))
      return nereid_lower_error(op, "has a result type that cannot be lowered: %s", nereid_text_of_type(type).chars);
    if (nereid_op_kind(op) != NEREID_OP_TT_LOAD && nereid_lower_registers(lower, type) <= 0)
      return false;
  }
  return true;
}

bool nereid_lower_ops(nereid_lower_t *lower, MlirBlock block, MlirOperation end) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    const nereid_lower_row_t *row = lower->rows[nereid_op_kind(op)];
    lower->builder.location = mlirOperationGetLocation(op);
    if (!row)
      return nereid_lower_error(op, "has no lowering to LLVM");
    const nereid_lower_emitted_t before = lower->emitted;
    if (!check_results(lower, op) || !row->lower(lower, op, row))
      return false;
    nereid_lower_remark_exchanged(lower, op, &before);
    nereid_lower_remark_registers(lower, op);
  }
  return true;
}

static bool lower_block(nereid_lower_t *lower, MlirBlock block) {
  lower->builder.block = nereid_lower_block(lower, block);
  lower->builder.before = (MlirOperation){NULL};
  return nereid_lower_ops(lower, block, (MlirOperation){NULL});
}

static void begin_function(nereid_lower_t *lower, const nereid_call_function_t *function) {
  lower->function = function->op;
  lower->is_kernel = function->is_kernel;
  lower->shared_base = (MlirValue){NULL};
  lower->scratch_base = (MlirValue){NULL};
  lower->print_buffer = (MlirValue){NULL};
  lower->first_warp = (MlirValue){NULL};
  lower->barrier = (MlirValue){NULL};
  lower->workers = NULL;
  lower->grid.num_warps = nereid_ttg_num_warps(function->op);
  nereid_map_initialize(&lower->values, lower->arena);
  nereid_map_initialize(&lower->blocks, lower->arena);
  nereid_map_initialize(&lower->looping, lower->arena);
  nereid_map_initialize(&lower->constants, lower->arena);
  nereid_map_initialize(&lower->coordinates, lower->arena);
  nereid_map_initialize(&lower->over_budget, lower->arena);
}

/* The address of a descriptor that is passed by value is a generic one; in the program it is a pointer like others. */
static void cast_descriptors(nereid_lower_t *lower) {
  MlirBlock source = entry_block(lower->function);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(source); ++i) {
    MlirValue argument = mlirBlockGetArgument(source, i);
    MlirType type = nereid_lower_type(lower, mlirValueGetType(argument));
    nereid_lowered_t lowered = nereid_lower_get(lower, argument);
    const bool used = !mlirOpOperandIsNull(mlirValueGetFirstUse(argument));
    if (used && lowered.count == 1 && !mlirTypeEqual(mlirValueGetType(lowered.values[0]), type))
      nereid_lower_set_scalar(lower, argument, nereid_emit_cast(lower, "llvm.addrspacecast", type, lowered.values[0]));
  }
}

/* The blocks of a loop stand together, where control flow was structured: from where an edge back leads to where it
 * starts. What depends on it is what is fast, not what is right. */
static bool find_loops(nereid_lower_t *lower, MlirRegion region) {
  nereid_map_t numbers;
  nereid_blocks_t blocks = {0};
  nereid_map_initialize(&numbers, lower->arena);
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    if (!nereid_vector_push(lower->arena, &blocks, block))
      return false;
  int32_t *starts = nereid_arena_new(lower->arena, int32_t, blocks.size + 1); /* loops, less those that have ended */
  for (size_t i = 0; starts && i < blocks.size; ++i) {
    uintptr_t *number = nereid_map_insert(&numbers, blocks.data[i].ptr);
    if (!number)
      return false;
    *number = i;
    MlirOperation end = mlirBlockGetTerminator(blocks.data[i]);
    for (intptr_t k = 0; k < mlirOperationGetNumSuccessors(end); ++k) {
      const uintptr_t *to = nereid_map_find(&numbers, mlirOperationGetSuccessor(end, k).ptr);
      if (to) {
        ++starts[*to];
        --starts[i + 1];
      }
    }
  }
  int32_t depth = 0;
  for (size_t i = 0; starts && i < blocks.size; ++i) {
    depth += starts[i];
    if (depth > 0 && !nereid_map_insert(&lower->looping, blocks.data[i].ptr))
      return false;
  }
  return starts != NULL;
}

bool nereid_lower_function(nereid_lower_t *lower, const nereid_call_function_t *called) {
  MlirOperation function = called->op;
  begin_function(lower, called);
  lower->builder.location = mlirOperationGetLocation(function);
  signature_t signature = {0};
  if (!(lower->is_kernel ? kernel_signature(lower, function, &signature)
                         : internal_signature(lower, function, &signature)))
    return false;
  MlirOperation made = create_function(lower, function, &signature);
  if (mlirOperationIsNull(made))
    return false;
  MlirRegion region = mlirOperationGetRegion(made, 0);
  nereid_blocks_t blocks = {0};
  create_prologue(lower, function, region, &signature);
  if (!nereid_lower_order_blocks(lower->arena, entry_block(function), &blocks) ||
      !find_loops(lower, mlirOperationGetRegion(function, 0)))
    return false;
  assert(blocks.size > 0); /* the entry */
  for (size_t i = 0; i < blocks.size; ++i)
    if (!nereid_lower_create_block(lower, blocks.data[i], i == 0, region))
      return false;
  lower->builder.block = lower->entry;
  lower->builder.before = (MlirOperation){NULL};
  lower->thread_id = nereid_emit(lower, "nvvm.read.ptx.sreg.tid.x", lower->types.i32, 0, NULL);
  cast_descriptors(lower);
  if (!nereid_warps_begin(lower, nereid_lower_block(lower, blocks.data[0]))) /* what follows goes in front of the end */
    return false;
  for (size_t i = 0; i < blocks.size; ++i)
    if (!lower_block(lower, blocks.data[i]))
      return false;
  nereid_warps_end(lower);
  return !lower->arena->failed;
}
