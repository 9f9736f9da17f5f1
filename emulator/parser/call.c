/* Parses calls (PTX ISA, call, .callprototype, .calltargets). instructions/control/call.c executes them.
 *
 *   call (%r2), f, (a, 5);   ->   5 to a slot in local memory       for each argument that is not a .param variable
 *                                 call: {a, f's first}, {slot, f's second}; then to f's entry
 *                                 results: {f's result, slot}; then the slot to %r2
 *
 * An indirect call checks at run time that the callee's parameters match the prototype. */
#include "emulator/instructions/control/call.h"
#include "emulator/parser/parse.h"

typedef struct place { /* storage of an argument or result: local memory, or a register copied through it */
  uint32_t offset, bytes;
  bool through;
  emu_operand_t operand;
} place_t;

typedef struct call {
  emu_insn_t *insn;
  place_t *results, *arguments;
  uint32_t n_results, n_arguments;
} call_t;

static bool hidden(emu_parser_t *parser, uint32_t bytes, uint32_t *out_offset) {
  nereid_emulator_program_t *program = parser->program;
  *out_offset = (program->local_bytes + 7) / 8 * 8;
  program->local_bytes = *out_offset + bytes;
  return program->local_bytes <= 1 << 24 || nereid_emulator_syntax(parser, "more than 16 MiB of local memory");
}

/* Reads an argument or result of `bytes` bytes; 0: unknown. */
static bool read_place(emu_parser_t *parser, const emu_insn_t *insn, uint32_t bytes, bool result, place_t *out) {
  const emu_mark_t start = emu_mark(parser);
  uint32_t ignored;
  nereid_view_t name = nereid_emulator_word(parser, true);
  const emu_symbol_t *symbol = nereid_emulator_find(parser->scope, name, &ignored);
  if (symbol && symbol->kind == EMU_SYMBOL_ADDRESS && symbol->space == EMU_LOCAL) {
    *out = (place_t){.offset = (uint32_t)symbol->value, .bytes = symbol->bytes};
    return true;
  }
  emu_return_to(parser, start);
  static const char *const widths[9] = {[0] = "s*", [1] = "sb", [2] = "sh", [4] = "sw", [8] = "sl"};
  emu_form_t form = {.operands = result ? "d*" : bytes <= 8 && widths[bytes] ? widths[bytes] : "s*"};
  emu_insn_t probe = *insn;
  probe.n_operands = 0;
  memset(probe.types, 0, sizeof probe.types);
  if (!nereid_emulator_operands(parser, &probe, &form))
    return false;
  *out = (place_t){.through = true, .operand = probe.operands[0], .bytes = probe.operands[0].size};
  if (!out->bytes)
    return nereid_emulator_syntax(parser, "a predicate, or a constant in an indirect call, cannot be an argument");
  return hidden(parser, out->bytes, &out->offset);
}

/* ( a, %r1, 5 ) */
static bool read_places(emu_parser_t *parser, const emu_insn_t *insn, const nereid_emulator_kernel_t *callee,
                        bool results, place_t **out, uint32_t *out_n) {
  NEREID_VECTOR(place_t) places = {0};
  if (!nereid_emulator_expect(parser, '('))
    return false;
  while (!nereid_emulator_accept(parser, ')')) {
    size_t k = callee ? callee->n_results + places.size : 0;
    uint32_t bytes = callee && k < callee->formals.size ? callee->formals.data[k].size : 0;
    place_t place;
    if (!read_place(parser, insn, bytes, results, &place))
      return false;
    if (!nereid_vector_push(&parser->scratch, &places, place))
      return nereid_emulator_out_of_memory(parser);
    if (!nereid_emulator_accept(parser, ',') && nereid_emulator_peek(parser) != ')')
      return nereid_emulator_expect(parser, ')');
  }
  *out = places.data;
  *out_n = (uint32_t)places.size;
  return true;
}

/* Adds the moves before or after a call for arguments and results in registers. */
static bool push_moves(emu_parser_t *parser, const emu_insn_t *insn, const place_t *places, uint32_t n, bool results) {
  for (uint32_t i = 0; i < n; ++i) {
    emu_insn_t move = *insn;
    emu_operand_t operand = places[i].operand;
    if (!places[i].through)
      continue;
    move.execute = results ? nereid_emulator_get_result : nereid_emulator_put_argument;
    move.operands = &operand;
    move.n_operands = 1;
    move.offset = places[i].offset;
    if (!nereid_emulator_push(parser, &move))
      return false;
  }
  return true;
}

