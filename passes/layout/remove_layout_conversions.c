/* tritongpu-remove-layout-conversions: computes values in the required layout instead of converting them.
 *
 *   %s = arith.addf %a, %b : tensor<…, #x>                    %a' , %b' : tensor<…, #y>   (loads already in #y)
 *   %c = ttg.convert_layout %s : #x -> #y            ->       %c = arith.addf %a', %b' : tensor<…, #y>
 *
 * First, whole components of values get the layout that leaves the fewest bytes to convert (layout_components.h), and
 * reductions, scans and transpositions get the layout of their operands; conversions that only one branch uses move
 * into it (sink_conversions.h).
 *
 * Then, for each remaining conversion, the pass collects a backward slice through ops that work in any layout:
 * elementwise ops, splats, ranges, constants, broadcasts, expand_dims, transpositions, some reductions and scans, other
 * conversions. The slice ends at values that have the required layout, which are used, and at other values, which would
 * have to be converted. The slice is recomputed in the required layout when that costs less than the conversion: the
 * shared-memory traffic it needs plus the duplicated computation, since old ops with other users stay. Costs in a loop
 * count several times, so a value that a loop carries is carried in a second layout (carried_layouts.h) when its
 * initial value can be converted before the loop.
 *
 * If the whole slice costs too much, it is cut: each value is either converted or computed from its operands, whichever
 * is cheaper. So a row is converted before it is broadcast to a matrix.
 *
 * Conversions of loaded values come last: what a slice from a later conversion recomputes needs them no more.
 *
 * A value is computed at most once per layout and the decision is cached, so the work is bounded by values times
 * layouts. Small loads (such as row indices) are repeated too, unless the function writes to the same memory,
 * converting the loaded values is cheaper, or a loop would copy a tile twice for its dots. Before
 * tritongpu-accelerate-matmul (`provisional-dots`) nothing is computed in the layouts of dots that may move to tensor
 * cores. Requires: encodings on all tensors. Preserves: everything but layouts and the number of ops. */
#include "base/map.h"
#include "base/vector.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/infer_encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "passes/layout/support/carried_layouts.h"
#include "passes/layout/support/conversion_cost.h"
#include "passes/layout/support/execution_frequency.h"
#include "passes/layout/support/layout_components.h"
#include "passes/layout/support/layout_flow.h"
#include "passes/layout/support/layout_slice.h"
#include "passes/layout/support/provisional_dots.h"
#include "passes/layout/support/reduction_cost.h"
#include "passes/layout/support/sink_conversions.h"
#include "passes/support/collect.h"
#include "passes/support/recurrence.h"
#include "passes/support/written_roots.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum { MAX_SLICE = 4096, MAX_ROUNDS = 8 };

/* Cached costs of a type. */
typedef struct price price_t;
struct price {
  MlirAttribute encoding;
  int64_t conversion, registers;
  price_t *next;
};

/* The cheapest way to get a value in an encoding: convert it, or recompute it from the cheapest form of its sources.
 */
typedef struct choice choice_t;
struct choice {
  MlirAttribute encoding;
  int64_t cost;
  bool converts;
  bool open;    /* an iter_arg whose sources are being chosen; they take it as free */
  bool dropped; /* it assumed a free iter_arg that is converted */
  choice_t *next;
};

typedef struct removal {
  nereid_pass_t *pass;
  nereid_arena_t *arena;
  nereid_layout_versions_t versions;
  nereid_carried_layouts_t carried;
  bool is_extended;                /* some value is carried in a second layout */
  nereid_map_t choices;            /* value -> list of choice_t; later conversions reuse the decisions */
  NEREID_VECTOR(choice_t *) order; /* the choices, in the order they were made */
  nereid_map_t prices;             /* type -> list of price_t */
  MlirValue root;                  /* the source of the conversion whose slice is chosen */
  nereid_written_roots_t written;
  nereid_provisional_dots_t dots;
  nereid_reduction_costs_t reductions;
} removal_t;

/* How far a slice extends. */
typedef enum extent {
  EXTENT_BLOCK, /* as far back as possible, except through loops and branches */
  EXTENT_LOOPS, /* as far back as possible */
  EXTENT_CUT,   /* according to the choices */
} extent_t;

