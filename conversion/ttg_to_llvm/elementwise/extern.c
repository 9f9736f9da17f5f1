/* External code: extern_elementwise calls a function of libdevice (or another library) per element,
 * elementwise_inline_asm runs PTX on `packed_element` elements at a time, ttg.inline_asm on all of a thread.
 *
 *   tt.extern_elementwise %x {symbol = "__nv_asinf"}   ->   llvm.call @__nv_asinf(%x.0), …
 *
 * A pure call is emitted once per distinct operand tuple; others once per register. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "conversion/ttg_to_llvm/memory/shared.h"

#include "base/vector.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

/* --- extern_elementwise --- */

static MlirValue emit_extern(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                             const MlirValue *operands) {
  (void)row;
  MlirStringRef symbol = nereid_tt_extern_elementwise_get_symbol(op);
  const char *name = nereid_arena_copy(lower->arena, nereid_view_of(symbol.data, symbol.length));
  return name ? nereid_emit_call(lower, name, element, mlirOperationGetNumOperands(op), operands) : (MlirValue){NULL};
}

/* A call with effects per register, also where the operands are the same. */
static bool call_every_element(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                               MlirType element) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  MlirValue result = mlirOperationGetResult(op, 0);
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(result)));
  MlirValue *operands = nereid_arena_new(lower->arena, MlirValue, (size_t)n);
  if (!lowered.values || !operands)
    return false;
  for (intptr_t r = 0; r < lowered.count; ++r) {
    for (intptr_t i = 0; i < n; ++i) {
      nereid_lowered_t operand = nereid_lower_operand(lower, op, i);
      operands[i] = operand.values[operand.count == 1 ? 0 : r];
    }
    lowered.values[r] = emit_extern(lower, op, row, element, operands);
  }
  nereid_lower_set(lower, result, lowered);
  return true;
}

static bool lower_extern(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  MlirType *types = nereid_arena_new(lower->arena, MlirType, (size_t)n);
  MlirType result = nereid_lower_type(lower, mlirValueGetType(mlirOperationGetResult(op, 0)));
  MlirStringRef symbol = nereid_tt_extern_elementwise_get_symbol(op);
  const char *name = nereid_arena_copy(lower->arena, nereid_view_of(symbol.data, symbol.length));
  if (!types || !name)
    return false;
  if (symbol.length == 0)
    return nereid_lower_error(op, "names no symbol to call");
  for (intptr_t i = 0; i < n; ++i)
    types[i] = nereid_lower_type(lower, mlirValueGetType(mlirOperationGetOperand(op, i)));
  if (!nereid_lower_declare(lower, name, mlirLLVMFunctionTypeGet(result, n, types, false)))
    return false;
  return nereid_tt_extern_elementwise_get_pure(op) ? nereid_lower_elementwise(lower, op, row, emit_extern)
                                                   : call_every_element(lower, op, row, result);
}

/* --- elementwise_inline_asm --- */

typedef NEREID_VECTOR(MlirValue) values_t;
typedef NEREID_VECTOR(MlirType) types_t;

/* Elements of one operand or result that share a 32-bit register: two of 16 bits, four of 8. */
static intptr_t elements_per_word(MlirType type, intptr_t packed) {
  const unsigned bits = nereid_lower_memory_bits(nereid_lower_element_type(type));
  intptr_t fit = bits >= 32 ? 1 : 32 / (intptr_t)bits;
  return fit < packed ? fit : packed;
}

/* The type of one asm operand that carries `count` elements. */
static MlirType word_type(MlirType element, intptr_t count) {
  return count == 1 ? element : nereid_emit_vector_type(element, count);
}

/* The letter of input constraint `index`: r for 0 in "=h,r,~{memory}". */
static char input_constraint(MlirStringRef text, size_t index) {
  bool starts = true;
  for (size_t i = 0; i < text.length; ++i) {
    const char c = text.data[i];
    if (c == ' ' || c == '\t')
      continue;
    if (starts && !strchr("=~,", c) && index-- == 0)
      return c;
    starts = c == ',';
  }
  return 0;
}

