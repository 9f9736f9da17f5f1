/* Requirements on rings; see ring.h. */
#include "passes/pipelining/ring.h"
#include "passes/pipelining/branch_waits.h"
#include "passes/pipelining/rings/copy_encoding.h"

#include "analysis/access/slot_layout.h"
#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "layout/exchange.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/dot/instruction_choice.h"
#include "passes/dot/shared_encoding.h"
#include "passes/support/buffer_type.h"
#include "passes/support/descriptor.h"
#include "passes/support/splat.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>

enum {
  MIN_BYTES = 4,      /* of cp.async */
  MIN_ALIGNMENT = 16, /* of buffers that neither TMA nor wgmma accesses: accesses of fewer bytes need less */
};

static bool is_tma(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_DESCRIPTOR_LOAD;
}

/* --- types --- */

static MlirType buffer_type(MlirType tensor, MlirAttribute encoding, bool mutable_memory) {
  MlirContext context = mlirTypeGetContext(tensor);
  int64_t shape[NEREID_LAYOUT_MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(tensor, d);
  MlirAttribute dims = mlirDenseI64ArrayGet(context, rank, shape);
  return nereid_ttg_memdesc_type_create(context, dims, mlirShapedTypeGetElementType(tensor), encoding,
                                        nereid_ttg_shared_memory_attr_create(context), mutable_memory, dims);
}

MlirType nereid_ring_buffer_type(MlirType tensor, MlirAttribute encoding) {
  return buffer_type(tensor, encoding, false);
}

int64_t nereid_ring_spacing(MlirType slot) {
  const int64_t bytes = nereid_allocation_bytes(slot);
  const int64_t alignment = nereid_ttg_shared_alignment(nereid_ttg_memdesc_type_get_encoding(slot));
  return bytes && alignment > bytes && alignment > MIN_ALIGNMENT ? alignment / bytes : 1;
}

int64_t nereid_ring_slot_bytes(MlirType slot) {
  return nereid_ring_spacing(slot) * nereid_allocation_bytes(slot);
}

MlirType nereid_ring_type(MlirType slot, int64_t slots) {
  MlirContext context = mlirTypeGetContext(slot);
  int64_t shape[NEREID_LAYOUT_MAX_RANK + 1] = {slots * nereid_ring_spacing(slot)};
  MlirAttribute dims = nereid_ttg_memdesc_type_get_dims(slot);
  const intptr_t rank = mlirDenseArrayGetNumElements(dims);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d + 1] = mlirDenseI64ArrayGetElement(dims, d);
  dims = mlirDenseI64ArrayGet(context, rank + 1, shape);
  return nereid_ttg_memdesc_type_create(context, dims, nereid_ttg_memdesc_type_get_element_type(slot),
                                        nereid_ttg_memdesc_type_get_encoding(slot),
                                        nereid_ttg_memdesc_type_get_memory_space(slot), true, dims);
}

MlirAttribute nereid_ring_operand_encoding(MlirType tensor, MlirAttribute operand) {
  int32_t order[NEREID_LAYOUT_MAX_RANK];
  if (!nereid_ttg_dot_op_attr_isa(operand) || !nereid_ttg_has_same_parts(tensor, operand))
    return (MlirAttribute){NULL};
  if (nereid_ttg_blocked_attr_isa(nereid_ttg_dot_op_attr_get_parent(operand)))
    return nereid_ttg_memdesc_type_get_encoding(nereid_buffer_type(tensor, 0, true));
  nereid_dot_register_order(tensor, order);
  return nereid_dot_mma_shared(tensor, operand, order);
}

/* The encoding of the buffer or dot operand that `user` makes of a load; null for another user. */
static MlirAttribute encoding_for(MlirOperation user, MlirType tensor) {
  switch (nereid_op_kind(user)) {
  case NEREID_OP_TTG_LOCAL_ALLOC:
    return nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(nereid_ir_result(user)));
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return nereid_ring_operand_encoding(tensor, nereid_ttg_encoding_of(nereid_ir_result(user)));
  default:
    return (MlirAttribute){NULL};
  }
}

