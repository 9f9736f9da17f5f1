/* nereid_compile with a store: hits return the bytes of the compilation without it; each option that changes the result
 * is part of the key; options that request more than the result compile. */
#include "nereid/compile.h"
#include "nereid/metadata.h"

#include <stdio.h>
#include <stdlib.h>

#include "test/fixture.h"

static const char kernel[] = "module {\n"
                             "  tt.func public @scale(%p: !tt.ptr<f32>, %n: i32) {\n"
                             "    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
                             "    %q = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>\n"
                             "    %a = tt.addptr %q, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>\n"
                             "    %x = tt.load %a : tensor<128x!tt.ptr<f32>>\n"
                             "    %y = arith.mulf %x, %x : tensor<128xf32>\n"
                             "    %z = arith.addf %y, %x : tensor<128xf32>\n"
                             "    tt.store %a, %z : tensor<128x!tt.ptr<f32>>\n"
                             "    tt.return\n"
                             "  }\n"
                             "}\n";

static char folder[64];
static nereid_store_t *store;
static nereid_compiler_t *compiler;
static int events, diagnostics;

static void keep_event(void *user_data, nereid_store_event_t event, const char *text) {
  (void)user_data, (void)event, (void)text;
  ++events;
}

static void keep_diagnostic(void *user_data, const nereid_diagnostic_t *diagnostic) {
  (void)user_data, (void)diagnostic;
  ++diagnostics;
}

static int open_folder(void **state) {
  set_up(state);
  snprintf(folder, sizeof folder, "/tmp/nereid-stored-test-XXXXXX");
  if (!mkdtemp(folder))
    return 1;
  events = diagnostics = 0;
  const nereid_store_options_t where = {.size = sizeof where, .folder = folder, .handler = keep_event};
  const nereid_compiler_options_t how = {.size = sizeof how, .handler = keep_diagnostic};
  return nereid_store_open(&where, &store, &message) || nereid_compiler_create(&how, &compiler);
}

static int close_folder(void **state) {
  char command[128];
  nereid_compiler_destroy(compiler);
  nereid_store_close(store);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return tear_down(state) || system(command);
}

static nereid_result_t *compile_as(const char *name, nereid_compile_options_t options) {
  nereid_result_t *result;
  options.size = sizeof options;
  options.emit = options.emit ? options.emit : NEREID_STAGE_PTX;
  assert_int_equal(nereid_compile(compiler, nereid_view(kernel), name, &options, &result), NEREID_OK);
  return result;
}

static nereid_result_t *compile(nereid_compile_options_t options) {
  return compile_as("input.ttir", options);
}

/* Compiles with the store, expects whether it was a hit, and compares with a compilation without the store. */
static void expect(nereid_compile_options_t options, bool is_stored) {
  nereid_result_t *without = compile(options);
  options.store = store;
  nereid_result_t *with = compile(options);
  assert_int_equal(nereid_result_is_stored(with), is_stored);
  assert_true(nereid_view_equal(nereid_result_bytes(with), nereid_result_bytes(without)));
  assert_true(nereid_view_equal(nereid_result_metadata(with), nereid_result_metadata(without)));
  assert_string_equal(nereid_result_kernel(with), nereid_result_kernel(without));
  assert_int_equal(nereid_result_stage(with), nereid_result_stage(without));
  if (is_stored) {
    assert_int_equal(nereid_result_time_count(with), 1);
    assert_string_equal(nereid_result_time(with, 0).name, "store");
  }
  nereid_result_destroy(with);
  nereid_result_destroy(without);
}

/* One entry per option of the key. */
static void each_option_has_its_own_unit(void **state) {
  const nereid_compile_options_t cases[] = {
      {.num_warps = 0},
      {.num_warps = 8},
      {.num_stages = 2},
      {.num_ctas = 2},
      {.maxnreg = 64},
      {.target = "sm_80"},
      {.kernel = "scale"},
      {.no_fp_fusion = true},
      {.lineinfo = true},
      {.cooperative = true},
      {.pdl = true},
      {.ptx_version = "8.4"},
      {.libdevice = "/dev/null"},
      {.ptxas_options = "-O1"},
      {.nvjitlink = true},
      {.specialize_calls = true},
      {.no_global_order = true},
      {.no_warp_specialization = true},

      {.grid = "x = ceildiv(n, 128)"},
      {.n_properties = 2, .properties = (const uint8_t[]){NEREID_PROPERTY_AS_WRITTEN, NEREID_PROPERTY_DIVISIBLE}}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    expect(cases[i], false);
    expect(cases[i], true);
  }
  assert_int_equal(events, 0);
}

/* The name is part of the result with line tables only. */
static void the_name_matters_with_line_tables(void **state) {
  (void)state;
  for (int lineinfo = 0; lineinfo < 2; ++lineinfo) {
    const nereid_compile_options_t options = {.store = store, .lineinfo = lineinfo != 0};
    nereid_result_destroy(compile_as("a.ttir", options));
    nereid_result_t *other = compile_as("b.ttir", options);
    assert_int_equal(nereid_result_is_stored(other), !lineinfo);
    nereid_result_destroy(other);
  }
}

