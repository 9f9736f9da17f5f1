// What our dialects share: resources for memory effects, and the dialect-level interfaces, to be added in a dialect's
// initialize(): `addInterfaces<nereid::InlinerInterface, nereid::AliasInterface>()`.
#ifndef NEREID_SEAM_DIALECT_INTERFACES_HPP
#define NEREID_SEAM_DIALECT_INTERFACES_HPP

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

namespace nereid {

// Resources, named in .td as Resource<"::nereid::GlobalMemory"> and Resource<"::nereid::SharedMemory">.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "GlobalMemory"; }
};
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};

// Every operation may be inlined, everywhere. Calls and returns are the tt dialect's: seam/tt.cpp has a subclass.
struct InlinerInterface : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  using DialectInlinerInterface::isLegalToInline;
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
};

// #blocked, #linear, #mma, #shared, #smem: the names that Triton 3.6 prints for encodings.
struct AliasInterface : mlir::OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(mlir::Attribute attr, llvm::raw_ostream &os) const final;
};

} // namespace nereid

#endif
