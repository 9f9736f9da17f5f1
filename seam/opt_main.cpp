#include "seam/opt_main.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

int nereidMlirOptMain(int argc, char **argv, MlirStringRef name, MlirDialectRegistry registry,
                      NereidMlirInputCheck check) {
  auto [input, output] = registerAndParseCLIOptions(argc, argv, unwrap(name), *unwrap(registry));
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return failed(MlirOptMain(argc, argv, input, output, *unwrap(registry)));
  std::string message;
  auto file = openInputFile(input, &message);
  auto out = file ? openOutputFile(output, &message) : nullptr;
  if (!out)
    return llvm::errs() << message << "\n", 1;
  StringRef text = file->getBuffer(), label = file->getBufferIdentifier();
  intptr_t skipped = check(wrap(text), wrap(label));
  if (skipped < 0)
    return 1;
  if (skipped > 0)
    file = llvm::MemoryBuffer::getMemBufferCopy(text.drop_front(skipped), label);
  if (failed(MlirOptMain(out->os(), std::move(file), *unwrap(registry), config)))
    return 1;
  out->keep();
  return 0;
}

int nereidMlirLspServerMain(int argc, char **argv, MlirDialectRegistry registry) {
  return failed(MlirLspServerMain(argc, argv, *unwrap(registry)));
}

void nereidMlirRegisterArithPasses(void) {
  arith::registerArithIntRangeOpts();
  arith::registerArithIntRangeNarrowing();
  arith::registerArithUnsignedWhenEquivalentPass();
}
