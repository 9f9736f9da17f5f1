// RUN: nereid-opt %s --nereid-name-inlined --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: nereid-opt %s --nereid-name-inlined --inline --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=INLINED

// Inlinable functions get locations with the function's name; kernels keep theirs.
// CHECK-LABEL: tt.func public @k
// CHECK: tt.call @lib.add{{.*}} loc("k.py":3:4)
// INLINED: arith.addi {{.*}} loc(callsite(fused<"lib.add">["r"("lib.py":7:3)] at "k.py":3:4))
tt.func public @k(%n: i32) -> i32 {
  %0 = tt.call @lib.add(%n) : (i32) -> i32 loc("k.py":3:4)
  tt.return %0 : i32 loc("k.py":4:4)
} loc("k.py":2:0)

// CHECK-LABEL: tt.func private @lib.add
// CHECK: arith.addi {{.*}} loc(fused<"lib.add">["r"("lib.py":7:3)])
// CHECK: } loc("lib.py":6:0)
tt.func private @lib.add(%n: i32) -> i32 {
  %0 = arith.addi %n, %n : i32 loc("r"("lib.py":7:3))
  tt.return %0 : i32 loc("lib.py":8:3)
} loc("lib.py":6:0)

// Type and constant suffixes of Triton's mangled names are removed.
// CHECK-LABEL: tt.func private @"__main__.sum__fp32S1024S__(1,)cconstexpr_0"
// CHECK: loc(fused<"__main__.sum">["lib.py":12:3])
tt.func private @"__main__.sum__fp32S1024S__(1,)cconstexpr_0"() {
  tt.return loc("lib.py":12:3)
} loc("lib.py":11:0)
// CHECK: loc(fused<"__main__._combine">["lib.py":13:3])
tt.func private @__main__._combine__fp32_fp32__() {
  tt.return loc("lib.py":13:3)
} loc("lib.py":12:0)
// CHECK: loc(fused<"my__own">["lib.py":14:3])
tt.func private @my__own() {
  tt.return loc("lib.py":14:3)
} loc("lib.py":14:0)
