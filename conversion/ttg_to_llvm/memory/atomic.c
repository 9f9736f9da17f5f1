/* Lowers tt.atomic_rmw, tt.atomic_cas and ttg.local_atomic_scatter_rmw.
 *
 *   %old = tt.atomic_rmw fadd, relaxed, gpu, %p, %v, %m
 *   ->
 *   @%m atom.global.gpu.relaxed.add.v4.f32 {%old.0, …}, [%p.0], {%v.0, …}      one per run of contiguous registers
 *
 * Of threads that hold the same element one performs the atomic; the first thread performs a scalar one. If the others
 * use the result, it is passed through shared memory, of the cluster if they are in several CTAs. Registers that
 * repeat an element take the first one's result, and where the mask is false it is 0. Functions that PTX lacks become
 * loops (atomic_loop.h). A scalar orders for its whole program, so a barrier goes before a release and after an
 * acquire; the elements of a tensor order for their own threads. An atomic that does not change memory, such as a sum
 * of 0, and does not release is a load of the same order and scope. ptxas accepts the qualifiers in any order. The
 * order is Triton's, as programs search PTX for its text. */
#include "conversion/ttg_to_llvm/memory/atomic.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/atomic_loop.h"
#include "conversion/ttg_to_llvm/memory/indexed.h"
#include "conversion/ttg_to_llvm/memory/memory.h"
#include "conversion/ttg_to_llvm/shape/convert_cluster.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "base/target_facts.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include <stdio.h>

enum { MAX_WORDS = 8 };

/* One instruction: `words` registers of `word_bits` for each source and for the result. */
typedef struct atomic {
  MlirOperation op;
  const char *function;     /* "add.noftz" */
  const char *type;         /* "f16x2" */
  nereid_atomic_rmw_t rmw;  /* without a function: compare-and-swap */
  unsigned bits, word_bits; /* bits of an element, of a word */
  intptr_t per_word, words;
  bool used; /* the result */
  bool loops;
  bool loads; /* it does not change memory */
  MlirType element, word;
  nereid_lowered_t pointers, masks, sources[2];
  intptr_t n_sources;
} atomic_t;

/* --- which instruction (PTX ISA, "atom") --- */

static const char *integer_type(const atomic_t *atomic, const char *narrow, const char *wide) {
  return atomic->bits == 32 ? narrow : atomic->bits == 64 ? wide : NULL;
}

/* Sums of floats: f16 from sm_70 on, bf16 from sm_90 on; a pair of either is one word. */
static const char *float_type(const atomic_t *atomic, MlirType element, int32_t capability) {
  if (mlirTypeIsAF64(element))
    return "f64";
  if (mlirTypeIsAF32(element))
    return "f32";
  if (mlirTypeIsAF16(element))
    return atomic->per_word == 2 ? "f16x2" : "f16";
  if (mlirTypeIsABF16(element) && nereid_target_has_bf16_atomics(capability))
    return atomic->per_word == 2 ? "bf16x2" : "bf16";
  return NULL;
}

/* Sets function and type; a null type when there is no such instruction. Extrema are of integers only. */
static void choose_rmw(atomic_t *atomic, MlirType element, int32_t capability) {
  static const struct {
    const char *function, *narrow, *wide;
  } rows[] = {
      [NEREID_TT_RMW_OP_AND] = {"and", "b32", "b64"},   [NEREID_TT_RMW_OP_OR] = {"or", "b32", "b64"},
      [NEREID_TT_RMW_OP_XOR] = {"xor", "b32", "b64"},   [NEREID_TT_RMW_OP_ADD] = {"add", "u32", "u64"},
      [NEREID_TT_RMW_OP_MAX] = {"max", "s32", "s64"},   [NEREID_TT_RMW_OP_MIN] = {"min", "s32", "s64"},
      [NEREID_TT_RMW_OP_UMAX] = {"max", "u32", "u64"},  [NEREID_TT_RMW_OP_UMIN] = {"min", "u32", "u64"},
      [NEREID_TT_RMW_OP_XCHG] = {"exch", "b32", "b64"}, [NEREID_TT_RMW_OP_INC] = {"inc", "u32", NULL},
      [NEREID_TT_RMW_OP_DEC] = {"dec", "u32", NULL},
  };
  const nereid_tt_rmw_op_t kind = atomic->rmw.function;
  if (kind != NEREID_TT_RMW_OP_FADD) {
    atomic->function = rows[kind].function;
    const bool is_number = mlirTypeIsAFloat(element) && kind != NEREID_TT_RMW_OP_XCHG;
    atomic->type = is_number ? NULL : integer_type(atomic, rows[kind].narrow, rows[kind].wide);
    return;
  }
  atomic->function = atomic->bits == 16 ? "add.noftz" : "add";
  atomic->type = float_type(atomic, element, capability);
}

