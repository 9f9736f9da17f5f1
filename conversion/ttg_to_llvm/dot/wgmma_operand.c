/* Operands of wgmma; see wgmma_operand.h.
 *
 * Warp groups read different rows of A or columns of B. The part of the start address that they determine comes from
 * the first lane's thread number, so that the assembler keeps it in a uniform register. It is computed once in the
 * prologue. */
#include "conversion/ttg_to_llvm/dot/wgmma_operand.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/shared.h"
#include "conversion/ttg_to_llvm/shuffle.h"
#include "conversion/ttg_to_llvm/words.h"

#include "analysis/access/slot_layout.h"
#include "dialects/diagnose.h"
#include "nereid/dialects/ttg.h"

enum {
  GROUP_WARP_BITS = 2,
  ADDRESS_SHIFT = 4,
  ADDRESS_MASK = 0x3FFFF, /* the bytes that a matrix descriptor addresses (PTX ISA, "Matrix descriptor format") */
  WORD_BITS = 32,
  QUARTERS = 4,
};

static int log2_of(uint32_t value) {
  return __builtin_ctz(value);
}

/* --- shared memory --- */

/* log2 of a CTA's part of dimension `dim`, which operand and result share. */
static int bits_per_cta(const int64_t *shape, int dim, const nereid_layout_t *result) {
  const uint32_t mask = nereid_layout_out_mask(result, dim);
  int bits = log2_of((uint32_t)shape[dim]);
  for (int bit = 0; bit < result->in_bits[NEREID_LAYOUT_BLOCK]; ++bit)
    bits -= (result->bases[NEREID_LAYOUT_BLOCK][bit] & mask) != 0;
  return bits;
}

/* The tensor of the operand's shape, each CTA's part of it in registers: first the bits of rows, then those of the
 * matrix, then those of k. A CTA has the rows and matrices of its part of the result. */
static void enumerate(const int64_t *shape, const nereid_layout_t *result, nereid_wgmma_operand_t *out,
                      nereid_layout_t *tensor) {
  const int batch_bits = out->rank > 2 ? bits_per_cta(shape, 0, result) : 0;
  const uint32_t rows = nereid_layout_out_mask(result, out->row_dim);
  const uint32_t matrices = out->rank > 2 ? nereid_layout_out_mask(result, 0) : 0;
  out->matrix_bits = bits_per_cta(shape, out->row_dim, result);
  out->shared.row_bits = out->matrix_bits + batch_bits;
  out->shared.k_bits = log2_of((uint32_t)shape[out->k_dim]);
  nereid_layout_initialize(tensor, out->rank);
  nereid_layout_extend(tensor, NEREID_LAYOUT_REGISTER, out->row_dim, out->matrix_bits);
  if (out->rank > 2)
    nereid_layout_extend(tensor, NEREID_LAYOUT_REGISTER, 0, batch_bits);
  nereid_layout_extend(tensor, NEREID_LAYOUT_REGISTER, out->k_dim, out->shared.k_bits);
  for (int bit = 0; bit < result->in_bits[NEREID_LAYOUT_BLOCK]; ++bit) {
    const uint32_t basis = result->bases[NEREID_LAYOUT_BLOCK][bit];
    if (basis & (rows | matrices))
      nereid_layout_extend(tensor, NEREID_LAYOUT_BLOCK, basis & rows ? out->row_dim : 0, 1);
    else
      nereid_layout_extend_zeros(tensor, NEREID_LAYOUT_BLOCK, 1);
  }
}

/* The row of the operand, among those of all matrices, for a coordinate of the result. */
static uint32_t row_of(const nereid_wgmma_operand_t *operand, const int32_t *at) {
  const uint32_t batch = operand->rank > 2 ? (uint32_t)at[0] << operand->matrix_bits : 0;
  return batch | (uint32_t)at[operand->row_dim];
}

static bool no_descriptor(MlirOperation op, const nereid_wgmma_operand_t *operand, int tile_bits) {
  return nereid_lower_error(
      op,
      "has operand %s, whose tiles of %d rows by %d bytes of K have no matrix descriptor of wgmma: expected "
      "#ttg.nvmma_shared with swizzlingByteWidth of 32, 64 or 128 and, for elements of other than 16 bits, K "
      "contiguous",
      nereid_text_of_type(operand->type).chars, 1 << tile_bits, (int)NEREID_LAYOUT_MATRIX_K_BYTES);
}

