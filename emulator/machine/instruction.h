/* Decoded PTX instructions. Private to the emulator.
 *
 * A register is an array of 32 lanes (u8, u16, u32 or u64 by its declaration); a predicate is a 32-bit mask. An operand
 * names one of three blocks of memory and an offset into it: the warp's registers, the program's constants (an
 * immediate is an array of 32 equal values) or the warp's special registers. Instructions access all operands the same
 * way:
 *
 *   add.s32 %r1, %tid.x, 5   ->   {add_u32, {registers + 0}, {specials + 0}, {constants + 128}} */
#ifndef NEREID_EMULATOR_INSTRUCTION_H
#define NEREID_EMULATOR_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 emu_modifiers_t;

/* clang-format off */
#define EMU_MODIFIERS(X) \
  X(rn) X(rz) X(rm) X(rp) X(rni) X(rzi) X(rmi) X(rpi) X(rna) X(ftz) X(sat) X(satfinite) X(relu) X(approx) X(full) \
  X(lo) X(hi) X(wide) X(cc) X(xorsign) X(abs) X(NaN) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(ls) X(hs) X(equ) X(neu) \
  X(ltu) X(leu) X(gtu) X(geu) X(num) X(nan) X(and) X(or) X(xor) X(uni) X(sync) X(aligned) X(wrap) X(clamp) X(l) X(r) \
  X(global) X(shared) X(shared_cluster) X(local) X(param) X(const) X(volatile) X(relaxed) X(acquire) X(release) \
  X(acq_rel) X(sc) X(cta) X(cluster) X(gpu) X(sys) X(nc) X(weak) X(v2) X(v4) X(v8) X(ca) X(cg) X(cs) X(lu) X(cv) X(wb) \
  X(wt) X(hint) X(eviction) X(prefetch) X(add) X(min) X(max) X(inc) X(dec) X(exch) X(cas) X(noftz) X(up) X(down) \
  X(bfly) X(idx) X(all) X(any) X(ballot) X(popc) X(arrive) X(red) X(warp) X(to) X(shiftamt) X(finite) X(infinite) \
  X(number) X(notanumber) X(normal) X(subnormal) X(f4e) X(b4e) X(rc8) X(ecl) X(ecr) X(rc16) X(fractional) X(range) \
  X(mmio) X(gl) X(m8n8) X(x1) X(x2) X(x4) X(trans)
/* clang-format on */

typedef enum emu_modifier {
#define X(name) EMU_##name,
  EMU_MODIFIERS(X)
#undef X
      EMU_MODIFIER_COUNT
} emu_modifier_t;
_Static_assert(EMU_MODIFIER_COUNT <= 128, "modifiers are bits of emu_modifiers_t");

#define EMU_BIT(name) ((emu_modifiers_t)1 << EMU_##name)
#define EMU_SPACES                                                                                                     \
  (EMU_BIT(global) | EMU_BIT(shared) | EMU_BIT(shared_cluster) | EMU_BIT(local) | EMU_BIT(param) | EMU_BIT(const))
#define EMU_HAS(insn, name) (((insn)->modifiers & EMU_BIT(name)) != 0)

typedef enum emu_type {
  EMU_NONE,
  EMU_U8,
  EMU_U16,
  EMU_U32,
  EMU_U64,
  EMU_S8,
  EMU_S16,
  EMU_S32,
  EMU_S64,
  EMU_B8,
  EMU_B16,
  EMU_B32,
  EMU_B64,
  EMU_F16,
  EMU_F16X2,
  EMU_BF16,
  EMU_BF16X2,
  EMU_F32,
  EMU_F64,
  EMU_TF32,
  EMU_E4M3X2,
  EMU_E5M2X2,
  EMU_E4M3,
  EMU_E5M2,
  EMU_S4,
  EMU_U4,
  EMU_B1,
  EMU_U16X2,
  EMU_S16X2,
  EMU_B128,
  EMU_PRED,
} emu_type_t;

enum { EMU_REGISTERS, EMU_CONSTANTS, EMU_SPECIALS, EMU_BASES };
enum { EMU_MAX_OPERANDS = 320, EMU_MAX_LISTS = 4, EMU_MAX_TYPES = 4, EMU_LANES = 32 };

typedef struct emu_operand {
  uint32_t offset; /* bytes into its block; for a register, its number until its function has been parsed */
  uint8_t base;
  uint8_t size;        /* bytes per lane; 0: a predicate, one mask */
  uint8_t negated : 1; /* a predicate operand with ! */
  uint8_t absent : 1;
  uint8_t written : 1; /* a destination */
} emu_operand_t;

unsigned nereid_emulator_type_size(emu_type_t type);

typedef struct emu_warp emu_warp_t;
typedef struct emu_insn emu_insn_t;

/* Result of an instruction, for the interpreter loop. */
typedef enum emu_next {
  EMU_ADVANCE, /* continue with the next instruction */
  EMU_JUMPED,  /* the warp's groups were rearranged */
  EMU_WAIT,    /* the group stays here until other lanes arrive */
  EMU_BLOCKED, /* the group waits at a barrier */
  EMU_STALL,   /* the group waits for an event, recorded in its state, and then executes the instruction again */
  EMU_FAILED,  /* the warp's message is set */
} emu_next_t;

typedef emu_next_t (*emu_execute_t)(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Instructions that the parser, the scheduler or the race detector treats specially. Column of the form tables. */
typedef enum emu_kind {
  EMU_KIND_OTHER,
  EMU_KIND_MOV,
  EMU_KIND_SET, /* set and setp */
  EMU_KIND_BRA,
  EMU_KIND_BRX,
  EMU_KIND_CALL,
  EMU_KIND_RET,
  EMU_KIND_EXIT,
  EMU_KIND_MEMBAR,
  EMU_KIND_MBARRIER_WAIT, /* test_wait and try_wait */
  EMU_KIND_WGMMA,         /* wgmma.mma_async */
  EMU_KIND_REGISTERS,     /* setmaxnreg */
  EMU_KIND_COPY_WAIT,     /* cp.async.wait_group and wait_all */
  EMU_KIND_COPY_ARRIVE,   /* cp.async.mbarrier.arrive */
  EMU_KIND_COUNT
} emu_kind_t;

/* Possible successors of an instruction. */
enum { EMU_FLOW_NEXT, EMU_FLOW_BRANCH /* its target */, EMU_FLOW_TABLE /* its list */, EMU_FLOW_END };

struct emu_insn { /* fields read by every execution come first, in one cache line */
  emu_execute_t execute;
  emu_operand_t *operands; /* n_operands, in the program's arena */
  emu_modifiers_t modifiers;
  emu_operand_t guard;
  uint8_t has_guard, counter_class, n_vector, space, size, flow;
  uint16_t variant;
  uint8_t types[EMU_MAX_TYPES];
  uint32_t target;     /* target of a branch or call */
  int64_t offset;      /* offset of the address */
  emu_execute_t inner; /* function called by a wrapper, such as the one that sets another rounding mode */
  int64_t offsets[2];  /* offsets of the second and third address */
  struct {
    uint16_t first, count;      /* in operands */
  } lists[EMU_MAX_LISTS];       /* operand lists V and W, in order */
  const uint32_t *list;         /* targets of brx.idx; triples {from, to, bytes} of calls; M, N, K of a dot */
  const char *text;             /* points into the program's text, for messages */
  uint32_t n_list, line, place; /* line of the PTX text; index of the source location */
  uint16_t n_operands, text_size;
  uint8_t choices[4], kind;
  bool to_block; /* a branch to a label of a block in braces, such as inline assembly */
};

#endif
