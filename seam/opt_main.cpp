#include "seam/opt_main.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

int nereidMlirOptMain(int argc, char **argv, MlirStringRef name, MlirDialectRegistry registry) {
  return failed(MlirOptMain(argc, argv, unwrap(name), *unwrap(registry)));
}

int nereidMlirLspServerMain(int argc, char **argv, MlirDialectRegistry registry) {
  return failed(MlirLspServerMain(argc, argv, *unwrap(registry)));
}

void nereidMlirRegisterArithPasses(void) {
  arith::registerArithIntRangeOpts();
  arith::registerArithIntRangeNarrowing();
  arith::registerArithUnsignedWhenEquivalentPass();
}
