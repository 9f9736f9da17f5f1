/* Decodes an instruction: splits the opcode at its dots into a name, types in order, and an unordered set of modifiers.
 * The row of a form table that matches name, types and modifiers specifies the operands and the function.
 *
 *   mad.lo.s32 %r3, %r1, 5, %r2   ->   row {"mad", "u32|s32", "d0s0s0s0", needs lo}
 *
 * An opcode without a row is an error that quotes it. */
#include "emulator/machine/special_registers.h"
#include "emulator/machine/warp.h"
#include "emulator/parser/parse.h"

#include "emulator/machine/execute.h"
#include "emulator/memory/space.h"

static const emu_form_t *const families[] = {
#define X(family) nereid_emulator_##family##_forms,
    EMU_FAMILIES(X)
#undef X
};
enum { FAMILIES = sizeof families / sizeof *families };

static const char *const modifier_names[] = {
#define X(name) #name,
    EMU_MODIFIERS(X)
#undef X
};

enum { MAX_WORDS = 8 };

typedef struct opcode {
  nereid_view_t name, types[EMU_MAX_TYPES], words[MAX_WORDS]; /* words: neither types nor modifiers */
  unsigned n_types, n_words;
  emu_modifiers_t modifiers;
} opcode_t;

static bool starts(nereid_view_t text, const char *prefix) {
  return nereid_view_starts_with(text, nereid_view(prefix));
}

static int modifier(nereid_view_t word) {
  if (nereid_emulator_is(word, "shared::cta"))
    return EMU_shared;
  if (nereid_emulator_is(word, "shared::cluster"))
    return EMU_shared_cluster;
  if (nereid_emulator_is(word, "param::entry") || nereid_emulator_is(word, "param::func"))
    return EMU_param;
  if (nereid_emulator_is(word, "L2::cache_hint"))
    return EMU_hint;
  if (starts(word, "L1::evict_") || starts(word, "L2::evict_") || nereid_emulator_is(word, "L1::no_allocate"))
    return EMU_eviction;
  if (nereid_emulator_is(word, "L2::64B") || nereid_emulator_is(word, "L2::128B") ||
      nereid_emulator_is(word, "L2::256B"))
    return EMU_prefetch;
  for (int i = 0; i < EMU_MODIFIER_COUNT; ++i)
    if (i != EMU_hint && i != EMU_eviction && i != EMU_prefetch && nereid_emulator_is(word, modifier_names[i]))
      return i;
  return -1;
}

/* "tex.1d.v4.f32.s32 is not emulated (PTX ISA, Texture Instructions: tex)". */
static bool refuse(emu_parser_t *parser, nereid_view_t text) {
  size_t size = 0;
  while (size < text.size && text.data[size] != '.')
    ++size;
  const char *section = nereid_emulator_section(nereid_view_of(text.data, size));
  if (!section)
    return nereid_emulator_syntax(parser, "%.*s is not emulated: '%.*s' is not an instruction of the PTX ISA",
                                  EMU_SHOWN(text), (int)size, text.data);
  return nereid_emulator_syntax(parser, "%.*s is not emulated (PTX ISA, %s: %.*s)", EMU_SHOWN(text), section, (int)size,
                                text.data);
}

static bool split(emu_parser_t *parser, nereid_view_t text, opcode_t *out) {
  const char *end = text.data + text.size, *at = text.data;
  *out = (opcode_t){0};
  for (bool first = true; at <= end; first = false) {
    const char *stop = at;
    while (stop < end && *stop != '.')
      ++stop;
    nereid_view_t word = nereid_view_of(at, (size_t)(stop - at));
    at = stop + 1;
    if (first) {
      out->name = word;
    } else if (nereid_emulator_type(word)) {
      if (out->n_types == EMU_MAX_TYPES)
        return refuse(parser, text);
      out->types[out->n_types++] = word;
    } else {
      int which = modifier(word);
      if (which >= 0)
        out->modifiers |= (emu_modifiers_t)1 << which;
      else if (out->n_words < MAX_WORDS)
        out->words[out->n_words++] = word;
      else
        return refuse(parser, text);
    }
  }
  return true;
}

