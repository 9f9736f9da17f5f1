/* Uninitialized bits (undefined.h).
 *
 * Each instruction's effect on shadows is applied after the instruction. Instructions that only move bits run again
 * on the shadows, with zeros for constants. Effects that depend on the previous values (addresses, operands of
 * and/or) are computed before the instruction. */
#include "emulator/checks/undefined.h"

#include "emulator/checks/rules.h"
#include "emulator/machine/execute.h"
#include "emulator/machine/special_registers.h"
#include "emulator/memory/space.h"

#include <stdlib.h>

typedef enum rule {
  RULE_ANY,     /* a lane's results are undefined if any of its operands is */
  RULE_CROSS,   /* the same across all lanes */
  RULE_MOVE,    /* moves bits: executed on the shadows */
  RULE_SHIFT,   /* the same if all operands but the first are constants, else ANY */
  RULE_PERMUTE, /* bytes of two operands, by a constant selector, else ANY */
  RULE_AND,
  RULE_OR,
  RULE_XOR,
  RULE_SELECT,
  RULE_LOAD,
  RULE_STORE,
  RULE_ATOMIC,
  RULE_MATRIX, /* ldmatrix */
  RULE_JUMP,   /* brx: the index must be defined */
} rule_t;

static const struct {
  const char *name;
  uint8_t rule;
} rules[] = {{"mov", RULE_MOVE},        {"shl", RULE_SHIFT},      {"shr", RULE_SHIFT},   {"prmt", RULE_PERMUTE},
             {"shfl", RULE_SHIFT},      {"bfe", RULE_SHIFT},      {"and", RULE_AND},     {"or", RULE_OR},
             {"xor", RULE_XOR},         {"not", RULE_XOR},        {"selp", RULE_SELECT}, {"ld", RULE_LOAD},
             {"ldu", RULE_LOAD},        {"st", RULE_STORE},       {"atom", RULE_ATOMIC}, {"red", RULE_ATOMIC},
             {"ldmatrix", RULE_MATRIX}, {"stmatrix", RULE_CROSS}, {"mma", RULE_CROSS},   {"wmma", RULE_CROSS},
             {"vote", RULE_CROSS},      {"match", RULE_CROSS},    {"redux", RULE_CROSS}, {"movmatrix", RULE_CROSS},
             {"activemask", RULE_ANY},  {"brx", RULE_JUMP}};

struct emu_undefined {
  uint8_t *rules;             /* indexed by pc */
  uint8_t *registers, *zeros; /* registers: of each warp */
  uint8_t *shared, *local;    /* one shadow byte per byte */
  size_t register_bytes, n_local;
  const emu_insn_t *origin; /* last instruction that read uninitialized memory */
};

enum { WIDEST = 64 }; /* maximum bytes of a lane's access */

/* State computed before the instruction executes. */
typedef struct before {
  uint8_t bits[EMU_LANES][WIDEST]; /* LOAD, STORE, ATOMIC: of the bytes; AND and OR: of the result */
  uint8_t *shadow[EMU_LANES];      /* shadow of the accessed bytes; null: not tracked */
  uint32_t predicate, any;         /* SELECT; lanes whose undefined operand selects the result */
  unsigned bytes;
} before_t;

static uint8_t rule_of(const emu_insn_t *insn) {
  size_t size = 0;
  while (size < insn->text_size && insn->text[size] != '.')
    ++size;
  bool integer = insn->types[0] < EMU_F16 && insn->types[1] < EMU_F16;
  if (size == 3 && memcmp(insn->text, "cvt", 3) == 0 && integer && !EMU_HAS(insn, sat))
    return RULE_MOVE;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
    if (strlen(rules[i].name) == size && memcmp(rules[i].name, insn->text, size) == 0)
      return rules[i].rule;
  return RULE_ANY;
}

