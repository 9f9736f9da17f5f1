/* Registers passes written in C, with options, in MLIR's registry.
 *
 * A pass is a constant record, NereidMlirPassInfo, that must live as long as the process. Once registered, it is
 * available in every MLIR tool: `--argument=option=value`, --pass-pipeline, printing, timing, reproducers. */
#ifndef NEREID_SEAM_PASS_H
#define NEREID_SEAM_PASS_H

#include <mlir-c/Pass.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum NereidMlirPassOptionKind {
  NereidMlirPassOptionBool,
  NereidMlirPassOptionInt,
  NereidMlirPassOptionString,
} NereidMlirPassOptionKind;

typedef struct NereidMlirPassOption {
  const char *name;        /* null ends an array of options */
  const char *description; /* one line of --help */
  NereidMlirPassOptionKind kind;
  int64_t intDefault;        /* also of a bool */
  const char *stringDefault; /* default of a string option; null: the empty string */
} NereidMlirPassOption;

/* Runs the pass on `op`; `pass` answers the option queries below. May run on several threads at once when the anchor
 * is not the module: all state must be local to the call. A failure without a diagnostic is a bug. */
typedef MlirLogicalResult (*NereidMlirPassRun)(MlirOperation op, MlirPass pass, void *userData);

typedef struct NereidMlirPassInfo {
  const char *argument;                /* "tritongpu-coalesce" */
  const char *anchor;                  /* op name it runs on; null or empty: any op */
  const char *summary;                 /* one line of --help */
  const char *dialects;                /* comma-separated names that it may create, loaded before it runs */
  const NereidMlirPassOption *options; /* ends with a null name; null: none */
  NereidMlirPassRun run;
  void *userData;
} NereidMlirPassInfo;

/* Registers the pass in MLIR's registry; to be called once per record, before any thread looks up passes. */
MLIR_CAPI_EXPORTED void nereidMlirPassRegister(const NereidMlirPassInfo *info);

/* A new pass with default options, for mlirPassManagerAddOwnedPass and similar functions, which take ownership. */
MLIR_CAPI_EXPORTED MlirPass nereidMlirPassCreate(const NereidMlirPassInfo *info);

/* The value of option number `index` of a pass that was made from a NereidMlirPassInfo; a bool is 0 or 1. The string
 * belongs to the pass. */
MLIR_CAPI_EXPORTED int64_t nereidMlirPassGetIntOption(MlirPass pass, intptr_t index);
MLIR_CAPI_EXPORTED MlirStringRef nereidMlirPassGetStringOption(MlirPass pass, intptr_t index);

#ifdef __cplusplus
}
#endif

#endif
