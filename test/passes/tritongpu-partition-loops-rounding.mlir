// The rounding of a result of the divided loop moves into the default region, whose warps have more registers than those after it. A value with
// another use, which needs all bits, stays.
// RUN: nereid-opt %s --tritongpu-automatic-warp-specialization | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @rounded
// CHECK: %[[RESULTS:.*]]:2 = ttg.warp_specialize(
// CHECK: %[[SUMS:.*]]:{{[0-9]+}} = scf.for
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUMS]]#0 : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
// CHECK-NEXT: ttg.warp_yield %[[ROUNDED]], %[[SUMS]]#1 : tensor<128x64xf16, #mma>, tensor<128x64xf32, #mma>
// CHECK: tt.store %{{.*}}, %[[RESULTS]]#0
// CHECK-NEXT: %[[LAST:.*]] = arith.truncf %[[RESULTS]]#1
// CHECK-NEXT: tt.store %{{.*}}, %[[LAST]]
// CHECK-NEXT: tt.store %{{.*}}, %[[RESULTS]]#1
tt.func public @rounded(%k: !tt.tensordesc<tensor<64x64xf16, #shared>>, %n: i32, %out: tensor<128x64x!tt.ptr<f16>, #mma>, %wide: tensor<128x64x!tt.ptr<f32>, #mma>) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  %sum:2 = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero, %acc2 = %zero) -> (tensor<128x64xf32, #mma>, tensor<128x64xf32, #mma>) : i32 {
    %x = tt.descriptor_load %k[%i, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %xs = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %q, %xs, %acc : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %e = arith.addf %acc2, %d : tensor<128x64xf32, #mma>
    scf.yield %d, %e : tensor<128x64xf32, #mma>, tensor<128x64xf32, #mma>
  } {tt.warp_specialize}
  %half = arith.truncf %sum#0 : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
  tt.store %out, %half : tensor<128x64x!tt.ptr<f16>, #mma>
  %last = arith.truncf %sum#1 : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
  tt.store %out, %last : tensor<128x64x!tt.ptr<f16>, #mma>
  tt.store %wide, %sum#1 : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.return
}
}
