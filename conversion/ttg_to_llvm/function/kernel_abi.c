/* Applies the ABI of by-value TMA descriptors; see kernel_abi.h.
 *
 *   llvm.func @k(%d: !llvm.ptr {tt.nv_tma_desc = 1 : i32}) attributes {nvvm.kernel}
 *   ->
 *   llvm.func @k(%d: !llvm.ptr {llvm.align = 64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant, …}) */
#include "conversion/ttg_to_llvm/function/kernel_abi.h"

#include "dialects/ir.h"

#include "base/arena.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/LLVM.h"

#include <string.h>

bool nereid_kernel_abi_is_descriptor(MlirAttribute attributes) {
  if (mlirAttributeIsNull(attributes))
    return false;
  MlirAttribute value = mlirDictionaryAttrGetElementByName(attributes, nereid_ir_ref(NEREID_ATTR_TMA_DESCRIPTOR));
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value))
    return false;
  MlirType type = mlirAttributeGetType(value);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32 && mlirIntegerAttrGetValueInt(value) == 1;
}

static bool is_abi_name(MlirStringRef name) {
  static const char *const names[] = {"llvm.byval", "llvm.align", "nvvm.grid_constant"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (mlirStringRefEqual(name, nereid_ir_ref(names[i])))
      return true;
  return false;
}

static MlirNamedAttribute named(MlirContext context, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, nereid_ir_ref(name)), value);
}

/* The dictionary with the three attributes added (`descriptor`) or taken away. Null if out of memory. */
static MlirAttribute amended(nereid_arena_t *arena, MlirContext context, MlirAttribute attributes, bool descriptor) {
  const intptr_t n = mlirDictionaryAttrGetNumElements(attributes);
  MlirNamedAttribute *kept = nereid_arena_new(arena, MlirNamedAttribute, (size_t)n + 3);
  intptr_t count = 0;
  if (!kept)
    return (MlirAttribute){NULL};
  for (intptr_t i = 0; i < n; ++i) {
    MlirNamedAttribute attribute = mlirDictionaryAttrGetElement(attributes, i);
    if (!is_abi_name(mlirIdentifierStr(attribute.name)))
      kept[count++] = attribute;
  }
  if (descriptor) {
    MlirType i8 = mlirIntegerTypeGet(context, 8), i32 = mlirIntegerTypeGet(context, 32);
    MlirType bytes = mlirLLVMArrayTypeGet(i8, NEREID_TMA_DESCRIPTOR_BYTES);
    kept[count++] = named(context, "llvm.byval", mlirTypeAttrGet(bytes));
    kept[count++] = named(context, "llvm.align", mlirIntegerAttrGet(i32, NEREID_TMA_DESCRIPTOR_ALIGNMENT));
    kept[count++] = named(context, "nvvm.grid_constant", mlirUnitAttrGet(context));
  }
  return mlirDictionaryAttrGet(context, count, kept);
}

/* Grid constants come from this ABI only: an argument with one and without the attribute was edited. */
static bool is_touched(MlirAttribute attributes) {
  return nereid_kernel_abi_is_descriptor(attributes) || !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
                                                            attributes, nereid_ir_ref(NEREID_ATTR_TMA_DESCRIPTOR)));
}

bool nereid_kernel_abi_is_kernel(MlirOperation function) {
  return mlirOperationHasInherentAttributeByName(function, nereid_ir_ref("nvvm.kernel")) ||
         nereid_ir_has_attribute(function, "nvvm.kernel");
}

static bool apply_to_function(MlirOperation function, nereid_arena_t *arena) {
  MlirAttribute all = nereid_ir_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES);
  if (mlirAttributeIsNull(all))
    return true;
  const bool kernel = nereid_kernel_abi_is_kernel(function);
  MlirContext context = mlirOperationGetContext(function);
  const intptr_t count = mlirArrayAttrGetNumElements(all);
  MlirAttribute *changed = nereid_arena_new(arena, MlirAttribute, (size_t)count);
  if (!changed)
    return false;
  for (intptr_t i = 0; i < count; ++i) {
    changed[i] = mlirArrayAttrGetElement(all, i);
    if (!is_touched(changed[i]))
      continue;
    const bool descriptor = nereid_kernel_abi_is_descriptor(changed[i]);
    if (descriptor && !kernel) {
      mlirEmitError(mlirOperationGetLocation(function),
                    "a TMA descriptor is passed by value to kernels only; pass a pointer to this function");
      return false;
    }
    changed[i] = amended(arena, context, changed[i], descriptor);
    if (mlirAttributeIsNull(changed[i]))
      return false;
  }
  nereid_ir_set_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES, mlirArrayAttrGet(context, count, changed));
  return true;
}

/* Calls `change` on every llvm.func of the module until it returns false. */
static bool for_each_function(MlirOperation module, bool (*change)(MlirOperation function, nereid_arena_t *arena)) {
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(module));
  nereid_arena_t arena;
  bool good = true;
  nereid_arena_initialize(&arena);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); good && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), nereid_ir_ref("llvm.func")))
      good = change(op, &arena);
  nereid_arena_deinitialize(&arena);
  return good;
}

bool nereid_kernel_abi_apply(MlirOperation module) {
  return for_each_function(module, apply_to_function);
}

static bool is_ours(MlirStringRef name) {
  return (name.length > 3 && memcmp(name.data, "tt.", 3) == 0) ||
         (name.length > 7 && memcmp(name.data, "nereid.", 7) == 0);
}

static MlirAttribute without_ours(nereid_arena_t *arena, MlirContext context, MlirAttribute attributes) {
  const intptr_t n = mlirDictionaryAttrGetNumElements(attributes);
  MlirNamedAttribute *kept = nereid_arena_new(arena, MlirNamedAttribute, (size_t)n);
  intptr_t count = 0;
  for (intptr_t i = 0; kept && i < n; ++i) {
    MlirNamedAttribute attribute = mlirDictionaryAttrGetElement(attributes, i);
    if (!is_ours(mlirIdentifierStr(attribute.name)))
      kept[count++] = attribute;
  }
  return mlirDictionaryAttrGet(context, count, kept);
}

static bool drop_ours(MlirOperation function, nereid_arena_t *arena) {
  MlirAttribute all = nereid_ir_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES);
  const intptr_t count = mlirAttributeIsNull(all) ? 0 : mlirArrayAttrGetNumElements(all);
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute *changed = nereid_arena_new(arena, MlirAttribute, (size_t)count);
  for (intptr_t i = 0; changed && i < count; ++i)
    changed[i] = without_ours(arena, context, mlirArrayAttrGetElement(all, i));
  if (count && changed)
    nereid_ir_set_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES, mlirArrayAttrGet(context, count, changed));
  return !arena->failed;
}

bool nereid_kernel_abi_finish(MlirOperation module) {
  return nereid_kernel_abi_apply(module) && for_each_function(module, drop_ours);
}
