/* Division of a loop nest into slices; see loop_nest.h. */
#include "passes/pipelining/fusion/loop_nest.h"

#include "dialects/ir.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"
#include "passes/dot/dot_registers.h"
#include "passes/layout/support/conversion_cost.h"
#include "passes/pipelining/expansion/loop_range.h"
#include "passes/pipelining/expansion/predicate.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/ring.h"
#include "passes/support/loop.h"
#include "seam/effects.h"
#include "seam/ir.h"

/* --- positions --- */

bool nereid_loop_nest_has(const nereid_map_t *map, const void *key) {
  return nereid_map_find(map, key) != NULL;
}

/* Adds a key; false when it is there already. */
static bool add(nereid_map_t *map, const void *key) {
  uintptr_t *place = nereid_map_insert(map, key);
  const bool is_new = place && !*place;
  if (is_new)
    *place = 1;
  return is_new;
}

static MlirBlock block_of(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOperationGetBlock(mlirOpResultGetOwner(value))
                                     : mlirBlockArgumentGetOwner(value);
}

bool nereid_loop_nest_is_variant(const nereid_loop_nest_t *nest, MlirValue value) {
  return mlirBlockEqual(block_of(value), nest->outer_body);
}

static bool is_in_prologue(const nereid_loop_nest_t *nest, MlirOperation op) {
  return mlirBlockEqual(mlirOperationGetBlock(op), nest->outer_body) && mlirOperationIsBeforeInBlock(op, nest->inner);
}

bool nereid_loop_nest_in_prologue(const nereid_loop_nest_t *nest, MlirValue value) {
  return mlirValueIsAOpResult(value) && is_in_prologue(nest, mlirOpResultGetOwner(value));
}

bool nereid_loop_nest_carries_inner(const nereid_loop_nest_t *nest, nereid_slice_kind_t slice, intptr_t number) {
  return nereid_loop_nest_has(&nest->slices[slice].needed, mlirBlockGetArgument(nest->inner_body, number + 1).ptr);
}

bool nereid_loop_nest_carries_outer(const nereid_loop_nest_t *nest, nereid_slice_kind_t slice, intptr_t number) {
  return nereid_loop_nest_has(&nest->slices[slice].needed, mlirBlockGetArgument(nest->outer_body, number + 1).ptr);
}

bool nereid_loop_nest_uses_counter(const nereid_loop_nest_t *nest, nereid_slice_kind_t slice) {
  return nereid_loop_nest_has(&nest->slices[slice].needed, mlirBlockGetArgument(nest->outer_body, 0).ptr);
}

/* The values of both bodies that `op` uses, also in its regions. */
static bool uses_of(const nereid_loop_nest_t *nest, MlirOperation op, nereid_schedule_values_t *out) {
  return nereid_schedule_uses(op, nest->outer_body, nest->arena, out) &&
         nereid_schedule_uses(op, nest->inner_body, nest->arena, out);
}

/* --- dependences --- */

/* A search for what values depend on, in this and in earlier iterations. */
typedef struct search {
  const nereid_loop_nest_t *nest;
  nereid_map_t *needed;
  const nereid_map_t *shared; /* ops of the inner body whose results are used as they are; null: none */
} search_t;

static void require(const search_t *search, MlirValue value);

static void require_op(const search_t *search, MlirOperation op) {
  nereid_schedule_values_t uses = {0};
  const bool is_inner = mlirBlockEqual(mlirOperationGetBlock(op), search->nest->inner_body);
  if ((is_inner && search->shared && nereid_loop_nest_has(search->shared, op.ptr)) || !add(search->needed, op.ptr) ||
      !uses_of(search->nest, op, &uses))
    return;
  for (size_t i = 0; i < uses.size; ++i)
    require(search, uses.data[i]);
}

static void require_argument(const search_t *search, MlirValue argument) {
  const nereid_loop_nest_t *nest = search->nest;
  const intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  if (!add(search->needed, argument.ptr) || number == 0)
    return;
  if (mlirBlockEqual(mlirBlockArgumentGetOwner(argument), nest->outer_body)) {
    require(search, mlirOperationGetOperand(nest->outer_yield, number - 1));
    return;
  }
  require(search, nereid_loop_initial(nest->inner, number - 1));
  require(search, mlirOperationGetOperand(nest->inner_yield, number - 1));
}

