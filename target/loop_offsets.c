/* Pointers of asynchronous copies that a loop advances by the same step become their initial values plus one offset.
 *
 *   %p = phi ptr [ %p0, %before ], [ %p1, %loop ]           %o = phi i64 [ 0, %before ], [ %o1, %loop ]
 *   %q = phi ptr [ %q0, %before ], [ %q1, %loop ]      →    %p = getelementptr i8, ptr %p0, i64 (opaque %o)
 *   %p1 = getelementptr i8, ptr %p, i64 128                 %q = getelementptr i8, ptr %q0, i64 (opaque %o)
 *   %q1 = getelementptr i8, ptr %q, i64 128                 %o1 = add i64 %o, 128
 *
 * A loop over the tiles of a matrix has up to 16 such pointers. The code generator's loop strength reduction gives each
 * an addition of its own, to an invariant part and to a carried one, and ptxas moves the halves of the results into
 * adjacent registers: five instructions per copy, many of them IMAD, which delay tensor cores, since both access the
 * same registers. With an offset in uniform registers there are two, IADD3 and IADD3.X. On an H200, a matrix
 * multiplication with 16 such copies (128x128x64, b transposed) executes in 285,000 cycles instead of 351,000.
 *
 * The offset is opaque so that loop strength reduction does not undo this. Pointers of loads into registers are left
 * as they are: where ptxas places the loads then depends on them. */
#include "target/loop_offsets.h"

#include "base/map.h"
#include "base/vector.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum {
  MIN_BASES = 6, /* with 4 there are no fewer instructions, and a few more registers */
  MAX_DEPTH = 8,
};

/* A pointer of a loop: `phi` has the value `initial` in the first iteration and `next` = `phi` + step elements. */
typedef struct loop_pointer {
  LLVMValueRef phi, initial, next;
  LLVMTypeRef element;
  LLVMValueRef step;
} loop_pointer_t;

typedef NEREID_VECTOR(loop_pointer_t) loop_pointers_t;

typedef struct loop {
  LLVMBasicBlockRef header, before, latch;
  nereid_map_t blocks;
} loop_t;

/* --- loops --- */

typedef NEREID_VECTOR(LLVMBasicBlockRef) blocks_t;

static bool add_block(nereid_arena_t *arena, loop_t *loop, blocks_t *pending, LLVMBasicBlockRef block) {
  uintptr_t *known = nereid_map_insert(&loop->blocks, block);
  if (!known)
    return false;
  if (*known)
    return true;
  *known = 1;
  return nereid_vector_push(arena, pending, block);
}

/* Collects the blocks from which the latch is reached without the header. They include the entry of the function if the
 * header does not dominate the latch. */
static bool collect_blocks(nereid_arena_t *arena, loop_t *loop) {
  blocks_t pending = {0};
  nereid_map_initialize(&loop->blocks, arena);
  uintptr_t *header = nereid_map_insert(&loop->blocks, loop->header);
  if (!header)
    return false;
  *header = 1;
  bool done = add_block(arena, loop, &pending, loop->latch);
  while (done && pending.size) {
    LLVMBasicBlockRef block = pending.data[--pending.size];
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use && done; use = LLVMGetNextUse(use))
      if (LLVMIsATerminatorInst(LLVMGetUser(use)))
        done = add_block(arena, loop, &pending, LLVMGetInstructionParent(LLVMGetUser(use)));
  }
  return done;
}

static bool is_in(const loop_t *loop, LLVMBasicBlockRef block) {
  return nereid_map_find(&loop->blocks, block) != NULL;
}

static bool is_invariant(const loop_t *loop, LLVMValueRef value) {
  return !LLVMIsAInstruction(value) || !is_in(loop, LLVMGetInstructionParent(value));
}

/* Whether `block` is the header of a loop with one entry and one latch; `phi` is in it. */
static bool find_loop(nereid_arena_t *arena, LLVMValueRef phi, unsigned latch, loop_t *loop, bool *out_found) {
  loop->header = LLVMGetInstructionParent(phi);
  loop->latch = LLVMGetIncomingBlock(phi, latch);
  loop->before = LLVMGetIncomingBlock(phi, !latch);
  if (!collect_blocks(arena, loop))
    return false;
  *out_found =
      !is_in(loop, LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(loop->header))) && !is_in(loop, loop->before);
  return true;
}

/* --- their pointers --- */

static bool is_global_pointer(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) <= 1;
}

/* Whether incoming value `latch` of `phi` is the pointer itself plus elements. */
static bool match_pointer(LLVMValueRef phi, unsigned latch, loop_pointer_t *pointer) {
  LLVMValueRef next = LLVMGetIncomingValue(phi, latch);
  if (!LLVMIsAGetElementPtrInst(next) || LLVMGetNumOperands(next) != 2 || LLVMGetOperand(next, 0) != phi)
    return false;
  *pointer = (loop_pointer_t){phi, LLVMGetIncomingValue(phi, !latch), next, LLVMGetGEPSourceElementType(next),
                              LLVMGetOperand(next, 1)};
  return LLVMGetTypeKind(LLVMTypeOf(pointer->step)) == LLVMIntegerTypeKind;
}

