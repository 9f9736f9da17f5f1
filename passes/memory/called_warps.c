/* Assigns warp counts to called functions; see called_warps.h.
 *
 *   ttg.warp_specialize() ... partition0() num_warps(2) { tt.call @f() }        tt.func private @f()
 *   ->                                                                          ... attributes {"ttg.num-warps" = 2}
 *
 * Functions are visited callers first, since the warps that execute a function also execute its callees. A function is
 * compiled once, and its layouts and barriers are for one number of warps. */
#include "passes/memory/called_warps.h"

#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static MlirStringRef attribute_name(void) {
  return mlirStringRefCreateFromCString("ttg.num-warps");
}

static bool carries(MlirOperation function) {
  return !mlirAttributeIsNull(mlirOperationGetAttributeByName(function, attribute_name()));
}

static bool set_by_call(const nereid_call_graph_t *calls, const nereid_call_edge_t *edge, int32_t *known) {
  MlirOperation callee = calls->functions.data[edge->callee].op;
  const int32_t warps = nereid_ttg_num_warps(edge->call);
  if (!*known)
    *known = carries(callee) ? nereid_ttg_num_warps(callee) : warps;
  if (*known != warps) {
    const MlirStringRef name = nereid_ir_symbol_name(callee);
    nereid_diagnose(edge->call, "is executed by %d warps, but @%.*s by %d: a function has one number of warps", warps,
                    (int)name.length, name.data, *known);
    return false;
  }
  if (warps != nereid_ttg_num_warps(callee))
    mlirOperationSetAttributeByName(callee, attribute_name(),
                                    mlirIntegerAttrGet(mlirIntegerTypeGet(mlirOperationGetContext(callee), 32), warps));
  return true;
}

bool nereid_called_warps_set(const nereid_call_graph_t *calls, nereid_arena_t *arena) {
  int32_t *known = nereid_arena_new(arena, int32_t, calls->functions.size); /* by function; 0: not called yet */
  for (size_t i = 0; known && i < calls->functions.size; ++i) {
    const nereid_call_function_t *caller = nereid_call_graph_callers_first(calls, i);
    for (size_t c = 0; c < caller->n_calls; ++c) {
      const nereid_call_edge_t *edge = nereid_call_graph_call(calls, caller, c);
      if (!set_by_call(calls, edge, &known[edge->callee]))
        return false;
    }
  }
  return known != NULL;
}
