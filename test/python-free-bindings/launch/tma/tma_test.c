/* Tensor maps: a diagnostic for each hardware rule, encoding and decoding of the emulator's format, the cache. */
#include "nereid/tma.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static nereid_message_t message;

static nereid_tma_request_t good(void) {
  return (nereid_tma_request_t){.address = 0x10000,
                                .element = NEREID_TMA_F16,
                                .rank = 3,
                                .shape = {4, 1000, 512},
                                .strides = {1024000, 1024, 2},
                                .box = {1, 128, 64},
                                .swizzle = 128};
}

static void expect_refusal(const nereid_tma_request_t *request, const char *mentions) {
  message.text[0] = '\0';
  assert_int_equal(nereid_tma_validate(request, &message), NEREID_ERROR_ARGUMENT);
  if (!strstr(message.text, mentions))
    fail_msg("'%s' does not mention %s", message.text, mentions);
}

#define REFUSED(change, mentions)                                                                                      \
  do {                                                                                                                 \
    nereid_tma_request_t r = good();                                                                                   \
    change;                                                                                                            \
    expect_refusal(&r, mentions);                                                                                      \
  } while (0)

static void what_the_hardware_takes(void **state) {
  (void)state;
  nereid_tma_request_t r = good();
  assert_int_equal(nereid_tma_validate(&r, NULL), NEREID_OK);
  r.shape[1] = UINT64_C(1) << 32;
  r.strides[0] = (UINT64_C(1) << 40) - 16;
  r.box[0] = 256;
  assert_int_equal(nereid_tma_validate(&r, NULL), NEREID_OK);
  r = (nereid_tma_request_t){
      .address = 16, .element = NEREID_TMA_U8, .rank = 1, .shape = {7}, .strides = {1}, .box = {256}};
  assert_int_equal(nereid_tma_validate(&r, NULL), NEREID_OK);
}

static void what_it_refuses(void **state) {
  (void)state;
  REFUSED(r.element = (nereid_tma_element_t)15, "element type");
  REFUSED(r.rank = 0, "rank");
  REFUSED(r.rank = 6, "rank");
  REFUSED(r.swizzle = 16, "swizzle must be");
  REFUSED(r.address = 0x10008, "multiple of 16");
  REFUSED(r.address = 0, "address");
  REFUSED(r.shape[1] = 0, "dimension 1");
  REFUSED(r.shape[1] = (UINT64_C(1) << 32) + 1, "2^32");
  REFUSED(r.strides[1] = 1032, "stride of dimension 1 must be a multiple of 16");
  REFUSED(r.strides[0] = UINT64_C(1) << 40, "2^40");
  REFUSED(r.strides[2] = 4, "contiguous");
  REFUSED(r.box[0] = 0, "box of dimension 0");
  REFUSED(r.box[1] = 257, "256");
  REFUSED(r.box[2] = 4, "multiple of 16 bytes, not 8");
  REFUSED(r.box[2] = 128, "fit the swizzle of 128 bytes, not be 256");
  REFUSED((r.swizzle = 32), "fit the swizzle of 32");
  REFUSED((r.element = NEREID_TMA_U16, r.nan_padding = true), "float");
  REFUSED((r.element = NEREID_TMA_U4_PADDED, r.swizzle = 64), "4-bit");
  REFUSED((r.element = NEREID_TMA_U4_PADDED, r.address = 0x10010), "multiple of 32");
  REFUSED((r.element = NEREID_TMA_U4_PADDED, r.shape[2] = 100), "multiple of 128");
  REFUSED((r.element = NEREID_TMA_U4_PADDED), "must be 128");
}

