/* Every operation of arith, math, tt and ttg has an entry in the axis analysis: a rule, flow edges, or an explicit "no
 * information". The test names operations without an entry. */
#include "analysis/axis/axis_rules.h"
#include "nereid/context.h"
#include "seam/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
/* cmocka requires the four above. */
#include <cmocka.h>

/* axis_flow.c handles these ops: terminators and ops with regions. */
static bool flows(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_TT_CALL:
  case NEREID_OP_TT_FUNC:
  case NEREID_OP_TT_RETURN:
  case NEREID_OP_TT_REDUCE:
  case NEREID_OP_TT_REDUCE_RETURN:
  case NEREID_OP_TT_SCAN:
  case NEREID_OP_TT_SCAN_RETURN:
  case NEREID_OP_TT_MAP_ELEMENTWISE:
  case NEREID_OP_TT_MAP_ELEMENTWISE_RETURN:
  case NEREID_OP_TTG_WARP_SPECIALIZE:
  case NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS:
  case NEREID_OP_TTG_WARP_YIELD:
    return true;
  default:
    return false;
  }
}

static bool has_no_results(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_TT_ASSERT:
  case NEREID_OP_TT_PRINT:
  case NEREID_OP_TT_GRID_DEPENDENCY_LAUNCH_DEPENDENTS:
  case NEREID_OP_TT_GRID_DEPENDENCY_WAIT:
  case NEREID_OP_TT_ATOMIC_STORE:
  case NEREID_OP_TT_STORE:
  case NEREID_OP_TT_DESCRIPTOR_STORE:
  case NEREID_OP_TT_DESCRIPTOR_REDUCE:
  case NEREID_OP_TT_DESCRIPTOR_SCATTER:
  case NEREID_OP_TTG_BARRIER:
  case NEREID_OP_TTG_LOCAL_BARRIER:
  case NEREID_OP_TTG_LOCAL_DEALLOC:
  case NEREID_OP_TTG_LOCAL_SCATTER:
  case NEREID_OP_TTG_LOCAL_STORE:
  case NEREID_OP_TTG_MASK_RETURN:
  case NEREID_OP_TTG_WARP_RETURN:
    return true;
  default:
    return false;
  }
}

static bool is_of(const char *name, const char *dialect) {
  return strncmp(name, dialect, strlen(dialect)) == 0;
}

static bool is_elementwise(MlirContext context, const char *name) {
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString(name), mlirLocationUnknownGet(context));
  MlirOperation op = mlirOperationCreate(&state);
  const bool elementwise = nereidMlirOperationHasTrait(op, NereidMlirTraitElementwise);
  mlirOperationDestroy(op);
  return elementwise;
}

static bool has_rule(nereid_op_kind_t kind) {
  return nereid_axis_rule_arith(kind) || nereid_axis_rule_bits(kind) || nereid_axis_rule_choice(kind) ||
         nereid_axis_rule_tensor(kind);
}

static void test_every_operation_has_a_place(void **unused) {
  (void)unused;
  MlirContext context = nereid_context_create();
  int checked = 0, missing = 0;
  for (int kind = NEREID_OP_UNKNOWN + 1; kind < NEREID_OP_COUNT; kind++) {
    const char *name = nereid_op_kind_name((nereid_op_kind_t)kind);
    const bool upstream = is_of(name, "arith.") || is_of(name, "math.");
    if (!upstream && !is_of(name, "tt.") && !is_of(name, "ttg."))
      continue;
    checked++;
    const bool known = has_rule((nereid_op_kind_t)kind) || flows((nereid_op_kind_t)kind) ||
                       has_no_results((nereid_op_kind_t)kind) || (upstream && is_elementwise(context, name));
    if (!known)
      fprintf(stderr, "%s has no place in the axis analysis\n", name);
    missing += !known;
  }
  mlirContextDestroy(context);
  assert_true(checked > 100);
  assert_int_equal(missing, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_operation_has_a_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
