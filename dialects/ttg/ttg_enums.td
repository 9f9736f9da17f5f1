// The ttg dialect has no enums of its own: its operations use those of tt. The file is there because enum generators
// have no dialect filter and every dialect keeps its enums apart.
#ifndef NEREID_TTG_ENUMS
#define NEREID_TTG_ENUMS

include "mlir/IR/EnumAttr.td"

#endif