static void types_of_elements(void **state) {
  nereid_tma_element_t element;
  (void)state;
  assert_true(nereid_tma_element_of(NEREID_ELEMENT_BF16, &element));
  assert_int_equal(element, NEREID_TMA_BF16);
  assert_true(nereid_tma_element_of(NEREID_ELEMENT_F8E5M2, &element));
  assert_int_equal(element, NEREID_TMA_U8);
  assert_false(nereid_tma_element_of(NEREID_ELEMENT_I1, &element));
  for (int i = 1; i < NEREID_ELEMENT_COUNT; ++i)
    if (nereid_tma_element_of((nereid_element_t)i, &element))
      assert_int_equal(nereid_tma_element_bits(element), 8 * nereid_element_size((nereid_element_t)i));
}

static void boxes_of_tiles(void **state) {
  uint32_t box[2];
  (void)state;
  nereid_tma_box_of(2, (const int32_t[]){128, 128}, 16, 128, false, box);
  assert_int_equal(box[0], 128);
  assert_int_equal(box[1], 64);
  nereid_tma_box_of(2, (const int32_t[]){512, 512}, 8, 0, false, box);
  assert_int_equal(box[0], 256);
  assert_int_equal(box[1], 256);
  nereid_tma_box_of(2, (const int32_t[]){64, 64}, 4, 0, true, box);
  assert_int_equal(box[1], 128);
}

static void the_emulators_bytes_go_both_ways(void **state) {
  nereid_tma_descriptor_t descriptor;
  nereid_tma_request_t back;
  (void)state;
  for (uint32_t rank = 1; rank <= NEREID_TMA_RANK; ++rank) {
    nereid_tma_request_t r = {.address = 0xabc0, .element = NEREID_TMA_F32, .rank = rank, .swizzle = 64};
    for (uint32_t i = 0; i < rank; ++i) {
      r.shape[i] = 100 + i;
      r.strides[i] = i + 1 == rank ? 4 : 160 * (uint64_t)(rank - i);
      r.box[i] = i + 1 == rank ? 16 : 10 + i;
    }
    r.nan_padding = rank & 1;
    assert_int_equal(nereid_tma_encode(NEREID_TMA_EMULATOR, NULL, &r, &descriptor, &message), NEREID_OK);
    assert_memory_equal(descriptor.bytes, "NEREIDTM", 8);
    memset(&back, 0, sizeof back);
    assert_true(nereid_tma_decode(descriptor.bytes, &back));
    assert_memory_equal(back.shape, r.shape, sizeof r.shape);
    assert_memory_equal(back.strides, r.strides, sizeof r.strides);
    assert_memory_equal(back.box, r.box, sizeof r.box);
    assert_true(back.address == r.address && back.rank == rank && back.swizzle == 64);
    assert_int_equal(back.nan_padding, r.nan_padding);
    for (int i = 0; i < 128; ++i) {
      descriptor.bytes[i] ^= 1;
      assert_false(nereid_tma_decode(descriptor.bytes, &back));
      descriptor.bytes[i] ^= 1;
    }
  }
}

static void encoding_validates(void **state) {
  nereid_tma_descriptor_t descriptor;
  nereid_tma_request_t r = good();
  (void)state;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_DRIVER, NULL, &r, &descriptor, &message), NEREID_ERROR_ARGUMENT);
  r.rank = 9;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_EMULATOR, NULL, &r, &descriptor, &message), NEREID_ERROR_ARGUMENT);
}

typedef struct counts {
  int retained, released;
} counts_t;

static void count_retain(void *data) {
  __atomic_fetch_add(&((counts_t *)data)->retained, 1, __ATOMIC_SEQ_CST);
}

static void count_release(void *data) {
  __atomic_fetch_add(&((counts_t *)data)->released, 1, __ATOMIC_SEQ_CST);
}

