#include "base/kernel/address.h"

#define GAP (UINT64_C(1) << 36)     /* minimum distance between two buffers */
#define MIN_ALIGNMENT UINT64_C(256) /* that of CUDA's allocator */

/* Cannot overflow: both are at most 2^62. */
static uint64_t round_up(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

bool nereid_address_assign(uint64_t *position, uint64_t bytes, uint64_t alignment, uint64_t *out_address) {
  if (!alignment || (alignment & (alignment - 1)) || alignment > NEREID_ADDRESS_LIMIT / 2 ||
      bytes > NEREID_ADDRESS_LIMIT / 2)
    return false;
  if (alignment < MIN_ALIGNMENT)
    alignment = MIN_ALIGNMENT;
  const uint64_t step = 2 * alignment > NEREID_ADDRESS_SPACING ? 2 * alignment : NEREID_ADDRESS_SPACING;
  uint64_t address = round_up(*position, step) + alignment;
  if (address < NEREID_ADDRESS_WINDOWS_END && address + bytes + GAP > NEREID_ADDRESS_WINDOWS)
    address = round_up(NEREID_ADDRESS_WINDOWS_END + GAP, step) + alignment;
  if (address > NEREID_ADDRESS_LIMIT || bytes > NEREID_ADDRESS_LIMIT - address)
    return false;
  *out_address = address;
  *position = address + bytes + GAP;
  return true;
}
