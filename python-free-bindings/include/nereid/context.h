/* A context in which mlir-c can build, read and print modules of Nereid's dialects.
 *
 *   MlirContext context = nereid_context_create();
 *   MlirModule module = mlirModuleCreateParse(context, text);
 *   mlirContextDestroy(context); */
#ifndef NEREID_CONTEXT_H
#define NEREID_CONTEXT_H

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a context with the dialects tt, ttg, ttng, nereid, arith, math, scf, cf, gpu, ub, func, llvm and nvvm loaded.
 * It starts no threads. Transfers ownership to the caller. Different threads may use different contexts. */
MlirContext nereid_context_create(void);

/* Adds the same dialects to the caller's registry. */
void nereid_context_register_dialects(MlirDialectRegistry registry);

#ifdef __cplusplus
}
#endif

#endif
