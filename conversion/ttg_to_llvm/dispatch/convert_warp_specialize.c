/* convert-warp-specialize-to-llvm: replaces ttg.warp_specialize in kernels of the LLVM dialect by branches of warps.
 *
 *   llvm.func @k(%n: i32) attributes {nvvm.kernel} {        llvm.func @k(%n: i32) … {
 *     ttg.warp_specialize(%n)                                 %own = llvm.icmp "ult" %warp, %c4
 *     default { … }                                    ->     llvm.cond_br %own, ^entry, ^work
 *     partition0(%m: i32) num_warps(2) { … }                ^entry: …
 *
 * Requires regions as convert-triton-gpu-to-llvm leaves them: threads are numbered and barriers are chosen. Adds what
 * connects them (dispatch.c): states, barriers of all warps, captures, registers. Between the two passes the regions
 * can be edited, and so can actualRegisters; the warps of partitions are fixed. Functions without the op stay as they
 * are, so the pass may run twice. */
#include "conversion/ttg_to_llvm/dispatch/dispatch.h"

#include "conversion/ttg_to_llvm/function/kernel_abi.h"
#include "conversion/ttg_to_llvm/slots.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "passes/pass.h"

#include "nereid/dialects/ttg.h"

#include <string.h>

typedef NEREID_VECTOR(MlirOperation) ops_t;

/* The ops of one llvm.func. */
typedef struct found {
  nereid_arena_t *arena;
  ops_t specialize, returns;
  MlirOperation foreign; /* the first op that is not of LLVM; null: none */
} found_t;

static bool is_of(MlirOperation op, const char *prefix) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const size_t length = strlen(prefix);
  return name.length > length && memcmp(name.data, prefix, length) == 0;
}

static bool is_named(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), nereid_ir_ref(name));
}

static MlirWalkResult find_op(MlirOperation op, void *user_data) {
  found_t *found = user_data;
  if (nereid_op_kind(op) == NEREID_OP_TTG_WARP_SPECIALIZE)
    nereid_vector_push(found->arena, &found->specialize, op);
  else if (is_named(op, "llvm.return"))
    nereid_vector_push(found->arena, &found->returns, op);
  else if (mlirOperationIsNull(found->foreign) && !is_of(op, "llvm.") && !is_of(op, "nvvm.") &&
           !nereid_ttg_is_warp_specialize(op))
    found->foreign = op;
  return MlirWalkResultAdvance;
}

/* --- checks --- */

static bool check_ends(const found_t *found, MlirOperation function) {
  for (size_t i = 0; i < found->returns.size; ++i) {
    MlirOperation end = found->returns.data[i];
    if (!mlirOperationEqual(mlirOperationGetParentOperation(end), function))
      return nereid_lower_error(end, "is in a region of ttg.warp_specialize: expected ttg.warp_yield or "
                                     "ttg.warp_return");
  }
  return true;
}

static bool check(nereid_lower_t *lower, const found_t *found, MlirOperation function) {
  MlirOperation first = found->specialize.data[0];
  if (!mlirOperationIsNull(found->foreign))
    return nereid_lower_error(found->foreign, "is not of the LLVM dialect: run convert-triton-gpu-to-llvm first");
  if (!nereid_kernel_abi_is_kernel(function))
    return nereid_lower_error(first, "is in a function that is not a kernel: only kernels have warps for partitions");
  for (size_t i = 0; i < found->specialize.size; ++i) {
    MlirOperation op = found->specialize.data[i];
    if (nereid_ttg_total_num_warps(op) <= lower->group->grid.num_warps ||
        mlirAttributeIsNull(nereid_ttg_warp_specialize_get_warp_group_start_ids_attr(op)))
      return nereid_lower_error(op, "has no warps for its partitions: run tritongpu-allocate-warp-groups first");
    if (!nereid_dispatch_check_registers(lower, op))
      return false;
  }
  return check_ends(found, function) && nereid_slots_check_scratch(function);
}

/* --- the pass --- */

static bool convert(nereid_lower_module_t *module, const found_t *found, MlirOperation function) {
  nereid_lower_function_t state = {.op = function, .is_kernel = true, .has_other_warps = true};
  const nereid_thread_grid_t grid = {nereid_ttg_num_warps(function), nereid_ttg_threads_per_warp(function),
                                     nereid_ttg_num_ctas(function)};
  nereid_lower_warp_group_t group = nereid_lower_warp_group_at(module->arena, (MlirBlock){NULL}, grid);
  nereid_dispatch_t dispatch = {.lower = {.builder = {.location = mlirOperationGetLocation(function)},
                                          .context = module->context,
                                          .arena = module->arena,
                                          .types = &module->types,
                                          .module = module,
                                          .function = &state,
                                          .group = &group},
                                .kernel = function,
                                .others = nereid_ttg_total_num_warps(function) - grid.num_warps};
  if (!check(&dispatch.lower, found, function))
    return false;
  for (size_t i = 0; i < found->specialize.size; ++i)
    dispatch.cluster |= nereid_ir_has_attribute(found->specialize.data[i], NEREID_ATTR_CLUSTER_BARRIER);
  nereid_dispatch_begin(&dispatch);
  for (size_t i = 0; i < found->specialize.size; ++i)
    if (!nereid_dispatch_replace(&dispatch, found->specialize.data[i]))
      return false;
  for (size_t i = 0; i < found->returns.size; ++i)
    nereid_dispatch_dismiss(&dispatch, found->returns.data[i]);
  nereid_dispatch_end(&dispatch);
  return !module->arena->failed;
}

MlirLogicalResult nereid_pass_convert_warp_specialize_to_llvm(nereid_pass_t *pass) {
  nereid_lower_module_t module;
  nereid_lower_module_initialize(&module, pass->op, pass->scratch);
  bool good = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(module.block); good && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    found_t found = {.arena = pass->scratch};
    mlirOperationWalk(op, find_op, &found, MlirWalkPreOrder);
    good = !pass->scratch->failed && (!found.specialize.size || convert(&module, &found, op));
  }
  return good ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
