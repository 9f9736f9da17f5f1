/* Pipelines parse, accept their options and run; the registry has every row; passes get their options. */
#include "passes/pipeline.h"

#include "nereid/context.h"
#include "passes/pass.h"

#include <mlir-c/BuiltinAttributes.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka requires the four above. */
#include <cmocka.h>

static const nereid_pipeline_options_t options = {
    .num_warps = 4, .num_ctas = 1, .num_stages = 3, .capability = 90, .ptx_version = 87};

static void test_every_stage_parses(void **state) {
  (void)state;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  MlirContext context = nereid_context_create();
  for (int stage = NEREID_PIPELINE_TTIR; stage <= NEREID_PIPELINE_GRID; stage++) {
    MlirPassManager manager = mlirPassManagerCreate(context);
    MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
    assert_int_equal(nereid_pipeline_add(passes, stage, &options, NULL, &arena), NEREID_OK);
    assert_null(strchr(nereid_pipeline_text(stage, &options, &arena), '$'));
    mlirPassManagerDestroy(manager);
  }
  mlirContextDestroy(context);
  nereid_arena_deinitialize(&arena);
}

/* The description of option `name` of the pass `argument`; null for passes that are not in passes.def. */
static const char *description_of(const char *argument, size_t length, const char *name, size_t name_length) {
  for (size_t i = 0; i < nereid_passes_count(); i++) {
    const NereidMlirPassInfo *info = nereid_passes_get(i);
    if (strlen(info->argument) != length || strncmp(info->argument, argument, length) != 0)
      continue;
    for (const NereidMlirPassOption *option = info->options; option->name; option++)
      if (strlen(option->name) == name_length && !strncmp(option->name, name, name_length))
        return option->description;
  }
  return NULL;
}

/* Options that passes accept only for compatibility with Triton have no effect: Nereid's pipelines do not set them. */
static void test_options_have_effects(void **state) {
  (void)state;
  size_t checked = 0;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  for (int stage = NEREID_PIPELINE_TTIR; stage <= NEREID_PIPELINE_GRID; stage++)
    for (const char *pass = nereid_pipeline_text(stage, &options, &arena); *pass;) {
      const size_t length = strcspn(pass, ",{");
      const char *option = pass + length;
      while (*option == '{' || *option == ' ') {
        const size_t name = strcspn(++option, "=");
        const char *description = description_of(pass, length, option, name);
        if (description && !strncmp(description, "Accepted", strlen("Accepted")))
          fail_msg("%.*s is given %.*s, which has no effect", (int)length, pass, (int)name, option);
        checked += description != NULL;
        option += strcspn(option, " }");
      }
      option += *option == '}';
      pass = option + (*option == ',');
    }
  assert_true(checked > 0);
  nereid_arena_deinitialize(&arena);
}

static void test_ttir_runs(void **state) {
  (void)state;
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  MlirContext context = nereid_context_create();
  const char *text = "tt.func public @f(%n: i32) -> i32 {\n"
                     "  %0 = tt.call @g(%n) : (i32) -> i32\n"
                     "  tt.return %0 : i32\n"
                     "}\n"
                     "tt.func private @g(%n: i32) -> i32 { tt.return %n : i32 }\n";
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  assert_int_equal(nereid_pipeline_add(passes, NEREID_PIPELINE_TTIR, &options, NULL, &arena), NEREID_OK);
  MlirOperation op = mlirModuleGetOperation(module);
  assert_true(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, op)));
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  assert_true(mlirOperationIsNull(mlirOperationGetNextInBlock(function)));
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  nereid_arena_deinitialize(&arena);
}

/* Counts the passes, and stops before `stop_at`. */
typedef struct count {
  size_t calls, stop_at;
  const char *const *list; /* replaces the passes; null: keep them */
  char last[64];
  bool ended;
} count_t;

static bool count_passes(void *user_data, MlirOperation module, const nereid_pipeline_position_t *position) {
  count_t *count = user_data;
  assert_false(mlirOperationIsNull(module));
  assert_int_equal(position->stage, NEREID_PIPELINE_TTIR);
  assert_int_equal(position->index, count->calls++);
  if (!position->pass) {
    assert_int_equal(position->index, position->count);
    count->ended = true;
    return true;
  }
  snprintf(count->last, sizeof count->last, "%s", position->pass);
  return position->index != count->stop_at;
}

static const char *const *edit_passes(void *user_data, nereid_pipeline_t stage, const char *const *passes) {
  const count_t *count = user_data;
  assert_ptr_equal(passes, nereid_pipeline_passes(stage));
  return count->list ? count->list : passes;
}

