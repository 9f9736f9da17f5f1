/* Lowers tt.func to llvm.func.
 *
 *   tt.func public @k(%x: !tt.ptr<f32>, %n: i32) { … }
 *   ->
 *   llvm.func @k(%x: !llvm.ptr<1>, %n: i32, %scratch: !llvm.ptr<1>, %profile: !llvm.ptr<1>)
 *       attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
 *     %tid = nvvm.read.ptx.sreg.tid.x : i32        the prologue: values for every block
 *     llvm.br ^body
 *   ^body: …
 *
 * signature.c defines the parameters. Blocks are lowered in reverse post-order, so that a value is lowered before its
 * uses; unreachable ones are dropped. */
#include "conversion/ttg_to_llvm/function/function.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/calls.h"
#include "conversion/ttg_to_llvm/function/occupancy.h"
#include "conversion/ttg_to_llvm/function/signature.h"
#include "conversion/ttg_to_llvm/function/structs.h"
#include "conversion/ttg_to_llvm/function/warps.h"
#include "conversion/ttg_to_llvm/remarks/remarks.h"
#include "conversion/ttg_to_llvm/words.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"

#include "nereid/dialects/ttg.h"

#include <assert.h>

static void create_prologue(nereid_lower_t *lower, MlirOperation function, MlirRegion region,
                            const nereid_signature_t *signature) {
  MlirBlock entry = mlirBlockCreate((intptr_t)signature->types.size, signature->types.data, signature->locations.data);
  mlirRegionAppendOwnedBlock(region, entry);
  MlirBlock source = nereid_lower_entry_block(function);
  intptr_t next = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(source); ++i)
    if (lower->function->is_kernel)
      nereid_lower_set_scalar(lower, mlirBlockGetArgument(source, i), mlirBlockGetArgument(entry, i));
    else
      nereid_lower_take_values(lower, mlirBlockGetArgument(source, i), entry, &next);
  lower->function->entry = lower->group->prologue = entry;
  if (!lower->function->is_kernel)
    nereid_lower_take_frames(lower, next);
}

/* Checks the types of all results and arguments, so that lowerings need not check their operands. (The type of a
 * load follows from its pointer; lower_load diagnoses block pointers.) */
static bool check_results(nereid_lower_t *lower, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (mlirTypeIsNull(nereid_lower_type(lower, type)))
      return nereid_lower_error(op, "has a result type that cannot be lowered: %s", nereid_text_of_type(type).chars);
    if (nereid_op_kind(op) != NEREID_OP_TT_LOAD && nereid_lower_registers(lower, type) <= 0)
      return false;
  }
  return true;
}

bool nereid_lower_ops(nereid_lower_t *lower, MlirBlock block, MlirOperation end) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    const nereid_lower_row_t *row = lower->module->rows[nereid_op_kind(op)];
    lower->builder.location = mlirOperationGetLocation(op);
    if (!row) {
      if (!nereid_structs_lower_foreign(lower, op))
        return false;
      continue;
    }
    const nereid_lower_emitted_t before = lower->module->emitted;
    if (!check_results(lower, op) || !row->lower(lower, op, row))
      return false;
    nereid_lower_remark_exchanged(lower, op, &before);
    nereid_lower_remark_registers(lower, op);
  }
  return true;
}

static bool lower_block(nereid_lower_t *lower, MlirBlock block) {
  lower->builder.block = nereid_lower_block(lower, block);
  lower->builder.before = (MlirOperation){NULL};
  return nereid_lower_ops(lower, block, (MlirOperation){NULL});
}

static nereid_lower_function_t begin_function(nereid_arena_t *arena, const nereid_call_function_t *called) {
  nereid_lower_function_t function = {.op = called->op, .is_kernel = called->is_kernel};
  nereid_map_initialize(&function.values, arena);
  nereid_map_initialize(&function.blocks, arena);
  nereid_map_initialize(&function.looping, arena);
  nereid_map_initialize(&function.over_budget, arena);
  nereid_map_initialize(&function.words, arena);
  return function;
}