/* Recursion depth is that of the loops' expressions. */
static void require(const search_t *search, MlirValue value) {
  const nereid_loop_nest_t *nest = search->nest;
  MlirBlock block = block_of(value);
  if (!mlirBlockEqual(block, nest->outer_body) && !mlirBlockEqual(block, nest->inner_body))
    return;
  if (!mlirValueIsAOpResult(value))
    require_argument(search, value);
  else if (mlirOperationEqual(mlirOpResultGetOwner(value), nest->inner))
    require_argument(search, mlirBlockGetArgument(nest->inner_body, mlirOpResultGetResultNumber(value) + 1));
  else
    require_op(search, mlirOpResultGetOwner(value));
}

static void require_bounds(const search_t *search) {
  for (intptr_t i = 0; i < NEREID_LOOP_BOUNDS; ++i)
    require(search, mlirOperationGetOperand(search->nest->inner, i));
}

/* --- ops that can be executed ahead --- */

typedef struct ahead {
  const nereid_loop_nest_t *nest;
  bool possible;
} ahead_t;

static MlirWalkResult check_ahead(MlirOperation op, void *user_data) {
  ahead_t *ahead = user_data;
  const nereid_loop_nest_t *nest = ahead->nest;
  if (nereid_ring_is_load(op))
    ahead->possible &= nereid_written_roots_permit_ahead(&nest->written, op, nest->is_requested);
  else if (mlirOperationGetNumRegions(op) == 0)
    ahead->possible &= nereidMlirOperationIsMemoryEffectFree(op);
  return ahead->possible ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

/* Whether the pipeliner can execute `op` for a later outer iteration before the end of the present one. */
static bool can_run_ahead(const nereid_loop_nest_t *nest, MlirOperation op) {
  ahead_t ahead = {nest, !nereid_loop_has_dot(op)};
  mlirOperationWalk(op, check_ahead, &ahead, MlirWalkPreOrder);
  return ahead.possible;
}

typedef bool (*visit_t)(const nereid_loop_nest_t *nest, MlirOperation op);

/* Whether all ops of `needed` in `block` satisfy `visit`. */
static bool all_of(const nereid_loop_nest_t *nest, MlirBlock block, const nereid_map_t *needed, visit_t visit) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_loop_nest_has(needed, op.ptr) && !visit(nest, op))
      return false;
  return true;
}

static void add_all(const nereid_loop_nest_t *nest, const nereid_map_t *from, nereid_map_t *to) {
  MlirBlock blocks[] = {nest->outer_body, nest->inner_body};
  for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b) {
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(blocks[b]); ++i)
      if (nereid_loop_nest_has(from, mlirBlockGetArgument(blocks[b], i).ptr))
        add(to, mlirBlockGetArgument(blocks[b], i).ptr);
    for (MlirOperation op = mlirBlockGetFirstOperation(blocks[b]); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (nereid_loop_nest_has(from, op.ptr))
        add(to, op.ptr);
  }
}

/* Adds the loads of the inner loop that can be executed ahead, and their dependences. False when there are loads, but
 * none of them can: the inner loop alone may be pipelined, the fused loop would not be. */
static bool find_access_slice(nereid_loop_nest_t *nest) {
  int loads = 0, count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->inner_body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    nereid_map_t needed;
    if (!nereid_ring_is_load(op))
      continue;
    ++loads;
    nereid_map_initialize(&needed, nest->arena);
    const search_t search = {.nest = nest, .needed = &needed};
    require_op(&search, op);
    if (!nest->has_invariant_bounds)
      require_bounds(&search);
    if (!all_of(nest, nest->inner_body, &needed, can_run_ahead) ||
        !all_of(nest, nest->outer_body, &needed, can_run_ahead))
      continue;
    add_all(nest, &needed, &nest->slices[NEREID_SLICE_ACCESS].needed);
    ++count;
  }
  return count || !loads;
}

/* Whether the execute slice contains `op` of the outer body even if nothing uses its results. */
static bool has_effects(MlirOperation op) {
  return !nereidMlirOperationIsMemoryEffectFree(op) && (!nereid_ring_is_load(op) || nereid_ring_is_volatile(op));
}

