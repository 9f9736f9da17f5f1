/* tt.map_elementwise: a region of scalar code for every `pack` registers.
 *
 *   %y = "tt.map_elementwise"(%x) <{pack = 2}> ({ ^bb0(%a, %b): … return %c, %d })    y0, y1 = region(x0, x1)
 *
 * Control flow in the region becomes blocks of the function, once per run of the region. */
#include "conversion/ttg_to_llvm/region.h"

#include "nereid/dialects/tt.h"

/* The results of one run go to registers [r, r + pack). */
static bool map_registers(nereid_lower_t *lower, MlirOperation op, intptr_t r, intptr_t pack, MlirValue *arguments,
                          MlirValue *made, nereid_lowered_t *results) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    for (intptr_t p = 0; p < pack; ++p)
      arguments[i * pack + p] = nereid_lower_operand(lower, op, i).values[r + p];
  if (!nereid_region_emit(lower, mlirOperationGetRegion(op, 0), arguments, made))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (intptr_t p = 0; p < pack; ++p)
      results[i].values[r + p] = made[i * pack + p];
  return true;
}

/* The number of elements, consecutive in row-major order, that consecutive registers hold. */
static int32_t row_major_run(nereid_lower_t *lower, MlirType tensor) {
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  if (!layout)
    return 0;
  nereid_layout_t flat = *layout;
  nereid_layout_reshape(&flat, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(layout)});
  return nereid_layout_contiguity(&flat, 0);
}

static bool lower_map(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const intptr_t pack = nereid_tt_map_elementwise_get_pack(op), n_results = mlirOperationGetNumResults(op);
  const intptr_t registers = nereid_lower_operand(lower, op, 0).count;
  const int32_t run = row_major_run(lower, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  if (run < pack)
    return nereid_lower_error(op, "takes %td consecutive elements at a time, its threads hold %d: expected as many",
                              (ptrdiff_t)pack, (int)run);
  const size_t n_arguments = (size_t)(mlirOperationGetNumOperands(op) * pack);
  MlirValue *arguments = nereid_arena_new(lower->arena, MlirValue, n_arguments);
  MlirValue *made = nereid_arena_new(lower->arena, MlirValue, (size_t)(n_results * pack));
  nereid_lowered_t *results = nereid_arena_new(lower->arena, nereid_lowered_t, (size_t)n_results);
  if (!arguments || !made || !results)
    return false;
  for (intptr_t i = 0; i < n_results; ++i)
    results[i] = nereid_lower_array(lower, registers);
  for (intptr_t r = 0; r < registers; r += pack)
    if (lower->arena->failed || !map_registers(lower, op, r, pack, arguments, made, results))
      return false;
  for (intptr_t i = 0; i < n_results; ++i)
    nereid_lower_set(lower, mlirOperationGetResult(op, i), results[i]);
  return true;
}

const nereid_lower_row_t nereid_lower_map_rows[] = {
    {NEREID_OP_TT_MAP_ELEMENTWISE, lower_map, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
