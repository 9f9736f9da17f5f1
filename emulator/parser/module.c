/* Parses module-level directives, then links the program. */
#include "base/kernel/address.h"
#include "emulator/parser/parse.h"

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

/* Parses .alias from, to: adds a function that forwards its parameters and results to another one. */
static bool alias(emu_parser_t *parser) {
  size_t indices[2];
  for (int i = 0; i < 2; ++i) {
    nereid_view_t name = nereid_emulator_word(parser, false);
    indices[i] = nereid_emulator_function_index(parser, name);
    if (indices[i] == SIZE_MAX)
      return nereid_emulator_syntax(parser, "no function '%.*s'", EMU_SHOWN(name));
    if (i == 0 && !nereid_emulator_expect(parser, ','))
      return false;
  }
  nereid_emulator_kernel_t *from = parser->program->functions.data[indices[0]];
  nereid_emulator_kernel_t *to = parser->program->functions.data[indices[1]];
  bool fits = from->n_results == to->n_results && from->formals.size == to->formals.size && !from->defined &&
              !from->is_entry && !to->is_entry && from != to;
  if (!fits)
    return nereid_emulator_syntax(parser, "'%s' cannot be another name of '%s'", from->name_text, to->name_text);
  from->defined = true;
  parser->function = from;
  parser->formals.size = parser->registers.size = parser->fixups.size = 0;
  from->entry = (uint32_t)parser->program->insns.size;
  emu_operand_t none = {.absent = 1};
  return nereid_emulator_forward(parser, from, to) && nereid_emulator_instruction(parser, nereid_view("ret"), &none) &&
         nereid_emulator_place_registers(parser) && nereid_emulator_expect(parser, ';');
}

static bool file_directive(emu_parser_t *parser) {
  uint32_t number, line = parser->line;
  nereid_view_t name;
  nereid_emulator_program_t *program = parser->program;
  if (!nereid_emulator_unsigned(parser, 1 << 16, &number) || !nereid_emulator_string(parser, &name))
    return false;
  while (program->files.size <= number)
    if (!nereid_vector_push(&program->arena, &program->files, NULL))
      return nereid_emulator_out_of_memory(parser);
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
    return alias(parser);
  if (nereid_emulator_is(word, "global") || nereid_emulator_is(word, "const"))
    return nereid_emulator_global_variable(parser, word.data[0] == 'c');
  if (nereid_emulator_is(word, "shared"))
    return nereid_emulator_shared_variable(parser, false);
  if (nereid_emulator_is(word, "entry") || nereid_emulator_is(word, "func"))
    return nereid_emulator_function(parser, word.data[0] == 'e');
  return nereid_emulator_syntax(parser, "the directive '.%.*s' is not emulated", EMU_SHOWN(word));
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
  return nereid_emulator_link(parser) && nereid_emulator_name_places(parser) && nereid_emulator_place_frames(parser);
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
  program->next_variable = NEREID_ADDRESS_START;
  program->next_constant = EMU_CONSTANTS_AT;
  nereid_arena_initialize(&parser.scratch);
  bool good = copy && program->name && module(&parser);
  if (!good && !parser.status)
    (void)nereid_emulator_out_of_memory(&parser);
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
