/* tt.dot by fused multiply-adds, where the result's encoding is not a tensor core's (mma.c).
 *
 *   %a = ttg.local_load %x ; %b = ttg.local_load %y ; %d = tt.dot %a, %b, %c
 *   ->
 *   ^loop(%k, %d.0, %d.1, …):                        a few columns of a and rows of b at a time
 *     %a.* = ld.shared ; %b.* = ld.shared
 *     %d.0' = fma %a.0, %b.0, %d.0 ; …
 *
 * A thread computes the elements of its registers. The required layout of an operand is the result's, with k in place
 * of the other operand's dimension, in registers only. Solved against the layout of the buffer or the registers, it
 * yields the location of each element. Operands in registers hold all k, so they need no loop.
 *
 * Sums are kept in f32 (f64 for f64, i32 for integers) and rounded at the end. The lower 13 bits of tf32 operands are
 * cleared; plain f32 meets the precisions that split f32 into parts (docs/numerics.md). */
#include "conversion/ttg_to_llvm/dot/mma.h"
#include "conversion/ttg_to_llvm/elementwise/float_cast.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/shared.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/Dialect/LLVM.h"

#include <assert.h>
#include <string.h>

enum { MAX_STEPS = 1024 /* multiply-adds in the body of a loop */, MAX_COLUMNS = 32, MAX_BITS = 32 };
enum { TF32_IGNORED_BITS = 0x1fff };
enum { MMA_SYNC = 2 /* the version of #ttg.nvidia_mma */ };

/* One operand. Its registers are numbered by the bits of the result's registers, then those of k within a chunk. */
typedef struct operand {
  MlirOperation op; /* the dot */
  MlirType type;
  MlirValue buffer;         /* null when it is in registers */
  nereid_layout_t required; /* (result register, k; lane, warp) -> element */
  uint8_t place[MAX_BITS];  /* the bit of `values` for bit i of that number; MAX_BITS: no effect */
  nereid_slots_t slots;     /* elements of a chunk at k = 0 */
  nereid_layout_t slot_map;
  int result_bits, chunk_bits, k_bits;
  MlirValue *values; /* elements of a chunk, converted to the type of the multiplication */
} operand_t;

typedef struct dot {
  MlirOperation op;
  const nereid_layout_t *result;
  operand_t a, b;
  int k_bits, chunk_bits;
  MlirType sum; /* the accumulation type */
  bool is_tf32;
  uint32_t copies; /* register bits of the result that replicate elements */
  intptr_t registers;
} dot_t;

/* --- operand layouts --- */

/* `result`'s basis as one of operand `index`: the batch, and row or column. The other dimension is k. */
static uint32_t project(const nereid_layout_t *result, const nereid_layout_t *operand, int index, uint32_t basis) {
  int32_t coordinates[NEREID_LAYOUT_MAX_RANK];
  nereid_layout_coordinates(result, basis, coordinates);
  coordinates[result->rank - 2 + (index == 0)] = 0;
  return nereid_layout_pack(operand, coordinates);
}

/* The layout of the operand that the result's registers, lanes and warps require. */
static void required_layout(const nereid_layout_t *result, const nereid_layout_t *held, int index,
                            nereid_layout_t *out) {
  const int k = result->rank - 2 + (index == 0), k_bits = held->out_bits[k];
  *out = *held;
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in) {
    out->in_bits[in] = result->in_bits[in];
    for (int i = 0; i < result->in_bits[in]; ++i)
      out->bases[in][i] = project(result, held, index, result->bases[in][i]);
  }
  const int registers = result->in_bits[NEREID_LAYOUT_REGISTER];
  assert(registers + k_bits <= MAX_BITS); /* a thread has at most 2^16 of either */
  for (int i = 0; i < k_bits; ++i)
    out->bases[NEREID_LAYOUT_REGISTER][registers + i] = UINT32_C(1) << (nereid_layout_out_shift(held, k) + i);
  out->in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)(registers + k_bits);
}

static bool is_deferred(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  return nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_LOAD && nereid_shared_load_is_deferred(op);
}

