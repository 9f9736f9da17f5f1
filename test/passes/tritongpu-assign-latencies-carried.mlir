// A load whose value the program itself carries to the next iteration is not executed ahead: the loop would carry two values, and
// an iteration move one to the registers of the other.
// RUN: nereid-opt %s --tritongpu-assign-latencies | FileCheck %s
// RUN: nereid-opt %s --tritongpu-assign-latencies --remarks-filter-missed=tritongpu-assign-latencies 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: not pipelined: the program itself loads it for the next iteration
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @only_carried
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 2 : i32} : tensor<64x128x!tt.ptr<f16>
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<128x64x!tt.ptr<f16>
  tt.func public @only_carried(%p: tensor<128x64x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<64x128x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<128x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = tt.load %p : tensor<128x64x!tt.ptr<f16>, #row>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %x = %first) -> (tensor<128x128xf32, #mma>, tensor<128x64xf16, #row>) : i32 {
      %y = tt.load %q : tensor<64x128x!tt.ptr<f16>, #row>
      %a = ttg.local_alloc %x : (tensor<128x64xf16, #row>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<64x128xf16, #row>) -> !ttg.memdesc<64x128xf16, #shared, #smem>
      %next = tt.load %p : tensor<128x64x!tt.ptr<f16>, #row>
      %d = ttng.warp_group_dot %a, %b, %acc {isAsync = false} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d, %next : tensor<128x128xf32, #mma>, tensor<128x64xf16, #row>
    } {tt.num_stages = 3 : i32}
    tt.return %r#0 : tensor<128x128xf32, #mma>
  }
}
