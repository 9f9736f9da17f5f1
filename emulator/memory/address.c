/* Resolves the address of a shared, local, parameter or global access; checks bounds and alignment. */
#include "base/kernel/address.h"
#include "emulator/checks/frames.h"
#include "emulator/checks/undefined.h"
#include "emulator/checks/watch.h"
#include "emulator/machine/execute.h"
#include "emulator/memory/proxy.h"
#include "emulator/memory/space.h"

static uint8_t *outside(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address, uint32_t bytes,
                        const char *space, uint64_t limit) {
  (void)nereid_emulator_fail(warp, insn, lane, "%u bytes at 0x%llx are out of bounds: %s memory has %llu bytes", bytes,
                             (unsigned long long)address, space, (unsigned long long)limit);
  return NULL;
}

static uint64_t distance(const emu_region_t *region, uint64_t address) {
  return nereid_address_distance(region->address, region->bytes, address);
}

/* Returns the nearest buffer, for diagnostics; null: none within the spacing of buffers. */
static const emu_region_t *nearest(const emu_cta_t *cta, uint64_t address) {
  const emu_region_t *near = NULL;
  for (size_t i = 0; i < cta->n_regions; ++i)
    if (!near || distance(&cta->regions[i], address) < distance(near, address))
      near = &cta->regions[i];
  return near && distance(near, address) < NEREID_ADDRESS_SPACING ? near : NULL;
}

static uint8_t *nowhere(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint64_t address, uint32_t bytes) {
  const emu_region_t *near = address < NEREID_ADDRESS_NULL_PAGE ? NULL : nearest(warp->cta, address);
  const uint64_t at = near ? address - near->address : 0;
  const emu_freed_t *freed = nereid_emulator_memory_freed(warp->cta->launch->memory, address);
  if (freed)
    (void)nereid_emulator_fail(
        warp, insn, lane, "%u bytes at 0x%llx are in freed memory: byte %llu of a buffer of %llu bytes", bytes,
        (unsigned long long)address, (unsigned long long)(address - freed->address), (unsigned long long)freed->bytes);
  else if (near && at < near->bytes)
    (void)nereid_emulator_fail(
        warp, insn, lane, "%u bytes at 0x%llx are out of bounds: bytes %llu to %llu of %s, which has %llu bytes", bytes,
        (unsigned long long)address, (unsigned long long)at, (unsigned long long)(at + bytes - 1),
        near->label ? near->label : "a buffer", (unsigned long long)near->bytes);
  else if (near)
    (void)nereid_emulator_fail(warp, insn, lane,
                               "%u bytes at 0x%llx are out of bounds: byte %lld of %s, which has %llu bytes", bytes,
                               (unsigned long long)address, (long long)(address - near->address),
                               near->label ? near->label : "a buffer", (unsigned long long)near->bytes);
  else if (address < NEREID_ADDRESS_NULL_PAGE)
    (void)nereid_emulator_fail(warp, insn, lane, "%u bytes at 0x%llx are out of bounds: the pointer is null", bytes,
                               (unsigned long long)address);
  else
    (void)nereid_emulator_fail(warp, insn, lane, "%u bytes at 0x%llx are out of bounds: no buffer contains them", bytes,
                               (unsigned long long)address);
  return NULL;
}

/* Resolves shared memory of another CTA of the cluster, if the space allows it, or of this CTA by its rank. */
static uint8_t *ranked(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                       uint32_t bytes, emu_access_t access) {
  const uint64_t at = address & EMU_OFFSET_MASK, own_bytes = warp->cta->shared_bytes;
  emu_cta_t *cta = nereid_emulator_cta_of(warp->cta, address);
  if (!cta || address >= EMU_WINDOW_BYTES || (space == EMU_SHARED && cta != warp->cta) || at >= cta->shared_bytes ||
      bytes > cta->shared_bytes - at)
    return outside(warp, insn, lane, address, bytes, "shared", own_bytes);
  if (cta != warp->cta && !nereid_emulator_lives(cta)) {
    (void)nereid_emulator_fail(warp, insn, lane, "CTA %u of the cluster, whose shared memory it is, has exited",
                               cta->rank);
    return NULL;
  }
  if (cta->owners && access != EMU_READ)
    nereid_emulator_generic_write(cta, (uint32_t)at, bytes, warp, lane);
  return cta->shared + at;
}

