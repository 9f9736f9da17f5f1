/* Images read without a driver: PTX entries, a cubin built here byte by byte, and corrupt images. */
#include "python-free-bindings/launch/image/image.h"

#include <stdio.h>

#include "test/fixture.h"

static nereid_image_t image;

static const char ptx[] =
    "// .entry in_a_comment(\n"
    "/* .version 1.0 .target sm_10 */\n"
    ".version 8.7\n.target sm_90a, debug\n.address_size 64\n"
    ".extern .shared .align 16 .b8 global_smem[];\n"
    ".func helper(.param .b64 helper_param_0) { ret; }\n"
    ".visible .entry first(\n"
    "  .param .u8 a, // a comment, with .param .u64 in it\n"
    "  .param .u64 .ptr .global .align 128 b,\n"
    "  .param .align 64 .b8 c[128],\n"
    "  .param .align 2 .b8 d[2],\n"
    "  .param .f64 e\n"
    ")\n.reqntid 32, 4\n.maxnreg 128\n{\n ret;\n}\n"
    ".visible .entry second()\n.reqntid 256\n.explicitcluster\n.reqnctapercluster 2, 2\n{ ret; }\n"
    ".entry third .maxntid 64, 2 { ret; }\n";

static void entries_of_ptx(void **state) {
  static const nereid_image_parameter_t expected[] = {{0, 1, "a", NEREID_ELEMENT_I8, false},
                                                      {8, 8, "b", NEREID_ELEMENT_NONE, true},
                                                      {64, 128, "c", NEREID_ELEMENT_NONE, false},
                                                      {192, 2, "d", NEREID_ELEMENT_NONE, false},
                                                      {200, 8, "e", NEREID_ELEMENT_F64, false}};
  (void)state;
  assert_int_equal(nereid_image_inspect(&arena, nereid_view(ptx), &image, &message), NEREID_OK);
  assert_int_equal(image.kind, NEREID_IMAGE_PTX);
  assert_string_equal(image.arch, "sm_90a");
  assert_int_equal(image.capability, 90);
  assert_int_equal(image.ptx_version, 87);
  assert_int_equal(image.n_kernels, 3);
  const nereid_image_kernel_t *first = nereid_image_find(&image, "first");
  assert_non_null(first);
  assert_int_equal(first->n_parameters, 5);
  for (size_t i = 0; i < 5; ++i) {
    assert_int_equal(first->parameters[i].offset, expected[i].offset);
    assert_int_equal(first->parameters[i].size, expected[i].size);
    assert_string_equal(first->parameters[i].name, expected[i].name);
    assert_int_equal(first->parameters[i].element, expected[i].element);
    assert_int_equal(first->parameters[i].is_pointer, expected[i].is_pointer);
  }
  assert_int_equal(first->required_threads[0] * first->required_threads[1] * first->required_threads[2], 128);
  assert_int_equal(first->maxnreg, 128);
  assert_int_equal(nereid_image_find(&image, "second")->required_threads[0], 256);
  assert_int_equal(nereid_image_find(&image, "second")->required_threads[2], 1);
  assert_int_equal(first->required_cluster[0], 0);
  assert_int_equal(nereid_image_find(&image, "second")->required_cluster[1], 2);
  assert_int_equal(nereid_image_find(&image, "second")->required_cluster[2], 1);
  assert_int_equal(nereid_image_find(&image, "third")->n_parameters, 0);
  assert_int_equal(nereid_image_find(&image, "third")->required_threads[0], 0);
  assert_int_equal(nereid_image_find(&image, "third")->max_threads[0], 64);
  assert_int_equal(nereid_image_find(&image, "third")->max_threads[2], 1);
  assert_null(nereid_image_find(&image, "helper"));
  assert_null(nereid_image_find(&image, "in_a_comment"));
}

