/* Reads module attributes on which layouts and code depend; see the header.
 *
 *   ttg.warp_specialize ... partition1() num_warps(2) { op }   ->   nereid_ttg_num_warps(op) == 2 */
#include "dialects/ttg/module.h"

#include "dialects/ir.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

#include <string.h>

/* Compares names: this runs for every operation, and hashing takes longer. */
static bool is_named(MlirOperation op, const char *name, size_t length) {
  MlirStringRef actual = mlirIdentifierStr(mlirOperationGetName(op));
  return actual.length == length && memcmp(actual.data, name, length) == 0;
}

#define IS(op, name) is_named(op, name, sizeof(name) - 1)

MlirOperation nereid_ttg_module(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !IS(op, "builtin.module"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

bool nereid_ttg_is_warp_specialize(MlirOperation op) {
  return IS(op, "ttg.warp_specialize") || IS(op, "ttg.warp_specialize.partitions") || IS(op, "ttg.warp_yield") ||
         IS(op, "ttg.warp_return");
}

static int32_t integer_of(MlirOperation op, const char *name, int32_t fallback) {
  if (mlirOperationIsNull(op))
    return fallback;
  MlirAttribute value = nereid_ir_attribute(op, name);
  return mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value) ? fallback
                                                                       : (int32_t)mlirIntegerAttrGetValueInt(value);
}

int32_t nereid_ttg_region_num_warps(MlirRegion region) {
  MlirOperation owner = nereidMlirRegionGetParentOperation(region);
  if (!IS(owner, "ttg.warp_specialize.partitions"))
    return nereid_ttg_num_warps(owner);
  MlirOperation specialize = mlirOperationGetParentOperation(owner);
  intptr_t number = nereidMlirRegionGetNumber(region);
  return number < nereid_ttg_warp_specialize_get_partition_num_warps_count(specialize)
             ? nereid_ttg_warp_specialize_get_partition_num_warps(specialize, number)
             : -1;
}

int32_t nereid_ttg_num_warps(MlirOperation op) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
    if (IS(op, "builtin.module") || IS(op, "tt.func") || IS(op, "llvm.func")) {
      int32_t warps = integer_of(op, "ttg.num-warps", -1);
      if (warps > 0)
        return warps;
    }
    MlirBlock block = mlirOperationGetBlock(op);
    MlirOperation parent = mlirOperationGetParentOperation(op);
    if (!mlirBlockIsNull(block) && !mlirOperationIsNull(parent) && IS(parent, "ttg.warp_specialize.partitions"))
      return nereid_ttg_region_num_warps(mlirBlockGetParentRegion(block));
  }
  return -1;
}

int32_t nereid_ttg_total_num_warps(MlirOperation op) {
  MlirOperation module = nereid_ttg_module(op);
  return integer_of(module, "ttg.total-num-warps", integer_of(module, "ttg.num-warps", -1));
}

int32_t nereid_ttg_threads_per_warp(MlirOperation op) {
  return integer_of(nereid_ttg_module(op), "ttg.threads-per-warp", 32);
}

int32_t nereid_ttg_num_ctas(MlirOperation op) {
  return integer_of(nereid_ttg_module(op), "ttg.num-ctas", 1);
}

int32_t nereid_ttg_maxnreg(MlirOperation op) {
  return integer_of(nereid_ttg_module(op), "ttg.maxnreg", 0);
}

MlirStringRef nereid_ttg_target(MlirOperation op) {
  MlirOperation module = nereid_ttg_module(op);
  MlirStringRef none = {NULL, 0};
  if (mlirOperationIsNull(module))
    return none;
  MlirAttribute value = nereid_ir_attribute(module, "ttg.target");
  return mlirAttributeIsNull(value) || !mlirAttributeIsAString(value) ? none : mlirStringAttrGetValue(value);
}

int32_t nereid_ttg_compute_capability(MlirOperation op) {
  static const char prefix[] = "cuda:";
  MlirStringRef target = nereid_ttg_target(op);
  if (!target.data)
    target = mlirStringRefCreateFromCString(NEREID_TTG_DEFAULT_TARGET);
  if (target.length < sizeof prefix || memcmp(target.data, prefix, sizeof prefix - 1) != 0)
    return 0;
  int32_t capability = 0;
  for (size_t i = sizeof prefix - 1; i < target.length; i++) {
    if (target.data[i] < '0' || target.data[i] > '9' || capability > 1000)
      return 0;
    capability = capability * 10 + (target.data[i] - '0');
  }
  return capability;
}
