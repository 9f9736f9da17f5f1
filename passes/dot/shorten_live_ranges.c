/* nereid-shorten-live-ranges: keeps operands of dots in shared memory where tensors need more registers than a thread
 * has.
 *
 *   %k = tt.load …                                %k = tt.load …
 *   %v = tt.load …                                %bk = ttg.local_alloc %k
 *   %bk = ttg.local_alloc %k                ->    %v = tt.load …
 *   … a dot of %bk, and its softmax               %bv = ttg.local_alloc %v
 *   %bv = ttg.local_alloc %v                      … a dot of %bk, and its softmax
 *
 * A value that is stored later than the first op at which registers run short is stored before that op, computed values
 * first: for a load the latency is then no longer hidden, but spills cost more. A second buffer with the same contents
 * is the first one, also where registers suffice if no buffer is made in between. An operand that several dots, or one
 * in another block, take from a buffer is loaded again directly before each:
 *
 *   %a = ttg.local_load %b                        scf.for … {
 *   scf.for … { tt.dot %a, … }              ->      %a = ttg.local_load %b
 *   tt.dot %a, …                                    tt.dot %a, … }
 *
 * The accumulator of a tile ends with the epilogue of the tile, in a branch of a loop over the steps of several tiles,
 * if the flag of the next dot clears it anyway:
 *
 *   %n = scf.if %last { …; scf.yield %d }         %n = scf.if %last { …; scf.yield %zeros }
 *   scf.yield %n, not %last                ->     scf.yield %n, not %last
 *
 * Only buffers that are never written again are concerned. One that a dot of warp groups reads is neither shared nor
 * loaded again, and stored in a loop only after the waits for dots in flight, among which may be that of the iteration
 * before. The estimate of live registers is that of register_pressure.h; nothing else changes while it is below the
 * limit of a thread. Buffers are then live for longer, which is done only if all buffers of the function fit in shared
 * memory at the same time.
 *
 * Runs at the end of the stage: canonicalization would turn the branch that yields zeros into a select. No fence is
 * needed for what threads store and load. */
#include "passes/dot/dot_registers.h"
#include "passes/dot/register_pressure.h"
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"
#include "passes/support/splat.h"

#include "analysis/allocation/allocation.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "seam/ir.h"

enum {
  SCRATCH = 16 * 1024, /* bytes of shared memory for conversions and reductions */
  MIN_SHORTENED = 8,   /* registers per thread: what is smaller is left alone */
  MAX_CHANGES = 64     /* per function, each of which is followed by a new estimate */
};

typedef struct shorten {
  nereid_pass_t *pass;
  MlirOperation function;
  nereid_register_pressure_t pressure;
  bool buffers_fit; /* all of the function, at the same time */
  int64_t stores, buffers, loads, accumulators;
} shorten_t;

static bool is_short_between(const shorten_t *shorten, MlirOperation first, MlirOperation last) {
  return nereid_register_pressure_between(&shorten->pressure, first, last) > nereid_register_pressure_limit(first);
}

/* Whether threads read the buffer, of which `op` is the allocation or a view, and no dot in flight. */
static bool is_only_loaded(MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(op));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool reads =
        nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_LOAD || (nereid_ttg_is_memdesc_view(user) && is_only_loaded(user));
    if (!reads)
      return false;
  }
  return true;
}

/* Whether `op` makes a buffer with contents that never change. */
static bool is_constant_buffer(MlirOperation op) {
  nereid_ttg_memdesc_t buffer;
  return nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op) == 1 &&
         nereid_ttg_memdesc_read(mlirValueGetType(nereid_ir_result(op)), &buffer) && !buffer.mutable_memory;
}

/* --- stores --- */

/* Whether the dot after `op` reads its operand, the result, in steps: they belong together. */
static bool is_part_of_dot(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_LOAD && nereid_register_pressure_of(nereid_ir_result(op)) == 0;
}

/* The first op after `source` and before `alloc` after which registers are short, with the loads that are part of it;
 * `alloc` itself if there is none. */
static MlirOperation where_short(const shorten_t *shorten, MlirOperation source, MlirOperation alloc) {
  MlirOperation op = mlirOperationGetNextInBlock(source);
  while (!mlirOperationEqual(op, alloc) && !is_short_between(shorten, op, op) &&
         nereid_register_pressure_after(&shorten->pressure, op) <= nereid_register_pressure_limit(op))
    op = mlirOperationGetNextInBlock(op);
  if (mlirOperationEqual(op, alloc))
    return op;
  for (MlirOperation before = nereidMlirOperationGetPrevInBlock(op);
       !mlirOperationEqual(before, source) && is_part_of_dot(before); before = nereidMlirOperationGetPrevInBlock(op))
    op = before;
  return op;
}

