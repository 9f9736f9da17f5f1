/* tt.dot by mma.sync, where the result has a #ttg.nvidia_mma encoding of version 2.
 *
 *   %d = tt.dot %a, %b, %c : 16x16 f16 * 16x8 f16 -> 16x8 f32
 *   ->
 *   %d.0, ... %d.3 = asm "mma.sync.m16n8k16 {$0, $1, $2, $3}, {a words}, {b words}, {c}"
 *
 * A word is 32 bits of adjacent k (64 bits of f64). The fragments of an instruction follow from the layout of the
 * result: lanes 4 r + q hold row r of A, column r of B, and columns 2 q, 2 q + 1 of row r of the result; a word of A
 * and the word of B that it meets are in lanes of the same q. Which k these hold is free as long as both operands
 * agree, so any kWidth works: the first register bits of k number elements of a word, the next words of an
 * instruction, the rest steps. Tiles of f64 have 16 rows, or 8 where the encoding is for m8n8k4. All tiles of the
 * result take one step before the next: instructions that depend on each other are far apart, and the tiles of a row
 * reuse A. */
#include "conversion/ttg_to_llvm/dot/mma.h"

#include "conversion/ttg_to_llvm/dot/asm_text.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/words.h"

#include "base/target_facts.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include <assert.h>
#include <string.h>

enum {
  LANE_K_BITS = 2,   /* lane bits that number words along k */
  LANE_ROW_BITS = 3, /* lane bits that number rows of A and columns of B */
  COLUMN_BITS = 1,   /* register bits of a result tile along columns; bits along rows follow */
  MAX_SUMS = 4,      /* values of a result tile in a thread */
  MAX_WORD_BITS = 2,
  MAX_PARTS = 4, /* words along k of an instruction, at most: f64 */
};

/* --- instructions --- */

/* Element types with an instruction. */
typedef enum element {
  ELEMENT_NONE,
  ELEMENT_F16,
  ELEMENT_BF16,
  ELEMENT_TF32,
  ELEMENT_E4M3,
  ELEMENT_E5M2,
  ELEMENT_S8,
  ELEMENT_F64,
} element_t;

typedef struct element_row {
  const char *name;   /* in PTX */
  int word_bits;      /* log2 of the elements of a word */
  int most_part_bits; /* log2 of the words along k that an instruction takes, at most */
} element_row_t;

static const element_row_t elements[] = {
    [ELEMENT_NONE] = {"", 0, 0},     [ELEMENT_F16] = {"f16", 1, 1},   [ELEMENT_BF16] = {"bf16", 1, 1},
    [ELEMENT_TF32] = {"tf32", 0, 1}, [ELEMENT_E4M3] = {"e4m3", 2, 1}, [ELEMENT_E5M2] = {"e5m2", 2, 1},
    [ELEMENT_S8] = {"s8", 2, 1},     [ELEMENT_F64] = {"f64", 0, 2},
};

static element_t element_of(MlirType type, bool rounds_to_tf32) {
  if (mlirTypeIsAF16(type))
    return ELEMENT_F16;
  if (mlirTypeIsABF16(type))
    return ELEMENT_BF16;
  if (mlirTypeIsAF32(type))
    return rounds_to_tf32 ? ELEMENT_TF32 : ELEMENT_NONE;
  if (mlirTypeIsAF64(type))
    return ELEMENT_F64;
  if (mlirTypeIsAFloat8E4M3FN(type))
    return ELEMENT_E4M3;
  if (mlirTypeIsAFloat8E5M2(type))
    return ELEMENT_E5M2;
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 8 ? ELEMENT_S8 : ELEMENT_NONE;
}

static bool is_fp8(element_t element) {
  return element == ELEMENT_E4M3 || element == ELEMENT_E5M2;
}

/* One operand. Words are numbered by 8 rows (A only), then the parts of k, the steps of k and the result's tiles. */
typedef struct operand {
  element_t element;
  MlirType type; /* LLVM type of an element */
  nereid_lowered_t held;
  nereid_layout_t from; /* (number of an element, ..) -> the thread's register with it */
  MlirValue *words;     /* indexed by the register of the first element; null until packed */
} operand_t;

