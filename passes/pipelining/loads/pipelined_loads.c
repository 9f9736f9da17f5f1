/* Candidates for pipelining; see pipelined_loads.h.
 *
 *   %x = tt.load %p             2 bytes at a time: in registers
 *   %y = ttg.convert_layout %x : … -> #ttg.dot_op          ->   %b = ttg.local_alloc %x
 *                                                               %y = ttg.local_load %b : … -> #ttg.dot_op */
#include "passes/pipelining/loads/pipelined_loads.h"

#include "base/map.h"
#include "dialects/ir.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/schedule.h"
#include "passes/support/recurrence.h"
#include "passes/support/written_roots.h"
#include "seam/effects.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

typedef struct collect {
  MlirOperation loop;
  MlirBlock body;
  bool has_dot, is_requested, is_recurrence;
  const nereid_axis_result_t *axis;
  nereid_arena_t *arena;
  nereid_map_t levels; /* op on which a dot, or in other loops a load, depends -> level plus 1 */
  nereid_written_roots_t written;
  nereid_pipelined_t *out;
} collect_t;

/* --- what the dots depend on --- */

static MlirOperation defining_op_in(const collect_t *collect, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return (MlirOperation){NULL};
  MlirOperation op = mlirOpResultGetOwner(value);
  return mlirBlockEqual(mlirOperationGetBlock(op), collect->body) ? op : (MlirOperation){NULL};
}

/* Gives `op` and what it depends on in the same iteration at least the level `level`. Recursion depth is that of the
 * loop's expressions. */
static void visit(collect_t *collect, MlirOperation op, int64_t level) {
  uintptr_t *place = nereid_map_insert(&collect->levels, op.ptr);
  if (!place || (int64_t)*place > level)
    return;
  *place = (uintptr_t)level + 1;
  nereid_schedule_values_t uses = {0};
  nereid_schedule_uses(op, collect->body, collect->arena, &uses);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = defining_op_in(collect, uses.data[i]);
    if (!mlirOperationIsNull(from))
      visit(collect, from, level + nereid_ring_is_load(op));
  }
}

static bool is_dot(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_DOT:
  case NEREID_OP_TT_DOT_SCALED:
  case NEREID_OP_TTNG_WARP_GROUP_DOT:
    return true;
  default:
    return mlirOperationGetNumRegions(op) > 0 && nereid_loop_has_dot(op);
  }
}

static void visit_roots(collect_t *collect) {
  const bool all = !collect->has_dot || collect->is_requested;
  for (MlirOperation op = mlirBlockGetFirstOperation(collect->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_dot(op) || (all && nereid_ring_is_load(op)))
      visit(collect, op, 0);
}

/* --- obstacles --- */

static bool is_loaded_ahead(const collect_t *collect, MlirOperation load) {
  return nereid_written_roots_permit_ahead(&collect->written, load, collect->is_requested);
}

/* Whether `op` and all that it depends on, also through carried values, can be executed ahead. `seen`: ops and
 * arguments that have been checked. */
static bool runs_ahead(const collect_t *collect, MlirOperation op, nereid_map_t *seen) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  uintptr_t *place = nereid_map_insert(seen, op.ptr);
  if (!place || *place)
    return place != NULL;
  *place = 1;
  const bool possible = nereid_ring_is_load(op) ? is_loaded_ahead(collect, op)
                                                : kind == NEREID_OP_TTG_LOCAL_ALLOC ||
                                                      (!is_dot(op) && nereidMlirOperationIsMemoryEffectFree(op));
  nereid_schedule_values_t uses = {0};
  if (!possible || !nereid_schedule_uses(op, collect->body, collect->arena, &uses))
    return false;
  MlirOperation yield = mlirBlockGetTerminator(collect->body);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirValue value = uses.data[i];
    for (intptr_t n = 0; mlirValueIsABlockArgument(value) && n < mlirBlockGetNumArguments(collect->body); ++n) {
      const intptr_t number = mlirBlockArgumentGetArgNumber(value);
      if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), collect->body) || number == 0)
        break;
      value = mlirOperationGetOperand(yield, number - 1);
    }
    MlirOperation from = defining_op_in(collect, value);
    if (!mlirOperationIsNull(from) && !runs_ahead(collect, from, seen))
      return false;
  }
  return true;
}

static bool can_run_ahead(const collect_t *collect, MlirOperation op) {
  nereid_map_t seen;
  nereid_map_initialize(&seen, collect->arena);
  return runs_ahead(collect, op, &seen);
}

/* Whether the iteration only carries the value of `load` to the next one: the program itself loads it ahead. */
static bool is_only_carried(MlirOperation load) {
  MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(load));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (nereid_op_kind(mlirOpOperandGetOwner(use)) != NEREID_OP_SCF_YIELD)
      return false;
  return true;
}

