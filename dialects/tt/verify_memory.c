/* Verifiers of casts, pointer arithmetic, loads, stores and atomics: constraints beyond the type constraints of the
 * declarations.
 *
 *   %y = tt.bitcast %x : f32 -> i16                  error: ... got 32 bits to 16 bits
 *   tt.load %p, %m {boundaryCheck = array<i32: 2>}   error: ... dimension 2 of a block of rank 2 */
#include "bindings/tt_hooks.h"
#include "dialects/diagnose.h"
#include "dialects/tt/tensor.h"
#include "dialects/tt/verify.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* --- casts --- */

static MlirType element_of(MlirValue value) {
  return nereid_tt_element_type(mlirValueGetType(value));
}

MlirLogicalResult nereid_tt_bitcast_verify(MlirOperation op) {
  MlirType from = element_of(nereid_tt_bitcast_get_src(op)), to = element_of(nereid_tt_bitcast_get_result(op));
  bool from_pointer = nereid_tt_ptr_type_isa(from), to_pointer = nereid_tt_ptr_type_isa(to);
  if (from_pointer != to_pointer)
    return nereid_diagnose(
        op, "expects pointers or no pointers on both sides, got %s to %s (tt.ptr_to_int and tt.int_to_ptr convert)",
        nereid_text_of_type(from).chars, nereid_text_of_type(to).chars);
  if (from_pointer) {
    int from_space = nereid_tt_ptr_type_get_address_space(from), to_space = nereid_tt_ptr_type_get_address_space(to);
    if (from_space != to_space)
      return nereid_diagnose(op, "expects pointers of one address space, got %d and %d", from_space, to_space);
    return mlirLogicalResultSuccess();
  }
  unsigned from_bits = nereid_tt_bit_width(from), to_bits = nereid_tt_bit_width(to);
  if (from_bits != to_bits)
    return nereid_diagnose(op, "expects types of one width, got %u bits to %u bits", from_bits, to_bits);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_fp_to_fp_verify(MlirOperation op) {
  MlirType from = element_of(nereid_tt_fp_to_fp_get_src(op)), to = element_of(nereid_tt_fp_to_fp_get_result(op));
  bool rounded = !mlirAttributeIsNull(nereid_tt_fp_to_fp_get_rounding_attr(op));
  if (!rounded && nereid_tt_bit_width(to) < nereid_tt_bit_width(from))
    return nereid_diagnose(op, "expects 'rounding = rtne' or 'rounding = rtz' to convert %s to the narrower %s",
                           nereid_text_of_type(from).chars, nereid_text_of_type(to).chars);
  return mlirLogicalResultSuccess();
}

/* --- pointer arithmetic --- */

MlirLogicalResult nereid_tt_addptr_verify(MlirOperation op) {
  MlirType pointer = element_of(nereid_tt_addptr_get_ptr(op));
  if (!mlirTypeIsNull(nereid_tt_block_of_pointer(pointer)))
    return nereid_diagnose(op, "expects pointers to scalars, got the block pointer %s (use tt.advance)",
                           nereid_text_of_type(pointer).chars);
  return mlirLogicalResultSuccess();
}

static intptr_t block_rank(MlirType pointer) {
  return mlirShapedTypeGetRank(nereid_tt_block_of_pointer(pointer));
}

MlirLogicalResult nereid_tt_advance_verify(MlirOperation op) {
  MlirType pointer = mlirValueGetType(nereid_tt_advance_get_ptr(op));
  intptr_t given = nereid_tt_advance_get_offsets_count(op);
  if (given != block_rank(pointer))
    return nereid_diagnose(op, "expects %ld offsets, one per dimension of the block, got %ld",
                           (long)block_rank(pointer), (long)given);
  return mlirLogicalResultSuccess();
}

/* Returns whether `order` is a permutation of 0 .. rank-1. */
static bool is_permutation(MlirAttribute order, intptr_t rank) {
  uint64_t seen = 0;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(order); i++) {
    int32_t dim = mlirDenseI32ArrayGetElement(order, i);
    if (dim < 0 || dim >= rank || (seen >> dim & 1))
      return false;
    seen |= (uint64_t)1 << dim;
  }
  return mlirDenseArrayGetNumElements(order) == rank && rank <= NEREID_TT_MAX_RANK;
}

MlirLogicalResult nereid_tt_make_tensor_ptr_verify(MlirOperation op) {
  intptr_t rank = block_rank(mlirValueGetType(nereid_tt_make_tensor_ptr_get_result(op)));
  intptr_t given = nereid_tt_make_tensor_ptr_get_shape_count(op);
  if (given != rank)
    return nereid_diagnose(op, "expects %ld sizes, strides and offsets, one per dimension of the block, got %ld",
                           (long)rank, (long)given);
  MlirAttribute order = nereid_tt_make_tensor_ptr_get_order_attr(op);
  if (!is_permutation(order, rank))
    return nereid_diagnose(op, "expects order to be a permutation of the block's %ld dimensions, got %s", (long)rank,
                           nereid_text_of_attribute(order).chars);
  return mlirLogicalResultSuccess();
}

/* --- loads and stores --- */

