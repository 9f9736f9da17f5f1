/* Bits that nothing has written: launch->initcheck.
 *
 *   ld.shared %r1, [0]   of bytes that nobody stored: %r1 carries undefined bits, which is no error yet
 *   add %r2, %r1, 1      neither is computing with them; %r2 has them, too
 *   st.global [%d1], %r2 is one: they reach memory that somebody reads. So is an address, a guard, an asynchronous read
 *
 * Registers, .local variables, shared memory and scratch buffers begin undefined; every register and byte has a shadow
 * with a bit per bit. What moves bits moves their shadows, and, or and xor know what decides a bit; else a result is
 * undefined when an operand is. */
#ifndef NEREID_EMULATOR_UNDEFINED_H
#define NEREID_EMULATOR_UNDEFINED_H

#include "emulator/machine/cta.h"

typedef struct emu_undefined emu_undefined_t;

/* What one CTA needs; null when memory is out. */
emu_undefined_t *nereid_emulator_undefined_create(emu_cta_t *cta);
void nereid_emulator_undefined_destroy(emu_undefined_t *undefined);

/* Executes an instruction for the lanes of `mask` and its shadow. Called only when cta->undefined is set. */
emu_next_t nereid_emulator_undefined_step(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
/* Shared memory was written, by whatever kind of access. */
void nereid_emulator_undefined_written(emu_cta_t *cta, uint32_t offset, uint32_t bytes);
/* An asynchronous operation reads shared memory. False after failing: some of it was never written. */
bool nereid_emulator_undefined_read(emu_warp_t *warp, const emu_insn_t *insn, uint32_t offset, uint32_t bytes);

#endif
