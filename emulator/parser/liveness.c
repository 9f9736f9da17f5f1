/* Assigns a function's registers to slots in the warp's block. Registers with disjoint live ranges share a slot.
 *
 *   add.s32 %r7, %r1, 5;    %r1 is live to here, %r7 from here ->   {registers + 128}, {registers + 0}
 *   st.global.b32 [%d2], %r7;      a later register may take either
 *
 * A live range spans, in text order, from the first to the last instruction at which a lane may still read the
 * value. Divergence does not matter: a slot has 32 lanes, instructions write only executing lanes, and each lane
 * runs the function sequentially. A guarded write keeps the old value for some lanes, so it does not end a live
 * range. Registers that may be read before a write are live from the entry, where they are zero. wgmma accesses its
 * registers after issue, so these never share a slot. */
#include "emulator/parser/parse.h"

enum { CLASSES = 6 }; /* places of 512, 256, 128, 64, 32 bytes and of 4, a predicate */

typedef struct block {
  uint32_t first, end; /* pcs in the function */
} block_t;

typedef struct live {
  emu_parser_t *parser;
  emu_insn_t *insns; /* instructions of the function */
  uint32_t n_insns, n_registers, n_blocks, n_words;
  block_t *blocks;
  uint32_t *block_of;     /* block that begins at an instruction, from 1; 0: none */
  uint32_t *first, *last; /* per register: the live range */
  uint32_t *exposed;      /* per register: its bit, from 1, if a block reads a value from another block */
  uint32_t *register_of_bit;
  uint64_t *in, *reads, *writes; /* n_words per block */
  uint32_t n_exposed;
} live_t;

static bool is_register(const emu_operand_t *operand) {
  return operand->base == EMU_REGISTERS && !operand->absent;
}

/* Returns register operand `k` of an instruction, where the guard follows the last operand; null: not a register. */
static emu_operand_t *register_of(emu_insn_t *insn, uint32_t k) {
  emu_operand_t *operand = k < insn->n_operands ? &insn->operands[k] : &insn->guard;
  return k < insn->n_operands || insn->has_guard ? is_register(operand) ? operand : NULL : NULL;
}

static bool ends_value(const emu_insn_t *insn, const emu_operand_t *operand) {
  return operand->written && !insn->has_guard;
}

static bool falls_through(const emu_insn_t *insn) {
  return insn->flow == EMU_FLOW_NEXT || insn->flow == EMU_FLOW_TABLE || insn->has_guard;
}

static void mark(live_t *live, uint32_t pc) {
  uint32_t entry = live->parser->function->entry;
  if (pc >= entry && pc - entry < live->n_insns)
    live->block_of[pc - entry] = 1;
}

static bool find_blocks(live_t *live) {
  nereid_arena_t *scratch = &live->parser->scratch;
  live->block_of = nereid_arena_new(scratch, uint32_t, live->n_insns + 1);
  if (!live->block_of)
    return false;
  live->block_of[0] = 1;
  for (uint32_t i = 0; i < live->n_insns; ++i) {
    const emu_insn_t *insn = &live->insns[i];
    if (insn->flow == EMU_FLOW_BRANCH)
      mark(live, insn->target);
    for (uint32_t k = 0; insn->flow == EMU_FLOW_TABLE && k < insn->n_list; ++k)
      mark(live, insn->list[k]);
    if (insn->flow != EMU_FLOW_NEXT)
      live->block_of[i + 1] = 1;
  }
  for (uint32_t i = 0; i < live->n_insns; ++i)
    live->n_blocks += live->block_of[i];
  live->blocks = nereid_arena_new(scratch, block_t, live->n_blocks);
  for (uint32_t i = 0, n = 0; live->blocks && i < live->n_insns; ++i) {
    if (live->block_of[i])
      live->block_of[i] = ++n, live->blocks[n - 1].first = i;
    live->blocks[n - 1].end = i + 1;
  }
  return live->blocks != NULL;
}

