// The whole tt dialect.
#ifndef NEREID_TT
#define NEREID_TT

include "dialects/tt/tt_attrs.td"
include "dialects/tt/tt_dialect.td"
include "dialects/tt/tt_enums.td"
include "dialects/tt/tt_ops_arith.td"
include "dialects/tt/tt_ops_descriptor.td"
include "dialects/tt/tt_ops_memory.td"
include "dialects/tt/tt_ops_pointer.td"
include "dialects/tt/tt_ops_program.td"
include "dialects/tt/tt_ops_reduce.td"
include "dialects/tt/tt_ops_shape.td"
include "dialects/tt/tt_traits.td"
include "dialects/tt/tt_types.td"

#endif
