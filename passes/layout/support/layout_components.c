/* Assigns layouts to whole components; see layout_components.h.
 *
 *   %x = tt.load … : #a      %c = convert %x : #a -> #d      %y = exp %c : #d      %s = convert %y : #d -> #a store %s
 *   the component { %c, %y } has #d only because it is the default; with #a no conversion remains:
 *   %x = tt.load … : #a      %c = convert %x : #a -> #a      %y = exp %c : #a      %s = convert %y : #a -> #a
 *
 * Union-find over tensor values, then one vote per border of a component. A conversion votes for the layout on its
 * other side. An op with a fixed layout (a load, a reduction, a dot) votes for that layout. A vote weighs as many bytes
 * as the tensor has, minus the cost of reductions and of repeated computations in that layout. Near linear in values.
 * Ties go to the layout met first, so the result is deterministic.
 *
 * Calls unite operands with the callee's arguments, and returned values with the call's results. So a function has one
 * layout at its boundary, determined by the votes of its callers together with its own. There, for accumulators of
 * tensor cores, and for matrices of recurrences (passes/support/recurrence.h), votes are weighted by execution
 * frequency. A recurrence votes for a layout in which its reductions stay within warps. A buffer that is filled with an
 * accumulator has no vote. */
#include "passes/layout/support/layout_components.h"

#include "analysis/allocation/scratch.h"
#include "base/map.h"
#include "base/vector.h"
#include "dialects/defining_op.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "passes/layout/support/conversion_cost.h"
#include "passes/layout/support/execution_frequency.h"
#include "passes/layout/support/reduction_cost.h"
#include "passes/layout/support/sink_conversions.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"
#include "passes/support/recurrence.h"
#include "seam/context.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* A layout that some borders of a component vote for, and its score. */
typedef struct candidate candidate_t;
struct candidate {
  MlirAttribute encoding;
  int64_t votes; /* bytes that need no conversion, minus the cost of reductions */
  int64_t hot;   /* the same, weighted by execution frequency */
  candidate_t *next;
};

typedef struct node {
  MlirValue value;
  size_t parent;           /* parent in the union-find forest; a root is its own parent */
  candidate_t *candidates; /* root: candidates of the component in order of discovery */
  bool
      weighted; /* votes count by execution frequency: a call passes it, or it is converted to or from an accumulator of
                 * tensor cores, or transposed; of a root: so is a value of its component */
} node_t;

typedef struct components {
  nereid_pass_t *pass;
  nereid_arena_t *arena;
  const nereid_provisional_dots_t *dots;
  nereid_operations_t ops;
  NEREID_VECTOR(node_t) nodes;
  nereid_map_t index; /* value -> node + 1 */
  nereid_call_graph_t graph;
  nereid_frequency_t frequency;
  bool followers; /* ops that follow the layout of their operands vote */
  bool failed;
} components_t;

/* --- union-find --- */

static size_t node_of(components_t *components, MlirValue value) {
  uintptr_t *place = nereid_map_insert(&components->index, value.ptr);
  if (!place) {
    components->failed = true;
    return 0;
  }
  if (!*place) {
    const node_t made = {.value = value, .parent = components->nodes.size};
    components->failed |= !nereid_vector_push(components->arena, &components->nodes, made);
    *place = components->nodes.size;
  }
  return *place - 1;
}

static size_t root_of(components_t *components, size_t node) {
  node_t *nodes = components->nodes.data;
  while (nodes[node].parent != node) {
    nodes[node].parent = nodes[nodes[node].parent].parent;
    node = nodes[node].parent;
  }
  return node;
}

/* The smaller number becomes the root, so that the result depends on the order of the walk and not on addresses. */
static void unite(components_t *components, MlirValue a, MlirValue b) {
  if (!nereid_ttg_is_laid_out(a) || !nereid_ttg_is_laid_out(b) || components->failed)
    return;
  const size_t a_node = node_of(components, a), b_node = node_of(components, b);
  const size_t i = root_of(components, a_node), j = root_of(components, b_node);
  if (!components->failed)
    components->nodes.data[i < j ? j : i].parent = i < j ? i : j;
}

