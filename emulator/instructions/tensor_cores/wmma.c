/* wmma.load and wmma.store (PTX ISA): a warp's whole matrix between memory and the fragments of fragment.h. f16
 * fragments have more registers than elements: with n registers for all elements, register r holds a copy of
 * register r % n. */
#include "emulator/instructions/form.h"
#include "emulator/instructions/tensor_cores/fragment.h"
#include "emulator/memory/space.h"

typedef struct transfer { /* state for one operand */
  emu_warp_t *warp;
  const emu_insn_t *insn;
  emu_type_t type;
  uint64_t base;
  uint64_t stride; /* elements */
  bool by_rows;    /* a row's (for B, a column's) elements are contiguous in memory */
  bool store;
} transfer_t;

/* Reads the address operand and the optional stride, which must be uniform. */
static bool begin(transfer_t *transfer, int address, unsigned rows, unsigned columns) {
  emu_warp_t *warp = transfer->warp;
  const emu_insn_t *insn = transfer->insn;
  const emu_operand_t *at = &insn->operands[address], *stride = &insn->operands[insn->n_operands - 1];
  transfer->type = (emu_type_t)insn->types[0];
  /* Sub-byte types have only one layout, the contiguous one. */
  transfer->by_rows = emu_element_bits(transfer->type) < 8 || (insn->choices[0] == 0) == (insn->variant != EMU_WMMA_B);
  transfer->base = emu_lane(warp, at, 0) + (uint64_t)insn->offset;
  transfer->stride = stride->absent ? (transfer->by_rows ? columns : rows) : emu_lane(warp, stride, 0);
  for (int lane = 1; lane < EMU_LANES; ++lane)
    if (emu_lane(warp, at, lane) != emu_lane(warp, at, 0) ||
        (!stride->absent && emu_lane(warp, stride, lane) != transfer->stride))
      return nereid_emulator_fail(warp, insn, lane, "the address and the stride must be the same in all lanes") !=
             EMU_FAILED;
  return true;
}

/* Moves `bytes` at element (row, column) between memory and bits of a lane's register. */
static bool move(const transfer_t *transfer, unsigned lane, unsigned row, unsigned column, unsigned bytes,
                 uint64_t *bits, uint64_t *out_address) {
  uint64_t element = transfer->by_rows ? row * transfer->stride + column : column * transfer->stride + row;
  uint64_t address = transfer->base + element * emu_element_bits(transfer->type) / 8;
  uint8_t *place = nereid_emulator_access(transfer->warp, transfer->insn, (int)lane, (emu_space_t)transfer->insn->space,
                                          address, bytes, transfer->store ? EMU_WRITE : EMU_READ);
  if (!place)
    return false;
  *out_address = address;
  if (transfer->store)
    memcpy(place, bits, bytes);
  else
    *bits = 0, memcpy(bits, place, bytes);
  return true;
}

static void count(const transfer_t *transfer, const uint64_t *addresses, unsigned bytes) {
  if (transfer->warp->cta->launch->count)
    nereid_emulator_count(transfer->warp, addresses, UINT32_MAX, bytes,
                          nereid_emulator_access_space(transfer->insn, addresses[0]), transfer->store);
}

/* Loads a register of A or B for all lanes. */
static bool load_register(const transfer_t *transfer, unsigned r, unsigned tiles, unsigned k, const emu_operand_t *to) {
  unsigned bits = emu_element_bits(transfer->type), size = to->size, elements = size * 8 / bits;
  unsigned needed = tiles * (k / elements / 4), per = transfer->by_rows ? 1 : elements;
  uint64_t words[EMU_LANES] = {0}, addresses[EMU_LANES];
  r %= needed;
  for (unsigned i = 0; i < per; ++i) {
    for (unsigned lane = 0; lane < EMU_LANES; ++lane) {
      uint64_t part = 0;
      unsigned row = r % tiles * EMU_TILE + lane / 4, column = (r / tiles * 4 + lane % 4) * elements + i;
      if (!move(transfer, lane, row, column, size / per, &part, &addresses[lane]))
        return false;
      words[lane] |= part << (i * bits);
    }
    count(transfer, addresses, size / per);
  }
  for (int lane = 0; lane < EMU_LANES; ++lane)
    emu_set_lane(transfer->warp, to, lane, words[lane]);
  return true;
}

