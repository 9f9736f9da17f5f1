/* Propagates facts between blocks, regions and functions.
 *
 *   cf.br ^b(%x)                ^b(%y)             %y: the meet over all branches
 *   scf.yield %x                                   to the loop's argument, and to its result
 *   tt.call @f(%x)              tt.func @f(%y)     operands of tt.return flow to the call's results
 *   tt.reduce(%x) { ^bb(%a, %b) … return %c }      %a, %b and the results: elements of %x or earlier %c */
#include "analysis/axis/axis_rules.h"
#include "analysis/axis/axis_solver.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinTypes.h>

/* --- control flow --- */

static void flow_region_edge(MlirRegion region, intptr_t n, const MlirValue *operands, const MlirValue *inputs,
                             void *data) {
  (void)region;
  nereid_axis_solver_t *s = data;
  for (intptr_t i = 0; i < n; i++) {
    const nereid_axis_info_t *fact = nereid_axis_read(s, operands[i]);
    if (fact)
      nereid_axis_lower(s, inputs[i], fact);
  }
}

/* Values from the lower bound in steps: a common divisor of bound and step divides all of them. */
static void flow_induction_variable(nereid_axis_solver_t *s, MlirOperation loop) {
  MlirValue variable = mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)), 0);
  const nereid_axis_info_t *start = nereid_axis_read(s, nereid_scf_for_get_lower_bound(loop));
  const nereid_axis_info_t *step = nereid_axis_read(s, nereid_scf_for_get_step(loop));
  if (!start || !step || !start->reached || !step->reached)
    return;
  nereid_axis_info_t fact = nereid_axis_unknown(mlirValueGetType(variable));
  uint8_t a = start->divisibility[0], b = step->divisibility[0];
  fact.divisibility[0] = a < b ? a : b;
  fact.non_negative = start->non_negative && !nereid_scf_for_get_unsigned_cmp(loop); /* a step is positive */
  nereid_axis_lower(s, variable, &fact);
}

static bool flow_branch(nereid_axis_solver_t *s, MlirOperation branch) {
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(branch); i++) {
    MlirBlock block = mlirOperationGetSuccessor(branch, i);
    intptr_t produced, first, n;
    if (!nereidMlirBranchGetSuccessorOperands(branch, i, &produced, &first, &n)) {
      produced = mlirBlockGetNumArguments(block);
      n = 0;
    }
    for (intptr_t j = 0; j < produced; j++)
      nereid_axis_lower_to_unknown(s, mlirBlockGetArgument(block, j));
    for (intptr_t j = 0; j < n; j++) {
      const nereid_axis_info_t *fact = nereid_axis_read(s, mlirOperationGetOperand(branch, first + j));
      if (fact)
        nereid_axis_lower(s, mlirBlockGetArgument(block, produced + j), fact);
    }
  }
  return true;
}

/* Propagates captures to the arguments of every partition, the regions of the operation in the second region. */
static void flow_captures(nereid_axis_solver_t *s, MlirOperation op) {
  MlirBlock holder = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1));
  MlirOperation partitions = mlirBlockGetTerminator(holder);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(partitions, r));
    for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); i++) {
      const nereid_axis_info_t *fact =
          i < mlirOperationGetNumOperands(op) ? nereid_axis_read(s, mlirOperationGetOperand(op, i)) : NULL;
      if (fact)
        nereid_axis_lower(s, mlirBlockGetArgument(block, i), fact);
    }
  }
}

/* Arguments without an edge above: combine regions, parallel loops, unknown ops. */
static void flow_foreign_arguments(nereid_axis_solver_t *s, MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); i++)
      nereid_axis_lower_to_unknown(s, mlirBlockGetArgument(block, i));
  }
}

/* --- calls --- */

static bool flow_call(nereid_axis_solver_t *s, MlirOperation call) {
  const nereid_call_function_t *callee = nereid_call_graph_callee(s->graph, call);
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(callee->op, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    const nereid_axis_info_t *fact = nereid_axis_read(s, mlirOperationGetOperand(call, i));
    if (fact)
      nereid_axis_lower(s, mlirBlockGetArgument(entry, i), fact);
  }
  return true;
}

static bool flow_return(nereid_axis_solver_t *s, MlirOperation op) {
  const size_t number = nereid_call_graph_number(s->graph, mlirOperationGetParentOperation(op));
  const nereid_call_function_t *function = &s->graph->functions.data[number];
  for (size_t c = 0; c < function->n_callers; c++) {
    MlirOperation call = nereid_call_graph_caller(s->graph, function, c)->call;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      const nereid_axis_info_t *returned = nereid_axis_read(s, mlirOperationGetOperand(op, i));
      if (!returned)
        return true;
      nereid_axis_lower(s, mlirOperationGetResult(call, i), returned);
    }
  }
  return true;
}

/* --- regions of scalar code --- */

static bool is_map(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_MAP_ELEMENTWISE;
}

/* Arguments of the region: elements of operands. */
static void flow_elements(nereid_axis_solver_t *s, MlirOperation op) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  const intptr_t n = mlirOperationGetNumOperands(op), pack = is_map(op) ? nereid_tt_map_elementwise_get_pack(op) : 1;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    const nereid_axis_info_t *source = nereid_axis_read(s, mlirOperationGetOperand(op, i / pack % n));
    const nereid_axis_info_t element =
        source ? nereid_axis_element(source) : nereid_axis_unknown(mlirValueGetType(argument));
    nereid_axis_lower(s, argument, &element);
  }
}

