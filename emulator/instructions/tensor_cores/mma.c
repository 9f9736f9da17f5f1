/* mma.sync and wmma.mma (PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions): D = A B + C by one warp, for
 * the shapes and types of sm_80 to sm_90. nereid_emulator_dot computes the sums, starting from C; they are rounded
 * once. */
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/instructions/form.h"
#include "emulator/instructions/tensor_cores/fragment.h"

/* The types of D, A, B and C. wmma.mma names only D's and C's if the others are f16. */
static void types_of(const emu_insn_t *insn, emu_type_t out[4]) {
  bool halves = insn->variant == EMU_WMMA && !insn->types[2];
  for (int i = 0; i < 4; ++i)
    out[i] = halves ? (emu_type_t)insn->types[i == 3] : (emu_type_t)insn->types[i];
  if (halves)
    out[1] = out[2] = EMU_F16;
}

static const emu_operand_t *list(const emu_insn_t *insn, unsigned which) {
  return insn->operands + insn->lists[which].first;
}

/* Accumulation parameters (dot.c). */
static unsigned fraction_of(emu_type_t type) {
  return type == EMU_S32 || type == EMU_F64 ? 0 : 25;
}

/* An f16 D of an f32 C is rounded from f32. */
static unsigned mantissa_of(const emu_type_t types[4]) {
  return types[0] == EMU_F32 || types[3] == EMU_F32 ? 23 : 0;
}

/* Converts the first or the last two of every four 8-bit floating-point values to f16. */
static void widen_half(const emu_rows_t *from, unsigned upper, unsigned k, uint16_t (*to)[EMU_MAX_ROW_BYTES / 4]) {
  for (unsigned i = 0; i < from->count * k; ++i) {
    uint8_t x = from->bytes[i / k * from->pitch + i % k / 2 * 4 + upper + i % 2];
    to[i / k][i % k] = from->type == EMU_E5M2
                           ? (uint16_t)(x << 8)
                           : nereid_float_to_f16((double)nereid_float_from_f8e4m3fn(x), NEREID_FLOAT_NEAREST);
  }
}

/* 8-bit floating point uses the f16 units: first the lower two k of every four, then the upper two. Their sum,
 * rounded to the type, is added to C. */
static void halves(double *sums, const emu_dot_t *dot, emu_type_t type) {
  uint16_t left[EMU_MAX_ROWS][EMU_MAX_ROW_BYTES / 4], right[EMU_MAX_ROWS][EMU_MAX_ROW_BYTES / 4];
  double more[EMU_MAX_ROWS * EMU_TILE] = {0};
  emu_dot_t half = *dot;
  unsigned n = dot->a.count * dot->b.count;
  half.k /= 2;
  half.a = (emu_rows_t){(const uint8_t *)left, sizeof *left, EMU_F16, dot->a.count};
  half.b = (emu_rows_t){(const uint8_t *)right, sizeof *right, EMU_F16, dot->b.count};
  for (unsigned upper = 0; upper < 4; upper += 2) {
    widen_half(&dot->a, upper, half.k, left);
    widen_half(&dot->b, upper, half.k, right);
    nereid_emulator_dot(more, &half);
    for (unsigned i = 0; i < n; ++i)
      more[i] = nereid_emulator_sum_of(nereid_emulator_sum_bits(more[i], type, false), type);
  }
  for (unsigned i = 0; i < n; ++i)
    sums[i] += more[i];
}

/* One dot, or several dots of `step` k each: wmma of tf32 is executed that way. */
static void in_steps(double *sums, emu_dot_t *dot, unsigned step) {
  unsigned steps = dot->k / step, bytes = step * emu_element_bits(dot->a.type) / 8;
  dot->k = step;
  for (unsigned i = 0; i < steps; ++i, dot->a.bytes += bytes, dot->b.bytes += bytes)
    nereid_emulator_dot(sums, dot);
}

