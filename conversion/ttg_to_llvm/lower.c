/* What the op families share: the value map, elementwise emission, the prologue, declarations; see lower.h. */
#include "conversion/ttg_to_llvm/lower.h"

#include "conversion/ttg_to_llvm/emit.h"

#include "dialects/diagnose.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdarg.h>
#include <stdio.h>

bool nereid_lower_error(MlirOperation op, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  MlirLogicalResult failure = nereid_diagnose_v(op, format, arguments);
  va_end(arguments);
  return mlirLogicalResultIsSuccess(failure);
}

/* --- values --- */

nereid_lowered_t nereid_lower_get(nereid_lower_t *lower, MlirValue value) {
  uintptr_t *found = nereid_map_find(&lower->values, value.ptr);
  return found ? *(const nereid_lowered_t *)*found : (nereid_lowered_t){0};
}

void nereid_lower_set(nereid_lower_t *lower, MlirValue value, nereid_lowered_t lowered) {
  uintptr_t *place = nereid_map_insert(&lower->values, value.ptr);
  nereid_lowered_t *kept = nereid_arena_new(lower->arena, nereid_lowered_t, 1);
  if (!place || !kept)
    return;
  *kept = lowered;
  *place = (uintptr_t)kept;
}

nereid_lowered_t nereid_lower_array(nereid_lower_t *lower, intptr_t count) {
  return (nereid_lowered_t){count, nereid_arena_new(lower->arena, MlirValue, (size_t)count)};
}

void nereid_lower_set_scalar(nereid_lower_t *lower, MlirValue value, MlirValue lowered) {
  nereid_lowered_t one = nereid_lower_array(lower, 1);
  if (one.values)
    one.values[0] = lowered;
  nereid_lower_set(lower, value, one);
}

nereid_lowered_t nereid_lower_operand(nereid_lower_t *lower, MlirOperation op, intptr_t index) {
  return nereid_lower_get(lower, mlirOperationGetOperand(op, index));
}

/* --- elementwise emission --- */

enum { MAX_ELEMENTWISE_OPERANDS = 32 };

typedef struct operands {
  intptr_t count;
  nereid_lowered_t of[MAX_ELEMENTWISE_OPERANDS];
} operands_t;

static MlirValue operand_at(const operands_t *operands, intptr_t i, intptr_t r) {
  return operands->of[i].values[operands->of[i].count == 1 ? 0 : r];
}

static uint64_t hash_tuple(const operands_t *operands, intptr_t r) {
  uint64_t hash = 0;
  for (intptr_t i = 0; i < operands->count; ++i)
    hash = (hash ^ (uint64_t)(uintptr_t)operand_at(operands, i, r).ptr) * UINT64_C(0x9E3779B97F4A7C15);
  return hash >> 20;
}

static bool same_tuple(const operands_t *operands, intptr_t r, intptr_t s) {
  for (intptr_t i = 0; i < operands->count; ++i)
    if (operand_at(operands, i, r).ptr != operand_at(operands, i, s).ptr)
      return false;
  return true;
}

/* Finds the first register with the operand tuple of `r`, through an open-addressing table of register + 1. */
static intptr_t first_with_tuple(const operands_t *operands, intptr_t r, int32_t *table, size_t capacity) {
  for (size_t slot = hash_tuple(operands, r) & (capacity - 1);; slot = (slot + 1) & (capacity - 1)) {
    if (!table[slot])
      table[slot] = (int32_t)r + 1;
    if (same_tuple(operands, r, table[slot] - 1))
      return table[slot] - 1;
  }
}

/* An fp8 is lowered to its bits, an i8: ops that compute on its value require a conversion first. */
static bool check_fp8(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const bool computes = (name.length > 5 && (!memcmp(name.data, "arith", 5) || !memcmp(name.data, "math.", 5))) ||
                        kind == NEREID_OP_TT_CLAMPF || kind == NEREID_OP_TT_PRECISE_SQRT ||
                        kind == NEREID_OP_TT_PRECISE_DIVF || kind == NEREID_OP_TT_EXTERN_ELEMENTWISE;
  if (!computes || kind == NEREID_OP_ARITH_SELECT || kind == NEREID_OP_ARITH_BITCAST || kind == NEREID_OP_MATH_ABSF)
    return true;
  MlirValue first = mlirOperationGetNumOperands(op) ? mlirOperationGetOperand(op, 0) : mlirOperationGetResult(op, 0);
  MlirValue result = mlirOperationGetResult(op, 0);
  for (int i = 0; i < 2; ++i) {
    MlirType type = nereid_lower_element_type(mlirValueGetType(i ? result : first));
    if (mlirTypeIsAFloat(type) && mlirFloatTypeGetWidth(type) <= 8)
      return nereid_lower_error(op, "computes on an 8-bit float: expected 16 bits at least; convert with tt.fp_to_fp");
  }
  return true;
}