bool nereid_emulator_move_formals(emu_parser_t *parser, const emu_insn_t *insn, bool results) {
  for (size_t i = 0; i < parser->formals.size; ++i) {
    const struct emu_formal *formal = &parser->formals.data[i];
    uint32_t index;
    const emu_symbol_t *symbol = nereid_emulator_find(parser->scope, formal->name, &index);
    if (formal->result != results)
      continue;
    if (!symbol || symbol->kind != EMU_SYMBOL_REGISTER)
      return nereid_emulator_syntax(parser, "'%.*s' is not a variable", EMU_SHOWN(formal->name));
    place_t place = {.through = true, .offset = formal->offset};
    place.operand = (emu_operand_t){.base = EMU_REGISTERS, .size = symbol->size, .written = !results};
    if (!nereid_emulator_register(parser, symbol, index, &place.operand.offset) ||
        !push_moves(parser, insn, &place, 1, !results))
      return false;
  }
  return true;
}

static bool add_copies(emu_parser_t *parser, emu_insn_t *insn, const place_t *places, uint32_t n,
                       const nereid_emulator_parameter_t *formals, bool results) {
  uint32_t *list = nereid_arena_new(&parser->program->arena, uint32_t, EMU_CALL_STEP *(size_t)n + 1);
  if (!list)
    return nereid_emulator_out_of_memory(parser);
  for (uint32_t i = 0; i < n; ++i) {
    if (places[i].bytes != formals[i].size)
      return nereid_emulator_syntax(parser, "a parameter of %u bytes for one of %u", places[i].bytes, formals[i].size);
    list[EMU_CALL_STEP * i] = results ? formals[i].offset : places[i].offset;
    list[EMU_CALL_STEP * i + 1] = results ? places[i].offset : formals[i].offset;
    list[EMU_CALL_STEP * i + 2] = formals[i].size;
  }
  insn->list = list;
  insn->n_list = EMU_CALL_STEP * n;
  return true;
}

bool nereid_emulator_forward(emu_parser_t *parser, nereid_emulator_kernel_t *from, nereid_emulator_kernel_t *to) {
  uint32_t n = from->n_results, rest = (uint32_t)from->formals.size - n;
  place_t *places = nereid_arena_new(&parser->scratch, place_t, from->formals.size);
  emu_insn_t insn = {.execute = nereid_emulator_call,
                     .variant = (uint16_t)nereid_emulator_function_index(parser, to->name),
                     .line = parser->line,
                     .counter_class = NEREID_EMULATOR_CLASS_CONTROL,
                     .text = "",
                     .guard = {.absent = 1}};
  struct emu_call record = {insn.line, from, to, (uint32_t)parser->program->insns.size};
  if (!places || !nereid_vector_push(&parser->scratch, &parser->calls, record))
    return nereid_emulator_out_of_memory(parser);
  for (size_t i = 0; i < from->formals.size; ++i)
    places[i] = (place_t){.offset = from->formals.data[i].offset, .bytes = from->formals.data[i].size};
  emu_insn_t after = insn;
  after.execute = nereid_emulator_copy_results;
  return add_copies(parser, &insn, places + n, rest, to->formals.data + n, false) &&
         nereid_emulator_push(parser, &insn) && add_copies(parser, &after, places, n, to->formals.data, true) &&
         nereid_emulator_push(parser, &after);
}

static bool push_results(emu_parser_t *parser, call_t *call, emu_insn_t *after) {
  return call->n_results == 0 ||
         (nereid_emulator_push(parser, after) && push_moves(parser, after, call->results, call->n_results, true));
}

