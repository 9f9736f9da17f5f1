#include "seam/pass.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/PassRegistry.h"
#include "seam/context.h"

using namespace mlir;

namespace {

class CPass final : public Pass {
public:
  CPass(const NereidMlirPassInfo &info, TypeID id)
      : Pass(id, info.anchor && *info.anchor ? std::optional<StringRef>(info.anchor) : std::nullopt), info(info) {
    for (const NereidMlirPassOption *option = info.options; option && option->name; ++option) {
      llvm::cl::desc help(option->description);
      ints.push_back(nullptr), bools.push_back(nullptr), strings.push_back(nullptr);
      if (option->kind == NereidMlirPassOptionInt)
        ints.back() = std::make_unique<Option<int64_t>>(*this, option->name, help, llvm::cl::init(option->intDefault));
      else if (option->kind == NereidMlirPassOptionBool)
        bools.back() =
            std::make_unique<Option<bool>>(*this, option->name, help, llvm::cl::init(option->intDefault != 0));
      else
        strings.back() = std::make_unique<Option<std::string>>(
            *this, option->name, help, llvm::cl::init(std::string(option->stringDefault ? option->stringDefault : "")));
    }
  }

  StringRef getName() const override { return info.argument; }
  StringRef getArgument() const override { return info.argument; }
  StringRef getDescription() const override { return info.summary; }
  void getDependentDialects(DialectRegistry &registry) const override {
    SmallVector<StringRef> names;
    StringRef(info.dialects).split(names, ',', -1, false);
    for (StringRef name : names)
      nereidMlirDialectRegistryInsert(wrap(&registry), wrap(name.trim()));
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return !getOpName() || name.getStringRef() == *getOpName();
  }
  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<CPass>(info, getTypeID()); }
  void runOnOperation() override {
    if (mlirLogicalResultIsFailure(info.run(wrap(getOperation()), wrap(static_cast<Pass *>(this)), info.userData)))
      signalPassFailure();
  }

  const NereidMlirPassInfo &info;
  std::vector<std::unique_ptr<Option<int64_t>>> ints;
  std::vector<std::unique_ptr<Option<bool>>> bools;
  std::vector<std::unique_ptr<Option<std::string>>> strings;
};

TypeID newTypeID() {
  static TypeIDAllocator allocator;
  return allocator.allocate();
}

} // namespace

void nereidMlirPassRegister(const NereidMlirPassInfo *info) {
  registerPass([info, id = newTypeID()] { return std::make_unique<CPass>(*info, id); });
}

MlirPass nereidMlirPassCreate(const NereidMlirPassInfo *info) {
  return wrap(static_cast<Pass *>(new CPass(*info, newTypeID())));
}

int64_t nereidMlirPassGetIntOption(MlirPass pass, intptr_t index) {
  auto *self = static_cast<CPass *>(unwrap(pass));
  return self->ints[index] ? self->ints[index]->getValue() : self->bools[index]->getValue();
}

MlirStringRef nereidMlirPassGetStringOption(MlirPass pass, intptr_t index) {
  return wrap(StringRef(static_cast<CPass *>(unwrap(pass))->strings[index]->getValue()));
}
