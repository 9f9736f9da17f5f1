/* Converts the signature of a tt.func to that of an llvm.func.
 *
 *   tt.func public @k(%x: !tt.ptr<f32>, %n: i32)
 *   ->
 *   llvm.func @k(%x: !llvm.ptr<1>, %n: i32, %scratch: !llvm.ptr<1>, %profile: !llvm.ptr<1>)
 *       attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}
 *
 * A kernel is a public function; its parameters are those of the tt.func one to one and two scratch pointers
 * (docs/abi.md). An internal function takes one parameter per thread value, and the starts of its frames (calls.c).
 */
#include "conversion/ttg_to_llvm/function/signature.h"

#include "base/ptx_name.h"
#include "base/target_facts.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/calls.h"
#include "conversion/ttg_to_llvm/function/kernel_abi.h"
#include "conversion/ttg_to_llvm/function/structs.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"

#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/LLVM.h"

typedef NEREID_VECTOR(MlirNamedAttribute) attributes_t;

MlirBlock nereid_lower_entry_block(MlirOperation function) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
}

/* --- parameters and results --- */

static MlirAttribute argument_attributes(nereid_lower_t *lower, MlirOperation function, intptr_t i) {
  MlirAttribute own = nereid_ir_argument_attributes(function, i);
  return mlirAttributeIsNull(own) ? mlirDictionaryAttrGet(lower->context, 0, NULL) : own;
}

/* Whether a kernel with a parameter of `type` cannot be launched. */
static bool is_local(MlirType type) {
  return mlirTypeIsARankedTensor(type) || nereid_ttg_memdesc_type_isa(type) || nereid_ttg_async_token_type_isa(type) ||
         (nereid_lower_is_llvm_type(type) && !mlirTypeIsALLVMPointerType(type));
}

/* A kernel's parameter: by-value descriptors are generic pointers to a parameter in constant space. */
static MlirType kernel_parameter(nereid_lower_t *lower, MlirType type, MlirAttribute *attributes) {
  if (nereid_lower_is_descriptor_type(type)) {
    MlirAttribute one = mlirIntegerAttrGet(lower->types->i32, 1);
    *attributes = nereid_lower_with_attribute(lower, *attributes, NEREID_ATTR_TMA_DESCRIPTOR, one);
  }
  return nereid_kernel_abi_is_descriptor(*attributes) ? lower->types->ptr : nereid_structs_type(lower, type);
}

/* By-value descriptors replace a pointer. */
static bool check_descriptor(MlirType lowered, MlirType type, MlirAttribute attributes, MlirLocation location) {
  if (!nereid_kernel_abi_is_descriptor(attributes) || nereid_lower_is_descriptor_type(type) ||
      nereid_tt_ptr_type_isa(type) || mlirTypeIsNull(lowered))
    return true;
  mlirEmitError(location, "tt.nv_tma_desc = 1 makes this argument a TMA descriptor: expected a pointer or a tensor "
                          "descriptor");
  return false;
}

static bool append_parameter(nereid_lower_t *lower, nereid_signature_t *signature, MlirType type, MlirLocation location,
                             MlirAttribute attributes) {
  return nereid_vector_push(lower->arena, &signature->types, type) &&
         nereid_vector_push(lower->arena, &signature->locations, location) &&
         nereid_vector_push(lower->arena, &signature->attributes, attributes);
}

static int32_t total_warps(nereid_lower_t *lower) {
  return nereid_ttg_total_num_warps(lower->module->op);
}

/* Limits of a CTA (CUDA C++ Programming Guide, "Compute Capabilities"). */
static bool check_threads(nereid_lower_t *lower, MlirOperation function) {
  enum { MAX_THREADS = 1024 };
  const int64_t threads = (int64_t)total_warps(lower) * lower->group->grid.threads_per_warp;
  if (threads > 0 && threads <= MAX_THREADS)
    return true;
  if (total_warps(lower) <= 0)
    return nereid_lower_error(function, "has no number of warps: expected ttg.num-warps on the module");
  return nereid_lower_error(function, "is a kernel of %lld threads by its module: expected 1 to %d", (long long)threads,
                            MAX_THREADS);
}