/* --- ties between values --- */

/* Pure elementwise ops: operands and results share one layout, which may be any. Sources have no tensor operands. */
static bool is_flexible(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_MAKE_RANGE:
  case NEREID_OP_ARITH_CONSTANT:
  case NEREID_OP_UB_POISON:
  case NEREID_OP_TT_ASSERT: /* examines each element in place */
  case NEREID_OP_TT_PRINT:
    return true;
  default:
    break;
  }
  return mlirOperationGetNumRegions(op) == 0 && nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise) &&
         nereidMlirOperationIsMemoryEffectFree(op);
}

static bool is_conversion(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT;
}

static void unite_edge(MlirRegion region, intptr_t n, const MlirValue *operands, const MlirValue *inputs, void *data) {
  (void)region;
  for (intptr_t i = 0; i < n; ++i)
    unite(data, operands[i], inputs[i]);
}

static void unite_branch(components_t *components, MlirOperation op) {
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); ++s) {
    intptr_t produced, first, n;
    if (!nereidMlirBranchGetSuccessorOperands(op, s, &produced, &first, &n))
      return;
    MlirBlock to = mlirOperationGetSuccessor(op, s);
    for (intptr_t i = 0; i < n; ++i)
      unite(components, mlirOperationGetOperand(op, first + i), mlirBlockGetArgument(to, produced + i));
  }
}

static void weigh(components_t *components, MlirValue value) {
  if (!nereid_ttg_is_laid_out(value))
    return;
  const size_t node = node_of(components, value);
  if (!components->failed)
    components->nodes.data[node].weighted = true;
}

static void unite_across(components_t *components, MlirValue a, MlirValue b) {
  if (!nereid_ttg_is_laid_out(a))
    return;
  weigh(components, a);
  unite(components, a, b);
}

/* Unites the operands of a call with the arguments of the function. */
static void unite_call(components_t *components, MlirOperation call) {
  MlirOperation callee = nereid_call_graph_callee(&components->graph, call)->op;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(callee, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    unite_across(components, mlirBlockGetArgument(entry, i), mlirOperationGetOperand(call, i));
}

/* Unites returned values with the results of all calls. */
static void unite_return(components_t *components, MlirOperation end) {
  const nereid_call_graph_t *graph = &components->graph;
  const nereid_call_function_t *function =
      &graph->functions.data[nereid_call_graph_number(graph, mlirOperationGetParentOperation(end))];
  for (size_t c = 0; c < function->n_callers; ++c)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
      unite_across(components, mlirOperationGetOperand(end, i),
                   mlirOperationGetResult(nereid_call_graph_caller(graph, function, c)->call, i));
}

static bool is_called(const components_t *components, MlirOperation function) {
  return components->graph.functions.data[nereid_call_graph_number(&components->graph, function)].n_callers > 0;
}

/* Structured and unstructured control flow forwards values, as calls and returns do. Other ops with regions
 * (reductions, scans) do not: their regions operate on elements. */
static bool passes_control(const components_t *components, MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_TT_CALL || kind == NEREID_OP_TT_RETURN)
    return kind == NEREID_OP_TT_CALL || is_called(components, mlirOperationGetParentOperation(op));
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return (name.length > 4 && memcmp(name.data, "scf.", 4) == 0) ||
         (name.length > 3 && memcmp(name.data, "cf.", 3) == 0);
}

static bool is_mma(MlirValue value) {
  return nereid_ttg_nvidia_mma_attr_isa(nereid_ttg_encoding_of(value));
}

/* Whether `op` transposes an accumulator of tensor cores, as it is done before and after an exchanged dot. */
static bool transposes_accumulator(MlirOperation op) {
  return !mlirOperationIsNull(op) && nereid_op_kind(op) == NEREID_OP_TT_TRANS &&
         (is_mma(mlirOperationGetOperand(op, 0)) || is_mma(mlirOperationGetResult(op, 0)));
}

