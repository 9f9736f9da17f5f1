/* tritongpu-remove-layout-conversions: computes values in the required layout instead of converting them.
 *
 *   %s = arith.addf %a, %b : tensor<…, #x>                    %a' , %b' : tensor<…, #y>   (loads already in #y)
 *   %c = ttg.convert_layout %s : #x -> #y            ->       %c = arith.addf %a', %b' : tensor<…, #y>
 *
 * First, whole components of values get the layout that leaves the fewest bytes to convert (layout_components.h), and
 * reductions, scans and transpositions get the layout of their operands (sink_conversions.h).
 *
 * Then, for each remaining conversion, the pass collects a backward slice through ops that work in any layout:
 * elementwise ops, splats, ranges, constants, broadcasts, expand_dims, transpositions, some reductions, other
 * conversions. The slice ends at values that have the required layout, which are used, and at other values, which would
 * have to be converted. The slice is recomputed in the required layout when that costs less than the conversion: the
 * shared-memory traffic it needs plus the duplicated computation, since old ops with other users stay.
 *
 * If the whole slice costs too much, it is cut: each value is either converted or computed from its operands, whichever
 * is cheaper. So a row is converted before it is broadcast to a matrix.
 *
 * A value is computed at most once per layout and the decision is cached, so the work is bounded by values times
 * layouts. Small loads (such as row indices) are repeated too, unless the function writes to the same memory or
 * converting the loaded values is cheaper. Requires: encodings on all tensors. Preserves: everything but layouts and
 * the number of ops. */
#include "base/map.h"
#include "base/vector.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "passes/layout/support/conversion_cost.h"
#include "passes/layout/support/layout_components.h"
#include "passes/layout/support/layout_flow.h"
#include "passes/layout/support/reduction_cost.h"
#include "passes/layout/support/sink_conversions.h"
#include "passes/layout/support/written_memory.h"
#include "passes/support/collect.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum { MAX_SLICE = 4096, MAX_ROUNDS = 8 };

/* A value that was already computed in another layout; one list per value. */
typedef struct made made_t;
struct made {
  MlirAttribute encoding;
  MlirValue value;
  MlirOperation moves; /* a conversion to move after its operand's defining op if its result is used; or null */
  made_t *next;
};

/* A value that the slice needs in `encoding`. */
typedef struct request {
  MlirValue value;
  MlirAttribute encoding;
} request_t;

typedef NEREID_VECTOR(request_t) request_stack_t;

/* Cached costs of a type. */
typedef struct price price_t;
struct price {
  MlirAttribute encoding;
  int64_t conversion, registers;
  price_t *next;
};

typedef struct removal {
  nereid_pass_t *pass;
  nereid_arena_t *arena;
  nereid_map_t made;    /* value -> list of made_t */
  nereid_map_t choices; /* value -> list of choice_t; later conversions reuse the decisions */
  nereid_map_t prices;  /* type -> list of price_t */
  nereid_written_memory_t written;
  nereid_reduction_costs_t reductions;
} removal_t;

/* The cheapest way to get a value in an encoding: convert it, or recompute it from the cheapest form of its operands.
 */
typedef struct choice choice_t;
struct choice {
  MlirAttribute encoding;
  int64_t cost;
  bool converts;
  choice_t *next;
};

/* The ops and the cost of a slice. Costs are approximate instructions per thread. */
typedef struct slice {
  request_stack_t recomputed, converted;
  nereid_map_t seen; /* value -> list of made_t without a value: encodings already visited */
  bool is_cut;       /* cut according to the choices; otherwise the slice extends as far back as possible */
  int64_t cost;
} slice_t;

/* --- costs --- */

static int64_t registers_of(MlirType type, MlirAttribute encoding) {
  nereid_layout_t layout;
  if (nereid_layout_from_type(nereid_ttg_with_encoding(type, encoding), &layout) != NEREID_OK)
    return 1;
  return nereid_distinct_registers(&layout);
}

static price_t price_of(removal_t *removal, request_t request) {
  const MlirType type = mlirValueGetType(request.value);
  uintptr_t *list = nereid_map_insert(&removal->prices, type.ptr);
  for (price_t *price = list ? (price_t *)*list : NULL; price; price = price->next)
    if (mlirAttributeEqual(price->encoding, request.encoding))
      return *price;
  price_t made = {request.encoding, nereid_conversion_cost(type, request.encoding),
                  registers_of(type, request.encoding), list ? (price_t *)*list : NULL};
  price_t *kept = nereid_arena_new(removal->arena, price_t, 1);
  if (list && kept) {
    *kept = made;
    *list = (uintptr_t)kept;
  }
  return made;
}

