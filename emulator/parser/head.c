/* Parses function heads: name, parameters and performance directives.
 *
 *   .visible .entry k(.param .u64 p) .reqntid 128 {    an entry's parameters get offsets in the parameter block
 *   .func (.param .b32 r) f(.param .b32 a) {           a .func's are in the thread's local memory: calls copy them */
#include "emulator/parser/parse.h"

static nereid_emulator_kernel_t *function_named(emu_parser_t *parser, nereid_view_t name) {
  nereid_emulator_program_t *program = parser->program;
  size_t index = nereid_emulator_function_index(parser, name);
  if (index != SIZE_MAX)
    return program->functions.data[index];
  nereid_emulator_kernel_t *function = nereid_arena_new(&program->arena, nereid_emulator_kernel_t, 1);
  if (!function || !nereid_vector_push(&program->arena, &program->functions, function)) {
    (void)nereid_emulator_out_of_memory(parser);
    return NULL;
  }
  function->program = program;
  function->name_text = nereid_arena_copy(&program->arena, name);
  function->name = nereid_view(function->name_text);
  function->line = parser->line;
  return function;
}

static bool entry_parameter(emu_parser_t *parser, nereid_emulator_kernel_t *function,
                            const emu_declaration_t *declaration) {
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
          nereid_emulator_out_of_memory(parser)) &&
         nereid_emulator_define(parser, symbol);
}

/* Adds a .func parameter in local memory. A prototype and its definition share the slots. */
static bool formal(emu_parser_t *parser, nereid_emulator_kernel_t *function, const emu_declaration_t *declaration,
                   size_t index, bool is_register, bool result) {
  nereid_emulator_program_t *program = parser->program;
  if (index >= function->formals.size) {
    uint32_t offset = (program->local_bytes + declaration->align - 1) / declaration->align * declaration->align;
    nereid_emulator_parameter_t place = {.offset = offset, .size = declaration->bytes};
    program->local_bytes = offset + declaration->bytes;
    if (program->local_bytes > 1 << 24)
      return nereid_emulator_syntax(parser, "more than 16 MiB of local memory");
    if (!nereid_vector_push(&program->arena, &function->formals, place))
      return nereid_emulator_out_of_memory(parser);
  } else if (function->formals.data[index].size != declaration->bytes) {
    return nereid_emulator_syntax(parser, "'%s' was declared with other parameters", function->name_text);
  }
  if (is_register) {
    struct emu_formal formal = {declaration->name, function->formals.data[index].offset, result};
    if (declaration->bytes != declaration->element || declaration->bytes > 16)
      return nereid_emulator_syntax(parser, "a register of %u bytes", declaration->bytes);
    return (nereid_vector_push(&parser->scratch, &parser->formals, formal) || nereid_emulator_out_of_memory(parser)) &&
           nereid_emulator_register_formal(parser, declaration);
  }
  return nereid_emulator_define(parser, (emu_symbol_t){.name = declaration->name,
                                                       .kind = EMU_SYMBOL_ADDRESS,
                                                       .space = EMU_LOCAL,
                                                       .bytes = declaration->bytes,
                                                       .value = function->formals.data[index].offset});
}

typedef struct heading {
  nereid_emulator_kernel_t *function;
  size_t n; /* parameters so far, results first */
  bool results;
} heading_t;

static bool parameter(emu_parser_t *parser, const emu_declaration_t *declaration, bool is_register, void *data) {
  heading_t *heading = data;
  size_t index = heading->n++;
  if (!heading->function->is_entry)
    return formal(parser, heading->function, declaration, index, is_register, heading->results);
  if (is_register)
    return nereid_emulator_syntax(parser, "a kernel's parameters are in .param");
  return entry_parameter(parser, heading->function, declaration);
}

/* Parses the directives between the parameters and the body. */
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
    bool limit = nereid_emulator_is(word, "maxntid");
    bool registers = nereid_emulator_is(word, "maxnreg");
    bool required = nereid_emulator_is(word, "reqntid"), cluster = nereid_emulator_is(word, "reqnctapercluster");
    if (!required && !cluster && !limit && !nereid_emulator_is(word, "maxclusterrank") &&
        !nereid_emulator_is(word, "minnctapersm") && !nereid_emulator_is(word, "maxnctapersm") && !registers)
      return nereid_emulator_syntax(parser, "'.%.*s' is not emulated", EMU_SHOWN(word));
    for (int i = 0; i < 3 && (i == 0 || nereid_emulator_accept(parser, ',')); ++i)
      if (!nereid_emulator_unsigned(parser, 65535, &numbers[i]))
        return false;
    if (required)
      memcpy(function->block, numbers, sizeof numbers);
    if (limit)
      function->max_threads = (uint64_t)numbers[0] * numbers[1] * numbers[2];
    if (registers)
      function->registers = numbers[0];
    if (cluster)
      memcpy(function->cluster, numbers, sizeof numbers);
  }
  return true;
}

/* Starts a function at its head. Its results may precede its name; they are parsed after the name is known. Null
 * after an error. */
static nereid_emulator_kernel_t *begin(emu_parser_t *parser, bool is_entry) {
  if (!is_entry && nereid_emulator_accept(parser, '(')) {
    while (nereid_emulator_peek(parser) && nereid_emulator_peek(parser) != ')')
      parser->at++;
    if (!nereid_emulator_expect(parser, ')'))
      return NULL;
  }
  nereid_view_t name = nereid_emulator_word(parser, false);
  nereid_emulator_kernel_t *it = name.size ? function_named(parser, name) : NULL;
  if (!name.size)
    (void)nereid_emulator_syntax(parser, "a function needs a name");
  if (!it)
    return NULL;
  if (it->defined) {
    (void)nereid_emulator_syntax(parser, "'%s' is defined twice", it->name_text);
    return NULL;
  }
  it->is_entry = is_entry;
  it->parameters.size = 0;
  it->parameter_bytes = 0;
  parser->formals.size = 0;
  return it;
}

/* Parses a list of parameters, if present. */
static bool parameters(emu_parser_t *parser, heading_t *heading) {
  return nereid_emulator_peek(parser) != '(' || nereid_emulator_parameter_list(parser, parameter, heading);
}

bool nereid_emulator_function(emu_parser_t *parser, bool is_entry) {
  emu_scope_t scope = {.parent = parser->scope}, *outer = parser->scope;
  const emu_mark_t start = emu_mark(parser);
  nereid_emulator_kernel_t *it = begin(parser, is_entry);
  if (!it)
    return false;
  const emu_mark_t after = emu_mark(parser);
  heading_t heading = {.function = it, .results = true};
  parser->scope = &scope;
  emu_return_to(parser, start);
  bool good = is_entry || parameters(parser, &heading);
  it->n_results = (uint32_t)heading.n;
  heading.results = false;
  emu_return_to(parser, after);
  good = good && parameters(parser, &heading) && performance_directives(parser, it);
  if (good && !nereid_emulator_accept(parser, ';')) {
    parser->function = it;
    it->defined = true;
    good = nereid_emulator_expect(parser, '{') && nereid_emulator_body(parser);
  }
  parser->scope = outer;
  return good;
}