static bool is_accumulator(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return is_mma(value) || transposes_accumulator(nereid_defining_op(value)) ||
         (!mlirOpOperandIsNull(use) && transposes_accumulator(mlirOpOperandGetOwner(use)));
}

/* Loops must carry accumulators of tensor cores without a conversion, whatever the votes after the loop. */
static void weigh_accumulator(components_t *components, MlirOperation op) {
  MlirValue from = mlirOperationGetOperand(op, 0), to = mlirOperationGetResult(op, 0);
  if (is_accumulator(from) || is_accumulator(to)) {
    weigh(components, from);
    weigh(components, to);
  }
}

static void tie(components_t *components, MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (is_conversion(op) || transposes_accumulator(op))
    weigh_accumulator(components, op);
  /* Reductions in each iteration outweigh conversions of the matrix before and after the loop. */
  MlirValue matrix = nereid_recurrence_matrix(op);
  if (!mlirValueIsNull(matrix))
    weigh(components, matrix);
  if (kind == NEREID_OP_TT_CALL)
    unite_call(components, op);
  else if (kind == NEREID_OP_TT_RETURN)
    unite_return(components, op);
  else if (passes_control(components, op)) {
    nereidMlirRegionBranchWalkEdges(op, unite_edge, components);
    unite_branch(components, op);
  }
  if (!is_flexible(op) || mlirOperationGetNumResults(op) == 0)
    return;
  MlirValue first = mlirOperationGetResult(op, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    unite(components, first, mlirOperationGetOperand(op, i));
  for (intptr_t i = 1; i < mlirOperationGetNumResults(op); ++i)
    unite(components, first, mlirOperationGetResult(op, i));
}

/* --- votes --- */

static void vote(components_t *components, MlirOperation voter, MlirValue value, MlirAttribute encoding) {
  if (!nereid_ttg_is_laid_out(value) || components->failed)
    return;
  /* The node comes first: a new node may reallocate the array. */
  const size_t root = root_of(components, node_of(components, value));
  candidate_t **place = &components->nodes.data[root].candidates;
  while (*place && !mlirAttributeEqual((*place)->encoding, encoding))
    place = &(*place)->next;
  if (!*place) {
    *place = nereid_arena_new(components->arena, candidate_t, 1);
    if (!*place) {
      components->failed = true;
      return;
    }
    (*place)->encoding = encoding;
  }
  const int64_t bytes = nereid_scratch_tensor_bytes(mlirValueGetType(value));
  (*place)->votes += bytes;
  if (components->nodes.data[root].weighted)
    (*place)->hot += bytes * nereid_frequency_of(&components->frequency, voter);
}

/* Ops after a conversion that are cheap to recompute in another layout; they do not fix the layout of a component. A
 * broadcast is, also when it is reshaped or transposed, as the scales of block-scaled operands are. */
static bool is_cheap_view(MlirOperation op) {
  enum { DEPTH = 4 /* views of a broadcast */ };
  for (int depth = 0; depth < DEPTH && !mlirOperationIsNull(op); ++depth) {
    const nereid_op_kind_t kind = nereid_op_kind(op);
    if (kind == NEREID_OP_TT_BROADCAST || kind == NEREID_OP_TT_EXPAND_DIMS)
      return depth == 0 || kind == NEREID_OP_TT_BROADCAST;
    if (kind != NEREID_OP_TT_RESHAPE && kind != NEREID_OP_TT_TRANS)
      return false;
    op = nereid_defining_op(mlirOperationGetOperand(op, 0));
  }
  return false;
}

/* Whether changing the layout of `value` costs almost nothing. */
static bool is_cheap(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  return nereid_is_recomputed_for_free(value) || (!mlirOperationIsNull(op) && is_cheap_view(op));
}

static bool is_border(const components_t *components, MlirOperation op) {
  return !is_flexible(op) && !passes_control(components, op) && !is_conversion(op);
}

/* Whether `op` stores in a buffer an accumulator of tensor cores that a loop or a branch passes on. It does so from any
 * layout; between CTAs, conversions stay. */
static bool stores_accumulator(components_t *components, MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if ((kind != NEREID_OP_TTG_LOCAL_ALLOC && kind != NEREID_OP_TTG_LOCAL_STORE) || !mlirOperationGetNumOperands(op) ||
      nereid_ttg_num_ctas(op) > 1 || !nereid_ttg_is_laid_out(mlirOperationGetOperand(op, 0)))
    return false;
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirOperation source = nereid_defining_op(value);
  if (!mlirOperationIsNull(source) && !passes_control(components, source))
    return false;
  const size_t node = node_of(components, value);
  return !components->failed && components->nodes.data[root_of(components, node)].weighted;
}

static void collect_votes(components_t *components, MlirOperation op) {
  MlirValue matrix = nereid_recurrence_matrix(op);
  if (!mlirValueIsNull(matrix))
    vote(components, mlirBlockGetTerminator(nereid_loop_body(op)), matrix, nereid_ttg_encoding_of(matrix));
  if (is_conversion(op)) {
    MlirValue from = mlirOperationGetOperand(op, 0), to = mlirOperationGetResult(op, 0);
    if (!is_cheap(from))
      vote(components, op, to, nereid_ttg_encoding_of(from));
    if (!nereid_is_provisional_operand(components->dots, nereid_ttg_encoding_of(to)))
      vote(components, op, from, nereid_ttg_encoding_of(to));
    return;
  }
  if (!is_border(components, op) || (!components->followers && nereid_follows_operand_layout(op)) ||
      stores_accumulator(components, op))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    vote(components, op, mlirOperationGetOperand(op, i), nereid_ttg_encoding_of(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !is_cheap_view(op); ++i)
    vote(components, op, mlirOperationGetResult(op, i), nereid_ttg_encoding_of(mlirOperationGetResult(op, i)));
}

/* The layout chosen for `value`; null when it keeps its own. */
static MlirAttribute chosen(components_t *components, MlirValue value) {
  uintptr_t *place = nereid_map_find(&components->index, value.ptr);
  if (!place)
    return (MlirAttribute){NULL};
  const node_t *root = &components->nodes.data[root_of(components, *place - 1)];
  const candidate_t *best = root->candidates;
  for (const candidate_t *candidate = best; candidate; candidate = candidate->next)
    if (root->weighted ? candidate->hot > best->hot : candidate->votes > best->votes)
      best = candidate;
  return best && !mlirAttributeEqual(best->encoding, nereid_ttg_encoding_of(value)) ? best->encoding
                                                                                    : (MlirAttribute){NULL};
}

/* An unpacked tensor is four times as large as the packed one. It votes for the layout that the unpacking makes of the
 * packed one's, which is then converted neither before nor after. */
static void vote_unpacked(components_t *components, MlirOperation op) {
  MlirValue packed = mlirOperationGetOperand(op, 0);
  MlirAttribute encoding = chosen(components, packed);
  if (mlirAttributeIsNull(encoding))
    encoding = nereid_ttg_encoding_of(packed);
  if (nereid_ttg_is_laid_out(packed) && nereid_followed_encoding(op, encoding, &encoding))
    vote(components, op, mlirOperationGetResult(op, 0), encoding);
}

enum { INSTRUCTIONS_PER_BYTE = 3 /* a conversion's instructions in all threads */ };

/* A layout with many exchanges between lanes or warps loses votes: a reduction may pay for them more often than a
 * conversion at the border would. */
static void charge_reduction(components_t *components, nereid_reduction_costs_t *costs, MlirOperation op) {
  MlirValue source = nereid_reduction_source(op);
  uintptr_t *place = nereid_map_find(&components->index, source.ptr);
  candidate_t *first = place ? components->nodes.data[root_of(components, *place - 1)].candidates : NULL;
  for (candidate_t *candidate = first; first && first->next && candidate; candidate = candidate->next) {
    const int64_t cost = nereid_reduction_cost(costs, op, source, candidate->encoding) / INSTRUCTIONS_PER_BYTE;
    candidate->votes -= cost;
    candidate->hot -= cost * nereid_frequency_of(&components->frequency, op);
  }
}

static void charge_reductions(components_t *components) {
  nereid_reduction_costs_t costs = {.arena = components->arena};
  for (size_t i = 0; i < components->ops.size; ++i)
    if (nereid_op_kind(components->ops.data[i]) == NEREID_OP_TT_REDUCE)
      charge_reduction(components, &costs, components->ops.data[i]);
}

/* Elements of a tensor of `type` in a #dot_op layout that threads hold in addition to one copy of the tensor. */
static int64_t repeated_elements(MlirType type, MlirAttribute encoding) {
  nereid_layout_t layout;
  if (nereid_layout_from_type(nereid_ttg_with_encoding(type, encoding), &layout) != NEREID_OK)
    return 0;
  int64_t elements = 1, threads = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    elements *= mlirShapedTypeGetDimSize(type, d);
  for (int in = NEREID_LAYOUT_LANE; in < NEREID_LAYOUT_DIMS; ++in)
    threads <<= layout.in_bits[in];
  return nereid_distinct_registers(&layout) * threads - elements;
}

/* A #dot_op layout loses votes for the computations that its threads repeat: each thread has whole rows or columns. */
static void charge_repetition(components_t *components, MlirOperation op) {
  if (!is_flexible(op) || mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumOperands(op) == 0 ||
      nereid_op_kind(op) == NEREID_OP_TT_SPLAT)
    return;
  MlirValue result = mlirOperationGetResult(op, 0);
  uintptr_t *place = nereid_map_find(&components->index, result.ptr);
  candidate_t *first = place ? components->nodes.data[root_of(components, *place - 1)].candidates : NULL;
  for (candidate_t *candidate = first; first && first->next && candidate; candidate = candidate->next) {
    if (!nereid_ttg_dot_op_attr_isa(candidate->encoding))
      continue;
    const int64_t cost = nereid_element_cost(op) * repeated_elements(mlirValueGetType(result), candidate->encoding) /
                         INSTRUCTIONS_PER_BYTE;
    candidate->votes -= cost;
    candidate->hot -= cost * nereid_frequency_of(&components->frequency, op);
  }
}

static void charge_repetitions(components_t *components) {
  for (size_t i = 0; i < components->ops.size; ++i)
    charge_repetition(components, components->ops.data[i]);
}

/* A function without callers keeps the layouts at its boundary. */
static void collect_boundary_votes(components_t *components, const nereid_call_function_t *function) {
  if (function->n_callers || !function->has_body)
    return;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function->op, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    vote(components, function->op, mlirBlockGetArgument(entry, i),
         nereid_ttg_encoding_of(mlirBlockGetArgument(entry, i)));
}

/* --- changing layouts --- */

static MlirValue insert_conversion(nereid_builder_t builder, MlirValue value, MlirType type) {
  return mlirOperationGetResult(nereid_ttg_convert_layout_build(&builder, type, value), 0);
}

/* An op outside the components keeps its layouts: its operands are converted back … */
static void keep_operands(components_t *components, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirAttributeIsNull(chosen(components, operand)))
      continue;
    /* The conversion's result has the current type; its operand's type changes with the component. */
    mlirOperationSetOperand(op, i, insert_conversion(nereid_builder_before(op), operand, mlirValueGetType(operand)));
  }
}

