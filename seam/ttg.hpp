// C++ of the ttg dialect: the classes that TableGen writes. What encodings mean, how their text is read
// and everything else that decides about a program is C (dialects/ttg).
#ifndef NEREID_SEAM_TTG_HPP
#define NEREID_SEAM_TTG_HPP

#include "seam/tt.hpp"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"

namespace nereid::ttg {
using ::mlir::ArrayAttr;
using ::mlir::Attribute;
using ::mlir::DenseI32ArrayAttr;
using ::mlir::DenseI64ArrayAttr;
using ::mlir::Type;
using ::nereid::SharedMemory;

// Placeholders of nvws, gluon, amdg and proton, whose operations, attributes and types are refused by name.
void registerRefusedDialects(::mlir::DialectRegistry &registry);
} // namespace nereid::ttg

#include "dialects/ttg/dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/ttg/attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/ttg/types.h.inc"
#define GET_OP_CLASSES
#include "dialects/ttg/ops.h.inc"

#endif
