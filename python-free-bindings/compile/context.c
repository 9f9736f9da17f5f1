/* Contexts with Nereid's dialects, for users that build and read IR with mlir-c.
 *
 * All dialects are loaded at once (1 to 3 ms): builders create operations of all of them, and later loading is not
 * thread safe. */
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
