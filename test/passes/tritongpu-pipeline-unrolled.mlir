// A loop that has fewer iterations than stages is unrolled: a slot for each iteration, no copy past the end, no predicate.
// RUN: nereid-opt %s --tritongpu-assign-latencies --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize --cse | FileCheck %s
// RUN: nereid-opt %s --tritongpu-assign-latencies --tritongpu-schedule-loops --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#large = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Two iterations of three stages: all copies precede the first dot, into slots 0 and 1 of each ring.
  // REMARK: :[[@LINE+20]]:{{.*}}3 stages; rings for 2 values, 2 of them filled by cp.async, with 2 slots: 32768 bytes of shared memory; unrolled: 2 iterations
  // CHECK-LABEL: @two
  // CHECK: local_alloc : () -> !ttg.memdesc<2x64x64xf16
  // CHECK: local_alloc : () -> !ttg.memdesc<2x64x64xf16
  // CHECK-COUNT-4: async_copy_global_to_local
  // CHECK-NOT: async_copy_global_to_local
  // CHECK: async_wait {num = 1 : i32}
  // CHECK: warp_group_dot
  // CHECK: async_wait {num = 1 : i32}
  // CHECK: warp_group_dot
  // CHECK-NOT: async_copy_global_to_local
  // CHECK-NOT: scf.for
  // CHECK-NOT: arith.select
  // CHECK: tt.return
  tt.func public @two(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %step = arith.constant dense<64> : tensor<64x64xi32, #rows>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero, %q = %p) -> (tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #rows>) : i32 {
      %x = tt.load %q : tensor<64x64x!tt.ptr<f16>, #rows>
      %y = tt.load %q evictionPolicy = evict_last : tensor<64x64x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %n = tt.addptr %q, %step : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      scf.yield %d, %n : tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #rows>
    } {tt.num_stages = 3 : i32}
    tt.return %r#0 : tensor<64x64xf32, #mma>
  }

  // With as many iterations as stages there is a loop.
  // CHECK-LABEL: @three
  // CHECK: scf.for
  tt.func public @three(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %a, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {tt.num_stages = 3 : i32}
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // A value that is only needed after a dot is loaded from its slot after it, so that it occupies no registers meanwhile.
  // CHECK-LABEL: @after_dot
  // CHECK: scf.for
  // CHECK: async_wait
  // CHECK-NOT: -> tensor<64x64xf16, #mma
  // CHECK: tt.dot
  // CHECK-NOT: tt.dot
  // CHECK: ttg.local_load {{.*}} -> tensor<64x64xf16, #mma
  // CHECK-NEXT: arith.extf
  tt.func public @after_dot(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<64x64xf32, #mma2> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma2>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma2>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
      %y = tt.load %p evictionPolicy = evict_last : tensor<64x64x!tt.ptr<f16>, #rows>
      %v = tt.load %p evictionPolicy = evict_first : tensor<64x64x!tt.ptr<f16>, #rows>
      %a = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #a>
      %b = ttg.convert_layout %y : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #b>
      %d = tt.dot %a, %b, %acc : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma2>
      %w = ttg.convert_layout %v : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #mma2>
      %e = arith.extf %w : tensor<64x64xf16, #mma2> to tensor<64x64xf32, #mma2>
      %s = arith.subf %d, %e : tensor<64x64xf32, #mma2>
      scf.yield %s : tensor<64x64xf32, #mma2>
    } {tt.num_stages = 3 : i32}
    tt.return %r : tensor<64x64xf32, #mma2>
  }

  // The carried accumulators and the tile take 256 registers of 255: without the loop ptxas would spill more of them. Iterations
  // that carry nothing are unrolled.
  // CHECK-LABEL: @spills
  // CHECK: scf.for
  // CHECK-LABEL: @independent
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @spills(%p: tensor<128x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %b: !ttg.memdesc<64x128xf16, #shared, #smem>) -> (tensor<128x128xf32, #large>, tensor<128x128xf32, #large>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #large>
    %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %zero, %y = %zero) -> (tensor<128x128xf32, #large>, tensor<128x128xf32, #large>) : i32 {
      %l = tt.load %p : tensor<128x64x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %l : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %x {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #large>
      %e = ttng.warp_group_dot %a, %b, %y {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #large>
      scf.yield %d, %e : tensor<128x128xf32, #large>, tensor<128x128xf32, #large>
    } {tt.num_stages = 3 : i32}
    tt.return %r#0, %r#1 : tensor<128x128xf32, #large>, tensor<128x128xf32, #large>
  }

  tt.func public @independent(%p: tensor<128x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %b: !ttg.memdesc<64x128xf16, #shared, #smem>, %o: tensor<128x128x!tt.ptr<f32>, #large>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #large>
    scf.for %i = %c0 to %c2 step %c1 : i32 {
      %l = tt.load %p : tensor<128x64x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %l : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #large>
      %e = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<128x128xf32, #large>
      %s = arith.mulf %d, %e : tensor<128x128xf32, #large>
      tt.store %o, %s : tensor<128x128x!tt.ptr<f32>, #large>
    } {tt.num_stages = 3 : i32}
    tt.return
  }
}
