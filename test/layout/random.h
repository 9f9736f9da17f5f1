/* Deterministic random numbers for the layout tests. */
#ifndef NEREID_TEST_LAYOUT_RANDOM_H
#define NEREID_TEST_LAYOUT_RANDOM_H

#include <stdint.h>

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(random_state >> 33) % limit;
}

#endif