/* `value` without constants that are added to it. */
static LLVMValueRef without_constant(LLVMValueRef value) {
  for (;;) {
    const LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMRet;
    const bool sum = opcode == LLVMAdd || (opcode == LLVMOr && LLVMGetIsDisjoint(value)) ||
                     (opcode == LLVMGetElementPtr && LLVMGetNumOperands(value) == 2);
    if (!sum || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
      return value;
    value = LLVMGetOperand(value, 0);
  }
}

/* Whether `a` and `b` differ by a constant, judged by the expressions that compute them. */
static bool differ_by_constant(LLVMValueRef a, LLVMValueRef b, int depth) {
  a = without_constant(a);
  b = without_constant(b);
  if (a == b || (LLVMIsAConstantInt(a) && LLVMIsAConstantInt(b)))
    return true;
  if (depth == 0 || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
      LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b))
    return false;
  switch (LLVMGetInstructionOpcode(a)) {
  case LLVMZExt:
  case LLVMSExt:
    return differ_by_constant(LLVMGetOperand(a, 0), LLVMGetOperand(b, 0), depth - 1);
  case LLVMShl:
  case LLVMMul:
    return LLVMIsAConstantInt(LLVMGetOperand(a, 1)) && LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1) &&
           differ_by_constant(LLVMGetOperand(a, 0), LLVMGetOperand(b, 0), depth - 1);
  case LLVMGetElementPtr:
    if (LLVMGetNumOperands(a) != 2 || LLVMGetNumOperands(b) != 2 ||
        LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
      return false;
    // fall through
  case LLVMAdd:
    return differ_by_constant(LLVMGetOperand(a, 0), LLVMGetOperand(b, 0), depth - 1) &&
           differ_by_constant(LLVMGetOperand(a, 1), LLVMGetOperand(b, 1), depth - 1);
  default:
    return false;
  }
}

static bool is_copy(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction) || !LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
    return false;
  size_t size;
  const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(instruction), &size);
  static const char copy[] = "cp.async";
  return memmem(text, size, copy, sizeof copy - 1) != NULL;
}

/* Whether only asynchronous copies use the address `value` and those computed from it, except `phi`. */
static bool is_for_copies(LLVMValueRef value, LLVMValueRef phi) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (user != phi && !is_copy(user) && !(LLVMIsAGetElementPtrInst(user) && is_for_copies(user, phi)))
      return false;
  }
  return true;
}

static bool find_pointer(LLVMValueRef phi, loop_pointer_t *pointer, unsigned *out_latch) {
  if (!is_global_pointer(LLVMTypeOf(phi)) || LLVMCountIncoming(phi) != 2)
    return false;
  for (*out_latch = 0; *out_latch < 2; *out_latch += 1)
    if (match_pointer(phi, *out_latch, pointer))
      return is_for_copies(phi, phi);
  return false;
}

static LLVMValueRef first_after_phis(LLVMBasicBlockRef block) {
  LLVMValueRef at = LLVMGetFirstInstruction(block);
  while (LLVMIsAPHINode(at))
    at = LLVMGetNextInstruction(at);
  return at;
}

/* The number of pointers that are not at a constant distance from an earlier one. The others need no addition with loop
 * strength reduction: the distance is an immediate operand of the copy. */
static size_t count_bases(const loop_pointers_t *pointers) {
  size_t count = 0;
  for (size_t i = 0; i < pointers->size; i++) {
    size_t j = 0;
    while (j < i && !differ_by_constant(pointers->data[j].initial, pointers->data[i].initial, MAX_DEPTH))
      j++;
    count += j == i;
  }
  return count;
}

/* Collects the pointers of the loop that advance as `first` does, and it. */
static bool collect_pointers(nereid_arena_t *arena, const loop_pointer_t *first, unsigned latch,
                             loop_pointers_t *pointers) {
  loop_pointer_t pointer;
  unsigned place;
  for (LLVMValueRef phi = first->phi; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
    if (find_pointer(phi, &pointer, &place) && place == latch && pointer.step == first->step &&
        pointer.element == first->element && !nereid_vector_push(arena, pointers, pointer))
      return false;
  return true;
}

/* --- the rewrite --- */

/* The step in bytes, as i64, computed before the loop. */
static LLVMValueRef emit_step(LLVMBuilderRef builder, const loop_t *loop, const loop_pointer_t *pointer) {
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(loop->header));
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
  unsigned long long size = LLVMABISizeOfType(LLVMGetModuleDataLayout(module), pointer->element);
  LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(loop->before));
  LLVMValueRef step = LLVMBuildIntCast2(builder, pointer->step, i64, true, "");
  return size == 1 ? step : LLVMBuildMul(builder, step, LLVMConstInt(i64, size, false), "");
}

