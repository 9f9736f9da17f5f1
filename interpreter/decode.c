/* Decodes a function's IR to steps that run without lookups.
 *
 *   %s = arith.addf %x, %y : tensor<4xf32>   →   step {row of arith.addf, operands {slot x, slot y}, results {slot s}}
 *
 * An op without a row, or a value whose type has no shape, is reported before anything runs. */
#include "interpreter/machine.h"

#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* --- types --- */

static bool float_kind(MlirType type, nereid_kind_t *out) {
  if (mlirTypeIsAF16(type))
    out->format = NEREID_FORMAT_F16;
  else if (mlirTypeIsABF16(type))
    out->format = NEREID_FORMAT_BF16;
  else if (mlirTypeIsAF32(type))
    out->format = NEREID_FORMAT_F32;
  else if (mlirTypeIsAF64(type))
    out->format = NEREID_FORMAT_F64;
  else if (mlirTypeIsAFloat8E4M3FN(type))
    out->format = NEREID_FORMAT_F8E4M3FN;
  else if (mlirTypeIsAFloat8E5M2(type))
    out->format = NEREID_FORMAT_F8E5M2;
  else if (mlirTypeIsAFloat8E8M0FNU(type))
    out->format = NEREID_FORMAT_F8E8M0FNU;
  else if (mlirTypeIsAFloat4E2M1FN(type))
    out->format = NEREID_FORMAT_F4E2M1FN;
  else
    return false;
  out->bits = mlirFloatTypeGetWidth(type);
  return true;
}

static bool pointer_kind(MlirType type, nereid_kind_t *out) {
  nereid_shape_t pointee;
  out->bits = 64;
  out->format = NEREID_FORMAT_BLOCK;
  if (nereid_tt_tensordesc_type_isa(type))
    return true;
  type = nereid_tt_ptr_type_get_pointee_type(type);
  if (mlirTypeIsARankedTensor(type))
    return true;
  out->format = NEREID_FORMAT_POINTER;
  out->pointee_bytes = nereid_machine_shape(type, &pointee) ? pointee.bytes : 1;
  return true;
}

static bool element_kind(MlirType type, nereid_kind_t *out) {
  *out = (nereid_kind_t){0};
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) <= 64) {
    out->bits = mlirIntegerTypeGetWidth(type);
    return true;
  }
  if (mlirTypeIsAIndex(type)) {
    out->bits = 64;
    return true;
  }
  if (nereid_ttg_async_token_type_isa(type)) {
    out->bits = 1; /* copies complete at issue, so a token carries no information */
    return true;
  }
  if (nereid_tt_ptr_type_isa(type) || nereid_tt_tensordesc_type_isa(type))
    return pointer_kind(type, out);
  return float_kind(type, out);
}

/* Computes the shape and element type of a view; false: too many dimensions. */
static bool local_shape(MlirType *type, nereid_shape_t *out_shape) {
  MlirAttribute dims = nereid_ttg_memdesc_type_get_dims(*type);
  out_shape->local = true;
  out_shape->rank = (int)mlirDenseArrayGetNumElements(dims);
  for (int d = 0; d < out_shape->rank && d < NEREID_LOCAL_RANK; ++d) {
    out_shape->extent[d] = mlirDenseI64ArrayGetElement(dims, d);
    out_shape->count *= (size_t)out_shape->extent[d];
  }
  *type = nereid_ttg_memdesc_type_get_element_type(*type);
  return out_shape->rank <= NEREID_LOCAL_RANK;
}