/* The ops and the cost of a slice. Costs are approximate instructions per thread and run of the function. */
typedef struct slice {
  nereid_layout_requests_t recomputed, converted;
  nereid_layout_versions_t seen; /* without values: requests already visited */
  extent_t extent;
  bool is_carried;        /* some request is carried by a loop or branch */
  int64_t cost, meetings; /* `meetings`: the executions of conversions */
} slice_t;

/* --- costs --- */

static int64_t registers_of(MlirType type, MlirAttribute encoding) {
  nereid_layout_t layout;
  if (nereid_layout_from_type(nereid_ttg_with_encoding(type, encoding), &layout) != NEREID_OK)
    return 1;
  return nereid_distinct_registers(&layout);
}

static price_t price_of(removal_t *removal, nereid_layout_request_t request) {
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
static bool is_movable_reduction(removal_t *removal, MlirOperation reduction, nereid_layout_request_t request) {
  MlirValue operand = mlirOperationGetOperand(reduction, 0);
  MlirAttribute parent;
  return dies_with_user(request.value) && nereid_is_recomputable(operand) &&
         nereid_layout_flow_operand(reduction, NEREID_LAYOUT_FLOW_REDUCE, 0, request.encoding, &parent) &&
         nereid_reduction_cost(&removal->reductions, reduction, operand, parent) <=
             nereid_reduction_cost(&removal->reductions, reduction, operand, nereid_ttg_encoding_of(operand));
}

/* Whether `scan`, whose result is `request`, may be computed in the requested layout: it replaces the present scan and
 * exchanges no more data. */
static bool is_movable_scan(MlirOperation scan, nereid_layout_request_t request) {
  return dies_with_user(request.value) &&
         nereid_scan_cost(scan, request.encoding) <= nereid_scan_cost(scan, nereid_ttg_encoding_of(request.value));
}

/* Instructions of a second read of shared memory, minus those of the first if it dies with its only user. Operands that
 * a dot reads from shared memory are read there in any case. */
static int64_t access_again_cost(removal_t *removal, nereid_layout_request_t request) {
  enum { PER_ELEMENT = 4 };
  const nereid_layout_request_t now = {request.value, nereid_ttg_encoding_of(request.value)};
  const int64_t saved = dies_with_user(request.value) ? price_of(removal, now).registers : 0;
  const int64_t needed = nereid_ttg_dot_op_attr_isa(request.encoding) ? 0 : price_of(removal, request).registers;
  return needed > saved ? PER_ELEMENT * (needed - saved) : 0;
}

/* Registers of a second layout that a loop or branch carries; those of the first are saved if nothing else uses it. A
 * loop moves them in each iteration. */
static int64_t carry_cost(removal_t *removal, const nereid_layout_producer_t *producer,
                          nereid_layout_request_t request) {
  const bool is_loop_result = mlirValueIsAOpResult(request.value) && nereid_op_kind(producer->op) == NEREID_OP_SCF_FOR;
  const int64_t registers = dies_with_user(request.value) ? 0 : price_of(removal, request).registers;
  return registers * (is_loop_result ? NEREID_FREQUENCY_LOOP : 1);
}

/* How often a value is computed per run of its function. */
static int64_t frequency_of(MlirValue value) {
  enum { PER_LOOP = NEREID_FREQUENCY_LOOP, MAX = PER_LOOP * PER_LOOP * PER_LOOP };
  int64_t frequency = 1;
  MlirOperation op = mlirBlockGetParentOperation(nereid_layout_after_definition(value).block);
  for (; !mlirOperationIsNull(op) && frequency < MAX; op = mlirOperationGetParentOperation(op))
    frequency *= nereidMlirOperationIsLoopLike(op) ? PER_LOOP : 1;
  return frequency;
}

/* The cost of the conversion of whose result `request` is another layout, if it converts a loaded tensor as large as
 * the root and the slice makes it unnecessary. Not in the epilogue of a tile: what waits for the conversion of the
 * result is spilled there (tiles of 128x128 f32: 1.15 of the time). */
static int64_t saved_conversion(removal_t *removal, nereid_layout_request_t request) {
  MlirOperation conversion = nereid_defining_op_of_kind(request.value, NEREID_OP_TTG_CONVERT_LAYOUT);
  MlirAttribute present = nereid_ttg_encoding_of(request.value);
  if (mlirOperationIsNull(conversion) || mlirAttributeEqual(present, request.encoding) ||
      nereid_is_in_tile_epilogue(conversion))
    return 0;
  MlirValue source = mlirOperationGetOperand(conversion, 0);
  const int64_t elements = nereid_ttg_num_elements(mlirValueGetType(source));
  if (mlirOperationIsNull(nereid_defining_op_of_kind(source, NEREID_OP_TT_LOAD)) ||
      elements < nereid_ttg_num_elements(mlirValueGetType(removal->root)) ||
      !nereid_is_needed_only_for(request.value, removal->root))
    return 0;
  return price_of(removal, (nereid_layout_request_t){source, present}).conversion;
}

/* Instructions of recomputing `value`, minus those of the old op if it dies with its only user. */
static int64_t recompute_cost(removal_t *removal, const nereid_layout_producer_t *producer,
                              nereid_layout_request_t request) {
  const nereid_layout_flow_t flow = producer->flow;
  if (flow == NEREID_LAYOUT_FLOW_CARRIED)
    return carry_cost(removal, producer, request);
  if (flow == NEREID_LAYOUT_FLOW_CONVERT)
    return -saved_conversion(removal, request);
  if (flow == NEREID_LAYOUT_FLOW_READ || flow == NEREID_LAYOUT_FLOW_GATHER)
    return access_again_cost(removal, request);
  if ((flow != NEREID_LAYOUT_FLOW_SAME && flow != NEREID_LAYOUT_FLOW_FP4) ||
      nereid_op_kind(producer->op) == NEREID_OP_TT_BROADCAST)
    return 0;
  const bool dies = dies_with_user(request.value);
  if (nereid_is_repeatable_load(producer->op))
    return nereid_load_again_cost(request.value, request.encoding,
                                  dies && nereid_is_needed_only_for(request.value, removal->root));
  /* Loads depend on addresses and masks, which should not have to wait for other warps. */
  if (dies && !mlirTypeIsAFloat(mlirShapedTypeGetElementType(mlirValueGetType(request.value))))
    return 0;
  const nereid_layout_request_t now = {request.value, nereid_ttg_encoding_of(request.value)};
  const int64_t saved = dies ? price_of(removal, now).registers : 0, needed = price_of(removal, request).registers;
  return needed > saved ? (needed - saved) * nereid_element_cost(producer->op) : 0;
}

/* --- collecting the slice --- */

/* Whether every source can have the encoding that a result in `encoding` requires. */
static bool has_source_encodings(const nereid_layout_producer_t *producer, MlirAttribute encoding) {
  nereid_layout_request_t source;
  for (intptr_t i = 0; i < producer->n_sources; ++i)
    if (!nereid_layout_source(producer, i, encoding, &source))
      return false;
  return true;
}

static bool is_there(const removal_t *removal, nereid_layout_request_t request) {
  return mlirAttributeEqual(nereid_ttg_encoding_of(request.value), request.encoding) ||
         nereid_layout_versions_find(&removal->versions, request);
}

/* Whether a second load of `request` would be a second copy to shared memory: a loop with dots loads the tile ahead, in
 * a ring of buffers, from which threads read it in any layout. */
static bool is_copied_twice(const removal_t *removal, nereid_layout_request_t request) {
  enum { LANES = 32 };
  MlirOperation loop = mlirOperationGetParentOperation(nereid_defining_op(request.value));
  return nereid_ttg_dot_op_attr_isa(request.encoding) && nereid_op_kind(loop) == NEREID_OP_SCF_FOR &&
         nereid_ttg_num_elements(mlirValueGetType(request.value)) > (int64_t)LANES * nereid_ttg_num_warps(loop) &&
         !nereid_is_needed_only_for(request.value, removal->root);
}

/* Whether `loop` carries `value`, the matrix of a recurrence. A second layout would repeat the update in each
 * iteration, and then the reductions across warps; a conversion is executed once. */
static bool is_recurrent(MlirOperation loop, MlirValue value) {
  MlirValue matrix = nereid_recurrence_matrix(loop);
  return !mlirValueIsNull(matrix) && mlirTypeEqual(mlirValueGetType(matrix), mlirValueGetType(value));
}

/* How `request` can be recomputed; flow NEREID_LAYOUT_FLOW_NONE if it cannot. */
static nereid_layout_producer_t producer_for(removal_t *removal, nereid_layout_request_t request) {
  nereid_layout_producer_t producer = nereid_layout_producer_of(request.value);
  const nereid_layout_producer_t none = {.flow = NEREID_LAYOUT_FLOW_NONE};
  const bool in_cta = producer.flow == NEREID_LAYOUT_FLOW_REDUCE || producer.flow == NEREID_LAYOUT_FLOW_SCAN ||
                      producer.flow == NEREID_LAYOUT_FLOW_READ || producer.flow == NEREID_LAYOUT_FLOW_GATHER;
  if (in_cta && !nereid_ttg_has_same_parts(mlirValueGetType(request.value), request.encoding))
    return none;
  if (producer.flow == NEREID_LAYOUT_FLOW_REDUCE)
    return is_movable_reduction(removal, producer.op, request) ? producer : none;
  if (producer.flow == NEREID_LAYOUT_FLOW_SCAN)
    return is_movable_scan(producer.op, request) ? producer : none;
  if (producer.flow == NEREID_LAYOUT_FLOW_NONE || !has_source_encodings(&producer, request.encoding) ||
      nereid_is_provisional_operand(&removal->dots, request.encoding) ||
      (producer.flow == NEREID_LAYOUT_FLOW_CARRIED && is_recurrent(producer.op, request.value)))
    return none;
  if (producer.flow != NEREID_LAYOUT_FLOW_SAME || !nereid_is_repeatable_load(producer.op))
    return producer;
  if (nereid_is_provisional_result(&removal->dots, request.encoding))
    return none;
  const bool costs_more = recompute_cost(removal, &producer, request) > price_of(removal, request).conversion ||
                          is_copied_twice(removal, request);
  return costs_more || nereid_written_roots_may_write(&removal->written, nereid_tt_load_get_ptr(producer.op))
             ? none
             : producer;
}

static choice_t *choice_for(const removal_t *removal, nereid_layout_request_t request) {
  const uintptr_t *list = nereid_map_find(&removal->choices, request.value.ptr);
  choice_t *choice = list ? (choice_t *)*list : NULL;
  while (choice && (choice->dropped || !mlirAttributeEqual(choice->encoding, request.encoding)))
    choice = choice->next;
  return choice;
}

static bool add_choice(removal_t *removal, nereid_layout_request_t request, choice_t choice) {
  choice_t *kept = nereid_arena_new(removal->arena, choice_t, 1);
  uintptr_t *list = nereid_map_insert(&removal->choices, request.value.ptr);
  if (!kept || !list || !nereid_vector_push(removal->arena, &removal->order, kept))
    return false;
  *kept = choice;
  kept->encoding = request.encoding;
  kept->next = (choice_t *)*list;
  *list = (uintptr_t)kept;
  return true;
}

/* Closes the choice of an iter_arg. If it is converted, the choices made since it was opened are dropped: they assumed
 * that it costs nothing. */
static void close_choice(removal_t *removal, choice_t *open, choice_t choice) {
  open->open = false;
  open->cost = choice.cost;
  open->converts = choice.converts;
  for (size_t i = removal->order.size; choice.converts && removal->order.data[i - 1] != open; --i)
    removal->order.data[i - 1]->dropped = true;
}

/* Chooses for `request` if its sources have choices; otherwise pushes those on the stack. A value with two users counts
 * for both here, but only once in the cost of the slice. A loop that carries a value is a cycle: the choice of an
 * iter_arg is opened before those of its sources. */
static bool choose(removal_t *removal, nereid_layout_request_t request, nereid_layout_requests_t *stack) {
  const nereid_layout_producer_t producer = producer_for(removal, request);
  const int64_t frequency = frequency_of(request.value), converted = frequency * price_of(removal, request).conversion;
  choice_t choice = {.cost = 0}, *open = choice_for(removal, request);
  const size_t size = stack->size;
  if (!open && producer.flow == NEREID_LAYOUT_FLOW_CARRIED && !mlirValueIsAOpResult(request.value))
    return add_choice(removal, request, (choice_t){.open = true});
  if (producer.flow != NEREID_LAYOUT_FLOW_NONE)
    choice.cost = frequency * recompute_cost(removal, &producer, request);
  for (intptr_t i = 0; i < producer.n_sources; ++i) {
    nereid_layout_request_t source;
    if (!nereid_layout_source(&producer, i, request.encoding, &source))
      return false;
    if (mlirAttributeIsNull(source.encoding))
      continue;
    if (is_there(removal, source)) {
      choice.cost -= frequency_of(source.value) * saved_conversion(removal, source);
      continue;
    }
    const choice_t *below = choice_for(removal, source);
    if (!below && !nereid_vector_push(removal->arena, stack, source))
      return false;
    choice.cost += below ? below->cost : 0;
  }
  if (stack->size > size)
    return true;
  choice.converts = producer.flow == NEREID_LAYOUT_FLOW_NONE || choice.cost > converted;
  choice.cost = choice.converts ? converted : choice.cost;
  if (!open)
    return add_choice(removal, request, choice);
  close_choice(removal, open, choice);
  return true;
}

/* Chooses the best cut of the slice of `root`, sources first; false when out of memory, or when a source has no
 * encoding. */
static bool choose_all(removal_t *removal, nereid_layout_request_t root) {
  nereid_layout_requests_t stack = {0};
  if (!nereid_vector_push(removal->arena, &stack, root))
    return false;
  while (stack.size) {
    const nereid_layout_request_t top = stack.data[stack.size - 1];
    const choice_t *choice = choice_for(removal, top);
    if (choice && !choice->open)
      --stack.size;
    else if (!choose(removal, top, &stack))
      return false;
  }
  return true;
}

/* Adds the cost of `request` to the slice; `out` is how it is recomputed. */
static bool visit(removal_t *removal, slice_t *slice, nereid_layout_request_t request, nereid_layout_producer_t *out) {
  *out = (nereid_layout_producer_t){.flow = NEREID_LAYOUT_FLOW_NONE};
  if (nereid_layout_versions_find(&slice->seen, request))
    return true;
  if (!nereid_layout_versions_add(&slice->seen, request, (MlirValue){NULL}))
    return false;
  if (is_there(removal, request)) {
    slice->cost -= frequency_of(request.value) * saved_conversion(removal, request);
    return true;
  }
  const choice_t *choice = slice->extent == EXTENT_CUT ? choice_for(removal, request) : NULL;
  if (!choice || !choice->converts)
    *out = producer_for(removal, request);
  slice->is_carried |= out->flow == NEREID_LAYOUT_FLOW_CARRIED;
  if (slice->extent == EXTENT_BLOCK && out->flow == NEREID_LAYOUT_FLOW_CARRIED)
    *out = (nereid_layout_producer_t){.flow = NEREID_LAYOUT_FLOW_NONE};
  const int64_t frequency = frequency_of(request.value);
  if (out->flow == NEREID_LAYOUT_FLOW_NONE) {
    slice->cost += frequency * price_of(removal, request).conversion;
    slice->meetings += frequency;
    return nereid_vector_push(removal->arena, &slice->converted, request);
  }
  slice->cost += frequency * recompute_cost(removal, out, request);
  return nereid_vector_push(removal->arena, &slice->recomputed, request);
}

/* Collects the slice of `root`; false when it is too large or when out of memory. */
static bool collect(removal_t *removal, slice_t *slice, nereid_layout_request_t root) {
  nereid_layout_requests_t stack = {0};
  nereid_layout_versions_initialize(&slice->seen, removal->arena);
  if (!nereid_vector_push(removal->arena, &stack, root))
    return false;
  while (stack.size) {
    const nereid_layout_request_t request = stack.data[--stack.size];
    nereid_layout_producer_t producer;
    if (!visit(removal, slice, request, &producer) || slice->recomputed.size > MAX_SLICE)
      return false;
    for (intptr_t i = 0; i < producer.n_sources; ++i) {
      nereid_layout_request_t source;
      if (!nereid_layout_source(&producer, i, request.encoding, &source))
        return false;
      if (!mlirAttributeIsNull(source.encoding) && !nereid_vector_push(removal->arena, &stack, source))
        return false;
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

/* Offers the result of a remaining conversion to later slices if it can move to the definition of its operand: to the
 * operand's block, which is executed no more often. */
static bool offer(removal_t *removal, MlirOperation conversion, nereid_layout_request_t root) {
  if (!mlirBlockEqual(nereid_layout_after_definition(root.value).block, mlirOperationGetBlock(conversion)))
    return true;
  if (!nereid_layout_versions_add(&removal->versions, root, nereid_ir_result(conversion)))
    return false;
  nereid_layout_versions_find(&removal->versions, root)->moves = conversion;
  return true;
}

/* Whether recomputing the slice is profitable. A conversion that only renames registers costs nothing, but removing it
 * may remove the chain before it. */
static bool is_cheaper(const slice_t *slice, int64_t conversion) {
  return slice->cost < conversion || (slice->cost == conversion && !slice->converted.size);
}

/* Collects the slice with the best cut or, when that costs less than `conversion` and not more than the cut, a slice
 * that extends as far as possible. */
static bool collect_best(removal_t *removal, nereid_layout_request_t root, int64_t conversion, slice_t *out) {
  enum { SYNCHRONIZATION = 200 }; /* at a conversion warps wait for each other; often addresses of loads depend on it */
  *out = (slice_t){.extent = EXTENT_CUT};
  bool found = choose_all(removal, root) && collect(removal, out, root), passes_loops = true;
  for (int extent = EXTENT_BLOCK; extent <= EXTENT_LOOPS && passes_loops; ++extent) {
    slice_t slice = {.extent = (extent_t)extent};
    const bool collected = collect(removal, &slice, root);
    passes_loops = slice.is_carried;
    if (!collected || !is_cheaper(&slice, conversion) ||
        (found && slice.cost + SYNCHRONIZATION * slice.meetings > out->cost + SYNCHRONIZATION * out->meetings))
      continue;
    *out = slice;
    found = true;
  }
  return found;
}

/* Recomputes the values of the slice; those that loops and branches carry get a second slot first. */
static bool rebuild(removal_t *removal, slice_t *slice) {
  if (!nereid_carried_layouts_extend(&removal->carried, &slice->recomputed, &slice->converted) ||
      !nereid_layout_slice_rebuild(&removal->versions, &slice->recomputed, &slice->converted))
    return false;
  removal->is_extended |= removal->carried.open.size > 0;
  nereid_carried_layouts_connect(&removal->carried);
  return true;
}

static const char *plural(size_t n) {
  return n == 1 ? "" : "s";
}

static void remark_kept(const removal_t *removal, MlirOperation conversion, const slice_t *slice, int64_t cost) {
  const size_t recomputed = slice->recomputed.size, converted = slice->converted.size;
  if (recomputed)
    nereid_pass_remark_missed(removal->pass, conversion, "kept",
                              "recomputing %zu operation%s and converting %zu value%s would cost %lld, the conversion "
                              "costs %lld",
                              recomputed, plural(recomputed), converted, plural(converted), (long long)slice->cost,
                              (long long)cost);
  else
    nereid_pass_remark_missed(removal->pass, conversion, "kept", "costs %lld; its source cannot be recomputed for less",
                              (long long)cost);
}

/* Replaces `conversion` by its source, recomputed in the target layout, when that is cheaper. */
static bool try_remove(removal_t *removal, MlirOperation conversion) {
  MlirValue result = nereid_ir_result(conversion);
  nereid_layout_request_t root = {mlirOperationGetOperand(conversion, 0), nereid_ttg_encoding_of(result)};
  const int64_t before = frequency_of(root.value) * price_of(removal, root).conversion;
  slice_t slice;
  removal->root = root.value;
  if (!collect_best(removal, root, before, &slice))
    return !removal->arena->failed && offer(removal, conversion, root);
  if (!is_cheaper(&slice, before)) {
    remark_kept(removal, conversion, &slice, before);
    return offer(removal, conversion, root);
  }
  if (!rebuild(removal, &slice))
    return false;
  root.value = mlirOperationGetOperand(conversion, 0); /* result of a replaced loop or branch */
  MlirValue replacement = nereid_layout_versions_lookup(&removal->versions, root);
  if (slice.recomputed.size)
    nereid_pass_remark_passed(removal->pass, conversion, "rematerialized",
                              "%zu operation%s recomputed in the required layout", slice.recomputed.size,
                              plural(slice.recomputed.size));
  else
    nereid_pass_remark_passed(removal->pass, conversion, "rematerialized",
                              "the value already exists in the required layout");
  mlirValueReplaceAllUsesOfWith(result, replacement);
  return true;
}

/* Erases what the second layouts have replaced. */
static bool prune(removal_t *removal) {
  int64_t pruned = 1;
  nereid_carried_layouts_finish(&removal->carried);
  erase_dead_ops(removal);
  for (int round = 0; removal->is_extended && pruned > 0 && round < MAX_ROUNDS; ++round) {
    pruned = nereid_carried_layouts_prune(removal->pass->op, removal->arena);
    erase_dead_ops(removal);
  }
  return pruned >= 0;
}

/* A dot of tensor cores. */
static bool is_mma(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind != NEREID_OP_TT_DOT && kind != NEREID_OP_TTNG_WARP_GROUP_DOT)
    return false;
  MlirAttribute encoding = nereid_ttg_encoding_of(mlirOperationGetResult(op, 0));
  return !mlirAttributeIsNull(encoding) && nereid_ttg_nvidia_mma_attr_isa(encoding);
}

/* Whether the op converts a loaded value. Ops between this conversion and a later one, which take any layout, may have
 * one that no access has: the later slice computes them in its own layout, from the load. So it comes first; otherwise
 * the load would be repeated in that layout, with narrow accesses. */
static bool converts_load(MlirOperation conversion) {
  MlirOperation op = nereid_defining_op(mlirOperationGetOperand(conversion, 0));
  return !mlirOperationIsNull(op) && nereid_is_repeatable_load(op);
}

/* Assigns layouts, sinks conversions, and removes each remaining one that costs more than its alternative. */
static bool remove_conversions(nereid_pass_t *pass) {
  removal_t removal = {.pass = pass, .arena = pass->scratch, .reductions = {.arena = pass->scratch}};
  nereid_layout_versions_initialize(&removal.versions, pass->scratch);
  removal.carried.versions = &removal.versions;
  nereid_map_initialize(&removal.choices, pass->scratch);
  nereid_map_initialize(&removal.prices, pass->scratch);
  /* The first iterations exclude ops that take any layout; their votes count in the last one. */
  int64_t sunk = 1;
  if (!nereid_provisional_dots_read(pass, &removal.dots))
    return false;
  for (int round = 0; sunk && round < MAX_ROUNDS; ++round) {
    if (!nereid_layout_components_assign(pass, &removal.dots, false))
      return false;
    fold_chains(&removal);
    sunk = nereid_sink_conversions(pass);
    fold_chains(&removal);
  }
  if (sunk < 0 || !nereid_layout_components_assign(pass, &removal.dots, true))
    return false;
  fold_chains(&removal);
  nereid_operations_t conversions = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TTG_CONVERT_LAYOUT, pass->scratch, &conversions))
    return false;
  nereid_written_roots_read(pass->op, pass->scratch, &removal.written);
  for (size_t i = 0; i < conversions.size; ++i)
    if (!converts_load(conversions.data[i]) && !try_remove(&removal, conversions.data[i]))
      return false;
  for (size_t i = 0; i < conversions.size; ++i) /* later slices have replaced users of some */
    if (converts_load(conversions.data[i]) && nereid_is_needed(conversions.data[i]) &&
        !try_remove(&removal, conversions.data[i]))
      return false;
  return prune(&removal);
}

MlirLogicalResult nereid_pass_tritongpu_remove_layout_conversions(nereid_pass_t *pass) {
  nereid_operations_t dots = {0};
  if (nereid_pass_option_bool(pass, "mma-only")) {
    if (!nereid_collect(pass->op, is_mma, pass->scratch, &dots))
      return mlirLogicalResultFailure();
    if (dots.size == 0)
      return mlirLogicalResultSuccess();
  }
  if (!remove_conversions(pass))
    return mlirLogicalResultFailure();
  /* In a branch, a conversion is executed less often, and ops of the branch may take its operand. */
  const int64_t moved = nereid_sink_conversions_into_branches(pass);
  return moved == 0 || (moved > 0 && remove_conversions(pass)) ? mlirLogicalResultSuccess()
                                                               : mlirLogicalResultFailure();
}
