/* Recognizes counters modulo n; see ring_phase.h. */
#include "analysis/access/ring_phase.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"

#include "mlir-c/BuiltinAttributes.h"

/* --- one step: (x + 1) mod n --- */

static nereid_op_kind_t kind_of(MlirValue value, MlirOperation *out) {
  *out = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  return mlirOperationIsNull(*out) ? NEREID_OP_UNKNOWN : nereid_op_kind(*out);
}

bool nereid_ring_constant(MlirValue value, int64_t *out) {
  MlirOperation op;
  if (kind_of(value, &op) != NEREID_OP_ARITH_CONSTANT)
    return false;
  MlirAttribute number = nereid_arith_constant_get_value_attr(op);
  if (!mlirAttributeIsAInteger(number))
    return false;
  *out = mlirIntegerAttrGetValueInt(number);
  return true;
}

static bool is_constant(MlirValue value, int64_t number) {
  int64_t known;
  return nereid_ring_constant(value, &known) && known == number;
}

/* x, when `value` is x + 1. */
static bool is_successor(MlirValue value, MlirValue *out) {
  MlirOperation op;
  if (kind_of(value, &op) != NEREID_OP_ARITH_ADDI || !is_constant(mlirOperationGetOperand(op, 1), 1))
    return false;
  *out = mlirOperationGetOperand(op, 0);
  return true;
}

/* The meaning of a comparison of a value in 0 .. n with `bound`: 1: true iff the value is n; 0: false iff the value is
 * n; -1: neither. */
static int comparison_of_last(nereid_arith_cmp_i_predicate_t predicate, int64_t bound, int64_t last) {
  switch (predicate) {
  case NEREID_ARITH_CMP_I_PREDICATE_EQ:
  case NEREID_ARITH_CMP_I_PREDICATE_SGE:
  case NEREID_ARITH_CMP_I_PREDICATE_UGE:
    return bound == last ? 1 : -1;
  case NEREID_ARITH_CMP_I_PREDICATE_SGT:
  case NEREID_ARITH_CMP_I_PREDICATE_UGT:
    return bound == last - 1 ? 1 : -1;
  case NEREID_ARITH_CMP_I_PREDICATE_NE:
  case NEREID_ARITH_CMP_I_PREDICATE_SLT:
  case NEREID_ARITH_CMP_I_PREDICATE_ULT:
    return bound == last ? 0 : -1;
  case NEREID_ARITH_CMP_I_PREDICATE_SLE:
  case NEREID_ARITH_CMP_I_PREDICATE_ULE:
    return bound == last - 1 ? 0 : -1;
  default:
    return -1;
  }
}

/* 1: `condition` holds iff x + 1 is n; 0: iff x + 1 is not n; -1: neither. */
static int condition_of_last(MlirValue condition, MlirValue x, int64_t n) {
  MlirOperation op;
  MlirValue before;
  int64_t bound;
  if (kind_of(condition, &op) != NEREID_OP_ARITH_CMPI || !nereid_ring_constant(mlirOperationGetOperand(op, 1), &bound))
    return -1;
  const nereid_arith_cmp_i_predicate_t predicate = nereid_arith_cmpi_get_predicate(op);
  if (mlirValueEqual(mlirOperationGetOperand(op, 0), x))
    return comparison_of_last(predicate, bound, n - 1);
  if (is_successor(mlirOperationGetOperand(op, 0), &before) && mlirValueEqual(before, x))
    return comparison_of_last(predicate, bound, n);
  return -1;
}

/* x, when `value` is (x + 1) mod n. */
static bool is_step(MlirValue value, int64_t n, MlirValue *out) {
  MlirOperation op;
  switch (kind_of(value, &op)) {
  case NEREID_OP_ARITH_REMSI:
  case NEREID_OP_ARITH_REMUI:
    return is_constant(mlirOperationGetOperand(op, 1), n) && is_successor(mlirOperationGetOperand(op, 0), out);
  case NEREID_OP_ARITH_SELECT: {
    const bool zero_first = is_constant(mlirOperationGetOperand(op, 1), 0);
    return is_constant(mlirOperationGetOperand(op, zero_first ? 1 : 2), 0) &&
           is_successor(mlirOperationGetOperand(op, zero_first ? 2 : 1), out) &&
           condition_of_last(mlirOperationGetOperand(op, 0), *out, n) == zero_first;
  }
  default:
    return false;
  }
}

