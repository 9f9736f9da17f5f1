// The `ttng` dialect: asynchronous operations of sm_80 and sm_90.
#ifndef NEREID_TTNG_TD
#define NEREID_TTNG_TD

include "dialects/ttng/ttng_dialect.td"
include "dialects/ttng/ttng_types.td"
include "dialects/ttng/ttng_ops_barrier.td"
include "dialects/ttng/ttng_ops_dot.td"
include "dialects/ttng/ttng_ops_tma.td"

#endif
