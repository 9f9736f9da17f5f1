// Exchanged operands: the transposed dot has rows for wgmma. An operand that is a transposition is used as it was loaded, so that
// TMA can copy it to the buffer of the dot.
// RUN: nereid-opt %s --tritongpu-accelerate-matmul --tritongpu-optimize-dot-operands --cse | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #row}>
#b = #ttg.dot_op<{opIdx = 1, parent = #row}>
#groups = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 2, 16], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#flat = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 128], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @transposed
// CHECK: %[[X:.*]] = tt.descriptor_load %arg0
// CHECK: %[[Y:.*]] = tt.descriptor_load %arg1
// CHECK-NOT: tt.trans %{{[0-9]}}
// CHECK-DAG: %[[YS:.*]] = ttg.local_alloc %[[Y]] :
// CHECK-DAG: %[[XS:.*]] = ttg.local_alloc %[[X]] :
// CHECK-DAG: %[[XT:.*]] = ttg.memdesc_trans %[[XS]]
// CHECK: ttng.warp_group_dot %[[YS]], %[[XT]], {{.*}} -> tensor<64x16xf32
tt.func public @transposed(%d: !tt.tensordesc<tensor<16x128xf16>>, %e: !tt.tensordesc<tensor<64x128xf16>>, %i: i32, %c: tensor<16x64xf32, #row>) -> tensor<16x64xf32, #row> {
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<16x128xf16>> -> tensor<16x128xf16, #row>
  %y = tt.descriptor_load %e[%i, %i] : !tt.tensordesc<tensor<64x128xf16>> -> tensor<64x128xf16, #row>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x128xf16, #row> -> tensor<128x64xf16, #column>
  %xa = ttg.convert_layout %x : tensor<16x128xf16, #row> -> tensor<16x128xf16, #a>
  %yb = ttg.convert_layout %t : tensor<128x64xf16, #column> -> tensor<128x64xf16, #b>
  %r = tt.dot %xa, %yb, %c : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #row>
  tt.return %r : tensor<16x64xf32, #row>
}

// A weight that threads scale would be stored for wgmma: mma.sync multiplies it from registers. Scales reach it through a
// reshape, which is not elementwise.
// CHECK-LABEL: @scaled
// CHECK-NOT: ttng.warp_group_dot
// CHECK: tt.dot {{.*}} -> tensor<16x256xf32, #mma{{[0-9]*}}>
// CHECK-NOT: ttng.warp_group_dot
// CHECK: tt.return
tt.func public @scaled(%d: !tt.tensordesc<tensor<16x128xbf16>>, %e: !tt.tensordesc<tensor<128x256xbf16>>, %i: i32, %s: tensor<4x32x256xbf16, #groups>, %c: tensor<16x256xf32, #row>) -> tensor<16x256xf32, #row> {
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<16x128xbf16>> -> tensor<16x128xbf16, #row>
  %y = tt.descriptor_load %e[%i, %i] : !tt.tensordesc<tensor<128x256xbf16>> -> tensor<128x256xbf16, #row>
  %f = tt.reshape %s : tensor<4x32x256xbf16, #groups> -> tensor<128x256xbf16, #flat>
  %g = ttg.convert_layout %f : tensor<128x256xbf16, #flat> -> tensor<128x256xbf16, #row>
  %w = arith.mulf %y, %g : tensor<128x256xbf16, #row>
  %xa = ttg.convert_layout %x : tensor<16x128xbf16, #row> -> tensor<16x128xbf16, #a>
  %wb = ttg.convert_layout %w : tensor<128x256xbf16, #row> -> tensor<128x256xbf16, #b>
  %r = tt.dot %xa, %wb, %c : tensor<16x128xbf16, #a> * tensor<128x256xbf16, #b> -> tensor<16x256xf32, #row>
  tt.return %r : tensor<16x256xf32, #row>
}

// The transposed operand is stored where the value is defined: once before the loop, not in every iteration.
// CHECK-LABEL: @invariant
// CHECK: %[[X:.*]] = tt.load %arg0
// CHECK-NEXT: %[[XS:.*]] = ttg.local_alloc %[[X]] :
// CHECK-NEXT: %[[XT:.*]] = ttg.memdesc_trans %[[XS]]
// CHECK: scf.for
// CHECK: %[[YS:.*]] = ttg.local_alloc
// CHECK-NOT: ttg.local_alloc
// CHECK: ttng.warp_group_dot %{{.*}}, %[[XT]], {{.*}} -> tensor<64x16xf32
tt.func public @invariant(%p: tensor<16x128x!tt.ptr<f16>, #row>, %e: !tt.tensordesc<tensor<64x128xf16>>, %n: i32, %out: tensor<16x64x!tt.ptr<f32>, #row>) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #row>
  %x = tt.load %p : tensor<16x128x!tt.ptr<f16>, #row>
  scf.for %i = %c0 to %n step %c64 : i32 {
    %y = tt.descriptor_load %e[%i, %c0] : !tt.tensordesc<tensor<64x128xf16>> -> tensor<64x128xf16, #row>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x128xf16, #row> -> tensor<128x64xf16, #column>
    %xa = ttg.convert_layout %x : tensor<16x128xf16, #row> -> tensor<16x128xf16, #a>
    %yb = ttg.convert_layout %t : tensor<128x64xf16, #column> -> tensor<128x64xf16, #b>
    %r = tt.dot %xa, %yb, %zero : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #row>
    tt.store %out, %r : tensor<16x64x!tt.ptr<f32>, #row>
  }
  tt.return
}
}
