/* Orders and edges of the call graph; invalid graphs that the parser rejects; chains too long for recursion. */
#include "analysis/call_graph.h"
#include "nereid/context.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka wants the four above. */
#include <cmocka.h>

static MlirContext context;
static nereid_arena_t arena;
static nereid_call_graph_t graph;
static char said[1024]; /* the last diagnostic, and how many there were */
static int n_said;

static void append(MlirStringRef text, void *data) {
  (void)data;
  snprintf(said + strlen(said), sizeof said - strlen(said), "%.*s", (int)text.length, text.data);
}

static MlirLogicalResult hear(MlirDiagnostic diagnostic, void *data) {
  (void)data;
  said[0] = '\0';
  ++n_said;
  mlirDiagnosticPrint(diagnostic, append, NULL);
  return mlirLogicalResultSuccess();
}

static int set_up(void **state) {
  (void)state;
  context = nereid_context_create();
  mlirContextAttachDiagnosticHandler(context, hear, NULL, NULL);
  nereid_arena_initialize(&arena);
  n_said = 0;
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  nereid_arena_deinitialize(&arena);
  mlirContextDestroy(context);
  return 0;
}

static MlirModule parse(const char *text) {
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  return module;
}

static nereid_status_t build(MlirModule module) {
  return nereid_call_graph_build(mlirModuleGetOperation(module), &arena, &graph);
}

static const char *name_of(const nereid_call_function_t *function) {
  MlirAttribute name = mlirOperationGetAttributeByName(function->op, mlirStringRefCreateFromCString("sym_name"));
  return mlirStringAttrGetValue(name).data;
}

static const nereid_call_function_t *find(const char *name) {
  for (size_t i = 0; i < graph.functions.size; ++i)
    if (!strncmp(name_of(&graph.functions.data[i]), name, strlen(name)))
      return &graph.functions.data[i];
  fail_msg("no %s", name);
  return NULL;
}

/* k calls f and g twice, f calls g: a diamond with a call in a loop. */
static void edges_and_orders(void **state) {
  (void)state;
  MlirModule module = parse("tt.func public @k(%n: i32) {\n"
                            "  tt.call @g() : () -> ()\n"
                            "  scf.for %i = %n to %n step %n : i32 {\n"
                            "    tt.call @f() : () -> ()\n"
                            "  }\n"
                            "  tt.call @g() : () -> ()\n"
                            "  tt.return\n"
                            "}\n"
                            "tt.func private @g() { tt.return }\n"
                            "tt.func private @f() { tt.call @g() : () -> () tt.return }\n"
                            "tt.func private @dead() { tt.return }\n"
                            "tt.func @unsaid() { tt.return }\n"
                            "tt.func private @outside()\n");
  assert_int_equal(build(module), NEREID_OK);
  assert_int_equal(graph.functions.size, 6);
  assert_int_equal(graph.edges.size, 4);
  const nereid_call_function_t *k = find("k"), *f = find("f"), *g = find("g");
  assert_int_equal(k->n_calls, 3);
  assert_ptr_equal(&graph.functions.data[nereid_call_graph_call(&graph, k, 0)->callee], g);
  assert_ptr_equal(&graph.functions.data[nereid_call_graph_call(&graph, k, 1)->callee], f);
  assert_ptr_equal(&graph.functions.data[nereid_call_graph_call(&graph, k, 2)->callee], g);
  assert_int_equal(g->n_callers, 3);
  assert_ptr_equal(&graph.functions.data[nereid_call_graph_caller(&graph, g, 1)->caller], k);
  assert_ptr_equal(&graph.functions.data[nereid_call_graph_caller(&graph, g, 2)->caller], f);
  assert_ptr_equal(nereid_call_graph_callee(&graph, nereid_call_graph_call(&graph, f, 0)->call), g);
  assert_true(k->is_kernel && find("unsaid")->is_kernel);
  assert_false(f->is_kernel || g->is_kernel || find("dead")->is_kernel || find("outside")->has_body);
  for (size_t i = 0; i < graph.functions.size; ++i)
    for (size_t c = 0; c < nereid_call_graph_callees_first(&graph, i)->n_calls; ++c) {
      const nereid_call_edge_t *edge = nereid_call_graph_call(&graph, nereid_call_graph_callees_first(&graph, i), c);
      bool before = false;
      for (size_t j = 0; j < i; ++j)
        before |= graph.post_order[j] == edge->callee;
      assert_true(before);
    }
  assert_int_equal(nereid_call_graph_number(&graph, nereid_call_graph_callers_first(&graph, 0)->op),
                   graph.post_order[5]);
  mlirModuleDestroy(module);
}

