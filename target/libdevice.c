/* Links functions of CUDA's libdevice, the math functions without a single instruction.
 *
 *   call float @__nv_tanhf(float %x)     the file is read only if there is such a call; its bitcode is loaded
 *                                        lazily, and only tanhf and its callees are linked, as internal functions
 *
 * Reading all 470 KB of it eagerly would cost more than compiling most kernels. */
#include "target/prepare.h"

#include "seam/llvm.h"
#include "target/assembler/assemble.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <unistd.h>

bool nereid_target_is_libdevice_name(nereid_view_t name) {
  return nereid_view_starts_with(name, nereid_view("__nv_"));
}

static const char *readable(const char *path) {
  return path && access(path, R_OK) == 0 ? path : NULL;
}

static const char *below(const char *folder, nereid_arena_t *scratch) {
  if (!folder || !*folder)
    return NULL;
  return readable(nereid_arena_format(scratch, "%s/nvvm/libdevice/libdevice.10.bc", folder));
}

/* A toolkit has it at ../nvvm from the assembler, a Python wheel of the assembler at ../lib. */
static const char *beside_assembler(nereid_arena_t *scratch) {
  const char *assembler = nereid_assembler_find_ptxas(NULL, scratch);
  const char *slash = assembler ? strrchr(assembler, '/') : NULL;
  if (!slash)
    return NULL;
  const char *folder = nereid_arena_format(scratch, "%.*s/..", (int)(slash - assembler), assembler);
  const char *found = below(folder, scratch);
  return found || !folder ? found : readable(nereid_arena_format(scratch, "%s/lib/libdevice.10.bc", folder));
}

const char *nereid_target_find_libdevice(const char *asked, nereid_arena_t *scratch) {
  if (asked)
    return readable(asked);
  const char *found = below(getenv("CUDA_HOME"), scratch);
  if (!found)
    found = below(getenv("CUDA_PATH"), scratch);
  if (!found)
    found = below("/usr/local/cuda", scratch);
  return found ? found : beside_assembler(scratch);
}

/* The first function of libdevice that is called and not defined, or null. */
static LLVMValueRef first_needed(LLVMModuleRef module) {
  for (LLVMValueRef it = LLVMGetFirstFunction(module); it; it = LLVMGetNextFunction(it)) {
    nereid_view_t name;
    name.data = LLVMGetValueName2(it, &name.size);
    if (LLVMIsDeclaration(it) && LLVMGetFirstUse(it) && nereid_target_is_libdevice_name(name))
      return it;
  }
  return NULL;
}

static nereid_status_t read_library(nereid_backend_t *backend, const char *path, LLVMModuleRef *out_library) {
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    nereid_report(backend->report, NEREID_ERROR_IO, "cannot read libdevice '%s': %s", path, message);
    LLVMDisposeMessage(message);
    return NEREID_ERROR_IO;
  }
  if (LLVMGetBitcodeModuleInContext2(backend->context, buffer, out_library)) {
    LLVMDisposeMemoryBuffer(buffer);
    return nereid_report(backend->report, NEREID_ERROR_IO, "libdevice '%s' is not LLVM bitcode", path);
  }
  return NEREID_OK;
}

/* Linked functions become internal, so that they are removed when unused. */
static void internalize(LLVMModuleRef module) {
  for (LLVMValueRef it = LLVMGetFirstFunction(module); it; it = LLVMGetNextFunction(it)) {
    nereid_view_t name;
    name.data = LLVMGetValueName2(it, &name.size);
    if (!LLVMIsDeclaration(it) && nereid_target_is_libdevice_name(name))
      LLVMSetLinkage(it, LLVMInternalLinkage);
  }
}