/* Whether the operation changes no integer: a sum of 0, the minimum with the largest. */
static bool changes_nothing(nereid_lower_t *lower, const atomic_t *atomic, MlirValue value) {
  const nereid_axis_info_t *info = nereid_axis_info_get(&lower->module->axis, value);
  if (!info || !info->has_constant || info->width != atomic->bits)
    return false;
  const uint64_t ones = UINT64_MAX >> (64 - atomic->bits), sign = UINT64_C(1) << (atomic->bits - 1);
  switch (atomic->rmw.function) {
  case NEREID_TT_RMW_OP_ADD:
  case NEREID_TT_RMW_OP_OR:
  case NEREID_TT_RMW_OP_XOR:
  case NEREID_TT_RMW_OP_UMAX:
    return info->constant == 0;
  case NEREID_TT_RMW_OP_AND:
  case NEREID_TT_RMW_OP_UMIN:
    return info->constant == ones;
  case NEREID_TT_RMW_OP_MAX:
    return info->constant == sign;
  case NEREID_TT_RMW_OP_MIN:
    return info->constant == (ones ^ sign);
  default:
    return false;
  }
}

/* The number of elements per instruction: sums of f32 and of 16-bit pairs have vector forms from sm_90 on. */
static void choose_width(nereid_lower_t *lower, atomic_t *atomic, MlirValue pointer, MlirValue mask) {
  atomic->per_word = atomic->words = 1;
  if (nereid_op_kind(atomic->op) == NEREID_OP_TT_ATOMIC_RMW && atomic->bits <= 32 &&
      atomic->rmw.function == NEREID_TT_RMW_OP_FADD) {
    const intptr_t width = nereid_lower_access_width(lower, pointer, mask, atomic->bits);
    if (atomic->bits == 16 && width >= 2)
      atomic->per_word = 2;
    if (nereid_target_has_vector_atomics(lower->module->options.capability, lower->module->options.ptx_version))
      atomic->words = width / atomic->per_word;
    if (atomic->bits == 16 && atomic->per_word == 1)
      atomic->words = 1;
  }
  atomic->word_bits = atomic->bits * (unsigned)atomic->per_word;
  atomic->word = mlirIntegerTypeGet(lower->context, atomic->word_bits);
}

/* --- words --- */

static MlirValue at(nereid_lowered_t lowered, intptr_t r) {
  return lowered.count == 0 ? (MlirValue){NULL} : lowered.values[lowered.count == 1 ? 0 : r];
}

static MlirValue pack(nereid_lower_t *lower, const atomic_t *atomic, nereid_lowered_t source, intptr_t r) {
  MlirValue elements[2];
  for (intptr_t i = 0; i < atomic->per_word; ++i)
    elements[i] = at(source, r + i);
  return nereid_emit_bits(lower, atomic->word, nereid_emit_pack(lower, atomic->per_word, elements));
}

static void unpack(nereid_lower_t *lower, const atomic_t *atomic, MlirValue word, MlirValue *out) {
  if (atomic->per_word == 1) {
    out[0] = nereid_emit_bits(lower, atomic->element, word);
    return;
  }
  MlirValue pair = nereid_emit_bits(lower, nereid_emit_vector_type(atomic->element, atomic->per_word), word);
  for (intptr_t i = 0; i < atomic->per_word; ++i)
    out[i] = nereid_emit_extract(lower, pair, i);
}

