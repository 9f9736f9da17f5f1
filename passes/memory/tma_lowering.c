/* triton-nvidia-tma-lowering: lowers accesses through tensor maps to TMA copies.
 *
 *   %x = tt.descriptor_load %d[%i, %j] : … -> tensor<128x64xf16, #blocked>
 *   ->
 *   %buffer = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #nvmma_shared, #smem, mutable>
 *   %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, …>
 *   ttng.init_barrier %bar, 1
 *   ttng.barrier_expect %bar, 16384, %true
 *   ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %bar, %true
 *   ttng.wait_barrier %bar, %c0
 *   ttng.inval_barrier %bar
 *   %x = ttg.local_load %buffer
 *
 * A store becomes a local_alloc of the value, a copy, and a wait until the buffer may be reused; in a loop, the wait
 * precedes the next store (tma_stores.h). Other accesses complete before the next operation. Requires tt with
 * encodings; triton-rewrite-tensor-descriptor-to-pointer has rewritten the descriptors that are not tensor maps.
 *
 * The swizzle is that of the descriptor's type (triton-nvidia-optimize-descriptor-encoding), otherwise the widest that
 * fits a row of the block. A ttg.local_alloc of a loaded tensor with the same encoding is replaced by the buffer.
 * `nereid.descriptor` on the kernel's argument passes block and swizzle to the host. */
#include "analysis/allocation/allocation.h"
#include "base/target_facts.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "passes/memory/tensor_maps.h"
#include "passes/memory/tma_stores.h"
#include "passes/pass.h"
#include "passes/pipelining/ring.h"
#include "passes/support/collect.h"
#include "passes/support/descriptor.h"

#include "nereid/builder.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/nereid.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { MAX_RANK = NEREID_DESCRIPTOR_RANK, MIN_ROWS = 8 };

/* One access: the common part of loads, stores and reductions. */
typedef struct access {
  MlirOperation op;
  MlirValue descriptor;
  MlirType tensor; /* type in registers */
  intptr_t rank;
  MlirValue coordinates[MAX_RANK];
  nereid_builder_t builder;
  const nereid_tma_store_t *store; /* null: a load, or a store without a buffer of its loop */
} access_t;

/* --- limits of TMA --- */

static bool check_block(access_t *access) {
  MlirType block = nereid_descriptor_block(access->descriptor);
  const intptr_t rank = mlirShapedTypeGetRank(block), held = mlirShapedTypeGetRank(access->tensor);
  int64_t rows = 1, box[MAX_RANK] = {0};
  if (!nereid_descriptor_check_block(access->op, access->descriptor))
    return false;
  access->rank = rank;
  nereid_descriptor_box(block, box);
  for (intptr_t d = 0; d + 1 < held; ++d)
    rows *= box[rank - held + d];
  if (!nereid_descriptor_swizzle_of(access->descriptor) || rows >= MIN_ROWS)
    return true;
  nereid_diagnose(access->op,
                  "accesses a block of %lld rows, expected at least %d: the tensor map swizzles groups of 8 rows",
                  (long long)rows, (int)MIN_ROWS);
  return false;
}

static bool check_target(const access_t *access) {
  const int32_t capability = nereid_ttg_compute_capability(access->op);
  if (nereid_target_has_async_proxy(capability))
    return true;
  nereid_diagnose(access->op,
                  "accesses memory through a tensor map, which needs sm_90; the target is sm_%d: pass a pointer or a "
                  "!tt.tensordesc, which is rewritten to a pointer",
                  (int)capability);
  return false;
}

/* --- the copies --- */

static MlirType buffer_type(const access_t *access, bool mutable_memory) {
  return nereid_descriptor_buffer_type(access->descriptor, access->tensor, mutable_memory);
}

