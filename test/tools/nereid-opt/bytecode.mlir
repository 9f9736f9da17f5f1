// Writes bytecode after, and reads it before, a pipeline with a C pass; the text keeps locations and argument names.

// RUN: nereid-opt %s --nereid-strip-hints=max-divisibility=8 --emit-bytecode -o %t.mlirbc
// RUN: nereid-opt %t.mlirbc --cse --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s

// CHECK: tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 8 : i32} loc("p"(
tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("p"("f.py":3:7))) {
  tt.return
}