typedef struct mma {
  MlirOperation op;
  const nereid_layout_t *result;
  operand_t a, b;
  MlirType sum, asm_sum; /* the result's elements; what the asm has of them */
  int word_bits, part_bits, step_bits;
  int row_bits;                             /* register bits of a result tile along rows: 1, or 0 in m8n8k4 */
  int sums;                                 /* values of the asm's result: 2 where they are pairs of f16 */
  uint32_t k_bases[NEREID_LAYOUT_MAX_BITS]; /* of A's registers along k */
  bool in_quarters;                         /* f64 before sm_90: m8n8k4 only */
} mma_t;

/* Register bits of a result tile. */
static int sum_bits(const mma_t *mma) {
  return COLUMN_BITS + mma->row_bits;
}

/* --- layouts --- */

/* `basis` of the result as one of operand `index`: the batch, and row or column. */
static uint32_t project(const mma_t *mma, const nereid_layout_t *operand, int index, uint32_t basis) {
  int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
  nereid_layout_coordinates(mma->result, basis, coordinates);
  coordinates[mma->result->rank - 2 + (index == 0)] = 0;
  return nereid_layout_pack(operand, coordinates);
}

/* `basis`, which moves only k of operand `from`, as one of operand B. */
static uint32_t move_k(const nereid_layout_t *a, const nereid_layout_t *b, uint32_t basis) {
  const uint32_t k = basis >> nereid_layout_out_shift(a, a->rank - 1);
  return k << nereid_layout_out_shift(b, b->rank - 2);
}

static void append(nereid_layout_t *layout, uint32_t basis) {
  layout->bases[NEREID_LAYOUT_REGISTER][layout->in_bits[NEREID_LAYOUT_REGISTER]++] = basis;
}

/* The registers, lanes and warps of operand `index` as the instructions need them: `held_a` determines the order of k,
 * `held` the shape. */
static void required_layout(const mma_t *mma, const nereid_layout_t *held_a, const nereid_layout_t *held, int index,
                            nereid_layout_t *out) {
  const nereid_layout_t *result = mma->result;
  const uint32_t *sums = result->bases[NEREID_LAYOUT_REGISTER], *lanes = result->bases[NEREID_LAYOUT_LANE];
  const int k_bits = mma->word_bits + mma->part_bits + mma->step_bits;
  const bool splits_rows = index == 0 && mma->row_bits > 0;
  *out = *held;
  out->in_bits[NEREID_LAYOUT_REGISTER] = 0;
  for (int i = 0; i < k_bits; ++i) {
    if (i == mma->word_bits && splits_rows)
      append(out, project(mma, held, index, sums[COLUMN_BITS]));
    append(out, index == 0 ? mma->k_bases[i] : move_k(held_a, held, mma->k_bases[i]));
  }
  if (k_bits == mma->word_bits && splits_rows)
    append(out, project(mma, held, index, sums[COLUMN_BITS]));
  for (int i = sum_bits(mma); i < result->in_bits[NEREID_LAYOUT_REGISTER]; ++i)
    append(out, project(mma, held, index, sums[i]));
  const uint32_t rows[2][LANE_ROW_BITS] = {{lanes[2], lanes[3], lanes[4]}, {sums[0], lanes[0], lanes[1]}};
  for (int i = 0; i < LANE_K_BITS; ++i)
    out->bases[NEREID_LAYOUT_LANE][i] =
        index == 0 ? held_a->bases[NEREID_LAYOUT_LANE][i] : move_k(held_a, held, held_a->bases[NEREID_LAYOUT_LANE][i]);
  for (int i = 0; i < LANE_ROW_BITS; ++i)
    out->bases[NEREID_LAYOUT_LANE][LANE_K_BITS + i] = project(mma, held, index, rows[index][i]);
  out->in_bits[NEREID_LAYOUT_WARP] = result->in_bits[NEREID_LAYOUT_WARP];
  for (int i = 0; i < result->in_bits[NEREID_LAYOUT_WARP]; ++i)
    out->bases[NEREID_LAYOUT_WARP][i] = project(mma, held, index, result->bases[NEREID_LAYOUT_WARP][i]);
}

/* The number of A's register bits along k, which are written to `mma->k_bases` in order; -1 where its lanes do not hold
 * the words of a fragment. */