/* The encoding from which threads load a value that is no operand of a dot; null if its rows need no swizzle. */
static MlirAttribute encoding_for_threads(MlirValue value) {
  MlirType tensor = mlirValueGetType(value);
  MlirAttribute found = {NULL};
  int32_t order[NEREID_LAYOUT_MAX_RANK];
  if (!mlirTypeIsARankedTensor(tensor))
    return found;
  nereid_dot_register_order(tensor, order);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use) && mlirAttributeIsNull(found);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool converts = nereid_op_kind(user) == NEREID_OP_TTG_CONVERT_LAYOUT;
    found = nereid_read_shared(tensor, nereid_ttg_encoding_of(converts ? nereid_ir_result(user) : value), order);
  }
  return found;
}

bool nereid_ring_is_load(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_LOAD || is_tma(op);
}

bool nereid_ring_is_volatile(MlirOperation load) {
  return nereid_op_kind(load) == NEREID_OP_TT_LOAD && nereid_tt_load_get_is_volatile(load);
}

MlirType nereid_ring_value_slot_type(MlirValue value) {
  MlirType tensor = mlirValueGetType(value);
  MlirAttribute found = {NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirAttribute encoding = encoding_for(user, tensor);
    if (mlirAttributeIsNull(encoding))
      continue;
    if (mlirAttributeIsNull(found) || nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC)
      found = encoding;
  }
  if (mlirAttributeIsNull(found))
    found = encoding_for_threads(value);
  return mlirAttributeIsNull(found) ? nereid_buffer_type(tensor, 0, true) : buffer_type(tensor, found, true);
}

MlirType nereid_ring_slot_type(MlirOperation load) {
  MlirType tensor = mlirValueGetType(nereid_ir_result(load));
  if (is_tma(load))
    return buffer_type(tensor, nereid_descriptor_buffer_encoding(nereid_tt_descriptor_load_get_desc(load), tensor),
                       true);
  return nereid_ring_value_slot_type(nereid_ir_result(load));
}

/* --- copies --- */

/* Elements that are contiguous in a thread's registers and in the buffer; *out_transposed: whether more of the thread's
 * elements are contiguous in the buffer than the adjacent ones. */
static int64_t contiguous_in(const nereid_layout_t *registers, MlirType slot, bool *out_transposed) {
  nereid_ttg_memdesc_t memdesc;
  nereid_layout_t slots;
  nereid_ttg_memdesc_read(slot, &memdesc);
  *out_transposed = false;
  if (nereid_slot_order(registers, &memdesc, &slots) != NEREID_SLOTS_FOUND)
    return 0;
  const int64_t adjacent = nereid_layout_contiguity(&slots, 0);
  for (int i = 1; adjacent == 1 && i < slots.in_bits[NEREID_LAYOUT_REGISTER]; ++i)
    *out_transposed |= slots.bases[NEREID_LAYOUT_REGISTER][i] == 1;
  return adjacent;
}

bool nereid_ring_can_copy(MlirOperation load, MlirType slot, const nereid_axis_result_t *axis) {
  MlirType type = mlirValueGetType(nereid_ir_result(load));
  nereid_layout_t layout;
  if (is_tma(load))
    return true;
  if (!mlirTypeIsARankedTensor(type) ||
      nereid_layout_from_type(nereid_ttg_with_encoding(type, nereid_copy_encoding(load)), &layout) != NEREID_OK ||
      nereid_tt_load_get_is_volatile(load) || nereid_ir_has_attribute(load, NEREID_ATTR_LOOP_IN_REGISTERS))
    return false;
  MlirType element = mlirShapedTypeGetElementType(type);
  if (!mlirTypeIsAInteger(element) && !mlirTypeIsAFloat(element))
    return false;
  int64_t width =
      nereid_axis_info_access_width(axis, &layout, nereid_tt_load_get_ptr(load), nereid_tt_load_get_mask(load));
  bool transposed;
  const int64_t in_buffer = contiguous_in(&layout, slot, &transposed);
  if (transposed && width > in_buffer) /* wide loads and stores instead of copies of single elements */
    return false;
  width = width < in_buffer ? width : in_buffer;
  return width * nereid_scratch_element_bytes(type) >= MIN_BYTES;
}

