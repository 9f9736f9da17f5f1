/* Bulk copies and reductions (PTX ISA, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async): one thread moves
 * multiples of 16 bytes between global memory and the shared memory of the CTAs of its cluster.
 *
 * An effect has two halves: it reads its source, which wait_group.read waits for, then writes or reduces. An
 * mbarrier counts the bytes written to its CTA's shared memory; copies to global memory belong to a bulk group. A
 * copy to several CTAs is one effect per CTA. */
#include "emulator/instructions/asynchronous/bulk.h"
#include "emulator/instructions/form.h"

#include "emulator/machine/execute.h"
#include "emulator/machine/mbarrier.h"
#include "emulator/memory/proxy.h"
#include "emulator/race/race.h"

bool nereid_emulator_track(emu_effect_t *effect, int lane, const emu_cta_t *cta, uint64_t address, uint32_t bytes) {
  emu_warp_t *warp = effect->warp;
  emu_space_t space = EMU_HAS(effect->insn, shared_cluster) ? EMU_SHARED_CLUSTER : EMU_SHARED;
  effect->mbarrier_cta = nereid_emulator_mbarrier_at(warp, effect->insn, lane, space, address, &effect->mbarrier);
  if (!effect->mbarrier_cta)
    return false;
  effect->transaction = bytes;
  return effect->mbarrier_cta == cta ||
         nereid_emulator_fail(warp, effect->insn, lane, "the mbarrier is in CTA %u, the destination in CTA %u",
                              effect->mbarrier_cta->rank, cta->rank) == EMU_ADVANCE;
}

uint32_t nereid_emulator_targets(emu_warp_t *warp, const emu_insn_t *insn, int lane, int k, const emu_cta_t *cta) {
  if (!(insn->variant & EMU_MULTICAST))
    return UINT32_C(1) << cta->rank;
  uint32_t mask = (uint32_t)emu_lane(warp, &insn->operands[k], lane);
  if (!mask || mask >> cta->cluster->n_ctas) {
    (void)nereid_emulator_fail(warp, insn, lane, "the CTA mask 0x%x does not fit a cluster of %u", mask,
                               cta->cluster->n_ctas);
    return 0;
  }
  return mask;
}

void nereid_emulator_reduce(const emu_insn_t *insn, emu_type_t type, bool flushes, uint8_t *to, const uint8_t *from,
                            uint32_t n) {
  uint32_t size = nereid_emulator_type_size(type);
  emu_insn_t as = *insn;
  as.modifiers &= ~(EMU_BIT(shared) | EMU_BIT(shared_cluster));
  as.modifiers |= flushes ? 0 : EMU_BIT(shared); /* where red preserves subnormal sums */
  as.types[0] = (uint8_t)type;
  for (uint32_t i = 0; i + size <= n; i += size) {
    uint64_t old = 0, with = 0;
    memcpy(&old, to + i, size);
    memcpy(&with, from + i, size);
    old = nereid_emulator_combined(&as, old, with);
    memcpy(to + i, &old, size);
  }
}

void nereid_emulator_count_bulk(emu_warp_t *warp, uint64_t bytes) {
  if (!warp->cta->launch->count)
    return;
  warp->cta->counters.bulk_copies++;
  warp->cta->counters.bulk_bytes += bytes;
}

typedef struct piece {
  uint64_t from, to; /* global addresses, or offsets in shared memory */
  emu_cta_t *target; /* CTA whose shared memory is written */
  uint32_t bytes;
  uint8_t buffer[];
} piece_t;

static bool collect(emu_effect_t *effect, uint32_t lanes) {
  piece_t *piece = (piece_t *)(void *)effect->payload;
  emu_warp_t *warp = effect->warp;
  if (effect->insn->variant & EMU_FROM_SHARED) {
    nereid_emulator_async_read(warp->cta, (uint32_t)piece->from, piece->buffer, piece->bytes);
    return true;
  }
  const uint8_t *from = nereid_emulator_reach(warp, effect->insn, __builtin_ctz(lanes), EMU_GLOBAL, piece->from,
                                              piece->bytes, 16, EMU_READ);
  if (from)
    memcpy(piece->buffer, from, piece->bytes);
  return from != NULL;
}