/* --- the instruction --- */

/* " {$3, $4}" or " $3" of `words` operands from `first` on. */
static const char *group(nereid_lower_t *lower, intptr_t words, intptr_t first) {
  const char *text = "";
  for (intptr_t w = 0; text && w < words; ++w)
    text = nereid_arena_format(lower->arena, "%s%s$%d", text, w ? ", " : "", (int)(first + w));
  return text && words > 1 ? nereid_arena_format(lower->arena, "{%s}", text) : text;
}

static const char *mnemonic(nereid_lower_t *lower, const atomic_t *atomic) {
  char vector[8] = "";
  if (atomic->loads)
    return nereid_arena_format(lower->arena, "ld.%s.%s.global.b%u", nereid_atomic_order(atomic->rmw.order),
                               nereid_atomic_scope(atomic->rmw.scope), atomic->bits);
  if (atomic->words > 1)
    snprintf(vector, sizeof vector, ".v%d", (int)atomic->words);
  const char *order = nereid_atomic_order(atomic->rmw.order), *scope = nereid_atomic_scope(atomic->rmw.scope);
  const bool compares = nereid_op_kind(atomic->op) == NEREID_OP_TT_ATOMIC_CAS;
  return nereid_arena_format(lower->arena, "atom.%s.%s.%s.%s%s.%s", nereid_atomic_space(atomic->rmw.shared),
                             compares ? order : scope, compares ? scope : order, atomic->function, vector,
                             atomic->type);
}

/* Operands: results, address, sources, predicate, and under it the zeros that the results start from. */
static void emit_atomic(nereid_lower_t *lower, const atomic_t *atomic, MlirValue pointer, MlirValue predicate,
                        const MlirValue *sources, MlirValue *out) {
  const char *letter = nereid_atomic_letter(atomic->word_bits);
  const intptr_t words = atomic->words, n_sources = atomic->n_sources * words;
  const bool masked = !mlirValueIsNull(predicate);
  MlirType types[MAX_WORDS];
  MlirValue operands[4 * MAX_WORDS];
  intptr_t n = 0;
  const char *constraints = "";
  for (intptr_t w = 0; constraints && w < words; ++w) {
    types[w] = atomic->word;
    constraints = nereid_arena_format(lower->arena, "%s=%s,", constraints, letter);
  }
  operands[n++] = pointer;
  constraints = nereid_arena_format(lower->arena, "%s%s", constraints ? constraints : "",
                                    nereid_atomic_pointer(atomic->rmw.shared));
  for (intptr_t i = 0; constraints && i < n_sources; ++i) {
    operands[n++] = sources[i];
    constraints = nereid_arena_format(lower->arena, "%s,%s", constraints, letter);
  }
  const char *text =
      nereid_arena_format(lower->arena, "%s %s, [$%d]", mnemonic(lower, atomic), group(lower, words, 0), (int)words);
  for (intptr_t s = 0; text && s < atomic->n_sources; ++s)
    text = nereid_arena_format(lower->arena, "%s, %s", text, group(lower, words, words + 1 + s * words));
  if (masked && text) {
    text = nereid_arena_format(lower->arena, "@$%d %s", (int)(words + 1 + n_sources), text);
    constraints = nereid_arena_format(lower->arena, "%s,b", constraints ? constraints : "");
    operands[n++] = predicate;
  }
  for (intptr_t w = 0; masked && constraints && w < words; ++w) {
    operands[n++] = nereid_emit_int(lower, atomic->word, 0);
    constraints = nereid_arena_format(lower->arena, "%s,%d", constraints, (int)w);
  }
  text = text ? nereid_arena_format(lower->arena, "%s;", text) : NULL;
  if (text && constraints)
    nereid_emit_asm(lower, text, constraints, true, words, types, n, operands, out);
}

