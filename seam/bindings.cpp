// C++ for the generated C bindings, in addition to the dialect classes: enum attributes of upstream dialects
// (#gpu.dimension, #arith.fastmath, #llvm.linkage ...), which ods-bindgen generates, properties, and the error sink.
#include "seam/bindings.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"

#include "bindings/upstream_thunks.inc"

MlirAttribute nereidMlirOperationGetProperty(MlirOperation op, MlirStringRef name) {
  auto all = llvm::dyn_cast_if_present<mlir::DictionaryAttr>(unwrap(op)->getPropertiesAsAttribute());
  return wrap(all ? all.get(unwrap(name)) : mlir::Attribute());
}

MlirLogicalResult nereidMlirOperationSetProperty(MlirOperation op, MlirStringRef name, MlirAttribute attr) {
  mlir::Operation *self = unwrap(op);
  mlir::NamedAttrList all(llvm::dyn_cast_if_present<mlir::DictionaryAttr>(self->getPropertiesAsAttribute()));
  all.set(unwrap(name), unwrap(attr));
  return wrap(
      self->setPropertiesFromAttribute(all.getDictionary(self->getContext()), [&] { return self->emitError(); }));
}

void nereidMlirErrorEmit(nereid_error_sink_t sink, MlirStringRef message) {
  if (sink.ptr)
    (*static_cast<llvm::function_ref<mlir::InFlightDiagnostic()> *>(sink.ptr))() << unwrap(message);
}

MlirOperation nereidMlirSymbolsLookup(nereid_symbols_t symbols, MlirOperation from, MlirAttribute symbol) {
  auto &tables = *static_cast<mlir::SymbolTableCollection *>(symbols.ptr);
  return wrap(tables.lookupNearestSymbolFrom(unwrap(from), llvm::cast<mlir::SymbolRefAttr>(unwrap(symbol))));
}