static bool is_removed_conversion(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT &&
         mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, 0)));
}

/* Whether the defining op of `value` becomes dead together with its only user. */
static bool dies_with_user(MlirValue value) {
  int users = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use) && users < 2;
       use = mlirOpOperandGetNextUse(use))
    users += !is_removed_conversion(mlirOpOperandGetOwner(use));
  return users < 2;
}

/* Whether `reduction`, whose result is `request`, may be computed in the layout of which the requested layout is a
 * slice. It then replaces the present reduction, must exchange no more data, and its operand must be recomputable by
 * any thread. */
static bool is_movable_reduction(removal_t *removal, MlirOperation reduction, request_t request) {
  MlirValue operand = mlirOperationGetOperand(reduction, 0);
  MlirAttribute parent;
  return dies_with_user(request.value) && nereid_is_recomputable(operand) &&
         nereid_layout_flow_operand(reduction, NEREID_LAYOUT_FLOW_REDUCE, 0, request.encoding, &parent) &&
         nereid_reduction_cost(&removal->reductions, reduction, operand, parent) <=
             nereid_reduction_cost(&removal->reductions, reduction, operand, nereid_ttg_encoding_of(operand));
}

/* Instructions of a second read of shared memory, minus those of the first if it dies with its only user. Operands that
 * a dot reads from shared memory are read there in any case. */
static int64_t access_again_cost(removal_t *removal, request_t request) {
  enum { PER_ELEMENT = 4 };
  const request_t now = {request.value, nereid_ttg_encoding_of(request.value)};
  const int64_t saved = dies_with_user(request.value) ? price_of(removal, now).registers : 0;
  const int64_t needed = nereid_ttg_dot_op_attr_isa(request.encoding) ? 0 : price_of(removal, request).registers;
  return needed > saved ? PER_ELEMENT * (needed - saved) : 0;
}

/* Instructions of recomputing `value`, minus those of the old op if it dies with its only user. */
static int64_t recompute_cost(removal_t *removal, MlirOperation op, nereid_layout_flow_t flow, request_t request) {
  if (flow == NEREID_LAYOUT_FLOW_READ || flow == NEREID_LAYOUT_FLOW_GATHER)
    return access_again_cost(removal, request);
  if ((flow != NEREID_LAYOUT_FLOW_SAME && flow != NEREID_LAYOUT_FLOW_FP4) ||
      nereid_op_kind(op) == NEREID_OP_TT_BROADCAST)
    return 0;
  const bool dies = dies_with_user(request.value);
  if (nereid_is_repeatable_load(op))
    return nereid_load_again_cost(request.value, request.encoding, dies);
  /* Loads depend on addresses and masks, which should not have to wait for other warps. */
  if (dies && !mlirTypeIsAFloat(mlirShapedTypeGetElementType(mlirValueGetType(request.value))))
    return 0;
  const request_t now = {request.value, nereid_ttg_encoding_of(request.value)};
  const int64_t saved = dies ? price_of(removal, now).registers : 0, needed = price_of(removal, request).registers;
  return needed > saved ? (needed - saved) * nereid_element_cost(op) : 0;
}

/* --- collecting the slice --- */

static made_t *find_in(const nereid_map_t *map, request_t request) {
  uintptr_t *list = nereid_map_find(map, request.value.ptr);
  for (made_t *made = list ? (made_t *)*list : NULL; made; made = made->next)
    if (mlirAttributeEqual(made->encoding, request.encoding))
      return made;
  return NULL;
}

static bool add_to(nereid_arena_t *arena, nereid_map_t *map, request_t request, MlirValue value) {
  uintptr_t *list = nereid_map_insert(map, request.value.ptr);
  made_t *made = nereid_arena_new(arena, made_t, 1);
  if (!list || !made)
    return false;
  *made = (made_t){.encoding = request.encoding, .value = value, .next = (made_t *)*list};
  *list = (uintptr_t)made;
  return true;
}

/* Whether every operand of `op` can have the encoding that a result in `encoding` requires. */
static bool has_operand_encodings(MlirOperation op, nereid_layout_flow_t flow, MlirAttribute encoding) {
  MlirAttribute operand;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!nereid_layout_flow_operand(op, flow, i, encoding, &operand))
      return false;
  return true;
}