static void find_execute_slice(nereid_loop_nest_t *nest) {
  const search_t search = {.nest = nest,
                           .needed = &nest->slices[NEREID_SLICE_EXECUTE].needed,
                           .shared = &nest->slices[NEREID_SLICE_ACCESS].needed};
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->outer_body); !mlirOperationEqual(op, nest->outer_yield);
       op = mlirOperationGetNextInBlock(op))
    if (!mlirOperationEqual(op, nest->inner) && has_effects(op))
      require_op(&search, op);
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->inner_body); !mlirOperationEqual(op, nest->inner_yield);
       op = mlirOperationGetNextInBlock(op))
    require_op(&search, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->outer); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(nest->outer, i))))
      require(&search, mlirBlockGetArgument(nest->outer_body, i + 1));
  if (!nest->has_invariant_bounds)
    require_bounds(&search);
}

/* --- the prologue of a slice --- */

/* Whether the last inner iteration computes `op` again, instead of using a value that the fused loop carries: no
 * access to memory and no exchange between threads. */
static bool is_recomputed(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_CONVERT_LAYOUT:
  case NEREID_OP_TT_DOT:
  case NEREID_OP_TT_DOT_SCALED:
  case NEREID_OP_TT_GATHER:
  case NEREID_OP_TT_HISTOGRAM:
  case NEREID_OP_TTNG_WARP_GROUP_DOT:
    return false;
  default:
    return mlirOperationGetNumRegions(op) == 0 && nereidMlirOperationIsMemoryEffectFree(op);
  }
}

static void add_output(const nereid_loop_nest_t *nest, nereid_slice_t *slice, MlirValue value) {
  for (size_t i = 0; i < slice->outputs.size; ++i)
    if (mlirValueEqual(slice->outputs.data[i], value))
      return;
  nereid_vector_push(nest->arena, &slice->outputs, value);
}

static bool is_output(const nereid_slice_t *slice, MlirValue value) {
  for (size_t i = 0; i < slice->outputs.size; ++i)
    if (mlirValueEqual(slice->outputs.data[i], value))
      return true;
  return false;
}

/* Whether `op` adds offsets to a base from outside of the nest. */
static bool adds_to_base(const nereid_loop_nest_t *nest, MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_ADDPTR && mlirTypeIsARankedTensor(mlirValueGetType(nereid_ir_result(op))) &&
         !nereid_loop_nest_is_variant(nest, nereid_tt_addptr_get_ptr(op));
}

/* Whether addresses that the prologue computes, two registers each, would be spilled beside the results of dots. */
static bool addresses_spill(const nereid_loop_nest_t *nest) {
  enum { ADDRESS_REGISTERS = 2, MOST_REGISTERS = 192 /* of 255 per thread */ };
  int64_t registers = nereid_dot_result_registers(nest->inner_body);
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->outer_body); !mlirOperationEqual(op, nest->inner);
       op = mlirOperationGetNextInBlock(op)) {
    nereid_layout_t layout;
    if (adds_to_base(nest, op) && nereid_loop_nest_has(&nest->slices[NEREID_SLICE_ACCESS].needed, op.ptr) &&
        nereid_layout_from_type(mlirValueGetType(nereid_ir_result(op)), &layout) == NEREID_OK)
      registers += ADDRESS_REGISTERS * nereid_distinct_registers(&layout);
  }
  return registers >= MOST_REGISTERS;
}

/* Plans a use of `value` in the inner body. */
static void use_in_body(const nereid_loop_nest_t *nest, nereid_slice_t *slice, MlirValue value) {
  while (nereid_loop_nest_in_prologue(nest, value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    const bool is_address = nest->carries_offsets && adds_to_base(nest, op);
    if (!is_address && !nereid_loop_replicates(op)) {
      add_output(nest, slice, value);
      return;
    }
    add(&slice->views, op.ptr);
    value = is_address ? nereid_tt_addptr_get_offset(op) : mlirOperationGetOperand(op, 0);
  }
}

/* Plans a use of `value` in the epilogue. */
static void use_in_epilogue(const nereid_loop_nest_t *nest, nereid_slice_t *slice, MlirValue value) {
  nereid_schedule_values_t uses = {0};
  if (!nereid_loop_nest_in_prologue(nest, value) || is_output(slice, value))
    return;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!is_recomputed(op)) {
    add_output(nest, slice, value);
    return;
  }
  if (!add(&slice->cloned, op.ptr) || !uses_of(nest, op, &uses))
    return;
  for (size_t i = 0; i < uses.size; ++i)
    use_in_epilogue(nest, slice, uses.data[i]);
}