MlirValue nereid_ring_zeros(const nereid_builder_t *builder, MlirOperation load) {
  MlirType tensor = mlirValueGetType(nereid_ir_result(load)), element = mlirShapedTypeGetElementType(tensor);
  MlirAttribute zero = mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(tensor), element, 0.0)
                                                 : mlirIntegerAttrGet(element, 0);
  return nereid_ir_result(nereid_arith_constant_build(builder, mlirDenseElementsAttrSplatGet(tensor, zero)));
}

MlirValue nereid_ring_excluded_value(const nereid_builder_t *builder, MlirOperation load, bool selects) {
  MlirValue other = nereid_tt_load_get_other(load);
  if (mlirValueIsNull(nereid_tt_load_get_mask(load)))
    return (MlirValue){NULL};
  return mlirValueIsNull(other) || selects ? nereid_ring_zeros(builder, load) : other;
}

bool nereid_ring_crosses_warps(MlirOperation load) {
  MlirValue value = nereid_ir_result(load);
  nereid_layout_t from, to;
  if (is_tma(load) ||
      nereid_layout_from_type(nereid_ttg_with_encoding(mlirValueGetType(value), nereid_copy_encoding(load)), &from) !=
          NEREID_OK)
    return true;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const nereid_op_kind_t kind = nereid_op_kind(user);
    MlirValue read = kind == NEREID_OP_TTG_CONVERT_LAYOUT ? nereid_ir_result(user) : value;
    if (kind == NEREID_OP_TTG_LOCAL_ALLOC || nereid_layout_from_type(mlirValueGetType(read), &to) != NEREID_OK ||
        !nereid_layout_exchange_in_warp(&from, &to))
      return true;
  }
  return false;
}

bool nereid_ring_is_read_first(MlirOperation load) {
  MlirValue value = nereid_ir_result(load);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!mlirAttributeIsNull(encoding_for(mlirOpOperandGetOwner(use), mlirValueGetType(value))))
      return false;
  return !nereid_ring_crosses_warps(load);
}

/* --- uses --- */

typedef struct reading {
  const nereid_schedule_t *schedule;
  nereid_ring_load_t *load;
} reading_t;

bool nereid_ring_dot_accumulates(MlirOperation op, MlirValue value) {
  return nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT &&
         mlirValueEqual(nereid_ttng_warp_group_dot_get_c(op), value);
}

bool nereid_ring_dot_stays_in_flight(MlirOperation dot) {
  if (nereid_op_kind(dot) != NEREID_OP_TTNG_WARP_GROUP_DOT)
    return false;
  MlirValue result = nereid_ir_result(dot);
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirOperation op = nereid_ir_ancestor_in(mlirOperationGetBlock(dot), user);
    if (!mlirOperationEqual(op, user) && nereid_branch_is_conditional(op) && nereid_branch_uses_first_only(op, result))
      continue;
    const bool accumulates = nereid_ring_dot_accumulates(user, result);
    if (nereid_op_kind(user) != NEREID_OP_SCF_YIELD && !(accumulates && nereid_ring_dot_stays_in_flight(user)))
      return false;
  }
  return true;
}

MlirOperation nereid_ring_dot_waiting(MlirOperation dot) {
  MlirValue result = nereid_ir_result(dot);
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool accumulates = nereid_ring_dot_accumulates(user, result);
    if (!accumulates && nereid_op_kind(user) != NEREID_OP_SCF_YIELD &&
        mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(dot)))
      return user;
  }
  return (MlirOperation){NULL};
}

bool nereid_ring_dot_is_completed(MlirOperation dot) {
  for (MlirOperation op = mlirOperationGetNextInBlock(dot); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_op_kind(op) == NEREID_OP_TTNG_WARP_GROUP_DOT && !nereid_ir_integer(op, NEREID_ATTR_LATENCY, 0) &&
        !mlirOperationIsNull(nereid_ring_dot_waiting(op)))
      return true;
  return false;
}

/* A read of the slot in `stage`, which continues for a step if `in_flight`. A copy that follows a read in a step may
 * overwrite the slot; a store may not, as it would need a barrier of its own. */
