/* Operands of tf32; see tf32.h.
 *
 *   setp.lt.f32 finite, |x|, inf ; mov.b32 y, x ; @finite add.s32 y, y, 4096
 *
 * Two instructions; cvt.rna.tf32 has three, as it also clears the lower bits, and makes a zero of the NaN
 * 0x7fffffff. */
#include "conversion/ttg_to_llvm/dot/tf32.h"

#include "conversion/ttg_to_llvm/emit.h"

#include "dialects/defining_op.h"
#include "nereid/dialects/tt.h"
#include "seam/ir.h"

#include <string.h>

enum { MAX_LOOK = 8, LOWER_BITS = 0x1fff };

/* Whether `value` is the bits of f32 without the lower ones. */
static bool is_masked(MlirValue value) {
  MlirOperation op = nereid_defining_op_of_kind(value, NEREID_OP_ARITH_ANDI);
  MlirAttribute mask = {NULL};
  if (!mlirOperationIsNull(op))
    mask = nereidMlirValueGetConstant(mlirOperationGetOperand(op, 1));
  if (mlirAttributeIsNull(mask) || !mlirAttributeIsADenseElements(mask) || !mlirDenseElementsAttrIsSplat(mask))
    return false;
  MlirAttribute splat = mlirDenseElementsAttrGetSplatValue(mask);
  return mlirAttributeIsAInteger(splat) && !((uint32_t)mlirIntegerAttrGetValueInt(splat) & LOWER_BITS);
}

/* Whether `text` is the one instruction that rounds to tf32. */
static bool is_rounding(MlirStringRef text) {
  static const char instruction[] = "cvt.rna.tf32.f32 $0, $1;";
  return text.length == sizeof instruction - 1 && memcmp(text.data, instruction, text.length) == 0;
}

bool nereid_tf32_is_exact(MlirValue value) {
  for (int i = 0; i < MAX_LOOK; ++i) {
    MlirOperation op = nereid_defining_op(value);
    if (mlirOperationIsNull(op))
      return false;
    switch (nereid_op_kind(op)) {
    case NEREID_OP_ARITH_EXTF:
      return true; /* f16, bf16 and fp8 have at most 10 bits of mantissa */
    case NEREID_OP_ARITH_BITCAST:
      return is_masked(mlirOperationGetOperand(op, 0));
    case NEREID_OP_TT_ELEMENTWISE_INLINE_ASM:
      return is_rounding(nereid_tt_elementwise_inline_asm_get_asm_string(op));
    case NEREID_OP_TTG_CONVERT_LAYOUT:
    case NEREID_OP_TT_TRANS:
    case NEREID_OP_TT_RESHAPE:
    case NEREID_OP_TT_BROADCAST:
    case NEREID_OP_TT_SPLAT:
      value = mlirOperationGetOperand(op, 0);
      break;
    default:
      return false;
    }
  }
  return false;
}

MlirValue nereid_tf32_round(nereid_lower_t *lower, MlirValue value) {
  static const char text[] = "{\n\t.reg .pred finite;\n\t.reg .f32 magnitude;\n\t"
                             "abs.f32 magnitude, $1;\n\t"
                             "setp.lt.f32 finite, magnitude, 0f7F800000;\n\t"
                             "mov.b32 $0, $1;\n\t"
                             "@finite add.s32 $0, $0, 4096;\n\t}";
  MlirValue rounded;
  nereid_emit_asm(lower, text, "=&r,f", false, 1, &lower->types->i32, 1, &value, &rounded);
  return rounded;
}
