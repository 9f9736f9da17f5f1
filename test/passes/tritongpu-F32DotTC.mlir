// RUN: nereid-opt %s --tritongpu-F32DotTC=emu-tf32=true | FileCheck %s
// RUN: nereid-opt %s --tritongpu-F32DotTC | FileCheck %s --check-prefix=OFF
// RUN: nereid-opt %s --tritongpu-F32DotTC=emu-tf32=true --remarks-filter-passed=tritongpu-F32DotTC \
// RUN:   --remarks-filter-missed=tritongpu-F32DotTC -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Parts are computed in the layout of the operands' sources.
// CHECK-LABEL: @tf32x3
// CHECK: arith.andi {{.*}} : tensor<32x16xi32, #blocked
// CHECK: %[[A:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x16xf32, #ttg.dot_op
// CHECK: arith.andi {{.*}} : tensor<32x16xi32, #blocked
// CHECK: %[[A1:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x16xf32, #ttg.dot_op
// CHECK: %[[B:.*]] = ttg.convert_layout %{{.*}} -> tensor<16x32xf32, #ttg.dot_op
// CHECK: %[[B1:.*]] = ttg.convert_layout %{{.*}} -> tensor<16x32xf32, #ttg.dot_op
// CHECK: %[[S:.*]] = tt.dot %[[A1]], %[[B]], %{{cst.*}}, inputPrecision = tf32
// CHECK: %[[T:.*]] = tt.dot %[[A]], %[[B1]], %[[S]], inputPrecision = tf32
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[T]], %[[T]]
// CHECK: %[[U:.*]] = arith.select %[[NAN]], %{{.*}}, %[[T]]
// CHECK: %[[V:.*]] = tt.dot %[[A]], %[[B]], %[[U]], inputPrecision = tf32
// CHECK: arith.addf %[[V]], %{{.*}}
// OFF-LABEL: @tf32x3
// OFF: tt.dot {{.*}} inputPrecision = tf32x3
// REMARK: 3 dots of tf32 parts
tt.func private @tf32x3(%x: tensor<32x16xf32, #row>, %y: tensor<16x32xf32, #row>, %c: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
  %xa = ttg.convert_layout %x : tensor<32x16xf32, #row> -> tensor<32x16xf32, #a>
  %yb = ttg.convert_layout %y : tensor<16x32xf32, #row> -> tensor<16x32xf32, #b>
  %d = tt.dot %xa, %yb, %c, inputPrecision = tf32x3 : tensor<32x16xf32, #a> * tensor<16x32xf32, #b> -> tensor<32x32xf32, #blocked>
  tt.return %d : tensor<32x32xf32, #blocked>
}
// Three parts of bf16, and no addition of a zero.
// CHECK-LABEL: @bf16x6
// CHECK-COUNT-6: tt.dot {{.*}} tensor<32x16xbf16
// CHECK-NOT: arith.addf
// OFF-LABEL: @bf16x6
// OFF-COUNT-6: tt.dot
// REMARK: 6 dots of bf16 parts
tt.func private @bf16x6(%x: tensor<32x16xf32, #a>, %y: tensor<16x32xf32, #b>) -> tensor<32x32xf32, #blocked> {
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #blocked>
  %d = tt.dot %x, %y, %c, inputPrecision = bf16x6 : tensor<32x16xf32, #a> * tensor<16x32xf32, #b> -> tensor<32x32xf32, #blocked>
  tt.return %d : tensor<32x32xf32, #blocked>
}
// An operand extended from a narrower type has no small part.
// CHECK-LABEL: @narrow
// CHECK-COUNT-2: tt.dot
// CHECK: arith.addf
// CHECK: tt.dot
// CHECK-NOT: tt.dot
// CHECK: tt.return
// REMARK: 2 dots of tf32 parts
// REMARK: 1 dots of tf32 parts
tt.func private @narrow(%x: tensor<32x16xf16, #a>, %y: tensor<16x32xf32, #b>, %z: tensor<16x32xbf16, #b>, %c: tensor<32x32xf32, #blocked>) -> (tensor<32x32xf32, #blocked>, tensor<32x32xf32, #blocked>) {
  %w = arith.extf %x : tensor<32x16xf16, #a> to tensor<32x16xf32, #a>
  %v = arith.extf %z : tensor<16x32xbf16, #b> to tensor<16x32xf32, #b>
  %d = tt.dot %w, %y, %c, inputPrecision = tf32x3 : tensor<32x16xf32, #a> * tensor<16x32xf32, #b> -> tensor<32x32xf32, #blocked>
  %e = tt.dot %w, %v, %c, inputPrecision = tf32x3 : tensor<32x16xf32, #a> * tensor<16x32xf32, #b> -> tensor<32x32xf32, #blocked>
  tt.return %d, %e : tensor<32x32xf32, #blocked>, tensor<32x32xf32, #blocked>
}
// A loop carries the small products, and adds them once. The large product comes before the second part of
// operand a is computed, and is added last.
// CHECK-LABEL: @loop
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[SMALL:.*]] = %{{.*}}) ->
// CHECK: %[[D:.*]] = tt.dot %[[A0:.*]], %[[B0:.*]], %{{cst.*}} :
// CHECK: arith.subf {{.*}} : tensor<32x16xf32
// CHECK: %[[S:.*]] = tt.dot %[[A1:.*]], %[[B0]], %[[SMALL]]
// CHECK: %[[T:.*]] = tt.dot %[[A0]], %[[B1:.*]], %[[S]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[D]], %[[C]]
// CHECK-NEXT: scf.yield %[[SUM]], %[[T]]
// CHECK: tt.loop_unroll_factor = 1
// CHECK: %[[U:.*]] = arith.select %{{.*}}, %{{.*}}, %[[R]]#1
// CHECK: arith.addf %[[R]]#0, %[[U]]
tt.func private @loop(%x: tensor<32x16xf32, #a>, %y: tensor<16x32xf32, #b>, %c: tensor<32x32xf32, #blocked>, %n: i32) -> tensor<32x32xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<32x32xf32, #blocked>) : i32 {
    %d = tt.dot %x, %y, %acc, inputPrecision = bf16x3 : tensor<32x16xf32, #a> * tensor<16x32xf32, #b> -> tensor<32x32xf32, #blocked>
    scf.yield %d : tensor<32x32xf32, #blocked>
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return %r : tensor<32x32xf32, #blocked>
}
// Also where the accumulator is converted for the dot.
// CHECK-LABEL: @converted
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %[[SMALL:.*]] = %{{.*}}) ->
// CHECK: %[[S:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[SMALL]]
// CHECK: scf.yield
// CHECK: %[[U:.*]] = arith.select %{{.*}}, %{{.*}}, %[[R]]#1
// CHECK: %[[V:.*]] = ttg.convert_layout %[[U]]
// CHECK: arith.addf %[[R]]#0, %[[V]]
tt.func private @converted(%x: tensor<32x16xf32, #a>, %y: tensor<16x32xf32, #b>, %c: tensor<32x32xf32, #row>, %n: i32) -> tensor<32x32xf32, #row> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<32x32xf32, #row>) : i32 {
    %e = ttg.convert_layout %acc : tensor<32x32xf32, #row> -> tensor<32x32xf32, #blocked>
    %d = tt.dot %x, %y, %e, inputPrecision = bf16x3 : tensor<32x16xf32, #a> * tensor<16x32xf32, #b> -> tensor<32x32xf32, #blocked>
    %f = ttg.convert_layout %d : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #row>
    scf.yield %f : tensor<32x32xf32, #row>
  }
  tt.return %r : tensor<32x32xf32, #row>
}
// A thread has no registers for three tensors of 128 registers each. Nothing more is carried.
// CHECK-LABEL: @wide
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) ->
// CHECK-COUNT-2: tt.dot
// CHECK: arith.select
// CHECK: %[[D:.*]] = tt.dot
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[D]], %[[C]]
// CHECK-NEXT: scf.yield %[[SUM]]
tt.func private @wide(%x: tensor<128x16xf32, #a>, %y: tensor<16x128xf32, #b>, %c: tensor<128x128xf32, #blocked>, %n: i32) -> tensor<128x128xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<128x128xf32, #blocked>) : i32 {
    %d = tt.dot %x, %y, %acc, inputPrecision = bf16x3 : tensor<128x16xf32, #a> * tensor<16x128xf32, #b> -> tensor<128x128xf32, #blocked>
    scf.yield %d : tensor<128x128xf32, #blocked>
  }
  tt.return %r : tensor<128x128xf32, #blocked>
}
// REMARK: multiply-adds: K is 8, and one instruction needs 16
// CHECK-LABEL: @small_k
// CHECK: tt.dot {{.*}} inputPrecision = bf16x3
tt.func private @small_k(%x: tensor<32x8xf32, #a>, %y: tensor<8x32xf32, #b>, %c: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked> {
  %d = tt.dot %x, %y, %c, inputPrecision = bf16x3 : tensor<32x8xf32, #a> * tensor<8x32xf32, #b> -> tensor<32x32xf32, #blocked>
  tt.return %d : tensor<32x32xf32, #blocked>
}
}
