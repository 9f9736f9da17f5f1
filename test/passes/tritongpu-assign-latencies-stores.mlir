// Stores of one type in a loop count once in the budget of its rings: they share a buffer where more do not fit.
// RUN: nereid-opt %s --tritongpu-assign-latencies | FileCheck %s
// RUN: nereid-opt %s --tritongpu-assign-latencies --remarks-filter-missed=tritongpu-assign-latencies 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
!acc = tensor<128x256xf32, #mma>
!half = tensor<128x128xf16, #row>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Two slots of 96 KiB, and 32 KiB for both stores, of 227 KiB.
  // REMARK-NOT: stages take
  // CHECK-LABEL: tt.func public @halves(
  // CHECK: tt.descriptor_load {{.*}}tt.latency = 1
  // CHECK: tt.descriptor_load {{.*}}tt.latency = 1
  tt.func public @halves(%a: !tt.tensordesc<tensor<128x128xf16, #shared>>, %b: !tt.tensordesc<tensor<128x256xf16, #shared>>, %c: !tt.tensordesc<tensor<128x128xf16, #shared>>, %left: !half, %right: !half, %n: i32, %c0: i32, %c1: i32) -> !acc {
    %zero = arith.constant dense<0.0> : !acc
    %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (!acc) : i32 {
      %x = tt.descriptor_load %a[%c0, %i] : !tt.tensordesc<tensor<128x128xf16, #shared>> -> tensor<128x128xf16, #row>
      %y = tt.descriptor_load %b[%i, %c0] : !tt.tensordesc<tensor<128x256xf16, #shared>> -> tensor<128x256xf16, #row>
      %xs = ttg.local_alloc %x : (tensor<128x128xf16, #row>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
      %ys = ttg.local_alloc %y : (tensor<128x256xf16, #row>) -> !ttg.memdesc<128x256xf16, #shared, #smem>
      %next = ttng.warp_group_dot %xs, %ys, %sum {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x256xf16, #shared, #smem> -> !acc
      %ends = arith.cmpi eq, %i, %c1 : i32
      scf.if %ends {
        tt.descriptor_store %c[%i, %c0], %left : !tt.tensordesc<tensor<128x128xf16, #shared>>, !half
        tt.descriptor_store %c[%i, %c1], %right : !tt.tensordesc<tensor<128x128xf16, #shared>>, !half
      }
      scf.yield %next : !acc
    } {tt.num_stages = 2 : i32}
    tt.return %total : !acc
  }

  // Stores of two types: 64 KiB more do not fit.
  // REMARK: stores.mlir:[[@LINE+5]]:{{.*}}not pipelined: two stages take 196608 bytes of shared memory, of which {{[0-9]+}} are available
  // CHECK-LABEL: tt.func public @two_types(
  // CHECK-NOT: tt.latency
  tt.func public @two_types(%a: !tt.tensordesc<tensor<128x128xf16, #shared>>, %b: !tt.tensordesc<tensor<128x256xf16, #shared>>, %c: !tt.tensordesc<tensor<128x128xf16, #shared>>, %d: !tt.tensordesc<tensor<128x128xf32, #words>>, %left: !half, %right: tensor<128x128xf32, #row>, %n: i32, %c0: i32, %c1: i32) -> !acc {
    %zero = arith.constant dense<0.0> : !acc
    %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (!acc) : i32 {
      %x = tt.descriptor_load %a[%c0, %i] : !tt.tensordesc<tensor<128x128xf16, #shared>> -> tensor<128x128xf16, #row>
      %y = tt.descriptor_load %b[%i, %c0] : !tt.tensordesc<tensor<128x256xf16, #shared>> -> tensor<128x256xf16, #row>
      %xs = ttg.local_alloc %x : (tensor<128x128xf16, #row>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
      %ys = ttg.local_alloc %y : (tensor<128x256xf16, #row>) -> !ttg.memdesc<128x256xf16, #shared, #smem>
      %next = ttng.warp_group_dot %xs, %ys, %sum {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x256xf16, #shared, #smem> -> !acc
      tt.descriptor_store %c[%i, %c0], %left : !tt.tensordesc<tensor<128x128xf16, #shared>>, !half
      tt.descriptor_store %d[%i, %c1], %right : !tt.tensordesc<tensor<128x128xf32, #words>>, tensor<128x128xf32, #row>
      scf.yield %next : !acc
    } {tt.num_stages = 2 : i32}
    tt.return %total : !acc
  }
}