/* The meet of elements of the operand and of the values that the region returned for result `i`; unreached while one of
 * them is. */
static nereid_axis_info_t combined_element(nereid_axis_solver_t *s, MlirOperation op, MlirOperation end, intptr_t i) {
  const intptr_t pack = is_map(op) ? nereid_tt_map_elementwise_get_pack(op) : 1;
  nereid_axis_info_t met = {.reached = false};
  for (intptr_t p = 0; p < pack; p++) {
    const nereid_axis_info_t *returned = nereid_axis_read(s, mlirOperationGetOperand(end, i * pack + p));
    if (!returned || !returned->reached)
      return (nereid_axis_info_t){.reached = false};
    if (p == 0)
      met = *returned;
    nereid_axis_meet(&met, returned);
  }
  const nereid_axis_info_t *source = is_map(op) ? NULL : nereid_axis_read(s, mlirOperationGetOperand(op, i));
  if (source) {
    const nereid_axis_info_t element = nereid_axis_element(source);
    met.reached &= source->reached;
    nereid_axis_meet(&met, &element);
  }
  return met;
}

static void flow_combined(nereid_axis_solver_t *s, MlirOperation op, MlirOperation end) {
  enum { MAX_OPERANDS = 16 };
  const nereid_axis_info_t *operands[MAX_OPERANDS];
  const intptr_t n = mlirOperationGetNumOperands(op);
  bool all = n <= MAX_OPERANDS;
  for (intptr_t i = 0; all && i < n; i++) {
    operands[i] = nereid_axis_read(s, mlirOperationGetOperand(op, i));
    if (!operands[i] || !operands[i]->reached)
      return;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    nereid_axis_info_t fact = nereid_axis_unknown(mlirValueGetType(result));
    const nereid_axis_info_t element = combined_element(s, op, end, i);
    if (!element.reached)
      continue;
    if (all && fact.rank)
      nereid_axis_combine(op, n, operands, &element, &fact);
    nereid_axis_lower(s, result, &fact);
  }
}

/* From the op: its elements to the region, and its results at every end of the region. */
static bool flow_into_elements(nereid_axis_solver_t *s, MlirOperation op) {
  flow_elements(s, op);
  for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    MlirOperation end = mlirBlockGetTerminator(block);
    if (!mlirOperationIsNull(end) && mlirOperationGetNumSuccessors(end) == 0)
      flow_combined(s, op, end);
  }
  return true;
}

/* From the end of the region: to the results, and to the arguments of the next combination. */
static bool flow_out_of_elements(nereid_axis_solver_t *s, MlirOperation end) {
  MlirOperation op = mlirOperationGetParentOperation(end);
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = 0; !is_map(op) && i < mlirBlockGetNumArguments(entry); i++) {
    const nereid_axis_info_t *returned =
        nereid_axis_read(s, mlirOperationGetOperand(end, i % mlirOperationGetNumOperands(end)));
    if (returned)
      nereid_axis_lower(s, mlirBlockGetArgument(entry, i), returned);
  }
  flow_combined(s, op, end);
  return true;
}

/* Whether the edges of a region branch, and the two special cases here, cover all arguments of its regions. */
static bool arguments_are_covered(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_SCF_FOR:
  case NEREID_OP_SCF_IF:
  case NEREID_OP_SCF_WHILE:
  case NEREID_OP_SCF_EXECUTE_REGION:
  case NEREID_OP_SCF_INDEX_SWITCH:
  case NEREID_OP_TTG_WARP_SPECIALIZE:
  case NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS:
    return true;
  default:
    return false;
  }
}

/* --- all of them --- */

bool nereid_axis_flow(nereid_axis_solver_t *s, const nereid_axis_entry_t *entry) {
  MlirOperation op = entry->op;
  const bool has_regions = mlirOperationGetNumRegions(op) > 0;
  switch (entry->kind) {
  case NEREID_OP_TT_CALL:
    return s->graph && flow_call(s, op);
  case NEREID_OP_TT_RETURN:
    return s->graph && flow_return(s, op);
  case NEREID_OP_TT_REDUCE:
  case NEREID_OP_TT_SCAN:
  case NEREID_OP_TT_MAP_ELEMENTWISE:
    return flow_into_elements(s, op);
  case NEREID_OP_TT_REDUCE_RETURN:
  case NEREID_OP_TT_SCAN_RETURN:
  case NEREID_OP_TT_MAP_ELEMENTWISE_RETURN:
    return flow_out_of_elements(s, op);
  case NEREID_OP_TTG_WARP_SPECIALIZE:
    flow_captures(s, op);
    break;
  case NEREID_OP_SCF_FOR:
    flow_induction_variable(s, op);
    break;
  default:
    break;
  }
  if (mlirOperationGetNumSuccessors(op) > 0)
    return flow_branch(s, op);
  if (has_regions && !arguments_are_covered(entry->kind))
    flow_foreign_arguments(s, op);
  /* only ops that have or end regions can be points of a region branch */
  return (has_regions || mlirOperationIsNull(mlirOperationGetNextInBlock(op))) &&
         nereidMlirRegionBranchWalkEdges(op, flow_region_edge, s);
}