static bool begin_operand(nereid_lower_t *lower, dot_t *dot, int index, operand_t *operand) {
  MlirValue value = mlirOperationGetOperand(dot->op, index);
  operand->op = dot->op;
  operand->type = mlirValueGetType(value);
  const nereid_layout_t *held = nereid_lower_layout(lower, operand->type);
  if (!held)
    return false;
  required_layout(dot->result, held, index, &operand->required);
  operand->result_bits = dot->result->in_bits[NEREID_LAYOUT_REGISTER];
  operand->k_bits = held->out_bits[held->rank - (index == 0 ? 1 : 2)];
  if (!is_deferred(value))
    return true;
  operand->buffer = nereid_ttg_local_load_get_src(mlirOpResultGetOwner(value));
  return nereid_shared_slot_layout(dot->op, &operand->required, mlirValueGetType(operand->buffer), &operand->slot_map);
}

/* --- numbers to multiply --- */

/* The bits of an f32 that tensor cores read, so that dots of tf32 multiply the same values without them. */
static MlirValue clear_lower_bits(nereid_lower_t *lower, MlirValue value) {
  MlirValue bits = nereid_emit_bits(lower, lower->types->i32, value);
  MlirValue mask = nereid_emit_i32(lower, ~TF32_IGNORED_BITS);
  return nereid_emit_bits(lower, lower->types->f32, nereid_emit_and(lower, bits, mask));
}

static MlirValue widen(nereid_lower_t *lower, const dot_t *dot, MlirType type, MlirValue value) {
  MlirType element = nereid_lower_element_type(type);
  MlirValue f16 = nereid_lower_widen_fp8(lower, element, value);
  if (!mlirValueIsNull(f16))
    value = f16;
  if (mlirTypeIsAInteger(element))
    return mlirTypeEqual(mlirValueGetType(value), dot->sum) ? value
                                                            : nereid_emit_cast(lower, "llvm.sext", dot->sum, value);
  if (!mlirTypeEqual(mlirValueGetType(value), dot->sum))
    return nereid_emit_cast(lower, "llvm.fpext", dot->sum, value);
  return dot->is_tf32 ? clear_lower_bits(lower, value) : value;
}

/* The number for result register `r` in column `k` of the chunk. */
static MlirValue number_at(const operand_t *operand, uint32_t r, uint32_t k) {
  const uint32_t number = r | k << operand->result_bits;
  uint32_t index = 0;
  for (int i = 0; i < operand->result_bits + operand->chunk_bits; ++i)
    if ((number >> i & 1) && operand->place[i] < MAX_BITS)
      index |= UINT32_C(1) << operand->place[i];
  return operand->values[index];
}

/* --- operands in shared memory --- */

/* The slots of a chunk: bits that move in the order of their steps, so that neighbours come as vectors. */
static void make_chunk(nereid_lower_t *lower, operand_t *operand, int chunk_bits) {
  const nereid_layout_t *map = &operand->slot_map;
  nereid_layout_t chunk = *map;
  int n = 0;
  operand->chunk_bits = chunk_bits;
  memset(operand->place, MAX_BITS, sizeof operand->place);
  for (int slot = 0; slot < nereid_layout_out_total(map); ++slot)
    for (int i = 0; i < operand->result_bits + chunk_bits; ++i) {
      const uint32_t basis = map->bases[NEREID_LAYOUT_REGISTER][i];
      if (!basis || 31 - __builtin_clz(basis) != slot)
        continue;
      operand->place[i] = (uint8_t)n;
      chunk.bases[NEREID_LAYOUT_REGISTER][n++] = basis;
    }
  chunk.in_bits[NEREID_LAYOUT_REGISTER] = (uint8_t)n;
  operand->slots =
      nereid_shared_chunk_slots(lower, operand->buffer, map, &chunk, nereid_lower_type(lower, operand->type));
  operand->values = nereid_arena_new(lower->arena, MlirValue, (size_t)1 << n);
}

/* The slots that chunk number `k` begins at, relative to the first: a multiple where the bits of k are in a row. */
static MlirValue chunk_offset(nereid_lower_t *lower, const operand_t *operand, MlirValue k) {
  const int first = operand->result_bits + operand->chunk_bits, n = operand->k_bits - operand->chunk_bits;
  const uint32_t *bases = operand->slot_map.bases[NEREID_LAYOUT_REGISTER] + first;
  const int32_t bytes = (int32_t)operand->slots.bytes;
  bool in_a_row = true;
  for (int i = 1; i < n; ++i)
    in_a_row &= bases[i] == bases[0] << i;
  if (in_a_row)
    return nereid_emit_mul(lower, k, nereid_emit_i32(lower, (int32_t)bases[0] * bytes));
  MlirValue sum = nereid_emit_i32(lower, 0);
  for (int i = 0; i < n; ++i) {
    MlirValue bit =
        nereid_emit_and(lower, nereid_emit_lshr(lower, k, nereid_emit_i32(lower, i)), nereid_emit_i32(lower, 1));
    sum = nereid_emit_xor(lower, sum, nereid_emit_mul(lower, bit, nereid_emit_i32(lower, (int32_t)bases[i] * bytes)));
  }
  return sum;
}

