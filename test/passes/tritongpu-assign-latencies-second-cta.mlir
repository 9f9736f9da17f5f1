// In a loop of few iterations, operands are computed in the iteration of their dot where their rings would leave a multiprocessor
// one CTA instead of two.
// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=2 --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK: operands are not computed ahead: their rings would leave a multiprocessor one CTA, and the loop has few iterations
// CHECK-NOT: operands are not computed ahead
// CHECK-LABEL: @few
// CHECK: tt.load {{.*}} {tt.latency = 1 : i32}
// CHECK: ttg.local_alloc %{{[a-z0-9]+}} : (tensor<
tt.func public @few(%p: tensor<128x128x!tt.ptr<bf16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: !ttg.memdesc<64x128xbf16, #shared, #smem>) -> tensor<64x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %x = tt.load %p : tensor<128x128x!tt.ptr<bf16>, #rows>
    %h = arith.mulf %x, %x : tensor<128x128xbf16, #rows>
    %b = ttg.local_alloc %h : (tensor<128x128xbf16, #rows>) -> !ttg.memdesc<128x128xbf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #shared, #smem> * !ttg.memdesc<128x128xbf16, #shared, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}

// CHECK-LABEL: @many
// CHECK: ttg.local_alloc %{{[a-z0-9]+}} {tt.latency = 1 : i32} : (tensor<
tt.func public @many(%p: tensor<128x128x!tt.ptr<bf16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %a: !ttg.memdesc<64x128xbf16, #shared, #smem>, %n: i32) -> tensor<64x128xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #mma>) : i32 {
    %x = tt.load %p : tensor<128x128x!tt.ptr<bf16>, #rows>
    %h = arith.mulf %x, %x : tensor<128x128xbf16, #rows>
    %b = ttg.local_alloc %h : (tensor<128x128xbf16, #rows>) -> !ttg.memdesc<128x128xbf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x128xbf16, #shared, #smem> * !ttg.memdesc<128x128xbf16, #shared, #smem> -> tensor<64x128xf32, #mma>
    scf.yield %d : tensor<64x128xf32, #mma>
  }
  tt.return %r : tensor<64x128xf32, #mma>
}
}
