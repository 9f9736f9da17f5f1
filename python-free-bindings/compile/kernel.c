/* Finds the kernel of a module at every stage.
 *
 *   ttir, ttgir   a public tt.func with a body      llvm   an llvm.func with nvvm.kernel
 *   ll            calling convention ptx_kernel     ptx    an .entry
 *
 * A compilation produces one kernel, because metadata describes one. When a name is given, the other kernels of the
 * module are removed early (PTX is unchanged). */
#include "dialects/ir.h"
#include "session.h"

#include "seam/context.h"

#include <llvm-c/Core.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Pass.h>
#include <mlir-c/Transforms.h>

enum { PTX_KERNEL = 71 }; /* llvm::CallingConv::PTX_Kernel */

typedef NEREID_VECTOR(MlirOperation) operations_t;

static nereid_view_t string_attribute(MlirOperation op, const char *name) {
  MlirAttribute attribute = nereid_ir_attribute(op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return nereid_view_of(NULL, 0);
  MlirStringRef text = mlirStringAttrGetValue(attribute);
  return nereid_view_of(text.data, text.length);
}

static bool is_kernel(MlirOperation op) {
  MlirStringRef text = mlirIdentifierStr(mlirOperationGetName(op));
  nereid_view_t name = nereid_view_of(text.data, text.length),
                visibility = string_attribute(op, NEREID_ATTR_SYMBOL_VISIBILITY);
  if (nereid_view_equal(name, nereid_view("llvm.func")))
    return nereid_ir_has_attribute(op, "nvvm.kernel");
  return nereid_view_equal(name, nereid_view("tt.func")) &&
         (!visibility.size || nereid_view_equal(visibility, nereid_view("public"))) &&
         !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

static MlirOperation first_operation(const nereid_compilation_t *compilation) {
  return mlirBlockGetFirstOperation(mlirModuleGetBody(mlirModuleFromOperation(compilation->module)));
}

static bool collect(nereid_compilation_t *compilation, operations_t *out) {
  for (MlirOperation op = first_operation(compilation); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_kernel(op) && !nereid_vector_push(&compilation->scratch, out, op))
      return false;
  return true;
}

/* --- MLIR --- */

static bool has_nested_module(MlirOperation module) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!mlirModuleIsNull(mlirModuleFromOperation(op)))
      return true;
  return false;
}

static nereid_status_t complain(nereid_compilation_t *compilation, const operations_t *kernels) {
  nereid_arena_t *scratch = &compilation->scratch;
  const char *asked = compilation->options.kernel;
  NereidMlirNote *notes = nereid_arena_new(scratch, NereidMlirNote, kernels->size);
  for (size_t i = 0; notes && i < kernels->size; i++) {
    nereid_view_t name = string_attribute(kernels->data[i], NEREID_ATTR_SYMBOL_NAME);
    const char *text = nereid_arena_format(scratch, "kernel '%.*s'", (int)name.size, name.data);
    notes[i] = (NereidMlirNote){mlirOperationGetLocation(kernels->data[i]), text ? text : "a kernel"};
  }
  const char *text =
      !kernels->size && has_nested_module(compilation->module)
          ? "the kernels are in nested modules: expected one module; compile each of several top-level modules from "
            "its own file"
      : !kernels->size ? "the module has no kernel: expected a public tt.func, or an llvm.func with nvvm.kernel"
      : asked ? nereid_arena_format(scratch, "the module has no kernel '%s'", asked)
              : nereid_arena_format(scratch, "the module has %zu kernels; choose one with --kernel", kernels->size);
  nereidMlirEmitWithNotes(MlirDiagnosticError, mlirOperationGetLocation(compilation->module),
                          text ? text : "out of memory", notes ? (intptr_t)kernels->size : 0, notes);
  return kernels->size && asked ? NEREID_ERROR_NOT_FOUND : NEREID_ERROR_PROGRAM;
}

/* Makes other kernels private and removes them unless the chosen one calls them. */
static nereid_status_t drop_others(nereid_compilation_t *compilation, const operations_t *kernels,
                                   MlirOperation chosen) {
  MlirContext context = mlirOperationGetContext(compilation->module);
  MlirAttribute hidden = mlirStringAttrGet(context, mlirStringRefCreateFromCString("private"));
  if (kernels->size < 2)
    return NEREID_OK;
  for (size_t i = 0; i < kernels->size; i++)
    if (!mlirOperationEqual(kernels->data[i], chosen))
      nereid_ir_set_attribute(kernels->data[i], NEREID_ATTR_SYMBOL_VISIBILITY, hidden);
  MlirPassManager manager = mlirPassManagerCreate(context);
  mlirPassManagerAddOwnedPass(manager, mlirCreateTransformsSymbolDCE());
  MlirLogicalResult done = mlirPassManagerRunOnOp(manager, compilation->module);
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(done) ? NEREID_OK : NEREID_ERROR_PROGRAM;
}

static nereid_status_t keep_name(nereid_compilation_t *compilation, nereid_view_t name) {
  if (!name.size || memchr(name.data, 0, name.size)) {
    nereid_report_at(&compilation->compiler->report, NEREID_REPORT_ERROR, compilation->name, 0, 0,
                     "the kernel's name is %s and cannot be launched",
                     name.size ? "not a C string: it contains a NUL" : "empty");
    return NEREID_ERROR_PROGRAM;
  }
  compilation->result->kernel = nereid_arena_copy(&compilation->result->arena, name);
  return compilation->result->kernel ? NEREID_OK : NEREID_ERROR_MEMORY;
}