static bool direct(emu_parser_t *parser, call_t *call, nereid_emulator_kernel_t *callee) {
  emu_insn_t *insn = call->insn;
  bool print = nereid_emulator_is(callee->name, "vprintf") && !callee->defined;
  bool assertion = nereid_emulator_is(callee->name, "__assertfail") && !callee->defined;
  if (callee->n_results != call->n_results || callee->formals.size != call->n_results + call->n_arguments)
    return nereid_emulator_syntax(parser, "'%s' takes %zu parameters and returns %u", callee->name_text,
                                  callee->formals.size - callee->n_results, callee->n_results);
  if (print && callee->formals.size != 3)
    return nereid_emulator_syntax(parser, "vprintf takes a format and its arguments and returns an integer");
  if (assertion && callee->formals.size != 5)
    return nereid_emulator_syntax(parser, "__assertfail takes five parameters");
  if (!push_moves(parser, insn, call->arguments, call->n_arguments, false) ||
      !add_copies(parser, insn, call->arguments, call->n_arguments, callee->formals.data + call->n_results, false))
    return false;
  insn->execute = print ? nereid_emulator_vprintf : assertion ? nereid_emulator_assertfail : nereid_emulator_call;
  insn->variant = (uint16_t)nereid_emulator_function_index(parser, callee->name);
  struct emu_call record = {insn->line, parser->function, callee, (uint32_t)parser->program->insns.size};
  if (print || assertion)
    insn->target = callee->formals.data[call->n_results].offset;
  else if (!nereid_vector_push(&parser->scratch, &parser->calls, record))
    return nereid_emulator_out_of_memory(parser);
  emu_insn_t after = *insn;
  after.execute = nereid_emulator_copy_results;
  return nereid_emulator_push(parser, insn) &&
         add_copies(parser, &after, call->results, call->n_results, callee->formals.data, true) &&
         push_results(parser, call, &after);
}

/* Parses `, prototype`: a name declared by .callprototype or .calltargets. */
static bool read_prototype(emu_parser_t *parser, const call_t *call, const emu_symbol_t **out) {
  uint32_t ignored;
  if (!nereid_emulator_expect(parser, ','))
    return false;
  nereid_view_t name = nereid_emulator_word(parser, false);
  *out = nereid_emulator_find(parser->scope, name, &ignored);
  if (!*out || (*out)->kind != EMU_SYMBOL_PROTOTYPE)
    return nereid_emulator_syntax(parser, "'%.*s' is not a .callprototype or .calltargets", EMU_SHOWN(name));
  bool fits = (*out)->value == call->n_results && (*out)->n == call->n_results + call->n_arguments;
  const uint32_t *bytes = parser->prototypes.data + (*out)->first;
  for (uint32_t i = 0; fits && i < (*out)->n; ++i)
    fits = bytes[i] == (i < call->n_results ? call->results[i] : call->arguments[i - call->n_results]).bytes;
  return fits || nereid_emulator_syntax(parser, "the parameters are not those of the prototype");
}

static bool indirect(emu_parser_t *parser, call_t *call, const emu_operand_t *address) {
  emu_insn_t *insn = call->insn;
  const emu_symbol_t *prototype;
  if (!read_prototype(parser, call, &prototype) || !push_moves(parser, insn, call->arguments, call->n_arguments, false))
    return false;
  uint32_t n = prototype->n, offset = 0;
  uint32_t *list = nereid_arena_new(&parser->program->arena, uint32_t, 2 * (size_t)n + 2);
  uint32_t *back = nereid_arena_new(&parser->program->arena, uint32_t, call->n_results + (size_t)1);
  if (!list || !back)
    return nereid_emulator_out_of_memory(parser);
  list[0] = call->n_results;
  for (uint32_t i = 0; i < n; ++i)
    list[1 + i] = parser->prototypes.data[prototype->first + i];
  for (uint32_t i = 0; i < call->n_arguments; ++i)
    list[1 + n + i] = call->arguments[i].offset;
  for (uint32_t i = 0; i < call->n_results; ++i)
    back[i] = call->results[i].offset;
  if (!hidden(parser, 4, &offset))
    return false;
  emu_operand_t operand = *address;
  insn->execute = nereid_emulator_call_address;
  insn->operands = &operand;
  insn->n_operands = 1;
  insn->offset = offset;
  insn->list = list;
  insn->n_list = 1 + n + call->n_arguments;
  insn->size = (uint8_t)n;
  parser->program->calls_addresses = true;
  emu_insn_t after = *insn;
  after.execute = nereid_emulator_copy_results_of;
  after.n_operands = 0;
  after.list = back;
  after.n_list = call->n_results;
  return nereid_emulator_push(parser, insn) && push_results(parser, call, &after);
}

