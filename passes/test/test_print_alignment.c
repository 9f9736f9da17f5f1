/* test-print-alignment: prints the axis information of every result as remarks.
 *
 *   %0 = tt.make_range ...   remark: %0 = ... => contiguity = [128], divisibility = [1073741824], constancy = [1], ...
 *
 * For tests and for diagnosis of narrow accesses. Does not change the IR. */
#include "passes/pass.h"

#include "analysis/axis/axis_info.h"
#include "base/vector.h"
#include "dialects/diagnose.h"
#include "seam/ir.h"

typedef struct printer {
  nereid_pass_t *pass;
  nereid_axis_result_t result;
  MlirAsmState state; /* names of values: computed once, not for every line */
  NEREID_VECTOR(char) text;
} printer_t;

static void append(MlirStringRef part, void *data) {
  printer_t *printer = data;
  for (size_t i = 0; i < part.length; i++)
    if (!nereid_vector_push(printer->pass->scratch, &printer->text, part.data[i]))
      return;
}

static void print_result(printer_t *printer, MlirOperation op, MlirValue value) {
  const nereid_axis_info_t *info = nereid_axis_info_get(&printer->result, value);
  printer->text.size = 0;
  mlirOperationPrintWithState(op, printer->state, append, printer);
  const char *facts = info ? nereid_axis_info_format(info, printer->pass->scratch) : "";
  if (facts)
    nereid_remark_at(mlirOperationGetLocation(op), "%.*s => %s", (int)printer->text.size, printer->text.data, facts);
}

static MlirWalkResult print_op(MlirOperation op, void *data) {
  printer_t *printer = data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    print_result(printer, op, mlirOperationGetResult(op, i));
  return printer->pass->scratch->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

MlirLogicalResult nereid_pass_test_print_alignment(nereid_pass_t *pass) {
  printer_t printer = {.pass = pass};
  if (nereid_axis_info_run(pass->op, pass->scratch, &printer.result) != NEREID_OK)
    return mlirLogicalResultFailure();
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsSkipRegions(flags);
  printer.state = mlirAsmStateCreateForOperation(pass->op, flags);
  mlirOperationWalk(pass->op, print_op, &printer, MlirWalkPostOrder);
  mlirAsmStateDestroy(printer.state);
  mlirOpPrintingFlagsDestroy(flags);
  return pass->scratch->failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
