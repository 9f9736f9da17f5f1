/* ttng.warp_group_dot and ttng.warp_group_dot_wait: wgmma.
 *
 *   %d = ttng.warp_group_dot %a, %b, %c {isAsync = true}       64x64 = 64x32 * 32x64, f16
 *   ->
 *   %d.0, %d.1 … = asm "wgmma.fence;
 *                       wgmma.mma_async.m64n64k16 {$0,$1,…}, {%a >> 4, …}, {%b >> 4, …}, …;    for each tile, each k
 *                       wgmma.mma_async.m64n64k16 {$0,$1,…}, {(%a >> 4) + 2, …}, {(%b >> 4) + 128, …}, …;
 *                       wgmma.commit_group;"  (%c.0, %c.1 …)   in the registers of the results
 *
 * One statement contains all instructions of a dot, so that nothing is placed between the fence and an instruction: a
 * copy of a register there would be a race. A wait takes the registers in the same way, so that no use of them precedes
 * it. The upper half of a descriptor is a constant; tile and k add constants to the lower half. A dot of rank 3
 * multiplies the matrices of a batch: its tiles are those of all matrices.
 *
 * Sums of 8-bit floats: where maxNumImpreciseAcc is at most K, as many k are summed from zero and added to the
 * accumulator in f32 (docs/numerics.md). PTX ISA, "wgmma.mma_async". */
#include "conversion/ttg_to_llvm/dot/wgmma_loop.h"
#include "conversion/ttg_to_llvm/dot/wgmma_operand.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/words.h"

#include "base/target_facts.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

enum { GROUP_WARP_BITS = 2, LANE_BITS = 5, ROW_BITS = 6, MIN_COLUMN_BITS = 3, WORD_BITS = 32 };

typedef struct dot {
  MlirOperation op;
  const nereid_layout_t *result;
  MlirType element; /* element type of the result */
  nereid_wgmma_operand_t a, b;
  const char *instruction;
  int column_bits;    /* log2 of the instruction's N */
  int32_t k, steps;   /* k of one instruction; instructions along k */
  uint32_t copies;    /* register bits of the result that only repeat */
  intptr_t registers; /* registers of a tile */
  intptr_t tiles, words_per_tile;
  bool starts;     /* the accumulator is not added */
  MlirValue scale; /* i1: it is added; null: a constant */
} dot_t;

/* --- registers of 32 bits --- */

/* Elements of a register. */
static intptr_t per_word(MlirType element) {
  const intptr_t bits = (intptr_t)nereid_lower_memory_bits(element);
  return bits < WORD_BITS ? WORD_BITS / bits : 1;
}

static MlirType word_type(nereid_lower_t *lower, MlirType element) {
  return per_word(element) > 1 ? lower->types->i32 : element;
}

static MlirValue to_word(nereid_lower_t *lower, MlirType element, const MlirValue *values) {
  return per_word(element) > 1 ? nereid_emit_word(lower, per_word(element), values) : *values;
}

static void from_word(nereid_lower_t *lower, MlirType element, MlirValue word, MlirValue *out_values) {
  if (per_word(element) > 1)
    nereid_emit_split(lower, element, per_word(element), word, out_values);
  else
    *out_values = word;
}

/* --- the result's layout --- */

/* Whether a basis moves by these rows and columns within a matrix. */
static bool is_at(const nereid_layout_t *layout, uint32_t basis, int32_t row, int32_t column) {
  int32_t at[NEREID_LAYOUT_MAX_RANK] = {0};
  at[layout->rank - 2] = row;
  at[layout->rank - 1] = column;
  return basis == nereid_layout_pack(layout, at);
}