/* Returns `value` as the result of an instruction that LLVM does not analyze. ptxas removes it. */
static LLVMValueRef emit_opaque(LLVMBuilderRef builder, LLVMValueRef value) {
  static const char text[] = "mov.b64 $0, $1;", constraints[] = "=l,l";
  LLVMTypeRef i64 = LLVMTypeOf(value), type = LLVMFunctionType(i64, &i64, 1, false);
  LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof text - 1, constraints, sizeof constraints - 1, false, false,
                                       LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(builder, type, code, &value, 1, "");
}

/* Emits the offsets of the current iteration and of the next one at the start of the header. */
static void emit_offsets(LLVMBuilderRef builder, const loop_t *loop, LLVMValueRef step, LLVMValueRef out_offsets[2]) {
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(loop->header));
  LLVMValueRef offset = LLVMBuildPhi(builder, LLVMTypeOf(step), "");
  LLVMPositionBuilderBefore(builder, first_after_phis(loop->header));
  LLVMValueRef next = LLVMBuildAdd(builder, offset, step, "");
  LLVMValueRef values[] = {LLVMConstNull(LLVMTypeOf(step)), next};
  LLVMBasicBlockRef blocks[] = {loop->before, loop->latch};
  LLVMAddIncoming(offset, values, blocks, 2);
  out_offsets[0] = emit_opaque(builder, offset);
  out_offsets[1] = LLVMIsConstant(step) ? NULL : emit_opaque(builder, next);
}

static LLVMValueRef emit_address(LLVMBuilderRef builder, const loop_pointer_t *pointer, LLVMValueRef offset) {
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(offset));
  LLVMTypeRef byte = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(offset)), 8);
  return LLVMBuildGEP2(builder, byte, pointer->initial, &offset, 1, "");
}

/* Replaces a pointer of the loop. Copies at a constant step from it, for a later iteration, keep the step as an
 * immediate operand of their instruction; others use the offset of the next iteration. */
static void rewrite_pointer(LLVMBuilderRef builder, const loop_pointer_t *pointer, LLVMValueRef offsets[2]) {
  LLVMReplaceAllUsesWith(pointer->phi, emit_address(builder, pointer, offsets[0]));
  LLVMInstructionEraseFromParent(pointer->phi);
  if (offsets[1])
    LLVMReplaceAllUsesWith(pointer->next, emit_address(builder, pointer, offsets[1]));
  if (!LLVMGetFirstUse(pointer->next))
    LLVMInstructionEraseFromParent(pointer->next);
}

static void rewrite(const loop_t *loop, const loop_pointers_t *pointers) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetValueContext(LLVMBasicBlockAsValue(loop->header)));
  LLVMValueRef offsets[2];
  emit_offsets(builder, loop, emit_step(builder, loop, pointers->data), offsets);
  for (size_t i = 0; i < pointers->size; i++)
    rewrite_pointer(builder, &pointers->data[i], offsets);
  LLVMDisposeBuilder(builder);
}

/* Rewrites the pointers that advance as `first` does, if they are enough and the loop has one entry and one latch. */
static bool try_rewrite(const loop_pointer_t *first, unsigned latch, nereid_arena_t *arena, bool *out_changed) {
  loop_pointers_t pointers = {0};
  loop_t loop;
  if (!collect_pointers(arena, first, latch, &pointers))
    return false;
  if (count_bases(&pointers) < MIN_BASES)
    return true;
  if (!find_loop(arena, first->phi, latch, &loop, out_changed))
    return false;
  *out_changed = *out_changed && is_invariant(&loop, first->step);
  if (*out_changed)
    rewrite(&loop, &pointers);
  return true;
}

/* Rewrites one group of pointers of the loop at `header`. */
static bool rewrite_group(LLVMBasicBlockRef header, nereid_arena_t *arena, bool *out_changed) {
  *out_changed = false;
  loop_pointer_t first;
  unsigned latch;
  for (LLVMValueRef phi = LLVMGetFirstInstruction(header); phi && LLVMIsAPHINode(phi) && !*out_changed;
       phi = *out_changed ? NULL : LLVMGetNextInstruction(phi))
    if (find_pointer(phi, &first, &latch) && !try_rewrite(&first, latch, arena, out_changed))
      return false;
  return true;
}

bool nereid_target_share_loop_offsets(LLVMModuleRef module, nereid_arena_t *scratch) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      for (bool changed = true; changed;)
        if (!rewrite_group(block, scratch, &changed))
          return false;
  return true;
}
