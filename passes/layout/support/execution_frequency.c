/* See execution_frequency.h. */
#include "passes/layout/support/execution_frequency.h"

#include "nereid/dialects/ops.h"
#include "seam/ir.h"

static int64_t capped(int64_t frequency) {
  return frequency < NEREID_FREQUENCY_MAX ? frequency : NEREID_FREQUENCY_MAX;
}

int64_t nereid_frequency_of(const nereid_frequency_t *frequency, MlirOperation op) {
  int64_t times = 1;
  while (nereid_op_kind(op) != NEREID_OP_TT_FUNC) {
    op = mlirOperationGetParentOperation(op);
    if (nereidMlirOperationIsLoopLike(op))
      times = capped(times * NEREID_FREQUENCY_LOOP);
  }
  return capped(times * frequency->functions[nereid_call_graph_number(frequency->graph, op)]);
}

bool nereid_frequency_run(const nereid_call_graph_t *graph, nereid_arena_t *arena, nereid_frequency_t *out) {
  *out = (nereid_frequency_t){graph, nereid_arena_new(arena, int64_t, graph->functions.size)};
  for (size_t i = 0; out->functions && i < graph->functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callers_first(graph, i);
    int64_t *sum = &out->functions[function - graph->functions.data];
    for (size_t c = 0; c < function->n_callers; ++c)
      *sum = capped(*sum + nereid_frequency_of(out, nereid_call_graph_caller(graph, function, c)->call));
    *sum += *sum == 0;
  }
  return out->functions != NULL;
}
