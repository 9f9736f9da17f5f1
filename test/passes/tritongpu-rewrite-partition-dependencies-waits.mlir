// RUN: nereid-opt %s --tritongpu-rewrite-partition-dependencies | FileCheck %s

// Where the wait for a full slot may be placed: ptxas serializes dots with operands in registers if a wait is between them.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #shared>>
!buffer = !ttg.memdesc<64x64xf16, #shared, #smem>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// The tile %y is used after the first dot; the wait for it precedes that dot, the load from the slot does not.
// CHECK-LABEL: @two_dots
// CHECK: ttng.wait_barrier {{.*}} deps
// CHECK: ttng.wait_barrier {{.*}} deps
// CHECK-NEXT: ttng.warp_group_dot
// CHECK: ttg.local_load
// CHECK: arith.addf
// CHECK-NOT: ttng.wait_barrier {{.*}} deps
// CHECK: ttng.warp_group_dot
tt.func public @two_dots(%a: !desc, %b: !desc, %x: tensor<64x64xf16, #dot>, %n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %t = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %v = tt.descriptor_load %a[%i, %c0] {ttg.partition = array<i32: 1>} : !desc -> tensor<64x64xf16, #blocked>
    %w = ttg.local_alloc %v {ttg.partition = array<i32: 0>} : (tensor<64x64xf16, #blocked>) -> !buffer
    %d = ttng.warp_group_dot %x, %w, %s {ttg.partition = array<i32: 0>} : tensor<64x64xf16, #dot> * !buffer -> tensor<64x64xf32, #mma>
    %y = tt.descriptor_load %b[%i, %c0] {ttg.partition = array<i32: 1>} : !desc -> tensor<64x64xf16, #blocked>
    %m = ttg.convert_layout %y {ttg.partition = array<i32: 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #dot>
    %p = arith.addf %m, %x {ttg.partition = array<i32: 0>} : tensor<64x64xf16, #dot>
    %e = ttng.warp_group_dot %p, %w, %t {ttg.partition = array<i32: 0>} : tensor<64x64xf16, #dot> * !buffer -> tensor<64x64xf32, #mma>
    scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  } {ttg.warp_specialize.tag = 0 : i32}
  %sum = arith.addf %r#0, %r#1 : tensor<64x64xf32, #mma>
  tt.store %out, %sum : tensor<64x64x!tt.ptr<f32>, #mma>
  tt.return
}

// Partition 1 also reads what partition 0 computes: a wait that moves ahead of it could wait for itself.
// CHECK-LABEL: @both_ways
// CHECK: ttng.warp_group_dot
// CHECK: ttng.wait_barrier {{.*}} deps {{.*}} {ttg.partition = array<i32: 0>}
// CHECK: ttng.warp_group_dot
tt.func public @both_ways(%a: !desc, %b: !desc, %x: tensor<64x64xf16, #dot>, %n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %v = tt.descriptor_load %a[%i, %c0] {ttg.partition = array<i32: 1>} : !desc -> tensor<64x64xf16, #blocked>
    %w = ttg.local_alloc %v {ttg.partition = array<i32: 0>} : (tensor<64x64xf16, #blocked>) -> !buffer
    %d = ttng.warp_group_dot %x, %w, %zero {ttg.partition = array<i32: 0>} : tensor<64x64xf16, #dot> * !buffer -> tensor<64x64xf32, #mma>
    tt.store %out, %d {ttg.partition = array<i32: 1>} : tensor<64x64x!tt.ptr<f32>, #mma>
    %y = tt.descriptor_load %b[%i, %c0] {ttg.partition = array<i32: 1>} : !desc -> tensor<64x64xf16, #blocked>
    %m = ttg.convert_layout %y {ttg.partition = array<i32: 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #dot>
    %e = ttng.warp_group_dot %m, %w, %d {ttg.partition = array<i32: 0>} : tensor<64x64xf16, #dot> * !buffer -> tensor<64x64xf32, #mma>
    tt.store %out, %e {ttg.partition = array<i32: 0>} : tensor<64x64x!tt.ptr<f32>, #mma>
  } {ttg.warp_specialize.tag = 0 : i32}
  tt.return
}
}