/* The register bits between whose registers the elements of `value` do not differ, by its constancy: a comparison of an
 * index with a bound that eight divides is the same for eight registers that follow each other. */
static uint32_t constant_bits(nereid_lower_t *lower, MlirValue value) {
  const nereid_axis_info_t *info = nereid_axis_info_get(&lower->axis, value);
  MlirType type = mlirValueGetType(value);
  const nereid_layout_t *layout = info && mlirTypeIsARankedTensor(type) ? nereid_lower_layout(lower, type) : NULL;
  uint32_t same = 0, bits = 0;
  if (!layout)
    return 0;
  for (int d = 0; d < layout->rank; ++d) {
    const int64_t run = nereid_axis_info_constancy(info, d), size = INT64_C(1) << layout->out_bits[d];
    const uint32_t low = (uint32_t)((run < size ? run & -run : size) - 1); /* the largest power of two in the run */
    same |= low << nereid_layout_out_shift(layout, d);
  }
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_REGISTER]; ++bit)
    if (!(layout->bases[NEREID_LAYOUT_REGISTER][bit] & ~same))
      bits |= UINT32_C(1) << bit;
  return bits;
}

bool nereid_lower_elementwise(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                              nereid_element_fn emit) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(result));
  if (mlirTypeIsNull(element))
    return nereid_lower_error(op, "has a result type that cannot be lowered");
  if (!check_fp8(op))
    return false;
  operands_t operands = {.count = mlirOperationGetNumOperands(op)};
  if (operands.count > MAX_ELEMENTWISE_OPERANDS)
    return nereid_lower_error(op, "has %td operands, at most %d can be lowered", (ptrdiff_t)operands.count,
                              MAX_ELEMENTWISE_OPERANDS);
  for (intptr_t i = 0; i < operands.count; ++i)
    operands.of[i] = nereid_lower_operand(lower, op, i);
  for (intptr_t i = 0; i < operands.count; ++i)
    if (!operands.of[i].values)
      return nereid_lower_error(op, "ran out of memory while being lowered");

  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(result)));
  size_t capacity = 2;
  while (capacity < 2 * (size_t)lowered.count)
    capacity *= 2;
  int32_t *table = nereid_arena_new(lower->arena, int32_t, capacity);
  if (!lowered.values || !table)
    return nereid_lower_error(op, "ran out of memory while being lowered");
  const intptr_t constant = constant_bits(lower, result);
  for (intptr_t r = 0; r < lowered.count; ++r) {
    intptr_t first = r & constant ? r & ~constant : first_with_tuple(&operands, r, table, capacity);
    if (first != r) {
      lowered.values[r] = lowered.values[first];
      continue;
    }
    MlirValue tuple[MAX_ELEMENTWISE_OPERANDS];
    for (intptr_t i = 0; i < operands.count; ++i)
      tuple[i] = operand_at(&operands, i, r);
    lowered.values[r] = emit(lower, op, row, element, tuple);
    if (mlirValueIsNull(lowered.values[r]))
      return false;
  }
  nereid_lower_set(lower, result, lowered);
  return true;
}

/* --- the function --- */

nereid_builder_t nereid_lower_enter_prologue(nereid_lower_t *lower) {
  nereid_builder_t saved = lower->builder;
  lower->builder.block = lower->prologue;
  lower->builder.before = mlirBlockGetTerminator(lower->prologue);
  lower->builder.location = mlirOperationGetLocation(lower->function);
  return saved;
}

void nereid_lower_leave_prologue(nereid_lower_t *lower, nereid_builder_t saved) {
  lower->builder = saved;
}

MlirBlock nereid_lower_split_block(nereid_lower_t *lower) {
  MlirBlock rest = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockAfter(mlirBlockGetParentRegion(lower->builder.block), lower->builder.block, rest);
  return rest;
}

