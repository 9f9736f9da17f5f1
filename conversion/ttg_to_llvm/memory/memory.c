/* Lowers tt.load, tt.store and tt.addptr on global memory.
 *
 *   tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #blocked>
 *   ->
 *   @%m.0 ld.global.v4.b32 {…}, [%p.0]        one access per run of registers that axis information proves contiguous
 *
 * A plain unmasked access is an LLVM load or store, which LLVM may combine and move. A mask, a cache modifier or an
 * eviction policy makes it inline PTX with a predicate instead of a branch. The values of a masked-off load are the
 * tied initial values of its registers. Registers with the same element share a load; one of the threads with the same
 * element stores it. */
#include "conversion/ttg_to_llvm/memory/memory.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/remarks/remarks.h"
#include "conversion/ttg_to_llvm/words.h"

#include "base/target_facts.h"
#include "seam/effects.h"

#include "nereid/dialects/tt.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_VECTOR = 16, ACCESS_BITS = 128 };

/* The words of one access: PTX supports at most four words of 32 bits or two of 64 bits. */
typedef struct access {
  MlirType element;   /* in registers */
  unsigned bits;      /* bits of an element in memory */
  intptr_t vector;    /* elements */
  intptr_t words;     /* registers of the instruction */
  unsigned word_bits; /* 8, 16, 32 or 64 */
  MlirType word;      /* an integer of word_bits */
  intptr_t per_word;  /* elements */
} access_t;

static access_t make_access(nereid_lower_t *lower, MlirType element, unsigned bits, intptr_t vector) {
  const unsigned total = bits * (unsigned)vector;
  access_t access = {.element = element, .bits = bits, .vector = vector};
  access.word_bits = bits == 64 ? 64 : total < 32 ? total : 32;
  access.words = total / access.word_bits;
  access.per_word = vector / access.words;
  access.word = mlirIntegerTypeGet(lower->context, access.word_bits);
  return access;
}

/* --- words and elements --- */

/* The integer of an element's bits in memory. */
static MlirValue element_to_bits(nereid_lower_t *lower, const access_t *access, MlirValue value) {
  MlirType type = mlirIntegerTypeGet(lower->context, access->bits);
  if (mlirTypeIsAInteger(access->element) && mlirIntegerTypeGetWidth(access->element) < access->bits)
    return nereid_emit_cast(lower, "llvm.zext", type, value);
  return nereid_emit_bits(lower, type, value);
}

static MlirValue bits_to_element(nereid_lower_t *lower, const access_t *access, MlirValue bits) {
  if (mlirTypeIsAInteger(access->element) && mlirIntegerTypeGetWidth(access->element) < access->bits)
    return nereid_emit_cast(lower, "llvm.trunc", access->element, bits);
  return nereid_emit_bits(lower, access->element, bits);
}

/* Whether a word consists of elements as they are in registers. */
static bool has_whole_elements(const access_t *access) {
  return access->word_bits == 32 && access->per_word > 1 &&
         !(mlirTypeIsAInteger(access->element) && mlirIntegerTypeGetWidth(access->element) < access->bits);
}

static MlirValue pack_word(nereid_lower_t *lower, const access_t *access, const MlirValue *elements) {
  MlirValue bits[MAX_VECTOR];
  if (has_whole_elements(access))
    return nereid_emit_word(lower, access->per_word, elements);
  for (intptr_t i = 0; i < access->per_word; ++i)
    bits[i] = element_to_bits(lower, access, elements[i]);
  return nereid_emit_bits(lower, access->word, nereid_emit_pack(lower, access->per_word, bits));
}

/* 16-bit elements are extracted as floats: for integers LLVM emits shifts, and the assembler then does not recognize
 * that two adjacent elements are one register, as its packed arithmetic requires. */