static bool matches_token(nereid_view_t token, nereid_view_t word) {
  if (nereid_view_equal(token, word))
    return true;
  emu_type_t type = nereid_emulator_type(word);
  if (nereid_emulator_is(token, "int"))
    return type >= EMU_U8 && type <= EMU_S64;
  return nereid_emulator_is(token, "any") &&
         ((type >= EMU_U8 && type <= EMU_B64) || type == EMU_F16 || type == EMU_F32 || type == EMU_F64);
}

static bool matches_types(const char *pattern, const opcode_t *opcode) {
  for (;;) {
    unsigned n = 0;
    bool good = true;
    while (*pattern && *pattern != '|') {
      size_t size = strcspn(pattern, ".|");
      good = good && n < opcode->n_types && matches_token(nereid_view_of(pattern, size), opcode->types[n]);
      n++;
      pattern += size + (pattern[size] == '.');
    }
    if (good && n == opcode->n_types)
      return true;
    if (!*pattern++)
      return false;
  }
}

/* Whether `word`, which may contain dots, matches `pattern`, where * matches a number. */
static bool matches_word(nereid_view_t word, nereid_view_t pattern) {
  size_t i = 0;
  for (size_t k = 0; k < pattern.size; ++k) {
    if (pattern.data[k] == '*')
      while (i < word.size && word.data[i] >= '0' && word.data[i] <= '9')
        ++i;
    else if (i == word.size || word.data[i] != pattern.data[k])
      return false;
    else
      ++i;
  }
  return i == word.size;
}

/* Returns the words that match `part` of a token, "row" or "row.col", as a bit set; 0: none. */
static unsigned words_of(const opcode_t *opcode, nereid_view_t part) {
  for (unsigned i = 0, end = 0; i < opcode->n_words; ++i, end = i) {
    nereid_view_t run = opcode->words[i];
    while (run.size < part.size && end + 1 < opcode->n_words && opcode->words[end + 1].data == run.data + run.size + 1)
      run.size += 1 + opcode->words[++end].size;
    if (matches_word(run, part))
      return (2u << end) - (1u << i);
  }
  return 0;
}

/* Returns the index of the alternative of a row's token, "row|col" or "noinc?", that the opcode contains; -1: none. */
static int chosen(const opcode_t *opcode, const char *token, size_t size, unsigned *out_used) {
  int which = 0;
  for (const char *end = token + size; token < end; ++which) {
    size_t part = strcspn(token, "|? ");
    unsigned words = words_of(opcode, nereid_view_of(token, part));
    *out_used |= words;
    if (words)
      return which;
    token += part + 1;
  }
  return -1;
}

/* Matches a row's name and words; out_choices receives one index per word with alternatives. */
static bool matches_words(const char *row, const opcode_t *opcode, uint8_t *out_choices) {
  size_t size = strcspn(row, " ");
  unsigned used = 0, n = 0;
  if (!nereid_view_equal(opcode->name, nereid_view_of(row, size)))
    return false;
  for (row += size; *row; row += size) {
    size = strcspn(++row, " ");
    bool optional = row[size - 1] == '?', choice = optional || memchr(row, '|', size);
    int which = chosen(opcode, row, size, &used);
    if (which < 0 && !optional)
      return false;
    if (choice)
      out_choices[n++] = (uint8_t)(optional ? which >= 0 : which);
  }
  return used == (1u << opcode->n_words) - 1;
}

static const emu_form_t *find(const opcode_t *opcode, uint8_t *out_choices) {
  if (!opcode->name.size)
    return NULL;
  for (int f = 0; f < FAMILIES; ++f)
    for (const emu_form_t *form = families[f]; form->name; ++form)
      if (form->name[0] == opcode->name.data[0] && matches_words(form->name, opcode, out_choices) &&
          (opcode->modifiers & form->needs) == form->needs && !(opcode->modifiers & ~(form->needs | form->may)) &&
          matches_types(form->types, opcode))
        return form;
  return NULL;
}

#define COMPARISONS                                                                                                    \
  (EMU_BIT(eq) | EMU_BIT(ne) | EMU_BIT(lt) | EMU_BIT(le) | EMU_BIT(gt) | EMU_BIT(ge) | EMU_BIT(lo) | EMU_BIT(ls) |     \
   EMU_BIT(hi) | EMU_BIT(hs) | EMU_BIT(equ) | EMU_BIT(neu) | EMU_BIT(ltu) | EMU_BIT(leu) | EMU_BIT(gtu) |              \
   EMU_BIT(geu) | EMU_BIT(num) | EMU_BIT(nan))
