/* The control-flow graph: nodes, edges and the values that they forward, orders and partitions. */
#include "analysis/flow_graph.h"
#include "nereid/context.h"
#include "nereid/dialects/ops.h"
#include "seam/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka requires the three above. */
#include <cmocka.h>

typedef struct fixture {
  MlirContext context;
  MlirModule module;
  nereid_arena_t arena;
  nereid_flow_graph_t graph;
} fixture_t;

static void setup(fixture_t *fixture, const char *function) {
  fixture->context = nereid_context_create();
  mlirContextSetAllowUnregisteredDialects(fixture->context, true);
  nereid_arena_initialize(&fixture->arena);
  char *text = nereid_arena_format(
      &fixture->arena, "module attributes {\"ttg.num-warps\" = 4 : i32, \"ttg.num-ctas\" = 1 : i32} {\n%s\n}",
      function);
  fixture->module = mlirModuleCreateParse(fixture->context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(fixture->module));
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(fixture->module));
  assert_true(nereid_flow_graph_build(op, &fixture->arena, &fixture->graph));
}

static void teardown(fixture_t *fixture) {
  nereid_arena_deinitialize(&fixture->arena);
  mlirModuleDestroy(fixture->module);
  mlirContextDestroy(fixture->context);
}

/* Invariants of every graph. */
static void check(const nereid_flow_graph_t *graph) {
  uint32_t position = 0;
  for (uint32_t n = 0; n < graph->nodes.size; ++n) {
    const nereid_flow_node_t *node = &graph->nodes.data[n];
    assert_int_equal(node->first, position);
    assert_true(node->end > node->first);
    for (; position < node->end; ++position) {
      MlirOperation op = graph->ops.data[position];
      assert_int_equal(nereid_flow_graph_position(graph, op), position);
      assert_int_equal(nereid_flow_graph_node_of(graph, op), n);
      assert_true(mlirBlockEqual(mlirOperationGetBlock(op), node->block));
      assert_true(!nereid_flow_graph_enters(op) || position + 1 == node->end);
    }
    for (uint32_t e = 0; e < node->n_edges; ++e)
      assert_int_equal(graph->edges.data[node->first_edge + e].from, n);
    for (uint32_t e = 0; e < node->n_incoming; ++e)
      assert_int_equal(graph->edges.data[graph->incoming[node->first_incoming + e]].to, n);
  }
  assert_int_equal(position, graph->ops.size);
  for (uint32_t e = 0; e < graph->edges.size; ++e) {
    const nereid_flow_edge_t *edge = &graph->edges.data[e];
    const uint32_t from = graph->nodes.data[edge->from].rank, to = graph->nodes.data[edge->to].rank;
    if (from != NEREID_FLOW_NONE)
      assert_int_equal(edge->is_back, to <= from);
  }
  for (uint32_t i = 0; i < graph->n_reached; ++i)
    assert_int_equal(graph->nodes.data[graph->order[i]].rank, i);
}

static MlirOperation named(const nereid_flow_graph_t *graph, const char *name) {
  for (size_t i = 0; i < graph->ops.size; ++i)
    if (mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(graph->ops.data[i])),
                           mlirStringRefCreateFromCString(name)))
      return graph->ops.data[i];
  fail_msg("no op '%s'", name);
  return (MlirOperation){NULL};
}

static uint32_t node(const nereid_flow_graph_t *graph, const char *name) {
  return nereid_flow_graph_node_of(graph, named(graph, name));
}

/* The one edge between the nodes of two ops; null when there is none. */
static const nereid_flow_edge_t *edge(const nereid_flow_graph_t *graph, const char *from, const char *to) {
  const uint32_t source = node(graph, from), target = node(graph, to);
  for (size_t e = 0; e < graph->edges.size; ++e)
    if (graph->edges.data[e].from == source && graph->edges.data[e].to == target)
      return &graph->edges.data[e];
  return NULL;
}

