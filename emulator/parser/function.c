/* Parses function bodies: scopes, registers, labels, variables and instructions.
 *
 *   { .reg .b32 %r<2>; $L: add.s32 %r1, %r1, 1; @%p bra $L; { .reg .b32 %r<1>; ... } }
 *
 * A name refers to its innermost declaration. Labels may be used before their definition, so branches are resolved
 * at the end of the body. */
#include "emulator/parser/parse.h"

static bool add_registers(emu_parser_t *parser, nereid_view_t name, unsigned size, uint32_t count) {
  enum { MOST = 1 << 21 };
  uint32_t n = count ? count : 1;
  emu_symbol_t symbol = {.name = name, .kind = EMU_SYMBOL_REGISTER, .size = (uint8_t)size, .count = count};
  if (n > MOST - parser->declared)
    return nereid_emulator_syntax(parser, "more than %d registers", MOST);
  parser->declared += n;
  symbol.numbers = nereid_arena_new(&parser->scratch, uint32_t, n);
  return symbol.numbers ? nereid_emulator_define(parser, symbol) : nereid_emulator_out_of_memory(parser);
}

bool nereid_emulator_register_formal(emu_parser_t *parser, const emu_declaration_t *declaration) {
  return add_registers(parser, declaration->name, declaration->bytes, 0);
}

/* .reg .b32 %r<10>, %x; */
static bool registers(emu_parser_t *parser) {
  if (!nereid_emulator_expect(parser, '.'))
    return false;
  nereid_view_t word = nereid_emulator_word(parser, false);
  emu_type_t type = nereid_emulator_type(word);
  if (!type || (!nereid_emulator_type_size(type) && type != EMU_PRED))
    return nereid_emulator_syntax(parser, "registers of '.%.*s' are not emulated", EMU_SHOWN(word));
  do {
    nereid_view_t name = nereid_emulator_word(parser, false);
    uint32_t count = 0;
    if (!name.size)
      return nereid_emulator_syntax(parser, "a register needs a name");
    if (nereid_emulator_accept(parser, '<')) {
      if (!nereid_emulator_unsigned(parser, 1 << 20, &count) || !nereid_emulator_expect(parser, '>'))
        return false;
      if (!count)
        continue;
    }
    if (!add_registers(parser, name, nereid_emulator_type_size(type), count))
      return false;
  } while (nereid_emulator_accept(parser, ','));
  return nereid_emulator_expect(parser, ';');
}

static bool body_directive(emu_parser_t *parser) {
  nereid_view_t word = nereid_emulator_word(parser, false), text;
  if (nereid_emulator_is(word, "reg"))
    return registers(parser);
  if (nereid_emulator_is(word, "loc"))
    return nereid_emulator_location(parser);
  if (nereid_emulator_is(word, "local") || nereid_emulator_is(word, "param"))
    return nereid_emulator_local_variable(parser, nereid_emulator_is(word, "local"));
  if (nereid_emulator_is(word, "shared"))
    return nereid_emulator_shared_variable(parser, true);
  if (nereid_emulator_is(word, "pragma"))
    return nereid_emulator_string(parser, &text) && nereid_emulator_expect(parser, ';');
  return nereid_emulator_syntax(parser, "the directive '.%.*s' is not emulated here", EMU_SHOWN(word));
}

/* name: .branchtargets a, b, c; also .callprototype and .calltargets */
static bool targets(emu_parser_t *parser, nereid_view_t name) {
  emu_symbol_t symbol = {.name = name, .kind = EMU_SYMBOL_TARGETS, .first = (uint32_t)parser->branch_targets.size};
  nereid_view_t word = nereid_emulator_word(parser, true);
  if (nereid_emulator_is(word, ".callprototype") || nereid_emulator_is(word, ".calltargets"))
    return nereid_emulator_prototype(parser, name, nereid_emulator_is(word, ".calltargets"));
  if (!nereid_emulator_is(word, ".branchtargets"))
    return nereid_emulator_syntax(parser, "'%.*s' is not emulated", EMU_SHOWN(word));
  do {
    nereid_view_t target = nereid_emulator_word(parser, false);
    if (!target.size)
      return nereid_emulator_syntax(parser, "expected a label");
    if (!nereid_vector_push(&parser->scratch, &parser->branch_targets, target))
      return nereid_emulator_out_of_memory(parser);
    symbol.n++;
  } while (nereid_emulator_accept(parser, ','));
  return nereid_emulator_define(parser, symbol) && nereid_emulator_expect(parser, ';');
}