static void interleaved_layouts(void **state) {
  nereid_tma_request_t r = {.address = 0x10000,
                            .element = NEREID_TMA_F16,
                            .rank = 4,
                            .shape = {4, 30, 30, 16},
                            .strides = {28800, 960, 32, 2},
                            .box = {1, 3, 3, 16},
                            .swizzle = 32,
                            .interleave = 32};
  nereid_tma_request_t back;
  nereid_tma_descriptor_t descriptor;
  (void)state;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_EMULATOR, NULL, &r, &descriptor, &message), NEREID_OK);
  assert_true(nereid_tma_decode(descriptor.bytes, &back));
  assert_int_equal(back.interleave, 32);
  r.swizzle = 64;
  expect_refusal(&r, "requires a swizzle of 32 bytes, not 64");
  r.swizzle = 32;
  r.address = 0x10010;
  expect_refusal(&r, "multiple of 32");
  r.interleave = 16;
  assert_int_equal(nereid_tma_validate(&r, &message), NEREID_OK);
  r.rank = 2;
  expect_refusal(&r, "rank of 3 to 5");
  r.interleave = 8;
  expect_refusal(&r, "0, 16 or 32 bytes, not 8");
}

static void steps_and_promotion(void **state) {
  nereid_tma_request_t request = good(), back;
  nereid_tma_descriptor_t descriptor;
  (void)state;
  request.steps[1] = 4;
  assert_int_equal(nereid_tma_encode(NEREID_TMA_EMULATOR, NULL, &request, &descriptor, &message), NEREID_OK);
  assert_true(nereid_tma_decode(descriptor.bytes, &back));
  assert_int_equal(back.steps[1], 4);
  assert_int_equal(back.steps[0], 0);
  REFUSED(r.steps[0] = 9, "step of dimension 0");
  REFUSED(r.steps[2] = 257, "must be 1 to 8, not 257");
  REFUSED(r.promotion = (nereid_tma_promotion_t)4, "L2 promotion");
}

/* What Triton's TensorDescriptor takes, and what is derived from it. */
static void requests_of_tiles(void **state) {
  nereid_tensor_t tensor = {.address = 0x2000, .element = NEREID_ELEMENT_BF16, .rank = 2, .shape = {100, 512}};
  nereid_tma_tile_t tile = {.rank = 2, .block = {64, 128}, .swizzle = -1, .nan_padding = true};
  nereid_tma_request_t r;
  (void)state;
  assert_int_equal(nereid_tma_request_of_tile(&tensor, &tile, &r, &message), NEREID_OK);
  assert_int_equal(r.element, NEREID_TMA_BF16);
  assert_true(r.strides[0] == 1024 && r.strides[1] == 2);
  assert_true(r.swizzle == 128 && r.box[0] == 64 && r.box[1] == 64 && r.nan_padding);
  assert_int_equal(nereid_tma_validate(&r, &message), NEREID_OK);
  tensor.padding = NEREID_PADDING_ZERO;
  tensor.strides[0] = 640;
  tensor.strides[1] = 1;
  tile.swizzle = 0;
  assert_int_equal(nereid_tma_request_of_tile(&tensor, &tile, &r, &message), NEREID_OK);
  assert_true(r.strides[0] == 1280 && r.swizzle == 0 && r.box[1] == 128 && !r.nan_padding);
  tensor = (nereid_tensor_t){.address = 0x2000, .element = NEREID_ELEMENT_I8, .rank = 2, .shape = {128, 256}};
  tile = (nereid_tma_tile_t){.rank = 2, .block = {128, 64}, .swizzle = 128, .fp4_padded = true};
  assert_int_equal(nereid_tma_request_of_tile(&tensor, &tile, &r, &message), NEREID_OK);
  assert_true(r.element == NEREID_TMA_U4_PADDED && r.shape[1] == 512 && r.strides[0] == 256 && r.box[1] == 128);
  assert_int_equal(nereid_tma_validate(&r, &message), NEREID_OK);
}

static void expect_no_tile(nereid_tensor_t tensor, nereid_tma_tile_t tile, const char *mentions) {
  nereid_tma_request_t r;
  message.text[0] = '\0';
  assert_int_equal(nereid_tma_request_of_tile(&tensor, &tile, &r, &message), NEREID_ERROR_ARGUMENT);
  if (!strstr(message.text, mentions))
    fail_msg("'%s' does not mention %s", message.text, mentions);
}

