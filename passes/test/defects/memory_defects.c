/* Defects of memory accesses: masks, addresses, order, synchronization.
 *
 *   ttg.async_wait {num = 1 : i32}   ->   ttg.async_wait {num = 2 : i32}       kind=early-wait */
#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/llvm.h"
#include "nereid/dialects/tt.h"
#include "passes/support/scalar.h"
#include "passes/test/defects/defect.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <string.h>

static MlirStringRef string_of(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static bool set_integer(MlirOperation op, const char *name, int64_t change) {
  const MlirAttribute old = nereid_ir_attribute(op, name);
  if (mlirAttributeIsNull(old))
    return false;
  mlirOperationSetAttributeByName(
      op, string_of(name), mlirIntegerAttrGet(mlirAttributeGetType(old), mlirIntegerAttrGetValueInt(old) + change));
  return true;
}

/* Replaces the mask by one that is true everywhere. */
static bool drop_mask(MlirOperation op, MlirValue mask) {
  const nereid_builder_t builder = nereid_builder_before(op);
  if (mlirValueIsNull(mask))
    return false;
  const MlirOperation always = nereid_arith_cmpi_build(&builder, mask, mask, NEREID_ARITH_CMP_I_PREDICATE_EQ);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), mask))
      mlirOperationSetOperand(op, i, mlirOperationGetResult(always, 0));
  return true;
}

static bool drop_load_mask(MlirOperation op) {
  return drop_mask(op, nereid_tt_load_get_mask(op));
}

static bool drop_store_mask(MlirOperation op) {
  return drop_mask(op, nereid_tt_store_get_mask(op));
}

static bool erase(MlirOperation op) {
  nereidMlirOperationErase(op);
  return true;
}

/* Shifts a range by one element. */
static bool shift_range(MlirOperation op) {
  return set_integer(op, "start", 1) && set_integer(op, "end", 1);
}

/* Waits with one more operation in flight. */
static bool wait_early(MlirOperation op) {
  return set_integer(op, "num", 1);
}

static bool wait_early_for_dot(MlirOperation op) {
  return set_integer(op, "pendings", 1);
}

/* The phase of an mbarrier never changes. */
static bool keep_phase(MlirOperation op) {
  const MlirValue phase = mlirOperationGetOperand(op, 1);
  const nereid_builder_t builder = nereid_builder_before(op);
  mlirOperationSetOperand(op, 1, nereid_scalar_constant(&builder, mlirValueGetType(phase), 0));
  return mlirValueIsABlockArgument(phase);
}

/* Reads and writes the first slot of a ring only. */
static bool keep_slot(MlirOperation op) {
  const nereid_builder_t builder = nereid_builder_before(op);
  const MlirValue index = mlirOperationGetOperand(op, 1);
  if (!mlirValueIsABlockArgument(index))
    return false;
  mlirOperationSetOperand(op, 1, nereid_scalar_constant(&builder, mlirValueGetType(index), 0));
  return true;
}

static bool is_intrinsic(MlirOperation op, const char *part) {
  const MlirAttribute name = nereid_ir_attribute(op, "intrin");
  return !mlirAttributeIsNull(name) && strstr(mlirStringAttrGetValue(name).data, part);
}

static bool drop_barrier(MlirOperation op) {
  return is_intrinsic(op, "barrier.cta.sync") && erase(op);
}

/* Adds 4 bytes to an address in shared memory. */
static bool shift_shared(MlirOperation op) {
  const MlirType pointer = mlirValueGetType(mlirOperationGetResult(op, 0));
  static const char shared[] = "!llvm.ptr<3>";
  const MlirType expected = mlirTypeParseGet(mlirTypeGetContext(pointer), string_of(shared));
  const nereid_builder_t builder = nereid_builder_before(op);
  if (!mlirTypeEqual(pointer, expected) || mlirOperationGetNumOperands(op) < 2)
    return false;
  const MlirValue index = mlirOperationGetOperand(op, 1);
  const MlirType type = mlirValueGetType(index);
  const MlirOperation four = nereid_llvm_mlir_constant_build(&builder, type, mlirIntegerAttrGet(type, 4));
  const MlirOperation sum =
      nereid_llvm_add_build(&builder, index, mlirOperationGetResult(four, 0), NEREID_LLVM_INTEGER_OVERFLOW_FLAGS_NONE);
  mlirOperationSetOperand(op, 1, mlirOperationGetResult(sum, 0));
  return true;
}

/* Forgets the alignment of a pointer, which makes its accesses narrow. */
static bool forget_alignment(MlirOperation op) {
  if (mlirAttributeIsNull(nereidMlirFunctionGetArgAttr(op, 0, string_of("tt.divisibility"))))
    return false;
  nereidMlirFunctionSetArgAttr(op, 0, string_of("tt.divisibility"), (MlirAttribute){NULL});
  return true;
}

const nereid_defect_t nereid_memory_defects[] = {
    {"drop-load-mask", "tt.load", drop_load_mask},
    {"drop-store-mask", "tt.store", drop_store_mask},
    {"drop-store", "tt.store", erase},
    {"shift-range", "tt.make_range", shift_range},
    {"early-wait", "ttg.async_wait", wait_early},
    {"early-dot-wait", "ttng.warp_group_dot_wait", wait_early_for_dot},
    {"keep-phase", "ttng.wait_barrier", keep_phase},
    {"keep-slot", "ttg.memdesc_index", keep_slot},
    {"drop-fence", "ttng.fence_async_shared", erase},
    {"drop-barrier", "llvm.call_intrinsic", drop_barrier},
    {"shift-shared", "llvm.getelementptr", shift_shared},
    {"forget-alignment", "tt.func", forget_alignment},
    {NULL, NULL, NULL},
};