/* Whether later chunks have the first chunk's addresses plus a constant. */
static bool chunks_add_up(const operand_t *operand) {
  uint32_t later = 0;
  for (int i = operand->result_bits + operand->chunk_bits; i < operand->result_bits + operand->k_bits; ++i)
    later |= operand->slot_map.bases[NEREID_LAYOUT_REGISTER][i];
  const nereid_layout_t *chunk = &operand->slots.layout;
  return !operand->slots.in_pattern &&
         !(later & (nereid_layout_span(chunk, NEREID_LAYOUT_REGISTER) | nereid_layout_span(chunk, NEREID_LAYOUT_LANE) |
                    nereid_layout_span(chunk, NEREID_LAYOUT_WARP)));
}

/* Loads chunk number `k` (null: the only one). */
static void load_chunk(nereid_lower_t *lower, const dot_t *dot, operand_t *operand, MlirValue k) {
  nereid_slots_t slots = operand->slots;
  if (!mlirValueIsNull(k))
    slots = nereid_slots_moved(lower, &slots, chunk_offset(lower, operand, k), chunks_add_up(operand));
  nereid_slots_load(lower, &slots, operand->values);
  for (int32_t i = 0; i < nereid_layout_registers(&slots.layout); ++i)
    operand->values[i] = widen(lower, dot, operand->type, operand->values[i]);
}

/* --- operands in registers --- */

static bool take_registers(nereid_lower_t *lower, const dot_t *dot, int index, operand_t *operand) {
  nereid_layout_t map;
  nereid_lowered_t source = nereid_lower_operand(lower, dot->op, index);
  const nereid_layout_t *held = nereid_lower_layout(lower, operand->type);
  const int bits = operand->result_bits + operand->k_bits;
  if (nereid_layout_convert(held, &operand->required, &map) > NEREID_LAYOUT_CONVERSION_REGISTER)
    return nereid_lower_error(dot->op, "has an operand whose threads do not hold the elements that they multiply: "
                                       "expected #ttg.dot_op with the encoding of the result as parent");
  MlirValue *wide = nereid_arena_new(lower->arena, MlirValue, (size_t)source.count);
  operand->values = nereid_arena_new(lower->arena, MlirValue, (size_t)1 << bits);
  operand->chunk_bits = operand->k_bits;
  for (int i = 0; i < bits; ++i)
    operand->place[i] = (uint8_t)i;
  for (intptr_t r = 0; operand->values && wide && r < (intptr_t)1 << bits; ++r) {
    int32_t place[NEREID_LAYOUT_DIMS];
    nereid_layout_coordinates(&map, nereid_layout_apply(&map, (uint32_t)r, 0, 0, 0), place);
    const int32_t from = place[NEREID_LAYOUT_DIMS - 1];
    if (mlirValueIsNull(wide[from]))
      wide[from] = widen(lower, dot, operand->type, source.values[from]);
    operand->values[r] = wide[from];
  }
  return !lower->arena->failed;
}

/* --- the sum --- */

static MlirValue multiply_add(nereid_lower_t *lower, const dot_t *dot, MlirValue a, MlirValue b, MlirValue c) {
  if (mlirTypeIsAInteger(dot->sum))
    return nereid_emit_add(lower, nereid_emit_mul(lower, a, b), c);
  return nereid_emit(lower, "llvm.intr.fma", dot->sum, 3, (MlirValue[]){a, b, c});
}

/* Adds the products of a chunk to `sums`, in the order of k. Results in the order of a Gray code differ in a row or
 * in a column from the one before, so that products share an operand, which ptxas reads from the reuse cache:
 * without, there are 1.4 times as many bank conflicts of registers (44 tiles of f32). */
static void add_chunk(nereid_lower_t *lower, const dot_t *dot, MlirValue *sums) {
  for (uint32_t k = 0; k < UINT32_C(1) << dot->chunk_bits; ++k)
    for (uint32_t i = 0; i < (uint32_t)dot->registers; ++i) {
      const uint32_t r = i ^ i >> 1;
      if (!(r & dot->copies))
        sums[r] = multiply_add(lower, dot, number_at(&dot->a, r, k), number_at(&dot->b, r, k), sums[r]);
    }
}