static bool land(emu_effect_t *effect, uint32_t lanes) {
  piece_t *piece = (piece_t *)(void *)effect->payload;
  const emu_insn_t *insn = effect->insn;
  bool reduces = insn->variant & EMU_REDUCES;
  uint8_t *to = piece->target ? piece->target->shared + piece->to
                              : nereid_emulator_reach(effect->warp, insn, __builtin_ctz(lanes), EMU_GLOBAL, piece->to,
                                                      piece->bytes, 16, reduces ? EMU_UPDATE : EMU_WRITE);
  if (!to)
    return false;
  if (piece->target && !reduces) {
    nereid_emulator_async_write(piece->target, (uint32_t)piece->to, piece->buffer, piece->bytes);
    return true;
  }
  if (!reduces) {
    memcpy(to, piece->buffer, piece->bytes);
    return true;
  }
  if (!piece->target) {
    nereid_emulator_reduce(insn, (emu_type_t)insn->types[0], false, to, piece->buffer, piece->bytes);
    return true;
  }
  for (uint32_t i = 0; i < piece->bytes; i += 16) {
    uint8_t sums[16];
    memcpy(sums, to + i, sizeof sums);
    nereid_emulator_reduce(insn, (emu_type_t)insn->types[0], false, sums, piece->buffer + i, sizeof sums);
    nereid_emulator_async_write(piece->target, (uint32_t)piece->to + i, sums, sizeof sums);
  }
  return true;
}

/* Starts a lane's copy to `target`, null for global memory. */
static bool start(emu_warp_t *warp, const emu_insn_t *insn, int lane, const piece_t *piece, emu_cta_t *target,
                  uint64_t mbarrier) {
  emu_effect_t *effect = nereid_emulator_effect(warp, insn, UINT32_C(1) << lane,
                                                target ? EMU_GROUP_NONE : EMU_GROUP_BULK, sizeof *piece + piece->bytes);
  if (!effect)
    return false;
  memcpy(effect->payload, piece, sizeof *piece);
  ((piece_t *)(void *)effect->payload)->target = target;
  effect->collect = collect;
  effect->land = land;
  if (target && !nereid_emulator_track(effect, lane, target, mbarrier, piece->bytes)) {
    nereid_emulator_free_effect(effect);
    return false;
  }
  if (warp->cta->race) {
    bool shared = insn->variant & EMU_FROM_SHARED;
    nereid_emulator_race_effect(effect, lane, false, shared ? warp->cta : NULL, piece->from, piece->bytes);
    nereid_emulator_race_effect(effect, lane, true, target, piece->to, piece->bytes);
  }
  return nereid_emulator_issue(effect);
}

uint64_t nereid_emulator_in_cta(uint64_t address, uint32_t rank) {
  return (uint64_t)(rank + 1) << EMU_RANK_SHIFT | (address & EMU_OFFSET_MASK);
}

/* Operands: to, from, bytes, then an mbarrier, then a mask of CTAs. */
static bool copy_lane(emu_warp_t *warp, const emu_insn_t *insn, int lane) {
  uint64_t to = emu_address(warp, insn, 0, lane);
  piece_t piece = {.from = emu_lane(warp, &insn->operands[1], lane) + (uint64_t)insn->offsets[0],
                   .to = to,
                   .bytes = (uint32_t)emu_lane(warp, &insn->operands[2], lane)};
  if (piece.bytes % 16)
    return nereid_emulator_fail(warp, insn, lane, "the size must be a multiple of 16 bytes, not %u", piece.bytes) ==
           EMU_ADVANCE;
  nereid_emulator_count_bulk(warp, piece.bytes);
  if (!piece.bytes)
    return true;
  uint32_t offset = 0;
  if (insn->variant & EMU_FROM_SHARED) {
    if (!nereid_emulator_shared_range(warp, insn, lane, EMU_SHARED, piece.from, piece.bytes, 16, &offset))
      return false;
    piece.from = offset;
  }
  if (!(insn->variant & EMU_TO_SHARED))
    return start(warp, insn, lane, &piece, NULL, 0);
  emu_space_t space = EMU_HAS(insn, shared_cluster) ? EMU_SHARED_CLUSTER : EMU_SHARED;
  emu_cta_t *cta = nereid_emulator_shared_range(warp, insn, lane, space, to, piece.bytes, 16, &offset);
  uint32_t targets = cta ? nereid_emulator_targets(warp, insn, lane, 4, cta) : 0;
  uint64_t mbarrier = emu_lane(warp, &insn->operands[3], lane) + (uint64_t)insn->offsets[1];
  piece.to = offset;
  bool good = targets != 0;
  for (; good && targets; targets &= targets - 1) {
    uint32_t rank = (uint32_t)__builtin_ctz(targets);
    good = start(warp, insn, lane, &piece, &cta->cluster->ctas[rank],
                 insn->variant & EMU_MULTICAST ? nereid_emulator_in_cta(mbarrier, rank) : mbarrier);
  }
  return good;
}

