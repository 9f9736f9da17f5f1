/* coexist LIBNEREID [LIBRARY...]: loads the libraries globally, then libnereid; parses, verifies and prints with it. */
#define _GNU_SOURCE
#include <mlir-c/Diagnostics.h>
#include <mlir-c/IR.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *library;

static void *symbol(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "no %s\n", name);
    exit(1);
  }
  return found;
}

static void print(MlirStringRef text, void *data) {
  (void)data;
  fwrite(text.data, 1, text.length, stdout);
}

static MlirLogicalResult refuse(MlirDiagnostic diagnostic, void *data) {
  void (*print_diagnostic)(MlirDiagnostic, MlirStringCallback, void *) = symbol("mlirDiagnosticPrint");
  (void)data;
  printf("refused: ");
  print_diagnostic(diagnostic, print, NULL);
  printf("\n");
  return (MlirLogicalResult){1};
}

static MlirStringRef view(const char *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return (MlirStringRef){text, length};
}

static const char kernel[] =
    "#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
    "module attributes {\"ttg.num-warps\" = 4 : i32, \"ttg.num-ctas\" = 1 : i32, \"ttg.threads-per-warp\" = 32 : i32} "
    "{\n"
    "  tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {\n"
    "    %0 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #blocked>\n"
    "    %1 = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>\n"
    "    %2 = tt.addptr %1, %0 : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>\n"
    "    %3 = tt.load %2 : tensor<128x!tt.ptr<f32>, #blocked>\n"
    "    tt.store %2, %3 : tensor<128x!tt.ptr<f32>, #blocked>\n"
    "    tt.return\n"
    "  }\n"
    "}\n";

int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++)
    if (!dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL)) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  MlirContext (*context_create)(void) = symbol("nereid_context_create");
  MlirModule (*parse)(MlirContext, MlirStringRef) = symbol("mlirModuleCreateParse");
  MlirOperation (*operation)(MlirModule) = symbol("mlirModuleGetOperation");
  bool (*verify)(MlirOperation) = symbol("mlirOperationVerify");
  void (*print_op)(MlirOperation, MlirStringCallback, void *) = symbol("mlirOperationPrint");
  void (*destroy_module)(MlirModule) = symbol("mlirModuleDestroy");
  void (*destroy_context)(MlirContext) = symbol("mlirContextDestroy");
  MlirDiagnosticHandlerID (*attach)(MlirContext, MlirDiagnosticHandler, void *, void (*)(void *)) =
      symbol("mlirContextAttachDiagnosticHandler");
  for (int round = 0; round < 2; round++) {
    MlirContext context = context_create();
    MlirModule module = parse(context, view(kernel));
    if (!module.ptr || !verify(operation(module)))
      return 1;
    if (round)
      print_op(operation(module), print, NULL);
    destroy_module(module);
    attach(context, refuse, NULL, NULL);
    if (round && parse(context, view("tt.func @f(")).ptr)
      return 1;
    destroy_context(context);
  }
  return 0;
}