/* Bytes from the operand's start to the rows of each warp group, as a layout of warps. */
static void group_offsets(const nereid_layout_t *result, const nereid_wgmma_operand_t *operand, nereid_layout_t *out) {
  nereid_layout_initialize(out, 1);
  out->out_bits[0] = NEREID_LAYOUT_MAX_BITS - 1;
  out->in_bits[NEREID_LAYOUT_LANE] = result->in_bits[NEREID_LAYOUT_LANE];
  out->in_bits[NEREID_LAYOUT_WARP] = result->in_bits[NEREID_LAYOUT_WARP];
  for (int bit = GROUP_WARP_BITS; bit < result->in_bits[NEREID_LAYOUT_WARP]; ++bit) {
    int32_t at[NEREID_LAYOUT_MAX_RANK];
    nereid_layout_coordinates(result, result->bases[NEREID_LAYOUT_WARP][bit], at);
    out->bases[NEREID_LAYOUT_WARP][bit] =
        nereid_layout_operand_offset(&operand->shared, row_of(operand, at), 0) >> ADDRESS_SHIFT;
  }
}

/* i32: the warp group's part of the start address, over 16; null when all have the same. */
static MlirValue group_part(nereid_lower_t *lower, const nereid_layout_t *offsets) {
  if (!nereid_layout_span(offsets, NEREID_LAYOUT_WARP))
    return (MlirValue){NULL};
  nereid_lower_t prologue = nereid_lower_in_prologue(lower);
  nereid_lower_warp_group_t uniform = *lower->group;
  uniform.thread_id = nereid_shuffle_first_thread(lower);
  prologue.group = &uniform;
  return nereid_lower_thread_coordinate(&prologue, offsets, 0);
}

static bool make_shared(nereid_lower_t *lower, MlirOperation op, int index, const nereid_layout_t *result,
                        int tile_bits, nereid_wgmma_operand_t *out) {
  MlirValue buffer = mlirOperationGetOperand(op, index);
  nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(buffer);
  nereid_layout_t tensor, offsets;
  enumerate(memdesc.shape, result, out, &tensor);
  out->shared.element_bytes = (int)nereid_lower_memory_bits(memdesc.element) / 8;
  if (!nereid_shared_slot_layout(op, &tensor, out->type, &out->shared.slots))
    return false;
  if (!nereid_layout_matrix_describe(&out->shared, tile_bits, &out->matrix))
    return no_descriptor(op, out, tile_bits);
  group_offsets(result, out, &offsets);
  MlirValue address = nereid_emit_cast(lower, "llvm.ptrtoint", lower->types->i32, nereid_shared_base(lower, buffer));
  MlirValue group = group_part(lower, &offsets);
  if (lower->group->grid.num_ctas > 1) /* the CTA's rank in the cluster is in the upper byte of its shared addresses */
    address = nereid_emit_and(lower, address, nereid_emit_i32(lower, ADDRESS_MASK));
  out->low = nereid_emit_lshr(lower, address, nereid_emit_i32(lower, ADDRESS_SHIFT));
  if (!mlirValueIsNull(group))
    out->low = nereid_emit_add(lower, out->low, group);
  return true;
}

/* --- registers --- */

/* The coordinates of A, of rank 2 or 3, at the row (and in the matrix) of `at` and at `k`, packed. */
static uint32_t pack(const nereid_layout_t *held, const int32_t *at, int32_t k) {
  if (held->rank == 2)
    return nereid_layout_pack(held, (int32_t[]){at[0], k});
  return nereid_layout_pack(held, (int32_t[]){at[0], at[1], k});
}

/* Whether the registers of A are those of the instruction, and its warps hold the rows of their results. */
static bool holds_rows(const nereid_layout_t *held, const nereid_layout_t *result, int word_bits) {
  const int in_tile = word_bits + 2;
  bool holds = held->in_bits[NEREID_LAYOUT_REGISTER] >= in_tile &&
               held->in_bits[NEREID_LAYOUT_WARP] == result->in_bits[NEREID_LAYOUT_WARP];
  for (int i = 0; holds && i < in_tile; ++i) {
    const int32_t k = i < word_bits ? 1 << i : QUARTERS << word_bits;
    int32_t at[NEREID_LAYOUT_MAX_RANK] = {0};
    at[held->rank - 2] = i == word_bits ? 8 : 0;
    holds = held->bases[NEREID_LAYOUT_REGISTER][i] == pack(held, at, i == word_bits ? 0 : k);
  }
  for (int i = 0; holds && i < held->in_bits[NEREID_LAYOUT_WARP]; ++i) {
    int32_t at[NEREID_LAYOUT_MAX_RANK];
    nereid_layout_coordinates(result, result->bases[NEREID_LAYOUT_WARP][i], at);
    holds = held->bases[NEREID_LAYOUT_WARP][i] == pack(held, at, 0);
  }
  return holds;
}