static nereid_status_t select_mlir(nereid_compilation_t *compilation) {
  operations_t kernels = {0};
  MlirOperation chosen = {NULL};
  if (!collect(compilation, &kernels))
    return NEREID_ERROR_MEMORY;
  for (size_t i = 0; i < kernels.size; i++)
    if (compilation->options.kernel ? nereid_view_equal(string_attribute(kernels.data[i], NEREID_ATTR_SYMBOL_NAME),
                                                        nereid_view(compilation->options.kernel))
                                    : kernels.size == 1)
      chosen = kernels.data[i];
  if (mlirOperationIsNull(chosen))
    return complain(compilation, &kernels);
  nereid_session_locate(&compilation->scratch, mlirOperationGetLocation(chosen), &compilation->place);
  nereid_status_t status = keep_name(compilation, string_attribute(chosen, NEREID_ATTR_SYMBOL_NAME));
  return status == NEREID_OK ? drop_others(compilation, &kernels, chosen) : status;
}

MlirOperation nereid_kernel_function(const nereid_compilation_t *compilation) {
  /* lowering may have renamed it; no other kernel is left */
  MlirOperation last = {NULL};
  for (MlirOperation op = first_operation(compilation); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_kernel(op)) {
      last = op;
      if (nereid_view_equal(string_attribute(op, NEREID_ATTR_SYMBOL_NAME), nereid_view(compilation->result->kernel)))
        return op;
    }
  return last;
}

/* --- LLVM IR and PTX: names and lines --- */

typedef struct candidate {
  nereid_view_t name;
  unsigned line; /* 0: unknown */
} candidate_t;

typedef NEREID_VECTOR(candidate_t) candidates_t;

static nereid_status_t choose(nereid_compilation_t *compilation, const candidates_t *kernels, const char *missing) {
  const nereid_report_t *report = &compilation->compiler->report;
  const char *asked = compilation->options.kernel;
  for (size_t i = 0; i < kernels->size; i++)
    if (asked ? nereid_view_equal(kernels->data[i].name, nereid_view(asked)) : kernels->size == 1) {
      compilation->place = (nereid_diagnostic_t){.file = compilation->name, .line = kernels->data[i].line};
      return keep_name(compilation, kernels->data[i].name);
    }
  if (!kernels->size)
    nereid_report_at(report, NEREID_REPORT_ERROR, compilation->name, 0, 0, "the input has no kernel: expected %s",
                     missing);
  else if (asked)
    nereid_report_at(report, NEREID_REPORT_ERROR, compilation->name, 0, 0, "the input has no kernel '%s'", asked);
  else
    nereid_report_at(report, NEREID_REPORT_ERROR, compilation->name, 0, 0,
                     "the input has %zu kernels; choose one with --kernel", kernels->size);
  for (size_t i = 0; i < kernels->size; i++)
    nereid_report_at(report, NEREID_REPORT_NOTE, compilation->name, kernels->data[i].line, 0, "kernel '%.*s'",
                     (int)kernels->data[i].name.size, kernels->data[i].name.data);
  return kernels->size && asked ? NEREID_ERROR_NOT_FOUND : NEREID_ERROR_PROGRAM;
}

static bool is_llvm_kernel(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && LLVMGetFunctionCallConv(function) == PTX_KERNEL;
}

static nereid_status_t select_llvm(nereid_compilation_t *compilation) {
  candidates_t kernels = {0};
  LLVMModuleRef module = compilation->llvm;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    candidate_t kernel = {0};
    kernel.name.data = LLVMGetValueName2(f, &kernel.name.size);
    if (is_llvm_kernel(f) && !nereid_vector_push(&compilation->scratch, &kernels, kernel))
      return NEREID_ERROR_MEMORY;
  }
  nereid_status_t status = choose(compilation, &kernels, "a function of calling convention ptx_kernel");
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == NEREID_OK; f = LLVMGetNextFunction(f)) {
    nereid_view_t name;
    name.data = LLVMGetValueName2(f, &name.size);
    if (is_llvm_kernel(f) && !nereid_view_equal(name, nereid_view(compilation->result->kernel)))
      LLVMSetLinkage(f, LLVMInternalLinkage); /* no calls: LLVM drops it */
  }
  return status;
}

static nereid_status_t select_ptx(nereid_compilation_t *compilation) {
  candidates_t kernels = {0};
  nereid_ptx_facts_t facts;
  if (!nereid_ptx_read(compilation->ptx, &compilation->scratch, &facts))
    return NEREID_ERROR_MEMORY;
  for (size_t i = 0; i < facts.n_entries; i++)
    if (!nereid_vector_push(&compilation->scratch, &kernels,
                            (candidate_t){facts.entries[i].name, facts.entries[i].line}))
      return NEREID_ERROR_MEMORY;
  return choose(compilation, &kernels, "an .entry");
}

nereid_status_t nereid_kernel_select(nereid_compilation_t *compilation) {
  switch (compilation->stage) {
  case NEREID_STAGE_LL:
    return select_llvm(compilation);
  case NEREID_STAGE_PTX:
    return select_ptx(compilation);
  default:
    return select_mlir(compilation);
  }
}
