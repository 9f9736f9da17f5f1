/* Sessions: every pair of an input stage and a later output stage; calls of the handler; use after an error. */
#include "nereid/compile.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD "target triple = \"nvptx64-nvidia-cuda\"\n"

static const char scale[] = HEAD "define ptx_kernel void @scale(ptr addrspace(1) %p, float %by) #0 {\n"
                                 "  %x = load float, ptr addrspace(1) %p\n"
                                 "  %y = fmul float %x, %by\n"
                                 "  store float %y, ptr addrspace(1) %p\n"
                                 "  ret void\n"
                                 "}\n"
                                 "attributes #0 = { \"nvvm.reqntid\"=\"64\" }\n";

static const char two_kernels[] = HEAD "define ptx_kernel void @one() {\n  ret void\n}\n"
                                       "define ptx_kernel void @two() {\n  ret void\n}\n";

typedef struct told {
  nereid_diagnostic_t last; /* its strings are the copies below */
  char file[256], message[1024], all[4096];
  unsigned errors;
} told_t;

static void keep(void *user_data, const nereid_diagnostic_t *diagnostic) {
  told_t *told = user_data;
  size_t used = strlen(told->all);
  snprintf(told->all + used, sizeof told->all - used, "%s\n", diagnostic->message);
  if (diagnostic->severity != NEREID_SEVERITY_ERROR)
    return;
  told->errors++;
  told->last = *diagnostic;
  snprintf(told->file, sizeof told->file, "%s", diagnostic->file ? diagnostic->file : "");
  snprintf(told->message, sizeof told->message, "%s", diagnostic->message);
}

typedef struct fixture {
  nereid_compiler_t *compiler;
  told_t told;
} fixture_t;

static int set_up(void **state) {
  fixture_t *fixture = calloc(1, sizeof *fixture);
  if (!fixture)
    return 1;
  nereid_compiler_options_t options = {.size = sizeof options, .handler = keep, .user_data = &fixture->told};
  *state = fixture;
  return nereid_compiler_create(&options, &fixture->compiler);
}

static int tear_down(void **state) {
  fixture_t *fixture = *state;
  nereid_compiler_destroy(fixture->compiler);
  free(fixture);
  return 0;
}

static nereid_status_t compile(fixture_t *fixture, const char *text, nereid_compile_options_t options,
                               nereid_result_t **out_result) {
  fixture->told = (told_t){.errors = 0};
  options.size = sizeof options;
  return nereid_compile(fixture->compiler, nereid_view(text), "input", &options, out_result);
}

static nereid_result_t *must_compile(fixture_t *fixture, const char *text, nereid_compile_options_t options) {
  nereid_result_t *result = NULL;
  assert_int_equal(compile(fixture, text, options, &result), NEREID_OK);
  assert_non_null(result);
  return result;
}

static nereid_status_t must_fail(fixture_t *fixture, const char *text, nereid_compile_options_t options) {
  nereid_result_t *result = (nereid_result_t *)(uintptr_t)1;
  nereid_status_t status = compile(fixture, text, options, &result);
  assert_int_not_equal(status, NEREID_OK);
  assert_null(result);
  assert_true(fixture->told.errors > 0);
  return status;
}

#define EMIT(stage) ((nereid_compile_options_t){.emit = NEREID_STAGE_##stage})

static void test_llvm_to_ptx(void **state) {
  fixture_t *fixture = *state;
  nereid_result_t *result = must_compile(fixture, scale, EMIT(PTX));
  assert_int_equal(nereid_result_input_stage(result), NEREID_STAGE_LL);
  assert_int_equal(nereid_result_stage(result), NEREID_STAGE_PTX);
  assert_string_equal(nereid_result_kernel(result), "scale");
  assert_non_null(strstr(nereid_result_bytes(result).data, ".visible .entry scale("));
  assert_non_null(strstr(nereid_result_metadata(result).data, "\"num_warps\": 2"));
  assert_int_equal(nereid_result_time_count(result), 3);
  assert_string_equal(nereid_result_time(result, 0).name, "read");
  assert_true(nereid_result_time(result, 2).peak_memory > 0);
  nereid_result_destroy(result);
}

static void test_deterministic(void **state) {
  fixture_t *fixture = *state;
  nereid_result_t *first = must_compile(fixture, scale, EMIT(PTX)), *second = must_compile(fixture, scale, EMIT(PTX));
  assert_true(nereid_view_equal(nereid_result_bytes(first), nereid_result_bytes(second)));
  assert_true(nereid_view_equal(nereid_result_metadata(first), nereid_result_metadata(second)));
  nereid_result_destroy(first);
  nereid_result_destroy(second);
}

