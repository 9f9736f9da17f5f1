// Computed operands that go through shared memory in any case are read from there, not from registers.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Outside of a loop, loads are coalesced and the operand is stored for the exchange between threads.
// CHECK-LABEL: @once
// CHECK: ttng.warp_group_dot %{{.*}} : !ttg.memdesc<64x64xbf16, {{.*}}> * !ttg.memdesc<64x64xbf16,
tt.func public @once(%p: tensor<64x64x!tt.ptr<bf16>, #row>, %y: tensor<64x64xbf16, #row>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #row>
  %h = arith.mulf %x, %x : tensor<64x64xbf16, #row>
  %xa = ttg.convert_layout %h : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
// In a loop, threads read the ring of the load in the layout of the operand.
// CHECK-LABEL: @loop
// CHECK: ttng.warp_group_dot %{{.*}} : tensor<64x64xbf16, #ttg.dot_op<{{.*}}>> * !ttg.memdesc<64x64xbf16,
tt.func public @loop(%p: tensor<64x64x!tt.ptr<bf16>, #row>, %y: tensor<64x64xbf16, #row>, %c: tensor<64x64xf32, #blocked>, %n: i32) -> tensor<64x64xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #blocked>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #row>
    %h = arith.mulf %x, %x : tensor<64x64xbf16, #row>
    %xa = ttg.convert_layout %h : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #a>
    %yb = ttg.convert_layout %y : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #b>
    %d = tt.dot %xa, %yb, %acc : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %d : tensor<64x64xf32, #blocked>
  }
  tt.return %r : tensor<64x64xf32, #blocked>
}
// Another dot reads the operand from a buffer, as its operand b.
// CHECK-LABEL: @shared
// CHECK-COUNT-2: ttng.warp_group_dot %{{.*}} : !ttg.memdesc<64x64xbf16, {{.*}}> * !ttg.memdesc<64x64xbf16,
tt.func public @shared(%p: tensor<64x64x!tt.ptr<bf16>, #row>, %y: tensor<64x64xbf16, #row>, %c: tensor<64x64xf32, #blocked>, %n: i32) -> (tensor<64x64xf32, #blocked>, tensor<64x64xf32, #blocked>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %acc2 = %c) -> (tensor<64x64xf32, #blocked>, tensor<64x64xf32, #blocked>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #row>
    %h = arith.mulf %x, %x : tensor<64x64xbf16, #row>
    %xa = ttg.convert_layout %h : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #a>
    %xb = ttg.convert_layout %h : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #b>
    %ya = ttg.convert_layout %y : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #a>
    %yb = ttg.convert_layout %y : tensor<64x64xbf16, #row> -> tensor<64x64xbf16, #b>
    %d = tt.dot %xa, %yb, %acc : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xf32, #blocked>
    %e = tt.dot %ya, %xb, %acc2 : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xf32, #blocked>
    scf.yield %d, %e : tensor<64x64xf32, #blocked>, tensor<64x64xf32, #blocked>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #blocked>, tensor<64x64xf32, #blocked>
}
}