/* Why a load stays; null when it can be pipelined. */
static const char *obstacle(const collect_t *collect, nereid_pipelined_op_t *load) {
  MlirType type = mlirValueGetType(nereid_ir_result(load->op));
  const bool is_tensor = nereid_ttg_is_laid_out(nereid_ir_result(load->op));
  const bool permits_registers = collect->has_dot || collect->is_recurrence;
  if (!is_tensor && !permits_registers && load->level == 0)
    return "it is not a tensor with a layout";
  MlirType element = mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetElementType(type) : type;
  const bool is_number = mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element);
  if (nereid_ring_is_volatile(load->op) || (is_tensor && !is_number))
    return "it is volatile, or loads pointers";
  load->in_registers = !is_tensor || !nereid_ring_can_copy(load->op, nereid_ring_slot_type(load->op), collect->axis);
  if (load->in_registers && is_tensor && !permits_registers)
    return "less than 4 bytes are contiguous and aligned";
  /* The next iteration would move its value to other registers, and wait for the load that has just begun. */
  if (is_tensor && permits_registers && is_only_carried(load->op))
    return "the program itself loads it for the next iteration";
  if (!is_loaded_ahead(collect, load->op))
    return "its loop may write the memory that it reads";
  return can_run_ahead(collect, load->op) ? NULL : "its address depends on an operation that cannot be executed ahead";
}

static void add_loads(collect_t *collect) {
  for (MlirOperation op = mlirBlockGetFirstOperation(collect->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    const uintptr_t *level = nereid_map_find(&collect->levels, op.ptr);
    if (!level || !nereid_ring_is_load(op))
      continue;
    nereid_pipelined_op_t load = {.op = op, .level = (int64_t)*level - 1};
    load.latency = nereid_ir_integer(op, NEREID_ATTR_LATENCY, -1);
    load.is_given = load.latency >= 0;
    load.obstacle = load.is_given ? NULL : obstacle(collect, &load);
    nereid_vector_push(collect->arena, collect->out, load);
  }
}

/* --- buffers of computed operands --- */

static nereid_pipelined_op_t *find_load(const collect_t *collect, MlirOperation op) {
  for (size_t i = 0; i < collect->out->size; ++i)
    if (mlirOperationEqual(collect->out->data[i].op, op))
      return &collect->out->data[i];
  return NULL;
}

/* Marks the loads on which `op` depends in the same iteration; returns how many are pipelined. */
static int mark_loads(const collect_t *collect, MlirOperation op, nereid_map_t *seen) {
  nereid_schedule_values_t uses = {0};
  uintptr_t *place = nereid_map_insert(seen, op.ptr);
  int count = 0;
  if (!place || *place)
    return 0;
  *place = 1;
  nereid_pipelined_op_t *load = find_load(collect, op);
  if (load && !load->obstacle) {
    load->feeds_buffer = load->level == 0;
    return 1;
  }
  nereid_schedule_uses(op, collect->body, collect->arena, &uses);
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = defining_op_in(collect, uses.data[i]);
    if (!mlirOperationIsNull(from))
      count += mark_loads(collect, from, seen);
  }
  return count;
}

/* Whether a ring of slots replaces the buffer of `source` anyway, as cp.async fills it. */
static bool is_copied(const collect_t *collect, MlirOperation source) {
  const nereid_pipelined_op_t *load = find_load(collect, source);
  return load && !load->obstacle && !load->in_registers;
}

/* Splits a conversion to a dot operand: returns the buffer, or null for another op. */
static MlirOperation split_conversion(MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_TTG_CONVERT_LAYOUT)
    return (MlirOperation){NULL};
  MlirValue source = nereid_ttg_convert_layout_get_src(op), result = nereid_ir_result(op);
  MlirType tensor = mlirValueGetType(source);
  MlirAttribute encoding = nereid_ring_operand_encoding(tensor, nereid_ttg_encoding_of(result));
  if (mlirAttributeIsNull(encoding))
    return (MlirOperation){NULL};
  const nereid_builder_t builder = nereid_builder_before(op);
  MlirOperation alloc =
      nereid_ttg_local_alloc_build(&builder, nereid_ring_buffer_type(tensor, encoding), source, (MlirAttribute){NULL});
  MlirOperation load =
      nereid_ttg_local_load_build(&builder, mlirValueGetType(result), nereid_ir_result(alloc), (MlirValue){NULL});
  mlirValueReplaceAllUsesOfWith(result, nereid_ir_result(load));
  nereidMlirOperationErase(op);
  return alloc;
}

static void add_buffer(collect_t *collect, MlirOperation op) {
  MlirOperation source = defining_op_in(collect, mlirOperationGetOperand(op, 0));
  nereid_map_t seen;
  nereid_map_initialize(&seen, collect->arena);
  if (mlirOperationIsNull(source) || is_copied(collect, source) || !can_run_ahead(collect, source) ||
      !mark_loads(collect, source, &seen))
    return;
  if (nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT)
    op = split_conversion(op);
  if (!mlirOperationIsNull(op))
    nereid_vector_push(collect->arena, collect->out, (nereid_pipelined_op_t){.op = op});
}

