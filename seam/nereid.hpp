// C++ of the nereid dialect: the classes that TableGen writes. What decides about a program is C (dialects/nereid).
#ifndef NEREID_SEAM_NEREID_HPP
#define NEREID_SEAM_NEREID_HPP

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "dialects/nereid/dialect.h.inc"
#include "dialects/nereid/enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nereid/attrs.h.inc"

#endif
