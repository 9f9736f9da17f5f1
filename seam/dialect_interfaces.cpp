#include "seam/dialect_interfaces.hpp"

#include "dialects/ttg/ttg_hooks.h"
#include "mlir/CAPI/IR.h"
#include "seam/effects.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

OpAsmDialectInterface::AliasResult nereid::AliasInterface::getAlias(Attribute attr, raw_ostream &os) const {
  StringRef alias =
      llvm::StringSwitch<StringRef>(attr.getAbstractAttribute().getName())
          .Case("ttg.blocked", "blocked")
          .Cases({"ttg.linear", "ttg.generic_linear"}, nereid_ttg_encoding_mnemonic(wrap(attr)))
          .Case("ttg.nvidia_mma", "mma")
          .Cases({"ttg.swizzled_shared", "ttg.nvmma_shared", "ttg.padded_shared", "ttg.shared_linear"}, "shared")
          .Case("ttg.shared_memory", "smem")
          .Default("");
  os << alias;
  return alias.empty() ? AliasResult::NoAlias : AliasResult::FinalAlias;
}

//===-- effects -------------------------------------------------------------------------------------------------===//

namespace {

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

using EffectKind = std::pair<NereidMlirEffect, MemoryEffects::Effect *>;

ArrayRef<EffectKind> effectKinds() {
  static const EffectKind kinds[] = {{NereidMlirEffectRead, MemoryEffects::Read::get()},
                                     {NereidMlirEffectWrite, MemoryEffects::Write::get()},
                                     {NereidMlirEffectAllocate, MemoryEffects::Allocate::get()},
                                     {NereidMlirEffectFree, MemoryEffects::Free::get()}};
  return kinds;
}
MemoryEffects::Effect *unwrapEffect(NereidMlirEffect effect) {
  return llvm::find_if(effectKinds(), [&](const EffectKind &kind) { return kind.first == effect; })->second;
}
NereidMlirEffect wrapEffect(MemoryEffects::Effect *effect) {
  return llvm::find_if(effectKinds(), [&](const EffectKind &kind) { return kind.second == effect; })->first;
}

SideEffects::Resource *unwrapResource(NereidMlirResource resource) {
  if (resource == NereidMlirResourceGlobal)
    return nereid::GlobalMemory::get();
  if (resource == NereidMlirResourceShared)
    return nereid::SharedMemory::get();
  return SideEffects::DefaultResource::get();
}

NereidMlirResource wrapResource(SideEffects::Resource *resource) {
  return isa<nereid::GlobalMemory>(resource)   ? NereidMlirResourceGlobal
         : isa<nereid::SharedMemory>(resource) ? NereidMlirResourceShared
                                               : NereidMlirResourceDefault;
}

} // namespace

void nereidMlirEffectsAdd(nereid_effects_t effects, NereidMlirEffect effect, NereidMlirResource resource) {
  static_cast<Effects *>(effects.ptr)->emplace_back(unwrapEffect(effect), unwrapResource(resource));
}

void nereidMlirEffectsAddOperand(nereid_effects_t effects, NereidMlirEffect effect, MlirOperation op, intptr_t index,
                                 NereidMlirResource resource) {
  OpOperand *operand = &unwrap(op)->getOpOperand(index);
  static_cast<Effects *>(effects.ptr)->emplace_back(unwrapEffect(effect), operand, unwrapResource(resource));
}

void nereidMlirEffectsAddResult(nereid_effects_t effects, NereidMlirEffect effect, MlirOperation op, intptr_t index,
                                NereidMlirResource resource) {
  OpResult result = unwrap(op)->getOpResult(index);
  static_cast<Effects *>(effects.ptr)->emplace_back(unwrapEffect(effect), result, unwrapResource(resource));
}

bool nereidMlirOperationWalkEffects(MlirOperation op, NereidMlirEffectCallback callback, void *userData) {
  auto effects = getEffectsRecursively(unwrap(op));
  if (!effects)
    return false;
  for (auto &effect : *effects)
    callback(wrapEffect(effect.getEffect()), wrap(effect.getValue()), wrapResource(effect.getResource()), userData);
  return true;
}

bool nereidMlirOperationIsMemoryEffectFree(MlirOperation op) { return isMemoryEffectFree(unwrap(op)); }
bool nereidMlirOperationIsPure(MlirOperation op) { return isPure(unwrap(op)); }
bool nereidMlirOperationIsTriviallyDead(MlirOperation op) { return isOpTriviallyDead(unwrap(op)); }
