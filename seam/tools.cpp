#include "seam/tools.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
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

void nereidMlirContextPrintOpOnDiagnostic(MlirContext context, bool enable) {
  unwrap(context)->printOpOnDiagnostic(enable);
}

void nereidMlirRegisterArithPasses(void) {
  arith::registerArithIntRangeOpts();
  arith::registerArithIntRangeNarrowing();
  arith::registerArithUnsignedWhenEquivalentPass();
}

namespace {

struct Reporter {
  const char *begin;
  NereidMlirSourceCallback callback;
  void *userData;

  NereidMlirSourceRange rangeOf(SMRange range) const {
    if (!range.isValid())
      return {0, 0};
    return {range.Start.getPointer() - begin, range.End.getPointer() - begin};
  }
  void report(NereidMlirSource source, SMRange range, ArrayRef<SMRange> uses) const {
    SmallVector<NereidMlirSourceRange> ranges;
    for (SMRange use : uses)
      ranges.push_back(rangeOf(use));
    source.range = rangeOf(range), source.uses = ranges.data(), source.nUses = ranges.size();
    callback(&source, userData);
  }
};

} // namespace

bool nereidMlirBlockParse(MlirContext context, MlirStringRef text, MlirStringRef name, MlirBlock block,
                          NereidMlirSourceCallback callback, void *userData) {
  llvm::SourceMgr sources;
  AsmParserState state;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(unwrap(text), unwrap(name)), SMLoc());
  if (failed(parseAsmSourceFile(sources, unwrap(block), ParserConfig(unwrap(context), false), &state)))
    return unwrap(block)->clear(), false;
  Reporter reporter{text.data, callback, userData};
  for (const auto &each : state.getOpDefs()) {
    NereidMlirSource source{NereidMlirSourceOperation};
    source.op = wrap(each.op), source.scope = reporter.rangeOf(each.scopeLoc);
    reporter.report(source, each.loc, each.symbolUses);
    source.kind = NereidMlirSourceResults;
    for (const auto &group : each.resultGroups) {
      source.index = group.startIndex;
      reporter.report(source, group.definition.loc, group.definition.uses);
    }
  }
  for (const auto &each : state.getBlockDefs()) {
    NereidMlirSource source{NereidMlirSourceBlock};
    source.block = wrap(each.block);
    reporter.report(source, each.definition.loc, each.definition.uses);
    source.kind = NereidMlirSourceArgument;
    for (const auto &argument : each.arguments)
      reporter.report(source, argument.loc, argument.uses), source.index++;
  }
  for (const auto &each : state.getAttributeAliasDefs()) {
    NereidMlirSource source{NereidMlirSourceAttribute};
    source.name = wrap(each.name), source.attribute = wrap(each.value);
    reporter.report(source, each.definition.loc, each.definition.uses);
  }
  for (const auto &each : state.getTypeAliasDefs()) {
    NereidMlirSource source{NereidMlirSourceType};
    source.name = wrap(each.name), source.type = wrap(each.value);
    reporter.report(source, each.definition.loc, each.definition.uses);
  }
  return true;
}