static MlirValue make_barrier(access_t *access) {
  MlirContext context = mlirTypeGetContext(access->tensor);
  const int32_t order = 0;
  const int64_t one = 1;
  MlirAttribute encoding = nereid_ttg_swizzled_shared_attr_create(
      context, 1, 1, 1, mlirDenseI32ArrayGet(context, 1, &order), (MlirAttribute){NULL});
  MlirAttribute dims = mlirDenseI64ArrayGet(context, 1, &one);
  MlirType type = nereid_ttg_memdesc_type_create(context, dims, mlirIntegerTypeGet(context, 64), encoding,
                                                 nereid_ttg_shared_memory_attr_create(context),
                                                 /*mutable_memory=*/true, dims);
  MlirOperation alloc = nereid_ttg_local_alloc_build(&access->builder, type, (MlirValue){NULL}, (MlirAttribute){NULL});
  nereid_ttng_init_barrier_build(&access->builder, nereid_ir_result(alloc), 1);
  return nereid_ir_result(alloc);
}

static MlirValue constant(access_t *access, unsigned width, int64_t value) {
  MlirType type = mlirIntegerTypeGet(mlirTypeGetContext(access->tensor), width);
  return nereid_arith_constant_get_result(
      nereid_arith_constant_build(&access->builder, mlirIntegerAttrGet(type, value)));
}

/* Replaces immutable buffers that are made of the loaded tensor, with the encoding of `buffer`, by `buffer`. */
static void replace_buffers(const access_t *access, MlirValue buffer) {
  MlirAttribute encoding = nereid_ttg_memdesc_type_get_encoding(mlirValueGetType(buffer));
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(nereid_ir_result(access->op)); !mlirOpOperandIsNull(use); use = next) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    next = mlirOpOperandGetNextUse(use);
    MlirType type = mlirOperationGetNumResults(user) ? mlirValueGetType(nereid_ir_result(user)) : (MlirType){NULL};
    if (nereid_op_kind(user) != NEREID_OP_TTG_LOCAL_ALLOC || nereid_ttg_memdesc_type_get_mutable_memory(type) ||
        !mlirAttributeEqual(nereid_ttg_memdesc_type_get_encoding(type), encoding) ||
        !nereid_ring_view_is_local(nereid_ir_result(user)))
      continue;
    nereid_ring_replace_view(nereid_ir_result(user), buffer);
    nereidMlirOperationErase(user);
  }
}

static void lower_load(access_t *access) {
  MlirOperation alloc = nereid_ttg_local_alloc_build(&access->builder, buffer_type(access, true), (MlirValue){NULL},
                                                     (MlirAttribute){NULL});
  MlirValue buffer = mlirOperationGetResult(alloc, 0), barrier = make_barrier(access), yes = constant(access, 1, 1);
  nereid_ttng_barrier_expect_build(&access->builder, barrier, yes,
                                   (int32_t)nereid_allocation_bytes(mlirValueGetType(buffer)));
  nereid_ttng_async_tma_copy_global_to_local_build(
      &access->builder, access->descriptor, access->rank, access->coordinates, barrier, buffer, yes,
      nereid_tt_descriptor_load_get_cache(access->op), nereid_tt_descriptor_load_get_evict(access->op), false, false,
      false);
  nereid_ttng_wait_barrier_build(&access->builder, barrier, constant(access, 32, 0), (MlirValue){NULL}, 0, NULL, false);
  nereid_ttng_inval_barrier_build(&access->builder, barrier);
  replace_buffers(access, buffer);
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(access->op))))
    return;
  MlirOperation load = nereid_ttg_local_load_build(&access->builder, access->tensor, buffer, (MlirValue){NULL});
  mlirValueReplaceAllUsesOfWith(nereid_ir_result(access->op), nereid_ir_result(load));
}

/* Stores the tensor to a new buffer, or to that of the loop when the previous store has read it. */
static MlirValue store_to_buffer(access_t *access, MlirValue value) {
  if (!access->store)
    return nereid_ir_result(
        nereid_ttg_local_alloc_build(&access->builder, buffer_type(access, false), value, (MlirAttribute){NULL}));
  nereid_ttng_async_tma_store_wait_build(&access->builder, access->store->pendings, /*writes=*/false,
                                         /*read_only=*/true);
  nereid_ttg_local_store_build(&access->builder, value, access->store->buffer);
  return access->store->buffer;
}

static void wait_for_store(access_t *access) {
  if (!access->store)
    nereid_ttng_async_tma_store_wait_build(&access->builder, 0, /*writes=*/false, /*read_only=*/true);
}