/* Whether lanes and the warps of a group hold what an instruction gives them. */
static bool has_fragments(const nereid_layout_t *layout) {
  const uint32_t *registers = layout->bases[NEREID_LAYOUT_REGISTER], *lanes = layout->bases[NEREID_LAYOUT_LANE];
  const uint32_t *warps = layout->bases[NEREID_LAYOUT_WARP];
  bool matches =
      (layout->rank == 2 || layout->rank == 3) && layout->in_bits[NEREID_LAYOUT_REGISTER] >= MIN_COLUMN_BITS - 1 &&
      layout->in_bits[NEREID_LAYOUT_LANE] == LANE_BITS && layout->in_bits[NEREID_LAYOUT_WARP] >= GROUP_WARP_BITS;
  if (!matches)
    return false;
  matches = is_at(layout, registers[0], 0, 1) && is_at(layout, registers[1], 8, 0);
  for (int i = 0; i < LANE_BITS; ++i)
    matches &= i < 2 ? is_at(layout, lanes[i], 0, 2 << i) : is_at(layout, lanes[i], 1 << (i - 2), 0);
  for (int i = 0; i < GROUP_WARP_BITS; ++i)
    matches &= is_at(layout, warps[i], 16 << i, 0);
  return matches;
}

/* Splits the registers into tiles of an instruction, at most as wide as the encoding's. */
static void split_registers(dot_t *dot, int32_t n) {
  const nereid_layout_t *layout = dot->result;
  uint32_t masks[NEREID_LAYOUT_DIMS];
  int bits = MIN_COLUMN_BITS;
  nereid_layout_free_masks(layout, masks);
  while (bits <= layout->in_bits[NEREID_LAYOUT_REGISTER] && INT32_C(2) << bits <= n &&
         is_at(layout, layout->bases[NEREID_LAYOUT_REGISTER][bits - 1], 0, 1 << bits))
    ++bits;
  dot->copies = masks[NEREID_LAYOUT_REGISTER];
  dot->column_bits = bits;
  dot->registers = (intptr_t)1 << (bits - 1);
  dot->tiles = nereid_layout_registers(layout) / dot->registers;
  dot->words_per_tile = dot->registers / per_word(dot->element);
}

static bool is_copy(const dot_t *dot, intptr_t tile) {
  return (uint32_t)(tile * dot->registers) & dot->copies;
}

/* The coordinates of the first element of a tile. */
static void tile_at(const dot_t *dot, intptr_t tile, int32_t *out) {
  const uint32_t element = nereid_layout_apply(dot->result, (uint32_t)(tile * dot->registers), 0, 0, 0);
  nereid_layout_coordinates(dot->result, element, out);
}

/* --- statements --- */

/* Instructions of a dot in one statement. */
typedef struct statement {
  dot_t *dot;
  intptr_t first_tile, end_tile;
  int32_t first_step, end_step;
  int32_t groups;          /* that the steps are divided into */
  bool loops;              /* an iteration per group */
  bool starts;             /* the first instruction of a tile sets its registers, which have no value before */
  bool complete;           /* waits for the results */
  const MlirValue *reused; /* starts: registers of another statement, which the tiles take over; or null */
  nereid_asm_text_t text;
  const char *adds; /* predicate: the first instruction of a tile adds the accumulator */
} statement_t;

static void add_accumulators(nereid_lower_t *lower, statement_t *statement, const MlirValue *values) {
  const dot_t *dot = statement->dot;
  size_t results = 0;
  for (intptr_t tile = statement->first_tile; tile < statement->end_tile; ++tile)
    for (intptr_t word = 0; !is_copy(dot, tile) && word < dot->words_per_tile; ++word)
      nereid_asm_text_result(&statement->text, word_type(lower, dot->element));
  for (intptr_t tile = statement->first_tile; !statement->starts && tile < statement->end_tile; ++tile)
    for (intptr_t word = 0; !is_copy(dot, tile) && word < dot->words_per_tile; ++word)
      nereid_asm_text_tied(&statement->text,
                           to_word(lower, dot->element, values + tile * dot->registers + word * per_word(dot->element)),
                           results++);
  for (intptr_t word = 0; statement->reused && word < dot->words_per_tile; ++word)
    nereid_asm_text_tied(&statement->text, statement->reused[word], results++);
}

/* The modifiers that follow the predicate: signs of A and B, and of 16-bit elements which operands are transposed. */
static void add_modifiers(const statement_t *statement, nereid_asm_text_t *text) {
  const dot_t *dot = statement->dot;
  if (!mlirTypeIsAInteger(dot->element))
    nereid_asm_text_add(text, ", 1, 1");
  if (nereid_lower_memory_bits(dot->b.element) == WORD_BITS / 2 && !dot->a.words)
    nereid_asm_text_add(text, ", %d", (int)dot->a.matrix.rows_contiguous);
  if (nereid_lower_memory_bits(dot->b.element) == WORD_BITS / 2)
    nereid_asm_text_add(text, ", %d", (int)dot->b.matrix.rows_contiguous);
  nereid_asm_text_add(text, ";\n");
}