static void add_read(const reading_t *reading, int32_t stage, bool precedes_copy, bool in_flight) {
  const int32_t slots = stage - reading->load->scheduled->stage + !precedes_copy + in_flight;
  if (slots > reading->load->slots)
    reading->load->slots = slots;
  reading->load->saves_barrier = reading->load->saves_barrier || (precedes_copy && in_flight);
}

static void note_first_use(const reading_t *reading, const nereid_scheduled_op_t *user) {
  nereid_ring_load_t *load = reading->load;
  if (user->stage < load->use_stage || (user->stage == load->use_stage && user->cluster < load->use_cluster)) {
    load->use_stage = user->stage;
    load->use_cluster = user->cluster;
  }
}

/* Whether an op of an earlier cluster than the copy has read the slot by then: a dot of warp groups reads it until its
 * result is used. */
static bool is_read_before(const reading_t *reading, const nereid_scheduled_op_t *user) {
  if (nereid_op_kind(user->op) != NEREID_OP_TTNG_WARP_GROUP_DOT || nereid_ring_dot_stays_in_flight(user->op))
    return true;
  MlirValue result = nereid_ir_result(user->op);
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    const nereid_scheduled_op_t *next = nereid_schedule_find(reading->schedule, mlirOpOperandGetOwner(use));
    if (next && next->stage == user->stage && next->cluster < reading->load->scheduled->cluster)
      return true;
  }
  return false;
}

/* Whether the step of `dot` waits for it: for a younger dot, whose result is used in its own step. */
static bool is_completed_in_step(const nereid_schedule_t *schedule, const nereid_scheduled_op_t *dot) {
  for (size_t i = 0; i < schedule->ops.size; ++i) {
    const nereid_scheduled_op_t *younger = &schedule->ops.data[i];
    if (nereid_op_kind(younger->op) != NEREID_OP_TTNG_WARP_GROUP_DOT || younger->position <= dot->position)
      continue;
    MlirOperation waiting = nereid_ring_dot_waiting(younger->op);
    if (!mlirOperationIsNull(waiting) && nereid_schedule_find(schedule, waiting)->stage == younger->stage)
      return true;
  }
  return false;
}

/* Whether the dots of the previous step are complete at the copy: a younger dot is, since its result is used before. */
static bool follows_complete_dot(const reading_t *reading) {
  const nereid_schedule_t *schedule = reading->schedule;
  const int32_t copy = reading->load->scheduled->cluster;
  for (size_t i = 0; i < schedule->ops.size; ++i) {
    const nereid_scheduled_op_t *dot = &schedule->ops.data[i];
    if (nereid_op_kind(dot->op) == NEREID_OP_TTNG_WARP_GROUP_DOT && !nereid_ring_dot_stays_in_flight(dot->op) &&
        dot->cluster < copy && is_read_before(reading, dot))
      return true;
  }
  return false;
}

/* Whether the dot `user` reads the slot longer than its step, and at the copy. */
static bool is_read_longer(const reading_t *reading, const nereid_scheduled_op_t *user) {
  const bool precedes = user->cluster < reading->load->scheduled->cluster;
  if (!nereid_ring_dot_stays_in_flight(user->op))
    return false;
  if (is_completed_in_step(reading->schedule, user))
    return precedes && reading->load->is_copied;
  return precedes || !follows_complete_dot(reading);
}

/* Adds the reads of a buffer, through views of it. */
static void add_buffer_reads(const reading_t *reading, MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const nereid_scheduled_op_t *scheduled = nereid_schedule_find(reading->schedule, user);
    if (scheduled)
      add_read(reading, scheduled->stage,
               reading->load->is_copied && scheduled->cluster < reading->load->scheduled->cluster &&
                   is_read_before(reading, scheduled),
               is_read_longer(reading, scheduled));
    for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r)
      if (nereid_ttg_memdesc_type_isa(mlirValueGetType(mlirOperationGetResult(user, r))))
        add_buffer_reads(reading, mlirOperationGetResult(user, r));
  }
}

