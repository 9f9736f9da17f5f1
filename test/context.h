/* A context with every dialect loaded, for tests that parse IR themselves. */
#ifndef NEREID_TEST_CONTEXT_H
#define NEREID_TEST_CONTEXT_H

#include "seam/context.h"

static inline MlirContext make_context(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  return context;
}

#endif