/* Finds the registers that some block reads before it writes them completely. */
static bool find_exposed(live_t *live) {
  uint32_t *written = nereid_arena_new(&live->parser->scratch, uint32_t, live->n_registers + 1);
  live->exposed = nereid_arena_new(&live->parser->scratch, uint32_t, live->n_registers + 1);
  live->register_of_bit = nereid_arena_new(&live->parser->scratch, uint32_t, live->n_registers + 1);
  if (!written || !live->exposed || !live->register_of_bit)
    return false;
  for (uint32_t b = 0; b < live->n_blocks; ++b)
    for (uint32_t i = live->blocks[b].first; i < live->blocks[b].end; ++i) {
      emu_insn_t *insn = &live->insns[i];
      for (uint32_t k = 0; k <= insn->n_operands; ++k) {
        const emu_operand_t *operand = register_of(insn, k);
        if (operand && !operand->written && written[operand->offset] != b + 1 && !live->exposed[operand->offset]) {
          live->register_of_bit[live->n_exposed] = operand->offset;
          live->exposed[operand->offset] = ++live->n_exposed;
        }
      }
      for (uint32_t k = 0; k < insn->n_operands; ++k) {
        const emu_operand_t *operand = register_of(insn, k);
        if (operand && ends_value(insn, operand))
          written[operand->offset] = b + 1;
      }
    }
  return true;
}

static bool has(const uint64_t *bits, uint32_t bit) {
  return bits[bit / 64] >> bit % 64 & 1;
}

static void put(uint64_t *bits, uint32_t bit) {
  bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Computes a block's upward-exposed reads and its writes. */
static void summarize(live_t *live, uint32_t b) {
  uint64_t *reads = live->reads + (size_t)b * live->n_words, *writes = live->writes + (size_t)b * live->n_words;
  for (uint32_t i = live->blocks[b].first; i < live->blocks[b].end; ++i) {
    emu_insn_t *insn = &live->insns[i];
    for (uint32_t k = 0; k <= insn->n_operands; ++k) {
      const emu_operand_t *operand = register_of(insn, k);
      uint32_t bit = operand ? live->exposed[operand->offset] : 0;
      if (bit && !operand->written && !has(writes, bit - 1))
        put(reads, bit - 1);
    }
    for (uint32_t k = 0; k < insn->n_operands; ++k) {
      const emu_operand_t *operand = register_of(insn, k);
      uint32_t bit = operand ? live->exposed[operand->offset] : 0;
      if (bit && ends_value(insn, operand))
        put(writes, bit - 1);
    }
  }
}

static void join(live_t *live, uint32_t pc, uint64_t *out) {
  if (pc >= live->n_insns)
    return;
  const uint64_t *in = live->in + (size_t)(live->block_of[pc] - 1) * live->n_words;
  for (uint32_t w = 0; w < live->n_words; ++w)
    out[w] |= in[w];
}

/* Computes the registers live at the end of a block. */
static void live_out(live_t *live, uint32_t b, uint64_t *out) {
  const emu_insn_t *insn = &live->insns[live->blocks[b].end - 1];
  uint32_t entry = live->parser->function->entry;
  memset(out, 0, live->n_words * sizeof *out);
  if (falls_through(insn))
    join(live, live->blocks[b].end, out);
  if (insn->flow == EMU_FLOW_BRANCH)
    join(live, insn->target - entry, out);
  for (uint32_t k = 0; insn->flow == EMU_FLOW_TABLE && k < insn->n_list; ++k)
    join(live, insn->list[k] - entry, out);
}

static bool propagate(live_t *live) {
  nereid_arena_t *scratch = &live->parser->scratch;
  live->n_words = (live->n_exposed + 63) / 64;
  size_t words = (size_t)live->n_words * live->n_blocks;
  live->in = nereid_arena_new(scratch, uint64_t, words + 1);
  live->reads = nereid_arena_new(scratch, uint64_t, words + 1);
  live->writes = nereid_arena_new(scratch, uint64_t, words + 1);
  uint64_t *out = nereid_arena_new(scratch, uint64_t, live->n_words + (size_t)1);
  if (!live->in || !live->reads || !live->writes || !out)
    return false;
  for (uint32_t b = 0; b < live->n_blocks; ++b)
    summarize(live, b);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = live->n_blocks; b-- > 0;) {
      size_t at = (size_t)b * live->n_words;
      live_out(live, b, out);
      for (uint32_t w = 0; w < live->n_words; ++w) {
        uint64_t in = live->reads[at + w] | (out[w] & ~live->writes[at + w]);
        changed |= in != live->in[at + w];
        live->in[at + w] = in;
      }
    }
  }
  return true;
}

