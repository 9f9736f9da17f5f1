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
#if __has_include("seam/tt.hpp") && __has_include("seam/ttg.hpp") && __has_include("seam/ttng.hpp") &&                 \
                                                                                   __has_include("seam/nereid.hpp")
#include "seam/nereid.hpp"
#include "seam/tt.hpp"
#include "seam/ttg.hpp"
#include "seam/ttng.hpp"
#define NEREID_HAS_DIALECTS
#endif

#include <cstdarg>

using namespace mlir;

namespace {

struct Entry {
  StringRef name;
  void (*insert)(DialectRegistry &registry);
};

template <typename... Dialects> void insert(DialectRegistry &registry) { registry.insert<Dialects...>(); }

const Entry entries[] = {
    {"arith", insert<arith::ArithDialect>},
    {"cf", insert<cf::ControlFlowDialect>},
    {"func", insert<func::FuncDialect>},
    {"gpu", insert<gpu::GPUDialect>},
    {"llvm", insert<LLVM::LLVMDialect>},
    {"math", insert<math::MathDialect>},
    {"nvvm", insert<NVVM::NVVMDialect>},
    {"scf", insert<scf::SCFDialect>},
    {"ub", insert<ub::UBDialect>},
#ifdef NEREID_HAS_DIALECTS
    {"nereid", insert<nereid::nereid_::NereidDialect>},
    {"tt", insert<nereid::tt::TTDialect>},
    {"ttg", insert<nereid::ttg::TTGDialect>},
    {"ttng", insert<nereid::ttng::TTNGDialect>},
#endif
};

std::string format(const char *pattern, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  std::string text(std::max(vsnprintf(nullptr, 0, pattern, again), 0), '\0');
  va_end(again);
  vsnprintf(text.data(), text.size() + 1, pattern, arguments);
  return text;
}

remark::detail::InFlightRemark start(NereidMlirRemarkKind kind, Location location, StringRef category, StringRef name) {
  auto options = remark::RemarkOpts::name(name).category(category);
  switch (kind) {
  case NereidMlirRemarkPassed:
    return remark::passed(location, options);
  case NereidMlirRemarkMissed:
    return remark::missed(location, options);
  case NereidMlirRemarkFailed:
    return remark::failed(location, options);
  default:
    return remark::analysis(location, options);
  }
}

} // namespace

void nereidMlirRegisterDialects(MlirDialectRegistry registry) {
  for (const Entry &entry : entries)
    entry.insert(*unwrap(registry));
  func::registerInlinerExtension(*unwrap(registry));
  LLVM::registerInlinerInterface(*unwrap(registry));
  NVVM::registerInlinerInterface(*unwrap(registry));
  nereid::ttg::registerRefusedDialects(*unwrap(registry));
}

bool nereidMlirDialectRegistryInsert(MlirDialectRegistry registry, MlirStringRef name) {
  for (const Entry &entry : entries)
    if (entry.name == unwrap(name))
      return entry.insert(*unwrap(registry)), true;
  return false;
}

#define NEREID_EMIT(Name, emit)                                                                                        \
  void Name(MlirLocation location, const char *pattern, ...) {                                                         \
    va_list arguments;                                                                                                 \
    va_start(arguments, pattern);                                                                                      \
    emit(unwrap(location)) << format(pattern, arguments);                                                              \
    va_end(arguments);                                                                                                 \
  }
NEREID_EMIT(nereidMlirEmitWarning, emitWarning)
NEREID_EMIT(nereidMlirEmitRemark, emitRemark)

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