static emu_next_t mma(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint8_t left[EMU_MAX_ROWS * EMU_MAX_ROW_BYTES], right[EMU_MAX_ROWS * EMU_MAX_ROW_BYTES];
  double sums[EMU_MAX_ROWS * EMU_TILE];
  unsigned m = insn->list[EMU_M], n = insn->list[EMU_N], k = insn->list[EMU_K];
  emu_type_t types[4];
  emu_next_t next = mask ? nereid_emulator_whole_warp(warp, insn, mask) : EMU_ADVANCE;
  if (next != EMU_ADVANCE || !mask)
    return next;
  types_of(insn, types);
  size_t pitch = k * emu_element_bits(types[1]) / 8;
  nereid_emulator_rows_read(warp, list(insn, 1), types[1], m, k, left, pitch);
  nereid_emulator_rows_read(warp, list(insn, 2), types[2], n, k, right, pitch);
  nereid_emulator_sums_read(warp, list(insn, 3), types[3], m, n, sums);
  emu_dot_t dot = {.a = {left, pitch, types[1], m},
                   .b = {right, pitch, types[2], n},
                   .k = k,
                   .exclusive = EMU_HAS(insn, xor),
                   .fraction = fraction_of(types[0]),
                   .mantissa = mantissa_of(types)};
  if (types[0] != EMU_S32 && emu_element_bits(types[1]) == 8)
    halves(sums, &dot, types[0]);
  else
    in_steps(sums, &dot, insn->variant == EMU_WMMA && types[1] == EMU_TF32 ? 4 : k);
  nereid_emulator_sums_write(warp, list(insn, 0), types[0], EMU_HAS(insn, satfinite), m, n, sums);
  return EMU_ADVANCE;
}

/* m8n8k4 of f16: four dots, each by two quads of lanes, q and q + 4. Positions of a lane's elements: */

/* Element i of A by rows or of B by columns: its row (column) and k, for a lane of the first or the second quad. */
static unsigned quad_element(bool along_k, unsigned lane, unsigned i, unsigned *out_k) {
  unsigned upper = lane / 16 * 4;
  *out_k = along_k ? i : lane % 4;
  return (along_k ? lane % 4 : i) + upper;
}

static unsigned quad_sum(emu_type_t type, unsigned lane, unsigned i) {
  unsigned upper = lane / 16 * 4;
  unsigned row = type == EMU_F16 ? lane % 4 : (lane & 1) + (i & 2);
  return (row + upper) * EMU_TILE + (type == EMU_F16 ? i : (i & 4) + (lane & 2) + (i & 1));
}

static uint64_t quad_bits(const emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, unsigned lane,
                          unsigned i) {
  if (type == EMU_F16)
    return emu_lane(warp, &registers[i / 2], (int)lane) >> (i % 2 * 16) & 0xffff;
  return emu_lane(warp, &registers[i], (int)lane);
}

/* sm_80 and later have no unit for it: a chain of fma for f32; for f16 two chains of two k each. */
static double quad_number(const float a[4], const float b[4], double c, bool half) {
  float sum = 0;
  if (half)
    return (double)((float)c + fmaf(a[3], b[3], a[2] * b[2]) + fmaf(a[1], b[1], a[0] * b[0]));
  for (int k = 0; k < 4; ++k)
    sum = fmaf(a[k], b[k], sum);
  return (double)((float)c + sum);
}

static void quad_dot(emu_warp_t *warp, const emu_insn_t *insn, unsigned quad) {
  double sums[EMU_TILE * EMU_TILE];
  float left[EMU_TILE][4], right[EMU_TILE][4];
  emu_type_t in = (emu_type_t)insn->types[3], out = (emu_type_t)insn->types[0];
  unsigned layout = insn->choices[0], k; /* row.col, row.row, col.row, col.col */
  bool a_along = layout < 2, b_along = layout == 0 || layout == 3;
  for (unsigned l = 0; l < EMU_TILE; ++l) {
    unsigned lane = quad * 4 + l % 4 + l / 4 * 16;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = quad_element(a_along, lane, i, &k);
      left[row][k] = nereid_float_from_f16((uint16_t)quad_bits(warp, list(insn, 1), EMU_F16, lane, i));
      row = quad_element(b_along, lane, i, &k);
      right[row][k] = nereid_float_from_f16((uint16_t)quad_bits(warp, list(insn, 2), EMU_F16, lane, i));
    }
    for (unsigned i = 0; i < EMU_TILE; ++i)
      sums[quad_sum(in, lane, i)] = nereid_emulator_sum_of(quad_bits(warp, list(insn, 3), in, lane, i), in);
  }
  for (unsigned i = 0; i < EMU_TILE * EMU_TILE; ++i)
    sums[i] = quad_number(left[i / EMU_TILE], right[i % EMU_TILE], sums[i], out == EMU_F16);
  for (unsigned l = 0; l < EMU_TILE; ++l) {
    unsigned lane = quad * 4 + l % 4 + l / 4 * 16, per = out == EMU_F16 ? 2 : 1;
    for (unsigned r = 0; r < EMU_TILE / per; ++r) {
      uint64_t bits = 0;
      for (unsigned i = 0; i < per; ++i)
        bits |= nereid_emulator_sum_bits(sums[quad_sum(out, lane, r * per + i)], out, false) << (16 * i);
      emu_set_lane(warp, &list(insn, 0)[r], (int)lane, bits);
    }
  }
}

