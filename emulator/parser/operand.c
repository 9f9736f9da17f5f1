/* Parses an instruction's operands by the letters of its form (form.h). Each is an array of 32 lanes.
 *
 *   ld.global.v2.f32 {%f1, %f2}, [%rd1+8];     v: registers %f1 and %f2   m: register %rd1, insn->offset 8
 *   add.s32 %r1, %tid.x, 5;                    d: register %r1   s: special register   s: constant */
#include "emulator/parser/parse.h"

/* `variable`, or `variable + 8` outside brackets. */
static bool symbol_address(emu_parser_t *parser, const emu_symbol_t *symbol, unsigned size, bool sum,
                           emu_operand_t *out) {
  uint32_t offset;
  emu_number_t number = {0};
  if (size != 4 && size != 8)
    return nereid_emulator_syntax(parser, "the address of '%.*s' needs 32 or 64 bits", EMU_SHOWN(symbol->name));
  char sign = sum ? nereid_emulator_peek(parser) : 0;
  if (sign == '+')
    (void)nereid_emulator_accept(parser, '+');
  if ((sign == '+' || sign == '-') && !nereid_emulator_number(parser, &number))
    return false;
  if (number.is_float)
    return nereid_emulator_syntax(parser, "an offset is an integer");
  parser->names_shared |= symbol->space == EMU_SHARED;
  bool dynamic = symbol->space == EMU_SHARED && symbol->value == UINT64_MAX;
  if (!(dynamic ? nereid_emulator_constant_new
                : nereid_emulator_constant)(parser, (dynamic ? 0 : symbol->value) + number.bits, size, &offset))
    return false;
  *out = (emu_operand_t){.offset = offset, .base = EMU_CONSTANTS, .size = (uint8_t)size};
  if (dynamic)
    return nereid_vector_push(&parser->scratch, &parser->dynamic, (struct emu_dynamic){offset, size, number.bits}) ||
           nereid_emulator_out_of_memory(parser);
  return true;
}

static bool function_address(emu_parser_t *parser, size_t index, unsigned size, emu_operand_t *out) {
  if (size != 4 && size != 8)
    return nereid_emulator_syntax(parser, "the address of a function needs 32 or 64 bits");
  *out = (emu_operand_t){.base = EMU_CONSTANTS, .size = (uint8_t)size};
  return nereid_emulator_constant(parser, EMU_FUNCTIONS_AT + index * EMU_FUNCTION_BYTES, size, &out->offset);
}

/* Parses a register, or if `size` is set the address of a variable or function; with `sum` an offset may follow a
 * variable. */
static bool named(emu_parser_t *parser, nereid_view_t name, unsigned size, bool sum, emu_operand_t *out) {
  uint32_t index;
  const emu_symbol_t *symbol = nereid_emulator_find(parser->scope, name, &index);
  size_t function = symbol ? SIZE_MAX : nereid_emulator_function_index(parser, name);
  if (function != SIZE_MAX)
    return function_address(parser, function, size, out);
  if (!symbol)
    return nereid_emulator_special(parser, name, size, out);
  if (symbol->kind == EMU_SYMBOL_ADDRESS)
    return symbol_address(parser, symbol, size, sum, out);
  if (symbol->kind != EMU_SYMBOL_REGISTER)
    return nereid_emulator_syntax(parser, "'%.*s' is a label", EMU_SHOWN(name));
  *out = (emu_operand_t){.base = EMU_REGISTERS, .size = symbol->size};
  return nereid_emulator_register(parser, symbol, index, &out->offset);
}