/* The op after which `alloc` can be executed: `source`, or the last wait for dots in flight. In a loop the dot of the
 * iteration before may read the buffer until then. */
static MlirOperation after_waits(MlirOperation source, MlirOperation alloc) {
  MlirOperation last = source;
  if (is_only_loaded(alloc) || !nereid_loop_is_around(alloc))
    return source;
  for (MlirOperation op = mlirOperationGetNextInBlock(source); !mlirOperationEqual(op, alloc);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT || mlirOperationGetNumRegions(op))
      last = op;
  return last;
}

/* Stores earlier what only a buffer in the same block uses. */
static bool store_earlier(shorten_t *shorten, MlirOperation alloc) {
  MlirValue stored = mlirOperationGetOperand(alloc, 0);
  MlirOperation source = nereid_defining_op(stored);
  if (!shorten->buffers_fit || mlirOperationIsNull(source) || !nereid_ir_has_one_use(stored) ||
      !mlirBlockEqual(mlirOperationGetBlock(source), mlirOperationGetBlock(alloc)) ||
      nereid_register_pressure_of(stored) < MIN_SHORTENED)
    return false;
  MlirOperation before = where_short(shorten, after_waits(source, alloc), alloc);
  if (mlirOperationEqual(before, alloc))
    return false;
  mlirOperationMoveBefore(alloc, before);
  ++shorten->stores;
  return true;
}

/* --- buffers --- */

static bool precedes(MlirOperation first, MlirOperation second) {
  MlirOperation op = nereid_ir_ancestor_in(mlirOperationGetBlock(first), second);
  return !mlirOperationIsNull(op) && !mlirOperationEqual(op, first) && mlirOperationIsBeforeInBlock(first, op);
}

/* An earlier buffer with the contents of `alloc`, and its type; null without one. */
static MlirOperation earlier_buffer(MlirOperation alloc) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetOperand(alloc, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (is_constant_buffer(user) && is_only_loaded(user) && precedes(user, alloc) &&
        mlirTypeEqual(mlirValueGetType(nereid_ir_result(user)), mlirValueGetType(nereid_ir_result(alloc))))
      return user;
  }
  return (MlirOperation){NULL};
}

/* Whether some buffer is made between two of one block: it may take the bytes of the first one. */
static bool has_buffer_between(MlirOperation first, MlirOperation second) {
  MlirOperation op = mlirOperationGetNextInBlock(first);
  while (!mlirOperationEqual(op, second) && nereid_op_kind(op) != NEREID_OP_TTG_LOCAL_ALLOC &&
         !mlirOperationGetNumRegions(op))
    op = mlirOperationGetNextInBlock(op);
  return !mlirOperationEqual(op, second);
}

static bool share_buffer(shorten_t *shorten, MlirOperation alloc) {
  MlirOperation earlier = earlier_buffer(alloc);
  if (!shorten->buffers_fit || !is_only_loaded(alloc) || mlirOperationIsNull(earlier))
    return false;
  const bool is_free = mlirBlockEqual(mlirOperationGetBlock(earlier), mlirOperationGetBlock(alloc)) &&
                       !has_buffer_between(earlier, alloc);
  if (!is_free && !is_short_between(shorten, earlier, alloc))
    return false;
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(alloc), nereid_ir_result(earlier));
  mlirOperationDestroy(alloc);
  ++shorten->buffers;
  return true;
}

/* --- loads --- */

/* The last dot, in program order, if only dots use `load`, of which one is not directly after it; else null. */
static MlirOperation last_dot(const shorten_t *shorten, MlirOperation load) {
  MlirOperation last = load;
  MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(load));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation dot = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(dot) != NEREID_OP_TT_DOT)
      return (MlirOperation){NULL};
    last = nereid_register_pressure_is_before(&shorten->pressure, last, dot) ? dot : last;
  }
  return mlirOperationEqual(last, load) ? (MlirOperation){NULL} : last;
}

