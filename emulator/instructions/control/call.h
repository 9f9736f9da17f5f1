/* Decoded form of calls (parser/call.c) and their execution (call.c). Private to the emulator. */
#ifndef NEREID_EMULATOR_CALL_H
#define NEREID_EMULATOR_CALL_H

#include "emulator/machine/instruction.h"

enum { EMU_CALL_STEP = 3 }; /* {from, to, bytes} in an instruction's list, offsets in a thread's local memory */

/* Stores operands[0], a register or constant, to the slot at insn->offset; loads it back. */
emu_next_t nereid_emulator_put_argument(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_get_result(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

emu_next_t nereid_emulator_call(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Indirect call: records each thread's callee in its slot. nereid_emulator_call is the direct call. */
emu_next_t nereid_emulator_call_address(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Copies the results to the caller's slots, after a direct call and after an indirect one. */
emu_next_t nereid_emulator_copy_results(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_copy_results_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* The built-in functions of CUDA's device runtime. */
emu_next_t nereid_emulator_vprintf(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_assertfail(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

#endif
