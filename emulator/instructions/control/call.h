/* What a call is decoded to (parser/call.c) and what runs it (call.c). Private to the emulator. */
#ifndef NEREID_EMULATOR_CALL_H
#define NEREID_EMULATOR_CALL_H

#include "emulator/machine/instruction.h"

enum { EMU_CALL_STEP = 3 }; /* {from, to, bytes} in an instruction's list, offsets in a thread's local memory */

/* The register or constant operands[0] to the place at insn->offset, and back. */
emu_next_t nereid_emulator_put_argument(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_get_result(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

emu_next_t nereid_emulator_call(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Through an address: each thread's function is noted in its place. nereid_emulator_call is the direct one. */
emu_next_t nereid_emulator_call_address(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Behind a direct call, its results to the caller's places; behind one through an address, each thread's. */
emu_next_t nereid_emulator_copy_results(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_copy_results_of(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* The built-in functions of CUDA's device runtime. */
emu_next_t nereid_emulator_vprintf(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_assertfail(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

#endif
