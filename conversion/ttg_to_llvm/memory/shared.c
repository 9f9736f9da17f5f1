/* Lowers ttg.local_alloc, local_load, local_store and views of buffers.
 *
 *   %b = ttg.local_alloc %x        st.shared.v4 [global_smem + offset + slot of the thread], {%x.0, %x.1, %x.2, %x.3} …
 *   %v = ttg.memdesc_index %b[%i]  %v = %b + %i * bytes of a stage
 *   %y = ttg.local_load %v         ld.shared.v4 …
 *
 * An encoding maps slots to elements; the slot of a register follows from it and from the tensor's layout, both linear.
 * Views change the base address; view_slots.c adds or xors their offsets. analysis/membar/membar.h determines
 * barriers. */
#include "conversion/ttg_to_llvm/memory/shared.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "analysis/access/ring_phase.h"
#include "analysis/access/slot_layout.h"
#include "base/target_facts.h"
#include "dialects/defining_op.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/memdesc.h"
#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"

enum { WORD_BYTES = 4, ROW_BYTES = 16 /* a row of an ldmatrix matrix */ };

/* --- layouts --- */

static bool does_not_fit(MlirOperation op, MlirType buffer) {
  nereid_ttg_memdesc_t memdesc;
  nereid_ttg_memdesc_read(buffer, &memdesc);
  if (nereid_ttg_nvmma_shared_attr_isa(memdesc.encoding))
    return nereid_lower_error(op, "has a buffer with shorter rows than its encoding swizzles, %u bytes: %s",
                              nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(memdesc.encoding),
                              nereid_text_of_type(buffer).chars);
  return nereid_lower_error(op, "has a buffer whose encoding is for another shape: %s",
                            nereid_text_of_type(buffer).chars);
}

bool nereid_shared_slot_layout(MlirOperation op, const nereid_layout_t *tensor, MlirType type, nereid_layout_t *out) {
  nereid_ttg_memdesc_t memdesc;
  nereid_ttg_memdesc_read(type, &memdesc);
  switch (nereid_slot_order(tensor, &memdesc, out)) {
  case NEREID_SLOTS_FOUND:
    return true;
  case NEREID_SLOTS_NOT_LINEAR:
    return does_not_fit(op, type);
  case NEREID_SLOTS_NOT_WHOLE:
    return nereid_lower_error(op, "has a buffer that does not hold the whole tensor");
  case NEREID_SLOTS_CLUSTER:
    break;
  }
  return nereid_lower_error(op, "moves elements between the CTAs of a cluster, which is not supported");
}

/* --- accesses --- */

/* Reorders the bits of registers so that registers of adjacent slots are adjacent, whatever dimension they move along:
 * a tensor with adjacent columns in a buffer with adjacent rows is transposed in registers. `order` gets the bits of
 * the tensor's registers in their new order. */
static void make_slots_adjacent(nereid_layout_t *slots, uint8_t *order) {
  uint32_t *bases = slots->bases[NEREID_LAYOUT_REGISTER];
  const int n = slots->in_bits[NEREID_LAYOUT_REGISTER];
  for (int i = 0; i < n; ++i)
    order[i] = (uint8_t)i;
  for (int done = 0; done < n; ++done) {
    int from = done;
    while (from < n && bases[from] != UINT32_C(1) << done)
      ++from;
    if (from == n)
      return;
    const uint32_t basis = bases[from];
    const uint8_t bit = order[from];
    memmove(bases + done + 1, bases + done, (size_t)(from - done) * sizeof *bases);
    memmove(order + done + 1, order + done, (size_t)(from - done));
    bases[done] = basis;
    order[done] = bit;
  }
}

static bool make_slots(nereid_lower_t *lower, MlirOperation op, MlirType tensor, MlirValue buffer, uint8_t *order,
                       nereid_slots_t *out) {
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  nereid_layout_t slots;
  if (!layout || !nereid_shared_slot_layout(op, layout, mlirValueGetType(buffer), &slots))
    return false;
  make_slots_adjacent(&slots, order);
  *out = nereid_shared_view_slots(lower, buffer, &slots, nereid_lower_type(lower, tensor));
  return true;
}

