/* The map finds exactly the inserted keys, for keys at any stride, with and without reserved capacity. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka requires the three above. */
#include <cmocka.h>

enum { COUNT = 5000 };

static const void *key(size_t stride, size_t i) {
  return (const void *)((uintptr_t)1 << 40 | (i + 1) * stride);
}

static void check(size_t stride, size_t reserved) {
  nereid_arena_t arena;
  nereid_map_t map;
  nereid_arena_initialize(&arena);
  nereid_map_initialize(&map, &arena);
  assert_null(nereid_map_find(&map, key(stride, 0)));
  assert_true(nereid_map_reserve(&map, reserved));
  const nereid_map_entry_t *entries = map.entries;
  for (size_t i = 0; i < COUNT; ++i) {
    uintptr_t *value = nereid_map_insert(&map, key(stride, i));
    assert_non_null(value);
    assert_int_equal(*value, 0);
    *value = i + 1;
  }
  assert_int_equal(map.size, COUNT);
  assert_true(reserved < COUNT || map.entries == entries); /* no rehashing */
  for (size_t i = 0; i < COUNT; ++i) {
    assert_int_equal(*nereid_map_find(&map, key(stride, i)), i + 1);
    assert_int_equal(*nereid_map_insert(&map, key(stride, i)), i + 1);
    assert_null(nereid_map_find(&map, (const char *)key(stride, i) + 8));
  }
  nereid_arena_deinitialize(&arena);
}

static void test_strides(void **unused) {
  (void)unused;
  for (int shift = 4; shift <= 24; ++shift)
    for (size_t reserved = 0; reserved <= COUNT; reserved += COUNT)
      check((size_t)1 << shift, reserved);
  check(208, 0);
  check(4096 + 16, 100);
}

/* Keys with colliding hashes: the sum of the probe lengths stays close to the number of keys. */
static void test_keys_spread(void **unused) {
  (void)unused;
  static const size_t strides[] = {16, 48, 112, 256, 4096, 65536, 1 << 20};
  for (size_t s = 0; s < sizeof strides / sizeof *strides; ++s) {
    nereid_arena_t arena;
    nereid_map_t map;
    nereid_arena_initialize(&arena);
    nereid_map_initialize(&map, &arena);
    size_t run = 0, squares = 0;
    for (size_t i = 0; i < COUNT; ++i)
      *nereid_map_insert(&map, key(strides[s], i)) = 1;
    for (size_t i = 0; i < map.capacity; ++i) {
      run = map.entries[i].key ? run + 1 : 0;
      squares += run;
    }
    /* A failing search ends at the end of a run of occupied slots. */
    assert_true(strides[s] <= 48 || squares < 40 * map.capacity);
    nereid_arena_deinitialize(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_keys_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
