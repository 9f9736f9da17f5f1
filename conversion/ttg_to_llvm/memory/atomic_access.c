/* Lowers tt.atomic_load, tt.atomic_store and tt.atomic_poll.
 *
 *   %x = tt.atomic_load acquire, gpu, %p, %m     @%m ld.acquire.gpu.global.b32 %x, [%p];  bar.sync
 *   tt.atomic_store release, gpu, %p, %x, %m     bar.sync;  @%m st.release.gpu.global.b32 [%p], %x
 *   %b = tt.atomic_poll acquire, gpu, %p, %x     again: ld.acquire.gpu.global.b32 %v, [%p];  @(%v != %x) bra again
 *
 * An order is that of the whole program: a barrier after an acquire orders the accesses of all threads after it, and
 * one before a release those before it, by causality (PTX ISA, "Memory Consistency Model"). Of threads that hold the
 * same element one accesses it, since other programs may change it between two loads; the others get the result through
 * shared memory. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/atomic.h"
#include "conversion/ttg_to_llvm/memory/atomic_loop.h"
#include "conversion/ttg_to_llvm/memory/memory.h"

#include "nereid/dialects/tt.h"

typedef struct access {
  MlirOperation op;
  nereid_tt_mem_semantic_t order;
  nereid_tt_mem_sync_scope_t scope;
  unsigned bits; /* bits of an element in memory */
  MlirType word; /* its register, an integer */
  const char *letter;
  nereid_lowered_t pointers, masks;
} access_t;

static MlirValue at(nereid_lowered_t lowered, intptr_t r) {
  return lowered.count == 0 ? (MlirValue){NULL} : lowered.values[lowered.count == 1 ? 0 : r];
}

/* Completes `access`, whose order and scope are set; false after a diagnostic. `element` has the accessed type. */
static bool begin(nereid_lower_t *lower, access_t *access, MlirValue pointer, MlirValue mask, MlirValue element) {
  if (!nereid_lower_check_pointer(access->op, pointer))
    return false;
  access->bits = nereid_lower_memory_bits(mlirValueGetType(element));
  access->word = mlirIntegerTypeGet(lower->context, access->bits == 8 ? 16 : access->bits);
  access->letter = nereid_atomic_letter(access->bits);
  access->pointers = nereid_lower_get(lower, pointer);
  if (!mlirValueIsNull(mask))
    access->masks = nereid_lower_get(lower, mask);
  return true;
}

/* Loads a word if `predicate` (null: always) holds; else it is 0. */
static MlirValue emit_load(nereid_lower_t *lower, const access_t *access, MlirValue pointer, MlirValue predicate) {
  const bool masked = !mlirValueIsNull(predicate);
  const char *text =
      nereid_arena_format(lower->arena, "%sld.%s.%s.global.b%u $0, [$1];", masked ? "@$2 " : "",
                          nereid_atomic_order(access->order), nereid_atomic_scope(access->scope), access->bits);
  const char *constraints = nereid_arena_format(lower->arena, "=%s,l%s", access->letter, masked ? ",b,0" : "");
  MlirValue operands[] = {pointer, predicate, masked ? nereid_emit_int(lower, access->word, 0) : predicate};
  MlirValue word = {NULL};
  if (text && constraints)
    nereid_emit_asm(lower, text, constraints, true, 1, &access->word, masked ? 3 : 1, operands, &word);
  return word;
}

/* The word as an element of a type in registers. */
static MlirValue element_of(nereid_lower_t *lower, const access_t *access, MlirType type, MlirValue word) {
  return nereid_emit_bits(lower, type,
                          access->bits == 8 ? nereid_emit_cast(lower, "llvm.trunc", lower->types->i8, word) : word);
}

/* Sets `result`, of the executing threads, for all threads, with a barrier after an acquire. */
static bool finish(nereid_lower_t *lower, const access_t *access, MlirValue thread, uint32_t copies,
                   nereid_lowered_t result) {
  MlirValue value = mlirOperationGetResult(access->op, 0);
  const bool used = !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
  nereid_lower_set(lower, value, result);
  if (used && !mlirValueIsNull(thread))
    return nereid_atomic_share(lower, access->op, thread, copies, result);
  if (access->order == NEREID_TT_MEM_SEMANTIC_ACQUIRE)
    nereid_emit_program_barrier(lower);
  return true;
}

static bool lower_atomic_load(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue value = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(value), element = nereid_lower_type(lower, type);
  access_t access = {
      .op = op, .order = nereid_tt_atomic_load_get_sem(op), .scope = nereid_tt_atomic_load_get_scope(op)};
  if (!begin(lower, &access, nereid_tt_atomic_load_get_ptr(op), nereid_tt_atomic_load_get_mask(op), value))
    return false;
  nereid_lowered_t result = nereid_lower_array(lower, nereid_lower_registers(lower, type));
  const uint32_t copies = nereid_lower_register_copies(lower, type);
  MlirValue thread = nereid_lower_storing_thread(lower, type);
  for (intptr_t r = 0; result.values && r < result.count; ++r) {
    const intptr_t first = r & ~(intptr_t)copies;
    MlirValue predicate = nereid_lower_both(lower, thread, at(access.masks, r));
    result.values[r] =
        first != r ? result.values[first]
                   : element_of(lower, &access, element, emit_load(lower, &access, at(access.pointers, r), predicate));
  }
  return result.values && finish(lower, &access, thread, copies, result);
}

