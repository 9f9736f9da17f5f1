/* Remarks on tensors that exceed the registers of a thread; see remarks.h.
 *
 *   tt.load … : tensor<256x256x!tt.ptr<f32>>, 4 warps   ->   remark: 512 registers per thread, and a thread has 255
 *
 * The assembler spills the others to local memory. A value counts with its 32-bit registers as lowered: registers that
 * share an LLVM value (splats, broadcasts) once, i1 values not at all. Provably contiguous indices and addresses do not
 * count either: they are a base plus constants. */
#include "conversion/ttg_to_llvm/remarks/remarks.h"

#include "dialects/diagnose.h"
#include "dialects/ttg/module.h"

#include <stdarg.h>
#include <stdio.h>

void nereid_lower_remark(MlirOperation op, NereidMlirRemarkKind kind, const char *name, const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  nereidMlirOptimizationRemark(kind, mlirOperationGetLocation(op), "convert-triton-gpu-to-llvm", name, text);
}

/* The maximum number of registers per thread: the 64K registers of an SM are allocated in units of eight (CUDA C++
 * Programming Guide, "Compute Capabilities"); ttg.maxnreg also applies. */
int64_t nereid_lower_register_budget(const nereid_lower_t *lower) {
  enum { MOST = 255, FILE_SIZE = 65536, UNIT = 8 };
  const int64_t share =
      FILE_SIZE / ((int64_t)lower->group->grid.num_warps * lower->group->grid.threads_per_warp) / UNIT * UNIT;
  const int64_t asked = nereid_ttg_maxnreg(lower->module->op), budget = share < MOST ? share : MOST;
  return asked && asked < budget ? asked : budget;
}

static int64_t distinct_values(nereid_lower_t *lower, nereid_lowered_t lowered) {
  nereid_map_t seen;
  nereid_map_initialize(&seen, lower->arena);
  for (intptr_t r = 0; r < lowered.count; ++r)
    (void)nereid_map_insert(&seen, lowered.values[r].ptr);
  return (int64_t)seen.size;
}

static bool runs(nereid_lower_t *lower, MlirValue value) {
  const nereid_axis_info_t *info = nereid_axis_info_get(&lower->module->axis, value);
  for (int d = 0; info && d < info->rank; ++d)
    if (nereid_axis_info_contiguity(info, d) > 1 || nereid_axis_info_constancy(info, d) > 1)
      return true;
  return false;
}

int64_t nereid_lower_registers_of(nereid_lower_t *lower, MlirValue value) {
  MlirType type = mlirValueGetType(value), element = nereid_lower_element_type(type);
  if (!mlirTypeIsARankedTensor(type) || (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1) ||
      runs(lower, value))
    return 0;
  return (distinct_values(lower, nereid_lower_get(lower, value)) * nereid_lower_memory_bits(element) + 31) / 32;
}

void nereid_lower_remark_registers(nereid_lower_t *lower, MlirOperation op) {
  if (!nereidMlirRemarksEnabled(lower->context))
    return;
  const int64_t budget = nereid_lower_register_budget(lower);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    MlirType type = mlirValueGetType(result);
    const int64_t registers = nereid_lower_registers_of(lower, result);
    if (registers <= budget || nereid_map_find(&lower->function->over_budget, type.ptr))
      continue;
    (void)nereid_map_insert(&lower->function->over_budget, type.ptr);
    nereid_lower_remark(
        op, NereidMlirRemarkMissed, "register-budget",
        "%s takes at least %lld registers of each thread, which can have %lld: the rest is spilled; more warps "
        "or a smaller block would fit",
        nereid_text_of_type(type).chars, (long long)registers, (long long)budget);
  }
}