static void keep_remark(void *user_data, const nereid_remark_t *remark) {
  (void)remark;
  ++*(int *)user_data;
}

static void options_that_need_a_compilation_compile(void **state) {
  int n_remarks = 0;
  (void)state;
  expect((nereid_compile_options_t){.num_warps = 4}, false);
  const nereid_compile_options_t cases[] = {{.num_warps = 4, .dumps = true},
                                            {.num_warps = 4, .callgraph = true},
                                            {.num_warps = 4, .allow_later = true},
                                            {.num_warps = 4, .emit = NEREID_STAGE_LLVM},
                                            {.num_warps = 4, .remark_handler = keep_remark, .remark_data = &n_remarks},
                                            {.num_warps = 4, .stop_before = "tritongpu-coalesce"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    expect(cases[i], false);
  assert_true(n_remarks > 0);
  expect((nereid_compile_options_t){.num_warps = 4}, true);
}

/* A program with an error is compiled, and reported, each time. */
static void errors_are_not_stored(void **state) {
  nereid_compile_options_t options = {.size = sizeof options, .store = store};
  nereid_result_t *result;
  (void)state;
  for (int i = 1; i <= 2; ++i) {
    assert_int_equal(nereid_compile(compiler, nereid_view("tt.func @"), NULL, &options, &result), NEREID_ERROR_PROGRAM);
    assert_int_equal(diagnostics, i);
  }
  assert_int_equal(nereid_store_counts(store).puts, 0);
}

/* Damage, an image without valid metadata, and a folder that vanished: the result is compiled. */
static void a_useless_unit_is_compiled_again(void **state) {
  char command[256];
  (void)state;
  expect((nereid_compile_options_t){.num_warps = 1}, false);
  snprintf(command, sizeof command,
           "for f in %s/[0-9a-f][0-9a-f]/*; do printf x | dd of=$f bs=1 seek=200 conv=notrunc status=none; done",
           folder);
  assert_int_equal(system(command), 0);
  expect((nereid_compile_options_t){.num_warps = 1}, false);
  assert_int_equal(events, 1);
  expect((nereid_compile_options_t){.num_warps = 1}, true);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  expect((nereid_compile_options_t){.num_warps = 1}, false);
  assert_int_equal(events, 2);
}

static bool replace_metadata(void *user_data, const nereid_store_item_t *item) {
  const nereid_store_content_t *content = user_data;
  return nereid_store_put(store, &item->key, content, &message) == NEREID_OK;
}

static void metadata_are_checked(void **state) {
  static const char *const texts[] = {"", "{", "[]", "{\"nereid\": 1}",
                                      "{\"nereid\": 1, \"name\": \"scale\", \"num_warps\": -1}"};
  (void)state;
  expect((nereid_compile_options_t){.num_warps = 1}, false);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    nereid_store_content_t content = {.image = {"image", 5}, .metadata = nereid_view(texts[i])};
    assert_int_equal(nereid_store_walk(store, replace_metadata, &content, &message), NEREID_OK);
    expect((nereid_compile_options_t){.num_warps = 1}, false);
  }
}

static bool change_arch(void *user_data, const nereid_store_item_t *item) {
  nereid_store_unit_t *unit;
  (void)user_data;
  assert_int_equal(nereid_store_inspect(store, &item->key, &unit, &message), NEREID_OK);
  nereid_store_content_t content = nereid_store_unit_content(unit);
  char *image = nereid_arena_copy(&arena, content.image), *target = strstr(image, ".target sm_80");
  assert_non_null(target);
  memcpy(target, ".target sm_90", 13);
  content.image.data = image;
  assert_int_equal(nereid_store_put(store, &item->key, &content, &message), NEREID_OK);
  nereid_store_unit_destroy(unit);
  return true;
}

/* A valid unit under the right key, but with an image for another architecture. */
static void an_image_of_another_architecture_is_not_used(void **state) {
  (void)state;
  expect((nereid_compile_options_t){.target = "sm_80"}, false);
  assert_int_equal(nereid_store_walk(store, change_arch, NULL, &message), NEREID_OK);
  diagnostics = 0;
  expect((nereid_compile_options_t){.target = "sm_80"}, false);
  assert_int_equal(diagnostics, 1);
  expect((nereid_compile_options_t){.target = "sm_80"}, true);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)
  const struct CMUnitTest tests[] = {
      TEST(each_option_has_its_own_unit),
      TEST(the_name_matters_with_line_tables),
      TEST(options_that_need_a_compilation_compile),
      TEST(errors_are_not_stored),
      TEST(a_useless_unit_is_compiled_again),
      TEST(metadata_are_checked),
      TEST(an_image_of_another_architecture_is_not_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