static void add_instruction(statement_t *statement, const int32_t *at, int32_t step, size_t registers) {
  const dot_t *dot = statement->dot;
  nereid_asm_text_t *text = &statement->text;
  nereid_wgmma_operand_set(&dot->a, text, "a", at, step * dot->k);
  nereid_wgmma_operand_set(&dot->b, text, "b", at, step * dot->k);
  nereid_asm_text_add(text, "%s ", dot->instruction);
  nereid_asm_text_add_list(text, registers, (size_t)dot->words_per_tile);
  nereid_asm_text_add(text, ", ");
  nereid_wgmma_operand_use(&dot->a, text, "a", at, step * dot->k);
  nereid_asm_text_add(text, ", b, %s", step == statement->first_step ? statement->adds : "yes");
  add_modifiers(statement, text);
}

/* The instructions of all tiles for these steps, and the end of their group. */
static void add_group(statement_t *statement, int32_t first_step, int32_t end_step) {
  const dot_t *dot = statement->dot;
  int32_t at[NEREID_LAYOUT_MAX_RANK];
  size_t registers = 0;
  for (intptr_t tile = statement->first_tile; tile < statement->end_tile; ++tile) {
    if (is_copy(dot, tile))
      continue;
    tile_at(dot, tile, at);
    for (int32_t step = first_step; step < end_step; ++step)
      add_instruction(statement, at, step, registers);
    registers += (size_t)dot->words_per_tile;
  }
  nereid_asm_text_add(&statement->text, "wgmma.commit_group.sync.aligned;\n");
}

static int32_t steps_per_group(const statement_t *statement) {
  return (statement->end_step - statement->first_step) / statement->groups;
}

/* Whether the descriptors of all instructions of a group differ from those of the next group by the same constant. */
static bool is_linear(const statement_t *statement, const nereid_wgmma_operand_t *operand) {
  const dot_t *dot = statement->dot;
  const int32_t steps = steps_per_group(statement);
  int32_t first[NEREID_LAYOUT_MAX_RANK], at[NEREID_LAYOUT_MAX_RANK];
  bool same = true;
  tile_at(dot, statement->first_tile, first);
  const int32_t advance = nereid_wgmma_operand_advance(operand, first, 0, steps * dot->k);
  for (intptr_t tile = statement->first_tile; tile < statement->end_tile; ++tile) {
    tile_at(dot, tile, at);
    for (int32_t step = statement->first_step; step + steps < statement->end_step; ++step)
      same &= nereid_wgmma_operand_advance(operand, at, step * dot->k, (step + steps) * dot->k) == advance;
  }
  return same;
}

/* The groups one after the other. */
static void add_sequence(statement_t *statement) {
  const int32_t steps = steps_per_group(statement);
  nereid_asm_text_add(&statement->text, "wgmma.fence.sync.aligned;\n");
  for (int32_t step = statement->first_step; step < statement->end_step; step += steps)
    add_group(statement, step, step + steps);
}

/* The groups as iterations of a loop. The fence is in the loop: otherwise ptxas adds one, with a note (C7519). */
static void add_loop(statement_t *statement) {
  dot_t *dot = statement->dot;
  nereid_asm_text_t *text = &statement->text;
  const int32_t first = statement->first_step, end = first + steps_per_group(statement);
  const bool has_scale = !mlirValueIsNull(dot->scale);
  int32_t at[NEREID_LAYOUT_MAX_RANK];
  tile_at(dot, statement->first_tile, at);
  nereid_asm_text_add(text,
                      ".reg .b32 low_a, low_b, i; .reg .pred adds, more;\n"
                      "mov.b32 low_a, $%zu; mov.b32 low_b, $%zu; mov.b32 i, 0;\n",
                      dot->a.number, dot->b.number);
  if (has_scale)
    nereid_asm_text_add(text, "mov.pred adds, %s;\n", statement->adds);
  statement->adds = has_scale ? "adds" : "yes";
  nereid_asm_text_add(text, "again: .pragma \"nounroll\";\nwgmma.fence.sync.aligned;\n");
  dot->a.name = "low_a", dot->b.name = "low_b";
  add_group(statement, first, end);
  dot->a.name = dot->b.name = NULL;
  nereid_asm_text_add(text, "add.s32 low_a, low_a, %d; add.s32 low_b, low_b, %d; %sadd.s32 i, i, 1;\n",
                      nereid_wgmma_operand_advance(&dot->a, at, first * dot->k, end * dot->k),
                      nereid_wgmma_operand_advance(&dot->b, at, first * dot->k, end * dot->k),
                      has_scale ? "mov.pred adds, yes; " : "");
  nereid_asm_text_add(text, "setp.lt.u32 more, i, %d; @more bra again;\n", (int)statement->groups);
}