static void unpack_word(nereid_lower_t *lower, const access_t *access, MlirValue word, MlirValue *out_elements) {
  if (has_whole_elements(access)) {
    nereid_emit_split(lower, access->element, access->per_word, word, out_elements);
    return;
  }
  MlirType bits =
      mlirTypeIsAFloat(access->element) ? access->element : mlirIntegerTypeGet(lower->context, access->bits);
  MlirValue vector = word;
  if (access->per_word > 1)
    vector = nereid_emit_bits(lower, nereid_emit_vector_type(bits, access->per_word), word);
  for (intptr_t i = 0; i < access->per_word; ++i) {
    MlirValue part = access->per_word > 1 ? nereid_emit_extract(lower, vector, i) : vector;
    out_elements[i] = bits_to_element(lower, access, part);
  }
}

/* --- instructions --- */

static const char *const cache_names[] = {"", "", ".ca", ".cg", ".wb", ".cs", ".wt", ".cv"};

/* Modifiers of an access. */
typedef struct modifiers {
  nereid_tt_cache_modifier_t cache;
  nereid_tt_eviction_policy_t evict;
  bool is_volatile;
  MlirValue policy; /* i64: the L2 policy that goes with an eviction policy; null without */
  bool in_loop;     /* each access creates its own policy */
} modifiers_t;

static bool is_plain(const modifiers_t *modifiers) {
  return modifiers->cache == NEREID_TT_CACHE_MODIFIER_NONE && modifiers->evict == NEREID_TT_EVICTION_POLICY_NORMAL &&
         !modifiers->is_volatile;
}

static bool is_in_loop(const nereid_lower_t *lower, MlirOperation op) {
  return nereid_map_find(&lower->function->looping, mlirOperationGetBlock(op).ptr) != NULL;
}

/* An eviction policy applies to both caches: a qualifier for L1, a policy for L2 (PTX ISA, "createpolicy": PTX 7.4). In
 * earlier versions the hint is dropped. In a loop each access creates its own volatile policy, so that LLVM does not
 * hoist it: ptxas then keeps the loads of more iterations in flight. The mov, which ptxas removes, increases LLVM's
 * cost estimate: LLVM must leave the unrolling of a loop of many loads to ptxas, which accounts for the remaining
 * registers. */
static void make_policy(nereid_lower_t *lower, modifiers_t *modifiers) {
  char text[96];
  if (modifiers->evict == NEREID_TT_EVICTION_POLICY_NORMAL || modifiers->is_volatile ||
      !nereid_target_has_cache_policies(lower->module->options.ptx_version))
    return;
  snprintf(text, sizeof text, "%screatepolicy.fractional.L2::%s.b64 $0, 1.0;",
           modifiers->in_loop ? "mov.b64 $0, 0; " : "",
           modifiers->evict == NEREID_TT_EVICTION_POLICY_EVICT_FIRST ? "evict_first" : "evict_last");
  nereid_emit_asm(lower, text, "=l", modifiers->in_loop, 1, &lower->types->i64, 0, NULL, &modifiers->policy);
}

/* The qualifiers between ld or st and the vector: PTX has either a cache operator or eviction priorities, and neither
 * on volatile accesses; the eviction policy wins. */
static void format_qualifiers(const modifiers_t *modifiers, char *out, size_t size) {
  if (modifiers->is_volatile)
    snprintf(out, size, ".volatile.global");
  else if (!mlirValueIsNull(modifiers->policy))
    snprintf(out, size, ".global.L1::%s.L2::cache_hint",
             modifiers->evict == NEREID_TT_EVICTION_POLICY_EVICT_FIRST ? "evict_first" : "evict_last");
  else
    snprintf(out, size, ".global%s", cache_names[modifiers->cache]);
}

static const char *constraint(const access_t *access) {
  return access->word_bits == 64 ? "l" : access->word_bits == 32 ? "r" : "h";
}

/* Registers of words have at least 16 bits. */
static MlirType register_type(nereid_lower_t *lower, const access_t *access) {
  return access->word_bits == 8 ? lower->types->i16 : access->word;
}

/* Text that is appended to a fixed buffer. */
typedef struct text {
  char chars[512];
  size_t size;
} text_t;

static void append(text_t *text, const char *format, ...) NEREID_PRINTF(2, 3);

static void append(text_t *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text->chars + text->size, sizeof text->chars - text->size, format, arguments);
  va_end(arguments);
  if (n > 0)
    text->size += (size_t)n;
}

