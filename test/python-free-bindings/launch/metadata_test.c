/* Metadata: round trips, Triton's format, and diagnostics that name each invalid field. */
#include "nereid/metadata.h"

#include <stdio.h>

#include "test/fixture.h"

static nereid_status_t parse(const char *text, nereid_metadata_t *out) {
  return nereid_metadata_parse(&arena, nereid_view(text), out, &message);
}

static const char example[] =
    "{\n"
    "  \"nereid\": 1,\n"
    "  \"name\": \"copy \\\"tile\\\"\",\n"
    "  \"target\": {\"backend\": \"cuda\", \"arch\": 90, \"warp_size\": 32},\n"
    "  \"arch\": \"sm_90a\",\n"
    "  \"num_warps\": 4,\n"
    "  \"total_num_warps\": 7,\n"
    "  \"num_ctas\": 2,\n"
    "  \"num_stages\": 3,\n"
    "  \"maxnreg\": null,\n"
    "  \"ptx_version\": 87,\n"
    "  \"registers\": 168,\n"
    "  \"spill_stores\": 24,\n"
    "  \"spill_loads\": 40,\n"
    "  \"shared\": 16384,\n"
    "  \"global_scratch_size\": 128,\n"
    "  \"global_scratch_align\": 64,\n"
    "  \"profile_scratch_size\": 0,\n"
    "  \"profile_scratch_align\": 1,\n"
    "  \"launch_cooperative_grid\": true,\n"
    "  \"launch_pdl\": false,\n"
    "  \"enable_fp_fusion\": false,\n"
    "  \"compiler\": \"nereid 0.1.0\",\n"
    "  \"assembler\": null,\n"
    "  \"grid\": {\"map\": \"(d0) -> (d0 ceildiv 128)\", \"args\": [2], \"per_sm\": 1},\n"
    "  \"signature\": [\n"
    "    {\"name\": \"a\", \"type\": \"tensordesc<f16[128x64]>\", \"size\": 128, \"role\": \"descriptor\", \"group\": "
    "0, "
    "\"swizzle\": 128},\n"
    "    {\"name\": \"a\", \"type\": \"i32\", \"size\": 4, \"role\": \"shape\", \"group\": 0, \"dim\": 1},\n"
    "    {\"name\": null, \"type\": \"i64\", \"size\": 8, \"role\": \"argument\", \"divisibility\": 16},\n"
    "    {\"name\": \"p\", \"type\": \"ptr<f8E4M3FN>\", \"size\": 8, \"role\": \"argument\"},\n"
    "    {\"name\": \"q\", \"type\": \"ptr<ptr>\", \"size\": 8, \"role\": \"argument\"},\n"
    "    {\"name\": \"b\", \"type\": \"ptr<i8>\", \"size\": 8, \"role\": \"base\", \"group\": 1, \"block\": [64, 32], "
    "\"fp4_padded\": true, \"nan_padding\": true},\n"
    "    {\"name\": \"m\", \"type\": \"tensormap\", \"size\": 128, \"role\": \"descriptor\", \"group\": 2},\n"
    "    {\"name\": \"o\", \"type\": \"opaque\", \"size\": 12, \"role\": \"argument\"}\n"
    "  ]\n"
    "}\n";