#define ROUNDINGS (EMU_BIT(rn) | EMU_BIT(rz) | EMU_BIT(rm) | EMU_BIT(rp))

static int count_bits(emu_modifiers_t bits) {
  return __builtin_popcountll((unsigned long long)bits) + __builtin_popcountll((unsigned long long)(bits >> 64));
}

/* Checks sets of modifiers of which at most one, or exactly one, may be present. */
static bool check_modifiers(emu_parser_t *parser, emu_insn_t *insn, const emu_form_t *form) {
  emu_modifiers_t m = insn->modifiers;
  int compares = count_bits(m & COMPARISONS);
  bool is_set = EMU_KIND_OF(form) == EMU_KIND_SET;
  bool good = count_bits(m & ROUNDINGS) <= 1 && (!is_set || compares == 1) &&
              count_bits(m & (EMU_BIT(v2) | EMU_BIT(v4) | EMU_BIT(v8))) <= 1 &&
              (count_bits(m & EMU_SPACES) <= 1 || count_bits(form->needs & EMU_SPACES) == 2);
  for (int i = EMU_lo; is_set && i < EMU_and; ++i)
    if (m & COMPARISONS & ((emu_modifiers_t)1 << i))
      insn->size = (uint8_t)i;
  return good || nereid_emulator_syntax(parser, "%.*s: conflicting modifiers, or a missing one", (int)insn->text_size,
                                        insn->text);
}

/* mov.b32 d, {a, b} and mov.b32 {a, b}, d */
static bool pack(emu_parser_t *parser, emu_insn_t *insn, bool *out_done) {
  const emu_mark_t start = emu_mark(parser);
  emu_type_t type = (emu_type_t)insn->types[0];
  bool unpack = nereid_emulator_peek(parser) == '{', packs = unpack;
  unsigned elements = 1;
  for (; parser->at < parser->end && nereid_emulator_peek(parser) != ';'; ++parser->at) {
    packs |= *parser->at == '{';
    elements += *parser->at == ',';
  }
  emu_return_to(parser, start);
  *out_done = packs && !EMU_HAS(insn, v2) && !EMU_HAS(insn, v4);
  if (!*out_done)
    return true;
  unsigned size = nereid_emulator_type_size(type);
  insn->n_vector = (uint8_t)(elements - 1);
  if ((elements != 3 && elements != 5) || (type != EMU_B16 && type != EMU_B32 && type != EMU_B64 && type != EMU_B128))
    return nereid_emulator_syntax(parser, "this mov takes .b16, .b32, .b64 or .b128, and 2 or 4 parts");
  static const emu_type_t parts[] = {EMU_NONE, EMU_B8, EMU_B16, EMU_NONE, EMU_B32, [8] = EMU_B64};
  emu_insn_t probe = *insn;
  probe.n_operands = 0;
  unsigned each = size / insn->n_vector;
  const emu_form_t form = {.operands = unpack ? "v*s1" : "d1w*"};
  probe.types[1] = insn->types[0];
  if (!each || !parts[each])
    return nereid_emulator_syntax(parser, "this mov is not emulated");
  probe.types[0] = (uint8_t)parts[each];
  if (!nereid_emulator_operands(parser, &probe, &form))
    return false;
  insn->n_operands = probe.n_operands;
  unsigned from = unpack ? 0 : 1;
  for (unsigned i = 0; i < insn->n_vector; ++i)
    if (insn->operands[from + i].size != each && !(insn->operands[from + i].base == EMU_REGISTERS &&
                                                   insn->operands[from + i].offset == parser->scratch_register))
      return nereid_emulator_syntax(parser, "a part of this mov needs %u bits", each * 8);
  insn->size = (uint8_t)each;
  insn->execute = unpack ? nereid_emulator_unpack : nereid_emulator_pack;
  return true;
}

