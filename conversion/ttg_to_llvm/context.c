/* The contexts of the conversion; see context.h. */
#include "conversion/ttg_to_llvm/context.h"

#include "base/target_facts.h"
#include "dialects/diagnose.h"

#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdarg.h>

static void make_types(nereid_lower_module_t *module) {
  MlirContext context = module->context;
  module->types = (nereid_lower_types_t){
      .i1 = mlirIntegerTypeGet(context, 1),
      .i8 = mlirIntegerTypeGet(context, 8),
      .i16 = mlirIntegerTypeGet(context, 16),
      .i32 = mlirIntegerTypeGet(context, 32),
      .i64 = mlirIntegerTypeGet(context, 64),
      .f16 = mlirF16TypeGet(context),
      .bf16 = mlirBF16TypeGet(context),
      .f32 = mlirF32TypeGet(context),
      .f64 = mlirF64TypeGet(context),
      .ptr = mlirLLVMPointerTypeGet(context, NEREID_SPACE_GENERIC),
      .ptr_global = mlirLLVMPointerTypeGet(context, NEREID_SPACE_GLOBAL),
      .ptr_shared = mlirLLVMPointerTypeGet(context, NEREID_SPACE_SHARED),
      .none = mlirLLVMVoidTypeGet(context),
  };
}

void nereid_lower_module_initialize(nereid_lower_module_t *module, MlirOperation op, nereid_arena_t *arena) {
  *module = (nereid_lower_module_t){.context = mlirOperationGetContext(op),
                                    .op = op,
                                    .block = mlirModuleGetBody(mlirModuleFromOperation(op)),
                                    .arena = arena};
  make_types(module);
  nereid_map_initialize(&module->layouts, arena);
  nereid_map_initialize(&module->declared, arena);
  nereid_map_initialize(&module->strings, arena);
}

nereid_lower_warp_group_t nereid_lower_warp_group_at(nereid_arena_t *arena, MlirBlock prologue,
                                                     nereid_thread_grid_t grid) {
  nereid_lower_warp_group_t group = {.grid = grid, .prologue = prologue};
  nereid_map_initialize(&group.constants, arena);
  nereid_map_initialize(&group.coordinates, arena);
  return group;
}

nereid_lower_t nereid_lower_in_prologue(const nereid_lower_t *lower) {
  nereid_lower_t prologue = *lower;
  prologue.builder.block = lower->group->prologue;
  prologue.builder.before = mlirBlockGetTerminator(lower->group->prologue);
  prologue.builder.location = mlirOperationGetLocation(lower->function->op);
  return prologue;
}

nereid_lower_t nereid_lower_at_end(const nereid_lower_t *lower, MlirBlock block) {
  nereid_lower_t end = *lower;
  end.builder = nereid_builder_at_end(lower->builder.location, block);
  return end;
}

bool nereid_lower_error(MlirOperation op, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  MlirLogicalResult failure = nereid_diagnose_v(op, format, arguments);
  va_end(arguments);
  return mlirLogicalResultIsSuccess(failure);
}
