/* Lowers calls and returns by the internal calling convention.
 *
 *   %y, %n = tt.call @f(%x, %b) {allocation.offset = 512 : i32} : (tensor<256xf32, #l>, !ttg.memdesc<…>) -> (…, i32)
 *   ->
 *   %all = llvm.call @f(%x.0, %x.1, %b, %frame) : (f32, f32, !llvm.ptr<3>, !llvm.ptr<3>)
 *                                                 -> !llvm.struct<(f32, f32, i32)>
 *
 * A tensor is passed as its registers, in the layout of the function's type; a buffer as the address of its first
 * element. They are followed by the start addresses of the callee's frames in shared memory and in global scratch, each
 * only if the callee or one of its callees uses it: offsets in a frame are constants, its start depends on the caller.
 * A function called in a partition of ttg.warp_specialize also gets its first warp and the barrier of its warps. Values
 * that all threads can read (program ids) are not passed. */
#include "conversion/ttg_to_llvm/function/calls.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/function/structs.h"

#include "analysis/allocation/alias.h"
#include "base/ptx_name.h"
#include "dialects/ir.h"
#include "dialects/tt/call_path.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/context.h"

#include "mlir-c/Dialect/LLVM.h"

#include <assert.h>

/* --- requirements of callees --- */

static MlirWalkResult find_need(MlirOperation op, void *user_data) {
  nereid_lower_needs_t *needs = user_data;
  const nereid_op_kind_t kind = nereid_op_kind(op);
  needs->scratch |= kind == NEREID_OP_TTG_GLOBAL_SCRATCH_ALLOC;
  needs->shared |= kind != NEREID_OP_TT_CALL && nereid_ir_has_attribute(op, NEREID_ATTR_ALLOCATION_OFFSET);
  return needs->scratch && needs->shared ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool is_in_partition(MlirOperation op) {
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_TTG_WARP_SPECIALIZE_PARTITIONS)
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

/* Functions that a partition calls, directly or transitively. */
static void find_warps(const nereid_call_graph_t *graph, nereid_lower_needs_t *needs) {
  for (size_t i = 0; i < graph->functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callers_first(graph, i);
    for (size_t c = 0; c < function->n_calls; ++c) {
      const nereid_call_edge_t *edge = nereid_call_graph_call(graph, function, c);
      needs[edge->callee].warps |= needs[edge->caller].warps || is_in_partition(edge->call);
    }
  }
}

bool nereid_lower_find_needs(nereid_lower_module_t *module) {
  const nereid_call_graph_t *graph = &module->graph;
  module->needs = nereid_arena_new(module->arena, nereid_lower_needs_t, graph->functions.size);
  for (size_t i = 0; module->needs && i < graph->functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callees_first(graph, i);
    nereid_lower_needs_t *needs = &module->needs[function - graph->functions.data];
    mlirOperationWalk(function->op, find_need, needs, MlirWalkPreOrder);
    for (size_t c = 0; c < function->n_calls; ++c) {
      const nereid_lower_needs_t *callee = &module->needs[nereid_call_graph_call(graph, function, c)->callee];
      needs->shared |= callee->shared;
      needs->scratch |= callee->scratch;
    }
  }
  if (module->needs)
    find_warps(graph, module->needs);
  return module->needs != NULL;
}

/* --- returned buffers --- */

static bool refuse_escape(MlirOperation end, MlirOperation alloc) {
  nereid_tt_call_path_t path;
  NereidMlirNote notes[1 + NEREID_TT_CALL_PATH_LENGTH] = {
      {mlirOperationGetLocation(alloc), "the buffer is allocated here"}};
  nereid_tt_call_path_find(end, &path);
  for (intptr_t i = 0; i < path.length; ++i)
    notes[1 + i] = path.notes[i];
  nereidMlirEmitWithNotes(MlirDiagnosticError, mlirOperationGetLocation(end),
                          "'tt.return' op returns a buffer of its function's frame, which ends with the call; "
                          "expected a buffer that is an argument",
                          1 + path.length, notes);
  return false;
}

static bool check_return(const nereid_alias_t *alias, MlirOperation end) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    const nereid_alias_set_t set = nereid_alias_of(alias, mlirOperationGetOperand(end, i));
    for (uint32_t b = 0; b < set.count; ++b)
      if (!mlirOperationIsNull(alias->buffers.data[set.buffers[b]].alloc))
        return refuse_escape(end, alias->buffers.data[set.buffers[b]].alloc);
  }
  return true;
}

static bool returns_buffers(MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(nereid_ir_attribute(function, NEREID_ATTR_FUNCTION_TYPE));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    if (nereid_ttg_memdesc_type_isa(mlirFunctionTypeGetResult(type, i)))
      return true;
  return false;
}

