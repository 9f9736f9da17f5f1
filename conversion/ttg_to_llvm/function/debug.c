/* Lowers tt.print and tt.assert to the device side of printf and assert.
 *
 *   tt.assert %c, "message" : tensor<64xi1>
 *   ->
 *   llvm.cond_br %fails, ^fail, ^rest
 *   ^fail: call @__assertfail(message, file, line, function, 1); exit; llvm.unreachable
 *
 * Control does not return from ^fail, so values that are live across an assert need no callee-saved registers. With a
 * trap rather than an exit ptxas keeps those, or, where ^fail is the last block, moves all loads after the last
 * assert.
 *
 * CUDA's runtime provides vprintf(format, arguments) and __assertfail (CUDA C++ Programming Guide, "Formatted output",
 * "Assertion"). A print prints every element once: one of the threads that hold the same element. */
#include "conversion/ttg_to_llvm/elementwise/float_cast.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/program.h"
#include "conversion/ttg_to_llvm/lower.h"
#include "dialects/ir.h"
#include "passes/debug_info/debug_scope.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "nereid/dialects/tt.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdarg.h>
#include <stdio.h>

/* --- assert --- */

typedef struct place {
  char file[256], function[128];
  int line;
} place_t;

/* The source location: the innermost file location inside named, call-site and fused locations. */
static place_t place_of(MlirOperation op) {
  place_t place = {.file = "unknown", .function = "unknown", .line = 0};
  MlirLocation location = nereid_debug_place_of(mlirOperationGetLocation(op));
  if (!mlirLocationIsNull(location)) {
    MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    snprintf(place.file, sizeof place.file, "%.*s", (int)file.length, file.data);
    place.line = mlirLocationFileLineColRangeGetStartLine(location);
  }
  return place;
}

static bool emit_assertfail(nereid_lower_t *lower, MlirOperation op) {
  const nereid_lower_types_t *t = lower->types;
  const MlirType types[] = {t->ptr, t->ptr, t->i32, t->ptr, t->i64};
  if (!nereid_lower_declare(lower, "__assertfail", mlirLLVMFunctionTypeGet(t->none, 5, types, false)))
    return false;
  place_t place = place_of(op);
  MlirStringRef name = nereid_ir_symbol_name(lower->function->op);
  snprintf(place.function, sizeof place.function, "%.*s", (int)name.length, name.data);
  const MlirValue arguments[] = {nereid_lower_string(lower, nereid_tt_assert_get_message(op)),
                                 nereid_lower_string(lower, nereid_ir_ref(place.file)),
                                 nereid_emit_i32(lower, place.line),
                                 nereid_lower_string(lower, nereid_ir_ref(place.function)), nereid_emit_i64(lower, 1)};
  nereid_emit_call(lower, "__assertfail", (MlirType){NULL}, 5, arguments);
  return true;
}

/* Whether the layout of a tensor equals `layout`. */
static bool lies_as(nereid_lower_t *lower, MlirValue tensor, const nereid_layout_t *layout) {
  MlirType type = mlirValueGetType(tensor);
  const nereid_layout_t *own = mlirTypeIsARankedTensor(type) ? nereid_lower_layout(lower, type) : NULL;
  return own && nereid_layout_equal(own, layout);
}

/* Whether a thread that continues could fault on an access that the assert guards, and hide the message of another
 * thread. If all accesses up to the end have the layout of the condition, each thread has checked its own elements, and
 * gets elements of other threads only after their checks. Only the last of consecutive asserts matters. */
static bool must_wait(nereid_lower_t *lower, MlirOperation assertion, MlirValue condition) {
  enum { MAX_LOOK = 512 };
  const nereid_layout_t *layout = nereid_lower_layout(lower, mlirValueGetType(condition));
  MlirOperation op = mlirOperationGetNextInBlock(assertion);
  for (int i = 0; layout && i < MAX_LOOK; ++i, op = mlirOperationGetNextInBlock(op))
    switch (nereid_op_kind(op)) {
    case NEREID_OP_TT_LOAD:
    case NEREID_OP_TT_STORE:
    case NEREID_OP_TT_ATOMIC_RMW:
    case NEREID_OP_TT_ATOMIC_CAS:
    case NEREID_OP_TT_ATOMIC_LOAD:
    case NEREID_OP_TT_ATOMIC_STORE:
    case NEREID_OP_TT_ATOMIC_POLL:
      if (!lies_as(lower, mlirOperationGetOperand(op, 0), layout))
        return true;
      break;
    case NEREID_OP_TT_ASSERT:
      if (lies_as(lower, mlirOperationGetOperand(op, 0), layout))
        return false;
      break;
    case NEREID_OP_TT_RETURN:
      return !lower->function->is_kernel;
    default:
      if (nereidMlirOperationHasTrait(op, NereidMlirTraitIsTerminator) || !nereidMlirOperationIsMemoryEffectFree(op))
        return true;
    }
  return true;
}

