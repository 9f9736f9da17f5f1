/* Source locations: .loc directives, and call sites of inlined code.
 *
 *   .loc 1 20 5
 *   .loc 2 7 3, function_name $L__inlined0, inlined_at 1 20 5     place "lib.py:7, called at k.py:20"
 *
 * A call site is the latest .loc with the same numbers (PTX ISA, ".loc"). LLVM prints file names last, so the texts
 * are formatted after parsing. */
#include "emulator/parser/parse.h"

static bool read_numbers(emu_parser_t *parser, emu_place_t *place) {
  return nereid_emulator_unsigned(parser, UINT16_MAX, &place->file) &&
         nereid_emulator_unsigned(parser, INT32_MAX, &place->line) &&
         nereid_emulator_unsigned(parser, INT32_MAX, &place->column);
}

/* Index 0 means no location. */
static bool push(emu_parser_t *parser, emu_place_t place) {
  nereid_emulator_program_t *program = parser->program;
  if (!program->places.size && !nereid_vector_push(&program->arena, &program->places, (emu_place_t){0}))
    return nereid_emulator_out_of_memory(parser);
  return nereid_vector_push(&program->arena, &program->places, place) || nereid_emulator_out_of_memory(parser);
}

/* Returns the latest location with the numbers of `place`; adds one if no .loc has them. */
static bool find_caller(emu_parser_t *parser, const emu_place_t *place, uint32_t *out) {
  const nereid_emulator_program_t *program = parser->program;
  for (size_t i = program->places.size; i > 1; --i) {
    const emu_place_t *it = &program->places.data[i - 1];
    *out = (uint32_t)(i - 1);
    if (it->file == place->file && it->line == place->line && it->column == place->column)
      return true;
  }
  if (!push(parser, *place))
    return false;
  *out = (uint32_t)program->places.size - 1;
  return true;
}

/* function_name label {+ offset}, inlined_at file line column */
static bool read_caller(emu_parser_t *parser, uint32_t *out) {
  emu_place_t caller = {0};
  uint32_t offset;
  if (!nereid_emulator_is(nereid_emulator_word(parser, false), "function_name"))
    return nereid_emulator_syntax(parser, "expected function_name after .loc and a comma");
  (void)nereid_emulator_word(parser, false);
  if (nereid_emulator_accept(parser, '+') && !nereid_emulator_unsigned(parser, INT32_MAX, &offset))
    return false;
  if (!nereid_emulator_expect(parser, ',') || !nereid_emulator_is(nereid_emulator_word(parser, false), "inlined_at"))
    return nereid_emulator_syntax(parser, "expected inlined_at after function_name");
  return read_numbers(parser, &caller) && find_caller(parser, &caller, out);
}

bool nereid_emulator_location(emu_parser_t *parser) {
  emu_place_t place = {0};
  if (!read_numbers(parser, &place) || (nereid_emulator_accept(parser, ',') && !read_caller(parser, &place.caller)) ||
      !push(parser, place))
    return false;
  parser->place = place.line ? (uint32_t)parser->program->places.size - 1 : 0;
  return true;
}

bool nereid_emulator_name_places(emu_parser_t *parser) {
  nereid_emulator_program_t *program = parser->program;
  for (size_t i = 1; i < program->places.size; ++i) {
    emu_place_t *place = &program->places.data[i], *caller = &program->places.data[place->caller];
    const char *file = place->file < program->files.size ? program->files.data[place->file] : NULL;
    if (!file)
      continue;
    place->text = place->caller && caller->text
                      ? nereid_arena_format(&program->arena, "%s:%u, called at %s", file, place->line, caller->text)
                      : nereid_arena_format(&program->arena, "%s:%u", file, place->line);
    if (!place->text)
      return nereid_emulator_out_of_memory(parser);
  }
  return true;
}