/* Emits the statement; returns the registers of its tiles in order, copies left out. */
static MlirValue *emit_statement(nereid_lower_t *lower, statement_t *statement, const MlirValue *values) {
  dot_t *dot = statement->dot;
  nereid_asm_text_t *text = &statement->text;
  text->arena = lower->arena;
  add_accumulators(lower, statement, values);
  nereid_wgmma_operand_add(&dot->a, text);
  nereid_wgmma_operand_add(&dot->b, text);
  statement->adds = statement->starts ? "no" : "yes";
  if (!statement->starts && !mlirValueIsNull(dot->scale))
    statement->adds = nereid_arena_format(lower->arena, "$%zu", nereid_asm_text_operand(text, dot->scale));
  statement->loops =
      statement->groups > 1 && !statement->starts && is_linear(statement, &dot->a) && is_linear(statement, &dot->b);
  nereid_asm_text_add(text, "{ .reg .pred yes, no; .reg .b32 low; .reg .b64 a, b;\n"
                            "setp.eq.u32 yes, 0, 0; setp.ne.u32 no, 0, 0;\n");
  if (statement->loops)
    add_loop(statement);
  else
    add_sequence(statement);
  nereid_asm_text_add(text, "%s}", statement->complete ? "wgmma.wait_group.sync.aligned 0;\n" : "");
  return nereid_asm_text_emit(lower, text);
}

/* --- one statement for all of a dot --- */

static bool emit_whole(nereid_lower_t *lower, dot_t *dot, const MlirValue *values, MlirValue *out) {
  statement_t statement = {.dot = dot,
                           .end_tile = dot->tiles,
                           .end_step = dot->steps,
                           .groups = nereid_wgmma_groups(lower),
                           .starts = dot->starts,
                           .complete = !nereid_ttng_warp_group_dot_get_is_async(dot->op)};
  const MlirValue *word = emit_statement(lower, &statement, values);
  for (intptr_t r = 0; word && r < dot->tiles * dot->registers; r += per_word(dot->element))
    if (!((uint32_t)r & dot->copies))
      from_word(lower, dot->element, *word++, out + r);
  return word != NULL;
}

/* --- 8-bit floats: sums of `steps` instructions, added in f32 --- */

static int32_t imprecise_steps(const dot_t *dot) {
  const int32_t k = nereid_ttng_warp_group_dot_get_max_num_imprecise_acc(dot->op);
  const bool partial = nereid_lower_memory_bits(dot->b.element) == 8 && mlirTypeIsAF32(dot->element);
  return partial && dot->k > 0 && k <= dot->k * dot->steps ? k / dot->k : 0;
}

/* The accumulator: where it is not added, -0, to which a sum adds without a change. */
static MlirValue accumulator(nereid_lower_t *lower, const dot_t *dot, MlirValue value) {
  MlirValue none = nereid_emit_float(lower, dot->element, -0.0);
  if (dot->starts)
    return none;
  return mlirValueIsNull(dot->scale) ? value : nereid_emit_select(lower, dot->scale, value, none);
}

/* The parts take turns with two sets of registers: the sum of one is added while the next one is computed. ptxas, which
 * keeps results of instructions in different registers, would otherwise use a set per part. With 128x64 tiles of four
 * warps and 32 of 64 k that leaves a multiprocessor two CTAs instead of three. */
