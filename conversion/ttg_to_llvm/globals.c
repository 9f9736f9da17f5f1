/* Declarations and constant globals; see globals.h. */
#include "conversion/ttg_to_llvm/globals.h"

#include "dialects/ir.h"

#include "conversion/ttg_to_llvm/emit.h"

#include "base/target_facts.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

static MlirOperation find_symbol(MlirBlock block, MlirStringRef name) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (mlirStringRefEqual(nereid_ir_symbol_name(op), name))
      return op;
  return (MlirOperation){NULL};
}

static void insert_in_module(const nereid_lower_t *lower, MlirOperationState *state) {
  nereid_lower_t module = *lower;
  MlirRegion region = mlirRegionCreate(); /* the body or the initializer */
  mlirOperationStateAddOwnedRegions(state, 1, &region);
  module.builder.block = lower->module->block;
  module.builder.before = mlirBlockGetFirstOperation(lower->module->block);
  nereid_emit_insert_op(&module, mlirOperationCreate(state));
}

static void declare_function(nereid_lower_t *lower, MlirAttribute name, MlirType function_type) {
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, NEREID_ATTR_SYMBOL_NAME, name),
      nereid_emit_attribute(lower, NEREID_ATTR_FUNCTION_TYPE, mlirTypeAttrGet(function_type)),
      nereid_emit_attribute(lower, "linkage", mlirLLVMLinkageAttrGet(lower->context, MlirLLVMLinkageExternal)),
  };
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString("llvm.func"), lower->builder.location);
  mlirOperationStateAddAttributes(&state, 3, attributes);
  insert_in_module(lower, &state);
}

/* The type of a function of the module, the llvm.func or a tt.func still to be lowered; null when there is none. */
static MlirType declared_type(nereid_lower_t *lower, MlirStringRef name) {
  MlirOperation found = find_symbol(lower->module->block, name);
  if (mlirOperationIsNull(found))
    return (MlirType){NULL};
  MlirAttribute type = nereid_ir_attribute(found, NEREID_ATTR_FUNCTION_TYPE);
  return mlirAttributeIsNull(type) ? lower->types->none : mlirTypeAttrGetValue(type);
}

bool nereid_lower_declare(nereid_lower_t *lower, const char *name, MlirType function_type) {
  MlirStringRef text = mlirStringRefCreateFromCString(name);
  MlirAttribute key = mlirStringAttrGet(lower->context, text);
  uintptr_t *known = nereid_map_find(&lower->module->declared, key.ptr);
  MlirType type = known ? (MlirType){(void *)*known} : declared_type(lower, text);
  if (mlirTypeIsNull(type)) {
    declare_function(lower, key, function_type);
    type = function_type;
  }
  if (!mlirTypeEqual(type, function_type)) {
    char message[256];
    snprintf(message, sizeof message, "'%.128s' is declared with another type already", name);
    mlirEmitError(lower->builder.location, message);
    return false;
  }
  known = nereid_map_insert(&lower->module->declared, key.ptr);
  if (known)
    *known = (uintptr_t)type.ptr;
  return known != NULL;
}

/* A global without a size: the launch determines its bytes (PTX ISA, ".extern .shared"). */
static const char shared_symbol[] = "global_smem", other_shared_symbol[] = "global_smem$";

/* Its name; the second one if a function has the first. No name of a function has a $ that is not followed by a
 * hexadecimal digit (base/ptx_name.h). */
static const char *name_shared_memory(nereid_lower_t *lower) {
  MlirOperation found = find_symbol(lower->module->block, mlirStringRefCreateFromCString(shared_symbol));
  MlirStringRef global = mlirStringRefCreateFromCString("llvm.mlir.global");
  return mlirOperationIsNull(found) || mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(found)), global)
             ? shared_symbol
             : other_shared_symbol;
}

static void create_global(nereid_lower_t *lower, intptr_t n, const MlirNamedAttribute *attributes) {
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString("llvm.mlir.global"), lower->builder.location);
  mlirOperationStateAddAttributes(&state, n, attributes);
  insert_in_module(lower, &state);
}

static void declare_shared_memory(nereid_lower_t *lower, MlirStringRef name) {
  if (!mlirOperationIsNull(find_symbol(lower->module->block, name)))
    return;
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, NEREID_ATTR_SYMBOL_NAME, mlirStringAttrGet(lower->context, name)),
      nereid_emit_attribute(lower, "global_type", mlirTypeAttrGet(mlirLLVMArrayTypeGet(lower->types->i8, 0))),
      nereid_emit_attribute(lower, "linkage", mlirLLVMLinkageAttrGet(lower->context, MlirLLVMLinkageExternal)),
      nereid_emit_attribute(lower, "addr_space", mlirIntegerAttrGet(lower->types->i32, NEREID_SPACE_SHARED)),
      nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types->i64, 16)),
  };
  create_global(lower, 5, attributes);
}

