/* The module level of PTX: directives, variables, the heads of functions.
 *
 * Variables of the module get addresses while they are read, so that operands that name them become constants; kernels'
 * parameters get offsets in the parameter block, a .func's lie in the thread's local memory, where calls copy them. */
#include "emulator/parser/parse.h"

#include <assert.h>
#include <stdlib.h>

static bool skip_braces(emu_parser_t *parser) {
  unsigned depth = 0;
  do {
    char c = nereid_emulator_peek(parser);
    if (!c)
      return nereid_emulator_syntax(parser, "'{' without its '}'");
    depth += c == '{';
    depth -= c == '}';
    parser->at++;
  } while (depth);
  return true;
}

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
      return nereid_emulator_syntax(parser, "'%.*s' is larger than 1 GiB", (int)out->name.size, out->name.data);
  }
  out->bytes = (uint32_t)(count * out->element);
  out->rows[0] = out->bytes; /* of braces by their depth: the whole, a row, ..., an element that is a vector */
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
      return nereid_emulator_syntax(parser, "'.%.*s' is not emulated in a declaration", (int)word.size, word.data);
  }
  if (!nereid_emulator_type_size(out->type))
    return nereid_emulator_syntax(parser, "a declaration needs a type");
  out->element = nereid_emulator_type_size(out->type) * vector;
  if (!out->align)
    out->align = out->element;
  if (out->align & (out->align - 1))
    return nereid_emulator_syntax(parser, "the alignment %u is no power of two", out->align);
  out->name = nereid_emulator_word(parser, false);
  if (!out->name.size)
    return nereid_emulator_syntax(parser, "a declaration needs a name");
  return dimensions(parser, out);
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
    return nereid_emulator_syntax(parser, "'%.*s' is not emulated as an initial value",
                                  (int)(name.size < 80 ? name.size : 80), name.data);
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
    return nereid_emulator_syntax(parser, "more values than '%.*s' holds", (int)declaration->name.size,
                                  declaration->name.data);
  memcpy(out + *at, &number.bits, size);
  *at += size;
  return true;
}