/* Returns the host bytes at `from` (first thread's for local memory) if one buffer contains all bytes up to `to`,
 * else null. */
static uint8_t *piece(emu_cta_t *cta, emu_space_t space, uint64_t from, uint64_t to) {
  if (space == EMU_SHARED_CLUSTER)
    return NULL;
  uint64_t limit = space == EMU_SHARED  ? cta->shared_bytes
                   : space == EMU_LOCAL ? cta->local_bytes
                                        : cta->launch->parameter_bytes;
  if (space != EMU_GLOBAL)
    return to > limit || from > to ? NULL
           : space == EMU_SHARED   ? cta->shared + from
           : space == EMU_LOCAL    ? cta->local + from
                                   : (uint8_t *)(uintptr_t)cta->launch->parameters + from;
  for (size_t k = 0; k < cta->n_regions; ++k) {
    size_t i = cta->last_region + k < cta->n_regions ? cta->last_region + k : cta->last_region + k - cta->n_regions;
    const emu_region_t *region = &cta->regions[i];
    if (from >= region->address && from <= to && to - region->address <= region->bytes) {
      cta->last_region = i;
      return region->host + (from - region->address);
    }
  }
  return NULL;
}

uint8_t *nereid_emulator_access(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                                uint32_t bytes, emu_access_t access) {
  return nereid_emulator_reach(warp, insn, lane, space, address, bytes, bytes, access);
}

uint8_t *nereid_emulator_reach(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                               uint32_t bytes, uint32_t alignment, emu_access_t access) {
  emu_cta_t *cta = warp->cta;
  emu_space_t where = emu_space_of(space, address);
  uint64_t at = address - emu_window_of(space, where, address);
  if (where == EMU_SHARED_CLUSTER && space != EMU_SHARED_CLUSTER && nereid_emulator_cta_of(cta, at) == cta) {
    where = EMU_SHARED;
    at &= EMU_OFFSET_MASK;
  }
  if (address % alignment) {
    (void)nereid_emulator_fail(warp, insn, lane, "the address 0x%llx is misaligned: %u bytes need a multiple of %u",
                               (unsigned long long)address, bytes, alignment);
    return NULL;
  }
  if (where == EMU_PARAM && access != EMU_READ) {
    (void)nereid_emulator_fail(warp, insn, lane, "a kernel's parameters are read-only");
    return NULL;
  }
  if (where == EMU_SHARED_CLUSTER)
    return ranked(warp, insn, lane, space, at, bytes, access);
  uint8_t *place = piece(cta, where, at, at + bytes);
  if (!place)
    return where == EMU_SHARED  ? outside(warp, insn, lane, at, bytes, "shared", cta->shared_bytes)
           : where == EMU_LOCAL ? outside(warp, insn, lane, at, bytes, "local", cta->local_bytes)
           : where == EMU_PARAM ? outside(warp, insn, lane, at, bytes, "parameter", cta->launch->parameter_bytes)
                                : nowhere(warp, insn, lane, address, bytes);
  if (cta->owners && where == EMU_SHARED && access != EMU_READ)
    nereid_emulator_generic_write(cta, (uint32_t)at, bytes, warp, lane);
  if (cta->cluster->watch && where == EMU_GLOBAL && access != EMU_READ)
    nereid_emulator_watch_write(warp, insn, lane, address, bytes);
  if (cta->undefined && where == EMU_SHARED && access != EMU_READ)
    nereid_emulator_undefined_written(cta, (uint32_t)at, bytes);
  if (cta->frames && where == EMU_SHARED)
    nereid_emulator_frames_access(warp, insn, lane, (uint32_t)at, bytes, access);
  return where == EMU_LOCAL ? place + (size_t)(warp->index * EMU_LANES + (uint32_t)lane) * cta->local_bytes : place;
}

