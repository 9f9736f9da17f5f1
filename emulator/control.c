/* Branches, calls, exits (PTX ISA, Control Flow Instructions), and the built-in functions vprintf and __assertfail.
 *
 * A call's parameters lie in the thread's local memory: the call copies the caller's to the callee's places, and an
 * instruction behind it copies the results back. Functions have one frame each: recursion is refused at loading. */
#include "emulator/execute.h"
#include "emulator/parse.h"

static emu_next_t bra(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  if (insn->target <= group->pc && ++warp->backward % 10000 == 0)
    warp->yield = true;
  if (mask == group->mask) {
    group->pc = insn->target;
    return EMU_JUMPED;
  }
  if (!mask)
    return EMU_ADVANCE;
  uint32_t pcs[EMU_LANES];
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane)
    pcs[lane] = mask >> lane & 1 ? insn->target : group->pc + 1;
  nereid_emulator_regroup(warp, group->mask, pcs, group->depth);
  return EMU_JUMPED;
}

static emu_next_t brx(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  uint32_t pcs[EMU_LANES];
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane)
    pcs[lane] = group->pc + 1;
  FOR_LANES(lane, mask) {
    uint64_t index = emu_lane(warp, &insn->operands[0], (int)lane);
    if (index >= insn->n_list)
      return nereid_emulator_fail(warp, insn, (int)lane, "index %llu of %u targets", (unsigned long long)index,
                                  (unsigned)insn->n_list);
    pcs[lane] = insn->list[index];
  }
  nereid_emulator_regroup(warp, group->mask, pcs, group->depth);
  return EMU_JUMPED;
}

/* Copies {from, to, bytes} triples in a thread's local memory. */
static void copy_parameters(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask) {
    uint8_t *local = warp->cta->local + (size_t)(warp->index * EMU_LANES + lane) * warp->cta->local_bytes;
    for (uint32_t i = 0; i + 2 < insn->n_list; i += 3)
      memmove(local + insn->list[i + 1], local + insn->list[i], insn->list[i + 2]);
  }
}

emu_next_t nereid_emulator_copy_results(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  copy_parameters(warp, insn, mask);
  return EMU_ADVANCE;
}

emu_next_t nereid_emulator_call(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  uint32_t depth = group->depth, behind = group->pc + 1;
  if (!mask)
    return EMU_ADVANCE;
  if (depth + 1 >= EMU_DEPTH)
    return nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "calls are nested deeper than %d", EMU_DEPTH - 1);
  copy_parameters(warp, insn, mask);
  FOR_LANES(lane, mask) warp->returns[depth][lane] = behind;
  uint32_t rest = group->mask & ~mask;
  if (rest) { /* the others go on; this group becomes the callers */
    warp->groups[warp->n_groups++] = (emu_group_t){rest, behind, depth, EMU_RUNNING};
    group->mask = mask;
  }
  group->depth++;
  group->pc = insn->target;
  return EMU_JUMPED;
}

static emu_next_t ret(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  (void)insn;
  if (!mask)
    return EMU_ADVANCE;
  if (group->depth == 0) {
    nereid_emulator_exit(warp, mask);
    return EMU_JUMPED;
  }
  uint32_t rest = group->mask & ~mask;
  if (rest)
    warp->groups[warp->n_groups++] = (emu_group_t){rest, group->pc + 1, group->depth, EMU_RUNNING};
  group->mask = mask;
  nereid_emulator_regroup(warp, mask, warp->returns[group->depth - 1], group->depth - 1);
  return EMU_JUMPED;
}

static emu_next_t leave(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  (void)insn;
  if (!mask)
    return EMU_ADVANCE;
  nereid_emulator_exit(warp, mask);
  return EMU_JUMPED;
}

static emu_next_t trap(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return mask ? nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "the kernel traps") : EMU_ADVANCE;
}

static emu_next_t breakpoint(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  return mask ? nereid_emulator_fail(warp, insn, __builtin_ctz(mask), "the kernel comes to a breakpoint") : EMU_ADVANCE;
}

static emu_next_t pause_turn(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  (void)insn;
  warp->yield |= mask != 0;
  return EMU_ADVANCE;
}

/* ( a, b ) of a call: the places of .param variables. */
static bool call_list(emu_parser_t *parser, emu_symbol_t *out, uint32_t *n) {
  *n = 0;
  if (!nereid_emulator_expect(parser, '('))
    return false;
  while (!nereid_emulator_accept(parser, ')')) {
    uint32_t ignored;
    nereid_view_t name = nereid_emulator_word(parser, true);
    const emu_symbol_t *symbol = nereid_emulator_find(parser->scope, name, &ignored);
    if (!symbol || symbol->kind != EMU_SYMBOL_ADDRESS || symbol->space != EMU_LOCAL || *n == 64)
      return nereid_emulator_syntax(parser, "'%.*s' is no .param variable, which is all that calls take here",
                                    (int)(name.size < 80 ? name.size : 80), name.data);
    out[(*n)++] = *symbol;
    if (!nereid_emulator_accept(parser, ',') && nereid_emulator_peek(parser) != ')')
      return nereid_emulator_expect(parser, ')');
  }
  return true;
}

