/* Binding of arguments to slots: the value of each launch parameter for given arguments. */
#include "tools/nereid/run/bind.c"
#undef REFUSE
#include "tools/nereid/run/fill.c"
#undef REFUSE
#include "tools/nereid/run/npy.c"
#include "tools/nereid/run/spec.c"

#include "test/fixture.h"

static tool_job_t job;

/* Binds `n` arguments to the parameters, written as a JSON list. */
static nereid_status_t bind(const char *signature, size_t n, const char **arguments) {
  tool_list_t list = {arguments, n};
  char *text = nereid_arena_format(
      &arena, "{\"nereid\": 1, \"name\": \"k\", \"num_warps\": 4, \"shared\": 0, \"signature\": %s}", signature);
  job = (tool_job_t){0};
  assert_int_equal(nereid_metadata_parse(&arena, nereid_view(text), &job.metadata, &message), NEREID_OK);
  return tool_bind(&arena, &list, 3, &job, &message);
}

static void mentions(const char *text) {
  if (!strstr(message.text, text))
    fail_msg("'%s' does not mention %s", message.text, text);
}

static void scalars_pointers_and_null(void **state) {
  const char *arguments[] = {"n=-1", "x=f32[2x3]:arange", "2=0.5", "q=null"};
  (void)state;
  assert_int_equal(bind("[{\"name\": \"x\", \"type\": \"ptr<f32>\"}, {\"name\": \"n\", \"type\": \"i32\"}, "
                        "{\"name\": \"h\", \"type\": \"bf16\"}, {\"name\": \"q\", \"type\": \"ptr<i8>\"}]",
                        4, arguments),
                   NEREID_OK);
  assert_int_equal(job.n_slots, 4);
  assert_int_equal(job.n_tensors, 1);
  assert_int_equal(job.slots[0].kind, TOOL_SLOT_TENSOR);
  assert_int_equal(job.tensors[job.slots[0].tensor].bytes, 24);
  assert_string_equal(job.tensor_names[0], "x");
  assert_int_equal(job.slots[1].element, NEREID_ELEMENT_I32);
  assert_true(job.slots[1].bits == 0xffffffff);
  assert_int_equal(job.slots[2].bits, 0x3f00);
  assert_int_equal(job.slots[3].kind, TOOL_SLOT_NULL);
}

#define DESCRIPTOR                                                                                                     \
  "[{\"name\": \"a\", \"type\": \"tensordesc<f16[128x128]>\", \"role\": \"descriptor\", \"group\": 0, \"swizzle\": "   \
  "128},"                                                                                                              \
  "{\"name\": \"a\", \"type\": \"i32\", \"role\": \"shape\", \"group\": 0, \"dim\": 0},"                               \
  "{\"name\": \"a\", \"type\": \"i32\", \"role\": \"shape\", \"group\": 0, \"dim\": 1},"                               \
  "{\"name\": \"a\", \"type\": \"i64\", \"role\": \"stride\", \"group\": 0, \"dim\": 0},"                              \
  "{\"name\": \"a\", \"type\": \"i64\", \"role\": \"stride\", \"group\": 0, \"dim\": 1}]"

static void a_descriptor_fills_its_group(void **state) {
  const char *arguments[] = {"a=f16[1000x512]:zeros", "4=7"};
  (void)state;
  assert_int_equal(bind(DESCRIPTOR, 1, arguments), NEREID_OK);
  const nereid_tma_request_t *request = &job.slots[0].request;
  assert_int_equal(job.slots[0].kind, TOOL_SLOT_DESCRIPTOR);
  assert_int_equal(request->element, NEREID_TMA_F16);
  assert_true(request->rank == 2 && request->shape[0] == 1000 && request->shape[1] == 512);
  assert_true(request->strides[0] == 1024 && request->strides[1] == 2);
  assert_true(request->box[0] == 128 && request->box[1] == 64); /* as wide as the swizzle */
  assert_int_equal(job.slots[1].bits, 1000);
  assert_int_equal(job.slots[2].bits, 512);
  assert_int_equal(job.slots[3].bits, 512);
  assert_int_equal(job.slots[4].bits, 1);
  assert_int_equal(bind(DESCRIPTOR, 2, arguments), NEREID_OK); /* an explicit position takes precedence */
  assert_int_equal(job.slots[4].bits, 7);
  assert_int_equal(bind(DESCRIPTOR, 0, arguments), NEREID_ERROR_ARGUMENT);
  assert_string_equal(message.text, "missing arguments: argument 0 'a' (tensordesc<f16[128x128]>)");
}

