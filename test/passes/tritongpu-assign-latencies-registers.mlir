// Loads that cp.async cannot copy are executed one iteration ahead, in registers, if these hold their values and addresses next to
// the results of dots, 64 + 48 + 64 of 255 with 8 warps, not 128 + 96 + 128 with 4; and if the dots of an iteration are long enough
// to hide the latency.
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s
// RUN: nereid-opt %s --split-input-file --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline | FileCheck %s --check-prefix=ORDER

// CHECK: :[[# @LINE + 45]]:{{.*}}loads in registers are not executed ahead: their values take 128 registers of a thread, addresses 96, results of dots 128, and 255 are available
// CHECK: not pipelined: its value does not fit in registers until the next iteration
// CHECK: loads in registers are not executed ahead: dots of 131072 multiply-adds do not hide their latency, other CTAs do
// CHECK: not pipelined: the dots of an iteration are too short to hide its latency

#row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @eight_warps
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<128x64x!tt.ptr<f16>
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<64x128x!tt.ptr<f16>
  // CHECK-COUNT-2: ttg.local_alloc %{{[a-z0-9]+}} {tt.latency = 1 : i32}
  tt.func public @eight_warps(%p: tensor<128x64x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %q: tensor<64x128x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>}, %n: i32) -> tensor<128x128xf32, #mma> {
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
  tt.func public @four_warps(%p: tensor<128x64x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %q: tensor<64x128x!tt.ptr<f16>, #row> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>}, %n: i32) -> tensor<128x128xf32, #mma> {
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

// 64 * 64 * 32 multiply-adds: other CTAs hide the latency of %x and %xs, and of the scalar that the address of %x depends on. A copy
// by cp.async needs no registers.
#each = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma4 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
#a4 = #ttg.dot_op<{opIdx = 0, parent = #mma4, kWidth = 2}>
#b4 = #ttg.dot_op<{opIdx = 1, parent = #mma4, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @short
  // CHECK: tt.load %{{[a-z0-9]+}} : !tt.ptr<i32>
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<64x32x!tt.ptr<f16>
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<32x64x!tt.ptr<f16>
  tt.func public @short(%i: !tt.ptr<i32>, %p: tensor<64x32x!tt.ptr<f16>, #row>, %q: tensor<32x64x!tt.ptr<f16>, #row>, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %at = tt.addptr %i, %k : !tt.ptr<i32>, i32
      %page = tt.load %at : !tt.ptr<i32>
      %pages = tt.splat %page : i32 -> tensor<64x32xi32, #row>
      %pp = tt.addptr %p, %pages : tensor<64x32x!tt.ptr<f16>, #row>, tensor<64x32xi32, #row>
      %x = tt.load %pp : tensor<64x32x!tt.ptr<f16>, #row>
      %y = tt.load %q : tensor<32x64x!tt.ptr<f16>, #row>
      %xa = ttg.convert_layout %x : tensor<64x32xf16, #row> -> tensor<64x32xf16, #a>
      %yb = ttg.convert_layout %y : tensor<32x64xf16, #row> -> tensor<32x64xf16, #b>
      %d = tt.dot %xa, %yb, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // CHECK-LABEL: @short_beside_copies
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 1 : i32} : !tt.ptr<i32>
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<64x32x!tt.ptr<f16>
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 1 : i32} : tensor<32x64x!tt.ptr<f16>
  tt.func public @short_beside_copies(%i: !tt.ptr<i32>, %p: tensor<64x32x!tt.ptr<f16>, #row>, %q: tensor<32x64x!tt.ptr<f16>, #wide> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %at = tt.addptr %i, %k : !tt.ptr<i32>, i32
      %page = tt.load %at : !tt.ptr<i32>
      %c64 = arith.constant 64 : i32
      %row = arith.muli %page, %c64 : i32
      %pages = tt.splat %row : i32 -> tensor<32x64xi32, #wide>
      %qq = tt.addptr %q, %pages : tensor<32x64x!tt.ptr<f16>, #wide>, tensor<32x64xi32, #wide>
      %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #row>
      %y = tt.load %qq : tensor<32x64x!tt.ptr<f16>, #wide>
      %xa = ttg.convert_layout %x : tensor<64x32xf16, #row> -> tensor<64x32xf16, #a>
      %yb = ttg.convert_layout %y : tensor<32x64xf16, #wide> -> tensor<32x64xf16, #b>
      %d = tt.dot %xa, %yb, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // The gate of a chunk, a scalar, takes one register: it is loaded ahead, at the beginning of a step, although the dots are short.
  // So is a vector with an element per thread.
  // CHECK-LABEL: @gate
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 1 : i32} : !tt.ptr<f32>
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 1 : i32} : tensor<64x!tt.ptr<f16>
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 2 : i32} : tensor<32x64x!tt.ptr<f16>
  // ORDER-LABEL: @gate
  // ORDER: scf.for
  // ORDER: tt.load %{{.*}} : !tt.ptr<f32>
  // ORDER: tt.load %{{.*}} : tensor<64x!tt.ptr<f16>
  // ORDER: ttg.async_wait
  // ORDER: tt.dot
  // ORDER: scf.yield
  tt.func public @gate(%g: !tt.ptr<f32>, %h: tensor<64x!tt.ptr<f16>, #each>, %x: tensor<64x32xf16, #a>, %q: tensor<32x64x!tt.ptr<f16>, #wide> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %at = tt.addptr %g, %k : !tt.ptr<f32>, i32
      %gate = tt.load %at : !tt.ptr<f32>
      %column = tt.load %h : tensor<64x!tt.ptr<f16>, #each>
      %y = tt.load %q : tensor<32x64x!tt.ptr<f16>, #wide>
      %wide = arith.extf %column : tensor<64xf16, #each> to tensor<64xf32, #each>
      %gates = tt.splat %gate : f32 -> tensor<64xf32, #each>
      %scales = arith.mulf %wide, %gates : tensor<64xf32, #each>
      %rows = ttg.convert_layout %scales : tensor<64xf32, #each> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
      %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<64x1xf32, #mma>
      %all = tt.broadcast %rows2 : tensor<64x1xf32, #mma> -> tensor<64x64xf32, #mma>
      %decayed = arith.mulf %acc, %all : tensor<64x64xf32, #mma>
      %yb = ttg.convert_layout %y : tensor<32x64xf16, #wide> -> tensor<32x64xf16, #b>
      %d = tt.dot %x, %yb, %decayed : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %r : tensor<64x64xf32, #mma>
  }

  // Rings leave a multiprocessor four CTAs of four warps: the scales, four elements per thread, are loaded ahead.
  // CHECK-LABEL: @large_rings
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 2 : i32} : tensor<32x128x!tt.ptr<i32>
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 1 : i32} : tensor<1x128x!tt.ptr<f16>
  tt.func public @large_rings(%s: tensor<1x128x!tt.ptr<f16>, #words> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[2, 2]> : tensor<2xi32>}, %x: tensor<16x32xf16, #a4>, %q: tensor<32x128x!tt.ptr<i32>, #words> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<16x128xf32, #mma4> {
    %zero = arith.constant dense<0.0> : tensor<16x128xf32, #mma4>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x128xf32, #mma4>) : i32 {
      %w = tt.load %q : tensor<32x128x!tt.ptr<i32>, #words>
      %scale = tt.load %s : tensor<1x128x!tt.ptr<f16>, #words>
      %f = arith.sitofp %w : tensor<32x128xi32, #words> to tensor<32x128xf16, #words>
      %scales = tt.broadcast %scale : tensor<1x128xf16, #words> -> tensor<32x128xf16, #words>
      %y = arith.mulf %f, %scales : tensor<32x128xf16, #words>
      %yb = ttg.convert_layout %y : tensor<32x128xf16, #words> -> tensor<32x128xf16, #b4>
      %d = tt.dot %x, %yb, %acc : tensor<16x32xf16, #a4> * tensor<32x128xf16, #b4> -> tensor<16x128xf32, #mma4>
      scf.yield %d : tensor<16x128xf32, #mma4>
    }
    tt.return %r : tensor<16x128xf32, #mma4>
  }

  // CHECK-LABEL: @small_rings
  // CHECK: tt.load %{{[a-z0-9]+}} {tt.latency = 2 : i32} : tensor<32x64x!tt.ptr<i32>
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor<1x64x!tt.ptr<f16>
  tt.func public @small_rings(%s: tensor<1x64x!tt.ptr<f16>, #words> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[2, 2]> : tensor<2xi32>}, %x: tensor<16x32xf16, #a4>, %q: tensor<32x64x!tt.ptr<i32>, #words> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<16x64xf32, #mma4> {
    %zero = arith.constant dense<0.0> : tensor<16x64xf32, #mma4>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32, #mma4>) : i32 {
      %w = tt.load %q : tensor<32x64x!tt.ptr<i32>, #words>
      %scale = tt.load %s : tensor<1x64x!tt.ptr<f16>, #words>
      %f = arith.sitofp %w : tensor<32x64xi32, #words> to tensor<32x64xf16, #words>
      %scales = tt.broadcast %scale : tensor<1x64xf16, #words> -> tensor<32x64xf16, #words>
      %y = arith.mulf %f, %scales : tensor<32x64xf16, #words>
      %yb = ttg.convert_layout %y : tensor<32x64xf16, #words> -> tensor<32x64xf16, #b4>
      %d = tt.dot %x, %yb, %acc : tensor<16x32xf16, #a4> * tensor<32x64xf16, #b4> -> tensor<16x64xf32, #mma4>
      scf.yield %d : tensor<16x64xf32, #mma4>
    }
    tt.return %r : tensor<16x64xf32, #mma4>
  }
}