/* … and its results are converted forward. Runs after keep_operands of all ops, whose conversions then start from the
 * results. */
static void keep_results(components_t *components, MlirOperation op) {
  nereid_builder_t after = {mlirOperationGetLocation(op), mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op)};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    MlirAttribute encoding = chosen(components, result);
    if (mlirAttributeIsNull(encoding))
      continue;
    MlirValue converted =
        insert_conversion(after, result, nereid_ttg_with_encoding(mlirValueGetType(result), encoding));
    MlirOperation conversion = mlirOpResultGetOwner(converted);
    mlirValueReplaceAllUsesExcept(result, converted, 1, &conversion);
  }
}

/* Values whose defining op keeps the old layout do not change: keep_results has given their users another value. */
static bool is_border_result(const components_t *components, MlirValue value) {
  if (!mlirValueIsAOpResult(value)) {
    MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    return nereid_op_kind(parent) == NEREID_OP_TT_FUNC && !is_called(components, parent) &&
           mlirBlockEqual(mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, 0)), mlirBlockArgumentGetOwner(value));
  }
  return is_border(components, mlirOpResultGetOwner(value));
}

/* Whether `op` stores an accumulator that gets the layout of tensor cores. */
static bool takes_accumulator(components_t *components, MlirOperation op) {
  if (!stores_accumulator(components, op))
    return false;
  MlirAttribute encoding = chosen(components, mlirOperationGetOperand(op, 0));
  return !mlirAttributeIsNull(encoding) && nereid_ttg_nvidia_mma_attr_isa(encoding);
}