static emu_next_t copy(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask)
  if (!copy_lane(warp, insn, (int)lane))
    return EMU_FAILED;
  return EMU_ADVANCE;
}

/* st.async and red.async: a thread's values, a generic access tracked by an mbarrier. */
typedef struct remote {
  uint64_t to;
  uint32_t each, n;
  uint64_t values[4];
} remote_t;

static bool land_remote(emu_effect_t *effect, uint32_t lanes) {
  const remote_t *remote = (const remote_t *)(const void *)effect->payload;
  const emu_insn_t *insn = effect->insn;
  bool reduces = insn->variant & EMU_REDUCES;
  emu_space_t space = (emu_space_t)insn->space;
  uint8_t *to = nereid_emulator_access(effect->warp, insn, __builtin_ctz(lanes), space, remote->to,
                                       remote->each * remote->n, reduces ? EMU_UPDATE : EMU_WRITE);
  for (uint32_t i = 0; to && i < remote->n; ++i) {
    uint64_t value = remote->values[i], old = 0;
    memcpy(&old, to + (size_t)i * remote->each, remote->each);
    value = reduces ? nereid_emulator_combined(insn, old, value) : value;
    memcpy(to + (size_t)i * remote->each, &value, remote->each);
  }
  return to != NULL;
}

/* Operands: to, values, mbarrier. */
static bool send_lane(emu_warp_t *warp, const emu_insn_t *insn, int lane) {
  uint32_t offset = 0;
  remote_t remote = {.to = emu_address(warp, insn, 0, lane),
                     .each = nereid_emulator_type_size((emu_type_t)insn->types[0]),
                     .n = insn->n_vector};
  for (uint32_t i = 0; i < remote.n; ++i)
    remote.values[i] = emu_lane(warp, &insn->operands[1 + i], lane);
  emu_cta_t *cta = nereid_emulator_shared_range(warp, insn, lane, (emu_space_t)insn->space, remote.to,
                                                remote.each * remote.n, remote.each * remote.n, &offset);
  emu_effect_t *effect =
      cta ? nereid_emulator_effect(warp, insn, UINT32_C(1) << lane, EMU_GROUP_NONE, sizeof remote) : NULL;
  if (!effect)
    return false;
  memcpy(effect->payload, &remote, sizeof remote);
  effect->land = land_remote;
  effect->transaction = remote.each * remote.n;
  effect->mbarrier_cta = nereid_emulator_mbarrier_at(
      warp, insn, lane, (emu_space_t)insn->space,
      emu_lane(warp, &insn->operands[1 + remote.n], lane) + (uint64_t)insn->offsets[0], &effect->mbarrier);
  if (effect->mbarrier_cta == cta && warp->cta->race)
    nereid_emulator_race_effect(effect, lane, true, cta, offset, effect->transaction);
  if (effect->mbarrier_cta == cta)
    return nereid_emulator_issue(effect);
  nereid_emulator_free_effect(effect);
  return nereid_emulator_fail(warp, insn, lane, "the mbarrier is in another CTA than the destination") == EMU_ADVANCE;
}

static emu_next_t send(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  FOR_LANES(lane, mask)
  if (!send_lane(warp, insn, (int)lane))
    return EMU_FAILED;
  return EMU_ADVANCE;
}

