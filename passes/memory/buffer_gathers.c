/* nereid-buffer-gathers: keeps a tensor of which a loop gathers elements in shared memory during the loop.
 *
 *   scf.for … {                                        %b = ttg.local_alloc %x
 *     %y = tt.gather %x[%i] {axis = 0}           ->    scf.for … {
 *   }                                                    %y = ttg.local_gather %b[%i] {axis = 0}
 *                                                      }
 *
 * A tt.gather between warps stores its operand in scratch and has two barriers, in each iteration. This concerns
 * operands that the loop does not change, in modules without clusters, as far as the buffers fit beside what the loop
 * needs otherwise and leave a multiprocessor as many CTAs as can be useful.
 *
 * Rows of a buffer are swizzled by elements where the index selects a column: the lanes that read it in several rows
 * are then in different banks. */
#include "passes/dot/dot_registers.h"
#include "passes/pass.h"
#include "passes/pipelining/ring_budget.h"
#include "passes/support/buffer_type.h"
#include "passes/support/collect.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "base/target_facts.h"
#include "dialects/defining_op.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinTypes.h>

/* A tensor in shared memory during a loop. */
typedef struct kept {
  MlirValue tensor;
  MlirOperation loop;
  MlirType type;
  MlirValue buffer; /* null until it is created */
  bool fits;
} kept_t;

typedef NEREID_VECTOR(kept_t) all_kept_t;

static bool is_exchanged(MlirOperation op) {
  return nereid_op_kind(op) == NEREID_OP_TT_GATHER && nereid_scratch_bytes(op) > 0;
}

static bool contains(MlirOperation op, MlirBlock block) {
  MlirOperation at = mlirBlockGetParentOperation(block);
  while (!mlirOperationIsNull(at) && !mlirOperationEqual(at, op))
    at = mlirOperationGetParentOperation(at);
  return !mlirOperationIsNull(at);
}

/* The outermost loop around `gather` that does not change `tensor`; null when there is none. */
static MlirOperation loop_of(MlirOperation gather, MlirValue tensor) {
  MlirOperation op = nereid_defining_op(tensor), found = {NULL};
  MlirBlock home = mlirOperationIsNull(op) ? mlirBlockArgumentGetOwner(tensor) : mlirOperationGetBlock(op);
  for (op = mlirOperationGetParentOperation(gather); nereid_op_kind(op) != NEREID_OP_TT_FUNC && !contains(op, home);
       op = mlirOperationGetParentOperation(op))
    if (nereid_op_kind(op) == NEREID_OP_SCF_FOR || nereid_op_kind(op) == NEREID_OP_SCF_WHILE)
      found = op;
  return found;
}

static bool is_number(MlirType type) {
  return mlirTypeIsAFloat(type) || (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) >= 8);
}

/* The type of a buffer of rows, in each of which the elements are exchanged by the bits of the row. */
static MlirType swizzled(MlirType plain) {
  enum { BANKS = 32, BANK_BYTES = 4 };
  MlirAttribute dims = nereid_ttg_memdesc_type_get_dims(plain);
  MlirType element = nereid_ttg_memdesc_type_get_element_type(plain);
  const int64_t columns = mlirDenseI64ArrayGetElement(dims, 1);
  const int64_t words = columns * nereid_scratch_element_bytes(element) / BANK_BYTES;
  const int64_t per_phase = words && words < BANKS ? BANKS / words : 1;
  MlirAttribute order = nereid_ttg_swizzled_shared_attr_get_order(nereid_ttg_memdesc_type_get_encoding(plain));
  MlirAttribute encoding = nereid_ttg_swizzled_shared_attr_create(mlirTypeGetContext(plain), 1, (unsigned)per_phase,
                                                                  (unsigned)(columns < BANKS ? columns : BANKS), order,
                                                                  (MlirAttribute){NULL});
  return nereid_ttg_memdesc_type_create(mlirTypeGetContext(plain), dims, element, encoding,
                                        nereid_ttg_memdesc_type_get_memory_space(plain), false, dims);
}

static kept_t *kept_for(all_kept_t *all, MlirValue tensor, MlirOperation loop) {
  for (size_t i = 0; i < all->size; ++i)
    if (mlirValueEqual(all->data[i].tensor, tensor) && mlirOperationEqual(all->data[i].loop, loop))
      return &all->data[i];
  return NULL;
}

