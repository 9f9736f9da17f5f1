/* Functions that LLVM-C and the MLIR C API lack: reading modules, translation to LLVM IR, linking. */
#ifndef NEREID_SEAM_LLVM_H
#define NEREID_SEAM_LLVM_H

#include <llvm-c/Core.h>
#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the translations to LLVM IR of the dialects that reach it: builtin, llvm and nvvm. The MLIR C API has
 * only one function for all dialects, which links thirty of them. */
void nereidMlirRegisterLLVMTranslations(MlirDialectRegistry registry);

/* Parses and verifies text or bytecode that is called `name` in locations. Wraps ops outside a builtin.module in
 * one. Null after a diagnostic. mlirModuleCreateParse does not take a name. */
MlirModule nereidMlirModuleCreateParse(MlirContext context, MlirStringRef source, MlirStringRef name);

/* One remark; strings live for the call. */
typedef struct NereidMlirRemark {
  MlirStringRef kind; /* "Passed", "Missed", "Failed" or "Analysis" */
  MlirStringRef category, name, message;
  MlirLocation location;
} NereidMlirRemark;

typedef void (*NereidMlirRemarkCallback)(const NereidMlirRemark *remark, void *userData);

/* Passes optimization remarks of every category, but not the counters (analysis remarks), to `callback`. */
void nereidMlirRemarksEnable(MlirContext context, NereidMlirRemarkCallback callback, void *userData);

/* Links into `dest` the definitions of `src` that `dest` declares and uses, and what those need. Destroys `src`.
 * True on an error, which reaches the context's diagnostic handler. LLVM-C can only link whole modules. */
LLVMBool nereidLlvmLinkModulesOnlyNeeded(LLVMModuleRef dest, LLVMModuleRef src);

/* Selects the passes of LLVM's code generator to omit. LLVM-C has all or none of them. */
typedef struct nereidLlvmPassGate *nereidLlvmPassGateRef;

/* Whether the next pass, if it is optional, shall be skipped. `name`: as in a pipeline, such as "gvn". */
typedef bool (*nereidLlvmPassGateSkip)(void *user_data, const char *name);

/* Leaves out the passes of these names, as `llc -debug-pass=Arguments` prints them; a null ends the list, which must
 * outlive the gate. Calls `skip`, unless it is null, before each other pass. */
nereidLlvmPassGateRef nereidLlvmPassGateCreate(const char *const *skipped, nereidLlvmPassGateSkip skip,
                                               void *user_data);
void nereidLlvmPassGateDispose(nereidLlvmPassGateRef gate);

/* Asks `gate`, which must outlive its use, before each pass on a module of `context`; null: all passes run again. */
void nereidLlvmContextSetPassGate(LLVMContextRef context, nereidLlvmPassGateRef gate);

/* The error if an inline asm value's constraints do not match its type (free with LLVMDisposeMessage); null if valid.
 * LLVM's code generator crashes on a mismatch, which its module verifier does not detect. */
char *nereidLlvmInlineAsmVerify(LLVMValueRef inline_asm);

/* The state of LLVM's per-thread crash-report stack (PrettyStackTrace): saved before and restored after a recovery,
 * because it points to unwound frames. */
const void *nereidLlvmSavePrettyStackState(void);
void nereidLlvmRestorePrettyStackState(const void *state);

#ifdef __cplusplus
}
#endif
#endif