/* A called function without explicit public visibility is not a kernel. */
static void called_without_visibility(void **state) {
  (void)state;
  MlirModule module = parse("tt.func @k() { tt.call @f() : () -> () tt.return }\n"
                            "tt.func @f() { tt.return }\n");
  assert_int_equal(build(module), NEREID_OK);
  assert_true(find("k")->is_kernel);
  assert_false(find("f")->is_kernel);
  mlirModuleDestroy(module);
}

/* Nested modules have separate symbol tables. */
static void modules_in_a_module(void **state) {
  (void)state;
  MlirModule module = parse("module { tt.func public @k() { tt.call @f() : () -> () tt.return }\n"
                            "         tt.func private @f() { tt.return } }\n"
                            "module { tt.func private @f() { tt.return }\n"
                            "         tt.func public @k() { tt.call @f() : () -> () tt.return } }\n");
  assert_int_equal(build(module), NEREID_OK);
  assert_int_equal(graph.functions.size, 4);
  assert_int_equal(graph.edges.data[0].callee, 1);
  assert_int_equal(graph.edges.data[1].callee, 2);
  assert_int_equal(nereid_call_graph_number(&graph, graph.functions.data[2].op), 2);
  mlirModuleDestroy(module);
}

/* IR that the verifier rejects, but that a builder may create. */
static void what_the_verifier_would_refuse(void **state) {
  (void)state;
  MlirModule module = parse("tt.func private @f(%x: i32) { tt.return }\n"
                            "tt.func public @k(%x: i32) { tt.call @f(%x) : (i32) -> () tt.return }\n");
  assert_int_equal(build(module), NEREID_OK);
  MlirOperation f = find("f")->op, call = nereid_call_graph_call(&graph, find("k"), 0)->call;
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  nereidMlirFunctionSetType(f, mlirFunctionTypeGet(context, 1, &i64, 0, NULL));
  assert_int_equal(build(module), NEREID_ERROR_PROGRAM);
  assert_string_equal(said, "'tt.call' op operand #0 is i32, but callee @f expects i64");
  mlirOperationSetAttributeByName(call, mlirStringRefCreateFromCString("callee"),
                                  mlirFlatSymbolRefAttrGet(context, mlirStringRefCreateFromCString("nobody")));
  assert_int_equal(build(module), NEREID_ERROR_PROGRAM);
  assert_string_equal(said, "'tt.call' op calls @nobody, but the module has no tt.func of this name");
  assert_int_equal(n_said, 2);
  mlirModuleDestroy(module);
}

/* A call chain of `length` functions; `closed`: the last calls the first. */
static MlirModule chain(int length, bool closed) {
  char *text = malloc((size_t)length * 80 + 100), *end = text;
  assert_non_null(text);
  end += sprintf(end, "tt.func public @k() { tt.call @f0() : () -> () tt.return }\n");
  for (int i = 0; i < length; ++i) {
    end += sprintf(end, "tt.func private @f%d() { ", i);
    if (i + 1 < length || closed)
      end += sprintf(end, "tt.call @f%d() : () -> () ", (i + 1) % length);
    end += sprintf(end, "tt.return }\n");
  }
  MlirModule module = parse(text);
  free(text);
  return module;
}

static void long_chains(void **state) {
  (void)state;
  enum { LENGTH = 20000 };
  MlirModule open = chain(LENGTH, false), closed = chain(LENGTH, true);
  assert_int_equal(build(open), NEREID_OK);
  for (size_t i = 0; i < LENGTH; ++i)
    assert_int_equal(graph.post_order[i], LENGTH - i);
  assert_int_equal(build(closed), NEREID_ERROR_PROGRAM);
  assert_int_equal(n_said, 1);
  assert_string_equal(said, "'tt.call' op makes 'f0' call itself; recursion is not supported, expected calls without "
                            "a cycle");
  mlirModuleDestroy(open);
  mlirModuleDestroy(closed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(edges_and_orders, set_up, tear_down),
      cmocka_unit_test_setup_teardown(called_without_visibility, set_up, tear_down),
      cmocka_unit_test_setup_teardown(modules_in_a_module, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_the_verifier_would_refuse, set_up, tear_down),
      cmocka_unit_test_setup_teardown(long_chains, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
