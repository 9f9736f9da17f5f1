/* The form tables, used by the parser. Private to the emulator. */
#ifndef NEREID_EMULATOR_FORM_H
#define NEREID_EMULATOR_FORM_H

#include "emulator/machine/instruction.h"

/* One row per form: `name` with the types of `types` ("s32", "f32.f16"; "int" matches any integer type, "any" also bN
 * and floating point; '|' separates alternatives), all modifiers of `needs` and any of `may`. After the name come the
 * opcode's other words, in any order: "mma m16n8k16 row col". A word may be a choice, "row|col", or optional, "noinc?":
 * insn->choices stores for each such word, in order, the chosen index, or whether it is present. "row.col" matches two
 * adjacent words, * a number. `traits` is the counter class, a number for the function (insn->variant) and the kind:
 * NEREID_EMULATOR_CLASS_x | EMU_VARIANT(n) | EMU_KIND(name). Variant and kind default to 0. `operands` is a list of
 * pairs, kind and width;
 *   d destination   s source   p predicate destination   q predicate source   o optional |p   Q optional , q
 *   m address       v vector or scalar destination   w vector or scalar source   O optional source   N nothing
 *   C source that is present if another operand follows it
 *   V W one or a list in braces of any length, destinations or sources: insn->lists
 *   A optional predicate or 32-bit source   T [tensor map, {coordinates}], the latter in insn->lists
 * widths: 0 1 2 that of the type, W twice that of type 0, b h w l 1 2 4 8 bytes, * any, - none. */
#define EMU_VARIANT(n) ((n) << 8)
#define EMU_KIND(name) (EMU_KIND_##name << 24)
#define EMU_KIND_OF(form) ((emu_kind_t)((form)->traits >> 24))

typedef struct emu_form {
  const char *name, *types, *operands;
  emu_modifiers_t needs, may;
  emu_execute_t execute;
  int traits;
} emu_form_t;

/* The families: tables terminated by a row without a name. */
/* clang-format off */
#define EMU_FAMILIES(X) \
  X(integer) X(carry) X(packed) X(bits) X(float) X(half) X(special) X(compare) X(convert_lanes) X(convert) X(move) \
  X(memory) X(wide) X(hint) X(atomic) X(warp) X(barrier) X(control) X(registers) \
  X(cluster) X(mbarrier) X(async) X(bulk) X(tensor) X(tensor_map) X(fence) \
  X(matrix) X(mma) X(wmma) X(wgmma)
/* clang-format on */
#define X(family) extern const emu_form_t nereid_emulator_##family##_forms[];
EMU_FAMILIES(X)
#undef X

/* Functions that the parser substitutes for a row's, or that several families share. */
emu_next_t nereid_emulator_move_each(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_pack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_unpack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_rounded(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Execution of hints: no effect. */
emu_next_t nereid_emulator_nothing(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* The result of a reduction of `old` and `with`. */
uint64_t nereid_emulator_combined(const emu_insn_t *insn, uint64_t old, uint64_t with);

#endif