static void tensors_without_a_map(void **state) {
  const nereid_tensor_t tensor = {.address = 16, .element = NEREID_ELEMENT_F32, .rank = 2, .shape = {8, 8}};
  const nereid_tma_tile_t tile = {.rank = 2, .block = {8, 8}};
  nereid_tensor_t t = tensor;
  nereid_tma_tile_t other = tile;
  (void)state;
  t.rank = 0;
  expect_no_tile(t, tile, "rank must be 1 to 5, not 0");
  other = (nereid_tma_tile_t){.rank = 6, .block = {8, 8, 8, 8, 8}};
  t.rank = 6;
  expect_no_tile(t, other, "rank must be 1 to 5, not 6");
  t = tensor;
  t.element = NEREID_ELEMENT_I1;
  expect_no_tile(t, tile, "type i1");
  t = tensor;
  t.strides[0] = 8;
  expect_no_tile(t, tile, "expected all strides");
  t.strides[0] = UINT64_MAX / 2;
  t.strides[1] = 1;
  expect_no_tile(t, tile, "exceeds 2^64 bytes");
  t = tensor;
  t.rank = 3;
  t.shape[1] = t.shape[2] = UINT64_C(1) << 40;
  expect_no_tile(t, (nereid_tma_tile_t){.rank = 3, .block = {1, 1, 4}}, "exceeds 2^64 elements");
  other = tile;
  other.block[1] = 0;
  expect_no_tile(tensor, other, "block of dimension 1");
}

static void requests_of_vectors_and_matrices(void **state) {
  (void)state;
  nereid_tma_request_t r = nereid_tma_request_1d(0x100, NEREID_TMA_F32, 1000, 256);
  assert_int_equal(nereid_tma_validate(&r, &message), NEREID_OK);
  assert_true(r.rank == 1 && r.strides[0] == 4 && r.box[0] == 256 && r.swizzle == 0);
  r = nereid_tma_request_2d(0x100, NEREID_TMA_F16, 1000, 512, 128, 64);
  assert_int_equal(nereid_tma_validate(&r, &message), NEREID_OK);
  assert_true(r.strides[0] == 1024 && r.swizzle == 128 && r.box[0] == 128 && r.box[1] == 64);
  r = nereid_tma_request_2d(0x100, NEREID_TMA_U8, 64, 64, 16, 32);
  assert_true(r.swizzle == 32 && r.box[1] == 32);
  r = nereid_tma_request_2d(0x100, NEREID_TMA_F32, 64, 64, 16, 128); /* two transfers */
  assert_true(r.swizzle == 128 && r.box[1] == 32);
  r = nereid_tma_request_2d(0x100, NEREID_TMA_F16, 64, 64, 16, 8);
  assert_true(r.swizzle == 0 && r.box[1] == 8);
}

static nereid_tma_cache_t *cache_of(size_t capacity) {
  nereid_tma_cache_t *cache = NULL;
  assert_int_equal(nereid_tma_cache_create(NEREID_TMA_EMULATOR, NULL, capacity, &cache), NEREID_OK);
  return cache;
}

static nereid_tma_reference_t get(nereid_tma_cache_t *cache, const nereid_tma_request_t *request,
                                  const nereid_tma_owner_t *owner) {
  nereid_tma_reference_t reference;
  assert_int_equal(nereid_tma_cache_get(cache, request, owner, &reference, &message), NEREID_OK);
  return reference;
}