/* x, when `value` is (x - 1) mod n: x == 0 ? n - 1 : x - 1. */
static bool is_step_back(MlirValue value, int64_t n, MlirValue *out) {
  MlirOperation select, compare, difference;
  if (kind_of(value, &select) != NEREID_OP_ARITH_SELECT || !is_constant(mlirOperationGetOperand(select, 1), n - 1) ||
      kind_of(mlirOperationGetOperand(select, 0), &compare) != NEREID_OP_ARITH_CMPI ||
      nereid_arith_cmpi_get_predicate(compare) != NEREID_ARITH_CMP_I_PREDICATE_EQ ||
      !is_constant(mlirOperationGetOperand(compare, 1), 0))
    return false;
  *out = mlirOperationGetOperand(compare, 0);
  const nereid_op_kind_t kind = kind_of(mlirOperationGetOperand(select, 2), &difference);
  return (kind == NEREID_OP_ARITH_SUBI || kind == NEREID_OP_ARITH_ADDI) &&
         mlirValueEqual(mlirOperationGetOperand(difference, 0), *out) &&
         is_constant(mlirOperationGetOperand(difference, 1), kind == NEREID_OP_ARITH_SUBI ? 1 : -1);
}

/* Strips steps from `value`; returns how many, a step back being n - 1. */
static int32_t strip_steps(MlirValue *value, int64_t n) {
  int32_t steps = 0;
  for (MlirValue x;; *value = x)
    if (is_step(*value, n, &x))
      ++steps;
    else if (is_step_back(*value, n, &x))
      steps += (int32_t)n - 1;
    else
      return steps;
}

/* --- counters of loops --- */

/* The value that `argument` receives along `edge`; null when there is none. */
static MlirValue forwarded(const nereid_flow_graph_t *graph, const nereid_flow_edge_t *edge, MlirValue argument) {
  for (uint32_t i = 0; i < edge->n_forwards; ++i)
    if (mlirValueEqual(graph->forwards.data[edge->first_forward + i].to, argument))
      return graph->forwards.data[edge->first_forward + i].from;
  return (MlirValue){NULL};
}

static const nereid_map_t *loop_of(nereid_ring_phases_t *phases, uint32_t header) {
  uintptr_t *place = nereid_map_insert(&phases->loops, &phases->graph->nodes.data[header]);
  if (place && !*place)
    *place = (uintptr_t)nereid_flow_graph_loop(phases->graph, header, phases->arena);
  return place ? (const nereid_map_t *)*place : NULL;
}

static bool join(int64_t *known, bool *is_known, int64_t more) {
  if (*is_known && *known != more)
    return false;
  *known = more;
  *is_known = true;
  return true;
}

/* Whether `value` is another argument of the block of `argument`. */
static bool is_neighbour(MlirValue value, MlirValue argument) {
  return mlirValueIsABlockArgument(value) && !mlirValueEqual(value, argument) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value), mlirBlockArgumentGetOwner(argument));
}

/* What a counter receives along the edges into its block. */
typedef struct inputs {
  int64_t step, phase, root;
  bool has_step, has_phase, has_root;
  MlirValue previous; /* the argument that it has the value of, an iteration later; null: it is incremented itself */
} inputs_t;

/* Adds the value of a back edge, after `steps` steps. */
static bool add_back_edge(inputs_t *inputs, MlirValue argument, MlirValue value, int32_t steps) {
  const bool first = !inputs->has_step;
  if (!join(&inputs->step, &inputs->has_step, steps))
    return false;
  if (first && is_neighbour(value, argument))
    inputs->previous = value;
  return mlirValueEqual(value, mlirValueIsNull(inputs->previous) ? argument : inputs->previous);
}