#define MEMORY NEREID_EMULATOR_CLASS_MEMORY
#define ATOMIC NEREID_EMULATOR_CLASS_ATOMIC
#define WITH(n) (MEMORY | EMU_VARIANT(n))
#define TX " mbarrier::complete_tx::bytes"
#define IN EMU_TO_SHARED
#define ACROSS (EMU_TO_SHARED | EMU_FROM_SHARED)
#define OUT EMU_FROM_SHARED
#define SHARED EMU_BIT(shared)
#define CLUSTER EMU_BIT(shared_cluster)
#define GLOBAL EMU_BIT(global)
#define HINT EMU_BIT(hint)
#define TO_CLUSTER(op, types)                                                                                          \
  {"cp reduce async bulk" TX, types, "m-m-swm-", CLUSTER | SHARED | EMU_BIT(op), HINT, copy, WITH(ACROSS | EMU_REDUCES)}
#define TO_GLOBAL(op, types, more)                                                                                     \
  {"cp reduce async bulk bulk_group",      types, "m-m-sw", GLOBAL | SHARED | EMU_BIT(op) | (more), HINT, copy,        \
   ATOMIC | EMU_VARIANT(OUT | EMU_REDUCES)}
#define RED(op, types)                                                                                                 \
  {"red async" TX, types, "m-s0m-", EMU_BIT(op) | EMU_BIT(relaxed) | EMU_BIT(cluster), CLUSTER, send, WITH(EMU_REDUCES)}
#define SENT "b32|u32|s32|f32|b64|u64|s64|f64"

const emu_form_t nereid_emulator_bulk_forms[] = {
    {"cp async bulk" TX, "", "m-m-swm-", CLUSTER | GLOBAL, HINT, copy, WITH(IN)},
    {"cp async bulk" TX, "", "m-m-swm-", SHARED | GLOBAL, HINT, copy, WITH(IN)},
    {"cp async bulk multicast::cluster" TX, "", "m-m-swm-sh", CLUSTER | GLOBAL, HINT, copy, WITH(IN | EMU_MULTICAST)},
    {"cp async bulk" TX, "", "m-m-swm-", CLUSTER | SHARED, 0, copy, WITH(ACROSS)},
    {"cp async bulk bulk_group", "", "m-m-sw", GLOBAL | SHARED, HINT, copy, WITH(OUT)},
    {"cp async bulk prefetch L2", "", "m-sw", GLOBAL, HINT, nereid_emulator_nothing, MEMORY},
    TO_CLUSTER(and, "b32"),
    TO_CLUSTER(or, "b32"),
    TO_CLUSTER(xor, "b32"),
    TO_CLUSTER(add, "u32|s32|u64"),
    TO_CLUSTER(inc, "u32"),
    TO_CLUSTER(dec, "u32"),
    TO_CLUSTER(min, "u32|s32"),
    TO_CLUSTER(max, "u32|s32"),
    TO_GLOBAL(and, "b32|b64", 0),
    TO_GLOBAL(or, "b32|b64", 0),
    TO_GLOBAL(xor, "b32|b64", 0),
    TO_GLOBAL(add, "u32|s32|u64|f32|f64", 0),
    TO_GLOBAL(add, "f16|bf16", EMU_BIT(noftz)),
    TO_GLOBAL(inc, "u32", 0),
    TO_GLOBAL(dec, "u32", 0),
    TO_GLOBAL(min, "u32|s32|u64|s64|f16|bf16", 0),
    TO_GLOBAL(max, "u32|s32|u64|s64|f16|bf16", 0),
    {"st async" TX, SENT, "m-w*m-", 0, CLUSTER | EMU_BIT(weak) | EMU_BIT(v2) | EMU_BIT(v4), send, MEMORY},
    RED(inc, "u32"),
    RED(dec, "u32"),
    RED(min, "u32|s32"),
    RED(max, "u32|s32"),
    RED(add, "u32|s32|u64|s64"),
    RED(and, "b32"),
    RED(or, "b32"),
    RED(xor, "b32"),
    {0}};