/* Extends an i1 to the register that the constraint requires, so that true is -1. LLVM alone passes variables as -1 and
 * constants as 1. */
static MlirValue widen_bit(nereid_lower_t *lower, MlirValue bit, char constraint) {
  if (!mlirTypeEqual(mlirValueGetType(bit), lower->types->i1))
    return bit;
  switch (constraint) {
  case 'h':
    return nereid_emit_cast(lower, "llvm.sext", lower->types->i16, bit);
  case 'r':
    return nereid_emit_cast(lower, "llvm.sext", lower->types->i32, bit);
  case 'l':
    return nereid_emit_cast(lower, "llvm.sext", lower->types->i64, bit);
  default:
    return bit;
  }
}

/* Elements [r, r + packed) of every operand, words of a pack of elements each. Past the last register the last element
 * is repeated. */
static bool gather_operands(nereid_lower_t *lower, MlirOperation op, intptr_t r, intptr_t packed, values_t *out) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    nereid_lowered_t operand = nereid_lower_operand(lower, op, i);
    const intptr_t per_word = elements_per_word(mlirValueGetType(mlirOperationGetOperand(op, i)), packed);
    for (intptr_t e = 0; e < packed; e += per_word) {
      MlirValue word[4];
      for (intptr_t k = 0; k < per_word; ++k) {
        intptr_t at = operand.count == 1 ? 0 : r + e + k;
        word[k] = operand.values[at < operand.count ? at : operand.count - 1];
      }
      const char constraint = input_constraint(nereid_tt_elementwise_inline_asm_get_constraints(op), out->size);
      MlirValue packed_word = widen_bit(lower, nereid_emit_pack(lower, per_word, word), constraint);
      if (!nereid_vector_push(lower->arena, out, packed_word))
        return false;
    }
  }
  return true;
}

static bool result_words(nereid_lower_t *lower, MlirOperation op, intptr_t packed, types_t *out) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i)), element = nereid_lower_type(lower, type);
    const intptr_t per_word = elements_per_word(type, packed);
    for (intptr_t e = 0; e < packed; e += per_word)
      if (!nereid_vector_push(lower->arena, out, word_type(element, per_word)))
        return false;
  }
  return true;
}

/* Puts the elements of the words into the results' registers [r, r + packed). */
static void scatter_results(nereid_lower_t *lower, MlirOperation op, intptr_t r, intptr_t packed,
                            const MlirValue *words, nereid_lowered_t *results) {
  intptr_t next = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    const intptr_t per_word = elements_per_word(mlirValueGetType(mlirOperationGetResult(op, i)), packed);
    for (intptr_t e = 0; e < packed; e += per_word, ++next)
      for (intptr_t k = 0; k < per_word && r + e + k < results[i].count; ++k)
        results[i].values[r + e + k] = per_word == 1 ? words[next] : nereid_emit_extract(lower, words[next], k);
  }
}

/* Counts the outputs (=…) and the inputs of a constraint string; clobbers (~{…}) are neither. */
static void count_constraints(MlirStringRef text, intptr_t *out_outputs, intptr_t *out_inputs) {
  bool starts = true;
  *out_outputs = *out_inputs = 0;
  for (size_t i = 0; i < text.length; ++i) {
    const char c = text.data[i];
    if (c == ' ' || c == '\t')
      continue;
    if (starts && c == '=')
      ++*out_outputs;
    else if (starts && c != '~' && c != ',')
      ++*out_inputs;
    starts = c == ',';
  }
}

static intptr_t count_words(MlirOperation op, intptr_t packed) {
  intptr_t words = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    words += packed / elements_per_word(mlirValueGetType(mlirOperationGetOperand(op, i)), packed);
  return words;
}

