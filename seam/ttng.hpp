// C++ of the ttng dialect: the classes that TableGen writes. What decides about a program is C (dialects/ttng).
#ifndef NEREID_SEAM_TTNG_HPP
#define NEREID_SEAM_TTNG_HPP

#include "seam/ttg.hpp"

namespace nereid::ttng {
using ::mlir::Type;
} // namespace nereid::ttng

#include "dialects/ttng/dialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/ttng/types.h.inc"
#define GET_OP_CLASSES
#include "dialects/ttng/ops.h.inc"

#endif