static bool add_copies(emu_parser_t *parser, emu_insn_t *insn, const emu_symbol_t *places, uint32_t n,
                       const nereid_emulator_parameter_t *formals, bool results) {
  uint32_t *list = nereid_arena_new(&parser->program->arena, uint32_t, 3 * (size_t)n + 1);
  if (!list)
    return nereid_emulator_memory_out(parser);
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t here = (uint32_t)places[i].value;
    if (places[i].bytes != formals[i].size)
      return nereid_emulator_syntax(parser, "'%.*s' has %u bytes, the parameter %u", (int)places[i].name.size,
                                    places[i].name.data, places[i].bytes, formals[i].size);
    list[3 * i] = results ? formals[i].offset : here;
    list[3 * i + 1] = results ? here : formals[i].offset;
    list[3 * i + 2] = formals[i].size;
  }
  insn->list = list;
  insn->n_list = 3 * n;
  return true;
}

/* call.uni (result), name, (a, b); */
bool nereid_emulator_call_insn(emu_parser_t *parser, emu_insn_t *insn) {
  emu_symbol_t results[64], arguments[64];
  uint32_t n_results = 0, n_arguments = 0;
  nereid_emulator_kernel_t *callee = NULL;
  if (nereid_emulator_peek(parser) == '(' &&
      (!call_list(parser, results, &n_results) || !nereid_emulator_expect(parser, ',')))
    return false;
  nereid_view_t name = nereid_emulator_word(parser, false);
  if (nereid_emulator_accept(parser, ',') && !call_list(parser, arguments, &n_arguments))
    return false;
  for (size_t i = 0; i < parser->program->functions.size; ++i)
    if (nereid_view_equal(parser->program->functions.data[i]->name, name))
      callee = parser->program->functions.data[i];
  if (!callee || callee->is_entry)
    return nereid_emulator_syntax(parser, "no function '%.*s' (indirect calls are not emulated)",
                                  (int)(name.size < 80 ? name.size : 80), name.data);
  if (callee->n_results != n_results || callee->formals.size != n_results + n_arguments)
    return nereid_emulator_syntax(parser, "'%s' takes %zu parameters and gives %u", callee->name_text,
                                  callee->formals.size - callee->n_results, callee->n_results);
  if (!add_copies(parser, insn, arguments, n_arguments, callee->formals.data + n_results, false))
    return false;
  bool print = nereid_emulator_is(name, "vprintf"), assertion = nereid_emulator_is(name, "__assertfail");
  insn->execute = print ? nereid_emulator_vprintf : assertion ? nereid_emulator_assertfail : nereid_emulator_call;
  struct emu_call call = {insn->line, parser->function, callee, (uint32_t)parser->program->insns.size};
  if ((print || assertion) && !callee->defined)
    insn->target = callee->formals.data ? callee->formals.data[n_results].offset : 0;
  else
    insn->execute = nereid_emulator_call;
  if (insn->execute == nereid_emulator_call && !nereid_vector_push(&parser->scratch, &parser->calls, call))
    return nereid_emulator_memory_out(parser);
  if (print && n_results + n_arguments != 3)
    return nereid_emulator_syntax(parser, "vprintf takes a format and its arguments and gives a number");
  if (assertion && n_results + n_arguments != 5)
    return nereid_emulator_syntax(parser, "__assertfail takes five parameters");
  emu_insn_t behind = *insn;
  behind.execute = nereid_emulator_copy_results;
  if (!nereid_emulator_push(parser, insn))
    return false;
  return n_results == 0 || (add_copies(parser, &behind, results, n_results, callee->formals.data, true) &&
                            nereid_emulator_push(parser, &behind));
}

#define CONTROL NEREID_EMULATOR_CLASS_CONTROL
const emu_form_t nereid_emulator_control_forms[] = {{"bra", "", "", 0, EMU_BIT(uni), bra, CONTROL},
                                                    {"brx", "", "sw", EMU_BIT(idx), EMU_BIT(uni), brx, CONTROL},
                                                    {"call", "", "", 0, EMU_BIT(uni), nereid_emulator_call, CONTROL},
                                                    {"ret", "", "", 0, EMU_BIT(uni), ret, CONTROL},
                                                    {"exit", "", "", 0, 0, leave, CONTROL},
                                                    {"trap", "", "", 0, 0, trap, CONTROL},
                                                    {"brkpt", "", "", 0, 0, breakpoint, CONTROL},
                                                    {"nanosleep", "u32", "sw", 0, 0, pause_turn, CONTROL},
                                                    {0}};