MlirStringRef nereid_lower_shared_memory(nereid_lower_t *lower) {
  MlirStringRef symbol = mlirStringRefCreateFromCString(name_shared_memory(lower));
  declare_shared_memory(lower, symbol);
  return symbol;
}

/* A private constant global, named by its number of predecessors. */
static void create_string(nereid_lower_t *lower, MlirStringRef name, MlirAttribute bytes, intptr_t size) {
  MlirType type = mlirLLVMArrayTypeGet(lower->types->i8, (unsigned)size);
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, NEREID_ATTR_SYMBOL_NAME, mlirStringAttrGet(lower->context, name)),
      nereid_emit_attribute(lower, "global_type", mlirTypeAttrGet(type)),
      nereid_emit_attribute(lower, "linkage", mlirLLVMLinkageAttrGet(lower->context, MlirLLVMLinkageInternal)),
      nereid_emit_attribute(lower, "constant", mlirUnitAttrGet(lower->context)),
      nereid_emit_attribute(lower, "value", bytes),
      nereid_emit_attribute(lower, "addr_space", mlirIntegerAttrGet(lower->types->i32, NEREID_SPACE_GLOBAL)),
      nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types->i64, 8)),
  };
  create_global(lower, 7, attributes);
}

/* No name of a function has a $ that is not followed by a hexadecimal digit. */
static const char string_prefix[] = "nereid$text_";

static void keep_string(nereid_lower_t *lower, MlirAttribute bytes, MlirAttribute name) {
  uintptr_t *place = nereid_map_insert(&lower->module->strings, bytes.ptr);
  if (place)
    *place = (uintptr_t)name.ptr;
}

/* Existing globals of the module. */
static void collect_strings(nereid_lower_t *lower) {
  MlirStringRef key = mlirStringRefCreateFromCString("value"),
                name_key = mlirStringRefCreateFromCString(NEREID_ATTR_SYMBOL_NAME);
  for (MlirOperation op = mlirBlockGetFirstOperation(lower->module->block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef symbol = nereid_ir_symbol_name(op);
    MlirAttribute bytes = mlirOperationGetAttributeByName(op, key);
    if (symbol.length >= sizeof string_prefix && !memcmp(symbol.data, string_prefix, sizeof string_prefix - 1) &&
        !mlirAttributeIsNull(bytes))
      keep_string(lower, bytes, mlirOperationGetAttributeByName(op, name_key));
  }
}

/* The name of the global that holds `bytes`: one for all that are equal. */
static MlirStringRef name_string(nereid_lower_t *lower, MlirAttribute bytes, intptr_t size) {
  if (!lower->module->strings.size)
    collect_strings(lower);
  uintptr_t *known = nereid_map_find(&lower->module->strings, bytes.ptr);
  if (known)
    return mlirStringAttrGetValue((MlirAttribute){(void *)*known});
  char text[48];
  snprintf(text, sizeof text, "%s%zu", string_prefix, lower->module->strings.size);
  MlirAttribute name = mlirStringAttrGet(lower->context, mlirStringRefCreateFromCString(text));
  create_string(lower, mlirStringAttrGetValue(name), bytes, size);
  keep_string(lower, bytes, name);
  return mlirStringAttrGetValue(name);
}

MlirValue nereid_lower_bytes(nereid_lower_t *lower, MlirStringRef bytes) {
  MlirStringRef name = name_string(lower, mlirStringAttrGet(lower->context, bytes), (intptr_t)bytes.length);
  MlirNamedAttribute attribute =
      nereid_emit_attribute(lower, "global_name", mlirFlatSymbolRefAttrGet(lower->context, name));
  MlirOperation address =
      nereid_emit_op(lower, "llvm.mlir.addressof", 1, &lower->types->ptr_global, 0, NULL, 1, &attribute);
  return mlirOperationGetResult(address, 0);
}

MlirValue nereid_lower_string(nereid_lower_t *lower, MlirStringRef text) {
  char *ended = nereid_arena_copy(lower->arena, nereid_view_of(text.data, text.length));
  MlirStringRef bytes = mlirStringRefCreate(ended ? ended : "", ended ? text.length + 1 : 0);
  return nereid_emit_cast(lower, "llvm.addrspacecast", lower->types->ptr, nereid_lower_bytes(lower, bytes));
}