static bool immediate(emu_parser_t *parser, emu_type_t type, unsigned size, emu_operand_t *out) {
  emu_number_t number;
  if (!nereid_emulator_expression(parser, &number))
    return false;
  if (size > 8)
    return nereid_emulator_syntax(parser, "a constant of more than 64 bits");
  bool float_type = type == EMU_F32 || type == EMU_F64;
  bool bit_type = type == EMU_B32 || type == EMU_B64 || type == EMU_NONE;
  if (number.is_float && !float_type && !bit_type)
    return nereid_emulator_syntax(parser, "a floating-point constant for an operand of another type");
  if (number.is_float ? size != 4 && size != 8 : float_type)
    return nereid_emulator_syntax(parser, "a constant of the wrong kind for its operand");
  float single = (float)number.value;
  if (number.is_float && size == 4)
    number.bits = 0, memcpy(&number.bits, &single, 4);
  else if (number.is_float)
    memcpy(&number.bits, &number.value, 8);
  uint32_t offset;
  if (!nereid_emulator_constant(parser, number.bits, size, &offset))
    return false;
  *out = (emu_operand_t){.offset = offset, .base = EMU_CONSTANTS, .size = (uint8_t)size};
  return true;
}

static bool starts_number(emu_parser_t *parser) {
  char c = nereid_emulator_peek(parser);
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '(' || c == '~' || c == '!';
}

/* `_`: a destination whose value is discarded. */
static bool sink(emu_parser_t *parser, unsigned size, emu_operand_t *out) {
  if (parser->scratch_register == UINT32_MAX) {
    if (!nereid_vector_push(&parser->scratch, &parser->registers, 16))
      return nereid_emulator_out_of_memory(parser);
    parser->scratch_register = (uint32_t)parser->registers.size - 1;
  }
  *out = (emu_operand_t){.base = EMU_REGISTERS, .size = (uint8_t)size, .offset = parser->scratch_register};
  return true;
}

bool nereid_emulator_predicate(emu_parser_t *parser, emu_operand_t *out) {
  bool negated = nereid_emulator_accept(parser, '!');
  if (starts_number(parser)) {
    emu_number_t number;
    if (!nereid_emulator_number(parser, &number) || !nereid_emulator_constant(parser, number.bits, 0, &out->offset))
      return false;
    *out = (emu_operand_t){.offset = out->offset, .base = EMU_CONSTANTS, .negated = negated};
    return true;
  }
  nereid_view_t name = nereid_emulator_word(parser, true);
  if (!named(parser, name, 0, false, out))
    return false;
  out->negated = negated;
  return !out->size || nereid_emulator_syntax(parser, "'%.*s' is not a predicate", EMU_SHOWN(name));
}

/* `size` 0: the declared width, at least `least` bytes; an immediate then has `least` bytes. */
static bool value(emu_parser_t *parser, emu_type_t type, unsigned size, unsigned least, bool destination,
                  emu_operand_t *out) {
  if (!destination && starts_number(parser))
    return immediate(parser, type, size ? size : least, out);
  nereid_view_t name = nereid_emulator_word(parser, true);
  if (!name.size)
    return nereid_emulator_syntax(parser, "expected an operand");
  if (destination && nereid_emulator_is(name, "_"))
    return sink(parser, size ? size : 8, out);
  if (!named(parser, name, size ? size : least, true, out))
    return false;
  if (destination && out->base != EMU_REGISTERS)
    return nereid_emulator_syntax(parser, "'%.*s' cannot be written", EMU_SHOWN(name));
  bool fits = size ? out->size == size : out->size >= least && out->size && out->size <= 8;
  if (parser->narrows && size < out->size && out->base == EMU_SPECIALS)
    return true;
  return fits || nereid_emulator_syntax(parser, "'%.*s' has %u bits, the operand %u", EMU_SHOWN(name), out->size * 8u,
                                        (size ? size : least) * 8u);
}

