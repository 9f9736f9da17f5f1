/* Registers of loads that are executed ahead; see load_registers.h.
 *
 *   %x = tt.load %p : tensor<64x32xf16, #rows>        rows of unknown length; 4 warps, 1 row of 32 lanes each
 *
 *   value: 16 accesses of 2 bytes, 16 registers; address: 16 rows, 32 registers */
#include "passes/pipelining/loads/load_registers.h"

#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "layout/encoding.h"
#include "nereid/dialects/tt.h"
#include "passes/layout/support/conversion_cost.h"

#include <mlir-c/BuiltinTypes.h>

enum { WORD_BYTES = 4, ADDRESS_WORDS = 2 };

/* Reads the layout of the value of a load; false for a scalar. */
static bool layout_of(MlirOperation load, nereid_layout_t *out) {
  MlirType type = mlirValueGetType(nereid_ir_result(load));
  return mlirTypeIsARankedTensor(type) && nereid_layout_from_type(type, out) == NEREID_OK;
}

int64_t nereid_load_value_registers(const nereid_axis_result_t *axis, MlirOperation load) {
  nereid_layout_t layout;
  if (!layout_of(load, &layout))
    return 1;
  const int64_t width =
      nereid_axis_info_access_width(axis, &layout, nereid_tt_load_get_ptr(load), nereid_tt_load_get_mask(load));
  const int64_t bytes = width * nereid_scratch_element_bytes(mlirValueGetType(nereid_ir_result(load)));
  return nereid_distinct_registers(&layout) / width * ((bytes + WORD_BYTES - 1) / WORD_BYTES);
}

/* Whether the two elements that differ by `basis` are in one contiguous run of the pointers. */
static bool is_in_run(const nereid_axis_info_t *pointers, const nereid_layout_t *layout, uint32_t basis) {
  for (int d = 0; d < layout->rank; ++d) {
    const int shift = nereid_layout_out_shift(layout, d);
    const uint32_t along = basis >> shift & ((UINT32_C(1) << layout->out_bits[d]) - 1);
    if (along << shift == basis)
      return along < nereid_axis_info_contiguity(pointers, d);
  }
  return false;
}

int64_t nereid_load_address_registers(const nereid_axis_result_t *axis, MlirOperation load) {
  const nereid_axis_info_t *pointers = nereid_axis_info_get(axis, nereid_tt_load_get_ptr(load));
  nereid_layout_t layout;
  int64_t addresses = 1;
  if (!pointers || !layout_of(load, &layout))
    return 0;
  for (int i = 0; i < layout.in_bits[NEREID_LAYOUT_REGISTER]; ++i) {
    const uint32_t basis = layout.bases[NEREID_LAYOUT_REGISTER][i];
    if (basis && !is_in_run(pointers, &layout, basis))
      addresses *= 2;
  }
  return addresses * ADDRESS_WORDS;
}