static int find_k(mma_t *mma, const nereid_layout_t *a) {
  const uint32_t k_mask = nereid_layout_out_mask(a, a->rank - 1);
  int n = 0;
  if (a->in_bits[NEREID_LAYOUT_LANE] != LANE_K_BITS + LANE_ROW_BITS)
    return -1;
  for (int i = 0; i < LANE_K_BITS; ++i)
    if (!a->bases[NEREID_LAYOUT_LANE][i] || a->bases[NEREID_LAYOUT_LANE][i] & ~k_mask)
      return -1;
  for (int i = 0; i < a->in_bits[NEREID_LAYOUT_REGISTER]; ++i)
    if (a->bases[NEREID_LAYOUT_REGISTER][i] & k_mask)
      mma->k_bases[n++] = a->bases[NEREID_LAYOUT_REGISTER][i];
  return n;
}

static bool k_is_too_small(const mma_t *mma, int32_t k) {
  const element_row_t *row = &elements[mma->a.element];
  const int32_t least = 1 << (row->word_bits + LANE_K_BITS);
  return nereid_lower_error(mma->op,
                            "multiplies %d columns of %s, but mma.sync takes at least %d: expected a larger K, padded "
                            "with zeros",
                            k, row->name, least);
}

/* Splits k into words, parts of an instruction and steps. */
static bool split_k(mma_t *mma, const nereid_layout_t *a) {
  const element_row_t *row = &elements[mma->a.element];
  const int registers = find_k(mma, a), k_bits = a->out_bits[a->rank - 1];
  if (k_bits < row->word_bits + LANE_K_BITS)
    return k_is_too_small(mma, 1 << k_bits);
  if (registers + LANE_K_BITS != k_bits)
    return nereid_lower_error(mma->op,
                              "has operands whose lanes do not all hold elements of the %d columns: expected a kWidth "
                              "of at most %d",
                              1 << k_bits, (1 << k_bits) >> LANE_K_BITS);
  mma->word_bits = row->word_bits;
  mma->part_bits = registers - row->word_bits;
  const int most_part_bits = mma->row_bits ? row->most_part_bits : 0;
  if (mma->part_bits > most_part_bits)
    mma->part_bits = most_part_bits;
  mma->step_bits = registers - mma->word_bits - mma->part_bits;
  return true;
}

static bool take_operand(nereid_lower_t *lower, mma_t *mma, int index, const nereid_layout_t *held_a,
                         const nereid_layout_t *held) {
  operand_t *operand = index == 0 ? &mma->a : &mma->b;
  nereid_layout_t required;
  operand->held = nereid_lower_operand(lower, mma->op, index);
  required_layout(mma, held_a, held, index, &required);
  /* The verifier of tt.dot: encodings of one parent and one kWidth. */
  const nereid_layout_conversion_t conversion = nereid_layout_convert(held, &required, &operand->from);
  assert(conversion <= NEREID_LAYOUT_CONVERSION_REGISTER);
  (void)conversion;
  operand->words = nereid_arena_new(lower->arena, MlirValue, (size_t)operand->held.count);
  return operand->words != NULL;
}

/* --- words --- */

/* The thread's register with element `number` of the required layout. */
static uint32_t register_of(const operand_t *operand, uint32_t number) {
  int32_t place[NEREID_LAYOUT_DIMS];
  nereid_layout_coordinates(&operand->from, nereid_layout_apply(&operand->from, number, 0, 0, 0), place);
  return (uint32_t)place[NEREID_LAYOUT_DIMS - 1];
}

static MlirValue make_word(nereid_lower_t *lower, const mma_t *mma, const operand_t *operand, uint32_t first) {
  MlirValue value = operand->held.values[register_of(operand, first)], parts[1 << MAX_WORD_BITS] = {value};
  if (operand->element == ELEMENT_F64)
    return value;
  if (operand->element == ELEMENT_TF32)
    return nereid_emit_bits(lower, lower->types->i32, value); /* the instruction ignores the lower 13 bits */
  for (uint32_t i = 1; i < UINT32_C(1) << mma->word_bits; ++i)
    parts[i] = operand->held.values[register_of(operand, first | i)];
  return nereid_emit_word(lower, 1 << mma->word_bits, parts);
}