static bool lower_assert(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue source = nereid_tt_assert_get_condition(op);
  nereid_lowered_t conditions = nereid_lower_get(lower, source);
  MlirValue all = conditions.values[0];
  for (intptr_t r = 1; r < conditions.count; ++r)
    if (conditions.values[r].ptr != conditions.values[r - 1].ptr)
      all = nereid_emit_and(lower, all, conditions.values[r]);
  MlirValue one = nereid_emit_int(lower, lower->types->i1, 1);
  MlirBlock rest = nereid_lower_begin_if(lower, nereid_emit_xor(lower, all, one));
  if (!emit_assertfail(lower, op))
    return false;
  nereid_emit_asm(lower, "exit;", "", true, 0, NULL, 0, NULL, NULL);
  nereid_emit_op(lower, "llvm.unreachable", 0, NULL, 0, NULL, 0, NULL);
  lower->builder.block = rest;
  if (mlirTypeIsARankedTensor(mlirValueGetType(source)) && must_wait(lower, op, source))
    nereid_emit_barrier(lower);
  return true;
}

/* --- print --- */

/* At most three program ids, an index per dimension and the element. */
enum { MAX_PRINTED = 3 + NEREID_TTG_MAX_RANK + 1, FORMAT_SIZE = 1024 };

/* One call of vprintf: its format and its arguments. */
typedef struct message {
  char format[FORMAT_SIZE];
  size_t size;
  MlirValue arguments[MAX_PRINTED];
  intptr_t count;
} message_t;

static void append(message_t *message, const char *format, ...) NEREID_PRINTF(2, 3);

static void append(message_t *message, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(message->format + message->size, FORMAT_SIZE - message->size, format, arguments);
  va_end(arguments);
  if (n > 0)
    message->size += (size_t)n < FORMAT_SIZE - message->size ? (size_t)n : FORMAT_SIZE - message->size - 1;
}

static void append_argument(message_t *message, MlirValue value) {
  if (message->count < MAX_PRINTED)
    message->arguments[message->count++] = value;
}

/* The user's text: a % in it is not a conversion. */
static void append_prefix(message_t *message, MlirStringRef prefix) {
  for (size_t i = 0; i < prefix.length; ++i)
    append(message, prefix.data[i] == '%' ? "%%%%" : "%c", prefix.data[i]);
}

/* An element's conversion, and the element as C's variable arguments pass it: at least 32 bits, floats as double. */
static MlirValue append_element(nereid_lower_t *lower, message_t *message, MlirValue value, bool hex, bool is_signed) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsALLVMPointerType(type)) {
    append(message, "%%p");
    return value;
  }
  if (mlirTypeIsAFloat(type)) {
    const unsigned bits = mlirFloatTypeGetWidth(type);
    if (hex)
      return append_element(lower, message, nereid_emit_bits(lower, mlirIntegerTypeGet(lower->context, bits), value),
                            true, false);
    append(message, "%%f");
    return bits == 64 ? value : nereid_emit_cast(lower, "llvm.fpext", lower->types->f64, value);
  }
  const unsigned bits = mlirIntegerTypeGetWidth(type);
  const char *length = bits > 32 ? "ll" : "";
  if (hex)
    append(message, "0x%%0%u%sx", bits < 8 ? 2 : bits / 4, length);
  else
    append(message, "%%%s%c", length, is_signed && bits > 1 ? 'd' : 'u');
  if (bits >= 32)
    return value;
  return nereid_emit_cast(lower, is_signed && bits > 1 ? "llvm.sext" : "llvm.zext", lower->types->i32, value);
}

/* The buffer for the arguments of prints, shared by all, since vprintf reads it before it returns. It is allocated in
 * the entry of the function, also for partitions: an alloca elsewhere would allocate on each execution. */
static MlirValue print_buffer(nereid_lower_t *lower) {
  if (!mlirValueIsNull(lower->function->print_buffer))
    return lower->function->print_buffer;
  nereid_lower_t entry = nereid_lower_in_prologue(lower);
  entry.builder.block = lower->function->entry;
  entry.builder.before = mlirBlockGetTerminator(lower->function->entry);
  MlirNamedAttribute attributes[] = {
      nereid_emit_attribute(lower, "elem_type", mlirTypeAttrGet(lower->types->i64)),
      nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types->i64, 8)),
      nereid_emit_attribute(lower, "value", mlirIntegerAttrGet(lower->types->i32, MAX_PRINTED)),
  };
  MlirOperation number =
      nereid_emit_op(&entry, "llvm.mlir.constant", 1, &lower->types->i32, 0, NULL, 1, &attributes[2]);
  MlirValue count = mlirOperationGetResult(number, 0);
  MlirOperation slot = nereid_emit_op(&entry, "llvm.alloca", 1, &lower->types->ptr, 1, &count, 2, attributes);
  lower->function->print_buffer = mlirOperationGetResult(slot, 0);
  return lower->function->print_buffer;
}

