/* wgmma (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions): D = A B + D by four warps, A and B in shared
 * memory or A in registers. Each warp computes its 16 rows as an effect of its own, without waiting for the other
 * warps. When the effect lands, it reads shared memory, as the async proxy sees it, and its registers, and writes D.
 *
 * A matrix descriptor: bits 0-13 start address, 16-29 leading byte offset, 32-45 stride byte offset, each over 16;
 * 49-51 base offset, 62-63 swizzle (0 none, 1 128 bytes, 2 64, 3 32). A K-major operand (no .trans) consists of 8-row
 * atoms of W = 1, 8, 4 or 2 chunks of 16 bytes per row, of which an instruction's k has two:
 *
 *   row r, chunk c               (r % 8) * 16 W + (r / 8) * stride + c * (16, or unswizzled the leading offset)
 *
 * and an MN-major one of atoms of 8 k, each W chunks of 8 rows (of B: columns):
 *
 *   rows 8 u .. 8 u + 7, k       (u % W) * 16 + (u / W) * leading + (k % 8) * 16 W + (k / 8) * stride
 *                                unswizzled: u * stride + (k % 8) * 16 + (k / 8) * leading
 *
 * The start address is added; then bits 4, 5 and 6 (as many as W requires) are xored with bits 7, 8 and 9, minus the
 * base offset. */
#include "emulator/checks/frames.h"
#include "emulator/checks/undefined.h"
#include "emulator/instructions/form.h"
#include "emulator/instructions/tensor_cores/fragment.h"
#include "emulator/machine/effect.h"
#include "emulator/memory/proxy.h"
#include "emulator/race/race.h"

enum { CHUNK = 16, ROW_BYTES = 32, ROWS = 16, GROUP_WARPS = 4 };

typedef struct descriptor {
  uint32_t start, leading, stride, base, chunks; /* bytes; chunks: W */
} descriptor_t;

typedef struct payload { /* an effect's payload */
  descriptor_t a, b;
  bool a_in_registers, a_transposed, b_transposed, adds, negates;
} payload_t;

static descriptor_t descriptor(uint64_t bits) {
  static const uint32_t chunks[] = {1, 8, 4, 2};
  return (descriptor_t){.start = (uint32_t)(bits & 0x3fff) << 4,
                        .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                        .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                        .base = (uint32_t)(bits >> 49 & 7),
                        .chunks = chunks[bits >> 62]};
}

/* The address of a row's chunk, or MN-major of 8 rows at a k. */
static uint32_t chunk_address(const descriptor_t *d, bool transposed, uint32_t row, uint32_t k) {
  uint32_t width = d->chunks * CHUNK, unit = row / 8, at;
  if (!transposed)
    at = row % 8 * width + unit * d->stride + k * (d->chunks == 1 ? d->leading : CHUNK);
  else if (d->chunks == 1)
    at = unit * d->stride + k % 8 * CHUNK + k / 8 * d->leading;
  else
    at = unit % d->chunks * CHUNK + unit / d->chunks * d->leading + k % 8 * width + k / 8 * d->stride;
  at += d->start;
  return at ^ (((at >> 7) - d->base) & (d->chunks - 1)) << 4;
}

static const uint8_t *chunk(const emu_effect_t *effect, const descriptor_t *d, bool transposed, uint32_t row,
                            uint32_t k) {
  const emu_cta_t *cta = effect->warp->cta;
  uint32_t at = chunk_address(d, transposed, row, k);
  if (cta->undefined && !nereid_emulator_undefined_read(effect->warp, effect->insn, at, CHUNK))
    return NULL;
  if (cta->frames)
    nereid_emulator_frames_access(effect->warp, effect->insn, 0, at, CHUNK, EMU_READ);
  if (at < cta->shared_bytes && CHUNK <= cta->shared_bytes - at)
    return nereid_emulator_async_view(cta, at);
  (void)nereid_emulator_fail(effect->warp, effect->insn, 0,
                             "the matrix at 0x%x is out of bounds: row %u is at 0x%x, shared memory has %u bytes",
                             d->start, row, at, cta->shared_bytes);
  return NULL;
}

/* Reads rows of A or columns of B from shared memory, 32 bytes each. */
static bool rows_of(const emu_effect_t *effect, const descriptor_t *d, bool transposed, uint32_t first, uint32_t count,
                    uint8_t *out) {
  for (uint32_t row = 0; row < count && !transposed; ++row)
    for (uint32_t c = 0; c < ROW_BYTES / CHUNK; ++c) {
      const uint8_t *from = chunk(effect, d, transposed, first + row, c);
      if (!from)
        return false;
      memcpy(out + row * ROW_BYTES + (size_t)c * CHUNK, from, CHUNK);
    }
  for (uint32_t row = 0; row < count && transposed; row += 8)
    for (uint32_t k = 0; k < ROW_BYTES / 2; ++k) {
      const uint8_t *from = chunk(effect, d, transposed, first + row, k);
      if (!from)
        return false;
      for (uint32_t i = 0; i < 8; ++i)
        memcpy(out + (row + i) * ROW_BYTES + (size_t)k * 2, from + (size_t)i * 2, 2);
    }
  return true;
}

