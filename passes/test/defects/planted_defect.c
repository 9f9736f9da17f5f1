/* nereid-test-defect{kind=drop-barrier}: plants one defect.
 *
 *   tt.store %p, %v, %mask   ->   tt.store %p, %v, %true       kind=drop-store-mask
 *
 * It is not in passes.def: only builds with tests register it. */
#include "base/view.h"
#include "passes/test/defects/defect.h"
#include "seam/pass.h"

#include <mlir-c/Diagnostics.h>
#include <stdlib.h>

typedef struct planting {
  nereid_view_t kind;
  bool known, planted;
} planting_t;

static void plant_from(const nereid_defect_t *table, planting_t *planting, MlirOperation op) {
  const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (const nereid_defect_t *row = table; row->kind && !planting->planted; ++row) {
    if (!nereid_view_equal(nereid_view(row->kind), planting->kind))
      continue;
    planting->known = true;
    if (nereid_view_equal(nereid_view(row->op), nereid_view_of(name.data, name.length)))
      planting->planted = row->plant(op);
  }
}

static MlirWalkResult visit(MlirOperation op, void *data) {
  planting_t *planting = data;
  plant_from(nereid_value_defects, planting, op);
  if (!planting->planted)
    plant_from(nereid_memory_defects, planting, op);
  return planting->planted ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirLogicalResult run(MlirOperation op, MlirPass pass, void *data) {
  (void)data;
  const MlirStringRef kind = nereidMlirPassGetStringOption(pass, 0);
  planting_t planting = {.kind = nereid_view_of(kind.data, kind.length)};
  mlirOperationWalk(op, visit, &planting, MlirWalkPreOrder);
  if (planting.planted)
    return mlirLogicalResultSuccess();
  mlirEmitError(mlirOperationGetLocation(op),
                planting.known ? "no operation suits the planted defect" : "unknown kind of planted defect");
  return mlirLogicalResultFailure();
}

void nereid_defects_register(void) {
  static const NereidMlirPassOption options[] = {{"kind", "the defect", NereidMlirPassOptionString, 0, ""},
                                                 {NULL, NULL, NereidMlirPassOptionInt, 0, NULL}};
  static const NereidMlirPassInfo info = {
      "nereid-test-defect", "builtin.module", "Plants a defect.", "arith,llvm", options, run, NULL};
  nereidMlirPassRegister(&info);
}