static void emit_store(nereid_lower_t *lower, const access_t *access, MlirValue pointer, MlirValue value,
                       MlirValue predicate) {
  const bool masked = !mlirValueIsNull(predicate);
  const char *text =
      nereid_arena_format(lower->arena, "%sst.%s.%s.global.b%u [$0], $1;", masked ? "@$2 " : "",
                          nereid_atomic_order(access->order), nereid_atomic_scope(access->scope), access->bits);
  const char *constraints = nereid_arena_format(lower->arena, "l,%s%s", access->letter, masked ? ",b" : "");
  MlirValue operands[] = {pointer, nereid_atomic_word(lower, access->bits, value), predicate};
  if (text && constraints)
    nereid_emit_asm(lower, text, constraints, true, 0, NULL, masked ? 3 : 2, operands, NULL);
}

static bool lower_atomic_store(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue value = nereid_tt_atomic_store_get_val(op);
  MlirType type = mlirValueGetType(value);
  access_t access = {
      .op = op, .order = nereid_tt_atomic_store_get_sem(op), .scope = nereid_tt_atomic_store_get_scope(op)};
  if (!begin(lower, &access, nereid_tt_atomic_store_get_ptr(op), nereid_tt_atomic_store_get_mask(op), value))
    return false;
  if (access.order == NEREID_TT_MEM_SEMANTIC_RELEASE)
    nereid_emit_program_barrier(lower);
  const nereid_lowered_t values = nereid_lower_get(lower, value);
  const uint32_t copies = nereid_lower_register_copies(lower, type);
  MlirValue thread = nereid_lower_storing_thread(lower, type);
  for (intptr_t r = 0; r < access.pointers.count; ++r)
    if (!((uint32_t)r & copies))
      emit_store(lower, &access, at(access.pointers, r), at(values, r),
                 nereid_lower_both(lower, thread, at(access.masks, r)));
  return true;
}

/* --- polls --- */

typedef struct poll {
  access_t access;
  nereid_lowered_t expected;
  MlirValue start, timeout; /* i64, nanoseconds; null: no timeout */
} poll_t;

static MlirValue emit_time(nereid_lower_t *lower) {
  MlirValue time = {NULL};
  nereid_emit_asm(lower, "mov.u64 $0, %globaltimer;", "=l,~{memory}", true, 1, &lower->types->i64, 0, NULL, &time);
  return time;
}

/* Whether the poll has taken its time; null without a timeout. */
static MlirValue is_late(nereid_lower_t *lower, const poll_t *poll) {
  if (mlirValueIsNull(poll->timeout))
    return poll->timeout;
  MlirValue passed = nereid_emit_binary(lower, "llvm.sub", emit_time(lower), poll->start);
  return nereid_emit_icmp(lower, NEREID_ICMP_UGE, passed, poll->timeout);
}

/* Polls element `r` where `predicate` (null: always) holds; returns an i1. */
static MlirValue emit_poll(nereid_lower_t *lower, const poll_t *poll, intptr_t r, MlirValue predicate) {
  MlirBlock rest = nereid_lower_split_block(lower);
  MlirValue result = mlirBlockAddArgument(rest, lower->types->i1, lower->builder.location);
  MlirBlock done = nereid_lower_split_block(lower), body = nereid_lower_split_block(lower);
  MlirValue never = nereid_emit_int(lower, lower->types->i1, 0);
  if (mlirValueIsNull(predicate)) {
    nereid_emit_branch(lower, body, 0, NULL);
  } else {
    MlirBlock skip = nereid_lower_split_block(lower);
    nereid_emit_cond_branch(lower, predicate, body, skip);
    lower->builder.block = skip;
    nereid_emit_branch(lower, rest, 1, &never);
  }
  lower->builder.block = body;
  MlirValue word = emit_load(lower, &poll->access, at(poll->access.pointers, r), (MlirValue){NULL});
  MlirValue equal = nereid_emit_icmp(lower, NEREID_ICMP_EQ, word, at(poll->expected, r));
  MlirValue late = is_late(lower, poll);
  nereid_emit_cond_branch(lower, mlirValueIsNull(late) ? equal : nereid_emit_or(lower, equal, late), done, body);
  lower->builder.block = done;
  nereid_emit_branch(lower, rest, 1, &equal);
  lower->builder.block = rest;
  return result;
}

static bool lower_atomic_poll(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue timeout = nereid_tt_atomic_poll_get_timeout_ns(op), expected = nereid_tt_atomic_poll_get_expected(op);
  poll_t poll = {
      .access = {.op = op, .order = nereid_tt_atomic_poll_get_sem(op), .scope = nereid_tt_atomic_poll_get_scope(op)},
      .expected = nereid_lower_get(lower, expected)};
  if (!begin(lower, &poll.access, nereid_tt_atomic_poll_get_ptr(op), (MlirValue){NULL}, expected))
    return false;
  if (!mlirValueIsNull(timeout)) {
    poll.timeout = nereid_lower_get(lower, timeout).values[0];
    poll.start = emit_time(lower);
  }
  nereid_lowered_t result = nereid_lower_array(lower, nereid_lower_registers(lower, type));
  const uint32_t copies = nereid_lower_register_copies(lower, type);
  MlirValue thread = nereid_lower_storing_thread(lower, type);
  for (intptr_t r = 0; result.values && r < result.count; ++r) {
    const intptr_t first = r & ~(intptr_t)copies;
    result.values[r] = first != r ? result.values[first] : emit_poll(lower, &poll, r, thread);
  }
  return result.values && finish(lower, &poll.access, thread, copies, result);
}

const nereid_lower_row_t nereid_lower_atomic_access_rows[] = {
    {NEREID_OP_TT_ATOMIC_LOAD, lower_atomic_load, NULL},
    {NEREID_OP_TT_ATOMIC_STORE, lower_atomic_store, NULL},
    {NEREID_OP_TT_ATOMIC_POLL, lower_atomic_poll, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