/* Registers r and on, as many as one instruction takes. */
static void emit_at(nereid_lower_t *lower, const atomic_t *atomic, MlirValue predicate, intptr_t r, MlirValue *out) {
  MlirValue sources[2 * MAX_WORDS], words[MAX_WORDS] = {{NULL}};
  if (atomic->loops) {
    *out = nereid_atomic_loop(lower, atomic->rmw, at(atomic->pointers, r), predicate, at(atomic->sources[0], r));
    return;
  }
  for (intptr_t s = 0; s < atomic->n_sources; ++s)
    for (intptr_t w = 0; w < atomic->words; ++w)
      sources[s * atomic->words + w] = pack(lower, atomic, atomic->sources[s], r + w * atomic->per_word);
  emit_atomic(lower, atomic, at(atomic->pointers, r), predicate, sources, words);
  for (intptr_t w = 0; atomic->used && w < atomic->words; ++w)
    unpack(lower, atomic, words[w], out + w * atomic->per_word);
}

static void emit_all(nereid_lower_t *lower, const atomic_t *atomic, MlirValue thread, uint32_t copies,
                     nereid_lowered_t result) {
  const intptr_t vector = atomic->words * atomic->per_word;
  for (intptr_t r = 0; r < atomic->pointers.count && !lower->arena->failed; r += vector) {
    const intptr_t first = r & ~(intptr_t)copies;
    for (intptr_t i = 0; first != r && i < vector; ++i)
      result.values[r + i] = result.values[first + i];
    if (first == r)
      emit_at(lower, atomic, nereid_lower_both(lower, thread, at(atomic->masks, r)), r, result.values + r);
  }
}

/* --- the result, to every thread that uses it --- */

/* Registers in row-major order; a scalar is the only element. */
static nereid_layout_t row_major(nereid_lower_t *lower, MlirType type) {
  nereid_layout_t layout;
  nereid_layout_initialize(&layout, 1);
  if (mlirTypeIsARankedTensor(type))
    layout = *nereid_lower_layout(lower, type);
  nereid_layout_reshape(&layout, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(&layout)});
  return layout;
}

/* All CTAs of a cluster get the result, as they are one program. */
static bool is_shared_by_ctas(nereid_lower_t *lower, MlirType type) {
  uint32_t masks[NEREID_LAYOUT_DIMS] = {0};
  if (!mlirTypeIsARankedTensor(type))
    return lower->group->grid.num_ctas > 1;
  nereid_layout_free_masks(nereid_lower_layout(lower, type), masks);
  return masks[NEREID_LAYOUT_BLOCK] != 0;
}

MlirValue nereid_atomic_word(nereid_lower_t *lower, unsigned bits, MlirValue value) {
  MlirValue word = nereid_emit_bits(lower, mlirIntegerTypeGet(lower->context, bits), value);
  return bits == 8 ? nereid_emit_cast(lower, "llvm.zext", lower->types->i16, word) : word;
}

bool nereid_atomic_share(nereid_lower_t *lower, MlirOperation op, MlirValue thread, uint32_t copies,
                         nereid_lowered_t result) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  const unsigned bits = nereid_lower_memory_bits(type);
  const char *text = nereid_arena_format(lower->arena, "@$2 st.shared.b%u [$0], $1;", bits);
  const char *constraints = nereid_arena_format(lower->arena, "r,%s,b", nereid_atomic_letter(bits));
  MlirValue scratch = nereid_slots_scratch(lower, op);
  if (mlirValueIsNull(scratch) || lower->arena->failed)
    return false;
  const nereid_layout_t layout = row_major(lower, type);
  MlirType element = nereid_lower_type(lower, type);
  const nereid_slots_t slots = nereid_slots_make(lower, &layout, element, scratch);
  for (intptr_t r = 0; r < result.count; ++r) {
    MlirValue value = nereid_slots_to_memory(lower, slots.memory, result.values[r]);
    MlirValue operands[] = {nereid_slots_address(lower, &slots, (uint32_t)r), nereid_atomic_word(lower, bits, value),
                            thread};
    if (!((uint32_t)r & copies))
      nereid_emit_asm(lower, text, constraints, true, 0, NULL, 3, operands, NULL);
  }
  if (is_shared_by_ctas(lower, type))
    return nereid_lower_load_from_owners(lower, op, &layout, element, scratch, result);
  nereid_emit_barrier(lower);
  nereid_slots_load(lower, &slots, result.values);
  return true;
}