static void test_structured(void **unused) {
  (void)unused;
  fixture_t fixture;
  setup(&fixture, "tt.func @f(%n: i32, %x: f32, %c: i1) { \"a\"() : () -> ()\n"
                  "%r = scf.for %i = %n to %n step %n iter_args(%y = %x) -> (f32) : i32 {\n"
                  "\"b\"() : () -> ()\n scf.if %c { \"c\"() : () -> () }\n \"d\"() : () -> ()\n scf.yield %y : f32 }\n"
                  "\"e\"() : () -> ()\n tt.return }");
  const nereid_flow_graph_t *graph = &fixture.graph;
  check(graph);
  assert_int_equal(graph->nodes.size, 5);
  assert_int_equal(graph->edges.size, 7);
  /* The loop op ends a node; the entry, back and exit edges forward the iteration arguments, but not the induction
   * variable. */
  assert_int_equal(edge(graph, "a", "b")->n_forwards, 1);
  assert_int_equal(edge(graph, "a", "e")->n_forwards, 1);
  assert_true(edge(graph, "d", "b")->is_back);
  assert_int_equal(edge(graph, "d", "e")->n_forwards, 1);
  const nereid_flow_forward_t *into = &graph->forwards.data[edge(graph, "a", "b")->first_forward];
  assert_int_equal(mlirBlockArgumentGetArgNumber(into->from), 1);
  assert_int_equal(mlirBlockArgumentGetArgNumber(into->to), 1);
  assert_non_null(edge(graph, "b", "c"));
  assert_non_null(edge(graph, "b", "d"));
  assert_non_null(edge(graph, "c", "d"));
  assert_null(edge(graph, "c", "b"));
  /* The body precedes the code after the loop. */
  assert_true(graph->nodes.data[node(graph, "d")].rank < graph->nodes.data[node(graph, "e")].rank);
  teardown(&fixture);
}

static void test_while_and_switch(void **unused) {
  (void)unused;
  fixture_t fixture;
  setup(&fixture,
        "tt.func @f(%i: index, %x: f32, %c: i1) { \"a\"() : () -> ()\n"
        "%r = scf.while (%y = %x) : (f32) -> i32 { %k = \"b\"() : () -> i32\n scf.condition(%c) %k : i32 } do {\n"
        "^bb0(%z: i32): \"c\"() : () -> ()\n scf.yield %x : f32 }\n"
        "\"d\"() : () -> ()\n scf.index_switch %i case 1 { \"e\"() : () -> ()\n scf.yield } "
        "default { \"g\"() : () -> ()\n scf.yield }\n \"h\"() : () -> ()\n"
        "scf.execute_region { \"i\"() : () -> ()\n cf.br ^bb1\n ^bb1: \"j\"() : () -> ()\n scf.yield }\n"
        "\"k\"() : () -> ()\n tt.return }");
  const nereid_flow_graph_t *graph = &fixture.graph;
  check(graph);
  assert_true(edge(graph, "c", "b")->is_back);
  assert_int_equal(edge(graph, "b", "c")->n_forwards, 1);
  assert_int_equal(edge(graph, "b", "d")->n_forwards, 1);
  assert_null(edge(graph, "a", "d"));
  assert_null(edge(graph, "c", "d"));
  assert_non_null(edge(graph, "d", "e"));
  assert_non_null(edge(graph, "d", "g"));
  assert_null(edge(graph, "d", "h"));
  assert_non_null(edge(graph, "g", "h"));
  assert_non_null(edge(graph, "h", "i"));
  assert_non_null(edge(graph, "i", "j"));
  assert_non_null(edge(graph, "j", "k"));
  assert_null(edge(graph, "h", "k"));
  teardown(&fixture);
}

static void test_blocks(void **unused) {
  (void)unused;
  fixture_t fixture;
  setup(&fixture, "tt.func @f(%x: f32, %c: i1) { \"a\"() : () -> ()\n cf.br ^second(%x : f32)\n"
                  "^third: \"b\"() : () -> ()\n tt.return\n"
                  "^lost: \"c\"() : () -> ()\n cf.br ^third\n"
                  "^second(%y: f32): \"d\"() : () -> ()\n cf.cond_br %c, ^second(%x : f32), ^third }");
  const nereid_flow_graph_t *graph = &fixture.graph;
  check(graph);
  assert_int_equal(graph->nodes.size, 4);
  assert_int_equal(graph->n_reached, 3);
  assert_int_equal(graph->nodes.data[node(graph, "c")].rank, NEREID_FLOW_NONE);
  assert_true(edge(graph, "d", "d")->is_back);
  assert_int_equal(edge(graph, "d", "d")->n_forwards, 1);
  assert_int_equal(edge(graph, "d", "b")->n_forwards, 0);
  assert_true(graph->nodes.data[node(graph, "d")].rank < graph->nodes.data[node(graph, "b")].rank);
  teardown(&fixture);
}

