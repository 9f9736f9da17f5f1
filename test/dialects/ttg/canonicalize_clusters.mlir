// Conversions that move elements between the CTAs of a cluster stay before ops that combine the elements of a CTA.
// RUN: nereid-opt %s --canonicalize | FileCheck %s

#interleaved = #ttg.linear<{register = [], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = [[1]]}>
#halves = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[64], [32]], block = [[128]]}>
#whole = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>
#half = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Each CTA has every second element: its part is not a block.
  // CHECK-LABEL: tt.func @interleaved
  // CHECK: ttg.convert_layout
  // CHECK-NEXT: tt.histogram
  tt.func @interleaved(%x: tensor<256xi32, #interleaved>) -> tensor<16xi32, #whole> {
    %0 = ttg.convert_layout %x : tensor<256xi32, #interleaved> -> tensor<256xi32, #whole>
    %1 = tt.histogram %0 : tensor<256xi32, #whole> -> tensor<16xi32, #whole>
    tt.return %1 : tensor<16xi32, #whole>
  }

  // Each CTA has the same half before and after the conversion.
  // CHECK-LABEL: tt.func @same_parts
  // CHECK-NEXT: tt.gather %arg0
  tt.func @same_parts(%x: tensor<256xi32, #halves>, %i: tensor<256xi32, #half>) -> tensor<256xi32, #half> {
    %0 = ttg.convert_layout %x : tensor<256xi32, #halves> -> tensor<256xi32, #half>
    %1 = tt.gather %0[%i] {axis = 0 : i32} : (tensor<256xi32, #half>, tensor<256xi32, #half>) -> tensor<256xi32, #half>
    tt.return %1 : tensor<256xi32, #half>
  }

  // CHECK-LABEL: tt.func @bins
  // CHECK-NEXT: tt.histogram
  // CHECK-NEXT: ttg.convert_layout
  tt.func @bins(%x: tensor<256xi32, #whole>) -> tensor<256xi32, #half> {
    %0 = tt.histogram %x : tensor<256xi32, #whole> -> tensor<256xi32, #whole>
    %1 = ttg.convert_layout %0 : tensor<256xi32, #whole> -> tensor<256xi32, #half>
    tt.return %1 : tensor<256xi32, #half>
  }
}