static bool is_there(const removal_t *removal, request_t request) {
  return mlirAttributeEqual(nereid_ttg_encoding_of(request.value), request.encoding) ||
         find_in(&removal->made, request);
}

/* How `request` can be recomputed; `out_op` is null for block arguments. */
static nereid_layout_flow_t flow_to(removal_t *removal, request_t request, MlirOperation *out_op) {
  *out_op = nereid_defining_op(request.value);
  const nereid_layout_flow_t flow =
      mlirOperationIsNull(*out_op) ? NEREID_LAYOUT_FLOW_NONE : nereid_layout_flow_of(*out_op);
  if (flow == NEREID_LAYOUT_FLOW_REDUCE)
    return is_movable_reduction(removal, *out_op, request) ? flow : NEREID_LAYOUT_FLOW_NONE;
  if (flow != NEREID_LAYOUT_FLOW_NONE && !has_operand_encodings(*out_op, flow, request.encoding))
    return NEREID_LAYOUT_FLOW_NONE;
  if (flow != NEREID_LAYOUT_FLOW_SAME || !nereid_is_repeatable_load(*out_op))
    return flow;
  const bool costs_more = recompute_cost(removal, *out_op, flow, request) > price_of(removal, request).conversion;
  return costs_more || nereid_written_memory_may_write(&removal->written, *out_op) ? NEREID_LAYOUT_FLOW_NONE : flow;
}

static const choice_t *choice_for(const removal_t *removal, request_t request) {
  uintptr_t *list = nereid_map_find(&removal->choices, request.value.ptr);
  for (const choice_t *choice = list ? (const choice_t *)*list : NULL; choice; choice = choice->next)
    if (mlirAttributeEqual(choice->encoding, request.encoding))
      return choice;
  return NULL;
}

/* Chooses for `request` if its operands have choices; otherwise pushes those on the stack. A value with two users
 * counts for both here, but only once in the cost of the slice. */
static bool choose(removal_t *removal, request_t request, request_stack_t *stack) {
  choice_t choice = {request.encoding, 0, false, NULL};
  MlirOperation op;
  const nereid_layout_flow_t flow = flow_to(removal, request, &op);
  const int64_t converted = price_of(removal, request).conversion;
  bool ready = true;
  if (flow != NEREID_LAYOUT_FLOW_NONE)
    choice.cost = recompute_cost(removal, op, flow, request);
  for (intptr_t i = 0; flow != NEREID_LAYOUT_FLOW_NONE && i < mlirOperationGetNumOperands(op); ++i) {
    request_t operand = {.value = mlirOperationGetOperand(op, i)};
    if (!nereid_layout_flow_operand(op, flow, i, request.encoding, &operand.encoding))
      return false;
    if (mlirAttributeIsNull(operand.encoding) || is_there(removal, operand))
      continue;
    const choice_t *below = choice_for(removal, operand);
    if (!below && !nereid_vector_push(removal->arena, stack, operand))
      return false;
    ready = ready && below;
    choice.cost += below ? below->cost : 0;
  }
  if (!ready)
    return true;
  choice.converts = flow == NEREID_LAYOUT_FLOW_NONE || choice.cost > converted;
  choice.cost = choice.converts ? converted : choice.cost;
  choice_t *kept = nereid_arena_new(removal->arena, choice_t, 1);
  uintptr_t *list = nereid_map_insert(&removal->choices, request.value.ptr);
  if (!kept || !list)
    return false;
  choice.next = (choice_t *)*list;
  *kept = choice;
  *list = (uintptr_t)kept;
  return true;
}

/* Chooses the best cut of the slice of `root`, operands first; false when out of memory, or when an operand has no
 * encoding. */
static bool choose_all(removal_t *removal, request_t root) {
  request_stack_t stack = {0};
  if (!nereid_vector_push(removal->arena, &stack, root))
    return false;
  while (stack.size) {
    const request_t top = stack.data[stack.size - 1];
    if (!choice_for(removal, top) && !choose(removal, top, &stack))
      return false;
    if (choice_for(removal, top))
      --stack.size;
  }
  return true;
}

/* Adds the cost of `request` to the slice and appends its operands to `stack`. */
static bool visit(removal_t *removal, slice_t *slice, request_t request, MlirOperation *out_op,
                  nereid_layout_flow_t *out_flow) {
  *out_flow = NEREID_LAYOUT_FLOW_NONE;
  if (is_there(removal, request) || find_in(&slice->seen, request))
    return true;
  if (!add_to(removal->arena, &slice->seen, request, (MlirValue){NULL}))
    return false;
  const choice_t *choice = slice->is_cut ? choice_for(removal, request) : NULL;
  *out_flow = choice && choice->converts ? NEREID_LAYOUT_FLOW_NONE : flow_to(removal, request, out_op);
  if (*out_flow == NEREID_LAYOUT_FLOW_NONE) {
    slice->cost += price_of(removal, request).conversion;
    return nereid_vector_push(removal->arena, &slice->converted, request);
  }
  slice->cost += recompute_cost(removal, *out_op, *out_flow, request);
  return nereid_vector_push(removal->arena, &slice->recomputed, request);
}

/* Collects the slice of `root`; false when it is too large or when out of memory. */
static bool collect(removal_t *removal, slice_t *slice, request_t root) {
  request_stack_t stack = {0};
  if (!nereid_vector_push(removal->arena, &stack, root))
    return false;
  while (stack.size) {
    request_t request = stack.data[--stack.size];
    MlirOperation op;
    nereid_layout_flow_t flow;
    if (!visit(removal, slice, request, &op, &flow) || slice->recomputed.size > MAX_SLICE)
      return false;
    for (intptr_t i = 0; flow != NEREID_LAYOUT_FLOW_NONE && i < mlirOperationGetNumOperands(op); ++i) {
      request_t operand = {.value = mlirOperationGetOperand(op, i)};
      if (!nereid_layout_flow_operand(op, flow, i, request.encoding, &operand.encoding))
        return false;
      if (!mlirAttributeIsNull(operand.encoding) && !nereid_vector_push(removal->arena, &stack, operand))
        return false;
    }
  }
  return true;
}

/* --- recomputation --- */

/* A builder at the first position where every user of `value` can use a new value. */
static nereid_builder_t after_definition(MlirValue value) {
  MlirOperation op = nereid_defining_op(value);
  nereid_builder_t builder = {mlirValueGetLocation(value), {NULL}, {NULL}};
  if (mlirOperationIsNull(op)) {
    builder.block = mlirBlockArgumentGetOwner(value);
    builder.before = mlirBlockGetFirstOperation(builder.block);
  } else {
    builder.block = mlirOperationGetBlock(op);
    builder.before = mlirOperationGetNextInBlock(op);
  }
  return builder;
}

/* The value for `request`: computed before, existing, or the source of a conversion. */
static MlirValue lookup(removal_t *removal, request_t request) {
  if (mlirAttributeEqual(nereid_ttg_encoding_of(request.value), request.encoding))
    return request.value;
  made_t *made = find_in(&removal->made, request);
  if (made && !mlirOperationIsNull(made->moves)) {
    MlirOperation before = after_definition(request.value).before;
    if (!mlirOperationEqual(before, made->moves))
      mlirOperationMoveBefore(made->moves, before);
    made->moves = (MlirOperation){NULL};
  }
  return made ? made->value : (MlirValue){NULL};
}

/* Offers the result of a remaining conversion to later slices if it can move to the definition of its operand: to the
 * operand's block, which is executed no more often. */
static bool offer(removal_t *removal, MlirOperation conversion, request_t root) {
  if (!mlirBlockEqual(after_definition(root.value).block, mlirOperationGetBlock(conversion)))
    return true;
  if (!add_to(removal->arena, &removal->made, root, mlirOperationGetResult(conversion, 0)))
    return false;
  find_in(&removal->made, root)->moves = conversion;
  return true;
}

static bool convert_value(removal_t *removal, request_t request) {
  const nereid_builder_t builder = after_definition(request.value);
  MlirOperation convert = nereid_ttg_convert_layout_build(
      &builder, nereid_ttg_with_encoding(mlirValueGetType(request.value), request.encoding), request.value);
  return add_to(removal->arena, &removal->made, request, mlirOperationGetResult(convert, 0));
}