static void keep(const nereid_loop_nest_t *nest, nereid_slice_t *slice, MlirValue value) {
  nereid_schedule_values_t uses = {0};
  if (!nereid_loop_nest_in_prologue(nest, value) || !add(&slice->kept, mlirOpResultGetOwner(value).ptr) ||
      !uses_of(nest, mlirOpResultGetOwner(value), &uses))
    return;
  for (size_t i = 0; i < uses.size; ++i)
    keep(nest, slice, uses.data[i]);
}

/* Calls `use` for each value that an op of `block` after `from` (null: all) in the slice uses. */
static void for_each_use(const nereid_loop_nest_t *nest, nereid_slice_t *slice, MlirBlock block, MlirOperation from,
                         void (*use)(const nereid_loop_nest_t *nest, nereid_slice_t *slice, MlirValue value)) {
  MlirOperation op = mlirOperationIsNull(from) ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(from);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    nereid_schedule_values_t uses = {0};
    if (!nereid_loop_nest_has(&slice->needed, op.ptr) || !uses_of(nest, op, &uses))
      continue;
    for (size_t i = 0; i < uses.size; ++i)
      use(nest, slice, uses.data[i]);
  }
}

static void plan_outputs(const nereid_loop_nest_t *nest, nereid_slice_kind_t kind, nereid_slice_t *slice) {
  for_each_use(nest, slice, nest->inner_body, (MlirOperation){NULL}, use_in_body);
  use_in_body(nest, slice, nereid_scf_for_get_step(nest->inner));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->inner); ++i)
    if (nereid_loop_nest_carries_inner(nest, kind, i)) {
      use_in_body(nest, slice, mlirOperationGetOperand(nest->inner_yield, i));
      if (nest->empty == NEREID_INNER_PREDICATED &&
          !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(nest->inner, i))))
        use_in_epilogue(nest, slice, nereid_loop_initial(nest->inner, i));
    }
  for_each_use(nest, slice, nest->outer_body, nest->inner, use_in_epilogue);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->outer); ++i)
    if (nereid_loop_nest_carries_outer(nest, kind, i))
      use_in_epilogue(nest, slice, mlirOperationGetOperand(nest->outer_yield, i));
}

/* Determines which ops of the prologue the first inner iteration executes. */
static void plan_prologue(const nereid_loop_nest_t *nest, nereid_slice_kind_t kind, nereid_slice_t *slice) {
  plan_outputs(nest, kind, slice);
  for (size_t i = 0; i < slice->outputs.size; ++i)
    keep(nest, slice, slice->outputs.data[i]);
  for (intptr_t i = 0; i < NEREID_LOOP_BOUNDS; ++i)
    keep(nest, slice, mlirOperationGetOperand(nest->inner, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->inner); ++i)
    if (nereid_loop_nest_carries_inner(nest, kind, i))
      keep(nest, slice, nereid_loop_initial(nest->inner, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->outer_body); !mlirOperationEqual(op, nest->inner);
       op = mlirOperationGetNextInBlock(op)) {
    nereid_schedule_values_t uses = {0};
    if (kind != NEREID_SLICE_EXECUTE || !has_effects(op) || !add(&slice->kept, op.ptr) || !uses_of(nest, op, &uses))
      continue;
    for (size_t i = 0; i < uses.size; ++i)
      keep(nest, slice, uses.data[i]);
  }
}

/* --- bounds --- */

bool nereid_loop_nest_bound_ops(const nereid_loop_nest_t *nest, nereid_map_t *out) {
  nereid_map_initialize(out, nest->arena);
  const search_t search = {.nest = nest, .needed = out};
  require_bounds(&search);
  return !nest->arena->failed;
}

/* Moves ops of `ops` that do not depend on the outer loop before it. */
static void hoist(const nereid_loop_nest_t *nest, const nereid_map_t *ops) {
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->outer_body), next; !mlirOperationEqual(op, nest->inner);
       op = next) {
    nereid_schedule_values_t uses = {0};
    next = mlirOperationGetNextInBlock(op);
    if (nereid_loop_nest_has(ops, op.ptr) && nereidMlirOperationIsPure(op) && uses_of(nest, op, &uses) && !uses.size)
      mlirOperationMoveBefore(op, nest->outer);
  }
}