static void change_type(MlirValue value, MlirAttribute encoding) {
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(value), encoding);
  mlirValueSetType(value, type);
  if (!mlirValueIsAOpResult(value) || nereid_op_kind(mlirOpResultGetOwner(value)) != NEREID_OP_ARITH_CONSTANT)
    return;
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirStringRef name = mlirStringRefCreateFromCString("value");
  MlirAttribute elements = mlirOperationGetAttributeByName(op, name);
  mlirOperationSetAttributeByName(op, name, mlirDenseElementsAttrReshapeGet(elements, type));
}

static void convert_arguments(components_t *components, MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_TT_FUNC || is_called(components, op))
    return;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; !mlirBlockIsNull(entry) && i < mlirBlockGetNumArguments(entry); ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    MlirAttribute encoding = chosen(components, argument);
    if (mlirAttributeIsNull(encoding))
      continue;
    nereid_builder_t builder = {mlirValueGetLocation(argument), entry, mlirBlockGetFirstOperation(entry)};
    MlirValue converted =
        insert_conversion(builder, argument, nereid_ttg_with_encoding(mlirValueGetType(argument), encoding));
    MlirOperation conversion = mlirOpResultGetOwner(converted);
    mlirValueReplaceAllUsesExcept(argument, converted, 1, &conversion);
  }
}

