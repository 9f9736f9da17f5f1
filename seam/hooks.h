/* Types of the C functions that a dialect registers with MLIR: verifiers, folds, type inference, effects.
 *
 *   tt_ops_x.td   def TT_SplatOp { let hasFolder = 1; }
 *   generated     OpFoldResult SplatOp::fold(FoldAdaptor) { ... nereid_tt_splat_fold(...) ... } bindings/tt_thunks.inc
 *   by hand       nereid_fold_t nereid_tt_splat_fold(MlirOperation op, ...) { ... }                dialects/tt/fold.c
 *
 * ods-bindgen writes the prototypes of the hooks of a dialect into bindings/<dialect>_hooks.h, which includes this. */
#ifndef NEREID_SEAM_HOOKS_H
#define NEREID_SEAM_HOOKS_H

#include <mlir-c/IR.h>
#include <mlir-c/Interfaces.h>
#include <mlir-c/Rewrite.h>
#include <mlir-c/Support.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a fold. */
typedef enum nereid_fold {
  NEREID_FOLD_NONE = 0,     /* no change; the results are ignored */
  NEREID_FOLD_REPLACED = 1, /* every result has its replacement in `results` */
  NEREID_FOLD_IN_PLACE = 2, /* the operation was changed and stays */
} nereid_fold_t;

/* The replacement of one result: a constant or an existing value. Exactly one of the two is not null. */
typedef struct nereid_fold_result {
  MlirAttribute attribute;
  MlirValue value;
} nereid_fold_result_t;

/* Where an operation's effects hook puts its memory effects: seam/effects.h has the functions. Lives as long as the
 * call of the hook. */
typedef struct nereid_effects {
  void *ptr;
} nereid_effects_t;

/* The sink for errors of a type or attribute verifier (nereidMlirErrorEmit). Valid during the call of the hook. Null
 * when the caller discards errors. */
typedef struct nereid_error_sink {
  void *ptr;
} nereid_error_sink_t;

/* Reports one error on the type or attribute that is being verified, at the location for which it is made. */
void nereidMlirErrorEmit(nereid_error_sink_t sink, MlirStringRef message);

/* Tables of the symbols that verify_symbols hooks look up: built once for all operations that are verified together.
 * Lives as long as the call of the hook. */
typedef struct nereid_symbols {
  void *ptr;
} nereid_symbols_t;

/* The operation that a SymbolRefAttr names as seen from `from`; null when there is none. */
MlirOperation nereidMlirSymbolsLookup(nereid_symbols_t symbols, MlirOperation from, MlirAttribute symbol);

#ifdef __cplusplus
}
#endif

#endif