/* ".v4.b32 {$0, $1, $2, $3}" from operand `first` on; braces only for vectors. */
static void append_words(text_t *text, const access_t *access, int first) {
  const bool vector = access->words > 1;
  append(text, "%s", vector ? "{" : "");
  for (int i = 0; i < access->words; ++i)
    append(text, "%s$%d", i ? ", " : "", first + i);
  append(text, "%s", vector ? "}" : "");
}

static void append_type(text_t *text, const access_t *access) {
  if (access->words > 1)
    append(text, ".v%d", (int)access->words);
  append(text, ".b%u ", access->word_bits);
}

/* --- loads --- */

/* `initial` are the words of a masked-off load. Operands: outputs, address, then policy and predicate if there, then
 * the tied initial words. */
static void emit_ptx_load(nereid_lower_t *lower, const access_t *access, const modifiers_t *modifiers,
                          MlirValue pointer, MlirValue predicate, const MlirValue *initial, MlirValue *out_words) {
  text_t code = {.size = 0}, constraints = {.size = 0};
  char qualifiers[64];
  MlirValue operands[2 * MAX_VECTOR];
  MlirType types[MAX_VECTOR];
  const int address = (int)access->words;
  const bool masked = !mlirValueIsNull(predicate), hinted = !mlirValueIsNull(modifiers->policy);
  intptr_t n = 0;
  format_qualifiers(modifiers, qualifiers, sizeof qualifiers);
  if (masked)
    append(&code, "@$%d ", address + 1 + hinted);
  append(&code, "ld%s", qualifiers);
  append_type(&code, access);
  append_words(&code, access, 0);
  append(&code, hinted ? ", [$%d], $%d;" : ", [$%d];", address, address + 1);
  for (intptr_t i = 0; i < access->words; ++i) {
    types[i] = register_type(lower, access);
    append(&constraints, "=%s,", constraint(access));
  }
  append(&constraints, "l");
  operands[n++] = pointer;
  if (hinted) {
    append(&constraints, ",l");
    operands[n++] = modifiers->policy;
  }
  if (masked) {
    append(&constraints, ",b");
    operands[n++] = predicate;
    for (intptr_t i = 0; i < access->words; ++i) {
      append(&constraints, ",%d", (int)i);
      operands[n++] = access->word_bits == 8 ? nereid_emit_cast(lower, "llvm.zext", types[i], initial[i]) : initial[i];
    }
  }
  nereid_emit_asm(lower, code.chars, constraints.chars, true, access->words, types, n, operands, out_words);
  for (intptr_t i = 0; access->word_bits == 8 && i < access->words; ++i)
    out_words[i] = nereid_emit_cast(lower, "llvm.trunc", access->word, out_words[i]);
}

static MlirNamedAttribute alignment(nereid_lower_t *lower, const access_t *access) {
  const int64_t bytes = access->bits * access->vector / 8;
  return nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types->i64, bytes));
}

static void emit_llvm_load(nereid_lower_t *lower, const access_t *access, MlirValue pointer, MlirValue *out_words) {
  MlirNamedAttribute attribute = alignment(lower, access);
  MlirType type = access->words == 1 ? access->word : nereid_emit_vector_type(access->word, access->words);
  MlirOperation load = nereid_emit_op(lower, "llvm.load", 1, &type, 1, &pointer, 1, &attribute);
  MlirValue all = mlirOperationGetResult(load, 0);
  for (intptr_t i = 0; i < access->words; ++i)
    out_words[i] = access->words == 1 ? all : nereid_emit_extract(lower, all, i);
}

typedef struct load {
  nereid_lowered_t pointers, mask, other; /* count 0 when absent */
  modifiers_t modifiers;
} load_t;

static MlirValue at(nereid_lowered_t lowered, intptr_t r) {
  return lowered.count == 0 ? (MlirValue){NULL} : lowered.values[lowered.count == 1 ? 0 : r];
}

/* One access: registers [r, r + vector) of the result. */
static void load_vector(nereid_lower_t *lower, const load_t *load, const access_t *access, intptr_t r,
                        nereid_lowered_t result) {
  MlirValue words[MAX_VECTOR], initial[MAX_VECTOR], predicate = at(load->mask, r);
  if (mlirValueIsNull(predicate) && is_plain(&load->modifiers)) {
    emit_llvm_load(lower, access, at(load->pointers, r), words);
  } else {
    for (intptr_t w = 0; w < access->words && !mlirValueIsNull(predicate); ++w) {
      MlirValue elements[MAX_VECTOR];
      for (intptr_t i = 0; load->other.count && i < access->per_word; ++i)
        elements[i] = at(load->other, r + w * access->per_word + i);
      initial[w] = load->other.count ? pack_word(lower, access, elements) : nereid_emit_int(lower, access->word, 0);
    }
    emit_ptx_load(lower, access, &load->modifiers, at(load->pointers, r), predicate, initial, words);
  }
  for (intptr_t w = 0; w < access->words; ++w)
    unpack_word(lower, access, words[w], result.values + r + w * access->per_word);
}

/* An earlier access of the same addresses under the same mask, or -1: registers that hold the same elements share
 * their pointers. */
static intptr_t find_same_access(const load_t *load, intptr_t vector, intptr_t r) {
  for (intptr_t s = 0; s < r; s += vector)
    if (at(load->pointers, s).ptr == at(load->pointers, r).ptr && at(load->mask, s).ptr == at(load->mask, r).ptr &&
        at(load->other, s).ptr == at(load->other, r).ptr)
      return s;
  return -1;
}

intptr_t nereid_lower_access_width(nereid_lower_t *lower, MlirValue pointer, MlirValue mask, unsigned bits) {
  MlirType type = mlirValueGetType(pointer);
  const nereid_layout_t *layout = mlirTypeIsARankedTensor(type) ? nereid_lower_layout(lower, type) : NULL;
  const int64_t best = layout ? nereid_axis_info_access_width(&lower->module->axis, layout, pointer, mask) : 1;
  const int64_t most = ACCESS_BITS / bits;
  return (intptr_t)(best < most ? best : most);
}

static nereid_lowered_t optional(nereid_lower_t *lower, MlirValue value) {
  return mlirValueIsNull(value) ? (nereid_lowered_t){0} : nereid_lower_get(lower, value);
}

bool nereid_lower_check_pointer(MlirOperation op, MlirValue pointer) {
  MlirType element = nereid_lower_element_type(mlirValueGetType(pointer));
  if (!nereid_tt_ptr_type_isa(element) || mlirTypeIsAShaped(nereid_tt_ptr_type_get_pointee_type(element)))
    return nereid_lower_error(op, "uses a block pointer; run triton-rewrite-tensor-pointer first");
  const int space = (int)nereid_tt_ptr_type_get_address_space(element);
  if (space != NEREID_SPACE_GLOBAL)
    return nereid_lower_error(op, "uses a pointer to address space %d: expected global memory, %d", space,
                              NEREID_SPACE_GLOBAL);
  return true;
}

/* Adds a load of `bytes` per thread in a loop to those of its block. */
static void count_loop_load(nereid_lower_t *lower, MlirOperation op, intptr_t bytes) {
  nereid_lower_function_t *function = lower->function;
  MlirBlock block = mlirOperationGetBlock(op);
  function->loaded_bytes = mlirBlockEqual(block, function->loading_block) ? function->loaded_bytes + bytes : bytes;
  function->loading_block = block;
  if (function->most_loaded_bytes < function->loaded_bytes)
    function->most_loaded_bytes = function->loaded_bytes;
}