static void extend(live_t *live, uint32_t number, uint32_t pc) {
  live->first[number] = pc < live->first[number] ? pc : live->first[number];
  live->last[number] = pc > live->last[number] ? pc : live->last[number];
}

static void extend_all(live_t *live, const uint64_t *bits, uint32_t pc) {
  for (uint32_t w = 0; w < live->n_words; ++w)
    for (uint64_t left = bits[w]; left; left &= left - 1)
      extend(live, live->register_of_bit[w * 64 + (uint32_t)__builtin_ctzll(left)], pc);
}

static bool find_lives(live_t *live) {
  nereid_arena_t *scratch = &live->parser->scratch;
  live->first = nereid_arena_new(scratch, uint32_t, live->n_registers + (size_t)1);
  live->last = nereid_arena_new(scratch, uint32_t, live->n_registers + (size_t)1);
  uint64_t *out = nereid_arena_new(scratch, uint64_t, live->n_words + (size_t)1);
  if (!live->first || !live->last || !out)
    return false;
  memset(live->first, 0xff, live->n_registers * sizeof *live->first);
  for (uint32_t b = 0; b < live->n_blocks; ++b) {
    live_out(live, b, out);
    extend_all(live, live->in + (size_t)b * live->n_words, live->blocks[b].first);
    extend_all(live, out, live->blocks[b].end - 1);
  }
  for (uint32_t i = 0; i < live->n_insns; ++i) {
    bool later = live->insns[i].text_size > 5 && memcmp(live->insns[i].text, "wgmma", 5) == 0;
    for (uint32_t k = 0; k <= live->insns[i].n_operands; ++k) {
      const emu_operand_t *operand = register_of(&live->insns[i], k);
      if (operand)
        extend(live, operand->offset, i);
      if (operand && later) {
        extend(live, operand->offset, 0);
        extend(live, operand->offset, live->n_insns - 1);
      }
    }
  }
  return true;
}

static unsigned class_of(unsigned size) {
  return size == 16 ? 0 : size == 8 ? 1 : size == 4 ? 2 : size == 2 ? 3 : size == 1 ? 4 : 5;
}

typedef struct places {
  uint32_t count[CLASSES], free[CLASSES]; /* free: head of a list of registers, from 1, whose slots are free */
  uint32_t *place, *next;                 /* per register; `next` in its list */
} places_t;

