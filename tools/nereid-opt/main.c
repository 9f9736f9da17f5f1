/* nereid-opt: MLIR's optimiser driver with the dialects and passes of Nereid.
 *
 *   nereid-opt kernel.ttir --pass-pipeline='builtin.module(canonicalize,convert-triton-to-tritongpu{num-warps=8})'
 *
 * Everything that mlir-opt offers works here, with our passes too: printing, timing, reproducers, diagnostics checks,
 * bytecode. --help lists the passes; `nereid compile` runs them in the order that makes machine code. */
#include "passes/pass.h"
#include "seam/context.h"
#include "seam/opt_main.h"

int main(int argc, char **argv) {
  nereid_passes_register();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  int status = nereidMlirOptMain(argc, argv, mlirStringRefCreateFromCString("Nereid optimiser driver\n"), registry);
  mlirDialectRegistryDestroy(registry);
  return status;
}