bool nereid_emulator_call_insn(emu_parser_t *parser, emu_insn_t *insn) {
  call_t call = {.insn = insn};
  uint32_t ignored;
  if (nereid_emulator_peek(parser) == '(' &&
      (!read_places(parser, insn, NULL, true, &call.results, &call.n_results) || !nereid_emulator_expect(parser, ',')))
    return false;
  const emu_mark_t start = emu_mark(parser);
  nereid_view_t name = nereid_emulator_word(parser, false);
  size_t index = nereid_emulator_function_index(parser, name);
  nereid_emulator_kernel_t *callee = index == SIZE_MAX ? NULL : parser->program->functions.data[index];
  const emu_symbol_t *symbol = nereid_emulator_find(parser->scope, name, &ignored);
  emu_operand_t address = {0};
  bool through = symbol && symbol->kind == EMU_SYMBOL_REGISTER;
  if (through) {
    static const emu_form_t form = {.operands = "sl"};
    emu_insn_t probe = *insn;
    emu_return_to(parser, start);
    if (!nereid_emulator_operands(parser, &probe, &form))
      return false;
    address = probe.operands[0];
  } else if (!callee || callee->is_entry) {
    return nereid_emulator_syntax(parser, "no function '%.*s'", EMU_SHOWN(name));
  }
  const emu_mark_t comma = emu_mark(parser);
  if (nereid_emulator_accept(parser, ',')) {
    if (nereid_emulator_peek(parser) != '(') { /* no arguments, only a prototype */
      emu_return_to(parser, comma);
    } else if (!read_places(parser, insn, through ? NULL : callee, false, &call.arguments, &call.n_arguments)) {
      return false;
    }
  }
  return through ? indirect(parser, &call, &address) : direct(parser, &call, callee);
}

/* Parses a parameter of .callprototype (.param .b32 _) _ (.param .b64 _, .param .b8 _[8]): its bytes, results first. */
static bool prototype_parameter(emu_parser_t *parser, const emu_declaration_t *declaration, bool is_register,
                                void *data) {
  emu_symbol_t *symbol = data;
  (void)is_register;
  ++symbol->n;
  return nereid_vector_push(&parser->scratch, &parser->prototypes, declaration->bytes) ||
         nereid_emulator_out_of_memory(parser);
}

/* Parses .calltargets f, g. The parameters of the first target apply to all. */
static bool call_targets(emu_parser_t *parser, emu_symbol_t *symbol) {
  do {
    nereid_view_t name = nereid_emulator_word(parser, false);
    size_t index = nereid_emulator_function_index(parser, name);
    if (index == SIZE_MAX)
      return nereid_emulator_syntax(parser, "no function '%.*s'", EMU_SHOWN(name));
    const nereid_emulator_kernel_t *function = parser->program->functions.data[index];
    if (symbol->n)
      continue;
    symbol->value = function->n_results;
    for (size_t i = 0; i < function->formals.size; ++i, ++symbol->n)
      if (!nereid_vector_push(&parser->scratch, &parser->prototypes, function->formals.data[i].size))
        return nereid_emulator_out_of_memory(parser);
  } while (nereid_emulator_accept(parser, ','));
  return true;
}

bool nereid_emulator_prototype(emu_parser_t *parser, nereid_view_t name, bool targets) {
  emu_symbol_t symbol = {.name = name, .kind = EMU_SYMBOL_PROTOTYPE, .first = (uint32_t)parser->prototypes.size};
  if (targets) {
    if (!call_targets(parser, &symbol))
      return false;
  } else {
    if (nereid_emulator_peek(parser) == '(' && !nereid_emulator_parameter_list(parser, prototype_parameter, &symbol))
      return false;
    symbol.value = symbol.n;
    (void)nereid_emulator_word(parser, false); /* _ */
    if (nereid_emulator_peek(parser) == '(' && !nereid_emulator_parameter_list(parser, prototype_parameter, &symbol))
      return false;
    if (nereid_emulator_accept(parser, '.') && !nereid_emulator_is(nereid_emulator_word(parser, false), "noreturn"))
      return nereid_emulator_syntax(parser, "only .noreturn may follow a prototype");
  }
  return nereid_emulator_define(parser, symbol) && nereid_emulator_expect(parser, ';');
}