/* Writes the arguments one after the other, each aligned to its size, and calls vprintf. */
static bool emit_vprintf(nereid_lower_t *lower, const message_t *message) {
  const nereid_lower_types_t *t = lower->types;
  const MlirType types[] = {t->ptr, t->ptr};
  if (!nereid_lower_declare(lower, "vprintf", mlirLLVMFunctionTypeGet(t->i32, 2, types, false)))
    return false;
  MlirValue buffer = print_buffer(lower);
  int64_t offset = 0;
  for (intptr_t i = 0; i < message->count; ++i) {
    MlirType type = mlirValueGetType(message->arguments[i]);
    const int64_t bytes = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32 ? 4 : 8;
    offset = (offset + bytes - 1) / bytes * bytes;
    MlirValue operands[] = {message->arguments[i], nereid_emit_offset(lower, buffer, offset)};
    nereid_emit_op(lower, "llvm.store", 0, NULL, 2, operands, 0, NULL);
    offset += bytes;
  }
  MlirValue arguments[] = {nereid_lower_string(lower, mlirStringRefCreate(message->format, message->size)), buffer};
  nereid_emit_call(lower, "vprintf", t->i32, 2, arguments);
  return true;
}

static void append_program(nereid_lower_t *lower, message_t *message) {
  append(message, "pid (%%u, %%u, %%u) ");
  for (int i = 0; i < 3; ++i)
    append_argument(message, nereid_lower_program_id(lower, i));
}

/* "idx (3, 17)", each number as wide as the largest of its dimension. */
static void append_index(nereid_lower_t *lower, message_t *message, MlirType tensor,
                         const nereid_coordinates_t *coordinates, intptr_t r) {
  append(message, "idx (");
  for (intptr_t d = 0; coordinates && d < coordinates->rank; ++d) {
    char largest[24];
    int width = snprintf(largest, sizeof largest, "%lld", (long long)mlirShapedTypeGetDimSize(tensor, d) - 1);
    append(message, "%s%%%du", d ? ", " : "", width);
    append_argument(message, nereid_lower_coordinate(lower, coordinates, r, d));
  }
  append(message, ")");
}

static bool is_signed(MlirOperation op, intptr_t operand) {
  MlirAttribute flags = nereid_tt_print_get_is_signed_attr(op);
  if (mlirAttributeIsNull(flags) || operand >= mlirDenseArrayGetNumElements(flags))
    return true;
  return mlirDenseI32ArrayGetElement(flags, operand) != 0;
}

/* The printed form of an element: an fp8 as a number, unless its bits are requested. */
static MlirValue printable(nereid_lower_t *lower, MlirOperation op, MlirType type, MlirValue value) {
  if (nereid_tt_print_get_hex(op))
    return value;
  MlirValue wide = nereid_lower_widen_fp8(lower, nereid_lower_element_type(type), value);
  return mlirValueIsNull(wide) ? value : wide;
}

/* Prints the elements of operand `index`, or only the text when the op has none (index -1). */
static bool print_operand(nereid_lower_t *lower, MlirOperation op, intptr_t index) {
  MlirValue operand = index < 0 ? (MlirValue){NULL} : mlirOperationGetOperand(op, index);
  MlirType type = index < 0 ? lower->types->i32 : mlirValueGetType(operand);
  const bool tensor = mlirTypeIsARankedTensor(type);
  const nereid_coordinates_t *coordinates = tensor ? nereid_lower_coordinates(lower, type) : NULL;
  nereid_lowered_t values = index < 0 ? (nereid_lowered_t){1, NULL} : nereid_lower_get(lower, operand);
  uint32_t copies[NEREID_LAYOUT_DIMS] = {0};
  if (tensor)
    nereid_layout_free_masks(nereid_lower_layout(lower, type), copies);
  for (intptr_t r = 0; r < values.count; ++r) {
    message_t message = {.size = 0};
    if ((uint32_t)r & copies[NEREID_LAYOUT_REGISTER])
      continue;
    append_program(lower, &message);
    append_index(lower, &message, type, coordinates, r);
    append_prefix(&message, nereid_tt_print_get_prefix(op));
    if (mlirOperationGetNumOperands(op) > 1)
      append(&message, "(operand %d) ", (int)index);
    if (index >= 0)
      append_argument(&message, append_element(lower, &message, printable(lower, op, type, values.values[r]),
                                               nereid_tt_print_get_hex(op), is_signed(op, index)));
    append(&message, "\n");
    if (message.size == FORMAT_SIZE - 1)
      return nereid_lower_error(op, "prints a text of %zu characters, which is too long: expected less than %d",
                                nereid_tt_print_get_prefix(op).length, FORMAT_SIZE / 2);
    if (!emit_vprintf(lower, &message))
      return false;
  }
  return true;
}

static bool lower_print(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = n ? 0 : -1; i < n; ++i) {
    MlirType type = i < 0 ? lower->types->i32 : mlirValueGetType(mlirOperationGetOperand(op, i));
    MlirValue thread = nereid_lower_storing_thread(lower, type);
    MlirBlock rest = {NULL};
    if (!mlirValueIsNull(thread))
      rest = nereid_lower_begin_if(lower, thread);
    if (!print_operand(lower, op, i))
      return false;
    if (!mlirValueIsNull(thread))
      nereid_lower_end_if(lower, rest);
  }
  return true;
}

const nereid_lower_row_t nereid_lower_debug_rows[] = {
    {NEREID_OP_TT_ASSERT, lower_assert, NULL},
    {NEREID_OP_TT_PRINT, lower_print, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
