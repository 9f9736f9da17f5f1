/* Operands of dots that are in shared memory at a time; see operand_group.h.
 *
 *   %d = tt.dot %a_small, %b_big, %c     the three dots of tf32x3 share %a_big and %b_big: four buffers
 *   %e = tt.dot %a_big, %b_small, %d
 *   %f = tt.dot %a_big, %b_big, %e */
#include "passes/dot/operand_group.h"

#include "nereid/dialects/ops.h"
#include "passes/dot/operand_source.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <stdbool.h>

enum { MAX_DOTS = 8 };

typedef struct group {
  MlirBlock block;
  MlirOperation dots[MAX_DOTS];
  MlirValue values[2 * MAX_DOTS]; /* distinct operands, before conversions of their layouts */
  int n_dots, n_values;
  bool overflows;
} group_t;

static void add_dot(group_t *group, MlirOperation dot) {
  for (int i = 0; i < group->n_dots; ++i)
    if (mlirOperationEqual(group->dots[i], dot))
      return;
  if (group->n_dots == MAX_DOTS)
    group->overflows = true;
  else
    group->dots[group->n_dots++] = dot;
}

/* Adds the dots that use `value`, also converted to another layout. */
static void add_users(group_t *group, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use) && !group->overflows;
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) == NEREID_OP_TTG_CONVERT_LAYOUT)
      add_users(group, mlirOperationGetResult(user, 0));
    else if (nereid_op_kind(user) == NEREID_OP_TT_DOT && mlirOpOperandGetOperandNumber(use) < 2 &&
             mlirBlockEqual(mlirOperationGetBlock(user), group->block))
      add_dot(group, user);
  }
}

static void add_value(group_t *group, MlirValue value) {
  for (int i = 0; i < group->n_values; ++i)
    if (mlirValueEqual(group->values[i], value))
      return;
  group->values[group->n_values++] = value;
  add_users(group, value);
}

static int64_t bytes_of(MlirValue value) {
  MlirType type = mlirValueGetType(value), element = mlirShapedTypeGetElementType(type);
  int64_t bits =
      mlirTypeIsAInteger(element) ? (int64_t)mlirIntegerTypeGetWidth(element) : (int64_t)mlirFloatTypeGetWidth(element);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    bits *= mlirShapedTypeGetDimSize(type, d);
  return bits / 8;
}

int64_t nereid_dot_operand_group_bytes(MlirOperation dot) {
  group_t group = {.block = mlirOperationGetBlock(dot)};
  int64_t bytes = 0;
  add_dot(&group, dot);
  for (int i = 0; i < group.n_dots && !group.overflows; ++i)
    for (int index = 0; index < 2; ++index) {
      const nereid_dot_operand_t operand = nereid_dot_operand_of(group.dots[i], index);
      if (index == 1 || operand.kind == NEREID_DOT_A_STORED)
        add_value(&group, operand.value);
    }
  for (int i = 0; i < group.n_values; ++i)
    bytes += bytes_of(group.values[i]);
  return group.overflows ? 0 : bytes;
}