/* Declares the reads of `rows_of` to the race detector. */
static void announce(emu_effect_t *effect, const descriptor_t *d, bool transposed, uint32_t first, uint32_t count) {
  for (uint32_t row = 0; row < count; row += transposed ? 8 : 1)
    for (uint32_t k = 0; k < (transposed ? ROW_BYTES / 2 : ROW_BYTES / CHUNK); ++k)
      nereid_emulator_race_effect(effect, 0, false, effect->warp->cta, chunk_address(d, transposed, first + row, k),
                                  CHUNK);
}

/* Accumulation parameters (dot.c): sums of 8-bit floating-point products keep fewer bits. */
static unsigned fraction_of(const emu_insn_t *insn) {
  return insn->types[0] == EMU_S32 ? 0 : emu_element_bits((emu_type_t)insn->types[1]) == 8 ? 13 : 25;
}

static unsigned mantissa_of(const emu_insn_t *insn) {
  return insn->types[0] != EMU_F32 ? 0 : fraction_of(insn) == 13 ? 13 : 23;
}

static bool land(emu_effect_t *effect, uint32_t lanes) {
  uint8_t left[ROWS * ROW_BYTES], right[EMU_MAX_COLUMNS * ROW_BYTES];
  double sums[ROWS * EMU_MAX_COLUMNS];
  const payload_t *payload = (const payload_t *)effect->payload;
  const emu_insn_t *insn = effect->insn;
  emu_warp_t *warp = effect->warp;
  const uint32_t n = insn->list[EMU_N], k = insn->list[EMU_K];
  const emu_operand_t *d = insn->operands + insn->lists[0].first, *a = insn->operands + insn->lists[1].first;
  const emu_dot_t all = {.a = {left, ROW_BYTES, (emu_type_t)insn->types[1], ROWS},
                         .b = {right, ROW_BYTES, (emu_type_t)insn->types[2], n},
                         .k = k,
                         .negates = payload->negates,
                         .fraction = fraction_of(insn),
                         .mantissa = mantissa_of(insn)};
  (void)lanes; /* all lanes: the effect lands in order */
  if (payload->a_in_registers)
    nereid_emulator_rows_read(warp, a, all.a.type, ROWS, k, left, ROW_BYTES);
  else if (!rows_of(effect, &payload->a, payload->a_transposed, warp->index % GROUP_WARPS * ROWS, ROWS, left))
    return false;
  if (!rows_of(effect, &payload->b, payload->b_transposed, 0, n, right))
    return false;
  if (payload->adds)
    nereid_emulator_sums_read(warp, d, (emu_type_t)insn->types[0], ROWS, n, sums);
  else
    memset(sums, 0, sizeof *sums * ROWS * n);
  nereid_emulator_dot(sums, &all);
  nereid_emulator_sums_write(warp, d, (emu_type_t)insn->types[0], EMU_HAS(insn, satfinite), ROWS, n, sums);
  return true;
}

/* Checks the convergence of a warpgroup's .aligned instruction. */
static emu_next_t whole_group(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = nereid_emulator_whole_warp(warp, insn, mask);
  if (next == EMU_ADVANCE && (warp->index | (GROUP_WARPS - 1)) >= warp->cta->n_warps)
    return nereid_emulator_fail(warp, insn, 0, "a warpgroup has four warps, the last of this CTA has %u",
                                (unsigned)(warp->cta->n_warps % GROUP_WARPS));
  return next;
}