static bool lower_load(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue pointer = nereid_tt_load_get_ptr(op), mask = nereid_tt_load_get_mask(op);
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(result));
  if (!nereid_lower_check_pointer(op, pointer))
    return false;
  if (mlirTypeIsNull(element))
    return nereid_lower_error(op, "has a result type that cannot be lowered");
  load_t load = {.pointers = nereid_lower_get(lower, pointer),
                 .mask = optional(lower, mask),
                 .other = optional(lower, nereid_tt_load_get_other(op)),
                 .modifiers = {.cache = nereid_tt_load_get_cache(op),
                               .evict = nereid_tt_load_get_evict(op),
                               .is_volatile = nereid_tt_load_get_is_volatile(op),
                               .in_loop = is_in_loop(lower, op)}};
  const unsigned bits = nereid_lower_memory_bits(mlirValueGetType(result));
  if (load.modifiers.in_loop && mlirTypeIsARankedTensor(mlirValueGetType(result)))
    count_loop_load(lower, op, load.pointers.count * (intptr_t)bits / 8);
  const intptr_t vector = nereid_lower_access_width(lower, pointer, mask, bits);
  nereid_lower_remark_access(lower, op, pointer, mask, bits, vector);
  const access_t access = make_access(lower, element, bits, vector);
  nereid_lowered_t lowered = nereid_lower_array(lower, load.pointers.count);
  for (intptr_t r = 0; lowered.values && r < lowered.count; r += vector) {
    const intptr_t same = find_same_access(&load, vector, r);
    if (r == 0 || (same < 0 && load.modifiers.in_loop))
      make_policy(lower, &load.modifiers);
    if (same < 0)
      load_vector(lower, &load, &access, r, lowered);
    for (intptr_t i = 0; same >= 0 && i < vector; ++i)
      lowered.values[r + i] = lowered.values[same + i];
  }
  nereid_lower_set(lower, result, lowered);
  return true;
}

/* --- stores --- */

/* Operands: address, words, then policy and predicate if there. */
static void emit_ptx_store(nereid_lower_t *lower, const access_t *access, const modifiers_t *modifiers,
                           MlirValue pointer, MlirValue predicate, const MlirValue *words) {
  text_t code = {.size = 0}, constraints = {.size = 0};
  char qualifiers[64];
  MlirValue operands[MAX_VECTOR + 3];
  const bool masked = !mlirValueIsNull(predicate), hinted = !mlirValueIsNull(modifiers->policy);
  const int next = 1 + (int)access->words;
  intptr_t n = 0;
  format_qualifiers(modifiers, qualifiers, sizeof qualifiers);
  if (masked)
    append(&code, "@$%d ", next + hinted);
  append(&code, "st%s", qualifiers);
  append_type(&code, access);
  append(&code, "[$0], ");
  append_words(&code, access, 1);
  if (hinted)
    append(&code, ", $%d", next);
  append(&code, ";");
  append(&constraints, "l");
  operands[n++] = pointer;
  for (intptr_t i = 0; i < access->words; ++i) {
    append(&constraints, ",%s", constraint(access));
    operands[n++] = access->word_bits == 8
                        ? nereid_emit_cast(lower, "llvm.zext", register_type(lower, access), words[i])
                        : words[i];
  }
  if (hinted) {
    append(&constraints, ",l");
    operands[n++] = modifiers->policy;
  }
  if (masked) {
    append(&constraints, ",b");
    operands[n++] = predicate;
  }
  nereid_emit_asm(lower, code.chars, constraints.chars, true, 0, NULL, n, operands, NULL);
}

static void emit_llvm_store(nereid_lower_t *lower, const access_t *access, MlirValue pointer, const MlirValue *words) {
  MlirNamedAttribute attribute = alignment(lower, access);
  MlirValue operands[] = {nereid_emit_pack(lower, access->words, words), pointer};
  nereid_emit_op(lower, "llvm.store", 0, NULL, 2, operands, 1, &attribute);
}

static void store_vector(nereid_lower_t *lower, const modifiers_t *modifiers, const access_t *access, MlirValue pointer,
                         MlirValue predicate, const MlirValue *elements) {
  MlirValue words[MAX_VECTOR];
  for (intptr_t w = 0; w < access->words; ++w)
    words[w] = pack_word(lower, access, elements + w * access->per_word);
  if (mlirValueIsNull(predicate) && is_plain(modifiers))
    emit_llvm_store(lower, access, pointer, words);
  else
    emit_ptx_store(lower, access, modifiers, pointer, predicate, words);
}

MlirValue nereid_lower_both(nereid_lower_t *lower, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a))
    return b;
  return mlirValueIsNull(b) ? a : nereid_emit_and(lower, a, b);
}

