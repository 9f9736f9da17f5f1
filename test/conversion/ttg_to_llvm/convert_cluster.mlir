// Conversions between the CTAs of a cluster.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#halves = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#whole = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Each CTA stores its 128 elements, all read both halves, and nobody stores again before all have read.
// CHECK-LABEL: llvm.func internal @gathered(
// CHECK: llvm.store
// CHECK-NOT: llvm.store
// CHECK: "llvm.nvvm.barrier.cluster.arrive.aligned"
// CHECK: "llvm.nvvm.barrier.cluster.wait.aligned"
// CHECK-COUNT-2: "mapa.shared::cluster.u32 $0, $1, $2;"
// CHECK: "llvm.nvvm.barrier.cluster.arrive.aligned"
// CHECK: "llvm.nvvm.barrier.cluster.wait.aligned"
tt.func private @gathered(%x: tensor<256xf32, #halves>) -> tensor<256xf32, #whole> {
  %y = ttg.convert_layout %x : tensor<256xf32, #halves> -> tensor<256xf32, #whole>
  tt.return %y : tensor<256xf32, #whole>
}

// Each CTA has all elements: it reads its own scratch.
// CHECK-LABEL: llvm.func internal @selected(
// CHECK-COUNT-2: llvm.store
// CHECK: "llvm.nvvm.barrier.cluster.wait.aligned"
// CHECK-COUNT-1: "mapa.shared::cluster.u32 $0, $1, $2;"
// CHECK: "ld.shared::cluster.b16 $0, [$1];"
// CHECK-NOT: "ld.shared::cluster
// CHECK: llvm.return
tt.func private @selected(%x: tensor<256xf16, #whole>) -> tensor<256xf16, #halves> {
  %y = ttg.convert_layout %x : tensor<256xf16, #whole> -> tensor<256xf16, #halves>
  tt.return %y : tensor<256xf16, #halves>
}
}