emu_undefined_t *nereid_emulator_undefined_create(emu_cta_t *cta) {
  const nereid_emulator_program_t *program = cta->kernel->program;
  emu_undefined_t *undefined = calloc(1, sizeof *undefined);
  if (!undefined)
    return NULL;
  size_t specials = EMU_SPECIAL_COUNT * 128, zeros = program->constant_bytes;
  undefined->register_bytes = ((size_t)program->register_bytes + 63) / 64 * 64;
  undefined->n_local = (size_t)cta->n_warps * EMU_LANES * cta->local_bytes;
  undefined->rules = malloc(program->insns.size + 1);
  undefined->registers = malloc(undefined->register_bytes * cta->n_warps + 1);
  undefined->zeros = calloc(1, (zeros > specials ? zeros : specials) + 256);
  undefined->shared = malloc((size_t)cta->shared_bytes + 1);
  undefined->local = calloc(1, undefined->n_local + 1);
  if (!undefined->rules || !undefined->registers || !undefined->zeros || !undefined->shared || !undefined->local) {
    nereid_emulator_undefined_destroy(undefined);
    return NULL;
  }
  for (size_t i = 0; i < program->insns.size; ++i)
    undefined->rules[i] = rule_of(&program->insns.data[i]);
  memset(undefined->registers, 0xff, undefined->register_bytes * cta->n_warps);
  memset(undefined->shared, 0xff, cta->shared_bytes);
  for (size_t thread = 0; thread < (size_t)cta->n_warps * EMU_LANES; ++thread)
    for (size_t i = 0; i < program->locals.size; ++i)
      memset(undefined->local + thread * cta->local_bytes + program->locals.data[i].offset, 0xff,
             program->locals.data[i].bytes);
  return undefined;
}

void nereid_emulator_undefined_destroy(emu_undefined_t *undefined) {
  if (!undefined)
    return;
  free(undefined->rules);
  free(undefined->registers);
  free(undefined->zeros);
  free(undefined->shared);
  free(undefined->local);
  free(undefined);
}

static uint8_t *shadow_of(const emu_warp_t *warp, const emu_operand_t *operand) {
  const emu_undefined_t *undefined = warp->cta->undefined;
  return operand->base == EMU_REGISTERS
             ? undefined->registers + warp->index * undefined->register_bytes + operand->offset
             : undefined->zeros;
}

/* Lanes in which any bit of an operand is undefined. */
static uint32_t lanes_of(const emu_warp_t *warp, const emu_operand_t *operand) {
  const uint8_t *shadow = shadow_of(warp, operand);
  uint32_t lanes = 0;
  if (operand->absent || operand->base != EMU_REGISTERS)
    return 0;
  if (!operand->size)
    memcpy(&lanes, shadow, sizeof lanes);
  for (uint32_t lane = 0; lane < EMU_LANES && operand->size; ++lane)
    for (uint32_t i = 0; i < operand->size; ++i)
      lanes |= (uint32_t)(shadow[lane * operand->size + i] != 0) << lane;
  return lanes;
}

static void set(const emu_warp_t *warp, const emu_operand_t *operand, uint32_t lane, const uint8_t *bits) {
  if (operand->base == EMU_REGISTERS && operand->size)
    memcpy(shadow_of(warp, operand) + (size_t)lane * operand->size, bits, operand->size);
}

/* Sets the results of the lanes: those of `undefined` become undefined, the others defined. */
static void set_results(const emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, uint32_t undefined) {
  for (uint32_t k = 0; k < insn->n_operands; ++k) {
    const emu_operand_t *operand = &insn->operands[k];
    if (!operand->written || operand->absent || operand->base != EMU_REGISTERS)
      continue;
    if (!operand->size) {
      uint32_t bits;
      memcpy(&bits, shadow_of(warp, operand), sizeof bits);
      bits = (bits & ~mask) | (undefined & mask);
      memcpy(shadow_of(warp, operand), &bits, sizeof bits);
      continue;
    }
    FOR_LANES(lane, mask)
    memset(shadow_of(warp, operand) + (size_t)lane * operand->size, undefined >> lane & 1 ? 0xff : 0, operand->size);
  }
}

static uint32_t undefined_sources(const emu_warp_t *warp, const emu_insn_t *insn) {
  uint32_t lanes = 0;
  for (uint32_t k = 0; k < insn->n_operands; ++k)
    lanes |= insn->operands[k].written ? 0 : lanes_of(warp, &insn->operands[k]);
  return lanes;
}

static emu_next_t report(emu_warp_t *warp, const emu_insn_t *insn, uint32_t lanes, const char *what) {
  const emu_insn_t *origin = warp->cta->undefined->origin;
  if (!origin)
    return nereid_emulator_violate(warp, insn, __builtin_ctz(lanes), NEREID_EMULATOR_RULE_UNINITIALIZED,
                                   "%s has uninitialized bits", what);
  return nereid_emulator_violate(warp, insn, __builtin_ctz(lanes), NEREID_EMULATOR_RULE_UNINITIALIZED,
                                 "%s has uninitialized bits; line %u last read uninitialized memory: %.*s", what,
                                 origin->line, (int)(origin->text_size < 60 ? origin->text_size : 60), origin->text);
}

