/* test-print-allocation: prints the offset of each buffer in its function's frame as remarks.
 *
 *   tt.func @f                      remark: f    remark: size = 768
 *   %0 = ttg.local_alloc            remark: offset = 0, size = 512
 *   %1 = ttg.convert_layout         remark: scratch offset = 512, size = 256
 *   tt.call @g()                    remark: virtual offset = 512, size = 128
 *
 * With get-scratch-size-function=ValidConstant every op has 128 bytes of scratch. For tests. Does not change the IR. */
#include "passes/pass.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"

#include "mlir-c/BuiltinAttributes.h"

static int64_t constant_scratch(MlirOperation op) {
  (void)op;
  return 128;
}

static void print_frame(MlirOperation function, const nereid_frame_t *frame) {
  static const char *const kinds[] = {"", "scratch ", "virtual "};
  MlirLocation location = mlirOperationGetLocation(function);
  const MlirStringRef name = nereid_ir_symbol_name(function);
  nereid_remark_at(location, "%.*s", (int)name.length, name.data);
  for (size_t i = 0; i < frame->count; ++i)
    nereid_remark_at(mlirOperationGetLocation(frame->buffers[i].op), "%soffset = %lld, size = %lld",
                     kinds[frame->buffers[i].kind], (long long)frame->buffers[i].offset,
                     (long long)frame->buffers[i].bytes);
  nereid_remark_at(location, "size = %lld", (long long)frame->bytes);
}

MlirLogicalResult nereid_pass_test_print_allocation(nereid_pass_t *pass) {
  const MlirStringRef scratch = nereid_pass_option_string(pass, "get-scratch-size-function");
  const bool constant = mlirStringRefEqual(scratch, mlirStringRefCreateFromCString("ValidConstant"));
  nereid_call_graph_t calls;
  nereid_allocation_t allocation;
  if (!constant && !mlirStringRefEqual(scratch, mlirStringRefCreateFromCString("None")))
    return nereid_diagnose_at(mlirOperationGetLocation(pass->op),
                              "get-scratch-size-function must be None or ValidConstant, got '%.*s'",
                              (int)scratch.length, scratch.data);
  if (nereid_call_graph_build(pass->op, pass->scratch, &calls) != NEREID_OK ||
      !nereid_allocation_run(&calls, constant ? constant_scratch : nereid_scratch_bytes, pass->scratch, &allocation))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < calls.functions.size; ++i)
    print_frame(calls.functions.data[i].op, &allocation.frames[i]);
  return mlirLogicalResultSuccess();
}
