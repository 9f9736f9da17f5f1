/* The contexts of the conversion; see context.h. */
#include "conversion/ttg_to_llvm/context.h"

#include "dialects/diagnose.h"

#include <stdarg.h>

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
