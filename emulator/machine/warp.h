/* The state of a warp: its registers, and the groups of lanes that execute together. Private to the emulator. */
#ifndef NEREID_EMULATOR_WARP_H
#define NEREID_EMULATOR_WARP_H

#include "base/message.h"
#include "emulator/machine/instruction.h"

typedef struct emu_group { /* lanes that execute together */
  uint32_t mask, pc, depth;
  enum { EMU_RUNNING, EMU_WAITING, EMU_AT_BARRIER, EMU_AT_EVENT /* an mbarrier or barrier.cluster */ } state;
  uint32_t barrier; /* AT_BARRIER: its number */
} emu_group_t;

typedef struct emu_cta emu_cta_t;

struct emu_warp {
  uint8_t *base[EMU_BASES];
  emu_cta_t *cta;
  uint32_t index; /* index in the CTA */
  uint32_t live;  /* lanes that have not exited */
  uint32_t carry; /* CC.CF of each lane */
  emu_group_t groups[EMU_LANES];
  uint32_t n_groups, current;
  uint32_t (*returns)[EMU_LANES]; /* [depth] */
  uint64_t executed, backward;
  bool yield;                       /* ends its scheduling slice */
  bool regrouped;                   /* a group of this warp became runnable */
  uint32_t committed[3][EMU_LANES]; /* groups of asynchronous effects (effect.h), by kind and lane */
  uint32_t cluster_arrived;         /* lanes with an arrival at barrier.cluster that they have not waited for */
  uint32_t cluster_phase;           /* per lane: the phase of that arrival */
  uint32_t timed_out;               /* lanes whose try_wait may time out */
  uint32_t registers;               /* per thread; 0: unknown, the kernel has no .maxnreg */
  const emu_insn_t *reallocates;    /* a setmaxnreg that other warps of its warpgroup have still to execute; or null */
};

static inline void emu_add_group(emu_warp_t *warp, uint32_t mask, uint32_t pc, uint32_t depth) {
  warp->groups[warp->n_groups++] = (emu_group_t){.mask = mask, .pc = pc, .depth = depth, .state = EMU_RUNNING};
}

/* Fails at an instruction with "k.ptx:12 (kernels.py:3): ...: thread (1,0,0) of CTA (0,0,0): <sentence>". */
emu_next_t nereid_emulator_fail(emu_warp_t *warp, const emu_insn_t *insn, int lane, const char *format, ...)
    NEREID_PRINTF(4, 5);

/* Reads all lanes of an operand of up to 64 bits, zero-extended; writes the lanes of `mask`, truncated. */
void nereid_emulator_lanes(const emu_warp_t *warp, const emu_operand_t *operand, uint64_t *out);
void nereid_emulator_set_lanes(emu_warp_t *warp, const emu_operand_t *operand, const uint64_t *values, uint32_t mask);

/* Whether `mask` contains every live lane of `members`. */
bool nereid_emulator_all_here(const emu_warp_t *warp, uint32_t members, uint32_t mask);

/* Checks convergence for an instruction that all live lanes of the warp must reach together, or must if it is
 * .aligned. Returns EMU_ADVANCE if it may execute, else EMU_WAIT or EMU_FAILED. */
emu_next_t nereid_emulator_converged(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_aligned(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Moves the lanes of the current group, each to its own pc at `depth`. */
void nereid_emulator_regroup(emu_warp_t *warp, uint32_t lanes, const uint32_t *pcs, uint32_t depth);
void nereid_emulator_exit(emu_warp_t *warp, uint32_t mask);

#endif
