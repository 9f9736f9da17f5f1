/* Lowers ttg.async_copy_global_to_local, async_commit_group and async_wait to cp.async.
 *
 *   %t = ttg.async_copy_global_to_local %p, %b mask %m other %zero
 *   ->
 *   cp.async.cg.shared.global [slot], [%p.0], 16, !%m                one per run of contiguous registers
 *
 * An access moves 4, 8 or 16 bytes (PTX ISA, "cp.async"): as many as the pointers prove contiguous and the buffer
 * keeps together. Where the mask is false nothing is copied: cp.async fills with zeros, other values are stored under
 * the opposite predicate. The mask is the ignore-src predicate of cp.async: for a number of source bytes that the mask
 * selects, ptxas takes three more instructions per mask. Tokens have no representation: the instructions are
 * ordered. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/memory.h"
#include "conversion/ttg_to_llvm/memory/shared.h"
#include "conversion/ttg_to_llvm/remarks/remarks.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "base/target_facts.h"
#include "dialects/ir.h"

#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"

typedef struct copy {
  MlirOperation op;
  nereid_slots_t slots;
  nereid_lowered_t pointers, masks, others; /* count 0 when absent */
  intptr_t vector;                          /* elements of an access */
  int64_t bytes;                            /* bytes of an access */
  bool zeros;                               /* masked-off elements are zero */
  MlirValue thread;                         /* i1: this one copies; null: all do */
} copy_t;

static MlirValue at(nereid_lowered_t lowered, intptr_t r) {
  return lowered.count == 0 ? (MlirValue){NULL} : lowered.values[lowered.count == 1 ? 0 : r];
}

static nereid_lowered_t optional(nereid_lower_t *lower, MlirValue value) {
  return mlirValueIsNull(value) ? (nereid_lowered_t){0} : nereid_lower_get(lower, value);
}