static emu_next_t mma_quads(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = mask ? nereid_emulator_whole_warp(warp, insn, mask) : EMU_ADVANCE;
  for (unsigned quad = 0; quad < 4 && next == EMU_ADVANCE && mask; ++quad)
    quad_dot(warp, insn, quad);
  return next;
}

#define NEEDS (EMU_BIT(sync) | EMU_BIT(aligned))
#define ROUND (EMU_BIT(rn) | EMU_BIT(rz) | EMU_BIT(rm) | EMU_BIT(rp))
#define SATFINITE EMU_BIT(satfinite)
#define KIND(kind) (NEREID_EMULATOR_CLASS_MATRIX | EMU_VARIANT(EMU_##kind))
#define F16 "f32.f16.f16.f32|f16.f16.f16.f16"
#define BF16 "f32.bf16.bf16.f32"
#define TF32 "f32.tf32.tf32.f32"
#define F64 "f64.f64.f64.f64"
#define BITS "s32.b1.b1.s32"
#define MIXED(d, x, y) d "." x "." x "." d "|" d "." x "." y "." d "|" d "." y "." x "." d "|" d "." y "." y "." d
#define S8 MIXED("s32", "s8", "u8")
#define S4 MIXED("s32", "s4", "u4")
#define F8 MIXED("f32", "e4m3", "e5m2") "|" MIXED("f16", "e4m3", "e5m2")
#define LAYOUTS "row.col|row.row|col.row|col.col"
#define MMA(shape, types, may) {"mma " shape " row.col", types, "VwWwWwWw", NEEDS, may, mma, KIND(MMA)}
#define MMA_F64(shape) {"mma " shape " row.col", F64, "VlWlWlWl", NEEDS, ROUND, mma, KIND(MMA)}
#define MMA_BITS(shape, op)                                                                                            \
  {"mma " shape " row.col", BITS, "VwWwWwWw", NEEDS | EMU_BIT(op) | EMU_BIT(popc), 0, mma, KIND(MMA)}
#define WMMA(shape, layouts, types, needs, may)                                                                        \
  {"wmma mma " shape " " layouts, types, "VwWwWwWw", NEEDS | (needs), may, mma, KIND(WMMA)}
#define WMMA_16(shape)                                                                                                 \
  WMMA(shape, LAYOUTS, "f16.f16|f16.f32|f32.f16|f32.f32", 0, 0), WMMA(shape, LAYOUTS, BF16, 0, 0),                     \
      WMMA(shape, LAYOUTS, "s32.s8.s8.s32|s32.u8.u8.s32", 0, SATFINITE)

const emu_form_t nereid_emulator_mma_forms[] = {
    {"mma m8n8k4 " LAYOUTS, F16 "|f32.f16.f16.f16", "VwWwWwWw", NEEDS, 0, mma_quads, KIND(MMA_QUADS)},
    MMA("m16n8k8", F16 "|" BF16 "|" TF32, 0),
    MMA("m16n8k16", F16 "|" BF16 "|" F8, 0),
    MMA("m16n8k4", TF32, 0),
    MMA("m16n8k32", F8, 0),
    MMA("m8n8k16", S8, SATFINITE),
    MMA("m16n8k16", S8, SATFINITE),
    MMA("m16n8k32", S8, SATFINITE),
    MMA("m8n8k32", S4, SATFINITE),
    MMA("m16n8k32", S4, SATFINITE),
    MMA("m16n8k64", S4, SATFINITE),
    MMA_BITS("m8n8k128", xor),
    MMA_BITS("m8n8k128", and),
    MMA_BITS("m16n8k128", xor),
    MMA_BITS("m16n8k128", and),
    MMA_BITS("m16n8k256", xor),
    MMA_BITS("m16n8k256", and),
    MMA_F64("m8n8k4"),
    MMA_F64("m16n8k4"),
    MMA_F64("m16n8k8"),
    MMA_F64("m16n8k16"),
    WMMA_16("m16n16k16"),
    WMMA_16("m8n32k16"),
    WMMA_16("m32n8k16"),
    WMMA("m16n16k8", LAYOUTS, TF32, 0, 0),
    WMMA("m8n8k32", "row.col", "s32.s4.s4.s32|s32.u4.u4.s32", 0, SATFINITE),
    WMMA("m8n8k128", "row.col", BITS, EMU_BIT(xor) | EMU_BIT(popc), 0),
    WMMA("m8n8k128", "row.col", BITS, EMU_BIT(and) | EMU_BIT(popc), 0),
    {"wmma mma m8n8k4 " LAYOUTS, F64, "VlWlWlWl", NEEDS, ROUND, mma, KIND(WMMA)},
    {0}};