/* The word of `operand` with this number: elements of adjacent registers of the required layout. */
static MlirValue word_at(nereid_lower_t *lower, const mma_t *mma, const operand_t *operand, uint32_t number) {
  const uint32_t first = number << mma->word_bits;
  MlirValue *word = &operand->words[register_of(operand, first)];
  if (mlirValueIsNull(*word))
    *word = make_word(lower, mma, operand, first);
  return *word;
}

/* --- text --- */

static const char *sum_name(const mma_t *mma) {
  if (mlirTypeIsAF16(mma->sum))
    return "f16";
  return mlirTypeIsAInteger(mma->sum) ? "s32" : mlirTypeIsAF64(mma->sum) ? "f64" : "f32";
}

/* A run of the asm's operands. */
typedef struct run {
  int first, count;
} run_t;

/* The operands of the asm, in order. */
typedef struct operands {
  run_t d, c, a, b;
} operands_t;

static operands_t operands_of(const mma_t *mma) {
  const int b = 1 << mma->part_bits, a = b << mma->row_bits;
  return (operands_t){{0, mma->sums}, {mma->sums, mma->sums}, {2 * mma->sums, a}, {2 * mma->sums + a, b}};
}

static void write_instruction(const mma_t *mma, int rows, int parts, const operands_t *operands,
                              nereid_asm_text_t *text) {
  const run_t runs[] = {operands->d, operands->a, operands->b, operands->c};
  nereid_asm_text_add(text, "%smma.sync.aligned.m%dn8k%d.row.col%s.%s.%s.%s.%s ", text->text.size ? "\n\t" : "", rows,
                      parts << (LANE_K_BITS + mma->word_bits), mlirTypeIsAInteger(mma->sum) ? ".satfinite" : "",
                      sum_name(mma), elements[mma->a.element].name, elements[mma->b.element].name, sum_name(mma));
  for (int i = 0; i < 4; ++i) {
    nereid_asm_text_add_list(text, (size_t)runs[i].first, (size_t)runs[i].count);
    nereid_asm_text_add(text, i < 3 ? ", " : ";");
  }
}

/* m8n8k4 of f64: 8 rows and one word along k at a time. */
static void write_quarters(const mma_t *mma, nereid_asm_text_t *text) {
  const operands_t all = operands_of(mma);
  for (int part = 0; part < all.b.count; ++part)
    for (int half = 0; half < 2; ++half) {
      const operands_t quarter = {.d = {all.d.first + 2 * half, 2},
                                  .c = {(part ? all.d.first : all.c.first) + 2 * half, 2},
                                  .a = {all.a.first + 2 * part + half, 1},
                                  .b = {all.b.first + part, 1}};
      write_instruction(mma, 8, 1, &quarter, text);
    }
}

/* Results of several instructions are early clobbers: the later ones read words when these are already written. */
static void write_constraints(const mma_t *mma, nereid_asm_text_t *text) {
  const operands_t operands = operands_of(mma);
  const char *sum = mlirTypeIsAF32(mma->asm_sum) ? "f" : mlirTypeIsAF64(mma->asm_sum) ? "d" : "r";
  for (int i = 0; i < operands.d.count; ++i)
    nereid_asm_text_add(text, "%s%s%s", i ? "," : "", mma->in_quarters ? "=&" : "=", sum);
  for (int i = 0; i < operands.c.count; ++i)
    nereid_asm_text_add(text, ",%s", sum);
  for (int i = 0; i < operands.a.count + operands.b.count; ++i)
    nereid_asm_text_add(text, mma->a.element == ELEMENT_F64 ? ",d" : ",r");
}

/* --- the sums --- */

/* Tiles of the result that only repeat others: register bits that move nothing. */
static uint32_t copies_of(const mma_t *mma) {
  const nereid_layout_t *result = mma->result;
  uint32_t copies = 0;
  for (int i = sum_bits(mma); i < result->in_bits[NEREID_LAYOUT_REGISTER]; ++i)
    copies |= result->bases[NEREID_LAYOUT_REGISTER][i] ? 0 : UINT32_C(1) << (i - sum_bits(mma));
  return copies;
}