static void load_operands(nereid_lower_t *lower, dot_t *dot, MlirValue k) {
  if (!mlirValueIsNull(dot->a.buffer))
    load_chunk(lower, dot, &dot->a, k);
  if (!mlirValueIsNull(dot->b.buffer))
    load_chunk(lower, dot, &dot->b, k);
}

/* Packs the sums of non-replicated registers; returns their number. */
static intptr_t pack_sums(const dot_t *dot, const MlirValue *sums, MlirValue *out) {
  intptr_t n = 0;
  for (uint32_t r = 0; r < (uint32_t)dot->registers; ++r)
    if (!(r & dot->copies))
      out[n++] = sums[r];
  return n;
}

static void branch_back(nereid_lower_t *lower, MlirValue more, MlirBlock loop, MlirBlock rest, intptr_t n,
                        const MlirValue *arguments) {
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString("llvm.cond_br"), lower->builder.location);
  const int32_t segments[] = {1, (int32_t)n, 0};
  MlirNamedAttribute sizes =
      nereid_emit_attribute(lower, "operandSegmentSizes", mlirDenseI32ArrayGet(lower->context, 3, segments));
  mlirOperationStateAddOperands(&state, 1, &more);
  mlirOperationStateAddOperands(&state, n, arguments);
  mlirOperationStateAddSuccessors(&state, 2, (MlirBlock[]){loop, rest});
  mlirOperationStateAddAttributes(&state, 1, &sizes);
  nereid_emit_insert_op(lower, mlirOperationCreate(&state));
}

/* A loop over the chunks that carries the sums. */
static bool add_in_loop(nereid_lower_t *lower, dot_t *dot, MlirValue *sums) {
  MlirValue *carried = nereid_arena_new(lower->arena, MlirValue, (size_t)dot->registers + 1);
  if (!carried)
    return false;
  carried[0] = nereid_emit_i32(lower, 0);
  const intptr_t n = 1 + pack_sums(dot, sums, carried + 1);
  MlirBlock rest = nereid_lower_split_block(lower), loop = nereid_lower_split_block(lower);
  for (intptr_t i = 0; i < n; ++i)
    mlirBlockAddArgument(loop, mlirValueGetType(carried[i]), lower->builder.location);
  nereid_emit_branch(lower, loop, n, carried);
  lower->builder.block = loop;
  MlirValue k = mlirBlockGetArgument(loop, 0);
  intptr_t next = 1;
  for (uint32_t r = 0; r < (uint32_t)dot->registers; ++r)
    if (!(r & dot->copies))
      sums[r] = mlirBlockGetArgument(loop, next++);
  load_operands(lower, dot, k);
  add_chunk(lower, dot, sums);
  carried[0] = nereid_emit_add(lower, k, nereid_emit_i32(lower, 1));
  pack_sums(dot, sums, carried + 1);
  MlirValue more = nereid_emit_icmp(lower, NEREID_ICMP_ULT, carried[0],
                                    nereid_emit_i32(lower, INT32_C(1) << (dot->k_bits - dot->chunk_bits)));
  branch_back(lower, more, loop, rest, n, carried);
  lower->builder.block = rest;
  return true;
}

/* --- types --- */

static MlirValue to_sum(nereid_lower_t *lower, const dot_t *dot, MlirValue value) {
  if (mlirTypeEqual(mlirValueGetType(value), dot->sum))
    return value;
  return nereid_emit_cast(lower, mlirTypeIsAInteger(dot->sum) ? "llvm.sext" : "llvm.fpext", dot->sum, value);
}

static MlirValue from_sum(nereid_lower_t *lower, const dot_t *dot, MlirType element, MlirValue value) {
  if (mlirTypeEqual(element, dot->sum))
    return value;
  return nereid_emit_cast(lower, mlirTypeIsAInteger(dot->sum) ? "llvm.trunc" : "llvm.fptrunc", element, value);
}

