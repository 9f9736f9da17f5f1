// Loads that cp.async cannot copy are executed one iteration ahead, in registers, if these hold their values next to the results of
// dots: 64 + 64 of 255 with 8 warps, not 128 + 128 with 4.
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s

// CHECK: :[[# @LINE + 43]]:{{.*}}loads in registers are not executed ahead: their values take 128 registers of a thread, results of dots 128, and 255 are available
// CHECK: not pipelined: its value does not fit in registers until the next iteration

#row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @eight_warps
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<128x64x!tt.ptr<f16>
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<64x128x!tt.ptr<f16>
  // CHECK-COUNT-2: ttg.local_alloc %{{[a-z0-9]+}} {tt.latency = 1 : i32}
  tt.func public @eight_warps(%p: tensor<128x64x!tt.ptr<f16>, #row>, %q: tensor<64x128x!tt.ptr<f16>, #row>, %n: i32) -> tensor<128x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<128x64x!tt.ptr<f16>, #row>
      %y = tt.load %q : tensor<64x128x!tt.ptr<f16>, #row>
      %a = ttg.local_alloc %x : (tensor<128x64xf16, #row>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<64x128xf16, #row>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {isAsync = false} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }
}

// -----

#row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @four_warps
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<128x64x!tt.ptr<f16>
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<64x128x!tt.ptr<f16>
  // CHECK-COUNT-2: ttg.local_alloc %{{[a-z0-9]+}} : (
  tt.func public @four_warps(%p: tensor<128x64x!tt.ptr<f16>, #row>, %q: tensor<64x128x!tt.ptr<f16>, #row>, %n: i32) -> tensor<128x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<128x64x!tt.ptr<f16>, #row>
      %y = tt.load %q : tensor<64x128x!tt.ptr<f16>, #row>
      %a = ttg.local_alloc %x : (tensor<128x64xf16, #row>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<64x128xf16, #row>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {isAsync = false} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    }
    tt.return %r : tensor<128x128xf32, #mma>
  }
}