static emu_next_t read_clock(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  for (int lane = 0; lane < EMU_LANES; ++lane) {
    uint32_t low = (uint32_t)warp->executed, high = (uint32_t)(warp->executed >> 32);
    memcpy(warp->base[EMU_SPECIALS] + EMU_CLOCK_LO * 128 + lane * 4, &low, 4);
    memcpy(warp->base[EMU_SPECIALS] + EMU_CLOCK_HI * 128 + lane * 4, &high, 4);
    memcpy(warp->base[EMU_SPECIALS] + EMU_CLOCK_64 * 128 + lane * 8, &warp->executed, 8);
  }
  return insn->inner(warp, insn, mask);
}

/* mov.u16 of a special register, which has 32 bits in the emulator. */
static void narrow(emu_insn_t *insn) {
  if (insn->n_operands == 2 && insn->operands[1].base == EMU_SPECIALS &&
      insn->operands[0].size != insn->operands[1].size)
    insn->execute = nereid_emulator_move_each;
}

static bool label_operand(emu_parser_t *parser, emu_insn_t *insn, bool list) {
  if (list && (!nereid_emulator_expect(parser, ',')))
    return false;
  nereid_view_t name = nereid_emulator_word(parser, false);
  emu_fixup_t fixup = {.insn = (uint32_t)parser->program->insns.size,
                       .line = insn->line,
                       .slot = list ? 0 : -1,
                       .name = name,
                       .scope = parser->scope};
  if (!name.size)
    return nereid_emulator_syntax(parser, "expected a label");
  return nereid_vector_push(&parser->scratch, &parser->fixups, fixup) || nereid_emulator_out_of_memory(parser);
}

static const uint8_t flow_of_kind[EMU_KIND_COUNT] = {[EMU_KIND_BRA] = EMU_FLOW_BRANCH,
                                                     [EMU_KIND_BRX] = EMU_FLOW_TABLE,
                                                     [EMU_KIND_RET] = EMU_FLOW_END,
                                                     [EMU_KIND_EXIT] = EMU_FLOW_END};

static void start(emu_parser_t *parser, nereid_view_t text, const opcode_t *opcode, const emu_form_t *form,
                  const emu_operand_t *guard, emu_insn_t *out) {
  *out = (emu_insn_t){.execute = form->execute,
                      .modifiers = opcode->modifiers,
                      .guard = *guard,
                      .has_guard = !guard->absent,
                      .line = parser->line,
                      .place = parser->place,
                      .counter_class = (uint8_t)form->traits,
                      .variant = (uint16_t)(form->traits >> 8),
                      .kind = (uint8_t)EMU_KIND_OF(form),
                      .operands = parser->operands,
                      .text = text.data,
                      .text_size = (uint16_t)(text.size < 200 ? text.size : 200),
                      .n_vector = 1,
                      .flow = flow_of_kind[EMU_KIND_OF(form)]};
  for (unsigned i = 0; i < opcode->n_types; ++i)
    out->types[i] = (uint8_t)nereid_emulator_type(opcode->types[i]);
  if (EMU_HAS(out, v2) || EMU_HAS(out, v4) || EMU_HAS(out, v8))
    out->n_vector = EMU_HAS(out, v2) ? 2 : EMU_HAS(out, v4) ? 4 : 8;
  if (EMU_HAS(out, x2) || EMU_HAS(out, x4))
    out->n_vector = EMU_HAS(out, x2) ? 2 : 4;
  out->space = EMU_HAS(out, global) || EMU_HAS(out, const) ? EMU_GLOBAL
               : EMU_HAS(out, shared_cluster)              ? EMU_SHARED_CLUSTER
               : EMU_HAS(out, shared)                      ? EMU_SHARED
               : EMU_HAS(out, local)                       ? EMU_LOCAL
               : EMU_HAS(out, param)                       ? EMU_PARAM
                                                           : EMU_GENERIC;
}

/* mov or cvta of the address of a shared variable, in a CTA of a cluster: the CTA's rank is part of the address. */
static emu_next_t read_shared_address(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const emu_cta_t *cta = warp->cta;
  const emu_next_t next = insn->inner(warp, insn, mask);
  if (cta->cluster->n_ctas > 1)
    FOR_LANES(lane, mask) {
      const uint64_t address = emu_lane(warp, &insn->operands[0], (int)lane);
      emu_set_lane(warp, &insn->operands[0], (int)lane, address + ((uint64_t)(cta->rank + 1) << EMU_RANK_SHIFT));
    }
  return next;
}