/* Whether warps hold replicated elements. These are written by ordinary stores: stores of equal values are not a
 * race. */
static bool has_copies_in_warps(nereid_lower_t *lower, MlirType tensor) {
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  uint32_t masks[NEREID_LAYOUT_DIMS];
  if (!layout)
    return false;
  nereid_layout_free_masks(layout, masks);
  return masks[NEREID_LAYOUT_WARP] != 0;
}

/* Whether rows of 16 bytes are aligned in `buffer`: a whole one, or a part that starts at such a row. */
static bool has_aligned_rows(MlirValue buffer) {
  const nereid_ttg_memdesc_t memdesc = nereid_ttg_memdesc_of(buffer);
  uint32_t start = 0;
  if (!nereid_slot_start(buffer, &start))
    start = nereid_slot_start_bits(&memdesc);
  return !nereid_ttg_padded_shared_attr_isa(memdesc.encoding) &&
         start * (nereid_lower_memory_bits(memdesc.element) / 8) % ROW_BYTES == 0;
}

/* A tensor's registers in a buffer, as matrices. */
typedef struct matrices {
  nereid_layout_matrices_t plan;
  nereid_slots_t rows;
  int32_t moved;                         /* registers that the instructions move */
  uint8_t order[NEREID_LAYOUT_MAX_BITS]; /* bits of the tensor's registers, in the order of the instructions */
} matrices_t;

/* Whether stmatrix (`stores`) or ldmatrix takes fewer instructions than vectors; plans it. */
static bool plan_matrices(nereid_lower_t *lower, MlirOperation op, MlirType tensor, MlirValue buffer, bool stores,
                          matrices_t *out) {
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  MlirType element = nereid_lower_type(lower, tensor);
  const int32_t bytes = (int32_t)nereid_slots_element_bytes(element);
  nereid_layout_t slots;
  if (!layout || !nereid_shared_slot_layout(op, layout, mlirValueGetType(buffer), &slots) ||
      !nereid_layout_matrices_of_slots(&slots, bytes, stores, out->order, &out->plan))
    return false;
  out->rows = nereid_shared_view_slots(lower, buffer, &out->plan.rows, element);
  out->moved = nereid_layout_registers(&out->plan.rows) * out->plan.tiles * (WORD_BYTES / bytes);
  return true;
}

/* The tensor's register with number `r` in `order`. */
static uint32_t ordered_register(const uint8_t *order, int32_t r) {
  uint32_t from = 0;
  for (int bit = 0; r >> bit; ++bit)
    from |= (uint32_t)(r >> bit & 1) << order[bit];
  return from;
}

/* Stores by stmatrix if that takes fewer instructions; otherwise returns false. */
static bool store_matrices(nereid_lower_t *lower, MlirOperation op, MlirValue source, MlirValue buffer) {
  matrices_t matrices;
  if (!nereid_target_has_stmatrix(lower->module->options.capability) || !has_aligned_rows(buffer) ||
      has_copies_in_warps(lower, mlirValueGetType(source)) ||
      !plan_matrices(lower, op, mlirValueGetType(source), buffer, true, &matrices))
    return false;
  MlirValue *values = nereid_arena_new(lower->arena, MlirValue, (size_t)matrices.moved);
  for (int32_t r = 0; values && r < matrices.moved; ++r)
    values[r] = nereid_lower_get(lower, source).values[ordered_register(matrices.order, r)];
  if (values)
    nereid_slots_store_matrices(lower, &matrices.rows, &matrices.plan, values);
  return values != NULL;
}

