/* Traces as text: they are read back unchanged, and damaged ones are errors. The test includes the tool's source,
 * because a tool is not a library. */
#include "tools/nereid/trace/trace_file.c"

#include "test/fixture.h"

static const tool_token_t tokens[] = {{16, 2, 0, false}, {20, 2, 0, false}};
static const tool_op_t ops[] = {
    {.name = "builtin.module", .text = "module {...}"},
    {.name = "arith.constant",
     .text = "%0 = arith.constant 4 : i32",
     .rhs = 5,
     .depth = 1,
     .n_results = 1,
     .place = UINT64_MAX},
    {.name = "arith.addi",
     .symbol = "f",
     .text = "%1 = arith.addi %0, %0 : i32",
     .file = "a b:c.py",
     .line = 7,
     .column = 3,
     .rhs = 5,
     .depth = 1,
     .tokens = tokens,
     .n_tokens = 2,
     .first_value = 1,
     .n_results = 1},
};
static const tool_value_t values[] = {{1, "%0", "i32", 5}, {2, "%1", "i32", 0}};
static const tool_snapshot_t snapshot = {ops, 3, values, 2};
static const tool_step_t steps[] = {{NEREID_PIPELINE_TTIR, NULL, &snapshot, 0},
                                    {NEREID_PIPELINE_TTGIR, "cse{x=1 y}", &snapshot, 1.25}};

static char *written(size_t *out_size) {
  const tool_trace_t trace = {steps, 2};
  char *text = NULL;
  FILE *file = open_memstream(&text, out_size);
  assert_non_null(file);
  tool_trace_write(&trace, file);
  fclose(file);
  return text;
}

static void same_text(const char *a, const char *b) {
  assert_true((!a && !b) || (a && b && strcmp(a, b) == 0));
}

static void same_op(const tool_op_t *a, const tool_op_t *b) {
  same_text(a->name, b->name);
  same_text(a->symbol, b->symbol);
  same_text(a->text, b->text);
  same_text(a->file, b->file);
  assert_true(a->line == b->line && a->column == b->column && a->rhs == b->rhs && a->parent == b->parent &&
              a->depth == b->depth && a->place == b->place);
  assert_true(a->first_value == b->first_value && a->n_results == b->n_results && a->n_arguments == b->n_arguments &&
              a->n_tokens == b->n_tokens);
  for (uint32_t i = 0; i < a->n_tokens; ++i)
    assert_memory_equal(&a->tokens[i], &b->tokens[i], offsetof(tool_token_t, is_block) + 1);
}

static void read_back(void **state) {
  (void)state;
  size_t size;
  char *text = written(&size);
  tool_trace_t trace;
  assert_int_equal(tool_trace_read(&arena, nereid_view_of(text, size), &trace, &message), NEREID_OK);
  assert_int_equal(trace.n_steps, 2);
  assert_null(trace.steps[0].pass);
  assert_string_equal(trace.steps[1].pass, "cse{x=1 y}");
  assert_true(trace.steps[1].stage == NEREID_PIPELINE_TTGIR && trace.steps[1].milliseconds == 1.25);
  const tool_snapshot_t *after = trace.steps[1].after;
  assert_true(after->n_ops == 3 && after->n_values == 2);
  for (int i = 0; i < 3; ++i)
    same_op(&after->ops[i], &ops[i]);
  assert_true(after->values[0].op == 1 && after->values[0].key == 5);
  same_text(after->values[1].token, "%1");
  free(text);
}

/* Each index that the reader accepts is in range; the sanitizers see accesses out of bounds. */
static void check(const tool_trace_t *trace) {
  for (size_t i = 0; i < trace->n_steps; ++i) {
    const tool_snapshot_t *after = trace->steps[i].after;
    for (uint32_t k = 0; k < after->n_ops; ++k) {
      const tool_op_t *op = &after->ops[k];
      assert_true(op->parent < after->n_ops && op->rhs <= strlen(op->text));
      assert_true((uint64_t)op->first_value + op->n_results + op->n_arguments <= after->n_values);
      for (uint32_t t = 0; t < op->n_tokens; ++t) {
        assert_true(op->tokens[t].start + (uint64_t)op->tokens[t].length <= strlen(op->text));
        assert_true(op->tokens[t].target < (op->tokens[t].is_block ? after->n_ops : after->n_values));
      }
    }
  }
}

static void damaged(void **state) {
  (void)state;
  size_t size, n_good = 0;
  char *text = written(&size), *copy = malloc(size + 1);
  uint64_t random = 1;
  assert_non_null(copy);
  for (size_t length = 0; length + 1 < size; ++length) {
    tool_trace_t trace;
    if (tool_trace_read(&arena, nereid_view_of(text, length), &trace, &message) == NEREID_OK)
      check(&trace);
    else
      assert_true(strstr(message.text, "trace") && !trace.n_steps);
  }
  for (int round = 0; round < 5000; ++round) {
    tool_trace_t trace;
    memcpy(copy, text, size);
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    copy[(random >> 33) % size] = " 0123459:-%a\n"[(random >> 20) % 13];
    if (tool_trace_read(&arena, nereid_view_of(copy, size), &trace, &message) == NEREID_OK) {
      check(&trace);
      ++n_good;
    }
  }
  assert_in_range(n_good, 500, 4500);
  assert_int_equal(tool_trace_read(&arena, nereid_view("nereid-trace 2 0"), &(tool_trace_t){0}, &message),
                   NEREID_ERROR_ARGUMENT);
  free(copy);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(read_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(damaged, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