static bool kernel_signature(nereid_lower_t *lower, MlirOperation function, nereid_signature_t *signature) {
  MlirBlock entry = nereid_lower_entry_block(function);
  if (!check_threads(lower, function))
    return false;
  const bool open = lower->module->options.kernel_tensors;
  if (!open &&
      mlirFunctionTypeGetNumResults(mlirTypeAttrGetValue(nereid_ir_attribute(function, NEREID_ATTR_FUNCTION_TYPE))))
    return nereid_lower_error(function, "is a kernel with results: expected none, a kernel stores what it computes");
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    MlirLocation location = mlirValueGetLocation(argument);
    MlirAttribute attributes = argument_attributes(lower, function, i);
    MlirType type = mlirValueGetType(argument);
    lower->builder.location = location;
    MlirType lowered = open || !is_local(type) ? kernel_parameter(lower, type, &attributes) : (MlirType){NULL};
    if (mlirTypeIsNull(lowered) && open && !mlirTypeIsNull(nereid_lower_type(lower, type)))
      return false; /* after a diagnostic of the layout */
    if (mlirTypeIsNull(lowered)) {
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
    if (!append_parameter(lower, signature, lower->types->ptr_global, location, empty))
      return false;
  return nereid_lower_check_escapes(lower, function);
}

static bool internal_signature(nereid_lower_t *lower, MlirOperation function, nereid_signature_t *signature) {
  MlirBlock entry = nereid_lower_entry_block(function);
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
      mlirEmitError(location, "a token of asynchronous copies stays in its function: expected a wait before calls");
      return false;
    }
    if (!nereid_lower_append_types(lower, mlirValueGetType(argument), &types))
      return nereid_lower_refuse_type(lower, argument, "be the parameter of a function");
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

bool nereid_signature_of(nereid_lower_t *lower, MlirOperation function, nereid_signature_t *signature) {
  return lower->function->is_kernel ? kernel_signature(lower, function, signature)
                                    : internal_signature(lower, function, signature);
}

static MlirType result_type(nereid_lower_t *lower, MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(nereid_ir_attribute(function, NEREID_ATTR_FUNCTION_TYPE));
  nereid_types_t types = {0};
  if (lower->function->is_kernel)
    return nereid_structs_result_type(lower, type);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    if (!nereid_lower_append_types(lower, mlirFunctionTypeGetResult(type, i), &types))
      return (MlirType){NULL};
  return nereid_lower_result_type(lower, &types);
}

/* --- the llvm.func --- */

static void append_kernel_attributes(nereid_lower_t *lower, attributes_t *attributes) {
  const int32_t threads = total_warps(lower) * lower->group->grid.threads_per_warp;
  MlirAttribute maxnreg = nereid_ir_attribute(lower->module->op, "ttg.maxnreg");
  nereid_vector_push(lower->arena, attributes,
                     nereid_emit_attribute(lower, "nvvm.kernel", mlirUnitAttrGet(lower->context)));
  nereid_vector_push(lower->arena, attributes,
                     nereid_emit_attribute(lower, "nvvm.reqntid", mlirDenseI32ArrayGet(lower->context, 1, &threads)));
  if (!mlirAttributeIsNull(maxnreg)) { /* Triton accepts 256; a thread has at most 255 */
    const int64_t limit = mlirIntegerAttrGetValueInt(maxnreg), most = NEREID_TARGET_THREAD_REGISTERS;
    maxnreg = mlirIntegerAttrGet(mlirAttributeGetType(maxnreg), limit < most ? limit : most);
    nereid_vector_push(lower->arena, attributes, nereid_emit_attribute(lower, "nvvm.maxnreg", maxnreg));
  }
  const int32_t ctas = lower->group->grid.num_ctas;
  if (ctas > 1)
    nereid_vector_push(
        lower->arena, attributes,
        nereid_emit_attribute(lower, "nvvm.cluster_dim", mlirDenseI32ArrayGet(lower->context, 1, &ctas)));
}

/* Copies discardable attributes, except those with another meaning, or none, on llvm.func. The number of a kernel's own
 * warps is for convert-warp-specialize-to-llvm. */
static void append_discardable(nereid_lower_t *lower, MlirOperation function, attributes_t *attributes) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(function); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(function, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!mlirStringRefEqual(name, nereid_ir_ref("noinline")) &&
        (lower->function->is_kernel || !mlirStringRefEqual(name, nereid_ir_ref("ttg.num-warps"))))
      nereid_vector_push(lower->arena, attributes, attribute);
  }
}

static bool is_noinline(MlirOperation function) {
  MlirAttribute noinline = nereid_ir_attribute(function, "noinline");
  return !mlirAttributeIsNull(noinline) && mlirAttributeIsABool(noinline) && mlirBoolAttrGetValue(noinline);
}

MlirOperation nereid_signature_create_function(nereid_lower_t *lower, MlirOperation function,
                                               const nereid_signature_t *signature) {
  MlirType results = result_type(lower, function);
  if (mlirTypeIsNull(results)) {
    mlirEmitError(mlirOperationGetLocation(function), "a result type of this function cannot be lowered");
    return (MlirOperation){NULL};
  }
  MlirType type = mlirLLVMFunctionTypeGet(results, (intptr_t)signature->types.size, signature->types.data, false);
  MlirStringRef name = nereid_ir_symbol_name(function);
  const char *ptx_name = nereid_ptx_name(lower->arena, nereid_view_of(name.data, name.length));
  MlirLLVMLinkage linkage = lower->function->is_kernel ? MlirLLVMLinkageExternal : MlirLLVMLinkageInternal;
  attributes_t attributes = {0};
  MlirNamedAttribute fixed[] = {
      nereid_emit_attribute(lower, NEREID_ATTR_SYMBOL_NAME, mlirStringAttrGet(lower->context, nereid_ir_ref(ptx_name))),
      nereid_emit_attribute(lower, NEREID_ATTR_FUNCTION_TYPE, mlirTypeAttrGet(type)),
      nereid_emit_attribute(lower, "linkage", mlirLLVMLinkageAttrGet(lower->context, linkage)),
      nereid_emit_attribute(
          lower, NEREID_ATTR_ARGUMENT_ATTRIBUTES,
          mlirArrayAttrGet(lower->context, (intptr_t)signature->attributes.size, signature->attributes.data)),
  };
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; ++i)
    nereid_vector_push(lower->arena, &attributes, fixed[i]);
  append_discardable(lower, function, &attributes);
  MlirAttribute unit = mlirUnitAttrGet(lower->context);
  if (lower->function->is_kernel)
    append_kernel_attributes(lower, &attributes);
  else if (is_noinline(function))
    nereid_vector_push(lower->arena, &attributes, nereid_emit_attribute(lower, "no_inline", unit));
  if (!lower->function
           ->is_kernel) /* it may wait for other threads: a call of it must not be copied into both arms of a branch */
    nereid_vector_push(lower->arena, &attributes, nereid_emit_attribute(lower, "convergent", unit));
  if (lower->arena->failed)
    return (MlirOperation){NULL};
  MlirOperationState state = mlirOperationStateGet(nereid_ir_ref("llvm.func"), mlirOperationGetLocation(function));
  mlirOperationStateAddAttributes(&state, (intptr_t)attributes.size, attributes.data);
  MlirRegion body = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(lower->module->block, function, made);
  return made;
}
