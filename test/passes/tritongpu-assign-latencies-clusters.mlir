// In a cluster, the buffer of a store in the loop takes the part of one CTA: 64 KiB of a tile of 128 KiB, which leaves
// room for three stages.
// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=3 --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s --implicit-check-not=remark:

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], CGALayout = [[1, 0]], instrShape = [16, 256, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#all = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#both = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
!c = tensor<256x256xf16, #mma>
!acc = tensor<256x256xf32, #mma>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK: tt.descriptor_load {{.*}}tt.latency = 2
// CHECK: tt.descriptor_load {{.*}}tt.latency = 2
tt.func public @persistent(%a: !tt.tensordesc<tensor<256x64xf16, #shared>>, %b: !tt.tensordesc<tensor<64x256xf16, #both>>, %c: !tt.tensordesc<tensor<256x256xf16, #shared>>, %k: i32, %n: i32) {
  %zero = arith.constant dense<0.0> : !acc
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %at = arith.muli %i, %c64 : i32
    %x = tt.descriptor_load %a[%c0, %at] : !tt.tensordesc<tensor<256x64xf16, #shared>> -> tensor<256x64xf16, #blocked>
    %y = tt.descriptor_load %b[%at, %c0] : !tt.tensordesc<tensor<64x256xf16, #both>> -> tensor<64x256xf16, #all>
    %l = ttg.local_alloc %x : (tensor<256x64xf16, #blocked>) -> !ttg.memdesc<256x64xf16, #shared, #smem>
    %r = ttg.local_alloc %y : (tensor<64x256xf16, #all>) -> !ttg.memdesc<64x256xf16, #both, #smem>
    %d = ttng.warp_group_dot %l, %r, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<256x64xf16, #shared, #smem> * !ttg.memdesc<64x256xf16, #both, #smem> -> !acc
    %is_last = arith.cmpi eq, %i, %k : i32
    scf.if %is_last {
      %out = arith.truncf %d : !acc to !c
      tt.descriptor_store %c[%i, %c0], %out : !tt.tensordesc<tensor<256x256xf16, #shared>>, !c
    }
    scf.yield %d : !acc
  } {tt.num_stages = 3 : i32}
  tt.return
}
}
