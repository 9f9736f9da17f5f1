/* Remarks on the cost of operations that combine or move elements of several threads; see remarks.h.
 *
 *   tt.reduce : tensor<1024xf32> -> f32, 4 warps   ->   remark: across warps: 11 combinations, 5 shuffles, 16 bytes of
 *                                                       shared memory and 1 barrier per thread
 *
 * Lowering counts what it emits, so a remark matches the emitted code. */
#include "conversion/ttg_to_llvm/remarks/remarks.h"

#include "analysis/allocation/scratch.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_TT_REDUCE:
    return "reduction";
  case NEREID_OP_TT_SCAN:
    return "scan";
  case NEREID_OP_TT_GATHER:
    return "gather";
  case NEREID_OP_TT_HISTOGRAM:
    return "histogram";
  default:
    return NULL;
  }
}

typedef struct costs {
  char text[160];
} costs_t;

static void add(costs_t *costs, int64_t number, const char *what, const char *whats) {
  const size_t size = strlen(costs->text);
  if (number)
    snprintf(costs->text + size, sizeof costs->text - size, "%s%lld %s", size ? ", " : "", (long long)number,
             number == 1 ? what : whats);
}

void nereid_lower_remark_exchanged(nereid_lower_t *lower, MlirOperation op, const nereid_lower_emitted_t *before) {
  const char *name = name_of(nereid_op_kind(op));
  if (!name || !nereidMlirRemarksEnabled(lower->context))
    return;
  const nereid_lower_emitted_t *now = &lower->module->emitted;
  const int64_t bytes = nereid_scratch_bytes(op), shuffles = now->shuffles - before->shuffles,
                whole = now->warp_reductions - before->warp_reductions;
  costs_t costs = {""};
  add(&costs, now->combinations - before->combinations, "combination", "combinations");
  add(&costs, shuffles, "shuffle", "shuffles");
  add(&costs, whole, "redux", "redux");
  add(&costs, bytes, "byte of shared memory", "bytes of shared memory");
  add(&costs, now->barriers - before->barriers, "barrier", "barriers");
  const char *path = bytes ? "across warps" : shuffles || whole ? "within the warp" : "within the thread";
  nereid_lower_remark(op, bytes ? NereidMlirRemarkMissed : NereidMlirRemarkPassed, name, "%s: %s per thread", path,
                      *costs.text ? costs.text : "no instruction");
}