/* Returns the shadow of a lane's bytes; null: not tracked. */
static uint8_t *bytes_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t lane, uint64_t address, uint32_t bytes) {
  emu_cta_t *cta = warp->cta;
  const emu_space_t space = nereid_emulator_access_space(insn, address);
  uint64_t at = insn->space == EMU_GENERIC && space != EMU_GLOBAL ? address & (EMU_WINDOW_BYTES - 1) : address;
  if (space == EMU_SHARED && insn->space != EMU_SHARED_CLUSTER && nereid_emulator_cta_of(cta, at) == cta) {
    at &= EMU_OFFSET_MASK;
    return at < cta->shared_bytes && bytes <= cta->shared_bytes - at ? cta->undefined->shared + at : NULL;
  }
  if (space == EMU_LOCAL) {
    const nereid_emulator_program_t *program = cta->kernel->program;
    for (size_t i = 0; i < program->locals.size; ++i)
      if (at - program->locals.data[i].offset < program->locals.data[i].bytes)
        return cta->undefined->local + (size_t)(warp->index * EMU_LANES + lane) * cta->local_bytes + at;
  }
  for (size_t i = 0; space == EMU_GLOBAL && i < cta->n_regions; ++i)
    if (cta->regions[i].undefined && at - cta->regions[i].address < cta->regions[i].bytes)
      return cta->regions[i].undefined + (at - cta->regions[i].address);
  return NULL;
}

/* Computes the addresses of an access by operand k and their shadows. */
static bool look_up(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, unsigned k, unsigned bytes,
                    before_t *before) {
  const uint32_t undefined = lanes_of(warp, &insn->operands[k]) & mask;
  before->bytes = bytes;
  if (undefined && report(warp, insn, undefined, "the address") == EMU_FAILED)
    return false;
  FOR_LANES(lane, mask) {
    const uint64_t address = emu_lane(warp, &insn->operands[k], (int)lane) + (uint64_t)insn->offset;
    before->shadow[lane] = bytes_of(warp, insn, lane, address, bytes);
    if (before->shadow[lane])
      memcpy(before->bits[lane], before->shadow[lane], bytes);
  }
  return true;
}

static bool is_written(const uint8_t *bits, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    if (bits[i])
      return false;
  return true;
}

static bool before_load(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, before_t *before) {
  const unsigned each = nereid_emulator_type_size((emu_type_t)insn->types[0]);
  if (!look_up(warp, insn, mask, insn->n_vector, each * insn->n_vector, before))
    return false;
  FOR_LANES(lane, mask)
  if (!is_written(before->bits[lane], before->bytes))
    warp->cta->undefined->origin = insn;
  return true;
}

/* Undefined bits may be stored to tracked memory; storing them to other global memory is an error. */
static bool before_store(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, before_t *before) {
  const unsigned each = nereid_emulator_type_size((emu_type_t)insn->types[0]), n = insn->n_vector;
  uint32_t leaves = 0;
  if (!look_up(warp, insn, mask, 0, each * n, before))
    return false;
  FOR_LANES(lane, mask) {
    for (unsigned i = 0; i < n; ++i) {
      const emu_operand_t *operand = &insn->operands[1 + i];
      memcpy(before->bits[lane] + (size_t)i * each, shadow_of(warp, operand) + (size_t)lane * operand->size, each);
    }
    const uint64_t address = emu_lane(warp, &insn->operands[0], (int)lane) + (uint64_t)insn->offset;
    if (!before->shadow[lane] && nereid_emulator_access_space(insn, address) == EMU_GLOBAL &&
        !is_written(before->bits[lane], before->bytes))
      leaves |= UINT32_C(1) << lane;
  }
  return !leaves || report(warp, insn, leaves, "what is stored") != EMU_FAILED;
}

static bool before_matrix(emu_warp_t *warp, const emu_insn_t *insn, before_t *before) {
  const uint32_t rows = insn->n_vector * 8u, lanes = rows == 32 ? UINT32_MAX : (UINT32_C(1) << rows) - 1;
  if (!look_up(warp, insn, lanes, insn->n_vector, 16, before))
    return false;
  FOR_LANES(lane, lanes) if (!is_written(before->bits[lane], 16)) {
    before->any = UINT32_MAX;
    warp->cta->undefined->origin = insn;
  }
  return true;
}

