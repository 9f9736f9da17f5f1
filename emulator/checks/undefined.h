/* Uninitialized bits: launch->initcheck.
 *
 *   ld.shared %r1, [0]   of uninitialized bytes: %r1 has undefined bits, which is not an error
 *   add %r2, %r1, 1      computing with them is not an error either; %r2 has undefined bits
 *   st.global [%d1], %r2 is an error: they reach visible memory
 *
 * Use as an address, as a guard or by an asynchronous read is an error, too.
 *
 * Registers, .local variables, shared memory and scratch buffers start undefined. Every register and byte has a
 * shadow with one bit per bit. Data movement moves the shadows; and, or, xor are exact per bit; any other result is
 * undefined if an operand is. */
#ifndef NEREID_EMULATOR_UNDEFINED_H
#define NEREID_EMULATOR_UNDEFINED_H

#include "emulator/machine/cta.h"

typedef struct emu_undefined emu_undefined_t;

/* State of one CTA; null: out of memory. */
emu_undefined_t *nereid_emulator_undefined_create(emu_cta_t *cta);
void nereid_emulator_undefined_destroy(emu_undefined_t *undefined);

/* Executes an instruction and its shadow for the lanes of `mask`. Requires cta->undefined. */
emu_next_t nereid_emulator_undefined_step(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
/* Marks bytes of shared memory as written by any kind of access. */
void nereid_emulator_undefined_written(emu_cta_t *cta, uint32_t offset, uint32_t bytes);
/* Checks an asynchronous read of shared memory. False after failing: some bytes are uninitialized. */
bool nereid_emulator_undefined_read(emu_warp_t *warp, const emu_insn_t *insn, uint32_t offset, uint32_t bytes);

#endif