/* Scans the text: the start of a live range takes a slot, the end frees it. */
static bool place(live_t *live, places_t *places) {
  nereid_arena_t *scratch = &live->parser->scratch;
  const uint8_t *sizes = live->parser->registers.data;
  uint32_t *begin = nereid_arena_new(scratch, uint32_t, live->n_insns + (size_t)1);
  uint32_t *end = nereid_arena_new(scratch, uint32_t, live->n_insns + (size_t)1);
  uint32_t *next_begin = nereid_arena_new(scratch, uint32_t, live->n_registers + (size_t)1);
  places->place = nereid_arena_new(scratch, uint32_t, live->n_registers + (size_t)1);
  places->next = nereid_arena_new(scratch, uint32_t, live->n_registers + (size_t)1);
  if (!begin || !end || !next_begin || !places->place || !places->next)
    return false;
  for (uint32_t r = live->n_registers; r-- > 0;)
    if (live->first[r] != UINT32_MAX) {
      next_begin[r] = begin[live->first[r]];
      begin[live->first[r]] = r + 1;
      places->next[r] = end[live->last[r]];
      end[live->last[r]] = r + 1;
    }
  for (uint32_t i = 0; i < live->n_insns; ++i) {
    for (uint32_t r = begin[i]; r; r = next_begin[r - 1]) {
      unsigned size_class = class_of(sizes[r - 1]);
      uint32_t from = places->free[size_class];
      places->place[r - 1] = from ? places->place[from - 1] : places->count[size_class]++;
      places->free[size_class] = from ? places->next[from - 1] : 0;
    }
    for (uint32_t r = end[i], next; r; r = next) {
      unsigned size_class = class_of(sizes[r - 1]);
      next = places->next[r - 1];
      places->next[r - 1] = places->free[size_class];
      places->free[size_class] = r;
    }
  }
  return true;
}

/* Replaces register numbers by the offsets of their slots in the function's frame. */
static void rewrite(live_t *live, const places_t *places) {
  static const uint32_t bytes[CLASSES] = {512, 256, 128, 64, 32, 4};
  const uint8_t *sizes = live->parser->registers.data;
  uint32_t base[CLASSES], total = 0;
  for (unsigned size_class = 0; size_class < CLASSES; ++size_class) {
    base[size_class] = total;
    total += places->count[size_class] * bytes[size_class];
  }
  live->parser->function->register_bytes = (total + 63) / 64 * 64;
  for (uint32_t i = 0; i < live->n_insns; ++i)
    for (uint32_t k = 0; k <= live->insns[i].n_operands; ++k) {
      emu_operand_t *operand = register_of(&live->insns[i], k);
      unsigned size_class = operand ? class_of(sizes[operand->offset]) : 0;
      if (operand)
        operand->offset = base[size_class] + places->place[operand->offset] * bytes[size_class];
    }
}

bool nereid_emulator_place_registers(emu_parser_t *parser) {
  nereid_emulator_kernel_t *function = parser->function;
  function->end = (uint32_t)parser->program->insns.size;
  live_t live = {.parser = parser,
                 .insns = parser->program->insns.data + function->entry,
                 .n_insns = function->end - function->entry,
                 .n_registers = (uint32_t)parser->registers.size};
  places_t places = {.place = NULL};
  if (!find_blocks(&live) || !find_exposed(&live) || !propagate(&live) || !find_lives(&live) || !place(&live, &places))
    return nereid_emulator_out_of_memory(parser);
  rewrite(&live, &places);
  return true;
}

/* Assigns a frame to each function, since one may call another. Entries share the space after them, since only one
 * runs. */
bool nereid_emulator_place_frames(emu_parser_t *parser) {
  nereid_emulator_program_t *program = parser->program;
  uint64_t functions = 0, most = 0;
  for (size_t i = 0; i < program->functions.size; ++i) {
    nereid_emulator_kernel_t *function = program->functions.data[i];
    most = function->is_entry && function->register_bytes > most ? function->register_bytes : most;
    function->frame = (uint32_t)functions;
    functions += function->is_entry ? 0 : function->register_bytes;
    if (functions + most > UINT32_C(1) << 28)
      return nereid_emulator_syntax(parser, "the registers of a warp need more than 256 MiB");
  }
  program->register_bytes = (uint32_t)(functions + most);
  for (size_t i = 0; i < program->functions.size; ++i) {
    const nereid_emulator_kernel_t *function = program->functions.data[i];
    for (uint32_t pc = function->entry; pc < function->end; ++pc) {
      emu_insn_t *insn = &program->insns.data[pc];
      for (uint32_t k = 0; k <= insn->n_operands; ++k) {
        emu_operand_t *operand = register_of(insn, k);
        if (operand)
          operand->offset += function->is_entry ? (uint32_t)functions : function->frame;
      }
    }
  }
  return true;
}