MlirBlock nereid_lower_begin_if(nereid_lower_t *lower, MlirValue condition) {
  MlirBlock rest = nereid_lower_split_block(lower), then = nereid_lower_split_block(lower);
  nereid_emit_cond_branch(lower, condition, then, rest);
  lower->builder.block = then;
  return rest;
}

void nereid_lower_end_if(nereid_lower_t *lower, MlirBlock rest) {
  nereid_emit_branch(lower, rest, 0, NULL);
  lower->builder.block = rest;
}

/* --- module-level helpers --- */

static MlirStringRef symbol_name(MlirOperation op) {
  MlirAttribute name = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("sym_name"));
  return mlirAttributeIsNull(name) ? mlirStringRefCreate("", 0) : mlirStringAttrGetValue(name);
}

static MlirOperation find_symbol(MlirBlock block, MlirStringRef name) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (mlirStringRefEqual(symbol_name(op), name))
      return op;
  return (MlirOperation){NULL};
}

static nereid_builder_t enter_module(nereid_lower_t *lower) {
  nereid_builder_t saved = lower->builder;
  lower->builder.block = lower->module_block;
  lower->builder.before = mlirBlockGetFirstOperation(lower->module_block);
  return saved;
}

static void declare_function(nereid_lower_t *lower, MlirAttribute name, MlirType function_type) {
  nereid_builder_t saved = enter_module(lower);
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, "sym_name", name),
      nereid_emit_attribute(lower, "function_type", mlirTypeAttrGet(function_type)),
      nereid_emit_attribute(lower, "linkage", mlirLLVMLinkageAttrGet(lower->context, MlirLLVMLinkageExternal)),
  };
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString("llvm.func"), lower->builder.location);
  mlirOperationStateAddAttributes(&state, 3, attributes);
  MlirRegion body = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  nereid_emit_insert_op(lower, mlirOperationCreate(&state));
  lower->builder = saved;
}

/* The type of a function of the module, the llvm.func or a tt.func still to be lowered; null when there is none. */
static MlirType declared_type(nereid_lower_t *lower, MlirStringRef name) {
  MlirOperation found = find_symbol(lower->module_block, name);
  if (mlirOperationIsNull(found))
    return (MlirType){NULL};
  MlirAttribute type = mlirOperationGetAttributeByName(found, mlirStringRefCreateFromCString("function_type"));
  return mlirAttributeIsNull(type) ? lower->types.none : mlirTypeAttrGetValue(type);
}

bool nereid_lower_declare(nereid_lower_t *lower, const char *name, MlirType function_type) {
  MlirStringRef text = mlirStringRefCreateFromCString(name);
  MlirAttribute key = mlirStringAttrGet(lower->context, text);
  uintptr_t *known = nereid_map_find(&lower->declared, key.ptr);
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
  known = nereid_map_insert(&lower->declared, key.ptr);
  if (known)
    *known = (uintptr_t)type.ptr;
  return known != NULL;
}

/* A global without a size: its bytes are what the launch gives, from the symbol on (PTX ISA, ".extern .shared"). */
static const char shared_symbol[] = "global_smem", other_shared_symbol[] = "global_smem$";

/* Its name; the second where a function has the first. No function has a $ that no hexadecimal digit follows
 * (base/ptx_name.h). */
static const char *name_shared_memory(nereid_lower_t *lower) {
  MlirOperation found = find_symbol(lower->module_block, mlirStringRefCreateFromCString(shared_symbol));
  MlirStringRef global = mlirStringRefCreateFromCString("llvm.mlir.global");
  return mlirOperationIsNull(found) || mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(found)), global)
             ? shared_symbol
             : other_shared_symbol;
}

static void create_global(nereid_lower_t *lower, intptr_t n, const MlirNamedAttribute *attributes) {
  nereid_builder_t saved = enter_module(lower);
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString("llvm.mlir.global"), lower->builder.location);
  mlirOperationStateAddAttributes(&state, n, attributes);
  MlirRegion initializer = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, 1, &initializer);
  nereid_emit_insert_op(lower, mlirOperationCreate(&state));
  lower->builder = saved;
}

static void declare_shared_memory(nereid_lower_t *lower, MlirStringRef name) {
  if (!mlirOperationIsNull(find_symbol(lower->module_block, name)))
    return;
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, "sym_name", mlirStringAttrGet(lower->context, name)),
      nereid_emit_attribute(lower, "global_type", mlirTypeAttrGet(mlirLLVMArrayTypeGet(lower->types.i8, 0))),
      nereid_emit_attribute(lower, "linkage", mlirLLVMLinkageAttrGet(lower->context, MlirLLVMLinkageExternal)),
      nereid_emit_attribute(lower, "addr_space", mlirIntegerAttrGet(lower->types.i32, 3)),
      nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types.i64, 16)),
  };
  create_global(lower, 5, attributes);
}

