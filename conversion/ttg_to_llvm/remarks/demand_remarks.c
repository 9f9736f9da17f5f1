/* Remark on the largest demand for registers in a function; see remarks.h.
 *
 *   %x = tt.load …                 remark at tt.dot: about 200 of 255 registers per thread:
 *   %d = tt.dot %a, %b, %c         128 for tensor<128x128xf32, …> at k.py:12:9, 64 for tensor<…> at k.py:7:13, …
 *   use %x
 *
 * It lists the tensors that are live before the op, the largest first. */
#include "conversion/ttg_to_llvm/function/register_demand.h"
#include "conversion/ttg_to_llvm/remarks/remarks.h"

#include "dialects/diagnose.h"
#include "passes/debug_info/debug_scope.h"

#include <string.h>

enum { MAX_LISTED = 8 };

/* " at FILE:LINE:COLUMN" of what defines `value`; empty when it is unknown. */
static const char *place_of(nereid_arena_t *arena, MlirValue value) {
  const char *place = nereid_debug_place_text(arena, mlirValueGetLocation(value));
  const char *text = place ? nereid_arena_format(arena, " at %s", place) : NULL;
  return text ? text : "";
}

/* Removes the largest tensor from the live ones, of which there must be one. */
static nereid_live_tensor_t take_largest(nereid_register_demand_t *demand) {
  size_t largest = 0;
  for (size_t i = 1; i < demand->live.size; ++i)
    if (demand->live.data[i].registers > demand->live.data[largest].registers)
      largest = i;
  const nereid_live_tensor_t taken = demand->live.data[largest];
  --demand->live.size;
  memmove(demand->live.data + largest, demand->live.data + largest + 1,
          (demand->live.size - largest) * sizeof *demand->live.data);
  return taken;
}

/* The type without its encoding. */
static nereid_text_t text_of(MlirType type) {
  nereid_text_t text = nereid_text_of_type(type);
  char *encoding = strchr(text.chars, ',');
  if (encoding) { /* the comma and more follow */
    encoding[0] = '>';
    encoding[1] = 0;
  }
  return text;
}

static const char *list_of(nereid_arena_t *arena, nereid_register_demand_t *demand) {
  const char *text = "";
  int64_t rest = demand->registers;
  for (int i = 0; text && demand->live.size && i < MAX_LISTED; ++i) {
    const nereid_live_tensor_t tensor = take_largest(demand);
    rest -= tensor.registers;
    text = nereid_arena_format(arena, "%s%s %lld for %s%s", text, i ? "," : "", (long long)tensor.registers,
                               text_of(mlirValueGetType(tensor.value)).chars, place_of(arena, tensor.value));
  }
  return text && rest ? nereid_arena_format(arena, "%s, %lld for others", text, (long long)rest) : text;
}

void nereid_lower_remark_demand(nereid_lower_t *lower, const nereid_blocks_t *blocks) {
  if (!nereidMlirRemarksEnabled(lower->context))
    return;
  nereid_register_demand_t demand = nereid_register_demand_find(lower, blocks);
  if (!demand.registers)
    return;
  const int64_t budget = nereid_lower_register_budget(lower), most = demand.registers;
  const char *list = list_of(lower->arena, &demand);
  nereid_lower_remark(demand.where, most > budget ? NereidMlirRemarkMissed : NereidMlirRemarkPassed, "register-demand",
                      "largest here: tensors need about %lld of %lld registers per thread:%s", (long long)most,
                      (long long)budget, list ? list : "");
}
