// Slots of the rings of dots in flight. The dot of the step before reads one slot, so a ring of n stages has n + 1, and a step
// copies before its dot; or n, and it copies after the dot.
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies --tritongpu-schedule-loops --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline 2>&1 >/dev/null | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Four slots of 64 KiB do not fit: three stages with copies after the dot, rather than two.
  // CHECK-DAG: slots.mlir:[[@LINE+4]]:{{.*}}3 stages; rings for 2 values, 2 of them filled by cp.async, with 3 slots: 196608 bytes
  tt.func public @copies_late(%p: tensor<128x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32, %c0: i32, %c1: i32) -> tensor<128x128xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    // The loads differ, or they would be one.
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<128x128x!tt.ptr<f16>, #rows>
      %y = tt.load %p evictionPolicy = evict_last : tensor<128x128x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %x : (tensor<128x128xf16, #rows>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<128x128xf16, #rows>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x128xf16, #shared, #smem> * !ttg.memdesc<128x128xf16, #shared, #smem> -> tensor<128x128xf32, #mma>
      scf.yield %d : tensor<128x128xf32, #mma>
    } {tt.num_stages = 3 : i32}
    tt.return %r : tensor<128x128xf32, #mma>
  }

  // The end of a tile converts 64 KiB, in parts of 16 KiB where the ring needs the rest. A multiprocessor executes one CTA of such
  // a kernel, so slots cost no second one.
  // CHECK-DAG: slots.mlir:[[@LINE+3]]:{{.*}}3 stages; rings for 2 values, 2 of them filled by cp.async, with 4 slots: 196608 bytes
  tt.func public @flattened(%p: tensor<128x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<64x256x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %out: tensor<128x256x!tt.ptr<f16>, #rows>, %n: i32, %c0: i32, %c1: i32) {
    %zero = arith.constant dense<0.0> : tensor<128x256xf32, #wide>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x256xf32, #wide>) : i32 {
      %x = tt.load %p : tensor<128x64x!tt.ptr<f16>, #rows>
      %y = tt.load %q : tensor<64x256x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %x : (tensor<128x64xf16, #rows>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<64x256xf16, #rows>) -> !ttg.memdesc<64x256xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x256xf16, #shared, #smem> -> tensor<128x256xf32, #wide>
      %ends = arith.cmpi eq, %i, %c1 : i32
      scf.if %ends {
        %h = arith.truncf %d : tensor<128x256xf32, #wide> to tensor<128x256xf16, #wide>
        %s = ttg.convert_layout %h : tensor<128x256xf16, #wide> -> tensor<128x256xf16, #rows>
        tt.store %out, %s : tensor<128x256x!tt.ptr<f16>, #rows>
      }
      scf.yield %d : tensor<128x256xf32, #wide>
    } {tt.num_stages = 3 : i32}
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Four slots of 12 KiB leave a multiprocessor four CTAs, a fifth would leave three: with a long dot it is not worth that.
  // CHECK-DAG: slots.mlir:[[@LINE+3]]:{{.*}}4 stages; rings for 2 values, 2 of them filled by cp.async, with 4 slots: 49152 bytes
  tt.func public @fourth_cta(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<32x128x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32, %c0: i32, %c1: i32) -> tensor<64x128xf32, #wide> {
    %zero = arith.constant dense<0.0> : tensor<64x128xf32, #wide>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32, #wide>) : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #rows>
      %y = tt.load %q : tensor<32x128x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #narrow, #smem>
      %b = ttg.local_alloc %y : (tensor<32x128xf16, #rows>) -> !ttg.memdesc<32x128xf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf16, #narrow, #smem> * !ttg.memdesc<32x128xf16, #shared, #smem> -> tensor<64x128xf32, #wide>
      scf.yield %d : tensor<64x128xf32, #wide>
    } {tt.num_stages = 4 : i32}
    tt.return %r : tensor<64x128xf32, #wide>
  }

  // A short dot, of 32 columns: the barrier that a fifth slot saves counts for more than a fourth CTA.
  // CHECK-DAG: slots.mlir:[[@LINE+3]]:{{.*}}4 stages; rings for 2 values, 2 of them filled by cp.async, with 5 slots
  tt.func public @short_dot(%p: tensor<64x64x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32, %c0: i32, %c1: i32) -> tensor<64x32xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #rows>
      %y = tt.load %q : tensor<64x32x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %b = ttg.local_alloc %y : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #narrow, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x32xf16, #narrow, #smem> -> tensor<64x32xf32, #mma>
      scf.yield %d : tensor<64x32xf32, #mma>
    } {tt.num_stages = 4 : i32}
    tt.return %r : tensor<64x32xf32, #mma>
  }

  // A multiprocessor executes seven such CTAs or more, which need no spare slot.
  // CHECK-DAG: slots.mlir:[[@LINE+3]]:{{.*}}4 stages; rings for 2 values, 2 of them filled by cp.async, with 4 slots
  tt.func public @many_ctas(%p: tensor<64x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<32x32x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32, %c0: i32, %c1: i32) -> tensor<64x32xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #rows>
      %y = tt.load %q : tensor<32x32x!tt.ptr<f16>, #rows>
      %a = ttg.local_alloc %x : (tensor<64x32xf16, #rows>) -> !ttg.memdesc<64x32xf16, #narrow, #smem>
      %b = ttg.local_alloc %y : (tensor<32x32xf16, #rows>) -> !ttg.memdesc<32x32xf16, #narrow, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf16, #narrow, #smem> * !ttg.memdesc<32x32xf16, #narrow, #smem> -> tensor<64x32xf32, #mma>
      scf.yield %d : tensor<64x32xf32, #mma>
    } {tt.num_stages = 4 : i32}
    tt.return %r : tensor<64x32xf32, #mma>
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The two rings are one commit group and have as many slots as each other: a spare slot of b, which a dot in flight reads, would be
  // one of a, too, of 48 KiB together, and does not fit.
  // CHECK-DAG: slots.mlir:[[@LINE+3]]:{{.*}}4 stages; rings for 2 values, 2 of them filled by cp.async, with 4 slots: 196608 bytes
  tt.func public @group(%p: tensor<64x256x!tt.ptr<f8E5M2>, #bytes> {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<64x256x!tt.ptr<f16>, #rows> {tt.contiguity = dense<[1, 256]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32, %c0: i32, %c1: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<64x256x!tt.ptr<f8E5M2>, #bytes>
      %y = tt.load %q : tensor<64x256x!tt.ptr<f16>, #rows>
      %o = ttg.convert_layout %x : tensor<64x256xf8E5M2, #bytes> -> tensor<64x256xf8E5M2, #a>
      %a = tt.fp_to_fp %o : tensor<64x256xf8E5M2, #a> -> tensor<64x256xf16, #a>
      %s = ttg.local_alloc %y : (tensor<64x256xf16, #rows>) -> !ttg.memdesc<64x256xf16, #shared, #smem>
      %b = ttg.memdesc_trans %s {order = array<i32: 1, 0>} : !ttg.memdesc<64x256xf16, #shared, #smem> -> !ttg.memdesc<256x64xf16, #shared1, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : tensor<64x256xf16, #a> * !ttg.memdesc<256x64xf16, #shared1, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    } {tt.num_stages = 5 : i32}
    tt.return %r : tensor<64x64xf32, #mma>
  }
}