/* Loads by ldmatrix where that takes fewer instructions; false where it does not. */
static bool load_matrices(nereid_lower_t *lower, MlirOperation op, nereid_lowered_t *out) {
  MlirValue buffer = nereid_ttg_local_load_get_src(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  matrices_t matrices;
  if (!has_aligned_rows(buffer) || !plan_matrices(lower, op, type, buffer, false, &matrices))
    return false;
  MlirValue *values = nereid_arena_new(lower->arena, MlirValue, (size_t)matrices.moved);
  *out = nereid_lower_array(lower, nereid_lower_registers(lower, type));
  if (!values || !out->values)
    return false;
  nereid_slots_load_matrices(lower, &matrices.rows, &matrices.plan, values);
  uint32_t moving = 0;
  for (int32_t r = 0; r < matrices.moved; ++r) {
    out->values[ordered_register(matrices.order, r)] = values[r];
    moving |= ordered_register(matrices.order, r);
  }
  for (uint32_t r = 0; r < (uint32_t)out->count; ++r)
    out->values[r] = out->values[r & moving];
  return true;
}

static bool store(nereid_lower_t *lower, MlirOperation op, MlirValue source, MlirValue buffer) {
  uint8_t order[NEREID_LAYOUT_MAX_BITS] = {0};
  nereid_slots_t slots;
  if (store_matrices(lower, op, source, buffer))
    return true;
  if (!make_slots(lower, op, mlirValueGetType(source), buffer, order, &slots))
    return false;
  const int32_t n = nereid_layout_registers(&slots.layout);
  MlirValue *values = nereid_arena_new(lower->arena, MlirValue, (size_t)n);
  for (int32_t r = 0; values && r < n; ++r)
    values[r] = nereid_lower_get(lower, source).values[ordered_register(order, r)];
  if (values)
    nereid_slots_store(lower, &slots, values);
  return values != NULL;
}

static bool lower_local_alloc(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue source = nereid_ttg_local_alloc_get_src(op), result = nereid_ttg_local_alloc_get_result(op);
  const int64_t offset = nereid_ir_allocation_offset(op, -1);
  if (offset < 0)
    return nereid_lower_error(op, "has no offset in shared memory: run allocate-shared-memory first");
  nereid_lower_set_scalar(lower, result, nereid_lower_shared_pointer(lower, offset));
  return mlirValueIsNull(source) || store(lower, op, source, result);
}

static bool lower_local_store(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  return store(lower, op, nereid_ttg_local_store_get_src(op), nereid_ttg_local_store_get_dst(op));
}

/* Whether `tensor` is an operand of a dot that is lowered to FMA. */
static bool is_multiply_add_operand(MlirType tensor) {
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(tensor);
  return nereid_ttg_dot_op_attr_isa(encoding) &&
         nereid_ttg_blocked_attr_isa(nereid_ttg_dot_op_attr_get_parent(encoding));
}

bool nereid_shared_load_is_deferred(MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return false;
  MlirOperation user = mlirOpOperandGetOwner(use), next = mlirOperationGetNextInBlock(op);
  while (!mlirOperationIsNull(next) &&
         (nereid_op_kind(next) == NEREID_OP_TTG_LOCAL_LOAD || nereid_ttg_is_memdesc_view(next)))
    next = mlirOperationGetNextInBlock(next);
  return nereid_op_kind(user) == NEREID_OP_TT_DOT && mlirOperationEqual(user, next) &&
         mlirOpOperandGetOperandNumber(use) < 2 &&
         !nereid_ttg_padded_shared_attr_isa(
             nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(nereid_ttg_local_load_get_src(op)))) &&
         is_multiply_add_operand(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

/* Loads vectors of adjacent slots. */
static bool load_vectors(nereid_lower_t *lower, MlirOperation op, nereid_lowered_t *out) {
  MlirValue buffer = nereid_ttg_local_load_get_src(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  uint8_t order[NEREID_LAYOUT_MAX_BITS] = {0};
  nereid_slots_t slots;
  if (!make_slots(lower, op, type, buffer, order, &slots))
    return false;
  const int32_t n = nereid_layout_registers(&slots.layout);
  MlirValue *values = nereid_arena_new(lower->arena, MlirValue, (size_t)n);
  *out = nereid_lower_array(lower, n);
  if (!values || !out->values)
    return false;
  nereid_slots_load(lower, &slots, values);
  for (int32_t r = 0; r < n; ++r)
    out->values[ordered_register(order, r)] = values[r];
  return true;
}

static bool lower_local_load(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_lowered_t lowered = {0};
  if (nereid_shared_load_is_deferred(op))
    return true;
  if (!load_matrices(lower, op, &lowered) && !load_vectors(lower, op, &lowered))
    return false;
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), lowered);
  return true;
}

static bool lower_local_dealloc(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)lower, (void)op, (void)row;
  return true;
}

