/* nereid-hoist-dots: issues a dot of warp groups before the ops that use the result of an earlier dot.
 *
 *   %s = ttng.warp_group_dot %k, %q                    %s = ttng.warp_group_dot %k, %q
 *   %p = math.exp2 %s                                  %t = tt.descriptor_load %desc[%i, %j]
 *   %t = tt.descriptor_load %desc[%i, %j]        ->    %b = ttg.local_alloc %t
 *   %b = ttg.local_alloc %t                            %d = ttng.warp_group_dot %v, %b
 *   %d = ttng.warp_group_dot %v, %b                    %p = math.exp2 %s
 *   %r = arith.mulf %p, %d                             %r = arith.mulf %p, %d
 *
 * wgmma runs asynchronously, but in the order of the program: tensor cores execute %d while threads compute %p. Only
 * dots of loop bodies move, together with the ops that compute their operands, if these do not depend on the earlier
 * dot, write no memory and read none that is written in between. The results of all dots of the body are then live at
 * the same time, so the body is unchanged if registers do not suffice. */
#include "passes/dot/dot_registers.h"
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "base/map.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttng.h"
#include "seam/effects.h"

enum {
  OTHER_REGISTERS = 40, /* per thread, next to the results of dots */
  EARLIER_DOTS = 8      /* candidates for each dot, the nearest ones, which bounds the work in long bodies */
};

/* The ops between two dots of a block. */
typedef struct range {
  MlirOperation earlier, later;
  nereid_operations_t ops; /* the ops after `earlier`, up to and including `later` */
  nereid_map_t slice;      /* `later` and the ops that compute its operands */
  bool reads;              /* an op of the slice reads memory */
  bool writes;             /* another op writes memory, or its effects are unknown */
} range_t;

static bool is_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT;
}

static void note_effect(NereidMlirEffect effect, MlirValue value, NereidMlirResource resource, void *user_data) {
  unsigned *effects = user_data;
  (void)value, (void)resource;
  *effects |= effect;
}

/* A set of NereidMlirEffect. An allocation with its first contents has no other effect. */
static unsigned effects_of(MlirOperation op) {
  unsigned effects = 0;
  if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op) > 0)
    return NereidMlirEffectAllocate;
  return nereidMlirOperationWalkEffects(op, note_effect, &effects) ? effects : NereidMlirEffectWrite;
}

static bool is_used_by_slice(const range_t *range, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (nereid_map_find(&range->slice, mlirOpOperandGetOwner(use).ptr))
        return true;
  return false;
}

/* Collects the slice; false if one of its ops cannot move. */
static bool collect_slice(range_t *range) {
  for (size_t i = range->ops.size; i-- > 0;) {
    MlirOperation op = range->ops.data[i];
    const bool is_later = mlirOperationEqual(op, range->later);
    const unsigned effects = effects_of(op);
    if (!is_later && !is_used_by_slice(range, op)) {
      range->writes |= effects & (NereidMlirEffectWrite | NereidMlirEffectFree);
      continue;
    }
    uintptr_t *place = nereid_map_insert(&range->slice, op.ptr);
    if (!place || (!is_later && is_dot(op)) || mlirOperationGetNumRegions(op) || (effects & NereidMlirEffectWrite))
      return false;
    *place = 1;
    range->reads |= effects & NereidMlirEffectRead;
  }
  return !is_used_by_slice(range, range->earlier);
}

/* Whether an op of the range, but not of the slice, waits for `earlier`. */
static bool has_user(const range_t *range) {
  MlirValue result = nereid_ir_result(range->earlier);
  MlirBlock block = mlirOperationGetBlock(range->earlier);
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = nereid_ir_ancestor_in(block, mlirOpOperandGetOwner(use));
    if (!mlirOperationIsNull(user) && mlirOperationIsBeforeInBlock(user, range->later))
      return true;
  }
  return false;
}

static void move_slice(const range_t *range) {
  MlirOperation last = range->earlier;
  for (size_t i = 0; i < range->ops.size; ++i)
    if (nereid_map_find(&range->slice, range->ops.data[i].ptr)) {
      mlirOperationMoveAfter(range->ops.data[i], last);
      last = range->ops.data[i];
    }
}

static bool make_range(MlirOperation earlier, MlirOperation later, nereid_arena_t *arena, range_t *out) {
  MlirOperation op = earlier;
  *out = (range_t){.earlier = earlier, .later = later};
  nereid_map_initialize(&out->slice, arena);
  do {
    op = mlirOperationGetNextInBlock(op);
    nereid_vector_push(arena, &out->ops, op);
  } while (!mlirOperationEqual(op, later));
  return !arena->failed;
}

/* Moves `dot` to the first of the earlier dots on which it does not depend. */
static bool hoist(nereid_pass_t *pass, MlirOperation dot, const nereid_operations_t *dots, size_t position) {
  for (size_t i = position > EARLIER_DOTS ? position - EARLIER_DOTS : 0; i < position; ++i) {
    range_t range;
    if (!make_range(dots->data[i], dot, pass->scratch, &range) || !has_user(&range) || !collect_slice(&range) ||
        (range.reads && range.writes))
      continue;
    move_slice(&range);
    nereid_pass_remark_passed(pass, dot, "hoisted", "is issued before the ops that use the result of an earlier dot");
    return true;
  }
  return false;
}

static int64_t hoist_in(nereid_pass_t *pass, MlirBlock body) {
  nereid_operations_t dots = {0};
  int64_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_dot(op))
      nereid_vector_push(pass->scratch, &dots, op);
  if (dots.size < 2 ||
      nereid_dot_result_registers(body) + OTHER_REGISTERS > nereid_dot_registers_per_thread(dots.data[0]))
    return 0;
  for (size_t i = 1; i < dots.size; ++i)
    count += hoist(pass, dots.data[i], &dots, i);
  return count;
}

MlirLogicalResult nereid_pass_hoist_dots(nereid_pass_t *pass) {
  nereid_operations_t loops = {0};
  int64_t count = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_SCF_FOR, pass->scratch, &loops))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < loops.size; ++i)
    count += hoist_in(pass, mlirRegionGetFirstBlock(mlirOperationGetRegion(loops.data[i], 0)));
  nereid_pass_statistic_add(pass, "dots-hoisted", count);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
