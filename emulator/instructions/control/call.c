/* Direct and indirect calls (PTX ISA, Control Flow Instructions: call; Kernel and Function Directives).
 *
 *   call (r), f, (a, 5);          call (r), %rd1, (a), prototype;
 *
 * Parameters are in the thread's local memory. Instructions before the call store arguments in registers or
 * constants, the call copies the caller's slots to the callee's, and instructions after it copy the results back. An
 * indirect call records each thread's callee in a slot of its own. Functions have one frame each, so recursion is an
 * error: at loading, or at the call if the program contains indirect calls. */
#include "emulator/instructions/control/call.h"

#include "emulator/checks/frames.h"
#include "emulator/machine/execute.h"

static uint8_t *local_of(const emu_warp_t *warp, uint32_t lane) {
  return warp->cta->local + (size_t)(warp->index * EMU_LANES + lane) * warp->cta->local_bytes;
}

/* Copies {from, to, bytes} triples in a thread's local memory. */
static void copy_parameters(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask)
  for (uint32_t i = 0; i + 2 < insn->n_list; i += EMU_CALL_STEP)
    memmove(local_of(warp, lane) + insn->list[i + 1], local_of(warp, lane) + insn->list[i], insn->list[i + 2]);
}

emu_next_t nereid_emulator_copy_results(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  copy_parameters(warp, insn, mask);
  return EMU_ADVANCE;
}

/* Stores a register or constant to the slot at insn->offset; loads it back. */
emu_next_t nereid_emulator_put_argument(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const emu_operand_t *from = &insn->operands[0];
  FOR_LANES(lane, mask)
  memcpy(local_of(warp, lane) + insn->offset, warp->base[from->base] + from->offset + (size_t)lane * from->size,
         from->size);
  return EMU_ADVANCE;
}

emu_next_t nereid_emulator_get_result(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const emu_operand_t *to = &insn->operands[0];
  FOR_LANES(lane, mask)
  memcpy(warp->base[to->base] + to->offset + (size_t)lane * to->size, local_of(warp, lane) + insn->offset, to->size);
  return EMU_ADVANCE;
}

static bool within(const nereid_emulator_kernel_t *function, uint32_t pc) {
  return pc >= function->entry && pc < function->end;
}

/* Whether a lane of the group is already in a function. */
static bool is_active(const emu_warp_t *warp, const nereid_emulator_kernel_t *function, uint32_t lane) {
  const emu_group_t *group = &warp->groups[warp->current];
  bool active = within(function, group->pc);
  for (uint32_t d = 0; d < group->depth; ++d)
    active |= within(function, warp->returns[d][lane] - 1);
  return active;
}

/* Splits the callers from the group's other lanes, which continue after the call. */
static void enter(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_group_t *group = &warp->groups[warp->current];
  uint32_t after = group->pc + 1, rest = group->mask & ~mask;
  if (warp->cta->frames)
    nereid_emulator_frames_call(warp, insn, mask);
  FOR_LANES(lane, mask) warp->returns[group->depth][lane] = after;
  if (rest) {
    emu_add_group(warp, rest, after, group->depth);
    group->mask = mask;
  }
}

static emu_next_t recursion(emu_warp_t *warp, const emu_insn_t *insn, uint32_t lane,
                            const nereid_emulator_kernel_t *function) {
  return nereid_emulator_fail(warp, insn, (int)lane, "recursive calls are not emulated: '%s'", function->name_text);
}

emu_next_t nereid_emulator_call(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const nereid_emulator_program_t *program = warp->cta->kernel->program;
  if (!mask)
    return EMU_ADVANCE;
  if (program->calls_addresses) {
    const nereid_emulator_kernel_t *callee = program->functions.data[insn->variant];
    FOR_LANES(lane, mask)
    if (is_active(warp, callee, lane))
      return recursion(warp, insn, lane, callee);
  }
  enter(warp, insn, mask);
  copy_parameters(warp, insn, mask);
  emu_group_t *group = &warp->groups[warp->current];
  group->depth++;
  group->pc = insn->target;
  return EMU_JUMPED;
}

/* The function at an address, if its parameters match the prototype; null after failing. insn->list: number of
 * results, then bytes of all parameters, results first, then the caller's slots of the arguments. */
static const nereid_emulator_kernel_t *callee_at(emu_warp_t *warp, const emu_insn_t *insn, uint32_t lane) {
  const nereid_emulator_program_t *program = warp->cta->kernel->program;
  uint64_t address = emu_lane(warp, &insn->operands[0], (int)lane), at = address - EMU_FUNCTIONS_AT;
  const nereid_emulator_kernel_t *callee = NULL;
  if (at % EMU_FUNCTION_BYTES == 0 && at / EMU_FUNCTION_BYTES < program->functions.size)
    callee = program->functions.data[at / EMU_FUNCTION_BYTES];
  if (!callee || callee->is_entry || !callee->defined) {
    (void)nereid_emulator_fail(warp, insn, (int)lane, "0x%llx is not the address of a function",
                               (unsigned long long)address);
    return NULL;
  }
  bool fits = callee->n_results == insn->list[0] && callee->formals.size == insn->size;
  for (uint32_t i = 0; fits && i < insn->size; ++i)
    fits = callee->formals.data[i].size == insn->list[1 + i];
  if (!fits)
    (void)nereid_emulator_fail(warp, insn, (int)lane, "'%s' has other parameters than the prototype",
                               callee->name_text);
  return fits ? callee : NULL;
}

emu_next_t nereid_emulator_call_address(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  uint32_t pcs[EMU_LANES], depth = warp->groups[warp->current].depth;
  if (!mask)
    return EMU_ADVANCE;
  FOR_LANES(lane, mask) {
    const nereid_emulator_kernel_t *callee = callee_at(warp, insn, lane);
    if (!callee)
      return EMU_FAILED;
    if (is_active(warp, callee, lane))
      return recursion(warp, insn, lane, callee);
    uint8_t *local = local_of(warp, lane);
    const uint32_t *from = insn->list + 1;
    for (uint32_t i = callee->n_results; i < insn->size; ++i)
      memmove(local + callee->formals.data[i].offset, local + from[insn->size + i - callee->n_results], from[i]);
    uint32_t index =
        (uint32_t)((emu_lane(warp, &insn->operands[0], (int)lane) - EMU_FUNCTIONS_AT) / EMU_FUNCTION_BYTES);
    memcpy(local + insn->offset, &index, sizeof index);
    pcs[lane] = callee->entry;
  }
  enter(warp, insn, mask);
  nereid_emulator_regroup(warp, mask, pcs, depth + 1);
  return EMU_JUMPED;
}

/* Copies the results of each thread's callee; insn->list: the caller's slots. */
emu_next_t nereid_emulator_copy_results_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  const nereid_emulator_program_t *program = warp->cta->kernel->program;
  FOR_LANES(lane, mask) {
    uint8_t *local = local_of(warp, lane);
    uint32_t index;
    memcpy(&index, local + insn->offset, sizeof index);
    const nereid_emulator_kernel_t *callee = program->functions.data[index];
    for (uint32_t i = 0; i < insn->n_list; ++i)
      memmove(local + insn->list[i], local + callee->formals.data[i].offset, callee->formals.data[i].size);
  }
  return EMU_ADVANCE;
}
