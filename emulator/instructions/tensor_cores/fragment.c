/* Moves matrices between registers and memory (fragment.h), and checks a tensor-core instruction's operands. */
#include "emulator/instructions/tensor_cores/fragment.h"
#include "emulator/instructions/arithmetic/numbers.h"
#include "emulator/parser/parse.h"

#include <stdlib.h>

static uint8_t *lanes_of(const emu_warp_t *warp, const emu_operand_t *operand) {
  return warp->base[operand->base] + operand->offset;
}

void nereid_emulator_rows_read(const emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, unsigned count,
                               unsigned k, uint8_t *bytes, size_t pitch) {
  unsigned size = type == EMU_F64 ? 8 : 4, tiles = count / EMU_TILE;
  unsigned n = tiles * (k * emu_element_bits(type) / (32 * size));
  for (unsigned r = 0; r < n; ++r) {
    const uint8_t *from = lanes_of(warp, &registers[r]);
    for (unsigned lane = 0; lane < EMU_LANES; ++lane)
      memcpy(bytes + (r % tiles * EMU_TILE + lane / 4) * pitch + (size_t)(r / tiles * 4 + lane % 4) * size,
             from + (size_t)lane * size, size);
  }
}

double nereid_emulator_sum_of(uint64_t bits, emu_type_t type) {
  switch (type) {
  case EMU_F16:
    return (double)nereid_float_from_f16((uint16_t)bits);
  case EMU_F32:
    return (double)emu_f32((uint32_t)bits);
  case EMU_F64:
    return emu_f64(bits);
  default:
    return (double)(int32_t)bits;
  }
}

uint64_t nereid_emulator_sum_bits(double sum, emu_type_t type, bool satfinite) {
  switch (type) {
  case EMU_F16:
    return nereid_float_to_f16(sum, NEREID_FLOAT_NEAREST);
  case EMU_F32:
    return emu_f32_bits(emu_canonical((float)sum));
  case EMU_F64:
    return emu_f64_bits(emu_canonical64(sum));
  default:
    if (satfinite)
      sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
    return (uint32_t)(int64_t)sum;
  }
}

/* The position of a slot of lane 0: tiles are counted along the rows first. */
static double *place(double *sums, unsigned m, unsigned n, unsigned slot) {
  unsigned tile = slot / 2, row = tile % (m / EMU_TILE) * EMU_TILE, column = tile / (m / EMU_TILE) * EMU_TILE;
  return sums + (size_t)row * n + column + slot % 2;
}

/* Reads a slot of all lanes, `stride` bytes apart, as doubles; writes it. */
static void slot_read(const uint8_t *from, unsigned stride, emu_type_t type, double values[EMU_LANES]) {
  for (unsigned lane = 0; lane < EMU_LANES && type == EMU_F32; ++lane) {
    float value;
    memcpy(&value, from + (size_t)lane * 4, sizeof value);
    values[lane] = (double)value;
  }
  for (unsigned lane = 0; lane < EMU_LANES && type != EMU_F32; ++lane) {
    uint64_t bits = 0;
    memcpy(&bits, from + (size_t)lane * stride, nereid_emulator_type_size(type));
    values[lane] = nereid_emulator_sum_of(bits, type);
  }
}

static void slot_write(uint8_t *to, unsigned stride, emu_type_t type, bool satfinite, const double values[EMU_LANES]) {
  for (unsigned lane = 0; lane < EMU_LANES && type == EMU_F32; ++lane) {
    float value = emu_canonical((float)values[lane]);
    memcpy(to + (size_t)lane * 4, &value, sizeof value);
  }
  for (unsigned lane = 0; lane < EMU_LANES && type != EMU_F32; ++lane) {
    uint64_t bits = nereid_emulator_sum_bits(values[lane], type, satfinite);
    memcpy(to + (size_t)lane * stride, &bits, nereid_emulator_type_size(type));
  }
}

void nereid_emulator_sums_read(const emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, unsigned m,
                               unsigned n, double *sums) {
  unsigned bytes = nereid_emulator_type_size(type), per = type == EMU_F16 ? 2 : 1;
  double values[EMU_LANES];
  for (unsigned slot = 0; slot < m * n / EMU_LANES; ++slot) {
    double *to = place(sums, m, n, slot);
    slot_read(lanes_of(warp, &registers[slot / per]) + slot % per * bytes, bytes * per, type, values);
    for (unsigned lane = 0; lane < EMU_LANES; ++lane)
      to[lane / 4 * n + lane % 4 * 2] = values[lane];
  }
}

void nereid_emulator_sums_write(emu_warp_t *warp, const emu_operand_t *registers, emu_type_t type, bool satfinite,
                                unsigned m, unsigned n, const double *sums) {
  unsigned bytes = nereid_emulator_type_size(type), per = type == EMU_F16 ? 2 : 1;
  double values[EMU_LANES];
  for (unsigned slot = 0; slot < m * n / EMU_LANES; ++slot) {
    const double *from = place((double *)(uintptr_t)sums, m, n, slot);
    for (unsigned lane = 0; lane < EMU_LANES; ++lane)
      values[lane] = from[lane / 4 * n + lane % 4 * 2];
    slot_write(lanes_of(warp, &registers[slot / per]) + slot % per * bytes, bytes * per, type, satfinite, values);
  }
}

emu_next_t nereid_emulator_whole_warp(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  if (mask == UINT32_MAX)
    return EMU_ADVANCE;
  if (mask == warp->groups[warp->current].mask && warp->live == UINT32_MAX)
    return EMU_WAIT;
  return nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "only part of the warp reaches it: lanes 0x%08x",
                              (unsigned)mask);
}