static bool recompute(removal_t *removal, request_t request) {
  MlirOperation op = nereid_defining_op(request.value);
  const nereid_layout_flow_t flow = nereid_layout_flow_of(op);
  if (flow == NEREID_LAYOUT_FLOW_CONVERT) {
    request_t source = {mlirOperationGetOperand(op, 0), request.encoding};
    return add_to(removal->arena, &removal->made, request, lookup(removal, source));
  }
  MlirOperation again = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    request_t operand = {.value = mlirOperationGetOperand(op, i)};
    if (nereid_layout_flow_operand(op, flow, i, request.encoding, &operand.encoding) &&
        !mlirAttributeIsNull(operand.encoding))
      mlirOperationSetOperand(again, i, lookup(removal, operand));
  }
  MlirValue result = mlirOperationGetResult(again, 0);
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(result), request.encoding);
  mlirValueSetType(result, type);
  if (nereid_op_kind(op) == NEREID_OP_ARITH_CONSTANT) {
    MlirAttribute value = nereid_ir_attribute(op, "value");
    nereid_ir_set_attribute(again, "value", mlirDenseElementsAttrReshapeGet(value, type));
  }
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(op), op, again);
  return add_to(removal->arena, &removal->made, request, result);
}

/* Slices are rebuilt last to first: a value is collected before its operands. A value that two users share may be
 * collected before only one of them; the user is then postponed until its operands exist. */
static bool operands_are_made(removal_t *removal, request_t request) {
  MlirOperation op = nereid_defining_op(request.value);
  const nereid_layout_flow_t flow = nereid_layout_flow_of(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    request_t operand = {.value = mlirOperationGetOperand(op, i)};
    if (!nereid_layout_flow_operand(op, flow, i, request.encoding, &operand.encoding))
      return false;
    if (!mlirAttributeIsNull(operand.encoding) && mlirValueIsNull(lookup(removal, operand)))
      return false;
  }
  return true;
}

/* Recomputes the slice, operands before users: a depth-first walk with an explicit stack. */
static bool rebuild(removal_t *removal, const slice_t *slice) {
  for (size_t i = 0; i < slice->converted.size; ++i)
    if (!convert_value(removal, slice->converted.data[i]))
      return false;
  request_stack_t stack = {0};
  for (size_t i = slice->recomputed.size; i > 0; --i) {
    if (!nereid_vector_push(removal->arena, &stack, slice->recomputed.data[i - 1]))
      return false;
    while (stack.size) {
      request_t top = stack.data[stack.size - 1];
      if (find_in(&removal->made, top) || mlirAttributeEqual(nereid_ttg_encoding_of(top.value), top.encoding)) {
        --stack.size;
        continue;
      }
      if (operands_are_made(removal, top)) {
        if (!recompute(removal, top))
          return false;
        --stack.size;
        continue;
      }
      MlirOperation op = nereid_defining_op(top.value);
      const nereid_layout_flow_t flow = nereid_layout_flow_of(op);
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
        request_t operand = {.value = mlirOperationGetOperand(op, k)};
        nereid_layout_flow_operand(op, flow, k, top.encoding, &operand.encoding);
        if (!mlirAttributeIsNull(operand.encoding) && mlirValueIsNull(lookup(removal, operand)) &&
            !nereid_vector_push(removal->arena, &stack, operand))
          return false;
      }
    }
  }
  return true;
}

/* --- the pass --- */

/* Users come after their operands in the walk, so one backward traversal is enough. */
static void erase_dead_ops(removal_t *removal) {
  nereid_operations_t ops = {0};
  (void)nereid_collect(removal->pass->op, NULL, removal->arena, &ops);
  for (size_t i = ops.size; i > 1; --i)
    if (nereidMlirOperationIsTriviallyDead(ops.data[i - 1]))
      mlirOperationDestroy(ops.data[i - 1]);
}

/* Lets conversions of conversions start from the first source, and removes those whose result already exists, since
 * their layout is not a requirement of any user. */
static void fold_chains(removal_t *removal) {
  nereid_operations_t conversions = {0};
  (void)nereid_collect_kind(removal->pass->op, NEREID_OP_TTG_CONVERT_LAYOUT, removal->arena, &conversions);
  for (size_t i = 0; i < conversions.size; ++i) {
    MlirOperation conversion = conversions.data[i];
    MlirOperation source =
        nereid_defining_op_of_kind(mlirOperationGetOperand(conversion, 0), NEREID_OP_TTG_CONVERT_LAYOUT);
    if (!mlirOperationIsNull(source)) /* the inner conversion comes first and is already folded */
      mlirOperationSetOperand(conversion, 0, mlirOperationGetOperand(source, 0));
    MlirValue from = mlirOperationGetOperand(conversion, 0), to = mlirOperationGetResult(conversion, 0);
    if (mlirTypeEqual(mlirValueGetType(from), mlirValueGetType(to)))
      mlirValueReplaceAllUsesOfWith(to, from);
  }
  erase_dead_ops(removal);
}

/* Whether recomputing the slice is profitable. A conversion that only renames registers costs nothing, but removing it
 * may remove the chain before it. */
static bool is_cheaper(const slice_t *slice, int64_t conversion) {
  return slice->cost < conversion || (slice->cost == conversion && !slice->converted.size);
}

/* Collects the full slice of `root` or, when that costs less or more than `conversion`, the slice with the best cut. */
static bool collect_best(removal_t *removal, request_t root, int64_t conversion, slice_t *out) {
  enum { SYNCHRONIZATION = 200 }; /* at a conversion warps wait for each other; often addresses of loads depend on it */
  slice_t whole = {.is_cut = false}, cut = {.is_cut = true};
  nereid_map_initialize(&whole.seen, removal->arena);
  nereid_map_initialize(&cut.seen, removal->arena);
  const bool found_whole = collect(removal, &whole, root);
  const bool found_cut = choose_all(removal, root) && collect(removal, &cut, root);
  const int64_t meetings = (int64_t)cut.converted.size - (int64_t)whole.converted.size;
  const bool is_best = found_whole && is_cheaper(&whole, conversion) &&
                       (!found_cut || whole.cost <= cut.cost + SYNCHRONIZATION * meetings);
  *out = is_best ? whole : cut;
  return is_best || found_cut;
}

/* Replaces `conversion` by its source, recomputed in the target layout, when that is cheaper. */
static bool try_remove(removal_t *removal, MlirOperation conversion) {
  MlirValue result = mlirOperationGetResult(conversion, 0), source = mlirOperationGetOperand(conversion, 0);
  request_t root = {source, nereid_ttg_encoding_of(result)};
  const int64_t before = price_of(removal, root).conversion;
  slice_t slice;
  if (!collect_best(removal, root, before, &slice))
    return !removal->arena->failed && offer(removal, conversion, root);
  if (!is_cheaper(&slice, before)) {
    nereid_pass_remark_missed(removal->pass, conversion, "kept",
                              "recomputing %zu operations and converting %zu values would cost %lld, the conversion "
                              "costs %lld",
                              slice.recomputed.size, slice.converted.size, (long long)slice.cost, (long long)before);
    return offer(removal, conversion, root);
  }
  if (!rebuild(removal, &slice))
    return false;
  MlirValue replacement = lookup(removal, root);
  if (slice.recomputed.size)
    nereid_pass_remark_passed(removal->pass, conversion, "rematerialised",
                              "%zu operations recomputed in the required layout", slice.recomputed.size);
  else
    nereid_pass_remark_passed(removal->pass, conversion, "rematerialised",
                              "the value already exists in the required layout");
  mlirValueReplaceAllUsesOfWith(result, replacement);
  return true;
}

MlirLogicalResult nereid_pass_tritongpu_remove_layout_conversions(nereid_pass_t *pass) {
  removal_t removal = {.pass = pass, .arena = pass->scratch, .reductions = {.arena = pass->scratch}};
  nereid_map_initialize(&removal.made, pass->scratch);
  nereid_map_initialize(&removal.choices, pass->scratch);
  nereid_map_initialize(&removal.prices, pass->scratch);
  /* The first iterations exclude ops that take any layout; their votes count in the last one. */
  int64_t sunk = 1;
  for (int round = 0; sunk && round < MAX_ROUNDS; ++round) {
    if (!nereid_layout_components_assign(pass, false))
      return mlirLogicalResultFailure();
    fold_chains(&removal);
    sunk = nereid_sink_conversions(pass);
    fold_chains(&removal);
  }
  if (sunk < 0 || !nereid_layout_components_assign(pass, true))
    return mlirLogicalResultFailure();
  nereid_operations_t conversions = {0}, all = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TTG_CONVERT_LAYOUT, pass->scratch, &conversions) ||
      !nereid_collect(pass->op, NULL, pass->scratch, &all))
    return mlirLogicalResultFailure();
  nereid_map_initialize(&removal.written.bases, pass->scratch);
  for (size_t i = 0; i < all.size; ++i)
    nereid_written_memory_add(&removal.written, all.data[i]);
  for (size_t i = 0; i < conversions.size; ++i)
    if (!try_remove(&removal, conversions.data[i]))
      return mlirLogicalResultFailure();
  erase_dead_ops(&removal);
  return mlirLogicalResultSuccess();
}
