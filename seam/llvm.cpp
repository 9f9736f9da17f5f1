// Translation and linking: unwrap, call, wrap.
#include "seam/llvm.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/PrettyStackTrace.h"

void nereidMlirRegisterLLVMTranslations(MlirDialectRegistry registry) {
  mlir::registerBuiltinDialectTranslation(*unwrap(registry));
  mlir::registerLLVMDialectTranslation(*unwrap(registry));
  mlir::registerNVVMDialectTranslation(*unwrap(registry));
}

MlirModule nereidMlirModuleCreateParse(MlirContext context, MlirStringRef source, MlirStringRef name) {
  mlir::ParserConfig config(unwrap(context));
  // The lexer requires a NUL after the text; a std::string has one, a view need not.
  std::string text = unwrap(source).str();
  return wrap(mlir::parseSourceString<mlir::ModuleOp>(text, config, unwrap(name)).release());
}

struct RemarkStreamer final : mlir::remark::detail::MLIRRemarkStreamerBase {
  NereidMlirRemarkCallback callback;
  void *userData;
  RemarkStreamer(NereidMlirRemarkCallback callback, void *userData) : callback(callback), userData(userData) {}
  void streamOptimizationRemark(const mlir::remark::detail::Remark &remark) override {
    std::string text;
    for (const auto &part : remark.getArgs())
      text += part.key == "Remark" ? part.val : " " + part.key + "=" + part.val;
    NereidMlirRemark out = {wrap(remark.getRemarkTypeString()), wrap(remark.getCombinedCategoryName()),
                            wrap(remark.getRemarkName()), wrap(llvm::StringRef(text)), wrap(remark.getLocation())};
    callback(&out, userData);
  }
};

void nereidMlirRemarksEnable(MlirContext context, NereidMlirRemarkCallback callback, void *userData) {
  mlir::remark::RemarkCategories decisions{std::nullopt, ".*", ".*", std::nullopt, ".*"};
  auto policy = std::make_unique<mlir::remark::RemarkEmittingPolicyAll>();
  (void)mlir::remark::enableOptimizationRemarks(*unwrap(context), std::make_unique<RemarkStreamer>(callback, userData),
                                                std::move(policy), decisions, false);
}

LLVMBool nereidLlvmLinkModulesOnlyNeeded(LLVMModuleRef dest, LLVMModuleRef src) {
  return llvm::Linker::linkModules(*llvm::unwrap(dest), std::unique_ptr<llvm::Module>(llvm::unwrap(src)),
                                   llvm::Linker::LinkOnlyNeeded);
}

struct nereidLlvmPassGate final : llvm::OptPassGate {
  const char *const *skipped;
  nereidLlvmPassGateSkip skip;
  void *userData;
  nereidLlvmPassGate(const char *const *skipped, nereidLlvmPassGateSkip skip, void *userData)
      : skipped(skipped), skip(skip), userData(userData) {}
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef name, llvm::StringRef) const override {
    for (const char *const *each = skipped; *each; ++each)
      if (name == *each)
        return false;
    return !skip || !skip(userData, name.str().c_str());
  }
};

nereidLlvmPassGateRef nereidLlvmPassGateCreate(const char *const *skipped, nereidLlvmPassGateSkip skip,
                                               void *user_data) {
  return new nereidLlvmPassGate(skipped, skip, user_data);
}

void nereidLlvmPassGateDispose(nereidLlvmPassGateRef gate) { delete gate; }

void nereidLlvmContextSetPassGate(LLVMContextRef context, nereidLlvmPassGateRef gate) {
  llvm::unwrap(context)->setOptPassGate(gate ? *gate : llvm::getGlobalPassGate());
}

char *nereidLlvmInlineAsmVerify(LLVMValueRef value) {
  auto *code = llvm::unwrap<llvm::InlineAsm>(value);
  llvm::Error error = llvm::InlineAsm::verify(code->getFunctionType(), code->getConstraintString());
  return error ? LLVMCreateMessage(llvm::toString(std::move(error)).c_str()) : nullptr;
}

const void *nereidLlvmSavePrettyStackState(void) { return llvm::SavePrettyStackState(); }

void nereidLlvmRestorePrettyStackState(const void *state) { llvm::RestorePrettyStackState(state); }
