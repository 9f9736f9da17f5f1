/* Lowers atomics to compare-and-swap loops; see atomic_loop.h.
 *
 *   %old = tt.atomic_rmw max, relaxed, gpu, %p, %v, %m : f16
 *   ->
 *             cond_br %m, ^load, ^rest(0)
 *   ^load:    %0 = ld.relaxed.gpu.global.b16 [%p] ; br ^loop(%0)
 *   ^loop(%o): %n = maxnum(%o, %v) ; %got = atom.relaxed.gpu.global.cas.b16 [%p], %o, %n
 *             cond_br (%got == %o), ^rest(%got), ^loop(%got)
 *
 * Words are compared as bits, so a NaN ends the loop too. LLVM would expand its atomicrmw to such a loop, but with an
 * unordered read before it, which is a race, and on 32-bit words. */
#include "conversion/ttg_to_llvm/memory/atomic_loop.h"

#include "conversion/ttg_to_llvm/emit.h"

#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinTypes.h>

/* Parameters of the loop. */
typedef struct loop {
  nereid_lower_t *lower;
  nereid_atomic_rmw_t rmw;
  MlirValue pointer, value;
  MlirType type, word; /* type of an element; integer type of the same width */
  unsigned bits;
} loop_t;

const char *nereid_atomic_order(nereid_tt_mem_semantic_t order) {
  static const char *const orders[] = {
      [NEREID_TT_MEM_SEMANTIC_RELAXED] = "relaxed",
      [NEREID_TT_MEM_SEMANTIC_ACQUIRE] = "acquire",
      [NEREID_TT_MEM_SEMANTIC_RELEASE] = "release",
      [NEREID_TT_MEM_SEMANTIC_ACQUIRE_RELEASE] = "acq_rel",
  };
  return orders[order];
}

const char *nereid_atomic_scope(nereid_tt_mem_sync_scope_t scope) {
  static const char *const scopes[] = {
      [NEREID_TT_MEM_SYNC_SCOPE_GPU] = "gpu",
      [NEREID_TT_MEM_SYNC_SCOPE_CTA] = "cta",
      [NEREID_TT_MEM_SYNC_SCOPE_SYSTEM] = "sys",
  };
  return scopes[scope];
}

bool nereid_atomic_has_loop(MlirType element) {
  return mlirTypeIsAF16(element) || mlirTypeIsABF16(element) || mlirTypeIsAF32(element) || mlirTypeIsAF64(element) ||
         (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) >= 16);
}

/* The op that combines; null for an exchange. None counts. */
static const char *combiner(const loop_t *loop) {
  static const char *const integers[] = {
      [NEREID_TT_RMW_OP_AND] = "llvm.and",        [NEREID_TT_RMW_OP_OR] = "llvm.or",
      [NEREID_TT_RMW_OP_XOR] = "llvm.xor",        [NEREID_TT_RMW_OP_ADD] = "llvm.add",
      [NEREID_TT_RMW_OP_FADD] = "llvm.fadd",      [NEREID_TT_RMW_OP_MAX] = "llvm.intr.smax",
      [NEREID_TT_RMW_OP_MIN] = "llvm.intr.smin",  [NEREID_TT_RMW_OP_UMAX] = "llvm.intr.umax",
      [NEREID_TT_RMW_OP_UMIN] = "llvm.intr.umin", [NEREID_TT_RMW_OP_XCHG] = NULL,
  };
  const nereid_tt_rmw_op_t kind = loop->rmw.function;
  const bool is_float = mlirTypeIsAFloat(loop->type);
  if (is_float && kind == NEREID_TT_RMW_OP_MAX)
    return "llvm.intr.maxnum";
  return is_float && kind == NEREID_TT_RMW_OP_MIN ? "llvm.intr.minnum" : integers[kind];
}

static MlirValue emit_load(const loop_t *loop, const char *letter) {
  MlirValue old = {NULL};
  const char *text =
      nereid_arena_format(loop->lower->arena, "ld.relaxed.%s.%s.b%u $0, [$1];", nereid_atomic_scope(loop->rmw.scope),
                          nereid_atomic_space(loop->rmw.shared), loop->bits);
  const char *constraints =
      nereid_arena_format(loop->lower->arena, "=%s,%s", letter, nereid_atomic_pointer(loop->rmw.shared));
  if (text && constraints)
    nereid_emit_asm(loop->lower, text, constraints, true, 1, &loop->word, 1, &loop->pointer, &old);
  return old;
}