/* Updates the type of a called function from its arguments and the results of its calls. */
static void change_signature(components_t *components, const nereid_call_function_t *function) {
  MlirOperation call = nereid_call_graph_caller(&components->graph, function, 0)->call;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function->op, 0));
  const intptr_t n_inputs = mlirBlockGetNumArguments(entry), n_results = mlirOperationGetNumResults(call);
  MlirType *types = nereid_arena_new(components->arena, MlirType, (size_t)(n_inputs + n_results));
  for (intptr_t i = 0; types && i < n_inputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  for (intptr_t i = 0; types && i < n_results; ++i)
    types[n_inputs + i] = mlirValueGetType(mlirOperationGetResult(call, i));
  if (types)
    nereidMlirFunctionSetType(
        function->op, mlirFunctionTypeGet(components->pass->context, n_inputs, types, n_results, types + n_inputs));
}

static void apply(components_t *components) {
  const size_t n_nodes = components->nodes.size;
  MlirAttribute *encodings = nereid_arena_new(components->arena, MlirAttribute, n_nodes + 1);
  if (!encodings) {
    components->failed = true;
    return;
  }
  for (size_t i = 0; i < n_nodes; ++i)
    encodings[i] = chosen(components, components->nodes.data[i].value);
  for (size_t i = 0; i < components->ops.size; ++i)
    if (is_border(components, components->ops.data[i]) && !takes_accumulator(components, components->ops.data[i]))
      keep_operands(components, components->ops.data[i]);
  for (size_t i = 0; i < components->ops.size; ++i) {
    convert_arguments(components, components->ops.data[i]);
    if (is_border(components, components->ops.data[i]))
      keep_results(components, components->ops.data[i]);
  }
  for (size_t i = 0; i < n_nodes; ++i)
    if (!mlirAttributeIsNull(encodings[i]) && !is_border_result(components, components->nodes.data[i].value))
      change_type(components->nodes.data[i].value, encodings[i]);
  for (size_t f = 0; f < components->graph.functions.size; ++f)
    if (components->graph.functions.data[f].n_callers)
      change_signature(components, &components->graph.functions.data[f]);
}