static void lower_store(access_t *access) {
  MlirValue buffer = store_to_buffer(access, nereid_tt_descriptor_store_get_src(access->op));
  nereid_ttng_async_tma_copy_local_to_global_build(&access->builder, access->descriptor, access->rank,
                                                   access->coordinates, buffer);
  wait_for_store(access);
}

static void lower_reduce(access_t *access) {
  MlirValue buffer = store_to_buffer(access, nereid_tt_descriptor_reduce_get_src(access->op));
  nereid_ttng_async_tma_reduce_build(&access->builder, access->descriptor, access->rank, access->coordinates, buffer,
                                     nereid_tt_descriptor_reduce_get_kind(access->op));
  wait_for_store(access);
}

/* --- the pass --- */

typedef struct row {
  nereid_op_kind_t kind;
  void (*lower)(access_t *access);
  MlirValue (*coordinate)(MlirOperation op, intptr_t i);
} row_t;

static const row_t rows[] = {
    {NEREID_OP_TT_DESCRIPTOR_LOAD, lower_load, nereid_tt_descriptor_load_get_indices},
    {NEREID_OP_TT_DESCRIPTOR_STORE, lower_store, nereid_tt_descriptor_store_get_indices},
    {NEREID_OP_TT_DESCRIPTOR_REDUCE, lower_reduce, nereid_tt_descriptor_reduce_get_indices},
    {NEREID_OP_TT_DESCRIPTOR_GATHER, NULL, NULL},
    {NEREID_OP_TT_DESCRIPTOR_SCATTER, NULL, NULL},
};

static const row_t *find_row(MlirOperation op) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].kind == kind)
      return &rows[i];
  return NULL;
}

static bool is_access(MlirOperation op) {
  return find_row(op) != NULL;
}

/* The tensor that is loaded or stored. */
static MlirType tensor_of(MlirOperation op) {
  return mlirValueGetType(mlirOperationGetNumResults(op) ? mlirOperationGetResult(op, 0)
                                                         : mlirOperationGetOperand(op, 1));
}

static bool lower_access(const nereid_pass_t *pass, MlirOperation op, const nereid_tma_stores_t *stores) {
  const row_t *row = find_row(op);
  access_t access = {.op = op,
                     .descriptor = mlirOperationGetOperand(op, 0),
                     .builder = nereid_builder_before(op),
                     .store = nereid_tma_stores_find(stores, op)};
  if (!row->lower) {
    nereid_diagnose(op, "accesses rows by index through a tensor map, which needs sm_100: pass a pointer or a "
                        "!tt.tensordesc, which is rewritten to a pointer");
    return false;
  }
  access.tensor = tensor_of(op);
  if (!check_target(&access) || !check_block(&access) || !nereid_descriptor_describe(pass, op, access.descriptor))
    return false;
  for (intptr_t i = 0; i < access.rank; ++i)
    access.coordinates[i] = row->coordinate(op, i);
  row->lower(&access);
  mlirOperationDestroy(op);
  return true;
}

static bool lower_accesses(const nereid_pass_t *pass, const nereid_operations_t *ops,
                           const nereid_tma_stores_t *stores) {
  for (size_t i = 0; i < ops->size; ++i)
    if (!lower_access(pass, ops->data[i], stores))
      return false;
  return true;
}

/* Loads first: their buffers exist when those of stores are chosen. */
MlirLogicalResult nereid_pass_triton_nvidia_tma_lowering(nereid_pass_t *pass) {
  nereid_operations_t loads = {0}, others = {0};
  nereid_tma_stores_t stores = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_DESCRIPTOR_LOAD, pass->scratch, &loads) ||
      !lower_accesses(pass, &loads, &stores) || !nereid_collect(pass->op, is_access, pass->scratch, &others))
    return mlirLogicalResultFailure();
  nereid_tma_stores_skip_conversions(&others);
  if (!nereid_tma_stores_hoist(pass, &others, &stores) || !lower_accesses(pass, &others, &stores) ||
      !nereid_tensor_maps_lower(pass))
    return mlirLogicalResultFailure();
  nereid_pass_statistic_add(pass, "lowered", (int64_t)(loads.size + others.size));
  return mlirLogicalResultSuccess();
}
