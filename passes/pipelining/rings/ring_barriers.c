/* mbarriers of rings; see ring_barriers.h. */
#include "passes/pipelining/rings/ring_barriers.h"

#include "dialects/ir.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/support/scalar.h"

enum { BARRIER_BITS = 64 };

/* The type of `slots` barriers; of a single one without a dimension of slots if it is 0. */
static MlirType barriers_type(MlirContext context, int64_t slots) {
  const int32_t order = 0;
  const int64_t shape[] = {slots, 1};
  MlirAttribute encoding = nereid_ttg_swizzled_shared_attr_create(
      context, 1, 1, 1, mlirDenseI32ArrayGet(context, 1, &order), (MlirAttribute){NULL});
  MlirAttribute dims = mlirDenseI64ArrayGet(context, slots ? 2 : 1, slots ? shape : shape + 1);
  return nereid_ttg_memdesc_type_create(context, dims, mlirIntegerTypeGet(context, BARRIER_BITS), encoding,
                                        nereid_ttg_shared_memory_attr_create(context), /*mutable_memory=*/true, dims);
}

MlirOperation nereid_ring_barrier(const nereid_builder_t *builder, MlirValue barriers, MlirValue index) {
  MlirType type = barriers_type(mlirTypeGetContext(mlirValueGetType(barriers)), 0);
  return nereid_ttg_memdesc_index_build(builder, type, barriers, index);
}

static int64_t slots_of(MlirValue barriers) {
  return mlirDenseI64ArrayGetElement(nereid_ttg_memdesc_type_get_dims(mlirValueGetType(barriers)), 0);
}

static MlirValue constant_slot(const nereid_builder_t *builder, MlirValue barriers, int64_t slot) {
  MlirType i32 = mlirIntegerTypeGet(mlirTypeGetContext(mlirValueGetType(barriers)), 32);
  return nereid_ir_result(nereid_ring_barrier(builder, barriers, nereid_scalar_constant(builder, i32, slot)));
}

MlirValue nereid_ring_barriers_create(const nereid_builder_t *builder, int32_t slots, int32_t arrivals) {
  MlirType type = barriers_type(mlirLocationGetContext(builder->location), slots);
  MlirValue barriers =
      nereid_ir_result(nereid_ttg_local_alloc_build(builder, type, (MlirValue){NULL}, (MlirAttribute){NULL}));
  for (int32_t slot = 0; slot < slots; ++slot)
    nereid_ttng_init_barrier_build(builder, constant_slot(builder, barriers, slot), arrivals);
  return barriers;
}

void nereid_ring_barriers_release(const nereid_builder_t *builder, MlirValue barriers) {
  for (int64_t slot = 0; slot < slots_of(barriers); ++slot)
    nereid_ttng_inval_barrier_build(builder, constant_slot(builder, barriers, slot));
  nereid_ttg_local_dealloc_build(builder, barriers);
}
