/* Cost of a warp's request in the model of docs/emulator.md: 32-byte sectors of global memory, and wavefronts over the
 * 32 banks of shared memory.
 *
 *   ld.global.b32 of lanes at 0, 4, 8, ... 124   ->   one request, four sectors
 *   ld.shared.b32 of lanes at 0, 128, 256, ...   ->   one request, 32 wavefronts: all are words of bank 0 */
#include "emulator/memory/access.h"

enum { SECTOR = 32, BANKS = 32, WORDS = 4 * EMU_LANES };

/* Counts distinct sectors. Lane addresses mostly ascend; then only the last sector can repeat. */
static uint32_t sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  uint64_t seen[2 * EMU_LANES], most = 0;
  uint32_t n = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t from = addresses[__builtin_ctz(left)] / SECTOR, to = (addresses[__builtin_ctz(left)] + bytes - 1) / SECTOR;
    for (uint64_t sector = from; sector <= to; ++sector) {
      uint32_t i = n;
      if (n && sector <= most)
        while (i > 0 && seen[i - 1] != sector)
          --i;
      else
        i = 0, most = sector;
      if (!i)
        seen[n++] = sector;
    }
  }
  return n;
}

/* The maximum number of distinct words of one bank among `mask`: the cycles required. */
static uint32_t bank_depth(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  uint64_t words[WORDS];
  uint8_t before[WORDS], last[BANKS] = {0}, depth[BANKS] = {0}; /* a bank's words as a linked chain of indices from 1 */
  uint32_t n = 0, most = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t from = addresses[__builtin_ctz(left)] / 4, to = (addresses[__builtin_ctz(left)] + bytes - 1) / 4;
    for (uint64_t word = from; word <= to; ++word) {
      uint32_t bank = word % BANKS, at = last[bank];
      while (at && words[at - 1] != word)
        at = before[at - 1];
      if (at)
        continue;
      words[n] = word;
      before[n] = last[bank];
      last[bank] = (uint8_t)++n;
      most = ++depth[bank] > most ? depth[bank] : most;
    }
  }
  return most;
}

/* Lanes served together: 64-bit accesses are split into half warps, 128-bit ones into quarter warps. */
static uint32_t group_lanes(uint32_t bytes) {
  return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
}

/* The lanes of `mask` in the group from lane `from` on. */
static uint32_t group(uint32_t mask, uint32_t lanes, uint32_t from) {
  return mask & ((lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1) << from);
}

/* The groups with an active lane: the wavefronts without bank conflicts. */
static uint32_t groups(uint32_t mask, uint32_t bytes) {
  const uint32_t lanes = group_lanes(bytes);
  uint32_t total = 0;
  for (uint32_t from = 0; from < EMU_LANES; from += lanes)
    total += group(mask, lanes, from) != 0;
  return total;
}

static uint32_t wavefronts(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  const uint32_t lanes = group_lanes(bytes);
  uint32_t total = 0;
  for (uint32_t from = 0; from < EMU_LANES; from += lanes) {
    const uint32_t part = group(mask, lanes, from);
    total += part ? bank_depth(addresses, part, bytes) : 0;
  }
  return total;
}

/* Whether all lanes are active and their addresses consecutive. */
static bool consecutive(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  uint64_t wrong = 0;
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane)
    wrong |= addresses[lane] - addresses[0] - (uint64_t)lane * bytes;
  return mask == UINT32_MAX && !wrong;
}

void nereid_emulator_count_run(emu_warp_t *warp, uint64_t address, uint32_t bytes, emu_space_t space, bool store) {
  nereid_emulator_counters_t *counters = &warp->cta->counters;
  uint64_t total = (uint64_t)EMU_LANES * bytes;
  if (space == EMU_SHARED) {
    counters->shared_requests[store]++;
    counters->shared_wavefronts[store] += bytes <= 4 ? 1 : bytes / 4; /* 32 banks per wavefront */
    counters->shared_bytes[store] += total;
  } else {
    counters->global_requests[store]++;
    counters->global_sectors[store] += (address + total - 1) / SECTOR - address / SECTOR + 1;
    counters->global_bytes[store] += total;
  }
}

void nereid_emulator_count(emu_warp_t *warp, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                           emu_space_t space, bool store) {
  nereid_emulator_counters_t *counters = &warp->cta->counters;
  uint64_t total = (uint64_t)__builtin_popcount(mask) * bytes;
  if (!mask || space == EMU_PARAM)
    return;
  if (space == EMU_LOCAL) {
    counters->local_bytes[store] += total;
  } else if (consecutive(addresses, mask, bytes)) {
    nereid_emulator_count_run(warp, addresses[0], bytes, space, store);
  } else if (space == EMU_SHARED) {
    const uint32_t cost = wavefronts(addresses, mask, bytes);
    counters->shared_requests[store]++;
    counters->shared_wavefronts[store] += cost;
    warp->cta->bank_conflicts += cost - groups(mask, bytes);
    counters->shared_bytes[store] += total;
  } else {
    counters->global_requests[store]++;
    counters->global_sectors[store] += sectors(addresses, mask, bytes);
    counters->global_bytes[store] += total;
  }
}