/* --- remarks --- */

/* Remarks how much of the bytes adjacent to a tensor at a function's boundary has the same layout. */
static void remark_value(components_t *components, MlirOperation function, const char *what, intptr_t i,
                         MlirValue value) {
  const uintptr_t *place = nereid_map_find(&components->index, value.ptr);
  int64_t best = 0, all = 0;
  for (const candidate_t *c = place ? components->nodes.data[root_of(components, *place - 1)].candidates : NULL; c;
       c = c->next) {
    best = c->hot > best ? c->hot : best;
    all += c->hot;
  }
  if (all && best == all)
    nereid_pass_remark_passed(components->pass, function, "boundary", "%s %td has the layout of all adjacent values",
                              what, (ptrdiff_t)i);
  else if (all)
    nereid_pass_remark_missed(
        components->pass, function, "boundary",
        "%s %td has the layout of %d %% of the adjacent values, weighted by bytes and execution frequency; the "
        "rest may have to be converted",
        what, (ptrdiff_t)i, (int)(100.0 * (double)best / (double)all));
}

static void remark_boundaries(components_t *components) {
  const nereid_call_graph_t *graph = &components->graph;
  for (size_t f = 0; f < graph->functions.size; ++f) {
    const nereid_call_function_t *function = &graph->functions.data[f];
    if (!function->n_callers)
      continue;
    MlirOperation call = nereid_call_graph_caller(graph, function, 0)->call;
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(function->op, 0));
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
      remark_value(components, function->op, "argument", i, mlirBlockGetArgument(entry, i));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
      remark_value(components, function->op, "result", i, mlirOperationGetResult(call, i));
  }
}

/* Whether votes of a component are weighted is known only after all values are united. */
static void mark_weighted(components_t *components) {
  for (size_t i = 0; i < components->nodes.size; ++i)
    if (components->nodes.data[i].weighted)
      components->nodes.data[root_of(components, i)].weighted = true;
}

bool nereid_layout_components_assign(nereid_pass_t *pass, const nereid_provisional_dots_t *dots, bool followers) {
  components_t components = {.pass = pass, .arena = pass->scratch, .dots = dots, .followers = followers};
  nereid_map_initialize(&components.index, pass->scratch);
  if (nereid_call_graph_build(pass->op, pass->scratch, &components.graph) != NEREID_OK ||
      !nereid_frequency_run(&components.graph, pass->scratch, &components.frequency))
    return false;
  components.failed = !nereid_collect(pass->op, NULL, pass->scratch, &components.ops);
  for (size_t i = 0; i < components.ops.size; ++i)
    tie(&components, components.ops.data[i]);
  mark_weighted(&components);
  for (size_t i = 0; i < components.graph.functions.size; ++i)
    collect_boundary_votes(&components, &components.graph.functions.data[i]);
  for (size_t i = 0; i < components.ops.size && !components.failed; ++i)
    collect_votes(&components, components.ops.data[i]);
  for (size_t i = 0; !followers && i < components.ops.size && !components.failed; ++i)
    if (nereid_op_kind(components.ops.data[i]) == NEREID_OP_TTG_FP4_TO_FP)
      vote_unpacked(&components, components.ops.data[i]);
  if (!components.failed) {
    if (followers && nereidMlirRemarksEnabled(pass->context))
      remark_boundaries(&components);
    charge_reductions(&components);
    charge_repetitions(&components);
    apply(&components);
  }
  return !components.failed && !components.arena->failed;
}
