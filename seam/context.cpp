#include "seam/context.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Remarks.h"
#include "seam/nereid.hpp"
#include "seam/tt.hpp"
#include "seam/ttg.hpp"
#include "seam/ttng.hpp"

using namespace mlir;

namespace {

struct Entry {
  StringRef name;
  void (*insert)(DialectRegistry &registry);
};

template <typename... Dialects> ArrayRef<Entry> entriesOf() {
  static const Entry entries[] = {
      {Dialects::getDialectNamespace(), [](DialectRegistry &registry) { registry.insert<Dialects>(); }}...};
  return entries;
}

ArrayRef<Entry> entries() {
  return entriesOf<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                   math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect, ub::UBDialect, nereid::nereid_::NereidDialect,
                   nereid::tt::TTDialect, nereid::ttg::TTGDialect, nereid::ttng::TTNGDialect>();
}

remark::detail::InFlightRemark start(NereidMlirRemarkKind kind, Location location, StringRef category, StringRef name) {
  static constexpr auto starts = std::array{remark::passed, remark::missed, remark::failed, remark::analysis};
  return starts[kind](location, remark::RemarkOpts::name(name).category(category));
}

} // namespace

void nereidMlirRegisterDialects(MlirDialectRegistry registry) {
  for (const Entry &entry : entries())
    entry.insert(*unwrap(registry));
  func::registerInlinerExtension(*unwrap(registry));
  LLVM::registerInlinerInterface(*unwrap(registry));
  NVVM::registerInlinerInterface(*unwrap(registry));
  nereid::ttg::registerRefusedDialects(*unwrap(registry));
}

bool nereidMlirDialectRegistryInsert(MlirDialectRegistry registry, MlirStringRef name) {
  for (const Entry &entry : entries())
    if (entry.name == unwrap(name))
      return entry.insert(*unwrap(registry)), true;
  return false;
}

void nereidMlirEmitWithNotes(MlirDiagnosticSeverity severity, MlirLocation location, const char *message,
                             intptr_t nNotes, const NereidMlirNote *notes) {
  InFlightDiagnostic diagnostic = severity == MlirDiagnosticError     ? emitError(unwrap(location))
                                  : severity == MlirDiagnosticWarning ? emitWarning(unwrap(location))
                                                                      : emitRemark(unwrap(location));
  diagnostic << message;
  for (intptr_t i = 0; i < nNotes; ++i)
    diagnostic.attachNote(unwrap(notes[i].location)) << notes[i].message;
}

bool nereidMlirRemarksEnabled(MlirContext context) { return unwrap(context)->getRemarkEngine() != nullptr; }

void nereidMlirOptimizationRemark(NereidMlirRemarkKind kind, MlirLocation location, const char *category,
                                  const char *name, const char *message) {
  if (unwrap(location).getContext()->getRemarkEngine())
    start(kind, unwrap(location), category, name) << StringRef(message);
}

void nereidMlirOptimizationMetric(MlirLocation location, const char *category, const char *name, int64_t value) {
  if (unwrap(location).getContext()->getRemarkEngine())
    start(NereidMlirRemarkAnalysis, unwrap(location), category, name) << remark::metric(name, value);
}