static void equal_requests_share_one(void **state) {
  nereid_tma_cache_t *cache = cache_of(0);
  counts_t counts = {0}, others = {0};
  nereid_tma_owner_t owner = {&counts, count_retain, count_release}, other = {&others, count_retain, count_release};
  nereid_tma_request_t r = good();
  (void)state;
  nereid_tma_reference_t a = get(cache, &r, &owner);
  r.shape[4] = 77; /* beyond the rank: not part of the key */
  nereid_tma_reference_t b = get(cache, &r, &other);
  assert_ptr_equal(a.descriptor, b.descriptor);
  r.box[1] = 64;
  nereid_tma_reference_t c = get(cache, &r, NULL);
  assert_ptr_not_equal(a.descriptor, c.descriptor);
  assert_int_equal(nereid_tma_cache_statistics(cache).size, 2);
  assert_int_equal(nereid_tma_cache_statistics(cache).misses, 2);
  nereid_tma_reference_t d = nereid_tma_reference_retain(&a);
  assert_int_equal(counts.retained, 2);
  assert_int_equal(others.retained, 1);
  nereid_tma_reference_release(&a);
  nereid_tma_reference_release(&a); /* zeroed by the first release */
  assert_int_equal(counts.released, 1);
  nereid_tma_cache_destroy(cache); /* references outlive it */
  assert_memory_equal(d.descriptor->bytes, "NEREIDTM", 8);
  nereid_tma_reference_release(&d);
  nereid_tma_reference_release(&b);
  nereid_tma_reference_release(&c);
  assert_int_equal(counts.released, 2);
  assert_int_equal(others.released, 1);
  nereid_tma_cache_destroy(NULL);
}

static void every_field_is_part_of_the_key(void **state) {
  nereid_tma_cache_t *cache = cache_of(0);
  nereid_tma_request_t changed[12];
  (void)state;
  for (int i = 0; i < 12; ++i)
    changed[i] = good();
  changed[1].address += 4096;
  changed[2].element = NEREID_TMA_BF16;
  changed[3].shape[2] = 256;
  changed[4].strides[0] += 1024;
  changed[5].box[0] = 2;
  changed[6].swizzle = 0;
  changed[7].nan_padding = true;
  changed[8].steps[1] = 2;
  changed[9].interleave = 16;
  changed[10].promotion = NEREID_TMA_PROMOTE_NONE;
  changed[11].rank = 2;
  changed[11].strides[1] = 2;
  changed[11].box[1] = 64;
  for (size_t i = 0; i < 12; ++i) {
    nereid_tma_reference_t reference = get(cache, &changed[i], NULL);
    nereid_tma_reference_release(&reference);
    assert_int_equal(nereid_tma_cache_statistics(cache).misses, i + 1);
  }
  nereid_tma_cache_destroy(cache);
}

static void an_unused_map_makes_room(void **state) {
  nereid_tma_cache_t *cache = cache_of(8);
  nereid_tma_reference_t held[12];
  nereid_tma_request_t r = good();
  nereid_tma_cache_statistics_t statistics;
  (void)state;
  for (uint64_t i = 0; i < 1000; ++i) { /* bounded, although no map is used again */
    r.address = 4096 * (i + 1);
    nereid_tma_reference_t reference = get(cache, &r, NULL);
    nereid_tma_reference_release(&reference);
    if (i % 3)
      continue;
    r.address = 4096; /* used often: stays */
    reference = get(cache, &r, NULL);
    nereid_tma_reference_release(&reference);
  }
  statistics = nereid_tma_cache_statistics(cache);
  assert_int_equal(statistics.size, 8);
  assert_int_equal(statistics.capacity, 8);
  assert_int_equal(statistics.misses, 1000);
  assert_int_equal(statistics.evictions, 992);
  for (uint64_t i = 0; i < 12; ++i) { /* more references than places: the last four have maps of their own */
    r.address = 4096 * (i + 5000);
    held[i] = get(cache, &r, NULL);
  }
  assert_int_equal(nereid_tma_cache_statistics(cache).unshared, 4);
  for (uint64_t i = 0; i < 12; ++i) {
    nereid_tma_request_t back;
    assert_true(nereid_tma_decode(held[i].descriptor->bytes, &back));
    assert_true(back.address == 4096 * (i + 5000));
  }
  for (int i = 0; i < 6; ++i)
    nereid_tma_reference_release(&held[i]);
  nereid_tma_cache_destroy(cache);
  for (int i = 6; i < 12; ++i)
    nereid_tma_reference_release(&held[i]);
}