static bool make_registers(nereid_lower_t *lower, MlirOperation op, int index, const nereid_layout_t *result,
                           nereid_wgmma_operand_t *out) {
  nereid_lowered_t values = nereid_lower_operand(lower, op, index);
  out->held = nereid_lower_layout(lower, out->type);
  if (!out->held)
    return false;
  const intptr_t per_word = WORD_BITS / (intptr_t)nereid_lower_memory_bits(out->element);
  out->word_bits = log2_of((uint32_t)per_word);
  if (!holds_rows(out->held, result, out->word_bits))
    return nereid_lower_error(op,
                              "has operand a in registers of %s, which are not those of wgmma: expected "
                              "#ttg.dot_op<{opIdx = 0, parent = ..., kWidth = %d}> of the result's encoding",
                              nereid_text_of_type(out->type).chars, (int)per_word);
  out->n_words = (size_t)(values.count / per_word);
  out->words = nereid_arena_new(lower->arena, MlirValue, out->n_words);
  for (size_t word = 0; out->words && word < out->n_words; ++word)
    out->words[word] = per_word > 1 ? nereid_emit_word(lower, per_word, values.values + (intptr_t)word * per_word)
                                    : nereid_emit_bits(lower, lower->types->i32, values.values[word]);
  return out->words != NULL;
}

/* The word that begins with the element at the row of `at` and at `k`, the first of the instruction's four. */
static size_t word_at(const nereid_wgmma_operand_t *operand, const int32_t *at, int32_t k) {
  const nereid_layout_t *held = operand->held;
  uint32_t rest = pack(held, at, k);
  size_t number = 0;
  for (int i = operand->word_bits + 2; i < held->in_bits[NEREID_LAYOUT_REGISTER]; ++i) {
    const uint32_t basis = held->bases[NEREID_LAYOUT_REGISTER][i];
    if (!basis || (rest & basis) != basis)
      continue;
    number |= (size_t)1 << (i - operand->word_bits);
    rest ^= basis;
  }
  return number;
}

/* --- both --- */

bool nereid_wgmma_operand_make(nereid_lower_t *lower, MlirOperation op, int index, const nereid_layout_t *result,
                               int tile_bits, nereid_wgmma_operand_t *out) {
  *out = (nereid_wgmma_operand_t){.type = mlirValueGetType(mlirOperationGetOperand(op, index))};
  out->element = mlirShapedTypeGetElementType(out->type);
  out->rank = result->rank;
  out->row_dim = out->rank - 2 + index;
  out->k_dim = out->rank - 1 - index;
  if (nereid_ttg_memdesc_type_isa(out->type))
    return make_shared(lower, op, index, result, tile_bits, out);
  return make_registers(lower, op, index, result, out);
}

bool nereid_wgmma_operand_is_transposed(const nereid_wgmma_operand_t *operand) {
  return operand->matrix.rows_contiguous;
}

void nereid_wgmma_operand_add(nereid_wgmma_operand_t *operand, nereid_asm_text_t *text) {
  if (!operand->words) {
    operand->number = nereid_asm_text_operand(text, operand->low);
    return;
  }
  for (size_t word = 0; word < operand->n_words; ++word) {
    const size_t number = nereid_asm_text_operand(text, operand->words[word]);
    operand->number = word ? operand->number : number;
  }
}

/* The lower half of the descriptor, less the constant of the operand. */
static uint32_t offset_at(const nereid_wgmma_operand_t *operand, const int32_t *at, int32_t k) {
  return nereid_layout_operand_offset(&operand->shared, row_of(operand, at), (uint32_t)k) >> ADDRESS_SHIFT;
}

int32_t nereid_wgmma_operand_advance(const nereid_wgmma_operand_t *operand, const int32_t *at, int32_t from,
                                     int32_t to) {
  return (int32_t)(offset_at(operand, at, to) - offset_at(operand, at, from));
}

void nereid_wgmma_operand_set(const nereid_wgmma_operand_t *operand, nereid_asm_text_t *text, const char *name,
                              const int32_t *at, int32_t k) {
  if (operand->words)
    return;
  const uint64_t bits = nereid_layout_matrix_bits(&operand->matrix);
  const uint32_t low = (uint32_t)bits + offset_at(operand, at, k), high = (uint32_t)(bits >> 32);
  const char *from = operand->name ? operand->name : nereid_arena_format(text->arena, "$%zu", operand->number);
  if (low)
    nereid_asm_text_add(text, "add.s32 low, %s, %u; mov.b64 %s, {low, %u};\n", from, low, name, high);
  else
    nereid_asm_text_add(text, "mov.b64 %s, {%s, %u};\n", name, from, high);
}

void nereid_wgmma_operand_use(const nereid_wgmma_operand_t *operand, nereid_asm_text_t *text, const char *name,
                              const int32_t *at, int32_t k) {
  if (operand->words)
    nereid_asm_text_add_list(text, operand->number + word_at(operand, at, k), QUARTERS);
  else
    nereid_asm_text_add(text, "%s", name);
}
