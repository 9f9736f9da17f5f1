/* allocate-shared-memory: assigns each buffer an offset in its function's shared-memory frame and records the size of
 * the module.
 *
 *   %0 = ttg.local_alloc %x : … -> !ttg.memdesc<64x64xf32, …>
 *   %1 = ttg.convert_layout %y : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
 *   ->
 *   %0 = ttg.local_alloc %x {allocation.offset = 0 : i32} …                 module {ttg.shared = 32768 : i32}
 *   %1 = ttg.convert_layout %y {allocation.offset = 16384 : i32} …          tt.func public … {ttg.shared = 32768 : i32}
 *
 * A call reserves the whole frame of its callee, which starts at the call's offset (analysis/allocation/allocation.h).
 * A kernel's frame starts at 0; the module's size is the largest frame of a kernel. ttg.shared_bound is the lower bound
 * of all placements. The scratch of a conversion that does not fit holds one of several parts (allocation.parts), which
 * are moved one after the other. allocate-shared-memory-nv is an alias under the name that Triton 3.6 uses for
 * NVIDIA. */
#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "passes/memory/called_warps.h"
#include "passes/memory/shared_memory_limit.h"
#include "passes/pass.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static void set_offsets(const nereid_call_function_t *function, const nereid_frame_t *frame) {
  for (size_t i = 0; i < frame->count; ++i)
    nereid_ir_set_integer(frame->buffers[i].op, NEREID_ATTR_ALLOCATION_OFFSET, frame->buffers[i].offset);
  if (function->is_kernel)
    nereid_ir_set_integer(function->op, "ttg.shared", frame->bytes);
}

/* Bytes of the buffers of a frame that may be live together with one of them, which is included. */
static int64_t bytes_with(const nereid_frame_t *frame, const nereid_buffer_t *buffer) {
  int64_t bytes = buffer->bytes;
  for (size_t i = 0; i < frame->count; ++i)
    if (&frame->buffers[i] != buffer && nereid_allocation_live_together(buffer, &frame->buffers[i]))
      bytes += frame->buffers[i].bytes;
  return bytes;
}

/* Divides a conversion until its scratch fits next to the live buffers; false when its layouts cannot be divided. */
static bool divide_conversion(const nereid_pass_t *pass, const nereid_buffer_t *buffer, int64_t others, int64_t limit) {
  const int64_t before = nereid_conversion_parts(buffer->op);
  int64_t parts = before;
  do {
    nereid_ir_set_integer(buffer->op, NEREID_ATTR_ALLOCATION_PARTS, 2 * parts);
    if (nereid_conversion_parts(buffer->op) == parts)
      break;
    parts *= 2;
  } while (others + nereid_scratch_bytes(buffer->op) > limit);
  if (parts > 1)
    nereid_ir_set_integer(buffer->op, NEREID_ATTR_ALLOCATION_PARTS, parts);
  else
    mlirOperationRemoveDiscardableAttributeByName(buffer->op, nereid_ir_ref(NEREID_ATTR_ALLOCATION_PARTS));
  if (parts > before)
    nereid_pass_remark_missed(pass, buffer->op, "scratch",
                              "moves its elements in %ld parts: %ld bytes of scratch do not fit in shared memory",
                              (long)parts, (long)buffer->bytes);
  return parts > before;
}

/* Divides the conversions whose scratch does not fit next to the live buffers; false when there are none. */
static bool divide_conversions(const nereid_pass_t *pass, const nereid_frame_t *frame, int64_t limit) {
  bool divided = false;
  for (size_t i = 0; i < frame->count; ++i) {
    const nereid_buffer_t *buffer = &frame->buffers[i];
    const int64_t bytes = bytes_with(frame, buffer);
    if (buffer->kind == NEREID_BUFFER_SCRATCH && nereid_op_kind(buffer->op) == NEREID_OP_TTG_CONVERT_LAYOUT &&
        bytes > limit)
      divided = divide_conversion(pass, buffer, bytes - buffer->bytes, limit) || divided;
  }
  return divided;
}

/* Places all buffers, with conversions in as many parts as required. */
static bool place(const nereid_pass_t *pass, const nereid_call_graph_t *calls, int64_t limit,
                  nereid_allocation_t *out) {
  bool again = true;
  while (again) {
    if (!nereid_allocation_run(calls, nereid_scratch_bytes, pass->scratch, out))
      return false;
    again = false;
    for (size_t i = 0; i < calls->functions.size; ++i)
      if (calls->functions.data[i].has_body && out->frames[i].bytes > limit)
        again = divide_conversions(pass, &out->frames[i], limit) || again;
  }
  return true;
}

static bool allocate(nereid_pass_t *pass) {
  nereid_call_graph_t calls;
  nereid_allocation_t allocation;
  const int64_t limit = nereid_allocation_limit(pass->op);
  int64_t bytes = 0, bound = 0;
  if (nereid_call_graph_build(pass->op, pass->scratch, &calls) != NEREID_OK ||
      !nereid_called_warps_set(&calls, pass->scratch) || !place(pass, &calls, limit, &allocation))
    return false;
  for (size_t i = 0; i < calls.functions.size; ++i) {
    const nereid_call_function_t *function = nereid_call_graph_callees_first(&calls, i);
    const size_t number = (size_t)(function - calls.functions.data);
    const nereid_frame_t *frame = &allocation.frames[number];
    if (!function->has_body)
      continue;
    set_offsets(function, frame);
    if (frame->bytes > limit) {
      nereid_shared_memory_refuse(&allocation, number, limit, pass->scratch);
      return false;
    }
    bytes = frame->bytes > bytes ? frame->bytes : bytes;
    bound = frame->bound > bound ? frame->bound : bound;
  }
  nereid_ir_set_integer(pass->op, "ttg.shared", bytes);
  nereid_ir_set_integer(pass->op, "ttg.shared_bound", bound);
  return true;
}

MlirLogicalResult nereid_pass_allocate_shared_memory(nereid_pass_t *pass) {
  return allocate(pass) ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

MlirLogicalResult nereid_pass_allocate_shared_memory_nv(nereid_pass_t *pass) {
  return nereid_pass_allocate_shared_memory(pass);
}