/* The number of registers of an operand. */
static unsigned rows_registers(emu_type_t type, unsigned rows, unsigned k) {
  return rows * k * emu_element_bits(type) / (EMU_LANES * (type == EMU_F64 ? 64 : 32));
}

static unsigned sums_registers(emu_type_t type, unsigned m, unsigned n) {
  return m * n / EMU_LANES / (type == EMU_F16 ? 2 : 1);
}

/* The expected number of registers of a list. The lists are D A B C, or one of them, or D and A. */
static unsigned expected(const emu_insn_t *insn, unsigned which) {
  unsigned m = insn->list[EMU_M], n = insn->list[EMU_N], k = insn->list[EMU_K];
  const uint8_t *types = insn->types;
  bool halves = insn->variant == EMU_WMMA && types[1] != EMU_BF16 && !types[2];
  switch (insn->variant) {
  case EMU_MMA_QUADS:
    return which == 1 || which == 2 ? 2 : types[which] == EMU_F16 ? 4 : 8;
  case EMU_WMMA_A:
  case EMU_WMMA_B:
    return types[0] == EMU_F16 ? 8 : rows_registers((emu_type_t)types[0], insn->variant == EMU_WMMA_A ? m : n, k);
  case EMU_WMMA_C:
  case EMU_WMMA_D:
    return sums_registers((emu_type_t)types[0], m, n);
  case EMU_WGMMA:
    return which ? 4 : sums_registers((emu_type_t)types[0], m / 4, n);
  default:
    if (which == 0 || which == 3)
      return sums_registers((emu_type_t)types[which && halves ? 1 : which], m, n);
    return halves ? 8 : rows_registers((emu_type_t)types[which], which == 1 ? m : n, k);
  }
}

static bool wrong(emu_parser_t *parser, const emu_insn_t *insn, const char *what) {
  return nereid_emulator_syntax(parser, "%.*s: %s", (int)insn->text_size, insn->text, what);
}

/* wgmma: N is a multiple of 8, or of 16 for integers beyond 32; A is a descriptor or registers; imm-trans-a requires
 * the former; immediates are in range. */
static bool warpgroup(emu_parser_t *parser, const emu_insn_t *insn) {
  uint32_t n = insn->list[EMU_N], after = insn->lists[1].first + insn->lists[1].count;
  bool integer = insn->types[0] == EMU_S32, last = true;
  const emu_operand_t *a = insn->operands + insn->lists[1].first;
  if (n % 8 || !n || n > EMU_MAX_COLUMNS || (integer && n > 32 && n % 16))
    return wrong(parser, insn, "the PTX ISA has no such shape");
  if (insn->lists[1].count == 1 ? a->size != 8 : a->size != 4)
    return wrong(parser, insn, "A is a descriptor of 64 bits or four registers of 32 bits");
  for (uint32_t i = 2; after + i < insn->n_operands; ++i) {
    const emu_operand_t *operand = &insn->operands[after + i];
    int32_t value = 0;
    if (operand->base == EMU_CONSTANTS)
      memcpy(&value, parser->program->constants + operand->offset, sizeof value);
    if (!operand->absent && (operand->base != EMU_CONSTANTS || (i < 4 ? value != 1 && value != -1 : value >> 1)))
      return wrong(parser, insn, i < 4 ? "imm-scale is 1 or -1" : "imm-trans is 0 or 1");
    last = !operand->absent;
  }
  return insn->list[EMU_K] != 16 || last == (insn->lists[1].count == 1) ||
         wrong(parser, insn, "imm-trans-a is required with a descriptor of A and invalid with registers");
}

/* Parses m16n8k16 of the opcode to insn->list. */
static bool shape(emu_parser_t *parser, emu_insn_t *insn) {
  uint32_t *sizes = nereid_arena_new(&parser->program->arena, uint32_t, 3);
  char text[201], *stop = text;
  if (!sizes)
    return nereid_emulator_out_of_memory(parser);
  memcpy(text, insn->text, insn->text_size);
  text[insn->text_size] = 0;
  for (char *at = strstr(text, ".m"); at; at = strstr(at + 1, ".m")) {
    sizes[EMU_M] = (uint32_t)strtoul(at + 2, &stop, 10);
    sizes[EMU_N] = *stop == 'n' ? (uint32_t)strtoul(stop + 1, &stop, 10) : 0;
    sizes[EMU_K] = *stop == 'k' ? (uint32_t)strtoul(stop + 1, &stop, 10) : 0;
    if (sizes[EMU_K])
      break;
  }
  insn->list = sizes;
  insn->n_list = 3;
  return true;
}

bool nereid_emulator_matrix(emu_parser_t *parser, emu_insn_t *insn) {
  if (!shape(parser, insn))
    return false;
  for (unsigned i = 0; i < EMU_MAX_LISTS && insn->lists[i].count; ++i) {
    unsigned count = insn->lists[i].count, need = expected(insn, i);
    bool descriptor = insn->variant == EMU_WGMMA && i == 1 && count == 1;
    if (count != need && !descriptor)
      return nereid_emulator_syntax(parser, "%.*s: %u registers, expected %u", (int)insn->text_size, insn->text, count,
                                    need);
  }
  if (insn->variant == EMU_WGMMA && !warpgroup(parser, insn))
    return false;
  if (EMU_HAS(insn, rz) || EMU_HAS(insn, rm) || EMU_HAS(insn, rp)) {
    insn->inner = insn->execute;
    insn->execute = nereid_emulator_rounded;
  }
  return true;
}