/* 1, or { 1, 2 }, or { {1}, {2, 3} }: what a row leaves out is 0. */
static bool initial_values(emu_parser_t *parser, const emu_declaration_t *declaration, uint8_t *out) {
  uint32_t at = 0, depth = 0, begin[EMU_MAX_DIMENSIONS + 1] = {0};
  do {
    char c = nereid_emulator_peek(parser);
    if (c == '{' && depth == EMU_MAX_DIMENSIONS)
      return nereid_emulator_syntax(parser, "initial values are nested too deep");
    if (c == '{')
      begin[++depth] = at;
    else if (c == '}' && depth && at - begin[depth] > declaration->rows[depth - 1])
      return nereid_emulator_syntax(parser, "more values than a row of '%.*s' holds", (int)declaration->name.size,
                                    declaration->name.data);
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

/* name[] = { a, b, c }: as large as its values are many. */
static void close_open(const emu_parser_t *parser, emu_declaration_t *declaration) {
  uint32_t values = 1;
  for (const char *at = parser->at; at < parser->end && *at != '}' && values < UINT32_C(1) << 20; ++at)
    values += *at == ',';
  declaration->bytes = declaration->rows[0] = values * nereid_emulator_type_size(declaration->type);
}

static bool module_variable(emu_parser_t *parser, emu_declaration_t *declaration, bool is_const) {
  assert(declaration->align > 0);
  nereid_emulator_program_t *program = parser->program;
  if (declaration->open && nereid_emulator_peek(parser) == '=')
    close_open(parser, declaration);
  uint64_t *next = is_const ? &program->next_constant : &program->next_variable;
  uint64_t address = (*next + declaration->align - 1) / declaration->align * declaration->align;
  emu_variable_t variable = {
      .name = nereid_arena_copy(&program->arena, declaration->name), .address = address, .bytes = declaration->bytes};
  emu_symbol_t symbol = {.name = declaration->name,
                         .kind = EMU_SYMBOL_ADDRESS,
                         .space = EMU_GLOBAL,
                         .bytes = declaration->bytes,
                         .value = address};
  *next = address + declaration->bytes + 256;
  if (is_const && *next > EMU_VARIABLES_AT)
    return nereid_emulator_syntax(parser, "more than 8 GiB of constants");
  if (!nereid_emulator_define(parser, symbol))
    return false;
  if (nereid_emulator_accept(parser, '=')) {
    uint8_t *values = nereid_arena_allocate(&program->arena, declaration->bytes, 1);
    if (!values)
      return nereid_emulator_memory_out(parser);
    if (!initial_values(parser, declaration, values))
      return false;
    variable.initial = values;
  }
  return nereid_vector_push(&program->arena, &program->variables, variable) || nereid_emulator_memory_out(parser);
}

static bool variable(emu_parser_t *parser, emu_space_t space, bool is_const) {
  emu_declaration_t declaration;
  if (!nereid_emulator_declaration(parser, &declaration))
    return false;
  if (space == EMU_GLOBAL)
    return module_variable(parser, &declaration, is_const) && nereid_emulator_expect(parser, ';');
  emu_symbol_t symbol = {
      .name = declaration.name, .kind = EMU_SYMBOL_ADDRESS, .space = EMU_SHARED, .bytes = declaration.bytes};
  nereid_emulator_program_t *program = parser->program;
  assert(declaration.align > 0);
  if (declaration.open) { /* the dynamic part: behind everything static, fix_dynamic */
    symbol.value = UINT64_MAX;
  } else {
    symbol.value = (program->shared_static + declaration.align - 1) / declaration.align * declaration.align;
    program->shared_static = (uint32_t)symbol.value + declaration.bytes;
  }
  if (program->shared_static > 1 << 20)
    return nereid_emulator_syntax(parser, "more than 1 MiB of static shared memory");
  return nereid_emulator_define(parser, symbol) && nereid_emulator_expect(parser, ';');
}

size_t nereid_emulator_function_index(const emu_parser_t *parser, nereid_view_t name) {
  for (size_t i = 0; i < parser->program->functions.size; ++i)
    if (nereid_view_equal(parser->program->functions.data[i]->name, name))
      return i;
  return SIZE_MAX;
}

static nereid_emulator_kernel_t *function_named(emu_parser_t *parser, nereid_view_t name) {
  nereid_emulator_program_t *program = parser->program;
  size_t index = nereid_emulator_function_index(parser, name);
  if (index != SIZE_MAX)
    return program->functions.data[index];
  nereid_emulator_kernel_t *function = nereid_arena_new(&program->arena, nereid_emulator_kernel_t, 1);
  if (!function || !nereid_vector_push(&program->arena, &program->functions, function)) {
    (void)nereid_emulator_memory_out(parser);
    return NULL;
  }
  function->program = program;
  function->name_text = nereid_arena_copy(&program->arena, name);
  function->name = nereid_view(function->name_text);
  function->line = parser->line;
  return function;
}

static bool entry_parameter(emu_parser_t *parser, nereid_emulator_kernel_t *function, emu_declaration_t *declaration) {
  uint32_t offset = (function->parameter_bytes + declaration->align - 1) / declaration->align * declaration->align;
  nereid_emulator_parameter_t parameter = {.name = nereid_arena_copy(&parser->program->arena, declaration->name),
                                           .offset = offset,
                                           .size = declaration->bytes};
  function->parameter_bytes = offset + declaration->bytes;
  emu_symbol_t symbol = {.name = declaration->name,
                         .kind = EMU_SYMBOL_ADDRESS,
                         .space = EMU_PARAM,
                         .bytes = declaration->bytes,
                         .value = offset};
  if (function->parameter_bytes > 1 << 15)
    return nereid_emulator_syntax(parser, "more than 32 KiB of parameters");
  return (nereid_vector_push(&parser->program->arena, &function->parameters, parameter) ||
          nereid_emulator_memory_out(parser)) &&
         nereid_emulator_define(parser, symbol);
}

/* A .func's parameter, in local memory. A prototype and its definition share the places. */
static bool formal(emu_parser_t *parser, nereid_emulator_kernel_t *function, emu_declaration_t *declaration,
                   size_t index, bool is_register, bool result) {
  nereid_emulator_program_t *program = parser->program;
  if (index >= function->formals.size) {
    uint32_t offset = (program->local_bytes + declaration->align - 1) / declaration->align * declaration->align;
    nereid_emulator_parameter_t place = {.offset = offset, .size = declaration->bytes};
    program->local_bytes = offset + declaration->bytes;
    if (program->local_bytes > 1 << 24)
      return nereid_emulator_syntax(parser, "more than 16 MiB of local memory");
    if (!nereid_vector_push(&program->arena, &function->formals, place))
      return nereid_emulator_memory_out(parser);
  } else if (function->formals.data[index].size != declaration->bytes) {
    return nereid_emulator_syntax(parser, "'%s' was declared with other parameters", function->name_text);
  }
  if (is_register) {
    struct emu_formal formal = {declaration->name, function->formals.data[index].offset, result};
    if (declaration->bytes != declaration->element || declaration->bytes > 16)
      return nereid_emulator_syntax(parser, "a register of %u bytes", declaration->bytes);
    return (nereid_vector_push(&parser->scratch, &parser->formals, formal) || nereid_emulator_memory_out(parser)) &&
           nereid_emulator_register_formal(parser, declaration);
  }
  return nereid_emulator_define(parser, (emu_symbol_t){.name = declaration->name,
                                                       .kind = EMU_SYMBOL_ADDRESS,
                                                       .space = EMU_LOCAL,
                                                       .bytes = declaration->bytes,
                                                       .value = function->formals.data[index].offset});
}

/* ( .param .b64 a, .param .b32 b ) */
static bool parameters(emu_parser_t *parser, nereid_emulator_kernel_t *function, size_t *index, bool results) {
  if (!nereid_emulator_expect(parser, '('))
    return false;
  while (!nereid_emulator_accept(parser, ')')) {
    emu_declaration_t declaration;
    if (!nereid_emulator_expect(parser, '.'))
      return false;
    nereid_view_t space = nereid_emulator_word(parser, false);
    bool is_register = nereid_emulator_is(space, "reg") && !function->is_entry;
    if (!nereid_emulator_is(space, "param") && !is_register)
      return nereid_emulator_syntax(parser, "parameters in .%.*s are not emulated", (int)space.size, space.data);
    if (!nereid_emulator_declaration(parser, &declaration))
      return false;
    if (!(function->is_entry ? entry_parameter(parser, function, &declaration)
                             : formal(parser, function, &declaration, *index, is_register, results)))
      return false;
    ++*index;
    if (!nereid_emulator_accept(parser, ',') && nereid_emulator_peek(parser) != ')')
      return nereid_emulator_expect(parser, ')');
  }
  return true;
}

/* What stands between the parameters and the body. */
static bool performance_directives(emu_parser_t *parser, nereid_emulator_kernel_t *function) {
  while (nereid_emulator_accept(parser, '.')) {
    nereid_view_t word = nereid_emulator_word(parser, false), text;
    uint32_t numbers[3] = {1, 1, 1};
    if (nereid_emulator_is(word, "noreturn"))
      continue;
    if (nereid_emulator_is(word, "pragma")) {
      if (!nereid_emulator_string(parser, &text) || !nereid_emulator_expect(parser, ';'))
        return false;
      continue;
    }
    if (nereid_emulator_is(word, "explicitcluster"))
      continue;
    bool required = nereid_emulator_is(word, "reqntid"), cluster = nereid_emulator_is(word, "reqnctapercluster");
    if (!required && !cluster && !nereid_emulator_is(word, "maxclusterrank") && !nereid_emulator_is(word, "maxntid") &&
        !nereid_emulator_is(word, "minnctapersm") && !nereid_emulator_is(word, "maxnctapersm") &&
        !nereid_emulator_is(word, "maxnreg"))
      return nereid_emulator_syntax(parser, "'.%.*s' is not emulated", (int)word.size, word.data);
    for (int i = 0; i < 3 && (i == 0 || nereid_emulator_accept(parser, ',')); ++i)
      if (!nereid_emulator_unsigned(parser, 65535, &numbers[i]))
        return false;
    if (required)
      memcpy(function->block, numbers, sizeof numbers);
    if (cluster)
      memcpy(function->cluster, numbers, sizeof numbers);
  }
  return true;
}

static bool function(emu_parser_t *parser, bool is_entry) {
  const char *start = parser->at;
  emu_scope_t scope = {.parent = parser->scope}, *outer = parser->scope;
  size_t index = 0;
  /* The results stand before the name: read them when it is known. */
  uint32_t line = parser->line;
  if (!is_entry && nereid_emulator_peek(parser) == '(') {
    while (nereid_emulator_peek(parser) && nereid_emulator_peek(parser) != ')')
      parser->at++;
    if (!nereid_emulator_expect(parser, ')'))
      return false;
  }
  nereid_view_t name = nereid_emulator_word(parser, false);
  const char *behind = parser->at;
  uint32_t behind_line = parser->line;
  if (!name.size)
    return nereid_emulator_syntax(parser, "a function needs a name");
  nereid_emulator_kernel_t *it = function_named(parser, name);
  if (!it)
    return false;
  if (it->defined)
    return nereid_emulator_syntax(parser, "'%s' is defined twice", it->name_text);
  it->is_entry = is_entry;
  it->parameters.size = 0;
  parser->formals.size = 0;
  it->parameter_bytes = 0;
  parser->scope = &scope;
  parser->at = start;
  parser->line = line;
  bool good = is_entry || nereid_emulator_peek(parser) != '(' || parameters(parser, it, &index, true);
  it->n_results = (uint32_t)index;
  parser->at = behind;
  parser->line = behind_line;
  if (good && nereid_emulator_peek(parser) == '(')
    good = parameters(parser, it, &index, false);
  good = good && performance_directives(parser, it);
  if (good && !nereid_emulator_accept(parser, ';')) {
    parser->function = it;
    it->defined = true;
    good = nereid_emulator_expect(parser, '{') && nereid_emulator_body(parser);
  }
  parser->scope = outer;
  return good;
}

static bool file_directive(emu_parser_t *parser) {
  uint32_t number, line = parser->line;
  nereid_view_t name;
  nereid_emulator_program_t *program = parser->program;
  if (!nereid_emulator_unsigned(parser, 1 << 16, &number) || !nereid_emulator_string(parser, &name))
    return false;
  while (program->files.size <= number)
    if (!nereid_vector_push(&program->arena, &program->files, NULL))
      return nereid_emulator_memory_out(parser);
  program->files.data[number] = nereid_arena_copy(&program->arena, name);
  if (parser->line == line)
    nereid_emulator_skip_line(parser);
  return true;
}

static bool directive(emu_parser_t *parser, nereid_view_t word) {
  nereid_view_t text;
  if (nereid_emulator_is(word, "version") || nereid_emulator_is(word, "target") ||
      nereid_emulator_is(word, "address_size")) {
    nereid_emulator_skip_line(parser);
    return true;
  }
  if (nereid_emulator_is(word, "visible") || nereid_emulator_is(word, "extern") || nereid_emulator_is(word, "weak") ||
      nereid_emulator_is(word, "common"))
    return true;
  if (nereid_emulator_is(word, "file"))
    return file_directive(parser);
  if (nereid_emulator_is(word, "section")) {
    while (nereid_emulator_peek(parser) && nereid_emulator_peek(parser) != '{')
      parser->at++;
    return skip_braces(parser);
  }
  if (nereid_emulator_is(word, "pragma"))
    return nereid_emulator_string(parser, &text) && nereid_emulator_expect(parser, ';');
  if (nereid_emulator_is(word, "alias"))
    return nereid_emulator_alias(parser);
  if (nereid_emulator_is(word, "global") || nereid_emulator_is(word, "const"))
    return variable(parser, EMU_GLOBAL, word.data[0] == 'c');
  if (nereid_emulator_is(word, "shared"))
    return variable(parser, EMU_SHARED, false);
  if (nereid_emulator_is(word, "entry") || nereid_emulator_is(word, "func"))
    return function(parser, word.data[0] == 'e');
  return nereid_emulator_syntax(parser, "the directive '.%.*s' is not emulated", (int)word.size, word.data);
}

/* Functions have one frame each, so none may be active twice; counts how many can be active at once below `from`. */
static bool reaches(emu_parser_t *parser, nereid_emulator_kernel_t *from) {
  from->visit = 1;
  for (size_t i = 0; i < parser->calls.size; ++i) {
    struct emu_call *call = &parser->calls.data[i];
    if (call->from != from)
      continue;
    parser->line = call->line;
    if (call->to->visit == 1)
      return nereid_emulator_syntax(parser, "recursive calls are not emulated: '%s'", call->to->name_text);
    if (!call->to->visit && !reaches(parser, call->to))
      return false;
    if (from->nested <= call->to->nested)
      from->nested = call->to->nested + 1;
  }
  from->visit = 2;
  return true;
}

static bool check_calls(emu_parser_t *parser) {
  nereid_emulator_program_t *program = parser->program;
  if (parser->calls.size > 4096)
    return nereid_emulator_syntax(parser, "more than 4096 calls");
  for (size_t i = 0; i < parser->calls.size; ++i) {
    struct emu_call *call = &parser->calls.data[i];
    parser->line = call->line;
    if (!call->to->defined)
      return nereid_emulator_syntax(parser, "the function '%s' has no body here", call->to->name_text);
    program->insns.data[call->insn].target = call->to->entry;
  }
  for (size_t i = 0; i < program->functions.size; ++i) {
    nereid_emulator_kernel_t *function = program->functions.data[i];
    if (!function->is_entry)
      continue;
    if (!function->visit && !reaches(parser, function))
      return false;
    if (program->call_depth < function->nested)
      program->call_depth = function->nested;
  }
  if (program->calls_addresses) /* to any function, each once */
    program->call_depth = (uint32_t)program->functions.size;
  return true;
}

/* The dynamic shared memory begins behind the static one, 1024-aligned. */
static void fix_dynamic(emu_parser_t *parser) {
  const uint64_t begin = ((uint64_t)parser->program->shared_static + 1023) / 1024 * 1024;
  for (size_t i = 0; i < parser->dynamic.size; ++i) {
    const struct emu_dynamic *it = &parser->dynamic.data[i];
    uint64_t base = begin + it->addend;
    for (unsigned lane = 0; lane < EMU_LANES; ++lane)
      memcpy(parser->program->constants + it->offset + lane * it->size, &base, it->size);
  }
}

static bool module(emu_parser_t *parser) {
  while (nereid_emulator_peek(parser)) {
    if (nereid_emulator_accept(parser, ';'))
      continue;
    if (!nereid_emulator_accept(parser, '.'))
      return nereid_emulator_syntax(parser, "expected a directive, found '%.*s'",
                                    (int)(parser->end - parser->at < 20 ? parser->end - parser->at : 20), parser->at);
    if (!directive(parser, nereid_emulator_word(parser, false)))
      return false;
  }
  if (parser->at < parser->end)
    return nereid_emulator_syntax(parser, "a NUL in the text");
  fix_dynamic(parser);
  return check_calls(parser) && nereid_emulator_name_places(parser) && nereid_emulator_place_frames(parser);
}

nereid_status_t nereid_emulator_load(nereid_view_t text, const char *name, nereid_emulator_program_t **out_program,
                                     nereid_message_t *message) {
  nereid_emulator_program_t *program = calloc(1, sizeof *program);
  emu_scope_t scope = {0};
  if (!program)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  nereid_arena_initialize(&program->arena);
  program->name = nereid_arena_copy(&program->arena, nereid_view(name ? name : "<ptx>"));
  const char *copy = nereid_arena_copy(&program->arena, text);
  emu_parser_t parser = {.program = program,
                         .message = message,
                         .at = copy,
                         .end = copy ? copy + text.size : NULL,
                         .line = 1,
                         .scope = &scope};
  program->text = nereid_view_of(copy, text.size);
  program->next_variable = EMU_VARIABLES_AT;
  program->next_constant = EMU_CONSTANTS_AT;
  nereid_arena_initialize(&parser.scratch);
  bool good = copy && program->name && module(&parser);
  if (!good && !parser.status)
    (void)nereid_emulator_memory_out(&parser);
  nereid_arena_deinitialize(&parser.scratch);
  if (!good) {
    nereid_emulator_unload(program);
    return parser.status;
  }
  *out_program = program;
  return NEREID_OK;
}

void nereid_emulator_unload(nereid_emulator_program_t *program) {
  if (!program)
    return;
  free(program->constants);
  nereid_arena_deinitialize(&program->arena);
  free(program);
}