/* Whether `op` converts to an operand of mma.sync. */
static bool is_mma_sync_operand(MlirOperation op) {
  if (nereid_op_kind(op) != NEREID_OP_TTG_CONVERT_LAYOUT)
    return false;
  MlirAttribute encoding = nereid_ttg_encoding_of(nereid_ir_result(op)), parent;
  if (!nereid_ttg_dot_op_attr_isa(encoding))
    return false;
  parent = nereid_ttg_dot_op_attr_get_parent(encoding);
  return nereid_ttg_nvidia_mma_attr_isa(parent) &&
         nereid_ttg_nvidia_mma_attr_get_version_major(parent) == NEREID_DOT_MMA_SYNC;
}

/* Whether `op` reads the slot itself: in its encoding; through TMA, which has an encoding of its own, by any
 * conversion; a slot for wgmma as an operand of mma.sync, too, which matrix loads read. */
static bool is_direct_user(const nereid_ring_load_t *load, MlirOperation op) {
  MlirOperation from = load->scheduled->op;
  MlirValue loaded = nereid_ir_result(from);
  if (is_tma(from) && nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT)
    return nereid_ttg_has_same_parts(mlirValueGetType(loaded), nereid_ttg_encoding_of(nereid_ir_result(op)));
  MlirAttribute encoding = encoding_for(op, mlirValueGetType(nereid_ir_result(from)));
  MlirAttribute slot = nereid_ttg_memdesc_type_get_encoding(load->slot_type);
  return !mlirAttributeIsNull(encoding) &&
         (mlirAttributeEqual(encoding, slot) || (nereid_ttg_nvmma_shared_attr_isa(slot) && is_mma_sync_operand(op)));
}

/* Adds one user of the load's value; false when the value must stay in registers. */
static bool add_user(const reading_t *reading, MlirOperation op) {
  nereid_ring_load_t *load = reading->load;
  const nereid_scheduled_op_t *user = nereid_schedule_find(reading->schedule, op);
  if (!user || user->stage <= load->scheduled->stage)
    return false;
  note_first_use(reading, user);
  if (!mlirOperationEqual(user->op, op) || !is_direct_user(load, op))
    return true;
  if (nereid_op_kind(op) == NEREID_OP_TTG_LOCAL_ALLOC)
    add_buffer_reads(reading, nereid_ir_result(op));
  else
    add_read(reading, user->stage, user->cluster < load->scheduled->cluster, false);
  return nereid_vector_push(reading->schedule->arena, &load->direct, user);
}

/* Whether `value` is a constant of zeros, which cp.async stores for elements that the mask excludes. */
static bool is_zero(MlirValue value) {
  MlirAttribute element = nereid_splat_constant(value);
  return nereid_number_is_zero(element) &&
         !(mlirAttributeIsAFloat(element) && signbit(mlirFloatAttrGetValueDouble(element)));
}

bool nereid_ring_has_other(MlirOperation load) {
  MlirValue other = nereid_tt_load_get_other(load);
  return !mlirValueIsNull(other) && !is_zero(other);
}

bool nereid_ring_load_read(const nereid_schedule_t *schedule, const nereid_scheduled_op_t *op,
                           const nereid_axis_result_t *axis, nereid_ring_load_t *out) {
  if (!nereid_ring_is_load(op->op))
    return false;
  MlirValue value = nereid_ir_result(op->op);
  if (!nereid_ttg_is_laid_out(value) || mlirOpOperandIsNull(mlirValueGetFirstUse(value)))
    return false;
  *out = (nereid_ring_load_t){.scheduled = op,
                              .is_copied = true,
                              .slot_type = nereid_ring_slot_type(op->op),
                              .use_stage = INT32_MAX,
                              .use_cluster = INT32_MAX};
  if (!nereid_ring_can_copy(op->op, out->slot_type, axis))
    return false;
  const reading_t reading = {.schedule = schedule, .load = out};
  size_t users = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use), ++users)
    if (!add_user(&reading, mlirOpOperandGetOwner(use)))
      return false;
  out->selects = !out->direct.size && !is_tma(op->op) && nereid_ring_has_other(op->op);
  if (out->direct.size < users) /* a load from the slot at its first use */
    add_read(&reading, out->use_stage, out->use_cluster < op->cluster || !nereid_ring_crosses_warps(op->op), false);
  return out->slots > 0; /* none for a buffer without uses */
}

