/* The grid of a kernel: nereid.grid, from the option of the compilation or as the author wrote it.
 *
 *   x = ceildiv(n, 1024)   ->   nereid.grid = #nereid.grid<affine_map<()[s0] -> (s0 ceildiv 1024)>, args = [3]>
 *
 * The names of arguments are known when the input is read, so the option becomes an attribute there; passes keep it,
 * and change its positions when they change the signature. */
#include "dialects/ir.h"
#include "session.h"

#include "nereid/dialects/nereid.h"

#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Diagnostics.h>

bool nereid_grid_is_derived(const nereid_compilation_t *compilation) {
  return compilation->options.grid && strcmp(compilation->options.grid, "auto") == 0;
}

nereid_status_t nereid_grid_check(nereid_compilation_t *compilation) {
  MlirOperation function = nereid_kernel_function(compilation);
  if (!nereid_grid_is_derived(compilation) || nereid_ir_has_attribute(function, "nereid.grid"))
    return NEREID_OK;
  mlirEmitError(mlirOperationGetLocation(function),
                "the grid does not follow from the IR (the remark 'grid' has the reason): pass it, such as "
                "--grid 'x = ceildiv(n, 1024)'");
  return NEREID_ERROR_PROGRAM;
}

/* Returns the attribute of the metadata's grid; null when out of memory. MLIR parses every map of this form. */
static MlirAttribute attribute_of(nereid_compilation_t *compilation) {
  nereid_arena_t *arena = &compilation->scratch;
  const nereid_metadata_t *metadata = &compilation->metadata;
  const char *args = "";
  for (size_t i = 0; args && i < metadata->n_grid_arguments; i++)
    args = nereid_arena_format(arena, "%s%s%d", args, i ? ", " : "", (int)metadata->grid_arguments[i]);
  const char *text = nereid_arena_format(arena, "#nereid.grid<affine_map<%s>, args = [%s], per_sm = %d>",
                                         metadata->grid_map, args ? args : "", (int)metadata->grid_per_sm);
  MlirContext context = mlirOperationGetContext(compilation->module);
  return text ? mlirAttributeParseGet(context, mlirStringRefCreateFromCString(text)) : (MlirAttribute){NULL};
}

nereid_status_t nereid_grid_set(nereid_compilation_t *compilation) {
  const nereid_report_t *report = &compilation->compiler->report;
  const char *grid = compilation->options.grid;
  nereid_message_t message;
  if (nereid_grid_is_derived(compilation) && compilation->stage > NEREID_STAGE_TTIR)
    return nereid_report(report, NEREID_ERROR_ARGUMENT, "grid: 'auto' requires ttir; '%s' is %s", compilation->name,
                         nereid_stage_name(compilation->stage));
  if (!grid || nereid_grid_is_derived(compilation))
    return NEREID_OK;
  if (compilation->stage > NEREID_STAGE_LLVM)
    return nereid_report(report, NEREID_ERROR_ARGUMENT,
                         "grid: '%s' is %s; the grid is set on ttir, ttgir and llvm, and after that in the metadata",
                         compilation->name, nereid_stage_name(compilation->stage));
  nereid_status_t status = NEREID_OK;
  if (compilation->stage <= NEREID_STAGE_TTGIR)
    status = nereid_metadata_collect(compilation);
  if (status == NEREID_OK &&
      (status = nereid_metadata_set_grid(&compilation->scratch, nereid_view(grid), &compilation->metadata, &message)))
    return nereid_report(report, status, "%s", message.text);
  if (status != NEREID_OK)
    return status;
  MlirAttribute attribute = attribute_of(compilation);
  if (mlirAttributeIsNull(attribute))
    return compilation->scratch.failed ? NEREID_ERROR_MEMORY : NEREID_ERROR_INTERNAL;
  mlirOperationSetDiscardableAttributeByName(nereid_kernel_function(compilation),
                                             mlirStringRefCreateFromCString("nereid.grid"), attribute);
  return compilation->stage == NEREID_STAGE_LLVM ? nereid_metadata_leave(compilation) : NEREID_OK;
}
