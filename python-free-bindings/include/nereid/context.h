/* A context in which modules of Nereid's dialects can be built, read and printed with mlir-c.
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

/* A new context that knows tt, ttg, ttng and nereid, and arith, math, scf, cf, gpu, ub, func, llvm and nvvm, all
 * loaded; it starts no threads. The caller owns it. Different contexts may be used by different threads. */
MlirContext nereid_context_create(void);

/* Adds the same dialects to a registry of the caller's. */
void nereid_context_register_dialects(MlirDialectRegistry registry);

#ifdef __cplusplus
}
#endif

#endif
