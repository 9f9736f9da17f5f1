/* Functions of the bits of an integer. */
#ifndef NEREID_BASE_BITS_H
#define NEREID_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether `value` is 1, 2, 4, 8 … */
static inline bool nereid_is_power_of_two(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

/* Returns the number of bits of `set` that are 1. */
static inline int nereid_bit_count(uint32_t set) {
  int count = 0;
  for (; set; set &= set - 1)
    ++count;
  return count;
}

#endif