static bool run_counted(MlirContext context, count_t *count) {
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString("tt.func public @f() { tt.return }"));
  MlirPassManager manager = mlirPassManagerCreate(context);
  const nereid_pipeline_hooks_t hooks = {.checkpoint = count_passes, .edit = edit_passes, .user_data = count};
  assert_int_equal(
      nereid_pipeline_add(mlirPassManagerGetAsOpPassManager(manager), NEREID_PIPELINE_TTIR, &options, &hooks, &arena),
      NEREID_OK);
  bool done = mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module)));
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  nereid_arena_deinitialize(&arena);
  return done;
}

static void test_checkpoints(void **state) {
  (void)state;
  MlirContext context = nereid_context_create();
  static const char *const own[] = {"cse", "canonicalize", NULL};
  count_t all = {.stop_at = SIZE_MAX}, few = {.stop_at = 2}, edited = {.stop_at = SIZE_MAX, .list = own};
  assert_true(run_counted(context, &all));
  assert_string_equal(all.last, "symbol-dce");
  assert_true(all.calls > 5 && all.ended);
  assert_false(run_counted(context, &few));
  assert_int_equal(few.calls, 3);
  assert_false(few.ended);
  assert_true(run_counted(context, &edited));
  assert_string_equal(edited.last, "canonicalize");
  assert_int_equal(edited.calls, 3);
  mlirContextDestroy(context);
}

static void test_every_row_makes_a_pass(void **state) {
  (void)state;
  MlirContext context = nereid_context_create();
  MlirPassManager manager = mlirPassManagerCreate(context);
  for (size_t i = 0; i < nereid_passes_count(); i++) {
    const NereidMlirPassInfo *info = nereid_passes_get(i);
    mlirPassManagerAddOwnedPass(manager, nereidMlirPassCreate(info));
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(info->argument, nereid_passes_get(j)->argument);
  }
  mlirPassManagerDestroy(manager);
  mlirContextDestroy(context);
}

/* A test pass: options with defaults, the anchor op, the loaded dialects. */
typedef struct seen {
  int64_t number, flag;
  char text[16];
  int runs;
} seen_t;

static MlirLogicalResult look(MlirOperation op, MlirPass pass, void *data) {
  seen_t *seen = data;
  seen->runs++;
  seen->number = nereidMlirPassGetIntOption(pass, 0);
  seen->flag = nereidMlirPassGetIntOption(pass, 1);
  MlirStringRef text = nereidMlirPassGetStringOption(pass, 2);
  memcpy(seen->text, text.data, text.length < 15 ? text.length : 15);
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return name.length == strlen("tt.func") ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

static void discard(MlirStringRef text, void *data) {
  (void)text;
  (void)data;
}

static void test_options_arrive(void **state) {
  (void)state;
  static seen_t seen;
  static const NereidMlirPassOption rows[] = {{"number", "n", NereidMlirPassOptionInt, 7, NULL},
                                              {"flag", "f", NereidMlirPassOptionBool, 1, NULL},
                                              {"text", "t", NereidMlirPassOptionString, 0, "abc"},
                                              {NULL, NULL, NereidMlirPassOptionInt, 0, NULL}};
  static const NereidMlirPassInfo info = {"test-look", "tt.func", "looks", "math,ub", rows, look, &seen};
  nereidMlirPassRegister(&info);
  MlirContext context = nereid_context_create();
  MlirStringRef source = mlirStringRefCreateFromCString("tt.func @f() { tt.return }\ntt.func @g() { tt.return }");
  MlirModule module = mlirModuleCreateParse(context, source);
  const struct {
    const char *pipeline;
    int64_t number, flag;
    const char *text;
  } cases[] = {{"builtin.module(tt.func(test-look))", 7, 1, "abc"},
               {"builtin.module(tt.func(test-look{number=-9 flag=false text=xyz}))", -9, 0, "xyz"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    seen = (seen_t){0};
    MlirPassManager manager = mlirPassManagerCreate(context);
    MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
    MlirStringRef pipeline = mlirStringRefCreateFromCString(cases[i].pipeline);
    assert_true(mlirLogicalResultIsSuccess(mlirParsePassPipeline(passes, pipeline, discard, NULL)));
    MlirOperation op = mlirModuleGetOperation(module);
    assert_true(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, op)));
    assert_int_equal(seen.runs, 2);
    assert_int_equal(seen.number, cases[i].number);
    assert_int_equal(seen.flag, cases[i].flag);
    assert_string_equal(seen.text, cases[i].text);
    mlirPassManagerDestroy(manager);
  }
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_stage_parses),
      cmocka_unit_test(test_options_have_effects),
      cmocka_unit_test(test_ttir_runs),
      cmocka_unit_test(test_checkpoints),
      cmocka_unit_test(test_every_row_makes_a_pass),
      cmocka_unit_test(test_options_arrive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