static void wrap(const emu_parser_t *parser, emu_insn_t *insn) {
  if (parser->names_shared && insn->counter_class == NEREID_EMULATOR_CLASS_MOVE && insn->n_operands == 2 &&
      insn->operands[0].size) {
    insn->inner = insn->execute;
    insn->execute = read_shared_address;
  }
  if (insn->counter_class == NEREID_EMULATOR_CLASS_FLOAT &&
      (EMU_HAS(insn, rz) || EMU_HAS(insn, rm) || EMU_HAS(insn, rp))) {
    insn->inner = insn->execute;
    insn->execute = nereid_emulator_rounded;
  }
  for (int k = 0; k < insn->n_operands && !insn->inner; ++k)
    if (insn->operands[k].base == EMU_SPECIALS && insn->operands[k].offset >= EMU_CLOCK_LO * 128) {
      insn->inner = insn->execute;
      insn->execute = read_clock;
    }
}

struct emu_recognized {
  nereid_view_t text;
  opcode_t opcode;
  const emu_form_t *form;
  uint8_t choices[8];
};

/* Finds the form of an opcode. A program has few distinct opcodes, so the result is cached. Null after failing. */
static const struct emu_recognized *recognize(emu_parser_t *parser, nereid_view_t text) {
  enum { PLACES = 512 };
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < text.size; ++i)
    hash = (hash ^ (uint8_t)text.data[i]) * 16777619u;
  if (!parser->recognized)
    parser->recognized = nereid_arena_new(&parser->scratch, struct emu_recognized, PLACES);
  if (!parser->recognized) {
    (void)nereid_emulator_out_of_memory(parser);
    return NULL;
  }
  struct emu_recognized *it = &parser->recognized[hash % PLACES], found = {.text = text};
  if (it->form && nereid_view_equal(it->text, text))
    return it;
  if (!split(parser, text, &found.opcode))
    return NULL;
  found.form = find(&found.opcode, found.choices);
  if (!found.form) {
    (void)refuse(parser, text);
    return NULL;
  }
  *it = found;
  return it;
}

bool nereid_emulator_instruction(emu_parser_t *parser, nereid_view_t text, const emu_operand_t *guard) {
  emu_insn_t insn;
  bool done = false, good = true;
  if (text.size > 200)
    return nereid_emulator_syntax(parser, "an opcode of %zu characters", text.size);
  const struct emu_recognized *recognized = recognize(parser, text);
  if (!recognized)
    return false;
  const emu_form_t *form = recognized->form;
  start(parser, text, &recognized->opcode, form, guard, &insn);
  memcpy(insn.choices, recognized->choices, sizeof insn.choices);
  parser->names_shared = false;
  if (!check_modifiers(parser, &insn, form))
    return false;
  if (insn.kind == EMU_KIND_RET && !nereid_emulator_move_formals(parser, &insn, true))
    return false;
  if (insn.kind == EMU_KIND_CALL)
    return nereid_emulator_call_insn(parser, &insn);
  if (insn.kind == EMU_KIND_BRA)
    good = label_operand(parser, &insn, false);
  else if (insn.kind == EMU_KIND_MOV)
    good = pack(parser, &insn, &done);
  if (good && !done)
    good = nereid_emulator_operands(parser, &insn, form);
  if (good && insn.kind == EMU_KIND_BRX)
    good = label_operand(parser, &insn, true);
  if (good && EMU_HAS(&insn, hint)) { /* the cache policy operand has no effect */
    static const emu_form_t policy = {.operands = "sl"};
    unsigned n = insn.n_operands;
    good = nereid_emulator_expect(parser, ',') && nereid_emulator_operands(parser, &insn, &policy);
    insn.n_operands = (uint16_t)n;
  }
  if (!good)
    return false;
  if (insn.counter_class == NEREID_EMULATOR_CLASS_MATRIX && !nereid_emulator_matrix(parser, &insn))
    return false;
  if (insn.kind == EMU_KIND_MOV)
    narrow(&insn);
  wrap(parser, &insn);
  parser->program->has_atomics |= insn.counter_class == NEREID_EMULATOR_CLASS_ATOMIC && insn.space != EMU_SHARED &&
                                  insn.space != EMU_SHARED_CLUSTER;
  return nereid_emulator_push(parser, &insn);
}