bool nereid_emulator_is_there(emu_cta_t *cta, uint64_t address, uint32_t bytes) {
  return piece(cta, EMU_GLOBAL, address, address + bytes) != NULL;
}

emu_cta_t *nereid_emulator_shared_range(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space,
                                        uint64_t address, uint32_t bytes, uint32_t alignment, uint32_t *out_offset) {
  if (!nereid_emulator_reach(warp, insn, lane, space, address, bytes, alignment, EMU_READ))
    return NULL;
  if (space == EMU_GENERIC && address - EMU_SHARED_WINDOW >= EMU_WINDOW_BYTES) {
    (void)nereid_emulator_fail(warp, insn, lane, "0x%llx is not an address in shared memory",
                               (unsigned long long)address);
    return NULL;
  }
  *out_offset = (uint32_t)(address & EMU_OFFSET_MASK);
  return nereid_emulator_cta_of(warp->cta, address);
}

/* Computes the lowest and highest address of the active lanes; inactive lanes get the first lane's. Returns the OR
 * of the addresses. */
EMU_SIMD static uint64_t extent(const uint64_t *addresses, uint32_t mask, uint64_t *lanes, uint64_t *out_low,
                                uint64_t *out_high) {
  uint64_t first = addresses[__builtin_ctz(mask)], low = first, high = first, bits = 0;
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane) {
    uint64_t address = mask >> lane & 1 ? addresses[lane] : first;
    low = address < low ? address : low;
    high = address > high ? address : high;
    bits |= address;
    lanes[lane] = address;
  }
  *out_low = low;
  *out_high = high;
  return bits;
}

/* Resolves the lanes one by one: they are in several buffers, or one is invalid. */
static bool access_each(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                        uint32_t bytes, emu_access_t access, uint8_t **places) {
  const emu_space_t space = (emu_space_t)insn->space;
  uint32_t first = (uint32_t)__builtin_ctz(mask);
  FOR_LANES(lane, mask) {
    places[lane] = nereid_emulator_access(warp, insn, (int)lane, space, addresses[lane], bytes, access);
    if (!places[lane])
      return false;
  }
  FOR_LANES(lane, ~mask) places[lane] = places[first];
  return true;
}

bool nereid_emulator_access_lanes(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                                  uint32_t bytes, emu_access_t access, uint8_t **places) {
  uint64_t lanes[EMU_LANES], low, high, bits = extent(addresses, mask, lanes, &low, &high);
  emu_space_t space = (emu_space_t)insn->space, where = emu_space_of(space, low);
  uint64_t window = emu_window_of(space, where, low);
  uint8_t *from = NULL;
  if (!(bits & (bytes - 1)) && where == emu_space_of(space, high) && (where != EMU_PARAM || access == EMU_READ))
    from = piece(warp->cta, where, low - window, high - window + bytes);
  if (!from || warp->cta->owners || warp->cta->frames || warp->cta->undefined || warp->cta->cluster->watch)
    return access_each(warp, insn, mask, addresses, bytes, access, places);
  uint64_t step = where == EMU_LOCAL ? warp->cta->local_bytes : 0;
  from += step * warp->index * EMU_LANES;
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane)
    places[lane] = from + (lanes[lane] - low) + step * lane;
  return true;
}

uint8_t *nereid_emulator_access_run(emu_warp_t *warp, const emu_insn_t *insn, uint64_t address, uint32_t bytes,
                                    emu_access_t access) {
  emu_space_t space = (emu_space_t)insn->space, where = emu_space_of(space, address);
  uint64_t at = address - emu_window_of(space, where, address);
  bool simple = access == EMU_READ || (where == EMU_SHARED ? !warp->cta->owners : !warp->cta->cluster->watch);
  simple &= where == EMU_GLOBAL || where == EMU_SHARED;
  return simple && !(address & (bytes - 1)) ? piece(warp->cta, where, at, at + (uint64_t)EMU_LANES * bytes) : NULL;
}