/* LLVM numbers calls per process. */
static void test_deterministic_calls(void **state) {
  fixture_t *fixture = *state;
  static const char text[] = HEAD "define internal i32 @f(i32 %x) noinline {\n"
                                  "  %y = mul i32 %x, %x\n"
                                  "  ret i32 %y\n"
                                  "}\n"
                                  "define ptx_kernel void @k(ptr addrspace(1) %p, i32 %x) {\n"
                                  "  %a = call i32 @f(i32 %x)\n"
                                  "  %b = call i32 @f(i32 %a)\n"
                                  "  store i32 %b, ptr addrspace(1) %p\n"
                                  "  ret void\n"
                                  "}\n";
  nereid_result_t *first = must_compile(fixture, text, EMIT(PTX));
  assert_non_null(strstr(nereid_result_bytes(first).data, "{ // callseq 0, 0"));
  assert_non_null(strstr(nereid_result_bytes(first).data, "} // callseq 1"));
  for (int i = 0; i < 10; i++) {
    nereid_result_t *again = must_compile(fixture, text, EMIT(PTX));
    assert_string_equal(nereid_result_bytes(again).data, nereid_result_bytes(first).data);
    nereid_result_destroy(again);
  }
  nereid_result_destroy(first);
}

/* Every dumped stage compiles to the same PTX, with the same metadata. */
static void test_resume(void **state) {
  fixture_t *fixture = *state;
  nereid_compile_options_t options = {.emit = NEREID_STAGE_PTX, .dumps = true, .num_stages = 5, .pdl = true};
  nereid_result_t *whole = must_compile(fixture, scale, options);
  assert_int_equal(nereid_result_dump_count(whole), 2);
  assert_int_equal(nereid_result_dump_stage(whole, 0), NEREID_STAGE_LL);
  assert_int_equal(nereid_result_dump_stage(whole, 1), NEREID_STAGE_PTX);
  for (size_t i = 0; i < 2; i++) {
    nereid_result_t *rest = must_compile(fixture, nereid_result_dump(whole, i).data, EMIT(PTX));
    assert_string_equal(nereid_result_bytes(rest).data, nereid_result_bytes(whole).data);
    assert_string_equal(nereid_result_metadata(rest).data, nereid_result_metadata(whole).data);
    nereid_result_destroy(rest);
  }
  assert_non_null(strstr(nereid_result_metadata(whole).data, "\"launch_pdl\": true"));
  nereid_result_destroy(whole);
}

static void test_cubin(void **state) {
  fixture_t *fixture = *state;
  nereid_result_t *result = NULL;
  nereid_status_t status = compile(fixture, scale, (nereid_compile_options_t){0}, &result);
  if (status == NEREID_ERROR_NOT_FOUND)
    skip();
  assert_int_equal(status, NEREID_OK);
  assert_memory_equal(nereid_result_bytes(result).data,
                      "\x7f"
                      "ELF",
                      4);
  assert_true(nereid_result_registers(result) > 0);
  assert_non_null(strstr(nereid_result_metadata(result).data, "\"assembler\": \""));
  nereid_result_destroy(result);
}

static void test_several_kernels(void **state) {
  fixture_t *fixture = *state;
  assert_int_equal(must_fail(fixture, two_kernels, EMIT(PTX)), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(fixture->told.message, "2 kernels"));
  assert_non_null(strstr(fixture->told.all, "'one'"));
  assert_non_null(strstr(fixture->told.all, "'two'"));
  nereid_result_t *result =
      must_compile(fixture, two_kernels, (nereid_compile_options_t){.emit = NEREID_STAGE_PTX, .kernel = "two"});
  assert_non_null(strstr(nereid_result_bytes(result).data, ".entry two("));
  assert_null(strstr(nereid_result_bytes(result).data, ".entry one("));
  nereid_result_destroy(result);
  assert_int_equal(must_fail(fixture, two_kernels, (nereid_compile_options_t){.kernel = "three"}),
                   NEREID_ERROR_NOT_FOUND);
}

static void test_no_kernel(void **state) {
  fixture_t *fixture = *state;
  assert_int_equal(must_fail(fixture, HEAD "define void @f() {\n  ret void\n}\n", EMIT(PTX)), NEREID_ERROR_PROGRAM);
  assert_int_equal(must_fail(fixture, "", EMIT(PTX)), NEREID_ERROR_PROGRAM);
  assert_int_equal(must_fail(fixture, "// nothing\n", EMIT(PTX)), NEREID_ERROR_PROGRAM);
  assert_int_equal(must_fail(fixture, "module {\n}\n", EMIT(PTX)), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(fixture->told.message, "empty"));
  assert_string_equal(fixture->told.file, "input");
  assert_int_equal(must_fail(fixture, ".version 8.0\n.target sm_80\n.address_size 64\n", EMIT(PTX)),
                   NEREID_ERROR_PROGRAM);
}

