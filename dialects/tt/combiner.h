/* What the region of a tt.reduce or tt.scan does, where it is simple. */
#ifndef NEREID_DIALECTS_TT_COMBINER_H
#define NEREID_DIALECTS_TT_COMBINER_H

#include "nereid/dialects/ops.h"

#include <mlir-c/IR.h>

/* The kind of the one op that `region` consists of, when it combines the two arguments and is what the region returns;
 * NEREID_OP_UNKNOWN otherwise. */
nereid_op_kind_t nereid_tt_combiner_kind(MlirRegion region);

#endif
