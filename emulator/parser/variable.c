/* Parses declarations and the variables of every space with their initial values.
 *
 *   .global .align 8 .v2 .b32 rows[2][2] = {{1}, {2, 3}};   32 bytes at an address that operands have as a constant
 *
 * Variables get their addresses during parsing. Global and constant variables have windows of their own; shared and
 * local variables are packed in the CTA's and the thread's memory. */
#include "base/kernel/address.h"
#include "emulator/parser/parse.h"

#include <assert.h>

/* [N]... after a name. */
static bool dimensions(emu_parser_t *parser, emu_declaration_t *out) {
  uint64_t count = 1;
  uint32_t extents[EMU_MAX_DIMENSIONS], n = 0;
  while (nereid_emulator_accept(parser, '[')) {
    uint32_t extent = 0;
    if (n == EMU_MAX_DIMENSIONS)
      return nereid_emulator_syntax(parser, "more than %d dimensions", EMU_MAX_DIMENSIONS);
    if (nereid_emulator_accept(parser, ']')) {
      out->open = true;
      count = 0;
      continue;
    }
    emu_number_t number = {0};
    if (!nereid_emulator_expression(parser, &number) || !nereid_emulator_expect(parser, ']'))
      return false;
    if (number.is_float || number.bits > UINT32_C(1) << 30)
      return nereid_emulator_syntax(parser, "an extent is a number up to %u", 1u << 30);
    extent = extents[n++] = (uint32_t)number.bits;
    count *= extent;
    if (count * out->element > UINT32_C(1) << 30)
      return nereid_emulator_syntax(parser, "'%.*s' is larger than 1 GiB", EMU_SHOWN(out->name));
  }
  out->bytes = (uint32_t)(count * out->element);
  out->rows[0] = out->bytes; /* bytes per depth of braces: the whole, a row, ..., a vector element */
  for (uint32_t i = 0; i + 1 <= n && i + 1 < EMU_MAX_DIMENSIONS; ++i)
    out->rows[i + 1] = extents[i] ? out->rows[i] / extents[i] : 0;
  return true;
}

bool nereid_emulator_declaration(emu_parser_t *parser, emu_declaration_t *out) {
  uint32_t vector = 1, ignored;
  *out = (emu_declaration_t){0};
  while (nereid_emulator_accept(parser, '.')) {
    nereid_view_t word = nereid_emulator_word(parser, false);
    emu_type_t type = nereid_emulator_type(word);
    if (type)
      out->type = type;
    else if (nereid_emulator_is(word, "v2") || nereid_emulator_is(word, "v4"))
      vector = word.data[1] == '2' ? 2 : 4;
    else if (nereid_emulator_is(word, "align")) {
      if (!nereid_emulator_unsigned(parser, 1 << 20, out->type ? &ignored : &out->align))
        return false;
    } else if (!nereid_emulator_is(word, "ptr") && !nereid_emulator_is(word, "global") &&
               !nereid_emulator_is(word, "shared") && !nereid_emulator_is(word, "local") &&
               !nereid_emulator_is(word, "const"))
      return nereid_emulator_syntax(parser, "'.%.*s' is not emulated in a declaration", EMU_SHOWN(word));
  }
  if (!nereid_emulator_type_size(out->type))
    return nereid_emulator_syntax(parser, "a declaration needs a type");
  out->element = nereid_emulator_type_size(out->type) * vector;
  if (!out->align)
    out->align = out->element;
  if (out->align & (out->align - 1))
    return nereid_emulator_syntax(parser, "the alignment %u is not a power of two", out->align);
  out->name = nereid_emulator_word(parser, false);
  if (!out->name.size)
    return nereid_emulator_syntax(parser, "a declaration needs a name");
  return dimensions(parser, out);
}

bool nereid_emulator_parameter_list(emu_parser_t *parser, emu_each_t each, void *data) {
  if (!nereid_emulator_expect(parser, '('))
    return false;
  while (!nereid_emulator_accept(parser, ')')) {
    emu_declaration_t declaration;
    if (!nereid_emulator_expect(parser, '.'))
      return false;
    nereid_view_t space = nereid_emulator_word(parser, false);
    bool is_register = nereid_emulator_is(space, "reg");
    if (!nereid_emulator_is(space, "param") && !is_register)
      return nereid_emulator_syntax(parser, "parameters in .%.*s are not emulated", EMU_SHOWN(space));
    if (!nereid_emulator_declaration(parser, &declaration) || !each(parser, &declaration, is_register, data))
      return false;
    if (!nereid_emulator_accept(parser, ',') && nereid_emulator_peek(parser) != ')')
      return nereid_emulator_expect(parser, ')');
  }
  return true;
}

