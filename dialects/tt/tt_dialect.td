// The tt dialect record. tt_types.td, tt_attrs.td and tt_traits.td include it and may be included by other dialects;
// operations are in tt_ops_<family>.td, and tt.td includes all files.
#ifndef NEREID_TT_DIALECT
#define NEREID_TT_DIALECT

include "mlir/IR/OpBase.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::nereid::tt";
  let summary = "Tiled tensors: kernels as programs on whole tensors";
  let description = [{
    A function is the program of one instance of a launch grid. It operates on tensors of static shape and on pointers
    into global memory. There are no threads: later passes distribute elements over threads by adding encodings to
    tensor types (`ttg`). Elementwise arithmetic is `arith` and `math`, control flow `scf` and `cf`. The text and the
    generic form are those of Triton 3.6. The different spellings of 3.7 to 3.9 are parsed too, and printed as they were
    parsed (docs/triton-versions.md).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  // The minor number of the Triton version in whose spelling the context prints: the newest that was parsed. From 100
  // on it is fixed (109 is 3.9 for any input). See nereidMlirContextSetTritonMinor.
  let extraClassDeclaration = [{
    void addOwnInterfaces();
    ::std::atomic<int> tritonMinor{6};
    int getTritonMinor() const { return tritonMinor % 100; }
    void raiseTritonMinor(int minor) {
      for (int have = tritonMinor; have < minor && !tritonMinor.compare_exchange_weak(have, minor);)
        ;
    }
  }];
}

#endif