bool nereid_lower_check_escapes(nereid_lower_t *lower, MlirOperation function) {
  nereid_flow_graph_t flow;
  nereid_alias_t alias;
  nereid_map_t unknown; /* a callee may return any of its arguments */
  if (!returns_buffers(function))
    return true;
  nereid_map_initialize(&unknown, lower->arena);
  if (!nereid_flow_graph_build(function, lower->arena, &flow) ||
      !nereid_alias_run(&flow, &unknown, lower->arena, &alias))
    return false;
  for (size_t i = 0; i < flow.ops.size; ++i)
    if (nereid_op_kind(flow.ops.data[i]) == NEREID_OP_TT_RETURN && !check_return(&alias, flow.ops.data[i]))
      return false;
  return true;
}

/* --- frames --- */

bool nereid_lower_append_frame_types(nereid_lower_t *lower, MlirOperation function, nereid_types_t *types) {
  const nereid_lower_needs_t *needs = &lower->module->needs[nereid_call_graph_number(&lower->module->graph, function)];
  return (!needs->shared || nereid_vector_push(lower->arena, types, lower->types->ptr_shared)) &&
         (!needs->scratch || nereid_vector_push(lower->arena, types, lower->types->ptr_global)) &&
         (!needs->warps || (nereid_vector_push(lower->arena, types, lower->types->i32) &&
                            nereid_vector_push(lower->arena, types, lower->types->i32)));
}

void nereid_lower_take_frames(nereid_lower_t *lower, intptr_t first) {
  const nereid_lower_needs_t *needs =
      &lower->module->needs[nereid_call_graph_number(&lower->module->graph, lower->function->op)];
  if (needs->shared)
    lower->group->shared_base = mlirBlockGetArgument(lower->function->entry, first++);
  if (needs->scratch)
    lower->group->scratch_base = mlirBlockGetArgument(lower->function->entry, first++);
  if (needs->warps) {
    lower->group->first_warp = mlirBlockGetArgument(lower->function->entry, first++);
    lower->group->barrier = mlirBlockGetArgument(lower->function->entry, first);
  }
}

static bool append_or_zero(nereid_lower_t *lower, nereid_values_t *operands, MlirValue value) {
  return nereid_vector_push(lower->arena, operands, mlirValueIsNull(value) ? nereid_emit_i32(lower, 0) : value);
}

static bool append_frames(nereid_lower_t *lower, MlirOperation call, nereid_values_t *operands) {
  const size_t callee =
      (size_t)(nereid_call_graph_callee(&lower->module->graph, call) - lower->module->graph.functions.data);
  const nereid_lower_needs_t *needs = &lower->module->needs[callee];
  if (needs->shared && !nereid_vector_push(lower->arena, operands,
                                           nereid_lower_shared_pointer(lower, nereid_ir_allocation_offset(call, 0))))
    return false;
  if (needs->scratch && !nereid_vector_push(lower->arena, operands,
                                            nereid_lower_scratch_pointer(
                                                lower, nereid_ir_integer(call, NEREID_ATTR_GLOBAL_SCRATCH_OFFSET, 0))))
    return false;
  return !needs->warps || (append_or_zero(lower, operands, lower->group->first_warp) &&
                           append_or_zero(lower, operands, lower->group->barrier));
}

/* --- results: one value, or a struct of them --- */

/* The position of a value in the returned value: at[0] in the struct, at[1] in an array there. */
typedef struct place {
  int64_t at[2];
  intptr_t depth; /* 0: it is the returned value itself */
} place_t;

typedef struct returned {
  MlirType type;
  place_t *places; /* null: out of memory */
} returned_t;

/* Addresses in shared memory have 32 bits, but LLVM's NVPTX declares functions that return one with 64 bits: they are
 * returned as integers. */
static MlirType type_on_the_way(nereid_lower_t *lower, MlirType type) {
  return mlirTypeEqual(type, lower->types->ptr_shared) ? lower->types->i32 : type;
}

/* Consecutive values of one type form an array: LLVM handles the members of a struct one by one, which is slow for a
 * thousand of them. */
static returned_t shape_results(nereid_lower_t *lower, const nereid_types_t *types) {
  returned_t returned = {.type = lower->types->none,
                         .places = nereid_arena_new(lower->arena, place_t, types->size + 1)};
  MlirType *members = nereid_arena_new(lower->arena, MlirType, types->size + 1);
  intptr_t n = 0;
  for (size_t i = 0, end; returned.places && members && i < types->size; i = end, ++n) {
    MlirType type = type_on_the_way(lower, types->data[i]);
    for (end = i; end < types->size && mlirTypeEqual(type, type_on_the_way(lower, types->data[end])); ++end)
      returned.places[end] = (place_t){.at = {n, (int64_t)(end - i)}, .depth = 2};
    if (end - i == 1)
      returned.places[i].depth = 1;
    members[n] = end - i == 1 ? type : mlirLLVMArrayTypeGet(type, (unsigned)(end - i));
  }
  if (n > 1)
    returned.type = mlirLLVMStructTypeLiteralGet(lower->context, n, members, false);
  else if (n == 1)
    returned.type = members[0];
  for (size_t i = 0; n == 1 && i < types->size; ++i) /* no struct around it */
    returned.places[i] = (place_t){.at = {returned.places[i].at[1]}, .depth = returned.places[i].depth - 1};
  return returned;
}