static MlirLogicalResult verify_boundary_check(MlirOperation op, MlirValue pointer, MlirAttribute dims) {
  intptr_t count = mlirAttributeIsNull(dims) ? 0 : mlirDenseArrayGetNumElements(dims);
  MlirType type = mlirValueGetType(pointer), block = nereid_tt_block_of_pointer(type);
  if (count == 0)
    return mlirLogicalResultSuccess();
  if (mlirTypeIsNull(block))
    return nereid_diagnose(op, "expects a block pointer with boundaryCheck, got %s", nereid_text_of_type(type).chars);
  for (intptr_t i = 0; i < count; i++) {
    int32_t dim = mlirDenseI32ArrayGetElement(dims, i);
    if (dim < 0 || dim >= mlirShapedTypeGetRank(block))
      return nereid_diagnose(op, "expects boundaryCheck to name dimensions 0 to %ld of the block, got %d",
                             (long)mlirShapedTypeGetRank(block) - 1, dim);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_required_operands_verify(MlirOperation op, intptr_t required) {
  MlirAttribute sizes =
      mlirOperationGetInherentAttributeByName(op, mlirStringRefCreateFromCString("operandSegmentSizes"));
  for (intptr_t i = 0; i < required; i++)
    if (mlirDenseI32ArrayGetElement(sizes, i) != 1)
      return nereid_diagnose(op, "expects 1 value for operand #%ld, got %d by operandSegmentSizes", (long)i,
                             mlirDenseI32ArrayGetElement(sizes, i));
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_load_verify(MlirOperation op) {
  if (mlirLogicalResultIsFailure(nereid_tt_required_operands_verify(op, 1)))
    return mlirLogicalResultFailure();
  if (!mlirValueIsNull(nereid_tt_load_get_other(op)) && mlirValueIsNull(nereid_tt_load_get_mask(op)))
    return nereid_diagnose(op, "expects a mask together with 'other', the value of masked-off elements");
  return verify_boundary_check(op, nereid_tt_load_get_ptr(op), nereid_tt_load_get_boundary_check_attr(op));
}

MlirLogicalResult nereid_tt_store_verify(MlirOperation op) {
  return verify_boundary_check(op, nereid_tt_store_get_ptr(op), nereid_tt_store_get_boundary_check_attr(op));
}

/* --- atomics --- */

static MlirLogicalResult verify_order(MlirOperation op, nereid_tt_mem_semantic_t order, nereid_tt_mem_semantic_t strong,
                                      const char *names) {
  if (order == NEREID_TT_MEM_SEMANTIC_RELAXED || order == strong)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects the order %s", names);
}

MlirLogicalResult nereid_tt_atomic_load_verify(MlirOperation op) {
  return verify_order(op, nereid_tt_atomic_load_get_sem(op), NEREID_TT_MEM_SEMANTIC_ACQUIRE, "relaxed or acquire");
}

MlirLogicalResult nereid_tt_atomic_store_verify(MlirOperation op) {
  return verify_order(op, nereid_tt_atomic_store_get_sem(op), NEREID_TT_MEM_SEMANTIC_RELEASE, "relaxed or release");
}

MlirLogicalResult nereid_tt_atomic_poll_verify(MlirOperation op) {
  MlirType element = element_of(nereid_tt_atomic_poll_get_expected(op));
  const unsigned bits = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 0;
  if (bits != 16 && bits != 32 && bits != 64)
    return nereid_diagnose(op, "expects integers of 16, 32 or 64 bits, got %s", nereid_text_of_type(element).chars);
  return verify_order(op, nereid_tt_atomic_poll_get_sem(op), NEREID_TT_MEM_SEMANTIC_ACQUIRE, "relaxed or acquire");
}

MlirLogicalResult nereid_tt_rmw_function_verify(MlirOperation op, nereid_tt_rmw_op_t function, MlirType element) {
  bool is_float = mlirTypeIsAFloat(element), wants_float = false;
  switch (function) {
  case NEREID_TT_RMW_OP_XCHG:
    return mlirLogicalResultSuccess();
  case NEREID_TT_RMW_OP_MAX:
  case NEREID_TT_RMW_OP_MIN:
    wants_float = is_float;
    break;
  case NEREID_TT_RMW_OP_FADD:
    wants_float = true;
    break;
  default:
    break;
  }
  if (is_float != wants_float || nereid_tt_ptr_type_isa(element))
    return nereid_diagnose(op, "expects %s elements for this function, got %s", wants_float ? "float" : "integer",
                           nereid_text_of_type(element).chars);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_tt_atomic_rmw_verify(MlirOperation op) {
  return nereid_tt_rmw_function_verify(op, nereid_tt_atomic_rmw_get_atomic_rmw_op(op),
                                       element_of(nereid_tt_atomic_rmw_get_val(op)));
}

MlirLogicalResult nereid_tt_print_verify(MlirOperation op) {
  MlirAttribute is_signed = nereid_tt_print_get_is_signed_attr(op);
  intptr_t arguments = nereid_tt_print_get_args_count(op);
  if (mlirDenseArrayGetNumElements(is_signed) < arguments)
    return nereid_diagnose(op, "expects isSigned to have an entry for each of %ld arguments, got %s", (long)arguments,
                           nereid_text_of_attribute(is_signed).chars);
  return mlirLogicalResultSuccess();
}
