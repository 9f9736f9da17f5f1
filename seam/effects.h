/* Memory effects: functions for C hooks to list those of their operation, and queries for those of any operation.
 *
 *   void nereid_tt_load_effects(MlirOperation op, nereid_effects_t effects) {
 *     nereidMlirEffectsAddOperand(effects, NereidMlirEffectRead, op, 0, NereidMlirResourceGlobal);
 *   } */
#ifndef NEREID_SEAM_EFFECTS_H
#define NEREID_SEAM_EFFECTS_H

#include "seam/hooks.h"

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum NereidMlirEffect {
  NereidMlirEffectRead = 1,
  NereidMlirEffectWrite = 2,
  NereidMlirEffectAllocate = 4,
  NereidMlirEffectFree = 8,
} NereidMlirEffect;

/* Default overlaps all memory. */
typedef enum NereidMlirResource {
  NereidMlirResourceDefault,
  NereidMlirResourceGlobal, /* device memory */
  NereidMlirResourceShared, /* shared memory of the CTA */
} NereidMlirResource;

/* Adds an effect on no value in particular; on operand or result number `index` of `op`. */
MLIR_CAPI_EXPORTED void nereidMlirEffectsAdd(nereid_effects_t effects, NereidMlirEffect effect,
                                             NereidMlirResource resource);
MLIR_CAPI_EXPORTED void nereidMlirEffectsAddOperand(nereid_effects_t effects, NereidMlirEffect effect, MlirOperation op,
                                                    intptr_t index, NereidMlirResource resource);
MLIR_CAPI_EXPORTED void nereidMlirEffectsAddResult(nereid_effects_t effects, NereidMlirEffect effect, MlirOperation op,
                                                   intptr_t index, NereidMlirResource resource);

/* `value` is null for an effect on no value in particular. */
typedef void (*NereidMlirEffectCallback)(NereidMlirEffect effect, MlirValue value, NereidMlirResource resource,
                                         void *userData);

/* Calls back for each effect of `op`, with those of nested operations when its effects are recursive; false, and no
 * call, when they are unknown. */
MLIR_CAPI_EXPORTED bool nereidMlirOperationWalkEffects(MlirOperation op, NereidMlirEffectCallback callback,
                                                       void *userData);

/* MLIR's isMemoryEffectFree, isPure (that, and speculatable), isOpTriviallyDead. */
MLIR_CAPI_EXPORTED bool nereidMlirOperationIsMemoryEffectFree(MlirOperation op);
MLIR_CAPI_EXPORTED bool nereidMlirOperationIsPure(MlirOperation op);
MLIR_CAPI_EXPORTED bool nereidMlirOperationIsTriviallyDead(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif
