/* convert-triton-gpu-to-llvm: every tt.func of the module becomes an llvm.func.
 *
 *   tt.func public @k(%x: !tt.ptr<f32>) { … }
 *   ->
 *   llvm.func @k(%x: !llvm.ptr<1>, …) attributes {nvvm.kernel, …} { … }
 *
 * In kernels, ttg.warp_specialize stays, with LLVM in its regions (function/warp_specialize.c).
 *
 * Requires: encodings on all tensors, cf instead of scf, allocated shared memory (ttg.shared and allocation.offset).
 * Keeps: locations, argument names and attributes, module attributes. Establishes: the kernel ABI of docs/abi.md. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/calls.h"
#include "conversion/ttg_to_llvm/function/function.h"
#include "conversion/ttg_to_llvm/function/kernel_abi.h"

#include "analysis/membar/membar.h"
#include "base/target_facts.h"
#include "base/vector.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "passes/pass.h"

#include "mlir-c/Dialect/LLVM.h"

static const nereid_lower_row_t *const families[] = {
    nereid_lower_arith_rows,
    nereid_lower_float_cast_rows,
    nereid_lower_math_rows,
    nereid_lower_view_rows,
    nereid_lower_memory_rows,
    nereid_lower_program_rows,
    nereid_lower_extern_rows,
    nereid_lower_debug_rows,
    nereid_lower_control_flow_rows,
    nereid_lower_convert_layout_rows,
    nereid_lower_atomic_rows,
    nereid_lower_atomic_access_rows,
    nereid_lower_shared_rows,
    nereid_lower_indexed_rows,
    nereid_lower_async_copy_rows,
    nereid_lower_dot_rows,
    nereid_lower_wgmma_rows,
    nereid_lower_reduce_rows,
    nereid_lower_scan_rows,
    nereid_lower_histogram_rows,
    nereid_lower_gather_rows,
    nereid_lower_pair_rows,
    nereid_lower_map_rows,
    nereid_lower_fp4_rows,
    nereid_lower_constant_rows,
    nereid_lower_call_rows,
    nereid_lower_warp_specialize_rows,
    nereid_lower_mbarrier_rows,
    nereid_lower_tma_rows,
    nereid_lower_tensormap_rows,
};

/* The rows of all families by op kind. */
static const nereid_lower_row_t *const *index_rows(nereid_arena_t *arena) {
  const nereid_lower_row_t **rows = nereid_arena_new(arena, const nereid_lower_row_t *, NEREID_OP_COUNT);
  for (size_t f = 0; rows && f < sizeof families / sizeof *families; ++f)
    for (const nereid_lower_row_t *row = families[f]; row->kind != NEREID_OP_UNKNOWN; ++row)
      rows[row->kind] = row;
  return rows;
}

/* Overflow flags by their text, in both dialects. */
static void make_overflow_flags(nereid_lower_module_t *module) {
  static const char *const texts[NEREID_LOWER_OVERFLOWS][2] = {
      {"#arith.overflow<none>", "#llvm.overflow<none>"},
      {"#arith.overflow<nsw>", "#llvm.overflow<nsw>"},
      {"#arith.overflow<nuw>", "#llvm.overflow<nuw>"},
      {"#arith.overflow<nsw, nuw>", "#llvm.overflow<nsw, nuw>"},
  };
  for (int i = 0; i < NEREID_LOWER_OVERFLOWS; ++i) {
    module->overflow[i].arith = mlirAttributeParseGet(module->context, mlirStringRefCreateFromCString(texts[i][0]));
    module->overflow[i].llvm = mlirAttributeParseGet(module->context, mlirStringRefCreateFromCString(texts[i][1]));
  }
}

static MlirWalkResult find_assertion(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = mlirOperationGetNumDiscardableAttributes(op) > 0 &&
           !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(op, nereid_ir_ref("tt.contiguity")));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool initialize(nereid_lower_module_t *module, nereid_pass_t *pass) {
  nereid_lower_module_initialize(module, pass->op, pass->scratch);
  module->rows = index_rows(pass->scratch);
  module->options = (nereid_lower_options_t){.capability = nereid_pass_capability(pass),
                                             .ptx_version = (int32_t)nereid_pass_option_int(pass, "ptx-version"),
                                             .fp_fusion = nereid_pass_option_bool(pass, "fp-fusion"),
                                             .global_order = nereid_pass_option_bool(pass, "global-order"),
                                             .wgmma = nereid_pass_option_bool(pass, "wgmma"),
                                             .kernel_tensors = nereid_pass_option_bool(pass, "kernel-tensors")};
  make_overflow_flags(module);
  mlirOperationWalk(pass->op, find_assertion, &module->asserts_contiguity, MlirWalkPreOrder);
  if (module->options.fp_fusion)
    module->contract = mlirAttributeParseGet(pass->context, mlirStringRefCreateFromCString("#llvm.fastmath<contract>"));
  return module->rows && nereid_call_graph_build(pass->op, pass->scratch, &module->graph) == NEREID_OK &&
         nereid_lower_find_needs(module) && nereid_axis_info_run(pass->op, pass->scratch, &module->axis) == NEREID_OK;
}

/* Functions of nested modules are not lowered. The parser nests several top-level modules in an implicit one. */
static bool check_nesting(const nereid_lower_module_t *module) {
  for (size_t i = 0; i < module->graph.functions.size; ++i) {
    MlirOperation function = module->graph.functions.data[i].op;
    if (!mlirOperationEqual(mlirOperationGetParentOperation(function), module->op))
      return nereid_lower_error(function,
                                "is in a nested module, which is not lowered: expected one module; lower each "
                                "by itself (nereid-opt --split-input-file)");
  }
  return true;
}

/* Membar first: it reads shared memory of callees, which are ops of ttg until they are lowered. */
static bool convert(nereid_lower_module_t *module) {
  const nereid_call_function_t *functions = module->graph.functions.data;
  const size_t n = module->graph.functions.size;
  const nereid_membar_options_t barriers = {
      .mode = NEREID_MEMBAR_BARRIERS, .global = module->options.global_order, .axis = &module->axis};
  if (!check_nesting(module) || !nereid_membar_run(&module->graph, barriers, module->arena))
    return false;
  for (size_t i = 0; i < n; ++i)
    if (functions[i].has_body && !nereid_lower_function(module, &functions[i]))
      return false;
  for (size_t i = 0; i < n; ++i)
    mlirOperationDestroy(functions[i].op);
  return nereid_kernel_abi_apply(module->op);
}

MlirLogicalResult nereid_pass_convert_triton_gpu_to_llvm(nereid_pass_t *pass) {
  nereid_lower_module_t module;
  return initialize(&module, pass) && convert(&module) ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
