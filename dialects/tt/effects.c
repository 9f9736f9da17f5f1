/* Memory effects and speculatability that depend on attributes. Other operations declare theirs in the .td files.
 *
 *   tt.load %p                      reads            cse merges two of them, dce drops an unused one
 *   tt.load %p {isVolatile = true}  reads, writes    neither */
#include "seam/effects.h"
#include "bindings/tt_hooks.h"
#include "nereid/dialects/tt.h"

void nereid_tt_load_effects(MlirOperation op, nereid_effects_t effects) {
  nereidMlirEffectsAddOperand(effects, NereidMlirEffectRead, op, 0, NereidMlirResourceGlobal);
  if (nereid_tt_load_get_is_volatile(op))
    nereidMlirEffectsAdd(effects, NereidMlirEffectWrite, NereidMlirResourceDefault);
}

/* External code may have any effect, unless it is declared pure. */
static void add_foreign_effects(bool pure, nereid_effects_t effects) {
  if (pure)
    return;
  nereidMlirEffectsAdd(effects, NereidMlirEffectRead, NereidMlirResourceDefault);
  nereidMlirEffectsAdd(effects, NereidMlirEffectWrite, NereidMlirResourceDefault);
}

void nereid_tt_extern_elementwise_effects(MlirOperation op, nereid_effects_t effects) {
  add_foreign_effects(nereid_tt_extern_elementwise_get_pure(op), effects);
}

void nereid_tt_elementwise_inline_asm_effects(MlirOperation op, nereid_effects_t effects) {
  add_foreign_effects(nereid_tt_elementwise_inline_asm_get_pure(op), effects);
}

bool nereid_tt_extern_elementwise_speculatable(MlirOperation op) {
  return nereid_tt_extern_elementwise_get_pure(op);
}

bool nereid_tt_elementwise_inline_asm_speculatable(MlirOperation op) {
  return nereid_tt_elementwise_inline_asm_get_pure(op);
}
