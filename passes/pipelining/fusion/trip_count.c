/* Iterations of a loop as values; see trip_count.h. The difference of the bounds of a loop with an iteration is exact
 * as an unsigned number of their type, and so is its quotient by the step. */
#include "passes/pipelining/fusion/trip_count.h"

#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/scf.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/support/scalar.h"
#include "seam/ir.h"

nereid_trip_t nereid_trip_of(MlirOperation loop) {
  return (nereid_trip_t){.lower = nereid_scf_for_get_lower_bound(loop),
                         .upper = nereid_scf_for_get_upper_bound(loop),
                         .step = nereid_scf_for_get_step(loop),
                         .is_unsigned = nereid_scf_for_get_unsigned_cmp(loop)};
}

MlirValue nereid_trip_exists(const nereid_trip_t *trip, const nereid_builder_t *builder) {
  return nereid_ir_result(
      nereid_arith_cmpi_build(builder, trip->lower, trip->upper,
                              trip->is_unsigned ? NEREID_ARITH_CMP_I_PREDICATE_ULT : NEREID_ARITH_CMP_I_PREDICATE_SLT));
}

static bool is_one(MlirValue value) {
  MlirAttribute constant = nereidMlirValueGetConstant(value);
  return !mlirAttributeIsNull(constant) && mlirIntegerAttrGetValueInt(constant) == 1;
}

/* The iterations after the first one, of the type of the bounds; any value when there is no iteration. */
static MlirValue later_iterations(const nereid_trip_t *trip, const nereid_builder_t *builder) {
  MlirValue one = nereid_scalar_constant(builder, mlirValueGetType(trip->lower), 1);
  MlirValue span = nereid_scalar_subtract(builder, nereid_scalar_subtract(builder, trip->upper, trip->lower), one);
  return is_one(trip->step) ? span : nereid_ir_result(nereid_arith_divui_build(builder, span, trip->step, false));
}

MlirValue nereid_trip_last(const nereid_trip_t *trip, const nereid_builder_t *builder, bool known) {
  MlirValue later = later_iterations(trip, builder);
  if (!is_one(trip->step))
    later = nereid_scalar_multiply(builder, later, trip->step);
  MlirValue last = nereid_scalar_add(builder, trip->lower, later);
  if (known)
    return last;
  return nereid_ir_result(nereid_arith_select_build(builder, nereid_trip_exists(trip, builder), last, trip->lower));
}

MlirValue nereid_trip_count(const nereid_trip_t *trip, const nereid_builder_t *builder, bool known) {
  MlirType i64 = mlirIntegerTypeGet(mlirLocationGetContext(builder->location), 64);
  MlirValue later = later_iterations(trip, builder);
  MlirType type = mlirValueGetType(later);
  if (mlirTypeIsAIndex(type))
    later = nereid_ir_result(nereid_arith_index_castui_build(builder, i64, later));
  else if (mlirIntegerTypeGetWidth(type) < 64)
    later = nereid_ir_result(nereid_arith_extui_build(builder, i64, later));
  MlirValue count = nereid_scalar_add(builder, later, nereid_scalar_constant(builder, i64, 1));
  if (known)
    return count;
  return nereid_ir_result(nereid_arith_select_build(builder, nereid_trip_exists(trip, builder), count,
                                                    nereid_scalar_constant(builder, i64, 0)));
}