static void add_buffers(collect_t *collect) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(collect->body); !mlirOperationIsNull(op); op = next) {
    const nereid_op_kind_t kind = nereid_op_kind(op);
    next = mlirOperationGetNextInBlock(op);
    const bool is_operand = (kind == NEREID_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op) == 1) ||
                            (kind == NEREID_OP_TTG_CONVERT_LAYOUT &&
                             nereid_ttg_dot_op_attr_isa(nereid_ttg_encoding_of(nereid_ir_result(op))));
    if (is_operand && nereid_map_find(&collect->levels, op.ptr))
      add_buffer(collect, op);
  }
}

/* --- factors --- */

/* Whether `op` depends on a load of the loop in the same iteration. */
static bool depends_on_load(const collect_t *collect, MlirOperation op, nereid_map_t *seen) {
  nereid_schedule_values_t uses = {0};
  uintptr_t *place = nereid_map_insert(seen, op.ptr);
  if (!place || *place)
    return !place;
  *place = 1;
  if (!nereid_schedule_uses(op, collect->body, collect->arena, &uses))
    return true;
  for (size_t i = 0; i < uses.size; ++i) {
    MlirOperation from = defining_op_in(collect, uses.data[i]);
    if (!mlirOperationIsNull(from) && (nereid_ring_is_load(from) || depends_on_load(collect, from, seen)))
      return true;
  }
  return false;
}

/* Whether an op only carries on elements of its operand. */
static bool is_rearrangement(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TT_RESHAPE:
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_TRANS:
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return true;
  default:
    return false;
  }
}

/* Whether the iteration computes with the result of `op`. Otherwise the program itself loads for a later one. */
static bool is_computed_with(const collect_t *collect, MlirOperation op) {
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(op)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = nereid_ir_ancestor_in(collect->body, mlirOpOperandGetOwner(use));
    if (mlirOperationIsNull(user) || nereid_op_kind(user) == NEREID_OP_SCF_YIELD)
      continue;
    if (!is_rearrangement(user) || is_computed_with(collect, user))
      return true;
  }
  return false;
}

/* Whether `op` loads few values, such as the scales of the rows or columns of a block: a scalar or a vector. */
static bool is_small(const collect_t *collect, MlirOperation op) {
  enum { MAX_ELEMENTS = 256 };
  nereid_map_t seen;
  if (nereid_op_kind(op) != NEREID_OP_TT_LOAD)
    return false;
  MlirType type = mlirValueGetType(nereid_ir_result(op));
  if (mlirTypeIsARankedTensor(type) &&
      (mlirShapedTypeGetRank(type) != 1 || mlirShapedTypeGetDimSize(type, 0) > MAX_ELEMENTS))
    return false;
  nereid_map_initialize(&seen, collect->arena);
  return !depends_on_load(collect, op, &seen);
}

bool nereid_pipelined_collect_factors(MlirOperation loop, const nereid_axis_result_t *axis,
                                      const nereid_pipelined_t *loads, nereid_arena_t *arena, nereid_pipelined_t *out) {
  collect_t collect = {.loop = loop,
                       .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)),
                       .has_dot = true,
                       .axis = axis,
                       .arena = arena,
                       .out = out};
  nereid_map_t known;
  nereid_map_initialize(&known, arena);
  for (size_t i = 0; i < loads->size; ++i)
    nereid_map_insert(&known, loads->data[i].op.ptr);
  nereid_written_roots_read(loop, arena, &collect.written);
  for (MlirOperation op = mlirBlockGetFirstOperation(collect.body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    nereid_pipelined_op_t load = {.op = op, .is_given = nereid_ir_has_attribute(op, NEREID_ATTR_LATENCY)};
    if (nereid_map_find(&known, op.ptr) || load.is_given || !is_small(&collect, op) || !is_computed_with(&collect, op))
      continue;
    load.obstacle = obstacle(&collect, &load);
    nereid_vector_push(arena, out, load);
  }
  return out->size > 0 && !arena->failed;
}

bool nereid_pipelined_collect(MlirOperation loop, bool has_dot, bool is_requested, const nereid_axis_result_t *axis,
                              nereid_arena_t *arena, nereid_pipelined_t *out) {
  collect_t collect = {.loop = loop,
                       .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)),
                       .has_dot = has_dot,
                       .is_requested = is_requested,
                       .axis = axis,
                       .arena = arena,
                       .out = out};
  nereid_recurrence_t recurrence;
  collect.is_recurrence = !has_dot && nereid_recurrence_find(loop, &recurrence);
  nereid_map_initialize(&collect.levels, arena);
  nereid_written_roots_read(loop, arena, &collect.written);
  visit_roots(&collect);
  add_loads(&collect);
  if (has_dot)
    add_buffers(&collect);
  return out->size > 0 && !arena->failed;
}
