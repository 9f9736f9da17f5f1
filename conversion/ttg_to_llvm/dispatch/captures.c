/* Passes captures of ttg.warp_specialize from the kernel's first thread to the warps of partitions; see dispatch.h.
 *
 *   ttg.warp_specialize(%n, %sum)   %n is a parameter      st.shared [offset], %sum
 *   partition0(%a, %b) { … }                           ->  partition 0:  %b = ld.shared [offset];  %a is %n
 *
 * All warps execute the header, so they have the values that it computes. Others are stored, the widest first, so that
 * each is aligned to its size. */
#include "conversion/ttg_to_llvm/dispatch/dispatch.h"

#include "analysis/allocation/scratch.h"
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/slots.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"

#include "mlir-c/Dialect/LLVM.h"

enum { MAX_BYTES = 8 };

static bool is_in_header(const nereid_dispatch_t *dispatch, MlirValue value) {
  MlirBlock block = mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                                     : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  return mlirBlockEqual(block, dispatch->lower.group->prologue);
}

static MlirType memory_type(nereid_lower_t *lower, MlirType type) {
  return mlirTypeIsALLVMPointerType(type) ? type : nereid_slots_memory_type(lower, type);
}

static bool check_type(MlirOperation op, MlirValue capture) {
  MlirType type = mlirValueGetType(capture);
  return mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) || mlirTypeIsALLVMPointerType(type) ||
         nereid_lower_error(op,
                            "passes a value of type %s through shared memory: expected an integer, a float or a "
                            "pointer",
                            nereid_text_of_type(type).chars);
}

bool nereid_dispatch_place_captures(nereid_dispatch_t *dispatch, MlirOperation op, nereid_dispatch_captures_t *out) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  int64_t used = 0;
  *out = (nereid_dispatch_captures_t){.op = op,
                                      .offsets = nereid_arena_new(dispatch->lower.arena, int64_t, (size_t)n + 1)};
  if (!out->offsets)
    return false;
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue capture = mlirOperationGetOperand(op, i);
    out->offsets[i] = -1;
    if (!is_in_header(dispatch, capture) && !check_type(op, capture))
      return false;
  }
  for (int64_t size = MAX_BYTES; size > 0; size /= 2)
    for (intptr_t i = 0; i < n; ++i) {
      MlirValue capture = mlirOperationGetOperand(op, i);
      const int64_t bytes = nereid_scratch_capture_bytes(mlirValueGetType(capture));
      if (out->offsets[i] >= 0 || bytes < size || is_in_header(dispatch, capture))
        continue;
      out->any = true;
      out->offsets[i] = used;
      used += bytes;
    }
  const int64_t allocated = nereid_ir_integer(op, NEREID_ATTR_ALLOCATION_SIZE, 0);
  return used <= allocated ||
         nereid_lower_error(op,
                            "passes %lld bytes to partitions, but has %lld in shared memory: captures beyond those "
                            "that were allocated must be arguments or constants",
                            (long long)used, (long long)allocated);
}

/* The address of capture `i`, and its alignment. */
static MlirValue address_of(nereid_lower_t *lower, const nereid_dispatch_captures_t *captures, intptr_t i,
                            MlirNamedAttribute *out_alignment) {
  const int64_t offset = captures->offsets[i], known = offset | nereid_scratch_alignment(captures->op);
  *out_alignment = nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types->i64, known & -known));
  return nereid_emit_offset(lower, nereid_slots_scratch(lower, captures->op), offset);
}

void nereid_dispatch_store_captures(nereid_lower_t *lower, const nereid_dispatch_captures_t *captures) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(captures->op); ++i) {
    if (captures->offsets[i] < 0)
      continue;
    MlirNamedAttribute alignment;
    MlirValue at = address_of(lower, captures, i, &alignment), value = mlirOperationGetOperand(captures->op, i);
    value = nereid_slots_to_memory(lower, memory_type(lower, mlirValueGetType(value)), value);
    nereid_emit_op(lower, "llvm.store", 0, NULL, 2, (MlirValue[]){value, at}, 1, &alignment);
  }
}

static MlirValue load(nereid_lower_t *lower, const nereid_dispatch_captures_t *captures, intptr_t i) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(captures->op, i)), in_memory = memory_type(lower, type);
  MlirNamedAttribute alignment;
  MlirValue at = address_of(lower, captures, i, &alignment);
  MlirValue value = mlirOperationGetResult(nereid_emit_op(lower, "llvm.load", 1, &in_memory, 1, &at, 1, &alignment), 0);
  return nereid_slots_from_memory(lower, type, value);
}

void nereid_dispatch_load_captures(nereid_lower_t *lower, const nereid_dispatch_captures_t *captures, MlirBlock entry) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(captures->op); ++i) {
    MlirValue value = captures->offsets[i] < 0 ? mlirOperationGetOperand(captures->op, i) : load(lower, captures, i);
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(entry, 0), value);
    mlirBlockEraseArgument(entry, 0);
  }
}
