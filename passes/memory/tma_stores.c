/* Buffers of stores in loops; see tma_stores.h.
 *
 * Each store has a buffer, or the stores of one type share one where that is all that fits next to the rings of the
 * loop. Stores of one block are executed equally often and in order, so the wait before one leaves those in flight that
 * are younger than the last one from its buffer. If they are in several blocks, each wait is for all. */
#include "passes/memory/tma_stores.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/tt/tensor.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/support/descriptor.h"
#include "seam/ir.h"

const nereid_tma_store_t *nereid_tma_stores_find(const nereid_tma_stores_t *stores, MlirOperation op) {
  for (size_t i = 0; i < stores->size; ++i)
    if (mlirOperationEqual(stores->data[i].op, op))
      return &stores->data[i];
  return NULL;
}

/* --- conversions before stores --- */

/* Whether `op` has the elements of its operand in row-major order, in the same CTA: it changes only layout or shape. */
static bool is_view(MlirOperation op) {
  const nereid_op_kind_t kind = mlirOperationIsNull(op) ? NEREID_OP_UNKNOWN : nereid_op_kind(op);
  return (kind == NEREID_OP_TTG_CONVERT_LAYOUT && !nereid_ttg_crosses_ctas(op)) || kind == NEREID_OP_TT_EXPAND_DIMS ||
         (kind == NEREID_OP_TT_RESHAPE && !nereid_tt_reshape_get_allow_reorder(op));
}

/* The operand of the first conversion of which `value` is a view; `value` itself without one. */
static MlirValue before_conversions(MlirValue value) {
  MlirValue found = value;
  for (MlirOperation op = nereid_defining_op(value); is_view(op); op = nereid_defining_op(value)) {
    value = mlirOperationGetOperand(op, 0);
    if (nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT)
      found = value;
  }
  return found;
}

/* Erases the views without uses from `value` back. */
static void erase_views(MlirValue value) {
  for (MlirOperation op = nereid_defining_op(value); is_view(op) && mlirOpOperandIsNull(mlirValueGetFirstUse(value));
       op = nereid_defining_op(value)) {
    value = mlirOperationGetOperand(op, 0);
    nereidMlirOperationErase(op);
  }
}

/* Reshapes `source` to the shape of `view`; null when no encoding keeps its elements in their threads. */
static MlirValue reshape(const nereid_builder_t *builder, MlirValue source, MlirValue view) {
  const nereid_tt_tensor_t from = nereid_tt_tensor_of(source), to = nereid_tt_tensor_of(view);
  if (nereid_tt_tensor_same_shape(&from, &to))
    return source;
  MlirType type = nereid_ttg_reshaped(mlirValueGetType(source), to.rank, to.shape);
  if (mlirTypeIsNull(type))
    return (MlirValue){NULL};
  return nereid_ir_result(
      nereid_tt_reshape_build(builder, type, source, /*allow_reorder=*/false, /*efficient_layout=*/false));
}

void nereid_tma_stores_skip_conversions(const nereid_operations_t *accesses) {
  for (size_t i = 0; i < accesses->size; ++i) {
    MlirOperation op = accesses->data[i];
    const nereid_op_kind_t kind = nereid_op_kind(op);
    if (kind != NEREID_OP_TT_DESCRIPTOR_STORE && kind != NEREID_OP_TT_DESCRIPTOR_REDUCE)
      continue;
    const nereid_builder_t builder = nereid_builder_before(op);
    MlirValue stored = mlirOperationGetOperand(op, 1), source = before_conversions(stored);
    MlirValue view = reshape(&builder, source, stored);
    if (mlirValueIsNull(view))
      continue;
    mlirOperationSetOperand(op, 1, view);
    erase_views(stored);
  }
}

/* --- buffers --- */

/* Whether the stores are executed as often as each other and in order: they are in one block. */
static bool are_in_one_block(const nereid_tma_store_t *stores, size_t n) {
  for (size_t i = 1; i < n; ++i)
    if (!mlirBlockEqual(mlirOperationGetBlock(stores[i].op), mlirOperationGetBlock(stores[0].op)))
      return false;
  return true;
}

static MlirType buffer_type(const nereid_tma_store_t *store) {
  return nereid_descriptor_buffer_type(mlirOperationGetOperand(store->op, 0),
                                       mlirValueGetType(mlirOperationGetOperand(store->op, 1)),
                                       /*mutable_memory=*/true);
}

/* Creates the buffers of the `n` stores of a loop: one each or, `shared`, one per type. */
static void create_buffers(nereid_tma_store_t *stores, size_t n, bool shared) {
  MlirOperation loop = stores->loop;
  nereid_builder_t allocs = nereid_builder_before(loop), deallocs = nereid_builder_before(loop);
  allocs.location = deallocs.location = mlirOperationGetLocation(stores->op);
  deallocs.before = mlirOperationGetNextInBlock(loop);
  nereid_ttng_async_tma_store_wait_build(&deallocs, 0, /*writes=*/false, /*read_only=*/true);
  for (size_t i = 0; i < n; ++i) {
    MlirType type = buffer_type(&stores[i]);
    for (size_t k = 0; k < i && shared && mlirValueIsNull(stores[i].buffer); ++k)
      if (mlirTypeEqual(mlirValueGetType(stores[k].buffer), type))
        stores[i].buffer = stores[k].buffer;
    if (!mlirValueIsNull(stores[i].buffer))
      continue;
    stores[i].buffer =
        nereid_ir_result(nereid_ttg_local_alloc_build(&allocs, type, (MlirValue){NULL}, (MlirAttribute){NULL}));
    nereid_ttg_local_dealloc_build(&deallocs, stores[i].buffer);
  }
}

/* Sets the pending counts of the `n` stores of a loop: the stores between one and the last that read its buffer. */
static void set_pendings(nereid_tma_store_t *stores, size_t n) {
  const bool ordered = are_in_one_block(stores, n);
  for (size_t i = 0; i < n; ++i) {
    size_t between = 0;
    while (ordered && between + 1 < n && !mlirValueEqual(stores[(i + n - 1 - between) % n].buffer, stores[i].buffer))
      ++between;
    stores[i].pendings = (int32_t)between;
  }
}

/* Bytes that are left next to the buffers and rings of `loop`, if its stores have a buffer per type. */
static int64_t bytes_left(const nereid_pass_t *pass, MlirOperation loop) {
  const nereid_operations_t none = {0};
  return nereid_ring_budget_available(pass->op, loop, &none);
}

bool nereid_tma_stores_hoist(const nereid_pass_t *pass, const nereid_operations_t *accesses, nereid_tma_stores_t *out) {
  for (size_t i = 0; i < accesses->size; ++i) {
    MlirOperation loop = nereid_descriptor_store_loop(accesses->data[i]);
    bool known = mlirOperationIsNull(loop);
    for (size_t n = 0; n < out->size && !known; ++n)
      known = mlirOperationEqual(out->data[n].loop, loop);
    const int64_t left = known ? -1 : bytes_left(pass, loop);
    if (left < 0)
      continue;
    const size_t first = out->size;
    for (size_t n = i; n < accesses->size; ++n)
      if (mlirOperationEqual(nereid_descriptor_store_loop(accesses->data[n]), loop) &&
          !nereid_vector_push(pass->scratch, out, ((nereid_tma_store_t){.op = accesses->data[n], .loop = loop})))
        return false;
    const nereid_store_bytes_t bytes = nereid_descriptor_store_bytes(loop);
    create_buffers(&out->data[first], out->size - first, bytes.per_store - bytes.per_type > left);
    set_pendings(&out->data[first], out->size - first);
  }
  return true;
}