/* Adds the products of one step to a tile; `number` is that of the tile and the step. */
static void emit_tile(nereid_lower_t *lower, mma_t *mma, const char *text, const char *constraints, uint32_t number,
                      MlirValue *sums) {
  const operands_t operands = operands_of(mma);
  MlirValue values[MAX_SUMS + 3 * MAX_PARTS];
  MlirType types[MAX_SUMS];
  int n = 0;
  for (int i = 0; i < operands.d.count; ++i) {
    types[i] = mma->asm_sum;
    values[n++] = sums[i];
  }
  for (int i = 0; i < operands.a.count; ++i)
    values[n++] = word_at(lower, mma, &mma->a, number << (mma->row_bits + mma->part_bits) | (uint32_t)i);
  for (int i = 0; i < operands.b.count; ++i)
    values[n++] = word_at(lower, mma, &mma->b, number << mma->part_bits | (uint32_t)i);
  nereid_emit_asm(lower, text, constraints, true, operands.d.count, types, n, values, sums);
}

static void emit_tiles(nereid_lower_t *lower, mma_t *mma, uint32_t tiles, MlirValue *sums) {
  const operands_t operands = operands_of(mma);
  const uint32_t copies = copies_of(mma);
  nereid_asm_text_t text = {.arena = lower->arena}, constraints = {.arena = lower->arena};
  if (mma->in_quarters)
    write_quarters(mma, &text);
  else
    write_instruction(mma, 8 << mma->row_bits, 1 << mma->part_bits, &operands, &text);
  write_constraints(mma, &constraints);
  nereid_vector_push(lower->arena, &text.text, '\0');
  nereid_vector_push(lower->arena, &constraints.text, '\0');
  for (uint32_t step = 0; !lower->arena->failed && step < UINT32_C(1) << mma->step_bits; ++step)
    for (uint32_t tile = 0; tile < tiles; ++tile)
      if (!(tile & copies))
        emit_tile(lower, mma, text.text.data, constraints.text.data, tile << mma->step_bits | step,
                  sums + (size_t)tile * (size_t)mma->sums);
}

/* Pairs of f16 are words. */
static MlirValue pack_sum(nereid_lower_t *lower, const mma_t *mma, const MlirValue *values, int i) {
  if (!mlirTypeIsAF16(mma->sum))
    return values[i];
  return nereid_emit_word(lower, 2, values + (ptrdiff_t)2 * i);
}

static void unpack_sum(nereid_lower_t *lower, const mma_t *mma, MlirValue sum, int i, MlirValue *values) {
  if (!mlirTypeIsAF16(mma->sum))
    values[i] = sum;
  else
    nereid_emit_split(lower, mma->sum, 2, sum, values + (ptrdiff_t)2 * i);
}

static bool emit_dot(nereid_lower_t *lower, mma_t *mma) {
  const size_t values_per_tile = (size_t)1 << sum_bits(mma);
  const uint32_t tiles = UINT32_C(1) << (mma->result->in_bits[NEREID_LAYOUT_REGISTER] - sum_bits(mma));
  const uint32_t copies = copies_of(mma);
  nereid_lowered_t addends = nereid_lower_operand(lower, mma->op, 2);
  nereid_lowered_t lowered = nereid_lower_array(lower, addends.count);
  MlirValue *sums = nereid_arena_new(lower->arena, MlirValue, (size_t)tiles * (size_t)mma->sums);
  if (!lowered.values || !sums)
    return false;
  for (uint32_t tile = 0; tile < tiles; ++tile)
    for (int i = 0; i < mma->sums && !(tile & copies); ++i)
      sums[tile * (uint32_t)mma->sums + (uint32_t)i] =
          pack_sum(lower, mma, addends.values + (size_t)tile * values_per_tile, i);
  emit_tiles(lower, mma, tiles, sums);
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    MlirValue *values = lowered.values + (size_t)tile * values_per_tile;
    const uint32_t first = tile & ~copies;
    if (first != tile)
      memcpy(values, lowered.values + (size_t)first * values_per_tile, values_per_tile * sizeof *values);
    for (int i = 0; i < mma->sums && first == tile; ++i)
      unpack_sum(lower, mma, sums[tile * (uint32_t)mma->sums + (uint32_t)i], i, values);
  }
  nereid_lower_set(lower, mlirOperationGetResult(mma->op, 0), lowered);
  return true;
}