static bool has_invariant_bounds(const nereid_loop_nest_t *nest) {
  for (intptr_t i = 0; i < NEREID_LOOP_BOUNDS; ++i)
    if (nereid_loop_nest_is_variant(nest, mlirOperationGetOperand(nest->inner, i)))
      return false;
  return true;
}

/* Whether a loop over the outer counter alone can compute the bounds in advance. */
static bool can_count(const nereid_loop_nest_t *nest, const nereid_map_t *bound_ops) {
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(nest->outer_body); ++i)
    if (nereid_loop_nest_has(bound_ops, mlirBlockGetArgument(nest->outer_body, i).ptr))
      return false;
  return all_of(nest, nest->outer_body, bound_ops, can_run_ahead);
}

/* Whether the op has no effect but its result: it may be executed without need. */
static bool only_computes(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_DESCRIPTOR_LOAD: /* pads outside of the tensor */
  case NEREID_OP_TTG_LOCAL_ALLOC:    /* copies a tensor of the body to shared memory */
  case NEREID_OP_TTNG_WARP_GROUP_DOT:
    return true;
  default:
    return nereidMlirOperationIsPure(op);
  }
}

/* Whether each op of the inner body can be executed once where the inner loop has no iteration. */
static bool can_run_in_vain(const nereid_loop_nest_t *nest) {
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->inner_body); !mlirOperationEqual(op, nest->inner_yield);
       op = mlirOperationGetNextInBlock(op))
    if (!only_computes(op) && !(nereid_predicate_is_needed(op) && nereid_predicate_is_possible(op)))
      return false;
  return true;
}

static nereid_empty_inner_t read_empty(const nereid_loop_nest_t *nest, bool can_exclude) {
  nereid_loop_range_t range;
  nereid_loop_range_read(nest->inner, nest->arena, &range);
  if (range.known > 0)
    return NEREID_INNER_NEVER_EMPTY;
  return can_exclude && nest->has_invariant_bounds ? NEREID_INNER_EXCLUDED : NEREID_INNER_PREDICATED;
}

/* --- the whole --- */

const char *nereid_loop_nest_read(nereid_pass_t *pass, MlirOperation outer, MlirOperation inner, bool can_exclude,
                                  nereid_loop_nest_t *out) {
  nereid_map_t bound_ops;
  *out = (nereid_loop_nest_t){.pass = pass,
                              .arena = pass->scratch,
                              .outer = outer,
                              .inner = inner,
                              .outer_body = mlirRegionGetFirstBlock(mlirOperationGetRegion(outer, 0)),
                              .inner_body = mlirRegionGetFirstBlock(mlirOperationGetRegion(inner, 0)),
                              .is_requested = nereid_ir_has_attribute(outer, NEREID_ATTR_NUM_STAGES)};
  out->outer_yield = mlirBlockGetTerminator(out->outer_body);
  out->inner_yield = mlirBlockGetTerminator(out->inner_body);
  for (int i = 0; i < NEREID_SLICES; ++i) {
    nereid_map_initialize(&out->slices[i].needed, out->arena);
    nereid_map_initialize(&out->slices[i].kept, out->arena);
    nereid_map_initialize(&out->slices[i].views, out->arena);
    nereid_map_initialize(&out->slices[i].cloned, out->arena);
  }
  nereid_written_roots_read(outer, out->arena, &out->written);
  if (!nereid_loop_nest_bound_ops(out, &bound_ops))
    return "out of memory";
  hoist(out, &bound_ops);
  out->has_invariant_bounds = has_invariant_bounds(out);
  out->empty = read_empty(out, can_exclude);
  if (!out->has_invariant_bounds && !can_count(out, &bound_ops))
    return "the bounds of the inner loop depend on values that earlier iterations of the outer loop compute";
  if (out->empty == NEREID_INNER_PREDICATED && !can_run_in_vain(out))
    return "the inner loop may have no iteration, and its body cannot be executed without effect";
  if (!find_access_slice(out))
    return "no load of the inner loop can be executed before the outer iteration that precedes it ends";
  out->carries_offsets = addresses_spill(out);
  find_execute_slice(out);
  for (int i = 0; i < NEREID_SLICES; ++i)
    plan_prologue(out, (nereid_slice_kind_t)i, &out->slices[i]);
  return NULL;
}
