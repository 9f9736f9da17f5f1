/* Buffers of stores in loops; see tma_stores.h.
 *
 * Stores of the body itself are executed in each iteration and in order, so the wait before one of n leaves the n - 1
 * younger ones in flight. If a store of the loop is under a condition, each wait is for all. */
#include "passes/memory/tma_stores.h"

#include "dialects/defining_op.h"
#include "dialects/ir.h"
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

void nereid_tma_stores_skip_conversions(const nereid_operations_t *accesses) {
  for (size_t i = 0; i < accesses->size; ++i) {
    MlirOperation op = accesses->data[i];
    const nereid_op_kind_t kind = nereid_op_kind(op);
    if (kind != NEREID_OP_TT_DESCRIPTOR_STORE && kind != NEREID_OP_TT_DESCRIPTOR_REDUCE)
      continue;
    MlirOperation convert;
    while (convert = nereid_defining_op_of_kind(mlirOperationGetOperand(op, 1), NEREID_OP_TTG_CONVERT_LAYOUT),
           !mlirOperationIsNull(convert)) {
      mlirOperationSetOperand(op, 1, mlirOperationGetOperand(convert, 0));
      if (mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(convert))))
        nereidMlirOperationErase(convert);
    }
  }
}

/* Sets the pending counts of the `n` stores of a loop and creates their buffers. */
static void create_buffers(nereid_tma_store_t *stores, size_t n) {
  MlirOperation loop = stores->loop;
  nereid_builder_t builder = nereid_builder_before(loop);
  builder.location = mlirOperationGetLocation(stores->op);
  bool repeated = true;
  for (size_t i = 0; i < n; ++i)
    repeated = repeated && mlirOperationEqual(mlirOperationGetParentOperation(stores[i].op), loop);
  for (size_t i = 0; i < n; ++i) {
    stores[i].pendings = repeated ? (int32_t)n - 1 : 0;
    stores[i].buffer = nereid_ir_result(nereid_ttg_local_alloc_build(
        &builder,
        nereid_descriptor_buffer_type(mlirOperationGetOperand(stores[i].op, 0),
                                      mlirValueGetType(mlirOperationGetOperand(stores[i].op, 1)),
                                      /*mutable_memory=*/true),
        (MlirValue){NULL}, (MlirAttribute){NULL}));
  }
  builder.before = mlirOperationGetNextInBlock(loop);
  nereid_ttng_async_tma_store_wait_build(&builder, 0, false);
  for (size_t i = 0; i < n; ++i)
    nereid_ttg_local_dealloc_build(&builder, stores[i].buffer);
}

/* Whether buffers for the stores of `loop` fit next to its others. */
static bool fits(const nereid_pass_t *pass, MlirOperation loop) {
  const nereid_operations_t none = {0};
  return nereid_ring_budget_available(pass->op, loop, &none) >= 0; /* it counts the stores */
}

bool nereid_tma_stores_hoist(const nereid_pass_t *pass, const nereid_operations_t *accesses, nereid_tma_stores_t *out) {
  for (size_t i = 0; i < accesses->size; ++i) {
    MlirOperation loop = nereid_descriptor_store_loop(accesses->data[i]);
    bool known = mlirOperationIsNull(loop);
    for (size_t n = 0; n < out->size && !known; ++n)
      known = mlirOperationEqual(out->data[n].loop, loop);
    if (known || !fits(pass, loop))
      continue;
    const size_t first = out->size;
    for (size_t n = i; n < accesses->size; ++n)
      if (mlirOperationEqual(nereid_descriptor_store_loop(accesses->data[n]), loop) &&
          !nereid_vector_push(pass->scratch, out, ((nereid_tma_store_t){.op = accesses->data[n], .loop = loop})))
        return false;
    create_buffers(&out->data[first], out->size - first);
  }
  return true;
}