bool nereid_machine_shape(MlirType type, nereid_shape_t *out_shape) {
  *out_shape = (nereid_shape_t){.count = 1};
  if (nereid_ttg_memdesc_type_isa(type)) {
    if (!local_shape(&type, out_shape))
      return false;
  } else if (mlirTypeIsARankedTensor(type)) {
    if (!mlirShapedTypeHasStaticShape(type) || mlirShapedTypeGetRank(type) > NEREID_MACHINE_RANK)
      return false;
    out_shape->rank = (int)mlirShapedTypeGetRank(type);
    for (int d = 0; d < out_shape->rank; ++d) {
      out_shape->extent[d] = mlirShapedTypeGetDimSize(type, d);
      out_shape->count *= (size_t)out_shape->extent[d];
    }
    type = mlirShapedTypeGetElementType(type);
  }
  if (!element_kind(type, &out_shape->element))
    return false;
  out_shape->bytes = (out_shape->element.bits + 7) / 8;
  return true;
}

/* --- values --- */

static nereid_slot_t *slot_of(nereid_machine_t *machine, MlirValue value, MlirOperation user) {
  uintptr_t *place = nereid_map_insert(&machine->slots, value.ptr);
  if (!place)
    return nereid_machine_exhausted(machine), NULL;
  if (*place)
    return (nereid_slot_t *)*place;
  nereid_slot_t *slot = nereid_arena_new(&machine->arena, nereid_slot_t, 1);
  if (!slot)
    return nereid_machine_exhausted(machine), NULL;
  slot->value = value;
  if (!nereid_machine_shape(mlirValueGetType(value), &slot->shape)) {
    const nereid_step_t at = {.op = user};
    nereid_machine_error(&at, "has a value of a type that the interpreter does not handle");
    return NULL;
  }
  *place = (uintptr_t)slot;
  return slot;
}

static bool operands_of(nereid_machine_t *machine, nereid_step_t *step) {
  step->n_operands = (size_t)mlirOperationGetNumOperands(step->op);
  step->n_results = (size_t)mlirOperationGetNumResults(step->op);
  step->operands = nereid_arena_new(&machine->arena, nereid_slot_t *, step->n_operands);
  step->results = nereid_arena_new(&machine->arena, nereid_slot_t *, step->n_results);
  if (!step->operands || !step->results)
    return nereid_machine_exhausted(machine);
  for (size_t i = 0; i < step->n_operands; ++i) {
    step->operands[i] = slot_of(machine, mlirOperationGetOperand(step->op, (intptr_t)i), step->op);
    if (!step->operands[i])
      return false;
  }
  for (size_t i = 0; i < step->n_results; ++i) {
    step->results[i] = slot_of(machine, mlirOperationGetResult(step->op, (intptr_t)i), step->op);
    if (!step->results[i])
      return false;
  }
  if (step->n_operands)
    step->from = step->operands[0]->shape.element;
  if (step->n_results)
    step->to = step->results[0]->shape.element;
  return true;
}

/* --- steps --- */

/* Encodes an op's attributes as one integer. */
static int64_t detail_of(MlirOperation op, nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_ARITH_CMPI:
    return nereid_arith_cmpi_get_predicate(op);
  case NEREID_OP_ARITH_CMPF:
    return nereid_arith_cmpf_get_predicate(op);
  case NEREID_OP_TT_CLAMPF:
    return nereid_tt_clampf_get_propagate_nan(op) == NEREID_TT_PROPAGATE_NAN_ALL;
  case NEREID_OP_TT_FP_TO_FP: /* whether it rounds towards zero */
    return !mlirAttributeIsNull(nereid_tt_fp_to_fp_get_rounding_attr(op)) &&
           nereid_tt_fp_to_fp_get_rounding(op) == NEREID_TT_ROUNDING_MODE_RTZ;
  case NEREID_OP_ARITH_TRUNCF:
    return !mlirAttributeIsNull(nereid_arith_truncf_get_roundingmode_attr(op)) &&
           nereid_arith_truncf_get_roundingmode(op) == NEREID_ARITH_ROUNDING_MODE_TOWARD_ZERO;
  case NEREID_OP_ARITH_SCALING_TRUNCF:
    return !mlirAttributeIsNull(nereid_arith_scaling_truncf_get_roundingmode_attr(op)) &&
           nereid_arith_scaling_truncf_get_roundingmode(op) == NEREID_ARITH_ROUNDING_MODE_TOWARD_ZERO;
  default:
    return 0;
  }
}

