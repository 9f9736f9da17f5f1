/* The main functions of MLIR's tools, for tools written in C. */
#ifndef NEREID_SEAM_OPT_MAIN_H
#define NEREID_SEAM_OPT_MAIN_H

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Examines the text of the input, called `name`, before it is parsed. Returns how many bytes of it to skip, or a
 * negative number after a message, when it is not to be parsed. */
typedef intptr_t (*NereidMlirInputCheck)(MlirStringRef text, MlirStringRef name);

/* Does all that mlir-opt does, with the registered passes and the dialects of `registry`; `name` is for --help.
 * Returns the exit status. */
MLIR_CAPI_EXPORTED int nereidMlirOptMain(int argc, char **argv, MlirStringRef name, MlirDialectRegistry registry,
                                         NereidMlirInputCheck check);

/* Serves the language server protocol on stdin and stdout until an exit notification. Returns the exit status. */
MLIR_CAPI_EXPORTED int nereidMlirLspServerMain(int argc, char **argv, MlirDialectRegistry registry);

/* Registers arith's range-based simplifications: int-range-optimizations, arith-int-range-narrowing and
 * arith-unsigned-when-equivalent. Once per process. */
MLIR_CAPI_EXPORTED void nereidMlirRegisterArithPasses(void);

#ifdef __cplusplus
}
#endif

#endif