uint32_t nereid_lower_register_copies(nereid_lower_t *lower, MlirType type) {
  uint32_t masks[NEREID_LAYOUT_DIMS] = {0};
  const nereid_layout_t *layout = mlirTypeIsARankedTensor(type) ? nereid_lower_layout(lower, type) : NULL;
  if (layout)
    nereid_layout_free_masks(layout, masks);
  return masks[NEREID_LAYOUT_REGISTER];
}

/* Computes `value` here rather than before all parts of a store in a loop, if it is not used elsewhere yet: ptxas,
 * which follows the given order, then has registers to keep more of the preceding loads in flight. */
static void sink(nereid_lower_t *lower, MlirValue value) {
  nereid_builder_t *here = &lower->builder;
  if (!mlirValueIsAOpResult(value) || !mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
    return;
  MlirOperation definition = mlirOpResultGetOwner(value);
  if (mlirOperationGetNumResults(definition) != 1 || !mlirBlockEqual(mlirOperationGetBlock(definition), here->block) ||
      mlirOperationGetNumRegions(definition) || !nereidMlirOperationIsMemoryEffectFree(definition))
    return;
  mlirOperationRemoveFromParent(definition);
  mlirBlockInsertOwnedOperationBefore(here->block, here->before, definition);
}

static bool lower_store(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue pointer = nereid_tt_store_get_ptr(op), mask = nereid_tt_store_get_mask(op);
  MlirValue value = nereid_tt_store_get_value(op);
  if (!nereid_lower_check_pointer(op, pointer))
    return false;
  nereid_lowered_t pointers = nereid_lower_get(lower, pointer), values = nereid_lower_get(lower, value);
  nereid_lowered_t masks = optional(lower, mask);
  modifiers_t modifiers = {
      .cache = nereid_tt_store_get_cache(op), .evict = nereid_tt_store_get_evict(op), .in_loop = is_in_loop(lower, op)};
  MlirType type = mlirValueGetType(pointer);
  const unsigned bits = nereid_lower_memory_bits(mlirValueGetType(value));
  const intptr_t vector = nereid_lower_access_width(lower, pointer, mask, bits);
  nereid_lower_remark_access(lower, op, pointer, mask, bits, vector);
  const access_t access = make_access(lower, mlirValueGetType(values.values[0]), bits, vector);
  const uint32_t copies = nereid_lower_register_copies(lower, type);
  MlirValue thread = nereid_lower_storing_thread(lower, type);
  for (intptr_t r = 0; r < pointers.count; r += vector) {
    MlirValue elements[MAX_VECTOR] = {{NULL}};
    if ((uint32_t)r & copies)
      continue;
    for (intptr_t i = 0; i < vector; ++i)
      elements[i] = at(values, r + i);
    if (r == 0 || modifiers.in_loop)
      make_policy(lower, &modifiers);
    for (intptr_t i = 0; modifiers.in_loop && i < vector; ++i)
      sink(lower, elements[i]);
    store_vector(lower, &modifiers, &access, at(pointers, r), nereid_lower_both(lower, thread, at(masks, r)), elements);
  }
  return true;
}

/* --- addresses --- */

/* Offsets are multiplied by the pointee's size in memory; an i1 has one byte. */
static MlirValue emit_addptr(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row, MlirType element,
                             const MlirValue *operands) {
  (void)row, (void)element;
  MlirType pointer = nereid_lower_element_type(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const unsigned bits = nereid_lower_memory_bits(nereid_tt_ptr_type_get_pointee_type(pointer));
  return nereid_emit_gep(lower, operands[0], mlirIntegerTypeGet(lower->context, bits), operands[1]);
}

/* Coordinates of all inputs but register bit `own`. */
static uint32_t other_bases(const nereid_layout_t *layout, int own) {
  uint32_t bases = 0;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in)
    for (int bit = 0; bit < layout->in_bits[in]; ++bit)
      bases |= in == NEREID_LAYOUT_REGISTER && bit == own ? 0 : layout->bases[in][bit];
  return bases;
}

/* The distance of register bit `bit` in memory, in elements, if it is the same in all threads; else 0. */
static int64_t step_of(const nereid_axis_info_t *info, const nereid_layout_t *layout, int bit) {
  const uint32_t basis = layout->bases[NEREID_LAYOUT_REGISTER][bit];
  for (int d = 0; d < layout->rank; ++d) {
    const uint32_t run = (uint32_t)nereid_axis_info_contiguity(info, d) - 1;
    const uint32_t place = basis >> nereid_layout_out_shift(layout, d);
    if (place && (place & run) << nereid_layout_out_shift(layout, d) == basis)
      return basis & other_bases(layout, bit) ? 0 : place;
  }
  return 0;
}

/* A smaller register with the same start of its run and the same position in it, or `r`. */
static intptr_t same_place(const nereid_lowered_t *pointers, uint32_t runs, intptr_t r) {
  const intptr_t first = r & ~(intptr_t)runs;
  for (intptr_t bits = first; bits; bits &= bits - 1) {
    const intptr_t lower = r ^ (bits & -bits);
    if (pointers->values[lower & ~(intptr_t)runs].ptr == pointers->values[first].ptr)
      return lower;
  }
  return r;
}

/* The contiguous runs of a tensor of pointers: bits of the register number, and the distance of each in bytes.
 * Programs assert contiguity that wraps within a block, as that of tl.max_contiguous(offsets % n, 256): it holds
 * within a vector, whose alignment excludes the wrap, but not between vectors. */
typedef struct runs {
  uint32_t bits;
  int64_t steps[NEREID_LAYOUT_MAX_BITS];
} runs_t;

static runs_t runs_of(nereid_lower_t *lower, MlirValue pointers, unsigned bytes) {
  const nereid_axis_info_t *info = nereid_axis_info_get(&lower->module->axis, pointers);
  MlirType type = mlirValueGetType(pointers);
  const nereid_layout_t *layout = mlirTypeIsARankedTensor(type) ? nereid_lower_layout(lower, type) : NULL;
  runs_t runs = {.bits = 0};
  if (!info || !layout || !info->rank)
    return runs;
  const int64_t limit = lower->module->asserts_contiguity
                            ? nereid_axis_info_access_width(&lower->module->axis, layout, pointers, (MlirValue){NULL})
                            : INT64_MAX;
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_REGISTER]; ++bit) {
    const int64_t step = step_of(info, layout, bit);
    runs.steps[bit] = step < limit ? step * bytes : 0;
    runs.bits |= runs.steps[bit] ? UINT32_C(1) << bit : 0;
  }
  return runs;
}