static bool is_known(nereid_arith_rounding_mode_t mode) {
  return mode == NEREID_ARITH_ROUNDING_MODE_TO_NEAREST_EVEN || mode == NEREID_ARITH_ROUNDING_MODE_TOWARD_ZERO;
}

/* Rejects truncf with a rounding mode that no engine supports. */
static bool check_rounding(const nereid_step_t *step) {
  bool good = true;
  if (step->row->kind == NEREID_OP_ARITH_TRUNCF)
    good = mlirAttributeIsNull(nereid_arith_truncf_get_roundingmode_attr(step->op)) ||
           is_known(nereid_arith_truncf_get_roundingmode(step->op));
  else if (step->row->kind == NEREID_OP_ARITH_SCALING_TRUNCF)
    good = mlirAttributeIsNull(nereid_arith_scaling_truncf_get_roundingmode_attr(step->op)) ||
           is_known(nereid_arith_scaling_truncf_get_roundingmode(step->op));
  return good || nereid_machine_error(step, "has a rounding mode that the interpreter does not handle");
}

static bool decode_region(nereid_machine_t *machine, MlirRegion region, MlirOperation owner,
                          nereid_code_region_t *code);

static bool decode_regions(nereid_machine_t *machine, nereid_step_t *step) {
  step->n_regions = (size_t)mlirOperationGetNumRegions(step->op);
  step->regions = nereid_arena_new(&machine->arena, nereid_code_region_t, step->n_regions);
  if (!step->regions)
    return nereid_machine_exhausted(machine);
  for (size_t i = 0; i < step->n_regions; ++i)
    if (!decode_region(machine, mlirOperationGetRegion(step->op, (intptr_t)i), step->op, &step->regions[i]))
      return false;
  return true;
}

static bool successors_of(nereid_machine_t *machine, const nereid_map_t *blocks, nereid_step_t *step) {
  step->n_successors = (size_t)mlirOperationGetNumSuccessors(step->op);
  step->successors = nereid_arena_new(&machine->arena, nereid_code_block_t *, step->n_successors);
  if (!step->successors)
    return nereid_machine_exhausted(machine);
  for (size_t i = 0; i < step->n_successors; ++i)
    step->successors[i] =
        (nereid_code_block_t *)*nereid_map_find(blocks, mlirOperationGetSuccessor(step->op, (intptr_t)i).ptr);
  return true;
}

/* Decodes the callee before anything runs. An undefined callee is an error when the call is reached. */
static bool decode_callee(nereid_machine_t *machine, MlirOperation call) {
  MlirOperation callee = nereidMlirSymbolTableLookupNearestFrom(call, nereid_tt_call_get_callee_attr(call));
  return mlirOperationIsNull(callee) || nereid_machine_function(machine, callee);
}

static bool has_views(const nereid_step_t *step) {
  for (size_t i = 0; i < step->n_operands; ++i)
    if (step->operands[i]->shape.local)
      return true;
  return false;
}

static bool decode_step(nereid_machine_t *machine, const nereid_map_t *blocks, MlirOperation op, nereid_step_t *step) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  step->machine = machine;
  step->op = op;
  step->row = kind < NEREID_OP_COUNT ? machine->rows[kind] : NULL;
  if (!step->row)
    return nereid_machine_error(step, "is not handled by the interpreter");
  if (!operands_of(machine, step) || !successors_of(machine, blocks, step) || !check_rounding(step))
    return false;
  step->detail = detail_of(op, kind);
  step->own = nereid_arena_new(&machine->arena, nereid_slot_t, step->row->n_own);
  if (!step->own)
    return nereid_machine_exhausted(machine);
  machine->is_ordered |= step->row->is_ordered;
  if (kind == NEREID_OP_TT_CALL && !decode_callee(machine, op))
    return false;
  if (kind == NEREID_OP_ARITH_SELECT && has_views(step))
    step->row = &nereid_machine_local_select;
  if (step->row->lane && has_views(step))
    return nereid_machine_error(step, "is not handled by the interpreter on buffers");
  return (!step->row->prepare || step->row->prepare(machine, step)) && decode_regions(machine, step);
}