/* --- views --- */

static bool lower_same_base(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), nereid_lower_operand(lower, op, 0));
  return true;
}

/* Whether stage i of `source` starts at slot i * 2^bits and has the slots of `stage` relative to it. */
static bool has_stages(const nereid_ttg_memdesc_t *source, const nereid_layout_t *stage) {
  int32_t first[NEREID_LAYOUT_MAX_RANK] = {0};
  uint32_t offset = 0;
  for (first[0] = 1; first[0] < source->shape[0]; first[0] *= 2)
    if (!nereid_slot_order_offset(source, first, &offset) || offset != (uint32_t)first[0]
                                                                           << stage->in_bits[NEREID_LAYOUT_OFFSET])
      return false;
  for (int i = 0; i < stage->in_bits[NEREID_LAYOUT_OFFSET]; ++i) {
    int32_t at[NEREID_LAYOUT_MAX_RANK] = {0};
    nereid_layout_coordinates(stage, stage->bases[NEREID_LAYOUT_OFFSET][i], at + 1);
    if (!nereid_slot_order_offset(source, at, &offset) || offset != UINT32_C(1) << i)
      return false;
  }
  return true;
}

/* An op that accesses all stages of `buffer` together; null when there is none. */
static MlirOperation access_of_whole(MlirValue buffer) {
  if (mlirValueIsAOpResult(buffer)) {
    MlirOperation alloc = mlirOpResultGetOwner(buffer);
    if (nereid_op_kind(alloc) == NEREID_OP_TTG_LOCAL_ALLOC && !mlirValueIsNull(nereid_ttg_local_alloc_get_src(alloc)))
      return alloc;
  }
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    const nereid_op_kind_t kind = nereid_op_kind(mlirOpOperandGetOwner(use));
    if (kind == NEREID_OP_TTG_LOCAL_LOAD || kind == NEREID_OP_TTG_LOCAL_STORE || kind == NEREID_OP_TTG_LOCAL_GATHER ||
        kind == NEREID_OP_TTG_LOCAL_SCATTER || kind == NEREID_OP_TTG_LOCAL_ATOMIC_SCATTER_RMW)
      return mlirOpOperandGetOwner(use);
  }
  return (MlirOperation){NULL};
}

/* In a buffer whose encoding orders all dimensions, stages may have another order, if ops access only single stages. */
static bool check_stages(MlirOperation op, const nereid_ttg_memdesc_t *source, const nereid_layout_t *stage) {
  nereid_layout_t ring;
  MlirValue buffer = nereid_ttg_memdesc_index_get_src(op);
  if (nereid_slot_order_of_buffer(source, source->rank - 1, &ring) || has_stages(source, stage) ||
      mlirOperationIsNull(access_of_whole(buffer)))
    return true;
  return nereid_lower_error(
      op,
      "has a result with another order of elements than the rows of the operand, which is also accessed as a whole; "
      "expected encodings that agree: %s, %s",
      nereid_text_of_type(mlirValueGetType(buffer)).chars,
      nereid_text_of_type(mlirValueGetType(mlirOperationGetResult(op, 0))).chars);
}