static bool is_used(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

static bool releases(const atomic_t *atomic) {
  return atomic->rmw.order == NEREID_TT_MEM_SEMANTIC_RELEASE ||
         atomic->rmw.order == NEREID_TT_MEM_SEMANTIC_ACQUIRE_RELEASE;
}

static bool acquires(const atomic_t *atomic) {
  return atomic->rmw.order == NEREID_TT_MEM_SEMANTIC_ACQUIRE ||
         atomic->rmw.order == NEREID_TT_MEM_SEMANTIC_ACQUIRE_RELEASE;
}

/* Emits the selected atomic; sets the result. */
static bool lower_atomic(nereid_lower_t *lower, atomic_t *atomic) {
  MlirValue value = mlirOperationGetResult(atomic->op, 0);
  MlirType type = mlirValueGetType(value);
  const bool scalar = !mlirTypeIsARankedTensor(type);
  if (!atomic->type && !atomic->loops)
    return nereid_lower_error(atomic->op, "has no instruction for elements of type %s on sm_%d",
                              nereid_text_of_type(nereid_lower_element_type(type)).chars,
                              lower->module->options.capability);
  atomic->used = is_used(value);
  nereid_lowered_t result = nereid_lower_array(lower, nereid_lower_registers(lower, type));
  if (!result.values)
    return false;
  if (scalar && releases(atomic))
    nereid_emit_program_barrier(lower);
  const uint32_t copies = nereid_lower_register_copies(lower, type);
  MlirValue thread =
      atomic->rmw.shared ? nereid_lower_unique_thread_of_cta(lower, type) : nereid_lower_storing_thread(lower, type);
  emit_all(lower, atomic, thread, copies, result);
  nereid_lower_set(lower, value, result);
  if (atomic->used && !mlirValueIsNull(thread))
    return nereid_atomic_share(lower, atomic->op, thread, copies, result);
  if (scalar && acquires(atomic))
    nereid_emit_program_barrier(lower);
  return true;
}

/* Common operands of both ops, and the width. */
static void begin(nereid_lower_t *lower, atomic_t *atomic, MlirValue pointer, MlirValue mask) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(atomic->op, 0));
  atomic->bits = nereid_lower_memory_bits(type);
  atomic->element = nereid_lower_type(lower, type);
  atomic->pointers = nereid_lower_get(lower, pointer);
  if (!mlirValueIsNull(mask))
    atomic->masks = nereid_lower_get(lower, mask);
  choose_width(lower, atomic, pointer, mask);
}

static bool lower_atomic_rmw(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue pointer = nereid_tt_atomic_rmw_get_ptr(op), value = nereid_tt_atomic_rmw_get_val(op);
  if (!nereid_lower_check_pointer(op, pointer))
    return false;
  atomic_t atomic = {.op = op,
                     .rmw = {.function = nereid_tt_atomic_rmw_get_atomic_rmw_op(op),
                             .order = nereid_tt_atomic_rmw_get_sem(op),
                             .scope = nereid_tt_atomic_rmw_get_scope(op)},
                     .sources = {nereid_lower_get(lower, value)},
                     .n_sources = 1};
  begin(lower, &atomic, pointer, nereid_tt_atomic_rmw_get_mask(op));
  MlirType element = nereid_lower_element_type(mlirValueGetType(value));
  choose_rmw(&atomic, element, lower->module->options.capability);
  atomic.loads = atomic.type && !releases(&atomic) && changes_nothing(lower, &atomic, value);
  if (atomic.loads)
    atomic.n_sources = 0;
  atomic.loops = !atomic.type && nereid_atomic_has_loop(element);
  if (atomic.loops)
    atomic.words = atomic.per_word = 1;
  return lower_atomic(lower, &atomic);
}

