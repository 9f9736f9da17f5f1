/* Prepares a module for LLVM's optimizer and a target.
 *
 *   target triple = ""                                    target triple = "nvptx64-nvidia-cuda"
 *   call float @__nv_expf(float %x)                   →   call float @__nv_expf(float %x)   ; now defined, internal
 *   define ptx_kernel void @"my.kernel"()                 define ptx_kernel void @"my$2Ekernel"()
 *
 * IR for another target is rejected here with a clear error; later LLVM would end the process or emit wrong
 * addresses. */
#include "target/prepare.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

static const char triple[] = "nvptx64-nvidia-cuda";

/* The entries of the data layout that kernels depend on: LLVM's default text gains entries between versions. Pointers
 * to shared, constant and local memory may be declared with 32 or 64 bits; they become 32 in both cases. */
static bool layout_fits(LLVMTargetDataRef have, LLVMTargetDataRef want, LLVMContextRef context) {
  static const unsigned spaces[] = {0, 1};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (LLVMPointerSizeForAS(have, spaces[i]) != LLVMPointerSizeForAS(want, spaces[i]))
      return false;
  LLVMTypeRef type = LLVMInt64TypeInContext(context);
  return LLVMABIAlignmentOfType(have, type) == LLVMABIAlignmentOfType(want, type) &&
         LLVMByteOrder(have) == LLVMByteOrder(want);
}

static nereid_status_t set_layout(nereid_backend_t *backend, LLVMModuleRef module,
                                  const nereid_backend_input_t *input) {
  const char *text = LLVMGetDataLayoutStr(module);
  bool fits = true;
  if (text && *text) {
    LLVMTargetDataRef have = LLVMCreateTargetData(text);
    fits = layout_fits(have, backend->layout, backend->context);
    LLVMDisposeTargetData(have);
  }
  if (!fits) {
    if (!input->again)
      nereid_report_at(backend->report, NEREID_REPORT_ERROR, input->name, 0, 0,
                       "the module's data layout '%s' is not that of %s; omit it or use NVPTX's", text, triple);
    return NEREID_ERROR_PROGRAM;
  }
  LLVMSetModuleDataLayout(module, backend->layout);
  return NEREID_OK;
}

static nereid_status_t set_triple(nereid_backend_t *backend, LLVMModuleRef module,
                                  const nereid_backend_input_t *input) {
  nereid_view_t have = nereid_view(LLVMGetTarget(module));
  if (have.size && !nereid_view_starts_with(have, nereid_view("nvptx64"))) {
    if (!input->again)
      nereid_report_at(backend->report, NEREID_REPORT_ERROR, input->name, 0, 0,
                       "the module is for '%s'; expected the triple %s or none", have.data, triple);
    return NEREID_ERROR_PROGRAM;
  }
  LLVMSetTarget(module, triple);
  return NEREID_OK;
}

/* libdevice reads this flag through __nvvm_reflect: with it, its functions flush subnormal f32 to zero, as
 * docs/numerics.md specifies. A different setting of the module is kept. */
static void set_flush_to_zero(LLVMModuleRef module) {
  static const char key[] = "nvvm-reflect-ftz";
  if (LLVMGetModuleFlag(module, key, sizeof key - 1))
    return;
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
  LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorOverride, key, sizeof key - 1,
                    LLVMValueAsMetadata(LLVMConstInt(i32, 1, false)));
}

/* --- instructions that threads execute together --- */

static bool is_aligned_assembly(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction) || !LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
    return false;
  size_t size;
  const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(instruction), &size);
  static const char aligned[] = ".aligned";
  return memmem(text, size, aligned, sizeof aligned - 1) != NULL;
}

/* Inline assembly with .aligned instructions (wgmma, mma.sync, …) must not move into a branch that not all threads
 * take, or be duplicated on two. MLIR's llvm.inline_asm has no such attribute. */
static void make_aligned_convergent(LLVMModuleRef module) {
  static const char name[] = "convergent";
  const unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
  LLVMAttributeRef convergent = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (is_aligned_assembly(i))
          LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, convergent);
}

nereid_status_t nereid_backend_prepare(nereid_backend_t *backend, LLVMModuleRef module, const nereid_target_t *target,
                                       const nereid_backend_input_t *input) {
  nereid_status_t status = nereid_backend_machine(backend, target);
  if (status == NEREID_OK)
    status = set_triple(backend, module, input);
  if (status == NEREID_OK)
    status = set_layout(backend, module, input);
  if (status == NEREID_OK)
    status = nereid_target_check(backend, module, target, input);
  if (status != NEREID_OK)
    return status;
  set_flush_to_zero(module);
  make_aligned_convergent(module);
  status = nereid_target_link_libdevice(backend, module, input);
  return status == NEREID_OK ? nereid_target_map_names(module, input->scratch) : status;
}
