// Enum attributes of MLIR's own dialects (#gpu.dimension, #arith.fastmath, #llvm.linkage ...) for the generated C
// bindings: mlir-c has no entry for most of them. Everything below is written by ods-bindgen.
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "bindings/upstream_thunks.inc"