/* The first character of a constraint that NVPTX does not support, or 0. = and & are followed by a letter, the register
 * kind, i or n for a constant, or the number of an output. */
static char unknown_constraint(MlirStringRef text) {
  bool clobber = false;
  for (size_t i = 0; i < text.length; ++i) {
    const char c = text.data[i];
    if (c == ',')
      clobber = false;
    else if (c == '~')
      clobber = true;
    else if (!clobber && !strchr(" \t=&bchrlqfdin0123456789", c))
      return c;
  }
  return 0;
}

/* The largest n of $n and ${n} in the text, or -1. $$ is a dollar. */
static long largest_operand(MlirStringRef text) {
  long largest = -1;
  for (size_t i = 0; i + 1 < text.length; ++i) {
    if (text.data[i] != '$')
      continue;
    size_t at = text.data[++i] == '{' ? i + 1 : i;
    long number = -1;
    for (; at < text.length && text.data[at] >= '0' && text.data[at] <= '9' && number < 1000; ++at)
      number = (number < 0 ? 0 : number * 10) + (text.data[at] - '0');
    largest = number > largest ? number : largest;
  }
  return largest;
}

/* LLVM aborts on an unknown constraint or a missing operand. */
static bool check_text(MlirOperation op, MlirStringRef text, MlirStringRef constraints) {
  intptr_t outputs, inputs;
  count_constraints(constraints, &outputs, &inputs);
  const char unknown = unknown_constraint(constraints);
  if (unknown)
    return nereid_lower_error(
        op,
        "has a constraint '%c' that PTX does not have: expected b, h, r, l, q, f, d, or the number "
        "of an output",
        unknown);
  const long largest = largest_operand(text);
  if (largest >= outputs + inputs)
    return nereid_lower_error(op, "names operand $%ld, but its constraints define %td operands", largest,
                              (ptrdiff_t)(outputs + inputs));
  return true;
}

/* LLVM reads past its operands when there are fewer than constraints. `each` is what has a constraint. */
static bool check_constraints(MlirOperation op, MlirStringRef constraints, intptr_t n_results, intptr_t n_operands,
                              const char *each) {
  intptr_t outputs, inputs;
  count_constraints(constraints, &outputs, &inputs);
  if (outputs == n_results && inputs == n_operands)
    return true;
  return nereid_lower_error(op, "has constraints for %td outputs and %td inputs: expected %td and %td, one per %s",
                            (ptrdiff_t)outputs, (ptrdiff_t)inputs, (ptrdiff_t)n_results, (ptrdiff_t)n_operands, each);
}

static bool lower_inline_asm(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  enum { MAX_PACKED = 256 };
  const intptr_t packed = nereid_tt_elementwise_inline_asm_get_packed_element(op);
  const intptr_t n_results = mlirOperationGetNumResults(op);
  MlirStringRef text = nereid_tt_elementwise_inline_asm_get_asm_string(op);
  MlirStringRef constraints = nereid_tt_elementwise_inline_asm_get_constraints(op);
  const char *asm_text = nereid_arena_copy(lower->arena, nereid_view_of(text.data, text.length));
  const char *asm_constraints = nereid_arena_copy(lower->arena, nereid_view_of(constraints.data, constraints.length));
  nereid_lowered_t *results = nereid_arena_new(lower->arena, nereid_lowered_t, (size_t)n_results);
  types_t types = {0};
  if (packed > MAX_PACKED)
    return nereid_lower_error(op, "packs %td elements into one execution of its assembly: expected at most %d",
                              (ptrdiff_t)packed, MAX_PACKED);
  if (!asm_text || !asm_constraints || !results)
    return false;
  if (!result_words(lower, op, packed, &types) ||
      !check_constraints(op, constraints, (intptr_t)types.size, count_words(op, packed),
                         "32-bit word of packed elements") ||
      !check_text(op, text, constraints))
    return false;
  intptr_t registers = 0;
  for (intptr_t i = 0; i < n_results; ++i) {
    registers = nereid_lower_registers(lower, mlirValueGetType(mlirOperationGetResult(op, i)));
    results[i] = nereid_lower_array(lower, registers);
  }
  MlirValue *words = nereid_arena_new(lower->arena, MlirValue, types.size);
  for (intptr_t r = 0; words && r < registers; r += packed) {
    values_t operands = {0};
    if (!gather_operands(lower, op, r, packed, &operands))
      return false;
    nereid_emit_asm(lower, asm_text, asm_constraints, !nereid_tt_elementwise_inline_asm_get_pure(op),
                    (intptr_t)types.size, types.data, (intptr_t)operands.size, operands.data, words);
    scatter_results(lower, op, r, packed, words, results);
  }
  for (intptr_t i = 0; i < n_results; ++i)
    nereid_lower_set(lower, mlirOperationGetResult(op, i), results[i]);
  return words != NULL;
}