/* The hardware does not check accesses to shared memory: beyond the buffer is another buffer. */
static bool check_index(MlirOperation op, const nereid_ttg_memdesc_t *source) {
  int64_t index;
  if (!nereid_ring_constant(nereid_ttg_memdesc_index_get_index(op), &index) || (index >= 0 && index < source->shape[0]))
    return true;
  return nereid_lower_error(op, "has index %lld into %s: expected 0 to %lld", (long long)index,
                            nereid_text_of_type(mlirValueGetType(nereid_ttg_memdesc_index_get_src(op))).chars,
                            (long long)source->shape[0] - 1);
}

static bool lower_memdesc_index(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_ttg_memdesc_t source = nereid_ttg_memdesc_of(nereid_ttg_memdesc_index_get_src(op));
  nereid_ttg_memdesc_t result = nereid_ttg_memdesc_of(nereid_ttg_memdesc_index_get_result(op));
  nereid_layout_t stage;
  if (!nereid_slot_order_of_stage(&source, &result, &stage))
    return does_not_fit(op, mlirValueGetType(nereid_ttg_memdesc_index_get_src(op)));
  if (!check_index(op, &source) || !check_stages(op, &source, &stage))
    return false;
  const int64_t bytes = nereid_lower_memory_bits(source.element) / 8;
  const int64_t stride = bytes << stage.in_bits[NEREID_LAYOUT_OFFSET];
  MlirValue index = nereid_lower_operand(lower, op, 1).values[0];
  MlirValue unpadded = nereid_emit_mul(lower, index, nereid_emit_i32(lower, (int32_t)stride));
  MlirValue offset = nereid_slots_padded(lower, source.encoding, bytes, unpadded);
  MlirValue base = nereid_shared_base(lower, mlirOperationGetOperand(op, 0));
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0), nereid_emit_gep(lower, base, lower->types->i8, offset));
  return true;
}

static bool lower_memdesc_subslice(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  nereid_ttg_memdesc_t source = nereid_ttg_memdesc_of(nereid_ttg_memdesc_subslice_get_src(op));
  int32_t coordinates[NEREID_LAYOUT_MAX_RANK] = {0};
  uint32_t offset;
  for (int d = 0; d < source.rank; ++d)
    coordinates[d] = nereid_ttg_memdesc_subslice_get_offsets(op, d);
  if (!nereid_slot_order_offset(&source, coordinates, &offset))
    return does_not_fit(op, mlirValueGetType(nereid_ttg_memdesc_subslice_get_src(op)));
  MlirValue base = nereid_shared_base(lower, mlirOperationGetOperand(op, 0));
  const int64_t slot = nereid_ttg_padded_shared_attr_isa(source.encoding)
                           ? nereid_layout_padded_offset(source.encoding, offset)
                           : offset;
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0),
                          nereid_emit_offset(lower, base, slot * (nereid_lower_memory_bits(source.element) / 8)));
  return true;
}

const nereid_lower_row_t nereid_lower_shared_rows[] = {
    {NEREID_OP_TTG_LOCAL_ALLOC, lower_local_alloc, NULL},
    {NEREID_OP_TTG_LOCAL_DEALLOC, lower_local_dealloc, NULL},
    {NEREID_OP_TTG_LOCAL_LOAD, lower_local_load, NULL},
    {NEREID_OP_TTG_LOCAL_STORE, lower_local_store, NULL},
    {NEREID_OP_TTG_MEMDESC_INDEX, lower_memdesc_index, NULL},
    {NEREID_OP_TTG_MEMDESC_SUBSLICE, lower_memdesc_subslice, NULL},
    {NEREID_OP_TTG_MEMDESC_TRANS, lower_same_base, NULL},
    {NEREID_OP_TTG_MEMDESC_RESHAPE, lower_same_base, NULL},
    {NEREID_OP_TTG_MEMDESC_REINTERPRET, lower_same_base, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