/* [@[!]%p] opcode operands ; | label: */
static bool statement(emu_parser_t *parser) {
  emu_operand_t guard = {.absent = 1};
  bool guarded = nereid_emulator_accept(parser, '@');
  if (guarded && !nereid_emulator_predicate(parser, &guard))
    return false;
  nereid_view_t word = nereid_emulator_opcode(parser);
  if (!word.size) {
    char c = nereid_emulator_peek(parser);
    return nereid_emulator_syntax(parser, "expected an instruction, found '%c'", c >= ' ' && c < 127 ? c : '?');
  }
  if (!guarded && nereid_emulator_accept(parser, ':')) {
    const emu_mark_t here = emu_mark(parser);
    if (nereid_emulator_peek(parser) == '.' && parser->end - parser->at > 7 &&
        (memcmp(parser->at, ".branch", 7) == 0 || memcmp(parser->at, ".call", 5) == 0))
      return targets(parser, word);
    emu_return_to(parser, here);
    return nereid_emulator_define(parser, (emu_symbol_t){.name = word,
                                                         .kind = EMU_SYMBOL_LABEL,
                                                         .in_block = parser->scope != parser->body,
                                                         .value = parser->program->insns.size});
  }
  return nereid_emulator_instruction(parser, word, &guard) && nereid_emulator_expect(parser, ';');
}

static bool fix(emu_parser_t *parser, const emu_fixup_t *fixup) {
  uint32_t ignored;
  emu_insn_t *insn = &parser->program->insns.data[fixup->insn];
  const emu_symbol_t *symbol = nereid_emulator_find(fixup->scope, fixup->name, &ignored);
  parser->line = fixup->line;
  if (!symbol)
    return nereid_emulator_syntax(parser, "no label '%.*s'", EMU_SHOWN(fixup->name));
  if (symbol->kind == EMU_SYMBOL_LABEL) {
    insn->target = (uint32_t)symbol->value;
    insn->to_block = symbol->in_block;
    return true;
  }
  if (symbol->kind != EMU_SYMBOL_TARGETS || fixup->slot < 0)
    return nereid_emulator_syntax(parser, "'%.*s' is not a label", EMU_SHOWN(fixup->name));
  uint32_t *list = nereid_arena_new(&parser->program->arena, uint32_t, symbol->n);
  if (!list)
    return nereid_emulator_out_of_memory(parser);
  for (uint32_t i = 0; i < symbol->n; ++i) {
    nereid_view_t name = parser->branch_targets.data[symbol->first + i];
    const emu_symbol_t *label = nereid_emulator_find(fixup->scope, name, &ignored);
    if (!label || label->kind != EMU_SYMBOL_LABEL)
      return nereid_emulator_syntax(parser, "no label '%.*s'", EMU_SHOWN(name));
    list[i] = (uint32_t)label->value;
  }
  insn->list = list;
  insn->n_list = symbol->n;
  return true;
}

static bool open_block(emu_parser_t *parser) {
  emu_scope_t *scope = nereid_arena_new(&parser->scratch, emu_scope_t, 1);
  if (!scope)
    return nereid_emulator_out_of_memory(parser);
  scope->parent = parser->scope;
  parser->scope = scope;
  return true;
}

/* Parses to the '}' of the current scope's body. */
static bool block(emu_parser_t *parser) {
  unsigned depth = 1;
  while (depth) {
    char c = nereid_emulator_peek(parser);
    if (!c)
      return nereid_emulator_syntax(parser, "the text ends in the body of '%s'", parser->function->name_text);
    parser->at += strchr("{}.;", c) != NULL;
    if (c == '{' && ++depth > 256)
      return nereid_emulator_syntax(parser, "blocks are nested deeper than 256");
    if (c == '{' && !open_block(parser))
      return false;
    if (c == '}' && --depth)
      parser->scope = parser->scope->parent;
    if (c == '.' ? !body_directive(parser) : !strchr("{};", c) && !statement(parser))
      return false;
  }
  return true;
}

/* Resolves branches to their labels. */
static bool settle(emu_parser_t *parser) {
  const uint32_t line = parser->line; /* `fix` sets it for its diagnostics */
  for (size_t i = 0; i < parser->fixups.size; ++i)
    if (!fix(parser, &parser->fixups.data[i]))
      return false;
  parser->line = line;
  return true;
}

/* Parses to the body's '}' and appends an implicit ret. */
bool nereid_emulator_body(emu_parser_t *parser) {
  emu_scope_t *outermost = parser->body = parser->scope;
  const emu_operand_t none = {.absent = 1};
  const emu_insn_t entry = {
      .line = parser->line, .counter_class = NEREID_EMULATOR_CLASS_MOVE, .text = "", .guard = {.absent = 1}};
  parser->function->entry = (uint32_t)parser->program->insns.size;
  parser->fixups.size = 0;
  parser->registers.size = 0;
  parser->scratch_register = UINT32_MAX;
  if (!nereid_emulator_move_formals(parser, &entry, false) || !block(parser))
    return false;
  parser->scope = outermost;
  return nereid_emulator_instruction(parser, nereid_view("ret"), &none) && settle(parser) &&
         nereid_emulator_place_registers(parser);
}