/* Reports `what` at a use of `declared`. */
static void refuse(nereid_backend_t *backend, LLVMModuleRef module, LLVMValueRef declared, const char *name,
                   const char *what, const nereid_backend_input_t *input) {
  LLVMValueRef user = LLVMGetUser(LLVMGetFirstUse(declared));
  if (LLVMIsAInstruction(user))
    nereid_target_complain(backend, module, input, user, nereid_arena_format(input->scratch, "@%s(", name), what);
  else if (!input->again)
    nereid_report_at(backend->report, NEREID_REPORT_ERROR, input->name, 0, 0, "%s", what ? what : "out of memory");
}

/* Whether the library defines `declared`, with its type: a call with another type is undefined behavior. */
static bool check_function(nereid_backend_t *backend, LLVMModuleRef module, LLVMModuleRef library,
                           LLVMValueRef declared, const nereid_backend_input_t *input) {
  size_t size;
  const char *name = LLVMGetValueName2(declared, &size);
  LLVMValueRef defined = LLVMGetNamedFunction(library, name);
  if (!defined || LLVMIsDeclaration(defined)) {
    refuse(backend, module, declared, name, nereid_arena_format(input->scratch, "libdevice has no function '%s'", name),
           input);
    return false;
  }
  LLVMTypeRef expected = LLVMGlobalGetValueType(declared), actual = LLVMGlobalGetValueType(defined);
  if (expected == actual)
    return true;
  char *expected_text = LLVMPrintTypeToString(expected), *actual_text = LLVMPrintTypeToString(actual);
  const char *what = nereid_arena_format(input->scratch, "'%s' is called as %s, but libdevice defines it as %s", name,
                                         expected_text, actual_text);
  refuse(backend, module, declared, name, what, input);
  LLVMDisposeMessage(expected_text);
  LLVMDisposeMessage(actual_text);
  return false;
}

static bool check_functions(nereid_backend_t *backend, LLVMModuleRef module, LLVMModuleRef library,
                            const nereid_backend_input_t *input) {
  bool fit = true;
  for (LLVMValueRef it = LLVMGetFirstFunction(module); it; it = LLVMGetNextFunction(it)) {
    nereid_view_t name;
    name.data = LLVMGetValueName2(it, &name.size);
    if (LLVMIsDeclaration(it) && LLVMGetFirstUse(it) && nereid_target_is_libdevice_name(name))
      fit &= check_function(backend, module, library, it, input);
  }
  return fit;
}

nereid_status_t nereid_target_link_libdevice(nereid_backend_t *backend, LLVMModuleRef module,
                                             const nereid_backend_input_t *input) {
  LLVMValueRef needed = first_needed(module), missing;
  LLVMModuleRef library = NULL;
  size_t size;
  if (!needed)
    return NEREID_OK;
  const char *path = nereid_target_find_libdevice(input->libdevice, input->scratch);
  if (!path)
    return nereid_report(backend->report, NEREID_ERROR_NOT_FOUND,
                         "'%s' needs CUDA's libdevice, and %s%s%s; install the CUDA toolkit, set CUDA_HOME, or name "
                         "libdevice.10.bc",
                         LLVMGetValueName2(needed, &size), input->libdevice ? "'" : "none was found",
                         input->libdevice ? input->libdevice : "", input->libdevice ? "' cannot be read" : "");
  nereid_status_t status = read_library(backend, path, &library);
  if (status != NEREID_OK)
    return status;
  if (!check_functions(backend, module, library, input)) {
    LLVMDisposeModule(library);
    return NEREID_ERROR_PROGRAM;
  }
  LLVMSetTarget(library, LLVMGetTarget(module));
  LLVMSetModuleDataLayout(library, backend->layout);
  if (nereidLlvmLinkModulesOnlyNeeded(module, library))
    return nereid_report(backend->report, NEREID_ERROR_TOOL, "linking libdevice '%s' failed", path);
  internalize(module);
  missing = first_needed(module);
  if (missing)
    return nereid_report(backend->report, NEREID_ERROR_NOT_FOUND, "libdevice '%s' has no function '%s'", path,
                         LLVMGetValueName2(missing, &size));
  return NEREID_OK;
}