static void malformed_ptx(void **state) {
  static const char *const cases[] = {
      ".version 8.7\n",                                                     /* no target */
      ".version x\n.target sm_90\n",                                        /* no version */
      ".version 8.7\n.target compute_90\n",                                 /* no such target */
      ".version 8.7\n.target sm_90\n.entry",                                /* no name */
      ".version 8.7\n.target sm_90\n.entry f(.param .u32 a",                /* no end */
      ".version 8.7\n.target sm_90\n.entry f(.param a) { }",                /* no type */
      ".version 8.7\n.target sm_90\n.entry f(.param .align 3 .b8 a[4]) {}", /* not a power of two */
      ".version 8.7\n.target sm_90\n.entry f(.param .b8 a[x]) {}",
      ".version 8.7\n.target sm_90\n.entry f(.param .b8 a[99999999999]) {}",
      ".version 8.7\n.target sm_90\n.entry f() .maxnreg x {}",
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nereid_status_t status = nereid_image_inspect(&arena, nereid_view(cases[i]), &image, &message);
    if (status != NEREID_ERROR_ARGUMENT)
      fail_msg("'%s' was read", cases[i]);
    assert_non_null(strstr(message.text, "line"));
  }
}

/* --- a cubin --- */

enum { SECTIONS = 7 };

typedef struct builder {
  uint8_t bytes[2048];
  size_t size;
} builder_t;

static void put(uint8_t *at, size_t size, uint64_t value) {
  for (size_t i = 0; i < size; ++i)
    at[i] = (uint8_t)(value >> (8 * i));
}

static size_t add(builder_t *builder, const void *bytes, size_t size) {
  size_t at = builder->size;
  memcpy(builder->bytes + at, bytes, size);
  builder->size += size;
  return at;
}

static void parameter_record(uint8_t *at, unsigned ordinal, unsigned offset, unsigned size) {
  put(at, 4, 0x000c1704); /* format 4, attribute 0x17, 12 bytes */
  put(at + 8, 2, ordinal);
  put(at + 10, 2, offset);
  put(at + 12, 4, (uint64_t)size << 18 | 0x1f000);
}

/* Sections: 0 null, 1 names, 2 strings, 3 symbols, 4 .text.k, 5 .nv.info, 6 .nv.info.k; then .nv.shared.k. */
static void build_cubin(builder_t *b, unsigned abi) {
  static const char names[] = "\0.n\0.s\0.y\0.text.k\0.nv.info\0.nv.info.k\0.nv.shared.k";
  static const uint8_t name_at[] = {0, 1, 4, 7, 10, 18, 27, 38};
  uint8_t symbols[48] = {0}, common[24] = {0}, own[48] = {0}, table[(SECTIONS + 1) * 64] = {0};
  b->size = 64;
  memset(b->bytes, 0, sizeof b->bytes);
  memcpy(b->bytes, "\177ELF\2\1\1", 7);
  b->bytes[8] = (uint8_t)abi;
  put(b->bytes + 48, 4, abi < 8 ? 0x5a0d5a : 0x900640a);
  put(symbols + 24, 4, 1); /* symbol 1: "k", a function with the kernel's bit, in section 4 */
  symbols[28] = 0x12;
  symbols[29] = 0x10;
  put(symbols + 30, 2, 4);
  put(symbols + 40, 8, 640);
  put(common, 4, 0x00082f04); /* registers of symbol 1 */
  put(common + 4, 4, 1);
  put(common + 8, 4, 77);
  put(common + 12, 4, 0x00081104); /* its stack */
  put(common + 16, 4, 1);
  put(common + 20, 4, 16);
  parameter_record(own, 1, 8, 4);
  parameter_record(own + 16, 0, 0, 8);
  put(own + 32, 4, 0x000c1004); /* required threads */
  put(own + 36, 4, 64);
  put(own + 40, 4, 2);
  put(own + 44, 4, 1);
  const struct {
    const void *bytes;
    size_t size;
    uint32_t type, link, info;
  } sections[SECTIONS + 1] = {
      {NULL, 0, 0, 0, 0}, {names, sizeof names, 3, 0, 0}, {"\0k", 3, 3, 0, 0},         {symbols, 48, 2, 2, 1},
      {NULL, 0, 1, 0, 0}, {common, 24, 0x70000000, 3, 0}, {own, 48, 0x70000000, 3, 4}, {NULL, 512, 8, 0, 4}};
  for (size_t i = 0; i <= SECTIONS; ++i) {
    size_t at = sections[i].bytes ? add(b, sections[i].bytes, sections[i].size) : b->size;
    put(table + i * 64, 4, name_at[i]);
    put(table + i * 64 + 4, 4, sections[i].type);
    put(table + i * 64 + 24, 8, at);
    put(table + i * 64 + 32, 8, sections[i].size);
    put(table + i * 64 + 40, 4, sections[i].link);
    put(table + i * 64 + 44, 4, sections[i].info);
  }
  put(b->bytes + 40, 8, add(b, table, sizeof table));
  put(b->bytes + 58, 2, 64);
  put(b->bytes + 60, 2, SECTIONS + 1);
  put(b->bytes + 62, 2, 1);
}

