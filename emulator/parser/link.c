/* Resolves references after the whole text has been parsed.
 *
 *   call f            to f's entry; the maximum call depth is computed; recursion is an error
 *   .extern .shared   dynamic shared memory starts after all static shared memory */
#include "emulator/parser/parse.h"

/* Rejects recursion, since a function has one frame; computes the maximum call depth below `from`. */
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
  if (program->calls_addresses) /* indirect calls may reach any function; each counts once */
    program->call_depth = (uint32_t)program->functions.size;
  return true;
}

/* Dynamic shared memory starts after the static part, 1024-aligned. */
static void fix_dynamic(emu_parser_t *parser) {
  const uint64_t begin = ((uint64_t)parser->program->shared_static + 1023) / 1024 * 1024;
  for (size_t i = 0; i < parser->dynamic.size; ++i) {
    const struct emu_dynamic *it = &parser->dynamic.data[i];
    uint64_t base = begin + it->addend;
    for (unsigned lane = 0; lane < EMU_LANES; ++lane)
      memcpy(parser->program->constants + it->offset + lane * it->size, &base, it->size);
  }
}

bool nereid_emulator_link(emu_parser_t *parser) {
  fix_dynamic(parser);
  return check_calls(parser);
}
