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

static void equal_requests_share_one(void **state) {
  nereid_tma_cache_t *cache;
  nereid_tma_entry_t *a, *b, *c;
  counts_t counts = {0};
  nereid_tma_owner_t owner = {&counts, count_retain, count_release};
  nereid_tma_request_t r = good();
  (void)state;
  assert_int_equal(nereid_tma_cache_create(NEREID_TMA_EMULATOR, NULL, &cache), NEREID_OK);
  assert_int_equal(nereid_tma_cache_get(cache, &r, &owner, &a, &message), NEREID_OK);
  r.shape[4] = 77; /* beyond the rank: not part of the key */
  assert_int_equal(nereid_tma_cache_get(cache, &r, &owner, &b, &message), NEREID_OK);
  assert_ptr_equal(a, b);
  r.box[1] = 64;
  assert_int_equal(nereid_tma_cache_get(cache, &r, NULL, &c, &message), NEREID_OK);
  assert_ptr_not_equal(a, c);
  assert_int_equal(nereid_tma_cache_size(cache), 2);
  assert_int_equal(counts.retained, 1);
  nereid_tma_entry_release(a);
  assert_int_equal(counts.released, 0);
  nereid_tma_entry_retain(b);
  nereid_tma_entry_release(b);
  nereid_tma_cache_destroy(cache); /* entries outlive it */
  assert_memory_equal(nereid_tma_entry_descriptor(b)->bytes, "NEREIDTM", 8);
  nereid_tma_entry_release(b);
  assert_int_equal(counts.released, 1);
  nereid_tma_entry_release(c);
  nereid_tma_entry_release(NULL);
  nereid_tma_cache_destroy(NULL);
}

static void a_refused_request_leaves_nothing(void **state) {
  nereid_tma_cache_t *cache;
  nereid_tma_entry_t *entry;
  counts_t counts = {0};
  nereid_tma_owner_t owner = {&counts, count_retain, count_release};
  nereid_tma_request_t r = good();
  (void)state;
  r.box[2] = 3;
  assert_int_equal(nereid_tma_cache_create(NEREID_TMA_DRIVER, NULL, &cache), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_tma_cache_create(NEREID_TMA_EMULATOR, NULL, &cache), NEREID_OK);
  assert_int_equal(nereid_tma_cache_get(cache, &r, &owner, &entry, &message), NEREID_ERROR_ARGUMENT);
  assert_null(entry);
  assert_int_equal(counts.retained, counts.released);
  assert_int_equal(nereid_tma_cache_size(cache), 0);
  nereid_tma_cache_destroy(cache);
}

enum { THREADS = 8, ROUNDS = 2000, TENSORS = 97 };

typedef struct shared {
  nereid_tma_cache_t *cache;
  counts_t counts[TENSORS];
} shared_t;

static void *hammer(void *data) {
  shared_t *shared = data;
  for (size_t i = 0; i < ROUNDS; ++i) {
    size_t which = (i * 31) % TENSORS;
    nereid_tma_owner_t owner = {&shared->counts[which], count_retain, count_release};
    nereid_tma_request_t r = good(), back;
    nereid_tma_entry_t *entry;
    r.address += which * 4096;
    if (nereid_tma_cache_get(shared->cache, &r, &owner, &entry, NULL) ||
        !nereid_tma_decode(nereid_tma_entry_descriptor(entry)->bytes, &back) || back.address != r.address)
      return shared;
    nereid_tma_entry_release(entry);
  }
  return NULL;
}

static void threads_share_it(void **state) {
  static shared_t shared;
  pthread_t threads[THREADS];
  void *failed;
  (void)state;
  assert_int_equal(nereid_tma_cache_create(NEREID_TMA_EMULATOR, NULL, &shared.cache), NEREID_OK);
  for (int i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, hammer, &shared), 0);
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_int_equal(nereid_tma_cache_size(shared.cache), 0);
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
      cmocka_unit_test(equal_requests_share_one),
      cmocka_unit_test(a_refused_request_leaves_nothing),
      cmocka_unit_test(threads_share_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