/* Reads the values that the counter `argument` of the loop that begins at node `header` receives. */
static bool read_inputs(const nereid_flow_graph_t *graph, uint32_t header, MlirValue argument, int64_t n,
                        inputs_t *out) {
  const nereid_flow_node_t *node = &graph->nodes.data[header];
  *out = (inputs_t){0};
  for (uint32_t i = 0; i < node->n_incoming; ++i) {
    const nereid_flow_edge_t *edge = &graph->edges.data[graph->incoming[node->first_incoming + i]];
    MlirValue value = forwarded(graph, edge, argument);
    if (graph->nodes.data[edge->from].rank == NEREID_FLOW_NONE)
      continue;
    if (mlirValueIsNull(value))
      return false;
    const int32_t steps = strip_steps(&value, n);
    int64_t number;
    if (edge->is_back) {
      if (!add_back_edge(out, argument, value, steps))
        return false;
    } else if (nereid_ring_constant(value, &number)) {
      if (number < -1 || number >= n || !join(&out->phase, &out->has_phase, number + steps) ||
          !join(&out->root, &out->has_root, 0))
        return false;
    } else if (!join(&out->phase, &out->has_phase, steps) ||
               !join(&out->root, &out->has_root, (int64_t)(uintptr_t)value.ptr)) {
      return false;
    }
  }
  return out->has_step && out->has_root;
}

/* Reads the counter `argument` of the loop that begins at node `header`. A counter that has the value of another one an
 * iteration later also counts if its initial value is that of an iteration before the first. */
static bool read_counter(const nereid_flow_graph_t *graph, uint32_t header, MlirValue argument, int64_t n,
                         nereid_ring_phase_t *out) {
  inputs_t inputs, previous;
  if (!read_inputs(graph, header, argument, n, &inputs))
    return false;
  if (!mlirValueIsNull(inputs.previous)) {
    const int64_t delay = inputs.step;
    if (!read_inputs(graph, header, inputs.previous, n, &previous) || !mlirValueIsNull(previous.previous) ||
        previous.root != inputs.root || (previous.phase - previous.step + delay - inputs.phase) % n)
      return false;
    inputs.step = previous.step;
  }
  if (inputs.step % n == 0)
    return false;
  *out = (nereid_ring_phase_t){.header = header,
                               .root = (const void *)(uintptr_t)inputs.root, /* NOLINT: it was a pointer */
                               .slots = (int32_t)n,
                               .step = (int32_t)(inputs.step % n),
                               .phase = (int32_t)(inputs.phase % n)};
  return true;
}

void nereid_ring_phases_initialize(nereid_ring_phases_t *phases, const nereid_flow_graph_t *graph,
                                   nereid_arena_t *arena) {
  *phases = (nereid_ring_phases_t){.graph = graph, .arena = arena};
  nereid_map_initialize(&phases->loops, arena);
}

bool nereid_ring_phases_get(nereid_ring_phases_t *phases, MlirValue index, int64_t slots, nereid_ring_phase_t *out) {
  if (slots < 2 || slots >= INT32_MAX)
    return false;
  const int32_t steps = strip_steps(&index, slots);
  if (!mlirValueIsABlockArgument(index))
    return false;
  const nereid_flow_graph_t *graph = phases->graph;
  const uint32_t header =
      nereid_flow_graph_node_of(graph, mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(index)));
  if (header == 0) { /* the function's entry has no incoming edge */
    *out = (nereid_ring_phase_t){.root = index.ptr, .slots = (int32_t)slots, .phase = steps % (int32_t)slots};
    return graph->nodes.data[0].n_incoming == 0;
  }
  if (header == NEREID_FLOW_NONE || graph->nodes.data[header].rank == NEREID_FLOW_NONE ||
      !read_counter(graph, header, index, slots, out))
    return false;
  out->loop = loop_of(phases, header);
  out->phase = (int32_t)((out->phase + steps) % slots);
  return out->loop != NULL;
}