static void test_partitions(void **unused) {
  (void)unused;
  fixture_t fixture;
  setup(&fixture, "tt.func @f(%x: f32, %c: i1) { \"a\"() : () -> ()\n ttg.warp_specialize(%x, %c)\n"
                  "default { \"b\"() : () -> ()\n scf.if %c { \"b2\"() : () -> () }\n ttg.warp_yield }\n"
                  "partition0(%y: f32, %k: i1) num_warps(2) { \"c\"() : () -> ()\n ttg.warp_return }\n"
                  "partition1(%z: f32, %l: i1) num_warps(4) { \"d\"() : () -> ()\n scf.if %l { \"d2\"() : () -> () }\n"
                  "\"d3\"() : () -> ()\n ttg.warp_return } : (f32, i1) -> ()\n \"e\"() : () -> ()\n tt.return }");
  const nereid_flow_graph_t *graph = &fixture.graph;
  check(graph);
  MlirOperation op = named(graph, "ttg.warp_specialize");
  static const struct {
    const char *name;
    int partition;
    bool inside;
  } places[] = {{"a", 0, false}, {"b", 0, true},  {"b2", 0, true}, {"c", 1, true},
                {"d", 2, true},  {"d2", 2, true}, {"d3", 2, true}, {"e", 0, false}};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    const nereid_flow_node_t *at = &graph->nodes.data[node(graph, places[i].name)];
    assert_int_equal(at->partition, places[i].partition);
    assert_int_equal(mlirOperationEqual(at->specialize, op), places[i].inside);
  }
  assert_non_null(edge(graph, "a", "b"));
  assert_non_null(edge(graph, "a", "ttg.warp_specialize.partitions"));
  assert_int_equal(edge(graph, "ttg.warp_specialize.partitions", "c")->n_forwards, 2);
  assert_int_equal(edge(graph, "ttg.warp_specialize.partitions", "d")->n_forwards, 2);
  assert_non_null(edge(graph, "c", "e"));
  assert_non_null(edge(graph, "d3", "e"));
  assert_non_null(edge(graph, "ttg.warp_yield", "e"));
  assert_null(edge(graph, "a", "e"));
  teardown(&fixture);
}

static void test_combiners(void **unused) {
  (void)unused;
  fixture_t fixture;
  setup(&fixture,
        "tt.func @f(%x: tensor<128xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], "
        "warpsPerCTA = [4], order = [0]}>>) { %r = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({\n"
        "^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32\n tt.reduce.return %s : f32 }) : "
        "(tensor<128xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = "
        "[0]}>>) -> f32\n tt.return }");
  const nereid_flow_graph_t *graph = &fixture.graph;
  check(graph);
  /* The combine region of a reduction is not a separate node. */
  assert_int_equal(graph->nodes.size, 1);
  assert_int_equal(graph->ops.size, 2);
  MlirOperation add =
      mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(graph->ops.data[0], 0)));
  assert_int_equal(nereid_flow_graph_position(graph, add), NEREID_FLOW_NONE);
  assert_int_equal(nereid_flow_graph_node_of(graph, add), NEREID_FLOW_NONE);
  teardown(&fixture);
}

static void test_declaration(void **unused) {
  (void)unused;
  fixture_t fixture;
  setup(&fixture, "tt.func private @f(f32)");
  assert_int_equal(fixture.graph.nodes.size, 0);
  assert_int_equal(fixture.graph.n_reached, 0);
  teardown(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_structured), cmocka_unit_test(test_while_and_switch),
                                     cmocka_unit_test(test_blocks),     cmocka_unit_test(test_partitions),
                                     cmocka_unit_test(test_combiners),  cmocka_unit_test(test_declaration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