static void a_refused_request_leaves_nothing(void **state) {
  nereid_tma_cache_t *cache;
  nereid_tma_reference_t reference;
  counts_t counts = {0};
  nereid_tma_owner_t owner = {&counts, count_retain, count_release};
  nereid_tma_request_t r = good();
  (void)state;
  r.box[2] = 3;
  assert_int_equal(nereid_tma_cache_create(NEREID_TMA_DRIVER, NULL, 0, &cache), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_tma_cache_create(NEREID_TMA_EMULATOR, NULL, SIZE_MAX, &cache), NEREID_ERROR_ARGUMENT);
  assert_null(cache);
  cache = cache_of(0);
  assert_int_equal(nereid_tma_cache_get(cache, &r, &owner, &reference, &message), NEREID_ERROR_ARGUMENT);
  assert_null(reference.descriptor);
  r.rank = 99;
  assert_int_equal(nereid_tma_cache_get(cache, &r, &owner, &reference, &message), NEREID_ERROR_ARGUMENT);
  nereid_tma_reference_release(&reference);
  assert_int_equal(counts.retained, 0);
  assert_int_equal(counts.released, 0);
  assert_int_equal(nereid_tma_cache_statistics(cache).size, 0);
  nereid_tma_cache_destroy(cache);
}

enum { THREADS = 16, ROUNDS = 4000, TENSORS = 97 };

typedef struct shared {
  nereid_tma_cache_t *cache;
  counts_t counts[TENSORS];
} shared_t;

/* The cache has fewer places than there are tensors: maps are found, replaced and kept at once. */
static void *hammer(void *data) {
  shared_t *shared = data;
  nereid_tma_reference_t kept = {0};
  for (size_t i = 0; i < ROUNDS; ++i) {
    size_t which = i % 4 ? (i * 31) % TENSORS : i % 5;
    nereid_tma_owner_t owner = {&shared->counts[which], count_retain, count_release};
    nereid_tma_request_t r = good(), back;
    nereid_tma_reference_t reference;
    r.address += which * 4096;
    if (nereid_tma_cache_get(shared->cache, &r, &owner, &reference, NULL) ||
        !nereid_tma_decode(reference.descriptor->bytes, &back) || back.address != r.address)
      return shared;
    if (i % 16 == 0) {
      nereid_tma_reference_release(&kept);
      kept = nereid_tma_reference_retain(&reference);
    }
    nereid_tma_reference_release(&reference);
  }
  nereid_tma_reference_release(&kept);
  return NULL;
}

static void threads_share_it(void **state) {
  static shared_t shared;
  pthread_t threads[THREADS];
  void *failed;
  (void)state;
  shared.cache = cache_of(64);
  for (int i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, hammer, &shared), 0);
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_true(nereid_tma_cache_statistics(shared.cache).size <= 64);
  for (int i = 0; i < TENSORS; ++i) {
    assert_true(shared.counts[i].retained > 0);
    assert_int_equal(shared.counts[i].retained, shared.counts[i].released);
  }
  nereid_tma_cache_destroy(shared.cache);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_hardware_takes),
      cmocka_unit_test(what_it_refuses),
      cmocka_unit_test(types_of_elements),
      cmocka_unit_test(boxes_of_tiles),
      cmocka_unit_test(the_emulators_bytes_go_both_ways),
      cmocka_unit_test(encoding_validates),
      cmocka_unit_test(interleaved_layouts),
      cmocka_unit_test(steps_and_promotion),
      cmocka_unit_test(requests_of_tiles),
      cmocka_unit_test(tensors_without_a_map),
      cmocka_unit_test(requests_of_vectors_and_matrices),
      cmocka_unit_test(equal_requests_share_one),
      cmocka_unit_test(every_field_is_part_of_the_key),
      cmocka_unit_test(an_unused_map_makes_room),
      cmocka_unit_test(a_refused_request_leaves_nothing),
      cmocka_unit_test(threads_share_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