/* A private constant global, named by its number of predecessors. */
static void create_string(nereid_lower_t *lower, MlirStringRef name, MlirAttribute bytes, intptr_t size) {
  MlirType type = mlirLLVMArrayTypeGet(lower->types.i8, (unsigned)size);
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, "sym_name", mlirStringAttrGet(lower->context, name)),
      nereid_emit_attribute(lower, "global_type", mlirTypeAttrGet(type)),
      nereid_emit_attribute(lower, "linkage", mlirLLVMLinkageAttrGet(lower->context, MlirLLVMLinkageInternal)),
      nereid_emit_attribute(lower, "constant", mlirUnitAttrGet(lower->context)),
      nereid_emit_attribute(lower, "value", bytes),
      nereid_emit_attribute(lower, "addr_space", mlirIntegerAttrGet(lower->types.i32, 1)),
      nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types.i64, 8)),
  };
  create_global(lower, 7, attributes);
}

/* No function has a $ that no hexadecimal digit follows. */
static const char string_prefix[] = "nereid$text_";

static void keep_string(nereid_lower_t *lower, MlirAttribute bytes, MlirAttribute name) {
  uintptr_t *place = nereid_map_insert(&lower->strings, bytes.ptr);
  if (place)
    *place = (uintptr_t)name.ptr;
}

/* Those that the module has before. */
static void collect_strings(nereid_lower_t *lower) {
  MlirStringRef key = mlirStringRefCreateFromCString("value"), name_key = mlirStringRefCreateFromCString("sym_name");
  for (MlirOperation op = mlirBlockGetFirstOperation(lower->module_block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef symbol = symbol_name(op);
    MlirAttribute bytes = mlirOperationGetAttributeByName(op, key);
    if (symbol.length >= sizeof string_prefix && !memcmp(symbol.data, string_prefix, sizeof string_prefix - 1) &&
        !mlirAttributeIsNull(bytes))
      keep_string(lower, bytes, mlirOperationGetAttributeByName(op, name_key));
  }
}

/* The name of the global that holds `bytes`: one for all that are equal. */
static MlirStringRef name_string(nereid_lower_t *lower, MlirAttribute bytes, intptr_t size) {
  if (!lower->strings.size)
    collect_strings(lower);
  uintptr_t *known = nereid_map_find(&lower->strings, bytes.ptr);
  if (known)
    return mlirStringAttrGetValue((MlirAttribute){(void *)*known});
  char text[48];
  snprintf(text, sizeof text, "%s%zu", string_prefix, lower->strings.size);
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
      nereid_emit_op(lower, "llvm.mlir.addressof", 1, &lower->types.ptr_global, 0, NULL, 1, &attribute);
  return mlirOperationGetResult(address, 0);
}

MlirValue nereid_lower_string(nereid_lower_t *lower, MlirStringRef text) {
  char *ended = nereid_arena_copy(lower->arena, nereid_view_of(text.data, text.length));
  MlirStringRef bytes = mlirStringRefCreate(ended ? ended : "", ended ? text.length + 1 : 0);
  return nereid_emit_cast(lower, "llvm.addrspacecast", lower->types.ptr, nereid_lower_bytes(lower, bytes));
}

MlirValue nereid_lower_shared_pointer(nereid_lower_t *lower, int64_t offset) {
  if (mlirValueIsNull(lower->shared_base)) {
    MlirStringRef symbol = mlirStringRefCreateFromCString(name_shared_memory(lower));
    declare_shared_memory(lower, symbol);
    nereid_builder_t saved = nereid_lower_enter_prologue(lower);
    MlirNamedAttribute name =
        nereid_emit_attribute(lower, "global_name", mlirFlatSymbolRefAttrGet(lower->context, symbol));
    lower->shared_base = mlirOperationGetResult(
        nereid_emit_op(lower, "llvm.mlir.addressof", 1, &lower->types.ptr_shared, 0, NULL, 1, &name), 0);
    nereid_lower_leave_prologue(lower, saved);
  }
  return nereid_emit_offset(lower, lower->shared_base, offset);
}