/* --- ttg.inline_asm --- */

/* The registers of an operand; a buffer has its address. */
static bool add_registers(nereid_lower_t *lower, MlirValue operand, MlirStringRef constraints, values_t *out) {
  MlirType type = mlirValueGetType(operand);
  if (nereid_ttg_memdesc_type_isa(type)) {
    MlirValue base = nereid_shared_base(lower, operand);
    return nereid_vector_push(lower->arena, out, nereid_emit_cast(lower, "llvm.ptrtoint", lower->types->i32, base));
  }
  const nereid_lowered_t lowered = nereid_lower_get(lower, operand);
  const intptr_t registers = nereid_lower_registers(lower, type);
  for (intptr_t r = 0; r < registers; ++r) {
    MlirValue value = lowered.values[lowered.count == 1 ? 0 : r];
    if (!nereid_vector_push(lower->arena, out, widen_bit(lower, value, input_constraint(constraints, out->size))))
      return false;
  }
  return true;
}

static bool lower_thread_asm(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirStringRef text = nereid_ttg_inline_asm_get_asm_string(op),
                constraints = nereid_ttg_inline_asm_get_constraints(op);
  const char *asm_text = nereid_arena_copy(lower->arena, nereid_view_of(text.data, text.length));
  const char *asm_constraints = nereid_arena_copy(lower->arena, nereid_view_of(constraints.data, constraints.length));
  values_t operands = {0};
  types_t types = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!add_registers(lower, mlirOperationGetOperand(op, i), constraints, &operands))
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i)), element = nereid_lower_type(lower, type);
    for (intptr_t r = nereid_lower_registers(lower, type); r > 0; --r)
      if (!nereid_vector_push(lower->arena, &types, element))
        return false;
  }
  if (!check_constraints(op, constraints, (intptr_t)types.size, (intptr_t)operands.size, "register of a thread") ||
      !check_text(op, text, constraints))
    return false;
  MlirValue *results = nereid_arena_new(lower->arena, MlirValue, types.size + 1);
  if (!asm_text || !asm_constraints || !results)
    return false;
  nereid_emit_asm(lower, asm_text, asm_constraints, !nereid_ttg_inline_asm_get_pure(op), (intptr_t)types.size,
                  types.data, (intptr_t)operands.size, operands.data, results);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    const intptr_t registers = nereid_lower_registers(lower, mlirValueGetType(result));
    nereid_lower_set(lower, result, (nereid_lowered_t){registers, results});
    results += registers;
  }
  return true;
}

const nereid_lower_row_t nereid_lower_extern_rows[] = {
    {NEREID_OP_TT_EXTERN_ELEMENTWISE, lower_extern, NULL},
    {NEREID_OP_TT_ELEMENTWISE_INLINE_ASM, lower_inline_asm, NULL},
    {NEREID_OP_TTG_INLINE_ASM, lower_thread_asm, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