static bool emit_in_parts(nereid_lower_t *lower, dot_t *dot, int32_t steps, const MlirValue *values, MlirValue *out) {
  enum { SETS = 2 };
  const MlirValue *sets[SETS] = {NULL};
  int part = 0;
  for (intptr_t tile = 0; tile < dot->tiles; ++tile) {
    if (is_copy(dot, tile))
      continue;
    MlirValue *sums = out + tile * dot->registers;
    for (intptr_t r = 0; r < dot->registers; ++r)
      sums[r] = accumulator(lower, dot, values[tile * dot->registers + r]);
    for (int32_t step = 0; step < dot->steps; step += steps) {
      statement_t statement = {.dot = dot,
                               .first_tile = tile,
                               .end_tile = tile + 1,
                               .first_step = step,
                               .end_step = step + steps < dot->steps ? step + steps : dot->steps,
                               .groups = 1,
                               .starts = true,
                               .complete = true,
                               .reused = sets[part]};
      const MlirValue *parts = emit_statement(lower, &statement, values);
      for (intptr_t r = 0; parts && r < dot->registers; ++r)
        sums[r] = nereid_emit_fbinary(lower, "llvm.fadd", sums[r], parts[r]);
      sets[part] = parts;
      part = (part + 1) % SETS;
    }
  }
  return !lower->arena->failed;
}

/* --- the ops --- */

/* The name of an element type in instructions: that of an operand, or of a result. */
static const char *name_of(MlirType element, bool operand) {
  if (mlirTypeIsAF32(element))
    return operand ? "tf32" : "f32";
  if (mlirTypeIsAF16(element))
    return "f16";
  if (mlirTypeIsABF16(element))
    return "bf16";
  if (mlirTypeIsAFloat8E4M3FN(element))
    return "e4m3";
  if (mlirTypeIsAFloat8E5M2(element))
    return "e5m2";
  return operand ? "s8" : "s32";
}

/* Whether the accumulator is added: an i1, or a constant of the op. */
static void read_scale(nereid_lower_t *lower, dot_t *dot) {
  MlirValue use = nereid_ttng_warp_group_dot_get_use_c(dot->op);
  if (mlirValueIsNull(use))
    return;
  MlirOperation made = mlirValueIsAOpResult(use) ? mlirOpResultGetOwner(use) : (MlirOperation){NULL};
  if (mlirOperationIsNull(made) || nereid_op_kind(made) != NEREID_OP_ARITH_CONSTANT)
    dot->scale = nereid_lower_get(lower, use).values[0];
  else
    dot->starts = !mlirIntegerAttrGetValueInt(nereid_arith_constant_get_value_attr(made));
}

static bool prepare(nereid_lower_t *lower, dot_t *dot) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(dot->op, 0));
  dot->result = nereid_lower_layout(lower, type);
  dot->element = nereid_lower_type(lower, type);
  if (!dot->result)
    return false;
  if (!has_fragments(dot->result))
    return nereid_lower_error(dot->op,
                              "has a result that wgmma does not distribute in this way over threads: expected "
                              "at least 64 rows and 8 columns, and a multiple of 4 in warpsPerCTA for the rows");
  MlirAttribute shape = nereid_ttg_nvidia_mma_attr_get_instr_shape(mlirRankedTensorTypeGetEncoding(type));
  split_registers(dot, mlirDenseI32ArrayGetElement(shape, 1));
  if (!nereid_wgmma_operand_make(lower, dot->op, 0, dot->result, ROW_BITS, &dot->a) ||
      !nereid_wgmma_operand_make(lower, dot->op, 1, dot->result, dot->column_bits, &dot->b))
    return false;
  dot->k = NEREID_LAYOUT_MATRIX_K_BYTES * 8 / (int32_t)nereid_lower_memory_bits(dot->b.element);
  dot->steps = (int32_t)mlirShapedTypeGetDimSize(dot->b.type, dot->b.k_dim) / dot->k;
  dot->instruction = nereid_arena_format(lower->arena, "wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s",
                                         1 << dot->column_bits, dot->k, name_of(dot->element, false),
                                         name_of(dot->a.element, true), name_of(dot->b.element, true));
  read_scale(lower, dot);
  return dot->instruction != NULL;
}