/* A defined 0 determines a bit of `and`, a defined 1 a bit of `or`, on either side. */
static void before_logic(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, bool is_and, before_t *before) {
  const emu_operand_t *a = &insn->operands[1], *b = &insn->operands[2];
  if (!a->size) {
    uint32_t x = emu_predicate(warp, a), y = emu_predicate(warp, b), u = lanes_of(warp, a), v = lanes_of(warp, b);
    before->any = is_and ? (u & v) | (u & y) | (v & x) : (u & v) | (u & ~y) | (v & ~x);
    return;
  }
  FOR_LANES(lane, mask) {
    uint64_t x = emu_lane(warp, a, (int)lane), y = emu_lane(warp, b, (int)lane), u = 0, v = 0;
    if (a->base == EMU_REGISTERS)
      memcpy(&u, shadow_of(warp, a) + (size_t)lane * a->size, a->size);
    if (b->base == EMU_REGISTERS)
      memcpy(&v, shadow_of(warp, b) + (size_t)lane * b->size, b->size);
    const uint64_t bits = is_and ? (u & v) | (u & y) | (v & x) : (u & v) | (u & ~y) | (v & ~x);
    memcpy(before->bits[lane], &bits, sizeof bits);
  }
}

static bool look_before(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, rule_t rule, before_t *before) {
  const uint32_t guards = insn->has_guard ? lanes_of(warp, &insn->guard) & warp->groups[warp->current].mask : 0;
  if (guards && report(warp, insn, guards, "the guard") == EMU_FAILED)
    return false;
  switch (rule) {
  case RULE_LOAD:
    return before_load(warp, insn, mask, before);
  case RULE_STORE:
    return before_store(warp, insn, mask, before);
  case RULE_ATOMIC: {
    const bool returns = insn->operands[0].written;
    return look_up(warp, insn, mask, returns ? insn->n_vector : 0,
                   nereid_emulator_type_size((emu_type_t)insn->types[0]) * insn->n_vector, before);
  }
  case RULE_MATRIX:
    return before_matrix(warp, insn, before);
  case RULE_AND:
  case RULE_OR:
    before_logic(warp, insn, mask, rule == RULE_AND, before);
    return true;
  case RULE_SELECT:
    before->predicate = emu_predicate(warp, &insn->operands[3]);
    before->any = lanes_of(warp, &insn->operands[3]);
    return true;
  case RULE_JUMP:
    return !(lanes_of(warp, &insn->operands[0]) & mask) ||
           report(warp, insn, lanes_of(warp, &insn->operands[0]) & mask, "the index") != EMU_FAILED;
  default:
    return true;
  }
}

/* Executes the instruction on the shadows. */
static void run_on_shadows(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, bool constants_too) {
  const emu_undefined_t *undefined = warp->cta->undefined;
  uint8_t *kept[EMU_BASES];
  memcpy(kept, warp->base, sizeof kept);
  warp->base[EMU_REGISTERS] = undefined->registers + warp->index * undefined->register_bytes;
  if (!constants_too)
    warp->base[EMU_CONSTANTS] = undefined->zeros;
  warp->base[EMU_SPECIALS] = undefined->zeros;
  (void)insn->execute(warp, insn, mask);
  memcpy(warp->base, kept, sizeof kept);
}

/* Whether only the first source is a register: shifts and shuffles by constants. */
static bool moves_first(const emu_insn_t *insn) {
  unsigned k = 0, sources = 0;
  for (; k < insn->n_operands; ++k) {
    const emu_operand_t *operand = &insn->operands[k];
    if (operand->written || operand->absent)
      continue;
    if (sources++ ? operand->base != EMU_CONSTANTS : operand->base != EMU_REGISTERS)
      return false;
  }
  return sources > 0;
}

/* prmt without a mode: a byte of the result is one of eight bytes of two operands, or copies of its sign bit. */
static bool permute(const emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  enum { WORD = 4, PICK_BITS = 4, SIGN = 8 };
  const emu_operand_t *selector = &insn->operands[3];
  if (insn->modifiers || selector->base != EMU_CONSTANTS)
    return false;
  FOR_LANES(lane, mask) {
    uint8_t sources[2 * WORD] = {0}, bits[WORD];
    for (int k = 0; k < 2; ++k)
      if (insn->operands[1 + k].base == EMU_REGISTERS)
        memcpy(sources + (size_t)WORD * k, shadow_of(warp, &insn->operands[1 + k]) + (size_t)lane * WORD, WORD);
    for (int i = 0; i < WORD; ++i) {
      const unsigned pick = (unsigned)(emu_lane(warp, selector, (int)lane) >> (PICK_BITS * i));
      const uint8_t source = sources[pick % SIGN];
      bits[i] = pick & SIGN ? source & 0x80 ? UINT8_MAX : 0 : source;
    }
    set(warp, &insn->operands[0], lane, bits);
  }
  return true;
}