/* --- types --- */

static nereid_text_t element_text(MlirValue value) {
  return nereid_text_of_type(nereid_lower_element_type(mlirValueGetType(value)));
}

static bool no_instruction(const mma_t *mma, const char *remedy) {
  return nereid_lower_error(mma->op, "has no mma.sync for %s * %s -> %s: %s",
                            element_text(mlirOperationGetOperand(mma->op, 0)).chars,
                            element_text(mlirOperationGetOperand(mma->op, 1)).chars,
                            element_text(mlirOperationGetResult(mma->op, 0)).chars, remedy);
}

/* Whether operands `a` and `b` have an instruction that adds to elements of type `sum`. */
static bool has_sum(element_t a, element_t b, MlirType sum) {
  if (a == ELEMENT_NONE || (a != b && !(is_fp8(a) && is_fp8(b))))
    return false;
  if (a == ELEMENT_S8)
    return mlirTypeIsAInteger(sum) && mlirIntegerTypeGetWidth(sum) == 32;
  if (a == ELEMENT_F64)
    return mlirTypeIsAF64(sum);
  return mlirTypeIsAF32(sum) || (a == ELEMENT_F16 && mlirTypeIsAF16(sum));
}

static bool choose_types(nereid_lower_t *lower, mma_t *mma) {
  const nereid_lower_options_t *options = &lower->module->options;
  const bool tf32 = nereid_tt_dot_get_input_precision(mma->op) == NEREID_TT_INPUT_PRECISION_TF32;
  for (int i = 0; i < 2; ++i) {
    operand_t *operand = i ? &mma->b : &mma->a;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(mma->op, i));
    operand->element = element_of(nereid_lower_element_type(type), tf32);
  }
  mma->sum = nereid_lower_element_type(mlirValueGetType(mlirOperationGetResult(mma->op, 0)));
  if (!has_sum(mma->a.element, mma->b.element, mma->sum))
    return no_instruction(mma, "expected f16, bf16, f32 of input precision tf32, fp8, i8 or f64 for both operands, "
                               "or a #ttg.blocked result");
  if (is_fp8(mma->a.element) && !nereid_target_has_fp8_mma(options->capability, options->ptx_version))
    return no_instruction(mma, "it needs sm_89 and PTX 8.4; convert the operands to f16");
  mma->in_quarters = mma->a.element == ELEMENT_F64 && mma->row_bits && options->capability < NEREID_SM_90;
  mma->sums = (1 << sum_bits(mma)) >> mlirTypeIsAF16(mma->sum);
  mma->asm_sum = mlirTypeIsAF16(mma->sum) ? lower->types->i32 : mma->sum;
  return true;
}

/* Whether the result's tiles are those of m16n8, or of the m8n8k4 of f64. */
static bool read_shape(mma_t *mma) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(mma->op, 0));
  MlirAttribute shape = nereid_ttg_nvidia_mma_attr_get_instr_shape(mlirRankedTensorTypeGetEncoding(type));
  const int32_t rank = (int32_t)mlirDenseArrayGetNumElements(shape);
  const int32_t m = mlirDenseI32ArrayGetElement(shape, rank - 2), n = mlirDenseI32ArrayGetElement(shape, rank - 1);
  mma->row_bits = m == 16;
  return (n == 8 && (m == 16 || (m == 8 && mlirTypeIsAF64(nereid_lower_element_type(type))))) ||
         nereid_lower_error(mma->op,
                            "has a result for instructions of %dx%d: expected an instrShape that ends in 16, 8, or in "
                            "8, 8 where the elements are f64",
                            m, n);
}

bool nereid_lower_mma(nereid_lower_t *lower, MlirOperation op) {
  mma_t mma = {.op = op, .result = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetResult(op, 0)))};
  const nereid_layout_t *a = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const nereid_layout_t *b = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetOperand(op, 1)));
  return mma.result && a && b && read_shape(&mma) && choose_types(lower, &mma) && split_k(&mma, a) &&
         take_operand(lower, &mma, 0, a, a) && take_operand(lower, &mma, 1, a, b) && emit_dot(lower, &mma);
}
