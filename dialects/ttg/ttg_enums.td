// The ttg dialect has no enums of its own: its operations use those of tt. The file exists because enum generators have
// no dialect filter, so each dialect has a file for its enums.
#ifndef NEREID_TTG_ENUMS
#define NEREID_TTG_ENUMS

include "mlir/IR/EnumAttr.td"

#endif
