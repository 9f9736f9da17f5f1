// Dots of two warps: rings of three slots leave a multiprocessor two CTAs, those of two slots three, which hide the latency of
// copies. So copies follow the dot.
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline -o %t 2>&1 | FileCheck %s --check-prefix=RING
// RUN: FileCheck %s --input-file=%t

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // RING-DAG: few-warps.mlir:[[@LINE+11]]:{{.*}}ring of 2 slots of 32768 bytes
  // CHECK-LABEL: @wide
  // CHECK: scf.for
  // CHECK: tt.dot
  // CHECK: async_copy_global_to_local
  // CHECK: scf.yield
  tt.func public @wide(%x: tensor<16x128xf16, #a>, %p: tensor<128x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<16x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
      %y = tt.load %p : tensor<128x128x!tt.ptr<f16>, #rows>
      %b = ttg.convert_layout %y : tensor<128x128xf16, #rows> -> tensor<128x128xf16, #b>
      %d = tt.dot %x, %b, %acc : tensor<16x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<16x128xf32, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    tt.return %r : tensor<16x128xf32, #mma>
  }
}

// -----

// Of four warps, two CTAs are as few: eight warps, two per scheduler. Of tiles half as wide four CTAs run with three slots, and
// copies come first.
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // RING-DAG: few-warps.mlir:[[@LINE+11]]:{{.*}}ring of 2 slots of 32768 bytes
  // CHECK-LABEL: @four
  // CHECK: scf.for
  // CHECK: tt.dot
  // CHECK: async_copy_global_to_local
  // CHECK: scf.yield
  tt.func public @four(%x: tensor<16x128xf16, #a>, %p: tensor<128x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<16x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
      %y = tt.load %p : tensor<128x128x!tt.ptr<f16>, #rows>
      %b = ttg.convert_layout %y : tensor<128x128xf16, #rows> -> tensor<128x128xf16, #b>
      %d = tt.dot %x, %b, %acc : tensor<16x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<16x128xf32, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    tt.return %r : tensor<16x128xf32, #mma>
  }

  // RING-DAG: few-warps.mlir:[[@LINE+11]]:{{.*}}ring of 3 slots of 16384 bytes
  // CHECK-LABEL: @small
  // CHECK: scf.for
  // CHECK: async_copy_global_to_local
  // CHECK: tt.dot
  // CHECK: scf.yield
  tt.func public @small(%x: tensor<16x128xf16, #a>, %p: tensor<128x64x!tt.ptr<f16>, #narrow> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<16x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma>) : i32 {
      %y = tt.load %p : tensor<128x64x!tt.ptr<f16>, #narrow>
      %b = ttg.convert_layout %y : tensor<128x64xf16, #narrow> -> tensor<128x64xf16, #b>
      %d = tt.dot %x, %b, %acc : tensor<16x128xf16, #a> * tensor<128x64xf16, #b> -> tensor<16x64xf32, #mma>
      scf.yield %d : tensor<16x64xf32, #mma>
    }
    tt.return %r : tensor<16x64xf32, #mma>
  }
}

// -----

// One warp copies what it reads itself: without a barrier, but the order is the same.
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // RING-DAG: few-warps.mlir:[[@LINE+11]]:{{.*}}ring of 2 slots of 32768 bytes
  // CHECK-LABEL: @one
  // CHECK: scf.for
  // CHECK: tt.dot
  // CHECK: async_copy_global_to_local
  // CHECK: scf.yield
  tt.func public @one(%x: tensor<16x128xf16, #a>, %p: tensor<128x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<16x128xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma>) : i32 {
      %y = tt.load %p : tensor<128x128x!tt.ptr<f16>, #rows>
      %b = ttg.convert_layout %y : tensor<128x128xf16, #rows> -> tensor<128x128xf16, #b>
      %d = tt.dot %x, %b, %acc : tensor<16x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<16x128xf32, #mma>
      scf.yield %d : tensor<16x128xf32, #mma>
    }
    tt.return %r : tensor<16x128xf32, #mma>
  }
}
