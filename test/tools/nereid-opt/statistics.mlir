// RUN: nereid-opt %s --triton-licm --triton-loop-unroll --triton-licm --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: nereid-opt %s --triton-licm -o /dev/null 2>&1 | count 0

// Statistics are summed over the runs of a pass and over functions.
// CHECK: ... Pass statistics report ...
// CHECK: {{^}}triton-licm
// CHECK-NEXT: (S) 3 hoisted
// CHECK-NEXT: {{^}}triton-loop-unroll
// CHECK-NEXT: (S) 0 loops

tt.func @first(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    %y = arith.addf %x, %x : f32
    scf.yield
  }
  tt.return
}

tt.func @second(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    scf.yield
  }
  tt.return
}