/* Loads the operand again before each dot. */
static bool load_again(shorten_t *shorten, MlirOperation load) {
  MlirValue result = nereid_ir_result(load);
  MlirOperation alloc = nereid_defining_op(mlirOperationGetOperand(load, 0));
  if (mlirOperationIsNull(alloc) || !is_constant_buffer(alloc) || !is_only_loaded(alloc) ||
      !nereid_ttg_dot_op_attr_isa(nereid_ttg_encoding_of(result)) ||
      nereid_register_pressure_of(result) < MIN_SHORTENED)
    return false;
  MlirOperation last = last_dot(shorten, load);
  if (mlirOperationIsNull(last) || !is_short_between(shorten, load, last))
    return false;
  for (MlirOpOperand use; use = mlirValueGetFirstUse(result), !mlirOpOperandIsNull(use);) {
    MlirOperation dot = mlirOpOperandGetOwner(use);
    nereid_builder_t builder = nereid_builder_before(dot);
    builder.location = mlirOperationGetLocation(load);
    MlirOperation again =
        nereid_ttg_local_load_build(&builder, mlirValueGetType(result), nereid_ir_result(alloc), (MlirValue){NULL});
    mlirOperationSetOperand(dot, mlirOpOperandGetOperandNumber(use), nereid_ir_result(again));
    ++shorten->loads;
  }
  mlirOperationDestroy(load);
  return true;
}

/* --- accumulators --- */

static bool is_true(MlirValue value) {
  MlirAttribute constant = nereidMlirValueGetConstant(value);
  return !mlirAttributeIsNull(constant) && mlirAttributeIsAInteger(constant) &&
         mlirIntegerAttrGetValueInt(constant) != 0;
}

/* Whether `value` is true exactly where `condition` is false. */
static bool is_negation(MlirValue value, MlirValue condition) {
  MlirOperation op = nereid_defining_op_of_kind(value, NEREID_OP_ARITH_XORI);
  if (!mlirOperationIsNull(op))
    return mlirValueEqual(mlirOperationGetOperand(op, 0), condition) && is_true(mlirOperationGetOperand(op, 1));
  op = nereid_defining_op_of_kind(value, NEREID_OP_ARITH_CMPI);
  MlirOperation other = nereid_defining_op_of_kind(condition, NEREID_OP_ARITH_CMPI);
  if (mlirOperationIsNull(op) || mlirOperationIsNull(other) ||
      !mlirValueEqual(mlirOperationGetOperand(op, 0), mlirOperationGetOperand(other, 0)) ||
      !mlirValueEqual(mlirOperationGetOperand(op, 1), mlirOperationGetOperand(other, 1)))
    return false;
  const int first = nereid_arith_cmpi_get_predicate(op), second = nereid_arith_cmpi_get_predicate(other);
  return (first == NEREID_ARITH_CMP_I_PREDICATE_EQ && second == NEREID_ARITH_CMP_I_PREDICATE_NE) ||
         (first == NEREID_ARITH_CMP_I_PREDICATE_NE && second == NEREID_ARITH_CMP_I_PREDICATE_EQ);
}

/* Whether only dots use `carried`, as their accumulator, and the flag of each is false if `condition` was true in the
 * iteration before. */
static bool is_cleared_after(MlirOperation yield, MlirValue carried, MlirValue condition) {
  enum { ACCUMULATOR = 2 /* operand of ttng.warp_group_dot */ };
  MlirOpOperand use = mlirValueGetFirstUse(carried);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation dot = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(dot) != NEREID_OP_TTNG_WARP_GROUP_DOT || mlirOpOperandGetOperandNumber(use) != ACCUMULATOR)
      return false;
    MlirValue flag = nereid_ttng_warp_group_dot_get_use_c(dot);
    if (mlirValueIsNull(flag) || !mlirValueIsABlockArgument(flag) ||
        !mlirBlockEqual(mlirBlockArgumentGetOwner(flag), mlirOperationGetBlock(yield)) ||
        mlirBlockArgumentGetArgNumber(flag) == 0 ||
        !is_negation(mlirOperationGetOperand(yield, mlirBlockArgumentGetArgNumber(flag) - 1), condition))
      return false;
  }
  return true;
}

/* Whether nothing but waits uses `value`, and nothing uses what they pass on. */
static bool is_only_waited_for(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation wait = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(wait) != NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT ||
        !mlirOpOperandIsNull(
            mlirValueGetFirstUse(mlirOperationGetResult(wait, (intptr_t)mlirOpOperandGetOperandNumber(use)))))
      return false;
  }
  return true;
}