/* Whether an op of a later stage than `stage` reads `buffer`, through views. */
static bool is_read_later(const nereid_schedule_t *schedule, MlirValue buffer, int32_t stage) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const nereid_scheduled_op_t *scheduled = nereid_schedule_find(schedule, user);
    if ((scheduled && scheduled->stage > stage) ||
        (nereid_ttg_is_memdesc_view(user) && is_read_later(schedule, nereid_ir_result(user), stage)))
      return true;
  }
  return false;
}

bool nereid_ring_buffer_read(const nereid_schedule_t *schedule, const nereid_scheduled_op_t *op,
                             nereid_ring_load_t *out) {
  if (nereid_op_kind(op->op) != NEREID_OP_TTG_LOCAL_ALLOC || mlirValueIsNull(nereid_ttg_local_alloc_get_src(op->op)))
    return false;
  MlirValue buffer = nereid_ir_result(op->op);
  if (!is_read_later(schedule, buffer, op->stage))
    return false;
  *out = (nereid_ring_load_t){.scheduled = op,
                              .slot_type =
                                  buffer_type(mlirValueGetType(nereid_ttg_local_alloc_get_src(op->op)),
                                              nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(buffer)), true),
                              .use_stage = INT32_MAX,
                              .use_cluster = INT32_MAX};
  const reading_t reading = {.schedule = schedule, .load = out};
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    const nereid_scheduled_op_t *user = nereid_schedule_find(schedule, mlirOpOperandGetOwner(use));
    if (!user || user->stage < op->stage)
      return false;
    if (user->stage > op->stage)
      note_first_use(&reading, user);
  }
  if (out->use_stage == INT32_MAX) /* through views of the slot that is filled */
    out->use_stage = op->stage, out->use_cluster = op->cluster;
  add_buffer_reads(&reading, buffer);
  return out->slots > 0;
}

static MlirType mutable_type(MlirType type) {
  return nereid_ttg_memdesc_type_create(
      mlirTypeGetContext(type), nereid_ttg_memdesc_type_get_dims(type), nereid_ttg_memdesc_type_get_element_type(type),
      nereid_ttg_memdesc_type_get_encoding(type), nereid_ttg_memdesc_type_get_memory_space(type), true,
      nereid_ttg_memdesc_type_get_alloc_dims(type));
}

/* Makes a view mutable, and views of it. */
static void make_mutable(MlirValue view) {
  mlirValueSetType(view, mutable_type(mlirValueGetType(view)));
  nereid_ring_replace_view(view, view);
}

/* The arguments of partitions have the types of the captures. */
static void make_captures_mutable(MlirOperation op, intptr_t capture) {
  MlirOperation partitions =
      mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op)));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(partitions); ++r)
    make_mutable(mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(partitions, r)), capture));
}

bool nereid_ring_view_is_local(MlirValue view) {
  for (MlirOpOperand use = mlirValueGetFirstUse(view); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) == NEREID_OP_SCF_YIELD || nereid_op_kind(user) == NEREID_OP_SCF_FOR)
      return false;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r) {
      MlirValue result = mlirOperationGetResult(user, r);
      if (nereid_ttg_memdesc_type_isa(mlirValueGetType(result)) && !nereid_ring_view_is_local(result))
        return false;
    }
  }
  return true;
}

void nereid_ring_replace_view(MlirValue old, MlirValue slot) {
  for (MlirOpOperand use = mlirValueGetFirstUse(old); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const bool is_wait = nereid_op_kind(user) == NEREID_OP_TTNG_WARP_GROUP_DOT_WAIT;
    if (nereid_op_kind(user) == NEREID_OP_TTG_WARP_SPECIALIZE)
      make_captures_mutable(user, mlirOpOperandGetOperandNumber(use));
    for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r) {
      MlirValue view = mlirOperationGetResult(user, r);
      /* A wait passes each operand on as the result of its number. */
      if (nereid_ttg_memdesc_type_isa(mlirValueGetType(view)) && (!is_wait || r == mlirOpOperandGetOperandNumber(use)))
        make_mutable(view);
    }
  }
  if (!mlirValueEqual(old, slot))
    mlirValueReplaceAllUsesOfWith(old, slot);
}