/* Parses [base], [base + 8] or [123], after `n_addresses` earlier addresses. */
static bool address(emu_parser_t *parser, emu_insn_t *insn, unsigned n_addresses, emu_operand_t *out) {
  if (!nereid_emulator_expect(parser, '['))
    return false;
  if (starts_number(parser)) {
    if (!immediate(parser, EMU_NONE, 8, out))
      return false;
  } else {
    uint32_t index;
    nereid_view_t name = nereid_emulator_word(parser, true);
    const emu_symbol_t *symbol = nereid_emulator_find(parser->scope, name, &index);
    if (!named(parser, name, 8, false, out))
      return false;
    if (out->size != 4 && out->size != 8)
      return nereid_emulator_syntax(parser, "an address needs 32 or 64 bits");
    emu_modifiers_t spaces = insn->modifiers & EMU_SPACES;
    bool copies = (spaces & (spaces - 1)) != 0; /* from one space to another */
    if (symbol && symbol->kind == EMU_SYMBOL_ADDRESS && !copies) {
      if (insn->space == EMU_PARAM && symbol->space == EMU_LOCAL)
        insn->space = EMU_LOCAL; /* a parameter of a call */
      else if (insn->space == EMU_GENERIC          ? symbol->space != EMU_GLOBAL
               : insn->space == EMU_SHARED_CLUSTER ? symbol->space != EMU_SHARED
                                                   : symbol->space != (emu_space_t)insn->space)
        return nereid_emulator_syntax(parser, "'%.*s' is in another state space", EMU_SHOWN(name));
    } else if (insn->space == EMU_PARAM && !copies && !parser->function->is_entry) {
      insn->space = EMU_LOCAL; /* a function's parameters are in local memory */
    }
  }
  if (nereid_emulator_accept(parser, '+') || nereid_emulator_peek(parser) == '-') {
    emu_number_t number;
    if (!nereid_emulator_number(parser, &number))
      return false;
    if (number.is_float)
      return nereid_emulator_syntax(parser, "an offset is an integer");
    *(n_addresses ? &insn->offsets[n_addresses - 1] : &insn->offset) = (int64_t)number.bits;
  }
  if (!nereid_emulator_expect(parser, ']'))
    return false;
  if (nereid_emulator_accept(parser, '.')) { /* [a].unified */
    nereid_view_t word = nereid_emulator_word(parser, false);
    if (!nereid_emulator_is(word, "unified"))
      return nereid_emulator_syntax(parser, "unexpected '.%.*s' after an address", EMU_SHOWN(word));
  }
  return true;
}

/* %tid for { %tid.x, %tid.y, %tid.z, 0 }. */
static bool special_vector(emu_parser_t *parser, emu_operand_t *out) {
  nereid_view_t name = nereid_emulator_word(parser, true);
  for (unsigned i = 0; i < 3; ++i) {
    char part[32];
    snprintf(part, sizeof part, "%.*s.%c", (int)(name.size < 24 ? name.size : 24), name.data, (char)('x' + i));
    if (!nereid_emulator_special(parser, nereid_view(part), 4, &out[i]))
      return false;
  }
  out[3] = (emu_operand_t){.base = EMU_CONSTANTS, .size = 4};
  return nereid_emulator_constant(parser, 0, 4, &out[3].offset);
}

/* v, w: one operand, or { one per element }, from operand `k` on. */
static bool vector(emu_parser_t *parser, emu_insn_t *insn, unsigned size, unsigned least, bool destination,
                   unsigned k) {
  unsigned n = insn->n_vector;
  bool braces = nereid_emulator_accept(parser, '{');
  if (n == 4 && !braces && !destination && nereid_emulator_peek(parser) == '%')
    return special_vector(parser, &insn->operands[k]);
  if (n > 1 && !braces)
    return nereid_emulator_syntax(parser, "expected { and %u operands", n);
  for (unsigned i = 0; i < n; ++i)
    if ((i && !nereid_emulator_expect(parser, ',')) ||
        !value(parser, (emu_type_t)insn->types[0], size, least, destination, &insn->operands[k + i]))
      return false;
  return !braces || nereid_emulator_expect(parser, '}');
}