/* Adds what `gather` requires; false when out of memory. */
static bool add(all_kept_t *all, MlirOperation gather, nereid_arena_t *arena) {
  MlirValue tensor = nereid_tt_gather_get_src(gather);
  MlirType type = mlirValueGetType(tensor);
  MlirOperation loop = loop_of(gather, tensor);
  if (mlirOperationIsNull(loop) || !is_number(mlirShapedTypeGetElementType(type)))
    return true;
  kept_t *kept = kept_for(all, tensor, loop);
  if (!kept) {
    const kept_t made = {.tensor = tensor, .loop = loop, .type = nereid_buffer_type(type, 0, false)};
    if (!nereid_vector_push(arena, all, made))
      return false;
    kept = &all->data[all->size - 1];
  }
  const intptr_t rank = mlirShapedTypeGetRank(type);
  if (rank == 2 && nereid_tt_gather_get_axis(gather) == 1)
    kept->type = swizzled(nereid_buffer_type(type, 0, false));
  return true;
}

/* Whether the buffers of `loop` fit, and as many CTAs on a multiprocessor as threads allow, or a few. */
static bool fit(const nereid_pass_t *pass, const all_kept_t *all, MlirOperation loop) {
  enum { SM_THREADS = 2048, LANES = 32 };
  const nereid_operations_t no_rings = {0};
  const int64_t available = nereid_ring_budget_available(pass->op, loop, &no_rings);
  const int64_t by_threads = SM_THREADS / (nereid_ttg_num_warps(loop) * LANES);
  const int64_t useful = by_threads < NEREID_DOT_OVERLAPPED_CTAS ? by_threads : NEREID_DOT_OVERLAPPED_CTAS;
  int64_t bytes = 0;
  for (size_t i = 0; i < all->size; ++i)
    if (mlirOperationEqual(all->data[i].loop, loop))
      bytes += nereid_scratch_align(nereid_allocation_bytes(all->data[i].type));
  const int64_t whole = nereid_allocation_limit(pass->op) - available + bytes;
  return bytes <= available && nereid_target_ctas(nereid_ttg_compute_capability(pass->op), whole) >= useful;
}

static void replace(kept_t *kept, MlirOperation gather) {
  if (mlirValueIsNull(kept->buffer)) {
    const nereid_builder_t outside = nereid_builder_before(kept->loop);
    kept->buffer =
        nereid_ir_result(nereid_ttg_local_alloc_build(&outside, kept->type, kept->tensor, (MlirAttribute){NULL}));
  }
  const nereid_builder_t builder = nereid_builder_before(gather);
  MlirValue result = nereid_ir_result(gather);
  MlirOperation made = nereid_ttg_local_gather_build(&builder, mlirValueGetType(result), kept->buffer,
                                                     nereid_tt_gather_get_indices(gather), (MlirValue){NULL},
                                                     nereid_tt_gather_get_axis(gather));
  mlirValueReplaceAllUsesOfWith(result, nereid_ir_result(made));
  mlirOperationDestroy(gather);
}

MlirLogicalResult nereid_pass_buffer_gathers(nereid_pass_t *pass) {
  nereid_operations_t gathers = {0};
  all_kept_t all = {0};
  if (!nereid_collect(pass->op, is_exchanged, pass->scratch, &gathers))
    return mlirLogicalResultFailure();
  if (!gathers.size || nereid_ttg_num_ctas(pass->op) > 1)
    return mlirLogicalResultSuccess();
  for (size_t i = 0; i < gathers.size; ++i)
    if (!add(&all, gathers.data[i], pass->scratch))
      return mlirLogicalResultFailure();
  for (size_t i = 0; i < all.size; ++i)
    all.data[i].fits = fit(pass, &all, all.data[i].loop);
  for (size_t i = 0; i < gathers.size; ++i) {
    MlirValue tensor = nereid_tt_gather_get_src(gathers.data[i]);
    kept_t *kept = kept_for(&all, tensor, loop_of(gathers.data[i], tensor));
    if (!kept || !kept->fits)
      continue;
    nereid_pass_remark_passed(pass, gathers.data[i], "buffer",
                              "its operand is in a buffer of %ld bytes during the loop",
                              (long)nereid_allocation_bytes(kept->type));
    replace(kept, gathers.data[i]);
  }
  return mlirLogicalResultSuccess();
}
