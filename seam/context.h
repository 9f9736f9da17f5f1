/* The dialects of the compiler, and additions to mlir-c's diagnostics: notes and optimization remarks. */
#ifndef NEREID_SEAM_CONTEXT_H
#define NEREID_SEAM_CONTEXT_H

#include "base/status.h"

#include <mlir-c/Diagnostics.h>
#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Adds every dialect that may appear in a module, and the inliner extensions of func and llvm. */
MLIR_CAPI_EXPORTED void nereidMlirRegisterDialects(MlirDialectRegistry registry);

/* Adds one of them by its name; false when there is none of that name. */
MLIR_CAPI_EXPORTED bool nereidMlirDialectRegistryInsert(MlirDialectRegistry registry, MlirStringRef name);

typedef struct NereidMlirNote {
  MlirLocation location;
  const char *message;
} NereidMlirNote;

/* Reports `message` with notes at separate locations. */
MLIR_CAPI_EXPORTED void nereidMlirEmitWithNotes(MlirDiagnosticSeverity severity, MlirLocation location,
                                                const char *message, intptr_t nNotes, const NereidMlirNote *notes);

/* Kinds of optimization remarks of MLIR's remark engine (--remarks-filter, --remark-format=yaml). */
typedef enum NereidMlirRemarkKind {
  NereidMlirRemarkPassed,
  NereidMlirRemarkMissed,
  NereidMlirRemarkFailed,
  NereidMlirRemarkAnalysis,
} NereidMlirRemarkKind;

/* Whether a remark handler is set. If not, the two functions below do nothing, and the caller can skip formatting. */
MLIR_CAPI_EXPORTED bool nereidMlirRemarksEnabled(MlirContext context);

/* Explains a decision: `category` is the pass's argument, `name` the decision's, both kept only for the call. */
MLIR_CAPI_EXPORTED void nereidMlirOptimizationRemark(NereidMlirRemarkKind kind, MlirLocation location,
                                                     const char *category, const char *name, const char *message);

/* A counter as an analysis remark with a machine-readable metric `name`. */
MLIR_CAPI_EXPORTED void nereidMlirOptimizationMetric(MlirLocation location, const char *category, const char *name,
                                                     int64_t value);

#ifdef __cplusplus
}
#endif

#endif