static void every_field_is_read(void **state) {
  nereid_metadata_t m;
  (void)state;
  assert_int_equal(parse(example, &m), NEREID_OK);
  assert_string_equal(m.name, "copy \"tile\"");
  assert_string_equal(m.arch, "sm_90a");
  assert_int_equal(m.capability, 90);
  assert_int_equal(m.num_warps, 4);
  assert_int_equal(m.total_num_warps, 7);
  assert_int_equal(m.num_ctas, 2);
  assert_int_equal(m.maxnreg, 0);
  assert_int_equal(m.registers, 168);
  assert_int_equal(m.spill_stores, 24);
  assert_int_equal(m.spill_loads, 40);
  assert_int_equal(m.shared, 16384);
  assert_int_equal(m.global_scratch_size, 128);
  assert_int_equal(m.global_scratch_align, 64);
  assert_true(m.cooperative && !m.pdl && !m.fp_fusion && m.signature && !m.foreign);
  assert_null(m.assembler);
  assert_string_equal(m.grid_map, "(d0) -> (d0 ceildiv 128)");
  assert_int_equal(m.n_grid_arguments, 1);
  assert_int_equal(m.grid_arguments[0], 2);
  assert_int_equal(m.n_parameters, 8);
  const nereid_parameter_t *a = m.parameters;
  assert_int_equal(a[0].kind, NEREID_PARAMETER_DESCRIPTOR);
  assert_int_equal(a[0].rank, 2);
  assert_int_equal(a[0].block[0], 128);
  assert_int_equal(a[0].block[1], 64);
  assert_int_equal(a[0].swizzle, 128);
  assert_int_equal(a[1].role, NEREID_ROLE_SHAPE);
  assert_int_equal(a[1].dimension, 1);
  assert_null(a[2].name);
  assert_int_equal(a[2].divisibility, 16);
  assert_int_equal(a[2].group, -1);
  assert_int_equal(a[3].element, NEREID_ELEMENT_F8E4M3FN);
  assert_int_equal(a[4].element, NEREID_ELEMENT_NONE);
  assert_int_equal(a[5].rank, 2);
  assert_true(a[5].fp4_padded && a[5].nan_padding);
  assert_int_equal(a[6].rank, 0);
  assert_int_equal(a[7].size, 12);
}

static void printing_what_was_parsed_gives_the_same_text(void **state) {
  nereid_metadata_t m;
  nereid_view_t text;
  (void)state;
  assert_int_equal(parse(example, &m), NEREID_OK);
  assert_int_equal(nereid_metadata_print(&arena, &m, &text), NEREID_OK);
  assert_string_equal(text.data, example);
}

static void without_a_signature(void **state) {
  nereid_metadata_t m, again;
  nereid_view_t text;
  (void)state;
  nereid_metadata_initialize(&m);
  m.name = "k";
  assert_int_equal(nereid_metadata_print(&arena, &m, &text), NEREID_OK);
  assert_int_equal(nereid_metadata_parse(&arena, text, &again, &message), NEREID_OK);
  assert_true(!again.signature && !again.foreign && again.n_parameters == 0);
  m.signature = true;
  assert_int_equal(nereid_metadata_print(&arena, &m, &text), NEREID_OK);
  assert_int_equal(nereid_metadata_parse(&arena, text, &again, &message), NEREID_OK);
  assert_true(again.signature && again.n_parameters == 0);
  assert_true(again.abi == NEREID_ABI_TRITON && again.block[0] == 0);
  m.abi = NEREID_ABI_PTX;
  m.block[0] = 48;
  m.block[1] = 2;
  m.block[2] = 1;
  assert_int_equal(nereid_metadata_print(&arena, &m, &text), NEREID_OK);
  assert_int_equal(nereid_metadata_parse(&arena, text, &again, &message), NEREID_OK);
  assert_true(again.abi == NEREID_ABI_PTX && again.block[0] == 48 && again.block[1] == 2 && again.block[2] == 1);
}

static void tritons_file_is_read(void **state) {
  nereid_metadata_t m;
  (void)state;
  assert_int_equal(
      parse("{\"hash\": \"x\", \"target\": {\"backend\": \"cuda\", \"arch\": 90, \"warp_size\": 32}, "
            "\"num_warps\": 8, \"num_ctas\": 1, \"maxnreg\": null, \"ptx_version\": null, \"arch\": \"sm90\","
            "\"launch_cooperative_grid\": false, \"launch_pdl\": true, \"shared\": 512, "
            "\"tensordesc_meta\": [{\"swizzle\": 3, \"elem_size\": 2, \"elem_type\": 6, "
            "\"block_size\": [128, 64], \"fp4_padded\": false}], "
            "\"global_scratch_size\": 0, \"global_scratch_align\": 1, \"name\": \"f\"}",
            &m),
      NEREID_OK);
  assert_true(m.foreign && !m.signature && m.pdl);
  assert_int_equal(m.total_num_warps, 8);
  assert_int_equal(m.n_parameters, 1);
  assert_int_equal(m.parameters[0].element, NEREID_ELEMENT_F16);
  assert_int_equal(m.parameters[0].swizzle, 128);
  assert_int_equal(m.parameters[0].block[1], 64);
}

/* A valid text with one replacement, and the expected part of the diagnostic. */
static void each_wrong_field_is_named(void **state) {
  static const struct {
    const char *from, *to, *mentions;
  } cases[] = {
      {"\"nereid\": 1", "\"nereid\": 2", "version 2"},
      {"\"nereid\": 1", "\"nereid\": \"1\"", "'nereid'"},
      {"\"name\": \"copy \\\"tile\\\"\",", "", "'name'"},
      {"\"num_warps\": 4", "\"num_warps\": 4.5", "'num_warps'"},
      {"\"num_warps\": 4", "\"num_warps\": 33", "1 to 32"},
      {"\"num_warps\": 4", "\"num_warps\": null", "'num_warps'"},
      {"\"num_ctas\": 2", "\"num_ctas\": 0", "'num_ctas'"},
      {"\"shared\": 16384", "\"shared\": -1", "'shared'"},
      {"\"shared\": 16384", "\"shared\": 1e12", "'shared'"},
      {"\"global_scratch_align\": 64", "\"global_scratch_align\": 48", "power of two"},
      {"\"launch_pdl\": false", "\"launch_pdl\": 0", "'launch_pdl'"},
      {"\"backend\": \"cuda\"", "\"backend\": \"hip\"", "backend"},
      {"\"args\": [2]", "\"args\": [8]", "'grid.args'"},
      {"\"args\": [2]", "\"args\": 2", "'grid.args'"},
      {"\"type\": \"i32\", \"size\": 4", "\"type\": \"i33\"", "signature[1].type"},
      {"\"type\": \"i32\", \"size\": 4", "\"type\": \"i32\", \"size\": 8", "signature[1].size"},
      {"\"role\": \"shape\", \"group\": 0, \"dim\": 1", "\"role\": \"shape\", \"group\": 0", "signature[1].dim"},
      {"\"role\": \"shape\"", "\"role\": \"size\"", "signature[1].role"},
      {"\"swizzle\": 128", "\"swizzle\": 48", "signature[0].swizzle"},
      {"[128x64]", "[128x64x1x1x1x1]", "signature[0].type"},
      {"[128x64]", "[128x]", "signature[0].type"},
      {"[128x64]", "[]", "signature[0].type"},
      {"\"type\": \"opaque\", \"size\": 12", "\"type\": \"opaque\"", "signature[7].size"},
      {"\"block\": [64, 32]", "\"block\": [1, 1, 1, 1, 1, 1]", "signature[5].block"},
      {"  ]\n}\n", "  ]\n}\n]", "not JSON"},
      {"  ]\n}\n", "", "not JSON"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nereid_metadata_t m;
    const char *at = strstr(example, cases[i].from);
    assert_non_null(at);
    char *text =
        nereid_arena_format(&arena, "%.*s%s%s", (int)(at - example), example, cases[i].to, at + strlen(cases[i].from));
    message.text[0] = '\0';
    assert_int_equal(parse(text, &m), NEREID_ERROR_ARGUMENT);
    if (!strstr(message.text, cases[i].mentions))
      fail_msg("'%s' does not mention %s", message.text, cases[i].mentions);
  }
}

/* The text truncated at any byte is rejected without a read past its end (checked by the sanitizers). */
static void every_prefix_is_refused(void **state) {
  (void)state;
  for (size_t size = 0; size + 2 < sizeof example; ++size) {
    nereid_metadata_t m;
    char *exact = nereid_arena_allocate(&arena, size + 1, 1);
    memcpy(exact, example, size);
    exact[size] = 'x';
    nereid_status_t status = nereid_metadata_parse(&arena, nereid_view_of(exact, size), &m, &message);
    assert_int_equal(status, NEREID_ERROR_ARGUMENT);
  }
  nereid_metadata_t m;
  assert_int_equal(parse("[]", &m), NEREID_ERROR_ARGUMENT);
  assert_int_equal(parse("3", &m), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_metadata_parse(&arena, nereid_view_of(NULL, 0), &m, NULL), NEREID_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_field_is_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(printing_what_was_parsed_gives_the_same_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(without_a_signature, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tritons_file_is_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(each_wrong_field_is_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_prefix_is_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