static void test_garbage(void **state) {
  fixture_t *fixture = *state;
  assert_int_equal(must_fail(fixture, "module {\n  tt.func @k( {\n}\n", EMIT(PTX)), NEREID_ERROR_PROGRAM);
  assert_int_equal(fixture->told.last.line, 2);
  assert_string_equal(fixture->told.file, "input");
  assert_int_equal(must_fail(fixture,
                             "\x7f"
                             "ELF....",
                             EMIT(CUBIN)),
                   NEREID_ERROR_PROGRAM);
  assert_int_equal(must_fail(fixture, "define void @f( {", EMIT(PTX)), NEREID_ERROR_PROGRAM);
  assert_int_equal(must_fail(fixture, "BC\xC0\xDE....", EMIT(PTX)), NEREID_ERROR_PROGRAM);
  assert_int_equal(must_fail(fixture, "ML\xEFR", EMIT(PTX)), NEREID_ERROR_PROGRAM);
}

static void test_options(void **state) {
  fixture_t *fixture = *state;
  const nereid_compile_options_t wrong[] = {
      {.num_warps = 3},
      {.num_warps = -4},
      {.num_warps = 64},
      {.num_ctas = 32},
      {.num_ctas = 6},
      {.maxnreg = 257},
      {.num_stages = -1},
      {.target = "sm_70"},
      {.ptx_version = "1.0"},
      {.emit = (nereid_stage_t)9},
      {.num_ctas = 2, .target = "sm_80"},
      {.emit = NEREID_STAGE_TTIR},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(must_fail(fixture, scale, wrong[i]), NEREID_ERROR_ARGUMENT);
  assert_int_equal(must_fail(fixture, scale, (nereid_compile_options_t){.num_warps = 8}), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(fixture->told.message, "contradicts"));
  nereid_compile_options_t unsized = {0};
  nereid_result_t *result = NULL;
  assert_int_equal(nereid_compile(fixture->compiler, nereid_view(scale), NULL, &unsized, &result),
                   NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_compile(NULL, nereid_view(scale), NULL, NULL, &result), NEREID_ERROR_ARGUMENT);
  assert_int_equal(nereid_compile(fixture->compiler, nereid_view(scale), NULL, NULL, NULL), NEREID_ERROR_ARGUMENT);
}

static void test_missing_assembler(void **state) {
  fixture_t *fixture = *state;
  assert_int_equal(must_fail(fixture, scale, (nereid_compile_options_t){.ptxas = "/nonexistent/ptxas"}),
                   NEREID_ERROR_NOT_FOUND);
}

/* Fails in LLVM's instruction selection; the session stays usable, also for MLIR input. */
static void test_llvm_gives_up(void **state) {
  fixture_t *fixture = *state;
  static const char text[] = HEAD "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                                  "  %x = load fp128, ptr addrspace(1) %p\n"
                                  "  %y = fadd fp128 %x, %x\n"
                                  "  store fp128 %y, ptr addrspace(1) %p\n"
                                  "  ret void\n"
                                  "}\n";
  for (int i = 0; i < 2; i++) {
    assert_int_equal(must_fail(fixture, text, EMIT(PTX)), NEREID_ERROR_INTERNAL);
    assert_non_null(strstr(fixture->told.message, "fatal error in LLVM"));
    nereid_result_destroy(must_compile(fixture, scale, EMIT(PTX)));
    assert_int_equal(must_fail(fixture, "module {\n}\n", EMIT(PTX)), NEREID_ERROR_PROGRAM);
  }
}

/* One session per thread; an error in one does not affect the others. */
static void *run_session(void *argument) {
  const char *text = argument;
  nereid_compiler_t *compiler = NULL;
  intptr_t good = 0;
  if (nereid_compiler_create(NULL, &compiler) != NEREID_OK)
    return NULL;
  for (int i = 0; i < 5; i++) {
    nereid_compile_options_t options = {.size = sizeof options, .emit = NEREID_STAGE_PTX};
    nereid_result_t *result = NULL;
    good += nereid_compile(compiler, nereid_view(text), NULL, &options, &result) == NEREID_OK;
    nereid_result_destroy(result);
  }
  nereid_compiler_destroy(compiler);
  return (void *)good;
}

static void test_threads(void **state) {
  static const char gives_up[] = HEAD "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                                      "  %x = load fp128, ptr addrspace(1) %p\n"
                                      "  %y = fadd fp128 %x, %x\n"
                                      "  store fp128 %y, ptr addrspace(1) %p\n"
                                      "  ret void\n"
                                      "}\n";
  pthread_t threads[6];
  (void)state;
  for (size_t i = 0; i < 6; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_session, (void *)(uintptr_t)(i % 3 == 2 ? gives_up : scale)),
                     0);
  for (size_t i = 0; i < 6; i++) {
    void *good = NULL;
    assert_int_equal(pthread_join(threads[i], &good), 0);
    assert_int_equal((intptr_t)good, i % 3 == 2 ? 0 : 5);
  }
}