static void choose_types(nereid_lower_t *lower, dot_t *dot) {
  MlirType element = nereid_lower_element_type(dot->a.type);
  MlirType result = nereid_lower_element_type(mlirValueGetType(mlirOperationGetResult(dot->op, 0)));
  dot->sum = lower->types->f32;
  if (mlirTypeIsAF64(result))
    dot->sum = lower->types->f64;
  if (mlirTypeIsAInteger(result))
    dot->sum = mlirIntegerTypeGetWidth(result) > 32 ? lower->types->i64 : lower->types->i32;
  dot->is_tf32 =
      mlirTypeIsAF32(element) && nereid_tt_dot_get_input_precision(dot->op) == NEREID_TT_INPUT_PRECISION_TF32;
}

/* Columns per iteration, limited by the size of the body and by the vector width. */
static int choose_chunk(const dot_t *dot) {
  if (mlirValueIsNull(dot->a.buffer) || mlirValueIsNull(dot->b.buffer))
    return dot->k_bits;
  int bits = 0;
  while (bits < dot->k_bits && (2 << bits) <= MAX_COLUMNS && (dot->registers << (bits + 1)) <= MAX_STEPS)
    ++bits;
  return bits;
}

static bool prepare(nereid_lower_t *lower, dot_t *dot) {
  dot->result = nereid_lower_layout(lower, mlirValueGetType(mlirOperationGetResult(dot->op, 0)));
  if (!dot->result || !begin_operand(lower, dot, 0, &dot->a) || !begin_operand(lower, dot, 1, &dot->b))
    return false;
  uint32_t masks[NEREID_LAYOUT_DIMS];
  nereid_layout_free_masks(dot->result, masks);
  dot->copies = masks[NEREID_LAYOUT_REGISTER];
  dot->registers = nereid_layout_registers(dot->result);
  dot->k_bits = dot->a.k_bits;
  choose_types(lower, dot);
  dot->chunk_bits = choose_chunk(dot);
  for (int i = 0; i < 2; ++i) {
    operand_t *operand = i ? &dot->b : &dot->a;
    if (!mlirValueIsNull(operand->buffer))
      make_chunk(lower, operand, dot->chunk_bits);
    else if (!take_registers(lower, dot, i, operand))
      return false;
  }
  return !lower->arena->failed;
}

/* Whether both operands are of formats from which NVIDIA GPUs convert. */
static bool check_formats(MlirOperation op) {
  for (intptr_t i = 0; i < 2; ++i) {
    MlirType element = nereid_lower_element_type(mlirValueGetType(mlirOperationGetOperand(op, i)));
    if (mlirTypeIsAFloat(element) && mlirFloatTypeGetWidth(element) == 8 && !mlirTypeIsAFloat8E4M3FN(element) &&
        !mlirTypeIsAFloat8E5M2(element))
      return nereid_lower_error(
          op, "multiplies elements of a float format that NVIDIA GPUs do not have: expected f8E4M3FN or f8E5M2");
  }
  return true;
}

static bool lower_multiply_adds(nereid_lower_t *lower, MlirOperation op) {
  dot_t dot = {.op = op};
  if (!check_formats(op) || !prepare(lower, &dot))
    return false;
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(result));
  nereid_lowered_t lowered = nereid_lower_array(lower, dot.registers), addends = nereid_lower_operand(lower, op, 2);
  if (!lowered.values)
    return false;
  for (intptr_t r = 0; r < lowered.count; ++r)
    if (!((uint32_t)r & dot.copies))
      lowered.values[r] = to_sum(lower, &dot, addends.values[r]);
  if (dot.chunk_bits < dot.k_bits) {
    if (!add_in_loop(lower, &dot, lowered.values))
      return false;
  } else {
    load_operands(lower, &dot, (MlirValue){NULL});
    add_chunk(lower, &dot, lowered.values);
  }
  for (intptr_t r = 0; r < lowered.count; ++r)
    lowered.values[r] = (uint32_t)r & dot.copies ? lowered.values[(uint32_t)r & ~dot.copies]
                                                 : from_sum(lower, &dot, element, lowered.values[r]);
  nereid_lower_set(lower, result, lowered);
  return true;
}

static bool lower_dot(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (!mlirAttributeIsNull(encoding) && nereid_ttg_nvidia_mma_attr_isa(encoding) &&
      nereid_ttg_nvidia_mma_attr_get_version_major(encoding) == MMA_SYNC)
    return nereid_lower_mma(lower, op);
  return lower_multiply_adds(lower, op);
}

const nereid_lower_row_t nereid_lower_dot_rows[] = {
    {NEREID_OP_TT_DOT, lower_dot, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