static void load_after(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const before_t *before) {
  const unsigned n = insn->n_vector, most = 16, each = before->bytes / n < most ? before->bytes / n : most;
  const bool sign = insn->types[0] >= EMU_S8 && insn->types[0] <= EMU_S64;
  FOR_LANES(lane, mask)
  for (unsigned i = 0; i < n; ++i) {
    uint8_t bits[16] = {0};
    memcpy(bits, before->bits[lane] + (size_t)i * each, each);
    if (sign && each && bits[each - 1] & 0x80)
      memset(bits + each, 0xff, sizeof bits - each);
    set(warp, &insn->operands[i], lane, bits);
  }
}

static void select_after(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const before_t *before) {
  static const uint8_t ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
  FOR_LANES(lane, mask) {
    const emu_operand_t *chosen = &insn->operands[before->predicate >> lane & 1 ? 1 : 2];
    const uint8_t *from = shadow_of(warp, chosen);
    uint8_t bits[8];
    memcpy(bits, chosen->base == EMU_REGISTERS ? from + (size_t)lane * chosen->size : from, chosen->size);
    set(warp, &insn->operands[0], lane, before->any >> lane & 1 ? ones : bits);
  }
}

static void atomic_after(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const before_t *before) {
  uint32_t undefined = undefined_sources(warp, insn);
  FOR_LANES(lane, mask) {
    undefined |= (uint32_t)!is_written(before->bits[lane], before->bytes) << lane;
    if (before->shadow[lane])
      memset(before->shadow[lane], undefined >> lane & 1 ? 0xff : 0, before->bytes);
  }
  set_results(warp, insn, mask, undefined);
}

static void follow(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, rule_t rule, const before_t *before) {
  switch (rule) {
  case RULE_MOVE:
    if (!insn->inner) /* otherwise it reads a clock */
      run_on_shadows(warp, insn, mask, false);
    else
      set_results(warp, insn, mask, 0);
    return;
  case RULE_SHIFT:
    if (moves_first(insn))
      run_on_shadows(warp, insn, mask, true);
    else
      set_results(warp, insn, mask, undefined_sources(warp, insn));
    return;
  case RULE_PERMUTE:
    if (!permute(warp, insn, mask))
      set_results(warp, insn, mask, undefined_sources(warp, insn));
    return;
  case RULE_AND:
  case RULE_OR:
    if (!insn->operands[0].size)
      set_results(warp, insn, mask, before->any);
    FOR_LANES(lane, mask) set(warp, &insn->operands[0], lane, before->bits[lane]);
    return;
  case RULE_SELECT:
    select_after(warp, insn, mask, before);
    return;
  case RULE_LOAD:
    load_after(warp, insn, mask, before);
    return;
  case RULE_STORE:
    FOR_LANES(lane, mask) if (before->shadow[lane]) memcpy(before->shadow[lane], before->bits[lane], before->bytes);
    return;
  case RULE_ATOMIC:
    atomic_after(warp, insn, mask, before);
    return;
  case RULE_MATRIX:
    set_results(warp, insn, mask, before->any);
    return;
  case RULE_CROSS:
    set_results(warp, insn, mask, undefined_sources(warp, insn) & mask ? UINT32_MAX : 0);
    return;
  default:
    set_results(warp, insn, mask, undefined_sources(warp, insn));
    return;
  }
}

emu_next_t nereid_emulator_undefined_step(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const rule_t rule = (rule_t)warp->cta->undefined->rules[insn - warp->cta->kernel->program->insns.data];
  before_t before = {.bytes = 0};
  if (!look_before(warp, insn, mask, rule, &before))
    return EMU_FAILED;
  emu_next_t next = insn->execute(warp, insn, mask);
  if (next == EMU_ADVANCE && mask)
    follow(warp, insn, mask, rule, &before);
  return next;
}

void nereid_emulator_undefined_written(emu_cta_t *cta, uint32_t offset, uint32_t bytes) {
  memset(cta->undefined->shared + offset, 0, bytes);
}

bool nereid_emulator_undefined_read(emu_warp_t *warp, const emu_insn_t *insn, uint32_t offset, uint32_t bytes) {
  const emu_cta_t *cta = warp->cta;
  if (offset >= cta->shared_bytes || bytes > cta->shared_bytes - offset ||
      is_written(cta->undefined->shared + offset, bytes))
    return true;
  return nereid_emulator_violate(warp, insn, 0, NEREID_EMULATOR_RULE_UNINITIALIZED,
                                 "it reads %u uninitialized bytes at 0x%x of shared memory", bytes,
                                 offset) != EMU_FAILED;
}
