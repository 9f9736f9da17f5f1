// Loads of computed operands. One of 64 KiB would have a ring of three slots. They do not fit: it keeps one buffer, so that the
// loads can be issued ahead nevertheless.
// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=4 --remarks-filter-missed=tritongpu-assign-latencies 2>&1 | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: operands are not computed ahead: with their rings two stages take 262144 bytes of shared memory, of which 231424 are available
  // CHECK: 2 stages instead of 4: the copies in flight take 98304 of 165888 bytes of shared memory
  // CHECK-LABEL: @large_operand
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<256x128x!tt.ptr<i8>
  // CHECK: tt.load %{{.*}} {tt.latency = 1 : i32} : tensor<128x64x!tt.ptr<bf16>
  // CHECK: ttg.local_alloc %{{[a-z0-9]+}} : (tensor<256x128xbf16
  tt.func public @large_operand(%p: tensor<256x128x!tt.ptr<i8>, #rows> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<128x64x!tt.ptr<bf16>, #columns> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<256x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<256x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<256x128x!tt.ptr<i8>, #rows>
      %w = tt.load %q : tensor<128x64x!tt.ptr<bf16>, #columns>
      %y = arith.sitofp %x : tensor<256x128xi8, #rows> to tensor<256x128xbf16, #rows>
      %a = ttg.local_alloc %y : (tensor<256x128xbf16, #rows>) -> !ttg.memdesc<256x128xbf16, #shared, #smem>
      %b = ttg.local_alloc %w : (tensor<128x64xbf16, #columns>) -> !ttg.memdesc<128x64xbf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {isAsync = false} : !ttg.memdesc<256x128xbf16, #shared, #smem> * !ttg.memdesc<128x64xbf16, #shared, #smem> -> tensor<256x64xf32, #mma>
      scf.yield %d : tensor<256x64xf32, #mma>
    }
    tt.return %r : tensor<256x64xf32, #mma>
  }

  // The iteration that computes the operand hides part of the latency of its load.
  // CHECK-LABEL: @long_dots
  // CHECK: tt.load %{{.*}} {tt.latency = 2 : i32} : tensor<128x64x!tt.ptr<i8>
  // CHECK: tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<64x64x!tt.ptr<bf16>
  // CHECK: ttg.local_alloc %{{[a-z0-9]+}} {tt.latency = 1 : i32} : (tensor<128x64xbf16
  tt.func public @long_dots(%p: tensor<128x64x!tt.ptr<i8>, #rows> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<64x64x!tt.ptr<bf16>, #columns> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<128x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<128x64x!tt.ptr<i8>, #rows>
      %w = tt.load %q : tensor<64x64x!tt.ptr<bf16>, #columns>
      %y = arith.sitofp %x : tensor<128x64xi8, #rows> to tensor<128x64xbf16, #rows>
      %a = ttg.local_alloc %y : (tensor<128x64xbf16, #rows>) -> !ttg.memdesc<128x64xbf16, #shared, #smem>
      %b = ttg.local_alloc %w : (tensor<64x64xbf16, #columns>) -> !ttg.memdesc<64x64xbf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {isAsync = false} : !ttg.memdesc<128x64xbf16, #shared, #smem> * !ttg.memdesc<64x64xbf16, #shared, #smem> -> tensor<128x64xf32, #mma>
      scf.yield %d : tensor<128x64xf32, #mma>
    }
    tt.return %r : tensor<128x64xf32, #mma>
  }

  // Not so where dots are short: 2^17 multiply-adds.
  // CHECK-LABEL: @short_dots
  // CHECK: tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<128x16x!tt.ptr<i8>
  // CHECK: tt.load %{{.*}} {tt.latency = 3 : i32} : tensor<16x64x!tt.ptr<bf16>
  // CHECK: ttg.local_alloc %{{[a-z0-9]+}} {tt.latency = 1 : i32} : (tensor<128x16xbf16
  tt.func public @short_dots(%p: tensor<128x16x!tt.ptr<i8>, #rows> {tt.contiguity = dense<[1, 16]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<16x64x!tt.ptr<bf16>, #columns> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %n: i32) -> tensor<128x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %x = tt.load %p : tensor<128x16x!tt.ptr<i8>, #rows>
      %w = tt.load %q : tensor<16x64x!tt.ptr<bf16>, #columns>
      %y = arith.sitofp %x : tensor<128x16xi8, #rows> to tensor<128x16xbf16, #rows>
      %a = ttg.local_alloc %y : (tensor<128x16xbf16, #rows>) -> !ttg.memdesc<128x16xbf16, #shared, #smem>
      %b = ttg.local_alloc %w : (tensor<16x64xbf16, #columns>) -> !ttg.memdesc<16x64xbf16, #shared, #smem>
      %d = ttng.warp_group_dot %a, %b, %acc {isAsync = false} : !ttg.memdesc<128x16xbf16, #shared, #smem> * !ttg.memdesc<16x64xbf16, #shared, #smem> -> tensor<128x64xf32, #mma>
      scf.yield %d : tensor<128x64xf32, #mma>
    }
    tt.return %r : tensor<128x64xf32, #mma>
  }
}
