/* The least number of CTAs of a kernel per multiprocessor; see occupancy.h.
 *
 *   loads of 64 bytes per thread in a loop                           nvvm.minctasm = 1: ptxas may use many registers
 *   the same of 4 warps, in a loop that maps elements                nvvm.minctasm = 4: at most 128 registers
 *   attention of 4 warps, 104 registers of tensors, 48 KiB shared    nvvm.minctasm = 4: at most 128 registers */
#include "conversion/ttg_to_llvm/function/occupancy.h"

#include "base/target_facts.h"
#include "conversion/ttg_to_llvm/function/depth_first.h"
#include "conversion/ttg_to_llvm/function/register_demand.h"
#include "conversion/ttg_to_llvm/remarks/remarks.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/dot/dot_registers.h"

enum {
  RELAXED_LOAD_BYTES = 64, /* per thread, by the loads of an iteration: more than the default target keeps in flight */
  RELAXED_MAX_WARPS = 4,   /* per CTA: larger CTAs lose more by lower occupancy than they gain */
  LARGE_LOAD_BYTES = 256,  /* per thread: need so many registers that the largest CTAs have a low occupancy anyway */
  LARGEST_CTA_WARPS = 16,
  MAPPING_WARPS = 16,             /* per multiprocessor, of a loop that maps elements */
  RELAXED_DOT_REGISTERS = 192,    /* per thread, of the results of dots in a block */
  RELAXED_FMA_REGISTERS = 32,     /* the same, of dots of multiply-adds; from twice as many on ptxas uses them anyway */
  RELAXED_TENSOR_REGISTERS = 384, /* the same, of all tensors where they need most */

  LANES = 32,
  OTHER_REGISTERS = 24, /* besides tensors: addresses, scalars, temporaries */
};

/* --- too few registers --- */

/* Registers per thread of the result of `dot`; of dots of multiply-adds, in `fma`, too. */
static int32_t dot_registers(nereid_lower_t *lower, MlirOperation dot, int32_t *fma) {
  MlirType type = mlirValueGetType(nereid_ir_result(dot));
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  const nereid_layout_t *layout = nereid_lower_layout(lower, type);
  const int32_t registers = layout ? nereid_layout_registers(layout) : 0;
  *fma += !mlirAttributeIsNull(encoding) && nereid_ttg_nvidia_mma_attr_isa(encoding) ? 0 : registers;
  return registers;
}

typedef struct dots {
  bool any;
  bool need_registers; /* the results in one block need so many that ptxas requires the relaxed target */
} dots_t;

static dots_t survey_dots(nereid_lower_t *lower, const nereid_blocks_t *blocks) {
  dots_t dots = {0};
  for (size_t i = 0; i < blocks->size; ++i) {
    int32_t registers = 0, fma = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(blocks->data[i]); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
      if (!nereid_dot_is_dot(op))
        continue;
      registers += dot_registers(lower, op, &fma);
      dots.any = true;
    }
    dots.need_registers |=
        registers >= RELAXED_DOT_REGISTERS || (fma >= RELAXED_FMA_REGISTERS && fma < 2 * RELAXED_FMA_REGISTERS);
  }
  return dots;
}

/* Whether the loops of the function compute each element by itself: they carry no tensor and reduce none. */
static bool maps_elements(nereid_lower_t *lower, const nereid_blocks_t *blocks) {
  for (size_t b = 0; b < blocks->size; ++b) {
    MlirBlock block = blocks->data[b];
    if (!nereid_map_find(&lower->function->looping, block.ptr))
      continue;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
      if (mlirTypeIsARankedTensor(mlirValueGetType(mlirBlockGetArgument(block, i))))
        return false;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (mlirOperationGetNumRegions(op))
        return false;
  }
  return true;
}

/* Without a bound on registers or occupancy ptxas schedules for 32 or 40 registers per thread: of eight loads in a loop
 * it issues two or three, waits, and reuses their registers. One CTA per SM as the lower bound of occupancy lets it
 * issue all loads of an iteration first (column sums of 4 warps on an H200: 2.3 times as fast). Loops that load less
 * and straight-line code have their loads in flight anyway. CTAs of 8 warps with barriers between loops need the
 * occupancy: a layer norm takes 1.06 of the time with 56 instead of 40 registers. Where a thread of a CTA of 16 warps
 * loads 256 bytes, occupancy is low in any case (a KL divergence: 0.85 of the time). Kernels with dots have a larger
 * default target; with the bound ptxas keeps uniform addresses in registers of threads (64x32x32 fp8 tiles of one warp,
 * rows of odd length: 255 registers and spills instead of 254, 3 times the time).
 *
 * An elementwise loop needs few registers. With one CTA as the bound ptxas interleaves all elements (exponentials and
 * logarithms of 64 values: 236 registers); with four CTAs the kernel runs 1.5 times as fast. */