/* V, W: one operand, or { any number }, from operand `k` on; the count goes to insn->lists[which]. */
static bool list(emu_parser_t *parser, emu_insn_t *insn, unsigned size, unsigned least, bool destination, unsigned k,
                 unsigned which) {
  bool braces = nereid_emulator_accept(parser, '{');
  unsigned n = 0;
  if (which == EMU_MAX_LISTS)
    return nereid_emulator_syntax(parser, "more lists of operands than an instruction has");
  do {
    if (k + n == EMU_MAX_OPERANDS)
      return nereid_emulator_syntax(parser, "more operands than an instruction has");
    if (!value(parser, (emu_type_t)insn->types[0], size, least, destination, &insn->operands[k + n]))
      return false;
    n++;
  } while (braces && nereid_emulator_accept(parser, ','));
  insn->lists[which].first = (uint16_t)k;
  insn->lists[which].count = (uint16_t)n;
  return !braces || nereid_emulator_expect(parser, '}');
}

static unsigned width(const emu_insn_t *insn, char c) {
  switch (c) {
  case 'b':
    return 1;
  case 'h':
    return 2;
  case 'w':
    return 4;
  case 'l':
    return 8;
  case 'W':
    return 2 * nereid_emulator_type_size((emu_type_t)insn->types[0]);
  case '0':
  case '1':
  case '2':
    return nereid_emulator_type_size((emu_type_t)insn->types[c - '0']);
  default:
    return 0;
  }
}

static emu_type_t type_of(const emu_insn_t *insn, char c) {
  return c >= '0' && c <= '2' ? (emu_type_t)insn->types[c - '0'] : c == '*' ? (emu_type_t)insn->types[0] : EMU_NONE;
}

/* Whether two more operands follow: `, a, b`. */
static bool two_follow(const emu_parser_t *parser) {
  unsigned commas = 0;
  for (const char *at = parser->at; at < parser->end && *at != ';'; ++at)
    commas += *at == ',';
  return commas >= 2;
}

/* Whether the word is `_` alone; a name may begin with it. */
static bool nothing(emu_parser_t *parser) {
  const emu_mark_t start = emu_mark(parser);
  if (nereid_emulator_is(nereid_emulator_word(parser, false), "_"))
    return true;
  emu_return_to(parser, start);
  return false;
}

/* Second destination p|q: o follows the first after a bar. */
static bool optional(emu_parser_t *parser, char kind, emu_insn_t *insn, const char *at, unsigned k) {
  bool there = (kind != 'C' || two_follow(parser)) && nereid_emulator_accept(parser, kind == 'o' ? '|' : ',');
  insn->operands[k] = (emu_operand_t){.absent = 1};
  if (!there)
    return true;
  if (kind == 'O' || kind == 'C')
    return value(parser, type_of(insn, at[1]), width(insn, at[1]), 0, false, &insn->operands[k]);
  if (kind == 'o' && nothing(parser))
    return true;
  return nereid_emulator_predicate(parser, &insn->operands[k]);
}

/* A: `, predicate` or `, 32 bits`, or nothing; a cache policy at this place is not consumed. */
static bool either(emu_parser_t *parser, emu_insn_t *insn, unsigned k) {
  const emu_mark_t start = emu_mark(parser);
  emu_operand_t *out = &insn->operands[k];
  *out = (emu_operand_t){.absent = 1};
  if (!nereid_emulator_accept(parser, ','))
    return true;
  if (nereid_emulator_peek(parser) == '!')
    return nereid_emulator_predicate(parser, out);
  if (starts_number(parser))
    return immediate(parser, EMU_NONE, 4, out);
  if (!named(parser, nereid_emulator_word(parser, true), 4, true, out))
    return false;
  if (out->size == 8 && EMU_HAS(insn, hint)) {
    *out = (emu_operand_t){.absent = 1};
    emu_return_to(parser, start);
  }
  return out->absent || out->size == 0 || out->size == 4 ||
         nereid_emulator_syntax(parser, "a predicate or an operand of 32 bits is expected");
}

/* T: [tensor map, { coordinates }]. The map is operand `k`, the coordinates are the list `which`. */
static bool tensor(emu_parser_t *parser, emu_insn_t *insn, unsigned k, unsigned which) {
  return nereid_emulator_expect(parser, '[') && value(parser, EMU_B64, 8, 0, false, &insn->operands[k]) &&
         nereid_emulator_expect(parser, ',') &&
         (nereid_emulator_peek(parser) == '{' || nereid_emulator_expect(parser, '{')) &&
         list(parser, insn, 4, 0, false, k + 1, which) && nereid_emulator_expect(parser, ']');
}

