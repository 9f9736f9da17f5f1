// Dots before copies: the first dot of a step comes before the copies. So do the wait for the tile that it reads, and the fence after it.
// RUN: nereid-opt %s --tritongpu-schedule-loops | FileCheck %s
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
#operand = #ttg.dot_op<{opIdx = 0, parent = #mma1, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @divided
// CHECK: ttng.wait_barrier {{.*}}loop.cluster = 0 : i32, loop.stage = 3 : i32
// CHECK: ttng.fence_async_shared {{.*}}loop.cluster = 0 : i32, loop.stage = 3 : i32
// CHECK: ttng.warp_group_dot {{.*}}loop.cluster = 0 : i32, loop.stage = 3 : i32
// CHECK: tt.descriptor_load {{.*}}loop.cluster = {{[1-9]}} : i32, loop.stage = 0 : i32
tt.func @divided(%tiles: !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>, %full: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, %v: !tt.tensordesc<tensor<128x64xf16, #shared>>, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #mma1> {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma1>
  %r = scf.for %i = %c0 to %n step %c128 iter_args(%acc = %none) -> (tensor<64x64xf32, #mma1>) : i32 {
    %xs = ttg.memdesc_index %tiles[%c0] : !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %f = ttg.memdesc_index %full[%c0] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
    ttng.wait_barrier %f, %c0 deps %xs : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    %xt = ttg.memdesc_trans %xs {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x128xf16, #shared1, #smem, mutable>
    %s = ttng.warp_group_dot %q, %xt, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared1, #smem, mutable> -> tensor<64x128xf32, #mma>
    %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x128xf32, #mma>) -> tensor<64xf32, #rows>
    %me = tt.expand_dims %m {axis = 1 : i32} : tensor<64xf32, #rows> -> tensor<64x1xf32, #mma>
    %mb = tt.broadcast %me : tensor<64x1xf32, #mma> -> tensor<64x128xf32, #mma>
    %d = arith.subf %s, %mb : tensor<64x128xf32, #mma>
    %e = math.exp2 %d : tensor<64x128xf32, #mma>
    %h = arith.truncf %e : tensor<64x128xf32, #mma> to tensor<64x128xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x128xf16, #mma> -> tensor<64x128xf16, #operand>
    %y = tt.descriptor_load %v[%i, %c0] {tt.latency = 3 : i32} : !tt.tensordesc<tensor<128x64xf16, #shared>> -> tensor<128x64xf16, #blocked>
    %ys = ttg.local_alloc %y : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    %o = ttng.warp_group_dot %p, %ys, %acc {inputPrecision = 0 : i32} : tensor<64x128xf16, #operand> * !ttg.memdesc<128x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma1>
    scf.yield %o : tensor<64x64xf32, #mma1>
  }
  tt.return %r : tensor<64x64xf32, #mma1>
}
}
