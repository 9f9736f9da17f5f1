// The `nereid` dialect: attributes for data that Triton keeps outside the IR (grid, launch options, argument roles).
#ifndef NEREID_NEREID_TD
#define NEREID_NEREID_TD

include "dialects/nereid/nereid_dialect.td"
include "dialects/nereid/nereid_enums.td"
include "dialects/nereid/nereid_attrs.td"

#endif