/* A variable's or function's address, generic(name), with an offset. */
static bool initial_address(emu_parser_t *parser, uint64_t *out) {
  nereid_view_t name = nereid_emulator_word(parser, false);
  uint32_t ignored;
  emu_number_t number = {0};
  bool generic = nereid_emulator_is(name, "generic") && nereid_emulator_accept(parser, '(');
  if (generic)
    name = nereid_emulator_word(parser, false);
  const emu_symbol_t *symbol = nereid_emulator_find(parser->scope, name, &ignored);
  size_t function = nereid_emulator_function_index(parser, name);
  if (symbol && symbol->kind == EMU_SYMBOL_ADDRESS && symbol->space == EMU_GLOBAL)
    *out = symbol->value;
  else if (!symbol && function != SIZE_MAX)
    *out = EMU_FUNCTIONS_AT + function * EMU_FUNCTION_BYTES;
  else
    return nereid_emulator_syntax(parser, "'%.*s' is not emulated as an initial value", EMU_SHOWN(name));
  if (generic && !nereid_emulator_expect(parser, ')'))
    return false;
  char sign = nereid_emulator_peek(parser);
  if (sign == '+')
    (void)nereid_emulator_accept(parser, '+');
  if ((sign == '+' || sign == '-') && !nereid_emulator_number(parser, &number))
    return false;
  *out += number.bits;
  return !number.is_float || nereid_emulator_syntax(parser, "an offset is an integer");
}

/* One value: a number, the address of a variable or function where it fits, or a byte of one, 0xff00(name). */
static bool initial_value(emu_parser_t *parser, const emu_declaration_t *declaration, uint8_t *out, uint32_t *at) {
  unsigned size = nereid_emulator_type_size(declaration->type);
  char c = nereid_emulator_peek(parser);
  emu_number_t number = {0};
  if ((c >= '0' && c <= '9') || strchr("-+(~!", c)) {
    uint64_t address = 0;
    if (!nereid_emulator_expression(parser, &number))
      return false;
    float single = (float)number.value;
    if (number.is_float && size == 8)
      memcpy(&number.bits, &number.value, 8);
    else if (number.is_float)
      memcpy(&number.bits, &single, 4);
    if (!number.is_float && number.bits && nereid_emulator_accept(parser, '(')) {
      if (!initial_address(parser, &address) || !nereid_emulator_expect(parser, ')'))
        return false;
      number.bits = (address & number.bits) >> __builtin_ctzll(number.bits);
    }
  } else {
    if (!initial_address(parser, &number.bits))
      return false;
    if (size != 8)
      return nereid_emulator_syntax(parser, "an address needs 64 bits");
  }
  if (size > 8 || *at > declaration->bytes || size > declaration->bytes - *at)
    return nereid_emulator_syntax(parser, "more values than '%.*s' holds", EMU_SHOWN(declaration->name));
  memcpy(out + *at, &number.bits, size);
  *at += size;
  return true;
}

/* 1, or { 1, 2 }, or { {1}, {2, 3} }: omitted values are 0. */
static bool initial_values(emu_parser_t *parser, const emu_declaration_t *declaration, uint8_t *out) {
  uint32_t at = 0, depth = 0, begin[EMU_MAX_DIMENSIONS + 1] = {0};
  do {
    char c = nereid_emulator_peek(parser);
    if (c == '{' && depth == EMU_MAX_DIMENSIONS)
      return nereid_emulator_syntax(parser, "initial values are nested too deep");
    if (c == '{')
      begin[++depth] = at;
    else if (c == '}' && depth && at - begin[depth] > declaration->rows[depth - 1])
      return nereid_emulator_syntax(parser, "more values than a row of '%.*s' holds", EMU_SHOWN(declaration->name));
    else if (c == '}' && depth)
      at = begin[depth] + declaration->rows[depth - 1], depth--;
    else if (c != ',' || !depth) {
      if (!initial_value(parser, declaration, out, &at))
        return false;
      continue;
    }
    parser->at++;
  } while (depth);
  return true;
}

/* name[] = { a, b, c }: the number of values determines the size. */
static void close_open(const emu_parser_t *parser, emu_declaration_t *declaration) {
  uint32_t values = 1;
  for (const char *at = parser->at; at < parser->end && *at != '}' && values < UINT32_C(1) << 20; ++at)
    values += *at == ',';
  declaration->bytes = declaration->rows[0] = values * nereid_emulator_type_size(declaration->type);
}