/* The address of a by-value descriptor is generic; the program uses it as a global pointer. */
static void cast_descriptors(nereid_lower_t *lower) {
  MlirBlock source = nereid_lower_entry_block(lower->function->op);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(source); ++i) {
    MlirValue argument = mlirBlockGetArgument(source, i);
    MlirType type = nereid_lower_type(lower, mlirValueGetType(argument));
    nereid_lowered_t lowered = nereid_lower_get(lower, argument);
    const bool used = !mlirOpOperandIsNull(mlirValueGetFirstUse(argument));
    if (used && lowered.count == 1 && !mlirTypeEqual(mlirValueGetType(lowered.values[0]), type))
      nereid_lower_set_scalar(lower, argument, nereid_emit_cast(lower, "llvm.addrspacecast", type, lowered.values[0]));
  }
}

static nereid_thread_grid_t grid_of(MlirOperation module, MlirOperation function) {
  return (nereid_thread_grid_t){nereid_ttg_num_warps(function), nereid_ttg_threads_per_warp(module),
                                nereid_ttg_num_ctas(module)};
}

/* Creates the blocks of the llvm.func, without ops; `blocks` gets those of the tt.func in the order of lowering. */
static bool create_blocks(nereid_lower_t *lower, MlirRegion region, nereid_blocks_t *blocks) {
  MlirRegion source = mlirOperationGetRegion(lower->function->op, 0);
  if (!nereid_lower_order_blocks(lower->arena, mlirRegionGetFirstBlock(source), blocks) ||
      !nereid_lower_find_loops(lower, source))
    return false;
  assert(blocks->size > 0); /* the entry */
  for (size_t i = 0; i < blocks->size; ++i)
    if (!nereid_lower_create_block(lower, blocks->data[i], i == 0, region))
      return false;
  return true;
}

static bool lower_body(nereid_lower_t *lower, const nereid_blocks_t *blocks) {
  lower->builder.block = lower->function->entry;
  lower->builder.before = (MlirOperation){NULL};
  lower->group->thread_id = nereid_emit(lower, "nvvm.read.ptx.sreg.tid.x", lower->types->i32, 0, NULL);
  if (!nereid_structs_unpack_arguments(lower))
    return false;
  cast_descriptors(lower);
  nereid_warps_begin(lower, blocks); /* terminates the prologue */
  for (size_t i = 0; i < blocks->size; ++i)
    if (!lower_block(lower, blocks->data[i]))
      return false;
  return !lower->arena->failed;
}

bool nereid_lower_function(nereid_lower_module_t *module, const nereid_call_function_t *called) {
  nereid_lower_function_t function = begin_function(module->arena, called);
  nereid_lower_warp_group_t group =
      nereid_lower_warp_group_at(module->arena, (MlirBlock){NULL}, grid_of(module->op, called->op));
  nereid_lower_t lower = {.builder = {.location = mlirOperationGetLocation(called->op)},
                          .context = module->context,
                          .arena = module->arena,
                          .types = &module->types,
                          .module = module,
                          .function = &function,
                          .group = &group};
  nereid_signature_t signature = {0};
  nereid_blocks_t blocks = {0};
  if (!nereid_signature_of(&lower, called->op, &signature))
    return false;
  MlirOperation made = nereid_signature_create_function(&lower, called->op, &signature);
  if (mlirOperationIsNull(made))
    return false;
  MlirRegion region = mlirOperationGetRegion(made, 0);
  create_prologue(&lower, called->op, region, &signature);
  const bool lowered = create_blocks(&lower, region, &blocks) && lower_body(&lower, &blocks);
  if (lowered)
    nereid_lower_remark_demand(&lower, &blocks);
  nereid_emit_remove_unused(&lower);
  if (lowered)
    nereid_lower_set_occupancy(&lower, made, &blocks);
  return lowered;
}
