/* Recognition of simple combiner regions of tt.reduce and tt.scan. */
#ifndef NEREID_DIALECTS_TT_COMBINER_H
#define NEREID_DIALECTS_TT_COMBINER_H

#include "nereid/dialects/ops.h"

#include <mlir-c/IR.h>

/* Returns the kind of the single op in `region` when it combines the two arguments and the region returns its result;
 * NEREID_OP_UNKNOWN otherwise. */
nereid_op_kind_t nereid_tt_combiner_kind(MlirRegion region);

#endif