/* Variables have separated addresses like buffers; constants share one bank. */
static bool assign_address(nereid_emulator_program_t *program, const emu_declaration_t *declaration, bool is_const,
                           uint64_t *out_address) {
  if (!is_const) {
    *out_address = 0;
    if (!nereid_address_assign(&program->next_variable, declaration->bytes, declaration->align, out_address))
      return false;
    *out_address += EMU_VARIABLES_AT;
    return true;
  }
  *out_address = (program->next_constant + declaration->align - 1) / declaration->align * declaration->align;
  program->next_constant = *out_address + declaration->bytes + 256;
  return program->next_constant <= EMU_CONSTANTS_AT + EMU_CONSTANTS_BYTES;
}

bool nereid_emulator_global_variable(emu_parser_t *parser, bool is_const) {
  nereid_emulator_program_t *program = parser->program;
  emu_declaration_t declaration;
  if (!nereid_emulator_declaration(parser, &declaration))
    return false;
  assert(declaration.align > 0);
  if (declaration.open && nereid_emulator_peek(parser) == '=')
    close_open(parser, &declaration);
  uint64_t address;
  if (!assign_address(program, &declaration, is_const, &address))
    return nereid_emulator_syntax(parser, "more than 8 GiB of constants, or more variables than there are addresses");
  emu_variable_t variable = {
      .name = nereid_arena_copy(&program->arena, declaration.name), .address = address, .bytes = declaration.bytes};
  emu_symbol_t symbol = {.name = declaration.name,
                         .kind = EMU_SYMBOL_ADDRESS,
                         .space = EMU_GLOBAL,
                         .bytes = declaration.bytes,
                         .value = address};
  if (!nereid_emulator_define(parser, symbol))
    return false;
  if (nereid_emulator_accept(parser, '=')) {
    uint8_t *values = nereid_arena_allocate(&program->arena, declaration.bytes, 1);
    if (!values)
      return nereid_emulator_out_of_memory(parser);
    if (!initial_values(parser, &declaration, values))
      return false;
    variable.initial = values;
  }
  return (nereid_vector_push(&program->arena, &program->variables, variable) ||
          nereid_emulator_out_of_memory(parser)) &&
         nereid_emulator_expect(parser, ';');
}

/* name[] is dynamic shared memory, placed after everything static (link.c). */
bool nereid_emulator_shared_variable(emu_parser_t *parser, bool in_function) {
  nereid_emulator_program_t *program = parser->program;
  emu_declaration_t declaration;
  if (!nereid_emulator_declaration(parser, &declaration))
    return false;
  assert(declaration.align > 0);
  uint64_t at = ((uint64_t)program->shared_static + declaration.align - 1) / declaration.align * declaration.align;
  if (declaration.open ? in_function : at + declaration.bytes > 1 << 20)
    return nereid_emulator_syntax(parser, "more than 1 MiB of static shared memory, or of no size");
  if (!declaration.open)
    program->shared_static = (uint32_t)at + declaration.bytes;
  return nereid_emulator_define(parser, (emu_symbol_t){.name = declaration.name,
                                                       .kind = EMU_SYMBOL_ADDRESS,
                                                       .space = EMU_SHARED,
                                                       .bytes = declaration.bytes,
                                                       .value = declaration.open ? UINT64_MAX : at}) &&
         nereid_emulator_expect(parser, ';');
}

/* .local variables and .param variables of calls: both in the thread's local memory. */
bool nereid_emulator_local_variable(emu_parser_t *parser, bool is_variable) {
  nereid_emulator_program_t *program = parser->program;
  emu_declaration_t declaration;
  if (!nereid_emulator_declaration(parser, &declaration))
    return false;
  assert(declaration.align > 0);
  uint64_t offset = ((uint64_t)program->local_bytes + declaration.align - 1) / declaration.align * declaration.align;
  if (declaration.open || offset + declaration.bytes > 1 << 24)
    return nereid_emulator_syntax(parser, "more than 16 MiB of local memory, or of no size");
  program->local_bytes = (uint32_t)offset + declaration.bytes;
  const emu_local_t local = {(uint32_t)offset, declaration.bytes};
  if (is_variable && !nereid_vector_push(&program->arena, &program->locals, local))
    return nereid_emulator_out_of_memory(parser);
  return nereid_emulator_define(parser, (emu_symbol_t){.name = declaration.name,
                                                       .kind = EMU_SYMBOL_ADDRESS,
                                                       .space = EMU_LOCAL,
                                                       .bytes = declaration.bytes,
                                                       .value = offset}) &&
         nereid_emulator_expect(parser, ';');
}
