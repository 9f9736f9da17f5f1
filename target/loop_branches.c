/* Conditional branches at the end of loops lead to their start instead of their exit.
 *
 *   br (icmp eq %i, %n), label %exit, label %loop      →      br (icmp ne %i, %n), label %loop, label %exit
 *
 *   @%p bra $exit;                                            @%q bra $loop;
 *   bra.uni $loop;                                            $exit:
 *   $exit:
 *
 * LLVM's NVPTX backend does not reverse conditions, and emits two branches for the first form. ptxas 13.0 takes the
 * first one for an exit from the middle of a loop, and duplicates the body in order to rotate it: loops of
 * flash-linear-attention have 1,190 instead of 1,970 instructions without that, matmul_f16_odd_rows 226 registers
 * instead of 255. */
#include "target/loop_branches.h"

#include "base/map.h"
#include "base/vector.h"

#include <llvm-c/Core.h>

static LLVMIntPredicate inverse(LLVMIntPredicate predicate) {
  switch (predicate) {
  case LLVMIntEQ:
    return LLVMIntNE;
  case LLVMIntNE:
    return LLVMIntEQ;
  case LLVMIntUGT:
    return LLVMIntULE;
  case LLVMIntUGE:
    return LLVMIntULT;
  case LLVMIntULT:
    return LLVMIntUGE;
  case LLVMIntULE:
    return LLVMIntUGT;
  case LLVMIntSGT:
    return LLVMIntSLE;
  case LLVMIntSGE:
    return LLVMIntSLT;
  case LLVMIntSLT:
    return LLVMIntSGE;
  case LLVMIntSLE:
    return LLVMIntSGT;
  }
  return predicate;
}

/* Builds the negation of `condition` before `branch`. */
static LLVMValueRef negate(LLVMBuilderRef builder, LLVMValueRef condition, LLVMValueRef branch) {
  LLVMPositionBuilderBefore(builder, branch);
  if (!LLVMIsAICmpInst(condition))
    return LLVMBuildNot(builder, condition, "");
  return LLVMBuildICmp(builder, inverse(LLVMGetICmpPredicate(condition)), LLVMGetOperand(condition, 0),
                       LLVMGetOperand(condition, 1), "");
}

static void reverse(LLVMBuilderRef builder, LLVMValueRef branch) {
  LLVMValueRef condition = LLVMGetCondition(branch);
  LLVMBasicBlockRef exit = LLVMGetSuccessor(branch, 0);
  LLVMSetCondition(branch, negate(builder, condition, branch));
  LLVMSetSuccessor(branch, 0, LLVMGetSuccessor(branch, 1));
  LLVMSetSuccessor(branch, 1, exit);
  if (LLVMIsAICmpInst(condition) && !LLVMGetFirstUse(condition))
    LLVMInstructionEraseFromParent(condition);
}

/* --- back edges --- */

/* A block on the path of a depth-first traversal, and its next successor to visit. */
typedef struct visit {
  LLVMBasicBlockRef block;
  unsigned next;
} visit_t;

typedef struct order {
  nereid_arena_t *arena;
  nereid_map_t finished; /* block -> 1 when it is entered, later its place in postorder plus 2 */
  NEREID_VECTOR(visit_t) path;
} order_t;

static bool enter(order_t *order, LLVMBasicBlockRef block) {
  uintptr_t *known = nereid_map_insert(&order->finished, block);
  if (!known)
    return false;
  if (*known)
    return true;
  *known = 1;
  return nereid_vector_push(order->arena, &order->path, ((visit_t){block, 0}));
}

/* Numbers the blocks that are reached from the entry of a function, in postorder. */
static bool number_blocks(order_t *order, LLVMValueRef function) {
  uintptr_t count = 1;
  if (!enter(order, LLVMGetEntryBasicBlock(function)))
    return false;
  while (order->path.size) {
    visit_t *last = &order->path.data[order->path.size - 1];
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(last->block);
    if (last->next < LLVMGetNumSuccessors(terminator)) {
      if (!enter(order, LLVMGetSuccessor(terminator, last->next++)))
        return false;
      continue;
    }
    uintptr_t *place = nereid_map_insert(&order->finished, last->block);
    if (!place)
      return false;
    *place = ++count;
    --order->path.size;
  }
  return true;
}

/* Whether an edge leads to the start of a loop: it is finished after the blocks of the loop. */
static bool leads_back(const order_t *order, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  const uintptr_t *own = nereid_map_find(&order->finished, from), *other = nereid_map_find(&order->finished, to);
  return own && other && *other >= *own;
}

static bool rewrite(LLVMBuilderRef builder, LLVMValueRef function, nereid_arena_t *scratch) {
  order_t order = {.arena = scratch};
  nereid_map_initialize(&order.finished, scratch);
  if (!number_blocks(&order, function))
    return false;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    if (LLVMIsABranchInst(branch) && LLVMIsConditional(branch) &&
        leads_back(&order, block, LLVMGetSuccessor(branch, 1)) &&
        !leads_back(&order, block, LLVMGetSuccessor(branch, 0)))
      reverse(builder, branch);
  }
  return true;
}

bool nereid_target_branch_to_headers(LLVMModuleRef module, nereid_arena_t *scratch) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  bool good = true;
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function && good; function = LLVMGetNextFunction(function))
    good = LLVMIsDeclaration(function) || rewrite(builder, function, scratch);
  LLVMDisposeBuilder(builder);
  return good;
}
