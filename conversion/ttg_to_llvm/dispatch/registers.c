/* Reallocates registers between the regions of ttg.warp_specialize; see dispatch.h.
 *
 *   ttg.maxnreg = 168, actualRegisters = array<i32: 240, 24>   ->
 *
 *     default region:  setmaxnreg.inc 240 … setmaxnreg.dec 168
 *     partition 0:     setmaxnreg.dec 24  … setmaxnreg.inc 168
 *
 * setmaxnreg takes registers from those with which the CTA was launched, and all warps of a group of four execute it
 * (PTX ISA, "setmaxnreg"): a warp that requests more than the others leave would wait for ever. */
#include "conversion/ttg_to_llvm/dispatch/dispatch.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "dialects/ttg/module.h"

#include "nereid/dialects/ttg.h"

enum { GROUP = 4 /* warps */, STEP = 8, MIN_REGISTERS = 24, MAX_REGISTERS = 256, MAX_WARPS = 32 };

/* The registers of each thread at launch; 0 if unspecified. */
static int32_t launched(MlirOperation op) {
  return (nereid_ttg_maxnreg(op) + STEP - 1) / STEP * STEP;
}

static bool reallocates(MlirOperation op) {
  return launched(op) && !mlirAttributeIsNull(nereid_ttg_warp_specialize_get_actual_registers_attr(op));
}

static bool check_values(MlirOperation op) {
  const intptr_t n = nereid_ttg_warp_specialize_get_actual_registers_count(op);
  const intptr_t expected = 1 + nereid_ttg_warp_specialize_get_partition_num_warps_count(op);
  if (n != expected)
    return nereid_lower_error(op, "has %ld actualRegisters: expected %ld, of the default region and each partition",
                              (long)n, (long)expected);
  for (intptr_t i = 0; i < n; ++i) {
    const int32_t registers = nereid_ttg_warp_specialize_get_actual_registers(op, i);
    if (registers < MIN_REGISTERS || registers > MAX_REGISTERS || registers % STEP)
      return nereid_lower_error(op,
                                "has a region with %d registers per thread: expected a multiple of %d from %d to %d",
                                registers, STEP, MIN_REGISTERS, MAX_REGISTERS);
  }
  return true;
}

/* Fills `of_warps` with the registers of each warp's threads. The first warps of partitions may be wrong still. */
static void find_registers(MlirOperation op, int32_t own, int32_t of_warps[MAX_WARPS]) {
  for (int32_t w = 0; w < own && w < MAX_WARPS; ++w)
    of_warps[w] = nereid_ttg_warp_specialize_get_actual_registers(op, 0);
  for (intptr_t i = 0; i < nereid_ttg_warp_specialize_get_partition_num_warps_count(op); ++i) {
    const int64_t first = nereid_ttg_warp_specialize_get_warp_group_start_ids(op, i);
    const int64_t end = first + nereid_ttg_warp_specialize_get_partition_num_warps(op, i);
    for (int64_t w = first < 0 ? 0 : first; w < end && w < MAX_WARPS; ++w)
      of_warps[w] = nereid_ttg_warp_specialize_get_actual_registers(op, i + 1);
  }
}

bool nereid_dispatch_check_registers(nereid_lower_t *lower, MlirOperation op) {
  const int32_t total = nereid_ttg_total_num_warps(op);
  int32_t of_warps[MAX_WARPS] = {0}, sum = 0;
  if (!reallocates(op))
    return true;
  if (!check_values(op))
    return false;
  find_registers(op, lower->group->grid.num_warps, of_warps);
  for (int32_t w = 0; w < total && w < MAX_WARPS; ++w) {
    sum += of_warps[w];
    if (of_warps[w] != of_warps[w / GROUP * GROUP])
      return nereid_lower_error(op,
                                "gives the warps of one group of four %d and %d registers per thread: setmaxnreg "
                                "applies to the group",
                                of_warps[w / GROUP * GROUP], of_warps[w]);
  }
  const int32_t threads = lower->group->grid.threads_per_warp;
  return sum <= total * launched(op) ||
         nereid_lower_error(op,
                            "has actualRegisters of %d registers in all: the CTA is launched with %d, %d per thread",
                            sum * threads, total * launched(op) * threads, launched(op));
}

void nereid_dispatch_emit_registers(nereid_lower_t *lower, MlirOperation op, intptr_t region, bool begins) {
  if (!reallocates(op))
    return;
  const int32_t actual = nereid_ttg_warp_specialize_get_actual_registers(op, region);
  const int32_t from = begins ? launched(op) : actual, to = begins ? actual : launched(op);
  if (from == to)
    return;
  MlirValue number = nereid_emit_i32(lower, to);
  nereid_emit_intrinsic(
      lower, to > from ? "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32" : "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32",
      (MlirType){NULL}, 1, &number);
}
