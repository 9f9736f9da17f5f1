// The tt dialect itself. tt_types.td, tt_attrs.td and tt_traits.td build on it and may be included by other dialects;
// operations are in tt_ops_<family>.td, and tt.td is the whole.
#ifndef NEREID_TT_DIALECT
#define NEREID_TT_DIALECT

include "mlir/IR/OpBase.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::nereid::tt";
  let summary = "Tiled tensors: a kernel as one program works on whole tensors";
  let description = [{
    A function describes what one program instance of a launch grid does, in terms of tensors of a static shape and
    of pointers into global memory. There are no threads: how elements are spread over them is decided later, by
    giving tensor types an encoding (`ttg`). Elementwise arithmetic is `arith` and `math`, control flow `scf` and
    `cf`. The text and the generic form are those of Triton 3.6; what 3.7 to 3.9 spell otherwise is read too, and
    printed as it was read (docs/triton-versions.md).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  // The minor number of the Triton version in whose spelling the context prints: the newest that was read. From 100 on
  // it is fixed (109 is 3.9 whatever is read). See nereidMlirContextSetTritonMinor.
  let extraClassDeclaration = [{
    ::std::atomic<int> tritonMinor{6};
    int getTritonMinor() const { return tritonMinor % 100; }
    void raiseTritonMinor(int minor) {
      for (int have = tritonMinor; have < minor && !tritonMinor.compare_exchange_weak(have, minor);)
        ;
    }
  }];
}

#endif