static emu_next_t mma_async(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = mask ? whole_group(warp, insn, mask) : EMU_ADVANCE;
  if (next != EMU_ADVANCE || !mask)
    return next;
  /* After D: A, B's descriptor, scale-d; for floating point imm-scale-a and -b; for 16 bits imm-trans-a and -b. */
  const emu_operand_t *a = insn->operands + insn->lists[1].first, *b = a + insn->lists[1].count;
  const bool in_registers = insn->lists[1].count > 1;
  const unsigned after = insn->n_operands - (unsigned)(b - insn->operands);
  uint32_t adds = emu_predicate(warp, b + 1);
  for (int lane = 1; lane < EMU_LANES; ++lane)
    if (emu_lane(warp, b, lane) != emu_lane(warp, b, 0) ||
        (!in_registers && emu_lane(warp, a, lane) != emu_lane(warp, a, 0)))
      return nereid_emulator_fail(warp, insn, lane, "a matrix descriptor must be the same in all lanes");
  if (adds != 0 && adds != UINT32_MAX)
    return nereid_emulator_fail(warp, insn, __builtin_ctz(adds), "scale-d must be the same in all lanes");
  emu_effect_t *effect = nereid_emulator_effect(warp, insn, mask, EMU_GROUP_WGMMA, sizeof(payload_t));
  if (!effect)
    return EMU_FAILED;
  payload_t *payload = (payload_t *)effect->payload;
  payload->a_in_registers = in_registers;
  payload->adds = adds != 0;
  if (!in_registers)
    payload->a = descriptor(emu_lane(warp, a, 0));
  payload->b = descriptor(emu_lane(warp, b, 0));
  if (after > 2)
    payload->negates = emu_lane(warp, b + 2, 0) != emu_lane(warp, b + 3, 0);
  if (after > 4) {
    payload->a_transposed = !in_registers && emu_lane(warp, b + 4, 0);
    payload->b_transposed = emu_lane(warp, b + (in_registers ? 4 : 5), 0);
  }
  effect->in_order = true;
  effect->land = land;
  if (warp->cta->race && !in_registers)
    announce(effect, &payload->a, payload->a_transposed, warp->index % GROUP_WARPS * ROWS, ROWS);
  if (warp->cta->race)
    nereid_emulator_race_wgmma(effect);
  if (warp->cta->race)
    announce(effect, &payload->b, payload->b_transposed, 0, insn->list[EMU_N]);
  return nereid_emulator_issue(effect) ? EMU_ADVANCE : EMU_FAILED;
}

static emu_next_t fence(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = mask ? whole_group(warp, insn, mask) : EMU_ADVANCE;
  if (next == EMU_ADVANCE && mask && warp->cta->race)
    nereid_emulator_race_wgmma_fence(warp);
  return next;
}

static emu_next_t commit_group(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = mask ? whole_group(warp, insn, mask) : EMU_ADVANCE;
  if (next == EMU_ADVANCE)
    nereid_emulator_commit(warp, mask, EMU_GROUP_WGMMA);
  return next;
}

static emu_next_t wait_group(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_next_t next = mask ? whole_group(warp, insn, mask) : EMU_ADVANCE;
  if (next != EMU_ADVANCE || !mask)
    return next;
  uint32_t keep = (uint32_t)emu_lane(warp, &insn->operands[0], 0);
  return nereid_emulator_wait_groups(warp, mask, EMU_GROUP_WGMMA, keep, false) ? EMU_ADVANCE : EMU_FAILED;
}

#define NEEDS (EMU_BIT(sync) | EMU_BIT(aligned))
#define MMA (NEREID_EMULATOR_CLASS_MATRIX | EMU_VARIANT(EMU_WGMMA) | EMU_KIND(WGMMA))
#define SYNC NEREID_EMULATOR_CLASS_BARRIER
const emu_form_t nereid_emulator_wgmma_forms[] = {
    {"wgmma mma_async m64n*k16", "f32.f16.f16|f16.f16.f16|f32.bf16.bf16", "VwW*slq-swswswOw", NEEDS, 0, mma_async, MMA},
    {"wgmma mma_async m64n*k8", "f32.tf32.tf32", "VwW*slq-swsw", NEEDS, 0, mma_async, MMA},
    {"wgmma mma_async m64n*k32",
     "f32.e4m3.e4m3|f32.e4m3.e5m2|f32.e5m2.e4m3|f32.e5m2.e5m2|f16.e4m3.e4m3|f16.e4m3.e5m2|f16.e5m2.e4m3|f16.e5m2.e5m2",
     "VwW*slq-swsw", NEEDS, 0, mma_async, MMA},
    {"wgmma mma_async m64n*k32", "s32.s8.s8|s32.s8.u8|s32.u8.s8|s32.u8.u8", "VwW*slq-", NEEDS, EMU_BIT(satfinite),
     mma_async, MMA},
    {"wgmma mma_async m64n*k256", "s32.b1.b1", "VwW*slq-", NEEDS | EMU_BIT(and) | EMU_BIT(popc), 0, mma_async, MMA},
    {"wgmma fence", "", "", NEEDS, 0, fence, SYNC},
    {"wgmma commit_group", "", "", NEEDS, 0, commit_group, SYNC},
    {"wgmma wait_group", "", "sw", NEEDS, 0, wait_group, SYNC},
    {0}};
