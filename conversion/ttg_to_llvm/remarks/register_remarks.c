/* Remarks on tensors that exceed the registers of a thread; see remarks.h.
 *
 *   tt.load … : tensor<256x256x!tt.ptr<f32>>, 4 warps   ->   remark: 512 registers per thread, and a thread has 255
 *
 * The assembler spills the others to local memory. register_demand.h defines how a value counts. */
#include "conversion/ttg_to_llvm/function/register_demand.h"
#include "conversion/ttg_to_llvm/remarks/remarks.h"

#include "base/target_facts.h"
#include "dialects/diagnose.h"
#include "dialects/tt/tensor.h"
#include "dialects/ttg/module.h"
#include "layout/encoding.h"

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

/* The maximum number of registers per thread with `warps` warps; ttg.maxnreg also applies. */
static int64_t budget_of(const nereid_lower_t *lower, int64_t warps) {
  const int64_t budget = nereid_target_thread_registers(warps * lower->group->grid.threads_per_warp);
  const int64_t asked = nereid_ttg_maxnreg(lower->module->op);
  return asked && asked < budget ? asked : budget;
}

int64_t nereid_lower_register_budget(const nereid_lower_t *lower) {
  return budget_of(lower, lower->group->grid.num_warps);
}

/* Registers of a thread for all elements of a type with the layout of its encoding; INT64_MAX: none. */
static int64_t registers_for(const nereid_tt_tensor_t *tensor) {
  nereid_layout_t layout;
  if (tensor->rank > NEREID_LAYOUT_MAX_RANK ||
      nereid_layout_from_encoding(tensor->encoding, (int)tensor->rank, tensor->shape, &layout) != NEREID_OK)
    return INT64_MAX;
  return ((int64_t)nereid_layout_registers(&layout) * nereid_lower_memory_bits(tensor->element) + 31) / 32;
}

/* The type with its longest dimensions halved until a thread has more than its registers; null when there is none. */
static MlirType fitting_type(MlirType type, int64_t budget, int64_t *out_registers) {
  nereid_tt_tensor_t tensor;
  nereid_tt_tensor_read(type, &tensor);
  while (tensor.rank) {
    intptr_t longest = 0;
    for (intptr_t d = 1; d < tensor.rank; ++d)
      longest = tensor.shape[d] > tensor.shape[longest] ? d : longest;
    tensor.shape[longest] /= 2;
    if (!tensor.shape[longest])
      break;
    *out_registers = registers_for(&tensor);
    if (*out_registers < budget)
      return mlirRankedTensorTypeGet(tensor.rank, tensor.shape, tensor.element, mlirAttributeGetNull());
  }
  return (MlirType){NULL};
}

/* The least number of warps whose threads have more registers than their parts of a tensor, which takes `registers` of
 * each thread now; 0: none. */
static int64_t fitting_warps(const nereid_lower_t *lower, int64_t registers) {
  enum { MAX_WARPS = 32 };
  const int64_t warps = lower->group->grid.num_warps;
  for (int64_t more = 2 * warps; more <= MAX_WARPS; more *= 2)
    if (registers * warps / more < budget_of(lower, more))
      return more;
  return 0;
}

/* The alternatives to `type` that fit: "tensor<32768xf32>, of 128 registers, or 8 warps would fit". */
static nereid_text_t remedy(const nereid_lower_t *lower, MlirType type, int64_t registers) {
  nereid_text_t text = {""};
  int64_t of_smaller = 0;
  const int64_t warps = fitting_warps(lower, registers);
  MlirType smaller = fitting_type(type, nereid_lower_register_budget(lower), &of_smaller);
  int length = 0;
  if (!mlirTypeIsNull(smaller))
    length = snprintf(text.chars, sizeof text.chars, "; %.150s, of %lld registers,", nereid_text_of_type(smaller).chars,
                      (long long)of_smaller);
  if (warps)
    length += snprintf(text.chars + length, sizeof text.chars - (size_t)length, "%s %lld warps", length ? " or" : ";",
                       (long long)warps);
  if (length)
    snprintf(text.chars + length, sizeof text.chars - (size_t)length, " would fit");
  return text;
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
    nereid_lower_remark(op, NereidMlirRemarkMissed, "register-budget",
                        "%s takes at least %lld registers of each thread, which can have %lld: the rest is spilled%s",
                        nereid_text_of_type(type).chars, (long long)registers, (long long)budget,
                        remedy(lower, type, registers).chars);
  }
}