/* Whether `value` is a constant whose every element is zero, of any type. */
static bool is_zero(MlirValue value) {
  if (mlirValueIsNull(value) || !mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (nereid_op_kind(op) == NEREID_OP_TT_SPLAT)
    return is_zero(mlirOperationGetOperand(op, 0));
  if (nereid_op_kind(op) != NEREID_OP_ARITH_CONSTANT)
    return false;
  MlirAttribute attribute = nereid_ir_attribute(op, "value");
  if (mlirAttributeIsADenseElements(attribute) && mlirDenseElementsAttrIsSplat(attribute))
    attribute = mlirDenseElementsAttrGetSplatValue(attribute);
  if (mlirAttributeIsAFloat(attribute))
    return nereid_lower_float_bits(attribute) == 0;
  return mlirAttributeIsAInteger(attribute) && mlirIntegerAttrGetValueInt(attribute) == 0;
}

static MlirValue inverted(nereid_lower_t *lower, MlirValue predicate) {
  return nereid_emit_xor(lower, predicate, nereid_emit_int(lower, lower->types->i1, 1));
}

/* The operand after the size, with which a masked-off copy fills with zeros: a predicate that ignores the source, or in
 * earlier versions of PTX the number of source bytes. */
static MlirValue emit_source(nereid_lower_t *lower, const copy_t *copy, MlirValue mask, bool can_ignore) {
  if (can_ignore)
    return inverted(lower, mask);
  return nereid_emit_select(lower, mask, nereid_emit_i32(lower, (int32_t)copy->bytes), nereid_emit_i32(lower, 0));
}

/* One access: registers from `r` on. Operands: slot, address, then what masks the source and predicate if there. */
static void emit_copy(nereid_lower_t *lower, const copy_t *copy, intptr_t r) {
  MlirValue mask = at(copy->masks, r),
            predicate = copy->zeros ? copy->thread : nereid_lower_both(lower, copy->thread, mask);
  const bool fills = copy->zeros && !mlirValueIsNull(mask), masked = !mlirValueIsNull(predicate);
  const bool can_ignore = nereid_target_has_ignored_sources(lower->module->options.ptx_version);
  const char *cache = copy->bytes == 16 ? "cg" : "ca"; /* only 16-byte copies may bypass L1 */
  MlirValue operands[4] = {nereid_slots_address(lower, &copy->slots, (uint32_t)r), at(copy->pointers, r)};
  intptr_t n = 2;
  const char *text =
      nereid_arena_format(lower->arena, "cp.async.%s.shared.global [$0], [$1], %d", cache, (int)copy->bytes);
  if (fills) {
    operands[n++] = emit_source(lower, copy, mask, can_ignore);
    text = text ? nereid_arena_format(lower->arena, "%s, $2", text) : NULL;
  }
  if (masked)
    operands[n++] = predicate;
  if (text)
    text = masked ? nereid_arena_format(lower->arena, "@$%d %s;", (int)n - 1, text)
                  : nereid_arena_format(lower->arena, "%s;", text);
  const char *constraints =
      nereid_arena_format(lower->arena, "r,l%s%s", fills ? (can_ignore ? ",b" : ",r") : "", masked ? ",b" : "");
  if (text && constraints)
    nereid_emit_asm(lower, text, constraints, true, 0, NULL, n, operands, NULL);
}

/* Stores the values of masked-off elements one by one (rare). */
static void emit_others(nereid_lower_t *lower, const copy_t *copy, intptr_t r) {
  const unsigned bits = (unsigned)copy->slots.bytes * 8;
  const char *letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  MlirType word = mlirIntegerTypeGet(lower->context, bits);
  MlirValue predicate = nereid_lower_both(lower, copy->thread, inverted(lower, at(copy->masks, r)));
  const char *text = nereid_arena_format(lower->arena, "@$2 st.shared.b%u [$0], $1;", bits);
  const char *constraints = nereid_arena_format(lower->arena, "r,%s,b", letter);
  for (intptr_t i = 0; text && constraints && i < copy->vector; ++i) {
    MlirValue value = nereid_slots_to_memory(lower, copy->slots.memory, at(copy->others, r + i));
    value = nereid_emit_bits(lower, word, value);
    if (bits == 8)
      value = nereid_emit_cast(lower, "llvm.zext", lower->types->i16, value);
    MlirValue operands[] = {nereid_slots_address(lower, &copy->slots, (uint32_t)(r + i)), value, predicate};
    nereid_emit_asm(lower, text, constraints, true, 0, NULL, 3, operands, NULL);
  }
}

/* Elements of an access; 0 after a diagnostic. */
static intptr_t choose_vector(nereid_lower_t *lower, MlirOperation op, const nereid_slots_t *slots) {
  MlirValue pointer = nereid_ttg_async_copy_global_to_local_get_src(op);
  MlirValue mask = nereid_ttg_async_copy_global_to_local_get_mask(op);
  const intptr_t said = nereid_ttg_async_copy_global_to_local_get_contiguity(op);
  intptr_t vector = nereid_lower_access_width(lower, pointer, mask, (unsigned)slots->bytes * 8);
  vector = said > vector ? said : vector;
  vector = slots->vector < vector ? slots->vector : vector;
  const int64_t bytes = vector * slots->bytes;
  if (bytes < 4)
    nereid_lower_error(op,
                       "can copy %lld bytes at a time: cp.async needs 4, 8 or 16, contiguous and aligned in both "
                       "memories",
                       (long long)bytes);
  else
    nereid_lower_remark_access(lower, op, pointer, mask, (unsigned)slots->bytes * 8, vector);
  return bytes < 4 ? 0 : vector;
}

static bool lower_async_copy(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue pointer = nereid_ttg_async_copy_global_to_local_get_src(op);
  MlirValue buffer = nereid_ttg_async_copy_global_to_local_get_result(op);
  MlirValue other = nereid_ttg_async_copy_global_to_local_get_other(op);
  MlirType type = mlirValueGetType(pointer);
  const nereid_layout_t *layout = nereid_lower_layout(lower, type);
  nereid_layout_t slots;
  if (!nereid_lower_check_pointer(op, pointer) || !layout ||
      !nereid_shared_slot_layout(op, layout, mlirValueGetType(buffer), &slots))
    return false;
  MlirType element = nereid_lower_type(
      lower, nereid_tt_ptr_type_get_pointee_type(nereid_lower_element_type(mlirValueGetType(pointer))));
  copy_t copy = {.op = op,
                 .pointers = nereid_lower_get(lower, pointer),
                 .masks = optional(lower, nereid_ttg_async_copy_global_to_local_get_mask(op)),
                 .others = optional(lower, other),
                 .zeros = is_zero(other)};
  copy.slots = nereid_shared_view_slots(lower, buffer, &slots, element);
  copy.vector = choose_vector(lower, op, &copy.slots);
  copy.bytes = copy.vector * copy.slots.bytes;
  copy.thread = nereid_lower_unique_thread_of_cta(lower, type);
  if (!copy.vector)
    return false;
  const uint32_t copies = nereid_lower_register_copies(lower, type);
  for (intptr_t r = 0; r < copy.pointers.count; r += copy.vector) {
    if ((uint32_t)r & copies)
      continue;
    emit_copy(lower, &copy, r);
    if (copy.masks.count && copy.others.count && !copy.zeros)
      emit_others(lower, &copy, r);
  }
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0), nereid_emit_i32(lower, 0));
  return true;
}

static bool lower_async_commit_group(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_emit_asm(lower, "cp.async.commit_group;", "", true, 0, NULL, 0, NULL, NULL);
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0), nereid_emit_i32(lower, 0));
  return true;
}

static bool lower_async_wait(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const char *text = nereid_arena_format(lower->arena, "cp.async.wait_group %d;", nereid_ttg_async_wait_get_num(op));
  if (text)
    nereid_emit_asm(lower, text, "", true, 0, NULL, 0, NULL, NULL);
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0), nereid_emit_i32(lower, 0));
  return text != NULL;
}

const nereid_lower_row_t nereid_lower_async_copy_rows[] = {
    {NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL, lower_async_copy, NULL},
    {NEREID_OP_TTG_ASYNC_COMMIT_GROUP, lower_async_commit_group, NULL},
    {NEREID_OP_TTG_ASYNC_WAIT, lower_async_wait, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
