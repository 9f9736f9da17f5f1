/* Adds instructions and shared constants to a program.
 *
 *   add.s32 %r1, %r1, 5   ->   an instruction whose last operand is 32 fives at an offset of the constants */
#include "emulator/parser/parse.h"

#include <stdlib.h>

bool nereid_emulator_push(emu_parser_t *parser, const emu_insn_t *insn) {
  emu_insn_t kept = *insn;
  kept.operands = nereid_arena_new(&parser->program->arena, emu_operand_t, kept.n_operands + (size_t)1);
  if (!kept.operands)
    return nereid_emulator_out_of_memory(parser);
  if (kept.n_operands)
    memcpy(kept.operands, insn->operands, kept.n_operands * sizeof *kept.operands);
  return nereid_vector_push(&parser->program->arena, &parser->program->insns, kept) ||
         nereid_emulator_out_of_memory(parser);
}

bool nereid_emulator_constant_new(emu_parser_t *parser, uint64_t bits, unsigned size, uint32_t *out_offset) {
  nereid_emulator_program_t *program = parser->program;
  if (program->constant_bytes + 512 > program->constant_capacity) {
    uint32_t capacity = program->constant_capacity ? program->constant_capacity * 2 : 1 << 14;
    uint8_t *grown = capacity <= UINT32_C(1) << 30 ? realloc(program->constants, capacity) : NULL;
    if (!grown)
      return nereid_emulator_out_of_memory(parser);
    program->constants = grown;
    program->constant_capacity = capacity;
  }
  const uint64_t value[2] = {bits, 0}; /* also for 128 bits */
  *out_offset = program->constant_bytes;
  if (!size) { /* a predicate */
    uint32_t mask = bits ? UINT32_MAX : 0;
    memcpy(program->constants + *out_offset, &mask, sizeof mask);
  }
  for (unsigned lane = 0; lane < EMU_LANES && size; ++lane)
    memcpy(program->constants + *out_offset + lane * size, value, size);
  program->constant_bytes += size ? EMU_LANES * size : 8;
  return true;
}

bool nereid_emulator_constant(emu_parser_t *parser, uint64_t bits, unsigned size, uint32_t *out_offset) {
  uint64_t mixed = (bits + size) * UINT64_C(0x9e3779b97f4a7c15);
  emu_known_t *known = &parser->known[mixed >> 56];
  if (!known->there || known->bits != bits || known->size != size) { /* reuses the last constant of its kind */
    if (!nereid_emulator_constant_new(parser, bits, size, out_offset))
      return false;
    *known = (emu_known_t){.bits = bits, .offset = *out_offset, .size = size, .there = true};
  }
  *out_offset = known->offset;
  return true;
}