static nereid_status_t inspect(const builder_t *builder, size_t size) {
  uint8_t *exact = nereid_arena_allocate(&arena, size, 1);
  memcpy(exact, builder->bytes, size);
  return nereid_image_inspect(&arena, nereid_view_of((const char *)exact, size), &image, &message);
}

static void kernels_of_a_cubin(void **state) {
  builder_t b;
  (void)state;
  build_cubin(&b, 7);
  assert_int_equal(inspect(&b, b.size), NEREID_OK);
  assert_int_equal(image.kind, NEREID_IMAGE_CUBIN);
  assert_string_equal(image.arch, "sm_90a");
  assert_int_equal(image.n_kernels, 1);
  const nereid_image_kernel_t *k = nereid_image_find(&image, "k");
  assert_non_null(k);
  assert_int_equal(k->registers, 77);
  assert_int_equal(k->stack, 16);
  assert_int_equal(k->static_shared, 512);
  assert_int_equal(k->code, 640);
  assert_int_equal(k->required_threads[0] * k->required_threads[1], 128);
  assert_int_equal(k->n_parameters, 2);
  assert_int_equal(k->parameters[0].size, 8);
  assert_int_equal(k->parameters[1].offset, 8);
  assert_int_equal(k->parameters[1].size, 4);
  build_cubin(&b, 8);
  assert_int_equal(inspect(&b, b.size), NEREID_OK);
  assert_string_equal(image.arch, "sm_100a");
}

/* An image truncated anywhere, or with any byte changed, is read or rejected, without a read past its end. */
static void damaged_cubins(void **state) {
  builder_t b, changed;
  (void)state;
  build_cubin(&b, 7);
  for (size_t size = 4; size < b.size; ++size)
    assert_int_equal(inspect(&b, size), NEREID_ERROR_ARGUMENT);
  for (size_t i = 4; i < b.size; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      changed = b;
      changed.bytes[i] ^= (uint8_t)(1 << bit);
      nereid_status_t status = inspect(&changed, b.size);
      assert_true(status == NEREID_OK || status == NEREID_ERROR_ARGUMENT);
      nereid_arena_deinitialize(&arena);
    }
}

static void what_is_neither(void **state) {
  (void)state;
  assert_int_equal(nereid_image_inspect(&arena, nereid_view("module {}"), &image, &message), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_image_inspect(&arena, nereid_view_of(NULL, 0), &image, &message), NEREID_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(entries_of_ptx, set_up, tear_down),
      cmocka_unit_test_setup_teardown(malformed_ptx, set_up, tear_down),
      cmocka_unit_test_setup_teardown(kernels_of_a_cubin, set_up, tear_down),
      cmocka_unit_test_setup_teardown(damaged_cubins, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_neither, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