static bool has_wgmma(nereid_lower_t *lower, MlirOperation op) {
  const int capability = lower->module->options.capability;
  return (nereid_target_has_wgmma(capability) && lower->module->options.wgmma) ||
         nereid_lower_error(op,
                            "is wgmma, which needs sm_90a; the target is sm_%d: expected a tt.dot with a result of "
                            "#ttg.nvidia_mma version 2 (mma.sync), which compiling from tt chooses",
                            capability);
}

static bool lower_warp_group_dot(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  dot_t dot = {.op = op};
  if (!has_wgmma(lower, op) || !prepare(lower, &dot))
    return false;
  nereid_lowered_t addends = nereid_lower_operand(lower, op, 2), lowered = nereid_lower_array(lower, addends.count);
  const int32_t steps = imprecise_steps(&dot);
  if (!lowered.values || !(steps ? emit_in_parts(lower, &dot, steps, addends.values, lowered.values)
                                 : emit_whole(lower, &dot, addends.values, lowered.values)))
    return false;
  for (intptr_t r = 0; r < lowered.count; ++r)
    lowered.values[r] = lowered.values[(uint32_t)r & ~dot.copies];
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), lowered);
  return true;
}

/* --- waits --- */

/* The first operand of `op` with the value of operand `i`. */
static intptr_t first_like(MlirOperation op, intptr_t i) {
  intptr_t first = 0;
  while (!mlirValueEqual(mlirOperationGetOperand(op, first), mlirOperationGetOperand(op, i)))
    ++first;
  return first;
}

/* The words of operand `i` that instructions in flight may use: 0 of a buffer, and of a repeated operand, which would
 * need copies of the registers before the wait. */
static intptr_t words_of(nereid_lower_t *lower, MlirOperation op, intptr_t i) {
  MlirValue value = mlirOperationGetOperand(op, i);
  if (!mlirTypeIsARankedTensor(mlirValueGetType(value)) || first_like(op, i) != i)
    return 0;
  return nereid_lower_get(lower, value).count / per_word(nereid_lower_type(lower, mlirValueGetType(value)));
}

static bool set_words(nereid_lower_t *lower, MlirOperation op, const MlirValue *words) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    const nereid_lowered_t before = nereid_lower_operand(lower, op, i);
    const intptr_t n = words_of(lower, op, i), first = first_like(op, i);
    nereid_lowered_t after = n           ? nereid_lower_array(lower, before.count)
                             : first < i ? nereid_lower_get(lower, mlirOperationGetResult(op, first))
                                         : before;
    if (!after.values)
      return false;
    MlirType element = nereid_lower_type(lower, mlirValueGetType(mlirOperationGetOperand(op, i)));
    for (intptr_t word = 0; word < n; ++word)
      from_word(lower, element, *words++, after.values + word * per_word(element));
    nereid_lower_set(lower, mlirOperationGetResult(op, i), after);
  }
  return true;
}

static bool lower_wait(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  nereid_asm_text_t text = {.arena = lower->arena};
  const intptr_t n = mlirOperationGetNumOperands(op);
  size_t results = 0;
  (void)row;
  if (!has_wgmma(lower, op))
    return false;
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    for (intptr_t word = 0; word < words_of(lower, op, i); ++word)
      nereid_asm_text_result(&text, word_type(lower, nereid_lower_type(lower, mlirValueGetType(operand))));
  }
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirType element = nereid_lower_type(lower, mlirValueGetType(operand));
    const nereid_lowered_t values = nereid_lower_operand(lower, op, i);
    for (intptr_t word = 0; word < words_of(lower, op, i); ++word)
      nereid_asm_text_tied(&text, to_word(lower, element, values.values + word * per_word(element)), results++);
  }
  nereid_asm_text_add(&text, "wgmma.wait_group.sync.aligned %d;",
                      (int)(nereid_ttng_warp_group_dot_wait_get_pendings(op) * nereid_wgmma_groups(lower)));
  const MlirValue *words = nereid_asm_text_emit(lower, &text);
  return words && set_words(lower, op, words);
}

const nereid_lower_row_t nereid_lower_wgmma_rows[] = {
    {NEREID_OP_TTNG_WARP_GROUP_DOT, lower_warp_group_dot, NULL},
    {NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT, lower_wait, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