static int64_t ctas_for_loads(nereid_lower_t *lower, const nereid_blocks_t *blocks) {
  const nereid_lower_function_t *function = lower->function;
  const int32_t warps = nereid_ttg_num_warps(function->op);
  if (warps > RELAXED_MAX_WARPS)
    return warps >= LARGEST_CTA_WARPS && function->most_loaded_bytes >= LARGE_LOAD_BYTES;
  if (function->most_loaded_bytes < RELAXED_LOAD_BYTES)
    return 0;
  return maps_elements(lower, blocks) ? MAPPING_WARPS / warps : 1;
}

/* Where results of dots need most of the registers, ptxas without the bound may give up and keep 32 registers per
 * thread: 20 KB of spill stores of an attention backward with 2 warps instead of 4 KB with 255. Where they need half of
 * them, the bound makes the schedule worse (an attention with 128 registers of results takes 1.2 of the time).
 * Multiply-adds without the bound get 96 registers, spill, and read registers of one bank (64x64x32 f32 in 4 warps);
 * with 64 results per thread the bound makes them 2 % slower. Where all tensors need twice the registers of a thread,
 * ptxas also gives up (18 KB of spill stores instead of 2 KB, of linear attention backward with 2 warps). */
static int64_t relaxed_ctas(nereid_lower_t *lower, const nereid_blocks_t *blocks, int64_t tensors) {
  const dots_t dots = survey_dots(lower, blocks);
  if (dots.need_registers || tensors >= RELAXED_TENSOR_REGISTERS)
    return 1;
  return dots.any ? 0 : ctas_for_loads(lower, blocks);
}

/* --- too many registers --- */

/* Whether a block has several dots of warp groups, of which one takes an operand from registers, as attention does. */
static bool computes_operands(const nereid_blocks_t *blocks) {
  for (size_t i = 0; i < blocks->size; ++i) {
    int dots = 0, computed = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(blocks->data[i]); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT) {
        ++dots;
        computed += mlirTypeIsARankedTensor(mlirValueGetType(nereid_ttng_warp_group_dot_get_a(op)));
      }
    if (dots > 1 && computed)
      return true;
  }
  return false;
}

static int64_t ctas_by_memory(const nereid_lower_t *lower) {
  MlirOperation module = lower->module->op;
  const int64_t ctas =
      nereid_target_ctas(nereid_ttg_compute_capability(module), nereid_ir_integer(module, "ttg.shared", 0));
  return ctas < NEREID_DOT_OVERLAPPED_CTAS ? ctas : NEREID_DOT_OVERLAPPED_CTAS;
}

/* CTAs of attention overlap: while one multiplies, others compute their softmax. ptxas, which does not know the shared
 * memory, often uses some registers more than as many CTAs have as fit there (64x64 tiles with d = 64 on an H200: 168
 * instead of 128, three CTAs instead of four, and 1.3 times the time). Returns the CTAs that fit by registers, too, if
 * that is fewer registers than a thread can have; otherwise 0. */
static int64_t overlapped_ctas(nereid_lower_t *lower, const nereid_blocks_t *blocks, int64_t tensors) {
  if (!computes_operands(blocks))
    return 0;
  const int64_t threads = (int64_t)nereid_ttg_num_warps(lower->function->op) * LANES;
  for (int64_t ctas = ctas_by_memory(lower); ctas > 1; --ctas) {
    const int64_t available = nereid_target_thread_registers(ctas * threads);
    if (available == NEREID_TARGET_THREAD_REGISTERS || tensors + OTHER_REGISTERS > available)
      continue;
    if (nereidMlirRemarksEnabled(lower->context))
      nereid_lower_remark(lower->function->op, NereidMlirRemarkPassed, "occupancy",
                          "ptxas is asked for %lld CTAs per multiprocessor, as many as fit in its shared memory with "
                          "%lld registers per thread, of which tensors need about %lld",
                          (long long)ctas, (long long)available, (long long)tensors);
    return ctas;
  }
  return 0;
}

void nereid_lower_set_occupancy(nereid_lower_t *lower, MlirOperation made, const nereid_blocks_t *blocks) {
  MlirOperation module = lower->module->op;
  if (!lower->function->is_kernel || nereid_ttg_maxnreg(module))
    return;
  const int64_t tensors = nereid_register_demand_find(lower, blocks).registers;
  if (tensors > nereid_ir_integer(module, "ttg.tensor_registers", 0))
    nereid_ir_set_integer(module, "ttg.tensor_registers", tensors);
  if (tensors >= RELAXED_TENSOR_REGISTERS)
    (void)nereid_lower_depth_first(made, lower->arena);
  int64_t ctas = overlapped_ctas(lower, blocks, tensors);
  if (!ctas)
    ctas = relaxed_ctas(lower, blocks, tensors);
  if (ctas)
    mlirOperationSetDiscardableAttributeByName(made, mlirStringRefCreateFromCString("nvvm.minctasm"),
                                               mlirIntegerAttrGet(lower->types->i32, ctas));
}
