/* Contexts with our dialects: what users need beside mlir-c to build and read IR.
 *
 * All dialects are loaded at once (1 to 3 ms): builders make operations of any of them, and loading is not thread
 * safe later. */
#include "nereid/context.h"

#include "seam/context.h"

MlirContext nereid_context_create(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  return context;
}

void nereid_context_register_dialects(MlirDialectRegistry registry) {
  nereidMlirRegisterDialects(registry);
}
