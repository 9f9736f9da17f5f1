/* allocate-shared-memory: gives every op that needs scratch its offset in the CTA's shared memory, the module its size.
 *
 *   %1 = ttg.convert_layout %0 : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
 *   ->
 *   %1 = ttg.convert_layout %0 {allocation.offset = 0 : i32} : …            module {ttg.shared = 16384 : i32}
 *
 * An op's scratch lives only while the op runs, and its lowering puts a barrier on each side of the exchange: all of it
 * shares offset 0, across functions too. */
#include "analysis/scratch.h"
#include "passes/pass.h"

#include "dialects/diagnose.h"
#include "dialects/ttg/module.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

typedef struct allocation {
  MlirType i32;
  int64_t total, limit; /* bytes */
  bool failed;
} allocation_t;

static MlirWalkResult allocate(MlirOperation op, void *user_data) {
  allocation_t *allocation = user_data;
  const int64_t bytes = nereid_scratch_bytes(op);
  if (!bytes)
    return MlirWalkResultAdvance;
  mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString("allocation.offset"),
                                  mlirIntegerAttrGet(allocation->i32, 0));
  if (bytes > allocation->total)
    allocation->total = bytes;
  if (bytes <= allocation->limit)
    return MlirWalkResultAdvance;
  allocation->failed = true;
  nereid_diagnose(op, "needs %lld bytes of shared memory for this conversion, the target has %lld", (long long)bytes,
                  (long long)allocation->limit);
  return MlirWalkResultAdvance;
}

/* Bytes of shared memory that one CTA can have (CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability": the maximum per thread block). */
static int64_t shared_memory_limit(MlirOperation module) {
  static const struct {
    int capability;
    int64_t kibibytes;
  } limits[] = {{90, 227}, {89, 99}, {87, 163}, {86, 99}, {80, 163}};
  const int capability = nereid_ttg_compute_capability(module);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    if (capability >= limits[i].capability)
      return limits[i].kibibytes * 1024;
  return INT64_C(48) * 1024;
}

MlirLogicalResult nereid_pass_allocate_shared_memory(nereid_pass_t *pass) {
  allocation_t allocation = {.i32 = mlirIntegerTypeGet(pass->context, 32), .limit = shared_memory_limit(pass->op)};
  mlirOperationWalk(pass->op, allocate, &allocation, MlirWalkPreOrder);
  mlirOperationSetAttributeByName(pass->op, mlirStringRefCreateFromCString("ttg.shared"),
                                  mlirIntegerAttrGet(allocation.i32, allocation.total));
  return allocation.failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