static void a_rewritten_descriptor_is_a_pointer_and_numbers(void **state) {
  const char *arguments[] = {"d=f32[6x5]:rand"};
  (void)state;
  assert_int_equal(
      bind("[{\"name\": \"d\", \"type\": \"ptr<f32>\", \"role\": \"base\", \"group\": 0, \"block\": [4, 4]},"
           "{\"name\": \"d\", \"type\": \"i64\", \"role\": \"shape\", \"group\": 0, \"dim\": 1},"
           "{\"name\": \"d\", \"type\": \"i64\", \"role\": \"stride\", \"group\": 0, \"dim\": 0},"
           "{\"name\": \"d\", \"type\": \"i1\", \"role\": \"padding\", \"group\": 0, \"nan_padding\": true}]",
           1, arguments),
      NEREID_OK);
  assert_int_equal(job.slots[0].kind, TOOL_SLOT_TENSOR);
  assert_int_equal(job.slots[1].bits, 5);
  assert_int_equal(job.slots[2].bits, 5);
  assert_int_equal(job.slots[3].bits, 1);
}

static void a_map_without_a_tile_takes_the_callers(void **state) {
  const char *given[] = {"m=bf16[64x64]:rand/32x16"}, *none[] = {"m=bf16[64x64]:rand"};
  const char *swizzled[] = {"m=bf16[64x64]:rand/32x16s32"};
  const char *signature = "[{\"name\": \"m\", \"type\": \"tensormap\", \"role\": \"descriptor\", \"group\": 0}]";
  (void)state;
  assert_int_equal(bind(signature, 1, given), NEREID_OK);
  assert_int_equal(job.slots[0].request.box[0], 32);
  assert_int_equal(job.slots[0].request.box[1], 16);
  assert_int_equal(job.slots[0].request.swizzle, 0);
  assert_int_equal(bind(signature, 1, swizzled), NEREID_OK);
  assert_int_equal(job.slots[0].request.swizzle, 32);
  assert_int_equal(bind(signature, 1, none), NEREID_ERROR_ARGUMENT);
  mentions("the kernel does not specify its tile");
}

static void sizes_alone(void **state) {
  const char *arguments[] = {"0=f16[4]:rand", "1=3", "2=0.5", "3=f16:0.5", "4=9"};
  (void)state;
  assert_int_equal(bind("[{\"type\": \"opaque\", \"size\": 8}, {\"type\": \"opaque\", \"size\": 4}, "
                        "{\"type\": \"opaque\", \"size\": 4}, {\"type\": \"opaque\", \"size\": 2}, "
                        "{\"type\": \"opaque\", \"size\": 8}]",
                        5, arguments),
                   NEREID_OK);
  assert_int_equal(job.slots[0].kind, TOOL_SLOT_TENSOR);
  assert_int_equal(job.slots[1].element, NEREID_ELEMENT_I32);
  assert_int_equal(job.slots[2].element, NEREID_ELEMENT_F32);
  assert_int_equal(job.slots[3].bits, 0x3800);
  assert_int_equal(job.slots[4].element, NEREID_ELEMENT_I64);
  const char *untyped[] = {"0=0.5"};
  assert_int_equal(bind("[{\"type\": \"opaque\", \"size\": 2}]", 1, untyped), NEREID_ERROR_ARGUMENT);
  mentions("specify the type");
}

static void equal_names_need_positions(void **state) {
  const char *by_name[] = {"x=1"}, *by_position[] = {"0=1", "1=2"};
  const char *signature = "[{\"name\": \"x\", \"type\": \"i32\"}, {\"name\": \"x\", \"type\": \"i32\"}]";
  size_t tensor;
  (void)state;
  assert_int_equal(bind(signature, 1, by_name), NEREID_ERROR_ARGUMENT);
  mentions("2 arguments of kernel 'k' are named 'x'");
  assert_int_equal(bind(signature, 2, by_position), NEREID_OK);
  assert_int_equal(tool_bind_find(&job, nereid_view("1"), &tensor, &message), NEREID_ERROR_NOT_FOUND);
  assert_int_equal(tool_bind_find(&job, nereid_view("y"), &tensor, &message), NEREID_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(scalars_pointers_and_null, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_descriptor_fills_its_group, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_rewritten_descriptor_is_a_pointer_and_numbers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_map_without_a_tile_takes_the_callers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(sizes_alone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(equal_names_need_positions, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