MlirType nereid_lower_result_type(nereid_lower_t *lower, const nereid_types_t *types) {
  return shape_results(lower, types).type;
}

static MlirNamedAttribute position(nereid_lower_t *lower, const place_t *place) {
  return nereid_emit_attribute(lower, "position", mlirDenseI64ArrayGet(lower->context, place->depth, place->at));
}

static MlirValue pack(nereid_lower_t *lower, const nereid_values_t *values, const returned_t *returned) {
  MlirValue packed = nereid_emit_undef(lower, returned->type);
  for (size_t i = 0; i < values->size; ++i) {
    MlirNamedAttribute at = position(lower, &returned->places[i]);
    packed = mlirOperationGetResult(nereid_emit_op(lower, "llvm.insertvalue", 1, &returned->type, 2,
                                                   (MlirValue[]){packed, values->data[i]}, 1, &at),
                                    0);
  }
  return packed;
}

static bool return_from_kernel(nereid_lower_t *lower, MlirOperation op) {
  MlirValue value = nereid_structs_pack_results(lower, op);
  nereid_emit_op(lower, "llvm.return", 0, NULL, !mlirValueIsNull(value), &value, 0, NULL);
  return true;
}

static bool lower_return(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (lower->function->is_kernel)
    return return_from_kernel(lower, op);
  nereid_values_t values = {0};
  nereid_types_t types = {0};
  if (!nereid_lower_flatten(lower, op, 0, mlirOperationGetNumOperands(op), &values))
    return false;
  for (size_t i = 0; i < values.size; ++i) {
    MlirType type = mlirValueGetType(values.data[i]), given = type_on_the_way(lower, type);
    if (!nereid_vector_push(lower->arena, &types, type))
      return false;
    if (!mlirTypeEqual(type, given))
      values.data[i] = nereid_emit_cast(lower, "llvm.ptrtoint", given, values.data[i]);
  }
  const returned_t returned = shape_results(lower, &types);
  if (!returned.places)
    return false;
  if (values.size > 1)
    values.data[0] = pack(lower, &values, &returned);
  nereid_emit_op(lower, "llvm.return", 0, NULL, values.size > 0, values.data, 0, NULL);
  return true;
}

/* Extracts the value of `type` at `place` of the returned value. */
static MlirValue unpack(nereid_lower_t *lower, MlirValue all, MlirType type, const place_t *place) {
  MlirType given = type_on_the_way(lower, type);
  if (place->depth) {
    MlirNamedAttribute at = position(lower, place);
    all = mlirOperationGetResult(nereid_emit_op(lower, "llvm.extractvalue", 1, &given, 1, &all, 1, &at), 0);
  }
  return mlirTypeEqual(type, given) ? all : nereid_emit_cast(lower, "llvm.inttoptr", type, all);
}

static bool set_results(nereid_lower_t *lower, MlirOperation op, MlirValue all, const nereid_types_t *types) {
  const returned_t returned = shape_results(lower, types);
  intptr_t next = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    nereid_lowered_t lowered = nereid_lower_array(lower, nereid_lower_registers(lower, mlirValueGetType(result)));
    if (!lowered.values || !returned.places)
      return false;
    assert(types->data); /* a type for each of them */
    for (intptr_t r = 0; r < lowered.count; ++r, ++next)
      lowered.values[r] = unpack(lower, all, types->data[next], &returned.places[next]);
    nereid_lower_set(lower, result, lowered);
  }
  return true;
}

static bool lower_call(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_values_t operands = {0};
  nereid_types_t types = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!nereid_lower_append_types(lower, mlirValueGetType(mlirOperationGetResult(op, i)), &types))
      return nereid_lower_error(op, "has a result type that cannot be lowered");
  if (!nereid_lower_flatten(lower, op, 0, mlirOperationGetNumOperands(op), &operands) ||
      !append_frames(lower, op, &operands))
    return false;
  MlirStringRef callee = nereid_tt_call_get_callee(op);
  const char *name = nereid_ptx_name(lower->arena, nereid_view_of(callee.data, callee.length));
  MlirType result = types.size ? nereid_lower_result_type(lower, &types) : (MlirType){NULL};
  MlirValue returned = nereid_emit_call(lower, name, result, (intptr_t)operands.size, operands.data);
  return set_results(lower, op, returned, &types);
}

const nereid_lower_row_t nereid_lower_call_rows[] = {
    {NEREID_OP_TT_CALL, lower_call, NULL},
    {NEREID_OP_TT_RETURN, lower_return, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