/* The addresses of the elements, one per register. */
static bool find_elements(nereid_lower_t *lower, atomic_t *atomic) {
  MlirOperation op = atomic->op;
  MlirType type = mlirValueGetType(nereid_ir_result(op));
  nereid_indexed_t indexed;
  if (is_used(nereid_ir_result(op)) && is_shared_by_ctas(lower, type))
    return nereid_lower_error(op, "has a result that several CTAs of a cluster use, which is not supported");
  if (!nereid_indexed_slots(lower, op, nereid_ttg_local_atomic_scatter_rmw_get_dst(op),
                            nereid_ttg_local_atomic_scatter_rmw_get_indices(op),
                            nereid_ttg_local_atomic_scatter_rmw_get_axis(op), true, &indexed))
    return false;
  const uint32_t copies = nereid_lower_register_copies(lower, type);
  atomic->pointers = nereid_lower_array(lower, nereid_lower_registers(lower, type));
  for (intptr_t r = 0; atomic->pointers.values && r < atomic->pointers.count; ++r)
    if (!((uint32_t)r & copies))
      atomic->pointers.values[r] = nereid_indexed_address(lower, &indexed, r);
  return atomic->pointers.values != NULL;
}

static bool lower_local_atomic(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue values = nereid_ttg_local_atomic_scatter_rmw_get_values(op);
  MlirValue mask = nereid_ttg_local_atomic_scatter_rmw_get_mask(op);
  MlirType element = nereid_lower_element_type(mlirValueGetType(values));
  atomic_t atomic = {.op = op,
                     .rmw = {.function = nereid_ttg_local_atomic_scatter_rmw_get_atomic_rmw_op(op),
                             .order = NEREID_TT_MEM_SEMANTIC_RELAXED,
                             .scope = NEREID_TT_MEM_SYNC_SCOPE_CTA,
                             .shared = true},
                     .bits = nereid_lower_memory_bits(element),
                     .element = nereid_lower_type(lower, element),
                     .masks = mlirValueIsNull(mask) ? (nereid_lowered_t){0} : nereid_lower_get(lower, mask),
                     .sources = {nereid_lower_get(lower, values)},
                     .n_sources = 1};
  if (!find_elements(lower, &atomic))
    return false;
  choose_width(lower, &atomic, (MlirValue){NULL}, mask);
  choose_rmw(&atomic, element, lower->module->options.capability);
  atomic.loops = !atomic.type && nereid_atomic_has_loop(element);
  return lower_atomic(lower, &atomic);
}

static bool lower_atomic_cas(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue pointer = nereid_tt_atomic_cas_get_ptr(op);
  if (!nereid_lower_check_pointer(op, pointer))
    return false;
  atomic_t atomic = {.op = op,
                     .function = "cas",
                     .rmw = {.function = NEREID_TT_RMW_OP_XCHG, /* under a condition */
                             .order = nereid_tt_atomic_cas_get_sem(op),
                             .scope = nereid_tt_atomic_cas_get_scope(op)},
                     .sources = {nereid_lower_get(lower, nereid_tt_atomic_cas_get_cmp(op)),
                                 nereid_lower_get(lower, nereid_tt_atomic_cas_get_val(op))},
                     .n_sources = 2};
  begin(lower, &atomic, pointer, (MlirValue){NULL});
  atomic.type = atomic.bits == 16 ? "b16" : integer_type(&atomic, "b32", "b64");
  return lower_atomic(lower, &atomic);
}

const nereid_lower_row_t nereid_lower_atomic_rows[] = {
    {NEREID_OP_TT_ATOMIC_RMW, lower_atomic_rmw, NULL},
    {NEREID_OP_TT_ATOMIC_CAS, lower_atomic_cas, NULL},
    {NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW, lower_local_atomic, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
