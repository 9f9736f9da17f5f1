/* Operand A of wgmma in registers; see operand_registers.h.
 *
 *   scf.for … iter_args(%p):                       operand A is carried; its producer is %h
 *     ttng.warp_group_dot %p, %v, %acc
 *     %h = arith.truncf …
 *     %n = ttg.convert_layout %h
 *     scf.yield %n
 */
#include "passes/pipelining/dots/operand_registers.h"

#include "dialects/defining_op.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

/* `value` before conversions of its layout. */
static MlirValue before_conversions(MlirValue value) {
  for (MlirOperation op = nereid_defining_op_of_kind(value, NEREID_OP_TTG_CONVERT_LAYOUT); !mlirOperationIsNull(op);
       op = nereid_defining_op_of_kind(value, NEREID_OP_TTG_CONVERT_LAYOUT))
    value = mlirOperationGetOperand(op, 0);
  return value;
}

bool nereid_operand_is_carried(MlirBlock block, MlirOperation dot) {
  MlirValue a = nereid_ttng_warp_group_dot_get_a(dot);
  if (nereid_op_kind(mlirBlockGetParentOperation(block)) != NEREID_OP_SCF_FOR ||
      nereid_ttg_memdesc_type_isa(mlirValueGetType(a)))
    return false;
  a = before_conversions(a);
  return mlirValueIsABlockArgument(a) && mlirBlockEqual(mlirBlockArgumentGetOwner(a), block);
}

MlirOperation nereid_operand_producer(MlirBlock block, MlirOperation dot) {
  MlirValue a = nereid_ttng_warp_group_dot_get_a(dot);
  if (nereid_ttg_memdesc_type_isa(mlirValueGetType(a)))
    return (MlirOperation){NULL};
  a = before_conversions(a);
  if (nereid_operand_is_carried(block, dot))
    a = before_conversions(
        mlirOperationGetOperand(mlirBlockGetTerminator(block), mlirBlockArgumentGetArgNumber(a) - 1));
  MlirOperation op = nereid_defining_op(a);
  const bool here = !mlirOperationIsNull(op) && mlirBlockEqual(mlirOperationGetBlock(op), block);
  return here ? op : (MlirOperation){NULL};
}