/* --- blocks and regions --- */

static bool decode_block(nereid_machine_t *machine, const nereid_map_t *blocks, MlirBlock block,
                         nereid_code_block_t *code) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    ++code->n_steps;
  code->steps = nereid_arena_new(&machine->arena, nereid_step_t, code->n_steps);
  if (!code->steps)
    return nereid_machine_exhausted(machine);
  size_t i = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!decode_step(machine, blocks, op, &code->steps[i++]))
      return false;
  return true;
}

static bool arguments_of(nereid_machine_t *machine, MlirBlock block, MlirOperation owner, nereid_code_block_t *code) {
  code->n_arguments = (size_t)mlirBlockGetNumArguments(block);
  code->arguments = nereid_arena_new(&machine->arena, nereid_slot_t *, code->n_arguments);
  if (!code->arguments)
    return nereid_machine_exhausted(machine);
  for (size_t i = 0; i < code->n_arguments; ++i) {
    code->arguments[i] = slot_of(machine, mlirBlockGetArgument(block, (intptr_t)i), owner);
    if (!code->arguments[i])
      return false;
  }
  return true;
}

static bool is_lanewise(const nereid_code_region_t *code) {
  if (code->n_blocks != 1)
    return false;
  for (size_t i = 0; i < code->blocks[0].n_steps; ++i) {
    const nereid_machine_row_t *row = code->blocks[0].steps[i].row;
    if (!row->lane && row->ends != NEREID_ENDS_REGION && row->kind != NEREID_OP_ARITH_CONSTANT)
      return false;
  }
  return true;
}

static bool decode_region(nereid_machine_t *machine, MlirRegion region, MlirOperation owner,
                          nereid_code_region_t *code) {
  nereid_map_t blocks;
  nereid_map_initialize(&blocks, &machine->arena);
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    ++code->n_blocks;
  code->blocks = nereid_arena_new(&machine->arena, nereid_code_block_t, code->n_blocks);
  if (!code->blocks)
    return nereid_machine_exhausted(machine);
  size_t i = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block), ++i) {
    uintptr_t *place = nereid_map_insert(&blocks, block.ptr);
    if (!place)
      return nereid_machine_exhausted(machine);
    *place = (uintptr_t)&code->blocks[i];
    if (!arguments_of(machine, block, owner, &code->blocks[i]))
      return false;
  }
  i = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    if (!decode_block(machine, &blocks, block, &code->blocks[i++]))
      return false;
  code->lanewise = is_lanewise(code);
  return true;
}

nereid_function_t *nereid_machine_function(nereid_machine_t *machine, MlirOperation function) {
  uintptr_t *place = nereid_map_insert(&machine->functions, function.ptr);
  if (!place)
    return nereid_machine_exhausted(machine), NULL;
  nereid_function_t *code = (nereid_function_t *)*place;
  if (!code) {
    code = nereid_arena_new(&machine->arena, nereid_function_t, 1);
    if (!code)
      return nereid_machine_exhausted(machine), NULL;
    *place = (uintptr_t)code;
    code->op = function;
  }
  if (code->decoded)
    return code;
  code->decoded = true; /* also set while decoding: a recursive call is an error when it runs */
  MlirRegion body = nereid_tt_func_get_body(function);
  const nereid_step_t at = {.op = function};
  if (mlirBlockIsNull(mlirRegionGetFirstBlock(body)))
    return nereid_machine_error(&at, "has no body to run"), NULL;
  if (!decode_region(machine, body, function, &code->body))
    return NULL;
  return code;
}
