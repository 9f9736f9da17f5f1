/* Predicates on the bits of an integer. */
#ifndef NEREID_BASE_BITS_H
#define NEREID_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether `value` is 1, 2, 4, 8 … */
static inline bool nereid_is_power_of_two(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

#endif