/* Moves a slot of C or D. */
static bool move_slot(const transfer_t *transfer, unsigned slot, unsigned m, const emu_operand_t *registers) {
  unsigned bytes = nereid_emulator_type_size(transfer->type), per = registers->size / bytes;
  unsigned tile = slot / 2, shift = slot % per * bytes * 8;
  const emu_operand_t *operand = &registers[slot / per];
  uint64_t addresses[EMU_LANES];
  for (unsigned lane = 0; lane < EMU_LANES; ++lane) {
    unsigned row = tile % (m / EMU_TILE) * EMU_TILE + lane / 4;
    unsigned column = tile / (m / EMU_TILE) * EMU_TILE + lane % 4 * 2 + slot % 2;
    uint64_t old = emu_lane(transfer->warp, operand, (int)lane), bits = old >> shift;
    if (!move(transfer, lane, row, column, bytes, &bits, &addresses[lane]))
      return false;
    if (!transfer->store)
      emu_set_lane(transfer->warp, operand, (int)lane, shift ? (old & 0xffff) | bits << shift : bits);
  }
  count(transfer, addresses, bytes);
  return true;
}

static emu_next_t load(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned m = insn->list[EMU_M], n = insn->list[EMU_N], k = insn->list[EMU_K];
  unsigned first = insn->lists[0].first, count_of = insn->lists[0].count, rows = insn->variant == EMU_WMMA_B ? n : m;
  bool sums = insn->variant == EMU_WMMA_C;
  transfer_t transfer = {.warp = warp, .insn = insn};
  emu_next_t next = mask ? nereid_emulator_whole_warp(warp, insn, mask) : EMU_ADVANCE;
  if (next != EMU_ADVANCE || !mask)
    return next;
  if (!begin(&transfer, (int)(first + count_of), rows, sums ? n : k))
    return EMU_FAILED;
  for (unsigned r = 0; !sums && r < count_of; ++r)
    if (!load_register(&transfer, r, rows / EMU_TILE, k, &insn->operands[first + r]))
      return EMU_FAILED;
  for (unsigned slot = 0; sums && slot < m * n / EMU_LANES; ++slot)
    if (!move_slot(&transfer, slot, m, insn->operands + first))
      return EMU_FAILED;
  return EMU_ADVANCE;
}

static emu_next_t store(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  unsigned m = insn->list[EMU_M], n = insn->list[EMU_N];
  transfer_t transfer = {.warp = warp, .insn = insn, .store = true};
  emu_next_t next = mask ? nereid_emulator_whole_warp(warp, insn, mask) : EMU_ADVANCE;
  if (next != EMU_ADVANCE || !mask)
    return next;
  if (!begin(&transfer, 0, m, n))
    return EMU_FAILED;
  for (unsigned slot = 0; slot < m * n / EMU_LANES; ++slot)
    if (!move_slot(&transfer, slot, m, insn->operands + insn->lists[0].first))
      return EMU_FAILED;
  return EMU_ADVANCE;
}

#define NEEDS (EMU_BIT(sync) | EMU_BIT(aligned))
#define SPACE (EMU_BIT(global) | EMU_BIT(shared))
#define KIND(kind) (NEREID_EMULATOR_CLASS_MATRIX | EMU_VARIANT(EMU_WMMA_##kind))
#define READ(which, kind, layout, shape, types, width)                                                                 \
  {"wmma load " which " " layout " " shape, types, "V" width "m-Ow", NEEDS, SPACE, load, KIND(kind)}
#define WRITE(shape, types, width)                                                                                     \
  {"wmma store d row|col " shape, types, "m-W" width "Ow", NEEDS, SPACE, store, KIND(D)}
#define ALL(shape, a_layout, b_layout, types, sums, width)                                                             \
  READ("a", A, a_layout, shape, types, width), READ("b", B, b_layout, shape, types, width),                            \
      READ("c", C, "row|col", shape, sums, width), WRITE(shape, sums, width)
#define ANY "row|col"
#define ALL_16(shape) ALL(shape, ANY, ANY, "f16|bf16|s8|u8", "f16|f32|s32", "w")

const emu_form_t nereid_emulator_wmma_forms[] = {ALL_16("m16n16k16"),
                                                 ALL_16("m8n32k16"),
                                                 ALL_16("m32n8k16"),
                                                 ALL("m16n16k8", ANY, ANY, "tf32", "f32", "w"),
                                                 ALL("m8n8k32", "row", "col", "s4|u4", "s32", "w"),
                                                 ALL("m8n8k128", "row", "col", "b1", "s32", "w"),
                                                 ALL("m8n8k4", ANY, ANY, "f64", "f64", "l"),
                                                 {0}};