/* Elements of a contiguous run share the address of the first, with constant offsets that are immediates of the
 * instructions. */
static void share_addresses(nereid_lower_t *lower, nereid_lowered_t pointers, const runs_t *runs) {
  for (intptr_t r = 0; r < pointers.count; ++r) {
    int64_t distance = 0;
    for (uint32_t bits = (uint32_t)r & runs->bits; bits; bits &= bits - 1)
      distance += runs->steps[__builtin_ctz(bits)];
    if (!distance)
      continue;
    const intptr_t same = same_place(&pointers, runs->bits, r);
    MlirValue first = pointers.values[r & ~(intptr_t)runs->bits];
    pointers.values[r] = same != r ? pointers.values[same] : nereid_emit_offset(lower, first, distance);
  }
}

static bool lower_addptr(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  MlirValue result = mlirOperationGetResult(op, 0), pointer = mlirOperationGetOperand(op, 0);
  if (!nereid_lower_check_pointer(op, pointer))
    return false;
  MlirType pointee = nereid_tt_ptr_type_get_pointee_type(nereid_lower_element_type(mlirValueGetType(pointer)));
  const runs_t runs = runs_of(lower, result, nereid_lower_memory_bits(pointee) / 8);
  if (!nereid_lower_elementwise_without(lower, op, row, emit_addptr, runs.bits))
    return false;
  share_addresses(lower, nereid_lower_get(lower, result), &runs);
  return true;
}

const nereid_lower_row_t nereid_lower_memory_rows[] = {
    {NEREID_OP_TT_LOAD, lower_load, NULL},
    {NEREID_OP_TT_STORE, lower_store, NULL},
    {NEREID_OP_TT_ADDPTR, lower_addptr, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