/* Yields zeros from the first region of `branch` in place of accumulators that the next iteration clears. */
static bool end_accumulators(shorten_t *shorten, MlirOperation branch) {
  MlirOperation loop = mlirOperationGetParentOperation(branch);
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, 0));
  MlirOperation inner = mlirBlockGetTerminator(block);
  int64_t count = 0;
  if (nereid_op_kind(loop) != NEREID_OP_SCF_FOR || !is_short_between(shorten, mlirBlockGetFirstOperation(block), inner))
    return false;
  MlirOperation yield = mlirBlockGetTerminator(mlirOperationGetBlock(branch));
  for (intptr_t r = 0; r < mlirOperationGetNumResults(branch); ++r) {
    MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(branch, r));
    if (!nereid_ir_has_one_use(mlirOperationGetResult(branch, r)) ||
        !mlirOperationEqual(mlirOpOperandGetOwner(use), yield) ||
        !nereid_ttg_is_laid_out(mlirOperationGetResult(branch, r)))
      continue;
    const intptr_t position = (intptr_t)mlirOpOperandGetOperandNumber(use);
    MlirValue carried = mlirBlockGetArgument(mlirOperationGetBlock(branch), position + 1);
    if (!mlirAttributeIsNull(nereid_splat_constant(mlirOperationGetOperand(inner, r))) ||
        mlirOpOperandIsNull(mlirValueGetFirstUse(carried)) ||
        !is_cleared_after(yield, carried, mlirOperationGetOperand(branch, 0)) ||
        !is_only_waited_for(mlirOperationGetResult(loop, position)))
      continue;
    const nereid_builder_t builder = nereid_builder_before(loop);
    MlirOperation zeros = nereid_arith_constant_build(&builder, nereid_splat_zero(mlirValueGetType(carried)));
    mlirOperationSetOperand(inner, r, nereid_ir_result(zeros));
    ++count;
  }
  shorten->accumulators += count;
  return count > 0;
}

/* --- the pass --- */

static bool is_candidate(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  return kind == NEREID_OP_TTG_LOCAL_LOAD || kind == NEREID_OP_SCF_IF || is_constant_buffer(op);
}

static bool all_buffers_fit(MlirOperation function, const nereid_operations_t *allocs) {
  int64_t bytes = SCRATCH;
  for (size_t i = 0; i < allocs->size; ++i)
    bytes += nereid_allocation_bytes(mlirValueGetType(nereid_ir_result(allocs->data[i])));
  return bytes <= nereid_allocation_limit(mlirOperationGetParentOperation(function));
}

/* Whether `op` stores a value that comes from global memory: its store waits for the load. */
static bool stores_load(MlirOperation op) {
  if (!is_constant_buffer(op))
    return false;
  MlirOperation source = nereid_defining_op(mlirOperationGetOperand(op, 0));
  return !mlirOperationIsNull(source) && nereid_op_kind(source) == NEREID_OP_TT_LOAD;
}

static bool change(shorten_t *shorten, MlirOperation op) {
  if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_LOAD)
    return load_again(shorten, op);
  if (nereid_op_kind(op) == NEREID_OP_SCF_IF)
    return end_accumulators(shorten, op);
  return share_buffer(shorten, op) || store_earlier(shorten, op);
}

static bool shorten_function(shorten_t *shorten) {
  nereid_arena_t *scratch = shorten->pass->scratch;
  nereid_operations_t allocs = {0}, candidates = {0};
  if (!nereid_collect_kind(shorten->function, NEREID_OP_TTG_LOCAL_ALLOC, scratch, &allocs) ||
      !nereid_collect(shorten->function, is_candidate, scratch, &candidates))
    return false;
  if (!candidates.size)
    return true;
  shorten->buffers_fit = all_buffers_fit(shorten->function, &allocs);
  bool found = nereid_register_pressure_find(shorten->function, scratch, &shorten->pressure);
  int changes = 0;
  for (int loads = 0; loads <= 1; ++loads)
    for (size_t i = 0; found && i < candidates.size && changes < MAX_CHANGES; ++i) {
      MlirOperation *op = &candidates.data[i];
      if (mlirOperationIsNull(*op) || stores_load(*op) != loads || !change(shorten, *op))
        continue;
      *op = (MlirOperation){NULL}; /* it may be erased */
      ++changes;
      found = nereid_register_pressure_find(shorten->function, scratch, &shorten->pressure);
    }
  return found;
}

MlirLogicalResult nereid_pass_shorten_live_ranges(nereid_pass_t *pass) {
  nereid_operations_t functions = {0};
  shorten_t shorten = {.pass = pass};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_FUNC, pass->scratch, &functions))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < functions.size; ++i) {
    shorten.function = functions.data[i];
    if (!shorten_function(&shorten))
      return mlirLogicalResultFailure();
  }
  nereid_pass_statistic_add(pass, "stores", shorten.stores);
  nereid_pass_statistic_add(pass, "buffers", shorten.buffers);
  nereid_pass_statistic_add(pass, "loads", shorten.loads);
  nereid_pass_statistic_add(pass, "accumulators", shorten.accumulators);
  return mlirLogicalResultSuccess();
}
