/* The longest common subsequence of random sequences, compared with the textbook dynamic program. The test includes the
 * tool's source, because a tool is not a library. */
#include "tools/nereid/diff/sequence.c"

#include "test/fixture.h"

enum { SIZE = 40 };

static uint32_t expected_length(const uint64_t *a, uint32_t n_a, const uint64_t *b, uint32_t n_b) {
  static uint32_t best[SIZE + 1][SIZE + 1];
  memset(best, 0, sizeof best);
  for (uint32_t i = 1; i <= n_a; ++i)
    for (uint32_t j = 1; j <= n_b; ++j) {
      const uint32_t skip = best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
      const uint32_t take = a[i - 1] && a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : 0;
      best[i][j] = take > skip ? take : skip;
    }
  return best[n_a][n_b];
}

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

static void random_sequences(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int round = 0; round < 500; ++round) {
    uint64_t a[SIZE], b[SIZE];
    uint32_t match[SIZE], last = 0, length = 0;
    const uint32_t n_a = (uint32_t)next_random(&seed) % (SIZE + 1), n_b = (uint32_t)next_random(&seed) % (SIZE + 1);
    const uint64_t keys = 1 + next_random(&seed) % 12; /* key 0 matches nothing */
    for (uint32_t i = 0; i < SIZE; ++i) {
      a[i] = next_random(&seed) % (keys + 1);
      b[i] = next_random(&seed) % (keys + 1);
    }
    assert_true(tool_sequence_match(&arena, a, n_a, b, n_b, UINT64_MAX, match));
    for (uint32_t i = 0; i < n_a; ++i)
      if (match[i] != UINT32_MAX) {
        assert_true(match[i] < n_b && (length == 0 || match[i] > last));
        assert_true(a[i] && a[i] == b[match[i]]);
        last = match[i];
        ++length;
      }
    assert_int_equal(length, expected_length(a, n_a, b, n_b));
  }
}

static void limit_of_pairs(void **state) {
  (void)state;
  const uint64_t a[] = {7, 7}, b[] = {7, 7};
  uint32_t match[2];
  assert_true(tool_sequence_match(&arena, a, 2, b, 2, 4, match));
  assert_true(match[0] == 0 && match[1] == 1);
  assert_true(tool_sequence_match(&arena, a, 2, b, 2, 3, match));
  assert_true(match[0] == UINT32_MAX && match[1] == UINT32_MAX);
}

int main(void) {
  (void)message;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(random_sequences, set_up, tear_down),
      cmocka_unit_test_setup_teardown(limit_of_pairs, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