/* Parses an optional operand with its own comma. */
static bool unneeded(emu_parser_t *parser, emu_insn_t *insn, const char *at, unsigned k) {
  if (at[0] == 'A')
    return either(parser, insn, k);
  insn->operands[k].absent = at[0] == 'N';
  if (at[0] == 'N')
    return true;
  if (!optional(parser, at[0], insn, at, k))
    return false;
  insn->operands[k].written = at[0] == 'o' && !insn->operands[k].absent;
  return true;
}

/* Parses a destination or source of the width in `at`; for cvt, the source has the second type's width. */
static bool scalar(emu_parser_t *parser, emu_insn_t *insn, const char *at, unsigned k) {
  const bool any = at[1] == '*', second = any && at[0] == 's';
  const uint8_t type = insn->types[second && insn->types[1] ? 1 : 0];
  return value(parser, second ? (emu_type_t)insn->types[1] : type_of(insn, at[1]), width(insn, at[1]),
               any ? nereid_emulator_type_size((emu_type_t)type) : 0, at[0] == 'd', &insn->operands[k]);
}

static bool predicate(emu_parser_t *parser, bool destination, emu_operand_t *out) {
  out->absent = destination && nothing(parser);
  if (out->absent)
    return true;
  if (!nereid_emulator_predicate(parser, out))
    return false;
  return !destination || (!out->negated && out->base == EMU_REGISTERS) ||
         nereid_emulator_syntax(parser, "this predicate cannot be written");
}

/* Parses a required operand and returns the number of operands. `seen`: lists and addresses so far. */
static bool needed(emu_parser_t *parser, emu_insn_t *insn, const char *at, unsigned k, unsigned seen[2],
                   unsigned *out_used) {
  const unsigned size = width(insn, at[1]);
  const unsigned least = at[1] == '*' ? nereid_emulator_type_size((emu_type_t)insn->types[0]) : 0;
  *out_used = 1;
  switch (at[0]) {
  case 'm':
    return address(parser, insn, seen[1]++, &insn->operands[k]);
  case 'v':
  case 'w':
    *out_used = insn->n_vector;
    return vector(parser, insn, size, least, at[0] == 'v', k);
  case 'V':
  case 'W':
    if (!list(parser, insn, size, least, at[0] == 'V', k, seen[0]))
      return false;
    *out_used = insn->lists[seen[0]++].count;
    return true;
  case 'T':
    if (!tensor(parser, insn, k, seen[0]))
      return false;
    *out_used = 1u + insn->lists[seen[0]++].count;
    return true;
  case 'p':
  case 'q':
    return predicate(parser, at[0] == 'p', &insn->operands[k]);
  default:
    return scalar(parser, insn, at, k);
  }
}

bool nereid_emulator_operands(emu_parser_t *parser, emu_insn_t *insn, const emu_form_t *form) {
  unsigned k = insn->n_operands, seen[2] = {0}, used;
  parser->narrows = EMU_KIND_OF(form) == EMU_KIND_MOV;
  for (const char *at = form->operands; *at; at += 2, insn->n_operands = (uint16_t)k) {
    if (k + 8 > EMU_MAX_OPERANDS)
      return nereid_emulator_syntax(parser, "more operands than an instruction has");
    insn->operands[k] = (emu_operand_t){0};
    if (strchr("oQOCAN", at[0])) {
      if (!unneeded(parser, insn, at, k++))
        return false;
      continue;
    }
    if (at != form->operands && !nereid_emulator_expect(parser, ','))
      return false;
    if (!needed(parser, insn, at, k, seen, &used))
      return false;
    for (; used > 0; --used)
      insn->operands[k++].written = strchr("dvVp", at[0]) != NULL;
  }
  return true;
}
