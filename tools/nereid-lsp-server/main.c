/* nereid-lsp-server: the language server of MLIR for files in our dialects (.ttir, .ttgir, .mlir).
 *
 * An editor starts it and talks the language server protocol over stdin and stdout: diagnostics while typing, go to
 * definition, hover. It knows what nereid-opt knows. */
#include "seam/context.h"
#include "seam/opt_main.h"

int main(int argc, char **argv) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  int status = nereidMlirLspServerMain(argc, argv, registry);
  mlirDialectRegistryDestroy(registry);
  return status;
}