static const char llvm_dialect[] =
    "module attributes {\"ttg.num-warps\" = 4 : i32, ttg.shared = 64 : i32, ttg.target = \"cuda:80\"} {\n"
    "  llvm.func @\"my.kernel\"(%p: !llvm.ptr<1>, %s: !llvm.ptr<1>, %t: !llvm.ptr<1>) attributes {nvvm.kernel, "
    "nvvm.reqntid = array<i32: 128>} {\n"
    "    %one = llvm.mlir.constant(1 : i32) : i32\n"
    "    llvm.store %one, %p : i32, !llvm.ptr<1>\n"
    "    llvm.return\n"
    "  }\n"
    "}\n";

static void test_llvm_dialect(void **state) {
  fixture_t *fixture = *state;
  nereid_result_t *result = must_compile(fixture, llvm_dialect, EMIT(PTX));
  assert_int_equal(nereid_result_input_stage(result), NEREID_STAGE_LLVM);
  assert_string_equal(nereid_result_kernel(result), "my$2Ekernel");
  assert_non_null(strstr(nereid_result_bytes(result).data, ".target sm_80"));
  assert_non_null(strstr(nereid_result_bytes(result).data, ".entry my$2Ekernel("));
  assert_non_null(strstr(nereid_result_metadata(result).data, "\"shared\": 64"));
  nereid_result_destroy(result);
  assert_int_equal(must_fail(fixture, llvm_dialect, (nereid_compile_options_t){.num_warps = 8}), NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(fixture->told.message, "ttg.num-warps = 4"));
  assert_int_equal(must_fail(fixture, llvm_dialect, (nereid_compile_options_t){.target = "sm_90a"}),
                   NEREID_ERROR_PROGRAM);
  assert_non_null(strstr(fixture->told.message, "ttg.target"));
}

static void test_tt(void **state) {
  fixture_t *fixture = *state;
  static const char text[] =
      "module {\n"
      "  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc(\"x\"), %n: i32) {\n"
      "    tt.return\n"
      "  }\n"
      "}\n";
  nereid_compile_options_t options = {.emit = NEREID_STAGE_TTIR, .num_warps = 8, .no_fp_fusion = true};
  nereid_result_t *result = must_compile(fixture, text, options);
  assert_int_equal(nereid_result_input_stage(result), NEREID_STAGE_TTIR);
  assert_non_null(strstr(nereid_result_bytes(result).data, "%x: !tt.ptr<f32>"));
  assert_non_null(strstr(nereid_result_bytes(result).data, "num_warps = 8"));
  const char *metadata = nereid_result_metadata(result).data;
  assert_non_null(strstr(metadata, "\"name\": \"x\", \"type\": \"ptr<f32>\", \"size\": 8, \"role\": \"argument\", "
                                   "\"divisibility\": 16"));
  assert_non_null(strstr(metadata, "\"type\": \"i32\""));
  nereid_result_t *again = must_compile(fixture, nereid_result_bytes(result).data, EMIT(TTIR));
  assert_string_equal(nereid_result_bytes(again).data, nereid_result_bytes(result).data);
  assert_non_null(strstr(nereid_result_metadata(again).data, "\"enable_fp_fusion\": false"));
  nereid_result_destroy(again);
  nereid_result_destroy(result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_llvm_to_ptx),
      TEST(test_deterministic),
      TEST(test_deterministic_calls),
      TEST(test_resume),
      TEST(test_cubin),
      TEST(test_several_kernels),
      TEST(test_no_kernel),
      TEST(test_garbage),
      TEST(test_options),
      TEST(test_missing_assembler),
      TEST(test_llvm_gives_up),
      TEST(test_threads),
      TEST(test_llvm_dialect),
      TEST(test_tt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