/* `old` incremented up to the operand and then from 0, or decremented down to 0 and then from the operand. */
static MlirValue emit_count(const loop_t *loop, MlirValue old, bool up) {
  nereid_lower_t *lower = loop->lower;
  MlirValue zero = nereid_emit_int(lower, loop->word, 0), one = nereid_emit_int(lower, loop->word, 1);
  MlirValue value = nereid_emit_bits(lower, loop->word, loop->value);
  if (up)
    return nereid_emit_select(lower, nereid_emit_icmp(lower, NEREID_ICMP_UGE, old, value), zero,
                              nereid_emit_add(lower, old, one));
  MlirValue around = nereid_emit_or(lower, nereid_emit_icmp(lower, NEREID_ICMP_EQ, old, zero),
                                    nereid_emit_icmp(lower, NEREID_ICMP_UGT, old, value));
  return nereid_emit_select(lower, around, value, nereid_emit_binary(lower, "llvm.sub", old, one));
}

static MlirValue emit_swap(const loop_t *loop, const char *letter, MlirValue old) {
  nereid_lower_t *lower = loop->lower;
  const nereid_tt_rmw_op_t kind = loop->rmw.function;
  const bool counts = kind == NEREID_TT_RMW_OP_INC || kind == NEREID_TT_RMW_OP_DEC;
  const char *name = counts ? NULL : combiner(loop);
  MlirValue made = counts ? emit_count(loop, old, kind == NEREID_TT_RMW_OP_INC) : loop->value, got = {NULL};
  if (name)
    made = nereid_emit_binary(lower, name, nereid_emit_bits(lower, loop->type, old), loop->value);
  const char *text =
      nereid_arena_format(lower->arena, "atom.%s.%s.%s.cas.b%u $0, [$1], $2, $3;", nereid_atomic_order(loop->rmw.order),
                          nereid_atomic_scope(loop->rmw.scope), nereid_atomic_space(loop->rmw.shared), loop->bits);
  const char *constraints = nereid_arena_format(lower->arena, "=%s,%s,%s,%s", letter,
                                                nereid_atomic_pointer(loop->rmw.shared), letter, letter);
  MlirValue operands[] = {loop->pointer, old, nereid_emit_bits(lower, loop->word, made)};
  if (text && constraints)
    nereid_emit_asm(lower, text, constraints, true, 1, &loop->word, 3, operands, &got);
  return got;
}

/* A block after the current one with one argument, the old value. */
static MlirBlock split(const loop_t *loop, MlirValue *out_argument) {
  MlirBlock block = nereid_lower_split_block(loop->lower);
  *out_argument = mlirBlockAddArgument(block, loop->word, loop->lower->builder.location);
  return block;
}

static void branch(const loop_t *loop, MlirBlock from, MlirBlock to, MlirValue value) {
  loop->lower->builder.block = from;
  nereid_emit_branch(loop->lower, to, 1, &value);
}

MlirValue nereid_atomic_loop(nereid_lower_t *lower, nereid_atomic_rmw_t rmw, MlirValue pointer, MlirValue predicate,
                             MlirValue value) {
  MlirType type = mlirValueGetType(value);
  const unsigned bits = nereid_lower_memory_bits(type);
  const char *letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  const loop_t loop = {lower, rmw, pointer, value, type, mlirIntegerTypeGet(lower->context, bits), bits};
  MlirValue result, old, zero = nereid_emit_int(lower, loop.word, 0);
  MlirBlock rest = split(&loop, &result), again = nereid_lower_split_block(lower);
  MlirBlock done = nereid_lower_split_block(lower), body = split(&loop, &old);
  MlirBlock load = nereid_lower_split_block(lower);
  if (mlirValueIsNull(predicate)) {
    nereid_emit_branch(lower, load, 0, NULL);
  } else {
    MlirBlock skip = nereid_lower_split_block(lower);
    nereid_emit_cond_branch(lower, predicate, load, skip);
    branch(&loop, skip, rest, zero);
  }
  lower->builder.block = load;
  branch(&loop, load, body, emit_load(&loop, letter));
  lower->builder.block = body;
  MlirValue got = emit_swap(&loop, letter, old);
  nereid_emit_cond_branch(lower, nereid_emit_icmp(lower, NEREID_ICMP_EQ, got, old), done, again);
  branch(&loop, again, body, got);
  branch(&loop, done, rest, got);
  lower->builder.block = rest;
  return nereid_emit_bits(lower, type, result);
}
